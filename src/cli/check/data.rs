//! `obelus check --data` and `--against`: the rules of datasets, which look at records beside one another.

use crate::cli::args::FileName;
use crate::cli::inputs::Inputs;
use crate::cli::{Stop, complain};
use crate::format::Layout;
use crate::ingest::{self, Loaded};
use crate::model::{LocatedFinding, Problem, Record};
use crate::rules::data::{self, CONTAMINATED, Dataset, LookedSample, QUESTION_WORDS, Questions, Taken, Unit};
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

    /// Reads the other dataset, the questions of it by runs of so many words.
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
        mut each: impl FnMut(LocatedFinding, bool) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let Self { dataset, questions, is_all } = self;
        let mut report = |found: Taken| {
            let Taken { new, again } = found;
            let again = again.into_iter().map(|found| (found, true));
            let found = new.into_iter().map(|found| (found, false)).chain(again);
            let mut asked = found.filter(|(found, _)| *is_all || found.finding.rule == CONTAMINATED);
            asked.try_for_each(|(found, is_again)| each(found, is_again))
        };
        dataset.begin(file);
        let (unit, way) = (unit(loaded), loaded.detected.format.way());
        let look = |record: &Record, text: &[u8]| data::look(record, text, unit, way, Some(questions));
        ingest::look_at_known(loaded, look, |looked: LookedSample| report(dataset.take(looked)))?;
        report(Taken { new: dataset.end(), ..Taken::default() })
    }
}

/// What the records of a file are.
fn unit(loaded: &Loaded) -> Unit {
    let format = loaded.detected.format;
    let is_set = format.layout() == Layout::Set || format.is_any();
    if is_set { Unit::Sample } else { Unit::Message }
}
