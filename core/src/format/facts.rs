//! What a table of trajectories shows of one of them: reported by the survey of its format.

use super::call_time::ToolTimes;
use crate::model::{LocatedFinding, RunFacts, Severity};
use crate::rules::trajectory::{AnswerFacts, RecordName};
use crate::rules::work::ToolOutcomes;

/// Facts on one record. Names and words are foreign text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Facts {
    /// Its id; empty without.
    pub title: String,
    /// What it says of its id and its task, where facts for a table were asked for.
    pub name: RecordName,
    /// First words of the first user step, else of the first step; of a record that cannot be read, why.
    pub words: String,
    /// What can be counted; None for a record that cannot be read.
    pub counted: Option<Counted>,
    /// The key of the task that it is an attempt at, if it names one.
    pub task: Option<u64>,
    /// What it reports of its run as a whole, where facts for a table were asked for.
    pub run: RunFacts,
    /// Findings by rule.
    pub rules: Vec<(String, u64)>,
    /// Findings that are errors.
    pub errors: u64,
    /// Findings that are warnings.
    pub warnings: u64,
}

/// What can be counted in a record that can be read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Counted {
    /// Number of steps.
    pub steps: u64,
    /// Steps by class.
    pub classes: Vec<(String, u64)>,
    /// Calls by tool, most used first.
    pub tools: Vec<(String, u64)>,
    /// Unicode scalars of all steps.
    pub chars: u64,
    /// Tokens that a model sees, estimated.
    pub tokens: u64,
    /// Sum of the rewards; None without any.
    pub reward: Option<f64>,
    /// Its answers, if it has several: each is an attempt at its task.
    pub answers: Vec<AnswerFacts>,
    /// How it ends: a word of the format.
    pub finish: String,
    /// Steps with a result that is an error (W4), where findings were asked for.
    pub failed: u64,
    /// Steps with a result that is suspect (W4), likewise.
    pub suspect: u64,
    /// How the calls of each tool came out (W4), where that was asked for.
    pub outcomes: Vec<(String, ToolOutcomes)>,
    /// How long they took, likewise, where the records say when something happened.
    pub times: ToolTimes,
}

impl Facts {
    /// Adds the rules of further findings of the record, which are not counted as its errors and warnings.
    #[must_use]
    pub fn with_rules(mut self, found: &[LocatedFinding]) -> Self {
        found.iter().for_each(|found| self.count_rule(found.finding.rule));
        self
    }

    /// The same with its tokens counted, where they were.
    #[must_use]
    pub fn with_tokens(mut self, tokens: Option<u64>) -> Self {
        if let (Some(counted), Some(tokens)) = (&mut self.counted, tokens) {
            counted.tokens = tokens;
        }
        self
    }

    /// The same with no findings.
    #[must_use]
    pub fn without_findings(self) -> Self {
        Self { rules: Vec::new(), errors: 0, warnings: 0, ..self }
    }

    /// Counts findings of the record.
    #[must_use]
    pub fn with_findings(mut self, found: &[LocatedFinding]) -> Self {
        for LocatedFinding { finding, .. } in found {
            match finding.severity {
                Severity::Error => self.errors += 1,
                Severity::Warning => self.warnings += 1,
                Severity::Info => {}
            }
            self.count_rule(finding.rule);
        }
        self
    }

    fn count_rule(&mut self, rule: &str) {
        match self.rules.iter_mut().find(|(known, _)| known == rule) {
            Some((_, n)) => *n += 1,
            None => self.rules.push((rule.to_owned(), 1)),
        }
    }
}
