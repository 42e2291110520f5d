//! The Agent Data Protocol as commands answer for it.

use super::command::{file, obelus, obelus_at_home};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Lines of JSON.
fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const TAU: &str = r#"[
{"task_id":0,"reward":1.0,"traj":[{"role":"user","content":"hi"},{"role":"assistant","content":"yes"}],"trial":0},
{"task_id":1,"reward":0.0,"traj":[{"role":"user","content":"bye"}],"trial":0}]"#;
const ARRAYS: &str = r#"[[{"role":"user","content":"hi"},{"role":"assistant","content":"yes"}],
[{"role":"user","content":"bye"}]]"#;

#[test]
fn d2_arrays_of_bare_conversations_are_trajectories() {
    let folder = tempfile::tempdir().unwrap();
    let rows = r#"[{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"yes"}]},
        {"messages":[{"role":"user","content":"bye"}]}]"#;
    for (name, text) in [("tau.json", TAU), ("arrays.json", ARRAYS), ("rows.json", rows)] {
        let path = file(folder.path(), name, text);
        for format in ["auto", "messages"] {
            let (status, stdout, stderr) = obelus(&["stats", "--json", "--format", format, &path]);
            assert_eq!(status, 0, "{stderr}");
            let told = lines(&stdout);
            assert_eq!(told.len(), 3, "{name} {format}: {stdout}");
            let steps: Vec<&Value> = told[..2].iter().map(|line| &line["steps"]).collect();
            assert_eq!(steps, [2, 1], "{name} {format}");
            assert_eq!(told[0]["shape"], "chat", "{name} {format}");
        }
    }
    let one = file(folder.path(), "one.json", r#"[{"role":"user","content":"hi"},{"role":"assistant","content":"y"}]"#);
    for format in ["auto", "messages"] {
        let (_, stdout, _) = obelus(&["stats", "--json", "--format", format, &one]);
        assert_eq!(lines(&stdout)[0]["steps"], 2, "one array of messages is one trajectory");
    }
}

#[test]
fn no_task_is_in_two_parts_of_a_split() {
    let folder = tempfile::tempdir().unwrap();
    let record = |id: String, task: &str| {
        format!(
            r#"{{"id":"{id}",{task}"messages":[{{"role":"user","content":"{id}"}},{{"role":"assistant","content":"a"}}]}}"#
        )
    };
    let mut all = Vec::new();
    for task in 0..30 {
        for attempt in 0..6 {
            all.push(record(format!("{task}{attempt:0>4}x"), &format!("\"task_id\":{task},")));
            all.push(record(format!("only-{task}-attempt-{attempt}"), ""));
            all.push(record(format!("d{task}{attempt}y"), &format!("\"details\":{{\"instance_id\":\"i{task}\"}},")));
        }
    }
    let path = file(folder.path(), "in.jsonl", &all.join("\n"));
    let (status, _, stderr) =
        obelus_at_home(folder.path(), &["export", &path, "--split", "50/50", "--out", "out.jsonl"]);
    assert_eq!(status, 0, "{stderr}");
    let mut parts: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for part in ["out.train.jsonl", "out.test.jsonl"] {
        for record in lines(&fs::read_to_string(folder.path().join(part)).unwrap()) {
            let id = record["id"].as_str().unwrap();
            let task = record.get("task_id").or(record["details"].get("instance_id")).map(Value::to_string);
            parts.entry(task.unwrap_or_else(|| id[..id.len() - 1].to_owned())).or_default().insert(part);
        }
    }
    assert_eq!(parts.len(), 90);
    assert!(parts.values().all(|parts| parts.len() == 1), "{parts:?}");
    let of = |part| parts.values().filter(|parts| parts.contains(part)).count();
    assert!(of("out.train.jsonl") > 10 && of("out.test.jsonl") > 10);
}

#[test]
fn d17_steps_and_statistics_count_the_same_calls() {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"{"conversations":[{"from":"human","value":"q"},
        {"from":"function_call","value":"{\"name\":\"look\",\"arguments\":{\"at\":\"x\"}}"},
        {"from":"observation","value":"seen"},{"from":"gpt","value":"done"}]}"#;
    let path = file(folder.path(), "s.json", text);
    let (_, stdout, _) = obelus(&["stats", "--json", "--format", "adp", &path]);
    let stats = &lines(&stdout)[0];
    assert_eq!((&stats["calls"], &stats["results"], &stats["tools"]["look"]), (&1.into(), &1.into(), &1.into()));
    let (_, stdout, _) = obelus(&["steps", "--json", "--format", "adp", &path]);
    let steps = lines(&stdout);
    assert_eq!((&steps[1]["tool"], &steps[2]["answers"]), (&"look".into(), &1.into()));
    let (_, stdout, _) = obelus(&["steps", "--format", "adp", &path]);
    assert!(stdout.contains("look x"), "{stdout}");
}

#[test]
fn the_view_of_a_record_has_the_reasoning() {
    let folder = tempfile::tempdir().unwrap();
    let std = r#"{"id":"a","content":[{"class_":"text_observation","content":"q","source":"user"},
        {"class_":"api_action","function":"f","kwargs":{},"description":"so","reasoning_content":"as it must"}]}"#;
    let chat = r#"{"messages":[{"role":"user","content":"q"},
        {"role":"assistant","content":"so","reasoning_content":"as it must"}]}"#;
    let atif = r#"{"schema_version":"ATIF-v1.7","steps":[{"step_id":1,"source":"user","message":"q"},
        {"step_id":2,"source":"agent","message":"so","reasoning_content":"as it must"}]}"#;
    for (name, text) in [("std", std), ("chat", chat), ("atif", atif)] {
        let path = file(folder.path(), name, text);
        let (_, stdout, _) = obelus(&["render", "--format", "adp", &path]);
        assert!(stdout.contains("agent: reasoning: as it must\nso"), "{stdout}");
        let (_, stdout, _) = obelus(&["steps", "--format", "adp", &path]);
        assert!(!stdout.contains("as it must"), "the line of a step has its words: {stdout}");
    }
}

#[test]
fn the_answer_in_a_run_stream_is_the_agents() {
    let folder = tempfile::tempdir().unwrap();
    let event =
        |part: &str| format!(r#"{{"type":"text","timestamp":17,"sessionID":"s","part":{{"messageID":"m",{part}}}}}"#);
    let text = [event(r#""type":"text","text":"Done""#), event(r#""type":"tool","tool":"bash""#)].join("\n");
    let path = file(folder.path(), "run.jsonl", &text);
    let (_, stdout, _) = obelus(&["steps", "--json", "--format", "generic", &path]);
    let steps = lines(&stdout);
    assert!(steps.iter().all(|step| step["role"] == "agent"), "{stdout}");
    let (_, stdout, _) = obelus(&["steps", "--format", "generic", &path]);
    assert!(stdout.lines().next().unwrap().ends_with("Done"), "{stdout}");
}
