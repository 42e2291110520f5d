//! The program as a command: its exit status, stdout and stderr, and files for it.

use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Exit status (-1 after a signal), stdout and stderr.
pub(crate) type CommandResult = (i32, String, String);

/// The program, not started yet.
pub(crate) fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_obelus"))
}

/// Exit status, standard output and standard error of a command that has ended.
pub(crate) fn command_result(output: &Output) -> CommandResult {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

/// Runs it with arguments.
pub(crate) fn obelus(arguments: &[&str]) -> CommandResult {
    command_result(&program().args(arguments).output().unwrap())
}

/// The lines of its answer for programs, which may report findings.
#[track_caller]
pub(crate) fn json_lines(arguments: &[&str]) -> Vec<Value> {
    let (status, stdout, stderr) = obelus(arguments);
    assert!(status < 2, "{arguments:?}: {stderr}");
    stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The messages that an export of a file of one trajectory writes.
#[track_caller]
pub(crate) fn exported_messages(path: &str) -> Vec<Value> {
    let out = format!("{path}.messages.jsonl");
    let (status, _, stderr) = obelus(&["export", path, "--to", "messages", "--out", &out]);
    assert_eq!(status, 0, "{stderr}");
    let row: Value = serde_json::from_str(&fs::read_to_string(out).unwrap()).unwrap();
    row["messages"].as_array().unwrap().clone()
}

/// Runs it in a folder.
pub(crate) fn obelus_in(folder: &Path, arguments: &[&str]) -> CommandResult {
    command_result(&program().args(arguments).current_dir(folder).output().unwrap())
}

/// A line of one trajectory.
pub(crate) const RECORD: &str =
    "{\"id\":\"a\",\"content\":[{\"class_\":\"text_observation\",\"content\":\"x\",\"source\":\"user\"}]}\n";

/// Writes a file, and says its path.
pub(crate) fn file(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Path of a sample.
pub(crate) fn sample(name: &str) -> String {
    format!("{}/samples/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Runs it in a folder that is its home too: the marks and the configuration of whoever runs the tests stay out of it.
pub(crate) fn obelus_at_home(folder: &Path, arguments: &[&str]) -> CommandResult {
    let mut command = program();
    command.args(arguments).current_dir(folder).env("HOME", folder);
    command_result(
        &command
            .env("XDG_DATA_HOME", folder.join("data"))
            .env("XDG_CONFIG_HOME", folder.join("config"))
            .output()
            .unwrap(),
    )
}

/// The same with something on its standard input.
pub(crate) fn fed(folder: &Path, arguments: &[&str], input: &str) -> CommandResult {
    let mut command = program();
    command.args(arguments).current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut to = child.stdin.take().unwrap();
    // Who has heard enough ends first.
    let _heard = to.write_all(input.as_bytes());
    drop(to);
    command_result(&child.wait_with_output().unwrap())
}
