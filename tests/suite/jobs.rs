//! The jobs of the screen as threads do them: of keys that are held only the newest request is worked on, nothing that
//! is on the screen is forgotten, and one that fails costs its answer alone.

use super::stage::press;
use crossbeam_channel::{Receiver, Sender, bounded};
use obelus::app::key::KeyPress;
use obelus::app::{App, Effect, Job, Lane, Msg, Pane};
use obelus::model::{Bytes, Problem, Span};
use obelus::shell::headless::Stage;
use obelus::shell::jobs::{Jobs, Source};
use obelus::source::Input;
use obelus::ui::Theme;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(30);

/// Bytes that let nobody read before a gate is dropped, count what is read, and fail when told to.
struct Gated {
    bytes: Arc<dyn Bytes>,
    gate: Receiver<()>,
    reached: Sender<()>,
    reads: AtomicUsize,
    fails: AtomicBool,
}

impl Bytes for Gated {
    fn read(&self, span: Span) -> Result<Vec<u8>, Problem> {
        let _already_sent = self.reached.try_send(());
        let _open = self.gate.recv_timeout(PATIENCE);
        self.reads.fetch_add(1, Ordering::Relaxed);
        assert!(!self.fails.load(Ordering::Relaxed), "the disk is made to fail");
        self.bytes.read(span)
    }
}

/// A program whose jobs run on threads, behind a gate.
pub(crate) struct Threaded {
    pub(crate) app: App,
    source: Source,
    bytes: Arc<Gated>,
    jobs: Jobs,
    answers: Receiver<Msg>,
    gate: Option<Sender<()>>,
    reached: Receiver<()>,
}

impl Threaded {
    pub(crate) fn new(stage: Stage) -> Self {
        let ((gate, closed), (reach, reached)) = (bounded(0), bounded(1));
        let mut source = stage.source();
        let (reads, fails) = (AtomicUsize::new(0), AtomicBool::new(false));
        let bytes = Arc::new(Gated { bytes: Arc::clone(&source.bytes), gate: closed, reached: reach, reads, fails });
        source.bytes = Arc::clone(&bytes) as Arc<dyn Bytes>;
        let (jobs, answers) = Jobs::start().unwrap();
        Self { app: stage.app, source, bytes, jobs, answers, gate: Some(gate), reached }
    }

    pub(crate) fn send(&mut self, msg: Msg) {
        let effects = self.app.update(msg);
        self.source.run.clone_from(&self.app.session.run);
        for effect in effects {
            match effect {
                Effect::Job(job) => self.jobs.submit(self.source.clone(), job),
                Effect::Stop(lane) => self.jobs.stop(lane),
                _ => {}
            }
        }
    }

    /// Presses a key `times` times, while the first job that reads waits at the gate, if it is still closed.
    fn hold(&mut self, key: &str, times: usize) {
        self.hold_words(&[key], times);
    }

    /// The same of keys that belong together.
    pub(crate) fn hold_words(&mut self, keys: &[&str], times: usize) {
        let keys: Vec<KeyPress> = keys.iter().map(|key| key.parse().unwrap()).collect();
        for time in 0..times {
            keys.iter().for_each(|key| self.send(Msg::Key(*key)));
            if time == 0 && self.gate.is_some() {
                self.reached.recv_timeout(PATIENCE).unwrap();
            }
        }
    }

    /// Opens the gate and takes answers until the screen has what it wants; which answers came.
    pub(crate) fn settle(&mut self, is_there: impl Fn(&App) -> bool) -> Vec<String> {
        self.gate = None;
        let mut names = Vec::new();
        while !is_there(&self.app) {
            let msg = self.answers.recv_timeout(PATIENCE).expect("the screen gets what it wants");
            names.push(format!("{msg:?}").split(['(', ' ']).next().unwrap().to_owned());
            self.send(msg);
        }
        names
    }
}

fn stage(name: &str, text: String) -> Stage {
    Stage::open(Input::memory(name, text), None, (120, 30), Theme::built_in("dark").unwrap()).unwrap()
}

/// A run of `steps` messages.
fn run(steps: usize) -> String {
    let line = |i: usize| format!("{{\"type\":\"text\",\"role\":\"user\",\"text\":\"said {i}\",\"_tick\":{i}}}\n");
    let header = r#"{"type":"system","role":"system","text":"Help."}"#.to_owned() + "\n";
    let state = r#"{"type":"state","state":{"n":1}}"#.to_owned() + "\n";
    [header, state].into_iter().chain((0..steps).map(line)).collect()
}

fn count(names: &[String], name: &str) -> usize {
    names.iter().filter(|other| *other == name).count()
}

#[test]
fn of_a_step_key_that_is_held_two_llm_views_are_made() {
    let mut stage = stage("run.jsonl", run(300));
    press(&mut stage, "2 g");
    let mut threaded = Threaded::new(stage);
    threaded.hold(".", 100);
    let step = threaded.app.session.focus.step;
    assert_eq!(step, 100);
    let names = threaded.settle(|app| app.inspector.llm.text.shown().is_some_and(|of| of.step == step));
    assert!((1..=2).contains(&count(&names, "View")), "the one that ran and the last: {names:?}");
}

#[test]
fn rows_of_a_table_that_is_scrolled_by_are_not_read_and_those_on_the_screen_all_are() {
    let record = |i: usize| {
        let said = format!(r#"{{"role":"user","content":"go {i}"}},{{"role":"assistant","content":"done"}}"#);
        format!("{{\"id\":\"r{i}\",\"messages\":[{said}]}}\n")
    };
    let mut stage = stage("set.jsonl", (0..5_000).map(record).collect());
    stage.app.table.clear();
    let mut threaded = Threaded::new(stage);
    threaded.hold("PageDown", 100);
    let height = threaded.app.pane_extent(Pane::Table).height - 1;
    let is_there = |app: &App| app.table.records_to_read(&app.session, height).is_empty();
    assert!(!is_there(&threaded.app));
    threaded.settle(is_there);
    let read = threaded.bytes.reads.load(Ordering::Relaxed);
    assert!(read <= 4 * height, "of 100 pages of {height} rows the last is read: {read}");
}

#[test]
fn a_job_that_fails_is_reported_and_the_next_one_of_its_lane_is_done() {
    let mut stage = stage("run.jsonl", run(300));
    press(&mut stage, "2 g");
    let mut threaded = Threaded::new(stage);
    threaded.bytes.fails.store(true, Ordering::Relaxed);
    threaded.hold(".", 1);
    let is_reported = |app: &App| app.notice.as_ref().is_some_and(|notice| notice.is_error);
    assert_eq!(count(&threaded.settle(is_reported), "JobFailed"), 1);
    let message = threaded.app.notice.clone().unwrap().text;
    assert!(message.starts_with("making the LLM view failed") && message.contains("please report it"), "{message}");
    threaded.bytes.fails.store(false, Ordering::Relaxed);
    threaded.send(Msg::Key(".".parse().unwrap()));
    threaded.settle(|app| app.inspector.llm.text.shown().is_some_and(|of| of.step == 2));
}

#[test]
fn a_search_that_is_given_up_is_stopped_outside() {
    let mut stage = stage("run.jsonl", run(300));
    press(&mut stage, "g /");
    let typed = "nowhere".chars().map(KeyPress::char).chain(["Enter".parse().unwrap()]);
    let asked: Vec<Effect> = typed.flat_map(|key| stage.app.update(Msg::Key(key))).collect();
    assert!(asked.iter().any(|effect| matches!(effect, Effect::Job(Job::Find { .. }))), "{asked:?}");
    let given_up = stage.app.update(Msg::Key("Esc".parse().unwrap()));
    assert!(given_up.iter().any(|effect| matches!(effect, Effect::Stop(Lane::Find))), "{given_up:?}");
    let again = stage.app.update(Msg::Key("Esc".parse().unwrap()));
    assert!(!again.iter().any(|effect| matches!(effect, Effect::Stop(_))), "{again:?}");
}

#[test]
fn what_fails_in_a_job_ends_what_waited_for_it() {
    let mut stage = stage("set.jsonl", "{\"messages\":[]}\n".repeat(30));
    let lanes = [
        Lane::Open,
        Lane::Scan,
        Lane::CheckData,
        Lane::Arrange,
        Lane::FilterSteps,
        Lane::Find,
        Lane::Ask(1),
        Lane::AskAll(1),
        Lane::Highlight,
    ];
    stage.app.table.is_checking = true;
    stage.app.table.is_arranging = true;
    stage.app.search.awaited = Some(1);
    for lane in lanes {
        stage.send(Msg::JobFailed(lane, "src/x.rs:1:1".to_owned()));
        let notice = stage.app.notice.take().unwrap();
        assert!(notice.is_error && notice.text.contains("src/x.rs:1:1"), "{lane:?}: {notice:?}");
    }
    let App { table, search, .. } = &stage.app;
    assert_eq!((table.is_checking, table.is_arranging, search.awaited), (false, false, None));
}
