//! The program as something to paint: rows in areas.

use super::keys::Context;
use super::layout::{Area, Layout};
use super::menu::MenuKind;
use super::{App, Layer, Pane, footer, tabs};
use crate::panes::row::pieces_width;
use crate::panes::{Open, Piece, Row, Times, Window, header, search_highlight};
use crate::text::{Role, width};

/// A pane to paint.
#[derive(Debug)]
pub struct Box {
    /// Where, with its border.
    pub area: Area,
    /// Title in the border.
    pub title: Vec<Piece>,
    /// Whether it has the cursor.
    pub has_focus: bool,
    /// Whether it has a border.
    pub has_border: bool,
    /// What it shows.
    pub window: Window,
    /// Columns scrolled sideways.
    pub aside: usize,
}

/// Everything that is on the screen.
#[derive(Debug)]
pub struct Frame {
    /// The line at the top: left and right part.
    pub header: (Area, Vec<Piece>, Vec<Piece>),
    /// The panes.
    pub boxes: Vec<Box>,
    /// Further lines: explanation, timeline.
    pub bars: Vec<(Area, Vec<Piece>)>,
    /// What lies over the panes.
    pub overlay: Option<Box>,
    /// The line at the bottom; a long notice takes more, over what else is there.
    pub footer: Vec<(Area, Vec<Piece>)>,
    /// Cell of the text cursor, if a line is being typed.
    pub cursor: Option<(u16, u16)>,
}

impl Frame {
    /// What the panes and the lines below them show.
    #[must_use]
    pub fn pieces(&self) -> Vec<&Piece> {
        let rows = self.boxes.iter().flat_map(|pane| &pane.window.rows);
        let titles = self.boxes.iter().flat_map(|pane| &pane.title);
        let bars = self.bars.iter().flat_map(|(_, pieces)| pieces);
        rows.flat_map(|row| row.left.iter().chain(&row.right)).chain(titles).chain(bars).collect()
    }
}

/// The frame of now.
#[must_use]
pub fn frame(app: &App) -> Frame {
    let layout = app.layout();
    let cells = usize::from(app.size.0);
    let open = app.session.open();
    let (mut left, right) = header(app, open.as_ref(), cells);
    if layout.panes.len() == 1 && !layout.has_borders {
        let pane = [Piece::of(Role::Dim, " › "), Piece::of(Role::Accent, name(app, app.pane).trim_end())];
        // What the table is filtered by says more than that it is the table.
        let is_filtered = app.is_on_table() && !app.table.filter.is_empty();
        if !is_filtered || pieces_width(&left) + pieces_width(&right) + pieces_width(&pane) <= cells {
            left.extend(pane);
        }
        let room = cells.saturating_sub(pieces_width(&left) + pieces_width(&right));
        left.extend(app.front().header_note(app, room));
    }
    // Where Steps has no title, the line at the top has its filter.
    if let Some(open) = open.as_ref().filter(|_| !layout.has_borders && layout.has(Pane::Steps)) {
        if !app.step_filter.filter.is_empty() && layout.panes.len() > 1 {
            make_room(&mut left, cells);
        }
        left.push(Piece::of(Role::Text, " "));
        let room = cells.saturating_sub(pieces_width(&left) + pieces_width(&right) + 1);
        left.extend(app.step_filter.label(open, room));
    }
    let mut bars = Vec::new();
    if let Some(open) = &open {
        bars.extend(layout.explain.map(|area| (area, explained(app, open, cells))));
        bars.extend(layout.timeline.map(|area| (area, app.timeline.line(open, cells, app.times == Times::Spend))));
    }
    drop(open);
    let (footer, cursor) = footer::rows(app, &layout);
    let panes = layout.panes.iter().map(|(pane, area)| pane_box(app, *pane, *area, &layout));
    let strip = layout.strip().map(|(pane, area)| pane_box(app, pane, area, &layout));
    let boxes = panes.chain(strip).collect();
    let (overlay, menu_cursor) = overlay(app);
    Frame { header: (layout.header, left, right), boxes, bars, overlay, footer, cursor: menu_cursor.or(cursor) }
}

/// The line at the top: left and right part.
fn header(app: &App, open: Option<&Open<'_>>, cells: usize) -> (Vec<Piece>, Vec<Piece>) {
    if let Some(header) = app.front().header(app, cells) {
        return header;
    }
    let has_steps = app.is_in(Context::Trajectory) || app.is_in(Context::Files);
    let facts = || app.table.facts(app.session.trajectory).filter(|_| has_steps);
    let reward = if app.session.is_dataset() { facts().and_then(|facts| facts.counted?.reward) } else { None };
    let (mut left, mut right) = header::header(&app.session, open.filter(|_| has_steps), reward, cells);
    if app.is_on_table() {
        let (chips, counts) = header::table(&app.session, &app.table, cells);
        if !chips.is_empty() {
            make_room(&mut left, cells);
        }
        left.extend(chips);
        right.splice(0..0, counts);
    }
    (left, right)
}

/// Leaves out what is behind the name of the file: what is filtered says more than the format.
fn make_room(left: &mut Vec<Piece>, cells: usize) {
    /// From this width on there is room for both.
    const BOTH: usize = 120;
    if cells < BOTH {
        left.truncate(2);
    }
}

/// The sentence on the value in focus; a search in the state finds paths, which are whole only there.
fn explained(app: &App, open: &Open<'_>, cells: usize) -> Vec<Piece> {
    let is_free = app.session.focus.path.is_none();
    let part = || is_free.then(|| app.part_hint(open).or_else(|| app.way_back())).flatten();
    let part_pieces = || part().map(|hint| vec![Piece::of(Role::Dim, &format!(" {hint}"))]);
    let explanation = app.front().explain(app, open).or_else(part_pieces);
    let mut pieces = explanation.unwrap_or_else(|| header::explain(open, cells, app.front().has_values()));
    if let Some(pattern) = &app.search.pattern {
        search_highlight::mark_pieces(pattern, &mut pieces);
    }
    pieces
}

/// The name of what a pane shows.
pub(super) fn name(app: &App, pane: Pane) -> &'static str {
    let row = app.row_of(pane);
    row.content.name(app, true).unwrap_or(row.title).0
}

fn pane_box(app: &App, pane: Pane, area: Area, layout: &Layout) -> Box {
    let has_focus = app.pane == pane;
    let mut window = app.pane_window(pane);
    if let Some(pattern) = &app.search.pattern {
        search_highlight::mark(pattern, &mut window);
    }
    let title = title(app, pane, has_focus);
    if layout.has_title_row(pane) {
        window.rows.insert(0, Row::new(title.clone()).fixed(usize::MAX));
    }
    let has_border = layout.has_borders && layout.has(pane);
    Box { area, title, has_focus, has_border, window, aside: app.scrolled_right(pane) }
}

fn title(app: &App, pane: Pane, has_focus: bool) -> Vec<Piece> {
    let role = if has_focus { Role::Accent } else { Role::Title };
    match app.row_of(pane).tab {
        Some(_) => tabs::line(app, role),
        None => app.content_of(pane).title(app, role, name(app, pane)),
    }
}

/// Where help and palette lie.
#[must_use]
pub fn menu_area(size: (u16, u16)) -> Area {
    let width = size.0.min(110).max(size.0.saturating_sub(10).min(150));
    let height = size.1.saturating_sub(2).min(60);
    let (x, y) = ((size.0 - width) / 2, (size.1 - height.min(size.1)) / 2);
    Area { x, y, width, height }
}

const FIELDS_TITLE: &str = " Field that names the task · type a path, as details.task · {menu-run} · {menu-close} ";

fn overlay(app: &App) -> (Option<Box>, Option<(u16, u16)>) {
    let Some(Layer::Menu(menu)) = &app.layer else { return (None, None) };
    let area = menu_area(app.size);
    let inside = area.inside();
    let mut window = menu.window(usize::from(inside.width), usize::from(inside.height.saturating_sub(1)));
    let heading = menu.heading();
    let (name, sign) = match menu.kind {
        MenuKind::Readers => (heading.as_str(), " › "),
        MenuKind::Openables => (" Links and images · {menu-run} opens one · {menu-close} closes ", " U "),
        MenuKind::Fields => (FIELDS_TITLE, " c "),
        MenuKind::Templates => (" Chat templates · {menu-run} uses one · {menu-close} closes ", " c "),
        MenuKind::Columns => (" Columns · {menu-run} shows one or no longer · {menu-close} closes ", " c "),
        MenuKind::Help => (" Keys · type to filter · {menu-run} runs · {menu-close} closes ", " ? "),
        MenuKind::Palette => (" Commands · a number or a time goes to that step ", " : "),
    };
    let name = if menu.kind == MenuKind::Readers { name.to_owned() } else { app.hint(name) };
    let (typed, column) = menu.prompt.line(sign, usize::from(inside.width));
    window.rows.insert(0, Row::new(typed));
    let cursor = (inside.x + column, inside.y);
    let title = vec![Piece::of(Role::Accent, &fitted(&name, usize::from(inside.width)))];
    (Some(Box { area, title, has_focus: true, has_border: true, window, aside: 0 }), Some(cursor))
}

/// A title without those of its last parts that have no room.
fn fitted(title: &str, cells: usize) -> String {
    let mut title = title.trim_end();
    while let Some((before, _)) = title.rsplit_once(" · ").filter(|_| width(title) + 1 > cells) {
        title = before;
    }
    format!("{title} ")
}
