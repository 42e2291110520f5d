//! A file that grows: the newest step is followed, moving away pauses, what came stands out for a moment.

use super::{App, Effect, Effects, Notice, Pane, msg};
use crate::model::Place;
use crate::panes::Follow;

impl App {
    /// Stays at the newest step from the start. What a file holds by then stops nothing; of a stream every step counts.
    pub fn follow_from_start(&mut self) {
        self.session.live.follow = Follow::On;
    }

    /// More of the input is known.
    pub(super) fn progress(&mut self, is_complete: bool, is_live: bool, effects: &mut Effects) {
        self.session.is_complete = is_complete;
        self.session.is_live = is_live;
        let count = self.session.open().map_or(0, |open| open.count());
        let step = self.session.focus.step;
        let is_first = self.session.live.known.is_none() && is_complete;
        if self.session.live.grow(count, step, (is_complete, is_live)) {
            effects.push(Effect::Fade);
        }
        if self.session.live.stale == Some("gone") || self.session.live.stale == Some("unreadable") {
            self.session.live.stale = None;
        }
        if is_first && self.session.path.is_some() && self.session.live.follow == Follow::On {
            self.session.live.after = self.session.open().map_or(-1, |open| open.last());
        }
        if self.session.live.follow == Follow::On {
            self.go_to_last();
        }
        if is_complete {
            self.stop_at_hit(effects);
        }
        if !self.session.is_dataset() && self.pane == Pane::Table && is_complete && self.opening.is_none() {
            self.opening = Some(0);
        }
    }

    /// What stands unfinished at the end of the input, and the time of the day.
    pub(super) fn ends(&mut self, pending: Option<Place>, clock: &str) {
        self.session.live.ends(pending, clock);
    }

    /// The file is gone or cannot be read; what was read stays on screen.
    pub(super) fn stale(&mut self, mark: &'static str, text: String) {
        self.session.live.stale = Some(mark);
        self.notice = Some(Notice { is_error: true, text });
    }

    /// A moment went by in which nothing came.
    pub(super) fn fade(&mut self) {
        self.session.live.fresh = None;
        self.session.live.is_quiet = true;
    }

    /// The input has another content. Focus, folds and scroll stay, as far as the new content reaches.
    pub(super) fn replaced(&mut self, replacement: msg::Replacement, told: Option<String>) {
        self.session.bytes = replacement.bytes;
        self.session.records = replacement.records;
        self.session.is_complete = false;
        self.session.live.known = None;
        self.session.live.fresh = None;
        if replacement.mark.is_some() {
            self.session.live.stale = replacement.mark;
            // All of the new content is new to who looked at the old one.
            if let Follow::Paused { is_stop, .. } = self.session.live.follow {
                self.session.live.follow = Follow::Paused { count: 0, is_stop };
            }
            self.session.live.after = -1;
        }
        self.table.clear();
        match replacement.run {
            Some(run) => self.session.set_run(run, 0),
            None => self.opening = self.session.run.is_some().then_some(self.session.trajectory),
        }
        self.state.forget_nodes();
        self.inspector.reset();
        if let Some(text) = told {
            self.tell(text);
        }
    }

    /// `F`.
    pub(super) fn toggle_live(&mut self, effects: &mut Effects) {
        let Some((last, count)) = self.session.open().map(|open| (open.last(), open.count())) else { return };
        if self.session.live.toggle(last, count) {
            self.go_to_last();
            self.tell("following the newest step");
            self.stop_at_hit(effects);
        } else {
            self.tell("paused: steps that come are counted; F goes on");
        }
    }
}
