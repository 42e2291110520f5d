//! The table of a dataset, played on the stage: sorting, filters, the values of a column, the plot, and the way back.

use super::stage::press;
use obelus::app::{Effect, Job, Layer, Msg, Pane};
use obelus::panes::{Piece, Records};
use obelus::review::{Column, RecordOrder};
use obelus::shell::headless::Stage;
use obelus::source::Input;
use obelus::ui::Theme;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use std::fmt::Write;
use std::sync::Arc;

/// Records with steps 1 to 9, tools in turn, a reward for every third, the last one broken.
fn made(count: usize) -> Arc<Input> {
    let mut text = String::new();
    for i in 0..count - 1 {
        let call = r#"{"class_":"code_action","language":"bash","content":"ls","description":"look"}"#;
        let said = r#"{"class_":"text_observation","content":"done","source":"environment"}"#;
        let begin = format!(r#"{{"class_":"text_observation","content":"task {}","source":"user"}}"#, i % 5);
        let end = match i % 3 {
            0 => r#"{"class_":"message_action","content":"<finish> x </finish>","reward":0.5}"#,
            1 => r#"{"class_":"api_action","function":"click","kwargs":{}}"#,
            _ => r#"{"class_":"message_action","content":"bye"}"#,
        };
        let middle = [call, said].repeat(i % 4).join(",");
        let parts = [begin.as_str(), middle.as_str(), end].into_iter().filter(|part| !part.is_empty());
        let _ = writeln!(text, r#"{{"id":"r{i}","content":[{}],"details":{{}}}}"#, parts.collect::<Vec<_>>().join(","));
    }
    text += "{\"id\":\n";
    Input::memory("made.jsonl", text)
}

fn stage(count: usize, size: (u16, u16)) -> Stage {
    Stage::open(made(count), Some("adp"), size, Theme::built_in("dark").unwrap()).unwrap()
}

fn filter(stage: &mut Stage, text: &str) {
    press(stage, "& C-u");
    text.split(' ').enumerate().for_each(|(i, word)| {
        if i > 0 {
            press(stage, "Space");
        }
        press(stage, &format!("type:{word}"));
    });
    press(stage, "Enter");
}

#[test]
fn a_filter_on_findings_that_nobody_made_says_how() {
    let mut stage = stage(9, (120, 30));
    for (asked, expected) in [("finding:data.secret", "press !"), ("!finding:loss.cut", "--loss NAME")] {
        filter(&mut stage, asked);
        let notice = stage.app.notice.as_ref().map(|notice| notice.text.clone()).unwrap_or_default();
        assert!(notice.contains(expected), "{asked}: {notice}");
    }
}

/// The records as they are shown.
fn shown(stage: &Stage) -> Vec<usize> {
    let table = &stage.app.table;
    (0..table.count(&stage.app.session)).filter_map(|row| table.record_at(row)).collect()
}

fn header(stage: &Stage) -> String {
    screen(stage).lines().next().unwrap().to_owned()
}

/// All that is on the screen.
fn screen(stage: &Stage) -> String {
    let buffer = stage.buffer();
    let line = |y| (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).chain(["\n"]).collect::<String>();
    (0..buffer.area.height).map(line).collect()
}

fn go_to(stage: &mut Stage, column: Column) {
    press(stage, "H H H H H");
    while stage.app.table.focus != column {
        press(stage, "l");
    }
}

#[test]
fn sorting_goes_up_then_down_then_back_and_the_cursor_stays_on_its_record() {
    let mut stage = stage(13, (120, 30));
    press(&mut stage, "j j j j j");
    assert_eq!(stage.app.table.record(), Some(5));
    press(&mut stage, "s");
    assert_eq!(shown(&stage), [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11, 12]);
    assert_eq!(stage.app.table.record(), Some(5));
    press(&mut stage, "s");
    assert_eq!(shown(&stage), [3, 7, 11, 2, 6, 10, 1, 5, 9, 0, 4, 8, 12], "what cannot be read stays last");
    assert_eq!(stage.app.table.record(), Some(5));
    press(&mut stage, "s");
    assert_eq!(shown(&stage), (0..13).collect::<Vec<_>>());
    assert_eq!(stage.app.table.record(), Some(5));
}

#[test]
fn enter_and_q_lead_to_the_same_row_with_sort_and_filter() {
    let mut stage = stage(40, (120, 30));
    press(&mut stage, "s s");
    filter(&mut stage, "steps>3 finish:finish|message");
    press(&mut stage, "g j j");
    let (row, record) = (stage.app.table.scroll.cursor, stage.app.table.record().unwrap());
    for close in ["q", "Esc"] {
        press(&mut stage, "Enter");
        assert_eq!((stage.app.pane, stage.app.session.trajectory), (Pane::Steps, record));
        press(&mut stage, close);
        assert_eq!((stage.app.pane, stage.app.table.scroll.cursor), (Pane::Table, row));
    }
    press(&mut stage, "Enter }");
    let next = stage.app.session.trajectory;
    press(&mut stage, "q");
    assert_eq!((stage.app.table.scroll.cursor, stage.app.table.record()), (row + 1, Some(next)));
}

#[test]
fn filters_are_shown_in_the_header_and_cleared_by_esc() {
    let mut stage = stage(1301, (120, 30));
    filter(&mut stage, "finish:open-call !tool:none");
    assert_eq!(shown(&stage).len(), 433);
    assert!(header(&stage).contains("finish:open-call   !tool:none"), "{}", header(&stage));
    assert!(header(&stage).contains("433 of 1,301"), "{}", header(&stage));
    press(&mut stage, "Esc");
    assert!(header(&stage).contains("1,301 trajectories"), "{}", header(&stage));
    filter(&mut stage, "words:\"task 3\"");
    assert!(shown(&stage).iter().all(|record| record % 5 == 3));
    filter(&mut stage, "finding:adp.json");
    assert_eq!(shown(&stage), [1300]);
    filter(&mut stage, "steps>1000");
    assert!(shown(&stage).is_empty());
    press(&mut stage, "Enter j k G + s");
    assert_eq!(stage.app.pane, Pane::Table);
}

#[test]
fn a_faulty_filter_stays_to_be_changed_and_changes_nothing() {
    let mut stage = stage(13, (120, 30));
    filter(&mut stage, "steps>2");
    let before = shown(&stage);
    filter(&mut stage, "stops>2");
    let notice_shown = stage.app.notice.clone().unwrap();
    assert!(notice_shown.is_error && notice_shown.text.contains("did you mean steps?"), "{notice_shown:?}");
    assert!(matches!(stage.app.layer, Some(Layer::Filter(_))));
    press(&mut stage, "Esc");
    assert_eq!((shown(&stage), stage.app.layer.is_none()), (before, true));
}

#[test]
fn values_of_a_column_filter_to_them_and_back() {
    let mut stage = stage(31, (140, 40));
    go_to(&mut stage, Column::Finish);
    press(&mut stage, "f");
    assert_eq!(stage.app.pane, Pane::Facets);
    let values = |stage: &Stage| {
        let (_, tally) = stage.app.table.facets.tally.clone().unwrap();
        tally.values.into_iter().map(|value| (value.label, value.records)).collect::<Vec<_>>()
    };
    let all = [("finish", 10), ("message", 10), ("open-call", 10)].map(|(name, n)| (name.to_owned(), n));
    assert_eq!(values(&stage), all);
    press(&mut stage, "j Enter");
    assert_eq!(stage.app.table.filter.to_string(), "finish:message");
    assert_eq!((shown(&stage).len(), values(&stage)), (10, all.to_vec()), "the other values stay to be chosen");
    press(&mut stage, "j Enter");
    assert_eq!((shown(&stage).len(), stage.app.table.filter.to_string().as_str()), (20, "finish:message|open-call"));
    press(&mut stage, "k Enter j Enter");
    assert_eq!(shown(&stage).len(), 31);
    press(&mut stage, "l");
    assert_eq!(stage.app.table.focus, Column::Reward);
    assert_eq!(values(&stage), [("0.5".to_owned(), 10)]);
    press(&mut stage, "q");
    assert_eq!((stage.app.pane, stage.app.table.facets.is_open), (Pane::Table, false));
}

#[test]
fn a_bar_of_the_plot_filters_to_its_numbers() {
    let mut stage = stage(41, (120, 30));
    press(&mut stage, "p l l Enter");
    assert_eq!(stage.app.table.filter.to_string(), "steps:4");
    assert!(shown(&stage).iter().all(|record| record % 4 == 1));
    press(&mut stage, "Enter Tab");
    assert_eq!((shown(&stage).len(), stage.app.pane), (41, Pane::Table));
}

#[test]
fn few_records_are_plotted_only_if_asked_for() {
    let mut few = stage(19, (120, 40));
    assert!(!few.app.is_plotting() && stage(20, (120, 40)).app.is_plotting());
    press(&mut few, "p");
    assert!(few.app.is_plotting() && few.app.layout().has(Pane::Plot));
}

#[test]
fn what_is_decided_is_a_column_and_a_filter_that_follows() {
    let mut stage = stage(13, (120, 30));
    press(&mut stage, "j - j j +");
    filter(&mut stage, "mark:bad|good");
    assert_eq!(shown(&stage), [1, 3]);
    press(&mut stage, "G -");
    filter(&mut stage, "mark:bad");
    assert_eq!(shown(&stage), [1, 3]);
    press(&mut stage, "u");
    assert_eq!(shown(&stage), [1], "undone, it is bad no longer");
    filter(&mut stage, "mark:none");
    press(&mut stage, "g -");
    assert_eq!((shown(&stage)[0], stage.app.table.scroll.cursor), (2, 0), "what is decided goes, the row stays");
    press(&mut stage, "Esc * - y");
    assert_eq!((0..13).filter(|n| stage.app.session.review.verdict(*n).is_some()).count(), 13);
}

#[test]
fn selecting_with_a_filter_decides_on_what_is_shown_alone() {
    let mut stage = stage(13, (120, 30));
    filter(&mut stage, "finish:open-call");
    press(&mut stage, "* - y Esc");
    let bad: Vec<usize> = (0..13).filter(|n| stage.app.session.review.verdict(*n).is_some()).collect();
    assert_eq!(bad, [1, 4, 7, 10]);
}

#[test]
fn a_filter_of_the_configuration_is_a_command() {
    let mut stage = stage(13, (120, 30));
    stage.app.filters = vec![("long ones".to_owned(), "steps>7".to_owned())];
    press(&mut stage, ": type:long Enter");
    assert_eq!((shown(&stage), stage.app.layer.is_none()), (vec![3, 7, 11], true));
}

#[test]
fn columns_are_chosen_and_the_one_in_focus_is_seen_at_any_width() {
    let mut stage = stage(13, (40, 12));
    for _ in 0..20 {
        let title = stage.app.table.focus.title();
        let lines = stage.app.table.window(&stage.app.session, stage.app.pane_extent(Pane::Table)).rows;
        assert!(lines[0].plain().contains(&format!("▸{}", &title[..title.len().min(4)])), "{title}");
        press(&mut stage, "l");
    }
    let before = stage.app.table.columns.len();
    press(&mut stage, "c type:estimated Enter Esc");
    assert_eq!(stage.app.table.columns.len(), before - 1);
    assert!(!stage.app.table.columns.contains(&Column::Tokens));
}

/// The heading of the table.
fn heading(stage: &Stage) -> String {
    let window = stage.app.table.window(&stage.app.session, stage.app.pane_extent(Pane::Table));
    window.rows[0].plain()
}

#[test]
fn widths_follow_the_rows_shown_and_stay_while_these_scroll() {
    let record = |i: usize| {
        let id = if i < 40 { format!("r{i}") } else { format!("a-much-longer-name-{i}") };
        let reward = if i == 99 { ",\"reward\":1" } else { "" };
        format!("{{\"id\":\"{id}\",\"messages\":[{{\"role\":\"user\",\"content\":\"q{i}\"}}]{reward}}}\n")
    };
    let open = |count: usize| {
        let text: String = (0..count).map(record).collect();
        let theme = Theme::built_in("dark").unwrap();
        Stage::open(Input::memory("w.jsonl", text), Some("adp"), (80, 24), theme).unwrap()
    };
    let mut stage = open(99);
    let (before, at) = (heading(&stage), |heading: &str| heading.find("steps").unwrap());
    for key in ["j", "k", "C-d", "g"] {
        press(&mut stage, key);
        assert_eq!(heading(&stage), before, "{key}");
    }
    press(&mut stage, "G");
    let wide = heading(&stage);
    assert!(at(&wide) > at(&before), "a longer id in view has room: {wide}");
    for key in ["k", "g", "PageDown", "G"] {
        press(&mut stage, key);
        assert_eq!(heading(&stage), wide, "{key}");
    }
    filter(&mut stage, "id:longer");
    assert!(at(&heading(&stage)) > at(&before), "{} {before}", heading(&stage));
    let text = stage.app.table.window(&stage.app.session, stage.app.pane_extent(Pane::Table)).rows[1].plain();
    assert!(text.contains("ger-name-"), "the end of a long id is seen: {text}");
    press(&mut stage, "Esc");
    assert!(!before.contains("reward"));
    assert!(screen(&stage).contains("Trajectories · hidden (empty): failed, reward, tools"), "{}", screen(&stage));
    press(&mut stage, "H H H l l l l l l");
    assert!(heading(&stage).contains("▸tokens ≈"), "the focus goes over what is empty: {}", heading(&stage));
    press(&mut stage, "c type:sum Enter Enter Esc");
    assert!(!heading(&stage).contains("reward"));
    assert!(heading(&open(100)).contains("reward"), "one record with a value brings the column back");
}

struct Many(Arc<dyn Records>, usize);

impl Records for Many {
    fn count(&self) -> usize {
        self.1
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn get(&self, number: usize) -> Option<obelus::model::Record> {
        self.0.get(number)
    }
}

#[test]
fn while_records_are_looked_at_what_is_known_comes_first_and_counts_are_at_least() {
    let mut stage = stage(13, (120, 30));
    let records = Arc::clone(&stage.app.session.records);
    // Twice as many records as were looked at.
    stage.app.session.records = Arc::new(Many(records, 26));
    let effects = stage.app.update(Msg::Resize(120, 30));
    assert!(matches!(effects[..], [Effect::Job(Job::Scan { from: 13, to: 26, .. }), ..]), "{effects:?}");
    assert!(!stage.app.update(Msg::Resize(120, 31)).iter().any(|e| matches!(e, Effect::Job(Job::Scan { .. }))), "once");
    assert!(header(&stage).contains("26 trajectories · scanning 50 %"), "{}", header(&stage));
    press(&mut stage, "s");
    assert_eq!(shown(&stage)[12..15], [12, 13, 14], "unknown ones stand last");
    filter(&mut stage, "steps>7");
    assert!(header(&stage).contains("≥3 of 26"), "{}", header(&stage));
}

#[test]
fn a_late_answer_changes_nothing() {
    let mut stage = stage(13, (120, 30));
    press(&mut stage, "s");
    let before = shown(&stage);
    stage.send(Msg::Arranged(1_000, RecordOrder::default()));
    stage.send(Msg::ScanEnded(99));
    assert_eq!(shown(&stage), before);
}

#[test]
fn how_far_words_were_read_again_for_an_order_is_shown_until_it_is_there() {
    let mut stage = stage(13, (120, 30));
    go_to(&mut stage, Column::Id);
    press(&mut stage, "s");
    (0..9).for_each(|number| drop(stage.app.update(Msg::Arranging(number, 42))));
    assert!(header(&stage).contains("sorting 42 %"), "{}", header(&stage));
    press(&mut stage, "s");
    assert!(!header(&stage).contains("sorting"), "{}", header(&stage));
    stage.app.update(Msg::Arranging(1_000, 42));
    assert!(!header(&stage).contains("sorting"), "a late one is of another question");
}

#[test]
fn a_key_looks_at_what_is_visible_however_many_records_there_are() {
    let mut stage = stage(30_001, (120, 30));
    press(&mut stage, "s");
    for key in ["j", "k", "G", "PageUp", "l", "h", "g"] {
        let asked = stage.app.update(Msg::Key(key.parse().unwrap()));
        let is_whole = |effect: &Effect| matches!(effect, Effect::Job(Job::Scan { .. } | Job::Arrange { .. }));
        assert!(!asked.iter().any(is_whole), "{key} asks for {asked:?}");
        let window = stage.app.table.window(&stage.app.session, stage.app.pane_extent(Pane::Table));
        assert!(window.rows.len() <= 30);
    }
}

fn keys() -> impl Strategy<Value = Vec<&'static str>> {
    let all = vec![
        "j",
        "k",
        "G",
        "g",
        "l",
        "h",
        "L",
        "H",
        "s",
        "f",
        "p",
        "c",
        "&",
        "Tab",
        "BackTab",
        "Enter",
        "Esc",
        "q",
        "Space",
        "z",
        "+",
        "-",
        "v",
        "*",
        "u",
        "x",
        "]?",
        "[m",
        "a",
        "A",
        ":",
        "/",
        "n",
        "}",
        "type:a",
        "type:steps>2",
        "type:finish:finish",
    ];
    vec(select(all), 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
    #[test]
    fn any_keys_at_any_size_leave_one_cursor_and_no_more_rows_than_the_screen_has(
        keys in keys(), width in 1_u16..180, height in 1_u16..50,
    ) {
        let mut stage = stage(23, (width, height));
        for key in keys {
            stage.press(key).unwrap();
            let _painted = stage.buffer();
            let app = &stage.app;
            if app.is_on_table() {
                let extent = app.pane_extent(Pane::Table);
                let window = app.table.window(&app.session, extent);
                let is_shown = app.layout().panes.iter().any(|(pane, _)| *pane == Pane::Table) && extent.height > 1;
                let total = app.table.count(&app.session);
                // Without a row the pane says why, wrapped to the width and cut by the painter.
                prop_assert!(!is_shown || window.rows.len() <= extent.height || total == 0);
                prop_assert!(app.table.scroll.cursor < total.max(1));
                let has_cursor = window.rows.iter().filter(|row| row.is_cursor).count();
                prop_assert!(!is_shown || total == 0 || has_cursor == 1, "{key}");
                prop_assert!(app.table.columns.contains(&app.table.focus));
                let counts: String = app.table.counts(&app.session, 120).iter().map(|p: &Piece| p.text.as_str()).collect();
                prop_assert!(!counts.contains("scanning"));
            }
        }
    }
}

#[test]
fn records_without_id_are_called_by_what_stands_for_one() {
    let line = |names: &str| format!("{{{names}\"messages\":[{{\"role\":\"user\",\"content\":\"q\"}}]}}\n");
    let text = line("\"instance_id\":\"repo__1\",\"task_id\":\"t\",")
        + &line("\"uuid\":7,")
        + &line("\"id\":\"own\",\"uuid\":8,");
    let stage = Stage::open(Input::memory("n.jsonl", text), Some("adp"), (100, 20), Theme::built_in("dark").unwrap());
    let stage = stage.unwrap();
    let buffer = stage.buffer();
    let line = |y: u16| (0..100).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    let rows: Vec<String> = (0..20).map(line).filter(|line| line.contains(" 1 ")).collect();
    for (row, id) in rows.iter().zip(["repo__1", "7", "own"]) {
        assert!(row.split_whitespace().any(|word| word == id), "{id}: {rows:?}");
    }
    assert_eq!(rows.len(), 3, "{rows:?}");
}

#[test]
fn checking_the_dataset_leaves_the_cursor_on_its_record() {
    let mut stage = stage(13, (120, 30));
    filter(&mut stage, "steps>4");
    press(&mut stage, "j");
    let before = (stage.app.table.record(), stage.app.table.scroll.cursor);
    assert!(before.0 > Some(1), "{before:?}");
    press(&mut stage, "!");
    assert_eq!((stage.app.table.record(), stage.app.table.scroll.cursor), before);
}

#[test]
fn a_file_of_one_trajectory_opens_without_a_table() {
    let said = r#"{"role":"user","content":"list the files"},{"role":"assistant","content":"a.txt"}"#;
    for text in [
        format!("{{\"id\":\"a\",\"messages\":[{said}]}}\n"),
        format!("[{said}]"),
        format!("{{\n\"messages\":[{said}]}}"),
    ] {
        let mut stage =
            Stage::open(Input::memory("one", text), None, (100, 12), Theme::built_in("dark").unwrap()).unwrap();
        assert_eq!((stage.app.pane, stage.app.session.run.is_some()), (Pane::Steps, true));
        press(&mut stage, "j");
        assert!(screen(&stage).contains("▌1   agent    a.txt"), "{}", screen(&stage));
    }
}
