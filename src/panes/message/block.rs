//! A long string of a document as lines: decoded, wrapped, and as much of it as is unfolded.

use crate::json;
use crate::panes::json_outline::Doc;
use crate::panes::value::size_text;
use crate::text::{width, wrap};
use std::ops::Range;
use std::sync::Arc;

/// Lines that a string shows before it is opened, and the source bytes read for them.
pub(super) const STRING_LINES_CLOSED: usize = 24;
const STRING_BYTES_CLOSED: usize = 16 << 10;
/// The same for an opened string.
const STRING_LINES_OPEN: usize = 20_000;
const STRING_BYTES_OPEN: usize = 1 << 20;

/// Most bytes after a row in which the end of its line is looked for.
const LINE_BYTES_MAX: usize = 1 << 10;

/// Strings up to this length are never laid out as a block.
const SHORT_BYTES: usize = 40;

/// A row of a string: the number of its line, the byte at which the line begins, and the bytes of the row in it.
#[derive(Debug)]
pub(super) struct TextRow {
    pub(super) line: u32,
    pub(super) from: usize,
    pub(super) range: Range<usize>,
}

#[derive(Debug)]
pub(super) struct Block {
    pub(super) text: Arc<str>,
    pub(super) lines: Vec<TextRow>,
    /// How long it is, and the actions that show more of it.
    pub(super) note: String,
    pub(super) is_whole: bool,
}

impl Block {
    /// The whole line that a row is a part of.
    pub(super) fn line(&self, row: &TextRow) -> &str {
        let rest = self.text.get(row.from..).unwrap_or_default();
        // Not further than marks are looked for, so that a row of a line of a megabyte is as cheap as any.
        let end = rest.as_bytes().iter().skip(row.range.end).take(LINE_BYTES_MAX).position(|b| *b == b'\n');
        let end = end.map_or(row.range.end + LINE_BYTES_MAX, |at| row.range.end + at).min(rest.len());
        &rest[..(0..=end).rev().find(|at| rest.is_char_boundary(*at)).unwrap_or(0)]
    }
}

/// A string as lines below its key; None where it is beside it.
pub(super) fn string_block(doc: &Doc, at: usize, opened: Option<bool>, cells: usize) -> Option<Block> {
    let indent = usize::from(doc.nodes()[at].depth) * 2;
    let room = cells.saturating_sub(indent + 4).max(8);
    let used = doc.key(at).map_or(0, |k| width(&k) + 4);
    let source = doc.source(at);
    // A short one stays on its line even where that cuts its end off: a block of two lines would say no more.
    if source.len() <= room.saturating_sub(used).max(SHORT_BYTES) && !source.contains("\\n") {
        return None;
    }
    let block = block(doc, at, opened, room);
    let fits = || source.len() < 200 && width(&block.text) + used + indent + 2 <= cells;
    (block.lines.len() > 1 || !block.is_whole || !fits()).then_some(block)
}

/// The lines of a string: decoded, split, wrapped; an opened string that is JSON itself is laid out.
fn block(doc: &Doc, at: usize, opened: Option<bool>, cells: usize) -> Block {
    let (lines_max, bytes_max) = match opened {
        Some(true) => (STRING_LINES_OPEN, STRING_BYTES_OPEN),
        Some(false) => (1, 400),
        None => (STRING_LINES_CLOSED, STRING_BYTES_CLOSED),
    };
    let (text, is_all) = doc.string_head(at, bytes_max);
    let mut text = text.into_owned();
    if opened == Some(true)
        && is_all
        && text.trim_start().starts_with(['{', '['])
        && let Ok(value) = json::parse_lenient(&text)
    {
        text = json::pretty(&value);
    }
    let mut lines = Vec::new();
    let mut is_cut = false;
    let mut from = 0;
    'lines: for (i, line) in text.split('\n').enumerate() {
        for range in wrap(line, cells) {
            if lines.len() == lines_max {
                is_cut = true;
                break 'lines;
            }
            lines.push(TextRow { line: u32::try_from(i).unwrap_or(u32::MAX), from, range });
        }
        from += line.len() + 1;
    }
    let size = size_text(doc.source(at).len() as u64);
    let note = if opened == Some(true) {
        format!("… {size} in all; {{raw}} shows the raw record, {{edit}} opens the file in your editor")
    } else {
        format!("… {size} in all; {{right}} opens it")
    };
    Block { text: text.into(), lines, note, is_whole: is_all && !is_cut }
}
