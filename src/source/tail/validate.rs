//! What a line or a document holds: values, and one error for what is not JSON (TAIL, Output).

use crate::framing::is_space;
use crate::json::{Scan, Scanner};

/// A piece of a line or document.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// A value, and the byte of the text at which it begins.
    Value(usize, &'t str),
    /// No JSON from this byte on: why, and the byte at fault.
    Error(usize, &'static str, usize),
}

/// Reports the values of a text from byte `from` on. Objects and arrays may be one after the other; a number, string or
/// word is alone (`is_alone`: nothing else is on its line). Text after the last good value is one error.
pub(super) fn parts<'t>(text: &'t [u8], from: usize, is_alone: bool, emit: &mut dyn FnMut(Token<'t>)) {
    let mut at = from;
    while let Some(start) = first(text, at) {
        let part = match value(&text[start..]) {
            Ok(len) => Ok((len, &text[start + len..])),
            Err(fault) => Err(fault),
        };
        let is_container = matches!(text[start], b'{' | b'[');
        match part {
            Ok((len, _)) if is_container => {
                emit(checked(text, start, len));
                at = start + len;
            }
            Ok((len, rest)) if is_alone && start == first(text, 0).unwrap_or(start) && is_blank(rest) => {
                emit(checked(text, start, len));
                return;
            }
            Ok((len, _)) => {
                return emit(Token::Error(start, "other text beside a number, string or word", start + len));
            }
            Err((byte, why)) => return emit(Token::Error(start, why, start + byte)),
        }
    }
}

/// Reports the values of a whole document, of any kind; false if it is not one.
pub(super) fn document<'t>(text: &'t [u8], emit: &mut dyn FnMut(usize, &'t str)) -> bool {
    let mut at = 0;
    while let Some(start) = first(text, at) {
        let Ok(len) = value(&text[start..]) else { return false };
        let Ok(value) = std::str::from_utf8(&text[start..start + len]) else { return false };
        emit(start, value);
        at = start + len;
    }
    at > 0
}

/// Why a text is no document, and the byte at fault.
pub(super) fn fault(text: &[u8]) -> (&'static str, usize) {
    let mut at = 0;
    while let Some(start) = first(text, at) {
        match value(&text[start..]) {
            Ok(len) => at = start + len,
            Err((byte, why)) => return (why, start + byte),
        }
    }
    ("there is no value", text.len())
}

/// Whether a text is one or more objects and arrays, all whole (T9).
pub(super) fn is_whole(text: &[u8]) -> bool {
    let mut at = 0;
    while let Some(start) = first(text, at) {
        match value(&text[start..]) {
            Ok(len) if matches!(text[start], b'{' | b'[') => at = start + len,
            _ => return false,
        }
    }
    at > 0
}

/// Whether a whole line is the beginning of a value that goes on after it (T14).
pub(super) fn goes_on(line: &[u8]) -> bool {
    let Some(start) = first(line, 0) else { return false };
    let mut scanner = Scanner::default();
    scanner.feed(&line[start..]) == Scan::More && scanner.feed(b"\n") == Scan::More
}

/// Whether a text that does not parse is lines after all, of which the first was torn: two lines one after the other
/// that are whole values, which no text of one value has; or one that is whole, where what the first line begins does
/// not go on in the next.
pub(super) fn is_lines(text: &[u8]) -> bool {
    let lines = || text.split(|&b| b == b'\n').filter(|line| !is_blank(line));
    if ends_with_first_line(text) && lines().any(is_whole) {
        return true;
    }
    let mut before = false;
    lines().any(|line| {
        let is_value = is_whole(line);
        is_value && std::mem::replace(&mut before, is_value) || {
            before = is_value;
            false
        }
    })
}

/// Whether the second line is no JSON after the first.
fn ends_with_first_line(text: &[u8]) -> bool {
    let mut lines = text.split_inclusive(|&b| b == b'\n').filter(|line| !is_blank(line));
    let (Some(one), Some(two)) = (lines.next(), lines.next()) else { return false };
    let mut scanner = Scanner::default();
    let start = first(one, 0).unwrap_or(0);
    scanner.feed(&one[start..]) == Scan::More && matches!(scanner.feed(two), Scan::Fault(..))
}

/// Whether the first line is a value by itself, with more after it: lines.
pub(super) fn begins_with_line(text: &[u8]) -> bool {
    let start = first_line(text);
    let end = memchr::memchr(b'\n', &text[start..]).map(|n| start + n);
    end.is_some_and(|end| is_whole(&text[start..end]) && !is_blank(&text[end..]))
}

/// Whether there is nothing but white space.
pub(super) fn is_blank(text: &[u8]) -> bool {
    text.iter().all(|&b| is_space(b))
}

fn first_line(text: &[u8]) -> usize {
    let first = first(text, 0).unwrap_or(0);
    memchr::memrchr(b'\n', &text[..first]).map_or(0, |n| n + 1)
}

fn first(text: &[u8], from: usize) -> Option<usize> {
    text.get(from..)?.iter().position(|&b| !is_space(b)).map(|n| from + n)
}

/// Length of the value at the start of a text, or the byte at fault and why.
fn value(text: &[u8]) -> Result<usize, (usize, &'static str)> {
    let mut scanner = Scanner::default();
    match scanner.feed(text) {
        Scan::End(len) => Ok(len),
        Scan::Fault(byte, why) => Err((byte, why)),
        Scan::More => scanner.finish().map(|()| text.len()).map_err(|why| (text.len(), why)),
    }
}

fn checked(text: &[u8], start: usize, len: usize) -> Token<'_> {
    match std::str::from_utf8(&text[start..start + len]) {
        Ok(value) => Token::Value(start, value),
        Err(e) => Token::Error(start, "no UTF-8", start + e.valid_up_to()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn validated_lines(text: &[u8], from: usize, is_alone: bool) -> Vec<String> {
        let mut out = Vec::new();
        parts(text, from, is_alone, &mut |part| {
            out.push(match part {
                Token::Value(at, text) => format!("{at} {text}"),
                Token::Error(at, _, byte) => format!("!{at} {byte}"),
            });
        });
        out
    }

    #[test]
    fn a_line_holds_values_and_at_most_one_error() {
        for (text, expected) in [
            ("", &[][..]),
            (" \t\r", &[]),
            (" {\"a\": 1} \r", &["1 {\"a\": 1}"]),
            ("{}[1]{\"b\":2}", &["0 {}", "2 [1]", "5 {\"b\":2}"]),
            ("12", &["0 12"]),
            (" null ", &["1 null"]),
            ("12 {}", &["!0 2"]),
            ("2026-01-01 INFO {}", &["!0 4"]),
            ("{} 12", &["0 {}", "!3 5"]),
            ("{}} x", &["0 {}", "!2 2"]),
            ("{\"a\":1} {\"b", &["0 {\"a\":1}", "!8 11"]),
            ("Traceback", &["!0 0"]),
        ] {
            assert_eq!(validated_lines(text.as_bytes(), 0, true), expected, "{text}");
        }
        assert_eq!(validated_lines(b"{\"a\":\"\xff\"}", 0, true), ["!0 6"]);
        assert_eq!(validated_lines(b"12", 0, false), ["!0 2"], "a number beside a hole may be cut");
        assert_eq!(validated_lines(b"{} {\"b\":1}", 2, true), ["3 {\"b\":1}"]);
        assert_eq!(validated_lines(b"{} 5", 2, true), ["!3 4"]);
    }

    #[test]
    fn a_document_begins_with_a_line_that_goes_on() {
        for (line, expected) in
            [("{", true), ("[1,", true), ("{\"a\":", true), ("12", false), ("{}", false), ("{\"a", false), ("x", false)]
        {
            assert_eq!(goes_on(line.as_bytes()), expected, "{line}");
        }
        assert!(is_lines(b"{\"torn\":\n{}\n{\"a\":1}\n") && !is_lines(b"[\n {},\n {}\n]\n"));
        assert!(is_lines(b"{\"torn\":{}\n{}\n") && is_lines(b"\n[1\r\n\r\n5\r\n[2]"));
        assert!(!is_lines(b"{\"a\":{}\n\"b\"\n") && !is_lines(b"[\n{}\n") && !is_lines(b"{\"a\":1,\n{\"b\":"));
        assert!(begins_with_line(b"\n{}\n{}") && !begins_with_line(b"{}\n") && !begins_with_line(b"{\n}\n{}"));
    }
}
