//! What a small screen leaves of keys, titles and failures, and what it must not cut off.

use super::growing::{Growing, many};
use super::stage::{has, input, lines, notice, on, press, screen, shows, stage};
use obelus::app::{Msg, Pane};
use obelus::panes::timeline;
use obelus::shell::headless::Stage;
use obelus::source::Input;

fn coding(size: (u16, u16), keys: &str) -> Stage {
    let mut stage = on(include_str!("../data/coding-run.jsonl"), size);
    press(&mut stage, keys);
    stage
}

fn tickets(size: (u16, u16), keys: &str) -> Stage {
    let mut stage = stage(input("tickets-std.jsonl"), size);
    press(&mut stage, keys);
    stage
}

#[test]
fn a_value_below_long_keys_has_cells_in_a_narrow_tree() {
    let data = r#"{"configuration":{"authentication":{"session_token_value":"sk-123456","retries":3}}}"#;
    let line = format!(r#"{{"type":"data","kind":"settings","data":{data}}}"#);
    for (width, wanted) in [(20, "\"sk-"), (24, "\"sk-"), (30, "\"sk-1"), (40, "\"sk-123456\"")] {
        let mut stage = on(&line, (width, 12));
        press(&mut stage, "Tab E");
        let row = lines(&stage).into_iter().find(|row| row.contains("sess")).unwrap_or_default();
        assert!(row.contains(wanted), "{width}: {row:?} on\n{}", screen(&stage));
    }
}

#[test]
fn the_tab_in_front_has_its_name_and_the_others_their_keys() {
    for (size, wanted) in [((40, 12), "4 History"), ((120, 30), "4 History"), ((24, 12), "4 History")] {
        let stage = coding(size, "4");
        let tabs = lines(&stage).into_iter().find(|line| line.contains(wanted)).unwrap_or_default();
        let words: Vec<&str> = tabs.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| word.len() > 1).collect();
        let names = ["Steps", "State", "Message", "Msg", "LLM", "Sch", "History", "Hist", "Diff", "Find", "Findings"];
        assert!(words.iter().all(|word| names.contains(word) || ["Plan", "Loss", "File"].contains(word)), "{words:?}");
        assert!(tabs.contains("1 ") && tabs.contains('5'), "{tabs}");
    }
}

#[test]
fn that_a_call_failed_on_a_file_is_not_cut_off() {
    for size in [(40, 12), (44, 12), (60, 16), (80, 24), (120, 30)] {
        let mut stage = coding(size, "$ 9 9");
        assert!(has(&stage, "✗"), "{size:?}\n{}", screen(&stage));
        assert!(!lines(&stage).iter().any(|line| line.contains("? @…") || line.contains("? …")), "{}", screen(&stage));
        stage.app.pane = Pane::State;
        press(&mut stage, "j");
        assert!(!lines(&stage).iter().any(|line| line.contains("? @…") || line.contains("? …")), "{}", screen(&stage));
    }
}

#[test]
fn values_and_plot_name_the_way_back_to_the_table() {
    for size in [(40, 12), (80, 24), (160, 45)] {
        for keys in ["f", "p"] {
            let mut stage = tickets(size, "l l l");
            press(&mut stage, keys);
            stage.app.pane = if keys == "f" { Pane::Facets } else { Pane::Plot };
            shows(&stage, &["Esc table"]);
            press(&mut stage, "Esc");
            assert_eq!(stage.app.pane, Pane::Table, "{size:?} {keys}");
        }
    }
}

#[test]
fn a_trajectory_of_a_dataset_names_the_way_back_and_on() {
    for (size, wanted) in [((120, 30), &["q table", "} next trajectory"][..]), ((80, 24), &["q table"][..])] {
        let stage = tickets(size, "Enter");
        shows(&stage, wanted);
    }
    for (keys, wanted) in [("a", "q back"), ("D j D", "q close")] {
        let mut table = stage(input("desk-rollouts.jsonl"), (80, 24));
        press(&mut table, keys);
        shows(&table, &[wanted]);
        press(&mut table, "q");
        assert_eq!(table.app.pane, Pane::Table, "{keys}");
    }
    let run = stage(input("trip-run.jsonl"), (160, 45));
    assert!(has(&run, "q quit") && !has(&run, "next trajectory"), "{}", screen(&run));
}

#[test]
fn a_zoomed_pane_names_the_way_back() {
    for size in [(80, 24), (160, 45)] {
        let mut stage = coding(size, "Tab z");
        shows(&stage, &["z all panes"]);
        press(&mut stage, "z");
        assert!(!has(&stage, "all panes"), "{}", screen(&stage));
    }
}

#[test]
fn the_name_of_the_input_does_not_touch_what_is_at_the_right() {
    let record = r#"{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"ho"}]}"#;
    let name = "a-rather-long-name-of-a-session.session.json";
    for width in [30, 40, 60, 72, 80, 100] {
        let mut stage = stage(Input::memory(name, format!("{record}\n{record}\n")), (width, 24));
        press(&mut stage, "= Enter");
        let header = lines(&stage)[0].clone();
        let right = header.find("trajectory 0").or_else(|| header.find("#0")).unwrap_or_else(|| panic!("{header}"));
        assert!(header[..right].ends_with(' '), "{width}: {header}");
        let alone = super::stage::stage(Input::memory(name, record), (width, 24));
        assert!(!has(&alone, "trajectory 0 of") && !has(&alone, "#0"), "{}", screen(&alone));
    }
}

#[test]
fn the_header_counts_failures_where_there_is_room() {
    let mut shown = stage(input("fix-session.jsonl"), (80, 24));
    assert!(lines(&shown)[0].contains("step 0 of 0–26  ✗ 2 failed"), "{}", lines(&shown)[0]);
    press(&mut shown, "q");
    let header = &lines(&stage(input("fix-session.jsonl"), (60, 24)))[0];
    assert!(header.contains("step 0 of 0–26"), "{header}");
}

#[test]
fn in_the_table_keys_lead_from_finding_to_finding() {
    let mut stage = tickets((120, 30), "]f");
    let record = |stage: &Stage| stage.app.table.scroll.cursor;
    let mut found = vec![record(&stage)];
    for _ in 0..20 {
        press(&mut stage, "]f");
        found.push(record(&stage));
    }
    assert_eq!(notice(&stage), "no later record with a finding");
    found.dedup();
    assert!(found.len() > 1 && found.windows(2).all(|pair| pair[0] < pair[1]), "{found:?}");
    let issues = |row: usize| stage.app.table.facts(row).is_some_and(|facts| facts.errors + facts.warnings > 0);
    assert!(found.iter().all(|row| issues(*row)), "{found:?}");
    press(&mut stage, "g [e");
    assert_eq!(notice(&stage), "no earlier record with an error");
}

#[test]
fn a_filter_is_whole_in_a_narrow_header() {
    let stage = tickets((40, 12), "& type:steps>2 Enter");
    let header = lines(&stage)[0].clone();
    assert!(header.contains("steps>2") && !header.contains('›'), "{header}");
}

#[test]
fn a_run_that_grows_unseen_names_the_way_to_its_end() {
    let mut live = Growing::new(&many(20));
    live.stage.send(Msg::Resize(80, 24));
    live.append(&many(2));
    assert!(live.header().contains("○ live") && has(&live.stage, "F follow"), "{}", screen(&live.stage));
    press(&mut live.stage, "$");
    live.append(&many(2));
    assert!(live.header().contains("● live") && !has(&live.stage, "F follow"), "{}", screen(&live.stage));
    press(&mut live.stage, "k");
    live.append(&many(2));
    assert!(live.header().contains("paused") && has(&live.stage, "F follow"), "{}", screen(&live.stage));
}

#[test]
fn the_timeline_fills_while_a_file_is_read_and_does_not_move() {
    for is_live in [false, true] {
        timeline_fills(is_live);
    }
}

/// A file that is read for the first time, and perhaps written meanwhile.
fn timeline_fills(is_live: bool) {
    let bar = |live: &Growing| lines(&live.stage).into_iter().find(|line| line.starts_with(" 0 ")).unwrap_or_default();
    let mut live = Growing::new(&many(300));
    live.stage.app.session.live.known = None;
    live.stage.send(Msg::Progress { is_complete: false, is_live });
    let before = bar(&live);
    assert!(before.trim_end().ends_with('…'), "{before}");
    live.push(&many(20));
    live.stage.send(Msg::Progress { is_complete: false, is_live });
    let after = bar(&live);
    let filled = before.trim_end_matches([' ', '…']).chars().count();
    assert!(filled > 20 && filled < 110, "{before}");
    let start = |text: &str| text.chars().take(filled - 1).collect::<String>();
    assert_eq!(start(&before), start(&after), "what is there stays where it is");
    let header = live.header();
    assert!(is_live || header.contains("≥319") && header.contains("reading"), "{header}");
    assert!(!live.header().contains("320 steps"), "one count is enough: {}", live.header());
    let (first, len) = live.stage.app.session.open().map(|open| timeline::track(&open, 120)).unwrap();
    press(&mut live.stage, "0");
    let end = live.stage.app.session.open().and_then(|open| timeline::step_at(&open, 120, first + len - 1));
    assert_eq!(end, Some(319), "a click behind what is read leads to the last step that is");
    assert_eq!(notice(&live.stage), "");
}

#[test]
fn the_reward_of_attempts_is_in_a_narrow_table() {
    let mut stage = stage(input("desk-rollouts.jsonl"), (40, 12));
    let rows = lines(&stage);
    assert!(rows[1].contains("steps  reward"), "{}", screen(&stage));
    assert!(rows[2].contains("7       1") && rows[3].contains("7       0"), "{}", screen(&stage));
    press(&mut stage, "l");
    shows(&stage, &["▸finish", "reward"]);
}

#[test]
fn an_open_attempt_says_its_reward() {
    for (size, wanted) in [((160, 45), "reward 0  step 0"), ((80, 24), "reward 0  step 0")] {
        let mut stage = stage(input("desk-rollouts.jsonl"), size);
        press(&mut stage, "j Enter");
        assert!(lines(&stage)[0].contains(wanted), "{}", screen(&stage));
    }
}

#[test]
fn a_drag_beside_the_timeline_leads_to_its_first_or_last_step() {
    let stage = stage(input("trip-run.jsonl"), (120, 30));
    let open = stage.app.session.open().unwrap();
    let (start, len) = timeline::track(&open, 120);
    let near = |column| timeline::step_near(&open, 120, column);
    assert_eq!([start - 1, start].map(near), [Some(0); 2]);
    assert_eq!([start + len, start + len + 1].map(near), [Some(open.last()); 2]);
}
