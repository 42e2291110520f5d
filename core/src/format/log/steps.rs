//! The steps of a log so far, with the state that they write.

use super::compact_step::{CompactStep, Names};
use super::describe;
use super::links::Links;
use super::threads::Threads;
use super::window::Window;
use crate::json::Value;
use crate::model::{Chunks, Finding, RunFacts, RunPart, Span, Standing, StepNo, StepRole, Surroundings, Turn, Usage};
use crate::rules::trajectory::named_task;
use crate::rules::work::{Answered, Dialect, Work};
use crate::state::{EventOp, Tree};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// Most nodes of the state that are put back, over the whole log.
const RESTORED_MAX: usize = 2_000_000;

/// What the records so far gave.
#[derive(Default)]
pub(super) struct Steps {
    pub(super) steps: Chunks<CompactStep>,
    /// The steps that report themselves as failed.
    pub(super) failed: BTreeSet<StepNo>,
    pub(super) names: Names,
    links: Links,
    pub(super) rewards: HashMap<StepNo, Box<str>>,
    pub(super) threads: Threads,
    /// The calls that started sub-agents, by the first steps of these.
    pub(super) callers: HashMap<StepNo, StepNo>,
    /// Other files that belong to the run, in the order in which records refer to them.
    pub(super) parts: Vec<RunPart>,
    pub(super) tree: Tree,
    pub(super) work: Work,
    pub(super) findings: Vec<Arc<Finding>>,
    pub(super) title: Option<String>,
    /// What the log reports of the run as a whole.
    pub(super) facts: RunFacts,
    /// Number of trajectories, where it is not one.
    pub(super) trajectories: Option<usize>,
    /// Names of the trajectories, where they have some, each with its first step.
    pub(super) labels: Vec<(StepNo, Arc<str>)>,
    /// The number of the trajectory that steps are of, each with the first step from which that is so; before, it is 0.
    numbers: Vec<(StepNo, usize)>,
    /// How deep steps are nested, each with the first step from which that is so; before, 0.
    depths: Vec<(StepNo, u8)>,
    /// Whether the last of the named ones has not written yet, and is not the first.
    is_new_trajectory: bool,
    /// The kinds of state that it has as they were at a step.
    pub(super) back: Option<(Vec<String>, StepNo)>,
    /// How many nodes of the state were put back.
    restored: usize,
    pub(super) window: Window,
    /// Steps that were left for another branch within their record.
    pub(super) left: HashSet<StepNo>,
    /// How many steps there were before the record that is read, and how often one of these changed.
    pub(super) reported: StepNo,
    pub(super) changed: u64,
}

impl Steps {
    pub(super) fn new(dialect: Dialect) -> Self {
        Self { work: Work::new(dialect), ..Self::default() }
    }

    pub(super) fn next(&self) -> StepNo {
        StepNo::try_from(self.steps.len()).unwrap_or(StepNo::MAX)
    }

    /// The first record may name the task.
    pub(super) fn name_task(&mut self, record: &Value<'_>, is_first: bool) {
        if is_first && self.facts.task.is_none() {
            self.facts.task = named_task(record);
        }
    }

    /// The step that was added last, else the head.
    pub(super) fn last(&self) -> StepNo {
        self.next() - 1
    }

    /// Steps from the next one on are of the trajectory of this name.
    pub(super) fn begin_trajectory(&mut self, label: &str) {
        self.is_new_trajectory |= !self.steps.is_empty();
        self.begin_agent(label);
    }

    /// Steps from the next one on are of the trajectory of this name, which goes on with what the run knows.
    pub(super) fn begin_agent(&mut self, label: &str) {
        self.links = Links::default();
        self.labels.push((self.next(), label.into()));
    }

    /// Steps from the next one on are of the trajectory of this number.
    pub(super) fn enter_number(&mut self, number: usize) {
        self.trajectories = self.trajectories.max(Some(number + 1));
        if self.numbers.last().map_or(0, |(_, last)| *last) != number {
            self.numbers.push((self.next(), number));
        }
    }

    /// Steps from the next one on are nested so deep.
    pub(super) fn enter_depth(&mut self, depth: u8) {
        if self.depths.last().map_or(0, |(_, last)| *last) != depth {
            self.depths.push((self.next(), depth));
        }
    }

    /// How deep a step is nested.
    pub(super) fn depth(&self, step: StepNo) -> u8 {
        let after = self.depths.partition_point(|(first, _)| *first <= step);
        after.checked_sub(1).and_then(|at| self.depths.get(at)).map_or(0, |(_, depth)| *depth)
    }

    /// The steps of one of several trajectories, in order.
    pub(super) fn of_trajectory(&self, number: usize) -> Option<Vec<Range<StepNo>>> {
        self.trajectories.filter(|count| *count > 1 && number < *count)?;
        let firsts = std::iter::once((0, 0)).chain(self.numbers.iter().copied());
        let ends = self.numbers.iter().map(|(first, _)| *first).chain([self.next()]);
        let ranges = firsts.zip(ends).filter(|((first, of), end)| *of == number && first < end);
        Some(ranges.map(|((first, _), end)| first..end).collect())
    }

    /// What the run knows at a step is that of the step's trajectory.
    fn enter_trajectory(&mut self, at: StepNo) {
        let has_begun = self.labels.last().is_some_and(|(first, _)| *first <= at);
        if self.is_new_trajectory && has_begun {
            self.is_new_trajectory = false;
            self.work.begin_trajectory(at, &mut self.tree);
            if let Some((kinds, step)) = self.back.take() {
                let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
                self.go_back(at, &kinds, step);
            }
        }
    }

    /// What these kinds of state were at a step, they are again.
    pub(super) fn go_back(&mut self, at: StepNo, kinds: &[&str], step: StepNo) {
        for place in 0..self.tree.identity_count() {
            let identity = self.tree.named_identity(place).filter(|identity| kinds.contains(&identity.kind.as_str()));
            let Some(id) = identity.and_then(|identity| self.tree.find(identity)) else { continue };
            if self.restored < RESTORED_MAX {
                self.restored += self.tree.go_back(at, id, step);
            } else {
                // A log that goes to and fro for long has no state rather than a wrong one.
                self.tree.drop_identity(at, id, EventOp::Drop);
            }
        }
    }

    /// The number of the trajectory that a step is of.
    pub(super) fn number_of(&self, step: StepNo) -> usize {
        let after = self.numbers.partition_point(|(first, _)| *first <= step);
        after.checked_sub(1).and_then(|at| self.numbers.get(at)).map_or(0, |(_, number)| *number)
    }

    /// The name of the trajectory that a step is of.
    pub(super) fn trajectory(&self, step: StepNo) -> Option<String> {
        let after = self.labels.partition_point(|(first, _)| *first <= step);
        let (_, label) = self.labels.get(after.checked_sub(1)?)?;
        Some(label.to_string())
    }

    /// Where a step is that is of a record by its place in the run.
    pub(super) fn standing(&self, step: StepNo, record: Option<usize>) -> Standing {
        if self.left.contains(&step) { Standing::Abandoned } else { self.threads.standing(record) }
    }

    /// The step that was added last, where something is written that it did not write before.
    pub(super) fn writes_at_last(&mut self) -> StepNo {
        let at = self.last();
        self.note_change(at);
        self.enter_trajectory(at);
        at
    }

    pub(super) fn get(&self, step: StepNo) -> Option<&CompactStep> {
        self.steps.get(usize::try_from(step).ok()?)
    }

    /// The steps of a record by its number, where the log is read in the order of its records.
    pub(super) fn of_record(&self, record: usize) -> Option<Range<StepNo>> {
        let first = self.first_from(record);
        let end = self.first_from(record + 1);
        (first < end).then_some(first..end)
    }

    /// The first step that is not of a record before this one.
    fn first_from(&self, record: usize) -> StepNo {
        let (mut first, mut end) = (0, self.next());
        while first < end {
            let middle = first + (end - first) / 2;
            let is_before = self.get(middle).is_some_and(|compact| compact.record() < record);
            (first, end) = if is_before { (middle + 1, end) } else { (first, middle) };
        }
        first
    }

    fn get_mut(&mut self, step: StepNo) -> Option<&mut CompactStep> {
        self.steps.get_mut(usize::try_from(step).ok()?)
    }

    pub(super) fn add(&mut self, mut compact: CompactStep, class: Option<&str>) -> StepNo {
        let step = self.next();
        compact.set_class(class.and_then(|class| self.names.number(class)));
        if compact.is_failed() {
            self.failed.insert(step);
        }
        self.steps.push(compact);
        step
    }

    /// Something is another about a step: it matters if the step was there before the record.
    pub(super) fn note_change(&mut self, step: StepNo) {
        self.changed += u64::from(step < self.reported);
    }

    pub(super) fn extend(&mut self, step: StepNo, span: Span) {
        self.note_change(step);
        if let Some(compact) = self.get_mut(step) {
            compact.extend(span);
        }
    }

    /// The tool that a step calls, before all of the call is there.
    pub(super) fn set_tool(&mut self, step: StepNo, tool: &str) {
        let name = self.names.number(tool);
        if let Some(compact) = self.get_mut(step) {
            compact.set_tool(name);
        }
    }

    /// The step shows another value after its first.
    pub(super) fn supersede(&mut self, step: StepNo, span: Span, turn: &Turn<'_>) {
        self.note_change(step);
        let chars = u32::try_from(describe::chars(turn)).unwrap_or(u32::MAX);
        if let Some(compact) = self.get_mut(step) {
            compact.supersede(span);
            compact.chars = chars;
        }
    }

    pub(super) fn tokens(&mut self, step: StepNo, tokens: u64) {
        self.note_change(step);
        if let Some(compact) = self.get_mut(step) {
            compact.set_tokens(Some(tokens));
        }
    }

    pub(super) fn effects(&mut self, turn: &Turn<'_>) {
        let at = self.writes_at_last();
        self.work.turn(at, turn, &[], &mut self.tree);
    }

    pub(super) fn effects_beside(&mut self, turn: &Turn<'_>) {
        let at = self.writes_at_last();
        self.work.turn_beside(at, turn, &mut self.tree);
    }

    pub(super) fn fail(&mut self, step: StepNo) {
        self.note_change(step);
        if let Some(compact) = self.get_mut(step) {
            compact.set_failed();
            self.failed.insert(step);
        }
    }

    /// A step is whole: what it says links it to others, and changes what the run knows. Effects of a step that is
    /// whole only after others began are those of the last one: the state is written in order.
    pub(super) fn close(&mut self, step: StepNo, turn: &Turn<'_>) {
        self.note_change(step);
        let mut tool = None;
        for (place, call) in turn.calls().enumerate() {
            self.links.call(step, place, call.id.as_deref(), &call.name);
            tool = tool.or_else(|| self.names.number(&call.name));
        }
        let (mut answers, mut answered) = (None, Vec::new());
        for result in turn.results() {
            let link = self.links.result(result);
            // A call that was found otherwise than by its id is named to the rules, which join by ids alone.
            let place = link.as_ref().and_then(|link| Some(Answered::Call(link.step, link.place?)));
            // Nor is one answered that is of another trajectory.
            let is_foreign = link.is_none() && !self.labels.is_empty();
            answered.push(if is_foreign { Answered::Nothing } else { place.unwrap_or_default() });
            let name = link.as_ref().and_then(|link| link.tool.as_deref()).or(result.name.as_deref());
            tool = tool.or_else(|| self.names.number(name?));
            answers = answers.or(link.map(|link| link.step).filter(|call| *call != step));
        }
        let is_failed = turn.results().any(|result| result.is_error == Some(true));
        let chars = describe::chars(turn);
        let at = self.writes_at_last();
        self.work.turn_of(step, at, turn, &answered, &mut self.tree);
        let Some(compact) = self.get_mut(step) else { return };
        if compact.role == StepRole::Unknown {
            compact.role = turn.role;
        }
        compact.set_tool(tool);
        compact.set_answers(answers);
        compact.chars = u32::try_from(chars).unwrap_or(u32::MAX);
        if is_failed {
            compact.set_failed();
        }
        if compact.is_failed() {
            self.failed.insert(step);
        }
    }

    /// Results may name the call of this id otherwise.
    pub(super) fn other_id(&mut self, other: &str, id: &str) {
        self.links.other_id(other, id);
    }

    /// No result comes for the calls of a step.
    pub(super) fn forget_calls(&mut self, step: StepNo) {
        self.links.forget(step);
    }

    pub(super) fn surroundings(&mut self, at: StepNo, around: &Surroundings<'_>) {
        self.enter_trajectory(at);
        self.work.surroundings(at, around, &mut self.tree);
    }

    pub(super) fn todo_list(&mut self, list: &Value<'_>) {
        let at = self.writes_at_last();
        self.work.todo_list(at, list, &mut self.tree);
    }

    pub(super) fn usage(&mut self, message: Option<&str>, usage: &Usage) {
        let at = self.writes_at_last();
        self.work.usage(at, message, usage, &mut self.tree);
    }

    pub(super) fn beyond(&mut self, usage: &Usage) {
        let at = self.writes_at_last();
        self.work.beyond(at, usage, &mut self.tree);
    }

    pub(super) fn usage_totals(&mut self, totals: &Usage, is_turn: bool) {
        let at = self.writes_at_last();
        self.work.usage_totals(at, totals, is_turn, &mut self.tree);
    }

    pub(super) fn reward(&mut self, step: StepNo, number: &str) {
        self.note_change(step);
        self.rewards.insert(step, number.into());
    }
}
