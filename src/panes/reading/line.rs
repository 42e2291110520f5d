//! What a reading is made of, before it is laid out.

use super::table::Table;
use crate::text::{Pattern, Role};

/// One thing to lay out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ReadingItem {
    /// A line of text, which wraps.
    Line(ReadingLine),
    /// A remark in which actions are named in braces.
    Remark(String),
    /// A table, whose columns share the width.
    Table(Table),
    /// A rule across the pane, after what precedes it.
    Rule(Vec<Lead>),
}

/// What precedes a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lead {
    pub(super) role: Role,
    pub(super) text: Box<str>,
    /// Whether it precedes the rows on which the line goes on too (a border), not blanks in its place (a number).
    pub(super) repeats: bool,
}

impl Lead {
    pub(super) fn once(role: Role, text: impl Into<Box<str>>) -> Self {
        Self { role, text: text.into(), repeats: false }
    }

    pub(super) fn each(role: Role, text: impl Into<Box<str>>) -> Self {
        Self { role, text: text.into(), repeats: true }
    }
}

/// A line of text: tabs are blanks already, hidden characters still as they are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ReadingLine {
    pub(super) leads: Vec<Lead>,
    pub(super) spans: Vec<(Role, String)>,
    /// The code that it is a line of, and which.
    pub(super) code: Option<(u32, u32)>,
    /// What is at the right edge of its first row.
    pub(super) right: Vec<(Role, String)>,
}

impl ReadingLine {
    pub(super) fn of(role: Role, text: impl Into<String>) -> Self {
        Self { spans: vec![(role, text.into())], ..Self::default() }
    }

    /// Whether a pattern is found in the text.
    pub(super) fn is_match(&self, pattern: &Pattern) -> bool {
        match &self.spans[..] {
            [(_, only)] => pattern.is_match(only),
            _ => pattern.is_match(&self.text()),
        }
    }

    /// The text without what precedes it.
    pub(super) fn text(&self) -> String {
        self.spans.iter().map(|(_, text)| text.as_str()).collect()
    }
}

/// Columns from one tab stop to the next in what programs print, and in code.
pub(super) const TERMINAL_TABS: usize = 8;
/// The same in code.
pub(super) const CODE_TABS: usize = 4;

/// A line with its tabs as blanks up to the next stop.
pub(super) fn untabbed(line: &str, stop: usize) -> String {
    if !line.contains('\t') {
        return line.to_owned();
    }
    let (mut out, mut column) = (String::with_capacity(line.len() + stop), 0);
    for c in line.chars() {
        let fill = if c == '\t' { stop - column % stop } else { 1 };
        column += fill;
        match c {
            '\t' => out.extend(std::iter::repeat_n(' ', fill)),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_reach_to_the_next_stop() {
        assert_eq!(untabbed("a\tb\t\tc", 4), "a   b       c");
        assert_eq!(untabbed("\tx", 8), "        x");
    }
}
