//! `obelus check --data` and `--against`: the rules of datasets, which look at records beside one another.

use super::pieces;
use crate::cli::args::FileName;
use crate::cli::inputs::Inputs;
use crate::cli::{Stop, complain};
use crate::format::Layout;
use crate::ingest::{self, Loaded};
use crate::json::Value;
use crate::model::{LocatedFinding, Problem, Record};
use crate::rules::data::{self, CONTAMINATED, Dataset, LookedSample, QUESTION_WORDS, Questions, Taken, Unit};
use crate::source::RecordReport;
use crate::text::counted;

/// What was seen of all files so far.
pub(in crate::cli) struct Data {
    dataset: Dataset,
    /// Of the other dataset.
    questions: Questions,
    /// Whether all rules were asked for, or only whether samples are shared.
    is_all: bool,
}

impl Data {
    /// All rules, without another dataset.
    pub(in crate::cli) fn of_dataset(near: f64) -> Self {
        Self { dataset: Dataset::new(near), questions: Questions::new(QUESTION_WORDS), is_all: true }
    }

    /// Reads the other dataset, its questions by runs of `words` words.
    ///
    /// # Errors
    /// It cannot be read to its end: what is shared with it could not be reported.
    pub(super) fn new(
        is_all: bool,
        near: f64,
        (against, words): (&[FileName], usize),
        format: Option<&str>,
    ) -> Result<Self, Stop> {
        let mut dataset = Dataset::new(near);
        let mut questions = Questions::new(words);
        let inputs = Inputs::of(against);
        if inputs.complain() > 0 {
            return Err(Problem::unreadable("the files of --against cannot all be read").into());
        }
        for file in &inputs.names {
            let loaded = ingest::open(file, format)?;
            if let Some(trouble) = loaded.trouble() {
                return Err(trouble.into());
            }
            dataset.begin_other(&file.to_string());
            let (unit, way) = (unit(&loaded), loaded.detected.format.way());
            let look = |record: &Record, text: &[u8]| {
                (data::look(record, text, unit, way, None), data::question(record, text, way, words))
            };
            ingest::look_at_known(&loaded, look, |(looked, runs)| {
                dataset.learn(looked, runs, &mut questions);
                Ok::<(), Stop>(())
            })?;
        }
        questions.settle();
        if let (short @ 1.., all) = questions.too_short() {
            let least = questions.words_min();
            let (of, are) = (counted(all, "question"), if short == 1 { "is" } else { "are" });
            complain(&format!(
                "{short} of {of} of --against {are} too short to be looked for: {least} words that other questions do \
                 not have are needed (--ngram asks for fewer)"
            ));
        }
        Ok(Self { dataset, questions, is_all })
    }

    /// Gives the findings of a file: record by record, then those that only all records report; and of each whether it
    /// is in a text in which the same was found before.
    pub(in crate::cli) fn file(
        &mut self,
        file: &str,
        loaded: &Loaded,
        each: impl FnMut(LocatedFinding, bool) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        self.dataset.begin(file);
        self.rest(loaded, Beginning::default(), each)
    }

    /// Gives the findings of a file by the rules of its format to `each`, and looks at its first records meanwhile, as
    /// each is parsed once for both. The findings of these come afterwards, by [`Data::rest`].
    pub(super) fn beginning(
        &mut self,
        file: &str,
        loaded: &Loaded,
        each: impl FnMut(Vec<LocatedFinding>) -> Result<(), Stop>,
    ) -> Result<Beginning, Stop> {
        let Self { dataset, questions, is_all } = self;
        dataset.begin(file);
        let (unit, way, mut found) = (unit(loaded), loaded.detected.format.way(), Vec::new());
        let look = |record: &Record, text: &[u8], value: Option<&Value<'_>>| {
            data::look_at_value(record, (text, value), unit, way, Some(questions))
        };
        let records = ingest::findings_beside(loaded, look, each, |looked: LookedSample| {
            found.extend(asked(dataset.take(looked), *is_all));
            Ok(found.len() < WAITING_MAX)
        })?;
        Ok(Beginning { records, found })
    }

    /// Gives the findings of the beginning of a file and of the rest of it.
    pub(super) fn rest(
        &mut self,
        loaded: &Loaded,
        beginning: Beginning,
        mut each: impl FnMut(LocatedFinding, bool) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let Self { dataset, questions, is_all } = self;
        let Beginning { records, found } = beginning;
        found.into_iter().try_for_each(|(found, is_again)| each(found, is_again))?;
        let mut report = |taken| asked(taken, *is_all).try_for_each(|(found, is_again)| each(found, is_again));
        let (unit, way) = (unit(loaded), loaded.detected.format.way());
        let look = |record: &Record, text: &[u8]| data::look(record, text, unit, way, Some(questions));
        ingest::look_from(loaded, records, look, |looked: LookedSample| report(dataset.take(looked)))?;
        report(Taken { new: dataset.end(), ..Taken::default() })?;
        let in_pieces = if *is_all && unit == Unit::Message { pieces::found(loaded)? } else { Vec::new() };
        in_pieces.into_iter().try_for_each(|found| each(found, false))
    }
}

/// Most findings that wait until those by the rules of the format are reported.
const WAITING_MAX: usize = 1 << 14;

/// What was found in the first records of a file.
#[derive(Default)]
pub(super) struct Beginning {
    records: usize,
    /// Each with whether it is in a text in which the same was found before.
    found: Vec<(LocatedFinding, bool)>,
}

impl RecordReport for LookedSample {
    fn is_whole(&self) -> bool {
        self.is_read()
    }

    fn shift(&mut self, records: usize, lines: u64) {
        Self::shift(self, records, lines);
    }
}

/// Those that are asked for of what was found in a record.
fn asked(taken: Taken, is_all: bool) -> impl Iterator<Item = (LocatedFinding, bool)> {
    let again = taken.again.into_iter().map(|found| (found, true));
    let found = taken.new.into_iter().map(|found| (found, false)).chain(again);
    found.filter(move |(found, _)| is_all || found.finding.rule == CONTAMINATED)
}

/// What the records of a file are.
fn unit(loaded: &Loaded) -> Unit {
    let format = loaded.detected.format;
    let is_set = format.layout() == Layout::Set || format.is_any();
    if is_set { Unit::Sample } else { Unit::Message }
}
