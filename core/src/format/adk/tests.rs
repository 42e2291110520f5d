//! Sessions of ADK, from JSON and from tables in memory.

use super::*;
use crate::format::log::testing::{adapted, read_steps, spoiled, state_of};
use crate::format::rows::memory::{Memory, text};
use crate::format::{Format, Run};
use crate::json::parse;
use crate::model::{ContainerValue, Place, Record, RecordBody, Span, StepNo};
use proptest::prelude::*;

fn run_of(text: &str) -> LogRun {
    adapted(session::Session, text)
}

fn state(run: &dyn Run, text: &str, step: StepNo) -> String {
    let answer = run.state(step, &text.as_bytes().to_vec());
    answer.iter().find(|(name, _)| *name == "state").unwrap().1.get().to_owned()
}

#[test]
fn parts_of_events_are_steps_and_deltas_the_state() {
    let (run, bytes) = (run_of(SESSION), SESSION.as_bytes().to_vec());
    let steps: Vec<_> = (0..run.step_count() as StepNo).map(|n| run.step(n, &bytes)).collect();
    let kinds: Vec<_> = steps.iter().map(|s| format!("{} {}", s.kind, s.role.name())).collect();
    assert_eq!(kinds, ["message user", "tool-call agent", "tool-result environment"]);
    assert_eq!((steps[2].answers, steps[1].time.as_deref()), (Some(1), Some("1743871932.5")));
    assert!(state(&run, SESSION, 1).contains(r#""state":{"session":{"lang":"en"}}"#), "{}", state(&run, SESSION, 1));
    assert!(state(&run, SESSION, 2).contains(r#""cart":["socks"]"#));
    let cart = run.locate("/state/session/cart", 2).unwrap().remove(0).0;
    assert_eq!(run.attribution(cart, 2, &bytes).who.as_deref(), Some("add"));
    assert!(run.findings().is_empty() && run.title().as_deref() == Some("s1"));
}

#[test]
fn a_session_is_known_by_its_id_whatever_name_is_shown_for_it() {
    let named = r#""state":{"__session_metadata__":{"displayName":"Which crops grow here..."},"#;
    let text = SESSION.replacen(r#""state":{"#, named, 1);
    assert!(text.contains("displayName"));
    let run = run_of(&text);
    assert_eq!(run.title().as_deref(), Some("s1"));
}

#[test]
fn events_alone_are_a_run_in_which_the_full_one_replaces_its_pieces() {
    let lines = EVENTS.replace("data: ", "").replace("\n\n", "\n");
    let steps_of = |text: &str| {
        let mut run = LogRun::new(events::Events);
        let (bytes, mut offset) = (text.as_bytes().to_vec(), 0);
        for (number, line) in text.lines().enumerate() {
            let place = Place { span: Span { offset, len: line.len() as u64 }, line: number as u64 + 1 };
            offset += line.len() as u64 + 1;
            run.push(&Record { number, place, body: RecordBody::Text, is_row: false }, line.as_bytes(), &bytes);
            run.catch_up(&bytes);
        }
        (0..run.step_count() as StepNo).map(|n| run.step(n, &bytes).summary).collect::<Vec<_>>()
    };
    assert_eq!(steps_of(&lines), ["add socks", "added", "It is in."]);
    let cut: Vec<&str> = lines.split_inclusive('\n').take(3).collect();
    assert_eq!(steps_of(&cut.concat())[2..], ["It is"]);
    // A piece of another author stays until its full one comes.
    let other = cut.concat() + &cut[2].replace("shopper", "helper").replace("It is", "I look");
    let both = other + lines.lines().nth(3).unwrap();
    assert_eq!(steps_of(&both)[2..], ["I look", "It is in."]);
}

#[test]
fn an_agent_that_another_started_is_nested() {
    let text = SESSION.replace(r#""author":"#, r#""branch":"root.helper","author":"#);
    let run = run_of(&text);
    assert_eq!(run.step(0, &text.clone().into_bytes()).depth, 1);
}

#[test]
fn both_spellings_and_all_parts_are_read() {
    let text = r#"{"appName":"a","events":[
        {"author":"bot","content":{"parts":[{"text":"hm","thought":true},{"text":"one"},{"text":"two"},
            {"functionCall":{"name":"f","args":{}}},{"functionCall":{"name":"g","args":{}}}]},
            "usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":3,"thoughtsTokenCount":2,
                "toolUsePromptTokenCount":4},
            "actions":{"stateDelta":{"app:n":1,"user:m":null},"artifactDelta":{"a.txt":2},"transferToAgent":"b",
                "rewindBeforeInvocationId":"i0"}},
        {"author":"bot","content":{"parts":[{"functionResponse":{"name":"g","response":{"error":"no"}}}]}},
        {"author":"bot","actions":{}},
        {"author":"bot","invocationId":"i","partial":true,"content":{"parts":[{"text":"th"}]}},
        {"author":"bot","invocationId":"i","content":{"parts":[{"text":"the end"}]}}],"state":{"x":1}}"#;
    let (run, bytes) = (run_of(text), text.as_bytes().to_vec());
    let kinds: Vec<_> = (0..run.step_count() as StepNo).map(|n| run.step(n, &bytes).kind).collect();
    assert_eq!(kinds, ["thought", "message", "tool-call", "tool-call", "tool-result", "state", "message"]);
    assert_eq!((run.step(4, &bytes).answers, run.step(0, &bytes).tokens), (Some(3), Some(5)));
    assert_eq!(run.error_steps(), [4]);
    let state = state(&run, text, 6);
    for slot in [
        r#""input":13,"output":5"#,
        r#""app":{"n":1}"#,
        r#""user":{"m":null}"#,
        r#""a.txt":{"version":2}"#,
        r#""x":1"#,
        r#""transfer_to_agent":"b""#,
        r#""rewind_before_invocation_id":"i0""#,
    ] {
        assert!(state.contains(slot), "{slot} in {state}");
    }
}

#[test]
fn a_state_that_the_events_do_not_set_is_found() {
    let text = SESSION.replace(r#""cart":["socks"],"lang""#, r#""cart":[],"lang""#);
    let findings = run_of(&text).findings();
    assert_eq!((findings.len(), findings[0].rule), (1, "log.replay-differs"));
}

/// The lines of a database.
fn lines(memory: &mut Memory) -> Vec<String> {
    memory.assembled(&Database).lines().map(str::to_owned).collect()
}

#[test]
fn a_database_is_a_line_for_each_session() {
    let session = |id: &str| vec![text("a"), text("u"), text(id), text("{\"k\":\n1}"), ContainerValue::Real(1.5)];
    let event = |session: &str, time: f64, data: &str| {
        vec![text("a"), text("u"), text(session), ContainerValue::Real(time), text(data)]
    };
    let mut memory = Memory::new(vec![
        ("app_states", &["app_name"], Vec::new()),
        ("sessions", &["app_name", "user_id", "id", "state", "update_time"], vec![session("1"), session("2")]),
        (
            "events",
            &["app_name", "user_id", "session_id", "timestamp", "event_data"],
            vec![
                event("2", 2.0, "{\"n\":2}"),
                event("2", 1.0, "{\"n\":1}"),
                event("3", 1.0, "{}"),
                event("2", 3.0, "{"),
            ],
        ),
    ]);
    assert_eq!(
        lines(&mut memory),
        [
            r#"{"app_name":"a","user_id":"u","id":"1","last_update_time":1.5,"state":{"k": 1},"events":[]}"#,
            r#"{"app_name":"a","user_id":"u","id":"2","last_update_time":1.5,"state":{"k": 1},"events":[{"n":1},{"n":2},"{"]}"#,
        ]
    );
    assert!(ADK.detect(&[parse(&lines(&mut memory)[0]).unwrap()]).is_some());
}

#[test]
fn events_of_older_databases_are_put_together() {
    let row = vec![
        text("a"),
        text("u"),
        text("1"),
        text("2025-01-01 10:00:00"),
        text("bot"),
        text("{\"parts\":[]}"),
        ContainerValue::Blob(vec![128, 4]),
    ];
    let columns: &[&str] = &["app_name", "user_id", "session_id", "timestamp", "author", "content", "actions"];
    let mut memory = Memory::new(vec![
        ("app_states", &["app_name"], Vec::new()),
        ("sessions", &["app_name", "user_id", "id"], vec![vec![text("a"), text("u"), text("1")]]),
        ("events", columns, vec![row]),
    ]);
    let event =
        r#"{"author":"bot","timestamp":"2025-01-01 10:00:00","content":{"parts":[]},"actions":{"unreadable":true}}"#;
    assert!(lines(&mut memory)[0].ends_with(&format!("\"events\":[{event}]}}")), "{:?}", lines(&mut memory));
}

/// The pickle of an object with `state_delta` and without, as pydantic and as a dictionary.
#[test]
fn pickled_actions_are_read_and_nothing_in_them_runs() {
    let dict = b"\x80\x04}\x8c\x0bstate_delta}\x8c\x01nK\x02ss.";
    let object = b"\x80\x04\x8c\x01m\x8c\x01C\x93)\x81}\x8c\x08__dict__}\x8c\x0bstate_delta}\x8c\x01nK\x02sssb.";
    for pickle in [&dict[..], &object[..]] {
        let cells = [text("a"), text("u"), text("1"), text("1"), ContainerValue::Blob(pickle.to_vec())];
        let columns: &[&str] = &["app_name", "user_id", "session_id", "timestamp", "actions"];
        let mut memory = Memory::new(vec![
            ("app_states", &["app_name"], Vec::new()),
            ("sessions", &["app_name", "user_id", "id"], vec![vec![text("a"), text("u"), text("1")]]),
            ("events", columns, vec![cells.to_vec()]),
        ]);
        let line = lines(&mut memory).remove(0);
        assert!(line.contains(r#""actions":{"state_delta":{"n":2}}"#), "{line}");
    }
}

#[test]
fn pieces_give_way_to_the_full_event_of_their_author_alone() {
    let piece = |author: &str, text: &str, is_partial: bool| {
        format!(
            r#"{{"author":"{author}","invocation_id":"i","partial":{is_partial},"content":{{"parts":[{{"text":"{text}"}}]}}}}"#
        )
    };
    let texts = |events: &[String]| {
        let text = format!(r#"{{"app_name":"a","events":[{}]}}"#, events.join(","));
        let (run, bytes) = (run_of(&text), text.as_bytes().to_vec());
        (0..run.step_count() as StepNo).map(|step| run.step(step, &bytes).summary).collect::<Vec<_>>()
    };
    let mixed = [piece("x", "a", true), piece("y", "b", true), piece("x", "aa", false), piece("y", "bb", false)];
    assert_eq!(texts(&mixed), ["aa", "bb"]);
    assert_eq!(texts(&[piece("x", "a", true), piece("x", "b", true)]), ["a", "b"], "no full one follows");
}

#[test]
fn a_state_without_what_its_events_set_is_found() {
    let found = |state: &str, delta: &str| {
        let text = format!(
            r#"{{"app_name":"a","state":{state},"events":[{{"author":"x","actions":{{"state_delta":{delta}}}}}]}}"#
        );
        run_of(&text).findings().iter().map(|found| found.rule).collect::<Vec<_>>()
    };
    assert_eq!(found("{}", r#"{"n":1}"#), ["log.replay-differs"]);
    assert_eq!(found("{}", r#"{"temp:n":1,"app:m":2,"gone":null}"#), [""; 0]);
    assert_eq!(found(r#"{"n":1}"#, r#"{"n":1}"#), [""; 0]);
}

/// 0.3, W2: the state joins what came back by the name of the tool as the steps do, also where the call has an id.
#[test]
fn responses_without_ids_have_effects_on_the_calls_of_their_names() {
    for id in ["", r#""id":"x","#] {
        let text = format!(
            r#"{{"id":"s","app_name":"a","user_id":"u","state":{{}},"events":[
                {{"id":"1","author":"ag","content":{{"role":"model","parts":[
                    {{"function_call":{{{id}"name":"read_file","args":{{"path":"/w/a"}}}}}},
                    {{"function_call":{{"name":"bash","args":{{"command":"ls"}}}}}}]}},"timestamp":1.5,"actions":{{}}}},
                {{"id":"2","author":"ag","content":{{"role":"model","parts":[
                    {{"function_response":{{"name":"bash","response":{{"result":"LS"}}}}}},
                    {{"function_response":{{"name":"read_file","response":{{"result":"l1\nl2\n"}}}}}}]}},
                    "timestamp":2.5,"actions":{{}}}}]}}"#
        );
        let (run, bytes) = (run_of(&text), text.as_bytes().to_vec());
        let last = StepNo::try_from(run.step_count()).unwrap() - 1;
        assert_eq!(run.step(last, &bytes).answers, Some(0), "{id}");
        let open = state_of(&run, &bytes, "call", last);
        assert_eq!(open, r#"{"main":{"open":[]}}"#, "{id}");
        let file = state_of(&run, &bytes, "file", last);
        assert!(file.contains("\"/w/a\"") && file.contains("\"lines\":2"), "{file}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn damaged_sessions_are_read(text in spoiled(SESSION)) {
        read_steps(&run_of(&text), &text);
    }
}

#[test]
fn what_an_app_and_a_user_have_in_all_sessions_is_in_the_state() {
    let session = |id: &str| vec![text("a"), text("u"), text(id), text("{}")];
    let mut memory = Memory::new(vec![
        ("app_states", &["app_name", "state"], vec![vec![text("a"), text(r#"{"color":"red","n":1}"#)]]),
        (
            "user_states",
            &["app_name", "user_id", "state"],
            vec![vec![text("a"), text("v"), text(r#"{"n":0}"#)], vec![text("a"), text("u"), text(r#"{"lang":"en"}"#)]],
        ),
        ("sessions", &["app_name", "user_id", "id", "state"], vec![session("1")]),
        (
            "events",
            &["app_name", "user_id", "session_id", "timestamp", "event_data"],
            vec![vec![
                text("a"),
                text("u"),
                text("1"),
                text("1"),
                text(r#"{"author":"x","actions":{"state_delta":{"app:n":2}}}"#),
            ]],
        ),
    ]);
    let line = lines(&mut memory).remove(0);
    assert!(line.contains(r#""app_state":{"color":"red","n":1},"user_state":{"lang":"en"}"#), "{line}");
    let of = |step| state_of(&run_of(&line), &line.as_bytes().to_vec(), "state", step);
    assert_eq!(of(0), r#"{"app":{"color":"red","n":2},"user":{"lang":"en"}}"#);
}

#[test]
fn an_event_of_a_workflow_is_of_the_node_that_its_path_names() {
    let event = |author: &str, path: &str, delta: &str| {
        format!(
            r#"{{"author":"{author}","actions":{{"state_delta":{delta}}},"node_info":{{"path":"{path}"}},"timestamp":1.5}}"#
        )
    };
    let events = [
        event("user", "", r#"{"turn":1}"#),
        event("flow", "flow@1/ask@2", r#"{"n":1}"#),
        event("writer", "flow@1/writer@1", r#"{"text":"x"}"#),
        event("flow", "flow@1", r#"{"done":true}"#),
    ];
    let text = format!(r#"{{"app_name":"a","id":"s","state":{{}},"events":[{}]}}"#, events.join(","));
    let (run, bytes) = (run_of(&text), text.as_bytes().to_vec());
    let classes: Vec<_> = (0..4).map(|step| run.step(step, &bytes).class.unwrap()).collect();
    assert_eq!(classes, ["user", "ask", "writer", "flow"]);
}
