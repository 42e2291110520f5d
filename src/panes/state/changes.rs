//! What one step did to the state, by node, for the signs of its rows.

use super::super::{Extent, Open, Piece, value};
use super::{Outline, StateLine, StatePane, StateRowTarget};
use crate::json::Key;
use crate::model::StepNo;
use crate::state::{EventOp, IdentityId, IdentityView, NodeId, NodeShape};
use crate::text::{Role, SafeText};
use std::collections::{HashMap, HashSet};

/// What the step in focus did, by node.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// Number of changes below each container.
    pub(super) below: HashMap<NodeId, usize>,
    /// Under each container (None: an identity without one), the topmost values that are gone.
    pub(super) gone: HashMap<Option<NodeId>, Vec<(NodeId, Key)>>,
    /// What breaks its schema at the step (A42).
    pub(super) invalid: HashSet<NodeId>,
    /// Containers of what does.
    pub(super) invalid_below: HashSet<NodeId>,
}

impl Changes {
    /// Of a step, with the identities that are then.
    pub(super) fn at(open: &Open<'_>, step: StepNo, identities: &[IdentityView]) -> Self {
        let mut out = changes(open, step);
        for view in identities {
            for one in open.session.checks.at(view.id, step) {
                let path = &one.violation.path;
                out.invalid.extend(open.tree().node(view.id, path));
                out.invalid_below.extend((0..path.len()).filter_map(|end| open.tree().node(view.id, &path[..end])));
            }
        }
        out
    }
}

impl Outline {
    /// Notes which rows show changes of the step: leaves, and what is folded over some.
    pub(super) fn count(&mut self, open: &Open<'_>) {
        let mut sum = 0;
        for (row, line) in self.lines.iter().enumerate() {
            let n = self.changes.shown_by(open, line, self.step);
            if n > 0 {
                sum += n;
                self.changed.push((row, sum));
            }
        }
    }
}

impl Changes {
    /// Adds `count` changes to a container and to those around it.
    fn add_below(&mut self, open: &Open<'_>, (container, count): (Option<NodeId>, usize)) {
        for node in std::iter::successors(container, |node| open.tree().parent(*node)) {
            *self.below.entry(node).or_default() += count;
        }
    }

    /// How many changes a row stands for; what is unfolded shows them in rows of their own.
    fn shown_by(&self, open: &Open<'_>, line: &StateLine, step: StepNo) -> usize {
        let below = |node: &NodeId| self.below.get(node).copied().unwrap_or(0);
        match (&line.place, line.is_open) {
            (StateRowTarget::Gone(_), _) => 1,
            (StateRowTarget::Node(node), None) => usize::from(is_changed(open, *node, step)),
            (StateRowTarget::Node(node), Some(false)) => below(node),
            (StateRowTarget::Identity(_), None) => {
                usize::from(line.root(open, step).is_some_and(|root| is_changed(open, root, step)))
            }
            (StateRowTarget::Identity(_), Some(false)) => line.root(open, step).as_ref().map_or(0, below),
            (StateRowTarget::Group(kind), Some(false)) => {
                let of_kind = |view: &IdentityView| open.tree().identity(view.id).kind == *kind;
                let all = open.tree().identities(step);
                all.iter().filter(|view| of_kind(view)).filter_map(|view| view.root).map(|root| below(&root)).sum()
            }
            (_, Some(true))
            | (StateRowTarget::Group(_) | StateRowTarget::Missing(..) | StateRowTarget::MoreMissing(..), _) => 0,
            (StateRowTarget::Conversation | StateRowTarget::Field(..), _) => 0,
        }
    }
}

fn is_changed(open: &Open<'_>, node: NodeId, step: StepNo) -> bool {
    matches!(open.tree().last_at(node, step), Some(EventOp::Add | EventOp::Change))
}

impl StatePane {
    /// Says how many changes of the step in focus are above the rows that are shown, and how many below them.
    #[must_use]
    pub fn out_of_view_label(&self, open: &Open<'_>, extent: Extent, is_short: bool) -> Option<Piece> {
        let outline = self.outline(open);
        let until = |row: usize| match outline.changed.partition_point(|(changed_row, _)| *changed_row < row) {
            0 => 0,
            n => outline.changed[n - 1].1,
        };
        let all = outline.changed.last().map_or(0, |(_, sum)| *sum);
        let (above, below) = (until(self.scroll.top), all - until(self.scroll.top + extent.height));
        let label = match (above, below) {
            (0, 0) => return None,
            (0, n) => format!("↓ {n}"),
            (n, 0) => format!("↑ {n}"),
            (above, below) => format!("↑ {above} ↓ {below}"),
        };
        let word = match above + below {
            _ if is_short => "",
            1 => " change",
            _ => " changes",
        };
        Some(Piece::of(Role::Changed, &format!("{label}{word} ")))
    }
}

/// What a step did to a leaf; one that took the place of a container is a change.
pub(super) fn op(open: &Open<'_>, outline: &Outline, node: NodeId) -> Option<EventOp> {
    open.tree().shape(node, outline.step)?;
    match open.tree().last_at(node, outline.step)? {
        EventOp::Add if is_container(open, node, outline.step - 1) == Some(true) => Some(EventOp::Change),
        op => Some(op),
    }
}

/// Whether a value is an object or array at a step; None where it is absent.
pub(super) fn is_container(open: &Open<'_>, node: NodeId, step: StepNo) -> Option<bool> {
    open.tree().shape(node, step).map(|shape| matches!(shape, NodeShape::Object | NodeShape::Array))
}

/// What a value was just before a step, in one line, and of a leaf the step that wrote it.
pub(in crate::panes) fn before(open: &Open<'_>, node: NodeId, step: StepNo) -> Option<(SafeText, Option<StepNo>)> {
    if let Some(old) = open.tree().before(node, step) {
        return Some((value::stored(&old.value, open.bytes()).text, Some(old.step)));
    }
    let shape = open.tree().shape(node, step - 1)?;
    let n = open.tree().child_count(node, step - 1);
    let count_label = value::count_of(n, "value");
    let label = if shape == NodeShape::Array { format!("[{count_label}]") } else { format!("{{{count_label}}}") };
    Some((SafeText::of(&label), None))
}

/// The same as it is after what the value is now.
pub(super) fn was(open: &Open<'_>, node: NodeId, step: StepNo) -> Vec<Piece> {
    let old = before(open, node, step).map(|(old, _)| [Piece::of(Role::Dim, "  was "), Piece::safe(Role::Old, old)]);
    old.into_iter().flatten().collect()
}

/// What a step did, by node: counts above what it changed, and what is gone under what is left.
fn changes(open: &Open<'_>, step: StepNo) -> Changes {
    let tree = open.tree();
    let mut out = Changes::default();
    let mut ghosts = HashSet::new();
    // Of neighbours, which have the same containers above them, the number is taken up at once.
    let mut run: (Option<NodeId>, usize) = (None, 0);
    for (node, op) in tree.writes_at(step) {
        if tree.shape(node, step).is_none() {
            let (id, path) = tree.path(node);
            if let Some((parent, gone, key)) = topmost_gone(open, id, &path, step)
                && ghosts.insert(gone)
            {
                out.gone.entry(parent).or_default().push((gone, key));
            }
        }
        if op == EventOp::Same {
            continue;
        }
        let parent = tree.parent(node);
        if parent != run.0 {
            out.add_below(open, std::mem::replace(&mut run, (parent, 0)));
        }
        run.1 += 1;
    }
    out.add_below(open, run);
    out
}

type Gone = (Option<NodeId>, NodeId, Key);

fn topmost_gone(open: &Open<'_>, id: IdentityId, path: &[Key], step: StepNo) -> Option<Gone> {
    for end in 1..=path.len() {
        let node = open.tree().node(id, &path[..end])?;
        if open.tree().shape(node, step).is_none() {
            return Some((open.tree().node(id, &path[..end - 1]), node, path[end - 1].clone()));
        }
    }
    None
}
