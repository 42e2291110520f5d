//! What a step did to the state, by node: for the marks and counts of the state pane.

use super::Open;
use crate::json::Key;
use crate::model::StepNo;
use crate::state::{EventOp, IdentityId, NodeId};
use std::collections::{HashMap, HashSet};

/// What a step did, by node.
#[derive(Debug, Default)]
pub struct Changes {
    /// What happened to leaves that stand.
    pub leaves: HashMap<NodeId, EventOp>,
    /// Number of leaves below a container that were not only repeated.
    pub below: HashMap<NodeId, usize>,
    /// What is gone, under what is left: the topmost nodes, with their keys.
    pub gone: HashMap<Option<NodeId>, Vec<(NodeId, Key)>>,
}

/// What a step did, by node: events of leaves, counts above them, and what is gone under what is left.
#[must_use]
pub fn changes(open: &Open<'_>, step: StepNo) -> Changes {
    let tree = open.tree();
    let mut out = Changes::default();
    let mut ghosts = HashSet::new();
    for event in tree.events(step) {
        let (id, path) = tree.path(event.node);
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
        for end in 0..path.len() {
            if let Some(above) = tree.node(id, &path[..end]) {
                *out.below.entry(above).or_default() += 1;
            }
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
