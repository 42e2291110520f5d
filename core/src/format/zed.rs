//! Threads of the agent of Zed: its database, as a line for each thread, and the same JSON in a file.

mod database;
#[cfg(test)]
mod tests;

use super::log::{
    Adapter, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, SetRow, count, first, first_text, form, items,
    role_of, show, text, text_of, variant, write_slots, write_title,
};
use crate::json::{Data, Value};
use crate::model::{Attachment, StepRole, Surroundings, ToolCall, ToolResult, Turn, TurnPart, Usage};
use crate::rules::work::Dialect;
pub(super) use database::Database;
use std::borrow::Cow;

/// Threads of Zed.
pub(super) static ZED: SetRow = SetRow {
    name: "zed",
    agent: Some("zed"),
    title: "Zed agent thread",
    about: "Threads of the agent of Zed: its database `threads/threads.db` (table `threads`, whose `data` is JSON that \
            may be packed with Zstandard), each a trajectory, or the JSON of a thread in a file. Sub-agents have \
            threads that name their parent. State: the thread, its model and folder; files and shell by the rules for \
            tool-using runs. Messages have no times; tokens are those of the whole thread.",
    run: || Box::new(LogRun::new(Thread)),
    samples: &[THREAD, EARLIER_THREAD],
    ..SetRow::BASE
};

/// A thread with a call.
const THREAD: &str = r#"{"id":"t1","title":"List it","updated_at":"2026-05-01T10:00:00Z","version":"0.3.0",
    "messages":[
    {"User":{"id":"u1","content":[{"Text":"list it, see "},{"Mention":{"uri":{"File":{"abs_path":"/w/a.md"}},
        "content":"the plan"}}]}},
    {"Agent":{"content":[{"Thinking":{"text":"ls will do","signature":"x"}},{"Text":"I look."},
        {"ToolUse":{"id":"c1","name":"terminal","raw_input":"{}","input":{"command":"ls","cd":"w"},
            "is_input_complete":true}}],
        "tool_results":{"c1":{"tool_use_id":"c1","tool_name":"terminal","is_error":false,
            "content":[{"Text":"a.txt"}],"output":null}}}},
    "Resume",
    {"Agent":{"content":[{"Text":"One file."}],"tool_results":{}}}],
    "cumulative_token_usage":{"input_tokens":20,"output_tokens":7,"cache_creation_input_tokens":0,
        "cache_read_input_tokens":5},
    "model":{"provider":"p","model":"m"},"profile":"write","thinking_enabled":true}"#;

/// A thread as it was written at first.
const EARLIER_THREAD: &str = r#"{"version":"0.2.0","summary":"Greeting","updated_at":"2025-05-01T10:00:00Z","messages":[
    {"id":0,"role":"user","segments":[{"type":"text","text":"say hi"}],"tool_uses":[],"tool_results":[],
        "context":"rules","is_hidden":false},
    {"id":1,"role":"assistant","segments":[{"type":"thinking","text":"one line"},{"type":"text","text":"I write."}],
        "tool_uses":[{"id":"c1","name":"create_file","input":{"path":"a.txt","contents":"hi"}}],
        "tool_results":[{"tool_use_id":"c1","is_error":true,"content":"no such folder","output":null}]}],
    "cumulative_token_usage":{"input_tokens":9,"output_tokens":3},"model":{"provider":"p","model":"m"}}"#;

/// Texts, mentions and pictures that follow each other; a thought.
const WORDS: Form = FIRST_ADAPTER_FORM;
const THOUGHT: Form = FIRST_ADAPTER_FORM + 1;
const CALL: Form = FIRST_ADAPTER_FORM + 2;
const RESULT: Form = FIRST_ADAPTER_FORM + 3;

/// Members of a thread that are its state.
const SLOTS: [&str; 15] = [
    "id",
    "parent_id",
    "folder_paths",
    "created_at",
    "version",
    "title",
    "summary",
    "updated_at",
    "model",
    "profile",
    "imported",
    "subagent_context",
    "speed",
    "thinking_enabled",
    "completion_mode",
];

/// Reads a thread.
struct Thread;

impl Adapter for Thread {
    fn read(&mut self, thread: &Value<'_>, log: &mut Log<'_>) {
        write_title(log, thread, &["title", "summary", "id"]);
        let model = thread.get("model").and_then(|model| text(model, "model"));
        log.surroundings_ahead(&Surroundings {
            model: model.map(Cow::Borrowed),
            cwd: folder(thread).map(Cow::Borrowed),
            mode: text(thread, "profile").map(Cow::Borrowed),
            effort: text(thread, "thinking_effort").map(Cow::Borrowed),
            ..Surroundings::default()
        });
        write_slots(log, "thread", "main", thread, &SLOTS);
        // They are of no message.
        let usage = thread.get("cumulative_token_usage").map(usage);
        if let Some(usage) = usage.filter(|usage| usage.input.or(usage.output).is_some()) {
            log.beyond(&usage);
        }
        items(thread, "messages").iter().for_each(|message| add_message(message, log));
    }

    fn dialect(&self) -> Dialect {
        Dialect::Zed
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        let Some(&value) = values.first() else { return Turn::default() };
        match form {
            WORDS => Turn::of(StepRole::Unknown, values.iter().flat_map(|value| words(value)).collect()),
            THOUGHT => Turn::of(StepRole::Agent, vec![TurnPart::Thought(thought(value))]),
            CALL => Turn::of(StepRole::Agent, vec![TurnPart::Call(call(value))]),
            RESULT => result(value),
            _ => show(form, values),
        }
    }
}

/// The folder that the thread was begun in.
fn folder<'v>(thread: &'v Value<'_>) -> Option<&'v str> {
    let paths = text(thread, "folder_paths").and_then(|paths| paths.lines().next()).filter(|path| !path.is_empty());
    let snapshot = || {
        let tree = items(thread.get("initial_project_snapshot")?, "worktree_snapshots").first()?;
        text(tree, "worktree_path")
    };
    paths.or_else(snapshot)
}

fn usage(tokens: &Value<'_>) -> Usage {
    Usage {
        input: count(tokens, "input_tokens"),
        output: count(tokens, "output_tokens"),
        cache_read: count(tokens, "cache_read_input_tokens"),
        cache_write: count(tokens, "cache_creation_input_tokens"),
        cost: None,
    }
}

fn add_message(message: &Value<'_>, log: &mut Log<'_>) {
    match variant(message) {
        Some(("User", user)) => add_parts(StepRole::User, items(user, "content"), false, log),
        Some(("Agent", agent)) => {
            add_parts(StepRole::Agent, items(agent, "content"), false, log);
            let results = agent.get("tool_results").and_then(Value::as_object).into_iter();
            results.flat_map(|all| all.entries()).for_each(|(_, result)| add_result(result, log));
            log.usage(None, &Usage::default());
        }
        _ if message.get("role").is_some() => add_earlier(message, log),
        // The user let the agent go on.
        _ => {
            let class = message.as_str().or(variant(message).map(|(name, _)| name));
            let values = [message];
            let draft = Draft::of(Kind::State, form::STATE, &values);
            log.step(&Draft { role: StepRole::System, class: class.or(Some("message")), ..draft });
        }
    }
}

/// A message as it was written at first.
fn add_earlier(message: &Value<'_>, log: &mut Log<'_>) {
    let role = text(message, "role").map_or(StepRole::Unknown, role_of);
    let begin = log.next_step();
    let is_hidden = message.get("is_hidden").and_then(Value::as_bool) == Some(true);
    add_parts(role, items(message, "segments"), is_hidden, log);
    let words = ["text", "context"].iter().filter_map(|key| first(message, &[key]));
    let mut words = words.filter(|words| words.as_str().is_some_and(|text| !text.is_empty()));
    if let Some(words) = words.next().filter(|_| log.next_step() == begin) {
        log.step(&Draft { role, is_injected: is_hidden, ..Draft::of(Kind::Message, WORDS, &[words]) });
    }
    for call in items(message, "tool_uses") {
        log.step(&Draft { role, class: Some("ToolUse"), ..Draft::of(Kind::Call, CALL, &[call]) });
    }
    items(message, "tool_results").iter().for_each(|result| add_result(result, log));
    if role == StepRole::Agent {
        log.usage(None, &Usage::default());
    }
}

fn add_result(result: &Value<'_>, log: &mut Log<'_>) {
    let values = [result];
    let draft = Draft::of(Kind::Result, RESULT, &values);
    log.step(&Draft { role: StepRole::Environment, class: Some("tool_result"), ..draft });
}

/// What a part of a message is, and the value that shows it.
fn part_of<'v, 'a>(part: &'v Value<'a>) -> (Kind, Form, &'v Value<'a>) {
    match variant(part) {
        Some(("Thinking" | "RedactedThinking", inner)) => (Kind::Thought, THOUGHT, inner),
        Some(("ToolUse", inner)) => (Kind::Call, CALL, inner),
        Some(("Text" | "Mention" | "Image", _)) => (Kind::Message, WORDS, part),
        _ if text(part, "type") == Some("text") => (Kind::Message, WORDS, part),
        _ if text(part, "type").is_some() => (Kind::Thought, THOUGHT, part),
        _ => (Kind::State, form::STATE, part),
    }
}

fn add_parts(role: StepRole, parts: &[Value<'_>], is_injected: bool, log: &mut Log<'_>) {
    let mut words = Vec::new();
    let add_words = |words: &mut Vec<&Value<'_>>, log: &mut Log<'_>| {
        let values = std::mem::take(words);
        if !values.is_empty() {
            log.step(&Draft { role, is_injected, ..Draft::of(Kind::Message, WORDS, &values) });
        }
    };
    for part in parts {
        let (kind, form, value) = part_of(part);
        if kind == Kind::Message {
            words.extend(Some(value).filter(|value| !is_blank(value)));
            continue;
        }
        add_words(&mut words, log);
        let role = if kind == Kind::State { StepRole::System } else { role };
        let class = variant(part).map(|(name, _)| name);
        log.step(&Draft { role, class, is_injected, ..Draft::of(kind, form, &[value]) });
    }
    add_words(&mut words, log);
}

fn is_blank(part: &Value<'_>) -> bool {
    words(part).iter().all(|part| matches!(part, TurnPart::Text(text) if text.is_empty()))
}

/// A text, what was mentioned, a picture.
fn words<'v>(value: &'v Value<'v>) -> Vec<TurnPart<'v>> {
    if let Some(words) = value.as_str() {
        return vec![TurnPart::Text(Cow::Borrowed(words))];
    }
    match variant(value) {
        Some(("Text", inner)) => vec![TurnPart::Text(text_of(inner))],
        Some(("Mention", mention)) => {
            let content = text(mention, "content").filter(|content| !content.is_empty());
            vec![TurnPart::Text(content.map_or_else(|| mentioned(mention), Cow::Borrowed))]
        }
        Some(("Image" | "image", image)) => vec![picture(image)],
        _ if value.get("source").is_some() => vec![picture(value)],
        _ => vec![TurnPart::Text(first(value, &["text", "Text"]).map_or_else(|| text_of(value), text_of))],
    }
}

/// What was mentioned without its content: its address.
fn mentioned<'v>(mention: &'v Value<'v>) -> Cow<'v, str> {
    let Some(uri) = mention.get("uri") else { return Cow::Borrowed("") };
    let named = variant(uri).and_then(|(_, of)| first_text(of, &["abs_path", "path", "url", "name", "id"]));
    named.map_or_else(|| text_of(uri), Cow::Borrowed)
}

fn picture<'v>(image: &'v Value<'v>) -> TurnPart<'v> {
    let bytes = text(image, "source").map_or(0, |source| source.len() as u64);
    TurnPart::Attachment(Attachment { media_type: Cow::Borrowed("image"), location: None, bytes })
}

fn thought<'v>(value: &'v Value<'v>) -> Cow<'v, str> {
    // What a model's service sealed is no text.
    first(value, &["text", "data"]).map_or_else(|| text_of(value), text_of)
}

fn call<'v>(value: &'v Value<'v>) -> ToolCall<'v> {
    let of = |key: &str| text(value, key).map(Cow::Borrowed);
    let input = first(value, &["input"]).map(|input| Cow::Borrowed(input.text));
    // Of a call that is being written the input may not be there yet.
    let raw = || text(value, "raw_input").filter(|raw| !raw.trim().is_empty()).map(Cow::Borrowed);
    ToolCall {
        id: of("id"),
        name: of("name").unwrap_or(Cow::Borrowed("?")),
        arguments: input.or_else(raw).unwrap_or(Cow::Borrowed("{}")),
    }
}

/// What came back from a tool: a text, a picture, or a list of these.
fn result<'v>(value: &'v Value<'v>) -> Turn<'v> {
    let content = first(value, &["content"]);
    let parts: Vec<TurnPart<'v>> = match content.map(|content| &content.data) {
        Some(Data::Array(parts)) => parts.iter().flat_map(words).collect(),
        _ => content.map(words).unwrap_or_default(),
    };
    let (texts, files): (Vec<_>, Vec<_>) = parts.into_iter().partition(|part| matches!(part, TurnPart::Text(_)));
    let mut texts = texts.into_iter().filter_map(|part| match part {
        TurnPart::Text(words) => Some(words),
        _ => None,
    });
    let begin = texts.next().unwrap_or_default();
    let text_of_all = texts.fold(begin, |all, more| Cow::Owned(all.into_owned() + "\n" + &more));
    let of = |key: &str| text(value, key).map(Cow::Borrowed);
    let result = ToolResult {
        id: of("tool_use_id"),
        name: of("tool_name"),
        text: text_of_all,
        is_error: value.get("is_error").and_then(Value::as_bool),
        ..ToolResult::default()
    };
    Turn::answer(result, files)
}
