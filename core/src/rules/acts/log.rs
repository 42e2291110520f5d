//! The run of an Agent/Data log: records in, steps and state out (A1 to A6).

use super::check;
use super::context::{Aligner, Epochs};
use super::digest::{self, MessageDigest};
use super::finding::{DUPLICATE_KEY, INVALID_JSON, NOT_A_MESSAGE, Note, UNKNOWN_TYPE};
use super::fold::Listing;
use super::interned::Texts;
use super::message::{ActsMessage, Content, MessageType};
use super::reference::{put_index, put_key};
use super::request::Requests;
use super::rows::{Row, RowFacts, Rows};
use super::schema::CarriedSchemas;
use super::tick::Ticks;
use super::write::{self, Planned};
use crate::json::{self, Data, Value};
use crate::model::cast;
use crate::model::{Bytes, Finding, Place, Record, Span, StepNo, StepPlace};
use crate::state::{IdentityId, Tree};
use std::collections::HashMap;
use std::sync::Arc;

/// A run: where its steps are, the state they make, and what was found on the way.
#[derive(Debug, Default)]
pub struct Log {
    pub(super) rows: Rows,
    pub(super) tree: Tree,
    /// By number of the identity.
    pub(super) slots: Vec<Slot>,
    pub(super) context: Epochs,
    /// Made when the first envelope follows a step (A4).
    pub(super) aligner: Option<Aligner>,
    pub(super) ticks: Ticks,
    /// The schemas of the messages (A20).
    pub(super) brought: CarriedSchemas,
    pub(super) changes: Vec<Change>,
    pub(super) solutions: Solutions,
    /// The requests (A2).
    pub(super) requests: Requests,
    /// Steps with calls that may be the plan (A37).
    pub(super) plans: Vec<StepNo>,
    /// Steps whose method is `erase` (A41).
    pub(super) erases: Vec<StepNo>,
    /// Kinds of which a value was withdrawn or reset, and when that was first so (A41).
    pub(super) lost: HashMap<String, StepNo>,
    findings: Vec<Arc<Finding>>,
    texts: Texts,
    /// Steps with calls whose references wait for the end of their tick (A43).
    open: Vec<StepNo>,
    /// What the open ones come to if nothing follows.
    provisional: Provisional,
    /// Grows with all that the value of a reference depends on: writes, rebuilt contexts.
    pub(super) moves: usize,
    /// Steps that did more to the context than append their message (A4), ascending.
    pub(super) rebuilt: Vec<StepNo>,
    /// Those that kept no identity, ascending.
    pub(super) resets: Vec<StepNo>,
    /// Whether a step or an envelope was seen (A5).
    pub(super) has_begun: bool,
}

/// What the tree does not know of an identity.
#[derive(Debug, Default)]
pub(super) struct Slot {
    /// Steps of the context that touch it, in the order of the context.
    pub members: Epochs,
    /// From which step on which message's schema counts (A20).
    pub schema: Vec<(StepNo, Option<StepNo>)>,
    /// The same for the description.
    pub description: Vec<(StepNo, Option<StepNo>)>,
}

/// A4: what a step did to the context beside appending its message.
#[derive(Debug)]
pub(super) struct Change {
    pub at: StepNo,
    pub withdrawn: Vec<StepNo>,
    pub restored: Vec<StepNo>,
}

/// A3, A4, A37: which solutions have an output, and how long those hold that are not in the context.
#[derive(Debug, Default)]
pub(super) struct Solutions {
    /// Steps at which an envelope kept nothing.
    pub clears: Vec<StepNo>,
    /// Solutions with an output that is not null.
    pub outputs: Vec<StepNo>,
}

/// A43: what open references come to, kept while nothing that they depend on moves.
#[derive(Debug, Default)]
struct Provisional {
    findings: Vec<Arc<Finding>>,
    /// How many of the open steps were looked at, and the moves until then.
    looked_at: usize,
    moves: usize,
}

/// The record that is being taken.
pub(super) struct Input<'i> {
    record: &'i Record,
    text: &'i str,
    bytes: &'i dyn Bytes,
    /// A byte of the text and the line that it is on.
    counted: (usize, u64),
}

/// A message before it is a step.
pub(super) struct Prepared<'v> {
    pub message: ActsMessage<'v>,
    pub planned: Option<Planned<'v>>,
    pub id: Option<IdentityId>,
    pub digest: Option<MessageDigest>,
    notes: Vec<Note>,
}

/// From where messages are read again.
#[derive(Clone, Copy)]
pub(super) struct Reader<'r> {
    pub bytes: &'r dyn Bytes,
    /// The record at hand, which needs no read.
    pub current: Option<(Span, &'r str)>,
}

impl<'i> Input<'i> {
    /// Bytes and line of a value of the record.
    fn place(&mut self, value: &Value<'_>) -> Place {
        let span = self.record.place.span.part(value.start, value.text.len());
        if self.record.place.line == 0 {
            return Place { span, line: 0 };
        }
        if value.start < self.counted.0 {
            self.counted = (0, self.record.place.line);
        }
        let (from, line) = self.counted;
        let between = self.text.as_bytes().get(from..value.start).unwrap_or_default();
        self.counted = (value.start, line + memchr::memchr_iter(b'\n', between).count() as u64);
        Place { span, line: self.counted.1 }
    }

    /// Where the text of the record begins in the input.
    pub(super) fn base(&self) -> u64 {
        self.record.place.span.offset
    }

    /// The number of the record.
    pub(super) fn record_number(&self) -> usize {
        self.record.number
    }

    /// For reading messages again.
    pub(super) fn reader(&self) -> Reader<'i> {
        Reader { bytes: self.bytes, current: Some((self.record.place.span, self.text)) }
    }
}

impl Log {
    /// A1, A2: takes the next record.
    pub fn push(&mut self, record: &Record, text: &[u8], bytes: &dyn Bytes) {
        match record.json(text) {
            Err(why) => self.push_broken(record, &why, bytes),
            Ok((text, value)) => {
                let mut input = Input { record, text, bytes, counted: (0, record.place.line) };
                match Content::of(&value) {
                    Content::Array(items) => items.iter().for_each(|item| self.push_element(item, &mut input)),
                    _ => self.push_element(&value, &mut input),
                }
            }
        }
    }

    /// A2: a message or an envelope; an array inside an array is not a message.
    fn push_element(&mut self, value: &Value<'_>, input: &mut Input<'_>) {
        match Content::of(value) {
            Content::Envelope(envelope) => self.push_envelope(&envelope, input),
            _ => self.push_message(ActsMessage::of(value), input),
        }
    }

    /// A1: a record that is not valid JSON is a step that writes nothing.
    fn push_broken(&mut self, record: &Record, why: &str, bytes: &dyn Bytes) {
        let facts = RowFacts {
            kind: MessageType::Broken,
            place: record.place,
            identity: None,
            has_attribution: false,
            has_value: false,
        };
        let step = self.rows.push(&facts, record.number, record.place.span);
        self.begin_step(step, None, false, bytes);
        if let Some(aligner) = &mut self.aligner {
            aligner.add(None, false);
        }
        self.note(step, Note::new(INVALID_JSON, format!("the record is not valid JSON: {why}")));
    }

    /// A4: a plain record is appended to the context, unless no request shows it or it is not a message.
    pub(super) fn push_message(&mut self, message: ActsMessage<'_>, input: &mut Input<'_>) {
        let prepared = self.prepare(message);
        let is_placed = !matches!(
            message.kind,
            MessageType::Solution | MessageType::EnvelopeSolution | MessageType::Call | MessageType::NotMessage
        );
        let step = self.begin(&prepared, is_placed, false, input);
        if is_placed {
            self.context.append(step);
        }
        self.append_data(step, &prepared, input.base(), Listing::New);
    }

    /// Reads what a message says by itself, before it meets the state.
    pub(super) fn prepare<'v>(&mut self, message: ActsMessage<'v>) -> Prepared<'v> {
        let mut notes = Vec::new();
        match message.kind {
            MessageType::NotMessage => {
                notes.push(Note::new(NOT_A_MESSAGE, "no object with `type`, `role`, `content` or `text`"));
            }
            MessageType::Unknown => {
                notes.push(Note::new(UNKNOWN_TYPE, "the protocol does not know the type; it writes nothing"));
            }
            _ => {}
        }
        duplicates(&message, &mut notes);
        check::calls(&message, &mut notes);
        let planned = message.kind.writes().then(|| write::plan(&message, &mut notes));
        let id = planned.as_ref().map(|p| self.tree.intern(&p.identity));
        let digest = self.aligner.is_some().then(|| match message.kind {
            MessageType::EnvelopeSolution => digest::of_solution(message.written),
            _ => digest::of(message.written),
        });
        Prepared { message, planned, id, digest, notes }
    }

    /// Makes a message a step: its place, its tick, what is known of it without the state.
    pub(super) fn begin(
        &mut self,
        prepared: &Prepared<'_>,
        is_placed: bool,
        withdraws: bool,
        input: &mut Input<'_>,
    ) -> StepNo {
        let message = &prepared.message;
        let is_text = |v: Option<&Value<'_>>| v.is_some_and(|v| v.as_str().is_some());
        let facts = RowFacts {
            kind: message.kind,
            place: input.place(message.written),
            identity: prepared.id,
            has_attribution: is_text(message.call("_tool")) || is_text(message.get("_date")),
            has_value: prepared.planned.as_ref().is_some_and(|p| p.value.is_some()),
        };
        let step = self.rows.push(&facts, input.record.number, input.record.place.span);
        self.begin_step(step, Some(message), withdraws, input.bytes);
        if let Some(aligner) = &mut self.aligner {
            aligner.add(prepared.digest, is_placed);
        }
        for note in &prepared.notes {
            self.note(step, note.clone());
        }
        if let Some(schema) = prepared.planned.as_ref().and_then(|p| p.schema) {
            self.brought.add(step, schema, input.base());
        }
        if check::has_calls(message) {
            self.plans.push(step);
        }
        if check::has_output(message) {
            self.solutions.outputs.push(step);
        }
        if check::has_references(message) {
            self.open.push(step);
        }
        step
    }

    /// A4: a rebuilt context without a new message is a step with the place of its envelope.
    pub(super) fn begin_rebuilt(&mut self, envelope: &Value<'_>, withdraws: bool, input: &mut Input<'_>) -> StepNo {
        let place = input.place(envelope);
        let facts =
            RowFacts { kind: MessageType::Rebuilt, place, identity: None, has_attribution: false, has_value: false };
        let step = self.rows.push(&facts, input.record.number, input.record.place.span);
        self.begin_step(step, None, withdraws, input.bytes);
        if let Some(aligner) = &mut self.aligner {
            aligner.add(None, false);
        }
        step
    }

    /// A5, A43: a step begins; the end of a tick or a withdrawal settles the references that wait for it.
    fn begin_step(&mut self, step: StepNo, message: Option<&ActsMessage<'_>>, withdraws: bool, bytes: &dyn Bytes) {
        self.has_begun = true;
        if self.ticks.step(step, message) || withdraws {
            let mut texts = std::mem::take(&mut self.texts);
            let settled = self.settled(&self.open, step - 1, &mut texts, bytes);
            self.findings.extend(settled);
            self.texts = texts;
            self.open.clear();
            self.provisional = Provisional::default();
        }
    }

    /// What open references come to at a step.
    fn settled(&self, open: &[StepNo], step: StepNo, texts: &mut Texts, bytes: &dyn Bytes) -> Vec<Arc<Finding>> {
        if open.is_empty() {
            return Vec::new();
        }
        let reader = Reader { bytes, current: None };
        let instances = self.instances(step);
        let notes = open.iter().flat_map(|open| check::references(self, *open, step, &instances, reader));
        notes.filter_map(|(open, note)| self.finding(open, &note, texts)).map(Arc::new).collect()
    }

    /// A43: what the open references come to if the input ends here. Of what was looked at before, nothing is looked at
    /// again unless something has moved since.
    #[must_use]
    pub fn look_ahead(&self, bytes: &dyn Bytes) -> Vec<Arc<Finding>> {
        let (mut known, looked_at) = if self.provisional.moves == self.moves {
            (self.provisional.findings.clone(), self.provisional.looked_at)
        } else {
            (Vec::new(), 0)
        };
        known.extend(self.settled(&self.open[looked_at..], self.last_step(), &mut Texts::default(), bytes));
        known
    }

    /// Takes what [`Log::look_ahead`] found.
    pub fn settle(&mut self, ahead: Vec<Arc<Finding>>) {
        self.provisional = Provisional { findings: ahead, looked_at: self.open.len(), moves: self.moves };
    }

    /// Adds a finding on a step.
    pub(super) fn note(&mut self, step: StepNo, note: Note) {
        let mut texts = std::mem::take(&mut self.texts);
        self.findings.extend(self.finding(step, &note, &mut texts).map(Arc::new));
        self.texts = texts;
    }

    /// Adds a finding on a record that made no step.
    pub(super) fn note_record(&mut self, record: usize, note: &Note) {
        let remark = self.texts.remark(note);
        self.findings.push(Arc::new(Finding::new(record, None, remark)));
    }

    pub(super) fn finding(&self, step: StepNo, note: &Note, texts: &mut Texts) -> Option<Finding> {
        Some(Finding::new(self.rows.record(step)?, Some(step), texts.remark(note)))
    }

    /// A45: all findings in order, one for each record, step, path and rule. They are shared: there can be as many as
    /// steps.
    #[must_use]
    pub fn findings(&self) -> Vec<Arc<Finding>> {
        let is_current = self.provisional.moves == self.moves;
        let provisional = self.provisional.findings.iter().filter(|_| is_current);
        Finding::in_order(self.findings.iter().chain(provisional).cloned().collect())
    }

    /// Steps whose message is of type `error`.
    #[must_use]
    pub fn error_steps(&self) -> Vec<StepNo> {
        self.rows.errors().to_vec()
    }

    /// Number of steps.
    #[must_use]
    pub fn step_count(&self) -> usize {
        self.rows.len()
    }

    /// The last step; -1 where there is none.
    #[must_use]
    pub fn last_step(&self) -> StepNo {
        cast::to_step(self.rows.len()) - 1
    }

    /// Where a step is.
    #[must_use]
    pub fn place(&self, step: StepNo) -> Option<StepPlace> {
        self.rows.place(step)
    }

    /// The merged state.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// A5: the tick at a step, as a JSON number.
    #[must_use]
    pub fn tick(&self, step: StepNo) -> String {
        self.ticks.at(step)
    }

    /// A5: the first step of the next tick, or of the tick before.
    #[must_use]
    pub fn tick_start(&self, step: StepNo, is_forward: bool) -> Option<StepNo> {
        self.ticks.start(step, is_forward)
    }

    pub(super) fn row(&self, step: StepNo) -> Option<Row> {
        self.rows.get(step)
    }
}

/// A6: keys that occur twice, each once by its path in the message.
fn duplicates(message: &ActsMessage<'_>, notes: &mut Vec<Note>) {
    let mut path = String::new();
    if let Some(wrapper) = message.wrapper() {
        duplicate_keys(wrapper, &path, notes);
        duplicates_in_members(wrapper.entries().filter(|(key, _)| *key != "content"), &mut path, notes);
    }
    match (message.body(), message.kind) {
        (Some(body), _) => duplicates_below_object(body, &mut path, notes),
        (None, MessageType::EnvelopeSolution) => {
            path.push_str("solution");
            duplicates_below(message.written, &mut path, notes);
        }
        (None, _) => duplicates_below(message.written, &mut path, notes),
    }
}

fn duplicates_below(value: &Value<'_>, path: &mut String, notes: &mut Vec<Note>) {
    match &value.data {
        Data::Object(object) => duplicates_below_object(object, path, notes),
        Data::Array(items) => {
            let len = path.len();
            for (index, item) in (0..).zip(items) {
                if !item.is_leaf() {
                    put_index(index, path);
                    duplicates_below(item, path, notes);
                    path.truncate(len);
                }
            }
        }
        _ => {}
    }
}

fn duplicates_below_object(object: &json::Object<'_>, path: &mut String, notes: &mut Vec<Note>) {
    duplicate_keys(object, path, notes);
    duplicates_in_members(object.entries(), path, notes);
}

/// A6: only in the values that count, not in one that a later duplicate replaces.
fn duplicates_in_members<'v>(
    members: impl Iterator<Item = (&'v str, &'v Value<'v>)>,
    path: &mut String,
    notes: &mut Vec<Note>,
) {
    let len = path.len();
    for (key, value) in members.filter(|(_, value)| !value.is_leaf()) {
        put_key(key, path);
        duplicates_below(value, path, notes);
        path.truncate(len);
    }
}

/// A6: the keys of an object that occur more than once.
pub(super) fn duplicate_keys(object: &json::Object<'_>, path: &str, notes: &mut Vec<Note>) {
    if !object.has_duplicates {
        return;
    }
    let mut seen = std::collections::HashSet::new();
    for member in object.members.iter().filter(|m| !seen.insert(m.key.as_ref())) {
        let mut path = path.to_owned();
        put_key(&member.key, &mut path);
        notes.push(Note::at(DUPLICATE_KEY, path, "the key occurs more than once; its last value counts"));
    }
}
