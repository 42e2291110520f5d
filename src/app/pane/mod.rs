//! What panes and tabs show, and how they answer to keys and mouse: one file each, and one row of [`PANES`].
//!
//! The program asks the row of the pane with the cursor; nothing outside this folder distinguishes one pane from
//! another. To add a tab: a file here with a type that is [`PaneContent`] and its state, one row in `registry.rs`, and
//! one row of [`KEYS`](super::keys::KEYS) for its key.

mod aligned_messages;
mod aligned_state;
mod aligned_steps;
mod attempts;
mod cached;
mod conversation;
mod diff;
mod facets;
mod files;
mod findings;
mod history;
mod instances;
mod known_file;
mod llm;
mod llm_text;
mod loss;
mod merge;
mod message;
mod named_file;
mod pager;
mod plan;
mod plot;
mod raw;
mod reading;
mod registry;
mod schema;
mod state;
mod steps;
mod trajectories;
mod two_runs;
mod update;
mod watches;

pub use cached::Cached;
pub use diff::DiffTab;
pub use known_file::FileTab;
pub use llm::{LlmTab, ViewOf};
pub use llm_text::{EntryPlace, ViewLines};
pub use message::{MessageMode, MessageTab, RevealTarget};
pub use named_file::NamedFile;
pub use pager::PagerPane;
pub use reading::ReadingOf;
pub use registry::{Inspector, PANES, Tab};
pub use two_runs::TwoRunsView;
pub(in crate::app) use two_runs::layout as two_runs_layout;

use super::keys::Context;
use super::{App, Effects, Pane, SearchPosition};
use crate::json::Key;
use crate::model::Identity;
use crate::panes::json_outline::JsonNodeKind;
use crate::panes::lazy_column::Column;
use crate::panes::message::DocView;
use crate::panes::state::StatePosition;
use crate::panes::text_view::TextView;
use crate::panes::{Extent, Nth, Open, Piece, Row, Scroll, Window};
use crate::text::{Pattern, Role};

/// A title, whole and where there is little room.
pub type Title = (&'static str, &'static str);

/// A path of the state, as the focus keeps it.
pub type StatePath = (Identity, Vec<Key>);

/// One row of the table of panes and tabs.
pub struct PaneRow {
    /// Where it is shown.
    pub pane: Pane,
    /// Which tab it is, if it is one.
    pub tab: Option<Tab>,
    /// What it is called.
    pub title: Title,
    /// The contexts of its keys, innermost first.
    pub contexts: &'static [Context],
    /// What it shows and does.
    pub content: &'static dyn PaneContent,
}

/// Where a pane is.
#[derive(Debug, Clone)]
pub enum Position {
    /// At rows of its model.
    Rows(Scroll),
    /// At a place of a column that is laid out as it is shown.
    Column(Column),
    /// At a place of an LLM view that is laid out in parts.
    Entry(EntryPlace),
    /// In the state.
    State(StatePosition),
    /// At the step in focus.
    Step,
}

/// What is listed there can be filtered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filtered {
    /// The files.
    Files,
    /// The trajectories of a dataset.
    Trajectories,
    /// The steps.
    Steps,
}

/// Where a search goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Searched {
    /// It was in the rows of the pane: which hit the cursor is on now, if there is one.
    Here(Option<Nth>),
    /// It was in the part of the pane that is laid out: where, in words.
    InPart(String),
    /// A job searches the steps, records or entries, from one on.
    Outside(SearchPosition),
    /// There is nothing to search.
    Nothing,
}

/// How the rows of a pane show references to values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum References {
    /// In the colour of references.
    Marked,
    /// The same, and those that lead nowhere as errors.
    Judged,
}

/// What a pane or tab shows and does.
///
/// Its state is in [`App`]; the defaults are those of a tab whose rows are a document or a text.
pub trait PaneContent: Sync {
    /// What is shown in its place now, if it has several looks.
    fn look(&self, _app: &App) -> Option<&'static dyn PaneContent> {
        None
    }

    /// What it is called for what is open, where that is not the title of its row; whether it is the tab in front.
    fn name(&self, _app: &App, _is_front: bool) -> Option<Title> {
        None
    }

    /// Whether its rows are values of the state: the one under the cursor comes into focus.
    fn has_values(&self) -> bool {
        false
    }

    /// Whether its title is among those of the tabs for what is open.
    fn is_offered(&self, _app: &App) -> bool {
        true
    }

    /// The title in the border of a pane.
    fn title(&self, _app: &App, role: Role, name: &str) -> Vec<Piece> {
        vec![Piece::of(role, &format!(" {name} "))]
    }

    /// Whether it is alone on the screen: no other pane is beside it.
    fn fills_screen(&self) -> bool {
        false
    }

    /// The line at the top while this pane has the cursor, where it is another: left and right part.
    fn header(&self, _app: &App, _cells: usize) -> Option<(Vec<Piece>, Vec<Piece>)> {
        None
    }

    /// The sentence on what the cursor is on, where it is not the value in focus.
    fn explain(&self, _app: &App, _open: &Open<'_>) -> Option<Vec<Piece>> {
        None
    }

    /// What the line at the top says of this pane where it has no title, in at most `room` cells.
    fn header_note(&self, _app: &App, _room: usize) -> Vec<Piece> {
        Vec::new()
    }

    /// The rows of the window.
    fn window(&self, app: &App, extent: Extent, has_focus: bool) -> Window;

    /// The rows at the top of the window that do not scroll and have no cursor, but can be searched.
    fn head(&self, _app: &App, _extent: Extent) -> Vec<Row> {
        Vec::new()
    }

    /// How many rows of the window do not scroll.
    fn fixed_rows(&self, app: &App, extent: Extent) -> usize {
        self.head(app, extent).len()
    }

    /// How references in the rows are shown; None: like other text.
    fn references(&self, _app: &App) -> Option<References> {
        None
    }

    /// Whether there is no row that a key could be about.
    fn is_empty(&self, app: &App) -> bool {
        app.session.open().is_none_or(|open| open.count() == 0)
    }

    /// Scroll and cursor; None: it has none, or scrolls by columns.
    fn scroll<'a>(&self, app: &'a App) -> Option<&'a Scroll>;

    /// The same, to change them.
    fn scroll_mut<'a>(&self, app: &'a mut App) -> Option<&'a mut Scroll>;

    /// The context of keys that only what it shows now has.
    fn context_inside(&self) -> Option<Context> {
        None
    }

    /// Where it is, so that a search that is given up comes back; None: a search does not move it before Enter.
    fn position(&self, app: &App) -> Option<Position> {
        self.scroll(app).copied().map(Position::Rows)
    }

    /// Goes back to where it was.
    fn return_to(&self, app: &mut App, position: Position) {
        if let (Some(scroll), Position::Rows(at)) = (self.scroll_mut(app), position) {
            *scroll = at;
        }
    }

    /// The document that it shows, if it is one.
    fn document<'a>(&self, _app: &'a mut App) -> Option<&'a mut DocView> {
        None
    }

    /// The text that it shows, if it is one.
    fn reader<'a>(&self, _app: &'a mut App) -> Option<&'a mut TextView> {
        None
    }

    /// Rows that can be scrolled through, at a width.
    fn row_count(&self, app: &mut App, cells: usize) -> usize {
        if let Some(document) = self.document(app) {
            return document.row_count(cells);
        }
        self.reader(app).map_or(0, |reader| reader.row_count(cells))
    }

    /// Moves the cursor by some rows.
    fn move_by(&self, app: &mut App, delta: isize) {
        let cells = app.front_extent().width;
        let total = self.row_count(app, cells);
        if let Some(scroll) = self.scroll_mut(app) {
            scroll.move_by(delta, total);
        }
    }

    /// Moves the window by some rows, and the cursor with it.
    fn page_by(&self, app: &mut App, delta: isize) {
        let is_tab = app.row_of(app.pane).tab.is_some();
        if let Some(scroll) = self.scroll_mut(app).filter(|_| is_tab) {
            scroll.top = scroll.top.saturating_add_signed(delta);
        }
        self.move_by(app, delta);
    }

    /// Unfolds (true) or folds what the cursor is on, or goes to its child or parent; None changes what it is.
    fn fold(&self, app: &mut App, is_open: Option<bool>) {
        let cells = app.front_extent().width;
        if let Some(document) = self.document(app) {
            document.set_fold(is_open, cells);
        }
    }

    /// Unfolds or folds everything. Where nothing folds, the state does.
    fn fold_all(&self, app: &mut App, is_open: bool) {
        if let Some(document) = self.document(app) {
            return document.fold_all(is_open);
        }
        let App { session, state, .. } = app;
        if let Some(open) = session.open() {
            // The value in focus is not what the cursor is on.
            state.fold_all(&open, is_open);
        }
    }

    /// Scrolls by columns of its own; false: it scrolls by cells.
    fn scroll_columns(&self, _app: &mut App, _is_right: bool) -> bool {
        false
    }

    /// Goes to the next or previous hit.
    fn search(&self, app: &mut App, pattern: &Pattern, is_forward: bool) -> Searched {
        let cells = app.front_extent().width;
        if let Some(document) = self.document(app) {
            return Searched::Here(document.search(pattern, cells, is_forward));
        }
        Searched::Here(self.reader(app).and_then(|reader| reader.search(pattern, cells, is_forward)))
    }

    /// A click on a row; `was_here` if the pane had the cursor before.
    fn click(&self, app: &mut App, row: usize, was_here: bool, effects: &mut Effects) {
        let Some(scroll) = self.scroll_mut(app) else { return };
        let is_again = was_here && scroll.cursor == row;
        scroll.cursor = row;
        if is_again {
            self.follow(app, effects);
        }
    }

    /// A click on the first line of the pane, where it means no row.
    fn click_heading(&self, _app: &mut App, _cell: usize) {}

    /// The text of what the cursor is on.
    fn copy(&self, app: &mut App) -> Option<String> {
        let cells = app.front_extent().width;
        if let Some(document) = self.document(app) {
            return document_text(document, cells);
        }
        if let Some(reader) = self.reader(app) {
            return reader.line(cells).map(|line| line.text.clone());
        }
        app.value_text(app.session.focus.path.as_ref())
    }

    /// The path of what the cursor is on, as the command line takes it.
    fn copy_path(&self, app: &mut App) -> Option<String> {
        let cells = app.front_extent().width;
        if let Some(document) = self.document(app) {
            return document.doc().and_then(|doc| Some(doc.pointer(document.node(cells)?)));
        }
        app.path_text(app.session.focus.path.as_ref())
    }

    /// Enter.
    fn follow(&self, app: &mut App, effects: &mut Effects);

    /// The instance that what the cursor is on belongs to, if the rows say so.
    fn instance_at_cursor(&self, _app: &App) -> Option<String> {
        None
    }

    /// The tab is asked for: what it is to show.
    fn before_shown(&self, _app: &mut App) {}

    /// After every message: asks for what it misses. Panes are updated whether they are shown or not, of the tabs only
    /// the one in front, if it is shown.
    fn after_update(&self, _app: &mut App, _effects: &mut Effects) {}

    /// After that, when the cursor is in view: asks for what is to be added to the visible rows.
    fn after_scroll(&self, _app: &mut App, _extent: Extent, _effects: &mut Effects) {}

    /// `q`: closes what is only this pane's; false: there is nothing to close.
    fn close(&self, _app: &mut App) -> bool {
        false
    }

    /// `Esc`: ends a selection or a search for names, before anything else; false: there is none.
    fn end_selection(&self, _app: &mut App) -> bool {
        false
    }

    /// `Esc`: clears a filter or goes back; false: there is nothing of this pane to leave.
    fn cancel(&self, app: &mut App) -> bool {
        app.pane = Pane::Steps;
        true
    }

    /// What a filter typed here is of; None: nothing is listed.
    fn filtered(&self) -> Option<Filtered> {
        None
    }

    /// The records that a decision is about; None: the open record, or the step.
    fn marked_records(&self, _app: &App) -> Option<Vec<usize>> {
        None
    }

    /// The value that a decision on a part is about; None: the step.
    fn marked_value(&self, _app: &App) -> Option<(String, Option<String>)> {
        None
    }

    /// The record under the cursor, where rows are records; None: they are of the open run.
    fn record_at_cursor(&self, _app: &App) -> Option<Option<usize>> {
        None
    }
}

/// The value under the cursor of a document: a string without its quotes, else the JSON text.
fn document_text(document: &DocView, cells: usize) -> Option<String> {
    let (doc, node) = (document.doc()?, document.node(cells)?);
    let is_string = doc.nodes().get(node)?.kind == JsonNodeKind::String;
    Some(if is_string { doc.string_head(node, usize::MAX).0.into_owned() } else { doc.source(node).to_owned() })
}

impl Tab {
    /// Its row of the table.
    #[must_use]
    pub fn row(self) -> &'static PaneRow {
        PANES.iter().find(|row| row.tab == Some(self)).unwrap_or(&PANES[0])
    }
}

impl Pane {
    /// Its row of the table; of the inspector that of its first tab.
    #[must_use]
    pub fn row(self) -> &'static PaneRow {
        PANES.iter().find(|row| row.pane == self).unwrap_or(&PANES[0])
    }
}

/// The contexts of a pane, innermost first.
#[must_use]
pub fn pane_contexts(pane: Pane) -> Vec<Context> {
    pane.row().contexts.to_vec()
}

impl App {
    /// The row of what a pane shows now.
    #[must_use]
    pub fn row_of(&self, pane: Pane) -> &'static PaneRow {
        let row = pane.row();
        row.tab.map_or(row, |_| self.inspector.tab.row())
    }

    /// What a pane shows now.
    #[must_use]
    pub fn content_of(&self, pane: Pane) -> &'static dyn PaneContent {
        let content = self.row_of(pane).content;
        content.look(self).unwrap_or(content)
    }

    /// What the pane with the cursor shows.
    #[must_use]
    pub fn front(&self) -> &'static dyn PaneContent {
        self.content_of(self.pane)
    }

    /// Size of the inside of the pane with the cursor.
    #[must_use]
    pub fn front_extent(&self) -> Extent {
        self.pane_extent(self.pane)
    }

    /// Whether the keys of a context work in the pane with the cursor.
    #[must_use]
    pub fn is_in(&self, context: Context) -> bool {
        self.row_of(self.pane).contexts.contains(&context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::keys::{Action, Keymap};

    #[test]
    fn every_tab_has_a_row_and_a_key() {
        for tab in Tab::ALL {
            assert_eq!(tab.row().tab, Some(*tab));
            assert!(!Keymap::default().key_of(Action::Tab(*tab)).is_empty(), "{tab:?} has a row of KEYS");
        }
        let panes: Vec<Pane> = PANES.iter().filter(|row| row.tab.is_none()).map(|row| row.pane).collect();
        assert!(panes.iter().all(|pane| pane.row().pane == *pane));
        assert_eq!((Pane::Inspector.row().tab, panes.contains(&Pane::Inspector)), (Some(Tab::Message), false));
    }
}
