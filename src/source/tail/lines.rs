//! A file as lines: values, broken lines, holes, and the unfinished end (TAIL T8 to T13).

use super::TailItem;
use super::validate::{self, Token};
use crate::framing::BYTE_ORDER_MARK;
use crate::text::counted;

/// Longest line that is kept until its newline comes: a line without end must not take all memory.
const LINE_BYTES_MAX: usize = 256 << 20;

/// Reads lines. Each byte is looked at for a newline once.
#[derive(Debug)]
pub(super) struct Lines {
    /// The next byte to read.
    at: u64,
    line: u64,
    /// Where `pending` begins.
    begin: u64,
    /// The unfinished line, as far as it was read.
    pending: Vec<u8>,
    /// Bytes of `pending` that were reported before its newline came (T9).
    reported_bytes: usize,
    /// Length of `pending` that was found to be no whole value.
    refused: usize,
    /// Where a run of NUL bytes begins that reaches to `at`.
    nuls: Option<u64>,
    /// Whether a hole is on this line.
    is_torn: bool,
    /// Whether the first line was looked at: it says whether this is lines or a document (T14).
    is_decided: bool,
    /// Whether the line is too long and passed over up to its newline, which was reported.
    is_passed_over: bool,
    line_bytes_max: usize,
}

/// Who is notified.
type ItemSink<'a> = dyn FnMut(TailItem<'_>) + 'a;

/// Whether the text is lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(super) enum Kind {
    Lines,
    /// The first line is the beginning of a value that goes on.
    Document,
}

impl Lines {
    /// At the first byte; `is_decided`: whatever the first line is.
    pub(super) fn new(is_decided: bool) -> Self {
        Self {
            at: 0,
            line: 1,
            begin: 0,
            pending: Vec::new(),
            reported_bytes: 0,
            refused: 0,
            nuls: None,
            is_torn: false,
            is_decided,
            is_passed_over: false,
            line_bytes_max: LINE_BYTES_MAX,
        }
    }

    /// Gives back memory that is not needed until more comes.
    pub(super) fn rest(&mut self) {
        self.pending.shrink_to_fit();
    }

    /// The byte at which the next piece begins.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// Whether the pending text was not looked at yet.
    pub(super) fn may_be_whole(&self) -> bool {
        self.pending.len() > self.reported_bytes && self.pending.len() != self.refused
    }

    /// Takes the next piece.
    pub(super) fn feed(&mut self, mut piece: &[u8], emit: &mut ItemSink<'_>) -> Kind {
        while !piece.is_empty() {
            if self.nuls.is_some() {
                let zeros = piece.iter().position(|&b| b != 0).unwrap_or(piece.len());
                self.at += zeros as u64;
                piece = &piece[zeros..];
                if piece.is_empty() {
                    break;
                }
                self.end_hole(emit);
            }
            let Some(i) = memchr::memchr2(b'\n', 0, piece) else {
                self.keep(piece, emit);
                break;
            };
            let (text, rest) = piece.split_at(i);
            if rest[0] == 0 {
                self.keep(text, emit);
                self.nuls = Some(self.at);
                piece = rest;
                continue;
            }
            if self.end_line(text, emit) == Kind::Document {
                return Kind::Document;
            }
            piece = &rest[1..];
        }
        Kind::Lines
    }

    /// Goes over NUL bytes that need not be read, up to this byte.
    pub(super) fn pass(&mut self, to: u64) {
        self.nuls.get_or_insert(self.at);
        self.at = to;
    }

    /// Reports pending text that is whole, though its newline is missing (T9, T10).
    pub(super) fn take_early(&mut self, emit: &mut ItemSink<'_>) {
        let text = &self.pending[self.reported_bytes + self.mark(self.reported_bytes)..];
        if validate::is_blank(text) || self.pending.len() == self.refused {
            return;
        }
        if validate::is_whole(text) {
            let pending = std::mem::take(&mut self.pending);
            self.judge(&pending, self.begin, true, emit);
            self.reported_bytes = pending.len();
            self.pending = pending;
        } else {
            self.refused = self.pending.len();
        }
    }

    /// The end is final: pending text is a value or one error.
    pub(super) fn finish(&mut self, emit: &mut ItemSink<'_>) {
        let pending = std::mem::take(&mut self.pending);
        self.judge(&pending, self.begin, true, emit);
        (self.reported_bytes, self.refused) = (0, 0);
    }

    fn keep(&mut self, text: &[u8], emit: &mut ItemSink<'_>) {
        if self.pending.is_empty() {
            self.begin = self.at;
        }
        self.at += text.len() as u64;
        if self.is_passed_over {
            return;
        }
        self.pending.extend_from_slice(text);
        if self.pending.len() > self.line_bytes_max {
            self.pass_over(emit);
        }
    }

    /// The line is too long to be kept: one error, and nothing more up to its newline.
    fn pass_over(&mut self, emit: &mut ItemSink<'_>) {
        let (offset, line) = (self.begin, self.line);
        let mib = self.line_bytes_max >> 20;
        let why = format!("the line has no end within {mib} MiB: it is passed over up to its newline");
        emit(TailItem::Error { offset, line, why, hole: None, is_unterminated: true });
        self.pending = Vec::new();
        (self.reported_bytes, self.refused, self.is_passed_over, self.is_decided) = (0, 0, true, true);
    }

    fn end_line(&mut self, text: &[u8], emit: &mut ItemSink<'_>) -> Kind {
        let kind = if std::mem::take(&mut self.is_passed_over) {
            Kind::Lines
        } else if self.pending.is_empty() {
            self.judge_line(text, self.at, emit)
        } else {
            let mut line = std::mem::take(&mut self.pending);
            line.extend_from_slice(text);
            let kind = self.judge_line(&line, self.begin, emit);
            // The room of a huge line is given back.
            if line.capacity() <= 1 << 20 {
                line.clear();
                self.pending = line;
            }
            kind
        };
        self.at += text.len() as u64 + 1;
        self.line += 1;
        (self.reported_bytes, self.refused, self.is_torn) = (0, 0, false);
        kind
    }

    fn judge_line(&mut self, line: &[u8], begin: u64, emit: &mut ItemSink<'_>) -> Kind {
        let mark = if begin == 0 { mark(line) } else { 0 };
        if !self.is_decided && !validate::is_blank(&line[mark..]) {
            self.is_decided = true;
            if !self.is_torn && validate::goes_on(&line[mark..]) {
                return Kind::Document;
            }
        }
        self.judge(line, begin, false, emit);
        Kind::Lines
    }

    fn mark(&self, from: usize) -> usize {
        if self.begin == 0 && from == 0 { mark(&self.pending) } else { 0 }
    }

    fn judge(&self, text: &[u8], begin: u64, is_unterminated: bool, emit: &mut ItemSink<'_>) {
        let mark = if begin == 0 { mark(text) } else { 0 };
        let line = self.line;
        let is_alone = !self.is_torn && self.reported_bytes == 0;
        validate::parts(&text[mark..], self.reported_bytes.saturating_sub(mark), is_alone, &mut |part| match part {
            Token::Value(at, text) => {
                emit(TailItem::Record { offset: begin + (mark + at) as u64, line, text, is_unterminated });
            }
            Token::Error(at, why, byte) => {
                let why = format!("not JSON: {why}, at byte {}", begin + (mark + byte) as u64);
                emit(TailItem::Error { offset: begin + (mark + at) as u64, line, why, hole: None, is_unterminated });
            }
        });
    }

    /// A run of NUL bytes ends here: half a line before it is an error, and so is the hole (T13).
    fn end_hole(&mut self, emit: &mut ItemSink<'_>) {
        let Some(from) = self.nuls.take() else { return };
        if self.is_passed_over {
            return;
        }
        self.is_torn = true;
        let half = std::mem::take(&mut self.pending);
        self.judge(&half, self.begin, false, emit);
        (self.reported_bytes, self.refused) = (0, 0);
        let len = self.at - from;
        let why = format!("a hole of {}, as a crash or a truncation leaves it", counted(len, "NUL byte"));
        emit(TailItem::Error { offset: from, line: self.line, why, hole: Some(len), is_unterminated: false });
    }
}

/// Length of the byte order mark at the start of a file.
pub(super) fn mark(text: &[u8]) -> usize {
    if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(tale: TailItem<'_>) -> String {
        match tale {
            TailItem::Record { offset, line, text, is_unterminated } => {
                format!("{offset}:{line} {text}{}", if is_unterminated { " …" } else { "" })
            }
            TailItem::Error { offset, line, hole, is_unterminated, .. } => {
                let hole = hole.map_or(String::new(), |n| format!(" hole {n}"));
                format!("{offset}:{line} !{hole}{}", if is_unterminated { " …" } else { "" })
            }
            other => format!("{other:?}"),
        }
    }

    fn tail_items(text: &[u8], size: usize) -> Vec<String> {
        let (mut lines, mut out) = (Lines::new(false), Vec::new());
        for piece in text.chunks(size) {
            assert_eq!(lines.feed(piece, &mut |tale| out.push(shown(tale))), Kind::Lines);
        }
        lines.finish(&mut |tale| out.push(shown(tale)));
        out
    }

    #[test]
    fn the_same_bytes_in_any_pieces_are_the_same_lines() {
        for (text, expected) in [
            (
                &b"\xef\xbb\xbf{}\r\n\r\n  [1] {\"a\":2}\nx\n7\n"[..],
                &["3:1 {}", "11:3 [1]", "15:3 {\"a\":2}", "23:4 !", "25:5 7"][..],
            ),
            (b"{}\n{\"a\"", &["0:1 {}", "3:2 ! …"]),
            (b"{}\n{\"a\":1}", &["0:1 {}", "3:2 {\"a\":1} …"]),
            (b"{}\n\0\0\0{}\n", &["0:1 {}", "3:2 ! hole 3", "6:2 {}"]),
            (b"{}\n{\"a\0\0{}\n", &["0:1 {}", "3:2 !", "6:2 ! hole 2", "8:2 {}"]),
            (b"\0\n12\n1\0\0\n", &["0:1 ! hole 1", "2:2 12", "5:3 !", "6:3 ! hole 2"]),
            (b"{\"a\":\"\xc3\xa9\"}\n{\"b\":\"\xff\"}\n", &["0:1 {\"a\":\"é\"}", "11:2 !"]),
            (b"\xef\xbb", &["0:1 ! …"]),
            (b"\xef\xbb\xbf", &[]),
        ] {
            for size in 1..=9 {
                assert_eq!(tail_items(text, size), expected, "{:?} in pieces of {size}", String::from_utf8_lossy(text));
            }
        }
    }

    #[test]
    fn a_line_without_end_is_one_error_and_costs_no_memory() {
        let (mut lines, mut out) = (Lines { line_bytes_max: 1 << 20, ..Lines::new(false) }, Vec::new());
        let piece = vec![b'x'; 300_000];
        for _ in 0..50 {
            let _ = lines.feed(&piece, &mut |tale| out.push(shown(tale)));
            assert!(lines.pending.capacity() < 4 << 20);
        }
        assert_eq!(out, ["0:1 ! …"]);
        let _ = lines.feed(b"\0\0x\n{\"a\":1}\n", &mut |tale| out.push(shown(tale)));
        assert_eq!(out[1..], ["15000004:2 {\"a\":1}"]);
    }

    #[test]
    fn what_is_taken_early_is_not_reported_again() {
        let (mut lines, mut out) = (Lines::new(false), Vec::new());
        let mut early = |lines: &mut Lines, text: &[u8]| {
            let _ = lines.feed(text, &mut |tale| out.push(shown(tale)));
            lines.take_early(&mut |tale| out.push(shown(tale)));
            lines.take_early(&mut |tale| out.push(shown(tale)));
            std::mem::take(&mut out)
        };
        assert_eq!(early(&mut lines, b"\xef\xbb\xbf{\"a\""), [""; 0]);
        assert_eq!(early(&mut lines, b":1}"), ["3:1 {\"a\":1} …"]);
        assert_eq!(early(&mut lines, b" "), [""; 0]);
        assert_eq!(early(&mut lines, b"[2]"), ["11:1 [2] …"]);
        assert_eq!(
            early(&mut lines, b"3\n12"),
            ["14:1 !"],
            "text behind a value is an error, a number is not taken early"
        );
        assert_eq!(early(&mut lines, b"3\n"), ["16:2 123"]);
    }
}
