//! Sessions of Pi, OpenClaw and traces: the tree, names, windows.

use super::*;
use crate::format::Format;
use crate::format::log::tests::report_of;
use crate::model::{Place, Record, RecordBody, Span};

#[test]
fn the_last_entry_says_what_was_left_and_an_edit_what_is_not_seen() {
    let message = |id: &str, parent: &str, text: &str| {
        let message = format!(r#"{{"role":"user","content":"{text}"}}"#);
        format!(r#"{{"type":"message","id":"{id}","parentId":"{parent}","message":{message}}}"#)
    };
    let head = r#"{"type":"session","version":3,"id":"s"}"#.to_owned();
    let summary = r#"{"type":"branch_summary","id":"d","parentId":"a","summary":"b was left"}"#;
    let edit = r#"{"type":"context_edit","id":"e","parentId":"d","targetId":"a","replacement":null}"#;
    let all = [
        head,
        message("a", "", "one"),
        message("b", "a", "two"),
        summary.to_owned(),
        edit.to_owned(),
        message("f", "e", "three"),
    ];
    let left = report_of(PI.run(), &PI, &all[..4].join("\n"));
    assert_eq!(left.standings(), ["main", "abandoned", "main"]);
    let whole = report_of(PI.run(), &PI, &all.join("\n"));
    assert_eq!(whole.visible_steps(1), [0, 1]);
    assert_eq!(whole.visible_steps(4), [2, 4], "what was edited is not seen any more, the summary is");
}

#[test]
fn a_label_is_taken_away_by_an_entry_without_one() {
    let label = |id: &str, label: &str| format!(r#"{{"type":"label","id":"{id}","targetId":"a","label":{label}}}"#);
    let head = r#"{"type":"session","version":3,"id":"s","branchedFrom":"/x/y/parent.jsonl"}"#.to_owned();
    let all = [head, label("b", "\"seen\""), label("c", "null")];
    let report = report_of(PI.run(), &PI, &all[..2].join("\n"));
    assert_eq!(report.value("/label/a/label"), "\"seen\"");
    assert_eq!(report_of(PI.run(), &PI, &all.join("\n")).value("/label/a/label"), "");
}

#[test]
fn failed_answers_names_and_what_a_compaction_keeps() {
    let entry = |id: &str, parent: &str, rest: &str| {
        format!("{{\"id\":\"{id}\",\"parentId\":\"{parent}\",\"timestamp\":\"t\",{rest}}}")
    };
    let answer =
        |role: &str, text: &str| format!(r#""type":"message","message":{{"role":"{role}","content":"{text}"}}"#);
    let failed = concat!(
        r#""type":"message","message":{"role":"assistant","content":[],"#,
        r#""stopReason":"error","errorMessage":"no quota"}"#
    );
    let lines = [
        r#"{"type":"session","version":3,"id":"s","timestamp":"t","cwd":"/w"}"#.to_owned(),
        entry("a", "", &answer("user", "one")),
        entry("b", "a", &answer("user", "two")),
        entry("c", "b", r#""type":"compaction","summary":"so far","firstKeptEntryId":"b""#),
        entry("d", "c", failed),
        entry("e", "d", r#""type":"session_info","name":"Mine""#),
    ];
    let report = report_of(PI.run(), &PI, &lines.join("\n"));
    assert_eq!(report.summaries, ["one", "two", "so far", "no quota", "name Mine"]);
    assert_eq!((report.errors.as_slice(), report.title.as_deref()), (&[3][..], Some("Mine")));
    assert_eq!((report.visible_steps(1), report.visible_steps(3)), (vec![0, 1], vec![1, 2, 3]));
}

#[test]
fn a_first_message_that_was_edited_leaves_what_followed_it() {
    let entry = |id: &str, parent: &str, role: &str| {
        format!(r#"{{"type":"message","id":"{id}","parentId":{parent},"message":{{"role":"{role}","content":"x"}}}}"#)
    };
    let header = r#"{"type":"session","version":3,"id":"s","timestamp":"t","cwd":"/w"}"#.to_owned();
    let mut lines = vec![header, entry("a", "null", "user"), entry("b", "\"a\"", "assistant")];
    let standings = |lines: &[String]| report_of(PI.run(), &PI, &lines.join("\n")).standings();
    assert_eq!(standings(&lines), ["main"; 2]);
    lines.push(entry("c", "null", "user"));
    assert_eq!(standings(&lines), ["abandoned", "abandoned", "main"]);
    let next = lines[0].replace(r#""id":"s""#, r#""id":"s2""#);
    let two = [lines.as_slice(), &[next, entry("d", "null", "user")]].concat();
    assert_eq!(standings(&two), ["abandoned", "abandoned", "main", "main", "main"], "another session leaves nothing");
    // One whose parent is not known is no such message.
    lines[3] = entry("c", "\"gone\"", "user");
    assert_eq!(standings(&lines), ["main"; 3]);
}

#[test]
fn a_summary_stands_before_what_a_compaction_keeps_and_in_place_of_the_one_before() {
    let message = |id: &str, parent: &str, role: &str| {
        format!(
            r#"{{"type":"message","id":"{id}","parentId":{parent},"message":{{"role":"{role}","content":"{id}"}}}}"#
        )
    };
    let compaction = |id: &str, parent: &str, first: &str| {
        format!(
            r#"{{"type":"compaction","id":"{id}","parentId":{parent},"summary":"of {id}","firstKeptEntryId":"{first}"}}"#
        )
    };
    let lines = [
        r#"{"type":"session","version":1,"id":"s","timestamp":"t","cwd":"/w"}"#.to_owned(),
        message("p", "null", "system"),
        message("a", "\"p\"", "user"),
        message("b", "\"a\"", "user"),
        compaction("c", "\"b\"", "a"),
        message("d", "\"c\"", "user"),
        compaction("e", "\"d\"", "b"),
    ];
    let bytes = lines.join("\n").into_bytes();
    let mut run = PI.run();
    let mut offset = 0;
    for (number, text) in lines.iter().enumerate() {
        let place = Place { span: Span { offset, len: text.len() as u64 }, line: number as u64 + 1 };
        run.push(&Record { number, place, body: RecordBody::Text, is_row: false }, text.as_bytes(), &bytes);
        offset += text.len() as u64 + 1;
    }
    let seen = |step| run.view(step, &bytes).iter().map(|entry| entry.step).collect::<Vec<_>>();
    assert_eq!(seen(3), [0, 3, 1, 2], "a compaction that keeps all");
    assert_eq!(seen(5), [0, 5, 2, 4]);
}

#[test]
fn a_prompt_may_be_in_sections_and_a_summary_costs_something() {
    let lines = [
        r#"{"type":"session","version":3,"id":"s","timestamp":"t","cwd":"/w"}"#.to_owned(),
        concat!(
            r#"{"type":"message","id":"a","message":{"role":"system","content":"","#,
            r#""sections":{"one":"You help.","two":"Be brief."}}}"#
        )
        .to_owned(),
        concat!(
            r#"{"type":"compaction","id":"b","parentId":"a","summary":"so far","#,
            r#""usage":{"input":7,"output":2,"cacheRead":5}}"#
        )
        .to_owned(),
    ];
    let report = report_of(PI.run(), &PI, &lines.join("\n"));
    assert_eq!((report.kinds.len(), report.roles[0]), (2, "system"));
    assert!(report.summaries[0].starts_with("You help."), "{:?}", report.summaries);
    assert_eq!(report.value("/usage/main/input"), "7");
}

#[test]
fn a_notice_in_place_of_a_text_is_no_line_of_the_file() {
    let known = |shown: &str| {
        let call = r#"{"type":"toolCall","id":"c","name":"read","arguments":{"path":"/w/a"}}"#;
        let message = |id: &str, parent: &str, message: &str| {
            format!(r#"{{"type":"message","id":"{id}","parentId":"{parent}","message":{message}}}"#)
        };
        let content = format!(r#"[{{"type":"text","text":"{shown}"}}]"#);
        let lines = [
            r#"{"type":"session","version":3,"id":"s","timestamp":"t","cwd":"/w"}"#.to_owned(),
            message("a", "", &format!(r#"{{"role":"assistant","content":[{call}]}}"#)),
            message(
                "b",
                "a",
                &format!(r#"{{"role":"toolResult","toolCallId":"c","toolName":"read","content":{content}}}"#),
            ),
        ];
        report_of(PI.run(), &PI, &lines.join("\n")).value("/file/~1w~1a/known")
    };
    assert_eq!(known("one line"), "\"all\"");
    assert_eq!(known("Read image file [image/png]"), "");
}

#[test]
fn files_that_a_script_wrote_are_written() {
    let call = |name: &str, status: &str| {
        let args = format!(r#"{{\"path\":\"/w/{status}\",\"content\":\"x\\n\"}}"#);
        format!(r#"{{"id":"{name}{status}","name":"{name}","status":"{status}","args":"{args}"}}"#)
    };
    let calls = [call("write", "ok"), call("write", "error"), call("read", "other")].join(",");
    let result = format!(
        r#"{{"type":"message","id":"b","parentId":"a","message":{{"role":"toolResult","toolCallId":"c",
        "content":[{{"type":"text","text":"done"}}],"details":{{"calls":[{calls}]}}}}}}"#
    )
    .replace('\n', "");
    let lines = [r#"{"type":"session","version":3,"id":"s","timestamp":"t","cwd":"/w"}"#.to_owned(), result];
    let report = report_of(PI.run(), &PI, &lines.join("\n"));
    assert_eq!(report.value("/file/~1w~1ok/known"), "\"all\"");
    assert_eq!(
        (report.value("/file/~1w~1error/known"), report.value("/file/~1w~1other/known")),
        (String::new(), String::new())
    );
}

#[test]
fn a_custom_message_is_said_and_a_hidden_command_is_not() {
    let lines = [
        r#"{"type":"session","version":3,"id":"s","timestamp":"t","cwd":"/w"}"#,
        r#"{"type":"custom_message","id":"a","customType":"x","content":"Again, please.","display":true}"#,
        r#"{"type":"message","id":"b","parentId":"a","message":{"role":"bashExecution","command":"id","output":"0",
        "exitCode":0,"excludeFromContext":true}}"#,
    ];
    let report = report_of(PI.run(), &PI, &lines.map(|line| line.replace('\n', "")).join("\n"));
    assert_eq!(report.visible_steps(2), [0]);
}

#[test]
fn a_title_before_the_header_names_the_session_and_is_an_entry() {
    let title = |text: &str| format!(r#"{{"type":"title","v":1,"title":"{text}"}}"#);
    let all = [
        title("Named"),
        r#"{"type":"session","version":3,"id":"s","timestamp":"t","cwd":"/w","title":"of the header"}"#.to_owned(),
        r#"{"type":"model_change","id":"a","parentId":null,"model":"p/m"}"#.to_owned(),
        r#"{"type":"message","id":"b","parentId":"a","message":{"role":"user","content":"one"}}"#.to_owned(),
    ];
    let report = report_of(PI.run(), &PI, &all.join("\n"));
    assert_eq!((report.title.as_deref(), report.value("/run/main/model").as_str()), (Some("Named"), "\"p/m\""));
    assert_eq!(report.kinds, ["state", "state", "message"]);
    assert_eq!(report.trajectories(), [None, None, None]);
    let named = |lines: &[String]| report_of(PI.run(), &PI, &lines.join("\n")).title;
    assert_eq!(named(&all[1..]).as_deref(), Some("of the header"));
    assert_eq!(named(&[&all[1..], &[title("later")]].concat()).as_deref(), Some("later"));
}

#[test]
fn what_a_fork_copied_from_its_session_costs_nothing() {
    let usage_of = |header: &str| {
        let message = |id: &str, parent: &str, second: u32| {
            format!(
                r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"2026-11-29T20:00:{second}.000Z",
                "message":{{"role":"assistant","content":[{{"type":"text","text":"{id}"}}],
                "usage":{{"input":10,"output":3,"cost":{{"total":0.5}}}}}}}}"#
            )
            .replace('\n', "")
        };
        let head = format!(
            r#"{{"type":"session","version":3,"id":"s","timestamp":"2026-11-29T20:00:20.000Z","cwd":"/w"{header}}}"#
        );
        let lines = [head, message("a", "null", 10), message("b", "\"a\"", 30)];
        let report = report_of(PI.run(), &PI, &lines.join("\n"));
        ["input", "turns", "cost"].map(|slot| report.value(&format!("/usage/main/{slot}")))
    };
    assert_eq!(usage_of(r#","parentSession":"/s/old.jsonl""#), ["10", "1", "0.5"]);
    assert_eq!(usage_of(""), ["20", "2", "1"], "a clock may go back");
}
