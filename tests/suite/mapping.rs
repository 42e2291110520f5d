//! Rows of trainers and mappings of one's own: everything reads them as conversations.

use super::command::{file, obelus, obelus_in};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

fn lines(stdout: &str) -> Vec<Value> {
    stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Four attempts at two questions, under names that no format knows.
fn talks(folder: &Path) -> String {
    let row = |key: usize, question: &str, said: &str, grade: f64| {
        let dialog = json!([{"speaker": "human", "utterance": question}, {"speaker": "bot", "utterance": said}]);
        json!({"key": key, "q": {"id": question}, "dialog": dialog, "grade": grade, "model": "m1"}).to_string()
    };
    let rows =
        [row(1, "2+2?", "4", 1.0), row(2, "2+2?", "5", 0.0), row(3, "2+3?", "5", 1.0), row(4, "2+3?", "Five.", 1.0)];
    file(folder, "talks.jsonl", &(rows.join("\n") + "\n"))
}

const MESSAGES: &str =
    r#"messages=[.dialog[] | {role: (if .speaker == "human" then "user" else "assistant" end), content: .utterance}]"#;
const MAPS: [&str; 8] =
    ["--map", MESSAGES, "--map", "id=.key", "--map", "task=.q.id", "--map", "reward=.grade # of the judge"];

/// Runs a command with the mapping.
fn mapped(words: &[&str]) -> (i32, String, String) {
    obelus(&[words, &MAPS].concat())
}

#[test]
#[cfg(feature = "query")]
fn a_mapping_reaches_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let talks = talks(folder.path());
    let (code, plain, _) = obelus(&["table", &talks, "--json"]);
    assert!(code == 0 && lines(&plain)[0]["task"].is_null(), "{plain}");

    let (code, table, stderr) = mapped(&["table", &talks, "--json", "--groups"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let rows = lines(&table);
    assert_eq!(rows.len(), 4);
    assert_eq!(
        (&rows[1]["format"], &rows[1]["id"], &rows[1]["task"]),
        (&json!("messages"), &json!("2"), &json!("2+2?"))
    );
    assert_eq!((&rows[1]["steps"], &rows[1]["reward"]), (&json!(2), &json!(0.0)));
    assert_eq!(
        (&rows[1]["group_n"], &rows[1]["group_pass"], &rows[1]["group_signal"]),
        (&json!(2), &json!(0.5), &json!(1))
    );
    assert_eq!((&rows[3]["group_mean"], &rows[3]["group_advantage"]), (&json!(1.0), &json!(0.0)));

    let (_, tasks, _) = mapped(&["stats", "--tasks", "--json", &talks]);
    assert_eq!(lines(&tasks)[2]["without_signal"], 1, "{tasks}");
    let (_, by, _) = mapped(&["stats", "--by", "model", "--json", &talks]);
    assert_eq!(lines(&by)[0]["group"]["records"], 4, "other members stay: {by}");
    let (_, stdout, _) = mapped(&["query", &talks, ".messages[1].content", "--where", "group.signal=1 reward<1"]);
    assert_eq!(stdout, "\"5\"\n");
    let (_, loss, _) = mapped(&["loss", "--template", "chatml", &talks, "--record", "0"]);
    assert!(loss.contains("2+2?"), "{loss}");
    let (_, found, _) = mapped(&["check", "--json", &talks]);
    assert_eq!(found, "", "no findings: {found}");
    let (_, steps, _) = mapped(&["steps", "--json", &talks, "--record", "1"]);
    assert_eq!(lines(&steps)[1]["role"], "agent");
    let out = folder.path().join("out.jsonl");
    let (code, _, stderr) =
        mapped(&["export", &talks, "--per-task", "1", "--signal", "--to", "messages", "--out", out.to_str().unwrap()]);
    assert_eq!(code, 0, "{stderr}");
    let written = fs::read_to_string(&out).unwrap();
    assert_eq!(lines(&written).len(), 1);
    assert_eq!(lines(&written)[0]["messages"][1]["content"], "4");
}

#[test]
#[cfg(feature = "query")]
fn decisions_trees_and_contamination_are_those_of_mapped_records() {
    let folder = tempfile::tempdir().unwrap();
    let talks = talks(folder.path());
    let marks = folder.path().join("marks.jsonl");
    let marks = marks.to_str().unwrap();
    let (code, stdout, _) = mapped(&["mark", &talks, "--marks", marks, "--where", "reward<1", "--as", "bad"]);
    assert_eq!((code, stdout.as_str()), (0, "1 decision on 2 written\n"));
    let (_, stdout, _) = mapped(&["marks", &talks, "--marks", marks]);
    assert!(stdout.contains("1/4 decided, 1 dropped"), "{stdout}");
    let (_, stdout, _) = obelus(&["marks", &talks, "--marks", marks, "--map", MESSAGES]);
    assert!(stdout.contains("0/4 decided"), "marks are of records of one mapping: {stdout}");
    let out = folder.path().join("out.jsonl");
    let out = out.to_str().unwrap();
    let (code, _, stderr) = mapped(&["export", &talks, "--marks", marks, "--not-mark", "bad", "--out", out]);
    assert_eq!(code, 0, "{stderr}");
    let written = lines(&fs::read_to_string(out).unwrap());
    assert_eq!((written.len(), &written[0]["task_id"], &written[0]["grade"]), (3, &json!("2+2?"), &json!(1.0)));

    let (_, stdout, _) = mapped(&["tree", &talks]);
    assert!(stdout.contains("2+2?  2 attempts") && stdout.contains("record 1  2  reward 0.0"), "{stdout}");
    let (_, stdout, _) = mapped(&["tree", &talks, "--by-action", "--json"]);
    let tree = lines(&stdout);
    assert_eq!((&tree[0]["stretches"][0]["successes"], tree[0]["parting"].is_null()), (&json!(1), true), "{stdout}");

    let first = fs::read_to_string(&talks).unwrap().lines().next().unwrap().to_owned() + "\n";
    let test = file(folder.path(), "test.jsonl", &first);
    let (code, stdout, _) = mapped(&["check", "--against", &test, "--json", &talks]);
    let found = lines(&stdout);
    assert_eq!((code, found.len(), &found[0]["rule"]), (1, 1, &json!("data.contaminated")), "{stdout}");
    assert_eq!(found[0]["record"], 0);
}

#[test]
#[cfg(feature = "query")]
fn tail_prints_records_as_they_are_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    talks(folder.path());
    fs::write(folder.path().join("obelus.toml"), "[map]\nreward = \".grade\"\n").unwrap();
    let (code, stdout, stderr) = obelus_in(folder.path(), &["tail", "--once", "--json", "talks.jsonl"]);
    assert!(code == 0 && stdout.lines().count() >= 4, "{stdout}");
    assert!(stderr.contains("[map] of obelus.toml does not change what tail prints"), "{stderr}");
    let (_, _, stderr) = obelus_in(folder.path(), &["table", "talks.jsonl"]);
    assert_eq!(stderr, "");
}

#[test]
#[cfg(feature = "query")]
fn the_configuration_maps_and_an_option_wins() {
    let folder = tempfile::tempdir().unwrap();
    talks(folder.path());
    let messages = MESSAGES.split_once('=').unwrap().1;
    let toml = format!("[map]\nmessages = '{messages}'\nreward = \".grade\"\n");
    fs::write(folder.path().join("obelus.toml"), toml).unwrap();
    let (_, table, _) = obelus_in(folder.path(), &["table", "talks.jsonl", "--json"]);
    assert_eq!(lines(&table)[1]["reward"], 0.0, "{table}");
    let (_, table, _) = obelus_in(folder.path(), &["table", "talks.jsonl", "--json", "--map", "reward=1 - .grade"]);
    assert_eq!(lines(&table)[1]["reward"], 1.0, "{table}");
    fs::write(folder.path().join("obelus.toml"), "[map]\nmessages = \".a[\"\n").unwrap();
    let (code, _, stderr) = obelus_in(folder.path(), &["table", "talks.jsonl"]);
    assert!(code == 2 && stderr.contains("obelus.toml: the expression of messages"), "{stderr}");
}

#[test]
#[cfg(feature = "query")]
fn a_record_that_cannot_be_mapped_is_reported_and_the_others_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let rows = "{\"t\":[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\",\"content\":\"b\"}]}\n{\"t\":7}\n{\"t\":\n";
    let path = file(folder.path(), "rows.jsonl", rows);
    let (code, table, stderr) = obelus(&["table", &path, "--json", "--map", "messages=.t[] | [.]"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("record 1: --map failed, and for 1 more"), "{stderr}");
    assert_eq!(lines(&table).len(), 3, "{table}");
    assert_eq!(lines(&table)[0]["steps"], 1, "the first result counts");
    for (map, expected) in [
        ("messages", "NAME=JQ"),
        ("a b=.x", "not a name of a member"),
        ("reward=.a | nonsense", "expression of reward"),
    ] {
        let (code, _, stderr) = obelus(&["table", &path, "--map", map]);
        assert!(code == 2 && stderr.contains(expected), "{map}: {stderr}");
    }
}

#[test]
fn messages_in_a_string_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let row = |n: usize| {
        let messages = json!([{"role": "user", "content": format!("q{n}")}, {"role": "assistant", "content": "a\nb"}]);
        json!({"id": n, "reward": 0.5, "messages": messages.to_string()}).to_string()
    };
    let path = file(folder.path(), "rows.jsonl", &format!("{}\n{}\n", row(1), row(2)));
    let (code, table, stderr) = obelus(&["table", &path, "--json"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let rows = lines(&table);
    assert_eq!((rows.len(), &rows[1]["format"], &rows[1]["steps"]), (2, &json!("messages"), &json!(2)));
    assert_eq!((&rows[1]["words"], &rows[1]["reward"]), (&json!("q2"), &json!(0.5)));
}

/// Rollouts keep what a chat template wrote; what a row without a score says is learned as it is.
#[test]
fn special_tokens_are_found_in_rows_and_not_in_rollouts() {
    let folder = tempfile::tempdir().unwrap();
    let row = r#"{"instruction":"Add.","input":"2+2","output":"4<|im_end|>"}"#;
    let rollout = r#"{"input":"<|im_start|>user\n2+2<|im_end|>","output":"4<|im_end|>","score":1.0}"#;
    for (name, text, count) in [("alpaca.jsonl", row, 1), ("rollouts.jsonl", rollout, 0)] {
        let path = file(folder.path(), name, &format!("{text}\n"));
        let (_, stdout, _) = obelus(&["check", "--data", "--json", &path]);
        assert_eq!(stdout.matches("data.special-token").count(), count, "{name}: {stdout}");
    }
}

#[test]
fn alpaca_rows_are_conversations_with_one_question() {
    let folder = tempfile::tempdir().unwrap();
    let rows = concat!(
        r#"{"instruction":"Translate to French.","input":"the harbour","output":"le port"}"#,
        "\n",
        r#"{"instruction":"And in summer?","input":"","output":"Warm.","system":"You help.","history":[["Is it cold?","Yes."]]}"#,
        "\n"
    );
    let path = file(folder.path(), "alpaca.jsonl", rows);
    let out = folder.path().join("out.jsonl");
    let (code, _, stderr) = obelus(&["export", &path, "--to", "messages", "--out", out.to_str().unwrap()]);
    assert_eq!(code, 0, "{stderr}");
    let written = lines(&fs::read_to_string(&out).unwrap());
    let said = |n: usize| -> Vec<String> {
        let messages = written[n]["messages"].as_array().unwrap().iter();
        messages.map(|m| format!("{}: {}", m["role"].as_str().unwrap(), m["content"].as_str().unwrap())).collect()
    };
    assert_eq!(said(0), ["user: Translate to French.\nthe harbour", "assistant: le port"]);
    assert_eq!(
        said(1),
        ["system: You help.", "user: Is it cold?", "assistant: Yes.", "user: And in summer?", "assistant: Warm."]
    );
    let (_, found, _) = obelus(&["check", &path]);
    assert!(found.starts_with("no findings"), "{found}");
}

#[test]
fn rollouts_of_trainers_are_groups_and_conversations() {
    let folder = tempfile::tempdir().unwrap();
    let verl =
        |output: &str, score: f64| json!({"input": "2+2?", "output": output, "score": score, "step": 3}).to_string();
    let path = file(folder.path(), "verl.jsonl", &format!("{}\n{}\n", verl("4", 1.0), verl("5", 0.0)));
    let (_, tasks, _) = obelus(&["stats", "--tasks", "--json", &path]);
    assert_eq!(
        (&lines(&tasks)[0]["group"]["attempts"], &lines(&tasks)[0]["group"]["signal"]),
        (&json!(2), &json!(true))
    );
    let (code, loss, stderr) = obelus(&["loss", "--template", "chatml", &path, "--record", "1"]);
    assert!(code == 0 && loss.contains('5'), "{loss}{stderr}");

    let message = |role: &str, said: &str| json!({"role": role, "content": said});
    let node = |parent: Value, role: &str, said: &str| json!({"parent": parent, "message": message(role, said), "sampled": role == "assistant"});
    let nodes = [node(Value::Null, "user", "2+2?"), node(json!(0), "assistant", "4")];
    let trace =
        json!({"agent": {"name": "solver"}, "nodes": nodes, "rewards": {"right": {"score": 0.5, "weight": 2.0}}});
    let episode = json!({"id": "e", "task": {"key": "7"}, "traces": [trace]}).to_string();
    let path = file(folder.path(), "episodes.jsonl", &format!("{episode}\n"));
    let (_, tasks, _) = obelus(&["stats", "--tasks", "--json", &path]);
    assert_eq!(lines(&tasks)[0]["group"]["mean"], 1.0, "{tasks}");
    let (code, loss, stderr) = obelus(&["loss", "--template", "chatml", &path]);
    assert!(code == 0 && loss.contains("2+2?"), "{loss}{stderr}");
}
