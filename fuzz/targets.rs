//! What the fuzz targets do with their bytes, in one place: `fuzz_targets` and `tests/suite/corpus.rs` name it.
//!
//! A target fails by a panic. It is given files of any content, and asks of them what the commands ask.

use obelus::app::keys::KEYS;
use obelus::format::FORMATS;
use obelus::shell::headless::Stage;
use obelus::source::Input;
use obelus::ui::Theme;
use obelus::{cli, json};
use std::fs;
use std::path::Path;

/// A target: its name, which is that of its corpus, and what it does.
pub(crate) type Target = (&'static str, fn(&[u8]));

/// All targets.
pub(crate) const TARGETS: [Target; 11] = [
    ("json", json_text),
    ("formats", formats),
    ("containers", containers),
    ("schema", schema),
    ("plan", plan),
    ("references", references),
    ("templates", templates),
    ("filters", filters),
    ("journal", journal),
    ("follower", follower),
    ("keys", keys),
];

/// Gives a target its bytes.
pub(crate) fn run(name: &str, bytes: &[u8]) {
    TARGETS.iter().filter(|(other, _)| *other == name).for_each(|(_, target)| target(bytes));
}

const RUN: &str = r#"{"type":"state","state":{"a":[1,{"b":2}],"a.b":null}}
{"type":"data","kind":"k","data":{"c":3},"_instance":"x"}
"#;

const CHAT: &str = r#"{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"yes"}]}"#;

/// The exit status and the answer of a command.
fn ask(arguments: &[&str]) -> (u8, Vec<u8>) {
    let mut out = Vec::new();
    let arguments = std::iter::once("obelus").chain(arguments.iter().copied());
    let status = cli::answer(arguments.map(Into::into), &mut out);
    assert!(status <= 2, "{status}");
    (status, out)
}

/// Asks of files in a folder of their own.
fn with_files(files: &[(&str, &[u8])], ask: impl FnOnce(&[&str])) {
    let folder = tempfile::tempdir().expect("a folder for the files of a target");
    let write = |(name, bytes): &(&str, &[u8])| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("a file for a target");
        text(&path)
    };
    let paths: Vec<String> = files.iter().map(write).collect();
    ask(&paths.iter().map(String::as_str).collect::<Vec<_>>());
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Without NUL, which no argument can hold.
fn argument(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace('\0', " ")
}

/// What is printed of a value is the value.
fn json_text(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(value) = json::parse(text) {
        let printed = json::compact(&value);
        let again = json::parse(&printed).expect("what is printed is JSON");
        assert_eq!(json::compact(&again), printed);
        assert!(json::parse(&json::pretty(&value)).is_ok());
    }
}

/// Every format reads every file.
fn formats(bytes: &[u8]) {
    with_files(&[("input.jsonl", bytes)], |files| {
        for name in FORMATS.iter().map(|format| format.name()).chain(["auto"]) {
            for command in ["check", "steps", "stats", "state"] {
                ask(&[command, files[0], "--json", "--format", name]);
            }
        }
    });
}

/// Archives, databases, pickles and packed files, by their first bytes and by their names.
fn containers(bytes: &[u8]) {
    with_files(&[("input", bytes), (".langgraph_checkpoint.1.pckl", bytes)], |files| {
        for command in ["stats", "check", "steps", "files"] {
            files.iter().for_each(|file| drop(ask(&[command, file, "--json"])));
        }
    });
}

/// The first line is a schema, the second a value.
fn schema(bytes: &[u8]) {
    let text = argument(bytes);
    let (schema, value) = text.split_once('\n').unwrap_or((&text, "{}"));
    let file = format!("{{\"type\":\"data\",\"kind\":\"k\",\"schema\":{schema},\"data\":{value}}}");
    with_files(&[("input.jsonl", file.as_bytes())], |files| {
        ask(&["check", files[0], "--json", "--format", "acts"]);
    });
}

/// The calls of a plan, as JSON.
fn plan(bytes: &[u8]) {
    let file = format!("{RUN}{{\"type\":\"plan\",\"plan\":{}}}\n", argument(bytes).replace('\n', " "));
    with_files(&[("input.jsonl", file.as_bytes())], |files| {
        for command in ["plan", "check"] {
            ask(&[command, files[0], "--json", "--format", "acts"]);
        }
    });
}

/// A reference, as it is typed.
fn references(bytes: &[u8]) {
    let reference = argument(bytes);
    with_files(&[("input.jsonl", RUN.as_bytes())], |files| {
        for command in ["resolve", "history", "blame"] {
            ask(&[command, "--format", "acts", "--json", "--", files[0], &reference]);
        }
    });
}

/// A chat template.
fn templates(bytes: &[u8]) {
    with_files(&[("chat.jsonl", CHAT.as_bytes()), ("chat.jinja", bytes)], |files| {
        ask(&["loss", files[0], "--json", "--template", files[1]]);
    });
}

/// A filter, as it is typed.
fn filters(bytes: &[u8]) {
    let filter = format!("--where={}", argument(bytes));
    with_files(&[("input.jsonl", RUN.as_bytes()), ("none.jsonl", b"")], |files| {
        ask(&["steps", files[0], "--json", "--marks", files[1], &filter]);
    });
}

/// A journal of marks.
fn journal(bytes: &[u8]) {
    with_files(&[("marks.jsonl", bytes)], |files| {
        ask(&["marks", "--json", "--marks", files[0]]);
    });
}

/// A file that is followed to its end.
fn follower(bytes: &[u8]) {
    with_files(&[("input.jsonl", bytes)], |files| {
        ask(&["tail", files[0], "--json", "--once"]);
    });
}

/// Keys, each by its number in the table of keys; what is drawn last is drawn.
fn keys(bytes: &[u8]) {
    let words: Vec<&str> = KEYS.iter().flat_map(|row| row.keys).copied().filter(|key| *key != "C-z").collect();
    let input = Input::memory("input.jsonl", RUN);
    let mut stage = Stage::open(input, None, (80, 24), Theme::built_in("dark").expect("a theme that is built in"))
        .expect("a run opens");
    for byte in bytes.iter().take(200) {
        stage.press(words[usize::from(*byte) % words.len()]).expect("keys of the table");
    }
    let _frame = stage.buffer();
}
