//! The message of a file that cannot be opened; of one that is not there a name near it, where its folder has one.

use super::remote;
use crate::model::Problem;
use crate::platform::is_link_loop;
use crate::text::suggest;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Most names of the folder that are looked at.
const NAMES_MAX: usize = 2_000;

/// Why a file cannot be opened, with what to do about it.
pub(super) fn cannot_open(name: &str, e: &io::Error) -> Problem {
    match e.kind() {
        ErrorKind::NotFound => remote::refused(Path::new(name)).unwrap_or_else(|| missing(name)),
        ErrorKind::PermissionDenied => {
            Problem::unreadable(format!("{name}: no permission to read it")).hint("ask its owner, or look at `ls -l`")
        }
        ErrorKind::NotADirectory => {
            Problem::unreadable(format!("{name}: a part of the path is a file, not a folder")).hint("check its name")
        }
        _ if is_link_loop(e) => Problem::unreadable(format!("{name}: {LOOP}")).hint("make one of them lead to a file"),
        _ => Problem::unreadable(format!("{name} cannot be opened: {e}")),
    }
}

/// What is said of links that lead to no file.
const LOOP: &str = "symbolic links that lead back to each other";

/// Nothing is at this path.
fn missing(name: &str) -> Problem {
    if let Ok(target) = std::fs::read_link(name) {
        let problem = format!("{name}: a symbolic link to {}, where nothing is", target.display());
        return Problem::unreadable(problem).hint("make it lead to a file");
    }
    let problem = Problem::unreadable(format!("{name}: no such file"));
    match near(Path::new(name)) {
        Some(near) => problem.hint(format!("do you mean {near}?")),
        None => problem.hint("check its name; for one that is still to come, `obelus FILE --follow` waits"),
    }
}

/// The name in the same folder that is nearest, but for its ending, which many share.
fn near(path: &Path) -> Option<String> {
    let wanted = stem(path.file_name()?.to_str()?);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let entries = std::fs::read_dir(folder.unwrap_or_else(|| Path::new("."))).ok()?.take(NAMES_MAX);
    let names: Vec<String> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    let named = |wanted: &str| names.iter().find(|name| stem(name) == wanted);
    let nearest = || suggest::nearest(wanted, names.iter().map(|name| stem(name))).into_iter().next();
    let near = named(wanted).or_else(|| named(nearest()?))?;
    Some(folder.map_or_else(|| near.clone(), |folder| folder.join(near).display().to_string()))
}

fn stem(name: &str) -> &str {
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_a_slip_leads_to_the_file() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("run-17.jsonl"), "").unwrap();
        let message = |name: &str| missing(&folder.path().join(name).display().to_string()).to_string();
        let file = folder.path().join("run-17.jsonl").display().to_string();
        assert!(message("run-71.jsonl").ends_with(&format!("do you mean {file}?")), "{}", message("run-71.jsonl"));
        assert!(message("run-17.json").ends_with("run-17.jsonl?"), "{}", message("run-17.json"));
        assert!(message("good.jsonl").contains("--follow"), "{}", message("good.jsonl"));
        assert!(message("something else").contains("--follow"), "{}", message("something else"));
        assert!(missing("/no such folder/a.jsonl").to_string().contains("--follow"));
    }
}
