//! The commands that README shows under *Headless* answer on the samples.

use crate::command;
use std::fs;
use std::path::Path;

/// The commands of the block, without what follows a pipe or `#`.
fn commands(page: &str) -> Vec<Vec<String>> {
    let section = page.split_once("\n## Headless\n").unwrap().1;
    let block = section.split_once("```sh\n").unwrap().1.split_once("```").unwrap().0;
    block.lines().map(|line| words(line.split(" #").next().unwrap().split(" | jq").next().unwrap())).collect()
}

/// The words of a line; single quotes hold one together.
fn words(line: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (at, part) in line.split('\'').enumerate() {
        match at % 2 {
            1 => out.push(part.to_owned()),
            _ => out.extend(part.split_whitespace().map(str::to_owned)),
        }
    }
    out
}

#[test]
fn headless_commands_answer() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("samples")).unwrap();
    for entry in fs::read_dir(root.join("samples")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, folder.path().join("samples").join(path.file_name().unwrap())).unwrap();
    }
    let commands = commands(&fs::read_to_string(root.join("README.md")).unwrap());
    assert!(commands.len() > 15);
    // `tail` ends when it is told to.
    for words in commands.iter().filter(|words| words[1] != "tail") {
        let arguments: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        let (status, answer, said) = command::obelus_at_home(folder.path(), &arguments);
        // Status 1 is an answer: a difference, a finding.
        let is_answer = (0..2).contains(&status) && !answer.is_empty();
        assert!(is_answer, "{}: status {status}: {said}", words.join(" "));
    }
    assert!(folder.path().join("clean.jsonl").exists());
}
