//! What is open: the dataset, the open trajectory, and the one cursor that all panes share.

use super::common_folder::CommonFolder;
use super::failures::FailureCache;
use super::finding_index::Listed;
use super::place_name::place_name;
use super::replay::Replay;
use super::state::counts;
use super::{Checks, DatasetFindings, KeyNames, LiveTail, Piece};
use crate::format::cause::{Hop, Trail, ValueWrite};
use crate::format::plan::PlanView;
use crate::format::{Format, Instances, Layout, Revision, Run, SharedRun};
use crate::json::Key;
use crate::model::{Bytes, Finding, Identity, Record, Severity, Step, StepNo};
use crate::review::Review;
use crate::state::copy_origin::Copies;
use crate::state::{IdentityId, NodeId, Tree};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, RwLockReadGuard};

/// The records of the open input, as far as they are known.
pub trait Records: Send + Sync {
    /// Number known so far.
    fn count(&self) -> usize;
    /// Whether the whole input was looked at.
    fn is_complete(&self) -> bool;
    /// A record by number.
    fn get(&self, number: usize) -> Option<Record>;
}

/// The subject that every pane shows: a step, and a path of the state.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Focus {
    /// The step.
    pub step: StepNo,
    /// A value of the state: whose, and where.
    pub path: Option<(Identity, Vec<Key>)>,
}

/// The open input and the open trajectory.
pub struct Session {
    /// Name to show (a file name, `standard input`, `demo`).
    pub name: String,
    /// Path for the editor, if it is a file.
    pub path: Option<std::path::PathBuf>,
    /// The folder of files that values name by id, if one was named.
    pub files: Option<std::path::PathBuf>,
    /// The format.
    pub format: &'static dyn Format,
    /// Why it was taken for that format.
    pub reasons: Vec<String>,
    /// The bytes.
    pub bytes: Arc<dyn Bytes>,
    /// The records.
    pub records: Arc<dyn Records>,
    /// The open trajectory; None while the table shows a dataset of which none was opened yet.
    pub run: Option<SharedRun>,
    /// Its number.
    pub trajectory: usize,
    /// What schemas make of it.
    pub checks: Arc<Checks>,
    /// What the rules of datasets make of all records, if that was asked for.
    pub data: Option<Arc<DatasetFindings>>,
    /// The shared cursor.
    pub focus: Focus,
    /// Decisions on the records of the input.
    pub review: Review,
    /// Whether the records (and for a run, its state) are all there.
    pub is_complete: bool,
    /// Whether the input grew while it was open.
    pub is_live: bool,
    /// The newest end of the input: who follows it, what came lately.
    pub live: LiveTail,
    /// The recording that plays, if it is one.
    pub replay: Option<Replay>,
    /// The keys of the actions that panes name.
    pub key_names: KeyNames,
    /// Grows whenever the open run was replaced or restarted: caches belong to one generation.
    pub generation: u64,
    /// Of the run, as it was when caches were looked after last.
    revision: Revision,
    described: RefCell<HashMap<StepNo, Arc<Step>>>,
    causes: RefCell<Causes>,
    writes: RefCell<HashMap<StepNo, Rc<Vec<Piece>>>>,
    /// The findings of the run alone; `findings` has those of its schemas and of datasets too, and their number.
    run_findings: RefCell<Option<(FindingsKey, Findings)>>,
    findings: RefCell<Option<(FindingsKey, usize, Findings)>>,
    plan: RefCell<Option<(PlanKey, Option<Rc<PlanView>>)>>,
    newest: RefCell<Option<(NewestKey, Option<StepNo>)>>,
    pub(super) failures: FailureCache,
    /// Generation and number of identities of the run whose files were looked at, and the folder that all are in.
    folder: RefCell<CommonFolder>,
}

/// Generation, container, step and size of the run that the newest write was looked up of.
type NewestKey = (u64, NodeId, StepNo, usize);

/// Generation, step and size of the run that a plan was looked up of.
type PlanKey = (u64, StepNo, usize);

/// The findings of a run in order, shared with the run.
pub type Findings = Rc<Listed>;

/// Generation, size and completeness of the run that findings were looked up of.
type FindingsKey = (u64, usize, bool);

/// By generation, leaf and author: the hops back.
type Causes = HashMap<(u64, NodeId, StepNo), Rc<Vec<Hop>>>;

/// Most causes that are kept.
const CAUSES_MAX: usize = 4096;
/// Most descriptions of steps that are kept.
const DESCRIBED_MAX: usize = 4096;

impl Session {
    /// A session on an input.
    #[must_use]
    pub fn new(
        name: &str,
        format: &'static dyn Format,
        reasons: Vec<String>,
        bytes: Arc<dyn Bytes>,
        records: Arc<dyn Records>,
    ) -> Self {
        let mut review = Review::default();
        review.restart(format.layout() == Layout::Run);
        Self {
            name: name.to_owned(),
            path: None,
            files: None,
            format,
            reasons,
            bytes,
            records,
            run: None,
            trajectory: 0,
            checks: Arc::default(),
            data: None,
            focus: Focus::default(),
            review,
            is_complete: false,
            is_live: false,
            live: LiveTail::default(),
            replay: None,
            key_names: KeyNames::default(),
            generation: 0,
            revision: Revision::default(),
            described: RefCell::default(),
            causes: RefCell::default(),
            writes: RefCell::default(),
            run_findings: RefCell::default(),
            findings: RefCell::default(),
            plan: RefCell::default(),
            newest: RefCell::default(),
            failures: FailureCache::default(),
            folder: RefCell::default(),
        }
    }

    /// Whether it holds many trajectories.
    #[must_use]
    pub fn is_dataset(&self) -> bool {
        self.format.layout() == Layout::Set && !(self.records.is_complete() && self.records.count() <= 1)
    }

    /// Opens another trajectory, or the same again.
    pub fn set_run(&mut self, run: SharedRun, trajectory: usize) {
        self.run = Some(run);
        self.trajectory = trajectory;
        self.checks = Arc::default();
        self.generation += 1;
        self.revision = Revision::default();
        self.forget_steps();
    }

    fn forget_steps(&self) {
        self.described.borrow_mut().clear();
        self.writes.borrow_mut().clear();
    }

    /// Forgets what is stored of steps that the run reports otherwise since.
    pub fn follow_revision(&mut self) {
        let Some(now) = self.open().map(|open| open.run().revision()) else { return };
        let before = std::mem::replace(&mut self.revision, now);
        if before != now {
            self.generation += u64::from(before.rebuilt != now.rebuilt);
            self.forget_steps();
        }
    }

    /// A number for what is stored of the text of steps: another one when the run is another, or a step says more.
    #[must_use]
    pub fn content_version(&self) -> u64 {
        self.generation.wrapping_shl(32).wrapping_add(self.revision.changed)
    }

    /// The open run for reading; None when none is open. Held for one frame or one key.
    #[must_use]
    pub fn open(&self) -> Option<Open<'_>> {
        let guard = self.run.as_ref()?.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        Some(Open { session: self, guard })
    }

    /// Whether a run has state that is worth a pane of its own beside its steps.
    #[must_use]
    pub fn has_state_pane(&self) -> bool {
        self.format.has_state() && self.open().is_none_or(|open| open.has_state())
    }

    /// Forgets the findings: the run has others now.
    pub fn forget_findings(&self) {
        self.run_findings.replace(None);
        self.findings.replace(None);
    }
}

/// The open run, locked for reading.
pub struct Open<'s> {
    /// The session.
    pub session: &'s Session,
    guard: RwLockReadGuard<'s, Box<dyn Run>>,
}

impl Open<'_> {
    /// Whether the run has state beside what counts its steps and calls, and names its model; assumed until it is read.
    #[must_use]
    pub fn has_state(&self) -> bool {
        let mut identities = (0..self.tree().identity_count()).filter_map(|place| self.tree().named_identity(place));
        let is_state = |identity: &Identity| identity.kind != "run" && !counts(&identity.kind);
        !self.session.is_complete || identities.any(is_state)
    }

    /// The run.
    #[must_use]
    pub fn run(&self) -> &dyn Run {
        self.guard.as_ref()
    }

    /// Its state.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        self.guard.tree()
    }

    /// The bytes of the input.
    #[must_use]
    pub fn bytes(&self) -> &dyn Bytes {
        self.session.bytes.as_ref()
    }

    /// Number of steps.
    #[must_use]
    pub fn count(&self) -> usize {
        self.guard.step_count()
    }

    /// The last step; -1 when there is none.
    #[must_use]
    pub fn last(&self) -> StepNo {
        StepNo::try_from(self.count()).unwrap_or(StepNo::MAX) - 1
    }

    /// The step in focus, within the steps that are there.
    #[must_use]
    pub fn step(&self) -> StepNo {
        self.session.focus.step.min(self.last())
    }

    /// A step described, from a bounded cache.
    #[must_use]
    pub fn describe(&self, step: StepNo) -> Arc<Step> {
        if let Some(found) = self.session.described.borrow().get(&step) {
            return Arc::clone(found);
        }
        let described = Arc::new(self.guard.step(step, self.bytes()));
        let mut cache = self.session.described.borrow_mut();
        if cache.len() >= DESCRIBED_MAX {
            cache.clear();
        }
        cache.insert(step, Arc::clone(&described));
        described
    }

    /// What a step wrote, as `make` gives it: kept, since a step may have a million events.
    #[must_use]
    pub fn writes(&self, step: StepNo, make: impl FnOnce() -> Vec<Piece>) -> Rc<Vec<Piece>> {
        if let Some(found) = self.session.writes.borrow().get(&step) {
            return Rc::clone(found);
        }
        let value = Rc::new(make());
        // While the run is read, a step may be described before all of its events are there.
        if self.session.is_complete {
            let mut cache = self.session.writes.borrow_mut();
            if cache.len() >= DESCRIBED_MAX {
                cache.clear();
            }
            cache.insert(step, Rc::clone(&value));
        }
        value
    }

    /// The folder that all files of the run are in, with its `/`; empty without.
    #[must_use]
    pub fn folder(&self) -> Rc<str> {
        let mut known = self.session.folder.borrow_mut();
        if known.generation != self.session.generation || known.looked > self.tree().identity_count() {
            *known = CommonFolder::of_generation(self.session.generation);
        }
        known.look(self.tree());
        Rc::clone(&known.path)
    }

    /// The findings of the run. While it is read they are looked up again at each doubling, not at each frame.
    #[must_use]
    pub fn findings(&self) -> Findings {
        let is_complete = self.session.is_complete;
        let size = if is_complete { self.count() } else { self.count().checked_ilog2().unwrap_or(0) as usize };
        let key = (self.session.generation, size, is_complete);
        let checked = self.session.checks.findings();
        let data = self.session.data.as_ref().map_or(&[][..], |data| data.of(self.session.trajectory));
        let others = checked.len() + data.len();
        if let Some((.., found)) = self.session.findings.borrow().as_ref().filter(|(k, n, _)| (*k, *n) == (key, others))
        {
            // No more will come to those of the run: one list is enough.
            if is_complete && self.session.checks.judged() > self.last() {
                self.session.run_findings.take();
            }
            return Rc::clone(found);
        }
        let run_findings = self.run_findings(key);
        let found = match others {
            0 => run_findings,
            _ => Rc::new(run_findings.with(checked.iter().chain(data).cloned().collect())),
        };
        *self.session.findings.borrow_mut() = Some((key, others, Rc::clone(&found)));
        found
    }

    /// The findings of the run alone.
    fn run_findings(&self, key: FindingsKey) -> Findings {
        if let Some((_, found)) = self.session.run_findings.borrow().as_ref().filter(|(k, _)| *k == key) {
            return Rc::clone(found);
        }
        let found = Rc::new(Listed::new(self.guard.findings()));
        *self.session.run_findings.borrow_mut() = Some((key, Rc::clone(&found)));
        found
    }

    /// The plan at the step in focus, kept until the step or the run changes.
    #[must_use]
    pub fn plan(&self) -> Option<Rc<PlanView>> {
        let key = (self.session.content_version(), self.step(), self.count());
        if let Some((_, plan)) = self.session.plan.borrow().as_ref().filter(|(k, _)| *k == key) {
            return plan.clone();
        }
        let plan = self.guard.plan_view(self.step(), self.bytes()).map(Rc::new);
        *self.session.plan.borrow_mut() = Some((key, plan.clone()));
        plan
    }

    /// The newest step that wrote a leaf at or below a node, at the step in focus. It costs a look at each of them, so
    /// the last answer is kept.
    #[must_use]
    pub fn newest(&self, node: NodeId) -> Option<StepNo> {
        let key = (self.session.content_version(), node, self.step(), self.count());
        if let Some((_, newest)) = self.session.newest.borrow().as_ref().filter(|(k, _)| *k == key) {
            return *newest;
        }
        let newest = self.tree().newest(node, self.step()).map(|(newest, _)| newest);
        *self.session.newest.borrow_mut() = Some((key, newest));
        newest
    }

    /// Findings of the run that are errors, and that are warnings.
    #[must_use]
    pub fn finding_counts(&self) -> (usize, usize) {
        let findings = self.findings();
        (findings.count(Severity::Error), findings.count(Severity::Warning))
    }

    /// The step of a finding; of one of a record that made no step the last step before it, else the first.
    #[must_use]
    pub fn step_near(&self, finding: &Finding) -> Option<StepNo> {
        let is_run = self.session.format.layout() == Layout::Run && self.count() > 0;
        let near = || {
            let is_before = |step| self.guard.place(step).is_some_and(|place| place.record <= finding.record);
            let (mut low, mut high) = (0, self.last() + 1);
            while low < high {
                let middle = low + (high - low) / 2;
                if is_before(middle) { low = middle + 1 } else { high = middle }
            }
            (low - 1).max(0)
        };
        finding.step.or_else(|| is_run.then(near))
    }

    /// What values were copied from, hop by hop, from a bounded cache. Those that are not in it cost one look through
    /// all versions together.
    #[must_use]
    pub fn causes(&self, writes: &[ValueWrite<'_>]) -> Vec<Rc<Vec<Hop>>> {
        let generation = self.session.content_version();
        let key = |written: &ValueWrite<'_>| (generation, written.node, written.author);
        let mut cache = self.session.causes.borrow_mut();
        if cache.len() > CAUSES_MAX {
            cache.clear();
        }
        let missing: Vec<&ValueWrite<'_>> =
            writes.iter().filter(|written| !cache.contains_key(&key(written))).collect();
        if !missing.is_empty() {
            let copies = Copies::of(self.tree(), missing.iter().map(|written| written.value.clone()));
            let mut trail = Trail::new(self.run(), &copies, self.bytes());
            for written in missing {
                cache.insert(key(written), Rc::new(trail.chain(*written)));
            }
        }
        writes.iter().map(|written| cache.get(&key(written)).map(Rc::clone).unwrap_or_default()).collect()
    }

    /// The node in focus, if the state knows its path.
    #[must_use]
    pub fn focus_node(&self) -> Option<(IdentityId, NodeId)> {
        let (identity, path) = self.session.focus.path.as_ref()?;
        let id = self.tree().find(identity)?;
        Some((id, self.tree().node(id, path)?))
    }

    /// The focused path in the notation of the format, and its instance.
    #[must_use]
    pub fn focus_reference(&self) -> Option<(String, Option<String>)> {
        let (identity, path) = self.session.focus.path.as_ref()?;
        Some((self.run().reference(identity, path), identity.instance.clone()))
    }

    /// A place in the state as people read it.
    #[must_use]
    pub fn place_name(&self, identity: &Identity, path: &[Key]) -> String {
        place_name(self.run(), identity, path, &self.folder())
    }

    /// The same without its instance where that is beside the path, and the instance.
    #[must_use]
    pub fn place_and_instance<'i>(&self, identity: &'i Identity, path: &[Key]) -> (String, Option<&'i str>) {
        match self.run().instances() {
            Instances::Chosen => (self.run().reference(identity, path), identity.instance.as_deref()),
            _ => (self.place_name(identity, path), None),
        }
    }

    /// Identity and path of a node, as the focus keeps them.
    #[must_use]
    pub fn path_of(&self, node: NodeId) -> (Identity, Vec<Key>) {
        let (id, path) = self.tree().path(node);
        (self.tree().identity(id).clone(), path)
    }
}
