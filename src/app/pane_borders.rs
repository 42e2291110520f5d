//! Borders between panes: which there are, where they were moved to, and the one that the mouse holds.

use super::App;
use super::layout::Area;

/// Columns by which a key moves a border.
const KEY_COLUMNS: i16 = 4;
/// Rows by which a key moves one.
const KEY_ROWS: i16 = 1;

/// A border that can be moved, by what gets its room from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Split {
    /// Between the steps and the state, of three panes.
    Steps,
    /// Between the state and the inspector, of three panes.
    Inspector,
    /// Between the steps and the other, of two panes.
    Pair,
    /// Between the table and the values of a column.
    Facets,
    /// Between the table and the plot below it.
    Plot,
}

/// The cells that a pane was given, of how many, so that its share is the same on a screen of another size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Share {
    cells: u16,
    of: u16,
}

/// Where borders were moved to; those that never were are where the layout puts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Splits([Option<Share>; 5]);

impl Splits {
    /// The cells that a border gives its pane, of `of`: `default` while it was not moved, and always within bounds.
    #[must_use]
    pub fn cells(&self, split: Split, of: u16, default: u16, (least, most): (u16, u16)) -> u16 {
        let share = |share: Share| {
            let cells = (u32::from(share.cells) * u32::from(of) + u32::from(share.of) / 2) / u32::from(share.of.max(1));
            u16::try_from(cells).unwrap_or(u16::MAX)
        };
        self.0[split as usize].map_or(default, share).clamp(least, most.max(least))
    }
}

/// Where a border is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Border {
    /// Which it is.
    pub split: Split,
    /// The cells by which it is taken: the edges of both panes.
    pub area: Area,
    /// Whether one of the panes is above the other, not beside it.
    pub is_level: bool,
    /// The first column or row after it.
    at: u16,
    /// The first column or row of the panes, and the first after them.
    within: (u16, u16),
}

impl Border {
    /// The border `columns` columns from the left of an area.
    #[must_use]
    pub fn beside(split: Split, body: Area, columns: u16) -> Self {
        let at = body.x + columns;
        let area = Area { x: at.saturating_sub(1), width: 2, ..body };
        Self { split, area, is_level: false, at, within: (body.x, body.x + body.width) }
    }

    /// The border `rows` rows from the top of an area.
    #[must_use]
    pub fn below(split: Split, body: Area, rows: u16) -> Self {
        let at = body.y + rows;
        let area = Area { y: at.saturating_sub(1), height: 2, ..body };
        Self { split, area, is_level: true, at, within: (body.y, body.y + body.height) }
    }

    /// What its pane has if it precedes a column or row.
    fn share(&self, at: u16) -> Share {
        let (start, end) = self.within;
        let at = at.clamp(start, end);
        let is_pane_behind = matches!(self.split, Split::Inspector | Split::Facets | Split::Plot);
        Share { cells: if is_pane_behind { end - at } else { at - start }, of: end - start }
    }
}

/// What the mouse holds between the press of its button and the release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DragState {
    /// The timeline.
    Timeline,
    /// A border, and whether by the cell after it.
    Border(Split, bool),
}

impl App {
    /// Takes the border under a cell, if there is one.
    pub(super) fn take_border(&mut self, column: u16, row: u16) -> Option<Border> {
        let found = self.layout().borders.into_iter().find(|border| border.area.contains(column, row));
        self.drag = found.map(|border| {
            let at = if border.is_level { row } else { column };
            DragState::Border(border.split, at >= border.at)
        });
        found
    }

    /// Moves a border to where the mouse is.
    pub(super) fn drag_border(&mut self, split: Split, is_behind: bool, (column, row): (u16, u16)) {
        let Some(border) = self.border(split) else { return };
        let at = if border.is_level { row } else { column };
        self.move_border(border, at.saturating_add(u16::from(!is_behind)));
    }

    /// Gives the pane with the cursor more room, or less.
    pub(super) fn resize_pane(&mut self, is_more: bool) {
        let layout = self.layout();
        let Some(area) = layout.panes.iter().find(|(pane, _)| *pane == self.main_pane()).map(|(_, area)| *area) else {
            return;
        };
        let ends = |border: &Border| {
            if border.is_level { (area.y, area.y + area.height) } else { (area.x, area.x + area.width) }
        };
        let is_its = |border: &&Border| border.at == ends(border).0 || border.at == ends(border).1;
        let Some(border) = layout.borders.iter().find(is_its).copied() else {
            return self.notify("nothing is beside this pane that could give it room");
        };
        let is_behind = border.at == ends(&border).1;
        let cells = if border.is_level { KEY_ROWS } else { KEY_COLUMNS };
        let step = if is_more == is_behind { cells } else { -cells };
        self.move_border(border, border.at.saturating_add_signed(step));
        if self.border(border.split) == Some(border) {
            self.notify(if is_more { "what is beside it has its least" } else { "this pane has its least" });
        }
    }

    fn border(&self, split: Split) -> Option<Border> {
        self.layout().borders.into_iter().find(|border| border.split == split)
    }

    /// Moves a border before a column or row. Kept is where it could go, so that it follows at once when it is moved
    /// back.
    fn move_border(&mut self, border: Border, to: u16) {
        self.splits.0[border.split as usize] = Some(border.share(to));
        if let Some(now) = self.border(border.split) {
            self.splits.0[border.split as usize] = Some(now.share(now.at));
        }
    }
}
