//! The order of a graph of calls or agents: waves, cycles, and what waits after them (A40, S26).

mod edges;

pub use edges::{Biclique, Edges, End};

/// A40: in which order the nodes of a graph can run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunOrder {
    /// Wave 0 has the nodes without predecessors, wave k+1 those whose predecessors all lie in waves 0 to k; each by
    /// index.
    pub waves: Vec<Vec<usize>>,
    /// Strongly connected sets of nodes, each sorted, then sorted.
    pub cycles: Vec<Vec<usize>>,
    /// Nodes after a cycle, by index.
    pub blocked: Vec<usize>,
}

impl RunOrder {
    /// A40: the waves joined.
    #[must_use]
    pub fn flat(&self) -> Vec<usize> {
        self.waves.concat()
    }
}

/// A40: orders `count` nodes by edges from writer to reader. Equal edges count once.
#[must_use]
pub fn order(count: usize, edges: &[(usize, usize)]) -> RunOrder {
    let mut next = vec![Vec::new(); count];
    for &(from, to) in edges {
        next[from].push(to);
    }
    for targets in &mut next {
        targets.sort_unstable();
        targets.dedup();
    }
    let waves = waves(&next);
    let mut is_placed = vec![false; count];
    waves.iter().flatten().for_each(|&node| is_placed[node] = true);
    let cycles = cycles(&next, &is_placed);
    cycles.iter().flatten().for_each(|&node| is_placed[node] = true);
    let blocked = (0..count).filter(|&node| !is_placed[node]).collect();
    RunOrder { waves, cycles, blocked }
}

fn waves(next: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut open = vec![0_usize; next.len()];
    next.iter().flatten().for_each(|&to| open[to] += 1);
    let mut wave: Vec<usize> = (0..next.len()).filter(|&node| open[node] == 0).collect();
    let mut waves = Vec::new();
    while !wave.is_empty() {
        let mut following = Vec::new();
        for &to in wave.iter().flat_map(|&node| &next[node]) {
            open[to] -= 1;
            if open[to] == 0 {
                following.push(to);
            }
        }
        following.sort_unstable();
        waves.push(std::mem::replace(&mut wave, following));
    }
    waves
}

/// One node on the path that the search is on, and how many of its edges it has taken.
struct Visit {
    node: usize,
    taken: usize,
}

/// Tarjan's strongly connected sets without recursion, so that a long chain cannot overflow the stack.
fn cycles(next: &[Vec<usize>], is_placed: &[bool]) -> Vec<Vec<usize>> {
    let count = next.len();
    let (mut index, mut low) = (vec![usize::MAX; count], vec![usize::MAX; count]);
    let (mut stack, mut on_stack) = (Vec::new(), vec![false; count]);
    let (mut seen, mut found) = (0, Vec::new());
    for start in (0..count).filter(|&node| !is_placed[node]) {
        let mut path = Vec::new();
        if index[start] == usize::MAX {
            path.push(Visit { node: start, taken: 0 });
        }
        while let Some(Visit { node, taken }) = path.last_mut() {
            let node = *node;
            if *taken == 0 && index[node] == usize::MAX {
                (index[node], low[node]) = (seen, seen);
                seen += 1;
                stack.push(node);
                on_stack[node] = true;
            }
            if let Some(&to) = next[node].get(*taken) {
                *taken += 1;
                if index[to] == usize::MAX {
                    path.push(Visit { node: to, taken: 0 });
                } else if on_stack[to] {
                    low[node] = low[node].min(index[to]);
                }
                continue;
            }
            path.pop();
            if let Some(parent) = path.last() {
                low[parent.node] = low[parent.node].min(low[node]);
            }
            if low[node] == index[node] {
                let at = stack.iter().rposition(|&n| n == node).unwrap_or(0);
                let mut set = stack.split_off(at);
                set.iter().for_each(|&n| on_stack[n] = false);
                set.sort_unstable();
                if set.len() > 1 || next[node].contains(&node) {
                    found.push(set);
                }
            }
        }
    }
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waves_cycles_and_what_waits_behind() {
        let o = order(7, &[(0, 1), (0, 1), (1, 2), (3, 4), (4, 3), (4, 5), (6, 6)]);
        assert_eq!(o.waves, [vec![0], vec![1], vec![2]]);
        assert_eq!(o.cycles, [vec![3, 4], vec![6]]);
        assert_eq!((o.blocked.clone(), o.flat()), (vec![5], vec![0, 1, 2]));
        assert_eq!(order(3, &[(2, 0), (2, 1), (1, 0)]).waves, [vec![2], vec![1], vec![0]]);
    }

    #[test]
    fn a_long_ring_is_one_cycle() {
        let n = 100_000;
        let ring: Vec<_> = (0..n).map(|i| (i, (i + 1) % n)).collect();
        assert_eq!(order(n, &ring).cycles[0].len(), n);
    }
}
