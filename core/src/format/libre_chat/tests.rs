//! Tests of conversations of LibreChat.

use super::*;
use crate::format::log::testing::{read_steps, run_of_set, spoiled, state, steps};
use proptest::prelude::*;

fn run(text: &str) -> (Box<dyn crate::format::Run>, Vec<u8>) {
    run_of_set(&LIBRE_CHAT, text)
}

#[test]
fn messages_that_lead_to_the_last_one_are_the_run() {
    let parsed = run(CONVERSATION);
    let found = steps(&parsed);
    assert_eq!(found[..3], ["message user: list it", "message agent: No quota.", "thought agent: ls will do"]);
    assert!(found[3].starts_with("tool-call agent: ls "), "{found:#?}");
    assert_eq!(found[4..], ["tool-result environment: a.txt (of 3)", "message agent: One file."]);
    assert_eq!((parsed.0.error_steps(), parsed.0.context_steps(5)), (vec![1], Some(vec![0, 2, 3, 4, 5])));
    assert!(state(&parsed, "run", 5).contains(r#""model":"m-2""#));
}

#[test]
fn messages_may_be_inside_of_each_other() {
    let text = r#"{"conversationId":"k","messages":[{"messageId":"a","text":"one","isCreatedByUser":true,"children":[
        {"messageId":"b","parentMessageId":"a","text":"two","isCreatedByUser":false},
        {"messageId":"c","parentMessageId":"a","text":"three","isCreatedByUser":false}]}]}"#;
    let parsed = run(text);
    assert_eq!(steps(&parsed), ["message user: one", "message agent: two", "message agent: three"]);
    assert_eq!(parsed.0.context_steps(2), Some(vec![0, 2]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn damaged_conversations_are_read(text in spoiled(CONVERSATION)) {
        read_steps(run(&text).0.as_ref(), &text);
    }
}
