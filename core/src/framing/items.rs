//! Records as the elements of one array that is under a known name in one object, as the samples of a log.

use super::lines::DetectLines;
use super::values::Run;
use super::{Cursor, Ending, FramerAction, Mode};
use crate::json::{Scan, Scanner};
use crate::model::RecordIndex;

/// The elements of the array under a name; other members of the object are passed over. An object without that array
/// has no records. What is not an object, or has something after it, is a run of values. A fault in an element or after
/// one, or a missing end, ends it: the elements before stay.
#[derive(Debug, Clone)]
pub(super) struct Items {
    name: &'static str,
    start: Cursor,
    at: At,
}

#[derive(Debug, Clone)]
enum At {
    Opening,
    /// After `{`.
    First,
    /// After a comma of the object.
    Next,
    /// A name, and its bytes so far as they are that of the array.
    Name(Cursor, Scanner, Vec<u8>),
    /// After a name, and whether it is that of the array.
    Colon(bool),
    Value(bool),
    Passed(Cursor, Scanner),
    /// After `[` of the array.
    FirstItem,
    /// After a comma of the array.
    NextItem,
    Item(Cursor, Scanner),
    AfterItem,
    After,
    Closed,
}

impl Items {
    pub(super) fn new(name: &'static str, start: Cursor) -> Self {
        Self { name, start, at: At::Opening }
    }

    pub(super) fn feed(&mut self, at: &mut Cursor, mut piece: &[u8], index: &mut RecordIndex) -> FramerAction {
        loop {
            match self.scan(at, piece, index) {
                Ok(Some(rest)) => piece = rest,
                Ok(None) => return FramerAction::More,
                Err(action) => return *action,
            }
            let Some(skipped) = at.pass_space(piece) else { return FramerAction::More };
            piece = &piece[skipped..];
            let Some(next) = self.behind(*at, piece[0]) else {
                return self.fault(*at, at.byte, "text that does not belong there", index);
            };
            self.at = next;
            if !matches!(self.at, At::Name(..) | At::Passed(..) | At::Item(..)) {
                at.pass(&piece[..1]);
                piece = &piece[1..];
            }
        }
    }

    /// Goes on in a value or name, if there is one; what follows it, None: it goes on after the piece.
    fn scan<'p>(
        &mut self,
        at: &mut Cursor,
        piece: &'p [u8],
        index: &mut RecordIndex,
    ) -> Result<Option<&'p [u8]>, Box<FramerAction>> {
        let (At::Name(_, scanner, _) | At::Passed(_, scanner) | At::Item(_, scanner)) = &mut self.at else {
            return Ok(Some(piece));
        };
        let scanned = scanner.feed(piece);
        let taken = match scanned {
            Scan::More => piece,
            Scan::End(n) => &piece[..n],
            Scan::Fault(n, why) => return Err(Box::new(self.fault(*at, at.byte + n as u64, why, index))),
        };
        if let At::Name(.., name) = &mut self.at {
            // Of a longer name, which is another one, no more is kept than shows that.
            let room = (self.name.len() + 3).saturating_sub(name.len());
            name.extend(taken.iter().take(room));
        }
        at.pass(taken);
        if scanned == Scan::More {
            return Ok(None);
        }
        self.at = match &self.at {
            At::Item(start, _) => {
                index.push(start.until(at.byte), None);
                At::AfterItem
            }
            At::Name(.., name) => {
                let inner = name.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
                At::Colon(inner == Some(self.name.as_bytes()))
            }
            _ => At::After,
        };
        Ok(Some(&piece[taken.len()..]))
    }

    /// What comes with this byte; None: nothing may.
    fn behind(&self, at: Cursor, byte: u8) -> Option<At> {
        Some(match (&self.at, byte) {
            (At::Opening, b'{') => At::First,
            (At::First | At::Next, b'"') => At::Name(at, Scanner::default(), Vec::new()),
            (At::Colon(is_it), b':') => At::Value(*is_it),
            (At::Value(true), b'[') => At::FirstItem,
            (At::Value(_), _) => At::Passed(at, Scanner::default().lenient()),
            (At::FirstItem | At::AfterItem, b']') => At::After,
            (At::AfterItem, b',') => At::NextItem,
            (At::FirstItem | At::NextItem, _) => At::Item(at, Scanner::default().lenient()),
            (At::After, b',') => At::Next,
            (At::First | At::After, b'}') => At::Closed,
            _ => return None,
        })
    }

    fn fault(&self, at: Cursor, byte: u64, why: &str, index: &mut RecordIndex) -> FramerAction {
        if index.is_empty() || matches!(self.at, At::Closed) {
            index.truncate(0);
            return FramerAction::From(self.start, Mode::Run(Run::default()));
        }
        let start = match &self.at {
            At::Name(start, ..) | At::Passed(start, _) | At::Item(start, _) => *start,
            _ => at,
        };
        DetectLines::without(start, byte, why)
    }

    pub(super) fn finish(&self, at: Cursor, index: &mut RecordIndex) -> FramerAction {
        match &self.at {
            At::Closed => FramerAction::Now(Mode::Ended),
            _ => self.fault(at, at.byte, "the text ends before its object does", index),
        }
    }

    pub(super) fn ending(&self) -> Ending {
        if matches!(self.at, At::Closed) { Ending::Clean } else { Ending::Torn }
    }

    /// Where what is not a record yet begins.
    pub(super) fn start(&self) -> Option<Cursor> {
        match &self.at {
            At::Item(start, _) => Some(*start),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::framing::Framer;
    use crate::model::RecordIndex;
    use crate::model::{Framing, RecordBody};

    /// The records of a text that is fed in pieces of this size; `!` precedes what is broken.
    fn framed(text: &str, size: usize) -> Vec<String> {
        let (mut framer, mut index) = (Framer::new(Framing::Items("s")), RecordIndex::default());
        loop {
            let from = framer.position() as usize;
            let piece = &text.as_bytes()[from..text.len().min(from + size)];
            if !piece.is_empty() {
                framer.feed(piece, &mut index);
            } else if framer.finish(&mut index) {
                break;
            }
        }
        let one = |r: crate::model::Record| {
            let span = r.place.span;
            let sign = if r.body == RecordBody::Text { "" } else { "!" };
            format!("{sign}{} {}", r.place.line, &text[span.offset as usize..span.end() as usize])
        };
        index.iter().map(one).collect()
    }

    #[test]
    fn items_are_those_of_the_array_under_the_name() {
        for (text, expect) in [
            (
                "{\"v\":2,\"t\":{\"s\":[1]},\"s\":[{\"a\":1},\n{\"b\":[2]} ,3],\"z\":[]}\n",
                &["1 {\"a\":1}", "2 {\"b\":[2]}", "2 3"][..],
            ),
            ("\u{feff}{\"s\": [ ] }", &[]),
            ("{\"v\":2}", &[]),
            ("{}", &[]),
            ("{\"s\":null,\"sss\":[1],\"ss\":[2]}", &[]),
            ("{\"s\":[1,\n2", &["1 1", "!2 2"]),
            ("{\"s\":[{},{\"a\":", &["1 {}", "!1 {\"a\":"]),
            ("{\"s\":[{} {}]}", &["1 {}", "!1 {}]}"]),
            ("{\"s\":[{}],\n\"t\":nul}", &["1 {}", "!2 nul}"]),
            // What is no such object is a run of values.
            ("{\"s\":[1]}\n{\"s\":[2]}", &["1 {\"s\":[1]}", "2 {\"s\":[2]}"]),
            ("[1,2]", &["1 [1,2]"]),
            ("7 8", &["1 7", "1 8"]),
            ("", &[]),
        ] {
            assert_eq!(framed(text, usize::MAX >> 1), expect, "{text}");
            for size in 1..=9 {
                assert_eq!(framed(text, size), expect, "{text} in pieces of {size}");
            }
        }
    }
}
