//! What is read: the looks of a message, the pager, the conversation.

use super::stage::{input, notice, on, press, screen, shows, stage, step};
use obelus::app::pane::MessageMode;
use obelus::app::{Effect, Msg, Pane};
use obelus::json::quote;
use obelus::shell::headless::Stage;
use std::fmt::Write;

/// Lines of output that are folded.
const OUTPUT_LINES: usize = 200;

/// A session: a user, a number of calls of `seq` with long results, an answer.
fn session(calls: usize) -> String {
    let mut out = "{\"type\":\"session\",\"id\":\"s\",\"timestamp\":\"2026-05-01T10:00:00Z\"}\n".to_owned();
    let mut put = |message: String| writeln!(out, "{{\"type\":\"message\",\"message\":{message}}}").unwrap();
    put("{\"role\":\"user\",\"content\":\"# Task\\nCount **twice**.\"}".to_owned());
    for call in 0..calls {
        put(format!(
            "{{\"role\":\"assistant\",\"content\":[{{\"type\":\"toolCall\",\"id\":\"c{call}\",\"name\":\"bash\",\
             \"arguments\":{{\"command\":\"seq {call}\"}}}}]}}"
        ));
        let output: Vec<String> = (0..OUTPUT_LINES).map(|line| format!("row {call}-{line}")).collect();
        put(format!(
            "{{\"role\":\"toolResult\",\"toolCallId\":\"c{call}\",\"content\":{}}}",
            quote(&output.join("\n"))
        ));
    }
    put("{\"role\":\"assistant\",\"content\":\"Done.\"}".to_owned());
    out
}

fn counting(calls: usize) -> Stage {
    on(&session(calls), (100, 30))
}

#[test]
fn a_step_forward_goes_through_a_result_in_the_row_of_its_call_and_its_flag_is_seen_there() {
    let mut stage = counting(2);
    let mut steps = Vec::new();
    for _ in 0..3 {
        press(&mut stage, ".");
        steps.push(step(&stage));
    }
    assert_eq!(steps, [1, 2, 3]);
    press(&mut stage, ",");
    shows(&stage, &["▌1 ◂ run"]);
    press(&mut stage, "m m");
    shows(&stage, &["▌1 ⚑◂ run"]);
    // Rows are for j and k.
    press(&mut stage, "j");
    assert_eq!(step(&stage), 3);
    press(&mut stage, "k");
    assert_eq!(step(&stage), 1);
}

#[test]
fn a_message_is_read_then_json_then_its_bytes() {
    let mut stage = counting(2);
    press(&mut stage, "1");
    shows(&stage, &["Task", "Count twice.", " Message "]);
    press(&mut stage, "R");
    shows(&stage, &["JSON", "\"role\": \"user\""]);
    press(&mut stage, "R");
    shows(&stage, &["Raw", "{\"type\":\"message\""]);
    press(&mut stage, "R");
    assert_eq!(stage.app.inspector.message.look, MessageMode::Reading);
    press(&mut stage, ".");
    shows(&stage, &["$ seq 0", "◂ result @2", "row 0-0", "more lines · l opens", "@1 →"]);
    press(&mut stage, "E .");
    assert!(!screen(&stage).contains("more lines"), "folds stay open\n{}", screen(&stage));
    // A format without turns has its JSON and its bytes.
    let mut trip = stage_of("trip-run.jsonl");
    press(&mut trip, "1 R");
    assert_eq!(trip.app.inspector.message.look, MessageMode::Raw);
    press(&mut trip, "R");
    assert_eq!(trip.app.inspector.message.look, MessageMode::Reading);
}

fn stage_of(sample: &str) -> Stage {
    stage(input(sample), (100, 30))
}

#[test]
fn a_long_text_opens_in_a_pager_and_goes_to_the_editor() {
    let mut stage = counting(1);
    press(&mut stage, ": type:2 Enter 1 Enter");
    assert_eq!(stage.app.pane, Pane::Pager);
    shows(&stage, &["200 lines", "row 0-0"]);
    press(&mut stage, "/ type:0-150 Enter");
    shows(&stage, &["row 0-150"]);
    press(&mut stage, "Esc G");
    shows(&stage, &["row 0-199"]);
    let effects = stage.send(Msg::Key("o".parse().unwrap()));
    assert!(matches!(&effects[..], [Effect::EditText(text)] if text.starts_with("row 0-0\n")), "{effects:?}");
    let effects = stage.send(Msg::Key("y".parse().unwrap()));
    assert!(matches!(&effects[..], [Effect::Copy(text)] if text.ends_with("row 0-199")), "{effects:?}");
    press(&mut stage, "q");
    assert_eq!((stage.app.pane, step(&stage)), (Pane::Inspector, 2));
    // In its JSON the same text opens too.
    press(&mut stage, "R / type:row Enter Enter");
    assert_eq!(stage.app.pane, Pane::Pager, "{}", notice(&stage));
    press(&mut stage, "Esc Esc");
    assert_eq!(stage.app.pane, Pane::Inspector);
}

#[test]
fn a_long_value_of_the_state_opens_in_a_pager() {
    let text = "one line\\nand another\\nand a third";
    let lines = format!("{{\"a\":\"{text}\",\"b\":1}}\n{{\"a\":\"short\",\"b\":2}}");
    let mut stage = on(&lines, (100, 30));
    stage.app.pane = Pane::State;
    press(&mut stage, "/ type:another Enter Enter");
    if stage.app.pane == Pane::Pager {
        shows(&stage, &["3 lines", "and another"]);
        press(&mut stage, "q");
        assert_eq!(stage.app.pane, Pane::State);
    }
}

#[test]
fn the_conversation_goes_with_the_step() {
    let mut stage = counting(40);
    press(&mut stage, "C");
    assert_eq!(stage.app.pane, Pane::Conversation);
    shows(&stage, &["Task", "$ seq 0", "◂ result @2", "more lines"]);
    press(&mut stage, "j j j j j j j j");
    assert!(step(&stage) > 0, "the step goes with the cursor");
    press(&mut stage, "G");
    shows(&stage, &["Done."]);
    assert_eq!(step(&stage), 81);
    press(&mut stage, ": type:41 Enter");
    shows(&stage, &["$ seq 20"]);
    press(&mut stage, "Enter");
    shows(&stage, &["row 20-0", "row 20-11"]);
    press(&mut stage, "/ type:row.33-1 Enter");
    assert_eq!(step(&stage), 68, "{}", notice(&stage));
    press(&mut stage, "Esc q");
    assert_eq!((stage.app.pane, step(&stage)), (Pane::Steps, 68));
    let mut trip = stage_of("trip-run.jsonl");
    press(&mut trip, "C");
    assert!(notice(&trip).contains("no conversation"), "{}", notice(&trip));
}

#[test]
fn what_is_read_fits_any_screen() {
    for (width, height) in [(160, 45), (80, 24), (40, 12), (9, 4), (1, 1)] {
        let mut stage = counting(6);
        stage.send(Msg::Resize(width, height));
        for words in [". 1 Enter", "G k j", "q C", "G Space Space k k", "E X", ". , $", "q R R R"] {
            press(&mut stage, words);
            let frame = obelus::app::view::frame(&stage.app);
            let rows: usize = frame.boxes.iter().map(|pane| pane.window.rows.len()).sum();
            assert!(rows <= usize::from(height) * 3, "{words} at {width}x{height}");
        }
    }
}

#[test]
fn the_bytes_of_a_step_are_those_of_the_step_and_not_of_all_its_record() {
    let mut stage = stage_of("tickets-std.jsonl");
    press(&mut stage, "Enter . . 1 R R");
    assert_eq!(stage.app.inspector.message.look, MessageMode::Raw);
    let shown = screen(&stage);
    shows(&stage, &["of the record,"]);
    press(&mut stage, ".");
    assert_ne!(screen(&stage), shown);
    shows(&stage, &["of the record,"]);
}

#[test]
fn records_that_nobody_said_are_lines_of_the_conversation_until_they_are_opened() {
    let text = concat!(
        r#"{"timestamp":"2026-08-01T10:00:00Z","type":"session_meta","payload":{"id":"s","cwd":"/w","cli_version":"0.146.1"}}"#,
        "\n",
        r#"{"timestamp":"2026-08-01T10:00:01Z","type":"turn_context","payload":{"cwd":"/w","model":"gpt-5"}}"#,
        "\n",
        r#"{"timestamp":"2026-08-01T10:00:02Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"look"}]}}"#,
        "\n",
    );
    let mut stage = on(text, (100, 30));
    press(&mut stage, "C");
    shows(&stage, &["▌ · session_meta  cwd /w · cli_version 0.146.1", "  · turn_context  cwd /w · model gpt-5"]);
    press(&mut stage, "Enter");
    shows(&stage, &["▌ system · session_meta"]);
}

#[test]
fn a_record_that_no_words_say_is_shown_as_json() {
    let text = concat!(
        r#"{"type":"file-history-snapshot","messageId":"m1","snapshot":{"messageId":"m1","trackedFileBackups":{}},"isSnapshotUpdate":false}"#,
        "\n",
        r#"{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s","version":"2.0.0","isSidechain":false,"message":{"role":"user","content":"go"}}"#,
        "\n",
    );
    shows(&on(text, (160, 30)), &["system · file-history-snapshot", "\"isSnapshotUpdate\": false"]);
}

#[test]
fn what_a_call_did_comes_before_how_long_it_took() {
    let call = |name: &str, arguments: &str| {
        format!(
            "{{\"type\":\"session\",\"id\":\"s\",\"timestamp\":\"2026-05-01T10:00:00Z\"}}\n\
             {{\"type\":\"message\",\"timestamp\":\"2026-05-01T10:00:01Z\",\"message\":{{\"role\":\"assistant\",\
             \"content\":[{{\"type\":\"toolCall\",\"id\":\"c\",\"name\":\"{name}\",\"arguments\":{arguments}}}]}}}}\n\
             {{\"type\":\"message\",\"timestamp\":\"2026-05-01T10:01:01Z\",\"message\":{{\"role\":\"toolResult\",\
             \"toolCallId\":\"c\",\"content\":\"fine\"}}}}\n"
        )
    };
    let short = call("bash", r#"{"command":"make"}"#);
    shows(&on(&short, (160, 30)), &["▸ run      make", "1 line · 1m 00s"]);
    let long = on(&call("bash", r#"{"command":"python3 -m pytest tests/unit -x -q --no-header"}"#), (160, 30));
    shows(&long, &["▸ run      python3 -m", "--no-header 1 line│"]);
}

#[test]
fn the_answer_to_a_command_in_a_fence_is_in_the_row_of_its_command() {
    let text = concat!(
        r#"{"messages":[{"role":"user","content":"go"},{"role":"assistant","content":"So.\n```bash\nls\n```"},"#,
        r#"{"role":"user","content":"<returncode>1</returncode>\n<output>\nno such folder\n</output>"},"#,
        r#"{"role":"assistant","content":"done"}]}"#,
    );
    let mut stage = on(&format!("{text}\n{text}\n"), (140, 30));
    press(&mut stage, "Enter");
    shows(&stage, &["1 ▸ run      ls", "✗ exit 1"]);
    assert!(!screen(&stage).contains("2   user"), "{}", screen(&stage));
    press(&mut stage, ". l");
    shows(&stage, &["✗ result   no such folder"]);
}

#[test]
fn spans_are_listed_in_their_parents_with_what_came_of_their_calls() {
    let span = |id: &str, parent: &str, time: u32, more: &str| {
        format!(
            r#"{{"name":"{id}","context":{{"trace_id":"t","span_id":"{id}"}},"parent_id":"{parent}","start_time":"2026-05-01T10:00:0{time}Z",{more}}}"#
        )
    };
    let text = [
        span("turn", "", 0, r#""span_kind":"AGENT","attributes":{}"#),
        span("ls", "turn", 1, r#""span_kind":"TOOL","attributes":{"tool.name":"ls","output.value":"a\nb"}"#),
        span(
            "cat",
            "turn",
            2,
            r#""span_kind":"TOOL","status_code":"ERROR","attributes":{"tool.name":"cat","output.value":"no file"}"#,
        ),
    ];
    let mut stage = on(&(text.join("\n") + "\n"), (160, 30));
    press(&mut stage, ".");
    shows(&stage, &["0 · turn ", "1   ▸ ls", "2 lines", "2   ✗ cat", "✗ no file"]);
}
