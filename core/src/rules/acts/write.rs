//! What a data message writes: identity, value, targets and methods, schema and description (A9 to A20).

use super::expression::{self, Expression};
use super::finding::{BAD_OUTPUT_PATH, BAD_SCHEMA, Note, OUTPUT_PATH_MISSING, UNKNOWN_OUTPUT_METHOD};
use super::identity::{self, KINDLESS, brief};
use super::message::{ActsMessage, Carried, MessageType};
use super::reference::Reference;
use crate::json::{Data, Key, Value};
use crate::model::Identity;
use crate::state::Op;
use std::collections::HashMap;

/// What one data message does to the state, before it meets it.
#[derive(Debug)]
pub(super) struct Planned<'v> {
    /// Whose data it is.
    pub identity: Identity,
    /// The value; None where nothing is written or the method is `erase`.
    pub value: Option<Carried<'v>>,
    /// The methods at their targets; the rest merges (A18).
    pub ops: Vec<(Vec<Key>, Op)>,
    /// Whether the method is `erase`.
    pub is_erase: bool,
    /// A20: a schema that counts.
    pub schema: Option<&'v Value<'v>>,
    /// A20: a description that counts.
    pub description: Option<&'v str>,
}

/// A18: a method by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Method {
    op: Op,
    is_known: bool,
}

/// A9 to A20: plans the writes of a message of a type that writes.
pub(super) fn plan<'v>(message: &ActsMessage<'v>, notes: &mut Vec<Note>) -> Planned<'v> {
    let value = message.value();
    let kind = identity::kind(message, notes);
    let instance = identity::instance(message, value.as_deref(), notes);
    let output = Output::of(message, value.as_deref(), kind, notes);
    let is_erase = output.is_erase;
    Planned {
        identity: Identity { kind: output.kind, instance },
        value: value.filter(|_| !is_erase),
        ops: output.ops,
        is_erase,
        schema: schema(message, notes),
        description: message.text("description").filter(|d| !d.is_empty()),
    }
}

/// A20: the schema of a message, if it counts.
pub(super) fn schema<'v>(message: &ActsMessage<'v>, notes: &mut Vec<Note>) -> Option<&'v Value<'v>> {
    let schema = message.get("schema").filter(|s| !s.is_null())?;
    if matches!(schema.data, Data::Object(_) | Data::Bool(_)) {
        return Some(schema);
    }
    let text = format!("`schema` is {}, not an object or boolean; it is ignored", brief(schema));
    notes.push(Note::new(BAD_SCHEMA, text));
    None
}

/// A17, A18: the kind, and the methods at their targets.
struct Output {
    kind: String,
    ops: Vec<(Vec<Key>, Op)>,
    is_erase: bool,
}

impl Output {
    /// A11: messages of kind `error` append, whatever their call says, also where A17 gives the kind.
    fn of(message: &ActsMessage<'_>, value: Option<&Value<'_>>, kind: Option<String>, notes: &mut Vec<Note>) -> Self {
        let is_error = |kind: &str| kind == MessageType::Error.name();
        if kind.as_deref().is_some_and(is_error) {
            return Self::appended();
        }
        let mut call_notes = Vec::new();
        let output = Self::called(message, value, kind, &mut call_notes);
        if is_error(&output.kind) {
            return Self::appended();
        }
        notes.append(&mut call_notes);
        output
    }

    fn appended() -> Self {
        Self { kind: MessageType::Error.name().to_owned(), ops: vec![(Vec::new(), Op::Push)], is_erase: false }
    }

    /// A17 to A19: reads `_outputPath` and `_outputMethod`.
    fn called(
        message: &ActsMessage<'_>,
        value: Option<&Value<'_>>,
        kind: Option<String>,
        notes: &mut Vec<Note>,
    ) -> Self {
        let method = method(message, notes);
        let is_erase = method.is_some_and(|m| m.op == Op::Remove);
        let named = |kind: Option<String>| kind.unwrap_or_else(|| KINDLESS.to_owned());
        let Some(written) = message.call("_outputPath").filter(|p| !p.is_null()) else {
            let ops = method.map(|m| (Vec::new(), m.op)).into_iter().collect();
            return Self { kind: named(kind), ops, is_erase };
        };
        let Some(expression) = output_expression(written) else {
            let text = format!("`_outputPath` is {}, no reference; the message merges as a plain one", brief(written));
            notes.push(Note::new(BAD_OUTPUT_PATH, text));
            return Self { kind: named(kind), ops: Vec::new(), is_erase };
        };
        let mut members = Members::default();
        let mut path = |r| target_path(r, value, is_erase, &mut members);
        let found: Vec<(&str, Vec<Key>)> =
            expression.references().filter_map(|r| Some((r.kind.as_str(), path(r)?))).collect();
        let kind = kind.unwrap_or_else(|| {
            // A path through an array gives no kind, though `erase` may name one.
            let is_of_objects = |path: &[Key]| path.iter().all(|key| matches!(key, Key::Name(_)));
            let kinds = || found.iter().filter(|(_, path)| is_of_objects(path)).map(|(kind, _)| *kind);
            let first = if kinds().any(|kind| kind == KINDLESS) { None } else { kinds().next() };
            first.unwrap_or(KINDLESS).to_owned()
        });
        let op = method.map_or(Op::Replace, |m| m.op);
        let targets = outermost(found.into_iter().filter(|(k, _)| *k == kind).map(|(_, path)| path).collect());
        if targets.is_empty() {
            let text = format!("the value holds nothing at `_outputPath` {}; it merges whole", brief(written));
            notes.push(Note::new(OUTPUT_PATH_MISSING, text));
        }
        Self { kind, ops: targets.into_iter().map(|path| (path, op)).collect(), is_erase }
    }
}

/// A18, A19: the method of a message: its own `_outputMethod`, else that of its call.
fn method(message: &ActsMessage<'_>, notes: &mut Vec<Note>) -> Option<Method> {
    let is_there = |v: &&Value<'_>| !v.is_null();
    let output_method = message.get("_outputMethod").filter(is_there);
    let written = output_method.or_else(|| message.call("_outputMethod").filter(is_there))?;
    let known = |op| Method { op, is_known: true };
    let method = match written.as_str() {
        Some("set") => known(Op::Replace),
        Some("merge") => known(Op::Merge),
        Some("assign") => known(Op::Assign),
        Some("push") => known(Op::Push),
        Some("concat") => known(Op::Concat),
        Some("erase") => known(Op::Remove),
        _ => Method { op: Op::Replace, is_known: false },
    };
    if !method.is_known {
        let text = format!("`_outputMethod` is {}, no method; it acts as `set`", brief(written));
        notes.push(Note::new(UNKNOWN_OUTPUT_METHOD, text));
    }
    Some(method)
}

/// A19, A36: what an `_outputPath` says; None where it is not a reference. Text of the wider language names no place.
pub(super) fn output_expression(written: &Value<'_>) -> Option<Expression> {
    Some(expression::parse(written.as_str()?)).filter(|expression| matches!(expression, Expression::Gates(_)))
}

/// A17: the path as keys, if it is reached through objects only and held by the value (with `erase`: held or not).
fn target_path<'v>(
    reference: &Reference,
    value: Option<&'v Value<'v>>,
    is_erase: bool,
    members: &mut Members<'v>,
) -> Option<Vec<Key>> {
    let mut at = value;
    let mut keys = Vec::with_capacity(reference.path.len());
    for segment in &reference.path {
        let Some(key) = segment.on_object() else {
            // An index leads through an array: no target, but `erase` may name it and then does nothing (A18).
            let index = segment.on_array().filter(|_| is_erase)?;
            keys.push(Key::Index(index));
            continue;
        };
        at = at.and_then(|v| members.get(v, key));
        keys.push(Key::name(key));
    }
    (is_erase || at.is_some()).then_some(keys)
}

/// The members of objects by key: an `_outputPath` may name as many as there are.
#[derive(Default)]
struct Members<'v> {
    objects: HashMap<*const Value<'v>, HashMap<&'v str, &'v Value<'v>>>,
}

impl<'v> Members<'v> {
    fn get(&mut self, value: &'v Value<'v>, key: &str) -> Option<&'v Value<'v>> {
        let object = value.as_object()?;
        let members = self.objects.entry(std::ptr::from_ref(value)).or_insert_with(|| object.entries().collect());
        members.get(key).copied()
    }
}

/// Leaves out paths below another one and repeated ones; the others keep their order.
fn outermost(paths: Vec<Vec<Key>>) -> Vec<Vec<Key>> {
    let mut sorted: Vec<usize> = (0..paths.len()).collect();
    sorted.sort_by(|a, b| paths[*a].cmp(&paths[*b]));
    let mut outermost: Vec<usize> = Vec::with_capacity(paths.len());
    for index in sorted {
        if !outermost.last().is_some_and(|k| paths[index].starts_with(&paths[*k])) {
            outermost.push(index);
        }
    }
    outermost.sort_unstable();
    outermost.into_iter().map(|index| paths[index].clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::reference::canonical;
    use super::*;
    use crate::json::parse;

    fn describe_writes(text: &str) -> String {
        let v = parse(text).unwrap();
        let mut notes = Vec::new();
        let p = plan(&ActsMessage::of(&v), &mut notes);
        let ops: Vec<_> = p.ops.iter().map(|(k, op)| format!("{op:?} {}", canonical(&p.identity.kind, k))).collect();
        let rules: Vec<_> = notes.iter().map(|n| n.rule).collect();
        format!("{}: {} {}", p.identity.kind, ops.join(", "), rules.join(" ")).trim_end().to_owned()
    }

    #[test]
    fn targets_are_held_paths_of_the_kind() {
        let m = |rest: &str| describe_writes(&format!(r#"{{"type":"data",{rest}}}"#));
        let call = |path: &str| format!(r#""data":{{"a":{{"b":1}},"c":[1]}},"_call":{{"_outputPath":"{path}"}}"#);
        assert_eq!(m(&call("†state.a.b")), "state: Replace †state.a.b");
        assert_eq!(m(&call("†data.a && †state.c")), "data: Replace †data.a");
        assert_eq!(m(&call("†state.a.b && †state.a || †state.x")), "state: Replace †state.a");
        assert_eq!(m(&call("†state.c[0]")), "data:  acts.output-path-missing");
        for bad in ["†state.", "†state.a.map(f)", "†state.a > 5", "!†state.a", "(†state.a || †state.c)"] {
            assert_eq!(m(&call(bad)), "data:  acts.bad-output-path", "A36: {bad}");
        }
        assert_eq!(m(&format!(r#""kind":"k",{}"#, call("†state.a"))), "k:  acts.output-path-missing");
        assert_eq!(m(r#""kind":"k","data":1,"_outputMethod":"merge""#), "k: Merge †k");
        assert_eq!(m(r#""kind":"k","data":1,"_outputMethod":3"#), "k: Replace †k acts.unknown-output-method");
        let erase = r#""_call":{"_outputPath":"†state.a || †state.l[0]","_outputMethod":"erase"}"#;
        assert_eq!(m(erase), "state: Remove †state.a, Remove †state.l[0]");
        let erase = |path: &str| m(&format!(r#""_call":{{"_outputPath":"{path}","_outputMethod":"erase"}}"#));
        for path in ["†k[0] || †state.a", "†data[0] && †state.a"] {
            assert_eq!(erase(path), "state: Remove †state.a", "a path through an array gives no kind: {path}");
        }
        assert_eq!(erase("†k[0]"), "data:  acts.output-path-missing");
    }

    #[test]
    fn errors_append() {
        let m = r#"{"type":"error","error":"x","_call":{"_outputPath":"†state.","_outputMethod":"odd"}}"#;
        assert_eq!(describe_writes(m), "error: Push †error");
        let by_call = |method: &str| {
            let call = format!(r#""_call":{{"_outputPath":"†error.why","_outputMethod":"{method}"}}"#);
            describe_writes(&format!(r#"{{"type":"data","data":{{"why":"x"}},{call}}}"#))
        };
        for method in ["set", "merge", "erase", "odd"] {
            assert_eq!(by_call(method), "error: Push †error", "A11: also where A17 gives the kind: {method}");
        }
    }
}
