//! The events of a stream.

use super::open::{self, CALL_ID, CALL_NAME, Channel, MESSAGE_ID, Open};
use super::patched::Patched;
use crate::format::log::{
    Adapter, Draft, Form, Kind, Log, Node, first, first_text, form, items, model_usage, text, text_of,
};
use crate::format::signature::AG_UI_EVENTS;
use crate::json::Value;
use crate::model::{HEAD, Severity, StepNo, StepRole, Surroundings, Turn, TurnPart};
use crate::state::Op;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Reads the events of one or several threads.
#[derive(Default)]
pub(super) struct Events {
    open: Open,
    /// Threads in the order in which their first runs started, and which of them runs.
    threads: Vec<Box<str>>,
    places: HashMap<Box<str>, usize>,
    thread: usize,
    /// The last step of each.
    lasts: HashMap<usize, StepNo>,
    /// Kinds of activities.
    kinds: BTreeSet<String>,
    /// Messages of inputs that are known, by their ids and texts.
    given: HashSet<Box<str>>,
    /// The state of each thread by its instance, and activities by kind and message.
    states: HashMap<Box<str>, Patched>,
    activities: HashMap<(Box<str>, Box<str>), Patched>,
}

impl Adapter for Events {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        if let Some(events) = record.as_array() {
            return self.all(events, log);
        }
        let is_named = |value: &Value<'_>| value.as_array().is_some();
        match record.as_object().filter(|object| !object.is_empty() && record.get("type").is_none()) {
            Some(object) if object.entries().any(|(_, value)| is_named(value)) => {
                for (name, events) in object.entries() {
                    let Some(events) = events.as_array() else { continue };
                    self.begin_thread(name, log);
                    self.all(events, log);
                    self.open.close_all(log);
                }
            }
            _ => self.event(record, true, log),
        }
    }

    fn takes_lists(&self) -> bool {
        true
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        open::show(form, values)
    }

    fn prompt(values: &[&Value<'_>]) -> Option<Turn<'static>> {
        let texts = values.iter().skip(1).filter_map(|message| message.get("content")).map(text_of);
        let texts: Vec<TurnPart<'static>> = texts.map(|text| TurnPart::Text(Cow::Owned(text.into_owned()))).collect();
        (!texts.is_empty()).then(|| Turn::of(StepRole::User, texts))
    }

    fn restart(&mut self) {
        *self = Self::default();
    }
}

/// What an event is a piece of, by its type.
fn channel(class: &str) -> Option<(Channel, &str)> {
    const CHANNELS: [(&str, Channel); 5] = [
        ("TEXT_MESSAGE_", Channel::Text),
        ("TOOL_CALL_", Channel::Call),
        ("REASONING_MESSAGE_", Channel::Thought),
        ("THINKING_TEXT_MESSAGE_", Channel::Thought),
        ("THINKING_", Channel::Thought),
    ];
    const PIECES: [&str; 5] = ["START", "CONTENT", "ARGS", "CHUNK", "END"];
    let (rest, channel) = CHANNELS.iter().find_map(|(start, channel)| Some((class.strip_prefix(start)?, *channel)))?;
    PIECES.contains(&rest).then_some((channel, rest))
}

/// Kinds of state beside those of activities.
const KINDS: [&str; 3] = ["state", "messages", "input"];

/// Members that events of these types must have, in both spellings.
const MEMBERS: [(&str, &[[&str; 2]]); 12] = [
    ("STATE_SNAPSHOT", &[["snapshot", "snapshot"]]),
    ("STATE_DELTA", &[["delta", "delta"]]),
    ("MESSAGES_SNAPSHOT", &[["messages", "messages"]]),
    ("ACTIVITY_SNAPSHOT", &[["content", "content"]]),
    ("ACTIVITY_DELTA", &[["patch", "patch"]]),
    ("TEXT_MESSAGE_START", &[MESSAGE_ID]),
    ("TEXT_MESSAGE_CONTENT", &[MESSAGE_ID, ["delta", "delta"]]),
    ("TEXT_MESSAGE_END", &[MESSAGE_ID]),
    ("TOOL_CALL_START", &[CALL_ID, CALL_NAME]),
    ("TOOL_CALL_ARGS", &[CALL_ID, ["delta", "delta"]]),
    ("TOOL_CALL_END", &[CALL_ID]),
    ("TOOL_CALL_RESULT", &[CALL_ID]),
];

/// The first member that an event lacks.
fn missing(class: &str, event: &Value<'_>) -> Option<&'static str> {
    let (_, members) = MEMBERS.iter().find(|(of, _)| *of == class)?;
    members.iter().find(|names| names.iter().all(|name| event.get(name).is_none())).map(|[name, _]| *name)
}

/// What a run cost, by model.
fn account(event: &Value<'_>, log: &mut Log<'_>) {
    for usage in items(event, "usage") {
        let model = text(usage, "model").map(Cow::Borrowed);
        log.surroundings(&Surroundings { model, ..Surroundings::default() });
        log.usage(None, &model_usage(usage));
    }
}

impl Events {
    fn all(&mut self, events: &[Value<'_>], log: &mut Log<'_>) {
        for event in events {
            self.event(event, false, log);
        }
    }

    fn event(&mut self, event: &Value<'_>, has_threads: bool, log: &mut Log<'_>) {
        let class = text(event, "type").unwrap_or("event");
        if first_text(event, &["subagentRunId", "subagent_run_id"]).is_some() {
            log.thread(&Node { is_side: true, ..Node::default() });
        }
        // Brackets around the messages of one stretch of reasoning.
        if matches!(class, "REASONING_START" | "REASONING_END" | "THINKING_START") {
            return;
        }
        let piece = channel(class);
        self.open.end_chunks(piece.map(|(channel, _)| channel), event, log);
        match piece {
            Some((channel, "START")) => self.open.start(channel, event, class, log),
            Some((channel, "END")) => self.open.end(channel, event, log),
            Some((channel, _)) => self.open.piece(channel, event, class, log),
            None if class == "TOOL_CALL_RESULT" => self.result(event, log),
            None => self.other(event, class, has_threads, log),
        }
        if let Some(name) = missing(class, event) {
            let what = format!("`{class}` without `{name}`: it changes nothing");
            log.finding(Some((log.next_step() - 1).max(0)), "run.incomplete-record", Severity::Warning, what);
        }
    }

    fn result(&mut self, event: &Value<'_>, log: &mut Log<'_>) {
        self.open.close_call(first_text(event, &CALL_ID).unwrap_or_default(), log);
        let (values, time) = ([event], event.get("timestamp"));
        let draft = Draft::of(Kind::Result, open::RESULT, &values);
        log.step(&Draft { role: StepRole::Environment, class: Some("TOOL_CALL_RESULT"), time, ..draft });
    }

    /// An event that is a step of its own, and what it writes.
    fn other(&mut self, event: &Value<'_>, class: &str, has_threads: bool, log: &mut Log<'_>) {
        let thread = first_text(event, &["threadId", "thread_id"]);
        match class {
            "RUN_STARTED" if has_threads => self.begin_thread(thread.unwrap_or_default(), log),
            "RUN_FINISHED" | "RUN_ERROR" => self.open.close_all(log),
            _ => {}
        }
        let asked = if class == "RUN_STARTED" { self.asked(event) } else { Vec::new() };
        let has_asked = !asked.is_empty();
        let values: Vec<&Value<'_>> = std::iter::once(event).chain(asked).collect();
        let time = event.get("timestamp");
        let draft = Draft::of(Kind::State, form::STATE, &values);
        let is_failed = matches!(class, "RUN_ERROR" | "SUBAGENT_ERROR");
        let step = log.step(&Draft { role: StepRole::System, class: Some(class), time, is_failed, ..draft });
        if has_asked {
            log.prompt();
        }
        match class {
            "RUN_STARTED" => self.input(event, log),
            "RUN_FINISHED" | "RUN_ERROR" => account(event, log),
            "STATE_SNAPSHOT" | "STATE_DELTA" => self.state(event, log),
            "MESSAGES_SNAPSHOT" => {
                if let Some(messages) = event.get("messages") {
                    log.write("messages", &self.instance(), &[], Op::Update, messages);
                }
            }
            "ACTIVITY_SNAPSHOT" | "ACTIVITY_DELTA" => self.activity(event, log),
            known if AG_UI_EVENTS.contains(&known) => {}
            unknown => {
                let what = format!("`{unknown}` is no type of an event that AG-UI knows");
                log.finding(Some(step), "run.unknown-record", Severity::Info, what);
            }
        }
    }

    /// The events from here on are of this thread.
    fn begin_thread(&mut self, id: &str, log: &mut Log<'_>) {
        let before = self.thread;
        self.thread = match self.places.get(id).copied() {
            Some(place) => place,
            None => {
                self.places.insert(id.into(), self.threads.len());
                self.threads.push(id.into());
                self.threads.len() - 1
            }
        };
        log.trajectory(self.thread);
        if self.threads.len() == 1 && !id.is_empty() {
            log.title(id);
        }
        if self.thread != before {
            self.lasts.insert(before, log.next_step() - 1);
            // Its state is as it was when it ran last.
            let kinds = KINDS.map(str::to_owned).into_iter().chain(self.kinds.iter().cloned()).collect();
            log.begin_trajectory(id);
            log.go_back_ahead(kinds, self.lasts.get(&self.thread).copied().unwrap_or(HEAD));
        }
    }

    /// The instance of the state: the first thread's is the main one.
    fn instance(&self) -> Box<str> {
        match self.threads.get(self.thread) {
            Some(id) if self.thread > 0 => id.clone(),
            _ => "main".into(),
        }
    }

    /// The user's messages in the input of a run that no run before had: what the user says is in no other event.
    fn asked<'e, 'a>(&mut self, event: &'e Value<'a>) -> Vec<&'e Value<'a>> {
        let messages = event.get("input").map(|input| items(input, "messages")).unwrap_or_default();
        let is_users = |message: &&Value<'_>| text(message, "role") == Some("user");
        messages.iter().filter(is_users).filter(|message| self.given.insert(message.text.into())).collect()
    }

    fn input(&mut self, event: &Value<'_>, log: &mut Log<'_>) {
        let instance = self.instance();
        let Some(input) = event.get("input").and_then(Value::as_object) else { return };
        for (name, value) in input.entries().filter(|(name, _)| *name != "messages") {
            log.write("input", &instance, &[name], Op::Update, value);
        }
        log.declare_tools(input.get("tools"));
        // Patches may come before any snapshot: they are of what the client sent.
        if let Some(given) = input.get("state").filter(|given| given.as_object().is_some_and(|state| !state.is_empty()))
        {
            let new = || Patched::new("state", &instance);
            self.states.entry(instance.clone()).or_insert_with(new).set(given, log);
        }
    }

    fn state(&mut self, event: &Value<'_>, log: &mut Log<'_>) {
        let instance = self.instance();
        let state = self.states.entry(instance).or_insert_with_key(|instance| Patched::new("state", instance));
        match (event.get("snapshot"), event.get("delta")) {
            (Some(snapshot), _) => state.set(snapshot, log),
            (None, Some(delta)) => state.patch(delta, log),
            (None, None) => {}
        }
    }

    fn activity(&mut self, event: &Value<'_>, log: &mut Log<'_>) {
        let kind = first_text(event, &["activityType", "activity_type"]).unwrap_or("activity");
        self.kinds.insert(kind.to_owned());
        let id = first_text(event, &MESSAGE_ID).unwrap_or("main");
        let key = (kind.into(), id.into());
        let is_new = !self.activities.contains_key(&key);
        let activity = self.activities.entry(key).or_insert_with(|| Patched::new(kind, id));
        let replaces = event.get("replace").and_then(Value::as_bool) != Some(false);
        match (first(event, &["content"]), event.get("patch")) {
            (Some(content), _) if is_new || replaces => activity.set(content, log),
            (None, Some(patch)) => activity.patch(patch, log),
            _ => {}
        }
    }
}
