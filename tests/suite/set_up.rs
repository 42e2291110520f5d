//! `doctor`, `config`, `completions` and `man`: what one needs before and around the runs.

use super::command::{obelus, obelus_at_home};
use obelus::app::keys::KEYS;
use obelus::text::Role;
use obelus::{cli, lint};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Candidates that a shell gets of obelus for a line, in whose last word the tab is pressed.
fn candidates(folder: &Path, line: &[&str]) -> Vec<String> {
    let home = folder.join("config");
    let output = Command::new(env!("CARGO_BIN_EXE_obelus"))
        .envs([("OBELUS_COMPLETE", "bash"), ("_CLAP_IFS", "\n"), ("_CLAP_COMPLETE_COMP_TYPE", "9")])
        .env("_CLAP_COMPLETE_INDEX", line.len().to_string())
        .env("XDG_CONFIG_HOME", home)
        .args(["--", "obelus"])
        .args(line)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/samples"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{line:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn names_and_paths_of_the_file_named_are_completed() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("config/obelus/themes")).unwrap();
    fs::write(folder.path().join("config/obelus/themes/harbour.toml"), "").unwrap();
    let of = |line: &[&str]| candidates(folder.path(), line);
    assert!(of(&["bla"]).iter().any(|one| one == "blame"));
    assert!(of(&["steps", "--format", "claude-"]).contains(&"claude-code".to_owned()));
    assert_eq!(of(&["--theme", "harb"]), ["harbour"]);
    let rule = lint::lints().next().unwrap().id;
    assert!(of(&["explain", rule]).contains(&rule.to_owned()));
    assert!(of(&["blame", "trip-r"]).contains(&"trip-run.jsonl".to_owned()));
    let paths = of(&["blame", "trip-run.jsonl", "state.bud"]);
    assert!(paths.contains(&"state.budget".to_owned()), "{paths:?}");
    assert!(of(&["blame", "trip-run.jsonl", "†state.bud"]).contains(&"†state.budget".to_owned()));
    assert!(of(&["when", "trip-run.jsonl", "state.budget", "--instance", ""]).contains(&"②".to_owned()));
    assert_eq!(of(&["keys", "step"]), ["steps"]);
}

/// Each shell loads its script and completes by it; only bash is there on every machine that runs these tests.
#[test]
fn shells_load_the_completions() {
    let folder = tempfile::tempdir().unwrap();
    let bin = folder.path().join("bin");
    fs::create_dir(&bin).unwrap();
    fs::hard_link(env!("CARGO_BIN_EXE_obelus"), bin.join("obelus"))
        .or_else(|_| fs::copy(env!("CARGO_BIN_EXE_obelus"), bin.join("obelus")).map(drop))
        .unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    for (shell, ask) in [
        (
            "bash",
            "source $SCRIPT; COMP_WORDS=(obelus steps --format claude-c); COMP_CWORD=3; COMP_TYPE=9; \
                  _clap_complete_obelus; printf '%s\\n' \"${COMPREPLY[@]}\"",
        ),
        (
            "zsh",
            "autoload -Uz compinit; compinit -u -d $SCRIPT.dump; source $SCRIPT; print ${_comps[obelus]} claude-code",
        ),
        ("fish", "source $SCRIPT; complete -C 'obelus steps --format claude-c'"),
    ] {
        let (status, text, errors) = obelus(&["completions", shell]);
        assert_eq!((status, errors.as_str()), (0, ""), "{shell}");
        let script = folder.path().join(shell);
        fs::write(&script, text).unwrap();
        let option = if shell == "zsh" { "-fc" } else { "-c" };
        let asked = Command::new(shell).args([option, ask]).env("PATH", &path).env("SCRIPT", &script).output();
        match asked {
            Ok(output) => {
                let (out, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
                assert!(output.status.success() && out.contains("claude-code"), "{shell}: {out}{errors}");
                assert!(shell != "zsh" || out.contains("_clap"), "{out}");
            }
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
    assert!(status == 2 && errors.contains("already exists"), "{errors}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "colour = 1\n");
    let (status, out, _) = run(&["config", "check", "--json"]);
    assert_eq!(status, 1);
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(answer["problems"][0].as_str().unwrap().contains("unknown field `colour`"), "{out}");
    fs::write(&file, "theme = \"drak\"\n[columns]\nlong = \".[\"\nshort = \".a\"\n").unwrap();
    let (status, out, _) = run(&["config", "check"]);
    let column = "config.toml: [columns] long = .[ cannot be read: at character 3: closing bracket is expected";
    assert!(status == 1 && out.contains("config.toml: there is no theme `drak`") && out.contains(column), "{out}");
    assert!(!out.contains("short"), "{out}");
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

#[test]
fn a_build_says_what_it_is() {
    let version = format!("obelus {}\n", env!("CARGO_PKG_VERSION"));
    for arguments in [["--version"], ["-V"]] {
        assert_eq!(obelus(&arguments), (0, version.clone(), String::new()));
    }
    let (status, out, _) = obelus(&["--version", "--verbose"]);
    assert!(status == 0 && out.starts_with(&version), "{out}");
    for wanted in ["commit: ", "target: ", "features: ", "schema", "formats: ", "oldest rust: 1."] {
        assert!(out.contains(wanted), "{wanted}: {out}");
    }
    assert_eq!(obelus(&["--verbose"]).0, 2);
}

/// Keys of the configuration work, are shown where keys are shown, and what conflicts is told with both rows.
#[test]
fn keys_of_the_configuration_are_in_force_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| obelus_at_home(folder.path(), arguments);
    let (_, defaults, _) = run(&["keys", "--json"]);
    let rows = |text: &str| -> Vec<serde_json::Value> {
        let answer: serde_json::Value = serde_json::from_str(text).unwrap();
        answer["keys"].as_array().unwrap().clone()
    };
    assert_eq!(rows(&defaults).len(), KEYS.len());
    fs::create_dir_all(folder.path().join("config/obelus")).unwrap();
    let file = folder.path().join("config/obelus/config.toml");
    fs::write(&file, "[keys]\nstep-next = [\"A-n\", \"g n\"]\n[keys.global]\ntop = \"home\"\n").unwrap();
    let (status, out, errors) = run(&["keys", "trajectory"]);
    assert_eq!((status, errors.as_str()), (0, ""));
    let line = out.lines().find(|line| line.contains(" step-next ")).unwrap();
    assert!(line.starts_with("M-n gn ") && !out.contains("Global"), "{line}");
    assert_eq!(run(&["config", "check"]).0, 0);
    fs::write(&file, "theme = \"dark\"\n[keys]\nsearch = \"n\"\n").unwrap();
    let (status, out, _) = run(&["config", "check"]);
    let message = "line 3: [keys] n is the key of search (global) and search-next (global); give one of them another";
    assert!(status == 1 && out.contains(message), "{out}");
    let (_, out, errors) = run(&["keys", "--json"]);
    assert!(errors.contains(message) && out == defaults, "the default keys are in force: {errors}");
    let (status, _, errors) = run(&["keys", "stps"]);
    assert!(status == 2 && errors.contains("there is no context `stps`"), "{errors}");
}

#[test]
fn a_theme_is_shown_while_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| obelus_at_home(folder.path(), arguments);
    let (status, out, _) = run(&["themes"]);
    assert!(status == 0 && out.contains("high-contrast") && out.starts_with("✓  ansi"), "{out}");
    let file = folder.path().join("harbour.toml");
    fs::write(&file, "background = \"dark\"\n[roles]\naccent = \"#ffb454 bold\"\n").unwrap();
    let (status, out, _) = run(&["themes", file.to_str().unwrap()]);
    assert!(status == 0 && out.starts_with("harbour:") && out.contains("accent          #ffb454 bold"), "{out}");
    for (_, role) in Role::ALL {
        assert!(out.lines().any(|line| line.split_whitespace().next() == Some(role)), "{role}");
    }
    let (_, out, _) = run(&["themes", "dark", "--color", "always"]);
    assert!(out.contains("\u{1b}[0;"), "{out}");
    let (_, out, _) = run(&["themes", "dark", "--json"]);
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(answer["roles"].as_array().unwrap().len(), Role::ALL.len());
    fs::write(&file, "[roles]\naccnt = \"red\"\n").unwrap();
    let (status, _, errors) = run(&["themes", file.to_str().unwrap()]);
    assert!(status == 2 && errors.contains("did you mean `accent`"), "{errors}");
    let (status, _, errors) = run(&["themes", "drak"]);
    assert!(status == 2 && errors.contains("there is no theme `drak`"), "{errors}");
}
