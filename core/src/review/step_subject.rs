//! A step of a run as filters see it: described only as far as they ask, and its text read only where words are looked
//! for.

use super::field::{Names, Numbers, Subject, Texts};
use super::marks::Mark;
use crate::format::Run;
use crate::model::{Bytes, Finding, Severity, Span, Step, StepNo, estimated_tokens};
use crate::rules::work::OutcomeLevel;
use crate::text::Pattern;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// Bytes of a message that are looked at at once, and the longest match that may be across two such pieces.
const PIECE_BYTES: u64 = 1 << 20;
const OVERLAP_BYTES: u64 = 64 << 10;
/// What a filter calls a flag among the marks.
pub(super) const FLAG: &str = "flag";

/// The marks on the steps of a run and on their values.
pub type StepMarks = BTreeMap<StepNo, Vec<Mark>>;

/// What is known of the steps of a run beside the run itself.
#[derive(Debug, Clone, Default)]
pub struct StepNotes {
    findings: HashMap<StepNo, Vec<(&'static str, Severity)>>,
    marks: Arc<StepMarks>,
    /// The steps that failed, once one was asked for.
    failed: OnceCell<HashSet<StepNo>>,
}

impl StepNotes {
    /// Findings of the run in any order, and its marks.
    #[must_use]
    pub fn new<'f>(findings: impl IntoIterator<Item = &'f Finding>, marks: Arc<StepMarks>) -> Self {
        let mut notes = Self { marks, ..Self::default() };
        for finding in findings {
            if let Some(step) = finding.step {
                notes.findings.entry(step).or_default().push((finding.rule, finding.severity));
            }
        }
        notes
    }
}

/// One step.
pub struct StepEntry<'r> {
    run: &'r dyn Run,
    bytes: &'r dyn Bytes,
    notes: &'r StepNotes,
    number: StepNo,
    described: OnceCell<Step>,
}

impl<'r> StepEntry<'r> {
    /// A step of a run.
    #[must_use]
    pub fn new(run: &'r dyn Run, bytes: &'r dyn Bytes, notes: &'r StepNotes, number: StepNo) -> Self {
        Self { run, bytes, notes, number, described: OnceCell::new() }
    }

    fn step(&self) -> &Step {
        self.described.get_or_init(|| self.run.step(self.number, self.bytes))
    }

    /// Whether the run reports an error of the step: of a result (W4), or one that no call asked for.
    fn has_failed(&self) -> bool {
        let failed = || self.run.error_steps().into_iter().collect();
        self.notes.failed.get_or_init(failed).contains(&self.number)
    }

    fn findings(&self) -> &[(&'static str, Severity)] {
        self.notes.findings.get(&self.number).map(Vec::as_slice).unwrap_or_default()
    }

    fn count(&self, keep: impl Fn(Severity) -> bool) -> f64 {
        self.findings().iter().filter(|(_, severity)| keep(*severity)).count() as f64
    }

    fn marks(&self) -> &[Mark] {
        self.notes.marks.get(&self.number).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether the bytes of its message hold a match, as a search would find it; of a message that is in several
    /// records piece by piece, also what they say together.
    fn has(&self, pattern: &Pattern) -> bool {
        let spans = self.run.spans(self.number);
        spans.iter().any(|span| self.has_in(*span, pattern)) || (spans.len() > 1 && self.says(pattern))
    }

    fn says(&self, pattern: &Pattern) -> bool {
        let turn = self.run.turn(self.number, self.bytes);
        turn.is_some_and(|turn| turn.parts.iter().any(|part| pattern.is_match(part.text())))
    }

    fn has_in(&self, span: Span, pattern: &Pattern) -> bool {
        let mut at = span.offset;
        while at < span.end() {
            let end = (at + PIECE_BYTES).min(span.end());
            let Ok(piece) = self.bytes.read(Span { offset: at, len: end - at }) else { return false };
            if pattern.find_raw(&piece, 0).is_some() {
                return true;
            }
            at = if end == span.end() { end } else { end - OVERLAP_BYTES };
        }
        false
    }
}

impl Subject for StepEntry<'_> {
    fn number(&self, numbers: Numbers) -> Option<f64> {
        Some(match numbers {
            Numbers::Step => f64::from(self.number),
            Numbers::Size => self.run.place(self.number)?.place.span.len as f64,
            Numbers::Writes => self.run.tree().events(self.number).len() as f64,
            Numbers::Findings => self.count(|severity| severity > Severity::Info),
            Numbers::Errors => self.count(|severity| severity == Severity::Error),
            Numbers::Warnings => self.count(|severity| severity == Severity::Warning),
            Numbers::Failed => match self.run.outcome(self.number) {
                Some(outcome) => f64::from(outcome.is_error() || self.has_failed()),
                None if self.has_failed() => 1.0,
                None => return None,
            },
            Numbers::Suspect => f64::from(self.run.outcome(self.number)?.verdict == OutcomeLevel::Suspect),
            Numbers::Chars => self.step().chars as f64,
            Numbers::Tokens => self.step().tokens.unwrap_or(estimated_tokens(self.step().chars as u64)) as f64,
            Numbers::Reward => self.step().reward.as_ref()?.parse().ok().filter(|reward: &f64| reward.is_finite())?,
            // Numbers of records, and of all attempts at a task.
            _ => return None,
        })
    }

    fn any_name(&self, names: Names, test: &dyn Fn(&str) -> bool) -> bool {
        match names {
            Names::Kind => test(&self.step().kind),
            Names::Class => self.step().class.as_deref().is_some_and(test),
            Names::Tool => self.step().tool.as_deref().is_some_and(test),
            Names::Role => test(self.step().role.name()) || self.step().role_text.as_deref().is_some_and(test),
            Names::Finding => self.findings().iter().any(|(rule, _)| test(rule)),
            Names::Tag => self.marks().iter().flat_map(|mark| &mark.tags).any(|tag| test(tag)),
            Names::Mark => self.marks().iter().any(|mark| {
                mark.verdict.is_some_and(|verdict| test(verdict.name())) || (mark.is_flagged && test(FLAG))
            }),
            Names::Finish | Names::Agent | Names::Model | Names::Format => false,
        }
    }

    fn text(&self, text: Texts) -> Cow<'_, str> {
        Cow::Borrowed(match text {
            Texts::Words => self.step().summary.as_str(),
            Texts::Id | Texts::Task | Texts::File => "",
        })
    }

    fn matches(&self, text: Texts, pattern: &Pattern) -> bool {
        text == Texts::Words && self.has(pattern)
    }
}
