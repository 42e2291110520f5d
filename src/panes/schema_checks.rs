//! What the schemas make of the open run: filled by a job, read by panes (A42).

use crate::format::SharedRun;
use crate::json::Key;
use crate::model::{Bytes, Finding, StepNo};
use crate::state::{IdentityId, Invalid, ReportedCounts, SchemaChecker, ViolationInterval, Violations};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

/// The schema check of one run and what came of it. Panes get copies, so that nobody holds it for long.
#[derive(Debug, Default)]
pub struct Checks {
    /// The schema check, and what of it are findings.
    checker: Mutex<(SchemaChecker, ReportedCounts)>,
    violations: RwLock<Violations>,
    findings: RwLock<Arc<Vec<Arc<Finding>>>>,
    /// The number of steps that were checked, with all findings on them.
    judged: AtomicI32,
}

impl Checks {
    /// Checks the next step; false when there is none. The run is read while its tree is needed and no longer, and the
    /// findings are made here, after each lap, so that no frame waits for them.
    pub fn go_on(&self, run: &SharedRun, bytes: &dyn Bytes) -> bool {
        let mut at_hand = self.checker.lock().unwrap_or_else(PoisonError::into_inner);
        let (checker, reported) = &mut *at_hand;
        if !run.read().unwrap_or_else(PoisonError::into_inner).examine(checker, bytes) {
            return false;
        }
        let judgement = checker.judge();
        self.violations.write().unwrap_or_else(PoisonError::into_inner).add(judgement);
        let judged = self.read().judged();
        if judged != self.judged() {
            self.add_findings(run, reported);
            self.judged.store(judged, Ordering::Release);
        }
        true
    }

    /// Makes findings of what was found since the last time.
    fn add_findings(&self, run: &SharedRun, reported: &mut ReportedCounts) {
        let violations = self.read();
        let new = run.read().unwrap_or_else(PoisonError::into_inner).schema_findings(&violations, *reported);
        *reported = violations.counts();
        drop(violations);
        if !new.is_empty() {
            let old = self.findings();
            let all = Finding::in_order(old.iter().cloned().chain(new.into_iter().map(Arc::new)).collect());
            *self.findings.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(all);
        }
    }

    /// The number of steps that were checked.
    #[must_use]
    pub fn judged(&self) -> StepNo {
        self.judged.load(Ordering::Acquire)
    }

    /// All violations of an identity at or below a path, in the order in which they came up.
    #[must_use]
    pub fn below(&self, id: IdentityId, path: &[Key]) -> Vec<Invalid> {
        self.read().of(id).iter().filter(|i| i.violation.path.starts_with(path)).cloned().collect()
    }

    /// The step that repaired a violation, whatever became the reason of it meanwhile.
    #[must_use]
    pub fn repaired(&self, id: IdentityId, one: &Invalid) -> Option<StepNo> {
        let is_same = |i: &&Invalid| i.since == one.since && i.violation.path == one.violation.path;
        self.read().of(id).iter().filter(is_same).find(|i| i.is_repaired).and_then(|i| i.until)
    }

    /// The violations of an identity that hold at a step, by path.
    #[must_use]
    pub fn at(&self, id: IdentityId, step: StepNo) -> Vec<Invalid> {
        self.read().at(id, step).into_iter().cloned().collect()
    }

    /// When an identity breaks its schema: at a step, else before it, else after it.
    #[must_use]
    pub fn spell(&self, id: IdentityId, step: StepNo) -> Option<ViolationInterval> {
        self.read().spell(id, step)
    }

    /// The next or previous step at which something at or below a path breaks its schema, or is repaired; with what
    /// that is.
    #[must_use]
    pub fn turn(&self, id: IdentityId, path: &[Key], step: StepNo, is_forward: bool) -> Option<(StepNo, Vec<Invalid>)> {
        let violations = self.read();
        let found = violations.turn(id, path, step, is_forward)?;
        let is_of_step = |one: &&Invalid| [one.begun_at(), one.repaired_at()].contains(&Some(found));
        let below = violations.of(id).iter().filter(|one| one.violation.path.starts_with(path));
        Some((found, below.filter(is_of_step).cloned().collect()))
    }

    /// Why nothing is checked against the schema that a step brought.
    #[must_use]
    pub fn fault(&self, step: StepNo) -> Option<String> {
        let violations = self.read();
        violations.faults().iter().find(|(at, _)| *at == step).map(|(_, fault)| fault.to_string())
    }

    /// The findings on the steps that were checked, in order. They only become more.
    #[must_use]
    pub fn findings(&self) -> Arc<Vec<Arc<Finding>>> {
        Arc::clone(&self.findings.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn read(&self) -> RwLockReadGuard<'_, Violations> {
        self.violations.read().unwrap_or_else(PoisonError::into_inner)
    }
}
