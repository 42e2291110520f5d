//! What happened, in the order of A30.

use super::{EventOp, HistoryEvent, IdentityId, NodeId, Tree};
use crate::model::StepNo;
use std::collections::{HashMap, HashSet};

impl Tree {
    /// All events at or below a node up to and including a step, in the order of A30.
    #[must_use]
    pub fn history(&self, node: NodeId, step: StepNo) -> Vec<HistoryEvent> {
        let limit = self.limit(step);
        let below = self.below(node);
        let all = below.iter().flat_map(|n| self.versions_of(*n).take_while(|v| *v < limit));
        let mut numbers: Vec<u32> = all.filter(|v| self.version(*v).event.is_some()).collect();
        numbers.sort_unstable();
        let steps = numbers.chunk_by(|a, b| self.step_of(*a) == self.step_of(*b));
        steps.flat_map(|step| self.settled(step)).collect()
    }

    /// The events of one step, in the order of A30.
    #[must_use]
    pub fn events(&self, step: StepNo) -> Vec<HistoryEvent> {
        let all = self.limit_before(step)..self.limit(step);
        let numbers: Vec<u32> = all.filter(|v| self.version(*v).event.is_some()).collect();
        self.settled(&numbers)
    }

    /// What a step did, write by write: the node, and what happened to it. As [`Tree::events`], but in the order of the
    /// writes, and nothing is made of the values: a step may write a million.
    pub fn writes_at(&self, step: StepNo) -> impl Iterator<Item = (NodeId, EventOp)> {
        let all = self.limit_before(step)..self.limit(step);
        all.filter_map(|number| {
            let version = self.version(number);
            version.event.map(|op| (version.node, op))
        })
    }

    /// What a step did to a node, the last of it.
    #[must_use]
    pub fn last_at(&self, node: NodeId, step: StepNo) -> Option<EventOp> {
        let numbers = self.numbers_between(node, self.limit_before(step), self.limit(step));
        numbers.iter().rev().find_map(|number| self.version(*number).event)
    }

    /// The next (`forward`) or previous step with an event at or below a node.
    #[must_use]
    pub fn neighbour(&self, node: NodeId, step: StepNo, forward: bool) -> Option<StepNo> {
        let below = self.below(node);
        let is_event = |v: &u32| self.version(*v).event.is_some();
        let number = if forward {
            let limit = self.limit(step);
            below.iter().filter_map(|n| self.versions_of(*n).find(|v| *v >= limit && is_event(v))).min()
        } else {
            let limit = self.limit_before(step);
            below.iter().filter_map(|n| self.versions_of(*n).rev().find(|v| *v < limit && is_event(v))).max()
        };
        number.map(|n| self.step_of(n))
    }

    /// Steps that have events, with the number of events, in step order: for the timeline.
    pub fn activity(&self) -> impl Iterator<Item = (StepNo, usize)> {
        self.starts.iter().filter(|s| s.events > 0).map(|s| (s.at, s.events as usize))
    }

    /// Events of one step, of which the versions are given in the order in which they were written. A step may write
    /// more than once: drops of leaves that were before it come first all the same, in the old order of the identities.
    fn settled(&self, numbers: &[u32]) -> Vec<HistoryEvent> {
        let Some(first) = numbers.first() else { return Vec::new() };
        let at = self.step_of(*first);
        let mut seen = HashSet::new();
        let is_first = |v: &u32| {
            let version = self.version(*v);
            seen.insert(version.node) && version.is_drop()
        };
        let (drops, rest): (Vec<u32>, Vec<u32>) = numbers.iter().copied().partition(is_first);
        let mut drops: Vec<HistoryEvent> = drops.into_iter().map(|v| self.event(at, v)).collect();
        if drops.iter().any(|d| d.identity != drops[0].identity) {
            let old = self.order.at(at.saturating_sub(1));
            let rank: HashMap<IdentityId, usize> = old.into_iter().zip(0..).collect();
            drops.sort_by_key(|d| rank.get(&d.identity).copied());
        }
        drops.extend(rest.into_iter().map(|v| self.event(at, v)));
        drops
    }

    fn event(&self, at: StepNo, number: u32) -> HistoryEvent {
        let version = self.version(number);
        let is_drop = version.is_drop();
        HistoryEvent {
            at,
            author: self.attribution(number).author,
            op: version.event.unwrap_or(super::EventOp::Same),
            identity: self.identity_at(version.node),
            node: version.node,
            value: if is_drop { None } else { self.value(version.what) },
            number,
        }
    }

    fn identity_at(&self, node: NodeId) -> IdentityId {
        let mut root = node;
        while let Some(parent) = self.parent(root) {
            root = parent;
        }
        self.identity_of_root(root)
    }
}
