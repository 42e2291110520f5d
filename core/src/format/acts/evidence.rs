//! What speaks for Agent/Data in the first records of a file.

use crate::format::Near;
use crate::json::Value;
use crate::rules::acts::{ActsMessage, Claim, Content};

/// What detection counts.
#[derive(Debug, Default)]
pub(in crate::format) struct Evidence {
    /// Messages, alone, in arrays and in envelopes.
    pub(super) messages: usize,
    /// Those that have a type of the protocol together with its own member (A8).
    pub(super) typed: usize,
    /// Whether one of them carries state.
    has_state: bool,
    /// Records, elements of an array counted one by one.
    records: usize,
    /// Records that are envelopes.
    envelopes: usize,
    /// Envelopes with a `context`.
    contexts: usize,
    /// Whether a `context` holds a message.
    is_filled: bool,
}

impl Evidence {
    /// Counts the first records.
    pub(super) fn of(first: &[Value<'_>]) -> Self {
        let mut evidence = Self::default();
        for record in first {
            match record.as_array() {
                Some(items) => items.iter().for_each(|item| evidence.add(item)),
                None => evidence.add(record),
            }
        }
        evidence
    }

    fn add(&mut self, record: &Value<'_>) {
        self.records += 1;
        if has_answers(record) {
            return;
        }
        match Content::of(record) {
            Content::Array(_) => self.messages += 1,
            Content::Envelope(envelope) => {
                self.envelopes += 1;
                self.contexts += usize::from(envelope.has_context);
                self.is_filled |=
                    envelope.has_context && envelope.messages.iter().any(|value| ActsMessage::of(value).is_message());
                envelope.messages.iter().for_each(|message| self.add_message(message));
            }
            Content::Message(message) => self.add_message(message),
        }
    }

    fn add_message(&mut self, value: &Value<'_>) {
        self.messages += 1;
        let claim = Claim::of(&ActsMessage::of(value));
        self.typed += usize::from(claim > Claim::Nothing);
        self.has_state |= claim == Claim::State;
    }

    /// Whether messages are of the protocol, wherever they are: at least half are, and one of them carries state.
    pub(in crate::format) fn of_messages<'v>(messages: impl Iterator<Item = &'v Value<'v>>) -> bool {
        let mut evidence = Self::default();
        messages.for_each(|message| evidence.add_message(message));
        evidence.has_messages()
    }

    fn has_messages(&self) -> bool {
        self.has_state && self.typed * 2 >= self.messages
    }

    /// Whether a record is a request. Logs of other programs have a `context` too, often an empty one: without a
    /// message it counts only where all records are envelopes.
    pub(super) fn has_request(&self) -> bool {
        self.is_filled || (self.contexts > 0 && self.envelopes == self.records)
    }

    /// Whether it is enough.
    pub(super) fn suffices(&self) -> bool {
        self.has_request() || self.has_messages()
    }

    /// What there is of it where it is not enough.
    pub(super) fn near(&self) -> Option<Near> {
        let (n, of, what) = match (self.has_state, self.contexts) {
            (true, _) => (self.typed, self.messages, "messages have a type of Agent/Data and its member"),
            (false, 0) => return None,
            (false, n) => (n, self.records, "records have a `context`, which holds no message"),
        };
        Some(Near::of(n, of, what))
    }
}

/// Whether a record is a row of training data: a context, and answers of which one is better (NeMo RL, HelpSteer).
pub(in crate::format) fn has_answers(record: &Value<'_>) -> bool {
    let is_ranked = |answers: &Value<'_>| answers.as_array().is_some_and(|all| all.iter().any(is_completion));
    record.get("completions").is_some_and(is_ranked)
        || ["response1", "response2"].iter().all(|name| record.get(name).is_some_and(|text| text.as_str().is_some()))
}

fn is_completion(value: &Value<'_>) -> bool {
    value.get("completion").is_some()
}
