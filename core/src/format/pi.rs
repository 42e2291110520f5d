//! Sessions of Pi and OpenClaw, and session traces (STS): a header line, then entries (`FORMATS.md` 11b).

mod database;
mod script;
mod stream;
#[cfg(test)]
mod tests;

use super::log::{Adapter, Blocks, Copies, Draft, Kind, Log, LogRun, Node, Row, first, form, role_of, text_of};
use super::{Framing, Match};
use crate::json::Value;
use crate::model::cast;
use crate::model::{PartRole, StepNo, StepRole, Surroundings, ToolCall, ToolResult, Turn, TurnPart, Usage};
use crate::rules::work::Dialect;
use crate::state::Op;
pub(super) use database::Database;
use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use twox_hash::XxHash3_128;

/// Sessions of Pi and of agents built on it.
pub(super) static PI: Row = Row {
    name: "pi",
    agent: Some("pi"),
    title: "Pi session",
    about: "Sessions of Pi, Oh My Pi, OpenClaw and agents built on them: JSON Lines, first a line of type `session` \
            with `id` and `timestamp`, then entries; or the database of an agent of OpenClaw (table \
            `transcript_events`), in which each session is a trajectory. State: model, thinking level, name, labels, \
            compactions, custom data of extensions.",
    framing: Framing::Elements,
    run: || Box::new(LogRun::new(Entries::default())),
    detect: Some(detect_pi),
    has_trajectories: true,
    samples: &[SESSION],
};

/// Session traces as data sets publish them.
pub(super) static STS: Row = Row {
    name: "sts",
    title: "Session trace",
    about: "Session traces (STS): JSON Lines, first a line of type `session` with `harness` and without `cwd`, then \
            messages in the spelling of Pi or of OpenAI.",
    framing: Framing::Elements,
    run: || Box::new(LogRun::new(Entries::default())),
    detect: Some(detect_trace),
    has_trajectories: true,
    samples: &[TRACE],
    ..Row::BASE
};

/// A session of Pi.
const SESSION: &str = concat!(
    r#"{"type":"session","version":3,"id":"s1","timestamp":"2026-05-01T10:00:00Z","cwd":"/w"}"#,
    "\n",
    r#"{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"list it"}}"#,
    "\n",
    r#"{"type":"message","id":"b","parentId":"a","message":{"role":"assistant","content":["#,
    r#"{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"ls"}}]}}"#,
    "\n",
    r#"{"type":"message","id":"c","parentId":"b","message":{"role":"toolResult","toolCallId":"c1","#,
    r#""toolName":"bash","content":[{"type":"text","text":"a.txt"}],"isError":false}}"#,
);

/// A session trace.
const TRACE: &str = concat!(
    r#"{"type":"session","harness":"mine","id":"t1","name":"the time"}"#,
    "\n",
    r#"{"type":"message","message":{"role":"user","content":"what time is it?"}}"#,
);

/// The first record that is no title is a header with a time.
fn detect_pi(first: &[Value<'_>]) -> Option<Match> {
    let header = first.iter().find(|record| !is_title(record)).filter(|record| is_header(record))?;
    let is_pi = header.get("timestamp").is_some();
    is_pi.then(|| Match { reason: "the first record is the header of a Pi session".to_owned() })
}

/// The first record is a header with `harness` and without `cwd`.
fn detect_trace(first: &[Value<'_>]) -> Option<Match> {
    let header = first.first().filter(|record| is_header(record))?;
    let is_trace = header.get("harness").is_some() && header.get("cwd").is_none();
    is_trace.then(|| Match { reason: "the first record is the header of a session trace".to_owned() })
}

fn is_header(record: &Value<'_>) -> bool {
    text(record, "type") == Some("session") && record.get("id").is_some()
}

/// Whether a record names the session; in sessions of Oh My Pi one comes before the header.
fn is_title(record: &Value<'_>) -> bool {
    text(record, "type") == Some("title") && text(record, "title").is_some()
}

fn text<'v>(value: &'v Value<'v>, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

/// Most compactions that are looked for among what a later one keeps.
const COMPACTIONS_MAX: usize = 16;

/// A shell command of the user: call and result in one message.
const COMMAND: super::log::Form = super::log::FIRST_ADAPTER_FORM;
const OUTPUT: super::log::Form = super::log::FIRST_ADAPTER_FORM + 1;

/// Ids by 64 bits.
fn hash(id: &str) -> u64 {
    cast::low_u64(XxHash3_128::oneshot(id.as_bytes()))
}

/// Reads the entries of a session.
#[derive(Default)]
struct Entries {
    copies: Copies,
    /// The steps of entries, by their ids.
    steps: HashMap<u64, Range<StepNo>>,
    /// The steps of the last compactions, the last first.
    compactions: VecDeque<StepNo>,
    /// Whether the session is named by an entry, and whether there was another entry than names.
    is_named: bool,
    has_entries: bool,
    /// The name of the header in the tree, which entries without a parent follow.
    root: Option<String>,
    /// When a fork was made: what was copied from the other session is older.
    forked: Option<Box<str>>,
    /// The session that is read, and how many were before it.
    session: Option<u64>,
    earlier_sessions: usize,
}

impl Adapter for Entries {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let class = text(record, "type");
        if text(record, "id").is_some_and(|id| self.copies.has(id, record.text)) {
            return;
        }
        if text(record, "id").is_none() && class.is_some_and(stream::is_event) {
            self.has_entries = true;
            return stream::read(record, log);
        }
        let session = text(record, "id").map(hash).filter(|_| class == Some("session"));
        if class == Some("session") && (!self.has_entries || session.is_some_and(|id| self.session != Some(id))) {
            return self.begin(record, session, log);
        }
        self.is_named |= is_title(record);
        self.has_entries |= !is_title(record);
        let first = log.next_step();
        let message = record.get("message").filter(|_| class == Some("message"));
        if let Some(id) = text(record, "id") {
            // A session goes on from its last entry, whatever that is.
            let parent = record.get("parentId");
            // Where the first message was edited, another one follows the header: what followed before is left.
            let root = self.root.as_deref().filter(|_| parent.is_some_and(Value::is_null));
            let parent = parent.and_then(Value::as_str).or(root);
            log.thread(&Node { id: Some(id), parent, is_turn: true, ..Node::default() });
        }
        match message.map(|message| (message, text(message, "role").unwrap_or_default())) {
            Some((message, "bashExecution")) => command(record, message, log),
            Some((message, role @ ("user" | "assistant" | "toolResult" | "system" | "tool"))) => {
                add_message(record, message, self.is_copy(record), log);
                // System prompts stay when a session is compacted.
                if role == "system" && log.next_step() > first {
                    log.fix();
                }
            }
            _ => {
                entry(record, class.unwrap_or("entry"), self.is_copy(record), log);
                self.change_window(record, class.unwrap_or_default(), first, log);
            }
        }
        if let Some(id) = text(record, "id").filter(|_| log.next_step() > first) {
            self.steps.insert(hash(id), first..log.next_step());
        }
    }

    /// The model gets a custom message, and a command of the user with what it printed, as one of the user.
    fn prompt(values: &[&Value<'_>]) -> Option<Turn<'static>> {
        let value = values.first()?;
        if let Some(replacement) = value.get("replacement").filter(|replacement| !replacement.is_null()) {
            let words = replacement_text(replacement).into_owned();
            let role = text(replacement, "role").map_or(StepRole::User, role_of);
            return (!words.is_empty()).then(|| Turn::of(role, vec![TurnPart::Text(words.into())]));
        }
        let text = match text(value, "command") {
            Some(command) => script::report(command, value),
            None => value.get("content").map(text_of)?.into_owned(),
        };
        (!text.is_empty()).then(|| Turn::of(StepRole::User, vec![TurnPart::Text(Cow::Owned(text))]))
    }

    fn dialect(&self) -> Dialect {
        Dialect::Pi
    }

    fn restart(&mut self) {
        *self = Self::default();
    }

    fn show<'v>(form: super::log::Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        match (form, values.first()) {
            (COMMAND, Some(message)) => {
                let arguments = message.get("command").map_or(Cow::Borrowed("\"\""), |v| Cow::Borrowed(v.text));
                let call = ToolCall { id: None, name: "bash".into(), arguments };
                Turn::of(StepRole::User, vec![TurnPart::Call(call)])
            }
            (OUTPUT, Some(message)) => {
                let exit = message.get("exitCode").and_then(Value::as_number).and_then(|n| n.parse().ok());
                let text = message.get("output").map(text_of).unwrap_or_default();
                let is_error = message.get("cancelled").and_then(Value::as_bool).filter(|cancelled| *cancelled);
                let result = ToolResult { text, exit, is_error, name: Some("bash".into()), ..ToolResult::default() };
                Turn::of(StepRole::Environment, vec![TurnPart::Result(result)])
            }
            (form::MESSAGE, Some(message)) if message.get("sections").is_some() => {
                Turn::of(StepRole::System, vec![TurnPart::Text(system_prompt(message))])
            }
            _ => super::log::show(form, values),
        }
    }
}

/// A system prompt in sections, as the model is given it.
fn system_prompt<'v>(message: &'v Value<'v>) -> Cow<'v, str> {
    let sections = message.get("sections").and_then(Value::as_object).into_iter().flat_map(|object| object.entries());
    let content = message.get("content").map(text_of).unwrap_or_default();
    let texts = std::iter::once(content).chain(sections.map(|(_, section)| text_of(section)));
    Cow::Owned(texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n"))
}

impl Entries {
    /// A session begins. One behind another is a trajectory of its own, and its header is a step.
    fn begin(&mut self, record: &Value<'_>, session: Option<u64>, log: &mut Log<'_>) {
        let is_first = !self.has_entries;
        let earlier_sessions = self.earlier_sessions + usize::from(!is_first);
        let is_named = is_first && self.is_named;
        let root = text(record, "id").map(|id| format!("session {id}"));
        log.thread(&Node { id: root.as_deref(), ..Node::default() });
        let is_fork = record.get("parentSession").or_else(|| record.get("branchedFrom")).is_some();
        let forked = text(record, "timestamp").filter(|_| is_fork).map(Into::into);
        *self = Self { session, earlier_sessions, has_entries: !is_first, is_named, root, forked, ..Self::default() };
        if is_first {
            let names = ["title", "name", "id"].iter().filter_map(|key| text(record, key));
            names.take(1).filter(|_| !is_named).for_each(|title| log.title(title));
        } else {
            log.trajectory(earlier_sessions);
            log.begin_trajectory(text(record, "id").unwrap_or("session"));
            entry(record, "session", false, log);
        }
        header(record, log);
    }

    /// Whether an entry is a copy from another session, which accounts for what it cost. Times are of one form.
    fn is_copy(&self, record: &Value<'_>) -> bool {
        let forked = self.forked.as_deref().filter(|time| time.ends_with('Z'));
        let time = text(record, "timestamp").filter(|time| time.ends_with('Z'));
        forked.zip(time).is_some_and(|(forked, time)| time.len() == forked.len() && time < forked)
    }

    /// What an entry that is no message changes in what the model sees.
    fn change_window(&mut self, record: &Value<'_>, class: &str, step: StepNo, log: &mut Log<'_>) {
        let steps_of = |key: &str| text(record, key).and_then(|id| self.steps.get(&hash(id)));
        match class {
            "compaction" => {
                // Without a first entry that is known, nothing before it is.
                let first = steps_of("firstKeptEntryId").map_or(step, |first| first.start);
                log.drop_before(first);
                // What is kept may begin before an earlier compaction, whose summary is a part of the new one.
                let among: Vec<StepNo> = self.compactions.iter().copied().take_while(|at| *at >= first).collect();
                log.drop_steps(&among);
                self.compactions.push_front(step);
                self.compactions.truncate(COMPACTIONS_MAX);
                log.summarize(text(record, "summary").unwrap_or_default());
            }
            "context_edit" => {
                let edited = steps_of("targetId").cloned().unwrap_or_default();
                log.remove_steps(&edited.collect::<Vec<_>>());
                let replacement = record.get("replacement").map(replacement_text).unwrap_or_default();
                log.summarize(&replacement);
                if !replacement.is_empty() {
                    log.prompt();
                }
            }
            "branch_summary" => log.summarize(text(record, "summary").unwrap_or_default()),
            "custom_message" => log.prompt(),
            _ => {}
        }
    }
}

/// The words of what stands for an edited message: a text, or a message.
fn replacement_text<'v>(replacement: &'v Value<'v>) -> Cow<'v, str> {
    match replacement.get("content") {
        Some(content) => text_of(content),
        None if replacement.is_null() => Cow::Borrowed(""),
        None => text_of(replacement),
    }
}

/// What the header says of the session.
fn header(record: &Value<'_>, log: &mut Log<'_>) {
    let of = |key: &str| text(record, key).map(Cow::Borrowed);
    log.surroundings_ahead(&Surroundings { cwd: of("cwd"), model: of("model"), ..Surroundings::default() });
    for slot in ["id", "version", "cwd", "branchedFrom", "parentSession", "harness", "name"] {
        if let Some(value) = record.get(slot) {
            log.write("session", "main", &[slot], Op::Update, value);
        }
    }
    log.facts().agent = text(record, "harness").map(str::to_owned);
    // The file that a fork was made from lies beside it.
    if let Some(name) = text(record, "branchedFrom").and_then(|path| path.rsplit(['/', '\\']).next()) {
        log.part(PartRole::Prefix, "", name, None, Some(log.next_step()));
    }
}

fn time<'v>(record: &'v Value<'v>, message: &'v Value<'v>) -> Option<&'v Value<'v>> {
    record.get("timestamp").or_else(|| message.get("timestamp"))
}

fn add_message(record: &Value<'_>, message: &Value<'_>, is_copy: bool, log: &mut Log<'_>) {
    let usage = message.get("usage").map(usage);
    let model = text(message, "model").map(Cow::Borrowed);
    log.surroundings(&Surroundings { model, ..Surroundings::default() });
    let is_failed = text(message, "stopReason") == Some("error");
    let blocks = Blocks {
        is_failed,
        class: text(message, "role"),
        time: time(record, message),
        tokens: usage.as_ref().and_then(|usage| usage.output),
        details: message.get("details").filter(|details| details.as_object().is_some()),
        ..Blocks::of(message)
    };
    blocks.add_steps(log);
    script::effects(message, log);
    if let Some(usage) = usage.filter(|_| !is_copy) {
        log.usage(None, &usage);
    }
}

fn usage(value: &Value<'_>) -> Usage {
    let count = |key: &str| value.get(key).and_then(Value::as_number).and_then(|n| n.parse().ok());
    let cost = value.get("cost").map(|cost| cost.get("total").unwrap_or(cost));
    Usage {
        input: count("input"),
        output: count("output"),
        cache_read: count("cacheRead"),
        cache_write: count("cacheWrite"),
        cost: cost.and_then(Value::as_number).and_then(|n| n.parse().ok()),
    }
}

/// A command that the user ran, and what came back.
fn command(record: &Value<'_>, message: &Value<'_>, log: &mut Log<'_>) {
    for (kind, form, role) in [(Kind::Call, COMMAND, StepRole::User), (Kind::Result, OUTPUT, StepRole::Environment)] {
        let values = [message];
        log.step(&Draft {
            role,
            class: Some("bashExecution"),
            time: time(record, message),
            ..Draft::of(kind, form, &values)
        });
        // The model sees both as one message of the user.
        match (message.get("excludeFromContext").and_then(Value::as_bool), kind) {
            (Some(true), _) => log.aside(),
            (_, Kind::Call) => log.in_words(),
            _ => log.prompt(),
        }
    }
}

/// An entry that is not a message, and what it changes.
fn entry(record: &Value<'_>, class: &str, is_copy: bool, log: &mut Log<'_>) {
    let is_compaction = class == "compaction";
    let model = text(record, "modelId").or(text(record, "model").filter(|_| class == "model_change"));
    let model = model.map(Cow::Borrowed);
    let effort = text(record, "thinkingLevel").map(Cow::Borrowed);
    log.surroundings(&Surroundings { model, effort, is_compaction, ..Surroundings::default() });
    let values = [record];
    let time = record.get("timestamp");
    log.step(&Draft {
        role: StepRole::System,
        class: Some(class),
        time,
        ..Draft::of(Kind::State, form::STATE, &values)
    });
    let slots: &[&str] = match class {
        "model_change" => &["provider", "modelId", "model"],
        "thinking_level_change" => &["thinkingLevel"],
        "session_info" => &["name"],
        "compaction" => &["summary", "firstKeptEntryId", "firstKeptEntryIndex", "tokensBefore"],
        _ => &[],
    };
    let instance = if is_compaction { "compaction" } else { "main" };
    for slot in slots {
        if let Some(value) = record.get(slot) {
            log.write("session", instance, &[*slot], Op::Update, value);
        }
    }
    match class {
        "title" => {
            if let Some(title) = text(record, "title").filter(|title| !title.trim().is_empty()) {
                log.title(title);
            }
        }
        "session_info" => {
            if let Some(name) = text(record, "name").filter(|name| !name.trim().is_empty()) {
                log.title(name);
            }
        }
        "custom" => write_named(record, "custom", "customType", "data", log),
        "label" => match (text(record, "targetId"), first(record, &["label"])) {
            // An entry without one takes it away.
            (Some(target), None) => log.remove("label", target, &["label"]),
            _ => write_named(record, "label", "targetId", "label", log),
        },
        "context_edit" => write_named(record, "context", "targetId", "replacement", log),
        _ => {}
    }
    // What an entry cost by itself, or a summary that a model wrote for it.
    if let Some(usage) = record.get("usage").filter(|usage| usage.as_object().is_some() && !is_copy) {
        log.usage(None, &self::usage(usage));
    }
}

/// A value under the name that the entry gives.
fn write_named(record: &Value<'_>, kind: &str, name: &str, slot: &str, log: &mut Log<'_>) {
    if let (Some(name), Some(value)) = (text(record, name), record.get(slot)) {
        log.write(kind, name, &[slot], Op::Update, value);
    }
}
