//! Streams of server-sent events: each `data:` line is a record, without the name of the field.
//!
//! Comments, other fields and blank lines are not events, and neither is what some services end a stream with
//! (`[DONE]`). A record is one stretch of the input, so an event of several `data:` lines is several records.

use super::{Cursor, FramerAction, Mode, is_space};
use crate::model::RecordIndex;
use crate::model::cast;

/// What a record's line begins with.
pub(super) const FIELD: &[u8] = b"data:";

/// The longest payload that says nothing: the end of a stream.
const DONE: &[u8] = b"[DONE]";

/// Each `data:` line is a record.
#[derive(Debug, Clone)]
pub(super) struct EventStream {
    line: EventLine,
}

#[derive(Debug, Clone)]
enum EventLine {
    /// In the name of the field; the bytes of it that were read.
    Name(usize),
    /// The payload: its first byte that is no white space, after its last one, and whether it can be `[DONE]`.
    Data { first: Option<Cursor>, end: u64, is_done: bool },
    /// Another line.
    Other,
}

impl Default for EventStream {
    fn default() -> Self {
        Self { line: EventLine::Name(0) }
    }
}

impl EventStream {
    pub(super) fn feed(&mut self, at: &mut Cursor, mut piece: &[u8], index: &mut RecordIndex) -> FramerAction {
        while let Some(end) = memchr::memchr(b'\n', piece) {
            let (line, rest) = piece.split_at(end);
            self.part(at, line);
            self.end_line(index);
            at.byte += 1;
            at.line += 1;
            piece = rest.get(1..).unwrap_or_default();
        }
        self.part(at, piece);
        FramerAction::More
    }

    pub(super) fn finish(&mut self, index: &mut RecordIndex) -> FramerAction {
        self.end_line(index);
        FramerAction::Now(Mode::Ended)
    }

    /// Where the record begins that is not whole yet.
    pub(super) fn start(&self) -> Option<Cursor> {
        match &self.line {
            EventLine::Data { first, .. } => *first,
            EventLine::Name(_) | EventLine::Other => None,
        }
    }

    /// A part of a line.
    fn part(&mut self, at: &mut Cursor, mut part: &[u8]) {
        if let EventLine::Name(known) = self.line {
            let name = FIELD.get(known..).unwrap_or_default();
            let len = name.len().min(part.len());
            let (head, rest) = part.split_at(len);
            self.line = match name.starts_with(head) {
                false => EventLine::Other,
                true if len < name.len() => EventLine::Name(known + len),
                true => EventLine::Data { first: None, end: 0, is_done: true },
            };
            at.byte += len as u64;
            part = rest;
        }
        if let EventLine::Data { first, end, is_done } = &mut self.line
            && let Some(begin) = part.iter().position(|&b| !is_space(b))
        {
            let start = first.get_or_insert(Cursor { byte: at.byte + begin as u64, line: at.line });
            let trailing = part.iter().rev().take_while(|&&b| is_space(b)).count();
            *end = at.byte + (part.len() - trailing) as u64;
            let mark = DONE.get(cast::to_usize(at.byte + begin as u64 - start.byte)..).unwrap_or_default();
            *is_done &= mark.starts_with(part.get(begin..part.len() - trailing).unwrap_or_default());
        }
        at.byte += part.len() as u64;
    }

    fn end_line(&mut self, index: &mut RecordIndex) {
        if let EventLine::Data { first: Some(first), end, is_done } =
            std::mem::replace(&mut self.line, EventLine::Name(0))
        {
            let place = first.until(end);
            if !is_done || place.span.len != DONE.len() as u64 {
                index.push(place, None);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::framing::Framer;
    use crate::model::{Framing, RecordIndex};

    #[test]
    fn the_data_lines_are_records() {
        for (text, expected) in [
            ("# words\ndata: {\"a\":1}\n\n: ping\nid: 7\ndata:{}\r\n", &[(2, 7), (6, 2)][..]),
            (": ping\n\ndata: 7 \ndata:\ndata: [DONE]\ndata: [DONE\n", &[(3, 1), (6, 5)]),
        ] {
            let (mut framer, mut records) = (Framer::new(Framing::Elements), RecordIndex::default());
            while framer.position() < text.len() as u64 || !framer.finish(&mut records) {
                framer.feed(&text.as_bytes()[framer.position() as usize..], &mut records);
            }
            let found: Vec<_> = records.iter().map(|r| (r.place.line, r.place.span.len)).collect();
            assert_eq!(found, expected);
        }
    }
}
