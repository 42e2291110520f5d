//! What a file is taken for, seen from outside: records of other programs that resemble a format, files without a
//! record, files that no format fits.

use super::command::{file, obelus};
use std::fs;

/// The format of a file with this text.
fn format(text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "f", text);
    let (_, stdout, stderr) = obelus(&["formats", "--json", &path]);
    let report: serde_json::Value = serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{text}: {stderr}"));
    report["format"].as_str().unwrap().to_owned()
}

#[test]
fn what_resembles_a_format_is_not_taken_for_it() {
    let monolog = concat!(
        r#"{"message":"User login","context":[],"level":200,"channel":"app"}"#,
        "\n",
        r#"{"message":"DB slow","context":{"ms":900},"level":300,"channel":"app"}"#,
        "\n"
    );
    let typed = r#"{"messages":[{"role":"system","content":"s","type":"system"},{"role":"user","content":"x"},
        {"role":"assistant","content":"y"}]}"#;
    let looked_up =
        r#"{"messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y"}],"context":["d"]}"#;
    let dialogue = r#"{"sender_id":"u","slots":{"name":"Ann","city":null},"events":[{"event":"action"}]}"#;
    for (text, expect) in [
        ("{\"x\":1}\n{\"y\":2}\n{\"context\":[]}\n", "generic"),
        (r#"{"app_name":"shop","events":[{"type":"click","timestamp":1}]}"#, "generic"),
        (r#"{"values":[1],"next":"/page/2","config":{"thread_id":"t"},"metadata":{}}"#, "generic"),
        (r#"{"type":"FormState","agent_state":"idle","message_thread":null}"#, "generic"),
        (monolog, "generic"),
        ("{\"context\":[]}", "acts"),
        ("{\"x\":1}\n{\"context\":[{\"type\":\"state\",\"state\":1}]}\n", "acts"),
        (typed, "messages"),
        (looked_up, "messages"),
        (dialogue, "generic"),
        ("{\"slots\":{}}", "scopix"),
        (r#"{"name":"deploy","steps":[{"step_id":"build","run":"make"}]}"#, "generic"),
        (r#"{"steps":[{"step_id":1,"source":"user","message":"m"}]}"#, "atif"),
        (r#"{"trajectory":[{"role":"user","content":"x"}]}"#, "adp"),
        (r#"{"conversations":[{"from":"human","value":"x"}]}"#, "sharegpt"),
        (r#"{"conversations":[{"id":"1","title":"t"}]}"#, "generic"),
        (r#"{"prompt":"2+2?","completion":"4"}"#, "messages"),
        (r#"{"simulations":[{"task_id":"7","messages":[{"role":"user","content":"x"}]}],"info":{}}"#, "messages"),
        (r#"{"simulations":[{"id":1,"messages":["x"]}]}"#, "generic"),
        (r#"{"env":"e","model":"m","num_examples":1,"rollouts_per_example":1}"#, "verifiers"),
        (r#"{"reward":1,"traj":[{"role":"user","content":"x"}]}"#, "messages"),
        (r#"{"a":{"messages":[{"role":"user","content":"x"}]},"b":{}}"#, "generic"),
        (r#"[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]"#, "messages"),
        (r#"[{"role":"user","content":{"type":"input","input":{"x":1}}}]"#, "acts"),
        (r#"{"title":"t","mapping":{"user":"name"},"current_node":"x"}"#, "generic"),
        (r#"{"uuid":"u","chat_messages":[{"role":"user","content":"x"}]}"#, "generic"),
        (r#"{"id":"1","title":"t","updated_at":"2026","messages":[{"role":"user","content":"x"}]}"#, "messages"),
        (r#"{"conversation_id":"c","history":[{"role":"user","content":"x"}]}"#, "generic"),
        (r#"{"sessionId":"s","history":[{"message":"x"}],"workspaceDirectory":"/w"}"#, "generic"),
        (r#"{"conversationId":"c","messages":[{"role":"user","content":"x"}]}"#, "messages"),
        (r#"{"history":[{"role":"user","content":"x"}],"mistake_agent":"a"}"#, "generic"),
        (r#"[{"name":"Ann","role":"admin"},{"name":"Bob","role":"user"}]"#, "generic"),
        (r#"[{"role":"user","content":"x"},{"role":"assistant","cont"#, "generic"),
        ("{\"role\":\"user\",\"content\":\"x\"}\n{\"role\":\"assistant\",\"content\":\"y\"}\n", "messages"),
    ] {
        assert_eq!(format(text), expect, "{text}");
    }
}

/// The texts of steps, with record and number.
fn steps(path: &str) -> Vec<(u64, u64, String)> {
    let (status, stdout, stderr) = obelus(&["steps", "--json", path]);
    assert!(status == 0 && (stderr.is_empty() || stderr.contains("that cannot be read")), "{stderr}");
    let bytes = fs::read(path).unwrap();
    let step = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let number = |value: &serde_json::Value| value.as_u64().unwrap();
        let (from, len) = (number(&line["place"]["offset"]) as usize, number(&line["place"]["len"]) as usize);
        let text = String::from_utf8(bytes[from..from + len].to_vec()).unwrap();
        (number(&line["record"]), number(&line["step"]), text)
    };
    stdout.lines().map(step).collect()
}

#[test]
fn named_trajectories_are_a_record_each() {
    let folder = tempfile::tempdir().unwrap();
    let turn = |id: u32, rest: &str| format!("{{\"step_id\":{id},\"source\":\"agent\",\"message\":\"m{id}\"{rest}}}");
    let run = |id: &str, turns: &[String]| {
        format!("{{\"schema_version\":\"ATIF-v1.6\",\"session_id\":\"{id}\",\"steps\":[{}]}}", turns.join(","))
    };
    let refers = ",\"observation\":{\"results\":[{\"subagent_trajectory_ref\":[{\"session_id\":\"two\"}]}]}";
    let (first, second, third) = (turn(1, refers), turn(2, ""), turn(1, ""));
    let (one, two) = (run("one", &[first.clone(), second.clone()]), run("two", std::slice::from_ref(&third)));
    let path = file(folder.path(), "n.json", &format!("{{\"parent\":{one},\n \"child\":{two}}}\n"));
    assert_eq!(steps(&path), [(0, 0, first), (0, 1, second), (1, 0, third)]);
    assert!(obelus(&["steps", &path]).1.contains("→ subagent trajectory two"));
    let (_, stdout, _) = obelus(&["query", &path, ".session_id"]);
    assert_eq!(stdout, "\"one\"\n\"two\"\n");
    assert_eq!(obelus(&["check", &path]).1, "no findings in 1 file\n");
    let (_, stdout, _) = obelus(&["stats", "--format", "adp", "--json", &path]);
    assert!(stdout.lines().last().unwrap().contains("\"shapes\":{\"other\":1}"), "D2 knows no names: {stdout}");
}

#[test]
fn a_named_trajectory_that_is_torn_or_at_fault_hides_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let step = r#"{"step_id":1,"source":"user","message":"m"}"#;
    let run = format!(r#"{{"schema_version":"ATIF-v1.6","session_id":"s","steps":[{step}]}}"#);
    let whole = format!("{{\"parent\":{run},\n\"child\":{run}}}");
    let fault = format!("{}]}}}}", &whole[..whole.len() - 2]);
    for (text, is_torn) in [(&whole[..whole.len() - 4], true), (&whole[..whole.len() - 60], true), (&fault, false)] {
        let path = file(folder.path(), "n.json", text);
        if is_torn {
            assert_eq!(steps(&path), [(0, 0, step.to_owned())], "{text}");
        }
        let (_, stdout, _) = obelus(&["check", "--format", "atif", &path]);
        assert!(
            stdout.contains("n.json:2: error: the record is not valid JSON") && stdout.contains("record 1"),
            "{stdout}"
        );
    }
}

#[test]
fn an_array_of_messages_is_one_trajectory() {
    let folder = tempfile::tempdir().unwrap();
    let messages = ["{\"role\":\"user\",\"content\":\"a\"}", "{\"role\":\"assistant\",\"content\":\"b \"}"];
    let array = format!("[{}]", messages.join(",\n"));
    let path = file(folder.path(), "one.json", &array);
    let [first, second] = messages.map(str::to_owned);
    assert_eq!(steps(&path), [(0, 0, first.clone()), (0, 1, second.clone())]);
    let lines = array.replace('\n', "") + "\n";
    let several = file(folder.path(), "two.jsonl", &lines.repeat(2));
    assert_eq!(steps(&several), [(0, 0, first.clone()), (0, 1, second.clone()), (1, 0, first), (1, 1, second)]);
    let (_, stdout, _) = obelus(&["check", "--json", &several]);
    let report: serde_json::Value = serde_json::from_str(stdout.lines().next().unwrap()).unwrap();
    assert_eq!((&report["path"], &report["rule"]), (&"".into(), &"adp.duplicate-content".into()), "{stdout}");
    let mute = file(folder.path(), "mute.json", "[{\"role\":\"user\",\"content\":\"\"}]");
    let (_, stdout, _) = obelus(&["check", "--json", &mute]);
    assert!(stdout.contains("\"path\":\"/0/content\",\"rule\":\"sft.empty\""), "{stdout}");
    let out = folder.path().join("out.jsonl");
    let (status, _, stderr) = obelus(&["export", &path, "--to", "messages", "--out", out.to_str().unwrap()]);
    assert_eq!(status, 0, "{stderr}");
    assert_eq!(fs::read_to_string(out).unwrap(), format!("{{\"messages\":[{}]}}\n", messages.join(",")));
    let (_, stdout, _) = obelus(&["stats", "--format", "adp", "--json", &path]);
    assert!(stdout.lines().last().unwrap().contains("\"shapes\":{\"other\":2}"), "D1, D2: {stdout}");
}

#[test]
fn a_mark_without_a_text_is_an_empty_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "bom.json", "\u{feff}");
    for name in ["auto", "acts", "adp", "scopix", "generic"] {
        let (status, stdout, stderr) = obelus(&["check", "--format", name, &path]);
        assert_eq!((status, stdout.as_str()), (0, "no findings in 1 file\n"), "{name}: {stderr}");
        let (status, stdout, stderr) = obelus(&["steps", "--format", name, &path]);
        assert_eq!((status, stdout.as_str(), stderr.as_str()), (0, "", ""), "{name}");
    }
    fs::write(&path, b"\xef\xbb").unwrap();
    assert_eq!(obelus(&["check", &path]).0, 2, "half a mark is not text");
}

#[test]
fn a_pickle_is_reported_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.jsonl");
    fs::write(&path, b"\x80\x04\x95\x0b\0\0\0\0\0\0\0}\x94\x8c\x01a\x94K\x01s.\n").unwrap();
    let (status, stdout, stderr) = obelus(&["steps", path.to_str().unwrap()]);
    assert_eq!((status, stdout.as_str(), stderr.lines().count()), (2, "", 1), "{stderr}");
    assert!(stderr.contains("is a Python pickle"), "{stderr}");
}

#[test]
fn commands_say_that_no_format_fits() {
    let folder = tempfile::tempdir().unwrap();
    let rows = "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]}\n{\"a\":1}\n{\"a\":1}\n";
    let path = file(folder.path(), "g.jsonl", rows);
    let nearest = "the nearest is adp (Agent Data Protocol): 1 of 3 records have the shape of a trajectory";
    let (_, stdout, _) = obelus(&["formats", &path]);
    assert!(stdout.contains(nearest) && stdout.contains("--format"), "{stdout}");
    let (status, stdout, stderr) = obelus(&["steps", &path]);
    assert!(status == 0 && stdout.lines().count() == 3 && stderr.contains(nearest), "{stderr}");
    assert!(obelus(&["stats", &path]).1.contains("JSON records, no other format fits"));
    let (status, stdout, _) = obelus(&["check", &path]);
    assert!(status == 0 && stdout.starts_with("no findings in 1 file, which no format fits"), "{stdout}");
    let (_, stdout, _) = obelus(&["check", &path, &file(folder.path(), "c.json", "{\"context\":[]}")]);
    assert!(stdout.starts_with("no findings in 2 files, 1 of which no format fits"), "{stdout}");
    for arguments in [vec!["steps", "--json", &path], vec!["steps", "--format", "generic", &path]] {
        assert_eq!(obelus(&arguments).2, "", "asked for, or for programs");
    }
    let (_, stdout, _) = obelus(&["check", "--format", "generic", &path]);
    assert_eq!(stdout, "no findings in 1 file\n");
}

#[test]
fn tokens_are_the_estimate_that_filters_have() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "g.jsonl", "{\"msg\":\"twelve words\"}\n");
    for line in obelus(&["stats", "--json", &path]).1.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!((&line["chars"], &line["tokens_est"], &line["tokens"]), (&12.into(), &3.into(), &().into()));
    }
    assert_eq!(obelus(&["steps", &path, "--where", "tokens=3"]).1.lines().count(), 1);
}

#[test]
fn faults_of_lines_are_reported_without_the_words_of_parsers() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "log", "{\"n\":1}\nthird\n# x\n{\"a\":\n");
    for name in ["generic", "acts", "adp", "scopix"] {
        let (_, stdout, _) = obelus(&["check", "--format", name, &path]);
        assert!(stdout.matches("the record is not valid JSON: ").count() >= 2, "{name}: {stdout}");
        for jargon in ["ident", "expected value", "expected a value", "EOF"] {
            assert!(!stdout.contains(jargon), "{name}: {stdout}");
        }
    }
}

#[test]
fn the_draft_of_a_format_says_above_which_one_is_nearest() {
    let folder = tempfile::tempdir().unwrap();
    let line = r#"{"type":"user","sessionId":"s","version":"1","uuid":"u","message":{"role":"user","content":"x"}}"#;
    let path = file(folder.path(), "near.jsonl", &format!("{line}\n{line}\n"));
    let (status, draft, stderr) = obelus(&["formats", "--explain", &path]);
    assert_eq!((status, stderr.as_str()), (0, ""));
    let nearest =
        "# the nearest is claude-code (a Claude Code session): 5 of 6 members of its records, not `isSidechain`";
    assert_eq!(draft.lines().nth(1), Some(nearest), "{draft}");
    let forced = obelus(&["formats", "--explain", "--format", "generic", &path]).1;
    assert!(forced.contains("[[steps]]") && !forced.contains("nearest"), "{forced}");
}

#[test]
fn half_a_character_in_a_log_costs_no_record() {
    let folder = tempfile::tempdir().unwrap();
    let line = |uuid: &str, text: &str| {
        format!(
            r#"{{"type":"user","sessionId":"s","version":"1","isSidechain":false,"uuid":"{uuid}","message":{{"role":"user","content":"{text}"}}}}"#
        )
    };
    let text = [line("a", "cut \\ud83d here"), line("b", "whole")].join("\n");
    let path = file(folder.path(), "cut.jsonl", &format!("{text}\n"));
    let (status, stdout, _) = obelus(&["steps", &path]);
    assert!(status == 0 && stdout.contains("cut \u{FFFD} here") && stdout.contains("whole"), "{stdout}");
    let (status, stdout, _) = obelus(&["check", &path]);
    assert!(status == 1 && stdout.contains("a lone surrogate escape"), "{stdout}");
}

/// Each line is a list, which these formats do not read: no format is claimed whose steps would all be missing.
#[test]
fn lists_one_after_the_other_are_no_array_of_records() {
    let folder = tempfile::tempdir().unwrap();
    let exchange = r#"{"mode":"create","messages":[],"response":{"content":"a"}}"#;
    let message = r#"{"id":"m","role":"user","parts":[{"type":"text","text":"x"}]}"#;
    let snapshot = r#"{"values":{},"next":[],"config":{"configurable":{"thread_id":"t"}},"metadata":{"step":1}}"#;
    for (format, record) in [("autogen", exchange), ("ai-sdk", message), ("langgraph", snapshot)] {
        let path = folder.path().join("x.jsonl");
        let list = format!("[{record},{record}]\n");
        fs::write(&path, &list).unwrap();
        assert!(obelus(&["formats", path.to_str().unwrap()]).1.contains(format), "one array is read");
        fs::write(&path, list.repeat(2)).unwrap();
        let (_, found, _) = obelus(&["formats", path.to_str().unwrap()]);
        assert!(!found.contains(&format!(": {format} (")), "{found}");
        let (status, steps, _) = obelus(&["steps", path.to_str().unwrap()]);
        assert!(status == 0 && steps.lines().count() >= 2, "{format}: {steps}");
    }
}

/// What is seen of a first record that is longer than what is looked at may end anywhere in an item.
#[test]
fn a_long_first_record_is_known_wherever_the_part_of_it_that_is_read_ends() {
    let question = r#"{"role":"user","content":"what is it"}"#;
    let many = |item: &str| vec![item; (1 << 20) / item.len() + 40].join(",");
    let gemini = r#"{"role":"user","parts":[{"text":"what is it, then"}]}"#;
    for (head, item, tail) in [
        ("\"messages\":[", question.to_owned(), "]"),
        ("\"prompt\":\"q\",\"completions\":[", format!("[{question}]"), "]"),
        ("\"contents\":[", gemini.to_owned(), "]"),
        ("\"key\":\"k\",\"request\":{\"contents\":[", gemini.to_owned(), "]}"),
        ("\"trajectories\":[", format!(r#"{{"steps":[{{"chat_completions":[{question}]}}],"reward":1}}"#), "]"),
    ] {
        for padding in [0, item.len() * 3 / 5] {
            let row = format!("{{\"pad\":\"{}\",{head}{}{tail}}}\n", "p".repeat(padding), many(&item));
            assert_eq!(format(&row.repeat(2)), "messages", "{item} behind {padding}");
        }
    }
}
