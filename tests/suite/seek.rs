//! Going to the next step of a kind or of a time: the whole run is looked at, however long it is, and Esc gives up.

use super::growing::Growing;
use super::jobs::Threaded;
use super::stage::{input, notice, on, press, screen, stage, step};
use obelus::app::{App, Effect, Job, Lane, Msg};
use obelus::model::StepNo;
use obelus::shell::headless::Stage;

const SIZE: (u16, u16) = (120, 30);
/// Steps of a long run: more than any look at a part of it.
const LONG: usize = 60_000;

/// The user says something at the first step, a tool is called at the next, something failed at the last; all seconds
/// apart.
fn long(steps: usize) -> String {
    let date =
        |i: usize| format!("2026-05-{:02}T{:02}:{:02}:{:02}Z", 1 + i / 86_400, i / 3600 % 24, i / 60 % 60, i % 60);
    let line = |i: usize| match i {
        0 => format!(r#"{{"type":"text","role":"user","text":"go","_date":"{}"}}"#, date(i)),
        1 => format!(r#"{{"type":"call","_tool":"look","_instance":"a","_date":"{}"}}"#, date(i)),
        2 => format!(r#"{{"type":"state","state":{{"n":1}},"_date":"{}"}}"#, date(i)),
        i if i == steps - 1 => {
            format!(r#"{{"type":"error","data":{{"call":{{"_tool":"look"}},"error":"504"}},"_date":"{}"}}"#, date(i))
        }
        i => format!(r#"{{"type":"text","role":"assistant","text":"m{i}","_date":"{}"}}"#, date(i)),
    };
    (0..steps).map(|i| line(i) + "\n").collect()
}

fn last(stage: &Stage) -> StepNo {
    stage.app.session.open().unwrap().last()
}

#[test]
fn the_whole_of_a_long_run_is_looked_at() {
    let mut stage = on(&long(LONG), SIZE);
    let end = last(&stage);
    assert_eq!(end, LONG as StepNo - 1);
    press(&mut stage, "0 ]e");
    assert_eq!(step(&stage), end, "{}", notice(&stage));
    press(&mut stage, "]e");
    assert_eq!((step(&stage), notice(&stage)), (end, "no later error"));
    press(&mut stage, "[u");
    assert_eq!(step(&stage), 0);
    press(&mut stage, "Backspace");
    assert_eq!(step(&stage), end, "a jump is remembered");
    press(&mut stage, "[t");
    assert_eq!(step(&stage), 1, "{}", notice(&stage));
    press(&mut stage, "]t");
    assert_eq!((step(&stage), notice(&stage)), (1, "no later call"));
    // 2026-05-01T13:53:20Z, and back.
    press(&mut stage, ": type:+13h53m19s Enter");
    assert_eq!(step(&stage), 50_000, "{}", notice(&stage));
    press(&mut stage, ": type:-13h50m Enter");
    assert_eq!(step(&stage), 200, "{}", notice(&stage));
    press(&mut stage, ": type:+20h Enter");
    assert!(step(&stage) == 200 && notice(&stage).contains("no step at"), "{}", notice(&stage));
}

fn key(app: &mut App, words: &str) -> Vec<Effect> {
    words.split(' ').flat_map(|word| app.update(Msg::Key(word.parse().unwrap()))).collect()
}

fn asked(effects: &[Effect]) -> Vec<(u64, usize)> {
    let of = |effect: &Effect| match effect {
        Effect::Job(Job::Seek { number, nth, .. }) => Some((*number, *nth)),
        _ => None,
    };
    effects.iter().filter_map(of).collect()
}

#[test]
fn what_is_near_needs_no_job_and_what_is_far_is_reported_and_given_up() {
    let mut stage = on(&long(400), SIZE);
    press(&mut stage, "0");
    let app = &mut stage.app;
    assert!(asked(&key(app, "] t")).is_empty());
    assert_eq!(app.session.focus.step, 1);
    let effects = key(app, "] e");
    let [(number, 1)] = asked(&effects)[..] else { panic!("{effects:?}") };
    assert_eq!(app.notice.take().unwrap().text, "looking for a later error · Esc stops");
    app.update(Msg::Seeking(number, 40));
    assert_eq!(app.notice.take().unwrap().text, "looking for a later error · 40 % · Esc stops");
    let effects = key(app, "Esc");
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Stop(Lane::Seek))), "{effects:?}");
    app.update(Msg::Sought(number, 1, Some(399)));
    assert_eq!(app.session.focus.step, 1, "given up");
    let effects = key(app, "] e");
    let [(number, 1)] = asked(&effects)[..] else { panic!("{effects:?}") };
    key(app, ".");
    app.update(Msg::Sought(number, 1, Some(399)));
    assert_eq!(app.session.focus.step, 2, "who went elsewhere stays there");
}

#[test]
fn a_key_that_is_pressed_again_meanwhile_goes_one_further() {
    let mut text = long(300);
    text += &long(300);
    let mut threaded = Threaded::new(on(&text, SIZE));
    threaded.send(Msg::Key("0".parse().unwrap()));
    threaded.hold_words(&["]", "e"], 2);
    threaded.settle(|app| app.session.focus.step == 599);
    threaded.send(Msg::Key("0".parse().unwrap()));
    threaded.hold_words(&["]", "e"], 5);
    threaded.settle(|app| app.notice.as_ref().is_some_and(|notice| notice.text.starts_with("no later error")));
    assert_eq!(threaded.app.session.focus.step, 599);
}

#[test]
fn of_what_is_still_being_read_nothing_is_said() {
    let lines: Vec<String> = long(100).lines().map(|line| format!("{line}\n")).collect();
    let mut live = Growing::new(&lines[..90]);
    press(&mut live.stage, "0");
    live.stage.send(Msg::Progress { is_complete: false, is_live: true });
    press(&mut live.stage, "]e");
    assert_eq!(notice(&live.stage), "no later error so far: the file is still being read");
    live.append(&lines[90..]);
    press(&mut live.stage, "]e");
    assert_eq!(step(&live.stage), 99);
}

#[test]
fn failures_and_what_looks_like_one_are_gone_to_and_named() {
    let result = |call: usize, text: &str, is_error: bool| {
        format!(
            r#"{{"type":"message","message":{{"role":"toolResult","toolCallId":"c{call}","isError":{is_error},"content":"{text}"}}}}"#
        )
    };
    let call = |call: usize| {
        format!(
            r#"{{"type":"message","message":{{"role":"assistant","content":[{{"type":"toolCall","id":"c{call}","name":"bash","arguments":{{"command":"make"}}}}]}}}}"#
        )
    };
    let lines = [
        r#"{"type":"session","version":3,"id":"s","timestamp":"2026-05-01T09:00:00Z","cwd":"/w"}"#.to_owned(),
        r#"{"type":"message","message":{"role":"user","content":"build it"}}"#.to_owned(),
        call(0),
        result(0, "make: *** [all] Error 2", false),
        call(1),
        result(1, "no", true),
        call(2),
        result(2, "built", false),
    ];
    let mut stage = on(&(lines.join("\n") + "\n"), SIZE);
    press(&mut stage, "0");
    let all = screen(&stage);
    let marked = |line: &str| line.starts_with(" 0 ") && line.contains('?') && line.contains('✗');
    assert!(all.lines().any(marked), "the timeline has both: {all}");
    press(&mut stage, "]e");
    assert!(notice(&stage).ends_with("may have failed · build failed"), "{}", notice(&stage));
    press(&mut stage, "]e");
    assert!(notice(&stage).contains("failed") && !notice(&stage).contains("may"), "{}", notice(&stage));
    press(&mut stage, "]e");
    assert_eq!(notice(&stage), "no later error · 1 earlier");
}

#[test]
fn a_run_in_which_nothing_failed_says_so() {
    let mut stage = stage(input("desk-rollouts.jsonl"), SIZE);
    press(&mut stage, "Enter ]e");
    assert_eq!(notice(&stage), "nothing failed in this run, or looks like it");
    press(&mut stage, "$ [e");
    assert_eq!(notice(&stage), "nothing failed in this run, or looks like it");
}

#[test]
fn an_answer_that_failed_says_why_and_so_do_its_calls() {
    let record = concat!(
        r#"{"type":"session","version":3,"id":"s","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"}"#,
        "\n",
        r#"{"type":"message","id":"a","parentId":null,"timestamp":"2026-05-01T10:00:01.000Z","message":"#,
        r#"{"role":"user","content":[{"type":"text","text":"go"}]}}"#,
        "\n",
        r#"{"type":"message","id":"b","parentId":"a","timestamp":"2026-05-01T10:00:02.000Z","message":"#,
        r#"{"role":"assistant","content":[{"type":"text","text":"I read it."},"#,
        r#"{"type":"toolCall","id":"c","name":"read","arguments":{"path":"/w/a"}}],"#,
        r#""stopReason":"error","errorMessage":"no quota"}}"#,
        "\n",
    );
    let mut stage = on(record, SIZE);
    press(&mut stage, "0 ]e");
    assert_eq!((step(&stage), notice(&stage)), (1, "step 1: failed · no quota"));
    press(&mut stage, "]e");
    assert_eq!((step(&stage), notice(&stage)), (2, "step 2: failed · no quota"));
    press(&mut stage, "0");
    assert!(screen(&stage).contains("✗ view"), "{}", screen(&stage));
}
