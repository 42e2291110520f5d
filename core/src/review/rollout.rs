//! Records as attempts at tasks: one, or each of several answers.

use crate::format::Facts;
use crate::json::Value;
use crate::rules::statistics::reward;
use crate::rules::trajectory::{AnswerFacts, Reading, Track, Way, answer_rewards, run_facts, task};

/// What a group needs of an attempt.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rollout {
    /// The task that it is an attempt at; None: it names none.
    pub task: Option<String>,
    /// Its reward, as the table has it; None without a finite one.
    pub reward: Option<f64>,
    /// What it cost, as its log gives it.
    pub cost: Option<f64>,
    /// How many steps it has.
    pub steps: u64,
    /// Whether it is the answer of a pair that was preferred; None: it is of no pair.
    pub is_preferred: Option<bool>,
    /// Which of several answers of its record it is, where that was asked for.
    pub answer: Option<String>,
}

impl Rollout {
    /// The attempts that a record is: one, and of a preference pair or of several answers to a prompt one an answer.
    /// Such a record that names no task is a task of its own; `by` names the field of the task, as `details.task`. None
    /// for a record that is not a trajectory.
    #[must_use]
    pub fn all_of(number: usize, record: &Value<'_>, by: Option<&str>, way: Way) -> Vec<Self> {
        let reading = way.read(record);
        if let Some(only) = Self::of_reading(&reading, by) {
            return vec![only];
        }
        let task = answers_task(&reading, number, by);
        let of_answer = |(track, reward): (&Track, Option<f64>)| Self {
            task: task.clone(),
            answer: Some(track.label.clone().unwrap_or_default()),
            ..Self::of_answer(&AnswerFacts::of(track, reward))
        };
        // Without a task it is one record that names none.
        let most = if task.is_some() { usize::MAX } else { 1 };
        answer_rewards(&reading).take(most).map(of_answer).collect()
    }

    /// What is known of one of several answers of a record.
    #[must_use]
    pub fn of_answer(answer: &AnswerFacts) -> Self {
        let AnswerFacts { reward, steps, is_preferred } = *answer;
        Self { reward, steps, is_preferred, ..Self::default() }
    }

    /// The attempts that a record of a table is: one, or each of its answers.
    #[must_use]
    pub fn of_facts(facts: &Facts) -> Vec<Self> {
        let counted = facts.counted.as_ref();
        let answers = counted.map(|counted| counted.answers.as_slice()).unwrap_or_default();
        if answers.is_empty() {
            let reward = counted.and_then(|counted| counted.reward).filter(|reward| reward.is_finite());
            let steps = counted.map_or(0, |counted| counted.steps);
            return vec![Self { reward, steps, ..Self::default() }];
        }
        answers.iter().map(Self::of_answer).collect()
    }

    /// The same of a record that was read and is one attempt.
    #[must_use]
    pub(super) fn of_reading(reading: &Reading<'_>, by: Option<&str>) -> Option<Self> {
        reading.main()?;
        let reward = reward(reading).filter(|reward| reward.is_finite());
        let (steps, cost) = (reading.entries.len() as u64, run_facts(reading).usage.cost);
        Some(Self { task: task(reading.root, by), reward, cost, steps, ..Self::default() })
    }
}

/// The task of a record with several answers: what it names, else the record itself, unless a field is to name tasks.
pub(super) fn answers_task(reading: &Reading<'_>, number: usize, by: Option<&str>) -> Option<String> {
    task(reading.root, by).or_else(|| by.is_none().then(|| format!("record {number}")))
}
