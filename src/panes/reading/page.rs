//! A long value by itself, for a pager: unescaped, JSON as a tree, a patch as differences, else line by line.

use super::Reading;
use super::builder::Builder;
use super::line::CODE_TABS;
use super::output;
use crate::format::Run;
use crate::json::{self, Key};
use crate::model::{Bytes, Identity, StepNo};
use crate::panes::json_outline::Doc;
use crate::text::Role;
use std::sync::Arc;

/// Longest text of a pager, in bytes; of a longer one this much is shown.
const PAGE_BYTES_MAX: usize = 16 << 20;
/// Most lines of it.
const PAGE_LINES_MAX: usize = 1 << 20;
/// Values whose JSON text is longer than this, in bytes, or has several lines, are long.
const LONG_BYTES_MIN: usize = 160;

/// What a pager shows.
#[derive(Debug, Clone)]
pub enum PageOf {
    /// A text that is there.
    Text(Arc<str>),
    /// A node of a document.
    Node(Arc<Doc>, usize),
    /// A value of the state at a step.
    Value(Identity, Vec<Key>, StepNo),
}

impl PageOf {
    /// The text, unescaped; None: it is not there any more.
    #[must_use]
    pub fn text(&self, run: Option<&dyn Run>, bytes: &dyn Bytes) -> Option<Arc<str>> {
        match self {
            Self::Text(text) => Some(Arc::clone(text)),
            Self::Node(doc, node) => Some(unescaped(doc.source(*node))),
            Self::Value(identity, path, step) => {
                let run = run?;
                let tree = run.tree();
                let node = tree.node(tree.find(identity)?, path)?;
                let text = tree.text(node, *step, bytes)?;
                let author = tree.leaf(node, *step).map(|leaf| leaf.step);
                let whole = author.and_then(|author| run.digested_text(&text, author, bytes));
                Some(whole.map_or_else(|| unescaped(&text), Arc::from))
            }
        }
    }
}

/// Whether the JSON text of a value is too long to be read in its row.
#[must_use]
pub fn is_long(json: &str) -> bool {
    json.len() > LONG_BYTES_MIN || json.len() > 2 && json.contains("\\n")
}

/// A string as what it says, another value as its JSON text.
fn unescaped(json: &str) -> Arc<str> {
    match json::parse_lenient(json) {
        Ok(value) => value.as_str().map_or_else(|| Arc::from(json), Arc::from),
        Err(_) => Arc::from(json),
    }
}

/// The text as a reading of one block.
#[must_use]
pub fn page(text: &str) -> Reading {
    let mut out = Builder::with_room(PAGE_BYTES_MAX, PAGE_LINES_MAX);
    out.block("text", text, false, |out| {
        if !output::put_known(out, text) {
            out.plain(Role::Text, text, CODE_TABS);
        }
    });
    out.reading
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panes::Extent;
    use crate::panes::reading::ReadingView;

    #[test]
    fn a_page_shows_all_of_a_text_and_lays_out_the_window_alone() {
        let line = "word ".repeat(40);
        let text = format!("{}last", format!("{line}\n").repeat(30_000));
        let mut view = ReadingView::default();
        view.set(Some(Arc::new(page(&text))), false);
        let extent = Extent { width: 80, height: 20 };
        view.show_cursor(extent);
        assert_eq!(view.window(extent, true).rows.len(), 20);
        view.move_by(isize::MAX / 2, 80);
        view.show_cursor(extent);
        let rows = view.window(extent, true).rows;
        assert_eq!(rows.last().map(|row| row.plain()), Some(" last".to_owned()));
    }

    #[test]
    fn values_are_unescaped() {
        assert_eq!(&*unescaped(r#""a\n\"b\"""#), "a\n\"b\"");
        assert_eq!(&*unescaped("[1, 2]"), "[1, 2]");
        assert!(is_long(r#""a\nb""#) && !is_long("\"short\"") && !is_long("null"));
    }
}
