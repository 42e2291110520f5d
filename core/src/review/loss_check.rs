//! How the records of a dataset would train, as findings of a check.

use super::conversation::Conversation;
use super::loss::{CUT, ChatTemplate, DOUBLE_ENCODED, Loss, LossFinding, NOT_STABLE, SPECIAL_TOKEN, Train};
use super::template::TemplateFault;
use crate::json::{self, Value};
use crate::lint;
use crate::model::{Finding, LocatedFinding, Place, Record, Remark, Severity, StepNo, lossy};
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

/// What conversations come to in a template. Tokens are summed over all, the rest counts conversations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LossCounts {
    /// Conversations.
    pub conversations: usize,
    /// Those that the template rejects.
    pub rejected: usize,
    /// Tokens that the model sees.
    pub seen: usize,
    /// Tokens that train.
    pub trained: usize,
    /// Whether tokens are counted; else they are estimated.
    pub is_counted: bool,
    /// Those of which a part that trains is cut.
    pub cut: usize,
    /// Those that are written otherwise when more follows.
    pub unstable: usize,
    /// Those with arguments that are JSON in a JSON string.
    pub double_encoded: usize,
    /// Those that say special tokens.
    pub special_token: usize,
}

impl LossCounts {
    fn of(answer: &Result<Loss, TemplateFault>) -> Self {
        let Ok(loss) = answer else { return Self { conversations: 1, rejected: 1, ..Self::default() } };
        let has = |rule: &str| usize::from(loss.findings.iter().any(|finding| finding.rule == rule));
        let totals = loss.token_totals();
        Self {
            conversations: 1,
            rejected: 0,
            seen: totals.iter().map(|(_, total)| total.seen).sum(),
            trained: totals.iter().map(|(_, total)| total.trained).sum(),
            is_counted: loss.is_counted(),
            cut: has(CUT),
            unstable: has(NOT_STABLE),
            double_encoded: has(DOUBLE_ENCODED),
            special_token: has(SPECIAL_TOKEN),
        }
    }

    /// Adds those of other conversations.
    pub fn add(&mut self, other: Self) {
        let sums = [
            (&mut self.conversations, other.conversations),
            (&mut self.rejected, other.rejected),
            (&mut self.seen, other.seen),
            (&mut self.trained, other.trained),
            (&mut self.cut, other.cut),
            (&mut self.unstable, other.unstable),
            (&mut self.double_encoded, other.double_encoded),
            (&mut self.special_token, other.special_token),
        ];
        self.is_counted |= other.is_counted;
        sums.into_iter().for_each(|(sum, more)| *sum = sum.saturating_add(more));
    }
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
    /// The findings of a record, read in that way, in order; of one that is not a conversation none.
    #[must_use]
    pub fn look(&self, record: &Record, text: &[u8], way: Way) -> Vec<LocatedFinding> {
        self.look_and_count(record, text, way).0
    }

    /// The same, with what the record comes to.
    #[must_use]
    pub fn look_and_count(&self, record: &Record, text: &[u8], way: Way) -> (Vec<LocatedFinding>, LossCounts) {
        let (mut all, mut counts) = (Vec::new(), LossCounts::default());
        // A trainer is given all columns of a row.
        let Ok(root) = read_text(&Record { is_row: false, ..record.clone() }, text) else { return (all, counts) };
        for conversation in Conversation::all(&root, way) {
            let answer = self.template.loss(&lossy(text), &conversation, &self.train, self.max_tokens);
            counts.add(LossCounts::of(&answer));
            let findings = answer.map_or_else(|fault| vec![self.rejected(&fault)], |loss| loss.findings);
            let found = |found: LossFinding| {
                let severity = found.severity();
                let (step, path) = place(&conversation, found.message);
                let place = bytes_of(&root, &path, record, text);
                let of = conversation.label.as_ref().map_or_else(String::new, |label| format!("{label}: "));
                let message = format!("{of}{}", found.text).into();
                let remark = Remark { path: Some(path.into()), rule: found.rule, severity, message };
                LocatedFinding { finding: Finding::new(record.number, step, remark), place }
            };
            all.extend(findings.into_iter().map(found));
        }
        all.sort_by(|a, b| a.finding.order().cmp(&b.finding.order()));
        (all, counts)
    }

    fn rejected(&self, fault: &TemplateFault) -> LossFinding {
        let text = format!("the template {} rejects the conversation: {fault}", self.template.name());
        LossFinding { rule: "loss.rejected", message: None, text }
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
    let line = record.place.line + memchr::memchr_iter(b'\n', before).count() as u64;
    Place { span: record.place.span.part(value.start, value.text.len()), line }
}
