//! Watching values, played on the stage.

use super::growing::{Growing, many, state};
use super::stage::{has, input, lines, notice, press, stage, step};
use obelus::app::{Effect, Layer, Msg, Pane};
use obelus::model::StepNo;
use obelus::panes::Follow;
use obelus::shell::headless::Stage;
use obelus::state::condition::Expected;
use std::sync::atomic::Ordering;

fn trip() -> Stage {
    stage(input("trip-run.jsonl"), (120, 30))
}

fn watch(stage: &mut Stage, text: &str) {
    stage.app.watch([Expected::parse(text).unwrap()]);
    stage.send(Msg::Resize(stage.app.size.0, stage.app.size.1));
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
        ..Default::default()
    }));
    press(&mut stage, "w");
    assert!(notice(&stage).contains("watching †state.budget"), "{}", notice(&stage));
    assert_eq!(stage.app.layout().watches.map(|strip| strip.height), Some(1));
    assert!(has(&stage, "†state.budget ②") && has(&stage, "1500 › now") && has(&stage, "@41 quoteHotel"));
    press(&mut stage, "Tab Tab Tab");
    assert_eq!(stage.app.pane, Pane::Watches);
    press(&mut stage, "$ Enter");
    assert_eq!(step(&stage), 41);
    let copied = stage.send(Msg::Key("y".parse().unwrap()));
    assert!(matches!(&copied[..], [Effect::Copy(text)] if text == "null"), "{copied:?}");
    let copied = stage.send(Msg::Key("Y".parse().unwrap()));
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
    press(&mut stage, "e");
    assert!(has(&stage, "stop when it changes · == null · < 0 · ~ REGEX · invalid"), "what may be typed");
    press(&mut stage, "type:==null2 Enter");
    assert!(notice(&stage).contains("not valid JSON") && matches!(stage.app.layer, Some(Layer::Condition(_))));
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
        stage.send(Msg::Resize(size.0, size.1));
        let strip = stage.app.layout().watches;
        assert!(strip.is_none_or(|strip| strip.height <= size.1 / 4));
        let _ = stage.buffer();
    }
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
    stage.send(Msg::Examined);
    assert_eq!(step(&stage), 41);
    assert!(notice(&stage).contains("stopped at step 41: †state ② invalid"), "{}", notice(&stage));
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
