//! Faults and attacks on the commands: what a terminal is sent, what no JSON is to all of them, what stays on the disk.

use super::command::{RECORD, file, obelus_at_home, obelus_in, program};
use super::terminal::Terminal;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;

/// R10: bidi, invisible and tag characters, C1, and more marks on a letter than a cell has.
const HIDDEN: &str = "a\u{202e}b\u{200b}c\u{e0041}d\u{2066}e\u{feff}f\u{9b}31m";

#[test]
fn no_command_sends_hidden_characters_to_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let marks = format!("e{}", "\u{301}".repeat(60));
    let record = RECORD.replace("\"x\"", &format!("\"{HIDDEN}{marks}\""));
    let data = file(at, "d.jsonl", &record);
    let journal = at.join("m.jsonl").to_str().unwrap().to_owned();
    let note = format!("n {HIDDEN}");
    assert_eq!(obelus_at_home(at, &["mark", &data, "--note", &note, "--marks", &journal]).0, 0);
    let commands: [&[&str]; 8] = [
        &["query", &data, "."],
        &["query", &data, ".", "--json"],
        &["query", &data, ".", "--select"],
        &["marks", "--marks", &journal, "--json"],
        &["marks", "merge", &journal],
        &["tail", &data, "--once", "--json"],
        &["render", &data, "--json"],
        &["steps", &data, "--format", "generic"],
    ];
    for command in commands {
        let sent = Terminal::run(command, &[("NO_COLOR", "1")]).printed();
        let is_hidden = |c: &char| !matches!(c, '\n' | '\r') && obelus::text::is_hidden(*c);
        let found: String = sent.chars().filter(is_hidden).map(|c| format!("{c:?} ")).collect();
        assert_eq!(found, "", "{command:?}: {sent}");
        assert!(!sent.contains(&"\u{301}".repeat(9)), "{command:?}: {sent}");
        assert!(sent.contains("\\u202e") || sent.contains("⟨U+202E⟩"), "{command:?}: {sent}");
    }
    let (_, piped, _) = obelus_in(at, &["query", &data, "."]);
    assert!(piped.contains("\u{202e}") && piped.contains("\\u009b"), "a pipe gets it exactly: {piped}");
}

/// R9: bytes that are not UTF-8 make a record unreadable for every command, however long it is.
#[test]
fn a_record_that_is_no_utf8_is_unreadable_to_all_commands() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for filler in [0, 300_000] {
        let mut text = b"{\"a\":\"ok\"}\n{\"a\":\"".to_vec();
        text.extend(vec![b'x'; filler]);
        text.extend(b"\xff\"}\n{\"a\":\"b\"}\n");
        fs::write(at.join("d.jsonl"), &text).unwrap();
        let run = |arguments: &[&str]| obelus_in(at, arguments);
        let byte = text.iter().position(|byte| *byte == 0xff).unwrap().to_string();
        let (_, steps, _) = run(&["steps", "d.jsonl", "--json"]);
        assert_eq!(steps.matches("\"kind\":\"broken\"").count(), 1, "{steps}");
        let (_, stats, _) = run(&["stats", "d.jsonl", "--json"]);
        assert!(stats.contains("\"unreadable\":1"), "{stats}");
        let (status, findings, _) = run(&["check", "d.jsonl"]);
        assert!(status == 1 && findings.contains(&byte), "{findings}");
        assert_eq!(run(&["query", "d.jsonl", "."]).0, 1);
        assert_eq!(run(&["tail", "d.jsonl", "--once"]).0, 1);
        for options in [&["--out", "o.jsonl"][..], &["--out", "o.json"], &["--redact", "--out", "r.jsonl"]] {
            let (status, said, _) = run(&[&["export", "d.jsonl", "--force"][..], options].concat());
            assert!(status == 0 && said.contains("1  left out: no JSON"), "{said}");
            let name = options.last().unwrap();
            assert!(String::from_utf8(fs::read(at.join(name)).unwrap()).is_ok(), "{name}");
        }
        let written: serde_json::Value = serde_json::from_slice(&fs::read(at.join("o.json")).unwrap()).unwrap();
        assert_eq!(written.as_array().map(Vec::len), Some(2));
    }
}

#[test]
fn an_export_writes_only_json() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    file(at, "d.jsonl", "{\"a\":nul}\n{\"a\":1}\n{\"a\":1} x\n{\"a\":\"\\ud800\"}\n");
    let (status, said, _) = obelus_in(at, &["export", "d.jsonl", "--format", "generic", "--out", "o.json"]);
    assert_eq!((status, fs::read_to_string(at.join("o.json")).unwrap().as_str()), (0, "[\n{\"a\":1}\n]\n"), "{said}");
}

#[test]
fn a_redaction_says_which_bytes_it_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let first = "{\"a\":1}\n";
    let second = "{\"mail\":\"to ann@example.org\",\"b\":2}";
    file(at, "d.jsonl", &format!("{first}{second}\n"));
    let (status, _, said) =
        obelus_in(at, &["export", "d.jsonl", "--format", "generic", "--redact", "--out", "o.jsonl"]);
    let string = "\"to ann@example.org\"";
    let begin = first.len() + second.find(string).unwrap();
    let place = format!("d.jsonl record 1: email in bytes {begin} to {}", begin + string.len());
    assert!(status == 0 && said.contains(&place), "{said}");
    let manifest = fs::read_to_string(at.join("o.jsonl.manifest.json")).unwrap();
    let place = format!("\"replaced\":[{{\"kind\":\"email\",\"offset\":{begin},\"len\":{}}}]", string.len());
    assert!(manifest.contains(&place), "{manifest}");
}

/// R27: whoever reads the first lines alone learns by the exit status what `check` found.
#[test]
fn a_check_whose_reader_has_enough_keeps_its_status() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for (text, lines, expected) in [("{\"a\":nul}\n", 1, 1), ("{\"a\":nul}\n", 8_000, 1), ("{\"a\":1}\n", 2, 0)] {
        file(at, "d.jsonl", &text.repeat(lines));
        for form in ["--json", "--sarif"] {
            let mut command = program();
            command.args(["check", "d.jsonl", form]).current_dir(at).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = command.spawn().unwrap();
            let mut reader = BufReader::new(child.stdout.take().unwrap());
            if lines > 1 && expected == 1 {
                reader.read_line(&mut String::new()).unwrap();
            }
            drop(reader);
            let status = child.wait().unwrap();
            let mut said = String::new();
            child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
            assert_eq!((status.code(), said.as_str()), (Some(expected), ""), "{lines} lines, {form}");
        }
    }
}

#[test]
fn marks_that_are_saved_are_reported_even_where_stdout_is_full() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    file(at, "d.jsonl", RECORD);
    let mut command = program();
    command.args(["mark", "d.jsonl", "--as", "good", "--marks", "m.jsonl"]).current_dir(at);
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = command.stdout(full).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("1 decision on a written") && said.contains("cannot write the answer"), "{said}");
    assert_eq!(fs::read_to_string(at.join("m.jsonl")).unwrap().lines().count(), 1);
}

#[test]
fn a_new_journal_is_for_its_owner_alone() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    file(at, "d.jsonl", RECORD);
    assert_eq!(obelus_at_home(at, &["mark", "d.jsonl", "--as", "good"]).0, 0);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let journal = at.join("data/obelus/marks.jsonl");
    assert_eq!((mode(&journal), mode(journal.parent().unwrap())), (0o600, 0o700));
}

#[test]
fn a_file_without_size_is_read_to_its_end() {
    let path = "/proc/sys/kernel/pid_max";
    let number = fs::read_to_string(path).unwrap().trim().to_owned();
    assert_eq!(fs::metadata(path).unwrap().len(), 0);
    let folder = tempfile::tempdir().unwrap();
    for command in [&["query", path, "."][..], &["query", path, ".", "--select"]] {
        let (status, stdout, said) = obelus_in(folder.path(), command);
        assert_eq!((status, stdout.trim(), said.as_str()), (0, number.as_str(), ""), "{command:?}");
    }
    let (status, stdout, _) = obelus_in(folder.path(), &["tail", path, "--once", "--json"]);
    assert!(status == 0 && stdout.contains(&format!("\"record\":{number}")), "{stdout}");
}

#[test]
fn a_loop_of_links_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::os::unix::fs::symlink("b.jsonl", at.join("a.jsonl")).unwrap();
    std::os::unix::fs::symlink("a.jsonl", at.join("b.jsonl")).unwrap();
    for command in [&["steps", "a.jsonl"][..], &["check", "a.jsonl"], &["tail", "--once", "a.jsonl"], &["a.jsonl"]] {
        let (status, _, said) = obelus_in(at, command);
        assert!(status == 2 && said.contains("links that lead back to each other"), "{command:?}: {said}");
    }
}

#[test]
fn a_pattern_that_is_too_large_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    file(at, "d.jsonl", RECORD);
    for command in ["query", "export", "mark", "marks"] {
        let rest: &[&str] = match command {
            "query" => &["--count"],
            "export" => &["--out", "o.jsonl"],
            "mark" => &["--flag"],
            _ => &[],
        };
        let all = [&[command, "d.jsonl", "--where", r"\w{900}{900}"][..], rest].concat();
        let (status, _, said) = obelus_at_home(at, &all);
        assert!(status == 2 && said.contains("1 MiB"), "{command}: {said}");
    }
}
