//! Finds all records of an input whose end is final; of a run of values on several threads.

use super::frame::Framer;
use super::{BLOCK, Input, RecordIndex, in_order};
use crate::model::{Framing, Problem, RecordBody};
use std::ops::Range;

/// Fewer pieces than so many are not worth a second thread.
const ALONE_PIECES: usize = 4;

/// Finds all records of an input whose end is final.
///
/// # Errors
/// The input can no longer be read.
pub fn index_all(input: &Input, framing: Framing) -> Result<RecordIndex, Problem> {
    let mut all = All { input, framer: Framer::new(framing), index: RecordIndex::default(), block: vec![0; BLOCK] };
    let mut is_guessed = false;
    loop {
        if all.feed(BLOCK)? == 0 && all.framer.finish(&mut all.index) {
            return Ok(all.index);
        }
        if all.framer.is_run() && !std::mem::replace(&mut is_guessed, true) {
            all.feed_ahead()?;
        }
    }
}

/// The records found so far.
struct All<'i> {
    input: &'i Input,
    framer: Framer,
    index: RecordIndex,
    block: Vec<u8>,
}

/// The records of a piece, if a value begins behind its first newline.
struct Guess {
    /// The byte behind that newline.
    start: u64,
    /// As it stands behind the piece.
    framer: Framer,
    index: RecordIndex,
}

impl All<'_> {
    /// Reads on, at most so many bytes; how many there were.
    fn feed(&mut self, most: usize) -> Result<usize, Problem> {
        let got = self.input.read_at(self.framer.position(), &mut self.block[..most.min(BLOCK)])?;
        let piece = &self.block[..got];
        if got > 0 {
            self.framer.feed(piece, &mut self.index);
        }
        if piece.last() == Some(&0) {
            self.framer.skip_hole(self.input);
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
    /// says whether the guess was right; a piece of which it was not is read again.
    fn feed_ahead(&mut self) -> Result<(), Problem> {
        let (from, end, input) = (self.framer.position(), self.input.len(), self.input);
        let pieces: Vec<_> = (from..end).step_by(BLOCK).map(|start| start..end.min(start + BLOCK as u64)).collect();
        if pieces.len() < ALONE_PIECES {
            return Ok(());
        }
        let work = || {
            let mut block = vec![0; BLOCK];
            move |piece: &Range<u64>| (guess(input, piece, &mut block), piece.end)
        };
        in_order(&pieces, work, |(guess, end)| {
            if let Some(guess) = guess {
                self.feed_to(guess.start)?;
                self.take(guess);
            }
            self.feed_to(end)
        })
    }

    /// Takes what was guessed, if it is right.
    fn take(&mut self, guess: Guess) {
        let Some(lines) = self.framer.join(guess.framer, guess.start) else { return };
        for record in guess.index.iter() {
            let mut place = record.place;
            place.line += lines;
            let broken = match record.body {
                RecordBody::Text => None,
                RecordBody::Broken(why) => Some(why),
            };
            self.index.push(place, broken);
        }
    }
}

/// None: there is no newline, or the input no longer holds the piece.
fn guess(input: &Input, piece: &Range<u64>, block: &mut [u8]) -> Option<Guess> {
    let block = block.get_mut(..usize::try_from(piece.end - piece.start).ok()?)?;
    let got = input.read_at(piece.start, block).ok()?;
    let newline = memchr::memchr(b'\n', block)?;
    let start = piece.start + newline as u64 + 1;
    let (mut framer, mut index) = (Framer::between(start), RecordIndex::default());
    framer.feed(&block[newline + 1..], &mut index);
    (got == block.len() && framer.position() == piece.end).then_some(Guess { start, framer, index })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Record;

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

    #[test]
    fn guesses_change_nothing() {
        let lines = "{\"a\":\"x\"}\n".repeat(400_000);
        let pretty = "{\n\"a\": [\n{}\n,\n1]\n}\n 12\n".repeat(250_000);
        let torn = format!("{lines}{{\"a\":\n{lines}[\n{lines} nul\n7\n{lines}{{\"a\":\"");
        let long = format!("{lines}{{\"a\":\"{}\"}}\n{lines}", "x".repeat(3 << 20));
        let one_line = lines.replace('\n', " ");
        for text in [lines, pretty, torn, long, one_line] {
            let found: Vec<Record> =
                index_all(&Input::memory("x", text.as_str()), Framing::Values).unwrap().iter().collect();
            let wanted = one_by_one(text.as_bytes());
            assert!(found.len() > 100_000 && found == wanted, "{} of {}", found.len(), wanted.len());
        }
    }
}
