//! Files that are made by the program and stand in the repository: golden frames, pages made from tables.

use std::env;
use std::fs;
use std::path::Path;

/// Whether such files are written anew instead of compared (`OBELUS_BLESS=1`).
pub(crate) fn is_on() -> bool {
    env::var("OBELUS_BLESS").is_ok_and(|value| value == "1")
}

/// Compares a file with what it should hold, or writes it; what is wrong, with the first lines that differ.
pub(crate) fn equal(path: &Path, expected: &str) -> Option<String> {
    if is_on() {
        fs::write(path, expected).unwrap();
        return None;
    }
    let found = fs::read_to_string(path).unwrap_or_default();
    if found == expected {
        return None;
    }
    let name = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap_or(path).display();
    let (before, now): (Vec<&str>, Vec<&str>) = (found.lines().collect(), expected.lines().collect());
    let line = |lines: &[&str], i: usize| lines.get(i).map_or("(no line)", |l| *l).to_owned();
    let differing = (0..before.len().max(now.len())).filter(|&i| before.get(i) != now.get(i));
    let shown: Vec<String> =
        differing.take(6).map(|i| format!("{:>5} - {}\n      + {}", i + 1, line(&before, i), line(&now, i))).collect();
    let hint = "if that is meant, OBELUS_BLESS=1 cargo test --test suite writes it";
    Some(format!("{name} is not what the program makes; {hint}\n{}", shown.join("\n")))
}
