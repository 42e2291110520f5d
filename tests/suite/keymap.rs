//! Keys that the user has set, on the screen: they work, and the footer, the help and the list of commands show them.

use super::stage::{input, notice, press, screen, stage, step};
use obelus::app::keys::{Action, Binding, Context, KEYS, Keymap, normalized};
use obelus::ingest;
use obelus::shell::headless::{Stage, complete_session};

fn binding(context: Option<Context>, action: Action, keys: &[&str]) -> Binding {
    Binding { context, action, keys: keys.iter().map(|key| normalized(key).unwrap()).collect() }
}

fn trip() -> Stage {
    let mut stage = stage(input("trip-run.jsonl"), (120, 30));
    stage.app.keymap = Keymap::with(&[
        binding(None, Action::StepNext, &["A-n", "C-x n"]),
        binding(Some(Context::Global), Action::Top, &["home"]),
        binding(None, Action::Help, &["F2"]),
        binding(None, Action::Theme, &[]),
    ])
    .unwrap();
    stage
}

#[test]
fn set_keys_work_and_those_in_whose_place_they_stand_do_not() {
    let mut stage = trip();
    let at = step(&stage);
    press(&mut stage, "M-n");
    assert_eq!(step(&stage), at + 1);
    press(&mut stage, "C-x");
    assert_eq!(step(&stage), at + 1, "the first key of two waits for the second");
    assert!(screen(&stage).lines().last().unwrap().contains("C-xn step"), "{}", screen(&stage));
    press(&mut stage, "n");
    assert_eq!(step(&stage), at + 2);
    press(&mut stage, ".");
    assert_eq!((step(&stage), notice(&stage)), (at + 2, ". does nothing here; F2 lists the keys"));
}

#[test]
fn set_keys_are_shown() {
    let mut stage = trip();
    let footer = screen(&stage).lines().last().unwrap().to_owned();
    assert!(footer.contains(" M-n step") && footer.contains(" F2 help") && !footer.contains(" . step"), "{footer}");
    press(&mut stage, "F2 type:forward");
    assert!(screen(&stage).contains("M-n C-xn"), "{}", screen(&stage));
    press(&mut stage, "Esc : type:theme Enter");
    assert!(stage.app.layer.is_none(), "a command without a key runs from the list");
}

#[test]
fn the_page_on_the_command_shows_a_row_of_the_table() {
    let page = std::fs::read_to_string(format!("{}/docs/cli.md", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let row = KEYS.iter().find(|row| row.action == Action::StepNext).unwrap();
    assert!(page.contains(&format!("\"label\":\"{}\",\"help\":\"{}\"", row.label, row.help)), "{}", row.help);
}

#[test]
fn set_keys_stay_with_the_file_that_is_opened_next() {
    let mut stage = trip();
    let loaded = ingest::load(input("support-run.jsonl"), None).unwrap();
    stage.app.enter_file("support-run.jsonl".into(), complete_session(loaded, 0).unwrap());
    let footer = screen(&stage).lines().last().unwrap().to_owned();
    assert!(footer.contains(" F2 help"), "{footer}");
}

#[test]
fn the_sentences_of_the_help_name_the_keys_in_force() {
    let bindings = [
        binding(Some(Context::Global), Action::Close, &["Q"]),
        binding(None, Action::Cancel, &["F9"]),
        binding(None, Action::MenuRun, &["F10"]),
        binding(None, Action::TypedBefore, &["F11"]),
    ];
    let keymap = Keymap::with(&bindings).unwrap();
    let help = |context: Context, action: Action| {
        keymap.all().iter().find(|row| (row.context, row.action) == (context, action)).unwrap().help
    };
    for (context, action, wanted) in [
        (Context::Trajectory, Action::Part, "; Q comes back."),
        (Context::TwoRuns, Action::Follow, "; q comes back."),
        (Context::Files, Action::Filter, "(/ does the same); F9 clears it."),
        (Context::Trajectory, Action::Readers, "; F10 goes to one."),
        (Context::Global, Action::Search, " F11 brings back what was typed before."),
    ] {
        assert!(help(context, action).ends_with(wanted), "{}", help(context, action));
    }
    for row in keymap.all().iter().chain(Keymap::default().all()) {
        assert!(!row.help.contains(['{', '}']) && !row.help.contains("; :"), "{}", row.help);
    }
}

#[test]
fn a_key_that_works_elsewhere_says_where_near_places_first() {
    let mut stage = stage(input("fix-session.jsonl"), (120, 30));
    press(&mut stage, "d");
    assert_eq!(notice(&stage), "d works in the File tab; 9 goes there");
    press(&mut stage, ")");
    assert_eq!(notice(&stage), ") works in a recording that plays; ? lists the keys here");
    press(&mut stage, "{");
    assert_eq!(notice(&stage), "this input is one trajectory");
    press(&mut stage, ",");
    assert_eq!(notice(&stage), "no earlier step");
    press(&mut stage, "$ .");
    assert_eq!(notice(&stage), "no later step");
}

#[test]
fn what_the_mouse_does_names_the_keys_that_are_set() {
    for (keys, wanted) in [(&["C-o"][..], "as C-o does"), (&[], "as :follow does")] {
        let mut stage = stage(input("trip-run.jsonl"), (120, 30));
        let bindings = [binding(None, Action::Follow, keys), binding(None, Action::Back, &["Backspace"])];
        stage.app.keymap = Keymap::with(&bindings).unwrap();
        press(&mut stage, "? type:click");
        assert!(screen(&stage).contains(wanted), "{wanted}:\n{}", screen(&stage));
    }
}
