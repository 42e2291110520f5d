//! One trajectory: its steps, the state derived from them, and the answers to questions about both.

use crate::format::describe::acting;
use crate::format::log::FoundParts;
use crate::format::slots::Slots;
use crate::format::{Answer, Attribution, Instances, Resolved, Run, ViewEntry, ViewList};
use crate::json::{self, Key, Value};
use crate::model::cast;
use crate::model::{
    Bytes, Finding, HEAD, Identity, PartState, Place, Problem, Record, RunPart, Span, Standing, Step, StepKind, StepNo,
    StepPlace, StepRole, Turn, TurnPart,
};
use crate::rules::adp;
use crate::rules::slot_pointer::slot_pointer;
use crate::rules::trajectory::{self, Hint, Reading, RecordShape, Track, TrajectoryStep, TrajectoryStepKind, Way};
use crate::rules::work::{Dialect, Work, unwrapped};
use crate::state::{IdentityId, Tree};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// A record as a run. It keeps what `steps` and the list show of each step, and reads the rest again on demand.
#[derive(Default)]
pub(super) struct Trajectory {
    way: Way,
    record: Option<Record>,
    shape: Option<RecordShape>,
    steps: Vec<CompactStep>,
    tree: Tree,
    work: Work,
    findings: Vec<Arc<Finding>>,
    title: Option<String>,
    /// D17: where the system prompt is.
    system_prompt: Option<Span>,
    /// Steps that take the place of all before them in what the model sees, in order.
    compactions: Vec<StepNo>,
    /// The trajectories that the record is, where it is several.
    tracks: Vec<Track>,
    /// By the first step of a sub-agent, the step that called it.
    callers: HashMap<usize, usize>,
    /// Other files that the record refers to, and what was found of them.
    parts: Vec<RunPart>,
    part_states: FoundParts,
}

/// What is stored of a step.
struct CompactStep {
    place: Place,
    kind: TrajectoryStepKind,
    class: Option<Box<str>>,
    role: StepRole,
    tool: Option<Box<str>>,
    answers: Option<StepNo>,
    chars: usize,
    reward: Option<Box<str>>,
    hint: Hint,
    /// The same for a conversion.
    written: Hint,
    /// Whether it is a whole message, and no item of one.
    is_message: bool,
    /// Tokens that the model wrote, where the row reports them.
    tokens: Option<u64>,
}

impl CompactStep {
    fn of(entry: &TrajectoryStep<'_>, step: usize, place: Place, hint: Hint) -> Self {
        Self {
            place,
            hint,
            written: hint,
            is_message: entry.is_whole_message(),
            tokens: None,
            kind: entry.kind,
            class: entry.class().map(Into::into),
            role: entry.role,
            tool: entry.tool().map(Into::into),
            answers: entry.answers(step).map(cast::to_step),
            chars: entry.chars(),
            reward: entry.reward.as_ref().map(|r| (*r.text).into()),
        }
    }
}

/// The beginning of a result that is wrapped in what its harness says of it; None: it is not.
fn without_wrapping(turn: &Turn<'_>) -> Option<String> {
    let [TurnPart::Result(result)] = turn.parts.as_slice() else { return None };
    let inner = unwrapped(&result.text);
    (inner.len() < result.text.len()).then(|| inner.trim_start().chars().take(adp::SUMMARY_MAX).collect())
}

impl CompactStep {
    fn is_fenced_call(&self) -> bool {
        self.hint == Hint::FencedCall
    }
}

impl Trajectory {
    /// Reads its record in that way.
    pub(super) fn new(way: Way) -> Self {
        Self { way, ..Self::default() }
    }

    fn read(&mut self, reading: &Reading<'_>, record: &Record, text: &[u8]) {
        let span = record.place.span;
        let (mut line, mut counted) = (record.place.line, 0);
        let hints = trajectory::hints(reading);
        for ((step, entry), hint) in reading.entries.iter().enumerate().zip(hints) {
            let start = entry.value.start;
            let passed = text.get(counted..start).unwrap_or_default();
            line += memchr::memchr_iter(b'\n', passed).count() as u64;
            counted = start;
            let place = Place { span: span.part(start, entry.value.text.len()), line };
            let written = trajectory::written_hint(reading, step, hint);
            self.steps.push(CompactStep { written, ..CompactStep::of(entry, step, place, hint) });
        }
        for (step, usage) in trajectory::usage(reading) {
            self.steps.get_mut(step).into_iter().for_each(|compact| compact.tokens = usage.output);
        }
        let entries = (0..).zip(reading.entries.iter());
        self.compactions = entries.filter(|(_, entry)| adp::replaces_context(entry)).map(|(step, _)| step).collect();
        self.work = adp::write_state(reading, span.offset, &mut self.tree);
        reading.tool_lists().for_each(|list| self.work.declare_tools(HEAD, list.text));
        let found = adp::findings(reading, record.number).into_iter().chain(self.work.findings(record.number));
        self.findings = Finding::in_order(found.collect()).into_iter().map(Arc::new).collect();
        self.shape = Some(reading.shape);
        self.title = reading.name().map(|id| id.as_str().unwrap_or(id.text).to_owned());
        self.system_prompt = reading.system_prompt().map(|v| span.part(v.start, v.text.len()));
        self.callers = trajectory::callers(reading);
        self.parts = trajectory::parts(reading, record.number);
        self.tracks = reading.tracks.iter().filter(|_| reading.tracks.len() > 1).cloned().collect();
    }

    /// The trajectory that a step is of, where the record is several.
    fn track(&self, step: StepNo) -> Option<&Track> {
        let step = usize::try_from(step).ok()?;
        let at = self.tracks.partition_point(|track| track.steps.end <= step);
        self.tracks.get(at).filter(|track| track.steps.contains(&step))
    }

    /// What a step is to the record as a whole, where that is several trajectories.
    fn in_track(&self, step: Step) -> Step {
        let Some(track) = self.track(step.number) else { return step };
        let standing = if track.is_sub_agent { Standing::SubAgent } else { Standing::Main };
        let number = usize::try_from(step.number).ok();
        let caller = number.and_then(|number| self.callers.get(&number)).map(|caller| cast::to_step(*caller));
        let is_first = number == Some(track.steps.start);
        let summary = match &track.label {
            Some(label) if is_first => format!("{label}: {}", step.summary),
            _ => step.summary,
        };
        let label = if track.is_sub_agent { format!("↳{}", step.label) } else { step.label };
        Step { standing, depth: standing.depth(), caller, summary, label, trajectory: track.label.clone(), ..step }
    }

    fn slots(&self, step: StepNo) -> Slots<'_> {
        Slots { tree: &self.tree, step }
    }

    fn compact_step(&self, step: StepNo) -> Option<&CompactStep> {
        usize::try_from(step).ok().and_then(|i| self.steps.get(i))
    }

    /// Reads a step's bytes and lets `show` say something of it.
    fn with_entry<T>(
        &self,
        compact: &CompactStep,
        bytes: &dyn Bytes,
        show: impl FnOnce(&TrajectoryStep<'_>) -> T,
    ) -> Result<T, Problem> {
        let text = bytes.read(compact.place.span)?;
        let gone = || Problem::gone(compact.place.span);
        let text = std::str::from_utf8(&text).map_err(|_| gone())?;
        let value = match (&self.record, self.shape) {
            (Some(record), Some(shape)) => trajectory::read_step(text, record, shape),
            _ => json::parse(text),
        };
        let value = value.map_err(|_| gone())?;
        Ok(show(&match self.shape {
            Some(RecordShape::Std) => TrajectoryStep::item(&value),
            Some(RecordShape::Chat) => self.way.message(&value, compact.role),
            Some(RecordShape::Atif) => TrajectoryStep::turn(&value),
            Some(RecordShape::Other) | None => TrajectoryStep::record(&value),
        }))
    }

    /// D17: the system prompt.
    fn prompt(&self, bytes: &dyn Bytes) -> Option<String> {
        let text = bytes.read(self.system_prompt?).ok()?;
        let value = json::parse(std::str::from_utf8(&text).ok()?).ok()?;
        trajectory::joined(&value).map(Cow::into_owned)
    }

    /// D17: the system prompt, as the first thing that was said.
    fn prompt_entry(&self, bytes: &dyn Bytes) -> Option<ViewEntry> {
        let prompt = self.prompt(bytes)?;
        let content = format!("{{\"system\":{}}}", json::quote(&prompt));
        Some(view_entry(StepRole::System, HEAD, content, &prompt))
    }
}

/// The format stores no prompt, so the view is the conversation so far: speakers and texts.
fn view_entry(role: StepRole, step: StepNo, content: String, text: &str) -> ViewEntry {
    let role = role.name().to_owned();
    ViewEntry { text: format!("{role}: {text}"), role: Some(role), content: Some(content), step, identity: None }
}

impl Run for Trajectory {
    fn push(&mut self, record: &Record, text: &[u8], _bytes: &dyn Bytes) {
        // Each record is a run of its own: a second one has no place here.
        if self.record.is_some() {
            return;
        }
        self.record = Some(record.clone());
        match trajectory::read_text(record, text) {
            Ok(root) => self.read(&self.way.read_record(record, &root), record, text),
            Err(finding) => self.findings = vec![Arc::new(finding)],
        }
    }

    fn step_count(&self) -> usize {
        self.steps.len()
    }

    fn place(&self, step: StepNo) -> Option<StepPlace> {
        let record = self.record.as_ref()?;
        let place = self.compact_step(step)?.place;
        Some(StepPlace { record: record.number, place, record_span: record.place.span })
    }

    fn step(&self, step: StepNo, bytes: &dyn Bytes) -> Step {
        let Some(compact) = self.compact_step(step) else { return Step { number: step, ..Step::default() } };
        let answers = compact.answers.is_some() || compact.hint == Hint::Answer;
        let shown = self.with_entry(compact, bytes, |entry| {
            let (sign, label) = adp::label(entry, answers);
            let turn = trajectory::turn(entry, compact.hint);
            let summary = without_wrapping(&turn).unwrap_or_else(|| adp::summary(entry));
            let time = time(entry.value);
            let tokens = tokens(entry.value).filter(|_| self.shape == Some(RecordShape::Atif)).or(compact.tokens);
            Step { sign, label: label.to_owned(), summary, time, tokens, ..acting(&turn, Dialect::Common) }
        });
        let shown = shown.unwrap_or_else(|problem| Step {
            sign: StepKind::Broken,
            label: "gone".to_owned(),
            summary: problem.to_string(),
            ..Step::default()
        });
        self.in_track(Step {
            number: step,
            kind: compact.kind.name().to_owned(),
            class: compact.class.as_deref().map(str::to_owned),
            role: compact.role,
            tool: compact.tool.as_deref().map(str::to_owned),
            answers: compact.answers,
            chars: compact.chars,
            reward: compact.reward.as_deref().map(str::to_owned),
            ..shown
        })
    }

    fn tree(&self) -> &Tree {
        &self.tree
    }

    fn findings(&self) -> Vec<Arc<Finding>> {
        let missing = self.part_states.findings(&self.parts).map(Arc::new);
        Finding::in_order(self.findings.iter().cloned().chain(missing).collect())
    }

    fn trajectory_count(&self) -> usize {
        self.tracks.len().max(1)
    }

    /// Both of a pair are one record, which is asked for as a whole.
    fn trajectory_steps(&self, number: usize) -> Option<Vec<Range<StepNo>>> {
        let steps = &self.tracks.get(number).filter(|_| self.tracks.iter().any(|track| track.is_sub_agent))?.steps;
        Some(std::iter::once(cast::to_step(steps.start)..cast::to_step(steps.end)).collect())
    }

    fn answer_of(&self, step: StepNo) -> usize {
        let answers = self.tracks.iter().filter(|track| track.is_answer());
        answers.take_while(|track| cast::to_step(track.steps.start) <= step).count().saturating_sub(1)
    }

    fn parts(&self) -> &[RunPart] {
        &self.parts
    }

    fn attach(&mut self, found: Vec<PartState>) {
        self.part_states.set(&self.parts, found);
    }

    fn part_states(&self) -> &[PartState] {
        self.part_states.states()
    }

    fn instances(&self) -> Instances {
        Instances::InPath
    }

    fn answers(&self, step: StepNo) -> Option<StepNo> {
        let compact = self.compact_step(step)?;
        // The answer to a command in a fence names no call: it comes right after it.
        let before = self.compact_step(step - 1).filter(|_| compact.hint == Hint::Answer);
        compact.answers.or_else(|| before.is_some_and(CompactStep::is_fenced_call).then_some(step - 1))
    }

    fn step_kind(&self, step: StepNo) -> Option<StepKind> {
        let compact = self.compact_step(step)?;
        Some(match (&compact.tool, compact.answers) {
            (Some(_), _) => StepKind::Call,
            (None, Some(_)) => StepKind::Result,
            (None, None) if compact.hint == Hint::Answer => StepKind::Result,
            (None, None) if compact.is_fenced_call() => StepKind::Call,
            (None, None) if compact.role == StepRole::Environment => StepKind::Result,
            (None, None) => StepKind::Message,
        })
    }

    fn turn(&self, step: StepNo, bytes: &dyn Bytes) -> Option<Turn<'static>> {
        let compact = self.compact_step(step)?;
        self.with_entry(compact, bytes, |entry| trajectory::turn(entry, compact.hint).into_owned()).ok()
    }

    fn written_turn(&self, step: StepNo, bytes: &dyn Bytes) -> Option<Turn<'static>> {
        let compact = self.compact_step(step)?;
        self.with_entry(compact, bytes, |entry| trajectory::turn(entry, compact.written).into_owned()).ok()
    }

    fn is_message(&self, step: StepNo) -> bool {
        self.compact_step(step).is_some_and(|compact| compact.is_message)
    }

    fn context_steps(&self, step: StepNo) -> Option<Vec<StepNo>> {
        let first = self.track(step).map_or(0, |track| cast::to_step(track.steps.start));
        let last = StepNo::try_from(self.steps.len()).ok()?;
        let first = self.compactions.iter().rev().find(|at| **at <= step).map_or(first, |at| first.max(*at));
        (self.shape != Some(RecordShape::Other)).then(|| (first..last.min(step + 1)).collect())
    }

    fn work(&self) -> Option<&Work> {
        Some(&self.work)
    }

    fn error_steps(&self) -> Vec<StepNo> {
        self.work.error_steps().iter().copied().collect()
    }

    fn reference(&self, identity: &Identity, path: &[Key]) -> String {
        slot_pointer(identity, path)
    }

    fn locate(&self, path: &str, step: StepNo) -> Result<Vec<(IdentityId, Vec<Key>)>, Problem> {
        self.slots(step).locate(path)
    }

    /// D20: long texts are in the state as digests.
    fn digested_text(&self, value: &str, author: StepNo, bytes: &dyn Bytes) -> Option<String> {
        let is_digest = value.starts_with("{\"sha256\":");
        if !is_digest {
            return None;
        }
        if author == HEAD {
            return self.prompt(bytes).filter(|prompt| adp::has_digest(prompt, value));
        }
        self.with_entry(self.compact_step(author)?, bytes, |entry| adp::digested_text(entry, value)).ok()?
    }

    /// A slot is derived from a step; who supplied it is the tool that was called or answered, else the speaker.
    fn attribution(&self, _identity: IdentityId, author: StepNo, _bytes: &dyn Bytes) -> Attribution {
        let compact = self.compact_step(author);
        let answered = compact.and_then(|k| k.answers).and_then(|asked| self.compact_step(asked));
        let tool = compact.and_then(|k| k.tool.as_deref()).or(answered.and_then(|k| k.tool.as_deref()));
        let who = tool.or(compact.map(|k| k.role.name())).map(str::to_owned);
        Attribution { who, ..Attribution::default() }
    }

    fn state(&self, step: StepNo, bytes: &dyn Bytes) -> Answer {
        self.slots(step).answer(bytes)
    }

    fn view(&self, step: StepNo, bytes: &dyn Bytes) -> Vec<ViewEntry> {
        self.view_list(step, bytes).all()
    }

    fn view_list<'v>(&'v self, step: StepNo, bytes: &'v dyn Bytes) -> ViewList<'v> {
        let steps = self.steps.iter().zip(0..).take_while(|(_, number)| *number <= step).count();
        // The prompt is before all steps.
        let prompt = usize::from(self.system_prompt.is_some());
        ViewList::new(prompt + steps, move |at| {
            let Some(at) = at.checked_sub(prompt) else { return self.prompt_entry(bytes) };
            let compact = self.steps.get(at)?;
            let entries =
                self.with_entry(compact, bytes, |entry| (json::compact(entry.value), adp::text_with_reasoning(entry)));
            let (content, text) = entries.unwrap_or_else(|problem| ("{}".to_owned(), problem.to_string()));
            Some(view_entry(compact.role, cast::to_step(at), content, &text))
        })
    }

    fn resolve(
        &self,
        reference: &str,
        step: StepNo,
        _instance: Option<&str>,
        _expect: Option<&str>,
        bytes: &dyn Bytes,
    ) -> Resolved {
        self.slots(step).resolve(reference, bytes)
    }

    fn title(&self) -> Option<String> {
        self.title.clone()
    }
}

/// D18: the time of a turn, as written.
fn time(value: &Value<'_>) -> Option<String> {
    let time = value.get("timestamp")?;
    time.as_str().or(time.as_number()).map(str::to_owned)
}

/// What the model wrote in a turn of ATIF, in tokens.
fn tokens(value: &Value<'_>) -> Option<u64> {
    value.get("metrics")?.get("completion_tokens")?.as_number()?.parse().ok()
}
