//! Tests of conversations of Kiro and Amazon Q.

use super::*;
use crate::format::Format;
use crate::format::log::testing::{read_steps, run_of_set, spoiled, state, steps};
use crate::format::rows::memory::{Memory, text as cell};
use crate::json::parse;
use proptest::prelude::*;

fn run(text: &str) -> (Box<dyn crate::format::Run>, Vec<u8>) {
    run_of_set(&KIRO, text)
}

#[test]
fn a_conversation_has_its_turns_as_steps_and_commands_their_exit_status() {
    let parsed = run(CONVERSATION);
    assert_eq!(
        steps(&parsed),
        [
            "message user: list it",
            "message agent: I look.",
            "tool-call agent: execute_bash ls x",
            "tool-result environment: ls: x: no such file (of 2)",
            "message agent: There is no x."
        ]
    );
    let reason = parsed.0.outcome(3).and_then(|outcome| outcome.reason);
    assert_eq!((parsed.0.error_steps(), reason), (vec![3], Some("exit")));
    let known = state(&parsed, "run", 4);
    assert!(known.contains(r#""model":"m-1""#), "{known}");
    let shell = state(&parsed, "shell", 3);
    assert!(shell.contains(r#""exit":2"#) && shell.contains(r#""cwd":"/w""#), "{shell}");
    assert_eq!(parsed.0.step(0, &parsed.1).time.as_deref(), Some("2026-05-01T10:00:00+02:00"));
}

#[test]
fn entries_that_are_lists_and_calls_that_were_cancelled_are_read() {
    let parsed = run(EARLIER_CONVERSATION);
    let found = steps(&parsed);
    let expected = [
        "message user: save",
        "tool-call agent: fs_write ",
        "tool-result environment: Tool use was cancelled (of 1)",
        "message user: no",
        "message agent: Well.",
    ];
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    assert!(found.iter().zip(expected).all(|(found, expected)| found.starts_with(expected)), "{found:#?}");
    assert_eq!(parsed.0.error_steps(), [2]);
    assert_eq!(state(&parsed, "file", 4), r#"{"a.txt":{"failed":1}}"#);
}

#[test]
fn a_message_that_is_not_sent_what_hooks_add_and_entries_of_another_shape_are_steps() {
    let next = r#""next_message":{"additional_context":"It is Friday.","env_context":{"env_state":null},
        "content":{"Prompt":{"prompt":"go on"}},"images":[{"format":"png","source":{"Bytes":[1,2]}}]}"#;
    let text =
        CONVERSATION.replace(r#""next_message":null"#, next).replace(r#""history":["#, r#""history":[{"new":1},"#);
    let found = steps(&run(&text));
    assert!(found[0].starts_with("state system: "), "{found:#?}");
    assert_eq!(found[6..], ["message user: It is Friday.", "message user: go on · [png of 15 bytes]"]);
}

#[test]
fn the_database_gives_a_line_for_each_conversation_of_both_tables() {
    let int = ContainerValue::Integer;
    let row =
        |key: &str, id: &str, value: &str, updated: i64| vec![cell(key), cell(id), cell(value), int(1), int(updated)];
    let newer = ["key", "conversation_id", "value", "created_at", "updated_at"];
    let given = CONVERSATION.replacen(r#""key":"/w","#, "", 1);
    let rows = vec![row("/w", "k1", &given, 20), row("/w", "k2", "{}", 10)];
    let older = vec![vec![cell("/o"), cell(EARLIER_CONVERSATION)]];
    let mut memory = Memory::new(vec![("conversations_v2", &newer, rows), ("conversations", &["key", "value"], older)]);
    let text = memory.assembled(&Database);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(lines[0].starts_with(r#"{"key":"/o","conversation_id":"k0""#), "{text}");
    assert_eq!(lines[1], r#"{"key":"/w","created_at":1,"updated_at":10}"#);
    assert!(lines[2].starts_with(r#"{"key":"/w","created_at":1,"updated_at":20,"conversation_id":"k1""#), "{text}");
    assert!(KIRO.detect(&[parse(lines[2]).unwrap()]).is_some());
    let tables = || Memory::new(vec![("conversations", &["key", "value"], Vec::new())]);
    assert!(!Database.claims(&mut Contents::Tables(&mut tables())), "a table of a common name is nobody's");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn damaged_conversations_are_read(text in spoiled(CONVERSATION), earlier in spoiled(EARLIER_CONVERSATION)) {
        read_steps(run(&text).0.as_ref(), &text);
        read_steps(run(&earlier).0.as_ref(), &earlier);
    }
}
