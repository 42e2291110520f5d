//! What is wrong with a dataset beside what its format says: records that repeat one another or another dataset, calls
//! and answers that do not fit, runs that end badly, damaged text, secrets.
//!
//! A record is looked at by itself ([`look`]); a [`Dataset`] takes what was seen in order and keeps digests and
//! sketches of fixed size, no records. What only the whole reports comes at the end of each file.

mod account_numbers;
mod calls;
mod cards;
mod encoding;
mod endings;
mod families;
mod generated;
mod looked;
mod near_duplicates;
mod personal;
mod pieces;
mod questions;
mod sample_index;
mod sample_sketch;
mod secrets;
mod sizes;
mod taken;
mod targets;
mod texts;
mod tools;
mod words;

use super::digest;
use crate::json::Value;
use crate::model::cast;
use crate::model::{Finding, LocatedFinding, Place, Record, Remark, Severity, StepNo, StepRole};
use crate::rules::trajectory::{Reading, RecordShape, Way, read_text};
pub use families::{AskedQuestions, CopyKind, Crossing, Families, Likeness};
pub use looked::{look, look_at_value};
use near_duplicates::Sketch;
pub(crate) use personal::PERSONAL;
pub use pieces::in_pieces;
use questions::Contained;
pub use questions::{QUESTION_WORDS, QUESTION_WORDS_RANGE, QuestionRuns, Questions};
use sample_index::{Match, SampleIndex, Source};
pub use sample_sketch::{SampleSketch, sketch};
pub(crate) use secrets::{NAMES, SHAPES};
use sizes::{Size, Sizes};
use std::collections::{HashMap, HashSet};
use std::num::NonZeroU64;
use std::sync::Arc;
pub use taken::Taken;
use targets::{CallTarget, Label};
pub use tools::arguments_fault;

/// The rule that `--against` asks for.
pub const CONTAMINATED: &str = "data.contaminated";

/// What the records of a file are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A trajectory or sample each.
    Sample,
    /// Messages of one run, which repeat one another for good reasons: only their texts are looked at.
    Message,
}

/// One record, looked at by itself.
#[derive(Debug)]
pub struct LookedSample {
    record: usize,
    place: Place,
    findings: Vec<PendingFinding>,
    /// The body of a sample; None: the record is not one.
    body: Option<Body>,
    /// The question of the other dataset that it holds.
    contained: Option<(Contained, String)>,
}

/// A finding in a record.
#[derive(Debug)]
struct PendingFinding {
    located: LocatedFinding,
    /// The digest of rule and text, for a text that is reported once however many records have it.
    text: Option<u128>,
}

/// What is kept of a sample.
#[derive(Debug)]
struct Body {
    path: String,
    digest: u128,
    sketch: Option<Sketch>,
    size: Option<Size>,
    /// A digest of its id.
    id: Option<NonZeroU64>,
    /// Whether a rule of its format gives a copy of it in the same file (D15).
    is_compared: bool,
    /// How good it is said to be.
    label: Option<Label>,
    /// What was asked and answered.
    target: Option<CallTarget>,
}

/// How values are compared: [`digest::of`] where samples that are alike are left out or joined elsewhere,
/// [`digest::quick`] where they are reported.
type Digest = fn(&Value<'_>) -> u128;

/// What copies and near copies of a sample are found by: near copies without the instructions of the system.
fn identity(reading: &Reading<'_>, digest: Digest) -> (u128, Option<Sketch>) {
    let value = reading.steps();
    let all = || {
        if reading.shape == RecordShape::Other {
            digest(reading.root)
        } else {
            targets::content_digest(reading, digest)
        }
    };
    let body = value.map_or_else(all, digest);
    // A system prompt beside the steps is part of what is learned.
    let digest = reading.system_prompt().map_or(body, |prompt| targets::folded([digest(prompt), body].into_iter()));
    let sketch = match reading.shape {
        RecordShape::Other => Sketch::of([reading.root].into_iter()),
        // Samples of one agent have its instructions in common, however different they are.
        _ => {
            let entries = reading.entries.iter().filter(|entry| entry.role != StepRole::System);
            Sketch::of(entries.map(|entry| entry.value))
        }
    };
    (digest, sketch)
}

/// Members that say when an event was, and members that say which event it was, of logs.
const EVENT_TIMES: [&str; 4] = ["ts", "timestamp", "time", "@timestamp"];
const EVENT_KINDS: [&str; 6] = ["kind", "type", "event", "level", "msg", "severity"];

/// Whether a record is an event of a log: equal ones are no copies of a sample.
fn is_event(root: &Value<'_>) -> bool {
    let is_any = |names: &[&str]| names.iter().any(|name| root.get(name).is_some());
    is_any(&EVENT_TIMES) && is_any(&EVENT_KINDS)
}

/// What is compared of a sample; None of one that says nothing, and of an event of a log.
fn body(reading: &Reading<'_>) -> Option<Body> {
    let value = reading.steps();
    let is_empty = value.is_some_and(|steps| steps.as_array().is_some_and(<[_]>::is_empty));
    if is_empty || (reading.shape == RecordShape::Other && is_event(reading.root)) {
        return None;
    }
    let (digest, sketch) = identity(reading, digest::quick);
    Some(Body {
        path: reading.body.unwrap_or_default().to_owned(),
        digest,
        sketch,
        size: value.map(|_| Size::of(&reading.entries)),
        id: reading.name().and_then(|id| NonZeroU64::new(cast::low_u64(digest::of(id)))),
        is_compared: value.is_some(),
        label: targets::label(reading.root),
        target: targets::target(reading),
    })
}

/// Runs of `words` words of the question of a record, to be learned with it.
#[must_use]
pub fn question(record: &Record, text: &[u8], way: Way, words: usize) -> QuestionRuns {
    read_text(record, text).map(|root| questions::runs(&way.read(&root), words)).unwrap_or_default()
}

/// Where the checks of one record put their findings.
struct Report<'t> {
    record: usize,
    place: Place,
    text: &'t [u8],
    /// Whether the record is a row of columns.
    is_row: bool,
    findings: Vec<PendingFinding>,
}

impl Report<'_> {
    /// Adds a warning about a value of the record.
    fn warning(
        &mut self,
        step: Option<usize>,
        path: String,
        at: &Value<'_>,
        rule: &'static str,
        message: impl Into<String>,
    ) {
        let before = self.text.get(..at.start).unwrap_or_default();
        let line = self.place.line + memchr::memchr_iter(b'\n', before).count() as u64;
        let place = Place { span: self.place.span.part(at.start, at.text.len()), line };
        let step = step.and_then(|step| StepNo::try_from(step).ok());
        let found = located_finding(self.record, step, path, rule, Severity::Warning, message.into(), place);
        self.findings.push(PendingFinding { located: found, text: None });
    }
}

fn located_finding(
    record: usize,
    step: Option<StepNo>,
    path: String,
    rule: &'static str,
    severity: Severity,
    message: String,
    place: Place,
) -> LocatedFinding {
    let (path, message) = (Some(path.into()), message.into());
    LocatedFinding { finding: Finding::new(record, step, Remark { path, rule, severity, message }), place }
}

/// Samples that share so much of their runs of five words are nearly the same, where nothing else is said.
pub const NEAR: f64 = 0.85;

/// What was seen so far of a dataset, and of the one that it must not share samples with.
#[derive(Debug)]
pub struct Dataset {
    near: f64,
    index: SampleIndex,
    other_index: SampleIndex,
    /// Where each question of the other dataset is.
    asked: Vec<Source>,
    sizes: Sizes,
    /// Texts that were reported, by their digests.
    reported_texts: HashSet<u128>,
    /// Files of which it was reported that the one that is read has records of theirs.
    versions: HashSet<usize>,
    /// Number of records of the file that is read.
    records: usize,
    /// Number of its samples.
    samples: usize,
    /// Its samples that end in an open call.
    open_ends: Vec<LocatedFinding>,
    /// The first answer to each prompt, of the record that has it.
    targets: HashMap<u128, (u128, Source)>,
    /// Samples of the file that is read that answer a prompt differently than an earlier one.
    other_targets: Vec<LocatedFinding>,
}

impl Dataset {
    /// Nothing seen yet. Samples that share at least `near` (0 to 1) of their runs of five words are near duplicates.
    #[must_use]
    pub fn new(near: f64) -> Self {
        Self {
            near,
            index: SampleIndex::default(),
            other_index: SampleIndex::default(),
            asked: Vec::new(),
            sizes: Sizes::default(),
            reported_texts: HashSet::new(),
            versions: HashSet::new(),
            records: 0,
            samples: 0,
            open_ends: Vec::new(),
            targets: HashMap::new(),
            other_targets: Vec::new(),
        }
    }

    /// Begins a file of the dataset with which nothing may be shared.
    pub fn begin_other(&mut self, file: &str) {
        self.other_index.files.push(file.to_owned());
    }

    /// Takes the next record of that dataset. Its question goes to `questions`, which are looked for in what comes.
    pub fn learn(&mut self, looked: LookedSample, runs: QuestionRuns, questions: &mut Questions) {
        let source = Source {
            file: self.other_index.files.len().saturating_sub(1),
            record: looked.record,
            id: None,
            label: None,
        };
        // Numbers of questions count those that are asked first.
        if questions.add(runs) {
            self.asked.push(source);
        }
        if let Some(body) = looked.body {
            self.other_index.add(looked.record, body);
        }
    }

    /// Begins a file.
    pub fn begin(&mut self, file: &str) {
        self.index.files.push(file.to_owned());
        self.sizes = Sizes::default();
        self.versions.clear();
        (self.records, self.samples) = (0, 0);
    }

    /// Takes the next record of the file; its findings.
    pub fn take(&mut self, mut looked: LookedSample) -> Taken {
        let is_new = |pending: &PendingFinding| pending.text.is_none_or(|text| self.reported_texts.insert(text));
        let (new, again): (Vec<_>, Vec<_>) = std::mem::take(&mut looked.findings).into_iter().partition(is_new);
        let located = |pending: PendingFinding| pending.located;
        let new = self.with_others(looked, new.into_iter().map(located));
        Taken { new, again: again.into_iter().map(located).collect() }
    }

    /// What is found in a record by itself, and beside others, in order.
    fn with_others(&mut self, looked: LookedSample, all: impl Iterator<Item = LocatedFinding>) -> Vec<LocatedFinding> {
        let LookedSample { record, place, body, contained: question, .. } = looked;
        self.records += 1;
        // Whether these are cut off only the file reports.
        let (open_ends, mut all): (Vec<LocatedFinding>, Vec<LocatedFinding>) =
            all.partition(|found| endings::is_open(&found.finding));
        self.open_ends.extend(open_ends);
        all.extend(self.contaminated(record, place, body.as_ref(), question));
        let Some(body) = body else { return all };
        self.samples += 1;
        all.extend(self.conflicting_label(record, place, &body));
        let other_target = self.other_target(record, place, &body);
        let mut report = |rule, severity, message| {
            all.push(located_finding(record, None, body.path.clone(), rule, severity, message, place));
        };
        let like = self.index.find(&body, self.near);
        // A copy has the same prompt, which is reported with it.
        let is_same = matches!(like, Some(Match::Same(_)));
        self.other_targets.extend(other_target.filter(|_| !is_same));
        match like {
            Some(Match::Same(source)) if !body.is_compared || source.file + 1 != self.index.files.len() => {
                let message = format!("{} is the same sample", self.index.name(source, true));
                report("data.duplicate", Severity::Warning, message);
            }
            Some(Match::Near(source, share)) => {
                let name = self.index.name(source, true);
                if !self.index.is_version(source, &body) {
                    report("data.near-duplicate", Severity::Warning, format!("{name} {}", shares(share)));
                } else if self.versions.insert(source.file) {
                    let message =
                        format!("{name} {} and the same id: the files may hold the same samples", shares(share));
                    report("data.near-duplicate", Severity::Warning, message);
                }
            }
            _ => {}
        }
        if let Some(size) = body.size {
            self.sizes.add(record, place, &body.path, size);
        }
        self.index.add(record, body);
        all.sort_by(|a, b| a.finding.order().cmp(&b.finding.order()));
        all
    }

    /// Whether a record of the same content is said to be better or worse.
    fn conflicting_label(&self, record: usize, place: Place, body: &Body) -> Option<LocatedFinding> {
        let (source, label) = (self.index.bodies.get(&body.digest)?, body.label?);
        let other = source.label.filter(|other| other.name == label.name && *other != label)?;
        let name = self.index.name(*source, true);
        let message = format!("{name} has the same content and another `{}`", other.name);
        Some(located_finding(
            record,
            None,
            body.path.clone(),
            "data.conflicting-label",
            Severity::Warning,
            message,
            place,
        ))
    }

    /// Whether a record answers the same prompt otherwise.
    fn other_target(&mut self, record: usize, place: Place, body: &Body) -> Option<LocatedFinding> {
        let CallTarget { prompt, answer } = body.target?;
        let source = self.index.source(record, body);
        let (first, source) = *self.targets.entry(prompt).or_insert((answer, source));
        if first == answer || self.index.is_version(source, body) {
            return None;
        }
        let message = format!("{} has the same prompt and another answer", self.index.name(source, true));
        Some(located_finding(record, None, body.path.clone(), "data.other-target", Severity::Warning, message, place))
    }

    /// Whether the other dataset has a sample, or the question that it holds.
    fn contaminated(
        &self,
        record: usize,
        place: Place,
        body: Option<&Body>,
        contained: Option<(Contained, String)>,
    ) -> Option<LocatedFinding> {
        let finding =
            |step, path, message| located_finding(record, step, path, CONTAMINATED, Severity::Error, message, place);
        let sample = body.and_then(|body| Some((body, self.other_index.find(body, self.near)?)));
        if let Some((body, like)) = sample {
            let message = match like {
                Match::Same(source) => format!("{} is the same sample", self.other_index.name(source, false)),
                Match::Near(source, share) => format!("{} {}", self.other_index.name(source, false), shares(share)),
            };
            return Some(finding(None, body.path.clone(), message));
        }
        let (contained, path) = contained?;
        let name = self.other_index.name(*self.asked.get(contained.question)?, false);
        let step = contained.step.and_then(|step| StepNo::try_from(step).ok());
        let Contained { share, words, .. } = contained;
        let message = format!("has the question of {name}: {:.0} % of its runs of {words} words", share * 100.0);
        Some(finding(step, path, message))
    }

    /// Ends the file: the findings that only all its records report, in order.
    pub fn end(&mut self) -> Vec<LocatedFinding> {
        let outliers = std::mem::take(&mut self.sizes).outliers();
        let outlier_finding = |outlier: sizes::Outlier| {
            let (rule, severity) = ("data.outlier", Severity::Warning);
            located_finding(outlier.record, None, outlier.path, rule, severity, outlier.message, outlier.place)
        };
        let mut open_ends = std::mem::take(&mut self.open_ends);
        fold_most(&mut open_ends, self.samples, endings::OPEN_BY_DESIGN);
        let mut targets = std::mem::take(&mut self.other_targets);
        fold_most(&mut targets, self.samples, targets::SEVERAL_BY_DESIGN);
        let mut all: Vec<LocatedFinding> =
            outliers.into_iter().map(outlier_finding).chain(open_ends).chain(targets).collect();
        if self.records == 0 {
            let message = "the file has no record: nothing was written, or nothing was left of it".to_owned();
            let place = Place { line: 1, ..Place::default() };
            all.push(located_finding(0, None, String::new(), "data.no-records", Severity::Warning, message, place));
        }
        all.sort_by(|a, b| a.finding.order().cmp(&b.finding.order()));
        all
    }
}

/// Findings of one kind are by design if there are at least this many, in more than half of the samples of a file.
const BY_DESIGN_MIN: usize = 3;

/// A finding that most samples of a file have is reported once, at the first; `what` says what these samples do.
fn fold_most(all: &mut Vec<LocatedFinding>, samples: usize, what: &str) {
    let count = all.len();
    if count < BY_DESIGN_MIN || count * 2 <= samples {
        return;
    }
    all.truncate(1);
    if let Some(first) = all.first_mut() {
        let message = format!("{count} of {samples} samples of this file {what}").into();
        first.finding.remark = Arc::new(Remark { message, ..first.finding.remark.as_ref().clone() });
    }
}

fn shares(share: f64) -> String {
    format!("has about {:.0} % of the same runs of words", share * 100.0)
}
