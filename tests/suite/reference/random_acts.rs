//! Random Agent/Data documents: the program against the second implementation.
//!
//! Alphabets are small, so that messages meet: the same kinds, instances, keys, paths and methods come again and again.

use super::acts::Acts;
use super::compare::{answers_differ, asked, checked, findings_differ};
use super::{Question, hunt};
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::select;

pub(crate) fn one(of: &[&str]) -> BoxedStrategy<String> {
    select(of.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>()).boxed()
}

fn key() -> BoxedStrategy<String> {
    prop_oneof![8 => one(&["a", "b", "c"]), 2 => one(&["0", "1", "", "a.b", "length", "_x", "ü"])].boxed()
}

fn scalar() -> BoxedStrategy<String> {
    prop_oneof![
        6 => one(&["1", "2", "\"x\"", "{}", "[]"]),
        3 => one(&["null", "true", "false", "1.0", "-0", "1e2", "\"\"", "\"\\u0001\\n\"", "\"†state.a\""]),
    ]
    .boxed()
}

/// A JSON value; seldom with a key that stands twice.
pub(crate) fn value() -> BoxedStrategy<String> {
    scalar()
        .prop_recursive(3, 10, 3, |inner| {
            let member = (key(), inner.clone()).prop_map(|(k, v)| format!("\"{k}\":{v}"));
            let array = vec(inner, 0..3).prop_map(|all| format!("[{}]", all.join(",")));
            prop_oneof![3 => members(vec(member, 0..4)), 1 => array]
        })
        .boxed()
}

/// An object; keys stand once, but for one in eight.
pub(crate) fn members(all: impl Strategy<Value = Vec<String>> + 'static) -> BoxedStrategy<String> {
    (all, 0..8_u8)
        .prop_map(|(all, twice)| {
            let mut kept: Vec<String> = Vec::new();
            for member in all {
                let name = member.split("\":").next().unwrap().to_owned();
                if twice == 0 || !kept.iter().any(|k| k.split("\":").next().unwrap() == name) {
                    kept.push(member);
                }
            }
            format!("{{{}}}", kept.join(","))
        })
        .boxed()
}

fn kind() -> BoxedStrategy<String> {
    prop_oneof![8 => one(&["state", "k", "data"]), 2 => one(&["error", "input", "my kind", "expr", "5"])].boxed()
}

fn reference() -> BoxedStrategy<String> {
    let segment = prop_oneof![
        10 => one(&[".a", ".b", ".c"]),
        3 => one(&["[0]", ".0", ".1", "[\"0\"]", ".length", "[\"a.b\"]", ".a\\.b", "[\"\"]", ".approvals", ".ü"]),
    ];
    let kind = kind().prop_map(|k| if k == "my kind" { "[\"my kind\"]".to_owned() } else { k });
    (kind, vec(segment, 0..3)).prop_map(|(kind, path)| format!("†{kind}{}", path.concat())).boxed()
}

fn odd_expression() -> BoxedStrategy<String> {
    one(&[
        "†",
        "†a †b",
        "†state.a || || †k",
        "†state.a ",
        "†state..a",
        "†k[01]",
        "state.a",
        "x",
        "†state.a > 5",
        "†state.a.map(f)",
        "!†k.a",
        "(†state.a || †k.b)",
        "†k.a?.b",
        "†state.a.b.filter(x => †k.c)",
        "†k.a + †state.b",
        "†state.a<|>†k",
        "( ! †k.a)",
        "†k.a=>1",
        "†k[\"(\"]",
        "†state.a >b",
        "",
    ])
    .boxed()
}

fn expression() -> BoxedStrategy<String> {
    let more = (one(&["||", "<|>", "&&", "*>"]), reference()).prop_map(|(op, r)| format!(" {op} {r}"));
    prop_oneof![
        9 => (reference(), vec(more, 0..3)).prop_map(|(first, more)| format!("{first}{}", more.concat())),
        1 => odd_expression(),
    ]
    .boxed()
}

fn quoted(text: &str) -> String {
    super::json::quote(text)
}

fn instance() -> BoxedStrategy<String> {
    prop_oneof![12 => Just(String::new()), 5 => one(&["\"①\"", "\"②\"", "5"]), 1 => one(&["null", "\"\"", "true"])]
        .boxed()
}

fn with(name: &str, value: impl Strategy<Value = String> + 'static) -> BoxedStrategy<String> {
    let name = name.to_owned();
    value.prop_map(move |v| if v.is_empty() { v } else { format!(",\"{name}\":{v}") }).boxed()
}

pub(crate) fn seldom(name: &str, weight: f64, value: impl Strategy<Value = String> + 'static) -> BoxedStrategy<String> {
    with(name, weighted(weight, value).prop_map(Option::unwrap_or_default)).boxed()
}

fn schema() -> BoxedStrategy<String> {
    prop_oneof![
        5 => one(&[
            r#"{"type":"object"}"#, r#"{"properties":{"a":{"type":"number"},"b":{"type":"object","required":["c"]}}}"#,
            r#"{"type":"object","required":["a","b"],"additionalProperties":false,"properties":{"a":{"type":"string"}}}"#,
            r#"{"items":{"type":"integer"}}"#, "true", "false",
        ]),
        1 => one(&["null", "5", r#"{"type":"objekt"}"#]),
    ].boxed()
}

fn method() -> BoxedStrategy<String> {
    prop_oneof![
        8 => one(&["\"set\"", "\"merge\"", "\"assign\"", "\"push\"", "\"concat\"", "\"erase\"", "\"erase\""]),
        1 => one(&["null", "\"nope\"", "5"]),
    ]
    .boxed()
}

/// `_call`, `_date` and the method.
fn call() -> BoxedStrategy<String> {
    let path = prop_oneof![7 => expression().prop_map(|e| quoted(&e)), 1 => Just("5".to_owned())];
    let inner = (
        seldom("_outputPath", 0.85, path),
        seldom("_outputMethod", 0.4, method()),
        seldom("_instance", 0.1, instance()),
    );
    let call = inner.prop_map(|(path, method, instance)| format!("{{\"_tool\":\"t\"{path}{method}{instance}}}"));
    (
        seldom("_call", 0.5, call),
        seldom("_outputMethod", 0.2, method()),
        seldom("_date", 0.2, one(&["\"d1\"", "\"d2\"", "5"])),
    )
        .prop_map(|(call, method, date)| format!("{call}{method}{date}"))
        .boxed()
}

fn rest() -> BoxedStrategy<String> {
    let role = one(&["\"user\"", "\"assistant\"", "\"system\"", "\"critic\""]);
    (
        with("_instance", instance()),
        seldom("schema", 0.15, schema()),
        seldom("description", 0.15, one(&["\"d\"", "\"e\"", "\"\"", "5"])),
        seldom("role", 0.1, role),
        seldom("_tick", 0.05, one(&["3", "0", "-1", "1.5"])),
        call(),
    )
        .prop_map(|(instance, schema, description, role, tick, call)| {
            format!("{instance}{schema}{description}{role}{tick}{call}")
        })
        .boxed()
}

/// A value that the paths of this module can be held by.
fn likely() -> BoxedStrategy<String> {
    let inner = prop_oneof![2 => value(), 1 => (key(), value()).prop_map(|(k, v)| format!("{{\"{k}\":{v}}}"))];
    let member = (one(&["a", "b", "c", "a", "0"]), inner).prop_map(|(k, v)| format!("\"{k}\":{v}"));
    prop_oneof![5 => members(vec(member, 1..3)), 2 => value()].boxed()
}

fn data() -> BoxedStrategy<String> {
    let kind = prop_oneof![
        8 => kind().prop_map(|k| quoted(&k)),
        1 => one(&["null", "\"\"", "5"]),
    ];
    let plain = (seldom("kind", 0.8, kind), seldom("data", 0.9, likely()), rest())
        .prop_map(|(kind, data, rest)| format!("{{\"type\":\"data\"{kind}{data}{rest}}}"));
    let named = (one(&["state", "input", "state"]), likely(), rest())
        .prop_map(|(name, value, rest)| format!("{{\"type\":\"{name}\",\"{name}\":{value}{rest}}}"));
    let as_data = (one(&["state", "input", "error"]), likely(), rest())
        .prop_map(|(name, value, rest)| format!("{{\"type\":\"{name}\",\"data\":{value}{rest}}}"));
    let bare = (one(&["state", "input", "error"]), seldom("a", 0.7, value()), seldom("b", 0.4, value()), rest())
        .prop_map(|(name, a, b, rest)| format!("{{\"type\":\"{name}\"{a}{b}{rest}}}"));
    prop_oneof![5 => plain, 4 => named, 1 => as_data, 1 => bare].boxed()
}

fn parameter() -> BoxedStrategy<String> {
    let string = expression().prop_map(|e| quoted(&e)).boxed();
    prop_oneof![
        5 => string.clone(),
        1 => string.clone().prop_map(|s| format!("[{s},1]")),
        1 => string.prop_map(|s| format!("{{\"x\":{s}}}")),
        1 => scalar(),
    ]
    .boxed()
}

/// A call of a plan, without braces: it begins with its tool.
fn planned() -> BoxedStrategy<String> {
    let path = prop_oneof![9 => expression().prop_map(|e| quoted(&e)), 1 => odd_expression().prop_map(|e| quoted(&e))];
    let when = prop_oneof![3 => expression().prop_map(|e| quoted(&e)), 1 => one(&["false", "true", "0.0", "\"\"", "\"x\"", "{}"])];
    (
        one(&["\"_tool\":\"t\"", "\"_tool\":\"u\"", "\"_tool\":5"]),
        seldom("p", 0.7, parameter()),
        seldom("q", 0.3, parameter()),
        seldom("_instance", 0.3, one(&["\"①\"", "\"②\""])),
        seldom("_outputPath", 0.8, path),
        seldom("_output", 0.1, one(&["1", "null"])),
        seldom("_when", 0.2, when),
    )
        .prop_map(|(tool, p, q, instance, path, output, when)| format!("{tool}{p}{q}{instance}{path}{output}{when}"))
        .boxed()
}

fn calls(at_least: usize) -> BoxedStrategy<String> {
    vec(planned().prop_map(|c| format!("{{{c}}}")), at_least..4).prop_map(|all| format!("[{}]", all.join(","))).boxed()
}

fn solution() -> BoxedStrategy<String> {
    (weighted(0.7, calls(0)), seldom("output", 0.5, scalar()))
        .prop_map(|(calls, output)| {
            format!("{{\"x\":1{}{output}}}", calls.map_or(String::new(), |c| format!(",\"calls\":{c}")))
        })
        .boxed()
}

fn other() -> BoxedStrategy<String> {
    let plan = (calls(0), seldom("mode", 0.2, one(&["\"lazy\"", "5"])))
        .prop_map(|(calls, mode)| format!("{{\"type\":\"plan\",\"plan\":{calls}{mode}}}"));
    let solution = solution().prop_map(|s| format!("{{\"type\":\"solution\",\"solution\":{s}}}"));
    let call = planned().prop_map(|c| format!("{{\"type\":\"call\",{c}}}"));
    let fixed = one(&[
        r#"{"type":"text","text":"hi"}"#,
        r#"{"type":"text","role":"assistant","content":"hi"}"#,
        r#"{"type":"text","content":["a"],"_date":"d","_call":{"_tool":"x"}}"#,
        r#"{"role":"user","content":"yes"}"#,
        r#"{"role":"user","content":["yes"]}"#,
        r#"{"text":"t"}"#,
        r#"{"type":"system","message":"m"}"#,
        r#"{"type":"system","role":"critic","other":"m"}"#,
        r#"{"type":"tool","tool":{"_tool":"t","x":1}}"#,
        r#"{"type":"tool","_tool":"t"}"#,
        r#"{"type":"tool","tool":{"t":{}}}"#,
        r#"{"type":"tool","tool":{"a":1,"b":2}}"#,
        r#"{"type":"tool","tool":{"properties":{"_tool":{"const":"t"}}}}"#,
        r#"{"type":"meta","meta":{"a":[]},"role":"tool"}"#,
        r#"{"type":"nope","x":1}"#,
        r#"{"role":"user","x":1}"#,
        r#"{"x":1}"#,
        r#"{"type":5}"#,
        r#"{"type":null}"#,
        r#"{"type":"advisor","id":"i","role":"r"}"#,
        "5",
        r#""s""#,
        "null",
    ]);
    prop_oneof![4 => plan, 1 => solution, 1 => call, 4 => fixed].boxed()
}

fn message() -> BoxedStrategy<String> {
    prop_oneof![10 => data(), 4 => other(), 2 => wrapped()].boxed()
}

/// A message in the `content` of another (A7), with what it inherits and what it does not.
fn wrapped() -> BoxedStrategy<String> {
    let role = prop_oneof![8 => one(&["\"user\"", "\"assistant\"", "\"critic\""]), 1 => one(&["5", "\"\""])];
    let content = prop_oneof![
        5 => data(),
        2 => other(),
        1 => one(&["{}", "{\"type\":null,\"text\":\"x\"}", "{\"type\":5}", "{\"type\":\"nope\"}", "null", "[{\"type\":\"data\"}]"]),
    ];
    let outside = (
        with("_instance", instance()),
        call(),
        seldom("_tick", 0.1, one(&["3", "4"])),
        seldom("kind", 0.1, one(&["\"k\""])),
        seldom("type", 0.05, one(&["null", "5"])),
        seldom("text", 0.05, one(&["\"t\""])),
    )
        .prop_map(|(instance, call, tick, kind, class, text)| format!("{instance}{call}{tick}{kind}{class}{text}"));
    (role, outside, content)
        .prop_map(|(role, outside, content)| format!("{{\"role\":{role}{outside},\"content\":{content}}}"))
        .boxed()
}

/// A record, of messages by their number in the pool.
#[derive(Debug, Clone)]
enum Make {
    Plain(usize),
    Array(Vec<usize>),
    /// How it comes from the context before it, which of those stay, what is new, the solution, the name of the member.
    Envelope(u8, u16, Vec<usize>, Option<String>, bool),
    Broken,
}

fn document() -> BoxedStrategy<String> {
    let pick = 0..100_usize;
    let envelope =
        (0..6_u8, any::<u16>(), vec(pick.clone(), 0..4), weighted(0.25, solution()), prop::bool::weighted(0.1));
    let make = prop_oneof![
        10 => pick.clone().prop_map(Make::Plain),
        1 => vec(pick, 0..4).prop_map(Make::Array),
        5 => envelope.prop_map(|(how, mask, new, solution, other)| Make::Envelope(how, mask, new, solution, other)),
        1 => Just(Make::Broken),
    ];
    (vec(message(), 1..8), vec(make, 1..9)).prop_map(|(pool, makes)| text(&pool, &makes)).boxed()
}

fn text(pool: &[String], makes: &[Make]) -> String {
    let mut contexts: Vec<Vec<String>> = vec![Vec::new()];
    let get = |i: &usize| pool[i % pool.len()].clone();
    let mut lines = vec!["{\"type\":\"meta\"}".to_owned()];
    for make in makes {
        lines.push(match make {
            Make::Plain(i) => {
                contexts.last_mut().unwrap().push(get(i));
                get(i)
            }
            Make::Array(all) => format!("[{}]", all.iter().map(get).collect::<Vec<_>>().join(",")),
            Make::Envelope(how, mask, new, solution, is_other) => {
                let old = contexts[contexts.len().saturating_sub(if *how == 4 { 2 } else { 1 })].clone();
                let stays = |i: usize| *how != 3 && (*how < 2 || mask >> (i % 16) & 1 == 1);
                let mut all: Vec<String> =
                    old.into_iter().enumerate().filter(|(i, _)| stays(*i)).map(|(_, m)| m).collect();
                match (how, mask % 4) {
                    (5, _) => all.reverse(),
                    (2, 0) => all = new.iter().map(get).chain(all).collect(),
                    _ => {}
                }
                all.extend(new.iter().map(get));
                contexts.push(all.clone());
                let solution = solution.as_ref().map_or(String::new(), |s| format!(",\"solution\":{s}"));
                let name = if *is_other { "messages" } else { "context" };
                format!("{{\"{name}\":[{}]{solution}}}", all.join(","))
            }
            Make::Broken => "{\"type\":".to_owned(),
        });
    }
    lines.join("\n")
}

/// What is asked of every document.
fn questions(count: usize, text: &str) -> Vec<Question> {
    let early = count.checked_sub(2).map(|n| n as i64 * (text.len() as i64 % 7) / 6);
    let plain = |kind| Question { kind, is_json: true, ..Question::default() };
    let mut all: Vec<Question> = ["state", "blame", "plan", "render"].into_iter().map(plain).collect();
    all.push(Question { kind: "render", ..Question::default() });
    all.extend(["state", "blame", "plan", "render"].into_iter().map(|kind| Question { step: early, ..plain(kind) }));
    for (path, instance) in [
        ("†state", None),
        ("†k", None),
        ("†data", None),
        ("†error", None),
        ("†input", None),
        ("†state.a", Some("①")),
        ("†k", Some("②")),
        ("†state.0", None),
        ("†data[0]", Some("5")),
        ("†[\"my kind\"]", None),
    ] {
        let instance = instance.map(str::to_owned);
        all.push(Question { path: Some(path.to_owned()), instance, ..plain("history") });
    }
    all.push(Question { path: Some("†state.0".to_owned()), ..plain("blame") });
    all.push(Question { instance: Some("①".to_owned()), ..plain("blame") });
    all
}

fn references() -> BoxedStrategy<Vec<(String, Option<String>)>> {
    vec((expression(), weighted(0.3, one(&["①", "②"]))), 4).boxed()
}

/// What differs, for a document and references to resolve in it.
fn differs(folder: &std::path::Path, text: &str, references: &[(String, Option<String>)]) -> Option<String> {
    let file = folder.join("acts.jsonl");
    std::fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    let acts = Acts::read(text.as_bytes());
    if let Some(found) = findings_differ(&acts.findings(), &checked(file, "acts")) {
        return Some(format!("check\n{found}"));
    }
    let mut all = questions(acts.count(), text);
    all.extend(references.iter().map(|(path, instance)| Question {
        kind: "resolve",
        path: Some(path.clone()),
        instance: instance.clone(),
        is_json: true,
        ..Question::default()
    }));
    all.iter().find_map(|question| {
        let found = answers_differ(&acts.answer(question), &asked(question, file, "acts"));
        found.map(|found| {
            format!("{} {:?} {:?} {:?}\n{found}", question.kind, question.path, question.step, question.instance)
        })
    })
}

fn search(cases: usize) {
    let folder = tempfile::tempdir().unwrap();
    hunt::search(cases, &(document(), references()).boxed(), |(text, references)| {
        differs(folder.path(), text, references)
    });
}

#[test]
fn random_documents_of_acts_agree() {
    search(150);
}

#[test]
#[ignore = "the long run"]
fn reference_acts_long() {
    search(hunt::cases());
}
