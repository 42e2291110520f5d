//! The graph of a plan: who waits for whom, in which waves calls can run, and where they turn in circles (A39, A40).

use super::call::Call;
use super::places::{Places, has_other};
use super::reference::Reference;
use crate::rules::graph::{Biclique, Edges};

/// The calls of one list by what they write.
pub(super) fn writers(calls: &[Call]) -> Places {
    let mut places = Places::default();
    for (number, call) in calls.iter().enumerate() {
        for path in call.writes() {
            places.add(number, call.instance.as_deref(), path);
        }
    }
    places
}

/// A39: an edge for each reference that a call reads when another writes it. Labels are the references of all calls, in
/// order.
pub(super) fn edges(calls: &[Call], writers: &Places) -> Edges {
    let group = |number| Biclique { from: writers.owners(number).to_vec(), to: Vec::new() };
    let mut groups: Vec<Biclique> = (0..writers.group_count()).map(group).collect();
    let mut label = 0;
    for (to, reader) in calls.iter().enumerate() {
        for read in reader.reads() {
            for number in writers.supplying(read, reader.instance.as_deref()) {
                groups[number].to.push((to, label));
            }
            label += 1;
        }
    }
    Edges::new(calls.len(), groups)
}

/// Which of the paths that calls of one list write no other call of it reads, with their calls (A44).
pub(super) fn unread<'c>(calls: &'c [Call], writers: &Places) -> Vec<(&'c Call, &'c Reference)> {
    let mut readers = vec![Vec::new(); writers.group_count()];
    for (number, reader) in calls.iter().enumerate() {
        for read in reader.reads() {
            for group in writers.supplying(read, reader.instance.as_deref()) {
                readers[group].push(number);
            }
        }
    }
    let mut found = Vec::new();
    for (number, call) in calls.iter().enumerate() {
        let is_read = |path: &&Reference| {
            let mut groups = writers.having(path, call.instance.as_deref()).into_iter();
            groups.any(|group| has_other(readers[group].iter(), number))
        };
        found.extend(call.writes().into_iter().filter(|path| !is_read(path)).map(|path| (call, path)));
    }
    found
}
