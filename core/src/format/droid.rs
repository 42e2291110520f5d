//! Sessions of Factory's Droid: lines of a session, its messages within.

use super::Framing;
use super::log::{
    Adapter, Blocks, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, Row, first, first_text, form, model_usage,
    text, text_of, write_slots,
};
use crate::json::Value;
use crate::model::{StepRole, Surroundings, ToolResult, Turn, TurnPart};
use crate::rules::work::Dialect;
use std::borrow::Cow;

/// Sessions of Droid.
pub(super) static DROID: Row = Row {
    name: "droid",
    agent: Some("droid"),
    title: "Droid session",
    about: "Sessions of Factory's Droid (`~/.factory/sessions`): JSON Lines, first one of type `session_start`, then \
            messages; or what `droid exec --output-format stream-json` prints: a line of type `system`, then messages, \
            calls, results and the end. State: the session; files, shell and todo list by the rules for tool-using \
            runs.",
    framing: Framing::LogText,
    run: || Box::new(LogRun::new(Session)),
    samples: &[SESSION, STREAM],
    ..Row::BASE
};

/// A session with a call.
const SESSION: &str = concat!(
    r#"{"type":"session_start","id":"s1","title":"List","owner":"u","version":2,"cwd":"/w"}"#,
    "\n",
    r#"{"type":"message","id":"m1","timestamp":"2026-05-01T10:00:00Z","message":{"role":"user","content":["#,
    r#"{"type":"text","text":"list it"}]}}"#,
    "\n",
    r#"{"type":"message","id":"m2","timestamp":"2026-05-01T10:00:01Z","parentId":"m1","message":{"role":"assistant","#,
    r#""content":[{"type":"thinking","thinking":"ls will do"},{"type":"tool_use","id":"c1","name":"Execute","#,
    r#""input":{"command":"ls"}}]}}"#,
    "\n",
    r#"{"type":"message","id":"m3","timestamp":"2026-05-01T10:00:02Z","parentId":"m2","message":{"role":"user","#,
    r#""content":[{"type":"tool_result","tool_use_id":"c1","content":"a.txt"}]}}"#,
    "\n",
    r#"{"type":"todo_state","id":"d1","timestamp":"2026-05-01T10:00:03Z","todos":[{"id":"1","content":"list","#,
    r#""status":"completed"}]}"#,
    "\n",
);

/// What a run prints.
const STREAM: &str = concat!(
    r#"{"type":"system","subtype":"init","session_id":"s1","timestamp":1777629600000,"model":"m","cwd":"/w"}"#,
    "\n",
    r#"{"type":"message","session_id":"s1","timestamp":1777629601000,"role":"user","text":"list it","id":"m1"}"#,
    "\n",
    r#"{"type":"tool_call","session_id":"s1","timestamp":1777629602000,"toolCallId":"c1","toolName":"Execute","#,
    r#""parameters":{"command":"ls"},"id":"t1"}"#,
    "\n",
    r#"{"type":"tool_result","session_id":"s1","timestamp":1777629603000,"toolCallId":"c1","isError":false,"#,
    r#""value":{"stdout":"a.txt","exitCode":0},"id":"r1"}"#,
    "\n",
    r#"{"type":"completion","session_id":"s1","timestamp":1777629604000,"finalText":"There is a.txt","numTurns":1,"#,
    r#""usage":{"input_tokens":9,"output_tokens":4}}"#,
    "\n",
);

/// A message of a stream, or how it ended.
const WORDS: Form = FIRST_ADAPTER_FORM;
/// A result of a stream.
const RESULT: Form = FIRST_ADAPTER_FORM + 1;

/// Reads a session or a stream.
struct Session;

impl Adapter for Session {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let (class, time, values) = (text(record, "type"), record.get("timestamp"), [record]);
        let draft = |kind, form, role| Draft { role, class, time, ..Draft::of(kind, form, &values) };
        match class {
            Some("session_start" | "system") => begin(record, log),
            Some("message") => match record.get("message").filter(|message| message.as_object().is_some()) {
                Some(message) => {
                    Blocks { class, time, ..Blocks::of(message) }.add_steps(log);
                }
                None => {
                    let role = text(record, "role").map_or(StepRole::Unknown, super::log::role_of);
                    log.step(&draft(Kind::Message, WORDS, role));
                }
            },
            Some("reasoning") => {
                log.step(&draft(Kind::Thought, form::THOUGHT, StepRole::Agent));
            }
            Some("tool_call") => {
                log.step(&draft(Kind::Call, form::CALL, StepRole::Agent));
            }
            Some("tool_result") => {
                log.step(&draft(Kind::Result, RESULT, StepRole::Environment));
            }
            Some("completion") if text(record, "finalText").is_some() => {
                log.step(&draft(Kind::Message, WORDS, StepRole::Agent));
                if let Some(usage) = record.get("usage").filter(|usage| usage.as_object().is_some()) {
                    log.usage(None, &model_usage(usage));
                }
            }
            Some("todo_state") => {
                log.step(&draft(Kind::State, form::STATE, StepRole::System));
                let list = record.get("todos").map(|todos| todos.get("todos").unwrap_or(todos));
                list.filter(|list| list.as_array().is_some()).into_iter().for_each(|list| log.todo_list(list));
            }
            _ => {
                let is_failed = class == Some("error");
                log.step(&Draft { is_failed, ..draft(Kind::State, form::STATE, StepRole::System) });
            }
        }
    }

    fn dialect(&self) -> Dialect {
        Dialect::Droid
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        let Some(&value) = values.first() else { return Turn::default() };
        match form {
            WORDS => {
                let words = first(value, &["text", "finalText", "content"]).map(text_of).unwrap_or_default();
                Turn::of(StepRole::Unknown, vec![TurnPart::Text(words)])
            }
            RESULT => Turn::answer(result(value), std::iter::empty()),
            _ => super::log::show(form, values),
        }
    }
}

fn begin(record: &Value<'_>, log: &mut Log<'_>) {
    let member = |key: &str| text(record, key).map(Cow::Borrowed);
    let around = Surroundings { cwd: member("cwd"), model: member("model"), ..Surroundings::default() };
    log.surroundings_ahead(&around);
    if let Some(title) = first_text(record, &["sessionTitle", "title", "session_id", "sessionId"]) {
        log.title(title);
    }
    write_slots(log, "session", "main", record, &["id", "session_id", "sessionId", "title", "owner", "version"]);
}

/// A result of a stream: what was printed, with how it ended, or a text.
fn result<'v>(record: &'v Value<'v>) -> ToolResult<'v> {
    let value = first(record, &["value", "result", "error"]);
    let streams = value.filter(|value| value.as_object().is_some()).map(|value| {
        let printed: Vec<&str> = ["stdout", "stderr"].iter().filter_map(|key| text(value, key)).collect();
        printed.into_iter().filter(|printed| !printed.is_empty()).collect::<Vec<_>>().join("\n")
    });
    let printed = streams.filter(|printed| !printed.is_empty()).map(Cow::Owned);
    ToolResult {
        id: first_text(record, &["toolCallId", "id"]).map(Cow::Borrowed),
        is_error: record.get("isError").and_then(Value::as_bool),
        exit: value.and_then(|value| value.get("exitCode")?.as_number()?.parse().ok()),
        text: printed.or_else(|| value.map(text_of)).unwrap_or_default(),
        ..ToolResult::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::log::testing::{lines, state, steps};

    #[test]
    fn messages_of_a_session_are_steps() {
        let parsed = lines(&DROID, SESSION);
        let expected = [
            "message user: list it",
            "thought agent: ls will do",
            "tool-call agent: Execute ls",
            "tool-result environment: a.txt (of 2)",
        ];
        assert_eq!(steps(&parsed)[..4], expected);
        assert_eq!((steps(&parsed).len(), parsed.0.title().as_deref()), (5, Some("List")));
        assert!(state(&parsed, "shell", 3).contains(r#""cwd":"/w""#), "{}", state(&parsed, "shell", 3));
        assert!(state(&parsed, "todo", 4).contains(r#""status":"completed""#), "{}", state(&parsed, "todo", 4));
    }

    #[test]
    fn a_stream_has_the_same() {
        let parsed = lines(&DROID, STREAM);
        let expected = [
            "message user: list it",
            "tool-call agent: Execute ls",
            "tool-result environment: a.txt (of 1)",
            "message agent: There is a.txt",
        ];
        assert_eq!(steps(&parsed), expected);
        assert!(state(&parsed, "shell", 2).contains(r#""exit":0"#));
        let failed = STREAM.replace(r#""exitCode":0"#, r#""exitCode":2"#);
        assert_eq!(lines(&DROID, &failed).0.error_steps(), [2]);
        let killed = lines(&DROID, &STREAM.replace(r#""exitCode":0"#, r#""exitCode":-1"#));
        assert!(state(&killed, "shell", 2).contains(r#""exit":-1"#));
        assert_eq!(parsed.0.work().unwrap().total_usage().output, Some(4));
        let newer = STREAM.replace("session_id", "sessionId").replace(r#""toolCallId":"c1","#, "");
        let newer = lines(&DROID, &newer.replace(r#""id":"r1""#, r#""id":"t1""#));
        assert_eq!((newer.0.step(2, &newer.1).answers, steps(&newer).len()), (Some(1), 4));
    }
}
