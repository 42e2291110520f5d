//! The texts of records of which facts have the beginnings.

use crate::format::{Facts, Purpose};
use crate::ingest::{self, Loaded};
use crate::model::Bytes as _;
use crate::review::Reread;
use std::fmt;

/// Reads them again, record by record.
pub(super) struct WholeTexts<'l> {
    loaded: &'l Loaded,
}

impl<'l> WholeTexts<'l> {
    /// The records of an input.
    #[must_use]
    pub(super) fn new(loaded: &'l Loaded) -> Self {
        Self { loaded }
    }

    fn facts(&self, record: usize) -> Option<Facts> {
        let record = self.loaded.records().ok()?.get(record)?;
        let text = self.loaded.input.read(record.place.span).ok()?;
        let mut survey = self.loaded.detected.format.survey(Purpose::WholeHeads)?;
        let looked = survey.look()(&record, &text);
        ingest::take(self.loaded, survey.as_mut(), looked).ok()?.facts
    }
}

impl fmt::Debug for WholeTexts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WholeTexts of {}", self.loaded.input.name())
    }
}

impl Reread for WholeTexts<'_> {
    fn texts(&self, record: usize) -> (String, String) {
        self.whole_texts(record)
    }

    fn whole_texts(&self, record: usize) -> (String, String) {
        self.facts(record).map(|facts| (facts.title, facts.words)).unwrap_or_default()
    }

    fn task(&self, record: usize) -> String {
        self.facts(record).and_then(|facts| facts.name.task).unwrap_or_default()
    }
}

/// The texts of a run, whose facts have them whole.
#[derive(Debug)]
pub(super) struct RunTexts(pub(super) Facts);

impl Reread for RunTexts {
    fn texts(&self, record: usize) -> (String, String) {
        self.whole_texts(record)
    }

    fn whole_texts(&self, _record: usize) -> (String, String) {
        (self.0.title.clone(), self.0.words.clone())
    }

    fn task(&self, _record: usize) -> String {
        self.0.name.task.clone().unwrap_or_default()
    }
}
