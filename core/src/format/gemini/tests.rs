//! Chats: what is replaced, set and taken back.

use super::GEMINI;
use crate::format::Format;
use crate::format::log::testing::{lines, run_of_record, state, steps};
use crate::format::log::tests::report_of;
use crate::model::{Place, Record, RecordBody, Span};

const HEADER: &str = r#"{"sessionId":"s","projectHash":"h","kind":"main"}"#;

fn user(id: &str, text: &str) -> String {
    format!(r#"{{"id":"{id}","type":"user","content":"{text}"}}"#)
}

#[test]
fn a_record_of_a_known_id_takes_its_place() {
    let text = [HEADER.to_owned(), user("a", "one"), user("b", "two"), user("a", "first")];
    assert_eq!(steps(&lines(&GEMINI, &text.join("\n"))), ["message user: first", "message user: two"]);
}

#[test]
fn a_rewind_takes_back_the_message_and_all_behind_it_and_all_where_it_is_unknown() {
    let text = |rewind: &str| {
        let rewind = format!(r#"{{"$rewindTo":"{rewind}"}}"#);
        [HEADER.to_owned(), user("a", "one"), user("b", "two"), rewind, user("b", "again")].join("\n")
    };
    assert_eq!(steps(&lines(&GEMINI, &text("b"))), ["message user: one", "message user: again"]);
    assert_eq!(steps(&lines(&GEMINI, &text("x"))), ["message user: again"]);
}

#[test]
fn set_rebuilds_the_messages_or_changes_the_session() {
    let set = r#"{"$set":{"summary":"Lists","directories":["/w"]}}"#.to_owned();
    let rebuilt = format!(r#"{{"$set":{{"messages":[{},{}]}}}}"#, user("c", "new"), user("a", "one"));
    let parsed = lines(&GEMINI, &[HEADER.to_owned(), user("a", "old"), set, rebuilt].join("\n"));
    assert_eq!(steps(&parsed), ["message user: new", "message user: one"]);
    assert_eq!(parsed.0.title().as_deref(), Some("Lists"));
    let session =
        r#"{"main":{"sessionId":"s","projectHash":"h","kind":"main","summary":"Lists","directories":["/w"]}}"#;
    assert_eq!(state(&parsed, "session", 1), session);
}

#[test]
fn an_answer_gives_its_thoughts_words_calls_and_results() {
    let call = |id: &str, rest: &str| format!(r#"{{"id":"{id}","name":"read","args":{{"path":"a"}}{rest}}}"#);
    let answered = r#","status":"error","result":[{"functionResponse":{"response":{"error":"no file"}}}]"#;
    let answer = format!(
        r#"{{"id":"g","type":"gemini","content":"Look.","thoughts":[{{"subject":"Plan","description":"Read."}}],"tokens":{{"input":9,"output":2,"thoughts":3}},"toolCalls":[{},{}]}}"#,
        call("c", answered),
        call("d", "")
    );
    let text =
        format!(r#"{{"sessionId":"s","projectHash":"h","messages":[{answer},{{"type":"info","content":"stopped"}}]}}"#);
    let parsed = run_of_record(&GEMINI, &text);
    assert_eq!(
        steps(&parsed)[..5],
        [
            "thought agent: Plan: Read.",
            "message agent: Look.",
            "tool-call agent: read a",
            "tool-result environment: no file (of 2)",
            "tool-call agent: read a",
        ]
    );
    assert!(steps(&parsed)[5].starts_with("state system: "), "{:?}", steps(&parsed));
    assert_eq!((parsed.0.step(0, &parsed.1).tokens, parsed.0.error_steps()), (Some(5), vec![3]));
    let of_qwen = run_of_record(&GEMINI, &text.replace(r#""type":"gemini""#, r#""type":"qwen""#));
    assert_eq!(steps(&of_qwen), steps(&parsed), "as Qwen Code wrote them at first");
}

#[test]
fn lines_are_read_as_they_come_and_again_where_one_is_replaced() {
    let lines = [
        HEADER.to_owned(),
        user("a", "one"),
        r#"{"$set":{"summary":"First"}}"#.to_owned(),
        user("b", "two"),
        r#"{"$rewindTo":"b"}"#.to_owned(),
        user("c", "three"),
        r#"{"$set":{"summary":"Last"}}"#.to_owned(),
        user("c", "four"),
        user("d", "five"),
    ];
    let bytes = lines.join("\n").into_bytes();
    let (mut run, mut offset, mut counts) = (GEMINI.run(), 0, Vec::new());
    for (number, line) in lines.iter().enumerate() {
        let place = Place { span: Span { offset, len: line.len() as u64 }, line: number as u64 + 1 };
        run.push(&Record { number, place, body: RecordBody::Text, is_row: false }, line.as_bytes(), &bytes);
        offset += line.len() as u64 + 1;
        counts.push(run.step_count());
        if number == 5 {
            run.catch_up(&bytes);
            counts.push(run.step_count());
        }
    }
    assert_eq!(counts, [0, 1, 1, 2, 2, 2, 2, 2, 2, 2], "what is replaced waits until the input does");
    run.finish(&bytes);
    let (all, expected) = ((run, bytes), ["message user: one", "message user: four", "message user: five"]);
    assert_eq!((steps(&all), all.0.title().as_deref()), (expected.map(str::to_owned).to_vec(), Some("Last")));
    let whole = self::lines(&GEMINI, &lines.join("\n"));
    assert_eq!(
        [state(&all, "session", 0), state(&all, "session", 2)],
        [state(&whole, "session", 0), state(&whole, "session", 2)]
    );
}

#[test]
fn messages_of_a_document_know_their_lines() {
    let text = format!(
        "{{\"sessionId\":\"s\",\"projectHash\":\"h\",\n\"messages\":[\n{},\n\n{},\n{}\n]}}",
        user("a", "one"),
        user("b", "two"),
        user("a", "first")
    );
    let parsed = run_of_record(&GEMINI, &text);
    let lines: Vec<u64> = (0..2).map(|step| parsed.0.place(step).unwrap().place.line).collect();
    assert_eq!(lines, [6, 5], "the message that takes the place of another one is where it is");
}

#[test]
fn records_are_read_however_they_are_written() {
    let records = [HEADER.to_owned(), user("a", "one"), user("b", "two"), user("a", "first")];
    let texts = [
        records.join("\n"),
        records.join(" "),
        format!("[{}]", records.join(",\n")),
        records.join("\n").replace("\",\"", "\",\n\""),
    ];
    for text in texts {
        let report = report_of(GEMINI.run(), &GEMINI, &text);
        assert_eq!(report.summaries, ["first", "two"], "{text}");
    }
}

#[test]
fn an_answer_that_all_calls_of_a_turn_share_is_that_of_its_call() {
    let answer = |id: &str, output: &str| {
        format!(r#"{{"functionResponse":{{"id":"{id}","name":"f","response":{{"output":"{output}"}}}}}}"#)
    };
    let shared = format!("[{},{}]", answer("a", "one"), answer("b", "two"));
    let call = |id: &str| format!(r#"{{"id":"{id}","name":"f","args":{{}},"result":{shared},"status":"success"}}"#);
    let record = format!(
        r#"{{"id":"m","type":"gemini","timestamp":"t","content":[{{"text":"Hm.","thought":true}},{{"text":"So."}}],
        "toolCalls":[{},{}]}}"#,
        call("a"),
        call("b")
    );
    let header = r#"{"sessionId":"s","projectHash":"h","startTime":"t","kind":"main"}"#;
    let parsed = lines(&GEMINI, &format!("{header}\n{}", record.replace('\n', "")));
    let texts: Vec<String> = steps(&parsed).into_iter().filter(|step| !step.starts_with("state")).collect();
    assert_eq!(texts[0], "message agent: So.");
    assert!(texts[2].contains("one") && !texts[2].contains("two"), "{texts:?}");
    assert!(texts[4].contains("two") && !texts[4].contains("one"), "{texts:?}");
}

#[test]
fn a_compression_takes_messages_from_the_window_and_not_from_the_run() {
    let call = |rest: &str| {
        format!(
            r#"{{"id":"g","type":"gemini","content":"","toolCalls":[{{"id":"c","name":"read","args":{{}}{rest}}}]}}"#
        )
    };
    let answered = call(r#","result":[{"functionResponse":{"id":"c","response":{"output":"text"}}}]"#);
    let copy = r#"{"id":"r","type":"user","content":[{"functionResponse":{"id":"c","response":{"output":"text"}}}]}"#;
    let part = r#"{"id":"g2","type":"gemini","content":[{"functionCall":{"id":"c","name":"read","args":{}}}]}"#;
    let copy_2 = copy.replace("\"r\"", "\"r2\"");
    let snapshot = user("n", "<state_snapshot>all of it</state_snapshot>");
    let compressed =
        |more: &str| format!(r#"{{"$set":{{"messages":[{snapshot},{},{part},{copy_2}{more}]}}}}"#, user("b2", "two"));
    let text = [HEADER.to_owned(), user("a", "one"), user("b", "two"), answered, copy.to_owned(), compressed("")];
    let all = [
        "message user: one",
        "message user: two",
        "tool-call agent: read",
        "tool-result environment: text (of 2)",
        "state system: <state_snapshot>all of it</state_snapshot>",
        "message user: three",
    ];
    let parsed = lines(&GEMINI, &text.join("\n"));
    assert_eq!(steps(&parsed), all[..5], "what repeats an answer is no step");
    assert_eq!(parsed.0.context_steps(4), Some(vec![1, 2, 3, 4]), "copies among the new messages are those before");
    // Resumed later, the messages are set again, those of the compression among them.
    let resumed = [text.join("\n"), user("d", "three"), compressed(&format!(",{}", user("d", "three")))].join("\n");
    assert_eq!(steps(&lines(&GEMINI, &resumed)), all);
}

#[test]
fn calls_and_results_that_are_parts_alone_are_steps() {
    let text = [
        HEADER,
        r#"{"id":"g","type":"gemini","content":[{"functionCall":{"id":"c","name":"read","args":{}}}]}"#,
        r#"{"id":"u","type":"user","content":[{"functionResponse":{"id":"c","response":{"error":"no file"}}}]}"#,
    ];
    let parsed = lines(&GEMINI, &text.join("\n"));
    assert_eq!(steps(&parsed), ["tool-call agent: read", "tool-result environment: no file (of 0)"]);
    assert_eq!(parsed.0.error_steps(), [1]);
}

#[test]
fn the_folder_is_in_what_describes_it_to_the_model() {
    let context = "<session_context>\\n- **Workspace Directories:**\\n  - /w\\n</session_context>";
    let write = r#"{"id":"g","type":"gemini","content":"","toolCalls":[{"id":"c","name":"write_file",
        "args":{"file_path":"a/b","content":"x"},"status":"success","result":[{"functionResponse":{"id":"c",
        "response":{"output":"Successfully created"}}}]}]}"#
        .replace('\n', "");
    let parsed = lines(&GEMINI, &[HEADER.to_owned(), user("u", context), write].join("\n"));
    assert!(state(&parsed, "file", 2).starts_with(r#"{"/w/a/b":"#), "{}", state(&parsed, "file", 2));
}

#[test]
fn a_relative_folder_of_a_command_is_no_place_for_the_paths_of_others() {
    let call = |id: &str, name: &str, args: &str, output: &str| {
        format!(
            r#"{{"id":"m{id}","type":"gemini","content":"","toolCalls":[{{"id":"{id}","name":"{name}","args":{args},
            "status":"success","result":[{{"functionResponse":{{"id":"{id}","response":{{"output":"{output}"}}}}}}]}}]}}"#
        )
        .replace('\n', "")
    };
    let printed = r"Command: cat b\nDirectory: dir\nOutput: x\nError: (none)\nExit Code: 0\nProcess Group PGID: 9";
    let calls = [
        call("1", "run_shell_command", r#"{"command":"cat b","dir_path":"dir"}"#, printed),
        call("2", "write_file", r#"{"file_path":"c","content":"x"}"#, "ok"),
        call("3", "run_shell_command", r#"{"command":"echo x > d"}"#, &printed.replace(": dir", ": (root)")),
    ];
    let paths = |before: &[String]| {
        let (run, _) = lines(&GEMINI, &[before, &calls].concat().join("\n"));
        run.work().unwrap().files(9).iter().map(|file| file.path.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(paths(&[HEADER.to_owned()]), ["dir/b", "c", "d"]);
    let context = "<session_context>\\n- **Workspace Directories:**\\n  - /w\\n</session_context>";
    assert_eq!(paths(&[HEADER.to_owned(), user("u", context)]), ["/w/dir/b", "/w/c", "/w/d"]);
    let numbered = printed.replace("Output: x", r"Output:      1  one\n     2\n     3      three");
    let numbered = call("1", "run_shell_command", r#"{"command":"cat -n b"}"#, &numbered);
    let parsed = lines(&GEMINI, &[HEADER.to_owned(), numbered].join("\n"));
    let known = parsed.0.work().unwrap().file("dir/b", 9).unwrap();
    assert_eq!(known.blame.iter().map(|line| line.text).collect::<Vec<_>>(), ["one", "", "    three"]);
}

#[test]
fn a_result_has_its_texts_beside_the_response_and_not_the_responses_of_other_calls() {
    let response = |id: &str, output: &str| {
        format!(r#"{{"functionResponse":{{"id":"{id}","name":"read","response":{{"output":"{output}"}}}}}}"#)
    };
    let shown = |parts: &[String]| {
        let call =
            format!(r#"{{"id":"c","name":"read","args":{{}},"status":"success","result":[{}]}}"#, parts.join(","));
        let text = format!(
            r#"{{"sessionId":"s","projectHash":"h","messages":[{{"id":"g","type":"gemini","content":"","toolCalls":[{call}]}}]}}"#
        );
        steps(&run_of_record(&GEMINI, &text)).pop().unwrap()
    };
    let files = r#"{"text":"--- a ---"}"#.to_owned();
    assert_eq!(shown(&[response("c", "ok"), files]), "tool-result environment: ok\n--- a --- (of 0)");
    assert_eq!(shown(&[response("c", "mine"), response("d", "other")]), "tool-result environment: mine (of 0)");
}

#[test]
fn a_call_that_a_message_of_another_id_repeats_as_it_is_counts_once() {
    let answer = |id: &str, result: &str| {
        let call = format!(r#"{{"id":"c","name":"read","args":{{}},"status":"success","resultDisplay":"{result}"}}"#);
        format!(r#"{{"id":"{id}","type":"gemini","content":"","toolCalls":[{call}]}}"#)
    };
    let text = [HEADER.to_owned(), answer("g", "a"), answer("h", "a"), answer("i", "b")].join("\n");
    let parsed = lines(&GEMINI, &text);
    let (call, result) = ("tool-call agent: read", "tool-result environment: ");
    let expected = [call.to_owned(), format!("{result}a (of 0)"), call.to_owned(), format!("{result}b (of 2)")];
    assert_eq!(steps(&parsed), expected);
}

#[test]
fn a_resumed_session_keeps_its_title_and_sub_agents_have_files_of_their_own() {
    let call = |agent: &str| format!(r#"{{"id":"c","name":"invoke_agent","args":{{}},"agentId":"{agent}"}}"#);
    let answer = format!(r#"{{"id":"g","type":"gemini","content":"","toolCalls":[{},{}]}}"#, call("a-1"), call("../x"));
    let text = [
        HEADER.to_owned(),
        r#"{"$set":{"summary":"Lists"}}"#.to_owned(),
        r#"{"$set":{"sessionId":"s"}}"#.to_owned(),
        answer,
        r#"{"id":"i","type":"info","content":[{"text":"a note"}]}"#.to_owned(),
        r#"{"id":"e","type":"error","content":"no quota"}"#.to_owned(),
    ];
    let parsed = lines(&GEMINI, &text.join("\n"));
    assert_eq!(parsed.0.title().as_deref(), Some("Lists"));
    assert_eq!(steps(&parsed)[2..], ["state system: a note", "state system: no quota"]);
    assert_eq!(parsed.0.error_steps(), [3]);
    let parts: Vec<_> = parsed.0.parts().iter().map(|part| (part.file.as_str(), part.step)).collect();
    assert_eq!(parts, [("s/a-1.jsonl", Some(0))]);
}

#[test]
fn what_was_taken_back_was_paid_for() {
    let answer = |id: &str, input: u32| {
        format!(r#"{{"id":"{id}","type":"gemini","content":"{id}","tokens":{{"input":{input},"output":1}}}}"#)
    };
    let set = |messages: &[String]| format!(r#"{{"$set":{{"messages":[{}]}}}}"#, messages.join(","));
    let usage_of = |lines: &[String]| {
        let text = std::iter::once(HEADER.to_owned()).chain(lines.iter().cloned()).collect::<Vec<_>>().join("\n");
        let report = report_of(GEMINI.run(), &GEMINI, &text);
        (report.value("/usage/main/input"), report.value("/usage/main/turns"), report.kinds.len())
    };
    let expected = |input: &str, turns: &str, steps: usize| (input.to_owned(), turns.to_owned(), steps);
    let first = [answer("a", 10), answer("b", 200)];
    let rewind = [r#"{"$rewindTo":"b"}"#.to_owned()];
    assert_eq!(usage_of(&[&first[..], &rewind, &[answer("c", 3000)]].concat()), expected("3210", "3", 2));
    assert_eq!(usage_of(&[&first[..], &rewind, &[answer("b", 200)]].concat()), expected("210", "2", 2));
    let again = set(&[answer("a", 10), answer("b", 200)]);
    assert_eq!(usage_of(&[&first[..], &[again]].concat()), expected("210", "2", 2), "it is the same again");
    // A chat that goes on has its messages once more under new ids, without their tokens.
    let renamed = set(&[answer("x", 0), answer("y", 0)]);
    assert_eq!(usage_of(&[&first[..], &[renamed], &[answer("c", 3000)]].concat()).0, "3210");
}
