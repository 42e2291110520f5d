//! Custom formats by the program: where their files are found, what is wrong with them, and drafts.

use super::command::{CommandResult, file, obelus, obelus_at_home, sample};
use std::fs;
use std::path::Path;

const FORMAT: &str = include_str!("../../samples/relay-format.toml");
const LOG: &str = include_str!("../../samples/relay-run.jsonl");

/// A home with the format in its configuration, and the log.
fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("config/obelus/formats");
    fs::create_dir_all(&folder).unwrap();
    file(&folder, "relay.toml", FORMAT);
    file(home.path(), "log.jsonl", LOG);
    home
}

fn with(arguments: &[&str]) -> CommandResult {
    let format = sample("relay-format.toml");
    obelus(&[arguments, &["--format-file", &format]].concat())
}

#[test]
fn the_sample_answers_like_a_log_of_a_built_in_format() {
    let log = sample("relay-run.jsonl");
    let (status, stdout, stderr) = with(&["formats", &log]);
    assert_eq!((status, stderr.as_str()), (0, ""));
    assert!(
        stdout.contains("relay (Relay), 1 trajectory") && stdout.contains("14 of 14 records have `at`"),
        "{stdout}"
    );
    let (_, stdout, _) = with(&["blame", &log, "/memory/facts/version"]);
    assert!(stdout.contains('8') && stdout.contains("1.3.0"), "{stdout}");
    let (_, stdout, _) = with(&["state", &log, "--step", "6", "--json"]);
    assert!(stdout.contains("\"memory\":{\"facts\":{\"version\":\"1.2.9\"}}"), "{stdout}");
    let (_, stdout, _) = with(&["files", &log]);
    assert!(stdout.contains("VERSION"), "{stdout}");
    let (_, stdout, _) = with(&["steps", &log, "--json"]);
    assert_eq!(stdout.lines().count(), 14);
    assert!(stdout.contains("\"kind\":\"tool-call\"") && stdout.contains("\"answers\":3"), "{stdout}");
    let (_, stdout, _) = with(&["render", &log]);
    assert!(stdout.contains("user: Please raise the version"), "{stdout}");
    let folder = tempfile::tempdir().unwrap();
    let broken = file(folder.path(), "broken.jsonl", &LOG.replacen("{\"at\"", "{\"at", 1));
    let (status, stdout, _) = with(&["check", &broken]);
    assert!(status == 1 && stdout.contains("data.invalid-json"), "{stdout}");
    let out = folder.path().join("out.json");
    let (status, _, stderr) = with(&["export", &log, "--to", "messages", "--out", out.to_str().unwrap()]);
    assert_eq!(status, 0, "{stderr}");
    assert!(fs::read_to_string(out).unwrap().contains("\"role\":\"user\",\"content\":\"Please raise"));
}

/// Without its file the log is plain records; with it `--format` finds it by its name, and a built-in one precedes it.
#[test]
fn a_custom_format_is_tried_behind_the_built_in_ones() {
    let (_, stdout, _) = obelus(&["formats", &sample("relay-run.jsonl"), "--json"]);
    assert!(stdout.contains("\"format\":\"generic\""), "{stdout}");
    let (status, stdout, _) = with(&["formats", &sample("relay-run.jsonl"), "--format", "relay", "--json"]);
    assert!(status == 0 && stdout.contains("\"format\":\"relay\",\"forced\":true"), "{stdout}");
    let folder = tempfile::tempdir().unwrap();
    let any = "name = \"any\"\n[signature]\nhas = [\"type\"]\n[[steps]]\ntext = \"x\"\n";
    let any = file(folder.path(), "any.toml", any);
    let (_, stdout, _) = obelus(&["formats", &sample("fix-session.jsonl"), "--format-file", &any, "--json"]);
    assert!(stdout.contains("\"format\":\"claude-code\""), "{stdout}");
    let log = file(folder.path(), "x.jsonl", "{\"type\":\"zzz\",\"x\":\"hello\"}\n");
    let (_, stdout, _) = obelus(&["steps", &log, "--format-file", &any]);
    assert!(stdout.contains("hello"), "{stdout}");
}

#[test]
fn formats_of_the_configuration_folder_and_of_the_project_count() {
    let home = home();
    let run = |arguments: &[&str]| obelus_at_home(home.path(), arguments);
    let (_, stdout, stderr) = run(&["formats", "log.jsonl"]);
    assert!(stdout.contains("relay (Relay)") && stderr.is_empty(), "{stdout}{stderr}");
    let (_, stdout, _) = run(&["formats"]);
    assert!(stdout.contains("relay  Relay") && stdout.contains("custom: "), "{stdout}");
    let (_, stdout, _) = run(&["formats", "--json"]);
    assert!(stdout.contains("\"name\":\"relay\"") && stdout.contains("relay.toml\"}"), "{stdout}");
    // Of two with one name that of the project counts.
    file(home.path(), "own.toml", &FORMAT.replace("title = \"Relay\"", "title = \"Ours\""));
    file(home.path(), "obelus.toml", "[formats]\nfiles = [\"own.toml\"]\n");
    let (_, stdout, _) = run(&["formats", "log.jsonl"]);
    assert!(stdout.contains("relay (Ours)"), "{stdout}");
    // One that is broken is told and costs nothing else; one that was named ends the command.
    file(&home.path().join("config/obelus/formats"), "broken.toml", "name = \"b\"\n");
    let (status, stdout, stderr) = run(&["steps", "log.jsonl"]);
    assert_eq!((status, stdout.lines().count()), (0, 14), "{stderr}");
    assert!(stderr.contains("broken.toml: line 1: missing field `signature`"), "{stderr}");
    let (status, _, stderr) = run(&["steps", "log.jsonl", "--format-file", "config/obelus/formats/broken.toml"]);
    assert!(status == 2 && stderr.contains("docs/custom-formats.md"), "{stderr}");
    file(home.path(), "obelus.toml", "[formats]\nfiles = [\"none.toml\"]\n");
    let (status, _, stderr) = run(&["steps", "log.jsonl"]);
    assert!(status == 2 && stderr.contains("obelus.toml: the format file none.toml cannot be read"), "{stderr}");
}

/// A draft is used as it was printed.
fn drafted(folder: &Path, log: &str) -> String {
    let (status, draft, stderr) = obelus(&["formats", "--explain", log, "--format", "generic"]);
    assert_eq!((status, stderr.as_str()), (0, ""), "{log}");
    file(folder, "draft.toml", &draft)
}

#[test]
fn a_draft_loads_and_reads_the_file_that_it_was_made_for() {
    let folder = tempfile::tempdir().unwrap();
    let log = sample("relay-run.jsonl");
    let (status, draft, stderr) = obelus(&["formats", "--explain", &log]);
    assert_eq!((status, stderr.as_str()), (0, ""));
    assert!(draft.contains("[[steps]]") && draft.contains("# A draft"), "{draft}");
    let format = file(folder.path(), "draft.toml", &draft);
    let (_, stdout, _) = obelus(&["formats", &log, "--format-file", &format, "--json"]);
    assert!(stdout.contains("\"format\":\"relay-run\",\"forced\":false"), "{stdout}");
    let (_, stdout, _) = obelus(&["steps", &log, "--format-file", &format, "--json"]);
    assert!(stdout.contains("\"tool\":\"write_file\"") && stdout.contains("\"answers\":"), "{stdout}");
    // Those of logs that are known are no worse.
    for name in ["fix-session.jsonl", "trip-run.jsonl", "tickets-std.jsonl", "pole-survey.jsonl", "trip-context.json"] {
        let log = sample(name);
        let format = drafted(folder.path(), &log);
        let words = ["steps", &log, "--format-file", &format, "--json", "--format"];
        let text = fs::read_to_string(&format).unwrap();
        let name =
            text.lines().find_map(|line| line.strip_prefix("name = \"")).unwrap().trim_end_matches('"').to_owned();
        let (status, stdout, stderr) = obelus(&[&words[..], &[&name]].concat());
        assert!(status == 0 && stdout.lines().count() >= 1, "{log}: {stderr}\n{text}");
    }
}

#[test]
fn explain_says_why_a_known_file_is_known_and_what_has_no_members() {
    let (_, stdout, _) = obelus(&["formats", "--explain", &sample("fix-session.jsonl")]);
    assert!(stdout.contains("claude-code (") && !stdout.contains("[[steps]]"), "{stdout}");
    let (_, stdout, _) = obelus(&["formats", "--explain", "--json", &sample("fix-session.jsonl")]);
    assert!(stdout.contains("\"draft\":null"), "{stdout}");
    let (_, stdout, _) = obelus(&["formats", "--explain", "--json", &sample("relay-run.jsonl")]);
    assert!(stdout.contains("\"draft\":\"# A draft"), "{stdout}");
    let folder = tempfile::tempdir().unwrap();
    let numbers = file(folder.path(), "n.jsonl", "1\n2\n");
    let (status, _, stderr) = obelus(&["formats", "--explain", &numbers]);
    assert!(status == 2 && stderr.contains("no record is an object"), "{stderr}");
    let (status, _, stderr) = obelus(&["formats", "--explain"]);
    assert!(status == 2 && stderr.contains("FILE"), "{stderr}");
}
