//! What panes say of a value: what it was, who removed it, where it came from, why a call waits.

use super::played::{notice, on, press, screen, step};
use obelus::app::Pane;
use obelus::shell::stage::Stage;

/// A value that was handed on from step to step, then replaced with all around it.
const HANDED_ON: &str = r#"{"type":"input","input":{"seed":"Lisbon-42"}}
{"type":"data","kind":"a","data":{"v":"Lisbon-42"},"_call":{"_tool":"first","arg":"†input.seed"}}
{"type":"data","kind":"b","data":{"v":"Lisbon-42"},"_call":{"_tool":"second","arg":"†a.v"}}
{"type":"data","kind":"out","data":{"x":{"y":"Lisbon-42","z":["Lisbon-42",1]}},"_call":{"_tool":"last","arg":"†b.v"}}
{"type":"data","kind":"out","data":{"x":null},"_call":{"_tool":"wipe"}}
{"type":"data","kind":"out","data":{"x":{"y":1}},"_call":{"_tool":"last"}}
{"type":"state","state":{"list":[1,2,3]}}
"#;

#[track_caller]
fn shows(stage: &Stage, wanted: &[&str]) {
    let screen = screen(stage);
    for text in wanted {
        assert!(screen.contains(text), "no {text:?} on\n{screen}");
    }
}

#[test]
fn a_value_that_is_gone_says_who_removed_it_and_what_it_was() {
    let mut stage = on(HANDED_ON, (120, 30));
    press(&mut stage, ": type:3 Enter Tab / type:out.x.y Enter .");
    shows(
        &stage,
        &["†out.x.y  not there at this step   next write @5   removed @4 by wipe · before: \"Lisbon-42\" @3"],
    );
}

#[test]
fn what_takes_the_place_of_something_else_says_what_that_was() {
    let mut stage = on(HANDED_ON, (120, 30));
    press(&mut stage, ": type:4 Enter");
    shows(&stage, &["~    x     null  was {2 values}"]);
    press(&mut stage, ".");
    shows(&stage, &["▾ x  was null", "+      y   1"]);
    let list =
        "{\"type\":\"state\",\"state\":{\"list\":[1,2,3],\"more\":1}}\n{\"type\":\"state\",\"state\":{\"more\":2}}\n";
    let erase =
        r#"{"type":"data","kind":"state","_call":{"_tool":"t","_outputPath":"†state.list","_outputMethod":"erase"}}"#;
    let mut stage = on(&format!("{list}{erase}\n"), (120, 30));
    press(&mut stage, "$");
    shows(&stage, &["− ", "list  gone  was [3 values]"]);
}

#[test]
fn a_folded_container_that_is_new_counts_what_was_added() {
    let many: Vec<String> = (0..30).map(|i| i.to_string()).collect();
    let record = |first: &str| {
        format!("{{\"type\":\"data\",\"kind\":\"k\",\"data\":{{\"many\":[{first}{}]}}}}\n", many.join(","))
    };
    let mut stage = on(&format!("{}{}", record(""), record("7,")), (120, 30));
    shows(&stage, &["▸ many  30 values  +30"]);
    press(&mut stage, ".");
    shows(&stage, &["▸ many  31 values  ~31"]);
}

#[test]
fn a_value_is_followed_to_where_it_first_came_in() {
    let mut stage = on(HANDED_ON, (160, 30));
    press(&mut stage, ": type:3 Enter Tab / type:out.x.y Enter Esc 4");
    shows(&stage, &["= †b.v @2 = †a.v @1 = †input.seed @0"]);
    let mut seen = Vec::new();
    for _ in 0..4 {
        press(&mut stage, "O");
        let focus = stage.app.session.open().unwrap().focus_reference().unwrap().0;
        seen.push((step(&stage), focus, notice(&stage).to_owned()));
    }
    let wanted = [
        (2, "†b.v", "†b.v @2 · 2 more hops back · Backspace returns"),
        (1, "†a.v", "†a.v @1 · 1 more hop back · Backspace returns"),
        (0, "†input.seed", "†input.seed @0 · it first came in here · Backspace returns"),
        (0, "†input.seed", "nothing says where this value came from: it first came in here"),
    ];
    assert_eq!(seen, wanted.map(|(step, focus, told)| (step, focus.to_owned(), told.to_owned())));
    press(&mut stage, "Backspace Backspace Backspace");
    assert_eq!(step(&stage), 3);
}

#[test]
fn a_plan_says_why_a_call_waits() {
    let plan = r#"{"type":"state","state":{"go":false}}
{"type":"plan","plan":[{"_tool":"a","_when":"†state.go","_outputPath":"†state.a"},{"_tool":"b","x":"†state.go"}]}
"#;
    let mut stage = on(plan, (120, 30));
    press(&mut stage, ". 7");
    shows(&stage, &["since _when †state.go is false", "since it leaves no record"]);
}

#[test]
fn the_line_of_the_run_says_where_one_is_also_on_signs() {
    let mut stage = on(HANDED_ON, (80, 24));
    press(&mut stage, ": type:3 Enter Tab / type:out.x.y Enter Esc");
    let line = |stage: &Stage| screen(stage).lines().rev().nth(1).unwrap().to_owned();
    assert_eq!((line(&stage).matches('◈').count(), line(&stage).matches('◆').count()), (1, 2), "{}", line(&stage));
    press(&mut stage, ".");
    assert_eq!((line(&stage).matches('◈').count(), line(&stage).matches('◆').count()), (1, 2), "{}", line(&stage));
    press(&mut stage, "m m $");
    assert_eq!((line(&stage).matches('◈').count(), line(&stage).matches('│').count()), (0, 1), "{}", line(&stage));
}

#[test]
fn esc_and_q_lead_back_from_instances() {
    let set =
        |i: &str, n: u8| format!("{{\"type\":\"data\",\"kind\":\"k\",\"instance\":\"{i}\",\"data\":{{\"n\":{n}}}}}\n");
    let mut stage = on(&format!("{}{}{}", set("①", 1), set("②", 2), set("①", 3)), (120, 30));
    for key in ["Esc", "q", "I"] {
        press(&mut stage, "$ I");
        shows(&stage, &["Instances @2"]);
        press(&mut stage, key);
        assert!(!stage.app.columns.is_on && stage.app.pane == Pane::State, "{key}");
    }
}
