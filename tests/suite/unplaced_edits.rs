//! W8: edits whose old text is not known, or not where it is, and what they do to the numbers of known lines.

use super::command::{file, obelus};
use super::stage::{lines, on, press};
use serde_json::{Value, json};

/// A conversation of calls and their results.
fn conversation(calls: &[(&str, Value, &str)]) -> String {
    let message = |(n, (name, arguments, result)): (usize, &(&str, Value, &str))| {
        let function = json!({"name": name, "arguments": arguments.to_string()});
        let call = json!({"id": n.to_string(), "type": "function", "function": function});
        [
            json!({"role": "assistant", "content": null, "tool_calls": [call]}),
            json!({"role": "tool", "tool_call_id": n.to_string(), "content": result}),
        ]
    };
    let messages: Vec<Value> = calls.iter().enumerate().flat_map(message).collect();
    json!({"messages": messages}).to_string()
}

fn read(first: u32, lines: &[&str]) -> (&'static str, Value, String) {
    let shown = |(number, line): (u32, &&str)| format!("{number:6}\t{line}\n");
    let text: String = (first..).zip(lines).map(shown).collect();
    ("Read", json!({"file_path": "/w/f", "offset": first, "limit": lines.len()}), text)
}

fn edit(old: &str, new: &str) -> Value {
    json!({"file_path": "/w/f", "old_string": old, "new_string": new})
}

/// Each known line as its number and text.
fn known(calls: &[(&str, Value, &str)]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let log = file(folder.path(), "s.json", &conversation(calls));
    let (status, out, problem) = obelus(&["blame", &log, "--file", "/w/f", "--json"]);
    assert_eq!(status, 0, "{problem}");
    let blame: Value = serde_json::from_str(&out).unwrap();
    let line = |line: &Value| format!("{}={}", line["line"], line["text"].as_str().unwrap());
    blame["blame"].as_array().unwrap().iter().map(line).collect::<Vec<_>>().join("|").replace("null", "-")
}

/// What is known after lines from a number on were read and a text gave way to another.
fn after(first: u32, lines: &[&str], edit: Value, reply: &str) -> String {
    let (name, arguments, shown) = read(first, lines);
    known(&[(name, arguments, &shown), ("Edit", edit, reply)])
}

#[test]
fn line_ends_count_lines_where_the_reply_places_an_edit() {
    let lines = ["three", "four", "five"];
    let joined = after(3, &lines, edit("two\n", "NEW"), "     1\tone\n     2\tNEWthree\n");
    assert_eq!(joined, "1=one|2=NEWthree|3=four|4=five", "the line below is part of the new one");
    let blank = after(3, &lines, edit("two", "NEW\n"), "     1\tone\n     2\tNEW\n     3\t\n     4\tthree\n");
    assert_eq!(blank, "1=one|2=NEW|3=|4=three|5=four|6=five", "the rest of the line is one of its own");
}

#[test]
fn line_ends_count_lines_of_an_edit_without_a_place() {
    let lines = ["three", "four"];
    assert_eq!(after(3, &lines, edit("two", "NEW"), "ok"), "3=three|4=four|-=NEW");
    assert_eq!(after(3, &lines, edit("two", "NEW\n"), "ok"), "-=three|-=four|-=NEW");
    assert_eq!(after(3, &lines, edit("two\n", "NEW"), "ok"), "-=three|-=four|-=NEW");
    assert_eq!(after(3, &lines, edit("two\n", "NEW\n"), "ok"), "3=three|4=four|-=NEW");
}

#[test]
fn a_line_that_goes_on_with_an_unknown_one_is_not_known() {
    let lines = ["alpha beta gamma", "second line here"];
    assert_eq!(after(5, &lines, edit("second line here\n", "X"), "ok"), "5=alpha beta gamma");
    assert_eq!(after(5, &lines, edit("alpha beta gamma\n", "X"), "ok"), "5=Xsecond line here");
    let agreed = after(5, &lines, edit("cond line here\nthird\nfourth", ""), "ok");
    assert_eq!(agreed, "5=alpha beta gamma", "the line behind the deleted ones follows in the same line");
    let whole = after(5, &lines, edit("second line here\nthird\n", "X\n"), "ok");
    assert_eq!(whole, "5=alpha beta gamma|6=X");
}

#[test]
fn an_edit_in_lines_without_a_place_takes_the_numbers_of_others() {
    let (name, arguments, shown) = read(7, &["seven", "eight"]);
    let piece = ("Edit", edit("q", "x\ny"), "ok");
    let lines = (name, arguments, shown.as_str());
    let same = known(&[piece.clone(), lines.clone(), ("Edit", edit("y", "z"), "ok")]);
    assert_eq!(same, "7=seven|8=eight|-=x|-=z");
    let moved = known(&[piece.clone(), lines.clone(), ("Edit", edit("y", "z\nw"), "ok")]);
    assert_eq!(moved, "-=x|-=z|-=w|-=seven|-=eight");
    let patch = "*** Begin Patch\n*** Update File: /w/f\n@@\n x\n-y\n*** End Patch";
    let patched = known(&[piece, lines, ("apply_patch", json!({"input": patch}), "Success")]);
    assert_eq!(patched, "-=x|-=seven|-=eight");
}

#[test]
fn a_rest_that_is_not_known_is_no_blank_line() {
    let lines = ["three", "four"];
    let shown = after(3, &lines, edit("al", "NEW\n"), "     1\tNEW\n");
    assert_eq!(shown, "1=NEW|4=three|5=four", "line 2 is what was behind the old text");
    let agreed = after(5, &["alpha beta gamma"], edit("alpha beta gamma\nthi", "X\n"), "ok");
    assert_eq!(agreed, "5=X");
}

#[test]
fn a_text_at_the_end_of_a_file_goes_on_with_nothing() {
    let window = "[File: /w/f (4 lines total)]\n(2 more lines above)\n3:three three\n4:four\n";
    let open = ("open", json!({"path": "/w/f"}), window);
    let end = known(&[open, ("Edit", edit("two\nthree three\nfour\n", "NEW"), "ok")]);
    assert_eq!(end, "2=NEW");
}

#[test]
fn an_edit_without_an_old_text_adds_its_lines_alone() {
    let added = after(3, &["three", "four"], edit("", "x\n"), "     1\tx\n     2\tone\n     3\ttwo\n");
    assert_eq!(added, "1=x|2=one|3=two|4=three|5=four");
}

/// What the list of steps and the state count of the same edit.
fn counts(call: (&str, Value, &str)) -> [bool; 2] {
    let mut stage = on(&format!("{}\n", conversation(&[call])), (120, 20));
    press(&mut stage, "$");
    let shown = lines(&stage);
    let has = |words: &[&str]| shown.iter().any(|line| words.iter().all(|word| line.contains(word)));
    [has(&[" edit ", " f  +2 −1"]), has(&["¶file  f  +2 −1"])]
}

#[test]
fn lines_that_an_edit_only_quotes_neither_come_nor_go() {
    assert_eq!(counts(("Edit", edit("a\nx\n", "b\nx\ny\n"), "ok")), [true; 2], "nobody says where");
    let shown = "     4\tb\n     5\tx\n     6\ty\n";
    assert_eq!(counts(("Edit", edit("a\nx\n", "b\nx\ny\n"), shown)), [true; 2], "the reply says where");
    let patch = "*** Begin Patch\n*** Update File: f\n@@\n x\n-a\n+b\n+c\n y\n*** End Patch";
    assert_eq!(counts(("apply_patch", json!({"input": patch}), "ok")), [true; 2]);
    let diff = "--- a/f\n+++ b/f\n@@ -7,3 +7,4 @@\n x\n-a\n+b\n+c\n y\n";
    assert_eq!(counts(("apply_patch", json!({"input": diff}), "ok")), [true; 2]);
}
