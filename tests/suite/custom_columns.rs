//! Custom columns: what is asked of whom, what answers do, what becomes of answers that come too late.

use obelus::app::{App, Effect, Job, Msg, Pane};
use obelus::review::{CellValue, Column, CustomColumn, CustomColumnChunk};
use obelus::shell::headless::Stage;
use obelus::shell::jobs::{JobCaches, perform};
use obelus::source::Input;
use obelus::ui::Theme;
use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;

/// A dataset whose record i has i % 7 steps more than one.
fn stage(count: usize) -> Stage {
    let said = r#"{"class_":"text_observation","content":"x","source":"user"}"#;
    let mut text = String::new();
    for i in 0..count {
        let all = vec![said; i % 7 + 1].join(",");
        let _ = writeln!(text, r#"{{"id":"r{i}","content":[{all}],"details":{{}}}}"#);
    }
    let theme = Theme::built_in("dark").unwrap();
    Stage::open(Input::memory("made.jsonl", text), Some("adp"), (120, 20), theme).unwrap()
}

fn keys(app: &mut App, words: &str) -> Vec<Effect> {
    let one = |word: &str| match word.strip_prefix("type:") {
        Some(text) => text.chars().map(obelus::app::key::KeyPress::char).collect(),
        None => vec![word.parse().unwrap()],
    };
    let all: Vec<_> = words.split_whitespace().flat_map(one).collect();
    all.into_iter().flat_map(|key| app.update(Msg::Key(key))).collect()
}

/// What is asked of expressions: number of the question, records, and whether it is all of them.
fn asked(effects: &[Effect]) -> Vec<(u64, Range<usize>, bool)> {
    let range = |effect: &Effect| match effect {
        Effect::Job(Job::Ask { id, records, .. }) => Some((*id, records[0]..records[records.len() - 1] + 1, false)),
        Effect::Job(Job::AskAll { id, from, to, .. }) => Some((*id, *from..*to, true)),
        _ => None,
    };
    effects.iter().filter_map(range).collect()
}

fn cell_value(record: usize) -> CellValue {
    match record % 5 {
        4 => CellValue::Nothing,
        3 => CellValue::Text("none of these".into()),
        n => CellValue::Number(10.0 - n as f64),
    }
}

fn chunk(records: Range<usize>) -> Arc<CustomColumnChunk> {
    Arc::new(CustomColumnChunk::new(records.start, records.map(cell_value).collect()))
}

/// Lets the jobs of the table answer.
fn answer(stage: &mut Stage, effects: Vec<Effect>) {
    for effect in effects {
        let mut answers = Vec::new();
        if let Effect::Job(job @ (Job::Arrange { .. } | Job::Tally { .. })) = effect {
            let source = stage.source();
            perform(&source, job, &JobCaches::default(), &|| true, &mut |msg| answers.push(msg));
        }
        answers.into_iter().for_each(|msg| drop(stage.app.update(msg)));
    }
}

fn shown(app: &App) -> Vec<usize> {
    (0..app.table.count(&app.session)).filter_map(|row| app.table.record_at(row)).collect()
}

#[test]
fn rows_on_the_screen_are_asked_first_and_all_only_for_an_order() {
    let mut stage = stage(60);
    let effects = keys(&mut stage.app, "c type:turns Space type:= Space type:.x Enter");
    let rows = stage.app.pane_extent(Pane::Table).height - 1;
    let id = asked(&effects)[0].0;
    assert_eq!(asked(&effects), [(id, 0..rows, false)]);
    let name = CustomColumn::new("turns").unwrap();
    assert_eq!(
        (stage.app.table.focus, stage.app.table.columns.last().copied()),
        (Column::Custom(name), Some(Column::Custom(name)))
    );
    assert!(asked(&keys(&mut stage.app, "j")).is_empty(), "what is asked is not asked again");
    // What is known of some rows is shown while the others are still asked.
    let effects = stage.app.update(Msg::CustomValuesPart(id, vec![(0, cell_value(0))]));
    assert!(asked(&effects).is_empty() && asked(&keys(&mut stage.app, "j")).is_empty());
    let column = stage.app.table.custom_column(name).unwrap();
    assert_eq!((column.value_of(0), column.value_of(1)), (Some(&cell_value(0)), None));
    stage.app.update(Msg::CustomValuesVisible(
        id,
        (0..rows).map(|record| (record, cell_value(record))).collect(),
        None,
    ));
    let effects = keys(&mut stage.app, "G");
    assert_eq!(asked(&effects), [(id, 60 - rows..60, false)]);
    let effects = keys(&mut stage.app, "s");
    assert_eq!(asked(&effects), [(id, 0..60, true)]);
    answer(&mut stage, effects);
    let effects = stage.app.update(Msg::CustomValuesNext(id, chunk(0..60)));
    answer(&mut stage, effects);
    let effects = stage.app.update(Msg::CustomValuesEnded(id, None));
    answer(&mut stage, effects);
    let order = shown(&stage.app);
    let mut expected: Vec<usize> = (0..60).collect();
    expected.sort_by_key(|record| match cell_value(*record) {
        CellValue::Number(number) => number as usize,
        CellValue::Text(_) => 100,
        _ => 200,
    });
    assert_eq!(order, expected, "numbers, then texts, then nothing");
}

#[test]
fn filters_and_counts_ask_for_them_too() {
    let mut stage = stage(60);
    let effects = keys(&mut stage.app, "c type:turns=.x Enter & type:turns>8 Space type:steps<=3 Enter");
    let id = asked(&effects)[0].0;
    assert!(asked(&effects).contains(&(id, 0..60, true)), "{:?}", asked(&effects));
    answer(&mut stage, effects);
    let effects = stage.app.update(Msg::CustomValuesNext(id, chunk(0..60)));
    answer(&mut stage, effects);
    let expected: Vec<usize> = (0..60).filter(|i| i % 5 < 2 && i % 7 < 3).collect();
    assert_eq!(shown(&stage.app), expected);
    for (filter, keep) in [("turns:\"none of these\"", 3), ("turns:none", 4), ("turns=8", 2)] {
        let typed = filter.replace(' ', " Space type:");
        let effects = keys(&mut stage.app, &format!("& C-u type:{typed} Enter"));
        answer(&mut stage, effects);
        assert_eq!(shown(&stage.app), (0..60).filter(|i| i % 5 == keep).collect::<Vec<_>>(), "{filter}");
    }
    keys(&mut stage.app, "Esc");
    let effects = keys(&mut stage.app, "f");
    answer(&mut stage, effects);
    let (_, tally) = stage.app.table.facets.tally.as_ref().unwrap();
    let values: Vec<(&str, usize)> = tally.values.iter().map(|value| (value.label.as_str(), value.records)).collect();
    assert_eq!((values, tally.missing), (vec![("10", 12), ("8", 12), ("9", 12), ("none of these", 12)], 12));
}

#[test]
fn numbers_of_an_expression_are_plotted_once_that_is_asked_for() {
    let mut stage = stage(60);
    stage.app.update(Msg::Resize(120, 40));
    let effects = keys(&mut stage.app, "c type:turns=.x Enter");
    assert!(stage.app.is_plotting() && asked(&effects).iter().all(|(_, _, is_all)| !is_all), "{:?}", asked(&effects));
    let effects = keys(&mut stage.app, "p");
    let id = asked(&effects)[0].0;
    assert_eq!((asked(&effects), stage.app.pane), (vec![(id, 0..60, true)], Pane::Plot));
    answer(&mut stage, effects);
    let effects = stage.app.update(Msg::CustomValuesNext(id, chunk(0..60)));
    answer(&mut stage, effects);
    let (_, tally) = stage.app.table.facets.tally.clone().unwrap();
    let (_, plot) = tally.plot.unwrap();
    let bins: Vec<(&str, usize)> = plot.bins.iter().map(|bin| (bin.written.as_str(), bin.records)).collect();
    assert_eq!((bins, plot.marks), (vec![("8", 12), ("9", 12), ("10", 12)], [8.0, 9.0, 10.0, 10.0, 10.0]));
    let effects = keys(&mut stage.app, "l Enter l Enter");
    answer(&mut stage, effects);
    assert_eq!(stage.app.table.filter.to_string(), "turns:9|10");
    assert_eq!(shown(&stage.app), (0..60).filter(|i| i % 5 < 2).collect::<Vec<_>>());
    keys(&mut stage.app, "p");
    assert!(!stage.app.is_plotting(), "a second p takes the plot away");
}

#[test]
fn a_failure_is_reported_once_and_what_comes_late_is_dropped() {
    let mut stage = stage(10);
    let first = asked(&keys(&mut stage.app, "c type:turns=.x Enter"))[0].0;
    stage.app.update(Msg::CustomValuesVisible(first, vec![(0, CellValue::Nothing)], Some("it is none".to_owned())));
    let notice = stage.app.notice.clone().unwrap();
    assert!(notice.is_error && notice.text == "turns = .x: it is none", "{}", notice.text);
    assert!(asked(&keys(&mut stage.app, "s")).is_empty(), "nothing more is asked");
    assert_eq!(shown(&stage.app).len(), 10, "the table goes on");
    let name = CustomColumn::new("turns").unwrap();
    assert_eq!(stage.app.table.custom_column(name).unwrap().value_of(3), Some(&CellValue::Failed));
    let effects = keys(&mut stage.app, "c type:turns=.y Enter");
    let second = asked(&effects)[0].0;
    assert!(second != first);
    stage.app.update(Msg::CustomValuesVisible(first, vec![(0, CellValue::Number(1.0))], None));
    assert_eq!(stage.app.table.custom_column(name).unwrap().value_of(0), None);
    let token = effects.iter().find_map(|effect| match effect {
        Effect::Job(Job::Ask { token, .. }) => Some(Arc::clone(token)),
        _ => None,
    });
    drop(effects);
    keys(&mut stage.app, "c type:turns=.z Enter");
    assert_eq!(Arc::strong_count(&token.unwrap()), 1, "nobody wants the old question");
    keys(&mut stage.app, "c type:steps=.z Enter");
    assert!(stage.app.notice.clone().unwrap().text.contains("take another name"), "{:?}", stage.app.notice);
}

#[test]
fn an_expression_that_is_none_makes_no_column_and_comes_back_to_be_changed() {
    let mut stage = stage(10);
    let (columns, focus) = (stage.app.table.columns.clone(), stage.app.table.focus);
    let id = asked(&keys(&mut stage.app, "c type:turns=.[ Enter"))[0].0;
    stage.app.update(Msg::CustomValuesVisible(id, Vec::new(), Some("it is none".to_owned())));
    assert_eq!((&stage.app.table.columns, stage.app.table.focus), (&columns, focus));
    assert!(stage.app.table.custom_columns.is_empty());
    assert_eq!(stage.app.notice.as_ref().map(|notice| notice.text.as_str()), Some("turns = .[: it is none"));
    // The line is open again with what was typed; mended, it is a column.
    let id = asked(&keys(&mut stage.app, "Backspace type:x Enter"))[0].0;
    stage.app.update(Msg::CustomValuesVisible(id, vec![(0, CellValue::Number(1.0))], None));
    let name = CustomColumn::new("turns").unwrap();
    assert_eq!(stage.app.table.columns.last(), Some(&Column::Custom(name)));
    // In place of a column that says something, one that is none leaves the former.
    let id = asked(&keys(&mut stage.app, "c type:turns=.[ Enter"))[0].0;
    stage.app.update(Msg::CustomValuesVisible(id, Vec::new(), Some("it is none".to_owned())));
    assert_eq!(stage.app.table.custom_column(name).map(|own| &*own.expression), Some(".x"));
    assert_eq!(stage.app.table.columns.last(), Some(&Column::Custom(name)));
    // Who went on meanwhile is not thrown back into the line.
    let id = asked(&keys(&mut stage.app, "c type:other=.[ Enter"))[0].0;
    keys(&mut stage.app, "j");
    stage.app.update(Msg::CustomValuesVisible(id, Vec::new(), Some("it is none".to_owned())));
    assert!(stage.app.layer.is_none() && stage.app.notice.is_some());
}
