//! `obelus stats`: parts that merge to the whole, and calls counted alone.

use super::command::{command_result, file, obelus, program};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

/// Exit status, stdout and stderr.
fn run(folder: &Path, arguments: &[&str], input: &str) -> (i32, String, String) {
    let mut child = program()
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    command_result(&output)
}

/// Records that repeat one another, cannot be read, have rewards that do not add up to the last digit, are of any
/// shape.
fn records() -> Vec<String> {
    let call = |id: &str, reward: &str, text: &str| {
        format!(
            r#"{{"id":{id},"content":[{{"class_":"text_observation","content":"{text}","source":"user"}},{{"class_":"api_action","function":"f","kwargs":{{}},"reward":{reward}}}]}}"#
        )
    };
    let chat = r#"{"id":"c","messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"<think>x"}]}"#;
    let atif =
        r#"{"schema_version":"ATIF-v1.4","session_id":"a","steps":[{"step_id":1,"source":"user","message":"x"}]}"#;
    vec![
        call("\"a\"", "0.1", "x"),
        call("\"b\"", "0.2", "x"),
        call("\"\\u0061\"", "1e16", "y"),
        chat.to_owned(),
        "{\"cut\":".to_owned(),
        atif.to_owned(),
        "[1]".to_owned(),
        call("\"b\"", "-1e16", "x"),
        chat.to_owned(),
        call("7", "0.3", "z"),
        call("7", "null", "<think>"),
        atif.to_owned(),
    ]
}

#[test]
fn any_parts_merge_to_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let records = records();
    let stats = |records: &[String]| {
        let (status, stdout, stderr) =
            run(folder, &["stats", "--json", "--format", "adp", "-"], &(records.join("\n") + "\n"));
        assert_eq!(status, 0, "{stderr}");
        stdout
    };
    let whole = stats(&records);
    assert!(whole.contains("\"adp.duplicate-content\":2,\"adp.duplicate-id\":6,"), "{whole}");
    let n = records.len();
    let two = (0..=n).map(|i| vec![0, i, n]);
    let more = [vec![0, 3, 3, 8, n], (0..=n).collect()];
    for cuts in two.chain(more) {
        let mut names = Vec::new();
        for (i, pair) in cuts.windows(2).enumerate() {
            names.push(format!("part-{i}"));
            fs::write(folder.join(&names[i]), stats(&records[pair[0]..pair[1]])).unwrap();
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (status, merged, stderr) = run(folder, &[&["stats", "--merge", "--json"], names.as_slice()].concat(), "");
        assert_eq!(status, 0, "{stderr}");
        assert_eq!(merged, whole, "{cuts:?}");
        let joined: String = names.iter().map(|name| fs::read_to_string(folder.join(name)).unwrap()).collect();
        assert_eq!(run(folder, &["stats", "--merge", "--json", "-"], &joined).1, whole, "one behind the other");
        fs::write(folder.join("again"), &merged).unwrap();
        assert_eq!(run(folder, &["stats", "--merge", "--json", "again"], "").1, whole, "a merged whole is a part");
    }
    let (_, output, _) = run(folder, &["stats", "--merge", "part-0", "part-1", "part-2"], "");
    assert!(output.starts_with("3 parts  Agent Data Protocol\n  records"), "{output}");
}

#[test]
fn runs_of_other_formats_merge_too() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let stats = |text: &str| run(folder, &["stats", "--json", "--format", "generic", "-"], text).1;
    let (a, b) = (stats("{\"a\":1}\n{\"b\":2}\n"), stats("{\"c\":1}\nno\n"));
    let (status, merged, stderr) = run(folder, &["stats", "--merge", "--json", "-"], &(a.clone() + &b));
    assert_eq!((status, merged.lines().count()), (0, 3), "{stderr}");
    let last: serde_json::Value = serde_json::from_str(merged.lines().last().unwrap()).unwrap();
    assert_eq!((&last["trajectories"], &last["steps"]), (&2.into(), &4.into()));
    let adp = run(folder, &["stats", "--json", "--format", "adp", "-"], &records()[0]).1;
    let whole = run(folder, &["stats", "--json", "--format", "adp", "-"], &records().join("\n")).1;
    for (parts, why) in [
        (a.clone() + &adp, "another format"),
        (a.lines().next().unwrap().to_owned(), "cut off"),
        ("{\"obelus\":1,\"type\":\"dataset\",\"records\":1}".to_owned(), "not a line of a dataset"),
        ("{}".to_owned(), "not a line of statistics"),
        ("x".to_owned(), "not valid JSON"),
        (whole.replacen("\"obelus\":1", "\"obelus\":2", 1), "standard input:1: this is of version 2"),
        (a.replacen("\"obelus\":1,", "", 1), "not a line of statistics"),
        (whole.lines().skip(1).map(|line| format!("{line}\n")).collect(), "not those of its trajectories"),
        (whole.replace("\"records\":12", "\"records\":11"), "not those of its trajectories"),
        (whole.lines().next().unwrap().to_owned() + "\n" + &whole, "not those of its trajectories"),
        (a.lines().skip(1).map(|line| format!("{line}\n")).collect(), "not those of its trajectories"),
        (String::new(), "no parts"),
    ] {
        let (status, _, stderr) = run(folder, &["stats", "--merge", "--json", "-"], &parts);
        assert!(status == 2 && stderr.contains(why), "{why}: {stderr}");
    }
}

#[test]
fn a_record_of_a_log_that_cannot_be_read_is_no_trajectory() {
    let folder = tempfile::tempdir().unwrap();
    let rollout = r#"{"id":0,"prompt":[{"role":"user","content":"q"}],"completion":"a","task":"t","reward":1.0}"#;
    let text = [rollout, "7", "{\"id\":1,\"pro", rollout].join("\n");
    let stats = |text: &str| run(folder.path(), &["stats", "--json", "--format", "verifiers", "-"], text).1;
    let of = |lines: &str| -> Vec<serde_json::Value> {
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let counts =
        |line: &serde_json::Value| ["trajectories", "runs", "unreadable", "with_errors"].map(|n| line[n].clone());
    let lines = of(&stats(&text));
    let records: Vec<_> = lines[..2].iter().map(|line| line["record"].clone()).collect();
    assert_eq!((records, lines.len()), (vec![0.into(), 3.into()], 3));
    assert_eq!(counts(&lines[2]), [2, 4, 2, 2].map(serde_json::Value::from));
    // Parts are numbered behind the records that cannot be read too.
    let (status, merged, stderr) =
        run(folder.path(), &["stats", "--merge", "--json", "-"], &(stats(&text) + &stats(&text)));
    assert_eq!(status, 0, "{stderr}");
    let merged = of(&merged);
    let records: Vec<_> = merged[..4].iter().map(|line| line["record"].clone()).collect();
    assert_eq!(records, [0, 3, 4, 7].map(serde_json::Value::from));
    assert_eq!(counts(&merged[4]), [4, 8, 4, 4].map(serde_json::Value::from));
}

#[test]
fn each_trace_of_a_file_is_a_trajectory() {
    let folder = tempfile::tempdir().unwrap();
    let span = |trace: &str, name: &str, at: u32| {
        let context = format!(r#"{{"traceId":"{trace}","spanId":"{name}"}}"#);
        format!(r#"{{"name":"{name}","spanContext":{context},"startTime":[{at},0]}}"#)
    };
    let text = [span("a", "x", 1), span("b", "y", 2), span("b", "z", 3)].join("\n");
    let (status, lines, stderr) = run(folder.path(), &["stats", "--json", "--format", "otel", "-"], &text);
    assert_eq!(status, 0, "{stderr}");
    let parsed: Vec<serde_json::Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let counts: Vec<_> = parsed.iter().map(|line| (line["trajectories"].as_u64(), line["steps"].as_u64())).collect();
    assert_eq!(counts, [(Some(2), Some(3)), (Some(2), Some(3))]);
    let (status, merged, stderr) = run(folder.path(), &["stats", "--merge", "--json", "-"], &(lines.clone() + &lines));
    assert_eq!(status, 0, "{stderr}");
    let last: serde_json::Value = serde_json::from_str(merged.lines().last().unwrap()).unwrap();
    assert_eq!(last["trajectories"], 4);
    // What another program wrote as a part may have any number.
    let first = lines.lines().next().unwrap().replace("\"trajectories\":2", &format!("\"trajectories\":{}", u64::MAX));
    let (status, _, stderr) =
        run(folder.path(), &["stats", "--merge", "--json", "-"], &format!("{first}\n{first}\n{lines}"));
    assert!(status == 2 && stderr.contains("not those of its trajectories"), "{stderr}");
}

#[test]
fn calls_are_counted_alone() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let long = "word ".repeat(600);
    let some = records();
    let record = |i: usize| {
        some[i % some.len()].replace("\"f\"", &format!("\"f{}\"", i % 99)).replace("\"x\"", &format!("\"{long}\""))
    };
    // Long enough for several threads.
    let text: String = (0..6000).map(|i| record(i) + "\n").collect();
    fs::write(folder.join("r.jsonl"), &text).unwrap();
    let (_, stats, _) = run(folder, &["stats", "--json", "--format", "adp", "r.jsonl"], "");
    let stats: serde_json::Value = serde_json::from_str(stats.lines().last().unwrap()).unwrap();
    let (status, tools, _) = run(folder, &["stats", "--tools", "--json", "--format", "adp", "r.jsonl"], "");
    let tools: serde_json::Value = serde_json::from_str(&tools).unwrap();
    assert_eq!(status, 0);
    for member in ["tools", "calls", "records", "unreadable"] {
        assert_eq!(tools[member], stats[member], "{member}");
    }
    let (_, stdout, _) = run(folder, &["stats", "--tools", "-"], &records()[..2].join("\n"));
    assert_eq!(stdout, "-  2 calls in 2 records\n  2  f\n");
    let (_, stdout, _) = run(folder, &["stats", "--tools", "--format", "generic", "-"], "{}\n");
    assert_eq!(stdout, "-  0 calls in 1 record\n");
}

#[test]
fn a_conversation_has_the_reward_of_its_record() {
    let record = |members: &str, step: &str| {
        format!(
            "{{\"id\":\"a\",{members}\"messages\":[{{\"role\":\"user\",\"content\":\"q\"}},\
             {{\"role\":\"assistant\",\"content\":\"a\"{step}}}]}}\n"
        )
    };
    let members = ["\"reward\":0.75,", "\"score\":2,\"resolved\":true,", "\"resolved\":false,", "\"target\":true,"];
    let none = ["", "\"target\":\"x\",", "\"reward\":null,", "\"resolved\":[\"t\"],"];
    let all = members.iter().chain(&none).map(|members| record(members, ""));
    let text: String = all.chain([record("\"reward\":9,", ",\"reward\":1")]).collect();
    let folder = tempfile::tempdir().unwrap();
    let (_, stats, _) = run(folder.path(), &["stats", "--json", "--format", "adp", "-"], &text);
    let lines: Vec<serde_json::Value> = stats.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let rewards: Vec<Option<f64>> = lines[..9].iter().map(|line| line["reward"].as_f64()).collect();
    let expect = [Some(0.75), Some(2.0), Some(0.0), Some(1.0), None, None, None, None, Some(1.0)];
    assert_eq!(rewards, expect);
    assert_eq!(lines[9]["reward"], serde_json::json!({"trajectories": 5, "steps": 1, "sum": 4.75}));
}

/// Two tasks: one with two of three successes, one whose attempts all fail; a record without a task.
#[test]
fn attempts_at_a_task_are_a_group() {
    let folder = tempfile::tempdir().unwrap();
    let record = |head: &str| format!("{{{head},\"messages\":[{{\"role\":\"user\",\"content\":\"x\"}}]}}\n");
    let heads = [
        r#""task_id":"a","reward":1"#,
        r#""task_id":"b","reward":0"#,
        r#""task_id":"a","reward":0.5"#,
        r#""task_id":"a","reward":1"#,
        r#""task_id":"b","reward":0"#,
        r#""other":1"#,
    ];
    let path = file(folder.path(), "t.jsonl", &heads.map(record).concat());
    let (status, out, errors) = obelus(&["stats", "--tasks", &path, "--json"]);
    assert_eq!((status, errors.as_str()), (0, ""));
    let lines: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [a, b] = [&lines[0]["group"], &lines[1]["group"]];
    assert_eq!((a["task"].as_str(), a["successes"].as_u64(), a["signal"].as_bool()), (Some("a"), Some(2), Some(true)));
    // Of three pairs all have a success, and one is of two.
    assert_eq!((a["pass_at"]["2"].as_f64(), a["pass_all"]["2"].as_f64().map(|p| p * 3.0)), (Some(1.0), Some(1.0)));
    assert_eq!((b["signal"].as_bool(), b["mean"].as_f64()), (Some(false), Some(0.0)));
    let all = &lines[2];
    let counts = ["tasks", "attempts", "rewarded", "unnamed", "without_signal"].map(|name| all[name].as_u64());
    assert_eq!(counts, [Some(2), Some(5), Some(5), Some(1), Some(1)]);
    assert_eq!(all["pass_at"]["2"].as_f64(), Some(0.5));
    let (_, out, _) = obelus(&["stats", "--tasks", &path, "--success", "0.5"]);
    assert!(out.contains("1 of 2 tasks with several rewards have no signal"), "{out}");
    let row = out.lines().find(|line| line.starts_with("  a ")).unwrap();
    assert!(row.split_whitespace().nth(4) == Some("1.000"), "all succeed: {row}");
}

#[test]
fn a_phrase_is_at_the_step_that_the_table_counts() {
    let folder = tempfile::tempdir().unwrap();
    let row = |number: u8| {
        let tool = if number.is_multiple_of(2) { "ls" } else { "cat" };
        let call = |id: &str, name: &str| {
            serde_json::json!({"role": "assistant", "content": "I look.", "tool_calls": [{"id": id, "type": "function",
                "function": {"name": name, "arguments": "{}"}}]})
        };
        serde_json::json!({"example_id": number, "task": "env", "reward": 1 - number % 2,
            "prompt": [{"role": "user", "content": "find it"}],
            "completion": [call("a", "pwd"), {"role": "tool", "tool_call_id": "a", "content": "x"}, call("b", tool)]})
    };
    let data: String = (0..12).map(|number| format!("{}\n", row(number))).collect();
    let path = file(folder.path(), "v.jsonl", &data);
    let (status, out, errors) = obelus(&["stats", "--lift", "--json", &path]);
    assert_eq!(status, 0, "{errors}");
    let lines: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let lift = lines.iter().find(|line| line["lift"]["feature"] == "tool ls").unwrap();
    assert_eq!(lift["lift"]["places"][0], serde_json::json!({"record": 0, "step": 5}), "{lift}");
}

#[test]
fn what_people_read_has_no_rows_that_say_nothing_and_counts_findings_as_check_does() {
    let folder = tempfile::tempdir().unwrap();
    let run = |continued: &str| {
        format!(
            r#"{{"schema_version":"ATIF-v1.7","session_id":"a"{continued},"steps":[{{"step_id":1,"source":"user","message":"x"}}]}}"#
        )
    };
    let path = file(folder.path(), "a.json", &run(r#","continued_trajectory_ref":"b.json""#));
    let rows = |path: &str| {
        let (_, text, _) = obelus(&["stats", path]);
        text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>()
    };
    let atif = rows(&path);
    assert!(
        atif.contains(&"with warnings 1".to_owned()) && atif.contains(&"work run.part-missing 1".to_owned()),
        "{atif:?}"
    );
    let says_nothing = |row: &String| ["reward", "quality", "found"].iter().any(|word| row.starts_with(word));
    assert!(!atif.iter().any(|row| says_nothing(row) || row.contains("null")), "{atif:?}");
    let session = rows(&super::command::sample("fix-session.jsonl"));
    assert!(session.iter().any(|row| row.starts_with("spent ") && !row.contains("null")), "{session:?}");
    let tickets = rows(&super::command::sample("tickets-std.jsonl"));
    assert!(tickets.iter().any(|row| row.starts_with("quality gates")), "{tickets:?}");
    assert!(tickets.contains(&"reward trajectories 4 · steps 4 · sum 3.0".to_owned()), "{tickets:?}");
}
