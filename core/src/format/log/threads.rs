//! The tree of a log's records: which of them lead to the newest one, which were left for another branch, which belong
//! to sub-agents inside the file.
//!
//! An adapter whose records name their parents reports them one by one ([`super::Log::thread`]); a record that it does
//! not report belongs to the run as a whole.

use crate::json::Value;
use crate::model::cast;
use crate::model::{DigestTable, Standing};
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;
use twox_hash::XxHash3_128;

/// A record of a tree.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::format) struct Node<'n> {
    /// Its id.
    pub(in crate::format) id: Option<&'n str>,
    /// The id of the record that it follows.
    pub(in crate::format) parent: Option<&'n str>,
    /// Whether a sub-agent wrote it.
    pub(in crate::format) is_side: bool,
    /// Whether somebody speaks again: a prompt, the first record of a model's answer. Where several of these follow one
    /// record, all but the newest were retried or left.
    pub(in crate::format) is_turn: bool,
    /// Whether what precedes it is no longer in the model's context.
    pub(in crate::format) is_boundary: bool,
    /// Whether it begins the conversation again: it follows no record, and of the trees of such a log only that of the
    /// newest turn is the main line.
    pub(in crate::format) is_anew: bool,
    /// Of a boundary the records before it that stay in the context all the same.
    pub(in crate::format) preserved: Option<Preserved<'n>>,
}

/// Records that a boundary leaves in the context, by their ids.
#[derive(Debug, Clone, Copy)]
pub(in crate::format) struct Preserved<'n> {
    /// Which they are.
    pub(in crate::format) records: PreservedRecords<'n>,
    /// The record behind which the model sees them, as a rule the summary.
    pub(in crate::format) anchor: Option<&'n str>,
}

/// The records of a context that a boundary leaves in it.
#[derive(Debug, Clone, Copy)]
pub(in crate::format) enum PreservedRecords<'n> {
    /// Those from the first to the last one, along their line.
    Line(&'n str, &'n str),
    /// A list of ids; some may come later.
    Listed(&'n [Value<'n>]),
}

/// The same by places or by digests of ids, and the digest of the anchor's id, which may come later.
#[derive(Debug)]
struct PreservedPlaces {
    first: usize,
    last: Option<usize>,
    listed: Box<[u64]>,
    anchor: Option<u64>,
}

/// Records of a context that the model sees behind a later one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Moved {
    /// Their places.
    pub(super) records: HashSet<usize>,
    /// The place of the record that they follow.
    pub(super) behind: usize,
}

/// What is kept of a record.
#[derive(Debug, Clone, Copy, Default)]
struct CompactNode {
    /// Number of the parent, from 1; 0: no parent.
    parent: u32,
    is_reported: bool,
    is_side: bool,
    is_turn: bool,
    is_boundary: bool,
    has_child: bool,
    /// Whether it begins another branch, or follows one that does, in which nobody spoke yet.
    is_branch: bool,
}

/// Which records are on the main line.
#[derive(Debug, Default)]
struct MainLine {
    is_main: Vec<bool>,
    /// For each record the number of the first record of its tree, from 1.
    trees: Vec<u32>,
    /// The number of the newest turn of each tree, from 1.
    newest: HashMap<u32, u32>,
    /// The number of the newest turn of all, from 1; 0: no turn yet.
    newest_of_all: u32,
    /// Whether the tree of the newest turn alone is the main line.
    is_one_tree: bool,
}

impl MainLine {
    /// Takes the next record; false: it makes others leave the main line, so that all are to be looked at again.
    fn add(&mut self, place: u32, node: &CompactNode, nodes: &[CompactNode]) -> bool {
        let parent = (node.parent as usize).checked_sub(1);
        let tree = parent.and_then(|parent| self.trees.get(parent).copied()).unwrap_or(place);
        let mut is_main = parent.and_then(|parent| self.is_main.get(parent).copied()).unwrap_or(true);
        if node.is_turn {
            let newest = self.newest.insert(tree, place);
            let before = std::mem::replace(&mut self.newest_of_all, place);
            if self.is_one_tree && newest.unwrap_or_default() < before {
                return false;
            }
            // A turn goes on from the newest one, or there was none; else it is another branch.
            if newest.is_some_and(|newest| !leads_to(nodes, newest, node.parent)) {
                return false;
            }
            is_main = true;
        }
        self.is_main.push(is_main);
        self.trees.push(tree);
        true
    }

    /// All records.
    fn of(nodes: &[CompactNode], is_one_tree: bool) -> Self {
        let newest = newest_turns(nodes);
        let mut best = vec![0; nodes.len()];
        for (node, newest) in nodes.iter().zip(&newest) {
            if let Some(best) = (node.parent as usize).checked_sub(1).and_then(|parent| best.get_mut(parent)) {
                *best = (*best).max(*newest);
            }
        }
        let is_root = |node: &CompactNode| node.is_reported && !node.is_side && node.parent == 0;
        let roots = nodes.iter().zip(&newest).filter(|(node, _)| is_root(node));
        let newest_tree = roots.map(|(_, newest)| *newest).max().filter(|_| is_one_tree);
        let mut line = Self { is_main: vec![true; nodes.len()], is_one_tree, ..Self::default() };
        for (at, node) in nodes.iter().enumerate() {
            let Some(parent) = (node.parent as usize).checked_sub(1) else {
                line.trees.push(cast::to_u32(at + 1));
                if newest[at] > 0 {
                    line.newest.insert(cast::to_u32(at + 1), newest[at]);
                }
                line.is_main[at] = !is_root(node) || newest_tree.is_none_or(|tree| tree == newest[at]);
                continue;
            };
            line.trees.push(line.trees[parent]);
            line.is_main[at] = line.is_main[parent] && (newest[at] == 0 || newest[at] == best[parent]);
        }
        line.newest_of_all = line.newest.values().copied().max().unwrap_or_default();
        line
    }
}

/// Whether a record, by its place from 1, is another one or precedes it on its line.
fn leads_to(nodes: &[CompactNode], place: u32, from: u32) -> bool {
    let mut at = from;
    // Parents come before their children.
    while at > place {
        at = nodes.get(at as usize - 1).map_or(0, |node| node.parent);
    }
    at == place
}

/// The records of a run as a tree.
#[derive(Debug, Default)]
pub(super) struct Threads {
    nodes: Vec<CompactNode>,
    /// Places of records by their ids, of several the last.
    by_id: DigestTable,
    /// Of boundaries the records that they preserve.
    preserved: HashMap<usize, PreservedPlaces>,
    main: OnceLock<MainLine>,
    /// How often the main line may have become another.
    switched: u64,
    /// The place of the last turn, from 1.
    last_turn: u32,
    /// Whether a conversation in it was begun again.
    is_one_tree: bool,
    /// Of each record the place of the first one of its tree, from 1, once a conversation was begun again.
    roots: Vec<u32>,
}

impl Threads {
    /// Takes a record, by its place in the run. A parent that is not known yet is ignored, so that there are no cycles.
    pub(super) fn add(&mut self, at: usize, node: &Node<'_>) {
        let Ok(place) = u32::try_from(at + 1) else { return };
        let mut line = self.main.take().filter(|_| at >= self.nodes.len());
        if self.nodes.len() <= at {
            // Records between that nobody reports belong to the run as a whole.
            let gap = self.nodes.len()..at;
            self.nodes.resize(at + 1, CompactNode::default());
            if let Some(line) = &mut line {
                for at in gap {
                    line.add(cast::to_u32(at + 1), &CompactNode::default(), &self.nodes);
                }
            }
        }
        let parent = node.parent.and_then(|id| self.by_id.get(hash(id))).filter(|parent| *parent < place);
        // A record may come in pieces of one id, one behind the other: each goes on from the one before.
        let piece = node.id.and_then(|id| self.by_id.get(hash(id))).filter(|known| known + 1 == place);
        let piece = piece.filter(|known| {
            let parent = parent.unwrap_or_default();
            self.nodes.get(*known as usize - 1).is_some_and(|known| known.parent == parent)
        });
        let parent = piece.or(parent);
        let Node { is_side, is_turn, is_boundary, .. } = *node;
        let before = parent.and_then(|parent| self.nodes.get_mut(parent as usize - 1));
        let is_branch = before.is_some_and(|before| std::mem::replace(&mut before.has_child, true) || before.is_branch);
        self.switched += u64::from(is_branch && is_turn);
        if let Some(known) = self.nodes.get_mut(at) {
            let parent = parent.unwrap_or_default();
            let is_branch = is_branch && !is_turn;
            *known =
                CompactNode { parent, is_reported: true, is_side, is_turn, is_boundary, has_child: false, is_branch };
        }
        self.is_one_tree |= node.is_anew && at > 0;
        line = line.filter(|line| line.is_one_tree == self.is_one_tree);
        self.roots.truncate(at);
        if is_turn {
            let before = std::mem::replace(&mut self.last_turn, place);
            self.switched += u64::from(self.is_one_tree && self.root(before) != self.root(place));
        }
        let extended = line.zip(self.nodes.get(at)).and_then(|(mut line, added)| {
            let is_whole = line.add(place, added, &self.nodes);
            is_whole.then_some(line)
        });
        self.main = extended.map_or_else(OnceLock::new, OnceLock::from);
        if let Some(preserved) = node.preserved {
            let anchor = preserved.anchor.map(hash);
            let (listed, line) = match preserved.records {
                PreservedRecords::Listed(ids) => (ids.iter().filter_map(Value::as_str).map(hash).collect(), None),
                PreservedRecords::Line(first, last) => {
                    (Box::default(), self.place_of(hash(first)).zip(self.place_of(hash(last))))
                }
            };
            let (first, last) = line.map_or((0, None), |(first, last)| (first, Some(last)));
            if last.is_some() || !listed.is_empty() {
                self.preserved.insert(at, PreservedPlaces { first, last, listed, anchor });
            }
        }
        if let Some(id) = node.id {
            self.by_id.insert(hash(id), place);
        }
    }

    /// How often earlier records may have come to be on another branch.
    pub(super) fn switched(&self) -> u64 {
        self.switched
    }

    /// The place of a record, by its id.
    pub(super) fn find(&self, id: &str) -> Option<usize> {
        self.place_of(hash(id))
    }

    /// Where a record is.
    pub(super) fn standing(&self, at: Option<usize>) -> Standing {
        let is_main = |at: usize| self.main().is_main.get(at).copied().unwrap_or(true);
        match at.and_then(|at| Some((at, self.nodes.get(at)?))) {
            Some((_, node)) if node.is_side => Standing::SubAgent,
            Some((at, node)) if node.is_reported && !is_main(at) => Standing::Abandoned,
            _ => Standing::Main,
        }
    }

    /// Which records up to one of them the model saw with it: those that lead to it, with what goes along with them.
    /// Records that are not in the answer were seen.
    pub(super) fn context(&self, at: Option<usize>) -> Vec<bool> {
        let Some(at) = at.filter(|_| !self.nodes.is_empty()) else { return Vec::new() };
        let count = self.nodes.len().min(at + 1);
        let newest = newest_turns(&self.nodes[..count]);
        let is_side = self.nodes.get(at).is_some_and(|node| node.is_side);
        let mut seen: Vec<bool> = self.nodes[..count].iter().map(|node| !node.is_reported && !is_side).collect();
        let begin = self.boundary(at).unwrap_or_default();
        self.line(self.last_place(at)).take_while(|place| *place >= begin).for_each(|place| seen[place] = true);
        seen[..begin].fill(false);
        self.preserved_by(begin).filter(|place| *place < count).for_each(|place| seen[place] = true);
        for (place, node) in self.nodes[..count].iter().enumerate() {
            let follows = (node.parent as usize).checked_sub(1).is_some_and(|parent| seen[parent]);
            seen[place] |= follows && newest[place] == 0;
        }
        seen
    }

    /// The records of the context of one that the model sees behind a later one.
    pub(super) fn moved(&self, at: Option<usize>) -> Option<Moved> {
        let begin = self.boundary(at?)?;
        let behind = self.place_of(self.preserved.get(&begin)?.anchor?)?;
        let records: HashSet<usize> = self.preserved_by(begin).filter(|place| *place < behind).collect();
        (!records.is_empty()).then_some(Moved { records, behind })
    }

    /// The last boundary that leads to a record, or is it.
    fn boundary(&self, at: usize) -> Option<usize> {
        self.line(self.last_place(at)).find(|place| self.nodes.get(*place).is_some_and(|node| node.is_boundary))
    }

    /// The last record up to one that has a place in the tree: one without is about the session, and the model sees
    /// with it what it saw before.
    fn last_place(&self, at: usize) -> Option<usize> {
        let is_place = |place: &usize| {
            self.nodes.get(*place).is_some_and(|node| node.is_reported && (*place == at || !node.is_side))
        };
        (0..self.nodes.len().min(at + 1)).rev().find(is_place)
    }

    /// The records that a boundary preserves.
    fn preserved_by(&self, boundary: usize) -> impl Iterator<Item = usize> {
        let places = self.preserved.get(&boundary);
        let first = places.map_or(0, |places| places.first);
        let listed = places.into_iter().flat_map(|places| places.listed.iter().filter_map(|id| self.place_of(*id)));
        self.line(places.and_then(|places| places.last)).take_while(move |place| *place >= first).chain(listed)
    }

    fn place_of(&self, id: u64) -> Option<usize> {
        (self.by_id.get(id)? as usize).checked_sub(1)
    }

    /// The records that lead to one, from it back.
    fn line(&self, last: Option<usize>) -> impl Iterator<Item = usize> {
        std::iter::successors(last, |place| (self.nodes.get(*place)?.parent as usize).checked_sub(1))
    }

    /// The first record of the tree of one, both by their places from 1.
    fn root(&mut self, place: u32) -> Option<u32> {
        for (at, node) in self.nodes.iter().enumerate().skip(self.roots.len()) {
            let parent = (node.parent as usize).checked_sub(1);
            let root = parent.and_then(|parent| self.roots.get(parent).copied());
            self.roots.push(root.unwrap_or(cast::to_u32(at + 1)));
        }
        self.roots.get((place as usize).checked_sub(1)?).copied()
    }

    /// Which records are on the main line.
    fn main(&self) -> &MainLine {
        self.main.get_or_init(|| MainLine::of(&self.nodes, self.is_one_tree))
    }
}

/// For each record the newest turn of its branch, from 1; 0: there is none.
fn newest_turns(all: &[CompactNode]) -> Vec<u32> {
    let turns = (1..).zip(all).map(|(place, node)| if node.is_turn { place } else { 0 });
    let mut newest: Vec<u32> = turns.collect();
    for at in (0..all.len()).rev() {
        if let Some(parent) = (all[at].parent as usize).checked_sub(1) {
            newest[parent] = newest[parent].max(newest[at]);
        }
    }
    newest
}

/// Ids of a file by 64 bits: of two that are equal so, the later one is found.
fn hash(id: &str) -> u64 {
    cast::low_u64(XxHash3_128::oneshot(id.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records `id parent flags`: `t` a turn, `s` of a sub-agent, `b` a boundary.
    fn threads(records: &[(&str, &str, &str)]) -> Threads {
        let mut threads = Threads::default();
        for (at, (id, parent, flags)) in records.iter().enumerate() {
            threads.add(
                at,
                &Node {
                    id: Some(id),
                    parent: Some(parent).filter(|parent| !parent.is_empty()).copied(),
                    is_side: flags.contains('s'),
                    is_turn: flags.contains('t'),
                    is_boundary: flags.contains('b'),
                    is_anew: flags.contains('n'),
                    preserved: flags.split_once('=').and_then(|(_, ids)| {
                        let (first, rest) = ids.split_once('-')?;
                        let (last, anchor) = rest.split_once('>').map_or((rest, None), |(l, a)| (l, Some(a)));
                        Some(Preserved { records: PreservedRecords::Line(first, last), anchor })
                    }),
                },
            );
        }
        threads
    }

    fn letters(threads: &Threads, count: usize) -> String {
        let letter = |at| match threads.standing(Some(at)) {
            Standing::Main => 'm',
            Standing::Abandoned => 'a',
            Standing::SubAgent => 's',
        };
        (0..count).map(letter).collect()
    }

    #[test]
    fn the_newest_branch_is_the_main_line_and_results_of_parallel_calls_go_along() {
        let tree = threads(&[
            ("p1", "", "t"),
            ("a1", "p1", "t"),
            ("p2", "p1", "t"),
            ("call1", "p2", "t"),
            ("call2", "call1", ""),
            ("result1", "call1", ""),
            ("result2", "call2", ""),
            ("sub", "", "ts"),
            ("end", "result2", "t"),
        ]);
        assert_eq!(letters(&tree, 9), "mammmmmsm");
        assert_eq!(letters(&tree, 12), "mammmmmsmmmm", "what is not told belongs to the run");
        let seen = tree.context(Some(1));
        assert_eq!(seen, [true, true]);
        let seen: Vec<usize> = (0..9).filter(|at| tree.context(Some(8))[*at]).collect();
        assert_eq!(seen, [0, 2, 3, 4, 5, 6, 8]);
    }

    #[test]
    fn of_a_conversation_that_was_begun_anew_the_newest_tree_is_the_main_line() {
        let records = [("a", "", "t"), ("b", "a", "t"), ("c", "", "tn"), ("d", "c", "t"), ("e", "b", "t")];
        let mut grown = Threads::default();
        for count in 1..=5 {
            let tree = threads(&records[..count]);
            let (id, parent, flags) = records[count - 1];
            let parent = Some(parent).filter(|parent| !parent.is_empty());
            let node = Node { id: Some(id), parent, is_turn: true, is_anew: flags == "tn", ..Node::default() };
            grown.add(count - 1, &node);
            assert_eq!(letters(&tree, count), ["m", "mm", "aam", "aamm", "mmaam"][count - 1]);
            assert_eq!(letters(&grown, count), letters(&tree, count), "one by one");
        }
        assert_eq!((grown.switched(), grown.context(Some(3))), (2, vec![false, false, true, true]));
        assert_eq!(grown.context(Some(4)), [true, true, false, false, true]);
    }

    #[test]
    fn a_boundary_ends_the_context_and_cycles_are_none() {
        let tree = threads(&[("a", "b", "t"), ("b", "a", "b"), ("c", "b", "t"), ("c", "c", "t")]);
        assert_eq!(letters(&tree, 4), "mmmm", "of two records of one id the later one follows the earlier one");
        let tree = threads(&[("a", "", "t"), ("b", "a", "b"), ("c", "b", "t")]);
        assert_eq!(tree.context(Some(2)), [false, true, true]);
    }

    #[test]
    fn the_main_line_of_records_that_come_one_by_one_is_that_of_all() {
        // Trees with branches, made by a small generator of numbers.
        for seed in 0..200_u32 {
            let mut number = seed;
            let mut next = |below: u32| {
                number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (number >> 8) % below
            };
            let (mut asked, mut whole) = (Threads::default(), Threads::default());
            let mut at = 0;
            for record in 0..40_u32 {
                at += if next(9) == 0 { 2 } else { 1 };
                let parent = if next(3) == 0 { next(record + 1) } else { record.saturating_sub(1) };
                let (id, parent) = (record.to_string(), parent.to_string());
                let is_turn = next(2) == 0;
                let node = Node { id: Some(&id), parent: Some(&parent), is_turn, ..Node::default() };
                asked.add(at, &node);
                whole.add(at, &node);
                // One is asked all the time, the other at the end alone.
                asked.standing(Some(at));
                whole.main = OnceLock::new();
                let all = MainLine::of(&whole.nodes, false);
                assert_eq!(asked.main().is_main, all.is_main, "seed {seed} record {record}");
            }
        }
    }

    #[test]
    fn a_boundary_preserves_the_records_that_it_names() {
        let line = [("1", "", "t"), ("2", "1", "t"), ("3", "2", ""), ("4", "3", "t")];
        let seen = |boundary: &str| {
            let after = [("5", "4", boundary), ("6", "5", "t")];
            threads(&[line.as_slice(), after.as_slice()].concat()).context(Some(5))
        };
        assert_eq!(seen("b"), [false, false, false, false, true, true]);
        assert_eq!(seen("b=2-4"), [false, true, true, true, true, true]);
        assert_eq!(seen("b=9-4"), [false, false, false, false, true, true], "a record that is not known");
    }

    #[test]
    fn what_a_boundary_preserves_is_behind_its_anchor() {
        let line = [("1", "", "t"), ("2", "1", "t"), ("3", "2", ""), ("4", "3", "t")];
        let moved = |boundary: &str, at| {
            let after = [("5", "4", boundary), ("6", "5", "t"), ("7", "6", "t")];
            threads(&[line.as_slice(), after.as_slice()].concat()).moved(Some(at))
        };
        let expected = Moved { records: HashSet::from([2, 3]), behind: 5 };
        assert_eq!(moved("b=3-4>6", 6), Some(expected));
        assert_eq!(moved("b=3-4>6", 3), None, "before the boundary");
        assert_eq!(moved("b=3-4", 6), None, "no anchor");
        assert_eq!(moved("b=3-4>2", 6), None, "an anchor before them");
    }
}
