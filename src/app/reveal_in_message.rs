//! Putting the cursor of a message on what is looked for in it, once the message is there and on the screen.

use super::App;
use super::pane::{Look, Wanted};
use crate::model::StepNo;
use crate::panes::json_outline::Doc;
use crate::panes::lazy_column::Column;
use crate::panes::message::node_of_path;

/// Most values of a message whose paths are compared with one that is looked for.
const VALUES_MAX: usize = 20_000;
/// Longest message, in bytes, that is searched because a search elsewhere led to it.
const SEARCHED_MAX: usize = 1 << 20;

impl App {
    /// Has something of the message of the step in focus shown.
    pub(super) fn want(&mut self, wanted: Wanted) {
        if matches!(wanted, Wanted::Pointer(_)) {
            self.show_json_of_step();
        }
        self.inspector.message.wanted = Some((self.session.generation, self.session.focus.step, wanted));
    }

    /// Shows the message of the step in focus as JSON until another step is shown, if it is shown to read.
    pub(super) fn show_json_of_step(&mut self) {
        let tab = &mut self.inspector.message;
        match tab.look {
            Look::Raw => tab.look = Look::Json,
            Look::Reading => tab.pointed = Some((self.session.generation, self.session.focus.step)),
            Look::Json => {}
        }
    }

    /// Shows what is looked for, if the message is that of its step. What belongs to another step is forgotten.
    pub(super) fn show_wanted(&mut self) {
        let here = (self.session.generation, self.session.focus.step);
        let Some((generation, step, wanted)) =
            self.inspector.message.wanted.take().filter(|(g, s, _)| (*g, *s) == here)
        else {
            return;
        };
        if self.is_reading() {
            return self.show_wanted_words(generation, step, wanted);
        }
        if self.inspector.message.view.shown() != Some(&(generation, step)) {
            self.inspector.message.wanted = Some((generation, step, wanted));
            return;
        }
        let cells = self.pane_extent(super::Pane::Inspector).width;
        let view = &mut self.inspector.message.view;
        let Some(doc) = view.doc().cloned() else { return };
        let node = match wanted {
            Wanted::Pointer(path) => node_of_pointer(&doc, &path),
            Wanted::Written(path) => node_of_path(&doc, &path),
            Wanted::Hit(pattern) => {
                if doc.text().len() <= SEARCHED_MAX {
                    view.scroll.cursor = 0;
                    view.search(&pattern, cells, true);
                }
                return;
            }
        };
        if let Some(node) = node {
            view.show_node(node, cells);
        }
    }
}

impl App {
    /// The same in a message that is shown to read: of paths it knows nothing.
    fn show_wanted_words(&mut self, generation: u64, step: StepNo, wanted: Wanted) {
        let tab = &mut self.inspector.message;
        let is_shown = tab.reading.shown().is_some_and(|(own, of)| (*own, of.step) == (generation, step));
        match wanted {
            Wanted::Hit(pattern) if is_shown => {
                tab.reading.column = Column::default();
                tab.reading.search_from_top(&pattern);
            }
            wanted if !is_shown => tab.wanted = Some((generation, step, wanted)),
            Wanted::Hit(_) | Wanted::Pointer(_) | Wanted::Written(_) => {}
        }
    }
}

/// What a path leads to, or the nearest there is above it. The path begins at the record; the message is the element
/// that it names second.
fn node_of_pointer(doc: &Doc, path: &str) -> Option<usize> {
    let below = path.splitn(4, '/').nth(3).map_or(String::new(), |rest| format!("/{rest}"));
    if doc.nodes().len() > VALUES_MAX {
        return None;
    }
    let leads = |n: &usize| {
        let pointer = doc.pointer(*n);
        pointer == below || (!pointer.is_empty() && below.starts_with(&format!("{pointer}/")))
    };
    (0..doc.nodes().len()).rfind(leads)
}
