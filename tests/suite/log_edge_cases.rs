//! Logs by the letter of `FORMATS.md`, where the samples say nothing.

use super::command::{file, obelus};
use serde_json::Value;

/// The lines that a command answers for a file of these lines.
fn answer(command: &str, lines: &[&str]) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "log.jsonl", &format!("{}\n", lines.join("\n")));
    let (_, stdout, stderr) = obelus(&[command, &path, "--json"]);
    let lines = stdout.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.chain((!stderr.is_empty()).then_some(Value::Null)).collect()
}

/// A member of each line, as text.
fn members(lines: &[Value], member: &str) -> Vec<String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    lines.iter().map(|line| text(&line[member])).collect()
}

const PI: [&str; 4] = [
    r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00Z","cwd":"/w"}"#,
    r#"{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"hi"}}"#,
    r#"{"type":"message","id":"b","parentId":"a","message":{"role":"assistant","content":"left"}}"#,
    r#"{"type":"message","id":"c","parentId":"a","message":{"role":"assistant","content":"taken"}}"#,
];

/// A record of Qwen Code.
fn qwen(id: &str, parent: &str, class: &str, role: &str, said: &str) -> String {
    let message = format!(r#"{{"role":"{role}","parts":[{{"text":"{said}"}}]}}"#);
    format!(r#"{{"uuid":"{id}","parentUuid":{parent},"sessionId":"s","type":"{class}","message":{message}}}"#)
}

fn qwen_session() -> [String; 3] {
    [
        qwen("a", "null", "user", "user", "hi"),
        qwen("b", "\"a\"", "assistant", "model", "left"),
        qwen("c", "\"a\"", "assistant", "model", "taken"),
    ]
}

/// 0.1.5: same id and same content.
#[test]
fn exact_copies_count_once() {
    let copilot = [
        r#"{"type":"session.start","data":{"sessionId":"s"},"id":"1","timestamp":"x","parentId":null}"#,
        r#"{"type":"user.message","data":{"content":"hi"},"id":"2","timestamp":"x","parentId":"1"}"#,
    ];
    let openhands = [
        r#"{"id":0,"source":"user","action":"message","args":{"content":"go"},"timestamp":"x"}"#,
        r#"{"id":1,"source":"agent","action":"run","args":{"command":"ls"},"timestamp":"x"}"#,
    ];
    let qwen = qwen_session();
    let qwen = qwen.each_ref().map(String::as_str);
    for log in [&PI[..], &qwen, &copilot, &openhands] {
        let whole = answer("steps", log).len();
        let repeated: Vec<&str> = log.iter().chain(&log[1..]).copied().collect();
        assert_eq!(answer("steps", &repeated).len(), whole, "{}", log[0]);
    }
}

/// 11b, 17: a branch begins where the parent is not the entry before; the newest is the main line.
#[test]
fn branches_that_were_left_are_reported() {
    let qwen = qwen_session();
    for log in [&PI[..], &qwen.each_ref().map(String::as_str)] {
        assert_eq!(members(&answer("steps", log), "standing"), ["null", "abandoned", "null"], "{}", log[0]);
    }
}

/// 0.1.6: a line that is not an object gives no step, and one finding.
#[test]
fn lines_that_are_no_objects_are_bad_records() {
    let codex = [
        r#"{"timestamp":"x","type":"session_meta","payload":{"id":"t","cwd":"/w"}}"#,
        "[1]",
        "null",
        "no json",
        r#"{"timestamp":"x","type":"event_msg","payload":{"type":"turn_aborted"}}"#,
    ];
    // A line on standard error says that some give no step.
    assert_eq!(members(&answer("steps", &codex), "class"), ["session_meta", "turn_aborted", "null"]);
    let found = answer("check", &codex);
    assert_eq!(members(&found, "rule"), ["data.invalid-json"; 3]);
    assert_eq!(members(&found, "record"), ["1", "2", "3"]);
}

/// 16: a stream has no messages that tell the tokens; an exit status is told as one.
#[test]
fn streams_of_opencode_give_tokens_and_exits() {
    let part = |part: &str| format!(r#"{{"type":"x","timestamp":1,"sessionID":"s","part":{part}}}"#);
    let state = r#"{"status":"completed","input":{"command":"x | grep y"},"output":"","metadata":{"exit":1}}"#;
    let tool = format!(r#"{{"id":"a","type":"tool","callID":"c","tool":"bash","state":{state}}}"#);
    let tokens = r#"{"input":10,"output":3,"reasoning":1,"cache":{"read":2,"write":0}}"#;
    let end = format!(r#"{{"id":"b","type":"step-finish","cost":0.5,"tokens":{tokens}}}"#);
    let error = r#"{"type":"error","timestamp":2,"sessionID":"s","error":{"name":"X"}}"#;
    let lines = [part(&tool), part(&end), error.to_owned()];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let steps = answer("steps", &lines);
    assert_eq!(members(&steps, "outcome"), ["null", "ok", "null", "null"]);
    assert_eq!((steps[1]["reason"].as_str(), steps[3]["role"].as_str()), (Some("no-match"), Some("agent")));
    let state = answer("state", &lines)[0].to_string();
    assert!(state.contains(r#""input":10"#) && state.contains(r#""output":4"#), "{state}");
}

/// W14: numbers of lines that no file has are harmless, wherever a log tells them.
#[test]
fn line_numbers_have_a_greatest() {
    let call = |name: &str, arguments: &str| {
        format!(r#"{{"class_":"api_action","function":"{name}","kwargs":{arguments},"description":null}}"#)
    };
    let command = |command: &str| call("bash", &format!(r#"{{"command":"{command}"}}"#));
    let result = |text: &str| format!(r#"{{"class_":"text_observation","content":"{text}","source":"environment"}}"#);
    for n in ["4294967295", "4294967294", "9223372036854775807", "-9223372036854775808", "1e300", "0", "-1"] {
        let range = format!(r#"{{"path":"/w/a","start_line":1,"end_line":{n},"replacement_text":"x"}}"#);
        let place = format!(r#"{{"path":"/w/a","start_line":{n},"end_line":{n},"replacement_text":"x\ny"}}"#);
        let hunk = format!(r"@@ -{n},2 +{n},3 @@\n q\n-r\n+s\n+t\n");
        let calls = [
            call("edit", &range),
            call("edit", &place),
            call("read_file", &range),
            call("read_file", &format!(r#"{{"absolute_path":"/w/a","offset":{n},"limit":{n}}}"#)),
            call("view", &format!(r#"{{"path":"/w/a","view_range":[{n},1]}}"#)),
            call("str_replace_editor", &format!(r#"{{"command":"view","path":"/w/a","view_range":[1,{n}]}}"#)),
            call("insert", &format!(r#"{{"path":"/w/a","line":{n},"text":"x"}}"#)),
            call("apply_patch", &format!(r#"{{"patch":"--- /w/a\n+++ /w/a\n{hunk}"}}"#)),
            command(&format!("sed -n '{n},{n}p' /w/a")),
            command(&format!("sed -n '{n},+{n}p' /w/a")),
            command(&format!("tail -n +{n} /w/a | head -n {n} | sed -n '1,{n}p'")),
        ];
        let shown = result(&format!(r"[File: /w/a ({n} lines total)]\n1:x\n{n}:y\n"));
        let steps: Vec<String> = calls.into_iter().flat_map(|call| [call, shown.clone()]).collect();
        let record = format!(r#"{{"id":"a","content":[{}]}}"#, steps.join(","));
        for command in ["steps", "files", "check"] {
            let answer = answer(command, &[&record]);
            assert!(!answer.is_empty() && !answer.contains(&Value::Null), "{command} {n}: {answer:?}");
        }
    }
}

/// W10: what left the list of todos is not there any more.
#[test]
fn todos_that_left_the_list_are_not_in_the_state() {
    let call = |id: &str, todos: &str| {
        let call = format!(r#"{{"type":"tool_use","id":"{id}","name":"TodoWrite","input":{{"todos":[{todos}]}}}}"#);
        format!(r#"{{"type":"message","message":{{"role":"assistant","content":[{call}]}}}}"#)
    };
    let result = |id: &str| {
        let result = format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":"ok"}}"#);
        format!(r#"{{"type":"message","message":{{"role":"user","content":[{result}]}}}}"#)
    };
    let todo = |text: &str, status: &str| format!(r#"{{"content":"{text}","status":"{status}"}}"#);
    let lines = [
        PI[0].to_owned(),
        call("1", &[todo("plan it", "completed"), todo("drop it", "pending")].join(",")),
        result("1"),
        call("2", &todo("plan it", "completed")),
        result("2"),
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "log.jsonl", &format!("{}\n", lines.join("\n")));
    let state = |step: &str| obelus(&["state", &path, "--step", step]).1;
    assert!(state("1").contains("drop it"), "{}", state("1"));
    assert!(state("3").contains("plan it") && !state("3").contains("drop it"), "{}", state("3"));
}

#[test]
fn runs_that_failed_before_they_began_have_no_step() {
    for (text, runs) in [
        (r#"{"info":{"exit_status":"RuntimeError"},"messages":[],"trajectory_format":"mini-swe-agent-1"}"#, 1),
        (r#"{"trajectory":[],"history":[],"info":{"exit_status":"exit_error"},"environment":"main"}"#, 1),
        (r#"{"instance_id":"i","test_result":{},"metadata":{},"history":[],"error":"x"}"#, 1),
        (r#"{"instance_id":"i","test_result":{},"metadata":{},"history":null,"error":"x"}"#, 1),
        (
            r#"[{"task_id":0,"traj":[],"reward":0.0,"info":{"error":"x"}},{"task_id":1,"traj":[],"reward":0.0,"info":{}}]"#,
            2,
        ),
    ] {
        let stats = answer("stats", &[text]);
        let of_runs: Vec<&Value> = stats.iter().filter(|line| line["type"] == "trajectory").collect();
        assert_eq!(of_runs.len(), runs, "{text}");
        assert!(of_runs.iter().all(|run| run["steps"] == 0) && !stats.contains(&Value::Null), "{text}: {stats:?}");
    }
}
