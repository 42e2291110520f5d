//! Two lists of steps, aligned by what the steps say: an inserted step does not make all that follow differ.

use imara_diff::{Algorithm, Diff, InternedInput};
use std::collections::HashMap;
use std::ops::Range;

/// Steps of one list that are in the place of steps of the other; one of the two may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// In the old list.
    pub old: Range<usize>,
    /// In the new one.
    pub new: Range<usize>,
}

/// Where two lists of digests differ, in order. What is between the hunks is alike, step by step.
///
/// Steps that occur once in both lists, which is most of a run, are aligned first, as many as can be in order. What is
/// between them is short then: a diff looks at all that is left for each run of equal steps that it finds.
#[must_use]
pub fn align(old: &[u128], new: &[u128]) -> Vec<Hunk> {
    let mut hunks = Vec::new();
    let (mut i, mut j) = (0, 0);
    for (a, b) in anchors(old, new).into_iter().chain([(old.len(), new.len())]) {
        between(old, new, i..a, j..b, &mut hunks);
        (i, j) = (a + 1, b + 1);
    }
    hunks
}

/// The differences of two parts, after and before which the lists are alike.
fn between(old: &[u128], new: &[u128], a: Range<usize>, b: Range<usize>, hunks: &mut Vec<Hunk>) {
    if a.is_empty() && b.is_empty() {
        return;
    }
    let mut input = InternedInput::default();
    input.update_before(old[a.clone()].iter().copied());
    input.update_after(new[b.clone()].iter().copied());
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_no_heuristic(&input);
    let range = |from: usize, r: Range<u32>| from + r.start as usize..from + r.end as usize;
    hunks.extend(diff.hunks().map(|h| Hunk { old: range(a.start, h.before), new: range(b.start, h.after) }));
}

/// The most places, ascending in both lists, of what is once in each.
fn anchors(old: &[u128], new: &[u128]) -> Vec<(usize, usize)> {
    let (old, new) = (singles(old), singles(new));
    let mut pairs: Vec<_> = old.iter().filter_map(|(digest, i)| Some(((*i)?, (*new.get(digest)?)?))).collect();
    pairs.sort_unstable();
    // For each length the pair at which a chain of that length ends first, and each pair's predecessor.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (number, (_, j)) in pairs.iter().enumerate() {
        let len = ends.partition_point(|end| pairs[*end].1 < *j);
        before.push(len.checked_sub(1).map(|i| ends[i]));
        match ends.get_mut(len) {
            Some(end) => *end = number,
            None => ends.push(number),
        }
    }
    let mut chain: Vec<_> = std::iter::successors(ends.last().copied(), |n| before[*n]).map(|n| pairs[n]).collect();
    chain.reverse();
    chain
}

/// The place of each digest; None where it is more than once.
fn singles(list: &[u128]) -> HashMap<u128, Option<usize>> {
    let mut places = HashMap::with_capacity(list.len());
    for (i, digest) in list.iter().enumerate() {
        places.entry(*digest).and_modify(|place| *place = None).or_insert(Some(i));
    }
    places
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
