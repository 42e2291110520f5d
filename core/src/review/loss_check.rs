//! How the records of a dataset would train, as findings of a check.

use super::conversation::Conversation;
use super::loss::{ChatTemplate, LossFinding, Train};
use crate::json::{self, Value};
use crate::lint;
use crate::model::{Finding, Found, Place, Record, Remark, Severity, StepNo, lossy};
use crate::rules::trajectory::{Way, read_text};
use std::sync::Arc;

/// In which template, and what of it trains and is seen.
#[derive(Debug)]
pub struct LossCheck {
    /// The chat template.
    pub template: Arc<dyn ChatTemplate>,
    /// The messages that train, where no field of theirs says so.
    pub train: Train,
    /// Tokens that the model sees, by estimate.
    pub max_tokens: Option<usize>,
}

impl LossFinding {
    /// The id of a rule of this family, as the program has it.
    #[must_use]
    pub fn rule_of(id: &str) -> Option<&'static str> {
        lint::by_id(id).map(|lint| lint.id).filter(|id| id.starts_with("loss."))
    }

    /// How bad it is.
    #[must_use]
    pub fn severity(&self) -> Severity {
        lint::by_id(self.rule).map_or(Severity::Warning, |lint| lint.severity)
    }
}

impl LossCheck {
    /// The findings of a record, read in that way, in order; of one that is no conversation none.
    #[must_use]
    pub fn look(&self, record: &Record, text: &[u8], way: Way) -> Vec<Found> {
        let Ok(root) = read_text(record, text) else { return Vec::new() };
        let Some(conversation) = Conversation::of(&root, way) else { return Vec::new() };
        let findings = match self.template.loss(&lossy(text), &conversation, &self.train, self.max_tokens) {
            Ok(loss) => loss.findings,
            Err(fault) => {
                let text = format!("the template {} rejects the conversation: {fault}", self.template.name());
                vec![LossFinding { rule: "loss.rejected", message: None, text }]
            }
        };
        let found = |found: LossFinding| {
            let severity = found.severity();
            let (step, path) = place(&conversation, found.message);
            let place = bytes_of(&root, &path, record, text);
            let remark = Remark { path: Some(path.into()), rule: found.rule, severity, message: found.text.into() };
            Found { finding: Finding::new(record.number, step, remark), place }
        };
        let mut all: Vec<Found> = findings.into_iter().map(found).collect();
        all.sort_by(|a, b| a.finding.order().cmp(&b.finding.order()));
        all
    }
}

/// The step and the pointer of a message; of all messages, without one.
fn place(conversation: &Conversation, message: Option<usize>) -> (Option<StepNo>, String) {
    let message = message.and_then(|message| conversation.messages.get(message));
    match message.map(|message| (message.step, &message.path)) {
        Some((Some(step), path)) => (StepNo::try_from(step).ok(), path.clone()),
        // D17: a prompt beside the messages.
        Some((None, _)) => (None, "/system".to_owned()),
        None => (None, conversation.body.clone()),
    }
}

fn bytes_of(root: &Value<'_>, path: &str, record: &Record, text: &[u8]) -> Place {
    let value = json::nearest(root, path);
    let before = text.get(..value.start).unwrap_or_default();
    let line = record.place.line + before.iter().filter(|byte| **byte == b'\n').count() as u64;
    Place { span: record.place.span.part(value.start, value.text.len()), line }
}
