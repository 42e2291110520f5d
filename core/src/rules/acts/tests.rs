//! Whole logs: one record a line, what is found, what holds in the end.

use super::{Log, NodeStatus, view};
use crate::model::{Finding, Place, Record, RecordBody, Span, StepNo};
#[cfg(feature = "schema")]
use crate::state::{ReportedCounts, SchemaChecker, Violations};

/// A log of these lines, and its bytes.
fn log(lines: &[&str]) -> (Log, Vec<u8>) {
    let bytes = lines.join("\n").into_bytes();
    let mut log = Log::default();
    let mut offset = 0;
    for (number, line) in lines.iter().enumerate() {
        let span = Span { offset, len: line.len() as u64 };
        let place = Place { span, line: number as u64 + 1 };
        log.push(&Record { number, place, body: RecordBody::Text, is_row: false }, line.as_bytes(), &bytes);
        offset = span.end() + 1;
    }
    let ahead = log.look_ahead(&bytes);
    log.settle(ahead);
    (log, bytes)
}

fn state(lines: &[&str], step: StepNo) -> String {
    let (log, bytes) = log(lines);
    let references = log.tree().identities(step).into_iter().map(|v| {
        let value = v.root.and_then(|root| log.tree().text(root, step, &bytes)).unwrap_or_default();
        format!("{}={value}", log.tree().identity(v.id).kind)
    });
    references.collect::<Vec<_>>().join(" ")
}

fn findings_of(lines: &[&str]) -> Vec<String> {
    log(lines).0.findings().into_iter().map(describe).collect()
}

fn describe(f: impl std::borrow::Borrow<Finding>) -> String {
    let f = f.borrow();
    let path = f.path.as_ref().map(|p| format!(" {p}")).unwrap_or_default();
    format!("{} {}{path}", f.step.unwrap_or(-9), &f.rule["acts.".len()..])
}

/// What the schemas of a log make of its values.
#[cfg(feature = "schema")]
fn examined(lines: &[&str]) -> (Log, Violations) {
    let (log, bytes) = log(lines);
    let (mut checker, mut violations) = (SchemaChecker::default(), Violations::default());
    while log.examine(&mut checker, &bytes) {
        violations.add(checker.judge());
    }
    (log, violations)
}

fn context(log: &Log, step: StepNo) -> Vec<StepNo> {
    log.context(step).collect()
}

const A: &str = r#"{"type":"state","state":{"a":1}}"#;
const B: &str = r#"{"type":"state","state":{"a":2,"b":1}}"#;
const K: &str = r#"{"type":"data","kind":"k","data":[1]}"#;

fn envelope(messages: &[&str]) -> String {
    format!("{{\"context\":[{}]}}", messages.join(","))
}

#[test]
fn a_longer_context_is_appended_to() {
    let lines = [envelope(&[A]), envelope(&[A, B]), envelope(&[A, B, K])];
    let (log, _) = log(&lines.each_ref().map(String::as_str));
    assert_eq!((log.step_count(), context(&log, 1), log.tick(2)), (3, vec![0, 1], "2".to_owned()));
    assert!(log.findings().is_empty());
}

#[test]
fn what_is_withdrawn_comes_back_as_itself() {
    let lines = [envelope(&[A, K]), envelope(&[A]), envelope(&[A, K])];
    let lines = lines.each_ref().map(String::as_str);
    let (log, _) = log(&lines);
    assert_eq!(log.step_count(), 4);
    assert_eq!(log.withdrawn(2), (&[1][..], &[][..]));
    assert_eq!(log.withdrawn(3), (&[][..], &[1][..]));
    assert_eq!([1, 2, 3].map(|s| context(&log, s)), [vec![0, 1], vec![0], vec![0, 1]]);
    assert_eq!(
        [1, 2, 3].map(|s| state(&lines, s)),
        ["state={\"a\":1} k=[1]", "state={\"a\":1}", "state={\"a\":1} k=[1]"]
    );
    assert_eq!(findings_of(&lines), ["2 context-rebuilt"]);
}

#[test]
fn another_order_is_another_state() {
    let lines = [envelope(&[A, B]), envelope(&[B, A])];
    let lines = lines.each_ref().map(String::as_str);
    assert_eq!([1, 2].map(|s| state(&lines, s)), ["state={\"a\":2,\"b\":1}", "state={\"a\":1,\"b\":1}"]);
    assert!(findings_of(&lines).is_empty());
}

#[test]
fn several_new_messages_are_inserted_one_after_the_other() {
    let lines = [envelope(&[A, K]), envelope(&[B, r#"{"type":"text","text":"x"}"#, A, K, B])];
    let lines = lines.each_ref().map(String::as_str);
    let (log, _) = log(&lines);
    assert_eq!(context(&log, 2), [2, 0, 1]);
    assert_eq!(context(&log, 3), [2, 3, 0, 1]);
    assert_eq!(context(&log, 4), [2, 3, 0, 1, 4]);
    assert_eq!(
        [2, 3, 4].map(|s| state(&lines, s)),
        ["state={\"a\":1,\"b\":1} k=[1]", "state={\"a\":1,\"b\":1} k=[1]", "state={\"a\":2,\"b\":1} k=[1]"]
    );
}

#[test]
fn an_empty_context_is_a_reset_without_message() {
    let lines = [A, &envelope(&[]), K];
    let (log, _) = log(&lines);
    assert_eq!((log.step_count(), state(&lines, 1), state(&lines, 2)), (3, String::new(), "k=[1]".to_owned()));
    assert_eq!(findings_of(&lines), ["1 context-rebuilt"]);
}

#[test]
fn steps_stand_at_their_messages() {
    let document = "{\n \"context\": [\n  {\"type\":\"text\",\n   \"text\":\"x\"},\n  5],\n \"solution\": {}}";
    let bytes = document.as_bytes().to_vec();
    let mut log = Log::default();
    let span = Span { offset: 0, len: bytes.len() as u64 };
    let record = Record { number: 0, place: Place { span, line: 1 }, body: RecordBody::Text, is_row: false };
    log.push(&record, &bytes, &bytes);
    let places: Vec<_> = (0..3).map(|s| log.place(s).unwrap()).collect();
    assert_eq!(places.iter().map(|p| p.place.line).collect::<Vec<_>>(), [3, 5, 6]);
    assert!(places.iter().all(|p| p.record_span == span));
    assert_eq!(log.read(2, &bytes, |m| m.written.text.to_owned()).as_deref(), Some("{}"));
}

#[test]
fn writes_are_judged_by_what_they_meet() {
    let call = |rest: &str| format!(r#"{{"type":"data","kind":"state","_call":{{"_outputPath":"†state.a"}},{rest}}}"#);
    let push = call(r#""_outputMethod":"push","data":{"a":2}"#);
    let merge = call(r#""_outputMethod":"merge","data":{"a":{"x":1}}"#);
    assert_eq!(
        findings_of(&[A, &push, &merge]),
        ["1 method-type †state.a", "1 type-change †state.a", "2 method-type †state.a", "2 type-change †state.a"]
    );
    assert_eq!(findings_of(&[A, A, B]), ["1 no-op-write †state"]);
    let long = r#"{"type":"state","state":{"a":"a string that does not fit beside the node"}}"#;
    assert_eq!(findings_of(&[long, A]), ["1 type-change †state.a"]);
}

#[test]
fn keys_that_stand_twice_are_reported_by_their_path() {
    let twice = r#"{"role":"user","role":"user","content":{"type":"data","data":[{"a b":{"x":1,"x":2}}]}}"#;
    assert_eq!(findings_of(&[twice]), ["0 duplicate-key data[0][\"a b\"].x", "0 duplicate-key role"]);
}

#[test]
fn references_wait_for_the_end_of_their_tick() {
    let plan = r#"{"type":"plan","plan":[{"_tool":"t","x":"†state.a"}]}"#;
    let late = r#"{"type":"state","state":{"a":1},"_tick":1}"#;
    assert!(findings_of(&[plan, A]).is_empty());
    assert_eq!(findings_of(&[plan, late]), ["0 dangling-reference †state.a"]);
    assert_eq!(findings_of(&[plan]), ["0 dangling-reference †state.a"]);
}

#[test]
fn a_plan_goes_on_as_its_outputs_come() {
    let plan = r#"{"type":"plan","plan":[{"_tool":"s","_outputPath":"†state.a"},{"_tool":"t","x":"†state.a"}]}"#;
    let (log, bytes) = log(&[plan, A]);
    let at = |step| log.plan(step, &bytes).unwrap().nodes.iter().map(|n| n.status).collect::<Vec<_>>();
    assert_eq!(at(0), [NodeStatus::Ready, NodeStatus::Waiting]);
    assert_eq!(at(1), [NodeStatus::Done, NodeStatus::Unknown]);
}

#[test]
fn the_view_follows_the_context() {
    let lines = [envelope(&[A, K]), envelope(&[K, r#"{"type":"text","text":"x"}"#])];
    let (log, bytes) = log(&lines.each_ref().map(String::as_str));
    let texts: Vec<_> = view(&log, 2, &bytes).into_iter().map(|e| (e.step, e.text)).collect();
    assert_eq!(texts, [(1, "## Data: ¶k\n[\n  1\n]".to_owned()), (2, "x".to_owned())]);
}

#[cfg(feature = "schema")]
fn broken(lines: &[&str]) -> Vec<String> {
    let (log, violations) = examined(lines);
    Finding::in_order(log.schema_findings(&violations, ReportedCounts::default())).into_iter().map(describe).collect()
}

#[cfg(feature = "schema")]
#[test]
fn violations_are_reported_when_they_come_up() {
    let number =
        r#"{"type":"state","state":{"a":1,"b":{}},"schema":{"properties":{"a":{"type":"number"}},"required":["b"]}}"#;
    let text = r#"{"type":"state","state":{"a":"x"}}"#;
    let erase = r#"{"type":"data","kind":"state","_call":{"_outputPath":"†state.b","_outputMethod":"erase"}}"#;
    assert_eq!(broken(&[number, text, text, B, text]), ["1 schema-violation †state.a", "4 schema-violation †state.a"]);
    assert_eq!(broken(&[number, erase, B]), ["1 schema-violation †state"]);
    let other = r#"{"type":"state","schema":{"properties":{"a":{"type":"string"}}}}"#;
    assert_eq!(broken(&[number, other, text, r#"{"type":"state","schema":true}"#]), ["1 schema-violation †state.a"]);
    assert!(broken(&[A, B, K]).is_empty());
}

#[cfg(feature = "schema")]
#[test]
fn each_error_is_checked_alone() {
    let schema =
        r#"{"type":"error","error":"x","schema":{"properties":{"error":{"type":"string"}},"required":["code"]}}"#;
    let number = r#"{"type":"error","error":1,"code":2}"#;
    assert_eq!(
        broken(&[schema, number, number]),
        ["0 schema-violation †error[0]", "1 schema-violation †error[1].error", "2 schema-violation †error[2].error"]
    );
}

#[cfg(feature = "schema")]
#[test]
fn a_rebuilt_context_breaks_and_repairs() {
    let typed = r#"{"type":"state","schema":{"properties":{"a":{"type":"string"}}}}"#;
    let text = r#"{"type":"state","state":{"a":"x"}}"#;
    let lines = [envelope(&[typed, A, text]), envelope(&[typed, A]), envelope(&[A]), envelope(&[typed, A, text])];
    let lines = lines.each_ref().map(String::as_str);
    assert_eq!(broken(&lines), ["1 schema-violation †state.a", "3 schema-violation †state.a"]);
    let (log, violations) = examined(&lines);
    let id = log.identities_of("state")[0];
    let spans: Vec<_> = violations.of(id).iter().map(|i| (i.since, i.until, i.is_repaired)).collect();
    assert_eq!(spans, [(1, Some(2), true), (3, Some(4), true)]);
}

#[cfg(feature = "schema")]
#[test]
fn bad_schemas_are_reported_by_every_message_that_brings_one() {
    let bad = r#"{"type":"state","state":{"a":1},"schema":{"type":"objekt"}}"#;
    assert_eq!(broken(&[A, bad, bad]), ["1 bad-schema", "2 bad-schema"]);
}

#[test]
fn what_a_rebuilt_context_drops_has_no_author() {
    let call = r#"{"type":"data","kind":"state","data":{"a":{"b":1}},"_call":{"_tool":"t","_outputPath":"†state.a"}}"#;
    let lines = [A, call, &envelope(&[A, call]), &envelope(&[call, K])];
    let (log, _) = log(&lines);
    let events = log.tree().history(log.tree().node(log.identities_of("state")[0], &[]).unwrap(), StepNo::MAX);
    let drops: Vec<_> = events.iter().filter(|e| e.value.is_none()).map(|e| (e.at, log.accounts_for(e))).collect();
    assert_eq!(drops, [(1, true)]);
    let lines = [A, call, &envelope(&[A, call]), &envelope(&[A, K])];
    let (log, _) = self::log(&lines);
    let events = log.tree().history(log.tree().node(log.identities_of("state")[0], &[]).unwrap(), StepNo::MAX);
    let drops: Vec<_> = events.iter().filter(|e| e.value.is_none()).map(|e| (e.at, log.accounts_for(e))).collect();
    assert_eq!(drops, [(1, true), (2, false)]);
}

#[test]
fn references_are_looked_at_again_when_something_moves() {
    let plan = r#"{"type":"plan","plan":[{"_tool":"t","x":"†state.a"}]}"#;
    let lines = [plan, r#"{"type":"text","text":"x"}"#, A];
    let bytes = lines.join("\n").into_bytes();
    let (mut log, mut offset) = (Log::default(), 0);
    let mut counts = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let place = Place { span: Span { offset, len: line.len() as u64 }, line: number as u64 + 1 };
        log.push(&Record { number, place, body: RecordBody::Text, is_row: false }, line.as_bytes(), &bytes);
        offset = place.span.end() + 1;
        for _ in 0..2 {
            let ahead = log.look_ahead(&bytes);
            log.settle(ahead);
        }
        counts.push(log.findings().len());
    }
    assert_eq!(counts, [1, 1, 0]);
}
