//! Findings that do not depend on how a record spells its calls, nor on the command that asks for them.

use super::command::{file, obelus};
use serde_json::{Value, json};

fn rules(text: &str, options: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "d.jsonl", text);
    let (_, out, _) = obelus(&[&["check", &path, "--json"], options].concat());
    let found =
        out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["rule"].as_str().unwrap().to_owned());
    found.collect()
}

/// A conversation with a call, whose arguments are this JSON value.
fn called(spelling: &str, arguments: &Value) -> String {
    let schema = json!({"type": "object", "required": ["q"], "properties": {"q": {"type": "string"}}});
    let call = json!({"name": "search", "arguments": arguments});
    let turn =
        json!({"role": "assistant", "content": "", "tool_calls": [{"id": "1", "type": "function", "function": call}]});
    let item = turn["tool_calls"][0].to_string();
    match spelling {
        "sharegpt" => json!({"conversations": [{"from": "human", "value": "find it"},
            {"from": "function_call", "value": call.to_string()}, {"from": "observation", "value": "here"},
            {"from": "gpt", "value": "found"}],
            "tools": json!([{"name": "search", "description": "d", "parameters": schema}]).to_string()}),
        spelling => {
            let turn = if spelling == "strings" {
                json!({"role": "assistant", "content": "", "tool_calls": [item]})
            } else {
                turn
            };
            json!({"messages": [{"role": "user", "content": "find it"}, turn,
                {"role": "tool", "tool_call_id": "1", "content": "here"}, {"role": "assistant", "content": "found"}],
                "tools": [{"type": "function", "function": {"name": "search", "parameters": schema}}]})
        }
    }
    .to_string()
}

#[test]
fn arguments_are_checked_in_every_spelling_of_a_call() {
    for spelling in ["messages", "strings", "sharegpt"] {
        let of = |arguments: &Value| rules(&called(spelling, arguments), &["--data"]);
        assert_eq!(of(&json!({"q": "x"})), Vec::<String>::new(), "{spelling}");
        assert_eq!(of(&json!({"q": 7})), ["data.arguments"], "{spelling}");
        assert_eq!(of(&json!({})), ["data.arguments"], "{spelling}");
        let twice = json!(json!(json!({"q": "x"}).to_string()).to_string());
        assert!(of(&twice).contains(&"data.double-encoded".to_owned()), "{spelling}");
    }
}

#[test]
fn one_observation_may_answer_several_calls_without_ids() {
    let calls = json!([{"name": "f", "arguments": {}}, {"name": "f", "arguments": {"b": 1}}]).to_string();
    let row = |observation: Option<&str>| {
        let mut turns =
            vec![json!({"from": "human", "value": "both"}), json!({"from": "function_call", "value": calls})];
        turns.extend(observation.map(|text| json!({"from": "observation", "value": text})));
        turns.push(json!({"from": "gpt", "value": "done"}));
        json!({"conversations": turns}).to_string()
    };
    assert_eq!(rules(&row(Some("[1, 2]")), &["--data"]), Vec::<String>::new());
    assert!(rules(&row(None), &["--data"]).contains(&"data.unanswered-call".to_owned()));
}

#[test]
fn numbers_of_one_value_do_not_contradict() {
    let row = |id: u32, reward: &str| {
        format!(
            r#"{{"id":{id},"task_id":1,"reward":{reward},"traj":[{{"role":"user","content":"x"}},{{"role":"assistant","content":"y"}}]}}"#
        )
    };
    let found =
        |a, b| rules(&[row(0, a), row(1, b)].join("\n"), &["--data"]).contains(&"data.conflicting-label".to_owned());
    assert!(!found("1.0", "1") && found("1.0", "0"));
}

#[test]
fn what_a_template_makes_of_thoughts_counts_for_filters_and_exports_as_for_checks() {
    let folder = tempfile::tempdir().unwrap();
    let answer = |text: &str| {
        json!({"messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": text}]}).to_string()
    };
    let text = [answer("<think>\na\n</think>\n\nb"), answer("c")].join("\n");
    let path = file(folder.path(), "d.jsonl", &text);
    let count = |options: &[&str]| {
        let (status, out, problem) =
            obelus(&[&["query", &path, "--where", "finding:sft.think-token", "--count"], options].concat());
        assert_eq!(status, 0, "{problem}");
        out.trim().to_owned()
    };
    assert_eq!((count(&[]), count(&["--loss", "qwen3"])), ("1".to_owned(), "0".to_owned()));
    let exported = |options: &[&str]| {
        let out = folder.path().join("o.jsonl");
        let out = out.to_str().unwrap();
        let (status, _, problem) =
            obelus(&[&["export", &path, "--only-clean", "--force", "--out", out], options].concat());
        assert_eq!(status, 0, "{problem}");
        std::fs::read_to_string(out).unwrap().lines().count()
    };
    assert_eq!((exported(&[]), exported(&["--loss", "qwen3"])), (1, 2));
    let (status, _, problem) = obelus(&["query", &path, "--loss", "qwen3", "--count"]);
    assert!(status == 2 && problem.contains("--where"), "{problem}");
}

#[test]
fn an_export_says_that_conversations_in_strings_become_lists() {
    let folder = tempfile::tempdir().unwrap();
    let messages = json!([{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]);
    let row = |messages: Value| json!({"id": "r", "messages": messages}).to_string();
    let out = folder.path().join("o.jsonl");
    let said = |name: &str, text: &str| {
        let path = file(folder.path(), name, text);
        let (status, _, problem) = obelus(&["export", &path, "--force", "--out", out.to_str().unwrap()]);
        assert_eq!(status, 0, "{problem}");
        problem.contains("written as lists")
    };
    assert!(said("s.jsonl", &row(json!(messages.to_string()))));
    assert!(!said("l.jsonl", &row(messages)));
}

/// A run of tau-bench.
fn rollout(task: u32, trial: u32, reward: u32) -> String {
    json!({"task_id": task, "trial": trial, "reward": f64::from(reward), "info": {}, "traj": [
        {"role": "user", "content": format!("do {task}")}, {"role": "assistant", "content": format!("done {trial}")}]})
    .to_string()
}

#[test]
fn attempts_at_a_task_are_counted_over_all_files() {
    let folder = tempfile::tempdir().unwrap();
    let a = file(folder.path(), "a.jsonl", &[rollout(1, 0, 0), rollout(2, 0, 1)].join("\n"));
    let b = file(folder.path(), "b.jsonl", &[rollout(1, 1, 1), rollout(2, 1, 1)].join("\n"));
    let out = folder.path().join("o.jsonl");
    let out = out.to_str().unwrap();
    let signal = ["--where", "group.signal=1"];
    let (status, _, problem) = obelus(&[&["export", &a, &b, "--out", out], &signal[..]].concat());
    assert_eq!((status, std::fs::read_to_string(out).unwrap().lines().count()), (0, 2), "{problem}");
    let (_, counted, _) = obelus(&[&["query", "--count", &a, &b], &signal[..]].concat());
    assert_eq!(counted.lines().filter(|line| line.ends_with(":1")).count(), 2, "{counted}");
    let (_, table, _) = obelus(&["table", "--groups", "--json", &a, &b]);
    let sizes = table.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["group_n"].clone());
    assert_eq!(sizes.collect::<Vec<_>>(), [2, 2, 2, 2]);
}

#[test]
fn the_reward_of_a_record_is_still_its_reward_in_another_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "a.jsonl", &[rollout(1, 0, 0), rollout(1, 1, 1)].join("\n"));
    for format in ["adp", "atif", "messages", "sharegpt"] {
        let out = folder.path().join(format!("{format}.jsonl"));
        let out = out.to_str().unwrap();
        assert_eq!(obelus(&["export", &path, "--to", format, "--out", out]).0, 0);
        let (_, stats, _) = obelus(&["stats", out, "--json"]);
        let rewards = stats.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let rewards: Vec<Value> =
            rewards.filter(|line| line["type"] == "trajectory").map(|line| line["reward"].clone()).collect();
        assert_eq!(rewards, [0.0, 1.0], "{format}");
        let (status, found, _) = obelus(&["check", out]);
        assert_eq!(status, 0, "{format}: {found}");
    }
}
