//! Random ADP records of all shapes: the program against the second implementation.

use super::adp::Adp;
use super::compare::{checked, findings_differ, program, subset_differs};
use super::hunt;
use super::json::{self, J};
use super::random_acts::{members, one, seldom};
use crate::vectors::WORK_KINDS;
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;

fn text() -> BoxedStrategy<String> {
    prop_oneof![
        6 => one(&["\"x\"", "\"ls -l\"", "\"a\\nb\"", "\"ü→\""]),
        2 => one(&["\"\"", "\" \\u00a0\"", "\"<think>\"", "\"a </THINK\"", "\"<thinker\"", "\"\\u001b[1m\"", "\"a\\rb\"", "\"a\\r\\nb\""]),
        1 => one(&["null", "5", "[]", "{\"a\":\"\\u0007\"}"]),
    ]
    .boxed()
}

fn id() -> BoxedStrategy<String> {
    prop_oneof![9 => one(&["\"1\"", "\"2\""]), 1 => one(&["null", "5"])].boxed()
}

fn reward() -> BoxedStrategy<String> {
    one(&[
        "1",
        "0.5",
        "null",
        "\"-1.5e3\"",
        "\"1e400\"",
        "true",
        "\" 1\"",
        "\".5\"",
        "\"1.\"",
        "\".\"",
        "[]",
        "1e400",
        "\"inf\"",
    ])
}

fn source() -> BoxedStrategy<String> {
    prop_oneof![9 => one(&["\"user\"", "\"environment\"", "\"agent\""]), 1 => one(&["\"system\"", "5", "null"])].boxed()
}

/// The class under one of its keys, seldom misspelt or not there.
fn class(name: &'static str, odd: &'static str) -> BoxedStrategy<String> {
    prop_oneof![
        12 => Just(format!("\"class_\":\"{name}\"")),
        1 => Just(format!("\"class_\":\"{odd}\"")),
        1 => Just(format!("\"class\":\"{name}\"")),
        1 => Just("\"class_\":\"nope\"".to_owned()),
        1 => one(&["\"class_\":null", "\"class_\":5", "\"no\":1"]),
    ]
    .boxed()
}

fn common() -> BoxedStrategy<String> {
    (seldom("tool_call_id", 0.4, id()), seldom("reward", 0.2, reward()), seldom("extra", 0.05, text()))
        .prop_map(|(id, reward, extra)| format!("{id}{reward}{extra}"))
        .boxed()
}

fn action() -> BoxedStrategy<String> {
    let thought = (one(&["description", "description", "thought", "thoughts"]), weighted(0.6, text()))
        .prop_map(|(key, text)| text.map_or(String::new(), |text| format!(",\"{key}\":{text}")))
        .boxed();
    let rest = (thought, seldom("reasoning_content", 0.2, text()), common())
        .prop_map(|(a, b, c)| format!("{a}{b}{c}"))
        .boxed();
    let function = prop_oneof![6 => one(&["\"click\"", "\"ls\"", "\"finish\"", "\"Submit\""]), 1 => text()].boxed();
    let kwargs = one(&["{}", "{\"a\":1}", "{\"b\":\"\\u0001\"}", "5"]);
    let kwargs = (one(&["kwargs", "kwargs", "kwargs", "args"]), kwargs).prop_map(|(k, v)| format!(",\"{k}\":{v}"));
    let api = (class("api_action", "ApiAction"), seldom("function", 0.95, function), kwargs, rest.clone())
        .prop_map(|(class, function, kwargs, rest)| format!("{{{class}{function}{kwargs}{rest}}}"));
    let language = one(&["\"bash\"", "\"python\"", "\"klingon\"", "null"]);
    let content = (one(&["content", "content", "code"]), text()).prop_map(|(k, v)| format!(",\"{k}\":{v}"));
    let code = (class("code_action", "CODE-ACTION"), seldom("language", 0.95, language), content, rest.clone())
        .prop_map(|(class, language, content, rest)| format!("{{{class}{language}{content}{rest}}}"));
    let content = (one(&["content", "content", "message"]), text()).prop_map(|(k, v)| format!(",\"{k}\":{v}"));
    let message = (class("message_action", "MessageAction"), content, rest)
        .prop_map(|(class, content, rest)| format!("{{{class}{content}{rest}}}"));
    prop_oneof![2 => api, 1 => code, 1 => message].boxed()
}

fn observation() -> BoxedStrategy<String> {
    let source = seldom("source", 0.95, source());
    let content = (one(&["content", "content", "text"]), text()).prop_map(|(k, v)| format!(",\"{k}\":{v}"));
    let plain =
        (class("text_observation", "TextObservation"), content, source.clone(), seldom("name", 0.2, text()), common())
            .prop_map(|(class, content, source, name, rest)| format!("{{{class}{content}{source}{name}{rest}}}"));
    let path =
        one(&["\"/a.png\"", "\"a.png\"", "\"C:x\"", "\"file://a\"", "\"https://x/y\"", "\"data:x\"", "\"\"", "null"]);
    let image = (
        class("image_observation", "imageobservation"),
        path.clone(),
        source.clone(),
        seldom("annotations", 0.3, one(&["[]", "null", "5"])),
        common(),
    )
        .prop_map(|(class, path, source, annotations, rest)| {
            format!("{{{class},\"content\":{path}{source}{annotations}{rest}}}")
        });
    let json = (class("json_observation", "Json_Observation"), one(&["{}", "{\"a\":[1]}", "5"]), source, common())
        .prop_map(|(class, content, source, rest)| format!("{{{class},\"content\":{content}{source}{rest}}}"));
    let size = one(&["null", "[1,2]", "[1]", "[1,2.0]", "[true,\"3\"]", "[1.5,2]", "5", "[\"+1\",\"x\"]"]);
    let html = || prop_oneof![3 => text(), 1 => Just("null".to_owned())];
    let web = (
        class("web_observation", "WebObservation"),
        seldom("html", 0.95, html()),
        seldom("url", 0.95, html()),
        seldom("viewport_size", 0.95, size),
        seldom("axtree", 0.3, html()),
        common(),
    )
        .prop_map(|(class, html, url, size, axtree, rest)| {
            format!("{{{class}{html}{url},\"image_observation\":null{size}{axtree}{rest}}}")
        });
    prop_oneof![4 => plain, 1 => image, 1 => json, 1 => web].boxed()
}

fn record() -> BoxedStrategy<String> {
    let odd = one(&["5", "null", "{}", "\"x\""]);
    let item = prop_oneof![10 => action(), 10 => observation(), 1 => odd.clone()];
    let content = prop_oneof![
        12 => vec(item, 0..6).prop_map(|all| format!(",\"content\":[{}]", all.join(","))),
        1 => Just(",\"content\":\"x\"".to_owned()),
    ];
    let version = prop_oneof![
        4 => one(&["\"1.2.0\"", "\"1.3.0\"", "\"1.5.0\"", "\"1.0.0\""]),
        1 => one(&["\"1.6.0\"", "\"1.5.1\"", "\"2.0.0\"", "\"x\"", "5", "\"1.3\""]),
    ];
    let key = one(&["a", "reward", "Score", "x_rate", "pred_passes_1", "system_prompt", "a/b", "available_apis"]);
    let detail = (key, one(&["\"x\"", "\"1\"", "1", "null"])).prop_map(|(k, v)| format!("\"{k}\":{v}"));
    let details = prop_oneof![6 => members(vec(detail, 0..3)), 1 => odd].boxed();
    let names = |of: &'static [&'static str]| vec(one(of), 0..3).prop_map(|all| format!("[{}]", all.join(","))).boxed();
    let whole = (
        prop_oneof![9 => one(&["\"a\"", "\"b\"", "\"c\"", "\"d\""]), 1 => one(&["\" \"", "5", "null"])],
        content,
        seldom("schema_version", 0.6, version.boxed()),
        seldom("details", 0.4, details),
        seldom("available_apis", 0.2, names(&["\"click\"", "\"ls\"", "5"])),
        seldom("available_code_languages", 0.2, names(&["\"bash\"", "\"klingon\"", "null"])),
        seldom("more", 0.05, text()),
    )
        .prop_map(|(id, content, version, details, apis, languages, more)| {
            format!("{{\"id\":{id}{content}{version}{details}{apis}{languages}{more}}}")
        });
    prop_oneof![20 => whole, 1 => one(&["{\"x\":1}", "5", "nope", "{\"id\":}", "{\"content\":[NaN]}"])].boxed()
}

/// JSON text inside a string.
fn nested(text: &str) -> String {
    json::quote(text)
}

/// What a message says, in one of its keys.
fn said() -> BoxedStrategy<String> {
    let call = one(&[
        "\"so <function=ls>\\n</function>\"",
        "\"<function=finish></function>\"",
        "\"<function=a\"",
        "\"<function=>x</function>\"",
        "\" <function=b> <function=c></function>\"",
    ]);
    let json_text = one(&[
        r#"{"name":"f","arguments":{}}"#,
        r#"[{"name":"f"},{"name":"stop"},{"x":1},5]"#,
        r#"{"function":{"name":"f"}}"#,
        "[]",
        r#""f""#,
    ])
    .prop_map(|text| nested(&text));
    let parts = one(&[
        "[]",
        r#"[{"type":"text","text":"a"},{"type":"text","text":"b"}]"#,
        r#"[{"type":"text","text":""}]"#,
        r#"[{"type":"image_url","image_url":"x"}]"#,
        r#"["s"]"#,
        r#"[{"text":"<function="},{"text":"q></function>"}]"#,
    ]);
    let value = prop_oneof![8 => text(), 3 => call, 3 => json_text, 2 => parts];
    let key = one(&["content", "content", "value", "text"]);
    prop_oneof![
        12 => (key, value).prop_map(|(key, value)| format!(",\"{key}\":{value}")),
        1 => text().prop_map(|value| format!(",\"value\":null,\"content\":{value}")),
        1 => Just(String::new()),
    ]
    .boxed()
}

fn one_call() -> BoxedStrategy<String> {
    let name = one(&["f", "ls", "finish", "Stop"]);
    let call = (name, one(&["", ",\"id\":\"1\"", ",\"id\":\"2\"", ",\"id\":\"1\""]), 0..8_u8);
    call.prop_map(|(name, id, form)| match form {
        0..=2 => format!("{{\"function\":{{\"name\":\"{name}\",\"arguments\":\"{{}}\"}}{id}}}"),
        3 | 4 => format!("{{\"name\":\"{name}\",\"arguments\":{{}}{id}}}"),
        5 => nested(&format!("{{\"name\":\"{name}\"{id}}}")),
        6 => format!("{{\"name\":\"x\",\"function\":{{\"name\":\"{name}\"}}{id}}}"),
        _ => "{\"name\":5}".to_owned(),
    })
    .boxed()
}

fn message() -> BoxedStrategy<String> {
    let speaker = prop_oneof![
        6 => one(&["user", "human", "assistant", "gpt", "assistant", "tool", "observation"]),
        2 => one(&["system", "function_call", "Function_Call", "developer", "critic"]),
    ];
    let calls = vec(one_call(), 0..3).prop_map(|all| format!("[{}]", all.join(",")));
    let function_call = prop_oneof![
        3 => one_call(),
        1 => one(&["null", "\"f\"", "[]", r#"{"name":"g","arguments":"{}"}"#]),
    ];
    (
        (one(&["role", "role", "from"]), speaker).prop_map(|(key, who)| format!("\"{key}\":\"{who}\"")),
        said(),
        seldom("tool_calls", 0.3, calls),
        seldom("function_call", 0.1, function_call),
        seldom("tool_call_id", 0.3, id()),
        seldom("reward", 0.05, one(&["1", "null"])),
    )
        .prop_map(|(who, said, calls, one, id, reward)| format!("{{{who}{said}{calls}{one}{id}{reward}}}"))
        .boxed()
}

fn chat() -> BoxedStrategy<String> {
    let list = one(&["messages", "conversations", "trajectory"]);
    let other = one(&["", ",\"conversations\":5", ",\"trajectory\":[]", ",\"messages\":[{\"x\":1}]"]);
    let id = prop_oneof![6 => one(&["\"a\"", "\"b\"", "1"]), 1 => one(&["null", "true"])];
    (
        list,
        vec(message(), 0..6),
        other,
        seldom("id", 0.6, id),
        seldom("system", 0.2, text()),
        seldom("details", 0.05, one(&["{\"a\":1}", "5"])),
    )
        .prop_map(|(list, all, other, id, system, details)| {
            // A list that is there already keeps its messages.
            let other = if other.contains(&list) { String::new() } else { other };
            format!("{{\"{list}\":[{}]{other}{id}{system}{details}}}", all.join(","))
        })
        .boxed()
}

fn turn() -> BoxedStrategy<String> {
    let calls = (one(&["f", "ls", "finish"]), one(&["1", "2", "3"]), one(&["{}", "{\"a\":[1]}", "5"]), 0..9_u8);
    let calls = calls.prop_map(|(name, id, arguments, form)| match form {
        0 => format!("{{\"function_name\":\"{name}\"}}"),
        1 => format!("{{\"tool_call_id\":\"{id}\",\"arguments\":{arguments}}}"),
        _ => format!("{{\"tool_call_id\":\"{id}\",\"function_name\":\"{name}\",\"arguments\":{arguments}}}"),
    });
    let calls = vec(calls, 0..3).prop_map(|all| format!("[{}]", all.join(",")));
    let result = (one(&["\"1\"", "\"2\"", "\"9\""]), text())
        .prop_map(|(id, content)| format!("{{\"source_call_id\":{id},\"content\":{content}}}"));
    let results = vec(result, 0..3).prop_map(|all| format!("{{\"results\":[{}]}}", all.join(",")));
    let source = prop_oneof![
        8 => one(&["\"agent\"", "\"agent\"", "\"user\"", "\"system\""]),
        1 => one(&["\"x\"", "5", "null"]),
    ];
    let message = prop_oneof![8 => text(), 1 => one(&[r#"[{"type":"text","text":"a"}]"#, "[]"])];
    (
        seldom("source", 0.95, source),
        seldom("message", 0.9, message),
        seldom("tool_calls", 0.4, calls),
        seldom("observation", 0.4, results),
        seldom("reasoning_content", 0.2, text()),
        seldom("reasoning_effort", 0.05, text()),
        seldom("extra", 0.2, one(&["{\"reward\":1}", "{\"reward\":\"0.5\"}", "{\"reward\":null}", "{}", "5"])),
        seldom("odd/~", 0.05, text()),
        (seldom("model_name", 0.2, text()), seldom("timestamp", 0.2, text()))
            .prop_map(|(model, time)| format!("{model}{time}")),
    )
        .prop_map(|(a, b, c, d, e, f, g, h, i)| format!("{a}{b}{c}{d}{e}{f}{g}{h}{i}"))
        .boxed()
}

fn atif() -> BoxedStrategy<String> {
    let version = prop_oneof![
        6 => one(&["\"ATIF-v1.4\"", "\"ATIF-v1.8\"", "\"ATIF-v1.0\""]),
        1 => one(&["\"ATIF-v1.9\"", "\"ATIF-v1.\"", "\"ATIF\"", "\"1.5\"", "5"]),
    ];
    let ids = one(&["\"a\"", "\"b\"", "5"]);
    (
        seldom("schema_version", 0.9, version),
        vec((turn(), 0..12_u8), 0..5),
        seldom("session_id", 0.6, ids.clone()),
        seldom("trajectory_id", 0.3, ids),
        seldom("agent", 0.5, one(&["{\"name\":\"x\"}", "5"])),
        seldom("more", 0.05, text()),
    )
        .prop_map(|(version, turns, session, trajectory, agent, more)| {
            let turn = |(i, (turn, odd)): (usize, (String, u8))| match odd {
                0 => format!("{{\"step_id\":{}{turn}}}", i + 2),
                1 if i > 0 => "5".to_owned(),
                2 => format!("{{\"step_id\":{}.0{turn}}}", i + 1),
                _ => format!("{{\"step_id\":{}{turn}}}", i + 1),
            };
            let turns: Vec<String> = turns.into_iter().enumerate().map(turn).collect();
            format!("{{\"steps\":[{}]{version}{session}{trajectory}{agent}{more}}}", turns.join(","))
        })
        .boxed()
}

fn document() -> BoxedStrategy<String> {
    let any = prop_oneof![3 => record(), 3 => chat(), 2 => atif()];
    vec(any, 1..4).prop_map(|all| all.join("\n")).boxed()
}

/// Without the kinds that stand beside those of D20 (W13), which this implementation does not have.
fn without_work(answer: J) -> J {
    let is_work = |key: &str| {
        let kind = key.strip_prefix('/').map_or(key, |path| path.split('/').next().unwrap_or(""));
        WORK_KINDS.contains(&kind)
    };
    match answer {
        J::Obj(mut object) => {
            object.members.retain(|(key, _)| !is_work(key));
            for (key, value) in &mut object.members {
                match (key.as_str(), &mut *value) {
                    ("writes", J::Arr(writes)) => writes.retain(|write| !write.str().is_some_and(is_work)),
                    ("state" | "blame", _) => *value = without_work(value.clone()),
                    _ => {}
                }
            }
            J::Obj(object)
        }
        other => other,
    }
}

fn stats_differ(adp: &Adp, file: &str) -> Option<String> {
    let (lines, dataset) = adp.stats();
    let (_, stdout) = program(&["stats", file, "--json", "--format", "adp"]);
    let given: Vec<J> = stdout.lines().map(|line| json::parse(line).unwrap()).collect();
    let wanted: Vec<&J> = lines.iter().chain([&dataset]).collect();
    if wanted.len() != given.len() {
        return Some(format!("{} lines and not {}", given.len(), wanted.len()));
    }
    wanted.into_iter().zip(&given).find_map(|(wanted, given)| subset_differs(wanted, given))
}

fn differs(folder: &std::path::Path, text: &str) -> Option<String> {
    let file = folder.join("adp.jsonl");
    std::fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    let adp = Adp::read(text);
    if let Some(found) = findings_differ(&adp.findings(), &checked(file, "adp")) {
        return Some(format!("check\n{found}"));
    }
    if let Some(fault) = stats_differ(&adp, file) {
        return Some(format!("stats\n{fault}"));
    }
    let (_, stdout) = program(&["steps", file, "--json", "--format", "adp"]);
    let lines: Vec<J> = stdout.lines().map(|line| without_work(json::parse(line).unwrap())).collect();
    for record in 0..adp.count() {
        let Some(steps) = adp.steps(record) else { continue };
        let number = J::num(record);
        let given: Vec<&J> = lines.iter().filter(|line| line.get("record") == Some(&number)).collect();
        if given.len() != steps.len() {
            return Some(format!("steps of record {record}: {} and not {}", given.len(), steps.len()));
        }
        let fault = steps.iter().zip(given).find_map(|(wanted, given)| subset_differs(wanted, given));
        if fault.is_some() {
            return fault.map(|fault| format!("steps of record {record}\n{fault}"));
        }
        for step in [-1, steps.len() as i64 / 2, steps.len() as i64] {
            let (record_option, step_option) = (format!("--record={record}"), format!("--step={step}"));
            let (_, stdout) = program(&["state", file, "--json", "--format", "adp", &record_option, &step_option]);
            let given = without_work(json::parse(&stdout).unwrap_or(J::Null));
            let Some((state, blame)) = adp.state(record, step) else { continue };
            let wanted = J::object(vec![("state", state), ("blame", blame)]);
            if let Some(fault) = subset_differs(&wanted, &given) {
                return Some(format!("state of record {record} at {step}\n{fault}"));
            }
        }
    }
    None
}

fn search(cases: usize) {
    let folder = tempfile::tempdir().unwrap();
    hunt::search(cases, &document(), |text| differs(folder.path(), text));
}

#[test]
fn random_records_of_adp_agree() {
    search(150);
}

#[test]
#[ignore = "the long run"]
fn reference_adp_long() {
    search(hunt::cases());
}
