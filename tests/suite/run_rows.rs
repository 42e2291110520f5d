//! Runs that are files of their own answer like the records of a dataset: rows, filters, groups.

use super::command::{file, obelus};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

fn lines(stdout: &str) -> Vec<Value> {
    stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A run of SWE-agent.
fn trajectory(task: &str, model: &str, cost: f64, end: &str) -> String {
    let item = |action: &str, observation: &str| json!({"thought": "I look.", "action": action, "observation": observation, "state": {"working_dir": "/w"}});
    json!({
        "environment": "main",
        "trajectory": [item("ls", "a.py"), item("submit", "diff")],
        "history": [{"role": "system", "content": "You fix."}, {"role": "user", "content": format!("Fix {task}.")}],
        "info": {"exit_status": end, "model_stats": {"instance_cost": cost, "tokens_sent": 10, "tokens_received": 2}},
        "replay_config": json!({"problem_statement": {"id": task}, "agent": {"model": {"name": model}}}).to_string(),
    })
    .to_string()
}

/// Runs of three formats in a folder, and rows of an evaluation.
fn runs(folder: &Path) -> String {
    fs::create_dir_all(folder.join("runs/swe")).unwrap();
    let runs = folder.join("runs");
    file(&runs, "swe/a.traj", &trajectory("t-1", "m1", 0.5, "submitted"));
    file(&runs, "swe/b.traj", &trajectory("t-2", "m2", 1.5, "exit_cost"));
    let session = [
        json!({"type": "system", "subtype": "init", "session_id": "s1", "cwd": "/w", "model": "m1"}),
        json!({"type": "user", "session_id": "s1", "message": {"role": "user", "content": "Fix it."}}),
        json!({"type": "assistant", "session_id": "s1",
            "message": {"id": "x", "role": "assistant", "content": [{"type": "text", "text": "Done."}]}}),
        json!({"type": "result", "subtype": "error_max_turns", "session_id": "s1", "duration_ms": 90_000,
            "total_cost_usd": 0.25, "is_error": true, "usage": {"input_tokens": 7, "output_tokens": 3}}),
    ];
    file(&runs, "session.jsonl", &session.map(|line| line.to_string() + "\n").concat());
    let row = |id: &str, resolved: bool, cost: f64| {
        json!({"instance_id": id, "report": {"resolved": resolved}, "error": null,
            "metadata": {"agent_class": "CodeActAgent", "llm_config": {"model": "m2"}},
            "metrics": {"accumulated_cost": cost, "accumulated_token_usage": {"prompt_tokens": 5, "completion_tokens": 1}},
            "history": [
                {"id": 0, "source": "user", "action": "message", "args": {"content": "Fix it."}},
                {"id": 1, "source": "agent", "action": "run", "args": {"command": "ls"}},
                {"id": 2, "source": "agent", "cause": 1, "observation": "run", "content": "a.txt", "extras": {}}]})
        .to_string()
            + "\n"
    };
    file(&runs, "output.jsonl", &(row("t-1", true, 2.0) + &row("t-2", false, 1.0)));
    runs.to_string_lossy().into_owned()
}

/// The rows of a table by the ends of their files and their numbers.
fn rows(arguments: &[&str]) -> (i32, Vec<Value>, String) {
    let (code, stdout, stderr) = obelus(&[&["table", "--json"], arguments].concat());
    (code, lines(&stdout), stderr)
}

/// Members of a row as a list.
fn of(row: &Value, names: &[&str]) -> Value {
    names.iter().map(|name| row[name].clone()).collect()
}

#[test]
fn a_run_is_a_row_with_the_columns_of_a_record() {
    let folder = tempfile::tempdir().unwrap();
    let (code, rows, stderr) = rows(&[&runs(folder.path())]);
    assert_eq!((code, stderr.as_str(), rows.len()), (0, "", 5));
    let names = ["format", "task", "agent", "model", "finish", "reward", "cost", "duration", "output_tokens", "words"];
    let expected = [
        json!(["openhands", "t-1", "CodeActAgent", "m2", "observation", 1.0, 2.0, null, 1, "Fix it."]),
        json!(["openhands", "t-2", "CodeActAgent", "m2", "observation", 0.0, 1.0, null, 1, "Fix it."]),
        json!(["claude-stream", null, "claude-code", "m1", "error_max_turns", null, 0.25, 90.0, 3, "Fix it."]),
        json!(["swe-agent", "t-1", "swe-agent", "m1", "submitted", null, 0.5, null, 2, "Fix t-1."]),
        json!(["swe-agent", "t-2", "swe-agent", "m2", "exit_cost", null, 1.5, null, 2, "Fix t-2."]),
    ];
    for (row, expected) in rows.iter().zip(expected) {
        assert_eq!(of(row, &names), expected, "{row}");
    }
    assert!(rows.iter().all(|row| row["steps"].as_u64().is_some_and(|steps| steps > 1)));
    assert!(rows[3]["size"].as_u64().is_some_and(|size| size > 100) && rows[3]["digest"].is_null(), "{}", rows[3]);
}

#[test]
fn filters_and_orders_take_runs_and_records_alike() {
    let folder = tempfile::tempdir().unwrap();
    let runs = runs(folder.path());
    let costs = |arguments: &[&str]| {
        let (code, rows, stderr) = rows(&[&[runs.as_str()], arguments].concat());
        assert_eq!((code, stderr.as_str()), (0, ""));
        rows.iter().map(|row| row["cost"].clone()).collect::<Value>()
    };
    assert_eq!(costs(&["--where", "cost>1"]), json!([2.0, 1.5]));
    assert_eq!(costs(&["--where", "model:m1 duration>60"]), json!([0.25]));
    assert_eq!(costs(&["--where", "finish:exit_cost agent:swe-agent"]), json!([1.5]));
    assert_eq!(costs(&["--where", "task:t-1"]), json!([2.0, 0.5]), "attempts of two agents at one task");
    assert_eq!(costs(&["--where", "words:Fix words:t-2"]), json!([1.5]));
    assert_eq!(costs(&["--where", "group.n=2 reward<1"]), json!([1.0]), "groups span files");
    assert_eq!(costs(&["--where", "steps>1000"]), json!([]));
    assert_eq!(costs(&["--sort", "-cost", "--limit", "2"]), json!([2.0, 1.5]));
    assert_eq!(costs(&["--sort", "duration", "--limit", "1"]), json!([0.25]), "what is not known is last");
    let (code, _, stderr) = rows(&[&runs, "--sort", "costs"]);
    assert!(code == 2 && stderr.contains("did you mean cost?"), "{stderr}");
    let (code, _, stderr) = rows(&[&runs, "--sort", "zzzzzz"]);
    assert!(code == 2 && stderr.contains("columns are digest, file, record"), "{stderr}");
    let (code, _, stderr) = rows(&[&runs, "--where", "zzzzzz>1"]);
    assert!(code == 2 && stderr.contains("cost") && stderr.contains("duration"), "{stderr}");
}

#[test]
fn groups_span_runs_in_files_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let runs = runs(folder.path());
    let (code, stdout, stderr) = obelus(&["stats", "--by", "model", "--of", "cost", "--json", "--together", &runs]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let answer = lines(&stdout);
    let sums: Vec<Value> = answer
        .iter()
        .filter(|line| line["type"] == "group")
        .map(|line| json!([line["group"]["value"], line["group"]["records"], line["group"]["numbers"]["cost"]["sum"]]))
        .collect();
    assert_eq!(sums, [json!(["m2", 3, 4.5]), json!(["m1", 2, 0.75])]);
    // Without it the rows of a file are its answer, and files of one run each are one.
    let (_, stdout, _) = obelus(&["stats", "--by", "finish", "--json", &runs]);
    let of: Vec<Value> = lines(&stdout)
        .iter()
        .filter(|line| line["type"] == "groups")
        .map(|line| json!([line["files"], line["records"], line["groups"]]))
        .collect();
    assert_eq!(of, [json!([null, 2, 1]), json!([3, 3, 3])]);
    let (_, stdout, _) = obelus(&["stats", "--tasks", "--json", "--together", &runs]);
    let tasks = lines(&stdout).pop().unwrap();
    let names = ["tasks", "attempts", "rewarded", "cost", "with_cost", "cost_per_success"];
    assert_eq!(of_line(&tasks, &names), json!([2, 4, 2, 3.0, 2, 3.0]), "{tasks}");
    let (_, stdout, _) = obelus(&["stats", "--by", "info.exit_status", "--json", &runs]);
    let values: Vec<Value> = lines(&stdout).iter().filter_map(|line| line["group"].get("value").cloned()).collect();
    assert!(values.contains(&json!("submitted")) && values.contains(&json!("exit_cost")), "{stdout}");
}

fn of_line(line: &Value, names: &[&str]) -> Value {
    of(line, names)
}

#[test]
#[cfg(feature = "query")]
fn expressions_ask_the_records_of_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let runs = runs(folder.path());
    let (code, stdout, stderr) = obelus(&["stats", "--by", ".subtype", "--json", &format!("{runs}/session.jsonl")]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert_eq!(lines(&stdout)[0]["group"]["value"], "init", "the first record that has any: {stdout}");
    let asked = ["--column", "end=.info.exit_status", "--where", "end:submitted"];
    let (code, found, stderr) = rows(&[&[format!("{runs}/swe").as_str()], asked.as_slice()].concat());
    assert_eq!((code, stderr.as_str(), found.len()), (0, "", 1));
    // A custom column takes the place of what logs say.
    let asked = ["--column", "model=.environment", "--where", "model:main"];
    assert_eq!(rows(&[&[format!("{runs}/swe").as_str()], asked.as_slice()].concat()).1.len(), 2);
}

#[test]
fn samples_of_an_evaluation_have_rows_and_tasks() {
    let folder = tempfile::tempdir().unwrap();
    let sample = |epoch: u64, score: &str, limit: Value| {
        json!({"id": "sum", "epoch": epoch, "input": "1+1", "target": "2", "limit": limit, "total_time": 12.5,
            "model_usage": {"openai/m": {"input_tokens": 3, "output_tokens": 1}},
            "messages": [{"role": "user", "content": "1+1"}, {"role": "assistant", "content": "2"}],
            "scores": {"match": {"value": score}}})
    };
    let samples = [sample(1, "C", Value::Null), sample(2, "I", json!({"type": "token", "limit": 5}))];
    let log = json!({"version": 2, "status": "success", "eval": {"task": "sums", "model": "m"}, "samples": samples});
    let path = file(folder.path(), "log.json", &log.to_string());
    let (code, found, stderr) = rows(&[&path]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let shown: Vec<Value> =
        found.iter().map(|row| of(row, &["task", "model", "reward", "duration", "finish"])).collect();
    let expected =
        [json!(["sum", "openai/m", 1.0, 12.5, "message"]), json!(["sum", "openai/m", 0.0, 12.5, "token-limit"])];
    assert_eq!(shown, expected);
    let (_, stdout, _) = obelus(&["stats", "--tasks", "--json", &path]);
    assert_eq!(of(&lines(&stdout)[0]["group"], &["task", "attempts", "successes"]), json!(["sum", 2, 1]), "{stdout}");
}

#[test]
fn the_first_record_of_a_run_names_its_task() {
    let folder = tempfile::tempdir().unwrap();
    let run = json!({"instance_id": "t-9", "trajectory_format": "mini-swe-agent-1.1",
        "info": {"mini_version": "2.0", "exit_status": "LimitsExceeded", "model_stats": {"instance_cost": 0.5}},
        "messages": [{"role": "user", "content": "Fix it."}, {"role": "assistant", "content": "I look."}]});
    let path = file(folder.path(), "t-9.traj.json", &run.to_string());
    let (code, found, stderr) = rows(&[&path]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let shown = of(&found[0], &["task", "agent", "finish", "cost", "input_tokens", "reward"]);
    assert_eq!(shown, json!(["t-9", "mini-swe-agent", "LimitsExceeded", 0.5, null, null]));
}

#[test]
fn what_cannot_be_read_costs_nothing_of_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let runs = runs(folder.path());
    let path = Path::new(&runs);
    file(path, "broken.json", "{\"broken\": ");
    file(path, "config.json", "{\"name\":\"x\",\"version\":1}");
    file(path, "empty.jsonl", "");
    fs::write(path.join("binary.jsonl"), [0, 1, 2, 255, 254]).unwrap();
    let (code, found, stderr) = rows(&[&runs, "--where", "steps>0"]);
    assert_eq!((code, found.len()), (2, 5), "{stderr}");
    let reported: Vec<&str> = stderr.lines().collect();
    assert_eq!(reported.len(), 4, "{stderr}");
    assert!(reported[0].contains("binary.jsonl is binary data") && reported[1].contains("broken.json:1: "), "{stderr}");
    assert!(reported[2].contains("1 empty file left out") && reported[2].contains("empty.jsonl"), "{stderr}");
    assert!(reported[3].contains("without runs or trajectories") && reported[3].contains("config.json"), "{stderr}");
    let (code, stdout, stderr) = obelus(&["stats", "--by", "model", "--json", "--together", &runs]);
    assert!(code == 2 && lines(&stdout).pop().unwrap()["records"] == 5, "{stdout}{stderr}");
    // What is named is not left out in silence.
    let config = format!("{runs}/config.json");
    let (code, _, stderr) = obelus(&["stats", "--by", "model", &config]);
    assert!(code == 2 && stderr.contains("are not trajectories"), "{stderr}");
}

#[test]
fn the_attempts_of_a_list_of_traces_are_rows() {
    let folder = tempfile::tempdir().unwrap();
    let span = |trace: &str, id: &str, second: u32, tokens: u64| {
        let time = |second: u32| format!("2026-05-01T10:00:{second:02}Z");
        json!({"name": "chat m", "context": {"trace_id": trace, "span_id": id}, "parent_id": null,
            "start_time": time(second), "end_time": time(second + 1),
            "attributes": {"gen_ai.operation.name": "chat", "gen_ai.request.model": format!("model-{trace}"),
                "gen_ai.usage.input_tokens": tokens, "gen_ai.usage.output_tokens": 1}})
        .to_string()
            + "\n"
    };
    let text = span("1", "a", 0, 10) + &span("2", "b", 10, 20) + &span("1", "c", 20, 30);
    let path = file(folder.path(), "spans.jsonl", &text);
    let (code, found, stderr) = rows(&[&path]);
    assert_eq!((code, stderr.as_str(), found.len()), (0, "", 2), "{found:?}");
    let shown: Vec<Value> = found.iter().map(|row| of(row, &["record", "model", "input_tokens"])).collect();
    assert_eq!(shown, [json!([0, "model-1", 40]), json!([1, "model-2", 20])]);
}

#[test]
fn people_see_files_beside_their_runs() {
    let folder = tempfile::tempdir().unwrap();
    let runs = runs(folder.path());
    let (code, stdout, _) = obelus(&["table", &runs]);
    assert_eq!(code, 0);
    assert!(stdout.starts_with("4 files  5 records\n  file"), "{stdout}");
    assert!(stdout.contains("\n  swe/a.traj ") && stdout.contains("1m 30s") && stdout.contains("0.2500"), "{stdout}");
    let (_, csv, _) = obelus(&["table", "--csv", &runs]);
    assert_eq!(csv.lines().count(), 6, "{csv}");
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let (code, stdout, stderr) = obelus(&["table", &empty.to_string_lossy()]);
    assert!(code == 2 && stdout.is_empty() && stderr.contains("no file of records"), "{stdout}{stderr}");
}
