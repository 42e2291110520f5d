//! Rows of datasets as trajectories: pairs, prompts with completions, simulations, ATIF with its sub-agents; calls that
//! count and calls that are only written.

use super::command::{file, json_lines, obelus};
use serde_json::Value;

/// What a file of this text is: its format and its trajectories.
fn judged(path: &str) -> (String, u64) {
    let report = json_lines(&["formats", "--json", path]).remove(0);
    (report["format"].as_str().unwrap().to_owned(), report["trajectories"].as_u64().unwrap())
}

/// Each step as its role, its trajectory, what it answers, and its text in short.
fn steps(path: &str) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let describe = |step: Value| format!("{} {} {}", text(&step["role"]), text(&step["trajectory"]), step["answers"]);
    json_lines(&["steps", "--json", path]).into_iter().map(describe).collect()
}

fn counted(path: &str, format: &str) -> (u64, u64) {
    let report = json_lines(&["stats", "--json", "--format", format, path]).remove(0);
    (report["calls"].as_u64().unwrap(), report["results"].as_u64().unwrap())
}

#[test]
fn a_pair_is_two_trajectories_of_one_row() {
    let folder = tempfile::tempdir().unwrap();
    let rows = "{\"prompt\":\"2+2?\",\"chosen\":\"4\",\"rejected\":\"5\"}\n{\"prompt\":\"q\",\"completion\":\"a\"}\n";
    let path = file(folder.path(), "pairs.jsonl", rows);
    assert_eq!(judged(&path), ("messages".to_owned(), 3));
    let expected = ["user chosen null", "agent chosen null", "user rejected null", "agent rejected null"];
    assert_eq!(steps(&path)[..4], expected);
    assert_eq!(steps(&path)[4..], ["user - null", "agent - null"]);
    let (_, stdout, _) = obelus(&["steps", &path]);
    assert!(stdout.contains("chosen: 2+2?") && stdout.contains("rejected: 2+2?"), "{stdout}");
    assert_eq!(obelus(&["check", &path]).1, "no findings in 1 file\n", "each is looked at by itself");
    let several = "{\"prompt\":\"q\",\"completions\":[[{\"role\":\"assistant\",\"content\":\"a\"}],\
                   [{\"role\":\"assistant\",\"content\":\"b\"}]]}\n";
    let path = file(folder.path(), "several.jsonl", several);
    assert_eq!(judged(&path), ("messages".to_owned(), 2));
    let expected = ["user completion 0 null", "agent completion 0 null", "user completion 1 null"];
    assert_eq!(steps(&path)[..3], expected, "each answer is an attempt");
    let answered = "{\"prompt\":[{\"role\":\"user\",\"content\":\"q\"}],\"chosen\":[{\"role\":\"assistant\",\
                    \"content\":\"a\"}],\"rejected\":[{\"role\":\"user\",\"content\":\"b\"}]}";
    let path = file(folder.path(), "odd.json", answered);
    let found = json_lines(&["check", "--json", &path]);
    let found: Vec<_> = found.iter().map(|f| (&f["rule"], &f["step"], &f["path"])).collect();
    assert_eq!(found, [(&"sft.last-not-agent".into(), &2.into(), &"/rejected/0".into())]);
}

/// What a step's state holds of a kind, by instance.
fn state_of(path: &str, step: usize, kind: &str) -> Value {
    json_lines(&["state", "--json", "--step", &step.to_string(), path]).remove(0)["state"][kind].clone()
}

#[test]
fn the_second_of_a_pair_knows_nothing_of_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let called = |name: &str, arguments: &str| {
        let function = serde_json::json!({"name": name, "arguments": arguments});
        let calls = serde_json::json!([{"id": "c", "type": "function", "function": function}]);
        serde_json::json!({"role": "assistant", "content": "", "tool_calls": calls})
    };
    let wrote = called("write_file", r#"{"path":"/r/a.txt","content":"one"}"#);
    let result = serde_json::json!({"role": "tool", "tool_call_id": "c", "content": "ok"});
    let said = |text: &str| serde_json::json!({"role": "assistant", "content": text});
    let row = serde_json::json!({
        "messages": [{"role": "user", "content": "write"}],
        "chosen": [wrote, result, said("all tests pass")],
        "rejected": [called("write_file", r#"{"path":"/r/a.txt","content":"two"}"#), result, said("no"), said("so")],
    });
    let path = file(folder.path(), "pair.jsonl", &format!("{row}\n"));
    let counts = |steps, agent| {
        serde_json::json!({"main": {"steps": steps, "user": 1, "agent": agent, "turns": 2, "open_calls": 0,
            "environment": 1}})
    };
    assert_eq!(state_of(&path, 3, "conversation"), counts(4, 2));
    assert_eq!(state_of(&path, 4, "conversation"), serde_json::json!({"main": {"steps": 1, "user": 1}}));
    for gone in ["file", "tool", "env", "call"] {
        assert_ne!(state_of(&path, 3, gone), serde_json::json!({}), "{gone}");
        assert_eq!(state_of(&path, 4, gone), serde_json::json!({}), "{gone}");
    }
    assert_eq!(state_of(&path, 8, "tool")["write_file"]["calls"], 1);
    assert_eq!(state_of(&path, 8, "file")["/r/a.txt"]["edits"], 1);
    let files = |step: &str| json_lines(&["files", "--json", "--step", step, &path]).remove(0)["files"].clone();
    assert_eq!(
        (files("4"), files("8")[0]["first"].as_u64(), files("3")[0]["first"].as_u64()),
        (serde_json::json!([]), Some(6), Some(2))
    );
    let blame = |step: &str| {
        json_lines(&["blame", "--json", "--file", "/r/a.txt", "--step", step, &path]).remove(0).to_string()
    };
    assert!(blame("3").contains("\"one\"") && blame("8").contains("\"two\""), "{}{}", blame("3"), blame("8"));
    let found = json_lines(&["check", "--json", &path]);
    assert!(found.iter().any(|f| f["rule"] == "work.claimed-tests" && f["step"] == 3), "of the first: {found:?}");
}

#[test]
fn a_written_call_does_not_count_and_still_has_its_effects() {
    let folder = tempfile::tempdir().unwrap();
    let call = "<function=bash>\\n<parameter=command>cat > /w/a.txt <<'E'\\none\\nE</parameter>\\n</function>";
    let row = format!(
        "{{\"messages\":[{{\"role\":\"user\",\"content\":\"go\"}},{{\"role\":\"assistant\",\"content\":\"{call}\"}},\
         {{\"role\":\"user\",\"content\":\"done\"}}]}}"
    );
    let path = file(folder.path(), "m.json", &row);
    assert_eq!(judged(&path), ("messages".to_owned(), 1));
    assert_eq!((counted(&path, "auto"), counted(&path, "adp")), ((0, 0), (1, 1)));
    let steps = json_lines(&["steps", "--json", &path]);
    assert!(steps[1]["tool"].is_null() && steps[2]["outcome"] == "ok", "{steps:?}");
    let (_, stdout, stderr) = obelus(&["files", &path]);
    assert!(stdout.contains("/w/a.txt"), "{stdout}{stderr}");
}

#[test]
fn calls_and_results_count_in_every_spelling() {
    let folder = tempfile::tempdir().unwrap();
    let parts = r#"{"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use",
        "id":"1","name":"a","input":{}},{"type":"tool_call","value":"{\"name\":\"b\",\"arguments\":{}}"}]},
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"x"},
        {"type":"tool_result","tool_use_id":"2","content":"y"}]}]}"#;
    let path = file(folder.path(), "parts.json", parts);
    assert_eq!((counted(&path, "auto"), steps(&path)[2].as_str()), ((2, 2), "user - 1"));
    let turns = r#"{"conversations":[{"from":"human","value":"go"},{"from":"function_call",
        "value":"[{\"name\":\"a\"},{\"name\":\"b\"}]"},{"from":"observation","value":"x"}]}"#;
    let path = file(folder.path(), "turns.json", turns);
    assert_eq!((judged(&path).0.as_str(), counted(&path, "auto")), ("sharegpt", (2, 1)));
    let several = r#"{"info":{},"simulations":[{"task_id":"1","reward_info":{"reward":0.5},"messages":[
        {"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"x","name":"a",
        "arguments":{}},{"id":"y","name":"b","arguments":{}}]},{"role":"tool","tool_messages":[
        {"role":"tool","id":"y","content":"2"},{"role":"tool","id":"x","content":"1"}]},
        {"role":"assistant","content":"ok"}]},{"task_id":"2","messages":[{"role":"user","content":"go"}]}]}"#;
    let path = file(folder.path(), "tau.json", several);
    assert_eq!((judged(&path), counted(&path, "auto")), (("messages".to_owned(), 2), (2, 2)));
    assert_eq!(steps(&path)[2..4], ["environment - 1", "environment - 1"]);
    assert_eq!(json_lines(&["stats", "--json", &path])[0]["reward"], 0.5);
    let (_, stdout, _) = obelus(&["state", "--json", &path]);
    assert!(stdout.contains("\"task_id\":\"1\",\"reward_info\":{\"reward\":0.5}"), "{stdout}");
    let log = "{\"role\":\"user\",\"content\":\"go\"}\n{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"1\",\
               \"function\":{\"name\":\"a\",\"arguments\":{}}}]}\n{\"role\":\"tool\",\"content\":\"x\"}\n";
    let path = file(folder.path(), "log.jsonl", log);
    assert_eq!((judged(&path), counted(&path, "auto")), (("messages".to_owned(), 1), (1, 1)));
}

/// An ATIF trajectory with a sub-agent in it, and references to others.
fn atif(reference: &str, continued: &str) -> String {
    let turn = |id: u32, rest: &str| format!("{{\"step_id\":{id},\"source\":\"agent\",\"message\":\"m\"{rest}}}");
    let refers = format!(
        ",\"tool_calls\":[{{\"tool_call_id\":\"c\",\"function_name\":\"ask\",\"arguments\":{{}}}}],\"observation\":\
         {{\"results\":[{{\"source_call_id\":\"c\",\"subagent_trajectory_ref\":[{reference}]}}]}}"
    );
    format!(
        "{{\"schema_version\":\"ATIF-v1.8\",\"trajectory_id\":\"p\",\"steps\":[{},{}],\"subagent_trajectories\":\
         [{{\"schema_version\":\"ATIF-v1.8\",\"trajectory_id\":\"s\",\"steps\":[{},{}]}}]{continued}}}",
        turn(1, ""),
        turn(2, &refers),
        turn(1, ""),
        turn(3, ""),
    )
}

#[test]
fn sub_agents_of_an_atif_file_come_behind_its_steps() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "t.json", &atif("{\"trajectory_id\":\"s\"}", ""));
    assert_eq!(judged(&path), ("atif".to_owned(), 2));
    let steps = json_lines(&["steps", "--json", &path]);
    let of = |name: &str| steps.iter().map(|step| step[name].clone()).collect::<Vec<_>>();
    assert_eq!(of("trajectory"), ["p", "p", "s", "s"]);
    assert_eq!((&steps[2]["standing"], &steps[2]["caller"]), (&"sub-agent".into(), &1.into()));
    let found = json_lines(&["check", "--json", &path]);
    let found: Vec<_> = found.iter().map(|f| (&f["rule"], &f["step"], &f["path"])).collect();
    let expected = (&"atif.step-id".into(), &3.into(), &"/subagent_trajectories/0/steps/1/step_id".into());
    assert_eq!(found, [expected]);
    assert_eq!(json_lines(&["steps", "--json", "--format", "adp", &path]).len(), 2, "D19: one a step of the record");
}

#[test]
fn trajectories_in_other_files_are_looked_for() {
    let folder = tempfile::tempdir().unwrap();
    let rules = |path: &str| {
        let found = json_lines(&["check", "--json", path]);
        let missing = found.iter().filter(|f| f["rule"] == "run.part-missing");
        missing.map(|f| f["message"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let continued = ",\"continued_trajectory_ref\":\"t.cont-1.json\"";
    let path = file(folder.path(), "t.json", &atif("{\"trajectory_path\":\"sub.json\"}", continued));
    let expected = [
        "the run of a sub-agent is not there: \"sub.json\", looked for in the folder of the file",
        "the continuation of the run is not there: \"t.cont-1.json\", looked for in the folder of the file",
    ];
    assert_eq!(rules(&path), expected);
    // Filters and tables know of it, as `check` does.
    let counted = || obelus(&["query", "--where", "finding:run.part-missing", "--count", &path]).1.trim().to_owned();
    let listed = || json_lines(&["table", "--json", &path])[0]["rules"].to_string().contains("run.part-missing");
    assert_eq!((counted(), listed()), ("1".to_owned(), true));
    file(folder.path(), "sub.json", "{}");
    file(folder.path(), "t.cont-1.json", "{}");
    assert_eq!(rules(&path), [""; 0]);
    assert_eq!((counted(), listed()), ("0".to_owned(), false));
    let path = file(folder.path(), "u.json", &atif("{\"session_id\":\"of another file\"}", ""));
    assert_eq!(rules(&path), [""; 0], "a session alone names no file");
    let path = file(folder.path(), "v.json", &atif("{\"trajectory_id\":\"../../etc/hosts\"}", ""));
    assert_eq!(rules(&path).len(), 1);
}
