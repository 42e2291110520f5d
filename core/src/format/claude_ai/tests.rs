//! Tests of conversations of Claude.ai.

use super::*;
use crate::format::Format;
use crate::format::log::testing::{read_steps, run_of_set, spoiled, state, steps};
use crate::json::parse;
use crate::model::Standing;
use proptest::prelude::*;

fn run(text: &str) -> (Box<dyn crate::format::Run>, Vec<u8>) {
    run_of_set(&CLAUDE_AI, text)
}

/// A conversation of messages, without their parents.
fn conversation(messages: &str) -> String {
    format!(r#"{{"uuid":"k","name":"","created_at":"2026-05-01T10:00:00Z","chat_messages":[{messages}]}}"#)
}

#[test]
fn blocks_are_steps_in_their_order_and_an_earlier_answer_was_left() {
    let parsed = run(CONVERSATION);
    assert_eq!(
        steps(&parsed),
        [
            "message user: sort this · b a · [file plan.png]",
            "message agent: a, b?",
            "thought agent: A tool does it.",
            "message agent: I sort it.",
            "tool-call agent: bash_tool sort list",
            "tool-result environment: sort: no such file (of 4)",
            "message agent: There is no such file."
        ]
    );
    let left: Vec<i32> = (0..7).filter(|at| parsed.0.step(*at, &parsed.1).standing == Standing::Abandoned).collect();
    assert_eq!((left, parsed.0.error_steps()), (vec![1], vec![5]));
    assert_eq!(parsed.0.title().as_deref(), Some("Lists"));
    assert_eq!(parsed.0.step(4, &parsed.1).time.as_deref(), Some("2026-05-01T10:00:22Z"));
    assert_eq!(parsed.0.step(6, &parsed.1).time.as_deref(), Some("2026-05-01T10:00:25Z"));
    assert!(state(&parsed, "chat", 0).contains(r#""name":"Lists""#));
    assert!(state(&parsed, "shell", 5).contains("sort list"), "{}", state(&parsed, "shell", 5));
}

#[test]
fn earlier_exports_have_the_text_alone() {
    let messages = r#"{"uuid":"1","sender":"human","text":"hi","attachments":[]},{"uuid":"2","sender":"assistant","text":"Hello.","content":[]},{"uuid":"3","sender":"human","text":"","content":[]}"#;
    let parsed = run(&conversation(messages));
    assert_eq!(steps(&parsed), ["message user: hi", "message agent: Hello.", "message user: "]);
    assert_eq!(parsed.0.context_steps(2), Some(vec![0, 1, 2]));
    assert_eq!(parsed.0.title().as_deref(), Some("k"));
}

#[test]
fn calls_without_ids_are_answered_in_order_and_unknown_blocks_are_steps() {
    let blocks = r#"{"type":"tool_use","name":"artifacts","input":{"command":"create"}},{"type":"tool_result","name":"artifacts","content":"OK","is_error":false},{"type":"token_budget","left":3}"#;
    let parsed = run(&conversation(&format!(r#"{{"uuid":"1","sender":"assistant","text":"","content":[{blocks}]}}"#)));
    let found = steps(&parsed);
    assert_eq!(found.len(), 3, "{found:#?}");
    assert!(found[0].starts_with("tool-call agent: artifacts"));
    assert_eq!(found[1], "tool-result environment: OK (of 0)");
    assert!(found[2].starts_with("state system: ") && found[2].contains('3'), "{found:#?}");
}

#[test]
fn the_leaf_that_is_named_ends_the_run() {
    let message = |id: &str, parent: &str| {
        format!(r#"{{"uuid":"{id}","sender":"human","text":"{id}","parent_message_uuid":"{parent}"}}"#)
    };
    let all = [message("a", "0"), message("b", "a"), message("c", "a")].join(",");
    let text = conversation(&all);
    assert_eq!(run(&text).0.context_steps(2), Some(vec![0, 2]));
    let named = text.replace(r#""name":"","#, r#""name":"","current_leaf_message_uuid":"b","#);
    assert_eq!(steps(&run(&named)), ["message user: a", "message user: c", "message user: b"]);
}

#[test]
fn a_message_of_many_blocks_is_one_step() {
    let blocks = vec![r#"{"type":"text","text":"x"}"#; 5000].join(",");
    let parsed = run(&conversation(&format!(r#"{{"uuid":"1","sender":"assistant","text":"","content":[{blocks}]}}"#)));
    assert_eq!(parsed.0.step_count(), 1);
}

#[test]
fn only_messages_with_a_sender_make_a_conversation() {
    let is_one = |text: &str| CLAUDE_AI.detect(&[parse(text).unwrap()]).is_some();
    assert!(is_one(&conversation("")));
    assert!(!is_one(r#"{"chat_messages":[]}"#));
    assert!(!is_one(&conversation(r#"{"role":"user","content":"x"}"#)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn damaged_conversations_are_read(text in spoiled(&CONVERSATION[1..CONVERSATION.len() - 1])) {
        read_steps(run(&text).0.as_ref(), &text);
    }
}
