//! What results report that an edit did, where that is more than what the call asked for; shells that start anew.

use super::command::{file, obelus};
use super::edit_bases::known;
use serde_json::{Value, json};

/// Calls of opencode with their outputs and what it notes of them, as an export.
fn opencode(calls: &[(&str, Value, &str, Value)]) -> String {
    let part = |(n, (tool, input, output, metadata)): (usize, &(&str, Value, &str, Value))| {
        json!({"id": format!("p{n:02}"), "type": "tool", "tool": tool, "callID": format!("c{n}"),
            "state": {"status": "completed", "input": input, "output": output, "metadata": metadata}})
    };
    let parts: Vec<Value> = calls.iter().enumerate().map(part).collect();
    json!({"info": {"id": "s", "directory": "/w"}, "messages": [
        {"info": {"id": "m", "role": "assistant", "path": {"cwd": "/w"}}, "parts": parts}]})
    .to_string()
}

fn write(text: &str) -> (&'static str, Value, &'static str, Value) {
    ("write", json!({"filePath": "/w/a", "content": text}), "Wrote file successfully.", json!({}))
}

fn edit(old: &str, new: &str, hunks: &str) -> (&'static str, Value, &'static str, Value) {
    let input = json!({"filePath": "/w/a", "oldString": old, "newString": new});
    let diff = format!("Index: /w/a\n{}\n--- /w/a\n+++ /w/a\n{hunks}", "=".repeat(67));
    ("edit", input, "Edit applied successfully.", json!({"diff": diff}))
}

#[test]
fn an_edit_of_opencode_is_what_its_diff_reports() {
    // The old text is only like that of the file; the diff has no indentation, since all of its lines have one.
    let text = "    one\n    two\n\n    three\n      four\n";
    let hunks = "@@ -1,5 +1,6 @@\n one\n-two\n+2\n+  deep\n \n three\n   four\n";
    let all = "\"all\"     one write|    2 edit|      deep edit| write|    three write|      four write";
    let done = known(&opencode(&[write(text), edit("two\n\n", "2\n  deep\n\n", hunks)]), "/w/a");
    assert_eq!(done, (all.to_owned(), vec![]));
    // Two hunks: the lines below the first have moved.
    let text = "one\ntwo\nthree\nfour\nfive\n";
    let hunks = "@@ -1,2 +1,3 @@\n one\n-two\n+2\n+2b\n@@ -5,1 +6,1 @@\n-five\n+5\n";
    let done = known(&opencode(&[write(text), edit(" two", "2", hunks)]), "/w/a");
    assert_eq!(done.0, "\"all\" one write|2 edit|2b edit|three write|four write|5 edit");
}

#[test]
fn a_diff_of_another_text_than_the_known_one_says_nothing() {
    for hunks in [
        "@@ -1,2 +1,2 @@\n zero\n-two\n+2\n",
        "@@ -1,2 +1,2 @@\n one\n-two\n+2\n\\ No newline at end of file\n",
        "@@ -9,1 +9,1 @@\n-two\n+2\n",
        "@@ -0,0 +1,1 @@\n+2\n",
        "no diff",
    ] {
        let found = known(&opencode(&[write("one\ntwo\n"), edit("two", "2", hunks)]), "/w/a");
        assert_eq!(found, ("\"all\" one write|2 edit".to_owned(), vec![]), "{hunks}");
        let (_, rules) = known(&opencode(&[write("one\ntwo\n"), edit("three", "3", hunks)]), "/w/a");
        assert_eq!(rules, ["work.stale-edit"], "{hunks}");
    }
}

#[test]
fn each_command_of_opencode_starts_in_the_folder_of_the_session() {
    let bash = |command: &str, output: &'static str, exit: u8| {
        ("bash", json!({"command": command}), output, json!({"exit": exit}))
    };
    let log = opencode(&[bash("cd sub && cat a", "in sub\n", 0), bash("cat a", "at the top\n", 0)]);
    assert_eq!(known(&log, "/w/sub/a").0, "\"all\" in sub view");
    assert_eq!(known(&log, "/w/a").0, "\"all\" at the top view");
    let folder = tempfile::tempdir().unwrap();
    let log = file(folder.path(), "s.json", &opencode(&[bash("grep x a", "(no output)", 1)]));
    let (_, steps, _) = obelus(&["steps", &log, "--json"]);
    let result: Value = serde_json::from_str(steps.lines().nth(1).unwrap()).unwrap();
    assert_eq!((&result["outcome"], &result["reason"]), (&json!("ok"), &json!("no-match")));
}

#[test]
fn claude_code_keeps_the_quotes_of_a_file() {
    let line = |n: usize, class: &str, content: Value, details: Value| {
        json!({"sessionId": "s", "uuid": n.to_string(), "parentUuid": n.checked_sub(1).map(|n| n.to_string()),
            "version": "2.1.0", "isSidechain": false, "cwd": "/w", "type": class, "toolUseResult": details,
            "message": {"role": class, "content": [content]}})
        .to_string()
    };
    let edit = json!({"file_path": "/w/a", "old_string": "say \"x\"", "new_string": "it's \"y\""});
    let details = json!({"filePath": "/w/a", "oldString": "say \u{201c}x\u{201d}", "newString": "it's \"y\"",
        "originalFile": "\tsay \u{201c}x\u{201d}\nend \"z\"\n", "structuredPatch": [{"oldStart": 1, "newStart": 1,
        "lines": ["-  say \u{201c}x\u{201d}", "+  it\u{2019}s \u{201c}y\u{201d}", " end \"z\""]}]});
    let call = json!({"type": "tool_use", "id": "1", "name": "Edit", "input": edit});
    let result = json!({"type": "tool_result", "tool_use_id": "1", "content": "The file /w/a has been updated."});
    let log = [line(0, "assistant", call, Value::Null), line(1, "user", result, details)].join("\n");
    let lines = "\"all\" \tit\u{2019}s \u{201c}y\u{201d} edit|end \"z\" context";
    assert_eq!(known(&log, "/w/a").0, lines);
}
