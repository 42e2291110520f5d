//! Events: pieces, patches, threads.

use super::AG_UI;
use crate::format::log::testing::{lines, run_of_record, state, steps, writes};
use crate::format::signature::AG_UI_EVENTS;

#[test]
fn pieces_are_one_step_also_where_two_messages_interleave_or_no_end_comes() {
    let text = [
        r#"{"type":"TEXT_MESSAGE_START","messageId":"a","role":"assistant"}"#,
        r#"{"type":"TEXT_MESSAGE_START","messageId":"b","role":"user"}"#,
        r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"a","delta":"one "}"#,
        r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"b","delta":"two"}"#,
        r#"{"type":"TEXT_MESSAGE_CONTENT","messageId":"a","delta":"three"}"#,
        r#"{"type":"TEXT_MESSAGE_END","messageId":"b"}"#,
        r#"{"type":"RUN_ERROR","message":"gone"}"#,
    ];
    let parsed = lines(&AG_UI, &text.join("\n"));
    assert_eq!(steps(&parsed)[..2], ["message agent: one three", "message user: two"]);
    assert_eq!((parsed.0.step_count(), parsed.0.step(0, &parsed.1).chars), (3, 9));
}

#[test]
fn chunks_and_reasoning_fold() {
    let text = [
        r#"{"type":"REASONING_START","messageId":"r"}"#,
        r#"{"type":"REASONING_MESSAGE_START","messageId":"r"}"#,
        r#"{"type":"REASONING_MESSAGE_CHUNK","messageId":"r","delta":"hm"}"#,
        r#"{"type":"REASONING_MESSAGE_END","messageId":"r"}"#,
        r#"{"type":"REASONING_END","messageId":"r"}"#,
        r#"{"type":"TOOL_CALL_CHUNK","toolCallId":"c","toolCallName":"ls","delta":"{\"path\":"}"#,
        r#"{"type":"TOOL_CALL_CHUNK","toolCallId":"c","delta":"\"x\"}"}"#,
        r#"{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":"a.txt"}"#,
    ];
    let expected = ["thought agent: hm", "tool-call agent: ls x", "tool-result environment: a.txt (of 1)"];
    assert_eq!(steps(&lines(&AG_UI, &text.join("\n"))), expected);
}

#[test]
fn a_patch_changes_the_snapshot_or_is_dropped_with_a_finding() {
    let text = [
        r#"{"type":"STATE_SNAPSHOT","snapshot":{"n":1.50,"list":["a"],"deep":{"x":1,"y":2}}}"#,
        r#"{"type":"STATE_DELTA","delta":[{"op":"add","path":"/list/0","value":"b"},{"op":"remove","path":"/deep/x"}]}"#,
        r#"{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/n","value":2},{"op":"remove","path":"/none"}]}"#,
        r#"{"type":"STATE_DELTA","delta":[{"op":"add","path":"/list/-","value":"c"}]}"#,
    ];
    let parsed = lines(&AG_UI, &text.join("\n"));
    let patched = r#"{"main":{"n":1.50,"list":["b","a"],"deep":{"y":2}}}"#;
    let appended = patched.replace(r#""a"]"#, r#""a","c"]"#);
    assert_eq!([1, 2, 3].map(|step| state(&parsed, "state", step)), [patched, patched, appended.as_str()]);
    assert_eq!(writes(&parsed, 3), ["+/state/main/list/2"]);
    assert_eq!(writes(&parsed, 1), ["-/state/main/deep/x", "~/state/main/list/0", "+/state/main/list/1"]);
    let findings = parsed.0.findings();
    assert_eq!(findings.iter().map(|f| (f.rule, f.step)).collect::<Vec<_>>(), [("run.patch-failed", Some(2))]);
}

#[test]
fn activities_are_patched_by_message() {
    let text = [
        r#"{"type":"ACTIVITY_SNAPSHOT","messageId":"a","activityType":"index","content":{"done":0}}"#,
        r#"{"type":"ACTIVITY_SNAPSHOT","messageId":"a","activityType":"index","content":{},"replace":false}"#,
        r#"{"type":"ACTIVITY_DELTA","messageId":"a","activityType":"index","patch":[{"op":"replace","path":"/done","value":1}]}"#,
    ];
    assert_eq!(state(&lines(&AG_UI, &text.join("\n")), "index", 2), r#"{"a":{"done":1}}"#);
}

#[test]
fn threads_have_states_of_their_own() {
    let run = |thread: &str, n: u32| {
        format!(
            "{{\"type\":\"RUN_STARTED\",\"threadId\":\"{thread}\"}}\n{{\"type\":\"STATE_SNAPSHOT\",\"snapshot\":{{\"n\":{n}}}}}"
        )
    };
    let parsed = lines(&AG_UI, &[run("a", 1), run("b", 2), run("a", 3)].join("\n"));
    assert_eq!(parsed.0.trajectory_count(), 2);
    assert_eq!(state(&parsed, "state", 3), r#"{"b":{"n":2}}"#);
    assert_eq!(
        (state(&parsed, "state", 4).as_str(), state(&parsed, "state", 5).as_str()),
        (r#"{"main":{"n":1}}"#, r#"{"main":{"n":3}}"#)
    );
    let threads = [2, 4].map(|step| parsed.0.step(step, &parsed.1).trajectory);
    assert_eq!(threads, ["b", "a"].map(|name| Some(name.to_owned())), "one that is taken up again");
    let named = r#"{"x":[{"type":"CUSTOM","name":"a","value":1}],"y":[{"type":"NEW","message":"b"}],"z":[]}"#;
    let parsed = run_of_record(&AG_UI, named);
    assert_eq!((parsed.0.trajectory_count(), parsed.0.step_count()), (3, 2));
    assert_eq!(parsed.0.findings()[0].rule, "run.unknown-record");
}

#[test]
fn chunks_without_an_id_go_on_with_the_one_before() {
    let text = [
        r#"{"type":"TOOL_CALL_CHUNK","toolCallId":"c","toolCallName":"ls","delta":"{\"path\":"}"#,
        r#"{"type":"TOOL_CALL_CHUNK","delta":"\"x\"}"}"#,
        r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","role":"assistant","delta":"one "}"#,
        r#"{"type":"TEXT_MESSAGE_CHUNK","delta":"two"}"#,
        r#"{"type":"RUN_FINISHED"}"#,
    ];
    let parsed = lines(&AG_UI, &text.join("\n"));
    assert_eq!(steps(&parsed)[..2], ["tool-call agent: ls x", "message agent: one two"]);
}

#[test]
fn a_call_that_is_not_whole_yet_names_its_tool() {
    let text = r#"{"type":"RUN_STARTED","threadId":"t"}
{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"ls"}
{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{\"pa"}"#;
    let parsed = lines(&AG_UI, text);
    assert_eq!(parsed.0.step(1, &parsed.1).tool.as_deref(), Some("ls"));
}

#[test]
fn chunks_that_interleave_are_one_step_for_each_id() {
    let text = [
        r#"{"type":"TOOL_CALL_CHUNK","toolCallId":"c","toolCallName":"ls","delta":"{\"path\":"}"#,
        r#"{"type":"TOOL_CALL_CHUNK","toolCallId":"d","toolCallName":"pwd","delta":"{}"}"#,
        r#"{"type":"TOOL_CALL_CHUNK","toolCallId":"c","delta":"\"x\"}"}"#,
        r#"{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":"a.txt"}"#,
        r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"k","role":"assistant","delta":"one "}"#,
        r#"{"type":"CUSTOM","name":"a","value":1}"#,
        r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"k","delta":"two"}"#,
    ];
    let parsed = lines(&AG_UI, &text.join("\n"));
    let all = steps(&parsed);
    assert_eq!(all[..2], ["tool-call agent: ls x", "tool-call agent: pwd"]);
    assert_eq!(all[3..4], ["message agent: one two"], "{all:?}");
    assert_eq!((all.len(), parsed.0.step(2, &parsed.1).answers), (5, Some(0)));
}

#[test]
fn a_call_in_chunks_goes_on_behind_other_events() {
    let text = [
        r#"{"type":"TOOL_CALL_CHUNK","toolCallId":"c","toolCallName":"ls","delta":"{\"path\":"}"#,
        r#"{"type":"RAW","event":{}}"#,
        r#"{"type":"TOOL_CALL_CHUNK","toolCallId":"c","delta":"\"x"}"#,
        r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"k","role":"assistant","delta":"one"}"#,
        r#"{"type":"TOOL_CALL_CHUNK","toolCallId":"c","delta":"y\"}"}"#,
        r#"{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":"a.txt"}"#,
        r#"{"type":"TOOL_CALL_CHUNK","toolCallId":"c","toolCallName":"pwd","delta":"{}"}"#,
        r#"{"type":"RUN_FINISHED"}"#,
    ];
    let parsed = lines(&AG_UI, &text.join("\n"));
    let all = steps(&parsed);
    assert_eq!(all[0], "tool-call agent: ls xy", "{all:?}");
    let expected = ["message agent: one", "tool-result environment: a.txt (of 0)", "tool-call agent: pwd"];
    assert_eq!(all[2..5], expected, "{all:?}");
}

#[test]
fn what_ended_is_neither_gone_on_with_nor_taken_for_what_begins_under_its_id() {
    let of = |events: &[&str]| {
        let begin = r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#;
        let all = steps(&lines(&AG_UI, &[&[begin][..], events].concat().join("\n")));
        all[1..].to_vec()
    };
    // A chunk without an id behind the result of the call before it.
    let unnamed = of(&[
        r#"{"type":"TOOL_CALL_CHUNK","toolCallId":"c","toolCallName":"ls","delta":"{}"}"#,
        r#"{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":"a.txt"}"#,
        r#"{"type":"TOOL_CALL_CHUNK","toolCallName":"cat","delta":"{\"path\":"}"#,
        r#"{"type":"TOOL_CALL_CHUNK","delta":"\"x\"}"}"#,
    ]);
    assert_eq!(unnamed[2..], ["tool-call agent: cat x"], "{unnamed:?}");
    let begun_again = of(&[
        r#"{"type":"TOOL_CALL_CHUNK","toolCallId":"c","toolCallName":"ls","delta":"{\"path\":\"a\"}"}"#,
        r#"{"type":"TEXT_MESSAGE_CHUNK","messageId":"k","role":"assistant","delta":"one"}"#,
        r#"{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"cat"}"#,
        r#"{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{\"path\":\"b\"}"}"#,
        r#"{"type":"TOOL_CALL_END","toolCallId":"c"}"#,
    ]);
    assert_eq!(begun_again, ["tool-call agent: ls a", "message agent: one", "tool-call agent: cat b"]);
}

#[test]
fn an_event_without_what_its_type_has_is_found() {
    let text = [
        r#"{"type":"STATE_DELTA"}"#,
        r#"{"type":"TEXT_MESSAGE_CONTENT","delta":"x"}"#,
        r#"{"type":"TOOL_CALL_START","tool_call_id":"c","tool_call_name":"ls"}"#,
        r#"{"type":"TOOL_CALL_RESULT","content":"x"}"#,
    ];
    let parsed = lines(&AG_UI, &text.join("\n"));
    let found: Vec<_> = parsed.0.findings().iter().map(|found| (found.rule, found.step)).collect();
    assert_eq!(found, [0, 1, 3].map(|step| ("run.incomplete-record", Some(step))));
}

#[test]
fn a_patch_before_any_snapshot_is_of_what_the_client_sent() {
    let text = [
        r#"{"type":"RUN_STARTED","threadId":"a","input":{"state":{"n":1}}}"#,
        r#"{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/n","value":2}]}"#,
    ];
    let parsed = lines(&AG_UI, &text.join("\n"));
    assert_eq!([0, 1].map(|step| state(&parsed, "state", step)), [1, 2].map(|n| format!(r#"{{"main":{{"n":{n}}}}}"#)));
    assert_eq!(parsed.0.findings().len(), 0);
}

#[test]
fn a_member_that_is_no_list_of_events_is_no_trajectory() {
    let record = r#"{"one":[{"type":"RUN_STARTED","threadId":"a"}],"two":[{"type":"RUN_STARTED"}],"note":"x"}"#;
    assert_eq!(run_of_record(&AG_UI, record).0.trajectory_count(), 2);
}

/// 0.3, W2: the state joins what came back as the steps do.
#[test]
fn calls_that_interleave_keep_their_steps() {
    let text = [
        r#"{"type":"TOOL_CALL_START","toolCallId":"a","toolCallName":"read_file"}"#,
        r#"{"type":"TOOL_CALL_ARGS","toolCallId":"a","delta":"{\"path\":\"/w/a\"}"}"#,
        r#"{"type":"TOOL_CALL_START","toolCallId":"b","toolCallName":"bash"}"#,
        r#"{"type":"TOOL_CALL_ARGS","toolCallId":"b","delta":"{\"command\":\"pwd\"}"}"#,
        r#"{"type":"TOOL_CALL_END","toolCallId":"b"}"#,
        r#"{"type":"TOOL_CALL_END","toolCallId":"a"}"#,
        r#"{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"b","content":"/w"}"#,
    ];
    let parsed = lines(&AG_UI, &text.join("\n"));
    assert_eq!(
        [1, 2].map(|step| state(&parsed, "call", step)),
        [r#"{"main":{"open":[0,1]}}"#, r#"{"main":{"open":[0]}}"#]
    );
}

#[test]
fn a_patch_that_is_no_list_is_found() {
    let text = r#"{"type":"STATE_SNAPSHOT","snapshot":{"a":1}}
{"type":"STATE_DELTA","delta":{"op":"add","path":"/b","value":2}}"#;
    let parsed = lines(&AG_UI, text);
    let found = parsed.0.findings();
    assert_eq!((found[0].rule, found[0].step), ("run.patch-failed", Some(1)));
    assert_eq!(state(&parsed, "state", 1), r#"{"main":{"a":1}}"#);
}

#[test]
fn every_type_by_which_a_stream_is_recognised_is_known_to_its_reader() {
    let lines_of = |class: &&str| format!(r#"{{"type":"{class}","messageId":"m","threadId":"t","runId":"r"}}"#);
    for class in AG_UI_EVENTS.iter().map(lines_of) {
        let parsed = lines(&AG_UI, &class);
        let unknown = parsed.0.findings().iter().any(|finding| finding.rule == "run.unknown-record");
        assert!(!unknown, "{class}");
    }
}
