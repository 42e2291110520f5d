//! Facts on each record of a file whose records are trajectories, as its runs give them: for formats without a faster
//! reading of their own.

use super::call_time::CallClock;
use super::survey::looked as looked_at;
use super::{BoxedLook, Counted, Facts, LookFn, LookedRecord, Purpose, Run, StepCalls, Survey, Surveyed};
use crate::model::{
    Bytes, LocatedFinding, Problem, Record, Span, Step, StepKind, StepNo, StepRole, TurnPart, estimated_tokens,
};
use crate::rules::trajectory::{RecordName, task_key};
use crate::rules::work::{ToolOutcomes, Work};
use crate::text::single_line;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Makes a run.
type MakeRun = Arc<dyn Fn() -> Box<dyn Run> + Send + Sync>;

/// What a run says of itself; whether its first words are wanted whole.
pub(super) struct RunSurvey(MakeRun, bool);

impl RunSurvey {
    /// A survey for a table or a filter; None for purposes that the runs themselves serve.
    pub(super) fn of(
        purpose: Purpose,
        run: impl Fn() -> Box<dyn Run> + Send + Sync + 'static,
    ) -> Option<Box<dyn Survey>> {
        let is_served = !matches!(purpose, Purpose::Findings | Purpose::Statistics);
        let is_whole = purpose == Purpose::WholeHeads;
        is_served.then(|| Box::new(Self(Arc::new(run), is_whole)) as Box<dyn Survey>)
    }
}

/// The facts and findings of a record.
#[derive(Debug)]
pub(super) struct RunFacts {
    /// What the table shows.
    facts: Facts,
    /// All its findings, in order.
    findings: Vec<LocatedFinding>,
    /// Whether it could be read.
    is_read: bool,
}

impl LookedRecord for RunFacts {
    fn is_read(&self) -> bool {
        self.is_read
    }

    fn shift(&mut self, records: usize, lines: u64) {
        self.findings.shift(records, lines);
    }
}

impl Survey for RunSurvey {
    fn look(&self) -> LookFn {
        let (make, is_whole) = (Arc::clone(&self.0), self.1);
        Box::new(move |record, text| Box::new(run_facts(make(), record, text, is_whole)))
    }

    fn take(&mut self, looked: BoxedLook, _bytes: &dyn Bytes) -> Surveyed {
        let seen = looked_at::<RunFacts>(looked);
        seen.map_or_else(Surveyed::default, |seen| Surveyed {
            findings: seen.findings,
            facts: Some(seen.facts),
            ..Surveyed::default()
        })
    }
}

/// The bytes of one record, where they are in the file.
struct RecordBytes<'t> {
    offset: u64,
    text: &'t [u8],
}

impl Bytes for RecordBytes<'_> {
    fn read(&self, span: Span) -> Result<Vec<u8>, Problem> {
        let from = span.offset.checked_sub(self.offset).and_then(|from| usize::try_from(from).ok());
        let len = usize::try_from(span.len).ok();
        let range = from.zip(len).and_then(|(from, len)| Some(from..from.checked_add(len)?));
        let bytes = range.and_then(|range| self.text.get(range));
        bytes.map(<[u8]>::to_vec).ok_or_else(|| Problem::gone(span))
    }
}

fn run_facts(mut run: Box<dyn Run>, record: &Record, text: &[u8], is_whole: bool) -> RunFacts {
    // What a run reads again are values of its record.
    let bytes = RecordBytes { offset: record.place.span.offset, text };
    run.push(record, text, &bytes);
    run.finish(&bytes);
    let place = |step: Option<StepNo>| step.and_then(|step| run.place(step)).map_or(record.place, |at| at.place);
    let found = run.findings().into_iter();
    let found: Vec<LocatedFinding> = found
        .map(|finding| LocatedFinding { place: place(finding.step), finding: Arc::unwrap_or_clone(finding) })
        .collect();
    let is_read = run.step_count() > 0 || found.is_empty();
    let why = || found.first().map_or_else(String::new, |found| found.finding.message.to_string());
    let mut facts = if is_read { facts(run.as_ref(), &bytes) } else { Facts { words: why(), ..Facts::default() } };
    if let Some(words) = first_text(run.as_ref(), &bytes).filter(|_| is_read && is_whole) {
        facts.words = words;
    }
    // The rest of a record may say which task it is an attempt at, as no run does.
    let mut name = RecordName::of_text(text);
    // Filters and statistics have what the run is called.
    if !facts.title.is_empty() {
        name.id.clone_from(&facts.title);
    }
    let task = name.task.as_deref().filter(|_| is_read).map(task_key);
    RunFacts { facts: Facts { name, task, ..facts.with_findings(&found) }, findings: found, is_read }
}

/// All that the user says first.
fn first_text(run: &dyn Run, bytes: &dyn Bytes) -> Option<String> {
    let mut steps = (0..StepNo::try_from(run.step_count()).unwrap_or(StepNo::MAX)).map(|step| run.step(step, bytes));
    let turn = run.turn(steps.find(|step| step.role == StepRole::User)?.number, bytes)?;
    let texts = turn.parts.iter().filter_map(|part| match part {
        TurnPart::Text(text) => Some(single_line(text)),
        _ => None,
    });
    Some(texts.collect::<Vec<_>>().join(" · ")).filter(|text| !text.is_empty())
}

fn facts(run: &dyn Run, bytes: &dyn Bytes) -> Facts {
    let steps = (0..run.step_count()).map(|n| run.step(StepNo::try_from(n).unwrap_or(StepNo::MAX), bytes));
    let (mut seen, mut clock) = (StepCounts::default(), CallClock::default());
    steps.for_each(|step| {
        let calls = StepCalls::of(run, &step, bytes);
        clock.add(run, &step);
        seen.add(step, calls);
    });
    let mut tools: Vec<(String, u64)> = seen.tools.into_iter().collect();
    tools.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    let counted = Counted {
        steps: run.step_count() as u64,
        classes: seen.kinds.into_iter().collect(),
        tools,
        chars: seen.chars,
        tokens: estimated_tokens(seen.chars),
        reward: seen.reward,
        answers: Vec::new(),
        finish: finish(seen.last.as_ref()).to_owned(),
        failed: run.work().map_or(0, |work| work.error_steps().len() as u64),
        suspect: run.work().map_or(0, |work| work.suspect_steps().len() as u64),
        outcomes: run.work().map_or_else(Vec::new, outcomes),
        times: clock.times,
    };
    let words = seen.asked.or(seen.first).unwrap_or_default();
    let words = single_line(&words);
    Facts { title: run.title().unwrap_or_default(), words, counted: Some(counted), ..Facts::default() }
}

/// How the calls of each tool came out.
fn outcomes(work: &Work) -> Vec<(String, ToolOutcomes)> {
    work.tools().map(|(tool, of)| (tool.to_owned(), *of)).collect()
}

/// What is counted over the steps of a run.
#[derive(Default)]
struct StepCounts {
    kinds: BTreeMap<String, u64>,
    tools: BTreeMap<String, u64>,
    chars: u64,
    reward: Option<f64>,
    /// What the first step says, and the first of the user.
    first: Option<String>,
    asked: Option<String>,
    last: Option<Step>,
}

impl StepCounts {
    fn add(&mut self, step: Step, calls: Option<StepCalls>) {
        *self.kinds.entry(step.kind.clone()).or_default() += 1;
        for tool in calls.unwrap_or_default().tools {
            *self.tools.entry(tool).or_default() += 1;
        }
        self.chars += step.chars as u64;
        if let Some(reward) = step.reward.as_ref().and_then(|reward| reward.parse::<f64>().ok()) {
            self.reward = Some(self.reward.unwrap_or_default() + reward).filter(|sum| sum.is_finite());
        }
        if step.role == StepRole::User && self.asked.is_none() {
            self.asked = Some(step.summary.clone());
        }
        self.first.get_or_insert_with(|| step.summary.clone());
        if step.sign != StepKind::Meta {
            self.last = Some(step);
        }
    }
}

/// How a run ends, in a word.
fn finish(last: Option<&Step>) -> &'static str {
    match last.map(|step| (step.sign, step.role)) {
        None => "empty",
        Some((StepKind::Call, _)) => "open-call",
        Some((StepKind::Message, StepRole::Agent)) => "message",
        Some(_) => "observation",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::FORMATS;
    use crate::model::{Place, RecordBody};

    #[test]
    fn a_record_of_a_log_gives_what_a_table_shows_of_it() {
        let text = br#"[{"role":"user","content":"list  it"},{"role":"assistant","content":"a.txt"}]"#;
        let place = Place { span: Span { offset: 7, len: text.len() as u64 }, line: 3 };
        let record = Record { number: 4, place, body: RecordBody::Text, is_row: false };
        let messages = FORMATS.iter().find(|format| format.name() == "messages").unwrap();
        let seen = run_facts(messages.run(), &record, text, false);
        let counted = seen.facts.counted.unwrap();
        assert_eq!((seen.facts.words.as_str(), counted.steps, counted.finish.as_str()), ("list it", 2, "message"));
        let broken = run_facts(messages.run(), &record, b"{", false);
        assert!(!broken.is_read && broken.facts.counted.is_none() && !broken.facts.words.is_empty());
        assert_eq!(broken.findings[0].place, place);
    }
}
