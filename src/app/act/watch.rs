//! Watching values: what is in the strip, its conditions, and running to where they are met.

use crate::app::keys::Context;
use crate::app::prompt::Prompt;
use crate::app::{App, Effect, Effects, Layer, Notice};
use crate::model::StepNo;
use crate::panes::watch::WatchTarget;
use crate::panes::{Follow, Open};
use crate::state::condition::{Condition, Expected};

impl App {
    /// Watches values by name, from when the run has them.
    pub fn watch(&mut self, expected: impl IntoIterator<Item = Expected>) {
        expected.into_iter().for_each(|expected| self.watches.ask(expected));
    }

    /// Looks the names of watches up in what came.
    pub(in crate::app) fn sync_watches(&mut self) {
        let Self { session, watches, .. } = self;
        let fault = session.open().and_then(|open| watches.sync(&open));
        if let Some(text) = fault {
            self.notice = Some(Notice { is_error: true, text });
        }
    }

    /// Watches the value in focus, or no longer; in the strip it takes the row away.
    pub(in crate::app) fn toggle_watch(&mut self) {
        if self.is_in(Context::Watches) {
            return self.remove_watch();
        }
        let Some(target) = self.session.focus.path.clone() else {
            return self.notify("no value in focus: move to one in State to watch it");
        };
        let open = self.session.open();
        let last = open.as_ref().map_or(0, Open::last);
        let reference = open.map_or_else(String::new, |open| open.run().qualified_reference(&target.0, &target.1));
        let is_watched = self.watches.toggle(target, last);
        let strip = self.hint("{pane-next} leads to the strip, where {watch-edit} gives it a condition");
        self.notify(if is_watched {
            format!("watching {reference}; {strip}")
        } else {
            format!("{reference} is watched no longer")
        });
    }

    pub(in crate::app) fn remove_watch(&mut self) {
        if self.watches.rows() > 0 {
            self.watches.remove();
        }
    }

    /// Asks for the condition of the watch under the cursor, as it is now.
    pub(in crate::app) fn edit_watch(&mut self) {
        let Some(watch) = self.watches.chosen() else {
            return self.notify("nothing was written there yet");
        };
        let mut prompt = Prompt::default();
        prompt.insert(&watch.condition.as_ref().map_or(String::new(), ToString::to_string));
        self.layer = Some(Layer::Condition(prompt));
    }

    /// Takes the condition that was typed; an invalid one stays to be mended.
    pub(in crate::app) fn submit_condition(&mut self) {
        let Some(Layer::Condition(prompt)) = &self.layer else { return };
        match Condition::parse(prompt.text()) {
            Ok(condition) => {
                let last = self.session.open().map_or(0, |open| open.last());
                if let Some(watch) = self.watches.chosen_mut() {
                    watch.set_condition(condition, last);
                }
                self.layer = None;
            }
            Err(text) => self.notice = Some(Notice { is_error: true, text }),
        }
    }

    /// Runs to the next or previous hit of the watch under the cursor.
    pub(in crate::app) fn hit_by(&mut self, is_forward: bool) {
        let Some(open) = self.session.open() else { return };
        let Some(watch) = self.watches.chosen() else {
            drop(open);
            return self.notify("nothing was written there yet");
        };
        let found = watch.hit(&open, open.step(), is_forward).filter(|step| *step >= 0);
        let (label, target) = (watch.label(&open), watch.target.clone());
        drop(open);
        match found {
            Some(step) => {
                self.go_to_hit(step, target);
                self.notify(format!("step {step}: {label}"));
            }
            None => self.notify(format!("no {} step: {label}", if is_forward { "later" } else { "earlier" })),
        }
    }

    /// Enter in the strip.
    pub(in crate::app) fn follow_watch(&mut self) {
        let Some(open) = self.session.open() else { return };
        let Some(watch) = self.watches.chosen() else { return };
        let (written, target) = (watch.last_write(&open), watch.target.clone());
        drop(open);
        match written {
            Some(step) if step >= 0 => self.go_to_hit(step, target),
            Some(_) => self.notify("it is in the head of the trajectory, before any step"),
            None => self.notify("the value is not there at this step"),
        }
    }

    fn go_to_hit(&mut self, step: StepNo, target: WatchTarget) {
        self.jump_to(step);
        self.focus_path(target);
    }

    /// While the newest step is followed: stops at the first step, of all that came, at which a watch is hit.
    pub(in crate::app) fn stop_at_hit(&mut self, effects: &mut Effects) {
        if self.session.live.follow != Follow::On {
            return;
        }
        self.sync_watches();
        let Some(open) = self.session.open() else { return };
        let (after, count) = (self.session.live.after.max(-1), open.count());
        let found = self.watches.first_stop(&open, after).map(|(step, i)| {
            let watch = &self.watches.list[i];
            (step, i, watch.label(&open), watch.target.clone())
        });
        drop(open);
        let Some((step, row, label, target)) = found else { return };
        self.remember();
        self.session.live.stop_at(step, count);
        self.session.focus.step = step;
        self.steps.is_jump = true;
        self.watches.scroll.cursor = row;
        self.focus_path(target);
        self.notify(format!("stopped at step {step}: {label} · {}", self.hint("{live} goes on")));
        effects.push(Effect::Alert(format!("{}: step {step}: {label}", self.session.name)));
    }
}
