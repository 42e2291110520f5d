//! What a format is, and what it makes of records: a run.

use super::answer::{Answer, Attribution, Exclusion, Instances, Resolved, ViewEntry};
use super::cause::MessageOrigin;
use super::matching::{Match, Near};
use super::plan::{PlanAnswer, PlanView, RefState, ValueReader};
use super::view_list::ViewList;
use super::{Purpose, RecordMembers, Survey};
use crate::json::{Key, Value};
use crate::model::{
    Bytes, Finding, Framing, Identity, ModelRequest, PartState, Problem, Record, RunFacts, RunPart, Span, Step,
    StepKind, StepNo, StepPlace, Turn,
};
use crate::rules::scopix::{ConversationField, Merged};
use crate::rules::trajectory::Way;
use crate::rules::work::{Outcome, Work};
use crate::state::{HistoryEvent, IdentityId, ReportedCounts, SchemaChecker, Tree, Violations};
use std::ops::Range;
use std::rc::Rc;
use std::sync::{Arc, RwLock};

/// A row of the table of formats.
pub trait Format: Send + Sync {
    /// Name for `--format`, lower case.
    fn name(&self) -> &'static str;
    /// Name shown to people, such as `Agent/Data`.
    fn title(&self) -> &'static str;
    /// The agent that alone writes such files; None: several do.
    fn agent(&self) -> Option<&'static str> {
        None
    }
    /// What the format is and how its files are recognised: a few sentences for `obelus formats` and `docs/formats.md`.
    fn about(&self) -> &'static str;
    /// The file that defines a custom format; None for a built-in one.
    fn file(&self) -> Option<&'static str> {
        None
    }
    /// Whether these first records (at most 20, those that parse) are of this format, and why.
    fn detect(&self, first: &[Value<'_>]) -> Option<Match>;
    /// How far first records that [`Format::detect`] rejects resemble this format.
    fn near(&self, _first: &[Value<'_>]) -> Option<Near> {
        None
    }
    /// How its files are cut into records.
    fn framing(&self) -> Framing;
    /// The same format for files that are cut into records differently; None: there is one framing.
    fn alternative(&self) -> Option<&'static dyn Format> {
        None
    }
    /// The name of the format that shows the same files differently; None: there is no such format.
    fn other_view(&self) -> Option<&'static str> {
        None
    }
    /// Whether records are steps of one run or runs of their own.
    fn layout(&self) -> Layout;
    /// Whether one run may hold several trajectories ([`Run::trajectory_count`]), or one record may
    /// ([`Format::trajectories_in`]).
    fn has_trajectories(&self) -> bool {
        false
    }
    /// Number of trajectories in a record, where records are trajectories: more than one for a preference pair, and for
    /// a record that includes the trajectories of sub-agents.
    fn trajectories_in(&self, _text: &[u8]) -> usize {
        1
    }
    /// Texts to put before and after the new content of a rewritten document, so that the run reads it as a record that
    /// replaces the content before.
    fn replacement_affixes(&self, _first_byte: u8) -> (&'static str, &'static str) {
        ("", "")
    }
    /// Members that grow element by element while a document is written; the first that a document has is used.
    fn grows_by(&self) -> &'static [&'static str] {
        &[]
    }
    /// Whether [`Run::push`] needs the text of a record. Where each record is exactly one step it does not: the text is
    /// then empty, and a file is indexed without being parsed.
    fn needs_text(&self) -> bool {
        true
    }
    /// A pass over a file for facts and findings that need all records together; None: the runs report all.
    fn survey(&self, _purpose: Purpose) -> Option<Box<dyn Survey>> {
        None
    }
    /// Whether it accepts any JSON: the generic format.
    fn is_any(&self) -> bool {
        false
    }
    /// Whether its runs can have a state.
    fn has_state(&self) -> bool {
        true
    }
    /// Whether its records can be turned into conversations that train: a file that is one run has none.
    fn has_conversations(&self) -> bool {
        self.layout() == Layout::Set
    }
    /// Members of a record that describe the run, beside its messages; None: conversions need not look for others.
    fn record_members(&self) -> Option<RecordMembers> {
        None
    }
    /// How its records are read as conversations.
    fn way(&self) -> Way {
        Way::Formats
    }
    /// Whether its files can be stages of one dataset (D2): the same records in another form.
    fn is_stage(&self) -> bool {
        false
    }
    /// The stage of processing that a file name states, such as `std`; None: it states none.
    fn stage(&self, _file: &str) -> Option<&'static str> {
        None
    }
    /// Whether values of its identities merge by their data types ([`Run::merge`]).
    fn merges(&self) -> bool {
        false
    }
    /// The title of its plans on screen; None: it has no plans.
    fn plan_title(&self) -> Option<&'static str> {
        None
    }
    /// The identity of a file as a part of a run ([`RunPart::identity`]), from its first records; None: they have
    /// none.
    fn identity(&self, _first: &[Value<'_>]) -> Option<String> {
        None
    }
    /// An empty run.
    fn run(&self) -> Box<dyn Run>;
    /// Small texts of this format, for tests: each must be detected as this format and no other.
    fn samples(&self) -> &'static [&'static str];
}

/// How often earlier steps of a run changed while it grew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Revision {
    /// How often all steps were read again, so that a step number may mean another step.
    pub rebuilt: u64,
    /// How often the content of a step, or its place in the tree of steps, changed.
    pub changed: u64,
}

/// Whether first records are of a format, and why.
pub(in crate::format) type Detect = fn(&[Value<'_>]) -> Option<Match>;

/// What a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// All records of a file make one trajectory.
    Run,
    /// Each record is a trajectory.
    Set,
}

/// A run that a worker fills while the screen reads.
pub type SharedRun = Arc<RwLock<Box<dyn Run>>>;

/// Computes the plan at a step on demand, since it may take long.
pub type Plans<'p> = &'p dyn Fn() -> Option<Rc<PlanView>>;

/// One trajectory: its steps, its state at every step, and the answers that depend on its format.
///
/// It takes records one by one; the same records in any batches give the same run. It stores places, not texts, and
/// reads texts through `bytes` when they are asked for.
pub trait Run: Send + Sync {
    /// Takes the next record; `text` is its bytes, of an unreadable record at most the first 64 KiB.
    fn push(&mut self, record: &Record, text: &[u8], bytes: &dyn Bytes);
    /// The findings that hold if the input ends here and depend on what may follow (A43). May take long: it needs no
    /// exclusive access, so that others read meanwhile.
    fn look_ahead(&self, _bytes: &dyn Bytes) -> Vec<Arc<Finding>> {
        Vec::new()
    }
    /// Takes the result of [`Run::look_ahead`]; it is valid until the next record.
    fn settle(&mut self, _ahead: Vec<Arc<Finding>>) {}
    /// Reads the records that were deferred until the input ends or pauses, in formats that read records in another
    /// order than that of the file. Costs a pass over all records.
    fn catch_up(&mut self, _bytes: &dyn Bytes) {}
    /// Other files that belong to the run (`FORMATS.md` 0.4), in the order in which records refer to them.
    fn parts(&self) -> &[RunPart] {
        &[]
    }
    /// Takes the state of each of [`Run::parts`], in their order; it is valid until the next call.
    fn attach(&mut self, _found: Vec<PartState>) {}
    /// What was found of [`Run::parts`], in their order; empty until it is attached.
    fn part_states(&self) -> &[PartState] {
        &[]
    }
    /// The input has ended (for now). May be followed by more records.
    fn finish(&mut self, bytes: &dyn Bytes) {
        self.catch_up(bytes);
        let ahead = self.look_ahead(bytes);
        self.settle(ahead);
    }
    /// How often earlier steps changed: what a caller caches of steps is valid for one revision.
    fn revision(&self) -> Revision {
        Revision::default()
    }
    /// Number of steps so far.
    fn step_count(&self) -> usize;
    /// Number of trajectories whose steps these are, one after the other.
    fn trajectory_count(&self) -> usize {
        1
    }
    /// The steps of one of several trajectories by its number, from 0, as ranges in order; None: the run is one
    /// trajectory, or has none of this number.
    fn trajectory_steps(&self, _number: usize) -> Option<Vec<Range<StepNo>>> {
        None
    }
    /// The number of the answer that a step is in, from 0, where a record has several: a preference pair, or several
    /// answers to one prompt.
    fn answer_of(&self, _step: StepNo) -> usize {
        0
    }
    /// Where a step is.
    fn place(&self, step: StepNo) -> Option<StepPlace>;
    /// The spans of the values that a step shows.
    fn spans(&self, step: StepNo) -> Vec<Span> {
        self.place(step).map(|place| place.place.span).into_iter().collect()
    }
    /// The description of a step, read from its bytes. Of an unreadable or huge message it has what could be read.
    fn step(&self, step: StepNo, bytes: &dyn Bytes) -> Step;
    /// The merged state.
    fn tree(&self) -> &Tree;
    /// The findings so far, in the order of A45.
    fn findings(&self) -> Vec<Arc<Finding>>;
    /// The first step whose record nothing was asked about, as it is read when it is shown; None: there is none.
    fn unread_from(&self) -> Option<StepNo> {
        None
    }

    /// How instances of a kind are distinguished.
    fn instances(&self) -> Instances {
        Instances::Chosen
    }
    /// The step of the call that a step answers. Reads no bytes.
    fn answers(&self, _step: StepNo) -> Option<StepNo> {
        None
    }
    /// The kind of a step, where the run stores it. Reads no bytes.
    fn step_kind(&self, _step: StepNo) -> Option<StepKind> {
        None
    }
    /// A step as a turn of a conversation, read from its bytes; None where the format has no turns.
    fn turn(&self, _step: StepNo, _bytes: &dyn Bytes) -> Option<Turn<'static>> {
        None
    }
    /// A step as a request to a model with all its messages, or as a tool call logged among requests; None where it is
    /// neither.
    fn model_request(&self, _step: StepNo, _bytes: &dyn Bytes) -> Option<ModelRequest> {
        None
    }
    /// Whether [`Run::model_request`] may have an answer. Reads no bytes.
    fn has_model_requests(&self) -> bool {
        false
    }
    /// Whether [`Run::turn`] may have an answer. Reads no bytes.
    fn has_turns(&self) -> bool {
        self.work().is_some()
    }
    /// What the model sees at a step, where the log has the whole request that the step belongs to.
    fn window(&self, _step: StepNo, _bytes: &dyn Bytes) -> Option<Vec<Turn<'static>>> {
        None
    }
    /// The steps whose messages the model sees at a step, in order; None where the format does not know.
    fn context_steps(&self, _step: StepNo) -> Option<Vec<StepNo>> {
        None
    }
    /// The turn that the model sees of a step that is not a message, such as the input of a run.
    fn prompt(&self, _step: StepNo, _bytes: &dyn Bytes) -> Option<Turn<'static>> {
        None
    }
    /// The turn that the model sees of a step, which may differ from what a reader sees.
    fn seen_turn(&self, step: StepNo, bytes: &dyn Bytes) -> Option<Turn<'static>> {
        self.prompt(step, bytes).or_else(|| self.turn(step, bytes))
    }
    /// The turn that an export writes for a step.
    fn written_turn(&self, step: StepNo, bytes: &dyn Bytes) -> Option<Turn<'static>> {
        self.seen_turn(step, bytes)
    }
    /// Whether a step is a whole message, not a part of the message before.
    fn is_message(&self, _step: StepNo) -> bool {
        false
    }
    /// Whether a step continues the agent's last answer, although results are between them.
    fn goes_on(&self, _step: StepNo) -> bool {
        false
    }
    /// Why an exported conversation omits a step; None: it does not.
    fn exclusion(&self, _step: StepNo) -> Option<Exclusion> {
        None
    }
    /// The characters that a step other than a message, such as a summary, takes in the context window.
    fn summary_chars(&self, _step: StepNo) -> Option<u64> {
        None
    }
    /// Files, commands and tasks as the calls and results of the run report them (W1 to W14); None where the format has
    /// no such calls.
    fn work(&self) -> Option<&Work> {
        None
    }
    /// The outcome of the results of a step (W4), the worst of several; None: none of them answers a known call.
    fn outcome(&self, step: StepNo) -> Option<Outcome> {
        self.work()?.outcome(step)
    }
    /// Steps that are errors by themselves (an error message, a failed call), without the findings.
    fn error_steps(&self) -> Vec<StepNo> {
        Vec::new()
    }
    /// Steps with results whose text looks like a failure (W4), in order.
    fn suspect_steps(&self) -> Vec<StepNo> {
        self.work().map(|work| work.suspect_steps().iter().copied().collect()).unwrap_or_default()
    }

    /// A path of the state in the notation of the format, canonical (A33): `†state.a[0]`, `slot.path`,
    /// `/kind/instance/slot`.
    fn reference(&self, identity: &Identity, path: &[Key]) -> String;
    /// [`Run::reference`] with the instance, where the path does not have it.
    fn qualified_reference(&self, identity: &Identity, path: &[Key]) -> String {
        let reference = self.reference(identity, path);
        match &identity.instance {
            Some(instance) if self.instances() == Instances::Chosen => format!("{reference} {instance}"),
            _ => reference,
        }
    }
    /// A PATH of the command line: the identities it can mean (with `instance` None: of every instance for `blame`, the
    /// global one for `history`: the caller chooses among them) and the path below, resolved against the state at
    /// `step` so that `.0` is an index on an array and a key on an object (A33).
    ///
    /// # Errors
    /// It does not parse.
    fn locate(&self, path: &str, step: StepNo) -> Result<Vec<(IdentityId, Vec<Key>)>, Problem>;
    /// The call, source or date behind the values of `identity` that the message of step `author` wrote.
    fn attribution(&self, identity: IdentityId, author: StepNo, bytes: &dyn Bytes) -> Attribution;
    /// The attribution of an event that is not the last write of its step to the identity; None: [`Run::attribution`]
    /// applies.
    fn attribution_of(&self, _event: &HistoryEvent) -> Option<Attribution> {
        None
    }
    /// Where the values that the message of step `author` wrote to an identity came from, according to that message.
    fn origin(&self, _identity: IdentityId, author: StepNo, bytes: &dyn Bytes) -> MessageOrigin {
        MessageOrigin { call: self.step(author, bytes).answers, reads: Vec::new() }
    }
    /// The step that set the schema that an identity has at a step. Reads no bytes.
    fn schema_at(&self, _identity: IdentityId, _step: StepNo) -> Option<StepNo> {
        None
    }
    /// Schema of an identity at a step, as JSON text, with the step that set it.
    fn schema(&self, _identity: IdentityId, _step: StepNo, _bytes: &dyn Bytes) -> Option<(String, StepNo)> {
        None
    }
    /// The number of the schema of an identity at a step: equal texts have equal numbers. Reads no bytes.
    fn schema_number(&self, identity: IdentityId, step: StepNo) -> Option<u32> {
        self.schema_at(identity, step).and_then(|set_at| u32::try_from(set_at).ok())
    }
    /// Whether the schema of an identity describes each element of its value, and not the whole (A11).
    fn has_schema_of_elements(&self, _identity: IdentityId) -> bool {
        false
    }
    /// Whether the message of an event's author wrote it, so that [`Run::attribution`] of that author is the event's
    /// (A30).
    fn accounts_for(&self, _event: &HistoryEvent) -> bool {
        true
    }
    /// Whether it carries schemas that [`Run::examine`] checks values against.
    fn has_schemas(&self) -> bool {
        false
    }
    /// Gives the next step to a schema check (A42); false when it has seen all.
    fn examine(&self, _checker: &mut SchemaChecker, _bytes: &dyn Bytes) -> bool {
        false
    }
    /// The violations of a schema check that were not reported yet, as findings in no particular order. They are not
    /// among [`Run::findings`].
    fn schema_findings(&self, _violations: &Violations, _reported: ReportedCounts) -> Vec<Finding> {
        Vec::new()
    }
    /// The text whose digest a value of the state is; `author` is the step that wrote the value.
    fn digested_text(&self, _value: &str, _author: StepNo, _bytes: &dyn Bytes) -> Option<String> {
        None
    }
    /// The step that set the description that an identity has at a step. Reads no bytes.
    fn description_at(&self, _identity: IdentityId, _step: StepNo) -> Option<StepNo> {
        None
    }
    /// Description of an identity at a step.
    fn description(&self, _identity: IdentityId, _step: StepNo, _bytes: &dyn Bytes) -> Option<String> {
        None
    }

    /// `state --json`: the members after the header.
    fn state(&self, step: StepNo, bytes: &dyn Bytes) -> Answer;
    /// `render`: what the model sees at a step.
    fn view(&self, step: StepNo, bytes: &dyn Bytes) -> Vec<ViewEntry>;
    /// The entries of [`Run::view`], each built when the screen shows it.
    fn view_list<'v>(&'v self, step: StepNo, bytes: &'v dyn Bytes) -> ViewList<'v> {
        ViewList::of(self.view(step, bytes))
    }
    /// Whether [`Run::view`] merges messages, so that [`Run::raw_view`] shows more.
    fn merges_messages(&self) -> bool {
        false
    }
    /// `render --raw-messages`: the messages of [`Run::view`] one by one as written; None where the format merges
    /// none.
    fn raw_view(&self, _step: StepNo, _bytes: &dyn Bytes) -> Option<Vec<ViewEntry>> {
        None
    }
    /// `resolve`: what a reference refers to at a step.
    fn resolve(
        &self,
        reference: &str,
        step: StepNo,
        instance: Option<&str>,
        expect: Option<&str>,
        bytes: &dyn Bytes,
    ) -> Resolved;
    /// `plan --json`: the members after the header; None where the format has no plans.
    fn plan(&self, _step: StepNo, _bytes: &dyn Bytes) -> Option<PlanAnswer> {
        None
    }
    /// The plan as the screen shows it; None where the step has no plan.
    fn plan_view(&self, _step: StepNo, _bytes: &dyn Bytes) -> Option<PlanView> {
        None
    }
    /// The byte ranges of the references in a text, and whether each resolves at a step. Calls `plan` only for one that
    /// does not.
    fn references(&self, _text: &str, _step: StepNo, _plan: Plans<'_>) -> Vec<(Range<usize>, RefState)> {
        Vec::new()
    }
    /// The calls that read a value: they refer to its path, or to a path above or below it.
    fn readers(&self, _identity: &Identity, _path: &[Key], _bytes: &dyn Bytes) -> Vec<ValueReader> {
        Vec::new()
    }
    /// Type and source of an identity in a few words, and its time as written.
    fn note(&self, _identity: IdentityId, _step: StepNo) -> Option<(String, Option<String>)> {
        None
    }
    /// The id of the file that a value refers to, if any.
    fn file_id(&self, _identity: IdentityId, _path: &[Key], _step: StepNo, _bytes: &dyn Bytes) -> Option<String> {
        None
    }
    /// The field of the conversation that the value of an identity goes to at a step (S20).
    fn route(&self, _identity: IdentityId, _step: StepNo) -> Option<&'static str> {
        None
    }
    /// The conversation at a step, field by field (S22); none where the format has no conversation.
    fn conversation(&self, _step: StepNo, _bytes: &dyn Bytes) -> Vec<ConversationField> {
        Vec::new()
    }
    /// The values of the identities that `is_chosen` accepts by name, merged by their data types (S14 to S19); None
    /// where the format merges none.
    fn merge(
        &self,
        _is_chosen: &dyn Fn(&str) -> bool,
        _data_type: Option<&str>,
        _step: StepNo,
        _bytes: &dyn Bytes,
    ) -> Option<Vec<Merged>> {
        None
    }
    /// The tick of a step as a JSON number (A5); None where the format has no ticks.
    fn tick(&self, _step: StepNo) -> Option<String> {
        None
    }
    /// The first step of the next tick, or of the tick before (of its own tick, where that began before `step`).
    fn tick_start(&self, _step: StepNo, _is_forward: bool) -> Option<StepNo> {
        None
    }
    /// The configuration of the request that a step belongs to as JSON text, with the first step of the request.
    fn config(&self, _step: StepNo, _bytes: &dyn Bytes) -> Option<(StepNo, String)> {
        None
    }
    /// The members of the request that begins with a step, except its messages: name and JSON text.
    fn request(&self, _step: StepNo, _bytes: &dyn Bytes) -> Vec<(&'static str, String)> {
        Vec::new()
    }
    /// The steps that `step` withdrew from the context, and those that it brought back (A4).
    fn withdrawn(&self, _step: StepNo) -> (Vec<StepNo>, Vec<StepNo>) {
        (Vec::new(), Vec::new())
    }
    /// A title of the run (an id), if the format has one.
    fn title(&self) -> Option<String> {
        None
    }
    /// What the log reports of the run as a whole.
    fn facts(&self) -> RunFacts {
        RunFacts::default()
    }
}
