//! What the screen paints beside the text of inputs is explained by the group *Signs* of the help.

use obelus::app::signs::SIGNS;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// What is no sign: punctuation that everybody reads, borders, scroll bars, bars of timeline and plots.
const PLAIN: &str = "·×–—…›─━│┃┌┐└┘├┤┬┴┼╭╮╯╰▁▂▃▄▅▆▇█▏▕╸»«";

#[test]
fn every_sign_in_the_golden_frames_is_explained() {
    let known: BTreeSet<char> = SIGNS.iter().flat_map(|sign| sign.text.chars()).collect();
    let is_plain = |c: &char| c.is_ascii() || c.is_alphabetic() || PLAIN.contains(*c) || ('①'..='⑳').contains(c);
    let mut unknown = BTreeSet::new();
    let mut frames = 0;
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/frames")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let (screen, _) = text.split_once("\nstyles\n").unwrap();
        let signs = screen.chars().filter(|c| !is_plain(c) && !known.contains(c));
        unknown.extend(signs.map(|c| format!("{c} in {}", path.file_name().unwrap().display())));
        frames += 1;
    }
    assert!(frames > 20 && unknown.is_empty(), "no row of SIGNS has {unknown:?}");
}

/// What the screen has no key for is found by who looks for it among the commands.
#[test]
fn the_list_of_commands_names_those_of_the_shell() {
    let mut stage = super::stage::on("{\"a\":1}\n{\"a\":2}\n", (100, 20));
    super::stage::press(&mut stage, ": type:export");
    super::stage::shows(&stage, &["No command export.", "`obelus export FILE` in the shell"]);
    let (_, help, _) = super::command::obelus(&["--help"]);
    for command in obelus::app::menu::SHELL_COMMANDS {
        assert!(help.lines().any(|line| line.trim_start().starts_with(&format!("{command} "))), "{command}");
    }
}

/// What is on the screen comes before the keys, the rest behind them.
#[test]
fn the_help_explains_the_signs_on_the_screen_first() {
    let mut stage = super::stage::stage(super::stage::input("fix-session.jsonl"), (80, 30));
    super::stage::press(&mut stage, "?");
    super::stage::shows(&stage, &["In this pane", " Signs", "A call; its result", "✗", "Through the run"]);
    assert!(!super::stage::has(&stage, "In a to-do list"), "{}", super::stage::screen(&stage));
    super::stage::press(&mut stage, "End");
    super::stage::shows(&stage, &["Playing or running; paused."]);
}
