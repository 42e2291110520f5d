//! What references and expressions mean (A34 to A36).

use super::fold::State;
use super::tree::Tree;
use crate::reference::json::J;
use crate::reference::path::{Expr, Gates, Key, Ref, Segment};

/// A value found.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) kind: String,
    pub(crate) instance: Option<String>,
    pub(crate) path: Vec<Key>,
    pub(crate) tree: Tree,
}

/// What one reference, gate or expression comes to.
#[derive(Debug, Clone)]
pub(crate) enum Outcome {
    Ok(Box<Found>),
    Missing(&'static str),
    Unsupported,
}

/// Walks down; None: nothing there.
fn walk<'t>(tree: &'t Tree, path: &[Segment], keys: &mut Vec<Key>) -> Option<&'t Tree> {
    let Some((segment, rest)) = path.split_first() else { return Some(tree) };
    let (key, child) = match tree {
        Tree::Arr(all) => all.iter().enumerate().map(|(i, t)| (Key::Index(i), t)).find(|(k, _)| segment.can_be(k))?,
        Tree::Obj(all) => all.iter().map(|(k, t)| (Key::Name(k.clone()), t)).find(|(k, _)| segment.can_be(k))?,
        Tree::Leaf(..) => return None,
    };
    keys.push(key);
    walk(child, rest, keys)
}

/// A reference in one identity alone.
pub(crate) fn exactly(state: &State, kind: &str, instance: Option<&str>, path: &[Segment]) -> Option<Found> {
    let identity = state.get(kind, instance)?;
    let mut keys = Vec::new();
    let tree = walk(identity.tree.as_ref()?, path, &mut keys)?.clone();
    Some(Found { kind: kind.to_owned(), instance: instance.map(str::to_owned), path: keys, tree })
}

/// A reference in an instance, then globally (A34).
pub(crate) fn found(state: &State, kind: &str, instance: Option<&str>, path: &[Segment]) -> Option<Found> {
    exactly(state, kind, instance, path).or_else(|| exactly(state, kind, None, path))
}

pub(crate) fn reference(state: &State, instance: Option<&str>, reference: &Ref) -> Outcome {
    let kind = reference.kind.as_str();
    if let Some(found) = found(state, kind, instance, &reference.path) {
        return Outcome::Ok(Box::new(found));
    }
    if kind == "expr" && !state.identities.iter().any(|i| i.id.0 == "expr" && i.tree.is_some()) {
        return Outcome::Unsupported;
    }
    if reference.is_length {
        let parent = found(state, kind, instance, &reference.path[..reference.path.len() - 1]);
        let has_length = |found: Found| match found.tree.value() {
            J::Arr(_) | J::Str(_) => Some(()),
            _ => None,
        };
        if parent.and_then(has_length).is_some() {
            return Outcome::Unsupported;
        }
    }
    let has_kind = state.get(kind, instance).or_else(|| state.get(kind, None)).is_some();
    Outcome::Missing(if has_kind { "path" } else { "kind" })
}

/// The first alternative that has a value.
pub(crate) fn gate(state: &State, instance: Option<&str>, gate: &[Ref]) -> Outcome {
    let mut first = None;
    for alternative in gate {
        match reference(state, instance, alternative) {
            Outcome::Missing(reason) => first = first.or(Some(reason)),
            other => return other,
        }
    }
    Outcome::Missing(first.unwrap_or("kind"))
}

pub(crate) fn gates(state: &State, instance: Option<&str>, all: &Gates) -> Outcome {
    let mut last = Outcome::Missing("kind");
    for alternatives in all {
        last = gate(state, instance, alternatives);
        if !matches!(last, Outcome::Ok(_)) {
            break;
        }
    }
    last
}

/// An expression; None: it does not parse.
pub(crate) fn expression(state: &State, instance: Option<&str>, expr: &Expr) -> Option<Outcome> {
    match expr {
        Expr::Gates(all) => Some(gates(state, instance, all)),
        Expr::Wider(_) => Some(Outcome::Unsupported),
        Expr::Text | Expr::Invalid => None,
    }
}

/// A reference as the data has it (A33): `.0` is an index on an array, else a key.
pub(crate) fn printed(state: &State, instance: Option<&str>, reference: &Ref) -> Vec<Key> {
    let mut keys: Vec<Key> = Vec::new();
    for segment in &reference.path {
        let above: Vec<Segment> = keys.iter().map(as_segment).collect();
        let is_array = || {
            let above = found(state, &reference.kind, instance, &above);
            above.is_some_and(|found| matches!(found.tree.value(), J::Arr(_)))
        };
        keys.push(match segment {
            Segment::Name(name) => Key::Name(name.clone()),
            Segment::Index(n) => Key::Index(*n),
            Segment::Dot(digits) => match digits.parse() {
                Ok(n) if is_array() => Key::Index(n),
                _ => Key::Name(digits.clone()),
            },
        });
    }
    keys
}

fn as_segment(key: &Key) -> Segment {
    match key {
        Key::Name(name) => Segment::Name(name.clone()),
        Key::Index(n) => Segment::Index(*n),
    }
}
