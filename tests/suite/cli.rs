//! The commands from outside: exit status, pipes, several files, what never changes with the surroundings.

use super::command::{command_result, file, obelus, program};
use std::fs;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Output, Stdio};

const CHECKPOINTS: &str = concat!(
    r#"{"slots":{"a":{"value":{"ids":["1"]},"data_type":"FILE_IDS","source_node":"s","timestamp":"t0"}}}"#,
    "\n",
    r#"{"slots":{"a":{"value":{"ids":["1","2"]},"data_type":"FILE_IDS","source_node":"s","timestamp":"t1"}}}"#,
    "\n",
);

#[test]
fn trouble_is_status_2_with_a_message_and_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "c.jsonl", CHECKPOINTS);
    let missing = folder.path().join("missing").to_str().unwrap().to_owned();
    let generic = file(folder.path(), "g.jsonl", "{\"x\":1}\n");
    for arguments in [
        vec!["state", &missing],
        vec!["state", &path, "--format", "nonsense"],
        vec!["state", &path, "--step", "x"],
        vec!["state", &path, "--step", "-2"],
        vec!["state", &path, "--record", "1"],
        vec!["history", &path, "]x"],
        vec!["blame", &path, "a..b"],
        vec!["plan", &generic],
        vec!["merge", &generic],
        vec!["state", &generic],
        vec!["state", &generic, "--json"],
        vec!["blame", &generic],
        vec!["history", &generic, "x"],
        vec!["when", &generic, "x", "--equals", "1"],
        vec!["cause", &generic, "x"],
        vec!["check", &missing],
        vec!["check", "--json", &missing],
        vec!["history", &path],
        vec!["check"],
        vec!["state", folder.path().to_str().unwrap()],
    ] {
        let (status, stdout, stderr) = obelus(&arguments);
        assert_eq!((status, stdout.as_str()), (2, ""), "{arguments:?}: {stderr}");
        assert!(!stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn of_several_files_the_others_are_answered() {
    let folder = tempfile::tempdir().unwrap();
    let good = file(folder.path(), "good.jsonl", CHECKPOINTS);
    let bad =
        file(folder.path(), "bad.json", r#"{"slots":{"a":5,"b":{"value":1,"data_type":"TEXT","source_node":"n"}}}"#);
    let (status, stdout, stderr) = obelus(&["check", "--json", &good, "/missing", &bad]);
    assert_eq!(status, 2);
    assert!(stdout.contains("scopix.bad-slot") && stderr.contains("/missing"), "{stdout}{stderr}");
    let (status, stdout, _) = obelus(&["check", "--json", &good, &bad]);
    assert_eq!((status, stdout.lines().count()), (1, 1));
    let (status, stdout, _) = obelus(&["check", "--json", &good]);
    assert_eq!((status, stdout.as_str()), (0, ""));
}

#[test]
fn steps_are_clamped_and_may_be_before_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "c.jsonl", CHECKPOINTS);
    for (step, answer) in [("-1", "-1"), ("0", "0"), ("7", "1"), ("99999999999999999999", "1")] {
        let (status, stdout, _) = obelus(&["state", &path, "--json", "--step", step]);
        let begins = format!("{{\"obelus\":1,\"format\":\"scopix\",\"step\":{answer},\"steps\":2,\"slots\":[");
        assert_eq!(status, 0);
        assert!(stdout.starts_with(&begins) && stdout.ends_with("}\n"), "{stdout}");
    }
    let empty = file(folder.path(), "empty.jsonl", "");
    let (status, stdout, _) = obelus(&["state", &empty, "--json", "--format", "scopix"]);
    assert_eq!((status, stdout.contains("\"step\":-1,\"steps\":0")), (0, true), "{stdout}");
}

#[test]
fn blame_and_history_name_the_writer_of_each_leaf() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "c.jsonl", CHECKPOINTS);
    let (_, stdout, _) = obelus(&["blame", &path, "a.ids[0]", "--json"]);
    assert_eq!(
        stdout,
        concat!(
            r#"{"obelus":1,"format":"scopix","step":1,"steps":2,"entries":[{"ref":"a.ids[0]","value":"1","step":1,"#,
            r#""changed":0,"source_node":"s","timestamp":"t1"}]}"#,
            "\n"
        )
    );
    let (_, stdout, _) = obelus(&["history", &path, "a.ids", "--step", "1"]);
    assert_eq!(stdout.lines().count(), 3, "{stdout}");
    assert_eq!(stdout.lines().last(), Some("@1  t1  s  added      a.ids[1]  \"2\""));
}

#[test]
fn standard_input_is_a_file_like_others() {
    let mut child = program()
        .args(["resolve", "-", "a.ids[1]", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(CHECKPOINTS.as_bytes()).unwrap();
    let (status, stdout, _) = command_result(&child.wait_with_output().unwrap());
    assert_eq!(status, 0);
    assert!(stdout.contains("\"status\":\"ok\",\"value\":\"2\""), "{stdout}");
}

#[test]
fn control_characters_of_a_file_stay_escaped_in_json() {
    let folder = tempfile::tempdir().unwrap();
    let text =
        "{\"slot_name\":\"a\u{9b}\",\"value\":\"x\u{7f}\\u001b[31m\",\"data_type\":\"TEXT\",\"source_node\":\"n\"}";
    let path = file(folder.path(), "c\u{1b}.json", text);
    for command in ["state", "steps", "blame", "formats"] {
        let (status, stdout, _) = obelus(&[command, &path, "--json"]);
        assert_eq!(status, 0, "{command}");
        let acts = |c: char| c.is_control() && c != '\n';
        assert!(!stdout.contains(acts), "{command}: {stdout:?}");
    }
    let (_, _, stderr) = obelus(&["state", &folder.path().join("no\u{1b}[31m").display().to_string()]);
    assert!(!stderr.contains('\u{1b}'), "{stderr:?}");
}

/// A file whose steps fill more than a pipe holds.
fn long(folder: &Path) -> String {
    file(folder, "long.jsonl", &"{\"level\":\"info\",\"msg\":\"a message of some length\"}\n".repeat(20_000))
}

#[test]
fn a_reader_that_leaves_is_no_trouble() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = program()
        .args(["steps", &long(folder.path()), "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let (status, _, stderr) = command_result(&child.wait_with_output().unwrap());
    assert_eq!((status, stderr.as_str(), &first), (0, "", b"{\"obelus\":"));
}

#[test]
fn a_full_disk_is_trouble() {
    let Ok(full) = fs::OpenOptions::new().write(true).open("/dev/full") else {
        return eprintln!("no /dev/full here");
    };
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "c.jsonl", CHECKPOINTS);
    for arguments in [vec!["state", &path, "--json"], vec!["formats"], vec!["--help"]] {
        let output =
            program().args(&arguments).stdout(full.try_clone().unwrap()).stderr(Stdio::piped()).output().unwrap();
        let (status, _, stderr) = command_result(&output);
        assert_eq!(status, 2, "{arguments:?}");
        assert!(stderr.contains("cannot write"), "{stderr}");
    }
}

#[test]
fn the_same_input_gives_the_same_bytes_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "c.jsonl", CHECKPOINTS);
    for command in ["state", "blame", "steps", "render", "check", "plan"] {
        let outputs: Vec<Output> = [("UTC", "C", "40"), ("Asia/Tokyo", "de_DE.UTF-8", "200"), ("", "tr_TR.UTF-8", "0")]
            .iter()
            .map(|(zone, locale, columns)| {
                program()
                    .args([command, &path])
                    .envs([("TZ", zone), ("LANG", locale), ("LC_ALL", locale), ("COLUMNS", columns)])
                    .output()
                    .unwrap()
            })
            .collect();
        assert!(outputs.windows(2).all(|w| w[0].stdout == w[1].stdout && w[0].status == w[1].status), "{command}");
    }
}

#[test]
fn formats_says_what_a_file_is_and_why() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "c.jsonl", CHECKPOINTS);
    let (_, stdout, _) = obelus(&["formats", &path, "--json"]);
    assert!(stdout.contains("\"format\":\"scopix\",\"forced\":false,\"reasons\":[\""), "{stdout}");
    assert!(stdout.contains("\"trajectories\":1"), "{stdout}");
    let (_, stdout, _) = obelus(&["formats", "--json"]);
    for format in obelus::format::FORMATS {
        assert!(stdout.contains(&format!("\"name\":\"{}\"", format.name())), "{stdout}");
    }
}

#[test]
fn a_question_on_state_says_which_formats_have_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "g.jsonl", "{\"x\":1}\n");
    for words in
        [&["state", &path][..], &["resolve", &path, "x"], &["resolve", &path, "x", "--json"], &["blame", &path]]
    {
        let (status, stdout, stderr) = obelus(words);
        assert_eq!((status, stdout.as_str()), (2, ""), "{words:?}");
        assert!(stderr.contains("the format generic has no state"), "{words:?}: {stderr}");
        let (_, names) = stderr.split_once("as one that has: ").unwrap();
        let names: Vec<&str> = names.trim().split(", ").collect();
        assert!(["scopix", "adp", "acts"].iter().all(|name| names.contains(name)), "{words:?}: {stderr}");
    }
}

#[test]
fn a_question_that_a_format_has_no_answer_for_names_the_file_and_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let generic = file(folder.path(), "g.jsonl", "{\"x\":1}\n");
    let acts = file(folder.path(), "a.jsonl", "{\"type\":\"state\",\"state\":{\"n\":1}}\n");
    for (command, path, lacks, advice) in [
        ("plan", &generic, "generic has no plans; ", "acts"),
        ("merge", &acts, "acts merges no slots; ", "--format scopix"),
        ("files", &acts, "acts says nothing of files: it has no calls; ", "obelus formats"),
        ("context", &acts, "acts does not say what the model saw in turns; ", "obelus render"),
    ] {
        for words in [&[command, path][..], &[command, path, "--json"]] {
            let (status, stdout, stderr) = obelus(words);
            assert_eq!((status, stdout.as_str()), (2, ""), "{words:?}");
            let begin = format!("obelus: {path}: the format {lacks}");
            assert!(stderr.starts_with(&begin) && stderr.contains(advice), "{words:?}: {stderr}");
        }
    }
}

#[test]
fn every_sample_of_a_format_is_found_to_be_of_that_format() {
    let folder = tempfile::tempdir().unwrap();
    for format in obelus::format::FORMATS {
        for (i, sample) in format.samples().iter().enumerate() {
            let path = file(folder.path(), &format!("{}-{i}", format.name()), sample);
            let (_, stdout, stderr) = obelus(&["formats", &path, "--json"]);
            let named = format!("\"format\":\"{}\"", format.name());
            assert!(stdout.contains(&named), "{sample}\n{stdout}{stderr}");
        }
    }
}

#[test]
fn a_picture_is_drawn_without_a_terminal() {
    let (_, help, _) = obelus(&["--help"]);
    assert!(help.contains("formats") && !help.contains("picture"), "{help}");
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "c.jsonl", CHECKPOINTS);
    let keys = ["picture", &path, "--keys", "$ ]w Tab / type:ids Enter", "--size", "80x24"];
    let (status, first, stderr) = obelus(&keys);
    assert_eq!((status, stderr.as_str()), (0, ""));
    assert!(first.starts_with("<svg ") && first.matches(">ids").count() > 1, "{first}");
    let to = folder.path().join("p.svg");
    let (status, stdout, _) = obelus(&[&keys[..], &["--out", to.to_str().unwrap()]].concat());
    assert_eq!((status, stdout.as_str()), (0, ""));
    assert_eq!(fs::read_to_string(to).unwrap(), first);
    for (arguments, expected) in [
        (["--keys", "j Tabb"], "`Tabb` is not a key"),
        (["--size", "80"], "a size is two numbers"),
        (["--size", "0x3"], "a size is two numbers"),
        (["--theme", "pink"], "there is no theme `pink`"),
        (["--out", "/nowhere/p.svg"], "/nowhere/p.svg cannot be written"),
    ] {
        let (status, stdout, stderr) = obelus(&[&["picture", &path], &arguments[..]].concat());
        assert_eq!((status, stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(stderr.contains(expected), "{stderr}");
    }
}

#[test]
fn names_of_files_are_any_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.jsonl");
    let path = folder.path().join(name);
    fs::write(&path, CHECKPOINTS).unwrap();
    for command in ["state", "steps", "check", "stats", "formats", "blame", "merge"] {
        let mut asked = program();
        let (status, _, stderr) = command_result(&asked.arg(command).arg(&path).arg("--json").output().unwrap());
        assert_eq!((status, stderr.as_str()), (0, ""), "{command}");
    }
    let mut asked = program();
    let (status, stdout, _) = command_result(&asked.args(["tail", "--once"]).arg(&path).output().unwrap());
    assert_eq!((status, stdout.lines().count()), (0, 2), "{stdout}");
    let mut asked = program();
    let (_, stdout, _) =
        command_result(&asked.args(["check", "--sarif"]).arg(&path).arg(folder.path().join("none")).output().unwrap());
    assert!(stdout.contains("none"), "{stdout}");
}

#[test]
fn a_word_that_is_no_command_and_no_file_is_reported_with_the_near_command() {
    let (status, _, stderr) = obelus(&["stat", "run.jsonl"]);
    assert_eq!(status, 2);
    assert!(stderr.contains("stat: no such file") && stderr.contains("`state`"), "{stderr}");
    let (status, _, stderr) = obelus(&["--latest", "/none"]);
    assert!(status == 2 && stderr.contains("/none is not a folder"), "{stderr}");
    let (status, _, stderr) = obelus(&["Cargo.toml", "-"]);
    assert!(status == 2 && stderr.contains("alone"), "{stderr}");
    let (status, _, stderr) = obelus(&["demo", "--files", "/none"]);
    assert!(status == 2 && stderr.contains("/none is not a folder"), "{stderr}");
}
