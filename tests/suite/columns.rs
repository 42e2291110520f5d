//! Columns of the configuration in `--where` of every command that has it: asked of records, in a process of their own,
//! bounded in time.

use super::command::{CommandResult, command_result, program};
use serde_json::Value;
use std::fs;
use std::path::Path;

const CONFIG: &str = "[columns]\nmodel = \".details.model\"\nturns = \"[.content[] | select(.source == \\\"user\\\")] | length\"\n\
                      broken = \".content | .x\"\nforever = \"if .id == \\\"r3\\\" then (while(true; .)) else 1 end\"\n\
                      none = \".details |\"\nhalf = \"if .id | test(\\\"[02468]\\\") then error else .content | length end\"\n\n[filters]\n\"short\" = \"turns<3\"\n";

/// Ten records: record i has i % 4 + 1 turns of the user and one of two models, or none.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let said = r#"{"class_":"text_observation","content":"x","source":"user"}"#;
    let line = |i: usize| {
        let details = ["{\"model\":\"a-1\"}", "{\"model\":\"b-2\"}", "{}"][i % 3];
        let all = vec![said; i % 4 + 1].join(",");
        format!("{{\"id\":\"r{i}\",\"content\":[{all}],\"details\":{details}}}\n")
    };
    let text: String = (0..10).map(line).chain(["{\"id\":\n".to_owned()]).collect();
    fs::write(folder.path().join("d.jsonl"), text).unwrap();
    fs::create_dir_all(folder.path().join("config/obelus")).unwrap();
    fs::write(folder.path().join("config/obelus/config.toml"), CONFIG).unwrap();
    folder
}

fn run(at: &Path, words: &[&str]) -> CommandResult {
    let mut command = program();
    command.args(words).current_dir(at).env("XDG_CONFIG_HOME", at.join("config"));
    command_result(&command.output().unwrap())
}

/// The numbers of the records that a filter lets through.
fn passing(at: &Path, filter: &str) -> Vec<usize> {
    let (status, stdout, stderr) = run(at, &["query", "--where", filter, "--select", "d.jsonl"]);
    assert_eq!((status, stderr.as_str()), (0, ""), "{filter}");
    let id = |line: &str| serde_json::from_str::<Value>(line).unwrap()["id"].as_str().unwrap()[1..].parse().unwrap();
    stdout.lines().map(id).collect()
}

#[test]
fn every_command_knows_them() {
    let folder = folder();
    let at = folder.path();
    let model = |i: usize, n: usize| i % 3 == n;
    let expected = |keep: &dyn Fn(usize) -> bool| (0..10).filter(|i| keep(*i)).collect::<Vec<_>>();
    assert_eq!(passing(at, "model:a*"), expected(&|i| model(i, 0)));
    assert_eq!(passing(at, "turns>2 !model:b-2"), expected(&|i| i % 4 > 1 && !model(i, 1)));
    assert_eq!(passing(at, "model:b* steps<=2"), expected(&|i| model(i, 1) && i % 4 < 2));
    assert_eq!(passing(at, "@short"), expected(&|i| i % 4 < 2));
    let (status, stdout, _) = run(at, &["query", "d.jsonl", ".id", "--where", "turns:4"]);
    assert_eq!((status, stdout.as_str()), (0, "\"r3\"\n\"r7\"\n"));
    let (_, stdout, _) = run(at, &["mark", "d.jsonl", "--marks", "m", "--where", "model:a-1", "--as", "bad"]);
    assert_eq!(stdout, "4 decisions on 4 records written\n");
    let (_, stdout, _) = run(at, &["marks", "d.jsonl", "--marks", "m", "--where", "turns:4", "--json"]);
    let ids: Vec<Value> =
        stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].clone()).collect();
    assert_eq!(ids[..], [Value::from("r3"), Value::Null], "the mark, and how far the review is");
    let (status, ..) = run(at, &["export", "d.jsonl", "--where", "turns>3", "--where", "model:a*", "--out", "o"]);
    assert_eq!((status, fs::read_to_string(at.join("o")).unwrap().matches("\"id\"").count()), (0, 1));
    let (status, stdout, _) = run(at, &["steps", "d.jsonl", "--where", "turns:4 step:1"]);
    let steps: Vec<&str> = stdout.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!((status, steps), (0, vec!["3:1", "7:1"]), "{stdout}");
}

#[test]
fn every_command_says_that_one_failed_and_goes_on() {
    let folder = folder();
    let at = folder.path();
    let all = [
        (vec!["steps", "d.jsonl"], "   1:0  user"),
        (vec!["mark", "d.jsonl", "--marks", "m", "--as", "bad"], "3 decisions on 3 records written\n"),
        (vec!["marks", "d.jsonl", "--marks", "m"], "d.jsonl: 6/11 decided"),
        (vec!["export", "d.jsonl", "--out", "o", "--force"], "3 of 11 records written\n"),
        (vec!["export", "d.jsonl", "--redact-list"], "nothing would be replaced\n"),
        (vec!["query", "d.jsonl", "--count"], "3\n"),
        (vec!["query", "d.jsonl", ".id"], "\"r1\"\n"),
    ];
    for (words, expected) in all {
        let asked = |filter| run(at, &[&words[..], &["--where", filter]].concat());
        let (status, stdout, stderr) = asked("half:2");
        assert_eq!(status, 1, "{words:?}: {stderr}");
        assert!(stdout.contains(expected), "{words:?}: {stdout}");
        let line = "d.jsonl:1: column half = ";
        assert!(stderr.matches(line).count() == 1 && stderr.contains("(and for 4 more)"), "{words:?}: {stderr}");
        let (status, _, stderr) = asked("turns:1");
        assert_eq!((status, stderr.as_str()), (0, ""), "{words:?}");
    }
}

#[test]
fn what_is_wrong_says_which_names_there_are_where_it_fails_and_ends_in_time() {
    let folder = folder();
    let at = folder.path();
    let asked = |filter: &str| run(at, &["query", "d.jsonl", "--count", "--where", filter]);
    for (filter, expected) in [
        (
            "modell:a*",
            "there is no modell to filter by; did you mean model?  (your columns: broken forever half model none turns)",
        ),
        ("zzz:1", "there is no zzz to filter by; there are record steps"),
        ("zzz:1", " broken forever half model none turns"),
        ("none>1", "column none = .details |: EXPR cannot be read"),
    ] {
        let (status, stdout, stderr) = asked(filter);
        assert!(status == 2 && stdout.is_empty() && stderr.contains(expected), "{filter}: {stderr}");
    }
    let (status, stdout, stderr) = asked("broken:none");
    assert_eq!((status, stdout.as_str()), (1, "11\n"), "a record for which it fails has no value");
    assert!(
        stderr.contains("d.jsonl:1: column broken = .content | .x: ") && stderr.contains("(and for 9 more)"),
        "{stderr}"
    );
    let (status, stdout, stderr) = asked("forever:1");
    assert_eq!((status, stdout.as_str()), (1, "9\n"));
    let json = |words: &[&str]| run(at, &[&["query", "d.jsonl", "--count", "--json"], words].concat());
    let (status, stdout, _) = json(&["--where", "broken:none"]);
    let counts = "{\"obelus\":1,\"file\":\"d.jsonl\",\"records\":11,\"count\":11,\"failed\":10}\n";
    assert_eq!((status, stdout.as_str()), (1, counts));
    let (status, stdout, _) = json(&["--where", "model:a-1"]);
    assert!(status == 0 && stdout.ends_with(",\"count\":4,\"failed\":0}\n"), "{stdout}");
    let (status, ..) = run(at, &["query", "d.jsonl", ".id", "--where", "broken:none steps:1"]);
    assert_eq!(status, 1, "with an expression too");
    assert!(
        stderr.contains("d.jsonl:4: column forever = ") && stderr.contains("longer than 2 s and was ended"),
        "{stderr}"
    );
}
