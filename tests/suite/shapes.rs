//! Inputs that grow in one way each.

use std::fmt::Write as _;

/// A way to grow.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    /// How much of it is once as much.
    pub(crate) count: usize,
    /// The text of so much.
    pub(crate) make: fn(usize) -> String,
}

/// A record a line.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut out, i| {
        let _ = writeln!(out, "{}", line(i));
        out
    })
}

fn listed(count: usize, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect::<Vec<_>>().join(",")
}

/// A message that writes a value to `†state`.
fn state(value: &str) -> String {
    format!(r#"{{"type":"state","state":{value}}}"#)
}

/// A message that writes a list to `†state.l`.
fn list(count: usize, item: impl Fn(usize) -> String) -> String {
    state(&format!(r#"{{"l":[{}]}}"#, listed(count, item)))
}

/// A value, a plan of `count` calls, and a value again.
fn plan(count: usize, call: impl Fn(usize) -> String) -> String {
    let calls = format!(r#"{{"type":"plan","plan":[{}]}}"#, listed(count, call));
    [state(r#"{"l":1}"#), calls, state(r#"{"m":2}"#)].join("\n")
}

fn call(read: &str, write: &str) -> String {
    format!(r#"{{"_tool":"t","v":"†state.{read}","_outputPath":"†state.{write}"}}"#)
}

/// A chat with one message of `count` calls, and what follows it.
fn chat_of_calls(count: usize, rest: &str) -> String {
    let call = |i: usize| {
        format!(r#"{{"id":"c{i}","type":"function","function":{{"name":"ls","arguments":"{{\"l\":{i}}}"}}}}"#)
    };
    let calls = format!(r#"{{"role":"assistant","content":"","tool_calls":[{}]}}"#, listed(count, call));
    format!("{{\"id\":\"c\",\"messages\":[{{\"role\":\"user\",\"content\":\"hi\"}},{calls}{rest}]}}\n")
}

/// Agents of which each takes what the one before gives.
fn contracts(count: usize) -> String {
    let port = |name: &str, i: usize| format!(r#"[{{"name":"{name}","data_type":"T{i}"}}]"#);
    let contract = |i: usize| {
        format!(r#"{{"name":"A{i}","capability":"c","inputs":{},"outputs":{}}}"#, port("x", i), port("y", i + 1))
    };
    format!("{{\"slots\":{{}},\"contracts\":[{}]}}\n", listed(count, contract))
}

const fn shape(name: &'static str, count: usize, make: fn(usize) -> String) -> Shape {
    Shape { name, count, make }
}

pub(crate) const SHAPES: &[Shape] = &[
    shape("keys", 300, |n| {
        let keys = listed(n, |i| format!(r#""k{i}":"value {i}""#));
        format!("{}\n{}\n", state(&format!("{{{keys}}}")), state(r#"{"l":1}"#))
    }),
    shape("kinds", 200, |n| {
        lines(n, |i| format!(r#"{{"type":"data","kind":"k{i}","data":{{"l":"value {i}"}}}}"#)) + &state("{}")
    }),
    shape("instances", 200, |n| {
        lines(n, |i| format!(r#"{{"type":"state","_instance":"i{i}","state":{{"l":"value {i}"}}}}"#))
    }),
    shape("messages", 200, |n| lines(n, |i| state(&format!(r#"{{"l":"value {i}"}}"#)))),
    shape("same", 200, |n| lines(n, |_| state(r#"{"l":"value"}"#))),
    shape("line", 300, |n| list(n, |i| format!(r#"{{"a":{i},"b":"value {i}"}}"#))),
    shape("string", 20_000, |n| state(&format!(r#"{{"l":"{}"}}"#, "x y ".repeat(n)))),
    shape("deep", 10, |n| state(&format!(r#"{{"l":{}1{}}}"#, r#"{"a":"#.repeat(n), "}".repeat(n)))),
    shape("errors", 200, |n| {
        lines(n, |i| format!(r#"{{"type":"error","error":{{"why":"value {i}"}}}}"#)) + &state(r#"{"l":1}"#)
    }),
    shape("fan_in", 200, |n| plan(n, |i| call("l", &format!("o{i}")))),
    shape("fan_out", 200, |n| plan(n, |i| call("x", &if i == 0 { "x".to_owned() } else { format!("o{i}") }))),
    shape("product", 30, |n| plan(n * 10, |i| if i < n { call("l", "r") } else { call("r.x", &format!("o{i}")) })),
    shape("chain", 200, |n| plan(n, |i| call(&format!("o{i}"), &format!("o{}", i + 1)))),
    shape("dangling", 100, |n| {
        let instances = lines(n, |i| format!(r#"{{"type":"state","_instance":"i{i}","state":{{"l":{i}}}}}"#));
        instances + &lines(n, |i| format!(r#"{{"type":"call","call":{{"_tool":"t","v":"†state.none{i}"}}}}"#))
    }),
    shape("calls", 200, |n| {
        state(r#"{"l":1}"#) + "\n" + &lines(n, |_| r#"{"type":"call","call":{"_tool":"t","v":"†state.l"}}"#.to_owned())
    }),
    shape("replaced", 60, |n| lines(n, |i| list(20, |j| ((i * 7 + j) % 1_000).to_string()))),
    shape("appended", 200, |n| {
        lines(n, |i| format!(r#"{{"type":"state","state":{{"l":["value {i}"]}},"_outputMethod":"concat"}}"#))
    }),
    shape("results", 60, |n| {
        lines(n, |i| {
            let data = format!(r#"{{"out":"value {i}"}}"#);
            let result = format!(r#"{{"type":"data","kind":"r","data":{data},"_call":{{"_tool":"t"}}}}"#);
            result + "\n" + &state(&format!(r#"{{"l":"value {i}"}}"#))
        })
    }),
    shape("envelopes", 60, |n| {
        let value = |i: usize| state(&format!(r#"{{"l":"value {i}"}}"#));
        let context = |i: usize| listed(i.min(2) + 1, |j| value(i.saturating_sub(2) + j));
        lines(n, |i| format!(r#"{{"context":[{}]}}"#, context(i)))
    }),
    shape("inserted", 60, |n| {
        let (first, last) = (state(r#"{"m":1}"#), state(r#"{"l":"last"}"#));
        let new = listed(n, |i| state(&format!(r#"{{"l":"value {i}","k{i}":1}}"#)));
        format!("{{\"context\":[{first},{last}]}}\n{{\"context\":[{first},{new},{last}]}}\n")
    }),
    shape("inserted_kinds", 60, |n| {
        let (first, last) = (state(r#"{"l":1}"#), r#"{"type":"data","kind":"last","data":1}"#);
        let new = listed(n, |i| format!(r#"{{"type":"data","kind":"k{i}","data":"value {i}"}}"#));
        format!("{{\"context\":[{first},{last}]}}\n{{\"context\":[{first},{new},{last}]}}\n")
    }),
    shape("inserted_between", 60, |n| {
        let old = |i: usize| state(&format!(r#"{{"m{}":{{"a":{i}}}}}"#, i % 5));
        let pair = |i: usize| format!("{},{}", state(&format!(r#"{{"l":"value {i}","m1":{{"a":0}}}}"#)), old(i));
        format!("{{\"context\":[{}]}}\n{{\"context\":[{}]}}\n", listed(n, old), listed(n, pair))
    }),
    shape("output_paths", 100, |n| {
        let values = listed(n, |i| format!(r#""k{i}":"value {i}""#));
        let paths = (0..n).map(|i| format!("†state.k{i}")).collect::<Vec<_>>().join(" && ");
        let message = |rest: &str| format!("{{\"type\":\"data\",\"kind\":\"state\",{rest}}}\n");
        let call = |method: &str| format!(r#""_call":{{"_outputPath":"{paths}","_outputMethod":"{method}"}}"#);
        let written = message(&format!("\"data\":{{\"l\":1,{values}}},{}", call("set")));
        written + &message(&call("erase"))
    }),
    shape("erased", 100, |n| {
        lines(n, |i| {
            let erase = format!(r#"{{"type":"state","state":{{"k{i}":1}},"_outputMethod":"erase"}}"#);
            state(&format!(r#"{{"k{i}":1}}"#)) + "\n" + &erase
        })
    }),
    shape("schema", 60, |n| {
        let schema = r#"{"type":"object","properties":{"l":{"type":"string"}}}"#;
        let first = format!(r#"{{"type":"state","state":{{"l":"a"}},"schema":{schema}}}"#);
        first + "\n" + &lines(n, |i| state(&format!(r#"{{"l":"value {i}"}}"#)))
    }),
    shape("broken", 200, |n| lines(n, |i| format!("{{\"a\":{i}"))),
    shape("chats", 60, |n| {
        lines(n, |i| {
            let said = format!(r#"{{"role":"assistant","content":"value {i}"}}"#);
            format!(r#"{{"id":"c{i}","messages":[{{"role":"user","content":"hi {i}"}},{said}]}}"#)
        })
    }),
    shape("attempts", 60, |n| {
        lines(n, |i| {
            let said = format!(r#"{{"role":"assistant","content":"value {}"}}"#, i % 3);
            format!(r#"{{"id":"c","messages":[{{"role":"user","content":"hi"}},{said}]}}"#)
        })
    }),
    shape("chat_calls", 500, |n| chat_of_calls(n, "")),
    shape("outputs", 100, |n| {
        let ports = listed(n, |i| format!(r#"{{"name":"y{i}","data_type":"T{i}"}}"#));
        let contract = |name: &str, inputs: &str, outputs: &str| {
            format!(r#"{{"name":"{name}","capability":"c","inputs":[{inputs}],"outputs":[{outputs}]}}"#)
        };
        format!("{{\"slots\":{{}},\"contracts\":[{},{}]}}\n", contract("A", "", &ports), contract("B", &ports, ""))
    }),
    shape("slots", 100, |n| {
        let slots = listed(n, |i| format!(r#""s{i}":{{"value":{i},"data_type":"TEXT","source_node":"a"}}"#));
        format!("{{\"conversation_id\":\"c\",\"contracts\":[],\"slots\":{{{slots}}}}}\n")
    }),
    shape("contracts", 60, contracts),
    shape("answers", 100, |n| {
        let choice = |i: usize| format!(r#"{{"index":0,"message":{{"role":"assistant","content":"value {i}"}}}}"#);
        let question = r#"{"role":"user","content":"q"}"#;
        let attempt = |i| format!(r#"{{"reward":{i},"messages_and_choices":[{question},{}]}}"#, choice(i));
        format!("{{\"trajectories\":[{}]}}\n", listed(n, attempt))
    }),
    shape("collapses", 60, |n| {
        let record = |i: usize| {
            let head = r#""sessionId":"s","version":"2","isSidechain":false,"timestamp":"2026-01-01T00:00:00Z""#;
            let asked = r#""message":{"role":"user","content":"value"}"#;
            let commit = r#""type":"marble-origami-commit","sessionId":"s","summaryContent":"of it""#;
            let reset = r#"{"type":"marble-origami-reset","sessionId":"s"}"#;
            let spans: String =
                ["u", "c"].map(|of| format!(r#""firstArchivedUuid":"{of}0","lastArchivedUuid":"u{i}""#)).join("|");
            let (whole, next) = spans.split_once('|').unwrap();
            let user =
                format!(r#"{{"type":"user","uuid":"u{i}","parentUuid":"u{}",{head},{asked}}}"#, i.wrapping_sub(1));
            let alone =
                format!(r#"{{{commit},"summaryUuid":"d{i}","firstArchivedUuid":"u{i}","lastArchivedUuid":"u{i}"}}"#);
            let around =
                format!(r#"{{{commit},"summaryUuid":"c0",{}}}"#, if i.is_multiple_of(3) { whole } else { next });
            [user, alone, around, if i % 9 == 8 { reset.to_owned() } else { String::new() }].join("\n")
        };
        lines(n, record)
    }),
    shape("chunks", 100, |n| {
        let begun = r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#;
        let call =
            |i| format!(r#"{{"type":"TOOL_CALL_CHUNK","toolCallId":"c{i}","toolCallName":"ls","delta":"{{}}"}}"#);
        format!("{begun}\n{}", lines(n, call))
    }),
];

/// What has to be long before work by its square shows.
pub(crate) const LONG_SHAPES: &[Shape] = &[
    shape("rebuilt", 1_000, |n| lines(n, |i| format!(r#"{{"context":[{}]}}"#, state(&format!(r#"{{"l":{i}}}"#))))),
    shape("many_contracts", 1_000, contracts),
    shape("answered_calls", 1_000, |n| {
        let result = |i: usize| format!(r#"{{"role":"tool","tool_call_id":"c{i}","content":"value {i}"}}"#);
        chat_of_calls(n, &format!(",{}", listed(n, result)))
    }),
    shape("trajectories", 300, |n| {
        let item = |i: usize| format!(r#"{{"class_":"text_observation","content":"value {i}","source":"user"}}"#);
        lines(n, |i| format!(r#"{{"id":"r{i}","content":[{}]}}"#, item(i)))
    }),
];
