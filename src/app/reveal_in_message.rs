//! Putting the cursor of a message on what is looked for in it, once the message is there and on the screen.

use super::App;
use super::pane::{MessageMode, RevealTarget};
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
    pub(super) fn want(&mut self, wanted: RevealTarget) {
        if matches!(wanted, RevealTarget::Pointer(_)) {
            self.show_json_of_step();
        }
        self.inspector.message.reveal = Some((self.session.generation, self.session.focus.step, wanted));
    }

    /// Shows the message of the step in focus as JSON until another step is shown, if it is shown to read.
    pub(super) fn show_json_of_step(&mut self) {
        let tab = &mut self.inspector.message;
        match tab.look {
            MessageMode::Raw => tab.look = MessageMode::Json,
            MessageMode::Reading => tab.pointed = Some((self.session.generation, self.session.focus.step)),
            MessageMode::Json => {}
        }
    }

    /// Shows what is looked for, if the message is that of its step. What belongs to another step is forgotten.
    pub(super) fn show_reveal_target(&mut self) {
        let here = (self.session.generation, self.session.focus.step);
        let Some((generation, step, wanted)) =
            self.inspector.message.reveal.take().filter(|(g, s, _)| (*g, *s) == here)
        else {
            return;
        };
        if self.is_reading() {
            return self.reveal_in_text(generation, step, wanted);
        }
        if self.inspector.message.view.shown() != Some(&(generation, step)) {
            self.inspector.message.reveal = Some((generation, step, wanted));
            return;
        }
        let cells = self.pane_extent(super::Pane::Inspector).width;
        let view = &mut self.inspector.message.view;
        let Some(doc) = view.doc().cloned() else { return };
        let node = match wanted {
            RevealTarget::Pointer(path) => node_of_pointer(&doc, &path),
            RevealTarget::Written(path) => node_of_path(&doc, &path),
            RevealTarget::Hit(pattern) => {
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
    fn reveal_in_text(&mut self, generation: u64, step: StepNo, wanted: RevealTarget) {
        let tab = &mut self.inspector.message;
        let is_shown = tab
            .reading
            .shown()
            .is_some_and(|(shown_generation, of)| (*shown_generation, of.step) == (generation, step));
        match wanted {
            RevealTarget::Hit(pattern) if is_shown => {
                tab.reading.column = Column::default();
                tab.reading.search_from_top(&pattern);
            }
            wanted if !is_shown => tab.reveal = Some((generation, step, wanted)),
            RevealTarget::Hit(_) | RevealTarget::Pointer(_) | RevealTarget::Written(_) => {}
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
