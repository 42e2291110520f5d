//! A JSON value that changes: patches (RFC 6902) are applied to it, and copies share what they have in common.
//!
//! A copy costs nothing until one of the two changes; then the objects and arrays above the change are rebuilt. So
//! earlier states of a document can be kept, and two of them compared without looking at what they share.

use super::{DEPTH_MAX, Data, Value, compare_numbers, quote};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

/// A JSON value and earlier versions of it.
#[derive(Debug, Clone)]
pub struct Document {
    node: Arc<Node>,
    /// Levels below it and values in it, or more: what was taken away is still counted.
    depth: usize,
    weight: usize,
}

/// Patches can copy a document into itself: each copy makes it deeper, two of them twice as large.
const DOCUMENT_DEPTH_MAX: usize = 2 * DEPTH_MAX;
const DOCUMENT_VALUES_MAX: usize = 20_000_000;

#[derive(Debug, Clone)]
enum Node {
    /// The text of a scalar, or of a value nested too deep.
    Leaf(String),
    Array(Vec<Document>),
    Object(Vec<(Arc<str>, Document)>),
}

/// A change between two documents: where, and what is there now; None: nothing does.
pub type DocumentChange<'d> = (Vec<Arc<str>>, Option<&'d Document>);

/// Objects with more members are compared by a table of their names.
const FEW_MEMBERS: usize = 16;

impl Document {
    /// The value null.
    #[must_use]
    pub fn null() -> Self {
        Self { node: Arc::new(Node::Leaf("null".to_owned())), depth: 0, weight: 1 }
    }

    /// A document of a value; `text_of` says what a string stands for, where it is not itself.
    pub fn of<'t>(value: &Value<'_>, text_of: &dyn Fn(&str) -> Option<&'t str>) -> Self {
        let of = |value: &Value<'_>| Self::of(value, text_of);
        Self::new(match &value.data {
            Data::String(text) => Node::Leaf(quote(text_of(text).unwrap_or(text))),
            Data::Array(items) => Node::Array(items.iter().map(of).collect()),
            Data::Object(object) => Node::Object(object.entries().map(|(k, v)| (k.into(), of(v))).collect()),
            _ => Node::Leaf(value.text.to_owned()),
        })
    }

    fn new(node: Node) -> Self {
        let (mut depth, mut weight) = (0, 1);
        let mut count = |child: &Self| {
            depth = depth.max(child.depth + 1);
            weight += child.weight;
        };
        match &node {
            Node::Leaf(_) => {}
            Node::Array(items) => items.iter().for_each(count),
            Node::Object(members) => members.iter().for_each(|(_, value)| count(value)),
        }
        Self { node: Arc::new(node), depth, weight }
    }

    /// An empty object.
    #[must_use]
    pub fn object() -> Self {
        Self::new(Node::Object(Vec::new()))
    }

    /// An empty array.
    #[must_use]
    pub fn array() -> Self {
        Self::new(Node::Array(Vec::new()))
    }

    /// Whether it is an array.
    #[must_use]
    pub fn is_array(&self) -> bool {
        matches!(&*self.node, Node::Array(_))
    }

    /// Whether it is an object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        matches!(&*self.node, Node::Object(_))
    }

    /// A member of an object, or an element of an array by its index.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        match &*self.node {
            Node::Object(members) => members.iter().find(|(name, _)| &**name == key).map(|(_, value)| value),
            Node::Array(items) => items.get(index(key)?),
            Node::Leaf(_) => None,
        }
    }

    /// What is at a path.
    #[must_use]
    pub fn at(&self, path: &[impl AsRef<str>]) -> Option<&Self> {
        path.iter().try_fold(self, |document, key| document.get(key.as_ref()))
    }

    /// How many members or elements it has.
    #[must_use]
    pub fn len(&self) -> usize {
        match &*self.node {
            Node::Leaf(_) => 0,
            Node::Array(items) => items.len(),
            Node::Object(members) => members.len(),
        }
    }

    /// Whether it has no members or elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements that another array has after all of this one's; None: one of them is not an array, or they begin
    /// otherwise.
    #[must_use]
    pub fn appended<'d>(&self, other: &'d Self) -> Option<&'d [Self]> {
        let (Node::Array(a), Node::Array(b)) = (&*self.node, &*other.node) else { return None };
        let (head, rest) = b.split_at_checked(a.len())?;
        a.iter().zip(head).all(|(a, b)| a.is_same(b)).then_some(rest)
    }

    /// Its JSON text, on one line.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        self.put(&mut out);
        out
    }

    fn put(&self, out: &mut String) {
        match &*self.node {
            Node::Leaf(text) => out.push_str(text),
            Node::Array(items) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    item.put(out);
                }
                out.push(']');
            }
            Node::Object(members) => {
                out.push('{');
                for (i, (name, value)) in members.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    out.push_str(&quote(name));
                    out.push(':');
                    value.put(out);
                }
                out.push('}');
            }
        }
    }

    /// Whether two documents say the same: the order of members does not count.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        if Arc::ptr_eq(&self.node, &other.node) {
            return true;
        }
        match (&*self.node, &*other.node) {
            (Node::Leaf(a), Node::Leaf(b)) => a == b || are_same_numbers(a, b),
            (Node::Array(a), Node::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_same(b)),
            (Node::Object(a), Node::Object(b)) => {
                let mut all = Vec::new();
                if a.len() == b.len() {
                    compare(a, b, &mut |_, a, b| all.push(matches!((a, b), (Some(a), Some(b)) if a.is_same(b))));
                }
                a.len() == b.len() && all.iter().all(|is_same| *is_same)
            }
            _ => false,
        }
    }

    /// Applies one operation of a patch. One that does not fit changes nothing: false.
    pub fn patch(&mut self, op: &str, path: &[String], value: Option<Self>, from: Option<&[String]>) -> bool {
        match op {
            "add" => value.is_some_and(|value| self.insert(path, value)),
            "replace" => value.is_some_and(|value| self.at(path).is_some() && self.set(path, value)),
            "remove" => self.remove(path),
            "copy" | "move" => {
                let Some(value) = from.and_then(|from| self.at(from).cloned()) else { return false };
                if op == "move" && !from.is_some_and(|from| !path.starts_with(from) && self.remove(from)) {
                    return false;
                }
                self.insert(path, value)
            }
            "test" => value.is_some_and(|value| self.at(path).is_some_and(|found| found.is_same(&value))),
            _ => false,
        }
    }

    /// Puts a value at a path, over what is there. Objects that are missing on the way are made.
    pub fn set(&mut self, path: &[impl AsRef<str>], value: Self) -> bool {
        if path.is_empty() {
            *self = value;
            return true;
        }
        self.fits(path.len(), &value)
            && self.change(path, Some(&value), &mut |parent, key| {
                match parent {
                    Node::Object(members) => match members.iter_mut().find(|(name, _)| &**name == key) {
                        Some(member) => member.1 = value.clone(),
                        None => members.push((key.into(), value.clone())),
                    },
                    Node::Array(items) => match index(key).and_then(|i| items.get_mut(i)) {
                        Some(item) => *item = value.clone(),
                        None => return false,
                    },
                    Node::Leaf(_) => return false,
                }
                true
            })
    }

    /// Whether a value may be so deep in it.
    fn fits(&self, depth: usize, value: &Self) -> bool {
        depth + value.depth <= DOCUMENT_DEPTH_MAX && self.weight + value.weight + depth <= DOCUMENT_VALUES_MAX
    }

    /// `add` of a patch: in an array the elements after move on.
    fn insert(&mut self, path: &[String], value: Self) -> bool {
        let Some((_, parent)) = path.split_last() else { return self.set(path, value) };
        let Some(parent) = self.at(parent) else { return false };
        if !matches!(&*parent.node, Node::Array(_)) {
            return self.set(path, value);
        }
        self.fits(path.len(), &value)
            && self.change(path, Some(&value), &mut |parent, key| {
                let Node::Array(items) = parent else { return false };
                let at = if key == "-" { Some(items.len()) } else { index(key).filter(|i| *i <= items.len()) };
                at.is_some_and(|at| {
                    items.insert(at, value.clone());
                    true
                })
            })
    }

    /// Takes away what is at a path; false: nothing does.
    pub fn remove(&mut self, path: &[impl AsRef<str>]) -> bool {
        self.change(path, None, &mut |parent, key| match parent {
            Node::Object(members) => {
                let at = members.iter().position(|(name, _)| &**name == key);
                at.is_some_and(|at| {
                    members.remove(at);
                    true
                })
            }
            Node::Array(items) => index(key).filter(|i| *i < items.len()).is_some_and(|at| {
                items.remove(at);
                true
            }),
            Node::Leaf(_) => false,
        })
    }

    /// Changes the container in which a path ends, which gets `new`; what other copies share is copied on the way.
    fn change(
        &mut self,
        path: &[impl AsRef<str>],
        new: Option<&Self>,
        act: &mut dyn FnMut(&mut Node, &str) -> bool,
    ) -> bool {
        let Some((key, rest)) = path.split_first() else { return false };
        if let Some(new) = new {
            self.depth = self.depth.max(path.len() + new.depth);
            self.weight += new.weight + path.len();
        }
        let node = Arc::make_mut(&mut self.node);
        if rest.is_empty() {
            return act(node, key.as_ref());
        }
        child_of(node, key.as_ref(), new.is_some()).is_some_and(|child| child.change(rest, new, act))
    }

    /// The places below objects at which another document says something else, and what it says. An array is one place.
    #[must_use]
    pub fn changes_to<'d>(&self, other: &'d Self) -> Vec<DocumentChange<'d>> {
        let mut changes = Vec::new();
        self.collect(other, &mut Vec::new(), &mut changes);
        changes
    }

    fn collect<'d>(&self, other: &'d Self, path: &mut Vec<Arc<str>>, changes: &mut Vec<DocumentChange<'d>>) {
        if Arc::ptr_eq(&self.node, &other.node) {
            return;
        }
        let (Node::Object(a), Node::Object(b)) = (&*self.node, &*other.node) else {
            if !self.is_same(other) {
                changes.push((path.clone(), Some(other)));
            }
            return;
        };
        if b.is_empty() != a.is_empty() && !path.is_empty() && b.is_empty() {
            changes.push((path.clone(), Some(other)));
            return;
        }
        compare(a, b, &mut |name, a, b| {
            path.push(Arc::clone(name));
            match (a, b) {
                (Some(a), Some(b)) => a.collect(b, path, changes),
                (None, Some(b)) => Self::object().collect_new(b, path, changes),
                (_, None) => changes.push((path.clone(), None)),
            }
            path.pop();
        });
    }

    /// All places of a document of which there was nothing.
    fn collect_new<'d>(&self, other: &'d Self, path: &mut Vec<Arc<str>>, changes: &mut Vec<DocumentChange<'d>>) {
        if matches!(&*other.node, Node::Object(members) if !members.is_empty()) {
            self.collect(other, path, changes);
        } else {
            changes.push((path.clone(), Some(other)));
        }
    }
}

/// The child under a key; in an object it is made, if it may be.
fn child_of<'n>(node: &'n mut Node, key: &str, is_created: bool) -> Option<&'n mut Document> {
    match node {
        Node::Object(members) => {
            let at = match members.iter().position(|(name, _)| &**name == key) {
                Some(at) => at,
                None if is_created => {
                    members.push((key.into(), Document::object()));
                    members.len() - 1
                }
                None => return None,
            };
            members.get_mut(at).map(|(_, value)| value)
        }
        Node::Array(items) => items.get_mut(index(key)?),
        Node::Leaf(_) => None,
    }
}

/// Takes a name and what two objects have under it.
type EachPair<'e, 'a, 'b> = dyn FnMut(&Arc<str>, Option<&'a Document>, Option<&'b Document>) + 'e;

/// Pairs the members of two objects by their names: those of the second in order, then those that it lacks.
fn compare<'a, 'b>(a: &'a [(Arc<str>, Document)], b: &'b [(Arc<str>, Document)], each: &mut EachPair<'_, 'a, 'b>) {
    let (of_a, of_b) = (Names::of(a), Names::of(b));
    for (name, value) in b {
        each(name, of_a.get(name), Some(value));
    }
    for (name, value) in a {
        if of_b.get(name).is_none() {
            each(name, Some(value), None);
        }
    }
}

/// The members of an object by their names.
enum Names<'d> {
    Few(&'d [(Arc<str>, Document)]),
    Many(HashMap<&'d str, &'d Document>),
}

impl<'d> Names<'d> {
    fn of(members: &'d [(Arc<str>, Document)]) -> Self {
        match members.len() {
            0..=FEW_MEMBERS => Self::Few(members),
            _ => Self::Many(members.iter().map(|(name, value)| (&**name, value)).collect()),
        }
    }

    fn get(&self, name: &str) -> Option<&'d Document> {
        match self {
            Self::Few(members) => members.iter().find(|(other, _)| &**other == name).map(|(_, value)| value),
            Self::Many(members) => members.get(name).copied(),
        }
    }
}

/// Whether two texts are numbers and say the same.
fn are_same_numbers(a: &str, b: &str) -> bool {
    let is_number = |text: &str| text.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    is_number(a) && is_number(b) && compare_numbers(a, b) == Ordering::Equal
}

/// An index as a pointer has it.
fn index(key: &str) -> Option<usize> {
    let is_plain = key == "0" || !key.starts_with('0') && key.bytes().all(|b| b.is_ascii_digit());
    key.parse().ok().filter(|_| is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;
    use proptest::prelude::*;

    fn document(text: &str) -> Document {
        Document::of(&parse(text).unwrap(), &|_| None)
    }

    fn path(pointer: &str) -> Vec<String> {
        pointer.split('/').skip(1).map(str::to_owned).collect()
    }

    /// Applies an operation, and says what becomes of the document; None: it does not fit.
    fn patched(text: &str, op: &str, at: &str, value: &str) -> Option<String> {
        let mut it = document(text);
        let (value, from) = match op {
            "copy" | "move" => (None, Some(path(value))),
            _ => (parse(value).ok().map(|v| Document::of(&v, &|_| None)), None),
        };
        it.patch(op, &path(at), value, from.as_deref()).then(|| it.text())
    }

    #[test]
    fn operations_do_what_the_standard_says() {
        for (text, op, at, value, expect) in [
            ("{\"a\":1}", "add", "/b", "[2]", Some("{\"a\":1,\"b\":[2]}")),
            ("{\"a\":1}", "add", "/a", "2", Some("{\"a\":2}")),
            ("{\"a\":[1,3]}", "add", "/a/1", "2", Some("{\"a\":[1,2,3]}")),
            ("{\"a\":[1]}", "add", "/a/-", "2", Some("{\"a\":[1,2]}")),
            ("{\"a\":[1]}", "add", "/a/2", "2", None),
            ("{\"a\":[1]}", "add", "/a/01", "2", None),
            ("{}", "add", "/a/b", "1", None),
            ("{}", "add", "", "[]", Some("[]")),
            ("{\"a\":1}", "replace", "/a", "2", Some("{\"a\":2}")),
            ("{\"a\":1}", "replace", "/b", "2", None),
            ("{\"a\":[1,2]}", "remove", "/a/0", "", Some("{\"a\":[2]}")),
            ("{\"a\":1}", "remove", "/b", "", None),
            ("{\"a\":{\"b\":1}}", "move", "/c", "/a/b", Some("{\"a\":{},\"c\":1}")),
            ("{\"a\":{\"b\":1}}", "move", "/a/b/c", "/a/b", None),
            ("{\"a\":1}", "copy", "/b", "/a", Some("{\"a\":1,\"b\":1}")),
            ("{\"a\":1.0}", "test", "/a", "1", Some("{\"a\":1.0}")),
            ("{\"a\":1}", "test", "/a", "2", None),
            ("{\"a\":1}", "other", "/a", "2", None),
        ] {
            assert_eq!(patched(text, op, at, value).as_deref(), expect, "{op} {at} in {text}");
        }
    }

    #[test]
    fn copies_keep_what_they_had_and_changes_are_found() {
        let before = document(r#"{"a":{"x":1,"y":[1]},"b":2,"e":{}}"#);
        let mut after = before.clone();
        after.set(&["a", "x"], document("5"));
        after.patch("add", &path("/a/y/-"), Some(document("2")), None);
        after.remove(&["b"]);
        after.set(&["n", "m", "k"], document("{}"));
        assert_eq!(before.text(), r#"{"a":{"x":1,"y":[1]},"b":2,"e":{}}"#);
        let changes = before.changes_to(&after);
        let kinds: Vec<String> =
            changes.iter().map(|(path, v)| format!("{} {:?}", path.join("/"), v.map(Document::text))).collect();
        assert_eq!(kinds, ["a/x Some(\"5\")", "a/y Some(\"[1,2]\")", "n/m/k Some(\"{}\")", "b None"]);
        assert_eq!(document("[1]").appended(&document("[1.0,2]")).map(<[_]>::len), Some(1));
        assert!(document("[1]").appended(&document("[2,1]")).is_none());
        assert!(document("[1,2]").appended(&document("[1]")).is_none());
        assert!(before.changes_to(&before.clone()).is_empty() && !before.is_same(&after));
        assert!(document("{\"a\":1,\"b\":[2]}").is_same(&document("{\"b\":[2.0],\"a\":1}")));
    }

    #[test]
    fn a_document_that_is_copied_into_itself_stays_small() {
        for names in [&["/a"][..], &["/a", "/b"]] {
            let mut it = document("{\"x\":1}");
            let copied =
                (0..1_000).filter(|i| it.patch("copy", &path(names[i % names.len()]), None, Some(&[]))).count();
            assert!(copied < 400, "{copied}");
        }
    }

    proptest! {
        #[test]
        fn changes_lead_from_one_document_to_the_other(
            a in r#"\{("a":(1|\{"x":1\}|\[1\]),)?("b":(2|\{\}|\{"y":3,"z":\{"w":1\}\}),)?"c":(1|null)\}"#,
            b in r#"\{("a":(1|\{"x":2\}|\[2\]),)?("b":(2|\{\}|\{"z":\{"w":2\}\}),)?"c":(1|null)\}"#,
        ) {
            let (mut from, to) = (document(&a), document(&b));
            for (path, value) in from.clone().changes_to(&to) {
                match value {
                    Some(value) => prop_assert!(from.set(&path, value.clone())),
                    None => prop_assert!(from.remove(&path)),
                }
            }
            prop_assert!(from.is_same(&to), "{} is not {}", from.text(), to.text());
        }
    }
}
