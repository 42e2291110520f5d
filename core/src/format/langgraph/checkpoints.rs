//! A thread as a trajectory: its checkpoints are steps, its channels the state.

use super::conversation::{self, MESSAGES};
use super::deltas::{Deltas, snapshot};
use super::outputs::{self, idx, outputs, writes};
use super::words::channel_words;
use crate::format::log::{Adapter, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, first, model_usage, show};
use crate::json::{self, Value};
use crate::model::{HEAD, ModelRequest, Severity, StepNo, StepRole, Turn, TurnPart};
use crate::state::Op;
use std::collections::{HashMap, HashSet};

/// Reads one thread.
pub(super) struct Checkpoints;

/// Numbers of writes that are no output of a node.
const INTERRUPT: &str = "-3";
const RESUME: &str = "-4";

/// What differs from branch to branch.
pub(super) const KINDS: [&str; 3] = ["state", "interrupt", "resume"];

impl Adapter for Checkpoints {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let head = record.get("langgraph");
        let text = |key: &str| head.and_then(|head| head.get(key)).and_then(Value::as_str).unwrap_or_default();
        match text("checkpoint_ns") {
            "" => log.title(text("thread_id")),
            ns => log.title(&format!("{} {ns}", text("thread_id"))),
        }
        for slot in ["thread_id", "checkpoint_ns"] {
            if let Some(value) = head.and_then(|head| head.get(slot)) {
                log.write("thread", "main", &[slot], Op::Update, value);
            }
        }
        stored(record, log);
        let all = record.get("checkpoints").and_then(Value::as_array).unwrap_or_default();
        let places: HashMap<&str, usize> = all.iter().zip(0..).filter_map(|(c, i)| Some((id(c)?, i))).collect();
        let (mut seen, mut steps) = (HashSet::new(), Vec::with_capacity(all.len()));
        let mut deltas = Deltas::new(all);
        let parents = all.iter().zip(0..).filter_map(|(it, i)| Some((*places.get(parent_id(it)?)?, i)));
        let forks: HashSet<usize> = parents.filter(|(place, i)| place + 1 != *i).map(|(place, _)| place).collect();
        for (i, it) in all.iter().enumerate() {
            let named = parent_id(it);
            let place = named.and_then(|named| places.get(named)).copied();
            let parent = place.and_then(|place| all.get(place));
            if named.is_some() && parent.is_none() {
                let message = format!("the checkpoint before `{}` is missing", id(it).unwrap_or_default());
                log.finding(Some(log.next_step()), "run.part-missing", Severity::Warning, message);
            }
            // After one that is missing, what was known last is what it is compared with.
            let last = i.checked_sub(1).filter(|_| named.is_some());
            let before = place.or(last);
            let checkpoint = Checkpoint { it, parent, before: before.and_then(|before| all.get(before)) };
            steps.push(checkpoint.add_step(log));
            if before.is_none_or(|before| before + 1 != i) {
                let back_to = before.and_then(|before| steps.get(before)).copied();
                log.go_back(&KINDS, back_to.unwrap_or(HEAD));
                deltas.go_back(before);
            }
            checkpoint.write(&mut seen, &mut deltas, log);
            if forks.contains(&i) {
                deltas.store_fork(i);
            }
        }
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        match (form, values.first()) {
            (CHECKPOINT, Some(it)) => Turn::of(StepRole::Unknown, vec![TurnPart::Text(summary(it).into())]),
            _ => show(form, values),
        }
    }

    fn request(form: Form, values: &[&Value<'_>]) -> Option<ModelRequest> {
        let checkpoint = values.first().filter(|_| form == CHECKPOINT)?;
        conversation::request(String::new(), content(checkpoint, "channel_values"))
    }

    fn has_requests(&self) -> bool {
        true
    }
}

/// A checkpoint as a step.
const CHECKPOINT: Form = FIRST_ADAPTER_FORM;

/// Which step of the graph it is, and which channels were written, where it says that, else which there are.
fn summary(checkpoint: &Value<'_>) -> String {
    let metadata = checkpoint.get("metadata");
    let of = |key: &str| metadata.and_then(|metadata| metadata.get(key));
    let step = of("step").map_or_else(String::new, |step| format!("step {}: ", step.text));
    let updated = content(checkpoint, "updated_channels").and_then(Value::as_array);
    let values = content(checkpoint, "channel_values");
    let shown = |(channel, value): &(&str, Option<&Value<'_>>)| !is_hidden(channel, *value);
    let all = || entries(values).map(|(channel, value)| (channel, Some(value)));
    let value_of = |channel| (channel, values.and_then(|values| values.get(channel)));
    let words = match updated {
        Some(channels) => channel_words(channels.iter().filter_map(Value::as_str).map(value_of).filter(shown)),
        None => channel_words(all().filter(shown)),
    };
    // What a run is given is no channel yet.
    let given = values.and_then(|values| values.get("__start__")).filter(|_| words.is_empty());
    let given = channel_words(entries(given).map(|(channel, value)| (channel, Some(value))).filter(shown));
    format!("{step}{words}{given}")
}

/// What the development server keeps in files of its own: the values of channels by their versions, threads and runs.
fn stored(record: &Value<'_>, log: &mut Log<'_>) {
    for stored in record.get("values").and_then(Value::as_array).unwrap_or_default() {
        let text = |key: &str| stored.get(key).and_then(Value::as_str);
        if let (Some(channel), Some(version), Some(value)) = (text("channel"), text("version"), stored.get("value"))
            && !is_hidden(channel, Some(value))
        {
            log.write("channel", channel, &[version], Op::Update, value);
        }
    }
    for slot in ["thread", "runs"] {
        if let Some(value) = record.get(slot) {
            log.write("server", "main", &[slot], Op::Update, value);
        }
    }
}

fn id<'v>(checkpoint: &'v Value<'v>) -> Option<&'v str> {
    checkpoint.get("checkpoint_id").and_then(Value::as_str)
}

fn parent_id<'v>(checkpoint: &'v Value<'v>) -> Option<&'v str> {
    checkpoint.get("parent_checkpoint_id").and_then(Value::as_str)
}

/// The member of a checkpoint's content.
fn content<'v>(checkpoint: &'v Value<'v>, key: &str) -> Option<&'v Value<'v>> {
    checkpoint.get("checkpoint")?.get(key)
}

fn entries<'v>(object: Option<&'v Value<'v>>) -> impl Iterator<Item = (&'v str, &'v Value<'v>)> {
    object.and_then(Value::as_object).into_iter().flat_map(|object| object.entries())
}

/// A checkpoint, the one that it followed from, and the one whose state it changes: the same, where that is there.
struct Checkpoint<'v> {
    it: &'v Value<'v>,
    parent: Option<&'v Value<'v>>,
    before: Option<&'v Value<'v>>,
}

impl<'v> Checkpoint<'v> {
    fn add_step(&self, log: &mut Log<'_>) -> StepNo {
        let nodes = self.nodes();
        let source = self.it.get("metadata").and_then(|m| m.get("source")).and_then(Value::as_str);
        let class = if nodes.is_empty() { source.unwrap_or("checkpoint").to_owned() } else { nodes.join(", ") };
        let values = [self.it];
        let time = content(self.it, "ts");
        let role = if matches!(source, Some("input" | "update")) { StepRole::User } else { StepRole::Unknown };
        log.step(&Draft { role, class: Some(&class), time, ..Draft::of(Kind::State, CHECKPOINT, &values) })
    }

    /// Writes what the checkpoint changes.
    fn write(&self, seen: &mut HashSet<&'v str>, deltas: &mut Deltas<'_>, log: &mut Log<'_>) {
        self.write_channels(deltas, log);
        self.write_deltas(seen, deltas, log);
        for write in writes(self.it) {
            let kind = match idx(write) {
                INTERRUPT => "interrupt",
                RESUME => "resume",
                _ => continue,
            };
            let task = write.get("task_id").and_then(Value::as_str).unwrap_or("main");
            if let Some(value) = write.get("value") {
                log.write(kind, task, &["value"], Op::Update, value);
            }
        }
        let messages = content(self.it, "channel_values").and_then(|values| values.get(MESSAGES));
        add_usage(messages.and_then(Value::as_array).unwrap_or_default(), seen, log);
    }

    /// The nodes whose outputs the checkpoint took in.
    fn nodes(&self) -> Vec<&'v str> {
        let mut nodes: Vec<&str> = Vec::new();
        let mut add = |node: &'v str| {
            if !node.is_empty() && !node.starts_with("__") && !nodes.contains(&node) && nodes.len() < NODES_MAX {
                nodes.push(node);
            }
        };
        let before = self.parent.map(writes).unwrap_or_default();
        if let Some(parent) = self.parent {
            let of = |write: &&'v Value<'v>| outputs::node(write, parent).filter(|node| self.takes(node, write));
            outputs(parent).iter().filter_map(of).for_each(&mut add);
        }
        let recorded_writes = self.it.get("metadata").and_then(|metadata| metadata.get("writes"));
        // A pickled subclass of `dict` has its entries in `state`.
        let recorded_writes = recorded_writes.and_then(|recorded_writes| {
            if recorded_writes.get("$class").is_some() { recorded_writes.get("state") } else { Some(recorded_writes) }
        });
        entries(recorded_writes).for_each(|(node, _)| add(node));
        if nodes.is_empty() {
            let channels = before.iter().filter_map(|write| write.get("channel")?.as_str());
            let branch = |channel: &'v str| channel.strip_prefix("branch:").filter(|rest| !rest.starts_with("to:"));
            channels.filter_map(branch).filter_map(|rest| rest.split(':').next()).for_each(|node| {
                if !nodes.contains(&node) && nodes.len() < NODES_MAX {
                    nodes.push(node);
                }
            });
        }
        nodes
    }

    /// Whether an output that waits after the parent is of this checkpoint. Of an update by the user it is where the
    /// node has seen other versions since; older checkpoints do not say that, and then its channel has a new one.
    fn takes(&self, node: &str, write: &Value<'_>) -> bool {
        let source = self.it.get("metadata").and_then(|m| m.get("source")).and_then(Value::as_str);
        let (Some("update" | "fork"), Some(parent)) = (source, self.parent) else { return true };
        let of = |of, key: &str, name: &str| content(of, key).map(|all| all.get(name).map(|value| value.text));
        let differs = |key: &str, name: &str| Some(of(self.it, key, name)? != of(parent, key, name)?);
        let channel = write.get("channel").and_then(Value::as_str).unwrap_or_default();
        differs("versions_seen", node).or_else(|| differs("channel_versions", channel)).unwrap_or(true)
    }

    /// Writes the channels that are stored with the checkpoint, where they changed: by their versions, else by what
    /// they say.
    fn write_channels(&self, deltas: &mut Deltas<'_>, log: &mut Log<'_>) {
        let version =
            |of: Option<&'v Value<'v>>, channel: &str| Some(content(of?, "channel_versions")?.get(channel)?.text);
        let old = self.before.and_then(|before| content(before, "channel_values"));
        let new = content(self.it, "channel_values");
        for (channel, value) in entries(new).filter(|(channel, value)| !is_hidden(channel, Some(value))) {
            let known = old.and_then(|old| old.get(channel));
            let (was, is) = (version(self.parent, channel), version(Some(self.it), channel));
            let is_same = if was.is_some() && is.is_some() && known.is_some() {
                was == is
            } else {
                known.is_some_and(|known| json::same(known, value))
            };
            if !is_same {
                log.write("state", "main", &[channel], Op::Update, snapshot(value).unwrap_or(value));
            }
            if let Some(stored) = snapshot(value).or_else(|| deltas.has(channel).then_some(value)) {
                deltas.set(channel, stored);
            }
        }
        for (channel, value) in entries(old).filter(|(channel, value)| !is_hidden(channel, Some(value))) {
            let is_gone = new.is_none_or(|new| new.get(channel).is_none());
            // A channel of deltas is stored now and then: what was stored holds until then. One that became such a
            // channel has no new version by that.
            let (was, is) = (version(self.parent, channel), version(Some(self.it), channel));
            let is_of_deltas = snapshot(value).is_some() || self.has_deltas(channel) || (was.is_some() && was == is);
            if is_gone && is.is_none_or(|_| !is_of_deltas) {
                log.remove("state", "main", &[channel]);
            }
        }
    }

    fn has_deltas(&self, channel: &str) -> bool {
        let is_of = |write: &&Value<'_>| write.get("channel").and_then(Value::as_str) == Some(channel);
        self.parent.map(writes).unwrap_or_default().iter().any(|write| is_of(&write))
    }

    /// A channel that is not stored with the checkpoint, and yet has a new version, is stored as deltas: what the nodes
    /// wrote comes to what is there.
    fn write_deltas(&self, seen: &mut HashSet<&'v str>, deltas: &mut Deltas<'_>, log: &mut Log<'_>) {
        let Some(parent) = self.parent else { return };
        let (old, new) = (content(parent, "channel_versions"), content(self.it, "channel_versions"));
        let stored = content(self.it, "channel_values");
        for write in outputs(parent) {
            let Some(channel) = write.get("channel").and_then(Value::as_str) else { continue };
            let is_stored = stored.is_some_and(|stored| stored.get(channel).is_some());
            let version = |of: Option<&'v Value<'v>>| of.and_then(|of| of.get(channel)).map(|version| version.text);
            if is_stored || is_hidden(channel, None) || version(new).is_none() || version(new) == version(old) {
                continue;
            }
            let Some(value) = write.get("value") else { continue };
            let base = content(parent, "channel_values").and_then(|values| values.get(channel));
            if let Some(base) = base.filter(|_| !deltas.has(channel)) {
                deltas.set(channel, snapshot(base).unwrap_or(base));
            }
            let (op, text) = deltas.write(channel, value);
            log.derive("state", "main", &[channel], op, &text);
            if channel == MESSAGES {
                add_usage(value.as_array().unwrap_or(std::slice::from_ref(value)), seen, log);
            }
        }
    }
}

/// What the answers cost that came with a checkpoint.
fn add_usage<'v>(messages: &'v [Value<'v>], seen: &mut HashSet<&'v str>, log: &mut Log<'_>) {
    for message in messages {
        let Some(usage_metadata) = answer_usage(message) else { continue };
        let Some(id) = message.get("id").and_then(Value::as_str) else { continue };
        if seen.insert(id) {
            log.usage(Some(id), &model_usage(usage_metadata));
        }
    }
}

/// The tokens of an answer; older versions have them as the model's interface gave them.
pub(super) fn answer_usage<'v, 'a>(message: &'v Value<'a>) -> Option<&'v Value<'a>> {
    let of_model = || first(message.get("response_metadata")?, &["token_usage", "usage"]);
    first(message, &["usage_metadata"]).or_else(of_model).filter(|usage| usage.as_object().is_some())
}

/// The most nodes of one checkpoint, or snapshot, that are named.
pub(super) const NODES_MAX: usize = 20;

/// Channels by which LangGraph runs itself. One of older versions is called like its node, and holds that name.
pub(super) fn is_hidden(channel: &str, value: Option<&Value<'_>>) -> bool {
    let is_internal = ["start:", "branch:", "join:", "__"].iter().any(|prefix| channel.starts_with(prefix));
    is_internal || value.is_some_and(|value| value.as_str() == Some(channel))
}
