//! What logs of agents report beyond their calls: agents in the background, changes without their text, failed runs.

use super::command::{file, obelus};
use serde_json::Value;

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
