//! Rewards that an evaluation wrote into files beside its runs: what tables, filters, groups and exports have of them.

use super::command::{file, obelus, obelus_in};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

fn put(folder: &Path, name: &str, value: &Value) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, value.to_string()).unwrap();
}

/// Two trials of Harbor at one task; runs of mini-swe-agent beside the report of SWE-bench; rows of OpenHands.
fn folder(at: &Path) {
    for (trial, reward) in [("sum__a", 1.0), ("sum__b", 0.0)] {
        let step = |id: u64, source: &str, message: &str| json!({"step_id": id, "source": source, "message": message});
        let steps = [step(1, "user", "Add."), step(2, "agent", "Done.")];
        let agent = json!({"name": "terminus", "version": "2", "model_name": "m"});
        let run = json!({"schema_version": "ATIF-v1.5", "session_id": trial, "agent": agent, "steps": steps});
        put(at, &format!("jobs/{trial}/agent/trajectory.json"), &run);
        let verified = json!({"rewards": {"reward": reward}});
        let result = json!({"task_name": "sum", "trial_name": trial, "verifier_result": verified});
        put(at, &format!("jobs/{trial}/result.json"), &result);
        fs::create_dir_all(at.join(format!("jobs/{trial}/verifier"))).unwrap();
        file(at, &format!("jobs/{trial}/verifier/reward.txt"), &format!("{reward}\n"));
    }
    put(at, "jobs/config.json", &json!({"n_attempts": 2}));
    let messages = json!([{"role": "user", "content": "Fix."}, {"role": "assistant", "content": "I look."}]);
    let run = json!({"trajectory_format": "mini-swe-agent-1.1", "info": {"mini_version": "2.0"}, "messages": messages});
    for task in ["d-1", "d-2", "d-3"] {
        put(at, &format!("swe/{task}/{task}.traj.json"), &run);
    }
    put(at, "swe/m.first.json", &json!({"resolved_instances": 1, "resolved_ids": ["d-1"], "unresolved_ids": ["d-2"]}));
    let patch = json!({"model_patch": "diff"});
    put(at, "swe/preds.json", &json!({"d-1": patch, "d-2": patch, "d-3": patch}));
    let events = json!([
        {"id": 0, "source": "user", "action": "message", "args": {"content": "Fix it."}},
        {"id": 1, "source": "agent", "action": "run", "args": {"command": "ls"}}]);
    let row = |id: &str| json!({"instance_id": id, "metadata": {"agent_class": "A"}, "history": events}).to_string();
    fs::create_dir_all(at.join("open")).unwrap();
    file(at, "open/output.jsonl", &format!("{}\n{}\n", row("d-1"), row("d-2")));
    put(at, "open/eval_outputs/d-1/report.json", &json!({"d-1": {"resolved": true}}));
    put(at, "open/report.json", &json!({"resolved_ids": [], "unresolved_ids": ["d-2"]}));
}

fn rows(at: &Path, arguments: &[&str]) -> (Vec<Value>, String) {
    let (code, stdout, stderr) = obelus_in(at, &[&["table", "--json", "."], arguments].concat());
    assert_eq!(code, 0, "{stderr}");
    let all = stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    (all.map(|row| json!([row["task"], row["reward"], row["reward_from"]])).collect(), stderr)
}

#[test]
fn a_run_takes_its_reward_from_the_file_that_names_it() {
    let folder_of_runs = tempfile::tempdir().unwrap();
    let at = folder_of_runs.path();
    folder(at);
    let (all, stderr) = rows(at, &[]);
    let expected = [
        json!(["sum", 1.0, "jobs/sum__a/result.json"]),
        json!(["sum", 0.0, "jobs/sum__b/result.json"]),
        json!(["d-1", 1.0, "open/eval_outputs/d-1/report.json"]),
        json!(["d-2", 0.0, "open/report.json"]),
        json!(["d-1", 1.0, "swe/m.first.json"]),
        json!(["d-2", 0.0, "swe/m.first.json"]),
        json!(["d-3", null, null]),
    ];
    assert_eq!(all, expected);
    assert!(stderr.contains("1 file without runs") && stderr.contains("config.json"), "files with rewards: {stderr}");
    let count = |filter: &str| rows(at, &["--where", filter]).0.len();
    assert_eq!((count("reward>0"), count("reward<1"), count("task=d-1"), count("task=sum reward>0")), (3, 3, 2, 1));
    assert_eq!((count("format:atif"), count("file:swe"), count("!format:atif reward>0")), (2, 3, 2));
    assert_eq!(rows(at, &["--limit", "2"]).0, expected[..2]);
    let (_, stdout, _) = obelus_in(at, &["stats", "--tasks", "--together", "--json", "."]);
    let of: Vec<Value> = stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect();
    let of: Vec<Value> = of.iter().filter(|line| line["type"] == "task").map(|line| line["group"].clone()).collect();
    let of: Vec<Value> = of.iter().map(|of| json!([of["task"], of["attempts"], of["successes"]])).collect();
    assert_eq!(of, [json!(["sum", 2, 1]), json!(["d-1", 2, 2]), json!(["d-2", 2, 0]), json!(["d-3", 1, 0])]);
    let (_, stdout, _) = obelus_in(at, &["table", "."]);
    assert!(stdout.contains("6 rewards from files beside the logs: 2 of m.first.json"), "{stdout}");
    // What a log says counts, and of two files that differ neither does.
    file(at, "swe/m.second.json", r#"{"resolved_ids":["d-2"],"unresolved_ids":["d-1"]}"#);
    let (swe, _) = rows(at, &["--where", "file:swe"]);
    assert_eq!(swe[0], json!(["d-1", null, "swe/m.first.json and swe/m.second.json differ"]));
    let (_, stdout, _) = obelus_in(at, &["table", "swe"]);
    assert!(stdout.contains("no reward where two files say different ones"), "{stdout}");
}

#[test]
fn runs_of_a_folder_are_asked_and_exported_by_what_they_are() {
    let folder_of_runs = tempfile::tempdir().unwrap();
    let at = folder_of_runs.path();
    folder(at);
    let export = ["export", ".", "--to", "messages", "--where", "reward>0", "--out", "good.jsonl"];
    let (code, stdout, stderr) = obelus_in(at, &export);
    assert_eq!((code, stdout.lines().next()), (0, Some("3 of 7 records written")), "{stderr}");
    assert_eq!(fs::read_to_string(at.join("good.jsonl")).unwrap().lines().count(), 3);
    let (code, stdout, stderr) = obelus_in(at, &["query", "--where", "reward>0", "--count", "swe"]);
    assert_eq!((code, stdout.lines().map(|line| &line[line.len() - 1..]).collect::<String>().as_str()), (0, "100"));
    assert_eq!(stderr, "");
    let mark = |arguments: &[&str]| {
        let marks = ["mark", "--as", "good", "--marks", "m.jsonl"];
        let (code, _, stderr) = obelus_in(at, &[&marks, arguments].concat());
        (code, stderr.contains("obelus export --to messages --where"))
    };
    assert_eq!(mark(&["swe", "--where", "reward>0"]), (2, true));
    assert_eq!(mark(&["swe/d-1/d-1.traj.json", "--where", "reward>0"]), (2, true));
    let (code, _, stderr) = obelus_in(at, &["export", "swe", "--to", "adp", "--per-task", "1", "--out", "x.jsonl"]);
    assert!(code == 2 && stderr.contains("--where, --only-clean and --sample choose among runs"), "{stderr}");
}

#[test]
fn what_of_a_folder_cannot_be_read_is_said_once() {
    let folder_of_runs = tempfile::tempdir().unwrap();
    let at = folder_of_runs.path();
    for number in 0..8 {
        fs::write(at.join(format!("{number}.jsonl")), [0, 159, 146, 150, 255]).unwrap();
    }
    for (name, text) in [("b.eval", "PK\u{3}\u{4}x"), ("e.traj", ""), ("f.jsonl", ""), ("n.md", "# n"), ("p.db", "x")] {
        file(at, name, text);
    }
    let path = file(at, "run.json", r#"[{"role":"user","content":"go"},{"role":"assistant","content":"ok"}]"#);
    for command in [&["table"][..], &["stats", "--by", "finish"], &["stats"]] {
        let (code, _, stderr) = obelus(&[command, &[at.to_str().unwrap()]].concat());
        assert_eq!((code, stderr.matches("binary data").count()), (2, 5), "{command:?}: {stderr}");
        let has = |text: &str| stderr.contains(text);
        assert!(has("4 more files that cannot be read, such as ") && has("p.db") && !has("n.md"), "{stderr}");
        assert!(has("e.traj") || has("f.jsonl"), "{stderr}");
    }
    let (code, _, stderr) = obelus(&["table", &path]);
    assert_eq!((code, stderr.as_str()), (0, ""));
}
