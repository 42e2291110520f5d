//! Sessions of Cline: one JSON object with the messages of a session, or of a sub-agent.

use super::Framing;
use super::log::{
    Adapter, Blocks, Form, Log, LogRun, Row, first, form, items, model_usage, show, text, text_of, write_slots,
};
use crate::json::{self, Value};
use crate::model::{StepRole, Surroundings, ToolResult, Turn, TurnPart, Usage};
use crate::rules::trajectory::blocks::files_of;
use crate::rules::work::Dialect;
use std::borrow::Cow;

/// Sessions of Cline.
pub(super) static CLINE: Row = Row {
    name: "cline",
    agent: Some("cline"),
    title: "Cline session",
    about: "Sessions of Cline (`~/.cline/data/sessions/ID/ID.messages.json`): one object with `sessionId`, `agent` \
            and `messages` that have a time (`ts`) and `metrics`; that of a sub-agent is a file beside it. A call may \
            run several commands or read several files: each of them counts for files, exit status and outcome. \
            State: the session, its model and mode, what it used.",
    framing: Framing::LogText,
    run: || Box::new(LogRun::new(Session)),
    samples: &[SESSION, SUBAGENT],
    ..Row::BASE
};

/// A session with a call of two commands.
const SESSION: &str = r#"{"version":1,"updated_at":"2026-05-01T10:00:05Z","agent":"lead","sessionId":"s1",
    "origin":{"source":"cli","mode":"user"},"messages":[
    {"id":"m1","role":"user","ts":1777629600000,"content":[
        {"type":"text","text":"<user_input mode=\"act\">list it</user_input>"}]},
    {"id":"m2","role":"assistant","ts":1777629601000,"modelInfo":{"id":"m","provider":"p"},
        "metrics":{"inputTokens":9,"outputTokens":4,"cacheReadTokens":2,"cacheWriteTokens":1},"content":[
        {"type":"thinking","thinking":"ls will do"},
        {"type":"tool_use","id":"c1","name":"run_commands","input":{"commands":["ls","false"]}}]},
    {"id":"m3","role":"user","ts":1777629602000,"content":[
        {"type":"tool_result","tool_use_id":"c1","name":"run_commands","content":[
            {"query":"ls","result":"a.txt\n","success":true},
            {"query":"false","result":"[Command exited with code 1]","error":"Command exited with code 1",
                "success":false}]}]},
    {"id":"m4","role":"assistant","ts":1777629603000,"modelInfo":{"id":"m","provider":"p"},
        "metrics":{"inputTokens":12,"outputTokens":2},"content":[{"type":"text","text":"one file"}]}],
    "system_prompt":"You help."}"#;

/// What a sub-agent did.
const SUBAGENT: &str = r#"{"version":1,"updated_at":"2026-05-01T10:00:05Z","agent":"subagent","sessionId":"s1__a",
    "origin":{"mode":"subagent","parentThreadId":"s1"},"messages":[
    {"id":"m1","role":"user","ts":1777629600000,"content":[{"type":"text","text":"look"}]}]}"#;

/// Reads a session.
struct Session;

impl Adapter for Session {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        if let Some(id) = text(record, "sessionId") {
            log.title(id);
        }
        let cwd = text(record, "system_prompt").and_then(folder_of).map(Cow::Borrowed);
        log.surroundings_ahead(&Surroundings { cwd, ..Surroundings::default() });
        write_slots(log, "session", "main", record, &["sessionId", "agent", "taskType", "origin", "system_prompt"]);
        for message in items(record, "messages") {
            add_steps(message, log);
        }
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        let turn = show(form, values);
        match (form, values.first()) {
            (form::RESULT, Some(block)) if block.get("tool_use_id").is_some() => result(block, turn),
            (form::MESSAGE, _) if turn.role == StepRole::User => without_marks(turn),
            _ => turn,
        }
    }

    fn dialect(&self) -> Dialect {
        Dialect::Cline
    }
}

fn add_steps(message: &Value<'_>, log: &mut Log<'_>) {
    let words = items(message, "content").iter().find_map(|block| mode_and_words(text(block, "text")?));
    let model = message.get("modelInfo").and_then(|info| text(info, "id")).map(Cow::Borrowed);
    let mode = words.map(|(mode, _)| Cow::Borrowed(mode));
    log.surroundings(&Surroundings { model, mode, ..Surroundings::default() });
    let metadata = message.get("metadata");
    let is_shown_only = metadata.and_then(|data| data.get("displayOnly")?.as_bool()) == Some(true);
    let is_failed = metadata.and_then(|data| text(data, "displayRole")) == Some("error");
    let usage = message.get("metrics").map(|metrics| {
        let cost = first(metrics, &["cost", "totalCost"]).and_then(|cost| cost.as_number()?.parse().ok());
        Usage { cost, ..model_usage(metrics) }
    });
    let tokens = usage.as_ref().and_then(|usage| usage.output);
    let blocks = Blocks { time: message.get("ts"), tokens, is_failed, ..Blocks::of(message) };
    blocks.add_steps(log);
    if is_shown_only {
        log.aside();
    }
    if let Some(usage) = usage {
        log.usage(None, &usage);
    }
}

/// The folder in which the agent works, as its instructions give it.
fn folder_of(instructions: &str) -> Option<&str> {
    let (_, rest) = instructions.split_once("Working Directory: ")?;
    rest.lines().next().map(str::trim).filter(|folder| !folder.is_empty())
}

/// The mode in which a user said something, and what it was.
fn mode_and_words(text: &str) -> Option<(&str, &str)> {
    let (mode, rest) = text.strip_prefix("<user_input mode=\"")?.split_once("\">")?;
    Some((mode, rest.strip_suffix("</user_input>")?))
}

fn without_marks(turn: Turn<'_>) -> Turn<'_> {
    let plain = |part| match part {
        TurnPart::Text(Cow::Borrowed(text)) => {
            TurnPart::Text(Cow::Borrowed(mode_and_words(text).map_or(text, |(_, words)| words)))
        }
        TurnPart::Text(Cow::Owned(text)) => {
            TurnPart::Text(Cow::Owned(mode_and_words(&text).map_or(text.clone(), |(_, words)| words.to_owned())))
        }
        other => other,
    };
    Turn { parts: turn.parts.into_iter().map(plain).collect(), ..turn }
}

/// What came back from a tool: mostly a list with what came of each thing that the call asked for, or one such thing
/// as JSON text.
fn result<'v>(block: &'v Value<'v>, turn: Turn<'v>) -> Turn<'v> {
    let given = super::log::result(block);
    let Some(content) = block.get("content") else { return turn };
    if let Some(text) = content.as_str() {
        let inner = json::parse_lenient(text).ok().filter(|inner| inner.as_object().is_some());
        let Some(inner) = inner else { return turn };
        let is_error = given.is_error.or_else(|| failed(&inner));
        let Some(words) = words_of(&inner) else { return turn };
        return Turn::answer(ToolResult { text: Cow::Owned(words), is_error, ..given }, std::iter::empty());
    }
    let things: Vec<&Value<'_>> = content.as_array().unwrap_or_default().iter().collect();
    if things.is_empty() || things.iter().any(|thing| thing.get("query").is_none()) {
        return turn;
    }
    let is_error = things.iter().any(|thing| failed(thing) == Some(true)).then_some(true).or(given.is_error);
    let text = match things[..] {
        [one] => words_of(one).unwrap_or_default(),
        _ => things.iter().map(|thing| headed(thing)).collect::<Vec<_>>().join("\n"),
    };
    let files = things.iter().filter_map(|thing| thing.get("result")).flat_map(files_of);
    Turn::answer(
        ToolResult { text: Cow::Owned(text), is_error, details: Some(Cow::Borrowed(content.text)), ..given },
        files,
    )
}

fn failed(thing: &Value<'_>) -> Option<bool> {
    thing.get("success").and_then(Value::as_bool).map(|success| !success)
}

/// What came of one thing: what was found or printed, else the error, else what a sub-agent said.
fn words_of(thing: &Value<'_>) -> Option<String> {
    let text = |key: &str| thing.get(key).map(text_of).filter(|text| !text.is_empty());
    let words = text("result").or_else(|| text("error")).or_else(|| text("text"));
    words.map(Cow::into_owned).or_else(|| thing.get("query").map(|_| String::new()))
}

/// The same behind what was asked.
fn headed(thing: &Value<'_>) -> String {
    let words = words_of(thing).unwrap_or_default();
    format!("[{}]\n{words}", thing.get("query").map(text_of).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::log::testing::{run_of_record, state, steps};

    #[test]
    fn a_session_has_its_calls_what_came_of_them_and_what_they_took() {
        let parsed = run_of_record(&CLINE, SESSION);
        let steps = steps(&parsed);
        assert_eq!(steps[0], "message user: list it");
        assert_eq!(steps[1], "thought agent: ls will do");
        assert!(steps[2].starts_with("tool-call agent: run_commands"), "{steps:?}");
        assert!(steps[3].starts_with("tool-result environment: [ls]"), "{steps:?}");
        assert_eq!((steps[4].as_str(), steps.len()), ("message agent: one file", 5));
        let total = parsed.0.work().map(|work| work.total_usage()).unwrap_or_default();
        let all = (total.input, total.output, total.cache_read, total.cache_write);
        assert_eq!(all, (Some(18), Some(6), Some(2), Some(1)));
        assert!(state(&parsed, "run", 4).contains(r#""mode":"act""#));
        assert!(state(&parsed, "usage", 4).contains(r#""turns":2"#));
    }

    #[test]
    fn each_command_of_a_call_has_its_exit_status_and_the_worst_is_the_outcome() {
        let parsed = run_of_record(&CLINE, SESSION);
        let outcome = parsed.0.outcome(3).unwrap();
        assert_eq!((outcome.reason, parsed.0.error_steps()), (Some("exit"), vec![3]));
        let shell = state(&parsed, "shell", 3);
        assert!(shell.contains(r#""command":"false""#) && shell.contains(r#""exit":1"#), "{shell}");
        assert!(!state(&parsed, "call", 3).contains('2'), "each command has its result");
    }

    #[test]
    fn files_that_one_call_reads_are_known_each() {
        let read = r#"{"files":[{"path":"/w/a"},{"path":"/w/b"}]}"#;
        let text = SESSION.replace("run_commands", "read_files").replace(r#"{"commands":["ls","false"]}"#, read);
        let text = text.replace(r#""result":"a.txt\n""#, r#""result":"1 | one\n2 | two""#);
        let parsed = run_of_record(&CLINE, &text);
        let files = parsed.0.work().unwrap().files(3);
        let rows: Vec<_> = files.iter().map(|file| (file.path, file.lines)).collect();
        assert_eq!(rows.first(), Some(&("/w/a", Some(2))), "{rows:?}");
    }

    #[test]
    fn a_result_in_a_string_is_what_it_says() {
        let content = SESSION.find(
            r#""content":[
            {"query""#,
        );
        let (before, rest) = SESSION.split_at(content.unwrap());
        let behind = &rest[rest.find("}]}]},").unwrap() + 2..];
        let inner =
            r#""content":"{\"query\":\"apply_patch\",\"result\":\"\",\"error\":\"no match\",\"success\":false}""#;
        let parsed = run_of_record(&CLINE, &format!("{before}{inner}{behind}"));
        let turn = parsed.0.turn(3, &parsed.1).unwrap();
        let results: Vec<_> = turn.results().map(|result| (&*result.text, result.is_error)).collect();
        assert_eq!(results, [("no match", Some(true))]);
        assert!(!state(&parsed, "call", 3).contains('2'), "it answers all commands of the call");
    }

    #[test]
    fn what_is_shown_and_not_said_is_no_part_of_the_conversation() {
        let shown = r#""metadata":{"displayOnly":true,"displayRole":"error"},"metrics":{"inputTokens":12"#;
        let parsed = run_of_record(&CLINE, &SESSION.replace(r#""metrics":{"inputTokens":12"#, shown));
        assert!(parsed.0.exclusion(4).is_some() && parsed.0.error_steps().contains(&4));
    }
}
