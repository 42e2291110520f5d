//! What the mouse does: borders and the timeline that are dragged, headings and hints that are clicked on.

use super::app::focus;
use super::stage::{input, lines, notice, on, press, stage, step};
use obelus::app::key::{KeyPress, Mouse, MouseKind};
use obelus::app::keys::{Action, Tab};
use obelus::app::pane_borders::{Border, Split};
use obelus::app::{Effect, Layer, Msg, Pane, footer, tabs};
use obelus::review::{Column, Sort};
use obelus::shell::headless::Stage;
use std::collections::BTreeMap;

fn send_mouse(stage: &mut Stage, kind: MouseKind, (column, row): (u16, u16)) {
    stage.send(Msg::Mouse(Mouse { kind, column, row }));
}

fn click(stage: &mut Stage, column: usize, row: usize) -> Vec<Effect> {
    let (column, row) = (u16::try_from(column).unwrap(), u16::try_from(row).unwrap());
    stage.send(Msg::Mouse(Mouse { kind: MouseKind::Click, column, row }))
}

/// Clicks where a text stands first.
fn click_on(stage: &mut Stage, text: &str) {
    let found = lines(stage).iter().enumerate().find_map(|(y, line)| {
        let at = line.find(text)?;
        Some((line[..at].chars().count(), y))
    });
    let (column, row) = found.unwrap_or_else(|| panic!("{text} is not on the screen:\n{}", lines(stage).join("\n")));
    click(stage, column, row);
}

fn border(stage: &Stage, split: Split) -> Border {
    let found = stage.app.layout().borders.into_iter().find(|border| border.split == split);
    found.unwrap_or_else(|| panic!("no {split:?} at {:?}", stage.app.size))
}

/// A cell of a border: the one of the pane before it, or behind.
fn cell(border: &Border, is_behind: bool) -> (u16, u16) {
    let (area, more) = (border.area, u16::from(is_behind));
    if border.is_level { (area.x + 5, area.y + more) } else { (area.x + more, area.y + 3) }
}

fn moved((x, y): (u16, u16), is_level: bool, by: i16) -> (u16, u16) {
    if is_level { (x, y.saturating_add_signed(by)) } else { (x.saturating_add_signed(by), y) }
}

fn tickets(size: (u16, u16)) -> Stage {
    let mut stage = stage(input("tickets-std.jsonl"), size);
    // The values of a column, and the plot: beside the table and below it.
    press(&mut stage, "f Tab");
    stage.app.pane = Pane::Table;
    stage.app.table.plot.is_open = Some(true);
    stage
}

/// Every border, on a screen that has it.
fn borders() -> Vec<(Stage, Split)> {
    let trip = |size| stage(input("trip-run.jsonl"), size);
    vec![
        (trip((160, 45)), Split::Steps),
        (trip((160, 45)), Split::Inspector),
        (trip((120, 30)), Split::Steps),
        (trip((80, 24)), Split::Pair),
        (trip((100, 12)), Split::Pair),
        (tickets((160, 45)), Split::Facets),
        (tickets((160, 45)), Split::Plot),
        (tickets((100, 24)), Split::Plot),
    ]
}

#[test]
fn a_border_goes_where_it_is_dragged_and_no_pane_gets_too_small() {
    for (mut stage, split) in borders() {
        for is_behind in [false, true] {
            let begin = border(&stage, split);
            let from = cell(&begin, is_behind);
            let panes = stage.app.layout().panes.len();
            send_mouse(&mut stage, MouseKind::Click, from);
            assert_eq!(border(&stage, split), begin, "a press moves nothing");
            for by in [2, -3, 1] {
                send_mouse(&mut stage, MouseKind::Drag, moved(from, begin.is_level, by));
                assert_eq!(
                    cell(&border(&stage, split), is_behind),
                    moved(from, begin.is_level, by),
                    "{split:?} by {by}"
                );
            }
            for by in [-300, 300] {
                send_mouse(&mut stage, MouseKind::Drag, moved(from, begin.is_level, by));
                let least = stage.app.layout().panes.iter().map(|(_, a)| (a.width, a.height)).min().unwrap();
                assert!(least.0 >= 20 && least.1 >= 5, "{split:?}: {least:?}");
                assert_eq!(stage.app.layout().panes.len(), panes);
            }
            send_mouse(&mut stage, MouseKind::Drag, from);
            assert_eq!(border(&stage, split), begin, "back where it was: {split:?}");
            send_mouse(&mut stage, MouseKind::Release, from);
            send_mouse(&mut stage, MouseKind::Drag, (0, 0));
            assert_eq!(border(&stage, split), begin, "what was let go stays");
        }
    }
}

#[test]
fn other_borders_and_what_is_looked_at_stay() {
    let mut stage = stage(input("trip-run.jsonl"), (160, 45));
    press(&mut stage, ". . . . Tab j j");
    let (before, inspector) = ((step(&stage), stage.app.pane, stage.app.state.scroll.cursor), |stage: &Stage| {
        border(stage, Split::Inspector)
    });
    let (other, from) = (inspector(&stage), cell(&border(&stage, Split::Steps), true));
    send_mouse(&mut stage, MouseKind::Click, from);
    send_mouse(&mut stage, MouseKind::Drag, (70, 44));
    assert_eq!(inspector(&stage), other);
    send_mouse(&mut stage, MouseKind::Drag, (150, 0));
    assert_eq!(inspector(&stage), other, "a border pushes no other");
    assert_eq!((step(&stage), stage.app.pane, stage.app.state.scroll.cursor), before);
}

#[test]
fn proportions_hold_on_screens_of_other_sizes() {
    let mut stage = stage(input("trip-run.jsonl"), (160, 45));
    let from = cell(&border(&stage, Split::Steps), true);
    send_mouse(&mut stage, MouseKind::Click, from);
    send_mouse(&mut stage, MouseKind::Drag, (80, 9));
    send_mouse(&mut stage, MouseKind::Release, (80, 9));
    let (wide, steps) = (lines(&stage), |stage: &Stage| stage.app.layout().panes[0].1.width);
    assert_eq!(steps(&stage), 80);
    stage.send(Msg::Resize(240, 45));
    assert_eq!(steps(&stage), 120);
    for size in [(80, 24), (40, 12), (1, 1), (300, 5)] {
        stage.send(Msg::Resize(size.0, size.1));
        lines(&stage);
    }
    stage.send(Msg::Resize(160, 45));
    assert_eq!(lines(&stage), wide);
    press(&mut stage, "z z");
    assert_eq!(lines(&stage), wide);
}

#[test]
fn where_one_pane_is_shown_nothing_can_be_dragged() {
    for (size, keys) in [((40, 12), "Tab"), ((71, 30), "Tab"), ((160, 45), "z"), ((160, 45), "?")] {
        let mut stage = stage(input("trip-run.jsonl"), size);
        press(&mut stage, keys);
        let from = if keys == "?" { cell(&border(&stage, Split::Steps), true) } else { (30, 6) };
        send_mouse(&mut stage, MouseKind::Click, from);
        press(&mut stage, "Esc");
        let before = lines(&stage);
        for to in [(10, 6), (50, 2), (0, 0)] {
            send_mouse(&mut stage, MouseKind::Drag, to);
            assert_eq!(lines(&stage), before, "{size:?}");
        }
    }
}

#[test]
fn keys_move_the_same_borders() {
    for (mut stage, split) in borders() {
        let before = border(&stage, split);
        for pane in stage.app.layout().panes.into_iter().map(|(pane, _)| pane) {
            stage.app.pane = pane;
            let size = |stage: &Stage| stage.app.pane_extent(pane);
            let first = size(&stage);
            press(&mut stage, "W");
            let more = size(&stage);
            assert!(more.width > first.width || more.height > first.height, "{pane:?} at {:?}", stage.app.size);
            press(&mut stage, "S");
            assert_eq!(size(&stage), first);
        }
        assert_eq!(border(&stage, split), before);
    }
    let mut stage = stage(input("trip-run.jsonl"), (160, 45));
    press(&mut stage, &"W ".repeat(40));
    assert_eq!(notice(&stage), "what is beside it has its least");
    press(&mut stage, &"S ".repeat(40));
    assert_eq!(notice(&stage), "this pane has its least");
    press(&mut stage, "z W");
    assert_eq!(notice(&stage), "nothing is beside this pane that could give it room");
}

#[test]
fn the_timeline_is_scrubbed_wherever_the_pointer_gets_to() {
    let mut stage = stage(input("trip-run.jsonl"), (120, 30));
    let row = stage.app.layout().timeline.unwrap().y;
    send_mouse(&mut stage, MouseKind::Click, (40, row));
    let first = step(&stage);
    send_mouse(&mut stage, MouseKind::Drag, (60, row));
    assert!(step(&stage) > first);
    send_mouse(&mut stage, MouseKind::Drag, (40, 3));
    assert_eq!(step(&stage), first);
    for (column, expected) in [(119, 65), (0, 0)] {
        send_mouse(&mut stage, MouseKind::Drag, (column, row));
        assert_eq!(step(&stage), expected);
    }
    send_mouse(&mut stage, MouseKind::Release, (0, row));
    // What was taken elsewhere does not scrub, and what lies over the timeline is what is clicked on.
    send_mouse(&mut stage, MouseKind::Click, (3, 5));
    let here = step(&stage);
    send_mouse(&mut stage, MouseKind::Drag, (100, row));
    assert_eq!(step(&stage), here);
    press(&mut stage, "?");
    send_mouse(&mut stage, MouseKind::Click, (100, row));
    assert_eq!(step(&stage), here);
}

/// The keys that the footer shows, and where.
fn shown(stage: &Stage) -> BTreeMap<String, (Action, u16)> {
    let cells = (0..stage.app.size.0).rev();
    cells.filter_map(|x| footer::hit(&stage.app, usize::from(x)).map(|a| (a.name(), (a, x)))).collect()
}

#[test]
fn a_click_on_a_hint_does_what_its_key_does() {
    let mut seen = 0;
    for (sample, size) in [("trip-run.jsonl", (160, 45)), ("trip-run.jsonl", (40, 12)), ("tickets-std.jsonl", (80, 24))]
    {
        for words in ["", "Enter Tab", "[", "?", ": type:tab", "f"] {
            let open = || {
                let mut stage = stage(input(sample), size);
                press(&mut stage, words);
                stage
            };
            let footer = open().app.layout().footer.y;
            for (name, (action, column)) in shown(&open()) {
                let (mut clicked, mut pressed) = (open(), open());
                let contexts = pressed.app.contexts();
                let key = pressed.app.keymap.rows(&contexts).find(|row| row.action == action).unwrap().keys[0];
                let line: String = lines(&clicked)[usize::from(footer)].chars().skip(usize::from(column)).collect();
                assert!(line.trim_start().starts_with(key), "{key} is not shown there: {line}");
                let begun = pressed.app.prefix.clone().unwrap_or_default();
                press(&mut pressed, key.strip_prefix(begun.as_str()).unwrap());
                send_mouse(&mut clicked, MouseKind::Click, (column, footer));
                assert_eq!(lines(&clicked), lines(&pressed), "{name} after {words:?} in {sample}");
                seen += 1;
            }
        }
    }
    assert!(seen > 60, "{seen}");
    // What tells something, or is being typed, is no hint.
    let mut stage = stage(input("trip-run.jsonl"), (160, 45));
    for words in ["Q", "/ type:step"] {
        press(&mut stage, words);
        assert!(shown(&stage).is_empty(), "{words}");
    }
}

#[test]
fn hints_that_do_nothing_in_an_empty_list_are_not_shown() {
    let has = |stage: &Stage, name: &str| shown(stage).contains_key(name);
    let empty = on("", (160, 45));
    for name in ["follow", "step-next", "step-previous", "write-next", "search"] {
        assert!(!has(&empty, name) && has(&stage(input("trip-run.jsonl"), (160, 45)), name), "{name}");
    }
    let mut table = stage(input("tickets-std.jsonl"), (160, 45));
    for name in ["follow", "good", "bad", "sort", "search"] {
        assert!(has(&table, name), "{name}");
    }
    press(&mut table, "& type:steps>9000 Enter");
    for name in ["follow", "good", "bad", "sort", "search"] {
        assert!(!has(&table, name), "{name}");
    }
    assert!(has(&table, "filter") && has(&table, "help"));
    press(&mut table, "Esc");
    assert!(has(&table, "follow"));
}

fn sort(stage: &Stage) -> Option<(Column, bool)> {
    stage.app.table.sort.map(|Sort { column, is_reversed }| (column, is_reversed))
}

#[test]
fn a_click_on_a_heading_sorts_by_its_column() {
    for size in [(160, 45), (80, 24), (40, 12)] {
        let mut stage = stage(input("tickets-std.jsonl"), size);
        for (title, column) in [("steps", Column::Steps), ("id", Column::Id), ("#", Column::Number)] {
            let shown = lines(&stage);
            let row = shown.iter().position(|line| line.contains("steps")).unwrap();
            let at = shown[row].split(' ').take_while(|word| word.trim_matches(['▸', '│', '▲', '▼']) != title);
            let at = at.map(|word| word.chars().count() + 1).sum::<usize>() + 1;
            let cell = (u16::try_from(at).unwrap(), u16::try_from(row).unwrap());
            for expected in [Some((column, false)), Some((column, true)), None, Some((column, false))] {
                send_mouse(&mut stage, MouseKind::Click, cell);
                assert_eq!((sort(&stage), stage.app.table.focus), (expected, column), "{size:?}: {title}");
            }
            assert!(notice(&stage).contains("the least first"), "{}", notice(&stage));
        }
        // No record is opened, and none is chosen.
        assert_eq!((stage.app.pane, stage.app.table.scroll.cursor), (Pane::Table, 0));
        press(&mut stage, "& type:steps>9000 Enter");
        let before = sort(&stage);
        (1..5).for_each(|row| send_mouse(&mut stage, MouseKind::Click, (5, row)));
        assert_eq!(sort(&stage), before, "where no row is shown there is no heading");
    }
}

#[test]
fn clicks_go_where_they_point() {
    let mut stage = stage(input("trip-run.jsonl"), (120, 30));
    click_on(&mut stage, "Tomáš Dvořák");
    assert_eq!((step(&stage), stage.app.pane), (1, Pane::Steps));
    // What trains is told of datasets alone, files of runs with tools.
    for tab in Tab::ALL.iter().copied().rev().filter(|tab| !matches!(tab, Tab::Loss | Tab::File | Tab::Merge)) {
        let titles = tabs::titles(&stage.app);
        let title = titles.tabs.iter().find(|(t, _)| *t == tab).unwrap().1;
        let key = format!(" {}", tabs::key(&stage.app, tab));
        let row = lines(&stage)[1].clone();
        let column = row[..row.rfind(&key).unwrap()].chars().count() + 1;
        if title.is_empty() {
            click(&mut stage, column, 1);
        } else {
            click_on(&mut stage, title);
        }
        assert_eq!((stage.app.inspector.tab, stage.app.pane), (tab, Pane::Inspector), "{title}");
    }
    let timeline = lines(&stage).iter().position(|line| line.starts_with(" 0 ")).unwrap();
    click(&mut stage, 3, timeline);
    assert_eq!(step(&stage), 0);
    click(&mut stage, 114, timeline);
    assert_eq!(step(&stage), 65);
    click_on(&mut stage, "▾ traveller");
    assert_eq!((stage.app.pane, focus(&stage).as_str()), (Pane::State, "†input.traveller ①"));
    let before = lines(&stage);
    click_on(&mut stage, "▾ traveller");
    assert_ne!(lines(&stage), before, "a second click folds");
    click_on(&mut stage, "? help");
    assert!(matches!(stage.app.layer, Some(Layer::Menu(_))));
    click(&mut stage, 0, 0);
    assert!(stage.app.layer.is_none());
    click_on(&mut stage, "/ search");
    assert!(matches!(stage.app.layer, Some(Layer::Search(_))));
}

#[test]
fn a_click_on_the_table_chooses_and_a_second_opens() {
    let mut stage = stage(input("tickets-std.jsonl"), (120, 30));
    click_on(&mut stage, "ticket-0414");
    assert_eq!((stage.app.pane, stage.app.table.scroll.cursor), (Pane::Table, 2));
    click_on(&mut stage, "ticket-0414");
    assert_eq!((stage.app.pane, stage.app.session.trajectory), (Pane::Steps, 2));
    press(&mut stage, "} }");
    assert_eq!(stage.app.session.trajectory, 4);
    press(&mut stage, "q");
    assert_eq!((stage.app.pane, stage.app.table.scroll.cursor), (Pane::Table, 4));
    let effects = stage.send(Msg::Key(KeyPress::char('q')));
    assert!(matches!(effects.as_slice(), [Effect::Quit]));
}
