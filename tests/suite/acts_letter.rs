//! Rules of Agent/Data taken at their word, where the vectors say nothing: each test names the rule.

use super::command::obelus_in;
use obelus::json::{Value, compact, parse};
use std::fs;

/// The lines that a command answers with, as text.
fn lines(input: &str, words: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("in.jsonl"), input).unwrap();
    let (command, rest) = words.split_first().unwrap();
    let arguments = [&[*command, "in.jsonl"], rest, &["--format", "acts", "--json"]].concat();
    let (_, stdout, stderr) = obelus_in(folder.path(), &arguments);
    assert_eq!(stderr, "", "{input}");
    stdout.lines().map(str::to_owned).collect()
}

/// A member of the answer as compact JSON text; members of objects in it by `/`.
fn member(input: &str, words: &[&str], path: &str) -> String {
    let answer = lines(input, words).remove(0);
    let value = parse(&answer).unwrap();
    let found = path.split('/').try_fold(&value, |at, key| match key.parse::<usize>() {
        Ok(index) => at.as_array()?.get(index),
        Err(_) => at.get(key),
    });
    found.map_or_else(|| "absent".to_owned(), compact)
}

/// `step rule path` of every finding, without the prefix.
fn findings(input: &str) -> Vec<String> {
    let describe_line = |line: &String| {
        let value = parse(line).unwrap();
        let text = |key| value.get(key).unwrap().as_str().map(str::to_owned);
        let rule = text("rule").unwrap();
        let path = text("path").map(|path| format!(" {path}")).unwrap_or_default();
        format!("{} {}{path}", value.get("step").unwrap().text, rule.strip_prefix("acts.").unwrap())
    };
    lines(input, &["check"]).iter().map(describe_line).collect()
}

/// `kind=value` of every identity in the end.
fn state(input: &str) -> String {
    let answer = lines(input, &["state"]).remove(0);
    let value = parse(&answer).unwrap();
    let describe_identity = |identity: &Value<'_>| {
        let value = identity.get("value").map_or_else(String::new, compact);
        format!("{}={value}", identity.get("kind").unwrap().as_str().unwrap())
    };
    value.get("data").unwrap().as_array().unwrap().iter().map(describe_identity).collect::<Vec<_>>().join(" ")
}

/// `step op ref` of every event at a path.
fn history(input: &str, path: &str) -> Vec<String> {
    let answer = lines(input, &["history", path]).remove(0);
    let value = parse(&answer).unwrap();
    let describe_event = |event: &Value<'_>| {
        let text = |key| event.get(key).unwrap().as_str().unwrap().to_owned();
        format!("{} {} {}", event.get("step").unwrap().text, text("op"), text("ref"))
    };
    value.get("events").unwrap().as_array().unwrap().iter().map(describe_event).collect()
}

#[test]
fn a6_two_contexts_in_one_envelope_are_found() {
    let input = r#"{"context":[{"type":"state","state":{"a":1}}],"context":[{"type":"state","state":{"b":1}}]}"#;
    assert_eq!(state(input), r#"state={"b":1}"#, "A6: the last value counts");
    assert_eq!(findings(input), ["0 duplicate-key context"], "A6: reported at the envelope's first step");
    let later = format!(
        "{{\"type\":\"text\",\"text\":\"x\"}}\n{}",
        input.replace("{\"context\"", "{\"config\":1,\"config\":{\"x\":1,\"x\":2},\"context\"")
    );
    assert_eq!(findings(&later), ["1 context-rebuilt", "1 duplicate-key config", "1 duplicate-key context"]);
    let again = r#"{"context":[{"type":"state","state":{"b":1}}]}"#.to_owned() + "\n" + input;
    assert_eq!(findings(&again), ["null duplicate-key context"], "A6: no step is made, and nothing is lost silently");
    let solved = r#"{"context":[],"solution":{"output":1,"output":2},"solution":{"calls":[],"output":{"x":1,"x":2}}}"#;
    assert_eq!(findings(solved), ["0 duplicate-key solution", "0 duplicate-key solution.output.x"]);
}

#[test]
fn a6_what_a_later_duplicate_replaces_is_not_looked_at() {
    let input = r#"{"type":"state","state":{"a":{"x":1,"x":2},"a":{"y":1},"b":[{"z":1,"z":1}],"b":[0,{"w":1,"w":1}]}}"#;
    assert_eq!(
        findings(input),
        ["0 duplicate-key state.a", "0 duplicate-key state.b", "0 duplicate-key state.b[1].w"],
        "A6"
    );
    let whole = r#"{"type":"state","state":{"x":1,"x":2},"state":{"y":1}}"#;
    assert_eq!(findings(whole), ["0 duplicate-key state"], "A6");
}

#[test]
fn a44_paths_in_a_wrapper_are_those_of_its_content() {
    let input = r#"{"role":"user","_call":{"_tool":"t","_tool":"u"},"content":{"type":"data","data":{"a":1,"a":2}}}"#;
    assert_eq!(findings(input), ["0 duplicate-key _call._tool", "0 duplicate-key data.a"], "A44");
    let replaced =
        r#"{"role":"user","content":{"type":"data","data":{"a":1,"a":2}},"content":{"type":"text","text":"x"}}"#;
    assert_eq!(findings(replaced), ["0 duplicate-key content"], "A6, A44");
}

#[test]
fn a8_a_type_that_is_no_string_is_another_type() {
    for other in [
        r#"{"type":5}"#,
        r#"{"type":[],"state":{"a":1}}"#,
        r#"{"type":false,"text":"x"}"#,
        r#"{"role":"user","content":{"type":{}}}"#,
    ] {
        assert_eq!(findings(other), ["0 unknown-type"], "A8: {other}");
        assert_eq!(state(other), "", "A8: {other}");
    }
    assert_eq!(findings(r#"{"type":null,"a":1}"#), ["0 not-a-message"], "A8: null is absence");
    assert_eq!(findings(r#"{"type":null,"role":null}"#), ["0 not-a-message"], "A8: null is absence");
    assert!(findings(r#"{"type":null,"text":"x"}"#).is_empty(), "A8: null is absence");
    let input = r#"{"context":[{"a":1,"_date":"d"},5,{"type":7,"b":2}]}"#;
    assert_eq!(
        member(input, &["render"], "messages"),
        r#"[{"role":"user","content":{"a":1}},{"role":"user","content":{"type":7,"b":2}}]"#,
        "A8: an object that is no message is shown like one of unknown type"
    );
}

#[test]
fn a11_errors_append_where_the_call_gives_the_kind() {
    let error = r#"{"type":"error","error":"a"}"#;
    for method in ["", r#","_outputMethod":"erase""#, r#","_outputMethod":"odd""#, r#","_outputMethod":"merge""#] {
        let data = format!(r#"{{"type":"data","data":{{"why":"b"}},"_call":{{"_outputPath":"†error.why"{method}}}}}"#);
        let input = format!("[{error},{data},{data}]");
        assert_eq!(state(&input), r#"error=[{"error":"a"},{"why":"b"},{"why":"b"}]"#, "A11: {method}");
        assert!(findings(&input).is_empty(), "A11: not looked at: {method}: {:?}", findings(&input));
        let shown = member(&input, &["render"], "messages/2/content/text");
        assert!(shown.contains("¶error") && shown.contains("why"), "A21: its own entry: {shown}");
    }
    let erased = format!(
        r#"[{error},{{"type":"data","data":{{}},"_call":{{"_outputPath":"†error.why","_outputMethod":"erase"}}}}]"#
    );
    assert_eq!(state(&erased), r#"error=[{"error":"a"},{}]"#, "A11, A17: held or not");
}

#[test]
fn a18_concat_of_nothing() {
    let onto = |old: &str| {
        format!(
            r#"[{{"type":"state","state":{old}}},{{"type":"data","kind":"state","data":{{"l":[]}},"_outputMethod":"concat","_call":{{"_outputPath":"†state.l"}}}}]"#
        )
    };
    assert_eq!(history(&onto(r#"{"l":[]}"#), "†state"), ["0 add †state.l", "1 same †state.l"], "A18: the leaf `[]`");
    assert_eq!(findings(&onto(r#"{"l":[]}"#)), ["1 no-op-write †state"], "A44: all events are `same`");
    assert_eq!(history(&onto(r#"{"l":[1]}"#), "†state"), ["0 add †state.l[0]"], "A18: onto others nothing");
    assert!(findings(&onto(r#"{"l":[1]}"#)).is_empty());
    assert_eq!(state(&onto(r#"{"l":null}"#)), r#"state={"l":[]}"#, "A19: starts from `[]`");
    assert_eq!(findings(&onto(r#"{"l":{}}"#)), ["1 method-type †state.l", "1 type-change †state.l"], "A19");
    let null = r#"[{"type":"state","state":{"l":[1]}},{"type":"state","state":{"l":[2]},"_outputMethod":null,"_call":{"_outputPath":"†state.l","_outputMethod":"push"}}]"#;
    assert_eq!(state(null), r#"state={"l":[1,[2]]}"#, "A18: a null `_outputMethod` is absence");
}

#[test]
fn a19_method_type_looks_at_what_stands_there() {
    let onto = |old: &str, method: &str, new: &str| {
        findings(&format!(
            r#"[{{"type":"state","state":{old}}},{{"type":"data","kind":"state","data":{{"l":{new}}},"_outputMethod":"{method}","_call":{{"_outputPath":"†state.l"}}}}]"#
        ))
    };
    for method in ["merge", "assign"] {
        assert!(onto(r#"{"l":{"a":1}}"#, method, r#"{"b":1}"#).is_empty(), "A19");
        assert!(
            onto(r#"{"l":null}"#, method, "5").is_empty() && onto(r#"{"x":1}"#, method, "5").is_empty(),
            "A19: {method}"
        );
        assert_eq!(onto(r#"{"l":{"a":1}}"#, method, "5"), ["1 type-change †state.l"], "A19: not at what comes");
        assert_eq!(onto(r#"{"l":7}"#, method, "5"), ["1 method-type †state.l"], "A19");
    }
    assert!(onto(r#"{"l":[1]}"#, "push", "5").is_empty() && onto(r#"{"l":null}"#, "concat", "[5]").is_empty(), "A19");
    let missing = r#"{"type":"data","kind":"state","_outputMethod":"push","_call":{"_outputPath":"†state.l"}}"#;
    assert_eq!(findings(missing), ["0 output-path-missing"], "A19: no value at all is missing too");
    let root = r#"{"type":"data","kind":"k","data":5,"_outputMethod":"push"}"#;
    assert!(findings(root).is_empty() && state(root) == "k=[5]", "A19: an identity without value is missing");
}

#[test]
fn a21_errors_without_value_are_one_entry() {
    let input = r#"{"context":[{"type":"error","_date":"d"},{"type":"error","error":"x","description":"own","schema":{"type":"object"}},{"type":"error","description":"all"},{"type":"error"}]}"#;
    let texts = [0, 1, 2].map(|i| member(input, &["render"], &format!("messages/{i}/content/text")));
    assert_eq!(
        texts,
        [
            "\"## Data: ¶error\\nall\\nSchema for ¶error:\\n{\\n  \\\"type\\\": \\\"object\\\"\\n}\"",
            "\"## Data: ¶error\\n{\\n  \\\"error\\\": \\\"x\\\"\\n}\\nown\\nSchema for ¶error:\\n{\\n  \\\"type\\\": \\\"object\\\"\\n}\"",
            "absent",
        ],
        "A21"
    );
}

#[test]
fn a30_drops_of_a_rebuilt_context_have_no_author() {
    let call = |path: &str, rest: &str| {
        format!(
            r#"{{"type":"data","kind":"state","data":{rest},"_date":"d","_call":{{"_tool":"t","_outputPath":"{path}"}}}}"#
        )
    };
    let (one, two) = (call("†state.b", r#"{"b":1}"#), call("†state.a", r#"{"a":{"y":1,"x":1}}"#));
    let kept = r#"{"type":"text","text":"x"}"#;
    for after in [format!("{{\"context\":[{kept}]}}"), "{\"context\":[]}".to_owned()] {
        let input = format!("{{\"context\":[{kept},{one},{two}]}}\n{after}");
        let events = member(&input, &["history", "†state"], "events");
        let op = if after.contains(kept) { "drop" } else { "reset" };
        let gone: Vec<String> =
            ["b", "a.y", "a.x"].iter().map(|p| format!(r#"{{"step":3,"op":"{op}","ref":"†state.{p}"}}"#)).collect();
        assert!(events.ends_with(&format!("{}]", gone.join(","))), "A30: {events}");
    }
}

#[test]
fn a33_a_number_behind_a_dot_is_what_the_data_makes_it() {
    let plan = |old: &str| {
        format!(
            r#"[{{"type":"state","state":{{"l":{old}}}}},{{"type":"plan","plan":[{{"_tool":"t","a":["†state.l.0","†state.l[0]"],"_outputPath":"†state.l.1"}},{{"_tool":"u","_outputPath":"†state.l"}},{{"_tool":"v","x":"†state.l[1]"}}]}}]"#
        )
    };
    let ports = |old: &str| ["reads", "writes"].map(|key| member(&plan(old), &["plan"], &format!("nodes/0/{key}")));
    assert_eq!(ports("[7]"), [r#"["†state.l[0]"]"#, r#"["†state.l[1]"]"#], "A33: read once as printed");
    assert_eq!(ports("[]"), [r#"["†state.l[0]"]"#, r#"["†state.l[1]"]"#], "A33: an empty array is an array");
    let keyed = [r#"["†state.l[\"0\"]","†state.l[0]"]"#, r#"["†state.l[\"1\"]"]"#];
    assert_eq!([ports("{}"), ports("5")], [keyed, keyed], "A33: a key where the data does not tell");
    assert_eq!(
        member(&plan("[]"), &["plan"], "edges"),
        r#"[{"from":0,"to":2,"ref":"†state.l[1]"},{"from":1,"to":0,"ref":"†state.l[0]"},{"from":1,"to":2,"ref":"†state.l[1]"}]"#,
        "A33, A39: each edge once"
    );
    let unused = |old: &str| {
        let input = plan(old).replace(r#",{"_tool":"v","x":"†state.l[1]"}"#, "");
        findings(&input).into_iter().filter(|f| f.contains("unused")).collect::<Vec<_>>()
    };
    assert_eq!(unused("[]"), ["1 unused-write †state.l[1]"], "A33, A44: printed as the data at that step has it");
    assert_eq!(unused("{}"), ["1 unused-write †state.l[\"1\"]"], "A33, A44");
    let both = plan(r"[7]").replace("†state.l[0]", r#"†state.l[\"0\"]"#);
    assert_eq!(
        member(&both, &["plan"], "nodes/0/reads"),
        r#"["†state.l[0]","†state.l[\"0\"]"]"#,
        "A33: `[\"0\"]` is a key only"
    );
    let kinds = r#"{"type":"plan","plan":[{"_tool":"t","a":"†5.x","b":"†[\"a b\"].y","c":"†[\"k\"].z"}]}"#;
    assert_eq!(
        member(kinds, &["plan"], "nodes/0/reads"),
        r#"["†5.x","†[\"a b\"].y","†k.z"]"#,
        "A33: a kind is quoted only if it is not bare"
    );
}

#[test]
fn a33_the_history_of_a_number_behind_a_dot_has_both_meanings() {
    let input = r#"[{"type":"state","state":{"l":[7,8]}},{"type":"state","state":{"l":{"0":"x"}}},{"type":"state","state":{"l":[9]}}]"#;
    let both = [
        "0 add †state.l[0]",
        "1 drop †state.l[0]",
        "1 add †state.l[\"0\"]",
        "2 drop †state.l[\"0\"]",
        "2 add †state.l[0]",
    ];
    assert_eq!(history(input, "†state.l.0"), both, "A33");
    assert_eq!(history(input, "†state.l[0]"), [both[0], both[1], both[4]], "A33: an index only");
    assert_eq!(history(input, "†state.l[\"0\"]"), [both[2], both[3]], "A33: a key only");
    assert_eq!(member(input, &["blame", "†state.l.0", "--step", "1"], "entries/0/ref"), r#""†state.l[\"0\"]""#, "A33");
    let deep = r#"[{"type":"state","state":{"0":[{"1":1}]}},{"type":"state","state":{"0":{"0":[1,2]}}}]"#;
    assert_eq!(
        history(deep, "†state.0.0.1"),
        ["0 add †state[\"0\"][0][\"1\"]", "1 drop †state[\"0\"][0][\"1\"]", "1 add †state[\"0\"][\"0\"][1]"],
        "A33: each meaning that some step had"
    );
}

#[test]
fn a36_what_is_unsupported_and_what_is_invalid() {
    let input = r#"[{"type":"data","kind":"expr","_instance":"①","data":{"list":[1],"text":"x","n":1}},{"type":"state","state":{"s":"x"}}]"#;
    let status = |reference: &str, instance: &[&str]| {
        let words = [&["resolve", reference], instance].concat();
        [member(input, &words, "status"), member(input, &words, "reason")].join(" ").replace('"', "")
    };
    let within = ["--instance", "①"];
    assert_eq!(status("†expr.list.length", &within), "unsupported absent", "A36: the length of an array");
    assert_eq!(status("†expr.text.length", &within), "unsupported absent", "A36: the length of a string");
    assert_eq!(status("†expr.n.length", &within), "missing path", "A36: data of kind `expr` holds");
    assert_eq!(status("†expr.x", &[]), "missing kind", "A36: it holds in some instance");
    for invalid in ["†a †b", "†a || || †b", "†a ", "†a && ", "†a||†b"] {
        assert_eq!(status(invalid, &[]), "invalid absent", "A36: {invalid}");
    }
    for wider in ["†a + 1", "†c > 5", "†state.b.map(f)", "!†a", "(†a || †b)"] {
        assert_eq!(status(wider, &[]), "unsupported absent", "A36: {wider}");
    }
    assert_eq!(
        status("†state.s && †state.no || †none && †none.x", &[]),
        "missing path",
        "A36: of the first that failed"
    );
    assert_eq!(status("†none || †state.no", &[]), "missing kind", "A36: of the gate that failed");
    let empty = r#"{"type":"data","kind":"expr"}"#;
    assert_eq!(member(empty, &["resolve", "†expr.x"], "status"), "\"unsupported\"", "A36: no data of that kind");
}

#[test]
fn a36_an_output_path_in_the_wider_language_names_no_place() {
    for wider in ["†state.b.map(f)", "†c > 5", "!†state.b", "(†state.b)"] {
        let input = format!(
            r#"{{"type":"plan","plan":[{{"_tool":"t","_outputPath":"{wider}"}},{{"_tool":"u","x":"†state.b"}}]}}"#
        );
        assert_eq!(findings(&input), ["0 bad-output-path calls[0]", "0 dangling-reference †state.b"], "A36: {wider}");
        assert_eq!(member(&input, &["plan"], "nodes/0/writes"), "[]", "A36: {wider}");
        assert_eq!(member(&input, &["plan"], "edges"), "[]", "A36: {wider}");
        let data = format!(
            r#"[{{"type":"state","state":{{"b":{{"x":1}}}}}},{{"type":"data","kind":"state","data":{{"b":{{"y":1}}}},"_call":{{"_outputPath":"{wider}"}}}}]"#
        );
        assert_eq!(findings(&data), ["1 bad-output-path"], "A19, A36: {wider}");
        assert_eq!(state(&data), r#"state={"b":{"x":1,"y":1}}"#, "A19: it merges as a plain one: {wider}");
    }
}

#[test]
fn a41_erased_means_in_the_identity_in_which_the_call_is_judged() {
    let plan = r#"{"type":"plan","plan":[{"_tool":"t","_output":1,"_outputPath":"†state.x"}]}"#;
    let erase = |instance: &str| {
        format!(
            r#"{{"type":"data","kind":"state"{instance},"_call":{{"_outputPath":"†state.x","_outputMethod":"erase"}}}}"#
        )
    };
    let other = r#"{"type":"state","_instance":"①","state":{"y":1}}"#;
    let status = |erase: String| {
        let input = format!("[{other},{plan},{erase}]");
        [member(&input, &["plan"], "nodes/0/status"), member(&input, &["plan"], "nodes/0/instances")].join(" ")
    };
    assert_eq!(status(erase("")), r#""ready" {"①":"done"}"#, "A41");
    assert_eq!(status(erase(r#","_instance":"①""#)), r#""done" {"①":"ready"}"#, "A41");
    let error = r#"{"type":"error","error":1,"_call":{"_outputPath":"†state.x","_outputMethod":"erase"}}"#;
    assert_eq!(status(error.to_owned()), r#""done" {"①":"done"}"#, "A11: an error erases nothing");
}

#[cfg(feature = "schema")]
#[test]
fn a42_a_reset_forgets_violations() {
    let envelope =
        |value: &str| format!(r#"{{"context":[{{"type":"state","state":{value},"schema":{{"type":"object"}}}}]}}"#);
    let input = [envelope("\"x\""), envelope("\"y\""), envelope("\"z\"")].join("\n");
    let broken: Vec<String> = findings(&input).into_iter().filter(|f| f.contains("violation")).collect();
    assert_eq!(broken, ["0 schema-violation †state", "1 schema-violation †state", "2 schema-violation †state"], "A42");
    let errors =
        |error: &str| format!(r#"{{"context":[{{"type":"error","error":{error},"schema":{{"required":["code"]}}}}]}}"#);
    let broken: Vec<String> =
        findings(&[errors("1"), errors("2")].join("\n")).into_iter().filter(|f| f.contains("violation")).collect();
    assert_eq!(broken, ["0 schema-violation †error[0]", "1 schema-violation †error[0]"], "A11, A42");
    let kept = r#"{"type":"text","text":"x"}"#;
    let rebuilt = |value: &str| envelope(value).replace("[{", &format!("[{kept},{{"));
    let broken: Vec<String> = findings(&[rebuilt("\"x\""), rebuilt("\"y\"")].join("\n"))
        .into_iter()
        .filter(|f| f.contains("violation"))
        .collect();
    assert_eq!(broken, ["1 schema-violation †state"], "A42: a withdrawal is no reset");
}

#[test]
fn a43_a_call_dangles_when_in_every_scope_some_gate_does() {
    let data = r#"{"type":"data","kind":"q","data":{"y":1},"_instance":"②"},{"type":"data","kind":"a","data":{"x":1},"_instance":"①"}"#;
    let plan =
        |text: &str, rest: &str| format!(r#"[{data},{{"type":"plan","plan":[{{"_tool":"u","v":"{text}"{rest}}}]}}]"#);
    assert_eq!(findings(&plan("†a.x && †q.y", "")), ["2 dangling-reference †a.x && †q.y"], "A43");
    assert!(findings(&plan("†a.x", "")).is_empty() && findings(&plan("†a.x || †q.y", "")).is_empty(), "A43");
    assert_eq!(findings(&plan("†q.y", r#","_instance":"①""#)), ["2 dangling-reference †q.y"], "A43: its own instance");
    let written = plan("†a.x && †q.y", "")
        .replace("]}]", r#"]},{"type":"text","text":"x"}]"#)
        .replace(r#""plan":["#, r#""plan":[{"_tool":"w","_outputPath":"†q"},"#);
    assert!(findings(&written).is_empty(), "A43: written by a call: {:?}", findings(&written));
}

#[test]
fn a44_a_write_that_drops_is_no_repetition() {
    let old = r#"{"type":"state","state":{"l":[1,2]}}"#;
    let input = format!(r#"[{old},{{"type":"state","state":{{"l":[1]}}}},{{"type":"state","state":{{"l":[1]}}}}]"#);
    assert_eq!(findings(&input), ["2 no-op-write †state"], "A44: a drop is a change");
}

#[test]
fn a8_logs_of_other_programs_are_not_taken_for_agent_data() {
    let detected = |text: &str| {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("log"), text).unwrap();
        let (_, stdout, stderr) = obelus_in(folder.path(), &["formats", "--json", "log"]);
        assert_eq!(stderr, "", "{text}");
        parse(stdout.trim()).unwrap().get("format").unwrap().as_str().unwrap().to_owned()
    };
    let stream = [
        r#"{"type":"step_start","ts":1,"part":{"id":"p1"}}"#,
        r#"{"type":"text","ts":2,"part":{"id":"p2","text":"Looking."}}"#,
        r#"{"type":"tool","ts":3,"tool":"bash","state":{"status":"completed","output":"ok"}}"#,
        r#"{"type":"text","ts":4,"text":"Done."}"#,
    ];
    let service = [
        r#"{"type":"error","error":"disk full","level":"error"}"#,
        r#"{"type":"meta","meta":{"host":"a"}}"#,
        r#"{"type":"data","data":"chunk of text"}"#,
        r#"{"type":"state","state":"connected"}"#,
    ];
    let machine = [r#"{"type":"state","from":"idle","to":"busy"}"#, r#"{"type":"input","device":"mouse","x":4}"#];
    let one = [r#"{"id":"m1","type":"text","text":"Hi","sessionID":"s"}"#];
    for foreign in [&stream[..], &service[..], &machine[..], &one[..]] {
        assert_eq!(detected(&foreign.join("\n")), "generic", "{foreign:?}");
    }
    let chat = r#"{"role":"user","type":"text","content":"x"},{"role":"assistant","type":"text","content":"y"}"#;
    assert_eq!(detected(&format!("[{chat}]")), "messages");
    assert_eq!(detected(&format!("{{\"messages\":[{chat}]}}")), "messages");
    let state = r#"{"type":"state","state":{"n":1}}"#;
    assert_eq!(detected(&format!("[{chat},{state}]")), "acts", "a state carries it");
    assert_eq!(detected(&[state, stream[0], stream[1]].join("\n")), "generic", "less than half");
    assert_eq!(detected(&[stream[3], r#"{"type":"plan","calls":[]}"#].join("\n")), "acts");
    assert_eq!(detected(r#"{"context":[{"type":"text","text":"x"}]}"#), "acts", "an envelope");
}

#[test]
fn a4_a_solution_outside_the_context_holds_until_an_envelope_keeps_nothing() {
    let solution = r#"{"type":"solution","solution":{"calls":[{"_tool":"t"}],"output":1}}"#;
    let (x, y, z) = (r#"{"type":"text","text":"x"}"#, r#"{"type":"text","text":"y"}"#, r#"{"type":"text","text":"z"}"#);
    let envelope = |messages: &[&str]| format!("{{\"context\":[{}]}}", messages.join(","));
    let check_text = |envelopes: &[String]| {
        let input = envelopes.join("\n");
        [member(&input, &["plan"], "plan_step"), member(&input, &["state"], "output/step")].join(" ")
    };
    let first = envelope(&[x, solution]);
    assert_eq!(check_text(&[first.clone(), envelope(&[x, y])]), "1 1", "A4: left out, it holds");
    assert_eq!(check_text(&[first.clone(), envelope(&[x, y]), envelope(&[z])]), "null absent", "A4: nothing is kept");
    assert_eq!(check_text(&[first.clone(), envelope(&[z]), envelope(&[z, y])]), "null absent", "A4: it stays gone");
    let back = [first, envelope(&[z]), envelope(&[z, solution]), envelope(&[z, y])];
    assert_eq!(check_text(&back), "1 1", "A4: it came back");
}

/// A33, A39: without data `.0` is a key, with an array an index; what is printed is what it touches.
#[test]
fn a_digit_touches_what_it_is_printed_as() {
    let plan = |read: &str| {
        let read = read.replace('"', "\\\"");
        format!(r#"{{"type":"plan","plan":[{{"_tool":"w","_outputPath":"†k.0"}},{{"_tool":"r","v":"{read}"}}]}}"#)
    };
    let array = r#"{"type":"data","kind":"k","data":[]}"#;
    for (data, read, is_read) in [
        ("", "†k[0]", false),
        ("", "†k[\"0\"]", true),
        ("", "†k.0", true),
        (array, "†k[0]", true),
        (array, "†k[\"0\"]", false),
        (array, "†k.0", true),
    ] {
        let input = format!("{data}\n{}", plan(read)).trim_start().to_owned();
        let edges = member(&input, &["plan"], "edges");
        assert_eq!(edges != "[]", is_read, "{input}: {edges}");
        let mut rules: Vec<String> = findings(&input).iter().map(|f| f.split(' ').nth(1).unwrap().to_owned()).collect();
        rules.sort();
        let expected: &[&str] = if is_read { &[] } else { &["dangling-reference", "unused-write"] };
        assert_eq!(rules, expected, "{input}");
    }
    let cycle = concat!(
        r#"{"type":"plan","plan":[{"_tool":"a","v":"†k[0]","_outputPath":"†j.x"},"#,
        r#"{"_tool":"b","v":"†j.x","_outputPath":"†k.0"}]}"#
    );
    let has_cycle = |input: &str| findings(input).iter().any(|f| f.contains("plan-cycle"));
    assert!(!has_cycle(cycle) && has_cycle(&format!("{array}\n{cycle}")));
}

/// A33: in each instance `.0` is what the data of that instance makes it.
#[test]
fn a_digit_is_printed_in_each_instance() {
    let data =
        |instance: &str, data: &str| format!(r#"{{"type":"data","kind":"k","_instance":"{instance}","data":{data}}}"#);
    let plan = r#"{"type":"plan","plan":[{"_tool":"w","_outputPath":"†k.0"},{"_tool":"r","v":"†k[0]"}]}"#;
    let input = [data("a", "[]"), data("o", "{}"), plan.to_owned()].join("\n");
    assert_eq!(member(&input, &["plan"], "nodes/1/instances"), r#"{"a":"waiting","o":"dangling"}"#);
}
