//! What Codex 0.171 and opencode 1.18 write: cut outputs, refused and aborted calls, scripts, agents, compactions.

use super::command::{exported_messages, file, obelus};
use serde_json::{Value, json};

/// Lines of a rollout.
fn rollout(lines: &[(&str, Value)]) -> String {
    let meta = json!({"id": "s", "cwd": "/w", "originator": "codex_exec", "cli_version": "0.171.0",
        "base_instructions": {"text": "You are Codex."}});
    let line = |(class, payload): &(&str, Value)| {
        json!({"timestamp": "2026-11-27T10:00:00Z", "type": class, "payload": payload,
            "metadata": payload.get("metadata")})
        .to_string()
    };
    std::iter::once(&("session_meta", meta)).chain(lines).map(line).collect::<Vec<_>>().join("\n")
}

fn item(payload: Value) -> (&'static str, Value) {
    ("response_item", payload)
}

fn exec(id: &str, command: &str) -> (&'static str, Value) {
    let arguments = json!({"cmd": command}).to_string();
    item(json!({"type": "function_call", "name": "exec_command", "call_id": id, "arguments": arguments}))
}

fn output(id: &str, text: &str) -> (&'static str, Value) {
    item(json!({"type": "function_call_output", "call_id": id, "output": text}))
}

fn user(text: &str) -> (&'static str, Value) {
    item(json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}))
}

fn answer(text: &str) -> (&'static str, Value) {
    item(json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}))
}

/// A file with these lines in a folder of its own.
fn saved(lines: &[(&str, Value)]) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "rollout-2026-11-27.jsonl", &rollout(lines));
    (folder, path)
}

fn reasons(path: &str) -> Vec<Value> {
    let (_, steps, _) = obelus(&["steps", path, "--json"]);
    let steps = steps.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    steps.filter(|step| step["kind"] == "tool-result").map(|step| step["reason"].clone()).collect()
}

fn known(path: &str, of: &str) -> Value {
    let (_, blame, _) = obelus(&["blame", path, "--file", of, "--json"]);
    serde_json::from_str(&blame).unwrap()
}

/// Role and text of the messages of an export.
fn messages(path: &str) -> Vec<String> {
    let of = |message: &Value| {
        let calls = message["tool_calls"].as_array().map_or(0, Vec::len);
        format!("{}: {} ({calls})", message["role"].as_str().unwrap(), message["content"].as_str().unwrap())
    };
    exported_messages(path).iter().map(of).collect()
}

#[test]
fn an_output_that_is_cut_shows_the_lines_before_the_cut() {
    let head = "Chunk ID: a\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n";
    let warning = "Warning: truncated output (original token count: 9000)\nTotal output lines: 90\n\n";
    let text = format!("{head}{warning}one\ntwo\nthr…8000 tokens truncated…ne\nlast\n");
    let (_folder, path) = saved(&[exec("a", "cat f"), output("a", &text)]);
    let blame = known(&path, "f");
    assert_eq!((&blame["known"], &blame["blame"][0]["text"]), (&json!([[1, 2]]), &json!("one")));
    let stored = json!({"type": "item_completed", "item": {"type": "CommandExecution", "id": "exec-1",
        "command": ["/bin/bash", "-lc", "cat g"], "cwd": "/w", "status": "completed", "exit_code": 0,
        "aggregated_output": "one\ntwo\nthr\n... command output truncated for persistence ...\nst\nlast\n"}});
    let (_folder, path) = saved(&[("event_msg", stored)]);
    assert_eq!(known(&path, "g")["known"], json!([[1, 2]]));
}

#[test]
fn what_earlier_versions_put_around_a_cut_output_is_no_line_of_the_file() {
    let json = |text: &str| json!({"output": text, "metadata": {"exit_code": 0, "duration_seconds": 0.1}}).to_string();
    let head = "Chunk ID: a\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n";
    let omitted = json("Total output lines: 90\n\none\ntwo\n\n[... omitted 86 of 90 lines ...]\n\nlast\n");
    let fitted = json("Total output lines: 90\n\none\ntwo\nth\n[... output truncated to fit 10240 bytes ...]\n\nt\n");
    let chars = json("Total output lines: 90\n\none\ntwo\nth…80 chars truncated…ast\n");
    let tokens = format!("{head}Total output lines: 90\n\none\ntwo\nth…80 tokens truncated…ast\n");
    for text in [&omitted, &fitted, &chars, &tokens] {
        let (_folder, path) = saved(&[exec("a", "cat f"), output("a", text)]);
        let blame = known(&path, "f");
        assert_eq!((&blame["known"], &blame["blame"][0]["text"]), (&json!([[1, 2]]), &json!("one")), "{text}");
    }
    let (_folder, path) = saved(&[exec("a", "cat f"), output("a", &json(&"line\n".repeat(256)))]);
    assert_eq!(known(&path, "f")["known"], json!([[1, 256]]), "Codex before 0.27 stores no more and does not say so");
}

#[test]
fn calls_that_were_refused_aborted_or_failed_as_a_script_are_no_success() {
    let texts = [
        "unsupported call: x",
        "failed to parse function arguments: key must be a string",
        "Wall time: 4.7 seconds\naborted by user",
        "Script failed\nWall time 0.0 seconds\nOutput:\n",
        "unable to locate image at `/w/a.png`: No such file or directory (os error 2)",
        "request_user_input is unavailable in Default mode",
        "Unknown model `m` for spawn_agent. Available models: n",
        "unsupported custom tool call: apply_patch",
        "error: Failed to find expected lines [\"x\"] in /w/f",
        "failed to parse exec_command arguments: missing field `cmd`",
        "apply_patch verification failed: Failed to find expected lines in /w/f:\nx",
    ];
    let calls = texts.iter().enumerate().flat_map(|(n, text)| {
        let id = n.to_string();
        [exec(&id, "cat f"), output(&id, text)]
    });
    let (_folder, path) = saved(&calls.collect::<Vec<_>>());
    let flags = ["flag"; 7];
    let expected = [&["flag", "flag", "no-exit"], flags.as_slice(), &["tool-error"]].concat();
    assert_eq!(reasons(&path), expected);
    let (_, files, _) = obelus(&["files", &path, "--json"]);
    assert!(!files.contains("/w/f"), "nothing of it was shown: {files}");
}

#[test]
fn the_conversation_is_what_the_model_saw_and_said() {
    let mut summary = answer("the summary");
    summary.1["metadata"] = json!({"compaction_output": true});
    let mut goal = item(json!({"type": "function_call_output", "name": "goal", "output": "finish it"}));
    goal.1["metadata"] = json!({"additional_context_tool_output": true});
    let script = item(json!({"type": "custom_tool_call", "name": "exec", "call_id": "x", "input": "run()"}));
    let nested = |id: &str, source: &str| {
        let item = json!({"type": "CommandExecution", "id": id, "source": source, "command": ["ls"], "cwd": "/w",
            "status": "completed", "exit_code": 0, "aggregated_output": "a.txt"});
        ("event_msg", json!({"type": "item_completed", "item": item}))
    };
    let printed = item(json!({"type": "custom_tool_call_output", "call_id": "x", "output": "1 file"}));
    let report = item(json!({"type": "agent_message", "author": "/root/a", "content":
        [{"type": "input_text", "text": "I looked."}]}));
    let lines = [
        user("do it"),
        script,
        nested("exec-1", "unified_exec"),
        printed,
        nested("2571", "user_shell"),
        goal,
        report,
        summary,
        answer("done"),
    ];
    let (_folder, path) = saved(&lines);
    let expected = [
        "system: You are Codex. (0)",
        "user: do it (0)",
        "assistant:  (1)",
        "tool: 1 file (0)",
        "user: finish it (0)",
        "user: I looked. (0)",
        "assistant: done (0)",
    ];
    assert_eq!(messages(&path), expected);
    let mut compacted = lines.to_vec();
    compacted.push(("compacted", json!({"message": "in short"})));
    let (_folder, path) = saved(&compacted);
    let (_, view, _) = obelus(&["render", &path]);
    assert!(view.starts_with("system: You are Codex."), "instructions stay: {view}");
}

#[test]
fn an_activity_names_the_thread_of_a_sub_agent() {
    let spawn = item(json!({"type": "function_call", "name": "spawn_agent", "call_id": "c", "arguments": "{}"}));
    let started = json!({"type": "item_completed", "item": {"type": "SubAgentActivity", "id": "c", "kind": "started",
        "agent_thread_id": "01a2-ff", "agent_path": "/root/a"}});
    let (_folder, path) = saved(&[spawn, output("c", "{\"task_name\":\"/root/a\"}"), ("event_msg", started)]);
    let (_, found, _) = obelus(&["check", &path]);
    assert!(found.contains("run.part-missing") && found.contains("01a2-ff"), "{found}");
}

/// A session of opencode with one message of the agent that has these parts, and more messages.
fn opencode(messages: &[Value]) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let session = json!({"info": {"id": "ses_1", "directory": "/w", "title": "t", "version": "1.18"},
        "messages": messages});
    let path = file(folder.path(), "session.json", &session.to_string());
    (folder, path)
}

fn message(id: &str, role: &str, parts: &[Value]) -> Value {
    let parts: Vec<Value> = (0..)
        .zip(parts)
        .map(|(n, part)| {
            let mut part = part.clone();
            part["id"] = json!(format!("prt_{id}_{n:03}"));
            part
        })
        .collect();
    json!({"info": {"id": id, "role": role, "sessionID": "ses_1", "time": {"created": 1}}, "parts": parts})
}

fn tool(id: &str, name: &str, input: Value, output: &str) -> Value {
    json!({"type": "tool", "callID": id, "tool": name, "state": {"status": "completed", "input": input,
        "output": output, "metadata": {}}})
}

#[test]
fn opencode_replaces_all_and_has_calls_of_one_answer_in_one_message() {
    let write = tool("a", "write", json!({"filePath": "/w/f", "content": "x\nx\n"}), "Wrote file");
    let edit = json!({"filePath": "/w/f", "oldString": "x", "newString": "y", "replaceAll": true});
    let parts = [json!({"type": "step-start"}), write, tool("b", "edit", edit, "Edit applied")];
    let text = |text: &str| json!({"type": "text", "text": text});
    let (_folder, path) = opencode(&[message("m1", "user", &[text("do it")]), message("m2", "assistant", &parts)]);
    let texts: Vec<Value> =
        known(&path, "/w/f")["blame"].as_array().unwrap().iter().map(|line| line["text"].clone()).collect();
    assert_eq!(texts, ["y", "y"]);
    let all = messages(&path);
    assert_eq!(all, ["user: do it (0)", "assistant:  (2)", "tool: Wrote file (0)", "tool: Edit applied (0)"]);
}

#[test]
fn a_compaction_of_opencode_leaves_the_tail() {
    let text = |text: &str| json!({"type": "text", "text": text});
    let compaction = json!({"type": "compaction", "auto": true, "tail_start_id": "m2"});
    let (_folder, path) = opencode(&[
        message("m1", "user", &[text("first")]),
        message("m2", "user", &[text("second")]),
        message("m3", "user", &[compaction]),
        message("m4", "assistant", &[text("in short")]),
    ]);
    let (_, view, _) = obelus(&["render", &path]);
    assert!(view.contains("second") && view.contains("in short") && !view.contains("first"), "{view}");
}
