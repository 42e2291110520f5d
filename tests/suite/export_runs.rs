//! `obelus export --to` of every format with a conversation: what is written is of the format that was asked for, and
//! what it does not carry is said.

use super::command::{file, obelus};
use obelus::format::FORMATS;
use obelus::ingest::load;
use obelus::source::Input;
use std::collections::BTreeSet;
use std::fs;

/// Formats whose records are no turns of a conversation.
const WITHOUT: [&str; 3] = ["acts", "scopix", "generic"];

#[test]
fn samples_of_every_format_become_trajectories_that_pass_the_check() {
    let folder = tempfile::tempdir().unwrap();
    for to in ["messages", "adp", "atif"] {
        let (mut written, mut formats) = (Vec::new(), BTreeSet::new());
        for (number, format) in FORMATS.iter().enumerate().filter(|(_, format)| !WITHOUT.contains(&format.name())) {
            for (place, sample) in format.samples().iter().enumerate() {
                let path = file(folder.path(), &format!("{number}-{place}.jsonl"), sample);
                let out = format!("{path}.{to}.json");
                let (status, _, stderr) = obelus(&["export", &path, "--to", to, "--out", &out]);
                assert_eq!(status, 0, "{} to {to}: {sample}\n{stderr}", format.name());
                let text = fs::read_to_string(&out).unwrap();
                if text.trim() != "[]" {
                    formats.insert(format.name());
                    written.push((out, text));
                }
            }
        }
        assert!(formats.len() >= 20, "{to}: {formats:?}");
        let checked = ["check", "--format", to].into_iter().chain(written.iter().map(|(path, _)| path.as_str()));
        let (status, stdout, stderr) = obelus(&checked.collect::<Vec<_>>());
        assert_eq!(status, 0, "{to}: {stdout}{stderr}");
        for (path, text) in &written {
            let loaded = load(Input::memory("out", text.as_bytes()), None).unwrap();
            assert_eq!(loaded.detected.format.name(), to, "{path}: {text}");
        }
    }
}

/// A session with a state record, a failed call and its time.
const SESSION: &str = concat!(
    r#"{"type":"session","version":1,"id":"s","timestamp":"2026-05-01T10:00:00Z","cwd":"/w"}"#,
    "\n",
    r#"{"type":"message","timestamp":"2026-05-01T10:00:01Z","message":{"role":"user","content":"go"}}"#,
    "\n",
    r#"{"type":"model_change","timestamp":"2026-05-01T10:00:04Z","provider":"p","modelId":"m"}"#,
    "\n",
    r#"{"type":"message","timestamp":"2026-05-01T10:00:05Z","message":{"role":"assistant","content":"done"}}"#,
    "\n",
);

#[test]
fn what_is_not_carried_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "s.jsonl", SESSION);
    let out = folder.path().join("out.jsonl");
    let out = out.to_str().unwrap();
    let (status, stdout, stderr) = obelus(&["export", &path, "--to", "messages", "--out", out]);
    assert_eq!((status, stdout.lines().next()), (0, Some("1 of 1 record written")), "{stderr}");
    for (count, what) in [("1", "state model_change"), ("2", "times")] {
        let named = format!("  {what}; first record 0 of ");
        let line = stderr.lines().find(|line| line.contains(&named)).unwrap_or_else(|| panic!("{what}: {stderr}"));
        assert!(line.trim().starts_with(count), "{line}");
    }
    let manifest = fs::read_to_string(format!("{out}.manifest.json")).unwrap();
    assert!(manifest.contains("\"state model_change\":1") && manifest.contains("\"to\":\"messages\""), "{manifest}");
    let expected = "{\"id\":\"s\",\"messages\":[{\"role\":\"user\",\"content\":\"go\"},\
                    {\"role\":\"assistant\",\"content\":\"done\"}]}\n";
    assert_eq!(fs::read_to_string(out).unwrap(), expected);
}

#[test]
fn a_run_is_one_trajectory_and_a_pair_two() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "s.jsonl", SESSION);
    let out = folder.path().join("out.jsonl");
    let out = out.to_str().unwrap();
    let (status, _, stderr) = obelus(&["export", &path, "--to", "adp", "--out", out, "--mark", "good"]);
    assert!(status == 2 && stderr.contains("is one run"), "{stderr}");
    let (status, _, stderr) = obelus(&["export", &path, "--to", "sharegpt", "--out", out]);
    assert_eq!(status, 0, "{stderr}");
    assert!(fs::read_to_string(out).unwrap().contains("{\"from\":\"gpt\",\"value\":\"done\"}"));
    let pairs =
        file(folder.path(), "p.jsonl", "{\"id\":\"q\",\"prompt\":\"2+2?\",\"chosen\":\"4\",\"rejected\":\"5\"}\n");
    let (_, _, stderr) = obelus(&["export", &pairs, "--to", "adp", "--out", out, "--force"]);
    let text = fs::read_to_string(out).unwrap();
    assert!(text.contains("\"id\":\"q/chosen\"") && text.contains("\"id\":\"q/rejected\""), "{text}{stderr}");
    let state = file(folder.path(), "a.jsonl", "{\"type\":\"state\",\"state\":{\"a\":1}}\n");
    let (status, _, stderr) = obelus(&["export", &state, "--to", "atif", "--out", out, "--force"]);
    assert!(status == 2 && stderr.contains("holds no conversation"), "{stderr}");
}

#[test]
fn a_sample_of_inspect_has_its_task_score_and_target_wherever_it_goes() {
    use serde_json::{Value, json};
    let folder = tempfile::tempdir().unwrap();
    let call = json!([{"id": "c", "type": "function", "function": "look", "arguments": {}}]);
    let sample = |epoch: u8, value: &str| {
        json!({"id": "s", "epoch": epoch, "input": "q", "target": "4", "metadata": {"level": 2}, "total_time": 1.5,
            "messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "", "tool_calls": call},
                {"role": "tool", "tool_call_id": "c", "content": "4"}],
            "scores": {"match": {"value": value, "answer": "4"}}})
    };
    let log = json!({"version": 2, "status": "success", "eval": {"task": "t", "model": "m"},
        "samples": [sample(1, "C"), sample(2, "I")]});
    let path = file(folder.path(), "log.json", &log.to_string());
    let out = folder.path().join("out.jsonl").to_str().unwrap().to_owned();
    for format in ["messages", "sharegpt", "adp", "atif"] {
        let (status, _, stderr) = obelus(&["export", &path, "--to", format, "--out", &out, "--force"]);
        assert!(status == 0 && stderr.contains("2  record total_time"), "{format}: {stderr}");
        let text = fs::read_to_string(&out).unwrap();
        for member in [r#""target":"4""#, r#""metadata":{"level":2}"#, r#""epoch":2"#, r#""answer":"4""#] {
            assert!(text.contains(member), "{format}: {member} in {text}");
        }
        let (_, table, _) = obelus(&["table", "--json", &out]);
        let rows: Vec<Value> = table.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let facts = rows.iter().map(|row| [&row["id"], &row["task"], &row["reward"]]).collect::<Vec<_>>();
        let expected = [[json!("s"), json!("s"), json!(1.0)], [json!("s (epoch 2)"), json!("s"), json!(0.0)]];
        assert_eq!(json!(facts), json!(expected), "{format}: {stderr}");
    }
}

#[test]
fn a_record_of_the_format_already_is_one_line_too() {
    let folder = tempfile::tempdir().unwrap();
    let atif = obelus::format::by_name("atif").unwrap().samples()[0];
    assert!(atif.contains('\n'));
    let (path, out) = (file(folder.path(), "t.json", atif), folder.path().join("out.jsonl"));
    let out = out.to_str().unwrap();
    let (status, _, stderr) = obelus(&["export", &path, "--to", "atif", "--out", out]);
    assert_eq!(status, 0, "{stderr}");
    let (text, values) =
        (fs::read_to_string(out).unwrap(), |text: &str| obelus::json::compact(&obelus::json::parse(text).unwrap()));
    assert_eq!((text.lines().count(), values(text.trim())), (1, values(atif)));
    let (status, _, stderr) = obelus(&["export", &path, "--force", "--out", out]);
    assert!(status == 2 && stderr.contains("several lines"), "its bytes are not changed: {stderr}");
}
