//! Scopix, written from the text of `SCOPIX.md` alone.

mod check;
mod contracts;
mod fold;
mod merge;
mod record;

use super::acts::{leaves, pretty};
use super::json::J;
use super::path::{self, Key, Segment};
use super::{Answer, Finding, Question};
use contracts::Contracts;
use fold::{Event, Slot, Step};

/// A file, read.
pub(crate) struct Scopix {
    steps: Vec<Step>,
    events: Vec<Event>,
}

/// `slot.path`.
fn slot_path(slot: &str, path: &[Key]) -> String {
    path::inner_path(&[&[Key::Name(slot.to_owned())], path].concat())
}

/// The content type of a slot's value (S21).
fn hint(slot: &Slot, contracts: &Contracts) -> Option<String> {
    let declared = slot.write.source.str().and_then(|source| contracts.output(source, &slot.write.slot));
    let own = || slot.write.value.as_ref()?.get("content_type")?.str().map(str::to_owned);
    declared.and_then(|o| o.hint.clone()).or_else(own)
}

fn route(slot: &Slot, contracts: &Contracts) -> Option<&'static str> {
    contracts::field(slot.write.kind.str()?, hint(slot, contracts).as_deref())
}

fn walk<'v>(value: &'v J, path: &[Segment]) -> Option<(&'v J, Vec<Key>)> {
    let (mut at, mut keys) = (value, Vec::new());
    for segment in path {
        let (key, below) = match at {
            J::Arr(a) => a.iter().enumerate().map(|(i, v)| (Key::Index(i), v)).find(|(k, _)| segment.can_be(k))?,
            J::Obj(o) => o.members.iter().map(|(k, v)| (Key::Name(k.clone()), v)).find(|(k, _)| segment.can_be(k))?,
            _ => return None,
        };
        keys.push(key);
        at = below;
    }
    Some((at, keys))
}

impl Scopix {
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let (steps, events) = fold::read(bytes);
        Self { steps, events }
    }

    pub(crate) fn count(&self) -> usize {
        self.steps.len()
    }

    pub(crate) fn findings(&self) -> Vec<Finding> {
        check::findings(&self.steps)
    }

    pub(crate) fn answer(&self, question: &Question) -> Answer {
        let last = self.steps.len().checked_sub(1);
        let at = last.map(|last| question.step.map_or(last, |n| last.min(usize::try_from(n).unwrap())));
        let nothing = (Vec::new(), Contracts::default());
        let (slots, contracts) =
            at.map_or((&nothing.0, &nothing.1), |at| (&self.steps[at].slots, &self.steps[at].contracts));
        let mut out = vec![
            ("format", J::string("scopix")),
            ("step", at.map_or(J::num(-1), J::num)),
            ("steps", J::num(self.steps.len())),
        ];
        let parsed = question.path.as_deref().map(|path| path::whole_reference(&format!("†{path}")));
        match question.kind {
            "state" => {
                out.push(("slots", J::Arr(slots.iter().map(|slot| shown(slot, contracts)).collect())));
                out.push(("conversation", conversation(slots, contracts)));
            }
            "blame" | "history" if parsed == Some(None) => return Answer::Refused,
            "blame" => out.push(("entries", blame(slots, parsed.flatten().as_ref()))),
            "history" => {
                out.push(("ref", question.path.as_deref().map_or(J::Null, J::string)));
                let wanted = parsed.flatten();
                let is_meant =
                    |e: &&Event| at.is_some_and(|at| e.step <= at) && wanted.as_ref().is_some_and(|w| is_below(e, w));
                out.push(("events", J::Arr(self.events.iter().filter(is_meant).map(event).collect())));
            }
            "resolve" => out.extend(resolved(slots, question)),
            "plan" => out.extend(contracts.plan().members()),
            "merge" => out.push(("merged", merge::merged(slots, question.path.as_deref()))),
            "render" => return Answer::Text(rendered(slots)),
            other => panic!("no answer to {other}"),
        }
        Answer::Json(J::object(out))
    }
}

fn is_below(event: &Event, wanted: &path::Ref) -> bool {
    let path = &event.path;
    let fits = path.len() >= wanted.path.len() && wanted.path.iter().zip(path).all(|(s, k)| s.can_be(k));
    event.slot == wanted.kind && fits
}

fn shown(slot: &Slot, contracts: &Contracts) -> J {
    let mut out = vec![
        ("name", J::string(&slot.write.slot)),
        ("data_type", slot.write.kind.clone()),
        ("source_node", slot.write.source.clone()),
        ("timestamp", slot.write.timestamp.clone()),
        ("step", J::num(slot.step)),
        ("changed", J::num(slot.changed)),
        ("route", route(slot, contracts).map_or(J::Null, J::string)),
    ];
    out.extend(slot.write.value.clone().map(|v| ("value", v)));
    J::object(out)
}

/// S22.
fn conversation(slots: &[Slot], contracts: &Contracts) -> J {
    let mut order: Vec<(usize, &'static str, J, String)> = Vec::new();
    for (step, hint, ids) in &contracts.files {
        let field = contracts::field("FILE_IDS", Some(hint));
        order.extend(field.map(|field| (*step, field, ids.clone(), (*hint).to_owned())));
    }
    for slot in slots {
        let (Some(field), Some(value)) = (route(slot, contracts), &slot.write.value) else { continue };
        let value = if field == "current_categorization" { Some(value.clone()) } else { ids(value) };
        let hint = hint(slot, contracts).unwrap_or_default();
        order.extend(value.map(|value| (slot.step, field, value, hint)));
    }
    order.sort_by_key(|(step, ..)| *step);
    let mut set: Vec<(&'static str, J)> = Vec::new();
    let mut put = |key: &'static str, value: J| {
        set.retain(|(k, _)| *k != key);
        set.push((key, value));
    };
    for (_, field, value, hint) in order {
        put(field, value);
        if field != "current_categorization" {
            put("content_type", J::Str(hint));
        }
    }
    let keys =
        ["current_image_ids", "current_document_ids", "current_link_ids", "current_categorization", "content_type"];
    J::object(keys.iter().filter_map(|key| set.iter().find(|(k, _)| k == key).cloned()).collect())
}

/// The ids of a FILE_IDS value, if they are strings; of its refs, where it has no ids.
fn ids(value: &J) -> Option<J> {
    let all: Vec<Option<&J>> = match value.get("ids") {
        Some(ids) => ids.arr()?.iter().map(Some).collect(),
        None => value.get("refs")?.arr()?.iter().map(|one| one.get("id")).collect(),
    };
    let all: Option<Vec<J>> = all.into_iter().map(|id| id.filter(|id| id.str().is_some()).cloned()).collect();
    all.map(J::Arr)
}

fn blame(slots: &[Slot], wanted: Option<&path::Ref>) -> J {
    let mut out = Vec::new();
    for slot in slots.iter().filter(|s| wanted.is_none_or(|w| w.kind == s.write.slot)) {
        for (path, value) in slot.write.value.iter().flat_map(leaves) {
            let is_meant = |w: &path::Ref| {
                path.len() >= w.path.len() && w.path.iter().zip(&path).all(|(segment, key)| segment.can_be(key))
            };
            if wanted.is_none_or(is_meant) {
                out.push(J::object(vec![
                    ("ref", J::Str(slot_path(&slot.write.slot, &path))),
                    ("value", value),
                    ("step", J::num(slot.step)),
                    ("changed", J::num(slot.leaves[&path])),
                    ("source_node", slot.write.source.clone()),
                    ("timestamp", slot.write.timestamp.clone()),
                ]));
            }
        }
    }
    J::Arr(out)
}

fn event(event: &Event) -> J {
    let mut out = vec![
        ("step", J::num(event.step)),
        ("op", J::string(event.op)),
        ("ref", J::Str(slot_path(&event.slot, &event.path))),
    ];
    out.extend(event.value.clone().map(|v| ("value", v)));
    out.extend([("source_node", event.source.clone()), ("timestamp", event.timestamp.clone())]);
    J::object(out)
}

/// S23.
fn resolved(slots: &[Slot], question: &Question) -> Vec<(&'static str, J)> {
    let reference = question.path.as_deref().unwrap_or("");
    let status = |s: &str| vec![("ref", J::string(reference)), ("status", J::string(s))];
    let with = |s: &str, more: Vec<(&'static str, J)>| [status(s), more].concat();
    let Some(parsed) = path::whole_reference(&format!("†{reference}")) else { return status("invalid") };
    let Some(slot) = slots.iter().find(|s| s.write.slot == parsed.kind) else {
        return with("missing", vec![("reason", J::string("slot"))]);
    };
    if question.expect.as_deref().is_some_and(|expect| slot.write.kind.str() != Some(expect)) {
        return with("type-mismatch", vec![("data_type", slot.write.kind.clone())]);
    }
    match slot.write.value.as_ref().and_then(|value| walk(value, &parsed.path)) {
        None => with("missing", vec![("reason", J::string("path"))]),
        Some((value, _)) => with(
            "ok",
            vec![
                ("value", value.clone()),
                ("data_type", slot.write.kind.clone()),
                ("source_node", slot.write.source.clone()),
                ("timestamp", slot.write.timestamp.clone()),
                ("wrote", J::num(slot.step)),
            ],
        ),
    }
}

fn rendered(slots: &[Slot]) -> String {
    let one = |slot: &Slot| {
        let known = |v: &J| v.str().unwrap_or("?").to_owned();
        let write = &slot.write;
        let at = write.timestamp.str().map_or(String::new(), |t| format!(" at {t}"));
        let value = write.value.as_ref().map_or(String::new(), |v| format!("\n{}", pretty(v, false, 0)));
        format!("{}: {} from {}{at}{value}", write.slot, known(&write.kind), known(&write.source))
    };
    let all: Vec<String> = slots.iter().map(one).collect();
    if all.is_empty() { String::new() } else { format!("{}\n", all.join("\n\n")) }
}
