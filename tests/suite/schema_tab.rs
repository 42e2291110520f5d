//! The Schema tab: what breaks the schema is marked in it, leads to its value and back, and to when it broke.
#![cfg(feature = "schema")]

use super::stage::{notice, on, press, screen, shows, step};
use obelus::app::Pane;
use obelus::json::Key;
use obelus::panes::Extent;
use obelus::shell::headless::Stage;

/// A schema whose keys are broken one after the other, and repaired.
const PRICES: &str = r##"{"type":"data","kind":"p","schema":{"$defs":{"price":{"type":"number","maximum":100}},"properties":{"a":{"$ref":"#/$defs/price"},"b":{"$ref":"#/$defs/price"}},"required":["c"]},"data":{"a":1,"c":1}}
{"type":"data","kind":"p","data":{"a":500}}
{"type":"data","kind":"p","data":{"b":600}}
{"type":"data","kind":"p","data":{"a":5}}
{"type":"data","kind":"p","data":{"b":6}}
{"type":"data","kind":"p","_call":{"_tool":"t","_outputPath":"†p.c","_outputMethod":"erase"}}
"##;

/// The row of the schema under the cursor.
fn cursor_row(stage: &Stage) -> String {
    let rows = stage.app.inspector.schema.view.window(Extent { width: 80, height: 45 }, true, None).rows;
    rows.iter().find(|row| row.is_cursor).unwrap().plain()
}

#[test]
fn broken_keys_of_a_schema_are_marked_and_lead_to_their_values_and_back() {
    let mut stage = on(PRICES, (160, 45));
    press(&mut stage, ". . 3");
    shows(&stage, &["✗ 2 values break it · since @1 · repaired @4", "\"maximum\": 100  ✗ 2× at most 100 required"]);
    // Where a value is in focus, the cursor stands on what it breaks.
    press(&mut stage, "Tab Tab j 3");
    let (_, path) = stage.app.session.focus.path.clone().unwrap();
    assert_eq!(path, [Key::name("a")]);
    assert!(cursor_row(&stage).contains("\"maximum\""), "{}", screen(&stage));
    press(&mut stage, "Enter");
    let (_, path) = stage.app.session.focus.path.clone().unwrap();
    assert_eq!((stage.app.pane, path), (Pane::State, vec![Key::name("b")]));
    assert!(notice(&stage).starts_with("2 of 2 values that break this"), "{}", notice(&stage));
    press(&mut stage, "Backspace");
    assert_eq!(stage.app.pane, Pane::Inspector);
    assert!(cursor_row(&stage).contains("\"maximum\""), "{}", screen(&stage));
    // What is folded over one has its sign.
    press(&mut stage, "X");
    shows(&stage, &["\"$defs\": { … }  1 member,  ✗"]);
}

#[test]
fn steps_that_break_a_value_and_repair_it_are_gone_to() {
    let mut stage = on(PRICES, (160, 45));
    let turns = |stage: &mut Stage, keys: &str| {
        let turn = |key: &str| {
            press(stage, key);
            (step(stage), notice(stage).split("  ").next().unwrap_or_default().to_owned())
        };
        keys.split('|').map(turn).collect::<Vec<_>>()
    };
    let expected =
        |all: &[(i32, &str)]| all.iter().map(|(at, message)| (*at, (*message).to_owned())).collect::<Vec<_>>();
    press(&mut stage, "Tab j");
    assert_eq!(turns(&mut stage, "]v|]v|[v"), expected(&[(1, "✗ †p.a"), (3, "repaired: †p.a"), (1, "✗ †p.a")]));
    press(&mut stage, "k");
    let of_all = [(2, "✗ †p.b"), (3, "repaired: †p.a"), (4, "repaired: †p.b"), (5, "✗ †p")];
    assert_eq!(turns(&mut stage, "]v|]v|]v|]v"), expected(&of_all));
    press(&mut stage, "]v");
    assert_eq!(notice(&stage), "no later step breaks the schema of the value in focus, or repairs it");
    press(&mut stage, "3 ,");
    shows(&stage, &["✓ kept at this step · broken @1 · repaired @4"]);
    press(&mut stage, ".");
    shows(&stage, &["✗ 1 value breaks it · since @5 · not repaired", "\"required\": [  ✗ \"c\" is missing"]);
}

#[test]
fn what_is_no_schema_says_why_and_a_schema_of_errors_is_of_each() {
    let fault = r#"{"type":"data","kind":"q","data":{"a":1},"schema":{"type":"objekt"}}"#;
    let mut stage = on(&format!("{fault}\n"), (80, 24));
    press(&mut stage, "3");
    let text = screen(&stage);
    assert!(text.contains("not checked: it is not valid JSON Schema") && text.contains("/type"), "{text}");
    let errors = r#"{"type":"error","error":"x","schema":{"properties":{"error":{"type":["string","null"]}}}}
{"type":"error","error":7}
{"type":"error","error":8}
"#;
    let mut stage = on(&format!("{{\"context\":[{}]}}", errors.trim().replace('\n', ",")), (160, 40));
    press(&mut stage, "$ 3");
    shows(&stage, &["\"type\": [  ✗ 2× null or string required", "†error[2].error  null or string required"]);
}

/// A client that declares a tool; two calls of it, of which one does not fit.
const DECLARED: &str = r#"{"type":"RUN_STARTED","threadId":"t","input":{"tools":[{"name":"paint","parameters":{"type":"object","required":["color"],"properties":{"color":{"enum":["red"]}}}}]}}
{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"paint"}
{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{\"color\":\"red\"}"}
{"type":"TOOL_CALL_END","toolCallId":"c"}
{"type":"TOOL_CALL_START","toolCallId":"d","toolCallName":"paint"}
{"type":"TOOL_CALL_ARGS","toolCallId":"d","delta":"{\"color\":\"teal\"}"}
{"type":"TOOL_CALL_END","toolCallId":"d"}
{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"d","content":"no such color"}
"#;

#[test]
fn at_a_call_the_tab_shows_what_is_declared_of_its_tool_and_what_does_not_fit() {
    let mut stage = on(DECLARED, (160, 45));
    press(&mut stage, "3");
    shows(&stage, &["No schema here."]);
    press(&mut stage, ".");
    shows(&stage, &["paint   declared @0", "nothing in the arguments breaks it", "\"required\": ["]);
    press(&mut stage, ".");
    shows(&stage, &["✗ the arguments do not fit: /color: this is not", "of the values that the schema lists"]);
}
