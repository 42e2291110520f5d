//! A recording that plays: pausing it, and its speed. What is looked at meanwhile moves freely, as in a live file.

use crate::app::{App, Effect, Effects};
use crate::panes::replay::Replay;

impl App {
    /// Shows a recording that plays.
    pub fn play(&mut self, replay: Replay) {
        self.session.replay = Some(replay);
        self.session.is_live = true;
    }

    pub(in crate::app) fn play_so(&mut self, effects: &mut Effects, change: impl FnOnce(Replay) -> Replay) {
        if let Some(replay) = self.session.replay.map(change) {
            self.session.replay = Some(replay);
            effects.push(Effect::Play(replay));
        }
    }
}
