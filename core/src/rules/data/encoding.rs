//! Text that went through a wrong encoding on its way.

use memchr::{memchr_iter, memmem};
use std::sync::LazyLock;

/// UTF-8 that was read as Latin-1 or Windows-1252, by the pairs that come of the most common characters. Other pairs
/// occur in good text, such as a quotation mark after a German word.
pub(super) fn mojibake(text: &str) -> Option<String> {
    // What stands for a first byte is a letter from `Â` to `ð`, which all begin with this byte.
    let wrong = memchr_iter(0xC3, text.as_bytes()).find_map(|at| wrong(&text[at..]))?;
    Some(format!("`{wrong}` is UTF-8 that was read in another encoding; mend it where the data is made"))
}

/// What cannot be good text at the beginning of this. Of letters of other scripts what stands for the first byte is a
/// letter of good text too, so more must follow: two letters of Cyrillic, one of three bytes as those of Chinese,
/// Japanese and Korean.
fn wrong(text: &str) -> Option<&str> {
    let mut chars = text.chars();
    let first = chars.next()?;
    let mut fit = |fits: fn(char) -> bool| chars.next().filter(|c| fits(*c));
    match first {
        'Â' | 'Ã' => fit(is_rest)?,
        'â' => fit(|c| matches!(c, '€' | '‚' | '\u{80}' | '\u{82}'))?,
        'ð' => fit(|c| matches!(c, 'Ÿ' | '\u{9F}'))?,
        'Ð' | 'Ñ' => fit(is_rest).and_then(|_| fit(|c| matches!(c, 'Ð' | 'Ñ')))?,
        // In French a quotation ends so: `é »`.
        'ã'..='é' => fit(|c| is_rest(c) && !is_quotation(c) && c != '\u{A0}')?,
        _ => return None,
    };
    match first {
        'Ð' | 'Ñ' => fit(is_rest)?,
        'ã'..='é' => fit(|c| is_rest(c) && !is_quotation(c))?,
        _ => first,
    };
    Some(&text[..text.len() - chars.as_str().len()])
}

fn is_quotation(c: char) -> bool {
    matches!(c, '»' | '«' | '’' | '”')
}

/// What stands for a byte behind the first.
fn is_rest(c: char) -> bool {
    matches!(c, '\u{80}'..='\u{BF}') || is_windows(c)
}

/// What Windows-1252 has at 0x80 to 0x9F.
fn is_windows(c: char) -> bool {
    "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ".contains(c)
}

/// Made once: a text is looked through faster than this is made.
static REPLACEMENT: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new("\u{FFFD}"));

/// The sign for bytes that were no text.
pub(super) fn replacement(text: &str) -> Option<String> {
    let n = REPLACEMENT.find_iter(text.as_bytes()).count();
    let what =
        if n == 1 { "a replacement character marks".to_owned() } else { format!("{n} replacement characters mark") };
    (n > 0).then(|| format!("{what} where text was lost in an encoding"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_damage_is_found() {
        for text in [
            "ÐŸÑ€Ð¸Ð²ÐµÑ‚",
            "ä½\u{a0}å¥½",
            "5 â‚¬",
            "cafÃ©",
            "itâ€™s",
            "5 Â£",
            "ðŸ˜€",
            "Ã\u{a0}",
            "Ãœber",
            "a\u{e2}\u{80}\u{99}s",
        ] {
            assert!(mojibake(text).is_some(), "{text}");
        }
        for text in [
            "café",
            "it’s 5 £ — 😀",
            "NÃO",
            "groß»",
            "fin de l’été »",
            "«\u{a0}café\u{a0}»",
            "ÑAND°",
            "Ð»",
            "Âge",
            "pâté €",
            "日本",
            "ASCII",
            "",
        ] {
            assert_eq!(mojibake(text), None);
        }
        assert!(replacement("a\u{fffd}b\u{fffd}").unwrap().starts_with("2 replacement characters"));
        assert_eq!(replacement("plain"), None);
    }
}
