//! What logs give beside a call: the whole base of an edit, changes of files by other tools, totals to check a sum with.

use super::command::{file, obelus};
use serde_json::{Value, json};

/// Lines of a Claude Code session in order.
fn claude(lines: &[Value]) -> String {
    let line = |(n, line): (usize, &Value)| {
        let mut line = line.clone();
        let parent = n.checked_sub(1).map(|n| n.to_string());
        let rest = json!({"sessionId": "s", "uuid": n.to_string(), "parentUuid": parent, "version": "2.1.0",
            "isSidechain": false, "cwd": "/w"});
        line.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        line.to_string()
    };
    lines.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
}

fn call(id: &str, name: &str, input: &Value) -> Value {
    let content = json!([{"type": "tool_use", "id": id, "name": name, "input": input}]);
    json!({"type": "assistant", "message": {"role": "assistant", "content": content}})
}

fn result(id: &str, text: &str, details: &Value) -> Value {
    let content = json!([{"type": "tool_result", "tool_use_id": id, "content": text}]);
    json!({"type": "user", "message": {"role": "user", "content": content}, "toolUseResult": details})
}

/// A whole read, and an edit whose base is another text; `between`: a command between both.
fn edited(base: &str, between: Option<&str>) -> String {
    let mut lines = vec![
        call("1", "Read", &json!({"file_path": "/w/a"})),
        result("1", "1\tone\n2\ttwo", &json!({"file": {"content": "one\ntwo\n", "startLine": 1, "totalLines": 3}})),
    ];
    if let Some(command) = between {
        lines.push(call("2", "Bash", &json!({"command": command})));
        lines.push(result("2", "done", &json!({"stdout": "done"})));
    }
    lines.push(call("3", "Edit", &json!({"file_path": "/w/a", "old_string": "two", "new_string": "2"})));
    let details = json!({"filePath": "/w/a", "oldString": "two", "newString": "2", "originalFile": base});
    lines.push(result("3", "The file /w/a has been updated.", &details));
    claude(&lines)
}

/// Each line as its text and how it came to be known, and the rules of the findings.
pub(super) fn known(text: &str, path: &str) -> (String, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let log = file(folder.path(), "s.jsonl", text);
    let (status, out, problem) = obelus(&["blame", &log, "--file", path, "--json"]);
    assert_eq!(status, 0, "{problem}");
    let blame: Value = serde_json::from_str(&out).unwrap();
    let line = |line: &Value| format!("{} {}", line["text"].as_str().unwrap(), line["how"].as_str().unwrap());
    let lines: Vec<String> = blame["blame"].as_array().unwrap().iter().map(line).collect();
    let (_, found, _) = obelus(&["check", &log, "--json"]);
    let rules = found.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["rule"].clone());
    let rules = rules.filter_map(|rule| rule.as_str().map(str::to_owned)).collect();
    (format!("{} {}", blame["known"], lines.join("|")), rules)
}

#[test]
fn the_base_of_an_edit_is_what_the_file_held() {
    let same = known(&edited("one\ntwo\n", None), "/w/a");
    assert_eq!(same, ("\"all\" one view|2 edit".to_owned(), vec![]));
    let other = known(&edited("zero\none\ntwo\nthree\n", None), "/w/a");
    let lines = "\"all\" zero context|one view|2 edit|three context";
    assert_eq!(other, (lines.to_owned(), vec!["work.changed-outside".to_owned()]));
    let formatted = known(&edited("one\ntwo!\n", Some("make fmt")), "/w/a");
    assert_eq!(formatted, ("\"all\" one view|2! edit".to_owned(), vec!["log.replay-differs".to_owned()]));
}

#[test]
fn the_total_of_a_partial_read_does_not_add_a_line_to_a_file_whose_end_was_seen() {
    let read = |id: &str, text: &str, start: u64| {
        let numbered = text.lines().zip(start..).map(|(line, number)| format!("{number}\t{line}\n"));
        let details = json!({"file": {"content": text, "startLine": start, "totalLines": 4}});
        [
            call(id, "Read", &json!({"file_path": "/w/a", "offset": start, "limit": 3})),
            result(id, &numbered.collect::<String>(), &details),
        ]
    };
    let text = claude(&[read("1", "one\ntwo\nthree\n", 1), read("2", "two\n", 2)].concat());
    let folder = tempfile::tempdir().unwrap();
    let log = file(folder.path(), "s.jsonl", &text);
    let (_, files, _) = obelus(&["files", &log, "--json"]);
    let files: Value = serde_json::from_str(&files).unwrap();
    assert_eq!(files["files"][0]["lines"], json!(3), "{files}");
}

#[test]
fn a_file_that_was_never_read_is_known_from_the_base() {
    let details = json!({"filePath": "/w/a", "originalFile": "one\ntwo\n", "structuredPatch": []});
    let edit = json!({"file_path": "/w/a", "old_string": "two", "new_string": "2"});
    let text = claude(&[call("3", "Edit", &edit), result("3", "ok", &details)]);
    let (lines, rules) = known(&text, "/w/a");
    assert_eq!(lines, "\"all\" one context|2 edit");
    assert_eq!(rules, ["work.never-read"], "the agent did not see it all the same");
}

#[test]
fn lines_that_a_command_changed_are_those_that_the_result_reports() {
    let read = json!({"file": {"content": "one\ntwo\n", "startLine": 1, "totalLines": 3}});
    let hunk = |old: u32, lines: &[&str]| json!([{"oldStart": old, "newStart": 1, "lines": lines}]);
    let files = json!([{"filePath": "/w/a", "hunks": hunk(1, &[" one", "-two", "+2"])},
        {"filePath": "/w/n", "created": true, "hunks": hunk(0, &["+new"])}]);
    let more = json!([{"filePath": "/w/a", "hunks": hunk(1, &[" one", " 2", "+end"])}]);
    let diff = |files: &Value| json!({"stdout": "", "bashEditDiff": {"files": files, "changedFiles": []}});
    let text = claude(&[
        call("1", "Read", &json!({"file_path": "/w/a"})),
        result("1", "1\tone\n2\ttwo", &read),
        call("2", "Bash", &json!({"command": "python3 change.py a"})),
        result("2", "", &diff(&files)),
        call("3", "Bash", &json!({"command": "echo end >> a"})),
        result("3", "", &diff(&more)),
    ]);
    assert_eq!(known(&text, "/w/a"), ("\"all\" one view|2 command|end command".to_owned(), vec![]));
    assert_eq!(known(&text, "/w/n").0, "\"all\" new command");
}

#[test]
fn an_edit_that_the_user_changed_is_the_one_that_was_made() {
    let edit = json!({"file_path": "/w/a", "old_string": "two", "new_string": "2"});
    let details = json!({"filePath": "/w/a", "oldString": "two", "newString": "zwei", "userModified": true,
        "originalFile": "one\ntwo\n", "structuredPatch": []});
    let text = claude(&[call("3", "Edit", &edit), result("3", "ok", &details)]);
    assert_eq!(known(&text, "/w/a").0, "\"all\" one context|zwei edit");
}

/// A chat of Gemini CLI with one edit, which reports the text before and after it.
fn gemini(diff: &Value, call: (&str, &Value)) -> String {
    let response = json!([{"functionResponse": {"id": "c", "name": call.0, "response": {"output": "Success."}}}]);
    let call = json!({"id": "c", "name": call.0, "args": call.1, "status": "success", "result": response,
        "resultDisplay": diff});
    let header = json!({"sessionId": "s", "projectHash": "h", "kind": "main"});
    let answer = json!({"id": "g", "type": "gemini", "content": "", "toolCalls": [call]});
    [header, json!({"id": "u", "type": "user", "content": "x"}), answer].map(|line| line.to_string()).join("\n")
}

/// A session of Qwen Code with the same.
fn qwen(diff: &Value, call: (&str, &Value)) -> String {
    let line = |uuid: &str, kind: &str, role: &str, part: Value, more: &Value| {
        let mut line = json!({"uuid": uuid, "parentUuid": null, "sessionId": "s", "type": kind, "version": "0.5.0",
            "cwd": "/w", "message": {"role": role, "parts": [part]}});
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        line.to_string()
    };
    let asked = json!({"functionCall": {"id": "c", "name": call.0, "args": call.1}});
    let answer = json!({"functionResponse": {"id": "c", "name": call.0, "response": {"output": "Success."}}});
    let details = json!({"toolCallResult": {"callId": "c", "status": "success", "resultDisplay": diff}});
    [
        line("1", "user", "user", json!({"text": "x"}), &json!({})),
        line("2", "assistant", "model", asked, &json!({})),
        line("3", "tool_result", "user", answer, &details),
    ]
    .join("\n")
}

#[test]
fn the_texts_before_and_after_an_edit_of_gemini_and_qwen_are_what_the_file_held() {
    let edit = json!({"file_path": "/w/a", "old_string": "two", "new_string": "2"});
    let diff = |before: Value, after: &str, more: Value| {
        let mut diff = json!({"fileDiff": "@@", "fileName": "a", "originalContent": before, "newContent": after});
        diff.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        diff
    };
    let made = diff(json!("one\ntwo\n"), "one\n2\n", json!({}));
    // The user changed what the model asked for.
    let changed = diff(json!("one\ntwo\n"), "one\nzwei\n", json!({}));
    let cut = diff(json!("on"), "on", json!({"truncatedForSession": true}));
    for log in [gemini, qwen] {
        let of = |diff: &Value, name: &str, input: &Value| known(&log(diff, (name, input)), "/w/a").0;
        assert_eq!(of(&made, "replace", &edit), "\"all\" one context|2 edit");
        assert_eq!(of(&changed, "replace", &edit), "\"all\" one context|zwei edit");
        assert_eq!(of(&cut, "replace", &edit), "[] 2 edit");
        let write = json!({"file_path": "/w/a", "content": "new\n"});
        let over = diff(json!("one\nnew\n"), "new\n", json!({}));
        assert_eq!(of(&over, "write_file", &write), "\"all\" new context");
        let first = diff(Value::Null, "newer\n", json!({}));
        assert_eq!(of(&first, "write_file", &write), "\"all\" newer write");
    }
}

#[test]
fn searches_are_counted_once_for_each_answer() {
    let answer = |uses: u32| {
        let usage = json!({"input_tokens": 1, "output_tokens": uses,
            "server_tool_use": {"web_search_requests": uses}});
        json!({"type": "assistant", "requestId": "r", "message": {"role": "assistant", "id": "m", "usage": usage,
            "content": [{"type": "text", "text": "x"}]}})
    };
    let search = [
        call("1", "WebSearch", &json!({"query": "q"})),
        result("1", "found", &json!({"query": "q", "searchCount": 3})),
    ];
    let lines = [answer(1), answer(2), search[0].clone(), search[1].clone()];
    let folder = tempfile::tempdir().unwrap();
    let log = file(folder.path(), "s.jsonl", &claude(&lines));
    let (_, state, _) = obelus(&["state", &log, "--json"]);
    let state: Value = serde_json::from_str(&state).unwrap();
    assert_eq!(state["state"]["session"]["main"]["searches"], 5, "{state}");
}

/// Records of a Codex rollout.
fn codex(payloads: &[(&str, Value)]) -> String {
    let record = |(class, payload): &(&str, Value)| {
        json!({"timestamp": "2026-01-01T00:00:00Z", "type": class, "payload": payload}).to_string()
    };
    payloads.iter().map(record).collect::<Vec<_>>().join("\n")
}

#[test]
fn changes_that_codex_logs_are_those_of_files_whatever_tool_made_them() {
    let meta = ("session_meta", json!({"id": "s", "cwd": "/w"}));
    let call =
        json!({"type": "custom_tool_call", "call_id": "c", "name": "exec", "input": "await tools.apply_patch(p)"});
    let output = json!({"type": "custom_tool_call_output", "call_id": "c", "output": "done"});
    let change = |id: &str| {
        json!({"type": "patch_apply_end", "call_id": id, "success": true,
            "changes": {"/w/a": {"type": "add", "content": "one\ntwo\n"}}})
    };
    for id in ["c", "exec-1"] {
        let text = codex(&[
            meta.clone(),
            ("response_item", call.clone()),
            ("event_msg", change(id)),
            ("response_item", output.clone()),
        ]);
        assert_eq!(known(&text, "/w/a").0, "\"all\" one patch|two patch", "{id}");
    }
}

#[test]
fn a_total_of_tokens_that_does_not_grow_by_the_answer_is_a_finding() {
    let count = |total: u32, last: u32| {
        let tokens = |n: u32| json!({"input_tokens": n, "output_tokens": n, "total_tokens": 2 * n});
        let info = json!({"total_token_usage": tokens(total), "last_token_usage": tokens(last)});
        ("event_msg", json!({"type": "token_count", "info": info}))
    };
    let meta = ("session_meta", json!({"id": "s", "cwd": "/w"}));
    let rules = |counts: &[(u32, u32)]| {
        let counts = counts.iter().map(|(total, last)| count(*total, *last));
        let text = codex(&std::iter::once(meta.clone()).chain(counts).collect::<Vec<_>>());
        let folder = tempfile::tempdir().unwrap();
        let (_, found, _) = obelus(&["check", &file(folder.path(), "r.jsonl", &text), "--json"]);
        found.matches("log.replay-differs").count()
    };
    assert_eq!(rules(&[(10, 10), (30, 20), (30, 20), (35, 5)]), 0);
    assert_eq!(
        rules(&[(100, 10), (110, 10), (0, 0), (7, 7)]),
        0,
        "a total may go on from a file before, or begin anew"
    );
    assert_eq!(rules(&[(10, 10), (40, 20), (80, 20)]), 1, "the first of a file is reported");
}

#[test]
fn blank_lines_behind_a_whole_file_are_lines_of_it() {
    let write = call("1", "Write", &json!({"file_path": "/w/a", "content": "x\n"}));
    let shown = json!({"file": {"content": "\n\n", "startLine": 2, "totalLines": 4}});
    let text = claude(&[
        write,
        result("1", "ok", &json!({"type": "create"})),
        call("2", "Read", &json!({"file_path": "/w/a", "offset": 2})),
        result("2", "2\t\n3\t", &shown),
    ]);
    assert_eq!(known(&text, "/w/a").0, "\"all\" x write| view| view");
}
