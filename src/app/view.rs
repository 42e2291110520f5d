//! The program as something to paint: rows in areas.

use super::keys::Tab;
use super::layout::Area;
use super::menu::MenuKind;
use super::{App, Layer, Pane, footer, tabs};
use crate::panes::row::pieces_width;
use crate::panes::{
    Extent, Open, Piece, Row, Window, header, history, marks, message, reference_highlight, search_highlight, steps,
};
use crate::review::Column;
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

/// The frame of now.
#[must_use]
pub fn frame(app: &App) -> Frame {
    let layout = app.layout();
    let cells = usize::from(app.size.0);
    let open = app.session.open();
    let on_table = app.is_on_table();
    let has_steps = !on_table && app.pane != Pane::Attempts;
    let (mut left, mut right) = match app.files.as_ref().filter(|_| app.pane == Pane::Files) {
        Some(files) => files.pane.header(cells),
        None => header::header(&app.session, open.as_ref().filter(|_| has_steps), cells),
    };
    if on_table {
        let (chips, counts) = header::table(&app.session, &app.table, cells);
        // What is filtered says more than the format, where there is room for one of them.
        if !chips.is_empty() && cells < 120 {
            left.truncate(2);
        }
        left.extend(chips);
        right.splice(0..0, counts);
    }
    if layout.panes.len() == 1 && !layout.has_borders {
        left.push(Piece::of(Role::Dim, " › "));
        left.push(Piece::of(Role::Accent, pane_name(app)));
        if app.pane == Pane::Table {
            let room = cells.saturating_sub(pieces_width(&left) + pieces_width(&right));
            let told = Piece::of(Role::Dim, &format!(" {}", app.table.empty_told(0)));
            left.extend(Some(told).filter(|told| told.width() <= room));
        }
        if app.pane == Pane::State {
            left.push(Piece::of(Role::Text, " "));
            left.extend(changes_out_of_view(app, cells < 60));
        }
    }
    // Where Steps has no title, the line at the top has its filter.
    if let Some(open) = open.as_ref().filter(|_| !layout.has_borders && layout.has(Pane::Steps)) {
        left.push(Piece::of(Role::Text, " "));
        let room = cells.saturating_sub(pieces_width(&left) + pieces_width(&right) + 1);
        left.extend(app.step_filter.told(open, room));
    }
    let mut bars = Vec::new();
    if let Some(open) = &open {
        bars.extend(layout.explain.map(|area| (area, explained(app, open, cells))));
        bars.extend(layout.timeline.map(|area| (area, app.timeline.line(open, cells))));
    }
    drop(open);
    let (footer, cursor) = footer::rows(app, &layout);
    let strip = layout.watches.map(|area| pane_box(app, Pane::Watches, area, false));
    let panes = layout.panes.iter().map(|(pane, area)| pane_box(app, *pane, *area, layout.has_borders));
    let boxes = panes.chain(strip).collect();
    let (overlay, menu_cursor) = overlay(app);
    Frame { header: (layout.header, left, right), boxes, bars, overlay, footer, cursor: menu_cursor.or(cursor) }
}

/// The sentence on the value in focus; a search in the state finds paths, which stand whole only there.
fn explained(app: &App, open: &Open<'_>, cells: usize) -> Vec<Piece> {
    let mut told = header::explain(open, cells);
    if let Some(pattern) = &app.search.pattern {
        search_highlight::mark_pieces(pattern, &mut told);
    }
    told
}

/// The name of the pane with the cursor, for screens on which it has no title.
fn pane_name(app: &App) -> &'static str {
    match app.pane {
        Pane::Files => "Files",
        Pane::Table => "Trajectories",
        Pane::Facets => "Values",
        Pane::Plot => "Plot",
        Pane::Attempts if app.attempts.is_list() => "Tasks",
        Pane::Attempts => "Attempts",
        Pane::Steps => "Steps",
        Pane::State => "State",
        Pane::Inspector => tabs::name(app, app.inspector.tab).trim_end(),
        Pane::Watches => "Watches",
    }
}

fn pane_box(app: &App, pane: Pane, area: Area, has_border: bool) -> Box {
    let has_focus = app.pane == pane;
    let mut window = pane_window(app, pane);
    if let Some(pattern) = &app.search.pattern {
        search_highlight::mark(pattern, &mut window);
    }
    let title = title(app, pane, has_focus);
    if !has_border && pane == Pane::Inspector {
        window.rows.insert(0, Row::new(title.clone()).fixed(usize::MAX));
    }
    Box { area, title, has_focus, has_border, window, aside: app.aside(pane) }
}

fn changes_out_of_view(app: &App, is_short: bool) -> Option<Piece> {
    let open = app.session.open().filter(|_| !app.columns.is_on)?;
    app.state.told_out_of_view(&open, app.pane_extent(Pane::State), is_short)
}

fn title(app: &App, pane: Pane, has_focus: bool) -> Vec<Piece> {
    let role = if has_focus { Role::Accent } else { Role::Title };
    match pane {
        Pane::Files => vec![Piece::of(role, " Files ")],
        Pane::Table => {
            let selected = app.table.selected().map(|range| format!("{} selected ", range.count()));
            let selected = selected.map(|text| Piece::of(Role::Accent, &text));
            let empty = app.table.empty_told(app.pane_extent(pane).width);
            let empty = Some(empty).filter(|told| !told.is_empty()).map(|told| Piece::of(Role::Dim, &told));
            std::iter::once(Piece::of(role, " Trajectories ")).chain(selected).chain(empty).collect()
        }
        Pane::Steps => {
            let room = app.pane_extent(pane).width.saturating_sub(7);
            let told = app.session.open().map(|open| app.step_filter.told(&open, room));
            std::iter::once(Piece::of(role, " Steps ")).chain(told.unwrap_or_default()).collect()
        }
        Pane::Facets => vec![Piece::of(role, &format!(" {} ", app.table.focus.title()))],
        Pane::Attempts => vec![Piece::of(role, if app.attempts.is_list() { " Tasks " } else { " Attempts " })],
        Pane::Plot => {
            let own = app.table.own.iter().find(|own| Column::Own(own.name) == app.table.focus);
            let own = own.map(|own| format!("{} = {}", own.name.as_str(), own.expression));
            vec![Piece::of(role, &format!(" {} ", own.as_deref().unwrap_or(app.table.focus.about())))]
        }
        Pane::Watches => Vec::new(),
        Pane::State => {
            let step = app.session.open().map_or(-1, |o| o.step());
            let name = if app.columns.is_on { " Instances " } else { " State " };
            let mut out =
                vec![Piece::of(role, name), Piece::of(Role::Blame, &format!("{} ", crate::panes::state::at(step)))];
            out.extend(changes_out_of_view(app, false));
            out
        }
        Pane::Inspector => {
            let front = app.inspector.tab;
            let titles = tabs::titles(app);
            let space = " ".repeat(titles.space);
            let pieces = titles.tabs.into_iter().flat_map(|(tab, name)| {
                let key = if titles.has_keys { format!(" {} ", tabs::key(tab)) } else { " ".to_owned() };
                [
                    Piece::of(Role::Dim, &key),
                    Piece::of(if tab == front { role } else { Role::Dim }, name),
                    Piece::of(Role::Text, &space),
                ]
            });
            pieces.collect()
        }
    }
}

/// The rows that a pane shows now, references in them coloured.
#[must_use]
pub fn pane_window(app: &App, pane: Pane) -> Window {
    let mut window = plain_window(app, pane);
    let is_judging = match (pane, app.inspector.tab) {
        (Pane::State, _) => true,
        (Pane::Inspector, Tab::Message) if !app.inspector.is_raw => true,
        (Pane::Inspector, Tab::Llm) => false,
        _ => return window,
    };
    if let Some(open) = app.session.open() {
        reference_highlight::light(&open, &mut window, is_judging);
    }
    window
}

/// The rows that a pane shows now, references in them still text like any other.
#[must_use]
pub fn plain_window(app: &App, pane: Pane) -> Window {
    let extent = app.pane_extent(pane);
    let has_focus = app.pane == pane && app.layer.is_none();
    let table = &app.table;
    match (pane, &app.files) {
        (Pane::Files, Some(files)) => return files.pane.window(extent),
        (Pane::Table, _) => return table.window(&app.session, extent),
        (Pane::Attempts, _) => return app.attempts.window(&app.session, app.looked(), extent),
        (Pane::Facets, _) => return table.facets.window(table.focus, &table.filter, extent),
        (Pane::Plot, _) => {
            let tally = table.facets.tally.as_ref();
            return table.plot.window(table.focus, tally, &table.filter, extent, has_focus);
        }
        _ => {}
    }
    let Some(open) = app.session.open() else {
        return Window::notice(&["No trajectory is open."], extent.width);
    };
    match pane {
        Pane::Steps => steps::window(&open, &app.step_filter, &app.steps, app.times, extent),
        Pane::State if app.columns.is_on => {
            app.columns.window(&open, extent, has_focus || app.session.focus.path.is_some())
        }
        Pane::State => app.state.window(&open, extent, has_focus || app.session.focus.path.is_some()),
        Pane::Watches => app.watches.window(&open, extent),
        Pane::Files | Pane::Table | Pane::Facets | Pane::Plot | Pane::Attempts | Pane::Inspector => {
            drop(open);
            inspector_window(app, extent, has_focus)
        }
    }
}

fn inspector_window(app: &App, extent: Extent, has_focus: bool) -> Window {
    let (inspector, view_now) = (&app.inspector, app.view_now());
    let Some(open) = app.session.open() else { return Window::default() };
    match inspector.tab {
        Tab::Message => {
            let head = head_rows(app);
            let below = Extent { height: extent.height.saturating_sub(head.len()), ..extent };
            let mut window = if let Some(file) = &inspector.file {
                file.reader.window(below, has_focus)
            } else if inspector.is_raw {
                inspector.raw.window(below, has_focus)
            } else {
                message_window(app, below, has_focus)
            };
            window.rows.splice(0..0, head);
            window
        }
        Tab::Llm if inspector.llm.lines().is_empty() && !(open.session.is_complete && inspector.llm_of == view_now) => {
            Window::notice(&["Reading what the model sees…"], extent.width)
        }
        Tab::Llm if inspector.llm.lines().is_empty() => Window::notice(
            &["Nothing yet.", "No message that the model would see stands in the context at this step."],
            extent.width,
        ),
        Tab::Llm => inspector.llm.window(extent, has_focus),
        Tab::Schema if !app.session.format.has_state() => Window::notice(&history::NO_STATE, extent.width),
        Tab::Schema => inspector.schema.window(&open, extent, has_focus),
        Tab::History => inspector.history.window(&open, extent, has_focus),
        Tab::Diff => inspector.diff.window(extent, has_focus),
        Tab::Findings => inspector.findings.window(&open, extent, has_focus),
        Tab::Plan => inspector.plan.window(&open, extent, has_focus),
        Tab::Merge if !app.session.format.merges() => {
            Window::notice(&["Nothing here.", "Values of this format do not merge by their types."], extent.width)
        }
        Tab::Merge => inspector.merge.reader.window(extent, has_focus),
        Tab::Loss if !tabs::has_loss(app) => {
            let why = "What trains is told of conversations and of Agent Data Protocol records; this is neither.";
            Window::notice(&["Nothing here.", why], extent.width)
        }
        Tab::Loss => {
            let head = inspector.loss.head(extent);
            let below = Extent { height: extent.height.saturating_sub(head.len()), ..extent };
            let mut window = inspector.loss.window(below, has_focus);
            window.rows.splice(0..0, head);
            window
        }
    }
}

fn message_window(app: &App, extent: Extent, has_focus: bool) -> Window {
    let view = &app.inspector.message;
    let Some(doc) = view.doc() else {
        if app.session.open().is_some_and(|open| open.count() == 0) {
            return Window::notice(&["No message.", "There are no steps yet."], extent.width);
        }
        return Window::notice(&["Reading the message…"], extent.width);
    };
    if doc.nodes().is_empty() {
        let fault = doc.fault().map_or(String::new(), |f| format!("This record is not JSON: {f}."));
        let others = if app.session.records.count() > 1 { "; the other records are not affected" } else { "" };
        return Window::notice(&[&fault, &format!("R shows its bytes{others}.")], extent.width);
    }
    let lit = app.session.open().and_then(|open| {
        let (_, node) = open.focus_node()?;
        let leaf = open.tree().leaf(node, open.step())?;
        let (_, path) = app.session.focus.path.as_ref()?;
        (leaf.step == open.step()).then(|| message::node_of_path(doc, path))?
    });
    view.window(extent, has_focus, lit)
}

/// The lines above a message: what it is, who wrote it, what is wrong with it.
fn message_head(app: &App) -> Vec<Row> {
    if let Some(file) = &app.inspector.file {
        let told = Piece::of(Role::Dim, "  Esc goes back to the message");
        return vec![Row::new(vec![Piece::of(Role::Title, &format!(" {}", file.name)), told]), Row::default()];
    }
    let Some(open) = app.session.open() else { return Vec::new() };
    if open.count() == 0 {
        return Vec::new();
    }
    if app.shows_gone() {
        let gone = Row::new(vec![Piece::of(Role::Error, " ✗ gone from the file: what it held")]);
        let hint = Row::new(vec![Piece::of(Role::Dim, "   a move shows what is there now")]);
        return [gone, hint, Row::default()].map(|row| row.fixed(usize::MAX)).into();
    }
    let step = open.describe(open.step());
    let mut first =
        vec![Piece::of(steps::role_of(&step), &format!(" {}", step.class.as_deref().unwrap_or(&step.kind)))];
    if let Some(role) = &step.role_text {
        first.push(Piece::of(Role::Dim, &format!(" · {role}")));
    }
    if let Some(tool) = &step.tool {
        first.push(Piece::of(Role::Call, &format!(" · {tool}")));
    }
    if let Some(time) = &step.time {
        first.push(Piece::of(Role::Dim, &format!(" · {}", crate::panes::history::clock(time))));
    }
    if let Some(answers) = step.answers {
        first.push(Piece::of(Role::Blame, &format!(" · answers @{answers}")));
    }
    let mut right = Vec::new();
    if let Some(place) = open.run().place(open.step()) {
        right.push(Piece::of(Role::Dim, &format!("  {}", crate::panes::value::size_text(place.place.span.len))));
        right.push(Piece::of(Role::Dim, &format!(" · line {}", place.place.line)));
    }
    let mut rows = vec![Row::new(first).right(right)];
    for (name, text) in open.run().request(open.step(), open.bytes()) {
        rows.push(Row::new(vec![
            Piece::of(Role::Dim, &format!(" request {name} ")),
            crate::panes::value::piece(&text),
        ]));
    }
    for (target, mark) in app.session.review.step_marks(app.session.trajectory, open.step()).into_iter().take(4) {
        let mut left = vec![Piece::of(Role::Text, " ")];
        left.extend(target.path.as_ref().map(|path| Piece::of(Role::Reference, &format!("{path} "))));
        left.extend(marks::told(mark));
        rows.push(Row::new(left));
    }
    for finding in open.findings_of(open.step()).iter().take(4) {
        let role = if finding.severity == crate::model::Severity::Error { Role::Error } else { Role::Warning };
        rows.push(Row::new(vec![
            Piece::of(role, &format!(" {} ", finding.rule)),
            Piece::of(Role::Dim, &finding.message),
        ]));
    }
    rows.push(Row::default());
    // They do not scroll with what stands below them.
    rows.into_iter().map(|row| row.fixed(usize::MAX)).collect()
}

/// Rows above the document in the tab in front; they do not scroll.
#[must_use]
pub fn head_rows(app: &App) -> Vec<Row> {
    match (app.inspector.tab, app.session.open()) {
        (Tab::Message, _) => message_head(app),
        (Tab::Loss, _) => app.inspector.loss.head(app.pane_extent(Pane::Inspector)),
        (Tab::Schema, Some(open)) => app.inspector.schema.head(&open, app.pane_extent(Pane::Inspector)),
        _ => Vec::new(),
    }
}

/// Where help and palette lie.
#[must_use]
pub fn menu_area(size: (u16, u16)) -> Area {
    let (width, height) = (size.0.min(110), size.1.saturating_sub(2).min(40));
    let (x, y) = ((size.0 - width) / 2, (size.1 - height.min(size.1)) / 2);
    Area { x, y, width, height }
}

fn overlay(app: &App) -> (Option<Box>, Option<(u16, u16)>) {
    let Some(Layer::Menu(menu)) = &app.layer else { return (None, None) };
    let area = menu_area(app.size);
    let inside = area.inside();
    let mut window = menu.window(usize::from(inside.width), usize::from(inside.height.saturating_sub(1)));
    let told = menu.heading();
    let (name, sign) = match menu.kind {
        MenuKind::Readers => (told.as_str(), " › "),
        MenuKind::Fields => (" Field that names the task · type a path, as details.task · Enter · Esc ", " c "),
        MenuKind::Templates => (" Chat templates · Enter uses one · Esc closes ", " c "),
        MenuKind::Columns => (" Columns · Enter shows one or no longer · Esc closes ", " c "),
        MenuKind::Help => (" Keys · type to filter · Enter runs · Esc closes ", " ? "),
        MenuKind::Palette => (" Commands · a number or a time goes to that step ", " : "),
    };
    let (typed, column) = menu.prompt.line(sign, usize::from(inside.width));
    window.rows.insert(0, Row::new(typed));
    let cursor = (inside.x + column, inside.y);
    let title = vec![Piece::of(Role::Accent, &fitted(name, usize::from(inside.width)))];
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
