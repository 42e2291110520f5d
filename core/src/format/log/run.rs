//! The run of a log: its steps, the state that they write, and the answers to questions about both.

use super::compact_step::CompactStep;
use super::line_ends::{LineEnds, count_lines};
use super::parts::Parts;
use super::sink::Log;
use super::steps::Steps;
use super::values::{ValueReaders, text_at, with_values};
use super::{Adapter, Arrange, Piece, PlacedPieces, damaged, describe};
use crate::format::describe::acting;
use crate::format::slots::Slots;
use crate::format::{Answer, Attribution, Exclusion, Instances, Resolved, Revision, Run, ViewEntry, ViewList};
use crate::json::{self, Key, Value};
use crate::model::{
    Bytes, Finding, Identity, ModelRequest, PartState, Place, Problem, Record, RecordBody, RecordIndex, RunFacts,
    RunPart, Span, Step, StepKind, StepNo, StepPlace, StepRole, Turn,
};
use crate::rules::slot_pointer::slot_pointer;
use crate::rules::work::Work;
use crate::state::{IdentityId, Tree};
use std::{ops::Range, sync::Arc};

/// How often a file is read again from its beginning, at most, because of what was learned on the way.
const RESTARTS_MAX: usize = 8;

/// How many steps back a request to the model is looked for.
const REQUEST_STEPS_MAX: usize = 256;

/// One trajectory of a log.
pub(in crate::format) struct LogRun {
    adapter: Box<dyn Adapter>,
    pub(super) readers: ValueReaders,
    pub(super) steps: Steps,
    records: RecordIndex,
    /// Number of the first record.
    pub(super) first: usize,
    /// Findings as if the run ended here.
    ahead: Vec<Arc<Finding>>,
    /// What puts the values of records in order, where the adapter does.
    arrange: Option<Box<dyn Arrange>>,
    /// The records that it could not look at, by their places.
    broken: Vec<usize>,
    /// What is wrong with documents of which the whole parts are read.
    cut: Vec<Arc<Finding>>,
    /// Whether records came that are not read yet, because they change the order of what is read.
    is_stale: bool,
    /// What was found of other files of the run, and how often that was something else.
    pub(super) parts: Parts,
    attached: u64,
    /// How often all records were read again.
    rebuilt: u64,
}

impl LogRun {
    /// The run of an adapter. All else is compiled once for all of them.
    pub(in crate::format) fn new<A: Adapter + 'static>(adapter: A) -> Self {
        Self::of(Box::new(adapter), ValueReaders::by::<A>())
    }

    fn of(adapter: Box<dyn Adapter>, readers: ValueReaders) -> Self {
        let (steps, found) = (Steps::new(adapter.dialect()), Parts::default());
        Self {
            arrange: adapter.arrange(),
            broken: Vec::new(),
            cut: Vec::new(),
            adapter,
            readers,
            steps,
            records: RecordIndex::default(),
            first: 0,
            attached: 0,
            rebuilt: 0,
            ahead: Vec::new(),
            is_stale: false,
            parts: found,
        }
    }

    /// Reads a record's text; false: all has to be read again.
    fn read(&mut self, record: &Record, text: &[u8]) -> bool {
        match self.value_of(record, text) {
            Some(value) => {
                self.steps.name_task(&value, record.number == self.first);
                self.say(record, text, |adapter, log| adapter.read(&value, log))
            }
            None => true,
        }
    }

    /// The value of a record; what is wrong with it is a finding.
    fn value_of<'t>(&mut self, record: &Record, text: &'t [u8]) -> Option<Value<'t>> {
        match record.json(text) {
            Ok((_, value)) if value.as_object().is_some() => Some(value),
            Ok((_, value)) if value.as_array().is_some() && self.adapter.takes_lists() => Some(value),
            Ok((_, value)) => {
                let why = format!("it is {}, and a record is an object", value.type_name());
                self.steps.findings.push(Arc::new(describe::invalid(record, &why)));
                None
            }
            Err(why) => {
                self.steps.findings.push(Arc::new(describe::invalid(record, &why)));
                damaged::value_of(text)
            }
        }
    }

    /// Looks at a record whose values may be put in another order. What comes behind all others is read at once.
    fn look(&mut self, record: &Record, text: &[u8]) {
        let index = record.number - self.first;
        let value = match record.json(text) {
            Ok((_, value)) => Some(value),
            Err(_) => damaged::value_of(text),
        };
        if let Some(finding) = value.as_ref().and_then(|_| damaged::finding_of(record)) {
            self.cut.push(Arc::clone(&finding));
            self.steps.findings.push(finding);
        }
        let looked = value.and_then(|value| self.arrange.as_mut().map(|arrange| arrange.look(index, &value)));
        match looked {
            None => {
                self.broken.push(index);
                self.is_stale |= !self.read(record, text);
            }
            _ if self.is_stale => {}
            Some(PlacedPieces::Rearranged) => self.is_stale = true,
            Some(PlacedPieces::Added(pieces)) => {
                let (mut counted, mut line) = (0, record.place.line);
                let is_through = pieces.iter().all(|piece| {
                    // Pieces come in order: each line end is counted once.
                    if let Some(passed) = text.get(counted..piece.start) {
                        line += count_lines(passed);
                        counted = piece.start;
                    }
                    let place = Place { span: piece.span(record.place.span), line };
                    let part = text.get(piece.start..piece.start + piece.len).unwrap_or_default();
                    self.read(&Record { place, body: RecordBody::Text, ..record.clone() }, part)
                });
                // Once for all that comes until then: each of many traces may ask for it.
                self.is_stale |= !is_through;
            }
        }
    }

    /// Lets the adapter say something of a record; false: all has to be read again.
    fn say(&mut self, record: &Record, text: &[u8], say: impl FnOnce(&mut dyn Adapter, &mut Log<'_>)) -> bool {
        let first = self.first;
        self.steps.reported = self.steps.next();
        let (steps, line_ends) = (&mut self.steps, LineEnds::default());
        let mut log = Log { steps, record, first, text, show: self.readers.turn, wants_restart: false, line_ends };
        say(&mut *self.adapter, &mut log);
        !log.wants_restart
    }

    /// All records again, from the first.
    fn read_again(&mut self, bytes: &dyn Bytes) {
        self.rebuilt += 1;
        for attempt in 0..=RESTARTS_MAX {
            self.steps = Steps::new(self.adapter.dialect());
            self.adapter.restart();
            self.steps.findings.extend(self.cut.iter().cloned());
            let mut is_through = true;
            // To the end also where it is in vain: the next time knows all that this one learned.
            for record in &self.pieces(bytes) {
                if let Ok(text) = bytes.read(record.place.span) {
                    is_through &= self.read(record, &text);
                }
            }
            if is_through || attempt == RESTARTS_MAX {
                break;
            }
        }
        if let Some(last) = self.records.len().checked_sub(1).and_then(|last| self.record(last)) {
            self.say(&last, &[], |adapter, log| adapter.finish(log));
        }
        self.is_stale = false;
    }

    /// What is read, in order: all records, or the values that the adapter chooses.
    fn pieces(&mut self, bytes: &dyn Bytes) -> Vec<Record> {
        let Some(arrange) = &mut self.arrange else {
            return (0..self.records.len()).filter_map(|index| self.record(index)).collect();
        };
        let order = arrange.order();
        let of_piece = |piece: Piece| {
            let record = self.record(piece.record)?;
            let place = Place { span: piece.span(record.place.span), ..record.place };
            Some(Record { place, body: RecordBody::Text, ..record })
        };
        let broken = self.broken.iter().filter_map(|index| self.record(*index));
        let mut records: Vec<Record> = broken.chain(order.into_iter().filter_map(of_piece)).collect();
        self.set_lines(&mut records, bytes);
        records
    }

    /// The lines in which parts of records begin: the line ends before each are counted once.
    fn set_lines(&self, records: &mut [Record], bytes: &dyn Bytes) {
        let mut in_order: Vec<&mut Record> = records.iter_mut().collect();
        in_order.sort_unstable_by_key(|record| record.place.span.offset);
        let mut counted = Place::default();
        for record in in_order {
            let offset = record.place.span.offset;
            let whole = record.number.checked_sub(self.first).and_then(|index| self.records.get(index));
            let Some(start) = whole.map(|whole| whole.place) else { continue };
            if counted.span.offset < start.span.offset || counted.line < start.line {
                counted = start;
            }
            let gap = Span { offset: counted.span.offset, len: offset.saturating_sub(counted.span.offset) };
            let passed = if gap.len == 0 { 0 } else { bytes.read(gap).map_or(0, |passed| count_lines(&passed)) };
            counted = Place { span: Span { offset, len: 0 }, line: counted.line + passed };
            record.place.line = counted.line;
        }
    }

    /// A record by its place in the run.
    fn record(&self, index: usize) -> Option<Record> {
        let record = self.records.get(index)?;
        Some(Record { number: self.first + record.number, ..record })
    }

    fn time(&self, compact: &CompactStep, bytes: &dyn Bytes) -> Option<String> {
        let text = text_at(compact.time()?, bytes).ok()?;
        let value = json::parse_lenient(&text).ok()?;
        value.as_str().or(value.as_number()).map(str::to_owned)
    }

    fn slots(&self, step: StepNo) -> Slots<'_> {
        Slots { tree: &self.steps.tree, step }
    }
}

impl Run for LogRun {
    fn push(&mut self, record: &Record, text: &[u8], bytes: &dyn Bytes) {
        if self.records.is_empty() {
            self.first = record.number;
        }
        let broken = match &record.body {
            RecordBody::Broken(why) => Some(why.clone()),
            RecordBody::Text => None,
        };
        self.records.push(record.place, broken);
        self.ahead.clear();
        let text = damaged::text_of(record, text, bytes);
        if self.arrange.is_some() {
            self.look(record, &text);
        } else if !self.read(record, &text) {
            self.read_again(bytes);
        }
    }

    fn catch_up(&mut self, bytes: &dyn Bytes) {
        if self.is_stale {
            self.read_again(bytes);
        }
    }

    fn revision(&self) -> Revision {
        Revision { rebuilt: self.rebuilt, changed: self.steps.changed + self.steps.threads.switched() + self.attached }
    }

    fn step_count(&self) -> usize {
        self.steps.steps.len()
    }

    fn trajectory_count(&self) -> usize {
        self.steps.trajectories.unwrap_or(1)
    }

    fn trajectory_steps(&self, number: usize) -> Option<Vec<Range<StepNo>>> {
        self.steps.of_trajectory(number)
    }

    fn place(&self, step: StepNo) -> Option<StepPlace> {
        let compact = self.steps.get(step)?;
        let record = self.record(compact.record().checked_sub(self.first)?)?;
        Some(StepPlace { record: compact.record(), place: compact.place(), record_span: record.place.span })
    }

    fn spans(&self, step: StepNo) -> Vec<Span> {
        self.steps.get(step).map(|compact| compact.spans().collect()).unwrap_or_default()
    }

    fn step(&self, step: StepNo, bytes: &dyn Bytes) -> Step {
        let Some(compact) = self.steps.get(step) else { return Step { number: step, ..Step::default() } };
        let standing = self.steps.standing(step, compact.record().checked_sub(self.first));
        let dialect = self.adapter.dialect();
        let described = self.with_turn(step, compact, bytes, |turn| Step {
            sign: describe::sign(compact.kind, compact.is_failed()),
            summary: describe::summary(turn, compact.role),
            ..acting(turn, dialect)
        });
        let described = described.unwrap_or_else(|problem| Step {
            sign: StepKind::Broken,
            summary: problem.to_string(),
            ..Step::default()
        });
        Step {
            number: step,
            kind: compact.kind.name().to_owned(),
            class: self.steps.names.get(compact.class()).map(str::to_owned),
            role: compact.role,
            tool: self.steps.names.get(compact.tool()).map(str::to_owned),
            answers: compact.answers(),
            standing,
            caller: self.steps.callers.get(&step).copied(),
            chars: compact.chars as usize,
            time: self.time(compact, bytes),
            tokens: compact.tokens().map(u64::from),
            reward: self.steps.rewards.get(&step).map(|reward| reward.to_string()),
            label: describe::label(compact.kind, compact.role, self.steps.names.get(compact.class()), standing),
            trajectory: self.steps.trajectory(step),
            depth: self.steps.depth(step).max(standing.depth()),
            ..described
        }
    }

    fn tree(&self) -> &Tree {
        &self.steps.tree
    }

    fn findings(&self) -> Vec<Arc<Finding>> {
        let missing = self.parts.findings(&self.steps.parts).map(Arc::new);
        Finding::in_order(self.steps.findings.iter().chain(&self.ahead).cloned().chain(missing).collect())
    }

    /// W11: some findings depend on how the run ends.
    fn look_ahead(&self, _bytes: &dyn Bytes) -> Vec<Arc<Finding>> {
        self.steps.work.findings(self.first).into_iter().map(Arc::new).collect()
    }

    fn settle(&mut self, ahead: Vec<Arc<Finding>>) {
        self.ahead = ahead;
    }

    fn instances(&self) -> Instances {
        Instances::InPath
    }

    fn error_steps(&self) -> Vec<StepNo> {
        self.steps.failed.union(self.steps.work.error_steps()).copied().collect()
    }

    fn answers(&self, step: StepNo) -> Option<StepNo> {
        self.steps.get(step)?.answers()
    }

    fn step_kind(&self, step: StepNo) -> Option<StepKind> {
        self.steps.get(step).map(|compact| describe::sign(compact.kind, compact.is_failed()))
    }

    fn turn(&self, step: StepNo, bytes: &dyn Bytes) -> Option<Turn<'static>> {
        let compact = self.steps.get(step)?;
        let turn = self.with_turn(step, compact, bytes, |turn| turn.clone().into_owned()).ok()?;
        Some(Turn { role: compact.role, ..turn })
    }

    fn seen_turn(&self, step: StepNo, bytes: &dyn Bytes) -> Option<Turn<'static>> {
        self.prompt(step, bytes).or_else(|| self.recorded_turn(self.steps.get(step)?, bytes))
    }

    fn model_request(&self, step: StepNo, bytes: &dyn Bytes) -> Option<ModelRequest> {
        let compact = self.steps.get(step).filter(|_| self.has_model_requests())?;
        with_values(compact, bytes, |values| (self.readers.request)(compact.form, values)).ok()?
    }

    fn has_model_requests(&self) -> bool {
        self.adapter.has_requests()
    }

    fn work(&self) -> Option<&Work> {
        Some(&self.steps.work)
    }

    fn reference(&self, identity: &Identity, path: &[Key]) -> String {
        slot_pointer(identity, path)
    }

    fn locate(&self, path: &str, step: StepNo) -> Result<Vec<(IdentityId, Vec<Key>)>, Problem> {
        self.slots(step).locate(path)
    }

    /// Who supplied a value is the tool that was called or answered, else the speaker.
    fn attribution(&self, _identity: IdentityId, author: StepNo, _bytes: &dyn Bytes) -> Attribution {
        let compact = self.steps.get(author);
        let tool = compact.and_then(|compact| self.steps.names.get(compact.tool()));
        let role = compact.map(|compact| compact.role).filter(|role| *role != StepRole::Unknown);
        let who =
            tool.or(role.map(StepRole::name)).or(compact.and_then(|compact| self.steps.names.get(compact.class())));
        Attribution { who: who.map(str::to_owned), ..Attribution::default() }
    }

    fn state(&self, step: StepNo, bytes: &dyn Bytes) -> Answer {
        self.slots(step).answer(bytes)
    }

    fn window(&self, step: StepNo, bytes: &dyn Bytes) -> Option<Vec<Turn<'static>>> {
        let record = |step: StepNo| self.steps.get(step).map(CompactStep::record);
        // The request of the step's record, else the last one before it. A state is as it is at its step.
        let is_message = self.steps.get(step).is_some_and(|compact| !compact.kind.is_beside());
        let is_of_record = |number: &StepNo| record(*number).is_some_and(|found| Some(found) == record(step));
        let of_record = (step..).take_while(|number| *number == step || is_message && is_of_record(number));
        // Those of other trajectories are not the step's.
        let is_of_trajectory = |number: &StepNo| self.steps.number_of(*number) == self.steps.number_of(step);
        let before = (0..step).rev().filter(is_of_trajectory).take(REQUEST_STEPS_MAX);
        let mut requests = of_record.chain(before).filter_map(|number| self.model_request(number, bytes));
        requests.find(|request| !request.messages.is_empty()).map(|request| request.messages)
    }

    fn view(&self, step: StepNo, bytes: &dyn Bytes) -> Vec<ViewEntry> {
        self.view_list(step, bytes).all()
    }

    fn view_list<'v>(&'v self, step: StepNo, bytes: &'v dyn Bytes) -> ViewList<'v> {
        if let Some(turns) = self.has_model_requests().then(|| self.window(step, bytes)).flatten() {
            return ViewList::new(turns.len(), move |at| Some(describe::entry_of(turns.get(at)?, step)));
        }
        let seen = self.in_window_order(step, self.context_steps(step).unwrap_or_default());
        ViewList::new(seen.len(), move |at| self.seen_entry(*seen.get(at)?, self.steps.get(*seen.get(at)?)?, bytes))
    }

    fn context_steps(&self, step: StepNo) -> Option<Vec<StepNo>> {
        let at = |compact: &CompactStep| compact.record().checked_sub(self.first);
        let context = self.steps.threads.context(self.steps.get(step).and_then(at));
        let is_seen = |compact: &CompactStep| at(compact).and_then(|at| context.get(at)).copied().unwrap_or(true);
        // A step of the main line saw none that were left; of another trajectory of the run it saw nothing.
        let labels = self.steps.labels.iter().map(|(first, _)| *first);
        let leads_here = |number: StepNo| self.steps.get(number).is_none_or(is_seen);
        let (first_seen, gone) = self.steps.window.at(step, leads_here);
        let begin = labels.take_while(|first| *first <= step).last().unwrap_or(0).max(first_seen);
        let is_left = |number: &StepNo| self.steps.left.contains(number);
        let sees = |number: StepNo| number >= begin && !gone.contains(&number) && (is_left(&step) || !is_left(&number));
        let shown = (0..).zip(self.steps.steps.iter()).take_while(|(number, _)| *number <= step);
        let entries = shown.filter(|(number, compact)| {
            let has_words = !compact.kind.is_beside() || self.steps.window.has_words(*number);
            let is_there = self.steps.window.is_fixed(*number, step) || sees(*number);
            has_words && !self.steps.window.is_aside(*number) && is_seen(compact) && is_there
        });
        Some(entries.map(|(number, _)| number).collect())
    }

    fn prompt(&self, step: StepNo, bytes: &dyn Bytes) -> Option<Turn<'static>> {
        let compact = self.steps.get(step).filter(|_| self.steps.window.is_prompt(step))?;
        with_values(compact, bytes, self.readers.prompt).ok()?
    }

    fn goes_on(&self, step: StepNo) -> bool {
        self.steps.window.goes_on(step)
    }

    fn exclusion(&self, step: StepNo) -> Option<Exclusion> {
        self.steps.window.exclusion(step)
    }

    fn summary_chars(&self, step: StepNo) -> Option<u64> {
        self.steps.window.summary_chars(step)
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

    fn parts(&self) -> &[RunPart] {
        &self.steps.parts
    }

    fn attach(&mut self, found: Vec<PartState>) {
        self.attached += u64::from(!self.parts.are_like(&found));
        self.parts.set(&self.steps.parts, found);
    }

    fn part_states(&self) -> &[PartState] {
        self.parts.states()
    }

    fn title(&self) -> Option<String> {
        self.steps.title.clone()
    }

    fn facts(&self) -> RunFacts {
        self.steps.facts.clone()
    }
}
