//! Tests of chats of Open WebUI.

use super::*;
use crate::format::log::testing::{read_steps, run_of_set, spoiled, state, steps};
use proptest::prelude::*;

fn run(text: &str) -> (Box<dyn crate::format::Run>, Vec<u8>) {
    run_of_set(&OPEN_WEBUI, text)
}

#[test]
fn the_path_to_the_current_message_is_the_run() {
    let parsed = run(CHAT);
    let found = steps(&parsed);
    assert!(found[0].starts_with("message user: say hi · [file of "), "{found:#?}");
    assert_eq!(found[1..], ["state system: no model", "message agent: Hi."]);
    assert_eq!((parsed.0.error_steps(), parsed.0.context_steps(2)), (vec![1], Some(vec![0, 2])));
    assert_eq!(parsed.0.title().as_deref(), Some("Greeting"));
    assert!(state(&parsed, "usage", 2).contains(r#""input":9"#) && state(&parsed, "run", 2).contains(r#""model":"m""#));
    assert!(state(&parsed, "chat", 0).contains(r#""models":["m"]"#));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn damaged_chats_are_read(text in spoiled(&CHAT[1..CHAT.len() - 1])) {
        read_steps(run(&text).0.as_ref(), &text);
    }
}
