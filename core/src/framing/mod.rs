//! Cuts an input into records, going forward through it once (A1, S1, D1; `DESIGN.md` 9).
//!
//! A [`Framer`] is fed pieces of the input in order, cut anywhere, and puts records into an index as soon as they are
//! known. What it believes of a file can fall later (a second value after what looked like one document): then it takes
//! records back and asks to read again from an earlier byte, once. So it needs no more memory than its nesting.

mod event_stream;
mod items;
mod lines;
mod marked;
#[cfg(test)]
mod tests;
mod values;

use crate::json::Scanner;
use crate::model::cast;
use crate::model::{Framing, Place, RecordIndex, Span};
use event_stream::EventStream;
use items::Items;
use lines::{DetectLines, Lines};
use marked::Marked;
use values::{Array, Members, Run, SingleDocument};

/// What some editors write before the first record.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Finds the records of one input. The same bytes, in whatever pieces, give the same records.
#[derive(Debug, Clone)]
pub struct Framer {
    rules: Rules,
    mode: Mode,
    at: Cursor,
}

/// The next byte to read, and its physical line.
#[derive(Debug, Clone, Copy)]
struct Cursor {
    byte: u64,
    line: u64,
}

/// What does not change while an input is framed.
#[derive(Debug, Clone, Copy)]
struct Rules {
    /// Of `LogText` and `LogValues`, what they are like.
    framing: Framing,
    /// Whether a lone surrogate escape is text.
    takes_surrogates: bool,
    /// The first byte after a byte order mark.
    origin: Cursor,
}

#[derive(Debug, Clone)]
enum Mode {
    Mark,
    Start,
    SingleDocument(SingleDocument),
    Array(Array),
    Members(Members),
    Items(Items),
    Run(Run),
    DetectLines(DetectLines),
    Lines(Lines),
    EventStream(EventStream),
    Marked(Marked),
    Ended,
}

/// What the end of an input would leave, if it were final.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Nothing: all records are reported.
    Clean,
    /// A line, or what may be one, without its newline.
    Line,
    /// One document, whole, not reported yet.
    Whole,
    /// A part of a value.
    Torn,
}

/// How to go on after what a mode has taken of a piece.
enum FramerAction {
    /// All is taken.
    More,
    /// From here on in another mode.
    Now(Mode),
    /// From an earlier byte on in another mode.
    From(Cursor, Mode),
}

impl Rules {
    fn new(framing: Framing, origin: Cursor) -> Self {
        let takes_surrogates = !matches!(framing, Framing::Text | Framing::Values | Framing::Members);
        let framing = match framing {
            Framing::LogText => Framing::Text,
            Framing::LogValues => Framing::Values,
            framing => framing,
        };
        Self { framing, takes_surrogates, origin }
    }

    /// What finds the end of a value.
    fn scanner(self, depth_max: usize) -> Scanner {
        let scanner = Scanner::new(depth_max);
        if self.takes_surrogates { scanner.lenient() } else { scanner }
    }

    /// D1: whether what is no one array is a run of values.
    fn are_values(self) -> bool {
        matches!(self.framing, Framing::Values | Framing::Members | Framing::Items(_))
    }
}

impl Cursor {
    /// Goes over bytes.
    fn pass(&mut self, bytes: &[u8]) {
        self.line += memchr::memchr_iter(b'\n', bytes).count() as u64;
        self.byte += bytes.len() as u64;
    }

    /// Goes over white space; whether there is more after it in this piece, and where.
    fn pass_space(&mut self, piece: &[u8]) -> Option<usize> {
        let end = piece.iter().position(|&b| !is_space(b));
        self.pass(&piece[..end.unwrap_or(piece.len())]);
        end
    }

    /// The place from here to a byte.
    fn until(self, end: u64) -> Place {
        Place { span: Span { offset: self.byte, len: end.saturating_sub(self.byte) }, line: self.line }
    }
}

impl Framer {
    /// A framer at the first byte of an input.
    #[must_use]
    pub fn new(framing: Framing) -> Self {
        let origin = Cursor { byte: 0, line: 1 };
        Self { rules: Rules::new(framing, origin), mode: Mode::Mark, at: origin }
    }

    /// A framer inside the same run of values, before one that begins at this byte or after it, on line 0.
    #[must_use]
    pub fn between(&self, byte: u64) -> Self {
        let at = Cursor { byte, line: 0 };
        Self { rules: Rules { origin: at, ..self.rules }, mode: Mode::Run(Run::Between), at }
    }

    /// Whether the input is a run of values.
    #[must_use]
    pub fn is_run(&self) -> bool {
        matches!(self.mode, Mode::Run(_))
    }

    /// Between two values: where a record would be that this line is, white space around it left out. None: not between
    /// two, or the line is blank.
    #[must_use]
    pub fn line_between(&self, line: &[u8]) -> Option<Place> {
        if !matches!(self.mode, Mode::Run(Run::Between)) {
            return None;
        }
        let from = line.iter().position(|&b| !is_space(b))?;
        let end = line.iter().rposition(|&b| !is_space(b))?;
        let at = Cursor { byte: self.at.byte + from as u64, ..self.at };
        Some(at.until(self.at.byte + end as u64 + 1))
    }

    /// Goes over a line, newline included, that is a record.
    pub fn pass_line(&mut self, line: &[u8]) {
        self.at.byte += line.len() as u64;
        self.at.line += 1;
    }

    /// Goes on where another is that was [`Framer::between`] values at `start`, if this one is: by how many lines that
    /// one's lines count too few.
    pub fn join(&mut self, ahead: Self, start: u64) -> Option<u64> {
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
            let rest = self.at.byte.checked_sub(base).and_then(|taken| piece.get(cast::to_usize(taken)..));
            let Some(rest @ [_, ..]) = rest else { return };
            let turn = match &mut self.mode {
                Mode::Mark => self.mark(rest[0]),
                Mode::Start => self.start(rest),
                Mode::SingleDocument(whole) => whole.feed(self.rules, &mut self.at, rest, index),
                Mode::Array(array) => array.feed(self.rules, &mut self.at, rest, index),
                Mode::Members(members) => members.feed(&mut self.at, rest, index),
                Mode::Items(items) => items.feed(&mut self.at, rest, index),
                Mode::Run(run) => run.feed(self.rules, &mut self.at, rest, index),
                Mode::DetectLines(detecting) => detecting.feed(self.rules, &mut self.at, rest, index),
                Mode::Lines(lines) => lines.feed(&mut self.at, rest, index),
                Mode::EventStream(events) => events.feed(&mut self.at, rest, index),
                Mode::Marked(marked) => marked.feed(self.rules, &mut self.at, rest, index),
                Mode::Ended => {
                    self.at.pass(rest);
                    FramerAction::More
                }
            };
            self.turn(turn);
        }
    }

    /// If the input has a hole at [`Framer::position`], goes over it without reading it, as far as lines and runs of
    /// values are concerned. `hole_at` gives the length in bytes of the hole that begins at a byte, 0 where there is
    /// none. To be asked after a piece that ended in a NUL byte.
    pub fn skip_hole(&mut self, hole_at: impl Fn(u64) -> u64) {
        let hole = || hole_at(self.at.byte);
        match &mut self.mode {
            Mode::Lines(lines) => match hole() {
                0 => {}
                len => lines.pass_zeros(&mut self.at, len),
            },
            Mode::Run(run) if run.is_in_hole() => self.at.byte += hole(),
            Mode::DetectLines(detecting) if detecting.is_decided() => match hole() {
                0 => {}
                len => detecting.pass_zeros(&mut self.at, len),
            },
            _ => {}
        }
    }

    /// The input ends at [`Framer::position`], for good. Returns whether all records are reported; if not, there is
    /// more to read from the (new) position on, and the end comes again.
    pub fn finish(&mut self, index: &mut RecordIndex) -> bool {
        let turn = match &mut self.mode {
            Mode::Mark if (1..BYTE_ORDER_MARK.len() as u64).contains(&self.at.byte) => {
                FramerAction::From(self.rules.origin, Mode::Start)
            }
            Mode::SingleDocument(whole) => whole.finish(self.rules, self.at, index),
            Mode::Array(array) => array.finish(self.rules, self.at, index),
            Mode::Members(members) => members.finish(self.at, index),
            Mode::Items(items) => items.finish(self.at, index),
            Mode::Run(run) => run.finish(self.at, index),
            Mode::DetectLines(detecting) => {
                let turn = detecting.finish(self.rules, index);
                // The document is the whole input from here on.
                if let FramerAction::From(document, Mode::Start) = &turn {
                    self.rules.origin = *document;
                }
                turn
            }
            Mode::Lines(lines) => lines.finish(self.at, index),
            Mode::EventStream(events) => events.finish(index),
            Mode::Marked(marked) => marked.finish(self.at, index),
            Mode::Mark | Mode::Start | Mode::Ended => FramerAction::Now(Mode::Ended),
        };
        self.turn(turn);
        matches!(self.mode, Mode::Ended)
    }

    /// What has been read and is not a record yet: an unfinished line or value.
    #[must_use]
    pub fn pending(&self) -> Option<Place> {
        match &self.mode {
            Mode::SingleDocument(whole) => whole.start(),
            Mode::Array(array) => array.start(),
            Mode::Members(members) => members.start(),
            Mode::Items(items) => items.start(),
            Mode::Run(run) => run.start(),
            Mode::DetectLines(detecting) => Some(detecting.start()),
            Mode::Lines(lines) => lines.start(),
            Mode::EventStream(events) => events.start(),
            Mode::Marked(marked) => marked.start(),
            Mode::Mark | Mode::Start | Mode::Ended => None,
        }
        .map(|start| start.until(self.at.byte))
    }

    /// How the input ends, if it ended at [`Framer::position`].
    #[must_use]
    pub fn ending(&self) -> Ending {
        let ending = match &self.mode {
            Mode::Mark | Mode::Start | Mode::Ended => Ending::Clean,
            Mode::SingleDocument(whole) => whole.ending(),
            Mode::Array(array) => array.ending(),
            Mode::Members(members) => members.ending(),
            Mode::Items(items) => items.ending(),
            Mode::Run(run) => run.start().map_or(Ending::Clean, |_| Ending::Torn),
            Mode::DetectLines(_) => Ending::Torn,
            Mode::Lines(lines) => lines.start().map_or(Ending::Clean, |_| Ending::Torn),
            Mode::EventStream(events) => events.start().map_or(Ending::Clean, |_| Ending::Torn),
            Mode::Marked(marked) => marked.start().map_or(Ending::Clean, |_| Ending::Torn),
        };
        // Whatever goes on in its first line may yet become a line.
        let is_line = self.pending().is_some_and(|pending| pending.line == self.at.line);
        if ending == Ending::Torn && is_line { Ending::Line } else { ending }
    }

    /// Whether all of it is one text that was reported whole: a document, which may be rewritten as a whole.
    #[must_use]
    pub fn is_document(&self) -> bool {
        matches!(&self.mode, Mode::SingleDocument(whole) if whole.ending() == Ending::Clean)
    }

    /// Takes the unfinished last line, or the document that ends here, as a record before it is certain that nothing
    /// follows (TAIL T9). If something does, the index takes it back and becomes a new version.
    pub fn take_early(&mut self, index: &mut RecordIndex) {
        match &mut self.mode {
            Mode::SingleDocument(whole) => whole.take_early(index),
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
        let read = cast::to_usize(self.at.byte);
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
            _ => Mode::SingleDocument(SingleDocument::new(self.rules, self.at, piece[skipped])),
        })
    }
}

/// White space of JSON.
#[must_use]
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}
