//! Personal data in texts: what `check --data` reports and what exports replace. A message shows it masked, so that one
//! can know which it is.

use super::account_numbers::{iban, social_security};
use super::cards::card;
use super::secrets::{is_part, is_reserved};
use memchr::memchr_iter;
use std::ops::Range;

/// Where something is in a text, and it masked.
pub(super) type MaskedMatch = (Range<usize>, String);

/// A kind of personal data.
pub(crate) struct PersonalKind {
    /// Its name where it was redacted.
    pub(crate) kind: &'static str,
    what: &'static str,
    find: fn(&[u8]) -> Option<MaskedMatch>,
}

/// All kinds.
pub(crate) const PERSONAL: [PersonalKind; 5] = [
    PersonalKind { kind: "email", what: "an e-mail address", find: first_email },
    PersonalKind { kind: "phone", what: "a telephone number", find: first_phone },
    PersonalKind { kind: "card", what: "a payment card number", find: card },
    PersonalKind { kind: "iban", what: "the number of a bank account", find: iban },
    PersonalKind { kind: "ssn", what: "a social security number", find: social_security },
];

impl PersonalKind {
    /// Where the first of a text is.
    pub(crate) fn find(&self, text: &str) -> Option<Range<usize>> {
        (self.find)(text.as_bytes()).map(|(range, _)| range)
    }

    /// What is said of the first of a text.
    pub(super) fn message(&self, text: &str) -> Option<String> {
        let (_, masked) = (self.find)(text.as_bytes())?;
        let what = self.what;
        Some(format!("this looks like {what} (`{masked}`); personal data has no place in training data"))
    }
}

fn first_email(text: &[u8]) -> Option<MaskedMatch> {
    memchr_iter(b'@', text).find_map(|at| email(text, at))
}

fn first_phone(text: &[u8]) -> Option<MaskedMatch> {
    memchr_iter(b'+', text).find_map(|at| phone(text, at))
}

/// Addresses of programs that sign what they do; those of the same domain may be a person's.
const PROGRAMS: &[&str] = &["openhands@all-hands.dev", "action@github.com", "actions@github.com"];

/// Users that are programs wherever they are.
const PROGRAM_USERS: &[&str] = &["noreply", "no-reply", "git", "github-actions", "dependabot"];

/// Users that people make up.
const EXAMPLE_USERS: [&str; 15] = [
    "you",
    "your",
    "your.name",
    "yourname",
    "your-email",
    "youremail",
    "your.email",
    "your_email",
    "email",
    "user",
    "username",
    "name",
    "someone",
    "somebody",
    "foo",
];

fn is_nobody(user: &str) -> bool {
    EXAMPLE_USERS.contains(&user)
        || user.strip_suffix(|c: char| c.is_ascii_digit()).is_some_and(|u| u == "user" || u == "test")
}

/// An address by its first letter and its domain. Those of documentation and of programs are nobody's.
fn email(text: &[u8], at: usize) -> Option<MaskedMatch> {
    let is_user = |b: &u8| is_part(*b) || matches!(b, b'.' | b'+' | b'%');
    let is_host = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-');
    let start = at - text[..at].iter().rev().take_while(|b| is_user(b)).count();
    let before = start.checked_sub(1).map(|i| text[i]);
    // In JSON within a string a line end is `\n`: its letter is not a part of the name.
    let is_escape = before == Some(b'\\') && matches!(text[start], b'n' | b't' | b'r');
    let start = start + usize::from(is_escape);
    // Signs before a name are those of a list or of a patch, where `+@name` is a decorator.
    let user = String::from_utf8_lossy(&text[start..at]).to_lowercase();
    let begin = at - user.trim_start_matches(|c: char| !c.is_ascii_alphanumeric()).len();
    let user = user.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
    let host = &text[at + 1..];
    let host = &host[..host.iter().take_while(|b| is_host(b)).count()];
    let host = String::from_utf8_lossy(host).to_lowercase();
    let host = host.trim_end_matches(['.', '-']);
    let (name, top) = host.rsplit_once('.')?;
    let is_example = is_reserved(host) || is_nobody(user);
    let is_program = PROGRAM_USERS.contains(&user)
        || user.ends_with("+noreply")
        || host == "users.noreply.github.com"
        || PROGRAMS.iter().any(|program| program.split_once('@') == Some((user, host)));
    let is_name = top.len() >= 2 && top.bytes().all(|b| b.is_ascii_alphabetic()) && !name.is_empty();
    // `user:password@host` and `https://x@host` are addresses of machines.
    let is_machine = matches!(before, Some(b':' | b'/' | b'$'));
    let first = user.chars().next().filter(|_| is_name && !is_machine && !is_example && !is_program)?;
    Some((begin..at + 1 + host.len(), format!("{first}…@{host}")))
}

/// `+49 30 1234567` by its first and last digits: only with the code of a country, since other digits can mean
/// anything.
fn phone(text: &[u8], at: usize) -> Option<MaskedMatch> {
    let is_start = at == 0 || !(text[at - 1].is_ascii_alphanumeric() || matches!(text[at - 1], b'+' | b')' | b']'));
    let rest = &text[at + 1..];
    let rest = &rest[..rest.iter().take_while(|b| b.is_ascii_digit() || b" -().".contains(b)).count()];
    let digits: Vec<u8> = rest.iter().copied().filter(u8::is_ascii_digit).collect();
    let groups = rest.split(|b| !b.is_ascii_digit()).filter(|group| !group.is_empty()).count();
    let is_country = rest.first().is_some_and(|b| (b'1'..=b'9').contains(b));
    let is_decimal = rest.contains(&b'.') && groups == 2;
    let is_phone = is_start && is_country && (10..=15).contains(&digits.len()) && !is_decimal && groups <= 6;
    let end = at + 2 + rest.iter().rposition(u8::is_ascii_digit)?;
    is_phone.then(|| (at..end, format!("+{}…{}", ends(&digits).0, ends(&digits).1)))
}

/// The first and the last two of some digits.
pub(super) fn ends(digits: &[u8]) -> (String, String) {
    let text = |digits: &[u8]| String::from_utf8_lossy(digits).into_owned();
    (text(&digits[..digits.len().min(2)]), text(&digits[digits.len().saturating_sub(2)..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn personal(text: &str) -> Option<String> {
        PERSONAL.iter().find_map(|kind| kind.message(text))
    }

    #[test]
    fn each_kind_says_where_it_is() {
        let text = "jo@mail.uni-x.de, +49 30 1234-5678; 4111 1111 1111 1111 (SSN: 536-90-4399) \
                    IBAN DE89 3704 0044 0532 0130 00.";
        let found = PERSONAL.iter().map(|kind| kind.find(text).map(|range| &text[range]));
        let expected = [
            "jo@mail.uni-x.de",
            "+49 30 1234-5678",
            "4111 1111 1111 1111",
            "DE89 3704 0044 0532 0130 00",
            "536-90-4399",
        ];
        assert_eq!(found.collect::<Vec<_>>(), expected.map(Some));
    }

    #[test]
    fn personal_data_is_known() {
        for text in [
            "mail jo.doe+x@mail.uni-x.de now",
            "call +49 30 1234-5678",
            "pay 4111 1111 1111 1111",
            "(378282246310005)",
            "4111 1111 1111 1111 is on file",
        ] {
            assert!(personal(text).is_some(), "{text}");
        }
        for (text, masked) in [
            ("+jo.doe@mail.uni-x.de", "`j…@mail.uni-x.de`"),
            (r"mail\njo.doe@mail.uni-x.de", "`j…@mail.uni-x.de`"),
            ("jane.doe@uni-x.de", "`j…@uni-x.de`"),
            ("jo@all-hands.dev", "`j…@all-hands.dev`"),
            ("call +49 30 1234-5678", "`+49…78`"),
            ("pay 4111 1111 1111 1111", "`…11`"),
        ] {
            let message = personal(text).unwrap();
            assert!(message.contains(masked), "{text}: {message}");
        }
        for text in [
            "user@example.com",
            "mia@mail.example.co.uk",
            "you@yourcompany.com",
            "john.doe@acme.com",
            "jane.doe@example.org",
            "user1@site.io",
            "postgres://app:$DB_PASSWORD@db.prod-x.net/app",
            "git@github.com:a/b",
            "12345+noreply@users.github.com",
            "https://token@host.org",
            "@decorator x@y",
            "+@attrs.define\n-@attrs.define\n+ @attrs.define",
            r"import attrs\n@attrs.define\n\n@attrs.frozen",
            "Co-authored-by: openhands <openhands@all-hands.dev>",
            "1234567+someone@users.noreply.github.com",
            "a@b.c1",
            "1+1234567890",
            "+1.2345678901",
            "call +049 30 1234-5678",
            "4111 1111 1111 1112",
            "4111111111111111000",
            "0.4111111111111111",
            "call 030 12345678",
            "4444444444444444",
        ] {
            assert_eq!(personal(text), None, "{text}");
        }
    }
}
