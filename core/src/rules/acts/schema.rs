//! Schemas over the run: which message brought which, and what the values of every step make of them (A20, A42).

use super::finding::{BAD_SCHEMA, Note, OUTPUT_SCHEMA, SCHEMA_VIOLATION, UNCHECKED_SCHEMA};
use super::interned::Texts;
use super::log::Log;
use super::message::MessageType;
use super::reference::{canonical, put_index, put_key};
use crate::json::{self, Key, Value};
use crate::model::cast;
use crate::model::{Bytes, Finding, Span, StepNo};
use crate::rules::digest;
use crate::state::{
    CheckTask, EventOp, IS_CHECKED, IdentityId, NodeId, ReportedCounts, SchemaChecker, SchemaFault, SchemaUse,
    Violations,
};
use std::collections::HashMap;

/// Most steps of a lap that are planned at once.
const PLANNED_MAX: StepNo = 256;

/// A20: the schemas that messages carry, and when identities came under another one.
#[derive(Debug, Default)]
pub(super) struct CarriedSchemas {
    numbers: HashMap<u128, u32>,
    /// By number: where its text is first.
    texts: Vec<Span>,
    steps: Vec<(StepNo, u32)>,
    moves: Vec<(StepNo, IdentityId)>,
    /// Solutions whose output the schema of their request describes; it is among `steps` too.
    outputs: Vec<StepNo>,
}

impl CarriedSchemas {
    /// The message of a step carries a schema; `base` is where the text that it was parsed from begins in the input.
    pub(super) fn add(&mut self, step: StepNo, schema: &Value<'_>, base: u64) {
        let next = cast::to_u32(self.texts.len());
        let number = *self.numbers.entry(digest::of(schema)).or_insert(next);
        if number == next {
            self.texts.push(Span { offset: base, len: 0 }.part(schema.start, schema.text.len()));
        }
        self.steps.push((step, number));
    }

    /// A2, A37: the output of the solution of a step has a schema, that of its request.
    pub(super) fn add_output(&mut self, step: StepNo, schema: &Value<'_>, base: u64) {
        self.add(step, schema, base);
        self.outputs.push(step);
    }

    fn has_output(&self, step: StepNo) -> bool {
        self.outputs.binary_search(&step).is_ok()
    }

    /// From a step on another schema, or none, counts for an identity.
    pub(super) fn note_move(&mut self, at: StepNo, id: IdentityId) {
        self.moves.push((at, id));
    }

    /// The number of the schema that a step's message carries.
    fn of(&self, step: StepNo) -> Option<u32> {
        self.steps.binary_search_by_key(&step, |(s, _)| *s).ok().map(|i| self.steps[i].1)
    }

    fn moved(&self, at: StepNo) -> impl Iterator<Item = IdentityId> + '_ {
        let from = self.moves.partition_point(|(step, _)| *step < at);
        self.moves[from..].iter().take_while(move |(step, _)| *step == at).map(|(_, id)| *id)
    }
}

impl Log {
    /// Whether some message carries a schema.
    #[must_use]
    pub fn has_schemas(&self) -> bool {
        !self.brought.steps.is_empty()
    }

    /// A42: looks at what comes next, for [`SchemaChecker::judge`]; false when there is nothing.
    pub fn examine(&self, checker: &mut SchemaChecker, bytes: &dyn Bytes) -> bool {
        let Some((first, _)) = self.brought.steps.first().filter(|_| IS_CHECKED) else { return false };
        checker.skip_to(*first);
        if let Some(next) = checker.step_to_plan() {
            if next > self.last_step() {
                return false;
            }
            // The bound of a lap is asked after each step. A long lap is planned in pieces: the run is held meanwhile.
            let end = self.last_step().min(next + (PLANNED_MAX - 1));
            let is_short = (next..=end).all(|at| checker.plan(self.turns(at)));
            if is_short && end < self.last_step() {
                return true;
            }
            checker.begin();
        }
        match checker.turn() {
            Some((CheckTask::Schema(at), _)) => {
                if let Some(number) = self.brought.of(at) {
                    let text = || String::from_utf8(bytes.read(self.brought.texts[number as usize]).ok()?).ok();
                    checker.learn(number, text);
                }
            }
            Some((CheckTask::Value(id, at), touched)) => {
                if self.resets.binary_search(&at).is_ok() {
                    checker.forget(id);
                }
                checker.look(&self.tree, (id, at), self.schema_use(id, at), &touched, bytes);
            }
            Some((CheckTask::Output(at), _)) => {
                let output = self.read(at, bytes, |message| super::check::output(message).map(json::compact)).flatten();
                if let Some((number, output)) = self.brought.of(at).zip(output) {
                    checker.weigh(number, output);
                }
            }
            None => {}
        }
        true
    }

    /// What a step does to schemas and to values that have one, or had.
    fn turns(&self, at: StepNo) -> impl Iterator<Item = (CheckTask, Option<NodeId>)> {
        let schema = self.brought.of(at).map(|_| (CheckTask::Schema(at), None));
        let has_schema = |id: IdentityId| self.slots.get(id.0 as usize).is_some_and(|slot| !slot.schema.is_empty());
        let events = self.tree.events(at).into_iter();
        let events = events.filter(move |e| e.op != EventOp::Same && has_schema(e.identity));
        let written = events.map(move |e| (CheckTask::Value(e.identity, at), Some(e.node)));
        let moved = self.brought.moved(at).map(move |id| (CheckTask::Value(id, at), None));
        let output = self.brought.has_output(at).then_some((CheckTask::Output(at), None));
        schema.into_iter().chain(written).chain(moved).chain(output)
    }

    /// A20: the number of the schema of an identity at a step; equal schemas have one number.
    #[must_use]
    pub fn schema_number(&self, id: IdentityId, at: StepNo) -> Option<u32> {
        self.brought.of(self.schema_at(id, at)?)
    }

    /// A11: whether the schema of an identity describes each of its errors.
    #[must_use]
    pub fn has_schema_of_elements(&self, id: IdentityId) -> bool {
        self.tree.identity(id).kind == MessageType::Error.name()
    }

    /// A11, A20: the schema of an identity at a step.
    fn schema_use(&self, id: IdentityId, at: StepNo) -> Option<SchemaUse> {
        Some(SchemaUse { number: self.schema_number(id, at)?, is_each: self.has_schema_of_elements(id) })
    }

    /// A20, A42, A44: what a schema check found and was not reported yet, in no order.
    #[must_use]
    pub fn schema_findings(&self, violations: &Violations, reported: ReportedCounts) -> Vec<Finding> {
        // The schema of a request is no schema of data: what is wrong with it is no finding of A20.
        let is_of_data = |at: StepNo| !self.brought.has_output(at);
        let faults =
            violations.faults_after(reported).iter().filter(|(step, _)| is_of_data(*step)).map(|(step, fault)| {
                let note = match fault {
                    SchemaFault::Invalid(why) => {
                        let text = format!(
                            "`schema` is not valid JSON Schema 2020-12: {why}; values are not checked against it"
                        );
                        Note::new(BAD_SCHEMA, text)
                    }
                    SchemaFault::Unbounded(why) => {
                        Note::new(UNCHECKED_SCHEMA, format!("values are not checked against `schema`: {why}"))
                    }
                };
                (*step, note)
            });
        let unchecked = violations.unchecked_after(reported).iter().map(|(step, id, why)| {
            let path = canonical(&self.tree.identity(*id).kind, &[]);
            (*step, Note::at(UNCHECKED_SCHEMA, path, format!("the value is not checked, or not all of it: {why}")))
        });
        let broken = violations.begun_after(reported).map(|(id, invalid)| {
            let path = canonical(&self.tree.identity(id).kind, &invalid.violation.path);
            let text = format!("{} (by the schema at {})", invalid.violation.message, invalid.violation.schema_path());
            (invalid.since, Note::at(SCHEMA_VIOLATION, path, text))
        });
        let outputs = violations.outputs_after(reported).iter().map(|(step, violation)| {
            let mut path = "solution.output".to_owned();
            for key in &violation.path {
                match key {
                    Key::Name(name) => put_key(name, &mut path),
                    Key::Index(index) => put_index(u64::from(*index), &mut path),
                }
            }
            let text = format!("{} (by the schema of the request at {})", violation.message, violation.schema_path());
            (*step, Note::at(OUTPUT_SCHEMA, path, text))
        });
        let unchecked_outputs = violations.unchecked_outputs_after(reported).iter().map(|(step, why)| {
            let text = format!("the output is not checked, or not all of it, against the schema of the request: {why}");
            (*step, Note::at(UNCHECKED_SCHEMA, "solution.output".to_owned(), text))
        });
        let mut texts = Texts::default();
        let all = faults.chain(unchecked).chain(broken).chain(outputs).chain(unchecked_outputs);
        all.filter_map(|(step, note)| self.finding(step, &note, &mut texts)).collect()
    }
}
