//! What terminals and tools make of the ends of outputs and files: echoes, lost white space, last lines without an end.

use super::command::{file, obelus};
use serde_json::{Value, json};

fn answer(arguments: &[&str]) -> Value {
    let (status, stdout, stderr) = obelus(arguments);
    assert_eq!(status, 0, "{stderr}");
    serde_json::from_str(&stdout).unwrap()
}

/// Calls of a tool and their outputs, as events of OpenHands.
fn openhands(calls: &[(&str, Value, &str)]) -> String {
    let event = |n: usize, kind: &str, source: &str, rest: Value| {
        let mut event = json!({"kind": kind, "id": format!("e{n}"), "source": source,
            "timestamp": "2026-11-27T10:00:00"});
        event.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        event.to_string()
    };
    let lines = calls.iter().enumerate().flat_map(|(n, (tool, arguments, output))| {
        let id = format!("c{n}");
        let call = json!({"tool_name": tool, "tool_call_id": id, "action": arguments, "thought": []});
        let content = json!({"content": [{"type": "text", "text": output}], "exit_code": 0, "metadata":
            {"exit_code": 0, "working_dir": "/w"}});
        let result = json!({"tool_name": tool, "tool_call_id": id, "action_id": format!("e{}", 2 * n),
            "observation": content});
        [event(2 * n, "ActionEvent", "agent", call), event(2 * n + 1, "ObservationEvent", "environment", result)]
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn run(command: &str) -> Value {
    json!({"kind": "TerminalAction", "command": command})
}

/// The lines of a file with how they came to be known, and whether a change from outside is reported.
fn known(log: &str, path: &str) -> (String, bool) {
    let folder = tempfile::tempdir().unwrap();
    let log = file(folder.path(), "run.jsonl", log);
    let blame = answer(&["blame", &log, "--file", path, "--json"]);
    let line = |line: &Value| format!("{}{}", line["text"].as_str().unwrap(), &line["how"].as_str().unwrap()[..1]);
    let lines: Vec<String> = blame["blame"].as_array().unwrap().iter().map(line).collect();
    let (_, findings, _) = obelus(&["check", &log]);
    (lines.join("|"), findings.contains("work.changed-outside"))
}

#[test]
fn what_the_terminal_of_openhands_takes_and_adds_is_no_change_of_a_file() {
    let write = "cat > a <<'E'\n\none\n    two\n\tthree\n\nE\ncat a";
    let echo = "cat > a <<'E'\n\none\n    two\n        three\n\nE\n\n\n\n\n\ncat a\n\none\n    two\n        three";
    let all = "|onec|    twoc|\tthreec|c";
    let lines = |expected: &str| (format!("c{expected}"), false);
    let with = |more: &[(&'static str, Value, &'static str)]| {
        let mut calls = vec![("terminal", run(write), echo)];
        calls.extend_from_slice(more);
        known(&openhands(&calls), "/w/a")
    };
    assert_eq!(with(&[]), lines(all));
    let numbered = "1\n     2  one\n     3      two\n     4          three\n     5";
    for (command, output) in [
        ("cat a", "one\n    two\n        three"),
        ("cat -n a", numbered),
        ("sed -n '3,4p' a", "two\n        three"),
        ("sed -n '1,2p' a", "one"),
        ("grep -n three a", "4:      three"),
        ("tail -n +3 a", "two\n        three"),
    ] {
        assert_eq!(with(&[("terminal", run(command), output)]), lines(all), "{command}");
    }
    let changed = with(&[("terminal", run("sed -n '2,3p' a"), "one\n    other")]);
    assert_eq!(changed, ("c|onec|    otherv|\tthreec|c".to_owned(), true), "what differs is still found");
}

/// Commands and their outputs, as messages of Pi.
fn pi(calls: &[(&str, Value, &str)]) -> String {
    let head = json!({"type": "session", "version": 3, "id": "s", "timestamp": "2026-11-27T00:00:00Z", "cwd": "/w"});
    let mut lines = vec![head.to_string()];
    let mut add = |message: Value| {
        let n = lines.len();
        let parent = (n > 1).then(|| (n - 1).to_string());
        let entry = json!({"type": "message", "id": n.to_string(), "parentId": parent, "message": message});
        lines.push(entry.to_string());
    };
    for (n, (tool, arguments, output)) in calls.iter().enumerate() {
        let call = json!({"type": "toolCall", "id": format!("c{n}"), "name": tool, "arguments": arguments});
        add(json!({"role": "assistant", "content": [call]}));
        let content = json!([{"type": "text", "text": output}]);
        add(json!({"role": "toolResult", "toolCallId": format!("c{n}"), "toolName": tool, "content": content,
            "isError": output.contains("exited with code")}));
    }
    lines.join("\n")
}

fn bash(command: &str) -> Value {
    json!({"command": command})
}

#[test]
fn what_is_appended_to_a_file_goes_on_in_a_last_line_without_an_end() {
    let none = "(no output)";
    let write = |text: &str| ("write", json!({"path": "/w/a", "content": text}), "Successfully wrote to /w/a");
    let append = ("bash", bash("echo c >> a"), none);
    assert_eq!(known(&pi(&[write("a\nb"), append.clone()]), "/w/a").0, "aw|bcc");
    assert_eq!(known(&pi(&[write("a\nb\n"), append.clone()]), "/w/a").0, "aw|bw|cc");
    let read = ("bash", bash("cat a"), "a\nbc\n");
    assert_eq!(known(&pi(&[write("a\nb"), append.clone(), read]), "/w/a"), ("aw|bcc".to_owned(), false));
    let moved = ("bash", bash("mv a d && echo c >> d"), none);
    assert_eq!(known(&pi(&[write("a\nb"), moved]), "/w/d").0, "aw|bcc");
    let edit = |old: &str, new: &str| {
        ("edit", json!({"path": "/w/a", "edits": [{"oldText": old, "newText": new}]}), "Replaced 1 block")
    };
    assert_eq!(known(&pi(&[write("a\nb"), edit("b", "b\nc\n")]), "/w/a").0, "aw|bw|ce");
    assert_eq!(known(&pi(&[write("a\nb"), edit("b", "x"), append.clone()]), "/w/a").0, "aw|xcc");
    assert_eq!(known(&pi(&[write("a\nb"), edit("b", "x\n"), append.clone()]), "/w/a").0, "aw|xe|cc");
    assert_eq!(known(&pi(&[write("a\nb"), edit("a\n", "x\n"), append]), "/w/a").0, "xe|bcc");
}

#[test]
fn pi_says_that_a_command_printed_nothing() {
    let empty = ("bash", bash("> a"), "(no output)");
    let read = ("bash", bash("cat a"), "(no output)");
    let write = ("write", json!({"path": "/w/a", "content": "x\n"}), "Successfully wrote to /w/a");
    assert_eq!(known(&pi(&[write, empty, read]), "/w/a"), (String::new(), false));
    let search = ("bash", bash("grep x a"), "(no output)\n\nCommand exited with code 1");
    let other = ("bash", bash("false"), "(no output)\n\nCommand exited with code 1");
    let folder = tempfile::tempdir().unwrap();
    let log = file(folder.path(), "run.jsonl", &pi(&[search, other]));
    let (_, steps, _) = obelus(&["steps", &log, "--json"]);
    let reasons = steps.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["reason"].clone());
    let reasons: Vec<Value> = reasons.filter(|reason| !reason.is_null()).collect();
    assert_eq!(reasons, ["flag", "flag"], "W4: the flag comes before the status");
}

#[test]
fn a_reader_behind_a_change_in_place_shows_what_it_made() {
    let write = ("write", json!({"path": "/w/a", "content": "b\na\n"}), "Successfully wrote to /w/a");
    for command in ["sort -o a a && cat a", "sed -i -n '2p;1p' a; cat a"] {
        let sorted = ("bash", bash(command), "a\nb\n");
        let (lines, is_outside) = known(&pi(&[write.clone(), sorted]), "/w/a");
        assert_eq!((lines.replace(['v', 'w'], ""), is_outside), ("a|b".to_owned(), false), "{command}");
    }
}

#[test]
fn a_notice_that_a_tool_gave_nothing_is_no_text_of_a_file() {
    let line = |n: usize, class: &str, content: Value| {
        json!({"sessionId": "s", "uuid": n.to_string(), "parentUuid": n.checked_sub(1).map(|n| n.to_string()),
            "version": "2.1.0", "isSidechain": false, "cwd": "/w", "type": class,
            "message": {"role": class, "content": [content]}})
        .to_string()
    };
    let lines = |name: &str, input: Value, text: &str| {
        let call = json!({"type": "tool_use", "id": "1", "name": name, "input": input});
        let result = json!({"type": "tool_result", "tool_use_id": "1", "content": text});
        let folder = tempfile::tempdir().unwrap();
        let log = [line(0, "assistant", call), line(1, "user", result)].join("\n");
        let log = file(folder.path(), "s.jsonl", &log);
        answer(&["blame", &log, "--file", "a", "--json"])["blame"].as_array().unwrap().len()
    };
    assert_eq!(lines("Bash", json!({"command": "cat a"}), "(Bash completed with no output)"), 0);
    assert_eq!(lines("Bash", json!({"command": "cat a"}), "(it completed with no output) "), 0);
    assert_eq!(lines("Bash", json!({"command": "cat a"}), "(all is completed with no output)"), 1);
}
