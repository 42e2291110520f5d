//! Going somewhere else: writes, errors, calls, what a row refers to, and back again.

use crate::app::keys::Tab;
use crate::app::{App, Effect, Effects, Pane, inspector};
use crate::model::{Role, StepKind, StepNo, When};
use crate::panes::{Times, times};

/// Most steps that one key press describes while it looks for one of a kind.
const SEEK_MAX: usize = 20_000;

/// What a `[x` or `]x` key looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Error,
    Call,
    User,
}

impl App {
    /// Goes to a step and remembers where we were.
    pub fn jump_to(&mut self, step: StepNo) {
        self.remember();
        self.steps.is_jump = true;
        self.go_to(step);
    }

    /// The same, and the value in focus stays in view.
    pub(super) fn jump_with_focus(&mut self, step: StepNo) {
        self.jump_to(step);
        if let Some(path) = self.session.focus.path.clone() {
            self.focus_path(path);
        }
    }

    /// Goes to the step of a time.
    pub(super) fn go_to_time(&mut self, when: When) {
        let Some(found) = self.session.open().map(|open| times::find(&open, when)) else { return };
        match found {
            Ok(step) => self.jump_to(step),
            Err(told) => self.tell(told),
        }
    }

    /// Shows the next of the columns of times.
    pub(super) fn next_times(&mut self) {
        let has_times = self.session.open().is_some_and(|open| times::near(&open, open.step()).is_some());
        if self.times == Times::Off && !has_times {
            return self.tell("these steps carry no time");
        }
        self.times = self.times.next();
    }

    pub(super) fn write_of_focus(&mut self, is_forward: bool) {
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
                self.tell(if is_forward { "no later write of this value" } else { "no earlier write of this value" })
            }
        }
    }

    pub(super) fn any_write(&mut self, is_forward: bool) {
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
            None => self.tell(if is_forward { "no later write" } else { "no earlier write" }),
        }
    }

    pub(super) fn seek(&mut self, wanted: Wanted, is_forward: bool) {
        let Some(open) = self.session.open() else { return };
        let errors = if wanted == Wanted::Error { open.error_steps() } else { Vec::new() };
        let is_wanted = |step: StepNo| {
            if errors.binary_search(&step).is_ok() {
                return true;
            }
            let described = open.describe(step);
            match wanted {
                Wanted::Error => matches!(described.sign, StepKind::Error | StepKind::Broken),
                Wanted::Call => described.sign == StepKind::Call,
                // What writes state, plans or fails in the user's name is no turn.
                Wanted::User => {
                    described.role == Role::User && matches!(described.sign, StepKind::Message | StepKind::Other)
                }
            }
        };
        let (here, last) = (open.step(), open.last());
        let found = if is_forward {
            (here + 1..=last).take(SEEK_MAX).find(|s| is_wanted(*s))
        } else {
            (0..here).rev().take(SEEK_MAX).find(|s| is_wanted(*s))
        };
        drop(open);
        let word = match wanted {
            Wanted::Error => "error",
            Wanted::Call => "call",
            Wanted::User => "user turn",
        };
        match found {
            Some(step) => self.jump_to(step),
            None => self.tell(format!("no {} {word}", if is_forward { "later" } else { "earlier" })),
        }
    }

    /// A5: goes to the first step of the next tick, or of the tick before.
    pub(super) fn tick_by(&mut self, is_forward: bool) {
        let Some(open) = self.session.open() else { return };
        let (run, step) = (open.run(), open.step());
        let found = run.tick_start(step, is_forward).and_then(|start| Some((start, run.tick(start)?)));
        let has_ticks = run.tick(step).is_some();
        drop(open);
        match found {
            Some((start, tick)) => {
                self.jump_to(start);
                self.tell(format!("tick {tick}"));
            }
            None if !has_ticks => self.tell("the steps of this format have no ticks"),
            None => self.tell(if is_forward { "no later tick" } else { "no earlier tick" }),
        }
    }

    pub(super) fn trajectory_by(&mut self, delta: isize, effects: &mut Effects) {
        let count = self.table.count(&self.session);
        let here = self.table.row_of(self.session.trajectory).unwrap_or(self.table.scroll.cursor);
        let row = here.checked_add_signed(delta).filter(|row| *row < count);
        let Some(wanted) = row.and_then(|row| self.table.record_at(row)) else {
            self.tell("no further trajectory");
            return;
        };
        if self.session.is_dataset() {
            self.open_record(wanted, effects);
        } else {
            self.tell("this input is one trajectory");
        }
    }

    /// Opens a record in place of the trajectory that is open. Without one, it is asked for where the program settles.
    pub(super) fn open_record(&mut self, record: usize, effects: &mut Effects) {
        self.opening = Some(record);
        if self.session.run.is_some() {
            effects.push(Effect::Open(record));
        }
    }

    /// Enter.
    pub(super) fn follow(&mut self, effects: &mut Effects) {
        match self.pane {
            Pane::Files => self.open_at_cursor(effects),
            Pane::Table => {
                let Some(record) = self.table.record() else { return };
                if self.session.run.is_some() && self.session.trajectory == record {
                    self.pane = Pane::Steps;
                } else {
                    self.open_record(record, effects);
                }
            }
            Pane::Facets | Pane::Plot => {}
            Pane::Attempts => self.follow_attempt(effects),
            Pane::Steps => self.follow_step(),
            Pane::State => self.follow_value(effects),
            Pane::Inspector => self.follow_inspector(),
            Pane::Watches => self.follow_watch(),
        }
    }

    fn follow_step(&mut self) {
        let answers = self.session.open().and_then(|open| open.describe(open.step()).answers);
        match answers {
            Some(call) => self.jump_to(call),
            None => {
                self.remember();
                self.pane = Pane::Inspector;
                self.inspector.tab = Tab::Message;
            }
        }
    }

    fn follow_value(&mut self, effects: &mut Effects) {
        if self.follow_missing() || self.ask_file(effects) {
            return;
        }
        let Some(open) = self.session.open() else { return };
        let Some((_, node)) = open.focus_node() else {
            drop(open);
            return match self.columns.is_on {
                true => self.tell("this instance has no such value at this step"),
                false => self.fold(None),
            };
        };
        let leaf = open.tree().leaf(node, open.step());
        let step = open.step();
        drop(open);
        if leaf.is_none() && self.columns.is_on {
            return self.tell("this instance has no such value at this step");
        }
        let reference = self.reference_in_row(Pane::State);
        match (leaf, reference) {
            (_, Some((reference, instance))) => self.follow_reference(&reference, instance),
            (Some(leaf), None) if leaf.step >= 0 && leaf.step != step => {
                self.jump_with_focus(leaf.step);
            }
            (Some(leaf), None) if leaf.step == step => {
                self.remember();
                self.inspector.tab = Tab::Message;
                self.pane = Pane::Inspector;
                if let Some((_, path)) = self.session.focus.path.clone() {
                    self.want(inspector::Wanted::Written(path));
                }
            }
            (Some(_), None) => self.tell("this value stands in the head of the trajectory, before any step"),
            (None, None) => self.fold(None),
        }
    }

    fn follow_inspector(&mut self) {
        let cells = self.pane_extent(Pane::Inspector).width;
        if self.inspector.tab == Tab::Findings {
            return self.follow_finding();
        }
        if self.inspector.tab == Tab::History {
            let step = self.session.open().and_then(|open| self.inspector.history.step(&open));
            return step.filter(|s| *s >= 0).map_or((), |s| self.jump_to(s));
        }
        if self.inspector.tab == Tab::Plan {
            return self.follow_plan();
        }
        let has_references = matches!(self.inspector.tab, Tab::Message | Tab::Llm) && !self.inspector.is_raw;
        let found = has_references.then(|| self.reference_in_row(Pane::Inspector)).flatten();
        if let Some((reference, instance)) = found {
            return self.follow_reference(&reference, instance);
        }
        if self.inspector.tab == Tab::Schema && self.follow_broken_key(cells) {
            return;
        }
        if let Some(view) = self.inspector.document() {
            return view.set_fold(None, cells);
        }
        if self.inspector.tab == Tab::Diff {
            return self.follow_difference(cells);
        }
        if self.inspector.tab == Tab::Merge {
            return self.follow_merged(cells);
        }
        let step = self.inspector.reader().and_then(|r| r.line(cells)).and_then(|l| l.step);
        let Some(step) = step.filter(|s| *s >= 0) else {
            if self.inspector.tab == Tab::Loss {
                self.tell("this comes from no step: the template writes it");
            }
            return;
        };
        self.jump_to(step);
        if self.inspector.tab == Tab::Loss {
            self.tell(format!("step {step}; 1 shows its message, 8 comes back here"));
            // Where the steps are not beside it, the message tells where it went.
            if !self.layout().panes.iter().any(|(pane, _)| *pane == Pane::Steps) {
                self.show_tab(Tab::Message);
            }
        }
    }

    pub(super) fn back(&mut self) {
        let Some((focus, pane)) = self.jumps.pop() else {
            self.tell("nothing to come back to");
            return;
        };
        self.pane = pane;
        self.inspector.file = None;
        self.steps.is_jump = true;
        self.go_to(focus.step);
        if let Some(path) = focus.path {
            self.focus_path(path);
        }
    }
}
