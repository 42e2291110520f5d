//! What all commands for datasets agree on: which records are attempts, copies, trajectories, and what they say.

use super::command::{file, obelus};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// A record as a line, of a prompt and an answer.
fn row(id: &str, task: &str, reward: f64, question: &str, answer: &str) -> String {
    let messages = json!([{"role": "user", "content": question}, {"role": "assistant", "content": answer}]);
    format!("{}\n", json!({"id": id, "task_id": task, "reward": reward, "messages": messages}))
}

fn lines(arguments: &[&str]) -> Vec<Value> {
    let (_, stdout, _) = obelus(arguments);
    stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What an export says and writes.
fn exported(folder: &Path, arguments: &[&str]) -> (String, String) {
    let out = folder.join("out.jsonl");
    let all = [&["export", "--force", "--out", out.to_str().unwrap()], arguments].concat();
    let (status, stdout, stderr) = obelus(&all);
    assert_eq!(status, 0, "{arguments:?}: {stderr}");
    (format!("{stdout}{stderr}"), fs::read_to_string(out).unwrap_or_default())
}

#[test]
fn what_is_no_utf8_is_no_attempt() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("u.jsonl");
    let mut text = [row("1", "t", 0.0, "q", "a"), row("2", "t", 1.0, "q", "@"), row("3", "t", 0.0, "q", "c")].concat();
    let at = text.find('@').unwrap();
    text.replace_range(at..=at, "?");
    let mut bytes = text.into_bytes();
    bytes[at] = 0xff;
    fs::write(&path, bytes).unwrap();
    let path = path.to_str().unwrap();
    let group = &lines(&["stats", "--tasks", "--json", path])[0]["group"];
    assert_eq!((&group["attempts"], &group["signal"]), (&json!(2), &json!(false)));
    let (_, tree, _) = obelus(&["tree", "--json", path]);
    assert!(tree.contains("\"attempts\":2"), "{tree}");
    assert_eq!(obelus(&["query", path, "--where", "group.signal=1", "--count"]).1.trim(), "0");
}

#[test]
fn pairs_are_two_attempts_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let pair = |id: &str, reward: u8| {
        let row = json!({"id": id, "task_id": "T", "prompt": "q", "chosen": "a", "rejected": id, "reward": reward});
        format!("{row}\n")
    };
    let plain = |id: &str, reward: u8| {
        format!("{}\n", json!({"id": id, "task_id": "T", "prompt": "q", "completion": id, "reward": reward}))
    };
    let path = file(folder.path(), "p.jsonl", &[pair("1", 1), pair("2", 0), plain("3", 1), plain("4", 0)].concat());
    assert_eq!(lines(&["stats", "--tasks", "--json", &path])[0]["group"]["attempts"], 6);
    let tasks = obelus(&["stats", "--tasks", &path]).1;
    assert!(tasks.contains("4 of 6 attempts are answers of pairs"), "{tasks}");
    let groups: Vec<Value> = lines(&["table", "--groups", "--json", &path]);
    assert!(groups.iter().all(|row| row["group_n"] == json!(6)), "{groups:?}");
    let (answer, text) = exported(folder.path(), &[&path, "--signal"]);
    assert!(text.lines().count() == 4, "{answer}");
    let (answer, text) = exported(folder.path(), &[&path, "--per-task", "1"]);
    assert!(text.contains("\"id\":\"3\"") && text.lines().count() == 1, "rewards come first: {answer}");
}

/// Records with several answers and no other record of their task: two pairs with scores, one without, a group.
fn answers(folder: &Path) -> String {
    let rows = [
        json!({"id": "p1", "prompt": "q1", "chosen": "a", "rejected": "b", "score_chosen": 8.5, "score_rejected": 3}),
        json!({"id": "p2", "prompt": "q2", "chosen": "a", "rejected": "b", "score_chosen": 3, "score_rejected": 3}),
        json!({"prompt": "q3", "chosen": "a", "rejected": "b"}),
        json!({"id": "g1", "prompt": "q4", "samples": ["a", "b", "c"], "scores": [1, 0, 0.5]}),
    ];
    file(folder, "a.jsonl", &rows.map(|row| format!("{row}\n")).concat())
}

#[test]
fn answers_of_a_record_are_a_group() {
    let folder = tempfile::tempdir().unwrap();
    let path = answers(folder.path());
    let rows = lines(&["table", "--groups", "--json", &path]);
    let of = |name: &str| rows.iter().map(|row| row[name].clone()).collect::<Vec<_>>();
    assert_eq!(of("group_n"), [2, 2, 2, 3].map(|n| json!(n)));
    assert_eq!(of("group_mean"), [json!(5.75), json!(3.0), json!(null), json!(0.5)]);
    assert_eq!(of("group_signal"), [1, 0, 1, 1].map(|signal| json!(signal)), "a pair without scores has one");
    assert_eq!(of("group_advantage"), [(); 4].map(|()| json!(null)), "of several answers none");
    for (filter, count) in [("group.signal=1", "3"), ("group.signal=0", "1"), ("group.n=3 group.pass<1", "1")] {
        assert_eq!(obelus(&["query", &path, "--where", filter, "--count"]).1.trim(), count, "{filter}");
    }
    let tasks = obelus(&["stats", "--tasks", &path]).1;
    assert!(tasks.contains("1 of 3 tasks with several rewards have no signal"), "{tasks}");
    assert!(tasks.contains("1 task without rewards to compare: that one answer was preferred"), "{tasks}");
    assert!(obelus(&["tree", &path]).1.contains("4 of 4 tasks have several attempts"));
}

#[test]
fn of_the_answers_of_a_record_those_that_were_picked_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = answers(folder.path());
    let picked = |arguments: &[&str]| {
        let (answer, text) = exported(folder.path(), &[&[path.as_str()], arguments].concat());
        let id = |line: &str| serde_json::from_str::<Value>(line).unwrap()["id"].as_str().unwrap_or("-").to_owned();
        (answer, text.lines().map(id).collect::<Vec<_>>())
    };
    let (_, best) = picked(&["--to", "messages", "--signal", "--per-task", "1"]);
    assert_eq!(best, ["p1/chosen", "a-2/chosen", "g1/sample 0"]);
    let (_, worst) = picked(&["--to", "messages", "--signal", "--per-task", "1", "--pick", "worst"]);
    assert_eq!(worst, ["p1/rejected", "a-2/rejected", "g1/sample 1"]);
    let (_, two) = picked(&["--to", "messages", "--where", "group.n=3", "--per-task", "2"]);
    assert_eq!(two, ["g1/sample 0", "g1/sample 2"]);
    let (answer, whole) = picked(&["--signal", "--per-task", "1"]);
    assert_eq!(whole, ["p1", "-", "g1"], "their bytes");
    assert!(answer.contains("3 records with several answers, of which not all were picked: written whole"), "{answer}");
}

#[test]
fn a_field_that_no_record_has_splits_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String =
        (0..40).map(|n| row(&format!("r{n}"), &format!("t{}", n % 4), 1.0, &format!("q{n}"), "a")).collect();
    let path = file(folder.path(), "s.jsonl", &rows);
    let out = folder.path().join("o.jsonl");
    let out = out.to_str().unwrap();
    let (status, _, stderr) = obelus(&["export", &path, "--split", "50/50", "--split-by", "taskid", "--out", out]);
    assert!(status == 2 && stderr.contains("no record has the field taskid"), "{stderr}");
    let (answer, _) = exported(folder.path(), &[&path, "--split", "50/50", "--split-by", ".task_id"]);
    assert!(answer.contains("of 4 tasks"), "{answer}");
    let (status, _, stderr) = obelus(&["export", &path, "--per-task", "1", "--split-by", "x.y", "--out", out]);
    assert!(status == 2 && stderr.contains("no record has the field x.y"), "{stderr}");
}

/// Words that no two texts share runs of.
fn words(from: usize, count: usize) -> String {
    (from..from + count).map(|n| format!("w{}", n * 7919 % 10_007)).collect::<Vec<_>>().join(" ")
}

#[test]
fn one_conversation_is_the_same_in_all_spellings() {
    let folder = tempfile::tempdir().unwrap();
    let (asked, said) = (words(0, 40), words(500, 30));
    let rows = [
        json!({"id": "a", "messages": [{"role": "user", "content": asked}, {"role": "assistant", "content": said}]}),
        json!({"id": "b", "conversations": [{"from": "human", "value": asked}, {"from": "gpt", "value": said}]}),
    ];
    let path = file(folder.path(), "m.jsonl", &rows.map(|row| format!("{row}\n")).concat());
    let found = lines(&["check", "--data", "--json", &path]);
    assert!(found.iter().any(|found| found["rule"] == "data.near-duplicate"), "{found:?}");
    for seed in ["0", "1", "2", "3"] {
        let (answer, _) = exported(folder.path(), &[&path, "--split", "50/50", "--seed", seed]);
        assert!(answer.contains("1 families of 2 tasks"), "{answer}");
    }
    assert!(exported(folder.path(), &[&path, "--dedupe", "near"]).0.contains("copy of an earlier record"));
}

#[test]
fn a_prompt_beside_the_turns_makes_another_record() {
    let folder = tempfile::tempdir().unwrap();
    let row = |id: &str, system: &str| {
        let turns = json!([{"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}]);
        format!("{}\n", json!({"id": id, "system": system, "conversations": turns}))
    };
    let path = file(folder.path(), "s.jsonl", &[row("1", "a cat"), row("2", "a dog"), row("3", "a cat")].concat());
    let (_, text) = exported(folder.path(), &[&path, "--dedupe", "exact"]);
    assert!(text.contains("a cat") && text.contains("a dog") && text.lines().count() == 2, "{text}");
}

#[test]
fn copies_are_the_same_for_check_and_export() {
    let folder = tempfile::tempdir().unwrap();
    let rows = concat!(
        r#"{"id":"1","prompt":"what is it","completion":"it is this"}"#,
        "\n",
        r#"{"id":"2","prompt":"what is it","completion":"it is this","note":1}"#,
        "\n"
    );
    let path = file(folder.path(), "c.jsonl", rows);
    assert!(lines(&["check", "--data", "--json", &path]).iter().any(|found| found["rule"] == "data.duplicate"));
    assert_eq!(exported(folder.path(), &[&path, "--dedupe", "exact"]).1.lines().count(), 1);
}

#[test]
fn messages_in_a_string_beside_messages_in_a_list_are_conversations() {
    let folder = tempfile::tempdir().unwrap();
    let messages = json!([{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]);
    let rows = [json!({"id": "1", "messages": messages}), json!({"id": "2", "messages": messages.to_string()})];
    let path = file(folder.path(), "m.jsonl", &rows.map(|row| format!("{row}\n")).concat());
    let steps: Vec<Value> = lines(&["table", "--json", &path]).iter().map(|row| row["steps"].clone()).collect();
    assert_eq!(steps, [json!(2), json!(2)]);
}

#[test]
fn conversions_carry_what_a_record_says_beside_its_messages() {
    let folder = tempfile::tempdir().unwrap();
    let turns = json!([{"from": "human", "value": "q"}, {"from": "gpt", "value": "a", "weight": 0}]);
    let row =
        json!({"id": "b", "task_id": "T", "system": "outer", "conversations": turns, "reward": 0.5, "images": ["i"]});
    let pair = json!({"id": "p", "task_id": "T", "prompt": "q", "chosen": "x", "rejected": "y", "score_chosen": 1.5});
    let path = file(folder.path(), "b.jsonl", &format!("{row}\n"));
    let pairs = file(folder.path(), "p.jsonl", &format!("{pair}\n"));
    for (to, place) in [("adp", "details"), ("atif", "extra")] {
        let (answer, text) = exported(folder.path(), &[&path, "--to", to]);
        let record: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(record[place], json!({"task_id": "T", "reward": 0.5, "images": ["i"]}), "{text}");
        assert!(text.contains("outer") && answer.contains("1  message weight"), "{text}{answer}");
        let out = folder.path().join("out.jsonl");
        let group = &lines(&["stats", "--tasks", "--json", out.to_str().unwrap()])[0]["group"];
        assert_eq!(group["task"], "T", "the task is found again");
        let (_, text) = exported(folder.path(), &[&pairs, "--to", to]);
        assert_eq!(text.matches("\"score_chosen\":1.5").count(), 2, "{text}");
    }
    for to in ["messages", "sharegpt"] {
        let (_, text) = exported(folder.path(), &[&pairs, "--to", to]);
        assert_eq!(text.matches("\"task_id\":\"T\"").count(), 2, "{text}");
    }
}

#[test]
fn an_empty_name_is_no_task() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "e.jsonl", &[row("a", "", 1.0, "q", "x"), row("b", "", 0.0, "q", "y")].concat());
    let tasks: Vec<Value> =
        lines(&["stats", "--tasks", "--json", &path]).iter().map(|l| l["group"]["task"].clone()).collect();
    assert_eq!(tasks[..2], [json!("a"), json!("b")], "the ids name tasks then");
}

#[test]
fn a_message_says_that_its_result_failed() {
    let folder = tempfile::tempdir().unwrap();
    let row = |id: &str, flag: Value| {
        let call = json!({"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}});
        let mut result = json!({"role": "tool", "tool_call_id": "c", "content": "ok"});
        result.as_object_mut().unwrap().extend(flag.as_object().unwrap().clone());
        let messages = json!([{"role": "user", "content": "q"}, {"role": "assistant", "content": "", "tool_calls": [call]}, result]);
        format!("{}\n", json!({"id": id, "messages": messages}))
    };
    let rows = [
        row("a", json!({"is_error": true})),
        row("b", json!({"error": true})),
        row("c", json!({"is_error": false, "status": "success"})),
    ];
    let path = file(folder.path(), "e.jsonl", &rows.concat());
    assert_eq!(obelus(&["query", &path, "--where", "failed>0", ".id"]).1, "\"a\"\n\"b\"\n");
}

#[test]
fn filters_look_at_all_that_is_asked_first() {
    let folder = tempfile::tempdir().unwrap();
    let rows = [row("near", "t", 1.0, "zebra", "a"), row("far", "t", 1.0, &format!("{} zebra", "x ".repeat(900)), "a")];
    let path = file(folder.path(), "w.jsonl", &rows.concat());
    let count = |filter: &str| obelus(&["query", &path, "--where", filter, "--count"]).1.trim().to_owned();
    assert_eq!([count("zebra"), count("!zebra"), count("words:zebra$")], ["2", "0", "2"]);
    assert_eq!(exported(folder.path(), &[&path, "--where", "zebra"]).1.lines().count(), 2);
}

#[test]
fn only_clean_lets_the_same_records_through_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let mail = "write to jo.doe@mail.uni-x.de";
    let rows = [row("1", "a", 1.0, "q one", "a"), row("2", "b", 1.0, mail, "b"), row("3", "c", 0.0, "q three", "c")];
    let path = file(folder.path(), "c.jsonl", &rows.concat());
    let (_, text) = exported(folder.path(), &[&path, "--only-clean", "--data"]);
    assert_eq!(text.lines().count(), 2);
    let (status, selected, errors) = obelus(&["query", &path, "--only-clean", "--data", "--select"]);
    assert_eq!((status, selected.as_str(), errors.as_str()), (0, text.as_str(), ""));
    assert_eq!(obelus(&["query", &path, "--only-clean", "--count"]).1.trim(), "3");
    let filtered = ["query", &path, "--only-clean", "--data", "--where", "reward>0", "--count"];
    assert_eq!(obelus(&filtered).1.trim(), "1");
    assert_eq!(lines(&["table", "--only-clean", "--data", "--json", &path]).len(), 2);
}
