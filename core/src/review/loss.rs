//! What of a conversation a model would see, and which parts of that would train it.
//!
//! The text is rendered for growing beginnings of the conversation: what the next message adds is its part. A template
//! that writes the beginning otherwise once more follows (it is not prefix-stable) is reported, and there the contents
//! are looked up in the text instead, and from there what the template writes around what the agent says.

mod beginnings;
mod counted;
mod findings;
mod touched;
mod turn_marks;

use super::conversation::{Conversation, TemplateMessage};
use super::template::{Rendered, Template, TemplateFault};
use beginnings::{Beginnings, is_short};
pub(super) use findings::{CUT, DOUBLE_ENCODED, NOT_STABLE, SPECIAL_TOKEN};
use findings::{RenderedConversation, by_limit};
use std::collections::BTreeMap;
use std::ops::Range;
use touched::{has_calls, touched};
use turn_marks::TurnMarks;

/// Bytes that are counted as one token.
const TOKEN_BYTES: usize = 4;
/// Which messages are trained, where no field of theirs says so.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Train {
    /// What the template marks with `{% generation %}`, whoever says it; by a template without such blocks, those of
    /// the agent.
    #[default]
    Marked,
    /// Those of the agent.
    Agent,
    /// The last of the agent.
    Last,
    /// All.
    All,
    /// All but those of a role.
    NoneOf(String),
}

impl Train {
    /// Reads `marked`, `agent`, `last`, `all` or `none-of:ROLE`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "marked" => Some(Self::Marked),
            "agent" => Some(Self::Agent),
            "last" => Some(Self::Last),
            "all" => Some(Self::All),
            _ => {
                text.strip_prefix("none-of:").filter(|role| !role.is_empty()).map(|role| Self::NoneOf(role.to_owned()))
            }
        }
    }
}

impl std::fmt::Display for Train {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Marked => f.write_str("marked"),
            Self::Agent => f.write_str("agent"),
            Self::Last => f.write_str("last"),
            Self::All => f.write_str("all"),
            Self::NoneOf(role) => write!(f, "none-of:{role}"),
        }
    }
}

/// A part of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LossSegment {
    /// Where it is in the text, in bytes.
    pub span: Range<usize>,
    /// The message that it comes from; None: the template's own, between messages that cannot be distinguished.
    pub message: Option<usize>,
    /// Whether the model is trained on it.
    pub is_trained: bool,
    /// Whether it is after the limit.
    pub is_cut: bool,
}

/// How much of one role's text is seen and trained, in bytes; what is cut is in neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Total {
    /// Messages.
    pub messages: usize,
    /// Seen.
    pub seen: usize,
    /// Seen and trained.
    pub trained: usize,
    /// Cut off.
    pub cut: usize,
}

/// Something to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LossFinding {
    /// `loss.…`
    pub rule: &'static str,
    /// The first message that it is about.
    pub message: Option<usize>,
    /// What, as a sentence without its end.
    pub text: String,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// All that the template makes.
    pub text: String,
    /// Its parts in order, without gaps.
    pub segments: Vec<LossSegment>,
    /// Totals of each role, in the order of first appearance.
    pub totals: Vec<(String, Total)>,
    /// What to look at.
    pub findings: Vec<LossFinding>,
    /// Its tokens, where a tokenizer counted them.
    counted: Option<counted::Counted>,
}

/// A chat template that is asked what it makes of conversations. One from a file is foreign code: an implementation
/// decides where that runs.
pub trait ChatTemplate: std::fmt::Debug + Send + Sync {
    /// Its name.
    fn name(&self) -> &str;

    /// The begin and end token, as far as it names them and nothing says what they are.
    fn unknown_tokens(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// Whether it takes thoughts out of think tags, or writes them in such.
    fn knows_think_tags(&self) -> bool {
        false
    }

    /// What a model would see of a conversation, as [`loss`]; with the JSON text that it was read from.
    ///
    /// # Errors
    /// The template rejects the conversation, or took too much.
    fn loss(
        &self,
        record: &str,
        conversation: &Conversation,
        train: &Train,
        max_tokens: Option<usize>,
    ) -> Result<Loss, TemplateFault>;
}

impl ChatTemplate for Template {
    fn name(&self) -> &str {
        Self::name(self)
    }

    fn knows_think_tags(&self) -> bool {
        Self::knows_think_tags(self)
    }

    fn loss(
        &self,
        _record: &str,
        conversation: &Conversation,
        train: &Train,
        max_tokens: Option<usize>,
    ) -> Result<Loss, TemplateFault> {
        loss(conversation, self, train, max_tokens)
    }
}

/// Parts of the text before training and limit are reported: their ends, and the messages.
struct Parts<'c> {
    conversation: &'c Conversation,
    trained: Vec<bool>,
    segments: Vec<LossSegment>,
    lost: Vec<usize>,
    /// Messages that train, whose thoughts the template does not write.
    thoughtless: Vec<usize>,
    /// Messages that train, whose content the template does not write as it is.
    speechless: Vec<usize>,
}

/// Renders a conversation and finds what trains of it; `max_tokens`, by estimate, cut off the rest of the text.
///
/// # Errors
/// The template rejects the conversation.
pub fn loss(
    conversation: &Conversation,
    template: &Template,
    train: &Train,
    max_tokens: Option<usize>,
) -> Result<Loss, TemplateFault> {
    let count = conversation.messages.len();
    let whole = template.render(conversation, count, false)?;
    let wanted = trained_messages(&conversation.messages, train);
    let beginnings = Beginnings::of(conversation, template, &whole.text);
    let ends = beginnings.ends();
    let none = Vec::new;
    let (lost, thoughtless, speechless) = (none(), none(), none());
    let mut parts = Parts { conversation, trained: wanted, segments: Vec::new(), lost, thoughtless, speechless };
    let (mut first, mut start) = (0, 0);
    for (i, end) in ends.iter().enumerate() {
        let Some(end) = *end else { continue };
        if first == i {
            let answer = beginnings.answer_start(i, start..end);
            parts.one(i, start..end, answer, &whole.text);
        } else {
            parts.located(first..i + 1, start..end, (template, &whole.text));
        }
        (first, start) = (i + 1, end);
    }
    // Of a conversation that was too long to be rendered piece by piece, nobody knows.
    let is_known = is_short(count, &whole.text);
    let unstable: Vec<usize> = (0..count).filter(|i| is_known && ends[*i].is_none()).collect();
    let mut segments = parts.segments;
    let has_marks = template.has_generation(conversation)?;
    let is_marked = has_marks && *train == Train::Marked;
    if has_marks {
        // What a trainer takes from the blocks knows no roles; a message may still say that it does not train.
        let may_train = |message: &TemplateMessage| !message.is_prompt && message.field.is_none_or(|(_, train)| train);
        let is_wanted = |message: Option<usize>| {
            message.is_none_or(|i| if is_marked { may_train(&conversation.messages[i]) } else { parts.trained[i] })
        };
        segments = by_template(&segments, &whole, is_wanted);
    }
    let limit = max_tokens.map_or(usize::MAX, |tokens| tokens.saturating_mul(TOKEN_BYTES));
    let limit = (0..=limit.min(whole.text.len())).rev().find(|byte| whole.text.is_char_boundary(*byte)).unwrap_or(0);
    let segments = cut(segments, limit);
    let missing = [&parts.lost[..], &parts.thoughtless[..], &parts.speechless[..]];
    let seen = RenderedConversation {
        conversation,
        text: &whole.text,
        segments: &segments,
        unstable: &unstable,
        missing,
        is_marked,
    };
    let findings = seen.findings(template, whole.is_misplaced);
    let totals = totals(conversation, &segments, &Range::len);
    Ok(Loss::new(whole.text, segments, totals, findings))
}

/// Tokens of `bytes` bytes, by estimate.
#[must_use]
pub fn tokens(bytes: usize) -> usize {
    bytes.div_ceil(TOKEN_BYTES)
}

impl Loss {
    /// An answer whose tokens are estimated.
    #[must_use]
    pub fn new(
        text: String,
        segments: Vec<LossSegment>,
        totals: Vec<(String, Total)>,
        findings: Vec<LossFinding>,
    ) -> Self {
        Self { text, segments, totals, findings, counted: None }
    }

    /// The lines of the text: each the parts of segments that are in it, without the newline.
    #[must_use]
    pub fn lines(&self) -> Vec<Vec<(&LossSegment, &str)>> {
        let mut lines = vec![Vec::new()];
        for segment in &self.segments {
            for piece in self.text[segment.span.clone()].split_inclusive('\n') {
                let content = piece.strip_suffix('\n').unwrap_or(piece);
                if let Some(line) = lines.last_mut() {
                    line.push((segment, content));
                }
                if piece.len() > content.len() {
                    lines.push(Vec::new());
                }
            }
        }
        if lines.last().is_some_and(Vec::is_empty) {
            lines.pop();
        }
        lines
    }
}

/// Which messages are trained: a field of the message decides, else the option.
fn trained_messages(messages: &[TemplateMessage], train: &Train) -> Vec<bool> {
    let last = messages.iter().rposition(|message| message.role == "assistant");
    let by_option = |i: usize, message: &TemplateMessage| match train {
        Train::Marked | Train::Agent => message.role == "assistant" && !message.is_prompt,
        Train::Last => Some(i) == last,
        Train::All => true,
        Train::NoneOf(role) => message.role != *role,
    };
    let numbered = messages.iter().enumerate();
    numbered
        .map(|(i, message)| message.field.map_or_else(|| by_option(i, message), |(_, is_trained)| is_trained))
        .collect()
}

impl Parts<'_> {
    fn put(&mut self, span: Range<usize>, message: Option<usize>, is_trained: bool) {
        if !span.is_empty() {
            self.segments.push(LossSegment { span, message, is_trained, is_cut: false });
        }
    }

    /// Notes what of a message that trains is not in its part of the text.
    fn note_missing(&mut self, message: usize, part: &str) {
        let turn = &self.conversation.messages[message];
        if self.trained[message] && !part.contains(turn.thoughts.trim()) {
            self.thoughtless.push(message);
        }
        if self.trained[message] && !part.contains(turn.text.trim()) {
            self.speechless.push(message);
        }
    }

    /// A message whose part is known: its head is what the template puts before an answer, or before its content.
    fn one(&mut self, message: usize, span: Range<usize>, answer: Option<usize>, text: &str) {
        let content_text = self.conversation.messages[message].text.trim();
        let thoughts = self.conversation.messages[message].thoughts.trim();
        let place = |part: &str| text[span.clone()].find(part).filter(|_| !part.is_empty());
        let content = || [thoughts, content_text].into_iter().filter_map(place).min().map(|at| span.start + at);
        let is_trained = self.trained[message];
        self.note_missing(message, &text[span.clone()]);
        let head = answer.or_else(content).filter(|_| is_trained).unwrap_or(span.start);
        self.put(span.start..head, Some(message), false);
        self.put(head..span.end, Some(message), is_trained);
    }

    /// Messages that cannot be distinguished by rendering: their contents are looked up, one after the other; those
    /// with calls that train are found by changing them.
    fn located(&mut self, messages: Range<usize>, span: Range<usize>, (template, text): (&Template, &str)) {
        let mut at = span.start;
        let is_short = is_short(self.conversation.messages.len(), text);
        let marks = TurnMarks::of(self.conversation, template);
        for message in messages {
            let turn = &self.conversation.messages[message];
            let (trimmed, has_calls) = (turn.text.trim(), has_calls(&turn.value));
            let marks = marks.as_ref().filter(|_| turn.role == "assistant");
            let looked_up = || {
                let found = match marks {
                    Some(marks) => marks.find(trimmed, at..span.end, text, has_calls),
                    None => text[at..span.end].find(trimmed).map(|found| at + found),
                };
                found.filter(|_| !trimmed.is_empty()).map(|found| found..found + trimmed.len())
            };
            let is_changed = is_short && self.trained[message] && has_calls;
            let touched = if is_changed { touched(self.conversation, template, message, text) } else { None };
            let found = touched.filter(|found| at <= found.start && found.end <= span.end).or_else(looked_up);
            match found {
                Some(found) => {
                    let found =
                        marks.map_or(found.clone(), |marks| marks.widened(found, at..span.end, text, has_calls));
                    self.put(at..found.start, None, false);
                    self.note_missing(message, &text[found.clone()]);
                    at = found.end;
                    self.put(found, Some(message), self.trained[message]);
                }
                None if self.trained[message] => self.lost.push(message),
                None => {}
            }
        }
        self.put(at..span.end, None, false);
    }
}

/// Segments cut where the template's own mask begins and ends.
fn by_template(
    segments: &[LossSegment],
    whole: &Rendered,
    is_wanted: impl Fn(Option<usize>) -> bool,
) -> Vec<LossSegment> {
    let mut out = Vec::new();
    let mut masks = whole.generated.iter().peekable();
    for segment in segments {
        let mut at = segment.span.start;
        let end = segment.span.end;
        let mut put = |span: Range<usize>, is_trained| {
            if !span.is_empty() {
                out.push(LossSegment { span, is_trained, ..segment.clone() });
            }
        };
        while let Some(mask) = masks.peek().filter(|mask| mask.start < end) {
            let (from, to) = (mask.start.max(at), mask.end.min(end));
            put(at..from, false);
            put(from..to, is_wanted(segment.message));
            at = to.max(at);
            if mask.end > end {
                break;
            }
            masks.next();
        }
        put(at..end, false);
    }
    out
}

/// Marks what is after a byte, and cuts the segment that it is in.
fn cut(segments: Vec<LossSegment>, limit: usize) -> Vec<LossSegment> {
    let halves = |segment: LossSegment| {
        let middle = limit.clamp(segment.span.start, segment.span.end);
        let seen = LossSegment { span: segment.span.start..middle, ..segment.clone() };
        let cut = LossSegment { span: middle..segment.span.end, is_cut: true, ..segment };
        [seen, cut].into_iter().filter(|half| !half.span.is_empty())
    };
    segments.into_iter().flat_map(halves).collect()
}

/// Sums of the sizes of segments, by role.
fn totals(
    conversation: &Conversation,
    segments: &[LossSegment],
    size: &dyn Fn(&Range<usize>) -> usize,
) -> Vec<(String, Total)> {
    const TEMPLATE: &str = "(template)";
    let mut order: Vec<&str> = Vec::new();
    let mut totals: BTreeMap<&str, Total> = BTreeMap::new();
    for message in &conversation.messages {
        let total = totals.entry(&message.role).or_insert_with(|| {
            order.push(&message.role);
            Total::default()
        });
        total.messages += 1;
    }
    for segment in segments {
        let role = segment.message.map_or(TEMPLATE, |i| conversation.messages[i].role.as_str());
        if role == TEMPLATE && !order.contains(&TEMPLATE) {
            order.push(TEMPLATE);
        }
        let total = totals.entry(role).or_default();
        let size = size(&segment.span);
        if segment.is_cut {
            total.cut += size;
        } else {
            total.seen += size;
            total.trained += if segment.is_trained { size } else { 0 };
        }
    }
    order.into_iter().map(|role| (role.to_owned(), totals.get(role).copied().unwrap_or_default())).collect()
}

#[cfg(test)]
mod tests;
