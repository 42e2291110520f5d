//! The steps of the open run that failed or look like it: asked of the run once for each content that it has.

use super::Open;
use crate::model::{Finding, Severity, StepNo};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// What the run reports of its steps (W4).
#[derive(Debug, Default)]
pub struct FailedSteps {
    /// Those that failed, in order.
    pub failed: Vec<StepNo>,
    /// Those whose results look like a failure, in order.
    pub suspect: Vec<StepNo>,
}

/// Version of the content, number of steps and of records, and whether all are there.
type FailuresKey = (u64, usize, usize, bool);

/// The steps that failed, of the content that they were asked of.
#[derive(Debug, Default)]
pub(super) struct FailureCache(RefCell<Option<(FailuresKey, Rc<FailedSteps>)>>);

impl Open<'_> {
    /// The steps that the run reports as failed or suspect. Each frame shows their numbers, so the lists are kept until
    /// the run has another content.
    #[must_use]
    pub fn failed_steps(&self) -> Rc<FailedSteps> {
        let session = self.session;
        let key = (session.content_version(), self.count(), session.records.count(), session.is_complete);
        if let Some((_, known)) = session.failures.0.borrow().as_ref().filter(|(k, _)| *k == key) {
            return Rc::clone(known);
        }
        let found = FailedSteps { failed: self.run().error_steps(), suspect: self.run().suspect_steps() };
        let found = Rc::new(found);
        *session.failures.0.borrow_mut() = Some((key, Rc::clone(&found)));
        found
    }

    /// Steps at which something went wrong, in order: findings that are errors, and errors that the run itself reports.
    #[must_use]
    pub fn error_steps(&self) -> Vec<StepNo> {
        let is_error = |f: &&Arc<Finding>| f.severity == Severity::Error;
        let findings = self.findings();
        let errors = findings.iter().filter(is_error).take(findings.count(Severity::Error));
        let mut steps: Vec<StepNo> = errors.filter_map(|f| f.step).collect();
        steps.extend(&self.failed_steps().failed);
        steps.sort_unstable();
        steps.dedup();
        steps
    }

    /// The same and the steps whose results look like a failure (W4), in order.
    #[must_use]
    pub fn failure_steps(&self) -> Vec<StepNo> {
        let mut steps = self.error_steps();
        steps.extend(&self.failed_steps().suspect);
        steps.sort_unstable();
        steps.dedup();
        steps
    }

    /// Where a search for failures stops: at these steps, and where a record is broken that made no step.
    #[must_use]
    pub fn error_stops(&self) -> Vec<StepNo> {
        let findings = self.findings();
        let is_broken = |f: &&Arc<Finding>| f.severity == Severity::Error && f.step.is_none();
        let mut steps: Vec<StepNo> = findings.iter().filter(is_broken).filter_map(|f| self.step_near(f)).collect();
        steps.extend(self.failure_steps());
        steps.sort_unstable();
        steps.dedup();
        steps
    }
}
