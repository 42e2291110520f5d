//! A conversation as a model would see it, cut into lines of one segment each: made once, by a job. What is on the
//! screen is a window of these lines.

use crate::json;
use crate::model::StepNo;
use crate::panes::text_view::TextLine;
use crate::review::{ChatTemplate, Conversation, Loss, Train};
use crate::rules::trajectory::Way;
use crate::text::Role;
use std::ops::Range;
use std::sync::Arc;

/// Longest line, in bytes; a longer one of the text is several.
const LINE_BYTES_MAX: usize = 2 << 10;

/// How conversations are looked at.
#[derive(Debug, Clone)]
pub struct LossOptions {
    /// The chat template.
    pub template: Arc<dyn ChatTemplate>,
    /// Tokens that the model sees, by estimate; what is after is cut.
    pub max_tokens: Option<usize>,
}

/// A line: bytes of the text, of one segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LineAt {
    start: usize,
    end: usize,
    segment: usize,
    /// Whether it goes on where the line before it ends.
    is_going_on: bool,
}

/// What a model would see of a conversation, laid out in lines.
#[derive(Debug, PartialEq, Eq)]
pub struct LossText {
    /// The text, its segments and what is to be looked at.
    pub loss: Loss,
    /// The name of the template.
    pub template: String,
    /// Tokens that are seen at most.
    pub max_tokens: Option<usize>,
    /// Characters of all, and of what trains.
    pub chars: (usize, usize),
    /// The step of each message; None for a prompt, which is no step.
    steps: Vec<Option<StepNo>>,
    /// The first line of each message that has one.
    firsts: Vec<Option<usize>>,
    lines: Vec<LineAt>,
}

impl LossText {
    /// Looks at one of the conversations of a record, by its place.
    ///
    /// # Errors
    /// It is not a conversation, or the template rejects it: why.
    pub fn of(record: &str, answer: usize, options: &LossOptions, way: Way) -> Result<Self, String> {
        let value = json::parse(record)
            .map_err(|e| format!("The record is not valid JSON: {} at byte {} of it.", e.message, e.byte))?;
        let all = Conversation::all(&value, way);
        let last = all.len().saturating_sub(1);
        let conversation = (all.into_iter().nth(answer.min(last)))
            .ok_or("The record is not a conversation: it needs messages, or actions and observations, at least one.")?;
        let template = options.template.name();
        let loss = (options.template)
            .loss(record, &conversation, &Train::Marked, options.max_tokens)
            .map_err(|fault| format!("Template {template}: {fault}. Another one may take it."))?;
        let step = |step: usize| StepNo::try_from(step).unwrap_or(StepNo::MAX);
        let steps: Vec<_> = conversation.messages.iter().map(|message| message.step.map(step)).collect();
        let lines = lines(&loss);
        let mut firsts = vec![None; steps.len()];
        for (i, line) in lines.iter().enumerate() {
            if let Some(first) = loss.segments[line.segment].message.and_then(|message| firsts.get_mut(message)) {
                first.get_or_insert(i);
            }
        }
        let trained = loss.segments.iter().filter(|segment| segment.is_trained && !segment.is_cut);
        let trained = trained.map(|segment| loss.text[segment.span.clone()].chars().count()).sum();
        let chars = (loss.text.chars().count(), trained);
        let template = match &conversation.label {
            Some(label) => format!("{template} · {label}"),
            None => template.to_owned(),
        };
        Ok(Self { template, max_tokens: options.max_tokens, chars, steps, firsts, lines, loss })
    }

    /// Number of lines, those of the findings first.
    #[must_use]
    pub fn len(&self) -> usize {
        self.loss.findings.len() + self.lines.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of a line, about.
    #[must_use]
    pub fn bytes(&self, line: usize) -> usize {
        match line.checked_sub(self.loss.findings.len()) {
            None => self.loss.findings[line].text.len(),
            Some(line) => self.lines[line].end - self.lines[line].start,
        }
    }

    /// A line as it is shown.
    #[must_use]
    pub fn line(&self, line: usize) -> TextLine {
        let Some(at) = line.checked_sub(self.loss.findings.len()).map(|line| self.lines[line]) else {
            let finding = &self.loss.findings[line];
            let step = finding.message.and_then(|message| self.steps.get(message).copied().flatten());
            let place = step.map_or(String::new(), |step| format!(" @{step}"));
            let out = TextLine::new(Role::Warning, format!("! {}{place}  {}", finding.rule, finding.text));
            return step.map_or(out.clone(), |step| out.from_step(step));
        };
        let segment = &self.loss.segments[at.segment];
        let (sign, role) = match (segment.is_cut, segment.is_trained) {
            _ if at.start == at.end => (' ', Role::Dim),
            (true, _) => ('x', Role::Removed),
            (_, true) => ('+', Role::Added),
            _ => (' ', Role::Dim),
        };
        let on = if at.is_going_on { '>' } else { ' ' };
        let mut out = TextLine::new(Role::Dim, format!("{sign}{on}{}", &self.loss.text[at.start..at.end]));
        if role != Role::Dim {
            out.marks.push((2..out.text.len(), role));
        }
        let step = segment.message.and_then(|message| self.steps.get(message).copied().flatten());
        step.map_or(out.clone(), |step| out.from_step(step))
    }

    /// What a line says, for a search.
    #[must_use]
    pub fn line_text(&self, line: usize) -> &str {
        match line.checked_sub(self.loss.findings.len()) {
            None => &self.loss.findings[line].text,
            Some(line) => &self.loss.text[self.lines[line].start..self.lines[line].end],
        }
    }

    /// The first line of what a step says; of a step that is not a message of its own, of the one before it.
    #[must_use]
    pub fn line_of(&self, step: StepNo) -> Option<usize> {
        let end = self.steps.partition_point(|line_step| line_step.is_none_or(|line_step| line_step <= step));
        let begin =
            self.steps[..end].partition_point(|line_step| *line_step < self.steps[..end].last().copied().flatten());
        let found = (begin..end).find_map(|message| self.firsts[message]);
        found.map(|line| line + self.loss.findings.len())
    }

    /// How much trains: of all in tokens and characters, and of each role in tokens.
    #[must_use]
    pub fn token_counts(&self) -> (Vec<String>, Vec<String>) {
        let totals = self.loss.token_totals();
        let sum = |pick: fn(&crate::review::Total) -> usize| totals.iter().map(|(_, t)| pick(t)).sum::<usize>();
        let (all, trained, cut) = (self.loss.token_count(), sum(|t| t.trained), sum(|t| t.cut));
        let about = if self.loss.is_counted() { "" } else { "≈" };
        let part = (trained * 100).checked_div(all).unwrap_or(0);
        let (chars, chars_trained) = self.chars;
        let mut lines = vec![
            format!("{about}{trained} of {about}{all} tokens train ({part} %)"),
            format!("{chars_trained} of {chars} characters train"),
        ];
        if let Some(max) = self.max_tokens {
            lines[1] += &format!(" · {about}{cut} tokens behind the limit of {max}");
        }
        let role = |(role, total): &(String, crate::review::Total)| {
            let all = total.seen + total.cut;
            format!("{role} {about}{} of {about}{all}", total.trained)
        };
        (lines, totals.iter().map(role).collect())
    }
}

/// The text cut at newlines, where segments begin, and where a line grows too long.
fn lines(loss: &Loss) -> Vec<LineAt> {
    let mut out = Vec::new();
    let mut is_going_on = false;
    for (number, segment) in loss.segments.iter().enumerate() {
        let mut start = segment.span.start;
        for piece in loss.text[segment.span.clone()].split_inclusive('\n') {
            let end = start + piece.strip_suffix('\n').unwrap_or(piece).len();
            for Range { start, end } in cut(&loss.text, start..end) {
                // The newline that ends a line of another segment is not a line of its own.
                if start < end || !is_going_on {
                    out.push(LineAt { start, end, segment: number, is_going_on });
                }
                is_going_on = true;
            }
            start += piece.len();
            is_going_on &= !piece.ends_with('\n');
        }
    }
    out
}

/// A line in parts that are not too long.
fn cut(text: &str, line: Range<usize>) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = line.start;
    while line.end - start > LINE_BYTES_MAX {
        let end = (start..=start + LINE_BYTES_MAX).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(line.end);
        out.push(start..end);
        start = end;
    }
    out.push(start..line.end);
    out
}
