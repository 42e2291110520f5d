//! Exports by what records are to one another: the best attempts, no copies, parts that share nothing.

use super::command::{file, obelus};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// An attempt at a task with a reward, and `steps` messages of words that no other attempt has.
fn attempt(id: &str, task: &str, reward: f64, (words, steps): (&str, usize)) -> String {
    let messages: Vec<Value> = (0..steps)
        .map(|step| {
            let text: Vec<String> = (0..40).map(|word| format!("{words}{step}x{word}")).collect();
            serde_json::json!({"role": if step % 2 == 0 { "user" } else { "assistant" }, "content": text.join(" ")})
        })
        .collect();
    format!("{}\n", serde_json::json!({"id": id, "task_id": task, "reward": reward, "messages": messages}))
}

/// Task `a` with a signal, `b` without, `c` with one attempt; `d` repeats the best of `a` but for its name.
fn rollouts() -> String {
    [
        attempt("a1", "a", 0.0, ("p", 4)),
        attempt("a2", "a", 1.0, ("q", 6)),
        attempt("a3", "a", 1.0, ("r", 2)),
        attempt("b1", "b", 1.0, ("s", 2)),
        attempt("b2", "b", 1.0, ("t", 2)),
        attempt("c1", "c", 0.0, ("u", 2)),
        attempt("d1", "d", 0.0, ("r", 2)),
        attempt("d2", "d", 1.0, ("v", 4)),
    ]
    .concat()
}

fn ids(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].as_str().unwrap().to_owned()).collect()
}

/// The ids that an export writes, and why it leaves others out.
fn exported(arguments: &[&str]) -> (Vec<String>, BTreeMap<String, u64>) {
    let folder = tempfile::tempdir().unwrap();
    let (data, out) = (file(folder.path(), "d.jsonl", &rollouts()), folder.path().join("o.jsonl"));
    let all = [&["export", &data, "--out", out.to_str().unwrap()], arguments].concat();
    let (status, _, errors) = obelus(&all);
    assert_eq!(status, 0, "{errors}");
    let manifest = fs::read_to_string(folder.path().join("o.jsonl.manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    (ids(&out), serde_json::from_value(manifest["counts"]["left"].clone()).unwrap())
}

#[test]
fn the_best_of_each_task_with_a_signal() {
    let (ids, left) = exported(&["--per-task", "1", "--signal"]);
    // Of two of the same reward the shorter one.
    assert_eq!(ids, ["a3", "d2"]);
    assert_eq!(left, [("not picked of its task".to_owned(), 3), ("task without signal".to_owned(), 3)].into());
    assert_eq!(exported(&["--per-task", "1", "--pick", "worst"]).0, ["a1", "b1", "c1", "d1"]);
    assert_eq!(exported(&["--per-task", "2", "--pick", "first"]).0, ["a1", "a2", "b1", "b2", "c1", "d1", "d2"]);
    let random = |seed: &str| exported(&["--per-task", "1", "--pick", "random", "--seed", seed]).0;
    assert_eq!(random("1"), random("1"));
    assert!((2..9).any(|seed| random(&seed.to_string()) != random("1")));
}

#[test]
fn the_field_of_the_task_can_be_named() {
    let (ids, left) = exported(&["--per-task", "1", "--split-by", "id"]);
    assert_eq!((ids.len(), left.len()), (8, 0));
    let folder = tempfile::tempdir().unwrap();
    let some = format!("{}{}", rollouts(), r#"{"id":"x","group":"g","content":[]}"#);
    let (data, out) = (file(folder.path(), "d.jsonl", &some), folder.path().join("o.jsonl"));
    let (_, stdout, _) = obelus(&["export", &data, "--signal", "--split-by", "group", "--out", out.to_str().unwrap()]);
    assert!(stdout.contains("8  left out: names no task"), "{stdout}");
}

#[test]
fn copies_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let records =
        [attempt("c1", "c", 1.0, ("q", 2)), attempt("d1", "d", 1.0, ("q", 2)), attempt("d2", "d", 0.5, ("r", 2))];
    let (data, out) = (file(folder.path(), "d.jsonl", &records.concat()), folder.path().join("o.jsonl"));
    let export = |more: &[&str]| {
        let all = [&["export", &data, "--force", "--out", out.to_str().unwrap()], more].concat();
        let (status, answer, errors) = obelus(&all);
        assert_eq!((status, errors.as_str()), (0, ""));
        (ids(&out), answer)
    };
    let (left, answer) = export(&["--dedupe", "exact"]);
    assert_eq!(left, ["c1", "d2"]);
    assert!(answer.contains("1  left out: copy of an earlier record"), "{answer}");
    // A copy is not there any more when the best of each task is picked.
    assert_eq!(export(&["--dedupe", "exact", "--per-task", "1", "--pick", "best"]).0, ["c1", "d2"]);
}

#[test]
fn equal_content_with_another_label_is_no_copy() {
    let folder = tempfile::tempdir().unwrap();
    // The fourth is a copy of the third, whose reward is not that of the first.
    let rewards = [1.0, 1.0, 0.0, 0.0];
    let records = rewards.iter().enumerate().map(|(n, reward)| attempt(&format!("r{n}"), "t", *reward, ("p", 2)));
    let (data, out) = (file(folder.path(), "d.jsonl", &records.collect::<String>()), folder.path().join("o.jsonl"));
    for how in ["exact", "near"] {
        let (status, _, errors) =
            obelus(&["export", &data, "--dedupe", how, "--force", "--out", out.to_str().unwrap()]);
        assert_eq!((status, ids(&out)), (0, vec!["r0".to_owned(), "r2".to_owned()]), "{errors}");
        assert!(errors.contains("(data.conflicting-label): first record 2 of"), "{errors}");
        assert!(errors.contains("whose `reward` is not that of record 0 of"), "{errors}");
    }
}

#[test]
fn parts_share_no_task_and_no_copy() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    // Forty tasks of two attempts; the second attempt at each even task is nearly that at the next task.
    let near = |task: usize| attempt(&format!("{task}-2"), &task.to_string(), 0.0, (&format!("w{}", task / 2), 5));
    let records = |task: usize| {
        // So few words differ that the two are near copies, and so many of the first message that they ask otherwise.
        let changed = ["0x7 ", "0x15 ", "0x23 ", "0x31 "];
        let changed = changed.iter().fold(near(task), |text, word| text.replace(word, &format!("other{task} ")));
        [attempt(&format!("{task}-1"), &task.to_string(), 1.0, (&format!("o{task}"), 3)), changed].concat()
    };
    let data = file(at, "d.jsonl", &(0..40).map(records).collect::<String>());
    let out = at.join("o.jsonl");
    let (status, stdout, errors) = obelus(&["export", &data, "--split", "50/50", "--out", out.to_str().unwrap()]);
    assert!(status == 0 && stdout.contains("20 families of 40 tasks"), "{stdout} {errors}");
    let manifest = fs::read_to_string(at.join("o.jsonl.manifest.json")).unwrap();
    let split = &serde_json::from_str::<Value>(&manifest).unwrap()["split"];
    assert!(split["questions_by"].as_str().is_some_and(|how| how.contains("anywhere in a record")), "{split}");
    assert_eq!(split["crossing"], serde_json::json!({"tasks": 0, "copies": 0, "near_copies": 0, "questions": 0}));
    assert_eq!((&split["families"], &split["largest_family"]), (&20.into(), &4.into()));
    let pairs = |part: &str| -> Vec<usize> {
        let ids = ids(&at.join(format!("o.{part}.jsonl")));
        let mut pairs: Vec<usize> =
            ids.iter().map(|id| id.split('-').next().unwrap().parse::<usize>().unwrap() / 2).collect();
        pairs.dedup();
        pairs
    };
    let (train, test) = (pairs("train"), pairs("test"));
    assert!(train.len() + test.len() == 20 && !test.is_empty(), "{train:?} {test:?}");
    assert!(train.iter().all(|pair| !test.contains(pair)), "{train:?} {test:?}");
    // Where only copies count, some of these pairs fall apart.
    let arguments = ["export", &data, "--split", "50/50", "--near", "1", "--force", "--out", out.to_str().unwrap()];
    let (_, stdout, _) = obelus(&arguments);
    assert!(stdout.contains(" families of 40 tasks") && !stdout.contains("split: 20 families"), "{stdout}");
    let (train, test) = (pairs("train"), pairs("test"));
    assert!(train.iter().any(|pair| test.contains(pair)), "{train:?} {test:?}");
}

/// What most of a few tasks say alike is how they ask, and joins none of them.
#[test]
fn a_few_tasks_that_ask_in_the_same_words_are_no_family() {
    let folder = tempfile::tempdir().unwrap();
    let ask = "You are in the repository. Please resolve the issue and make sure that all tests pass again: number";
    let row = |task: usize, attempt: usize| {
        let answer: String = (0..80).map(|i| format!("t{task}a{attempt}w{i} ")).collect();
        let messages = serde_json::json!([{"role": "user", "content": format!("{ask} {task}")},
            {"role": "assistant", "content": answer}]);
        format!("{}\n", serde_json::json!({"task_id": task.to_string(), "messages": messages}))
    };
    for tasks in [2, 4, 9] {
        let rows: String = (0..tasks).flat_map(|task| (0..3).map(move |n| row(task, n))).collect();
        let (data, out) = (file(folder.path(), "d.jsonl", &rows), folder.path().join("o.jsonl"));
        let arguments = ["export", &data, "--split", "50/50", "--force", "--out", out.to_str().unwrap()];
        let (status, stdout, errors) = obelus(&arguments);
        let families = format!("{tasks} families of {tasks} tasks");
        assert!(status == 0 && stdout.contains(&families), "{stdout} {errors}");
    }
}

/// Where the question of one task stands in the middle of a record of another, `check --against` would report it.
#[test]
fn parts_share_no_question_that_another_record_quotes() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let words = |name: &str, count: usize| (0..count).map(|i| format!("{name}x{i} ")).collect::<String>();
    // Six attempts at each of twenty tasks; one more task quotes each question.
    let row = |id: String, task: String, user: String| {
        let messages = serde_json::json!([{"role": "user", "content": user},
            {"role": "assistant", "content": words(&format!("answer{id}"), 60)}]);
        format!("{}\n", serde_json::json!({"id": id, "task_id": task, "messages": messages}))
    };
    let question = |task: usize| words(&format!("q{task}"), 15);
    let attempts = |task: usize| -> String {
        (0..6).map(|n| row(format!("{task}-{n}"), task.to_string(), question(task))).collect()
    };
    let quote = |task: usize| {
        let user = format!("{}{}{}", words(&format!("b{task}"), 40), question(task), words(&format!("e{task}"), 40));
        row(format!("quote{task}"), format!("other {task}"), user)
    };
    let rows = (0..20).map(attempts).chain((0..20).map(quote)).collect::<String>();
    let (data, out) = (file(at, "d.jsonl", &rows), at.join("o.jsonl"));
    let (status, stdout, errors) = obelus(&["export", &data, "--split", "50/50", "--out", out.to_str().unwrap()]);
    assert!(status == 0 && stdout.contains("20 families of 40 tasks"), "{stdout} {errors}");
    let [train, test] = ["train", "test"].map(|part| at.join(format!("o.{part}.jsonl")).to_str().unwrap().to_owned());
    let (status, found, errors) = obelus(&["check", &train, "--against", &test]);
    assert!(status == 0 && !errors.contains("too short"), "{found} {errors}");
    // The same question of six attempts is one question, and found.
    let test_rows: String = (0..3).map(attempts).collect();
    let test = file(at, "test.jsonl", &test_rows);
    let (status, found, errors) = obelus(&["check", &file(at, "train.jsonl", &quote(1)), "--against", &test]);
    assert!(status == 1 && found.contains("the question of record 6 of"), "{found} {errors}");
}

/// The commands of a section of the page on review, run one after the other in a folder that has the samples.
#[test]
fn the_job_from_rollouts_to_a_training_set_is_as_the_page_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/review.md")).unwrap();
    let section = page.split("### From rollouts to a training set").nth(1).unwrap();
    let block = section.split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("samples")).unwrap();
    let sample = "samples/desk-rollouts.jsonl";
    fs::copy(root.join(sample), folder.path().join(sample)).unwrap();
    let commands = block.lines().filter_map(|line| line.strip_prefix("obelus "));
    let run = |command: &str| {
        let arguments: Vec<&str> = command.split(' ').map(|word| word.trim_matches('\'')).collect();
        let (status, out, errors) = super::command::obelus_in(folder.path(), &arguments);
        assert!(status < 2, "{command}: {errors}");
        out
    };
    let lines: Vec<String> = commands.map(run).collect();
    let [tasks, outcomes, exported, proof, loss, against] = lines.as_slice() else { panic!("{lines:?}") };
    assert!(tasks.contains("1 of 4 tasks with several rewards have no signal"), "{tasks}");
    assert!(outcomes.contains("get_order") && outcomes.contains("without"), "{outcomes}");
    assert!(exported.contains("3 of 16 records written") && !exported.contains("  0  desk"), "{exported}");
    assert_eq!(proof.trim(), r#"{"tasks":0,"copies":0,"near_copies":0,"questions":0}"#);
    assert!(loss.contains("qwen3") && loss.contains("llama-3.1"), "{loss}");
    assert!(against.contains("no findings"), "{against}");
}

#[test]
fn a_member_that_no_record_has_divides_no_sample() {
    let folder = tempfile::tempdir().unwrap();
    let (data, out) = (file(folder.path(), "d.jsonl", &rollouts()), folder.path().join("o.jsonl"));
    let sampled = |by: &str| obelus(&["export", &data, "--out", out.to_str().unwrap(), "--sample", "2", "--by", by]);
    let (status, _, errors) = sampled("source");
    assert!(status == 2 && errors.contains("no record has the member source, which --by names"), "{errors}");
    assert!(!out.exists());
    assert_eq!(sampled("task_id").0, 0);
}

#[test]
fn a_part_of_an_earlier_split_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (data, out) = (file(folder.path(), "d.jsonl", &rollouts()), folder.path().join("o.jsonl"));
    let split = |shares: &str| obelus(&["export", &data, "--out", out.to_str().unwrap(), "--split", shares, "--force"]);
    assert_eq!(split("40/30/30").2, "");
    let (status, _, errors) = split("60/40");
    assert!(status == 0 && errors.contains("o.val.jsonl is no part of this split"), "{errors}");
}

#[test]
fn attempts_at_tasks_have_the_steps_of_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let row = |reward: u8| {
        serde_json::json!({"example_id": 7, "task": "env", "reward": reward,
            "prompt": [{"role": "user", "content": "find it"}],
            "completion": [{"role": "assistant", "content": "I look.", "tool_calls": [{"id": "c", "type": "function",
                "function": {"name": "ls", "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "c", "content": "a"},
                {"role": "assistant", "content": "a"}]})
    };
    let data = file(folder.path(), "v.jsonl", &format!("{}\n{}\n", row(1), row(0)));
    let rows = |arguments: &[&str]| -> Vec<Value> {
        let (status, out, errors) = obelus(&[arguments, &[&data, "--json"]].concat());
        assert_eq!(status, 0, "{errors}");
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let (table, tasks) = (rows(&["table"]), rows(&["stats", "--tasks"]));
    assert_eq!(table[0]["steps"], 5);
    assert_eq!(
        (&tasks[0]["group"]["steps_of_successes"], &tasks[0]["group"]["steps_of_failures"]),
        (&5.0.into(), &5.0.into())
    );
    for reward in ["nan", "inf", "x"] {
        assert_eq!(obelus(&["stats", "--tasks", &data, "--success", reward]).0, 2, "{reward}");
    }
}
