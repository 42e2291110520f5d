//! Which attempts of each task are picked: the best, the worst, the first, or by lot; and tasks without a signal.

use super::rollout::Rollout;
use super::rollouts::{Group, SUCCESS};
use std::collections::{HashMap, HashSet};

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
    /// It is no trajectory.
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
            Self::NotOne => "is not a trajectory",
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
    is_preferred: Option<bool>,
    answer: Option<String>,
}

/// What is not picked.
#[derive(Debug, Default, PartialEq)]
pub struct NotPicked {
    /// The numbers of records of which nothing is picked, with why.
    pub records: HashMap<u64, Unpicked>,
    /// Of other records that have several answers those that are not picked.
    pub answers: HashMap<u64, Vec<String>>,
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
        let Rollout { task, reward, steps, is_preferred, answer, .. } = rollout;
        let Some(task) = task else { return self.unnamed.push((number, Unpicked::NoTask)) };
        let attempt = Attempt { number, reward, steps, lot, is_preferred, answer };
        self.tasks.entry(task).or_default().push(attempt);
    }

    /// How many of the tasks have neither an attempt with a reward nor a pair, and how many there are.
    #[must_use]
    pub fn unrewarded(&self) -> (usize, usize) {
        let has_none = |attempts: &&Vec<Attempt>| {
            attempts.iter().all(|attempt| attempt.reward.is_none() && attempt.is_preferred.is_none())
        };
        (self.tasks.values().filter(has_none).count(), self.tasks.len())
    }

    /// Takes what is not one trajectory.
    pub fn add_other(&mut self, number: u64) {
        self.unnamed.push((number, Unpicked::NotOne));
    }

    /// The attempts that are not picked. At most `most` are picked of each task; None: all. `with_signal`: only of
    /// tasks with rewards that differ, or with a pair where there are no rewards to compare.
    #[must_use]
    pub fn unpicked(self, pick: Pick, most: Option<usize>, with_signal: bool) -> NotPicked {
        let mut out = NotPicked { records: self.unnamed.into_iter().collect(), ..NotPicked::default() };
        for (_, mut attempts) in self.tasks {
            let mut group = Group::default();
            attempts.iter().for_each(|attempt| group.add(&attempt.rollout(), SUCCESS));
            if with_signal && group.has_signal() != Some(true) {
                let why = if group.rewarded > 0 { Unpicked::NoSignal } else { Unpicked::NoReward };
                out.records.extend(attempts.iter().map(|attempt| (attempt.number, why)));
                continue;
            }
            attempts.sort_by(|a, b| pick.order(a, b));
            let rest = attempts.split_off(most.unwrap_or(usize::MAX).min(attempts.len()));
            let picked: HashSet<u64> = attempts.iter().map(|attempt| attempt.number).collect();
            for Attempt { number, answer, .. } in rest {
                match answer.filter(|_| picked.contains(&number)) {
                    Some(answer) => out.answers.entry(number).or_default().push(answer),
                    None => {
                        out.records.insert(number, Unpicked::Others);
                    }
                }
            }
        }
        out
    }
}

impl Attempt {
    /// What a group needs of it.
    fn rollout(&self) -> Rollout {
        let Self { reward, steps, is_preferred, .. } = *self;
        Rollout { reward, steps, is_preferred, ..Rollout::default() }
    }

    /// Answers that were preferred come first, those of pairs that were not come last.
    fn rank(&self) -> u8 {
        match self.is_preferred {
            Some(true) => 0,
            None => 1,
            Some(false) => 2,
        }
    }
}

impl Pick {
    fn order(self, a: &Attempt, b: &Attempt) -> std::cmp::Ordering {
        // Attempts without a reward come last, whatever is picked.
        let has_none = a.reward.is_none().cmp(&b.reward.is_none());
        let rewards = a.reward.unwrap_or(0.0).total_cmp(&b.reward.unwrap_or(0.0));
        let preferred = a.rank().cmp(&b.rank());
        let by = match self {
            Self::Best => has_none.then(rewards.reverse()).then(preferred).then(a.steps.cmp(&b.steps)),
            Self::Worst => has_none.then(rewards).then(preferred.reverse()).then(b.steps.cmp(&a.steps)),
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
            picker.add(Rollout { task: task.map(str::to_owned), reward, steps, ..Rollout::default() }, number, lot);
        }
        let mut left: Vec<_> = picker.unpicked(pick, most, with_signal).records.into_iter().collect();
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
    fn of_the_answers_of_a_record_some_are_picked() {
        let left = |pick, with_signal, rewards: [Option<f64>; 2]| {
            let mut picker = Picker::default();
            let [chosen, rejected] = rewards;
            let answers = [("chosen", chosen, true), ("rejected", rejected, false)];
            for (answer, reward, is_preferred) in answers {
                let (task, is_preferred) = (Some("t".to_owned()), Some(is_preferred));
                let answer = Some(answer.to_owned());
                picker.add(Rollout { task, reward, is_preferred, answer, ..Rollout::default() }, 7, 0);
            }
            picker.unpicked(pick, Some(1), with_signal)
        };
        let but = |name: &str| NotPicked { answers: [(7, vec![name.to_owned()])].into(), ..NotPicked::default() };
        assert_eq!(left(Pick::Best, true, [None, None]), but("rejected"), "what was preferred is the better one");
        assert_eq!(left(Pick::Worst, true, [None, None]), but("chosen"));
        assert_eq!(left(Pick::Best, true, [Some(0.0), Some(1.0)]), but("chosen"), "rewards come first");
        assert_eq!(left(Pick::Best, true, [Some(1.0), Some(1.0)]).records, [(7, Unpicked::NoSignal)].into());
        assert_eq!(left(Pick::Best, false, [Some(1.0), Some(1.0)]), but("rejected"));
    }

    #[test]
    fn tasks_without_a_signal_go() {
        use Unpicked::{NoSignal, NoTask};
        assert_eq!(left(Pick::Best, None, true), [(4, NoSignal), (5, NoSignal), (6, NoTask)]);
        assert_eq!(left(Pick::Best, None, false), [(6, NoTask)]);
    }
}
