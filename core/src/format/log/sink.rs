//! What an adapter says of a record: steps, writes, what holds around them.

use super::compact_step::CompactStep;
use super::line_ends::LineEnds;
use super::steps::Steps;
use super::window::Dropped;
use super::{Form, Kind, Node};
use crate::format::Exclusion;
use crate::json::{self, Key, Value};
use crate::model::{
    Finding, Identity, PartRole, Record, Remark, RunFacts, RunPart, Severity, Span, StepNo, StepRole, Surroundings,
    Turn, Usage,
};
use crate::state::{IdentityId, Op, Write};
use std::ops::Range;
use std::sync::Arc;

/// Most other files that a run names: each is looked for on the disk.
const PARTS_MAX: usize = 4096;

/// A step as an adapter gives it.
pub(in crate::format) struct Draft<'d, 'v> {
    /// What it is.
    pub(in crate::format) kind: Kind,
    /// How its values are read again.
    pub(in crate::format) form: Form,
    /// The values that it shows, in order; the first is where the step is.
    pub(in crate::format) values: &'d [&'d Value<'v>],
    /// Who; [`StepRole::Unknown`] takes what the values say.
    pub(in crate::format) role: StepRole,
    /// The record's type as written.
    pub(in crate::format) class: Option<&'d str>,
    /// Where the record says when it happened.
    pub(in crate::format) time: Option<&'d Value<'v>>,
    /// Tokens that the model wrote for it, where they are recorded.
    pub(in crate::format) tokens: Option<u64>,
    /// Whether the harness put it in, so that nobody said it.
    pub(in crate::format) is_injected: bool,
    /// Whether it reports a failure that is not a result: an error of the model's service.
    pub(in crate::format) is_failed: bool,
}

impl<'d, 'v> Draft<'d, 'v> {
    /// A step that shows these values.
    pub(in crate::format) fn of(kind: Kind, form: Form, values: &'d [&'d Value<'v>]) -> Self {
        Self {
            kind,
            form,
            values,
            role: StepRole::Unknown,
            class: None,
            time: None,
            tokens: None,
            is_injected: false,
            is_failed: false,
        }
    }
}

/// A value of a record, kept for a step of a later one.
#[derive(Debug, Clone)]
pub(in crate::format) struct Earlier {
    span: Span,
    text: Box<str>,
}

/// How values are read again ([`super::Adapter::show`]).
pub(super) type Show = for<'v> fn(Form, &[&'v Value<'v>]) -> Turn<'v>;

/// Takes what an adapter says of one record.
pub(in crate::format) struct Log<'r> {
    pub(super) steps: &'r mut Steps,
    pub(super) record: &'r Record,
    /// Number of the run's first record.
    pub(super) first: usize,
    /// The text that is read.
    pub(super) text: &'r [u8],
    pub(super) show: Show,
    pub(super) wants_restart: bool,
    /// Line ends of the text.
    pub(super) line_ends: LineEnds,
}

impl Log<'_> {
    /// The number that the next step will have.
    pub(in crate::format) fn next_step(&self) -> StepNo {
        self.steps.next()
    }

    /// Adds a step.
    pub(in crate::format) fn step(&mut self, draft: &Draft<'_, '_>) -> StepNo {
        let step = self.open(draft);
        self.steps.close(step, &(self.show)(draft.form, draft.values));
        step
    }

    /// Keeps a value of this record for a step of a later one.
    pub(in crate::format) fn keep(&self, value: &Value<'_>) -> Earlier {
        Earlier { span: self.span(value), text: value.text.into() }
    }

    /// Adds a step that shows values of earlier records after its own.
    pub(in crate::format) fn step_with(&mut self, draft: &Draft<'_, '_>, earlier: &[Earlier]) -> StepNo {
        let step = self.open(draft);
        let parsed: Vec<Value<'_>> =
            earlier.iter().filter_map(|stored| json::parse_lenient(&stored.text).ok()).collect();
        earlier.iter().for_each(|stored| self.steps.extend(step, stored.span));
        let values: Vec<&Value<'_>> = draft.values.iter().copied().chain(&parsed).collect();
        self.steps.close(step, &(self.show)(draft.form, &values));
        step
    }

    /// A step shows this value now, after its first one, in place of those that came since.
    pub(in crate::format) fn supersede(&mut self, step: StepNo, form: Form, value: &Value<'_>) {
        let span = self.span(value);
        self.steps.supersede(step, span, &(self.show)(form, &[value]));
    }

    /// Adds a step whose values are not all there; its call or result counts from [`Log::close`] on.
    pub(in crate::format) fn open(&mut self, draft: &Draft<'_, '_>) -> StepNo {
        let spans: Vec<Span> = draft.values.iter().map(|value| self.span(value)).collect();
        let line = self.record.place.line
            + draft.values.first().map_or(0, |value| self.line_ends.before(self.text, value.start));
        let time = draft.time.map(|value| self.span(value));
        self.steps.add(CompactStep::new(draft, self.record.number, line, &spans, time), draft.class)
    }

    /// The tool that an open step calls: its arguments may never be whole.
    pub(in crate::format) fn calls_tool(&mut self, step: StepNo, tool: &str) {
        self.steps.set_tool(step, tool);
    }

    /// Adds a value to a step that is open, or that shows more than it did.
    pub(in crate::format) fn extend(&mut self, step: StepNo, value: &Value<'_>) {
        let span = self.span(value);
        self.steps.extend(step, span);
    }

    /// All values of an open step are there: it says this.
    pub(in crate::format) fn close(&mut self, step: StepNo, turn: &Turn<'_>) {
        self.steps.close(step, turn);
    }

    /// The same, where its values are those of several records; `ask` receives them too.
    pub(in crate::format) fn close_with<T>(
        &mut self,
        step: StepNo,
        form: Form,
        values: &[Earlier],
        ask: impl FnOnce(&[&Value<'_>]) -> T,
    ) -> T {
        let parsed: Vec<Value<'_>> =
            values.iter().filter_map(|stored| json::parse_lenient(&stored.text).ok()).collect();
        let values: Vec<&Value<'_>> = parsed.iter().collect();
        self.steps.close(step, &(self.show)(form, &values));
        ask(&values)
    }

    /// Writes a value of the record to the state, at the step that was added last; before any step it is the head.
    pub(in crate::format) fn write(&mut self, kind: &str, instance: &str, path: &[&str], op: Op, value: &Value<'_>) {
        let (identity, base) = (self.identity(kind, instance), Some(self.record.place.span.offset));
        self.put(identity, path, op, value, base);
    }

    /// Writes a value that is derived, given as JSON text.
    pub(in crate::format) fn derive(&mut self, kind: &str, instance: &str, path: &[&str], op: Op, text: &str) {
        if let Ok(value) = json::parse(text) {
            let identity = self.identity(kind, instance);
            self.put(identity, path, op, &value, None);
        }
    }

    /// Removes what is at a path.
    pub(in crate::format) fn remove(&mut self, kind: &str, instance: &str, path: &[&str]) {
        let identity = self.identity(kind, instance);
        let keys = path.iter().map(|name| Key::name(name)).collect();
        let at = self.steps.writes_at_last();
        self.steps.tree.write(&Write { at, author: at, identity, value: None, base: None, ops: &[(keys, Op::Remove)] });
    }

    /// The step that was added last follows `step`, not the one before it: what these kinds of state were at that step,
    /// they are again.
    pub(in crate::format) fn go_back(&mut self, kinds: &[&str], step: StepNo) {
        let at = self.steps.writes_at_last();
        self.steps.go_back(at, kinds, step);
    }

    /// The same of the next step, where a trajectory begins or goes on with it.
    pub(in crate::format) fn go_back_ahead(&mut self, kinds: Vec<String>, step: StepNo) {
        self.steps.back = Some((kinds, step));
    }

    /// The names of the members that an instance has now.
    pub(in crate::format) fn members(&self, kind: &str, instance: &str) -> Vec<String> {
        let tree = &self.steps.tree;
        let root = tree.find(&Identity::of(kind, instance)).and_then(|id| tree.view(id, StepNo::MAX)?.root);
        let children = root.map(|root| tree.children(root, StepNo::MAX)).unwrap_or_default();
        children.into_iter().map(|child| child.key.to_string()).collect()
    }

    /// The record shows that no result comes for the calls of a step: a later result without an id is not theirs.
    pub(in crate::format) fn no_result(&mut self, step: StepNo) {
        self.steps.forget_calls(step);
    }

    /// A result may name the call of this id by another id.
    pub(in crate::format) fn other_id(&mut self, other: &str, id: &str) {
        self.steps.other_id(other, id);
    }

    /// What holds around the record's steps; reported before its first step.
    pub(in crate::format) fn surroundings(&mut self, around: &Surroundings<'_>) {
        self.steps.surroundings(self.steps.next(), around);
    }

    /// What a record that gives no step says of those that follow.
    pub(in crate::format) fn surroundings_ahead(&mut self, around: &Surroundings<'_>) {
        let at = self.steps.writes_at_last();
        self.steps.surroundings(at, around);
    }

    /// The todo list as the record states it, whole; written at the step that was added last.
    pub(in crate::format) fn todo_list(&mut self, list: &Value<'_>) {
        self.steps.todo_list(list);
    }

    /// Tokens and cost, reported after the record's last step. Of several of one `message` the greatest output counts.
    pub(in crate::format) fn usage(&mut self, message: Option<&str>, usage: &Usage) {
        self.steps.usage(message, usage);
    }

    /// What the run cost beyond what its messages report, reported after the record's last step.
    pub(in crate::format) fn cost(&mut self, cost: f64) {
        self.beyond(&Usage { cost: Some(cost), ..Usage::default() });
    }

    /// The same of tokens.
    pub(in crate::format) fn beyond(&mut self, usage: &Usage) {
        self.steps.beyond(usage);
    }

    /// The tokens and cost that were reported so far.
    pub(in crate::format) fn total_usage(&self) -> Usage {
        self.steps.work.total_usage()
    }

    /// Where the record is in the tree of the log.
    pub(in crate::format) fn thread(&mut self, node: &Node<'_>) {
        if let Some(at) = self.record.number.checked_sub(self.first) {
            self.steps.threads.add(at, node);
        }
    }

    /// The steps of an earlier record of the tree, by its id.
    pub(in crate::format) fn steps_of(&self, id: &str) -> Option<Range<StepNo>> {
        self.steps.of_record(self.first + self.steps.threads.find(id)?)
    }

    /// The call that started the sub-agent whose first step this is.
    pub(in crate::format) fn called_by(&mut self, step: StepNo, call: StepNo) {
        self.steps.callers.insert(step, call);
    }

    /// The record, or a step of it, refers to another file of the run.
    pub(in crate::format) fn part(
        &mut self,
        role: PartRole,
        folder: &'static str,
        file: &str,
        identity: Option<&str>,
        step: Option<StepNo>,
    ) {
        if self.steps.parts.len() < PARTS_MAX {
            let (file, identity, record) = (file.to_owned(), identity.map(str::to_owned), self.record.number);
            self.steps.parts.push(RunPart { role, folder, file, identity, record, step });
        }
    }

    /// The same of a record that gives totals, with an answer or by themselves.
    pub(in crate::format) fn usage_totals(&mut self, totals: &Usage, is_turn: bool) {
        self.steps.usage_totals(totals, is_turn);
    }

    /// Tokens that the model wrote for a step, where a later record gives them.
    pub(in crate::format) fn tokens(&mut self, step: StepNo, tokens: u64) {
        self.steps.tokens(step, tokens);
    }

    /// A step reports a failure, as a later record says.
    pub(in crate::format) fn fail(&mut self, step: StepNo) {
        self.steps.fail(step);
    }

    /// A finding at a step, or of the record.
    pub(in crate::format) fn finding(
        &mut self,
        step: Option<StepNo>,
        rule: &'static str,
        severity: Severity,
        message: impl Into<Arc<str>>,
    ) {
        let remark = Remark { path: None, rule, severity, message: message.into() };
        self.steps.findings.push(Arc::new(Finding::new(self.record.number, step, remark)));
    }

    /// The reward of a step, as the source text of the number.
    pub(in crate::format) fn reward(&mut self, step: StepNo, number: &str) {
        self.steps.reward(step, number);
    }

    /// A title of the run; the last one counts.
    pub(in crate::format) fn title(&mut self, title: &str) {
        self.steps.title = Some(title.to_owned());
    }

    /// What the log reports of the run as a whole.
    pub(in crate::format) fn facts(&mut self) -> &mut RunFacts {
        &mut self.steps.facts
    }

    /// The steps are those of `count` trajectories, one after the other.
    pub(in crate::format) fn trajectories(&mut self, count: usize) {
        self.steps.trajectories = Some(count);
    }

    /// The steps from the next one on are of the trajectory of this number, from 0.
    pub(in crate::format) fn trajectory(&mut self, number: usize) {
        self.steps.enter_number(number);
    }

    /// Tools that the model has from the step that was added last on: a list of what they are called, are for and take.
    pub(in crate::format) fn declare_tools(&mut self, list: Option<&Value<'_>>) {
        list.into_iter().for_each(|list| self.declare_tools_in(list.text));
    }

    /// The same of a list as JSON.
    pub(in crate::format) fn declare_tools_in(&mut self, list: &str) {
        let at = self.steps.last();
        self.steps.work.declare_tools(at, list);
    }

    /// The steps from the next one on are nested in `depth` spans, runs or agents.
    pub(in crate::format) fn enter_depth(&mut self, depth: usize) {
        self.steps.enter_depth(u8::try_from(depth).unwrap_or(u8::MAX));
    }

    /// The steps from the next one on are of the trajectory of this name, where the run has several.
    pub(in crate::format) fn begin_trajectory(&mut self, name: &str) {
        self.steps.begin_trajectory(name);
    }

    /// The same of one of several agents of a run, which share what the run knows (W1).
    pub(in crate::format) fn begin_agent(&mut self, name: &str) {
        self.steps.begin_agent(name);
    }

    /// What the step that was added last does beyond what it shows: calls that its words make, and what came back.
    pub(in crate::format) fn effects(&mut self, turn: &Turn<'_>) {
        self.steps.effects(turn);
    }

    /// The same of what no step asked for: a file that the program read by itself, a command of the user.
    pub(in crate::format) fn effects_beside(&mut self, turn: &Turn<'_>) {
        self.steps.effects_beside(turn);
    }

    /// Whether steps are of trajectories that have names.
    pub(in crate::format) fn has_trajectories(&self) -> bool {
        !self.steps.labels.is_empty()
    }

    /// From the step that was added last on, the model sees nothing before this one.
    pub(in crate::format) fn drop_before(&mut self, first: StepNo) {
        self.steps.window.drop(self.steps.last(), Dropped::Before(first));
    }

    /// From the step that was added last on, the model does not see these.
    pub(in crate::format) fn drop_steps(&mut self, steps: &[StepNo]) {
        if !steps.is_empty() {
            self.steps.window.drop(self.steps.last(), Dropped::These(steps.into()));
        }
    }

    /// From the step that was added last on, the model sees this span no more.
    pub(in crate::format) fn drop_span(&mut self, steps: Range<StepNo>) {
        self.steps.window.drop(self.steps.last(), Dropped::Span(steps));
    }

    /// From the step that was added last on, the model sees again what was dropped as a span.
    pub(in crate::format) fn see_spans_again(&mut self) {
        self.steps.window.drop(self.steps.last(), Dropped::NoSpans);
    }

    /// The step that was added last is no message, and puts this into the model's window.
    pub(in crate::format) fn summarize(&mut self, text: &str) {
        self.steps.window.summarize(self.steps.last(), text.chars().count() as u64);
    }

    /// The step that was added last is no message, and has some in it that the model sees: [`super::Adapter::prompt`].
    pub(in crate::format) fn prompt(&mut self) {
        self.steps.window.prompt(self.steps.last());
    }

    /// The model sees the step that was added last whatever is compacted.
    pub(in crate::format) fn fix(&mut self) {
        self.steps.window.fix(self.steps.last());
    }

    /// From the step that was added last on, the model does not see one that was fixed.
    pub(in crate::format) fn release(&mut self, step: StepNo) {
        self.steps.window.release(step, self.steps.last());
        self.drop_steps(&[step]);
    }

    /// The step that was added last is a message that is not for the model.
    pub(in crate::format) fn aside(&mut self) {
        self.steps.window.aside(self.steps.last(), Exclusion::Aside);
    }

    /// The step that was added last is a call that the words of the message before it hold.
    pub(in crate::format) fn in_words(&mut self) {
        self.steps.window.aside(self.steps.last(), Exclusion::InWords);
    }

    /// A step belongs to the last answer of the agent before it, although results are between.
    pub(in crate::format) fn go_on(&mut self, step: StepNo) {
        self.steps.window.go_on(step);
    }

    /// The step that was added last takes others out of the conversation.
    pub(in crate::format) fn remove_steps(&mut self, steps: &[StepNo]) {
        self.drop_steps(steps);
        self.steps.window.remove(steps);
    }

    /// A step was left for another branch of the same record.
    pub(in crate::format) fn leave(&mut self, step: StepNo) {
        self.steps.note_change(step);
        self.steps.left.insert(step);
    }

    /// What was learned changes how earlier records are read: all are read again, after [`super::Adapter::restart`].
    pub(in crate::format) fn read_again(&mut self) {
        self.wants_restart = true;
    }

    fn identity(&mut self, kind: &str, instance: &str) -> IdentityId {
        self.steps.tree.intern(&Identity::of(kind, instance))
    }

    fn put(&mut self, identity: IdentityId, path: &[&str], op: Op, value: &Value<'_>, base: Option<u64>) {
        let nested = nested(path, value);
        let keys: Vec<Key> = path.iter().map(|name| Key::name(name)).collect();
        let at = self.steps.writes_at_last();
        self.steps.tree.write(&Write { at, author: at, identity, value: Some(&nested), base, ops: &[(keys, op)] });
    }

    fn span(&self, value: &Value<'_>) -> Span {
        Span { offset: self.record.place.span.offset + value.start as u64, len: value.text.len() as u64 }
    }
}

/// A value below the members of a path.
fn nested<'v>(path: &[&'v str], value: &Value<'v>) -> Value<'v> {
    path.iter().rev().fold(value.clone(), |inner, name| {
        let member = json::Member { key: std::borrow::Cow::Borrowed(*name), key_start: 0, value: inner };
        Value { start: 0, text: "", data: json::Data::Object(json::Object::new(vec![member])) }
    })
}
