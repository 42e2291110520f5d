//! The steps of two runs, aligned.

use super::{PaneContent, Position, Searched};
use crate::app::{App, Effects, Pane};
use crate::panes::row::Nth;
use crate::panes::two_runs::{TwoRuns, steps};
use crate::panes::{Extent, Piece, Row, Scroll, Window};
use crate::text::{Pattern, Role, SafeText, cut};

/// Most rows that a search looks at before it asks to go on.
const SEARCHED_ROWS_MAX: usize = 2_000;

/// On a narrower screen the line at the top has no names.
const NARROW_CELLS: usize = 70;

pub(super) struct AlignedSteps;

impl PaneContent for AlignedSteps {
    fn header(&self, app: &App, cells: usize) -> Option<(Vec<Piece>, Vec<Piece>)> {
        Some(header(app, cells))
    }

    fn title(&self, app: &App, role: Role, name: &str) -> Vec<Piece> {
        let pieces = app.two_runs.runs.as_ref().map(steps::counts).unwrap_or_default();
        let name = Piece::of(role, &format!(" {name} "));
        std::iter::once(name).chain(pieces).chain([Piece::of(Role::Text, " ")]).collect()
    }

    fn window(&self, app: &App, extent: Extent, _has_focus: bool) -> Window {
        let view = &app.two_runs;
        match &view.runs {
            Some(runs) => steps::window(runs, &view.scroll, view.front, extent),
            None => Window::notice(&[view.status.as_str()], extent.width),
        }
    }

    fn head(&self, app: &App, extent: Extent) -> Vec<Row> {
        app.two_runs.runs.as_ref().map_or_else(Vec::new, |runs| steps::head(runs, app.two_runs.front, extent))
    }

    fn is_empty(&self, app: &App) -> bool {
        is_empty(app)
    }

    fn scroll<'a>(&self, app: &'a App) -> Option<&'a Scroll> {
        Some(&app.two_runs.scroll)
    }

    fn scroll_mut<'a>(&self, app: &'a mut App) -> Option<&'a mut Scroll> {
        Some(&mut app.two_runs.scroll)
    }

    fn row_count(&self, app: &mut App, _cells: usize) -> usize {
        app.two_runs.runs.as_ref().map_or(0, |runs| runs.rows.len())
    }

    fn fold(&self, app: &mut App, is_open: Option<bool>) {
        is_open.into_iter().for_each(|is_right| app.front_run(is_right));
    }

    fn fold_all(&self, app: &mut App, is_open: bool) {
        app.two_runs.messages.fold_all(is_open);
    }

    fn scroll_columns(&self, app: &mut App, is_right: bool) -> bool {
        app.front_run(is_right);
        true
    }

    fn search(&self, app: &mut App, pattern: &Pattern, is_forward: bool) -> Searched {
        let here = app.two_runs.scroll.cursor;
        let Some(runs) = app.two_runs.runs.as_ref().filter(|runs| !runs.rows.is_empty()) else {
            return Searched::Nothing;
        };
        match search(runs, here, pattern, is_forward) {
            Ok(found) => {
                found.into_iter().for_each(|row| app.two_runs.scroll.jump_to(row));
                Searched::Here(found.map(|_| Nth { at: 0, of: 1 }))
            }
            Err(row) => {
                app.two_runs.scroll.jump_to(row);
                app.notify(format!(
                    "nothing in {SEARCHED_ROWS_MAX} rows; {}",
                    app.hint("{search-next} goes on from here")
                ));
                Searched::Nothing
            }
        }
    }

    /// Rows are read to be searched: only when the pattern is whole.
    fn position(&self, _app: &App) -> Option<Position> {
        None
    }

    fn copy(&self, app: &mut App) -> Option<String> {
        let view = &app.two_runs;
        let [left, right] = steps::row_texts(view.runs.as_ref()?, view.scroll.cursor);
        Some(if view.front == 0 { left } else { right })
    }

    fn copy_path(&self, _app: &mut App) -> Option<String> {
        None
    }

    fn follow(&self, app: &mut App, effects: &mut Effects) {
        app.open_aligned(effects);
    }

    fn after_update(&self, app: &mut App, effects: &mut Effects) {
        app.settle_two_runs(effects);
    }

    fn close(&self, app: &mut App) -> bool {
        app.close_two_runs();
        true
    }

    fn cancel(&self, app: &mut App) -> bool {
        app.close_two_runs();
        true
    }
}

/// The row with the next or previous match, around the end; the row at which it was given up.
fn search(runs: &TwoRuns, here: usize, pattern: &Pattern, is_forward: bool) -> Result<Option<usize>, usize> {
    let total = runs.rows.len();
    let row = |n: usize| if is_forward { (here + n) % total } else { (here + total - n % total) % total };
    let is_hit = |row: &usize| steps::row_texts(runs, *row).iter().any(|text| pattern.is_match(text));
    match (1..=total.min(SEARCHED_ROWS_MAX)).map(row).find(is_hit) {
        None if total > SEARCHED_ROWS_MAX => Err(row(SEARCHED_ROWS_MAX)),
        found => Ok(found),
    }
}

/// Whether the runs are not there yet, or have no row.
pub(super) fn is_empty(app: &App) -> bool {
    app.two_runs.runs.as_ref().is_none_or(|runs| runs.rows.is_empty())
}

/// The line at the top: which runs, and which difference of how many.
pub(super) fn header(app: &App, cells: usize) -> (Vec<Piece>, Vec<Piece>) {
    let view = &app.two_runs;
    let mut left = vec![Piece::of(Role::Title, " two runs ")];
    let Some(runs) = &view.runs else { return (left, Vec::new()) };
    let of = runs.differences.len();
    let label = match runs.difference_number(view.scroll.cursor) {
        _ if of == 0 => " no difference ".to_owned(),
        _ if runs.is_unrelated && cells < NARROW_CELLS => " ≠ all ".to_owned(),
        _ if runs.is_unrelated => " no step in common ".to_owned(),
        _ if cells < NARROW_CELLS => format!(" ≠ {}/{of} ", runs.difference_number(view.scroll.cursor)),
        0 => format!(" before the first of {of} differences "),
        number => format!(" difference {number} of {of} "),
    };
    let right = vec![Piece::of(Role::Changed, &label)];
    // Where the steps are shown, the names are above them.
    let room = cells.saturating_sub(label.len() + NARROW_CELLS / 2);
    if app.layout().has(Pane::AlignedSteps) {
        return (left, right);
    }
    if cells < NARROW_CELLS {
        left.push(Piece::of(Role::Accent, if view.front == 0 { "A" } else { "B" }));
        return (left, right);
    }
    let name = |side: usize| cut(&SafeText::of(&runs.sides[side].data.name), room / 2);
    left.extend([
        Piece::safe(if view.front == 0 { Role::Accent } else { Role::Text }, name(0)),
        Piece::of(Role::Dim, " · "),
        Piece::safe(if view.front == 1 { Role::Accent } else { Role::Text }, name(1)),
    ]);
    (left, right)
}

/// A title with the steps of both sides, as ` State @3 · @4 `.
pub(super) fn title_at(app: &App, role: Role, name: &str) -> Vec<Piece> {
    let view = &app.two_runs;
    let mut out = vec![Piece::of(role, &format!(" {name} "))];
    if let Some([left, right]) = view.runs.as_ref().and_then(|runs| runs.ends(view.scroll.cursor)) {
        let at = crate::panes::state::at;
        out.push(Piece::of(Role::Dim, &format!("{} · {} ", at(left), at(right))));
    }
    out
}
