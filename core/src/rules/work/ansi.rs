//! W4: texts without the escape sequences of terminals.

use memchr::{memchr, memchr2};
use std::borrow::Cow;

const ESC: u8 = 0x1B;
const BEL: u8 = 0x07;

/// A text without the escape sequences of terminals.
#[must_use]
pub fn without_escapes(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let Some(first) = memchr(ESC, bytes) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len());
    let (mut from, mut at) = (0, first);
    loop {
        let len = sequence(&bytes[at..]);
        if len > 0 {
            out.push_str(&text[from..at]);
            from = at + len;
        }
        let next = at + len.max(1);
        match memchr(ESC, &bytes[next..]) {
            Some(after) => at = next + after,
            None => break,
        }
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
}

/// Bytes of the sequence that an escape begins, all of them ASCII or up to its end; 0: it begins none.
fn sequence(text: &[u8]) -> usize {
    match text.get(1) {
        Some(b'[') => {
            let numbers = 2 + text[2..].iter().take_while(|byte| matches!(byte, b'0'..=b'?')).count();
            let end = numbers + text[numbers..].iter().take_while(|byte| matches!(byte, b' '..=b'/')).count();
            if matches!(text.get(end), Some(b'@'..=b'~')) { end + 1 } else { 0 }
        }
        // The title of a window, as a rule: up to its end, else the two bytes alone.
        Some(b']') => memchr2(BEL, ESC, &text[2..]).map_or(2, |len| match &text[2 + len..] {
            [BEL, ..] => len + 3,
            [ESC, b'\\', ..] => len + 4,
            _ => 2,
        }),
        Some(b'@'..=b'Z' | b'\\'..=b'_') => 2,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The sequences as a pattern.
        #[test]
        fn w4_what_goes_is_what_the_pattern_matches(
            parts in proptest::collection::vec("[\u{1b}\\[\\]\u{7}\\\\0-9;?m @Zé~-]{1,4}", 0..20)
        ) {
            let pattern = r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])";
            let regex = regex::Regex::new(pattern).unwrap();
            let text = parts.concat();
            prop_assert_eq!(without_escapes(&text), regex.replace_all(&text, ""));
        }
    }

    #[test]
    fn a_text_without_an_escape_is_as_it_is() {
        assert!(matches!(without_escapes("[31m"), Cow::Borrowed("[31m")));
        assert_eq!(without_escapes("\u{1b}[1;31mbash\u{1b}[0m: x\u{1b}]0;title\u{7}\u{1b}"), "bash: x\u{1b}");
    }
}
