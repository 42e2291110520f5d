//! The attempts at a task, played on the stage: from the table to the tree, to an attempt at its step, and back.

use super::command::{file, obelus, sample};
use super::stage::{lines, press};
use obelus::app::{Effect, Job, Pane};
use obelus::shell::headless::Stage;
use obelus::source::Input;

/// Two tasks of several attempts, one of one, a record without a task.
fn dataset() -> String {
    let said = |texts: &str| {
        let message = |(i, text): (usize, char)| {
            let role = if i % 2 == 0 { "user" } else { "assistant" };
            format!(r#"{{"role":"{role}","content":"{text}"}}"#)
        };
        texts.chars().enumerate().map(message).collect::<Vec<_>>().join(",")
    };
    let record = |(head, texts): &(&str, &str)| format!("{{{head}\"messages\":[{}]}}\n", said(texts));
    [
        (r#""id":"a-1","task_id":"a","reward":1.0,"#, "pqrs"),
        (r#""id":"b-attempt-1","#, "xy"),
        (r#""id":"a-2","task_id":"a","reward":0.5,"exit_status":"cost","#, "pqrtu"),
        ("", "zz"),
        (r#""id":"a-3","task_id":"a","#, "pqv"),
        (r#""id":"b-attempt-2","#, "xyz"),
        (r#""id":"c","#, "xyz"),
    ]
    .iter()
    .map(record)
    .collect()
}

fn stage(text: String, size: (u16, u16)) -> Stage {
    super::stage::stage(Input::memory("made.jsonl", text), size)
}

fn screen(stage: &Stage) -> String {
    lines(stage).join("\n") + "\n"
}

fn at(stage: &Stage) -> (Pane, usize, i32) {
    (stage.app.pane, stage.app.session.trajectory, stage.app.session.focus.step)
}

#[test]
fn attempts_show_their_steps_and_where_they_part_from_the_chosen_one() {
    let mut stage = stage(dataset(), (150, 30));
    press(&mut stage, "a");
    let row = |stage: &Stage, id: &str| lines(stage).into_iter().find(|line| line.contains(id)).unwrap();
    let row_text = row(&stage, "a-1  record 0");
    assert!(row_text.contains("chosen") && row_text.contains("4 steps") && row_text.contains("tokens"), "{row_text}");
    assert!(row(&stage, "a-2  record 2").contains("parts @3"), "{}", screen(&stage));
    assert!(row(&stage, "a-3  record 4").contains("parts @2"));
    press(&mut stage, "j D");
    assert!(row(&stage, "a-2  record 2").contains("chosen"), "{}", screen(&stage));
    assert!(row(&stage, "a-1  record 0").contains("parts @3"));
}

/// Tasks whose keys are numbers are told apart by what was asked.
#[test]
fn tasks_are_listed_with_what_they_ask_from_where_it_differs() {
    let record = |id: &str, asked: &str| {
        let asked = format!("Fix the issue that is described below, in the repository of {asked}");
        let messages = format!(r#"{{"role":"user","content":"{asked}"}},{{"role":"assistant","content":"no"}}"#);
        format!("{{\"id\":\"{id}\",\"task_id\":\"9f8e7d6c-{asked:.1}-{}\",\"messages\":[{messages}]}}\n", asked.len())
    };
    let text = [record("1", "dates"), record("2", "numbers"), record("3", "dates"), record("4", "numbers")].concat();
    let mut stage = stage(text, (120, 12));
    press(&mut stage, "A");
    let shown = screen(&stage);
    assert!(shown.contains("repository of dates") && shown.contains("repository of numbers"), "{shown}");
    assert!(!shown.contains("Fix the issue"), "{shown}");
}

#[test]
fn a_row_of_the_tree_opens_its_record_at_its_step_and_esc_leads_back_level_by_level() {
    let mut stage = stage(dataset(), (120, 30));
    press(&mut stage, "j j a");
    assert_eq!(stage.app.pane, Pane::Attempts);
    let text = screen(&stage);
    for expected in
        ["a  3 attempts", "@0..@1  3 attempts", "@3..@4  a-2  record 2", "reward 0.5..1", "reward 0.5 · cost"]
    {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    press(&mut stage, "Enter");
    assert_eq!(at(&stage), (Pane::Steps, 2, 3), "where it parts from the first");
    press(&mut stage, "Esc");
    assert_eq!((stage.app.pane, stage.app.attempts.record()), (Pane::Attempts, Some(2)));
    press(&mut stage, "Enter");
    assert_eq!(at(&stage), (Pane::Steps, 2, 3), "the same, which is open by now");
    press(&mut stage, "q k Enter");
    assert_eq!(at(&stage), (Pane::Steps, 0, 3));
    press(&mut stage, "Esc Esc");
    assert_eq!(stage.app.pane, Pane::Table);
    press(&mut stage, "Enter");
    assert_eq!(at(&stage), (Pane::Steps, 0, 3), "the table knows nothing of the tree any more");
    press(&mut stage, "Esc");
    assert_eq!(stage.app.pane, Pane::Table);
}

#[test]
fn from_an_open_trajectory_the_tree_leads_back_to_it() {
    let mut stage = stage(dataset(), (80, 24));
    press(&mut stage, "Enter Tab a");
    assert_eq!(stage.app.attempts.record(), Some(0));
    press(&mut stage, "Esc");
    assert_eq!(stage.app.pane, Pane::State);
}

#[test]
fn the_list_of_tasks_leads_to_a_tree_and_esc_back_to_the_list() {
    let mut stage = stage(dataset(), (100, 20));
    press(&mut stage, "A");
    let text = screen(&stage);
    for expected in ["2 of 3 tasks have several attempts", "1 record names no task", "2..3 steps", "reward 0.5..1"] {
        // What the table takes for a reward is the sum over the steps; these have none.
        assert_eq!(text.contains(expected), expected != "reward 0.5..1", "{expected}\n{text}");
    }
    press(&mut stage, "j Enter");
    assert_eq!(stage.app.attempts.record(), Some(1));
    press(&mut stage, "Esc");
    assert!(stage.app.attempts.is_list() && stage.app.attempts.list_scroll.cursor == 1);
    press(&mut stage, "q");
    assert_eq!(stage.app.pane, Pane::Table);
}

#[test]
fn deciding_in_the_tree_decides_on_the_attempt_and_branches_count_it() {
    let mut stage = stage(dataset(), (120, 30));
    press(&mut stage, "a - j +");
    let violations: Vec<_> = (0..7).map(|record| stage.app.session.review.verdict(record).map(|v| v.sign())).collect();
    assert_eq!(violations, [Some("-"), None, Some("+"), None, None, None, None]);
    assert!(screen(&stage).lines().any(|line| line.contains("@0..@1") && line.contains("+1 -1")), "{}", screen(&stage));
    press(&mut stage, "u");
    assert_eq!(stage.app.session.review.verdict(2), None);
    // A branch is not a record.
    press(&mut stage, "g +");
    assert_eq!(stage.app.notice.as_ref().map(|n| n.text.as_str()), Some("nothing here to mark"));
}

#[test]
fn without_tasks_it_says_what_a_task_id_is_and_where_it_is_looked_for() {
    let mut stage = stage(dataset(), (80, 24));
    press(&mut stage, "j j j a");
    for expected in ["This record names no task.", "task_id", "details.instance_id", "t_run3", "--by FIELD"] {
        assert!(screen(&stage).contains(expected), "{}", screen(&stage));
    }
    press(&mut stage, "Enter x + y o Esc");
    assert_eq!(stage.app.pane, Pane::Table);
    press(&mut stage, "G a");
    assert!(screen(&stage).contains("the only attempt at this task"), "{}", screen(&stage));
    let run = std::fs::read_to_string(format!("{}/samples/trip-run.jsonl", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let mut stage = self::stage(run, (80, 24));
    press(&mut stage, "a");
    assert!(screen(&stage).contains("this is one run"), "{}", screen(&stage));
    press(&mut stage, "A Esc");
    assert_eq!(stage.app.pane, Pane::Steps);
}

#[test]
fn the_field_of_the_task_is_chosen_out_of_those_of_the_record_and_stays() {
    let text = dataset().replace(r#""id":"a-"#, r#""details":{"q":"one"},"id":"a-"#);
    let text = text.replace(r#""id":"c""#, r#""details":{"q":"one"},"id":"c""#);
    let mut stage = stage(text, (100, 20));
    press(&mut stage, "a");
    assert!(screen(&stage).contains("a  3 attempts") && screen(&stage).contains("by task id"), "{}", screen(&stage));
    press(&mut stage, "c");
    let text = screen(&stage);
    for expected in ["✓ task id", "details.q                one", "id                       a-1", "reward "] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    press(&mut stage, "type:detail Enter");
    assert_eq!(stage.app.attempts.by.as_deref(), Some("details.q"));
    assert!(
        screen(&stage).contains("one  4 attempts") && screen(&stage).contains("by details.q"),
        "{}",
        screen(&stage)
    );
    press(&mut stage, "A");
    assert!(screen(&stage).contains("1 of 1 tasks have several attempts"), "{}", screen(&stage));
    assert!(screen(&stage).contains("3 records name no task"), "{}", screen(&stage));
    press(&mut stage, "q j a");
    assert!(screen(&stage).contains("This record has no details.q"), "it stays chosen: {}", screen(&stage));
    press(&mut stage, "c type:no.such Enter");
    assert!(screen(&stage).contains("This record has no no.such"), "what is typed is taken: {}", screen(&stage));
    press(&mut stage, "c type:id Enter");
    assert!(screen(&stage).contains("b-attempt-1  the only attempt"), "typed in full: {}", screen(&stage));
    press(&mut stage, "c Enter c Enter");
    assert!(screen(&stage).contains("b  2 attempts"), "{}", screen(&stage));
}

#[test]
fn nothing_is_looked_up_by_moving_and_folding() {
    let mut stage = stage(dataset(), (120, 30));
    press(&mut stage, "a");
    for word in ["j", "k", "x", "x", "X", "E", "G", "g"] {
        let key = obelus::app::Msg::Key(word.parse().unwrap());
        let asked = stage.app.update(key);
        assert!(
            !asked.iter().any(|e| matches!(e, Effect::Job(Job::Attempts { .. } | Job::Scan { .. }))),
            "{word}: {asked:?}"
        );
    }
}

#[test]
fn the_tree_fits_every_size() {
    for size in [(160, 45), (80, 24), (40, 12), (20, 5), (1, 1), (3, 2)] {
        let mut stage = stage(dataset(), size);
        press(&mut stage, "a j j k x G Enter Esc A G Enter Esc / type:a Enter n");
        assert_eq!(stage.app.pane, Pane::Attempts, "{size:?}");
        screen(&stage);
    }
}

#[test]
fn a_look_by_the_rules_of_datasets_leaves_the_tree_as_it_is() {
    let mut stage = stage(dataset(), (120, 30));
    press(&mut stage, "j j a k");
    let tree = screen(&stage);
    press(&mut stage, "Enter !");
    assert!(stage.app.session.data.is_some(), "the rules have looked");
    press(&mut stage, "Esc");
    let lines_of = |text: &str| text.lines().skip(1).take(10).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!((stage.app.pane, lines_of(&screen(&stage))), (Pane::Attempts, lines_of(&tree)));
}

#[test]
fn folding_all_stays_in_its_branch_and_the_undecided_are_found_within_the_tree() {
    let mut stage = stage(dataset(), (120, 30));
    press(&mut stage, "j j a");
    assert_eq!(stage.app.attempts.record(), Some(2));
    press(&mut stage, "X");
    let cursor = |stage: &Stage| lines(stage).into_iter().find(|line| line.contains("▌")).unwrap();
    assert!(cursor(&stage).contains("@2"), "{}", screen(&stage));
    press(&mut stage, "E g ] ?");
    let mut seen = vec![(stage.app.pane, stage.app.attempts.record())];
    for _ in 0..2 {
        press(&mut stage, "+ ] ?");
        seen.push((stage.app.pane, stage.app.attempts.record()));
    }
    assert!(seen.iter().all(|(pane, record)| *pane == Pane::Attempts && record.is_some()), "{seen:?}");
    seen.dedup();
    assert_eq!(seen.len(), 3, "{seen:?}");
}

#[test]
fn answers_alone_are_one_action_which_the_command_says() {
    let folder = tempfile::tempdir().unwrap();
    let record = |say: &str, reward: u8| {
        let messages = format!(r#"[{{"role":"user","content":"?"}},{{"role":"assistant","content":"{say}"}}]"#);
        format!("{{\"task_id\":\"t\",\"reward\":{reward},\"messages\":{messages}}}\n")
    };
    let path = file(folder.path(), "a.jsonl", &(record("Yes", 1) + &record("No", 0)));
    let (status, _, stderr) = obelus(&["tree", "--by-action", &path]);
    assert!(status == 0 && stderr.contains("without --by-action whole messages are aligned"), "{stderr}");
    assert_eq!(obelus(&["tree", "--by-action", &sample("desk-rollouts.jsonl")]).2, "");
}
