//! The attempts at a task, read for the screen: only the records that the scan takes for attempts at it.

use super::jobs::{Source, read_run};
use crate::format::Purpose;
use crate::json::{self, Value};
use crate::model::{Bytes, RecordBody, StepNo, lossy};
use crate::review::{
    ActionAttempt, Attempt, AttemptTree, FactTable, TaskAnswer, TaskField, TaskQuestion, attempts_at, key_by, several,
};
use std::borrow::Borrow;
use std::sync::{Arc, Weak};

/// Most attempts at one task that are read.
const ATTEMPTS_MAX: usize = 1_000;
/// Most characters that are kept of a step.
const SUMMARY_CHARS_MAX: usize = 400;

/// Records between two looks whether keys are still wanted.
const LOOK_RECORDS: usize = 64;

/// The keys of the tasks of the first records by a field that the table does not know, kept from one question to the
/// next: eight bytes a record.
#[derive(Default)]
pub(super) struct TaskKeys {
    /// The field, and the input.
    of: Option<(Arc<str>, Weak<dyn Bytes>)>,
    keys: Vec<u64>,
}

impl TaskKeys {
    /// The keys of the first `count` records; None: the job was cancelled, and the keys read so far stay.
    fn read(&mut self, source: &Source, by: &Arc<str>, count: usize, is_wanted: &dyn Fn() -> bool) -> Option<&[u64]> {
        let is_same = self
            .of
            .as_ref()
            .is_some_and(|(field, bytes)| field == by && std::ptr::addr_eq(bytes.as_ptr(), Arc::as_ptr(&source.bytes)));
        if !is_same {
            self.keys.clear();
            self.of = Some((Arc::clone(by), Arc::downgrade(&source.bytes)));
        }
        for number in self.keys.len()..count {
            if number % LOOK_RECORDS == 0 && !is_wanted() {
                return None;
            }
            self.keys.push(key(source, number, by).unwrap_or_default());
        }
        Some(&self.keys)
    }
}

fn key(source: &Source, number: usize, by: &str) -> Option<u64> {
    let record = source.records.get(number).filter(|record| record.body == RecordBody::Text)?;
    let bytes = source.bytes.read(record.place.span).ok()?;
    key_by(&json::parse(&lossy(&bytes)).ok()?, by)
}

/// The answer to a question; None: it is no longer wanted.
pub(super) fn answer(
    source: &Source,
    facts: &FactTable,
    (question, by, by_action): (TaskQuestion, &TaskField, bool),
    keys: &mut TaskKeys,
    is_wanted: &dyn Fn() -> bool,
) -> Option<TaskAnswer> {
    let keys = match by {
        Some(by) => Some(keys.read(source, by, facts.len(), is_wanted)?),
        None => None,
    };
    match question {
        TaskQuestion::Of(record) => of_task(source, facts, (record, by, by_action), keys, is_wanted),
        TaskQuestion::Several => {
            let mut list = several(facts, keys, is_wanted)?;
            for line in &mut list.tasks {
                if !is_wanted() {
                    return None;
                }
                line.name =
                    attempts(source, line.first, by).first().map(|attempt| attempt.task.clone()).unwrap_or_default();
                line.words = words(source, line.first).unwrap_or_default();
            }
            Some(TaskAnswer::Tasks(list))
        }
    }
}

/// What a record begins with, as in the table.
fn words(source: &Source, number: usize) -> Option<String> {
    let record = source.records.get(number)?;
    let mut survey = source.format.survey(Purpose::Table)?;
    let looked = survey.look()(&record, &source.bytes.read(record.place.span).ok()?);
    Some(survey.take(looked, source.bytes.as_ref()).facts?.words.as_str().to_owned())
}

/// The attempts of a record.
fn attempts(source: &Source, number: usize, by: &TaskField) -> Vec<Attempt> {
    read_record(source, number, |value| Attempt::all_of(number, value, by.as_deref(), source.format.way()))
}

/// The same with what they did.
fn action_attempts(source: &Source, number: usize, by: &TaskField) -> Vec<ActionAttempt> {
    read_record(source, number, |value| ActionAttempt::all_of(number, value, by.as_deref(), source.format.way()))
}

/// What is read of a record; nothing where it cannot be read.
fn read_record<A>(source: &Source, number: usize, read: impl Fn(&Value<'_>) -> Vec<A>) -> Vec<A> {
    let bytes = source.records.get(number).and_then(|record| source.bytes.read(record.place.span).ok());
    let text = lossy(&bytes.unwrap_or_default()).into_owned();
    let value = json::parse(&text).ok();
    value.map(|value| read(&value)).unwrap_or_default()
}

/// What is read of some records that are attempts at a task; None: it is no longer wanted.
fn attempts_of<A: Borrow<Attempt>>(
    records: &[usize],
    task: &str,
    read: impl Fn(usize) -> Vec<A>,
    is_wanted: &dyn Fn() -> bool,
) -> Option<Vec<A>> {
    let mut out = Vec::new();
    for number in records {
        if !is_wanted() {
            return None;
        }
        out.extend(read(*number).into_iter().filter(|attempt| attempt.borrow().task == task));
    }
    Some(out)
}

fn of_task(
    source: &Source,
    facts: &FactTable,
    (record, by, by_action): (usize, &TaskField, bool),
    keys: Option<&[u64]>,
    is_wanted: &dyn Fn() -> bool,
) -> Option<TaskAnswer> {
    let asked_attempt = attempts(source, record, by).into_iter().next();
    let Some(asked_attempt) = asked_attempt else { return Some(TaskAnswer::Unnamed) };
    let task = asked_attempt.task;
    let mut records = attempts_at(facts, keys, &task);
    // The scan has not come so far yet.
    if let Err(place) = records.binary_search(&record) {
        records.insert(place, record);
    }
    let left_out = records.len().saturating_sub(ATTEMPTS_MAX);
    records.truncate(ATTEMPTS_MAX);
    let mut tree = if by_action {
        let read = |number| action_attempts(source, number, by);
        let attempts = attempts_of(&records, &task, read, is_wanted)?;
        AttemptTree::of_actions(task, attempts, left_out)
    } else {
        let attempts = attempts_of(&records, &task, |number| attempts(source, number, by), is_wanted)?;
        AttemptTree::of(task, attempts, left_out)
    };
    tree.count_tokens(facts);
    describe_steps(source, &mut tree, is_wanted)?;
    Some(TaskAnswer::Tree(tree))
}

/// Describes the first step of each branch.
fn describe_steps(source: &Source, tree: &mut AttemptTree, is_wanted: &dyn Fn() -> bool) -> Option<()> {
    for (record, wanted) in tree.first_steps() {
        if !is_wanted() {
            return None;
        }
        let Some(Ok(run)) = source.records.get(record).map(|record| read_run(source, &record)) else { continue };
        for (branch, step) in wanted {
            let mut described = run.step(StepNo::try_from(step).unwrap_or(StepNo::MAX), source.bytes.as_ref());
            described.summary = described.summary.chars().take(SUMMARY_CHARS_MAX).collect();
            tree.branches[branch].step = Some(described);
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::by_name;
    use crate::ingest;
    use crate::model::{Bytes, Problem, Span};
    use crate::review::ChunkBuilder;
    use crate::shell::headless::CompleteRecords;
    use crate::source::Input;
    use std::sync::{Arc, Mutex};

    /// Bytes that remember where they were read.
    struct Counting(Arc<dyn Bytes>, Mutex<Vec<u64>>);

    impl Bytes for Counting {
        fn read(&self, span: Span) -> Result<Vec<u8>, Problem> {
            self.1.lock().unwrap().push(span.offset);
            self.0.read(span)
        }
    }

    fn asked(source: &Source, facts: &FactTable, question: TaskQuestion, is_wanted: bool) -> Option<TaskAnswer> {
        answer(source, facts, (question, &None, false), &mut TaskKeys::default(), &|| is_wanted)
    }

    /// 40 records of ten tasks; every fourth is not.
    fn fixture() -> (Source, Arc<Counting>, FactTable) {
        let record = |i: usize| match i % 4 {
            3 => "{\"id\":\n".to_owned(),
            _ => {
                let messages = format!(r#"{{"role":"user","content":"go"}},{{"role":"assistant","content":"{i}"}}"#);
                format!("{{\"id\":\"t{}-run{i}\",\"q\":{{\"n\":{}}},\"messages\":[{messages}]}}\n", i % 10, i % 5)
            }
        };
        let text: String = (0..40).map(record).collect();
        let loaded = ingest::load(Input::memory("made", text), Some("adp")).unwrap();
        let format = by_name("adp").unwrap();
        let mut survey = format.survey(Purpose::Table).unwrap();
        let (look, mut maker) = (survey.look(), ChunkBuilder::new(0));
        for record in loaded.records().unwrap().iter() {
            let looked = look(&record, &loaded.input.read(record.place.span).unwrap());
            maker.push(&survey.take(looked, loaded.input.as_ref()).facts.unwrap(), record.place.span.len);
        }
        let mut facts = FactTable::default();
        facts.push(Arc::new(maker.finish()));
        let bytes = Arc::new(Counting(loaded.input.clone(), Mutex::default()));
        let records = Arc::new(CompleteRecords(loaded.records().unwrap().clone()));
        let source = Source::of_records(bytes.clone(), records, format);
        (source, bytes, facts)
    }

    #[test]
    fn only_the_records_of_the_task_are_read() {
        let (source, bytes, facts) = fixture();
        let Some(TaskAnswer::Tree(tree)) = asked(&source, &facts, TaskQuestion::Of(12), true) else { panic!() };
        assert_eq!(
            (tree.task.as_str(), tree.attempts.iter().map(|a| a.record).collect::<Vec<_>>()),
            ("t2", vec![2, 12, 22, 32])
        );
        let spans: Vec<Span> = tree.attempts.iter().map(|a| source.records.get(a.record).unwrap().place.span).collect();
        let is_of_task = |at: &u64| spans.iter().any(|span| (span.offset..span.end()).contains(at));
        let read = std::mem::take(&mut *bytes.1.lock().unwrap());
        assert!(read.len() >= 4 && read.iter().all(is_of_task), "{read:?} {spans:?}");
        let step = tree.branches[1].step.as_ref().unwrap();
        assert_eq!((step.number, step.summary.as_str()), (1, "2"), "the first own step of record 2");
    }

    #[test]
    fn a_record_that_names_no_task_and_one_before_the_scan_came_to_it() {
        let (source, _, facts) = fixture();
        assert_eq!(asked(&source, &facts, TaskQuestion::Of(3), true), Some(TaskAnswer::Unnamed));
        assert_eq!(asked(&source, &facts, TaskQuestion::Of(999), true), Some(TaskAnswer::Unnamed));
        let none = FactTable::default();
        let Some(TaskAnswer::Tree(tree)) = asked(&source, &none, TaskQuestion::Of(12), true) else { panic!() };
        assert_eq!(tree.attempts.len(), 1);
        assert_eq!(asked(&source, &facts, TaskQuestion::Of(12), false), None);
    }

    #[test]
    fn tasks_have_their_names() {
        let (source, _, facts) = fixture();
        let Some(TaskAnswer::Tasks(list)) = asked(&source, &facts, TaskQuestion::Several, true) else { panic!() };
        let names: Vec<&str> = list.tasks.iter().map(|task| task.name.as_str()).collect();
        assert_eq!(names, ["t0", "t1", "t2", "t4", "t5", "t6", "t8", "t9", "t3", "t7"]);
        assert_eq!((list.all, list.unnamed), (10, 10));
    }

    #[test]
    fn another_field_is_read_once_of_each_record() {
        let (source, bytes, facts) = fixture();
        let (by, mut keys) = (Some("q.n".into()), TaskKeys::default());
        let mut ask = |question| answer(&source, &facts, (question, &by, false), &mut keys, &|| true);
        let Some(TaskAnswer::Tasks(list)) = ask(TaskQuestion::Several) else { panic!() };
        let names: Vec<(&str, usize)> = list.tasks.iter().map(|task| (task.name.as_str(), task.attempts)).collect();
        assert_eq!((names, list.unnamed), (vec![("0", 6), ("1", 6), ("2", 6), ("4", 6), ("3", 6)], 10));
        bytes.1.lock().unwrap().clear();
        let Some(TaskAnswer::Tree(tree)) = ask(TaskQuestion::Of(12)) else { panic!() };
        let records: Vec<usize> = tree.attempts.iter().map(|attempt| attempt.record).collect();
        assert_eq!((tree.task.as_str(), records), ("2", vec![2, 12, 17, 22, 32, 37]));
        assert!(bytes.1.lock().unwrap().len() < 30, "the keys are known: only the attempts are read");
        assert_eq!(ask(TaskQuestion::Of(3)), Some(TaskAnswer::Unnamed));
    }
}
