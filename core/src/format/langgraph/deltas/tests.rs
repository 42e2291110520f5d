//! Channels that are stored as deltas.

use super::super::checkpoints::Checkpoints;
use crate::format::Run;
use crate::format::log::testing::adapted;
use crate::model::StepNo;

const CLASS: &str = "langchain_core.messages";

fn message(class: &str, id: &str, content: &str) -> String {
    format!(r#"{{"$class":"{CLASS}.{class}","content":"{content}","id":"{id}"}}"#)
}

fn write(path: &str, channel: &str, value: &str) -> String {
    format!(r#"{{"task_id":"x","task_path":"~__pregel_pull, {path}","idx":0,"channel":"{channel}","value":{value}}}"#)
}

/// A thread of checkpoints: the number of the parent, what is stored of the channel `c`, its version, what is written.
fn thread(checkpoints: &[(Option<usize>, &str, u8, String)]) -> String {
    let one = |(number, (parent, stored, version, writes)): (usize, &(Option<usize>, &str, u8, String))| {
        let parent = parent.map_or_else(|| "null".to_owned(), |parent| format!("\"{parent}\""));
        let versions = if *version == 0 { "{}".to_owned() } else { format!(r#"{{"c":{version}}}"#) };
        let head = format!(r#""checkpoint_id":"{number}","parent_checkpoint_id":{parent},"metadata":{{}}"#);
        let content = format!(r#"{{"channel_values":{{{stored}}},"channel_versions":{versions}}}"#);
        format!(r#"{{{head},"checkpoint":{content},"writes":[{writes}]}}"#)
    };
    let all: Vec<String> = (0..).zip(checkpoints).map(one).collect();
    let head = r#"{"thread_id":"t","checkpoint_ns":""}"#;
    format!(r#"{{"langgraph":{head},"checkpoints":[{}]}}"#, all.join(","))
}

/// The value of the channel after each step.
fn values(text: &str) -> Vec<Option<String>> {
    let (run, bytes) = (adapted(Checkpoints, text), text.as_bytes().to_vec());
    let value = |step: StepNo| {
        let (id, below) = run.locate("/state/main/c", step).unwrap().into_iter().next()?;
        run.tree().text(run.tree().node(id, &below)?, step, &bytes)
    };
    (0..run.step_count() as StepNo).map(value).collect()
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn elements_come_behind_others_in_the_order_of_tasks_and_an_overwrite_begins_again() {
    let both = [write("b", "c", r#"["b"]"#), write("a", "c", r#"["a"]"#)].join(",");
    let class = r#"{"$class":"langgraph.types.Overwrite","value":["new"],"type":"__overwrite__"}"#;
    let text = thread(&[
        (None, "", 0, both),
        (Some(0), "", 1, write("n", "c", "\"one\"")),
        (Some(1), "", 2, write("n", "c", class)),
        (Some(2), "", 3, write("n", "c", r#"{"__overwrite__":[1]}"#)),
        (Some(3), "", 4, String::new()),
        (Some(1), "", 1, write("n", "c", r#"["fork"]"#)),
        (Some(5), "", 2, String::new()),
    ]);
    let first = r#"["a","b"]"#;
    let expected = [
        None,
        some(first),
        some(r#"["a","b","one"]"#),
        some(r#"["new"]"#),
        some("[1]"),
        some(first),
        some(r#"["a","b","fork"]"#),
    ];
    assert_eq!(values(&text), expected);
}

#[test]
fn a_message_takes_the_place_of_its_id_and_one_is_removed() {
    let [h, a, b] = [("HumanMessage", "h", "hi"), ("AIMessage", "a", "one"), ("AIMessage", "a", "two")]
        .map(|(class, id, content)| message(class, id, content));
    let gone = message("modifier.RemoveMessage", "h", "");
    let text = thread(&[
        (None, "", 0, write("n", "c", &format!("[{h}]"))),
        (Some(0), "", 1, write("n", "c", &a)),
        (Some(1), "", 2, write("n", "c", &format!("[{gone},{b}]"))),
        (Some(2), "", 3, write("n", "c", &format!("[{}]", message("RemoveMessage", "__remove_all__", "")))),
        (Some(3), "", 4, String::new()),
    ]);
    let all = [None, Some(format!("[{h}]")), Some(format!("[{h},{a}]")), Some(format!("[{b}]")), some("[]")];
    assert_eq!(values(&text), all);
}

#[test]
fn an_object_is_merged_where_one_is_stored_and_a_value_stays_when_its_channel_becomes_one_of_deltas() {
    let snapshot = r#""c":{"$delta_snapshot":{"x":1,"y":2}}"#;
    let text = thread(&[
        (None, "", 0, write("n", "c", r#"{"x":1}"#)),
        (Some(0), "", 1, write("n", "c", r#"{"y":2}"#)),
        (Some(1), snapshot, 2, write("n", "c", r#"{"x":3}"#)),
        (Some(2), "", 3, String::new()),
    ]);
    let all = [None, some(r#"{"x":1}"#), some(r#"{"x":1,"y":2}"#), some(r#"{"x":3,"y":2}"#)];
    assert_eq!(values(&text), all);
    let text = thread(&[
        (None, r#""c":["old"]"#, 1, String::new()),
        (Some(0), "", 1, write("n", "c", r#"["new"]"#)),
        (Some(1), "", 2, String::new()),
    ]);
    assert_eq!(values(&text), [some(r#"["old"]"#), some(r#"["old"]"#), some(r#"["old","new"]"#)]);
}

#[test]
fn answers_in_deltas_count() {
    let answer = message("AIMessage", "a", "one").replace(
        "\"id\"",
        r#""usage_metadata":{"input_tokens":9,"output_tokens":2,"input_token_details":{"cache_read":4}},"id""#,
    );
    let text =
        thread(&[(None, "", 0, write("n", "messages", &format!("[{answer}]"))), (Some(0), "", 1, String::new())])
            .replace(r#"{"c":1}"#, r#"{"messages":1}"#);
    let (run, bytes) = (adapted(Checkpoints, &text), text.as_bytes().to_vec());
    let usage = |slot: &str| {
        let (id, below) = run.locate(&format!("/usage/main/{slot}"), 1).unwrap().into_iter().next()?;
        run.tree().text(run.tree().node(id, &below)?, 1, &bytes)
    };
    assert_eq!(["input", "output", "cache_read"].map(usage), [some("5"), some("2"), some("4")]);
}
