//! Sentences of `docs/cli.md` that no other test holds: what commands take, what they answer, and what their messages
//! propose.

use super::command::{command_result, fed, file, obelus, obelus_at_home, obelus_in, program, sample};
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::process::Stdio;

const PAGE: &str = include_str!("../../docs/cli.md");
const SHAPES: &str = include_str!("../../docs/rules/cli.md");

#[test]
fn an_export_and_marks_take_folders() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::create_dir_all(at.join("d/sub")).unwrap();
    for (name, id) in [("d/a.jsonl", "a"), ("d/sub/b.ndjson", "b"), ("d/c.txt", "c")] {
        file(at, name, &format!("{{\"id\":\"{id}\",\"messages\":[{{\"role\":\"user\",\"content\":\"hi\"}}]}}\n"));
    }
    let (status, _, stderr) = obelus_in(at, &["export", "d", "--out", "out.jsonl"]);
    assert_eq!((status, fs::read_to_string(at.join("out.jsonl")).unwrap().lines().count()), (0, 2), "{stderr}");
    let (status, stdout, stderr) = obelus_at_home(at, &["marks", "none.jsonl", "d"]);
    assert!(status == 2 && stderr.contains("none.jsonl: no such file"), "{stderr}");
    assert_eq!(stdout.lines().count(), 2, "of several files the others are answered: {stdout}");
    fs::create_dir(at.join("empty")).unwrap();
    let (status, _, stderr) = obelus_in(at, &["export", "d", "empty", "--out", "more.jsonl"]);
    assert!(status == 2 && stderr.contains("no file of records") && !at.join("more.jsonl").exists(), "{stderr}");
}

#[test]
fn a_text_that_is_no_reference_is_explained() {
    let run = sample("trip-run.jsonl");
    let (status, stdout, stderr) = obelus(&["resolve", &run, "state..status"]);
    assert_eq!((status, stdout.as_str()), (1, "status invalid\n"));
    assert!(stderr.contains("write it as †kind.key"), "{stderr}");
    for reference in ["†state.status", "state.status"] {
        let (status, stdout, stderr) = obelus(&["resolve", &run, reference]);
        assert!(status == 0 && stdout.starts_with("\"done\"\n") && stderr.is_empty(), "{stdout}{stderr}");
    }
    let (status, stdout, stderr) = obelus(&["resolve", &run, "state.status", "--json"]);
    assert!(status == 1 && stdout.contains("\"invalid\"") && stderr.is_empty(), "the answer has the status");
}

/// `Y` on the screen copies a path without its sign and with its instance.
#[test]
fn a_value_of_an_instance_is_found_by_the_path_that_the_screen_copies() {
    let run = sample("trip-run.jsonl");
    let (status, stdout, stderr) = obelus(&["resolve", &run, "state#2.budget", "--step", "40"]);
    assert!(status == 0 && stdout.starts_with("1500\n") && stderr.is_empty(), "{stdout}{stderr}");
    for reference in ["state.budget", "†state.budget"] {
        let (status, stdout, stderr) = obelus(&["resolve", &run, reference]);
        assert_eq!((status, stdout.as_str()), (1, "status missing · reason path\n"));
        assert!(stderr.contains("is there in ①, ②; --instance asks one of them"), "{stderr}");
    }
}

#[test]
fn a_text_is_printed_as_it_is_where_it_is_asked_for_raw() {
    let folder = tempfile::tempdir().unwrap();
    let run = file(
        folder.path(),
        "r.jsonl",
        "{\"type\":\"state\",\"state\":{\"patch\":\"--- a\\n+++ \\\"b\\\"\\n\",\"n\":1.0}}\n",
    );
    assert_eq!(obelus(&["resolve", &run, "state.patch", "--raw"]), (0, "--- a\n+++ \"b\"\n".into(), String::new()));
    assert_eq!(obelus(&["resolve", &run, "†state.n", "-r"]), (0, "1.0\n".into(), String::new()));
    let (status, stdout, stderr) = obelus(&["resolve", &run, "†state.none", "--raw"]);
    assert!(status == 1 && stdout.is_empty() && stderr.contains("missing"), "{stdout}{stderr}");
    assert_eq!(obelus(&["query", &run, ".state.patch, .state.n", "-r"]).1, "--- a\n+++ \"b\"\n\n1.0\n");
}

#[test]
fn one_step_is_text_alone_and_is_named() {
    let run = sample("trip-run.jsonl");
    assert_eq!(obelus(&["step", &run, "--step", "3"]).0, 0);
    for wrong in [&["--step", "3", "--json"][..], &[], &["--step", "-1"]] {
        let (status, stdout, stderr) = obelus(&[&["step", run.as_str()], wrong].concat());
        assert_eq!((status, stdout.as_str()), (2, ""), "{wrong:?}: {stderr}");
    }
}

#[test]
fn a_manual_page_names_the_program() {
    let (_, page, _) = obelus(&["man", "blame"]);
    let title = page.lines().find(|line| line.starts_with(".TH")).unwrap();
    assert!(title.contains("obelus-blame") && title.contains(concat!("obelus ", env!("CARGO_PKG_VERSION"))), "{title}");
}

#[test]
fn what_a_message_proposes_in_place_of_a_filter_works() {
    let folder = tempfile::tempdir().unwrap();
    let tickets = sample("tickets-std.jsonl");
    let (status, _, stderr) = obelus(&["stats", &tickets, "--where", "steps>7"]);
    let proposed = "`obelus query --where FILTER --select FILE | obelus stats -`";
    assert!(status == 2 && stderr.contains(proposed), "{stderr}");
    let (status, some, _) = obelus(&["query", "--where", "steps>7", "--select", &tickets]);
    assert_eq!((status, some.lines().count()), (0, 3));
    let (status, stdout, _) = fed(folder.path(), &["stats", "-"], &some);
    assert!(status == 0 && stdout.contains("records             3"), "{stdout}");
    let run = sample("trip-run.jsonl");
    assert_eq!(obelus(&["query", "--where", "steps>7", "--count", &run]), (0, "1\n".into(), String::new()));
    let (status, _, stderr) = obelus(&["export", &run, "--where", "steps>7", "--out", "x.jsonl"]);
    assert!(status == 2 && stderr.contains("`obelus steps FILE --where FILTER`"), "{stderr}");
}

/// The part of a page on a command.
fn section<'p>(page: &'p str, command: &str) -> &'p str {
    let (_, part) = page.split_once(&format!("\n## obelus {command}")).unwrap_or_default();
    part.split("\n## ").next().unwrap_or_default()
}

#[test]
fn every_member_of_an_answer_stands_on_a_page() {
    let files = ["trip-run.jsonl", "report-plan.json", "pole-survey.jsonl", "pole-context.json", "fix-session.jsonl"];
    // What each answer about one trajectory begins with, in "JSON answers".
    let common = ["obelus", "format", "record", "step", "steps"];
    for command in ["state", "blame", "files", "render", "context", "plan", "merge"] {
        let text = [section(PAGE, command), SHAPES].concat();
        let mut answers = 0;
        for name in files {
            let output = program().args([command, &sample(name), "--json"]).output().unwrap();
            let Ok(answer) = serde_json::from_slice::<serde_json::Map<_, _>>(&output.stdout) else { continue };
            let is_missing = |key: &&String| !common.contains(&key.as_str()) && !text.contains(&format!("\"{key}\""));
            let missing: Vec<_> = answer.keys().filter(is_missing).collect();
            assert!(missing.is_empty(), "obelus {command}: no page has {missing:?}");
            answers += 1;
        }
        assert!(answers > 0, "{command} answered nothing");
    }
}

/// The names of the members of a value, at any depth; those of `free` have names of the input.
fn member_names(value: &serde_json::Value, free: &[&str], out: &mut BTreeSet<String>) {
    match value {
        serde_json::Value::Object(members) => {
            for (name, value) in members {
                out.insert(name.clone());
                if !free.contains(&name.as_str()) {
                    member_names(value, free, out);
                }
            }
        }
        serde_json::Value::Array(values) => values.iter().for_each(|value| member_names(value, free, out)),
        _ => {}
    }
}

#[test]
fn every_member_below_an_answer_stands_in_its_section() {
    let (run, session) = (sample("trip-run.jsonl"), sample("fix-session.jsonl"));
    let (tickets, rollouts) = (sample("tickets-std.jsonl"), sample("desk-rollouts.jsonl"));
    let free = ["value", "stats", "tools", "pass_at", "pass_all", "numbers", "percentiles", "record"];
    let asked: [&[&str]; 17] = [
        &["loss", &rollouts, "--max-tokens", "20"],
        &["tree", &rollouts],
        &["tree", &rollouts, "--by-action"],
        &["cause", &run, "state.budget", "--step", "40"],
        &["when", &run, "state", "--invalid"],
        &["history", &run, "†state.budget", "--instance", "2"],
        &["context", &session],
        &["files", &session],
        &["blame", &session, "--file", "totals.py"],
        &["plan", &run],
        &["diff", &run, "--from", "40", "--to", "41"],
        &["diff", &run, &session, "--format", "generic"],
        &["diff", &rollouts, &tickets, "--changes"],
        &["stats", &rollouts, "--tasks"],
        &["stats", &rollouts, "--outcomes"],
        &["query", &tickets, ".id"],
        &["check", &tickets],
    ];
    for words in asked {
        let answer = obelus(&[words, &["--json"]].concat()).1;
        let text = [section(PAGE, words[0]), SHAPES, "\"obelus\" \"format\" \"record\" \"step\" \"steps\""].concat();
        let mut names = BTreeSet::new();
        for line in answer.lines() {
            member_names(&serde_json::from_str(line).unwrap(), &free, &mut names);
        }
        names.retain(|name| !text.contains(&format!("\"{name}\"")) && !text.contains(&format!("`{name}`")));
        assert!(!answer.is_empty() && names.is_empty(), "obelus {words:?}: no page has {names:?}");
    }
}

#[test]
fn examples_of_tables_are_rows_of_them() {
    for command in [&["themes"][..], &["themes", "dark"], &["keys"], &["formats"]] {
        let name = command[0];
        let answer = obelus(&[command, &["--json"]].concat()).1;
        let begin = &answer[..=answer.find("[{").unwrap() + 1];
        let line = section(PAGE, name).lines().find(|line| line.starts_with(begin)).unwrap();
        let example = line[begin.len()..].trim_end_matches("]}");
        let example = example.split(",\"about\"").next().unwrap();
        assert!(answer.contains(example), "docs/cli.md: obelus {name}: {example} is no row");
    }
}

/// The examples in TOML of a page.
fn settings(page: &str) -> Vec<String> {
    let parts = page.split("```toml\n").skip(1);
    parts.map(|part| part.split("```").next().unwrap().to_owned()).collect()
}

#[test]
fn examples_of_configurations_are_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::create_dir_all(at.join("config/obelus")).unwrap();
    fs::create_dir(at.join("schemas")).unwrap();
    fs::write(at.join("schemas/embedding.json"), "{}").unwrap();
    fs::write(at.join("known.jsonl"), "").unwrap();
    let (run, mut count) = (sample("trip-run.jsonl"), 0);
    for name in ["ci", "cli", "keys", "review"] {
        let page = fs::read_to_string(format!("{}/docs/{name}.md", env!("CARGO_MANIFEST_DIR"))).unwrap();
        for text in settings(&page) {
            let is_of_project = ["[check]", "[data-types]", "[map]"].iter().any(|table| text.contains(table));
            let (path, command) = if is_of_project {
                ("obelus.toml", ["check", run.as_str()])
            } else {
                ("config/obelus/config.toml", ["config", "check"])
            };
            fs::write(at.join(path), &text).unwrap();
            let (status, stdout, stderr) = obelus_at_home(at, &command);
            // Status 1 is a finding: `deny` makes errors of them.
            assert!(status == 0 || is_of_project && status == 1, "docs/{name}.md: {text}{stdout}{stderr}");
            fs::remove_file(at.join(path)).unwrap();
            count += 1;
        }
    }
    assert!(count >= 8, "{count} examples");
}

#[test]
fn standard_input_that_is_no_text_is_one_message() {
    let inputs: [(&[u8], &str); 4] = [
        (b"PAR1\n\n\n\n", "a Parquet file"),
        (b"PK\x03\x04\n\n\n\n", "a zip archive"),
        (b"SQLite format 3\0\n\n", "an SQLite database"),
        (b"\xff\xfe{\0}\0\n\0", "UTF-16 text"),
    ];
    for (bytes, what) in inputs {
        for command in [&["tail", "-", "--json"][..], &["tail", "-", "--once"], &["stats", "-"]] {
            let mut child = program();
            let mut child = child
                .args(command)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            child.stdin.take().unwrap().write_all(bytes).unwrap();
            let (status, stdout, stderr) = command_result(&child.wait_with_output().unwrap());
            assert_eq!((status, stdout.as_str(), stderr.lines().count()), (2, "", 1), "{command:?}: {stderr}");
            assert!(stderr.contains(what), "{command:?}: {stderr}");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let (status, stdout, _) = fed(folder.path(), &["tail", "-", "--once", "--json"], "no json\n{}\n");
    assert_eq!((status, stdout.lines().count()), (1, 2), "other bytes are broken lines: {stdout}");
}

#[cfg(unix)]
#[test]
fn a_pipe_of_what_is_no_text_is_one_message() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let writer = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::write(pipe, b"PAR1\n\n\n\n").unwrap()
    });
    let output = program().args(["tail", "--json"]).arg(&pipe).output().unwrap();
    writer.join().unwrap();
    let (status, stdout, stderr) = command_result(&output);
    assert_eq!((status, stdout.as_str(), stderr.lines().count()), (2, "", 1), "{stderr}");
    assert!(stderr.contains("a Parquet file"), "{stderr}");
}
