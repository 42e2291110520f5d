//! Tests of conversations of ChatGPT.

use super::*;
use crate::format::Format;
use crate::format::log::testing::{read_steps, run_of_set, spoiled, state, steps};
use crate::json::{self, parse};
use crate::model::Standing;
use proptest::prelude::*;
use std::fmt::Write as _;

fn run(text: &str) -> (Box<dyn crate::format::Run>, Vec<u8>) {
    run_of_set(&CHATGPT, text)
}

/// A conversation of messages `id parent role words`, each with more members.
fn conversation(messages: &[(&str, &str, &str, &str, &str)], current: &str) -> String {
    let node = |(id, parent, role, words, more): &(&str, &str, &str, &str, &str)| {
        let content = format!(r#"{{"content_type":"text","parts":[{}]}}"#, json::quote(words));
        let content = if more.contains("\"content\"") { String::new() } else { format!(r#","content":{content}"#) };
        format!(
            r#""{id}":{{"id":"{id}","parent":"{parent}","children":[],"message":{{"id":"{id}","author":{{"role":"{role}"}}{content}{more}}}}}"#
        )
    };
    let nodes: Vec<String> = messages.iter().map(node).collect();
    format!(r#"{{"title":"t","mapping":{{{}}},"current_node":"{current}"}}"#, nodes.join(","))
}

#[test]
fn the_path_to_the_current_message_is_the_run_and_other_answers_were_left() {
    let parsed = run(CONVERSATION);
    assert_eq!(
        steps(&parsed),
        [
            "message user: what is 2 + x?",
            "message agent: Four.",
            "thought agent: Looking at x\nx is not given",
            "tool-call agent: python print(2 + x)",
            "tool-result environment: NameError: x (of 3)",
            "message agent: What is x?"
        ]
    );
    let left: Vec<usize> = (0..6)
        .filter(|at| parsed.0.step(*at, &parsed.1).standing == Standing::Abandoned)
        .map(|at| at as usize)
        .collect();
    assert_eq!(left, [1]);
    assert_eq!(parsed.0.context_steps(5), Some(vec![0, 2, 3, 4, 5]));
    assert_eq!((parsed.0.title().as_deref(), parsed.0.error_steps()), (Some("Sums"), vec![4]));
    let turn = parsed.0.turn(4, &parsed.1).unwrap();
    assert_eq!(turn.results().map(|result| (result.ms, result.is_error)).next(), Some((Some(500), Some(true))));
    assert!(state(&parsed, "run", 5).contains(r#""model":"m-2""#), "{}", state(&parsed, "run", 5));
    assert!(state(&parsed, "chat", 0).contains(r#""conversation_id":"k1""#));
}

#[test]
fn a_left_branch_does_not_know_another_one() {
    let text = conversation(
        &[
            ("q", "", "user", "q", ""),
            ("a", "q", "assistant", "one", ""),
            ("x", "a", "user", "more", ""),
            ("b", "q", "assistant", "two", ""),
            ("y", "b", "user", "other", ""),
            ("c", "q", "assistant", "three", ""),
        ],
        "c",
    );
    let parsed = run(&text);
    let words: Vec<String> = steps(&parsed).iter().map(|step| step.rsplit(' ').next().unwrap().to_owned()).collect();
    assert_eq!(words, ["q", "one", "more", "two", "other", "three"]);
    assert_eq!(parsed.0.context_steps(2), Some(vec![0, 1, 2]));
    assert_eq!(parsed.0.context_steps(4), Some(vec![0, 3, 4]));
    assert_eq!(parsed.0.context_steps(5), Some(vec![0, 5]));
}

#[test]
fn contents_of_all_types_say_what_they_are() {
    let of = |content: &str, more: &str| {
        let message = format!(r#","recipient":"all","content":{content}{more}"#);
        let parsed = run(&conversation(&[("m", "", "user", "", &message)], "m"));
        steps(&parsed).join(" / ")
    };
    for (content, expected) in [
        (r#"{"content_type":"text","parts":["a","","b"]}"#, "message user: a · b"),
        (
            r#"{"content_type":"multimodal_text","parts":[{"content_type":"image_asset_pointer",
                "asset_pointer":"file-service://file-1"},"see"]}"#,
            "message user: [image file-service://file-1] · see",
        ),
        (
            r#"{"content_type":"user_editable_context","user_profile":"Ann","user_instructions":"be brief"}"#,
            "message system: Ann\n\nbe brief",
        ),
        (r#"{"content_type":"tether_quote","url":"u","title":"T","text":"x"}"#, "message user: T\nu\nx"),
        (r#"{"content_type":"system_error","name":"TimeoutError","text":"late"}"#, "state system: TimeoutError: late"),
        (r#"{"content_type":"reasoning_recap","content":"Thought for 8s"}"#, "state system: Thought for 8s"),
        (r#"{"content_type":"thoughts","thoughts":[]}"#, ""),
        (r#"{"content_type":"text","parts":[""]}"#, ""),
        (r#"{"content_type":"new_type","x":[1]}"#, r#"message user: {"content_type":"new_type","x":[1]}"#),
    ] {
        assert_eq!(of(content, ""), expected, "{content}");
    }
    let attached = r#","metadata":{"attachments":[{"id":"file-1","name":"a.pdf","mimeType":"application/pdf"}]}"#;
    assert_eq!(
        of(r#"{"content_type":"text","parts":["see"]}"#, attached),
        "message user: see · [application/pdf a.pdf]"
    );
}

#[test]
fn a_call_has_the_arguments_that_its_text_is() {
    let call = |recipient: &str, content: &str| {
        let more = format!(r#","recipient":"{recipient}","content":{content}"#);
        let parsed = run(&conversation(&[("c", "", "assistant", "", &more)], "c"));
        let turn = parsed.0.turn(0, &parsed.1).unwrap();
        let call = turn.calls().next().unwrap();
        (call.name.to_string(), call.arguments.to_string(), call.id.clone().map(Cow::into_owned))
    };
    let id = || Some("c".to_owned());
    let json = r#"{"content_type":"code","language":"json","text":"{\"q\":1}"}"#;
    assert_eq!(call("web.run", json), ("web.run".to_owned(), r#"{"q":1}"#.to_owned(), id()));
    let code = r#"{"content_type":"code","language":"python","text":"{x}"}"#;
    assert_eq!(call("python", code), ("python".to_owned(), r#""{x}""#.to_owned(), id()));
    let text = r#"{"content_type":"text","parts":["a cat"]}"#;
    assert_eq!(call("dalle.text2im", text), ("dalle.text2im".to_owned(), r#""a cat""#.to_owned(), id()));
}

#[test]
fn messages_of_a_tool_that_follow_each_other_are_one_result() {
    let text = conversation(
        &[
            ("c", "", "assistant", "go", r#","recipient":"browser""#),
            ("r1", "c", "tool", "one", ""),
            ("r2", "r1", "tool", "two", ""),
            ("d", "r2", "assistant", "go on", r#","recipient":"browser""#),
            ("e", "d", "assistant", "", ""),
            ("r3", "e", "tool", "three", ""),
        ],
        "r3",
    );
    let found = steps(&run(&text));
    assert_eq!(found.len(), 4, "{found:#?}");
    assert!(found[1].ends_with("(of 0)") && found[1].contains("one") && found[1].contains("two"), "{found:#?}");
    assert_eq!(found[3], "tool-result environment: three (of 2)");
}

#[test]
fn without_a_current_message_the_last_one_ends_the_run_and_circles_end() {
    let text = conversation(
        &[("q", "", "user", "q", ""), ("a", "q", "assistant", "one", ""), ("b", "q", "assistant", "two", "")],
        "none",
    );
    assert_eq!(run(&text).0.context_steps(2), Some(vec![0, 2]));
    let text = conversation(&[("a", "b", "user", "a", ""), ("b", "a", "assistant", "b", "")], "b");
    assert_eq!(steps(&run(&text)).len(), 2);
}

#[test]
fn a_long_conversation_is_read_in_any_order() {
    let mut nodes = String::new();
    let count = 20_000;
    for at in (0..count).rev() {
        let comma = if at > 0 { ",\n" } else { "" };
        write!(
            nodes,
            r#""{at}":{{"id":"{at}","parent":"{}","message":{{"author":{{"role":"user"}},"content":{{"content_type":"text","parts":["m{at}"]}}}}}}{comma}"#,
            i64::from(at) - 1
        )
        .unwrap();
    }
    let text = format!(r#"{{"title":"t","mapping":{{{nodes}}},"current_node":"{}"}}"#, count - 1);
    let parsed = run(&text);
    let last = parsed.0.step(count - 1, &parsed.1);
    assert_eq!((parsed.0.step_count(), last.summary.as_str()), (count as usize, "m19999"));
    assert!(parsed.0.findings().is_empty());
    assert_eq!(parsed.0.place(0).map(|place| place.place.line), Some(count as u64), "lines are counted in any order");
}

#[test]
fn only_trees_of_messages_are_conversations() {
    let is_one = |text: &str| CHATGPT.detect(&[parse(text).unwrap()]).is_some();
    assert!(is_one(r#"{"title":"t","mapping":{},"current_node":null}"#));
    assert!(is_one(&conversation(&[("q", "", "user", "q", "")], "q")));
    assert!(!is_one(r#"{"mapping":{}}"#));
    assert!(!is_one(r#"{"mapping":{"a":{"message":"hello","parent":null,"children":[]}}}"#));
    assert!(!is_one(r#"{"mapping":{"user":"name"},"title":"columns"}"#));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn damaged_conversations_are_read(text in spoiled(&CONVERSATION[1..CONVERSATION.len() - 1])) {
        read_steps(run(&text).0.as_ref(), &text);
    }
}
