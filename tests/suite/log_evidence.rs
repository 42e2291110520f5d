//! What logs of agents report beyond their calls: agents in the background, changes without their text, failed runs.

use super::command::{file, obelus};
use serde_json::{Value, json};

fn answer(arguments: &[&str]) -> Value {
    let (status, stdout, stderr) = obelus(arguments);
    assert_eq!(status, 0, "{stderr}");
    serde_json::from_str(&stdout).unwrap()
}

#[test]
fn an_agent_in_the_background_runs_until_a_notification_names_its_call() {
    let line = |id: u32, kind: &str, content: &str| {
        format!(
            r#"{{"type":"{kind}","uuid":"{id}","parentUuid":"{}","sessionId":"s","version":"2.1.0","isSidechain":false,"message":{{"role":"{kind}","content":{content}}}}}"#,
            id - 1
        )
    };
    let call =
        r#"[{"type":"tool_use","id":"c","name":"Task","input":{"description":"look","run_in_background":true}}]"#;
    let launch =
        r#"[{"type":"tool_result","tool_use_id":"c","content":"Async agent launched successfully.\nagentId: a"}]"#;
    let end = |id: &str, status: &str| {
        format!(
            "\"<task-notification>\\n<tool-use-id>{id}</tool-use-id>\\n<status>{status}</status>\\n</task-notification>\""
        )
    };
    let folder = tempfile::tempdir().unwrap();
    let status = |last: &str| {
        let lines = [line(1, "assistant", call), line(2, "user", launch), line(3, "user", last)];
        let path = file(folder.path(), "s.jsonl", &lines.join("\n"));
        answer(&["state", &path, "--json"])["state"]["sub"]["@0"]["status"].clone()
    };
    assert_eq!(status("\"and?\""), "running");
    assert_eq!(status(&end("c", "completed")), "done");
    assert_eq!(status(&end("c", "killed")), "failed");
    assert_eq!(status(&end("other", "completed")), "running");
    let of_team = launch.replace("Async agent launched successfully.\\nagentId: a", "Spawned successfully.\\nname: a");
    let path = file(folder.path(), "t.jsonl", &[line(1, "assistant", call), line(2, "user", &of_team)].join("\n"));
    assert_eq!(answer(&["state", &path, "--json"])["state"]["sub"]["@0"]["status"], "running");
    let output = |agent: &str, state: &str| {
        let ask = r#"[{"type":"tool_use","id":"o","name":"TaskOutput","input":{"task_id":"a"}}]"#;
        let text = format!("<task_id>{agent}</task_id>\\n<status>{state}</status>\\n<output>\\nit\\n</output>");
        let got = format!(r#"[{{"type":"tool_result","tool_use_id":"o","content":"{text}"}}]"#);
        let lines =
            [line(1, "assistant", call), line(2, "user", launch), line(3, "assistant", ask), line(4, "user", &got)];
        let path = file(folder.path(), "s.jsonl", &lines.join("\n"));
        answer(&["state", &path, "--json"])["state"]["sub"]["@0"]["status"].clone()
    };
    assert_eq!(output("a", "completed"), "done");
    assert_eq!(output("a", "failed"), "failed");
    assert_eq!(output("a", "running"), "running");
    assert_eq!(output("b", "completed"), "running");
}

#[test]
fn a_workflow_and_an_agent_of_a_team_run_until_it_is_reported_that_they_ended() {
    let line = |id: usize, kind: &str, content: &Value| {
        json!({"type": kind, "uuid": id.to_string(), "parentUuid": id.checked_sub(1).map(|id| id.to_string()),
            "sessionId": "s", "version": "2.1.210", "isSidechain": false,
            "message": {"role": kind, "content": content}})
        .to_string()
    };
    let folder = tempfile::tempdir().unwrap();
    let sub = |call: &Value, launch: &str, last: &str| {
        let call = json!([{"type": "tool_use", "id": "c", "name": call["tool"], "input": call["input"]}]);
        let launch = json!([{"type": "tool_result", "tool_use_id": "c", "content": launch}]);
        let lines = [line(0, "assistant", &call), line(1, "user", &launch), line(2, "user", &json!(last))];
        let path = file(folder.path(), "s.jsonl", &lines.join("\n"));
        answer(&["state", &path, "--json"])["state"]["sub"]["@0"].clone()
    };
    let workflow = json!({"tool": "Workflow", "input": {"script": "export const meta = {}", "description": "probe"}});
    let launched = "Workflow launched in background. Task ID: w1\nSummary: two agents\nRun ID: wf_1";
    let of = |status: &str| json!({"task": "probe", "type": "workflow", "status": status});
    assert_eq!(sub(&workflow, launched, "and?"), of("running"));
    let end = |named: &str| format!("<task-notification>\n{named}\n<status>completed</status>\n</task-notification>");
    assert_eq!(sub(&workflow, launched, &end("<tool-use-id>c</tool-use-id>")), of("done"));
    assert_eq!(sub(&workflow, launched, &end("<task-id>w1</task-id>")), of("done"));
    assert_eq!(sub(&workflow, launched, &end("<task-id>w2</task-id>")), of("running"));

    let agent = json!({"tool": "Agent", "input": {"description": "draw", "name": "ann", "team_name": "t"}});
    let spawned = "Spawned successfully.\nagent_id: ann@t\nname: ann\nteam_name: t\nThe agent is now running.";
    let says = |who: &str, body: Value| {
        sub(&agent, spawned, &format!("<teammate-message teammate_id=\"{who}\">\n{body}\n</teammate-message>"))["status"]
            .clone()
    };
    assert_eq!(says("ann", json!({"type": "idle_notification", "from": "ann"})), "running");
    assert_eq!(says("bob", json!({"type": "shutdown_approved", "from": "bob"})), "running");
    assert_eq!(says("ann", json!({"type": "shutdown_approved", "from": "ann"})), "done");
    assert_eq!(says("system", json!({"type": "teammate_terminated", "message": "ann has shut down."})), "done");
}

#[test]
fn files_that_codex_changes_without_their_text_come_in_doubt() {
    let item = |id: u32, rest: &str| {
        format!("{{\"type\":\"item.completed\",\"item\":{{\"id\":\"{id}\",{rest},\"status\":\"completed\"}}}}")
    };
    let read = |id: u32, name: &str| {
        item(
            id,
            &format!(
                r#""type":"command_execution","command":"cat {name}","aggregated_output":"one\ntwo\n","exit_code":0"#
            ),
        )
    };
    let change =
        item(2, r#""type":"file_change","changes":[{"path":"a","kind":"update"},{"path":"b","kind":"delete"}]"#);
    let text =
        ["{\"type\":\"thread.started\",\"thread_id\":\"t\"}".to_owned(), read(0, "a"), read(1, "b"), change].join("\n");
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "e.jsonl", &text);
    let files = answer(&["files", &path, "--json"]);
    let of = |n: usize| (files["files"][n]["known"].clone(), files["files"][n]["doubt"].clone());
    assert_eq!(of(0), ("all".into(), 6.into()), "{files}");
    assert_eq!(of(1).0, "deleted", "{files}");
}

#[test]
fn a_run_that_failed_before_it_began_counts_with_its_reward() {
    let failed = r#"{"task_id":0,"reward":0.0,"info":{"error":"boom"},"traj":[],"trial":0}"#;
    let good = |trial: u32| {
        format!(
            r#"{{"task_id":0,"reward":1.0,"traj":[{{"role":"user","content":"hi"}},{{"role":"assistant","content":"yo"}}],"trial":{trial}}}"#
        )
    };
    let folder = tempfile::tempdir().unwrap();
    // More failed rows at the head than others: the file is no less one of runs.
    let text = [failed, failed, &good(1), failed].join("\n");
    let path = file(folder.path(), "t.jsonl", &text);
    let (status, stdout, stderr) = obelus(&["stats", &path, "--json", "--by", "task_id"]);
    assert_eq!(status, 0, "{stderr}");
    let group: Value = serde_json::from_str(stdout.lines().next().unwrap()).unwrap();
    assert!(group.to_string().contains("0.25"), "one of four: {group}");
    let (_, checked, _) = obelus(&["check", &path]);
    assert!(!checked.contains("adp.shape"), "{checked}");
}

#[test]
fn who_speaks_as_a_call_calls_also_in_marks() {
    let text = r#"{"conversations":[{"from":"human","value":"list"},{"from":"function_call","value":"<function=bash>\n<parameter=command>ls</parameter>\n</function>"},{"from":"observation","value":"a"},{"from":"gpt","value":"<function=bash> is a mark"}]}"#;
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "c.jsonl", text);
    let (_, stats, _) = obelus(&["stats", &path, "--json"]);
    let record: Value = serde_json::from_str(stats.lines().next().unwrap()).unwrap();
    assert_eq!((&record["calls"], &record["results"]), (&1.into(), &1.into()), "{record}");
}

#[test]
fn a_request_that_the_log_holds_is_the_window() {
    let folder = tempfile::tempdir().unwrap();
    let window = |name: &str, text: &str, step: &str| {
        let path = file(folder.path(), name, text);
        let report = answer(&["context", &path, "--step", step, "--json"]);
        let shares = report["shares"].as_array().unwrap().iter();
        let mut shares: Vec<String> =
            shares.map(|s| format!("{} {}", s["kind"], s["chars"]).replace('"', "")).collect();
        shares.sort();
        let (status, rendered, _) = obelus(&["render", &path, "--step", step]);
        assert_eq!(status, 0);
        (shares, rendered)
    };
    // Two exchanges that only share their instructions.
    let exchange = |asked: &str, answered: &str| {
        format!(
            r#"{{"mode":"create","messages":[{{"type":"SystemMessage","content":"help"}},{{"type":"UserMessage","content":"{asked}","source":"user"}}],"response":{{"content":"{answered}","usage":{{"prompt_tokens":5,"completion_tokens":1}}}}}}"#
        )
    };
    let recording = format!("[{},{}]", exchange("one?", "yes"), exchange("another?", "no"));
    let (shares, rendered) = window("r.json", &recording, "4");
    assert_eq!(shares, ["message 2", "message 4", "message 8"]);
    assert!(!rendered.contains("one?") && rendered.contains("another?"), "{rendered}");

    let snapshot = |id: &str, messages: &str| {
        format!(
            r#"{{"values":{{"messages":[{messages}],"budget":2}},"next":[],"config":{{"configurable":{{"thread_id":"t","checkpoint_id":"{id}"}}}},"metadata":{{"source":"loop"}},"created_at":"2026-01-01T00:00:0{id}Z"}}"#
        )
    };
    let asked = r#"{"type":"human","content":"why?"}"#;
    let called = r#"{"type":"ai","content":"","tool_calls":[{"id":"c","name":"look","args":{}}]}"#;
    let failed = r#"{"type":"tool","tool_call_id":"c","status":"error","content":"gone"}"#;
    let history = [snapshot("2", &[asked, called, failed].join(",")), snapshot("1", asked)].join("\n");
    // A branch that was left is in no conversation of the newest one.
    let left = snapshot("3", &format!(r#"{asked},{{"type":"ai","content":"left"}}"#)).replace(
        "\"next\"",
        "\"parent_config\":{\"configurable\":{\"thread_id\":\"t\",\"checkpoint_id\":\"1\"}},\"next\"",
    );
    let forked = [snapshot("4", &[asked, called, failed].join(",")), left, snapshot("1", asked)].join("\n");
    let path = file(folder.path(), "f.jsonl", &forked);
    let out = folder.path().join("forked.jsonl");
    let (status, _, stderr) = obelus(&["export", &path, "--to", "messages", "--out", out.to_str().unwrap()]);
    assert_eq!(status, 0, "{stderr}");
    let written = std::fs::read_to_string(&out).unwrap();
    assert!(!written.contains("left") && written.contains("gone") && stderr.contains("state"), "{written} {stderr}");
    let (shares, rendered) = window("h.jsonl", &history, "1");
    assert_eq!(shares, ["message 4", "tool-call 6", "tool-result 4"], "{rendered}");
    assert_eq!(window("h.jsonl", &history, "0").0, ["message 4"], "as it was then");
    let path = file(folder.path(), "h.jsonl", &history);
    let out = folder.path().join("out.jsonl");
    let (status, _, stderr) = obelus(&["export", &path, "--to", "messages", "--out", out.to_str().unwrap()]);
    assert_eq!(status, 0, "{stderr}");
    let written: Value = serde_json::from_str(&std::fs::read_to_string(&out).unwrap()).unwrap();
    assert_eq!(
        (&written["messages"][0]["content"], &written["messages"][2]["tool_call_id"]),
        (&"why?".into(), &"c".into())
    );
}

#[test]
fn what_the_user_says_is_in_the_input_of_a_run() {
    let input = |messages: &str| {
        format!(r#"{{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{{"messages":[{messages}]}}}}"#)
    };
    let asked = r#"{"id":"u1","role":"user","content":"Oslo?"}"#;
    let again = r#"{"id":"u2","role":"user","content":"And Rome?"}"#;
    let said = |id: &str, text: &str| {
        format!(r#"{{"type":"TEXT_MESSAGE_CHUNK","messageId":"{id}","role":"assistant","delta":"{text}"}}"#)
    };
    let usage = r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r","usage":[{"model":"m","inputTokens":12,"outputTokens":3,"cachedInputTokens":10}]}"#;
    let history = format!(r#"{asked},{{"id":"m1","role":"assistant","content":"Sunny."}},{again}"#);
    let lines =
        [input(asked), said("m1", "Sunny."), usage.to_owned(), input(&history), said("m2", "Rain."), usage.to_owned()];
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "a.jsonl", &lines.join("\n"));
    let out = folder.path().join("out.jsonl");
    let (status, _, stderr) = obelus(&["export", &path, "--to", "messages", "--out", out.to_str().unwrap()]);
    assert_eq!(status, 0, "{stderr}");
    let written: Value = serde_json::from_str(&std::fs::read_to_string(&out).unwrap()).unwrap();
    let texts: Vec<&str> =
        written["messages"].as_array().unwrap().iter().map(|m| m["content"].as_str().unwrap()).collect();
    assert_eq!(texts, ["Oslo?", "Sunny.", "And Rome?", "Rain."]);
    let window = answer(&["context", &path, "--json"]);
    assert_eq!(window["tokens_est"], ((5 + 6 + 9 + 5) / 4 + 1), "{window}");
    let state = answer(&["state", &path, "--json"])["state"]["usage"]["main"].clone();
    assert_eq!((&state["input"], &state["cache_read"], &state["output"]), (&4.into(), &20.into(), &6.into()));
}

#[test]
fn items_of_the_responses_interface_are_parts_of_a_turn() {
    let items = [
        r#"{"role":"user","content":"q"}"#,
        r#"{"type":"reasoning","id":"r","summary":[{"type":"summary_text","text":"I look."}]}"#,
        r#"{"type":"function_call","call_id":"c","name":"look","arguments":"{}"}"#,
        r#"{"type":"function_call","call_id":"d","name":"look","arguments":"{}"}"#,
        r#"{"type":"function_call_output","call_id":"c","output":"x"}"#,
        r#"{"type":"function_call_output","call_id":"d","output":"y"}"#,
        r#"{"role":"assistant","content":"a"}"#,
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "i.jsonl", &format!("{{\"messages\":[{}]}}", items.join(",")));
    let (_, checked, _) = obelus(&["check", &path]);
    assert!(!checked.contains("sft."), "{checked}");
    let (_, steps, _) = obelus(&["steps", &path, "--record", "0"]);
    assert!(steps.contains("I look."), "{steps}");
}

/// What `steps --json` reports of each step of a text in a file of this name.
fn steps_of(name: &str, text: &str) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let (_, stdout, _) = obelus(&["steps", "--json", path.to_str().unwrap()]);
    stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_result_whose_call_is_not_in_the_log_has_an_outcome() {
    let line = |id: &str, inner: &str| {
        format!(
            r#"{{"parentUuid":null,"isSidechain":false,"cwd":"/w","sessionId":"s","version":"2.1.0","type":"user","uuid":"{id}","timestamp":"2026-05-01T10:00:00Z","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}",{inner}}}]}}}}"#
        )
    };
    let text = [
        line("a", r#""is_error":true,"content":"Error: no such file""#),
        line("b", r#""content":"fine""#),
        line("c", r#""is_error":true,"content":"The user doesn't want to proceed with this tool use.""#),
    ];
    let steps = steps_of("s.jsonl", &(text.join("\n") + "\n"));
    let outcomes: Vec<String> = steps.iter().map(|step| format!("{} {}", step["outcome"], step["reason"])).collect();
    assert_eq!(outcomes, [r#""error" "flag""#, r#""ok" null"#, r#""error" "rejected""#]);
}

#[test]
fn an_error_of_the_interface_is_no_turn_and_leaves_the_window_as_it_was() {
    let line = |id: &str, parent: &str, rest: &str| {
        format!(
            r#"{{"parentUuid":{parent},"isSidechain":false,"cwd":"/w","sessionId":"s","version":"2.1.0","uuid":"{id}","timestamp":"2026-05-01T10:00:00Z",{rest}}}"#
        )
    };
    let text = [
        line("a", "null", r#""type":"user","message":{"role":"user","content":"go"}"#),
        line(
            "b",
            r#""a""#,
            r#""type":"assistant","message":{"id":"m","model":"haiku","role":"assistant","content":[{"type":"text","text":"so"}],"usage":{"input_tokens":10,"output_tokens":5,"cache_read_input_tokens":7}}"#,
        ),
        line(
            "c",
            r#""b""#,
            r#""type":"assistant","isApiErrorMessage":true,"message":{"id":"n","model":"<synthetic>","role":"assistant","content":[{"type":"text","text":"API Error: 403"}],"usage":{"input_tokens":0,"output_tokens":0,"cache_read_input_tokens":0}}"#,
        ),
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    std::fs::write(&path, text.join("\n") + "\n").unwrap();
    let state = answer(&["state", "--json", path.to_str().unwrap()]);
    let usage = &state["state"]["usage"]["main"];
    assert_eq!((usage["turns"].as_u64(), usage["cache_read"].as_u64()), (Some(1), Some(7)), "{usage}");
}

#[test]
fn what_the_model_saw_has_the_arguments_of_calls_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let rows = [
        (
            "m.jsonl",
            concat!(
                r#"{"messages":[{"role":"user","content":"go"},{"role":"assistant","content":"","tool_calls":[{"id":"c","type":"function","#,
                r#""function":{"name":"ls","arguments":"{\"d\":\".\"}"}}]},{"role":"tool","tool_call_id":"c","content":"a"}]}"#
            ),
        ),
        (
            "c.jsonl",
            concat!(
                r#"{"timestamp":"2026-08-01T10:00:00Z","type":"session_meta","payload":{"id":"s","cwd":"/w"}}"#,
                "\n",
                r#"{"timestamp":"2026-08-01T10:00:01Z","type":"response_item","payload":{"type":"function_call","name":"ls","#,
                r#""arguments":"{\"d\":\".\"}","call_id":"c"}}"#
            ),
        ),
    ];
    for (name, text) in rows {
        let path = folder.path().join(name);
        std::fs::write(&path, format!("{text}\n")).unwrap();
        let (_, stdout, _) = obelus(&["render", path.to_str().unwrap()]);
        assert!(stdout.contains(r#"ls({"d":"."})"#), "{name}: {stdout}");
    }
}
