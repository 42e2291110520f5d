//! Numbers of payment cards in texts.

use super::personal::{MaskedMatch, ends};

/// Digits of a card, at least.
const CARD_DIGITS_MIN: usize = 15;

/// 15 or 16 digits that begin like those of a card and have its check digit, in one piece or in groups of four: by the
/// last of them.
pub(super) fn card(text: &[u8]) -> Option<MaskedMatch> {
    let is_in_run = |b: &u8| b.is_ascii_digit() || matches!(b, b' ' | b'-');
    let mut start = 0;
    while let Some(window) = text.get(start..start + CARD_DIGITS_MIN) {
        // A run covers the whole window. Most windows end in a letter, and are passed at once.
        if let Some(foreign) = window.iter().rposition(|b| !is_in_run(b)) {
            start += foreign + 1;
            continue;
        }
        let before = window.iter().take_while(|b| !b.is_ascii_digit()).count();
        if before > 0 {
            start += before;
            continue;
        }
        let len = text[start..].iter().take_while(|b| is_in_run(b)).count();
        // A space behind the last digit belongs to what follows.
        let len = len - text[start..start + len].iter().rev().take_while(|b| !b.is_ascii_digit()).count();
        let run = &text[start..start + len];
        let is_apart = (start == 0 || !(text[start - 1].is_ascii_alphanumeric() || b"._-".contains(&text[start - 1])))
            && text.get(start + len).is_none_or(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'_')));
        let groups: Vec<&[u8]> = run.split(|b| !b.is_ascii_digit()).filter(|group| !group.is_empty()).collect();
        let digits: Vec<u8> = groups.concat();
        let lens: Vec<usize> = groups.iter().map(|group| group.len()).collect();
        let is_grouped = matches!(lens[..], [16 | 15] | [4, 4, 4, 4] | [4, 6, 5]);
        if is_apart && is_grouped && begins_like_card(&digits) && luhn(&digits) {
            return Some((start..start + len, format!("…{}", ends(&digits).1)));
        }
        start += len;
    }
    None
}

fn begins_like_card(digits: &[u8]) -> bool {
    match (digits.len(), digits) {
        (15, [b'3', b'4' | b'7', ..]) => true,
        (16, [b'4', ..] | [b'5', b'1'..=b'5', ..] | [b'6', b'0' | b'5', ..]) => digits.iter().any(|d| *d != digits[0]),
        _ => false,
    }
}

/// The check digit: every second digit from the right doubled, the sum a multiple of ten.
fn luhn(digits: &[u8]) -> bool {
    let doubled = |(i, d): (usize, &u8)| {
        let d = u32::from(d - b'0') * if i % 2 == 1 { 2 } else { 1 };
        if d > 9 { d - 9 } else { d }
    };
    digits.iter().rev().enumerate().map(doubled).sum::<u32>() % 10 == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_are_found_wherever_they_are() {
        for before in ["", " ", "a ", "12 a ", "no: ", "                  ", "4 5 6 7 8, "] {
            for behind in ["", " ", ".", " and more text than a window holds"] {
                let text = format!("{before}4111 1111 1111 1111{behind}");
                assert!(card(text.as_bytes()).is_some(), "{text}");
            }
        }
        assert_eq!(card(b"4111 1111 1111 111"), None);
        let found = card("4111 1111 1111 1111".replace(' ', "").as_bytes());
        assert_eq!(found, Some((0..16, "\u{2026}11".to_owned())));
    }
}
