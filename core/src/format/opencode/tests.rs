//! Sessions of opencode, from JSON and from tables in memory.

use super::*;
use crate::format::log::testing::{adapted, read_steps, spoiled};
use crate::format::log::tests::report_of;
use crate::format::rows::memory::{Memory, text};
use crate::format::{Format, Run};
use crate::json::parse;
use crate::model::{ContainerValue, Place, Record, RecordBody, Span, StepNo};
use proptest::prelude::*;

fn run_of(text: &str) -> LogRun {
    adapted(session::Session, text)
}

#[test]
fn parts_of_messages_are_steps_with_times_and_tokens() {
    let (run, bytes) = (run_of(SESSION), SESSION.as_bytes().to_vec());
    let steps: Vec<_> = (0..run.step_count() as StepNo).map(|n| run.step(n, &bytes)).collect();
    let kinds: Vec<_> = steps.iter().map(|s| s.kind.as_str()).collect();
    assert_eq!(kinds, ["message", "state", "tool-call", "tool-result", "message"]);
    assert_eq!((steps[3].answers, steps[3].tool.as_deref()), (Some(2), Some("bash")));
    assert_eq!((steps[3].time.as_deref(), steps[0].time.as_deref()), (Some("1777626863200"), Some("1777626862000")));
    // What the model wrote is reported where it wrote, not at the sign of its beginning.
    assert_eq!((steps[1].tokens, steps[2].tokens), (None, Some(5)));
    assert_eq!((run.title().as_deref(), run.error_steps()), (Some("List it"), Vec::new()));
}

#[test]
fn a_call_of_a_stream_may_come_without_its_type() {
    let line = r#"{"type":"tool_use","timestamp":1777626864000,"sessionID":"s","part":{"id":"p","messageID":"m",
        "callID":"c","tool":"bash","state":{"status":"completed","input":{"command":"ls"},"output":"a.txt"}}}"#;
    assert!(RUN_EVENTS.detect(&[parse(line).unwrap()]).is_some());
    let (mut run, bytes) = (LogRun::new(session::Events), line.as_bytes().to_vec());
    let place = Place { span: Span { offset: 0, len: line.len() as u64 }, line: 1 };
    run.push(&Record { number: 0, place, body: RecordBody::Text, is_row: false }, line.as_bytes(), &bytes);
    run.finish(&bytes);
    let kinds: Vec<_> = (0..run.step_count() as StepNo).map(|n| run.step(n, &bytes).kind).collect();
    assert_eq!(kinds, ["tool-call", "tool-result"]);
}

#[test]
fn calls_that_failed_and_files_of_a_message() {
    let part = |tool: &str, state: &str| format!(r#"{{"type":"tool","callID":"c","tool":"{tool}","state":{state}}}"#);
    let parts = [
        part("bash", r#"{"status":"completed","input":{},"output":"","metadata":{"exit":2}}"#),
        part("invalid", r#"{"status":"completed","input":{},"output":"no such tool"}"#),
        part("read", r#"{"status":"error","input":{},"error":"gone"}"#),
        part("read", r#"{"status":"running","input":{}}"#),
        r#"{"type":"patch","hash":"h1","files":["a.txt"]}"#.to_owned(),
    ];
    let text = format!(
        r#"{{"info":{{"id":"s"}},"messages":[{{"info":{{"role":"user"}},"parts":[{{"type":"file","mime":"image/png",
        "url":"data:x"}},{{"type":"text","text":"see"}}]}},{{"info":{{"role":"assistant"}},"parts":[{}]}},
        {{"info":{{"role":"assistant"}},"parts":[]}}]}}"#,
        parts.join(",")
    );
    let (run, bytes) = (run_of(&text), text.as_bytes().to_vec());
    let kinds: Vec<_> = (0..run.step_count() as StepNo).map(|n| run.step(n, &bytes).kind).collect();
    let pair = ["tool-call", "tool-result"];
    let expect = [&["message"][..], &pair, &pair, &pair, &["tool-call", "state", "message"]].concat();
    assert_eq!(kinds, expect);
    assert_eq!(run.error_steps(), [2, 4, 6]);
    assert!(run.view(0, &bytes)[0].text.contains("see"));
    let patch = run.resolve("/patch/h1/files", 8, None, None, &bytes);
    assert!(patch.is_ok);
}

#[test]
fn a_database_is_a_line_for_each_session() {
    let row = |id: &str, owner: &str, time: i64, data: &str| {
        vec![text(id), text(owner), ContainerValue::Integer(time), text(data)]
    };
    let mut memory = Memory::new(vec![
        ("session", &["id", "title", "parent_id"], vec![vec![text("s1"), text("one"), ContainerValue::Null]]),
        (
            "message",
            &["id", "session_id", "time_created", "data"],
            vec![row("m2", "s1", 2, "{\"role\":\"assistant\"}"), row("m1", "s1", 1, "{ }"), row("m3", "s9", 1, "{}")],
        ),
        (
            "part",
            &["id", "message_id", "time_created", "data"],
            vec![
                row("p2", "m2", 1, "{\"type\":\"text\"}"),
                row("p1", "m2", 9, "{\"type\":\"tool\"}"),
                row("p3", "m1", 1, "x"),
            ],
        ),
    ]);
    let text = memory.assembled(&Database);
    let line = text.replace('\n', "");
    let expect = concat!(
        r#"{"info":{"id":"s1","title":"one"},"messages":[{"info":{"id":"m1"},"parts":[{"id":"p3"}]},"#,
        r#"{"info":{"id":"m2","role":"assistant"},"parts":[{"id":"p1","type":"tool"},{"id":"p2","type":"text"}]}]}"#
    );
    assert_eq!(line, expect);
    assert!(OPENCODE.detect(&[parse(&line).unwrap()]).is_some());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn damaged_sessions_are_read(text in spoiled(SESSION)) {
        read_steps(&run_of(&text), &text);
    }
}

#[test]
fn an_answer_that_failed_says_why() {
    let text = r#"{"info":{"id":"s"},"messages":[{"info":{"id":"m","role":"assistant","error":{"name":"APIError",
        "data":{"message":"no quota"}}},"parts":[]}]}"#;
    let (run, bytes) = (run_of(text), text.as_bytes().to_vec());
    assert_eq!((run.step(0, &bytes).summary.as_str(), run.error_steps()), ("no quota", vec![0]));
}

/// 15, 16: a part of a known id replaces the one before.
#[test]
fn later_parts_of_an_id_take_the_place_of_earlier_ones() {
    let tool = |id: &str, status: &str| {
        format!(r#"{{"id":"{id}","messageID":"m","type":"tool","callID":"c","tool":"bash","state":{status}}}"#)
    };
    let (running, done) = (
        tool("p1", r#"{"status":"running","input":{"command":"ls"}}"#),
        tool("p1", r#"{"status":"completed","input":{"command":"ls"},"output":"a.txt","metadata":{"exit":0}}"#),
    );
    let words = r#"{"id":"p2","messageID":"m","type":"text","text":"wait"}"#;
    let event = |part: &str| format!(r#"{{"type":"x","timestamp":1,"sessionID":"s","part":{part}}}"#);
    let stream = [event(&running), event(words), event(&done)].join("\n");
    let report = report_of(RUN_EVENTS.run(), &RUN_EVENTS, &stream);
    assert_eq!(report.kinds, ["tool-call", "tool-result", "message"]);
    assert_eq!(report.answers[1], Some(0));
    let session = format!(
        r#"{{"info":{{"id":"s"}},"messages":[{{"info":{{"id":"m","role":"assistant"}},"parts":[{words},{running},{done}]}}]}}"#
    );
    let (run, bytes) = (run_of(&session), session.as_bytes().to_vec());
    let kinds: Vec<_> = (0..run.step_count() as StepNo).map(|n| run.step(n, &bytes).kind).collect();
    assert_eq!(kinds, ["tool-call", "tool-result", "message"]);
}

#[test]
fn an_export_says_what_the_todo_list_is_at_its_end() {
    let write = r#"{"id":"1","type":"tool","callID":"c","tool":"todowrite","state":{"status":"completed","output":"",
        "input":{"todos":[{"content":"one","status":"pending"}]}}}"#;
    let text =
        |messages: &str, todos: &str| format!(r#"{{"todos":{todos},"info":{{"id":"s"}},"messages":[{messages}]}}"#);
    let message = format!(r#"{{"info":{{"role":"assistant"}},"parts":[{write}]}}"#);
    let todo = |todos: &str| {
        let text = text(&message, todos);
        crate::format::log::testing::state_of(&run_of(&text), &text.into_bytes(), "todo", 1)
    };
    assert_eq!(todo(r#"[{"content":"two","status":"completed"}]"#), r#"{"two":{"text":"two","status":"completed"}}"#);
    assert_eq!(todo("[]"), r#"{"one":{"text":"one","status":"pending"}}"#);
    assert_eq!(run_of(&text("", r#"[{"content":"two"}]"#)).step_count(), 0);
}

/// Sessions of version 2 from tables, beside one of version 1 and the copy of one that was taken over.
#[test]
fn a_database_of_version_2_has_the_sessions_of_both() {
    let session = |id: &str| vec![text(id), text(id)];
    let old =
        |id: &str, session: &str| vec![text(id), text(session), ContainerValue::Integer(1), text(r#"{"role":"user"}"#)];
    let new = |id: &str, class: &str, seq: i64, data: &str| {
        vec![text(id), text("s2"), text(class), ContainerValue::Integer(seq), text(data)]
    };
    let mut memory = Memory::new(vec![
        ("session", &["id", "title"], vec![session("s1"), session("s2")]),
        ("message", &["id", "session_id", "time_created", "data"], vec![old("m1", "s1"), old("m2", "s2")]),
        ("part", &["id", "message_id", "data"], vec![]),
        ("session_v2", &["id", "title"], vec![session("s2")]),
        (
            "session_message",
            &["id", "session_id", "type", "seq", "data"],
            vec![new("msg_a", "assistant", 2, r#"{"content":[]}"#), new("msg_b", "user", 1, r#"{"text":"hi"}"#)],
        ),
    ]);
    let text = memory.assembled(&Database);
    let expect = [
        r#"{"info":{"id":"s1","title":"s1"},"messages":[{"info":{"id":"m1","role":"user"},"parts":[]}]}"#,
        concat!(
            r#"{"info":{"id":"s2","title":"s2"},"messages":[{"id":"msg_b","type":"user","text":"hi"},"#,
            r#"{"id":"msg_a","type":"assistant","content":[]}]}"#
        ),
    ];
    assert_eq!(text.lines().collect::<Vec<_>>(), expect);
}

#[test]
fn messages_of_version_2_are_steps() {
    let kinds_of = |text: &str| {
        let (run, bytes) = (run_of(text), text.as_bytes().to_vec());
        (0..run.step_count() as StepNo).map(|n| run.step(n, &bytes).kind).collect::<Vec<_>>()
    };
    let (run, bytes) = (run_of(PROJECTED), PROJECTED.as_bytes().to_vec());
    assert_eq!(kinds_of(PROJECTED), ["message", "thought", "tool-call", "tool-result", "message"]);
    let result = run.step(3, &bytes);
    assert_eq!(
        (result.answers, result.time.as_deref(), result.summary.as_str()),
        (Some(2), Some("1790000001200"), "a.txt")
    );
    let usage = run.work().unwrap().total_usage();
    assert_eq!((usage.input, usage.output, usage.cost), (Some(9), Some(5), Some(0.25)));
    let message =
        |class: &str, more: &str| format!(r#"{{"id":"msg_x","type":"{class}","time":{{"created":1}}{more}}}"#);
    let tool = r#""type":"tool","id":"c","name":"read""#;
    let failed = r#""state":{"status":"error","input":{},"error":{"type":"unknown","message":"gone"}}"#;
    let messages = [
        message("user", r#","text":"see","files":[{"data":"aGk=","mime":"image/png","name":"a.png"}]"#),
        message("shell", r#","command":"pwd","status":"completed","output":{"output":"/w"},"exit":1"#),
        message(
            "assistant",
            &format!(
                r#","content":[{{{tool},{failed}}},{{{tool},"state":{{"status":"streaming","input":"{{\"pa"}}}}]"#
            ),
        ),
        message("compaction", r#","status":"completed","summary":"so far","tokens":{"input":1,"output":1}"#),
        message("assistant", r#","content":[],"error":{"type":"provider","message":"no quota"}"#),
        message("idle", ""),
    ];
    let text = format!(r#"{{"info":{{"id":"ses_1"}},"messages":[{}]}}"#, messages.join(","));
    let (run, bytes) = (run_of(&text), text.as_bytes().to_vec());
    let pair = ["tool-call", "tool-result"];
    let expect = [&["message"][..], &pair, &pair, &["tool-call", "state", "message", "state"]].concat();
    assert_eq!(kinds_of(&text), expect);
    assert_eq!(run.error_steps(), [2, 4, 7]);
    assert_eq!((run.step(4, &bytes).summary.as_str(), run.step(7, &bytes).summary.as_str()), ("gone", "no quota"));
    assert_eq!(run.context_steps(8), Some(vec![6]), "a summary takes the place of what precedes it");
}

#[test]
fn copies_of_another_session_cost_nothing() {
    let message = |id: &str, created: u32| {
        format!(
            r#"{{"info":{{"id":"{id}","role":"assistant","time":{{"created":{created}}},"cost":0.5,
            "tokens":{{"input":10,"output":3}}}},"parts":[{{"type":"text","text":"{id}"}}]}}"#
        )
    };
    for created in [r#""time":{"created":20}"#, r#""time_created":20"#] {
        let (old, new) = (message("old", 10), message("new", 20));
        let text = format!(r#"{{"info":{{"id":"s",{created}}},"messages":[{old},{new}]}}"#).replace('\n', "");
        let report = report_of(OPENCODE.run(), &OPENCODE, &text);
        assert_eq!(report.kinds, ["message", "message"]);
        let values = ["input", "turns", "cost"].map(|slot| report.value(&format!("/usage/main/{slot}")));
        assert_eq!(values, ["10", "1", "0.5"]);
    }
}
