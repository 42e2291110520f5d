//! A file read in pieces, while it grows, or at once: the same records.

use obelus::format;
use obelus::framing::Framer;
use obelus::ingest::{Generation, IngestEvent, ResetReason, Worker};
use obelus::model::{Bytes, Framing, Record, RecordIndex};
use obelus::source::Input;
use proptest::prelude::*;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const FRAMINGS: [Framing; 3] = [Framing::Text, Framing::Values, Framing::Elements];

/// How long a test waits for what must come.
const DEADLINE: Duration = Duration::from_secs(60);

/// Feeds the text cut at these bytes, then the end.
fn framed(text: &[u8], framing: Framing, cuts: &[usize], is_early: bool) -> Vec<Record> {
    let mut framer = Framer::new(framing);
    let mut index = RecordIndex::default();
    let mut known = 0;
    for &cut in cuts.iter().chain([&text.len()]) {
        known = known.max(cut.min(text.len()));
        while (framer.position() as usize) < known {
            framer.feed(&text[framer.position() as usize..known], &mut index);
        }
        if is_early {
            framer.take_early(&mut index);
        }
    }
    while !framer.finish(&mut index) {
        framer.feed(&text[framer.position() as usize..], &mut index);
    }
    index.iter().collect()
}

fn texts() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("{\"a\":1}"),
        Just("{\"b\":[1,{\"c\":\"d\\\"\"}]}"),
        Just("["),
        Just("]"),
        Just("{"),
        Just("}"),
        Just(","),
        Just("\n"),
        Just("\n"),
        Just("\r\n"),
        Just(" "),
        Just("7"),
        Just("nul"),
        Just("\"x\ny\""),
        Just("\u{e9}"),
        Just("\u{feff}"),
        Just("\"\\ud800\""),
        Just("\0"),
        Just("{\n\"k\":\n2}"),
    ];
    proptest::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn pieces_give_what_the_whole_gives(text in texts(), mut cuts in proptest::collection::vec(0usize..80, 0..9)) {
        cuts.sort_unstable();
        for framing in FRAMINGS {
            let whole = framed(text.as_bytes(), framing, &[], false);
            prop_assert_eq!(&framed(text.as_bytes(), framing, &cuts, false), &whole, "{:?}", framing);
            prop_assert_eq!(&framed(text.as_bytes(), framing, &cuts, true), &whole, "{:?} taken early", framing);
        }
    }

    #[test]
    fn records_hold_all_that_is_no_white_space(text in texts()) {
        let whole = framed(text.as_bytes(), Framing::Text, &[], false);
        let held: u64 = whole.iter().map(|r| r.place.span.len).sum();
        let inside = |i: usize| whole.iter().any(|r| (r.place.span.offset..r.place.span.end()).contains(&(i as u64)));
        let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
        for (i, byte) in text.bytes().enumerate().skip(start) {
            prop_assert!(inside(i) || byte.is_ascii_whitespace(), "byte {} of {:?}", i, text);
        }
        prop_assert!(held <= text.len() as u64);
    }
}

struct Followed {
    _folder: tempfile::TempDir,
    path: PathBuf,
    worker: Worker,
    live: Generation,
    whys: Vec<ResetReason>,
    begin: Instant,
}

impl Followed {
    fn start(text: &str, format: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("live.jsonl");
        fs::write(&path, text).unwrap();
        Self::on(folder, path, format)
    }

    fn on(folder: tempfile::TempDir, path: PathBuf, format: &str) -> Self {
        let worker = Worker::start(Input::open(&path).unwrap(), format::by_name(format).unwrap()).unwrap();
        let live = worker.live.clone();
        Self { _folder: folder, path, worker, live, whys: Vec::new(), begin: Instant::now() }
    }

    /// Reads events until the newest generation is as wanted.
    fn until(&mut self, wanted: impl Fn(&Generation) -> bool) {
        while !(self.live.records.is_complete() && wanted(&self.live)) {
            assert!(self.begin.elapsed() < DEADLINE, "it never came: {:?}, {:?}", self.live, self.texts());
            if let Ok(IngestEvent::Generation(live, why)) = self.worker.events.recv_timeout(Duration::from_millis(100))
            {
                assert_eq!(live.generation, self.live.generation + 1);
                self.live = live;
                self.whys.push(why);
            }
        }
    }

    fn texts(&self) -> Vec<String> {
        let text = |n| {
            let record = self.live.records.get(n)?;
            Some(String::from_utf8_lossy(&self.live.input.read(record.place.span).ok()?).into_owned())
        };
        (0..self.live.records.count()).map_while(text).collect()
    }

    fn steps(&self) -> usize {
        self.live.run.as_ref().unwrap().read().unwrap().step_count()
    }

    fn append(&self, text: &str) {
        append(&self.path, text);
    }
}

fn append(path: &Path, text: &str) {
    OpenOptions::new().append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
}

#[test]
fn appended_lines_come_in_whatever_pieces_they_are_written() {
    let mut followed = Followed::start("{\"n\":0}\n", "generic");
    let all: String = (1..200).map(|n| format!("{{\"n\":{n},\"text\":\"{}\"}}\n", "é".repeat(n % 7))).collect();
    let path = followed.path.clone();
    let bytes = all.clone().into_bytes();
    let writer = std::thread::spawn(move || {
        let mut file = OpenOptions::new().append(true).open(path).unwrap();
        for piece in bytes.chunks(37) {
            file.write_all(piece).unwrap();
        }
    });
    followed.until(|live| live.records.count() == 200);
    writer.join().unwrap();
    let expected: Vec<&str> = std::iter::once("{\"n\":0}").chain(all.lines()).collect();
    assert_eq!(followed.texts(), expected);
    assert_eq!((followed.steps(), followed.whys.len()), (200, 0));
}

#[test]
fn an_unfinished_line_waits_and_is_taken_when_it_is_whole_and_quiet() {
    let mut followed = Followed::start("{}\n{\"a\":", "generic");
    followed.until(|live| live.records.count() == 1);
    followed.append("1}");
    followed.until(|live| live.records.count() == 2);
    followed.append("\n{\"b\":2}\n");
    followed.until(|live| live.records.count() == 3);
    assert_eq!((followed.texts().join(" "), followed.whys.len()), ("{} {\"a\":1} {\"b\":2}".to_owned(), 0));
    followed.append("{\"c\":3}");
    followed.until(|live| live.records.count() == 4);
    followed.append(" and more\n");
    followed.until(|live| live.generation == 1 && live.records.count() == 4);
    assert_eq!(followed.texts()[3], "{\"c\":3} and more");
    assert_eq!((followed.steps(), followed.whys.as_slice()), (4, &[ResetReason::Reread][..]));
}

#[test]
fn a_shorter_file_and_a_replaced_one_are_new_generations() {
    let mut followed = Followed::start("{\"old\":1}\n{\"old\":2}\n", "generic");
    followed.until(|live| live.records.count() == 2);
    let old = followed.live.clone();
    fs::write(&followed.path, "{\"cut\":1}\n").unwrap();
    followed.until(|live| live.generation == 1 && live.records.count() == 1);
    assert_eq!((followed.texts()[0].as_str(), old.records.count()), ("{\"cut\":1}", 2));
    let other = followed.path.with_extension("new");
    fs::write(&other, "{\"new\":1}\n{\"new\":2}\n{\"new\":3}\n").unwrap();
    fs::rename(&other, &followed.path).unwrap();
    followed.until(|live| live.generation == 2 && live.records.count() == 3);
    assert_eq!(followed.whys, [ResetReason::Truncated, ResetReason::Replaced]);
    followed.append("{\"new\":4}\n");
    followed.until(|live| live.records.count() == 4);
    assert_eq!(followed.steps(), 4);
}

#[test]
fn lines_that_come_to_a_rotated_file_are_reported() {
    let mut followed = Followed::start("{\"n\":1}\n", "generic");
    followed.until(|live| live.records.count() == 1);
    let old = followed.path.with_extension("old");
    fs::rename(&followed.path, &old).unwrap();
    fs::write(&followed.path, "{\"n\":2}\n").unwrap();
    followed.until(|live| live.generation == 1 && live.records.count() == 1);
    for (text, expected) in [("{\"late\":1}\n{\"la", "1 line came"), ("te\":2}\n{}\n", "3 lines came")] {
        append(&old, text);
        let late = std::iter::repeat_with(|| followed.worker.events.recv_timeout(DEADLINE).unwrap())
            .find_map(|event| if let IngestEvent::LateLines(text) = event { Some(text) } else { None });
        assert!(late.is_some_and(|late| late.starts_with(expected)), "{expected}");
    }
    assert_eq!(followed.texts(), ["{\"n\":2}"]);
}

#[test]
fn a_torn_document_is_one_broken_record_until_it_is_whole() {
    let mut followed = Followed::start("{\"slots\":\n {", "scopix");
    followed.until(|live| live.records.count() == 1 && live.records.get(0).unwrap().place.span.len == 12);
    followed.append("}}");
    followed.until(|live| live.records.count() == 1 && live.records.get(0).unwrap().place.span.len == 14);
    assert_eq!(followed.whys, [ResetReason::Reread]);
    assert_eq!(followed.steps(), 1);
}

#[test]
fn a_finished_input_is_read_to_its_end() {
    let text = "{\"a\":1}\n{\"b\":2}\n{\"c";
    let worker = Worker::start(Input::memory("demo", text), format::by_name("generic").unwrap()).unwrap();
    loop {
        match worker.events.recv_timeout(DEADLINE).unwrap() {
            IngestEvent::Done { pending } => {
                assert_eq!((pending, worker.live.records.count()), (None, 3));
                return;
            }
            IngestEvent::Problem(problem) => panic!("{problem}"),
            _ => {}
        }
    }
}

#[test]
fn an_unfinished_line_of_an_old_file_is_broken_until_it_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.jsonl");
    fs::write(&path, "{\"a\":1}\n{\"b\":").unwrap();
    let hour_ago = std::time::SystemTime::now() - Duration::from_secs(3600);
    fs::File::options().append(true).open(&path).unwrap().set_modified(hour_ago).unwrap();
    let mut followed = Followed::on(folder, path, "generic");
    followed.until(|live| live.records.count() == 2);
    followed.append("2}\n{\"c\":3}\n");
    followed.until(|live| live.generation == 1 && live.records.count() == 3);
    assert_eq!(followed.texts(), ["{\"a\":1}", "{\"b\":2}", "{\"c\":3}"]);
    assert_eq!((followed.steps(), followed.whys.as_slice()), (3, &[ResetReason::Reread][..]));
}

/// A context of the Agent/Data protocol with this many messages, laid out over lines.
fn context(messages: usize) -> String {
    let one = |n: usize| {
        format!("  {{\"type\": \"data\", \"kind\": \"state\", \"instance\": \"①\",\n   \"data\": {{\"n{n}\": {n}}}}}")
    };
    let all: Vec<String> = (0..messages).map(one).collect();
    format!("[\n{}\n]\n", all.join(",\n"))
}

#[test]
fn versions_of_a_document_are_joined_as_steps() {
    let mut followed = Followed::start(&context(2), "acts");
    followed.until(|live| live.records.count() == 1);
    assert_eq!(followed.steps(), 2);
    for (records, messages) in [(2, 4), (3, 5)] {
        fs::write(&followed.path, context(messages)).unwrap();
        followed.until(|live| live.generation == 1 && live.records.count() == records);
        assert_eq!(followed.steps(), messages);
    }
    let text = |n: usize| followed.texts()[n].clone();
    assert_eq!((text(0), text(2)), (context(2).trim().to_owned(), format!("{{\"context\":{}}}", context(5).trim())));
    // Replaced by another file with one message less (A4: a step that withdraws it), then by one of the same bytes.
    let other = followed.path.with_extension("new");
    for _ in 0..2 {
        fs::write(&other, context(4)).unwrap();
        fs::rename(&other, &followed.path).unwrap();
        followed.until(|live| live.records.count() == 4);
    }
    assert_eq!(followed.steps(), 6);
    assert_eq!(followed.whys, [ResetReason::Rewritten]);
    // It becomes lines.
    fs::write(&followed.path, "{\"type\":\"system\",\"content\":\"a\"}\n{\"type\":\"user\",\"content\":\"b\"}\n")
        .unwrap();
    followed.until(|live| live.generation == 2 && live.records.count() == 2);
    assert_eq!((followed.steps(), followed.whys.len()), (2, 2));
}

#[test]
fn a_document_that_is_torn_when_it_stands_still_is_reported() {
    let mut followed = Followed::start(&context(2), "acts");
    followed.until(|live| live.records.count() == 1);
    fs::write(&followed.path, &context(3)[..90]).unwrap();
    let torn = loop {
        match followed.worker.events.recv_timeout(DEADLINE).unwrap() {
            IngestEvent::Generation(live, _) => followed.live = live,
            IngestEvent::Torn(text) => break text,
            _ => {}
        }
    };
    assert!(torn.contains("is not valid JSON now") && torn.contains("at byte 90"), "{torn}");
    fs::write(&followed.path, context(3)).unwrap();
    followed.until(|live| live.records.count() == 2);
    assert_eq!(followed.steps(), 3);
}
