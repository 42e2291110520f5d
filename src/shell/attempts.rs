//! The attempts at a task, read for the screen: only the records that the scan takes for attempts at it.

use super::jobs::{Source, read_run};
use crate::json;
use crate::model::{StepNo, lossy};
use crate::review::{Attempt, AttemptTree, FactTable, TaskAnswer, TaskQuestion, attempts_at, several};

/// Most attempts at one task that are read.
const ATTEMPTS_MAX: usize = 1_000;
/// Most characters that are kept of a step.
const SUMMARY_CHARS_MAX: usize = 400;

/// The answer to a question; None: nobody wants it any more.
pub(super) fn answer(
    source: &Source,
    facts: &FactTable,
    question: TaskQuestion,
    is_wanted: &dyn Fn() -> bool,
) -> Option<TaskAnswer> {
    match question {
        TaskQuestion::Of(record) => of_task(source, facts, record, is_wanted),
        TaskQuestion::Several => {
            let mut list = several(facts, is_wanted)?;
            for line in &mut list.tasks {
                if !is_wanted() {
                    return None;
                }
                line.name = attempt(source, line.first).map(|attempt| attempt.task).unwrap_or_default();
            }
            Some(TaskAnswer::Tasks(list))
        }
    }
}

fn attempt(source: &Source, number: usize) -> Option<Attempt> {
    let record = source.records.get(number)?;
    let bytes = source.bytes.read(record.place.span).ok()?;
    Attempt::of(number, &json::parse(&lossy(&bytes)).ok()?, None)
}

fn of_task(source: &Source, facts: &FactTable, record: usize, is_wanted: &dyn Fn() -> bool) -> Option<TaskAnswer> {
    let Some(own) = attempt(source, record) else { return Some(TaskAnswer::Unnamed) };
    let task = own.task;
    let mut records = attempts_at(facts, &task);
    // The scan has not come so far yet.
    if let Err(place) = records.binary_search(&record) {
        records.insert(place, record);
    }
    let left_out = records.len().saturating_sub(ATTEMPTS_MAX);
    let mut attempts = Vec::new();
    for number in records.into_iter().take(ATTEMPTS_MAX) {
        if !is_wanted() {
            return None;
        }
        attempts.extend(attempt(source, number).filter(|attempt| attempt.task == task));
    }
    let mut tree = AttemptTree::of(task, attempts, left_out);
    tell_steps(source, &mut tree, is_wanted)?;
    Some(TaskAnswer::Tree(tree))
}

/// Describes the first step of each branch.
fn tell_steps(source: &Source, tree: &mut AttemptTree, is_wanted: &dyn Fn() -> bool) -> Option<()> {
    for (record, wanted) in tree.steps_to_tell() {
        if !is_wanted() {
            return None;
        }
        let Some(Ok(run)) = source.records.get(record).map(|record| read_run(source, &record)) else { continue };
        for (branch, step) in wanted {
            let mut told = run.step(StepNo::try_from(step).unwrap_or(StepNo::MAX), source.bytes.as_ref());
            told.summary = told.summary.chars().take(SUMMARY_CHARS_MAX).collect();
            tree.branches[branch].step = Some(told);
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{Purpose, by_name};
    use crate::ingest;
    use crate::model::{Bytes, Problem, Span};
    use crate::review::ChunkMaker;
    use crate::shell::stage::Whole;
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

    /// 40 records of ten tasks; every fourth is none.
    fn made() -> (Source, Arc<Counting>, FactTable) {
        let record = |i: usize| match i % 4 {
            3 => "{\"id\":\n".to_owned(),
            _ => {
                let said = format!(r#"{{"role":"user","content":"go"}},{{"role":"assistant","content":"{i}"}}"#);
                format!("{{\"id\":\"t{}-run{i}\",\"messages\":[{said}]}}\n", i % 10)
            }
        };
        let text: String = (0..40).map(record).collect();
        let loaded = ingest::load(Input::memory("made", text), Some("adp")).unwrap();
        let format = by_name("adp").unwrap();
        let mut survey = format.survey(Purpose::Table).unwrap();
        let (look, mut maker) = (survey.look(), ChunkMaker::new(0));
        for record in loaded.records.iter() {
            let looked = look(&record, &loaded.input.read(record.place.span).unwrap());
            maker.push(&survey.take(looked, loaded.input.as_ref()).facts.unwrap(), record.place.span.len);
        }
        let mut facts = FactTable::default();
        facts.push(Arc::new(maker.finish()));
        let bytes = Arc::new(Counting(loaded.input.clone(), Mutex::default()));
        let source = Source {
            bytes: bytes.clone(),
            records: Arc::new(Whole(loaded.records)),
            format,
            run: None,
            files: None,
            data: None,
        };
        (source, bytes, facts)
    }

    #[test]
    fn only_the_records_of_the_task_are_read() {
        let (source, bytes, facts) = made();
        let Some(TaskAnswer::Tree(tree)) = answer(&source, &facts, TaskQuestion::Of(12), &|| true) else { panic!() };
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
        let (source, _, facts) = made();
        assert_eq!(answer(&source, &facts, TaskQuestion::Of(3), &|| true), Some(TaskAnswer::Unnamed));
        assert_eq!(answer(&source, &facts, TaskQuestion::Of(999), &|| true), Some(TaskAnswer::Unnamed));
        let none = FactTable::default();
        let Some(TaskAnswer::Tree(tree)) = answer(&source, &none, TaskQuestion::Of(12), &|| true) else { panic!() };
        assert_eq!(tree.attempts.len(), 1);
        assert_eq!(answer(&source, &facts, TaskQuestion::Of(12), &|| false), None);
    }

    #[test]
    fn tasks_have_their_names() {
        let (source, _, facts) = made();
        let Some(TaskAnswer::Tasks(list)) = answer(&source, &facts, TaskQuestion::Several, &|| true) else { panic!() };
        let names: Vec<&str> = list.tasks.iter().map(|task| task.name.as_str()).collect();
        assert_eq!(names, ["t0", "t1", "t2", "t4", "t5", "t6", "t8", "t9", "t3", "t7"]);
        assert_eq!((list.all, list.unnamed), (10, 10));
    }
}
