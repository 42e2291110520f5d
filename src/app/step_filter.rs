//! The filter of the list of steps: what a job finds of it, and what it is asked for.
//!
//! Steps are looked at off the screen's thread, the first ones first. Those that come are looked at alone; all of them
//! are again when what the filter asks for can be another for steps that were looked at: marks, findings, another
//! content. What was found is shown until then.

use super::{App, Effect, Effects, Job};
use crate::model::StepNo;
use crate::panes::{Follow, Open};
use crate::review::{Filter, StepMarks};
use std::sync::Arc;

/// What steps that were looked at depend on beside their own text: generation of the run, how new the marks are, and
/// how far the findings are known.
type Ground = (u64, Option<u64>, Option<(bool, usize, StepNo)>);

/// What was asked of the job.
#[derive(Debug, Default)]
pub(super) struct FilterJob {
    number: u64,
    ground: Option<Ground>,
    /// Steps that are being looked at: up to this number.
    to: Option<usize>,
}

impl App {
    /// Shows the steps that a filter lets through.
    pub(super) fn set_step_filter(&mut self, filter: Filter) {
        if self.step_filter.filter != filter {
            self.step_filter.filter = filter;
            self.restart_step_filter();
        }
    }

    /// Nothing is known of the steps of the run that is open now.
    pub(super) fn restart_step_filter(&mut self) {
        self.step_filter.clear();
        self.filter_job = FilterJob { number: self.filter_job.number + 1, ..FilterJob::default() };
        self.steps.is_jump = true;
    }

    /// The step that counts as the end of the list; None where there is no run.
    pub(super) fn list_end(&self) -> Option<StepNo> {
        let open = self.session.open()?;
        Some(self.step_filter.last(&open).unwrap_or(open.last()))
    }

    /// Requests the filter's answer for steps that were not scanned yet.
    pub(super) fn update_step_filter(&mut self, effects: &mut Effects) {
        if self.step_filter.filter.is_empty() {
            return;
        }
        let Some((ground, count)) = self.session.open().map(|open| (self.ground(&open), open.count())) else { return };
        let is_new_ground = self.filter_job.ground != Some(ground);
        // In a run that keeps growing, a scan of all steps is finished before the next begins.
        let can_wait = self.filter_job.ground.is_some_and(|before| before.0 == ground.0 && before.1 == ground.1);
        if self.filter_job.to.is_some() && (!is_new_ground || can_wait) {
            return;
        }
        if is_new_ground {
            self.step_filter.begin_rescan();
            self.filter_job.number += 1;
            self.filter_job.ground = Some(ground);
        } else if self.step_filter.looked() >= count {
            return;
        }
        self.filter_job.to = Some(count);
        effects.push(Effect::Job(Job::FilterSteps {
            number: self.filter_job.number,
            filter: Box::new(self.step_filter.filter.clone()),
            from: self.step_filter.looked(),
            to: count,
            checks: Arc::clone(&self.session.checks),
            marks: Arc::new(self.marks_of_steps()),
        }));
    }

    /// What the answers for steps rest on now.
    fn ground(&self, open: &Open<'_>) -> Ground {
        let filter = &self.step_filter.filter;
        let is_complete = self.session.is_complete;
        // While the run is read, its findings are looked up at each doubling.
        let size = if is_complete { open.count() } else { open.count().checked_ilog2().unwrap_or(0) as usize };
        let findings = filter.has_findings().then(|| (is_complete, size, self.session.checks.judged()));
        (self.session.generation, filter.has_marks().then_some(self.session.review.version), findings)
    }

    /// The marks on steps, where the filter asks for them.
    fn marks_of_steps(&self) -> StepMarks {
        if !self.step_filter.filter.has_marks() {
            return StepMarks::new();
        }
        let (review, record) = (&self.session.review, self.session.trajectory);
        let marks = |step| review.step_marks(record, step).into_iter().map(|(_, mark)| mark.clone()).collect();
        review.marked_steps(record).into_iter().map(|step| (step, marks(step))).collect()
    }

    /// No steps are looked at any more.
    pub(super) fn filter_job_ended(&mut self) {
        self.filter_job.to = None;
        self.step_filter.end();
    }

    /// Takes what the job found among the next steps.
    pub(super) fn take_filtered_steps(&mut self, number: u64, looked: usize, passing: Vec<StepNo>) {
        if number != self.filter_job.number {
            return;
        }
        self.step_filter.take(looked, passing);
        if self.filter_job.to.is_some_and(|to| looked >= to) {
            self.filter_job_ended();
        }
        if self.session.live.follow == Follow::On {
            self.go_to_last();
        }
    }
}
