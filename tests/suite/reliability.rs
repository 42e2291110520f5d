//! `docs/reliability.md` names tests that exist, and leaves no promise out.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The text of all sources below a folder.
fn sources(folder: PathBuf) -> String {
    let mut text = String::new();
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                text.push_str(&fs::read_to_string(&path).unwrap());
            }
        }
    }
    text
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
    let all = sources(root().join("tests/suite")) + &sources(root().join("src")) + &sources(root().join("core/src"));
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
