//! Events of both versions, and rows of evaluations, as steps and state.

use super::super::log::tests::{RunReport, report_of};
use super::*;

fn events(text: &str) -> RunReport {
    report_of(OpenHands.run(), &OpenHands, text)
}

#[test]
fn version_0_gives_one_step_an_event() {
    let report = events(EVENTS);
    assert_eq!(report.kinds, ["message", "tool-call", "tool-result", "state"]);
    assert_eq!(report.roles, ["user", "agent", "environment", "environment"]);
    assert_eq!(report.answers, [None, None, Some(1), None]);
    assert_eq!(report.tools, ["", "run", "run", ""]);
    assert!(
        report.summaries[1].contains("I look.") && report.summaries[1].contains("run ls"),
        "{:?}",
        report.summaries
    );
    assert_eq!(report.value("/session/main/agent_state"), "\"awaiting_user_input\"");
    assert_eq!(report.value("/shell/main/cwd"), "\"/w\"");
}

#[test]
fn kinds_of_actions_and_observations() {
    for (event, kind) in [
        (r#"{"id":1,"source":"agent","action":"finish","args":{"final_thought":"done"}}"#, "message"),
        (r#"{"id":1,"source":"agent","action":"system","args":{"content":"You"}}"#, "message"),
        (r#"{"id":1,"source":"agent","action":"think","args":{"thought":"so"}}"#, "thought"),
        (r#"{"id":1,"source":"user","action":"recall","args":{}}"#, "state"),
        (r#"{"id":1,"source":"agent","action":"condensation","args":{"forgotten_event_ids":[1]}}"#, "state"),
        (r#"{"id":1,"source":"agent","action":"browse","args":{"url":"u"}}"#, "tool-call"),
        (r#"{"id":1,"source":"environment","observation":"null","content":""}"#, "state"),
        (r#"{"id":1,"source":"agent","observation":"error","content":"bad"}"#, "tool-result"),
    ] {
        assert_eq!(events(event).kinds, [kind], "{event}");
    }
    let forgotten = r#"{"id":1,"source":"agent","action":"condensation","args":{"forgotten_event_ids":[4,5]}}"#;
    assert_eq!(events(forgotten).value("/context/main/forgotten_event_ids"), "[4,5]");
    let mcp = r#"{"id":1,"source":"agent","action":"call_tool_mcp","args":{"name":"fetch","arguments":{"url":"u"}}}"#;
    assert_eq!(events(mcp).tools, ["fetch"]);
}

#[test]
fn the_words_beside_a_call_and_how_it_runs_are_no_arguments() {
    let args = r#"{"path":"/a","end": -1,"thought":"I write.","impl_source":"x","translated_ipython_code":"print()"}"#;
    let report = events(&format!(r#"{{"id":1,"source":"agent","action":"edit","args":{args}}}"#));
    assert_eq!(report.summaries, ["I write. · edit /a end=-1"]);
}

#[test]
fn an_edit_whose_text_is_with_the_answer_of_the_model_alone_is_that_edit() {
    let written = r#"{\"command\":\"create\",\"path\":\"/w/a\",\"file_text\":\"x\\ny\\n\"}"#;
    let function = format!(r#"{{"name":"str_replace_editor","arguments":"{written}"}}"#);
    let message = format!(r#"{{"tool_calls":[{{"id":"t0"}},{{"id":"t1","function":{function}}}]}}"#);
    let answer = format!(r#"{{"tool_call_id":"t1","model_response":{{"choices":[{{"message":{message}}}]}}}}"#);
    let args = r#"{"path":"/w/a","content":"","start":1,"end":-1,"thought":"I write."}"#;
    let call = format!(r#"{{"id":1,"source":"agent","action":"edit","args":{args},"tool_call_metadata":{answer}}}"#);
    let result = r#"{"id":2,"source":"agent","cause":1,"observation":"edit","content":"done"}"#;
    let report = events(&format!("{call}\n{result}\n"));
    assert!(report.summaries[0].starts_with("I write. · edit create /w/a file_text="), "{}", report.summaries[0]);
    let other = call.replace(r#""tool_call_id":"t1""#, r#""tool_call_id":"t9""#);
    assert!(events(&other).summaries[0].ends_with("edit /w/a start=1 end=-1"), "no such call");
}

#[test]
fn w4_the_flag_of_a_run_comes_before_its_exit_status() {
    let run = r#"{"id":1,"source":"agent","action":"run","args":{"command":"grep x a"}}"#;
    let result = r#"{"id":2,"source":"agent","cause":1,"observation":"run","content":"","success":false,"extras":{"metadata":{"exit_code":1}}}"#;
    let report = events(&format!("{run}\n{result}\n"));
    assert_eq!(report.errors, [1]);
    let good = result.replace("false", "true");
    assert!(events(&format!("{run}\n{good}\n")).errors.is_empty(), "no match is no failure");
    let error = r#"{"id":2,"source":"agent","cause":1,"observation":"error","content":"no"}"#;
    assert_eq!(events(&format!("{run}\n{error}\n")).errors, [1]);
}

#[test]
fn refusals_and_faults_of_the_browser_are_failures() {
    let browse = r#"{"id":1,"source":"agent","action":"browse","args":{"url":"u"}}"#;
    for (result, is_failed) in [
        (r#""observation":"user_rejected","content":"no""#, true),
        (r#""observation":"browse","content":"page","extras":{"url":"u","error":true}"#, true),
        (
            r#""observation":"browse_interactive","content":"","extras":{"last_browser_action_error":"no such id"}"#,
            true,
        ),
        (r#""observation":"browse","content":"page","extras":{"url":"u","error":false}"#, false),
        (r#""observation":"run","content":"x","extras":{"error":true}"#, false),
    ] {
        let report = events(&format!("{browse}\n{{\"id\":2,\"source\":\"agent\",\"cause\":1,{result}}}"));
        assert_eq!(!report.errors.is_empty(), is_failed, "{result}");
    }
}

#[test]
fn the_sdk_gives_one_step_an_event() {
    let report = events(SDK_EVENTS);
    assert_eq!(report.kinds, ["message", "tool-call", "tool-result"]);
    assert_eq!(report.answers, [None, None, Some(1)]);
    assert_eq!(report.summaries[2], "a.txt");
    let by_action = events(&SDK_EVENTS.replace(r#""tool_call_id":"c1","action_id""#, r#""action_id""#));
    assert_eq!(by_action.answers, [None, None, Some(1)], "a result may name the event of its call");
    let event =
        |kind: &str, rest: &str| format!(r#"{{"id":"x","timestamp":"t","source":"agent","kind":"{kind}Event"{rest}}}"#);
    let acp = |status: &str| {
        event(
            "ACPToolCall",
            &format!(r#","tool_call_id":"c","title":"Read a","status":"{status}","raw_output":"text""#),
        )
    };
    let lines = [acp("pending"), acp("in_progress"), acp("completed"), event("Token", ""), event("Pause", "")];
    let report = events(&lines.join("\n"));
    assert_eq!(report.kinds, ["tool-call", "tool-result", "state"]);
    assert_eq!(report.answers[1], Some(0));
    let begun = event("ACPToolCall", r#","tool_call_id":"c","title":"Terminal","status":"pending","raw_input":{}"#);
    let later_event = |status: &str| {
        let input = r#""title":"ls","raw_input":{"command":"ls -l"},"raw_output":"x""#;
        event("ACPToolCall", &format!(r#","tool_call_id":"c","status":"{status}",{input}"#))
    };
    for rest in [vec![later_event("completed")], vec![later_event("in_progress"), later_event("completed")]] {
        let report = events(&format!("{begun}\n{}", rest.join("\n")));
        assert_eq!(report.kinds, ["tool-call", "tool-result"]);
        assert_eq!(report.answers[1], Some(0));
        assert!(report.summaries[0].contains("ls -l"), "the input came later: {}", report.summaries[0]);
    }
    assert_eq!(events(&begun).kinds, ["tool-call"]);
    for (output, is_failed, summary) in [
        (
            r#""raw_output":null,"content":[{"type":"content","content":{"type":"text","text":"no dir"}}]"#,
            false,
            "no dir",
        ),
        (r#""content":[{"content":{"text":"one"}},{"type":"text","text":"two"}]"#, false, "one\ntwo"),
        (r#""content":[{"type":"diff","path":"/w/a","oldText":null,"newText":"b"}],"is_error":true"#, true, "/w/a\nb"),
        (r#""raw_output":{},"content":[{"type":"terminal","terminalId":"t1"}]"#, false, "terminal"),
        (r#""raw_output":"said","content":[{"type":"text","text":"again"}]"#, false, "said"),
    ] {
        let call = format!(r#","tool_call_id":"c","title":"T","status":"completed",{output}"#);
        let report = events(&event("ACPToolCall", &call));
        assert!(report.summaries[1].contains(summary), "{output}: {}", report.summaries[1]);
        assert_eq!(!report.errors.is_empty(), is_failed, "{output}");
    }
    let words = events(&event("ACPSessionText", r#","acp_session_id":"n","thought":true,"text":"Reading.""#));
    assert_eq!(words.summaries, ["Reading."]);
    let update = event("ConversationStateUpdate", r#","key":"execution_status","value":"running""#);
    let full = event("ConversationStateUpdate", r#","key":"full_state","value":{"execution_status":"paused","n":1}"#);
    let report = events(&format!("{update}\n{full}"));
    assert_eq!(report.value("/session/main/execution_status"), "\"paused\"");
    assert_eq!(report.value("/session/main/n"), "1");
}

#[test]
fn cumulative_figures_are_reported_as_differences() {
    let event = |id: u32, cost: f64, tokens: u32| {
        format!(
            r#"{{"id":{id},"source":"agent","action":"run","args":{{}},"llm_metrics":{{"accumulated_cost":{cost},
            "accumulated_token_usage":{{"prompt_tokens":{tokens},"completion_tokens":1}}}}}}"#
        )
        .replace('\n', "")
    };
    let report = events(&[event(1, 0.5, 10), event(2, 0.75, 30)].join("\n"));
    assert_eq!(report.value("/usage/main/cost"), "0.75");
    assert_eq!(report.value("/usage/main/input"), "30");
}

#[test]
fn a_row_is_a_run_with_its_end() {
    let report = report_of(ROWS.run(), &ROWS, ROW);
    assert_eq!(report.kinds, ["message", "tool-call", "tool-result"]);
    assert_eq!(report.title.as_deref(), Some("i-1"));
    assert_eq!(report.value("/session/main/instance_id"), "\"i-1\"");
    assert_eq!(report.value("/session/main/test_result/git_patch"), "\"diff\"");
    let pairs = r#"{"history":[[{"id":1,"source":"agent","action":"run","args":{}},{"id":2,"cause":1,"observation":"run","content":"x"}]]}"#;
    assert_eq!(events(pairs).kinds, ["tool-call", "tool-result"]);
}

#[test]
fn damaged_events_never_panic() {
    super::super::log::tests::damage(&OpenHands, &[EVENTS, SDK_EVENTS, ROW]);
}

#[test]
fn costs_and_the_model_are_found_in_states_and_in_what_a_row_sums_up() {
    let state = r#"{"kind":"ConversationStateUpdateEvent","id":"a","timestamp":"t","source":"environment",
        "key":"full_state","value":{"agent":{"llm":{"model":"m"}},"stats":{"usage_to_metrics":{"agent":{
        "accumulated_cost":0.5,"accumulated_token_usage":{"prompt_tokens":9,"completion_tokens":4}}}}}}"#;
    let report = events(&format!("[{state}]"));
    assert_eq!((report.value("/run/main/model").as_str(), report.value("/usage/main/cost").as_str()), ("\"m\"", "0.5"));
    let row = format!(r#"{{"instance_id":"i","history":[{state}],"metrics":{{"accumulated_cost":1.5}}}}"#);
    assert_eq!(events(&row).value("/usage/main/cost"), "1.5", "the sum, not both");
    let failed =
        r#"[{"kind":"ConversationErrorEvent","id":"a","timestamp":"t","source":"environment","detail":"no key"}]"#;
    assert_eq!((events(failed).errors, events(failed).summaries), (vec![0], vec!["no key".to_owned()]));
}

#[test]
fn forgotten_events_are_not_seen_after_their_condensation() {
    let message_event = |id: u32, text: &str| {
        format!(r#"{{"id":{id},"source":"user","action":"message","args":{{"content":"{text}"}}}}"#)
    };
    let condensed = r#"{"id":3,"source":"agent","action":"condensation","args":{"forgotten_event_ids":[1]}}"#;
    let all = [message_event(1, "a"), message_event(2, "b"), condensed.to_owned(), message_event(4, "c")].join(",");
    let report = events(&format!("[{all}]"));
    assert_eq!((report.visible_steps(1), report.visible_steps(3)), (vec![0, 1], vec![1, 3]));
}

#[test]
fn a_branch_that_was_left_is_not_on_the_main_line() {
    let event = |id: &str, parent: &str, text: &str| {
        let message = format!(r#"{{"role":"user","content":[{{"type":"text","text":"{text}"}}]}}"#);
        format!(
            r#"{{"kind":"MessageEvent","id":"{id}","parent_id":{parent},"source":"user","timestamp":"t","llm_message":{message}}}"#
        )
    };
    let lines = [event("a", "null", "go"), event("b", "\"a\"", "one"), event("c", "\"a\"", "two")];
    let report = events(&lines.join("\n"));
    assert_eq!(report.standings(), ["main", "abandoned", "main"]);
    assert_eq!(report.visible_steps(2), [0, 2]);
    let linear = lines.join("\n").replace("parent_id", "other");
    assert_eq!(events(&linear).standings(), ["main"; 3]);
}

/// A message of the user, with the member that names its parent.
fn message_event(id: &str, parent: &str) -> String {
    let message = r#"{"role":"user","content":[{"type":"text","text":"go"}]}"#;
    format!(r#"{{"kind":"MessageEvent","id":"{id}"{parent},"source":"user","timestamp":"t","llm_message":{message}}}"#)
}

#[test]
fn a_conversation_that_was_moved_back_leaves_what_came_after() {
    let leaf = |id: &str| {
        format!(
            r#"{{"kind":"ConversationStateUpdateEvent","id":"u{id}","timestamp":"t","source":"environment","key":"leaf_event_id","value":"{id}"}}"#
        )
    };
    let after = |parent: &str| format!(r#","parent_id":"{parent}""#);
    let mut lines =
        vec![message_event("a", ""), message_event("b", &after("a")), leaf("b"), message_event("c", &after("b"))];
    let standings = |lines: &[String]| events(&lines.join("\n")).standings();
    assert_eq!(standings(&lines), ["main"; 4]);
    lines.push(leaf("a"));
    assert_eq!(standings(&lines), ["main", "abandoned", "main", "abandoned", "main"]);
    lines.push(message_event("d", &after("a")));
    assert_eq!(standings(&lines), ["main", "abandoned", "main", "abandoned", "main", "main"]);
    // The root names no parent where members without a value are left out.
    let retried = [message_event("a", ""), message_event("b", &after("a")), message_event("c", &after("a"))];
    assert_eq!(standings(&retried), ["main", "abandoned", "main"]);
    // The state beside the events of a folder.
    let base = r#"{"base_state":{"leaf_event_id":"a","stats":{"usage_to_metrics":{}}}}"#.to_owned();
    assert_eq!(standings(&[message_event("a", ""), message_event("b", &after("a")), base]), ["main", "abandoned"]);
    assert_eq!(
        standings(&[message_event("a", ""), message_event("b", &after("a")), leaf("x")]),
        ["main"; 3],
        "an unknown event"
    );
}

#[test]
fn a_conversation_that_was_emptied_and_begun_anew_leaves_what_was_before() {
    let after = |parent: &str| format!(r#","parent_id":"{parent}""#);
    // Events of an older version name no parent; a change of the state is no part of the tree.
    let update = r#"{"kind":"ConversationStateUpdateEvent","id":"u","timestamp":"t","source":"environment","key":"execution_status","value":"idle","parent_id":"b"}"#;
    let mut lines =
        vec![message_event("a", ""), message_event("b", ""), update.to_owned(), message_event("c", &after("b"))];
    let standings = |lines: &[String]| events(&lines.join("\n")).standings();
    assert_eq!(standings(&lines), ["main"; 4]);
    let emptied = r#"{"base_state":{"head_is_empty":true,"stats":{"usage_to_metrics":{}}}}"#.to_owned();
    let with_emptied = [lines.as_slice(), &[emptied]].concat();
    assert_eq!(standings(&with_emptied), ["abandoned", "abandoned", "main", "abandoned"]);
    // The change that emptied it stays in sight when it goes on.
    let state = r#""key":"full_state","value":{"head_is_empty":true}"#;
    let update = update.replace(r#""key":"execution_status","value":"idle""#, state);
    let begun = [lines.as_slice(), &[update, message_event("d", &after("__root__"))]].concat();
    assert_eq!(standings(&begun), ["abandoned", "abandoned", "main", "abandoned", "main", "main"]);
    lines.extend([message_event("d", &after("__root__")), message_event("e", &after("d"))]);
    assert_eq!(standings(&lines), ["abandoned", "abandoned", "main", "abandoned", "main", "main"]);
    let report = events(&lines.join("\n"));
    assert_eq!((report.visible_steps(5), report.visible_steps(3)), (vec![4, 5], vec![0, 1, 3]));
    lines.push(message_event("f", &after("a")));
    assert_eq!(standings(&lines), ["main", "abandoned", "main", "abandoned", "abandoned", "abandoned", "main"]);
}

#[test]
fn a_call_behind_acp_is_named_by_its_tool_and_not_by_its_title() {
    let tool = |members: &str| {
        let report = events(&format!(
            r#"{{"kind":"ACPToolCallEvent","id":"x","timestamp":"t","source":"agent","tool_call_id":"c","status":"completed",{members}}}"#
        ));
        report.tools[0].clone()
    };
    for (members, expected) in [
        (r#""title":"`ls -l`","tool_kind":"execute","raw_input":{"command":"ls -l"}"#, "shell"),
        (r#""title":"Terminal","tool_kind":"execute","raw_input":{"command":["bash","-lc","ls"]}"#, "shell"),
        (r#""title":"Read src/a.py","tool_kind":"read","raw_input":{"file_path":"/w/a.py"}"#, "read"),
        (
            r#""title":"Edit a","tool_kind":"edit","raw_input":{"file_path":"/w/a","old_string":"","new_string":"x"}"#,
            "edit",
        ),
        (r#""title":"Write a","tool_kind":"edit","raw_input":{"file_path":"/w/a","content":"x"}"#, "write"),
        (r#""title":"Tool: docs/search","tool_kind":"other","raw_input":{"server":"docs","tool":"search"}"#, "search"),
        (r#""title":"Look it up","tool_kind":"read","raw_input":{}"#, "Look it up"),
        (r#""title":"Explore","tool_kind":"think","raw_input":{"prompt":"p"}"#, "Explore"),
        (r#""title":"","tool_kind":"fetch""#, "fetch"),
    ] {
        assert_eq!(tool(members), expected, "{members}");
    }
}
