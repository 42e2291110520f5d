//! Python pickles as data: an interpreter that runs nothing (protocols 0 to 5).
//!
//! A pickle is a program for a stack machine, and loading one in Python runs what it names. Here numbers, texts, bytes
//! and containers come out as what they are; everything else that the program would call or make stays a node that
//! names its class and its arguments. Three calls are known, because pickles of plain data need them: `dict` and
//! `defaultdict`, which begin empty, and `_codecs.encode`, by which protocol 2 writes bytes.

use super::parse::DEPTH_MAX;
use super::print::quote;
use super::{bytes_text, print};
use std::collections::HashMap;
use std::fmt::Write as _;

mod machine;

/// A value of a pickle, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PickleId(usize);

/// The values of a pickle.
#[derive(Debug)]
pub struct Pickle {
    nodes: Vec<Node>,
    root: PickleId,
    /// Bytes of text that a value may become.
    room: usize,
}

#[derive(Debug, Clone)]
enum Node {
    /// A scalar as JSON text.
    Scalar(String),
    Text(String),
    Bytes(Vec<u8>),
    /// A list, tuple or set.
    List(Vec<PickleId>),
    Dict(Vec<(PickleId, PickleId)>),
    /// A name of a module.
    Global(String),
    /// What a class was called with, and its state.
    Object {
        class: String,
        args: PickleId,
        state: Option<PickleId>,
    },
}

/// How often all values may be written, so to say: a shared one is written wherever it is, and a few that hold each
/// other would never end.
const SHARE_MAX: usize = 64;

impl Pickle {
    fn new(nodes: Vec<Node>, root: PickleId) -> Self {
        let size: usize = nodes.iter().map(Node::size).sum();
        Self { nodes, root, room: size.saturating_mul(SHARE_MAX) }
    }

    /// Reads a pickle.
    ///
    /// # Errors
    /// It is cut off, damaged, or uses what is not read: a few words.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        machine::Machine::new(bytes).run()
    }

    /// The value of the whole pickle.
    #[must_use]
    pub fn root(&self) -> PickleId {
        self.root
    }

    fn node(&self, id: PickleId) -> Option<&Node> {
        self.nodes.get(id.0)
    }

    /// The elements of a list, tuple or set.
    #[must_use]
    pub fn items(&self, id: PickleId) -> &[PickleId] {
        match self.node(id) {
            Some(Node::List(items)) => items,
            _ => &[],
        }
    }

    /// Keys and values of a dictionary.
    #[must_use]
    pub fn entries(&self, id: PickleId) -> &[(PickleId, PickleId)] {
        match self.node(id) {
            Some(Node::Dict(entries)) => entries,
            _ => &[],
        }
    }

    /// Whether it is a dictionary.
    #[must_use]
    pub fn is_dict(&self, id: PickleId) -> bool {
        matches!(self.node(id), Some(Node::Dict(_)))
    }

    /// The text, if it is one.
    #[must_use]
    pub fn text(&self, id: PickleId) -> Option<&str> {
        match self.node(id) {
            Some(Node::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The bytes, if it is bytes.
    #[must_use]
    pub fn bytes(&self, id: PickleId) -> Option<&[u8]> {
        match self.node(id) {
            Some(Node::Bytes(bytes)) => Some(bytes),
            _ => None,
        }
    }

    /// A value as JSON text; what is deeper than is read, or after too much text, is `null`.
    #[must_use]
    pub fn json(&self, id: PickleId) -> String {
        let mut out = String::new();
        self.put(id, 0, &mut out);
        out
    }

    fn put(&self, id: PickleId, depth: usize, out: &mut String) {
        let node = self.node(id).filter(|_| depth < DEPTH_MAX && out.len() < self.room);
        match node {
            None => out.push_str("null"),
            Some(Node::Scalar(text)) => out.push_str(text),
            Some(Node::Text(text)) => out.push_str(&quote(text)),
            Some(Node::Bytes(bytes)) => out.push_str(&bytes_text(bytes)),
            Some(Node::Global(name)) => {
                let _ = write!(out, "{{\"$class\":{}}}", quote(name));
            }
            Some(Node::List(items)) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    self.put(*item, depth + 1, out);
                }
                out.push(']');
            }
            Some(Node::Dict(entries)) => {
                out.push('{');
                for (i, (key, value)) in entries.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    self.put_key(*key, depth, out);
                    out.push(':');
                    self.put(*value, depth + 1, out);
                }
                out.push('}');
            }
            Some(Node::Object { class, args, state }) => {
                if let Some(uuid) = state.and_then(|state| self.uuid(class, state)) {
                    return out.push_str(&quote(&uuid));
                }
                let _ = write!(out, "{{\"$class\":{},\"args\":", quote(class));
                self.put(*args, depth + 1, out);
                if let Some(state) = state {
                    out.push_str(",\"state\":");
                    self.put(*state, depth + 1, out);
                }
                out.push('}');
            }
        }
    }

    /// The text of a UUID, which is kept as a number.
    fn uuid(&self, class: &str, state: PickleId) -> Option<String> {
        let is_number = |(key, _): &&(PickleId, PickleId)| self.text(*key) == Some("int");
        let (_, number) = self.entries(state).iter().find(is_number).filter(|_| class.ends_with(".UUID"))?;
        let Some(Node::Scalar(number)) = self.node(*number) else { return None };
        let hex = format!("{:032x}", number.parse::<u128>().ok()?);
        Some([&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-"))
    }

    /// A key: what is not text is its JSON text as one.
    fn put_key(&self, key: PickleId, depth: usize, out: &mut String) {
        let start = out.len();
        self.put(key, depth + 1, out);
        if !out[start..].starts_with('"') {
            let quoted = print::quote(&out[start..]);
            out.truncate(start);
            out.push_str(&quoted);
        }
    }
}

impl Node {
    /// Bytes that it takes as text, about.
    fn size(&self) -> usize {
        16 + match self {
            Self::Scalar(text) | Self::Text(text) | Self::Global(text) => text.len(),
            Self::Bytes(bytes) => 2 * bytes.len(),
            Self::List(items) => items.len(),
            Self::Dict(entries) => 2 * entries.len(),
            Self::Object { class, .. } => class.len(),
        }
    }
}

#[cfg(test)]
mod tests;
