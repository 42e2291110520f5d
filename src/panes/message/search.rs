//! Search in a document: a stop at every key, value and row of a text that matches, folded away or not.

use super::block::{Block, string_block};
use super::{DocView, MessagePart, Outline};
use crate::panes::json_outline::{Doc, JsonNodeKind};
use crate::panes::row::{self, Nth};
use crate::text::{Pattern, width};
use std::ops::Range;

/// Most bytes of the source of a string that is beside its key.
const BESIDE_BYTES_MAX: usize = 4_096;

/// A node, and the row of its text; None for the row that has its key.
type Stop = (u32, Option<u32>);

/// The stops of a search, and what they hold for: version of the view, width in cells, what was typed.
#[derive(Debug)]
pub(super) struct SearchStops {
    of: (u64, usize, String),
    stops: Vec<Stop>,
}

impl DocView {
    /// Puts the cursor on the next or previous stop, around the end, and unfolds what hides it; which one it is, if
    /// there is one.
    pub fn search(&mut self, pattern: &Pattern, cells: usize, is_forward: bool) -> Option<Nth> {
        let doc = self.doc.clone()?;
        let of = (self.version, cells, pattern.typed().to_owned());
        let stops = match self.search_stops.take().filter(|found| found.of == of) {
            Some(found) => found.stops,
            None => self.stops(&doc, pattern, cells),
        };
        let found = row::next_hit(&stops, &self.here(&doc, cells), is_forward);
        if let Some(found) = found {
            self.show_stop(&doc, stops[found.at], cells);
            self.scroll_to_hit(&doc, pattern, cells);
        }
        self.search_stops = Some(SearchStops { of, stops });
        found
    }

    /// All stops, in the order of the document.
    fn stops(&self, doc: &Doc, pattern: &Pattern, cells: usize) -> Vec<Stop> {
        let mut stops = Vec::new();
        for at in 0..doc.nodes().len() {
            let number = u32::try_from(at).unwrap_or(u32::MAX);
            let is_key = doc.key(at).is_some_and(|key| pattern.is_match(&key));
            let block = if doc.nodes()[at].kind == JsonNodeKind::String { self.unfolded(doc, at, cells) } else { None };
            if is_key || (block.is_none() && is_beside(doc, at, pattern)) {
                stops.push((number, None));
            }
            stops.extend(block.iter().flat_map(|block| rows(block, pattern)).map(|row| (number, Some(row))));
        }
        stops
    }

    /// The text of a string as it is laid out when all of it is shown.
    fn unfolded(&self, doc: &Doc, at: usize, cells: usize) -> Option<Block> {
        let block = string_block(doc, at, self.fold(doc, at), cells)?;
        if block.is_whole { Some(block) } else { string_block(doc, at, Some(true), cells) }
    }

    /// Where the cursor is, as a stop; the end of a container is after all that is in it.
    fn here(&self, doc: &Doc, cells: usize) -> Stop {
        let outline = self.outline(cells);
        match outline.lines.get(self.scroll.cursor) {
            None => (0, None),
            Some(line) => match line.part {
                MessagePart::Value => (line.node, None),
                MessagePart::Text(row) => (line.node, Some(row)),
                MessagePart::More => (line.node, Some(u32::MAX)),
                MessagePart::Close => (doc.nodes()[line.node as usize].end.saturating_sub(1), Some(u32::MAX)),
            },
        }
    }

    /// A short value stays on its row where that cuts its end off: the row is scrolled to what matches in it.
    fn scroll_to_hit(&mut self, doc: &Doc, pattern: &Pattern, cells: usize) {
        let outline = self.outline(cells);
        let row = outline.lines.get(self.scroll.cursor).map(|line| self.row(doc, &outline, line).plain());
        let hit = row.as_ref().and_then(|row| pattern.marked(row).into_iter().next());
        self.scroll.aside = row.zip(hit).map_or(0, |(row, hit)| aside(&row, &hit, cells));
    }

    fn show_stop(&mut self, doc: &Doc, (node, text): Stop, cells: usize) {
        self.unfold_around(doc, node as usize);
        let row_of =
            |outline: &Outline, part: MessagePart| outline.lines.iter().position(|l| l.node == node && l.part == part);
        let outline = self.outline(cells);
        let is_folded = outline.blocks.get(&node).is_some_and(|block| !block.is_whole);
        if text.is_some() && is_folded && self.fold(doc, node as usize) != Some(true) {
            self.folds.insert(doc.pointer(node as usize), true);
            self.version += 1;
        }
        let part = text.map_or(MessagePart::Value, MessagePart::Text);
        if let Some(row) = row_of(&self.outline(cells), part) {
            self.scroll.jump_to(row);
        }
    }
}

/// How far a row is scrolled sideways so that a part of its text is in view: not at all where it is so anyhow.
fn aside(text: &str, part: &Range<usize>, cells: usize) -> usize {
    let column = |byte: usize| width(&text[..byte]);
    // The last cell says that the row goes on, if it does.
    let seen = if part.end == text.len() { cells } else { cells.saturating_sub(1) };
    column(part.end).saturating_sub(seen).min(column(part.start))
}

/// Whether a value that is beside its key matches.
fn is_beside(doc: &Doc, at: usize, pattern: &Pattern) -> bool {
    match doc.nodes()[at].kind {
        JsonNodeKind::Object | JsonNodeKind::Array => false,
        JsonNodeKind::String => pattern.is_match(&doc.string_head(at, BESIDE_BYTES_MAX).0),
        JsonNodeKind::Scalar | JsonNodeKind::Deep => pattern.is_match(doc.source(at)),
    }
}

/// Rows of a text in which matches begin.
fn rows(block: &Block, pattern: &Pattern) -> Vec<u32> {
    let mut rows: Vec<u32> = Vec::new();
    let mut at = 0;
    let mut from = 0;
    for line in block.text.split('\n') {
        for start in pattern.starts(line) {
            // The row that holds the start; a match that begins in blanks cut off at a break is that of the next.
            while block.lines.get(at).is_some_and(|row| (row.from, row.range.end) < (from, start + 1)) {
                at += 1;
            }
            if at < block.lines.len() {
                rows.push(u32::try_from(at).unwrap_or(u32::MAX));
            }
        }
        from += line.len() + 1;
    }
    rows.dedup();
    rows
}

#[cfg(test)]
mod tests {
    use crate::panes::json_outline::Doc;
    use crate::panes::message::DocView;
    use crate::panes::{Extent, Nth, Row};
    use crate::text::Pattern;
    use std::sync::Arc;

    const CELLS: usize = 40;

    /// A view of a document whose page of 600 lines has two needles, whose note is JSON in a string, and the rows that
    /// a search stops at.
    fn view() -> DocView {
        let line = |i: usize| if i == 90 || i == 599 { "a needle here".to_owned() } else { format!("line {i}") };
        let page: Vec<String> = (0..600).map(line).collect();
        let note = format!("{{\"words\":\"{}\",\"needle\":1}}", "long ".repeat(400));
        let text = format!(
            "{{\"needle\":1,\"page\":{},\"in\":[{{\"note\":{}}}],\"end\":\"short needle\"}}",
            crate::json::quote(&page.join("\n")),
            crate::json::quote(&note)
        );
        let mut view = DocView::default();
        view.set(Some(Arc::new(Doc::of(&text))));
        view
    }

    fn go(view: &mut DocView, typed: &str, is_forward: bool) -> (usize, String) {
        let pattern = Pattern::new(typed).unwrap();
        let Some(Nth { at, of }) = view.search(&pattern, CELLS, is_forward) else { return (0, String::new()) };
        assert_eq!(of, 5);
        view.scroll.show_cursor(10, view.row_count(CELLS));
        let window = view.window(Extent { width: CELLS, height: 10 }, true, None);
        let row = window.rows.iter().find(|row| row.is_cursor).map(Row::plain);
        (at + 1, row.unwrap_or_default().trim().to_owned())
    }

    #[test]
    fn a_search_unfolds_a_long_text_and_stops_at_each_row_that_matches() {
        let mut view = view();
        let stops =
            ["\"needle\": 1,", "┊ a needle here", "┊ a needle here", "┊   \"needle\": 1", "\"end\": \"short needle\""];
        for (i, row) in stops.iter().enumerate().chain(stops.iter().enumerate()) {
            assert_eq!(go(&mut view, "needle", true), (i + 1, (*row).to_owned()));
        }
        for i in [3, 2, 1, 0, 4, 3] {
            assert_eq!(go(&mut view, "needle", false), (i + 1, stops[i].to_owned()));
        }
        assert_eq!(go(&mut view, "nowhere", true), (0, String::new()));
    }

    #[test]
    fn a_search_goes_on_from_the_cursor_into_what_is_folded() {
        let mut view = view();
        view.fold_all(false);
        assert_eq!(
            [true, true, false, false, false].map(|forward| go(&mut view, "needle", forward).0),
            [1, 2, 1, 5, 4]
        );
    }
}
