//! Asking on: since when a value is so, what else a step wrote, how instances differ.

use crate::app::pane::Tab;
use crate::app::{App, Pane};
use crate::format::cause::{Hop, ValueWrite};
use crate::panes::diff::Pairs;
use crate::state::NodeId;
use crate::text::count_of;
use std::collections::HashSet;

impl App {
    /// Goes to the step at which the value in focus became what it is now.
    pub(in crate::app) fn first_so(&mut self) {
        let Some(open) = self.session.open() else { return };
        let Some((_, node)) = open.focus_node() else {
            drop(open);
            return self.notify("no value in focus");
        };
        let (tree, step) = (open.tree(), open.step());
        let since = match tree.leaf(node, step) {
            Some(leaf) => Some(leaf.changed),
            None => tree.when_changed(node, step).pop().filter(|s| s.to.is_none()).map(|s| s.from),
        };
        drop(open);
        match since {
            None => self.notify("the value is not there at this step"),
            Some(since) if since == step => self.notify("it became so at this step"),
            Some(since) if since < 0 => self.notify("it is so since the head of the trajectory, before any step"),
            Some(since) => {
                self.jump_to(since);
                self.notify(format!("so since this step, up to step {step} at least"));
            }
        }
    }

    /// Goes to what the value in focus was copied from: one hop back on the way to where it first came in.
    pub(in crate::app) fn go_to_origin(&mut self) {
        let Some(open) = self.session.open() else { return };
        let leaf = open.focus_node().and_then(|(_, node)| open.tree().leaf(node, open.step()));
        let Some(leaf) = leaf else {
            drop(open);
            return self.notify("no value in focus that could be copied from another: move in State to one");
        };
        let hops = open.causes(&[ValueWrite { node: leaf.node, author: leaf.step, value: &leaf.value }]);
        let Some(hop) = hops[0].first() else {
            drop(open);
            return self.notify("nothing says where this value came from: it first came in here");
        };
        let left = hops[0].len() - 1;
        let more =
            if left == 0 { "it first came in here".to_owned() } else { format!("{} back", count_of(left, "more hop")) };
        let message = format!("{} · {more} · {}", hop.describe(open.run()), self.hint("{back} returns"));
        let target = match hop {
            Hop::Value { node, .. } => Some(open.path_of(*node)),
            Hop::Result { .. } => None,
        };
        let step = hop.step().max(0);
        drop(open);
        self.jump_to(step);
        if let Some(target) = target {
            self.focus_path(target);
        }
        self.notify(message);
    }

    /// Puts the next or previous value that the step wrote in focus; after the last comes the first.
    pub(in crate::app) fn change_of_step(&mut self, is_forward: bool) {
        let Some(open) = self.session.open() else { return };
        let step = open.step();
        let mut seen = HashSet::new();
        let is_there = |node: &NodeId| open.tree().shape(*node, step).is_some();
        let nodes = open.tree().events(step).into_iter().map(|event| event.node);
        let nodes: Vec<NodeId> = nodes.filter(|node| is_there(node) && seen.insert(*node)).collect();
        let here = open.focus_node().and_then(|(_, focus)| nodes.iter().position(|node| *node == focus));
        let next = match (here, is_forward) {
            (None, true) => 0,
            (None, false) => nodes.len().saturating_sub(1),
            (Some(here), true) => (here + 1) % nodes.len(),
            (Some(here), false) => (here + nodes.len() - 1) % nodes.len(),
        };
        let target = nodes.get(next).map(|node| open.path_of(*node));
        drop(open);
        match target {
            Some(target) => {
                self.focus_path(target);
                self.notify(format!("value {} of {} that step {step} wrote", next + 1, nodes.len()));
            }
            None => self.notify("this step wrote no value"),
        }
    }

    /// Compares the next two instances of the kind in focus; after the last pair come steps again.
    pub(in crate::app) fn compare_instances(&mut self) {
        let Some(open) = self.session.open() else { return };
        let standing = open.tree().identities(open.step());
        let mut named = standing.iter().map(|view| open.tree().identity(view.id));
        // Without a value in focus it is the first kind with instances, as where they are side by side.
        let focus = self.session.focus.path.as_ref().map(|(identity, _)| identity);
        let Some(of) = focus.or_else(|| named.find(|identity| identity.instance.is_some())).cloned() else {
            drop(open);
            return self.notify("no kind has instances at this step");
        };
        let count = Pairs::of(open.run(), &of, open.step()).count();
        drop(open);
        let next = match &self.inspector.diff.pair {
            Some((before, at)) if *before == of => at + 1,
            _ => 0,
        };
        let kind = of.kind.clone();
        self.inspector.diff.pair = (next < count).then_some((of, next));
        match (&self.inspector.diff.pair, count) {
            (_, 0) => return self.notify(format!("¶{kind} has no two instances at this step")),
            (Some(_), _) => self.notify(format!("pair {} of {count} of ¶{kind}; the same key goes on", next + 1)),
            (None, _) => self.notify("the Diff tab compares steps again"),
        }
        self.inspector.tab = Tab::Diff;
        self.inspector.diff.text.scroll = crate::panes::Scroll::default();
        self.pane = Pane::Inspector;
    }
}
