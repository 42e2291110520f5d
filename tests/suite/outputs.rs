//! Files that commands write: what they may take the place of, and what of it they keep.

use super::command::{RECORD, command_result, file, obelus_at_home as obelus, program};
use std::fs;
use std::process::{Command, Stdio};

#[test]
fn marks_are_never_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    file(at, "d.jsonl", RECORD);
    assert_eq!(obelus(at, &["mark", "d.jsonl", "--as", "bad"]).0, 0);
    for journal in ["j.jsonl", "old.jsonl"] {
        assert_eq!(obelus(at, &["mark", "d.jsonl", "--as", "good", "--marks", journal]).0, 0);
    }
    let own = "data/obelus/marks.jsonl";
    let before = [own, "j.jsonl", "old.jsonl"].map(|name| fs::read(at.join(name)).unwrap());
    for words in [
        &["export", "d.jsonl", "--marks", "j.jsonl", "--out", own, "--force"][..],
        &["export", "d.jsonl", "--marks", "j.jsonl", "--out", "old.jsonl", "--force"],
        &["marks", "merge", "j.jsonl", "--out", own, "--force"],
        &["picture", "d.jsonl", "--out", own, "--force"],
        &["picture", "d.jsonl", "--out", "j.jsonl", "--force"],
    ] {
        let (status, stdout, stderr) = obelus(at, words);
        assert!(status == 2 && stdout.is_empty() && stderr.contains("journal of marks"), "{words:?}: {stderr}");
    }
    let after = [own, "j.jsonl", "old.jsonl"].map(|name| fs::read(at.join(name)).unwrap());
    assert_eq!(after, before);
    assert_eq!(obelus(at, &["marks", "merge", "j.jsonl", "--out", "old.jsonl", "--force"]).0, 0, "a merge made anew");
}

#[test]
fn an_input_that_changes_meanwhile_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let pipe = at.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for (name, changed, expected) in [
        ("same.jsonl", RECORD.replace("\"a\"", "\"b\""), 2),
        ("grown.jsonl", RECORD.repeat(2), 0),
        ("short.jsonl", String::new(), 2),
    ] {
        let path = file(at, name, RECORD);
        let mut command = program();
        command.args(["export", name, "pipe", "--out", "o.jsonl", "--force"]).current_dir(at);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // The pipe opens when the file before it was opened.
        let to = fs::OpenOptions::new().write(true).open(&pipe).unwrap();
        fs::write(&path, &changed).unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
        std::io::Write::write_all(&mut &to, RECORD.as_bytes()).unwrap();
        drop(to);
        let (status, _, stderr) = command_result(&child.wait_with_output().unwrap());
        assert_eq!(status, expected, "{name}: {stderr}");
        assert_eq!(stderr.contains("was changed while it was read"), expected == 2, "{name}: {stderr}");
        assert_eq!(at.join("o.jsonl").exists(), expected == 0, "{name}");
        let _gone = fs::remove_file(at.join("o.jsonl"));
    }
}

#[test]
fn what_obelus_wrote_is_no_data_of_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::create_dir(at.join("d")).unwrap();
    file(at, "d/a.jsonl", RECORD);
    assert_eq!(obelus(at, &["export", "d/a.jsonl", "--out", "d/o.jsonl"]).0, 0);
    assert_eq!(obelus(at, &["check", "d/a.jsonl", "--write-baseline", "d/known.jsonl"]).0, 0);
    assert!(fs::metadata(at.join("d/known.jsonl")).unwrap().len() > 0);
    let (status, stdout, stderr) = obelus(at, &["query", "d", ".id", "--count"]);
    assert_eq!((status, stdout.as_str(), stderr.as_str()), (0, "d/a.jsonl:1\nd/o.jsonl:1\n", ""));
    assert_eq!(obelus(at, &["query", "d/known.jsonl", ".rule", "--count"]).1, "1\n", "named, it is read");
    fs::create_dir(at.join("parts")).unwrap();
    let (_, stats, _) = obelus(at, &["stats", "d/a.jsonl", "--json"]);
    file(at, "parts/1.jsonl", &stats);
    let (status, stdout, stderr) = obelus(at, &["stats", "--merge", "parts"]);
    assert!(status == 0 && stdout.starts_with("1 part"), "{stdout}{stderr}");
}

#[test]
fn a_picture_has_a_theme_without_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let picture = |words: &[&str]| obelus(folder.path(), &[&["picture", "--size", "40x5"], words].concat());
    let auto = picture(&["--theme", "auto"]);
    assert_eq!((auto.0, auto.1), (0, picture(&[]).1), "{}", auto.2);
    assert_eq!(picture(&["--theme", "mud"]).0, 2);
}

#[test]
fn an_export_that_is_ended_takes_away_what_it_began() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    file(at, "d.jsonl", &RECORD.repeat(6_000));
    let mut ended = 0;
    for moment in 0..16 {
        let mut command = program();
        command.args(["export", "d.jsonl", "--split", "80/20", "--out", "o.jsonl", "--force"]).current_dir(at);
        command.env("XDG_DATA_HOME", at.join("data")).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(moment * 17));
        let signal = ["-TERM", "-INT", "-HUP", "-QUIT"][usize::try_from(moment % 4).unwrap()];
        let _sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        let status = child.wait().unwrap();
        assert!(status.code().is_none_or(|code| code == 0), "it ends as signals end programs, or was done: {status}");
        ended += usize::from(status.code().is_none());
        let names = fs::read_dir(at).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        assert_eq!(names.filter(|name| name.ends_with(".part")).count(), 0, "moment {moment}");
    }
    assert!(ended > 0);
}

#[test]
fn one_is_reported_as_one_and_a_tag_has_letters() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    file(at, "d.jsonl", RECORD);
    file(at, "j", "no mark\n");
    for tag in ["", " "] {
        let (status, _, stderr) = obelus(at, &["mark", "d.jsonl", "--marks", "m", "--tag", tag]);
        assert!(status == 2 && stderr.contains("a tag has at least one letter"), "{stderr}");
    }
    assert!(!at.join("m").exists());
    assert!(obelus(at, &["export", "d.jsonl", "--out", "o.jsonl"]).1.starts_with("1 of 1 record written\n"));
    assert!(obelus(at, &["marks", "--marks", "j"]).2.contains("1 line of the journal cannot be read and is left out"));
    assert!(obelus(at, &["marks", "merge", "j"]).2.contains("j: 1 line cannot be read and is left out"));
    assert!(obelus(at, &["diff", "d.jsonl", "d.jsonl", "--changes"]).1.starts_with("--- d.jsonl  1 record\n"));
}
