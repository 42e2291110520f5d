//! The filter of the list of steps, played on the stage: what is listed, where keys lead in it, a run that grows under
//! it; and the same filters on the command line.

use super::stage::{notice, screen};
use obelus::app::{Effect, Job, Msg, Pane};
use obelus::format::SharedRun;
use obelus::model::StepNo;
use obelus::panes::{Follow, Row, StepFilter, steps};
use obelus::review::{Filter, Scope, StepEntry, StepNotes};
use obelus::shell::headless::Stage;
use obelus::source::Input;
use obelus::ui::Theme;
use proptest::prelude::*;
use proptest::sample::select;
use std::fs;
use std::process::Command;
use std::sync::Arc;

fn sample(name: &str) -> Arc<Input> {
    let text = fs::read(format!("{}/samples/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    Input::memory(name, text)
}

fn stage(input: Arc<Input>, size: (u16, u16)) -> Stage {
    Stage::open(input, None, size, Theme::built_in("dark").unwrap()).unwrap()
}

fn trip() -> Stage {
    stage(sample("trip-run.jsonl"), (120, 30))
}

fn press(stage: &mut Stage, words: &str) {
    for word in words.split_whitespace() {
        stage.press(word).unwrap();
    }
}

fn filter(stage: &mut Stage, text: &str) {
    press(stage, &format!("& C-u type:{} Enter", text.replace(' ', " Space type:")));
}

fn step(stage: &Stage) -> StepNo {
    stage.app.session.focus.step
}

/// The steps that are listed.
fn listed(stage: &Stage) -> Vec<StepNo> {
    let open = stage.app.session.open().unwrap();
    let rows = stage.app.step_filter.rows(&open);
    let all: Vec<StepNo> = (0..rows.total).map(|row| rows.step(row)).collect();
    let back: Vec<usize> = all.iter().map(|step| rows.row(&open, *step)).collect();
    assert_eq!(back, (0..rows.total).collect::<Vec<_>>(), "each step is in its row");
    all
}

/// What a filter lets through, asked of each step by itself.
fn passing(stage: &Stage, text: &str) -> Vec<StepNo> {
    let open = stage.app.session.open().unwrap();
    let filter = Filter::parse(text, Scope::Steps).unwrap();
    let findings = open.findings();
    let notes = StepNotes::new(findings.iter().map(AsRef::as_ref), Arc::default());
    let passes = |step: &StepNo| filter.holds(&StepEntry::new(open.run(), open.bytes(), &notes, *step));
    (0..=open.last()).filter(passes).collect()
}

fn row_texts(stage: &Stage) -> Vec<String> {
    let open = stage.app.session.open().unwrap();
    let extent = stage.app.pane_extent(Pane::Steps);
    let window = steps::window(&open, &stage.app.step_filter, &stage.app.steps, stage.app.times, extent);
    window.rows.iter().map(Row::plain).collect()
}

fn line(stage: &Stage, y: u16) -> String {
    let buffer = stage.buffer();
    (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect()
}

#[test]
fn steps_are_listed_that_the_filter_lets_through_and_the_one_in_focus() {
    let mut stage = trip();
    filter(&mut stage, "kind:data tool:searchHotels|planTrip");
    assert_eq!(passing(&stage, "kind:data tool:searchHotels|planTrip"), [16, 19, 21, 37]);
    assert_eq!(listed(&stage), [0, 16, 19, 21, 37], "the step in focus stays until it is left");
    assert!(row_texts(&stage)[0].ends_with("hidden"), "{}", row_texts(&stage)[0]);
    assert!(line(&stage, 1).contains("Steps 4/66  kind:data "), "{}", line(&stage, 1));
    press(&mut stage, ".");
    assert_eq!((step(&stage), listed(&stage)), (16, vec![16, 19, 21, 37]));
    press(&mut stage, ", j j k");
    assert_eq!(step(&stage), 19);
    press(&mut stage, "G");
    assert_eq!(step(&stage), 37);
    press(&mut stage, "Tab ,");
    assert_eq!((stage.app.pane, step(&stage)), (Pane::State, 21), "from any pane");
    press(&mut stage, "Esc Esc");
    assert_eq!((listed(&stage).len(), step(&stage)), (66, 21));
    assert!(line(&stage, 1).contains("╭ Steps ─"), "{}", line(&stage, 1));
}

#[test]
fn jumps_lead_to_any_step_and_searches_to_listed_ones() {
    let mut stage = trip();
    filter(&mut stage, "kind:call");
    press(&mut stage, ". [u");
    let user = step(&stage);
    assert!(user > 0 && listed(&stage).contains(&user) && !passing(&stage, "kind:call").contains(&user));
    press(&mut stage, "/ type:searchHotels Enter");
    assert_eq!(step(&stage), 15);
    let mut seen = vec![step(&stage)];
    for _ in 0..2 {
        press(&mut stage, "n");
        seen.push(step(&stage));
    }
    assert_eq!(seen, [15, 36, 15], "the plan at 10 and 32 names it too, but is not listed");
    press(&mut stage, "N");
    assert_eq!(step(&stage), 36);
    press(&mut stage, "/ type:Alfândega Enter");
    assert_eq!(notice(&stage), "no step that is listed matches Alfândega; & changes the filter");
    press(&mut stage, "Esc Esc / type:nowhere Enter");
    assert_eq!(notice(&stage), "no step matches nowhere");
    let mut table = super::stage::stage(super::stage::input("tickets-std.jsonl"), (120, 30));
    press(&mut table, "/ type:nowhere Enter");
    assert_eq!(notice(&table), "no record matches nowhere");
}

#[test]
fn the_filter_of_failures_lists_the_steps_that_the_header_counts() {
    let mut stage = trip();
    assert!(screen(&stage).contains("✗ 2 failed"), "{}", screen(&stage));
    filter(&mut stage, "failed>0");
    assert_eq!(stage.app.step_filter.shown(), [39, 52], "errors that are messages of the log");
    let (_, out, _) =
        super::command::obelus(&["steps", &super::command::sample("trip-run.jsonl"), "--where", "failed>0"]);
    assert_eq!(out.lines().count(), 2, "{out}");
}

#[test]
fn a_fault_is_reported_with_its_place_and_nothing_changes() {
    let mut stage = trip();
    stage.app.filters = vec![("calls".into(), "kind:call".into()), ("long".into(), "steps>9".into())];
    filter(&mut stage, "kind:call steps>3");
    let message = stage.app.notice.as_ref().unwrap().text.clone();
    assert!(message.contains("at character 11: steps have no steps to filter by"), "{message}");
    assert!(stage.app.layer.is_some() && stage.app.step_filter.filter.is_empty());
    press(&mut stage, "C-u type:@calls Enter");
    assert_eq!(stage.app.step_filter.filter.to_string(), "kind:call");
    press(&mut stage, "Esc : type:long");
    let menu = format!("{:?}", stage.app.layer);
    assert!(!menu.contains("steps>9"), "a filter of records is not offered for steps");
    press(&mut stage, "C-u type:calls Enter");
    assert_eq!(stage.app.step_filter.filter.to_string(), "kind:call");
}

#[test]
fn marks_and_findings_are_looked_at_again_when_there_are_others() {
    let mut stage = stage(sample("faults.jsonl"), (120, 30));
    filter(&mut stage, "finding:*");
    let found = passing(&stage, "finding:*");
    assert!(
        !found.is_empty()
            && listed(&stage) == [vec![0], found.clone()].concat().as_slice()[usize::from(found[0] == 0)..]
    );
    filter(&mut stage, "mark:flag");
    assert_eq!(listed(&stage), [0]);
    press(&mut stage, "mm");
    assert_eq!(stage.app.step_filter.shown(), [0]);
    press(&mut stage, "u");
    assert_eq!(stage.app.step_filter.shown(), [0; 0]);
}

/// Gives the open run the first `count` steps of its input.
fn set_run(stage: &Stage, count: usize) {
    let loaded = obelus::ingest::load(Input::memory("run", said(count)), Some("acts")).unwrap();
    let shared: SharedRun = Arc::clone(stage.app.session.run.as_ref().unwrap());
    *shared.write().unwrap() = loaded.run(0).unwrap();
}

fn grow(stage: &mut Stage, count: usize) {
    set_run(stage, count);
    stage.send(Msg::Progress { is_complete: true, is_live: true });
}

/// A stage on a run of which `count` steps are there.
fn growing(count: usize, of: usize) -> Stage {
    let theme = Theme::built_in("dark").unwrap();
    let mut stage = Stage::open(Input::memory("run", said(of)), Some("acts"), (120, 30), theme).unwrap();
    set_run(&stage, count);
    stage.app.session.live.known = Some(count);
    stage.app.session.generation += 1;
    stage
}

fn said(count: usize) -> String {
    let line = |i: usize| {
        let role = if i.is_multiple_of(3) { "user" } else { "assistant" };
        format!("{{\"type\":\"text\",\"role\":\"{role}\",\"text\":\"number {i}\"}}\n")
    };
    (0..count).map(line).collect()
}

#[test]
fn a_run_that_grows_is_followed_at_the_newest_listed_step() {
    let mut stage = growing(10, 20);
    filter(&mut stage, "role:user");
    press(&mut stage, "F");
    assert_eq!(step(&stage), 9);
    grow(&mut stage, 12);
    assert_eq!((step(&stage), listed(&stage)), (9, vec![0, 3, 6, 9]));
    grow(&mut stage, 14);
    assert_eq!((step(&stage), listed(&stage)), (12, vec![0, 3, 6, 9, 12]));
    press(&mut stage, "k");
    assert!(matches!(stage.app.session.live.follow, Follow::Paused { .. }));
    grow(&mut stage, 20);
    assert_eq!((step(&stage), listed(&stage)), (9, vec![0, 3, 6, 9, 12, 15, 18]));
    press(&mut stage, "G");
    assert_eq!((step(&stage), stage.app.session.live.follow), (18, Follow::On), "the end of the list is the end");
}

#[test]
fn only_what_came_is_looked_at_and_a_frame_asks_for_its_rows_alone() {
    let mut stage = growing(3_000, 3_004);
    filter(&mut stage, "role:user");
    set_run(&stage, 3_004);
    let asked = stage.app.update(Msg::Progress { is_complete: true, is_live: true });
    let ranges: Vec<(usize, usize)> = asked
        .iter()
        .filter_map(|effect| match effect {
            Effect::Job(Job::FilterSteps { from, to, .. }) => Some((*from, *to)),
            _ => None,
        })
        .collect();
    assert_eq!(ranges, [(3_000, 3_004)]);
    let again = stage.app.update(Msg::Progress { is_complete: true, is_live: true });
    assert!(
        !again.iter().any(|effect| matches!(effect, Effect::Job(Job::FilterSteps { .. }))),
        "what is asked is not asked again"
    );
    assert!(row_texts(&stage).len() <= 24);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_step_in_focus_is_always_listed(
        terms in proptest::collection::vec(select(vec!["kind:call", "!kind:data", "tool:*", "role:user", "words:hotel", "size>300", "writes>0", "step:10..40", "nowhere"]), 0..3),
        keys in proptest::collection::vec(select(vec!["j", "k", ".", ",", "]u", "[e", "]w", "G", "g", "$", "0", "C-d", "Tab", "Esc", "n", ">", "<", "Backspace", "Enter"]), 0..12),
        size in select(vec![(160, 45), (80, 24), (40, 12)]),
    ) {
        let mut stage = stage(sample("trip-run.jsonl"), size);
        let text = terms.join(" ");
        filter(&mut stage, &text);
        press(&mut stage, "/ type:hotel Enter");
        for key in keys {
            press(&mut stage, key);
            let listed = listed(&stage);
            prop_assert!(listed.is_sorted() && listed.contains(&step(&stage)), "{} {:?}", step(&stage), listed);
            let wanted = passing(&stage, &stage.app.step_filter.filter.to_string());
            let hidden: Vec<_> = listed.iter().filter(|step| !wanted.contains(step)).collect();
            prop_assert!(hidden.is_empty() || hidden == [&step(&stage)]);
            prop_assert_eq!(listed.len() - hidden.len(), wanted.len());
            prop_assert!(stage.buffer().area.width == size.0);
        }
    }
}

#[test]
fn the_command_lists_the_same_steps() {
    let folder = tempfile::tempdir().unwrap();
    let run = |words: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_obelus"))
            .args(words)
            .current_dir(folder.path())
            .env("XDG_CONFIG_HOME", folder.path())
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let file = |name: &str| format!("{}/samples/{name}", env!("CARGO_MANIFEST_DIR"));
    let steps = |file: &str, words: &[&str]| {
        let all: Vec<&str> = ["steps", file, "--json", "--marks", "m"].iter().chain(words).copied().collect();
        let (status, stdout, stderr) = run(&all);
        assert_eq!((status, stderr.as_str()), (Some(0), ""));
        let number = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["step"].as_i64().unwrap();
        stdout.lines().map(|line| StepNo::try_from(number(line)).unwrap()).collect::<Vec<_>>()
    };
    fs::write(folder.path().join("m"), "").unwrap();
    let trip_file = file("trip-run.jsonl");
    let stage = trip();
    for filter in [
        "kind:call tool:*Hotel*",
        "!kind:data size>300",
        "words:Tanaka|tram writes>0",
        "finding:*",
        "reward:none step:3..5",
    ] {
        assert_eq!(steps(&trip_file, &["--where", filter]), passing(&stage, filter), "{filter}");
    }
    assert_eq!(run(&["mark", &trip_file, "--marks", "m", "--step", "12", "--flag", "--tag", "x"]).0, Some(0));
    assert_eq!(steps(&trip_file, &["--where", "mark:flag", "--where", "tag:x"]), [12]);
    let set = file("tickets-std.jsonl");
    assert_eq!(run(&["mark", &set, "--marks", "m", "--record", "1", "--step", "2", "--as", "bad"]).0, Some(0));
    assert_eq!(steps(&set, &["--where", "mark:bad"]), [2]);
    let (status, _, stderr) = run(&["steps", &set, "--where", "steps>2"]);
    assert!(status == Some(2) && stderr.contains("at character 1: steps have no steps to filter by"), "{stderr}");
}

#[test]
fn a_filter_that_nothing_passes_says_so_and_can_be_set_from_any_pane() {
    let mut stage = trip();
    press(&mut stage, "Tab & type:tool:nothing Enter");
    let shown = screen(&stage);
    assert!(shown.contains("No step matches the filter"), "{shown}");
    press(&mut stage, "Esc Esc");
    assert!(!screen(&stage).contains("No step matches"), "to the list first, then without the filter");
}

#[test]
fn the_conversation_has_no_pane_beside_it() {
    let mut stage = stage(sample("fix-session.jsonl"), (120, 30));
    press(&mut stage, "C");
    let footer = screen(&stage).lines().last().unwrap_or_default().to_owned();
    assert!(!footer.contains("Tab") && !footer.contains("zoom"), "{footer}");
    press(&mut stage, "z q");
    assert_eq!(stage.app.pane, Pane::Steps, "there is nothing to zoom, so one key leads back");
    press(&mut stage, "C Tab");
    assert_eq!(stage.app.pane, Pane::Steps);
}

#[test]
fn while_steps_are_scanned_counts_are_lower_bounds_and_steps_that_are_gone_do_not_count() {
    let mut stage = trip();
    let mut steps = StepFilter::default();
    steps.filter = Filter::parse("tool:x", Scope::Steps).unwrap();
    steps.take(5, vec![1, 3]);
    let label = |steps: &StepFilter, stage: &Stage| -> String {
        let open = stage.app.session.open().unwrap();
        steps.label(&open, 60).iter().map(|piece| piece.text.as_str().to_owned()).collect()
    };
    assert!(label(&steps, &stage).starts_with("≥2/"), "{}", label(&steps, &stage));
    let (count, last) = stage.app.session.open().map(|open| (open.count(), open.last())).unwrap();
    steps.take(count, vec![last + 1]);
    assert!(label(&steps, &stage).starts_with("2/"), "{}", label(&steps, &stage));
    for (focus, rows) in [(-1, 2), (0, 3), (3, 2)] {
        stage.app.session.focus.step = focus;
        let open = stage.app.session.open().unwrap();
        assert_eq!(steps.rows(&open).total, rows, "the step in focus has a row, and nothing before the first step has");
    }
}
