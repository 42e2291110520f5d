//! One JSON text laid out flat, so that folding, moving and painting touch only what is visible.

use crate::json::{self, Visitor, Walked, pointer_unescape};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonNodeKind {
    /// Object.
    Object,
    /// Array.
    Array,
    /// String.
    String,
    /// Number, true, false, null.
    Scalar,
    /// Nested deeper than is unfolded: shown as text.
    Deep,
}

/// A value of the text.
#[derive(Debug, Clone)]
pub struct Node {
    /// What it is.
    pub kind: JsonNodeKind,
    /// Levels below the root.
    pub depth: u16,
    /// Number of the container it is in; the root's own number for the root.
    pub parent: u32,
    /// Number of the first node after its subtree.
    pub end: u32,
    /// Members or elements.
    pub count: u32,
    /// Its place among its siblings, from 0.
    at: u32,
    /// Bytes of its key with quotes, empty for elements and the root.
    key: Range<usize>,
    /// Its bytes.
    value: Range<usize>,
}

/// A JSON text and its nodes in document order.
#[derive(Debug)]
pub struct Doc {
    text: Arc<str>,
    nodes: Vec<Node>,
    fault: Option<json::SyntaxError>,
}

impl Doc {
    /// Lays out a text; one that is not valid JSON has no nodes, and says where the fault is.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let text: Arc<str> = Arc::from(text);
        // Enough for each value: no copy of the nodes is made while they grow.
        let count = memchr::memchr3_iter(b',', b'{', b'[', text.as_bytes()).count() + 1;
        let mut nodes = Nodes { all: Vec::with_capacity(count), open: Vec::new() };
        match json::walk(&text, &mut nodes) {
            Ok(fault) => Self { text, nodes: nodes.all, fault },
            Err(fault) => Self { text, nodes: Vec::new(), fault: Some(fault) },
        }
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// All nodes in document order.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// What is wrong with the text by the strict rules, if anything is.
    #[must_use]
    pub fn fault(&self) -> Option<&json::SyntaxError> {
        self.fault.as_ref()
    }

    /// The value's source text.
    #[must_use]
    pub fn source(&self, node: usize) -> &str {
        self.nodes.get(node).map_or("", |n| &self.text[n.value.clone()])
    }

    /// The key, decoded; None for elements and the root.
    #[must_use]
    pub fn key(&self, node: usize) -> Option<Cow<'_, str>> {
        let key = self.nodes.get(node)?.key.clone();
        let quoted = self.text.get(key).filter(|k| k.len() >= 2)?;
        Some(match json::unescape(&quoted[1..quoted.len() - 1]) {
            Ok(s) | Err((_, s)) => s,
        })
    }

    /// Index among the elements of its array; None for members and the root.
    #[must_use]
    pub fn index(&self, node: usize) -> Option<usize> {
        let found = self.nodes.get(node)?;
        let is_element = found.depth > 0 && self.nodes[found.parent as usize].kind == JsonNodeKind::Array;
        is_element.then_some(found.at as usize)
    }

    /// Whether the path of a node ends with these segments, as a JSON Pointer has them before escaping.
    #[must_use]
    pub fn ends_with(&self, node: usize, segments: &[String]) -> bool {
        let mut at = node;
        segments.iter().rev().all(|wanted| {
            let Some(found) = self.nodes.get(at).filter(|n| n.depth > 0) else { return false };
            let is_same = match self.key(at) {
                Some(key) => key == wanted.as_str(),
                None => wanted.parse() == Ok(found.at),
            };
            at = found.parent as usize;
            is_same
        })
    }

    /// The beginning of a string, decoded: at most about `bytes_max` bytes of source. True if that is all of it.
    #[must_use]
    pub fn string_head(&self, node: usize, bytes_max: usize) -> (Cow<'_, str>, bool) {
        let source = self.source(node);
        let body = source.get(1..source.len().saturating_sub(1)).unwrap_or("");
        let head = head_of(body, bytes_max);
        let text = match json::unescape(head) {
            Ok(s) | Err((_, s)) => s,
        };
        (text, head.len() == body.len())
    }

    /// The first member of that name of an object.
    #[must_use]
    pub fn member(&self, object: usize, name: &str) -> Option<usize> {
        self.children(object).find(|at| self.key(*at).as_deref() == Some(name))
    }

    /// What a JSON Pointer leads to from a node; of members of one name the last, which counts.
    #[must_use]
    pub fn at(&self, from: usize, pointer: &str) -> Option<usize> {
        let mut segments = pointer.split('/').skip(1).map(pointer_unescape);
        let root = (from < self.nodes.len()).then_some(from)?;
        segments.try_fold(root, |at, segment| {
            let is_it = |child: &usize| match self.key(*child) {
                Some(key) => key == segment,
                None => segment.parse() == Ok(self.nodes[*child].at),
            };
            self.children(at).filter(is_it).last()
        })
    }

    /// The nodes of the members or elements of a node.
    pub fn children(&self, of: usize) -> impl Iterator<Item = usize> {
        let end = self.nodes.get(of).map_or(0, |node| node.end as usize);
        let next = move |at: usize| self.nodes.get(at).map_or(end, |node| node.end as usize);
        std::iter::successors(Some(of + 1), move |at| Some(next(*at))).take_while(move |at| *at < end)
    }

    /// The text of a member of the nearest object around a node that has one of that name.
    #[must_use]
    pub fn around(&self, node: usize, name: &str) -> Option<String> {
        let mut at = node;
        while let Some(n) = self.nodes.get(at).filter(|n| n.depth > 0) {
            at = n.parent as usize;
            if let Some(found) = self.member(at, name) {
                let is_string = self.nodes[found].kind == JsonNodeKind::String;
                let text = if is_string { self.string_head(found, 4_096).0 } else { Cow::from(self.source(found)) };
                return Some(text.into_owned());
            }
        }
        None
    }

    /// Path of a node from the root, as a JSON Pointer.
    #[must_use]
    pub fn pointer(&self, node: usize) -> String {
        let mut parts = Vec::new();
        let mut at = node;
        while let Some(n) = self.nodes.get(at).filter(|n| n.depth > 0) {
            let segment = self.key(at).map_or_else(|| self.index(at).unwrap_or(0).to_string(), Cow::into_owned);
            parts.push(json::pointer_escape(&segment));
            at = n.parent as usize;
        }
        parts.iter().rev().fold(String::new(), |out, part| out + "/" + part)
    }
}

/// The longest beginning of a string's inside up to some bytes that does not cut an escape or a character.
fn head_of(body: &str, bytes_max: usize) -> &str {
    if body.len() <= bytes_max {
        return body;
    }
    let mut end = bytes_max;
    while !body.is_char_boundary(end) {
        end -= 1;
    }
    let bytes = body.as_bytes();
    let mut at = 0;
    while let Some(found) = bytes.get(at..end).and_then(|rest| rest.iter().position(|&b| b == b'\\')) {
        let start = at + found;
        at = start + escape_len(&bytes[start..]);
        if at > end {
            return &body[..start];
        }
    }
    &body[..end]
}

/// Length of the escape that a text begins with: two, six, or twelve bytes (a surrogate pair).
fn escape_len(escape: &[u8]) -> usize {
    let is_half = |at: usize, digits: &[u8]| {
        escape.get(at..at + 4).is_some_and(|e| {
            e[..2] == *b"\\u" && e[2].eq_ignore_ascii_case(&b'd') && digits.contains(&e[3].to_ascii_lowercase())
        })
    };
    match escape.get(1) {
        Some(b'u') if is_half(0, b"89ab") && is_half(6, b"cdef") => 12,
        Some(b'u') => 6,
        _ => 2,
    }
}

/// The nodes of a text so far, and the numbers of those that did not end.
struct Nodes {
    all: Vec<Node>,
    open: Vec<usize>,
}

impl Visitor for Nodes {
    fn begin(&mut self, what: Walked, key: Range<usize>, start: usize) {
        let number = self.all.len();
        let parent = self.open.last().copied().unwrap_or(number);
        let at = self.all.get_mut(parent).map_or(0, |parent| {
            parent.count = parent.count.saturating_add(1);
            parent.count - 1
        });
        let kind = match what {
            Walked::Object => JsonNodeKind::Object,
            Walked::Array => JsonNodeKind::Array,
            Walked::String => JsonNodeKind::String,
            Walked::Scalar => JsonNodeKind::Scalar,
            Walked::Deep => JsonNodeKind::Deep,
        };
        let depth = u16::try_from(self.open.len()).unwrap_or(u16::MAX);
        let parent = u32::try_from(parent).unwrap_or(u32::MAX);
        self.all.push(Node { kind, depth, parent, end: 0, count: 0, at, key, value: start..start });
        self.open.push(number);
    }

    fn end(&mut self, end: usize) {
        let behind = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        if let Some(node) = self.open.pop().and_then(|at| self.all.get_mut(at)) {
            node.value.end = end;
            node.end = behind;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lays_out_flat_and_finds_paths_again() {
        let doc = Doc::of(r#"{"a" : [1, {"b/c": "x\ny"}], "a": 2, "colon:" : 3}"#);
        let pointers: Vec<_> = (0..doc.nodes().len()).map(|n| doc.pointer(n)).collect();
        assert_eq!(pointers, ["", "/a", "/a/0", "/a/1", "/a/1/b~1c", "/a", "/colon:"]);
        assert_eq!(doc.source(4), r#""x\ny""#);
        assert_eq!(doc.string_head(4, 100), (Cow::from("x\ny"), true));
        assert_eq!(doc.nodes()[1].end, 5);
        let segments = |path: &[&str]| path.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
        assert_eq!((doc.index(3), doc.index(4), doc.index(0)), (Some(1), None, None));
        assert!(doc.ends_with(4, &segments(&["a", "1", "b/c"])) && doc.ends_with(4, &segments(&["b/c"])));
        assert!(
            !doc.ends_with(4, &segments(&["a", "0", "b/c"])) && !doc.ends_with(4, &segments(&["x", "a", "1", "b/c"]))
        );
    }

    #[test]
    fn a_pointer_leads_to_the_member_that_counts() {
        let doc = Doc::of(r#"{"a":{"x/y":[1,{"~":2}]},"a":{"0":[3],"":4}}"#);
        let at = |pointer| doc.at(0, pointer).map(|node| doc.source(node));
        assert_eq!(at("/a/0/0"), Some("3"));
        assert_eq!(
            [at("/a/"), at("/a/x~1y"), at("/a/0/1"), at("/b"), at("/a/0/0/0")],
            [Some("4"), None, None, None, None]
        );
        let doc = Doc::of(r#"{"x/y":[1,{"~":2}]}"#);
        assert_eq!(doc.at(0, "/x~1y/1/~0").map(|node| doc.source(node)), Some("2"));
        assert_eq!((doc.at(1, "/1/~0"), Doc::of("").at(0, "/a")), (Some(4), None));
    }

    #[test]
    fn a_cut_string_never_cuts_an_escape() {
        let doc = Doc::of(&format!("\"{}\"", "é\\n\\ud83d\\ude00\\\\".repeat(20)));
        let whole = doc.string_head(0, 10_000).0.into_owned();
        for bytes in 0..200 {
            let (head, _) = doc.string_head(0, bytes);
            assert!(whole.starts_with(head.as_ref()), "{bytes}: {head:?}");
        }
    }
}
