//! The File tab and the looks of kinds in State: what a coding agent knew of files, on the screen.

use super::stage::{input, lines, notice, on, press, screen, stage, step};
use obelus::app::Pane;
use obelus::app::pane::Tab;
use obelus::shell::headless::Stage;
use serde_json::{Value, json};

const WIDE: (u16, u16) = (240, 45);

fn coding(keys: &str) -> Stage {
    let mut stage = on(include_str!("../data/coding-run.jsonl"), WIDE);
    press(&mut stage, keys);
    stage
}

/// The row of the screen that has all of these parts in order.
fn row(stage: &Stage, parts: &[&str]) -> String {
    let has = |line: &&String| {
        let mut rest = line.as_str();
        parts.iter().all(|part| match rest.split_once(part) {
            Some((_, behind)) => {
                rest = behind;
                true
            }
            None => false,
        })
    };
    lines(stage).iter().find(has).unwrap_or_else(|| panic!("{parts:?} in\n{}", screen(stage))).clone()
}

#[test]
fn a_step_leads_to_its_file_and_each_line_to_its_author() {
    let stage = coding(": type:12 Enter 9");
    row(&stage, &["tally/money.py @12", "20 of ? lines known"]);
    row(&stage, &["@5 ", " 15 │", "amount = amount * rate_of"]);
    row(&stage, &["@12", "+", " 16 │", "# Cents are rounded once"]);
    row(&stage, &["@12", "~", " 17 │", "self.entries.append(round(amount, 2))"]);
    row(&stage, &["⋯ │ from line 21 on nothing was shown to the agent"]);
    // The cursor is on what the step wrote; its sentence tells who, and whether it was tried.
    row(&stage, &["line 16 · edited @12 by Edit called @11 · the run's test ran @14"]);
    let stage = coding(": type:12 Enter 9 j");
    row(&stage, &["line 17", "before: self.entries.append(amount) seen @5"]);
}

#[test]
fn before_any_file_the_next_one_is_named() {
    let stage = coding(": type:0 Enter 9");
    let text = screen(&stage).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("No file yet.") && text.contains("Enter goes there."), "{}", screen(&stage));
    for key in ["Enter", ">"] {
        let mut stage = coding(": type:0 Enter 9");
        press(&mut stage, key);
        assert!(step(&stage) > 0 && !screen(&stage).contains("No file yet."), "{key}: {}", screen(&stage));
    }
}

#[test]
fn a_line_that_had_changed_underneath_is_marked_until_that_was_seen() {
    let stage = coding(": type:14 Enter 9");
    row(&stage, &["@5 ", "!", " 3 │", "from tally.rates import rate_of", "stale by @14, shown @16"]);
    let before = coding(": type:13 Enter 9");
    assert!(!screen(&before).contains("stale"), "{}", screen(&before));
    let after = coding(": type:16 Enter 9");
    row(&after, &["@16", " 3 │", "from .rates import rate_of"]);
    assert!(!screen(&after).contains("stale"), "{}", screen(&after));
}

#[test]
fn keys_go_through_the_writes_of_the_file_alone() {
    let mut stage = coding(": type:12 Enter 9 >");
    assert_eq!(step(&stage), 16, "what was known was corrected");
    press(&mut stage, ">");
    assert_eq!(step(&stage), 22, "not the write of another file");
    press(&mut stage, ">");
    assert_eq!((step(&stage), notice(&stage)), (22, "no later write of this file"));
    press(&mut stage, "d");
    row(&stage, &["tally/money.py @22 · what changed @22"]);
    row(&stage, &["−", " 20 │", "return sum(self.entries)"]);
    row(&stage, &["~", " 20 │", "return round(sum(self.entries), 2)"]);
    press(&mut stage, "< <");
    assert_eq!(step(&stage), 12);
    row(&stage, &["what changed @12"]);
    press(&mut stage, "Esc");
    row(&stage, &["20 of ? lines known"]);
    press(&mut stage, "Esc");
    row(&stage, &["tally/money.py", "+2 −1", "edited  @12"]);
    press(&mut stage, "$ j Enter");
    row(&stage, &["tests/test_money.py @27 · all 8 lines known"]);
    press(&mut stage, "Enter");
    assert_eq!((step(&stage), stage.app.inspector.tab), (18, Tab::File), "the step that wrote it");
    press(&mut stage, "Enter");
    assert_eq!(stage.app.inspector.tab, Tab::Message);
}

#[test]
fn nine_is_the_merge_tab_where_slots_merge() {
    let mut stage = stage(input("pole-survey.jsonl"), WIDE);
    press(&mut stage, "9");
    assert_eq!(stage.app.inspector.tab, Tab::Merge);
    assert!(screen(&stage).contains("9 Merge") && !screen(&stage).contains("9 File"));
    assert!(screen(&coding("9")).contains("9 File"));
    assert!(!screen(&coding("9")).contains("9 Merge"));
}

#[test]
fn kinds_of_a_run_stand_in_a_line_each() {
    let stage = coding("$");
    row(&stage, &["¶file", "2 files · 2 changed"]);
    row(&stage, &["tally/money.py", "+3 −2", "edited", "✗1", "@22"]);
    row(&stage, &["tests/test_money.py", "8 new", "written", "@18"]);
    row(&stage, &["¶shell", "/home/mira/tally", "$ python3 -m pytest -q", "@26"]);
    row(&stage, &["¶todo", "■ Reproduce", "■ Round", "■ Write a test", "3 of 3"]);
    row(&stage, &["¶usage", " in · ", " out · ", " cached · "]);
    assert!(!screen(&stage).contains("sha256"), "{}", screen(&stage));
    let failing = coding(": type:8 Enter");
    row(&failing, &["¶shell", "✗1", "@7"]);
    row(&failing, &["¶todo", "▣ Reproduce", "□ Round"]);
}

#[test]
fn enter_on_a_file_in_state_shows_it_and_its_values_can_be_unfolded() {
    let mut stage = coding("$ Tab j");
    assert_eq!(stage.app.pane, Pane::State);
    press(&mut stage, "Enter");
    assert_eq!((stage.app.pane, stage.app.inspector.tab), (Pane::Inspector, Tab::File));
    row(&stage, &["tally/money.py @27 · all 26 lines known"]);
    press(&mut stage, "Backspace");
    assert_eq!(stage.app.pane, Pane::State);
    press(&mut stage, "l j");
    row(&stage, &["known", "\"all\"", "@16"]);
    let path = stage.app.session.focus.path.as_ref().map(|(identity, path)| (identity.kind.clone(), path.len()));
    assert_eq!(path, Some(("file".to_owned(), 1)));
    press(&mut stage, "4");
    assert!(screen(&stage).contains("events"), "{}", screen(&stage));
}

/// A session of a coding agent that writes and edits a file of this name and these texts.
fn session(path: &str, text: &str, old: &str, new: &str) -> String {
    let record = |number: usize, kind: &str, content: Value| {
        let message = json!({"role": kind, "content": content});
        let (uuid, parent) = (format!("u{number}"), (number > 0).then(|| format!("u{}", number - 1)));
        let record = json!({"type": kind, "uuid": uuid, "parentUuid": parent, "isSidechain": false, "userType": "external",
            "timestamp": "2026-05-01T10:00:00Z", "sessionId": "s", "cwd": "/w", "version": "2.0.0", "message": message});
        record.to_string()
    };
    let call =
        |id: &str, name: &str, input: Value| json!([{"type": "tool_use", "id": id, "name": name, "input": input}]);
    let result = |id: &str| json!([{"type": "tool_result", "tool_use_id": id, "content": "done"}]);
    let edit = json!({"file_path": path, "old_string": old, "new_string": new});
    let lines = [
        record(0, "user", json!("go")),
        record(1, "assistant", call("a", "Write", json!({"file_path": path, "content": text}))),
        record(2, "user", result("a")),
        record(3, "assistant", call("b", "Edit", edit)),
        record(4, "user", result("b")),
    ];
    lines.join("\n") + "\n"
}

#[test]
fn texts_of_a_file_reach_no_terminal_as_they_stand() {
    let evil = "\u{1b}]0;title\u{7}\u{1b}[2J\u{202e}\u{9b}31m";
    let path = format!("/w/{evil}.py");
    let text = format!("one {evil}\n\ttabbed\n{evil}\n");
    for size in [WIDE, (80, 24), (40, 12)] {
        let mut stage = on(&session(&path, &text, "\ttabbed", &format!("\t{evil} two")), size);
        for keys in ["$ 9", "d", "Esc", "Esc", "Tab Tab", "E", "Enter"] {
            press(&mut stage, keys);
            let shown = screen(&stage);
            let hidden = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
            assert!(!shown.contains(hidden), "{keys} {shown:?}");
        }
    }
}

#[test]
fn a_long_file_is_laid_out_for_the_window() {
    let text: String = (0..100_000).map(|number| format!("line {number} {}\n", "x".repeat(number % 7))).collect();
    let long = "y".repeat(300_000);
    let mut stage = on(&session("/w/long.txt", &text, "line 5 xxxxx\n", &format!("{long}\n")), WIDE);
    press(&mut stage, "$ 9");
    row(&stage, &["long.txt @4 · all 100,000 lines known"]);
    row(&stage, &["@4 +", " 6 │", "yyyyyyyy"]);
    press(&mut stage, "G");
    row(&stage, &["100000 │", "line 99999"]);
    press(&mut stage, "d");
    row(&stage, &["−", " 6 │", "line 5 xxxxx"]);
    press(&mut stage, "d < / type:99998 Enter");
    assert_eq!(step(&stage), 2);
    row(&stage, &["99999 │", "line 99998"]);
}

#[test]
fn a_count_of_a_file_is_copied_from_no_result() {
    let call = |id: usize, name: &str, arguments: &str| {
        let function = json!({"name": name, "arguments": arguments});
        json!({"role": "assistant", "content": null, "tool_calls": [{"id": id.to_string(), "type": "function", "function": function}]})
    };
    let result = |id: usize, text: &str| json!({"role": "tool", "tool_call_id": id.to_string(), "content": text});
    let mut messages = vec![json!({"role": "user", "content": "build it"})];
    messages.extend([call(0, "read_file", "{\"path\": \"a.txt\"}"), result(0, "one\ntwo\n")]);
    for id in 1..60 {
        let number = 2 * id + 2;
        messages.extend([
            call(id, "bash", "{\"command\": \"git checkout main\"}"),
            result(id, &format!("built {number} of 200")),
        ]);
    }
    let mut stage = on(&json!({"messages": messages}).to_string(), WIDE);
    press(&mut stage, "$ Tab j k 4");
    row(&stage, &["@112", "/doubt  112"]);
    assert!(!screen(&stage).contains("= result"), "{}", screen(&stage));
}
