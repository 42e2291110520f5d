//! Going somewhere else: writes, errors, calls, what a row refers to, and back again.

use crate::app::{App, Effect, Effects, Job};
use crate::model::StepNo;
use crate::panes::{Times, spend, times};

impl App {
    /// Goes to a step and remembers where we were.
    pub fn jump_to(&mut self, step: StepNo) {
        self.remember();
        self.steps.is_jump = true;
        self.go_to(step);
    }

    /// The same, and the value in focus stays in view.
    pub(in crate::app) fn jump_with_focus(&mut self, step: StepNo) {
        self.jump_to(step);
        if let Some(path) = self.session.focus.path.clone() {
            self.focus_path(path);
        }
    }

    /// Shows the next of the columns of times and of what was spent; one that would be empty is passed over.
    pub(in crate::app) fn next_times(&mut self) {
        let Some(open) = self.session.open() else { return };
        let (untimed, has_spend) = (times::untimed(&open), spend::recorded(&open).is_some());
        let has_calls = open.run().work().is_some_and(|work| work.tools().next().is_some());
        drop(open);
        let has = |times: Times| match times {
            Times::Off => true,
            Times::Since | Times::Clock => untimed.is_none(),
            Times::Took => untimed.is_none() && has_calls,
            Times::Spend => has_spend,
        };
        let mut next = self.times.next();
        while !has(next) {
            next = next.next();
        }
        match (next, untimed) {
            (Times::Off, Some(message)) if self.times == Times::Off => self.notify(message),
            (Times::Took, _) => self.notify("beside the steps: how long each call took, from the call to its result"),
            (Times::Spend, _) => {
                self.notify("beside the steps: spent so far; on the timeline: what each part of the run spent");
            }
            _ => {}
        }
        self.times = next;
    }

    pub(in crate::app) fn write_of_focus(&mut self, is_forward: bool) {
        let Some(open) = self.session.open() else { return };
        let Some((_, node)) = open.focus_node() else {
            drop(open);
            return self.any_write(is_forward);
        };
        let found = open.tree().neighbour(node, open.step(), is_forward);
        drop(open);
        match found {
            Some(step) => {
                self.jump_with_focus(step);
            }
            None => {
                self.notify(if is_forward { "no later write of this value" } else { "no earlier write of this value" });
            }
        }
    }

    pub(in crate::app) fn any_write(&mut self, is_forward: bool) {
        let Some(open) = self.session.open() else { return };
        let here = open.step();
        let found = if is_forward {
            open.tree().activity().map(|(s, _)| s).find(|s| *s > here)
        } else {
            open.tree().activity().map(|(s, _)| s).take_while(|s| *s < here).last()
        };
        drop(open);
        match found.filter(|s| *s >= 0) {
            Some(step) => self.jump_to(step),
            None => self.notify(if is_forward { "no later write" } else { "no earlier write" }),
        }
    }

    /// A5: goes to the first step of the next tick, or of the tick before.
    pub(in crate::app) fn tick_by(&mut self, is_forward: bool) {
        let Some(open) = self.session.open() else { return };
        let (run, step) = (open.run(), open.step());
        let found = run.tick_start(step, is_forward).and_then(|start| Some((start, run.tick(start)?)));
        let has_ticks = run.tick(step).is_some();
        drop(open);
        match found {
            Some((start, tick)) => {
                self.jump_to(start);
                self.notify(format!("tick {tick}"));
            }
            None if !has_ticks => self.notify("the steps of this format have no ticks"),
            None => self.notify(if is_forward { "no later tick" } else { "no earlier tick" }),
        }
    }

    pub(in crate::app) fn trajectory_by(&mut self, delta: isize, effects: &mut Effects) {
        if !self.session.is_dataset() {
            return self.notify("this input is one trajectory");
        }
        let count = self.table.count(&self.session);
        let here = self.table.row_of(self.session.trajectory).unwrap_or(self.table.scroll.cursor);
        let row = here.checked_add_signed(delta).filter(|row| *row < count);
        let Some(wanted) = row.and_then(|row| self.table.record_at(row)) else {
            return self.notify(if delta > 0 { "no later trajectory" } else { "no earlier trajectory" });
        };
        self.open_record(wanted, effects);
    }

    /// Opens a record in place of the trajectory that is open. Without one, it is asked for where the program settles.
    pub(in crate::app) fn open_record(&mut self, record: usize, effects: &mut Effects) {
        self.opening = Some(record);
        if self.session.run.is_some() {
            effects.push(Effect::Job(Job::Open(record)));
        }
    }

    /// Enter.
    pub(in crate::app) fn follow(&mut self, effects: &mut Effects) {
        self.front().follow(self, effects);
    }

    /// Goes back to where the last jump began; in a file that a run refers to, without one, to that run.
    pub(in crate::app) fn back(&mut self, effects: &mut Effects) {
        let Some((focus, pane)) = self.jumps.pop() else {
            if !self.leave_part(effects) {
                self.notify("nothing to come back to");
            }
            return;
        };
        self.pane = pane;
        self.inspector.message.file = None;
        self.steps.is_jump = true;
        self.go_to(focus.step);
        if let Some(path) = focus.path {
            self.focus_path(path);
        }
    }
}
