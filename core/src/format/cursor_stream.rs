//! What Cursor's agent prints as `stream-json`: messages, thoughts in pieces, calls that start and end.
//!
//! See `FORMATS.md` 17.

use super::Framing;
use super::call_time::MICROS_IN_MS;
use super::log::{
    Adapter, Blocks, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, Row, count, first, first_text, form, items,
    model_usage, show, text, text_of, write_slots,
};
use crate::json::{self, Value, quote};
use crate::model::{StepNo, StepRole, Surroundings, ToolCall, ToolResult, Turn, TurnPart};
use crate::rules::work::Dialect;
use std::borrow::Cow;
use std::collections::HashSet;

/// Streams of Cursor's agent.
pub(super) static CURSOR_STREAM: Row = Row {
    name: "cursor-stream",
    agent: Some("cursor"),
    title: "Cursor stream",
    about: "What `cursor-agent --output-format stream-json` prints: JSON Lines with `session_id`, first one of type \
            `system` and subtype `init` without `tools`, then messages, `thinking`, `tool_call` lines that start and \
            complete a call, and a `result`. Pieces of a thought or a message are one step. State: session, folder, \
            model, the result; files, shell, todo list and usage by the rules for tool-using runs, and what an edit \
            reports as the file after it.",
    framing: Framing::Elements,
    run: || Box::new(LogRun::new(Lines::default())),
    samples: &[STREAM],
    ..Row::BASE
};

/// A run that reads and edits a file and runs a command that fails.
const STREAM: &str = concat!(
    r#"{"type":"system","subtype":"init","apiKeySource":"login","cwd":"/w","session_id":"s","model":"m","#,
    r#""permissionMode":"default"}"#,
    "\n",
    r#"{"type":"user","message":{"role":"user","content":[{"type":"text","text":"edit it"}]},"session_id":"s"}"#,
    "\n",
    r#"{"type":"thinking","subtype":"delta","text":"read ","session_id":"s","timestamp_ms":1777629600000}"#,
    "\n",
    r#"{"type":"thinking","subtype":"delta","text":"it","session_id":"s","timestamp_ms":1777629600100}"#,
    "\n",
    r#"{"type":"thinking","subtype":"completed","session_id":"s","timestamp_ms":1777629600200}"#,
    "\n",
    r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"I read."}]},"#,
    r#""session_id":"s","model_call_id":"k","timestamp_ms":1777629600300}"#,
    "\n",
    r#"{"type":"tool_call","subtype":"started","call_id":"c1","tool_call":{"readToolCall":{"args":{"path":"a"}}},"#,
    r#""session_id":"s","timestamp_ms":1777629601000}"#,
    "\n",
    r#"{"type":"tool_call","subtype":"completed","call_id":"c1","tool_call":{"readToolCall":{"args":{"path":"a"},"#,
    r#""result":{"success":{"content":"one\ntwo\n","totalLines":2}}}},"session_id":"s","timestamp_ms":1777629601200}"#,
    "\n",
    r#"{"type":"tool_call","subtype":"started","call_id":"c2","tool_call":{"editToolCall":{"args":{"path":"/w/a"}}},"#,
    r#""session_id":"s"}"#,
    "\n",
    r#"{"type":"tool_call","subtype":"completed","call_id":"c2","tool_call":{"editToolCall":{"args":{"path":"/w/a"},"#,
    r#""result":{"success":{"path":"/w/a","linesAdded":1,"linesRemoved":1,"diffString":"- two\n+ 2","#,
    r#""afterFullFileContent":"one\n2\n"}}}},"session_id":"s"}"#,
    "\n",
    r#"{"type":"tool_call","subtype":"started","call_id":"c3","tool_call":{"shellToolCall":{"args":{"#,
    r#""command":"false"}}},"session_id":"s"}"#,
    "\n",
    r#"{"type":"tool_call","subtype":"completed","call_id":"c3","tool_call":{"shellToolCall":{"args":{"#,
    r#""command":"false"},"result":{"failure":{"exitCode":1,"stdout":"","stderr":"bad","executionTime":12}}}},"#,
    r#""session_id":"s"}"#,
    "\n",
    r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Done."}]},"#,
    r#""session_id":"s"}"#,
    "\n",
    r#"{"type":"result","subtype":"success","duration_ms":5000,"is_error":false,"result":"I read.Done.","#,
    r#""session_id":"s","request_id":"r","usage":{"inputTokens":10,"outputTokens":5,"cacheReadTokens":2}}"#,
);

/// Pieces of a thought, of a message; a call, and what came back.
const THOUGHT: Form = FIRST_ADAPTER_FORM;
const PIECES: Form = FIRST_ADAPTER_FORM + 1;
const CALL: Form = FIRST_ADAPTER_FORM + 2;
const RESULT: Form = FIRST_ADAPTER_FORM + 3;

const INIT: [&str; 5] = ["session_id", "cwd", "model", "permissionMode", "apiKeySource"];
const END: [&str; 6] = ["subtype", "is_error", "duration_ms", "request_id", "usage", "result"];

/// Reads the lines of a stream.
#[derive(Default)]
struct Lines {
    /// The thought or the message whose pieces come: its step, its form and its words so far.
    open: Option<(StepNo, Form, String)>,
    /// Calls that started.
    calls: HashSet<Box<str>>,
}

impl Adapter for Lines {
    fn read(&mut self, line: &Value<'_>, log: &mut Log<'_>) {
        match (text(line, "type"), line.get("message")) {
            (Some("thinking"), _) => self.think(line, log),
            (Some("assistant"), Some(message)) if is_piece(line) => {
                self.piece(line, &words(message), (Kind::Message, PIECES), log);
            }
            (Some(class @ ("user" | "assistant")), Some(message)) => {
                let open = self.close(log);
                // The whole message comes behind its pieces.
                let is_known = open.is_some_and(|(form, all)| form == PIECES && all == words(message));
                if !is_known {
                    Blocks { class: Some(class), time: time(line), ..Blocks::of(message) }.add_steps(log);
                }
            }
            (Some("tool_call"), _) if tool(line).is_some() => self.call(line, log),
            _ => self.note(line, log),
        }
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        match (form, values) {
            (THOUGHT, _) => {
                let all: String = values.iter().filter_map(|line| text(line, "text")).collect();
                Turn::of(StepRole::Agent, vec![TurnPart::Thought(all.into())])
            }
            (PIECES, _) => {
                let all: String = values.iter().filter_map(|line| Some(words(line.get("message")?))).collect();
                Turn::of(StepRole::Agent, vec![TurnPart::Text(all.into())])
            }
            (CALL, [line, ..]) => Turn::of(StepRole::Agent, vec![TurnPart::Call(call(line))]),
            (RESULT, [line, ..]) => Turn::answer(result(line), std::iter::empty()),
            _ => show(form, values),
        }
    }

    fn dialect(&self) -> Dialect {
        Dialect::Cursor
    }

    fn restart(&mut self) {
        *self = Self::default();
    }
}

fn time<'v, 'a>(line: &'v Value<'a>) -> Option<&'v Value<'a>> {
    first(line, &["timestamp_ms"])
}

/// Whether a line is a piece of a message: it has a time and no id of an answer.
fn is_piece(line: &Value<'_>) -> bool {
    time(line).is_some() && first(line, &["model_call_id"]).is_none()
}

fn words(message: &Value<'_>) -> String {
    items(message, "content").iter().filter_map(|block| text(block, "text")).collect()
}

/// What a call is named by, and what it has: arguments, and a result.
fn tool<'v, 'a>(line: &'v Value<'a>) -> Option<(&'v str, &'v Value<'a>)> {
    let mut members = line.get("tool_call")?.as_object()?.entries();
    members.find(|(name, inner)| inner.as_object().is_some() && (name.ends_with(KIND) || *name == "function"))
}

const KIND: &str = "ToolCall";

fn call<'v>(line: &'v Value<'v>) -> ToolCall<'v> {
    let id = text(line, "call_id").map(Cow::Borrowed);
    let Some((name, inner)) = tool(line) else { return ToolCall { id, name: "?".into(), ..ToolCall::default() } };
    let given = first(inner, &["args", "arguments"]);
    // A tool of a server is named by its arguments.
    let of_server = given.filter(|_| name == "mcpToolCall");
    let named = of_server.and_then(|given| first_text(given, &["toolName", "name"])).or_else(|| text(inner, "name"));
    let inner_given = of_server.and_then(|given| first(given, &["args"]));
    let arguments = inner_given.or(given).map_or(Cow::Borrowed("{}"), |given| match given.as_str() {
        Some(inner) if json::parse(inner).is_ok() => Cow::Borrowed(inner),
        _ => Cow::Borrowed(given.text),
    });
    let name = named.unwrap_or_else(|| name.strip_suffix(KIND).unwrap_or(name));
    ToolCall { id, name: Cow::Borrowed(name), arguments }
}

/// What came back: a member says how it went, and holds the rest.
fn result<'v>(line: &'v Value<'v>) -> ToolResult<'v> {
    let ToolCall { id, name, .. } = call(line);
    let given = tool(line).and_then(|(_, inner)| first(inner, &["result"]));
    let outcome = given.and_then(Value::as_object);
    let outcome = outcome.and_then(|outcome| outcome.entries().find(|(_, inner)| inner.as_object().is_some()));
    let Some((way, inner)) = outcome else {
        let text = given.map(text_of).unwrap_or_default();
        return ToolResult { id, name: Some(name), text, ..ToolResult::default() };
    };
    let exit = first(inner, &["exitCode"]).and_then(|exit| exit.as_number()?.parse().ok());
    let is_done = way == "success";
    let changed = first(inner, &["afterFullFileContent"]).zip(first_text(inner, &["path"])).filter(|_| is_done);
    let details = changed.map(|(after, path)| {
        let change = format!("{{\"type\":\"add\",\"content\":{}}}", after.text);
        Cow::Owned(format!("{{\"changes\":{{{}:{change}}}}}", quote(path)))
    });
    ToolResult {
        id,
        name: Some(name),
        text: result_words(way, inner),
        is_error: if exit.is_some() { None } else { Some(!is_done) },
        exit,
        ms: count(inner, "executionTime"),
        details,
        ..ToolResult::default()
    }
}

fn result_words<'v>(way: &str, inner: &'v Value<'v>) -> Cow<'v, str> {
    let printed: Vec<Cow<'_, str>> =
        ["stdout", "stderr"].iter().filter_map(|key| first(inner, &[key])).map(text_of).collect();
    if !printed.is_empty() {
        return printed.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n").into();
    }
    const WORDS: [&str; 8] =
        ["content", "diffString", "message", "errorMessage", "error", "reason", "clientVisibleErrorMessage", "output"];
    match first(inner, &WORDS) {
        Some(found) => text_of(found),
        None if way == "success" => Cow::Borrowed(inner.text),
        None => Cow::Owned(format!("{way} {}", inner.text)),
    }
}

impl Lines {
    /// A piece of a thought, or its end.
    fn think(&mut self, line: &Value<'_>, log: &mut Log<'_>) {
        match text(line, "text").filter(|_| text(line, "subtype") != Some("completed")) {
            Some(words) => self.piece(line, words, (Kind::Thought, THOUGHT), log),
            None => {
                self.close(log);
            }
        }
    }

    fn piece(&mut self, line: &Value<'_>, words: &str, (kind, form): (Kind, Form), log: &mut Log<'_>) {
        if let Some((step, _, all)) = self.open.as_mut().filter(|(_, open, _)| *open == form) {
            log.extend(*step, line);
            all.push_str(words);
            return;
        }
        self.close(log);
        let (class, values) = (text(line, "type"), [line]);
        let draft = Draft { role: StepRole::Agent, class, time: time(line), ..Draft::of(kind, form, &values) };
        self.open = Some((log.open(&draft), form, words.to_owned()));
    }

    /// All pieces are there: what they were, and say.
    fn close(&mut self, log: &mut Log<'_>) -> Option<(Form, String)> {
        let (step, form, all) = self.open.take()?;
        let part = if form == THOUGHT { TurnPart::Thought } else { TurnPart::Text };
        log.close(step, &Turn::of(StepRole::Agent, vec![part(Cow::Borrowed(&all))]));
        Some((form, all))
    }

    fn call(&mut self, line: &Value<'_>, log: &mut Log<'_>) {
        self.close(log);
        let (values, class, time) = ([line], text(line, "type"), time(line));
        let id = text(line, "call_id").unwrap_or_default();
        let is_over = text(line, "subtype") == Some("completed");
        if !is_over || !self.calls.contains(id) {
            self.calls.insert(id.into());
            log.step(&Draft { role: StepRole::Agent, class, time, ..Draft::of(Kind::Call, CALL, &values) });
        }
        if is_over {
            log.step(&Draft { role: StepRole::Environment, class, time, ..Draft::of(Kind::Result, RESULT, &values) });
        }
    }

    /// A line that is not a message.
    fn note(&mut self, line: &Value<'_>, log: &mut Log<'_>) {
        self.close(log);
        let (class, subtype) = (text(line, "type").unwrap_or("record"), text(line, "subtype"));
        let is_init = subtype == Some("init");
        let of_init = |key: &str| text(line, key).filter(|_| is_init).map(Cow::Borrowed);
        log.surroundings(&Surroundings {
            cwd: of_init("cwd"),
            model: of_init("model"),
            mode: of_init("permissionMode"),
            ..Surroundings::default()
        });
        let values = [line];
        let shown = subtype.filter(|_| class == "system").unwrap_or(class);
        let is_failed = line.get("is_error").and_then(Value::as_bool) == Some(true);
        let draft = Draft {
            role: StepRole::System,
            class: Some(shown),
            time: time(line),
            is_failed,
            ..Draft::of(Kind::State, form::STATE, &values)
        };
        log.step(&draft);
        if is_init {
            write_slots(log, "session", "main", line, &INIT);
        }
        if class == "result" {
            write_slots(log, "result", "main", line, &END);
            let facts = log.facts();
            facts.finish = subtype.map(str::to_owned);
            facts.micros = count(line, "duration_ms").map(|ms| ms.saturating_mul(MICROS_IN_MS)).or(facts.micros);
            first(line, &["usage"]).into_iter().for_each(|usage| log.beyond(&model_usage(usage)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::log::testing::{growing, lines, state, steps};

    #[test]
    fn calls_start_and_complete_and_pieces_are_one_step() {
        for parsed in [lines(&CURSOR_STREAM, STREAM), growing(&CURSOR_STREAM, STREAM)] {
            let found = steps(&parsed);
            assert_eq!(found[1..4], ["message user: edit it", "thought agent: read it", "message agent: I read."]);
            assert_eq!((found[4].as_str(), found.len()), ("tool-call agent: read a", 12));
            assert_eq!(found[5], "tool-result environment: one\ntwo (of 4)");
            let answers = [5, 7, 9].map(|step| parsed.0.step(step, &parsed.1).answers);
            assert_eq!(answers, [Some(4), Some(6), Some(8)]);
            assert_eq!(parsed.0.error_steps(), [9]);
            assert!(state(&parsed, "shell", 9).contains(r#""exit":1"#));
            assert_eq!(state(&parsed, "usage", 11), r#"{"main":{"input":8,"output":5,"cache_read":2,"turns":0}}"#);
            assert!(state(&parsed, "run", 11).contains(r#""model":"m""#));
        }
    }

    #[test]
    fn an_edit_reports_the_file_after_it() {
        let parsed = lines(&CURSOR_STREAM, STREAM);
        let file = state(&parsed, "file", 7);
        assert!(file.contains("/w/a") && file.contains(r#""added":1,"removed":1"#), "{file}");
    }

    #[test]
    fn a_message_in_pieces_comes_once_more_as_a_whole() {
        let piece = |words: &str, more: &str| {
            let content = format!(r#"[{{"type":"text","text":"{words}"}}]"#);
            let message = format!(r#"{{"role":"assistant","content":{content}}}"#);
            format!(r#"{{"type":"assistant","message":{message},"session_id":"s"{more}}}"#)
        };
        let timed = r#","timestamp_ms":1"#;
        let text = [piece("I ", timed), piece("read.", timed), piece("I read.", ""), piece("Done.", "")].join("\n");
        assert_eq!(steps(&lines(&CURSOR_STREAM, &text)), ["message agent: I read.", "message agent: Done."]);
    }
}
