//! `obelus history`: everything that happened to the values at a path.

use super::args::{PathQuestion, parsed};
use super::blame::serialize_credit;
use super::cause::HopMember;
use super::open::{Attributions, Opened};
use super::out::{Out, answer, at, exact, raw, step_member};
use super::{Command, Stop};
use crate::format::cause::{Trail, Written};
use crate::format::{Answer, Attribution, Instances};
use crate::json::pointer_unescape;
use crate::model::{Problem, StepNo};
use crate::state::copy_origin::Copies;
use crate::state::{Event, EventOp};
use clap::{ArgMatches, Args};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

pub(super) const COMMAND: Command = Command { name: "history", describe, run };

fn describe(command: clap::Command) -> clap::Command {
    PathQuestion::augment_args(command).about("Print every write to the values at a path, up to a step")
}

/// One event on one leaf (A30).
struct Entry {
    step: StepNo,
    op: EventOp,
    reference: String,
    value: Option<Box<RawValue>>,
    attribution: Attribution,
    cause: Option<Cause>,
}

/// What the value was copied from.
struct Cause {
    told: String,
    member: HopMember,
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("step", &step_member(self.step))?;
        map.serialize_entry("op", op_name(self.op))?;
        map.serialize_entry("ref", &self.reference)?;
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

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: PathQuestion = parsed(matches)?;
    let opened = options.question.open_state(out)?;
    let entries = entries(&opened, &options)?;
    if options.question.json {
        let mut members: Answer = vec![("ref", raw(&options.path)?)];
        if let Some(instance) = instance(&opened, &options) {
            members.push(("instance", raw(&instance)?));
        }
        members.push(("events", raw(&entries)?));
        out.json(&answer(&opened.header(), &members))?;
    } else {
        show(&entries, out)?;
        if entries.is_empty() {
            opened.tell_missing(&options.path, options.instance.instance.as_deref())?;
        }
    }
    Ok(0)
}

/// The instance of the answer; None where the format knows none.
fn instance(opened: &Opened, options: &PathQuestion) -> Option<Option<String>> {
    match opened.run.instances() {
        Instances::Chosen => Some(options.instance.instance.clone()),
        Instances::InPath => Some(options.path.split('/').nth(2).map(pointer_unescape)),
        Instances::Absent => None,
    }
}

fn entries(opened: &Opened, options: &PathQuestion) -> Result<Vec<Entry>, Problem> {
    let (run, tree) = (opened.run.as_ref(), opened.run.tree());
    let (mut events, mut nodes): (Vec<Event>, usize) = (Vec::new(), 0);
    for (id, path) in run.locate(&options.path, opened.step)? {
        let is_meant = opened.is_meant(id, options.instance.instance.as_deref());
        if let Some(node) = tree.node(id, &path).filter(|_| is_meant) {
            events.extend(tree.history(node, opened.step));
            nodes += 1;
        }
    }
    if nodes > 1 {
        // Several slots below a short pointer, both meanings of `.0` (A33): the events of a step in the order of A30.
        let is_write = |event: &Event| !matches!(event.op, EventOp::Drop | EventOp::Reset);
        events.sort_by_key(|event| (event.at, is_write(event), event.number));
    }
    let mut attributions = Attributions::new(opened);
    let copies = Copies::of(tree, events.iter().filter_map(|event| event.value.clone()));
    let mut trail = Trail::new(run, &copies, opened.bytes());
    events.iter().map(|event| entry(opened, event, &mut trail, &mut attributions)).collect()
}

fn entry(
    opened: &Opened,
    event: &Event,
    trail: &mut Trail<'_>,
    attributions: &mut Attributions<'_>,
) -> Result<Entry, Problem> {
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
        .and_then(|value| trail.hop(Written { node: event.node, author: event.author, value }));
    Ok(Entry {
        step: event.at,
        op: event.op,
        reference: run.reference(tree.identity(id), &path),
        value,
        attribution: match run.accounts_for(event) {
            true => run.attribution_of(event).unwrap_or_else(|| attributions.get(id, event.author)),
            false => Attribution::default(),
        },
        cause: hop.map(|hop| Cause { told: hop.told(run), member: HopMember::of(&hop, opened, attributions) }),
    })
}

/// Step, when, who, value, what happened; and the reference where there are several.
fn show(entries: &[Entry], out: &mut Out) -> Result<(), Stop> {
    let has_several = entries.iter().any(|e| e.reference != entries[0].reference);
    let rows = entries.iter().map(|entry| {
        let mut row = vec![
            at(entry.step),
            entry.attribution.when.clone().unwrap_or_default(),
            entry.attribution.who.clone().unwrap_or_default(),
            op_word(entry.op).to_owned(),
        ];
        if has_several {
            row.push(entry.reference.clone());
        }
        let cause = entry.cause.as_ref().map_or(String::new(), |cause| format!("  = {}", cause.told));
        row.push(entry.value.as_ref().map_or(String::new(), |value| format!("{}{cause}", value.get())));
        row
    });
    Ok(out.table(&rows.collect::<Vec<_>>())?)
}
