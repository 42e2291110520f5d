//! The text of a container or packed file as a stream that goes on: each record as a line, then each that came or is
//! another now, as long as somebody reads. A database keeps its rows where they are, and an archive is one document, so
//! the records before are known by digests.

use super::container::open_input;
use super::load;
use super::rebuild::{RETRY, TRIES};
use crate::json;
use crate::model::{Bytes, Problem, RecordBody, Sink};
use crate::source::{Input, Origin, OriginChange};
use crossbeam_channel::{after, select};
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Instant;

/// Follows what the text of an input is made from; None if that cannot change.
///
/// # Errors
/// No temporary file can be made.
pub fn follow_derived(input: &Arc<Input>) -> Result<Option<Arc<Input>>, Problem> {
    let (Some(origin), Some(path)) = (Origin::of(input), input.path()) else { return Ok(None) };
    let (first, lines) = (Arc::clone(input), Records::default());
    Input::derived(input.name(), Some(path), move |out| go_on(first, origin, lines, out)).map(Some)
}

fn go_on(first: Arc<Input>, mut origin: Origin, mut records: Records, out: &mut Sink<'_>) -> Result<(), Problem> {
    let (mut derived, mut failures) = (Ok(first), 0);
    loop {
        let began = Instant::now();
        let end = match derived {
            Ok(text) => records.put(&text, out)?,
            Err(problem) => Err(problem),
        };
        origin.rebuilt_in(began.elapsed());
        failures = match end {
            Ok(()) => 0,
            Err(problem) if failures + 1 == TRIES => return Err(problem),
            Err(_) => {
                origin.retry_after(RETRY);
                failures + 1
            }
        };
        while origin.look() != OriginChange::Changed {
            out(&[])?;
            select! {
                recv(origin.hints()) -> _ => {}
                recv(after(origin.period())) -> _ => {}
            }
        }
        derived = open_input(origin.path());
    }
}

/// The records that were reported, by their digests: how often each, since records may be equal.
#[derive(Default)]
struct Records {
    reported: HashMap<u64, u32>,
    hasher: RandomState,
}

impl Records {
    /// Reports the records of a text that were not reported yet, a line each; an error of the text is the inner one.
    /// What is unfinished at an end that is not final is not reported.
    fn put(&mut self, text: &Arc<Input>, out: &mut Sink<'_>) -> Result<Result<(), Problem>, Problem> {
        let end = text.wait();
        let loaded = match load(Arc::clone(text), None) {
            Ok(loaded) => loaded,
            Err(problem) => return Ok(end.and(Err(problem))),
        };
        let records = match loaded.records() {
            Ok(records) => records,
            Err(problem) => return Ok(end.and(Err(problem))),
        };
        let mut seen: HashMap<u64, u32> = HashMap::new();
        for (number, record) in (0..records.len()).filter_map(|number| Some((number, records.get(number)?))) {
            let is_cut = matches!(record.body, RecordBody::Broken(_)) && number + 1 == records.len() && end.is_err();
            let Ok(bytes) = text.read(record.place.span) else { break };
            if is_cut {
                continue;
            }
            let digest = self.hasher.hash_one(&bytes);
            let (count, reported) = (seen.entry(digest).or_default(), self.reported.entry(digest).or_default());
            *count += 1;
            if *count > *reported {
                *reported = *count;
                out(&line(bytes))?;
            }
        }
        Ok(end)
    }
}

/// A record as a line of its own. One that is not valid JSON stays as it is.
fn line(record: Vec<u8>) -> Vec<u8> {
    let has_lines = memchr::memchr(b'\n', record.trim_ascii_end()).is_some();
    let text = std::str::from_utf8(&record).ok().filter(|_| has_lines);
    let mut line = match text.and_then(|text| json::parse(text).ok()) {
        Some(value) => json::compact(&value).into_bytes(),
        None => record,
    };
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_reported_once_each_on_a_line_of_its_own() {
        let mut records = Records::default();
        let mut stream_lines = |text: &str| {
            let mut out = Vec::new();
            let end = records.put(&Input::memory("x", text), &mut |piece: &[u8]| {
                out.extend_from_slice(piece);
                Ok(())
            });
            assert_eq!(end, Ok(Ok(())));
            String::from_utf8(out).unwrap()
        };
        assert_eq!(stream_lines("{\"a\":1}\n{\"b\":1}"), "{\"a\":1}\n{\"b\":1}\n");
        assert_eq!(stream_lines("{\"a\":1}\n{\"b\":1}\n{\"c\":1}\n"), "{\"c\":1}\n");
        assert_eq!(stream_lines("{\"c\":1}\n{\"a\":2}\n{\"b\":1}\n"), "{\"a\":2}\n", "rows that moved are no new ones");
        assert_eq!(
            stream_lines("{\"c\":1}\n{\"c\":1}\n{\"e\":1}\n{\"e\":1}\n"),
            "{\"c\":1}\n{\"e\":1}\n{\"e\":1}\n",
            "equal records are several"
        );
        assert_eq!(stream_lines("{\n \"d\": [1,\n 2]\n}"), "{\"d\":[1,2]}\n");
        assert_eq!(stream_lines(""), "");
    }
}
