//! The words of the README lead to the file: whoever knows only `grep` finds what to read first.

use super::{Source, made, sources};

/// Words that somebody would search for, and the file that they lead to.
const SEARCHES: &[(&[&str], &str)] = &[
    (&["list", "finding"], "panes/findings.rs"),
    (&["filter", "step"], "panes/step_filter.rs"),
    (&["table's", "column"], "panes/table/mod.rs"),
    (&["follow", "file"], "source/follow.rs"),
    (&["merge", "patch"], "state/write.rs"),
    (&["print", "blame"], "cli/blame.rs"),
];
/// Most files that a search may lead to.
const FOUND_MAX: usize = 10;

/// The files whose first line has all of some words, or the beginnings of them.
fn found<'s>(sources: &'s [Source], words: &[&str]) -> Vec<&'s str> {
    let has_words = |source: &&Source| {
        let head = source.text.lines().next().unwrap_or_default().to_lowercase();
        words.iter().all(|word| head.contains(word))
    };
    sources.iter().filter(has_words).map(|source| source.path.as_str()).collect()
}

#[test]
fn the_words_of_the_readme_lead_to_the_file() {
    let sources = sources();
    for (words, path) in SEARCHES {
        let found = found(&sources, words);
        assert!(found.contains(path) && found.len() <= FOUND_MAX, "{words:?} leads to {found:?}, not to {path}");
    }
}

#[test]
fn a_head_without_the_words_is_not_found() {
    let sources = [made("a.rs", "fn f() {}")];
    assert_eq!(found(&sources, &["list", "finding"]), Vec::<&str>::new());
    assert_eq!(found(&sources, &["x"]), ["a.rs"]);
}
