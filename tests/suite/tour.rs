//! The guided tour of the demo, and the command that leads back to a place: both of the beginning of the screen.

use super::stage::{has, notice, press, stage, step};
use obelus::app::initial_position::Start;
use obelus::app::tour::Tour;
use obelus::app::{Effect, Msg, Pane};
use obelus::shell::headless::Stage;
use obelus::source::Input;

/// The demo as `obelus demo` opens it.
fn demo(size: (u16, u16)) -> Stage {
    let text = std::fs::read_to_string(super::command::sample("trip-run.jsonl")).unwrap();
    let mut stage = stage(Input::memory("demo: a journey for two", text), size);
    stage.app.tour = Some(Tour::default());
    let path = Some("†state.budget".to_owned());
    stage.begin(Some(Start { path, instance: Some("②".to_owned()), ..Start::default() }));
    stage
}

#[test]
fn the_tour_leads_through_the_demo() {
    let mut stage = demo((120, 30));
    for (key, words, at) in [
        ("<", "1/5 She asks who set her budget to nothing. < goes to the step that wrote it", 41),
        ("4", "2/5 Step 41: quoteHotel wrote null. 4 lists every write", 41),
        ("[e", "3/5 Three times 1500, then null. Why? [e goes back", 39),
        (",", "4/5 The exchange rate had timed out. . and , step", 38),
        ("?", "5/5 That is all it takes. ? shows every key", 38),
    ] {
        assert!(has(&stage, words), "{words}: {}", super::stage::screen(&stage));
        assert!(has(&stage, "Esc ends the tour"));
        press(&mut stage, key);
        assert_eq!(step(&stage), at, "{key}");
    }
    press(&mut stage, "Esc");
    assert!(stage.app.tour.is_none() && !has(&stage, "/5 ") && has(&stage, "? help"));
}

#[test]
fn a_key_that_did_not_lead_there_does_not_go_on_with_the_tour() {
    let mut stage = demo((120, 30));
    press(&mut stage, "Enter");
    assert!(step(&stage) == 65 && has(&stage, "1/5 She asks"), "{}", super::stage::screen(&stage));
    stage.app.pane = Pane::State;
    press(&mut stage, "Enter");
    assert!(step(&stage) == 41 && has(&stage, "2/5 Step 41"), "{}", super::stage::screen(&stage));
}

#[test]
fn the_tour_is_left_with_one_key_and_hides_no_notice() {
    let mut stage = demo((120, 30));
    press(&mut stage, "z Q");
    assert!(has(&stage, "Q does nothing here") && has(&stage, "1/5 She asks"), "{}", super::stage::screen(&stage));
    press(&mut stage, "Esc");
    assert!(stage.app.tour.is_none() && stage.app.is_zoomed && notice(&stage).contains("tour ended"));
    for size in [(80, 24), (40, 12), (20, 5)] {
        let stage = demo(size);
        assert!(has(&stage, "Esc ends") || size.0 < 40, "{size:?}: {}", super::stage::screen(&stage));
    }
}

/// What a key copies.
fn copied(stage: &mut Stage, key: &str) -> String {
    match &stage.send(Msg::Key(key.parse().unwrap()))[..] {
        [Effect::Copy(text)] => text.clone(),
        other => panic!("{key}: {other:?}: {}", notice(stage)),
    }
}

#[test]
fn a_command_opens_the_same_place_again() {
    let mut demo = demo((120, 30));
    press(&mut demo, "<");
    assert_eq!(copied(&mut demo, "C-y"), "obelus demo --step 41 --path †state.budget --instance ②");
    let path = super::command::sample("trip-run.jsonl");
    let mut stage = stage(Input::open(path.as_ref()).unwrap(), (120, 30));
    assert_eq!(copied(&mut stage, "C-y"), format!("obelus {path} --step 0"));
    stage.begin(Some(Start { step: Some(41), path: Some("state#2.budget".to_owned()), ..Start::default() }));
    assert_eq!(step(&stage), 41);
    let command = copied(&mut stage, "C-y");
    assert_eq!(command, format!("obelus {path} --step 41 --path †state.budget --instance ②"));
    // The arguments are taken as they stand.
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    let (status, picture, said) = super::command::obelus(&[&["picture"], &words[..]].concat());
    assert_eq!(status, 0, "{said}");
    assert!(picture.contains(">41<"), "the step is on the screen");
    let mut pipe = super::stage::on("{\"type\":\"state\",\"state\":{\"a\":1}}\n", (120, 30));
    pipe.send(Msg::Key("C-y".parse().unwrap()));
    assert!(notice(&pipe).contains("no command opens it again"), "{}", notice(&pipe));
}

#[test]
fn a_trajectory_of_a_dataset_is_opened_by_its_number() {
    let path = super::command::sample("tickets-std.jsonl");
    let open = || stage(Input::open(path.as_ref()).unwrap(), (120, 30));
    let mut at = open();
    at.begin(Some(Start { record: Some(2), step: Some(3), ..Start::default() }));
    assert_eq!((at.app.pane, at.app.session.trajectory, step(&at)), (Pane::Steps, 2, 3));
    assert_eq!(copied(&mut at, "C-y"), format!("obelus {path} --record 2 --step 3"));
    press(&mut at, "q");
    assert_eq!(at.app.pane, Pane::Table, "closing it leads to the table, once");
    let mut first = open();
    first.begin(Some(Start { record: Some(2), ..Start::default() }));
    assert_eq!((first.app.session.trajectory, step(&first)), (2, 0), "as Enter in the table");
    let mut beyond = open();
    beyond.begin(Some(Start { record: Some(99), ..Start::default() }));
    assert_eq!(beyond.app.pane, Pane::Table);
    assert!(notice(&beyond).contains("there is no record 99"), "{}", notice(&beyond));
}
