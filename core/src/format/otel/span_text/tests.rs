//! Spans as the SDK for Python prints them, with the events of Strands: the messages of a request in several events, the
//! arguments and the result of a tool in events of its span.

use super::super::{OTEL, messages};
use crate::format::log::testing::{lines, steps};
use crate::json;
use crate::model::{Turn, TurnPart};

/// A span in the trace `t`; what it has beside the operation, and its events.
fn span(id: &str, operation: &str, status: &str, events: &[(&str, &[(&str, &str)])]) -> String {
    let event = |(name, attributes): &(&str, &[(&str, &str)])| {
        let of = |(key, value): &(&str, &str)| format!("{}:{}", json::quote(key), json::quote(value));
        let attributes: Vec<String> = attributes.iter().map(of).collect();
        format!(r#"{{"name":"{name}","timestamp":"t","attributes":{{{}}}}}"#, attributes.join(","))
    };
    let events: Vec<String> = events.iter().map(event).collect();
    format!(
        r#"{{"name":"{id}","context":{{"trace_id":"0xt","span_id":"{id}"}},"parent_id":null,"start_time":"{id}","status":{status},"attributes":{{"gen_ai.operation.name":"{operation}","gen_ai.tool.name":"add","gen_ai.tool.call.id":"c"}},"events":[{}]}}"#,
        events.join(",")
    )
}

const DETAILS: &str = messages::DETAILS;
const OK: &str = r#"{"status_code":"OK"}"#;
const FAILED: &str = r#"{"status_code":"ERROR","description":"nope"}"#;

#[test]
fn the_messages_of_a_request_may_be_in_several_events() {
    let answer = r#"[{"role":"assistant","parts":[{"type":"text","content":"It is 3."}]}]"#;
    let text = span(
        "1",
        "chat",
        OK,
        &[
            (DETAILS, &[("gen_ai.system_instructions", r#"[{"type":"text","content":"Be good."}]"#)]),
            (DETAILS, &[("gen_ai.input.messages", r#"[{"role":"user","parts":[{"type":"text","content":"1+2?"}]}]"#)]),
            (DETAILS, &[("gen_ai.output.messages", answer)]),
        ],
    );
    let span = json::parse(&text).unwrap();
    let words = |turn: &Turn<'_>| match turn.parts.as_slice() {
        [TurnPart::Text(text)] => format!("{}: {text}", turn.role.name()),
        others => panic!("{others:?}"),
    };
    let texts: Vec<String> = messages::messages(&span).iter().map(words).collect();
    assert_eq!(texts, ["system: Be good.", "user: 1+2?", "agent: It is 3."]);
    assert_eq!(steps(&lines(&OTEL, &text)), ["span agent: It is 3."]);
}

#[test]
fn the_events_of_a_tool_have_its_arguments_and_result() {
    let events = |result| -> [(&'static str, Vec<(&'static str, &'static str)>); 2] {
        [
            ("gen_ai.tool.message", vec![("role", "tool"), ("content", r#"{"x":1}"#), ("id", "c")]),
            ("gen_ai.choice", vec![("message", result), ("id", "c")]),
        ]
    };
    let of = |id, status, result| {
        let events = events(result);
        let events: Vec<_> = events.iter().map(|(name, attributes)| (*name, attributes.as_slice())).collect();
        span(id, "execute_tool", status, &events)
    };
    let details = r#"[{"role":"tool","parts":[{"type":"tool_call_response","id":"c","response":[{"text":"4"}]}]}]"#;
    let spans = [
        of("1", OK, r#"[{"text":"3"}]"#),
        of("2", FAILED, r#"[{"text":"Error: nope"}]"#),
        span("3", "execute_tool", OK, &[(DETAILS, &[("gen_ai.output.messages", details)])]),
        span("4", "execute_tool", FAILED, &[]),
        span("5", "invoke_agent", FAILED, &[]),
    ];
    let parsed = lines(&OTEL, &spans.join("\n"));
    let expected = [
        "tool-call agent: add x=1 · 3",
        "tool-call agent: add x=1 · Error: nope",
        "tool-call agent: add · 4",
        "tool-call agent: add · nope",
        "span agent: nope",
    ];
    assert_eq!(steps(&parsed), expected);
    assert_eq!(parsed.0.error_steps(), [1, 3, 4]);
}

#[test]
fn a_request_to_the_responses_interface_begins_with_its_second_message_and_is_answered_in_parts() {
    let text = r#"{"name":"Response","context":{"trace_id":"0xt","span_id":"1"},"parent_id":null,"start_time":"1",
        "attributes":{"openinference.span.kind":"LLM","output.value":"{\"id\":\"r\",\"output\":[]}",
        "llm.input_messages.1.message.role":"user","llm.input_messages.1.message.content":"1+2?",
        "llm.input_messages.2.message.role":"assistant",
        "llm.input_messages.2.message.tool_calls.0.tool_call.id":"c",
        "llm.input_messages.2.message.tool_calls.0.tool_call.function.name":"add",
        "llm.input_messages.3.message.role":"tool","llm.input_messages.3.message.tool_call_id":"c",
        "llm.input_messages.3.message.content":"3",
        "llm.output_messages.0.message.role":"assistant",
        "llm.output_messages.0.message.contents.0.message_content.type":"text",
        "llm.output_messages.0.message.contents.0.message_content.text":"three",
        "llm.output_messages.0.message.contents.1.message_content.text":"or so"}}"#;
    let span = json::parse(text).unwrap();
    let roles: Vec<&str> = messages::messages(&span).iter().map(|turn| turn.role.name()).collect();
    assert_eq!(roles, ["user", "agent", "environment", "agent"]);
    let steps = steps(&lines(&OTEL, &text.replace('\n', " ")));
    assert_eq!(steps, ["span agent: three\nor so"]);
}
