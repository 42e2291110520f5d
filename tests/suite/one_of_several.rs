//! `--record` chooses a trajectory also where a file is one list of steps, and folders that hold one run.

use super::command::{file, obelus};
use serde_json::Value;

fn steps_of(path: &str, record: &str) -> Vec<i64> {
    let (status, out, problem) = obelus(&["steps", path, "--record", record, "--json"]);
    assert_eq!(status, 0, "{problem}");
    out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["step"].as_i64().unwrap()).collect()
}

fn state_of(path: &str, record: &str) -> Value {
    let (status, out, problem) = obelus(&["state", path, "--record", record, "--json"]);
    assert_eq!(status, 0, "{problem}");
    serde_json::from_str(&out).unwrap()
}

#[test]
fn threads_and_traces_are_chosen_by_their_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let event = |kind: &str, rest: &str| format!("{{\"type\":\"{kind}\"{rest}}}");
    let run = |thread: &str, count: u32| {
        let begin = event("RUN_STARTED", &format!(",\"threadId\":\"{thread}\",\"runId\":\"r\""));
        let state = event("STATE_SNAPSHOT", &format!(",\"snapshot\":{{\"count\":{count}}}"));
        let call = event("TOOL_CALL_START", &format!(",\"toolCallId\":\"{thread}\",\"toolCallName\":\"ls\""));
        [begin, state, call, event("TOOL_CALL_END", &format!(",\"toolCallId\":\"{thread}\""))].join("\n")
    };
    let threads = file(folder.path(), "a.jsonl", &[run("t1", 1), run("t2", 2)].join("\n"));
    assert_eq!((steps_of(&threads, "0"), steps_of(&threads, "1")), (vec![0, 1, 2], vec![3, 4, 5]));
    let state = state_of(&threads, "1");
    assert_eq!((&state["record"], &state["step"]), (&1.into(), &5.into()));
    assert_eq!(state["state"]["state"]["t2"]["count"], 2);
    assert_eq!(
        state["state"]["call"]["main"]["open"],
        serde_json::json!([5]),
        "calls of another thread are not its own"
    );
    assert_eq!(state_of(&threads, "0")["step"], 2, "the first is the default");
    let (status, _, problem) = obelus(&["state", &threads, "--record", "2"]);
    assert!(status == 2 && problem.contains("it has 2, counted from 0"), "{status} {problem}");

    let span = |trace: &str, id: &str, tokens: u32| {
        format!(
            r#"{{"traceId":"{trace}","spanId":"{id}","name":"chat","startTimeUnixNano":"1","attributes":[{{"key":"gen_ai.operation.name","value":{{"stringValue":"chat"}}}},{{"key":"gen_ai.usage.input_tokens","value":{{"intValue":"{tokens}"}}}}]}}"#
        )
    };
    let spans = [span("a", "1", 5), span("b", "2", 7), span("a", "3", 6)].join(",");
    let traces =
        file(folder.path(), "o.json", &format!("{{\"resourceSpans\":[{{\"scopeSpans\":[{{\"spans\":[{spans}]}}]}}]}}"));
    assert_eq!((steps_of(&traces, "0").len(), steps_of(&traces, "1").len()), (2, 1));
    let tokens = |record: &str| state_of(&traces, record)["state"]["usage"]["main"]["input"].clone();
    assert_eq!((tokens("0"), tokens("1")), (11.into(), 7.into()));
    let (_, stats, _) = obelus(&["stats", &traces, "--json"]);
    let first: Value = serde_json::from_str(stats.lines().next().unwrap()).unwrap();
    assert_eq!(first["spent"]["input"], 18, "the file as a whole spent both");
}

#[test]
fn a_sub_agent_in_an_atif_file_is_a_trajectory_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let step = |id: u32, source: &str, tokens: u32| {
        format!(
            r#"{{"step_id":{id},"source":"{source}","message":"m","metrics":{{"prompt_tokens":{tokens},"completion_tokens":1}}}}"#
        )
    };
    let inner = format!(
        r#"{{"schema_version":"ATIF-v1.8","trajectory_id":"child","agent":{{"name":"b","version":"1"}},"steps":[{}]}}"#,
        step(1, "agent", 7)
    );
    let text = format!(
        r#"{{"schema_version":"ATIF-v1.8","trajectory_id":"root","agent":{{"name":"a","version":"1"}},"steps":[{},{}],"subagent_trajectories":[{inner}]}}"#,
        step(1, "user", 0),
        step(2, "agent", 5)
    );
    let path = file(folder.path(), "t.json", &text);
    assert_eq!((steps_of(&path, "0"), steps_of(&path, "1")), (vec![0, 1], vec![2]));
    let facts = |record: &str| {
        let state = state_of(&path, record)["state"].clone();
        let main = |kind: &str, slot: &str| state[kind]["main"][slot].clone();
        (main("trajectory", "id"), main("conversation", "steps"), main("usage", "input"))
    };
    assert_eq!(facts("0"), ("root".into(), 2.into(), 5.into()));
    assert_eq!(facts("1"), ("child".into(), 1.into(), 7.into()));
    let (_, stats, _) = obelus(&["stats", &path, "--json"]);
    let first: Value = serde_json::from_str(stats.lines().next().unwrap()).unwrap();
    assert_eq!((&first["spent"]["input"], &first["spent"]["output"]), (&12.into(), &3.into()));
}

#[test]
fn the_folder_of_a_run_is_opened_by_the_one_above_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    std::fs::create_dir_all(run.join("events")).unwrap();
    let event = |id: u32, source: &str| {
        format!(
            r#"{{"id":{id},"timestamp":"2026-01-01T00:00:0{id}","source":"{source}","message":"hi","action":"message","args":{{"content":"hi"}}}}"#
        )
    };
    file(&run.join("events"), "0.json", &event(0, "user"));
    file(&run.join("events"), "1.json", &event(1, "agent"));
    let (status, out, problem) = obelus(&["steps", run.to_str().unwrap()]);
    assert_eq!((status, out.lines().count()), (0, 2), "{problem}");
    let (status, _, problem) = obelus(&["steps", folder.path().to_str().unwrap()]);
    assert!(status == 2 && problem.contains("is a folder"), "{problem}");
}

#[test]
fn the_result_of_one_of_several_calls_has_the_tool_of_its_call() {
    let folder = tempfile::tempdir().unwrap();
    let call = |id: &str, name: &str| {
        format!(r#"{{"id":"{id}","type":"function","function":{{"name":"{name}","arguments":"{{}}"}}}}"#)
    };
    let result = |id: &str| format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"x"}}"#);
    let calls =
        format!(r#"{{"role":"assistant","content":null,"tool_calls":[{},{}]}}"#, call("c1", "ls"), call("c2", "cat"));
    let text = [r#"{"role":"user","content":"go"}"#.to_owned(), calls, result("c2"), result("c1")].join("\n");
    let path = file(folder.path(), "m.jsonl", &text);
    let (_, out, _) = obelus(&["steps", &path, "--json"]);
    let tools: Vec<Value> =
        out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["tool"].clone()).collect();
    assert_eq!(tools[2..], ["cat", "ls"]);
}
