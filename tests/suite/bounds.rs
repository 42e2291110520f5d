//! Inputs that ask for more than there is: each ends with an answer that says what was left out (R: no abort, no hang).

use super::command::{file, obelus};
use super::terminal::Terminal;
use serde_json::{Value, json};

/// A log of one state under a schema whose levels each name the next one.
fn levels(count: usize, last: Value, state: &Value, step: impl Fn(Value) -> Value) -> String {
    let mut defs = serde_json::Map::new();
    for level in 0..count {
        defs.insert(format!("a{level}"), step(json!({"$ref": format!("#/$defs/a{}", level + 1)})));
    }
    defs.insert(format!("a{count}"), last);
    format!("{}\n", json!({"type":"state","state":state,"schema":{"$defs":defs,"$ref":"#/$defs/a0"}}))
}

/// The chain of 1,200 references against a value 120 deep overflowed the stack; the others never ended.
#[cfg(feature = "schema")]
#[test]
fn schemas_that_ask_too_much_are_said_not_to_be_checked() {
    let deep = (0..118).fold(json!("x"), |value, _| json!([value]));
    let down = json!({"items":{"$ref":"#/$defs/a0"}});
    let (one, text) = (json!({"n":1}), json!({"type":"string"}));
    let logs = [
        levels(1_200, down, &deep, |next| next),
        levels(30, text.clone(), &one, |next| json!({"allOf":[next, next]})),
        levels(30, text.clone(), &one, |next| json!({"anyOf":[next, next]})),
        levels(30, text.clone(), &one, |next| json!({"if":next,"else":next})),
        levels(30, text.clone(), &one, |next| json!({"$ref":next["$ref"],"unevaluatedProperties":false})),
        levels(50_000, text, &one, |next| json!({"items":next})),
    ];
    let folder = tempfile::tempdir().unwrap();
    for (number, log) in logs.iter().enumerate() {
        let path = file(folder.path(), &format!("{number}.jsonl"), log);
        let (status, out, errors) = obelus(&["check", "--format", "acts", &path]);
        assert_eq!(status, 0, "{number}: {out}{errors}");
        assert!(out.contains("[acts.unchecked-schema]") && !out.contains("schema-violation"), "{number}: {out}");
        let (status, out, errors) = obelus(&["stats", "--format", "acts", &path]);
        assert_eq!(status, 0, "{number}: {out}{errors}");
        let (status, out, errors) = obelus(&["when", "--format", "acts", &path, "†state", "--invalid"]);
        assert!((0..=2).contains(&status), "{number}: {out}{errors}");
    }
}

/// A2, A37: an output whose check is refused is said not to be checked, and so is a slot of a registered data type.
#[cfg(feature = "schema")]
#[test]
fn outputs_and_slots_that_are_not_checked_are_said() {
    let deep = (0..110).fold(json!("x"), |value, _| json!([value]));
    let defs: serde_json::Map<String, Value> =
        (0..450).map(|i| (format!("a{i}"), json!({"$ref": format!("#/$defs/a{}", i + 1)}))).collect();
    let mut schema = json!({"$defs": defs, "$ref": "#/$defs/a0"});
    schema["$defs"]["a450"] = json!({"items":{"$ref":"#/$defs/a0"}});
    let endless = json!({"allOf":[{"$ref":"#"}]});
    let folder = tempfile::tempdir().unwrap();
    for (name, schema) in [("deep", &schema), ("endless", &endless)] {
        let request = json!({"schema":schema,"context":[{"type":"state","state":{"n":1}}],
            "solution":{"calls":[],"output":deep}});
        let path = file(folder.path(), &format!("{name}.jsonl"), &format!("{request}\n"));
        let (status, out, errors) = obelus(&["check", "--format", "acts", &path]);
        assert!(status == 0 && out.matches("[acts.unchecked-schema]").count() == 1, "{name}: {out}{errors}");
    }
    let types = file(folder.path(), "type.json", &schema.to_string());
    let slot = json!({"value":deep,"data_type":"DEEP","source_node":"n","timestamp":"2025-01-01T00:00:00Z"});
    let path = file(folder.path(), "slots.jsonl", &format!("{}\n", json!({"slots":{"s":slot}})));
    let (_, out, errors) = obelus(&["check", "--format", "scopix", "--data-type", &format!("DEEP={types}"), &path]);
    assert!(out.contains("the value is not checked against the schema of DEEP"), "{out}{errors}");
}

/// Templates that overflow the stack, fill the memory, or never end; the last one while it is compiled.
const TEMPLATES: [(&str, &str); 7] = [
    ("itself", "{% set ns = namespace() %}{% set ns.a = ns %}{{ ns ~ '' }}"),
    (
        "doubled",
        "{% set ns = namespace(s='x') %}{% for i in range(40) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}{{ ns.s }}",
    ),
    ("indent", "{{ (('a\n' * 100000) | indent(1000000)) | length }}"),
    ("join", "{{ (range(100000) | join('x' * 1000000)) | length }}"),
    ("replace", "{{ ('a' * 1000000) | replace('a', 'b' * 1000000) | length }}"),
    ("times", "{{ messages[0].content * 100000000000 }}"),
    ("constant", "{{ ('a' * 1500000000) | length }}"),
];

const TALK: &str = r#"{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"}]}"#;

/// What a template does costs its answer and nothing else: the command says what was ended.
#[test]
fn templates_that_ask_too_much_are_ended_and_said() {
    let folder = tempfile::tempdir().unwrap();
    let talk = file(folder.path(), "t.jsonl", &format!("{TALK}\n{TALK}\n"));
    let is_bounded = |said: &str| said.contains("it ended its process") || said.contains("it took longer than");
    for (name, source) in TEMPLATES {
        let template = file(folder.path(), &format!("{name}.jinja"), source);
        let (status, out, errors) = obelus(&["loss", &talk, "--template", &template]);
        assert!(status == 2 && out.is_empty(), "{name}: {status} {out}{errors}");
        assert!(errors.contains(name), "{name}: {errors}");
        let (checked, out, said) = obelus(&["check", &talk, "--loss", &template]);
        // A template that cannot be compiled is not a template: nothing is checked.
        assert!((0..=2).contains(&checked), "{name}: {checked}");
        assert!(checked == 2 || out.contains("[loss.rejected]"), "{name}: {checked} {out}{said}");
        if ["itself", "doubled"].contains(&name) {
            assert!(is_bounded(&errors) && is_bounded(&out), "{name}: {errors}{out}");
        }
    }
}

/// The same in the Loss tab: the screen stays and says what was ended; another template still renders.
#[test]
fn a_template_that_asks_too_much_leaves_the_screen_alone() {
    let folder = tempfile::tempdir().unwrap();
    let talk = file(folder.path(), "t.jsonl", &format!("{TALK}\n"));
    for (name, source) in &TEMPLATES[..2] {
        let template = file(folder.path(), &format!("{name}.jinja"), source);
        let mut terminal = Terminal::run(&[&talk, "--template", &template], &[]);
        terminal.see("Hello");
        terminal.press("8");
        terminal.see("it ended its process");
        terminal.press("c");
        terminal.see("chatml");
        terminal.press(&format!("{}Enter", "Up ".repeat(obelus::review::TEMPLATES.len())));
        terminal.see("<|im_end|>");
        terminal.press("q");
        assert_eq!(terminal.end(), (0, String::new()), "{name}");
    }
}

/// A template from a file says what the same template says by its name.
#[test]
fn a_template_from_a_file_renders_as_one_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let talk = file(folder.path(), "t.jsonl", &format!("{TALK}\n"));
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/core/src/review/templates/chatml.jinja");
    for options in [&["--json"][..], &["--train", "none-of:user"], &["--max-tokens", "5"]] {
        let by = |name: &str| {
            let (status, out, errors) = obelus(&[&["loss", &talk, "--template", name], options].concat());
            assert!(errors.is_empty(), "{errors}");
            (status, out.replace(name, "NAME"))
        };
        assert_eq!(by(source), by("chatml"), "{options:?}");
    }
}
