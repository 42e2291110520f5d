//! Tests of sessions of Goose.

use super::*;
use crate::format::log::testing::{read_steps, run_of_set, spoiled, state, steps};
use crate::format::rows::memory::{Memory, text as cell};
use crate::format::{ContextFill, Format};
use crate::json::parse;
use proptest::prelude::*;

fn run(text: &str) -> (Box<dyn crate::format::Run>, Vec<u8>) {
    run_of_set(&GOOSE, text)
}

#[test]
fn a_session_has_its_parts_as_steps_and_its_tokens() {
    let parsed = run(SESSION);
    assert_eq!(
        steps(&parsed),
        [
            "message user: list it",
            "thought agent: ls will do",
            "message agent: I look.",
            "tool-call agent: developer__shell ls",
            "tool-result environment: no shell (of 3)",
            "message agent: There is no shell."
        ]
    );
    assert_eq!((parsed.0.title().as_deref(), parsed.0.error_steps()), (Some("List it"), vec![4]));
    let total = parsed.0.work().map(|work| work.total_usage()).unwrap_or_default();
    assert_eq!((total.input, total.output), (Some(20), Some(7)));
    let shell = state(&parsed, "shell", 5);
    assert!(shell.contains(r#""cwd":"/w""#) && shell.contains(r#""command":"ls""#), "{shell}");
    let fill = ContextFill::of(parsed.0.as_ref(), 5, &parsed.1, 1).unwrap();
    assert!(fill.recorded.is_none(), "the tokens of a session are of no answer");
    assert!(state(&parsed, "session", 0).contains(r#""session_type":"user""#));
}

#[test]
fn what_was_compacted_is_not_for_the_model() {
    let text = SESSION.replacen(r#""agentVisible":true"#, r#""agentVisible":false"#, 2);
    let parsed = run(&text);
    assert_eq!(parsed.0.context_steps(5), Some(vec![4, 5]));
    assert_eq!(parsed.0.context_steps(3), Some(vec![0, 1, 2, 3]), "it was until then");
}

#[test]
fn tools_are_named_behind_their_extension_and_may_write_files() {
    let call = r#"{"name":"developer__text_editor","arguments":{"command":"write","path":"/w/a","file_text":"hi\n"}}"#;
    let text = SESSION
        .replace(
            r#"{"name":"developer__shell",
            "arguments":{"command":"ls"}}"#,
            call,
        )
        .replace(r#""status":"error","error":"no shell""#, r#""status":"success","value":[]"#);
    let parsed = run(&text);
    let file = state(&parsed, "file", 5);
    assert!(file.contains(r#""/w/a""#) && !file.contains("failed"), "{file}");
    assert_eq!(parsed.0.work().unwrap().files(5).first().map(|file| file.edits), Some(1), "{file}");
}

#[test]
fn the_database_gives_a_line_for_each_session() {
    let int = ContainerValue::Integer;
    let message = |id: i64, owner: &str, role: &str, created: i64, content: &str| {
        vec![int(id), cell(owner), cell(role), int(created), cell(content), cell("{\"agentVisible\":true}")]
    };
    let part = r#"[{"type":"text","text":"q"}]"#;
    let sessions = vec![
        vec![cell("b"), cell("/w"), cell("second"), cell("2026-05-02"), int(3)],
        vec![cell("a"), cell("/w"), cell("first"), cell("2026-05-01"), ContainerValue::Null],
    ];
    let messages = vec![
        message(2, "a", "assistant", 7, part),
        message(1, "a", "user", 7, part),
        message(3, "b", "user", 9, "damaged"),
    ];
    let mut memory = Memory::new(vec![
        (SESSIONS, &["id", "working_dir", "description", "updated_at", "accumulated_input_tokens"], sessions),
        (MESSAGES, &["id", "session_id", "role", "created_timestamp", "content_json", "metadata_json"], messages),
    ]);
    let text = memory.assembled(&Database);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    let first = concat!(
        r#"{"id":"a","description":"first","working_dir":"/w","updated_at":"2026-05-01","conversation":["#,
        r#"{"id":2,"role":"assistant","created":7,"content":[{"type":"text","text":"q"}],"metadata":{"agentVisible":true}},"#,
        r#"{"id":1,"role":"user","created":7,"#
    );
    assert!(lines[0].starts_with(first), "{text}");
    assert!(
        lines[1].contains(r#""accumulated_input_tokens":3"#) && lines[1].contains(r#""content":"damaged""#),
        "{text}"
    );
    assert!(GOOSE.detect(&[parse(lines[0]).unwrap()]).is_some());
    assert_eq!(steps(&run(lines[0])), ["message agent: q", "message user: q"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn damaged_sessions_are_read(text in spoiled(SESSION)) {
        read_steps(run(&text).0.as_ref(), &text);
    }
}
