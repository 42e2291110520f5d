//! Runs of messages, aligned.

use super::*;
use crate::ingest;
use crate::source::Input;

fn message_line(role: &str, text: &str) -> String {
    format!(r#"{{"role":"{role}","content":"{text}"}}"#)
}

fn call(id: &str, command: &str) -> String {
    let arguments = format!(r#"{{\"command\":\"{command}\"}}"#);
    let function = format!(r#"{{"name":"bash","arguments":"{arguments}"}}"#);
    format!(
        r#"{{"role":"assistant","content":"","tool_calls":[{{"id":"{id}","type":"function","function":{function}}}]}}"#
    )
}

fn result(id: &str, text: &str) -> String {
    format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"{text}"}}"#)
}

/// The rows of two runs of messages: how the sides relate to each other, and their steps.
fn aligned_rows(left: &[String], right: &[String]) -> Vec<String> {
    let load = |messages: &[String]| {
        let text = format!("{{\"id\":\"t\",\"messages\":[{}]}}\n", messages.join(","));
        let loaded = ingest::load(Input::memory("made", text), Some("adp")).unwrap();
        let run = loaded.run(0).unwrap();
        (loaded, run)
    };
    let (a, b) = (load(left), load(right));
    let count = |run: &dyn Run| StepNo::try_from(run.step_count()).unwrap();
    let yes = &mut |_: usize, _: usize| true;
    let old = Rows::read(a.1.as_ref(), a.0.input.as_ref(), &(0..count(a.1.as_ref())), yes).unwrap().unwrap();
    let new = Rows::read(b.1.as_ref(), b.0.input.as_ref(), &(0..count(b.1.as_ref())), yes).unwrap().unwrap();
    assert!(aligned(&old, &new, &|| false).is_none(), "nobody wants it");
    let rows = aligned(&old, &new, &|| true).unwrap();
    let step = |row: &AlignedRow, side| row.step(side).map_or_else(|| "-".to_owned(), |step| step.to_string());
    rows.iter().map(|row| format!("{:?} {} {}", row.pairing, step(row, 0), step(row, 1))).collect()
}

#[test]
fn a_call_with_its_result_is_a_row_and_other_ids_are_no_difference() {
    let left = [message_line("user", "go"), call("a", "ls"), result("a", "x y"), call("b", "make"), result("b", "ok")];
    let right =
        [message_line("user", "go"), call("c", "ls"), result("c", "x y"), call("d", "make"), result("d", "failed")];
    assert_eq!(aligned_rows(&left, &right), ["Same 0 0", "Alike 1 1", "Result 3 3"]);
    assert_eq!(aligned_rows(&left, &left), ["Same 0 0", "Same 1 1", "Same 3 3"]);
}

#[test]
fn what_one_run_does_alone_stands_on_its_side_and_the_rest_is_aligned_by_verb_and_speaker() {
    let left = [message_line("user", "go"), call("a", "ls"), message_line("assistant", "done")];
    let right = [
        message_line("user", "go"),
        call("a", "pwd"),
        call("b", "ls"),
        result("b", "x"),
        message_line("assistant", "all done"),
    ];
    assert_eq!(aligned_rows(&left, &right), ["Same 0 0", "Right - 1", "Result 1 2", "Changed 2 4"]);
    assert_eq!(aligned_rows(&left, &[]), ["Left 0 -", "Left 1 -", "Left 2 -"]);
    assert_eq!(aligned_rows(&[], &[]), [""; 0]);
}
