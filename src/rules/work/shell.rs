//! W9: what commands of the shell show and change.

use super::tables;
use super::words::{self, Simple};

/// The command behind `git` and its options.
pub(super) fn git_command(simple: &Simple) -> Option<&str> {
    let mut words = simple.arguments().iter().map(|word| word.text.as_str());
    while let Some(word) = words.next() {
        match word {
            "-C" | "-c" | "--git-dir" | "--work-tree" => drop(words.next()),
            word if word.starts_with('-') => {}
            word => return Some(word),
        }
    }
    None
}

/// Whether `sed` changes its files.
pub(super) fn is_sed_in_place(simple: &Simple) -> bool {
    let is_flag = |word: &str| {
        word == "--in-place"
            || word.starts_with("--in-place=")
            || (word.starts_with("-i") || word.starts_with('-') && !word.starts_with("--") && word.ends_with('i'))
    };
    simple.name() == "sed" && simple.arguments().iter().any(|word| is_flag(&word.text))
}

/// W4: whether a command consists of printers only.
pub(super) fn only_prints(command: &str) -> bool {
    let Some(all) = words::split(command) else { return false };
    !all.is_empty() && all.iter().all(is_printer)
}

fn is_printer(simple: &Simple) -> bool {
    match simple.name() {
        "sed" => !is_sed_in_place(simple),
        "git" => matches!(git_command(simple), Some("log" | "show" | "diff" | "grep" | "blame" | "status")),
        name => tables::has("printers", name),
    }
}
