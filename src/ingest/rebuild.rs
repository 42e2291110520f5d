//! A container, a folder or a packed file that changed while it is shown: its text is made again, and what came behind
//! the text as it was is read on. Where the text is another before that, it is another generation.

use super::container::open_input;
use super::live::{IngestEvent, ResetReason};
use super::worker::{Before, Stop, Work};
use crate::model::Problem;
use crate::source::{BLOCK, Input, InputWatch, OriginChange};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What cannot be read now is tried again after this time, so often before it is reported: an archive whose
/// directory is still to come, a database that is written meanwhile.
pub(super) const RETRY: Duration = Duration::from_millis(500);
pub(super) const TRIES: u32 = 6;

/// How often the pause between tries doubles after these: up to a minute.
const RETRY_DOUBLINGS_MAX: u32 = 7;

/// What became of the text of an input.
#[derive(Debug)]
pub(super) enum RebuiltText {
    /// It is as it was.
    Same,
    /// More came behind it; the input has that too now.
    Grown,
    /// It is another.
    Other(Arc<Input>),
}

/// Makes the text of what is at a path again, beside the one that was made before.
///
/// # Errors
/// It cannot be read to its end, and what can be read is not longer than before.
fn rebuild_text(path: &Path, before: &Input) -> Result<RebuiltText, Problem> {
    let now = open_input(path)?;
    let end = now.wait();
    let (mut old, mut new) = (vec![0; BLOCK], vec![0; BLOCK]);
    let mut at = 0;
    loop {
        let (of_old, of_new) = (before.read_at(at, &mut old)?, now.read_at(at, &mut new)?);
        let common = of_old.min(of_new);
        if old[..common] != new[..common] || of_old > of_new {
            return end.map(|()| RebuiltText::Other(now));
        }
        at += common as u64;
        if of_old < BLOCK {
            break;
        }
    }
    let from = at;
    loop {
        let got = match now.read_at(at, &mut new) {
            Ok(0) if at == from => return end.map(|()| RebuiltText::Same),
            Ok(0) => return Ok(RebuiltText::Grown),
            Ok(got) => before.append(&new[..got]).map(|_| got),
            Err(problem) => Err(problem),
        };
        match got {
            Ok(got) => at += got as u64,
            // What was appended before is there to be read; the rest comes with the next look.
            Err(_) if at > from => return Ok(RebuiltText::Grown),
            Err(problem) => return Err(problem),
        }
    }
}

impl Work {
    /// The index as it is now, to come back to when more comes after an end.
    pub(super) fn standing(&self) -> Before {
        let (records, version) = (self.live.records.count(), self.live.records.read().version());
        Before { framer: self.framer.clone(), records, version }
    }

    /// Looks at what the text was made from; whether there is something to read.
    pub(super) fn look_at_origin(&mut self) -> Result<bool, Stop> {
        let Some(origin) = &mut self.origin else { return Ok(false) };
        match origin.look() {
            OriginChange::None => return Ok(false),
            OriginChange::Gone => {
                self.gone()?;
                return Ok(false);
            }
            OriginChange::Changed => {}
        }
        let began = Instant::now();
        let rebuilt = rebuild_text(origin.path(), &self.live.input);
        origin.rebuilt_in(began.elapsed());
        let problem = match rebuilt {
            Ok(rebuilt) => {
                self.failures = 0;
                return self.take_rebuilt(rebuilt);
            }
            Err(problem) => problem,
        };
        self.failures += 1;
        // What fails again and again is tried less and less often.
        origin.retry_after(RETRY * (1 << self.failures.saturating_sub(TRIES).min(RETRY_DOUBLINGS_MAX)));
        if self.failures == TRIES {
            self.send(IngestEvent::Problem(problem))?;
        }
        Ok(false)
    }

    fn take_rebuilt(&mut self, rebuilt: RebuiltText) -> Result<bool, Stop> {
        match rebuilt {
            RebuiltText::Same => return Ok(false),
            RebuiltText::Grown => self.grown()?,
            RebuiltText::Other(input) => {
                self.watch = InputWatch::new(input);
                self.replaced(ResetReason::Rebuilt)?;
            }
        }
        self.is_finished = false;
        Ok(true)
    }
}
