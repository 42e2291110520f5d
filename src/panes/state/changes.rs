//! What one step did to the state, by node, for the signs of its rows.

use super::super::Open;
use crate::json::Key;
use crate::model::StepNo;
use crate::state::{EventOp, IdentityId, IdentityView, NodeId};
use std::collections::{HashMap, HashSet};

/// What the step in focus did, by node.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// What happened to each leaf that is there.
    pub(super) leaves: HashMap<NodeId, EventOp>,
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
    /// Of a step, with the identities that stand then.
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

/// What a step did, by node: events of leaves, counts above them, and what is gone under what is left.
fn changes(open: &Open<'_>, step: StepNo) -> Changes {
    let tree = open.tree();
    let mut out = Changes::default();
    let mut ghosts = HashSet::new();
    // Neighbours mostly have the same containers above them.
    let mut above: (Option<(IdentityId, Vec<Key>)>, Vec<NodeId>) = (None, Vec::new());
    for event in tree.events(step) {
        let (id, mut path) = tree.path(event.node);
        if tree.shape(event.node, step).is_some() {
            out.leaves.insert(event.node, event.op);
        } else if let Some((parent, gone, key)) = topmost_gone(open, id, &path, step)
            && ghosts.insert(gone)
        {
            out.gone.entry(parent).or_default().push((gone, key));
        }
        if event.op == EventOp::Same {
            continue;
        }
        if path.pop().is_none() {
            continue;
        }
        if above.0.as_ref().is_none_or(|(of, known)| *of != id || *known != path) {
            let nodes = (0..=path.len()).filter_map(|end| tree.node(id, &path[..end])).collect();
            above = (Some((id, path)), nodes);
        }
        for node in &above.1 {
            *out.below.entry(*node).or_default() += 1;
        }
    }
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
