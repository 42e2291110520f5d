//! `obelus history`: everything that happened to the values at a path.

use super::args::{PathQuestion, parsed};
use super::blame::serialize_credit;
use super::cause::HopMember;
use super::open::{Attributions, Opened};
use super::out::{Out, Tone, answer, at, exact, raw, step_member};
use super::paths::{AskedPath, with_instance};
use super::{Command, Stop, complain};
use crate::format::cause::{Trail, ValueWrite};
use crate::format::{Answer, Attribution, Instances, ValuePlace};
use crate::json::pointer_unescape;
use crate::model::{Problem, StepNo};
use crate::state::copy_origin::Copies;
use crate::state::{EventOp, HistoryEvent};
use clap::{ArgMatches, Args};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

/// Most instances that are named.
const INSTANCES_SHOWN: usize = 8;

pub(super) const COMMAND: Command = Command { name: "history", describe, run };

fn describe(command: clap::Command) -> clap::Command {
    PathQuestion::augment_args(command).about("Print every write to the values at a path, up to a step")
}

/// One event on one leaf (A30).
struct HistoryEntry {
    step: StepNo,
    op: EventOp,
    reference: String,
    /// The instance, where the answer is of those that were not asked for by name.
    instance: Option<String>,
    value: Option<Box<RawValue>>,
    attribution: Attribution,
    cause: Option<Cause>,
}

/// What the value was copied from.
struct Cause {
    description: String,
    member: HopMember,
}

impl Serialize for HistoryEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("step", &step_member(self.step))?;
        map.serialize_entry("op", op_name(self.op))?;
        map.serialize_entry("ref", &self.reference)?;
        if let Some(instance) = &self.instance {
            map.serialize_entry("instance", instance)?;
        }
        if let Some(value) = &self.value {
            map.serialize_entry("value", value)?;
        }
        serialize_credit(&self.attribution, &mut map)?;
        if let Some(cause) = &self.cause {
            map.serialize_entry("cause", &cause.member)?;
        }
        map.end()
    }
}

fn op_name(op: EventOp) -> &'static str {
    match op {
        EventOp::Add => "add",
        EventOp::Change => "change",
        EventOp::Same => "same",
        EventOp::Drop => "drop",
        EventOp::Reset => "reset",
    }
}

/// The word for people.
fn op_word(op: EventOp) -> &'static str {
    match op {
        EventOp::Add => "added",
        EventOp::Change => "changed",
        EventOp::Same => "unchanged",
        EventOp::Drop => "removed",
        EventOp::Reset => "reset",
    }
}

fn op_tone(op: EventOp) -> Tone {
    match op {
        EventOp::Add => Tone::New,
        EventOp::Change => Tone::Strong,
        EventOp::Same => Tone::Dim,
        EventOp::Drop | EventOp::Reset => Tone::Old,
    }
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: PathQuestion = parsed(matches)?;
    let opened = options.question.open_state(out)?;
    let asked = AskedPath::read(&opened, &options.path, &options.instance)?;
    let entries = entries(&opened, &asked, options.question.json)?;
    if options.question.json {
        let mut members: Answer = vec![("ref", raw(asked.path())?)];
        if let Some(instance) = instance(&opened, &asked) {
            members.push(("instance", raw(&instance)?));
        }
        members.push(("events", raw(&entries)?));
        only_in_instances(&opened, &asked).iter().for_each(|message| complain(message));
        out.json(&answer(&opened.header(), &members))?;
    } else {
        show(&entries, out)?;
        if entries.is_empty() && !asked.is_unknown() {
            complain(&format!("nothing was written at {} up to step {}", asked.path(), opened.step));
        }
    }
    Ok(asked.status(options.question.json))
}

/// The instance of the answer; None where the format knows none.
fn instance(opened: &Opened, asked: &AskedPath) -> Option<Option<String>> {
    match opened.run.instances() {
        Instances::Chosen => Some(asked.instance().map(str::to_owned)),
        Instances::InPath => Some(asked.path().split('/').nth(2).map(pointer_unescape)),
        Instances::Absent => None,
    }
}

/// Of a path that only instances have, which have it: the global identity, of which the answer for programs is, has no
/// event of it. None where it was asked for an instance, or the global identity has the path.
fn only_in_instances(opened: &Opened, asked: &AskedPath) -> Option<String> {
    let is_asked = asked.has_instance || opened.run.instances() != Instances::Chosen;
    if is_asked || asked.is_unknown() || !places(opened, asked, true).is_empty() {
        return None;
    }
    let tree = opened.run.tree();
    let mut names: Vec<&str> =
        asked.places.iter().filter_map(|(id, _)| tree.identity(*id).instance.as_deref()).collect();
    names.dedup();
    let shown = names.iter().take(INSTANCES_SHOWN).copied().collect::<Vec<_>>().join(", ");
    let more = names.len().saturating_sub(INSTANCES_SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(format!(
        "{} is there only in {} {shown}{more}: without --instance the events are those of the global identity",
        asked.path(),
        if names.len() == 1 { "instance" } else { "instances" }
    ))
}

/// The places whose history is asked for. An answer for programs without an instance is of the global identity.
fn places(opened: &Opened, asked: &AskedPath, is_json: bool) -> Vec<ValuePlace> {
    let tree = opened.run.tree();
    let is_global = |place: &&ValuePlace| tree.identity(place.0).instance.is_none();
    let is_narrow = is_json && !asked.has_instance && opened.run.instances() == Instances::Chosen;
    asked.places.iter().filter(|place| !is_narrow || is_global(place)).cloned().collect()
}

fn entries(opened: &Opened, asked: &AskedPath, is_json: bool) -> Result<Vec<HistoryEntry>, Problem> {
    let (run, tree) = (opened.run.as_ref(), opened.run.tree());
    let (mut events, mut nodes): (Vec<HistoryEvent>, usize) = (Vec::new(), 0);
    for (id, path) in places(opened, asked, is_json) {
        if let Some(node) = tree.node(id, &path) {
            events.extend(tree.history(node, opened.step));
            nodes += 1;
        }
    }
    if nodes > 1 {
        // Several slots below a short pointer, both meanings of `.0` (A33): the events of a step in the order of A30.
        let is_write = |event: &HistoryEvent| !matches!(event.op, EventOp::Drop | EventOp::Reset);
        events.sort_by_key(|event| (event.at, is_write(event), event.number));
    }
    let mut attributions = Attributions::new(opened);
    let copies = Copies::of(tree, events.iter().filter_map(|event| event.value.clone()));
    let mut trail = Trail::new(run, &copies, opened.bytes());
    let names_instance = !asked.has_instance && run.instances() == Instances::Chosen;
    let entry = |event: &HistoryEvent| {
        let instance = tree.identity(event.identity).instance.clone().filter(|_| names_instance);
        Ok(HistoryEntry { instance, ..entry(opened, event, &mut trail, &mut attributions)? })
    };
    events.iter().map(entry).collect()
}

fn entry(
    opened: &Opened,
    event: &HistoryEvent,
    trail: &mut Trail<'_>,
    attributions: &mut Attributions<'_>,
) -> Result<HistoryEntry, Problem> {
    let (run, tree) = (opened.run.as_ref(), opened.run.tree());
    let (id, path) = tree.path(event.node);
    let value = match &event.value {
        Some(value) => Some(exact(value.text(opened.bytes())?.into_owned())?),
        None => None,
    };
    let hop = event
        .value
        .as_ref()
        .filter(|_| run.accounts_for(event))
        .and_then(|value| trail.hop(ValueWrite { node: event.node, author: event.author, value }));
    Ok(HistoryEntry {
        step: event.at,
        op: event.op,
        reference: run.reference(tree.identity(id), &path),
        instance: None,
        value,
        attribution: if run.accounts_for(event) {
            run.attribution_of(event).unwrap_or_else(|| attributions.get(id, event.author))
        } else {
            Attribution::default()
        },
        cause: hop
            .map(|hop| Cause { description: hop.describe(run), member: HopMember::of(&hop, opened, attributions) }),
    })
}

/// Step, when, who, value, what happened; and the reference where there are several, or its instance was not asked for.
fn show(entries: &[HistoryEntry], out: &mut Out) -> Result<(), Stop> {
    let is_other = |e: &HistoryEntry| (&e.reference, &e.instance) != (&entries[0].reference, &entries[0].instance);
    let is_named = entries.iter().any(|e| e.instance.is_some() || is_other(e));
    let rows = entries.iter().map(|entry| {
        let mut row = vec![
            (Tone::Step, at(entry.step)),
            (Tone::Dim, entry.attribution.when.clone().unwrap_or_default()),
            (Tone::Who, entry.attribution.who.clone().unwrap_or_default()),
            (op_tone(entry.op), op_word(entry.op).to_owned()),
        ];
        if is_named {
            row.push((Tone::Path, with_instance(&entry.reference, entry.instance.as_deref())));
        }
        let cause = entry.cause.as_ref().map_or(String::new(), |cause| format!("  = {}", cause.description));
        let value = entry.value.as_ref().map_or(String::new(), |value| format!("{}{cause}", value.get()));
        row.push((Tone::Plain, value));
        row
    });
    Ok(out.cells(&rows.collect::<Vec<_>>())?)
}
