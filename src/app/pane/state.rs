//! The state at the step; instances side by side are another look of it.

use super::message::below_head;
use super::{PaneContent, Position, References, RevealTarget, Searched, StatePath, Tab, instances};
use crate::app::{App, Effects, Pane};
use crate::json::Key;
use crate::panes::reading::{PageOf, is_long};
use crate::panes::state::at;
use crate::panes::{Extent, Nth, Piece, Row, Scroll, Window};
use crate::state::NodeShape;
use crate::text::{Pattern, Role};

/// Most leaves of the state that one search looks at.
const LEAVES_MAX: usize = 200_000;
/// Most values of a state that is searched while the pattern is typed; of a larger one at Enter.
const TYPED_VALUES_MAX: usize = 20_000;
/// Below this width what changed out of view is reported in few words.
const SHORT_CELLS: u16 = 60;

pub(super) struct State;

impl PaneContent for State {
    fn look(&self, app: &App) -> Option<&'static dyn PaneContent> {
        app.columns.is_on.then_some(&instances::Instances)
    }

    fn has_values(&self) -> bool {
        true
    }

    fn title(&self, app: &App, role: Role, name: &str) -> Vec<Piece> {
        let mut out = title(app, role, name);
        out.extend(changes_out_of_view(app, false));
        out
    }

    fn header_note(&self, app: &App, _room: usize) -> Vec<Piece> {
        let changes = changes_out_of_view(app, app.size.0 < SHORT_CELLS);
        std::iter::once(Piece::of(Role::Text, " ")).chain(changes).collect()
    }

    fn window(&self, app: &App, extent: Extent, has_focus: bool) -> Window {
        let is_marked = has_focus || app.session.focus.path.is_some();
        let window = |open, below| app.state.window(&open, below, is_marked);
        below_head(self.head(app, extent), extent, |below| {
            app.session.open().map_or_else(Window::default, |open| window(open, below))
        })
    }

    /// What the step changed.
    fn head(&self, app: &App, extent: Extent) -> Vec<Row> {
        app.session.open().map_or_else(Vec::new, |open| app.state.changed_here(&open, extent))
    }

    fn fixed_rows(&self, app: &App, extent: Extent) -> usize {
        app.session.open().map_or(0, |open| app.state.changed_rows(&open, extent.height))
    }

    fn references(&self, _app: &App) -> Option<References> {
        Some(References::Judged)
    }

    fn is_empty(&self, app: &App) -> bool {
        app.session.open().is_none_or(|open| app.state.outline(&open).lines().is_empty())
    }

    fn scroll<'a>(&self, app: &'a App) -> Option<&'a Scroll> {
        Some(&app.state.scroll)
    }

    fn scroll_mut<'a>(&self, app: &'a mut App) -> Option<&'a mut Scroll> {
        Some(&mut app.state.scroll)
    }

    fn position(&self, app: &App) -> Option<Position> {
        has_few_values(app).then(|| Position::State(app.state.position()))
    }

    fn return_to(&self, app: &mut App, position: Position) {
        if let Position::State(position) = position {
            app.state.return_to(position);
        }
    }

    fn move_by(&self, app: &mut App, delta: isize) {
        let App { session, state, .. } = &mut *app;
        let path = session.open().and_then(|open| state.move_by(&open, delta));
        app.set_focus_path(path);
    }

    fn fold(&self, app: &mut App, is_open: Option<bool>) {
        let App { session, state, .. } = &mut *app;
        let path = session.open().and_then(|open| match is_open {
            Some(true) => state.unfold(&open),
            Some(false) => state.fold(&open),
            None => state.toggle(&open),
        });
        app.set_focus_path(path);
    }

    fn fold_all(&self, app: &mut App, is_open: bool) {
        let App { session, state, .. } = &mut *app;
        let path = session.open().and_then(|open| state.fold_all(&open, is_open));
        app.set_focus_path(path);
    }

    fn search(&self, app: &mut App, pattern: &Pattern, is_forward: bool) -> Searched {
        Searched::Here(app.search_state(pattern, is_forward))
    }

    fn click(&self, app: &mut App, row: usize, was_here: bool, _effects: &mut Effects) {
        let is_again = was_here && app.state.scroll.cursor == row;
        let App { session, state, .. } = &mut *app;
        let path = session.open().and_then(|o| if is_again { state.toggle(&o) } else { state.move_to(&o, row) });
        app.set_focus_path(path);
    }

    fn copy(&self, app: &mut App) -> Option<String> {
        app.value_text(app.session.focus.path.as_ref())
    }

    fn follow(&self, app: &mut App, effects: &mut Effects) {
        if !app.follow_file() && !app.follow_missing() && !app.page_value(effects) {
            app.follow_value(|app| State.fold(app, None), effects);
        }
    }

    fn after_update(&self, app: &mut App, _effects: &mut Effects) {
        let extent = app.pane_extent(Pane::State);
        let height = extent.height.saturating_sub(self.fixed_rows(app, extent));
        let App { session, state, columns, .. } = app;
        let Some(open) = session.open() else { return };
        state.find_again(&open);
        state.keep_at_path(&open);
        let outline = state.outline(&open);
        state.sync(&open, &outline);
        state.scroll.show_cursor(height, outline.lines().len());
        if columns.is_on {
            columns.sync(&open, extent);
        }
    }

    fn marked_value(&self, app: &App) -> Option<(String, Option<String>)> {
        app.session.open()?.focus_reference()
    }
}

/// Whether a search of the whole state is so quick that each letter typed may cost one.
fn has_few_values(app: &App) -> bool {
    let Some(open) = app.session.open() else { return true };
    let (tree, step) = (open.tree(), open.step());
    let mut left = TYPED_VALUES_MAX;
    let mut nodes: Vec<_> = tree.identities(step).into_iter().filter_map(|view| view.root).collect();
    while let Some(node) = nodes.pop() {
        let Some(rest) = left.checked_sub(tree.child_count(node, step)) else { return false };
        left = rest;
        let is_container = |shape: &NodeShape| matches!(shape, NodeShape::Object | NodeShape::Array);
        nodes
            .extend(tree.child_shapes(node, step).into_iter().filter(|(_, shape)| is_container(shape)).map(|(n, _)| n));
    }
    true
}

/// The name of the pane, and of which step it is.
pub(super) fn title(app: &App, role: Role, name: &str) -> Vec<Piece> {
    let step = app.session.open().map_or(-1, |open| open.step());
    vec![Piece::of(role, &format!(" {name} ")), Piece::of(Role::Blame, &format!("{} ", at(step)))]
}

fn changes_out_of_view(app: &App, is_short: bool) -> Option<Piece> {
    let open = app.session.open()?;
    let extent = app.pane_extent(Pane::State);
    let head = app.state.changed_rows(&open, extent.height);
    let below = Extent { height: extent.height.saturating_sub(head), ..extent };
    app.state.out_of_view_label(&open, below, is_short)
}

impl App {
    /// Goes from the value in focus to what it refers to, to the step that wrote it, or to its message.
    ///
    /// Where no leaf is in focus and the row refers to nothing, does something else.
    pub(super) fn follow_value(&mut self, otherwise: fn(&mut Self), effects: &mut Effects) {
        if self.ask_named_file(effects) {
            return;
        }
        let Some(open) = self.session.open() else { return };
        let Some((_, node)) = open.focus_node() else {
            drop(open);
            return otherwise(self);
        };
        let (leaf, step) = (open.tree().leaf(node, open.step()), open.step());
        drop(open);
        let Some(leaf) = leaf else {
            return match self.reference_in_row(Pane::State).filter(|_| !self.columns.is_on) {
                Some((reference, instance)) => self.follow_reference(&reference, instance),
                None => otherwise(self),
            };
        };
        match self.reference_in_row(Pane::State) {
            Some((reference, instance)) => self.follow_reference(&reference, instance),
            None if leaf.step >= 0 && leaf.step != step => self.jump_with_focus(leaf.step),
            None if leaf.step == step => {
                self.remember();
                self.inspector.tab = Tab::Message;
                self.pane = Pane::Inspector;
                if let Some((_, path)) = self.session.focus.path.clone() {
                    self.want(RevealTarget::Written(path));
                }
            }
            None => self.notify("this value is in the head of the trajectory, before any step"),
        }
    }

    /// Opens the pager on the value in focus if it is too long for its row and refers to nothing; false: it is not.
    pub(super) fn page_value(&mut self, effects: &mut Effects) -> bool {
        let target = self.session.open().and_then(|open| {
            let (_, node) = open.focus_node()?;
            let leaf = open.tree().leaf(node, open.step())?;
            let digested = |text: &str| open.run().digested_text(text, leaf.step, open.bytes()).is_some();
            let is_long = match leaf.value.short() {
                Some(text) => is_long(text),
                None => leaf.value.text(open.bytes()).is_ok_and(|text| is_long(&text) || digested(&text)),
            };
            let (identity, path) = open.session.focus.path.clone().filter(|_| is_long)?;
            Some((open.run().reference(&identity, &path), PageOf::Value(identity, path, open.step())))
        });
        let Some((name, of)) = target.filter(|_| self.reference_in_row(Pane::State).is_none()) else { return false };
        self.open_pager(&name, of, effects);
        true
    }

    /// Goes from what the schema has and the data lacks to its place in the schema; false: it is data.
    fn follow_missing(&mut self) -> bool {
        let Self { session, state, .. } = self;
        let Some(node) = session.open().and_then(|open| state.missing_node(&open)) else { return false };
        self.remember();
        self.show_tab(Tab::Schema);
        self.sync_schema();
        let cells = self.pane_extent(Pane::Inspector).width;
        self.inspector.schema.view.show_node(node as usize, cells);
        self.notify(self.hint("the data has no value here: this is what the schema says; {back} returns"));
        true
    }

    pub(super) fn search_state(&mut self, pattern: &Pattern, is_forward: bool) -> Option<Nth> {
        let hits = self.state_hits(pattern)?;
        let at = self.session.focus.path.as_ref();
        let here = hits.iter().position(|hit| Some(hit) == at);
        let last = hits.len().checked_sub(1)?;
        let at = match (here, is_forward) {
            (Some(i), true) => (i + 1) % hits.len(),
            (Some(0) | None, false) => last,
            (Some(i), false) => i - 1,
            (None, true) => 0,
        };
        self.focus_path(hits[at].clone());
        Some(Nth { at, of: hits.len() })
    }

    /// Rows of the state that a search stops at, in document order: where the name or the value matches, or where the
    /// whole path begins to. Side by side only leaves have rows, with their whole paths.
    fn state_hits(&self, pattern: &Pattern) -> Option<Vec<StatePath>> {
        let open = self.session.open()?;
        let (step, has_paths) = (open.step(), self.columns.is_on);
        let mut hits = Vec::new();
        let mut seen = 0;
        for view in open.tree().identities(step) {
            let identity = open.tree().identity(view.id).clone();
            let Some(root) = view.root else { continue };
            // Of the leaf before, whether the path to each of its containers matches.
            let (mut before, mut above): (Vec<Key>, Vec<bool>) = (Vec::new(), Vec::new());
            for leaf in open.tree().leaves(root, step) {
                seen += 1;
                if seen > LEAVES_MAX {
                    return Some(hits);
                }
                let text = || leaf.value.text(open.bytes()).is_ok_and(|text| pattern.is_match(&text));
                // A long value is read only where nothing else of it matches.
                let is_value = || leaf.value.short().map_or_else(text, |text| pattern.is_match(text));
                let alike = before.iter().zip(&leaf.path).take_while(|(a, b)| a == b).count();
                above.truncate(if above.is_empty() { 0 } else { alike + 1 });
                for end in above.len()..=leaf.path.len() {
                    let path = &leaf.path[..end];
                    let is_path = pattern.is_match(&open.run().reference(&identity, path));
                    let is_new = is_path && (has_paths || !above.last().is_some_and(|is_path| *is_path));
                    let is_name = path.last().is_some_and(|key| matches!(key, Key::Name(n) if pattern.is_match(n)));
                    let is_leaf = end == leaf.path.len();
                    if is_new || is_name || (is_leaf && is_value()) {
                        hits.extend((is_leaf || !has_paths).then(|| (identity.clone(), path.to_vec())));
                    }
                    above.push(is_path);
                }
                before = leaf.path;
            }
        }
        Some(hits)
    }
}
