//! Sessions of Kiro below `~/.kiro/sessions`: the messages of Kiro CLI, and the events of Kiro's editor and of the
//! engine that it shares with newer versions of the CLI, a line each.

use super::log::{
    Adapter, Copies, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, Row, count, first, first_text, form, items,
    show, text, text_of,
};
use super::{Framing, Match, kiro};
use crate::json::{self, Value};
use crate::model::{Attachment, StepNo, StepRole, Surroundings, ToolCall, ToolResult, Turn, TurnPart, Usage};
use crate::rules::trajectory::blocks::attachment;
use crate::rules::work::Dialect;
use crate::state::Op;
use std::borrow::Cow;

/// Sessions of Kiro as lines.
pub(super) static KIRO_SESSION: Row = Row {
    name: "kiro",
    agent: Some("kiro"),
    title: "Kiro session",
    about: "Sessions of Kiro below `~/.kiro/sessions`. Those of Kiro CLI (`cli/ID.jsonl`): lines with a `kind` and the \
            `data` of a message, whose parts have a `kind` too. Those of Kiro's editor and of the CLI's newer engine \
            (`messages.jsonl`): lines with an `id`, a `timestamp` and a `payload` of some `type`. State: what a \
            session says of itself; files and shell by the rules for tool-using runs. Tokens are not recorded.",
    framing: Framing::LogText,
    run: || Box::new(LogRun::new(Lines::default())),
    detect: Some(detect),
    samples: &[CLI, EVENTS],
    ..Row::BASE
};

/// A command that fails.
const CLI: &str = concat!(
    r#"{"version":"v1","kind":"Prompt","data":{"message_id":"m1","content":[{"kind":"text","data":"list x"}],"#,
    r#""meta":{"timestamp":1777629600}}}"#,
    "\n",
    r#"{"version":"v1","kind":"AssistantMessage","data":{"message_id":"m2","content":[{"kind":"thinking","data":"#,
    r#"{"text":"ls will do","signature":"s"}},{"kind":"text","data":""},{"kind":"toolUse","data":{"toolUseId":"c1","#,
    r#""name":"shell","input":{"command":"ls x"}}}]}}"#,
    "\n",
    r#"{"version":"v1","kind":"ToolResults","data":{"message_id":"m3","content":[{"kind":"toolResult","data":"#,
    r#"{"toolUseId":"c1","content":[{"kind":"json","data":{"exit_status":"exit status: 2","stdout":"","stderr":"#,
    r#""ls: x: no such file"}}],"status":"success"}}]}}"#,
    "\n",
    r#"{"version":"v1","kind":"AssistantMessage","data":{"message_id":"m4","content":[{"kind":"text","data":"#,
    r#""There is no x."}]}}"#,
);

/// A call that somebody permits, and a sub-agent.
const EVENTS: &str = concat!(
    r#"{"id":"e1","timestamp":"2026-05-01T10:00:00Z","payload":{"type":"user","content":"save it","images":[]}}"#,
    "\n",
    r#"{"id":"e2","timestamp":"2026-05-01T10:00:01Z","payload":{"type":"turn_start","executionId":"x"}}"#,
    "\n",
    r#"{"id":"e3","timestamp":"2026-05-01T10:00:02Z","payload":{"type":"assistant","operationType":"Reasoning","#,
    r#""content":"a file","reasoningSignature":"s"}}"#,
    "\n",
    r#"{"id":"e4","timestamp":"2026-05-01T10:00:03Z","payload":{"type":"tool_call","toolCallId":"c1","toolName":"#,
    r#""fs_write","args":{"path":"/w/a.txt","text":"hi\n"}}}"#,
    "\n",
    r#"{"id":"e5","timestamp":"2026-05-01T10:00:04Z","payload":{"type":"tool_result","toolCallId":"c1","success":"#,
    r#"true,"content":"Created /w/a.txt"}}"#,
    "\n",
    r#"{"id":"e6","timestamp":"2026-05-01T10:00:05Z","payload":{"type":"sub_agent_start","subSessionId":"s2","#,
    r#""subAgentName":"reviewer","prompt":"review it"}}"#,
    "\n",
    r#"{"id":"e7","timestamp":"2026-05-01T10:00:06Z","payload":{"type":"sub_agent_complete","subSessionId":"s2","#,
    r#""response":"fine"}}"#,
    "\n",
    r#"{"id":"e8","timestamp":"2026-05-01T10:00:07Z","payload":{"type":"assistant","operationType":"Say","content":"#,
    r#""Saved."}}"#,
    "\n",
    r#"{"id":"e9","timestamp":"2026-05-01T10:00:08Z","payload":{"type":"session_metadata","key":"contextUsage","#,
    r#""value":{"usagePercentage":2.5}}}"#,
    "\n",
    r#"{"id":"e10","timestamp":"2026-05-01T10:00:09Z","payload":{"type":"turn_end","executionId":"x","stopReason":"#,
    r#""end_turn"}}"#,
);

/// Kinds of messages of Kiro CLI.
const MESSAGES: [&str; 3] = ["Prompt", "AssistantMessage", "ToolResults"];

fn detect(first: &[Value<'_>]) -> Option<Match> {
    let is_message = |record: &Value<'_>| {
        let is_known = text(record, "kind").is_some_and(|kind| MESSAGES.contains(&kind));
        is_known && record.get("data").is_some_and(|data| data.get("content").and_then(Value::as_array).is_some())
    };
    let most = |is_such: &dyn Fn(&Value<'_>) -> bool| {
        let n = first.iter().filter(|record| is_such(record)).count();
        n > 0 && n * 2 >= first.len()
    };
    let reason = if most(&is_message) {
        "messages with a `kind` and the `data` of their `content`"
    } else if most(&|record| payload(record).is_some()) && first.iter().any(is_event) {
        "events with an `id`, a `timestamp` and the `payload` of a session of Kiro"
    } else {
        return None;
    };
    Some(Match { reason: reason.to_owned() })
}

/// What happened, of a line that is an event.
fn payload<'v, 'a>(record: &'v Value<'a>) -> Option<&'v Value<'a>> {
    let has_texts = ["id", "timestamp"].iter().all(|key| text(record, key).is_some());
    record.get("payload").filter(|payload| has_texts && text(payload, "type").is_some())
}

/// Whether a line is an event that no other log has.
fn is_event(record: &Value<'_>) -> bool {
    let Some(payload) = payload(record) else { return false };
    let has = |keys: &[&str]| keys.iter().all(|key| payload.get(key).is_some());
    match text(payload, "type").unwrap_or_default() {
        "assistant" => has(&["operationType", "content"]),
        "tool_call" => has(&["toolCallId", "toolName"]),
        "turn_start" | "turn_end" => has(&["executionId"]),
        "user" => has(&["content", "images"]),
        _ => false,
    }
}

/// The parts of a message that are words or pictures; of an event what the user said.
const WORDS: Form = FIRST_ADAPTER_FORM;
const THOUGHT: Form = FIRST_ADAPTER_FORM + 1;
const CALL: Form = FIRST_ADAPTER_FORM + 2;
const RESULT: Form = FIRST_ADAPTER_FORM + 3;
/// The same of events, and sub-agents.
const EVENT_WORDS: Form = FIRST_ADAPTER_FORM + 4;
const EVENT_THOUGHT: Form = FIRST_ADAPTER_FORM + 5;
const EVENT_CALL: Form = FIRST_ADAPTER_FORM + 6;
const EVENT_RESULT: Form = FIRST_ADAPTER_FORM + 7;
const SUB_AGENT: Form = FIRST_ADAPTER_FORM + 8;

/// Reads the lines of a session.
#[derive(Default)]
struct Lines {
    copies: Copies,
}

impl Adapter for Lines {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let data = record.get("data").filter(|_| text(record, "kind").is_some());
        match (payload(record), data) {
            (Some(payload), _) => {
                if !text(record, "id").is_some_and(|id| self.copies.has(id, record.text)) {
                    add_event(payload, record.get("timestamp"), log);
                }
            }
            (None, Some(data)) => add_message(text(record, "kind").unwrap_or_default(), data, log),
            (None, None) => {
                let values = [record];
                log.step(&Draft { role: StepRole::System, ..Draft::of(Kind::State, form::STATE, &values) });
            }
        }
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        let Some(&value) = values.first() else { return Turn::default() };
        match form {
            WORDS => Turn::of(StepRole::Unknown, values.iter().map(|part| content(part)).collect()),
            EVENT_WORDS => {
                let words = value.get("content").map(text_of).filter(|words| !words.is_empty());
                let files = ["images", "documents"].iter().flat_map(|key| items(value, key)).map(file);
                Turn::of(StepRole::Unknown, words.map(TurnPart::Text).into_iter().chain(files).collect())
            }
            THOUGHT | EVENT_THOUGHT => {
                let words = first(value, &["data", "content"]).unwrap_or(value);
                let words = first(words, &["text"]).unwrap_or(words);
                Turn::of(StepRole::Agent, vec![TurnPart::Thought(text_of(words))])
            }
            CALL | EVENT_CALL | SUB_AGENT => Turn::of(StepRole::Agent, vec![TurnPart::Call(call(form, value))]),
            RESULT => Turn::answer(kiro::result(value.get("data").unwrap_or(value)), std::iter::empty()),
            EVENT_RESULT => Turn::answer(event_result(value), std::iter::empty()),
            _ => show(form, values),
        }
    }

    fn dialect(&self) -> Dialect {
        Dialect::Kiro
    }
}

/// A message of Kiro CLI.
fn add_message(class: &str, data: &Value<'_>, log: &mut Log<'_>) {
    let time = data.get("meta").and_then(|meta| first(meta, &["timestamp"]));
    let role = match class {
        "Prompt" => StepRole::User,
        "AssistantMessage" => StepRole::Agent,
        "ToolResults" => StepRole::Environment,
        _ => StepRole::System,
    };
    let (begin, parts) = (log.next_step(), items(data, "content"));
    let words: Vec<&Value<'_>> = parts.iter().filter(|part| is_content(part)).collect();
    let mut has_words = false;
    for part in parts {
        let (kind, form) = match text(part, "kind").unwrap_or_default() {
            "thinking" => (Kind::Thought, THOUGHT),
            "toolUse" => (Kind::Call, CALL),
            "toolResult" => (Kind::Result, RESULT),
            _ if is_content(part) && !has_words => (Kind::Message, WORDS),
            _ => continue,
        };
        has_words |= form == WORDS;
        let only = [part];
        let values = if form == WORDS { &words[..] } else { &only };
        let role = if kind == Kind::Result { StepRole::Environment } else { role };
        log.step(&Draft { role, time, class: Some(class), ..Draft::of(kind, form, values) });
    }
    if log.next_step() == begin {
        let is_message_kind = MESSAGES.contains(&class);
        let (kind, form) = if is_message_kind { (Kind::Message, WORDS) } else { (Kind::State, form::STATE) };
        let values = [data];
        let values = if is_message_kind { &values[..0] } else { &values[..] };
        log.step(&Draft { role, time, class: Some(class), ..Draft::of(kind, form, values) });
    }
    if role == StepRole::Agent {
        log.usage(None, &Usage::default());
    }
}

/// Whether a part of a message says something, or is a picture.
fn is_content(part: &Value<'_>) -> bool {
    match text(part, "kind") {
        Some("text") => text(part, "data").is_some_and(|words| !words.is_empty()),
        Some("thinking" | "toolUse" | "toolResult") | None => false,
        Some(_) => true,
    }
}

fn content<'v>(part: &'v Value<'v>) -> TurnPart<'v> {
    let data = part.get("data").unwrap_or(part);
    match (text(part, "kind"), data.as_str()) {
        (Some("text"), Some(words)) => TurnPart::Text(Cow::Borrowed(words)),
        (Some("image"), _) => {
            let media_type = Cow::Borrowed(text(data, "format").unwrap_or("image"));
            let bytes = data.get("source").unwrap_or(data).text.len() as u64;
            TurnPart::Attachment(Attachment { media_type, location: None, bytes })
        }
        _ => TurnPart::Text(text_of(data)),
    }
}

/// An event of a session.
fn add_event(payload: &Value<'_>, time: Option<&Value<'_>>, log: &mut Log<'_>) {
    let class = text(payload, "type").unwrap_or("event");
    let model = text(payload, "reasoningModelId").map(Cow::Borrowed);
    let operation = text(payload, "operationType").unwrap_or_default();
    let is_summary = class == "assistant" && operation == "Summary";
    log.surroundings(&Surroundings { model, is_compaction: is_summary, ..Surroundings::default() });
    let (role, kind, form) = match class {
        "user" => (StepRole::User, Kind::Message, EVENT_WORDS),
        "assistant" if operation == "Reasoning" => (StepRole::Agent, Kind::Thought, EVENT_THOUGHT),
        "assistant" if is_summary => (StepRole::System, Kind::Message, EVENT_WORDS),
        "assistant" => (StepRole::Agent, Kind::Message, EVENT_WORDS),
        "session_start" => (StepRole::System, Kind::Message, EVENT_WORDS),
        "tool_call" => (StepRole::Agent, Kind::Call, EVENT_CALL),
        "sub_agent_start" => (StepRole::Agent, Kind::Call, SUB_AGENT),
        "tool_result" | "sub_agent_complete" => (StepRole::Environment, Kind::Result, EVENT_RESULT),
        _ => (StepRole::System, Kind::State, form::STATE),
    };
    let is_stopped = class == "turn_end"
        && text(payload, "stopReason").is_some_and(|reason| matches!(reason, "error" | "failed" | "aborted"));
    let values = [payload];
    let is_injected = class == "session_start";
    let draft = Draft { role, time, class: Some(class), is_injected, ..Draft::of(kind, form, &values) };
    let step = log.step(&Draft { is_failed: is_stopped, ..draft });
    if is_summary {
        log.drop_before(step);
    }
    note(class, payload, step, log);
}

/// What an event says of the session.
fn note(class: &str, payload: &Value<'_>, step: StepNo, log: &mut Log<'_>) {
    match class {
        "session_metadata" => {
            if let (Some(key), Some(value)) = (text(payload, "key"), payload.get("value")) {
                log.write("session", "main", &[key], Op::Update, value);
            }
        }
        "assistant" => {
            if let Some(tokens) = count(payload, "outputTokens") {
                log.tokens(step, tokens);
            }
            log.usage(None, &Usage::default());
        }
        _ => {}
    }
}

fn call<'v>(form: Form, value: &'v Value<'v>) -> ToolCall<'v> {
    let data = value.get("data").filter(|_| form == CALL).unwrap_or(value);
    let id = first_text(data, &["toolUseId", "toolCallId", "subSessionId"]).map(Cow::Borrowed);
    if form == SUB_AGENT {
        let of = |key: &str| json::quote(text(data, key).unwrap_or_default());
        let arguments = format!("{{\"prompt\":{},\"agent\":{}}}", of("prompt"), of("subAgentName"));
        return ToolCall { id, name: Cow::Borrowed("agent"), arguments: arguments.into() };
    }
    let name = first_text(data, &["name", "toolName"]).unwrap_or("?");
    let arguments = first(data, &["input", "args"]).map_or("{}", |arguments| arguments.text);
    ToolCall { id, name: Cow::Borrowed(name), arguments: Cow::Borrowed(arguments) }
}

/// What a tool or a sub-agent gave back.
fn event_result<'v>(value: &'v Value<'v>) -> ToolResult<'v> {
    ToolResult {
        id: first_text(value, &["toolCallId", "subSessionId"]).map(Cow::Borrowed),
        text: first(value, &["content", "response", "error"]).map(text_of).unwrap_or_default(),
        is_error: value.get("success").and_then(Value::as_bool).map(|is_success| !is_success),
        ..ToolResult::default()
    }
}

/// A file that the user gave: where it is, or what is in it.
fn file<'v>(value: &'v Value<'v>) -> TurnPart<'v> {
    if let Some(place) = value.as_str() {
        let media_type = Cow::Borrowed("file");
        return TurnPart::Attachment(Attachment { media_type, location: Some(Cow::Borrowed(place)), bytes: 0 });
    }
    let named = first_text(value, &["displayName", "id"]).map(Cow::Borrowed);
    let file = attachment(value);
    let location = file.location.or(named);
    TurnPart::Attachment(Attachment { location, ..file })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;
    use crate::format::log::testing::{assert_steps, lines, state};

    #[test]
    fn messages_of_the_command_line_have_their_parts_as_steps_and_commands_their_exit_status() {
        let parsed = lines(&KIRO_SESSION, CLI);
        assert_steps(
            &parsed,
            &[
                "message user: list x",
                "thought agent: ls will do",
                "tool-call agent: shell ls x",
                "tool-result environment: ls: x: no such file (of 2)",
                "message agent: There is no x.",
            ],
        );
        let reason = parsed.0.outcome(3).and_then(|outcome| outcome.reason);
        assert_eq!((parsed.0.error_steps(), reason), (vec![3], Some("exit")));
        assert!(state(&parsed, "shell", 3).contains(r#""exit":2"#));
        assert_eq!(parsed.0.step(0, &parsed.1).time.as_deref(), Some("1777629600"));
    }

    #[test]
    fn what_its_write_tool_replaces_is_known() {
        let turn = |id: &str, input: &str| {
            let call = format!(r#"{{"toolUseId":"{id}","name":"write","input":{input}}}"#);
            let result =
                format!(r#"{{"toolUseId":"{id}","content":[{{"kind":"text","data":"ok"}}],"status":"success"}}"#);
            let line = |kind: &str, part: &str, data: &str| {
                format!(
                    r#"{{"version":"v1","kind":"{kind}","data":{{"content":[{{"kind":"{part}","data":{data}}}]}}}}"#
                )
            };
            format!("{}\n{}", line("AssistantMessage", "toolUse", &call), line("ToolResults", "toolResult", &result))
        };
        let text = [
            turn("1", r#"{"command":"create","path":"/w/a","content":"one\ntwo\n"}"#),
            turn("2", r#"{"command":"strReplace","path":"/w/a","oldStr":"two","newStr":"2"}"#),
            turn("3", r#"{"command":"insert","path":"/w/a","insertLine":1,"content":"half"}"#),
        ];
        let parsed = lines(&KIRO_SESSION, &text.join("\n"));
        let file = state(&parsed, "file", 5);
        assert!(file.contains(r#""known":"all""#) && file.contains(r#""edits":3"#), "{file}");
        assert!(file.contains(r#""lines":3"#) && file.contains(r#""op":"insert","line":2"#), "{file}");
    }

    #[test]
    fn events_have_calls_results_and_sub_agents_as_steps() {
        let parsed = lines(&KIRO_SESSION, EVENTS);
        assert_steps(
            &parsed,
            &[
                "message user: save it",
                "state system: ",
                "thought agent: a file",
                "tool-call agent: fs_write /w/a.txt",
                "tool-result environment: Created /w/a.txt (of 3)",
                "tool-call agent: agent ",
                "tool-result environment: fine (of 5)",
                "message agent: Saved.",
                "state system: ",
                "state system: ",
            ],
        );
        assert!(state(&parsed, "file", 9).contains(r#""known":"all""#));
        assert!(state(&parsed, "sub", 9).contains(r#""task":"review it""#), "{}", state(&parsed, "sub", 9));
        assert!(state(&parsed, "session", 9).contains("usagePercentage"));
    }

    #[test]
    fn failures_summaries_files_and_copies_of_events_are_distinguished() {
        let event = |id: &str, payload: &str| {
            format!(r#"{{"id":"{id}","timestamp":"2026-05-01T10:00:00Z","payload":{payload}}}"#)
        };
        let text = [
            event("s", r#"{"type":"session_start","content":"You are Kiro","agentType":"main"}"#),
            event(
                "u",
                r#"{"type":"user","content":"","images":["file:///w/p.png"],"documents":[{"displayName":"R"}]}"#,
            ),
            event(
                "u",
                r#"{"type":"user","content":"","images":["file:///w/p.png"],"documents":[{"displayName":"R"}]}"#,
            ),
            event("c", r#"{"type":"tool_call","toolCallId":"c","toolName":"execute_bash","args":{"command":"x"}}"#),
            event("r", r#"{"type":"tool_result","toolCallId":"c","success":false,"content":"stopped"}"#),
            event("m", r#"{"type":"assistant","operationType":"Summary","content":"We began."}"#),
            event("t", r#"{"type":"turn_end","executionId":"x","stopReason":"error"}"#),
        ];
        let parsed = lines(&KIRO_SESSION, &text.join("\n"));
        assert_steps(
            &parsed,
            &[
                "message system: You are Kiro",
                "message user: [file file:///w/p.png]",
                "tool-call agent: execute_bash x",
                "tool-result environment: stopped (of 2)",
                "message system: We began.",
                "state system: ",
            ],
        );
        assert_eq!(parsed.0.error_steps(), [3, 5]);
        assert!(state(&parsed, "run", 5).contains(r#""compactions":1"#));
    }

    #[test]
    fn events_of_others_are_not_kiros() {
        let of = |text: &str| KIRO_SESSION.detect(&[json::parse(text).unwrap()]).is_some();
        assert!(of(EVENTS.lines().nth(3).unwrap()) && of(CLI.lines().next().unwrap()));
        assert!(!of(r#"{"id":"1","timestamp":"t","payload":{"type":"user","content":"x"}}"#));
        assert!(!of(r#"{"kind":"Prompt","data":{"text":"x"}}"#));
    }
}
