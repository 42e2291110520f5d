//! Two runs, aligned by what was done: the rows of their lists of steps beside each other.
//!
//! A row is a call with its results, or any other step. Rows whose messages are equal as JSON are aligned first, by the
//! diff of `obelus diff`; between those the rows that do and say the same, whatever their ids and times; between those
//! the rows of one call (a verb and its object), or of one speaker; then the rows of one verb.

use crate::format::Run;
use crate::json;
use crate::model::{Bytes, HEAD, Problem, Span, StepKind, StepNo, ToolCall, ToolResult, TurnPart, lossy};
use crate::panes::call_rows::{CallRows, OpenedCalls, results_of};
use crate::rules::digest;
use crate::state::diff::{Hunk, align};
use std::ops::Range;

/// Most rows of both runs between two that are aligned, for them to be looked at more closely.
const REFINED_MAX: usize = 40_000;

/// How the two sides of a row relate to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairing {
    /// Their messages are equal as JSON.
    Same,
    /// What was done and said is the same; ids, times or the like are not.
    Alike,
    /// The same call, with another result.
    Result,
    /// The same tool or speaker, with something else.
    Changed,
    /// The right run has no such row.
    Left,
    /// The left run has no such row.
    Right,
}

impl Pairing {
    /// Whether the row is a difference.
    #[must_use]
    pub fn differs(self) -> bool {
        !matches!(self, Self::Same | Self::Alike)
    }
}

/// A row: on each side its step, or the row before where the side has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlignedRow {
    /// How its sides relate to each other.
    pub pairing: Pairing,
    steps: [StepNo; 2],
}

impl AlignedRow {
    /// Its step on a side; None where that has none.
    #[must_use]
    pub fn step(self, side: usize) -> Option<StepNo> {
        let is_absent = matches!((self.pairing, side), (Pairing::Left, 1) | (Pairing::Right, 0));
        (!is_absent).then_some(self.steps[side])
    }

    /// The step of the row, or of the last row before it that the side has; [`HEAD`] before the first.
    #[must_use]
    pub fn step_before(self, side: usize) -> StepNo {
        self.steps[side]
    }
}

/// A digest of a step's message: equal where the messages are equal as JSON.
#[must_use]
pub fn step_digest(text: &str) -> u128 {
    match json::parse(text) {
        Ok(value) => digest::of(&value),
        // What is not valid JSON is alike where its text is.
        Err(_) => digest::of_pair("broken", text, "", &json::Value { start: 0, text: "", data: json::Data::Null }),
    }
}

/// The last step of a row: that of the last result of its call.
#[must_use]
pub fn end_of_row(run: &dyn Run, step: StepNo) -> StepNo {
    results_of(run, step).last().unwrap_or(step)
}

/// A run to be aligned: its rows, and a digest of each.
pub struct Rows<'r> {
    run: &'r dyn Run,
    bytes: &'r dyn Bytes,
    steps: Vec<StepNo>,
    digests: Vec<u128>,
}

impl<'r> Rows<'r> {
    /// Reads the messages of some steps of a run. `is_wanted` is asked before each, with how many were read of how
    /// many; None: they are no longer wanted.
    ///
    /// # Errors
    /// The input can no longer be read.
    pub fn read(
        run: &'r dyn Run,
        bytes: &'r dyn Bytes,
        range: &Range<StepNo>,
        is_wanted: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Result<Option<Self>, Problem> {
        let rows = CallRows::default().update(run, 0, &OpenedCalls::default());
        let all = rows.map_or_else(|| (0..range.end).collect(), |rows| rows.to_vec());
        let steps: Vec<StepNo> = all.into_iter().filter(|step| range.contains(step)).collect();
        let mut digests = Vec::with_capacity(steps.len());
        for (number, step) in steps.iter().enumerate() {
            if !is_wanted(number, steps.len()) {
                return Ok(None);
            }
            let results = results_of(run, *step);
            let messages = std::iter::once(*step).chain(results).map(|step| message(run, bytes, step));
            digests.push(joined(messages.collect::<Result<Vec<u128>, Problem>>()?));
        }
        Ok(Some(Self { run, bytes, steps, digests }))
    }

    /// What the rows of a range are by a look at each.
    fn keys(&self, range: &Range<usize>, key: impl Fn(&Self, StepNo) -> u128) -> Vec<u128> {
        self.steps[range.clone()].iter().map(|step| key(self, *step)).collect()
    }

    /// What is said and done in a row, whatever its ids and times; None where the format does not know its messages so.
    fn row_digest(&self, step: StepNo) -> Option<u128> {
        let results = results_of(self.run, step);
        let all: Option<Vec<u128>> = results.map(|step| turn_digest(self.run, self.bytes, step)).collect();
        Some(joined(std::iter::once(turn_digest(self.run, self.bytes, step)?).chain(all?).collect()))
    }

    /// The same without results.
    fn asked(&self, step: StepNo) -> Option<u128> {
        turn_digest(self.run, self.bytes, step)
    }

    /// What a row is about: the verb and the object of a call, who says something.
    fn subject(&self, step: StepNo) -> u128 {
        let step = self.run.step(step, self.bytes);
        match &step.action {
            Some(action) => digest::of_text(&format!("call {}", action.verb), &action.object),
            None => speaker(&step),
        }
    }

    /// The verb of a call, who says something.
    fn verb(&self, step: StepNo) -> u128 {
        let step = self.run.step(step, self.bytes);
        step.action.as_ref().map_or_else(|| speaker(&step), |action| digest::of_text("verb", &action.verb))
    }
}

fn speaker(step: &crate::model::Step) -> u128 {
    let is_call = if step.sign == StepKind::Call { "call" } else { "" };
    digest::of_text(step.role.name(), &format!("{}\0{is_call}\0{}", step.label, step.tool.as_deref().unwrap_or("")))
}

/// A digest of the message of a step, which may be in several records.
fn message(run: &dyn Run, bytes: &dyn Bytes, step: StepNo) -> Result<u128, Problem> {
    message_digest(&run.spans(step), |span| Ok(lossy(&bytes.read(span)?).into_owned()))
}

/// A digest of what is at the places of a step, read in this way.
///
/// # Errors
/// The input can no longer be read.
pub fn message_digest(spans: &[Span], mut read: impl FnMut(Span) -> Result<String, Problem>) -> Result<u128, Problem> {
    let digests = spans.iter().map(|span| Ok(step_digest(&read(*span)?)));
    Ok(joined(digests.collect::<Result<Vec<u128>, Problem>>()?))
}

fn joined(digests: Vec<u128>) -> u128 {
    match digests[..] {
        [one] => one,
        _ => digest::of_text("steps", &digests.iter().map(|digest| format!("{digest:x} ")).collect::<String>()),
    }
}

/// What a step says and does, without ids and times.
fn turn_digest(run: &dyn Run, bytes: &dyn Bytes, step: StepNo) -> Option<u128> {
    let turn = run.turn(step, bytes)?;
    let part = |part: &TurnPart<'_>| match part {
        TurnPart::Text(text) => digest::of_text("text", text.trim()),
        TurnPart::Thought(text) => digest::of_text("thought", text.trim()),
        TurnPart::Call(ToolCall { name, arguments, .. }) => {
            digest::of_text(name, &format!("{:x}", step_digest(arguments)))
        }
        TurnPart::Result(ToolResult { text, is_error, exit, .. }) => {
            digest::of_text(&format!("result {is_error:?} {exit:?}"), text.trim_end())
        }
        TurnPart::Attachment(file) => digest::of_text(&file.media_type, &format!("{} {:?}", file.bytes, file.location)),
    };
    let parts: String = turn.parts.iter().map(part).map(|digest| format!("{digest:x} ")).collect();
    Some(digest::of_text(turn.role.name(), &parts))
}

/// Aligns two runs. `is_wanted` is asked between the looks; None: it is no longer wanted.
#[must_use]
pub fn aligned(left: &Rows<'_>, right: &Rows<'_>, is_wanted: &dyn Fn() -> bool) -> Option<Vec<AlignedRow>> {
    // Before its first step a run is as it was before: one of a pair begins where the other ends.
    let before = |rows: &Rows<'_>| rows.steps.first().map_or(HEAD, |first| first - 1);
    let mut aligner = Aligner { left, right, rows: Vec::new(), last: [before(left), before(right)], is_wanted };
    aligner.between(0..left.steps.len(), 0..right.steps.len(), Depth::Message)?;
    Some(aligner.rows)
}

/// How closely rows are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Message,
    Content,
    Asked,
    Subject,
    Verb,
    Nothing,
}

impl Depth {
    fn next(self) -> Self {
        match self {
            Self::Message => Self::Content,
            Self::Content => Self::Asked,
            Self::Asked => Self::Subject,
            Self::Subject => Self::Verb,
            Self::Verb | Self::Nothing => Self::Nothing,
        }
    }

    fn pairing(self) -> Pairing {
        match self {
            Self::Message => Pairing::Same,
            Self::Content => Pairing::Alike,
            Self::Asked => Pairing::Result,
            Self::Subject | Self::Verb | Self::Nothing => Pairing::Changed,
        }
    }
}

struct Aligner<'r> {
    left: &'r Rows<'r>,
    right: &'r Rows<'r>,
    rows: Vec<AlignedRow>,
    last: [StepNo; 2],
    is_wanted: &'r dyn Fn() -> bool,
}

impl Aligner<'_> {
    /// Aligns the rows of two ranges by one look, and what that leaves by the next.
    fn between(&mut self, old: Range<usize>, new: Range<usize>, depth: Depth) -> Option<()> {
        if !(self.is_wanted)() {
            return None;
        }
        let is_long = depth != Depth::Message && old.len() + new.len() > REFINED_MAX;
        if old.is_empty() || new.is_empty() || is_long || depth == Depth::Nothing {
            old.for_each(|row| self.push(Pairing::Left, Some(row), None));
            new.for_each(|row| self.push(Pairing::Right, None, Some(row)));
            return Some(());
        }
        let hunks = align(&self.keys(0, &old, depth), &self.keys(1, &new, depth));
        let (mut i, mut j) = (0, 0);
        let end = Hunk { old: old.len()..old.len(), new: new.len()..new.len() };
        for hunk in hunks.iter().chain([&end]) {
            for (a, b) in (i..hunk.old.start).zip(j..hunk.new.start) {
                self.push(depth.pairing(), Some(old.start + a), Some(new.start + b));
            }
            (i, j) = (hunk.old.end, hunk.new.end);
            let moved = |range: &Range<usize>, by: usize| range.start + by..range.end + by;
            self.between(moved(&hunk.old, old.start), moved(&hunk.new, new.start), depth.next())?;
        }
        Some(())
    }

    /// What the rows of a range are to one look. Where nothing can be said of a row, it is like no other.
    fn keys(&self, side: u8, range: &Range<usize>, depth: Depth) -> Vec<u128> {
        let rows = if side == 0 { self.left } else { self.right };
        let unlike = |step: StepNo| digest::of_text("unlike", &format!("{side} {step}"));
        match depth {
            Depth::Message => rows.digests[range.clone()].to_vec(),
            Depth::Content => rows.keys(range, |rows, step| rows.row_digest(step).unwrap_or_else(|| unlike(step))),
            Depth::Asked => rows.keys(range, |rows, step| rows.asked(step).unwrap_or_else(|| unlike(step))),
            Depth::Subject => rows.keys(range, Rows::subject),
            Depth::Verb | Depth::Nothing => rows.keys(range, Rows::verb),
        }
    }

    fn push(&mut self, pairing: Pairing, left: Option<usize>, right: Option<usize>) {
        self.last[0] = left.map_or(self.last[0], |row| self.left.steps[row]);
        self.last[1] = right.map_or(self.last[1], |row| self.right.steps[row]);
        self.rows.push(AlignedRow { pairing, steps: self.last });
    }
}

#[cfg(test)]
mod tests;
