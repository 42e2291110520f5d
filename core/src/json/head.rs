//! The beginning of a JSON text, closed so that it can be read.

/// Closes a JSON text that was cut off at any byte: an open string and the open containers end, a key without value, a
/// half escape and a half number or word are left out. A whole text comes back as it is; of what says nothing yet comes
/// `null`. A text that is not JSON before the cut gives one that is not JSON either.
#[must_use]
pub fn head(text: &str) -> String {
    let mut scan = Scan::default();
    let bytes = text.as_bytes();
    while scan.at < bytes.len() {
        scan.token(bytes);
    }
    let safe = &text[..scan.safe];
    if scan.safe == 0 {
        return "null".to_owned();
    }
    let mut out = String::with_capacity(scan.safe + scan.open.len() + 1);
    out.push_str(safe);
    if scan.in_string {
        out.push('"');
    }
    out.extend(scan.open.iter().rev().map(|&c| if c == b'{' { '}' } else { ']' }));
    out
}

/// Where the scan is, and up to where the text is complete.
#[derive(Default)]
struct Scan {
    at: usize,
    safe: usize,
    open: Vec<u8>,
    is_key: bool,
    in_string: bool,
}

impl Scan {
    fn token(&mut self, bytes: &[u8]) {
        match bytes[self.at] {
            c @ (b'{' | b'[') => {
                self.open.push(c);
                self.is_key = c == b'{';
                self.step_over();
            }
            b'}' | b']' => {
                self.open.pop();
                self.is_key = false;
                self.step_over();
            }
            b',' => {
                self.is_key = self.open.last() == Some(&b'{');
                self.at += 1;
            }
            b':' => {
                self.is_key = false;
                self.at += 1;
            }
            b'"' => self.string(bytes),
            b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
            _ => self.word(bytes),
        }
    }

    fn step_over(&mut self) {
        self.at += 1;
        self.safe = self.at;
    }

    /// A number or word: whole only where something follows it.
    fn word(&mut self, bytes: &[u8]) {
        let is_end = |b: &u8| matches!(b, b',' | b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n' | b':' | b'"');
        match bytes[self.at..].iter().position(is_end) {
            Some(len) => {
                self.at += len;
                self.safe = self.at;
            }
            None => {
                let is_word = matches!(&bytes[self.at..], b"true" | b"false" | b"null");
                self.at = bytes.len();
                if is_word || self.open.is_empty() {
                    self.safe = self.at;
                }
            }
        }
    }

    /// A string: of one cut off, what precedes the first half character.
    fn string(&mut self, bytes: &[u8]) {
        let mut at = self.at + 1;
        let mut whole = at;
        loop {
            match memchr::memchr2(b'"', b'\\', &bytes[at..]) {
                None => {
                    whole = bytes.len();
                    break;
                }
                Some(i) if bytes[at + i] == b'"' => {
                    self.at = at + i + 1;
                    if !self.is_key {
                        self.safe = self.at;
                    }
                    return;
                }
                Some(i) => {
                    at += i;
                    let len = escape_len(&bytes[at..]);
                    if at + len > bytes.len() {
                        whole = at.max(whole);
                        break;
                    }
                    at += len;
                    whole = at;
                }
            }
        }
        self.at = bytes.len();
        if !self.is_key {
            self.safe = whole;
            self.in_string = true;
        }
    }
}

/// Bytes that an escape takes once it is whole; the first half of a surrogate pair takes the second with it.
fn escape_len(rest: &[u8]) -> usize {
    match rest {
        [_, b'u', b'd' | b'D', b'8' | b'9' | b'a' | b'A' | b'b' | b'B', _, _, rest @ ..] if !is_other(rest) => 12,
        [_, b'u', ..] => 6,
        _ => 2,
    }
}

/// Whether what follows cannot be a `\u` escape.
fn is_other(rest: &[u8]) -> bool {
    !(b"\\u".starts_with(rest) || rest.starts_with(b"\\u"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{compact, parse, parse_lenient};

    #[test]
    fn every_prefix_of_a_text_can_be_read() {
        let text = r#" {"a":[1,-2.5e3,{"k \"x":"v\n\u00e9\ud83d\ude00 é"}],"b":true,"":{},"c":"日本","d":null} "#;
        for (end, _) in text.char_indices() {
            let closed = head(&text[..end]);
            assert!(parse(&closed).is_ok(), "{:?} became {closed:?}", &text[..end]);
        }
        assert_eq!(compact(&parse(&head(text)).unwrap()), compact(&parse(text).unwrap()));
    }

    #[test]
    fn keeps_what_is_whole() {
        for (cut, expect) in [
            ("{\"a\":\"xy", "{\"a\":\"xy\"}"),
            ("{\"a\":1,\"b", "{\"a\":1}"),
            ("{\"a\":1,\"b\":", "{\"a\":1}"),
            ("[12", "[]"),
            ("[12,tru", "[12]"),
            ("\"ab\\u00", "\"ab\""),
            ("", "null"),
            ("12", "12"),
        ] {
            assert_eq!(head(cut), expect);
        }
        let lone = head("[\"a\\ud800 and more");
        assert_eq!(compact(&parse_lenient(&lone).unwrap()), "[\"a\u{FFFD} and more\"]");
    }
}
