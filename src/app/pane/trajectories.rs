//! The table: the trajectories of a dataset.

use super::{Filtered, PaneContent, Position, Searched};
use crate::app::{App, Effects, Pane, SearchPosition};
use crate::panes::{Extent, Piece, Scroll, Window};
use crate::review::Filter;
use crate::text::{Pattern, Role};

pub(super) struct Trajectories;

impl PaneContent for Trajectories {
    fn title(&self, app: &App, role: Role, name: &str) -> Vec<Piece> {
        let selected = app.table.selected().map(|range| format!("{} selected ", range.count()));
        let selected = selected.map(|text| Piece::of(Role::Accent, &text));
        let empty = app.table.empty_columns_label(app.pane_extent(Pane::Table).width);
        let empty = Some(empty).filter(|label| !label.is_empty()).map(|label| Piece::of(Role::Dim, &label));
        std::iter::once(Piece::of(role, &format!(" {name} "))).chain(selected).chain(empty).collect()
    }

    fn header_note(&self, app: &App, room: usize) -> Vec<Piece> {
        let piece = Piece::of(Role::Dim, &format!(" {}", app.table.empty_columns_label(0)));
        Some(piece).filter(|piece| piece.width() <= room).into_iter().collect()
    }

    fn window(&self, app: &App, extent: Extent, _has_focus: bool) -> Window {
        app.table.window(&app.session, extent)
    }

    fn is_empty(&self, app: &App) -> bool {
        app.table.count(&app.session) == 0
    }

    fn scroll<'a>(&self, _app: &'a App) -> Option<&'a Scroll> {
        None
    }

    fn scroll_mut<'a>(&self, _app: &'a mut App) -> Option<&'a mut Scroll> {
        None
    }

    fn position(&self, app: &App) -> Option<Position> {
        Some(Position::Rows(app.table.scroll))
    }

    fn return_to(&self, app: &mut App, position: Position) {
        if let Position::Rows(scroll) = position {
            app.table.scroll = scroll;
        }
    }

    fn move_by(&self, app: &mut App, delta: isize) {
        let rows = app.table.count(&app.session);
        app.table.scroll.move_by(delta, rows);
    }

    fn fold(&self, _app: &mut App, _is_open: Option<bool>) {}

    fn scroll_columns(&self, app: &mut App, is_right: bool) -> bool {
        app.scroll_table(is_right);
        true
    }

    fn search(&self, app: &mut App, _pattern: &Pattern, _is_forward: bool) -> Searched {
        app.table.record().map_or(Searched::Nothing, |record| Searched::Outside(SearchPosition::Record(record)))
    }

    fn click(&self, app: &mut App, row: usize, was_here: bool, effects: &mut Effects) {
        let is_again = was_here && app.table.scroll.cursor == row;
        app.table.scroll.cursor = row;
        if is_again {
            self.follow(app, effects);
        }
    }

    /// Sorts by the column whose heading was clicked on.
    fn click_heading(&self, app: &mut App, cell: usize) {
        let extent = app.pane_extent(Pane::Table);
        if let Some(column) = app.table.heading_at(&app.session, extent, cell) {
            app.table.focus = column;
            app.sort();
        }
    }

    fn copy(&self, app: &mut App) -> Option<String> {
        app.record_text(app.table.record()?)
    }

    fn follow(&self, app: &mut App, effects: &mut Effects) {
        let Some(record) = app.table.record() else { return };
        if app.session.run.is_some() && app.session.trajectory == record {
            app.pane = Pane::Steps;
        } else {
            app.open_record(record, effects);
        }
    }

    fn after_update(&self, app: &mut App, effects: &mut Effects) {
        app.settle_order(effects);
        let height = app.pane_extent(Pane::Table).height.saturating_sub(1);
        let rows = app.table.count(&app.session);
        app.table.scroll.show_cursor(height, rows);
        app.settle_table(effects);
    }

    fn end_selection(&self, app: &mut App) -> bool {
        app.table.anchor.take().is_some()
    }

    fn cancel(&self, app: &mut App) -> bool {
        let is_filtered = !app.table.filter.is_empty();
        if is_filtered {
            app.table.filter = Filter::default();
        }
        is_filtered
    }

    fn filtered(&self) -> Option<Filtered> {
        Some(Filtered::Trajectories)
    }

    fn marked_records(&self, app: &App) -> Option<Vec<usize>> {
        Some(selected_records(app))
    }

    fn record_at_cursor(&self, app: &App) -> Option<Option<usize>> {
        Some(app.table.record())
    }
}

/// The records that are selected, else the one under the cursor.
pub(super) fn selected_records(app: &App) -> Vec<usize> {
    let here = app.table.scroll.cursor;
    let rows = app.table.selected().unwrap_or(here..=here);
    rows.filter_map(|row| app.table.record_at(row)).collect()
}
