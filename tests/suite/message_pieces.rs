//! Messages that several records tell piece by piece: what looks at a message sees all of it.

use super::command::{file, obelus, sample};
use serde_json::Value;
use std::fs;

/// A run of AG-UI in which the agent says a text in two pieces.
fn run(first: &str, second: &str) -> String {
    let event = |text: &str| format!(r#"{{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"{text}"}}"#);
    [
        r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#.to_owned(),
        r#"{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}"#.to_owned(),
        event(first),
        event(second),
        r#"{"type":"TEXT_MESSAGE_END","messageId":"m"}"#.to_owned(),
    ]
    .map(|line| line + "\n")
    .concat()
}

#[test]
fn runs_differ_in_a_later_piece() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name, text: &str| file(folder.path(), name, text);
    let (a, b) = (file("a.jsonl", &run("my budg", "et is 5")), file("b.jsonl", &run("my budg", "et is 7")));
    let result = obelus(&["diff", &a, &b, "--json"]);
    let answer: Value = serde_json::from_str(&result.1).unwrap();
    assert_eq!((result.0, answer["hunks"].as_array().map(Vec::len)), (1, Some(1)), "{answer}");
    assert_eq!(obelus(&["diff", &a, &a]).0, 0);
}

#[test]
fn a_filter_finds_words_across_and_in_later_pieces() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "a.jsonl", &run("my budg", "et is 5"));
    for words in ["my", "budget", "is 5"] {
        let result = obelus(&["steps", &path, "--where", words, "--json"]);
        let lines: Vec<Value> = result.1.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.iter().map(|line| &line["step"]).collect::<Vec<_>>(), [1], "{words}");
    }
}

#[test]
fn a_page_has_no_secret_that_came_in_pieces() {
    let key = format!("AKIA{}", "Q3EGRWPLN7ZK5TXB");
    let folder = tempfile::tempdir().unwrap();
    let path =
        file(folder.path(), "a.jsonl", &run(&format!("my key is {}", &key[..8]), &format!("{}, use it", &key[8..])));
    let page = format!("{path}.html");
    let result = obelus(&["report", &path, "--redact", "--out", &page]);
    let html = fs::read_to_string(&page).unwrap();
    assert_eq!(result.0, 0, "{}", result.2);
    assert!(html.contains("my key is [REDACTED:aws-key], use it") && !html.contains(&key[..8]));
    assert!(html.contains("1 secret replaced"));
}

#[test]
fn checks_find_what_comes_in_pieces_once() {
    let folder = tempfile::tempdir().unwrap();
    let key = format!("AKIA{}", "Q3EGRWPLN7ZK5TXB");
    let found = |first: &str, second: &str| -> Vec<Value> {
        let path = file(folder.path(), "a.jsonl", &run(first, second));
        let (_, stdout, _) = obelus(&["check", "--data", "--json", &path]);
        stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    for (first, second, rule) in
        [(&key[..8], &key[8..], "data.secret"), ("write to jo.miller@", "mail.uni-x.de", "data.personal")]
    {
        let all = found(first, second);
        assert_eq!((all.len(), &all[0]["rule"], &all[0]["record"]), (1, &rule.into(), &1.into()), "{all:?}");
        assert!(all[0]["message"].as_str().unwrap().ends_with("it comes in pieces, in records 1 to 3"), "{all:?}");
    }
    let whole = found(&key, " is mine");
    assert!(whole.len() == 1 && whole[0]["path"] == "/delta", "{whole:?}");
}

#[test]
fn records_are_not_called_redacted_while_pieces_of_a_secret_are_left() {
    let folder = tempfile::tempdir().unwrap();
    let key = format!("AKIA{}", "Q3EGRWPLN7ZK5TXB");
    let path = file(folder.path(), "a.jsonl", &run(&key[..8], &key[8..]));
    let out = format!("{path}.out");
    let (status, _, errors) = obelus(&["export", &path, "--redact", "--out", &out]);
    assert_eq!((status, fs::exists(&out).unwrap()), (2, false), "{errors}");
    assert!(errors.contains("1 secret comes in pieces") && errors.contains("--to messages"), "{errors}");
    assert_eq!(obelus(&["export", &path, "--redact", "--to", "messages", "--out", &out]).0, 0);
    let text = fs::read_to_string(&out).unwrap();
    assert!(text.contains("[REDACTED:aws-key]") && !text.contains(&key[..8]), "{text}");
}

/// A record of a log that cannot be read is in no step: what counts and lists steps says so.
#[test]
fn a_record_that_is_in_no_step_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let broken = run("a", "b").replace("{\"type\":\"TEXT_MESSAGE_END\"", "xx\n{\"type\":\"TEXT_MESSAGE_END\"");
    let path = file(folder.path(), "a.jsonl", &broken);
    let (status, lines, errors) = obelus(&["steps", &path, "--json"]);
    assert_eq!((status, lines.lines().count()), (0, 2));
    assert!(errors.contains("1 record that cannot be read gives no step"), "{errors}");
    let (_, stats, _) = obelus(&["stats", &path, "--json", "--only", "dataset"]);
    assert!(stats.contains(r#""unreadable":1,"#), "{stats}");
}

/// A secret that is whole in a record is replaced there, also where a step is made of several values.
#[test]
fn records_with_whole_secrets_are_redacted_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let key = format!("AKIA{}", "Q3EGRWPLN7ZK5TXB");
    let whole = run(&format!("use {key} "), "now");
    let session = fs::read_to_string(sample("fix-session.jsonl")).unwrap().replace(" and ", &format!(" {key} "));
    for (name, text) in [("a.jsonl", whole), ("b.jsonl", session)] {
        let path = file(folder.path(), name, &text);
        let out = format!("{path}.out");
        let (status, _, errors) = obelus(&["export", &path, "--redact", "--out", &out]);
        assert_eq!(status, 0, "{name}: {errors}");
        assert!(!fs::read_to_string(&out).unwrap().contains(&key), "{name}");
    }
}
