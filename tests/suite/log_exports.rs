//! What an export of a log carries: what the model saw and wrote, not what the agent made of it.

use super::command::{exported_messages, file, obelus};
use serde_json::{Value, json};

/// Role and text of each.
fn roles_and_texts(messages: &[Value]) -> Vec<String> {
    let of =
        |message: &Value| format!("{}: {}", message["role"].as_str().unwrap(), message["content"].as_str().unwrap());
    messages.iter().map(of).collect()
}

#[test]
fn a_command_in_the_words_of_mini_swe_agent_is_no_tool_call() {
    let folder = tempfile::tempdir().unwrap();
    let words = "I look.\n\n```mswea_bash_command\nls\n```";
    let answer = json!({"role": "assistant", "content": words, "extra": {"actions": [{"command": "ls"}]}});
    let log = json!({"trajectory_format": "mini-swe-agent-1.1", "info": {"mini_version": "2.4.6"}, "messages": [
        {"role": "user", "content": "do it"}, answer,
        {"role": "user", "content": "a.txt", "extra": {"returncode": 0}},
        {"role": "exit", "content": "diff", "extra": {"exit_status": "Submitted", "submission": "diff"}}]});
    let path = file(folder.path(), "run.traj.json", &log.to_string());
    let all = exported_messages(&path);
    assert_eq!(roles_and_texts(&all), ["user: do it", &format!("assistant: {words}"), "user: a.txt"]);
    assert!(all.iter().all(|message| message.get("tool_calls").is_none()), "{all:?}");
    let (_, stats, _) = obelus(&["stats", &path, "--json"]);
    let stats: Value = serde_json::from_str(stats.lines().next().unwrap()).unwrap();
    assert_eq!((&stats["calls"], &stats["results"]), (&json!(1), &json!(1)), "they count as before");
}

/// Events of OpenHands: a prompt, a call as the model wrote it and as it was understood, and what the model was seen.
fn openhands_events() -> Vec<String> {
    let event = |id: &str, kind: &str, source: &str, rest: &str| {
        format!(r#"{{"kind":"{kind}","id":"{id}","timestamp":"2026-11-27T10:00:00","source":"{source}",{rest}}}"#)
    };
    let prompt = r#""system_prompt":{"type":"text","text":"You work."},"tools":[]"#;
    let call = concat!(
        r#""thought":[],"tool_name":"terminal","tool_call_id":"c","tool_call":{"id":"c","name":"terminal","#,
        r#""arguments":"{\"command\": \"ls\"}"},"action":{"command":"ls","is_input":false,"kind":"TerminalAction"}"#
    );
    let result = concat!(
        r#""tool_name":"terminal","tool_call_id":"c","action_id":"b","observation":{"content":[{"type":"text","#,
        r#""text":"a.txt"}],"metadata":{"exit_code":0,"prefix":"[Below]\n","suffix":"\n[The command completed with exit code 0.]"}}"#
    );
    vec![
        event("a", "SystemPromptEvent", "agent", prompt),
        event("b", "ActionEvent", "agent", call),
        event("d", "ObservationEvent", "environment", result),
    ]
}

#[test]
fn openhands_exports_what_the_model_wrote_and_saw() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "run.jsonl", &openhands_events().join("\n"));
    let all = exported_messages(&path);
    let seen = "tool: [Below]\na.txt\n[The command completed with exit code 0.]";
    assert_eq!(roles_and_texts(&all), ["system: You work.", "assistant: ", seen]);
    assert_eq!(all[1]["tool_calls"][0]["function"]["arguments"], json!(r#"{"command":"ls"}"#));
    let (_, context, _) = obelus(&["context", &path, "--step", "2", "--json"]);
    assert!(context.contains(r#""role":"system""#), "{context}");
}

#[test]
fn the_state_beside_the_events_of_openhands_has_the_model_and_the_tokens() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("events")).unwrap();
    for (number, event) in openhands_events().iter().enumerate() {
        file(folder.path(), &format!("events/event-{number:05}-{number}.json"), event);
    }
    let usage = json!({"prompt_tokens": 100, "completion_tokens": 7, "cache_read_tokens": 40});
    let base = json!({"id": "r", "agent": {"llm": {"model": "m", "api_key": "secret"}}, "stats":
        {"usage_to_metrics": {"agent": {"accumulated_cost": 0.5, "accumulated_token_usage": usage}}}});
    file(folder.path(), "base_state.json", &base.to_string());
    let path = folder.path().to_str().unwrap();
    let (_, state, _) = obelus(&["state", path, "--json"]);
    let state: Value = serde_json::from_str(&state).unwrap();
    assert_eq!((&state["steps"], &state["state"]["run"]["main"]["model"]), (&json!(3), &json!("m")));
    let spent = &state["state"]["usage"]["main"];
    assert_eq!((&spent["input"], &spent["cache_read"], &spent["output"]), (&json!(60), &json!(40), &json!(7)));
}

/// Entries of a session of Pi, each behind the one before.
fn pi_session(entries: &[Value]) -> String {
    let mut lines = vec![
        json!({"type": "session", "version": 3, "id": "s", "cwd": "/w",
        "timestamp": "2026-11-27T10:00:00Z"})
        .to_string(),
    ];
    for (n, entry) in (1..).zip(entries) {
        let mut entry = entry.clone();
        entry["id"] = json!(n.to_string());
        entry["parentId"] = if n == 1 { Value::Null } else { json!((n - 1).to_string()) };
        lines.push(entry.to_string());
    }
    lines.join("\n")
}

fn pi_message(role: &str, text: &str) -> Value {
    json!({"type": "message", "message": {"role": role, "content": [{"type": "text", "text": text}]}})
}

#[test]
fn pi_exports_what_an_edit_of_the_context_left_and_what_the_model_sees_of_commands() {
    let folder = tempfile::tempdir().unwrap();
    let command = |command: &str, rest: Value| {
        let mut message = json!({"role": "bashExecution", "command": command, "output": "out", "exitCode": 1});
        message.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        json!({"type": "message", "message": message})
    };
    let log = pi_session(&[
        pi_message("user", "do it"),
        pi_message("assistant", "wrong"),
        json!({"type": "context_edit", "targetId": "2", "replacement": null}),
        json!({"type": "custom_message", "customType": "x", "content": "again"}),
        command("ls", json!({})),
        command("secret", json!({"excludeFromContext": true})),
        pi_message("assistant", "right"),
    ]);
    let path = file(folder.path(), "run.jsonl", &log);
    let seen = "user: Ran `ls`\n```\nout\n```\n\nCommand exited with code 1";
    assert_eq!(roles_and_texts(&exported_messages(&path)), ["user: do it", "user: again", seen, "assistant: right"]);
}

#[test]
fn pi_exports_what_replaced_a_message_in_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let right = json!({"role": "assistant", "content": [{"type": "text", "text": "right"}]});
    let log = pi_session(&[
        pi_message("user", "do it"),
        pi_message("assistant", "wrong"),
        json!({"type": "context_edit", "targetId": "2", "replacement": right}),
    ]);
    let path = file(folder.path(), "run.jsonl", &log);
    assert_eq!(roles_and_texts(&exported_messages(&path)), ["user: do it", "assistant: right"]);
}

#[test]
fn the_stream_of_pi_is_read_where_its_messages_end() {
    let folder = tempfile::tempdir().unwrap();
    let message = |role: &str, text: &str| json!({"role": role, "content": [{"type": "text", "text": text}]});
    let end = |message: &Value| json!({"type": "message_end", "message": message});
    let (asked, answered) = (message("user", "do it"), message("assistant", "done"));
    let lines = [
        json!({"type": "session", "version": 3, "id": "s", "timestamp": "2026-11-27T10:00:00Z", "cwd": "/w"}),
        json!({"type": "agent_start"}),
        json!({"type": "message_start", "message": asked}),
        end(&asked),
        json!({"type": "message_update", "assistantMessageEvent": {"type": "text_delta", "delta": "do"}}),
        end(&answered),
        json!({"type": "turn_end", "message": answered, "toolResults": []}),
        json!({"type": "agent_end", "messages": [asked, answered]}),
    ];
    let text = lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    let path = file(folder.path(), "stream.jsonl", &text);
    let (_, steps, _) = obelus(&["steps", &path, "--json"]);
    assert_eq!(steps.lines().count(), 2, "{steps}");
    assert_eq!(roles_and_texts(&exported_messages(&path)), ["user: do it", "assistant: done"]);
}

#[test]
fn what_opencode_says_before_an_export_is_a_record_that_is_no_json() {
    let folder = tempfile::tempdir().unwrap();
    let part = json!({"id": "p", "sessionID": "s", "messageID": "m", "type": "text", "text": "hi"});
    let message = json!({"info": {"id": "m", "sessionID": "s", "role": "user"}, "parts": [part]});
    let export = json!({"info": {"id": "s", "directory": "/w"}, "messages": [message]});
    let export = serde_json::to_string_pretty(&export).unwrap();
    // Old versions end the line only where the document does.
    for end in ["\n", ""] {
        let path = file(folder.path(), "export.json", &format!("Exporting session: s{end}{export}\n"));
        let (_, steps, _) = obelus(&["steps", &path, "--json"]);
        assert_eq!(steps.lines().count(), 1, "{steps}");
        assert!(steps.contains("\"role\":\"user\""), "{steps}");
        let (status, findings, _) = obelus(&["check", &path, "--json"]);
        assert_eq!((status, findings.lines().count()), (1, 1), "{findings}");
        assert!(findings.contains("\"record\":0") && findings.contains("data.invalid-json"), "{findings}");
    }
}
