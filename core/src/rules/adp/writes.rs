//! D20: the state that is derived from a trajectory, as writes of slots.

use super::lint::IMAGE_PATH_MAX;
use super::work::Feed;
use crate::json::{self, Data, Key, Member, Object, Value};
use crate::model::cast;
use crate::model::{HEAD, Identity, StepNo, StepRole};
use crate::rules::trajectory::{
    Body, Class, Item, Reading, TrajectoryStep, Way, atif, joined,
    number::{add_reward, float_text, integer},
    text,
};
use crate::rules::work::{SlotSink as _, Work};
use crate::state::{Op, Tree, Write};
use std::borrow::Cow;
use std::collections::HashMap;

/// D20, W13: writes the head and every step of a trajectory, and beside it what a tool-using run knew and did; `base`
/// is the offset in the input of the record's text.
pub fn write_state(reading: &Reading<'_>, base: u64, tree: &mut Tree) -> Work {
    let mut feed = Feed::new(reading);
    let mut writer = Writer { tree, base, at: HEAD };
    write_head(reading, &mut writer);
    let mut totals = Totals::default();
    for (step, entry) in reading.entries.iter().enumerate() {
        writer.at = cast::to_step(step);
        if feed.is_start(step) {
            totals = Totals::default();
            writer.begin_trajectory();
            write_name(reading, step, &mut writer);
        }
        write_conversation(entry, &mut totals, &mut writer);
        write_observed(entry, &mut writer);
        write_tools(entry, &reading.entries, &mut totals, &mut writer);
        write_thoughts(entry, &mut writer);
        write_reward(entry, &mut totals, &mut writer);
        feed.step(step, entry, writer.tree);
    }
    feed.work
}

/// Puts slots into the tree.
struct Writer<'t> {
    tree: &'t mut Tree,
    base: u64,
    at: StepNo,
}

/// D20: kinds that steps write, and what they count in `conversation/main`.
const STEP_KINDS: [&str; 4] = ["agent", "env", "reward", "tool"];
const COUNTS: [&str; 7] = ["steps", "system", "user", "agent", "environment", "turns", "open_calls"];

impl Writer<'_> {
    /// The steps from here on are another trajectory of the record: what those before derived is gone.
    fn begin_trajectory(&mut self) {
        let written = self.tree.identities(self.at).into_iter().map(|view| self.tree.identity(view.id).clone());
        for Identity { kind, instance } in written.collect::<Vec<_>>() {
            let instance = instance.as_deref().unwrap_or_default();
            if STEP_KINDS.contains(&&*kind) {
                self.tree.drop_slot(self.at, &kind, instance, None);
            } else if *kind == *"conversation" {
                COUNTS.iter().for_each(|slot| self.tree.drop_slot(self.at, &kind, instance, Some(slot)));
            }
        }
    }

    /// Writes a value that is in the record.
    fn value(&mut self, kind: &str, instance: &str, slot: &str, value: &Value<'_>) {
        self.write(kind, instance, slot, value, Some(self.base));
    }

    /// Writes a value that is derived, given as JSON text.
    fn derived(&mut self, kind: &str, instance: &str, slot: &str, json_text: &str) {
        if let Ok(value) = json::parse(json_text) {
            self.write(kind, instance, slot, &value, None);
        }
    }

    /// Writes a counter; most writes are counters, so they are not parsed again.
    fn count(&mut self, kind: &str, instance: &str, slot: &str, count: i64) {
        let text = count.to_string();
        self.write(kind, instance, slot, &Value { start: 0, text: &text, data: Data::Number }, None);
    }

    fn digest(&mut self, kind: &str, instance: &str, slot: &str, content: &str) {
        self.derived(kind, instance, slot, &text::digest(content));
    }

    /// The slot's value is one leaf whatever it is, below a root that is an object of slots.
    fn write(&mut self, kind: &str, instance: &str, slot: &str, value: &Value<'_>, base: Option<u64>) {
        let member = Member { key: Cow::Borrowed(slot), key_start: 0, value: value.clone() };
        let slots = Value { start: 0, text: "", data: Data::Object(Object::new(vec![member])) };
        let identity = self.tree.intern(&Identity::of(kind, instance));
        self.tree.write(&Write {
            at: self.at,
            author: self.at,
            identity,
            value: Some(&slots),
            base,
            ops: &[(vec![Key::name(slot)], Op::Opaque)],
        });
    }
}

/// What is counted from step to step.
#[derive(Default)]
struct Totals {
    steps: i64,
    roles: HashMap<StepRole, i64>,
    turns: i64,
    open_calls: i64,
    before: StepRole,
    calls: HashMap<String, i64>,
    answered: HashMap<String, i64>,
    rewards: i64,
    reward_sum: f64,
}

fn one_more(counts: &mut HashMap<String, i64>, name: &str) -> i64 {
    let count = counts.entry(name.to_owned()).or_default();
    *count += 1;
    *count
}

/// `FORMATS.md` 8: members of a row that report its trajectory.
const ROW_FIELDS: [&str; 12] = [
    "instance_id",
    "task_id",
    "trial",
    "model",
    "reward",
    "resolved",
    "label",
    "reward_info",
    "termination_reason",
    "session_data",
    "patch",
    "test_result",
];

/// D20: the head: what holds before step 0.
fn write_head(reading: &Reading<'_>, writer: &mut Writer<'_>) {
    let root = reading.root;
    if let Some((_, id)) = reading.id().filter(|(_, v)| v.as_str().is_some()) {
        writer.value("trajectory", "main", "id", id);
    }
    if let Some(version) = root.get("schema_version").filter(|v| v.as_str().is_some()) {
        writer.value("trajectory", "main", "schema_version", version);
    }
    for (instance, key) in
        [("apis", "available_apis"), ("tools", "available_custom_tools"), ("languages", "available_code_languages")]
    {
        if let Some(names) = root.get(key).filter(|v| v.as_array().is_some()) {
            writer.value("available", instance, "names", names);
        }
    }
    for (key, value) in root.get("details").and_then(Value::as_object).into_iter().flat_map(|d| d.entries()) {
        writer.value("details", "main", key, value);
    }
    if reading.way == Way::Formats {
        let fields = ROW_FIELDS.iter().filter_map(|name| Some((*name, root.get(name).filter(|v| !v.is_null())?)));
        fields.for_each(|(name, value)| writer.value("trajectory", "main", name, value));
    }
    if let Some(prompt) = reading.system_prompt().and_then(joined) {
        writer.digest("conversation", "main", "system_prompt", &prompt);
    }
}

/// `FORMATS.md` 5: a sub-agent's trajectory has an id of its own.
fn write_name(reading: &Reading<'_>, step: usize, writer: &mut Writer<'_>) {
    let track = reading.track_of(step).filter(|track| track.is_sub_agent && track.steps.start == step);
    if let Some(name) = track.and_then(|track| track.label.as_deref()) {
        writer.derived("trajectory", "main", "id", &json::quote(name));
    }
}

/// D20: `conversation/main`.
fn write_conversation(entry: &TrajectoryStep<'_>, totals: &mut Totals, writer: &mut Writer<'_>) {
    totals.steps += 1;
    writer.count("conversation", "main", "steps", totals.steps);
    if entry.role != StepRole::Unknown {
        let count = totals.roles.entry(entry.role).or_default();
        *count += 1;
        writer.count("conversation", "main", entry.role.name(), *count);
    }
    if entry.role == StepRole::Agent && totals.before != StepRole::Agent {
        totals.turns += 1;
        writer.count("conversation", "main", "turns", totals.turns);
    }
    totals.before = entry.role;
    if !entry.calls.is_empty() || entry.has_answered() {
        totals.open_calls += cast::to_i64(entry.calls.len()) - cast::to_i64(entry.answered().count());
        writer.count("conversation", "main", "open_calls", totals.open_calls);
    }
}

/// D20: `tool/<name>`.
fn write_tools(
    entry: &TrajectoryStep<'_>,
    entries: &[TrajectoryStep<'_>],
    totals: &mut Totals,
    writer: &mut Writer<'_>,
) {
    for call in &entry.calls {
        writer.count("tool", &call.tool, "calls", one_more(&mut totals.calls, &call.tool));
        if let Some(arguments) = call.arguments {
            writer.value("tool", &call.tool, "last", arguments);
        }
        if let Some(code) = call.code {
            writer.digest("tool", &call.tool, "last", code);
        }
    }
    for (step, place) in entry.answered() {
        let tool = &entries[step].calls[place].tool;
        writer.count("tool", tool, "answered", one_more(&mut totals.answered, tool));
    }
}

/// D20: `agent/main`.
fn write_thoughts(entry: &TrajectoryStep<'_>, writer: &mut Writer<'_>) {
    if let Some(reasoning) = atif::reasoning(entry) {
        writer.digest("agent", "main", "reasoning", reasoning);
    }
    let Some((item, _)) = entry.known_item().filter(|(_, class)| class.is_action()) else { return };
    for (slot, field) in [("thought", "description"), ("reasoning", "reasoning_content")] {
        if let Some(text) = item.text(field) {
            writer.digest("agent", "main", slot, text);
        }
    }
}

/// D20: `reward/total`.
fn write_reward(entry: &TrajectoryStep<'_>, totals: &mut Totals, writer: &mut Writer<'_>) {
    let Some(reward) = &entry.reward else { return };
    totals.rewards += 1;
    totals.reward_sum = add_reward(totals.reward_sum, reward.value);
    writer.derived("reward", "total", "sum", &float_text(totals.reward_sum));
    writer.count("reward", "total", "count", totals.rewards);
    writer.derived("reward", "total", "last", &reward.text);
}

/// D20: `env/…`: what the agent can see now.
fn write_observed(entry: &TrajectoryStep<'_>, writer: &mut Writer<'_>) {
    let is_seen = entry.role == StepRole::Environment || entry.has_answered();
    match &entry.body {
        Body::Item(item) => match item.class {
            Some(Class::WebObservation) => write_page(item, writer),
            Some(Class::ImageObservation) => write_screen(item, writer),
            Some(Class::TextObservation) if is_seen => write_text(item, writer),
            Some(Class::JsonObservation) => {
                if let Some(field) = item.field("content").filter(|f| f.value.as_object().is_some()) {
                    writer.value("env", "json", "content", field.value);
                }
            }
            _ => {}
        },
        Body::Message(message) => {
            if let Some(words) = message.text.as_deref().filter(|_| is_seen) {
                writer.digest("env", "text", "content", words);
            }
        }
        Body::Turn => {
            for content in atif::results(entry.value).filter_map(|r| r.get("content")).filter_map(text::joined) {
                writer.digest("env", "text", "content", &content);
            }
        }
        Body::Record => {}
    }
}

/// D20: `env/text`, both slots.
fn write_text(item: &Item<'_>, writer: &mut Writer<'_>) {
    let Some(content) = item.text("content") else { return };
    writer.digest("env", "text", "content", content);
    write_string(item.field("name").map(|f| f.value), "text", "name", writer);
}

/// D20: `env/web`, all five slots, so that the page is one observation and never a mix of two.
fn write_page(item: &Item<'_>, writer: &mut Writer<'_>) {
    write_string(item.field("url").map(|f| f.value), "web", "url", writer);
    for name in ["axtree", "html"] {
        match item.text(name) {
            Some(text) => writer.digest("env", "web", name, text),
            None => writer.derived("env", "web", name, "null"),
        }
    }
    let image = item.field("image_observation").and_then(|f| f.value.get("content"));
    write_image(image, "web", writer);
    let sides = item.field("viewport_size").and_then(|f| f.value.as_array()).filter(|sides| sides.len() == 2);
    let sides = sides.and_then(|sides| Some((integer(&sides[0])?, integer(&sides[1])?)));
    let viewport = sides.map_or_else(|| "null".to_owned(), |(x, y)| format!("[{},{}]", x.text, y.text));
    writer.derived("env", "web", "viewport", &viewport);
}

/// D20: `env/screen`, both slots.
fn write_screen(item: &Item<'_>, writer: &mut Writer<'_>) {
    write_image(item.field("content").map(|f| f.value), "screen", writer);
    let marks = item.field("annotations").and_then(|f| f.value.as_array()).map_or(0, <[_]>::len);
    writer.count("env", "screen", "annotations", cast::to_i64(marks));
}

/// D20: an image's address, or the digest of an image that is there itself.
fn write_image(content: Option<&Value<'_>>, instance: &str, writer: &mut Writer<'_>) {
    match content.and_then(Value::as_str) {
        Some(bytes) if bytes.chars().nth(IMAGE_PATH_MAX).is_some() => writer.digest("env", instance, "image", bytes),
        _ => write_string(content, instance, "image", writer),
    }
}

/// D20: a string, or null.
fn write_string(value: Option<&Value<'_>>, instance: &str, slot: &str, writer: &mut Writer<'_>) {
    match value.filter(|v| v.as_str().is_some()) {
        Some(value) => writer.value("env", instance, slot, value),
        None => writer.derived("env", instance, slot, "null"),
    }
}

#[cfg(test)]
mod tests;
