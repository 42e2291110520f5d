//! The plot below the table: how the numbers of the column in focus spread.

use super::{Filtered, PaneContent, Searched, trajectories};
use crate::app::{App, Effects, Pane};
use crate::panes::{Extent, Piece, Scroll, Window};
use crate::review::{Column, FilterField, Tally};
use crate::text::{Pattern, Role};

pub(super) struct Plot;

impl PaneContent for Plot {
    fn title(&self, app: &App, role: Role, _name: &str) -> Vec<Piece> {
        let column = app.table.custom_columns.iter().find(|column| Column::Custom(column.name) == app.table.focus);
        let column = column.map(|column| format!("{} = {}", column.name.as_str(), column.expression));
        vec![Piece::of(role, &format!(" {} ", column.as_deref().unwrap_or(app.table.focus.about())))]
    }

    fn window(&self, app: &App, extent: Extent, has_focus: bool) -> Window {
        let table = &app.table;
        let tally = table.facets.tally.as_ref();
        table.plot.window(table.focus, tally, &table.filter, extent, (has_focus, &app.session.key_names))
    }

    fn is_empty(&self, app: &App) -> bool {
        app.chosen_bin().is_none()
    }

    fn scroll<'a>(&self, _app: &'a App) -> Option<&'a Scroll> {
        None
    }

    fn scroll_mut<'a>(&self, _app: &'a mut App) -> Option<&'a mut Scroll> {
        None
    }

    fn move_by(&self, _app: &mut App, _delta: isize) {}

    fn fold(&self, _app: &mut App, _is_open: Option<bool>) {}

    fn scroll_columns(&self, app: &mut App, is_right: bool) -> bool {
        app.scroll_table(is_right);
        true
    }

    fn search(&self, app: &mut App, pattern: &Pattern, is_forward: bool) -> Searched {
        let (focus, tally) = (app.table.focus, app.table.facets.tally.as_ref());
        let tally = tally.filter(|(of, _)| *of == focus).map(|(_, tally)| tally);
        Searched::Here(app.table.plot.search(tally, pattern, is_forward))
    }

    fn click(&self, _app: &mut App, _row: usize, _was_here: bool, _effects: &mut Effects) {}

    fn copy(&self, _app: &mut App) -> Option<String> {
        None
    }

    fn follow(&self, _app: &mut App, _effects: &mut Effects) {}

    fn close(&self, app: &mut App) -> bool {
        app.close_plot();
        true
    }

    fn cancel(&self, app: &mut App) -> bool {
        app.pane = Pane::Table;
        true
    }

    fn filtered(&self) -> Option<Filtered> {
        Some(Filtered::Trajectories)
    }

    fn marked_records(&self, app: &App) -> Option<Vec<usize>> {
        Some(trajectories::selected_records(app))
    }

    fn record_at_cursor(&self, app: &App) -> Option<Option<usize>> {
        Some(app.table.record())
    }
}

impl App {
    /// Shows the plot, or no longer.
    pub(in crate::app) fn toggle_plot(&mut self) {
        let is_plotted = self.is_plotting() && !self.table.plot.is_unasked(self.table.focus);
        if is_plotted && self.layout().has(Pane::Plot) {
            self.close_plot();
        } else {
            self.table.plot.is_open = Some(true);
            self.pane = Pane::Plot;
        }
    }

    fn close_plot(&mut self) {
        self.table.plot.is_open = Some(false);
        if self.pane == Pane::Plot {
            self.pane = Pane::Table;
        }
    }

    fn tally(&self) -> Option<&Tally> {
        self.table.facets.tally.as_ref().map(|(_, tally)| tally)
    }

    /// What the bar under the cursor stands for.
    pub(in crate::app) fn chosen_bin(&self) -> Option<(FilterField, String)> {
        self.table.plot.chosen(self.tally())
    }

    /// Goes some bars on.
    pub(in crate::app) fn move_bin(&mut self, delta: isize) {
        let table = &mut self.table;
        table.plot.move_by(delta, table.facets.tally.as_ref().map(|(_, tally)| tally));
    }
}
