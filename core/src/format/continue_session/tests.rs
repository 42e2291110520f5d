//! Tests of sessions of Continue.

use super::*;
use crate::format::log::testing::{read_steps, run_of_record, spoiled, state, steps};
use proptest::prelude::*;

fn run(text: &str) -> (Box<dyn crate::format::Run>, Vec<u8>) {
    run_of_record(&CONTINUE, text)
}

#[test]
fn a_session_has_its_items_as_steps() {
    let parsed = run(SESSION);
    assert_eq!(
        steps(&parsed),
        [
            "message user: list it · [image/png of 21 bytes] · the plan",
            "thought agent: ls will do",
            "message agent: I look.",
            "tool-call agent: run_terminal_command ls",
            "tool-result environment: refused (of 3)",
            "message agent: As you like.",
            "state system: The user refused to list."
        ]
    );
    assert_eq!((parsed.0.title().as_deref(), parsed.0.error_steps()), (Some("List it"), vec![4]));
    assert_eq!(parsed.0.context_steps(6), Some(vec![6]));
    let total = parsed.0.work().map(|work| work.total_usage()).unwrap_or_default();
    assert_eq!((total.input, total.output, total.cost), (Some(20), Some(7), Some(0.25)));
    let known = state(&parsed, "run", 6);
    assert!(known.contains(r#""model":"M 1""#) && state(&parsed, "shell", 6).contains(r#""cwd":"/w""#), "{known}");
    assert!(state(&parsed, "session", 0).contains(r#""mode":"agent""#));
}

#[test]
fn a_result_with_a_message_is_there_once_and_fails_as_its_state_says() {
    let result = r#"{"message":{"role":"tool","content":"ls: no","toolCallId":"c1"},"contextItems":[]},"#;
    let text = SESSION.replace(
        r#"{"message":{"role":"assistant","content":"As"#,
        &format!(r#"{result}{{"message":{{"role":"assistant","content":"As"#),
    );
    let text = text.replace("canceled", "errored");
    let parsed = run(&text);
    assert_eq!(steps(&parsed)[4..6], ["tool-result environment: ls: no (of 3)", "message agent: As you like."]);
    assert_eq!(parsed.0.error_steps(), [4]);
    assert!(run(&text.replace("errored", "done")).0.error_steps().is_empty());
}

#[test]
fn a_call_that_is_not_over_has_no_result_and_one_of_a_state_alone_is_a_call() {
    let parsed = run(&SESSION.replace("canceled", "calling"));
    assert!(!steps(&parsed).iter().any(|step| step.starts_with("tool-result")), "{:?}", steps(&parsed));
    let item = r#"{"sessionId":"s","title":"","workspaceDirectory":"","history":[{"message":{"role":"assistant",
        "content":""},"toolCallState":{"toolCallId":"c","toolCall":{"id":"c","function":{"name":"ls",
        "arguments":"{}"}},"status":"done","output":[{"content":"a"},{"content":"b"}]}}]}"#;
    let found = steps(&run(item));
    assert!(found.len() == 2 && found[0].starts_with("tool-call agent: ls"), "{found:#?}");
    assert_eq!(found[1], "tool-result environment: a\n\nb (of 0)");
}

#[test]
fn a_message_of_a_thought_is_a_thought_and_an_item_of_another_shape_is_a_step() {
    let text = r#"{"sessionId":"s","title":"t","workspaceDirectory":"/w","history":[
        {"message":{"role":"thinking","content":"hm"},"contextItems":[]},{"other":1}]}"#;
    let found = steps(&run(text));
    assert_eq!(found[0], "thought agent: hm");
    assert!(found[1].starts_with("state system: "), "{found:#?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn damaged_sessions_are_read(text in spoiled(SESSION)) {
        read_steps(run(&text).0.as_ref(), &text);
    }
}
