//! The search while it is typed: each change goes to the first hit after the place where the prompt was opened; Esc
//! comes back to that place.

use super::pane::Position;
use super::prompt::Prompt;
use super::{App, Effects, Layer, Pane};
use crate::panes::Focus;
use crate::text::Pattern;

/// Where the prompt was opened.
#[derive(Debug)]
pub(super) struct Begun {
    pane: Pane,
    focus: Focus,
    position: Option<Position>,
    /// How many jumps can be come back from.
    jumps: usize,
    /// The search before this one.
    pattern: Option<Pattern>,
    /// What was searched for last.
    typed: String,
}

impl App {
    /// Opens the prompt of the search.
    pub(super) fn begin_search(&mut self) {
        self.search.begun = Some(Begun {
            pane: self.pane,
            focus: self.session.focus.clone(),
            position: self.front().position(self),
            jumps: self.jumps.len(),
            pattern: self.search.pattern.clone(),
            typed: String::new(),
        });
        self.layer = Some(Layer::Search(Prompt::default()));
    }

    /// What is in the prompt was changed.
    pub(super) fn search_typed(&mut self, effects: &mut Effects) {
        let Some(Layer::Search(prompt)) = &self.layer else { return };
        let typed = prompt.text().to_owned();
        match &mut self.search.begun {
            Some(begun) if begun.typed != typed => begun.typed.clone_from(&typed),
            _ => return,
        }
        self.return_to_begin();
        self.search.pattern = if typed.is_empty() { None } else { Pattern::new(&typed) };
        if self.search.pattern.is_some() && self.search.begun.as_ref().is_some_and(|begun| begun.position.is_some()) {
            self.search_on(true, effects);
        }
    }

    /// Leaves the prompt, back to where it was opened, with the search that was there before.
    pub(super) fn cancel_search(&mut self) {
        self.return_to_begin();
        if let Some(begun) = self.search.begun.take() {
            self.search.pattern = begun.pattern;
        }
    }

    /// Goes back to where the prompt was opened; a search that goes on is given up.
    pub(super) fn return_to_begin(&mut self) {
        self.search.awaited = None;
        let Some(begun) = self.search.begun.as_ref().filter(|begun| begun.pane == self.pane) else { return };
        let (focus, position) = (begun.focus.clone(), begun.position.clone());
        self.jumps.truncate(begun.jumps);
        if self.session.focus != focus {
            self.go_to(focus.step);
            self.session.focus.path = focus.path;
        }
        if let Some(position) = position {
            self.front().return_to(self, position);
        }
    }
}
