//! Messages of one record that form a tree: answers that were asked for again and questions that were edited leave
//! branches behind.

use super::Log;
use super::window::Dropped;
use crate::model::StepNo;

/// A message of a tree, by its place in the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::format) struct BranchMessage {
    pub(in crate::format) at: usize,
    /// Whether it is on a branch that was left.
    pub(in crate::format) is_left: bool,
}

/// The order of the messages: each behind the one that it follows, and of several that follow one message the branch
/// that was not left last. `parents` has for each message the place of the one that it follows; `last` ends the main
/// line. Messages that follow each other in a circle are there once too.
pub(in crate::format) fn ordered(parents: &[Option<usize>], last: Option<usize>) -> Vec<BranchMessage> {
    let count = parents.len();
    let parent_of = |at: usize| parents.get(at).copied().flatten().filter(|parent| *parent < count);
    let mut is_main = vec![false; count];
    let mut next = last.filter(|at| *at < count);
    while let Some(at) = next {
        next = if std::mem::replace(&mut is_main[at], true) { None } else { parent_of(at) };
    }
    // The messages that follow each one, the last first; those that follow none are behind all others.
    let (mut first, mut sibling) = (vec![None; count + 1], vec![None; count]);
    for (at, before) in sibling.iter_mut().enumerate() {
        *before = first[parent_of(at).unwrap_or(count)].replace(at);
    }
    let (mut order, mut is_ordered) = (Vec::with_capacity(count), vec![false; count]);
    let mut open: Vec<usize> = Vec::new();
    let open_those = |parent: usize, open: &mut Vec<usize>| {
        let following = || std::iter::successors(first[parent], |at| sibling[*at]);
        open.extend(following().filter(|at| is_main[*at]));
        open.extend(following().filter(|at| !is_main[*at]));
    };
    open_those(count, &mut open);
    let mut unseen = 0..count;
    while let Some(at) = open.pop().or_else(|| unseen.find(|at| !is_ordered[*at])) {
        if !std::mem::replace(&mut is_ordered[at], true) {
            order.push(BranchMessage { at, is_left: last.is_some() && !is_main[at] });
            open_those(at, &mut open);
        }
    }
    order
}

/// Marks the steps of branches that were left, as they are added.
#[derive(Debug)]
pub(in crate::format) struct Branches<'p> {
    parents: &'p [Option<usize>],
    /// For each message the place of the last one up to it that has steps; the number of messages: there is none.
    spoken: Vec<usize>,
    /// For each message the step from which on its steps and those of its branches are known to those that follow.
    seen: Vec<StepNo>,
}

impl<'p> Branches<'p> {
    pub(in crate::format) fn new(parents: &'p [Option<usize>], first: StepNo) -> Self {
        let count = parents.len();
        Self { parents, spoken: vec![count; count], seen: vec![first; count + 1] }
    }

    /// The steps from `first` on are those of a message.
    pub(in crate::format) fn end(&mut self, message: BranchMessage, first: StepNo, log: &mut Log<'_>) {
        let BranchMessage { at, is_left } = message;
        let parent = self.parents.get(at).copied().flatten();
        let parent = parent.and_then(|parent| self.spoken.get(parent).copied()).unwrap_or(self.parents.len());
        let end = log.next_step();
        if first == end {
            self.spoken[at] = parent;
            return;
        }
        self.spoken[at] = at;
        self.seen[at] = end;
        // What was said on other branches since the message before is not known here.
        let other = std::mem::replace(&mut self.seen[parent], first)..first;
        if is_left {
            (first..end).for_each(|step| log.leave(step));
            if !other.is_empty() {
                log.steps.window.drop(first, Dropped::These(other.collect()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order as `0 1 ×2`.
    fn shown(parents: &[Option<usize>], last: Option<usize>) -> String {
        let word = |message: BranchMessage| format!("{}{}", if message.is_left { "×" } else { "" }, message.at);
        ordered(parents, last).into_iter().map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_main_line_follows_the_branches_that_were_left() {
        let tree = [None, Some(0), Some(1), Some(0), Some(3), Some(3)];
        assert_eq!(shown(&tree, Some(2)), "0 ×3 ×4 ×5 1 2");
        assert_eq!(shown(&tree, Some(5)), "0 ×1 ×2 3 ×4 5");
        assert_eq!(shown(&tree, Some(3)), "0 ×1 ×2 3 ×4 ×5", "what follows the end was left too");
        assert_eq!(shown(&tree, None), "0 1 2 3 4 5", "nothing was left where no end is known");
    }

    #[test]
    fn circles_and_parents_that_are_not_there_lose_no_message() {
        assert_eq!(shown(&[Some(1), Some(0), None, Some(9)], Some(2)), "×3 2 ×0 ×1");
        assert_eq!(shown(&[Some(0), Some(1)], Some(1)), "×0 1");
        assert_eq!(shown(&[], Some(3)), "");
    }

    #[test]
    fn a_long_line_in_any_order_is_one_line() {
        let count = 100_000;
        let parents: Vec<Option<usize>> = (0..count).map(|at| Some(at + 1).filter(|at| *at < count)).collect();
        let order = ordered(&parents, Some(0));
        let are_main = order.iter().all(|message| !message.is_left);
        assert!(order.iter().map(|message| message.at).eq((0..count).rev()) && are_main);
    }
}
