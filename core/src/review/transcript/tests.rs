//! Runs of logs as conversations in other formats.

use super::*;
use crate::format::by_name;
use crate::model::{Place, Record, RecordBody, Span};

/// The transcripts of a text whose lines are records.
fn read(format: &str, text: &str) -> Vec<Transcript> {
    let bytes = text.as_bytes().to_vec();
    let (mut run, mut offset) = (by_name(format).unwrap().run(), 0);
    for (number, line) in text.split('\n').enumerate() {
        let place = Place { span: Span { offset, len: line.len() as u64 }, line: number as u64 + 1 };
        run.push(&Record { number, place, body: RecordBody::Text, is_row: false }, line.as_bytes(), &bytes);
        offset += line.len() as u64 + 1;
    }
    run.finish(&bytes);
    Transcript::of(run.as_ref(), "pi", "name", None, &bytes)
}

/// The only transcript of a text, written.
fn written(text: &str, format: TranscriptFormat) -> (String, Left) {
    let mut all = read("pi", text);
    assert_eq!(all.len(), 1);
    all.remove(0).write(format)
}

const SESSION: &str = concat!(
    r#"{"type":"session","version":1,"id":"s","timestamp":"2026-05-01T10:00:00Z","cwd":"/w"}"#,
    "\n",
    r#"{"type":"message","timestamp":"2026-05-01T10:00:01Z","message":{"role":"user","content":"list it"}}"#,
    "\n",
    r#"{"type":"message","timestamp":"2026-05-01T10:00:02Z","message":{"role":"assistant","content":["#,
    r#"{"type":"thinking","thinking":"hm"},{"type":"text","text":"I look."},"#,
    r#"{"type":"toolCall","id":"c1","name":"ls","arguments":{"path":"."}},"#,
    r#"{"type":"toolCall","id":"c1","name":"cat","arguments":{"path":"a"}}]}}"#,
    "\n",
    r#"{"type":"message","timestamp":"2026-05-01T10:00:03Z","message":{"role":"toolResult","toolCallId":"c1","#,
    r#""content":[{"type":"text","text":"a.txt"}],"isError":true}}"#,
    "\n",
    r#"{"type":"model_change","timestamp":"2026-05-01T10:00:04Z","provider":"p","modelId":"m"}"#,
    "\n",
    r#"{"type":"message","timestamp":"2026-05-01T10:00:05Z","message":{"role":"assistant","content":"a.txt"}}"#,
);

#[test]
fn steps_of_one_answer_are_one_message() {
    let (line, left) = written(SESSION, TranscriptFormat::Messages);
    let record = json::parse(&line).unwrap();
    let messages = record.get("messages").and_then(json::Value::as_array).unwrap();
    let roles: Vec<&str> = messages.iter().filter_map(|message| message.get("role")?.as_str()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "assistant"]);
    let calls = messages[1].get("tool_calls").and_then(json::Value::as_array).unwrap();
    let ids: Vec<&str> = calls.iter().filter_map(|call| call.get("id")?.as_str()).collect();
    assert_eq!(ids, ["c1", "c1-2"], "an id is that of one call");
    assert_eq!(messages[2].get("tool_call_id").and_then(json::Value::as_str), Some("c1-2"));
    assert_eq!(messages[1].get("reasoning_content").and_then(json::Value::as_str), Some("hm"));
    assert_eq!((left.get("state model_change"), left.get("times")), (Some(&1), Some(&4)), "{left:?}");
    assert_eq!(left.get("flags of failed results"), Some(&1));
}

#[test]
fn a_standardized_trajectory_links_answered_calls_alone() {
    let (line, _) = written(SESSION, TranscriptFormat::Standard);
    let record = json::parse(&line).unwrap();
    let items = record.get("content").and_then(json::Value::as_array).unwrap();
    let describe = |item: &json::Value<'_>| {
        let text = |key: &str| item.get(key).and_then(json::Value::as_str).unwrap_or("-").to_owned();
        format!("{} {} {}", text("class_"), text("tool_call_id"), text("description"))
    };
    let expected = [
        "text_observation - -",
        "api_action - I look.",
        "api_action c1-2 -",
        "text_observation c1-2 -",
        "message_action - -",
    ];
    assert_eq!(items.iter().map(describe).collect::<Vec<_>>(), expected);
}

#[test]
fn results_of_atif_stand_in_the_step_of_their_call() {
    let (line, left) = written(SESSION, TranscriptFormat::Atif);
    let record = json::parse(&line).unwrap();
    let steps = record.get("steps").and_then(json::Value::as_array).unwrap();
    assert_eq!(steps.len(), 3);
    let results = steps[1].get("observation").and_then(|o| o.get("results")?.as_array()).unwrap();
    assert_eq!(results[0].get("source_call_id").and_then(json::Value::as_str), Some("c1-2"));
    assert_eq!(left.get("times"), Some(&1), "that of the result: {left:?}");
}

/// A turn of the user, with or without words, whose call is answered, and one of the agent.
fn with_a_call_of_the_user(words: &str) -> String {
    let call = r#"{"id":"c","type":"function","function":{"name":"toggle","arguments":"{}"}}"#;
    format!(
        r#"{{"messages":[{{"role":"user","content":"{words}","tool_calls":[{call}]}},{{"role":"tool","tool_call_id":"c","content":"on"}},{{"role":"assistant","content":"Good."}}]}}"#
    )
}

#[test]
fn calls_of_the_user_have_no_place_in_atif_and_in_standardized_trajectories() {
    for words in ["It is off.", ""] {
        for (format, name, others) in [
            (TranscriptFormat::Atif, "steps", 3),
            (TranscriptFormat::Standard, "content", 2 + usize::from(!words.is_empty())),
        ] {
            let (line, left) = read("messages", &with_a_call_of_the_user(words)).remove(0).write(format);
            let record = json::parse(&line).unwrap();
            let all = record.get(name).and_then(json::Value::as_array).unwrap();
            let has = |text: &str| line.contains(text);
            assert_eq!((all.len(), has("toggle"), has("call_id")), (others, false, false), "{line}");
            assert_eq!(left.get("calls of others than the agent"), Some(&1), "{left:?}");
        }
    }
}

#[test]
fn a_turn_of_calls_keeps_its_speaker() {
    let (line, _) = read("messages", &with_a_call_of_the_user("")).remove(0).write(TranscriptFormat::Messages);
    let record = json::parse(&line).unwrap();
    let messages = record.get("messages").and_then(json::Value::as_array).unwrap();
    let roles: Vec<&str> = messages.iter().filter_map(|message| message.get("role")?.as_str()).collect();
    assert_eq!((roles, messages[0].get("tool_calls").is_some()), (vec!["user", "tool", "assistant"], true), "{line}");
}

#[test]
fn arguments_are_objects_where_they_can_be() {
    for (given, expected) in [
        (r#"{"a": 1}"#, r#"{"a":1}"#),
        (r#""{\"a\": 1}""#, r#"{"a":1}"#),
        (r#""ls""#, r#"{"input":"ls"}"#),
        ("ls -l", r#"{"input":"ls -l"}"#),
        ("[1]", r#"{"input":[1]}"#),
    ] {
        assert_eq!(object(&arguments(given)), expected, "{given}");
    }
}

/// A span of a model, or of a tool, that begins at a time.
fn span(at: u32, operation: &str, attributes: &[(&str, &str)]) -> String {
    let named = attributes.iter().map(|(name, value)| format!(",{}:{}", json::quote(name), json::quote(value)));
    let named: String = named.collect();
    format!(
        r#"{{"name":"{operation}","spanContext":{{"traceId":"t","spanId":"s{at}"}},"startTime":{at},"attributes":{{"gen_ai.operation.name":"{operation}"{named}}}}}"#
    )
}

fn message_json(role: &str, part: &str) -> String {
    format!(r#"{{"role":"{role}","parts":[{part}]}}"#)
}

#[test]
fn the_requests_of_a_trace_are_conversations() {
    let words = |text: &str| format!(r#"{{"type":"text","content":"{text}"}}"#);
    let call = |id: &str| format!(r#"{{"type":"tool_call","id":"{id}","name":"ls","arguments":{{"p":"x"}}}}"#);
    let asked = message_json("user", &words("List it."));
    let called = message_json("assistant", &format!("{},{}", words("I look."), call("c1")));
    let answered = message_json("tool", r#"{"type":"tool_call_response","id":"c1","response":"a.txt"}"#);
    let again = message_json("assistant", &call("c2"));
    let request = |at: u32, input: &[&str], output: &str| {
        let (input, output) = (format!("[{}]", input.join(",")), format!("[{output}]"));
        let both = [("gen_ai.input.messages", input.as_str()), ("gen_ai.output.messages", output.as_str())];
        span(at, "chat", &both)
    };
    let tool = |at, id, result| {
        span(
            at,
            "execute_tool",
            &[("gen_ai.tool.name", "ls"), ("gen_ai.tool.call.id", id), ("gen_ai.tool.call.result", result)],
        )
    };
    let other = message_json("user", &words("Count it."));
    let text = [
        span(1, "invoke_agent", &[]),
        request(2, &[&asked], &called),
        tool(3, "c1", "a.txt"),
        request(4, &[&other], &message_json("assistant", &words("1"))),
        request(5, &[&asked, &called, &answered], &again),
        tool(6, "c2", "b.txt"),
    ];
    let mut all = read("otel", &text.join("\n"));
    assert_eq!(all.iter().map(|transcript| transcript.id.as_str()).collect::<Vec<_>>(), ["t", "t/2"]);
    let (line, left) = all.remove(0).write(TranscriptFormat::Messages);
    let record = json::parse(&line).unwrap();
    let messages = record.get("messages").and_then(json::Value::as_array).unwrap();
    let text =
        |message: &json::Value<'_>, key: &str| message.get(key).and_then(json::Value::as_str).unwrap_or("-").to_owned();
    let described: Vec<String> = messages
        .iter()
        .map(|m| format!("{} {} {}", text(m, "role"), text(m, "content"), text(m, "tool_call_id")))
        .collect();
    let expected = ["user List it. -", "assistant I look. -", "tool a.txt c1", "assistant  -", "tool b.txt c2"];
    assert_eq!(described, expected, "{line}");
    assert_eq!(left.get("span invoke_agent"), Some(&1), "{left:?}");
}

/// A request with these messages, each a role and a JSON part, of which the last is the answer.
fn request(at: u32, messages: &[(&str, &str)]) -> String {
    let all: Vec<String> = messages.iter().map(|(role, part)| message_json(role, part)).collect();
    let (answer, asked) = all.split_last().unwrap();
    let (asked, answer) = (format!("[{}]", asked.join(",")), format!("[{answer}]"));
    let both = [("gen_ai.input.messages", asked.as_str()), ("gen_ai.output.messages", answer.as_str())];
    span(at, "chat", &both)
}

fn contents(all: Vec<Transcript>) -> Vec<String> {
    let content = |transcript: Transcript| {
        let (line, _) = transcript.write(TranscriptFormat::Messages);
        let record = json::parse(&line).unwrap();
        let messages = record.get("messages").and_then(json::Value::as_array).unwrap();
        let text = |message: &json::Value<'_>| message.get("content").and_then(json::Value::as_str).map(str::to_owned);
        messages.iter().filter_map(text).collect::<Vec<_>>().join("|")
    };
    all.into_iter().map(content).collect()
}

#[test]
fn the_span_of_a_tool_answers_a_call_of_its_own_trace() {
    let call = |id: &str| format!(r#"{{"type":"tool_call","id":"{id}","name":"ls","arguments":{{}}}}"#);
    let text_of = r#"{"type":"text","content":"List it."}"#;
    let of_trace = |trace: &str, span: String| span.replace(r#""traceId":"t""#, &format!(r#""traceId":"{trace}""#));
    let tool = [("gen_ai.tool.name", "ls"), ("gen_ai.tool.call.id", "b1"), ("gen_ai.tool.call.result", "b.txt")];
    let text = [
        of_trace("a", request(1, &[("user", text_of), ("assistant", &call("a1"))])),
        of_trace("b", request(2, &[("user", text_of), ("assistant", &call("b1"))])),
        of_trace("b", span(3, "execute_tool", &tool)),
    ];
    assert_eq!(contents(read("otel", &text.join("\n"))), ["List it.|", "List it.||b.txt"]);
}

#[test]
fn another_answer_to_the_same_messages_is_another_conversation() {
    let text_of = |text: &str| format!(r#"{{"type":"text","content":"{text}"}}"#);
    let answered = |at: u32, answer: &str| request(at, &[("user", &text_of("Rain?")), ("assistant", &text_of(answer))]);
    let text = [answered(1, "Yes."), answered(2, "No.")];
    assert_eq!(contents(read("otel", &text.join("\n"))), ["Rain?|Yes.", "Rain?|No."]);
}

/// What comes back with a result is in its message, or counted.
#[test]
fn pictures_of_results_are_carried_or_counted() {
    let parts = r#"{"type":"text","text":"a.txt"}"#;
    let url = r#"{"type":"image","source":{"type":"url","media_type":"image/png","url":"https://e.org/a.png"}}"#;
    let data = r#"{"type":"image","data":"AAAA","mimeType":"image/jpeg"}"#;
    let text = SESSION.replace(parts, &format!("{parts},{url},{data}"));
    for (format, picture) in [
        (TranscriptFormat::Messages, r#"[{"type":"text","text":"a.txt"},{"type":"image_url","image_url":"#),
        (TranscriptFormat::Standard, r#""image_observation","source":"environment","content":"https://e.org/a.png""#),
        (TranscriptFormat::Atif, r#""source":{"media_type":"image/png","path":"https://e.org/a.png"}}]"#),
    ] {
        let (line, left) = written(&text, format);
        assert!(line.contains(picture), "{format:?}: {line}");
        assert_eq!(left.get("attachments of image/jpeg"), Some(&1), "{format:?}: {left:?}");
        let (plain, _) = written(SESSION, format);
        let count = |line: &str| line.matches("a.txt").count();
        assert_eq!(count(&line), count(&plain), "{format:?}: a picture makes no message");
    }
}
