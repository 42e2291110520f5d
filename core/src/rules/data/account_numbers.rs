//! Numbers of bank accounts and of United States social security behind the words that announce them: the digits alone
//! can mean anything.

use super::personal::{MaskedMatch, ends};
use regex::bytes::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Bytes behind a word in which its number begins.
const GAP_MAX: usize = 24;

/// Characters of an IBAN: of its country, its check digits and its account (ISO 13616).
const IBAN_LENS: std::ops::RangeInclusive<usize> = 15..=34;

/// The words before an IBAN, and before a social security number.
const IBAN: [&str; 3] = ["IBAN", "iban", "Iban"];
const SOCIAL_SECURITY: [&str; 4] = ["SSN", "ssn", "Social Security", "social security"];

/// All of them: most texts have none, which one pass says.
static WORDS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(&[IBAN.as_slice(), &SOCIAL_SECURITY].concat().join("|")).ok());

/// The number of a bank account behind `IBAN`, whose check digits are right, by its country and its last characters.
pub(super) fn iban(text: &[u8]) -> Option<MaskedMatch> {
    let (range, number) = behind(text, &IBAN, iban_at)?;
    Some((range, format!("{}…{}", String::from_utf8_lossy(&number[..2]), ends(&number).1)))
}

/// A social security number by its last digits.
pub(super) fn social_security(text: &[u8]) -> Option<MaskedMatch> {
    let (range, number) = behind(text, &SOCIAL_SECURITY, social_security_at)?;
    Some((range, format!("…{}", ends(&number).1)))
}

/// A number, without what is between its parts, and the bytes that it takes.
type NumberAt = fn(&[u8]) -> Option<(Vec<u8>, usize)>;

/// The first number a few bytes behind one of the words: at the beginning of a word of its own. No more of the text is
/// looked at than up to there, so that a search for all of them looks at it once.
fn behind(text: &[u8], words: &[&str], at: NumberAt) -> Option<(Range<usize>, Vec<u8>)> {
    let found = WORDS.as_ref()?.find_iter(text).filter(|found| words.iter().any(|w| w.as_bytes() == found.as_bytes()));
    found.map(|found| found.end()).find_map(|start| {
        let gap = text.get(start..).unwrap_or_default().iter().take(GAP_MAX).enumerate();
        let begins = |(place, byte): &(usize, &u8)| {
            byte.is_ascii_alphanumeric() && !text[start + place - 1].is_ascii_alphanumeric()
        };
        gap.skip(1).filter(begins).find_map(|(place, _)| {
            let (number, len) = at(&text[start + place..])?;
            Some((start + place..start + place + len, number))
        })
    })
}

/// An IBAN at the beginning of a text, without its spaces.
fn iban_at(text: &[u8]) -> Option<(Vec<u8>, usize)> {
    let is_in_run = |b: &u8| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b' ';
    let run = text.iter().take(2 * IBAN_LENS.end()).take_while(|b| is_in_run(b));
    let run: Vec<u8> = run.copied().filter(|b| *b != b' ').collect();
    let is_head = matches!(run[..], [a, b, c, d, ..] if a.is_ascii_uppercase() && b.is_ascii_uppercase()
        && c.is_ascii_digit() && d.is_ascii_digit());
    // Words of capitals may follow it; a number of another length has other check digits.
    let len = IBAN_LENS.rev().find(|len| is_head && run.get(..*len).is_some_and(has_check_digits))?;
    let mut places = text.iter().enumerate().filter(|(_, byte)| **byte != b' ');
    Some((run[..len].to_vec(), places.nth(len - 1)?.0 + 1))
}

/// The check of ISO 7064: the first four characters behind the others, letters as numbers from 10, modulo 97 is 1.
fn has_check_digits(iban: &[u8]) -> bool {
    let digits = |byte: &u8| if byte.is_ascii_digit() { u32::from(byte - b'0') } else { u32::from(byte - b'A') + 10 };
    let (head, account) = iban.split_at(4);
    let add = |sum: u32, value: u32| (sum * if value > 9 { 100 } else { 10 } + value) % 97;
    account.iter().chain(head).map(digits).fold(0, add) == 1
}

/// Three digits, two and four with hyphens or spaces between; numbers that are never given are none.
fn social_security_at(text: &[u8]) -> Option<(Vec<u8>, usize)> {
    const SHAPE: &[u8] = b"000-00-0000";
    let found = text.get(..SHAPE.len())?;
    let fits = |(byte, shape): (&u8, &u8)| match shape {
        b'0' => byte.is_ascii_digit(),
        _ => matches!(byte, b'-' | b' '),
    };
    let is_apart = text.get(SHAPE.len()).is_none_or(|next| !next.is_ascii_alphanumeric());
    let digits: Vec<u8> = found.iter().copied().filter(u8::is_ascii_digit).collect();
    let is_given = |digits: &[u8]| {
        let (area, rest) = digits.split_at(3);
        let (group, serial) = rest.split_at(2);
        !matches!(area, b"000" | b"666" | [b'9', ..]) && group != b"00" && serial != b"0000" && digits != b"123456789"
    };
    (found.iter().zip(SHAPE).all(fits) && is_apart && is_given(&digits)).then_some((digits, SHAPE.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn account_numbers_are_found_behind_their_word() {
        for text in [
            "IBAN: DE89 3704 0044 0532 0130 00",
            "the IBAN is GB82WEST12345698765432.",
            "IBAN=NO93 8601 1117 947 AND MORE",
            r#"{"iban": "FR14 2004 1010 0505 0001 3M02 606"}"#,
        ] {
            assert!(iban(text.as_bytes()).is_some(), "{text}");
        }
        let found = iban(b"IBAN: DE89 3704 0044 0532 0130 00");
        assert_eq!(found, Some((6..33, "DE\u{2026}00".to_owned())));
        for text in
            ["DE89 3704 0044 0532 0130 00", "IBAN: DE88 3704 0044 0532 0130 00", "IBAN DE89", "IBAN", "an iban is"]
        {
            assert_eq!(iban(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn social_security_numbers_are_found_behind_their_word() {
        for text in ["SSN: 536-90-4399", "social security number 536 90 4399.", r#""ssn":"536-90-4399""#] {
            let (range, masked) = social_security(text.as_bytes()).unwrap();
            assert_eq!((range.len(), masked.as_str()), (11, "\u{2026}99"), "{text}");
        }
        for text in ["536-90-4399", "SSN: 123-45-6789", "SSN: 000-12-3456", "SSN: 536-90-43991", "SSN", "ssn = row[3]"]
        {
            assert_eq!(social_security(text.as_bytes()), None, "{text}");
        }
    }
}
