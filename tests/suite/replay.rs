//! A recording that plays: its keys and what the header says. That what is played is what was recorded, and at which
//! pace, is tested where it is played.

use super::command::program;
use obelus::app::key::KeyPress;
use obelus::app::{Effect, Msg};
use obelus::panes::replay::Replay;
use obelus::shell::headless::Stage;
use obelus::source::Input;
use obelus::ui::Theme;

fn trip() -> Stage {
    let text = include_str!("../../samples/trip-run.jsonl");
    Stage::open(Input::memory("trip", text), None, (120, 30), Theme::built_in("dark").unwrap()).unwrap()
}

fn press(stage: &mut Stage, key: &str) -> Vec<Effect> {
    stage.send(Msg::Key(key.parse::<KeyPress>().unwrap()))
}

fn header(stage: &Stage) -> String {
    let buffer = stage.buffer();
    (0..buffer.area.width).map(|x| buffer[(x, 0)].symbol()).collect()
}

#[test]
fn space_pauses_and_brackets_change_the_speed_while_a_recording_plays() {
    let mut stage = trip();
    stage.app.play(Replay { speed: 4.0, is_paused: false, total: 99 });
    assert!(header(&stage).contains("replay 4x · 66/99"), "{}", header(&stage));
    let effects = press(&mut stage, "Space");
    assert!(matches!(effects.as_slice(), [Effect::Play(Replay { is_paused: true, .. })]), "{effects:?}");
    press(&mut stage, ")");
    assert!(header(&stage).contains("replay 8x · paused"), "{}", header(&stage));
    press(&mut stage, "(");
    press(&mut stage, "(");
    let step = stage.app.session.focus.step;
    press(&mut stage, ".");
    assert_eq!(stage.app.session.focus.step, step + 1, "steps are looked at freely");
    let effects = press(&mut stage, "Space");
    let played = Replay { speed: 2.0, is_paused: false, total: 99 };
    assert!(matches!(effects.as_slice(), [Effect::Play(replay)] if *replay == played), "{effects:?}");
}

#[test]
fn without_a_recording_space_turns_the_page() {
    let mut stage = trip();
    assert!(press(&mut stage, "Space").is_empty());
    assert!(stage.app.session.focus.step > 10);
    assert!(press(&mut stage, ")").is_empty());
}

#[test]
fn what_cannot_be_played_is_reported() {
    for arguments in [["replay", "/none", "--gap=1"], ["replay", "x", "--speed=0"], ["replay", "x", "--gap=-1"]] {
        let output = program().args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(!output.stderr.is_empty());
    }
}
