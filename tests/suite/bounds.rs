//! Inputs that ask for more than there is: each ends with an answer that says what was left out (R: no abort, no hang).

use super::command::{file, obelus};
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
    let slot = json!({"name":"s","value":deep,"data_type":"DEEP","source_node":"n","timestamp":"2025-01-01T00:00:00Z"});
    let path = file(folder.path(), "slots.jsonl", &format!("{}\n", json!({"slots":[slot]})));
    let (_, out, errors) = obelus(&["check", "--format", "scopix", "--data-type", &format!("DEEP={types}"), &path]);
    assert!(out.contains("the value is not checked against the schema of DEEP"), "{out}{errors}");
}
