//! The pager: a long value over the panes, unescaped. It is a pane that has the screen while it has the cursor.

use super::message::below_head;
use super::{PaneContent, Position, Searched};
use crate::app::{App, Effect, Effects, Job, Pane};
use crate::panes::reading::{PageOf, Reading, ReadingView};
use crate::panes::{Extent, Piece, Row, Scroll, Window};
use crate::text::{Pattern, Role, count_of, count_text, size_text};
use std::sync::Arc;

/// What the pager shows.
#[derive(Debug, Default)]
pub struct PagerPane {
    /// The text, laid out.
    pub view: ReadingView,
    /// What it is.
    name: String,
    text: Option<Arc<str>>,
    /// The number of the answer that is awaited, or shown.
    number: u64,
    /// Whether it is awaited still.
    is_awaited: bool,
    /// The pane from which it was opened.
    under: Pane,
}

impl PagerPane {
    /// What is awaited does not come.
    pub(in crate::app) fn give_up(&mut self) {
        self.is_awaited = false;
    }
}

/// The first number of the readings of pagers, whose highest bit those of the conversation have not.
const SERIES: u32 = 1 << 31;

/// Longest text that is searched while the pattern is typed.
const TYPED_BYTES_MAX: usize = 1 << 20;

pub(super) struct Pager;

impl PaneContent for Pager {
    fn title(&self, app: &App, role: Role, _name: &str) -> Vec<Piece> {
        vec![Piece::of(role, &format!(" {} ", app.pager.name))]
    }

    fn window(&self, app: &App, extent: Extent, has_focus: bool) -> Window {
        let pager = &app.pager;
        below_head(self.head(app, extent), extent, |below| match (&pager.text, pager.is_awaited) {
            (Some(_), _) => pager.view.window(below, has_focus),
            (None, true) => Window::notice(&["Reading…"], below.width),
            (None, false) => Window::notice(&["It is not there any more."], below.width),
        })
    }

    fn head(&self, app: &App, extent: Extent) -> Vec<Row> {
        let Some(text) = &app.pager.text else { return Vec::new() };
        let lines = text.lines().count();
        let size_label = format!(" {} · {}", count_of(lines, "line"), size_text(text.len() as u64));
        let mut left = vec![Piece::of(Role::Dim, &size_label)];
        let marks = app.pager.view.reading().map(|reading| reading.marks()).unwrap_or_default();
        left.extend(marks.iter().map(|mark| Piece::of(Role::Dim, &format!(" · {mark}"))));
        let hint = " o editor · y copy · q close ";
        let right = if extent.width > hint.len() + size_label.len() + 8 {
            vec![Piece::of(Role::Dim, hint)]
        } else {
            Vec::new()
        };
        vec![Row::new(left).right(right).fixed(usize::MAX), Row::default()]
    }

    fn is_empty(&self, app: &App) -> bool {
        app.pager.text.is_none()
    }

    fn scroll<'a>(&self, _app: &'a App) -> Option<&'a Scroll> {
        None
    }

    fn scroll_mut<'a>(&self, _app: &'a mut App) -> Option<&'a mut Scroll> {
        None
    }

    /// A longer text is searched when the pattern is whole.
    fn position(&self, app: &App) -> Option<Position> {
        let is_short = app.pager.text.as_ref().is_none_or(|text| text.len() <= TYPED_BYTES_MAX);
        is_short.then_some(Position::Column(app.pager.view.column))
    }

    fn return_to(&self, app: &mut App, position: Position) {
        if let Position::Column(column) = position {
            app.pager.view.column = column;
        }
    }

    fn move_by(&self, app: &mut App, delta: isize) {
        let cells = app.front_extent().width;
        app.pager.view.move_by(delta, cells);
    }

    fn page_by(&self, app: &mut App, delta: isize) {
        let cells = app.front_extent().width;
        app.pager.view.page_by(delta, cells);
    }

    fn fold(&self, _app: &mut App, _is_open: Option<bool>) {}

    fn fold_all(&self, _app: &mut App, _is_open: bool) {}

    fn search(&self, app: &mut App, pattern: &Pattern, is_forward: bool) -> Searched {
        Searched::Here(app.pager.view.search(pattern, is_forward))
    }

    fn click(&self, app: &mut App, row: usize, _was_here: bool, _effects: &mut Effects) {
        let cells = app.front_extent().width;
        app.pager.view.click(row, cells);
    }

    fn copy(&self, app: &mut App) -> Option<String> {
        app.pager.text.as_ref().map(|text| text.to_string())
    }

    fn follow(&self, app: &mut App, _effects: &mut Effects) {
        app.close_pager();
    }

    fn after_update(&self, app: &mut App, effects: &mut Effects) {
        if app.pane != Pane::Pager {
            return;
        }
        let extent = app.pane_extent(Pane::Pager);
        let height = extent.height.saturating_sub(self.head(app, extent).len());
        let extent = Extent { height, ..extent };
        app.pager.view.show_cursor(extent);
        let requests = app.pager.view.code_requests(extent);
        app.inspector.message.ask_code(requests, effects);
    }

    fn close(&self, app: &mut App) -> bool {
        app.close_pager();
        true
    }

    fn cancel(&self, app: &mut App) -> bool {
        app.close_pager();
        true
    }
}

impl App {
    /// Opens the pager on something.
    pub(in crate::app) fn open_pager(&mut self, name: &str, of: PageOf, effects: &mut Effects) {
        let under = if self.pane == Pane::Pager { self.pager.under } else { self.pane };
        let number = self.pager.number + 1;
        name.clone_into(&mut self.pager.name);
        (self.pager.text, self.pager.number, self.pager.is_awaited, self.pager.under) = (None, number, true, under);
        self.pager.view = ReadingView::default()
            .numbered(SERIES | u32::try_from(number).unwrap_or(0))
            .with_keys(&self.session.key_names);
        self.pane = Pane::Pager;
        effects.push(Effect::Job(Job::Page { number, of }));
    }

    /// Takes what the pager waits for.
    pub(in crate::app) fn take_page(&mut self, number: u64, page: Option<(Arc<str>, Arc<Reading>)>) {
        if self.pager.number != number || !std::mem::take(&mut self.pager.is_awaited) {
            return;
        }
        if let Some((text, reading)) = page {
            self.pager.text = Some(text);
            self.pager.view.set(Some(reading), false);
        }
    }

    fn close_pager(&mut self) {
        self.pane = self.pager.under;
        self.pager = PagerPane { number: self.pager.number, ..PagerPane::default() };
    }

    /// Opens the text of the pager in the user's editor; false: it is not in front.
    pub(in crate::app) fn edit_page(&mut self, effects: &mut Effects) -> bool {
        let text = self.pager.text.clone().filter(|_| self.pane == Pane::Pager);
        let is_there = text.is_some();
        if let Some(text) = text {
            self.notify(format!("{} bytes in the editor; changes are not kept", count_text(text.len())));
            effects.push(Effect::EditText(text));
        }
        is_there
    }
}
