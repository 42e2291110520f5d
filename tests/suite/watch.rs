//! Watching values and following a file that grows, played on the stage.

use super::stage::{input, lines, notice, press, stage, step};
use obelus::app::msg::{OpenedRun, Replacement};
use obelus::app::{Effect, Layer, Msg, Pane};
use obelus::format::{FORMATS, Format};
use obelus::model::{Bytes, Place, Record, Span, StepNo};
use obelus::panes::{Follow, Records, SharedRun};
use obelus::shell::headless::Stage;
use obelus::source::Input;
use obelus::state::condition::Expected;
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, RwLock};

fn trip() -> Stage {
    stage(input("trip-run.jsonl"), (120, 30))
}

fn watch(stage: &mut Stage, text: &str) {
    stage.app.watch([Expected::parse(text).unwrap()]);
    stage.tell(Msg::Resize(stage.app.size.0, stage.app.size.1));
}

fn has(stage: &Stage, text: &str) -> bool {
    lines(stage).iter().any(|line| line.contains(text))
}

/// Steps at which `>` stops, from the first step on.
fn hits(stage: &mut Stage) -> Vec<StepNo> {
    stage.app.pane = Pane::Watches;
    press(stage, "0");
    let mut out = Vec::new();
    loop {
        let before = step(stage);
        press(stage, ">");
        if step(stage) == before {
            return out;
        }
        out.push(step(stage));
    }
}

#[test]
fn a_value_is_watched_shown_and_taken_away() {
    let mut stage = trip();
    assert!(stage.app.layout().watches.is_none());
    stage.begin(Some(obelus::app::initial_position::Start {
        step: Some(41),
        path: Some("†state.budget".to_owned()),
        instance: Some("②".to_owned()),
    }));
    press(&mut stage, "w");
    assert!(notice(&stage).contains("watching †state.budget"), "{}", notice(&stage));
    assert_eq!(stage.app.layout().watches.map(|strip| strip.height), Some(1));
    assert!(has(&stage, "†state.budget ②") && has(&stage, "1500 › now") && has(&stage, "@41 quoteHotel"));
    press(&mut stage, "Tab Tab Tab");
    assert_eq!(stage.app.pane, Pane::Watches);
    press(&mut stage, "$ Enter");
    assert_eq!(step(&stage), 41);
    let copied = stage.tell(Msg::Key("y".parse().unwrap()));
    assert!(matches!(&copied[..], [Effect::Copy(text)] if text == "null"), "{copied:?}");
    let copied = stage.tell(Msg::Key("Y".parse().unwrap()));
    assert!(matches!(&copied[..], [Effect::Copy(text)] if text == "†state.budget --instance ②"), "{copied:?}");
    press(&mut stage, "Tab");
    assert_eq!(stage.app.pane, Pane::Steps);
    press(&mut stage, "w");
    assert!(stage.app.layout().watches.is_none() && notice(&stage).contains("no longer"));
    press(&mut stage, "w BackTab d");
    assert_eq!((stage.app.watches.rows(), stage.app.pane), (0, Pane::Steps));
}

#[test]
fn a_condition_is_a_breakpoint_both_ways() {
    let mut stage = trip();
    watch(&mut stage, "†state.budget ② == null");
    assert_eq!(hits(&mut stage), [41]);
    assert!(notice(&stage).contains("no later step"), "{}", notice(&stage));
    press(&mut stage, "$ <");
    assert_eq!(step(&stage), 41);
    press(&mut stage, "e C-u type:<=1500.0 Enter");
    let met = hits(&mut stage);
    assert!(met.first().is_some_and(|step| *step < 41) && !met.contains(&41), "{met:?}");
    press(&mut stage, "e C-u type:invalid Enter");
    assert_eq!(hits(&mut stage), [41]);
    press(&mut stage, "e C-u type:changes Enter");
    assert!(hits(&mut stage).contains(&41));
    press(&mut stage, "e C-u Enter");
    let written = hits(&mut stage);
    assert!(written.len() >= 4 && written.contains(&41), "without a condition every write is a hit: {written:?}");
}

#[test]
fn a_condition_that_is_none_stays_to_be_mended() {
    let mut stage = trip();
    watch(&mut stage, "†state.budget ②");
    stage.app.pane = Pane::Watches;
    press(&mut stage, "e type:==null2 Enter");
    assert!(notice(&stage).contains("no JSON") && matches!(stage.app.layer, Some(Layer::Condition(_))));
    press(&mut stage, "Backspace");
    assert!(has(&stage, "stop when it ==null"));
    press(&mut stage, "Enter");
    assert!(stage.app.layer.is_none());
    assert_eq!(hits(&mut stage), [41]);
}

#[test]
fn names_are_looked_up_in_every_instance_and_wait_for_what_is_not_there() {
    let mut stage = trip();
    watch(&mut stage, "†state.budget < 0");
    watch(&mut stage, "†state.nothing");
    assert_eq!((stage.app.watches.list.len(), stage.app.watches.rows()), (2, 3));
    assert!(has(&stage, "†state.nothing  never written so far"));
    watch(&mut stage, "state..budget");
    assert!(notice(&stage).contains("no watch") && stage.app.notice.as_ref().is_some_and(|n| n.is_error));
    stage.app.pane = Pane::Watches;
    press(&mut stage, "G d d d");
    assert_eq!(stage.app.watches.rows(), 0);
    for size in [(40, 12), (20, 5), (3, 2), (160, 45)] {
        stage.tell(Msg::Resize(size.0, size.1));
        let strip = stage.app.layout().watches;
        assert!(strip.is_none_or(|strip| strip.height <= size.1 / 4));
        let _ = stage.buffer();
    }
}

/// A run that grows line by line, told as the worker tells it.
struct Growing {
    stage: Stage,
    format: &'static dyn Format,
    run: SharedRun,
    text: Arc<RwLock<Vec<u8>>>,
    count: Arc<RwLock<usize>>,
    reads: Arc<AtomicUsize>,
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

fn state(key: &str, value: &str) -> String {
    format!("{{\"type\":\"state\",\"state\":{{\"{key}\":{value}}}}}\n")
}

impl Growing {
    fn new(first: &[String]) -> Self {
        let text = state("seed", "0");
        let mut stage = stage(Input::memory("live.jsonl", text), (120, 30));
        stage.app.session.path = Some("live.jsonl".into());
        let format = *FORMATS.iter().find(|format| format.name() == "acts").unwrap();
        let mut growing = Self {
            stage,
            format,
            run: fresh(format),
            text: Arc::default(),
            count: Arc::default(),
            reads: Arc::default(),
        };
        growing.restart(None);
        growing.stage.tell(Msg::Opened(0, OpenedRun(Arc::clone(&growing.run))));
        growing.push(first);
        growing.progress(false);
        growing
    }

    /// Another content, empty so far.
    fn restart(&mut self, mark: Option<&'static str>) {
        (self.run, self.text, self.count) = (fresh(self.format), Arc::default(), Arc::default());
        let bytes = Arc::new(Text(Arc::clone(&self.text), Arc::clone(&self.reads)));
        let records = Arc::new(Count(Arc::clone(&self.count)));
        let replacement = Replacement { bytes, records, run: Some(Arc::clone(&self.run)), mark };
        self.stage.tell(Msg::Replaced(replacement, mark.map(|mark| format!("the file was {mark}"))));
    }

    fn push(&mut self, lines: &[String]) {
        for line in lines {
            let mut text = self.text.write().unwrap();
            let span = Span { offset: text.len() as u64, len: line.len() as u64 - 1 };
            text.extend_from_slice(line.as_bytes());
            let mut number = self.count.write().unwrap();
            let place = Place { span, line: *number as u64 + 1 };
            let record = Record { number: *number, place, body: obelus::model::RecordBody::Text };
            *number += 1;
            self.run.write().unwrap().push(&record, line.trim_end().as_bytes(), &Vec::new());
        }
    }

    fn progress(&mut self, is_live: bool) -> Vec<Effect> {
        self.stage.tell(Msg::Progress { is_complete: true, is_live })
    }

    fn append(&mut self, lines: &[String]) -> Vec<Effect> {
        self.push(lines);
        self.progress(true)
    }

    fn header(&self) -> String {
        lines(&self.stage)[0].clone()
    }
}

fn fresh(format: &'static dyn Format) -> SharedRun {
    Arc::new(RwLock::new(format.run()))
}

fn many(count: usize) -> Vec<String> {
    (0..count).map(|i| state("n", &i.to_string())).collect()
}

#[test]
fn a_hit_stops_the_follow_at_its_first_step() {
    let mut live = Growing::new(&many(3));
    watch(&mut live.stage, "†state.budget < 0");
    press(&mut live.stage, "F");
    assert_eq!((step(&live.stage), live.stage.app.session.live.follow), (2, Follow::On));
    let batch: Vec<String> = ["5", "-1", "-2", "7", "-0.5", "9"].iter().map(|value| state("budget", value)).collect();
    let effects = live.append(&batch);
    assert_eq!(step(&live.stage), 4);
    assert!(notice(&live.stage).contains("stopped at step 4: †state.budget < 0"), "{}", notice(&live.stage));
    assert!(effects.iter().any(|e| matches!(e, Effect::Alert(text) if text.contains("step 4"))), "{effects:?}");
    assert!(live.header().contains("paused · 4 later"), "{}", live.header());
    live.append(&many(2));
    assert_eq!(step(&live.stage), 4);
    assert!(live.header().contains("paused · 2 new"));
    press(&mut live.stage, "F");
    assert_eq!(step(&live.stage), 7, "the next hit of the same batch is not jumped over");
    press(&mut live.stage, "F");
    assert_eq!((step(&live.stage), live.stage.app.session.live.follow), (10, Follow::On));
    live.append(&[state("budget", "-3")]);
    assert_eq!(step(&live.stage), 11);
}

#[test]
fn a_watch_looks_at_each_step_once() {
    let long = |i: usize| state("text", &format!("\"{}{i}\"", "x".repeat(60)));
    let mut live = Growing::new(&(0..50).map(long).collect::<Vec<_>>());
    watch(&mut live.stage, "†state.text ~ nothing");
    live.push(&(50..60).map(long).collect::<Vec<_>>());
    let reads = |live: &Growing| {
        let before = live.reads.load(Ordering::Relaxed);
        let open = live.stage.app.session.open().unwrap();
        assert_eq!(live.stage.app.watches.list[0].hit(&open, 0, true), None);
        live.reads.load(Ordering::Relaxed) - before
    };
    assert_eq!(reads(&live), 60, "a value each: the first look is at all steps");
    assert_eq!(reads(&live), 0);
    live.push(&(60..63).map(long).collect::<Vec<_>>());
    assert_eq!(reads(&live), 3);
}

#[test]
fn a_stream_followed_from_its_start_stops_at_any_hit() {
    let mut live = Growing::new(&[]);
    live.stage.app.session.path = None;
    live.stage.app.session.live.known = None;
    live.stage.app.follow_from_start();
    watch(&mut live.stage, "†state.n == 1");
    live.append(&many(4));
    assert_eq!(step(&live.stage), 1);
}

#[test]
fn what_breaks_its_schema_stops_once_that_is_known() {
    let mut stage = trip();
    stage.app.session.path = None;
    stage.app.session.live.known = None;
    stage.app.follow_from_start();
    watch(&mut stage, "†state invalid");
    stage.tell(Msg::Examined);
    assert_eq!(step(&stage), 41);
    assert!(notice(&stage).contains("stopped at step 41: †state ② invalid"), "{}", notice(&stage));
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
    live.stage.tell(Msg::PendingTail(pending, "14:32:05".to_owned()));
    live.stage.tell(Msg::PendingTail(pending, "14:40:00".to_owned()));
    assert!(has(&live.stage, " receiving 14 MB since 14:32:05"), "{:#?}", lines(&live.stage));
    assert!(live.header().contains("step 4 of 0–4"), "{}", live.header());
    live.stage.tell(Msg::HighlightExpired);
    assert!(!has(&live.stage, "│•3 ") && live.header().contains(" · quiet since 14:40:00"), "{}", live.header());
    for clock in ["14:41:00", "14:42:00"] {
        live.stage.tell(Msg::Stale("gone", "live.jsonl is gone".to_owned(), clock.to_owned()));
        assert!(live.header().contains("✗ gone since 14:41:00"), "R22: {}", live.header());
    }
    live.stage.tell(Msg::Stale("unreadable", "no permission".to_owned(), "14:43:00".to_owned()));
    assert!(live.header().contains("✗ unreadable since 14:43:00"), "{}", live.header());
    live.stage.tell(Msg::Polling(true));
    assert!(live.header().contains("polling"), "R20: {}", live.header());
    live.stage.tell(Msg::Polling(false));
    assert!(!live.header().contains("polling"), "{}", live.header());
    live.append(&many(1));
    assert!(!live.header().contains("gone"));
    live.restart(Some("truncated"));
    live.append(&many(1));
    assert!(live.header().contains("↻ truncated"), "{}", live.header());
}

/// Lines of texts that differ.
fn said(words: impl IntoIterator<Item = String>) -> Vec<String> {
    let line = |word: String| format!("{{\"type\":\"text\",\"role\":\"user\",\"text\":\"{word}\"}}\n");
    words.into_iter().map(line).collect()
}

/// R21: lines are inserted before the selected record, or taken out, while the file is replaced or rewritten.
#[test]
fn the_selection_stays_on_its_record() {
    for mark in ["replaced", "truncated"] {
        let old = said((0..10).map(|n| format!("word{n} is said")));
        let mut live = Growing::new(&old);
        press(&mut live.stage, "0 . . . . . Tab Tab 1");
        assert!(has(&live.stage, "word5 is said") && step(&live.stage) == 5);
        let new = [said((0..3).map(|n| format!("inserted {n}"))), old.clone()].concat();
        live.restart(Some(mark));
        live.push(&new[..7]);
        live.stage.tell(Msg::Progress { is_complete: false, is_live: true });
        assert!(step(&live.stage) == 5 && live.header().contains("of 0–≥9"), "not read so far: {}", live.header());
        live.push(&new[7..]);
        live.progress(true);
        assert_eq!(step(&live.stage), 8, "{mark}");
        live.restart(Some(mark));
        live.push(&old[4..]);
        live.progress(true);
        assert_eq!(step(&live.stage), 1, "{mark}");
    }
}

/// R21: the selected record is not there any more; and a file that is short while it is written anew.
#[test]
fn a_selected_record_that_is_gone_stays_on_the_screen() {
    let old = said((0..10).map(|n| format!("word{n} is said")));
    let mut live = Growing::new(&old);
    press(&mut live.stage, "0 . . . . . Tab Tab 1");
    live.restart(Some("replaced"));
    live.push(&[&old[..5], &old[6..]].concat());
    live.progress(true);
    let shown = lines(&live.stage).join("\n");
    assert!(notice(&live.stage).contains("the record of step 5 is not in the file any more"), "{shown}");
    assert!(shown.contains("✗ gone from the file") && shown.contains("word5 is said"), "{shown}");
    press(&mut live.stage, ".");
    assert!(has(&live.stage, "word7 is said") && !has(&live.stage, "✗ gone from the file"));
    press(&mut live.stage, ",");
    assert!(has(&live.stage, "word6 is said") && !has(&live.stage, "✗ gone from the file"));
    let mut live = Growing::new(&old);
    press(&mut live.stage, "0 . . . . . Tab Tab 1");
    live.restart(Some("truncated"));
    live.push(&old[..2]);
    live.progress(true);
    live.push(&said(["new".to_owned()]));
    live.push(&old[2..]);
    live.progress(true);
    assert_eq!(step(&live.stage), 6);
    assert!(has(&live.stage, "word5 is said") && !has(&live.stage, "✗ gone from the file"));
}

/// Records of three contents again and again.
fn repeated() -> Vec<String> {
    (0..10).map(|i| state("n", &(i % 3).to_string())).collect()
}

/// R21: an equal record that stood before is not the selected one.
#[test]
fn an_equal_record_is_not_the_selected_one() {
    for through_empty in [true, false] {
        for (keys, selected) in [("$", 9), ("0 . . . . . . .", 7)] {
            let mut live = Growing::new(&repeated());
            press(&mut live.stage, &format!("{keys} Tab Tab 1"));
            assert_eq!(step(&live.stage), selected);
            live.restart(Some("truncated"));
            if through_empty {
                live.progress(true);
            }
            live.append(&repeated()[..2]);
            let (equal, text) = (selected % 3, notice(&live.stage));
            let told = format!("the record of step {selected} (an equal one was and is {equal}) is not in the file");
            assert!(text.contains(&told) || through_empty, "{text}");
            assert!(text.contains("not in the file any more; what it held stays here"), "{text}");
            let row = format!("\"n\": {equal}");
            assert!(has(&live.stage, "✗ gone from the file") && has(&live.stage, &row), "{:#?}", lines(&live.stage));
            live.stage.tell(Msg::HighlightExpired);
            assert!(notice(&live.stage).contains("stays here, the last step is 1"), "{}", notice(&live.stage));
            assert_eq!((step(&live.stage), live.stage.app.session.live.follow), (1, Follow::Off));
            live.append(&repeated()[2..]);
            assert_eq!(step(&live.stage), selected);
            let told = format!("the record that was gone is there again, as step {selected}");
            assert!(notice(&live.stage).contains(&told), "{}", notice(&live.stage));
        }
    }
}

/// R21: two replacements one after the other, with what is gone between them.
#[test]
fn a_record_that_is_gone_is_awaited_in_the_next_content() {
    let old = said((0..10).map(|n| format!("word{n} is said")));
    let mut live = Growing::new(&old);
    press(&mut live.stage, "0 . . . . . Tab Tab 1");
    live.restart(Some("truncated"));
    live.append(&old[..2]);
    live.stage.tell(Msg::HighlightExpired);
    live.restart(Some("replaced"));
    live.push(&old[..1]);
    live.stage.tell(Msg::Progress { is_complete: false, is_live: true });
    assert!(has(&live.stage, "✗ gone from the file"), "{:#?}", lines(&live.stage));
    live.append(&old[1..]);
    assert!(step(&live.stage) == 5 && has(&live.stage, "word5 is said"), "{:#?}", lines(&live.stage));
    assert!(!has(&live.stage, "✗ gone from the file"));
}

/// R21: the content of a record that is gone is its own, also where the message was not in front.
#[test]
fn what_a_record_held_is_shown_from_every_tab() {
    let old = said((0..10).map(|n| format!("word{n} is said")));
    let mut live = Growing::new(&old);
    press(&mut live.stage, "0 . . Tab Tab 1 R R 2 . . .");
    assert_eq!(step(&live.stage), 5);
    live.restart(Some("replaced"));
    live.append(&old[..3]);
    press(&mut live.stage, "1");
    assert!(has(&live.stage, "✗ gone from the file") && has(&live.stage, "word5 is said"), "{:#?}", lines(&live.stage));
    press(&mut live.stage, "R");
    assert!(has(&live.stage, "✗ gone from the file") && has(&live.stage, "word5 is said"), "{:#?}", lines(&live.stage));
    let mut live = Growing::new(&old);
    live.stage.tell(Msg::Resize(60, 20));
    press(&mut live.stage, "0 . . . . .");
    live.restart(Some("replaced"));
    live.append(&old[..3]);
    press(&mut live.stage, "0 .");
    live.restart(Some("replaced"));
    live.append(&[said(["inserted".to_owned()]), old].concat());
    assert_eq!(step(&live.stage), 2, "what is selected is noted again, whatever is on the screen");
}

/// R21: who reads the first record of a file that is written anew does not follow because of that.
#[test]
fn a_record_that_comes_again_does_not_begin_to_follow() {
    let old = said((0..4).map(|n| format!("word{n} is said")));
    let mut live = Growing::new(&old);
    press(&mut live.stage, "0 Tab Tab 1");
    live.restart(Some("truncated"));
    live.progress(true);
    live.append(&old);
    assert_eq!((step(&live.stage), live.stage.app.session.live.follow), (0, Follow::Off));
}

/// R21: the cursor of the table stays on its record, and says so where that is gone.
#[test]
fn the_row_of_the_table_stays_on_its_record() {
    let text = fs::read(format!("{}/samples/tickets-std.jsonl", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let all: Vec<&[u8]> = text.split_inclusive(|b| *b == b'\n').collect();
    let replace = |stage: &mut Stage, text: Vec<u8>| {
        let other = super::stage::stage(Input::memory("tickets-std.jsonl", text), (120, 30)).app.session;
        let (bytes, records) = (other.bytes, other.records);
        stage.tell(Msg::Replaced(Replacement { bytes, records, run: None, mark: Some("replaced") }, None));
        stage.tell(Msg::Progress { is_complete: true, is_live: true });
    };
    let mut stage = stage(Input::memory("tickets-std.jsonl", text.clone()), (120, 30));
    press(&mut stage, "j j");
    assert_eq!(stage.app.table.record(), Some(2));
    replace(&mut stage, all[1..].concat());
    assert_eq!(stage.app.table.record(), Some(1));
    replace(&mut stage, [all[0], all[1], all[2]].concat());
    assert_eq!(stage.app.table.record(), Some(2));
    replace(&mut stage, [all[0], all[1], all[3], all[4]].concat());
    assert_eq!(stage.app.table.record(), Some(2));
    let told = "record 2 is not in the file any more: the cursor is on what stands in its place";
    assert!(notice(&stage).contains(told), "{}", notice(&stage));
}

/// A state of many values, so that folds and scroll matter.
fn wide_state(salt: usize) -> Vec<String> {
    let list = |name: &str| {
        let values: Vec<String> = (0..20).map(|i| format!("\"{name}{i}\":{}", i + salt)).collect();
        format!("{{{}}}", values.join(","))
    };
    (0..60).map(|i| state(&format!("part{i}"), &list("v"))).collect()
}

#[test]
fn another_content_keeps_step_folds_cursor_and_scroll_by_path() {
    let mut live = Growing::new(&wide_state(0));
    press(&mut live.stage, "0 . . . . . . . . Tab G k k h k k k h j j");
    press(&mut live.stage, "Tab 1 l j j j j j j");
    let shown = |live: &Growing| {
        let app = &live.stage.app;
        let body = lines(&live.stage)[1..27].join("\n");
        (step(&live.stage), app.session.focus.clone(), app.state.scroll, app.steps, body)
    };
    let before = shown(&live);
    for mark in [Some("truncated"), Some("replaced"), None] {
        live.restart(mark);
        assert_eq!(shown(&live), before, "what is shown stays until the new content is there");
        live.push(&wide_state(0)[..4]);
        live.stage.tell(Msg::Progress { is_complete: false, is_live: true });
        assert_eq!(shown(&live), before, "and until as much of it is there");
        live.push(&wide_state(0)[4..]);
        live.progress(true);
        assert_eq!(shown(&live), before);
    }
    live.restart(Some("truncated"));
    live.progress(true);
    live.append(&wide_state(7));
    let after = shown(&live);
    assert_eq!((after.0, &after.1), (before.0, &before.1), "through an empty file too");
    assert_eq!(after.2.cursor, before.2.cursor, "folds are found again");
}

#[test]
fn a_dataset_that_is_replaced_stays_at_its_step() {
    let text = fs::read(format!("{}/samples/tickets-std.jsonl", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let mut stage = stage(Input::memory("tickets-std.jsonl", text.clone()), (120, 30));
    press(&mut stage, "j Enter . . . Tab j j");
    let before = (stage.app.session.trajectory, step(&stage), stage.app.session.focus.clone(), stage.app.pane);
    let generation = stage.app.session.generation;
    let records = Arc::clone(&stage.app.session.records);
    let replacement = Replacement { bytes: Arc::new(text), records, run: None, mark: Some("replaced") };
    stage.tell(Msg::Replaced(replacement, None));
    stage.tell(Msg::Progress { is_complete: true, is_live: true });
    assert!(stage.app.session.generation > generation, "it was read anew");
    assert_eq!((stage.app.session.trajectory, step(&stage), stage.app.session.focus.clone(), stage.app.pane), before);
}

#[test]
fn a_shorter_file_leaves_the_reader_at_its_end_and_follows_no_more_than_before() {
    let mut live = Growing::new(&many(30));
    press(&mut live.stage, ": type:20 Enter");
    live.restart(Some("truncated"));
    live.push(&many(5));
    let effects = live.progress(true);
    assert!(effects.iter().any(|e| matches!(e, Effect::Fade)), "it is waited whether more comes: {effects:?}");
    live.stage.tell(Msg::HighlightExpired);
    assert_eq!(step(&live.stage), 4);
    let told = "the record of step 20 is not in the file any more; what it held stays here, the last step is 4";
    assert_eq!(notice(&live.stage), told);
    assert!(live.header().contains("↻ truncated  ○ live"), "{}", live.header());
    live.append(&many(3));
    assert_eq!((step(&live.stage), live.stage.app.session.live.follow), (4, Follow::Off));
    press(&mut live.stage, "$");
    live.append(&many(3));
    assert_eq!(
        (step(&live.stage), live.stage.app.session.live.follow),
        (10, Follow::On),
        "who goes to the end follows"
    );
}

#[test]
fn watches_beyond_the_strip_are_counted() {
    let mut stage = stage(input("trip-run.jsonl"), (120, 24));
    press(&mut stage, "$ Tab");
    for _ in 0..9 {
        press(&mut stage, "j w");
    }
    assert_eq!(stage.app.layout().watches.map(|strip| strip.height), Some(6));
    assert!(has(&stage, "↑ 3 more") && !has(&stage, "↓"), "{:?}", lines(&stage));
    stage.app.pane = Pane::Watches;
    press(&mut stage, "g");
    assert!(has(&stage, "↓ 3 more") && !has(&stage, "↑ 3"), "{:?}", lines(&stage));
}
