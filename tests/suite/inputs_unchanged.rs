//! No command writes over what it reads, nor over what is none of its own files.

use super::command::{RECORD, obelus_in, sample};
use std::fs;
use std::os::unix::fs::symlink;

#[test]
fn inputs_and_files_of_others_stay_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("d.jsonl"), RECORD).unwrap();
    fs::write(at.join("other.jsonl"), RECORD.replace("\"a\"", "\"b\"")).unwrap();
    fs::write(at.join("note"), "no line end").unwrap();
    symlink("d.jsonl", at.join("link")).unwrap();
    for (words, expected) in [
        ("check d.jsonl --write-baseline d.jsonl", "the same file as the input"),
        ("check d.jsonl --write-baseline link", "the same file as the input"),
        ("check --data d.jsonl --against other.jsonl --write-baseline other.jsonl", "the same file as the input"),
        ("check d.jsonl --write-baseline other.jsonl", "is not a baseline"),
        ("picture d.jsonl --out d.jsonl", "the same file as the input"),
        ("picture d.jsonl --out d.jsonl --force", "the same file as the input"),
        ("picture d.jsonl --out note", "--force"),
        ("mark d.jsonl --as bad --marks d.jsonl", "holds no marks"),
        ("mark d.jsonl --as bad --marks link", "holds no marks"),
        ("mark d.jsonl --as bad --marks note", "holds no marks"),
        ("export d.jsonl --out -", "not a name of a file"),
        ("export d.jsonl --out link --force", "the same file as the input"),
    ] {
        let (status, stdout, stderr) = obelus_in(at, &words.split(' ').collect::<Vec<_>>());
        assert!((status, stdout.as_str()) == (2, "") && stderr.contains(expected), "{words}: {status} {stderr}");
    }
    assert_eq!(fs::read_to_string(at.join("d.jsonl")).unwrap(), RECORD);
    assert_eq!(fs::read_to_string(at.join("note")).unwrap(), "no line end");
    assert!(at.join("link").is_symlink() && !at.join("-").exists());
}

#[test]
fn a_baseline_and_a_journal_can_be_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("d.jsonl"), RECORD).unwrap();
    fs::write(at.join("real"), "").unwrap();
    symlink("real", at.join("known")).unwrap();
    // A writer that was killed at its first line left this.
    fs::write(at.join("m"), "{\"v\":1,\"ti").unwrap();
    for words in ["check d.jsonl --write-baseline known", "mark d.jsonl --as bad --marks m"] {
        for _ in 0..2 {
            let (status, _, stderr) = obelus_in(at, &words.split(' ').collect::<Vec<_>>());
            assert_eq!((status, stderr.as_str()), (0, ""), "{words}");
        }
    }
    assert!(at.join("known").is_symlink(), "what a link leads to is written");
    assert!(!fs::read_to_string(at.join("real")).unwrap().is_empty());
    let (_, stdout, _) = obelus_in(at, &["marks", "--marks", "m"]);
    assert!(stdout.contains("bad"), "{stdout}");
}

#[test]
fn nothing_is_decided_by_an_empty_filter_or_on_a_value_that_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let run = concat!(
        "{\"type\":\"data\",\"kind\":\"state\",\"_instance\":\"①\",\"data\":{\"a\":1}}\n",
        "{\"type\":\"data\",\"kind\":\"state\",\"data\":{\"b\":2}}\n",
    );
    fs::write(at.join("d.jsonl"), RECORD).unwrap();
    fs::write(at.join("r.jsonl"), run).unwrap();
    let mark = |words: &[&str]| obelus_in(at, &[&["mark", "--marks", "m"], words].concat());
    assert_eq!(mark(&["d.jsonl", "--where", " ", "--as", "bad"]).0, 2);
    let flag = |path, more: &[&str]| mark(&[&["r.jsonl", "--step", "1", "--flag", "--path", path], more].concat());
    let (status, _, stderr) = flag("†state.nope", &[]);
    assert!(status == 2 && stderr.contains("the state has no †state.nope at step 1"), "{stderr}");
    let (status, _, stderr) = flag("†state.a", &[]);
    assert!(status == 2 && stderr.contains("choose one with --instance: ①"), "{stderr}");
    assert!(!at.join("m").exists());
    assert_eq!((flag("†state.a", &["--instance", "①"]).0, flag("†state.b", &[]).0), (0, 0));
    let (status, stdout, stderr) = obelus_in(at, &["history", "r.jsonl", "†state.a"]);
    assert_eq!((status, stdout.as_str()), (0, "@0  added  †state.a ①  1\n"), "{stderr}");
}

#[test]
fn a_pointer_names_the_instance_of_the_value_that_is_marked() {
    let folder = tempfile::tempdir().unwrap();
    let (tickets, at) = (sample("tickets-std.jsonl"), folder.path());
    for path in ["/details/main/queue", "details.queue", "details#main.queue"] {
        let mark =
            ["mark", tickets.as_str(), "--marks", "m", "--record", "4", "--step", "2", "--note", "?", "--path", path];
        assert_eq!(obelus_in(at, &mark).0, 0, "{path}");
    }
    let (_, stdout, _) = obelus_in(at, &["marks", "--marks", "m", "--json"]);
    assert_eq!(stdout.lines().count(), 1, "one value: {stdout}");
    assert!(stdout.contains(r#""path":"/details/main/queue","instance":"main""#), "{stdout}");
}
