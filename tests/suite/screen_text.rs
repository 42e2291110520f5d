//! What stands on the screen after keys: hits of a search, changes out of view, hints.

use super::stage::{input, lines, notice, on, press, screen, shows, stage, step};
use obelus::app::{Layer, Msg, Notice, Pane};
use obelus::shell::headless::Stage;
use obelus::source::Input;
use obelus::text::Role;

fn trip(size: (u16, u16)) -> Stage {
    stage(input("trip-run.jsonl"), size)
}

/// What is marked as a hit, row by row, and where it begins.
fn marked(stage: &Stage) -> Vec<(u16, String)> {
    let (buffer, ground) = (stage.buffer(), stage.theme().style(Role::Match).bg);
    let mut out: Vec<(u16, String)> = Vec::new();
    for y in 0..buffer.area.height {
        let mut was_hit = false;
        for x in 0..buffer.area.width {
            let is_hit = Some(buffer[(x, y)].bg) == ground;
            match (is_hit, was_hit, out.last_mut()) {
                (true, true, Some((_, text))) => text.push_str(buffer[(x, y)].symbol()),
                (true, ..) => out.push((x, buffer[(x, y)].symbol().to_owned())),
                _ => {}
            }
            was_hit = is_hit;
        }
    }
    out
}

#[test]
fn hits_are_marked_in_every_pane_until_esc() {
    for size in [(160, 45), (120, 30), (80, 24), (40, 12)] {
        let mut stage = trip(size);
        assert!(marked(&stage).is_empty());
        press(&mut stage, "/ type:masonry Enter");
        let at = step(&stage);
        // A step whose line has no room for the hit says in its message where it is.
        press(&mut stage, "1");
        let found = marked(&stage);
        assert!(
            found.iter().any(|(_, text)| text.to_lowercase() == "masonry"),
            "{size:?}:\n{}",
            lines(&stage).join("\n")
        );
        press(&mut stage, "Esc");
        assert!(marked(&stage).is_empty());
        assert_eq!(step(&stage), at);
    }
}

#[test]
fn hits_of_the_state_are_marked_where_their_paths_stand() {
    let mut stage = trip((120, 30));
    press(&mut stage, "$ Tab / type:state.budget Enter");
    assert_eq!(marked(&stage).first().map(|(_, text)| text.as_str()), Some("state.budget"));
    press(&mut stage, "Esc / type:budget Enter");
    assert!(marked(&stage).len() > 1, "{}", lines(&stage).join("\n"));
}

#[test]
fn the_state_says_how_many_changes_are_out_of_view() {
    let mut stage = trip((120, 30));
    press(&mut stage, ": type:20 Enter . .");
    let title = |stage: &Stage| lines(stage)[1].clone();
    press(&mut stage, ",");
    assert!(title(&stage).contains("State @21 ↓ 5 changes"), "{}", title(&stage));
    press(&mut stage, "Tab");
    assert!(lines(&stage).last().unwrap().contains("]c changes"), "{:?}", lines(&stage).last());
    press(&mut stage, "] c");
    assert!(!title(&stage).contains("change"), "{}", title(&stage));
    press(&mut stage, "g");
    assert!(title(&stage).contains("↓ 5 changes"), "{}", title(&stage));
    // What is folded tells of all that is below it.
    press(&mut stage, "X g");
    assert!(!title(&stage).contains("change"), "{}", title(&stage));
    // Where panes have no titles, the line at the top tells it.
    let mut stage = trip((40, 12));
    press(&mut stage, ": type:21 Enter Tab g");
    assert!(lines(&stage)[0].contains("State ↓ 5 "), "{}", lines(&stage)[0]);
    press(&mut stage, ": type:2 Enter G");
    assert!(lines(&stage)[0].contains("State ↑ "), "{}", lines(&stage)[0]);
}

#[test]
fn a_command_that_is_not_there_runs_nothing() {
    for (size, typed) in [((120, 30), "sort"), ((40, 12), "zzzz"), ((80, 24), "2026-99-01T00:00")] {
        let mut stage = trip(size);
        press(&mut stage, "Tab j j");
        press(&mut stage, &format!(": type:{typed}"));
        press(&mut stage, "Enter");
        assert!(matches!(stage.app.layer, Some(Layer::Menu(_))), "{typed} closes the list");
        assert!(notice(&stage).starts_with(&format!("no command {typed}")), "{}", notice(&stage));
        assert!(lines(&stage).last().unwrap().contains("no command"));
        press(&mut stage, "Esc");
        assert_eq!(step(&stage), 0);
        assert!(stage.app.session.review.marks().is_empty());
    }
    // What only sounds like it can still be chosen, and names are enough.
    let mut stage = trip((120, 30));
    press(&mut stage, ": type:nxterr Enter");
    assert_eq!(step(&stage), 0);
    press(&mut stage, "Down Up Enter");
    assert_eq!(step(&stage), 39);
    press(&mut stage, ": type:prev_err Enter : type:next_err Enter");
    assert_eq!(step(&stage), 39);
}

#[test]
fn enter_shows_the_value_in_its_message_at_every_size() {
    for size in [(160, 45), (120, 14), (80, 16), (40, 12), (72, 10)] {
        let mut stage = stage(obelus::source::Input::memory("demo.jsonl", DEMO), size);
        press(&mut stage, "$ Tab / type:budget Enter Enter Enter");
        let all = lines(&stage).join("\n");
        assert!(all.contains("\"budget\": null") && all.contains("◂ this value"), "{size:?}:\n{all}");
    }
}

/// A state whose last write stands at the end of a long message.
const DEMO: &str = concat!(
    r#"{"type":"state","state":{"budget":7}}"#,
    "\n",
    r#"{"type":"state","state":{"a":{"b":1,"c":2,"d":3,"e":4,"f":5,"g":6,"h":7,"i":8,"j":9,"k":10},"budget":null}}"#,
    "\n",
    r#"{"type":"text","role":"agent","text":"done"}"#,
    "\n"
);

#[test]
fn folding_all_leaves_the_cursor_on_what_its_place_was_folded_into() {
    let mut stage = trip((120, 30));
    press(&mut stage, ": type:41 Enter Tab ] c X");
    let open = stage.app.session.open().unwrap();
    assert_eq!(open.focus_reference(), Some(("†state".to_owned(), Some("②".to_owned()))));
    drop(open);
    let all = lines(&stage);
    let under = all.iter().position(|line| line.contains("▸ ②") && line.contains("~6")).unwrap();
    assert_eq!(Some(stage.buffer()[(40, u16::try_from(under).unwrap())].bg), stage.theme().style(Role::Cursor).bg);
    // From another pane what is in focus stays there.
    let mut stage = trip((120, 30));
    press(&mut stage, ": type:41 Enter Tab ] c Esc X");
    assert!(lines(&stage).iter().any(|line| line.contains("†state.hotel.id ②")));
}

#[test]
fn user_turns_are_what_a_user_says() {
    let mut stage = trip((120, 30));
    let mut turns = Vec::new();
    for _ in 0..12 {
        press(&mut stage, "]u");
        turns.push(step(&stage));
    }
    turns.dedup();
    let said: Vec<_> = turns.iter().map(|turn| stage.app.session.open().unwrap().describe(*turn)).collect();
    assert!(turns.len() > 3 && !turns.contains(&48), "{turns:?}");
    assert!(said.iter().all(|step| step.sign == obelus::model::StepKind::Message), "{said:?}");
}

#[test]
fn a_row_is_scrolled_to_its_end_and_no_further() {
    for size in [(120, 30), (80, 24), (40, 12)] {
        let mut stage = trip(size);
        let row = |stage: &Stage| lines(stage).iter().find(|line| line.contains("▌ 1")).unwrap().clone();
        press(&mut stage, ".");
        let before = row(&stage);
        press(&mut stage, "L");
        assert!(row(&stage).contains("user") && row(&stage) != before, "number and role stay: {}", row(&stage));
        press(&mut stage, &"L ".repeat(60));
        let end = lines(&stage);
        let all: String = (0..60).fold(String::new(), |all, _| {
            let line = row(&stage);
            press(&mut stage, "H");
            line + &all
        });
        assert!(all.contains("Yūki 1,500."), "the end of the text was seen: {all}");
        assert_eq!(row(&stage), before);
        press(&mut stage, &"L ".repeat(90));
        assert_eq!(lines(&stage), end, "it stops");
        press(&mut stage, &"L ".repeat(9));
        assert_eq!(notice(&stage), "the longest row ends here");
    }
    let mut stage = trip((120, 30));
    press(&mut stage, ": type:41 Enter 1");
    press(&mut stage, &"L ".repeat(30));
    assert!(lines(&stage).iter().any(|line| line.contains("\"null\"") || line.contains("null")), "not an empty pane");
}

#[test]
fn a_list_says_all_of_the_row_under_its_cursor() {
    for size in [(160, 45), (120, 30), (80, 24), (52, 20)] {
        let mut stage = trip(size);
        press(&mut stage, "? type:filter");
        let all = lines(&stage).join(" ");
        let words: Vec<&str> = all.split_whitespace().filter(|word| *word != "│" && *word != "││").collect();
        assert!(words.join(" ").contains("jumps to any; Esc clears."), "{size:?}:\n{}", lines(&stage).join("\n"));
    }
    let mut stage = trip((120, 30));
    press(&mut stage, "? End");
    assert!(lines(&stage).iter().any(|line| line.contains("A hidden character, not sent to the terminal")));
    press(&mut stage, "Home");
    assert!(lines(&stage).iter().any(|line| line.contains("In this pane")));
    press(&mut stage, "C-u type:previous");
    let all = lines(&stage);
    assert!(all.iter().any(|line| line.contains("previous change of this step  Go to")), "{}", all.join("\n"));
}

#[test]
fn tabs_show_their_keys_and_small_screens_say_how_to_get_on() {
    let mut wide = trip((200, 45));
    assert!(lines(&wide)[1].contains(" 1 Message "), "{}", lines(&wide)[1]);
    assert!(lines(&wide)[1].contains(" 7 Plan"), "{}", lines(&wide)[1]);
    press(&mut wide, "4");
    assert_eq!(wide.app.inspector.tab, obelus::app::keys::Tab::History);
    for pane in ["", "Tab", "Tab Tab"] {
        for size in [(40, 12), (80, 24), (160, 45)] {
            let mut stage = trip(size);
            press(&mut stage, pane);
            let footer = lines(&stage).last().unwrap().clone();
            assert!(footer.contains("Tab pane") && footer.contains("? help"), "{footer}");
        }
    }
}

#[test]
fn what_works_elsewhere_says_where_and_short_screens_show_the_filter() {
    let mut stage = trip((80, 12));
    press(&mut stage, "& type:tool:*Hotel* Enter");
    assert!(lines(&stage)[0].contains("14/66  tool:*Hotel*"), "{}", lines(&stage)[0]);
    press(&mut stage, "p");
    assert_eq!(notice(&stage), "p works in State; Tab goes there");
    press(&mut stage, "Esc K");
    assert_eq!(notice(&stage), "K does nothing here; ? lists the keys");
    press(&mut stage, "A");
    assert_eq!(notice(&stage), "A works in the table of a dataset; ? lists the keys here");
}

#[test]
fn a_format_without_state_gives_its_room_to_the_message() {
    let text = concat!(r#"{"level":"info","msg":"started"}"#, "\n", r#"{"level":"warn","msg":"slow"}"#, "\n");
    for size in [(160, 45), (100, 30), (80, 24)] {
        let mut stage = stage(obelus::source::Input::memory("log.jsonl", text), size);
        let all = lines(&stage).join("\n");
        assert!(all.contains("\"started\"") && !all.contains("State"), "{all}");
        press(&mut stage, "Tab");
        assert_eq!(stage.app.pane, Pane::Inspector);
        press(&mut stage, "Tab");
        assert_eq!(stage.app.pane, Pane::Steps);
    }
}

#[test]
fn a_text_that_goes_on_does_not_begin_where_signs_stand() {
    let mut stage = trip((120, 30));
    press(&mut stage, ": type:23 Enter 2 G");
    let all = lines(&stage);
    let (at, _) = all.iter().enumerate().rfind(|(_, line)| line.contains("Good. Yūki")).unwrap();
    let inside = |line: &str| line.chars().skip(81).collect::<String>();
    assert!(inside(&all[at + 1]).starts_with("   "), "{}", all.join("\n"));
    assert!(!inside(&all[at + 1]).trim().is_empty());
}

#[test]
fn a_long_notice_is_read_whole_until_the_next_key() {
    let mut stage = stage(input("trip-run.jsonl"), (40, 12));
    press(&mut stage, "$ Tab j j w");
    let message = notice(&stage).to_owned();
    assert!(message.len() > 60, "{message}");
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let at_bottom = |rows: usize| words(&lines(&stage)[12 - rows..].join(" "));
    assert!((2..6).any(|rows| at_bottom(rows) == words(&message)), "{message}\n{}", screen(&stage));
    press(&mut stage, "k");
    assert!(lines(&stage)[10].starts_with(" 0 "), "the timeline is back: {}", screen(&stage));
    // What is longer than the screen allows says that it goes on.
    stage.app.notice = Some(Notice { is_error: true, text: "a word, ".repeat(100) });
    stage.send(Msg::Resize(40, 12));
    let all = lines(&stage);
    assert!(!all[5].contains("a word") && all[6].starts_with(" a word") && all[11].ends_with('…'), "{all:#?}");
}

/// D21: the State pane shows at a web observation whether the page changed.
#[test]
fn a_page_that_changed_is_marked_in_the_state() {
    let page = |axtree: &str| {
        format!(
            r#"{{"class_":"web_observation","html":null,"url":"u","image_observation":null,"viewport_size":[1,1],"axtree":"{axtree}"}}"#
        )
    };
    let items = [page("first"), page("first"), page("second")].join(",");
    let mut stage = on(&format!(r#"{{"id":"a","schema_version":"1.5.0","content":[{items}]}}"#), (160, 45));
    let is_marked = |stage: &Stage| {
        let row = lines(stage).into_iter().find(|line| line.contains("axtree")).unwrap_or_default();
        row.contains('~')
    };
    press(&mut stage, "g .");
    assert!(!is_marked(&stage), "{}", screen(&stage));
    press(&mut stage, ".");
    assert!(is_marked(&stage), "{}", screen(&stage));
}

#[test]
fn a_run_without_state_does_not_speak_of_the_pane_that_it_has_not() {
    let spans = r#"[{"traceId":"t","spanId":"a","name":"chat m","startTimeUnixNano":"1","endTimeUnixNano":"2",
        "attributes":{"gen_ai.operation.name":"chat","gen_ai.completion.0.content":"hi"}}]"#;
    let mut stage = stage(Input::memory("spans.json", spans), (120, 30));
    press(&mut stage, "g");
    let shown = lines(&stage).join("\n");
    assert!(shown.contains("no state but for model, steps and tokens") && !shown.contains("State"), "{shown}");
}

/// The three panes of 120 columns leave the list of steps 34 cells.
#[test]
fn names_that_begin_alike_differ_in_a_narrow_list() {
    let events = ["session.start", "session.mode_changed", "session.model_change"].map(|kind| {
        let data = r#"{"sessionId":"s1","copilotVersion":"1.0","context":{"cwd":"/w"},"previousMode":"plan"}"#;
        format!(r#"{{"type":"{kind}","data":{data},"id":"{kind}","timestamp":"2026-01-01T00:00:00Z","parentId":null}}"#)
    });
    let stage = on(&events.join("\n"), (120, 30));
    shows(&stage, &["0 · session.start ", "1 · …mode_changed ", "2 · …model_change "]);
}

#[test]
fn a_filter_that_no_step_passes_says_so_in_a_narrow_list() {
    let mut stage = trip((120, 30));
    press(&mut stage, "& type:zzzz Enter");
    shows(&stage, &[" No step matches the filter. ", " Esc clears it, & changes it. "]);
}

#[test]
fn schemas_have_a_tab_where_there_are_some() {
    let tabs = |line: &str| screen(&on(line, (160, 45))).contains("3 Sch");
    let message = r#"{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"ho"}]"#;
    assert!(!tabs(&format!("{message}}}")));
    assert!(tabs(&format!(
        r#"{message},"tools":[{{"type":"function","function":{{"name":"f","parameters":{{}}}}}}]}}"#
    )));
    assert!(!tabs(r#"{"type":"data","kind":"p","data":{"a":1}}"#));
    assert!(tabs(r#"{"type":"data","kind":"p","schema":{"type":"object"},"data":{"a":1}}"#));
}

#[test]
fn what_was_never_cached_is_not_counted() {
    let lines = |usage: &str| {
        let message = format!(r#"{{"id":"m","role":"assistant","content":[{{"type":"text","text":"hi"}}],{usage}}}"#);
        let head = r#""isSidechain":false,"sessionId":"s1","version":"2.1.0","cwd":"/w""#;
        format!(r#"{{"type":"assistant","uuid":"u",{head},"message":{message}}}"#)
    };
    let plain = on(&lines(r#""usage":{"input_tokens":10,"output_tokens":3,"cache_read_input_tokens":0}"#), (160, 45));
    shows(&plain, &["10 in · 3 out"]);
    assert!(!screen(&plain).contains("cached"), "{}", screen(&plain));
    shows(
        &on(&lines(r#""usage":{"input_tokens":10,"output_tokens":3,"cache_read_input_tokens":7}"#), (160, 45)),
        &["7 cached"],
    );
}

#[test]
fn the_line_on_the_value_in_focus_says_how_to_get_one_from_where_the_cursor_is() {
    let mut stage = trip((120, 30));
    press(&mut stage, "$");
    shows(&stage, &["no value in focus · move to one in State"]);
    press(&mut stage, "Tab");
    shows(&stage, &["no value in focus · move the cursor"]);
    // What is about a value takes the one under the cursor.
    let mut stage = on(r#"{"type":"data","kind":"p","data":{"a":1}}"#, (120, 30));
    press(&mut stage, "Tab w");
    assert!(notice(&stage).starts_with("watching"), "{}", notice(&stage));
}

#[test]
fn the_value_in_focus_has_room_beside_a_long_path() {
    let line = r#"{"type":"data","kind":"state","data":{"a_long_name":{"another_long_name":{"a_third":12345}}}}"#;
    for cells in [20, 24, 30] {
        let mut stage = on(line, (cells, 12));
        press(&mut stage, "Tab G");
        shows(&stage, &["  12345"]);
    }
}

#[test]
fn what_failed_is_asked_of_the_run_once_for_all_frames() {
    let mut stage = stage(input("fix-session.jsonl"), (120, 30));
    let known = stage.app.session.open().unwrap().failed_steps();
    assert_eq!(known.failed, [6, 15]);
    press(&mut stage, ". . ]e 6 1");
    let later = stage.app.session.open().unwrap().failed_steps();
    assert!(std::rc::Rc::ptr_eq(&known, &later), "the header and the timeline of each frame read the same lists");
}
