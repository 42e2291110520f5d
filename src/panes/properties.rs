//! What a schema says of the members of an object: their descriptions, and which of them the data lacks (A20).
//!
//! Only `properties`, `required`, `description`, `items`, `allOf` and references within the schema are read: enough to
//! show a person what belongs where. Whether a value keeps to its schema is judged elsewhere.

use super::json_outline::{Doc, JsonNodeKind};
use super::{Open, Piece};
use crate::format::Run;
use crate::json::Key;
use crate::model::cast;
use crate::model::{Bytes, StepNo};
use crate::state::{IdentityId, IdentityView, NodeId, NodeShape};
use crate::text::{Role, single_line};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Longest schema that is read for this, in bytes.
const SCHEMA_BYTES_MAX: usize = 4 << 20;
/// Most schemas that are kept.
const SCHEMAS_MAX: usize = 256;
/// Most parts (references, members of `allOf`) that describe one object together.
const PARTS_MAX: usize = 32;
/// Most properties of an object that are read.
const PROPERTIES_MAX: usize = 100_000;
/// Longest description that is shown, in bytes of source.
const DESCRIPTION_BYTES_MAX: usize = 1_000;
/// Most properties that an object lacks of which each has a row of its own.
const MISSING_MAX: usize = 8;
/// Most rows for what an identity lacks.
pub(super) const ROWS_MAX: usize = 40;

/// A schema, laid out; what it says of an object is read when it is asked for.
#[derive(Debug)]
pub struct SchemaShape {
    doc: Doc,
    objects: RefCell<HashMap<u32, Rc<Object>>>,
    remarks: RefCell<HashMap<u32, Rc<Remark>>>,
}

/// What a schema says of a value for people.
#[derive(Debug, Default)]
pub struct Remark {
    /// The description, on one line.
    pub description: Option<String>,
    /// The type, as `string` or `string or null`.
    pub type_name: Option<String>,
}

/// What a schema says of one object.
#[derive(Debug, Default)]
struct Object {
    /// In the order of the schema.
    properties: Vec<Property>,
    by_name: HashMap<Rc<str>, u32>,
    /// The schema of the elements, if it is an array.
    items: Option<u32>,
}

/// A property of an object.
#[derive(Debug, Clone)]
pub struct Property {
    /// Its name.
    pub name: Rc<str>,
    /// Its schema, as a node of the laid out text.
    pub node: u32,
    /// Whether the object must have it.
    pub is_required: bool,
}

/// The properties that an object lacks: the required ones first where there are too many, else in the order of the
/// schema.
#[derive(Debug, Clone, Default)]
pub struct Missing {
    /// Those that have a row.
    pub shown: Vec<Property>,
    /// How many others there are.
    pub more: usize,
}

impl SchemaShape {
    /// Of the text of a schema.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self { doc: Doc::of(text), objects: RefCell::default(), remarks: RefCell::default() }
    }

    /// The part of the schema that describes a member or element of what `node` describes. Of the elements of an array
    /// only the first one has its part, so that the same is not said of each.
    #[must_use]
    pub fn child(&self, node: u32, key: &Key) -> Option<u32> {
        let object = self.object(node);
        match key {
            Key::Name(name) => object.by_name.get(name.as_ref()).map(|i| object.properties[*i as usize].node),
            Key::Index(0) => object.items,
            Key::Index(_) => None,
        }
    }

    /// The properties that an object described by `node` lacks; `present` are the names that it has.
    #[must_use]
    pub fn missing(&self, node: u32, present: &HashSet<&str>, room: usize) -> Missing {
        let object = self.object(node);
        let room = room.min(MISSING_MAX);
        let lacks = |property: &&Property| !present.contains(property.name.as_ref());
        let known = present.iter().filter(|name| object.by_name.contains_key(**name)).count();
        let count = object.properties.len() - known;
        // A row that says "1 more" takes as much room as the one.
        let room = if count == room + 1 { count } else { room };
        let required = object.properties.iter().filter(|p| p.is_required).filter(lacks);
        let optional = object.properties.iter().filter(|p| !p.is_required).filter(lacks);
        let shown: HashSet<&str> = required.chain(optional).take(room).map(|p| p.name.as_ref()).collect();
        let is_shown = |p: &&Property| shown.contains(p.name.as_ref());
        let mut rows = Vec::with_capacity(shown.len());
        rows.extend(object.properties.iter().filter(is_shown).take(shown.len()).cloned());
        Missing { more: count - rows.len(), shown: rows }
    }

    /// What the schema at a node, or what it refers to, says for people.
    #[must_use]
    pub fn remark(&self, node: u32) -> Rc<Remark> {
        if let Some(known) = self.remarks.borrow().get(&node) {
            return Rc::clone(known);
        }
        let parts = self.parts(node);
        let member = |name: &str| parts.iter().find_map(|part| self.doc.member(*part as usize, name));
        let description = member("description").and_then(|at| self.string(at)).map(|text| single_line(&text));
        let names = |at: usize| self.doc.children(at).take(PARTS_MAX).filter_map(|at| self.string(at));
        let type_name = member("type").map(|at| match self.string(at) {
            Some(text) => text,
            None => names(at).collect::<Vec<_>>().join(" or "),
        });
        let filled = |text: &String| !text.is_empty();
        let remark = Rc::new(Remark { description: description.filter(filled), type_name: type_name.filter(filled) });
        self.remarks.borrow_mut().insert(node, Rc::clone(&remark));
        remark
    }

    fn string(&self, node: usize) -> Option<String> {
        let is_string = self.doc.nodes().get(node).is_some_and(|node| node.kind == JsonNodeKind::String);
        is_string.then(|| self.doc.string_head(node, DESCRIPTION_BYTES_MAX).0.into_owned())
    }

    fn object(&self, node: u32) -> Rc<Object> {
        if let Some(known) = self.objects.borrow().get(&node) {
            return Rc::clone(known);
        }
        let properties = Rc::new(self.read(node));
        self.objects.borrow_mut().insert(node, Rc::clone(&properties));
        properties
    }

    fn read(&self, node: u32) -> Object {
        let mut object = Object::default();
        let mut required: HashSet<String> = HashSet::new();
        for part in self.parts(node) {
            for member in self.doc.children(part as usize) {
                match self.doc.key(member).as_deref() {
                    Some("properties") => self.put_properties(member, &mut object),
                    Some("required") => {
                        let names = self.doc.children(member).take(PROPERTIES_MAX);
                        required.extend(names.map(|at| self.doc.string_head(at, usize::MAX).0.into_owned()));
                    }
                    Some("items") => object.items = object.items.or(u32::try_from(member).ok()),
                    _ => {}
                }
            }
        }
        for property in &mut object.properties {
            property.is_required = required.contains(property.name.as_ref());
        }
        object
    }

    fn put_properties(&self, properties: usize, object: &mut Object) {
        for at in self.doc.children(properties).take(PROPERTIES_MAX) {
            let (Some(name), Ok(node)) = (self.doc.key(at), u32::try_from(at)) else { continue };
            let name: Rc<str> = name.into();
            let next = cast::to_u32(object.properties.len());
            if *object.by_name.entry(Rc::clone(&name)).or_insert(next) == next {
                object.properties.push(Property { name, node, is_required: false });
            }
        }
    }

    /// The schemas that describe a value together: the one at the node, what it refers to, the members of `allOf`.
    fn parts(&self, node: u32) -> Vec<u32> {
        let mut parts: Vec<u32> = vec![node];
        let mut at = 0;
        while let Some(part) = parts.get(at).copied() {
            at += 1;
            if parts.len() >= PARTS_MAX {
                break;
            }
            let all = self.doc.member(part as usize, "allOf");
            let all = all.into_iter().flat_map(|all| self.doc.children(all)).take(PARTS_MAX - parts.len());
            let new = self.referred(part as usize).into_iter().chain(all).filter_map(|at| u32::try_from(at).ok());
            for new in new.collect::<Vec<_>>() {
                if !parts.contains(&new) {
                    parts.push(new);
                }
            }
        }
        parts
    }

    /// What the `$ref` of a schema leads to, where that is a part of the same text.
    fn referred(&self, node: usize) -> Option<usize> {
        let at = self.doc.member(node, "$ref")?;
        let text = self.doc.string_head(at, DESCRIPTION_BYTES_MAX).0;
        let pointer = text.strip_prefix('#').filter(|p| p.is_empty() || p.starts_with('/'))?;
        self.doc.at(0, pointer)
    }
}

/// The schemas of the identities that are on the screen.
#[derive(Debug, Default)]
pub struct SchemaShapes {
    /// By generation and number of the schema.
    known: HashMap<(u64, u32), Option<Rc<SchemaShape>>>,
    /// Descriptions of identities, by generation and the step that set them.
    descriptions: HashMap<(u64, IdentityId, StepNo), Option<Rc<str>>>,
    reads: usize,
}

impl SchemaShapes {
    /// The schema of an identity at a step, where its parts describe the members of the value.
    pub fn of(&mut self, open: &Open<'_>, id: IdentityId, step: StepNo) -> Option<Rc<SchemaShape>> {
        let number = open.run().schema_number(id, step)?;
        let key = (open.session.generation, number);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        if self.known.len() >= SCHEMAS_MAX {
            self.known.clear();
        }
        self.reads += 1;
        let remark = read(open.run(), id, step, open.bytes()).map(Rc::new);
        self.known.insert(key, remark.clone());
        remark
    }

    /// How many schemas were read so far.
    #[must_use]
    pub fn schemas_read(&self) -> usize {
        self.reads
    }

    /// The description of an identity at a step, else that of its schema.
    pub fn description(&mut self, open: &Open<'_>, id: IdentityId, step: StepNo) -> Option<Rc<str>> {
        let Some(set_at) = open.run().description_at(id, step) else {
            return self.of(open, id, step)?.remark(0).description.as_deref().map(Rc::from);
        };
        let key = (open.session.generation, id, set_at);
        if let Some(known) = self.descriptions.get(&key) {
            return known.clone();
        }
        if self.descriptions.len() >= SCHEMAS_MAX {
            self.descriptions.clear();
        }
        let description = open.run().description(id, step, open.bytes()).map(|text| Rc::from(single_line(&text)));
        self.descriptions.insert(key, description.clone());
        description
    }
}

fn read(run: &dyn Run, id: IdentityId, step: StepNo, bytes: &dyn Bytes) -> Option<SchemaShape> {
    let (text, _) = run.schema(id, step, bytes)?;
    (text.len() <= SCHEMA_BYTES_MAX).then(|| SchemaShape::of(&text))
}

/// What is beside the name of a property that the data lacks: its type, whether it is required, its description.
#[must_use]
pub fn property_pieces(shape: &SchemaShape, property: &Property) -> Vec<Piece> {
    let remark = shape.remark(property.node);
    let mut out = vec![Piece::of(Role::Dim, "— ")];
    out.extend(remark.type_name.as_ref().map(|name| Piece::of(Role::Dim, &format!("{name} "))));
    if property.is_required {
        out.push(Piece::of(Role::Warning, "required "));
    }
    out.extend(remark.description.as_ref().map(|text| Piece::of(Role::Dim, &format!(" {text}"))));
    out
}

/// A line for each property that an identity lacks, as the State pane shows them.
#[must_use]
pub fn missing_lines(run: &dyn Run, view: &IdentityView, step: StepNo, bytes: &dyn Bytes) -> Vec<String> {
    if run.has_schema_of_elements(view.id) {
        return Vec::new();
    }
    let Some(shape) = read(run, view.id, step, bytes) else { return Vec::new() };
    let mut lines = Lines { run, id: view.id, step, shape: &shape, path: Vec::new(), out: Vec::new() };
    lines.put(view.root, 0);
    lines.out
}

struct Lines<'l> {
    run: &'l dyn Run,
    id: IdentityId,
    step: StepNo,
    shape: &'l SchemaShape,
    path: Vec<Key>,
    out: Vec<String>,
}

impl Lines<'_> {
    fn put(&mut self, node: Option<NodeId>, at: u32) {
        let tree = self.run.tree();
        let shape = node.and_then(|node| tree.shape(node, self.step));
        let children = node.map(|node| tree.children(node, self.step)).unwrap_or_default();
        for child in &children {
            if let Some(below) = self.shape.child(at, &child.key) {
                self.path.push(child.key.clone());
                self.put(Some(child.node), below);
                self.path.pop();
            }
        }
        let room = ROWS_MAX.saturating_sub(self.out.len());
        if !matches!(shape, None | Some(NodeShape::Object | NodeShape::EmptyObject)) || room == 0 {
            return;
        }
        let names = children.iter().filter_map(|child| match &child.key {
            Key::Name(name) => Some(name.as_ref()),
            Key::Index(_) => None,
        });
        let missing = self.shape.missing(at, &names.collect(), room);
        let identity = self.run.tree().identity(self.id);
        for property in &missing.shown {
            self.path.push(Key::name(&property.name));
            let text: String = property_pieces(self.shape, property).iter().map(|piece| piece.text.as_str()).collect();
            let text = text.trim_start_matches("— ").trim_end();
            self.out.push(format!("— {}  {text}", self.run.reference(identity, &self.path)).trim_end().to_owned());
            self.path.pop();
        }
        if missing.more > 0 {
            self.out.push(format!(
                "… {} more in the schema of {}",
                missing.more,
                self.run.reference(identity, &self.path)
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(schema: &str, path: &[Key], present: &[&str]) -> (Vec<String>, usize) {
        let shape = SchemaShape::of(schema);
        let node = path.iter().try_fold(0, |node, key| shape.child(node, key)).unwrap();
        let missing = shape.missing(node, &present.iter().copied().collect(), 100);
        let name = |p: &Property| format!("{}{}", p.name, if p.is_required { "!" } else { "" });
        (missing.shown.iter().map(name).collect(), missing.more)
    }

    #[test]
    fn shows_what_an_object_lacks() {
        let schema = r##"{"$defs":{"x/y":{"properties":{"q":{},"r":{"type":["string","null"],"description":"R."}}}},
            "properties":{"a":{"properties":{"b":{}}},"c":{"$ref":"#/$defs/x~1y"},
            "l":{"items":{"properties":{"e":{}}}}},
            "allOf":[{"properties":{"d":{},"a":{}},"required":["d"]},{"$ref":"#"}],"required":["a"]}"##;
        assert_eq!(missing(schema, &[], &["zz"]), (["a!", "c", "l", "d!"].map(str::to_owned).to_vec(), 0));
        assert_eq!(missing(schema, &[], &["a", "l", "d"]), (vec!["c".to_owned()], 0));
        assert_eq!(missing(schema, &[Key::name("c")], &["q"]), (vec!["r".to_owned()], 0));
        assert_eq!(missing(schema, &[Key::name("l"), Key::Index(0)], &[]), (vec!["e".to_owned()], 0));
        let shape = SchemaShape::of(schema);
        assert_eq!(shape.child(0, &Key::name("zz")), None);
        let r = shape.child(shape.child(0, &Key::name("c")).unwrap(), &Key::name("r")).unwrap();
        let remark = shape.remark(r);
        assert_eq!(remark.description.as_deref(), Some("R."));
        assert_eq!(remark.type_name.as_deref(), Some("string or null"));
    }

    #[test]
    fn of_many_the_required_ones_are_shown() {
        let properties: Vec<String> = (0..10_000).map(|i| format!("\"p{i}\":{{}}")).collect();
        let schema = format!("{{\"required\":[\"p9000\"],\"properties\":{{{}}}}}", properties.join(","));
        let (shown, more) = missing(&schema, &[], &["p1", "x"]);
        assert_eq!(shown, ["p0", "p2", "p3", "p4", "p5", "p6", "p7", "p9000!"]);
        assert_eq!(more, 9_999 - MISSING_MAX);
    }

    #[test]
    fn what_is_no_schema_or_refers_to_itself_has_no_properties() {
        for schema in ["true", "5", r##"{"$ref":"#"}"##, r#"{"properties":[1]}"#, r#"{"allOf":{},"properties":5}"#] {
            assert_eq!(missing(schema, &[], &[]), (Vec::new(), 0), "{schema}");
        }
        let names: Vec<String> = (0..30)
            .map(|i| {
                format!("\"d{i}\":{{\"allOf\":[{{\"$ref\":\"#/$defs/d{0}\"}},{{\"$ref\":\"#/$defs/d{0}\"}}]}}", i + 1)
            })
            .collect();
        let twice = format!("{{\"$defs\":{{{}}},\"$ref\":\"#/$defs/d0\"}}", names.join(","));
        assert_eq!(missing(&twice, &[], &[]), (Vec::new(), 0));
    }
}
