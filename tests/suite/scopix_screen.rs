//! Scopix on the screen: routes and the conversation in State, merged slots, what can follow an agent, why one failed.

use super::stage::{input, lines, notice, on, press, screen, shows};
use obelus::app::Pane;
use obelus::app::keys::Tab;

#[test]
fn state_shows_the_route_of_each_slot_and_the_conversation() {
    let mut stage = on(&pole(), (160, 45));
    press(&mut stage, "$ Tab z");
    shows(
        &stage,
        &[
            "FILE_IDS from south_search → current_image_ids",
            "conversation  filled by the slots",
            "current_image_ids       [\"img-2\",\"img-9\"]",
            "← south_results @0",
            "content_type            \"documents\"",
            "← manuals @0",
        ],
    );
    // The cursor on a field puts the slot that fills it in focus.
    press(&mut stage, "G");
    let focus = stage.app.session.focus.path.clone().map(|(identity, _)| identity.kind);
    assert_eq!(focus.as_deref(), Some("manuals"), "{}", screen(&stage));
    press(&mut stage, "k k k k h");
    assert!(screen(&stage).contains("▸ conversation"), "{}", screen(&stage));
    assert!(!screen(&stage).contains("content_type            "), "{}", screen(&stage));
    let request = r#"{"steps":[{"agent":"a","intent":"i"}],"image_ids":["1"]}"#;
    let mut stage = on(request, (120, 30));
    press(&mut stage, "Tab");
    // Where there is little room the value comes before where it is from.
    shows(&stage, &["current_image_ids", "[\"1\"]", " @0"]);
    press(&mut stage, "z");
    shows(&stage, &["current_image_ids", "[\"1\"]", "← image_ids of the pipeline @0"]);
}

/// The sample of one context, as text.
fn pole() -> String {
    std::fs::read_to_string(super::command::sample("pole-context.json")).unwrap()
}

#[test]
fn slots_are_chosen_in_state_and_merged_with_where_each_part_came_from() {
    for size in [(160, 45), (80, 24), (40, 12)] {
        let mut stage = on(&pole(), size);
        press(&mut stage, "9");
        assert_eq!(stage.app.inspector.tab, Tab::Merge);
        shows(&stage, &["all slots that merge", "FILE_IDS"]);
        while stage.app.pane != Pane::State {
            press(&mut stage, "Tab");
        }
        press(&mut stage, "v");
        assert!(notice(&stage).contains("north_results is chosen to merge; choose another one"), "{}", notice(&stage));
        shows(&stage, &["¶north_results ✓"]);
        press(&mut stage, "/ type:south_results Enter Esc v 9");
        assert_eq!(stage.app.state.chosen.len(), 2, "{}", screen(&stage));
        press(&mut stage, "z");
        shows(&stage, &["chosen: north_results, south_results", "[0] \"img-1\"  ← north_results"]);
        press(&mut stage, "G");
        shows(&stage, &["source_capability  \"SEARCH\""]);
    }
}

#[test]
fn a_merged_part_leads_to_its_slot() {
    let mut stage = on(&pole(), (120, 30));
    press(&mut stage, "9");
    while stage.app.pane != Pane::Inspector {
        press(&mut stage, "Tab");
    }
    press(&mut stage, "/ type:img-9 Enter Esc Enter");
    let focus = stage.app.session.focus.path.clone().map(|(identity, _)| identity.kind);
    assert_eq!((stage.app.pane, focus.as_deref()), (Pane::State, Some("south_results")), "{}", screen(&stage));
    let mut stage = on(r#"{"type":"state","state":{"a":1}}"#, (120, 30));
    press(&mut stage, "Tab v");
    assert!(notice(&stage).contains("v works in"), "{}", notice(&stage));
    assert!(!lines(&stage).iter().any(|line| line.contains("Merge")), "the tab is for formats that merge");
}

#[test]
fn contracts_show_what_can_follow_and_whether_it_fits() {
    let contracts = concat!(
        r#"{"contracts":[{"name":"A","capability":"search","inputs":[],"can_chain_with":["B","organization","nobody"],"#,
        r#""outputs":[{"name":"t","data_type":"TEXT"}]},{"name":"B","capability":"analysis","outputs":[],"#,
        r#""inputs":[{"name":"i","data_type":"FILE_IDS","required":false}]}]}"#
    );
    let mut stage = on(contracts, (160, 45));
    press(&mut stage, "7");
    shows(
        &stage,
        &[
            "chains with ✗ B  B: takes none of its outputs",
            "chains with   organization  no contract here",
            "chains with ✗ nobody  no such capability",
        ],
    );
}

#[test]
fn a_failed_agent_says_why_in_its_row_and_above_its_message() {
    let text = r#"{"slots":{}}
{"agent_name":"search","success":false,"outputs":{},"error":"timed out","summary":"Found 0 files"}"#;
    let mut stage = on(text, (160, 45));
    shows(&stage, &["failed: timed out · Found 0"]);
    press(&mut stage, "]e 1");
    shows(&stage, &["scopix.agent-failed the agent search failed: timed", "\"Found 0 files\""]);
    assert_eq!(stage.app.session.focus.step, 1);
}

#[test]
fn the_survey_shows_no_conversation_before_its_first_route() {
    let mut stage = super::stage::stage(input("pole-survey.jsonl"), (120, 30));
    press(&mut stage, "Tab");
    assert!(!screen(&stage).contains("conversation"));
}
