//! Tests of chats of Cursor.

use super::*;
use crate::format::Format;
use crate::format::log::testing::{read_steps, run_of_set, spoiled, state, steps};
use crate::format::rows::memory::{Memory, text as cell};
use crate::json::parse;
use proptest::prelude::*;

fn run(text: &str) -> (Box<dyn crate::format::Run>, Vec<u8>) {
    run_of_set(&CURSOR_CHAT, text)
}

#[test]
fn a_chat_has_what_was_thought_said_and_called_as_steps() {
    let parsed = run(CHAT);
    assert_eq!(
        steps(&parsed),
        [
            "message user: list it",
            "thought agent: ls will do",
            "message agent: I look.",
            "tool-call agent: run_terminal_cmd ls x",
            "tool-result environment: ls: x: no such file (of 3)",
            "message agent: There is no x."
        ]
    );
    assert_eq!((parsed.0.title().as_deref(), parsed.0.error_steps()), (Some("List it"), vec![4]));
    let total = parsed.0.work().map(|work| work.total_usage()).unwrap_or_default();
    assert_eq!((total.input, total.output), (Some(20), Some(7)));
    let shell = state(&parsed, "shell", 5);
    assert!(shell.contains(r#""cwd":"/w""#) && shell.contains(r#""exit":2"#), "{shell}");
    assert!(
        state(&parsed, "run", 1).contains(r#""model":"m""#) && state(&parsed, "run", 5).contains(r#""model":"m-2""#)
    );
}

#[test]
fn a_call_that_was_rejected_failed_and_one_that_runs_has_no_result() {
    let rejected = CHAT.replace(r#"\"exitCode\":2,\"rejected\":false"#, r#"\"rejected\":true"#);
    assert_eq!(run(&rejected).0.error_steps(), [4]);
    let running = CHAT.replace(r#""status":"completed""#, r#""status":"loading""#).replace(
        r#""result":"{\"output\":\"ls: x: no such file\",\"exitCode\":2,\"rejected\":false}""#,
        r#""result":null"#,
    );
    assert_eq!(run(&running).0.step_count(), 5);
    let cancelled = running.replace("loading", "cancelled");
    assert_eq!((run(&cancelled).0.step_count(), run(&cancelled).0.error_steps()), (6, vec![4]));
}

#[test]
fn the_database_gives_a_line_for_each_chat_without_keys_of_encryption() {
    let row = |key: &str, value: &str| vec![cell(key), cell(value)];
    let chat = r#"{"composerId":"k","name":"n","blobEncryptionKey":"secret","fullConversationHeadersOnly":[
        {"bubbleId":"b","type":1},{"bubbleId":"lost","type":2},{"bubbleId":"a","type":2}]}"#;
    let rows = vec![
        row("bubbleId:k:a", "{\"bubbleId\":\"a\",\"type\":2,\n\"text\":\"yes\",\"big\":1}"),
        row("bubbleId:k:b", r#"{"bubbleId":"b","type":1,"text":"q"}"#),
        row("composerData:k", chat),
        row("composerData:empty", r#"{"composerId":"empty","fullConversationHeadersOnly":[]}"#),
        row("composerData:broken", "{"),
        row("composerData:old", r#"{"conversation":[{"type":1,"text":"hi"}]}"#),
        row("cursorAuth/accessToken", "secret"),
    ];
    let text = Memory::new(vec![("cursorDiskKV", &["key", "value"], rows)]).assembled(&Database);
    let lines: Vec<&str> = text.lines().collect();
    let expected = concat!(
        r#"{"composerId":"k","name":"n","bubbles":[{"bubbleId":"b","type":1,"text":"q"},"#,
        r#"{"bubbleId":"a","type":2,"text":"yes"}]}"#
    );
    assert_eq!(lines, [expected, r#"{"composerId":"old","bubbles":[{"type":1,"text":"hi"}]}"#]);
    assert!(CURSOR_CHAT.detect(&[parse(lines[0]).unwrap()]).is_some() && !text.contains("secret"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn damaged_chats_are_read(text in spoiled(CHAT)) {
        read_steps(run(&text).0.as_ref(), &text);
    }
}
