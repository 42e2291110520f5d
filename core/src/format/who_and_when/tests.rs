//! Tests of failures of teams of agents.

use super::*;
use crate::format::log::testing::{read_steps, run_of_set, spoiled, state, steps};
use proptest::prelude::*;

fn run(text: &str) -> (Box<dyn crate::format::Run>, Vec<u8>) {
    run_of_set(&WHO_AND_WHEN, text)
}

#[test]
fn each_message_is_a_step_and_the_one_at_fault_failed() {
    let parsed = run(FAILURE);
    assert_eq!(
        steps(&parsed),
        [
            "message user: How many are even?",
            "thought agent: Plan: count them.",
            "message agent: I count 4.",
            "message environment: exitcode: 0\nOutput: 4",
            "message agent: The answer is 4."
        ]
    );
    assert_eq!(parsed.0.error_steps(), [2]);
    assert_eq!(state(&parsed, "fault", 1), "");
    assert!(state(&parsed, "fault", 2).contains(r#""mistake_reason":"It stops at row 9.""#));
    assert!(state(&parsed, "task", 0).contains(r#""ground_truth":"8""#));
    assert_eq!(parsed.0.turn(2, &parsed.1).unwrap().speaker.as_deref(), Some("Excel_Expert"));
}

#[test]
fn a_fault_outside_of_the_history_is_said_at_its_end() {
    let parsed = run(&FAILURE.replace(r#""mistake_step":"2""#, r#""mistake_step":9"#));
    assert!(parsed.0.error_steps().is_empty());
    assert!(state(&parsed, "fault", 3).is_empty() && !state(&parsed, "fault", 4).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn damaged_records_are_read(text in spoiled(FAILURE)) {
        read_steps(run(&text).0.as_ref(), &text);
    }
}
