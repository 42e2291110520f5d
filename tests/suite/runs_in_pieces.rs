//! Every format tells the same of a file that comes in pieces, as a follower reads it, as of the whole: steps, state,
//! findings.

use super::changed_samples::{Change, apply, cases, change};
use super::command::sample;
use obelus::format::{CustomFormat, FORMATS, Format, Layout, Revision, Run};
use obelus::framing::Framer;
use obelus::model::{Finding, Record, RecordBody, Step, StepNo};
use obelus::source::{Input, RecordIndex, index_all};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use std::fs;
use std::sync::Arc;

/// All that a run tells.
#[derive(Debug, PartialEq)]
struct RunReport {
    steps: Vec<Step>,
    /// Before any step, in the middle, at the end.
    states: Vec<Vec<(&'static str, String)>>,
    findings: Vec<Arc<Finding>>,
    errors: Vec<StepNo>,
    title: Option<String>,
    trajectories: usize,
}

fn report(run: &dyn Run, bytes: &Vec<u8>) -> RunReport {
    let count = StepNo::try_from(run.step_count()).unwrap();
    let state = |step| {
        let members = run.state(step, bytes);
        members.into_iter().map(|(name, value)| (name, value.get().to_owned())).collect()
    };
    RunReport {
        steps: (0..count).map(|step| run.step(step, bytes)).collect(),
        states: [-1, count / 2, count - 1].map(state).into(),
        findings: run.findings(),
        errors: run.error_steps(),
        title: run.title(),
        trajectories: run.trajectory_count(),
    }
}

fn push(run: &mut dyn Run, record: &Record, bytes: &Vec<u8>) {
    let span = record.place.span;
    let text = &bytes[span.offset as usize..span.end() as usize];
    let text = if matches!(record.body, RecordBody::Broken(_)) { &text[..text.len().min(1 << 16)] } else { text };
    run.push(record, text, bytes);
}

fn whole(format: &dyn Format, text: &[u8]) -> RunReport {
    let bytes = text.to_vec();
    let mut run = format.run();
    for record in index_all(&Input::memory("whole", text), format.framing()).unwrap().iter() {
        push(run.as_mut(), &record, &bytes);
    }
    run.finish(&bytes);
    report(run.as_ref(), &bytes)
}

/// What a follower does: it frames what came, pushes what is whole, and looks ahead whenever it waits.
struct Following {
    format: &'static dyn Format,
    framer: Framer,
    index: RecordIndex,
    version: u64,
    pushed: usize,
    run: Box<dyn Run>,
    /// Steps with the state at each, as the screen stores them of one revision of the run.
    described: Vec<(String, String)>,
    revision: Revision,
}

impl Following {
    fn new(format: &'static dyn Format) -> Self {
        let (framer, index) = (Framer::new(format.framing()), RecordIndex::default());
        let version = index.version();
        let (described, revision) = (Vec::new(), Revision::default());
        Self { format, framer, index, version, pushed: 0, run: format.run(), described, revision }
    }

    /// What is stored of steps is what they are, as long as the run is of the same revision.
    fn describe(&mut self, bytes: &Vec<u8>) {
        if self.run.revision() != self.revision {
            self.described.clear();
            self.revision = self.run.revision();
        }
        let count = StepNo::try_from(self.run.step_count()).unwrap();
        let state = |step| self.run.state(step, bytes).iter().map(|(name, value)| format!("{name}{value}")).collect();
        let describe = |step| (format!("{:?}", self.run.step(step, bytes)), state(step));
        let now: Vec<(String, String)> = (0..count).map(describe).collect();
        for (step, (before, now)) in self.described.iter().zip(&now).enumerate() {
            assert_eq!(before, now, "step {step} of {} is another than it was", self.format.name());
        }
        self.described = now;
    }

    fn push(&mut self, bytes: &Vec<u8>) {
        // Records that were taken back: the run begins anew.
        if self.index.version() != self.version {
            (self.version, self.pushed, self.run) = (self.index.version(), 0, self.format.run());
            self.described.clear();
        }
        while let Some(record) = self.index.get(self.pushed) {
            push(self.run.as_mut(), &record, bytes);
            self.pushed += 1;
        }
    }

    fn grow(&mut self, text: &[u8], end: usize, looks_ahead: bool) {
        let bytes = text[..end].to_vec();
        while (self.framer.position() as usize) < end {
            let from = self.framer.position() as usize;
            self.framer.feed(&bytes[from..], &mut self.index);
        }
        self.push(&bytes);
        self.describe(&bytes);
        if looks_ahead {
            self.run.catch_up(&bytes);
            let ahead = self.run.look_ahead(&bytes);
            self.run.settle(ahead);
            self.describe(&bytes);
            report(self.run.as_ref(), &bytes);
        }
    }

    fn end(mut self, text: &[u8]) -> RunReport {
        self.grow(text, text.len(), false);
        let bytes = text.to_vec();
        while !self.framer.finish(&mut self.index) {
            let from = self.framer.position() as usize;
            self.framer.feed(&bytes[from..], &mut self.index);
        }
        self.push(&bytes);
        self.run.finish(&bytes);
        self.describe(&bytes);
        report(self.run.as_ref(), &bytes)
    }
}

fn in_pieces(format: &'static dyn Format, text: &[u8], cuts: &[(Index, bool)]) -> RunReport {
    let mut cuts: Vec<(usize, bool)> = cuts.iter().map(|(at, looks)| (at.index(text.len() + 1), *looks)).collect();
    cuts.sort_unstable();
    let mut following = Following::new(format);
    cuts.into_iter().for_each(|(end, looks_ahead)| following.grow(text, end, looks_ahead));
    following.end(text)
}

/// All rows whose files are one run, each with its samples; and a custom one.
fn formats() -> Vec<(&'static dyn Format, Vec<Vec<u8>>)> {
    let rows = FORMATS.iter().flat_map(|&format| [Some(format), format.alternative()]).flatten();
    let runs = rows.filter(|format| format.layout() == Layout::Run && !format.samples().is_empty());
    let texts = |format: &dyn Format| format.samples().iter().map(|sample| sample.as_bytes().to_vec()).collect();
    let mut all: Vec<(&'static dyn Format, Vec<Vec<u8>>)> = runs.map(|format| (format, texts(format))).collect();
    let read = |name: &str| fs::read(sample(name)).unwrap();
    let custom = String::from_utf8(read("relay-format.toml")).unwrap();
    let custom = CustomFormat::parse("relay-format.toml", &custom).unwrap();
    all.push((Box::leak(Box::new(custom)), vec![read("relay-run.jsonl")]));
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(16), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pieces_report_what_the_whole_reports(
        changes in vec(change(), 0..4),
        cuts in vec((any::<Index>(), any::<bool>()), 0..6),
        seed in any::<Index>(),
    ) {
        for (format, samples) in formats() {
            let sample = samples[seed.index(samples.len())].clone();
            let text = changes.iter().fold(sample, |text, change: &Change| apply(text, change));
            let (expected, report) = (whole(format, &text), in_pieces(format, &text, &cuts));
            prop_assert_eq!(expected, report, "{} of {}", format.name(), String::from_utf8_lossy(&text));
        }
    }
}
