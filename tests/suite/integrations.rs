//! The GitHub action and the pre-commit hook: their commands are taken from the files and run.

use super::command::sample;
use std::fs;
use std::path::Path;
use std::process::Command;

const ACTION: &str = ".github/actions/check/action.yml";

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// The shell text of a step of the action: the value of `run`, on its line or as the block below it.
fn shell_of(action: &str, step: &str) -> String {
    let (_, rest) = action.split_once(&format!("- name: {step}\n")).unwrap();
    let rest = rest.split("    - name: ").next().unwrap();
    let (before, text) = rest.split_once("run: ").unwrap();
    let indent = before.rsplit('\n').next().unwrap().len() + 2;
    match text.strip_prefix("|\n") {
        Some(block) => block.lines().map(|line| format!("{}\n", line.get(indent..).unwrap_or(""))).collect(),
        None => text.lines().next().unwrap().to_owned(),
    }
}

/// A folder of a runner: the program is on the path, and outputs go to a file.
struct Runner {
    folder: tempfile::TempDir,
}

impl Runner {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::copy(sample("trip-run.jsonl"), folder.path().join("trip run.jsonl")).unwrap();
        fs::copy(sample("support-run.jsonl"), folder.path().join("support.jsonl")).unwrap();
        fs::write(folder.path().join("broken.jsonl"), "{\"type\":\"text\",\"text\":\"hi\"}\n{\"type\":\n").unwrap();
        Self { folder }
    }

    /// Runs shell text as the runner does: its status and what it printed.
    fn run(&self, shell: &str, variables: &[(&str, &str)]) -> (i32, String) {
        let program = Path::new(env!("CARGO_BIN_EXE_obelus")).parent().unwrap();
        let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
        fs::write(self.folder.path().join("step.sh"), shell).unwrap();
        let mut command = Command::new("bash");
        command.args(["--noprofile", "--norc", "-eo", "pipefail", "step.sh"]).current_dir(self.folder.path());
        command.env("PATH", path).env("HOME", self.folder.path()).env("RUNNER_TEMP", self.folder.path());
        command.env("GITHUB_OUTPUT", self.folder.path().join("outputs"));
        command.env("GITHUB_ACTION_PATH", Path::new(env!("CARGO_MANIFEST_DIR")).join(ACTION).parent().unwrap());
        let output = command.envs(variables.iter().copied()).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    }

    /// An output of the step that ran last.
    fn output(&self, name: &str) -> Option<String> {
        let text = fs::read_to_string(self.folder.path().join("outputs")).unwrap();
        text.lines().rev().find_map(|line| line.strip_prefix(&format!("{name}=")).map(str::to_owned))
    }
}

#[test]
fn the_action_reports_findings_and_fails_at_its_end() {
    let action = read(ACTION);
    let (check, result) = (shell_of(&action, "Check"), shell_of(&action, "Result"));
    for (files, arguments, sarif, status) in [
        ("support.jsonl", "", "true", "0"),
        ("broken.jsonl", "", "true", "1"),
        ("*.jsonl", "--allow data.invalid-json", "true", "0"),
        ("support.jsonl", "--deny acts", "true", "1"),
        ("missing.jsonl", "", "true", "2"),
        ("support.jsonl", "--no-such-option", "true", "2"),
        ("broken.jsonl", "", "false", "1"),
    ] {
        let runner = Runner::new();
        let variables = [("FILES", files), ("ARGUMENTS", arguments), ("SARIF", sarif)];
        let (ended, printed) = runner.run(&check, &variables);
        assert_eq!(ended, 0, "{files} {arguments}: the step itself passes");
        assert_eq!(runner.output("status").as_deref(), Some(status), "{files} {arguments}: {printed}");
        assert_eq!(printed.contains(": error: "), status == "1", "{files} {arguments}: {printed}");
        // A wrong argument leaves nothing to upload.
        let path = runner.output("sarif");
        assert_eq!(path.is_some(), sarif == "true" && !arguments.contains("no-such"), "{files} {arguments}");
        if let Some(path) = path {
            let log: serde_json::Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
            let has_results = !log["runs"][0]["results"].as_array().unwrap().is_empty();
            assert!(has_results || status != "1", "{files} {arguments}");
        }
        assert_eq!(runner.run(&result, &[("STATUS", status)]).0.to_string(), status);
    }
}

#[test]
fn the_action_uses_the_inputs_and_outputs_that_it_declares() {
    let action = read(ACTION);
    for input in ["files", "arguments", "sarif"] {
        assert!(action.contains(&format!("\n  {input}:\n")) && action.contains(&format!("inputs.{input} ")), "{input}");
        assert!(read("docs/ci.md").contains(&format!("| `{input}` |")), "docs/ci.md: nothing on {input}");
    }
    for output in action.split("steps.check.outputs.").skip(1) {
        let name: String = output.chars().take_while(char::is_ascii_alphanumeric).collect();
        assert!(shell_of(&action, "Check").contains(&format!("echo \"{name}=")), "{name}");
    }
    // A program that is installed is used; else the package above the action is installed.
    let install = shell_of(&action, "Install obelus");
    assert_eq!(Runner::new().run(&install, &[]).0, 0);
    let (_, path) = install.split_once("--path \"$GITHUB_ACTION_PATH/").unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(ACTION).parent().unwrap().join(path.trim_end_matches('"'));
    assert!(folder.join("Cargo.toml").is_file(), "{}", folder.display());
}

#[test]
fn the_hook_checks_the_files_that_it_is_given() {
    let hooks = read(".pre-commit-hooks.yaml");
    let value = |name: &str| hooks.split_once(&format!("{name}: ")).unwrap().1.lines().next().unwrap().to_owned();
    let pattern = regex::Regex::new(&value("files")).unwrap();
    assert!(["runs/a.jsonl", "a.json", "b.ndjson"].iter().all(|name| pattern.is_match(name)));
    assert!(!pattern.is_match("a.json.md"));
    let runner = Runner::new();
    let hook = |files: &str| runner.run(&format!("{} {files}", value("entry")), &[]);
    assert_eq!(hook("support.jsonl 'trip run.jsonl'").0, 0);
    let (status, printed) = hook("support.jsonl broken.jsonl");
    assert!(status == 1 && printed.contains("broken.jsonl:2"), "{status} {printed}");
}
