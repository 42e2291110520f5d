//! Sessions of Copilot Chat, whole and as a journal. Knows no other format.

use super::*;
use crate::format::log::testing::{growing, lines, run_of_record, state, steps};

#[test]
fn the_rounds_of_a_result_are_the_steps_in_place_of_what_the_editor_shows() {
    let parsed = run_of_record(&COPILOT_CHAT, SESSION);
    let expected = [
        "message user: say hi",
        "thought agent: one line",
        "message agent: I edit a.txt",
        "tool-call agent: replace_string_in_file /w/a.txt: hello",
        "tool-result environment: The following files were successfully edited: /w/a.txt",
        "message agent: Done.",
    ];
    let found = steps(&parsed);
    for (step, expected) in found.iter().zip(expected) {
        let start = expected.split(':').next().unwrap_or_default();
        assert!(step.starts_with(start), "{found:#?}");
    }
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    assert_eq!((found[2].as_str(), found[5].as_str()), (expected[2], expected[5]));
    assert_eq!(parsed.0.step(4, &parsed.1).answers, Some(3));
    assert_eq!(parsed.0.title().as_deref(), Some("Greeting"));
    assert!(state(&parsed, "file", 4).contains(r#""edits":1"#), "{}", state(&parsed, "file", 4));
    let usage = parsed.0.work().unwrap().total_usage();
    assert_eq!((usage.input, usage.output), (Some(20), Some(7)));
    assert!(state(&parsed, "run", 5).contains(r#""model":"copilot/m""#));
}

#[test]
fn a_tool_of_a_round_that_says_that_it_failed_did() {
    let text = SESSION.replace("The following files were", "ERROR while calling tool: none were");
    assert_eq!(run_of_record(&COPILOT_CHAT, &text).0.error_steps(), [4]);
}

#[test]
fn a_journal_sets_and_adds_to_the_session() {
    let expected = [
        "message user: run the tests",
        "thought agent: make will do",
        "tool-call agent: run_in_terminal make test",
        "tool-result environment: 1 failed (of 2)",
        "message agent: One test of a.rs fails.",
    ];
    let parsed = lines(&COPILOT_CHAT, JOURNAL);
    assert_eq!(steps(&parsed), expected);
    assert_eq!(steps(&growing(&COPILOT_CHAT, JOURNAL)), expected, "the same while it grows");
    assert_eq!(parsed.0.title().as_deref(), Some("Tests"));
    assert_eq!((parsed.0.outcome(3).unwrap().reason, parsed.0.error_steps()), (Some("exit"), vec![3]));
    assert_eq!(parsed.0.step(4, &parsed.1).chars, "One test of a.rs fails.".len());
    assert!(state(&parsed, "shell", 3).contains(r#""exit":2"#));
}

#[test]
fn rounds_that_come_late_take_the_place_of_the_parts() {
    let round = r#"{"toolCallRounds":[{"response":"It fails.","toolCalls":[]}]}"#;
    let text = JOURNAL.replace(r#"{"totalElapsed":9}}"#, &format!(r#"{{"totalElapsed":9}},"metadata":{round}}}"#));
    let expected = ["message user: run the tests", "message agent: It fails."];
    assert_eq!(steps(&lines(&COPILOT_CHAT, &text)), expected);
    let more = r#"{"kind":2,"k":["requests",0,"response"],"v":[{"value":"It"}]}"#;
    assert_eq!(steps(&lines(&COPILOT_CHAT, &format!("{text}{more}\n"))), expected, "what repeats them");
    let gone = r#"{"kind":3,"k":["requests",0,"result"]}"#;
    assert_eq!(steps(&lines(&COPILOT_CHAT, &format!("{text}{gone}\n"))).len(), 5);
    let other = r#"{"kind":2,"k":["requests"],"i":0,"v":[{"message":"next","response":[{"value":"yes"}]}]}"#;
    assert_eq!(steps(&lines(&COPILOT_CHAT, &format!("{text}{other}\n"))), ["message user: next", "message agent: yes"]);
}

#[test]
fn a_call_that_the_user_refused_is_an_error_and_one_that_runs_is_open() {
    let part = |more: &str| {
        let part = format!(r#"{{"kind":"toolInvocationSerialized","toolId":"f","toolCallId":"c"{more}}}"#);
        let request = format!(r#"{{"requestId":"r","message":{{"text":"q"}},"response":[{part}]}}"#);
        run_of_record(&COPILOT_CHAT, &format!(r#"{{"responderUsername":"c","requests":[{request}]}}"#))
    };
    assert_eq!(steps(&part("")).len(), 2, "it runs");
    assert!(state(&part(""), "call", 1).contains(r#""open":[1]"#));
    let refused = part(r#","isConfirmed":{"type":0}"#);
    assert_eq!((steps(&refused).len(), refused.0.error_steps()), (3, vec![2]));
    let found = part(r#","isComplete":true,"resultDetails":[{"fsPath":"/w/a","scheme":"file"},{"path":"/w/b"}]"#);
    assert_eq!(steps(&found)[2], "tool-result environment: /w/a\n/w/b (of 1)");
    let done = part(r#","isComplete":true,"pastTenseMessage":{"value":"Did f"},"invocationMessage":"Doing f""#);
    assert_eq!(steps(&done)[2], "tool-result environment: Did f (of 1)");
}

#[test]
fn what_went_wrong_and_what_was_attached_are_shown() {
    let variables = r#"{"variables":[{"kind":"file","name":"a.rs","value":{"path":"/w/a.rs"}},{"kind":"tool"}]}"#;
    let text = format!(
        r#"{{"responderUsername":"c","requests":[{{"message":{{"parts":[{{"text":"q"}}]}},"variableData":{variables},
        "response":[],"result":{{"errorDetails":{{"message":"Canceled"}}}}}}]}}"#
    );
    let parsed = run_of_record(&COPILOT_CHAT, &text);
    assert!(steps(&parsed)[0].starts_with("message user: q"), "{:?}", steps(&parsed));
    assert_eq!(steps(&parsed)[1], "state system: Canceled");
    assert_eq!(parsed.0.error_steps(), [1]);
    let turn = parsed.0.turn(0, &parsed.1).unwrap();
    assert_eq!(turn.parts.len(), 2, "{turn:?}");
}
