//! A search that forgives: words in any order, letters left out.

/// What was typed to narrow a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fuzzy {
    typed: String,
    /// Its words, in small letters.
    words: Vec<Vec<char>>,
}

/// How badly a word fits that is at the beginning of a word, within one, and letter by letter.
const BEGINNING: u32 = 0;
const WITHIN: u32 = 1;
const LETTERS: u32 = 4;

/// Letters that may be between those of a word, for each of them.
const GAP_MAX: usize = 2;

impl Fuzzy {
    /// None where nothing was typed.
    #[must_use]
    pub fn new(typed: &str) -> Option<Self> {
        let words: Vec<Vec<char>> =
            typed.to_lowercase().split_whitespace().map(|word| word.chars().collect()).collect();
        (!words.is_empty()).then(|| Self { typed: typed.to_owned(), words })
    }

    /// As it was typed.
    #[must_use]
    pub fn typed(&self) -> &str {
        &self.typed
    }

    /// How badly texts fit, 0 at best; None: a word is in none of them.
    #[must_use]
    pub fn misfit(&self, texts: &[&str]) -> Option<u32> {
        let texts: Vec<Vec<char>> = texts.iter().map(|text| text.to_lowercase().chars().collect()).collect();
        self.words.iter().map(|word| texts.iter().filter_map(|text| misfit(word, text)).min()).sum()
    }
}

fn misfit(word: &[char], text: &[char]) -> Option<u32> {
    let mut best = None;
    for at in (0..=text.len().checked_sub(word.len())?).filter(|at| text[*at..].starts_with(word)) {
        if at == 0 || !text[at - 1].is_alphanumeric() {
            return Some(BEGINNING);
        }
        best = Some(WITHIN);
    }
    best.or_else(|| by_letters(word, text).then_some(LETTERS))
}

/// Whether the letters of a word are in a text in this order, near one another.
fn by_letters(word: &[char], text: &[char]) -> bool {
    let Some((first, rest)) = word.split_first() else { return true };
    let span_max = word.len() * (GAP_MAX + 1);
    (0..text.len()).filter(|at| text[*at] == *first).any(|at| {
        let mut letters = text[at + 1..].iter().take(span_max);
        rest.iter().all(|wanted| letters.any(|letter| letter == wanted))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_before_letters() {
        let misfit = |typed: &str| Fuzzy::new(typed).unwrap().misfit(&["Fix the date parser", "src-app", "claude"]);
        assert_eq!(misfit("date"), Some(0));
        assert_eq!(misfit("parser claude FIX"), Some(0));
        assert_eq!(misfit("arser"), Some(1));
        assert_eq!(misfit("prsr app"), Some(4));
        assert_eq!((misfit("zebra"), misfit("date zebra"), misfit("fxr")), (None, None, None));
        assert_eq!(Fuzzy::new("  "), None);
        assert_eq!(Fuzzy::new("über").unwrap().misfit(&["ÜBER"]), Some(0));
    }
}
