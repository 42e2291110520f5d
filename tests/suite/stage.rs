//! The program played on the stage: opened on a text, keys pressed, what it shows.

use obelus::model::StepNo;
use obelus::shell::headless::Stage;
use obelus::source::Input;
use obelus::ui::Theme;
use std::fs;
use std::sync::Arc;

/// The program on an input, of a size in cells.
pub(crate) fn stage(input: Arc<Input>, size: (u16, u16)) -> Stage {
    Stage::open(input, None, size, Theme::built_in("dark").unwrap()).unwrap()
}

/// A sample as an input without a path.
pub(crate) fn input(sample: &str) -> Arc<Input> {
    Input::memory(sample, fs::read(super::command::sample(sample)).unwrap())
}

/// Presses keys by name, blanks between two; `type:text` types.
pub(crate) fn press(stage: &mut Stage, words: &str) {
    words.split_whitespace().for_each(|word| stage.press(word).unwrap());
}

/// The step in focus.
pub(crate) fn step(stage: &Stage) -> StepNo {
    stage.app.session.focus.step
}

/// What the program says at the bottom.
pub(crate) fn notice(stage: &Stage) -> &str {
    stage.app.notice.as_ref().map_or("", |n| n.text.as_str())
}

/// The screen, a text a row.
pub(crate) fn lines(stage: &Stage) -> Vec<String> {
    let buffer = stage.buffer();
    let row = |y: u16| (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect();
    (0..buffer.area.height).map(row).collect()
}

/// Whether a row of the screen has a text.
pub(crate) fn has(stage: &Stage, text: &str) -> bool {
    lines(stage).iter().any(|line| line.contains(text))
}

/// The program on records of this text.
pub(crate) fn on(text: &str, size: (u16, u16)) -> Stage {
    stage(Input::memory("records.jsonl", text), size)
}

/// The screen as one text, for messages of tests and for what stands anywhere on it.
pub(crate) fn screen(stage: &Stage) -> String {
    lines(stage).iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
}

/// Fails if one of these texts does not stand on the screen.
#[track_caller]
pub(crate) fn shows(stage: &Stage, wanted: &[&str]) {
    let screen = screen(stage);
    for text in wanted {
        assert!(screen.contains(text), "no {text:?} on\n{screen}");
    }
}
