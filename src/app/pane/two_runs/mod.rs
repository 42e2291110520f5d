//! Two runs beside each other: choosing them, their rows and states as jobs make them, and the way to one of them.

pub(in crate::app) mod layout;

use super::Cached;
use crate::app::initial_position::Start;
use crate::app::keys::Context;
use crate::app::{App, Effect, Effects, Job, Pane};
use crate::format::Layout;
use crate::model::{StepNo, lossy};
use crate::panes::two_runs::messages::MessagePair;
use crate::panes::two_runs::states::{self, StatePair, StatePairQuery};
use crate::panes::two_runs::{AlignedRuns, RunPlace, TwoRuns, steps};
use crate::panes::{Extent, Scroll};
use std::path::PathBuf;

/// Of a longer record it is not looked whether it holds several trajectories.
const PAIR_BYTES_MAX: u64 = 4 << 20;

/// The two runs on screen, and the one that is marked to be compared.
#[derive(Default)]
pub struct TwoRunsView {
    /// The run that another is to be compared with.
    pub marked: Option<RunPlace>,
    /// The runs; None while they are read and aligned.
    pub runs: Option<TwoRuns>,
    /// How far that is, or why it ended.
    pub status: String,
    /// Scroll and cursor, in rows.
    pub scroll: Scroll,
    /// The side in front: Enter opens its run, a narrow screen shows it.
    pub front: usize,
    /// Whether values that do not differ are shown too.
    pub is_whole: bool,
    /// Scroll and cursor of the states.
    pub state_scroll: Scroll,
    /// The states of both at the row, by the number of the question.
    pub state: Cached<(u64, StatePairQuery), StatePair>,
    /// What both say there.
    pub messages: MessagePair,
    /// The pane below the steps, where there is room for one.
    pub lower: Option<Pane>,
    /// The pane from which they were opened; None: they are not.
    under: Option<Pane>,
    /// What is to be compared as soon as there is a screen.
    pending: Option<[RunPlace; 2]>,
    /// A file that is opened for one of them, the record and the step in it.
    going: Option<(usize, StepNo)>,
    number: u64,
}

impl App {
    /// Whether one of the panes of two runs has the cursor.
    #[must_use]
    pub fn is_comparing(&self) -> bool {
        self.is_in(Context::TwoRuns)
    }

    /// Compares two runs as soon as there is a screen.
    pub fn begin_comparison(&mut self, places: [RunPlace; 2]) {
        self.two_runs.pending = Some(places);
    }

    /// Marks the run under the cursor, or compares it with the one that is marked.
    pub(in crate::app) fn compare_run(&mut self, effects: &mut Effects) {
        if let Some(places) = self.selected_pair() {
            self.table.anchor = None;
            return self.compare_runs(places, effects);
        }
        let Some(place) = self.run_at_cursor() else { return self.notify("no run under the cursor") };
        let is_same = |other: &RunPlace| (&other.file, other.record) == (&place.file, place.record);
        match self.two_runs.marked.clone() {
            Some(marked) if !is_same(&marked) => self.compare_runs([marked, place], effects),
            Some(_) if self.is_pair(&place) => {
                let of = |number| RunPlace { trajectory: Some(number), ..place.clone() };
                self.compare_runs([of(0), of(1)], effects);
            }
            Some(marked) => {
                (self.two_runs.marked, self.attempts.chosen) = (None, None);
                self.notify(format!("{} is no longer marked", marked.name));
            }
            None => {
                let again = if self.is_pair(&place) { "compares its two trajectories" } else { "takes that back" };
                let hint = self.hint("{compare-runs} on another run shows both side by side; {compare-runs} again");
                self.notify(format!("{} is marked: {hint} {again}", place.name));
                // Among attempts, it is the one that the others are measured by.
                self.attempts.chosen = (place.file == self.session.path).then_some(place.record);
                self.two_runs.marked = Some(place);
            }
        }
    }

    /// The records of two selected rows of the table.
    fn selected_pair(&self) -> Option<[RunPlace; 2]> {
        let range = self.table.selected().filter(|range| self.is_on_table() && range.clone().count() == 2)?;
        Some([
            self.record_place(self.table.record_at(*range.start())?),
            self.record_place(self.table.record_at(*range.end())?),
        ])
    }

    fn record_place(&self, record: usize) -> RunPlace {
        let file = self.session.path.clone();
        RunPlace { file, format: None, record, trajectory: None, name: format!("record {record}") }
    }

    fn run_at_cursor(&self) -> Option<RunPlace> {
        if self.is_in(Context::Files) {
            let file = self.files.as_ref()?.pane.at_cursor()?;
            let (path, name) = (file.path.clone(), file.name.clone());
            return Some(RunPlace { file: Some(path), format: None, record: 0, trajectory: None, name });
        }
        self.front().record_at_cursor(self).flatten().map(|record| self.record_place(record))
    }

    /// Whether a record of the open input holds two trajectories, as a preference pair does.
    fn is_pair(&self, place: &RunPlace) -> bool {
        if place.file != self.session.path || !self.session.format.has_trajectories() || self.is_in(Context::Files) {
            return false;
        }
        let record = self.session.records.get(place.record).filter(|record| record.place.span.len <= PAIR_BYTES_MAX);
        let text = record.and_then(|record| self.session.bytes.read(record.place.span).ok()).unwrap_or_default();
        self.session.format.trajectories_in(lossy(&text).as_bytes()) > 1
    }

    /// Shows two runs beside each other.
    pub(in crate::app) fn compare_runs(&mut self, places: [RunPlace; 2], effects: &mut Effects) {
        let is_open = |place: &RunPlace| place.file.is_none() || place.file == self.session.path;
        let places = places.map(|place| (is_open(&place), place));
        self.read_and_compare(places, effects);
    }

    /// The same, of places in the input that is open or not.
    fn read_and_compare(&mut self, places: [(bool, RunPlace); 2], effects: &mut Effects) {
        let under = if self.is_comparing() { self.two_runs.under } else { Some(self.pane) };
        let before = std::mem::take(&mut self.two_runs);
        self.two_runs = TwoRunsView {
            marked: before.marked,
            front: before.front,
            is_whole: before.is_whole,
            lower: before.lower,
            number: before.number + 1,
            status: "Reading both runs…".to_owned(),
            under,
            ..TwoRunsView::default()
        };
        self.two_runs.messages.open_as(&before.messages);
        self.pane = Pane::AlignedSteps;
        self.is_zoomed = false;
        effects.push(Effect::Job(Job::AlignRuns { number: self.two_runs.number, places }));
    }

    pub(in crate::app) fn aligning(&mut self, number: u64, per_cent: usize) {
        if self.two_runs.number == number {
            self.two_runs.status = format!("Reading both runs… {per_cent} %");
        }
    }

    /// Takes two runs that were aligned, and goes to where they part.
    pub(in crate::app) fn runs_aligned(&mut self, number: u64, result: Result<AlignedRuns, String>) {
        let view = &mut self.two_runs;
        if view.number != number || view.under.is_none() {
            return;
        }
        match result {
            Err(why) => view.status = why,
            Ok((sides, rows)) => {
                let runs = TwoRuns::of(sides, rows);
                let first = runs.differences.first().copied();
                let is_one = runs.counts[0] == runs.rows.len() && !runs.rows.is_empty();
                view.scroll.jump_to(first.unwrap_or(0));
                view.runs = Some(runs);
                if is_one {
                    self.notify("the runs do not differ: all rows are the same");
                }
            }
        }
    }

    /// Takes the comparison of two states.
    pub(in crate::app) fn states_compared(&mut self, of: &(u64, StatePairQuery), result: StatePair) {
        let view = &mut self.two_runs;
        if view.state.answer(of) {
            *view.state = result;
            view.state_scroll = Scroll::default();
        }
    }

    /// Asks for what the panes of two runs miss, and scrolls them to their cursors.
    pub(in crate::app) fn settle_two_runs(&mut self, effects: &mut Effects) {
        if let Some(places) = self.two_runs.pending.take() {
            // What is open may not be read yet.
            self.read_and_compare(places.map(|place| (false, place)), effects);
        }
        if !self.is_comparing() {
            return;
        }
        if self.pane != Pane::AlignedSteps {
            self.two_runs.lower = Some(self.pane);
        }
        let extents =
            [Pane::AlignedSteps, Pane::AlignedState, Pane::AlignedMessages].map(|pane| self.pane_extent(pane));
        let view = &mut self.two_runs;
        let Some(runs) = &mut view.runs else { return };
        let total = runs.rows.len();
        view.scroll.show_cursor(extents[0].height.saturating_sub(steps::head_rows(extents[0])), total);
        runs.focus(view.scroll.cursor);
        if extents[2].height > 0 {
            view.messages.show(runs, view.scroll.cursor);
            view.messages.show_cursor(extents[2], view.front);
        }
        if extents[1].height > 0 {
            view.ask_states(effects);
            view.state_scroll.show_cursor(extents[1].height, view.state.len());
        }
    }

    /// Goes some rows on in both runs.
    pub(in crate::app) fn aligned_row_by(&mut self, delta: isize) {
        let view = &mut self.two_runs;
        let total = view.runs.as_ref().map_or(0, |runs| runs.rows.len());
        view.scroll.move_by(delta, total);
    }

    /// Goes to the next or previous difference: of the states where these have the cursor, else of the steps.
    pub(in crate::app) fn difference_by(&mut self, is_forward: bool) {
        let view = &mut self.two_runs;
        let Some(runs) = &view.runs else { return };
        let found = match self.pane {
            Pane::AlignedState => view.state.difference(view.state_scroll.cursor, is_forward),
            _ => runs.difference(view.scroll.cursor, is_forward),
        };
        let scroll = if self.pane == Pane::AlignedState { &mut view.state_scroll } else { &mut view.scroll };
        match found {
            Some(row) => scroll.jump_to(row),
            None => {
                let why = if runs.is_unrelated { ": the runs have no step in common" } else { "" };
                let what = if is_forward { "no later difference" } else { "no earlier difference" };
                self.notify(format!("{what}{why}"));
            }
        }
    }

    /// Shows all values of both states, or only those that differ.
    pub(in crate::app) fn toggle_alike_values(&mut self) {
        self.two_runs.is_whole = !self.two_runs.is_whole;
        let hint = if self.two_runs.is_whole { "all values of both states" } else { "only the values that differ" };
        self.notify(hint);
    }

    /// Puts the left or the right run in front.
    pub(in crate::app) fn front_run(&mut self, is_right: bool) {
        self.two_runs.front = usize::from(is_right);
    }

    /// Puts the cursor into the next or previous pane of the two runs.
    pub(in crate::app) fn aligned_pane_by(&mut self, is_forward: bool) {
        let mut order = vec![Pane::AlignedSteps, Pane::AlignedState, Pane::AlignedMessages];
        order.retain(|pane| *pane != Pane::AlignedState || self.two_runs.has_state());
        let at = order.iter().position(|pane| *pane == self.pane).unwrap_or(0);
        self.pane = order[(at + if is_forward { 1 } else { order.len() - 1 }) % order.len()];
    }

    /// Opens the run of the side in front at the row.
    pub(in crate::app) fn open_aligned(&mut self, effects: &mut Effects) {
        let view = &self.two_runs;
        let Some(runs) = &view.runs else { return };
        let Some(row) = runs.rows.get(view.scroll.cursor) else { return };
        let (place, step) = (runs.sides[view.front].data.place.clone(), row.step_before(view.front).max(0));
        if place.file.is_some() && place.file != self.session.path {
            self.two_runs.going = Some((place.record, step));
            self.notify(format!("opening {}; {}", place.name, self.hint("{close} comes back")));
            effects.extend(place.file.map(Effect::OpenFile));
        } else if self.session.run.is_some() && (self.is_one_run() || self.session.trajectory == place.record) {
            self.pane = Pane::Steps;
            self.jump_to(step);
        } else {
            self.attempts.going = Some((place.record, step));
            self.open_record(place.record, effects);
        }
    }

    /// The file of the run in front and the line of its step at the row; None: no run is there yet.
    pub(in crate::app) fn aligned_place(&self) -> Option<(Option<PathBuf>, Option<u64>)> {
        let view = &self.two_runs;
        let side = &view.runs.as_ref()?.sides[view.front];
        let line = side.session.open().and_then(|open| open.run().place(open.step().max(0))).map(|at| at.place.line);
        let file = side.data.place.file.clone().or_else(|| self.session.path.clone());
        Some((file, line))
    }

    fn is_one_run(&self) -> bool {
        self.session.format.layout() == Layout::Run
    }

    /// A file was opened: if for one of the two runs, it goes to its record and step; else these are closed.
    pub(in crate::app) fn enter_file_of_two(&mut self, mut view: TwoRunsView) {
        match view.going.take() {
            Some((_, step)) if self.is_one_run() => {
                self.start = Some(Start { step: Some(step), ..Default::default() });
            }
            Some((record, step)) => {
                self.attempts.going = Some((record, step));
                self.opening = Some(record);
            }
            None => view = TwoRunsView { marked: view.marked, number: view.number, ..TwoRunsView::default() },
        }
        self.two_runs = view;
    }

    /// The file that was to be opened for one of them cannot be.
    pub(in crate::app) fn forget_run_to_open(&mut self) {
        self.two_runs.going = None;
    }

    /// Whether the open run was opened from two, so that closing it leads back there.
    pub(in crate::app) fn has_two_runs_below(&self) -> bool {
        self.two_runs.under.is_some() && self.is_in(Context::Trajectory)
    }

    /// Leaves the two runs for what was there before.
    pub(in crate::app) fn close_two_runs(&mut self) {
        let under = self.two_runs.under.take();
        self.two_runs.runs = None;
        self.pane = match under {
            Some(Pane::Files) if self.files.is_some() => Pane::Files,
            Some(Pane::Attempts) if self.attempts.question.is_some() => Pane::Attempts,
            _ if self.session.is_dataset() => Pane::Table,
            _ if self.files.is_some() && self.session.run.is_none() => Pane::Files,
            _ => Pane::Steps,
        };
    }

    /// Opens what is folded under the cursor of the messages, or folds it.
    pub(in crate::app) fn toggle_fold_of_messages(&mut self) {
        let (extent, view) = (self.front_extent(), &mut self.two_runs);
        view.messages.toggle_fold(view.front, extent);
    }

    /// Scrolls what both say.
    pub(in crate::app) fn scroll_messages(&mut self, delta: isize, is_page: bool, extent: Extent) {
        let view = &mut self.two_runs;
        view.messages.move_by(delta, is_page, extent, view.front);
    }
}

impl TwoRunsView {
    /// Rows of the steps, with what is above them.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.runs.as_ref().map_or(0, |runs| runs.rows.len() + steps::HEAD_ROWS)
    }

    /// Whether one of the runs has a state.
    #[must_use]
    pub fn has_state(&self) -> bool {
        self.runs.as_ref().is_none_or(|runs| runs.has_state)
    }

    /// Asks for the states at the row; small ones are compared at once.
    fn ask_states(&mut self, effects: &mut Effects) {
        let Some(runs) = &self.runs else { return };
        let Some(ends) = runs.ends(self.scroll.cursor) else { return };
        let question = (self.number, (ends, self.is_whole));
        if !self.state.ask(question) {
            return;
        }
        let both = [&runs.sides[0].data.run, &runs.sides[1].data.run];
        if states::cost(both, question.1) > states::AT_ONCE_MAX {
            let sides = runs.sides.each_ref().map(|side| side.data.clone());
            return effects.push(Effect::Job(Job::CompareStates { of: question, sides: Box::new(sides) }));
        }
        let result = states::compare(both, question.1);
        self.state.show(question);
        *self.state = result;
        self.state_scroll = Scroll::default();
    }
}
