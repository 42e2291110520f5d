//! Rollouts and streams, record by record.

use super::{EXEC, ROLLOUT};
use crate::format::log::testing::{lines, state, steps, writes};
use crate::model::PartRole;

/// A line of a rollout.
fn line(class: &str, payload: &str) -> String {
    format!(r#"{{"timestamp":"2026-05-01T10:00:00Z","type":"{class}","payload":{payload}}}"#)
}

fn item(payload: &str) -> String {
    line("response_item", payload)
}

fn event(payload: &str) -> String {
    line("event_msg", payload)
}

const ASKED: &str = r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}"#;

#[test]
fn mirrors_are_folded_where_the_file_has_what_they_mirror() {
    let mirror = event(r#"{"type":"user_message","message":"go"}"#);
    let thought = event(r#"{"type":"agent_reasoning","text":"hm"}"#);
    let alone = lines(&ROLLOUT, &[mirror.clone(), thought.clone()].join("\n"));
    assert_eq!(alone.0.step_count(), 2);
    // The mirror comes first, and is known as one when the message comes.
    let text = [mirror, item(ASKED), thought, item(r#"{"type":"reasoning","summary":[{"text":"hm"}]}"#)].join("\n");
    assert_eq!(steps(&lines(&ROLLOUT, &text)), ["message user: go", "thought agent: hm"]);
}

#[test]
fn items_go_to_the_call_of_their_id_or_are_calls_within_another() {
    let command = |id: &str| {
        let item = r#""command":["ls"],"status":"completed","aggregated_output":"a.txt","exit_code":2,"duration":{"secs":1,"nanos":5000000}"#;
        event(&format!(r#"{{"type":"item_completed","item":{{"type":"CommandExecution","id":"{id}",{item}}}}}"#))
    };
    let call = item(r#"{"type":"custom_tool_call","id":"f1","call_id":"c1","name":"exec","input":"run()"}"#);
    let output = item(r#"{"type":"custom_tool_call_output","call_id":"c1","output":"done"}"#);
    let parsed = lines(&ROLLOUT, &[call.clone(), command("c1"), command("n1"), output].join("\n"));
    assert_eq!(
        steps(&parsed),
        [
            "tool-call agent: exec run()",
            r#"tool-call agent: exec_command ["ls"]"#,
            "tool-result environment: a.txt (of 1)",
            "tool-result environment: done (of 0)"
        ]
    );
    // An item before its call is known at the call.
    assert_eq!(steps(&lines(&ROLLOUT, &[command("c1"), call].join("\n"))), ["tool-call agent: exec run()"]);
}

#[test]
fn a_script_of_the_model_is_no_command_of_a_shell() {
    let script = r#"{"type":"custom_tool_call","call_id":"c1","name":"exec","input":"text(1) > '/w/a.txt'"}"#;
    let output = item(r#"{"type":"custom_tool_call_output","call_id":"c1","output":"1"}"#);
    let parsed = lines(&ROLLOUT, &[item(script), output.clone()].join("\n"));
    assert_eq!((state(&parsed, "shell", 1), state(&parsed, "file", 1)), (String::new(), String::new()));
    let command = r#"{"type":"function_call","call_id":"c1","name":"exec","arguments":"{\"cmd\":\"ls\"}"}"#;
    let parsed = lines(&ROLLOUT, &[item(command), output].join("\n"));
    assert!(state(&parsed, "shell", 1).contains(r#""command":"ls""#));
}

#[test]
fn a_world_state_is_patched_from_a_full_one_on() {
    let world = |full: bool, state: &str| line("world_state", &format!(r#"{{"full":{full},"state":{state}}}"#));
    let text = [
        world(false, r#"{"a":9}"#),
        world(true, r#"{"a":1,"b":{"c":[1],"d":2}}"#),
        world(false, r#"{"b":{"c":null,"e":{"f":null}}}"#),
        line("compacted", r#"{"message":""}"#),
        world(false, r#"{"a":5}"#),
        world(true, r#"{"a":7}"#),
    ];
    let parsed = lines(&ROLLOUT, &text.join("\n"));
    let of = |step| state(&parsed, "world_state", step);
    assert_eq!(of(0), "");
    assert_eq!(of(1), r#"{"main":{"a":1,"b":{"c":[1],"d":2}}}"#);
    assert_eq!(of(2), r#"{"main":{"a":1,"b":{"d":2,"e":{}}}}"#);
    assert_eq!(writes(&parsed, 2), ["-/world_state/main/b/c/0", "+/world_state/main/b/e"]);
    assert_eq!((of(3).as_str(), of(4).as_str()), ("{}", "{}"));
    assert_eq!(of(5), r#"{"main":{"a":7}}"#);
}

#[test]
fn settings_are_written_where_they_change() {
    let context = |model: &str| line("turn_context", &format!(r#"{{"cwd":"/w","model":"{model}"}}"#));
    let parsed = lines(&ROLLOUT, &[context("m"), context("m"), context("n")].join("\n"));
    assert_eq!(writes(&parsed, 1), [""; 0]);
    assert_eq!(writes(&parsed, 2), ["~/run/main/model", "~/turn_context/main/model"]);
}

#[test]
fn a_copied_session_does_not_become_the_files_own() {
    let meta = |id: &str| line("session_meta", &format!(r#"{{"id":"{id}","cwd":"/{id}"}}"#));
    let parsed = lines(&ROLLOUT, &[meta("own"), meta("parent")].join("\n"));
    assert_eq!(parsed.0.title().as_deref(), Some("own"));
    assert_eq!(
        state(&parsed, "session", 1),
        r#"{"main":{"id":"own","cwd":"/own"},"parent":{"id":"parent","cwd":"/parent"}}"#
    );
}

#[test]
fn tokens_go_to_the_answer_and_a_repeated_total_is_not_added() {
    let count = |total: u32| {
        event(&format!(
            r#"{{"type":"token_count","info":{{"total_token_usage":{{"total_tokens":{total}}},"last_token_usage":{{"input_tokens":10,"cached_input_tokens":4,"output_tokens":{total}}}}}}}"#
        ))
    };
    let answer = item(r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"hi"}]}"#);
    let limits = event(r#"{"type":"token_count","info":null,"rate_limits":{}}"#);
    let text = [answer.clone(), count(7), answer, limits, count(7), count(9)].join("\n");
    let parsed = lines(&ROLLOUT, &text);
    let (run, bytes) = &parsed;
    assert_eq!((run.step(0, bytes).tokens, run.step(1, bytes).tokens), (Some(7), Some(9)));
    assert!(state(&parsed, "usage", 1).contains(r#""output":16"#), "{}", state(&parsed, "usage", 1));
}

#[test]
fn what_the_harness_says_is_injected_and_begins_no_turn() {
    let message = |text: &str| item(&ASKED.replace("go", text));
    let marks = [
        "<environment_context>x",
        "# AGENTS.md instructions for /w",
        "<subagent_notification>{}</subagent_notification>",
        "\\n<user_shell_command>ls</user_shell_command>",
        "<SKILL>s</SKILL>",
        "<hook_prompt hook_run_id='1'>h</hook_prompt>",
        "<codex_internal_context source='goal'>g</codex_internal_context>",
    ];
    for mark in marks {
        let back = event(r#"{"type":"thread_rolled_back","num_turns":1}"#);
        let text = [message("one"), message("two"), message(mark), back];
        let (run, bytes) = lines(&ROLLOUT, &text.join("\n"));
        let is_injected = |step| run.turn(step, &bytes).is_some_and(|turn| turn.is_injected);
        assert_eq!([is_injected(1), is_injected(2)], [false, true], "{mark}");
        let standing = [0, 1, 2].map(|step| run.step(step, &bytes).standing.name());
        assert_eq!(standing, ["main", "abandoned", "abandoned"], "{mark}");
    }
    let of_user = "<skill> is a tag that nobody reads, why?";
    let (run, bytes) = lines(&ROLLOUT, &message(of_user));
    assert!(!run.turn(0, &bytes).unwrap().is_injected, "the user speaks of it");
}

#[test]
fn the_event_of_a_tools_end_says_that_its_call_failed() {
    let call = item(r#"{"type":"function_call","call_id":"c1","name":"look","arguments":"{}"}"#);
    let output = item(r#"{"type":"function_call_output","call_id":"c1","output":"no server of this name"}"#);
    let of_server = |result: &str| {
        event(&format!(
            r#"{{"type":"mcp_tool_call_end","call_id":"c1","duration":{{"secs":1,"nanos":0}},"result":{result}}}"#
        ))
    };
    let of_client = |success: bool| {
        event(&format!(r#"{{"type":"dynamic_tool_call_response","call_id":"c1","tool":"look","success":{success}}}"#))
    };
    let ends = [
        (of_server(r#"{"Err":"no server of this name"}"#), true),
        (of_server(r#"{"Ok":{"content":[],"isError":true}}"#), true),
        (of_server(r#"{"Ok":{"content":[],"isError":false}}"#), false),
        (of_client(false), true),
        (of_client(true), false),
    ];
    for (end, has_failed) in ends {
        let (run, _) = lines(&ROLLOUT, &[call.clone(), end.clone(), output.clone()].join("\n"));
        assert_eq!((run.step_count(), run.error_steps().contains(&2)), (3, has_failed), "{end}");
    }
}

#[test]
fn items_of_no_class_are_neither_call_nor_result() {
    let call = item(r#"{"type":"tool_call","function":{"name":"sh"},"arguments":{"command":"ls"}}"#);
    let result = item(r#"{"type":"tool_result","name":"sh","result":{"stdout":"a"}}"#);
    let parsed = lines(&ROLLOUT, &[item(ASKED), call, result].join("\n"));
    let kinds: Vec<bool> = steps(&parsed).iter().map(|step| step.starts_with("state system: ")).collect();
    assert_eq!(kinds, [false, true, true]);
}

#[test]
fn an_item_of_a_stream_is_one_entry_and_its_last_state_counts() {
    let item = |class: &str, rest: &str| format!(r#"{{"type":"{class}","item":{{"id":"i0",{rest}}}}}"#);
    let text = [
        item("item.started", r#""type":"agent_message","text":"He""#),
        item("item.completed", r#""type":"agent_message","text":"Hello""#),
        r#"{"type":"item.started","item":{"id":"i1","type":"command_execution","command":"ls","status":"in_progress"}}"#.to_owned(),
        r#"{"type":"turn.completed","usage":{"input_tokens":3,"output_tokens":4}}"#.to_owned(),
        r#"{"type":"item.completed","item":{"id":"i1","type":"command_execution","command":"ls","status":"failed","aggregated_output":"no","exit_code":1}}"#.to_owned(),
        r#"{"type":"item.updated","item":{"id":"i1","type":"command_execution","command":"ls","status":"failed","aggregated_output":"no","exit_code":1}}"#.to_owned(),
    ];
    let parsed = lines(&EXEC, &text.join("\n"));
    assert_eq!(steps(&parsed)[..2], ["message agent: Hello", "tool-call agent: exec_command ls"]);
    assert_eq!(steps(&parsed)[3..], ["tool-result environment: no (of 1)"]);
    assert_eq!(parsed.0.error_steps(), [3]);
}

#[test]
fn the_end_of_a_patch_says_what_it_changed() {
    let call = item(r#"{"type":"custom_tool_call","call_id":"c1","name":"apply_patch","input":"[cut]"}"#);
    let end = event(
        r#"{"type":"patch_apply_end","call_id":"c1","success":true,"changes":{"/w/a.txt":{"type":"add","unified_diff":"@@ -0,0 +1,2 @@\n+one\n+two\n"}}}"#,
    );
    let output = item(r#"{"type":"custom_tool_call_output","call_id":"c1","output":"Done"}"#);
    let parsed = lines(&ROLLOUT, &[call, end, output].join("\n"));
    assert_eq!(parsed.0.step_count(), 3);
    let file = state(&parsed, "file", 2);
    assert!(file.starts_with(r#"{"/w/a.txt":{"known":"all","text":{"#) && file.contains(r#""lines":2"#), "{file}");
    assert_eq!(state(&parsed, "file", 1), "");
    let change = r#""changes":{"/w/b":{"type":"add","content":"x\n"}},"status":"completed""#;
    let nested = event(&format!(r#"{{"type":"item_completed","item":{{"type":"FileChange","id":"n",{change}}}}}"#));
    let file = state(&lines(&ROLLOUT, &nested), "file", 1);
    assert!(file.starts_with(r#"{"/w/b":{"known":"all","text":{"#) && file.contains(r#""lines":1"#), "{file}");
}

#[test]
fn a_fork_and_a_spawned_agent_name_their_files() {
    let base = r#""history_base":{"thread_id":"base","end_ordinal_exclusive":4}"#;
    let meta = line("session_meta", &format!(r#"{{"id":"own","cwd":"/w",{base}}}"#));
    let call = item(r#"{"type":"function_call","call_id":"c1","name":"spawn_agent","arguments":"{}"}"#);
    let spawned =
        |id: &str| event(&format!(r#"{{"type":"collab_agent_spawn_end","call_id":"c1","new_thread_id":"{id}"}}"#));
    let parsed = lines(&ROLLOUT, &[meta, call, spawned("child-1"), spawned("[cut]")].join("\n"));
    let parts: Vec<_> = parsed.0.parts().iter().map(|part| (part.role, part.file.as_str(), part.step)).collect();
    assert_eq!(parts, [(PartRole::Prefix, "base", Some(0)), (PartRole::SubAgent, "child-1", Some(1))]);
}

#[test]
fn the_output_of_a_spawn_names_the_file_of_the_agent_once() {
    let call = item(r#"{"type":"function_call","call_id":"c1","name":"spawn_agent","arguments":"{}"}"#);
    let output = item(
        r#"{"type":"function_call_output","call_id":"c1","output":"{\"agent_id\":\"child-1\",\"nickname\":\"S\"}"}"#,
    );
    let spawned = event(r#"{"type":"collab_agent_spawn_end","call_id":"c1","new_thread_id":"child-1"}"#);
    for text in [[call.clone(), output.clone()].join("\n"), [call, output, spawned].join("\n")] {
        let parsed = lines(&ROLLOUT, &text);
        let parts: Vec<_> = parsed.0.parts().iter().map(|part| (part.role, part.file.as_str(), part.step)).collect();
        assert_eq!(parts, [(PartRole::SubAgent, "child-1", Some(0))]);
    }
}

#[test]
fn what_was_compacted_or_taken_back_is_not_seen_any_more() {
    let spoken = |role: &str, text: &str| {
        item(&format!(r#"{{"type":"message","role":"{role}","content":[{{"type":"output_text","text":"{text}"}}]}}"#))
    };
    let text = [
        spoken("user", "one"),
        spoken("assistant", "first"),
        line("compacted", r#"{"message":"so far","replacement_history":[]}"#),
        spoken("user", "two"),
        spoken("assistant", "second"),
        event(r#"{"type":"thread_rolled_back","num_turns":1}"#),
        spoken("user", "three"),
    ];
    let (run, bytes) = lines(&ROLLOUT, &text.join("\n"));
    assert_eq!(run.context_steps(1), Some(vec![0, 1]));
    assert_eq!(run.context_steps(4), Some(vec![3, 4]), "as it was when that was messages");
    assert_eq!(run.context_steps(6), Some(vec![6]));
    assert_eq!(run.step(3, &bytes).standing.name(), "abandoned");
}

#[test]
fn the_messages_that_replace_a_history_are_what_the_model_sees_of_it() {
    let message = |text: &str| {
        format!(r#"{{"type":"message","role":"user","content":[{{"type":"input_text","text":"{text}"}}]}}"#)
    };
    let history =
        format!(r#"{{"message":"so far","replacement_history":[{},{}]}}"#, message("one"), message("Summary: x"));
    let text = [item(&message("one")), line("compacted", &history), item(&message("two"))];
    let (run, bytes) = lines(&ROLLOUT, &text.join("\n"));
    let seen: Vec<String> = run.view(2, &bytes).into_iter().map(|entry| entry.text).collect();
    assert_eq!(seen, ["user: one\nSummary: x", "user: two"]);
}

#[test]
fn items_of_the_first_streams_name_their_type_otherwise() {
    let command = r#""item_type":"command_execution","command":"ls","aggregated_output":"a","exit_code":0"#;
    let text = [
        format!(r#"{{"type":"item.completed","item":{{"id":"i0",{command},"status":"completed"}}}}"#),
        r#"{"type":"item.completed","item":{"id":"i1","item_type":"assistant_message","text":"Hi"}}"#.to_owned(),
    ];
    let shown = steps(&lines(&EXEC, &text.join("\n")));
    assert_eq!(shown, ["tool-call agent: exec_command ls", "tool-result environment: a (of 0)", "message agent: Hi"]);
}

#[test]
fn an_item_without_status_is_over_when_its_event_says_so() {
    let text = concat!(
        r#"{"type":"item.started","item":{"id":"a","type":"web_search","query":"x"}}"#,
        "\n",
        r#"{"type":"item.completed","item":{"id":"a","type":"web_search","query":"x"}}"#,
        "\n",
        r#"{"type":"item.completed","item":{"id":"b","type":"collab_tool_call","tool":"spawn_agent","prompt":"go","status":"completed"}}"#,
    );
    let step_lines = steps(&lines(&EXEC, text));
    assert_eq!(step_lines.len(), 4);
    assert_eq!(
        (step_lines[0].as_str(), step_lines[2].as_str()),
        ("tool-call agent: web_search x", "tool-call agent: spawn_agent go")
    );
}

#[test]
fn the_list_of_a_stream_is_a_todo_list() {
    let list = |event: &str, is_completed: bool| {
        let entries = format!(r#"[{{"text":"one","completed":{is_completed}}},{{"text":"two","completed":false}}]"#);
        format!(r#"{{"type":"item.{event}","item":{{"id":"l","type":"todo_list","items":{entries}}}}}"#)
    };
    let parsed = lines(&EXEC, &[list("started", false), list("updated", true)].join("\n"));
    let expected = r#"{"one":{"text":"one","status":"completed"},"two":{"text":"two","status":"pending"}}"#;
    assert_eq!((steps(&parsed).len(), state(&parsed, "todo", 0).as_str()), (1, expected));
}

#[test]
fn items_of_a_later_process_do_not_replace_those_of_the_first() {
    let run = |thread: &str, text: &str| {
        let messages =
            format!(r#"{{"type":"agent_message","text":"{text}"}}"#).replace("{\"type", "{\"id\":\"item_0\",\"type");
        format!(
            "{{\"type\":\"thread.started\",\"thread_id\":\"{thread}\"}}\n{{\"type\":\"item.completed\",\"item\":{messages}}}"
        )
    };
    let again = lines(&EXEC, &[run("t", "one"), run("t", "two")].join("\n"));
    let messages: Vec<String> = steps(&again).into_iter().filter(|step| step.starts_with("message")).collect();
    assert_eq!(messages, ["message agent: one", "message agent: two"]);
    let trajectory = |parsed: &(Box<dyn crate::format::Run>, Vec<u8>)| parsed.0.step(3, &parsed.1).trajectory;
    assert_eq!(trajectory(&again), None, "a thread that goes on");
    let other = lines(&EXEC, &[run("t", "one"), run("u", "two")].join("\n"));
    assert_eq!((steps(&other).len(), trajectory(&other).as_deref()), (4, Some("u")));
    let command = |event: &str, command: &str| {
        format!(
            r#"{{"type":"item.{event}","item":{{"id":"item_0","type":"command_execution","command":"{command}","status":"{event}"}}}}"#
        )
    };
    let ends =
        [command("started", "ls"), command("completed", "ls"), command("started", "pwd"), command("completed", "pwd")];
    assert_eq!(steps(&lines(&EXEC, &ends.join("\n"))).len(), 4, "its start is not in the file");
}

#[test]
fn a_tool_of_a_server_that_says_of_its_result_that_it_is_an_error_failed() {
    let text = [
        r#"{"type":"thread.started","thread_id":"t"}"#,
        r#"{"type":"item.completed","item":{"id":"i","type":"mcp_tool_call","server":"s","tool":"find","arguments":{},"result":{"content":[{"type":"text","text":"no index"}],"isError":true},"status":"completed"}}"#,
    ];
    assert_eq!(lines(&EXEC, &text.join("\n")).0.error_steps().len(), 1);
}

#[test]
fn a_record_that_the_file_has_twice_counts_once() {
    let line = |ordinal: u32, text: &str| {
        let message =
            format!(r#"{{"type":"message","role":"user","content":[{{"type":"input_text","text":"{text}"}}]}}"#);
        item(&message).replacen('{', &format!(r#"{{"ordinal":{ordinal},"#), 1)
    };
    let texts = [line(1, "a"), line(1, "a"), line(2, "a"), line(2, "b"), item(r#"{"type":"reasoning","summary":[]}"#)];
    assert_eq!(lines(&ROLLOUT, &texts.join("\n")).0.step_count(), 4);
}

#[test]
fn usage_before_a_thread_began_is_not_of_it() {
    let usage = |n: u32| format!(r#"{{"input_tokens":{n},"output_tokens":{n}}}"#);
    let count = |more: &str, total: u32, last: u32| {
        format!(
            r#"{{{more},"type":"event_msg","payload":{{"type":"token_count","info":{{"total_token_usage":{},"last_token_usage":{}}}}}}}"#,
            usage(total),
            usage(last)
        )
    };
    let meta = |members: &str| format!(r#"{{"ordinal":0,"type":"session_meta","payload":{{"id":"child",{members}}}}}"#);
    let say = line("response_item", r#"{"type":"message","role":"user","content":[]}"#);
    let usage_of = |meta: String, counts: [String; 2]| {
        let parsed = lines(&ROLLOUT, &[meta, say.clone(), counts[0].clone(), counts[1].clone()].join("\n"));
        state(&parsed, "usage", 1)
    };
    let numbered = [count(r#""ordinal":2"#, 500, 500), count(r#""ordinal":4"#, 503, 3)];
    let total = usage_of(meta(r#""subagent_history_start_ordinal":3"#), numbered.clone());
    assert!(total.contains(r#""input":3"#), "{total}");
    assert!(usage_of(meta(r#""cwd":"/w""#), numbered).contains(r#""input":503"#));
    let at = |time: &str, total, last| count(&format!(r#""timestamp":"2026-10-01T{time}Z""#), total, last);
    let timed = [at("09:00:00.000", 500, 500), at("10:00:01.000", 503, 3)];
    let fork = meta(r#""forked_from_id":"parent","timestamp":"2026-10-01T10:00:00.000Z""#);
    assert!(usage_of(fork, timed.clone()).contains(r#""input":3"#));
    assert!(usage_of(meta(r#""timestamp":"2026-10-01T10:00:00.000Z""#), timed).contains(r#""input":503"#));
}

#[test]
fn items_of_changes_of_the_history_are_steps_and_unknown_records_are_shown() {
    let change = |operation: &str, items: &str| {
        line("history_mutation", &format!(r#"{{"turn_id":"t","operation":"{operation}","items":[{items}]}}"#))
    };
    let message = |role: &str, more: &str, text: &str| {
        let class = if role == "user" { "input_text" } else { "output_text" };
        format!(r#"{{"type":"message","role":"{role}"{more},"content":[{{"type":"{class}","text":"{text}"}}]}}"#)
    };
    let call = r#"{"type":"function_call","name":"exec_command","call_id":"c","arguments":"{\"cmd\":\"ls\"}"}"#;
    let output = r#"{"type":"function_call_output","call_id":"c","output":"a.txt"}"#;
    let all = [
        line("session_meta", r#"{"id":"t1","cwd":"/w","cli_version":"0.201.4"}"#),
        line("event_msg", r#"{"type":"user_message","message":"list it"}"#),
        change("append", &message("user", "", "list it")),
        change("append", &format!("{},{call}", message("assistant", r#","channel":"analysis""#, "Look first."))),
        change("append", &format!("{output},{}", message("assistant", "", "One file."))),
        line(
            "token_usage_record",
            r#"{"response_id":"r","usage":{"input_tokens":100,"cached_input_tokens":40,"cache_creation_input_tokens":10,"output_tokens":12}}"#,
        ),
        change("replace", &message("user", "", "summary")),
        change("append", ""),
        line("brand_new_record", r#"{"title":"Something"}"#),
    ];
    let parsed = lines(&ROLLOUT, &all.join("\n"));
    let expected = [
        "state system: ",
        "message user: list it",
        "thought agent: Look first.",
        "tool-call agent: exec_command ls",
        "tool-result environment: a.txt (of 3)",
        "message agent: One file.",
        "state system: ",
        "state system: ",
        "state system: title Something",
    ];
    let shown = steps(&parsed);
    assert_eq!(shown.len(), expected.len(), "{shown:?}");
    shown.iter().zip(expected).for_each(|(step, expected)| assert!(step.starts_with(expected), "{shown:#?}"));
    let class = |step| parsed.0.step(step, &parsed.1).class;
    assert_eq!((class(6).as_deref(), class(8).as_deref()), (Some("history_mutation"), Some("brand_new_record")));
    let usage = state(&parsed, "usage", 8);
    assert!(usage.contains(r#""input":50"#) && usage.contains(r#""cache_write":10"#), "{usage}");
}
