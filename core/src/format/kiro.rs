//! Conversations of Amazon Q Developer CLI and of Kiro CLI, which goes on from it: their database, as a line for each
//! conversation, and what `/save` writes.

#[cfg(test)]
mod tests;

use super::assembler::Assembler;
use super::log::{
    Adapter, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, SetRow, first, first_text, form, items, show, text,
    text_of, variant, write_slots,
};
use super::rows::{Trouble, members, one_line};
use crate::json::Value;
use crate::model::{
    Attachment, ContainerValue, Contents, Problem, Sink, StepRole, Surroundings, ToolCall, ToolResult, Turn, TurnPart,
    Usage,
};
use crate::rules::work::Dialect;
use std::borrow::Cow;

/// Conversations of Amazon Q and Kiro.
pub(super) static KIRO: SetRow = SetRow {
    name: "kiro",
    agent: Some("kiro"),
    title: "Kiro or Amazon Q conversation",
    about: "Conversations of Kiro CLI and Amazon Q Developer CLI: the database `data.sqlite3` (tables `conversations`, \
            `conversations_v2`), each a trajectory, or what `/save` writes: an object with `conversation_id` and \
            `history`, whose entries have what the user said and what the agent did. State: the conversation, its \
            summary and model; files and shell by the rules for tool-using runs. Tokens are not recorded.",
    run: || Box::new(LogRun::new(Conversation)),
    samples: &[CONVERSATION, EARLIER_CONVERSATION],
    ..SetRow::BASE
};

/// A conversation with a command.
const CONVERSATION: &str = r#"{"key":"/w","conversation_id":"k1","next_message":null,"history":[
    {"user":{"additional_context":"","env_context":{"env_state":{"operating_system":"linux",
        "current_working_directory":"/w","environment_variables":[]}},
        "content":{"Prompt":{"prompt":"list it"}},"timestamp":"2026-05-01T10:00:00+02:00","images":null},
     "assistant":{"ToolUse":{"message_id":"m1","content":"I look.","tool_uses":[{"id":"c1","name":"execute_bash",
        "orig_name":"execute_bash","args":{"command":"ls x"},"orig_args":{"command":"ls x"}}]}},
     "request_metadata":{"request_id":"r1","request_start_timestamp_ms":1777622400500,
        "stream_end_timestamp_ms":1777622402000,"model_id":"m-1"}},
    {"user":{"additional_context":"","env_context":{"env_state":{"operating_system":"linux",
        "current_working_directory":"/w","environment_variables":[]}},
        "content":{"ToolUseResults":{"tool_use_results":[{"tool_use_id":"c1","content":[{"Json":{"exit_status":"2",
            "stdout":"","stderr":"ls: x: no such file"}}],"status":"Success"}]}},"timestamp":null,"images":null},
     "assistant":{"Response":{"message_id":"m2","content":"There is no x."}},"request_metadata":null}],
    "valid_history_range":[0,2],"transcript":["> list it"],"tools":{},"latest_summary":null,
    "model_info":{"model_name":"M 1","model_id":"m-1","context_window_tokens":200000}}"#;

/// A conversation as it was written at first; the user cancelled a call.
const EARLIER_CONVERSATION: &str = r#"{"conversation_id":"k0","next_message":null,"history":[
    [{"additional_context":"","env_context":{"env_state":null},"content":{"Prompt":{"prompt":"save"}}},
     {"ToolUse":{"message_id":"m1","content":"","tool_uses":[{"id":"c1","name":"fs_write",
        "args":{"command":"create","path":"a.txt","file_text":"hi"}}]}}],
    [{"additional_context":"","env_context":{"env_state":null},"content":{"CancelledToolUses":{"prompt":"no",
        "tool_use_results":[{"tool_use_id":"c1","content":[{"Text":"Tool use was cancelled"}],"status":"Error"}]}}},
     {"Response":{"message_id":"m2","content":"Well."}}]],"valid_history_range":[0,2],"transcript":[]}"#;

/// How its database is read.
pub(super) struct Database;

/// The table that has several conversations of a folder, and that before it, which has one.
const TABLES: [&str; 2] = ["conversations_v2", "conversations"];

/// What is taken of a conversation: its folder, its times, and itself.
const COLUMNS: [&str; 4] = ["key", "created_at", "updated_at", "value"];

impl Assembler for Database {
    fn claims(&self, contents: &mut Contents<'_>) -> bool {
        let Contents::Tables(tables) = contents else { return false };
        let is_one = |table: &&str| tables.has(table, &["key", "value"]);
        // Tables of a name so common are those of Amazon Q only where its others are.
        let is_named = tables.has(TABLES[0], &["conversation_id"]) || tables.has("migrations", &["version"]);
        is_named && TABLES.iter().any(is_one)
    }

    fn assemble(&self, contents: Contents<'_>, out: &mut Sink<'_>) -> Result<(), Problem> {
        let Contents::Tables(tables) = contents else { return Ok(()) };
        let (mut all, mut trouble) = (Vec::new(), Trouble::default());
        let named: Vec<&str> = TABLES.into_iter().filter(|table| tables.has(table, &["key", "value"])).collect();
        for table in named {
            trouble.pass(tables.rows(table, &["updated_at"], &mut |number, cells| {
                let updated = cells.first().and_then(ContainerValue::as_integer);
                all.push((updated.unwrap_or(0), table, number));
                Ok(())
            }));
        }
        all.sort_unstable();
        for (_, table, number) in all {
            let Some(Some(cells)) = trouble.pass(tables.row(table, number, &COLUMNS)) else { continue };
            let json = cells.last().and_then(ContainerValue::bytes).and_then(one_line);
            let Some(json) = json.filter(|json| json.starts_with('{')) else {
                let why = format!("the conversation in row {number} of {table} is no JSON");
                trouble.pass::<()>(Err(Problem::unreadable(why)));
                continue;
            };
            let head = members(&COLUMNS[..3], &cells[..3], &[]);
            let rest = json.strip_prefix('{').unwrap_or(&json).trim_start();
            let between = if rest == "}" || head.is_empty() { "" } else { "," };
            out(format!("{{{head}{between}{rest}\n").as_bytes())?;
        }
        trouble.end()
    }
}

/// What the user said, with pictures; a thought; what a tool gave back.
const PROMPT: Form = FIRST_ADAPTER_FORM;
const THOUGHT: Form = FIRST_ADAPTER_FORM + 1;
const CALL: Form = FIRST_ADAPTER_FORM + 2;
const RESULT: Form = FIRST_ADAPTER_FORM + 3;

/// Members of a conversation that are its state.
const SLOTS: [&str; 7] =
    ["conversation_id", "key", "created_at", "updated_at", "latest_summary", "model_info", "valid_history_range"];

/// Reads a conversation.
struct Conversation;

impl Adapter for Conversation {
    fn read(&mut self, conversation: &Value<'_>, log: &mut Log<'_>) {
        if let Some(id) = text(conversation, "conversation_id") {
            log.title(id);
        }
        let info = conversation.get("model_info").and_then(|info| first_text(info, &["model_id", "model_name"]));
        let model = info.or_else(|| text(conversation, "model")).map(Cow::Borrowed);
        let cwd = text(conversation, "key").map(Cow::Borrowed);
        log.surroundings_ahead(&Surroundings { cwd, model, ..Surroundings::default() });
        write_slots(log, "chat", "main", conversation, &SLOTS);
        declare_tools(conversation, log);
        items(conversation, "history").iter().for_each(|entry| add_entry(entry, log));
        if let Some(next) = first(conversation, &["next_message"]) {
            add_user(next, log);
        }
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        let Some(&value) = values.first() else { return Turn::default() };
        match form {
            PROMPT => {
                let words = std::iter::once(TurnPart::Text(text_of(value)));
                let images = values.get(1).and_then(|images| images.as_array()).unwrap_or_default();
                Turn::of(StepRole::User, words.chain(images.iter().map(picture)).collect())
            }
            THOUGHT => Turn::of(StepRole::Agent, vec![TurnPart::Thought(thought(value))]),
            CALL => Turn::of(StepRole::Agent, vec![TurnPart::Call(call(value))]),
            RESULT => Turn::answer(result(value), std::iter::empty()),
            _ => show(form, values),
        }
    }

    fn dialect(&self) -> Dialect {
        Dialect::Kiro
    }
}

/// The tools that the model has, which are grouped by where they come from.
fn declare_tools(conversation: &Value<'_>, log: &mut Log<'_>) {
    let groups = conversation.get("tools").and_then(Value::as_object).into_iter().flat_map(|groups| groups.entries());
    let tools = groups.flat_map(|(_, group)| group.as_array().unwrap_or_default());
    let texts: Vec<&str> = tools.map(|tool| tool.get("ToolSpecification").unwrap_or(tool).text).collect();
    if !texts.is_empty() {
        log.declare_tools_in(&format!("[{}]", texts.join(",")));
    }
}

/// What the user said and what the agent did then; at first entries were lists of both.
fn add_entry(entry: &Value<'_>, log: &mut Log<'_>) {
    let both = match entry.as_array() {
        Some([user, assistant]) => (Some(user), Some(assistant)),
        _ => (entry.get("user"), entry.get("assistant")),
    };
    let (Some(user), Some(assistant)) = both else {
        let values = [entry];
        let draft = Draft::of(Kind::State, form::STATE, &values);
        log.step(&Draft { role: StepRole::System, class: Some("entry"), ..draft });
        return;
    };
    add_user(user, log);
    add_assistant(assistant, first(entry, &["request_metadata"]), log);
}

fn add_user(user: &Value<'_>, log: &mut Log<'_>) {
    let state = user.get("env_context").and_then(|context| first(context, &["env_state"]));
    let cwd = state.and_then(|state| text(state, "current_working_directory")).map(Cow::Borrowed);
    log.surroundings(&Surroundings { cwd, ..Surroundings::default() });
    let (role, time) = (StepRole::User, first(user, &["timestamp"]));
    let has_words = |words: &&Value<'_>| words.as_str().is_some_and(|words| !words.trim().is_empty());
    if let Some(context) = user.get("additional_context").filter(has_words) {
        let draft = Draft::of(Kind::Message, PROMPT, std::slice::from_ref(&context));
        log.step(&Draft { role, time, class: Some("additional_context"), is_injected: true, ..draft });
    }
    let Some((class, content)) = user.get("content").and_then(variant) else {
        let draft = Draft::of(Kind::State, form::STATE, std::slice::from_ref(&user));
        log.step(&Draft { role: StepRole::System, time, class: Some("user"), ..draft });
        return;
    };
    for result in items(content, "tool_use_results") {
        let values = [result];
        let draft = Draft::of(Kind::Result, RESULT, &values);
        log.step(&Draft { role: StepRole::Environment, time, class: Some(class), ..draft });
    }
    if let Some(prompt) = content.get("prompt").filter(has_words) {
        let values: Vec<&Value<'_>> = std::iter::once(prompt).chain(first(user, &["images"])).collect();
        log.step(&Draft { role, time, class: Some(class), ..Draft::of(Kind::Message, PROMPT, &values) });
    }
}

fn add_assistant(assistant: &Value<'_>, metadata: Option<&Value<'_>>, log: &mut Log<'_>) {
    let model = metadata.and_then(|data| text(data, "model_id")).map(Cow::Borrowed);
    log.surroundings(&Surroundings { model, ..Surroundings::default() });
    let (role, time) = (StepRole::Agent, metadata.and_then(|data| first(data, &["request_start_timestamp_ms"])));
    let Some((class, answer)) = variant(assistant) else {
        let draft = Draft::of(Kind::State, form::STATE, std::slice::from_ref(&assistant));
        log.step(&Draft { role: StepRole::System, time, class: Some("assistant"), ..draft });
        return;
    };
    let begin = log.next_step();
    let content = first(answer, &["content"]).filter(|words| words.as_str().is_some_and(|words| !words.is_empty()));
    let spoken = first(answer, &["thinking"]).map(|value| (Kind::Thought, THOUGHT, value));
    let message = content.map(|value| (Kind::Message, form::MESSAGE, value));
    let calls = items(answer, "tool_uses").iter().map(|value| (Kind::Call, CALL, value));
    for (kind, form, value) in spoken.into_iter().chain(message).chain(calls) {
        let values = [value];
        log.step(&Draft { role, time, class: Some(class), ..Draft::of(kind, form, &values) });
    }
    if log.next_step() == begin {
        let empty = first(answer, &["content"]).unwrap_or(answer);
        log.step(&Draft { role, time, class: Some(class), ..Draft::of(Kind::Message, form::MESSAGE, &[empty]) });
    }
    log.usage(None, &Usage::default());
}

fn thought<'v>(value: &'v Value<'v>) -> Cow<'v, str> {
    let inner = first(value, &["reasoningText", "reasoning_text", "ReasoningText"]).unwrap_or(value);
    first(inner, &["text"]).map_or_else(|| text_of(inner), text_of)
}

fn call<'v>(value: &'v Value<'v>) -> ToolCall<'v> {
    ToolCall {
        id: text(value, "id").map(Cow::Borrowed),
        name: Cow::Borrowed(first_text(value, &["name", "orig_name"]).unwrap_or("?")),
        arguments: first(value, &["args", "orig_args"]).map_or(Cow::Borrowed("{}"), |args| Cow::Borrowed(args.text)),
    }
}

/// What a tool gave back: texts, JSON, or what a command printed and its exit status.
pub(super) fn result<'v>(value: &'v Value<'v>) -> ToolResult<'v> {
    let mut exit = None;
    let parts = items(value, "content").iter().map(|part| match named(part).or_else(|| variant(part)) {
        Some(("Json" | "json", output)) => match command(output) {
            Some((words, status)) => {
                exit = exit.or(status);
                words
            }
            None => text_of(output),
        },
        Some((_, inner)) => text_of(inner),
        None => text_of(part),
    });
    let mut texts: Vec<Cow<'v, str>> = parts.collect();
    let words = if texts.len() == 1 { texts.swap_remove(0) } else { Cow::Owned(texts.join("\n")) };
    let is_error = match text(value, "status").unwrap_or_default() {
        "Error" | "error" => Some(true),
        "Success" | "success" if exit.is_none() => Some(false),
        _ => None,
    };
    ToolResult {
        id: first_text(value, &["tool_use_id", "toolUseId"]).map(Cow::Borrowed),
        text: words,
        is_error,
        exit,
        ..ToolResult::default()
    }
}

/// What a command printed, and its exit status.
fn command<'v>(output: &'v Value<'v>) -> Option<(Cow<'v, str>, Option<i64>)> {
    let status = text(output, "exit_status")?;
    let printed: Vec<&str> = ["stdout", "stderr"].iter().filter_map(|key| text(output, key)).collect();
    let printed: Vec<&str> = printed.into_iter().filter(|words| !words.is_empty()).collect();
    let words = match printed[..] {
        [only] => Cow::Borrowed(only),
        _ => Cow::Owned(printed.join("\n")),
    };
    // A number, or words that end with it: `exit status: 0`.
    let number = status.rsplit(' ').next().unwrap_or(status);
    Some((words, number.parse().ok()))
}

/// A part with its `kind` and its `data`, as lines of sessions have it.
fn named<'v, 'a>(part: &'v Value<'a>) -> Option<(&'v str, &'v Value<'a>)> {
    Some((text(part, "kind")?, part.get("data")?))
}

fn picture<'v>(image: &'v Value<'v>) -> TurnPart<'v> {
    let format = text(image, "format").unwrap_or("image");
    let bytes = image.get("source").map_or(0, |source| source.text.len() as u64);
    TurnPart::Attachment(Attachment { media_type: Cow::Borrowed(format), location: None, bytes })
}
