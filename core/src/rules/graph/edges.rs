//! The edges of a graph in which many may give to many, as bicliques: ten thousand writers of what ten thousand read
//! make 100 million edges and one biclique (A39, R15).

use super::{RunOrder, cycles};
use std::collections::HashMap;

/// An edge from each of `from` to each of `to`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Biclique {
    /// Who gives, ascending; a node that gives several things is there as often.
    pub from: Vec<usize>,
    /// Who takes, with the number of the label of what it takes.
    pub to: Vec<(usize, usize)>,
}

/// One end of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct End<'e> {
    /// The node there.
    pub node: usize,
    /// What goes along the edge; empty where it names nothing.
    pub label: &'e str,
}

/// The edges of a graph, of which those of one node are made when they are asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edges {
    bicliques: Vec<Biclique>,
    /// Of each node the bicliques in which it gives, each once.
    gives: Vec<Vec<usize>>,
    /// Of each node the bicliques in which it takes, with the label.
    takes: Vec<Vec<(usize, usize)>>,
    labels: Vec<String>,
    has_loops: bool,
}

impl Edges {
    /// The edges of bicliques between `count` nodes. What a node gives itself is no edge (A39).
    #[must_use]
    pub fn new(count: usize, bicliques: Vec<Biclique>) -> Self {
        let bicliques: Vec<_> = bicliques.into_iter().filter(|b| !b.from.is_empty() && !b.to.is_empty()).collect();
        let (mut gives, mut takes) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for (number, biclique) in bicliques.iter().enumerate() {
            for &from in &biclique.from {
                if gives[from].last() != Some(&number) {
                    gives[from].push(number);
                }
            }
            biclique.to.iter().for_each(|&(to, label)| takes[to].push((number, label)));
        }
        Self { bicliques, gives, takes, labels: Vec::new(), has_loops: false }
    }

    /// The same with the labels that the bicliques number.
    #[must_use]
    pub fn labelled(self, labels: Vec<String>) -> Self {
        Self { labels, ..self }
    }

    /// Edges one by one, those from a node to itself among them.
    #[must_use]
    pub fn listed(count: usize, edges: Vec<(usize, usize, String)>) -> Self {
        let mut bicliques: Vec<Biclique> =
            (0..count).map(|from| Biclique { from: vec![from], to: Vec::new() }).collect();
        let mut labels = Vec::with_capacity(edges.len());
        for (from, to, label) in edges {
            bicliques[from].to.push((to, labels.len()));
            labels.push(label);
        }
        Self { has_loops: true, ..Self::new(count, bicliques).labelled(labels) }
    }

    /// The first edges from a node, at most `most`, by the other end and the label, each once.
    #[must_use]
    pub fn from(&self, node: usize, most: usize) -> Vec<End<'_>> {
        let groups = self.gives.get(node).into_iter().flatten();
        let ends = groups.flat_map(|&b| self.others(&self.bicliques[b].to, node, most, |end| *end));
        self.ends(ends, most)
    }

    /// The first edges to a node, at most `most`, by the other end and the label, each once.
    #[must_use]
    pub fn to(&self, node: usize, most: usize) -> Vec<End<'_>> {
        let groups = self.takes.get(node).into_iter().flatten();
        let ends = groups.flat_map(|&(b, label)| {
            let from = &self.bicliques[b].from;
            self.others(from, node, most, move |from| (*from, label))
        });
        self.ends(ends, most)
    }

    /// The first of a list in ascending order that are ends of edges of a node, each once.
    fn others<'e, T>(
        &self,
        list: &'e [T],
        node: usize,
        most: usize,
        end: impl Fn(&T) -> (usize, usize) + 'e,
    ) -> impl Iterator<Item = (usize, usize)> + 'e {
        let (has_loops, mut last) = (self.has_loops, None);
        let ends = list.iter().map(end).filter(move |(other, _)| has_loops || *other != node);
        ends.filter(move |end| last.replace(*end) != Some(*end)).take(most)
    }

    fn ends(&self, ends: impl Iterator<Item = (usize, usize)>, most: usize) -> Vec<End<'_>> {
        let label = |label: usize| self.labels.get(label).map_or("", String::as_str);
        let mut found: Vec<End<'_>> = ends.map(|(node, number)| End { node, label: label(number) }).collect();
        found.sort_unstable();
        found.dedup();
        found.truncate(most);
        found
    }

    /// How many edges there are, counted up to `limit`.
    #[must_use]
    pub fn count(&self, limit: usize) -> usize {
        let mut count = 0;
        for node in 0..self.gives.len() {
            if count >= limit {
                break;
            }
            count += self.from(node, limit).len();
        }
        count.min(limit)
    }

    /// A40: in which order the nodes can run, without making the edges.
    #[must_use]
    pub fn order(&self) -> RunOrder {
        let waves = self.waves();
        let count = self.gives.len();
        let mut is_placed = vec![false; count];
        waves.iter().flatten().for_each(|&node| is_placed[node] = true);
        let cycles = self.cycles(&is_placed);
        cycles.iter().flatten().for_each(|&node| is_placed[node] = true);
        RunOrder { waves, cycles, blocked: (0..count).filter(|&node| !is_placed[node]).collect() }
    }

    /// A node can run when in each biclique from which it takes only what it gives itself is still to come.
    fn waves(&self) -> Vec<Vec<usize>> {
        let mut open: Vec<usize> = self.bicliques.iter().map(|b| b.from.len()).collect();
        let mut waiting: Vec<usize> = self.takes.iter().map(Vec::len).collect();
        let mut takers: Vec<HashMap<usize, Vec<usize>>> = self.bicliques.iter().map(takers_by_multiplicity).collect();
        for (number, open) in open.iter().enumerate() {
            takers[number].remove(open).into_iter().flatten().for_each(|node| waiting[node] -= 1);
        }
        let mut wave: Vec<usize> = (0..waiting.len()).filter(|&node| waiting[node] == 0).collect();
        let mut waves = Vec::new();
        while !wave.is_empty() {
            let mut following = Vec::new();
            for &node in &wave {
                for &number in &self.gives[node] {
                    for _ in 0..times(&self.bicliques[number].from, node) {
                        open[number] -= 1;
                        for taker in takers[number].remove(&open[number]).into_iter().flatten() {
                            waiting[taker] -= 1;
                            following.extend((waiting[taker] == 0).then_some(taker));
                        }
                    }
                }
            }
            following.sort_unstable();
            waves.push(std::mem::replace(&mut wave, following));
        }
        waves
    }

    /// The cycles of the graph in which a biclique is a node between those that give and those that take. One with a
    /// single node of ours is what that node gives itself.
    fn cycles(&self, is_placed: &[bool]) -> Vec<Vec<usize>> {
        let count = self.gives.len();
        let through = self.gives.iter().map(|groups| groups.iter().map(|b| count + b).collect());
        let onward = self.bicliques.iter().map(|b| b.to.iter().map(|(to, _)| *to).collect());
        let next: Vec<Vec<usize>> = through.chain(onward).collect();
        let mut passed = is_placed.to_vec();
        passed.resize(next.len(), true);
        let mut found = cycles(&next, &passed);
        found.iter_mut().for_each(|set| set.retain(|&node| node < count));
        found.retain(|set| set.len() > 1);
        found.sort_unstable();
        found
    }
}

/// How often a node is in a list in ascending order.
fn times(list: &[usize], node: usize) -> usize {
    let from = list.partition_point(|&n| n < node);
    list[from..].partition_point(|&n| n == node)
}

/// Who takes from a biclique, by how much of it they give themselves.
fn takers_by_multiplicity(biclique: &Biclique) -> HashMap<usize, Vec<usize>> {
    let mut takers: HashMap<usize, Vec<usize>> = HashMap::new();
    for &(to, _) in &biclique.to {
        takers.entry(times(&biclique.from, to)).or_default().push(to);
    }
    takers
}

#[cfg(test)]
mod tests {
    use super::super::order;
    use super::*;
    use proptest::prelude::*;

    fn pairs(edges: &Edges) -> Vec<(usize, usize)> {
        let nodes = 0..edges.gives.len();
        nodes.flat_map(|from| edges.from(from, usize::MAX).into_iter().map(move |end| (from, end.node))).collect()
    }

    #[test]
    fn what_a_node_gives_itself_holds_it_up_not() {
        let both = |a, b| Biclique { from: vec![a, b], to: vec![(a, 0), (b, 0)] };
        assert_eq!(Edges::new(2, vec![both(0, 1)]).order().cycles, [vec![0, 1]]);
        let biclique = Biclique { from: vec![0, 0], to: vec![(0, 0), (1, 0)] };
        assert_eq!(Edges::new(2, vec![biclique]).order().waves, [vec![0], vec![1]]);
        assert_eq!(Edges::listed(1, vec![(0, 0, String::new())]).from(0, 9).len(), 1);
    }

    #[test]
    fn edges_go_both_ways_with_their_labels() {
        let labels = ["b", "a", "a"].map(str::to_owned).to_vec();
        let group = Biclique { from: vec![0, 1], to: vec![(1, 0), (2, 1), (2, 2)] };
        let edges = Edges::new(3, vec![group]).labelled(labels);
        assert_eq!(edges.from(0, 9), [End { node: 1, label: "b" }, End { node: 2, label: "a" }]);
        assert_eq!(edges.to(2, 9), [End { node: 0, label: "a" }, End { node: 1, label: "a" }]);
        assert_eq!(edges.to(2, 1), [End { node: 0, label: "a" }], "the first of two");
        assert_eq!((edges.to(1, 9).len(), edges.count(9), edges.count(1)), (1, 3, 1));
    }

    proptest! {
        /// A40: bicliques give the order that their edges give.
        #[test]
        fn the_order_is_that_of_the_edges(groups in prop::collection::vec(
            (prop::collection::vec(0..7_usize, 0..4), prop::collection::vec(0..7_usize, 0..4)), 0..6)) {
            let biclique = |(mut from, to): (Vec<usize>, Vec<usize>)| {
                from.sort_unstable();
                Biclique { from, to: to.into_iter().map(|to| (to, 0)).collect() }
            };
            let edges = Edges::new(7, groups.into_iter().map(biclique).collect());
            prop_assert_eq!(edges.order(), order(7, &pairs(&edges)));
        }
    }
}
