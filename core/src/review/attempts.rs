//! Attempts at a task to look through: their tree with what each branch came to, and the tasks with several attempts.

use super::action_tree::{Action, ActionAttempt, Parting, Success, action_tree};
use super::attempt_tree::{Attempt, SharedSteps, tree};
use super::facts::{FactTable, RecordFacts};
use super::field::{Names, Numbers, Subject as _};
use super::rollouts::SUCCESS;
use crate::json::Value;
use crate::model::Step;
use crate::model::cast;
use crate::rules::trajectory::{scalar, task_key};
use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Most tasks that are listed.
const TASKS_MAX: usize = 500;
/// Records between two looks whether the answer is still wanted.
const LOOK_RECORDS: usize = 1 << 14;

/// What is asked of the attempts of a dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskQuestion {
    /// The attempts at the task of a record.
    Of(usize),
    /// The tasks with several attempts.
    Several,
}

/// The field that names the task of a record; None: as [`crate::rules::trajectory::task`] finds it.
pub type TaskField = Option<Arc<str>>;

/// The answer.
#[derive(Debug, Clone, PartialEq)]
pub enum TaskAnswer {
    /// The attempts at one task.
    Tree(AttemptTree),
    /// The record names no task.
    Unnamed,
    /// The tasks.
    Tasks(TaskList),
}

/// What some attempts came to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AttemptOutcome {
    /// The least and the greatest reward that is a number.
    pub rewards: Option<(f64, f64)>,
    /// How they ended, the most frequent first.
    pub finishes: Vec<(String, usize)>,
}

/// A stretch of the tree, and what lies below it.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    /// The steps that its attempts have alike.
    pub stretch: SharedSteps,
    /// What its attempts came to.
    pub outcome: AttemptOutcome,
    /// Its first step.
    pub step: Option<Step>,
}

/// The attempts at one task as a tree.
#[derive(Debug, Clone, PartialEq)]
pub struct AttemptTree {
    /// The task.
    pub task: String,
    /// Its attempts, in the order of the file.
    pub attempts: Vec<Attempt>,
    /// Each branch before those that follow it.
    pub branches: Vec<Branch>,
    /// Attempts beyond those.
    pub left_out: usize,
    /// Tokens that a model sees of each attempt, by estimate; None where its record was not looked at yet.
    pub tokens: Vec<Option<u64>>,
    /// What is known of the actions, where the attempts are aligned by these; None: by whole messages. Then the places
    /// of stretches are those of actions.
    pub by_action: Option<ActionAlignment>,
}

/// What a tree of actions says beside its branches.
#[derive(Debug, Clone, PartialEq)]
pub struct ActionAlignment {
    /// The steps of the actions of each attempt.
    steps: Vec<Vec<usize>>,
    /// How the attempts of each branch came out.
    pub success: Vec<Success>,
    /// Where good and bad attempts part; None: no fork distinguishes them.
    pub parting: Option<Parting>,
}

/// A task with several attempts.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskLine {
    /// Its name; empty until it was looked up.
    pub name: String,
    /// What its first attempt begins with; empty until it was looked up.
    pub words: String,
    /// Its attempts.
    pub attempts: usize,
    /// The record of the first.
    pub first: usize,
    /// The fewest and the most steps.
    pub steps: RangeInclusive<u64>,
    /// What they came to, as the table has it.
    pub outcome: AttemptOutcome,
}

/// The tasks with several attempts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TaskList {
    /// Those that are listed, in the order of their first attempts.
    pub tasks: Vec<TaskLine>,
    /// How many there are.
    pub several: usize,
    /// How many tasks there are, with any number of attempts.
    pub all: usize,
    /// Records that name no task.
    pub unnamed: usize,
}

impl AttemptOutcome {
    fn add_reward(&mut self, reward: f64) {
        if reward.is_finite() {
            let (least, most) = self.rewards.unwrap_or((reward, reward));
            self.rewards = Some((least.min(reward), most.max(reward)));
        }
    }

    fn add_finish(&mut self, finish: &str, count: usize) {
        match self.finishes.iter_mut().find(|(name, _)| name == finish) {
            Some((_, n)) => *n += count,
            None => self.finishes.push((finish.to_owned(), count)),
        }
    }

    fn add(&mut self, other: &Self) {
        for reward in other.rewards.iter().flat_map(|(least, most)| [*least, *most]) {
            self.add_reward(reward);
        }
        other.finishes.iter().for_each(|(name, n)| self.add_finish(name, *n));
    }

    fn finish(&mut self) {
        self.finishes.sort_by(|(a, n), (b, m)| m.cmp(n).then_with(|| a.cmp(b)));
    }

    /// What one attempt came to.
    #[must_use]
    pub fn of(attempt: &Attempt) -> Self {
        let mut out = Self::default();
        attempt.reward.iter().filter_map(|reward| reward.parse().ok()).for_each(|reward| out.add_reward(reward));
        attempt.finish.iter().for_each(|finish| out.add_finish(finish, 1));
        out
    }
}

impl AttemptTree {
    /// The tree of attempts at one task; steps are read later.
    #[must_use]
    pub fn of(task: String, attempts: Vec<Attempt>, left_out: usize) -> Self {
        let stretches = tree(&attempts, &(0..attempts.len()).collect::<Vec<_>>());
        Self::with_stretches(task, attempts, stretches, left_out)
    }

    /// The same, aligned by what the attempts did.
    #[must_use]
    pub fn of_actions(task: String, attempts: Vec<ActionAttempt>, left_out: usize) -> Self {
        let aligned = action_tree(&attempts, &(0..attempts.len()).collect::<Vec<_>>(), SUCCESS);
        let (stretches, success) = aligned.stretches.into_iter().unzip();
        let steps_of = |actions: Vec<Action>| actions.into_iter().map(|action| action.step).collect();
        let (attempts, steps) = attempts.into_iter().map(|one| (one.attempt, steps_of(one.actions))).unzip();
        let by_action = Some(ActionAlignment { steps, success, parting: aligned.parting });
        Self { by_action, ..Self::with_stretches(task, attempts, stretches, left_out) }
    }

    fn with_stretches(task: String, attempts: Vec<Attempt>, stretches: Vec<SharedSteps>, left_out: usize) -> Self {
        let mut outcomes = vec![AttemptOutcome::default(); stretches.len()];
        for (i, stretch) in stretches.iter().enumerate().rev() {
            let mut merged = std::mem::take(&mut outcomes[i]);
            stretch.ends.iter().for_each(|end| merged.add(&AttemptOutcome::of(&attempts[*end])));
            merged.finish();
            if let Some(parent) = stretch.parent {
                outcomes[parent].add(&merged);
            }
            outcomes[i] = merged;
        }
        let branch = |(stretch, outcome)| Branch { stretch, outcome, step: None };
        Self {
            task,
            branches: stretches.into_iter().zip(outcomes).map(branch).collect(),
            attempts,
            left_out,
            tokens: Vec::new(),
            by_action: None,
        }
    }

    /// The step of an attempt at a place of a stretch; behind its last action, the step after that.
    #[must_use]
    pub fn step_of(&self, attempt: usize, place: usize) -> usize {
        let Some(steps) = self.by_action.as_ref().and_then(|aligned| aligned.steps.get(attempt)) else {
            return place + self.attempts.get(attempt).map_or(0, |attempt| attempt.begin);
        };
        steps.get(place).copied().unwrap_or_else(|| steps.last().map_or(0, |last| last + 1))
    }

    /// Takes from the facts on all records how many tokens a model sees of each attempt.
    pub fn count_tokens(&mut self, facts: &FactTable) {
        // Of a record with several answers only the tokens of all are known.
        let whole = self.attempts.iter().enumerate().filter(|(_, attempt)| attempt.answer.is_none());
        let places: HashMap<usize, usize> = whole.map(|(i, attempt)| (attempt.record, i)).collect();
        self.tokens = vec![None; self.attempts.len()];
        for entry in facts.iter() {
            if let Some(place) = places.get(&entry.record()) {
                self.tokens[*place] = entry.number(Numbers::Tokens).map(cast::f64_to_u64);
            }
        }
    }

    /// The first step at which an attempt differs from the one of a record; None: that is none of them, is the same
    /// attempt, or did the same.
    #[must_use]
    pub fn parts_from(&self, attempt: usize, record: usize) -> Option<usize> {
        let chosen = self.attempts.iter().position(|attempt| attempt.record == record)?;
        let (steps, other) = (&self.attempts.get(attempt)?.steps, &self.attempts[chosen].steps);
        let is_same = |(a, b): &(&u128, &u128)| a == b;
        (attempt != chosen && steps != other)
            .then(|| self.step_of(attempt, steps.iter().zip(other).take_while(is_same).count()))
    }

    /// The first steps of branches that are to be reported, by the record that has them: branch and step.
    #[must_use]
    pub fn first_steps(&self) -> BTreeMap<usize, Vec<(usize, usize)>> {
        let mut out: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
        for (i, Branch { stretch, .. }) in self.branches.iter().enumerate().filter(|(_, b)| !b.stretch.steps.is_empty())
        {
            let step = self.step_of(stretch.first, stretch.steps.start);
            out.entry(self.attempts[stretch.first].record).or_default().push((i, step));
        }
        out
    }
}

/// The key of the task of a record: as the table has it, or as it was read by a field of its own, 0 where that names
/// none.
fn task_of(entry: RecordFacts<'_>, keys: Option<&[u64]>) -> Option<u64> {
    match keys {
        None => entry.task(),
        Some(keys) => {
            entry.number(Numbers::Steps)?;
            keys.get(entry.record()).copied().filter(|key| *key != 0)
        }
    }
}

/// The key of the task of a record that names it in a field; None: it does not.
#[must_use]
pub fn key_by(record: &Value<'_>, by: &str) -> Option<u64> {
    scalar(record, by).map(|task| task_key(&task))
}

/// The records that are taken for attempts at a task, by what is known of them; `keys` are those of their tasks, where
/// these are named by a field that the table does not know.
#[must_use]
pub fn attempts_at(facts: &FactTable, keys: Option<&[u64]>, task: &str) -> Vec<usize> {
    let key = Some(task_key(task));
    facts.iter().filter(|entry| task_of(*entry, keys) == key).map(RecordFacts::record).collect()
}

/// The tasks with several attempts, by what is known of the records; their names are looked up later. None: it is no
/// longer wanted.
#[must_use]
pub fn several(facts: &FactTable, keys: Option<&[u64]>, is_wanted: &dyn Fn() -> bool) -> Option<TaskList> {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    let mut out = TaskList::default();
    for entry in facts.iter() {
        if entry.record().is_multiple_of(LOOK_RECORDS) && !is_wanted() {
            return None;
        }
        match task_of(entry, keys) {
            Some(task) => *counts.entry(task).or_default() += entry.attempts(),
            None => out.unnamed += 1,
        }
    }
    out.all = counts.len();
    out.several = counts.values().filter(|n| **n > 1).count();
    let mut places: HashMap<u64, usize> = HashMap::new();
    for entry in facts.iter() {
        if entry.record().is_multiple_of(LOOK_RECORDS) && !is_wanted() {
            return None;
        }
        let Some(task) = task_of(entry, keys).filter(|task| counts.get(task).is_some_and(|n| *n > 1)) else { continue };
        let steps = cast::f64_to_u64(entry.number(Numbers::Steps).unwrap_or_default());
        let place = match places.get(&task) {
            Some(place) => *place,
            None if out.tasks.len() >= TASKS_MAX => continue,
            None => {
                places.insert(task, out.tasks.len());
                out.tasks.push(TaskLine {
                    name: String::new(),
                    words: String::new(),
                    attempts: 0,
                    first: entry.record(),
                    steps: steps..=steps,
                    outcome: AttemptOutcome::default(),
                });
                out.tasks.len() - 1
            }
        };
        let line = &mut out.tasks[place];
        line.attempts += entry.attempts();
        line.steps = steps.min(*line.steps.start())..=steps.max(*line.steps.end());
        let rollouts = entry.rollouts();
        rollouts.iter().filter_map(|rollout| rollout.reward).for_each(|reward| line.outcome.add_reward(reward));
        entry.names(Names::Finish).for_each(|(finish, _)| line.outcome.add_finish(finish, 1));
    }
    out.tasks.iter_mut().for_each(|line| line.outcome.finish());
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::super::facts::tests::{facts_of, table};
    use super::*;

    fn attempt(record: usize, steps: &[u128], reward: Option<&str>, finish: &str) -> Attempt {
        let (reward, finish) = (reward.map(str::to_owned), Some(finish.to_owned()));
        Attempt { record, answer: None, begin: 0, id: None, task: "t".into(), reward, finish, steps: steps.to_vec() }
    }

    #[test]
    fn a_branch_sums_up_what_all_below_it_came_to() {
        let all = vec![
            attempt(3, &[1, 2, 3], Some("1.0"), "done"),
            attempt(5, &[1, 2, 4, 5], Some("0"), "cost"),
            attempt(6, &[1, 2], Some("NaN"), "cost"),
            attempt(9, &[1, 7], None, "done"),
        ];
        let tree = AttemptTree::of("t".into(), all, 0);
        let labels: Vec<String> = tree
            .branches
            .iter()
            .map(|b| format!("{:?} {:?} {:?}", b.stretch.steps, b.outcome.rewards, b.outcome.finishes))
            .collect();
        assert_eq!(
            labels,
            [
                r#"0..1 Some((0.0, 1.0)) [("cost", 2), ("done", 2)]"#,
                r#"1..2 Some((0.0, 1.0)) [("cost", 2), ("done", 1)]"#,
                r#"2..3 Some((1.0, 1.0)) [("done", 1)]"#,
                r#"2..4 Some((0.0, 0.0)) [("cost", 1)]"#,
                r#"1..2 None [("done", 1)]"#,
            ]
        );
        let steps = tree.first_steps();
        assert_eq!(steps[&3], [(0, 0), (1, 1), (2, 2)]);
        assert_eq!((steps[&5].as_slice(), steps[&9].as_slice()), (&[(3, 2)][..], &[(4, 1)][..]));
    }

    #[test]
    fn an_attempt_parts_from_another_where_their_steps_first_differ() {
        let all =
            vec![attempt(3, &[1, 2, 3], None, "x"), attempt(5, &[1, 2, 4], None, "x"), attempt(9, &[7], None, "x")];
        let mut tree = AttemptTree::of("t".into(), all, 0);
        let parts = |attempt| tree.parts_from(attempt, 3);
        assert_eq!([parts(0), parts(1), parts(2), tree.parts_from(1, 4)], [None, Some(2), Some(0), None]);
        tree.count_tokens(&table(&[facts_of("a", 3, &[], None, "done"), facts_of("b", 3, &[], None, "done")]));
        assert_eq!(tree.tokens, [None; 3], "their records were not looked at yet");
    }

    #[test]
    fn aligned_by_action_places_lead_to_steps_and_equal_attempts_part_nowhere() {
        let done = |record: usize, actions: &[(u128, usize)], reward: f64| ActionAttempt {
            attempt: attempt(record, &actions.iter().map(|(digest, _)| *digest).collect::<Vec<_>>(), None, "x"),
            reward: Some(reward),
            actions: actions.iter().map(|(_, step)| Action { step: *step, label: String::new() }).collect(),
        };
        let all = vec![
            done(3, &[(1, 2), (2, 4)], 1.0),
            done(5, &[(1, 2), (9, 5)], 0.0),
            done(6, &[(1, 3), (2, 7)], 1.0),
            done(7, &[(1, 1)], 0.0),
        ];
        let tree = AttemptTree::of_actions("t".into(), all, 0);
        let aligned = tree.by_action.as_ref().unwrap();
        assert_eq!((aligned.success[0].successes, aligned.success[0].rewarded), (2, 4));
        assert_eq!(aligned.parting.as_ref().map(|parting| parting.behind), Some(0));
        let parts = [1, 2, 3].map(|attempt| tree.parts_from(attempt, 3));
        assert_eq!(parts, [Some(5), None, Some(2)], "another action, none, and the end of its own");
        assert_eq!((tree.step_of(1, 1), tree.step_of(3, 4)), (5, 2));
        let steps: Vec<usize> = tree.first_steps().values().flatten().map(|(_, step)| *step).collect();
        assert_eq!(steps, [2, 4, 5], "of the first attempt of each branch");
    }

    #[test]
    fn tasks_of_one_attempt_are_counted_and_not_listed() {
        let task = |task: u64, facts| crate::format::Facts { task: Some(task), ..facts };
        let all = [
            task(7, facts_of("a", 3, &[], Some(1.0), "done")),
            task(8, facts_of("b", 3, &[], None, "done")),
            facts_of("c", 1, &[], None, "done"),
            task(7, facts_of("d", 9, &[], Some(0.0), "cost")),
        ];
        let list = several(&table(&all), None, &|| true).unwrap();
        assert_eq!((list.several, list.all, list.unnamed, list.tasks.len()), (1, 2, 1, 1));
        let line = &list.tasks[0];
        assert_eq!((line.attempts, line.first, line.steps.clone()), (2, 0, 3..=9));
        assert_eq!(line.outcome.rewards, Some((0.0, 1.0)));
        assert_eq!(line.outcome.finishes, [("cost".to_owned(), 1), ("done".to_owned(), 1)]);
        assert_eq!(several(&table(&all), None, &|| false), None);
        let keys = [5, 5, 0, 6];
        let list = several(&table(&all), Some(&keys), &|| true).unwrap();
        assert_eq!((list.several, list.all, list.unnamed, list.tasks[0].attempts), (1, 2, 1, 2), "by another field");
    }
}
