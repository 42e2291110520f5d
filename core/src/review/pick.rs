//! Which attempts of each task are picked: the best, the worst, the first, or by lot; and tasks without a signal.

use super::rollouts::Rollout;
use std::collections::HashMap;

/// Which attempts of a task come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pick {
    /// The greatest rewards; of equal ones the fewest steps.
    #[default]
    Best,
    /// The least rewards; of equal ones the most steps.
    Worst,
    /// As they are in the file.
    First,
    /// By lot.
    Random,
}

/// Why an attempt is not picked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unpicked {
    /// It names no task.
    NoTask,
    /// It is no trajectory, or several.
    NotOne,
    /// No attempt at its task has a reward that is read.
    NoReward,
    /// The rewards of its task do not differ.
    NoSignal,
    /// Others of its task came first.
    Others,
}

impl Unpicked {
    /// In a few words.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::NoTask => "names no task",
            Self::NotOne => "is not one trajectory",
            Self::NoReward => "task without reward",
            Self::NoSignal => "task without signal",
            Self::Others => "not picked of its task",
        }
    }
}

struct Attempt {
    number: u64,
    reward: Option<f64>,
    steps: u64,
    lot: u64,
}

/// The attempts at each task.
#[derive(Default)]
pub struct Picker {
    tasks: HashMap<String, Vec<Attempt>>,
    unnamed: Vec<(u64, Unpicked)>,
}

impl Picker {
    /// Takes an attempt with its number; `lot` decides of those that are picked by lot.
    pub fn add(&mut self, rollout: Rollout, number: u64, lot: u64) {
        let Rollout { task, reward, steps, .. } = rollout;
        match task {
            Some(task) => self.tasks.entry(task).or_default().push(Attempt { number, reward, steps, lot }),
            None => self.unnamed.push((number, Unpicked::NoTask)),
        }
    }

    /// How many of the tasks have no attempt with a reward, and how many there are.
    #[must_use]
    pub fn unrewarded(&self) -> (usize, usize) {
        let has_none = |attempts: &&Vec<Attempt>| attempts.iter().all(|attempt| attempt.reward.is_none());
        (self.tasks.values().filter(has_none).count(), self.tasks.len())
    }

    /// Takes what is not one trajectory.
    pub fn add_other(&mut self, number: u64) {
        self.unnamed.push((number, Unpicked::NotOne));
    }

    /// The numbers of the attempts that are not picked, with why. `most`: so many of each task; None: all.
    /// `with_signal`: only of tasks with rewards that differ.
    #[must_use]
    pub fn unpicked(self, pick: Pick, most: Option<usize>, with_signal: bool) -> HashMap<u64, Unpicked> {
        let mut out: HashMap<u64, Unpicked> = self.unnamed.into_iter().collect();
        for (_, mut attempts) in self.tasks {
            let mut rewards = attempts.iter().filter_map(|attempt| attempt.reward);
            let first = rewards.next();
            let has_signal = rewards.any(|reward| Some(reward) != first);
            if with_signal && !has_signal {
                let why = if first.is_some() { Unpicked::NoSignal } else { Unpicked::NoReward };
                out.extend(attempts.iter().map(|attempt| (attempt.number, why)));
                continue;
            }
            attempts.sort_by(|a, b| pick.order(a, b));
            let rest = attempts.iter().skip(most.unwrap_or(usize::MAX));
            out.extend(rest.map(|attempt| (attempt.number, Unpicked::Others)));
        }
        out
    }
}

impl Pick {
    fn order(self, a: &Attempt, b: &Attempt) -> std::cmp::Ordering {
        // Attempts without a reward come last, whatever is picked.
        let has_none = a.reward.is_none().cmp(&b.reward.is_none());
        let rewards = a.reward.unwrap_or(0.0).total_cmp(&b.reward.unwrap_or(0.0));
        let by = match self {
            Self::Best => has_none.then(rewards.reverse()).then(a.steps.cmp(&b.steps)),
            Self::Worst => has_none.then(rewards).then(b.steps.cmp(&a.steps)),
            Self::First => std::cmp::Ordering::Equal,
            Self::Random => a.lot.cmp(&b.lot),
        };
        by.then(a.number.cmp(&b.number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(pick: Pick, most: Option<usize>, with_signal: bool) -> Vec<(u64, Unpicked)> {
        let mut picker = Picker::default();
        let attempts = [
            (Some("a"), Some(0.0), 9, 40),
            (Some("a"), Some(1.0), 8, 30),
            (Some("a"), Some(1.0), 4, 20),
            (Some("a"), None, 1, 10),
            (Some("b"), Some(1.0), 1, 1),
            (Some("b"), Some(1.0), 1, 0),
            (None, Some(1.0), 1, 0),
        ];
        for (number, (task, reward, steps, lot)) in (0..).zip(attempts) {
            picker.add(Rollout { task: task.map(str::to_owned), reward, steps, is_answer: false }, number, lot);
        }
        let mut left: Vec<_> = picker.unpicked(pick, most, with_signal).into_iter().collect();
        left.sort_by_key(|(number, _)| *number);
        left
    }

    #[test]
    fn so_many_of_each_task_are_picked() {
        let numbers = |pick| -> Vec<u64> {
            let left = left(pick, Some(1), false);
            left.into_iter().filter(|(_, why)| *why == Unpicked::Others).map(|(number, _)| number).collect()
        };
        assert_eq!(numbers(Pick::Best), [0, 1, 3, 5]);
        assert_eq!(numbers(Pick::Worst), [1, 2, 3, 5]);
        assert_eq!(numbers(Pick::First), [1, 2, 3, 5]);
        assert_eq!(numbers(Pick::Random), [0, 1, 2, 4]);
    }

    #[test]
    fn tasks_without_a_signal_go() {
        use Unpicked::{NoSignal, NoTask};
        assert_eq!(left(Pick::Best, None, true), [(4, NoSignal), (5, NoSignal), (6, NoTask)]);
        assert_eq!(left(Pick::Best, None, false), [(6, NoTask)]);
    }
}
