//! The first records of a JSON text of any size, cut down to what gives its shape: long strings and arrays are cut, all
//! members stay.
//!
//! An [`Outliner`] is fed the text in pieces and keeps at most a megabyte of it. What identifies a format may follow
//! megabytes of other members, so it goes over them without keeping them. It checks nothing: what it keeps of a text
//! that is not valid JSON does not parse either.

use super::head;

/// Records that are kept.
const RECORDS_MAX: usize = 20;

/// Bytes of text that are kept, over all records.
const TEXT_MAX_BYTES: usize = 1 << 20;

/// Elements of an array inside a record that are kept.
const ELEMENTS_MAX: u32 = 4;

/// Members of an object that are kept.
const MEMBERS_MAX: u32 = 256;

/// Bytes of a string that are kept.
const STRING_MAX_BYTES: usize = 240;

/// Levels that are kept.
const DEPTH_MAX: usize = 32;

/// Bytes of text without JSON before the first record, in which lines that begin with `data:` are looked for.
const PROSE_MAX_BYTES: u64 = 1 << 16;

/// How records are in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OutlineLayout {
    /// One value after the other: JSON Lines, or one document.
    #[default]
    Values,
    /// The elements of one array.
    Elements,
    /// The `data:` lines of a stream of server-sent events.
    EventStream,
}

/// What is known of a text so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outline {
    /// How its records are in it.
    pub layout: OutlineLayout,
    /// The first records, cut down; of one that goes on, the closed beginning.
    pub records: Vec<String>,
}

/// Follows a text and keeps its outline.
#[derive(Debug, Default)]
pub struct Outliner {
    layout: OutlineLayout,
    records: Vec<String>,
    /// The record that goes on.
    text: Vec<u8>,
    /// Bytes of finished records.
    finished_bytes: usize,
    place: Position,
    levels: Vec<Level>,
    /// Open containers that are left out, and those inside them.
    hidden: usize,
    /// The line so far, before the first record.
    line: LineStart,
    /// Bytes before the first record.
    prose: u64,
    /// Whether the first line is over.
    is_past_first_line: bool,
    are_lines: bool,
    /// A record goes over the end of a line, so that lines are not records.
    is_document: bool,
    is_done: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Position {
    /// Before the first byte of a text or line that says what it is.
    #[default]
    Start,
    /// In a line that is not valid JSON.
    Prose,
    /// Outside of strings.
    Json,
    /// In a string.
    Text(TextPosition),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct TextPosition {
    /// Bytes that are kept.
    retained_bytes: usize,
    escape: Escape,
    /// Whether the rest is left out.
    is_cut: bool,
}

/// What comes next of an escape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Escape {
    #[default]
    None,
    Letter,
    Digits(u8),
}

impl Escape {
    fn after(self, byte: u8) -> Self {
        match self {
            Self::Letter if byte == b'u' => Self::Digits(4),
            Self::Digits(n @ 2..) => Self::Digits(n - 1),
            _ => Self::None,
        }
    }
}

/// The first bytes of a line, without the space before them.
#[derive(Debug, Default)]
struct LineStart {
    bytes: [u8; 5],
    len: usize,
    /// The last byte that is no space.
    last: u8,
}

#[derive(Debug)]
struct Level {
    is_array: bool,
    /// Elements or members begun before this one.
    before: u32,
}

impl Level {
    fn is_full(&self) -> bool {
        self.before >= if self.is_array { ELEMENTS_MAX } else { MEMBERS_MAX }
    }
}

impl Outliner {
    /// Takes the next piece; returns whether more of the text is of use.
    pub fn feed(&mut self, piece: &[u8]) -> bool {
        let mut at = 0;
        while let Some(&byte) = piece.get(at)
            && !self.is_done
        {
            at += match self.place {
                Position::Start | Position::Prose => self.before_json(byte),
                Position::Json => self.structure(byte),
                Position::Text(text) => self.in_text(piece.get(at..).unwrap_or_default(), text),
            };
        }
        !self.is_done
    }

    /// What is known so far.
    #[must_use]
    pub fn outline(&self) -> Outline {
        let mut records = self.records.clone();
        if !self.text.is_empty() && records.len() < RECORDS_MAX {
            let text = String::from_utf8_lossy(&self.text);
            records.push(head(text.trim_end_matches('\u{FFFD}')));
        }
        Outline { layout: self.layout, records }
    }

    /// Takes one byte before the first record or in a line without one; returns how many bytes are dealt with.
    fn before_json(&mut self, byte: u8) -> usize {
        self.prose += 1;
        self.is_done |= self.prose > PROSE_MAX_BYTES;
        if byte == b'\n' {
            // A document may begin at the end of what its writer says before it.
            let is_document = !std::mem::replace(&mut self.is_past_first_line, true) && self.line.last == b'{';
            (self.line, self.place) = (LineStart::default(), Position::Start);
            if is_document {
                (self.place, self.is_document) = (Position::Json, true);
                self.open(b'{');
            }
            return 1;
        }
        if self.place == Position::Start && self.line.len == 0 {
            match byte {
                b'{' | b'"' => {
                    self.place = Position::Json;
                    return 0;
                }
                b'[' if self.records.is_empty() => {
                    (self.place, self.layout) = (Position::Json, OutlineLayout::Elements);
                    return 1;
                }
                // White space, and the byte order mark.
                b' ' | b'\t' | b'\r' | 0xef | 0xbb | 0xbf => return 1,
                _ => {}
            }
        }
        self.place = Position::Prose;
        if !matches!(byte, b' ' | b'\t' | b'\r') {
            self.line.last = byte;
        }
        if let Some(slot) = self.line.bytes.get_mut(self.line.len) {
            *slot = byte;
            self.line.len += 1;
            if self.line.len == 5 && &self.line.bytes == b"data:" {
                (self.place, self.layout, self.are_lines) = (Position::Json, OutlineLayout::EventStream, true);
            }
        }
        1
    }

    fn is_shown(&self) -> bool {
        self.hidden == 0 && !self.levels.last().is_some_and(Level::is_full)
    }

    fn keep(&mut self, byte: u8) {
        if self.is_shown() {
            self.text.push(byte);
        }
    }

    fn structure(&mut self, byte: u8) -> usize {
        match byte {
            b'"' => {
                self.keep(byte);
                self.place = Position::Text(TextPosition { is_cut: !self.is_shown(), ..TextPosition::default() });
            }
            b'{' | b'[' => self.open(byte),
            b'}' | b']' => self.close(byte),
            b',' => self.comma(),
            b'\n' => self.newline(),
            b' ' | b'\t' | b'\r' => self.end_word(),
            _ => self.keep(byte),
        }
        1
    }

    fn open(&mut self, byte: u8) {
        if !self.is_shown() || self.levels.len() >= DEPTH_MAX {
            // A container that is left out for its depth leaves `null`.
            if self.is_shown() {
                self.text.extend(b"null");
            }
            self.hidden += 1;
            return;
        }
        self.text.push(byte);
        self.levels.push(Level { is_array: byte == b'[', before: 0 });
    }

    fn close(&mut self, byte: u8) {
        if self.hidden > 0 {
            self.hidden -= 1;
        } else if self.levels.pop().is_some() {
            self.text.push(byte);
            self.end_value();
        } else {
            // The array of the records ends.
            self.end_record();
            self.is_done = true;
        }
    }

    fn comma(&mut self) {
        if self.hidden > 0 {
            return;
        }
        match self.levels.last_mut() {
            Some(level) => {
                level.before = level.before.saturating_add(1);
                self.keep(b',');
            }
            None => self.end_record(),
        }
    }

    /// White space ends a number or word that is a record.
    fn end_word(&mut self) {
        if self.levels.is_empty() && self.hidden == 0 {
            self.end_value();
        }
    }

    fn newline(&mut self) {
        self.end_word();
        let is_between = self.levels.is_empty() && self.hidden == 0;
        if self.are_lines && !is_between {
            self.drop_record();
        }
        if self.layout == OutlineLayout::Values && !self.is_document {
            self.are_lines |= is_between && !self.records.is_empty();
            self.is_document = !self.are_lines && !is_between;
        }
        if self.are_lines {
            (self.line, self.place) = (LineStart::default(), Position::Start);
        }
    }

    /// A line broke off: what there was of its record goes.
    fn drop_record(&mut self) {
        self.text.clear();
        self.levels.clear();
        self.hidden = 0;
    }

    fn end_value(&mut self) {
        if self.levels.is_empty() {
            self.end_record();
        }
        self.is_done |= self.finished_bytes + self.text.len() > TEXT_MAX_BYTES;
    }

    fn end_record(&mut self) {
        if self.text.is_empty() {
            return;
        }
        self.finished_bytes += self.text.len();
        self.prose = 0;
        let text = std::mem::take(&mut self.text);
        self.records
            .push(String::from_utf8(text).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()));
        self.is_done |= self.records.len() >= RECORDS_MAX;
    }

    /// Takes what it can of the inside of a string; returns how many bytes.
    fn in_text(&mut self, rest: &[u8], text: TextPosition) -> usize {
        let Some(&byte) = rest.first() else { return 1 };
        if text.escape != Escape::None {
            self.text_byte(byte, TextPosition { escape: text.escape.after(byte), ..text });
            return 1;
        }
        let is_full = text.retained_bytes >= STRING_MAX_BYTES;
        match byte {
            b'"' => self.end_text(),
            b'\\' => {
                self.text_byte(byte, TextPosition { escape: Escape::Letter, is_cut: text.is_cut || is_full, ..text });
            }
            b'\n' => {
                // No string goes over the end of a line.
                self.drop_record();
                self.place = Position::Json;
                self.newline();
            }
            _ if text.is_cut => return memchr::memchr3(b'"', b'\\', b'\n', rest).unwrap_or(rest.len()),
            // Not between the bytes of one character.
            _ => self.text_byte(byte, TextPosition { is_cut: is_full && byte & 0xc0 != 0x80, ..text }),
        }
        1
    }

    fn text_byte(&mut self, byte: u8, text: TextPosition) {
        if !text.is_cut {
            self.text.push(byte);
        }
        self.place =
            Position::Text(TextPosition { retained_bytes: text.retained_bytes + usize::from(!text.is_cut), ..text });
    }

    fn end_text(&mut self) {
        self.keep(b'"');
        self.place = Position::Json;
        if self.levels.is_empty() && self.hidden == 0 && self.layout != OutlineLayout::Elements {
            self.end_value();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;
    use OutlineLayout::{Elements, EventStream, Values};

    fn outline(text: &str, size: usize) -> Outline {
        let mut outliner = Outliner::default();
        for piece in text.as_bytes().chunks(size) {
            if !outliner.feed(piece) {
                break;
            }
        }
        outliner.outline()
    }

    fn check(text: &str, layout: OutlineLayout, records: &[&str]) {
        for size in [1, 3, 7, usize::MAX >> 1] {
            let outline = outline(text, size);
            assert_eq!((outline.layout, outline.records.as_slice()), (layout, &records.map_to_strings()[..]), "{text}");
        }
    }

    trait Texts {
        fn map_to_strings(&self) -> Vec<String>;
    }

    impl Texts for [&str] {
        fn map_to_strings(&self) -> Vec<String> {
            self.iter().map(|text| (*text).to_owned()).collect()
        }
    }

    #[test]
    fn records_of_lines_arrays_documents_and_event_streams() {
        check("{\"a\":1}\n{\"b\": [2]}\n", Values, &["{\"a\":1}", "{\"b\":[2]}"]);
        check("[ {\"a\":1}, 2 ,\"x\", [3]]", Elements, &["{\"a\":1}", "2", "\"x\"", "[3]"]);
        check("\u{feff} {\n \"a\" : 1,\n \"b\":{}\n}\n{\n\"c\":1\n}", Values, &["{\"a\":1,\"b\":{}}", "{\"c\":1}"]);
        check("# title\nevent: x\ndata: {\"a\":1}\n\nid: 1\ndata:[2]\n", EventStream, &["{\"a\":1}", "[2]"]);
        check("{\"a\":1}{\"b\":1}\n\"text\"\n", Values, &["{\"a\":1}", "{\"b\":1}", "\"text\""]);
        check("", Values, &[]);
        check("no JSON\nat all", Values, &[]);
        check("Exporting: x{\r\n \"a\": {\n\"b\":1}\n}\n", Values, &["{\"a\":{\"b\":1}}"]);
        check("one\ntwo {\n{\"c\":1}\n", Values, &["{\"c\":1}"]);
    }

    #[test]
    fn a_line_that_breaks_off_costs_itself_only() {
        check("{\"a\":1}\n{\"b\":[\n{\"c\":1}\n", Values, &["{\"a\":1}", "{\"c\":1}"]);
        check("{\"a\":\"half\n{\"c\":1}\n", Values, &["{\"c\":1}"]);
        check("f of a line\"}\n{\"c\":1}\n", Values, &["{\"c\":1}"]);
        check("{\"a\":1}\n17 {\"b\":1}\n{\"c\":1}\n", Values, &["{\"a\":1}", "{\"c\":1}"]);
    }

    #[test]
    fn what_goes_on_is_closed() {
        check("{\"a\":{\"b\":\"x", Values, &["{\"a\":{\"b\":\"x\"}}"]);
        check("{\"a\":1}\n{\"b\":1,\"c", Values, &["{\"a\":1}", "{\"b\":1}"]);
    }

    #[test]
    fn long_strings_arrays_and_deep_values_are_cut() {
        let long = format!("{{\"a\":\"{}\",\"b\":[1,2,3,4,5,[6],\"7\"],\"c\":1}}", "é\\u00e9".repeat(200));
        for size in [1, 64, 4096] {
            let outline = outline(&long, size);
            let value = parse(&outline.records[0]).unwrap();
            let text = value.get("a").unwrap().as_str().unwrap();
            assert!(text.starts_with("éé") && text.len() <= STRING_MAX_BYTES, "{text}");
            assert_eq!(value.get("b").unwrap().text, "[1,2,3,4]");
            assert!(value.get("c").is_some());
        }
        let deep = format!("{{\"a\":{}{},\"b\":1}}", "[".repeat(90), "]".repeat(90));
        let outline = outline(&deep, 16);
        assert!(parse(&outline.records[0]).unwrap().get("b").is_some());
    }

    #[test]
    fn keeps_a_bounded_part() {
        let mut outliner = Outliner::default();
        assert!(outliner.feed(b"{\"a\":["), "more is wanted");
        while outliner.feed("{\"key\":\"text\"},".repeat(1000).as_bytes()) {
            assert!(outliner.text.len() < 1000);
            if outliner.levels[1].before > 100_000 {
                break;
            }
        }
        let mut outliner = Outliner::default();
        let mut count = 0;
        while outliner.feed("[\"x\"".repeat(100).as_bytes()) && count < 10_000 {
            count += 1;
        }
        assert!(outliner.text.len() + outliner.levels.len() < 1000);
    }
}
