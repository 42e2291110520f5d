//! The program as one function, played on the stage: where keys and clicks lead, and what holds after any of them.

use super::stage::{input, lines, notice, on, press, stage, step};
use obelus::app::key::{Mouse, MouseKind};
use obelus::app::keys::{KEYS, Tab};
use obelus::app::pane::MessageMode;
use obelus::app::{Msg, Pane};
use obelus::panes::{Hit, Row};
use obelus::shell::headless::Stage;
use obelus::source::Input;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

const SAMPLES: [&str; 5] =
    ["trip-run.jsonl", "faults.jsonl", "tickets-std.jsonl", "pole-survey.jsonl", "report-plan.json"];

fn trip() -> Stage {
    stage(input("trip-run.jsonl"), (120, 30))
}

/// The value in focus, as `†state.budget ②`.
pub(super) fn focus(stage: &Stage) -> String {
    let open = stage.app.session.open().unwrap();
    let (reference, instance) = open.focus_reference().unwrap_or_default();
    instance.map_or(reference.clone(), |i| format!("{reference} {i}"))
}

/// Searches in the state until that value is in focus.
fn seek(stage: &mut Stage, word: &str, wanted: &str) {
    stage.app.pane = Pane::State;
    press(stage, &format!("/ type:{word} Enter"));
    for _ in 0..40 {
        if focus(stage) == wanted {
            return;
        }
        press(stage, "n");
    }
    panic!("no {wanted} in the state; the search stands at {}", focus(stage));
}

#[test]
fn dots_and_commas_step_from_every_pane_and_stop_at_the_ends() {
    for pane in [Pane::Steps, Pane::State, Pane::Inspector] {
        for tab in Tab::ALL.iter().copied() {
            let mut stage = trip();
            stage.app.pane = pane;
            stage.app.inspector.tab = tab;
            for (words, expected) in
                [(",", 0), (". .", 2), (",", 1), ("$", 65), (".", 65), (",", 64), ("0", 0), ("]e", 39), ("[t", 38)]
            {
                press(&mut stage, words);
                assert_eq!(step(&stage), expected, "{words} in {pane:?}, {tab:?}");
                assert_eq!((stage.app.pane, stage.app.inspector.tab), (pane, tab), "{words} leaves the pane");
            }
        }
    }
}

#[test]
fn angles_go_through_the_writes_of_the_value_in_focus() {
    let mut stage = trip();
    press(&mut stage, "$");
    seek(&mut stage, "budget", "†state.budget ②");
    for pane in [Pane::State, Pane::Steps, Pane::Inspector] {
        stage.app.pane = pane;
        press(&mut stage, "$");
        for expected in [41, 28, 21, 7, 7] {
            press(&mut stage, "<");
            assert_eq!((step(&stage), focus(&stage).as_str()), (expected, "†state.budget ②"), "{pane:?}");
        }
        assert_eq!(notice(&stage), "no earlier write of this value");
        for expected in [21, 28, 41, 41] {
            press(&mut stage, ">");
            assert_eq!(step(&stage), expected);
        }
        assert_eq!(notice(&stage), "no later write of this value");
        press(&mut stage, "Backspace Backspace");
        assert_eq!(step(&stage), 21);
    }
}

#[test]
fn without_a_value_in_focus_angles_go_through_all_writes() {
    let mut stage = trip();
    press(&mut stage, ">");
    assert_eq!(step(&stage), 2);
    press(&mut stage, "> <");
    assert_eq!(step(&stage), 2);
}

#[test]
fn enter_follows_a_reference_and_backspace_returns() {
    let mut stage = trip();
    press(&mut stage, "$ : type:42 Enter 1 / type:limit Enter Enter");
    assert_eq!((stage.app.pane, focus(&stage).as_str()), (Pane::State, "†state.budget ②"), "{}", notice(&stage));
    press(&mut stage, "Enter");
    assert_eq!(step(&stage), 41, "and from there to who wrote it");
    press(&mut stage, "Backspace Backspace");
    assert_eq!((step(&stage), stage.app.pane), (42, Pane::Inspector));
    // Of two calls in one plan each is of another instance.
    press(&mut stage, ": type:32 Enter 1 / type:limit Enter Enter");
    assert_eq!(focus(&stage), "†state.budget ①", "{}", notice(&stage));
}

#[test]
fn enter_leads_from_a_result_to_its_call_and_from_a_value_to_its_write() {
    let mut stage = trip();
    press(&mut stage, ": type:41 Enter Enter");
    assert_eq!((stage.app.pane, step(&stage)), (Pane::Inspector, 41));
    press(&mut stage, "Backspace $");
    seek(&mut stage, "budget", "†state.budget ②");
    press(&mut stage, "Enter");
    assert_eq!((stage.app.pane, step(&stage)), (Pane::State, 41));
    press(&mut stage, "Enter");
    assert_eq!((stage.app.pane, stage.app.inspector.tab), (Pane::Inspector, Tab::Message));
    let cells = stage.app.pane_extent(Pane::Inspector).width;
    let view = &stage.app.inspector.message.view;
    assert_eq!(view.doc().unwrap().pointer(view.node(cells).unwrap()), "/data/budget");
}

#[test]
fn search_works_in_each_pane() {
    let mut stage = trip();
    press(&mut stage, "/ type:Rivers Enter");
    assert_eq!((step(&stage), notice(&stage)), (1, "Rivers · 1 of 2 steps"));
    press(&mut stage, "n");
    assert_eq!((step(&stage), notice(&stage)), (2, "Rivers · 2 of 2 steps"));
    press(&mut stage, "N");
    assert_eq!((step(&stage), notice(&stage)), (1, "Rivers · 1 of 2 steps"));
    press(&mut stage, "$ Tab / type:gatewayless Enter");
    assert_eq!(notice(&stage), "no gatewayless in State");
    press(&mut stage, "/ type:Miradouro Enter");
    assert_eq!(focus(&stage), "†state.hotels[1].name");
    seek(&mut stage, "budget", "†state.budget ②");
    for (words, expected) in [
        ("1 / type:budget Enter", "udget"),
        ("R / type:withinBudget Enter", "withinBudget"),
        ("2 / type:Lyon Enter", "Lyon"),
        ("3 / type:minimum Enter", "minimum"),
        ("4 / type:quoteHotel Enter", "1500"),
        ("4 / type:null Enter", "null"),
        (": type:60 Enter D : type:64 Enter 5 / type:within Enter", "within"),
    ] {
        press(&mut stage, ": type:64 Enter");
        press(&mut stage, words);
        let row = cursor_row(&stage).map(|row| row.plain()).unwrap_or_default();
        assert!(row.contains(expected), "{words}: {row:?}, {}", notice(&stage));
        stage.app.inspector.message.look = MessageMode::Reading;
    }
    let mut table = stage_of_tickets();
    press(&mut table, "/ type:ticket-0415 Enter");
    assert_eq!((table.app.table.scroll.cursor, notice(&table)), (3, "ticket-0415 · 1 of 1 record"));
}

fn stage_of_tickets() -> Stage {
    stage(input("tickets-std.jsonl"), (120, 30))
}

#[test]
fn folds_and_cursor_stay_through_steps() {
    let mut stage = trip();
    press(&mut stage, "$");
    seek(&mut stage, "hotels.0..id", "†state.hotels[0].id");
    press(&mut stage, "h h h h");
    assert_eq!(focus(&stage), "†state.hotels");
    let rows = |stage: &Stage| stage.app.state.outline(&stage.app.session.open().unwrap()).lines().len();
    let folded = rows(&stage);
    for words in [", , ,", ". .", "0 $", "Tab Tab Tab", "z z", "0 $"] {
        press(&mut stage, words);
        assert_eq!(focus(&stage), "†state.hotels");
    }
    stage.send(Msg::Resize(80, 24));
    stage.send(Msg::Resize(120, 30));
    assert_eq!((focus(&stage).as_str(), rows(&stage)), ("†state.hotels", folded));
    stage.app.pane = Pane::State;
    press(&mut stage, "l");
    assert!(rows(&stage) > folded);
}

#[test]
fn of_a_value_that_is_not_there_the_cursor_is_on_what_holds_it() {
    let mut stage = trip();
    press(&mut stage, "$");
    seek(&mut stage, "hotels.0..id", "†state.hotels[0].id");
    let row = |stage: &Stage| cursor_row(stage).map(|row| row.plain()).unwrap_or_default();
    press(&mut stage, ": type:15 Enter");
    stage.app.pane = Pane::State;
    assert!(row(&stage).contains("hotels    — array"), "{}", row(&stage));
    assert_eq!(focus(&stage), "†state.hotels[0].id");
    press(&mut stage, ".");
    assert!(row(&stage).contains("h3"), "{}", row(&stage));
}

#[test]
fn panes_that_were_not_on_the_screen_come_back_as_they_were() {
    for size in [(120, 30), (80, 24), (40, 12)] {
        let mut stage = stage(input("trip-run.jsonl"), size);
        press(&mut stage, ": type:41 Enter k k k k Tab j j j j j j j j k k Tab");
        let before = lines(&stage);
        for words in ["z z", "Tab Tab Tab", "z Tab Tab Tab z", "? Esc", "2 1"] {
            press(&mut stage, words);
            assert_eq!(lines(&stage), before, "{words} at {size:?}");
        }
        stage.send(Msg::Resize(1, 1));
        stage.send(Msg::Resize(size.0, size.1));
        assert_eq!(focus(&stage).is_empty(), before.join("").contains("no value in focus"));
    }
}

#[test]
fn a_jump_shows_what_is_around() {
    let mut stage = trip();
    press(&mut stage, "$");
    seek(&mut stage, "budget", "†state.budget ②");
    press(&mut stage, "<");
    let lines = lines(&stage);
    let row = |text: &str| lines.iter().position(|line| line.contains(text)).unwrap_or_else(|| panic!("{text}"));
    assert!((8..20).contains(&row("▌41")), "{}", lines.join("\n"));
    assert!((8..20).contains(&row("null  was 1500")), "{}", lines.join("\n"));
}

#[test]
fn a_page_of_a_text_is_turned_at_once_and_a_search_says_which_hit_it_is() {
    let mut stage = trip();
    press(&mut stage, "2 : type:60 Enter 2 g");
    let first = |stage: &Stage| stage.app.inspector.llm.text.scroll.top;
    assert_eq!(first(&stage), 0);
    press(&mut stage, "PageDown");
    let page = first(&stage);
    assert!(page > 10, "the first page down turns the page: {page}");
    press(&mut stage, "PageDown PageUp PageUp");
    assert_eq!(first(&stage), 0);
    press(&mut stage, "1 / type:e Enter");
    assert!(notice(&stage).starts_with("e · 1 of "), "{}", notice(&stage));
    press(&mut stage, ": type:999 Enter");
    assert_eq!((step(&stage), notice(&stage)), (65, "there is no step 999; 65 is the last"));
    let mut stage = trip();
    stage.begin(Some(obelus::app::initial_position::Start { step: Some(999), ..Default::default() }));
    assert_eq!((step(&stage), notice(&stage)), (65, "there is no step 999; 65 is the last"));
}

#[test]
fn following_is_offered_where_a_file_can_grow() {
    let footer = |stage: &Stage| lines(stage).last().unwrap().clone();
    let mut wide = stage(input("trip-run.jsonl"), (200, 30));
    press(&mut wide, "Tab");
    assert!(footer(&wide).contains("F follow"), "{}", footer(&wide));
    let mut set = stage(input("tickets-std.jsonl"), (200, 30));
    press(&mut set, "Enter Tab");
    assert!(footer(&set).contains("z zoom") && !footer(&set).contains("F follow"), "{}", footer(&set));
}

#[test]
fn every_key_of_a_place_does_what_its_row_says() {
    for (words, expected) in [
        ("F", "following the newest step"),
        ("y", "sent to the clipboard"),
        ("T", "theme dark"),
        ("o", "the input is not a file"),
        ("Backspace", "nothing to come back to"),
        ("n", "nothing was searched for yet"),
        ("D", "the Diff tab (5) compares with step 0"),
        ("Q", "Q does nothing here"),
        ("]x", "]x does nothing here"),
    ] {
        let mut stage = trip();
        let keys = if words == "]x" { "] x" } else { words };
        press(&mut stage, keys);
        assert!(notice(&stage).starts_with(expected), "{words}: {}", notice(&stage));
    }
}

/// The row with the cursor in the focused pane, if it is visible.
fn cursor_row(stage: &Stage) -> Option<Row> {
    let frame = obelus::app::view::frame(&stage.app);
    let pane = frame.boxes.into_iter().find(|b| b.has_focus)?;
    let inside = if pane.has_border { pane.area.inside() } else { pane.area };
    pane.window.rows.into_iter().take(usize::from(inside.height)).find(|row| row.is_cursor)
}

/// What must hold after every message.
fn check(stage: &Stage, expected: &str) {
    let app = &stage.app;
    if let Some(open) = app.session.open() {
        let last = open.last().max(0);
        assert!((0..=last).contains(&app.session.focus.step), "{expected}: step {} of {last}", app.session.focus.step);
    }
    let frame = obelus::app::view::frame(app);
    for pane in frame.boxes.iter().chain(&frame.overlay) {
        let inside = if pane.has_border { pane.area.inside() } else { pane.area };
        let height = usize::from(inside.height);
        let is_list = |row: &&Row| row.hit != Hit::None;
        let made = pane.window.rows.iter().filter(is_list).count();
        assert!(made <= height, "{expected}: {made} rows for {height} lines");
        let visible = &pane.window.rows[..height.min(pane.window.rows.len())];
        let is_cursor_due = pane.has_focus && app.layer.is_none();
        if is_cursor_due && visible.iter().any(|row| is_list(&row)) {
            let count = visible.iter().filter(|row| row.is_cursor).count();
            assert_eq!(
                count,
                1,
                "{expected}: {:?} at {:?} shows no cursor\n{}",
                app.pane,
                app.size,
                lines(stage).join("\n")
            );
        }
    }
    let buffer = stage.buffer();
    assert_eq!((buffer.area.width, buffer.area.height), app.size);
}

#[test]
fn every_size_can_be_painted() {
    for sample in SAMPLES {
        let mut stage = stage(input(sample), (1, 1));
        for words in ["", "Enter", ".", "Tab", "Tab", "2", "3", "4", "5", "R", "?", "Esc", ":", "Esc", "/", "Esc", "z"]
        {
            press(&mut stage, words);
            for size in [(0, 0), (1, 1), (3, 2), (2, 50), (50, 2), (55, 13), (72, 10), (120, 5), (300, 100)] {
                stage.send(Msg::Resize(size.0, size.1));
                check(&stage, &format!("{sample} {words} {size:?}"));
            }
        }
        for size in [(u16::MAX, 1), (1, u16::MAX), (u16::MAX, u16::MAX)] {
            stage.send(Msg::Resize(size.0, size.1));
            check(&stage, &format!("{sample} {size:?}"));
        }
    }
}

#[test]
fn one_key_builds_no_more_rows_than_the_screen_has() {
    let mut text = String::new();
    let members: Vec<String> = (0..5_000).map(|i| format!("\"key{i}\":{i}")).collect();
    text += &format!("{{\"type\":\"state\",\"state\":{{{}}}}}\n", members.join(","));
    for i in 0..5_000 {
        text += &format!("{{\"type\":\"state\",\"state\":{{\"key{i}\":\"now\"}}}}\n");
    }
    let mut stage = stage(Input::memory("large", text), (120, 30));
    for words in
        ["0", "G", "Tab", "G", "PageUp", "E", "Tab", "1", "G", "R", "G", "2", "G", "3", "4", "5", "D $", "G", "?", "G"]
    {
        press(&mut stage, words);
        check(&stage, words);
    }
}

/// A key of the table, or a character.
fn word() -> impl Strategy<Value = String> {
    let names: Vec<&str> = KEYS.iter().flat_map(|row| row.keys).copied().filter(|k| *k != "C-z").collect();
    prop_oneof![
        12 => select(names).prop_map(str::to_owned),
        1 => select(vec!["type:a", "type:bud", "type:†", "type:7", "Delete", "C-w", "F5", "[", "]"]).prop_map(str::to_owned),
    ]
}

#[derive(Debug, Clone)]
enum Act {
    Word(String),
    Click(u16, u16, MouseKind),
    Resize(u16, u16),
    Paste,
}

fn act() -> impl Strategy<Value = Act> {
    let kinds = vec![MouseKind::Click, MouseKind::Drag, MouseKind::Release, MouseKind::WheelUp, MouseKind::WheelDown];
    prop_oneof![
        16 => word().prop_map(Act::Word),
        3 => (0_u16..130, 0_u16..50, select(kinds)).prop_map(|(x, y, kind)| Act::Click(x, y, kind)),
        1 => select(vec![(1, 1), (3, 2), (40, 12), (56, 14), (80, 24), (120, 30), (160, 45)])
            .prop_map(|(w, h)| Act::Resize(w, h)),
        1 => Just(Act::Paste),
    ]
}

#[test]
fn a_pane_without_height_that_shrinks_leaves_the_program_whole() {
    let mut stage = stage(input("trip-run.jsonl"), (80, 24));
    ["l", "BackTab", ">", "]f"].iter().for_each(|key| stage.press(key).unwrap());
    stage.send(Msg::Resize(1, 1));
    stage.press("Backspace").unwrap();
    check(&stage, "a step back to a state of fewer rows");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_keys_leave_the_program_whole(sample in select(SAMPLES.to_vec()), acts in vec(act(), 1..60)) {
        let mut stage = stage(input(sample), (80, 24));
        for (i, act) in acts.iter().enumerate() {
            match act {
                Act::Word(word) => stage.press(word).unwrap(),
                Act::Click(column, row, kind) => {
                    stage.send(Msg::Mouse(Mouse { kind: *kind, column: *column, row: *row }));
                }
                Act::Resize(width, height) => {
                    stage.send(Msg::Resize(*width, *height));
                }
                Act::Paste => {
                    stage.send(Msg::Paste("bud\nget\u{1b}[31m".to_owned()));
                }
            }
            check(&stage, &format!("{sample}: act {i}, {act:?}"));
        }
    }
}

/// A log of Inspect with one sample: two messages, three events.
const INSPECT_LOG: &str = r#"{"version":2,"status":"success","eval":{"task":"sums","model":"m"},"samples":[
{"id":1,"epoch":1,"messages":[{"role":"user","content":"add 1 and 2"},{"role":"assistant","content":"3"}],
"events":[{"event":"span_begin","id":"s","name":"solve"},{"event":"info","data":"noted"},
{"event":"span_end","id":"s"}]}]}"#;

#[test]
fn a_key_shows_an_inspect_log_by_its_events_and_by_its_messages_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.json");
    std::fs::write(&path, INSPECT_LOG).unwrap();
    let mut stage = stage(obelus::source::Input::open(&path).unwrap(), (120, 30));
    assert_eq!(stage.app.session.format.name(), "inspect");
    for name in ["inspect-events", "inspect"] {
        press(&mut stage, "V");
        assert_eq!(stage.app.session.format.name(), name);
    }
    let mut other = on("{\"a\":1}\n", (120, 30));
    press(&mut other, "V");
    assert_eq!((other.app.session.format.name(), notice(&other)), ("generic", "only an Inspect log has an event view"));
}

#[test]
fn a_view_is_left_and_entered_again_at_the_same_record_and_step() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.json");
    let (head, sample) = INSPECT_LOG.split_once("[\n").unwrap();
    let sample = sample.strip_suffix("]}").unwrap();
    let samples = [1, 2, 3].map(|id| sample.replacen("\"id\":1", &format!("\"id\":{id}"), 1)).join(",");
    std::fs::write(&path, format!("{head}[{samples}]}}")).unwrap();
    let mut stage = stage(obelus::source::Input::open(&path).unwrap(), (120, 30));
    let place = |stage: &Stage| {
        let session = &stage.app.session;
        (session.format.name(), session.run.as_ref().map(|_| (session.trajectory, session.focus.step)))
    };
    press(&mut stage, "j");
    press(&mut stage, "V");
    assert_eq!((place(&stage), stage.app.table.record()), (("inspect-events", None), Some(1)));
    for key in ["V", "j", "Enter", "j"] {
        press(&mut stage, key);
    }
    assert_eq!(place(&stage), ("inspect", Some((2, 1))));
    press(&mut stage, "V");
    assert_eq!(place(&stage), ("inspect-events", Some((2, 0))), "its steps are others");
    press(&mut stage, "V");
    assert_eq!(place(&stage), ("inspect", Some((2, 1))));
}
