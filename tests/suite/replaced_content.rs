//! A file that gets another content while it is shown (R21): selection, folds, cursor and scroll stay with what they were
//! on.

use super::growing::{Growing, many, state};
use super::stage::{has, lines, notice, press, stage, step};
use obelus::app::msg::Replacement;
use obelus::app::{Effect, Msg};
use obelus::panes::Follow;
use obelus::shell::headless::Stage;
use obelus::source::Input;
use std::fs;
use std::sync::Arc;

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
        live.stage.send(Msg::Progress { is_complete: false, is_live: true });
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
            let message = format!("the record of step {selected} (an equal one was and is {equal}) is not in the file");
            assert!(text.contains(&message) || through_empty, "{text}");
            assert!(text.contains("not in the file any more; what it held stays here"), "{text}");
            let row = format!("\"n\": {equal}");
            assert!(has(&live.stage, "✗ gone from the file") && has(&live.stage, &row), "{:#?}", lines(&live.stage));
            live.stage.send(Msg::HighlightExpired);
            assert!(notice(&live.stage).contains("stays here, the last step is 1"), "{}", notice(&live.stage));
            assert_eq!((step(&live.stage), live.stage.app.session.live.follow), (1, Follow::Off));
            live.append(&repeated()[2..]);
            assert_eq!(step(&live.stage), selected);
            let message = format!("the record that was gone is there again, as step {selected}");
            assert!(notice(&live.stage).contains(&message), "{}", notice(&live.stage));
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
    live.stage.send(Msg::HighlightExpired);
    live.restart(Some("replaced"));
    live.push(&old[..1]);
    live.stage.send(Msg::Progress { is_complete: false, is_live: true });
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
    live.stage.send(Msg::Resize(60, 20));
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
        stage.send(Msg::Replaced(Replacement { bytes, records, run: None, mark: Some("replaced") }, None));
        stage.send(Msg::Progress { is_complete: true, is_live: true });
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
    let message = "record 2 is not in the file any more: the cursor is on what is in its place";
    assert!(notice(&stage).contains(message), "{}", notice(&stage));
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
        live.stage.send(Msg::Progress { is_complete: false, is_live: true });
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
    stage.send(Msg::Replaced(replacement, None));
    stage.send(Msg::Progress { is_complete: true, is_live: true });
    assert!(stage.app.session.generation > generation, "it was read again");
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
    live.stage.send(Msg::HighlightExpired);
    assert_eq!(step(&live.stage), 4);
    let message = "the record of step 20 is not in the file any more; what it held stays here, the last step is 4";
    assert_eq!(notice(&live.stage), message);
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
