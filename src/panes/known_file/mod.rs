//! A file as the agent knew it at the step in focus: who wrote or first showed each line, what was never shown to it.
//!
//! The rows are laid out once for a file and a step ([`FileLayout`]); texts, signs and colours are looked up when
//! shown.

mod colours;
mod detail;
mod layout;
mod list;
mod rows;

pub use colours::{ColourRequest, Colours};
pub use detail::detail;
pub use layout::{FileKey, FileLayout, FileMode, FileRow};
pub(in crate::panes) use list::{DOUBT_CELLS, delta, failures, last_step, last_word};
pub use list::{FileList, known_words, short_words};

use super::{Extent, Hit, Nth, Open, Scroll, Window};
use crate::model::StepNo;
use crate::rules::work::{FileId, LineId, Replaced, Work};
use crate::text::Pattern;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// Most steps whose changes the cache holds.
const CHANGES_MAX: usize = 256;

/// A file on screen: cursor, layout, what lines replaced.
#[derive(Debug, Default)]
pub struct KnownFilePane {
    /// Scroll and cursor, in rows of the layout.
    pub scroll: Scroll,
    /// The colours of its lines.
    pub colours: Colours,
    layout: Option<(FileKey, Arc<FileLayout>)>,
    changes: RefCell<HashMap<(u64, FileId, StepNo), Rc<Replaced>>>,
}

impl KnownFilePane {
    /// The layout on screen.
    #[must_use]
    pub fn layout(&self) -> Option<&FileLayout> {
        self.layout.as_ref().map(|(_, layout)| layout.as_ref())
    }

    /// The file, step and look that the layout belongs to.
    #[must_use]
    pub fn key(&self) -> Option<&FileKey> {
        self.layout.as_ref().map(|(key, _)| key)
    }

    /// Shows a layout. The cursor stays on its line; where the step wrote or showed lines of the file, it goes to the
    /// first of them unless one is in view.
    pub fn set(&mut self, key: FileKey, layout: Arc<FileLayout>, height: usize) {
        let before = self.layout.take();
        let is_same_file =
            before.as_ref().is_some_and(|(old, _)| (old.generation, old.file) == (key.generation, key.file));
        let is_new_look = before.as_ref().is_none_or(|(old, _)| old.look != key.look);
        if !is_same_file {
            self.scroll = Scroll::default();
            self.colours.clear();
            self.changes.borrow_mut().clear();
        }
        if is_same_file && let Some((_, old)) = &before {
            self.keep_line(old, &layout);
        }
        let is_seen = |row: usize| (self.scroll.top..self.scroll.top + height).contains(&row);
        let has_new_step = !is_same_file || is_new_look || before.is_none_or(|(old, _)| old.step != key.step);
        if let Some(first) = layout.first_new().filter(|_| has_new_step)
            && (is_new_look || !is_same_file || !layout.new_rows().any(is_seen))
        {
            self.scroll.jump_to(first);
        }
        self.layout = Some((key, layout));
    }

    /// Puts cursor and window where their lines are in another layout.
    fn keep_line(&mut self, old: &FileLayout, new: &FileLayout) {
        let from_top = self.scroll.cursor.saturating_sub(self.scroll.top);
        let row = match old.items().get(self.scroll.cursor) {
            Some(item) => item.id().and_then(|id| new.row_of(id)).or_else(|| Some(new.row_of_number(item.number()?))),
            None => None,
        };
        if let Some(row) = row {
            self.scroll.cursor = row;
            self.scroll.top = row.saturating_sub(from_top);
        }
    }

    /// The lines that a step replaced, from a bounded cache.
    fn replaced(&self, open: &Open<'_>, file: FileId, step: StepNo) -> Rc<Replaced> {
        let key = (open.session.content_version(), file, step);
        if let Some(found) = self.changes.borrow().get(&key) {
            return Rc::clone(found);
        }
        let replaced = Rc::new(open.run().work().map(|work| work.replaced(file, step)).unwrap_or_default());
        let mut changes = self.changes.borrow_mut();
        if changes.len() >= CHANGES_MAX {
            changes.clear();
        }
        changes.insert(key, Rc::clone(&replaced));
        replaced
    }

    /// The line under the cursor.
    #[must_use]
    pub fn line(&self) -> Option<LineId> {
        self.layout()?.items().get(self.scroll.cursor)?.id()
    }

    /// Requests highlighting for lines of the window that have none yet.
    pub fn ask_colours(&mut self, work: &Work, window: (usize, usize)) -> Option<ColourRequest> {
        let (_, layout) = self.layout.as_ref()?;
        self.colours.ask(work, layout, window)
    }

    /// The visible rows.
    #[must_use]
    pub fn window(&self, open: &Open<'_>, extent: Extent, has_focus: bool) -> Window {
        let (Some((key, layout)), Some(work)) = (&self.layout, open.run().work()) else { return Window::default() };
        let total = layout.items().len();
        let top = self.scroll.top.min(total);
        let shape = rows::RowShape::of(open, layout, extent.width, self.scroll.aside);
        let row = |at: usize| {
            let row = rows::row(self, open, work, (key, layout), &layout.items()[at], &shape);
            row.hit(Hit::Row(at)).cursor(has_focus && at == self.scroll.cursor)
        };
        Window { rows: (top..total.min(top + extent.height)).map(row).collect(), top, total }
    }

    /// Puts the cursor on the next or previous line that matches, around the end. Returns which match it is.
    pub fn search(&mut self, open: &Open<'_>, pattern: &Pattern, is_forward: bool) -> Option<Nth> {
        let work = open.run().work()?;
        let (_, layout) = self.layout.as_ref()?;
        let is_hit =
            |item: &FileRow| item.id().and_then(|id| work.line(id)).is_some_and(|(text, _)| pattern.is_match(text));
        let items = layout.items().iter().enumerate();
        let hits: Vec<usize> = items.filter(|(_, item)| is_hit(item)).map(|(row, _)| row).collect();
        self.scroll.move_to_hit(&hits, is_forward)
    }
}
