//! The program in a terminal: it shows what it should, hears keys and sizes, and gives the terminal back at every end.

use super::terminal::Terminal;
use obelus::app::keys::{Action, Context, KEYS};
use portable_pty::CommandBuilder;
use rustix::process::Signal;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use vt100::MouseProtocolMode;

fn sample(name: &str) -> PathBuf {
    super::command::sample(name).into()
}

#[test]
fn every_way_to_end_gives_the_terminal_back() {
    let ways: [(&str, u32); 7] =
        [("q", 0), ("C-c", 0), ("TERM", 143), ("INT", 130), ("HUP", 129), ("XCPU", 152), ("XFSZ", 153)];
    for (way, expected) in ways {
        let mut terminal = Terminal::open(&sample("trip-run.jsonl"));
        terminal.see("of 0–65");
        let screen = terminal.parser.screen();
        assert!(screen.alternate_screen() && screen.hide_cursor() && screen.bracketed_paste());
        assert_ne!(screen.mouse_protocol_mode(), MouseProtocolMode::None);
        match way {
            "TERM" => terminal.signal(Signal::TERM),
            "INT" => terminal.signal(Signal::INT),
            "HUP" => terminal.signal(Signal::HUP),
            "XCPU" => terminal.signal(Signal::XCPU),
            "XFSZ" => terminal.signal(Signal::XFSZ),
            key => terminal.press(key),
        }
        assert_eq!(terminal.end(), (expected, String::new()), "{way}");
    }
}

/// The default theme asks for the background alone: the question for the foreground is what hostile files send.
#[test]
fn the_terminal_is_asked_one_question_before_the_screen_opens() {
    let path = sample("trip-run.jsonl");
    let mut terminal = Terminal::run(&[path.to_str().unwrap()], &[("COLORFGBG", "")]);
    terminal.until_sent("\u{1b}]11;?", 0);
    terminal.answer("\u{1b}]11;rgb:ffff/ffff/ffff\u{1b}\\\u{1b}[?62;c");
    terminal.see("of 0–65");
    let sent = String::from_utf8_lossy(&terminal.sent).into_owned();
    let (before, _) = sent.split_once("\u{1b}[?1049h").unwrap();
    assert_eq!((before.matches("\u{1b}]11;?").count(), sent.matches("\u{1b}]").count()), (1, 1), "{before:?}");
    terminal.press("q");
    assert_eq!(terminal.end(), (0, String::new()));
}

#[test]
fn a_terminal_that_cannot_hold_the_screen_is_asked_nothing() {
    let path = sample("trip-run.jsonl");
    for term in ["", "dumb"] {
        let terminal = Terminal::run(&[path.to_str().unwrap()], &[("COLORFGBG", ""), ("TERM", term)]);
        let printed = terminal.printed();
        assert!(printed.contains("obelus steps FILE") && !printed.contains('\u{1b}'), "{printed:?}");
    }
}

#[test]
fn a_key_that_changes_nothing_sends_nothing() {
    let mut terminal = Terminal::open(&sample("trip-run.jsonl"));
    terminal.see("of 0–65");
    let settle = |terminal: &mut Terminal| {
        let mut before = 0;
        while terminal.sent.len() > before {
            before = terminal.sent.len();
            terminal.listen(Duration::from_millis(400));
        }
        before
    };
    settle(&mut terminal);
    // The first of these may place the cursor alone.
    for _ in 0..2 {
        terminal.press("G");
        settle(&mut terminal);
    }
    let before = terminal.sent.len();
    terminal.press("G");
    let after = settle(&mut terminal);
    assert_eq!(String::from_utf8_lossy(&terminal.sent[before..after]), "");
    terminal.press("q");
    assert_eq!(terminal.end(), (0, String::new()));
}

/// R12: nobody hears a SIGSTOP, and the shell sets its own modes until `fg`.
#[test]
fn a_program_that_was_stopped_takes_the_terminal_again() {
    let mut terminal = Terminal::open(&sample("trip-run.jsonl"));
    terminal.see("of 0–65");
    let raw = terminal.settings();
    terminal.signal(Signal::STOP);
    terminal.set_cooked();
    assert_ne!(terminal.settings(), raw);
    let drawn = terminal.sent.len();
    terminal.signal(Signal::CONT);
    terminal.until_sent("\u{1b}[?1049h", drawn);
    terminal.press(". .");
    terminal.see("step 2 of 0–65");
    assert_eq!(terminal.settings(), raw);
    terminal.press("q");
    assert_eq!(terminal.end(), (0, String::new()));
}

/// R11: the rest of a paste or of an escape sequence may never come.
#[test]
fn an_unfinished_sequence_holds_no_resize_up() {
    for begun in ["\x1b[200~half", "\x1b["] {
        let mut terminal = Terminal::open(&sample("trip-run.jsonl"));
        terminal.see("of 0–65");
        terminal.press(begun);
        terminal.resize(100, 30);
        let is_drawn = |screen: &vt100::Screen| {
            let line = screen.contents().lines().nth(1).unwrap_or_default().to_owned();
            line.chars().count() == 100 && line.ends_with('╮')
        };
        terminal.until("the border is at the new width", is_drawn);
        terminal.signal(Signal::TERM);
        assert_eq!(terminal.end().0, 143);
    }
}

#[test]
fn a_panic_gives_the_terminal_back_and_says_what_happened() {
    let path = sample("trip-run.jsonl");
    let arguments = [path.to_str().unwrap(), "--theme", "dark"];
    let (status, said) = Terminal::run(&arguments, &[("OBELUS_PANIC", "1")]).end();
    assert_eq!(status, 101);
    assert!(said.contains("obelus panicked at") && said.contains("nothing of your file is in them"), "{said}");
}

#[test]
fn keys_come_from_the_terminal_when_the_file_comes_from_a_pipe() {
    let mut command = CommandBuilder::new("sh");
    command.args(["-c", "cat \"$1\" | \"$0\" - --theme dark", env!("CARGO_BIN_EXE_obelus")]);
    command.arg(sample("trip-run.jsonl"));
    let mut terminal = Terminal::spawn(command, &[]);
    terminal.see("standard input");
    terminal.see("of 0–65");
    terminal.press(". . .");
    terminal.see("step 3 of 0–65");
    terminal.press("q");
    assert_eq!(terminal.end(), (0, String::new()));
}

#[test]
fn a_border_is_dragged_with_the_mouse_of_the_terminal() {
    let mut terminal = Terminal::open(&sample("trip-run.jsonl"));
    terminal.see("of 0–65");
    terminal.resize(120, 30);
    // Cells of the terminal count from 1: the border of the steps is taken at 36, dragged far to the right, let go.
    terminal.see("╮╭ State");
    let at = |screen: &vt100::Screen| {
        let line = screen.contents().lines().nth(1).unwrap_or_default().to_owned();
        line.find("╮╭ State").map(|byte| line[..byte].chars().count())
    };
    terminal.until("three panes", |screen| at(screen) == Some(35));
    terminal.press("\x1b[<0;36;9M \x1b[<32;40;9M \x1b[<32;51;3M \x1b[<0;51;3m");
    terminal.until("the border has moved", |screen| at(screen) == Some(50));
    terminal.press("\x1b[<32;20;3M S");
    terminal.until("a key moves it on", |screen| at(screen) == Some(46));
    terminal.press("q");
    assert_eq!(terminal.end(), (0, String::new()));
}

#[test]
fn any_size_is_drawn_and_left_again() {
    let mut terminal = Terminal::open(&sample("trip-run.jsonl"));
    terminal.see("Message");
    for (columns, rows) in [(1, 1), (2, 30), (140, 1), (9, 3), (40, 12), (250, 60)] {
        terminal.resize(columns, rows);
        // Only a program that knows the size draws the whole of it.
        terminal.press(". . , Tab 2 3 4 5 1 BackTab");
        if columns >= 40 && rows > 1 {
            terminal.see("trip-run.js");
        }
    }
    terminal.resize(140, 40);
    terminal.press("?");
    terminal.see("In this pane");
    terminal.press("Esc");
    terminal.miss("In this pane");
    terminal.see("╰");
    terminal.press("q");
    assert_eq!(terminal.end(), (0, String::new()));
}

#[test]
fn a_walk_through_a_run_shows_every_pane_and_tab() {
    let mut terminal = Terminal::open(&sample("trip-run.jsonl"));
    terminal.see("You arrange work trips.");
    terminal.see("No state yet.");
    terminal.press(". . . .");
    terminal.see("State @4");
    terminal.see("\"Yūki Tanaka\"");
    terminal.press("Tab j j j");
    terminal.see("†input.event.name  \"Rivers and Bridges\"");
    terminal.press("2");
    terminal.see("## ");
    terminal.press("3");
    terminal.see("\"properties\": {");
    terminal.press("4");
    terminal.see("†input.event.name   1 event");
    terminal.press("5");
    terminal.see("state @3 → @4");
    terminal.press("1");
    terminal.see("\"nativeName\": \"田中 優希\"");
    terminal.press("R");
    terminal.see("{\"type\":\"input\",\"_instance\":\"②\"");
    terminal.press("z");
    terminal.miss(" Steps ");
    // The last step is the last one that is read so far.
    terminal.see(" of 0–65");
    terminal.press("z $");
    terminal.see("step 65 of 0–65");
    terminal.press("R 0 ]t");
    terminal.see("step 11 of 0–65");
    terminal.press("BackTab BackTab / h o t e l Enter");
    terminal.see("step 15 of 0–65");
    terminal.press("? h i s t o r y");
    terminal.see("Show every write of the value in focus.");
    terminal.press("Enter");
    terminal.miss("type to filter");
    terminal.press(": 2 1 Enter");
    terminal.see("step 21 of 0–65");
    terminal.press("q");
    assert_eq!(terminal.end(), (0, String::new()));
}

#[test]
fn a_walk_through_a_dataset_opens_its_trajectories() {
    let mut terminal = Terminal::open(&sample("tickets-std.jsonl"));
    for text in ["ticket-0412", "ticket-0417", "Trajectories", "The build server reports"] {
        terminal.see(text);
    }
    terminal.press("j Enter");
    terminal.see("trajectory 1 of 0–5");
    terminal.see("The page with open invoices");
    terminal.press("}");
    terminal.see("trajectory 2 of 0–5");
    terminal.press("Tab Tab 2 3 4 5 1 q");
    terminal.see("ticket-0417");
    terminal.press("/ m a p Space s e r v e r Enter");
    terminal.see("▌3  ticket-0415");
    terminal.press("q");
    assert_eq!(terminal.end(), (0, String::new()));
}

#[test]
fn what_is_hidden_or_broken_in_a_file_is_shown_as_signs() {
    let mut terminal = Terminal::open(&sample("faults.jsonl"));
    terminal.see("3 errors");
    terminal.press("]e");
    terminal.see("This record is not JSON");
    terminal.press(". .");
    terminal.see("␛[31mALARM␛[0m n3: ␛]0;all is");
    terminal.see("well␇crack opens");
    terminal.press(".");
    terminal.see("n3⟨U+202E⟩");
    assert!(!String::from_utf8_lossy(&terminal.sent).contains("\u{1b}]"), "the file has acted on the terminal");
    terminal.press("q");
    assert_eq!(terminal.end(), (0, String::new()));
}

#[test]
#[cfg(target_os = "linux")]
fn links_and_images_go_to_the_program_of_the_system() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("run.jsonl"), super::openables::session()).unwrap();
    let script = format!(
        "#!/bin/sh\nif [ -f \"$1\" ]; then cp \"$1\" {0}/copy; fi\nprintf %s \"$1\" > {0}/new\nmv {0}/new {0}/opened\n",
        folder.path().display()
    );
    fs::write(at("xdg-open"), script).unwrap();
    fs::set_permissions(at("xdg-open"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let mut terminal = Terminal::run(&[at("run.jsonl").to_str().unwrap()], &[("PATH", &path)]);
    terminal.see("look.");
    terminal.press("U");
    terminal.see("link   https://docs.example");
    terminal.press("Enter");
    terminal.see("opened https://docs.example/a_(b)");
    assert_eq!(fs::read_to_string(at("opened")).unwrap(), "https://docs.example/a_(b)");
    terminal.press(". U");
    terminal.see("image  image/png");
    terminal.press("Down Enter");
    terminal.see(".png, which goes away with obelus");
    let image = PathBuf::from(fs::read_to_string(at("opened")).unwrap());
    assert_eq!((fs::read(at("copy")).unwrap().len(), image.is_file()), (70, true));
    terminal.press("q");
    terminal.end();
    assert!(!image.exists(), "{} is left behind", image.display());
}

#[test]
fn every_key_is_survived_in_every_pane_and_tab() {
    let left_out = [Action::CopyValue, Action::CopyPath, Action::Edit, Action::Suspend, Action::Close, Action::Quit];
    let keys: Vec<&str> = KEYS
        .iter()
        .filter(|row| !matches!(row.context, Context::Menu | Context::Prompt) && !left_out.contains(&row.action))
        .filter(|row| {
            let asks = [Action::Search, Action::Palette, Action::Help, Action::Readers, Action::Openables];
            row.action != Action::Cancel && !asks.contains(&row.action)
        })
        .flat_map(|row| row.keys)
        .copied()
        .collect();
    for name in ["trip-run.jsonl", "tickets-std.jsonl", "faults.jsonl"] {
        let mut terminal = Terminal::open(&sample(name));
        terminal.see("obelus");
        for at in 0..6 {
            terminal.press(&keys.join(" "));
            let tab = ["1", "2", "3", "4", "5", "R"][at];
            terminal.press(&format!("Tab {tab} {}", keys.join(" ")));
            terminal.press(&format!("Tab {tab} {}", keys.join(" ")));
            // The help comes after all that was pressed before it.
            terminal.press("? t y p e d");
            terminal.see("typed");
            terminal.press("Esc");
            terminal.miss("typed");
        }
        terminal.press("C-c");
        assert_eq!(terminal.end(), (0, String::new()), "{name}");
    }
}

/// Opens what cannot be shown: the exit status is 2, and one sentence names it.
fn refused(path: &Path, words: &str) {
    let (status, said) = Terminal::open(path).end();
    let said: String = said.split('\n').collect();
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("obelus:") && said.contains(words), "{words}: {said}");
}

#[test]
fn what_cannot_be_opened_is_reported_in_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    refused(&folder.path().join("no such file.jsonl"), "no such file.jsonl");
    let secret = file("secret.jsonl", b"{}\n");
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o0)).unwrap();
    if fs::File::open(&secret).is_err() {
        refused(&secret, "ermission");
    }
    refused(&file("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\xff\xfe"), "picture.png");
    refused(&file("evil\u{1b}]0;pwned\u{7}.png", b"\x7fELF\x02\x01\x01\0\0\0\0"), "␛]0;pwned␇");
}

#[test]
fn a_folder_is_a_list_from_which_files_open_and_in_which_new_ones_appear() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(sample("trip-run.jsonl"), folder.path().join("trip.jsonl")).unwrap();
    let mut terminal = Terminal::open(folder.path());
    terminal.see("66 steps");
    terminal.press("Enter");
    terminal.see("State @");
    terminal.press("q");
    terminal.see("Files");
    fs::write(folder.path().join("later.jsonl"), "{\"type\":\"text\",\"role\":\"user\",\"text\":\"hello\"}\n").unwrap();
    terminal.see("later.jsonl");
    terminal.until("the cursor stays on its file", |screen| {
        screen.contents().lines().any(|line| line.contains('▌') && line.contains("trip.jsonl"))
    });
    terminal.press("k Enter");
    terminal.see("hello");
    terminal.press("q q");
    assert_eq!(terminal.end(), (0, String::new()));
}

#[test]
fn a_recording_plays_pauses_and_ends() {
    let path = sample("trip-run.jsonl");
    let mut terminal = Terminal::run(&["replay", path.to_str().unwrap(), "--speed", "1024", "--gap", "0.001"], &[]);
    terminal.see("ended");
    terminal.see("step 65 of 0–65");
    terminal.press("Space");
    terminal.press("q");
    assert_eq!(terminal.end(), (0, String::new()));
}

#[test]
fn an_empty_file_is_an_empty_screen_that_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.jsonl");
    fs::write(&path, "").unwrap();
    let mut terminal = Terminal::open(&path);
    terminal.see("empty");
    terminal.press("q");
    assert_eq!(terminal.end(), (0, String::new()));
}

#[test]
fn a_mark_that_is_shown_as_saved_outlives_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("deep/marks.jsonl");
    let (file, marks) = (sample("tickets-std.jsonl"), journal.to_str().unwrap().to_owned());
    let open = || Terminal::run(&[file.to_str().unwrap(), "--marks", &marks], &[("OBELUS_AUTHOR", "ann")]);
    let mut terminal = open();
    terminal.see("ticket-0413");
    terminal.press("j -");
    terminal.until("the mark is saved", |screen| {
        screen.contents().contains("1/6 decided") && !screen.contents().contains("unsaved")
    });
    terminal.signal(Signal::KILL);
    terminal.child.wait().unwrap();
    let lines = fs::read_to_string(&journal).unwrap();
    assert!(
        lines.lines().count() == 1 && lines.contains(r#""do":"bad""#) && lines.contains(r#""author":"ann""#),
        "{lines}"
    );
    let mut terminal = open();
    terminal.see("1/6 decided, 1 dropped");
    // What another program appends is seen with the next decision.
    let again = ["mark", file.to_str().unwrap(), "--marks", &marks, "--record", "4", "--as", "bad"];
    let done = std::process::Command::new(env!("CARGO_BIN_EXE_obelus")).args(again).output().unwrap();
    assert!(done.status.success());
    terminal.press("+");
    terminal.see("3/6 decided, 2 dropped");
    terminal.press("q");
    assert_eq!(terminal.end(), (0, String::new()));
}

#[test]
fn columns_are_computed_by_expressions_in_a_process_of_their_own() {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir_all(home.path().join("obelus")).unwrap();
    fs::write(home.path().join("obelus/config.toml"), "[columns]\nlang = \".content[1].language\"\n").unwrap();
    let file = sample("tickets-std.jsonl");
    let mut terminal = Terminal::run(&[file.to_str().unwrap()], &[("XDG_CONFIG_HOME", home.path().to_str().unwrap())]);
    terminal.see("ticket-0412");
    terminal.press("c");
    terminal.see(".content[1].language");
    terminal.press("lang\r\x1b");
    terminal.miss("Enter shows one");
    terminal.press("LLLLLL");
    terminal.see("bash");
    terminal.press("cturns = .content|length\r");
    terminal.see("▸turns");
    terminal.press("s");
    terminal.until("the shortest record comes first", |screen| {
        screen.contents().lines().nth(3).is_some_and(|line| line.contains("ticket-0415"))
    });
    terminal.press("cbad = .content[\r");
    terminal.see("closing bracket is expected");
    // The line is open again, with what was typed.
    terminal.press("\x1b");
    terminal.miss("closing bracket is expected");
    terminal.press("q");
    assert_eq!(terminal.end(), (0, String::new()));
}

/// Another program wrote on the screen, or a width that the terminal sees otherwise left something there.
#[test]
fn the_whole_screen_is_drawn_again_on_request() {
    let mut terminal = Terminal::open(&sample("trip-run.jsonl"));
    terminal.see("of 0–65");
    terminal.listen(Duration::from_millis(400));
    let before = terminal.sent.len();
    terminal.press("C-l");
    terminal.until_sent("\u{1b}[2J", before);
    terminal.until_sent("trip-run.jsonl", before);
    terminal.press("q");
    assert_eq!(terminal.end(), (0, String::new()));
}
