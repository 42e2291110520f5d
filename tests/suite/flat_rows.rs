//! `obelus table`, and `check --out`: rows of one flat schema, with one type a member, joined by the digest.

use super::command::{obelus, obelus_in, sample};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fs;

fn rows(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_row_has_every_member_and_says_what_other_commands_say() {
    let path = sample("desk-rollouts.jsonl");
    let (status, stdout, stderr) = obelus(&["table", "--json", &path]);
    assert_eq!(status, 0, "{stderr}");
    let all = rows(&stdout);
    assert_eq!(all.len(), 16);
    let names: Vec<&String> = all[0].as_object().unwrap().keys().collect();
    assert!(all.iter().all(|row| row.as_object().unwrap().keys().collect::<Vec<_>>() == names));
    let (_, stats, _) = obelus(&["stats", "--json", "--only", "trajectories", &path]);
    for (row, stats) in all.iter().zip(rows(&stats)) {
        for (ours, theirs) in [("record", "record"), ("steps", "steps"), ("calls", "calls"), ("chars", "chars")] {
            assert_eq!(row[ours], stats[theirs], "{row} {stats}");
        }
    }
    let counts = |term: &str| obelus(&["query", "--where", term, "--count", &path]).1.trim().to_owned();
    let with = |test: fn(&Value) -> bool| all.iter().filter(|row| test(row)).count().to_string();
    assert_eq!(with(|row| row["failed"].as_i64() > Some(0)), counts("failed>0"));
    assert_eq!(with(|row| row["reward"].as_f64() == Some(1.0)), counts("reward=1"));
    assert_eq!(with(|row| row["tools"].as_array().unwrap().contains(&json!("get_order"))), counts("tool:get_order"));
    let (_, some, _) = obelus(&["table", "--json", "--where", "reward=1", &path]);
    assert_eq!(rows(&some).len().to_string(), counts("reward=1"));
}

#[test]
fn a_row_of_a_record_that_is_not_utf8_has_its_id() {
    let folder = tempfile::tempdir().unwrap();
    let good = r#"{"id":"good","content":[]}"#;
    let lines = [good.as_bytes(), b"\n{\"id\":\"bad\",\"content\":[],\"x\":\"\xff\"}\n"].concat();
    fs::write(folder.path().join("a.jsonl"), lines).unwrap();
    let (_, stdout, stderr) = obelus_in(folder.path(), &["table", "--json", "--format", "adp", "a.jsonl"]);
    let ids: Vec<Value> = rows(&stdout).iter().map(|row| row["id"].clone()).collect();
    assert_eq!(ids, ["good", "bad"], "{stderr}");
}

#[test]
fn rows_and_findings_are_joined_by_their_digests() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let message = |text: &str| json!({"messages":[{"role":"user","content":text},{"role":"assistant","content":""}]});
    fs::write(folder.join("a.jsonl"), format!("{}\n{}\n", message("x"), message("write to ann@hotel.example.net")))
        .unwrap();
    let written = obelus_in(folder, &["table", "a.jsonl", "--out", "records.jsonl"]);
    assert_eq!(written.0, 0, "{}", written.2);
    let (status, stdout, stderr) = obelus_in(folder, &["check", "--data", "a.jsonl", "--out", "findings.jsonl"]);
    let (said, output, _) = obelus_in(folder, &["check", "--data", "--json", "a.jsonl"]);
    assert_eq!(status, said, "{stdout}{stderr}");
    let read = |name: &str| rows(&fs::read_to_string(folder.join(name)).unwrap());
    let (records, findings) = (read("records.jsonl"), read("findings.jsonl"));
    assert_eq!(findings.len(), output.lines().count());
    assert!(!findings.is_empty());
    let digests: HashSet<&Value> = records.iter().map(|row| &row["digest"]).collect();
    assert!(digests.len() == 2 && findings.iter().all(|row| digests.contains(&row["digest"])), "{findings:?}");
    for (row, line) in findings.iter().zip(rows(&output)) {
        for name in ["file", "record", "step", "path", "rule", "severity", "message"] {
            assert_eq!(row[name], line[name]);
        }
    }
    // No input, nor what is there, is written over.
    assert_eq!(obelus_in(folder, &["table", "a.jsonl", "--out", "a.jsonl", "--force"]).0, 2);
    assert_eq!(obelus_in(folder, &["table", "a.jsonl", "--out", "records.jsonl"]).0, 2);
    assert_eq!(obelus_in(folder, &["table", "a.jsonl", "--out", "records.jsonl", "--force"]).0, 0);
}

#[test]
fn files_that_are_one_run_have_a_row_and_people_a_table() {
    let run = sample("support-run.jsonl");
    let (_, stdout, stderr) = obelus(&["table", "--json", &run, &sample("desk-rollouts.jsonl")]);
    let all = rows(&stdout);
    assert_eq!(all.len(), 17, "{stderr}");
    assert!(all[0]["steps"].as_i64() > Some(3) && all[0]["digest"].is_null(), "{}", all[0]);
    let (status, stdout, _) = obelus(&["table", &sample("desk-rollouts.jsonl")]);
    assert!(status == 0 && stdout.contains("16 records") && stdout.contains("reward"), "{stdout}");
    let count = |filter: &str| {
        let (status, stdout, stderr) = obelus(&["table", "--json", "--where", filter, &run]);
        assert_eq!((status, stderr.as_str()), (0, ""));
        rows(&stdout).len()
    };
    assert_eq!((count("steps>1"), count("steps>1000")), (1, 0));
}

/// The mapping of `docs/review.md`: records of a shape that no format knows.
#[cfg(feature = "query")]
#[test]
fn records_of_any_shape_are_mapped_by_jq() {
    let page = include_str!("../../docs/review.md");
    let line = page.lines().find(|line| line.starts_with("obelus table talks.jsonl --map '")).unwrap();
    let messages = line.split('\'').nth(1).unwrap();
    let rest = line.rsplit('\'').next().unwrap().split_whitespace();
    let folder = tempfile::tempdir().unwrap();
    let say = |speaker: &str, words: &str| json!({"speaker":speaker,"utterance":words});
    let talk = json!({"key":"t1","grade":0.5,"dialog":[say("human", "Is it open?"), say("bot", "Yes.")]});
    fs::write(folder.path().join("talks.jsonl"), format!("{talk}\n")).unwrap();
    let arguments: Vec<_> = ["table", "--json", "talks.jsonl", "--map", messages].into_iter().chain(rest).collect();
    let (status, mapped, stderr) = obelus_in(folder.path(), &arguments);
    assert_eq!(status, 0, "{stderr}");
    let row = &rows(&mapped)[0];
    let members = ["id", "steps", "reward", "words"].map(|name| row[name].clone());
    assert_eq!(members, [json!("t1"), json!(2), json!(0.5), json!("Is it open?")]);
}

#[cfg(not(feature = "parquet"))]
#[test]
fn a_build_without_parquet_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("x.parquet").display().to_string();
    let (status, _, stderr) = obelus(&["table", &sample("desk-rollouts.jsonl"), "--out", &out]);
    assert!(status == 2 && stderr.contains("--features parquet"), "{stderr}");
}

/// What is written as Parquet is read again as the same rows.
#[cfg(feature = "parquet")]
#[test]
fn parquet_holds_the_same_rows() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let path = sample("desk-rollouts.jsonl");
    for command in [&["table", &path][..], &["check", "--data", "--loss", "qwen3", &path]] {
        for ending in ["jsonl", "parquet"] {
            let (_, _, stderr) = obelus_in(folder, &[command, &["--out", &format!("x.{ending}"), "--force"]].concat());
            assert!(stderr.is_empty(), "{stderr}");
        }
        let read = |name: &str| rows(&obelus_in(folder, &["query", name, "."]).1);
        let (lines, parquet) = (read("x.jsonl"), read("x.parquet"));
        assert!(lines.len() > 3);
        assert_eq!(lines, parquet);
    }
}

#[test]
fn csv_is_one_table_of_all_files() {
    let (one, other) = (sample("desk-rollouts.jsonl"), sample("fix-session.jsonl"));
    let (status, stdout, stderr) = obelus(&["table", "--csv", &one, &other]);
    assert_eq!(status, 0, "{stderr}");
    let head = stdout.lines().next().unwrap();
    assert!(head.starts_with("digest,file,record,") && stdout.matches("digest,file").count() == 1, "{head}");
    assert_eq!(stdout.lines().count(), 1 + 16 + 1);
    let folder = tempfile::tempdir().unwrap();
    let (status, printed, stderr) = obelus_in(folder.path(), &["table", &one, &other, "--out", "all.csv"]);
    assert_eq!((status, printed.as_str()), (0, ""), "{stderr}");
    assert_eq!(fs::read_to_string(folder.path().join("all.csv")).unwrap(), stdout);
    let faults = sample("faults.jsonl");
    assert_eq!(obelus_in(folder.path(), &["check", &faults, "--out", "found.csv"]).0, 1);
    let found = fs::read_to_string(folder.path().join("found.csv")).unwrap();
    assert!(found.lines().count() > 1 && found.lines().all(|line| line.matches(',').count() >= 8), "{found}");
}
