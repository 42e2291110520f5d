//! What there is to look at in how a conversation trains.

use super::{Conversation, LossFinding, LossSegment, tokens};
use crate::json::{self, Data};
use crate::review::template::{Template, json_text};
use std::ops::Range;

/// A part that should train is after the limit.
pub(in crate::review) const CUT: &str = "loss.cut";
/// The template writes a beginning otherwise when more follows.
pub(in crate::review) const NOT_STABLE: &str = "loss.not-prefix-stable";
/// Arguments are JSON in a JSON string.
pub(in crate::review) const DOUBLE_ENCODED: &str = "loss.double-encoded";
/// A message says a token that divides messages.
pub(in crate::review) const SPECIAL_TOKEN: &str = "loss.special-token";

/// How an object begins that is written as JSON in a string.
const QUOTED_OBJECT: &str = "\"{";

/// How prompts begin that a chat template wrote.
const RENDERED_BEGINNINGS: [&str; 12] = [
    "<|im_start|>",
    "<|begin_of_text|>",
    "<|start_header_id|>",
    "<start_of_turn>",
    "<bos>",
    "<s>",
    "[INST]",
    "[gMASK]",
    "<|user|>",
    "<|system|>",
    "<|start|>",
    "<｜begin▁of▁sentence｜>",
];

/// A conversation as a template writes it, and what was seen of that.
pub(super) struct RenderedConversation<'a> {
    pub(super) conversation: &'a Conversation,
    pub(super) text: &'a str,
    pub(super) segments: &'a [LossSegment],
    /// Messages after which the template writes otherwise when more follows.
    pub(super) unstable: &'a [usize],
    /// Messages that should train and are not in the text; of which the thoughts are not; of which the content is not.
    pub(super) missing: [&'a [usize]; 3],
    /// Whether what trains is what the template marks.
    pub(super) is_marked: bool,
}

impl RenderedConversation<'_> {
    /// All of it; `is_misplaced`: a mask of the template is where its text does not.
    pub(super) fn findings(&self, template: &Template, is_misplaced: bool) -> Vec<LossFinding> {
        let mut out = self.of_training();
        let mut report = |rule, message: Option<usize>, text: String| out.push(LossFinding { rule, message, text });
        if is_misplaced {
            let text = "a `{% generation %}` block stands in a macro, a filter or a `set`, or before all text: what \
                        trains by it is not what it wrote";
            report("loss.misplaced-mask", None, text.to_owned());
        }
        let has_quoted_object = self.text.contains(QUOTED_OBJECT);
        if let Some((first, count)) = self.first(|i| self.is_double_encoded(i, has_quoted_object)) {
            let text = format!("arguments of calls in {count} messages are written as JSON in a JSON string");
            report(DOUBLE_ENCODED, Some(first), text);
        }
        let token = |i: usize| {
            let message = &self.conversation.messages[i];
            let holds = |token: &&String| message.text.contains(*token) || message.thoughts.contains(*token);
            template.special_tokens().iter().find(holds)
        };
        if let Some(begin) = self.rendered_beginning() {
            let text = format!(
                "the prompt is written by a chat template already (it begins with `{begin}`), and is put into one \
                 again: give it as messages, or train on the text as it is"
            );
            report(SPECIAL_TOKEN, Some(0), text);
        } else if let Some((first, count)) = self.first(|i| token(i).is_some()) {
            let token = token(first).map(String::as_str).unwrap_or_default();
            let text = format!("{count} messages say `{token}` or the like, with which the template divides messages");
            report(SPECIAL_TOKEN, Some(first), text);
        }
        out
    }

    /// With what of a chat template the first message begins.
    fn rendered_beginning(&self) -> Option<&'static str> {
        let first = self.conversation.messages.first().filter(|message| message.role == "user")?;
        let text = first.text.trim_start();
        // A rollout may be decoded without special tokens: the roles stay, each on a line.
        let has_answer = || text.contains("\nassistant\n");
        let roles = ["system\n", "user\n"].into_iter().filter(|role| text.starts_with(role) && has_answer());
        RENDERED_BEGINNINGS.into_iter().find(|begin| text.starts_with(begin)).or(roles.map(str::trim_end).next())
    }

    /// The first message of which something is true, and how many they are.
    fn first(&self, is: impl Fn(usize) -> bool) -> Option<(usize, usize)> {
        let mut all = (0..self.conversation.messages.len()).filter(|i| is(*i));
        let first = all.next()?;
        Some((first, 1 + all.count()))
    }

    /// Whether arguments that are JSON in a string, or in a string of that, are written as a string once more.
    /// `has_quoted_object`: whether [`QUOTED_OBJECT`] is anywhere in the text. Where it is not, as in most, the text is
    /// not searched for each of many calls.
    fn is_double_encoded(&self, message: usize, has_quoted_object: bool) -> bool {
        let is_written =
            |string: &str| (has_quoted_object || !string.starts_with(QUOTED_OBJECT)) && self.text.contains(string);
        self.conversation.messages[message].arguments().iter().any(|arguments| {
            let Ok(value) = json::parse(arguments) else { return false };
            match &value.data {
                Data::Object(_) => is_written(&json_text(arguments)),
                Data::String(inner) if json::parse(inner).is_ok_and(|inner| inner.as_object().is_some()) => {
                    self.text.contains(arguments.as_str()) || self.text.contains(&json_text(arguments))
                }
                _ => false,
            }
        })
    }

    fn of_training(&self) -> Vec<LossFinding> {
        let mut out = by_limit(self.segments, &Range::len, &|bytes| format!("≈{}", tokens(bytes)));
        let mut report = |rule, message: Option<usize>, text: String| out.push(LossFinding { rule, message, text });
        let trained = || self.segments.iter().filter(|segment| segment.is_trained);
        let is_other = |segment: &&LossSegment| {
            segment.message.is_some_and(|i| ["system", "user"].contains(&self.conversation.messages[i].role.as_str()))
        };
        if let Some(i) = trained().find(is_other).and_then(|segment| segment.message) {
            let message = &self.conversation.messages[i];
            let by_field = message.field.filter(|_| !self.is_marked);
            let by = if self.is_marked { "by a `{% generation %}` block of the template" } else { "by the option" };
            let why = by_field.map_or(by.to_owned(), |(name, _)| format!("by its field `{name}`"));
            report("loss.not-agent", Some(i), format!("a message of role {} trains the model, {why}", message.role));
        }
        if let Some(first) = self.unstable.first() {
            let text = format!(
                "what the template writes up to this message changes when more follows ({} of {} messages): parts \
                 there are found by their content",
                self.unstable.len(),
                self.conversation.messages.len()
            );
            report(NOT_STABLE, Some(*first), text);
        }
        let [lost, thoughtless, speechless] = self.missing;
        if let Some(first) = lost.first() {
            let text = format!("{} messages that should train are not in what the template writes", lost.len());
            report("loss.lost", Some(*first), text);
        }
        if let Some(first) = speechless.first() {
            let text = format!(
                "what {} messages that should train say (`content`) is not in what the template writes, or not as it \
                 stands",
                speechless.len()
            );
            report("loss.lost", Some(*first), text);
        }
        if let Some(first) = thoughtless.first() {
            let text = format!(
                "thoughts (`reasoning_content`) of {} messages that should train are not in what the template writes",
                thoughtless.len()
            );
            report("loss.lost", Some(*first), text);
        }
        out
    }
}

/// The findings on what is after the limit; `amount_text` is how many tokens a sum of sizes is.
pub(super) fn by_limit(
    segments: &[LossSegment],
    size: &dyn Fn(&Range<usize>) -> usize,
    amount_text: &dyn Fn(usize) -> String,
) -> Vec<LossFinding> {
    let trained = || segments.iter().filter(|segment| segment.is_trained);
    let sum = |is_cut: bool| trained().filter(|s| s.is_cut == is_cut).map(|s| size(&s.span)).sum::<usize>();
    let mut out = Vec::new();
    if trained().all(|segment| segment.is_cut) {
        let text = "nothing of this conversation trains the model".to_owned();
        out.push(LossFinding { rule: "loss.nothing-trains", message: None, text });
    }
    if let Some(first) = trained().find(|segment| segment.is_cut) {
        let (cut, all) = (amount_text(sum(true)), amount_text(sum(true) + sum(false)));
        let text = format!("{cut} of {all} tokens that train lie behind the limit");
        out.push(LossFinding { rule: CUT, message: first.message, text });
    }
    out
}
