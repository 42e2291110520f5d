//! The graph of a plan: who waits for whom, in which waves calls can run, and where they turn in circles (A39, A40).

use super::call::Call;
use super::reference::Reference;
use crate::rules::graph::{self, Order};
use std::collections::{BTreeSet, HashMap};

/// One edge: the writer, the reader, and the reader's reference by its number in its reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Edge {
    pub from: usize,
    pub to: usize,
    pub read: usize,
}

/// A39: an edge for each reference that a call reads when another writes it.
pub(super) fn edges(calls: &[Call]) -> Vec<Edge> {
    let mut writers: HashMap<&str, Vec<(usize, &Reference)>> = HashMap::new();
    for (from, call) in calls.iter().enumerate() {
        for path in call.writes() {
            writers.entry(path.kind.as_str()).or_default().push((from, path));
        }
    }
    let mut edges = BTreeSet::new();
    for (to, reader) in calls.iter().enumerate() {
        for (number, read) in reader.reads().into_iter().enumerate() {
            for (from, path) in writers.get(read.kind.as_str()).into_iter().flatten() {
                if *from != to && calls[*from].supplies(path, reader.instance.as_deref(), read) {
                    edges.insert(Edge { from: *from, to, read: number });
                }
            }
        }
    }
    edges.into_iter().collect()
}

/// A40: waves, cycles and what is behind them, of `count` calls.
pub(super) fn order(count: usize, edges: &[Edge]) -> Order {
    let pairs: Vec<(usize, usize)> = edges.iter().map(|e| (e.from, e.to)).collect();
    graph::order(count, &pairs)
}
