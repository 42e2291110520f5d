//! Lines that Claude Code 2.1 writes beside messages, and what the model got in place of what is on the disk.

use super::command::{exported_messages, file, obelus};
use serde_json::{Value, json};

/// Lines of a session, each behind the one before; those without a place have no ids.
fn session(lines: &[Value]) -> String {
    let mut parent = Value::Null;
    let line = |(n, line): (usize, &Value)| {
        let mut line = line.clone();
        line["sessionId"] = json!("s");
        if line["type"] != "last-prompt" {
            line["uuid"] = json!(n.to_string());
            line["parentUuid"] = std::mem::replace(&mut parent, json!(n.to_string()));
            line["version"] = json!("2.1.197");
            line["isSidechain"] = json!(false);
            line["cwd"] = json!("/w");
        }
        line.to_string()
    };
    lines.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
}

fn user(content: Value) -> Value {
    json!({"type": "user", "message": {"role": "user", "content": content}})
}

fn call(id: &str, name: &str, input: Value) -> Value {
    json!({"type": "assistant", "message": {"id": "m", "role": "assistant", "usage": {"input_tokens": 1,
        "output_tokens": 1}, "content": [{"type": "tool_use", "id": id, "name": name, "input": input}]}})
}

fn result(id: &str, text: &str) -> Value {
    user(json!([{"type": "tool_result", "tool_use_id": id, "content": text}]))
}

#[test]
fn a_line_about_the_session_has_the_window_of_the_message_before() {
    let folder = tempfile::tempdir().unwrap();
    let end = json!({"type": "last-prompt", "lastPrompt": "do it", "leafUuid": "0"});
    let path = file(folder.path(), "s.jsonl", &session(&[user(json!("do it")), end]));
    let (_, view, _) = obelus(&["render", &path]);
    assert_eq!(view.trim(), "user: do it");
    let (_, context, _) = obelus(&["context", &path, "--json"]);
    assert!(context.contains("\"count\":1"), "{context}");
}

#[test]
fn calls_of_one_answer_are_one_message_though_results_come_between() {
    let folder = tempfile::tempdir().unwrap();
    let lines = [
        user(json!("do it")),
        call("a", "Glob", json!({})),
        result("a", "denied"),
        call("b", "Grep", json!({})),
        result("b", "found"),
    ];
    let all = exported_messages(&file(folder.path(), "s.jsonl", &session(&lines)));
    let roles: Vec<&Value> = all.iter().map(|message| &message["role"]).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "tool"]);
    assert_eq!(all[1]["tool_calls"].as_array().unwrap().len(), 2);
    assert_eq!((&all[2]["tool_call_id"], &all[3]["tool_call_id"]), (&json!("a"), &json!("b")));
}

#[test]
fn what_the_program_puts_into_the_queue_is_no_word_of_the_user() {
    let folder = tempfile::tempdir().unwrap();
    let queued = |mode: &str, prompt: &str| json!({"type": "attachment", "attachment": {"type": "queued_command", "prompt": prompt, "commandMode": mode}});
    let lines =
        [user(json!("do it")), queued("task-notification", "<task-notification>"), queued("prompt", "and that")];
    let all = exported_messages(&file(folder.path(), "s.jsonl", &session(&lines)));
    let roles: Vec<&Value> = all.iter().map(|message| &message["role"]).collect();
    assert_eq!(roles, ["user", "system", "user"]);
}

#[test]
fn a_long_output_is_to_the_model_the_notice_in_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let notice = "<persisted-output>\nOutput too large (9KB). Full output saved to: /x/s/tool-results/o.txt\n\nPreview";
    let lines = [user(json!("do it")), call("a", "Bash", json!({"command": "seq 9"})), result("a", notice)];
    let path = file(folder.path(), "s.jsonl", &session(&lines));
    std::fs::create_dir_all(folder.path().join("s/tool-results")).unwrap();
    file(folder.path(), "s/tool-results/o.txt", &"whole output\n".repeat(100));
    let (_, view, _) = obelus(&["render", &path]);
    assert!(view.contains("Preview") && !view.contains("whole output"), "{view}");
    assert_eq!(exported_messages(&path).last().unwrap()["content"], json!(notice));
}

#[test]
fn places_of_a_file_that_somebody_edited_are_shown_lines() {
    let folder = tempfile::tempdir().unwrap();
    let edited = json!({"type": "attachment", "attachment": {"type": "edited_text_file", "filename": "/w/a",
        "snippet": "1\tone\n2\tTWO"}});
    let read = "     1→one\n     2→two\n     3→three\n";
    let lines = [user(json!("do it")), call("a", "Read", json!({"file_path": "/w/a"})), result("a", read), edited];
    let path = file(folder.path(), "s.jsonl", &session(&lines));
    let (_, blame, _) = obelus(&["blame", &path, "--file", "/w/a", "--json"]);
    let blame: Value = serde_json::from_str(&blame).unwrap();
    let texts: Vec<&Value> = blame["blame"].as_array().unwrap().iter().map(|line| &line["text"]).collect();
    assert_eq!(texts, ["one", "TWO", "three"]);
    let (_, found, _) = obelus(&["check", &path]);
    assert!(found.contains("work.changed-outside"), "nobody in the run edited it: {found}");
}

#[test]
fn files_that_the_model_is_shown_are_known_and_in_the_window() {
    let folder = tempfile::tempdir().unwrap();
    let content = json!({"type": "text", "file": {"filePath": "/w/a", "content": "one\ntwo\n", "numLines": 3,
        "startLine": 1, "totalLines": 3}});
    let shown = json!({"type": "attachment", "attachment": {"type": "file", "filename": "/w/a", "content": content}});
    let path = file(folder.path(), "s.jsonl", &session(&[user(json!("look at @a")), shown]));
    let (_, files, _) = obelus(&["files", &path, "--json"]);
    assert!(files.contains(r#""path":"/w/a","known":"all","lines":2"#), "{files}");
    let (_, files, _) = obelus(&["files", &path]);
    assert!(files.contains("all 2 lines") && !files.contains("edit"), "nothing edited it: {files}");
    let (_, view, _) = obelus(&["render", &path]);
    assert!(view.contains("two"), "{view}");
}

#[test]
fn a_command_that_was_interrupted_may_have_changed_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let write = json!({"file_path": "/w/a", "content": "x\n"});
    let rejected = "The user doesn't want to proceed with this tool use. The tool use was rejected";
    let doubt = |last: &str| {
        let lines = [
            user(json!("do it")),
            call("a", "Write", write.clone()),
            result("a", "File created successfully at: /w/a"),
            call("b", "Bash", json!({"command": "sed -i 1d /w/a; sleep 60"})),
            result("b", rejected),
            user(json!([{"type": "text", "text": last}])),
        ];
        let path = file(folder.path(), "s.jsonl", &session(&lines));
        let (_, files, _) = obelus(&["files", &path, "--json"]);
        let files: Value = serde_json::from_str(&files).unwrap();
        files["files"][0]["doubt"].clone()
    };
    assert_eq!(doubt("[Request interrupted by user for tool use]"), 5);
    assert_eq!(doubt("no, leave it"), Value::Null, "a refusal alone changes nothing");
}

#[test]
fn a_command_that_the_user_ran_has_its_effects() {
    let folder = tempfile::tempdir().unwrap();
    let lines = [
        user(json!("<bash-input>echo hi > b.txt; cat b.txt</bash-input>")),
        user(json!("<bash-stdout>hi\n</bash-stdout><bash-stderr></bash-stderr>")),
    ];
    let path = file(folder.path(), "s.jsonl", &session(&lines));
    let (_, blame, _) = obelus(&["blame", &path, "--file", "/w/b.txt", "--json"]);
    assert!(blame.contains(r#""text":"hi","step":1"#) && blame.contains("command"), "{blame}");
    let (_, stats, _) = obelus(&["stats", &path, "--json"]);
    assert!(stats.contains(r#""calls":0"#), "{stats}");
}

#[test]
fn what_the_program_says_for_the_model_is_exported_as_nobodys_words() {
    let folder = tempfile::tempdir().unwrap();
    let fault = json!({"type": "assistant", "isApiErrorMessage": true, "message": {"id": "x", "role": "assistant",
        "model": "<synthetic>", "content": [{"type": "text", "text": "API Error: 400"}]}});
    let mut notice = user(json!("<task-notification>done</task-notification>"));
    notice["origin"] = json!({"kind": "task-notification"});
    let all = exported_messages(&file(folder.path(), "s.jsonl", &session(&[user(json!("do it")), notice, fault])));
    let roles: Vec<&Value> = all.iter().map(|message| &message["role"]).collect();
    assert_eq!(roles, ["user", "system"]);
}

#[test]
fn a_stream_spends_what_its_result_says() {
    let folder = tempfile::tempdir().unwrap();
    let lines = [
        json!({"type": "system", "subtype": "init", "session_id": "s", "cwd": "/w", "tools": [], "model": "m"}),
        json!({"type": "assistant", "session_id": "s", "message": {"id": "m1", "role": "assistant", "usage":
            {"input_tokens": 9, "output_tokens": 1, "cache_read_input_tokens": 4}, "content":
            [{"type": "text", "text": "Hi."}]}}),
        json!({"type": "result", "subtype": "success", "session_id": "s", "result": "Hi.", "total_cost_usd": 0.5,
            "modelUsage": {"m": {"inputTokens": 20, "outputTokens": 7, "cacheReadInputTokens": 4}}}),
    ];
    let text = lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    let path = file(folder.path(), "stream.jsonl", &text);
    let (_, state, _) = obelus(&["state", &path, "--json"]);
    let state: Value = serde_json::from_str(&state).unwrap();
    let spent = &state["state"]["usage"]["main"];
    assert_eq!((&spent["input"], &spent["output"], &spent["cache_read"]), (&json!(20), &json!(7), &json!(4)));
    assert_eq!((&spent["turns"], &spent["cost"]), (&json!(1), &json!(0.5)));
}

/// W10: the cost of a result is that of the session so far.
#[test]
fn the_cost_of_a_stream_is_that_of_its_last_result() {
    let folder = tempfile::tempdir().unwrap();
    let result = |cost: f64| json!({"type": "result", "subtype": "success", "session_id": "s", "total_cost_usd": cost});
    let init = json!({"type": "system", "subtype": "init", "session_id": "s", "cwd": "/w", "tools": [], "model": "m"});
    let text = [init, result(0.5), result(0.75)].map(|line| line.to_string() + "\n").concat();
    let (_, state, _) = obelus(&["state", &file(folder.path(), "stream.jsonl", &text), "--json"]);
    let state: Value = serde_json::from_str(&state).unwrap();
    assert_eq!(state["state"]["usage"]["main"]["cost"], json!(0.75));
}

/// W10: without tokens by model, the end of an answer and the result tell what its lines did not know yet.
#[test]
fn a_stream_of_an_old_version_spends_what_events_and_its_result_say() {
    let folder = tempfile::tempdir().unwrap();
    let event = |event: Value| json!({"type": "stream_event", "session_id": "s", "event": event});
    let usage = json!({"input_tokens": 9, "output_tokens": 1, "cache_read_input_tokens": 4});
    let events = [
        event(json!({"type": "message_start", "message": {"id": "m1", "usage": usage}})),
        event(json!({"type": "message_delta", "usage": {"output_tokens": 7}})),
    ];
    let [init, answer, result] = [
        json!({"type": "system", "subtype": "init", "session_id": "s", "cwd": "/w", "tools": [], "model": "m"}),
        json!({"type": "assistant", "session_id": "s", "message": {"id": "m1", "role": "assistant", "usage": usage,
            "content": [{"type": "text", "text": "Hi."}]}}),
        json!({"type": "result", "subtype": "success", "session_id": "s", "result": "Hi.",
            "usage": {"input_tokens": 9, "output_tokens": 8, "cache_read_input_tokens": 4}}),
    ];
    let [start, end] = &events;
    for (lines, output) in [
        (vec![&init, start, &answer, end], 7),
        (vec![&init, start, end, &answer], 7),
        (vec![&init, start, &answer, end, &result], 8),
        (vec![&init, &answer, &result, &result], 8),
    ] {
        let text = lines.iter().map(|line| line.to_string() + "\n").collect::<String>();
        let (_, state, _) = obelus(&["state", &file(folder.path(), "stream.jsonl", &text), "--json"]);
        let state: Value = serde_json::from_str(&state).unwrap();
        let spent = &state["state"]["usage"]["main"];
        let counts = ["input", "output", "cache_read", "turns"].map(|slot| &spent[slot]);
        assert_eq!(counts, [&json!(9), &json!(output), &json!(4), &json!(1)], "{text}");
    }
}

#[test]
fn atif_has_the_model_the_tokens_of_each_answer_and_their_sums() {
    let folder = tempfile::tempdir().unwrap();
    let answer = |id: &str, output: u32| {
        json!({"type": "assistant", "message": {"id": id, "role": "assistant", "model": "m", "usage":
            {"input_tokens": 10, "cache_read_input_tokens": 5, "output_tokens": output}, "content":
            [{"type": "text", "text": "Hi."}]}})
    };
    let lines = [user(json!("do it")), answer("a", 2), user(json!("more")), answer("b", 3)];
    let path = file(folder.path(), "s.jsonl", &session(&lines));
    let out = format!("{path}.atif.jsonl");
    let (status, _, stderr) = obelus(&["export", &path, "--to", "atif", "--out", &out]);
    assert_eq!(status, 0, "{stderr}");
    let row: Value = serde_json::from_str(&std::fs::read_to_string(&out).unwrap()).unwrap();
    let metrics = |output: u32| json!({"prompt_tokens": 15, "completion_tokens": output, "cached_tokens": 5});
    assert_eq!((&row["agent"]["model_name"], &row["steps"][1]["metrics"]), (&json!("m"), &metrics(2)));
    assert_eq!(row["steps"][3]["metrics"], metrics(3));
    let sums = json!({"total_prompt_tokens": 30, "total_completion_tokens": 5, "total_cached_tokens": 10});
    assert_eq!(row["final_metrics"], sums);
    let (status, found, _) = obelus(&["check", &out]);
    assert_eq!(status, 0, "{found}");
}

#[test]
fn what_a_compaction_preserves_is_behind_its_summary() {
    let folder = tempfile::tempdir().unwrap();
    let boundary = |anchor: &str| {
        json!({"type": "system", "subtype": "compact_boundary", "content": "compacted", "compactMetadata":
            {"preservedSegment": {"headUuid": "1", "anchorUuid": anchor, "tailUuid": "2"}}})
    };
    let answer = json!({"type": "assistant", "message": {"id": "m", "role": "assistant", "content": "done"}});
    let mut summary = user(json!("so far"));
    summary["isCompactSummary"] = json!(true);
    for (anchor, expected) in [("4", ["so far", "more", "done"]), ("3", ["more", "done", "so far"])] {
        let lines = [
            user(json!("first")),
            user(json!("more")),
            answer.clone(),
            boundary(anchor),
            summary.clone(),
            user(json!("on")),
        ];
        let path = file(folder.path(), &format!("{anchor}.jsonl"), &session(&lines));
        let (_, view, _) = obelus(&["render", &path]);
        let at = |word: &str| view.find(word).unwrap_or_else(|| panic!("{word} in {view}"));
        let places: Vec<usize> = expected.iter().chain(&["on"]).map(|word| at(&format!(": {word}"))).collect();
        assert!(places.is_sorted(), "{view}");
        assert!(!view.contains(": first"), "{view}");
    }
}

/// A later version lists what it preserves; the last of these is logged behind the summary, with an older time.
#[test]
fn what_a_compaction_lists_is_preserved_wherever_it_is_logged() {
    let folder = tempfile::tempdir().unwrap();
    let listed = json!({"preservedSegment": {"headUuid": "1", "anchorUuid": "3", "tailUuid": "4"},
        "preservedMessages": {"anchorUuid": "3", "uuids": ["1", "4"]}});
    let boundary =
        json!({"type": "system", "subtype": "compact_boundary", "content": "compacted", "compactMetadata": listed});
    let mut summary = user(json!("so far"));
    summary["isCompactSummary"] = json!(true);
    let answer = json!({"type": "assistant", "message": {"id": "m", "role": "assistant", "content": "done"}});
    let lines = [user(json!("first")), user(json!("more")), boundary, summary, answer, user(json!("on"))];
    let path = file(folder.path(), "s.jsonl", &session(&lines));
    let (_, view, _) = obelus(&["render", &path]);
    assert_eq!(view.trim(), "user: so far\n\nuser: more\n\nagent: done\n\nuser: on");
}

#[test]
fn commands_and_what_they_print_have_no_tags_in_the_list_of_steps() {
    let folder = tempfile::tempdir().unwrap();
    let by_program = |content: &str| json!({"type": "system", "subtype": "local_command", "content": content});
    let lines = [
        user(json!(
            "<command-name>/model</command-name>\n  <command-message>model</command-message>\n  <command-args>opus</command-args>"
        )),
        user(json!("<local-command-stdout>Set model to \u{1b}[1mOpus\u{1b}[22m</local-command-stdout>")),
        user(json!("<bash-input>ls</bash-input>")),
        user(json!("<bash-stdout>a.txt</bash-stdout><bash-stderr></bash-stderr>")),
        user(
            json!([{"type": "text", "text": "<system-reminder>brief</system-reminder>"}, {"type": "text", "text": "go"}]),
        ),
        user(json!("where is <command-name>x</command-name>?")),
        by_program("<command-name>/usage</command-name>\n<command-args></command-args>"),
        by_program("<local-command-stdout>9 tokens</local-command-stdout>"),
        by_program("Remote control disconnected"),
    ];
    let path = file(folder.path(), "s.jsonl", &session(&lines));
    let (_, steps, _) = obelus(&["steps", &path]);
    let lines: Vec<&str> = steps.lines().collect();
    let expected = [
        "/model opus",
        "Set model to Opus",
        "! ls",
        "a.txt",
        "go",
        "where is <command-name>x</command-name>?",
        "/usage",
        "9 tokens",
        "Remote control disconnected",
    ];
    let shown = &lines[lines.len() - expected.len()..];
    shown.iter().zip(expected).for_each(|(line, words)| assert!(line.ends_with(words), "{words}\n{steps}"));
}

#[test]
fn a_fork_names_the_session_that_asked_for_the_answers_it_copied() {
    let answer = |id: &str, origin: Option<&str>| {
        let mut answer = call(id, "Bash", json!({"command": "ls"}));
        answer["message"]["id"] = json!(format!("m{id}"));
        answer["message"]["usage"] = json!({"input_tokens": 10, "output_tokens": 3});
        if let Some(origin) = origin {
            answer["requestSessionId"] = json!(origin);
        }
        answer
    };
    let cost = json!({"type": "cost-state", "totalCostUSD": 0.5, "modelUsage": {}});
    let spent = |origin: &str| {
        let lines = [answer("1", Some(origin)), result("1", "a"), answer("2", None), result("2", "a"), cost.clone()];
        let folder = tempfile::tempdir().unwrap();
        let path = file(folder.path(), "s.jsonl", &session(&lines));
        let (_, state, _) = obelus(&["state", &path, "--json"]);
        let state = serde_json::from_str::<Value>(&state).unwrap()["state"].clone();
        (state["usage"]["main"].clone(), state["session"]["main"]["forkedFrom"].clone())
    };
    let usage = |n: u32| json!({"input": 10 * n, "output": 3 * n, "turns": n});
    assert_eq!(spent("old"), (usage(1), json!("old")), "the total is that of the other session too");
    let (mut all, origin) = spent("s");
    assert_eq!(all.as_object_mut().unwrap().remove("cost"), Some(json!(0.5)));
    assert_eq!((all, origin), (usage(2), Value::Null));
}

#[test]
fn a_call_that_was_not_permitted_is_rejected() {
    let mut denied = result("1", "writing there needs approval");
    denied["message"]["content"][0]["is_error"] = json!(true);
    let mut noted = denied.clone();
    noted["permissionDecision"] = json!({"decision": "reject", "source": "config"});
    let folder = tempfile::tempdir().unwrap();
    let reason = |result: Value| {
        let lines = [call("1", "Write", json!({"file_path": "a", "content": "x"})), result];
        let path = file(folder.path(), "s.jsonl", &session(&lines));
        let (_, steps, _) = obelus(&["steps", &path, "--json"]);
        serde_json::from_str::<Value>(steps.lines().nth(1).unwrap()).unwrap()["reason"].clone()
    };
    assert_eq!(reason(noted), "rejected");
    let mut other = denied.clone();
    other["toolUseResult"] = json!({"decision": "reject"});
    assert_eq!(reason(other), "flag", "it is what a tool answers");
    assert_eq!(reason(denied.clone()), "flag");
    denied["message"]["content"][0]["content"] =
        json!("Claude requested permissions to write to a, but you haven't granted it yet.");
    assert_eq!(reason(denied), "rejected");
}
