//! Two views of one file: the way from one to the other and back, to the same record and step.

use super::initial_position::Start;
use super::keys::Context;
use super::{App, Effect, Effects};
use crate::model::StepNo;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Where the views of a file were left, and the one that is being opened.
#[derive(Debug, Default)]
pub(super) struct Views {
    opening: Option<(PathBuf, Place)>,
    /// By the name of the format: the record that was open there last, and its step.
    left: HashMap<&'static str, (usize, StepNo)>,
    /// The row of the table that is wanted, until it is known.
    row: Option<usize>,
}

/// What a view is opened at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The table, at the row of a record.
    Row(usize),
    /// A record.
    Record(usize),
}

impl App {
    /// Opens the file again as the format that shows it in another way.
    pub(super) fn show_other_view(&mut self, effects: &mut Effects) {
        match (self.session.format.other_view(), self.session.path.clone()) {
            (Some(format), Some(path)) => {
                self.notify(format!("opening as {format}"));
                self.leave_view(path.clone());
                effects.push(Effect::OpenAs(path, format));
            }
            (Some(_), None) => self.notify("the input is no file that can be opened again"),
            (None, _) => self.notify("only an Inspect log has an event view"),
        }
    }

    /// Remembers where this view is left.
    fn leave_view(&mut self, path: PathBuf) {
        let (record, step) = (self.session.trajectory, self.session.focus.step);
        let is_open = self.session.run.is_some();
        if is_open {
            self.views.left.insert(self.session.format.name(), (record, step));
        }
        let row = self.table.record().filter(|_| !is_open || self.is_in(Context::Dataset));
        let place = row.map(Place::Row).or(is_open.then_some(Place::Record(record)));
        self.views.opening = place.map(|place| (path, place));
    }

    /// The file that was asked for cannot be opened.
    pub(super) fn forget_view(&mut self) {
        self.views.opening = None;
    }

    /// A file was opened: where to begin, if it is another view of the one before. A record of which this view was not
    /// shown yet begins at its first step, since steps of the views are others.
    pub(super) fn enter_view(&mut self, path: &Path, mut views: Views) {
        let Some((_, place)) = views.opening.take().filter(|(wanted, _)| wanted == path) else { return };
        match place {
            Place::Row(record) => views.row = Some(record),
            Place::Record(record) => {
                let left = views.left.get(self.session.format.name()).filter(|(of, _)| *of == record);
                let step = left.map_or(0, |(_, step)| *step);
                self.start = Some(Start { record: Some(record), step: Some(step), ..Start::default() });
            }
        }
        self.views = views;
    }

    /// Puts the cursor of the table on the row that is wanted, as soon as its record is known.
    pub(super) fn settle_view(&mut self) {
        if let Some(record) = self.views.row.filter(|record| self.session.records.get(*record).is_some()) {
            self.views.row = None;
            self.table.show(record);
        }
    }
}
