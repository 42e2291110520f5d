//! `docs/reliability.md` names tests that exist, and leaves no promise out.

use super::tree_files::{files_with, root};
use std::collections::BTreeSet;
use std::fs;

/// The text of all sources below a folder.
fn sources(folder: &str) -> String {
    files_with(&root().join(folder), "rs").iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

/// Faults of a page, against the names of all tests.
fn faults(page: &str, has_test: impl Fn(&str) -> bool) -> Vec<String> {
    let mut faults = Vec::new();
    for promise in 1..=30 {
        let row = page.lines().find(|line| line.starts_with(&format!("| R{promise} ")));
        let tests = row.and_then(|row| row.split('|').nth(2)).unwrap_or("");
        if !tests.contains('`') {
            faults.push(format!("R{promise} names no test"));
        }
    }
    let is_name = |word: &&str| word.contains('_') && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let named = page.split('`').skip(1).step_by(2).filter(is_name);
    faults.extend(named.filter(|name| !has_test(name)).map(|name| format!("there is no test {name}")));
    faults
}

/// The names of all tests, also of those with further attributes or arguments.
fn names(sources: &str) -> BTreeSet<&str> {
    let behind = sources.split("#[test]").skip(1);
    behind.filter_map(|rest| Some(rest.split("fn ").nth(1)?.split('(').next()?.trim())).collect()
}

#[test]
fn the_page_on_reliability_names_tests_that_exist() {
    let page = fs::read_to_string(root().join("docs/reliability.md")).unwrap();
    let all = ["tests/suite", "src", "core/src"].map(sources).concat();
    let names = names(&all);
    let faults = faults(&page, |name| names.contains(name));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_promise_without_test_is_found() {
    let page: String = (1..=29).map(|n| format!("| R{n} x | `a_test` | |\n")).collect();
    assert_eq!(faults(&page, |_| true), ["R30 names no test"]);
    assert!(faults(&page, |_| false).contains(&"there is no test a_test".to_owned()));
}
