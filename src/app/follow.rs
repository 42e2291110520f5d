//! A file that grows: the newest step is followed, moving away pauses, what came stands out for a moment.

use super::keys::Context;
use super::selected_record::RecordLookup;
use super::{App, Effect, Effects, Job, Notice, Reopening, msg};
use crate::model::{Place, StepNo};
use crate::panes::Follow;
use std::sync::PoisonError;

impl App {
    /// Stays at the newest step from the start. What a file holds by then stops nothing; of a stream every step counts.
    pub fn follow_from_start(&mut self) {
        self.session.live.follow = Follow::On;
    }

    /// More of the input is known.
    pub(super) fn progress(&mut self, is_complete: bool, is_live: bool, effects: &mut Effects) {
        self.exchange(is_complete, effects);
        self.session.follow_revision();
        if let Some(number) = self.find_gone() {
            self.select_again(RecordLookup::At(number));
            self.inspector.message.gone = None;
            self.session.live.is_put = true;
            self.notify(format!("the record that was gone is there again, as step {number}"));
        }
        self.session.is_complete = is_complete && self.coming.is_none();
        self.session.is_live = is_live;
        let count = self.session.open().map_or(0, |open| open.count());
        // The end of what a filter shows is the last step.
        let step = match (self.list_end(), self.session.live.known) {
            (Some(end), Some(known)) if !self.step_filter.filter.is_empty() && self.session.focus.step == end => {
                StepNo::try_from(known).unwrap_or(StepNo::MAX) - 1
            }
            _ => self.session.focus.step,
        };
        let is_first = self.session.live.known.is_none() && is_complete;
        if self.session.live.grow(count, step, (is_complete, is_live)) {
            effects.push(Effect::Fade);
        }
        if matches!(self.session.live.stale, Some("gone" | "unreadable" | "torn")) {
            (self.session.live.stale, self.session.live.stale_since) = (None, None);
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
        // One record is not a table. Where it was there before the screen, the table was never shown.
        let is_wanted = self.is_on_table() || (self.session.run.is_none() && !self.is_in(Context::Files));
        if !self.session.is_dataset() && is_wanted && is_complete && self.opening.is_none() {
            self.opening = Some(0);
        }
    }

    /// What is unfinished at the end of the input, and the time of the day.
    pub(super) fn ends(&mut self, pending: Option<Place>, clock: &str) {
        self.session.live.ends(pending, clock);
    }

    /// The file is gone or cannot be read; what was read stays on screen.
    pub(super) fn stale(&mut self, mark: &'static str, text: String, clock: String) {
        self.session.live.set_stale(mark, clock);
        self.notice = Some(Notice { is_error: true, text });
    }

    /// A moment went by since steps came.
    pub(super) fn fade(&mut self, effects: &mut Effects) {
        if self.session.live.fade() {
            effects.push(Effect::Fade);
        } else {
            self.settle_cut();
        }
    }

    /// The input has another content. What is shown stays until that is there, so that nothing is lost on the way.
    pub(super) fn replaced(&mut self, replacement: msg::Replacement, message: Option<String>) {
        self.session.is_complete = false;
        if replacement.mark.is_some() {
            (self.session.live.stale, self.session.live.stale_since) = (replacement.mark, None);
        }
        self.restart_selected();
        // Of two that come before one is shown, the first may have been the other content.
        let mark = self.coming.take().and_then(|before| before.mark);
        self.coming = Some(msg::Replacement { mark: replacement.mark.or(mark), ..replacement });
        if let Some(text) = message {
            // Somebody writes there.
            self.session.is_live = true;
            self.notify(text);
        }
    }

    /// Exchanges the old content for the new one once that is read, or as far as the selected record. Focus, folds and
    /// scroll stay by path (T15), the selection on its record, whatever its number is now (R21).
    fn exchange(&mut self, is_complete: bool, effects: &mut Effects) {
        let wanted = usize::try_from(self.session.focus.step).unwrap_or(0);
        let (found, row) = (self.find_selected(is_complete), self.find_row(is_complete));
        let is_ready = |coming: &mut msg::Replacement| {
            let steps = coming.run.as_ref().map(|run| run.read().unwrap_or_else(PoisonError::into_inner).step_count());
            let is_read = steps.map_or(coming.records.count() > self.session.trajectory, |steps| steps > wanted);
            let is_awaited = [found, row].contains(&RecordLookup::NotYet);
            !is_awaited && (found.is_decided() || row.is_decided() || is_complete || is_read)
        };
        let Some(coming) = self.coming.take_if(is_ready) else { return };
        if let Some(open) = self.session.open() {
            self.state.carry(&open);
        }
        let shown = (self.session.generation, self.session.focus.step);
        let was_gone = self.shows_gone();
        self.session.bytes = coming.bytes;
        self.session.records = coming.records;
        self.session.live.renew(coming.mark.is_some());
        effects.extend(coming.mark.map(|_| Effect::Fade));
        self.session.data = None;
        self.restart_table();
        self.restart_review();
        self.inspector.renew();
        match coming.run {
            Some(run) => {
                self.session.set_run(run, 0);
                if let Some(selected) = self.selected.as_ref().filter(|_| found == RecordLookup::Gone && !was_gone) {
                    self.inspector.message.keep(shown, selected.text());
                }
                self.select_again(found);
            }
            None if self.session.run.is_some() => self.reopen(found),
            None => {}
        }
        self.select_row(row);
        if found != RecordLookup::Gone {
            self.selected = None;
        }
    }

    /// Opens the trajectory that was open, of another content.
    fn reopen(&mut self, found: RecordLookup) {
        let before = self.session.trajectory;
        let record = if let RecordLookup::At(record) = found { record } else { before };
        self.reopening = Some(Reopening { record, is_asked: false });
        if let Some(selected) = self.selected.as_ref().filter(|_| found == RecordLookup::Gone) {
            let message = selected.gone_message(&format!("trajectory {before}"));
            self.notify(format!("{message}: this is what is in its place now"));
        }
    }

    /// Puts the cursor of the table on the record that its row shows.
    fn select_row(&mut self, found: RecordLookup) {
        let Some(selected) = self.selected_row.take() else { return };
        match found {
            RecordLookup::At(record) => {
                self.table.show(record);
                self.asking.here = Some(record).filter(|_| self.table.sort.is_some() || !self.table.filter.is_empty());
            }
            RecordLookup::Gone => {
                let number = self.table.record().unwrap_or_default();
                let message = selected.gone_message(&format!("record {number}"));
                self.notify(format!("{message}: the cursor is on what is in its place"));
            }
            RecordLookup::Unasked | RecordLookup::NotYet => {}
        }
    }

    /// Puts the focus on the step that the selected record is now; if it is broken, its content stays on the screen.
    fn select_again(&mut self, found: RecordLookup) {
        match found {
            RecordLookup::At(number) => {
                let step = StepNo::try_from(number).unwrap_or(StepNo::MAX);
                self.session.focus.step = step;
                self.inspector.renumber(step);
            }
            RecordLookup::Gone => {
                let step = self.session.focus.step;
                self.inspector.message.gone = Some((self.session.generation, step));
                self.notify_gone("");
            }
            RecordLookup::Unasked | RecordLookup::NotYet => {}
        }
    }

    fn notify_gone(&mut self, more: &str) {
        let Some(selected) = &self.selected else { return };
        let message = selected.gone_message(&format!("the record of step {}", selected.number()));
        self.notify(format!("{message}; what it held stays here{more}"));
    }

    /// Asks for the trajectory that was open, of the content that is there now. A document that is rewritten is no
    /// record before it stood still for a moment.
    pub(super) fn settle_reopening(&mut self, effects: &mut Effects) {
        let (records, is_complete) = (&self.session.records, self.session.is_complete);
        let is_known = |record: usize| records.get(record).is_some() || (is_complete && records.count() > 0);
        if let Some(reopening) = self.reopening.as_mut().filter(|it| !it.is_asked && is_known(it.record)) {
            reopening.is_asked = true;
            effects.push(Effect::Job(Job::Open(reopening.record)));
        }
    }

    /// A file that became shorter may lack the step in focus. It may still be rewritten, so that is waited for; then
    /// the view stays on what is the last step, and does not follow because of that.
    fn settle_cut(&mut self) {
        let Some(last) = self.session.open().map(|open| open.last()) else { return };
        let step = self.session.focus.step;
        if step <= last || last < 0 || self.session.live.follow == Follow::On {
            return;
        }
        let shows_gone = self.shows_gone();
        self.session.focus.step = last;
        if shows_gone {
            self.inspector.message.gone = Some((self.session.generation, last));
        }
        self.session.live.is_put = true;
        if shows_gone {
            self.notify_gone(&format!(", the last step is {last}"));
            return;
        }
        let word = self.session.live.stale.unwrap_or("read again");
        self.notify(format!("the file was {word}: there is no step {step} any more, {last} is the last"));
    }

    /// `F`.
    pub(super) fn toggle_live(&mut self, effects: &mut Effects) {
        let Some((last, count)) = self.session.open().map(|open| (open.last(), open.count())) else { return };
        if self.session.live.toggle(last, count) {
            self.go_to_last();
            self.notify("following the newest step");
            self.stop_at_hit(effects);
        } else {
            self.notify(self.hint("paused: steps that come are counted; {live} goes on"));
        }
    }
}
