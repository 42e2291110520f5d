//! Records that cannot be read: told with line and byte of the file, wherever one asks.

use super::command::{RECORD, fed, file, obelus_in as obelus};

#[test]
fn one_that_is_asked_for_says_why_it_has_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    file(at, "d.jsonl", &format!("{RECORD}{{\"id\":\"b\",\"content\":[tru]}}\n{RECORD}"));
    let place = format!("at byte {}", RECORD.len() + 24);
    for command in ["state", "blame", "render", "steps", "cause", "resolve", "history", "when", "diff"] {
        let mut words = vec![command, "d.jsonl", "--record", "1"];
        match command {
            "cause" | "resolve" | "history" => words.push("/a/b"),
            "when" => words.extend(["/a/b", "--changes"]),
            "diff" => words.push("d.jsonl"),
            _ => {}
        }
        let (status, stdout, stderr) = obelus(at, &words);
        assert_eq!((status, stdout.as_str()), (2, ""), "{command}: {stderr}");
        assert!(
            stderr.contains("line 2: record 1 of d.jsonl is not valid JSON") && stderr.contains(&place),
            "{stderr}"
        );
        words[3] = "2";
        let (_, _, stderr) = obelus(at, &words);
        assert!(!stderr.contains("is not valid JSON"), "{command}: {stderr}");
    }
}

/// Those of a dataset are in no step and no task, and are no records that name no task.
#[test]
fn what_goes_through_records_says_how_many_it_cannot_read() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let row =
        |id: usize| format!(r#"{{"id":"{id}","task_id":"t","messages":[{{"role":"user","content":"q{id}"}}]}}"#) + "\n";
    file(at, "d.jsonl", &format!("{}{{\"id\":\"b\",\n{}no\n", row(0), row(1)));
    let (status, stdout, stderr) = obelus(at, &["steps", "d.jsonl", "--json"]);
    assert_eq!((status, stdout.lines().count()), (0, 2), "{stdout}");
    assert!(stderr.contains("d.jsonl: 2 records that cannot be read give no step"), "{stderr}");
    for words in [&["tree", "d.jsonl"][..], &["tree", "d.jsonl", "--by-action"]] {
        let (status, stdout, stderr) = obelus(at, words);
        assert!(status == 0 && stdout.contains("0 records name no task"), "{stdout}");
        assert!(stderr.contains("2 records that cannot be read are in no task"), "{stderr}");
    }
    assert_eq!(obelus(at, &["steps", "d.jsonl", "--where", "step:0"]).2, "", "it passes no filter");
    file(at, "d.jsonl", &(row(0) + &row(1)));
    assert_eq!(obelus(at, &["steps", "d.jsonl"]).2, "");
    assert_eq!(obelus(at, &["tree", "d.jsonl"]).2, "");
}

#[test]
fn nothing_of_a_file_acts_on_a_terminal_behind_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let name = "a\u{1b}]0;x\u{7}.jsonl";
    file(at, name, &RECORD.replace("user", "us\u{9b}er\\u001b[2J"));
    let marks = ["--marks", "m"];
    assert_eq!(obelus(at, &[&["mark", name, "--note", "\u{1b}[31mred\nnext"], &marks[..]].concat()).0, 0);
    for words in [
        &["stats", "."][..],
        &["check", "."],
        &["steps", name],
        &["state", name],
        &["tail", name, "--once"],
        &["tail", ".", "--once"],
        &["marks", name, "--marks", "m"],
        &["formats", name],
        &["diff", name, name],
    ] {
        let (_, stdout, stderr) = obelus(at, words);
        let acts = |c: char| c.is_control() && c != '\n';
        assert!(!stdout.is_empty() && !stdout.contains(acts), "{words:?}: {stdout:?}");
        assert!(!stderr.contains(acts), "{words:?}: {stderr:?}");
    }
    let (_, stdout, _) = obelus(at, &[&["marks"], &marks[..]].concat());
    assert!(stdout.contains("\\u001b[31mred next") && stdout.lines().count() == 1, "{stdout}");
}

#[test]
fn bytes_are_those_of_the_file_whoever_reports_them() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let first = [
        ("acts", "{\"type\":\"text\",\"role\":\"user\",\"text\":\"x\"}\n"),
        ("scopix", "{\"slots\":{\"a\":{\"value\":1}}}\n"),
        ("generic", "{\"msg\":\"a\"}\n"),
        ("adp", RECORD),
    ];
    for (format, first) in first {
        file(at, "f.jsonl", &format!("{first}{{\"a\":tru}}\n{first}"));
        // The sign behind `tru`.
        let place = format!("at byte {}", first.len() + 8);
        let (_, stdout, _) = obelus(at, &["check", "f.jsonl", "--format", format]);
        let finding = stdout.lines().find(|line| line.starts_with("f.jsonl:2: error")).unwrap_or_default();
        assert!(finding.contains(&place), "{format}: {stdout}");
        if cfg!(feature = "query") {
            let (status, _, stderr) = obelus(at, &["query", "f.jsonl", ".a", "--format", format]);
            assert!(status == 1 && stderr.contains(&place), "{format}: {stderr}");
        }
    }
    file(at, "s.jsonl", &format!("{RECORD}{}", RECORD.replace("\"x\"", "\"ann@example.org\"")));
    let secret = RECORD.len() + RECORD.find("\"x\"").unwrap();
    let (_, stdout, _) = obelus(at, &["export", "s.jsonl", "--redact-list"]);
    assert!(stdout.contains(&format!("record 1 byte {secret}  email")), "{stdout}");
}

#[test]
fn an_export_says_what_is_too_deep() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let deep = format!("{{\"id\":\"d\",\"content\":{}{}}}\n", "[".repeat(300), "]".repeat(300));
    file(at, "d.jsonl", &format!("{RECORD}{deep}{{\"torn\":\n"));
    let (status, stdout, _) = obelus(at, &["export", "d.jsonl", "--marks", "/dev/null", "--out", "o.jsonl"]);
    assert_eq!(status, 0);
    assert!(stdout.contains("1  left out: nested too deep\n") && stdout.contains("1  left out: no JSON\n"), "{stdout}");
}

#[test]
fn tail_reads_packed_files_and_names_what_is_no_text() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut packer, b"{\"a\":1}\n{\"b\":2}\n").unwrap();
    let packed = packer.finish().unwrap();
    std::fs::write(at.join("p.jsonl"), &packed).unwrap();
    let (status, stdout, stderr) = obelus(at, &["tail", "p.jsonl", "--json", "--once"]);
    assert_eq!((status, stderr.as_str(), stdout.lines().count()), (0, "", 2), "{stdout}");
    std::fs::write(at.join("cut.jsonl"), &packed[..packed.len() - 6]).unwrap();
    let (status, _, stderr) = obelus(at, &["tail", "cut.jsonl", "--once"]);
    assert!(status == 2 && stderr.contains("cut.jsonl"), "{stderr}");
    let wide: Vec<u8> = "{\"a\":1}\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(at.join("wide.jsonl"), wide).unwrap();
    let (status, stdout, stderr) = obelus(at, &["tail", "wide.jsonl", "--once"]);
    assert!(status == 2 && stdout.is_empty() && stderr.contains("UTF-16 text") && stderr.contains("iconv"), "{stderr}");
    assert_eq!(stderr.lines().count(), 1);
    for noise in [&b"\xe9"[..], b"\xef\xbb{}", b"\x07\x01\xff\xfa\x03"] {
        std::fs::write(at.join("noise.jsonl"), noise).unwrap();
        let (status, stdout, stderr) = obelus(at, &["tail", "noise.jsonl", "--once", "--json"]);
        assert_eq!((status, stdout.lines().count(), stderr.as_str()), (1, 1, ""), "each line that is none is told");
    }
}

#[test]
fn tail_says_that_a_folder_has_no_records() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    file(at, "notes.txt", "x");
    let (status, stdout, stderr) = obelus(at, &["tail", ".", "--once"]);
    assert!(
        status == 2 && stdout.is_empty() && stderr.contains(".: there is no file of records in this folder"),
        "{stderr}"
    );
    file(at, "a.jsonl", "{\"a\":1}\n");
    assert_eq!(obelus(at, &["tail", ".", "--once"]).0, 0);
}

#[test]
fn a_folder_within_that_may_not_be_read_is_trouble() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    file(at, "a.jsonl", "{\"a\":1}\n");
    let closed = at.join("closed");
    std::fs::create_dir(&closed).unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o000)).unwrap();
    // Permissions do not hold for some users.
    let is_closed = std::fs::read_dir(&closed).is_err();
    for words in [&["tail", ".", "--once"][..], &["stats", "."]] {
        let (status, stdout, stderr) = obelus(at, words);
        assert!(!stdout.is_empty());
        if is_closed {
            assert!(status == 2 && stderr.contains("closed: no permission to read it"), "{words:?}: {stderr}");
        }
    }
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn standard_input_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    for words in
        [&["stats", "-", "-"][..], &["check", "-", "-"], &["export", "-", "-", "--out", "o"], &["marks", "-", "-"]]
    {
        let words = [words, if words[0] == "marks" { &["--marks", "/dev/null"] } else { &[] }].concat();
        let (status, _, stderr) = fed(folder.path(), &words, RECORD);
        assert!(status == 2 && stderr.contains("standard input is named twice"), "{words:?}: {stderr}");
    }
    assert!(!folder.path().join("o").exists());
}

#[test]
fn a_negative_number_is_a_value_that_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    file(at, "d.jsonl", RECORD);
    for words in [
        &["state", "d.jsonl", "--record", "-1"][..],
        &["steps", "d.jsonl", "--record", "-1"],
        &["export", "d.jsonl", "--out", "o", "--sample", "-1"],
        &["check", "d.jsonl", "--near", "-0.5"],
        &["tail", "d.jsonl", "--poll", "-1"],
        &["state", "d.jsonl", "--step", "-2"],
    ] {
        let (status, _, stderr) = obelus(at, words);
        assert_eq!(status, 2, "{words:?}");
        assert!(stderr.contains("invalid value '-") && !stderr.contains("-- -"), "{words:?}: {stderr}");
    }
    assert_eq!(obelus(at, &["state", "d.jsonl", "--step", "-1"]).0, 0);
}

#[test]
fn a_record_that_cannot_be_read_names_the_next_that_can() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("export.json");
    let session = r#"{"info":{"id":"s","directory":"/w","time":{"created":1,"updated":2}},"messages":[{"info":{"id":"m","sessionID":"s","role":"user","time":{"created":1}},"parts":[{"id":"p","messageID":"m","sessionID":"s","type":"text","text":"go"}]}]}"#;
    std::fs::write(&path, format!("Exporting session: s\n{session}\n")).unwrap();
    let (status, _, stderr) = super::command::obelus(&["state", path.to_str().unwrap()]);
    assert!(status == 2 && stderr.contains("`--record 1` is the next that can be read"), "{stderr}");
}
