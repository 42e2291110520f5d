//! Values behind lines that announce them, as terminal output of an agent has them: what else was written between two
//! of them is a record that cannot be read, so that no text is lost.

use super::{Cursor, FramerAction, Mode, Rules, is_space};
use crate::json::{SCAN_DEPTH_MAX, Scan, Scanner};
use crate::model::RecordIndex;

/// The line before each event that `openhands --headless --json` writes.
pub(super) const MARK: &[u8] = b"--JSON Event--";

/// Values behind such lines.
#[derive(Debug, Clone, Default)]
pub(super) struct Marked {
    part: MarkedPart,
    text: Text,
}

#[derive(Debug, Clone)]
enum MarkedPart {
    /// A line of text.
    Text(MarkedLine),
    /// Behind a mark, before its value.
    Begin,
    Value(Cursor, Scanner),
}

#[derive(Debug, Clone, Copy)]
enum MarkedLine {
    /// In a mark; the bytes of it that were read.
    Mark(usize),
    Other,
}

/// The text since the last value.
#[derive(Debug, Clone, Default)]
struct Text {
    /// Its first byte that is no white space, and after its last one.
    first: Option<Cursor>,
    end: u64,
    /// Why it is no value, if it was taken for one.
    why: Option<String>,
}

impl Default for MarkedPart {
    fn default() -> Self {
        Self::Text(MarkedLine::Mark(0))
    }
}

impl Marked {
    pub(super) fn feed(
        &mut self,
        rules: Rules,
        at: &mut Cursor,
        mut piece: &[u8],
        index: &mut RecordIndex,
    ) -> FramerAction {
        while !piece.is_empty() {
            let taken = match &mut self.part {
                MarkedPart::Text(line) => {
                    let (taken, is_mark) = line.feed(&mut self.text, at, piece);
                    if is_mark {
                        self.text.push_record(index);
                        self.part = MarkedPart::Begin;
                    }
                    taken
                }
                MarkedPart::Begin => {
                    let Some(skipped) = at.pass_space(piece) else { return FramerAction::More };
                    self.part = match piece[skipped] {
                        b'{' | b'[' => MarkedPart::Value(*at, rules.scanner(SCAN_DEPTH_MAX)),
                        _ => MarkedPart::Text(MarkedLine::Mark(0)),
                    };
                    skipped
                }
                MarkedPart::Value(start, scanner) => match scanner.feed(piece) {
                    Scan::More => {
                        at.pass(piece);
                        return FramerAction::More;
                    }
                    Scan::Fault(n, why) => return Self::unreadable(*start, at.byte + n as u64, why),
                    Scan::End(n) => {
                        at.pass(&piece[..n]);
                        index.push(start.until(at.byte), None);
                        self.part = MarkedPart::Text(MarkedLine::Other);
                        n
                    }
                },
            };
            piece = &piece[taken..];
        }
        FramerAction::More
    }

    /// Reads again as text what was taken for a value.
    fn unreadable(start: Cursor, byte: u64, why: &str) -> FramerAction {
        let text = Text { why: Some(format!("{why} at byte {byte}")), ..Text::default() };
        FramerAction::From(start, Mode::Marked(Self { part: MarkedPart::Text(MarkedLine::Other), text }))
    }

    pub(super) fn finish(&mut self, at: Cursor, index: &mut RecordIndex) -> FramerAction {
        match &mut self.part {
            MarkedPart::Value(start, scanner) => {
                let why = scanner.finish().err().unwrap_or("the text ends inside a value");
                return Self::unreadable(*start, at.byte, why);
            }
            MarkedPart::Text(MarkedLine::Mark(known)) if *known > 0 => self.text.add(mark_begin(at, *known), at.byte),
            _ => {}
        }
        self.text.push_record(index);
        FramerAction::Now(Mode::Ended)
    }

    /// Where what is not a record yet begins.
    pub(super) fn start(&self) -> Option<Cursor> {
        match &self.part {
            MarkedPart::Value(start, _) => Some(*start),
            _ => self.text.first,
        }
    }
}

/// Where a part of a mark begins that ends here.
fn mark_begin(at: Cursor, known: usize) -> Cursor {
    Cursor { byte: at.byte - known as u64, ..at }
}

impl MarkedLine {
    /// Takes bytes of a line, or a part of a mark: how many, and whether a mark ends with them.
    fn feed(&mut self, text: &mut Text, at: &mut Cursor, piece: &[u8]) -> (usize, bool) {
        if let Self::Mark(known) = self {
            let rest = MARK.get(*known..).unwrap_or_default();
            let same = rest.iter().zip(piece).take_while(|(a, b)| a == b).count();
            if same == rest.len().min(piece.len()) {
                *known += same;
                at.byte += same as u64;
                return (same, same == rest.len());
            }
            if *known > 0 {
                text.add(mark_begin(*at, *known), at.byte);
            }
            *self = Self::Other;
        }
        let newline = memchr::memchr(b'\n', piece);
        let taken = newline.map_or(piece.len(), |i| i + 1);
        let part = piece.get(..taken).unwrap_or_default();
        if let Some(first) = part.iter().position(|&b| !is_space(b)) {
            let trailing = part.iter().rev().take_while(|&&b| is_space(b)).count();
            let begin = Cursor { byte: at.byte + first as u64, line: at.line };
            text.add(begin, at.byte + (taken - trailing) as u64);
        }
        at.pass(part);
        if newline.is_some() {
            *self = Self::Mark(0);
        }
        (taken, false)
    }
}

impl Text {
    fn add(&mut self, begin: Cursor, end: u64) {
        self.first.get_or_insert(begin);
        self.end = end;
    }

    fn push_record(&mut self, index: &mut RecordIndex) {
        let text = std::mem::take(self);
        if let Some(first) = text.first {
            let why = text.why.unwrap_or_else(|| format!("text beside the events at byte {}", first.byte));
            index.push(first.until(text.end), Some(why));
        }
    }
}
