//! Conversations of all spellings, in both shapes.

use super::*;
use crate::json;

fn check(record: &str, shape: ChatShape, expect: &str) {
    let value = json::parse(record).unwrap();
    assert_eq!(chat(&value, shape, Way::Formats).map(|(line, _)| line).as_deref(), Some(expect));
}

const STD: &str = r#"{"id":"s","content":[
    {"class_":"text_observation","content":"list \"it\"","source":"user"},
    {"class_":"api_action","function":"ls","kwargs":{"n":1.0,"p":"/"},"description":"I look"},
    {"class_":"text_observation","content":"a.txt","source":"environment"},
    {"class_":"code_action","language":"bash","content":"cat a","tool_call_id":"c9"},
    {"class_":"json_observation","content":{"x":[1]},"tool_call_id":"c9"},
    {"class_":"message_action","content":"<finish> done </finish>"}]}"#;

#[test]
fn a_trajectory_becomes_messages_with_calls_and_results() {
    check(
        STD,
        ChatShape::Messages,
        concat!(
            r#"{"id":"s","messages":[{"role":"user","content":"list \"it\""},"#,
            r#"{"role":"assistant","content":"I look","tool_calls":[{"id":"call_1_0","type":"function","#,
            r#""function":{"name":"ls","arguments":"{\"n\":1.0,\"p\":\"/\"}"}}]},"#,
            r#"{"role":"tool","content":"a.txt","tool_call_id":"call_1_0"},"#,
            r#"{"role":"assistant","content":"","tool_calls":[{"id":"c9","type":"function","#,
            r#""function":{"name":"bash","arguments":"{\"code\":\"cat a\"}"}}]},"#,
            r#"{"role":"tool","content":"{\"x\":[1]}","tool_call_id":"c9"},"#,
            r#"{"role":"assistant","content":"<finish> done </finish>"}]}"#
        ),
    );
}

#[test]
fn a_trajectory_as_sharegpt_takes_turns() {
    check(
        STD,
        ChatShape::ShareGpt,
        concat!(
            r#"{"id":"s","conversations":[{"from":"human","value":"list \"it\""},"#,
            r#"{"from":"function_call","value":"I look\n<function=ls>\n<parameter=n>1.0</parameter>\n"#,
            r#"<parameter=p>/</parameter>\n</function>"},{"from":"observation","value":"a.txt"},"#,
            r#"{"from":"function_call","value":"<function=bash>\n<parameter=code>cat a</parameter>\n</function>"},"#,
            r#"{"from":"observation","value":"{\"x\":[1]}"},{"from":"gpt","value":"<finish> done </finish>"}]}"#
        ),
    );
    let twice = r#"{"id":1,"content":[{"class_":"text_observation","content":"a","source":"user"},
        {"class_":"text_observation","content":"b","source":"user"}]}"#;
    check(twice, ChatShape::ShareGpt, r#"{"id":1,"conversations":[{"from":"human","value":"a\n\nb"}]}"#);
}

#[test]
fn conversations_and_turns_are_read_too() {
    let converted = r#"{"system":"Help.","conversations":[{"from":"human","value":"hi"},
        {"role":"assistant","content":null,
            "tool_calls":[{"id":"c","function":{"name":"f","arguments":"{\"a\":1}"}}]},
        {"role":"tool","tool_call_id":"c","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]}]}"#;
    check(
        converted,
        ChatShape::Messages,
        concat!(
            r#"{"messages":[{"role":"system","content":"Help."},{"role":"user","content":"hi"},"#,
            r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":"#,
            r#"{"name":"f","arguments":"{\"a\":1}"}}]},{"role":"tool","content":"x\ny","tool_call_id":"c"}]}"#
        ),
    );
    let turns = r#"{"schema_version":"ATIF-v1.7","trajectory_id":"t","agent":{"name":"a","version":"1"},"steps":[
        {"step_id":1,"source":"system","message":"Help."},{"step_id":2,"source":"user","message":"find"},
        {"step_id":3,"source":"agent","message":"I look","tool_calls":[{"tool_call_id":"c1","function_name":"s",
        "arguments":{"q":"it"}}],"observation":{"results":[{"source_call_id":"c1","content":"found"}]}}]}"#;
    check(
        turns,
        ChatShape::ShareGpt,
        concat!(
            r#"{"id":"t","system":"Help.","conversations":[{"from":"human","value":"find"},{"from":"function_call","value":"#,
            r#""I look\n<function=s>\n<parameter=q>it</parameter>\n</function>"},"#,
            r#"{"from":"observation","value":"found"}]}"#
        ),
    );
    assert_eq!(chat(&json::parse("{\"x\":1}").unwrap(), ChatShape::Messages, Way::Formats), None);
}

/// What a record becomes, and what it loses, in words.
fn convert(record: &str, shape: ChatShape) -> (String, Vec<String>) {
    let (line, left) = chat(&json::parse(record).unwrap(), shape, Way::Formats).unwrap();
    assert!(json::parse(&line).is_ok(), "{line}");
    (line, left.iter().map(|(name, count)| format!("{count} {name}")).collect())
}

/// The messages of a record without what is around them.
fn messages_of(record: &str) -> String {
    let (line, left) = convert(record, ChatShape::Messages);
    assert_eq!(left, Vec::<String>::new(), "{line}");
    line.strip_prefix("{\"messages\":[").and_then(|rest| rest.strip_suffix("]}")).unwrap().to_owned()
}

#[test]
fn calls_of_all_spellings_are_the_same_call() {
    let listed = |calls: &str| format!(r#"{{"role":"assistant","content":"","tool_calls":{calls}}}"#);
    let part = |part: &str| format!(r#"{{"role":"assistant","content":[{part}]}}"#);
    for message in [
        listed(r#"[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1.0}"}}]"#),
        listed(r#"[{"id":"c","function":{"name":"f","arguments":{"a":1.0}}}]"#),
        listed(r#"[{"id":"c","name":"f","arguments":{"a":1.0}}]"#),
        listed(r#"["{\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":1.0}\"}}"]"#),
        listed(r#""[{\"id\":\"c\",\"name\":\"f\",\"arguments\":{\"a\":1.0}}]""#),
        r#"{"role":"assistant","function_call":{"name":"f","arguments":"{\"a\":1.0}","id":"c"}}"#.to_owned(),
        part(r#"{"type":"tool_use","id":"c","name":"f","input":{"a":1.0}}"#),
        part(r#"{"type":"tool_call","id":"c","value":"{\"name\":\"f\",\"arguments\":{\"a\":1.0}}"}"#),
        part(r#"{"type":"tool-call","toolCallId":"c","toolName":"f","args":{"a":1.0}}"#),
        r#"{"from":"function_call","value":"{\"name\":\"f\",\"arguments\":{\"a\":1.0},\"id\":\"c\"}"}"#.to_owned(),
    ] {
        let converted = messages_of(&format!(r#"{{"messages":[{message}]}}"#));
        let converted = converted.replace("\"content\":\"\"", "\"content\":null");
        let expect = concat!(
            r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","#,
            r#""function":{"name":"f","arguments":"{\"a\":1.0}"}}]}"#
        );
        assert_eq!(converted, expect, "{message}");
    }
    // What cannot be read stays as it is.
    let odd = messages_of(r#"{"messages":[{"role":"assistant","content":"x","tool_calls":["run it",{"id":1}]}]}"#);
    assert_eq!(odd, r#"{"role":"assistant","content":"x","tool_calls":["run it",{"id":1}]}"#);
}

#[test]
fn results_of_amp_and_goose_say_how_they_came_out() {
    let record = r#"{"messages":[{"role":"user","content":[
        {"type":"tool_result","toolUseID":"a","run":{"status":"done","result":{"output":"x","exitCode":1}}},
        {"type":"toolResponse","id":"b","toolResult":{"status":"error","error":"no"}}]}]}"#;
    let expect = concat!(
        r#"{"role":"tool","content":"x","tool_call_id":"a","status":"done","exit_code":1},"#,
        r#"{"role":"tool","content":"no","tool_call_id":"b","status":"error"}"#
    );
    assert_eq!(messages_of(record), expect);
}

#[test]
fn parts_are_text_thoughts_calls_and_answers() {
    let record = r#"{"messages":[{"role":"user","content":[{"type":"text","value":"go"},{"type":"text","text":"on"}]},
        {"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"look"},
            {"type":"tool_use","id":"t","name":"f","input":{}}]},
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"r"}],
            "is_error":true},{"type":"text","text":"next"}]},
        {"role":"assistant","content":[{"type":"reasoning","value":"so"},{"type":"text","value":"done"}]}]}"#;
    assert_eq!(
        messages_of(record),
        concat!(
            r#"{"role":"user","content":"go\non"},{"role":"assistant","content":"look","reasoning_content":"hm","#,
            r#""tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":"{}"}}]},"#,
            r#"{"role":"tool","content":"r","tool_call_id":"t","is_error":true},{"role":"user","content":"next"},"#,
            r#"{"role":"assistant","content":"done","reasoning_content":"so"}"#
        )
    );
    let (line, left) = convert(record, ChatShape::ShareGpt);
    assert_eq!(
        line,
        concat!(
            r#"{"conversations":[{"from":"human","value":"go\non"},{"from":"function_call","value":"look\n<function=f>\n"#,
            r#"</function>"},{"from":"human","value":"r\n\nnext"},{"from":"gpt","value":"done"}]}"#
        )
    );
    let expect =
        ["1 bound of turns of one side, joined", "1 call id", "1 message is_error", "2 message reasoning_content"];
    assert_eq!(left, [&expect[..], &["1 message tool_call_id"]].concat());
}

#[test]
fn what_trains_and_what_a_row_says_is_carried() {
    let record = r#"{"id":7,"images":["i.png"],"tools":"[]","messages":[
        {"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"u"}}],"loss":0},
        {"role":"assistant","content":"no","loss_weight":0,"weight":0},{"role":"assistant","content":"yes","name":"b"}]}"#;
    let (line, left) = convert(record, ChatShape::Messages);
    assert_eq!(
        (line.as_str(), left.len()),
        (
            concat!(
                r#"{"id":7,"messages":[{"role":"user","content":[{"type":"text","text":"see"},"#,
                r#"{"type":"image_url","image_url":{"url":"u"}}],"loss":0},"#,
                r#"{"role":"assistant","content":"no","loss_weight":0,"weight":0},"#,
                r#"{"role":"assistant","content":"yes","name":"b"}],"tools":"[]","images":["i.png"]}"#
            ),
            0
        )
    );
    let (line, left) = convert(record, ChatShape::ShareGpt);
    assert_eq!(
        line,
        concat!(
            r#"{"id":7,"conversations":[{"from":"human","value":"see","loss":0},"#,
            r#"{"from":"gpt","value":"no","loss_weight":0,"weight":0},{"from":"gpt","value":"yes"}],"#,
            r#""tools":"[]","images":["i.png"]}"#
        ),
        "what is masked and what is not are never joined"
    );
    assert_eq!(left, ["1 message name", "1 part image_url"]);
}

#[test]
fn roles_and_ids_stay() {
    let record = r#"{"messages":[{"role":"critic","content":"c"},{"role":"tool","tool_call_id":"zz","content":"orphan"},
        {"from":"observation","value":"o"},{"role":"assistant","content":null,"tool_calls":[
            {"id":"a","function":{"name":"f","arguments":"{}"}},{"function":{"name":"g","arguments":"{}"}}]},
        {"role":"tool","name":"g","content":"1"},{"role":"tool","tool_call_id":"a","content":"2"},
        {"role":"tool","tool_call_id":"a","content":"again"},{"role":"function","content":"lost"},
        {"role":"user","tool_call_id":"a","content":"u"},{"role":"system","content":"s"}]}"#;
    assert_eq!(
        messages_of(record),
        concat!(
            r#"{"role":"critic","content":"c"},{"role":"tool","content":"orphan","tool_call_id":"zz"},"#,
            r#"{"role":"tool","content":"o"},{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","#,
            r#""function":{"name":"f","arguments":"{}"}},{"id":"call_3_1","type":"function","function":{"name":"g","#,
            r#""arguments":"{}"}}]},{"role":"tool","content":"1","tool_call_id":"call_3_1","name":"g"},"#,
            r#"{"role":"tool","content":"2","tool_call_id":"a"},{"role":"tool","content":"again","tool_call_id":"a"},"#,
            r#"{"role":"tool","content":"lost"},{"role":"user","content":"u","tool_call_id":"a"},"#,
            r#"{"role":"system","content":"s"}"#
        )
    );
    let (line, _) = convert(record, ChatShape::ShareGpt);
    for expect in [r#"{"from":"critic","value":"c"}"#, r#"{"from":"observation","value":"orphan\n\no"}"#] {
        assert!(line.contains(expect), "{line}");
    }
    assert!(line.ends_with(r#"{"from":"system","value":"s"}]}"#), "{line}");
}

#[test]
fn sharegpt_with_calls_stays_as_it_is() {
    let turns = concat!(
        r#""conversations":[{"from":"human","value":"q"},{"from":"function_call","value":"{\"name\": \"f\"}"},"#,
        r#"{"from":"observation","value":"r"},{"from":"gpt","value":"done","loss":false}],"tools":"[]"}"#
    );
    let record = format!("{{\"id\":\"x\",{turns}");
    assert_eq!(convert(&record, ChatShape::ShareGpt), (record, Vec::new()));
}

#[test]
fn a_blank_that_was_none_is_reported_and_calls_in_json_stay_alone() {
    let record = r#"{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"","reasoning":"r"},
        {"role":"user","content":""},{"role":"assistant","content":null,"refusal":"no"}]}"#;
    let left = convert(record, ChatShape::ShareGpt).1;
    assert!(left.contains(&"1 words of a message, which is blank now".to_owned()), "{left:?}");
    let call = r#"{"from":"function_call","value":"{\"name\":\"f\"}"}"#;
    let record = format!(r#"{{"conversations":[{{"from":"gpt","value":"I look"}},{call},{call}]}}"#);
    assert_eq!(convert(&record, ChatShape::ShareGpt), (record, Vec::new()));
}

#[test]
fn what_no_shape_carries_is_counted() {
    let std = r#"{"id":"s","details":{"a":1},"content":[
        {"class_":"text_observation","content":"x","source":"user","name":"ann"},
        {"class_":"web_observation","html":"<p>","axtree":"T","url":"u","image_observation":null,"viewport_size":null},
        {"class_":"message_action","content":"bye","reasoning_content":"r","reward":1}]}"#;
    let (line, left) = convert(std, ChatShape::Messages);
    assert_eq!(left, ["1 item html", "1 item url"]);
    assert_eq!(
        line,
        concat!(
            r#"{"id":"s","messages":[{"role":"user","content":"x","name":"ann"},{"role":"tool","content":"T"},"#,
            r#"{"role":"assistant","content":"bye","reasoning_content":"r","reward":1}],"#,
            r#""details":{"a":1}}"#
        )
    );
    let with_tools = r#"{"id":"s","content":[{"class_":"message_action","content":"x"}],"details":{"tools":[{"name":"f"}],
        "reward":1}}"#;
    let (line, left) = convert(with_tools, ChatShape::Messages);
    assert!(line.ends_with(r#""tools":[{"name":"f"}],"details":{"reward":1}}"#) && left.is_empty(), "{line} {left:?}");
    let odd = r#"{"system":["no part"],"messages":[{"role":"assistant","content":"x","reasoning":["y"]}]}"#;
    assert!(convert(odd, ChatShape::Messages).0.contains("no part"));
    let odd = r#"{"messages":[{"role":"user","value":"x","content":7,"a b":1},{"role":"assistant","content":[
        {"type":"tool_use","name":"f","input":{}},{"type":"text","text":"y","cache_control":1}]}]}"#;
    let (line, left) = convert(odd, ChatShape::Messages);
    assert!(line.contains(r#""a b":1"#), "{line}");
    assert_eq!(left, ["1 message content", "1 part cache_control", "1 place of a text behind a call"]);
    assert!(convert(odd, ChatShape::ShareGpt).1.contains(&"1 message (other)".to_owned()));
    let turns = r#"{"schema_version":"ATIF-v1.7","session_id":"t","agent":{"name":"a","tool_definitions":[{"name":"s"}]},
        "steps":[{"step_id":1,"source":"agent","message":"m","reasoning_content":"r","timestamp":"now",
        "observation":{"results":[{"content":"o"}]}}]}"#;
    let (line, left) = convert(turns, ChatShape::Messages);
    assert_eq!(left, ["1 agent name", "1 step timestamp"]);
    assert_eq!(
        line,
        concat!(
            r#"{"id":"t","messages":[{"role":"assistant","content":"m","reasoning_content":"r"},"#,
            r#"{"role":"tool","content":"o"}],"tools":[{"name":"s"}]}"#
        )
    );
}

/// Members of messages, each with words (`W`) that no other has.
const MEMBERS: &[&str] = &[
    r#""content":"W""#,
    r#""content":[{"type":"text","text":"W"},{"type":"image","url":"W"}]"#,
    r#""content":[{"type":"tool_use","id":"W","name":"W","input":{"a":"W"}},{"type":"thinking","thinking":"W"}]"#,
    r#""content":[{"type":"tool_result","tool_use_id":"W","content":[{"type":"text","text":"W"}],"name":"W"},{"x":"W"}]"#,
    r#""content":[{"type":"tools","value":"W","note":"W"},{"type":"reasoning","summary":["W"]},"W",7]"#,
    r#""value":"{\"name\":\"W\",\"arguments\":{\"a\":\"W\"}}""#,
    r#""value":{"W":"W"}"#,
    r#""text":["W"]"#,
    r#""tool_calls":[{"id":"W","index":"W","function":{"name":"W","index":"W","arguments":"W"}}]"#,
    r#""tool_calls":["{\"name\":\"W\"}","W"]"#,
    r#""function_call":{"name":"W","arguments":null,"note":"W"}"#,
    r#""tool_call_id":"W""#,
    r#""tool_call_id":["W"]"#,
    r#""reasoning_content":"W""#,
    r#""reasoning":["W"]"#,
    r#""system_prompt":"W""#,
    r#""weight":"W""#,
    r#""name":"W""#,
];

const ROLES: &[&str] = &["user", "assistant", "tool", "system", "function_call", "observation", "critic"];

/// Whether some object in it has a name twice.
fn has_duplicates(value: &Value<'_>) -> bool {
    match &value.data {
        json::Data::Array(items) => items.iter().any(has_duplicates),
        json::Data::Object(object) => object.has_duplicates || object.entries().any(|(_, v)| has_duplicates(v)),
        _ => false,
    }
}

proptest::proptest! {
    #[test]
    fn nothing_is_lost_without_a_word(
        messages in proptest::collection::vec(
            (proptest::sample::select(ROLES), proptest::sample::subsequence(MEMBERS, 0..4)), 0..4),
    ) {
        let text = |(role, members): &(&str, Vec<&str>)| {
            format!("{{\"role\":\"{role}\"{}}}", members.iter().map(|m| format!(",{m}")).collect::<String>())
        };
        let messages: Vec<String> = messages.iter().map(text).collect();
        let record = format!(r#"{{"system":["W"],"tools":"W","W":"W","messages":[{}]}}"#, messages.join(","));
        // Every word of its own.
        let words: Vec<&str> = record.split('W').collect();
        let count = words.len() - 1;
        let record: String = words.iter().enumerate().map(|(i, part)| match i {
            i if i < count => format!("{part}w{i}w"),
            _ => (*part).to_owned(),
        }).collect();
        // Of names that occur twice the last counts.
        let value = json::parse(&record).unwrap();
        for shape in [ChatShape::Messages, ChatShape::ShareGpt] {
            let (line, left) = chat(&value, shape, Way::Formats).unwrap();
            proptest::prop_assert!(!has_duplicates(&json::parse(&line).unwrap()), "{line}");
            let lost = (0..count).find(|i| json::compact(&value).contains(&format!("w{i}w")) && !line.contains(&format!("w{i}w")));
            proptest::prop_assert!(lost.is_none() || !left.is_empty(), "w{lost:?}w of {record} is not in {line}");
        }
    }
}

#[test]
fn arguments_are_objects_on_request() {
    let record = |arguments: &str| {
        format!(
            r#"{{"messages":[{{"role":"assistant","tool_calls":[{{"function":{{"name":"f","arguments":{arguments}}}}}]}}]}}"#
        )
    };
    for (arguments, object, string) in [
        (r#""{\"a\": 1.0}""#, r#"{"a":1.0}"#, r#""{\"a\": 1.0}""#),
        (r#"{"a":1.0}"#, r#"{"a":1.0}"#, r#""{\"a\":1.0}""#),
        (r#""\"{\\\"a\\\": 1}\"""#, r#"{"a":1}"#, r#""\"{\\\"a\\\": 1}\"""#),
        (r#""no JSON""#, r#""no JSON""#, r#""no JSON""#),
    ] {
        for (shape, expect) in [(ChatShape::MessagesWithObjects, object), (ChatShape::Messages, string)] {
            let record = record(arguments);
            let (line, left) = chat(&json::parse(&record).unwrap(), shape, Way::Formats).unwrap();
            assert!(line.contains(&format!(r#""arguments":{expect}}}"#)), "{line}");
            let stays_text = shape == ChatShape::MessagesWithObjects && !object.starts_with('{');
            assert_eq!(left.contains_key("arguments that are no JSON object and stay text"), stays_text, "{left:?}");
        }
    }
}

#[test]
fn results_without_ids_are_in_the_order_of_their_calls() {
    let call =
        |id: &str| format!(r#"{{"id":"{id}","type":"function","function":{{"name":"{id}","arguments":"{{}}"}}}}"#);
    let asks = |ids: &[&str]| {
        let calls: Vec<String> = ids.iter().map(|id| call(id)).collect();
        format!(r#"{{"role":"assistant","content":"","tool_calls":[{}]}}"#, calls.join(","))
    };
    let result = |id: &str| format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"of {id}"}}"#);
    let observations = |messages: &[String]| {
        let record = format!(r#"{{"messages":[{{"role":"user","content":"q"}},{}]}}"#, messages.join(","));
        let (line, _) = chat(&json::parse(&record).unwrap(), ChatShape::ShareGpt, Way::Formats).unwrap();
        let line = json::parse(&line).unwrap();
        let turns = line.get("conversations").unwrap().as_array().unwrap();
        let of = |turn: &json::Value<'_>| turn.get("value").unwrap().as_str().unwrap().replace("\n\n", " ");
        let is_observation = |turn: &&json::Value<'_>| turn.get("from").unwrap().as_str() == Some("observation");
        turns.iter().filter(is_observation).map(of).collect::<Vec<_>>()
    };
    let parallel = [asks(&["a", "b", "c"]), result("c"), result("a"), result("b")];
    assert_eq!(observations(&parallel), ["of a of b of c"]);
    let one_by_one = [asks(&["a"]), asks(&["b"]), result("b"), result("a")];
    assert_eq!(observations(&one_by_one), ["of a of b"], "calls of one side in several messages");
    let again = [asks(&["a", "b"]), result("b"), result("a"), asks(&["a", "b"]), result("b"), result("a")];
    assert_eq!(observations(&again), ["of a of b", "of a of b"], "ids that repeat are those of the calls just before");
    let orphan = [asks(&["a", "b"]), result("z"), result("a"), result("b")];
    assert_eq!(observations(&orphan), ["of z of a of b"], "what is in order stays");
}

#[test]
fn what_other_agents_said_and_what_was_tried_before_is_counted() {
    let node = |parent: &str, role: &str, text: &str| {
        format!(r#"{{{parent}"message":{{"role":"{role}","content":"{text}"}}}}"#)
    };
    let trace = |more: &str| {
        let asked = node("", "user", "q");
        format!(r#"{{"nodes":[{asked},{}{more}]}}"#, node(r#""parent":0,"#, "assistant", "a"))
    };
    let again = format!(",{}", node(r#""parent":0,"#, "assistant", "b"));
    let record = format!(r#"{{"id":"e","traces":[{},{}]}}"#, trace(&again), trace(""));
    let value = json::parse(&record).unwrap();
    let (line, left) = chat(&value, ChatShape::Messages, Way::Formats).unwrap();
    assert!(line.contains(r#""content":"b""#) && !line.contains(r#""content":"a""#), "{line}");
    let expected = [("attempts left for others".to_owned(), 1), ("conversations of other agents".to_owned(), 1)];
    assert_eq!(left.into_iter().collect::<Vec<_>>(), expected);
}
