//! Facts on each record of a file whose records are trajectories, as its runs give them: for formats without a faster
//! reading of their own.

use super::call_time::CallClock;
use super::context_fill::{model_at, totals_at};
use super::survey::looked as looked_at;
use super::{BoxedLook, Counted, FORMATS, Facts, LookFn, LookedRecord, Purpose, Run, StepCalls, Survey, Surveyed};
use crate::model::{
    Bytes, HEAD, LocatedFinding, Problem, Record, RunFacts, Span, Step, StepKind, StepNo, StepRole, Timestamp,
    TurnPart, Usage, estimated_tokens,
};
use crate::rules::trajectory::{RecordName, task_key};
use crate::rules::work::{ToolOutcomes, Work};
use crate::text::single_line;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// Makes a run.
type MakeRun = Arc<dyn Fn() -> Box<dyn Run> + Send + Sync>;

/// What a run says of itself; the name of its format, and whether its first words are wanted whole.
pub(super) struct RunSurvey(MakeRun, &'static str, bool);

impl RunSurvey {
    /// A survey for a table or a filter; None for purposes that the runs themselves serve.
    pub(super) fn of(
        purpose: Purpose,
        format: &'static str,
        run: impl Fn() -> Box<dyn Run> + Send + Sync + 'static,
    ) -> Option<Box<dyn Survey>> {
        let is_served = !matches!(purpose, Purpose::Findings | Purpose::Statistics);
        let is_whole = purpose == Purpose::WholeHeads;
        is_served.then(|| Box::new(Self(Arc::new(run), format, is_whole)) as Box<dyn Survey>)
    }
}

/// The facts and findings of a record.
#[derive(Debug)]
pub(super) struct RecordLook {
    /// What the table shows.
    facts: Facts,
    /// All its findings, in order.
    findings: Vec<LocatedFinding>,
    /// Whether it could be read.
    is_read: bool,
}

impl LookedRecord for RecordLook {
    fn is_read(&self) -> bool {
        self.is_read
    }

    fn shift(&mut self, records: usize, lines: u64) {
        self.findings.shift(records, lines);
    }
}

impl Survey for RunSurvey {
    fn look(&self) -> LookFn {
        let (make, format, is_whole) = (Arc::clone(&self.0), self.1, self.2);
        Box::new(move |record, text| Box::new(run_facts(make(), format, record, text, is_whole)))
    }

    fn take(&mut self, looked: BoxedLook, _bytes: &dyn Bytes) -> Surveyed {
        let seen = looked_at::<RecordLook>(looked);
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

fn run_facts(mut run: Box<dyn Run>, format: &str, record: &Record, text: &[u8], is_whole: bool) -> RecordLook {
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
    let counts = || {
        let failed = run.work().map_or(0, |work| work.error_steps().len() as u64);
        facts((format, run.as_ref()), &bytes, &all_steps(run.as_ref()), failed)
    };
    let mut facts = if is_read { counts() } else { Facts { words: why(), ..Facts::default() } };
    if let Some(words) = first_text(run.as_ref(), &bytes, &all_steps(run.as_ref())).filter(|_| is_read && is_whole) {
        facts.words = words;
    }
    // The rest of a record may say which task it is an attempt at, as no run does.
    let mut name = RecordName::of_text(text);
    name.task = name.task.or_else(|| facts.run.task.clone());
    // Filters and statistics have what the run is called.
    if !facts.title.is_empty() {
        name.id.clone_from(&facts.title);
    }
    let task = name.task.as_deref().filter(|_| is_read).map(task_key);
    RecordLook { facts: Facts { name, task, ..facts.with_findings(&found) }, findings: found, is_read }
}

/// What a table has of a run of a format, as of a record that is a run: facts and findings of each of its trajectories,
/// if it has several. `found` is what was found in it. Their first words are whole.
#[must_use]
pub fn survey_of_run((format, run): (&str, &dyn Run), bytes: &dyn Bytes, found: &[LocatedFinding]) -> Vec<Surveyed> {
    let mut known = StepFindings { failed: run.error_steps().into_iter().collect(), found: BTreeMap::new() };
    known.failed.extend(run.work().into_iter().flat_map(Work::error_steps));
    for one in found {
        known.found.entry(one.finding.step.unwrap_or(HEAD)).or_default().push(one.clone());
    }
    match run.trajectory_count() {
        0 | 1 => vec![facts_of((format, run), bytes, &known, None)],
        count => (0..count).map(|number| facts_of((format, run), bytes, &known, Some(number))).collect(),
    }
}

/// What is known of the steps of a run beside them.
struct StepFindings {
    /// The steps that failed.
    failed: BTreeSet<StepNo>,
    /// Findings by their steps; those without one at the head.
    found: BTreeMap<StepNo, Vec<LocatedFinding>>,
}

fn facts_of(
    (format, run): (&str, &dyn Run),
    bytes: &dyn Bytes,
    known: &StepFindings,
    trajectory: Option<usize>,
) -> Surveyed {
    let steps = trajectory.and_then(|number| run.trajectory_steps(number)).unwrap_or_else(|| all_steps(run));
    // What is found in no step is found in the whole.
    let of_whole = known.found.get(&HEAD).filter(|_| trajectory.is_none_or(|number| number == 0));
    let of_steps = steps.iter().cloned().flat_map(|range| known.found.range(range)).map(|(_, found)| found);
    let found: Vec<LocatedFinding> = of_whole.into_iter().chain(of_steps).flatten().cloned().collect();
    let failed: usize = steps.iter().cloned().map(|range| known.failed.range(range).count()).sum();
    let facts = facts((format, run), bytes, &steps, failed as u64);
    let words = first_text(run, bytes, &steps).unwrap_or(facts.words);
    let first = steps.first().map(|range| range.start).filter(|_| trajectory.is_some());
    let title = first.and_then(|first| run.step(first, bytes).trajectory).unwrap_or(facts.title);
    let name = RecordName { id: title.clone(), task: facts.run.task.clone() };
    let task = name.task.as_deref().map(task_key);
    let facts = Facts { title, name, words, task, ..facts }.with_findings(&found);
    Surveyed { findings: found, facts: Some(facts), ..Surveyed::default() }
}

/// The steps of a run.
fn all_steps(run: &dyn Run) -> Vec<Range<StepNo>> {
    std::iter::once(0..StepNo::try_from(run.step_count()).unwrap_or(StepNo::MAX)).collect()
}

/// All that the user says first in these steps.
fn first_text(run: &dyn Run, bytes: &dyn Bytes, steps: &[Range<StepNo>]) -> Option<String> {
    let mut steps = steps.iter().cloned().flatten().map(|step| run.step(step, bytes));
    let turn = run.turn(steps.find(|step| step.role == StepRole::User)?.number, bytes)?;
    let texts = turn.parts.iter().filter_map(|part| match part {
        TurnPart::Text(text) => Some(single_line(text)),
        _ => None,
    });
    Some(texts.collect::<Vec<_>>().join(" · ")).filter(|text| !text.is_empty())
}

fn facts((format, run): (&str, &dyn Run), bytes: &dyn Bytes, steps: &[Range<StepNo>], failed: u64) -> Facts {
    let (mut seen, mut clock) = (StepCounts::default(), CallClock::default());
    for step in steps.iter().cloned().flatten().map(|number| run.step(number, bytes)) {
        let calls = StepCalls::of(run, &step, bytes);
        clock.add(run, &step);
        seen.add(step, calls);
    }
    let of_run = of_run((format, run), steps, seen.times);
    let finish = of_run.finish.clone().unwrap_or_else(|| finish(&seen).to_owned());
    let mut tools: Vec<(String, u64)> = seen.tools.into_iter().collect();
    tools.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    let suspect =
        |work: &Work| steps.iter().cloned().map(|range| work.suspect_steps().range(range).count() as u64).sum();
    let counted = Counted {
        steps: steps.iter().map(|range| range.len() as u64).sum(),
        classes: seen.kinds.into_iter().collect(),
        tools,
        chars: seen.chars,
        tokens: estimated_tokens(seen.chars),
        reward: seen.reward.or(of_run.reward),
        answers: Vec::new(),
        finish,
        failed,
        suspect: run.work().map_or(0, suspect),
        outcomes: run.work().map_or_else(Vec::new, outcomes),
        times: clock.times,
    };
    let words = seen.asked.or(seen.first).unwrap_or_default();
    let (title, words) = (run.title().unwrap_or_default(), single_line(&words));
    Facts { title, words, counted: Some(counted), run: of_run, ..Facts::default() }
}

/// What a log reports of its run as a whole; `times` are those of the first and the last of these steps.
fn of_run((format, run): (&str, &dyn Run), steps: &[Range<StepNo>], times: Option<[Timestamp; 2]>) -> RunFacts {
    let reported = run.facts();
    let last = steps.last().map_or(0, |range| range.end - 1);
    // Where all is written at once the times say nothing.
    let between = || {
        // Nor where one of them is only counted from some start.
        let [first, last] = times.filter(|[first, last]| first.is_dated() == last.is_dated())?;
        u64::try_from(last.since(first)).ok().filter(|micros| *micros > 0)
    };
    let usage = match run.work() {
        _ if reported.usage != Usage::default() => reported.usage,
        Some(work) if run.trajectory_count() < 2 => work.total_usage(),
        _ => totals_at(run, last),
    };
    let counts = [usage.input, usage.output, usage.cache_read, usage.cache_write];
    // A log in which all is 0 did not count.
    let is_counted = usage.cost.is_some_and(|cost| cost != 0.0) || counts.iter().flatten().any(|count| *count > 0);
    RunFacts {
        agent: reported.agent.or_else(|| agent_of(format).map(str::to_owned)),
        model: reported.model.or_else(|| model_at(run, last)),
        micros: reported.micros.or_else(between),
        usage: if is_counted { usage } else { Usage::default() },
        ..reported
    }
}

/// The agent that alone writes a format.
fn agent_of(format: &str) -> Option<&'static str> {
    FORMATS.iter().filter(|known| known.name() == format).find_map(|known| known.agent())
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
    /// The first and the last time of a step.
    times: Option<[Timestamp; 2]>,
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
        if let Some(time) = step.time.as_deref().and_then(Timestamp::read) {
            let [first, last] = self.times.unwrap_or([time; 2]);
            self.times = Some([first.min(time), last.max(time)]);
        }
        if step.sign != StepKind::Meta {
            self.last = Some(step);
        }
    }
}

/// How a run ends, in a word. The last message or call reports it; checkpoints of a state have none.
fn finish(seen: &StepCounts) -> &'static str {
    match seen.last.as_ref().map(|step| (step.sign, step.role)) {
        None if seen.first.is_some() => "unknown",
        None => "empty",
        Some((StepKind::Call, _)) => "open-call",
        Some((StepKind::Message, StepRole::Agent)) => "message",
        Some(_) => "observation",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Place, RecordBody};

    #[test]
    fn a_record_of_a_log_gives_what_a_table_shows_of_it() {
        let text = br#"[{"role":"user","content":"list  it"},{"role":"assistant","content":"a.txt"}]"#;
        let place = Place { span: Span { offset: 7, len: text.len() as u64 }, line: 3 };
        let record = Record { number: 4, place, body: RecordBody::Text, is_row: false };
        let messages = FORMATS.iter().find(|format| format.name() == "messages").unwrap();
        let seen = run_facts(messages.run(), "messages", &record, text, false);
        let counted = seen.facts.counted.unwrap();
        assert_eq!((seen.facts.words.as_str(), counted.steps, counted.finish.as_str()), ("list it", 2, "message"));
        assert_eq!(finish(&StepCounts { first: Some("checkpoint".into()), ..StepCounts::default() }), "unknown");
        assert_eq!(finish(&StepCounts::default()), "empty");
        let agents = ["codex-exec", "claude-stream", "claude-code", "openhands", "messages", "otel"].map(agent_of);
        let known = [Some("codex"), Some("claude-code"), Some("claude-code"), Some("openhands"), None, None];
        assert_eq!(agents, known);
        for agent in ["cline", "cursor", "gemini-cli", "kiro", "mini-swe-agent", "opencode", "pi", "swe-agent", "zed"] {
            assert_eq!(agent_of(agent), Some(agent));
        }
        let broken = run_facts(messages.run(), "messages", &record, b"{", false);
        assert!(!broken.is_read && broken.facts.counted.is_none() && !broken.facts.words.is_empty());
        assert_eq!(broken.findings[0].place, place);
    }
}
