//! Precision and recall of the rules that look at datasets, over findings that people labelled.
//!
//! `tests/findings/labelled.jsonl` has a case a line: records, and the rules that should report them; made up, but
//! as real data is. What a rule misses by design is there too, with a note. This prints the table:
//!
//! ```sh
//! cargo test --test suite measured_lints -- --nocapture
//! ```

use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

/// Families whose rules are measured.
const FAMILIES: [&str; 3] = ["data.", "sft.", "adp."];

/// Letters and digits of which secrets are made, so that no text of ours looks like one.
const LETTERS: &str = "aB3dE5gH7jK9mN1pQ2sT4vW6yZ8";

#[derive(Deserialize)]
struct Case {
    case: String,
    reported: BTreeSet<String>,
    #[expect(dead_code, reason = "for people")]
    note: Option<String>,
    records: Vec<Box<RawValue>>,
}

/// How often a rule was reported where it should be, where it should not, and not where it should.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Score {
    right: usize,
    wrong: usize,
    missed: usize,
}

fn cases() -> Vec<Case> {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/findings/labelled.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A text with its secrets: `{{PREFIX:N}}` stands for the prefix and N letters.
fn with_secrets(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, inside)) = rest.split_once("{{") {
        let made = inside.split_once("}}").and_then(|(inside, after)| {
            let (prefix, count) = inside.rsplit_once(':')?;
            Some((prefix, count.parse::<usize>().ok()?, after))
        });
        out.push_str(before);
        match made {
            Some((prefix, count, after)) => {
                out.push_str(prefix);
                out.extend(LETTERS.chars().cycle().take(count));
                rest = after;
            }
            None => {
                out.push_str("{{");
                rest = inside;
            }
        }
    }
    out + rest
}

/// The rules that are reported of some records.
fn reported_rules(case: &Case, folder: &std::path::Path) -> BTreeSet<String> {
    let file = folder.join("case.jsonl");
    let lines: Vec<String> = case.records.iter().map(|record| with_secrets(record.get())).collect();
    fs::write(&file, lines.join("\n") + "\n").unwrap();
    let arguments = ["obelus", "check", "--data", "--json", file.to_str().unwrap()];
    let mut out = Vec::new();
    // Its status says whether there are errors.
    let _ = obelus::cli::answer(arguments.map(Into::into), &mut out);
    let rule =
        |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["rule"].as_str().map(str::to_owned);
    let rules = std::str::from_utf8(&out).unwrap().lines().filter_map(rule);
    rules.filter(|rule| FAMILIES.iter().any(|family| rule.starts_with(family))).collect()
}

fn measured() -> (BTreeMap<String, Score>, Vec<String>, usize) {
    let folder = tempfile::tempdir().unwrap();
    let (mut scores, mut others, mut labels) = (BTreeMap::<String, Score>::new(), Vec::new(), 0);
    for case in cases() {
        labels += case.reported.len().max(1);
        let reported = reported_rules(&case, folder.path());
        for rule in reported.union(&case.reported) {
            let score = scores.entry(rule.clone()).or_default();
            match (reported.contains(rule), case.reported.contains(rule)) {
                (true, true) => score.right += 1,
                (true, false) => score.wrong += 1,
                _ => score.missed += 1,
            }
            if reported.contains(rule) != case.reported.contains(rule) {
                let how = if reported.contains(rule) { "is told and should not be" } else { "is missed" };
                others.push(format!("{}: {rule} {how}", case.case));
            }
        }
    }
    (scores, others, labels)
}

fn percent(part: usize, all: usize) -> String {
    if all == 0 { "–".to_owned() } else { format!("{:.0} %", part as f64 / all as f64 * 100.0) }
}

/// The section of `docs/lints.md`.
pub(crate) fn section() -> String {
    let (scores, _, labels) = measured();
    let sum = |of: fn(&Score) -> usize| scores.values().map(of).sum::<usize>();
    let (right, wrong, missed) = (sum(|s| s.right), sum(|s| s.wrong), sum(|s| s.missed));
    let mut out = format!(
        "\n## How well the rules find\n\nMeasured over {labels} labels on {} cases of `tests/findings/labelled.jsonl`: \
         invented cases that resemble real data, with near misses that must not be reported and faults that the rules \
         are known to miss (each with a note). *Precision* is the share of reported findings that are right, *recall* \
         the share of faults that are reported. `cargo test --test suite measured_lints -- --nocapture` prints the table, and what is \
         wrong or missed.\n\n| rule | right | wrong | missed | precision | recall |\n\
         | --- | --- | --- | --- | --- | --- |\n",
        cases().len()
    );
    let mut row = |name: &str, score: &Score| {
        let Score { right, wrong, missed } = score;
        let (precision, recall) = (percent(*right, right + wrong), percent(*right, right + missed));
        let _ = writeln!(out, "| {name} | {right} | {wrong} | {missed} | {precision} | {recall} |");
    };
    scores.iter().for_each(|(rule, score)| row(&format!("`{rule}`"), score));
    row("all", &Score { right, wrong, missed });
    out
}

#[test]
fn rules_are_measured_over_labelled_findings() {
    let (scores, others, labels) = measured();
    println!("{}\n{}", section(), others.join("\n"));
    assert!(labels >= 200, "{labels} labels");
    assert!(scores.len() >= 25, "{scores:?}");
    let wrong: Vec<&String> = others.iter().filter(|message| message.ends_with("should not be")).collect();
    let right: usize = scores.values().map(|score| score.right).sum();
    // A rule that reports what is no fault is worse than one that misses something.
    assert!(wrong.len() * 33 <= right, "{wrong:#?}");
}

#[test]
fn secrets_are_put_together() {
    assert_eq!(with_secrets("a {{x_:4}} {{ role }} {{:2}}"), "a x_aB3d {{ role }} aB");
}
