//! A session as a trajectory: the parts of its messages are steps.

use super::latest::Latest;
use super::projected;
use crate::format::assembler::{missing_part_of, report_missing};
use crate::format::describe;
use crate::format::log::{Adapter, Arrange, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, form, show, text_of};
use crate::json::Value;
use crate::model::cast;
use crate::model::{Attachment, StepNo, StepRole, Surroundings, ToolCall, ToolResult, Turn, TurnPart, Usage};
use crate::rules::work::Dialect;
use crate::state::Op;
use std::borrow::Cow;
use std::collections::HashMap;

/// Reads one session.
pub(super) struct Session;

/// A text with files after it; a tool as a call, and as its result.
const TEXT: Form = FIRST_ADAPTER_FORM;
const CALL: Form = FIRST_ADAPTER_FORM + 1;
const RESULT: Form = FIRST_ADAPTER_FORM + 2;

impl Adapter for Session {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let info = record.get("info");
        let text = |key: &str| info.and_then(|info| info.get(key)).and_then(Value::as_str);
        if let Some(title) = text("title").or(text("id")) {
            log.title(title);
        }
        let location =
            info.and_then(|info| info.get("location")).and_then(|location| self::text(location, "directory"));
        let cwd = text("directory").or(location).map(Cow::Borrowed);
        log.surroundings_ahead(&Surroundings { cwd, ..Surroundings::default() });
        for slot in ["id", "title", "directory", "location", "parent_id", "parentID", "version", "revert"] {
            if let Some(value) = info.and_then(|info| info.get(slot)).filter(|value| !value.is_null()) {
                log.write("session", "main", &[slot], Op::Update, value);
            }
        }
        let begun = info.and_then(created);
        let mut first_steps = HashMap::new();
        for message in record.get("messages").and_then(Value::as_array).unwrap_or_default() {
            let id = message.get("info").and_then(|info| self::text(info, "id"));
            first_steps.extend(id.map(|id| (id.to_owned(), log.next_step())));
            if projected::is_message(message) {
                projected::add_steps(message, log);
            } else {
                // A fork begins with copies of another session's messages, which that session accounts for.
                let created = message.get("info").and_then(created);
                let is_copy = created.zip(begun).is_some_and(|(created, begun)| created < begun);
                add_steps(message, &first_steps, is_copy, log);
            }
        }
        // Some exports have the list as it is at their end.
        let list = record.get("todos").filter(|list| list.as_array().is_some_and(|all| !all.is_empty()));
        if let Some(list) = list.filter(|_| log.next_step() > 0) {
            log.todo_list(list);
        }
        if let Some(what) = missing_part_of(record) {
            report_missing(what, None, log);
        }
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        match (form, values.first()) {
            (TEXT, _) => Turn::of(StepRole::Unknown, values.iter().map(|part| content(part)).collect()),
            (CALL, Some(part)) => Turn::of(StepRole::Agent, vec![TurnPart::Call(call(part))]),
            (RESULT, Some(part)) => {
                let files = part.get("state").and_then(|state| state.get("attachments")?.as_array());
                Turn::answer(result(part), files.unwrap_or_default().iter().map(content))
            }
            (projected::WORDS..=projected::PRINTED, Some(value)) => projected::show(form, value),
            _ => show(form, values),
        }
    }

    fn dialect(&self) -> Dialect {
        Dialect::OpenCode
    }
}

/// Reads events of `opencode run`, and messages and parts that are in files of their own.
pub(super) struct Events;

impl Adapter for Events {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        if log.next_step() == 0
            && let Some(id) = text(record, "sessionID").or_else(|| text(record, "id"))
        {
            log.title(id);
        }
        if let Some(part) = part_of(record) {
            let is_stored_part = record.get("part").is_none();
            let (class, time) = (class_of(part), record.get("timestamp"));
            let message = Message { it: record, role: StepRole::Agent, class, time, tokens: None, first_steps: None };
            message.add_parts(&[part], log);
            // A stream has no messages, which repeat the tokens elsewhere.
            if let Some(tokens) = part.get("tokens").filter(|_| class == Some("step-finish") && !is_stored_part) {
                log.usage(None, &usage(tokens, part));
            }
            return;
        }
        let values = [record];
        let class = text(record, "type").or_else(|| text(record, "role"));
        let time = record.get("timestamp").or_else(|| record.get("time")?.get("created"));
        let is_failed = class == Some("error");
        let role = if is_failed { StepRole::Agent } else { StepRole::Unknown };
        log.step(&Draft { role, class, time, is_failed, ..Draft::of(Kind::State, form::STATE, &values) });
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        Session::show(form, values)
    }

    fn dialect(&self) -> Dialect {
        Dialect::OpenCode
    }

    fn arrange(&self) -> Option<Box<dyn Arrange>> {
        Some(Box::new(Latest::default()))
    }
}

/// The part that an event is about, or that a stored part is.
pub(super) fn part_of<'v>(record: &'v Value<'v>) -> Option<&'v Value<'v>> {
    let is_stored_part = text(record, "messageID").is_some() && text(record, "type").is_some();
    let part = record.get("part").or_else(|| is_stored_part.then_some(record));
    part.filter(|part| part.as_object().is_some())
}

/// The parts of a message by their ids; of several of one id the last one counts. Where a part has no id, all stay in
/// the order of the file.
fn parts_of<'v>(message: &'v Value<'v>) -> Vec<&'v Value<'v>> {
    let mut parts: Vec<&Value<'_>> = message.get("parts").and_then(Value::as_array).into_iter().flatten().collect();
    if parts.iter().all(|part| text(part, "id").is_some()) {
        // The sort is stable: the last one of an id comes first after the reversal.
        parts.reverse();
        parts.sort_by_key(|part| text(part, "id"));
        parts.dedup_by_key(|part| text(part, "id"));
    }
    parts
}

pub(super) fn text<'v>(value: &'v Value<'v>, key: &str) -> Option<&'v str> {
    value.get(key).and_then(Value::as_str)
}

/// When a session or a message was created, in milliseconds.
fn created(info: &Value<'_>) -> Option<i64> {
    let time = info.get("time_created").or_else(|| info.get("time")?.get("created"));
    time?.as_number()?.parse().ok()
}

/// The steps of a message; those of a copy cost nothing.
fn add_steps(message: &Value<'_>, first_steps: &HashMap<String, StepNo>, is_copy: bool, log: &mut Log<'_>) {
    let Some(info) = message.get("info") else { return };
    let role = match text(info, "role") {
        Some("user") => StepRole::User,
        Some("assistant") => StepRole::Agent,
        _ => StepRole::Unknown,
    };
    let of_model = info.get("model");
    let model = text(info, "modelID").or_else(|| of_model.and_then(|m| m.as_str().or_else(|| text(m, "modelID"))));
    let cwd = info.get("path").and_then(|path| text(path, "cwd")).map(Cow::Borrowed);
    let mode = text(info, "agent").or_else(|| text(info, "mode")).map(Cow::Borrowed);
    log.surroundings(&Surroundings { model: model.map(Cow::Borrowed), mode, cwd, ..Surroundings::default() });
    let usage = info.get("tokens").map(|tokens| usage(tokens, info));
    let turn = Message {
        it: message,
        role,
        class: text(info, "role"),
        time: info.get("time").and_then(|time| time.get("created")),
        tokens: usage.as_ref().and_then(|usage| usage.output),
        first_steps: Some(first_steps),
    };
    let first = log.next_step();
    turn.add_parts(&parts_of(message), log);
    if let Some(what) = missing_part_of(message) {
        report_missing(what, Some(first), log);
    }
    if let Some(usage) = usage.filter(|_| !is_copy) {
        log.usage(text(info, "id"), &usage);
    }
}

/// What all steps of a message have in common.
struct Message<'v> {
    it: &'v Value<'v>,
    role: StepRole,
    class: Option<&'v str>,
    time: Option<&'v Value<'v>>,
    tokens: Option<u64>,
    /// The first steps of messages so far, by their ids.
    first_steps: Option<&'v HashMap<String, StepNo>>,
}

impl<'v> Message<'v> {
    fn add_parts(&self, parts: &[&'v Value<'v>], log: &mut Log<'_>) {
        let before = log.next_step();
        let files: Vec<&Value<'_>> = parts.iter().copied().filter(|part| class_of(part) == Some("file")).collect();
        let first_text = parts.iter().position(|part| class_of(part) == Some("text"));
        let (mut tokens, mut has_result) = (self.tokens, false);
        for (i, part) in parts.iter().copied().enumerate() {
            let part_kind = match class_of(part).unwrap_or("part") {
                // Files belong to the first text of their message.
                "text" if Some(i) == first_text => {
                    std::iter::once(part).chain(files.iter().copied()).collect::<Vec<_>>()
                }
                "file" if first_text.is_some() || files.first().is_some_and(|first| first.start != part.start) => {
                    continue;
                }
                "file" => files.clone(),
                _ => vec![part],
            };
            let is_compaction = class_of(part) == Some("compaction");
            // A stream does not name the folder, but a patch names its files both ways.
            let cwd = folder(part).filter(|_| self.first_steps.is_none()).map(Cow::Borrowed);
            log.surroundings(&Surroundings { cwd, is_compaction, ..Surroundings::default() });
            for (kind, form) in kinds(part) {
                let role = if kind == Kind::Result { StepRole::Environment } else { self.role };
                let class = if kind == Kind::State { class_of(part) } else { self.class };
                let time = time_of(part, kind).or(self.time);
                // What the model wrote is said at the first step that it wrote.
                let tokens = if kind == Kind::State { None } else { tokens.take() };
                let draft = Draft { class, time, tokens, ..Draft::of(kind, form, &part_kind) };
                let is_injected =
                    class_of(part) == Some("text") && part.get("synthetic").and_then(Value::as_bool) == Some(true);
                let step = log.step(&Draft { role, is_injected, ..draft });
                // Calls of one answer come with their results: the next of them is still of that answer.
                if kind == Kind::Call && std::mem::take(&mut has_result) {
                    log.go_on(step);
                }
                has_result |= kind == Kind::Result;
            }
            if class_of(part) == Some("step-start") {
                has_result = false;
            }
            if class_of(part) == Some("compaction") {
                let known = text(part, "tail_start_id").zip(self.first_steps);
                let first = known.and_then(|(id, first_steps)| first_steps.get(id)).copied();
                log.drop_before(first.unwrap_or(log.next_step() - 1));
            }
            if class_of(part) == Some("patch")
                && let (Some(hash), Some(files)) = (text(part, "hash"), part.get("files"))
            {
                log.write("patch", hash, &["files"], Op::Update, files);
            }
        }
        if log.next_step() == before {
            let (role, class, time, values) = (self.role, self.class, self.time, [self.it]);
            let is_failed = self.it.get("info").is_some_and(|info| info.get("error").is_some_and(|e| !e.is_null()));
            log.step(&Draft { role, class, time, is_failed, ..Draft::of(Kind::Message, TEXT, &values) });
            // An error of the model's service is no word of the model.
            if is_failed {
                log.aside();
            }
        }
    }
}

/// The folder of the first file of a patch: its path without the end that is relative to the folder.
fn folder<'v>(part: &'v Value<'v>) -> Option<&'v str> {
    let file = part.get("state")?.get("metadata")?.get("files")?.as_array()?.first()?;
    let folder = text(file, "filePath")?.strip_suffix(text(file, "relativePath")?)?;
    folder.strip_suffix('/').filter(|folder| !folder.is_empty())
}

/// What a part is; a call may come without its type.
fn class_of<'v>(part: &'v Value<'v>) -> Option<&'v str> {
    let is_call = || text(part, "callID").is_some() && text(part, "tool").is_some();
    text(part, "type").or_else(|| is_call().then_some("tool"))
}

/// What a part gives: steps and how they are read.
fn kinds(part: &Value<'_>) -> Vec<(Kind, Form)> {
    let status = part.get("state").and_then(|state| text(state, "status"));
    match class_of(part).unwrap_or_default() {
        "text" | "file" => vec![(Kind::Message, TEXT)],
        "reasoning" => vec![(Kind::Thought, form::THOUGHT)],
        "tool" if matches!(status, Some("completed" | "error")) => vec![(Kind::Call, CALL), (Kind::Result, RESULT)],
        "tool" => vec![(Kind::Call, CALL)],
        _ => vec![(Kind::State, form::STATE)],
    }
}

/// When a part began, or a result came.
fn time_of<'v>(part: &'v Value<'v>, kind: Kind) -> Option<&'v Value<'v>> {
    let time = part.get("time").or_else(|| part.get("state")?.get("time"))?;
    let end = time.get("end").filter(|_| kind == Kind::Result);
    end.or_else(|| time.get("start"))
}

pub(super) fn usage(tokens: &Value<'_>, info: &Value<'_>) -> Usage {
    let count = |value: Option<&Value<'_>>| value?.as_number()?.parse::<f64>().ok().map(cast::f64_to_u64);
    let cache = tokens.get("cache");
    let (answered, thought) = (count(tokens.get("output")), count(tokens.get("reasoning")));
    Usage {
        input: count(tokens.get("input")),
        output: answered.or(thought).map(|_| answered.unwrap_or(0).saturating_add(thought.unwrap_or(0))),
        cache_read: count(cache.and_then(|cache| cache.get("read"))),
        cache_write: count(cache.and_then(|cache| cache.get("write"))),
        cost: info.get("cost").and_then(Value::as_number).and_then(|n| n.parse().ok()),
    }
}

/// A text or a file.
fn content<'v>(part: &'v Value<'v>) -> TurnPart<'v> {
    // A message without parts says at most why it has none.
    if let Some(error) = part.get("info").and_then(|info| info.get("error")).filter(|error| !error.is_null()) {
        return TurnPart::Text(Cow::Owned(describe::note(error)));
    }
    if class_of(part) != Some("file") {
        return TurnPart::Text(part.get("text").map(text_of).unwrap_or_default());
    }
    let url = text(part, "url").filter(|url| !url.starts_with("data:"));
    TurnPart::Attachment(Attachment {
        media_type: text(part, "mime").unwrap_or("file").into(),
        location: text(part, "filename").or(url).map(Cow::Borrowed),
        bytes: part.get("url").map_or(0, |url| url.text.len() as u64),
    })
}

fn call<'v>(part: &'v Value<'v>) -> ToolCall<'v> {
    let input = part.get("state").and_then(|state| state.get("input"));
    ToolCall {
        id: text(part, "callID").map(Cow::Borrowed),
        name: text(part, "tool").unwrap_or("?").into(),
        arguments: input.map_or(Cow::Borrowed("{}"), |input| Cow::Borrowed(input.text)),
    }
}

/// What came back: a tool called `invalid` succeeds and says that the call was none, and so does a command that exits
/// with another status than 0.
fn result<'v>(part: &'v Value<'v>) -> ToolResult<'v> {
    let state = part.get("state");
    let of = |key: &str| state.and_then(|state| state.get(key));
    let metadata = of("metadata");
    let number = |value: Option<&Value<'_>>| value?.as_number()?.parse::<i64>().ok();
    let exit = number(metadata.and_then(|metadata| metadata.get("exit")));
    let time = |key: &str| number(of("time").and_then(|time| time.get(key)));
    let has_failed = of("status").and_then(Value::as_str) == Some("error") || text(part, "tool") == Some("invalid");
    ToolResult {
        id: text(part, "callID").map(Cow::Borrowed),
        name: text(part, "tool").map(Cow::Borrowed),
        text: of("output").or_else(|| of("error")).map(text_of).unwrap_or_default(),
        // W4: an exit status says more than that it is not 0.
        is_error: if has_failed || exit.is_none_or(|exit| exit == 0) { Some(has_failed) } else { None },
        exit,
        ms: time("end").zip(time("start")).and_then(|(end, start)| u64::try_from(end.saturating_sub(start)).ok()),
        details: metadata.map(|metadata| Cow::Borrowed(metadata.text)),
        ..ToolResult::default()
    }
}
