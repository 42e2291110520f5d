//! A record as a conversation: the one reading that exports, `loss` and its tab share.

use super::beside::{beside_messages, beside_steps, system_words, tool_member, tool_schemas};
use super::json_writer::Object;
use super::message_text::{ChatMessage, Left, MASK, Member, SAMPLED, count, is_nothing, lose_all, rest};
use super::{from_adp, from_atif, message};
use crate::json::{self, Value};
use crate::model::StepRole;
use crate::review::task_note::{Places, task_member};
use crate::rules::trajectory::{Body, Reading, RecordShape, Track, TrajectoryStep, Way, blocks, task};

/// Items behind a call among which the results of the calls of one answer are looked for.
const PARALLEL_MAX: usize = 128;

/// Members of ADP and of ATIF that hold the notes of a trajectory.
const NOTES: [&str; 2] = ["details", "extra"];

/// A conversation.
#[derive(Debug)]
pub(in crate::review) struct Dialogue {
    /// The pointer to the record's messages or steps.
    pub(in crate::review) body: String,
    /// Whether the record is a conversation, and not turned into one.
    pub(super) is_chat: bool,
    /// Its id, as JSON.
    pub(super) id: Option<String>,
    pub(in crate::review) turns: Vec<ChatMessage>,
    /// The schemas of its tools, as JSON: a list, or a string that holds one.
    pub(in crate::review) tools: Option<String>,
    /// What else the record has.
    pub(in crate::review) others: Vec<Member>,
    /// What of it no conversation carries.
    pub(super) left: Left,
}

/// What the node of a trace says of its message: whether it is the model's (`FORMATS.md` 13).
fn is_sampled(record: &Value<'_>, path: &str) -> Option<bool> {
    let is_of_trace = |path: &&str| ["/traces/", "/nodes/"].iter().any(|list| path.starts_with(list));
    let node = path.strip_suffix("/message").filter(is_of_trace)?;
    let node = json::nearest(record, node);
    [SAMPLED, MASK].iter().find_map(|name| node.get(name)?.as_bool())
}

/// Whether a member is among these.
fn is_in(name: &str, members: &[Member]) -> bool {
    members.iter().any(|(other, _)| other == name)
}

/// Whether the call of the item before a step is answered behind that step: before the agent says anything else.
fn answered_behind(entries: &[TrajectoryStep<'_>], step: usize) -> bool {
    let behind = entries.get(step + 1..).unwrap_or_default().iter().take(PARALLEL_MAX);
    let of_agent = |entry: &&TrajectoryStep<'_>| entry.role == StepRole::Agent;
    let mut observed = behind.skip_while(of_agent).take_while(|entry| !of_agent(entry));
    observed.any(|entry| entry.answered().any(|(asked, _)| asked + 1 == step))
}

impl Dialogue {
    /// The conversation of a record, read in that way; None for a record that has no conversation, or a pair.
    pub(in crate::review) fn of(record: &Value<'_>, way: Way) -> Option<Self> {
        let reading = way.read(record);
        let mut out = Self::of_track(record, &reading, reading.main()?)?;
        // The traces of an episode: other agents, and what was tried before.
        for track in reading.tracks.iter().filter(|track| out.is_chat && !track.is_answer()) {
            let what = if track.is_left { "attempts left for others" } else { "conversations of other agents" };
            count(&mut out.left, what);
        }
        Some(out)
    }

    /// The conversations of a record, each with its name: one that has none, but for pairs and several answers.
    pub(in crate::review) fn all(record: &Value<'_>, way: Way) -> Vec<(Option<String>, Self)> {
        let reading = way.read(record);
        let named = |track: &Track| Some((track.label.clone(), Self::of_track(record, &reading, track)?));
        match reading.main() {
            Some(main) => Self::of_track(record, &reading, main).map(|only| (None, only)).into_iter().collect(),
            None => reading.answers().filter_map(named).collect(),
        }
    }

    fn of_track(record: &Value<'_>, reading: &Reading<'_>, track: &Track) -> Option<Self> {
        let id = reading.id();
        let members = record.as_object().into_iter().flat_map(json::Object::entries).map(|(name, _)| name);
        let mut used: Vec<&str> = members.filter(|name| track.is_in(name)).chain(id.map(|(key, _)| key)).collect();
        let mut out = Self {
            body: track.list(),
            is_chat: reading.shape == RecordShape::Chat,
            id: id.map(|(_, value)| json::compact(value)),
            turns: Vec::new(),
            tools: None,
            others: Vec::new(),
            left: Left::new(),
        };
        if out.is_chat {
            out.head(record, &mut used);
            out.others.extend(beside_steps(record, std::slice::from_ref(track)));
            let of_group = beside_messages(record, track, track.label.is_none(), &mut out.left);
            let (tools, others): (Vec<_>, Vec<_>) = of_group.into_iter().partition(|(name, _)| name == "tools");
            out.tools = out.tools.take().or_else(|| tools.into_iter().next().map(|(_, json)| json));
            out.others.extend(others);
        } else {
            out.foreign_head(record, used);
        }
        // Whether the step before was an item of the Responses interface.
        let mut was_item = false;
        for step in track.steps.clone() {
            let Some(entry) = reading.entries.get(step) else { continue };
            let before = out.turns.len();
            match &entry.body {
                Body::Item(item) => {
                    out.turns.push(from_adp::item_message(&reading.entries, step, item, &mut out.left));
                    if out.is_parallel(before, answered_behind(&reading.entries, step)) {
                        out.absorb(before);
                    }
                    if out.shows(before) {
                        out.join(before);
                    }
                }
                Body::Message(message) => {
                    let (turns, tools) = message::chat_messages(entry.value, message, step, &mut out.left);
                    out.turns.extend(turns);
                    out.take_tools(tools);
                    let is_item = blocks::item(entry.value).is_some();
                    if out.goes_on(before, is_item || was_item) {
                        out.absorb(before);
                    }
                    was_item = is_item;
                }
                Body::Turn => out.turns.extend(from_atif::turn_messages(entry.value, entry.role, step, &mut out.left)),
                Body::Record => {}
            }
            let before = before.min(out.turns.len());
            let path = track.path(step);
            let sampled = is_sampled(record, &path).map(|is| (SAMPLED.to_owned(), is.to_string()));
            for added in &mut out.turns[before..] {
                added.path.clone_from(&path);
                added.others.extend(sampled.clone());
            }
            if track.goes_on == Some(step) {
                out.join(before);
            }
        }
        Some(out)
    }

    /// Whether a turn of the agent goes on with the one before: thoughts, words and calls of one answer are items of
    /// their own, the calls last.
    fn goes_on(&self, turn: usize, are_items: bool) -> bool {
        let Some([last, next]) = turn.checked_sub(1).and_then(|last| self.turns.get(last..=turn)) else { return false };
        let are_agents = [last, next].iter().all(|turn| turn.role == StepRole::Agent);
        are_items && are_agents && self.turns.len() == turn + 1 && (last.calls.is_empty() || !next.calls.is_empty())
    }

    /// Whether a call is one of the same answer as the call before it: nothing is said with it, or what comes back of
    /// the call before comes after it (`is_open`), which no conversation has between two messages of the agent.
    fn is_parallel(&self, turn: usize, is_open: bool) -> bool {
        let Some([last, next]) = turn.checked_sub(1).and_then(|last| self.turns.get(last..=turn)) else { return false };
        let are_calls = [last, next].iter().all(|turn| turn.role == StepRole::Agent && !turn.calls.is_empty());
        let is_bare = next.content.is_empty() && next.reasoning.is_none();
        are_calls && (is_bare || is_open) && !next.others.iter().any(|(name, _)| is_in(name, &last.others))
    }

    /// Whether a turn is a picture alone that goes with the words before it: the protocol has an item for each.
    fn shows(&self, turn: usize) -> bool {
        let Some([last, next]) = turn.checked_sub(1).and_then(|last| self.turns.get(last..=turn)) else { return false };
        let is_seen = last.role == next.role && matches!(next.role, StepRole::User | StepRole::Environment);
        let is_bare = next.others.is_empty() && (next.answers.is_none() || next.answers == last.answers);
        is_seen && is_bare && next.content.is_picture()
    }

    /// Makes a turn of the agent a part of the one before.
    fn absorb(&mut self, turn: usize) {
        let next = self.turns.remove(turn);
        let last = &mut self.turns[turn - 1];
        if let Some(thought) = &next.reasoning {
            last.reason(thought);
        }
        last.is_null &= next.is_null;
        if last.content.is_empty() || !next.content.is_empty() {
            last.content.push(next.content);
        }
        last.calls.extend(next.calls);
        last.others.extend(next.others);
    }

    /// Makes a turn the end of the one before.
    fn join(&mut self, turn: usize) {
        if turn > 0 && turn < self.turns.len() {
            let more = self.turns.remove(turn);
            self.turns[turn - 1].content.push(more.content);
        }
    }

    /// What a conversation says beside its messages.
    fn head(&mut self, record: &Value<'_>, used: &mut Vec<&str>) {
        if let Some((name, prompt)) = system_words(record) {
            self.turns.push(ChatMessage::text(None, StepRole::System, &prompt));
            used.push(name);
        }
        if let Some((name, tools)) = tool_member(record) {
            self.tools = Some(tool_schemas(tools));
            used.push(name);
        }
        self.others = rest(record, used);
    }

    /// What another trajectory says beside its steps: a conversation has the schemas of tools, and the notes, which say
    /// the task and the reward of it.
    fn foreign_head(&mut self, record: &Value<'_>, mut used: Vec<&str>) {
        used.push("schema_version");
        let agent = record.get("agent").filter(|agent| agent.as_object().is_some());
        if let Some(agent) = agent {
            self.tools = agent.get("tool_definitions").filter(|tools| !tools.is_null()).map(json::compact);
            used.push("agent");
            lose_all(&mut self.left, "agent", &rest(agent, &["tool_definitions"]));
        }
        for name in NOTES {
            let Some(notes) = record.get(name).filter(|notes| notes.as_object().is_some()) else { continue };
            let tools = notes.get("tools").filter(|tools| self.tools.is_none() && tools.as_array().is_some());
            self.tools = self.tools.take().or_else(|| tools.map(json::compact));
            let mut object = Object::default();
            let members = rest(notes, if tools.is_some() { &["tools"] } else { &[] });
            object.put_rest("record", &members, &mut self.left);
            self.others.push((name.to_owned(), object.end()));
            used.push(name);
        }
        self.others.retain(|(_, json)| !is_nothing(json));
        lose_all(&mut self.left, "record", &rest(record, &used));
    }

    /// Keeps the record an attempt at its task, where that is nothing that is written of it.
    pub(super) fn keep_task(&mut self, record: &Value<'_>) {
        let wanted = task(record, None);
        let places = Places { id: "id", notes: None };
        let member = wanted.and_then(|wanted| task_member(&wanted, places, self.id.as_deref(), &self.others));
        self.others.extend(member);
    }

    fn take_tools(&mut self, tools: Option<String>) {
        match (&self.tools, tools) {
            (None, tools) => self.tools = tools,
            (Some(known), Some(tools)) if *known != tools => super::message_text::lose(&mut self.left, "part", "tools"),
            _ => {}
        }
    }
}
