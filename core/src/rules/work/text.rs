//! W14: texts of lines as spans of what the run said, and where each line comes from.

use crate::model::cast;
use crate::model::{Chunks, StepNo};
use std::borrow::Cow;

/// How a line came to be known (W8).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// It was shown.
    View,
    /// The file was written as a whole.
    Write,
    /// An edit put it there.
    Edit,
    /// A patch put it there.
    Patch,
    /// A command of the shell put it there.
    Command,
    /// An edit quoted it, or its result gave it as the base (`FORMATS.md` 15); it was never shown.
    Context,
}

impl How {
    /// The word of `blame --json`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::View => "view",
            Self::Write => "write",
            Self::Edit => "edit",
            Self::Patch => "patch",
            Self::Command => "command",
            Self::Context => "context",
        }
    }
}

/// Where a line comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineOrigin {
    /// The step of the result.
    pub step: StepNo,
    /// The step of the call.
    pub call: StepNo,
    /// How.
    pub how: How,
}

/// A line that is known; equal numbers are the same line of the same origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineId(pub(super) u32);

/// Where a line begins; it ends where the next one of its block does, or with the block.
#[derive(Debug, Clone, Copy)]
struct StoredLine {
    block: u32,
    start: u32,
}

/// All lines that a run knew, those that came together in one block. Memory is bounded by what the run said.
#[derive(Debug, Default)]
pub(super) struct Texts {
    blocks: Vec<Box<str>>,
    lines: Chunks<StoredLine>,
    /// Where lines come from, once for lines of one origin that are behind one another: the first of them.
    origins: Chunks<(u32, LineOrigin)>,
}

/// Longest text of which lines are taken, in bytes.
const BLOCK_BYTES_MAX: usize = u32::MAX as usize;

impl Texts {
    pub(super) fn text(&self, id: LineId) -> &str {
        let Some(line) = self.lines.get(id.0 as usize) else { return "" };
        let next = self.lines.get(id.0 as usize + 1).filter(|next| next.block == line.block);
        let Some(block) = self.blocks.get(line.block as usize) else { return "" };
        let end = next.map_or(block.len(), |next| next.start as usize);
        block.get(line.start as usize..end).unwrap_or("")
    }

    pub(super) fn origin(&self, id: LineId) -> Option<LineOrigin> {
        self.lines.get(id.0 as usize)?;
        let behind = self.origins.partition_point(|(first, _)| *first <= id.0);
        self.origins.get(behind.checked_sub(1)?).map(|(_, origin)| *origin)
    }

    /// New lines of these texts, in a block of their own.
    pub(super) fn add<'t>(&mut self, texts: impl Iterator<Item = (&'t str, LineOrigin)>) -> Vec<LineId> {
        let (mut all, mut ids) = (String::new(), Vec::new());
        let block = cast::to_u32(self.blocks.len());
        for (text, origin) in texts {
            let id = cast::to_u32(self.lines.len());
            if self.origins.last().is_none_or(|(_, last)| *last != origin) {
                self.origins.push((id, origin));
            }
            self.lines.push(StoredLine { block, start: cast::to_u32(all.len()) });
            all.push_str(text);
            ids.push(LineId(id));
        }
        if !ids.is_empty() {
            let is_short = all.len() <= BLOCK_BYTES_MAX;
            self.blocks.push(if is_short { all.into_boxed_str() } else { Box::default() });
        }
        ids
    }
}

/// Greatest line number: sums of numbers that a log reports stay numbers.
pub(super) const LINE_MAX: u32 = 100_000_000;

/// Greatest number of a line that moved.
const MOVED_MAX: u32 = 1_000_000_000;

/// A line number, or a count of lines; greater ones are the greatest.
pub(super) fn line_number(number: i64) -> Option<u32> {
    (number >= 0).then(|| cast::to_u32(number.min(i64::from(LINE_MAX))))
}

/// The number of a line that moved; None: it is not one any more.
pub(super) fn moved_line(number: i64) -> Option<u32> {
    u32::try_from(number).ok().filter(|number| *number <= MOVED_MAX)
}

/// A line number from a text.
pub(super) fn parse_line(text: &str) -> Option<u32> {
    line_number(text.parse().ok()?)
}

/// W1: the lines of a text: one final line end ends the last line.
pub(super) fn lines(text: &str) -> Vec<&str> {
    if text.is_empty() {
        return Vec::new();
    }
    let all = text.split_inclusive('\n');
    all.map(|line| line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line))).collect()
}

/// W1: a text whose lines end with LF alone. Most have no CR, and to seek one byte is quicker than two.
pub(super) fn with_line_feeds(text: &str) -> Cow<'_, str> {
    match memchr::memchr(b'\r', text.as_bytes()) {
        Some(at) if text[at..].contains("\r\n") => Cow::Owned(text.replace("\r\n", "\n")),
        _ => Cow::Borrowed(text),
    }
}

/// W1: white space only.
pub(super) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}
