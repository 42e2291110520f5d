//! What schemas say of values, and what they may ask for.

use super::*;

fn violations_of(schema: &str, value: &str) -> Vec<String> {
    let schema = Schema::compile(schema).unwrap();
    let found = schema.violations(&plain_text(value).unwrap());
    found.into_iter().map(|v| format!("{} {}", crate::json::pointer(&v.path), v.message)).collect()
}

#[test]
fn reports_paths_and_what_is_wanted() {
    let schema = r#"{"type":"object","properties":{"a":{"type":"number"},"l":{"items":{"type":"integer"}},"b":true},
        "required":["b"],"additionalProperties":false}"#;
    assert_eq!(
        violations_of(schema, r#"{"a":"x","l":[1,1.5,2.0],"c":1}"#),
        [" no place for c; \"b\" is missing", "/a number required", "/l/1 integer required"]
    );
    assert!(violations_of(schema, r#"{"b":1}"#).is_empty());
    assert_eq!(violations_of("false", "1"), [" nothing is allowed here"]);
    assert!(violations_of("true", "1").is_empty());
}

#[test]
fn reports_a_choice_by_what_its_schemas_want() {
    let either = r#"{"anyOf":[{"type":"integer"},{"type":"null"},{"type":"null"}]}"#;
    assert_eq!(violations_of(either, "\"x\""), [" integer required, or null required"]);
    let forms = r#"{"oneOf":[{"properties":{"a":{"minimum":3}}},{"anyOf":[{"type":"null"}]}]}"#;
    assert_eq!(violations_of(forms, r#"{"a":1}"#), [" at least 3 required at /a, or one of several schemas kept to"]);
    let inner = format!("{{\"properties\":{{\"a\":{either}}}}}");
    assert_eq!(violations_of(&inner, r#"{"a":"x"}"#), ["/a integer required, or null required"]);
    assert_eq!(violations_of(r#"{"oneOf":[true,{}]}"#, "1"), [" only one of the schemas of oneOf may fit"]);
    assert_eq!(
        violations_of(r#"{"not":{"type":"null"}}"#, "null"),
        [" what keeps to {\"type\":\"null\"} is forbidden"]
    );
    assert_eq!(violations_of(r#"{"propertyNames":{"maxLength":1}}"#, r#"{"ab":1}"#).len(), 1);
}

#[test]
fn reports_which_keys_of_the_schema_are_broken() {
    let schema = r##"{"$id":"https://example.com/root.json","$defs":{"a b/c~%é":{"type":"number","maximum":5},
        "own":{"$id":"own.json","properties":{"y":{"enum":[1]}}}},
        "properties":{"x":{"$ref":"#/$defs/a%20b~1c~0%25%C3%A9"},"o":{"$ref":"own.json"},
        "l":{"items":{"allOf":[true,{"minLength":2}]}}},
        "required":["p","q"],"additionalProperties":false}"##;
    let schema = Schema::compile(schema).unwrap();
    let value = plain_text(r#"{"x":9,"z":1,"o":{"y":2},"l":["a"]}"#).unwrap();
    let places = |v: &Violation| v.reasons.iter().map(|r| r.schema_path.clone()).collect::<Vec<_>>();
    let found: Vec<_> = schema.violations(&value).iter().map(|v| (crate::json::pointer(&v.path), places(v))).collect();
    let expected = [
        ("", vec!["/required", "/additionalProperties"]),
        ("/l/0", vec!["/properties/l/items/allOf/1/minLength"]),
        ("/o/y", vec!["https://example.com/own.json#/properties/y/enum"]),
        ("/x", vec!["/$defs/a b~1c~0%é/maximum"]),
    ];
    assert_eq!(format!("{found:?}"), format!("{expected:?}"));
    assert_eq!(schema.violations(&value)[0].reasons[0].message, "\"p\" is missing; \"q\" is missing");
}

#[test]
fn digits_are_keys_of_objects() {
    let schema = r#"{"additionalProperties":{"type":"number"},"items":{"type":"number"}}"#;
    let path = |value: &str| Schema::compile(schema).unwrap().violations(&plain_text(value).unwrap())[0].path.clone();
    assert_eq!(path(r#"{"0":"x"}"#), [Key::name("0")]);
    assert_eq!(path(r#"[1,"x"]"#), [Key::Index(1)]);
    assert_eq!(path(r#"{"a/~b":"x"}"#), [Key::name("a/~b")]);
}

#[test]
fn numbers_are_values() {
    let big = plain_text("1e400").unwrap();
    assert_eq!(big.as_f64(), Some(f64::MAX));
    assert!(violations_of(r#"{"type":"integer"}"#, "1.0").is_empty());
    assert!(violations_of(r#"{"maximum":5}"#, "-1e999").is_empty());
    assert_eq!(violations_of(r#"{"maximum":5}"#, "1e999").len(), 1);
}

#[test]
fn says_what_is_no_schema() {
    for text in [
        r#"{"type":"objekt"}"#,
        r#"{"properties":1}"#,
        r#"{"pattern":"("}"#,
        r##"{"$ref":"#/$defs/none"}"##,
        r#"{"required":"a"}"#,
        r#"{"properties":{"title":"x"}}"#,
    ] {
        assert!(Schema::compile(text).is_err(), "{text}");
    }
}

#[test]
fn what_is_elsewhere_accepts_everything() {
    for text in [
        r#"{"$ref":"https://example.com/s.json"}"#,
        r#"{"$ref":"https://example.com/s.json#/definitions/a"}"#,
        r#"{"$id":"https://example.com/root.json","$ref":"other.json#x"}"#,
        r#"{"$ref":"file:///etc/passwd"}"#,
        r#"{"$schema":"https://example.com/own","$dynamicRef":"other#a"}"#,
        r#"{"format":"email"}"#,
    ] {
        assert!(violations_of(text, "1").is_empty(), "{text}");
        assert!(violations_of(text, "\"x\"").is_empty(), "{text}");
    }
    let beside = r#"{"$ref":"https://example.com/s.json","type":"number"}"#;
    assert_eq!(violations_of(beside, "\"x\""), [" number required"]);
    let root = r##"{"$id":"https://example.com/root.json","$defs":{"n":{"type":"number"}},
        "properties":{"a":{"$ref":"root.json#/$defs/n"},"b":{"$ref":"#/$defs/n"}}}"##;
    assert_eq!(violations_of(root, r#"{"a":"x","b":"x"}"#), ["/a number required", "/b number required"]);
}

#[test]
fn schemas_that_turn_in_a_circle_end() {
    for text in [
        r##"{"$ref":"#"}"##,
        r##"{"allOf":[{"$ref":"#"}]}"##,
        r##"{"not":{"$ref":"#"}}"##,
        r##"{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/a"}"##,
        r##"{"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"number"}]}},"$ref":"#/$defs/a"}"##,
        r##"{"$dynamicAnchor":"x","allOf":[{"$dynamicRef":"#x"}]}"##,
        r#"{"$id":"r.json","allOf":[{"$ref":"r.json"}]}"#,
    ] {
        if let Ok(schema) = Schema::compile(text) {
            let _any = schema.violations(&plain_text("\"x\"").unwrap());
            let _any = schema.violations(&plain_text("[\"x\"]").unwrap());
        }
    }
}

#[test]
fn deep_values_are_checked() {
    let schema = r##"{"type":["array","number"],"items":{"$ref":"#"}}"##;
    let value = |inner: &str| format!("{}{inner}{}", "[".repeat(140), "]".repeat(140));
    assert!(violations_of(schema, &value("1")).is_empty());
    assert_eq!(violations_of(schema, &value("\"x\"")).len(), 1);
    assert!(plain_text(&format!("{}{}", "[".repeat(400), "]".repeat(400))).is_none());
}

#[test]
fn remarks_make_no_other_schema() {
    let mut schemas = Schemas::default();
    let a = schemas.get(r#"{"description":"a","properties":{"title":{"type":"number","title":"t"}}}"#).unwrap();
    let b = schemas.get(r#"{ "properties": {"title": {"type": "number"}}, "$comment": "b"}"#).unwrap();
    assert!(Arc::ptr_eq(&a, &b));
    assert_eq!(a.violations(&plain_text(r#"{"title":"x"}"#).unwrap()).len(), 1);
    assert!(schemas.get(r#"{"properties":{"title":"x"}}"#).is_err());
    assert_eq!(schemas.get(r#"{"type":3}"#).unwrap_err(), schemas.get(r#"{"type":3}"#).unwrap_err());
}

/// Levels that each name the next by a keyword; the last goes down to the elements, and all over again.
fn circle(levels: usize, step: impl Fn(&str) -> String) -> String {
    let mut defs: Vec<String> =
        (0..levels).map(|i| format!("\"a{i}\":{}", step(&format!("#/$defs/a{}", i + 1)))).collect();
    defs.push(format!("\"a{levels}\":{{\"items\":{{\"$ref\":\"#/$defs/a0\"}},\"type\":\"array\"}}"));
    format!("{{\"$defs\":{{{}}},\"$ref\":\"#/$defs/a0\"}}", defs.join(","))
}

type Step = fn(&str) -> String;

const STEPS: [Step; 9] = [
    |next| format!(r#"{{"$ref":"{next}"}}"#),
    |next| format!(r#"{{"allOf":[{{"$ref":"{next}"}}]}}"#),
    |next| format!(r#"{{"allOf":[{{"$ref":"{next}"}},true]}}"#),
    |next| format!(r#"{{"anyOf":[{{"$ref":"{next}"}},false]}}"#),
    |next| format!(r#"{{"oneOf":[{{"$ref":"{next}"}},false]}}"#),
    |next| format!(r#"{{"not":{{"not":{{"$ref":"{next}"}}}}}}"#),
    |next| format!(r#"{{"if":true,"then":{{"$ref":"{next}"}}}}"#),
    |next| format!(r#"{{"if":{{"$ref":"{next}"}},"else":false}}"#),
    |next| format!(r#"{{"$ref":"{next}","unevaluatedItems":false}}"#),
];

fn nested(levels: usize) -> Plain {
    (0..levels).fold(Plain::from("x"), |value, _| Plain::Array(vec![value]))
}

/// R: what the bound allows has room on the stack, whatever keywords are nested.
#[test]
fn what_is_allowed_has_room_on_the_stack() {
    let check = || {
        for (number, step) in STEPS.iter().enumerate() {
            let mut allowed = 0;
            for levels in [5, 60, 450] {
                let Ok(schema) = Schema::compile(&circle(levels, step)) else { continue };
                let depth = (1..140).rev().find(|depth| schema.bound.allows(&nested(*depth)).is_ok()).unwrap_or(0);
                let value = nested(depth);
                let _any = (backend::is_valid(&schema.validator, &value), backend::errors(&schema.validator, &value));
                allowed = allowed.max(levels * depth);
            }
            assert!(allowed >= 5, "step {number}: {allowed}");
        }
    };
    // Half of what there is: the other half is for another build of the validator.
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES / 2).spawn(check);
    thread.unwrap().join().unwrap();
}

/// Chains that are compiled are dropped on whichever thread, with the 2 MB of stack of one that nobody made larger.
#[test]
fn a_long_chain_is_compiled_and_dropped_on_a_small_stack() {
    let steps: [Step; 4] = [
        |next| format!(r#"{{"$ref":"{next}"}}"#),
        |next| format!(r#"{{"items":{{"$ref":"{next}"}}}}"#),
        |next| format!(r#"{{"properties":{{"a":{{"$ref":"{next}"}}}}}}"#),
        |next| format!(r#"{{"anyOf":[{{"$ref":"{next}"}},{{"type":"null"}}]}}"#),
    ];
    for step in steps {
        let mut defs: Vec<String> =
            (0..900).map(|i| format!("\"a{i}\":{}", step(&format!("#/$defs/a{}", i + 1)))).collect();
        defs.push("\"a900\":{}".to_owned());
        let text = format!("{{\"$defs\":{{{}}},\"$ref\":\"#/$defs/a0\"}}", defs.join(","));
        drop(Schema::compile(&text).unwrap());
    }
}
