//! Going to the next step of a kind or of a time: what is near is looked at here, the rest of the run by a job, so that
//! "no later error" is said of all steps.

use super::finding::none_of;
use crate::app::{App, Effect, Effects, Job, Lane};
use crate::format;
use crate::model::{Finding, Severity, StepKind, StepNo, StepRole, When, lossy};
use crate::panes::seek::{Pass, SeekGoal};
use crate::panes::{Open, step_row, steps, times};

/// Steps that are looked at before a job is asked.
const NEAR_STEPS: StepNo = 64;
/// Longest record that is read to see why it failed.
const REPORT_BYTES_MAX: u64 = 1 << 20;

/// What a `[x` or `]x` key looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SeekTarget {
    Error,
    Call,
    User,
}

/// The look for a step that a job goes on with.
#[derive(Debug, Default)]
pub(in crate::app) struct Seeking {
    number: u64,
    awaited: Option<PendingSeek>,
}

#[derive(Debug)]
struct PendingSeek {
    /// The generation and the step that it began at: a cursor that went elsewhere meanwhile stays there.
    from: (u64, StepNo),
    /// What is looked for, as `a later error`, and what is said if there is none.
    what: String,
    none: String,
    /// How many of them are to be passed: the key was pressed so often.
    nth: usize,
}

impl SeekTarget {
    fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Call => "call",
            Self::User => "user turn",
        }
    }

    fn goal(self, open: &Open<'_>) -> SeekGoal {
        match self {
            Self::Error => SeekGoal::Error(open.error_stops().into()),
            Self::Call => SeekGoal::Call,
            Self::User => SeekGoal::User,
        }
    }
}

impl App {
    /// Goes to the next or previous failure; in the table to the next record with one.
    pub(super) fn error_by(&mut self, is_forward: bool, effects: &mut Effects) {
        if self.is_on_table() {
            // What cannot be read is an error too.
            return self.record_by("an error", |faults| faults.failures.is_none_or(|count| count > 0), is_forward);
        }
        self.seek(SeekTarget::Error, is_forward, effects);
    }

    pub(super) fn seek(&mut self, wanted: SeekTarget, is_forward: bool, effects: &mut Effects) {
        let Some(open) = self.session.open() else { return };
        let steps = if is_forward { open.step() + 1..open.last() + 1 } else { 0..open.step() };
        let pass = Pass { steps, is_forward, goal: wanted.goal(&open) };
        let what = format!("{} {}", if is_forward { "later" } else { "earlier" }, wanted.word());
        // How many calls and turns there are the other way is known only by a look at all steps.
        let none = match &pass.goal {
            SeekGoal::Error(stops) if self.session.is_complete && stops.is_empty() => {
                "nothing failed in this run, or looks like it".to_owned()
            }
            SeekGoal::Error(stops) if self.session.is_complete => {
                let others = stops.iter().filter(|step| **step != open.step()).count();
                none_of(wanted.word(), others, is_forward)
            }
            _ => none_of(wanted.word(), 0, is_forward),
        };
        drop(open);
        self.seek_in(vec![pass], (format!("a {what}").replace("a earlier", "an earlier"), none), effects);
    }

    /// Goes to the step of a time.
    pub(in crate::app) fn go_to_time(&mut self, when: When, effects: &mut Effects) {
        let Some(asked) = self.session.open().map(|open| times::passes(&open, when)) else { return };
        match asked {
            Ok((passes, none)) => self.seek_in(passes, ("that time".to_owned(), none), effects),
            Err(message) => self.notify(message),
        }
    }

    /// Goes to the next step that one of the passes meets; what is looked for and what is said if there is none.
    fn seek_in(&mut self, mut passes: Vec<Pass>, (what, none): (String, String), effects: &mut Effects) {
        let Some(open) = self.session.open() else { return };
        let from = (self.session.generation, open.step());
        let again = self.seeking.awaited.as_ref().filter(|awaited| awaited.from == from && awaited.what == what);
        let nth = again.map_or(1, |awaited| awaited.nth + 1);
        if nth == 1
            && let Some(first) = passes.first_mut()
        {
            let (near, far) = first.split(NEAR_STEPS);
            let found = near.hits(|step| open.describe(step)).next();
            if let Some(step) = found {
                drop(open);
                self.stop_seeking(effects);
                return self.arrive(step, &what);
            }
            *first = far;
        }
        drop(open);
        if passes.iter().all(|pass| pass.steps.is_empty()) {
            self.stop_seeking(effects);
            return self.notify_none(none);
        }
        self.notify(format!("looking for {what} · {}", self.hint("{cancel} stops")));
        self.seeking.number += 1;
        self.seeking.awaited = Some(PendingSeek { from, what, none, nth });
        effects.push(Effect::Job(Job::Seek { number: self.seeking.number, passes, nth }));
    }

    /// Goes to a step that was looked for. Of a failure it is said which.
    fn arrive(&mut self, step: StepNo, what: &str) {
        self.jump_to(step);
        if what.ends_with(SeekTarget::Error.word()) {
            let message = self.session.open().and_then(|open| failure(&open, step));
            self.notice = None;
            message.into_iter().for_each(|message| self.notify(format!("step {step}: {message}")));
        }
    }

    /// Of a file that is still being read, nothing is said of what comes.
    fn notify_none(&mut self, none: String) {
        let so_far = if self.session.is_complete { "" } else { " so far: the file is still being read" };
        self.notify(none + so_far);
    }

    /// Takes how far the job is, in percent.
    pub(in crate::app) fn seeking_at(&mut self, number: u64, per_cent: usize) {
        if let Some(awaited) = self.seeking.awaited.as_ref().filter(|_| self.seeking.number == number) {
            let stops = self.hint("{cancel} stops");
            self.notify(format!("looking for {} · {per_cent} % · {stops}", awaited.what));
        }
    }

    /// Takes how many steps the job found, no more than were asked for, and the last of them.
    pub(in crate::app) fn sought(&mut self, number: u64, count: usize, step: Option<StepNo>) {
        let Some(awaited) = self.seeking.awaited.take_if(|_| self.seeking.number == number) else { return };
        if awaited.from != (self.session.generation, self.session.focus.step) {
            return;
        }
        self.notice = None;
        if let Some(step) = step {
            self.arrive(step, &awaited.what);
        }
        if count < awaited.nth {
            self.notify_none(awaited.none);
        }
    }

    /// Looks no further; whether a job did.
    pub(in crate::app) fn stop_seeking(&mut self, effects: &mut Effects) -> bool {
        let is_stopped = self.seeking.awaited.take().is_some();
        if is_stopped {
            effects.push(Effect::Stop(Lane::Seek));
        }
        is_stopped
    }
}

/// What failed at a step: how its result came out, else what the rules found.
fn failure(open: &Open<'_>, step: StepNo) -> Option<String> {
    let outcome = open.run().outcome(step);
    if let Some(words) = outcome.and_then(step_row::failure_words) {
        let why = outcome.and_then(|outcome| step_row::fault(open, step, outcome));
        return Some(why.map_or_else(|| words.clone(), |why| format!("{words} · {why}")));
    }
    let is_error = |finding: &&std::sync::Arc<Finding>| finding.severity == Severity::Error;
    let of_step = open.findings_of(step).iter().find(is_error).map(|finding| finding.message.to_string());
    let is_near = |finding: &&std::sync::Arc<Finding>| is_error(finding) && open.step_near(finding) == Some(step);
    let near = || open.findings().iter().find(is_near).map(|finding| finding.message.to_string());
    // Records that no format knows are read when they are shown: no finding is about one.
    let broken = || Some(open.describe(step)).filter(|step| step.sign == StepKind::Broken);
    let found = of_step.or_else(near).or_else(|| Some(format!("broken: {}", broken()?.summary)));
    found.or_else(|| failed_by_itself(open, step))
}

/// What a step says that the log itself reports as failed: its record may say why, else its own words do.
fn failed_by_itself(open: &Open<'_>, step: StepNo) -> Option<String> {
    open.failed_steps().failed.binary_search(&step).ok()?;
    let described = open.describe(step);
    let is_report = described.sign == StepKind::Error && described.role != StepRole::Agent;
    let words = || Some(steps::one_line(&described.summary)).filter(|words| is_report && !words.is_empty());
    let why = reported_error(open, step).or_else(words);
    Some(why.map_or_else(|| "failed, as the log says".to_owned(), |why| format!("failed · {why}")))
}

/// The error that the record of a step holds beside what it says.
fn reported_error(open: &Open<'_>, step: StepNo) -> Option<String> {
    let record = open.session.records.get(open.run().place(step)?.record)?;
    let span = Some(record.place.span).filter(|span| span.len <= REPORT_BYTES_MAX)?;
    let text = open.bytes().read(span).ok()?;
    let error = format::reported_error(&lossy(&text)).map(|error| steps::one_line(&error));
    error.filter(|error| !error.is_empty())
}
