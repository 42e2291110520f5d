//! Which format an input is of, of all that this process knows.

use super::custom_formats::known;
use super::mapping::mapped_format;
use crate::detect::{self, Detected, Source};
use crate::model::Problem;
use crate::source::Input;

impl Source for Input {
    /// What is made of a file must not be judged by a part of it that is there already.
    fn read_at(&self, offset: u64, block: &mut [u8]) -> Result<usize, Problem> {
        self.wait_for_part(offset.saturating_add(block.len() as u64));
        Self::read_at(self, offset, block)
    }

    fn len(&self) -> u64 {
        Self::len(self)
    }
}

/// Finds the format of an input by its first records, or takes the one asked for. Waits until a stream has brought
/// something.
///
/// # Errors
/// There is no format of that name; the input is not text (R9) or cannot be read.
pub fn detect(input: &Input, forced: Option<&str>) -> Result<Detected, Problem> {
    let forced = forced.filter(|name| *name != "auto");
    match (forced, mapped_format()) {
        // What a mapping made is nobody's log.
        (None, Some(name)) => {
            let detected = as_it_stands(input, Some(name))?;
            Ok(Detected { reasons: vec!["made by --map".to_owned()], ..detected })
        }
        _ => as_it_stands(input, forced),
    }
}

/// The same of an input that is not mapped yet.
///
/// # Errors
/// As [`detect`].
pub(super) fn as_it_stands(input: &Input, forced: Option<&str>) -> Result<Detected, Problem> {
    input.wait_for_head();
    input.check()?;
    detect::detect(input, forced, known())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::{IngestEvent, Worker};
    use crossbeam_channel::bounded;
    use std::sync::Arc;
    use std::time::Duration;

    /// A thread of checkpoints, whose writer pauses in the middle for longer than one waits for a stream.
    fn thread() -> Arc<Input> {
        let thread = crate::format::by_name("langgraph").unwrap().samples()[0].replace('\n', "");
        let all = format!("{thread}\n{thread}\n");
        let (open, never) = bounded::<()>(0);
        let write = move |out: &mut crate::model::Sink<'_>| {
            let _open = open;
            let (head, tail) = all.as_bytes().split_at(thread.len() / 2);
            let (middle, end) = tail.split_at(thread.len());
            for piece in [head, middle, end] {
                out(piece)?;
                let _late = never.recv_timeout(Duration::from_millis(300));
            }
            Ok(())
        };
        Input::derived("threads.db", None, write).unwrap()
    }

    #[test]
    fn what_is_derived_of_a_file_is_judged_when_it_is_there() {
        assert_eq!(detect(&thread(), None).map(|detected| detected.format.name()).ok(), Some("langgraph"));
    }

    #[test]
    fn what_is_derived_of_a_file_is_not_all_read_before_it_is_there() {
        let input = thread();
        let worker = Worker::start(input, crate::format::by_name("langgraph").unwrap()).unwrap();
        let mut events = worker.events.iter();
        assert!(events.any(|event| matches!(event, IngestEvent::Done { .. })));
        assert_eq!(worker.live.records.count(), 2);
    }
}
