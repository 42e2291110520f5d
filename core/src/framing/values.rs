//! Records as values: one text, the elements of one array, the members of one object, a run of values with white space
//! between them.

use super::lines::{DetectLines, Lines, push_hole, zeros};
use super::{Cursor, Ending, FramerAction, Mode, Rules, is_space};
use crate::json::{DEPTH_MAX, SCAN_DEPTH_MAX, Scan, Scanner};
use crate::model::Framing;
use crate::model::RecordIndex;

/// The file is tried as one JSON text; a first line that is a record by itself makes it lines (A1, S1).
#[derive(Debug, Clone)]
pub(super) struct SingleDocument {
    start: Cursor,
    is_container: bool,
    scanner: Scanner,
    end: Option<Cursor>,
    /// Whether the record was reported before the end.
    is_reported: bool,
}

impl SingleDocument {
    pub(super) fn new(rules: Rules, start: Cursor, first: u8) -> Self {
        let is_container = matches!(first, b'{' | b'[');
        Self { start, is_container, scanner: rules.scanner(SCAN_DEPTH_MAX), end: None, is_reported: false }
    }

    pub(super) fn feed(
        &mut self,
        rules: Rules,
        at: &mut Cursor,
        mut piece: &[u8],
        index: &mut RecordIndex,
    ) -> FramerAction {
        let end = match self.end {
            Some(end) => end,
            None => match self.scanner.feed(piece) {
                Scan::More => {
                    at.pass(piece);
                    return FramerAction::More;
                }
                Scan::Fault(n, why) => return DetectLines::begin(rules, self.start, at.byte + n as u64, why),
                Scan::End(n) => {
                    at.pass(&piece[..n]);
                    piece = &piece[n..];
                    *self.end.insert(*at)
                }
            },
        };
        let space = piece.iter().take_while(|&&b| is_space(b)).count();
        at.pass(&piece[..space]);
        let is_record = self.is_container || rules.framing == Framing::Elements;
        if is_record && end.line == self.start.line && at.line > end.line {
            self.push_record(end, index);
            return FramerAction::Now(Mode::Lines(Lines::default()));
        }
        if space == piece.len() {
            return FramerAction::More;
        }
        index.truncate(0);
        DetectLines::behind_value(rules, self.start, at.byte)
    }

    pub(super) fn finish(&mut self, rules: Rules, at: Cursor, index: &mut RecordIndex) -> FramerAction {
        let end = match (self.end, self.scanner.finish()) {
            (Some(end), _) => end,
            (None, Ok(())) => at,
            (None, Err(why)) => return DetectLines::begin(rules, self.start, at.byte, why),
        };
        self.push_record(end, index);
        FramerAction::Now(Mode::Ended)
    }

    fn push_record(&mut self, end: Cursor, index: &mut RecordIndex) {
        if !std::mem::replace(&mut self.is_reported, true) {
            index.push(self.start.until(end.byte), None);
        }
    }

    pub(super) fn take_early(&mut self, index: &mut RecordIndex) {
        if let Some(end) = self.end {
            self.push_record(end, index);
        }
    }

    pub(super) fn ending(&self) -> Ending {
        match (self.is_reported, self.end) {
            (true, _) => Ending::Clean,
            (false, Some(_)) => Ending::Whole,
            (false, None) => Ending::Torn,
        }
    }

    /// Where what is not a record yet begins.
    pub(super) fn start(&self) -> Option<Cursor> {
        (!self.is_reported).then_some(self.start)
    }
}

/// The elements of one array. If something follows it, the file is not an array: then it is a run of values (D1) or
/// lines. A fault inside ends it: the elements before it stay (D1), but if some line is a record by itself, the file is
/// lines.
#[derive(Debug, Clone)]
pub(super) struct Array {
    start: Cursor,
    part: ValuePart,
}

#[derive(Debug, Clone)]
enum ValuePart {
    Opening,
    /// After `[`.
    First,
    /// After a comma.
    Next,
    Element(Cursor, Scanner),
    After,
    Closed,
}

impl Array {
    pub(super) fn new(start: Cursor) -> Self {
        Self { start, part: ValuePart::Opening }
    }

    pub(super) fn feed(
        &mut self,
        rules: Rules,
        at: &mut Cursor,
        mut piece: &[u8],
        index: &mut RecordIndex,
    ) -> FramerAction {
        loop {
            if let ValuePart::Element(start, scanner) = &mut self.part {
                match scanner.feed(piece) {
                    Scan::More => {
                        at.pass(piece);
                        return FramerAction::More;
                    }
                    Scan::Fault(n, why) => return DetectLines::begin(rules, *start, at.byte + n as u64, why),
                    Scan::End(n) => {
                        at.pass(&piece[..n]);
                        piece = &piece[n..];
                        index.push(start.until(at.byte), None);
                        self.part = ValuePart::After;
                    }
                }
            }
            let Some(skipped) = at.pass_space(piece) else { return FramerAction::More };
            piece = &piece[skipped..];
            self.part = match (&self.part, piece[0]) {
                (ValuePart::Opening, _) => ValuePart::First,
                (ValuePart::After, b',') => ValuePart::Next,
                (ValuePart::First | ValuePart::After, b']') => ValuePart::Closed,
                (ValuePart::First | ValuePart::Next, _) => {
                    let depth_max = if rules.are_values() { DEPTH_MAX } else { SCAN_DEPTH_MAX };
                    self.part = ValuePart::Element(*at, rules.scanner(depth_max));
                    continue;
                }
                (ValuePart::Closed, _) => return self.followed(rules, *at, index),
                _ => return DetectLines::begin(rules, *at, at.byte, "expected `,` or `]`"),
            };
            at.pass(&piece[..1]);
            piece = &piece[1..];
        }
    }

    fn followed(&self, rules: Rules, at: Cursor, index: &mut RecordIndex) -> FramerAction {
        if !rules.are_values() {
            return DetectLines::begin(rules, at, at.byte, "text behind the array");
        }
        index.truncate(0);
        FramerAction::From(self.start, Mode::Run(Run::default()))
    }

    pub(super) fn finish(&mut self, rules: Rules, at: Cursor, index: &mut RecordIndex) -> FramerAction {
        let start = match &self.part {
            ValuePart::Closed => return FramerAction::Now(Mode::Ended),
            ValuePart::Element(start, scanner) if scanner.finish().is_ok() => {
                index.push(start.until(at.byte), None);
                self.part = ValuePart::After;
                at
            }
            ValuePart::Element(start, _) => *start,
            ValuePart::Opening | ValuePart::First | ValuePart::Next | ValuePart::After => at,
        };
        let why = "the text ends before its array does";
        if index.is_empty() {
            return DetectLines::begin(rules, start, at.byte, why);
        }
        // Whole elements came before: it is a torn array, even if its last element is on a line of its own.
        DetectLines::without(start, at.byte, why)
    }

    pub(super) fn ending(&self) -> Ending {
        if matches!(self.part, ValuePart::Closed) { Ending::Clean } else { Ending::Torn }
    }

    /// Where what is not a record yet begins.
    pub(super) fn start(&self) -> Option<Cursor> {
        match &self.part {
            ValuePart::Element(start, _) => Some(*start),
            _ => None,
        }
    }
}

/// The members of one object, each a record without its name. If one is not an object, or something follows it, the
/// file is a run of values. A fault in a later member, or a missing end, ends it: the members before stay.
#[derive(Debug, Clone)]
pub(super) struct Members {
    start: Cursor,
    at: At,
}

#[derive(Debug, Clone)]
enum At {
    Opening,
    /// After `{`.
    First,
    /// After a comma.
    Next,
    Name(Scanner),
    Colon,
    Value,
    Member(Cursor, Scanner),
    After,
    Closed,
}

impl Members {
    pub(super) fn new(start: Cursor) -> Self {
        Self { start, at: At::Opening }
    }

    pub(super) fn feed(&mut self, at: &mut Cursor, mut piece: &[u8], index: &mut RecordIndex) -> FramerAction {
        loop {
            if let At::Name(scanner) | At::Member(_, scanner) = &mut self.at {
                match scanner.feed(piece) {
                    Scan::More => {
                        at.pass(piece);
                        return FramerAction::More;
                    }
                    Scan::Fault(n, why) => return self.fault(at.byte + n as u64, why, index),
                    Scan::End(n) => {
                        at.pass(&piece[..n]);
                        piece = &piece[n..];
                    }
                }
                self.at = match &self.at {
                    At::Member(start, _) => {
                        index.push(start.until(at.byte), None);
                        At::After
                    }
                    _ => At::Colon,
                };
            }
            let Some(skipped) = at.pass_space(piece) else { return FramerAction::More };
            piece = &piece[skipped..];
            self.at = match (&self.at, piece[0]) {
                (At::Opening, _) => At::First,
                (At::First | At::Next, b'"') => At::Name(Scanner::default()),
                (At::Colon, b':') => At::Value,
                (At::Value, b'{') => At::Member(*at, Scanner::new(DEPTH_MAX)),
                (At::After, b',') => At::Next,
                (At::After, b'}') => At::Closed,
                _ => return self.run(index),
            };
            if !matches!(self.at, At::Name(_) | At::Member(..)) {
                at.pass(&piece[..1]);
                piece = &piece[1..];
            }
        }
    }

    /// The text is at fault in a name or a member.
    fn fault(&self, byte: u64, why: &str, index: &mut RecordIndex) -> FramerAction {
        match self.at {
            At::Member(start, _) if !index.is_empty() => DetectLines::without(start, byte, why),
            _ => self.run(index),
        }
    }

    /// Reads the file again as what it is instead.
    fn run(&self, index: &mut RecordIndex) -> FramerAction {
        index.truncate(0);
        FramerAction::From(self.start, Mode::Run(Run::default()))
    }

    pub(super) fn finish(&self, at: Cursor, index: &mut RecordIndex) -> FramerAction {
        match &self.at {
            At::Closed => FramerAction::Now(Mode::Ended),
            _ if index.is_empty() => self.run(index),
            _ => DetectLines::without(self.start().unwrap_or(at), at.byte, "the text ends before its object does"),
        }
    }

    pub(super) fn ending(&self) -> Ending {
        if matches!(self.at, At::Closed) { Ending::Clean } else { Ending::Torn }
    }

    /// Where what is not a record yet begins.
    pub(super) fn start(&self) -> Option<Cursor> {
        match &self.at {
            At::Member(start, _) => Some(*start),
            _ => None,
        }
    }
}

/// A run of values. After one that cannot be read it goes on at the next line that begins with `{` or `[` (D1).
#[derive(Debug, Clone, Default)]
pub(super) enum Run {
    #[default]
    Between,
    /// A value: its start, whether its own last byte does not give its end, and the scanner.
    Value(Cursor, bool, Scanner),
    /// A number or word, which needs white space after it.
    Scalar(Cursor),
    Skip(Skip),
    /// A hole, from here on.
    Nuls(Cursor),
}

/// A value that cannot be read, up to where reading resumes: a line that begins with `{` or `[` (D1), or a hole, after
/// which a value is good (TAIL T13).
#[derive(Debug, Clone)]
pub(super) struct Skip {
    start: Cursor,
    why: String,
    end: u64,
    /// The last byte before it.
    last: u8,
    is_line_start: bool,
    /// Whether it is on the first line of a log, which may end with the first byte of the document: `opencode export`
    /// writes what it does before it, without a newline.
    is_head: bool,
}

impl Run {
    pub(super) fn feed(
        &mut self,
        rules: Rules,
        at: &mut Cursor,
        mut piece: &[u8],
        index: &mut RecordIndex,
    ) -> FramerAction {
        loop {
            match self {
                Self::Between => {
                    let Some(skipped) = at.pass_space(piece) else { return FramerAction::More };
                    piece = &piece[skipped..];
                    if piece[0] == 0 {
                        *self = Self::Nuls(*at);
                        continue;
                    }
                    let is_scalar = !matches!(piece[0], b'{' | b'[' | b'"');
                    *self = Self::Value(*at, is_scalar, rules.scanner(DEPTH_MAX));
                }
                Self::Value(start, is_scalar, scanner) => match scanner.feed(piece) {
                    Scan::More => {
                        at.pass(piece);
                        return FramerAction::More;
                    }
                    Scan::Fault(n, why) => {
                        let is_head = rules.takes_surrogates && start.line == 1 && start.byte == rules.origin.byte;
                        return Self::unreadable(*start, at.byte + n as u64, why, is_head);
                    }
                    Scan::End(n) => {
                        at.pass(&piece[..n]);
                        piece = &piece[n..];
                        *self = if *is_scalar {
                            Self::Scalar(*start)
                        } else {
                            index.push(start.until(at.byte), None);
                            Self::Between
                        };
                    }
                },
                Self::Scalar(start) => match piece.first() {
                    None => return FramerAction::More,
                    Some(&b) if !is_space(b) => return Self::unreadable(*start, at.byte, "text behind a value", false),
                    Some(_) => {
                        index.push(start.until(at.byte), None);
                        *self = Self::Between;
                    }
                },
                Self::Skip(skip) => {
                    let Some(taken) = skip.feed(at, piece) else { return FramerAction::More };
                    piece = &piece[taken..];
                    skip.push_record(index);
                    let document = skip.document(*at);
                    *self = Self::Between;
                    if let Some(document) = document {
                        return FramerAction::From(document, Mode::Run(Self::Between));
                    }
                }
                Self::Nuls(start) => {
                    let run = zeros(piece);
                    at.byte += run as u64;
                    piece = &piece[run..];
                    if piece.is_empty() {
                        return FramerAction::More;
                    }
                    push_hole(*start, at.byte, index);
                    *self = Self::Between;
                }
            }
        }
    }

    /// Whether the zeros that may come next belong to a hole.
    pub(super) fn is_in_hole(&self) -> bool {
        matches!(self, Self::Nuls(_))
    }

    fn unreadable(start: Cursor, byte: u64, why: &str, is_head: bool) -> FramerAction {
        let why = format!("{why} at byte {byte}");
        let skip = Skip { start, why, end: start.byte, last: 0, is_line_start: false, is_head };
        FramerAction::From(start, Mode::Run(Self::Skip(skip)))
    }

    pub(super) fn finish(&mut self, at: Cursor, index: &mut RecordIndex) -> FramerAction {
        match self {
            Self::Between => {}
            Self::Value(start, _, scanner) => match scanner.finish() {
                Ok(()) => index.push(start.until(at.byte), None),
                Err(why) => return Self::unreadable(*start, at.byte, why, false),
            },
            Self::Scalar(start) => index.push(start.until(at.byte), None),
            Self::Skip(skip) => skip.push_record(index),
            Self::Nuls(start) => push_hole(*start, at.byte, index),
        }
        FramerAction::Now(Mode::Ended)
    }

    /// Adds `lines` to the line at which the text begins.
    pub(super) fn move_down(&mut self, lines: u64) {
        match self {
            Self::Between => {}
            Self::Value(start, ..) | Self::Scalar(start) | Self::Nuls(start) | Self::Skip(Skip { start, .. }) => {
                start.line += lines;
            }
        }
    }

    pub(super) fn start(&self) -> Option<Cursor> {
        match self {
            Self::Between => None,
            Self::Value(start, ..) | Self::Scalar(start) | Self::Nuls(start) | Self::Skip(Skip { start, .. }) => {
                Some(*start)
            }
        }
    }
}

impl Skip {
    /// Passes over the piece; how much of it precedes the line at which reading resumes, if that is in it.
    fn feed(&mut self, at: &mut Cursor, piece: &[u8]) -> Option<usize> {
        let mut taken = 0;
        while let Some(&byte) = piece.get(taken) {
            if byte == 0 || self.is_line_start && matches!(byte, b'{' | b'[') {
                return Some(taken);
            }
            let rest = &piece[taken..];
            let end = memchr::memchr2(b'\n', 0, rest);
            let newline = end.filter(|end| rest[*end] == b'\n');
            let part = &rest[..newline.map_or(end.unwrap_or(rest.len()), |i| i + 1)];
            if let Some(last) = part.iter().rposition(|&b| !is_space(b)) {
                (self.end, self.last) = (at.byte + last as u64 + 1, part[last]);
            }
            at.pass(part);
            taken += part.len();
            self.is_line_start = newline.is_some();
            // What begins where it failed would fail again, without an end.
            self.is_head &= newline.is_none() || self.last == b'{' && self.end > self.start.byte + 1;
            if self.is_head && self.is_line_start {
                self.end -= 1;
                return Some(taken);
            }
        }
        None
    }

    /// Where the document begins whose first byte is the last one of the first line.
    fn document(&self, at: Cursor) -> Option<Cursor> {
        (self.is_head && at.line > self.start.line).then_some(Cursor { byte: self.end, line: self.start.line })
    }

    fn push_record(&mut self, index: &mut RecordIndex) {
        index.push(self.start.until(self.end), Some(std::mem::take(&mut self.why)));
    }
}
