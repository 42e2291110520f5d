//! `obelus tail` on live files: writers of many kinds and the faults of their files (TAIL T1 to T19), in short.
//!
//! The binary runs beside a writer; what must come is waited for, and all that came is compared.

use super::command::program;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// How long what must come is waited for.
const DEADLINE: Duration = Duration::from_secs(60);

/// How long a content stands before it is changed, so that it was looked at (T5).
const HOLD: Duration = Duration::from_millis(1500);

struct Tailed {
    folder: tempfile::TempDir,
    child: Child,
    lines: Receiver<String>,
    reports: Vec<String>,
}

impl Tailed {
    fn start(make: impl FnOnce(&Path), name: &str, options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path());
        let mut child = program()
            .arg("tail")
            .arg(folder.path().join(name))
            .arg("--json")
            .args(options)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { folder, child, lines, reports: Vec::new() }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("live.jsonl")
    }

    fn append(&self, text: &str) {
        append(&self.path(), text);
    }

    /// Waits for this many lines of output in all.
    fn until(&mut self, count: usize) {
        let end = Instant::now() + DEADLINE;
        while self.reports.len() < count {
            let left = end.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => self.reports.push(short(&line)),
                Err(_) => panic!("only this came: {:#?}", self.reports),
            }
        }
    }

    /// Ends it and gives all it told.
    fn end(mut self) -> Vec<String> {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        assert!(self.child.wait().unwrap().success());
        while let Ok(line) = self.lines.recv() {
            self.reports.push(short(&line));
        }
        std::mem::take(&mut self.reports)
    }
}

impl Drop for Tailed {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

fn append(path: &Path, text: &str) {
    let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

/// `generation offset:line record`, `!` for an error, with its marks; of a folder the file before it.
fn short(line: &str) -> String {
    let object: serde_json::Value = serde_json::from_str(line).unwrap();
    let file = object["file"].as_str().map(|file| format!("{file} ")).unwrap_or_default();
    let generation = &object["generation"];
    if let Some(event) = object["event"].as_str() {
        return format!("{file}{generation} {event}");
    }
    let what = match object.get("record") {
        Some(record) => record.to_string(),
        None => object.get("hole").map_or_else(|| "!".to_owned(), |hole| format!("!hole {hole}")),
    };
    let end = if object["unterminated"] == true { " …" } else { "" };
    format!("{file}{generation} {}:{} {what}{end}", object["offset"], object["line"])
}

fn written(text: &'static str) -> impl FnOnce(&Path) {
    move |folder| fs::write(folder.join("live.jsonl"), text).unwrap()
}

#[test]
fn appended_lines_in_whatever_pieces() {
    for options in [&[][..], &["--poll", "50"]] {
        let mut tailed = Tailed::start(written("\u{feff}{\"a\":1}\r\n\r\n"), "live.jsonl", options);
        tailed.until(1);
        for piece in ["{\"b\":\"", "é", "\"}", "\n{\"c\":1} [2]\nx", "y\n7"] {
            tailed.append(piece);
            std::thread::sleep(Duration::from_millis(30));
        }
        tailed.append("7\n");
        tailed.until(6);
        let expected =
            ["1 3:1 {\"a\":1}", "1 14:3 {\"b\":\"é\"}", "1 25:4 {\"c\":1}", "1 33:4 [2]", "1 37:5 !", "1 40:6 77"];
        assert_eq!(tailed.end(), expected, "{options:?}");
    }
}

#[test]
fn an_unfinished_line_is_reported_when_it_is_whole_or_final() {
    let mut tailed = Tailed::start(written("{\"a\":1}\n{\"b\":2}"), "live.jsonl", &[]);
    tailed.until(2);
    tailed.append("\n{\"c\":");
    std::thread::sleep(HOLD);
    assert_eq!(tailed.end(), ["1 0:1 {\"a\":1}", "1 8:2 {\"b\":2} …", "1 16:3 ! …"]);
}

#[test]
fn a_truncated_file_is_a_new_generation_even_if_it_grew() {
    let mut tailed = Tailed::start(written("{\"a\":1}\n"), "live.jsonl", &[]);
    tailed.until(1);
    std::thread::sleep(HOLD);
    fs::write(tailed.path(), "{\"b\":1}\n{\"b\":2}\n").unwrap();
    tailed.until(4);
    std::thread::sleep(HOLD);
    fs::write(tailed.path(), "{\"b\":3}\n{\"b\":2}\n").unwrap();
    tailed.until(7);
    let expected = [
        "1 0:1 {\"a\":1}",
        "2 truncated",
        "2 0:1 {\"b\":1}",
        "2 8:2 {\"b\":2}",
        "3 truncated",
        "3 0:1 {\"b\":3}",
        "3 8:2 {\"b\":2}",
    ];
    assert_eq!(tailed.end(), expected);
}

#[test]
fn a_rotated_file_is_read_to_its_end_and_beyond() {
    for options in [&[][..], &["--poll", "50"]] {
        let mut tailed = Tailed::start(written("{\"a\":1}\n"), "live.jsonl", options);
        tailed.until(1);
        let old = tailed.folder.path().join("live.jsonl.1");
        tailed.append("{\"a\":2}\n{\"a\":");
        fs::rename(tailed.path(), &old).unwrap();
        tailed.append("{\"b\":1}\n");
        tailed.until(4);
        append(&old, "3}\n");
        tailed.until(5);
        let reports = tailed.end();
        assert_eq!(reports.first().map(String::as_str), Some("1 0:1 {\"a\":1}"));
        let at = |wanted: &str| {
            reports.iter().position(|line| line.ends_with(wanted)).unwrap_or_else(|| panic!("{reports:?}"))
        };
        assert!(at("{\"a\":2}") < at("{\"b\":1}") && at("{\"b\":1}") < at("{\"a\":3}"), "{reports:?}");
        assert!(reports.iter().any(|line| line == "2 rotated" || line == "2 back"), "{reports:?}");
        assert_eq!(reports.iter().filter(|line| line.contains('{')).count(), 4, "{reports:?}");
    }
}

#[test]
fn a_file_that_goes_and_comes_back() {
    let mut tailed = Tailed::start(|_| (), "live.jsonl", &[]);
    std::thread::sleep(Duration::from_millis(300));
    tailed.append("{\"a\":1}\n");
    tailed.until(1);
    fs::remove_file(tailed.path()).unwrap();
    tailed.until(2);
    tailed.append("{\"b\":1}\n");
    tailed.until(4);
    assert_eq!(tailed.end(), ["1 0:1 {\"a\":1}", "1 gone", "2 back", "2 0:1 {\"b\":1}"]);
}

#[test]
fn a_symbolic_link_that_is_switched() {
    let make = |folder: &Path| {
        append(&folder.join("one"), "{\"a\":1}\n");
        append(&folder.join("two"), "{\"b\":1}\n");
        std::os::unix::fs::symlink("one", folder.join("live.jsonl")).unwrap();
    };
    let mut tailed = Tailed::start(make, "live.jsonl", &[]);
    tailed.until(1);
    let link = tailed.folder.path().join("new");
    std::os::unix::fs::symlink("two", &link).unwrap();
    fs::rename(&link, tailed.path()).unwrap();
    tailed.until(3);
    append(&tailed.folder.path().join("two"), "{\"b\":2}\n");
    tailed.until(4);
    assert_eq!(tailed.end(), ["1 0:1 {\"a\":1}", "2 rotated", "2 0:1 {\"b\":1}", "2 8:2 {\"b\":2}"]);
}

#[test]
fn nul_bytes_are_not_written_yet_or_a_hole() {
    let make = |folder: &Path| {
        let file = File::create(folder.join("live.jsonl")).unwrap();
        file.set_len(1 << 20).unwrap();
        file.write_all_at(b"{\"a\":1}\n", 0).unwrap();
    };
    let mut tailed = Tailed::start(make, "live.jsonl", &[]);
    tailed.until(1);
    let file = OpenOptions::new().write(true).open(tailed.path()).unwrap();
    file.write_all_at(b"{\"a\":2}\n{\"a\"", 8).unwrap();
    tailed.until(2);
    file.write_all_at(b"{\"b\":1}\n", 1 << 20).unwrap();
    tailed.until(5);
    let hole = (1 << 20) - 20;
    let expected =
        ["1 0:1 {\"a\":1}", "1 8:2 {\"a\":2}", "1 16:3 !", &format!("1 20:3 !hole {hole}"), "1 1048576:3 {\"b\":1}"];
    assert_eq!(tailed.end(), expected);
}

#[test]
fn a_document_is_reported_when_it_stands_still() {
    let mut tailed = Tailed::start(written("{\n \"n\": 1\n}\n"), "live.jsonl", &[]);
    tailed.until(1);
    let mut file = File::create(tailed.path()).unwrap();
    file.write_all(b"{\n \"n\":").unwrap();
    std::thread::sleep(Duration::from_millis(400));
    file.write_all(b" 2}\n\n[\n3]").unwrap();
    tailed.until(4);
    // Written anew with the same bytes: nothing.
    file.seek(SeekFrom::Start(0)).unwrap();
    file.write_all(b"{\n \"n\": 2}\n\n[\n3]").unwrap();
    std::thread::sleep(HOLD);
    assert_eq!(tailed.end(), ["1 0:1 {\"n\":1}", "2 truncated", "2 0:1 {\"n\":2}", "2 12:4 [3] …"]);
}

#[test]
fn the_files_of_a_folder_side_by_side() {
    let make = |folder: &Path| {
        fs::create_dir_all(folder.join("live/b")).unwrap();
        append(&folder.join("live/b/x.jsonl"), "{\"x\":1}\n");
        append(&folder.join("live/.hidden.jsonl"), "{}\n");
    };
    let mut tailed = Tailed::start(make, "live", &[]);
    tailed.until(1);
    let root = tailed.folder.path().join("live");
    append(&root.join("a.jsonl.tmp"), "{\"a\":1}\n");
    append(&root.join("b/x.jsonl"), "{\"x\":2}\n{\"x\"");
    tailed.until(2);
    fs::rename(root.join("a.jsonl.tmp"), root.join("a.jsonl")).unwrap();
    tailed.until(3);
    fs::create_dir_all(root.join("c/d")).unwrap();
    append(&root.join("c/d/y.json"), "{\n\"y\":1}");
    tailed.until(4);
    let expected = [
        "b/x.jsonl 1 0:1 {\"x\":1}",
        "b/x.jsonl 1 8:2 {\"x\":2}",
        "a.jsonl 1 0:1 {\"a\":1}",
        "c/d/y.json 1 0:1 {\"y\":1} …",
        "b/x.jsonl 1 16:3 ! …",
    ];
    assert_eq!(tailed.end(), expected);
}

#[test]
fn a_name_that_is_no_text_costs_no_file() {
    use std::os::unix::ffi::OsStrExt;
    let name = |bytes: &[u8]| Path::new("live").join(std::ffi::OsStr::from_bytes(bytes));
    let make = |folder: &Path| {
        fs::create_dir_all(folder.join("live")).unwrap();
        append(&folder.join(name(b"a\xff.jsonl")), "{\"x\":1}\n");
    };
    let mut tailed = Tailed::start(make, "live", &[]);
    tailed.until(1);
    append(&tailed.folder.path().join(name(b"a\xfe.jsonl")), "{\"x\":2}\n");
    tailed.until(2);
    append(&tailed.folder.path().join(name(b"a\xff.jsonl")), "{\"x\":3}\n");
    tailed.until(3);
    let expected =
        ["1 0:1 {\"x\":1}", "1 0:1 {\"x\":2}", "1 8:2 {\"x\":3}"].map(|report| format!("a\u{fffd}.jsonl {report}"));
    assert_eq!(tailed.end(), expected);
}

#[test]
fn a_folder_of_more_files_than_may_be_open() {
    [260, 128, 64].into_iter().for_each(follow_under);
}

/// Follows 600 files with so few handles.
fn follow_under(handles: usize) {
    let folder = tempfile::tempdir().unwrap();
    for n in 0..600 {
        append(&folder.path().join(format!("{n:03}.jsonl")), &format!("{{\"n\":{n}}}\n"));
    }
    append(&folder.path().join("torn.json"), "{\n\"a\":\n");
    let script = format!(
        "ulimit -n {handles}; exec '{}' tail '{}' --json --once",
        env!("CARGO_BIN_EXE_obelus"),
        folder.path().display()
    );
    let out = Command::new("sh").args(["-c", &script]).output().unwrap();
    let mut reports: Vec<String> = String::from_utf8(out.stdout).unwrap().lines().map(short).collect();
    reports.sort();
    let mut expected: Vec<String> = (0..600).map(|n| format!("{n:03}.jsonl 1 0:1 {{\"n\":{n}}}")).collect();
    expected.push("torn.json 1 0:1 !".to_owned());
    assert_eq!((out.status.code(), reports), (Some(1), expected));
    assert!(out.stderr.is_empty(), "{}", String::from_utf8_lossy(&out.stderr));
}

#[test]
fn a_reader_who_does_not_read_stops_nothing_and_loses_nothing() {
    let mut tailed = program();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("live.jsonl");
    let text: String = (0..40_000).map(|n| format!("{{\"n\":{n}}}\n")).collect();
    fs::write(&path, &text).unwrap();
    let mut child = tailed.arg("tail").arg(&path).arg("--json").stdout(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    // The file goes while nobody reads: what was written to it must come all the same.
    fs::rename(&path, folder.path().join("old")).unwrap();
    append(&path, "{\"last\":1}\n");
    std::thread::sleep(Duration::from_millis(500));
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let reports: Vec<String> = lines.take(40_002).map(|line| short(&line)).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    let records = reports.iter().filter(|line| line.contains("{\"n\"")).count();
    assert_eq!(
        (records, reports[40_000].as_str(), reports[40_001].as_str()),
        (40_000, "2 rotated", "2 0:1 {\"last\":1}")
    );
}

#[test]
fn one_look_and_its_exit_status() {
    let run = |text: Option<&str>| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        if let Some(text) = text {
            fs::write(&path, text).unwrap();
        }
        let out = program().arg("tail").arg(&path).args(["--json", "--once"]).output().unwrap();
        let reports: Vec<String> = String::from_utf8(out.stdout).unwrap().lines().map(short).collect();
        (out.status.code(), reports.join(", "))
    };
    assert_eq!(run(Some("{}\n[1]")), (Some(0), "1 0:1 {}, 1 3:2 [1] …".to_owned()));
    assert_eq!(run(Some("")), (Some(0), String::new()));
    assert_eq!(run(Some("{}\n{")), (Some(1), "1 0:1 {}, 1 3:2 ! …".to_owned()));
    assert_eq!(run(Some("{\n\"a\": [\n")), (Some(1), "1 0:1 !".to_owned()));
    assert_eq!(run(Some("{\"a\":\n{}\n{}\n")), (Some(1), "1 0:1 !, 1 6:2 {}, 1 9:3 {}".to_owned()));
    assert_eq!(run(None), (Some(2), String::new()));
}

#[test]
fn a_stream_is_followed_to_its_end() {
    for (text, expected) in [
        ("{\"a\":1}\nx\n{\"b\"", &["1 0:1 {\"a\":1}", "1 8:2 !", "1 10:3 ! …"][..]),
        ("{\n\"a\":1}\n[2]\n", &["1 0:1 {\"a\":1}", "1 9:3 [2]"]),
    ] {
        let expected: Vec<String> = expected.iter().map(|s| (*s).to_owned()).collect();
        assert_eq!(streamed(text, &[]), (Some(0), expected.clone()));
        // All of a stream is what stands there, however late it comes.
        let has_error = expected.iter().any(|line| line.contains('!'));
        assert_eq!(streamed(text, &["--once"]), (Some(i32::from(has_error)), expected));
    }
}

/// What is told of a text that comes late through a pipe, and the exit status.
fn streamed(text: &str, options: &[&str]) -> (Option<i32>, Vec<String>) {
    let mut command = program();
    command.args(["tail", "-", "--json"]).args(options).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    stdin.write_all(text.as_bytes()).unwrap();
    drop(stdin);
    let out = child.wait_with_output().unwrap();
    (out.status.code(), String::from_utf8(out.stdout).unwrap().lines().map(short).collect())
}

#[test]
fn what_stood_in_a_stream_is_read_behind_a_signal() {
    let lines = "{\"a\":1}\n".repeat(5_000);
    let mut child = program().args(["tail", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"{}\n").unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    // Its first line tells that signals are heard.
    out.read_line(&mut String::new()).unwrap();
    stdin.write_all(lines.as_bytes()).unwrap();
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(out.lines().count(), 5_000);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
