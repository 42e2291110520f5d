//! A run that grows while it is shown, played on the stage: who follows it, what stands out, and how its header says so.

use super::stage::{has, lines, press, stage, step};
use obelus::app::msg::{OpenedRun, Replacement};
use obelus::app::{Effect, Msg};
use obelus::format::SharedRun;
use obelus::format::{FORMATS, Format};
use obelus::model::{Bytes, Place, Record, Span};
use obelus::panes::Records;
use obelus::shell::headless::Stage;
use obelus::source::Input;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, RwLock};

/// A run that grows line by line, told as the worker tells it.
pub(crate) struct Growing {
    pub(crate) stage: Stage,
    format: &'static dyn Format,
    run: SharedRun,
    text: Arc<RwLock<Vec<u8>>>,
    count: Arc<RwLock<usize>>,
    pub(crate) reads: Arc<AtomicUsize>,
}

/// The bytes, and how often they were read.
struct Text(Arc<RwLock<Vec<u8>>>, Arc<AtomicUsize>);

impl Bytes for Text {
    fn read(&self, span: Span) -> Result<Vec<u8>, obelus::model::Problem> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.read().unwrap().read(span)
    }
}

struct Count(Arc<RwLock<usize>>);

impl Records for Count {
    fn count(&self) -> usize {
        *self.0.read().unwrap()
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn get(&self, _number: usize) -> Option<Record> {
        None
    }
}

pub(crate) fn state(key: &str, value: &str) -> String {
    format!("{{\"type\":\"state\",\"state\":{{\"{key}\":{value}}}}}\n")
}

impl Growing {
    pub(crate) fn new(first: &[String]) -> Self {
        Self::of("acts", first)
    }

    /// The same of another format.
    fn of(format: &str, first: &[String]) -> Self {
        let text = state("seed", "0");
        let mut stage = stage(Input::memory("live.jsonl", text), (120, 30));
        stage.app.session.path = Some("live.jsonl".into());
        let format = *FORMATS.iter().find(|known| known.name() == format).unwrap();
        let mut growing = Self {
            stage,
            format,
            run: fresh(format),
            text: Arc::default(),
            count: Arc::default(),
            reads: Arc::default(),
        };
        growing.restart(None);
        growing.stage.send(Msg::Opened(0, OpenedRun(Arc::clone(&growing.run))));
        growing.push(first);
        growing.progress(false);
        growing
    }

    /// Another content, empty so far.
    pub(crate) fn restart(&mut self, mark: Option<&'static str>) {
        (self.run, self.text, self.count) = (fresh(self.format), Arc::default(), Arc::default());
        let bytes = Arc::new(Text(Arc::clone(&self.text), Arc::clone(&self.reads)));
        let records = Arc::new(Count(Arc::clone(&self.count)));
        let replacement = Replacement { bytes, records, run: Some(Arc::clone(&self.run)), mark };
        self.stage.send(Msg::Replaced(replacement, mark.map(|mark| format!("the file was {mark}"))));
    }

    pub(crate) fn push(&mut self, lines: &[String]) {
        for line in lines {
            let mut text = self.text.write().unwrap();
            let span = Span { offset: text.len() as u64, len: line.len() as u64 - 1 };
            text.extend_from_slice(line.as_bytes());
            let mut number = self.count.write().unwrap();
            let place = Place { span, line: *number as u64 + 1 };
            let record = Record { number: *number, place, body: obelus::model::RecordBody::Text, is_row: false };
            *number += 1;
            self.run.write().unwrap().push(&record, line.trim_end().as_bytes(), &Vec::new());
        }
    }

    pub(crate) fn progress(&mut self, is_live: bool) -> Vec<Effect> {
        let text = self.text.read().unwrap().clone();
        self.run.write().unwrap().catch_up(&text);
        self.stage.send(Msg::Progress { is_complete: true, is_live })
    }

    pub(crate) fn append(&mut self, lines: &[String]) -> Vec<Effect> {
        self.push(lines);
        self.progress(true)
    }

    pub(crate) fn header(&self) -> String {
        lines(&self.stage)[0].clone()
    }
}

fn fresh(format: &'static dyn Format) -> SharedRun {
    Arc::new(RwLock::new(format.run()))
}

pub(crate) fn many(count: usize) -> Vec<String> {
    (0..count).map(|i| state("n", &i.to_string())).collect()
}

#[test]
fn who_stands_on_the_last_step_follows_and_who_moves_away_pauses() {
    let mut live = Growing::new(&many(3));
    live.append(&many(2));
    assert_eq!(step(&live.stage), 0, "nobody asked to go on");
    assert!(live.header().contains("○ live"), "{}", live.header());
    press(&mut live.stage, "$");
    live.append(&many(2));
    assert_eq!(step(&live.stage), 6);
    assert!(live.header().contains("● live"));
    press(&mut live.stage, "k");
    live.append(&many(37));
    assert_eq!(step(&live.stage), 5);
    assert!(live.header().contains("paused · 37 new"), "{}", live.header());
    press(&mut live.stage, "$");
    live.append(&many(1));
    assert_eq!(step(&live.stage), 44);
}

#[test]
fn what_came_stands_out_for_a_moment_and_what_is_unfinished_is_no_step() {
    let mut live = Growing::new(&many(3));
    press(&mut live.stage, "$");
    let effects = live.append(&many(2));
    assert!(effects.iter().any(|e| matches!(e, Effect::Fade)));
    assert!(has(&live.stage, "│•3 "), "{:#?}", lines(&live.stage));
    let pending = Some(Place { span: Span { offset: 999, len: 14_000_000 }, line: 9 });
    live.stage.send(Msg::PendingTail(pending, "14:32:05".to_owned()));
    live.stage.send(Msg::PendingTail(pending, "14:40:00".to_owned()));
    assert!(has(&live.stage, " receiving 14 MB since 14:32:05"), "{:#?}", lines(&live.stage));
    assert!(live.header().contains("step 4 of 0–4"), "{}", live.header());
    live.stage.send(Msg::HighlightExpired);
    assert!(!has(&live.stage, "│•3 ") && live.header().contains(" · quiet since 14:40:00"), "{}", live.header());
    for clock in ["14:41:00", "14:42:00"] {
        live.stage.send(Msg::Stale("gone", "live.jsonl is gone".to_owned(), clock.to_owned()));
        assert!(live.header().contains("✗ gone since 14:41:00"), "R22: {}", live.header());
    }
    live.stage.send(Msg::Stale("unreadable", "no permission".to_owned(), "14:43:00".to_owned()));
    assert!(live.header().contains("✗ unreadable since 14:43:00"), "{}", live.header());
    live.stage.send(Msg::Polling(true));
    assert!(live.header().contains("polling"), "R20: {}", live.header());
    live.stage.send(Msg::Polling(false));
    assert!(!live.header().contains("polling"), "{}", live.header());
    live.append(&many(1));
    assert!(!live.header().contains("gone"));
    live.restart(Some("truncated"));
    live.append(&many(1));
    assert!(live.header().contains("↻ truncated"), "{}", live.header());
}

#[test]
fn a_step_that_is_replaced_is_shown_as_it_is_now() {
    let header = "{\"sessionId\":\"s\",\"projectHash\":\"h\",\"kind\":\"main\"}\n".to_owned();
    let message = |id: &str, text: &str| format!("{{\"id\":\"{id}\",\"type\":\"user\",\"content\":\"{text}\"}}\n");
    let mut live = Growing::of("gemini-cli", &[header, message("a", "EARLIER"), message("b", "SECOND")]);
    assert!(has(&live.stage, "EARLIER") && has(&live.stage, "SECOND"), "{:#?}", lines(&live.stage));
    live.append(&[message("a", "LATER")]);
    assert!(has(&live.stage, "LATER") && !has(&live.stage, "EARLIER"), "{:#?}", lines(&live.stage));
    live.append(&["{\"$rewindTo\":\"b\"}\n".to_owned(), message("c", "THIRD")]);
    assert!(has(&live.stage, "THIRD") && !has(&live.stage, "SECOND"), "{:#?}", lines(&live.stage));
}
