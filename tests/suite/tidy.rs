//! The sentences of `docs/architecture.md` that a machine can check: directions between rooms, sizes, banned words.

use std::fs;
use std::path::{Path, PathBuf};

/// Each room and the rooms that it may name.
const ROOMS: &[(&str, &[&str])] = &[
    ("json", &[]),
    ("text", &[]),
    ("model", &["json", "text"]),
    ("state", &["json", "text", "model"]),
    ("rules", &["json", "text", "model", "state"]),
    ("format", &["json", "text", "model", "state", "rules"]),
    ("lint", &["json", "text", "model", "format"]),
    ("review", &["json", "text", "model", "state", "rules", "format", "lint"]),
    ("panes", &["json", "text", "model", "state", "rules", "format", "lint", "review"]),
    ("app", &["json", "text", "model", "state", "rules", "format", "lint", "review", "panes"]),
    ("source", &["json", "text", "model"]),
    ("ingest", &["json", "text", "model", "state", "format", "source"]),
    ("ui", &["text", "panes", "app"]),
    ("shell", &["json", "text", "model", "state", "format", "review", "panes", "app", "source", "ingest", "ui"]),
    (
        "cli",
        &[
            "json", "text", "model", "state", "rules", "format", "lint", "review", "panes", "app", "source", "ingest",
            "ui", "shell",
        ],
    ),
];

/// What only some rooms may name, and what to do instead.
const RESERVED: &[(&str, &[&str], &str)] = &[
    ("ratatui", &["ui", "shell"], "make rows of pieces; ui paints them"),
    ("std::fs", &["source", "ingest", "shell", "cli"], "ask for bytes through model::Bytes"),
    ("std::thread", &["source", "ingest", "shell", "cli"], "return an Effect; shell runs it on a thread"),
    ("std::time", &["source", "ingest", "shell", "cli"], "take times as arguments"),
    ("std::env", &["source", "ingest", "shell", "cli"], "take settings as arguments"),
    ("std::process", &["source", "ingest", "shell", "cli"], "return an Effect"),
    ("notify::", &["source"], "follow through source"),
    ("syntect", &["ui"], "ask ui::code"),
    ("jaq", &["cli"], "only the worker of `query` runs foreign expressions"),
    ("flate2", &["source"], "open it through source::Input, which unpacks"),
    ("ruzstd", &["source"], "open it through source::Input, which unpacks"),
    ("clap", &["cli"], "parse arguments in cli"),
    ("crossterm", &["shell", "ui"], "only the shell knows the terminal"),
];

/// Words that have no place outside tests, and what to do instead.
const BANNED: &[(&str, &str)] = &[
    ("todo!(", "write it"),
    ("dbg!(", "take it out"),
    ("unimplemented!(", "write it"),
    (".unwrap()", "handle the case or return a Problem"),
    (".expect(", "handle the case or return a Problem"),
    ("panic!(", "return a Problem"),
];

/// Private words that names, comments and messages had once, and the field's word for each (`docs/architecture.md`,
/// Glossary). Matched as parts of words, without regard to case.
const PRIVATE_WORDS: &[(&str, &str)] = &[
    ("sieve", "step filter"),
    ("one's own", "custom"),
    ("ownname", "CustomColumn"),
    ("stand_back", "lower_priority"),
    ("stands_back", "dimmed"),
    ("verdicts", "violations"),
    ("keeper", "mark journal"),
    ("enum tale", "TailItem"),
    ("struct exam ", "SchemaChecker"),
    ("struct held", "what it holds: NonEmptyColumns, DragState, CheckedIdentity"),
    ("struct told", "what is reported: TailReport, ReportedCounts, CellValue"),
    ("struct credit", "Attribution"),
    ("struct rooms", "Arena"),
    ("struct spell", "ViolationInterval"),
];

const LINES_MAX: usize = 500;
const LINE_CHARS_MAX: usize = 120;
const FUNCTION_LINES_MAX: usize = 70;

fn sources() -> Vec<(PathBuf, String)> {
    let mut out = Vec::new();
    let mut folders = vec![PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("tests.rs") {
                let text = fs::read_to_string(&path).unwrap();
                out.push((path, text));
            }
        }
    }
    assert!(out.len() > 40, "the walk found the sources");
    out
}

fn room_of(path: &Path) -> Option<String> {
    let below = path.strip_prefix(concat!(env!("CARGO_MANIFEST_DIR"), "/src")).ok()?;
    let mut parts = below.components();
    let first = parts.next()?.as_os_str().to_str()?.to_owned();
    parts.next().map(|_| first)
}

/// The code without its unit tests and without comments.
fn code(text: &str) -> String {
    let body = text.split("#[cfg(test)]").next().unwrap_or("");
    body.lines().filter(|l| !l.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

fn faults(path: &str, room: &str, text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let code = code(text);
    let allowed = ROOMS.iter().find(|(r, _)| *r == room).map_or(&[][..], |(_, a)| a);
    for (other, _) in ROOMS {
        if *other != room && !allowed.contains(other) && code.contains(&format!("crate::{other}::")) {
            out.push(format!("{path}: {room} may not name {other}; move the code or turn the dependency round"));
        }
    }
    for (word, rooms, instead) in RESERVED {
        if !rooms.contains(&room) && code.contains(word) {
            out.push(format!("{path}: {word} has no place in {room}; {instead}"));
        }
    }
    for (word, instead) in BANNED {
        if code.contains(word) {
            out.push(format!("{path}: {word}…; {instead}"));
        }
    }
    if !text.starts_with("//!") {
        out.push(format!("{path}: begins without //!; say what the file is for and what it does not know"));
    }
    out.extend(private_words(path, text));
    out.extend(sizes(path, text));
    out
}

fn private_words(path: &str, text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.to_lowercase();
        let found = PRIVATE_WORDS.iter().find(|(word, _)| line.contains(word));
        out.extend(found.map(|(word, instead)| format!("{path}:{}: {word:?} is a private word; say {instead}", i + 1)));
    }
    out
}

fn sizes(path: &str, text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() > LINES_MAX {
        out.push(format!("{path}: {} lines; split it by reason to change", lines.len()));
    }
    // A text alone on its line, a line of JSON Lines, and a row of the table of keys, are as long as they are.
    let is_example = |l: &str| l.starts_with("{\"") || l.contains(": r#\"{\"");
    let is_text = |l: &str| l.trim_start().starts_with('"') || is_example(l) || l.contains("row(C::");
    let is_long = |l: &&str| l.chars().count() > LINE_CHARS_MAX && !is_text(l);
    if let Some(i) = lines.iter().position(is_long) {
        out.push(format!("{path}:{}: longer than {LINE_CHARS_MAX} characters", i + 1));
    }
    let mut start = None;
    for (i, line) in lines.iter().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let head = line.trim_start();
        let is_function = head.starts_with("fn ")
            || (head.starts_with("pub") && head.contains(" fn "))
            || head.starts_with("const fn ");
        if is_function && !head.ends_with(';') {
            start = Some((i, indent));
        }
        if let Some((from, depth)) = start
            && indent == depth
            && *line == format!("{}}}", " ".repeat(depth))
        {
            if i - from > FUNCTION_LINES_MAX {
                out.push(format!("{path}:{}: a function of {} lines; split it", from + 1, i - from));
            }
            start = None;
        }
    }
    out
}

#[test]
fn rooms_sizes_and_words() {
    let mut all = Vec::new();
    for (path, text) in sources() {
        let room = room_of(&path).unwrap_or_default();
        let name = path.display().to_string();
        if room.is_empty() || path.ends_with("tests.rs") {
            all.extend(sizes(&name, &text));
        } else {
            all.extend(faults(&name, &room, &text));
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn the_checks_can_fail() {
    for (room, text, word) in [
        ("json", "//! x\nuse crate::model::Step;\n", "may not name model"),
        ("panes", "//! x\nuse ratatui::buffer::Buffer;\n", "ratatui"),
        ("app", "//! x\nfn f() { std::fs::read(\"x\"); }\n", "std::fs"),
        ("state", "//! x\nfn f() { g().unwrap(); }\n", "unwrap"),
        ("state", "use std::rc::Rc;\n", "begins without"),
    ] {
        let found = faults("x.rs", room, text);
        assert!(found.iter().any(|f| f.contains(word)), "{word}: {found:?}");
    }
    assert_eq!(private_words("x.rs", "/// The sieve.\n/// A filter.\npub struct Exam {").len(), 2);
    let long = format!("//! x\nfn f() {{\n{}}}\n", "    g();\n".repeat(FUNCTION_LINES_MAX + 1));
    assert!(sizes("x.rs", &long).iter().any(|f| f.contains("a function of")));
    assert!(sizes("x.rs", &"\n".repeat(LINES_MAX + 1)).iter().any(|f| f.contains("split it by reason")));
}

#[test]
fn every_test_file_is_in_the_suite() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite");
    let main = fs::read_to_string(format!("{folder}/main.rs")).unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if let Some(module) = name.strip_suffix(".rs").filter(|m| *m != "main") {
            assert!(main.contains(&format!("mod {module};")), "{name} is not named in main.rs");
        }
    }
}
