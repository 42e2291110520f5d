//! Prompts bring back what was typed in them.

use super::stage::{input, press, screen, stage};
use obelus::app::{Layer, Pane};
use obelus::shell::headless::Stage;

/// What stands in the line that is being typed.
fn typed(stage: &Stage) -> &str {
    match &stage.app.layer {
        Some(Layer::Menu(menu)) => menu.prompt.text(),
        Some(Layer::Search(prompt) | Layer::Filter(prompt) | Layer::Condition(prompt) | Layer::Column(prompt)) => {
            prompt.text()
        }
        Some(Layer::Review(line)) => line.prompt.text(),
        Some(Layer::Export(line)) => line.prompt.text(),
        None => "(none)",
    }
}

#[track_caller]
fn goes(stage: &mut Stage, walk: &[(&str, &str)]) {
    for (words, expected) in walk {
        press(stage, words);
        assert_eq!(typed(stage), *expected, "{words}");
    }
}

#[test]
fn up_and_down_go_through_what_was_searched_for() {
    let mut stage = stage(input("trip-run.jsonl"), (80, 24));
    goes(&mut stage, &[("/", ""), ("Up", ""), ("Down", "")]);
    press(&mut stage, "type:hotel Enter / type:rate Enter / type:hotel Enter / type:left Esc");
    let walk =
        [("/ type:new", "new"), ("Up", "hotel"), ("C-p", "rate"), ("Up", "rate"), ("C-n", "hotel"), ("Down", "new")];
    goes(&mut stage, &walk);
    goes(&mut stage, &[("Up Up Enter", "(none)")]);
    assert_eq!(stage.app.search.pattern.as_ref().unwrap().typed(), "rate");
    goes(&mut stage, &[("/ Up", "rate"), ("Esc", "(none)")]);
}

#[test]
fn each_prompt_has_its_own_lines() {
    let mut stage = stage(input("tickets-std.jsonl"), (120, 30));
    press(&mut stage, "& type:steps>2 Enter");
    press(&mut stage, "& C-u type:nonsense:: Enter");
    assert_eq!(typed(&stage), "nonsense::", "a faulty line stays, and is kept");
    press(&mut stage, "Esc");
    goes(&mut stage, &[("&", "steps>2 "), ("Up", "nonsense::"), ("Down", "steps>2 "), ("Esc Esc", "(none)")]);
    goes(&mut stage, &[("&", ""), ("Up Up", "steps>2"), ("Esc", "(none)"), ("/ Up", ""), ("Esc", "(none)")]);
    press(&mut stage, "# type:later Enter");
    goes(&mut stage, &[("# Up", "later"), ("Esc", "(none)"), ("M Up", ""), ("Esc", "(none)")]);
    press(&mut stage, "Enter");
    assert_eq!(stage.app.pane, Pane::Steps);
    goes(&mut stage, &[("& Up", "")]);
}

#[test]
fn commands_come_back_above_their_list() {
    let mut stage = stage(input("trip-run.jsonl"), (80, 24));
    press(&mut stage, ": type:zoom Enter : type:12 Enter : type:xyzzy Enter Esc");
    assert_eq!(stage.app.session.focus.step, 12);
    goes(&mut stage, &[(": Up", "12"), ("Up", "zoom"), ("C-n", "12"), ("C-p", "zoom"), ("C-n C-n", "")]);
    goes(&mut stage, &[("Down Down", ""), ("Up", ""), ("Up", ""), ("Up", "12")]);
    assert!(screen(&stage).contains("Go to step 12"), "{}", screen(&stage));
    press(&mut stage, "Up Enter");
    assert!(!stage.app.is_zoomed);
    // In other lists the keys go from row to row.
    press(&mut stage, "? C-n C-n");
    let Some(Layer::Menu(menu)) = &stage.app.layer else { panic!("no help") };
    assert_eq!((menu.scroll.cursor, menu.prompt.text()), (4, ""), "the third row of two headings");
}

#[test]
fn an_empty_prompt_shows_what_may_be_typed() {
    let example = |stage: &Stage| screen(stage).lines().last().unwrap_or_default().trim_end().to_owned();
    let mut steps = stage(input("fix-session.jsonl"), (80, 24));
    press(&mut steps, "&");
    assert_eq!(example(&steps), " & failed>0 tool:bash role:user size>2k !kind:thought words");
    press(&mut steps, "type:t");
    assert_eq!(example(&steps), " & t");
    press(&mut steps, "Backspace type:failed>0 Enter");
    assert_eq!(steps.app.step_filter.shown().len(), 2, "the example is a filter");
    let mut table = stage(input("tickets-std.jsonl"), (40, 24));
    press(&mut table, "&");
    assert_eq!(example(&table), " & failed>0 steps>20 tool:bash reward<=…");
    press(&mut table, "type:steps>20 Space type:tool:bash Space type:reward<=0 Space type:!finish:finish Enter");
    assert!(table.app.layer.is_none(), "its terms are terms: {}", screen(&table));
}
