//! What both runs say at the row in focus: each message to read, the words that differ set off, or as JSON where its
//! format knows no messages.

use super::columns::Columns;
use super::{Side, TwoRuns};
use crate::model::{StepNo, lossy};
use crate::panes::json_outline::Doc;
use crate::panes::message::DocView;
use crate::panes::reading::{Reading, ReadingView, Step, head, mark_differences};
use crate::panes::value::size_text;
use crate::panes::{Extent, KeyNames, Nth, Piece, Row, Window};
use crate::text::{Pattern, Role};
use std::sync::Arc;

/// Larger messages, with their results, are named and not laid out, in bytes.
const MESSAGE_BYTES_MAX: u64 = 96 << 10;

/// The message of a side.
#[derive(Debug, Default)]
enum SideMessage {
    /// The side has none in this row.
    #[default]
    Absent,
    /// It is too large: bytes.
    Large(u64),
    /// To read.
    Reading,
    /// As JSON.
    Document,
}

/// The message of a side before it is on screen.
enum Content {
    Absent,
    Large(u64),
    Reading(Reading),
    Document(Doc),
}

/// Reads the message of a step.
fn content(side: &Side, step: Option<StepNo>) -> Content {
    let read = |step: StepNo| {
        let open = side.session.open()?;
        let of = Step { call: None, ..Step::of(open.run(), step) };
        let size = of.size(open.run());
        if size > MESSAGE_BYTES_MAX {
            return Some(Content::Large(size));
        }
        if let Some(reading) = of.read(open.run(), open.bytes(), &open.folder()) {
            return Some(Content::Reading(reading));
        }
        let text = open.bytes().read(open.run().place(step)?.place.span).ok()?;
        Some(Content::Document(Doc::of(&lossy(&text))))
    };
    step.and_then(read).unwrap_or(Content::Absent)
}

/// The message of a side on screen.
#[derive(Debug, Default)]
struct MessageView {
    step: Option<StepNo>,
    shown: SideMessage,
    reading: ReadingView,
    document: DocView,
}

/// The messages of both sides.
#[derive(Debug, Default)]
pub struct MessagePair {
    views: [MessageView; 2],
    /// The row that they are of.
    row: Option<usize>,
}

impl MessagePair {
    /// Gives them the keys that they speak of.
    pub fn set_key_names(&mut self, names: &KeyNames) {
        for view in &mut self.views {
            view.reading.key_names = names.clone();
            view.document.key_names = names.clone();
        }
    }

    /// Shows the messages of a row.
    pub fn show(&mut self, runs: &TwoRuns, row: usize) {
        if self.row.replace(row) == Some(row) {
            return;
        }
        let steps = [0, 1].map(|side| runs.rows.get(row).and_then(|row| row.step(side)));
        let mut contents = [0, 1].map(|side| content(&runs.sides[side], steps[side]));
        if let [Content::Reading(left), Content::Reading(right)] = &mut contents {
            mark_differences(left, right);
        }
        for ((view, step), content) in self.views.iter_mut().zip(steps).zip(contents) {
            view.set(step, content);
        }
    }

    /// Scrolls so that the cursors are visible.
    pub fn show_cursor(&mut self, extent: Extent, front: usize) {
        let columns = Columns::of(extent.width, front);
        let height = extent.height.saturating_sub(1);
        for (side, view) in self.views.iter_mut().enumerate() {
            let Some(width) = columns.cells(side) else { continue };
            match view.shown {
                SideMessage::Reading => view.reading.show_cursor(Extent { width, height }),
                SideMessage::Document => {
                    let rows = view.document.row_count(width);
                    view.document.scroll.show_cursor(height, rows);
                }
                SideMessage::Absent | SideMessage::Large(_) => {}
            }
        }
    }

    /// Scrolls both by some rows.
    pub fn move_by(&mut self, delta: isize, is_page: bool, extent: Extent, front: usize) {
        let columns = Columns::of(extent.width, front);
        for (side, view) in self.views.iter_mut().enumerate() {
            let cells = columns.cells(side).unwrap_or(extent.width);
            match (&view.shown, is_page) {
                (SideMessage::Reading, true) => view.reading.page_by(delta, cells),
                (SideMessage::Reading, false) => view.reading.move_by(delta, cells),
                (SideMessage::Document, _) => view.document.move_by(delta, cells),
                (SideMessage::Absent | SideMessage::Large(_), _) => {}
            }
        }
    }

    /// Opens or folds everything.
    pub fn fold_all(&mut self, is_open: bool) {
        for view in &mut self.views {
            view.reading.fold_all(is_open);
            if matches!(view.shown, SideMessage::Document) {
                view.document.fold_all(is_open);
            }
        }
    }

    /// Opens everything if that was asked for before.
    pub fn open_as(&mut self, before: &Self) {
        for (view, before) in self.views.iter_mut().zip(&before.views) {
            view.reading.is_all_open = before.reading.is_all_open;
        }
    }

    /// Opens what is folded under the cursor of a side, or folds it.
    pub fn toggle_fold(&mut self, side: usize, extent: Extent) {
        let cells = Columns::of(extent.width, side).cells(side).unwrap_or(extent.width);
        let view = &mut self.views[side];
        match view.shown {
            SideMessage::Reading => {
                view.reading.set_fold(None);
            }
            SideMessage::Document => view.document.set_fold(None, cells),
            SideMessage::Absent | SideMessage::Large(_) => {}
        }
    }

    /// Puts the cursor of a side on the next or previous match; which one it is.
    pub fn search(&mut self, side: usize, pattern: &Pattern, cells: usize, is_forward: bool) -> Option<Nth> {
        let cells = Columns::of(cells, side).cells(side).unwrap_or(cells);
        let view = &mut self.views[side];
        match view.shown {
            SideMessage::Reading => view.reading.search(pattern, is_forward),
            SideMessage::Document => view.document.search(pattern, cells, is_forward),
            SideMessage::Absent | SideMessage::Large(_) => None,
        }
    }

    /// The text under the cursor of a side.
    #[must_use]
    pub fn text(&self, side: usize) -> Option<String> {
        let view = &self.views[side];
        match view.shown {
            SideMessage::Reading => view.reading.source().map(|(_, text)| text.to_string()),
            SideMessage::Document => view.document.doc().map(|doc| doc.source(0).to_owned()),
            SideMessage::Absent | SideMessage::Large(_) => None,
        }
    }

    /// The visible rows: who says what on both sides, and the messages below.
    #[must_use]
    pub fn window(&self, runs: &TwoRuns, front: usize, extent: Extent, has_focus: bool) -> Window {
        let columns = Columns::of(extent.width, front);
        let height = extent.height.saturating_sub(1);
        let sides = [0, 1].map(|side| {
            let width = columns.cells(side).unwrap_or(0);
            let extent = Extent { width, height };
            self.views[side].rows(&runs.sides[side], extent, has_focus && side == front)
        });
        let [(left, a), (right, b)] = sides;
        let middle = || Piece::of(Role::Border, "│");
        let mut rows = vec![columns.join([left, right], middle()).fixed(usize::MAX)];
        let count = [(0, a.rows.len()), (1, b.rows.len())];
        let shown = count.iter().filter(|(side, _)| columns.cells(*side).is_some()).map(|(_, n)| *n).max();
        // The line between them goes down to the bottom.
        let shown = if columns.is_both() { height } else { shown.unwrap_or(0).min(height) };
        for i in 0..shown {
            let row = |window: &Window| window.rows.get(i).cloned().unwrap_or_default();
            let [left, right] = [row(&a), row(&b)];
            let is_cursor = left.is_cursor || right.is_cursor;
            rows.push(columns.join([left, right], middle()).cursor(is_cursor));
        }
        let front = if front == 0 { &a } else { &b };
        Window { rows, top: front.top, total: front.total }
    }
}

impl MessageView {
    fn set(&mut self, step: Option<StepNo>, content: Content) {
        let is_same = self.step == step;
        self.step = step;
        self.shown = match content {
            Content::Absent => SideMessage::Absent,
            Content::Large(bytes) => SideMessage::Large(bytes),
            Content::Reading(reading) => {
                self.reading.set(Some(Arc::new(reading)), is_same);
                SideMessage::Reading
            }
            Content::Document(doc) => {
                self.document.set(Some(Arc::new(doc)));
                SideMessage::Document
            }
        };
    }

    fn rows(&self, side: &Side, extent: Extent, has_focus: bool) -> (Row, Window) {
        let notice = |text: &str| Window::notice(&[text], extent.width);
        let heading = self.step.and_then(|step| {
            let open = side.session.open()?;
            let of = Step { call: None, ..Step::of(open.run(), step) };
            Some(head::of_step(&open, &of, &[], extent.width))
        });
        let window = match &self.shown {
            SideMessage::Absent => notice("No such step in this run."),
            SideMessage::Large(bytes) => {
                let opens = self.reading.key_names.fill("{follow} opens the run at this step");
                notice(&format!("{} · {opens}", size_text(*bytes)))
            }
            SideMessage::Reading => self.reading.window(extent, has_focus),
            SideMessage::Document => self.document.window(extent, has_focus, None),
        };
        (heading.unwrap_or_default(), window)
    }
}
