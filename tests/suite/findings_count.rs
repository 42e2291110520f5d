//! What `check` finds decides alike in filters, exports, queries, marks and steps, and what `obelus.toml`, `--allow`,
//! `--deny` and `--baseline` say of findings holds for all of them.

use super::command::{file, obelus_at_home};
use std::fs;
use std::path::Path;

/// Three records: the second holds an address, the third nothing that an agent says.
const RECORDS: &str = concat!(
    r#"{"id":"a","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"hello"}]}"#,
    "\n",
    r#"{"id":"b","messages":[{"role":"user","content":"I am ann.miller@gmail.com"},"#,
    r#"{"role":"assistant","content":"hello Ann"}]}"#,
    "\n",
    r#"{"id":"c","messages":[{"role":"user","content":"bye"},{"role":"assistant","content":""}]}"#,
    "\n",
);

/// The ids of the records that `query` lets through.
fn queried(folder: &Path, options: &[&str]) -> String {
    let (status, stdout, stderr) = obelus_at_home(folder, &[&["query", "--select", "r.jsonl"], options].concat());
    assert!(status < 2, "{options:?}: {stderr}");
    ids(&stdout)
}

/// The ids of the records that `export` writes.
fn exported(folder: &Path, options: &[&str]) -> String {
    let arguments = [&["export", "r.jsonl", "--force", "--out", "out.jsonl"], options].concat();
    let (status, _, stderr) = obelus_at_home(folder, &arguments);
    assert!(status < 2, "{options:?}: {stderr}");
    ids(&fs::read_to_string(folder.join("out.jsonl")).unwrap())
}

fn ids(lines: &str) -> String {
    let id = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].as_str().unwrap().to_owned();
    lines.lines().map(id).collect::<Vec<_>>().join(" ")
}

#[test]
fn what_only_a_pass_finds_decides_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    file(at, "r.jsonl", RECORDS);
    for (filter, expected) in [
        ("finding:data.personal", "b"),
        ("!finding:data.personal", "a c"),
        ("finding:data", "b"),
        ("finding:sft.empty", "c"),
        ("!finding:data.personal !finding:sft", "a"),
    ] {
        assert_eq!(queried(at, &["--where", filter]), expected, "query {filter}");
        assert_eq!(exported(at, &["--where", filter]), expected, "export {filter}");
    }
    let loss = ["--where", "finding:loss.cut", "--loss", "chatml", "--max-tokens", "12"];
    assert_eq!(queried(at, &loss), exported(at, &loss));
    let (status, _, stderr) = obelus_at_home(at, &["query", "--select", "r.jsonl", "--where", "finding:loss.cut"]);
    assert!(status == 2 && stderr.contains("--loss"), "{stderr}");
    let (status, stdout, stderr) =
        obelus_at_home(at, &["mark", "r.jsonl", "--where", "finding:data.personal", "--as", "bad"]);
    assert!(status == 0 && stdout.contains("1 decision on b"), "{stdout}{stderr}");
    assert_eq!(queried(at, &["--where", "mark:bad"]), "b");
    let (_, steps, _) = obelus_at_home(at, &["steps", "r.jsonl", "--where", "finding:data.personal"]);
    assert_eq!(steps.lines().count(), 1, "{steps}");
    assert!(steps.trim_start().starts_with("1:0"), "{steps}");
}

#[test]
fn rules_that_are_allowed_count_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    file(at, "r.jsonl", RECORDS);
    assert_eq!(exported(at, &["--only-clean"]), "a b", "what check finds without options");
    assert_eq!(exported(at, &["--only-clean", "--allow", "sft.empty"]), "a b c");
    assert_eq!(queried(at, &["--where", "warnings>0"]), "c");
    assert_eq!(queried(at, &["--where", "warnings>0", "--allow", "sft"]), "");
    assert_eq!(queried(at, &["--where", "errors>0", "--deny", "sft.empty"]), "c");
    assert_eq!(queried(at, &["--where", "finding:data.personal", "--allow", "data"]), "");
    let (_, steps, _) = obelus_at_home(at, &["steps", "r.jsonl", "--where", "finding:sft", "--allow", "sft"]);
    assert_eq!(steps, "");
    let (status, _, stderr) = obelus_at_home(at, &["export", "r.jsonl", "--only-clean", "--allow", "x", "--out", "o"]);
    assert!(status == 2 && stderr.contains("there is no rule `x`"), "{stderr}");
}

#[test]
fn the_configuration_of_the_project_counts_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    file(at, "r.jsonl", RECORDS);
    file(at, "obelus.toml", "[check]\nallow = [\"sft.empty\", \"data.personal\"]\n");
    assert_eq!(obelus_at_home(at, &["check", "--data", "r.jsonl"]).0, 0);
    assert_eq!(exported(at, &["--only-clean"]), "a b c");
    assert_eq!(queried(at, &["--where", "finding:data.personal"]), "");
    assert_eq!(exported(at, &["--where", "!finding:data.personal"]), "a b c");
    assert_eq!(queried(at, &["--where", "warnings>0"]), "");
    file(at, "other.toml", "[check]\ndeny = [\"sft.empty\"]\n");
    assert_eq!(queried(at, &["--where", "errors>0", "--config", "other.toml"]), "c");
}

#[test]
fn findings_that_a_baseline_knows_count_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    file(at, "r.jsonl", RECORDS);
    let (status, _, stderr) = obelus_at_home(at, &["check", "--data", "r.jsonl", "--write-baseline", "known.jsonl"]);
    assert_eq!(status, 0, "{stderr}");
    let known = ["--baseline", "known.jsonl"];
    assert_eq!(exported(at, &[&["--only-clean"], &known[..]].concat()), "a b c");
    assert_eq!(exported(at, &[&["--only-clean", "--where", "!finding:sft"], &known[..]].concat()), "a b c");
    assert_eq!(queried(at, &[&["--where", "finding:data.personal"], &known[..]].concat()), "");
    let (_, steps, _) = obelus_at_home(at, &[&["steps", "r.jsonl", "--where", "finding:sft"], &known[..]].concat());
    assert_eq!(steps, "");
    file(at, "obelus.toml", "[check]\nbaseline = \"known.jsonl\"\n");
    assert_eq!(exported(at, &["--only-clean"]), "a b c");
}
