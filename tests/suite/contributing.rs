//! CONTRIBUTING.md: the files that it names exist, and its tables have a row for each file of their folder.

use super::tree_files::root;
use std::fs;
use std::path::PathBuf;

/// Paths that a page names in backticks; words in capitals stand for a name to be chosen.
fn paths(page: &str) -> Vec<&str> {
    let spans = page.split('`').skip(1).step_by(2);
    spans.filter(|span| ["src/", "core/", "tests/", "docs/"].iter().any(|room| span.starts_with(room))).collect()
}

/// The part of a path before the first name to be chosen.
fn fixed(path: &str) -> PathBuf {
    let is_chosen = |part: &str| part.starts_with(|c: char| c.is_ascii_uppercase()) && part != "README.md";
    path.split('/').take_while(|part| !is_chosen(part)).collect()
}

fn missing(page: &str) -> Vec<&str> {
    paths(page).into_iter().filter(|path| !root().join(fixed(path)).exists()).collect()
}

/// Items that a page places in a file (`NAME` in `PATH`, `NAME` of `PATH`) and that the file does not declare.
fn misplaced(page: &str) -> Vec<String> {
    let spans: Vec<&str> = page.split('`').collect();
    let places = spans.windows(3).filter(|window| [" in ", " of "].contains(&window[1]));
    let places = places.map(|window| (window[0], window[2]));
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let is_declared = |name: &str, text: &str| {
        ["const", "enum", "fn", "static", "struct", "trait", "type"].iter().any(|keyword| {
            let declaration = format!("{keyword} {name}");
            let mut behind = text.split(&declaration).skip(1);
            behind.any(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        })
    };
    let places = places.filter(|(name, path)| is_name(name) && path.ends_with(".rs") && root().join(path).is_file());
    places
        .filter(|(name, path)| !is_declared(name, &read(path)))
        .map(|(name, path)| format!("{name} in {path}"))
        .collect()
}

/// Modules of a folder whose text has `mark`, and that `table` does not name as `module::`.
fn without_row(folder: &str, mark: &str, table: &str) -> Vec<String> {
    let mut out = Vec::new();
    for entry in fs::read_dir(root().join(folder)).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let is_source = path.extension().is_some_and(|e| e == "rs") && !["mod", "registry"].contains(&&*name);
        if is_source && fs::read_to_string(&path).unwrap().contains(mark) && !table.contains(&format!("{name}::")) {
            out.push(name);
        }
    }
    out
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

#[test]
fn files_that_are_named_exist() {
    let page = read("CONTRIBUTING.md");
    assert!(paths(&page).len() > 15);
    assert!(missing(&page).is_empty(), "CONTRIBUTING.md: {:?}", missing(&page));
    assert_eq!(missing("`src/nowhere/NAME.rs` `src/cli/NAME.rs` `src/cli/nothing.rs`").len(), 2);
}

#[test]
fn items_are_in_the_files_that_pages_name() {
    for page in ["CONTRIBUTING.md", "docs/architecture.md", "docs/add-a-format.md"] {
        assert_eq!(misplaced(&read(page)), [""; 0], "{page}");
    }
    let wrong = "`Row` in `core/src/format/rows.rs`, `Adapter` of `core/src/format/log/mod.rs`";
    assert_eq!(misplaced(wrong), ["Row in core/src/format/rows.rs"]);
}

#[test]
fn tables_have_a_row_for_each_file() {
    // Some panes have another look, which their own file names.
    let panes = ["registry", "state", "message"].map(|name| read(&format!("src/app/pane/{name}.rs"))).concat();
    for (folder, mark, rows) in [
        ("src/cli", "const COMMAND: Command", read("src/cli/mod.rs")),
        ("src/app/pane", "impl PaneContent for", panes),
        ("core/src/format", "impl Format for", read("core/src/format/mod.rs")),
        ("core/src/format", ": Row = Row {", read("core/src/format/mod.rs")),
        ("core/src/lint", "LINTS: &[Lint]", read("core/src/lint/mod.rs")),
    ] {
        assert_eq!(without_row(folder, mark, &rows), [""; 0], "{folder}: no row");
        assert!(!without_row(folder, mark, "").is_empty(), "{folder}: nothing has `{mark}`");
    }
}
