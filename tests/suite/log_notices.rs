//! Words that programs put beside what they report: trailers, notices, deltas, costs that are sums.

use super::command::{file, obelus};
use serde_json::{Value, json};

fn saved(name: &str, lines: &[Value]) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let text = lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    let path = file(folder.path(), name, &text);
    (folder, path)
}

fn answer(arguments: &[&str]) -> Value {
    let (status, stdout, stderr) = obelus(arguments);
    assert_eq!(status, 0, "{stderr}");
    serde_json::from_str(stdout.lines().next().unwrap()).unwrap()
}

#[test]
fn copilot_names_its_shell_behind_an_output_and_streams_deltas() {
    let event = |n: usize, kind: &str, data: Value| {
        json!({"type": kind, "data": data, "id": n.to_string(), "timestamp": "2026-11-27T10:00:00Z",
            "parentId": n.checked_sub(1).map(|parent| parent.to_string()), "ephemeral": kind.ends_with("_delta")})
    };
    let output = |text: &str| json!({"toolCallId": "c", "success": true, "result": {"content": text}});
    let lines = [
        event(
            0,
            "session.start",
            json!({"sessionId": "s", "version": 1, "producer": "copilot-agent",
            "context": {"cwd": "/w"}}),
        ),
        event(1, "assistant.reasoning_delta", json!({"deltaContent": "The"})),
        event(
            2,
            "tool.execution_start",
            json!({"toolCallId": "c", "toolName": "bash",
            "arguments": {"command": "cat a"}}),
        ),
        event(3, "tool.execution_complete", output("one\n<shellId: 2 completed with exit code 0>")),
    ];
    let (_folder, path) = saved("events.jsonl", &lines);
    let blame = answer(&["blame", &path, "--file", "a", "--json"]);
    assert_eq!((&blame["lines"], &blame["blame"][0]["text"]), (&json!(1), &json!("one")));
    let (_, steps, _) = obelus(&["steps", &path, "--json"]);
    assert_eq!(steps.lines().count(), 3, "a delta is no step: {steps}");
}

#[test]
fn pi_shows_the_end_of_a_long_output() {
    let message = |n: usize, message: Value| {
        json!({"type": "message", "id": n.to_string(), "parentId": (n > 1).then(|| (n - 1).to_string()),
            "message": message})
    };
    let call = json!({"type": "toolCall", "id": "c", "name": "bash", "arguments": {"command": "cat a"}});
    let text = "l8\nl9\n\n[Showing lines 8-9 of 9. Full output: /tmp/pi-bash.log]";
    let lines = [
        json!({"type": "session", "version": 3, "id": "s", "timestamp": "2026-11-27T10:00:00Z", "cwd": "/w"}),
        message(1, json!({"role": "assistant", "content": [call]})),
        message(
            2,
            json!({"role": "toolResult", "toolCallId": "c", "toolName": "bash", "isError": false,
            "content": [{"type": "text", "text": text}]}),
        ),
    ];
    let (_folder, path) = saved("s.jsonl", &lines);
    assert_eq!(answer(&["blame", &path, "--file", "a", "--json"])["known"], json!([[8, 9]]));
}

#[test]
fn mini_swe_agent_cuts_a_long_output_in_two_and_sums_its_costs() {
    let observed = "<returncode>0</returncode>\n<warning>\nToo long.\n</warning><output_head>\none\ntwo\nthr\
        </output_head>\n<elided_chars>\n9 characters elided\n</elided_chars>\n<output_tail>\nlast\n</output_tail>";
    let call = json!({"id": "c", "type": "function", "function": {"name": "bash",
        "arguments": "{\"command\":\"cat a\"}"}});
    let log = json!({"trajectory_format": "mini-swe-agent-1.1", "info": {"mini_version": "2.4.6",
        "model_stats": {"instance_cost": 0.5}}, "messages": [
        {"role": "assistant", "content": "x", "tool_calls": [call],
            "extra": {"response": {"usage": {"prompt_tokens": 1, "completion_tokens": 1, "cost": 0.5}}}},
        {"role": "tool", "tool_call_id": "c", "content": observed, "extra": {"returncode": 0}}]});
    let (_folder, path) = saved("run.traj.json", &[log]);
    assert_eq!(answer(&["blame", &path, "--file", "a", "--json"])["known"], json!([[1, 2]]));
    assert_eq!(answer(&["stats", &path, "--json"])["spent"]["cost"], json!(0.5));
}

#[test]
fn tokens_are_counted_once_an_answer() {
    let record = |id: &str| {
        json!({"timestamp": "t", "type": "token_usage_record", "payload": {"response_id": id,
            "usage": {"input_tokens": 10, "cached_input_tokens": 4, "output_tokens": 2}}})
    };
    let meta = json!({"timestamp": "t", "type": "session_meta", "payload": {"id": "s", "cwd": "/w",
        "originator": "codex_cli", "cli_version": "0.148"}});
    let said = json!({"timestamp": "t", "type": "response_item", "payload": {"type": "message", "role": "assistant",
        "content": [{"type": "output_text", "text": "Hi."}]}});
    let (_folder, path) = saved("rollout.jsonl", &[meta, said, record("a"), record("a"), record("b")]);
    let spent = &answer(&["stats", &path, "--json"])["spent"];
    assert_eq!((&spent["input"], &spent["output"], &spent["cache_read"]), (&json!(12), &json!(4), &json!(8)));
    let line = |kind: &str, rest: Value| {
        let mut line = json!({"type": kind, "session_id": "s"});
        line.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        line
    };
    let message = json!({"message": {"role": "assistant", "content": [{"type": "text", "text": "Hi."}],
        "usage": {"input_tokens": 3, "output_tokens": 2}}});
    let init = json!({"subtype": "init", "cwd": "/w", "tools": [], "model": "m"});
    let lines = [line("system", init), line("assistant", message.clone()), line("assistant", message)];
    let (_folder, path) = saved("stream.jsonl", &lines);
    let spent = &answer(&["stats", &path, "--json"])["spent"];
    assert_eq!((&spent["input"], &spent["output"]), (&json!(6), &json!(4)), "lines without ids count on their own");
}

#[test]
fn records_with_a_version_and_no_content_are_no_trajectories() {
    let record = |n: u32| json!({"schema_version": "1.0.0", "id": n.to_string(), "stream": "s", "payload": {"a": n}});
    let (_folder, path) = saved("events.jsonl", &[record(1), record(2)]);
    let (_, explained, _) = obelus(&["formats", "--explain", &path]);
    assert!(explained.contains("no other format fits"), "{explained}");
    let bare = json!({"schema_version": "1.0.0", "id": "a"});
    let (_folder, path) = saved("bare.jsonl", &[bare]);
    let (_, explained, _) = obelus(&["formats", "--explain", &path]);
    assert!(explained.contains("adp"), "its content is missing: {explained}");
}

#[test]
fn gemini_cli_masks_a_long_output() {
    let part = |text: &str| json!({"functionResponse": {"id": "c", "name": "read_file", "response": {"output": text}}});
    let log = |text: &str| {
        let call = json!({"id": "c", "name": "read_file", "args": {"file_path": "/w/a"}, "status": "success",
            "result": [part(text)]});
        [
            json!({"sessionId": "s", "projectHash": "h", "kind": "main"}),
            json!({"id": "m", "type": "gemini", "content": "", "toolCalls": [call]}),
        ]
    };
    let masked = "<tool_output_masked>\n{\n  \"output\": \"one\\ntwo\n... [TRUNCATED] ...\nlast\n</tool_output_masked>";
    let (_folder, path) = saved("session.jsonl", &log("one\ntwo\n"));
    assert_eq!(answer(&["files", &path, "--json"])["files"][0]["lines"], json!(2));
    let (_folder, path) = saved("session.jsonl", &log(masked));
    let (status, _, _) = obelus(&["blame", &path, "--file", "/w/a", "--json"]);
    assert_eq!(status, 1, "nothing is known of it");
}
