//! What panes say of a value: what it was, who removed it, where it came from, why a call waits.

use super::stage::{notice, on, press, screen, shows, step};
use obelus::app::initial_position::Start;
use obelus::app::{Effect, Msg, Pane};
use obelus::shell::headless::Stage;

/// A value that was handed on from step to step, then replaced with all around it.
const HANDED_ON: &str = r#"{"type":"input","input":{"seed":"Lisbon-42"}}
{"type":"data","kind":"a","data":{"v":"Lisbon-42"},"_call":{"_tool":"first","arg":"†input.seed"}}
{"type":"data","kind":"b","data":{"v":"Lisbon-42"},"_call":{"_tool":"second","arg":"†a.v"}}
{"type":"data","kind":"out","data":{"x":{"y":"Lisbon-42","z":["Lisbon-42",1]}},"_call":{"_tool":"last","arg":"†b.v"}}
{"type":"data","kind":"out","data":{"x":null},"_call":{"_tool":"wipe"}}
{"type":"data","kind":"out","data":{"x":{"y":1}},"_call":{"_tool":"last"}}
{"type":"state","state":{"list":[1,2,3]}}
"#;

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
fn a_value_too_long_to_copy_says_which_command_prints_it() {
    let text = format!(r#"{{"type":"state","state":{{"a":"{}"}}}}"#, "x".repeat(70_000));
    let mut stage = on(&text, (100, 30));
    stage.app.start = Some(Start { path: Some("state.a".into()), ..Start::default() });
    press(&mut stage, "j");
    stage.app.pane = Pane::State;
    press(&mut stage, "y");
    let message = notice(&stage);
    assert!(message.contains("`obelus resolve FILE †state.a --step 0` prints it"), "{message}");
}

#[test]
fn what_takes_the_place_of_something_else_says_what_that_was() {
    let mut stage = on(HANDED_ON, (120, 30));
    press(&mut stage, ": type:4 Enter");
    shows(&stage, &["~    x     null  was {2 values}"]);
    press(&mut stage, ".");
    shows(&stage, &["▾ x    was null", "+     y    1"]);
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
    assert_eq!(seen, wanted.map(|(step, focus, text)| (step, focus.to_owned(), text.to_owned())));
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
    press(&mut stage, "Tab $");
    assert_eq!((line(&stage).matches('◈').count(), line(&stage).matches('│').count()), (0, 1), "{}", line(&stage));
}

#[test]
fn esc_and_q_lead_back_from_instances() {
    let set =
        |i: &str, n: u8| format!("{{\"type\":\"data\",\"kind\":\"k\",\"_instance\":\"{i}\",\"data\":{{\"n\":{n}}}}}\n");
    let mut stage = on(&format!("{}{}{}", set("①", 1), set("②", 2), set("①", 3)), (120, 30));
    for key in ["Esc", "q", "I"] {
        press(&mut stage, "$ I");
        shows(&stage, &["Instances @2"]);
        press(&mut stage, key);
        assert!(!stage.app.columns.is_on && stage.app.pane == Pane::State, "{key}");
    }
}

#[test]
fn deep_values_are_seen_and_their_end_is_reported() {
    let deep = (0..40).fold("\"leafvalue\"".to_owned(), |inner, i| format!("{{\"key{i}\":{inner}}}"));
    let mut stage = on(&format!("{{\"type\":\"state\",\"state\":{deep}}}\n"), (80, 24));
    press(&mut stage, "Tab / type:leafvalue Enter Esc");
    let screen = screen(&stage);
    let rows: Vec<&str> = screen.lines().filter(|line| line.contains("\"leafvalue\"")).collect();
    assert_eq!(rows.len(), 2, "in its row and in the sentence on it:\n{screen}");
    assert!(rows[0].contains("key0") && rows[1].contains(".key0") && rows[1].contains("set @0"), "{rows:?}");
}

#[test]
fn the_llm_view_stays_where_one_looks() {
    let say = |i: usize| match i {
        3 => "{\"type\":\"state\",\"state\":{}}\n".to_owned(),
        _ => format!("{{\"type\":\"text\",\"role\":\"user\",\"text\":\"said {i}\"}}\n"),
    };
    let text: String = (0..60).map(say).collect();
    let mut stage = on(&text, (80, 24));
    press(&mut stage, ": type:40 Enter 2 .");
    shows(&stage, &["said 41"]);
    press(&mut stage, ". . .");
    shows(&stage, &["said 44"]);
    press(&mut stage, "g .");
    shows(&stage, &["said 0"]);
}

#[test]
fn instances_are_compared_from_the_one_in_focus() {
    let set =
        |i: usize| format!("{{\"type\":\"data\",\"kind\":\"k\",\"_instance\":\"i{i}\",\"data\":{{\"n\":{i}}}}}\n");
    let text: String = (0..5).map(set).collect();
    let mut stage = on(&text, (120, 30));
    press(&mut stage, "$ J");
    shows(&stage, &["¶k i0 → i1 @4", "pair 1 of 10 of ¶k"]);
    let mut stage = on(&text, (120, 30));
    press(&mut stage, "$ Tab G J");
    shows(&stage, &["¶k i0 → i4 @4", "pair 1 of 10 of ¶k"]);
    press(&mut stage, "J");
    shows(&stage, &["¶k i1 → i4 @4", "pair 2 of 10 of ¶k"]);
    let mut seen: Vec<String> = Vec::new();
    for _ in 2..10 {
        press(&mut stage, "J");
        seen.extend(screen(&stage).lines().find_map(|line| {
            Some(line.split("¶k i").find(|part| part.contains(" → "))?.split(" @4").next()?.to_owned())
        }));
    }
    assert_eq!(notice(&stage), "pair 10 of 10 of ¶k; the same key goes on");
    seen.sort();
    seen.dedup();
    press(&mut stage, "J");
    assert_eq!((seen.len(), notice(&stage)), (8, "the Diff tab compares steps again"));
    assert!(
        stage.app.session.focus.path.as_ref().is_some_and(|(identity, _)| identity.instance.as_deref() == Some("i4"))
    );
    stage.app.pane = Pane::State;
    let effects = stage.send(Msg::Key("Y".parse().unwrap()));
    let copied = effects.iter().find_map(|effect| match effect {
        Effect::Copy(text) => Some(text.as_str()),
        _ => None,
    });
    assert_eq!(copied, Some("†k.n --instance i4"));
    press(&mut stage, "w");
    assert!(notice(&stage).starts_with("watching †k.n i4;"), "{}", notice(&stage));
}

#[test]
fn a_long_line_being_typed_shows_the_part_around_its_cursor() {
    for size in [(80, 24), (40, 12)] {
        let mut stage = on(HANDED_ON, size);
        press(&mut stage, &format!("/ type:begin{}end", "x".repeat(120)));
        let footer = |stage: &Stage| screen(stage).lines().last().unwrap().to_owned();
        assert!(footer(&stage).starts_with(" /…x") && footer(&stage).ends_with("xend"), "{}", footer(&stage));
        press(&mut stage, "Left Left");
        assert!(footer(&stage).ends_with("xend"), "{}", footer(&stage));
        press(&mut stage, "Home");
        assert!(footer(&stage).starts_with(" /beginxx") && footer(&stage).ends_with('…'), "{}", footer(&stage));
    }
}

#[test]
fn empty_panes_speak_of_what_is_there() {
    let mut stage = on("{\"a\":1}\n{\"b\":{\"c\":1}}\n", (80, 24));
    press(&mut stage, "4");
    shows(&stage, &["No state in these records."]);
    press(&mut stage, "3");
    shows(&stage, &["No state in these records."]);
    press(&mut stage, ". 1 X");
    shows(&stage, &["1 member"]);
    assert!(!screen(&stage).contains("1 members"));
    let stage = on("not json at all\n", (80, 24));
    assert!(!screen(&stage).contains("other records"), "{}", screen(&stage));
    let stage = on("", (80, 24));
    shows(&stage, &["the input holds no records"]);
}

#[test]
fn texts_of_lines_differ_line_by_line() {
    let text = |lines: &[&str]| {
        let all = (0..40)
            .map(|i| lines.get(i - i.min(20)).filter(|_| i >= 20).map_or(format!("line {i}"), |l| (*l).to_owned()));
        let all: Vec<String> = all.collect();
        format!("{{\"type\":\"state\",\"state\":{{\"t\":\"{}\"}}}}\n", all.join("\\n"))
    };
    let mut stage = on(&(text(&["old 20", "", "x"]) + &text(&["new 20", "", "x"])), (100, 30));
    press(&mut stage, ". 5");
    let screen = screen(&stage);
    let rows = screen.lines().filter_map(|line| line.split('┊').nth(1).map(|_| line.rsplit("││").next().unwrap()));
    let rows: Vec<String> = rows.map(|row| row.trim_end_matches(['│', ' ']).to_owned()).collect();
    let wanted = [
        "     ┊ …",
        "     ┊ line 19",
        "   − ┊ old 20",
        "     ┊",
        "     ┊ …   @0",
        "     ┊ …",
        "     ┊ line 19",
        "   + ┊ new 20",
        "     ┊",
        "     ┊ …   @1",
    ];
    assert_eq!(rows, wanted, "{screen}");
}

#[cfg(feature = "schema")]
#[test]
fn instances_show_what_breaks_their_schema_and_what_they_do_not_have() {
    let set = |i: &str, data: &str, more: &str| {
        format!("{{\"type\":\"data\",\"kind\":\"k\",\"_instance\":\"{i}\",\"data\":{{{data}}}{more}}}\n")
    };
    let schema = r#","schema":{"properties":{"n":{"type":"integer"}}}"#;
    let mut stage = on(&(set("a", "\"n\":1", schema) + &set("b", "\"n\":\"x\",\"m\":2", schema)), (100, 24));
    press(&mut stage, "$ I");
    shows(&stage, &["✗\"x\""]);
    press(&mut stage, "j h Enter");
    shows(&stage, &["—"]);
    assert_eq!(notice(&stage), "this instance has no such value at this step", "{}", screen(&stage));
}

#[test]
fn long_keys_of_deep_values_leave_room_for_the_values() {
    let text = r#"{"type":"state","state":{"a":{"b":{"c":{"one_of_the_longest_keys":"seen","k":42}}},"plain":"word"}}"#;
    for width in [80, 120, 160] {
        let mut stage = on(text, (width, 30));
        press(&mut stage, ": type:0 Enter");
        shows(&stage, &["\"seen\" ", " 42 ", "\"word\" "]);
    }
}

#[test]
fn the_state_of_a_log_of_several_runs_is_as_wide_as_that_of_one() {
    let session = r#"{"id":"s","app_name":"a","user_id":"u","state":{"k":1},"events":[
        {"id":"e","author":"user","content":{"role":"user","parts":[{"text":"hi"}]},"timestamp":1.0}]}"#;
    let stage = on(session, (120, 36));
    let layout = stage.app.layout();
    assert!(layout.inside(Pane::State).width >= layout.inside(Pane::Steps).width, "{layout:?}");
}

#[test]
fn a_folder_has_the_room_that_no_command_needs() {
    let line = r#"{"type":"user","sessionId":"s","version":"2.1.0","isSidechain":false,"cwd":"/home/someone/project","uuid":"a","parentUuid":null,"timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":"hi"}}"#;
    let mut stage = on(line, (120, 30));
    press(&mut stage, ": type:0 Enter");
    shows(&stage, &["¶shell  /home/someone/project "]);
}

/// A run of many long messages: more than is laid out at once.
fn long_context(count: usize) -> String {
    let say = |i: usize| {
        if i == 3 {
            return "{\"type\":\"state\",\"state\":{}}\n".to_owned();
        }
        let words = if i == 7 { "needle" } else { "said" };
        format!("{{\"type\":\"text\",\"role\":\"user\",\"text\":\"{words} {i} {}end_{i}\"}}\n", "word ".repeat(60))
    };
    (0..count).map(say).collect()
}

#[test]
fn all_of_a_long_context_is_reached_by_scrolling() {
    let mut stage = on(&long_context(1_500), (80, 24));
    press(&mut stage, "$ 2");
    let laid_out = |stage: &Stage| stage.app.inspector.llm.text.lines().len();
    assert!((100..2_500).contains(&laid_out(&stage)), "{}", laid_out(&stage));
    shows(&stage, &["end_1499"]);
    press(&mut stage, "g");
    shows(&stage, &["said 0"]);
    assert!(laid_out(&stage) < 2_500);
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..1_200 {
        for word in screen(&stage).split("end_").skip(1) {
            let number: String = word.chars().take_while(char::is_ascii_digit).collect();
            seen.extend(number.parse::<usize>());
        }
        if seen.contains(&1_499) {
            break;
        }
        press(&mut stage, "PageDown");
    }
    assert_eq!(seen.len(), 1_499, "page by page every message comes by once");
    press(&mut stage, "k k k k k k k k g G");
    shows(&stage, &["end_1499"]);
    for _ in 0..100 {
        press(&mut stage, "PageUp");
    }
    press(&mut stage, ", ,");
    assert!(!screen(&stage).contains("end_1497"), "it stays where one looks:\n{}", screen(&stage));
}

#[test]
fn a_search_finds_what_of_a_long_context_is_not_laid_out() {
    let mut stage = on(&long_context(1_500), (80, 24));
    press(&mut stage, "$ 2 / type:needle Enter");
    shows(&stage, &["needle 7", "needle · in entry 8 of 1,500"]);
    press(&mut stage, "n");
    shows(&stage, &["needle 7"]);
    press(&mut stage, "G / type:needle");
    shows(&stage, &["needle 7"]);
    press(&mut stage, "Esc");
    shows(&stage, &["end_1499"]);
    press(&mut stage, "/ type:nowhere Enter");
    shows(&stage, &["nothing else matches nowhere", "end_1499"]);
}

#[test]
fn hints_name_the_keys_in_force() {
    use obelus::app::keys::{Action, Binding, Keymap};
    let bind = |action, key: &str| Binding { context: None, action, keys: vec![key.to_owned()] };
    let bindings = [bind(Action::StepNext, "M-n"), bind(Action::WriteNext, "F6"), bind(Action::Live, "F7")];
    let mut stage = on(
        "{\"type\":\"text\",\"role\":\"user\",\"text\":\"a\"}\n{\"type\":\"state\",\"state\":{\"a\":1}}\n",
        (120, 30),
    );
    stage.app.keymap = Keymap::with(&bindings).unwrap();
    press(&mut stage, "0");
    shows(&stage, &["Step on with `M-n`, or press `F6` for"]);
    press(&mut stage, "F7 F7");
    assert_eq!(notice(&stage), "paused: steps that come are counted; F7 goes on");
}

#[test]
fn records_of_no_format_are_not_called_sound_before_they_are_read() {
    let mut stage = on("{\"a\":1}\n{\"b\":}\n{\"c\":3}\n", (120, 30));
    shows(&stage, &["✗ 1 error"]);
    press(&mut stage, "6");
    shows(&stage, &["1 error", "@1 data.invalid-json"]);
    press(&mut stage, "]e");
    assert_eq!(step(&stage), 1);
    assert!(notice(&stage).starts_with("step 1: the record is not valid JSON: "), "{}", notice(&stage));
    let mut stage = on("{\"a\":1}\n{\"c\":3}\n", (120, 30));
    press(&mut stage, "6");
    shows(&stage, &["No findings.", "Every record is JSON;"]);
    // More than is read before it is shown.
    let line = format!("{{\"a\":\"{}\"}}\n", "x".repeat(5 << 20));
    let mut stage = on(&format!("{line}{line}"), (120, 30));
    press(&mut stage, "6");
    shows(&stage, &["No findings so far.", "From step 1 on", "`obelus check FILE` reads all of them."]);
}
