//! Rules taken at their word, where the vectors say nothing.

use super::command::obelus_in;
use obelus::json::{Value, parse};
use std::fs;

/// What a command prints of an input, as values.
fn asked<T>(input: &str, words: &str, see: impl Fn(&[Value<'_>]) -> T) -> T {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("in.json"), input).unwrap();
    let (_, stdout, stderr) = obelus_in(folder.path(), &words.split(' ').collect::<Vec<_>>());
    assert_eq!(stderr, "");
    see(&stdout.lines().map(|line| parse(line).unwrap()).collect::<Vec<_>>())
}

fn texts(values: &[Value<'_>], keys: [&str; 2]) -> Vec<String> {
    let text = |value: &Value<'_>, key| value.get(key).and_then(Value::as_str).unwrap_or("-").to_owned();
    values.iter().map(|value| keys.map(|key| text(value, key)).join(" ")).collect()
}

#[test]
fn events_of_a_slot_that_a_step_wrote_twice_name_their_own_write() {
    let node = |agent: &str, value: &str| {
        format!("{{\"agent\":\"{agent}\",\"status\":\"completed\",\"outputs\":{{\"a\":{value}}}}}")
    };
    let nodes = [node("P", "{\"x\":1,\"y\":2}"), node("Q", "{\"x\":1,\"z\":2}"), node("R", "{\"x\":1,\"z\":2}")];
    let input = format!("{{\"success\":true,\"nodes\":[{}]}}", nodes.join(","));
    let found = asked(&input, "history in.json a --format scopix --json", |answer| {
        texts(answer[0].get("events").and_then(Value::as_array).unwrap(), ["op", "source_node"])
    });
    assert_eq!(found, ["add P", "add P", "drop Q", "same Q", "add Q", "same R", "same R"], "S12");
}

#[test]
fn a_second_result_of_one_call_is_reported_wherever_the_call_stands() {
    let result = r#"{"class_":"text_observation","content":"x","source":"environment","tool_call_id":"c1"}"#;
    let call = r#"{"class_":"api_action","function":"f","kwargs":{},"tool_call_id":"c1"}"#;
    let input =
        format!("{{\"schema_version\":\"1.3.0\",\"id\":\"a\",\"content\":[{result},{call},{result},{result}]}}");
    let found = asked(&input, "check in.json --format adp --json", |lines| texts(lines, ["rule", "path"]));
    let ids: Vec<&String> = found.iter().filter(|found| found.contains("adp.call-id")).collect();
    // The one before the call answers nothing, so the first behind it is the answer.
    assert_eq!(ids, ["adp.call-id /content/0/tool_call_id", "adp.call-id /content/3/tool_call_id"], "D10 (d), (e)");
}

#[test]
fn contracts_ask_for_what_is_required_and_types_that_are_none_are_others() {
    let contract = |required: &str| {
        format!(
            r#"{{"contracts":[{{"name":"Q","capability":"c","inputs":[{{"name":"in","data_type":"TEXT"{required}}}],
            "outputs":[{{"name":"c","data_type":"TEXT"}}]}}],
            "slots":{{"c":{{"value":1,"data_type":null,"source_node":"Q"}}}}}}"#
        )
    };
    let rules = |input: &str| {
        asked(input, "check in.json --format scopix --json", |lines| texts(lines, ["rule", "path"]).join(" "))
    };
    for (required, is_asked) in
        [("", true), (",\"required\":true", true), (",\"required\":null", false), (",\"required\":0", false)]
    {
        let found = rules(&contract(required));
        assert_eq!(found.contains("required-input"), is_asked, "S28: {required}: {found}");
        assert!(found.contains("output-type"), "S28: {found}");
    }
    let named = contract("").replace("\"c\":{\"value\"", "\"in\":{\"value\"");
    assert!(rules(&named).contains("input-type"), "S28: {}", rules(&named));
}
