//! A reading on screen: folds, scroll, search, code with its colours. Only the lines of the window are laid out.

use super::layout;
use super::line::{ReadingItem, ReadingLine};
use super::{Block, Reading};
use crate::panes::lazy_column::{At, Column, Items};
use crate::panes::message::{CodeLine, CodeRequest};
use crate::panes::row::next_hit;
use crate::panes::{Extent, KeyNames, Nth, Piece, Row, Window};
use crate::text::{Pattern, Role, SafeText, count_text, cut};
use std::collections::HashMap;
use std::sync::Arc;

/// Fewest lines of a long output that are shown before its middle is folded away; a higher pane shows more.
const FOLD_LINES_MIN: usize = 24;
/// Fewest lines that a fold hides.
const HIDDEN_LINES_MIN: usize = 4;
/// Numbers of readings among those of all documents whose code is coloured.
const DOCUMENTS: u64 = 1 << 63;
/// Bits of the numbers of the readings that one view shows one after the other.
const SERIES_BITS: u32 = 30;

/// What is shown: an item, or the fold of a block with the number of its lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ViewRow {
    Item(u32),
    Fold { block: u32, hidden: u32 },
}

/// A reading on screen.
#[derive(Debug, Default)]
pub struct ReadingView {
    /// Scroll and cursor.
    pub column: Column,
    reading: Option<Arc<Reading>>,
    /// Number of what is shown, among those of all views whose code is coloured.
    document: u64,
    view_rows: Vec<ViewRow>,
    /// Blocks of this reading that were opened or closed by hand.
    turned: HashMap<u32, bool>,
    /// Whether everything is opened, in this reading and those to come.
    pub is_all_open: bool,
    /// Lines of a block above which its middle is folded away.
    limit: usize,
    /// Whether words fold too, and no height of a pane counts.
    folds_words: bool,
    code: HashMap<u32, Arc<Vec<CodeLine>>>,
    /// The keys that remarks and folds speak of.
    pub key_names: KeyNames,
}

impl ReadingView {
    /// A view that folds blocks after `lines` lines.
    #[must_use]
    pub fn folding(lines: usize) -> Self {
        Self { limit: lines, folds_words: true, ..Self::default() }
    }

    /// The same view with numbers of its own, so that coloured code of another view is not taken for its own.
    #[must_use]
    pub fn numbered(self, series: u32) -> Self {
        Self { document: u64::from(series) << SERIES_BITS, ..self }
    }

    /// The same view with the keys that it speaks of.
    #[must_use]
    pub fn with_keys(self, key_names: &KeyNames) -> Self {
        Self { key_names: key_names.clone(), ..self }
    }

    /// All its rows.
    #[must_use]
    pub fn all_rows(&self, cells: usize) -> Vec<Row> {
        (0..self.view_rows.len()).flat_map(|item| self.rows(item, cells)).collect()
    }

    /// Shows a reading. Where it is that of the same step, what was opened stays, and the place.
    pub fn set(&mut self, reading: Option<Arc<Reading>>, is_same: bool) {
        self.reading = reading;
        self.document += 1;
        self.code.clear();
        if !is_same {
            self.turned.clear();
            self.column = Column::default();
        }
        self.limit = if self.limit == 0 { FOLD_LINES_MIN } else { self.limit };
        self.see();
    }

    /// The reading.
    #[must_use]
    pub fn reading(&self) -> Option<&Arc<Reading>> {
        self.reading.as_ref()
    }

    /// Takes coloured code, if it belongs to what is shown.
    pub fn set_code(&mut self, document: u64, node: u32, lines: &[CodeLine]) {
        if document == DOCUMENTS + self.document {
            self.code.insert(node, Arc::new(lines.to_vec()));
        }
    }

    fn fold_row(&self, hidden: usize, cells: usize) -> Row {
        let mut label = format!("⋯ {} more lines", count_text(hidden));
        if !self.key_names.is_empty() {
            label += &self.key_names.fill(" · {right} opens, {unfold-all} opens everything");
        }
        Row::new(vec![Piece::safe(Role::Dim, cut(&SafeText::of(&label), cells))]).remark()
    }

    /// Lists what is shown, by the folds.
    fn see(&mut self) {
        self.view_rows.clear();
        let Some(reading) = &self.reading else { return };
        let mut at = 0;
        let item = |number: usize| ViewRow::Item(u32::try_from(number).unwrap_or(u32::MAX));
        for (number, block) in (0_u32..).zip(&reading.blocks) {
            let Some(hidden) = self.hidden(number, block) else { continue };
            self.view_rows.extend((at..hidden.start).map(item));
            self.view_rows
                .push(ViewRow::Fold { block: number, hidden: u32::try_from(hidden.len()).unwrap_or(u32::MAX) });
            at = hidden.end;
        }
        self.view_rows.extend((at..reading.items.len()).map(item));
    }

    /// The items of a block that are folded away, if some are.
    fn hidden(&self, number: u32, block: &Block) -> Option<std::ops::Range<usize>> {
        let is_open = self.turned.get(&number).copied();
        let is_open = is_open.unwrap_or(self.is_all_open || !(block.is_foldable || self.folds_words));
        let head = self.limit * 2 / 3;
        let hidden = block.items.start + head..block.items.end.saturating_sub(self.limit - head);
        (!is_open && hidden.start + HIDDEN_LINES_MIN <= hidden.end).then_some(hidden)
    }

    /// Scrolls so that the cursor is visible; a pane of another height folds otherwise.
    pub fn show_cursor(&mut self, extent: Extent) {
        let limit = extent.height.saturating_sub(2).max(FOLD_LINES_MIN);
        if std::mem::replace(&mut self.limit, limit) != limit {
            self.see();
        }
        let mut column = self.column;
        column.show_cursor(self, extent);
        self.column = column;
    }

    /// Moves the cursor by some rows.
    pub fn move_by(&mut self, delta: isize, cells: usize) {
        let mut column = self.column;
        column.move_by(delta, self, cells);
        self.column = column;
    }

    /// Moves the window by some rows, and the cursor with it.
    pub fn page_by(&mut self, delta: isize, cells: usize) {
        let mut column = self.column;
        column.page_by(delta, self, cells);
        self.column = column;
    }

    /// Puts the cursor on a row of the window; whether it was there.
    pub fn click(&mut self, row: usize, cells: usize) -> bool {
        let at = self.column.at_row(row, self, cells);
        std::mem::replace(&mut self.column.cursor, at) == at
    }

    /// The block under the cursor.
    fn block(&self) -> Option<u32> {
        match *self.view_rows.get(self.column.cursor.item)? {
            ViewRow::Fold { block, .. } => Some(block),
            ViewRow::Item(item) => self.block_of(item as usize),
        }
    }

    fn block_of(&self, item: usize) -> Option<u32> {
        let blocks = &self.reading.as_ref()?.blocks;
        let number = blocks.partition_point(|block| block.items.end <= item);
        blocks.get(number).filter(|block| block.items.contains(&item))?;
        u32::try_from(number).ok()
    }

    /// Whether the cursor is on a fold.
    #[must_use]
    pub fn is_on_fold(&self) -> bool {
        matches!(self.view_rows.get(self.column.cursor.item), Some(ViewRow::Fold { .. }))
    }

    /// What the block under the cursor is, and its text, unescaped.
    #[must_use]
    pub fn source(&self) -> Option<(&str, &Arc<str>)> {
        let block = self.reading.as_ref()?.blocks.get(self.block()? as usize)?;
        Some((block.name.as_str(), &block.source))
    }

    /// Opens (`true`) or folds the block under the cursor; None turns it over. Whether that changed anything.
    pub fn set_fold(&mut self, is_open: Option<bool>) -> bool {
        let Some(number) = self.block() else { return false };
        let Some(block) = self.reading.as_ref().and_then(|reading| reading.blocks.get(number as usize)).cloned() else {
            return false;
        };
        let now = self.hidden(number, &block).is_none();
        let wanted = is_open.unwrap_or(!now);
        let item = match self.view_rows.get(self.column.cursor.item) {
            Some(ViewRow::Item(item)) => *item as usize,
            _ => block.items.start + self.limit * 2 / 3,
        };
        self.turned.insert(number, wanted);
        let is_changed = (self.hidden(number, &block).is_none()) != now;
        self.see();
        self.column.jump_to(At { item: self.place_of(item), row: 0 });
        is_changed
    }

    /// Opens everything, here and in what is shown next, or folds it again.
    pub fn fold_all(&mut self, is_open: bool) {
        let item = match self.view_rows.get(self.column.cursor.item) {
            Some(ViewRow::Item(item)) => *item as usize,
            Some(ViewRow::Fold { block, .. }) => self.reading.as_ref().map_or(0, |reading| {
                reading.blocks.get(*block as usize).map_or(0, |block| block.items.start + self.limit * 2 / 3)
            }),
            None => 0,
        };
        self.is_all_open = is_open;
        self.turned.clear();
        self.see();
        self.column.jump_to(At { item: self.place_of(item), row: 0 });
    }

    /// Where an item is shown, or the fold that hides it.
    fn place_of(&self, item: usize) -> usize {
        let blocks = self.reading.as_ref().map_or(&[][..], |reading| &reading.blocks);
        let first = |seen: &ViewRow| match seen {
            ViewRow::Item(item) => *item as usize,
            ViewRow::Fold { block, .. } => {
                blocks.get(*block as usize).map_or(0, |b| b.items.start + self.limit * 2 / 3)
            }
        };
        self.view_rows.partition_point(|seen| first(seen) <= item).saturating_sub(1)
    }

    /// Puts the cursor on the next or previous line that matches, around the end, opening the fold that hides it.
    pub fn search(&mut self, pattern: &Pattern, is_forward: bool) -> Option<Nth> {
        let reading = self.reading.clone()?;
        let is_hit = |item: &ReadingItem| match item {
            ReadingItem::Line(line) => line.is_match(pattern),
            ReadingItem::Table(table) => table.cells.iter().flatten().any(|(_, text)| pattern.is_match(text)),
            ReadingItem::Rule(_) | ReadingItem::Remark(_) => false,
        };
        let hits: Vec<usize> = (0..reading.items.len()).filter(|item| is_hit(&reading.items[*item])).collect();
        let here = match self.view_rows.get(self.column.cursor.item) {
            Some(ViewRow::Item(item)) => *item as usize,
            Some(ViewRow::Fold { block, .. }) => reading.blocks[*block as usize].items.start + self.limit * 2 / 3 - 1,
            None => 0,
        };
        let found = next_hit(&hits, &here, is_forward)?;
        let item = hits[found.at];
        if let Some(block) = self.block_of(item)
            && self.hidden(block, &reading.blocks[block as usize]).is_some_and(|hidden| hidden.contains(&item))
        {
            self.turned.insert(block, true);
            self.see();
        }
        self.column.jump_to(At { item: self.place_of(item), row: 0 });
        Some(found)
    }

    /// Puts the cursor on the first line that matches.
    pub fn search_from_top(&mut self, pattern: &Pattern) {
        let is_hit = |item: &ReadingItem| matches!(item, ReadingItem::Line(line) if line.is_match(pattern));
        let is_first = self.reading.as_ref().and_then(|reading| reading.items.first()).is_some_and(is_hit);
        if !is_first {
            self.search(pattern, true);
        }
    }

    /// Code among the rows of a window that is not coloured yet.
    #[must_use]
    pub fn code_requests(&self, extent: Extent) -> Vec<CodeRequest> {
        let Some(reading) = self.reading.clone() else { return Vec::new() };
        let shown = self.view_rows.iter().skip(self.column.top.item).take(extent.height);
        let codes = shown.filter_map(|seen| match seen {
            ViewRow::Item(item) => match reading.items.get(*item as usize)? {
                ReadingItem::Line(ReadingLine { code: Some((code, _)), .. }) => Some(*code),
                _ => None,
            },
            ViewRow::Fold { .. } => None,
        });
        let mut codes: Vec<u32> = codes.collect();
        codes.dedup();
        codes.retain(|code| !self.code.contains_key(code));
        let request = |number: u32| {
            let code = reading.codes.get(number as usize)?;
            let language = Some(code.language.clone()).filter(|language| !language.is_empty());
            let (document, text) = (DOCUMENTS + self.document, Arc::clone(&code.text));
            Some(CodeRequest { document, node: number, key: "code".to_owned(), language, text })
        };
        codes.into_iter().filter_map(request).collect()
    }

    /// The visible rows.
    #[must_use]
    pub fn window(&self, extent: Extent, has_focus: bool) -> Window {
        self.column.window(self, extent, has_focus)
    }
}

impl Items for ReadingView {
    fn count(&self) -> usize {
        self.view_rows.len()
    }

    fn height(&self, item: usize, cells: usize) -> usize {
        self.rows(item, cells).len().max(1)
    }

    fn rows(&self, item: usize, cells: usize) -> Vec<Row> {
        let (Some(reading), Some(seen)) = (&self.reading, self.view_rows.get(item)) else { return Vec::new() };
        // A blank column is between the border of the pane and its text.
        let inside = cells.saturating_sub(usize::from(cells > 2));
        let mut rows = match *seen {
            ViewRow::Fold { hidden, .. } => vec![self.fold_row(hidden as usize, inside)],
            ViewRow::Item(item) => {
                let item = &reading.items[item as usize];
                let code = match item {
                    ReadingItem::Line(ReadingLine { code: Some((code, line)), .. }) => {
                        self.code.get(code).and_then(|lines| lines.get(*line as usize))
                    }
                    _ => None,
                };
                match item {
                    ReadingItem::Remark(text) => {
                        layout::rows(&ReadingItem::Remark(self.key_names.remark(text)), inside, code)
                    }
                    _ => layout::rows(item, inside, code),
                }
            }
        };
        for row in rows.iter_mut().filter(|_| inside < cells) {
            row.left.insert(0, Piece::safe(Role::Text, SafeText::literal(" ")));
            if let Some(around) = &mut row.around {
                around.first += 1;
            }
        }
        rows
    }
}
