//! Spans: order, calls, attributes.

use super::{OTEL, OTLP, PHOENIX};
use crate::format::log::testing::{lines, steps, whole};

#[test]
fn spans_stand_in_the_order_in_which_they_began() {
    let told = lines(&OTEL, OTLP);
    assert_eq!(steps(&told), ["span agent: invoke_agent", "tool-call agent: ls x · a.txt"]);
    assert_eq!(told.0.trajectory_count(), 1);
}

#[test]
fn attributes_are_found_in_all_spellings() {
    let inner = PHOENIX.trim_start_matches('[').trim_end_matches(']');
    let nested = inner.replace(r#""llm.token_count.completion":2"#, r#""llm":{"token_count":{"completion":2}}"#);
    for text in [inner, nested.as_str()] {
        let told = whole(&OTEL, text);
        assert_eq!(steps(&told), ["span agent: Hello"]);
        assert_eq!(told.0.step(0, &told.1).tokens, Some(2));
    }
}

#[test]
fn traces_stand_one_behind_the_other() {
    let span = |trace: &str, name: &str, at: &str| {
        format!(r#"{{"name":"{name}","spanContext":{{"traceId":"{trace}","spanId":"x"}},"startTime":[{at}]}}"#)
    };
    let text =
        [span("a", "late", "5,9"), span("b", "other", "1,0"), span("a", "early", "5,08"), span("a", "first", "4,0")];
    let told = lines(&OTEL, &text.join("\n"));
    // Numbers that JSON does not write so leave their record broken.
    assert_eq!(steps(&told), ["span agent: first", "span agent: late", "span agent: other"]);
    assert_eq!(told.0.trajectory_count(), 2);
}
