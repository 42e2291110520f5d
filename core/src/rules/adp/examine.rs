//! D1, D16: a record from its bytes to its findings and statistics.

use super::atif;
use super::chat;
use super::check;
use super::details;
use super::links;
use super::lint;
use super::report::Report;
use super::show;
use super::work::{self, RunOutcome};
use crate::json::{self, Value};
use crate::model::{Finding, LocatedFinding, Place, Record, RunFacts, RunPart, StepRole};
use crate::rules::digest;
use crate::rules::statistics::{RepeatKeys, TrajectoryStats, reward};
use crate::rules::trajectory::visible_bytes;
use crate::rules::trajectory::{
    AnswerFacts, ReadRecord, Reading, RecordName, RecordShape, TrajectoryStep, Way, parts as parts_of, read_text,
    run_facts, task_key,
};
use crate::rules::work::ToolOutcomes;
use std::cell::OnceCell;

/// What checks and statistics say of one record by itself.
#[derive(Debug)]
pub struct Examined {
    /// Its number.
    pub record: usize,
    /// D1: whether its bytes are one JSON text.
    pub is_read: bool,
    /// D16: its findings, without those of D15, in order.
    pub findings: Vec<LocatedFinding>,
    /// D22: its statistics; None for a record that cannot be read, or where it was not asked for.
    pub stats: Option<TrajectoryStats>,
    /// D15: what of it may repeat; give it to [`Repeats::note`](crate::rules::statistics::Repeats::note) in the
    /// order of the file.
    pub keys: RepeatKeys,
    /// What a table shows beside; None where it was not asked for.
    pub overview: Option<RecordOverview>,
    /// Other files that it refers to.
    pub parts: Vec<RunPart>,
}

impl Examined {
    /// Renumbers the record from an earlier place of the input, `records` records and `lines` lines before.
    pub fn shift(&mut self, records: usize, lines: u64) {
        self.record += records;
        self.findings.iter_mut().for_each(|found| found.shift(records, lines));
        self.stats.iter_mut().for_each(|stats| stats.record += records);
        self.keys.shift(lines);
        self.parts.iter_mut().for_each(|part| part.record += records);
    }
}

/// What a table shows of a record beside its statistics.
#[derive(Debug, Clone, Default)]
pub struct RecordOverview {
    /// What it is called: its id, or what stands for one; empty without.
    pub title: String,
    /// What it says of its id and its task.
    pub name: RecordName,
    /// What the first user step says, else the first step, in one line at most.
    pub words: String,
    /// Bytes that a model sees, about.
    pub visible_bytes: u64,
    /// The key of the task that it is an attempt at; None: it names none.
    pub task: Option<u64>,
    /// Its answers, if it has several.
    pub answers: Vec<AnswerFacts>,
    /// Its reward, also where its notes alone say one, which D22 does not count.
    pub reward: Option<f64>,
    /// What it reports of its run as a whole.
    pub run: RunFacts,
    /// W4: steps with a result that is an error; 0 where findings were not asked for.
    pub failed: u64,
    /// W4: steps with a result that is suspect; likewise.
    pub suspect: u64,
    /// W4: how the calls of each tool came out, where that was asked for.
    pub outcomes: Vec<(String, ToolOutcomes)>,
}

/// D1 to D22, W4, W11: examines one record, read in that way, and what its run did.
#[must_use]
pub fn examine(record: &Record, text: &[u8], way: Way) -> Examined {
    // These digests are reported.
    with_work(record, (text, &read_text(record, text)), way, digest::of, |reading, keys, done| {
        let stats = TrajectoryStats::of(reading, record.number).with_digests(keys.digests());
        (Some(TrajectoryStats { failed: done.failed, suspect: done.suspect, ..stats }), None)
    })
}

/// D1 to D22, W4, W11: examines one record and what its run did, and takes what a table shows beside.
#[must_use]
pub fn examine_with_overview(record: &Record, text: &[u8], way: Way) -> Examined {
    with_work(record, (text, &read_text(record, text)), way, digest::quick_key, |reading, _, done| {
        let (stats, mut overview) = stats_and_overview(record, reading);
        overview.iter_mut().for_each(|overview| (overview.failed, overview.suspect) = (done.failed, done.suspect));
        (stats, overview)
    })
}

/// D22: the same without a look at what the rules find, which costs most.
#[must_use]
pub fn measure(record: &Record, text: &[u8], way: Way) -> Examined {
    look(record, text, way, None, |reading, _| stats_and_overview(record, reading))
}

/// D22: the id of one record and its first words alone.
#[must_use]
pub fn head(record: &Record, text: &[u8], way: Way) -> Examined {
    head_with(record, text, way, show::summary)
}

/// D22: the same with all of the first text of the user.
#[must_use]
pub fn whole_head(record: &Record, text: &[u8], way: Way) -> Examined {
    head_with(record, text, way, show::line)
}

fn head_with(record: &Record, text: &[u8], way: Way, words: fn(&TrajectoryStep<'_>) -> String) -> Examined {
    look(record, text, way, None, |reading, _| {
        let (title, words) = (title(reading), first_step(reading).map(words).unwrap_or_default());
        let stats = TrajectoryStats { record: record.number, ..TrajectoryStats::default() };
        let name = RecordName::of(reading.root);
        (Some(stats), Some(RecordOverview { title, name, words, ..RecordOverview::default() }))
    })
}

fn title(reading: &Reading<'_>) -> String {
    reading.name().map(|id| id.as_str().unwrap_or(id.text).to_owned()).unwrap_or_default()
}

/// The first step of the user, else the first.
fn first_step<'r, 'a>(reading: &'r Reading<'a>) -> Option<&'r TrajectoryStep<'a>> {
    reading.entries.iter().find(|entry| entry.role == StepRole::User).or(reading.entries.first())
}

fn first_words(reading: &Reading<'_>) -> String {
    first_step(reading).map(show::summary).unwrap_or_default()
}

/// What a survey wants of a record: its statistics, its overview.
type SurveyParts = (Option<TrajectoryStats>, Option<RecordOverview>);

fn stats_and_overview(record: &Record, reading: &Reading<'_>) -> SurveyParts {
    let stats = TrajectoryStats::of(reading, record.number);
    let name = RecordName::of(reading.root);
    let task = reading.answers().next().and(name.task.as_deref()).map(task_key);
    let answers = AnswerFacts::all_of(reading);
    let (title, words, visible_bytes) = (title(reading), first_words(reading), visible_bytes(reading));
    let reward = reward(reading);
    let overview = RecordOverview { title, name, words, visible_bytes, task, answers, ..RecordOverview::default() };
    (Some(stats), Some(RecordOverview { reward, run: run_facts(reading), ..overview }))
}

/// D22, W4: how the calls of one record came out, beside its statistics.
#[must_use]
pub fn outcomes(record: &Record, text: &[u8], way: Way) -> Examined {
    look(record, text, way, None, |reading, _| {
        let RunOutcome { failed, suspect, outcomes, .. } = work::run_outcome(reading, record.number);
        let stats = TrajectoryStats::of(reading, record.number);
        (
            Some(stats),
            Some(RecordOverview { failed, suspect, outcomes, reward: reward(reading), ..RecordOverview::default() }),
        )
    })
}

/// D1 to D18, W11: examines one record and what its run did, without its statistics.
#[must_use]
pub fn judge(record: &Record, text: &[u8], way: Way) -> Examined {
    judge_read(record, text, &read_text(record, text), way)
}

/// The same of a record that was parsed already.
#[must_use]
pub fn judge_read(record: &Record, text: &[u8], read: &ReadRecord<'_>, way: Way) -> Examined {
    with_work(record, (text, read), way, digest::quick_key, |_, _, _| (None, None))
}

/// Examines one record with what is found in what its run did.
fn with_work(
    record: &Record,
    (text, read): (&[u8], &ReadRecord<'_>),
    way: Way,
    digest: fn(&Value<'_>) -> u128,
    finish: impl FnOnce(&Reading<'_>, &RepeatKeys, &RunOutcome) -> SurveyParts,
) -> Examined {
    let (mut of_work, places) = (Vec::new(), Places::new(text, record.place));
    let mut examined = look_at(record, (&places, read), way, Some(digest), |reading, keys| {
        let done = work::run_outcome(reading, record.number);
        for finding in &done.findings {
            let step = finding.step.and_then(|step| usize::try_from(step).ok());
            let entry = step.and_then(|step| reading.entries.get(step));
            let place = entry.map_or(record.place, |entry| places.of(entry.value));
            of_work.push(LocatedFinding { finding: finding.clone(), place });
        }
        finish(reading, keys, &done)
    });
    examined.findings.extend(of_work);
    examined.findings.sort_by(|a, b| a.finding.order().cmp(&b.finding.order()));
    examined
}

/// Where values of a record are in the file.
struct Places<'t> {
    text: &'t [u8],
    record: Place,
    /// The bytes at which lines end, looked for once.
    line_ends: OnceCell<Vec<usize>>,
}

impl<'t> Places<'t> {
    fn new(text: &'t [u8], record: Place) -> Self {
        Self { text, record, line_ends: OnceCell::new() }
    }

    fn of(&self, value: &Value<'_>) -> Place {
        let line_ends = self.line_ends.get_or_init(|| memchr::memchr_iter(b'\n', self.text).collect());
        let lines = line_ends.partition_point(|end| *end < value.start) as u64;
        Place { span: self.record.span.part(value.start, value.text.len()), line: self.record.line + lines }
    }
}

/// `digest` says what repeats; without it the rules are not asked.
fn look(
    record: &Record,
    text: &[u8],
    way: Way,
    digest: Option<fn(&Value<'_>) -> u128>,
    finish: impl FnOnce(&Reading<'_>, &RepeatKeys) -> SurveyParts,
) -> Examined {
    look_at(record, (&Places::new(text, record.place), &read_text(record, text)), way, digest, finish)
}

/// The same of a text, in which places are looked for, and what it was read as.
fn look_at(
    record: &Record,
    (places, read): (&Places<'_>, &ReadRecord<'_>),
    way: Way,
    digest: Option<fn(&Value<'_>) -> u128>,
    finish: impl FnOnce(&Reading<'_>, &RepeatKeys) -> SurveyParts,
) -> Examined {
    let root = match read {
        Ok(root) => root,
        Err(finding) => {
            let found = vec![LocatedFinding { finding: finding.clone(), place: record.place }];
            let (is_read, keys) = (false, RepeatKeys::default());
            let overview = Some(RecordOverview { name: RecordName::of_text(places.text), ..RecordOverview::default() });
            let (stats, parts) = (None, Vec::new());
            return Examined { record: record.number, is_read, findings: found, stats, keys, overview, parts };
        }
    };
    let place = |value: &Value<'_>| places.of(value);
    let reading = way.read_record(record, root);
    let value = |finding: &Finding| json::nearest(root, finding.path.as_deref().unwrap_or_default());
    let found_at = |finding: Finding| LocatedFinding { place: place(value(&finding)), finding };
    let (found, keys) = match digest {
        Some(digest) => {
            let found = findings(&reading, record.number).into_iter().map(found_at).collect();
            (found, RepeatKeys::of(&reading, place, digest))
        }
        None => (Vec::new(), RepeatKeys::default()),
    };
    let (stats, overview) = finish(&reading, &keys);
    let parts = parts_of(&reading, record.number);
    Examined { record: record.number, is_read: true, stats, findings: found, keys, overview, parts }
}

/// D2 to D18: the findings of one record, in order.
#[must_use]
pub fn findings(reading: &Reading<'_>, record: usize) -> Vec<Finding> {
    let mut report = Report::new(record);
    let (root, entries) = (reading.root, &reading.entries);
    match reading.shape {
        RecordShape::Std => {
            check::check_root(reading, &mut report);
            lint::check_root(root, &mut report);
            details::check_details(root, reading.version, &mut report);
            details::check_available(root, entries, &mut report);
            for (step, entry) in entries.iter().enumerate() {
                check::check_item(entry, step, reading, &mut report);
                lint::check_item(entries, step, &mut report);
            }
            links::check(entries, reading.version, &mut report);
            lint::check_order(entries, &mut report);
        }
        RecordShape::Chat => chat::check(reading, &mut report),
        RecordShape::Atif => atif::check(reading, &mut report),
        RecordShape::Other => {
            let message = "the record is not a trajectory of a known shape; it is shown as JSON";
            report.warning(None, String::new(), "adp.shape", message);
        }
    }
    if reading.left_out > 0 {
        let (all, out) = (reading.tracks.len() + reading.left_out, reading.left_out);
        let message = format!("the record has {all} attempts, too long together: {out} of them are not read");
        report.warning(None, String::new(), "adp.shape", message);
    }
    report.finish()
}
