//! Files that appear, grow or are written anew while a terminal shows them.

use super::command::sample;
use super::terminal::Terminal;
use std::fs::{self, OpenOptions};
use std::io::Write;

#[test]
fn a_line_appended_to_an_open_file_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("live.jsonl");
    fs::copy(sample("trip-run.jsonl"), &path).unwrap();
    let mut terminal = Terminal::open(&path);
    terminal.see("of 0–65");
    terminal.press("$");
    terminal.see("step 65 of 0–65");
    let line = "{\"type\":\"text\",\"role\":\"user\",\"text\":\"Is there a train as well?\"}\n";
    OpenOptions::new().append(true).open(&path).unwrap().write_all(line.as_bytes()).unwrap();
    terminal.see("of 0–66");
    terminal.see("Is there a train");
    terminal.press("q");
    assert_eq!(terminal.end(), (0, String::new()));
}

#[test]
fn an_array_of_messages_that_is_written_anew_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    let write = |said: &[&str]| {
        let message = |said: &&str| format!("{{\"role\": \"user\",\n \"content\": \"{said}\"}}");
        fs::write(&path, format!("[{}]", said.iter().map(message).collect::<Vec<_>>().join(",\n"))).unwrap();
    };
    write(&["book a boat"]);
    let mut terminal = Terminal::open(&path);
    terminal.see("book a boat");
    write(&["book a boat", "and a harbour"]);
    terminal.see("and a harbour");
    write(&["book a boat", "and a harbour", "and a sail"]);
    terminal.see("and a sail");
    terminal.press("q");
    assert_eq!(terminal.end(), (0, String::new()));
}

#[test]
fn a_file_that_is_not_there_yet_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("later.jsonl");
    let mut terminal = Terminal::run(&[path.to_str().unwrap(), "--follow", "--theme", "dark"], &[]);
    terminal.see("Waiting for the file");
    terminal.see("later.jsonl");
    fs::copy(sample("trip-run.jsonl"), &path).unwrap();
    terminal.see("of 0–65");
    terminal.press("q");
    assert_eq!(terminal.end(), (0, String::new()));
}

#[test]
fn a_file_whose_first_records_no_format_knows_is_of_the_format_of_those_that_follow() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    let write = |line: &str| {
        let mut file = OpenOptions::new().create(true).append(true).open(&path).unwrap();
        file.write_all(format!("{line}\n").as_bytes()).unwrap();
    };
    let queued = r#"{"type":"queue-operation","operation":"enqueue","sessionId":"s"}"#;
    write(queued);
    let mut terminal = Terminal::run(&[path.to_str().unwrap(), "--follow", "--theme", "dark"], &[]);
    terminal.see("JSON records");
    write(queued);
    terminal.see("of 0–1");
    for line in fs::read_to_string(sample("fix-session.jsonl")).unwrap().lines() {
        write(line);
    }
    terminal.see("Claude Code session");
    terminal.see("the records that came say what the file is");
    terminal.see("● ");
    terminal.press("q");
    assert_eq!(terminal.end(), (0, String::new()));
}

#[test]
fn a_file_that_is_opened_again_takes_neither_a_note_nor_a_list_away() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    let write = |text: &str| OpenOptions::new().append(true).open(&path).unwrap().write_all(text.as_bytes()).unwrap();
    let queued = "{\"type\":\"queue-operation\",\"operation\":\"enqueue\",\"sessionId\":\"s\"}\n";
    let session = fs::read_to_string(sample("fix-session.jsonl")).unwrap();

    fs::write(&path, queued.repeat(3)).unwrap();
    let mut terminal = Terminal::open(&path);
    terminal.see("of 0–2");
    terminal.press("j M");
    terminal.see("note:");
    write(&session);
    terminal.press("half");
    terminal.listen(std::time::Duration::from_secs(2));
    terminal.see("half");
    terminal.press("Enter");
    terminal.see("Claude Code session");
    terminal.see("step 1 of");
    terminal.press("q");
    assert_eq!(terminal.end(), (0, String::new()));

    fs::write(&path, queued).unwrap();
    let mut terminal = Terminal::open(folder.path());
    terminal.see("session.jsonl");
    terminal.press("Enter");
    terminal.see("JSON records");
    terminal.press("q");
    terminal.see("1 file");
    write(&session);
    terminal.listen(std::time::Duration::from_secs(2));
    terminal.see("1 file");
    terminal.press("q");
    assert_eq!(terminal.end(), (0, String::new()));
}

#[test]
fn a_file_in_the_place_of_one_that_no_format_knows_is_of_its_own_format() {
    let folder = tempfile::tempdir().unwrap();
    let (path, other) = (folder.path().join("session.jsonl"), folder.path().join("other"));
    fs::write(&path, "{\"a\":1}\n".repeat(100)).unwrap();
    let mut terminal = Terminal::open(&path);
    terminal.see("of 0–99");
    fs::copy(sample("fix-session.jsonl"), &other).unwrap();
    fs::rename(&other, &path).unwrap();
    terminal.see("Claude Code session");
    terminal.press("q");
    assert_eq!(terminal.end(), (0, String::new()));
}

#[test]
fn waiting_for_a_file_can_be_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("never.jsonl");
    for key in ["q", "C-c"] {
        let mut terminal = Terminal::run(&[path.to_str().unwrap(), "--follow", "--theme", "dark"], &[]);
        terminal.see("Waiting for the file");
        terminal.press(key);
        assert_eq!(terminal.end(), (0, String::new()));
    }
}

#[test]
fn an_empty_file_is_of_the_format_of_what_is_written_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.jsonl");
    fs::write(&path, "").unwrap();
    let mut terminal = Terminal::open(&path);
    terminal.see("There are no steps yet");
    fs::write(&path, fs::read(sample("trip-run.jsonl")).unwrap()).unwrap();
    terminal.see("Agent/Data");
    terminal.see("of 0–65");
    terminal.press("q");
    assert_eq!(terminal.end(), (0, String::new()));
}
