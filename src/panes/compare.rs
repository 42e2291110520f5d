//! The difference of the state between two steps, by path.

use super::Open;
use super::reader::TextLine;
use super::value;
use crate::model::StepNo;
use crate::state::{Leaf, NodeId};
use crate::text::Role;
use std::collections::BTreeMap;

/// Most differences that are listed.
const LINES_MAX: usize = 5_000;

/// The leaves that differ between the state at `from` and at `to`, old and new value, in the order of their paths.
#[must_use]
pub fn lines(open: &Open<'_>, from: StepNo, to: StepNo) -> Vec<TextLine> {
    let (low, high) = (from.min(to), from.max(to));
    let mut touched: BTreeMap<NodeId, ()> = BTreeMap::new();
    for (step, _) in open.tree().activity().filter(|(s, _)| *s > low && *s <= high) {
        touched.extend(open.tree().events(step).into_iter().map(|e| (e.node, ())));
    }
    let mut out = vec![TextLine::new(Role::Title, format!("state @{from} → @{to}")), TextLine::new(Role::Dim, "")];
    let mut differing: Vec<(String, Option<Leaf>, Option<Leaf>)> = Vec::new();
    for node in touched.into_keys() {
        let (old, new) = (open.tree().leaf(node, from), open.tree().leaf(node, to));
        let same = matches!((&old, &new), (Some(a), Some(b)) if a.value == b.value);
        if !same && (old.is_some() || new.is_some()) {
            let (identity, path) = open.path_of(node);
            let mut name = open.run().reference(&identity, &path);
            if let Some(instance) = &identity.instance {
                name = format!("{name} {instance}");
            }
            differing.push((name, old, new));
        }
    }
    differing.sort_by(|a, b| a.0.cmp(&b.0));
    if differing.is_empty() {
        out.push(TextLine::new(Role::Dim, "no difference"));
    }
    for (name, old, new) in differing.iter().take(LINES_MAX) {
        let role = match (old, new) {
            (None, _) => Role::Added,
            (_, None) => Role::Removed,
            _ => Role::Changed,
        };
        out.push(TextLine::new(role, name.clone()));
        for (leaf, sign, role) in [(old, "−", Role::Removed), (new, "+", Role::Added)] {
            if let Some(leaf) = leaf {
                let text = value::stored(&leaf.value, open.bytes()).text;
                let line = TextLine::new(role, format!("  {sign} {text}   {}", super::state::at(leaf.step)));
                out.push(line.from_step(leaf.step));
            }
        }
    }
    if differing.len() > LINES_MAX {
        out.push(TextLine::new(Role::Dim, format!("… and {} more", differing.len() - LINES_MAX)));
    }
    out
}
