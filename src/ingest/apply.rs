//! The worker's second half: records into the run, in slices of time, so that the screen never waits for it.

use super::live::{Generation, IngestEvent, ResetReason, write};
use super::load;
use super::parts;
use super::worker::{Stop, Work};
use crate::source::RecordReader;
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Longest time that the run is locked at once, and the pause in which waiting readers get it.
const SLICE: Duration = Duration::from_millis(1);
const PAUSE: Duration = Duration::from_micros(50);

/// A record larger than this is merged outside of the lock where that is possible (the run is still empty).
const BIG_RECORD: u64 = 1 << 18;

impl Work {
    /// Merges records into the run, all or for some time.
    pub(super) fn fold(&mut self, time: Option<Duration>) -> Result<(), Stop> {
        self.renew_if_taken_back()?;
        let Some(run) = self.live.run.clone() else { return Ok(()) };
        let input = Arc::clone(&self.live.input);
        let mut reader = RecordReader::new(&input);
        let begin = Instant::now();
        while self.folded < self.live.records.count() && time.is_none_or(|t| begin.elapsed() < t) {
            self.is_run_settled = false;
            let is_whole = self.fold_big(&mut reader)? || self.fold_slice(&mut reader)?;
            if !is_whole {
                return Ok(());
            }
            self.progress(|work| IngestEvent::Merged {
                records: work.folded,
                of: work.live.records.count(),
                steps: run.read().unwrap_or_else(PoisonError::into_inner).step_count(),
            })?;
            if self.folded < self.live.records.count() {
                #[expect(clippy::disallowed_methods, reason = "a pause of a moment, in which readers come first")]
                thread::sleep(PAUSE);
            }
        }
        Ok(())
    }

    /// Merges records for one slice of time, one at least; false if the input no longer holds them.
    fn fold_slice(&mut self, reader: &mut RecordReader<'_>) -> Result<bool, Stop> {
        let Some(run) = &self.live.run else { return Ok(false) };
        let mut run = write(run);
        let begin = Instant::now();
        while let Some(record) = self.live.records.get(self.folded) {
            load::check_room(self.live.input.name(), self.folded)?;
            let text = if self.format.needs_text() { reader.text(&record) } else { Ok(&[][..]) };
            match text {
                Ok(text) => run.push(&record, text, self.live.input.as_ref()),
                Err(problem) => {
                    drop(run);
                    self.send(IngestEvent::Problem(problem))?;
                    return Ok(false);
                }
            }
            self.folded += 1;
            if begin.elapsed() >= SLICE {
                break;
            }
        }
        Ok(true)
    }

    /// A big first record, a whole document: merged apart, so that the screen waits for no lock. False if it is not
    /// one.
    fn fold_big(&mut self, reader: &mut RecordReader<'_>) -> Result<bool, Stop> {
        let Some(run) = &self.live.run else { return Ok(false) };
        let Some(record) = self.live.records.get(0).filter(|r| self.folded == 0 && r.place.span.len > BIG_RECORD)
        else {
            return Ok(false);
        };
        if !self.format.needs_text() {
            return Ok(false);
        }
        let Ok(text) = reader.text(&record) else { return Ok(false) };
        let mut apart = self.format.run();
        apart.push(&record, text, self.live.input.as_ref());
        *write(run) = apart;
        self.folded = 1;
        Ok(true)
    }

    /// If the index took records back that were merged or reported, both start over.
    fn renew_if_taken_back(&mut self) -> Result<(), Stop> {
        let version = self.live.records.read().version();
        if version == std::mem::replace(&mut self.version, version) {
            return Ok(());
        }
        if self.folded == 0 && self.reported_records.is_none() {
            return Ok(());
        }
        let fresh = Generation::new(self.live.generation + 1, Arc::clone(&self.live.input), self.format);
        self.live = Generation { records: Arc::clone(&self.live.records), ..fresh };
        self.begin_generation(ResetReason::Reread)
    }

    /// Findings that need the end of the input are made for the present end, with the run open to readers.
    pub(super) fn look_ahead(&mut self) -> Result<(), Stop> {
        self.is_run_settled = true;
        let Some(run) = self.live.run.clone() else { return Ok(()) };
        let begin = Instant::now();
        write(&run).catch_up(self.live.input.as_ref());
        let named = run.read().unwrap_or_else(PoisonError::into_inner).parts().to_vec();
        if !named.is_empty() {
            let found = parts::look(self.format, &named, self.live.input.path());
            write(&run).attach(found);
        }
        let ahead = run.read().unwrap_or_else(PoisonError::into_inner).look_ahead(self.live.input.as_ref());
        write(&run).settle(ahead);
        (self.ahead_cost, self.ahead_at) = (begin.elapsed(), Instant::now());
        self.send(IngestEvent::Settled)
    }

    /// Time until it looks ahead; None if there is no need. It takes a tenth of the time at most.
    pub(super) fn until_ahead(&self) -> Option<Duration> {
        (!self.is_run_settled).then(|| (self.ahead_cost * 9).saturating_sub(self.ahead_at.elapsed()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::worker::{FOLD_BYTES, PIECE};
    use super::*;
    use crate::format::by_name;
    use crate::source::Input;
    use crossbeam_channel::{bounded, unbounded};

    #[test]
    fn records_are_merged_while_the_rest_of_a_long_input_is_indexed() {
        // No record ends in the first piece, so that none is merged with it.
        let line = format!("{{\"a\":\"{}\"}}\n", "x".repeat(PIECE));
        let count = usize::try_from(FOLD_BYTES).unwrap() / line.len() + 16;
        let input = Input::memory("long", line.repeat(count));
        let format = by_name("generic").unwrap();
        // Nobody takes the events; the thread would end where its owner did.
        let ((events, _taken), (_keep, dropped)) = (unbounded(), bounded(0));
        let mut work = Work::new(Generation::new(0, input, format), format, events, dropped);
        assert!(work.index().is_ok());
        assert!(work.folded > 0);
        assert_eq!(work.live.records.count(), count);
    }
}
