//! A4: an envelope that inserts messages into the context has the steps, state, events and findings of one envelope
//! for each of them.

use obelus::model::{Place, Record, RecordBody, Span, StepNo};
use obelus::rules::acts::Log;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use std::fmt::Write as _;

/// A log of these lines, and its bytes.
fn log(lines: &[String]) -> (Log, Vec<u8>) {
    let bytes = lines.join("\n").into_bytes();
    let mut log = Log::default();
    let mut offset = 0;
    for (number, line) in lines.iter().enumerate() {
        let span = Span { offset, len: line.len() as u64 };
        let place = Place { span, line: number as u64 + 1 };
        log.push(&Record { number, place, body: RecordBody::Text, is_row: false }, line.as_bytes(), &bytes);
        offset = span.end() + 1;
    }
    (log, bytes)
}

/// Everything about a log that does not depend on how its messages are divided into envelopes.
fn report(lines: &[String]) -> String {
    let (log, bytes) = log(lines);
    let tree = log.tree();
    let mut out = String::new();
    for step in 0..=log.last_step() {
        let _ = writeln!(out, "step {step}: {:?}", log.context(step).collect::<Vec<_>>());
        for view in tree.identities(step) {
            let text = view.root.and_then(|root| tree.text(root, step, &bytes));
            let identity = tree.identity(view.id);
            let _ = writeln!(out, "{identity:?} {text:?}");
            for leaf in view.root.map(|root| tree.leaves(root, step)).unwrap_or_default() {
                let _ = writeln!(out, "{:?} {} {}", leaf.path, leaf.step, leaf.changed);
            }
        }
        for event in tree.events(step) {
            let (id, path) = tree.path(event.node);
            let text = event.value.map(|value| value.text(&bytes).unwrap().into_owned());
            let kind = &tree.identity(id).kind;
            let _ = writeln!(out, "{:?} {kind} {path:?} {text:?} by {}", event.op, event.author);
        }
    }
    for finding in log.findings().iter().filter(|finding| finding.rule != "acts.context-rebuilt") {
        let _ = writeln!(out, "{:?} {} {:?} {}", finding.step, finding.rule, finding.path, finding.message);
    }
    out
}

/// The rest of a message; `_n` tells messages apart and is no data.
fn body() -> impl Strategy<Value = String> {
    let leaf = || select(vec!["1", "2", "null", "\"x\"", "[1,2]", "[]", "{}"]).prop_map(str::to_owned);
    let value = leaf().prop_recursive(3, 8, 3, |inner| {
        let member = (select(vec!["a", "b", "c"]), inner).prop_map(|(key, value)| format!("\"{key}\":{value}"));
        vec(member, 1..4).prop_map(|members| format!("{{{}}}", members.join(",")))
    });
    let methods = vec!["set", "merge", "assign", "push", "concat", "erase"];
    let path = select(vec!["", r#","_call":{"_outputPath":"†k.a"}"#, r#","_call":{"_outputPath":"†k.b.a || †k.c"}"#]);
    let method = prop_oneof![
        5 => Just(String::new()),
        1 => (select(methods), path).prop_map(|(method, path)| format!(r#","_outputMethod":"{method}"{path}"#)),
    ];
    let schema = r#","schema":{"type":"object"},"description":"d""#;
    let rest = prop_oneof![8 => Just(""), 1 => Just(schema)];
    let kind = select(vec!["k", "k", "k", "l", "error"]);
    (kind, value, method, rest).prop_map(|(kind, value, method, rest)| {
        format!(r#""type":"data","kind":"{kind}","data":{value}{method}{rest}"#)
    })
}

fn envelope(messages: &[&str]) -> String {
    format!("{{\"context\":[{}]}}", messages.join(","))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn messages_inserted_at_once_are_messages_inserted_one_by_one(
        bodies in vec((body(), any::<bool>()), 2..14),
        is_turned in any::<bool>(),
    ) {
        let texts: Vec<(String, bool)> = bodies
            .iter()
            .enumerate()
            .map(|(number, (body, is_new))| (format!("{{\"_n\":{number},{body}}}"), *is_new))
            .collect();
        let old = || texts.iter().filter(|(_, is_new)| !is_new).map(|(text, _)| text.as_str());
        let mut first: Vec<&str> = old().collect();
        if is_turned {
            first.reverse();
        }
        prop_assume!(!first.is_empty());
        let all: Vec<&str> = texts.iter().map(|(text, _)| text.as_str()).collect();
        let at_once = [envelope(&first), envelope(&all)];
        let new_count = all.len() - first.len();
        let part = |count: usize| {
            let mut new = 0;
            let messages = texts.iter().filter(|(_, is_new)| {
                new += usize::from(*is_new);
                !is_new || new <= count
            });
            envelope(&messages.map(|(text, _)| text.as_str()).collect::<Vec<_>>())
        };
        let one_by_one: Vec<String> =
            std::iter::once(envelope(&first)).chain((1..=new_count).map(part)).collect();
        prop_assume!(new_count > 0);
        prop_assert_eq!(report(&at_once), report(&one_by_one));
        let last: StepNo = log(&at_once).0.last_step();
        prop_assert_eq!(usize::try_from(last).unwrap() + 1, all.len());
    }
}
