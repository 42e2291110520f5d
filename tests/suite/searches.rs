//! Searches in panes: what stands in a pane is found in it.

use super::stage::{input, notice, on, press, screen, stage};
use obelus::app::Pane;
use obelus::shell::headless::Stage;

/// A value that breaks its schema at step 1 and keeps to it again at step 2.
pub(crate) const BROKEN: &str = r#"{"type":"data","kind":"trip","data":{"days":3},"schema":{"properties":{"days":{"type":"integer"}}}}
{"type":"data","kind":"trip","data":{"days":"three"}}
{"type":"data","kind":"trip","data":{"days":4}}
"#;

/// Which hit the notice speaks of, and of how many.
#[track_caller]
fn nth(stage: &Stage) -> (usize, usize) {
    let position = notice(stage).split(" · ").nth(1).and_then(|rest| rest.split(" in ").next());
    let (at, of) =
        position.and_then(|position| position.split_once(" of ")).unwrap_or_else(|| panic!("{}", notice(stage)));
    (at.parse().unwrap(), of.parse().unwrap())
}

#[test]
fn a_plan_is_searched_where_it_stands() {
    let mut stage = stage(input("report-plan.json"), (80, 24));
    press(&mut stage, ". . 7 / type:draft Enter");
    let (_, all) = nth(&stage);
    assert!(all >= 4, "{}", notice(&stage));
    // What is folded is looked at, too, and unfolded where the cursor goes.
    press(&mut stage, "X");
    let mut seen: Vec<usize> = Vec::new();
    for _ in 0..all {
        press(&mut stage, "n");
        let (at, of) = nth(&stage);
        assert_eq!(of, all);
        seen.push(at);
    }
    seen.sort_unstable();
    assert_eq!(seen, (1..=all).collect::<Vec<_>>());
    press(&mut stage, "/ type:nowhere Enter");
    assert_eq!(notice(&stage), "no nowhere in Plan");
}

#[test]
fn values_and_plots_are_searched() {
    let mut stage = stage(input("tickets-std.jsonl"), (120, 40));
    press(&mut stage, "l l l l f");
    assert_eq!(stage.app.pane, Pane::Facets);
    press(&mut stage, "/ type:2[36]0.. Enter");
    assert_eq!((nth(&stage), stage.app.table.facets.scroll.cursor), ((1, 2), 3));
    press(&mut stage, "N");
    assert_eq!((nth(&stage), stage.app.table.facets.scroll.cursor), ((2, 2), 4));
    stage.app.table.plot.is_open = Some(true);
    stage.app.pane = Pane::Plot;
    press(&mut stage, "/ type:^190 Enter");
    assert_eq!((stage.app.pane, nth(&stage), stage.app.table.plot.cursor), (Pane::Plot, (1, 1), 9));
}

#[cfg(feature = "schema")]
#[test]
fn rows_that_the_screen_shows_are_found() {
    let mut stage = on(BROKEN, (80, 24));
    press(&mut stage, "$ Tab j 4 / type:integer Enter");
    assert_eq!((nth(&stage), stage.app.inspector.history.scroll.cursor), ((1, 1), 1));
    press(&mut stage, "/ type:repaired Enter");
    assert_eq!(stage.app.inspector.history.scroll.cursor, 2);
    press(&mut stage, ": type:1 Enter 3 / type:repaired Enter");
    assert_eq!(notice(&stage), "repaired is at the top of Schema, and nowhere below", "{}", screen(&stage));
    press(&mut stage, "1 / type:schema-violation Enter");
    assert_eq!(notice(&stage), "schema-violation is at the top of Message, and nowhere below");
}

#[test]
fn a_search_of_the_state_stops_at_rows_whose_name_or_value_matches() {
    let text = r#"{"type":"state","state":{"plan":{"hotel":{"price":{"net":90,"gross":108},"seen":"booked"}},"note":"no plan"}}"#;
    let mut stage = on(&format!("{text}\n"), (120, 30));
    press(&mut stage, "Tab / type:plan Enter");
    let focus = |stage: &Stage| stage.app.session.open().unwrap().focus_reference().unwrap().0;
    let mut seen = vec![focus(&stage)];
    for _ in 0..2 {
        press(&mut stage, "n");
        seen.push(focus(&stage));
    }
    assert_eq!(seen, ["†state.plan", "†state.note", "†state.plan"], "not what only lies below a row that matches");
    for (typed, wanted) in [
        ("state.plan.hotel", "†state.plan.hotel"),
        ("gross", "†state.plan.hotel.price.gross"),
        ("booked", "†state.plan.hotel.seen"),
    ] {
        press(&mut stage, &format!("/ type:{typed} Enter"));
        assert_eq!((focus(&stage).as_str(), nth(&stage)), (wanted, (1, 1)));
    }
}

#[test]
fn a_search_goes_along_as_it_is_typed_and_comes_back() {
    let mut stage = stage(input("trip-run.jsonl"), (120, 30));
    press(&mut stage, ": type:41 Enter Tab");
    let before = (stage.app.session.focus.clone(), screen(&stage));
    press(&mut stage, "/ type:price");
    let (at, of) = nth(&stage);
    assert!(at == 1 && of > 1, "{}", notice(&stage));
    assert!(screen(&stage).contains(" in State"), "the footer says where: {}", screen(&stage));
    let found = stage.app.session.focus.clone();
    assert_ne!(found, before.0);
    // More letters look from where the prompt was opened, not from the hit of fewer.
    press(&mut stage, "Backspace Backspace type:ce");
    assert_eq!(stage.app.session.focus, found);
    press(&mut stage, "Esc");
    assert_eq!((stage.app.session.focus.clone(), screen(&stage)), before);
    press(&mut stage, "/ type:price Enter");
    assert_eq!((stage.app.session.focus.clone(), nth(&stage).0), (found, 1));
    press(&mut stage, "n");
    assert_eq!(nth(&stage).0, 2);
}

#[test]
fn a_search_of_the_steps_that_is_given_up_comes_back_to_its_step() {
    let mut stage = stage(input("trip-run.jsonl"), (120, 30));
    press(&mut stage, ": type:12 Enter / type:Dvo");
    assert_ne!(stage.app.session.focus.step, 12, "{}", screen(&stage));
    press(&mut stage, "Esc");
    assert_eq!(stage.app.session.focus.step, 12);
    // The jumps of a search that was given up are none to come back from.
    press(&mut stage, "Backspace");
    assert_eq!(stage.app.session.focus.step, 0);
}

/// What a key press costs has a bound: a large state is searched at Enter, not at each letter.
#[test]
fn a_large_state_waits_for_the_whole_pattern() {
    let members: Vec<String> = (0..30_000).map(|i| format!("\"k{i}\":{i}")).collect();
    let log = format!("{{\"type\":\"state\",\"state\":{{{}}}}}\n", members.join(","));
    let mut stage = on(&log, (100, 30));
    press(&mut stage, "Tab / type:k29999");
    assert_eq!(stage.app.session.focus.path, None, "{}", notice(&stage));
    press(&mut stage, "Enter");
    assert!(stage.app.session.focus.path.is_some() && nth(&stage) == (1, 1), "{}", notice(&stage));
}

/// The members of a document come in any order, and more is in it than steps.
#[test]
fn steps_of_one_document_are_searched_where_they_are() {
    let item = |thought: &str, action: &str, observation: &str| {
        format!(
            r#"{{"thought":"{thought}","action":"{action}","observation":"{observation}","query":[{{"role":"user","content":"needle"}}]}}"#
        )
    };
    let items = [item("I look", "ls", "a.py"), item("I run it", "python a.py", "a needle"), item("done", "submit", "")];
    let text = format!(
        r#"{{"environment":"main","trajectory":[{}],"info":{{"submission":"needle needle"}},"history":[{{"role":"system","content":"You find."}},{{"role":"user","content":"the needle, please"}}]}}"#,
        items.join(",")
    );
    let mut stage = on(&text, (120, 30));
    let step = |stage: &Stage| stage.app.session.focus.step;
    press(&mut stage, "g / type:needle Enter");
    assert_eq!((notice(&stage), step(&stage)), ("needle · 1 of 2 steps", 1), "{}", screen(&stage));
    press(&mut stage, "n");
    assert_eq!(notice(&stage), "needle · 2 of 2 steps");
    assert!(screen(&stage).contains("a needle"), "{}", screen(&stage));
}

/// What is before the first message of a record, and behind the last, is not theirs.
#[test]
fn messages_of_a_record_are_searched_where_they_are() {
    let text = r#"{"id":"needle","messages":[{"role":"user","content":"a needle"},{"role":"assistant","content":"b"}],"tag":"needle"}"#;
    let mut stage = on(&format!("{text}\n{text}\n"), (120, 30));
    press(&mut stage, "Enter / type:needle Enter");
    assert_eq!(notice(&stage), "needle · 1 of 1 step", "{}", screen(&stage));
}
