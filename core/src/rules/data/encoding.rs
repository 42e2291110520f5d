//! Text that went through a wrong encoding on its way.

/// UTF-8 that was read as Latin-1 or Windows-1252, by the pairs that come of the most common characters. Other pairs
/// occur in good text, such as a quotation mark after a German word.
pub(super) fn mojibake(text: &str) -> Option<String> {
    if text.is_ascii() {
        return None;
    }
    let (mut before, mut foreign) = (' ', Foreign::default());
    for c in text.chars() {
        if let Some(pair) = foreign.take(c) {
            return Some(format!(
                "`{pair}` is UTF-8 that was read in another encoding; mend it where the data is made"
            ));
        }
        let is_pair = match before {
            'Â' | 'Ã' => matches!(c, '\u{80}'..='\u{BF}') || is_windows(c),
            'â' => matches!(c, '€' | '‚' | '\u{80}' | '\u{82}'),
            'ð' => matches!(c, 'Ÿ' | '\u{9F}'),
            _ => false,
        };
        if is_pair {
            let message =
                format!("`{before}{c}` is UTF-8 that was read in another encoding; mend it where the data is made");
            return Some(message);
        }
        before = c;
    }
    None
}

/// Letters of other scripts: what stands for their first byte is a letter of good text too, so more must follow.
#[derive(Default)]
struct Foreign {
    /// The first byte, and what followed it.
    pending: String,
}

impl Foreign {
    /// Takes the next character; what came together if it cannot be good text: two letters of Cyrillic, one of three
    /// bytes as those of Chinese, Japanese and Korean.
    fn take(&mut self, c: char) -> Option<&str> {
        let is_rest = matches!(c, '\u{80}'..='\u{BF}') || is_windows(c);
        let mut all = self.pending.chars();
        let fits = match (all.next(), all.next(), all.next()) {
            (None, ..) => matches!(c, 'Ð' | 'Ñ' | 'ã'..='é'),
            (Some('Ð' | 'Ñ'), None, _) | (Some('Ð' | 'Ñ'), _, Some(_)) => is_rest,
            (Some('Ð' | 'Ñ'), _, None) => matches!(c, 'Ð' | 'Ñ'),
            // In French a quotation ends so: `é »`.
            (_, None, _) => is_rest && !matches!(c, '\u{A0}' | '»' | '«' | '’' | '”'),
            _ => is_rest && !matches!(c, '»' | '«' | '’' | '”'),
        };
        if !fits {
            self.pending.clear();
            if matches!(c, 'Ð' | 'Ñ' | 'ã'..='é') {
                self.pending.push(c);
            }
            return None;
        }
        self.pending.push(c);
        let wanted = if self.pending.starts_with(['Ð', 'Ñ']) { 4 } else { 3 };
        (self.pending.chars().count() == wanted).then_some(self.pending.as_str())
    }
}

/// What Windows-1252 has at 0x80 to 0x9F.
fn is_windows(c: char) -> bool {
    "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ".contains(c)
}

/// The sign for bytes that were no text.
pub(super) fn replacement(text: &str) -> Option<String> {
    let n = text.matches('\u{FFFD}').count();
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
