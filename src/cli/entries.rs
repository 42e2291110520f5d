//! One pass over the records of a file that says what filters, groups and tables ask of each.

use super::Stop;
use super::check::baseline::Contents;
use super::filter::{passes, tokens};
use super::finding_policy::FindingPolicy;
use super::task_groups::task_groups;
use crate::format::{BoxedLook, Surveyed};
use crate::ingest::{self, Loaded};
use crate::model::{Record, RecordBody};
use crate::review::{
    ChunkBuilder, ContentKey, FilterField, MarkTarget, Marks, Numbers, RecordFacts, Tokenizer, is_of_findings,
    purpose_of,
};
use crate::rules::trajectory::RecordName;
use crate::source::RecordReport;
use std::cell::RefCell;

/// What is asked of the records of a file.
pub(super) struct Pass<'p> {
    /// The fields that are asked for; None among them: the words.
    pub(super) fields: &'p [Option<FilterField>],
    /// Where marks are asked for.
    pub(super) marks: Option<&'p Marks>,
    /// What counts tokens; None: they are estimated.
    pub(super) tokenizer: Option<&'p dyn Tokenizer>,
    /// The records that a filter lets through; None: all.
    pub(super) passing: Option<&'p [bool]>,
    /// Which findings count.
    pub(super) policy: &'p RefCell<FindingPolicy>,
}

/// A record looked at, with what else was asked of its text.
struct ScannedRecord<T> {
    looked: BoxedLook,
    len: u64,
    line: u64,
    /// Its tokens, where they are counted.
    tokens: Option<u64>,
    /// Where marks are asked for.
    key: Option<ContentKey>,
    also: T,
}

impl<T: Send> RecordReport for ScannedRecord<T> {
    fn is_whole(&self) -> bool {
        self.looked.is_whole()
    }

    fn shift(&mut self, records: usize, lines: u64) {
        self.looked.shift(records, lines);
        self.line += lines;
    }
}

/// A record with its facts.
pub(super) struct Passed<'e, T> {
    /// The facts.
    pub(super) entry: RecordFacts<'e>,
    /// What it says of its id and its task.
    pub(super) name: RecordName,
    /// The file beside it that its reward is from.
    pub(super) reward_from: Option<String>,
    /// The line in which it begins, from 1.
    pub(super) line: u64,
    /// Its key, where marks are asked for and it can be read.
    pub(super) key: Option<ContentKey>,
    /// What else was asked.
    pub(super) also: T,
}

impl Pass<'_> {
    /// Gives each record that the filter lets through, in the order of the file; `also` is asked of the text of each,
    /// on several threads.
    ///
    /// # Errors
    /// The input can no longer be read, or what `each` says.
    pub(super) fn each<T: Send>(
        &self,
        loaded: &Loaded,
        also: impl Fn(&Record, &[u8]) -> T + Sync,
        mut each: impl FnMut(Passed<'_, T>) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let Some(mut survey) = loaded.detected.format.survey(purpose_of(self.fields)) else {
            return self.each_run(loaded, also, each);
        };
        let look = survey.look();
        let tokenizer = self.tokenizer.filter(|_| self.fields.contains(&Some(FilterField::Number(Numbers::Tokens))));
        let wants_keys = self.marks.is_some();
        let see = |record: &Record, text: &[u8]| ScannedRecord {
            looked: look(record, text),
            len: record.place.span.len,
            line: record.place.line,
            tokens: tokenizer.and_then(|tokenizer| tokens(text, loaded, tokenizer)),
            key: (wants_keys && record.body == RecordBody::Text).then(|| ContentKey::of(text)),
            also: also(record, text),
        };
        let has_groups =
            self.fields.iter().any(|f| matches!(f, Some(FilterField::Number(number)) if number.is_of_group()));
        let groups = if has_groups { Some(task_groups(loaded)?) } else { None };
        let has_findings = self.fields.iter().any(|field| is_of_findings(*field));
        let mut contents = Contents::new(loaded);
        let (mut number, place) = (0, (loaded.input.name(), loaded.detected.format.name()));
        ingest::look_at_all(loaded, see, |scanned: ScannedRecord<T>| -> Result<(), Stop> {
            let ScannedRecord { looked, len, line, tokens, key, also } = scanned;
            let Surveyed { findings, facts, .. } = ingest::take(loaded, survey.as_mut(), looked)?;
            let counting = self.policy.borrow_mut().counting(findings, &mut contents)?;
            let facts = facts.unwrap_or_default().with_tokens(tokens);
            let mut facts = if has_findings { facts.without_findings().with_findings(&counting) } else { facts };
            let (name, reward_from) = (std::mem::take(&mut facts.name), facts.run.reward_from.take());
            let mut maker = ChunkBuilder::of_file(number, place);
            maker.push(&facts, len);
            let mark = self.marks.zip(key).and_then(|(marks, key)| marks.get(&MarkTarget::record(key)));
            let is_wanted = passes(self.passing, number);
            number += 1;
            match maker.finish().iter().next().filter(|_| is_wanted) {
                Some(entry) => {
                    let entry = entry.with_mark(mark).with_groups(groups.as_ref());
                    each(Passed { entry, name, reward_from, line, key, also })
                }
                None => Ok(()),
            }
        })
    }

    /// The same of the run that a file is: nothing is asked of its text.
    fn each_run<T: Send>(
        &self,
        loaded: &Loaded,
        also: impl Fn(&Record, &[u8]) -> T + Sync,
        mut each: impl FnMut(Passed<'_, T>) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let has_findings = self.fields.iter().any(|field| is_of_findings(*field));
        let has_groups =
            self.fields.iter().any(|f| matches!(f, Some(FilterField::Number(number)) if number.is_of_group()));
        let groups = if has_groups { Some(task_groups(loaded)?) } else { None };
        let mut contents = Contents::new(loaded);
        let Some(first) = loaded.records()?.get(0) else { return Ok(()) };
        let (len, place) = (ingest::record_bytes(loaded)?, (loaded.input.name(), loaded.detected.format.name()));
        let surveyed = ingest::survey_runs(loaded, has_findings)?;
        let wanted = surveyed.iter().enumerate().filter(|(number, _)| passes(self.passing, *number));
        for (number, Surveyed { findings, facts, .. }) in wanted {
            let counting = self.policy.borrow_mut().counting(findings.iter().cloned(), &mut contents)?;
            let mut facts = facts.clone().unwrap_or_default().without_findings().with_findings(&counting);
            let (name, reward_from) = (std::mem::take(&mut facts.name), facts.run.reward_from.take());
            let mut maker = ChunkBuilder::of_file(number, place);
            maker.push(&facts, len);
            for entry in maker.finish().iter().map(|entry| entry.with_groups(groups.as_ref())) {
                let (line, also) = (first.place.line, also(&first, &[]));
                let (name, reward_from) = (name.clone(), reward_from.clone());
                each(Passed { entry, name, reward_from, line, key: None, also })?;
            }
        }
        Ok(())
    }
}
