//! The Agent Data Protocol as commands answer for it.

use super::command::{file, json_lines, obelus, obelus_at_home};
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
            let values = lines(&stdout);
            assert_eq!(values.len(), 3, "{name} {format}: {stdout}");
            let steps: Vec<&Value> = values[..2].iter().map(|line| &line["steps"]).collect();
            assert_eq!(steps, [2, 1], "{name} {format}");
            assert_eq!(values[0]["shape"], "chat", "{name} {format}");
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
fn a_turn_has_the_tokens_that_its_metrics_record() {
    let folder = tempfile::tempdir().unwrap();
    let atif = r#"{"schema_version":"ATIF-v1.7","steps":[{"step_id":1,"source":"user","message":"q"},
        {"step_id":2,"source":"agent","message":"so","metrics":{"prompt_tokens":90,"completion_tokens":12}}]}"#;
    let path = file(folder.path(), "t.json", atif);
    let steps = json_lines(&["steps", &path, "--json"]);
    assert_eq!((steps[0].get("tokens"), steps[1]["tokens"].as_u64()), (None, Some(12)));
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

const STD: &str = r#"{"id":"a","content":[
    {"class_":"text_observation","content":"List the files of the folder","source":"user"},
    {"class_":"code_action","language":"bash","content":"ls -la /tmp/work","description":"I look at all of them"},
    {"class_":"text_observation","content":"a.txt b.txt and nothing else","source":"environment"},
    {"class_":"message_action","content":"There are two files","description":null}]}
{"id":"b","content":[{"class_":"text_observation","content":"Say hello to me","source":"user"},
    {"class_":"message_action","content":"hello to you","description":null}]}
"#;
const SFT: &str = r#"{"id":"b","conversations":[{"from":"human","value":"Say hello to me"},
    {"from":"gpt","value":"hello to you"}]}
{"id":"a","conversations":[{"from":"human","value":"Go"},{"from":"gpt","value":"There are two files"}]}
"#;

#[test]
fn d2_the_stage_is_in_the_statistics() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "sample_std.jsonl", STD);
    let (_, stdout, _) = obelus(&["stats", "--json", &path]);
    assert!(lines(&stdout).iter().all(|line| line["stage"] == "std"), "{stdout}");
    let (_, stdout, _) = obelus(&["stats", &path]);
    assert!(stdout.lines().next().unwrap().ends_with("Agent Data Protocol · std"), "{stdout}");
    let other = file(folder.path(), "sample.jsonl", STD);
    let (_, stdout, _) = obelus(&["stats", "--json", &other]);
    assert!(lines(&stdout).iter().all(|line| line.get("stage").is_none()), "{stdout}");
}

#[test]
fn statistics_of_one_sort_have_one_type_for_each_member() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "a.jsonl", STD);
    let types = |only: &str| {
        let (status, stdout, stderr) = obelus(&["stats", "--json", "--only", only, &path]);
        assert_eq!(status, 0, "{stderr}");
        lines(&stdout).iter().map(|line| (line["type"].clone(), line["steps"].is_number())).collect::<Vec<_>>()
    };
    assert_eq!(types("trajectories"), [("trajectory".into(), true), ("trajectory".into(), true)]);
    assert_eq!(types("dataset"), [("dataset".into(), false)]);
    let (status, _, _) = obelus(&["stats", "--only", "dataset", &path]);
    assert_eq!(status, 2, "it is about --json");
}

#[test]
fn two_stages_say_what_the_conversion_lost() {
    let folder = tempfile::tempdir().unwrap();
    let (std, sft) = (file(folder.path(), "a_std.jsonl", STD), file(folder.path(), "a_sft.jsonl", SFT));
    let (status, stdout, stderr) = obelus(&["diff", "--json", &std, &sft]);
    assert_eq!(status, 1, "{stderr}");
    let conversion = &lines(&stdout)[0]["conversion"];
    let expected: Value = serde_json::from_str(
        r#"[{"id":"a","a":0,"b":1,"task":0,"calls":{"a":1,"b":0,"lost":[{"step":1,"tool":"code:bash"}]},
            "thoughts":[1],"texts":[2]},
            {"id":"b","a":1,"b":0,"task":null,"calls":{"a":0,"b":0,"lost":[]},"thoughts":[],"texts":[]}]"#,
    )
    .unwrap();
    assert_eq!(conversion, &expected, "{stdout}");
    let (_, stdout, _) = obelus(&["diff", &std, &sft]);
    assert!(stdout.contains("Conversion: 2 records in both, 1 lost something"), "{stdout}");
    let expected_line =
        "0 → 1  a  task (step 0) · calls 1 → 0 · 1 call lost: 1 code:bash · 1 thought lost: 1 · 1 text lost: 2";
    assert!(stdout.contains(expected_line), "{stdout}");
    let other = file(folder.path(), "b_std.jsonl", &STD.replace("hello to you", "hello"));
    let (_, stdout, _) = obelus(&["diff", "--json", &std, &other]);
    assert!(lines(&stdout)[0].get("conversion").is_none(), "one stage");
}

#[test]
fn state_and_blame_print_texts_and_not_their_digests() {
    let folder = tempfile::tempdir().unwrap();
    let long = format!("{}\n{}", "look here", "x".repeat(300));
    let text = STD.replace("a.txt b.txt and nothing else", &long.replace('\n', "\\n"));
    let path = file(folder.path(), "a.jsonl", &text);
    let (_, state, _) = obelus(&["state", &path]);
    let (_, blame, _) = obelus(&["blame", &path]);
    for (command, stdout) in [("state", &state), ("blame", &blame)] {
        assert!(stdout.contains("\"I look at all of them\" (21 characters)"), "{command}: {stdout}");
        assert!(stdout.contains("\"look here xxx") && stdout.contains("(310 characters)"), "{command}: {stdout}");
        assert!(!stdout.contains("sha256"), "{command}: {stdout}");
        assert!(stdout.lines().all(|line| line.chars().count() < 200), "{command}: {stdout}");
    }
    let (_, json, _) = obelus(&["state", "--json", &path]);
    assert!(json.contains("sha256"), "{json}");
    let chat =
        r#"{"system":"You help","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"y"}]}"#;
    let path = file(folder.path(), "b.jsonl", chat);
    let (_, stdout, _) = obelus(&["state", "--format", "adp", "--step", "-1", &path]);
    assert!(stdout.contains("\"system_prompt\": \"You help\" (8 characters)"), "{stdout}");
}

/// Two records; the second holds an address.
const PERSONAL: &str = r#"{"id":"a","messages":[{"role":"user","content":"hi there you"},{"role":"assistant","content":"y"}]}
{"id":"b","messages":[{"role":"user","content":"write to ann.smith@corp-mail.com"},{"role":"assistant","content":"done"}]}
"#;

#[test]
fn a_filter_for_findings_of_datasets_makes_their_pass() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "a.jsonl", PERSONAL);
    let count = |filter: &str| {
        let (status, stdout, stderr) = obelus_at_home(folder.path(), &["query", "--where", filter, "--count", &path]);
        assert_eq!(status, 0, "{filter}: {stderr}");
        stdout.trim().to_owned()
    };
    assert_eq!(count("finding:data.personal"), "1");
    assert_eq!(count("finding:data.*"), "1");
    assert_eq!(count("!finding:data.personal"), "1");
    assert_eq!(count("finding:data.personal steps>1"), "1");
    assert_eq!(count("finding:*"), "0", "all that `check` finds unasked");
    let (status, _, stderr) =
        obelus_at_home(folder.path(), &["export", &path, "--where", "!finding:data.personal", "--out", "o.jsonl"]);
    assert_eq!(status, 0, "{stderr}");
    let written = fs::read_to_string(folder.path().join("o.jsonl")).unwrap();
    assert!(!written.contains("ann.smith") && written.lines().count() == 1, "{written}");
    let (_, stdout, stderr) =
        obelus_at_home(folder.path(), &["mark", &path, "--where", "finding:data.personal", "--as", "bad"]);
    assert!(stdout.starts_with("1 decision"), "{stdout}{stderr}");
    let (_, stdout, _) = obelus_at_home(folder.path(), &["steps", &path, "--where", "finding:data.personal"]);
    assert_eq!(stdout.lines().count(), 1, "{stdout}");
}

#[test]
fn a_filter_for_findings_of_two_files_sees_what_they_share() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (file(folder.path(), "a.jsonl", PERSONAL), file(folder.path(), "b.jsonl", PERSONAL));
    let filter = "finding:data.duplicate*";
    let (_, stdout, _) = obelus_at_home(folder.path(), &["query", "--where", filter, "--count", &a, &b]);
    let counts: Vec<&str> = stdout.lines().map(|line| line.rsplit(':').next().unwrap()).collect();
    assert_eq!(counts, ["0", "2"], "as `check --data` has it: {stdout}");
}

#[test]
fn a_filter_for_findings_of_training_needs_a_template() {
    let folder = tempfile::tempdir().unwrap();
    let silent =
        r#"{"id":"c","messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a","train":false}]}"#;
    let path = file(folder.path(), "a.jsonl", &format!("{PERSONAL}{silent}\n"));
    let asked = |options: &[&str]| {
        let arguments = ["query", "--where", "finding:loss.*", "--count", &path];
        obelus_at_home(folder.path(), &[&arguments, options].concat())
    };
    let (status, _, stderr) = asked(&[]);
    assert!(status == 2 && stderr.contains("--loss NAME"), "{stderr}");
    let (status, stdout, stderr) = asked(&["--loss", "chatml"]);
    let (_, checked, _) = obelus(&["check", "--json", "--loss", "chatml", &path]);
    let found: BTreeSet<u64> = lines(&checked)
        .iter()
        .filter(|line| line["rule"].as_str().unwrap().starts_with("loss."))
        .map(|line| line["record"].as_u64().unwrap())
        .collect();
    assert_eq!((status, stdout.trim()), (0, found.len().to_string().as_str()), "{stderr}");
    assert!(!found.is_empty());
    let (status, _, stderr) = obelus(&["query", "--where", "finding:data.contaminated", "--count", &path]);
    assert!(status == 2 && stderr.contains("--against"), "{stderr}");
}
