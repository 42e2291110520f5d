//! Recordings, saved states and runs of teams.

use super::*;
use crate::format::log::testing::{lines, run_of_record, state, steps};
use crate::format::log::tests::damage;

#[test]
fn a_repeated_history_is_reported_once() {
    let text = CALLS.trim_matches(['[', ']']).replace("},\n{", "}\n{");
    let expected = [
        "message system: You help.",
        "message user: list it",
        "tool-call agent: ls x",
        "tool-result environment: a.txt (of 2)",
        "message agent: There is a.txt.",
    ];
    assert_eq!(steps(&lines(&AUTOGEN, &text)), expected);
}

#[test]
fn agents_that_take_turns_repeat_histories_of_their_own_and_streams_end_in_the_answer() {
    let messages = |texts: &[&str]| {
        let message = |text: &&str| format!(r#"{{"type":"UserMessage","content":"{text}","source":"x"}}"#);
        texts.iter().map(message).collect::<Vec<_>>().join(",")
    };
    let call = |texts: &[&str], rest: &str| format!(r#"{{"mode":"create","messages":[{}],{rest}}}"#, messages(texts));
    let answer = |text: &str| format!(r#""response":{{"content":"{text}","usage":{{"completion_tokens":2}}}}"#);
    let stream = r#""response":null,"stream":["B","2",{"content":"B2","usage":{"completion_tokens":3}}]"#;
    let text = [
        call(&["a", "task"], &answer("A1")),
        call(&["b", "task", "A1"], &answer("B1")),
        call(&["a", "task", "A1", "B1"], &answer("A2")),
        call(&["b", "task", "A1", "B1", "A2"], stream),
    ];
    let parsed = lines(&AUTOGEN, &text.join("\n"));
    let words: Vec<String> = steps(&parsed).iter().filter_map(|s| Some(s.split(": ").nth(1)?.to_owned())).collect();
    assert_eq!(words, ["a", "task", "A1", "b", "task", "A1", "B1", "B1", "A2", "A2", "B2"]);
    assert!(state(&parsed, "usage", 10).contains(r#""output":9"#), "{}", state(&parsed, "usage", 10));
}

#[test]
fn a_saved_team_has_its_thread_and_the_context_of_each_agent() {
    let parsed = run_of_record(&AUTOGEN, TEAM);
    let expected = ["message user: list it", "message agent: There is a.txt."];
    assert_eq!(steps(&parsed), [expected, expected].concat());
    assert_eq!(parsed.0.trajectory_count(), 2);
    let names = [0, 2].map(|step| parsed.0.step(step, &parsed.1).trajectory.unwrap_or_default());
    assert_eq!(names, ["RoundRobinGroupChatManager", "clerk"]);
    let states = state(&parsed, "agent_state", 3);
    assert!(states.contains(r#""current_turn":1"#) && !states.contains("There is"), "{states}");
    assert_eq!(state(&parsed, "usage", 3), r#"{"main":{"input":9,"output":3,"turns":1}}"#);
}

#[test]
fn events_of_a_thread_are_calls_results_thoughts_and_state() {
    let of = |class: &str, content: &str| format!(r#"{{"type":"{class}","source":"a","content":{content}}}"#);
    let thread = [
        of("ThoughtEvent", r#""hm""#),
        of(
            "ToolCallRequestEvent",
            r#"[{"id":"c","name":"ls","arguments":"{}"},{"id":"d","name":"ls","arguments":"{}"}]"#,
        ),
        of("ToolCallExecutionEvent", r#"[{"call_id":"d","name":"ls","content":"x","is_error":true}]"#),
        of("ToolCallSummaryMessage", r#""x""#),
        of("SelectSpeakerEvent", r#"["b"]"#),
    ];
    let text = format!(r#"{{"type":"SelectorManagerState","message_thread":[{}]}}"#, thread.join(","));
    let kinds: Vec<String> =
        steps(&run_of_record(&AUTOGEN, &text)).iter().map(|s| s.split(':').next().unwrap().to_owned()).collect();
    let expected = [
        "thought agent",
        "tool-call agent",
        "tool-call agent",
        "tool-result environment",
        "message agent",
        "state system",
    ];
    assert_eq!(kinds, expected);
    assert_eq!(run_of_record(&AUTOGEN, &text).0.answers(3), Some(2));
}

#[test]
fn what_a_team_ran_repeats_the_messages_that_came_before_it() {
    let parsed = run_of_record(&AUTOGEN, RESULT_OF_TEAM);
    let expected = ["message user: list it", "tool-call agent: ls x", "tool-result environment: a.txt (of 1)"];
    assert_eq!(steps(&parsed), expected);
    assert_eq!(parsed.0.step(2, &parsed.1).time.as_deref(), Some("2026-05-01T10:00:02Z"));
    assert_eq!(state(&parsed, "session", 2), r#"{"main":{"stop_reason":"Maximum reached"}}"#);
    assert!(state(&parsed, "usage", 2).contains(r#""input":9,"output":3"#));
    let message = |id: &str, content: &str| {
        let rest = r#""source":"user","models_usage":null,"type":"TextMessage""#;
        format!(r#"{{"id":"{id}","content":"{content}",{rest}}}"#)
    };
    let piece = r#"{"id":"p","content":"o","source":"a","models_usage":null,"type":"ModelClientStreamingChunkEvent"}"#;
    let (one, two) = (message("m1", "one"), message("m2", "two"));
    let result = |message: &str| format!(r#"{{"messages":[{message}],"stop_reason":null}}"#);
    let text = [one.clone(), piece.to_owned(), result(&one), two.clone(), result(&two)].join("\n");
    let parsed = lines(&AUTOGEN, &text);
    assert_eq!(steps(&parsed), ["message user: one", "message user: two"]);
    assert_eq!(parsed.0.trajectory_count(), 2);
}

#[test]
fn a_state_without_messages_is_one_step() {
    let parsed = run_of_record(&AUTOGEN, r#"{"type":"TeamState","agent_states":{"a":{"type":"X","turn":3}}}"#);
    assert_eq!((steps(&parsed).len(), parsed.0.trajectory_count()), (1, 1));
    assert_eq!(state(&parsed, "agent_state", 0), r#"{"main":{"type":"TeamState"},"a":{"type":"X","turn":3}}"#);
}

#[test]
fn damaged_states_never_panic() {
    damage(&AUTOGEN, &[TEAM]);
}
