//! A step to read: what was said as Markdown, edits as differences, commands and outputs as a terminal shows them,
//! calls with their results. Made once of a [`Turn`](crate::model::Turn); only the lines of the window are laid out.

mod builder;
mod call;
mod difference;
pub(super) mod head;
mod layout;
mod line;
mod markdown;
mod marked;
mod output;
mod page;
mod table;
mod turn;
mod view;

pub use head::head;
pub use marked::mark_differences;
pub use page::{PageOf, is_long, page};
pub use view::ReadingView;

use line::ReadingItem;
use std::ops::Range;
use std::sync::Arc;

/// What a step is to a reader, in items that are laid out one by one.
#[derive(Debug, Default)]
pub struct Reading {
    items: Vec<ReadingItem>,
    blocks: Vec<Block>,
    codes: Vec<Code>,
    /// Whether lines end with CR LF somewhere.
    pub has_crlf: bool,
    /// Whether codes for colours and the cursor were left out of an output.
    pub has_codes: bool,
    /// Whether something was left out because there is too much of it.
    pub is_cut: bool,
}

impl Reading {
    /// What the text has in the input that is not shown, in words.
    #[must_use]
    pub fn marks(&self) -> Vec<&'static str> {
        let marks = [(self.has_crlf, "CR LF"), (self.has_codes, "no colours")];
        marks.into_iter().filter(|(is_so, _)| *is_so).map(|(_, mark)| mark).collect()
    }
}

/// Items that belong together: a text, an output, a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Block {
    items: Range<usize>,
    /// Whether its middle is folded away where it is long.
    is_foldable: bool,
    /// What it was made of, unescaped.
    source: Arc<str>,
    /// What it is, for the head of a pager.
    name: String,
}

/// Lines of code, coloured once their language is known to the painter.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Code {
    /// A language, or the end of a file's name.
    language: String,
    text: Arc<str>,
}

pub use turn::Step;

#[cfg(test)]
mod tests;
