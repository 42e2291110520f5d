//! What `/compress` of Gemini CLI leaves: it sets all messages again, with a snapshot of the state in the place of what
//! it forgets, and copies of those that stay, with other ids. `FORMATS.md` 11a has it that `$set.messages` rebuilds;
//! then a run would lose its calls, files and tokens at each compression.

use crate::format::log::{Log, items, text};
use crate::json::Value;
use crate::model::StepNo;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// How the message begins that stands for what was forgotten.
const SNAPSHOT: &str = "<state_snapshot>";

/// The message of a rebuilt history that stands for what was forgotten.
pub(super) fn snapshot<'v>(set: &'v Value<'v>) -> Option<&'v Value<'v>> {
    items(set, "messages").iter().find(|message| words(message).is_some_and(|words| words.starts_with(SNAPSHOT)))
}

/// The first words of a message.
pub(super) fn words<'v>(message: &'v Value<'v>) -> Option<&'v str> {
    let content = message.get("content")?;
    content.as_str().or_else(|| content.as_array()?.iter().find_map(|part| text(part, "text")))
}

/// The steps of a chat by what they say, so that copies of them are found.
#[derive(Default)]
pub(super) struct StepsByContent {
    calls: HashMap<Box<str>, StepNo>,
    results: HashMap<Box<str>, StepNo>,
    /// Messages by a digest of their first words; the last of equal ones.
    messages: HashMap<u64, StepNo>,
}

impl StepsByContent {
    pub(super) fn add_call(&mut self, call: &Value<'_>, step: StepNo) {
        self.calls.extend(text(call, "id").map(|id| (id.into(), step)));
    }

    pub(super) fn add_result(&mut self, id: Option<&str>, step: StepNo) {
        self.results.extend(id.map(|id| (id.into(), step)));
    }

    pub(super) fn add_message(&mut self, message: &Value<'_>, step: StepNo) {
        self.messages.extend(words(message).map(|words| (digest(words), step)));
    }

    /// Whether a call of this id was answered.
    pub(super) fn is_answered(&self, id: Option<&str>) -> bool {
        id.is_some_and(|id| self.results.contains_key(id))
    }

    /// The steps of which a rebuilt history has copies.
    fn copied(&self, set: &Value<'_>) -> Vec<StepNo> {
        let parts = items(set, "messages").iter().flat_map(|message| items(message, "content"));
        let of_part = |part: &Value<'_>| {
            let of = |key: &str, steps: &HashMap<Box<str>, StepNo>| steps.get(text(part.get(key)?, "id")?).copied();
            of("functionCall", &self.calls).or_else(|| of("functionResponse", &self.results))
        };
        let of_message = |message: &Value<'_>| self.messages.get(&digest(words(message)?)).copied();
        parts.filter_map(of_part).chain(items(set, "messages").iter().filter_map(of_message)).collect()
    }
}

fn digest(words: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    words.hash(&mut hasher);
    hasher.finish()
}

/// The step that was added last set all messages again: what has no copy among them leaves the window, and what is new
/// there is in it.
pub(super) fn replace_window(set: &Value<'_>, steps: &StepsByContent, log: &mut Log<'_>) {
    let mut copied = steps.copied(set);
    copied.sort_unstable();
    let last = log.next_step() - 1;
    let gone: Vec<StepNo> = (0..last).filter(|step| copied.binary_search(step).is_err()).collect();
    log.drop_steps(&gone);
    let is_new = |words: &&str| !steps.messages.contains_key(&digest(words));
    let new: Vec<&str> = items(set, "messages").iter().filter_map(words).filter(is_new).collect();
    log.summarize(&new.join("\n\n"));
}
