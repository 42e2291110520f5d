//! The graph of a plan: who waits for whom, in which waves calls can run, and where they turn in circles (A39, A40).

use super::call::Call;
use super::reference::Reference;
use std::collections::{BTreeSet, HashMap};

/// One edge: the writer, the reader, and the reader's reference by its number in its reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Edge {
    pub from: usize,
    pub to: usize,
    pub read: usize,
}

/// A40: the order of the calls.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Waves {
    pub waves: Vec<Vec<usize>>,
    pub cycles: Vec<Vec<usize>>,
    pub blocked: Vec<usize>,
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
pub(super) fn waves(count: usize, edges: &[Edge]) -> Waves {
    let pairs: BTreeSet<(usize, usize)> = edges.iter().map(|e| (e.from, e.to)).collect();
    let mut next = vec![Vec::new(); count];
    let mut before = vec![Vec::new(); count];
    for (from, to) in pairs {
        next[from].push(to);
        before[to].push(from);
    }
    let mut open: Vec<usize> = before.iter().map(Vec::len).collect();
    let mut wave: Vec<usize> = (0..count).filter(|i| open[*i] == 0).collect();
    let mut is_placed = vec![false; count];
    let mut result = Waves::default();
    while !wave.is_empty() {
        let mut following = Vec::new();
        for node in &wave {
            is_placed[*node] = true;
            for to in &next[*node] {
                open[*to] -= 1;
                if open[*to] == 0 {
                    following.push(*to);
                }
            }
        }
        following.sort_unstable();
        result.waves.push(std::mem::replace(&mut wave, following));
    }
    let rest: Vec<usize> = (0..count).filter(|i| !is_placed[*i]).collect();
    result.cycles = cycles(&rest, &next, &before);
    let turning: BTreeSet<usize> = result.cycles.iter().flatten().copied().collect();
    result.blocked = rest.into_iter().filter(|i| !turning.contains(i)).collect();
    result
}

/// A40: the strongly connected sets of more than one node (Kosaraju, without recursion).
fn cycles(nodes: &[usize], next: &[Vec<usize>], before: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let among: BTreeSet<usize> = nodes.iter().copied().collect();
    let mut finished = Vec::with_capacity(nodes.len());
    let mut seen = BTreeSet::new();
    for start in nodes {
        if !seen.insert(*start) {
            continue;
        }
        let mut path = vec![(*start, 0)];
        while let Some((node, at)) = path.last_mut() {
            match next[*node].get(*at) {
                Some(to) => {
                    *at += 1;
                    if among.contains(to) && seen.insert(*to) {
                        path.push((*to, 0));
                    }
                }
                None => {
                    finished.push(*node);
                    path.pop();
                }
            }
        }
    }
    let mut sets = Vec::new();
    let mut taken = BTreeSet::new();
    for start in finished.into_iter().rev() {
        let mut set = Vec::new();
        let mut open = vec![start];
        while let Some(node) = open.pop() {
            if among.contains(&node) && taken.insert(node) {
                set.push(node);
                open.extend(&before[node]);
            }
        }
        if set.len() > 1 {
            set.sort_unstable();
            sets.push(set);
        }
    }
    sets.sort();
    sets
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge((from, to): &(usize, usize)) -> Edge {
        Edge { from: *from, to: *to, read: 0 }
    }

    fn told(count: usize, pairs: &[(usize, usize)]) -> Waves {
        waves(count, &pairs.iter().map(edge).collect::<Vec<_>>())
    }

    #[test]
    fn waves_come_one_after_the_other() {
        let w = told(4, &[(3, 1), (3, 2), (1, 0), (2, 0), (3, 0)]);
        assert_eq!(w, Waves { waves: vec![vec![3], vec![1, 2], vec![0]], ..Waves::default() });
    }

    #[test]
    fn circles_and_what_is_behind_them() {
        let w = told(7, &[(0, 1), (1, 0), (1, 2), (4, 5), (5, 6), (6, 4), (2, 4)]);
        assert_eq!(w.waves, [vec![3]]);
        assert_eq!(w.cycles, [vec![0, 1], vec![4, 5, 6]]);
        assert_eq!(w.blocked, [2]);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let n = 100_000;
        let mut pairs: Vec<_> = (1..n).map(|i| (i - 1, i)).collect();
        pairs.push((n - 1, 0));
        assert_eq!(told(n, &pairs).cycles[0].len(), n);
    }
}
