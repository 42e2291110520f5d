//! The sentences of `docs/architecture.md` that a machine can check: directions between rooms, sizes, banned words.

mod actions;
mod code;
mod decisions;
mod duplicates;
mod formats;
mod searches;
mod words;

use super::tree_files::files_with;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use words::{BANNED, COMMENT_PHRASES, COMMENT_WORDS, PRIVATE_WORDS};

/// Each room and the rooms that it may name.
const ROOMS: &[(&str, &[&str])] = &[
    ("json", &[]),
    ("text", &[]),
    ("model", &["json", "text"]),
    ("framing", &["json", "model"]),
    ("state", &["json", "text", "model"]),
    ("rules", &["json", "text", "model", "state"]),
    ("format", &["json", "text", "model", "state", "rules"]),
    ("lint", &["json", "text", "model", "format"]),
    ("review", &["json", "text", "model", "state", "rules", "format", "lint"]),
    ("detect", &["json", "model", "framing", "format"]),
    ("batch", &["json", "model", "framing", "state", "rules", "format", "detect", "review"]),
    ("panes", &["json", "text", "model", "state", "rules", "format", "lint", "review"]),
    ("app", &["json", "text", "model", "state", "rules", "format", "lint", "review", "panes"]),
    ("platform", &[]),
    ("source", &["json", "text", "model", "framing", "platform"]),
    ("ingest", &["json", "text", "model", "framing", "state", "format", "detect", "batch", "source"]),
    ("ui", &["text", "panes", "app"]),
    (
        "shell",
        &[
            "json", "text", "model", "state", "format", "detect", "review", "panes", "app", "platform", "source",
            "ingest", "ui",
        ],
    ),
    (
        "cli",
        &[
            "json", "text", "model", "state", "rules", "format", "detect", "lint", "review", "batch", "panes", "app",
            "platform", "source", "ingest", "ui", "shell",
        ],
    ),
];

/// What only some rooms may name, and what to do instead.
const RESERVED: &[(&str, &[&str], &str)] = &[
    ("ratatui", &["ui", "shell", "platform"], "make rows of pieces; ui paints them"),
    ("std::fs", &["platform", "source", "ingest", "shell", "cli"], "ask for bytes through model::Bytes"),
    ("std::thread", &["platform", "source", "ingest", "shell", "cli"], "return an Effect; shell runs it on a thread"),
    ("std::time", &["platform", "source", "ingest", "shell", "cli"], "take times as arguments"),
    ("std::env", &["source", "ingest", "shell", "cli"], "take settings as arguments"),
    ("std::process", &["platform", "source", "ingest", "shell", "cli"], "return an Effect"),
    ("notify::", &["source"], "follow through source"),
    ("syntect", &["ui"], "ask ui::code"),
    ("jaq", &["cli"], "only the worker of `query` runs foreign expressions"),
    ("flate2", &["source"], "open it through source::Input, which unpacks"),
    ("ruzstd", &["source"], "open it through source::Input, which unpacks"),
    ("clap", &["cli"], "parse arguments in cli"),
    ("crossterm", &["shell", "ui", "platform"], "only the shell knows the terminal"),
    ("std::os", &["platform"], "put what differs between systems into platform"),
    ("cfg(unix)", &["platform"], "put what differs between systems into platform"),
    ("cfg(windows)", &["platform"], "put what differs between systems into platform"),
    ("rustix", &["platform"], "put what differs between systems into platform"),
    ("signal_hook", &["platform"], "put what differs between systems into platform"),
    ("ctrlc", &["platform"], "put what differs between systems into platform"),
    ("winapi_util", &["platform"], "put what differs between systems into platform"),
    ("win32job", &["platform"], "put what differs between systems into platform"),
];

const LINES_MAX: usize = 500;
const LINE_CHARS_MAX: usize = 120;
const FUNCTION_LINES_MAX: usize = 70;

/// The folders of sources, one a package. A room stands in one of them.
const PACKAGES: &[&str] = &["src", "core/src"];

/// One file of the sources: its path below the folder of its package, and its text.
struct Source {
    path: String,
    text: String,
}

impl Source {
    /// The room that it stands in; none for `lib.rs` and `main.rs`.
    fn room(&self) -> Option<&str> {
        self.path.split_once('/').map(|(room, _)| room)
    }

    fn is_tests(&self) -> bool {
        self.path.ends_with("/tests.rs")
    }

    /// The names of its module, from the root of the crate.
    fn module(&self) -> Vec<&str> {
        let stem = self.path.strip_suffix(".rs").unwrap_or(&self.path);
        stem.split('/').filter(|part| !matches!(*part, "mod" | "lib" | "main")).collect()
    }

    /// What the program is made of: no comments, texts and tests.
    fn code(&self) -> String {
        code::without_tests(&code::code(&self.text))
    }
}

fn sources() -> Vec<Source> {
    let of = |package: &&str| sources_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join(package));
    let out: Vec<Source> = PACKAGES.iter().flat_map(of).collect();
    assert!(out.len() > 40, "the walk found the sources");
    out
}

fn sources_below(root: &Path) -> Vec<Source> {
    let source = |path: PathBuf| Source {
        text: fs::read_to_string(&path).unwrap(),
        path: path.strip_prefix(root).unwrap().display().to_string(),
    };
    files_with(root, "rs").into_iter().map(source).collect()
}

/// A path of code whose parts begin at the root of the crate, as `panes, row, Row`.
struct Named {
    line: usize,
    parts: Vec<String>,
    is_reexport: bool,
}

/// What code names of its own crate, with `crate::`, or with enough `super::` that they leave the room.
fn names(source: &Source, code: &str) -> Vec<Named> {
    let module = source.module();
    let absolute = |path: code::Path| {
        let supers = path.parts.iter().take_while(|part| *part == "super").count();
        let kept = if path.parts[0] == "crate" { 0 } else { module.len().saturating_sub(supers) };
        let own = path.parts.into_iter().skip(supers.max(1));
        let parts = module[..kept].iter().map(|part| (*part).to_owned()).chain(own).collect();
        Named { line: path.line, parts, is_reexport: path.is_reexport }
    };
    code::paths(code, &["crate", "super"]).into_iter().map(absolute).collect()
}

/// Names that a room hands on though they are another's: room, name, whose.
fn handed_on(all: &[Source]) -> BTreeSet<(String, String, String)> {
    let mut out = BTreeSet::new();
    for source in all {
        let Some(room) = source.room() else { continue };
        for named in names(source, &source.code()) {
            let (of, name) = (&named.parts[0], &named.parts[named.parts.len() - 1]);
            if named.is_reexport && of != room && ROOMS.iter().any(|(room, _)| room == of) {
                out.insert((room.to_owned(), name.clone(), of.clone()));
            }
        }
    }
    out
}

/// Arrows between rooms that point the wrong way, also where a name is handed on by a third room.
fn arrows(source: &Source, code: &str, handed_on: &BTreeSet<(String, String, String)>) -> Vec<String> {
    let Some(room) = source.room() else { return Vec::new() };
    let allowed = ROOMS.iter().find(|(r, _)| *r == room).map_or(&[][..], |(_, a)| a);
    let may = |other: &str| other == room || allowed.contains(&other);
    let mut out = Vec::new();
    for Named { line, parts, .. } in names(source, code) {
        let (of, name) = (parts[0].as_str(), parts[parts.len() - 1].as_str());
        let place = format!("{}:{line}", source.path);
        if !ROOMS.iter().any(|(other, _)| *other == of) {
            out.push(format!("{place}: {of} is no room; name what stands in one"));
        } else if !may(of) {
            out.push(format!("{place}: {room} may not name {of}; move the code or turn the dependency round"));
        } else if let Some((_, _, whose)) =
            handed_on.iter().find(|(by, what, whose)| by == of && what == name && !may(whose))
        {
            out.push(format!("{place}: {room} may not name {whose}, whose {name} {of} hands on"));
        }
    }
    out
}

/// Crates and parts of the standard library that have no place in a room.
fn reserved(source: &Source, code: &str) -> Vec<String> {
    let room = source.room().unwrap_or_default();
    let named = code::paths(code, &["std"]);
    let mut out = Vec::new();
    for (word, rooms, instead) in RESERVED {
        let is_named =
            named.iter().any(|path| format!("{}::", path.parts.join("::")).starts_with(&format!("{word}::")));
        if !rooms.contains(&room) && (is_named || code.contains(word)) {
            out.push(format!("{}: {word} has no place in {room}; {instead}", source.path));
        }
    }
    out
}

fn banned(source: &Source, code: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (i, line) in code.lines().enumerate() {
        let found = BANNED.iter().find(|(word, _)| line.contains(word));
        out.extend(found.map(|(word, instead)| format!("{}:{}: {word}…; {instead}", source.path, i + 1)));
    }
    out
}

fn faults(source: &Source, handed_on: &BTreeSet<(String, String, String)>) -> Vec<String> {
    let mut out = Vec::new();
    if !source.is_tests() {
        let code = source.code();
        out.extend(arrows(source, &code, handed_on));
        out.extend(source.room().map_or_else(Vec::new, |_| reserved(source, &code)));
        out.extend(banned(source, &code));
    }
    if !source.text.starts_with("//!") && source.path != "main.rs" {
        out.push(format!("{}: begins without //!; say what the file is for and what it does not know", source.path));
    }
    out.extend(private_words(&source.path, &source.text));
    out.extend(comment_words(&source.path, &source.text));
    out.extend(sizes(&source.path, &source.text));
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

fn comment_words(path: &str, text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let comments = text.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with("//"));
    for (i, line) in comments {
        let plain: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        let words: Vec<&str> = plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let text = words.join(" ").to_lowercase();
        let found = COMMENT_PHRASES.iter().find(|(phrase, _)| text.contains(phrase));
        out.extend(found.map(|(phrase, instead)| format!("{path}:{}: {phrase:?} in a comment; say {instead}", i + 1)));
        for (at, word) in words.iter().enumerate() {
            let is_banned = |(banned, before, _): &&(&str, &[&str], &str)| {
                word.eq_ignore_ascii_case(banned) && !words.get(at + 1).is_some_and(|next| before.contains(next))
            };
            let found = COMMENT_WORDS.iter().find(is_banned);
            out.extend(
                found.map(|(word, _, instead)| format!("{path}:{}: {word:?} in a comment; say {instead}", i + 1)),
            );
        }
    }
    out
}

fn sizes(path: &str, text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() > LINES_MAX {
        out.push(format!("{path}: {} lines; split it by reason to change", lines.len()));
    }
    // A text alone on its line, a line of JSON Lines, a row of the table of keys, and inputs of tests, are as long as
    // they are.
    let is_example = |l: &str| l.starts_with("{\"") || l.contains(": r#\"{\"");
    let is_text = |l: &str| l.trim_start().starts_with('"') || is_example(l) || l.contains("row(C::");
    let is_tests = path.ends_with("/tests.rs");
    let is_long = |l: &&str| l.chars().count() > LINE_CHARS_MAX && !is_tests && !is_text(l);
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
            let len = lines[from..i].iter().filter(|line| !is_row(line)).count();
            if len > FUNCTION_LINES_MAX {
                out.push(format!("{path}:{}: a function of {len} lines; split it", from + 1));
            }
            start = None;
        }
    }
    out
}

/// Whether a line is one arm of a match over actions, which are a table and as many as there are keys.
fn is_row(line: &str) -> bool {
    line.trim_start().starts_with("A::") && line.contains(" => ") && line.ends_with(',')
}

/// Places that tell one pane or tab from another. Only `src/app/pane` and the layout may: what differs from pane to
/// pane is a function of `PaneContent`, so that a tab is one file and one row there (and one row of `KEYS`).
fn pane_matches(source: &Source) -> Vec<String> {
    let mut out = Vec::new();
    for (i, line) in source.code().lines().enumerate() {
        for name in ["Pane::", "Tab::"] {
            for (at, _) in line.match_indices(name) {
                let (before, after) = (line[..at].trim_end(), &line[at + name.len()..]);
                let (variant, rest) = after.split_at(after.find(|c: char| !c.is_alphanumeric()).unwrap_or(after.len()));
                let is_variant = variant.starts_with(char::is_uppercase) && variant != "ALL";
                let is_pattern = ["=>", "|", "if ", "@"].iter().any(|sign| rest.trim_start().starts_with(sign));
                let is_compared = ["==", "!=", "|"].iter().any(|sign| before.ends_with(sign));
                if is_variant && (is_pattern || is_compared || line.contains("matches!(")) {
                    let place = format!("{}:{}: {}", source.path, i + 1, line.trim());
                    out.push(format!("{place}; make it a function of PaneContent"));
                }
            }
        }
    }
    out
}

#[test]
fn only_the_panes_distinguish_panes() {
    let sources = sources();
    let is_free = |path: &str| path.starts_with("app/pane/") || path == "app/layout.rs" || path.ends_with("/tests.rs");
    let app = sources.iter().filter(|source| source.path.starts_with("app/") && !is_free(&source.path));
    let all: Vec<String> = app.flat_map(pane_matches).collect();
    assert!(all.is_empty(), "{}", all.join("\n"));
    for line in [
        "Pane::Steps => self.f(),",
        "    Pane::Table | Pane::Plot if x => 1,",
        "if self.pane == Pane::Files {",
        "if matches!(tab, Tab::Loss) {",
    ] {
        assert!(!pane_matches(&made("app/x.rs", line)).is_empty(), "{line}");
    }
    let other = "self.pane = Pane::Steps;\nself.show_tab(Tab::Loss);\nTab::ALL.len() == 1";
    assert!(pane_matches(&made("app/x.rs", other)).is_empty());
}

#[test]
fn rooms_sizes_and_words() {
    let sources = sources();
    let handed_on = handed_on(&sources);
    let all: Vec<String> = sources.iter().flat_map(|source| faults(source, &handed_on)).collect();
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// A made-up source.
fn made(path: &str, code: &str) -> Source {
    Source { path: path.to_owned(), text: format!("//! x\n{code}\n") }
}

/// What is found in a made-up source, beside others.
fn found_in(path: &str, code: &str, others: &[Source]) -> String {
    faults(&made(path, code), &handed_on(others)).join("\n")
}

#[test]
fn an_arrow_that_points_the_wrong_way_is_found() {
    for (path, code, other) in [
        ("json/x.rs", "use crate::model::Step;", "model"),
        ("json/x.rs", "use crate::{text::SafeText, model::{Step, Place}};", "model"),
        ("json/x.rs", "use {std::fmt, crate::model::Step};", "model"),
        ("json/x.rs", "use super::super::model::Step;", "model"),
        ("json/mod.rs", "use super::{model::Step, text};", "model"),
        ("json/x/y.rs", "fn f() -> super::super::super::model::Step {}", "model"),
        ("text/x.rs", "#[cfg(test)]\nmod tests { fn f() {} }\nuse crate::model::Step;", "model"),
        ("text/x.rs", "#[cfg(test)]\nuse std::fs;\nfn f(x: crate::app::App) {}", "app"),
        ("ui/x.rs", "fn f() { let _x = crate::shell::run(); }", "shell"),
    ] {
        let found = found_in(path, code, &[]);
        assert!(found.contains(&format!("may not name {other}")), "{path}: {code}: {found}");
    }
    for (path, code) in [
        ("model/x.rs", "use crate::{json::Value, text::SafeText};"),
        ("json/x/y.rs", "use super::super::parse; use super::z; use crate::json::w;"),
        ("json/x.rs", "// crate::model::Step\nconst A: &str = \"crate::model::Step\";"),
        ("json/x.rs", "#[cfg(test)]\nmod tests {\n    use crate::model::Step;\n}"),
    ] {
        assert_eq!(found_in(path, code, &[]), "", "{path}: {code}");
    }
    assert!(found_in("json/x.rs", "use crate::Shortcut;", &[]).contains("is no room"));
}

#[test]
fn an_arrow_behind_a_reexport_is_found() {
    let others = [made("format/plan.rs", "pub use crate::rules::graph::{Edges, End};"), made("format/mod.rs", "")];
    for code in ["use crate::format::plan::Edges;", "use crate::format::{Run, End as E};"] {
        let found = found_in("ingest/x.rs", code, &others);
        assert!(found.contains("may not name rules"), "{code}: {found}");
    }
    assert_eq!(found_in("panes/x.rs", "use crate::format::plan::Edges;", &others), "");
    assert_eq!(found_in("ingest/x.rs", "use crate::format::plan::Run;", &others), "");
    let private = [made("format/plan.rs", "use crate::rules::graph::Edges;")];
    assert_eq!(found_in("ingest/x.rs", "use crate::format::plan::Edges;", &private), "");
}

#[test]
fn a_crate_without_a_place_in_a_room_is_found() {
    for (path, code, word) in [
        ("panes/x.rs", "use ratatui::buffer::Buffer;", "ratatui"),
        ("app/x.rs", "fn f() { std::fs::read(p); }", "std::fs"),
        ("app/x.rs", "use std::{collections::BTreeMap, fs::File};", "std::fs"),
        ("app/x.rs", "use std::fs;", "std::fs"),
        ("rules/x.rs", "use std::{env, fmt};", "std::env"),
        ("state/x.rs", "use std::time::Instant;", "std::time"),
        ("source/x.rs", "use std::os::unix::fs::MetadataExt;", "std::os"),
        ("shell/x.rs", "#[cfg(windows)]\nfn f() {}", "cfg(windows)"),
    ] {
        let found = found_in(path, code, &[]);
        assert!(found.contains(&format!("{word} has no place")), "{code}: {found}");
    }
    assert_eq!(found_in("shell/x.rs", "use std::{env, fs::File, time::Instant};", &[]), "");
    assert_eq!(found_in("app/x.rs", "use std::{collections::BTreeMap, fmt};", &[]), "");
}

#[test]
fn banned_words_are_found_in_the_whole_of_a_file() {
    for (word, _) in BANNED {
        let code = format!("#[cfg(test)]\nmod tests {{}}\nfn f() {{ x{word}y); }}");
        let found = found_in("cli/x.rs", &code, &[]);
        assert!(found.contains("cli/x.rs:4:") && found.contains(word), "{word}: {found}");
        let blank = format!("/* {word} */ const A: &str = \"{word}\"; // {word}");
        assert_eq!(found_in("cli/x.rs", &blank, &[]), "");
    }
    assert!(found_in("main.rs", "fn main() { f().unwrap(); }", &[]).contains("main.rs:2:"));
}

#[test]
fn words_heads_and_sizes_are_checked() {
    for (word, _) in PRIVATE_WORDS {
        assert_eq!(private_words("x.rs", &format!("/// A filter.\n{word}\n")).len(), 1, "{word}");
    }
    for (word, before, _) in COMMENT_WORDS {
        let comment = |text: &str| comment_words("x.rs", &format!("    /// A value {text} here.\n"));
        assert_eq!(comment(word).len(), 1, "{word}");
        assert_eq!(comment(&format!("`{word}`")), Vec::<String>::new(), "{word}");
        assert!(before.iter().all(|next| comment(&format!("{word} {next}")).is_empty()), "{word}");
    }
    assert_eq!(comment_words("x.rs", "let told = 1;\n"), Vec::<String>::new());
    assert_eq!(comment_words("x.rs", "/// So many bytes.\n").len(), 1);
    let headless = Source { path: "state/x.rs".to_owned(), text: "use std::rc::Rc;\n".to_owned() };
    assert!(faults(&headless, &BTreeSet::new())[0].contains("begins without"));
    let long = |line: &str| format!("fn f() {{\n{}}}\n", line.repeat(FUNCTION_LINES_MAX + 1));
    assert!(sizes("x.rs", &long("    g();\n")).iter().any(|f| f.contains("a function of")));
    let inner = long("        g();\n").replace("fn f", "    pub(super) fn f").replace("\n}", "\n    }");
    assert!(sizes("x.rs", &inner).iter().any(|f| f.contains("a function of")));
    assert!(sizes("x.rs", &long("        A::Up => self.up(),\n")).is_empty(), "rows of a table are not counted");
    assert!(sizes("x.rs", &"\n".repeat(LINES_MAX + 1)).iter().any(|f| f.contains("split it by reason")));
    assert!(sizes("x.rs", &"x".repeat(LINE_CHARS_MAX + 1)).iter().any(|f| f.contains("longer than")));
    assert!(sizes("x.rs", &format!("    \"{}\"", "x".repeat(LINE_CHARS_MAX))).is_empty());
}

/// Files of the suite that its main file does not name: no test of theirs runs.
fn left_out(main: &str, files: &[String]) -> Vec<String> {
    let is_left_out = |name: &&String| {
        let module = name.strip_suffix(".rs").filter(|module| *module != "main");
        module.is_some_and(|module| !main.lines().any(|line| line == format!("mod {module};")))
    };
    files.iter().filter(is_left_out).cloned().collect()
}

#[test]
fn every_test_file_is_in_the_suite() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suite");
    let main = fs::read_to_string(format!("{folder}/main.rs")).unwrap();
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let files: Vec<String> = fs::read_dir(folder).unwrap().map(name).collect();
    assert_eq!(left_out(&main, &files), Vec::<String>::new());
    let made = ["a.rs", "b.rs", "main.rs", "folder"].map(str::to_owned);
    assert_eq!(left_out("mod a;\n// mod b;\n", &made), ["b.rs"]);
}
