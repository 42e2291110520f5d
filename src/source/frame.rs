//! Cuts an input into records, going forward through it once (A1, S1, D1; `DESIGN.md` 9).
//!
//! A [`Framer`] is fed pieces of the input in order, cut anywhere, and puts records into an index as soon as they are
//! known. What it believes of a file can fall later (a second value behind what looked like one document): then it
//! takes records back and asks to read again from an earlier byte, once. So it needs no more memory than its nesting.

use super::event_stream::EventStream;
use super::items::Items;
use super::lines::{DetectLines, Lines};
use super::values::{Array, Members, Run, Whole};
use super::{Input, RecordIndex};
use crate::model::{Framing, Place, Span};

/// What some editors write before the first record.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Finds the records of one input. The same bytes, in whatever pieces, give the same records.
#[derive(Debug, Clone)]
pub struct Framer {
    rules: Rules,
    mode: Mode,
    at: Cursor,
}

/// The next byte to read, and its physical line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor {
    pub(super) byte: u64,
    pub(super) line: u64,
}

/// What does not change while an input is framed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    pub(super) framing: Framing,
    /// The first byte behind a byte order mark.
    pub(super) origin: Cursor,
}

#[derive(Debug, Clone)]
pub(super) enum Mode {
    Mark,
    Start,
    Whole(Whole),
    Array(Array),
    Members(Members),
    Items(Items),
    Run(Run),
    DetectLines(DetectLines),
    Lines(Lines),
    EventStream(EventStream),
    Ended,
}

/// What the end of an input would leave, if it were final.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Nothing: all records are told.
    Clean,
    /// A line, or what may be one, without its newline.
    Line,
    /// One document, whole, not told yet.
    Whole,
    /// A part of a value.
    Torn,
}

/// How to go on behind what a mode has taken of a piece.
pub(super) enum FramerAction {
    /// All is taken.
    More,
    /// From here on in another mode.
    Now(Mode),
    /// From an earlier byte on in another mode.
    From(Cursor, Mode),
}

impl Rules {
    /// D1: whether what is no one array is a run of values.
    pub(super) fn are_values(self) -> bool {
        matches!(self.framing, Framing::Values | Framing::Members | Framing::Items(_))
    }
}

impl Cursor {
    /// Goes over bytes.
    pub(super) fn pass(&mut self, bytes: &[u8]) {
        self.line += memchr::memchr_iter(b'\n', bytes).count() as u64;
        self.byte += bytes.len() as u64;
    }

    /// Goes over white space; whether there is more behind it in this piece, and where.
    pub(super) fn pass_space(&mut self, piece: &[u8]) -> Option<usize> {
        let end = piece.iter().position(|&b| !is_space(b));
        self.pass(&piece[..end.unwrap_or(piece.len())]);
        end
    }

    /// The place from here to a byte.
    pub(super) fn until(self, end: u64) -> Place {
        Place { span: Span { offset: self.byte, len: end.saturating_sub(self.byte) }, line: self.line }
    }
}

impl Framer {
    /// A framer at the first byte of an input.
    #[must_use]
    pub fn new(framing: Framing) -> Self {
        let origin = Cursor { byte: 0, line: 1 };
        Self { rules: Rules { framing, origin }, mode: Mode::Mark, at: origin }
    }

    /// A framer inside a run of values, before a value that begins at this byte or behind it, on line 0.
    pub(super) fn between(byte: u64) -> Self {
        let at = Cursor { byte, line: 0 };
        Self { rules: Rules { framing: Framing::Values, origin: at }, mode: Mode::Run(Run::Between), at }
    }

    /// Whether the input is a run of values.
    pub(super) fn is_run(&self) -> bool {
        matches!(self.mode, Mode::Run(_))
    }

    /// Between two values: where a record would stand that this line is, white space around it left out. None: not
    /// between two, or the line is blank.
    pub(super) fn line_between(&self, line: &[u8]) -> Option<Place> {
        if !matches!(self.mode, Mode::Run(Run::Between)) {
            return None;
        }
        let from = line.iter().position(|&b| !is_space(b))?;
        let end = line.iter().rposition(|&b| !is_space(b))?;
        let at = Cursor { byte: self.at.byte + from as u64, ..self.at };
        Some(at.until(self.at.byte + end as u64 + 1))
    }

    /// Goes over a line, newline included, that is a record.
    pub(super) fn pass_line(&mut self, line: &[u8]) {
        self.at.byte += line.len() as u64;
        self.at.line += 1;
    }

    /// Goes on where another stands that was [`Framer::between`] values at `start`, if this one is: by how many lines
    /// that one's lines count too few.
    pub(super) fn join(&mut self, ahead: Self, start: u64) -> Option<u64> {
        let (Mode::Run(Run::Between), Mode::Run(mut run)) = (&self.mode, ahead.mode) else { return None };
        if self.at.byte != start {
            return None;
        }
        let lines = self.at.line;
        run.move_down(lines);
        (self.mode, self.at) = (Mode::Run(run), Cursor { line: ahead.at.line + lines, ..ahead.at });
        Some(lines)
    }

    /// The byte from which the next piece must begin. It may lie before the last piece.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.at.byte
    }

    /// Takes the piece that begins at [`Framer::position`].
    pub fn feed(&mut self, piece: &[u8], index: &mut RecordIndex) {
        let base = self.at.byte;
        loop {
            let rest = self.at.byte.checked_sub(base).and_then(|taken| piece.get(taken as usize..));
            let Some(rest @ [_, ..]) = rest else { return };
            let turn = match &mut self.mode {
                Mode::Mark => self.mark(rest[0]),
                Mode::Start => self.start(rest),
                Mode::Whole(whole) => whole.feed(self.rules, &mut self.at, rest, index),
                Mode::Array(array) => array.feed(self.rules, &mut self.at, rest, index),
                Mode::Members(members) => members.feed(&mut self.at, rest, index),
                Mode::Items(items) => items.feed(&mut self.at, rest, index),
                Mode::Run(run) => run.feed(&mut self.at, rest, index),
                Mode::DetectLines(detecting) => detecting.feed(self.rules, &mut self.at, rest, index),
                Mode::Lines(lines) => lines.feed(&mut self.at, rest, index),
                Mode::EventStream(events) => events.feed(&mut self.at, rest, index),
                Mode::Ended => {
                    self.at.pass(rest);
                    FramerAction::More
                }
            };
            self.turn(turn);
        }
    }

    /// If the input has a hole at [`Framer::position`], goes over it without reading it, as far as lines and runs of
    /// values are concerned. To be asked behind a piece that ended in a NUL byte.
    pub fn skip_hole(&mut self, input: &Input) {
        let hole = || input.hole_at(self.at.byte);
        match &mut self.mode {
            Mode::Lines(lines) => match hole() {
                0 => {}
                len => lines.pass_zeros(&mut self.at, len),
            },
            Mode::Run(run) if run.is_in_hole() => self.at.byte += hole(),
            _ => {}
        }
    }

    /// The input ends at [`Framer::position`], for good. Returns whether all records are told; if not, there is more to
    /// read from the (new) position on, and the end comes again.
    pub fn finish(&mut self, index: &mut RecordIndex) -> bool {
        let turn = match &mut self.mode {
            Mode::Mark if (1..BYTE_ORDER_MARK.len() as u64).contains(&self.at.byte) => {
                FramerAction::From(self.rules.origin, Mode::Start)
            }
            Mode::Whole(whole) => whole.finish(self.rules, self.at, index),
            Mode::Array(array) => array.finish(self.rules, self.at, index),
            Mode::Members(members) => members.finish(self.at, index),
            Mode::Items(items) => items.finish(self.at, index),
            Mode::Run(run) => run.finish(self.at, index),
            Mode::DetectLines(detecting) => detecting.finish(self.rules, index),
            Mode::Lines(lines) => lines.finish(self.at, index),
            Mode::EventStream(events) => events.finish(index),
            Mode::Mark | Mode::Start | Mode::Ended => FramerAction::Now(Mode::Ended),
        };
        self.turn(turn);
        matches!(self.mode, Mode::Ended)
    }

    /// What has been read and is no record yet: an unfinished line or value.
    #[must_use]
    pub fn pending(&self) -> Option<Place> {
        match &self.mode {
            Mode::Whole(whole) => whole.start(),
            Mode::Array(array) => array.start(),
            Mode::Members(members) => members.start(),
            Mode::Items(items) => items.start(),
            Mode::Run(run) => run.start(),
            Mode::DetectLines(detecting) => Some(detecting.start()),
            Mode::Lines(lines) => lines.start(),
            Mode::EventStream(events) => events.start(),
            Mode::Mark | Mode::Start | Mode::Ended => None,
        }
        .map(|start| start.until(self.at.byte))
    }

    /// How the input ends, if it ended at [`Framer::position`].
    #[must_use]
    pub fn ending(&self) -> Ending {
        let ending = match &self.mode {
            Mode::Mark | Mode::Start | Mode::Ended => Ending::Clean,
            Mode::Whole(whole) => whole.ending(),
            Mode::Array(array) => array.ending(),
            Mode::Members(members) => members.ending(),
            Mode::Items(items) => items.ending(),
            Mode::Run(run) => run.start().map_or(Ending::Clean, |_| Ending::Torn),
            Mode::DetectLines(_) => Ending::Torn,
            Mode::Lines(lines) => lines.start().map_or(Ending::Clean, |_| Ending::Torn),
            Mode::EventStream(events) => events.start().map_or(Ending::Clean, |_| Ending::Torn),
        };
        // Whatever goes on in its first line may yet become a line.
        let is_line = self.pending().is_some_and(|pending| pending.line == self.at.line);
        if ending == Ending::Torn && is_line { Ending::Line } else { ending }
    }

    /// Whether all of it is one text that was told whole: a document, which may be written anew as a whole.
    #[must_use]
    pub fn is_document(&self) -> bool {
        matches!(&self.mode, Mode::Whole(whole) if whole.ending() == Ending::Clean)
    }

    /// Takes the unfinished last line, or the document that ends here, as a record before it is certain that nothing
    /// follows (TAIL T9). If something does, the index takes it back and becomes a new version.
    pub fn take_early(&mut self, index: &mut RecordIndex) {
        match &mut self.mode {
            Mode::Whole(whole) => whole.take_early(index),
            Mode::Lines(lines) => lines.take_early(index),
            _ => {}
        }
    }

    fn turn(&mut self, turn: FramerAction) {
        match turn {
            FramerAction::More => {}
            FramerAction::Now(mode) => self.mode = mode,
            FramerAction::From(cursor, mode) => {
                self.at = cursor;
                self.mode = mode;
            }
        }
    }

    fn mark(&mut self, byte: u8) -> FramerAction {
        let read = self.at.byte as usize;
        if BYTE_ORDER_MARK.get(read) == Some(&byte) {
            self.at.byte += 1;
            return FramerAction::More;
        }
        if read == BYTE_ORDER_MARK.len() {
            self.rules.origin = self.at;
        }
        FramerAction::From(self.rules.origin, Mode::Start)
    }

    fn start(&mut self, piece: &[u8]) -> FramerAction {
        let Some(skipped) = self.at.pass_space(piece) else { return FramerAction::More };
        let is_array = piece[skipped] == b'[';
        FramerAction::Now(match self.rules.framing {
            Framing::Values | Framing::Elements | Framing::Members if is_array => Mode::Array(Array::new(self.at)),
            Framing::Items(name) if piece[skipped] == b'{' => Mode::Items(Items::new(name, self.at)),
            Framing::Members if piece[skipped] == b'{' => Mode::Members(Members::new(self.at)),
            Framing::Values | Framing::Members | Framing::Items(_) => Mode::Run(Run::default()),
            Framing::Text | Framing::Elements => Mode::Whole(Whole::new(self.at, piece[skipped])),
        })
    }
}

/// White space of JSON.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Record, RecordBody};
    use Framing::{Elements, Members, Text, Values};

    /// Feeds pieces of this size, end included.
    fn framed(text: &[u8], framing: Framing, size: usize) -> Vec<Record> {
        let mut framer = Framer::new(framing);
        let mut index = RecordIndex::default();
        loop {
            let from = framer.position() as usize;
            let piece = &text[from..text.len().min(from + size)];
            if !piece.is_empty() {
                framer.feed(piece, &mut index);
            } else if framer.finish(&mut index) {
                return index.iter().collect();
            }
        }
    }

    /// Line, text, and `!` before what is broken.
    fn told(text: &[u8], records: &[Record]) -> Vec<String> {
        let one = |r: &Record| {
            let span = r.place.span;
            let text = crate::model::lossy(&text[span.offset as usize..span.end() as usize]);
            let sign = if r.body == RecordBody::Text { "" } else { "!" };
            format!("{sign}{} {text}", r.place.line)
        };
        records.iter().map(one).collect()
    }

    fn check(framing: Framing, text: &str, expected: &[&str]) {
        let whole = framed(text.as_bytes(), framing, usize::MAX >> 1);
        assert_eq!(told(text.as_bytes(), &whole), expected, "{framing:?} {text:?}");
        for size in 1..=9 {
            assert_eq!(framed(text.as_bytes(), framing, size), whole, "{framing:?} {text:?} in pieces of {size}");
        }
    }

    #[test]
    fn a_text_is_one_record_or_lines() {
        check(Text, "", &[]);
        check(Text, "\u{feff} \r\n\n", &[]);
        for framing in [Text, Elements, Values] {
            check(framing, "\u{feff}", &[]);
        }
        check(Text, "\u{feff}{}\r\n\r\n  \n [1] \r\n7", &["1 {}", "4 [1]", "5 7"]);
        check(Text, "\n {\"a\":\n 1}\n\n", &["2 {\"a\":\n 1}"]);
        check(Text, "[{\"a\":1},\n{\"b\":2}]", &["1 [{\"a\":1},\n{\"b\":2}]"]);
        check(Text, "42", &["1 42"]);
        check(Text, " 42 \n", &["1 42"]);
        check(Text, "{\"a\":1} {\"b\":2}\n{}\n", &["1 {\"a\":1} {\"b\":2}", "2 {}"]);
        check(Text, "{}\n{\"a\n{}", &["1 {}", "2 {\"a", "3 {}"]);
        check(Text, "# words\n{}\n", &["1 # words", "2 {}"]);
        check(Text, "7\n{}", &["1 7", "2 {}"]);
        check(Text, "{\"a\": nul}\n[]\n", &["1 {\"a\": nul}", "2 []"]);
        check(Text, "{\n\"a\":1}\n{}\n", &["1 {", "2 \"a\":1}", "3 {}"]);
    }

    #[test]
    fn a_text_without_a_record_is_one_broken_record() {
        check(Text, "[\n {\n  \"a\": 1\n },\n {\n \"b", &["!1 [\n {\n  \"a\": 1\n },\n {\n \"b"]);
        check(Text, " one\ntwo \n", &["!1 one\ntwo"]);
        check(Text, "7\n8\n", &["!1 7\n8"]);
        check(Text, "{\"a\":1}{\"b\":2}", &["!1 {\"a\":1}{\"b\":2}"]);
        check(Text, "{\"a\":1}\r{\"b\":2}", &["!1 {\"a\":1}\r{\"b\":2}"]);
        check(Text, "\u{feff}\u{feff}x", &["!1 \u{feff}x"]);
        let whole = framed(b"[\n 1,\n nul", Text, 64);
        let RecordBody::Broken(why) = &whole[0].body else { panic!() };
        assert!(why.contains("byte 10"), "{why}");
    }

    #[test]
    fn values_are_elements_or_a_run() {
        check(Values, "", &[]);
        check(Values, " [ ]\n", &[]);
        check(Values, "[{\"a\":1}, 2 ,\n[3]]\n", &["1 {\"a\":1}", "1 2", "2 [3]"]);
        check(Values, "[1]\n[2]", &["1 [1]", "2 [2]"]);
        check(Values, "[1] x\n[2]", &["1 [1]", "!1 x", "2 [2]"]);
        check(Values, "{\n\"a\":1\n}\n{\n\"b\":2}{}", &["1 {\n\"a\":1\n}", "4 {\n\"b\":2}", "5 {}"]);
        check(Values, "{\"a\":1}\r\n\r\n{\"b\":2}\r\n", &["1 {\"a\":1}", "3 {\"b\":2}"]);
        check(Values, "{}\n{\"a\":[\n{\"b\":1}\n", &["1 {}", "!2 {\"a\":[", "3 {\"b\":1}"]);
        check(Values, "{\"a\":NaN}\n ]\n{}", &["!1 {\"a\":NaN}\n ]", "3 {}"]);
        check(Values, "1 true null \"x\"{}12", &["1 1", "1 true", "1 null", "1 \"x\"", "1 {}", "1 12"]);
        check(Values, "{}\n2026-01-01 {\n{}", &["1 {}", "!2 2026-01-01 {", "3 {}"]);
        check(Values, "{} {\"a\":\"\\ud800\"}", &["1 {}", "!1 {\"a\":\"\\ud800\"}"]);
    }

    #[test]
    fn a_fault_ends_an_array_of_values() {
        check(Values, "[{},\n{\"a\":1},\n{\"b\n{}]\n", &["1 {}", "2 {\"a\":1}", "!3 {\"b\n{}]"]);
        check(Values, "[1 2]", &["1 1", "!1 2]"]);
        check(Values, "[1,]\n", &["1 1", "!1 ]"]);
        check(Values, "[{}\n", &["1 {}", "!2 "]);
        check(Values, "[1,23", &["1 1", "1 23", "!1 "]);
        check(Values, "[{},{\"a\":1  \n ", &["1 {}", "!1 {\"a\":1"]);
    }

    #[test]
    fn elements_are_those_of_an_array_or_lines() {
        check(Elements, "[{\"a\":1},\n {\"b\":2}]\n", &["1 {\"a\":1}", "2 {\"b\":2}"]);
        check(Elements, "[1]\n[2]\n", &["1 [1]", "2 [2]"]);
        check(Elements, "{}\n[1]\nx\n", &["1 {}", "2 [1]", "3 x"]);
        check(Elements, "1\n\"a\"\n", &["1 1", "2 \"a\""]);
        check(Elements, "{\n}\n", &["1 {\n}"]);
        check(Elements, "[\n{\"a\":1},\n{\"b\n", &["2 {\"a\":1}", "!3 {\"b"]);
        check(Elements, "[\n{\"a\":1}\n{\"b\":2}\n", &["1 [", "2 {\"a\":1}", "3 {\"b\":2}"]);
        check(Elements, "{\n\"a\":1\n}\n{\n\"b\":[\n]}\nx", &["1 {\n\"a\":1\n}", "4 {\n\"b\":[\n]}", "!7 x"]);
        check(Elements, "[\n1\n]\nx", &["2 1", "!4 x"]);
    }

    #[test]
    fn members_are_those_of_one_object_of_objects_or_values() {
        check(Members, "{\"a\": {\"x\":1},\n\"b\\\"\":{} }\n", &["1 {\"x\":1}", "2 {}"]);
        check(Members, "\u{feff} {\"a\":{}}", &["1 {}"]);
        check(Members, "{\"a\":{},", &["1 {}", "!1 "]);
        check(Members, "{\"a\":{\"x\":1},\n\"b\":{\"y\":", &["1 {\"x\":1}", "!2 {\"y\":"]);
        check(Members, "{\"a\":{},\n\"b\":{\"y\"\n\"c\":{}}\n", &["1 {}", "!2 {\"y\"\n\"c\":{}}"]);
        for text in [
            "",
            "{}",
            "{\"a\":1}",
            "{\"a\":{},\"b\":[{}]}",
            "{\"a\":{}}\n{\"b\":{}}",
            "{\"a\":{}} x",
            "{\"a\":{",
            "{\"a\":{},}",
            "{\"a\" {}}",
            "{a:{}}",
            "[{\"a\":{}},2]\n",
            "[1 2]",
            "7",
        ] {
            let values = framed(text.as_bytes(), Values, usize::MAX >> 1);
            let values = told(text.as_bytes(), &values);
            check(Members, text, &values.iter().map(String::as_str).collect::<Vec<_>>());
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_no_obstacle() {
        let bad = b"{\"a\":\"\xff\"}\n\x80\n{}";
        assert_eq!(told(bad, &framed(bad, Text, 5)), ["1 {\"a\":\"\u{fffd}\"}", "2 \u{fffd}", "3 {}"]);
        assert_eq!(told(bad, &framed(bad, Values, 5)), ["!1 {\"a\":\"\u{fffd}\"}\n\u{fffd}", "3 {}"]);
        let holes = [b"{}\n\0{}\n[1".as_slice(), &[0; 600], b"{}\n", &[0; 512]].concat();
        for size in [1, 100, 1000, 5000] {
            let records = framed(&holes, Text, size);
            let lens: Vec<_> = records.iter().map(|r| (r.place.line, r.place.span.len)).collect();
            assert_eq!(lens, [(1, 2), (2, 1), (2, 2), (3, 2), (3, 600), (3, 2), (4, 512)], "{size}");
            let holes = records.iter().filter(|r| r.body != RecordBody::Text).count();
            assert_eq!(holes, 3);
        }
    }

    #[test]
    fn holes_in_a_run_of_values_cost_nobody_a_record() {
        let text = [b"{\"a\":1}\0\0{\"b\":2}\n{\"c\"".as_slice(), &[0; 600], b"{\"d\":4} 5\0\n{\"e\":\n\0"].concat();
        for size in [1, 2, 7, 100, 5000] {
            let records = framed(&text, Values, size);
            let lens: Vec<_> = records.iter().map(|r| (r.place.line, r.place.span.len)).collect();
            let (hole, line) = ([(1, 7), (1, 2), (1, 7)], [(2, 4), (2, 600), (2, 7), (2, 1), (2, 1), (3, 5), (4, 1)]);
            assert_eq!(lens, [&hole[..], &line].concat(), "{size}");
            let broken: Vec<_> = (0..records.len()).filter(|&i| records[i].body != RecordBody::Text).collect();
            assert_eq!(broken, [1, 3, 4, 6, 7, 8, 9], "{size}");
        }
    }

    #[test]
    fn deep_and_long_records_are_framed_in_one_pass() {
        let deep = format!("{{}}\n{}{}\n{{}}\n", "[".repeat(100_000), "]".repeat(100_000));
        for framing in [Text, Elements, Values] {
            let records = framed(deep.as_bytes(), framing, 1 << 16);
            assert_eq!(records.len(), 3, "{framing:?}");
            assert_eq!(records[1].body == RecordBody::Text, framing != Values);
        }
        let open = format!("{{}}\n{}\n{{}}\n", "{\"a\":[\n".repeat(20_000));
        assert_eq!(framed(open.as_bytes(), Values, 1 << 16).len(), 20_002);
        let long = format!("{{\"a\":\"{}\"}}\n{{}}\n", "x".repeat(50_000_000));
        for framing in [Text, Elements, Values] {
            assert_eq!(framed(long.as_bytes(), framing, 1 << 20).len(), 2);
        }
    }
}
