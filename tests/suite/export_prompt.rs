//! Exporting from the table of the screen: the command that is offered and run, and files that are there already.

use super::stage::{notice, press, shows};
use super::terminal::Terminal;
use obelus::app::{Effect, Job, Msg};
use obelus::shell::headless::Stage;
use obelus::source::Input;
use obelus::ui::Theme;
use portable_pty::CommandBuilder;
use std::fs;
use std::path::Path;

fn tickets() -> Stage {
    let path = super::command::sample("tickets-std.jsonl");
    Stage::open(Input::open(Path::new(&path)).unwrap(), None, (120, 30), Theme::built_in("dark").unwrap()).unwrap()
}

#[test]
fn the_line_offers_the_command_for_what_is_shown_and_was_not_dropped() {
    let mut stage = tickets();
    press(&mut stage, "e");
    shows(&stage, &["$ obelus export ", "export 6 records to tickets-std-kept.jsonl"]);
    press(&mut stage, "Esc - & type:steps>3 Enter e");
    shows(&stage, &["export 5 records to tickets-std-kept.jsonl"]);
    // Where the command is wrapped depends on the length of the path.
    let words = super::stage::screen(&stage).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("--where 'steps>3' --not-mark bad --out tickets-std-kept.jsonl"), "{words}");
    press(&mut stage, "C-u type:a.jsonl");
    shows(&stage, &["export 5 records to a.jsonl"]);
    let effects = stage.send(Msg::Key("Enter".parse().unwrap()));
    let Some(Effect::Job(Job::Export(request))) = effects.last() else { panic!("no export in {effects:?}") };
    assert_eq!((request.out.as_str(), request.is_forced), ("a.jsonl", false));
    assert_eq!(request.arguments[1..], ["--where", "steps>3", "--not-mark", "bad"]);
}

#[test]
fn where_some_records_are_marked_good_the_line_counts_the_others_that_it_takes() {
    let mut stage = tickets();
    press(&mut stage, "- j e");
    assert!(!super::stage::has(&stage, "not marked good"), "dropping is a choice too");
    press(&mut stage, "Esc + e");
    shows(&stage, &["export 5 records to", "4 of them not marked good: & mark:good leaves these out · Tab replaces"]);
    press(&mut stage, "Esc & type:mark:good Enter e");
    shows(&stage, &["export 1 record to"]);
    assert!(!super::stage::has(&stage, "not marked good"), "{}", super::stage::screen(&stage));
}

#[test]
fn secrets_are_replaced_in_what_is_exported_if_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("d.jsonl");
    let line = |text: &str| {
        let asked = format!(r#"{{"role":"user","content":"{text}"}}"#);
        format!(r#"{{"messages":[{asked},{{"role":"assistant","content":"ok"}}]}}"#)
    };
    fs::write(&path, [line("hello there"), line("the key is AKIAQWERTYUIOPASDFGH")].join("\n")).unwrap();
    let theme = Theme::built_in("dark").unwrap();
    let mut stage = Stage::open(Input::open(&path).unwrap(), None, (120, 30), theme).unwrap();
    press(&mut stage, "e");
    shows(&stage, &["export 2 records to d-kept.jsonl", "Tab replaces secrets and personal data"]);
    press(&mut stage, "Esc ! e");
    shows(&stage, &["1 record holds what looks like a secret: Tab replaces such texts"]);
    stage.send(Msg::Resize(40, 12));
    shows(&stage, &["1 record holds what looks like a", "secret: Tab replaces such texts"]);
    stage.send(Msg::Resize(120, 30));
    press(&mut stage, "Tab");
    shows(&stage, &["export 2 records redacted to d-kept.jsonl", "become [REDACTED:KIND]; Tab leaves them"]);
    press(&mut stage, "Tab Tab");
    let effects = stage.send(Msg::Key("Enter".parse().unwrap()));
    let Some(Effect::Job(Job::Export(request))) = effects.last() else { panic!("no export in {effects:?}") };
    assert_eq!(request.arguments[1..], ["--redact"]);
}

#[test]
fn what_cannot_be_exported_is_reported_and_no_line_opens() {
    let mut stage = tickets();
    press(&mut stage, "v j e");
    assert!(stage.app.layer.is_none() && notice(&stage).contains("selection"), "{}", notice(&stage));
    press(&mut stage, "Esc * - y e");
    assert!(stage.app.layer.is_none() && notice(&stage).contains("dropped"), "{}", notice(&stage));
    let mut piped = super::stage::stage(super::stage::input("tickets-std.jsonl"), (80, 24));
    press(&mut piped, "e");
    assert!(notice(&piped).contains("not a file"), "{}", notice(&piped));
}

#[test]
fn a_file_is_written_and_never_over_another_without_a_yes() {
    let folder = tempfile::tempdir().unwrap();
    let sample = super::command::sample("tickets-std.jsonl");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_obelus"));
    command.args([sample.as_str(), "--theme", "dark"]);
    command.cwd(folder.path());
    let mut terminal = Terminal::spawn(command, &[]);
    let out = folder.path().join("tickets-std-kept.jsonl");
    terminal.see("ticket-0417");
    terminal.press("-");
    terminal.see("u undoes it");
    terminal.until("the decision is saved", |screen| {
        let text = screen.contents();
        text.contains("1 dropped") && !text.contains("unsaved")
    });
    terminal.press("e");
    terminal.see("export 5 records to");
    terminal.press("Enter");
    terminal.see("5 of 6 records written");
    let written = fs::read_to_string(&out).unwrap();
    assert_eq!(written.lines().count(), 5);
    fs::write(&out, "mine").unwrap();
    for (key, expected) in [("Enter", "mine"), ("n", "mine"), ("y", written.as_str())] {
        terminal.press("e");
        terminal.see("export 5 records to");
        terminal.press("Enter");
        terminal.see("overwrite it?");
        terminal.press(key);
        terminal.see(if key == "y" { "5 of 6 records written" } else { "nothing was changed" });
        assert_eq!(fs::read_to_string(&out).unwrap(), expected, "{key}");
    }
    terminal.press("q");
    assert_eq!(terminal.end(), (0, String::new()));
}

#[test]
fn what_a_command_has_no_answer_for_leads_to_what_has() {
    let log = super::command::sample("fix-session.jsonl");
    let (status, _, stderr) = super::command::obelus(&["loss", &log]);
    assert!(status == 2 && stderr.contains("--to messages"), "{stderr}");
    let (status, stdout, stderr) = super::command::obelus(&["files", &log, "--step", "0"]);
    assert_eq!((status, stdout.as_str()), (0, ""));
    assert!(stderr.contains("reads and writes no file"), "{stderr}");
    let tickets = super::command::sample("tickets-std.jsonl");
    let (status, _, stderr) = super::command::obelus(&["export", &tickets, "--out", "/no such folder/a.jsonl"]);
    assert!(status == 2 && stderr.contains("make its folder first") && !stderr.contains(".part"), "{stderr}");
}
