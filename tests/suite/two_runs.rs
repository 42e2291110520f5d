//! Two runs side by side, played on the stage: chosen in the table and in the files, walked through, left again.

use super::stage::{has, lines, notice, on, press, shows};
use obelus::app::{Effect, Msg, Pane};
use obelus::panes::two_runs::{Pairing, RunPlace};
use obelus::shell::headless::Stage;
use obelus::text::Role;
use std::fmt::Write;
use std::fs;

/// Records of one task: each runs these commands, with a result of each.
fn dataset(runs: &[&[(&str, &str)]]) -> String {
    let mut out = String::new();
    for (number, commands) in runs.iter().enumerate() {
        let mut messages = vec![r#"{"role":"user","content":"go"}"#.to_owned()];
        for (i, (command, text)) in commands.iter().enumerate() {
            let arguments = format!(r#"{{\"command\":\"{command}\"}}"#);
            let function = format!(r#"{{"name":"bash","arguments":"{arguments}"}}"#);
            let call = format!(r#"{{"id":"{number}-{i}","type":"function","function":{function}}}"#);
            messages.push(format!(r#"{{"role":"assistant","content":"","tool_calls":[{call}]}}"#));
            messages.push(format!(r#"{{"role":"tool","tool_call_id":"{number}-{i}","content":"{text}"}}"#));
        }
        let head =
            format!(r#""id":"t-attempt-{number}","task_id":"t","reward":{number}.5,"exit_status":"end{number}""#);
        writeln!(out, "{{{head},\"messages\":[{}]}}", messages.join(",")).unwrap();
    }
    out
}

fn two() -> String {
    let left = [("ls", "a b"), ("cat a", "one"), ("make", "ok"), ("git diff", "x")];
    let right = [("ls", "a b"), ("make", "error: broken"), ("git diff", "x"), ("rm a", "")];
    dataset(&[&left, &right])
}

fn pairings(stage: &Stage) -> Vec<Pairing> {
    stage.app.two_runs.runs.as_ref().unwrap().rows.iter().map(|row| row.pairing).collect()
}

fn row(stage: &Stage) -> usize {
    stage.app.two_runs.scroll.cursor
}

#[test]
fn two_records_are_marked_and_shown_at_the_first_difference() {
    use Pairing::{Alike, Left, Result, Right, Same};
    let mut stage = on(&two(), (140, 40));
    press(&mut stage, "D");
    assert!(notice(&stage).starts_with("record 0 is marked: D on another"), "{}", notice(&stage));
    press(&mut stage, "D");
    assert_eq!(notice(&stage), "record 0 is no longer marked");
    press(&mut stage, "D j D");
    assert_eq!(stage.app.pane, Pane::AlignedSteps);
    assert_eq!(pairings(&stage), [Same, Alike, Left, Result, Alike, Right]);
    assert_eq!(row(&stage), 2, "where they part");
    shows(&stage, &["difference 1 of 2", "reward 0.5 · end0 · 9 steps", "reward 1.5 · end1 · 9 steps", "t-attempt-1"]);
    press(&mut stage, "]d");
    assert_eq!((row(&stage), has(&stage, "difference 2 of 2")), (5, true));
    press(&mut stage, "]d");
    assert_eq!(notice(&stage), "no later difference");
    press(&mut stage, "[d , .");
    assert_eq!(row(&stage), 2);
    press(&mut stage, ".");
    let states = stage.app.two_runs.state.shown().unwrap().1;
    assert_eq!(states, ([6, 4], false), "behind the results of both");
    press(&mut stage, "q");
    assert_eq!(stage.app.pane, Pane::Table);
}

#[test]
fn enter_opens_the_run_in_front_at_its_step_and_q_leads_back() {
    let mut stage = on(&two(), (140, 40));
    press(&mut stage, "v j D");
    assert_eq!(stage.app.pane, Pane::AlignedSteps, "two selected rows");
    press(&mut stage, ". l Enter");
    let at = (stage.app.pane, stage.app.session.trajectory, stage.app.session.focus.step);
    assert_eq!(at, (Pane::Steps, 1, 3));
    press(&mut stage, "q");
    assert_eq!((stage.app.pane, row(&stage)), (Pane::AlignedSteps, 3));
    press(&mut stage, "h Enter");
    assert_eq!((stage.app.session.trajectory, stage.app.session.focus.step), (0, 5));
    press(&mut stage, "Esc Tab Tab Tab");
    assert_eq!(stage.app.pane, Pane::AlignedSteps);
    press(&mut stage, "q q");
    assert_eq!(stage.app.pane, Pane::Table, "the table is the last level");
}

#[test]
fn the_panes_of_two_runs_have_their_own_cursors_and_a_narrow_screen_shows_one_side() {
    let mut stage = on(&two(), (140, 40));
    press(&mut stage, "D j D Tab");
    assert_eq!(stage.app.pane, Pane::AlignedState);
    press(&mut stage, "d");
    assert_eq!(notice(&stage), "all values of both states");
    press(&mut stage, "j j Tab j E x X");
    assert_eq!(stage.app.pane, Pane::AlignedMessages);
    shows(&stage, &["No such step in this run."]);
    press(&mut stage, ". Tab");
    for word in ["/", "type:git", "Enter"] {
        press(&mut stage, word);
    }
    assert_eq!(row(&stage), 4, "a search goes through the rows of both");
    stage.send(Msg::Resize(40, 12));
    press(&mut stage, "[d .");
    shows(&stage, &["reward 0.5", "✗"].map(|wanted| if wanted == "✗" { "make" } else { wanted }));
    press(&mut stage, "l");
    shows(&stage, &["reward 1.5"]);
    press(&mut stage, "Tab");
    shows(&stage, &["two runs B"]);
    press(&mut stage, "h");
    shows(&stage, &["two runs A"]);
    press(&mut stage, "BackTab l");
    assert_eq!(lines(&stage).len(), 12);
}

#[test]
fn a_run_that_says_whether_it_resolved_its_task_is_shown_so() {
    let text = two().replacen("\"exit_status\":\"end0\"", "\"details\":{\"resolved\":\"True\"}", 1);
    let mut stage = on(&text.replace("\"exit_status\":\"end1\"", "\"resolved\":false"), (140, 40));
    press(&mut stage, "D j D");
    shows(&stage, &["reward 0.5 · resolved · 9 steps", "reward 1.5 · not resolved"]);
}

#[test]
fn the_two_sides_of_a_preference_pair_are_compared() {
    let said = |role: &str, text: &str| format!(r#"{{"role":"{role}","content":"{text}"}}"#);
    let side = |text: &str| format!("[{},{}]", said("user", "2+2?"), said("assistant", text));
    let text = format!("{{\"chosen\":{},\"rejected\":{}}}\n", side("4"), side("five")).repeat(2);
    let mut stage = on(&text, (140, 40));
    press(&mut stage, "D");
    assert!(notice(&stage).contains("D again compares its two trajectories"), "{}", notice(&stage));
    press(&mut stage, "D");
    assert_eq!(pairings(&stage), [Pairing::Same, Pairing::Changed]);
    shows(&stage, &["chosen · record 0", "rejected · record 0", "difference 1 of 1"]);
}

#[test]
fn two_files_are_compared_from_the_command_line_and_each_can_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let text = two();
    let (first, second) = text.split_once('\n').unwrap();
    let paths = [path("a.jsonl", first), path("b.jsonl", second)];
    let place = |path: &std::path::PathBuf| RunPlace {
        file: Some(path.clone()),
        format: None,
        record: 0,
        trajectory: None,
        name: "a file".to_owned(),
    };
    let mut stage = Stage::list((120, 36), obelus::ui::Theme::built_in("dark").unwrap()).unwrap();
    stage.app.begin_comparison([place(&paths[0]), place(&paths[1])]);
    stage.send(Msg::Resize(120, 36));
    shows(&stage, &["a.jsonl · record 0 · t-attempt-0", "b.jsonl · record 0"]);
    for (keys, path) in [("h", &paths[0]), ("l", &paths[1])] {
        press(&mut stage, keys);
        let effects = stage.send(Msg::Key("o".parse().unwrap()));
        assert!(matches!(&effects[..], [Effect::Edit(file, 1)] if file == path), "{effects:?}");
    }
    for keys in ["]?", "[?", "]m", "[m", "mm", "m+"] {
        press(&mut stage, keys);
        assert_eq!(notice(&stage), "marks are of one run: Enter opens the one in front", "{keys}");
    }
    press(&mut stage, "Enter");
    assert!(stage.app.session.name.ends_with("b.jsonl"), "{}", stage.app.session.name);
    assert_eq!(stage.app.pane, Pane::Steps);
    press(&mut stage, "q");
    assert_eq!(stage.app.pane, Pane::AlignedSteps, "q comes back");
    let gone = RunPlace { file: Some(folder.path().join("nowhere")), ..place(&paths[0]) };
    stage.app.begin_comparison([place(&paths[0]), gone]);
    stage.send(Msg::Resize(120, 36));
    assert!(has(&stage, "nowhere"), "why there is nothing to see");
    press(&mut stage, "j k ]d [d l h Tab Enter d E y /");
}

#[test]
fn files_of_one_name_are_called_by_what_distinguishes_their_paths() {
    let folder = tempfile::tempdir().unwrap();
    let text = two();
    let (first, second) = text.split_once('\n').unwrap();
    let place = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        RunPlace { file: Some(path), format: None, record: 0, trajectory: None, name: "a file".to_owned() }
    };
    let mut stage = Stage::list((120, 36), obelus::ui::Theme::built_in("dark").unwrap()).unwrap();
    let first = first.replace("t-attempt-0", "t-attempt-1");
    stage.app.begin_comparison([place("old/out/run.jsonl", &first), place("new/out/run.jsonl", second)]);
    stage.send(Msg::Resize(120, 36));
    let [a, b] = ["old", "new"].map(|name| format!("{name}/out/run.jsonl · record 0 · t-attempt-1"));
    shows(&stage, &[&a, &b]);
}

#[test]
fn words_that_differ_in_the_messages_are_set_off() {
    let run = |words: &str| format!(r#"{{"messages":[{{"role":"user","content":"pay {words} coins to ann"}}]}}"#);
    let mut stage = on(&format!("{}\n{}\n", run("ten"), run("six")), (140, 40));
    press(&mut stage, "D j D");
    let buffer = stage.buffer();
    let in_colour = |role: Role| -> String {
        let colour = stage.theme().style(role).fg;
        let rows = 16..buffer.area.height;
        let cells = rows.flat_map(|y| (0..buffer.area.width).map(move |x| (x, y)));
        cells.filter(|at| Some(buffer[*at].fg) == colour).map(|at| buffer[at].symbol().to_owned()).collect()
    };
    assert_eq!((in_colour(Role::Removed).as_str(), in_colour(Role::Added).as_str()), ("ten", "six"));
}

#[test]
fn runs_that_share_no_step_are_not_called_one_difference() {
    let run = |text: &str| format!(r#"{{"messages":[{{"role":"user","content":"{text}"}}]}}"#);
    let mut stage = on(&format!("{}\n{}\n", run("mend the parser"), run("write a poem")), (140, 40));
    press(&mut stage, "D j D");
    shows(&stage, &["no step in common"]);
    press(&mut stage, "]d");
    assert_eq!(notice(&stage), "no later difference: the runs have no step in common");
    stage.send(Msg::Resize(40, 12));
    shows(&stage, &["≠ all"]);
}
