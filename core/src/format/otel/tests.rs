//! Spans: order, calls, attributes.

use super::{LOGS, OTEL, OTLP, PHOENIX};
use crate::format::log::testing::{lines, run_of_record, state, steps};
use crate::json;
use crate::model::{StepNo, TurnPart};

#[test]
fn spans_stand_in_the_order_in_which_they_began() {
    let parsed = lines(&OTEL, OTLP);
    assert_eq!(steps(&parsed), ["span agent: invoke_agent", "tool-call agent: ls x · a.txt"]);
    assert_eq!(parsed.0.trajectory_count(), 1);
}

#[test]
fn a_span_is_nested_in_its_parent() {
    let depths = |text: &str| {
        let (run, bytes) = lines(&OTEL, text);
        let steps = (0..).take(run.step_count());
        steps.map(|number: StepNo| run.step(number, &bytes).depth).collect::<Vec<_>>()
    };
    assert_eq!(depths(OTLP), [0, 1]);
    let as_context = OTLP.replace(r#""parentSpanId":"a""#, r#""parentSpanContext":{"spanId":"a"}"#);
    assert_eq!(depths(&as_context), [0, 1]);
    let flat = OTLP.replace(r#""parentSpanId":"a""#, r#""parent_span_id":"a""#);
    assert_eq!(depths(&flat), [0, 1]);
    let of_another_trace = OTLP.replacen(r#""traceId":"t1""#, r#""traceId":"t2""#, 1);
    assert_eq!(depths(&of_another_trace), [0, 0]);
}

/// A text with the names of OTLP as the definitions of its messages have them.
fn with_definition_names(text: &str) -> String {
    const NAMES: [&str; 17] = [
        "resourceSpans",
        "scopeSpans",
        "resourceLogs",
        "scopeLogs",
        "logRecords",
        "traceId",
        "spanId",
        "parentSpanId",
        "startTimeUnixNano",
        "timeUnixNano",
        "eventName",
        "stringValue",
        "intValue",
        "kvlistValue",
        "arrayValue",
        "observedTimeUnixNano",
        "boolValue",
    ];
    let spelled = |name: &str| -> String {
        name.chars().flat_map(|c| c.is_uppercase().then_some('_').into_iter().chain(c.to_lowercase())).collect()
    };
    NAMES
        .iter()
        .fold(text.to_owned(), |text, name| text.replace(&format!("\"{name}\":"), &format!("\"{}\":", spelled(name))))
}

#[test]
fn names_are_those_of_the_json_or_of_the_definitions() {
    for text in [OTLP, LOGS] {
        let (run, bytes) = lines(&OTEL, text);
        let parsed = lines(&OTEL, &with_definition_names(text));
        let depths = |run: &dyn crate::format::Run, bytes: &Vec<u8>| -> Vec<u8> {
            (0..).take(run.step_count()).map(|number: StepNo| run.step(number, bytes).depth).collect()
        };
        assert_eq!(depths(&*run, &bytes), depths(&*parsed.0, &parsed.1));
        assert_eq!(steps(&(run, bytes)), steps(&parsed));
    }
}

#[test]
fn spans_without_a_trace_are_of_their_session() {
    let span = |id: &str, session: &str| {
        format!(r#"{{"name":"{id}","span_id":"{id}","start_time":"{id}","attributes":{{"session.id":"{session}"}}}}"#)
    };
    let text = [span("a", "x"), span("b", "y"), span("c", "x")].join("\n");
    assert_eq!(lines(&OTEL, &text).0.trajectory_count(), 2);
}

#[test]
fn a_parent_comes_before_a_child_that_began_with_it() {
    let spans: Vec<&str> = OTLP.lines().collect();
    let text = spans.join("\n").replace("1781296601000000000", "1781296600000000000");
    assert_eq!(steps(&lines(&OTEL, &text)), ["span agent: invoke_agent", "tool-call agent: ls x · a.txt"]);
    let circle = text.replace(r#""parentSpanId":"""#, r#""parentSpanId":"b""#);
    assert_eq!(lines(&OTEL, &circle).0.step_count(), 2);
}

#[test]
fn arguments_and_results_may_be_typed_values() {
    let typed = |name: &str, value: &str| {
        format!(r#"{{"kvlistValue":{{"values":[{{"key":"{name}","value":{{"stringValue":"{value}"}}}}]}}}}"#)
    };
    let text = OTLP
        .replace(r#"{"stringValue":"{\"path\":\"x\"}"}"#, &typed("path", "x"))
        .replace(r#"{"stringValue":"a.txt"}"#, &typed("name", "a.txt"));
    assert_eq!(steps(&lines(&OTEL, &text))[1], r#"tool-call agent: ls x · {"name":"a.txt"}"#);
}

#[test]
fn attributes_are_found_in_all_spellings() {
    let inner = PHOENIX.trim_start_matches('[').trim_end_matches(']');
    let nested = inner.replace(r#""llm.token_count.completion":2"#, r#""llm":{"token_count":{"completion":2}}"#);
    for text in [inner, nested.as_str()] {
        let parsed = run_of_record(&OTEL, text);
        assert_eq!(steps(&parsed), ["span agent: Hello"]);
        assert_eq!(parsed.0.step(0, &parsed.1).tokens, Some(2));
    }
}

#[test]
fn the_answer_of_a_model_is_words_and_the_calls_it_asks_for() {
    let of = |attributes: &str, more: &str| {
        let text = format!(
            r#"{{"name":"chat","context":{{"trace_id":"t","span_id":"s"}},"attributes":{{{attributes}}}{more}}}"#
        );
        let parsed = run_of_record(&OTEL, &text);
        assert_eq!(parsed.0.work().map(|work| work.is_open(0)), Some(false), "the span of the tool is the call");
        steps(&parsed).remove(0)
    };
    let parts = r#"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"So.\"},
        {\"type\":\"tool_call\",\"id\":\"c\",\"name\":\"ls\",\"arguments\":{\"p\":\"x\"}}]}]"#;
    let expect = "span agent: So.\nls({\"p\":\"x\"})";
    assert_eq!(of(&format!(r#""gen_ai.output.messages":"{}""#, parts.replace('\n', "")), ""), expect);
    let numbered = r#""llm.output_messages.0.message.content":"So.",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.name":"ls",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments":"{\"p\":\"x\"}""#;
    assert_eq!(of(numbered, ""), expect);
    let older = r#""gen_ai.completion.0.content":"So.","gen_ai.completion.0.tool_calls.0.name":"ls",
        "gen_ai.completion.0.tool_calls.0.arguments":"{\"p\":\"x\"}""#;
    assert_eq!(of(older, ""), expect);
    let event = r#","events":[{"name":"gen_ai.choice","attributes":{"message":"{\"content\":\"So.\"}"}}]"#;
    assert_eq!(of("", event), "span agent: So.");
    let failed = r#","status":{"code":2,"message":"no quota"}"#;
    assert_eq!(of("", failed), "span agent: no quota");
}

#[test]
fn traces_stand_one_behind_the_other() {
    let span = |trace: &str, name: &str, at: &str| {
        format!(r#"{{"name":"{name}","spanContext":{{"traceId":"{trace}","spanId":"x"}},"startTime":[{at}]}}"#)
    };
    let text =
        [span("a", "late", "5,9"), span("b", "other", "1,0"), span("a", "early", "5,08"), span("a", "first", "4,0")];
    let parsed = lines(&OTEL, &text.join("\n"));
    // Numbers that JSON does not write so leave their record broken.
    assert_eq!(steps(&parsed), ["span agent: first", "span agent: late", "span agent: other"]);
    assert_eq!(parsed.0.trajectory_count(), 2);
}

#[test]
fn messages_are_read_from_structured_attributes_and_from_events() {
    let of = |span: &str| {
        let text = format!(
            r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{{"traceId":"t","spanId":"s","name":"chat",
            {span}}}]}}]}}]}}"#
        );
        steps(&run_of_record(&OTEL, &text.replace('\n', ""))).remove(0)
    };
    let quoted = r#"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"reasoning\",\"content\":\"Hm.\"},
        {\"type\":\"blob\",\"mime_type\":\"image/png\",\"content\":\"AAAA\"},
        {\"type\":\"tool_call_response\",\"id\":\"c\",\"response\":{\"t\":7}}]}]"#;
    let details = |name: &str, value: &str| {
        format!(
            r#""events":[{{"name":"gen_ai.client.inference.operation.details","attributes":[{{"key":"{name}",
            "value":{value}}}]}}]"#
        )
    };
    let text = format!(r#"{{"stringValue":"{quoted}"}}"#);
    let shown = "span agent: Hm.\n[blob image/png]\n{\"t\":7}";
    assert_eq!(of(&details("gen_ai.output.messages", &text)), shown);
    assert_eq!(of(&details("gen_ai.input.messages", &text)), shown, "what it began with, where no answer is there");
    let typed = r#"{"arrayValue":{"values":[{"kvlistValue":{"values":[
        {"key":"role","value":{"stringValue":"assistant"}},{"key":"parts","value":{"arrayValue":{"values":[
        {"kvlistValue":{"values":[{"key":"type","value":{"stringValue":"tool_call"}},
        {"key":"name","value":{"stringValue":"ls"}},{"key":"arguments","value":{"kvlistValue":{"values":[
        {"key":"n","value":{"intValue":"3"}}]}}}]}}]}}}]}}]}}"#;
    let attributes = format!(r#""attributes":[{{"key":"gen_ai.output.messages","value":{typed}}}]"#);
    assert_eq!(of(&attributes), "span agent: ls({\"n\":3})");
    let prompt = r#""events":[{"name":"gen_ai.user.message","attributes":[{"key":"content",
        "value":{"stringValue":"Rain?"}}]}]"#;
    assert_eq!(of(prompt), "span agent: Rain?");
}

#[test]
fn events_of_logs_are_the_messages_of_a_conversation_once_each() {
    let parsed = lines(&OTEL, LOGS);
    let expected = [
        "message user: list it",
        "tool-call agent: ls",
        "tool-result environment: a.txt (of 1)",
        "message agent: a.txt",
    ];
    assert_eq!((steps(&parsed), parsed.0.title().as_deref()), (expected.map(str::to_owned).to_vec(), Some("t1")));
}

/// A record of a log of a span, with this event and body.
fn log_record(span: &str, event: &str, body: &str) -> String {
    format!(
        r#"{{"resourceLogs":[{{"scopeLogs":[{{"logRecords":[{{"timeUnixNano":"0","observedTimeUnixNano":"5",
        "traceId":"t","spanId":"{span}","eventName":"{event}","body":{body}}}]}}]}}]}}"#
    )
    .replace('\n', "")
}

#[test]
fn requests_that_begin_otherwise_are_of_another_conversation() {
    let record = |span: &str, event: &str, text: &str| {
        log_record(span, &format!("gen_ai.{event}"), &format!(r#"{{"stringValue":"{text}"}}"#))
    };
    let text = [
        record("a", "system.message", "Help."),
        record("a", "user.message", "one"),
        record("b", "system.message", "Help."),
        record("a", "choice", "1"),
        record("b", "user.message", "two"),
        record("b", "choice", "2"),
        record("c", "system.message", "Help."),
        record("c", "user.message", "one"),
        record("c", "assistant.message", "1"),
        record("c", "user.message", "one"),
        record("c", "choice", "1"),
        log_record("c", "", r#"{"stringValue":"cache missed"}"#),
    ];
    let expected = [
        "message system: Help.",
        "message user: one",
        "message agent: 1",
        "message user: two",
        "message agent: 2",
        "message user: one",
        "message agent: 1",
        "state system: cache missed",
    ];
    assert_eq!(steps(&lines(&OTEL, &text.join("\n"))), expected);
}

#[test]
fn the_details_of_a_request_are_a_step_and_a_request() {
    let text = concat!(
        r#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"traceId":"t","spanId":"s","#,
        r#""eventName":"gen_ai.client.inference.operation.details","attributes":["#,
        r#"{"key":"gen_ai.input.messages","value":"#,
        r#"{"stringValue":"[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"Rain?\"}]}]"}},"#,
        r#"{"key":"gen_ai.output.messages","value":{"stringValue":"[{\"role\":\"assistant\",\"parts\":[{\"type\":"#,
        r#"\"text\",\"content\":\"No.\"}]}]"}},{"key":"gen_ai.usage.output_tokens","value":{"intValue":"2"}}]}]}]}]}"#,
    );
    let parsed = lines(&OTEL, text);
    assert_eq!((steps(&parsed), parsed.0.step(0, &parsed.1).tokens), (vec!["span agent: No.".to_owned()], Some(2)));
    let request = parsed.0.model_request(0, &parsed.1).unwrap();
    let roles: Vec<&str> = request.messages.iter().map(|turn| turn.role.name()).collect();
    assert_eq!((roles, request.trajectory.as_str()), (vec!["user", "agent"], "t"));
}

#[test]
fn calls_beside_an_empty_message_and_json_that_a_tool_gave_back_are_there() {
    let calls = r#"{"message":{"role":"assistant","content":null},
        "tool_calls":[{"id":"c","function":{"name":"temp","arguments":"{}"}}]}"#;
    let text = [
        log_record("a", "gen_ai.user.message", r#"{"stringValue":"{\"x\":1}"}"#),
        log_record("a", "gen_ai.choice", calls),
        log_record("b", "gen_ai.tool.message", r#"{"stringValue":"{\"temp\":3}"}"#),
    ];
    let expected =
        [r#"message user: {"x":1}"#, "tool-call agent: temp", r#"tool-result environment: {"temp":3} (of 1)"#];
    assert_eq!(steps(&lines(&OTEL, &text.join("\n"))), expected);
}

#[test]
fn a_part_in_an_unknown_spelling_stays_as_it_is() {
    let part = r#"{"functionCall":{"name":"ls"}}"#;
    let value = format!(r#"[{{"role":"model","parts":[{part}]}}]"#);
    let span = format!(
        r#"{{"name":"chat","spanContext":{{"traceId":"t","spanId":"s"}},"startTime":1,"attributes":{{"gen_ai.operation.name":"chat","gen_ai.output.messages":{}}}}}"#,
        json::quote(&value)
    );
    let parsed = lines(&OTEL, &span);
    let request = parsed.0.model_request(0, &parsed.1).unwrap();
    assert_eq!(request.messages[0].parts, [TurnPart::Text(part.into())]);
}

#[test]
fn of_a_message_with_more_parts_than_forms_none_is_lost() {
    let calls: Vec<String> =
        (0..300).map(|n| format!(r#"{{"id":"c{n}","function":{{"name":"f{n}","arguments":"{{}}"}}}}"#)).collect();
    let body = format!(r#"{{"message":{{"role":"assistant","tool_calls":[{}]}}}}"#, calls.join(","));
    let parsed = lines(&OTEL, &log_record("a", "gen_ai.choice", &body));
    let last = StepNo::try_from(parsed.0.step_count() - 1).unwrap();
    let count: usize = (0..=last).map(|step| parsed.0.turn(step, &parsed.1).unwrap().calls().count()).sum();
    assert_eq!(count, 300);
}

#[test]
fn tokens_of_requests_without_an_operation_and_of_caches_are_counted_once() {
    let of = |attributes: &str| {
        let text =
            format!(r#"{{"name":"x","context":{{"trace_id":"t","span_id":"s"}},"attributes":{{{attributes}}}}}"#);
        let parsed = run_of_record(&OTEL, &text);
        crate::format::log::testing::state(&parsed, "usage", 0)
    };
    let older = r#""llm.request.type":"chat","gen_ai.usage.prompt_tokens":9,"gen_ai.usage.completion_tokens":2"#;
    assert!(of(older).contains(r#""input":9"#), "{}", of(older));
    let cached = r#""gen_ai.operation.name":"chat","gen_ai.usage.input_tokens":90,"gen_ai.usage.output_tokens":2,
        "gen_ai.usage.cache_read.input_tokens":50,"gen_ai.usage.cache_creation.input_tokens":30"#;
    for part in [r#""input":10"#, r#""cache_read":50"#, r#""cache_write":30"#] {
        assert!(of(cached).contains(part), "{}", of(cached));
    }
}

#[test]
fn the_attributes_of_events_of_otlp_are_messages() {
    let attribute = |key: &str, value: &str| format!(r#"{{"key":"{key}","value":{{"stringValue":"{value}"}}}}"#);
    let event = |name: &str, attributes: &[String]| {
        format!(r#"{{"name":"gen_ai.{name}","attributes":[{}]}}"#, attributes.join(","))
    };
    let events = [
        event("user.message", &[attribute("gen_ai.system", "openai"), attribute("content", "Rain?")]),
        event("choice", &[attribute("message", r#"{\"role\":\"assistant\",\"content\":\"Yes.\"}"#)]),
    ];
    let text = format!(
        r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{{"traceId":"t","spanId":"s","name":"chat","attributes":[{}],"events":[{}]}}]}}]}}]}}"#,
        attribute("gen_ai.operation.name", "chat"),
        events.join(",")
    );
    let parsed = run_of_record(&OTEL, &text);
    let request = parsed.0.model_request(0, &parsed.1).unwrap();
    let parts: Vec<_> = request.messages.iter().flat_map(|turn| turn.parts.clone()).collect();
    assert_eq!(parts, [TurnPart::Text("Rain?".into()), TurnPart::Text("Yes.".into())]);
}

#[test]
fn a_span_that_was_sent_twice_counts_once() {
    let span = |name: &str| format!(r#"{{"traceId":"t","spanId":"s","name":"{name}"}}"#);
    let text =
        |spans: &[String]| format!(r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{}]}}]}}]}}"#, spans.join(","));
    assert_eq!(steps(&run_of_record(&OTEL, &text(&[span("chat"), span("chat")]))).len(), 1);
    assert_eq!(steps(&run_of_record(&OTEL, &text(&[span("chat"), span("other")]))).len(), 2, "other content");
}

#[test]
fn parts_of_the_converse_interface_and_names_of_other_instrumentations_are_read() {
    let text = |key: &str, value: &str| format!(r#"{{"key":"{key}","value":{{"stringValue":"{value}"}}}}"#);
    let number = |key: &str, value: u32| format!(r#"{{"key":"{key}","value":{{"intValue":"{value}"}}}}"#);
    let asked = r#"[{\"text\":\"Rain?\"}]"#;
    let answered =
        r#"[{\"text\":\"Wait.\"},{\"toolUse\":{\"toolUseId\":\"t\",\"name\":\"look\",\"input\":{\"a\":1}}}]"#;
    let event = |name: &str, key: &str, value: &str| {
        format!(r#"{{"name":"gen_ai.{name}","attributes":[{}]}}"#, text(key, value))
    };
    let events = [event("user.message", "content", asked), event("choice", "message", answered)].join(",");
    let span = |id: &str, attributes: &[String], events: &str| {
        format!(
            r#"{{"traceId":"t","spanId":"{id}","name":"{id}","attributes":[{}],"events":[{events}]}}"#,
            attributes.join(",")
        )
    };
    let chat = [
        text("gen_ai.operation.name", "chat"),
        number("gen_ai.usage.prompt_tokens", 100),
        number("gen_ai.usage.cache_read_input_tokens", 60),
    ];
    let tool = [
        text("traceloop.span.kind", "tool"),
        text("traceloop.entity.name", "look"),
        text("traceloop.entity.input", r#"{\"a\":1}"#),
        text("traceloop.entity.output", "rain"),
    ];
    let spans = [span("chat", &chat, &events), span("tool", &tool, "")].join(",");
    let parsed = run_of_record(&OTEL, &format!(r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{spans}]}}]}}]}}"#));
    let request = parsed.0.model_request(0, &parsed.1).unwrap();
    let parts: Vec<String> =
        request.messages.iter().flat_map(|turn| &turn.parts).map(|part| format!("{part:?}")).collect();
    assert!(parts[0].contains("Rain?") && !parts[0].contains("text\\"), "{parts:?}");
    assert!(parts[1].contains("Wait.") && parts[2].starts_with("Call") && parts[2].contains("look"), "{parts:?}");
    assert!(steps(&parsed)[1].starts_with("tool-call agent: look"), "{:?}", steps(&parsed));
    let usage = state(&parsed, "usage", 1);
    assert!(usage.contains("\"input\":40") && usage.contains("\"cache_read\":60"), "{usage}");
}

#[test]
fn a_text_that_is_written_as_a_whole_and_as_parts_is_said_once() {
    let span = r#"{"name":"chat","context":{"trace_id":"t","span_id":"s"},"span_kind":"LLM","attributes":{
        "llm.output_messages.0.message.role":"assistant","llm.output_messages.0.message.content":"Checking.",
        "llm.output_messages.0.message.contents.0.message_content.type":"text",
        "llm.output_messages.0.message.contents.0.message_content.text":"Checking."}}"#;
    let (run, bytes) = run_of_record(&OTEL, span);
    let asked = run.model_request(0, &bytes).unwrap().messages;
    assert_eq!((asked.len(), asked[0].parts.len()), (1, 1), "{asked:?}");
}

/// A span with these attributes, of a trace `t`.
fn span_with(id: &str, parent: &str, attributes: &[(&str, &str)]) -> String {
    let attribute = |(key, value): &(&str, &str)| {
        let value = if value.parse::<u64>().is_ok() {
            format!(r#"{{"intValue":"{value}"}}"#)
        } else {
            format!(r#"{{"stringValue":{}}}"#, json::quote(value))
        };
        format!(r#"{{"key":"{key}","value":{value}}}"#)
    };
    let attributes: Vec<String> = attributes.iter().map(attribute).collect();
    format!(
        r#"{{"traceId":"t","spanId":"{id}","parentSpanId":"{parent}","name":"{id}","startTimeUnixNano":"1",
        "attributes":[{}]}}"#,
        attributes.join(",")
    )
}

#[test]
fn spans_of_adk_have_answers_and_results_under_names_of_its_own() {
    let answer = r#"{"content":{"parts":[{"text":"So."},{"function_call":{"name":"ls","args":{"p":"x"}}}]}}"#;
    let usage = [("gen_ai.usage.input_tokens", "5"), ("gen_ai.usage.output_tokens", "2")];
    let tool = |name| {
        [
            ("gen_ai.operation.name", "execute_tool"),
            ("gen_ai.tool.name", name),
            ("gcp.vertex.agent.llm_response", "{}"),
            ("gcp.vertex.agent.tool_call_args", r#"{"p":"x"}"#),
            ("gcp.vertex.agent.tool_response", r#"{"result":"a.txt"}"#),
        ]
    };
    let inner = [[("gen_ai.operation.name", "generate_content")].as_slice(), &usage].concat();
    let spans = [
        span_with("call_llm", "", &[[("gcp.vertex.agent.llm_response", answer)].as_slice(), &usage].concat()),
        span_with("generate_content", "call_llm", &inner),
        span_with("execute_tool ls", "call_llm", &tool("ls")),
        span_with("execute_tool (merged tools)", "call_llm", &tool("(merged tools)")),
    ];
    let parsed = lines(&OTEL, &spans.map(|span| span.replace('\n', "")).join("\n"));
    let found = steps(&parsed);
    assert_eq!(found[0], "span agent: So.\nls({\"p\":\"x\"})");
    assert_eq!(found[2], r#"tool-call agent: ls x · {"result":"a.txt"}"#);
    assert!(found[3].starts_with("span agent"), "the answers of several calls are no call: {found:?}");
    assert_eq!(state(&parsed, "usage", 3), r#"{"main":{"input":5,"output":2,"turns":1}}"#, "counted once");
}

#[test]
fn numbers_between_spans_are_no_steps_and_evaluations_say_what_they_came_to() {
    let metrics = r#"{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"gen_ai.client.token.usage"}]}]}]}"#;
    let evaluation = concat!(
        r#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"traceId":"t1","spanId":"a","#,
        r#""timeUnixNano":"1791296600000000000","#,
        r#""eventName":"gen_ai.evaluation.result","attributes":[{"key":"gen_ai.evaluation.name","value":"#,
        r#"{"stringValue":"Relevance"}},{"key":"gen_ai.evaluation.score.value","value":{"doubleValue":4.5}}]}]}]}]}"#,
    );
    let parsed = lines(&OTEL, &[metrics, OTLP, metrics, evaluation].join("\n"));
    let expected = ["span agent: invoke_agent", "tool-call agent: ls x · a.txt", "state system: Relevance · 4.5"];
    assert_eq!((steps(&parsed), parsed.0.trajectory_count()), (expected.map(str::to_owned).to_vec(), 1));
}

#[test]
fn an_evaluation_that_is_an_event_of_a_span_is_a_step_behind_it() {
    let event = r#""events":[{"timeUnixNano":"1791296600000000000","name":"gen_ai.evaluation.result","attributes":[
        {"key":"gen_ai.evaluation.name","value":{"stringValue":"Relevance"}},
        {"key":"gen_ai.evaluation.score.value","value":{"doubleValue":0.9}},
        {"key":"gen_ai.evaluation.score.label","value":{"stringValue":"pass"}}]},{"name":"other"}],"name":"invoke_agent""#;
    let text = OTLP.replace(r#""name":"invoke_agent""#, &event.replace('\n', ""));
    let parsed = lines(&OTEL, &text);
    let expected =
        ["span agent: invoke_agent", "state system: Relevance · 0.9 · pass", "tool-call agent: ls x · a.txt"];
    assert_eq!(steps(&parsed), expected);
    let step = parsed.0.step(1, &parsed.1);
    assert_eq!((step.class.as_deref(), step.depth), (Some("gen_ai.evaluation.result"), 1));
    assert_eq!(parsed.0.step(2, &parsed.1).depth, 1);
}

#[test]
fn what_agents_say_they_cost_counts_where_no_answer_says_it() {
    let usage = [("gen_ai.usage.input_tokens", "5"), ("gen_ai.usage.output_tokens", "2")];
    let of = |operation| [[("gen_ai.operation.name", operation)].as_slice(), &usage].concat();
    let agents = [
        span_with("outer", "", &of("invoke_agent")),
        span_with("ls", "outer", &[("gen_ai.operation.name", "execute_tool")]),
        span_with("inner", "ls", &of("invoke_agent")),
        span_with("other", "", &of("invoke_agent")),
    ];
    let answered = [agents.as_slice(), &[span_with("answer", "other", &of("chat"))]].concat();
    let of_spans = |spans: &[String], step| {
        let parsed = lines(&OTEL, &spans.iter().map(|span| span.replace('\n', "")).collect::<Vec<_>>().join("\n"));
        (state(&parsed, "usage", step), parsed.0.step(0, &parsed.1).tokens)
    };
    assert_eq!(of_spans(&agents, 3), (r#"{"main":{"input":10,"output":4,"turns":0}}"#.to_owned(), Some(2)));
    assert_eq!(of_spans(&answered, 4), (r#"{"main":{"input":5,"output":2,"turns":1}}"#.to_owned(), None));
    // An answer in another trace of the conversation says nothing of these agents.
    let elsewhere = [("gen_ai.conversation.id", "c"), ("gen_ai.operation.name", "chat")];
    let elsewhere =
        span_with("far", "", &[elsewhere.as_slice(), &usage].concat()).replace(r#""traceId":"t""#, r#""traceId":"u""#);
    let of_agent = [[("gen_ai.conversation.id", "c"), ("gen_ai.operation.name", "invoke_agent")].as_slice(), &usage];
    let in_two = [elsewhere, span_with("outer", "", &of_agent.concat())];
    assert_eq!(of_spans(&in_two, 1).0, r#"{"main":{"input":10,"output":4,"turns":1}}"#);
    let in_trace = |span: &String, n: usize| span.replace(r#":"t""#, &format!(r#":"t{n}""#)).replace('\n', "");
    let many: Vec<String> = (0..12).flat_map(|n| answered.iter().map(move |span| in_trace(span, n))).collect();
    for spans in [many.clone(), many.into_iter().rev().collect()] {
        let (run, _) = lines(&OTEL, &spans.join("\n"));
        let total = run.work().map(|work| work.total_usage()).unwrap_or_default();
        assert_eq!((total.input, run.revision().rebuilt), (Some(60), 1), "read again once, not for each trace");
    }
}
