//! Lines that Claude Code 2.1 writes beside messages, and what the model got in place of what is on the disk.

use super::command::{file, obelus};
use serde_json::{Value, json};

/// Lines of a session, each behind the one before; those without a place have no ids.
fn session(lines: &[Value]) -> String {
    let mut parent = Value::Null;
    let line = |(n, line): (usize, &Value)| {
        let mut line = line.clone();
        line["sessionId"] = json!("s");
        if line["type"] != "last-prompt" {
            line["uuid"] = json!(n.to_string());
            line["parentUuid"] = std::mem::replace(&mut parent, json!(n.to_string()));
            line["version"] = json!("2.1.197");
            line["isSidechain"] = json!(false);
            line["cwd"] = json!("/w");
        }
        line.to_string()
    };
    lines.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
}

fn user(content: Value) -> Value {
    json!({"type": "user", "message": {"role": "user", "content": content}})
}

fn call(id: &str, name: &str, input: Value) -> Value {
    json!({"type": "assistant", "message": {"id": "m", "role": "assistant", "usage": {"input_tokens": 1,
        "output_tokens": 1}, "content": [{"type": "tool_use", "id": id, "name": name, "input": input}]}})
}

fn result(id: &str, text: &str) -> Value {
    user(json!([{"type": "tool_result", "tool_use_id": id, "content": text}]))
}

fn messages(path: &str) -> Vec<Value> {
    let out = format!("{path}.out");
    let (status, _, stderr) = obelus(&["export", path, "--to", "messages", "--out", &out]);
    assert_eq!(status, 0, "{stderr}");
    let row: Value = serde_json::from_str(&std::fs::read_to_string(out).unwrap()).unwrap();
    row["messages"].as_array().unwrap().clone()
}

#[test]
fn a_line_about_the_session_has_the_window_of_the_message_before() {
    let folder = tempfile::tempdir().unwrap();
    let end = json!({"type": "last-prompt", "lastPrompt": "do it", "leafUuid": "0"});
    let path = file(folder.path(), "s.jsonl", &session(&[user(json!("do it")), end]));
    let (_, view, _) = obelus(&["render", &path]);
    assert_eq!(view.trim(), "user: do it");
    let (_, context, _) = obelus(&["context", &path, "--json"]);
    assert!(context.contains("\"count\":1"), "{context}");
}

#[test]
fn calls_of_one_answer_are_one_message_though_results_come_between() {
    let folder = tempfile::tempdir().unwrap();
    let lines = [
        user(json!("do it")),
        call("a", "Glob", json!({})),
        result("a", "denied"),
        call("b", "Grep", json!({})),
        result("b", "found"),
    ];
    let all = messages(&file(folder.path(), "s.jsonl", &session(&lines)));
    let roles: Vec<&Value> = all.iter().map(|message| &message["role"]).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "tool"]);
    assert_eq!(all[1]["tool_calls"].as_array().unwrap().len(), 2);
    assert_eq!((&all[2]["tool_call_id"], &all[3]["tool_call_id"]), (&json!("a"), &json!("b")));
}

#[test]
fn what_the_program_puts_into_the_queue_is_no_word_of_the_user() {
    let folder = tempfile::tempdir().unwrap();
    let queued = |mode: &str, prompt: &str| json!({"type": "attachment", "attachment": {"type": "queued_command", "prompt": prompt, "commandMode": mode}});
    let lines =
        [user(json!("do it")), queued("task-notification", "<task-notification>"), queued("prompt", "and that")];
    let all = messages(&file(folder.path(), "s.jsonl", &session(&lines)));
    let roles: Vec<&Value> = all.iter().map(|message| &message["role"]).collect();
    assert_eq!(roles, ["user", "system", "user"]);
}

#[test]
fn a_long_output_is_to_the_model_the_notice_in_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let notice = "<persisted-output>\nOutput too large (9KB). Full output saved to: /x/s/tool-results/o.txt\n\nPreview";
    let lines = [user(json!("do it")), call("a", "Bash", json!({"command": "seq 9"})), result("a", notice)];
    let path = file(folder.path(), "s.jsonl", &session(&lines));
    std::fs::create_dir_all(folder.path().join("s/tool-results")).unwrap();
    file(folder.path(), "s/tool-results/o.txt", &"whole output\n".repeat(100));
    let (_, view, _) = obelus(&["render", &path]);
    assert!(view.contains("Preview") && !view.contains("whole output"), "{view}");
    assert_eq!(messages(&path).last().unwrap()["content"], json!(notice));
}

#[test]
fn places_of_a_file_that_somebody_edited_are_shown_lines() {
    let folder = tempfile::tempdir().unwrap();
    let edited = json!({"type": "attachment", "attachment": {"type": "edited_text_file", "filename": "/w/a",
        "snippet": "1\tone\n2\tTWO"}});
    let read = "     1→one\n     2→two\n     3→three\n";
    let lines = [user(json!("do it")), call("a", "Read", json!({"file_path": "/w/a"})), result("a", read), edited];
    let path = file(folder.path(), "s.jsonl", &session(&lines));
    let (_, blame, _) = obelus(&["blame", &path, "--file", "/w/a", "--json"]);
    let blame: Value = serde_json::from_str(&blame).unwrap();
    let texts: Vec<&Value> = blame["blame"].as_array().unwrap().iter().map(|line| &line["text"]).collect();
    assert_eq!(texts, ["one", "TWO", "three"]);
    let (_, found, _) = obelus(&["check", &path]);
    assert!(found.contains("work.changed-outside"), "nobody in the run edited it: {found}");
}
