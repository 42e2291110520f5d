//! The LLM tab: what the model sees at the step.
//!
//! Of a long view the entries around the cursor are laid out. When the cursor comes near their first or last row, those
//! around it are asked for, and the cursor stays at its place in its entry.

use super::llm_text::{EntryPlace, LaidOut, ViewLines};
use super::message::below_head;
use super::registry::TabState;
use super::{Cached, PaneContent, Position, References, Searched, Title};
use crate::app::{App, Effect, Effects, Job, SearchPosition};
use crate::format::ViewAnchor;
use crate::model::StepNo;
use crate::panes::text_view::TextView;
use crate::panes::{Extent, Row, Scroll, Window};
use crate::text::{Pattern, Role, count_text, wrap};

/// Rows from the first or last one that is laid out at which others are asked for.
const EDGE_ROWS: usize = 200;
/// In a lower pane nothing is above the text; else at most this many rows.
const HEAD_HEIGHT_MIN: usize = 16;
const HEAD_ROWS_MAX: usize = 6;
/// A move by this many rows goes to the first or last row.
const FAR_ROWS: isize = 1 << 20;

/// Which LLM view it is, and which part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ViewOf {
    /// Generation of the run.
    pub generation: u64,
    /// The step.
    pub step: StepNo,
    /// Whether it has the messages of the context one by one, instead of merged.
    pub has_raw_messages: bool,
    /// The place around which entries are laid out.
    pub around: ViewAnchor,
}

impl ViewOf {
    fn is_same_view(self, other: Self) -> bool {
        Self { around: other.around, ..self } == other
    }
}

/// Where the cursor goes when the part that was asked for is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Landing {
    /// To the first row.
    Top,
    /// To the last row.
    Bottom,
    /// To a place.
    Place(EntryPlace),
    /// To the first hit of the search in an entry, or to the last.
    Hit { entry: usize, is_first: bool },
}

impl Landing {
    /// The part that is laid out for it.
    fn anchor(self) -> ViewAnchor {
        match self {
            Self::Top => ViewAnchor::Entry(0),
            Self::Bottom => ViewAnchor::End,
            Self::Place(EntryPlace { entry, .. }) | Self::Hit { entry, .. } => ViewAnchor::Entry(entry),
        }
    }
}

/// State of the tab.
#[derive(Debug, Default)]
pub struct LlmTab {
    /// What the model sees.
    pub text: Cached<ViewOf, TextView>,
    /// Whether the messages of the context are shown one by one.
    pub has_raw_messages: bool,
    /// What fills the window, as lines above the text, and the view of which that is known.
    fill: Vec<String>,
    filled: Option<ViewOf>,
    laid_out: LaidOut,
    around: ViewAnchor,
    landing: Option<Landing>,
}

impl TabState for LlmTab {
    fn reset(&mut self) {
        *self = Self { has_raw_messages: self.has_raw_messages, ..Self::default() };
    }
}

impl LlmTab {
    /// Takes a part that was asked for.
    fn take(&mut self, of: ViewOf, part: ViewLines, pattern: Option<&Pattern>) {
        if !self.text.answer(&of) {
            return;
        }
        let cells = self.text.cells();
        // What the model sees grows at its end: a view of it stays there.
        let was_at_end = self.laid_out.has_end() && self.text.is_at_end();
        let Scroll { top, cursor, .. } = self.text.scroll;
        let places = cells.and_then(|cells| Some((self.place_of(top, cells)?, self.place_of(cursor, cells)?)));
        let (laid_out, lines) = LaidOut::of(part);
        self.laid_out = laid_out;
        self.text.set(lines);
        if let Some(landing) = self.landing.take() {
            return self.land(landing, cells, pattern);
        }
        if was_at_end && self.laid_out.has_end() {
            self.text.scroll.cursor = usize::MAX;
        } else if let (Some((top, cursor)), Some(cells)) = (places, cells) {
            self.text.scroll.top = self.row_of(top, cells);
            self.text.scroll.cursor = self.row_of(cursor, cells);
        }
    }

    /// Takes what fills the window of a view.
    pub(in crate::app) fn take_fill(&mut self, of: ViewOf, lines: Vec<String>) {
        if self.text.shown().is_some_and(|shown| shown.is_same_view(of)) {
            (self.fill, self.filled) = (lines, Some(of));
        }
    }

    /// The place of a row.
    fn place_of(&self, row: usize, cells: usize) -> Option<EntryPlace> {
        let line = self.text.line_of_row(row, cells)?;
        let (entry, first) = self.laid_out.entry_of(line);
        Some(EntryPlace { entry, line: line - first, row: row - self.text.row_of(line, cells) })
    }

    /// The row of a place, or the nearest one that is laid out.
    fn row_of(&self, place: EntryPlace, cells: usize) -> usize {
        let lines = self.laid_out.lines_of(place.entry, self.text.lines().len());
        let line = (lines.start + place.line).min(lines.end.saturating_sub(1)).max(lines.start);
        let end = self.text.row_of(line + 1, cells).saturating_sub(1);
        (self.text.row_of(line, cells) + place.row).min(end)
    }

    /// Puts the cursor where it was to go.
    fn land(&mut self, landing: Landing, cells: Option<usize>, pattern: Option<&Pattern>) {
        let row = match (landing, cells) {
            (Landing::Bottom, _) => usize::MAX,
            (Landing::Place(place), Some(cells)) => self.row_of(place, cells),
            (Landing::Hit { entry, is_first }, Some(cells)) => {
                let lines = self.laid_out.lines_of(entry, self.text.lines().len());
                let rows = self.text.row_of(lines.start, cells)..self.text.row_of(lines.end, cells);
                let hits = pattern.map(|pattern| self.text.hits(pattern, cells)).unwrap_or_default();
                let mut within = hits.into_iter().filter(|row| rows.contains(row));
                let hit = if is_first { within.next() } else { within.next_back() };
                hit.unwrap_or(rows.start)
            }
            _ => 0,
        };
        self.text.scroll.jump_to(row);
    }

    /// Keeps the part that is laid out: none that was asked for takes its place.
    fn stay(&mut self) {
        self.landing = None;
        if let Some(shown) = self.text.shown() {
            self.around = shown.around;
        }
    }

    /// Sends the cursor to a place that is perhaps not laid out.
    fn go(&mut self, landing: Landing, pattern: Option<&Pattern>) {
        let is_there = match landing.anchor() {
            ViewAnchor::End => self.laid_out.has_end(),
            ViewAnchor::Entry(entry) => self.laid_out.range.contains(&entry),
        };
        if is_there {
            self.stay();
            return self.land(landing, self.text.cells(), pattern);
        }
        (self.around, self.landing) = (landing.anchor(), Some(landing));
    }

    /// The entry around which the view of now is laid out.
    fn settle_anchor(&mut self, now: ViewOf, cells: usize) {
        let Some(shown) = self.text.shown().copied().filter(|_| self.landing.is_none()) else { return };
        let rows = self.text.row_count(cells);
        let cursor = self.text.scroll.cursor.min(rows.saturating_sub(1));
        let is_at_end = self.laid_out.has_end() && cursor + 1 >= rows;
        let here = || self.place_of(cursor, cells).map(|place| ViewAnchor::Entry(place.entry));
        if !shown.is_same_view(now) {
            let here = if is_at_end { Some(ViewAnchor::End) } else { here() };
            self.around = here.unwrap_or_default();
            return;
        }
        let is_near_start = self.laid_out.range.start > 0 && cursor < EDGE_ROWS;
        let is_near_end = !self.laid_out.has_end() && cursor + EDGE_ROWS >= rows;
        // What is asked for is near enough, so that a key that is pressed again and again is answered.
        if (is_near_start || is_near_end) && !self.text.is_awaited() {
            self.around = here().unwrap_or_default();
        }
    }
}

pub(super) struct Llm;

impl PaneContent for Llm {
    fn name(&self, app: &App, is_front: bool) -> Option<Title> {
        (is_front && app.inspector.llm.has_raw_messages).then_some(("LLM unmerged", "LLM"))
    }

    fn window(&self, app: &App, extent: Extent, has_focus: bool) -> Window {
        let LlmTab { text, laid_out, .. } = &app.inspector.llm;
        if !text.lines().is_empty() {
            return below_head(self.head(app, extent), extent, |below| {
                let window = text.window(below, has_focus);
                let (before, behind) = laid_out.rows_around(window.total);
                Window { top: window.top + before, total: window.total + before + behind, ..window }
            });
        }
        if !(app.session.is_complete && text.shown() == app.llm_view_now().as_ref()) {
            return Window::notice(&["Reading what the model sees…"], extent.width);
        }
        let why = "No message that the model would see is in the context at this step.";
        Window::notice(&["Nothing yet.", why], extent.width)
    }

    fn head(&self, app: &App, extent: Extent) -> Vec<Row> {
        let LlmTab { text, fill, .. } = &app.inspector.llm;
        if text.lines().is_empty() || fill.is_empty() || extent.height < HEAD_HEIGHT_MIN {
            return Vec::new();
        }
        let rows_of = |line: &String| -> Vec<Row> {
            let parts = wrap(line, extent.width.saturating_sub(1).max(1));
            parts.into_iter().map(|part| Row::text(Role::Dim, &format!(" {}", line[part].trim_end()))).collect()
        };
        fill.iter().flat_map(rows_of).take(HEAD_ROWS_MAX).chain([Row::default()]).collect()
    }

    fn references(&self, _app: &App) -> Option<References> {
        Some(References::Marked)
    }

    fn scroll<'a>(&self, app: &'a App) -> Option<&'a Scroll> {
        Some(&app.inspector.llm.text.scroll)
    }

    fn scroll_mut<'a>(&self, app: &'a mut App) -> Option<&'a mut Scroll> {
        Some(&mut app.inspector.llm.text.scroll)
    }

    fn reader<'a>(&self, app: &'a mut App) -> Option<&'a mut TextView> {
        Some(&mut app.inspector.llm.text)
    }

    fn position(&self, app: &App) -> Option<Position> {
        let tab = &app.inspector.llm;
        let place = tab.text.cells().and_then(|cells| tab.place_of(tab.text.scroll.cursor, cells));
        let place = place.filter(|_| !tab.laid_out.is_whole()).map(Position::Entry);
        Some(place.unwrap_or(Position::Rows(tab.text.scroll)))
    }

    fn return_to(&self, app: &mut App, position: Position) {
        match position {
            Position::Rows(at) => app.inspector.llm.text.scroll = at,
            Position::Entry(place) => app.inspector.llm.go(Landing::Place(place), None),
            _ => {}
        }
    }

    fn move_by(&self, app: &mut App, delta: isize) {
        let cells = app.front_extent().width;
        let tab = &mut app.inspector.llm;
        if delta <= -FAR_ROWS && tab.laid_out.range.start > 0 {
            return tab.go(Landing::Top, None);
        }
        if delta >= FAR_ROWS && !tab.laid_out.has_end() {
            return tab.go(Landing::Bottom, None);
        }
        if tab.landing.is_some() {
            tab.stay();
        }
        let total = tab.text.row_count(cells);
        tab.text.scroll.move_by(delta, total);
    }

    /// Of a view that is laid out in parts a job searches what is not.
    fn search(&self, app: &mut App, pattern: &Pattern, is_forward: bool) -> Searched {
        let cells = app.front_extent().width;
        let Some(now) = app.llm_view_now() else { return Searched::Nothing };
        let tab = &mut app.inspector.llm;
        if tab.laid_out.is_whole() {
            return Searched::Here(tab.text.search(pattern, cells, is_forward));
        }
        let outside = |entry: usize| Searched::Outside(SearchPosition::Entry(now, entry));
        if let Some(ViewAnchor::Entry(entry)) = tab.landing.map(Landing::anchor) {
            return outside(entry);
        }
        let hits = tab.text.hits(pattern, cells);
        let cursor = tab.text.scroll.cursor;
        let hit = if is_forward {
            hits.into_iter().find(|row| *row > cursor)
        } else {
            hits.into_iter().rfind(|row| *row < cursor)
        };
        match hit {
            Some(row) => {
                tab.text.scroll.jump_to(row);
                Searched::InPart(tab.entry_words(row, cells))
            }
            None if is_forward => outside(tab.laid_out.range.end.saturating_sub(1)),
            None => outside(tab.laid_out.range.start),
        }
    }

    fn follow(&self, app: &mut App, _effects: &mut Effects) {
        if !app.follow_reference_in_row() {
            app.follow_line();
        }
    }

    fn after_update(&self, app: &mut App, effects: &mut Effects) {
        let Some(now) = app.llm_view_now() else { return };
        let cells = app.pane_extent(crate::app::Pane::Inspector).width;
        let tab = &mut app.inspector.llm;
        tab.settle_anchor(now, cells);
        let now = ViewOf { around: tab.around, ..now };
        let counts = !tab.filled.is_some_and(|filled| filled.is_same_view(now));
        if tab.text.ask(now) {
            effects.push(Effect::Job(Job::View { of: now, counts }));
        }
    }
}

impl LlmTab {
    /// Which entry a row is in.
    fn entry_words(&self, row: usize, cells: usize) -> String {
        let entry = self.place_of(row, cells).map_or(0, |place| place.entry);
        entry_words(entry, self.laid_out.count)
    }
}

fn entry_words(entry: usize, count: usize) -> String {
    format!("entry {} of {}", count_text(entry + 1), count_text(count))
}

impl App {
    /// The LLM view that belongs on the screen.
    fn llm_view_now(&self) -> Option<ViewOf> {
        let step = self.session.open()?.step();
        let LlmTab { has_raw_messages, around, .. } = self.inspector.llm;
        Some(ViewOf { generation: self.session.content_version(), step, has_raw_messages, around })
    }

    /// Takes a part of the LLM view.
    pub(in crate::app) fn take_llm_view(&mut self, of: ViewOf, part: ViewLines) {
        self.inspector.llm.take(of, part, self.search.pattern.as_ref());
    }

    /// Goes to the first or last hit in an entry of the LLM view in which a search found something; which entry it is.
    pub(in crate::app) fn go_to_view_entry(&mut self, of: ViewOf, entry: usize, is_first: bool) -> Option<String> {
        let is_shown = self.llm_view_now().is_some_and(|now| now.is_same_view(of));
        let landing = Landing::Hit { entry, is_first };
        let tab = &mut self.inspector.llm;
        is_shown.then(|| tab.go(landing, self.search.pattern.as_ref()))?;
        Some(entry_words(entry, tab.laid_out.count))
    }

    /// Shows the messages of the context instead of the view in which they are merged, and back.
    pub(in crate::app) fn toggle_raw_messages(&mut self) {
        let merges = self.session.open().is_some_and(|open| open.run().merges_messages());
        if !merges {
            return self.notify("this format merges no messages: all are shown");
        }
        let has_raw_messages = &mut self.inspector.llm.has_raw_messages;
        *has_raw_messages = !*has_raw_messages;
        let hint = if *has_raw_messages {
            "the messages of the context as they are written; {raw-messages} merges them again"
        } else {
            "the messages as the model sees them, merged by identity"
        };
        self.notify(self.hint(hint));
    }
}
