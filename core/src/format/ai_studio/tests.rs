//! Tests of prompts of AI Studio.

use super::*;
use crate::format::log::testing::{read_steps, run_of_record, spoiled, state, steps};
use proptest::prelude::*;

fn run(text: &str) -> (Box<dyn crate::format::Run>, Vec<u8>) {
    run_of_record(&AI_STUDIO, text)
}

#[test]
fn a_prompt_has_its_chunks_as_steps() {
    let parsed = run(PROMPT);
    let found = steps(&parsed);
    let expected = [
        "message system: Be brief.",
        "message user: what is 2 + 3?",
        "message user: [driveImage f1]",
        "thought agent: Code does it.",
        "tool-call agent: ",
        "tool-result environment: 5",
        "message agent: Five.",
    ];
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    assert!(found.iter().zip(expected).all(|(found, expected)| found.starts_with(expected)), "{found:#?}");
    assert!(found[4].contains("print(2 + 3)") && found[5].ends_with("(of 4)"), "{found:#?}");
    assert_eq!(parsed.0.work().map(|work| work.total_usage().output), Some(Some(15)));
    assert!(state(&parsed, "run", 6).contains(r#""model":"m""#) && state(&parsed, "settings", 0).contains("0.95"));
}

#[test]
fn code_that_failed_errors_and_chunks_of_another_shape_are_steps() {
    let text = PROMPT
        .replace("OUTCOME_OK", "OUTCOME_FAILED")
        .replace(r#""finishReason":"STOP""#, r#""errorMessage":"no quota""#);
    let parsed = run(&text);
    assert_eq!((parsed.0.step_count(), parsed.0.error_steps()), (8, vec![5, 7]));
    let text = r#"{"runSettings":{},"chunkedPrompt":{"chunks":[{"role":"model","new":1},{"parts":[{"text":"a"},{"text":"b"}],"role":"model"}]}}"#;
    let found = steps(&run(text));
    assert!(found[0].starts_with("state agent: ") && found[1] == "message agent: a · b", "{found:#?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn damaged_prompts_are_read(text in spoiled(PROMPT)) {
        read_steps(run(&text).0.as_ref(), &text);
    }
}
