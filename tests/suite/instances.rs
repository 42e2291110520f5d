//! The instances of a kind side by side.

use super::command::{file, obelus, sample};
use super::stage::{input, press, screen, stage};
use serde_json::{Value, json};

#[test]
fn differences_alone_can_be_shown() {
    let mut stage = stage(input("trip-run.jsonl"), (160, 45));
    press(&mut stage, ": type:41 Enter Tab / type:budget Enter I");
    let all = screen(&stage);
    let rows = |text: &str| text.lines().filter(|line| line.contains("≠ ")).count();
    assert!(all.contains("≠ 4") && rows(&all) > 4, "{all}");
    press(&mut stage, "d");
    let some = screen(&stage);
    assert!(some.contains("≠ 4 of "), "{some}");
    assert_eq!(rows(&some), rows(&all), "what differs stays");
    assert!(some.lines().count() == all.lines().count() && some != all);
    press(&mut stage, "d");
    assert_eq!(screen(&stage), all);
}

#[test]
fn the_history_of_a_path_that_only_instances_have_names_them() {
    let run = sample("trip-run.jsonl");
    let (status, stdout, stderr) = obelus(&["history", &run, "†state.budget", "--json"]);
    let answer: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((status, &answer["instance"], &answer["events"]), (0, &Value::Null, &json!([])), "the global identity");
    assert!(stderr.contains("†state.budget is there only in instances ①, ②: without --instance"), "{stderr}");
    let (_, stdout, stderr) = obelus(&["history", &run, "†state.budget", "--instance", "②", "--json"]);
    assert!(stdout.contains("\"op\"") && stderr.is_empty(), "one was asked for: {stderr}");
    assert!(obelus(&["history", &run, "†state.budget"]).2.is_empty(), "people read those of every instance");
}

#[test]
fn a_number_means_a_circled_one_only_where_no_step_has_it() {
    let folder = tempfile::tempdir().unwrap();
    let run = file(
        folder.path(),
        "run.json",
        r#"[{"type":"state","_instance":"①","state":{"a":1}},{"type":"state","_instance":1,"state":{"b":2}}]"#,
    );
    let ask = |arguments: &[&str]| -> Value {
        let (_, stdout, _) = obelus(&[arguments, &["--json"]].concat());
        serde_json::from_str(&stdout).unwrap()
    };
    let resolved = ask(&["resolve", &run, "†state.a", "--instance", "1", "--step", "0"]);
    assert_eq!(resolved["status"], "missing", "{resolved}");
    let blamed = ask(&["blame", &run, "†state.a", "--instance", "1"]);
    assert_eq!(blamed["entries"], json!([]), "{blamed}");
    let passed = ask(&["history", &run, "†state.a", "--instance", "1"]);
    assert_eq!((&passed["instance"], &passed["events"]), (&json!("1"), &json!([])), "{passed}");
    let other = ask(&["resolve", &run, "†state.b", "--instance", "2", "--step", "1"]);
    assert_eq!(other["status"], "missing", "{other}");
}
