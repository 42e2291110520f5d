//! A recogniser of JSON texts that takes its input in pieces: where a value ends, or at which byte it stops being one.
//!
//! It agrees with [`parse`](super::parse) on what is JSON (UTF-8, surrogates and control characters included) and needs
//! one bit for each open container, so neither a value of many gigabytes nor one nested 100,000 deep costs memory or
//! stack. It keeps no values: what a record says is known when it is parsed.

use super::strings::{escaped, inside};

/// What is said of a text that is nested deeper than is followed.
pub const TOO_DEEP: &str = "nested too deep";

/// Open containers that a [`Scanner`] follows by default; a text nested deeper is a fault. Bounds memory to 2 MiB.
pub const SCAN_DEPTH_MAX: usize = 1 << 24;

/// What a piece of text brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scan {
    /// All is taken, the value goes on.
    More,
    /// The value ends before this byte of the piece.
    End(usize),
    /// No JSON from this byte of the piece on, and why.
    Fault(usize, &'static str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Value,
    FirstElement,
    FirstKey,
    Key,
    Colon,
    After,
    Text,
    /// A character of more than one byte, cut by the end of a piece.
    Char([u8; 4], u8),
    Escape,
    /// Hex digits of an escape: how many came, their value, whether a low surrogate must come out.
    Hex(u8, u32, bool),
    /// A high surrogate precedes: `\` must follow.
    LowEscape,
    /// Then `u`.
    LowLetter,
    Minus,
    Zero,
    Int,
    Point,
    Fraction,
    Exponent,
    ExponentSign,
    ExponentDigits,
    Word(&'static [u8]),
}

enum Step {
    Taken,
    Again,
    End,
    EndBefore,
}

/// Follows one value, which must begin at the first byte it is fed.
#[derive(Debug, Clone)]
pub struct Scanner {
    state: State,
    is_key: bool,
    depth: usize,
    depth_max: usize,
    /// Whether a lone surrogate escape is text.
    takes_surrogates: bool,
    /// One bit a level: whether it is an object.
    levels: Vec<u64>,
    /// Bytes of earlier pieces.
    taken: usize,
    /// After this many bytes, at this depth, the text can be closed into a value ([`closed`]).
    closable: Option<(usize, usize)>,
}

impl Default for Scanner {
    fn default() -> Self {
        Self::new(SCAN_DEPTH_MAX)
    }
}

impl Scanner {
    /// A scanner at the first byte of a value. Containers nested deeper than `depth_max` are a fault.
    #[must_use]
    pub fn new(depth_max: usize) -> Self {
        Self {
            state: State::Value,
            is_key: false,
            depth: 0,
            depth_max,
            takes_surrogates: false,
            levels: Vec::new(),
            taken: 0,
            closable: None,
        }
    }

    /// The same, for which a lone surrogate escape is text, as [`parse_lenient`](super::parse_lenient) reads it.
    #[must_use]
    pub fn lenient(self) -> Self {
        Self { takes_surrogates: true, ..self }
    }

    /// Takes the next piece. After `End` and `Fault` the scanner is used up.
    pub fn feed(&mut self, piece: &[u8]) -> Scan {
        let mut at = 0;
        while at < piece.len() {
            if self.state == State::Text {
                match self.text(piece, at) {
                    Ok((next, false)) => at = next,
                    Ok((next, true)) => return Scan::End(next),
                    Err((byte, why)) => return Scan::Fault(byte, why),
                }
                continue;
            }
            match self.step(piece[at], at) {
                Ok(Step::Taken) => at += 1,
                Ok(Step::Again) => {}
                Ok(Step::End) => return Scan::End(at + 1),
                Ok(Step::EndBefore) => return Scan::End(at),
                Err(why) => return Scan::Fault(at, why),
            }
        }
        self.taken += piece.len();
        Scan::More
    }

    /// The text ends here: whether the value is whole (only a number is not known by its own last byte).
    ///
    /// # Errors
    /// Why not.
    pub fn finish(&self) -> Result<(), &'static str> {
        match self.state {
            State::Zero | State::Int | State::Fraction | State::ExponentDigits if self.depth == 0 => Ok(()),
            _ => Err("the text ends before its value does"),
        }
    }

    /// The inside of a string from `at` on: the next byte to look at, and whether the whole value ends there.
    fn text(&mut self, piece: &[u8], at: usize) -> Result<(usize, bool), (usize, &'static str)> {
        let at = at + inside(&piece[at..]);
        match piece.get(at) {
            None => Ok((at, false)),
            Some(b'"') if self.is_key => {
                self.is_key = false;
                self.state = State::Colon;
                Ok((at + 1, false))
            }
            Some(b'"') => Ok((at + 1, self.ends_text(at + 1))),
            Some(b'\\') => {
                self.state = State::Escape;
                Ok((at + 1, false))
            }
            Some(..0x20) => Err((at, "a control character in a string")),
            Some(_) => self.chars(&piece[at..]).map(|n| (at + n, false)).map_err(|n| (at + n, NOT_UTF8)),
        }
    }

    /// A run of bytes beyond ASCII: its length, or the byte that makes it no UTF-8.
    fn chars(&mut self, piece: &[u8]) -> Result<usize, usize> {
        let run = piece.iter().position(u8::is_ascii).unwrap_or(piece.len());
        let Err(e) = std::str::from_utf8(&piece[..run]) else { return Ok(run) };
        let valid = e.valid_up_to();
        if e.error_len().is_some() || run < piece.len() {
            // The first byte that cannot be right, which is the same however the pieces are cut.
            let is_cut =
                |end: &usize| std::str::from_utf8(&piece[valid..=*end]).is_err_and(|e| e.error_len().is_none());
            return Err((valid..run).find(|end| !is_cut(end)).unwrap_or(run));
        }
        let mut cut = [0; 4];
        cut[..run - valid].copy_from_slice(&piece[valid..run]);
        self.state = State::Char(cut, u8::try_from(run - valid).unwrap_or(u8::MAX));
        Ok(run)
    }

    /// One byte outside of plain text.
    fn step(&mut self, byte: u8, at: usize) -> Result<Step, &'static str> {
        if matches!(byte, b' ' | b'\t' | b'\r' | b'\n') && self.skips_space() {
            return Ok(Step::Taken);
        }
        match self.state {
            State::FirstElement if byte == b']' => Ok(self.close(at)),
            State::Value | State::FirstElement => self.value(byte, at),
            State::FirstKey if byte == b'}' => Ok(self.close(at)),
            State::FirstKey | State::Key if byte == b'"' => {
                self.is_key = true;
                Ok(self.becomes(State::Text))
            }
            State::FirstKey => Err("expected a key or `}`"),
            State::Key => Err("expected a key"),
            State::Colon if byte == b':' => Ok(self.becomes(State::Value)),
            State::Colon => Err("expected `:`"),
            State::After => self.after(byte, at),
            State::Text => Ok(Step::Again),
            State::Char(cut, len) => self.char_continued(cut, len, byte),
            State::Escape if escaped(byte) != 0 => Ok(self.becomes(State::Text)),
            State::Escape if byte == b'u' => Ok(self.becomes(State::Hex(0, 0, false))),
            State::Escape => Err("no such escape"),
            State::Hex(count, value, is_low) => self.hex(count, value, is_low, byte),
            State::LowEscape if byte == b'\\' => Ok(self.becomes(State::LowLetter)),
            State::LowLetter if byte == b'u' => Ok(self.becomes(State::Hex(0, 0, true))),
            State::LowEscape | State::LowLetter if self.takes_surrogates => {
                self.state = if self.state == State::LowEscape { State::Text } else { State::Escape };
                Ok(Step::Again)
            }
            State::LowEscape | State::LowLetter => Err(LONE_SURROGATE),
            State::Word([first, rest @ ..]) if *first == byte => match rest {
                [] => Ok(self.finish_value(at + 1)),
                _ => Ok(self.becomes(State::Word(rest))),
            },
            State::Word(_) => Err(NO_WORD),
            _ => self.number(byte, at),
        }
    }

    fn skips_space(&self) -> bool {
        use State::{After, Colon, FirstElement, FirstKey, Key, Value};
        matches!(self.state, Value | FirstElement | FirstKey | Key | Colon | After)
    }

    fn becomes(&mut self, state: State) -> Step {
        self.state = state;
        Step::Taken
    }

    fn value(&mut self, byte: u8, at: usize) -> Result<Step, &'static str> {
        let state = match byte {
            b'{' => return self.open(true, at),
            b'[' => return self.open(false, at),
            b'"' => State::Text,
            b'-' => State::Minus,
            b'0' => State::Zero,
            b'1'..=b'9' => State::Int,
            b't' => State::Word(b"rue"),
            b'f' => State::Word(b"alse"),
            b'n' => State::Word(b"ull"),
            _ => return Err(NO_VALUE),
        };
        Ok(self.becomes(state))
    }

    fn open(&mut self, is_object: bool, at: usize) -> Result<Step, &'static str> {
        if self.depth >= self.depth_max {
            return Err(TOO_DEEP);
        }
        let (word, bit) = (self.depth / 64, 1 << (self.depth % 64));
        if word == self.levels.len() {
            self.levels.push(0);
        }
        self.levels[word] = if is_object { self.levels[word] | bit } else { self.levels[word] & !bit };
        self.depth += 1;
        self.closable = Some((self.taken + at + 1, self.depth));
        Ok(self.becomes(if is_object { State::FirstKey } else { State::FirstElement }))
    }

    fn is_object(&self, level: usize) -> bool {
        self.levels[level / 64] & (1 << (level % 64)) != 0
    }

    fn after(&mut self, byte: u8, at: usize) -> Result<Step, &'static str> {
        match (self.is_object(self.depth - 1), byte) {
            (true, b',') => Ok(self.becomes(State::Key)),
            (false, b',') => Ok(self.becomes(State::Value)),
            (true, b'}') | (false, b']') => Ok(self.close(at)),
            (true, _) => Err("expected `,` or `}`"),
            (false, _) => Err("expected `,` or `]`"),
        }
    }

    fn close(&mut self, at: usize) -> Step {
        self.depth -= 1;
        self.finish_value(at + 1)
    }

    fn finish_value(&mut self, end: usize) -> Step {
        if self.ends_text(end) { Step::End } else { Step::Taken }
    }

    fn ends_text(&mut self, end: usize) -> bool {
        self.state = State::After;
        self.closable = Some((self.taken + end, self.depth));
        self.depth == 0
    }

    fn char_continued(&mut self, mut cut: [u8; 4], len: u8, byte: u8) -> Result<Step, &'static str> {
        let Some(slot) = cut.get_mut(len as usize) else { return Err(NOT_UTF8) };
        *slot = byte;
        match std::str::from_utf8(&cut[..=len as usize]) {
            Ok(_) => Ok(self.becomes(State::Text)),
            Err(e) if e.error_len().is_none() => Ok(self.becomes(State::Char(cut, len + 1))),
            Err(_) => Err(NOT_UTF8),
        }
    }

    fn hex(&mut self, count: u8, value: u32, is_low: bool, byte: u8) -> Result<Step, &'static str> {
        let digit = (byte as char).to_digit(16).ok_or("expected four hex digits")?;
        let value = value << 4 | digit;
        if count < 3 {
            return Ok(self.becomes(State::Hex(count + 1, value, is_low)));
        }
        match value {
            0xD800..=0xDBFF if !is_low => Ok(self.becomes(State::LowEscape)),
            0xDC00..=0xDFFF if is_low => Ok(self.becomes(State::Text)),
            0xD800..=0xDBFF if self.takes_surrogates => Ok(self.becomes(State::LowEscape)),
            0xD800..=0xDFFF if !self.takes_surrogates => Err(LONE_SURROGATE),
            _ if is_low && !self.takes_surrogates => Err(LONE_SURROGATE),
            _ => Ok(self.becomes(State::Text)),
        }
    }

    fn number(&mut self, byte: u8, at: usize) -> Result<Step, &'static str> {
        use State::{Exponent, ExponentDigits, ExponentSign, Fraction, Int, Minus, Point, Zero};
        let next = match (self.state, byte) {
            (Minus, b'0') => Zero,
            (Minus | Int, b'1'..=b'9') | (Int, b'0') => Int,
            (Zero | Int, b'.') => Point,
            (Point | Fraction, b'0'..=b'9') => Fraction,
            (Zero | Int | Fraction, b'e' | b'E') => Exponent,
            (Exponent, b'+' | b'-') => ExponentSign,
            (Exponent | ExponentSign | ExponentDigits, b'0'..=b'9') => ExponentDigits,
            (Zero | Int | Fraction | ExponentDigits, _) => {
                return Ok(if self.ends_text(at) { Step::EndBefore } else { Step::Again });
            }
            _ => return Err("no number"),
        };
        Ok(self.becomes(next))
    }
}

pub(super) const NO_VALUE: &str = "no value begins like this";
pub(super) const NO_WORD: &str = "a word that is not true, false or null";
const NOT_UTF8: &str = "bytes that are not UTF-8";
pub(super) const LONE_SURROGATE: &str = "a lone surrogate escape, which is no character";

/// The beginning of a value, closed after its last whole part so that it can be parsed: what a record that is longer
/// than the bytes at hand says at its beginning. None if the text is no beginning of an object or array.
#[must_use]
pub fn closed(beginning: &[u8]) -> Option<Vec<u8>> {
    let mut scanner = Scanner::default().lenient();
    match scanner.feed(beginning) {
        Scan::End(end) => return Some(beginning[..end].to_vec()),
        Scan::Fault(..) => return None,
        Scan::More => {}
    }
    let (end, depth) = scanner.closable?;
    let mut text = beginning[..end].to_vec();
    text.extend((0..depth).rev().map(|level| if scanner.is_object(level) { b'}' } else { b']' }));
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Data, parse, parse_lenient};

    fn scan_text(text: &[u8]) -> Result<usize, usize> {
        scanned(Scanner::default(), text)
    }

    fn scanned(mut s: Scanner, text: &[u8]) -> Result<usize, usize> {
        match s.feed(text) {
            Scan::End(n) => Ok(n),
            Scan::Fault(n, _) => Err(n),
            Scan::More => s.finish().map(|()| text.len()).map_err(|_| text.len()),
        }
    }

    fn in_pieces(text: &[u8], size: usize) -> Result<usize, usize> {
        let mut s = Scanner::default();
        for (i, piece) in text.chunks(size).enumerate() {
            match s.feed(piece) {
                Scan::End(n) => return Ok(i * size + n),
                Scan::Fault(n, _) => return Err(i * size + n),
                Scan::More => {}
            }
        }
        s.finish().map(|()| text.len()).map_err(|_| text.len())
    }

    const GOOD: &[&str] = &[
        "{}",
        "[]",
        "0",
        "-0.10e+7",
        "1E400",
        "\"\"",
        "null",
        "true",
        "[false,{\"a\" : [ ] , \"b\":{}}\n]",
        "\"\\ud83d\\ude00 \\u00e9 \u{e9}\u{7f} 数据 🚀 0123456789abcdef\"",
        "{\"a\\\"b\":\"\\\\\",\"a\\\"b\":1.5}",
    ];

    #[test]
    fn agrees_with_the_parser_on_every_change_of_a_byte() {
        for good in GOOD {
            for at in 0..good.len() {
                for byte in [b' ', b'"', b'\\', b',', b']', b'}', b'{', b'0', b'x', b'u', b'd', 0, 0x1f, 0xff, 0xc3] {
                    let mut text = good.as_bytes().to_vec();
                    text[at] = byte;
                    let text = text.trim_ascii();
                    let is_json = std::str::from_utf8(text).is_ok_and(|t| parse(t).is_ok());
                    let found = scan_text(text);
                    let shown = String::from_utf8_lossy(text);
                    let is_lenient = std::str::from_utf8(text).is_ok_and(|t| parse_lenient(t).is_ok());
                    let lenient = scanned(Scanner::default().lenient(), text);
                    assert_eq!(lenient == Ok(text.len()) && !text.is_empty(), is_lenient, "{shown}: {lenient:?}");
                    assert_eq!(found == Ok(text.len()) && !text.is_empty(), is_json, "{shown}: {found:?}");
                    for size in 1..5 {
                        assert_eq!(in_pieces(text, size), found, "{shown} in {size}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_lone_surrogate_escape_is_text_where_that_is_asked_for() {
        let lone = |text: &str| scanned(Scanner::default().lenient(), text.as_bytes());
        for text in [r#""\ud800""#, r#""\ud800\n""#, r#""\ud800\ud800\udc00""#, r#""\udc00x""#, r#""\ud800\u0041""#] {
            assert_eq!((lone(text), scan_text(text.as_bytes()).is_ok()), (Ok(text.len()), false), "{text}");
            assert!(parse_lenient(text).is_ok(), "{text}");
        }
        for text in [r#""\ud800\x""#, r#""\ud800\u00""#, r#""\ud8""#] {
            assert!(lone(text).is_err(), "{text}");
        }
    }

    #[test]
    fn ends_where_the_value_ends() {
        for (text, end) in [("{} x", 2), ("12,", 2), ("\"a\"]", 3), ("[[1],[2]]]", 9), ("true1", 4), ("01", 1)] {
            assert_eq!(scan_text(text.as_bytes()), Ok(end), "{text}");
        }
        for (text, byte) in [("{\"a\": nul}", 9), ("[1,\n 2,\n ]", 9), ("\"\\ud800\"", 7), ("[1 2]", 3), ("{\"a", 3)] {
            assert_eq!(scan_text(text.as_bytes()), Err(byte), "{text}");
        }
    }

    #[test]
    fn depth_is_bounded_not_recursed() {
        let text = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(scan_text(text.as_bytes()), Ok(200_000));
        assert_eq!(Scanner::new(3).feed(b"[[[[]]]]"), Scan::Fault(3, "nested too deep"));
    }

    #[test]
    fn a_beginning_is_closed_behind_its_last_whole_part() {
        let text = "{\"a\":[{\"b\":1},{\"c\":\"long \u{e9}\"}],\"d\":{\"e\":[1,2]}}";
        for cut in 1..text.len() {
            let closed = closed(&text.as_bytes()[..cut]).unwrap();
            let value = String::from_utf8(closed).unwrap();
            assert!(matches!(parse(&value).unwrap().data, Data::Object(_)), "{value}");
        }
        assert_eq!(closed(b"{\"a\":[{\"b\":1},{\"c\":\"x").unwrap(), b"{\"a\":[{\"b\":1},{}]}");
        assert_eq!(closed(b"{\"a\" 1"), None);
    }
}
