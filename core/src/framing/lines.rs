//! Records as lines, and the question whether a file that is not a JSON text has any line that is a record.

use super::event_stream::{EventStream, FIELD};
use super::marked::{MARK, Marked};
use super::values::Run;
use super::{Cursor, FramerAction, Mode, Rules, is_space};
use crate::json::{SCAN_DEPTH_MAX, Scan, Scanner};
use crate::model::Framing;
use crate::model::RecordIndex;

static ZEROS: [u8; 4096] = [0; 4096];

/// Each line that is not blank is a record.
#[derive(Debug, Clone, Default)]
pub(super) struct Lines {
    /// The first byte of the line that is no white space.
    first: Option<Cursor>,
    /// After its last such byte.
    end: u64,
    /// Where a run of NUL bytes begins that reaches to the cursor.
    nuls: Option<u64>,
    /// Where the line begins, if it was reported before its newline came.
    reported_start: Option<Cursor>,
}

impl Lines {
    pub(super) fn feed(&mut self, at: &mut Cursor, mut piece: &[u8], index: &mut RecordIndex) -> FramerAction {
        while let Some(i) = memchr::memchr2(b'\n', 0, piece) {
            self.text(at, &piece[..i], index);
            if piece[i] == b'\n' {
                self.end_line(*at, index);
                at.byte += 1;
                at.line += 1;
                piece = &piece[i + 1..];
            } else {
                let run = zeros(&piece[i..]);
                self.pass_zeros(at, run as u64);
                piece = &piece[i + run..];
            }
        }
        self.text(at, piece, index);
        FramerAction::More
    }

    /// Goes over zeros that need not be read.
    pub(super) fn pass_zeros(&mut self, at: &mut Cursor, len: u64) {
        self.nuls.get_or_insert(at.byte);
        at.byte += len;
    }

    pub(super) fn finish(&mut self, at: Cursor, index: &mut RecordIndex) -> FramerAction {
        self.end_line(at, index);
        FramerAction::Now(Mode::Ended)
    }

    pub(super) fn start(&self) -> Option<Cursor> {
        self.first
    }

    /// A part of a line, without NUL bytes.
    fn text(&mut self, at: &mut Cursor, part: &[u8], index: &mut RecordIndex) {
        if part.is_empty() {
            return;
        }
        self.end_nuls(*at, index);
        if let Some(first) = part.iter().position(|&b| !is_space(b)) {
            self.take_back(index);
            let trailing = part.iter().rev().take_while(|&&b| is_space(b)).count();
            self.first.get_or_insert(Cursor { byte: at.byte + first as u64, line: at.line });
            self.end = at.byte + (part.len() - trailing) as u64;
        }
        at.byte += part.len() as u64;
    }

    fn end_line(&mut self, at: Cursor, index: &mut RecordIndex) {
        self.end_nuls(at, index);
        self.end_record(index);
        self.reported_start = None;
    }

    pub(super) fn take_early(&mut self, index: &mut RecordIndex) {
        if self.nuls.is_none() && self.first.is_some() {
            self.reported_start = self.first;
            self.end_record(index);
        }
    }

    /// A line that was reported early goes on after all: the record is void.
    fn take_back(&mut self, index: &mut RecordIndex) {
        if let Some(start) = self.reported_start.take() {
            index.truncate(index.len().saturating_sub(1));
            self.first = Some(start);
        }
    }

    fn end_record(&mut self, index: &mut RecordIndex) {
        if let Some(first) = self.first.take() {
            index.push(first.until(self.end), None);
        }
    }

    /// A run of NUL bytes ends here.
    fn end_nuls(&mut self, at: Cursor, index: &mut RecordIndex) {
        let Some(byte) = self.nuls.take() else { return };
        self.end_record(index);
        self.reported_start = None;
        push_hole(Cursor { byte, line: at.line }, at.byte, index);
    }
}

/// A run of NUL bytes is a hole that a crash or a truncation left (TAIL T13): a broken record of its own, so that it
/// costs nobody else its bytes.
pub(super) fn push_hole(from: Cursor, end: u64, index: &mut RecordIndex) {
    let (hole, byte) = (from.until(end), from.byte);
    index.push(hole, Some(format!("a hole of {} NUL bytes at byte {byte}, as a crash leaves it", hole.span.len)));
}

/// Length of the run of NUL bytes at the start.
pub(super) fn zeros(bytes: &[u8]) -> usize {
    // Compared in blocks, which is as fast as memory: holes can be gigabytes.
    let blocks = bytes.chunks_exact(ZEROS.len()).take_while(|block| **block == ZEROS).count() * ZEROS.len();
    blocks + bytes[blocks..].iter().take_while(|&&b| b == 0).count()
}

/// Reads a file that is not a JSON text line by line until one is an object or array by itself: then all are records
/// (A1). If none is, what is wrong with the text is one broken record.
#[derive(Debug, Clone)]
pub(super) struct DetectLines {
    /// Where that record begins, and why it is one.
    from: Cursor,
    why: String,
    /// After the last byte that is no white space.
    end: u64,
    line: LineContent,
    /// Where the first line begins that may be a value or the beginning of one, and where the text before it ends.
    value: Option<(Cursor, u64)>,
    /// Whether the text is whole values one after the other: if no line is a record, those are (not in A1, S1).
    is_run: bool,
    /// Whether a line may be one of a stream of events, or a mark before one, so that these are the records.
    has_events: bool,
}

#[derive(Debug, Clone)]
enum LineContent {
    Blank,
    Value(Box<Scanner>),
    Whole,
    Other,
    /// In the name of an event's field, or in a mark before a value; the bytes of it that were read.
    Begin(&'static [u8], usize),
    /// D1 goes without the question.
    NotAsked,
}

impl DetectLines {
    /// What a mode turns to when the text is at fault: at `byte`, in a record that begins at `from`.
    pub(super) fn begin(rules: Rules, from: Cursor, byte: u64, why: &str) -> FramerAction {
        if rules.are_values() {
            return Self::without(from, byte, why);
        }
        let (why, has_events) = (format!("{why} at byte {byte}"), rules.framing == Framing::Elements);
        FramerAction::From(
            rules.origin,
            Mode::DetectLines(Self {
                from,
                why,
                end: from.byte,
                line: LineContent::Blank,
                value: None,
                is_run: false,
                has_events,
            }),
        )
    }

    /// The same for what follows a whole first value, at `byte`.
    pub(super) fn behind_value(rules: Rules, from: Cursor, byte: u64) -> FramerAction {
        let mut turn = Self::begin(rules, from, byte, "a second value or other text behind the first");
        if let FramerAction::From(_, Mode::DetectLines(detecting)) = &mut turn {
            detecting.is_run = rules.framing == Framing::Elements;
        }
        turn
    }

    /// The same, but no line is asked.
    pub(super) fn without(from: Cursor, byte: u64, why: &str) -> FramerAction {
        let why = format!("{why} at byte {byte}");
        FramerAction::From(
            from,
            Mode::DetectLines(Self {
                from,
                why,
                end: from.byte,
                line: LineContent::NotAsked,
                value: None,
                is_run: false,
                has_events: false,
            }),
        )
    }

    pub(super) fn feed(
        &mut self,
        rules: Rules,
        at: &mut Cursor,
        mut piece: &[u8],
        index: &mut RecordIndex,
    ) -> FramerAction {
        if matches!(self.line, LineContent::NotAsked) {
            self.saw(*at, piece);
            at.pass(piece);
            return FramerAction::More;
        }
        while let Some(i) = memchr::memchr(b'\n', piece) {
            self.part(rules, *at, &piece[..i]);
            if let Some(turn) = self.turn_at_line(rules, index) {
                return turn;
            }
            self.line = LineContent::Blank;
            at.pass(&piece[..=i]);
            piece = &piece[i + 1..];
        }
        self.part(rules, *at, piece);
        at.pass(piece);
        FramerAction::More
    }

    /// Whether nothing before the end of the line changes what it is.
    pub(super) fn is_decided(&self) -> bool {
        matches!(self.line, LineContent::Other | LineContent::NotAsked)
    }

    /// Passes over `len` NUL bytes of such a line.
    pub(super) fn pass_zeros(&mut self, at: &mut Cursor, len: u64) {
        at.byte += len;
        self.end = self.end.max(at.byte);
    }

    pub(super) fn finish(&mut self, rules: Rules, index: &mut RecordIndex) -> FramerAction {
        if let Some(turn) = self.turn_at_line(rules, index) {
            return turn;
        }
        if self.is_run {
            return FramerAction::From(self.from, Mode::Run(Run::default()));
        }
        // What a program printed before its document costs only itself.
        let document = self.value.filter(|(at, _)| rules.takes_surrogates && at.byte > self.from.byte);
        let end = document.map_or(self.end, |(_, end)| end);
        index.push(self.from.until(end), Some(std::mem::take(&mut self.why)));
        match document {
            Some((at, _)) => FramerAction::From(at, Mode::Start),
            None => FramerAction::Now(Mode::Ended),
        }
    }

    pub(super) fn start(&self) -> Cursor {
        self.from
    }

    /// What the text is to be read as instead, as its line says that ends.
    fn turn_at_line(&self, rules: Rules, index: &mut RecordIndex) -> Option<FramerAction> {
        let mode = match &self.line {
            LineContent::Whole => Mode::Lines(Lines::default()),
            LineContent::Begin(name, known) if *known == name.len() => match *name {
                FIELD => Mode::EventStream(EventStream::default()),
                _ => Mode::Marked(Marked::default()),
            },
            _ => return None,
        };
        index.truncate(0);
        Some(FramerAction::From(rules.origin, mode))
    }

    fn saw(&mut self, at: Cursor, part: &[u8]) {
        if let Some(last) = part.iter().rposition(|&b| !is_space(b)) {
            self.end = self.end.max(at.byte + last as u64 + 1);
        }
    }

    /// A part of a line.
    fn part(&mut self, rules: Rules, at: Cursor, mut part: &[u8]) {
        let end = self.end;
        self.saw(at, part);
        if matches!(self.line, LineContent::Blank) {
            let Some(first) = part.iter().position(|&b| !is_space(b)) else { return };
            if matches!(part[first], b'{' | b'[') {
                self.value.get_or_insert((Cursor { byte: at.byte + first as u64, ..at }, end));
            }
            part = &part[first..];
            self.line = match part[0] {
                b'{' | b'[' => LineContent::Value(Box::new(rules.scanner(SCAN_DEPTH_MAX))),
                b'd' if self.has_events => LineContent::Begin(FIELD, 0),
                b'-' if self.has_events => LineContent::Begin(MARK, 0),
                _ => LineContent::Other,
            };
        }
        if let LineContent::Begin(name, known) = &mut self.line {
            let name = name.get(*known..).unwrap_or_default();
            let len = name.len().min(part.len());
            if part.starts_with(&name[..len]) { *known += len } else { self.line = LineContent::Other }
        }
        if let LineContent::Value(scanner) = &mut self.line {
            match scanner.feed(part) {
                Scan::More => return,
                Scan::Fault(..) => self.line = LineContent::Other,
                Scan::End(end) => {
                    self.line = LineContent::Whole;
                    part = &part[end..];
                }
            }
        }
        if matches!(self.line, LineContent::Whole) && !part.iter().all(|&b| is_space(b)) {
            self.line = LineContent::Other;
        }
    }
}
