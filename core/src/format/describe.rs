//! Descriptions of records of any shape, guessed from the names of their members, and words that several formats share.

mod blocks;
mod layers;

use crate::json::{self, Value};
use crate::model::{Bytes, Problem, Span, Step, StepKind, StepRole, Turn, lossy};
use crate::rules::work::{Dialect, action_line, line_count};
use crate::text::shorten;
use blocks::Block;

/// Longest record, in bytes, that is parsed whole to describe it.
pub(crate) const WHOLE_MAX: u64 = 256 * 1024;

/// Bytes that are parsed of a longer one.
const HEAD_LEN: u64 = 64 * 1024;

/// Longest summary, in characters.
const SUMMARY_CHARS: usize = 400;

/// Keys that hold a time.
const TIME_KEYS: [&str; 11] = [
    "timestamp",
    "@timestamp",
    "ts",
    "time",
    "datetime",
    "created_at",
    "createdAt",
    "start_time",
    "startTime",
    "date",
    "_date",
];

/// The text of a record; of one longer than the limit its beginning, with open containers closed.
///
/// # Errors
/// The input no longer holds it.
pub(crate) fn read(span: Span, bytes: &dyn Bytes) -> Result<String, Problem> {
    if span.len <= WHOLE_MAX {
        return Ok(lossy(&bytes.read(span)?).into_owned());
    }
    let start = bytes.read(Span { len: HEAD_LEN, ..span })?;
    // The cut may go through a character: its half is left out.
    let text = String::from_utf8_lossy(&start);
    Ok(json::head(text.trim_end_matches('\u{FFFD}')))
}

/// The role that a word means.
#[must_use]
pub(crate) fn role_of(word: &str) -> Option<StepRole> {
    Some(match word.to_lowercase().as_str() {
        "user" | "human" => StepRole::User,
        "assistant" | "agent" | "ai" | "gpt" | "model" | "bot" | "llm" => StepRole::Agent,
        "tool" | "function" | "observation" | "environment" | "toolresult" | "tool_result" | "ipython" => {
            StepRole::Environment
        }
        "system" | "developer" => StepRole::System,
        _ => return None,
    })
}

/// The kind of step that a word for the type of a record means.
#[must_use]
pub(super) fn kind_of(class: &str) -> Option<StepKind> {
    blocks::sign_of(&class.to_lowercase())
}

/// Describes a record by the names of its members.
#[must_use]
pub(crate) fn record(value: &Value<'_>) -> Step {
    let layers = layers::of(value);
    let blocks = blocks::of(&layers);
    let (role, role_text) = layers::role(value, &layers);
    let class = value.get("type").and_then(Value::as_str).map(str::to_owned);
    let sign = sign(&layers, &blocks, role);
    let described =
        layers::layers_text(&layers).or_else(|| blocks::blocks_text(&blocks)).or_else(|| layers::name(&layers));
    let role = if role == StepRole::Unknown && sign == StepKind::Call { StepRole::Agent } else { role };
    Step {
        sign,
        kind: "record".to_owned(),
        label: role_text.clone().or_else(|| layers::class(&layers)).unwrap_or_else(|| "record".to_owned()),
        class,
        role,
        role_text,
        tool: layers::tool(&layers, sign).or_else(|| blocks.iter().find_map(|block| block.tool.clone())),
        chars: described.as_ref().map_or(0, |text| text.chars().count()),
        time: time(value),
        summary: described.map_or_else(|| layers::rest(value), |text| shortened(&text)),
        ..Step::default()
    }
}

/// Describes a record of any format from its text. The text is parsed whole, so it should be short.
#[must_use]
pub fn describe(text: &str) -> Step {
    match json::parse_lenient(text) {
        Ok(value) => record(&value),
        Err(error) => broken(&error.to_string()),
    }
}

/// The error that a record reports beside what it says: itself, or in its message.
#[must_use]
pub fn reported_error(text: &str) -> Option<String> {
    const ERRORS: [&str; 3] = ["errorMessage", "error_message", "error"];
    let value = json::parse(text).ok()?;
    let places = value.get("message").into_iter().chain([&value]);
    let mut errors = places.flat_map(|place| ERRORS.iter().filter_map(|name| place.get(name)));
    errors.find_map(|error| Some(error.get("message").unwrap_or(error).as_str()?.to_owned()))
}

/// Describes a step by its turn: its calls, and how long its results are.
#[must_use]
pub(crate) fn acting(turn: &Turn<'_>, dialect: Dialect) -> Step {
    let lines = turn.results().map(|result| line_count(&result.text));
    Step {
        action: turn.calls().next().map(|call| action_line(call, dialect)),
        calls: turn.calls().count(),
        result_lines: lines.reduce(|all, more| all + more),
        ..Step::default()
    }
}

/// A record that is not valid JSON.
#[must_use]
pub(crate) fn broken(reason: &str) -> Step {
    Step {
        sign: StepKind::Broken,
        kind: "broken".to_owned(),
        label: "broken".to_owned(),
        summary: reason.to_owned(),
        ..Step::default()
    }
}

/// A time, where the record or its message has one, as written.
#[must_use]
pub(crate) fn time(value: &Value<'_>) -> Option<String> {
    let scalar = |v: &Value<'_>| v.as_str().or(v.as_number()).map(str::to_owned);
    let of = |value: &Value<'_>| TIME_KEYS.iter().find_map(|key| value.get(key).and_then(scalar));
    of(value).or_else(|| value.get("message").and_then(of))
}

/// A text on one line, cut to the length of a summary.
#[must_use]
pub(crate) fn shortened(text: &str) -> String {
    shorten(text.trim(), SUMMARY_CHARS).into_owned()
}

/// The compact beginning of a value.
#[must_use]
pub(crate) fn beginning(value: &Value<'_>) -> String {
    if value.text.len() > 4 * SUMMARY_CHARS {
        let start = value.text.char_indices().nth(4 * SUMMARY_CHARS).map_or(value.text.len(), |(i, _)| i);
        if let Ok(value) = json::parse_lenient(&json::head(&value.text[..start])) {
            return shortened(&json::compact(&value));
        }
    }
    shortened(&json::compact(value))
}

/// The summary of a record that is not a message: its words, else its members without ids, times and type.
#[must_use]
pub(crate) fn note(value: &Value<'_>) -> String {
    layers::note(value, &[])
}

/// The same without the members named in `hidden`, which all records of a log have.
#[must_use]
pub(crate) fn note_without(value: &Value<'_>, hidden: &[&str]) -> String {
    layers::note(value, hidden)
}

/// The kind of a record, by its faults, its class, its blocks and its role.
fn sign(layers: &[&Value<'_>], blocks: &[Block], role: StepRole) -> StepKind {
    let classes = layers.iter().filter_map(|layer| layers::class_of(layer));
    let by_class = classes.map(str::to_lowercase).find_map(|class| blocks::sign_of(&class));
    let by_blocks = || {
        let has = |sign| blocks.iter().any(|block| block.sign == sign);
        [StepKind::Call, StepKind::Result].into_iter().find(|sign| has(*sign)).or_else(|| {
            (!blocks.is_empty() && blocks.iter().all(|block| block.sign == StepKind::Thought))
                .then_some(StepKind::Thought)
        })
    };
    if layers.iter().any(|layer| layers::is_failed(layer)) || blocks.iter().any(|block| block.is_failed) {
        return StepKind::Error;
    }
    by_class.or_else(by_blocks).unwrap_or(match role {
        StepRole::Environment => StepKind::Result,
        StepRole::User | StepRole::Agent | StepRole::System => StepKind::Message,
        StepRole::Unknown => StepKind::Other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn guesses_who_when_and_what() {
        for (text, role, label, time, summary) in [
            (
                r#"{"role":"assistant","content":[{"text":"a"},{"text":"b"}]}"#,
                StepRole::Agent,
                "assistant",
                None,
                "a\nb",
            ),
            (
                r#"{"type":"user","message":{"role":"user","content":"hi"},"ts":17.0}"#,
                StepRole::User,
                "user",
                Some("17.0"),
                "hi",
            ),
            (r#"{"from":"gpt","value":"x"}"#, StepRole::Agent, "gpt", None, "x"),
            (r#"{"@timestamp":"t1","message":"m"}"#, StepRole::Unknown, "record", Some("t1"), "m"),
            (r#"{"datetime":"t2","msg":"m"}"#, StepRole::Unknown, "record", Some("t2"), "m"),
            (r#"{"name":"s","start_time":"t3"}"#, StepRole::Unknown, "record", Some("t3"), "s"),
            (r#"{"name":"s","startTime":17}"#, StepRole::Unknown, "record", Some("17"), "s"),
            (r#"{"level" : 3}"#, StepRole::Unknown, "record", None, "{\"level\":3}"),
            ("[1, 2]", StepRole::Unknown, "record", None, "[1,2]"),
            (
                r#"{"type":"text","timestamp":17,"sessionID":"s","part":{"messageID":"m","type":"text","text":"Hi"}}"#,
                StepRole::Agent,
                "text",
                Some("17"),
                "Hi",
            ),
            (
                r#"{"id":"p","sessionID":"s","messageID":"m","type":"text","text":"x"}"#,
                StepRole::Unknown,
                "text",
                None,
                "x",
            ),
            (r#"{"type":"x","part":"head"}"#, StepRole::Unknown, "x", None, "head"),
        ] {
            let step = record(&parse(text).unwrap());
            assert_eq!(
                (step.role, step.label.as_str(), step.time.as_deref(), step.summary.as_str()),
                (role, label, time, summary)
            );
        }
    }

    #[test]
    fn looks_into_what_a_record_wraps_and_its_blocks() {
        use StepKind::{Call, Error, Message, Other, Result, Thought};
        for (text, sign, role, tool, summary) in [
            (
                r#"{"message":{"role":"user","content":[{"type":"tool_result","content":[{"text":"a.txt"}]}]}}"#,
                Result,
                StepRole::User,
                None,
                "a.txt",
            ),
            (
                r#"{"type":"message","message":{"content":[{"type":"tool_use","name":"Read","input":{"path":"a"}}]}}"#,
                Call,
                StepRole::Agent,
                Some("Read"),
                "Read {\"path\":\"a\"}",
            ),
            (
                r#"{"type":"event","payload":{"type":"function_call","name":"sh","arguments":"{}","call_id":"c"}}"#,
                Call,
                StepRole::Agent,
                Some("sh"),
                "sh {}",
            ),
            (r#"{"payload":{"type":"reasoning","summary":[{"text":"Hm."}]}}"#, Thought, StepRole::Unknown, None, "Hm."),
            (
                r#"{"role":"model","parts":[{"functionCall":{"name":"ls","args":{"d":"."}}}]}"#,
                Call,
                StepRole::Agent,
                Some("ls"),
                "ls {\"d\":\".\"}",
            ),
            (
                r#"{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":"{\"a\":1}"}}]}"#,
                Call,
                StepRole::Agent,
                Some("f"),
                "f {\"a\":1}",
            ),
            (
                r#"{"type":"item.completed","item":{"type":"agent_message","text":"Hi"}}"#,
                Message,
                StepRole::Agent,
                None,
                "Hi",
            ),
            (r#"{"level":"ERROR","msg":"disk full"}"#, Error, StepRole::Unknown, None, "disk full"),
            (
                r#"{"type":"tool","error":{"message":"no such file"}}"#,
                Error,
                StepRole::Environment,
                None,
                "no such file",
            ),
            (r#"{"type":"x","error":null,"title":"t"}"#, Other, StepRole::Unknown, None, "t"),
            (
                r#"{"id":"018f-22aa-3344-5566","sessionId":"s","time":5,"message":"018f-22aa-3344-5566","n":1}"#,
                Other,
                StepRole::Unknown,
                None,
                "{\"n\":1}",
            ),
        ] {
            let step = record(&parse(text).unwrap());
            let described = (step.sign, step.role, step.tool.as_deref(), step.summary.as_str());
            assert_eq!(described, (sign, role, tool, summary), "{text}");
        }
    }

    #[test]
    fn logs_of_unknown_agents_show_text_role_tool_and_error() {
        use StepKind::{Call, Error, Message, Other, Result};
        let id = "0f8fad5b-d9cb-469f-a165-70867728950e";
        for (text, sign, role, tool, summary) in [
            (
                r#"{"kind":"agent_message","payload":{"id":"ID","text":"I look"}}"#,
                Message,
                StepRole::Agent,
                None,
                "I look",
            ),
            (
                r#"{"kind":"tool_call","payload":{"id":"ID","tool":"sh","args":{"c":"ls"}}}"#,
                Call,
                StepRole::Agent,
                Some("sh"),
                "sh {\"c\":\"ls\"}",
            ),
            (
                r#"{"event":"tool_result","data":{"id":"ID","output":"a.txt"}}"#,
                Result,
                StepRole::Environment,
                None,
                "a.txt",
            ),
            (r#"{"kind":"tool_result","payload":{"error":"no file"}}"#, Error, StepRole::Environment, None, "no file"),
            (
                r#"{"event":"tool","data":{"name":"grep","input":{"q":"x"},"id":"ID"}}"#,
                Call,
                StepRole::Environment,
                Some("grep"),
                "grep {\"q\":\"x\"}",
            ),
            (
                r#"{"id":"ID","response":{"choices":[{"message":{"role":"assistant","content":"Hi!"}}]}}"#,
                Message,
                StepRole::Agent,
                None,
                "Hi!",
            ),
            (
                r#"{"custom_id":"ID","body":{"messages":[{"role":"user","content":"hello there"}]}}"#,
                Message,
                StepRole::User,
                None,
                "hello there",
            ),
            (
                r#"{"step":1,"thought":"I look","action":{"tool":"search","input":"cats"}}"#,
                Other,
                StepRole::Unknown,
                Some("search"),
                "I look",
            ),
            (r#"{"type":"compaction","tokens":7}"#, Other, StepRole::Unknown, None, "{\"tokens\":7}"),
        ] {
            let text = text.replace("ID", id);
            let step = record(&parse(&text).unwrap());
            let described = (step.sign, step.role, step.tool.as_deref(), step.summary.as_str());
            assert_eq!(described, (sign, role, tool, summary), "{text}");
        }
    }

    #[test]
    fn notes_say_words_else_members_and_never_ids() {
        let note_of = |text: &str| note(&parse(text).unwrap());
        let id = "0f8fad5b-d9cb-469f-a165-70867728950e";
        assert_eq!(note_of(&format!(r#"{{"type":"error","id":"{id}","message":"no quota"}}"#)), "no quota");
        assert_eq!(note_of(r#"{"error":{"name":"x","data":{"message":"gone"}}}"#), "gone");
        assert_eq!(note_of(r#"{"model":"m","summary":"auto"}"#), "model m · summary auto");
        assert_eq!(note_of(r#"{"model":"m","summary":"so it was"}"#), "so it was");
        assert_eq!(note_of(&format!(r#"{{"type":"turn_end","turnId":"{id}","parentUuid":"{id}"}}"#)), "");
        assert_eq!((note_of("[1,2]"), note_of("\"x\"")), ("[1,2]".to_owned(), "x".to_owned()));
        let line = parse(r#"{"cwd":"/w","version":"2","durationMs":5}"#).unwrap();
        assert_eq!(note_without(&line, &["cwd", "version"]), "durationMs 5");
    }

    #[test]
    fn a_huge_record_is_described_from_its_beginning() {
        let mut text = String::from("{\"role\":\"user\",\"content\":\"");
        text.push_str(&"é".repeat(400_000));
        text.push_str("\"}");
        let len = text.len() as u64;
        let read = read(Span { offset: 0, len }, &text.into_bytes()).unwrap();
        assert!(read.len() <= HEAD_LEN as usize + 8);
        let step = record(&parse(&read).unwrap());
        assert_eq!((step.role, step.summary.chars().count()), (StepRole::User, SUMMARY_CHARS + 1));
    }
}
