//! What the schemas make of the open run: filled by a job, read by panes (A42).

use super::SharedRun;
use crate::format::Run;
use crate::json::Key;
use crate::model::{Bytes, Finding, StepNo};
use crate::state::{Exam, IdentityId, Invalid, Verdicts};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard};

/// The exam of one run and what came of it. Panes get copies, so that nobody holds it for long.
#[derive(Debug, Default)]
pub struct Checks {
    exam: Mutex<Exam>,
    verdicts: RwLock<Verdicts>,
}

impl Checks {
    /// Checks the next step; false when there is none. The run is read while its tree is needed and no longer.
    pub fn go_on(&self, run: &SharedRun, bytes: &dyn Bytes) -> bool {
        let mut exam = self.exam.lock().unwrap_or_else(PoisonError::into_inner);
        let is_there = run.read().unwrap_or_else(PoisonError::into_inner).examine(&mut exam, bytes);
        if is_there {
            let judgement = exam.judge();
            self.verdicts.write().unwrap_or_else(PoisonError::into_inner).add(judgement);
        }
        is_there
    }

    /// The number of steps that were checked.
    #[must_use]
    pub fn judged(&self) -> StepNo {
        self.read().judged()
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

    /// Why the schema that a step brought is none.
    #[must_use]
    pub fn fault(&self, step: StepNo) -> Option<String> {
        let verdicts = self.read();
        verdicts.faults().iter().find(|(at, _)| *at == step).map(|(_, why)| why.clone())
    }

    /// What was found so far, as findings in no order.
    #[must_use]
    pub fn findings(&self, run: &dyn Run) -> Vec<Finding> {
        run.schema_findings(&self.read())
    }

    fn read(&self) -> RwLockReadGuard<'_, Verdicts> {
        self.verdicts.read().unwrap_or_else(PoisonError::into_inner)
    }
}
