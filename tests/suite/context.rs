//! `obelus context`: what fills the model's window at a step.

use super::command::{file, obelus};
use obelus::shell::headless::Stage;
use obelus::source::Input;
use obelus::ui::Theme;
use serde_json::Value;

/// A session of Claude Code with usage, compacted once.
const SESSION: &str = concat!(
    r#"{"type":"user","uuid":"u1","parentUuid":null,"isSidechain":false,"sessionId":"s","version":"2.1.0","#,
    r#""message":{"role":"user","content":"12345678"}}"#,
    "\n",
    r#"{"type":"assistant","uuid":"u2","parentUuid":"u1","isSidechain":false,"sessionId":"s","version":"2.1.0","#,
    r#""requestId":"r1","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"1234"}],"#,
    r#""usage":{"input_tokens":90,"cache_read_input_tokens":10,"output_tokens":5}}}"#,
    "\n",
    r#"{"type":"system","subtype":"compact_boundary","uuid":"u3","parentUuid":null,"logicalParentUuid":"u2","#,
    r#""isSidechain":false,"sessionId":"s","version":"2.1.0","content":"compacted"}"#,
    "\n",
    r#"{"type":"user","uuid":"u4","parentUuid":"u3","isSidechain":false,"sessionId":"s","version":"2.1.0","#,
    r#""isCompactSummary":true,"message":{"role":"user","content":"1234567890123456"}}"#,
    "\n",
    r#"{"type":"assistant","uuid":"u5","parentUuid":"u4","isSidechain":false,"sessionId":"s","version":"2.1.0","#,
    r#""requestId":"r2","message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"ok"}],"#,
    r#""usage":{"input_tokens":40,"output_tokens":2}}}"#,
    "\n",
);

fn context(path: &str, step: &str) -> Value {
    let (status, stdout, stderr) = obelus(&["context", path, "--step", step, "--json"]);
    assert_eq!(status, 0, "{stderr}");
    serde_json::from_str(&stdout).unwrap()
}

#[test]
fn the_window_is_split_by_role_and_kind_and_by_what_was_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "s.jsonl", SESSION);
    let early = context(&path, "1");
    let share = |of: &Value, n: usize| {
        format!("{} {} {}", of["shares"][n]["role"], of["shares"][n]["kind"], of["shares"][n]["chars"])
    };
    assert_eq!(share(&early, 0), "\"user\" \"message\" 8");
    assert_eq!((&early["tokens_est"], &early["recorded"]["read"]), (&3.into(), &100.into()), "{early}");
    assert_eq!(early["compactions"], Value::Array(Vec::new()));
    let late = context(&path, "4");
    assert_eq!(share(&late, 0), "\"user\" \"message\" 16");
    assert_eq!((&late["recorded"]["read"], &late["recorded"]["output"]), (&40.into(), &2.into()), "{late}");
    let dropped = &late["compactions"][0];
    assert_eq!(
        (&dropped["step"], &dropped["dropped"], &dropped["chars"]),
        (&2.into(), &2.into(), &12.into()),
        "{late}"
    );
    let (_, text, _) = obelus(&["context", &path]);
    assert!(text.starts_with("step 4: about 5 tokens of text in the window, estimated\n"), "{text}");
    assert!(text.contains("recorded at step 4: 40 tokens read (0 from a cache), 2 written"), "{text}");
    assert!(text.contains("about 35 more than the log holds"), "{text}");
    assert!(text.contains("compaction at step 2: 2 steps left the window, about 3 tokens"), "{text}");
}

#[test]
fn a_conversation_has_a_window_and_a_state_has_none() {
    let folder = tempfile::tempdir().unwrap();
    let chat = "{\"messages\":[{\"role\":\"user\",\"content\":\"q\"},{\"role\":\"assistant\",\"content\":\"a\"}]}";
    let path = file(folder.path(), "m.json", chat);
    let report = context(&path, "0");
    assert_eq!((report["shares"].as_array().unwrap().len(), &report["recorded"]), (1, &Value::Null), "{report}");
    let path = file(folder.path(), "a.json", "{\"context\":[{\"type\":\"state\",\"state\":{\"a\":1}}]}");
    let (status, _, stderr) = obelus(&["context", &path]);
    assert!(status == 2 && stderr.contains("acts"), "{stderr}");
}

/// What a pane shows beside the steps, and the timeline, after `t` so many times.
fn after_t(text: &str, presses: usize) -> String {
    let mut stage =
        Stage::open(Input::memory("s.jsonl", text), None, (120, 30), Theme::built_in("dark").unwrap()).unwrap();
    (0..presses).for_each(|_| stage.press("t").unwrap());
    let buffer = stage.buffer();
    let row = |y: u16| (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect::<String>() + "\n";
    (0..buffer.area.height).map(row).collect()
}

#[test]
fn tokens_or_cost_stand_beside_the_steps_and_on_the_timeline() {
    // No step carries a time: the first press shows what was spent, the second nothing.
    let shown = after_t(SESSION, 1);
    // 5 written, 90 read; then 2 and 40 more.
    assert!(shown.contains("95 tok") && shown.contains("137 tok"), "{shown}");
    let bars: Vec<char> = shown.lines().rev().nth(1).unwrap().chars().filter(|c| "▁▂▃▄▅▆▇█".contains(*c)).collect();
    assert_eq!(bars, ['█', '▄'], "{shown}");
    assert!(!after_t(SESSION, 2).contains(" tok "));
    let priced = SESSION.replace("\"message\":{\"id\":\"m1\"", "\"costUSD\":0.25,\"message\":{\"id\":\"m1\"");
    assert!(after_t(&priced, 1).contains("$0.250"), "{}", after_t(&priced, 1));
    assert!(after_t("{\"a\":1}\n", 1).contains("carry no time"));
}
