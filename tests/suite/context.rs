//! `obelus context`: what fills the model's window at a step.

use super::command::{file, obelus};
use super::stage::{on, press, shows};
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

/// The steps that the last step sees: what each says, and the steps that compactions took away.
fn window(name: &str, text: &str) -> (Vec<String>, Vec<u64>) {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), name, text);
    let (status, stdout, stderr) = obelus(&["context", &path, "--json"]);
    assert_eq!(status, 0, "{stderr}");
    let report: Value = serde_json::from_str(&stdout).unwrap();
    let of = |members: &str| report[members].as_array().unwrap().clone();
    let share = |s: &Value| format!("{} {} {} {}", s["role"], s["kind"], s["count"], s["chars"]).replace('"', "");
    let dropped = of("compactions").iter().map(|one| one["dropped"].as_u64().unwrap()).collect();
    (of("shares").iter().map(share).collect(), dropped)
}

#[test]
fn what_a_compaction_keeps_stays_in_the_window() {
    let shares = |name: &str, text: &str| window(name, text);
    let of = |shares: &[&str], dropped: &[u64]| {
        (shares.iter().map(|share| (*share).to_owned()).collect::<Vec<_>>(), dropped.to_vec())
    };
    // Events 2 and 3 are forgotten, event 1 is not.
    let event = |id: u32, rest: &str| format!("{{\"id\":{id},\"timestamp\":\"t\",\"source\":\"user\",{rest}}}");
    let said = |id: u32, text: &str| event(id, &format!(r#""action":"message","args":{{"content":"{text}"}}"#));
    let condensed = |args: &str| {
        let condensation = event(4, &format!(r#""action":"condensation","args":{{{args},"summary":"1234567"}}"#));
        format!("[{},{},{},{condensation},{}]", said(1, "12"), said(2, "123"), said(3, "123"), said(5, "1"))
    };
    let expected = of(&["system summary 1 7", "user message 2 3"], &[2]);
    assert_eq!(shares("e.json", &condensed(r#""forgotten_event_ids":[2,3]"#)), expected);
    let range = r#""forgotten_events_start_id":2,"forgotten_events_end_id":3"#;
    assert_eq!(shares("e.json", &condensed(range)), expected);

    let entry = |id: &str, parent: &str, rest: &str| {
        format!("{{\"id\":\"{id}\",\"parentId\":\"{parent}\",\"timestamp\":\"t\",{rest}}}")
    };
    let user = |id: &str, parent: &str, text: &str| {
        entry(id, parent, &format!(r#""type":"message","message":{{"role":"user","content":"{text}"}}"#))
    };
    let pi = |rest: &[String]| {
        let header = r#"{"type":"session","version":3,"id":"s","timestamp":"t","cwd":"/w"}"#.to_owned();
        [&[header, user("a", "", "1"), user("b", "a", "12")], rest].concat().join("\n")
    };
    let compaction = |parent: &str, first: &str| {
        entry("c", parent, &format!(r#""type":"compaction","summary":"1234567","firstKeptEntryId":"{first}""#))
    };
    let kept = of(&["system summary 1 7", "user message 2 5"], &[1]);
    assert_eq!(shares("p.jsonl", &pi(&[compaction("b", "b"), user("d", "c", "123")])), kept);
    let nothing = of(&["system summary 1 7", "user message 1 3"], &[2]);
    assert_eq!(shares("p.jsonl", &pi(&[compaction("b", "gone"), user("d", "c", "123")])), nothing);
    let branch = of(&["user message 3 6"], &[1]);
    assert_eq!(shares("p.jsonl", &pi(&[compaction("b", "b"), user("d", "b", "123")])), branch, "left for another");
    let edit = entry("c", "b", r#""type":"context_edit","targetId":"b","replacement":{"content":"1234"}"#);
    assert_eq!(shares("p.jsonl", &pi(&[edit])), of(&["system summary 1 4", "user message 1 1"], &[]));

    let line = |class: &str, payload: &str| format!(r#"{{"timestamp":"t","type":"{class}","payload":{{{payload}}}}}"#);
    let prompt = |text: &str| {
        line(
            "response_item",
            &format!(r#""type":"message","role":"user","content":[{{"type":"input_text","text":"{text}"}}]"#),
        )
    };
    let codex = |compacted: &str| [prompt("1"), line("compacted", compacted), prompt("12")].join("\n");
    let history = r#""message":"","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"123456"}]}]"#;
    assert_eq!(shares("c.jsonl", &codex(history)), of(&["system summary 1 6", "user message 1 2"], &[1]));
    assert_eq!(shares("c.jsonl", &codex(r#""message":"123""#)), of(&["system summary 1 3", "user message 1 2"], &[1]));

    let step = |id: u32, text: &str, extra: &str| {
        format!(r#"{{"step_id":{id},"source":"user","message":"{text}","extra":{{{extra}}}}}"#)
    };
    let atif = |boundary: &str| {
        let mark = format!(r#""context_management":{{"type":"compaction","boundary":"{boundary}"}}"#);
        let steps = [step(1, "1", ""), step(2, "12", &mark), step(3, "123", "")];
        format!(
            r#"{{"schema_version":"ATIF-v1.7","agent":{{"name":"a","version":"1"}},"steps":[{}]}}"#,
            steps.join(",")
        )
    };
    assert_eq!(shares("t.json", &atif("replace")), of(&["user message 2 5"], &[1]));
    assert_eq!(shares("t.json", &atif("none")), of(&["user message 3 6"], &[0]));
}

/// What a pane shows beside the steps, and the timeline, after `t` was pressed `presses` times.
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

#[test]
fn the_tab_of_what_the_model_sees_says_what_fills_the_window() {
    let mut stage = on(SESSION, (160, 40));
    press(&mut stage, "$ 2");
    shows(&stage, &["≈ 5 tokens of text: user 88% · agent 11%", "recorded @4: 40 read (0 cached), 2 written"]);
    shows(&stage, &["compaction @2: 2 steps left the window, ≈ 3 tokens"]);
    press(&mut stage, "0");
    shows(&stage, &["≈ 2 tokens of text: user 100%"]);
}
