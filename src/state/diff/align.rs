//! Two lists of steps, aligned by what the steps say: an inserted step does not make all that follow differ.

use imara_diff::{Algorithm, Diff, InternedInput};
use std::ops::Range;

/// Steps of one list that stand in the place of steps of the other; one of the two may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// In the old list.
    pub old: Range<usize>,
    /// In the new one.
    pub new: Range<usize>,
}

/// Where two lists of digests differ, in order. What is between the hunks is alike, step by step.
#[must_use]
pub fn align(old: &[u128], new: &[u128]) -> Vec<Hunk> {
    let mut input = InternedInput::default();
    input.update_before(old.iter().copied());
    input.update_after(new.iter().copied());
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_no_heuristic(&input);
    let range = |r: Range<u32>| r.start as usize..r.end as usize;
    diff.hunks().map(|hunk| Hunk { old: range(hunk.before), new: range(hunk.after) }).collect()
}

/// The place in the new list that is aligned with a place in the old one. Within a hunk: the last place of the hunk's
/// new part; None where that is before the first.
#[must_use]
pub fn partner(hunks: &[Hunk], old: usize) -> Option<usize> {
    let before = hunks.partition_point(|hunk| hunk.old.end <= old);
    match hunks.get(before) {
        Some(hunk) if hunk.old.contains(&old) => hunk.new.end.checked_sub(1),
        _ => {
            let (old_end, new_end) = before.checked_sub(1).map_or((0, 0), |i| (hunks[i].old.end, hunks[i].new.end));
            Some(new_end + (old - old_end))
        }
    }
}
