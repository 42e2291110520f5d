//! W14: texts of lines as spans of what the run said, and where each line comes from.

use crate::model::cast;
use crate::model::{Chunks, StepNo};
use std::sync::Arc;

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
    /// An edit quoted it; it was never shown.
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
pub struct Origin {
    /// The step of the result.
    pub step: StepNo,
    /// The step of the call.
    pub call: StepNo,
    /// How.
    pub how: How,
}

/// A line that is known; equal numbers are the same line of the same origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineId(u32);

#[derive(Debug, Clone, Copy)]
struct Line {
    block: u32,
    start: u32,
    len: u32,
    /// Number of its origin.
    origin: u32,
}

/// All lines that a run knew: spans of texts, which are kept once each. Memory is bounded by what the run said.
#[derive(Debug, Default)]
pub(super) struct Texts {
    blocks: Vec<Arc<str>>,
    lines: Chunks<Line>,
    /// Those of the lines, once for lines of one origin that are behind one another.
    origins: Chunks<Origin>,
}

/// Longest text of which lines are taken, in bytes.
const BLOCK_BYTES_MAX: usize = u32::MAX as usize;

impl Texts {
    pub(super) fn text(&self, id: LineId) -> &str {
        let Some(line) = self.lines.get(id.0 as usize) else { return "" };
        let (start, end) = (line.start as usize, line.start as usize + line.len as usize);
        self.blocks.get(line.block as usize).and_then(|block| block.get(start..end)).unwrap_or("")
    }

    pub(super) fn origin(&self, id: LineId) -> Option<Origin> {
        self.origins.get(self.lines.get(id.0 as usize)?.origin as usize).copied()
    }

    /// A text that lines are taken of.
    pub(super) fn block(&mut self, text: &str) -> Block {
        let text = if text.len() > BLOCK_BYTES_MAX { "" } else { text };
        self.blocks.push(text.into());
        Block(u32::try_from(self.blocks.len() - 1).unwrap_or(u32::MAX))
    }

    /// A line of a block, by its bytes there.
    pub(super) fn line(&mut self, block: Block, start: usize, len: usize, origin: Origin) -> LineId {
        if self.origins.last() != Some(&origin) {
            self.origins.push(origin);
        }
        let origin = cast::to_u32(self.origins.len() - 1);
        self.lines.push(Line { block: block.0, start: cast::to_u32(start), len: cast::to_u32(len), origin });
        LineId(u32::try_from(self.lines.len() - 1).unwrap_or(u32::MAX))
    }

    /// New lines of these texts, in a block of their own.
    pub(super) fn add<'t>(&mut self, texts: impl Iterator<Item = (&'t str, Origin)>) -> Vec<LineId> {
        let (mut all, mut spans) = (String::new(), Vec::new());
        for (text, origin) in texts {
            spans.push((all.len(), text.len(), origin));
            all.push_str(text);
        }
        if spans.is_empty() {
            return Vec::new();
        }
        let block = self.block(&all);
        spans.into_iter().map(|(start, len, origin)| self.line(block, start, len, origin)).collect()
    }
}

/// Number of a text of [`Texts`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Block(u32);

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

/// W1: white space only.
pub(super) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}
