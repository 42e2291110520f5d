//! The Agent Data Protocol in the cases that its last sentences settle (D2, D8, D10, D17 to D20).

use super::adp_rules::{answers, findings_of, slot, with_items};
use obelus::json::parse;
use obelus::review::{ChatShape, chat};
use obelus::rules::statistics::TrajectoryStats;
use obelus::rules::trajectory::{Reading, Way};

#[test]
fn d10_the_answer_behind_one_that_came_before_its_call_is_the_first() {
    let observation = r#"{"class_":"text_observation","content":"r","source":"environment","tool_call_id":"c"}"#;
    let call = r#"{"class_":"api_action","function":"f","kwargs":{},"tool_call_id":"c"}"#;
    let early = with_items(&[observation, call, observation].join(","));
    assert_eq!(findings_of(&early), ["1 /content/1/tool_call_id adp.call-id"]);
    assert_eq!(answers(&early)[3], Some(2));
    let twice = with_items(&[observation, call, observation, observation].join(","));
    assert_eq!(findings_of(&twice), ["1 /content/1/tool_call_id adp.call-id", "4 /content/4/tool_call_id adp.call-id"]);
    assert_eq!(answers(&twice)[4], None, "a call is answered once");
}

#[test]
fn d10_of_calls_of_one_id_the_last_before_the_answer_is_answered() {
    let call =
        |tool: &str| format!(r#"{{"class_":"api_action","function":"{tool}","kwargs":{{}},"tool_call_id":"c"}}"#);
    let observation = r#"{"class_":"text_observation","content":"r","source":"environment","tool_call_id":"c"}"#;
    let text = with_items(&[&call("f"), &call("g"), observation, observation].join(","));
    assert_eq!(answers(&text)[3..5], [Some(2), None]);
    assert_eq!(slot(&text, "tool", "g", "answered").as_deref(), Some("1"));
    assert_eq!(slot(&text, "tool", "f", "answered"), None);
    let chat = r#"{"messages":[{"role":"user","content":"q"},
        {"role":"assistant","content":"","tool_calls":[{"id":"c","name":"f"},{"id":"c","name":"g"}]},
        {"role":"tool","tool_call_id":"c","content":"r"},{"role":"tool","tool_call_id":"c","content":"r"}]}"#;
    assert_eq!(answers(chat), [None, None, Some(1), None]);
    assert_eq!(slot(chat, "tool", "g", "answered").as_deref(), Some("1"));
}

#[test]
fn d8_a_number_that_exceeds_a_float_is_of_the_wrong_type() {
    let reward = |reward: &str| format!(r#"{{"class_":"api_action","function":"f","kwargs":{{}},"reward":{reward}}}"#);
    for number in ["\"1e400\"", "1e400", "-1e400", "\"-1e999\"", "\" 1\"", "\"1_000\"", "\"inf\""] {
        let text = with_items(&reward(number));
        assert_eq!(findings_of(&text), ["1 /content/1/reward adp.type"], "{number}");
        assert_eq!(slot(&text, "reward", "total", "sum"), None, "{number}");
    }
    let answer = r#"{"class_":"text_observation","content":"r","source":"environment"}"#;
    let text = with_items(&[&reward("1e308"), answer, &reward("1.7e308")].join(","));
    assert_eq!(findings_of(&text), [""; 0]);
    assert_eq!(slot(&text, "reward", "total", "sum").as_deref(), Some("1.7976931348623157e+308"), "never null");
    let value = parse(&text).unwrap();
    let stats = TrajectoryStats::of(&Reading::of(&value), 0);
    assert_eq!(stats.reward, Some(f64::MAX));
}

/// Names of the calls of each message, and whether `stats` counts as many.
fn chat_calls(messages: &str) -> Vec<Vec<String>> {
    let text = format!(r#"{{"messages":[{messages}]}}"#);
    let value = parse(&text).unwrap();
    let reading = Reading::of(&value);
    let calls: Vec<Vec<String>> =
        reading.entries.iter().map(|e| e.calls.iter().map(|c| c.tool.to_string()).collect()).collect();
    let stats = TrajectoryStats::of(&reading, 0);
    assert_eq!(stats.calls, calls.iter().flatten().count() as u64);
    calls
}

#[test]
fn d17_calls_count_in_every_spelling_and_once() {
    let calls = chat_calls(
        r#"{"role":"assistant","content":"","tool_calls":[{"id":"1","name":"flat","arguments":{}}]},
        {"role":"tool","tool_call_id":"1","content":"r"},
        {"role":"assistant","content":"","function_call":"{\"name\":\"text\",\"arguments\":{}}"},
        {"role":"user","content":"r"},
        {"from":"function_call","value":"[{\"name\":\"turn\"},{\"name\":\"other\"}]"},
        {"role":"user","content":"r"},
        {"role":"assistant","content":"<function=f></function>","tool_calls":["{\"name\":\"f\"}"],
            "function_call":{"name":"f"}}"#,
    );
    assert_eq!(calls, [vec!["flat"], vec![], vec!["text"], vec![], vec!["turn", "other"], vec![], vec!["f"]]);
}

#[test]
fn d17_an_export_has_each_call_once() {
    let text = r#"{"messages":[{"role":"user","content":"q"},
        {"role":"assistant","content":"","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}],
            "function_call":{"name":"f","arguments":"{ \"a\": 1 }"}},
        {"role":"assistant","content":[{"type":"tool_use","id":"2","name":"g","input":{}}],
            "tool_calls":[{"id":"2","type":"function","function":{"name":"g","arguments":"{}"}}]},
        {"from":"function_call","value":"{\"name\":\"h\"}","tool_calls":[{"function":{"name":"h","arguments":"{}"}}]}]}"#;
    let (row, _) = chat(&parse(text).unwrap(), ChatShape::Messages, Way::Protocol).unwrap();
    for (name, count) in [("\"name\":\"f\"", 1), ("\"name\":\"g\"", 1), ("\"name\":\"h\"", 1)] {
        assert_eq!(row.matches(name).count(), count, "{row}");
    }
}

#[test]
fn d17_a_message_with_a_part_that_is_not_text_is_not_empty() {
    let found = |content: &str| {
        findings_of(&format!(
            r#"{{"messages":[{{"role":"user","content":{content}}},{{"role":"assistant","content":"y"}}]}}"#
        ))
    };
    for content in [
        r#"[{"type":"image_url","image_url":{"url":"a.png"}}]"#,
        r#"[{"type":"text","text":" "},{"type":"image"}]"#,
        r#"["said"]"#,
    ] {
        assert_eq!(found(content), [""; 0], "{content}");
    }
    for content in [r#"[{"type":"text","text":""}]"#, "[]", r#"[{"type":"text"}]"#, "\" \""] {
        assert_eq!(found(content), ["0 /messages/0/content sft.empty"], "{content}");
    }
}

#[test]
fn d18_every_version_from_0_to_8_is_known() {
    for minor in 0..=9 {
        let text = format!(
            r#"{{"schema_version":"ATIF-v1.{minor}","steps":[{{"step_id":1,"source":"user","message":"q"}}]}}"#
        );
        let expected: &[&str] = if minor == 9 { &["- /schema_version atif.version"] } else { &[] };
        assert_eq!(findings_of(&text), expected, "{minor}");
    }
}

#[test]
fn d20_an_atif_agents_reasoning_is_state() {
    let turn = |source: &str, reasoning: &str| {
        format!(
            r#"{{"schema_version":"ATIF-v1.7","steps":[{{"step_id":1,"source":"user","message":"q"}},
            {{"step_id":2,"source":"{source}","message":"a","reasoning_content":{reasoning}}}]}}"#
        )
    };
    let reasoning = |text: &str| slot(text, "agent", "main", "reasoning");
    let digest = r#"{"sha256":"d2e11bcef5e1","chars":5}"#;
    assert_eq!(reasoning(&turn("agent", "\"I mus\"")).map(|d| d.len()), Some(digest.len()));
    assert_eq!(reasoning(&turn("user", "\"I must\"")), None);
    assert_eq!(reasoning(&turn("agent", "null")), None);
    assert_eq!(reasoning(&turn("agent", "7")), None, "of the wrong type");
}

#[test]
fn d19_an_unknown_item_has_the_class_that_it_writes() {
    let class = |item: &str| {
        let text = with_items(item);
        let value = parse(&text).unwrap();
        Reading::of(&value).entries[1].class().map(str::to_owned)
    };
    assert_eq!(class(r#"{"class_":"dance"}"#).as_deref(), Some("dance"));
    assert_eq!(class(r#"{"class":"dance"}"#).as_deref(), Some("dance"));
    assert_eq!(class(r#"{"class_":7}"#), None);
}
