//! What a format is, and what it makes of records: a run.

use super::answer::{Answer, Attribution, Exclusion, Instances, Resolved, ViewEntry};
use super::cause::MessageOrigin;
use super::plan::{PlanAnswer, PlanView, RefState, ValueReader};
use super::view_list::ViewList;
use super::{Purpose, RecordMembers, Survey};
use crate::json::{Key, Value};
use crate::model::{
    Bytes, Finding, Framing, Identity, ModelRequest, PartState, Problem, Record, RunPart, Span, Step, StepKind, StepNo,
    StepPlace, Turn,
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
    /// Name for people, as `Agent/Data`.
    fn title(&self) -> &'static str;
    /// What it is and how it is known, a few sentences for `obelus formats` and `docs/formats.md`.
    fn about(&self) -> &'static str;
    /// The file that defines it; None: it is built in.
    fn file(&self) -> Option<&'static str> {
        None
    }
    /// Whether these first records (at most 20, those that parse) are of this format, and why.
    fn detect(&self, first: &[Value<'_>]) -> Option<Match>;
    /// What speaks for it in first records that [`Format::detect`] does not take.
    fn near(&self, _first: &[Value<'_>]) -> Option<Near> {
        None
    }
    /// How its files are cut into records.
    fn framing(&self) -> Framing;
    /// The same format for files that are cut into records another way; None: there is one way.
    fn alternative(&self) -> Option<&'static dyn Format> {
        None
    }
    /// The name of the format that shows the same files in another way; None: there is no other way.
    fn other_view(&self) -> Option<&'static str> {
        None
    }
    /// Whether records are steps of one run or runs of their own.
    fn layout(&self) -> Layout;
    /// Whether a file that is one list of steps may hold several trajectories ([`Run::trajectory_count`]), or a record
    /// of others ([`Format::trajectories_in`]).
    fn has_trajectories(&self) -> bool {
        false
    }
    /// Number of trajectories in a record, where records are trajectories: more than one for a preference pair, and
    /// where those of sub-agents are in it.
    fn trajectories_in(&self, _text: &[u8]) -> usize {
        1
    }
    /// What precedes and follows a text that replaces the one before as a whole (a document that is rewritten), so that
    /// as the next record it is that.
    fn anew(&self, _first_byte: u8) -> (&'static str, &'static str) {
        ("", "")
    }
    /// Names of the member, the first that is there, whose elements came one by one while a document was written.
    fn grows_by(&self) -> &'static [&'static str] {
        &[]
    }
    /// Whether [`Run::push`] looks at the text of a record. A format whose records are steps one to one says no, and
    /// its files cost no read and no parse to index; it is then given an empty text.
    fn needs_text(&self) -> bool {
        true
    }
    /// A pass over a file for what only all records together report; None: what its runs report is all.
    fn survey(&self, _purpose: Purpose) -> Option<Box<dyn Survey>> {
        None
    }
    /// Whether it takes any JSON, of which nothing more is known.
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
    /// Which members of its records say something of the run; None: no record has more than that.
    fn record_members(&self) -> Option<RecordMembers> {
        None
    }
    /// How its records are read as conversations.
    fn way(&self) -> Way {
        Way::Formats
    }
    /// Whether its files can be stages of one dataset (D2): what one says, the other says in its own way.
    fn is_stage(&self) -> bool {
        false
    }
    /// The stage of processing that the name of a file says, as `std`; None: it says none.
    fn stage(&self, _file: &str) -> Option<&'static str> {
        None
    }
    /// Whether values of its identities merge by their data types ([`Run::merge`]).
    fn merges(&self) -> bool {
        false
    }
    /// What its plans are called on screen; None: it has none.
    fn plan_title(&self) -> Option<&'static str> {
        None
    }
    /// What a file is as a part of a run, recognised by its first records ([`RunPart::identity`]); None: they do not
    /// say.
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
    /// How often all steps were read again, so that a number may be another step's.
    pub rebuilt: u64,
    /// How often a step came to say more, or to be elsewhere in its tree.
    pub changed: u64,
}

/// Why a format fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// One sentence: what in the content says so.
    pub reason: String,
}

/// What speaks for a format that does not fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Near {
    /// How much of it does, from 0 to 1.
    pub share: f64,
    /// The same in words.
    pub description: String,
}

impl Near {
    /// So many of so many do.
    #[must_use]
    pub fn of(n: usize, all: usize, what: &str) -> Self {
        Self { share: n as f64 / all.max(1) as f64, description: format!("{n} of {all} {what}") }
    }
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

/// Asks for the plan at a step, which may be long to make.
pub type Plans<'p> = &'p dyn Fn() -> Option<Rc<PlanView>>;

/// One trajectory: its steps, its state at every step, and what only its format can say of it.
///
/// It is fed record by record; the same records in pieces or at once give the same run. It holds places, not texts:
/// what it shows it asks from `bytes`.
pub trait Run: Send + Sync {
    /// Takes the next record; `text` are its bytes (of a broken one at most the first 64 KiB).
    fn push(&mut self, record: &Record, text: &[u8], bytes: &dyn Bytes);
    /// What would be found if the input ended here: findings that wait for more (A43). May take long; others read
    /// meanwhile.
    fn look_ahead(&self, _bytes: &dyn Bytes) -> Vec<Arc<Finding>> {
        Vec::new()
    }
    /// Takes what [`Run::look_ahead`] found; it holds until the next record.
    fn settle(&mut self, _ahead: Vec<Arc<Finding>>) {}
    /// Reads what was put off until the input ends, or waits: a run whose records are read in another order than that
    /// of the file. Costs a pass over all of them.
    fn catch_up(&mut self, _bytes: &dyn Bytes) {}
    /// Other files that belong to the run (`FORMATS.md` 0.4), in the order in which records refer to them.
    fn parts(&self) -> &[RunPart] {
        &[]
    }
    /// Takes what was found of each of [`Run::parts`], in their order; it holds until it is reported again.
    fn attach(&mut self, _found: Vec<PartState>) {}
    /// The part that a step refers to, and what was found of it, if it was looked for.
    fn part_of(&self, _step: StepNo) -> Option<(&RunPart, Option<&PartState>)> {
        None
    }
    /// The input has ended (for now). May be followed by more records.
    fn finish(&mut self, bytes: &dyn Bytes) {
        self.catch_up(bytes);
        let ahead = self.look_ahead(bytes);
        self.settle(ahead);
    }
    /// How often what was reported of steps changed since: what is stored of them holds for one revision.
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
    /// Which of several answers of the record a step is in, from 0: of a pair, or of several answers to a prompt.
    fn answer_of(&self, _step: StepNo) -> usize {
        0
    }
    /// Where a step is.
    fn place(&self, step: StepNo) -> Option<StepPlace>;
    /// Where the values are that a step shows.
    fn spans(&self, step: StepNo) -> Vec<Span> {
        self.place(step).map(|place| place.place.span).into_iter().collect()
    }
    /// A step described, from its bytes. A broken or huge message gives what can be reported it.
    fn step(&self, step: StepNo, bytes: &dyn Bytes) -> Step;
    /// The merged state.
    fn tree(&self) -> &Tree;
    /// The findings so far, in the order of A45.
    fn findings(&self) -> Vec<Arc<Finding>>;
    /// The first step whose record nothing was asked about, as it is read when it is shown; None: there is none.
    fn unread_from(&self) -> Option<StepNo> {
        None
    }

    /// How its identities know instances.
    fn instances(&self) -> Instances {
        Instances::Chosen
    }
    /// The call that a step answers; nothing is read.
    fn answers(&self, _step: StepNo) -> Option<StepNo> {
        None
    }
    /// What a step is, where the run keeps it; nothing is read.
    fn sign(&self, _step: StepNo) -> Option<StepKind> {
        None
    }
    /// A step as a part of a conversation, from its bytes; None where the format does not know its messages so.
    fn turn(&self, _step: StepNo, _bytes: &dyn Bytes) -> Option<Turn<'static>> {
        None
    }
    /// A step as a request to a model, with all messages that it has, or as the call of a tool among requests; None
    /// where it is neither.
    fn model_request(&self, _step: StepNo, _bytes: &dyn Bytes) -> Option<ModelRequest> {
        None
    }
    /// Whether steps may be such requests; nothing is read.
    fn has_model_requests(&self) -> bool {
        false
    }
    /// Whether it has turns ([`Run::turn`]); nothing is read.
    fn has_turns(&self) -> bool {
        self.work().is_some()
    }
    /// What the model sees at a step, where the log holds it whole: the messages of the request that the step is of.
    fn window(&self, _step: StepNo, _bytes: &dyn Bytes) -> Option<Vec<Turn<'static>>> {
        None
    }
    /// The steps whose words the model sees at a step, in order; None where the format does not know its messages so.
    fn context_steps(&self, _step: StepNo) -> Option<Vec<StepNo>> {
        None
    }
    /// What a step that is no message says to the model all the same, such as the input of a run.
    fn prompt(&self, _step: StepNo, _bytes: &dyn Bytes) -> Option<Turn<'static>> {
        None
    }
    /// What a step says to the model, where that is not what it says to a reader.
    fn seen_turn(&self, step: StepNo, bytes: &dyn Bytes) -> Option<Turn<'static>> {
        self.prompt(step, bytes).or_else(|| self.turn(step, bytes))
    }
    /// What a conversion writes of a step.
    fn written_turn(&self, step: StepNo, bytes: &dyn Bytes) -> Option<Turn<'static>> {
        self.seen_turn(step, bytes)
    }
    /// Whether a step is a whole message, which is no part of the one before.
    fn is_message(&self, _step: StepNo) -> bool {
        false
    }
    /// Whether a step belongs to the last answer of the agent before it, although results are between.
    fn goes_on(&self, _step: StepNo) -> bool {
        false
    }
    /// Why a conversation of the run leaves a step out.
    fn exclusion(&self, _step: StepNo) -> Option<Exclusion> {
        None
    }
    /// The characters that a step has in the model's window although it is no message, such as a summary.
    fn summary_chars(&self, _step: StepNo) -> Option<u64> {
        None
    }
    /// What the run knew and did, as far as its calls and results report (W1 to W14); None where the format has none.
    fn work(&self) -> Option<&Work> {
        None
    }
    /// How the results of a step came out (W4), the worst of several; None: it has none of a known call.
    fn outcome(&self, step: StepNo) -> Option<Outcome> {
        self.work()?.outcome(step)
    }
    /// Steps that report an error themselves (an error message, a failed call), beside the findings.
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
    /// The same with its instance, where the path does not say it.
    fn named(&self, identity: &Identity, path: &[Key]) -> String {
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
    /// Who supplied the values of `identity` that `author`'s message wrote.
    fn attribution(&self, identity: IdentityId, author: StepNo, bytes: &dyn Bytes) -> Attribution;
    /// Who supplied the value of an event, where its step wrote the identity more than once and not this event last;
    /// None: [`Run::attribution`] says it.
    fn attribution_of(&self, _event: &HistoryEvent) -> Option<Attribution> {
        None
    }
    /// What the message of step `author` says of where the values came from that it wrote to an identity.
    fn origin(&self, _identity: IdentityId, author: StepNo, bytes: &dyn Bytes) -> MessageOrigin {
        MessageOrigin { call: self.step(author, bytes).answers, reads: Vec::new() }
    }
    /// The step that set the schema of an identity, as it is at a step; nothing is read.
    fn schema_at(&self, _identity: IdentityId, _step: StepNo) -> Option<StepNo> {
        None
    }
    /// Schema of an identity at a step, as JSON text, with the step that set it.
    fn schema(&self, _identity: IdentityId, _step: StepNo, _bytes: &dyn Bytes) -> Option<(String, StepNo)> {
        None
    }
    /// The number of the schema of an identity at a step: equal texts have equal numbers; nothing is read.
    fn schema_number(&self, identity: IdentityId, step: StepNo) -> Option<u32> {
        self.schema_at(identity, step).and_then(|set_at| u32::try_from(set_at).ok())
    }
    /// Whether the schema of an identity describes each element of its value, and not the whole (A11).
    fn has_schema_of_elements(&self, _identity: IdentityId) -> bool {
        false
    }
    /// Whether the message of an event's author accounts for it, so that [`Run::attribution`] of that author is the
    /// event's (A30).
    fn accounts_for(&self, _event: &HistoryEvent) -> bool {
        true
    }
    /// Whether it carries schemas that [`Run::examine`] checks values against.
    fn has_schemas(&self) -> bool {
        false
    }
    /// Looks at the next step that a schema check has not seen, for it to judge (A42); false when there is none.
    fn examine(&self, _exam: &mut SchemaChecker, _bytes: &dyn Bytes) -> bool {
        false
    }
    /// What a schema check found and was not reported yet, as findings in no order; they come beside those of
    /// [`Run::findings`].
    fn schema_findings(&self, _violations: &Violations, _reported: ReportedCounts) -> Vec<Finding> {
        Vec::new()
    }
    /// The text that a value of the state stands for, where it is a digest; `author` is the step that wrote it.
    fn digested_text(&self, _value: &str, _author: StepNo, _bytes: &dyn Bytes) -> Option<String> {
        None
    }
    /// The step that set the description of an identity; nothing is read.
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
    /// The entries of [`Run::view`], each made when a screen shows it.
    fn view_list<'v>(&'v self, step: StepNo, bytes: &'v dyn Bytes) -> ViewList<'v> {
        ViewList::of(self.view(step, bytes))
    }
    /// Whether [`Run::view`] merges messages, so that [`Run::raw_view`] shows more.
    fn merges_messages(&self) -> bool {
        false
    }
    /// `render --raw-messages`: the messages that [`Run::view`] merges, one by one as they are written; None where the
    /// format merges none.
    fn raw_view(&self, _step: StepNo, _bytes: &dyn Bytes) -> Option<Vec<ViewEntry>> {
        None
    }
    /// `resolve`.
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
    /// The plan as the screen shows it; None where none holds at the step.
    fn plan_view(&self, _step: StepNo, _bytes: &dyn Bytes) -> Option<PlanView> {
        None
    }
    /// The references in a text, by its bytes, and whether they lead somewhere at a step; `plan` is asked only for one
    /// that does not.
    fn references(&self, _text: &str, _step: StepNo, _plan: Plans<'_>) -> Vec<(Range<usize>, RefState)> {
        Vec::new()
    }
    /// Who reads a value: calls that refer to its path, or to one above or below it.
    fn readers(&self, _identity: &Identity, _path: &[Key], _bytes: &dyn Bytes) -> Vec<ValueReader> {
        Vec::new()
    }
    /// What is known of an identity beside its value: type and source in a few words, and the time as written.
    fn note(&self, _identity: IdentityId, _step: StepNo) -> Option<(String, Option<String>)> {
        None
    }
    /// The id of the file that a value names, if it names one.
    fn file_id(&self, _identity: IdentityId, _path: &[Key], _step: StepNo, _bytes: &dyn Bytes) -> Option<String> {
        None
    }
    /// The field of the conversation that an identity fills at a step (S20).
    fn route(&self, _identity: IdentityId, _step: StepNo) -> Option<&'static str> {
        None
    }
    /// The conversation at a step, field by field (S22); none where the format has no conversation.
    fn conversation(&self, _step: StepNo, _bytes: &dyn Bytes) -> Vec<ConversationField> {
        Vec::new()
    }
    /// The values of identities merged by their data types, of those that are chosen by name (S14 to S19); None where
    /// the format merges none.
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
    /// The configuration of the request that holds at a step as JSON text, with the step that the request begins with.
    fn config(&self, _step: StepNo, _bytes: &dyn Bytes) -> Option<(StepNo, String)> {
        None
    }
    /// What the request that begins with a step says beside its messages: name and JSON text.
    fn request(&self, _step: StepNo, _bytes: &dyn Bytes) -> Vec<(&'static str, String)> {
        Vec::new()
    }
    /// Steps that step `step` withdrew from the context and brought back (A4).
    fn withdrawn(&self, _step: StepNo) -> (Vec<StepNo>, Vec<StepNo>) {
        (Vec::new(), Vec::new())
    }
    /// A title of the run (an id), if the format has one.
    fn title(&self) -> Option<String> {
        None
    }
}
