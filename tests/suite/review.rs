//! The review on the screen: keys decide, marks show where they belong, are kept, and can be undone.

use super::stage::press;
use obelus::app::{Effect, Msg, view};
use obelus::review::Verdict;
use obelus::shell::headless::Stage;
use obelus::source::Input;
use obelus::ui::Theme;
use std::path::Path;

const SIZE: (u16, u16) = (120, 30);

fn sample(name: &str) -> Stage {
    let path = format!("{}/samples/{name}", env!("CARGO_MANIFEST_DIR"));
    let theme = Theme::built_in("ansi").unwrap();
    Stage::open(Input::open(Path::new(&path)).unwrap(), None, SIZE, theme).unwrap()
}

fn text(stage: &Stage) -> String {
    let buffer = stage.buffer();
    let rows = buffer.content().chunks(usize::from(buffer.area.width));
    rows.map(|row| row.iter().map(|cell| cell.symbol()).collect::<String>() + "\n").collect()
}

/// The row of the table on which a record's number stands.
fn table_row(stage: &Stage, record: usize) -> String {
    let number = format!(" {record} ");
    let is_it = |line: &&str| line.trim_start_matches(['│', '▌', '┃', ' ']).starts_with(number.trim_start());
    text(stage).lines().find(is_it).unwrap().to_owned()
}

fn violations(stage: &Stage, count: usize) -> Vec<Option<Verdict>> {
    (0..count).map(|n| stage.app.session.review.verdict(n)).collect()
}

#[test]
fn records_are_decided_in_the_table() {
    let mut stage = sample("tickets-std.jsonl");
    let before = text(&stage);
    assert!(!before.contains("decided"), "nothing is told of a review that nobody began");
    press(&mut stage, "j -");
    assert!(table_row(&stage, 1).contains("1  - "), "{}", table_row(&stage, 1));
    assert!(text(&stage).contains("1/6 decided, 1 dropped"), "{}", text(&stage));
    press(&mut stage, "j + j =");
    use Verdict::{Bad, Good, Unsure};
    assert_eq!(violations(&stage, 6), [None, Some(Bad), Some(Good), Some(Unsure), None, None]);
    press(&mut stage, "g ]?");
    assert_eq!(stage.app.table.scroll.cursor, 4);
    press(&mut stage, "]? ]?");
    assert_eq!(stage.app.table.scroll.cursor, 0, "around the end");
    press(&mut stage, "]m ]m");
    assert_eq!(stage.app.table.scroll.cursor, 2);
    press(&mut stage, "u u");
    assert_eq!(violations(&stage, 6), [None, Some(Bad), None, None, None, None]);
    assert!(text(&stage).contains("undone: good: record 2"), "{}", text(&stage));
    press(&mut stage, "u u");
    assert_eq!(violations(&stage, 6), [None; 6]);
    assert!(text(&stage).contains("no decision of this session is left to undo"));
}

#[test]
fn a_decision_goes_on_to_the_next_undecided_record_if_that_is_asked_for() {
    let mut stage = sample("tickets-std.jsonl");
    stage.app.next_undecided = true;
    press(&mut stage, "j -");
    assert_eq!(stage.app.table.scroll.cursor, 2);
    press(&mut stage, "g +");
    assert_eq!(stage.app.table.scroll.cursor, 2, "record 1 is decided");
    stage.app.next_undecided = false;
    press(&mut stage, "+");
    assert_eq!(stage.app.table.scroll.cursor, 2);
}

#[test]
fn many_records_are_decided_after_a_yes() {
    let mut stage = sample("tickets-std.jsonl");
    press(&mut stage, "v j j");
    assert!(text(&stage).contains("3 selected"), "{}", text(&stage));
    press(&mut stage, "-");
    assert!(text(&stage).contains("bad: 3 records? y or Enter: yes"), "the count is asked back");
    press(&mut stage, "n");
    assert_eq!(violations(&stage, 6), [None; 6]);
    assert!(text(&stage).contains("nothing was changed") && stage.app.layer.is_none());
    assert_eq!(stage.app.table.anchor, Some(0), "the records stay selected");
    for no in ["Esc", "q", "j", "Space", "C-c", "+"] {
        press(&mut stage, "-");
        press(&mut stage, no);
        assert!(text(&stage).contains("nothing was changed"), "{no}");
    }
    assert_eq!(violations(&stage, 6), [None; 6]);
    press(&mut stage, "- y");
    assert_eq!(violations(&stage, 4), [Some(Verdict::Bad), Some(Verdict::Bad), Some(Verdict::Bad), None]);
    assert_eq!(stage.app.table.anchor, None);
    press(&mut stage, "* + Enter u");
    assert_eq!(violations(&stage, 4), [Some(Verdict::Bad), Some(Verdict::Bad), Some(Verdict::Bad), None], "one undo");
    press(&mut stage, "v Esc");
    assert_eq!(stage.app.table.anchor, None);
}

#[test]
fn steps_and_values_of_a_record_have_marks_of_their_own() {
    let mut stage = sample("tickets-std.jsonl");
    press(&mut stage, "Enter . mm");
    press(&mut stage, "M type:look Enter");
    press(&mut stage, "# type:loop Enter");
    let shown = text(&stage);
    assert!(shown.contains("⚑ #loop “look”"), "{shown}");
    assert_eq!(shown.matches('⚑').count(), 2, "in the list, above the message: {shown}");
    assert_eq!(shown.matches('⚐').count(), 1, "on the timeline, where one is: {shown}");
    press(&mut stage, "0 ]m");
    assert_eq!(stage.app.session.focus.step, 1);
    press(&mut stage, "mm # type:loop Enter M C-u Enter");
    assert!(!text(&stage).contains('⚑') && !text(&stage).contains("loop “"), "{}", text(&stage));
    // A value has its own mark; the record's decision is the record's.
    press(&mut stage, "Tab l j m- +");
    let beside = text(&stage).contains("│+-   command  ");
    assert!(beside, "the value shows its mark: {}", text(&stage));
    let marks: Vec<_> = stage.app.session.review.marks().iter().map(|(t, m)| (t.clone(), m.verdict)).collect();
    assert_eq!(marks.len(), 2, "{marks:?}");
    assert!(marks.iter().any(|(t, v)| t.path.is_some() && t.step == Some(1) && *v == Some(Verdict::Bad)));
    assert!(marks.iter().any(|(t, v)| t.step.is_none() && *v == Some(Verdict::Good)));
    assert!(text(&stage).lines().next().unwrap().contains("good"), "{}", text(&stage));
    press(&mut stage, "]?");
    assert_eq!(stage.app.session.trajectory, 1, "the next undecided record is opened");
}

#[test]
fn messages_of_a_run_are_decided_one_by_one() {
    let mut stage = sample("trip-run.jsonl");
    press(&mut stage, ". . - . . mm");
    assert_eq!((stage.app.session.review.verdict(2), stage.app.session.review.verdict(3)), (Some(Verdict::Bad), None));
    press(&mut stage, "[m");
    assert_eq!(stage.app.session.focus.step, 2);
    press(&mut stage, "[m ]m");
    assert_eq!(stage.app.session.focus.step, 4);
    assert!(!text(&stage).lines().next().unwrap().contains("decided"), "a run has no records to decide on");
}

#[test]
fn what_is_not_saved_is_reported_until_it_is() {
    let mut stage = sample("tickets-std.jsonl");
    press(&mut stage, "+");
    stage.send(Msg::Unsaved(1, Some("the marks cannot be written: no room".into())));
    assert!(text(&stage).contains("no room; the marks stay here"), "{}", text(&stage));
    press(&mut stage, "j");
    assert!(text(&stage).contains("⚑ 1 unsaved"), "{}", text(&stage));
    stage.send(Msg::Unsaved(0, None));
    assert!(text(&stage).contains("all marks are saved now") && !text(&stage).contains("unsaved"));
}

#[test]
fn keys_of_an_older_content_are_dropped() {
    let mut stage = sample("tickets-std.jsonl");
    press(&mut stage, "+");
    assert_eq!(stage.app.session.review.progress(6).decided, 1);
    let keys = vec![obelus::review::ContentKey::of(b"x"); 3];
    stage.send(Msg::Keys(99, 6, keys));
    assert_eq!(stage.app.session.review.units().len(), 6);
}

#[test]
fn hostile_notes_and_narrow_screens_do_no_harm() {
    let mut stage = sample("tickets-std.jsonl");
    press(&mut stage, "M");
    stage.send(Msg::Paste("a\u{1b}[31m\u{202e}b".into()));
    press(&mut stage, "Enter");
    assert!(!text(&stage).contains(['\u{1b}', '\u{202e}']), "{}", text(&stage));
    for (width, height) in [(40, 12), (80, 24), (160, 45), (1, 1), (20, 3)] {
        stage.send(Msg::Resize(width, height));
        press(&mut stage, "# x");
        let _frame = view::frame(&stage.app);
        press(&mut stage, "Esc");
    }
    let effects = stage.send(Msg::Notify(false, String::new()));
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Quit)));
}
