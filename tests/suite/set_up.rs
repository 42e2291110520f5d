//! `doctor`, `config`, `completions` and `man`: what one needs before and around the runs.

use super::command::{obelus, obelus_at_home};
use obelus::{cli, lint};
use std::fs;
use std::process::Command;

#[test]
fn shells_load_the_completions() {
    let folder = tempfile::tempdir().unwrap();
    for (shell, check) in [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")] {
        let (status, text, errors) = obelus(&["completions", shell]);
        assert_eq!((status, errors.as_str()), (0, ""), "{shell}");
        for word in ["blame", "claude-code", "high-contrast", lint::lints().next().unwrap().id] {
            assert!(text.contains(word), "{shell}: {word}");
        }
        let path = folder.path().join(shell);
        fs::write(&path, text).unwrap();
        // Only bash is there on every machine that runs these tests.
        match Command::new(shell).arg(check).arg(&path).output() {
            Ok(output) => assert!(output.status.success(), "{shell}: {}", String::from_utf8_lossy(&output.stderr)),
            Err(_) => assert_ne!(shell, "bash"),
        }
    }
    assert_eq!(obelus(&["completions", "csh"]).0, 2);
}

#[test]
fn every_command_that_is_shown_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("man/man1");
    let (status, ..) = obelus(&["man", "--out", to.to_str().unwrap()]);
    assert_eq!(status, 0);
    let program = cli::program();
    for command in program.get_subcommands() {
        let page = to.join(format!("obelus-{}.1", command.get_name()));
        assert_eq!(page.exists(), !command.is_hide_set(), "{}", page.display());
    }
    let page = fs::read_to_string(to.join("obelus-blame.1")).unwrap();
    assert!(page.contains(".TH obelus-blame 1") && page.contains("\\-\\-instance"), "{page}");
    assert_eq!(obelus(&["man", "blame"]).1, page);
    let (status, _, errors) = obelus(&["man", "blme"]);
    assert!(status == 2 && errors.contains("no command `blme`"), "{errors}");
}

#[test]
fn a_configuration_is_begun_checked_and_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| obelus_at_home(folder.path(), arguments);
    let (status, out, _) = run(&["config", "check"]);
    assert!(status == 0 && out.contains("nothing is set"), "{out}");
    assert_eq!(run(&["config", "init"]).0, 0);
    let file = folder.path().join("config/obelus/config.toml");
    assert!(fs::read_to_string(&file).unwrap().contains("# theme = \"ansi\""));
    let (status, out, _) = run(&["config", "check"]);
    assert!(status == 0 && out.contains("nothing is wrong"), "{out}");
    fs::write(&file, "colour = 1\n").unwrap();
    let (status, _, errors) = run(&["config", "init"]);
    assert!(status == 2 && errors.contains("is there already"), "{errors}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "colour = 1\n");
    let (status, out, _) = run(&["config", "check", "--json"]);
    assert_eq!(status, 1);
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(answer["problems"][0].as_str().unwrap().contains("unknown field `colour`"), "{out}");
    let (_, out, _) = run(&["config"]);
    assert_eq!(out.trim(), file.parent().unwrap().to_str().unwrap());
}

#[test]
fn the_doctor_says_what_is_wrong_and_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| obelus_at_home(folder.path(), arguments);
    let (status, out, _) = run(&["doctor"]);
    assert!(status == 0 && out.contains("configuration"), "{out}");
    fs::create_dir_all(folder.path().join("config/obelus")).unwrap();
    fs::write(folder.path().join("config/obelus/config.toml"), "theme = 1\n").unwrap();
    let (status, out, _) = run(&["doctor", "--json"]);
    assert_eq!(status, 1, "{out}");
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    let checks = answer["checks"].as_array().unwrap();
    let broken = checks.iter().find(|check| check["name"] == "configuration").unwrap();
    assert!(broken["level"] == "bad" && broken["advice"].as_str().unwrap().contains("config check"), "{out}");
    assert!(checks.iter().all(|check| check["level"] == "good" || check["advice"].is_string()), "{out}");
}
