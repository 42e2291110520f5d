//! What commands do for people on a terminal: colours by role, rows cut to its width, a pager, help in groups.

use super::command::{command_result, file, obelus, program, sample};
use super::terminal::Terminal;
use std::fs;
use std::path::Path;

const ESCAPE: char = '\u{1b}';

/// What a command prints on a terminal of 140 columns and 40 rows.
fn printed(words: &[&str], environment: &[(&str, &str)]) -> String {
    Terminal::run(words, environment).printed()
}

/// Lines without the sequences that colour them.
fn plain(text: &str) -> Vec<String> {
    let without = |line: &str| {
        let mut parts = line.split("\u{1b}[");
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |line, part| line + part.split_once('m').map_or("", |(_, rest)| rest))
    };
    text.lines().map(without).collect()
}

#[test]
fn colours_come_on_a_terminal_and_where_they_are_forced() {
    let run = sample("trip-run.jsonl");
    let words = ["blame", &run, "state#2.budget"];
    let piped = |more: &[&str], name: &str| {
        let mut command = program();
        command.args(words).args(more).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        command.env(if name.is_empty() { "OBELUS_TEST" } else { name }, "1");
        command_result(&command.output().unwrap()).1
    };
    assert!(!piped(&[], "").contains(ESCAPE) && piped(&[], "CLICOLOR_FORCE").contains(ESCAPE));
    assert!(piped(&["--color", "always"], "NO_COLOR").contains("\u{1b}[33m@41\u{1b}[0m"));
    assert!(!piped(&["--color", "never"], "CLICOLOR_FORCE").contains(ESCAPE));
    assert!(obelus(&["--color", "always", "--no-pager", "blame", &run]).1.contains(ESCAPE), "also before the command");
    assert_eq!(plain(&piped(&["--color", "always"], "")).join("\n") + "\n", piped(&[], ""));
    assert!(printed(&words, &[]).contains("\u{1b}[35mquoteHotel\u{1b}[0m"));
    assert!(!printed(&words, &[("NO_COLOR", "1")]).contains(ESCAPE));
    assert_eq!(obelus(&["blame", &run, "--color", "sometimes"]).0, 2);
}

#[test]
fn rows_are_cut_to_the_width_of_the_terminal_and_whole_in_a_pipe() {
    let run = sample("trip-run.jsonl");
    let shown = printed(&["blame", &run, "--no-pager"], &[]);
    let lines = plain(&shown);
    assert!(lines.len() > 40 && lines.iter().all(|line| line.chars().count() <= 140), "{shown}");
    assert!(lines.iter().any(|line| line.ends_with('…')), "{shown}");
    let (_, piped, _) = obelus(&["blame", &run]);
    assert!(piped.lines().any(|line| line.chars().count() > 200) && !piped.contains('…'));
}

#[test]
fn an_answer_longer_than_the_screen_goes_through_the_pager() {
    let folder = tempfile::tempdir().unwrap();
    let (run, paged) = (sample("trip-run.jsonl"), folder.path().join("paged"));
    let pager = format!("tee {}", paged.display());
    let asked = |words: &[&str]| {
        let _ = fs::remove_file(&paged);
        let shown = printed(words, &[("PAGER", pager.as_str())]);
        (plain(&shown), fs::read_to_string(&paged).ok())
    };
    let (shown, through) = asked(&["steps", &run]);
    assert_eq!(shown.len(), 66);
    assert_eq!(through.map(|text| plain(&text)), Some(shown));
    for words in [
        &["steps", &run, "--no-pager"][..],
        &["steps", &run, "--json"],
        &["history", &run, "state#2.budget"],
        &["tail", &run, "--once"],
    ] {
        let (shown, through) = asked(words);
        assert!(!shown.is_empty() && through.is_none(), "{words:?}");
    }
    assert_eq!(plain(&printed(&["steps", &run], &[("PAGER", "cat")])).len(), 66);
    // Who leaves the pager early has seen enough.
    let mut terminal = Terminal::run(&["steps", &run], &[("PAGER", "head -n 3")]);
    terminal.see("user");
    let (status, _) = terminal.end();
    assert_eq!(status, 0);
    // A pipe has none.
    let output = program().args(["steps", &run]).env("PAGER", &pager).output().unwrap();
    assert!(output.status.success() && !paged.exists());
}

#[test]
fn help_is_a_command_and_begins_with_examples_and_groups() {
    assert_eq!(obelus(&["help", "blame"]).1, obelus(&["blame", "--help"]).1);
    let (status, help, _) = obelus(&["help"]);
    assert_eq!((status, help.as_str()), (0, obelus(&["--help"]).1.as_str()));
    let at = |text: &str| help.find(text).unwrap_or_else(|| panic!("{text} is not in\n{help}"));
    let order =
        ["\nExamples:\n  obelus ", "\nLook:\n  state", "\nAsk:\n  blame", "\nCheck:\n  check", "\nReview:\n  mark"];
    assert!(order.map(at).is_sorted() && at("\nReview") < at("\nArguments:") && at("\nArguments:") < at("\nOptions:"));
    let examples = help.lines().filter(|line| line.starts_with("  obelus "));
    assert_eq!(examples.count(), 6);
}

/// The text of `check` and of errors names no rule by its number; the ids of rules are for programs.
#[test]
fn messages_have_no_rule_numbers() {
    let has_number = |line: &str| {
        let mut parts = line.split('(').skip(1).filter_map(|part| part.split_once(')'));
        let is_digits = |text: &str| !text.is_empty() && text.len() <= 2 && text.bytes().all(|b| b.is_ascii_digit());
        parts.any(|(inside, _)| inside.strip_prefix(['A', 'S', 'D', 'W', 'T', 'R']).is_some_and(is_digits))
    };
    assert!(has_number("no reference (A19); it") && !has_number("(Ada) (A190) (x)"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut open = vec![root.join("src"), root.join("core/src")];
    while let Some(path) = open.pop() {
        // What explains a rule names the page on which it stands.
        if path.ends_with("core/src/lint") {
            continue;
        }
        if path.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let text = fs::read_to_string(&path).unwrap_or_default();
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//") && line.contains('"'));
        let found: Vec<&str> = code.filter(|line| has_number(line)).collect();
        assert!(found.is_empty(), "{}: {found:?}", path.display());
    }
    let folder = tempfile::tempdir().unwrap();
    let run = file(folder.path(), "r.jsonl", "{\"type\":\"data\",\"kind\":5,\"data\":{\"a\":1}}\n");
    let (_, stdout, _) = obelus(&["check", &run, "--format", "acts"]);
    assert!(stdout.contains("not a non-empty string; it counts as absent"), "{stdout}");
}
