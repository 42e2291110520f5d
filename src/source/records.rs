//! Finds all records of an input whose end is final, or of a stream to its end. Of a run of values it does so on
//! several threads, which look at each record while its bytes are in memory.

use super::{BLOCK, Input, RecordIndex, in_order_until_end};
use crate::framing::Framer;
use crate::model::cast;
use crate::model::{Bytes, Framing, Place, Problem, Record, RecordBody};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Fewer pieces than this are not worth a second thread.
const ALONE_PIECES: usize = 4;

/// A piece is read on by at most this many bytes, to the end of the line that begins last in it.
const LINE_END_MAX: usize = 4 * BLOCK;
/// As many at once.
const LINE_END_STEP: usize = 1 << 14;

/// Records that are found before the first guess, or reach far over the end of a piece, are read again to be looked at,
/// by one thread for all. Where that came to this many bytes more than a share of the input, what follows is better
/// looked at when all records are found.
const ALONE_BYTES: u64 = 16 * BLOCK as u64;
const ALONE_SHARE: u64 = 4;

/// What a look at the bytes of one record reports. The record is counted from the beginning of its piece of the input.
pub trait RecordReport: Send {
    /// Whether those bytes are one JSON text by itself, no deeper than is read.
    fn is_whole(&self) -> bool;
    /// Renumbers the record from the beginning of the input: `records` records and `lines` lines come before its piece.
    fn shift(&mut self, records: usize, lines: u64);
}

/// Finds all records of an input whose end is final, or of a stream to its end.
///
/// # Errors
/// The input can no longer be read.
pub fn index_all(input: &Input, framing: Framing) -> Result<RecordIndex, Problem> {
    All::new(input, framing, None::<&Nobody>).run(&mut |Nothing| Ok(()))
}

/// The same, and examines the first records while it finds them: it passes a report on each to `each`, in order. It
/// stops examining (after none, or some) where the other records are better examined afterwards.
///
/// # Errors
/// The input can no longer be read, or what `each` says.
pub fn index_and_look<S: RecordReport, E: From<Problem>>(
    input: &Input,
    framing: Framing,
    look: &(impl Fn(&Record, &[u8]) -> S + Sync),
    mut each: impl FnMut(S) -> Result<(), E>,
) -> Result<RecordIndex, E> {
    All::new(input, framing, Some(look)).run(&mut each)
}

/// The look of who does not look.
type Nobody = fn(&Record, &[u8]) -> Nothing;

struct Nothing;

impl RecordReport for Nothing {
    fn is_whole(&self) -> bool {
        false
    }

    fn shift(&mut self, _records: usize, _lines: u64) {}
}

/// The records found so far.
struct All<'a, L> {
    input: &'a Input,
    framer: Framer,
    index: RecordIndex,
    block: Vec<u8>,
    look: Option<&'a L>,
    /// Records of which what was seen is reported.
    reported_records: usize,
    /// Bytes of those that came in no guess.
    alone: u64,
}

/// The records of the lines that begin in a piece, if a value begins with the first of them.
struct Guess<S> {
    /// The first byte of that line.
    start: u64,
    /// As it follows the piece.
    framer: Framer,
    index: RecordIndex,
    /// A report on each record, if they are examined.
    reports: Vec<S>,
    is_of_rows: bool,
}

impl<'a, L> All<'a, L> {
    fn new(input: &'a Input, framing: Framing, look: Option<&'a L>) -> Self {
        let (framer, index) = (Framer::new(framing), RecordIndex::of(input.has_rows()));
        Self { input, framer, index, block: vec![0; BLOCK], look, reported_records: 0, alone: 0 }
    }

    fn run<S: RecordReport, E: From<Problem>>(
        mut self,
        each: &mut impl FnMut(S) -> Result<(), E>,
    ) -> Result<RecordIndex, E>
    where
        L: Fn(&Record, &[u8]) -> S + Sync,
    {
        let mut is_guessed = false;
        loop {
            if self.feed(BLOCK)? == 0 && self.framer.finish(&mut self.index) {
                return Ok(self.index);
            }
            if !self.framer.is_run() || is_guessed {
                continue;
            }
            // A stream whose writer pauses is read on here.
            is_guessed = !self.input.may_grow() || self.input.is_file();
            if !is_guessed {
                self.look_at_rest(None, each)?;
            }
            self.feed_ahead(each)?;
        }
    }

    /// Reads on, at most `most` bytes; returns how many were read.
    fn feed(&mut self, most: usize) -> Result<usize, Problem> {
        let most = most.min(BLOCK);
        self.input.wait_for(self.framer.position() + 1);
        self.input.wait_unless_paused(self.framer.position() + most as u64);
        let got = self.input.read_at(self.framer.position(), &mut self.block[..most])?;
        let piece = &self.block[..got];
        if got > 0 {
            self.framer.feed(piece, &mut self.index);
        }
        if piece.last() == Some(&0) {
            self.framer.skip_hole(|at| self.input.hole_at(at));
        }
        Ok(got)
    }

    /// Reads on up to a byte, or to the end of the input.
    fn feed_to(&mut self, end: u64) -> Result<(), Problem> {
        while let left @ 1.. = end.saturating_sub(self.framer.position()) {
            if self.feed(usize::try_from(left).unwrap_or(BLOCK))? == 0 {
                break;
            }
        }
        Ok(())
    }

    /// Reads a run of values to its end in pieces, for each of which is guessed where a value begins. What comes before
    /// says whether the guess was right; a piece of which it was not is read again, and no more is looked at.
    fn feed_ahead<S: RecordReport, E: From<Problem>>(
        &mut self,
        each: &mut impl FnMut(S) -> Result<(), E>,
    ) -> Result<(), E>
    where
        L: Fn(&Record, &[u8]) -> S + Sync,
    {
        let (from, input) = (self.framer.position(), self.input);
        // A stream is read as it comes, and no further than to where its writer pauses.
        let piece = |number: usize| {
            let start = from + (number * BLOCK) as u64;
            input.wait_unless_paused(start + BLOCK as u64);
            let has_ended = input.is_file() || !input.may_grow();
            let end = input.len().min(start + BLOCK as u64);
            (start < end && (has_ended || end == start + BLOCK as u64)).then_some(start..end)
        };
        if piece(ALONE_PIECES - 1).is_none() {
            return Ok(());
        }
        let (look, is_looking) = (self.look, AtomicBool::new(true));
        let before = self.framer.clone();
        let work = || {
            let mut block = vec![0; BLOCK + 1 + LINE_END_MAX];
            let (is_looking, before) = (&is_looking, &before);
            move |piece: &Range<u64>| {
                let look = look.filter(|_| is_looking.load(Relaxed));
                (guess(input, before, piece, &mut block, look), piece.end)
            }
        };
        in_order_until_end(piece, work, |(guess, end)| {
            if let Some(guess) = guess {
                self.feed_to(guess.start)?;
                self.take(guess, each)?;
            }
            self.feed_to(end)?;
            // Of what did not come in this way at most the record before it is looked at.
            is_looking.fetch_and(self.reported_records == self.index.len(), Relaxed);
            Ok(())
        })
    }

    /// Takes what was guessed, if it is right.
    fn take<S: RecordReport, E: From<Problem>>(
        &mut self,
        guess: Guess<S>,
        each: &mut impl FnMut(S) -> Result<(), E>,
    ) -> Result<(), E>
    where
        L: Fn(&Record, &[u8]) -> S,
    {
        let Some(lines) = self.framer.join(guess.framer, guess.start) else { return Ok(()) };
        if guess.reports.len() == guess.index.len() {
            self.look_at_rest(Some(ALONE_BYTES + self.framer.position() / ALONE_SHARE), each)?;
        }
        let (first, is_next) = (self.index.len(), self.reported_records == self.index.len());
        for record in guess.index.iter() {
            let broken = match record.body {
                RecordBody::Text => None,
                RecordBody::Broken(why) => Some(why),
            };
            self.index.push(Place { line: record.place.line + lines, ..record.place }, broken);
        }
        for mut seen in guess.reports.into_iter().filter(|_| is_next) {
            seen.shift(first, lines);
            self.reported_records += 1;
            each(seen)?;
        }
        Ok(())
    }

    /// Looks at the records that came in no guess, as long as all of them have no more bytes. Those before a pause of
    /// the writer have no bound, and do not count.
    fn look_at_rest<S: RecordReport, E: From<Problem>>(
        &mut self,
        bytes_max: Option<u64>,
        each: &mut impl FnMut(S) -> Result<(), E>,
    ) -> Result<(), E>
    where
        L: Fn(&Record, &[u8]) -> S,
    {
        let Some(look) = self.look else { return Ok(()) };
        let rest: Vec<Record> =
            (self.reported_records..self.index.len()).map_while(|number| self.index.get(number)).collect();
        if let Some(bytes_max) = bytes_max {
            let bytes: u64 = rest.iter().map(|record| record.place.span.len).sum();
            if self.alone.saturating_add(bytes) > bytes_max {
                return Ok(());
            }
            self.alone += bytes;
        }
        rest.iter().try_for_each(|record| {
            let seen = look(record, &self.input.read(record.shown())?);
            self.reported_records += 1;
            each(seen)
        })
    }
}

/// `before` is in the run of values. None: no line begins in the piece, or the input no longer holds it.
fn guess<S: RecordReport>(
    input: &Input,
    before: &Framer,
    piece: &Range<u64>,
    block: &mut [u8],
    look: Option<&impl Fn(&Record, &[u8]) -> S>,
) -> Option<Guess<S>> {
    // The byte before the piece says whether a line begins with it.
    let from = piece.start.saturating_sub(1);
    let text = read_lines(input, from..piece.end, block)?;
    let newline = memchr::memchr(b'\n', text).filter(|at| from + (*at as u64) + 1 < piece.end)?;
    let (start, end) = (from + newline as u64 + 1, from + text.len() as u64);
    let (framer, index, seen) = (before.between(start), RecordIndex::of(input.has_rows()), Vec::new());
    let mut guess = Guess { start, framer, index, reports: seen, is_of_rows: input.has_rows() };
    let text = &text[newline + 1..];
    match look {
        None => guess.framer.feed(text, &mut guess.index),
        Some(look) => guess.look(text, look),
    }
    (guess.framer.position() == end).then_some(guess)
}

/// The bytes of a piece, and those behind it up to the end of its last line, if that is near. None: the input no longer
/// holds the piece.
fn read_lines<'b>(input: &Input, piece: Range<u64>, block: &'b mut [u8]) -> Option<&'b [u8]> {
    let len = usize::try_from(piece.end - piece.start).ok()?;
    if input.read_at(piece.start, block.get_mut(..len)?).ok()? != len {
        return None;
    }
    if block[len - 1] == b'\n' {
        return block.get(..len);
    }
    for at in (len..len + LINE_END_MAX).step_by(LINE_END_STEP) {
        let more = block.get_mut(at..at + LINE_END_STEP)?;
        let got = input.read_at(piece.start + at as u64, more).ok()?;
        if let Some(newline) = memchr::memchr(b'\n', &more[..got]) {
            return block.get(..=at + newline);
        }
        if got < more.len() {
            break;
        }
    }
    block.get(..len)
}

impl<S: RecordReport> Guess<S> {
    /// Goes through the text of the piece. A line that a look finds whole is a record, and its end is known without a
    /// scan for it.
    fn look(&mut self, text: &[u8], look: &impl Fn(&Record, &[u8]) -> S) {
        let mut rest = text;
        while !rest.is_empty() {
            let end = memchr::memchr(b'\n', rest);
            let line = &rest[..end.map_or(rest.len(), |end| end + 1)];
            if end.is_none() || !self.look_at_line(line, look) {
                self.framer.feed(line, &mut self.index);
                self.look_at_new(text, look);
            }
            // A value that cannot be read may take the framer back, or on.
            let taken = self.framer.position().checked_sub(self.start).and_then(|taken| usize::try_from(taken).ok());
            rest = taken.and_then(|taken| text.get(taken..)).unwrap_or_default();
        }
    }

    fn look_at_line(&mut self, line: &[u8], look: &impl Fn(&Record, &[u8]) -> S) -> bool {
        let Some(place) = self.framer.line_between(line) else { return false };
        let from = cast::to_usize(place.span.offset - self.framer.position());
        let record = Record { number: self.index.len(), place, body: RecordBody::Text, is_row: self.is_of_rows };
        let seen = look(&record, &line[from..from + cast::to_usize(place.span.len)]);
        if !seen.is_whole() {
            return false;
        }
        self.framer.pass_line(line);
        self.index.push(place, None);
        self.reports.push(seen);
        true
    }

    /// Looks at the records that the framer has found.
    fn look_at_new(&mut self, text: &[u8], look: &impl Fn(&Record, &[u8]) -> S) {
        while let Some(record) = self.index.get(self.reports.len()) {
            let span = record.shown();
            let from = cast::to_usize(span.offset - self.start);
            self.reports.push(look(&record, &text[from..from + cast::to_usize(span.len)]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;
    use std::io::{self, Cursor, Read};

    /// The records as one framer finds them.
    fn one_by_one(text: &[u8]) -> Vec<Record> {
        let (mut framer, mut index) = (Framer::new(Framing::Values), RecordIndex::default());
        loop {
            match &text[framer.position() as usize..] {
                [] if framer.finish(&mut index) => return index.iter().collect(),
                rest => framer.feed(rest, &mut index),
            }
        }
    }

    /// What a look saw: number, line and length of a record, whether it is JSON.
    #[derive(Debug, PartialEq)]
    struct Sight(usize, u64, usize, bool);

    impl Sight {
        fn new(record: &Record, text: &[u8]) -> Self {
            let is_read = std::str::from_utf8(text).is_ok_and(|text| json::parse(text).is_ok());
            Self(record.number, record.place.line, text.len(), is_read && record.body == RecordBody::Text)
        }
    }

    impl RecordReport for Sight {
        fn is_whole(&self) -> bool {
            self.3
        }

        fn shift(&mut self, records: usize, lines: u64) {
            self.0 += records;
            self.1 += lines;
        }
    }

    /// The share of the records that are looked at as they are found, in percent; what was seen of them is right.
    fn looked_at(input: &Input, wanted: &[Record]) -> usize {
        let mut seen = Vec::new();
        let found = index_and_look(input, Framing::Values, &Sight::new, |sight: Sight| {
            seen.push(sight);
            Ok::<(), Problem>(())
        });
        assert_eq!(found.unwrap().iter().collect::<Vec<_>>(), wanted);
        let sights = wanted.iter().map(|record| Sight::new(record, &input.read(record.shown()).unwrap()));
        assert!(seen.iter().eq(&sights.take(seen.len()).collect::<Vec<_>>()), "{} of {}", seen.len(), wanted.len());
        100 * seen.len() / wanted.len()
    }

    #[test]
    fn guesses_and_looks_change_nothing() {
        let lines = format!("{{\"a\":\"{}\"}}\n", "x".repeat(400)).repeat(11_000);
        let pretty = format!("{{\n\"a\": [\n{{}}\n,\n\"{}\"]\n}}\n 12\n", "x".repeat(400)).repeat(11_000);
        let odd = format!("{lines} {{\"a\":NaN}}\r\n{{\"a\":\"\\ud800\"}} \n\n1 2\n{{}} {{}}\n{{\"a\":1}} x\n{lines}");
        let torn = format!("{lines}{{\"a\":\n{lines}[\n{lines} nul\n7\n{lines}{{\"a\":\"");
        let long = format!("{lines}{{\"a\":\"{}\"}}\n{lines}", "x".repeat(3 << 20));
        let broken = format!("{lines}{{\"a\":\"{}\n{lines}", "x".repeat(100_000));
        let one_line = lines.replace('\n', " ");
        let inside = format!("{lines}{{\"a\":[\n{}1]}}\n{lines}", lines.replace('\n', ",\n"));
        let all = lines.repeat(3);
        let large = format!("{{\"a\":\"{}\"}}\n", "x".repeat(200_000)).repeat(60);
        let huge = format!("{{\"a\":\"{}\"}}\n", "x".repeat(3 * BLOCK)).repeat(60);
        let texts = [
            (&all, 95),
            (&large, 95),
            (&huge, 95),
            (&pretty, 0),
            (&odd, 95),
            (&torn, 30),
            (&long, 30),
            (&broken, 95),
            (&one_line, 0),
        ];
        for (text, least) in texts.into_iter().chain([(&inside, 30)]) {
            let found: Vec<Record> =
                index_all(&Input::memory("x", text.as_str()), Framing::Values).unwrap().iter().collect();
            let wanted = one_by_one(text.as_bytes());
            assert!(found.len() >= 60 && found == wanted, "{} of {}", found.len(), wanted.len());
            // A stream is looked at as it comes.
            let stream = Input::played("x".to_owned(), Slow(Cursor::new(text.clone().into_bytes()))).unwrap();
            for input in [Input::memory("x", text.as_str()), stream] {
                let share = looked_at(&input, &wanted);
                assert!(share >= least, "{share} of {least}: {}", &text[..20]);
            }
        }
    }

    /// A stream that brings little at once.
    struct Slow(Cursor<Vec<u8>>);

    impl Read for Slow {
        fn read(&mut self, block: &mut [u8]) -> io::Result<usize> {
            let most = block.len().min(1 << 12);
            self.0.read(&mut block[..most])
        }
    }

    #[test]
    fn what_came_before_a_stream_broke_off_is_looked_at() {
        struct Torn;
        impl Read for Torn {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("gone"))
            }
        }
        let lines = Cursor::new(b"{\"a\":1}\n".repeat(1_000_000));
        let input = Input::played("torn".to_owned(), lines.chain(Torn)).unwrap();
        let mut seen = 0;
        let found = index_and_look(&input, Framing::Values, &Sight::new, |_: Sight| {
            seen += 1;
            Ok::<(), Problem>(())
        });
        assert_eq!(found.unwrap().len(), 1_000_000);
        assert!(seen > 990_000 && input.wait().is_err(), "{seen}");
    }
}
