//! Other files of a run: found beside the input and given to the run (`FORMATS.md` 0.4).

use crate::format::{Format, Run};
use crate::json;
use crate::model::{Bytes, PartState, RunPart, Span, lossy};
use crate::source::PartFinder;
use std::path::Path;

/// Bytes of a part that are looked at for what it is, and records of it.
const HEAD_BYTES: u64 = 1 << 16;
const RECORDS: usize = 20;

/// Looks for the parts of a run. Beside an input that is not a file there is nothing.
pub(super) fn look(format: &dyn Format, parts: &[RunPart], open: Option<&Path>) -> Vec<PartState> {
    let Some(open) = open else { return parts.iter().map(|_| PartState::Missing).collect() };
    let mut finder = PartFinder::new(open);
    parts.iter().map(|part| finder.open(part, &|input| is_it(format, part, input, input.len()))).collect()
}

/// Looks for the parts of a run and gives them to it.
pub fn attach_parts(format: &dyn Format, run: &mut dyn Run, open: Option<&Path>) {
    if !run.parts().is_empty() {
        let found = look(format, run.parts(), open);
        run.attach(found);
    }
}

/// 0.4.2: a part is what its bytes say, where they say it.
fn is_it(format: &dyn Format, part: &RunPart, bytes: &dyn Bytes, len: u64) -> bool {
    let Some(wanted) = &part.identity else { return true };
    let Ok(head) = bytes.read(Span { offset: 0, len: len.min(HEAD_BYTES) }) else { return false };
    let head = lossy(&head);
    let records: Vec<_> = head.lines().take(RECORDS).filter_map(|line| json::parse(line).ok()).collect();
    format.identity(&records).is_none_or(|identity| identity == *wanted)
}
