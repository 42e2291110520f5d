//! Which data a rebuilt context has lost (A4), in words for its finding.

use super::reference::canonical;
use crate::json::Key;
use crate::model::StepNo;
use crate::state::{EventOp, IdentityId, Tree};
use crate::text::count_of;
use std::collections::HashSet;

/// Most lost values that are named.
const NAMED_MAX: usize = 3;

/// The data that step `at` dropped and that is still missing at step `end`, the last one of its envelope: the topmost
/// missing values, the first few by name.
pub(super) fn text(tree: &Tree, at: StepNo, end: StepNo) -> String {
    let mut seen: HashSet<(IdentityId, Vec<Key>)> = HashSet::new();
    let mut names = Vec::new();
    for event in tree.events(at) {
        if !matches!(event.op, EventOp::Drop | EventOp::Reset) {
            continue;
        }
        let Some((id, path)) = topmost_missing(tree, tree.path(event.node), end) else { continue };
        let is_new = seen.insert((id, path.clone()));
        if is_new && names.len() < NAMED_MAX {
            names.push(name(tree, id, &path));
        }
    }
    match seen.len() - names.len() {
        0 if names.is_empty() => "no data is lost".to_owned(),
        0 => format!("lost: {}", names.join(", ")),
        more => format!("lost: {} and {}", names.join(", "), count_of(more, "more value")),
    }
}

/// The shortest beginning of a path that has no value at a step.
fn topmost_missing(tree: &Tree, (id, path): (IdentityId, Vec<Key>), at: StepNo) -> Option<(IdentityId, Vec<Key>)> {
    let is_missing = |end: usize| tree.node(id, &path[..end]).is_none_or(|node| tree.shape(node, at).is_none());
    (0..=path.len()).find(|end| is_missing(*end)).map(|end| (id, path[..end].to_vec()))
}

fn name(tree: &Tree, id: IdentityId, path: &[Key]) -> String {
    let identity = tree.identity(id);
    let reference = canonical(&identity.kind, path);
    match &identity.instance {
        Some(instance) => format!("{reference} {instance}"),
        None => reference,
    }
}
