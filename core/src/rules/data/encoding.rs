//! Text that went through a wrong encoding on its way.

/// UTF-8 that was read as Latin-1 or Windows-1252, by the pairs that come of the most common characters. Other pairs
/// occur in good text, such as a quotation mark after a German word.
pub(super) fn mojibake(text: &str) -> Option<String> {
    if text.is_ascii() {
        return None;
    }
    let mut before = ' ';
    for c in text.chars() {
        let is_pair = match before {
            'Â' | 'Ã' => matches!(c, '\u{80}'..='\u{BF}') || is_windows(c),
            'â' => matches!(c, '€' | '\u{80}' | '\u{82}'),
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
        for text in ["cafÃ©", "itâ€™s", "5 Â£", "ðŸ˜€", "Ã\u{a0}", "Ãœber", "a\u{e2}\u{80}\u{99}s"] {
            assert!(mojibake(text).is_some(), "{text}");
        }
        for text in ["café", "it’s 5 £ — 😀", "NÃO", "groß»", "Âge", "pâté €", "日本", "ASCII", ""] {
            assert_eq!(mojibake(text), None);
        }
        assert!(replacement("a\u{fffd}b\u{fffd}").unwrap().starts_with("2 replacement characters"));
        assert_eq!(replacement("plain"), None);
    }
}
