//! Tokens of a model's message that is in several records, each with the usage so far.

use super::entries::hash;
use super::text;
use crate::json::Value;
use crate::model::{Chunks, DigestTable, Usage, cast};
use std::collections::HashMap;
use std::num::NonZero;

/// Usage of messages so far, by their ids.
#[derive(Debug, Default)]
pub(in crate::format) struct Spend {
    /// The numbers of messages by the digests of their ids.
    numbers: DigestTable,
    messages: Chunks<Message>,
    /// Tokens of further answers of an id that has one already: by id and request.
    others: HashMap<(u64, u32), u32>,
}

/// A model's message.
#[derive(Debug, Default)]
struct Message {
    /// The request that it answers, as soon as a record says it: of one message 32 bits distinguish requests.
    request: Option<NonZero<u32>>,
    /// The greatest number of tokens that a record reports.
    output: u32,
}

/// What a record adds to what is known of its message.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::format) struct AnswerSpend {
    /// Names the answer: equal for all its records.
    pub(in crate::format) key: String,
    /// Tokens that the model wrote beyond those reported before.
    pub(in crate::format) more: Option<u64>,
    /// Whether it is the first record of the answer.
    pub(in crate::format) is_first: bool,
}

impl Spend {
    /// The record of a message. One without a request belongs to that known for its id.
    pub(in crate::format) fn add_record(
        &mut self,
        id: &str,
        request: Option<&str>,
        output: Option<u64>,
    ) -> AnswerSpend {
        let digest = hash(id);
        let known = self.numbers.get(digest);
        let is_first = known.is_none();
        let number = known.unwrap_or_else(|| {
            let number = cast::to_u32(self.messages.len());
            self.messages.push(Message::default());
            self.numbers.insert(digest, number);
            number
        });
        let message = &mut self.messages[number as usize];
        let asked = request.map(|request| NonZero::new(cast::low_u32(hash(request))).unwrap_or(NonZero::<u32>::MIN));
        message.request = message.request.or(asked);
        let of_other = request.zip(asked).filter(|(_, asked)| message.request != Some(*asked));
        let (key, is_first, known) = match of_other {
            None => (id.to_owned(), is_first, &mut message.output),
            Some((request, asked)) => {
                let key = (digest, asked.get());
                let is_first = !self.others.contains_key(&key);
                (format!("{id} {request}"), is_first, self.others.entry(key).or_default())
            }
        };
        let more = output.map(|output| {
            let output = cast::to_u32(output);
            let more = u64::from(output.saturating_sub(*known));
            *known = output.max(*known);
            more
        });
        AnswerSpend { key, more: more.filter(|more| *more > 0 || is_first), is_first }
    }
}

/// The usage of a message: tokens read outside of caches, written, read from and written into caches.
pub(in crate::format) fn tokens_of(usage: &Value<'_>, cost: Option<&Value<'_>>) -> Usage {
    let count = |key: &str| usage.get(key).and_then(Value::as_number).and_then(|n| n.parse().ok());
    Usage {
        input: count("input_tokens"),
        output: count("output_tokens"),
        cache_read: count("cache_read_input_tokens"),
        cache_write: count("cache_creation_input_tokens"),
        cost: cost.and_then(Value::as_number).and_then(|n| n.parse().ok()),
    }
}

/// The id of a record's message.
pub(super) fn message_id<'v>(message: &'v Value<'v>) -> Option<&'v str> {
    text(message, "id").filter(|id| !id.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_the_records_of_one_answer_the_greatest_output_counts() {
        let mut spend = Spend::default();
        let mut add = |id, request, output| {
            let answer_spend = spend.add_record(id, request, Some(output));
            (answer_spend.key, answer_spend.more, answer_spend.is_first)
        };
        assert_eq!(add("m", None, 1), ("m".to_owned(), Some(1), true));
        assert_eq!(add("m", Some("r"), 20), ("m".to_owned(), Some(19), false));
        assert_eq!(add("m", None, 20), ("m".to_owned(), None, false));
        assert_eq!(add("m", Some("q"), 5), ("m q".to_owned(), Some(5), true));
        assert_eq!(add("m", Some("r"), 7), ("m".to_owned(), None, false));
        assert_eq!(add("n", Some("r"), 0), ("n".to_owned(), Some(0), true));
    }
}
