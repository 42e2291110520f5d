//! What a record is and writes (S1 to S9).

use crate::reference::json::J;

/// A record of a shape of S9.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    ListSlots,
    Context,
    Write,
    Result,
    Response,
    Pipeline,
    Contract,
    Collection,
    BareMap,
    Unknown,
}

pub(crate) fn text<'a>(value: &'a J, key: &str) -> Option<&'a str> {
    value.get(key).and_then(J::str)
}

fn bool(value: &J, key: &str) -> bool {
    matches!(value.get(key), Some(J::Bool(_)))
}

/// A non-empty array whose elements all have these string members.
fn rows<'a>(value: &'a J, key: &str, members: [&str; 2]) -> Option<&'a Vec<J>> {
    let all = value.get(key)?.arr().filter(|a| !a.is_empty())?;
    all.iter().all(|row| members.iter().all(|m| text(row, m).is_some())).then_some(all)
}

pub(crate) fn is_list(value: &J) -> bool {
    let is_row = |row: &J| {
        let has = |key: &str| row.get(key).is_some();
        row.obj().is_some_and(|o| o.members.len() == 3) && text(row, "name").is_some() && has("type") && has("source")
    };
    value.arr().is_some_and(|all| !all.is_empty() && all.iter().all(is_row))
}

pub(crate) fn response(value: &J) -> Option<&Vec<J>> {
    let nodes = || rows(value, "nodes", ["agent", "status"]).or_else(|| rows(value, "steps", ["agent", "status"]));
    if bool(value, "success") { nodes() } else { None }
}

pub(crate) fn is_contract(value: &J) -> bool {
    let has = |key: &str| value.get(key).is_some();
    text(value, "name").is_some() && text(value, "capability").is_some() && (has("inputs") || has("outputs"))
}

fn is_collection(value: &J) -> bool {
    let ids = value.get("ids").and_then(J::arr).is_some_and(|a| a.iter().all(|id| id.str().is_some()));
    let refs = value.get("refs").and_then(J::arr).is_some_and(|a| a.iter().all(|r| r.get("id").is_some()));
    (ids || refs) && text(value, "content_type").is_some()
}

pub(crate) fn shape(value: &J) -> Shape {
    let is_slot = |(_, slot): &(String, J)| slot.get("value").is_some() && text(slot, "data_type").is_some();
    let object = value.obj();
    match () {
        () if is_list(value) => Shape::ListSlots,
        () if value.get("slots").is_some_and(|s| s.obj().is_some()) => Shape::Context,
        () if text(value, "slot_name").is_some() && value.get("value").is_some() => Shape::Write,
        () if text(value, "agent_name").is_some() && bool(value, "success") => Shape::Result,
        () if response(value).is_some() => Shape::Response,
        () if value.get("contracts").is_some_and(|c| c.arr().is_some()) => Shape::Pipeline,
        () if rows(value, "steps", ["agent", "intent"]).is_some() => Shape::Pipeline,
        () if is_contract(value) => Shape::Contract,
        () if is_collection(value) => Shape::Collection,
        () if object.is_some_and(|o| !o.members.is_empty() && o.members.iter().all(is_slot)) => Shape::BareMap,
        () => Shape::Unknown,
    }
}

/// One slot as a record writes it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Write {
    pub(crate) slot: String,
    pub(crate) value: Option<J>,
    pub(crate) kind: J,
    pub(crate) source: J,
    pub(crate) timestamp: J,
}

fn string_or_null(value: Option<&J>) -> J {
    value.filter(|v| v.str().is_some()).cloned().unwrap_or(J::Null)
}

/// A write of these members.
pub(crate) fn write(slot: &str, typed: &J, [kind, source]: [&str; 2]) -> Write {
    let member = |key: &str| string_or_null(typed.get(key));
    let value = typed.get("value").map(J::plain);
    Write { slot: slot.to_owned(), value, kind: member(kind), source: member(source), timestamp: member("timestamp") }
}

/// The writes of a result (S5); `declared` says the type that the contract has for an output.
pub(crate) fn outputs(value: &J, agent: &str, declared: impl Fn(&str) -> Option<String>) -> Vec<Write> {
    let Some(outputs) = value.get("outputs").and_then(J::obj) else { return Vec::new() };
    let one = |(name, value): &(String, J)| {
        let guess = match value {
            J::Obj(o) if o.get("ids").is_some() || o.get("refs").is_some() => "FILE_IDS",
            J::Obj(o) if o.get("categories").is_some() => "CATEGORIZATION",
            J::Str(_) => "TEXT",
            _ => "ANALYSIS_RESULT",
        };
        Write {
            slot: name.clone(),
            value: Some(value.plain()),
            kind: J::Str(declared(name).unwrap_or_else(|| guess.to_owned())),
            source: J::string(agent),
            timestamp: J::Null,
        }
    };
    outputs.members.iter().map(one).collect()
}
