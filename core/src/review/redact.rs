//! Secrets in records: keys, tokens, passwords, addresses, found in their strings and replaced there, nowhere else.
//!
//! All bytes outside the strings that change stay as they are. What is found is by pattern, so it is neither all nor
//! only secrets; the list of what would be replaced is there to be looked at first.

use crate::json;
use crate::rules::data::{NAMES, PERSONAL, SHAPES};
use regex::{Captures, Regex, RegexSet};

/// Name and pattern of each kind of secret that has more than a beginning. Where a pattern has a group, only the group
/// is the secret.
const KINDS: &[(&str, &str)] = &[
    ("private-key", r"-----BEGIN [^-\n]{0,24}PRIVATE KEY-----[\s\S]*?(?:-----END [^-\n]{0,24}PRIVATE KEY-----|$)"),
    ("jwt", r"(?:(?-u:\b)|\\[nrtbf])(eyJ[A-Za-z0-9_-]{7,}\.eyJ[A-Za-z0-9_-]{7,}\.[A-Za-z0-9_-]{8,})"),
    ("bearer", r"(?i)(?-u:\b)bearer\s+([A-Za-z0-9._~+/-]{16,}=*)"),
    ("password", r#"://[^/\s:"'<>]+:([^/\s"'`<>\\)\]},]+)@"#),
    ("email", r"(?:(?-u:\b)|\\[nrtbf])([A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,})(?-u:\b)"),
];

/// Most strings of JSON within strings of JSON.
const DEPTH_MAX: usize = 8;

/// Where a word of ASCII letters begins, also behind letters of other scripts, which have no spaces; and behind an
/// escape for a line end or the like, in a text that is no whole JSON.
const START: &str = r"(?:(?-u:\b)|\\[nrtbf])";

/// Patterns of all kinds, with those that `check --data` knows by their beginnings and names.
fn kinds() -> Vec<(&'static str, String)> {
    let begun = SHAPES
        .iter()
        .map(|s| (s.kind, format!(r"{START}({}[A-Za-z0-9_-]{{{},}})", regex::escape(s.prefix), s.len_min)));
    let around = r#"(?:\\*["']|\s){0,30}"#;
    let assigned = format!(r#"(?i)(?:{}|secret){around}[:=]{around}([^\s"',;\\]{{8,}})"#, names());
    let known = KINDS.iter().map(|(kind, pattern)| (*kind, (*pattern).to_owned()));
    begun.chain(known).chain([("password", assigned)]).collect()
}

/// Names of members whose whole value is a secret.
fn member() -> String {
    format!("(?i)^(?:.*[_-])?(?:{}|secret|authorization)$", names())
}

fn names() -> String {
    NAMES.join("|")
}

/// Shortest value of such a member that is one.
const MEMBER_CHARS_MIN: usize = 8;

/// How what was replaced begins: it is never replaced again.
pub(super) const REPLACED: &str = "[REDACTED:";

/// A secret that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// Its kind.
    pub kind: &'static str,
    /// It.
    pub text: String,
    /// The byte of the record at which its string begins.
    pub at: usize,
    /// Bytes of that string, with its quotes.
    pub len: usize,
}

/// The patterns, ready to use.
pub struct Redactor {
    kinds: Vec<(&'static str, Regex)>,
    any: RegexSet,
    member: Regex,
}

impl Redactor {
    /// Makes the patterns; None if one of them is wrong, which a test rules out.
    #[must_use]
    pub fn new() -> Option<Self> {
        let patterns = kinds();
        let any = RegexSet::new(patterns.iter().map(|(_, pattern)| pattern)).ok()?;
        let kinds = patterns.iter().map(|(kind, pattern)| Some((*kind, Regex::new(pattern).ok()?)));
        Some(Self { kinds: kinds.collect::<Option<_>>()?, any, member: Regex::new(&member()).ok()? })
    }

    /// A record with its secrets replaced, and those; None if it has none.
    #[must_use]
    pub fn redact(&self, record: &str) -> Option<(String, Vec<Secret>)> {
        self.redact_json(record, 0)
    }

    fn redact_json(&self, record: &str, depth: usize) -> Option<(String, Vec<Secret>)> {
        let (mut out, mut secrets) = (String::new(), Vec::new());
        let (mut copied, mut is_secret_member) = (0, false);
        for (start, end) in strings(record) {
            let body = &record[start + 1..end - 1];
            let text = match json::unescape(body) {
                Ok(text) | Err((_, text)) => text,
            };
            let before = secrets.len();
            let is_key = record[end..].trim_start().starts_with(':');
            let redacted = if is_secret_member && !is_key && text.chars().count() >= MEMBER_CHARS_MIN {
                redact_string(&text, (start, end), &mut secrets)
            } else if depth < DEPTH_MAX && !is_key && is_json(&text) {
                // Arguments of calls are JSON in strings, with strings of their own.
                let inner = self.redact_json(&text, depth + 1);
                let found = inner.iter().flat_map(|(_, secrets)| secrets);
                secrets.extend(found.map(|secret| Secret { at: start, len: end - start, ..secret.clone() }));
                inner.map_or_else(|| text.to_string(), |(text, _)| text)
            } else {
                self.text(&text, (start, end), &mut secrets)
            };
            // A member's value follows its key; a value of another type has none of this.
            is_secret_member = is_key && self.member.is_match(&text) && is_string(&record[end..]);
            if secrets.len() > before {
                out.push_str(&record[copied..start]);
                out.push_str(&json::quote(&redacted));
                copied = end;
            }
        }
        out.push_str(&record[copied..]);
        (!secrets.is_empty()).then_some((out, secrets))
    }

    /// A string that is between these bytes, without the secrets in it.
    fn text(&self, text: &str, (at, end): (usize, usize), secrets: &mut Vec<Secret>) -> String {
        let mut out = text.to_owned();
        for found in &self.any.matches(text) {
            let (kind, pattern) = &self.kinds[found];
            let replaced = pattern.replace_all(&out, |found: &Captures<'_>| {
                let all = found.get(0).map_or("", |m| m.as_str());
                let secret = found.get(1).map_or(all, |m| m.as_str());
                if secret.contains(REPLACED) {
                    return all.to_owned();
                }
                secrets.push(Secret { kind, text: secret.to_owned(), at, len: end - at });
                let begin = found.get(1).map_or(0, |m| m.start()) - found.get(1).map_or(0, |_| start_of(found));
                format!("{}{REPLACED}{kind}]{}", &all[..begin], &all[begin + secret.len()..])
            });
            out = replaced.into_owned();
        }
        PERSONAL.iter().fold(out, |text, kind| {
            let (mut out, mut rest) = (String::new(), text.as_str());
            while let Some(found) = kind.find(rest) {
                secrets.push(Secret { kind: kind.kind, text: rest[found.clone()].to_owned(), at, len: end - at });
                out.push_str(&rest[..found.start]);
                out.push_str(&format!("{REPLACED}{}]", kind.kind));
                rest = &rest[found.end..];
            }
            out + rest
        })
    }
}

fn start_of(found: &Captures<'_>) -> usize {
    found.get(0).map_or(0, |m| m.start())
}

/// A string that is a secret as a whole.
fn redact_string(text: &str, (at, end): (usize, usize), secrets: &mut Vec<Secret>) -> String {
    if text.starts_with(REPLACED) {
        return text.to_owned();
    }
    secrets.push(Secret { kind: "password", text: text.to_owned(), at, len: end - at });
    format!("{REPLACED}password]")
}

/// Whether a text is a JSON object or list.
fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[']) && json::parse(text).is_ok()
}

/// Whether after a key comes a string.
fn is_string(rest: &str) -> bool {
    rest.trim_start().strip_prefix(':').is_some_and(|rest| rest.trim_start().starts_with('"'))
}

/// Where the strings of a JSON text are, quotes included.
pub(super) fn strings(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + memchr::memchr(b'"', bytes.get(at..)?)?;
        let mut end = start + 1;
        loop {
            end += memchr::memchr2(b'"', b'\\', bytes.get(end..)?)?;
            if bytes[end] == b'"' {
                break;
            }
            end += 2;
        }
        at = end + 1;
        Some((start, at))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(record: &str, expect: &str, kinds: &[&str]) {
        let redactor = Redactor::new().unwrap();
        let (out, secrets) = redactor.redact(record).unwrap_or_else(|| (record.to_owned(), Vec::new()));
        assert_eq!(out, expect);
        assert_eq!(secrets.iter().map(|s| s.kind).collect::<Vec<_>>(), kinds, "{record}");
        assert_eq!(redactor.redact(&out), None, "what was replaced is not found again: {out}");
    }

    #[test]
    fn what_checks_find_is_redacted() {
        for shape in SHAPES {
            let text = format!(r#""x {}{}""#, shape.prefix, "aB3dE5gH7".repeat(6));
            check(&text, &format!(r#""x [REDACTED:{}]""#, shape.kind), &[shape.kind]);
        }
        for name in NAMES {
            let text = format!(r#""{name} = aB3dE5gH7jK9mN1pQ2sT4vW6""#);
            check(&text, &format!(r#""{name} = [REDACTED:password]""#), &["password"]);
        }
    }

    #[test]
    fn what_checks_report_of_persons_is_redacted() {
        let redactor = Redactor::new().unwrap();
        for text in [
            "jo.doe+x@mail.uni-x.de",
            "写信给jo@mail.uni-x.de吧",
            "call +49 30 1234-5678 or +49 30 1234-5679",
            "4111 1111 1111 1111, 378282246310005",
            "IBAN: DE89 3704 0044 0532 0130 00, SSN 536-90-4399",
        ] {
            let record = format!("[{}]", json::quote(text));
            assert!(PERSONAL.iter().any(|kind| kind.find(text).is_some()), "{text}");
            let (out, secrets) = redactor.redact(&record).unwrap_or_default();
            assert!(PERSONAL.iter().all(|kind| kind.find(&out).is_none()), "{out}");
            assert!(secrets.iter().all(|secret| text.contains(&secret.text)), "{secrets:?}");
        }
        check(
            r#"["a +49 30 1234567, b","pay 4111 1111 1111 1111 now"]"#,
            r#"["a [REDACTED:phone], b","pay [REDACTED:card] now"]"#,
            &["phone", "card"],
        );
        check(r#""://bot:p@ss9@git.uni-x.de/a""#, r#""://bot:[REDACTED:password]@git.uni-x.de/a""#, &["password"]);
    }

    #[test]
    fn secrets_behind_line_ends_in_arguments_go_and_the_arguments_stay_json() {
        let redactor = Redactor::new().unwrap();
        for shape in SHAPES {
            let key = format!("{}{}", shape.prefix, "aB3dE5gH7".repeat(6));
            for between in [r"\\n", r"\\t", " "] {
                let record = format!(r#"{{"arguments":"{{\"text\": \"x{between}{key}{between}y\"}}"}}"#);
                let (out, secrets) = redactor.redact(&record).unwrap_or_default();
                assert_eq!(secrets.iter().map(|s| s.kind).collect::<Vec<_>>(), [shape.kind], "{record}");
                let root = json::parse(&out).unwrap();
                let inner = json::parse(root.get("arguments").unwrap().as_str().unwrap()).unwrap();
                let text = inner.get("text").unwrap().as_str().unwrap();
                assert!(text.starts_with('x') && text.ends_with('y') && !text.contains("aB3d"), "{text:?}");
            }
        }
        check(
            r#"{"arguments":"{\"t\": \"x\\nann@corp.example.org\\npassword=hunter2hunter2x\\ny\"}"}"#,
            r#"{"arguments":"{\"t\": \"x\\n[REDACTED:email]\\npassword=[REDACTED:password]\\ny\"}"}"#,
            &["email", "password"],
        );
        check(
            r#"{"arguments":"{\"cut\": \"x\\nann@corp.example.org\\npassword=\\\"hunter2hunter2x\\\""}"#,
            r#"{"arguments":"{\"cut\": \"x\\n[REDACTED:email]\\npassword=\\\"[REDACTED:password]\\\""}"#,
            &["email", "password"],
        );
    }

    #[test]
    fn secrets_go_and_all_else_stays() {
        let key = format!("sk-{}", "a1".repeat(20));
        check(r#"{ "a" : 1.0e0,"a":"\u00e9\/" }"#, r#"{ "a" : 1.0e0,"a":"\u00e9\/" }"#, &[]);
        check(
            &format!(r#"{{"x":1.0, "t":"use {key} now"}}"#),
            r#"{"x":1.0, "t":"use [REDACTED:api-key] now"}"#,
            &["api-key"],
        );
        check(r#"["ann\u0040example.org","\/"]"#, r#"["[REDACTED:email]","\/"]"#, &["email"]);
        check(r#"{"bob@x.org":"a@b c@d.e"}"#, r#"{"[REDACTED:email]":"a@b c@d.e"}"#, &["email"]);
        check(r#"{"api_key" : "abcdefgh", "n":1}"#, r#"{"api_key" : "[REDACTED:password]", "n":1}"#, &["password"]);
        check(r#"{"api_key":12345678,"b":"abcdefgh"}"#, r#"{"api_key":12345678,"b":"abcdefgh"}"#, &[]);
        check(
            r#"{"arguments":"{\"db_password\": \"hunter2hunter2\"}"}"#,
            r#"{"arguments":"{\"db_password\": \"[REDACTED:password]\"}"}"#,
            &["password"],
        );
        check(
            r#"{"arguments":"{\"password\": \"hunter2hunter2\"}"}"#,
            r#"{"arguments":"{\"password\": \"[REDACTED:password]\"}"}"#,
            &["password"],
        );
        check(r#""https://ann:pass@x.org/""#, r#""https://ann:[REDACTED:password]@x.org/""#, &["password"]);
        check(
            r#""-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----""#,
            r#""[REDACTED:private-key]""#,
            &["private-key"],
        );
        check(
            r#""curl -H 'Authorization: Bearer abcdefghijklmnop.q' AKIAABCDEFGHIJKLMNOP""#,
            r#""curl -H 'Authorization: Bearer [REDACTED:bearer]' [REDACTED:aws-key]""#,
            &["aws-key", "bearer"],
        );
    }
}
