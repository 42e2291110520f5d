//! The rules of `docs/rules`: each one that is cited exists, and each one that an answer can show has a vector.

use obelus::json::{self, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Letter of the rules, their page in `docs/rules`, and their number.
const PAGES: [(char, &str, usize); 6] = [
    ('A', "agent-data.md", 45),
    ('D', "adp.md", 24),
    ('R', "reliability.md", 30),
    ('S', "scopix.md", 30),
    ('T', "tail.md", 19),
    ('W', "work.md", 14),
];

/// Rules of the three systems that no answer of a command can show, and where they are tested.
const WITHOUT_VECTOR: [(&str, &str); 2] = [("D21", "tests/suite/screen_text.rs"), ("D24", "tests/suite/export.rs")];

fn project(below: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(below)
}

/// The numbers of the rules that a page states: paragraphs that begin `**A1`.
fn stated(letter: char, text: &str) -> Vec<usize> {
    let start = format!("**{letter}");
    let numbers = text.lines().filter_map(|line| line.strip_prefix(&start));
    numbers.filter_map(|rest| digits(rest)).map(|(number, _)| number).collect()
}

/// The number at the start of a text and what follows it.
fn digits(text: &str) -> Option<(usize, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok().map(|number| (number, &text[end..]))
}

/// The citations in a text, each as its place and its rule: a letter of [`PAGES`] and one or two digits that stand as a
/// word.
fn citations(text: &str) -> Vec<(usize, String)> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '"' | '\'' | '+' | '#' | '-' | '.' | '/' | '`');
    let mut found = Vec::new();
    for (at, letter) in text.char_indices().filter(|(_, c)| PAGES.iter().any(|(letter, ..)| letter == c)) {
        let before = text[..at].chars().next_back();
        let Some((number, rest)) = digits(&text[at + 1..]) else { continue };
        let is_cited = !before.is_some_and(is_word) && !rest.chars().next().is_some_and(|c| c.is_alphanumeric());
        if is_cited && number < 100 {
            found.push((at, format!("{letter}{number}")));
        }
    }
    found
}

fn cited(text: &str) -> BTreeSet<String> {
    citations(text).into_iter().map(|(_, rule)| rule).collect()
}

/// A text of a page in `docs` with a link at each rule that it cites.
pub(crate) fn linked(text: &str) -> String {
    let mut out = text.to_owned();
    for (at, rule) in citations(text).into_iter().rev() {
        let page = PAGES.iter().find(|(letter, ..)| rule.starts_with(*letter)).map_or("README.md", |(_, page, _)| page);
        out.replace_range(at..at + rule.len(), &format!("[{rule}](rules/{page})"));
    }
    out
}

/// Comments of a Rust file; all of another file.
fn prose(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    if path.extension().is_none_or(|e| e != "rs") {
        return text;
    }
    text.lines().filter_map(|line| line.split_once("//").map(|(_, comment)| comment)).collect::<Vec<_>>().join("\n")
}

fn files_below(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let has_ending = path.extension().is_some_and(|e| endings.iter().any(|ending| e == *ending));
        match path.is_dir() {
            true => found.extend(files_below(&path, endings)),
            false if has_ending => found.push(path),
            false => {}
        }
    }
    found
}

#[test]
fn each_page_states_its_rules_once_and_in_order() {
    for (letter, page, count) in PAGES {
        let text = fs::read_to_string(project("docs/rules").join(page)).unwrap();
        assert_eq!(stated(letter, &text), (1..=count).collect::<Vec<_>>(), "{page}");
    }
}

#[test]
fn each_rule_that_is_cited_exists() {
    let known: BTreeSet<String> =
        PAGES.iter().flat_map(|(letter, _, count)| (1..=*count).map(move |n| format!("{letter}{n}"))).collect();
    let mut faults = Vec::new();
    for folder in ["src", "core/src", "tests/suite", "docs"] {
        for path in files_below(&project(folder), &["rs", "md"]) {
            let unknown = cited(&prose(&path)).into_iter().filter(|rule| !known.contains(rule));
            faults.extend(unknown.map(|rule| format!("{}: {rule} is no rule of docs/rules", path.display())));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn each_rule_that_an_answer_can_show_has_a_vector() {
    let mut vectors: BTreeMap<String, usize> = BTreeMap::new();
    for path in files_below(&project("tests/vectors"), &["json"]) {
        let text = fs::read_to_string(&path).unwrap();
        let vector = json::parse(&text).unwrap();
        let rules = vector.get("rules").and_then(Value::as_array).unwrap_or_default();
        for rule in rules.iter().filter_map(Value::as_str) {
            *vectors.entry(rule.to_owned()).or_default() += 1;
        }
    }
    for (letter, _, count) in PAGES.iter().filter(|(letter, ..)| matches!(letter, 'A' | 'D' | 'S')) {
        for rule in (1..=*count).map(|n| format!("{letter}{n}")) {
            let is_tested_elsewhere = WITHOUT_VECTOR.iter().any(|(known, _)| *known == rule);
            assert!(vectors.contains_key(&rule) != is_tested_elsewhere, "{rule}: a vector, or a row of WITHOUT_VECTOR");
        }
    }
    for (rule, file) in WITHOUT_VECTOR {
        assert!(cited(&prose(&project(file))).contains(rule), "{file} does not cite {rule}");
    }
}

#[test]
fn the_checks_can_fail() {
    assert_eq!(stated('A', "**A1 File.** x\n- **A2** y\n**A3.** z"), [1, 3]);
    let found = cited("(A46), S1, D2-D3, XA4, A5b, A100, \"A6\", T3.");
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["A46", "D2", "S1", "T3"]);
}
