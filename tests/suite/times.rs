//! When steps happened: going to a time, the column beside the steps, pauses on the timeline.

use super::stage::{input, lines, notice, press, stage, step};
use obelus::model::StepNo;
use obelus::panes::times;
use obelus::shell::headless::Stage;
use obelus::source::Input;

const SIZE: (u16, u16) = (120, 30);

fn sample(name: &str) -> Stage {
    stage(input(name), SIZE)
}

/// Types a time into the command list; where that leads.
fn go(stage: &mut Stage, time: &str) -> StepNo {
    press(stage, &format!(": type:{time} Enter"));
    step(stage)
}

/// Records with a time each, as many seconds after 2026-05-01T10:00:00 as are given.
fn records(seconds: &[u64], time: impl Fn(u64) -> String) -> Stage {
    let line = |s: &u64| format!("{{\"level\":\"info\",\"msg\":\"m{s}\",\"time\":{}}}\n", time(*s));
    stage(Input::memory("log.jsonl", seconds.iter().map(line).collect::<String>()), SIZE)
}

fn written(s: u64) -> String {
    format!("\"2026-05-01T{:02}:{:02}:{:02}+02:00\"", 10 + s / 3600, s / 60 % 60, s % 60)
}

#[test]
fn times_lead_to_steps() {
    let seconds = [0, 1, 2, 60, 61, 400, 3600, 3601];
    let counted = |s: u64| ((1_777_622_400 + s) * 1000).to_string();
    for (mut stage, day) in [(records(&seconds, written), "10"), (records(&seconds, counted), "08")] {
        assert_eq!(go(&mut stage, "+1m"), 3);
        assert_eq!(go(&mut stage, "+1m"), 5, "the first step that late");
        assert_eq!(go(&mut stage, "-5m"), 4, "the last step that early");
        assert_eq!(go(&mut stage, "-59s"), 2);
        assert_eq!(go(&mut stage, &format!("{day}:01")), 3);
        assert_eq!(go(&mut stage, &format!("{day}:01:01")), 4);
        press(&mut stage, "$");
        assert_eq!(go(&mut stage, &format!("{day}:00:02")), 2, "none comes any more: from the start");
        assert_eq!(go(&mut stage, &format!("2026-05-01T{day}:05")), 5);
        assert_eq!(go(&mut stage, "2026-05-01T09:00:00Z"), 6, "an offset counts");
        assert_eq!(go(&mut stage, "6"), 6, "a number is a step");
        assert_eq!(go(&mut stage, "+5h"), 6);
        assert!(notice(&stage).contains("no step at") && notice(&stage).contains("to "), "{}", notice(&stage));
        assert!(!notice(&stage).contains("2026"), "a time of the same day needs no date: {}", notice(&stage));
        assert_eq!(go(&mut stage, "+30h"), 6);
        assert!(notice(&stage).contains("no step at 2026-05-02"), "{}", notice(&stage));
        press(&mut stage, "Backspace Backspace");
        assert_eq!(step(&stage), 5);
    }
}

#[test]
fn steps_without_times_say_so() {
    let mut stage = sample("tickets-std.jsonl");
    press(&mut stage, "Enter .");
    assert_eq!(go(&mut stage, "14:32"), 1);
    assert_eq!(notice(&stage), "these steps carry no time");
    press(&mut stage, "t");
    assert_eq!(notice(&stage), "these steps carry no time");
    let mut some = stage_of_some();
    assert_eq!(go(&mut some, "+10s"), 3, "a step without a time has that of the one before");
}

fn stage_of_some() -> Stage {
    let text = [
        r#"{"msg":"a","time":"2026-05-01T10:00:00Z"}"#,
        r#"{"msg":"b"}"#,
        r#"{"msg":"c","time":"no time"}"#,
        r#"{"msg":"d","time":1777629615}"#,
    ];
    let mut stage = stage(Input::memory("some.jsonl", text.join("\n")), SIZE);
    press(&mut stage, "2 1 . .");
    stage.app.pane = obelus::app::Pane::Steps;
    stage
}

#[test]
fn a_column_shows_when_steps_happened() {
    let mut stage = records(&[0, 5, 3700], written);
    let has = |stage: &Stage, text: &str| lines(stage).iter().any(|line| line.contains(text));
    press(&mut stage, "G");
    assert!(lines(&stage)[0].contains("11:01:40 T+1:01:40"), "{}", lines(&stage)[0]);
    press(&mut stage, "t");
    assert!(has(&stage, "2 +1:01:40") && has(&stage, "1 +00:05"));
    press(&mut stage, "t");
    assert!(has(&stage, "2 11:01:40") && has(&stage, "1 10:00:05"));
    press(&mut stage, "t");
    assert!(!has(&stage, "1 10:00:05"));
    assert_eq!(stage.app.times, obelus::panes::Times::Off, "a log without calls has no column for how long they took");
}

#[test]
fn long_pauses_stand_on_the_timeline() {
    let mut seconds: Vec<u64> = (0..40).map(|i| i * 2).collect();
    seconds.extend((0..40).map(|i| 1000 + i * 2));
    let stage = records(&seconds, written);
    let timeline = lines(&stage)[28].clone();
    assert_eq!(timeline.matches('┊').count(), 1, "{timeline}");
    let even = records(&(0..80).collect::<Vec<_>>(), written);
    assert!(!lines(&even)[28].contains('┊'));
}

#[test]
fn a_step_is_put_back_to_where_it_was_or_to_the_last() {
    use obelus::app::initial_position::Start;
    for (is_carried, wanted) in [(true, ""), (false, "there is no step 90; 26 is the last")] {
        let mut stage = sample("fix-session.jsonl");
        stage.begin(Some(Start { step: Some(90), is_carried, ..Start::default() }));
        assert_eq!((step(&stage), notice(&stage)), (26, wanted));
    }
}

#[test]
fn a_row_says_how_long_its_call_took() {
    let mut stage = sample("fix-session.jsonl");
    press(&mut stage, "z");
    let row = |stage: &Stage, word: &str| lines(stage).into_iter().find(|row| row.contains(word)).unwrap_or_default();
    let asked = row(&stage, "pytest");
    assert!(asked.contains(" · 2.0 s"), "{asked}");
    assert!(!row(&stage, "todo").contains(" · 0.0 s"), "what took no time says nothing of it");
    press(&mut stage, "t t t");
    assert!(notice(&stage).contains("how long each call took"), "{}", notice(&stage));
    assert!(row(&stage, "pytest").contains(" 5 2.0 s "), "{}", row(&stage, "pytest"));
}

#[test]
fn statistics_say_which_tool_takes_the_time() {
    let path = super::command::sample("fix-session.jsonl");
    let (_, text, _) = super::command::obelus(&["stats", &path]);
    assert!(text.contains("tool time") && text.contains("Bash 4.0 s · "), "{text}");
    let (_, text, _) = super::command::obelus(&["stats", "--outcomes", &path]);
    let cells = |word: &str| -> Vec<String> {
        let line = text.lines().find(|line| line.trim_start().starts_with(word)).unwrap_or_default();
        line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect()
    };
    assert!(cells("tool").ends_with(&["time", "median", "longest"].map(str::to_owned)), "{text}");
    assert!(cells("Bash").ends_with(&["4.0 s", "2.0 s", "2.0 s"].map(str::to_owned)), "{text}");
    assert!(cells("TodoWrite").ends_with(&["–"; 3].map(str::to_owned)), "{text}");
    let (_, out, _) = super::command::obelus(&["stats", "--outcomes", "--json", &path]);
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    let bash = &report["tools"]["Bash"];
    assert_eq!(["total_ms", "median_ms", "longest_ms"].map(|name| bash[name].as_u64()), [4000, 2000, 2000].map(Some));
    assert!(report["tools"]["TodoWrite"]["total_ms"].is_null());
}

#[test]
fn a_span_says_how_long_its_tool_took() {
    let attributes = r#"{"gen_ai.operation.name":"execute_tool","gen_ai.tool.name":"add","output.value":"a"}"#;
    let times = r#""start_time":"2026-05-01T10:00:00+00:00","end_time":"2026-05-01T10:00:03.5+00:00""#;
    let context = r#""context":{"trace_id":"0xt","span_id":"b"},"parent_id":null"#;
    let span = format!(r#"{{"name":"add",{context},{times},"attributes":{attributes}}}"#);
    let mut stage = stage(Input::memory("spans.jsonl", format!("{span}\n")), SIZE);
    press(&mut stage, "z");
    let rows = lines(&stage);
    assert!(rows.iter().any(|row| row.contains("add") && row.contains(" · 3.5 s")), "{}", rows.join("\n"));
}

#[test]
fn where_only_near_steps_were_searched_for_a_time_that_is_said() {
    let line = |n: usize| format!("{{\"level\":\"info\",\"msg\":\"m{n}\"}}\n");
    let mut stage = stage(Input::memory("log.jsonl", (0..300).map(line).collect::<String>()), SIZE);
    assert_eq!(go(&mut stage, "150"), 150);
    assert_eq!(go(&mut stage, "14:32"), 150);
    assert_eq!(notice(&stage), "none of the 100 steps before and behind this one carries a time");
}

#[test]
fn a_pause_is_far_longer_than_most_steps_and_lasts_five_seconds_at_least() {
    let pauses = |tenths: u64| {
        let time = |t: u64| (1_777_622_400_000 + t * 100).to_string();
        let stage = records(&[0, 1, 2, 3, 3 + tenths, 4 + tenths], time);
        times::pauses(&stage.app.session.open().unwrap(), &[0, 1, 2, 3, 4, 5])
    };
    assert_eq!((pauses(20), pauses(60)), (vec![], vec![4]));
}
