//! One message of a conversation, whatever the shape of the record that it comes from.

use super::call::Call;
use super::content::Content;
use crate::json::{self, Value};
use crate::model::StepRole;
use std::collections::BTreeMap;

/// Fields of a message that say whether it is trained, and what a true or positive value means.
pub(in crate::review) const LOSS_FIELDS: &[(&str, bool)] =
    &[("weight", true), ("loss_weight", true), ("loss", true), ("train", true), (SAMPLED, true), (MASK, false)];
/// That a message is of the model whose rollout it is in (verifiers).
pub(in crate::review) const SAMPLED: &str = "sampled";
pub(in crate::review) const MASK: &str = "mask";
/// Longest name of a member that is reported as it is.
const NAME_BYTES_MAX: usize = 40;

/// What a conversation cannot carry over from a record: how often, by name.
pub type Left = BTreeMap<String, u64>;

/// A member of an object: its name, and its value as JSON.
pub(in crate::review) type Member = (String, String);

/// The id of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Id {
    pub(super) text: String,
    /// Whether the record has none: it is made from the place of the call.
    pub(super) is_generated: bool,
}

impl Id {
    pub(super) fn recorded(text: &str) -> Self {
        Self { text: text.to_owned(), is_generated: false }
    }

    pub(super) fn generated(step: usize, place: usize) -> Self {
        Self { text: format!("call_{step}_{place}"), is_generated: true }
    }
}

/// A message.
#[derive(Debug)]
pub(in crate::review) struct ChatMessage {
    /// The step that it comes from; a system prompt comes from none.
    pub(in crate::review) step: Option<usize>,
    /// Its pointer in the record; empty for a prompt.
    pub(in crate::review) path: String,
    pub(super) role: StepRole,
    /// The role as `messages` name it: `system`, `user`, `assistant`, `tool`, or as written where nobody knows it.
    pub(in crate::review) name: String,
    /// The role as it is written, where that is another word: a trainer hands it to its template.
    pub(super) written_role: Option<String>,
    /// Whether its content is null, and not only empty.
    pub(super) is_null: bool,
    pub(in crate::review) content: Content,
    pub(in crate::review) reasoning: Option<String>,
    pub(super) calls: Vec<Call>,
    /// The text of a `function_call` turn, as written.
    pub(super) written: Option<String>,
    /// The id of the call that it answers.
    pub(super) answers: Option<Id>,
    /// What else the message has.
    pub(super) others: Vec<Member>,
    /// The names of its members in the order in which they are written, as `messages` call them; none where it is
    /// written otherwise.
    pub(super) order: Vec<Box<str>>,
}

impl ChatMessage {
    /// A message with nothing in it yet; `speaker` names a role that nobody knows.
    pub(super) fn new(step: Option<usize>, role: StepRole, speaker: &str) -> Self {
        let name = match role {
            StepRole::System => "system",
            StepRole::User => "user",
            StepRole::Agent => "assistant",
            StepRole::Environment => "tool",
            StepRole::Unknown => speaker,
        };
        Self {
            step,
            path: String::new(),
            role,
            name: name.to_owned(),
            written_role: None,
            is_null: false,
            content: Content::default(),
            reasoning: None,
            calls: Vec::new(),
            written: None,
            answers: None,
            others: Vec::new(),
            order: Vec::new(),
        }
    }

    /// A message of this text.
    pub(super) fn text(step: Option<usize>, role: StepRole, text: &str) -> Self {
        Self { content: Content::text(text), ..Self::new(step, role, "user") }
    }

    /// Whether nothing is said in it.
    pub(super) fn is_empty(&self) -> bool {
        self.content.is_empty() && self.reasoning.is_none() && self.calls.is_empty()
    }

    /// Adds to what is thought before it.
    pub(super) fn reason(&mut self, text: &str) {
        match &mut self.reasoning {
            Some(before) => before.extend(["\n", text]),
            None => self.reasoning = Some(text.to_owned()),
        }
    }

    /// The fields that say whether it is trained.
    pub(super) fn loss(&self) -> impl Iterator<Item = &Member> {
        self.others.iter().filter(|(name, _)| is_loss(name))
    }
}

/// Whether a member says if its message is trained.
pub(super) fn is_loss(name: &str) -> bool {
    LOSS_FIELDS.iter().any(|(field, _)| *field == name)
}

/// The members of an object that are not in `used`.
pub(in crate::review) fn rest(value: &Value<'_>, used: &[&str]) -> Vec<Member> {
    let members = value.as_object().into_iter().flat_map(json::Object::entries);
    let rest = members.filter(|(name, _)| !used.contains(name));
    rest.map(|(name, value)| (name.to_owned(), json::compact(value))).collect()
}

/// Counts what is not carried over. Names come from the file: odd ones are not reported.
pub(in crate::review) fn lose(left: &mut Left, what: &str, name: &str) {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let is_valid_name = (1..=NAME_BYTES_MAX).contains(&name.len()) && name.bytes().all(is_plain);
    count(left, &format!("{what} {}", if is_valid_name { name } else { "(other)" }));
}

/// Counts something that is not carried over.
pub(super) fn count(left: &mut Left, what: &str) {
    *left.entry(what.to_owned()).or_default() += 1;
}

/// Counts members that are not carried over; one that says nothing is no loss.
pub(in crate::review) fn lose_all<'m>(left: &mut Left, what: &str, members: impl IntoIterator<Item = &'m Member>) {
    let non_empty = members.into_iter().filter(|(_, json)| !is_nothing(json));
    non_empty.for_each(|(name, _)| lose(left, what, name));
}

/// Whether a value says nothing.
pub(in crate::review) fn is_nothing(json: &str) -> bool {
    matches!(json, "null" | "\"\"" | "[]" | "{}")
}
