//! Beginnings of a conversation, rendered one by one: where each of its messages ends in the text.
//!
//! Each rendering costs as much as all messages in it, so that a conversation of thousands would take the square of
//! them. Behind its first messages a beginning is therefore rendered without its middle: where what comes behind the
//! middle is in the text to the letter, with the message that follows, that is where the beginning ends. Where it is
//! not, the whole of the beginning is rendered, and some are rendered whole in any case: if one of them ends elsewhere,
//! all are.

use super::super::conversation::Conversation;
use super::super::template::Template;
use super::touched::has_calls;
use std::ops::Range;

/// Most bytes that are rendered to find the parts of one conversation.
const RENDERED_BYTES_MAX: usize = 512 << 20;
/// Messages of a conversation whose beginnings are all rendered whole.
const WHOLE_MESSAGES_MAX: usize = 96;
/// First messages that may stand for all in front of a middle that is left out.
const HEAD_MESSAGES_MAX: usize = 32;
/// Messages behind it: at least, and at most.
const TAIL_MESSAGES: Range<usize> = 12..48;
/// Beginnings of a long conversation that are rendered whole to compare.
const COMPARED: usize = 8;

/// Whether all beginnings of a conversation can be rendered in reasonable time.
pub(super) fn is_short(count: usize, text: &str) -> bool {
    count.saturating_mul(text.len()) <= RENDERED_BYTES_MAX
}

/// The beginnings of a conversation in the text that a template makes of it.
pub(super) struct Beginnings<'c> {
    conversation: &'c Conversation,
    template: &'c Template,
    text: &'c str,
    /// Where each message ends, as far as is known.
    ends: Vec<Option<usize>>,
    /// Whether all are rendered whole.
    is_exact: bool,
}

impl<'c> Beginnings<'c> {
    /// Renders them.
    pub(super) fn of(conversation: &'c Conversation, template: &'c Template, text: &'c str) -> Self {
        let count = conversation.messages.len();
        let is_exact = count <= WHOLE_MESSAGES_MAX;
        let mut beginnings = Self { conversation, template, text, ends: Vec::new(), is_exact };
        beginnings.find_ends();
        if !beginnings.is_exact && !beginnings.agree() {
            beginnings.is_exact = true;
            beginnings.find_ends();
        }
        beginnings
    }

    /// Where each message ends in the text; None where the template writes this beginning otherwise, or rejects it.
    pub(super) fn ends(&self) -> &[Option<usize>] {
        &self.ends
    }

    fn find_ends(&mut self) {
        let count = self.conversation.messages.len();
        self.ends = vec![None; count];
        let (mut before, mut is_seen_alone) = (0, false);
        for end in (1..count).filter(|_| is_short(count, self.text)) {
            // The last one has no message behind it that would show whether it ends there.
            let without_middle = self.len_without_middle(end, false).filter(|_| end + 1 < count);
            if without_middle.is_none() && is_seen_alone {
                self.find_end(end - 1, &mut before);
            }
            is_seen_alone = without_middle.is_some();
            match without_middle {
                Some(len) if len >= before => {
                    before = len;
                    self.ends[end - 1] = Some(len);
                }
                _ => self.find_end(end, &mut before),
            }
        }
        if let Some(last) = self.ends.last_mut() {
            *last = Some(self.text.len());
        }
    }

    /// Finds the end of a beginning by rendering all of it; `before` is that of the one before.
    fn find_end(&mut self, end: usize, before: &mut usize) {
        let known = self.ends[..end - 1].iter().rev().find_map(|end| *end).unwrap_or_default();
        self.ends[end - 1] = self.whole_len(end, false).filter(|len| *len >= known);
        *before = self.ends[end - 1].unwrap_or(known);
    }

    /// Whether some beginnings end where they do when they are rendered whole.
    fn agree(&self) -> bool {
        let count = self.conversation.messages.len();
        let mut compared =
            (1..=COMPARED).map(|part| count * part / (COMPARED + 1)).filter(|_| is_short(count, self.text));
        compared.all(|end| {
            end == 0 || end >= count || self.ends[end - 1].is_none_or(|len| self.whole_len(end, false) == Some(len))
        })
    }

    /// Where the answer of a message begins, after what asks the model for one.
    pub(super) fn answer_start(&self, message: usize, span: Range<usize>) -> Option<usize> {
        // Before the first message there is no conversation to answer.
        if message == 0 || self.conversation.messages[message].role != "assistant" {
            return None;
        }
        let asked = self.len(message, true)?;
        // In some published formats nothing asks, and the answer is all that the message adds. A template of a file may
        // just not know how to ask.
        let is_asked = span.start < asked || (self.template.is_named() && span.start == asked);
        (is_asked && asked <= span.end).then_some(asked)
    }

    /// The length of the first `end` messages as rendered by themselves; None where the text does not begin with that.
    fn len(&self, end: usize, is_asking: bool) -> Option<usize> {
        self.len_without_middle(end, is_asking).or_else(|| self.whole_len(end, is_asking))
    }

    fn whole_len(&self, end: usize, is_asking: bool) -> Option<usize> {
        let beginning = self.template.render(self.conversation, end, is_asking).ok()?.text;
        self.text.starts_with(beginning.as_str()).then_some(beginning.len())
    }

    fn len_without_middle(&self, end: usize, is_asking: bool) -> Option<usize> {
        if self.is_exact || (is_asking && self.ends[end - 1].is_none()) {
            return None;
        }
        let (head, from) = self.around_middle(end)?;
        let (head_end, begin) = (self.ends[head - 1]?, self.ends[from - 1]?);
        let parts = [0..head, from..end];
        let rendered = self.template.render_parts(self.conversation, &parts, is_asking).ok()?.text;
        let tail = rendered.strip_prefix(&self.text[..head_end])?;
        self.text[begin..].starts_with(tail).then_some(begin + tail.len())
    }

    /// The end of the first messages, and the begin of the last ones, between which the middle can be left out: the
    /// same speakers take turns there, at a distance that keeps even places even.
    fn around_middle(&self, end: usize) -> Option<(usize, usize)> {
        let is_end = |at: usize| self.ends[at - 1].is_some();
        let from = end.saturating_sub(TAIL_MESSAGES.end)..=end.checked_sub(TAIL_MESSAGES.start)?;
        from.rev().filter(|from| *from > HEAD_MESSAGES_MAX && is_end(*from)).find_map(|from| {
            let head = (1..=HEAD_MESSAGES_MAX).find(|head| is_end(*head) && self.is_alike(*head, from))?;
            Some((head, from))
        })
    }

    fn is_alike(&self, one: usize, other: usize) -> bool {
        let messages = &self.conversation.messages;
        let sign = |at: usize| (messages[at].role.as_str(), has_calls(&messages[at].value));
        one.abs_diff(other).is_multiple_of(2) && sign(one) == sign(other) && sign(one - 1) == sign(other - 1)
    }
}
