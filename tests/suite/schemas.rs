//! Only new violations are told (A42): the exam against a naive check of every value at every step of random runs.
#![cfg(feature = "schema")]

use obelus::format::{self, Run};
use obelus::json::{Key, parse};
use obelus::model::{Place, Record, RecordBody, Span, StepNo};
use obelus::state::{EventOp, IdentityId, ReportedCounts, Schema, SchemaChecker, Violations};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::BTreeSet;

const SCHEMAS: [&str; 8] = [
    r#"{"properties":{"a":{"type":"number"},"b":{"type":"object","required":["c"]}}}"#,
    r##"{"additionalProperties":{"$ref":"#"},"items":{"type":["string","array"]},"not":{"const":1}}"##,
    r#"{"required":["a","b"],"additionalProperties":false,"properties":{"a":true,"b":{"maxItems":1}}}"#,
    r#"{"type":["object","array"],"maxProperties":2,"properties":{"a":{"enum":[1,"x",null]}}}"#,
    r#"{"items":{"$ref":"https://example.com/s#/x"},"contains":{"type":"null"}}"#,
    r#"{"type":"objekt"}"#,
    "true",
    "false",
];

fn value() -> impl Strategy<Value = String> {
    let long = "\"a string that does not stand in the tree\"";
    let leaf = select(vec!["1", "1.0", "1e400", "null", "true", "\"x\"", long, "{}", "[]"]).prop_map(str::to_owned);
    leaf.prop_recursive(3, 12, 4, |inner| {
        let member = (select(vec!["a", "b", "c", "0"]), inner.clone()).prop_map(|(k, v)| format!("\"{k}\":{v}"));
        let object = vec(member, 0..4).prop_map(|members| format!("{{{}}}", members.join(",")));
        let array = vec(inner, 0..4).prop_map(|elements| format!("[{}]", elements.join(",")));
        prop_oneof![3 => object, 1 => array]
    })
}

fn message() -> impl Strategy<Value = String> {
    let schema = prop_oneof![
        5 => Just(String::new()),
        2 => select(SCHEMAS.to_vec()).prop_map(|s| format!(",\"schema\":{s}")),
    ];
    let data = prop_oneof![6 => value().prop_map(|v| format!(",\"data\":{v}")), 1 => Just(String::new())];
    let method = select(vec!["set", "merge", "push", "concat", "assign", "erase"]);
    let path = select(vec!["†k.a", "†k.b.c", "†k", "†k.a && †k.b"]);
    let call = prop_oneof![
        2 => Just(String::new()),
        2 => (path, method).prop_map(|(p, m)| format!(",\"_call\":{{\"_outputPath\":\"{p}\",\"_outputMethod\":\"{m}\"}}")),
    ];
    let kind = select(vec!["k", "k", "k", "error", "l"]);
    (kind, data, schema, call).prop_map(|(k, d, s, c)| format!("{{\"type\":\"data\",\"kind\":\"{k}\"{d}{s}{c}}}"))
}

/// Records: messages, and requests whose contexts are made of some of them.
fn records() -> impl Strategy<Value = Vec<String>> {
    let request = (0_usize..100, 0_usize..100, vec(message(), 0..3));
    let record = prop_oneof![4 => message().prop_map(Ok), 1 => request.prop_map(Err)];
    vec(record, 1..16).prop_map(|made| {
        let mut seen: Vec<String> = Vec::new();
        let mut out = Vec::new();
        for one in made {
            match one {
                Ok(message) => {
                    seen.push(message.clone());
                    out.push(message);
                }
                Err((skip, take, new)) => {
                    let skip = skip % (seen.len() + 1);
                    let take = take % (seen.len() - skip + 1);
                    seen = seen[skip..skip + take].iter().cloned().chain(new).collect();
                    out.push(format!("{{\"context\":[{}]}}", seen.join(",")));
                }
            }
        }
        out
    })
}

fn acts() -> Box<dyn Run> {
    format::FORMATS.iter().find(|f| f.name() == "acts").unwrap().run()
}

/// Feeds records one by one; the exam follows after every `pace` of them.
fn run(records: &[String], pace: usize) -> (Box<dyn Run>, Violations, Vec<u8>) {
    let bytes = records.join("\n").into_bytes();
    let (mut run, mut checker, mut violations) = (acts(), SchemaChecker::default(), Violations::default());
    let mut offset = 0;
    for (number, text) in records.iter().enumerate() {
        let place = Place { span: Span { offset, len: text.len() as u64 }, line: number as u64 + 1 };
        run.push(&Record { number, place, body: RecordBody::Text, is_row: false }, text.as_bytes(), &bytes);
        offset = place.span.end() + 1;
        while (number + 1) % pace == 0 && run.examine(&mut checker, &bytes) {
            violations.add(checker.judge());
        }
    }
    while run.examine(&mut checker, &bytes) {
        violations.add(checker.judge());
    }
    (run, violations, bytes)
}

/// The value of an identity at a step as it is printed, read again.
fn plain(run: &dyn Run, id: IdentityId, step: StepNo, bytes: &Vec<u8>) -> Option<serde_json::Value> {
    let root = run.tree().view(id, step)?.root?;
    let text = run.tree().text(root, step, bytes)?;
    assert!(parse(&text).is_ok());
    Some(serde_json::from_str(&text.replace("1e400", "1.7976931348623157e308")).unwrap())
}

/// Paths at which an identity breaks its schema at a step.
fn broken(run: &dyn Run, id: IdentityId, step: StepNo, bytes: &Vec<u8>) -> BTreeSet<Vec<Key>> {
    let schema = run.schema(id, step, bytes).and_then(|(text, _)| Schema::compile(&text).ok());
    let (Some(schema), Some(value)) = (schema, plain(run, id, step, bytes)) else { return BTreeSet::new() };
    let paths = |v: &serde_json::Value| schema.violations(v).into_iter().map(|v| v.path).collect::<Vec<_>>();
    match value.as_array().filter(|_| run.tree().identity(id).kind == "error") {
        Some(items) => (0..)
            .zip(items)
            .flat_map(|(i, item)| paths(item).into_iter().map(move |p| [vec![Key::Index(i)], p].concat()))
            .collect(),
        None => paths(&value).into_iter().collect(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn new_violations_are_those_of_a_naive_check(records in records(), pace in 1_usize..5) {
        let (run, violations, bytes) = run(&records, pace);
        let last = run.step_count() as StepNo - 1;
        let ids: BTreeSet<IdentityId> = (0..=last).flat_map(|s| run.tree().identities(s)).map(|v| v.id).collect();
        for id in ids {
            let mut before = BTreeSet::new();
            for step in 0..=last {
                let now = broken(run.as_ref(), id, step, &bytes);
                let held: BTreeSet<_> = violations.at(id, step).into_iter().map(|i| i.violation.path.clone()).collect();
                prop_assert_eq!(&held, &now, "what holds at step {}", step);
                if run.tree().events(step).iter().any(|e| e.identity == id && e.op == EventOp::Reset) {
                    before.clear();
                }
                let new: BTreeSet<_> = now.difference(&before).cloned().collect();
                let all = violations.begun_after(ReportedCounts::default()).filter(|(i, one)| *i == id && one.since == step);
                let paths: BTreeSet<_> = all.map(|(_, one)| one.violation.path.clone()).collect();
                prop_assert_eq!(&paths, &new, "what is new at step {}", step);
                before = now;
            }
        }
    }
}

/// A long run is checked in laps, one identity behind the other; a growing one step by step.
#[test]
fn laps_change_nothing() {
    let schema =
        r#""schema":{"properties":{"n":{"type":"number"}},"items":{"maximum":9},"additionalProperties":false}"#;
    let mut records: Vec<String> = ["k", "error", "l"]
        .iter()
        .map(|kind| format!("{{\"type\":\"data\",\"kind\":\"{kind}\",\"data\":{{\"n\":0}},{schema}}}"))
        .collect();
    for i in 0..3_600 {
        let (kind, value) = match i % 5 {
            0 => ("error", format!("[{}]", i % 11)),
            1 => ("l", format!("{{\"m{}\":{i}}}", i % 9)),
            2 if i % 7 == 0 => ("l", "null".to_owned()),
            n => ("k", if i % 3 == 0 { format!("{{\"n\":\"x{n}\"}}") } else { format!("{{\"n\":{i}}}") }),
        };
        let schema = if i % 1_000 == 999 { format!(",{schema}") } else { String::new() };
        records.push(format!("{{\"type\":\"data\",\"kind\":\"{kind}\",\"data\":{value}{schema}}}"));
    }
    let read_in_pieces = |pace: usize| {
        let (run, violations, _) = run(&records, pace);
        let ids: BTreeSet<_> = run.tree().identities(StepNo::MAX).into_iter().map(|view| view.id).collect();
        let all: Vec<_> = ids.into_iter().map(|id| (id, violations.of(id).to_vec())).collect();
        (violations.judged(), all)
    };
    let (judged, all) = read_in_pieces(1);
    assert_eq!(judged as usize, records.len());
    assert!(all.len() == 3 && all.iter().all(|(_, found)| found.len() > 10), "too little to tell");
    for pace in [700, usize::MAX] {
        assert!(read_in_pieces(pace) == (judged, all.clone()), "{pace} records at once");
    }
}
