//! Steps to read: what is where, and what holds for any text at any size.

use super::*;
use crate::format::{FORMATS, Run};
use crate::json::quote;
use crate::model::{Place, Record, RecordBody, Span, StepNo};
use crate::panes::lazy_column::Items;
use crate::panes::row::pieces_width;
use crate::panes::{Extent, Row};
use crate::text::Pattern;
use proptest::prelude::*;

/// A run of a user's words, a call with two texts, and its result.
fn run(words: &str, call: (&str, &str), result: &str) -> (Box<dyn Run>, Vec<u8>) {
    let message = |inner: String| format!(r#"{{"type":"message","message":{inner}}}"#);
    let (name, arguments) = call;
    let lines = [
        r#"{"type":"session","id":"s","timestamp":"2026-05-01T10:00:00Z"}"#.to_owned(),
        message(format!(r#"{{"role":"user","content":{}}}"#, quote(words))),
        message(format!(
            r#"{{"role":"assistant","content":[{{"type":"toolCall","id":"a","name":"{name}","arguments":{arguments}}}]}}"#
        )),
        message(format!(r#"{{"role":"toolResult","toolCallId":"a","content":{}}}"#, quote(result))),
    ];
    let mut run = FORMATS.iter().find(|format| format.name() == "pi").unwrap().run();
    let mut bytes = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let place =
            Place { span: Span { offset: bytes.len() as u64, len: line.len() as u64 }, line: number as u64 + 1 };
        bytes.extend_from_slice(line.as_bytes());
        run.push(&Record { number, place, body: RecordBody::Text, is_row: false }, line.as_bytes(), &bytes);
    }
    (run, bytes)
}

fn view((run, bytes): &(Box<dyn Run>, Vec<u8>), step: StepNo) -> ReadingView {
    let reading = Step::of(run.as_ref(), step).read(run.as_ref(), bytes, "/work/").unwrap();
    let mut view = ReadingView::default();
    view.set(Some(Arc::new(reading)), false);
    view
}

fn rows(view: &ReadingView, width: usize) -> Vec<Row> {
    view.window(Extent { width, height: usize::MAX / 2 }, true).rows
}

/// All rows, wherever the window is.
fn whole_rows(view: &ReadingView, width: usize) -> Vec<Row> {
    (0..view.count()).flat_map(|item| view.rows(item, width)).collect()
}

fn plain(view: &ReadingView, width: usize) -> Vec<String> {
    rows(view, width).iter().map(|row| row.plain().trim_end().to_owned()).collect()
}

#[test]
fn a_call_stands_above_its_result_and_a_result_above_its_call() {
    let run = run("go", ("bash", r#"{"command":"ls -l\ncat x"}"#), "total 0\r\n\tx\r\n");
    assert_eq!(plain(&view(&run, 1), 60), [" $ ls -l", "   cat x", "", " ◂ result @2  ok", " total 0", "         x"]);
    let below = view(&run, 2);
    assert_eq!(plain(&below, 60), [" total 0", "         x", "", " ▸ @1 run  ls -l cat x", " $ ls -l", "   cat x"]);
    assert!(below.reading().unwrap().has_crlf);
}

#[test]
fn the_heading_of_a_call_below_its_result_is_short() {
    let code = "x = 1\\n".repeat(40);
    let shown = plain(&view(&run("go", ("python", &format!(r#"{{"code":"{code}"}}"#)), "Error: no"), 2), 90);
    let heading = shown.iter().position(|row| row.contains("▸ @1 python")).unwrap();
    assert!(shown[heading].ends_with('…') && shown[heading + 1].trim() == "x = 1", "{shown:?}");
}

#[test]
fn an_output_has_no_codes_and_a_record_is_whole() {
    let run = run("go", ("bash", r#"{"command":"make"}"#), "\u{1b}[1G\u{1b}[0K\u{1b}[34mChecked\u{1b}[0m 4\n");
    let shown = view(&run, 2);
    assert_eq!(plain(&shown, 60)[0], " Checked 4");
    assert_eq!(shown.reading().unwrap().marks(), ["no colours"]);
    let (mut run, mut bytes) = run;
    let line = format!(r#"{{"type":"custom","data":{{"words":"{}","more":[1,2]}}}}"#, "w ".repeat(400));
    let place = Place { span: Span { offset: bytes.len() as u64, len: line.len() as u64 }, line: 5 };
    bytes.extend_from_slice(line.as_bytes());
    run.push(&Record { number: 4, place, body: RecordBody::Text, is_row: false }, line.as_bytes(), &bytes);
    let shown = plain(&view(&(run, bytes), 3), 60);
    assert!(shown.iter().any(|row| row.contains("\"more\": [")), "{shown:#?}");
}

#[test]
fn a_message_without_words_says_so() {
    let words = plain(&view(&run("  ", ("bash", "{}"), ""), 0), 80);
    assert_eq!(words, [" The log has no text of this message"]);
}

#[test]
fn a_prompt_is_read_as_what_was_typed_and_printed() {
    let shown = |words: &str| plain(&view(&run(words, ("bash", "{}"), ""), 0), 60);
    let command = "<command-message>do</command-message>\n<command-name>/do</command-name>\n\
                   <command-args>it *now*</command-args>";
    assert_eq!(shown(command), [" /do it *now*"]);
    assert_eq!(shown("<bash-input>ls</bash-input>"), [" ! ls"]);
    let output = "<bash-stdout>\u{1b}[1ma\u{1b}[0m\n  b</bash-stdout><bash-stderr>1 &lt; 2</bash-stderr>";
    assert_eq!(shown(output), [" a", "   b", "", " error output", " 1 < 2"]);
    assert_eq!(shown("<local-command-stdout></local-command-stdout>"), [" no output"]);
    let reminder = "<system-reminder>\nbe brief\n</system-reminder>\nRun **it**";
    assert_eq!(shown(reminder), [" put in by the harness: system-reminder", " ┊ be brief", "", " Run it"]);
}

#[test]
fn what_a_program_put_in_is_reported_once() {
    let line = |text: &str| {
        format!(
            r#"{{"isSidechain":false,"sessionId":"s1","version":"2.1.0","cwd":"/w","type":"user","uuid":"u1","parentUuid":null,"isMeta":true,"message":{{"role":"user","content":"{text}"}}}}"#
        )
    };
    let read = |text: &str| {
        let bytes = line(text).into_bytes();
        let mut run = FORMATS.iter().find(|format| format.name() == "claude-code").unwrap().run();
        let place = Place { span: Span { offset: 0, len: bytes.len() as u64 }, line: 1 };
        run.push(&Record { number: 0, place, body: RecordBody::Text, is_row: false }, &bytes, &bytes);
        run.finish(&bytes);
        plain(&view(&(run, bytes), 0), 80)
    };
    let caveat = "<local-command-caveat>Caveat: these were run by the user.</local-command-caveat>";
    let heading = " put in by the harness: local-command-caveat";
    assert_eq!(read(caveat), [heading, " ┊ Caveat: these were run by the user."]);
    assert_eq!(read("Go on."), [" put in by the harness", "", " Go on."]);
}

#[test]
fn an_edit_has_the_numbers_that_its_result_shows() {
    let edit = r#"{"path":"/work/a.py","oldText":"x = 1\ny = 2","newText":"x = 1\ny = 3"}"#;
    let run = run("go", ("edit", edit), "done:\n    41\tx = 1\n    42\ty = 3\n");
    assert_eq!(plain(&view(&run, 1), 60)[..3], ["   41  x = 1", " − 42  y = 2", " + 42  y = 3"]);
}

#[test]
fn a_long_output_is_folded_in_its_middle_until_it_is_opened() {
    let output: Vec<String> = (0..300).map(|i| format!("line {i}")).collect();
    let run = run("go", ("bash", r#"{"command":"seq"}"#), &output.join("\n"));
    let mut view = view(&run, 2);
    let folded = plain(&view, 60);
    assert!(folded.len() < 40, "{folded:?}");
    assert!(folded.iter().any(|row| row.contains("⋯ 276 more lines")), "{folded:?}");
    assert_eq!(view.search(&Pattern::new("line 150").unwrap(), true).map(|nth| nth.of), Some(1));
    assert!(plain(&view, 60).contains(&" line 150".to_owned()), "a search opens the fold");
    view.fold_all(false);
    assert_eq!(plain(&view, 60), folded);
    view.fold_all(true);
    assert_eq!(plain(&view, 60).len(), 300 + 3);
    view.show_cursor(Extent { width: 60, height: 45 });
    view.fold_all(false);
    assert!(plain(&view, 60).iter().any(|row| row.contains("⋯ 257 more lines")), "a higher pane shows more");
}

#[test]
fn what_is_not_shown_as_words_is_a_tree() {
    let run = run("{\"a\":[1]}", ("odd", r#"{"n":1,"text":"one\ntwo","list":[1,2]}"#), "[1,2]");
    assert_eq!(plain(&view(&run, 0), 60), [" {", "   \"a\": [", "     1", "   ]", " }"]);
    let call = plain(&view(&run, 1), 60);
    assert_eq!(call[..5], [" n     1", " text", "   one", "   two", " list  [1,2]"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// No row is wider than the pane, and the window is a part of all rows, wherever it is.
    #[test]
    fn the_window_is_a_slice_of_the_whole_and_never_wider_than_the_pane(
        // Signs without a cell of their own get a circle wherever a piece begins with them, so the width of such a row
        // depends on where it is cut; they are left out here, and the painter cuts the row.
        words in r"([\x00-\x7f]|[à-ÿα-ω😀-😏]|[#*_`>|~\-\n\t ]|\u{202e}|\u{1b}|日){0,80}",
        result in r"( {0,5}[0-9]{1,3}\t?[a-z日{}\[\]\x1b]{0,90}\r?\n){0,30}",
        width in 8_usize..120,
        height in 1_usize..50,
        moves in prop::collection::vec(-60_isize..60, 1..4),
    ) {
        let edit = format!(r#"{{"path":"/work/a.md","oldText":{},"newText":{}}}"#, quote(&words), quote(&result));
        let run = run(&words, ("edit", &edit), &result);
        for step in 0..3 {
            let mut view = view(&run, step);
            view.show_cursor(Extent { width, height });
            for delta in &moves {
                for row in &whole_rows(&view, width) {
                    prop_assert!(pieces_width(&row.left) + pieces_width(&row.right) <= width, "{width}: {}", row.plain());
                }
                view.move_by(*delta, width);
                view.show_cursor(Extent { width, height });
                let window = view.window(Extent { width, height }, true);
                let text = |rows: &[Row]| rows.iter().map(Row::plain).collect::<Vec<_>>();
                let (shown, whole) = (text(&window.rows), text(&whole_rows(&view, width)));
                prop_assert_eq!(shown.len(), whole.len().min(height));
                prop_assert!(whole.windows(shown.len().max(1)).any(|part| part == shown) || whole.is_empty());
                prop_assert_eq!(window.rows.iter().filter(|row| row.is_cursor).count(), usize::from(!whole.is_empty()));
            }
        }
    }
}

#[test]
fn strings_in_json_that_are_json_or_have_lines_are_laid_out_below_their_keys() {
    let result = r#"{"stdout":"one\ntwo\n","meta":"{\"k\": 1}","note":"a \"b\"","path":"C:\\x"}"#;
    let run = run("", ("search", "{}"), result);
    let text: Vec<String> = plain(&view(&run, 2), 60).iter().map(|line| line.chars().skip(1).collect()).collect();
    let shown = text.join("\n");
    let expected = [
        "  \"stdout\": text, 2 lines,",
        "    ┊ one",
        "    ┊ two",
        "  \"meta\": JSON in a string,",
        "    ┊ {",
        "    ┊   \"k\": 1",
        "    ┊ }",
        "  \"note\": \"a \\\"b\\\"\",",
        "  \"path\": \"C:\\\\x\"",
    ];
    let start = text.iter().position(|line| line.trim_end() == expected[0]).unwrap_or_else(|| panic!("{shown}"));
    let found: Vec<&str> = text[start..start + expected.len()].iter().map(|line| line.trim_end()).collect();
    assert_eq!(found, expected);
}
