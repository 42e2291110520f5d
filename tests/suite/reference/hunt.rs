//! Random cases one after the other, from a fixed seed; those that fail are made small, and shown as they are found.

use proptest::strategy::{BoxedStrategy, Strategy, ValueTree};
use proptest::test_runner::{Config, TestRng, TestRunner};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io::Write;

/// Failures that are made small before the search ends.
const FAILURES_MAX: usize = 25;
/// Tries to make a failure smaller.
const TRIES_MAX: usize = 400;
/// Cases after which a long run says how far it is.
const PROGRESS_CASES: usize = 500;

/// Says it at once, also where the test's output is kept back, so that nothing is lost when a run is ended.
fn print_now(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Number of documents of a long run: `OBELUS_CASES`.
pub(crate) fn cases() -> usize {
    std::env::var("OBELUS_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(2_000)
}

/// What kind of a difference it is: without numbers and what stands in quotes.
fn class(fault: &str) -> String {
    let words = fault.split(|c: char| c.is_whitespace() || "\";/".contains(c)).filter(|w| !w.is_empty());
    let is_name = |w: &&str| w.chars().all(|c| c.is_ascii_alphabetic() || "._-".contains(c));
    words.filter(is_name).take(12).collect::<Vec<_>>().join(" ")
}

/// Draws cases and fails with the smallest of each class of those that `fails` says something of.
pub(crate) fn search<V: Debug>(cases: usize, strategy: &BoxedStrategy<V>, fails: impl Fn(&V) -> Option<String>) {
    let config = Config { failure_persistence: None, ..Config::default() };
    let algorithm = config.rng_algorithm;
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(algorithm));
    let mut failures: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for case in 0..cases {
        if case > 0 && case % PROGRESS_CASES == 0 {
            print_now(&format!("{case} of {cases} cases, {} kinds of differences", failures.len()));
        }
        let mut tree = strategy.new_tree(&mut runner).unwrap();
        let Some(found) = fails(&tree.current()) else { continue };
        let class_of = class(&found);
        if let Some((count, _)) = failures.get_mut(&class_of) {
            *count += 1;
            continue;
        }
        let mut smallest = tree.current();
        for _ in 0..TRIES_MAX {
            let is_still = fails(&tree.current()).is_some_and(|fault| class(&fault) == class_of);
            if is_still {
                smallest = tree.current();
            }
            if !(if is_still { tree.simplify() } else { tree.complicate() }) {
                break;
            }
        }
        let shown = format!("case {case}: {}\n{smallest:?}", fails(&smallest).unwrap_or_default());
        print_now(&shown);
        failures.insert(class_of, (1, shown));
        if failures.len() == FAILURES_MAX {
            break;
        }
    }
    let shown: Vec<String> = failures.values().map(|(count, shown)| format!("{count} times, as {shown}")).collect();
    assert!(failures.is_empty(), "{} kinds of differences\n\n{}", failures.len(), shown.join("\n\n"));
}
