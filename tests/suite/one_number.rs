//! One number in all commands: `stats`, `table`, `steps`, `--outcomes`, `--tools`, `--by` and filters count the same of
//! the same records, in whichever container these are.

use super::command::{file, json_lines, obelus, sample};
use serde_json::{Value, json};

/// Three messages of one task: a call that succeeds, one that fails, and the answer.
fn conversation(task: u64) -> Vec<Value> {
    let call = |id: &str| {
        let function = json!({"name": "calc", "arguments": format!("{{\"expr\":\"{task}\"}}")});
        json!([{"id": id, "type": "function", "function": function}])
    };
    vec![
        json!({"role": "user", "content": format!("What is {task} plus {task}?")}),
        json!({"role": "assistant", "content": "I compute.", "tool_calls": call("c0")}),
        json!({"role": "tool", "tool_call_id": "c0", "content": (2 * task).to_string()}),
        json!({"role": "assistant", "content": "", "tool_calls": call("c1")}),
        json!({"role": "tool", "tool_call_id": "c1", "content": "Error: bad expression"}),
        json!({"role": "assistant", "content": format!("It is {}.", 2 * task)}),
    ]
}

fn turns(task: u64) -> Value {
    json!([{"from": "human", "value": format!("What is {task}?")},
        {"from": "function_call", "value": "{\"name\":\"calc\",\"arguments\":{}}"},
        {"from": "observation", "value": "4"}, {"from": "gpt", "value": "four"}])
}

fn standardized(task: u64) -> Value {
    json!({"id": format!("a{task}"), "details": {"reward": "1", "task_id": "t"}, "content": [
        {"class_": "text_observation", "content": format!("{task}?"), "source": "user"},
        {"class_": "api_action", "function": "calc", "kwargs": {}, "description": "I compute."},
        {"class_": "text_observation", "content": "Error: no such file", "source": "environment"},
        {"class_": "message_action", "content": "<finish> 2 </finish>", "description": null}]})
}

fn harbor(task: u64) -> Value {
    json!({"schema_version": "ATIF-v1.4", "session_id": format!("t{task}"), "extra": {"reward": 0.5},
        "agent": {"name": "x", "version": "1", "model_name": "m"}, "steps": [
        {"step_id": 1, "source": "user", "message": "q"},
        {"step_id": 2, "source": "agent", "message": "I compute.",
            "tool_calls": [{"tool_call_id": "c", "function_name": "calc", "arguments": {}}],
            "observation": {"results": [{"source_call_id": "c", "content": "2"}]}},
        {"step_id": 3, "source": "agent", "message": "2",
            "observation": {"results": [{"subagent_trajectory_ref": [{"trajectory_path": "gone.json"}]}]}}]})
}

fn rollout(task: u64, trial: u64) -> Value {
    let (prompt, answer) = (&conversation(task)[..1], &conversation(task)[1..]);
    json!({"example_id": task, "task": "calc", "prompt": prompt, "completion": answer, "reward": trial})
}

fn inspected(task: u64) -> Value {
    json!({"id": task, "epoch": 1, "input": "q", "target": "4", "messages": conversation(task),
        "scores": {"exact": {"value": "C"}}})
}

fn lines(rows: &[Value]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect()
}

/// Files of many containers with what they are called.
fn containers() -> Vec<(&'static str, String)> {
    let rows = |row: fn(u64) -> Value| (0..3).map(row).collect::<Vec<_>>();
    let both = |row: fn(u64, u64) -> Value| (0..3).flat_map(|task| [row(task, 0), row(task, 1)]).collect::<Vec<_>>();
    let messages = |task: u64| json!({"id": format!("m{task}"), "messages": conversation(task), "reward": 0.5});
    let in_text = |task: u64| json!({"messages": Value::from(conversation(task)).to_string()});
    let sharegpt = |task: u64| json!({"id": format!("s{task}"), "conversations": turns(task), "score": 2});
    let bench = |task, trial| json!({"task_id": task, "traj": conversation(task), "reward": trial, "trial": trial});
    let simulation = |task: u64, trial: u64| {
        json!({"id": format!("u{task}-{trial}"), "task_id": task.to_string(), "trial": trial,
            "reward_info": {"reward": trial}, "messages": conversation(task)})
    };
    let verl = |task: u64, trial: u64| json!({"input": format!("user\n{task}?\nassistant\n"), "output": "4", "gts": "4", "score": trial, "step": 1});
    let pair = |task: u64| {
        let (prompt, chosen) = (&conversation(task)[..1], &conversation(task)[1..]);
        json!({"id": task, "prompt": prompt, "chosen": chosen, "rejected": [{"role": "assistant", "content": "no"}]})
    };
    let log = json!({"version": 2, "status": "success", "eval": {"task": "calc", "model": "m"}, "samples":
        rows(inspected)});
    let plain = |task: u64| Value::from(conversation(task));
    let tau2 = json!({"info": {}, "tasks": [], "simulations": both(simulation)});
    vec![
        ("m.jsonl", lines(&rows(messages))),
        ("m.json", Value::from(rows(messages)).to_string()),
        ("text.jsonl", lines(&rows(in_text))),
        ("bare.json", plain(1).to_string()),
        ("bares.json", Value::from(rows(plain)).to_string()),
        ("bare.jsonl", lines(&conversation(1))),
        ("s.jsonl", lines(&rows(sharegpt))),
        ("s.json", Value::from(rows(sharegpt)).to_string()),
        ("bench.json", Value::from(both(bench)).to_string()),
        ("bench.jsonl", lines(&both(bench))),
        ("tau2.json", tau2.to_string()),
        ("tau2.jsonl", lines(&both(simulation))),
        ("v.jsonl", lines(&both(rollout))),
        ("v.json", Value::from(both(rollout)).to_string()),
        ("verl.jsonl", lines(&both(verl))),
        ("pairs.jsonl", lines(&rows(pair))),
        ("a.jsonl", lines(&rows(standardized))),
        ("a.json", Value::from(rows(standardized)).to_string()),
        ("one.json", standardized(1).to_string()),
        ("h.jsonl", lines(&rows(harbor))),
        ("h.json", harbor(1).to_string()),
        ("inspect.json", log.to_string()),
    ]
}

fn sum(rows: &[Value], member: &str) -> u64 {
    rows.iter().map(|row| row[member].as_u64().unwrap_or(0)).sum()
}

/// A scalar as text: ids are as the record has them in statistics, and texts in a table.
fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[test]
fn all_commands_count_the_same_in_each_container() {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in containers() {
        let path = file(folder.path(), name, &content);
        let stats = json_lines(&["stats", "--json", "--only", "trajectories", &path]);
        let table = json_lines(&["table", "--json", &path]);
        assert_eq!(stats.len(), table.len(), "{name}");
        for (line, row) in stats.iter().zip(&table) {
            for member in ["steps", "calls", "failed", "suspect", "chars"] {
                assert_eq!(line[member], row[member], "{name}: {member} of {line}");
            }
            assert_eq!(text(&line["id"]), text(&row["id"]), "{name}: {line}");
            let found = if line["found"].is_null() { line } else { &line["found"] };
            for member in ["errors", "warnings"] {
                assert_eq!(found[member], row[member], "{name}: {member} of {line}");
            }
            let reward = if line["reward"].is_null() { &line["noted_reward"] } else { &line["reward"] };
            assert_eq!(reward, &row["reward"], "{name}: {line}");
        }
        let whole = &json_lines(&["stats", "--json", "--only", "dataset", &path])[0];
        let outcomes = &json_lines(&["stats", "--outcomes", "--json", &path])[0];
        let tools = &json_lines(&["stats", "--tools", "--json", &path])[0];
        let steps = json_lines(&["steps", "--json", &path]);
        for answer in [whole, outcomes, tools] {
            assert_eq!(answer["calls"].as_u64(), Some(sum(&table, "calls")), "{name}: {answer}");
        }
        for answer in [whole, outcomes] {
            assert_eq!(answer["failed"].as_u64(), Some(sum(&table, "failed")), "{name}: {answer}");
        }
        assert_eq!(steps.len() as u64, sum(&table, "steps"), "{name}");
        let failed = steps.iter().filter(|step| step["outcome"] == "error").count() as u64;
        assert_eq!(failed, sum(&table, "failed"), "{name}");
    }
}

#[test]
fn groups_and_filters_have_the_numbers_of_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let is_one_run = |name: &str| name == "bare.jsonl";
    for (name, content) in containers().into_iter().filter(|(name, _)| !is_one_run(name)) {
        let path = file(folder.path(), name, &content);
        let table = json_lines(&["table", "--json", &path]);
        let of = "steps,calls,failed,tokens,chars,errors,warnings,reward";
        let group = &json_lines(&["stats", "--by", "format", "--of", of, "--json", &path])[0]["group"];
        for number in of.split(',') {
            let mean = |of: &Value| of["mean"].as_f64().unwrap_or(0.0) * of["count"].as_f64().unwrap_or(0.0);
            let expect: f64 = table.iter().filter_map(|row| row[number].as_f64()).sum();
            let got = mean(&group["numbers"][number]);
            assert!((got - expect).abs() < 1e-9, "{name}: {number} {got} {expect}");
        }
        for row in &table {
            let id = text(&row["id"]);
            let named = if row["id"].is_null() { "id:none".to_owned() } else { format!("id=\"{id}\"") };
            let terms = format!("record={} {named} steps={} calls={}", row["record"], row["steps"], row["calls"]);
            let found = obelus(&["query", "--where", &terms, "--count", &path]).1;
            assert_eq!(found.trim(), "1", "{name}: {terms}");
        }
    }
}

/// In Agent/Data an error is a message that no call asked for: the header of the screen counts it, so all commands do.
#[test]
fn errors_of_a_log_are_failures_in_every_command() {
    let run = sample("trip-run.jsonl");
    let lines = json_lines(&["stats", &run, "--json"]);
    assert_eq!(lines.iter().map(|line| line["failed"].as_u64()).collect::<Vec<_>>(), [Some(2), Some(2)]);
    assert_eq!(json_lines(&["table", &run, "--json"])[0]["failed"], 2);
    assert_eq!(json_lines(&["steps", &run, "--where", "failed>0", "--json"]).len(), 2);
    let signed: Vec<String> =
        obelus(&["steps", &run]).1.lines().filter_map(|line| line.strip_prefix('✗')).map(str::to_owned).collect();
    assert_eq!(signed.len(), 2);
    assert!(signed.iter().all(|line| line.contains("error")), "{signed:?}");
}

#[test]
fn steps_that_failed_are_seen_without_colours() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "c.jsonl", &format!("{}\n", json!({"messages": conversation(1)})));
    let steps = obelus(&["steps", &path]).1;
    let margins: Vec<&str> = steps.lines().map(|line| line.split("  ").next().unwrap_or_default()).collect();
    let signs: Vec<bool> = margins.iter().map(|margin| margin.starts_with('✗')).collect();
    assert_eq!(signs, [false, false, false, false, true, false], "{steps}");
    let column = |line: &str| line.chars().position(|c| c == ':');
    assert!(steps.lines().all(|line| column(line) == column(&steps)), "the sign is in the margin: {steps}");
}

#[test]
fn outcomes_of_a_folder_of_runs_are_one_answer() {
    let (one, other) = (sample("fix-session.jsonl"), sample("desk-rollouts.jsonl"));
    let apart = json_lines(&["stats", "--outcomes", "--json", &one, &other]);
    let all = json_lines(&["stats", "--outcomes", "--together", "--json", &one, &other]);
    assert_eq!((apart.len(), all.len(), &all[0]["files"]), (2, 1, &json!(2)));
    for member in ["records", "calls", "failed", "suspect", "fine", "open"] {
        let sum: u64 = apart.iter().filter_map(|line| line[member].as_u64()).sum();
        assert_eq!(all[0][member].as_u64(), Some(sum), "{member}");
    }
    let text = obelus(&["stats", "--outcomes", "--together", &one, &other]).1;
    assert!(
        text.starts_with("2 files  ") && text.lines().filter(|line| line.starts_with("  all")).count() == 1,
        "{text}"
    );
}
