//! Containers, folders of events and packed files that change while they are shown or followed: their text is made
//! again, what came is read on, and nothing is written beside them.

use super::command::program;
use super::containers::{HEADER, archive};
use super::input_folders::{event, events};
use flate2::Compression;
use flate2::write::GzEncoder;
use obelus::format;
use obelus::ingest::{Generation, IngestEvent, ResetReason, Worker, open_input};
use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// How long what must come is waited for.
const DEADLINE: Duration = Duration::from_secs(60);

struct Shown {
    worker: Worker,
    live: Generation,
    whys: Vec<ResetReason>,
    problems: Vec<String>,
}

impl Shown {
    fn of(path: &Path, format: &str) -> Self {
        let worker = Worker::start(open_input(path).unwrap(), format::by_name(format).unwrap()).unwrap();
        let live = worker.live.clone();
        Self { worker, live, whys: Vec::new(), problems: Vec::new() }
    }

    /// Reads events until the newest generation is complete and as wanted.
    fn until(&mut self, wanted: impl Fn(&Generation) -> bool) {
        let begin = Instant::now();
        while !(self.live.records.is_complete() && wanted(&self.live)) {
            assert!(begin.elapsed() < DEADLINE, "it never came: {:?}, {:?}", self.live, self.problems);
            match self.worker.events.recv_timeout(Duration::from_millis(100)) {
                Ok(IngestEvent::Generation(live, why)) => {
                    self.live = live;
                    self.whys.push(why);
                }
                Ok(IngestEvent::Problem(problem)) => self.problems.push(problem.to_string()),
                _ => {}
            }
        }
    }

    fn steps(&self) -> usize {
        self.live.run.as_ref().unwrap().read().unwrap().step_count()
    }
}

fn gzip(text: &str) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(text.as_bytes()).unwrap();
    packer.finish().unwrap()
}

fn append(path: &Path, bytes: &[u8]) {
    OpenOptions::new().append(true).open(path).unwrap().write_all(bytes).unwrap();
}

#[test]
fn a_folder_of_events_goes_on_as_files_come_to_it() {
    let root = tempfile::tempdir().unwrap();
    let folder = events(root.path(), &[0, 1]);
    let mut shown = Shown::of(&folder, "openhands");
    shown.until(|live| live.records.count() == 2);
    fs::write(folder.join("2.json"), event(2)).unwrap();
    fs::write(folder.join("3.json"), event(3)).unwrap();
    shown.until(|live| live.records.count() == 4);
    assert_eq!((shown.steps(), shown.whys.as_slice(), shown.problems.as_slice()), (4, &[][..], &[][..]));
    // What was read is another now.
    fs::write(folder.join("0.json"), event(0).replace("list it", "list all of it")).unwrap();
    shown.until(|live| live.generation == 1 && live.records.count() == 4);
    assert_eq!((shown.steps(), shown.whys.as_slice()), (4, &[ResetReason::Rebuilt][..]));
    fs::write(folder.join("4.json"), event(4)).unwrap();
    shown.until(|live| live.records.count() == 5);
    assert_eq!((shown.steps(), shown.whys.len()), (5, 1), "the new text goes on too");
}

#[test]
fn a_packed_file_goes_on_with_its_next_frame_and_is_whole_when_the_writer_ends() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl.gz");
    fs::write(&path, gzip("{\"n\":0}\n{\"n\":1}\n")).unwrap();
    let mut shown = Shown::of(&path, "generic");
    shown.until(|live| live.records.count() == 2);
    let frame = gzip(&"{\"n\":2}\n".repeat(300));
    let (half, rest) = frame.split_at(frame.len() / 2);
    append(&path, half);
    std::thread::sleep(Duration::from_millis(300));
    append(&path, rest);
    shown.until(|live| live.records.count() == 302);
    assert_eq!((shown.steps(), shown.whys.len(), shown.problems.as_slice()), (302, 0, &[][..]));
    fs::write(&path, gzip("{\"other\":0}\n")).unwrap();
    shown.until(|live| live.records.count() == 1);
    assert_eq!(shown.whys, [ResetReason::Rebuilt]);
}

fn sample(id: usize, text: &str) -> (String, String) {
    let messages = format!(r#"[{{"role":"user","content":"{text}"}}]"#);
    (format!("samples/{id}_epoch_1.json"), format!(r#"{{"id":{id},"epoch":1,"messages":{messages}}}"#))
}

fn write_archive(path: &Path, samples: &[(String, String)]) {
    let members: Vec<(&str, &str)> = [("header.json", HEADER)]
        .into_iter()
        .chain(samples.iter().map(|(name, text)| (name.as_str(), text.as_str())))
        .collect();
    fs::write(path, archive(&members)).unwrap();
}

#[test]
fn an_archive_is_read_again_when_its_directory_is_written_and_a_torn_one_is_reported_in_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.eval");
    let samples = [sample(1, "one"), sample(2, "two"), sample(3, "three")];
    write_archive(&path, &samples[..2]);
    let mut shown = Shown::of(&path, "inspect");
    shown.until(|live| live.records.count() == 2);
    write_archive(&path, &samples);
    shown.until(|live| live.records.count() == 3);
    assert!(shown.problems.is_empty(), "{:?}", shown.problems);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 30]).unwrap();
    let begin = Instant::now();
    while shown.problems.is_empty() {
        assert!(begin.elapsed() < DEADLINE, "a torn archive is never told");
        if let Ok(IngestEvent::Problem(problem)) = shown.worker.events.recv_timeout(Duration::from_millis(100)) {
            shown.problems.push(problem.to_string());
        }
    }
    assert!(shown.problems[0].contains("may be cut off, or still be written"), "{:?}", shown.problems);
    assert_eq!(shown.live.records.count(), 3, "what was read stays");
    fs::write(&path, whole).unwrap();
    let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["log.eval"], "nothing is written beside it");
}

/// `obelus tail PATH`, its lines as they come.
struct Tailed {
    child: Child,
    lines: Receiver<String>,
}

impl Tailed {
    fn of(path: &Path) -> Self {
        let mut child = program().arg("tail").arg(path).arg("--json").stdout(Stdio::piped()).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { child, lines }
    }

    fn next(&self, count: usize) -> String {
        (0..count).map(|_| self.lines.recv_timeout(DEADLINE).unwrap() + "\n").collect()
    }
}

impl Drop for Tailed {
    fn drop(&mut self) {
        let _ended = (self.child.kill(), self.child.wait());
    }
}

#[test]
fn tail_follows_a_packed_file_and_an_archive() {
    let folder = tempfile::tempdir().unwrap();
    let packed = folder.path().join("run.jsonl.gz");
    fs::write(&packed, gzip("{\"n\":0}\n")).unwrap();
    let tailed = Tailed::of(&packed);
    assert!(tailed.next(1).contains("\"record\":{\"n\":0}"));
    append(&packed, &gzip("{\"n\":1}\n{\"n\":2}\n"));
    let reports = tailed.next(2);
    assert!(reports.contains("\"record\":{\"n\":1}") && reports.contains("\"record\":{\"n\":2}"), "{reports}");

    let log = folder.path().join("log.eval");
    write_archive(&log, &[sample(1, "one"), sample(2, "two")]);
    let tailed = Tailed::of(&log);
    tailed.next(2);
    // One is another now and one came: both are reported, and what stayed is not.
    write_archive(&log, &[sample(1, "one"), sample(2, "zwei"), sample(3, "three")]);
    let reports = tailed.next(2);
    assert!(reports.contains("zwei") && reports.contains("three") && !reports.contains("\"one\""), "{reports}");
}

#[test]
fn tail_ends_with_an_error_where_an_archive_stays_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl.gz");
    let whole = gzip("{\"n\":0}\n{\"n\":1}\n");
    fs::write(&path, &whole[..whole.len() - 6]).unwrap();
    let output = program().arg("tail").arg(&path).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && message.contains("is cut off or damaged"), "{message}");
    assert_eq!(output.stdout.split(|&byte| byte == b'\n').count() - 1, 2, "what stands before is told");
}
