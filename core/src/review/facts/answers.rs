//! The answers of records that have several, end to end: nothing where each record is one attempt.

use super::RecordFacts;
use crate::model::cast;
use crate::review::field::{Numbers, Subject as _};
use crate::review::rollout::Rollout;
use crate::rules::trajectory::AnswerFacts;

/// The answers of the records of a chunk.
#[derive(Debug, Default)]
pub(super) struct Answers {
    records: usize,
    all: Vec<AnswerFacts>,
    /// Where those of each record end; empty as long as no record has any.
    ends: Vec<u32>,
}

impl Answers {
    /// Takes those of the next record: none of one that is one attempt.
    pub(super) fn push(&mut self, answers: &[AnswerFacts]) {
        if !answers.is_empty() && self.ends.is_empty() {
            self.ends = vec![0; self.records];
        }
        self.records += 1;
        self.all.extend_from_slice(answers);
        if !self.all.is_empty() {
            // A chunk is made of records of a few megabytes: their answers are far below 2^32.
            self.ends.push(cast::to_u32(self.all.len()));
        }
    }

    /// Those of a record of the chunk.
    pub(super) fn of(&self, record: usize) -> &[AnswerFacts] {
        let end = |record: usize| self.ends.get(record).map(|end| *end as usize);
        let begin = record.checked_sub(1).and_then(end).unwrap_or(0);
        end(record).and_then(|end| self.all.get(begin..end)).unwrap_or_default()
    }

    /// Gives back what is not needed.
    pub(super) fn shrink_to_fit(&mut self) {
        self.all.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

impl<'t> RecordFacts<'t> {
    /// The attempts that it is: one, or each of its answers.
    #[must_use]
    pub fn rollouts(self) -> Vec<Rollout> {
        let answers = self.answers();
        if answers.is_empty() {
            let steps = cast::f64_to_u64(self.number(Numbers::Steps).unwrap_or_default());
            return vec![Rollout { reward: self.number(Numbers::Reward), steps, ..Rollout::default() }];
        }
        answers.iter().map(Rollout::of_answer).collect()
    }

    /// How many attempts it is.
    #[must_use]
    pub fn attempts(self) -> usize {
        self.answers().len().max(1)
    }

    /// What the attempts at its task come to.
    pub(super) fn of_group(self, numbers: Numbers) -> Option<f64> {
        self.groups?.number(numbers, self.task(), &self.rollouts())
    }

    pub(super) fn answers(self) -> &'t [AnswerFacts] {
        self.chunk.answers.of(self.record - self.chunk.from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_have_their_answers_whatever_is_between_them() {
        let answer = |steps| AnswerFacts { reward: None, steps, is_preferred: None };
        let mut answers = Answers::default();
        [&[][..], &[answer(1), answer(2)], &[], &[answer(3)]].into_iter().for_each(|all| answers.push(all));
        let steps: Vec<Vec<u64>> =
            (0..5).map(|record| answers.of(record).iter().map(|answer| answer.steps).collect()).collect();
        assert_eq!(steps, [vec![], vec![1, 2], vec![], vec![3], vec![]]);
    }
}
