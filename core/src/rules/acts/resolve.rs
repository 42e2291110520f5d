//! What a reference or an expression comes to at a step (A33 to A36).

use super::expression::Expression;
use super::reference::{PathSegment, Reference};
use crate::json::Key;
use crate::model::{Identity, StepNo};
use crate::state::{IdentityId, NodeId, NodeShape, Tree};

/// The kind of predicates, which a later edition computes (A36).
const PREDICATES: &str = "expr";

/// Where a reference leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedReference {
    /// The identity that has the path.
    pub id: IdentityId,
    /// The path below it, as the state has it (A33).
    pub path: Vec<Key>,
    /// The node.
    pub node: NodeId,
}

/// A36: why a reference has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingPart {
    /// No such identity.
    Kind,
    /// No such path in it.
    Path,
}

/// A36: what an expression comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// It has a value.
    Found(ResolvedReference),
    /// It has none.
    Missing(MissingPart),
    /// It does not parse.
    Invalid,
    /// It is of the wider language.
    Unsupported,
}

impl Resolution {
    /// Whether it has a value, or may have one in a later edition (A36).
    #[must_use]
    pub fn is_answered(&self) -> bool {
        matches!(self, Self::Found(_) | Self::Unsupported)
    }
}

/// Reads references against the state at a step, in an instance.
#[derive(Debug, Clone, Copy)]
pub struct Resolver<'t> {
    /// The state.
    pub tree: &'t Tree,
    /// The step.
    pub step: StepNo,
    /// The instance; None is the global one.
    pub instance: Option<&'t str>,
    /// A34: whether an instance falls back on the global identity.
    pub falls_back: bool,
}

impl<'t> Resolver<'t> {
    /// References at a step, with the fallback of A34.
    #[must_use]
    pub fn new(tree: &'t Tree, step: StepNo, instance: Option<&'t str>) -> Self {
        Self { tree, step, instance, falls_back: true }
    }

    /// A34: (kind, instance), then (kind, global): the first that has the path.
    ///
    /// # Errors
    /// None has it: why.
    pub fn reference(&self, reference: &Reference) -> Result<ResolvedReference, MissingPart> {
        let mut reason = MissingPart::Kind;
        for id in self.identities(&reference.kind) {
            reason = MissingPart::Path;
            let (path, node) = self.walk(id, &reference.path);
            if let Some(node) = node {
                return Ok(ResolvedReference { id, path, node });
            }
        }
        Err(reason)
    }

    /// A35, A36: an expression.
    #[must_use]
    pub fn expression(&self, expression: &Expression) -> Resolution {
        let gates = match expression {
            Expression::Gates(gates) => gates,
            Expression::Wider(_) => return Resolution::Unsupported,
            Expression::Invalid | Expression::Text => return Resolution::Invalid,
        };
        let mut last = Resolution::Invalid;
        for gate in gates {
            last = self.gate(gate);
            if !matches!(last, Resolution::Found(_)) {
                break;
            }
        }
        last
    }

    /// A35: the first alternative that has a value.
    #[must_use]
    pub fn gate(&self, alternatives: &[Reference]) -> Resolution {
        let mut first_reason = None;
        for reference in alternatives {
            match self.reference(reference) {
                Ok(found) => return Resolution::Found(found),
                Err(_) if self.is_unsupported(reference) => return Resolution::Unsupported,
                Err(reason) => first_reason = first_reason.or(Some(reason)),
            }
        }
        first_reason.map_or(Resolution::Invalid, Resolution::Missing)
    }

    /// A33: the canonical form; where the state does not say what `.0` is, it is a key.
    #[must_use]
    pub fn canonical(&self, reference: &Reference) -> String {
        self.printed(reference).canonical()
    }

    /// A33: the reference as it is printed: `.0` is `[0]` where the state has an array there, else `["0"]`.
    #[must_use]
    pub fn printed(&self, reference: &Reference) -> Reference {
        if !reference.is_ambiguous() {
            return reference.clone();
        }
        let known = match self.reference(reference) {
            Ok(found) => found.path,
            Err(_) => {
                let walked = self.identities(&reference.kind).map(|id| self.walk(id, &reference.path).0);
                // Of two identities that give as much the one that is read first (A34).
                walked.reduce(|first, next| if next.len() > first.len() { next } else { first }).unwrap_or_default()
            }
        };
        let rest = reference.path.iter().skip(known.len()).map(PathSegment::as_key);
        let head = known.into_iter().map(|key| match key {
            Key::Name(name) => PathSegment::Quoted(name),
            Key::Index(n) => PathSegment::Index(u64::from(n)),
        });
        Reference { kind: reference.kind.clone(), path: head.chain(rest).collect() }
    }

    /// A33: whether `.n` below a path that is printed is an index.
    pub(super) fn is_index(&self, kind: &str, path: &[PathSegment], n: u32) -> bool {
        let last = PathSegment::Dot(n.to_string().into());
        let path = path.iter().cloned().chain([last]).collect();
        let printed = self.printed(&Reference { kind: kind.to_owned(), path });
        matches!(printed.path.last(), Some(PathSegment::Index(_)))
    }

    /// A36: a reference without value that the wider language might give one.
    fn is_unsupported(&self, reference: &Reference) -> bool {
        if reference.kind == PREDICATES && !self.has_predicates() {
            return true;
        }
        let Some((PathSegment::Dot(last), parent)) = reference.path.split_last() else { return false };
        if &**last != "length" {
            return false;
        }
        let parent = Reference { kind: reference.kind.clone(), path: parent.to_vec() };
        let Ok(found) = self.reference(&parent) else { return false };
        match self.tree.shape(found.node, self.step) {
            Some(NodeShape::Array | NodeShape::EmptyArray) => true,
            Some(NodeShape::Scalar) => {
                self.tree.leaf(found.node, self.step).is_some_and(|l| matches!(l.value.first_byte(), b'"' | b'['))
            }
            _ => false,
        }
    }

    /// A36: whether data of that kind holds, in any instance.
    fn has_predicates(&self) -> bool {
        let standing = self.tree.identities(self.step);
        standing.iter().any(|v| v.root.is_some() && self.tree.identity(v.id).kind == PREDICATES)
    }

    /// The identities to look in, in order.
    fn identities(&self, kind: &str) -> impl Iterator<Item = IdentityId> + '_ {
        let instance_identity = self.instance.map(|instance| Identity::of(kind, instance));
        let global = (instance_identity.is_none() || self.falls_back).then(|| Identity::global(kind));
        let ids = instance_identity.into_iter().chain(global).filter_map(|identity| self.tree.find(&identity));
        ids.filter(|id| self.tree.view(*id, self.step).is_some())
    }

    /// A33: goes down as far as the state does: the keys, and the node if that is the whole way.
    fn walk(&self, id: IdentityId, path: &[PathSegment]) -> (Vec<Key>, Option<NodeId>) {
        let mut keys = Vec::with_capacity(path.len());
        let Some(root) = self.tree.view(id, self.step).and_then(|v| v.root) else { return (keys, None) };
        let mut node = root;
        for segment in path {
            let key = match self.tree.shape(node, self.step) {
                Some(NodeShape::Object | NodeShape::EmptyObject) => segment.on_object().map(Key::name),
                Some(NodeShape::Array | NodeShape::EmptyArray) => segment.on_array().map(Key::Index),
                _ => None,
            };
            let Some(key) = key else { return (keys, None) };
            keys.push(key);
            let below = self.tree.node(id, &keys).filter(|n| self.tree.shape(*n, self.step).is_some());
            let Some(below) = below else { return (keys, None) };
            node = below;
        }
        (keys, Some(node))
    }
}

/// A33: the paths that history knows under a reference: `.0` is an index where an array was and a key where an object
/// was, so one reference can have several. First as the state at the step has it. Where history knows none, one that
/// leads to nothing.
#[must_use]
pub fn known_paths(tree: &Tree, step: StepNo, id: IdentityId, path: &[PathSegment]) -> Vec<Vec<Key>> {
    let mut paths: Vec<Vec<Key>> = vec![Vec::new()];
    for segment in path {
        let longer = paths.iter().flat_map(|path| {
            let is_object = tree
                .node(id, path)
                .is_some_and(|node| matches!(tree.shape(node, step), Some(NodeShape::Object | NodeShape::EmptyObject)));
            let (name, index) = (segment.on_object().map(Key::name), segment.on_array().map(Key::Index));
            let keys = if is_object { [name, index] } else { [index, name] };
            keys.into_iter().flatten().map(|key| path.iter().cloned().chain([key]).collect::<Vec<_>>())
        });
        paths = longer.filter(|path| tree.node(id, path).is_some()).collect();
    }
    if paths.is_empty() {
        let key =
            |s: &PathSegment| s.on_object().map(Key::name).unwrap_or(Key::Index(s.on_array().unwrap_or(u32::MAX)));
        paths.push(path.iter().map(key).collect());
    }
    paths
}
