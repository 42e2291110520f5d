//! Attempts at tasks as groups: how often they succeed, how their rewards spread, and whether a group has a signal.

use super::facts::{FactTable, RecordFacts};
use super::field::Numbers;
use super::rollout::Rollout;
use std::collections::HashMap;

/// Steps of some attempts.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Steps {
    sum: u64,
    count: u64,
}

impl Steps {
    fn mean(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }
}

/// The attempts at one task. It holds sums, no attempts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Group {
    /// All attempts.
    pub attempts: u64,
    /// Those with a reward.
    pub rewarded: u64,
    /// Of these the successes.
    pub successes: u64,
    /// The sum of their rewards: of a mean that is kept from one to the next, what was rounded would stay.
    sum: f64,
    /// The least and the greatest reward.
    range: Option<(f64, f64)>,
    succeeded: Steps,
    failed: Steps,
    lengths: Together,
    /// Whether it has an answer of a pair that was preferred, and one that was not.
    sides: [bool; 2],
}

impl Group {
    /// Counts an attempt; a reward of at least `success` is one.
    pub fn add(&mut self, rollout: &Rollout, success: f64) {
        self.attempts += 1;
        rollout.is_preferred.into_iter().for_each(|is_preferred| self.sides[usize::from(is_preferred)] = true);
        let Some(reward) = rollout.reward else { return };
        self.rewarded += 1;
        self.sum += reward;
        self.lengths.add(rollout.steps as f64, reward);
        let (least, most) = self.range.unwrap_or((reward, reward));
        self.range = Some((least.min(reward), most.max(reward)));
        let is_success = reward >= success;
        self.successes += u64::from(is_success);
        let steps = if is_success { &mut self.succeeded } else { &mut self.failed };
        *steps = Steps { sum: steps.sum + rollout.steps, count: steps.count + 1 };
    }

    /// Attempts with a reward, of several attempts; None of one.
    fn rewarded_of_several(&self) -> Option<u64> {
        (self.attempts > 1).then_some(self.rewarded)
    }

    /// The mean reward; None without any.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.rewarded > 0).then(|| self.sum / self.rewarded as f64)
    }

    /// The standard deviation of the rewards, that of a sample (n − 1); None of fewer than two, and of such that their
    /// squares are beyond the range of numbers.
    #[must_use]
    pub fn deviation(&self) -> Option<f64> {
        let deviation = (self.rewarded > 1).then(|| (self.lengths.squares[1] / (self.rewarded - 1) as f64).sqrt());
        deviation.filter(|deviation| deviation.is_finite())
    }

    /// Whether a group distinguishes better attempts from worse: its rewards differ, or of fewer than two rewards one
    /// answer of a pair was preferred to the other. One reward differs from none. None: no attempt has a reward.
    #[must_use]
    pub fn has_signal(&self) -> Option<bool> {
        let is_preferred = self.is_known_by_preference();
        let by_rewards = self.range.map(|(least, most)| least < most);
        if is_preferred { Some(true) } else { by_rewards }
    }

    /// Whether which attempt is better is known only by what was preferred.
    #[must_use]
    pub fn is_known_by_preference(&self) -> bool {
        self.rewarded < 2 && self.sides == [true; 2]
    }

    /// By how many deviations a reward is above the mean; 0 where all are equal, None of fewer than two rewards.
    #[must_use]
    pub fn advantage(&self, reward: f64) -> Option<f64> {
        let deviation = self.deviation()?;
        Some(if deviation > 0.0 { (reward - self.lengths.mean[1]) / deviation } else { 0.0 })
    }

    /// Mean steps of the successes, and of the others.
    #[must_use]
    pub fn steps(&self) -> (Option<f64>, Option<f64>) {
        (self.succeeded.mean(), self.failed.mean())
    }

    /// pass@k: how likely one of `k` attempts drawn from these without putting back is a success, 1 − C(n−c, k) / C(n,
    /// k). None where there are fewer than `k` with a reward.
    #[must_use]
    pub fn pass_at(&self, k: u64) -> Option<f64> {
        let failures = self.rewarded - self.successes;
        (1..=self.rewarded).contains(&k).then(|| 1.0 - drawn(failures, self.rewarded, k))
    }

    /// pass^k: how likely all of `k` are, C(c, k) / C(n, k).
    #[must_use]
    pub fn pass_all(&self, k: u64) -> Option<f64> {
        (1..=self.rewarded).contains(&k).then(|| drawn(self.successes, self.rewarded, k))
    }

    /// The numbers of attempts that pass@k is reported for: 1, 2, 4 … up to all with a reward, and all.
    #[must_use]
    pub fn ks(&self) -> Vec<u64> {
        let mut out: Vec<u64> = (0..u64::BITS).map(|power| 1 << power).take_while(|k| *k < self.rewarded).collect();
        out.extend((self.rewarded > 0).then_some(self.rewarded));
        out
    }
}

/// How likely all `k` drawn from `n` are among `c` of them: C(c, k) / C(n, k), factor by factor.
fn drawn(c: u64, n: u64, k: u64) -> f64 {
    if c < k {
        return 0.0;
    }
    (0..k).map(|i| (c - i) as f64 / (n - i) as f64).product()
}

/// Least reward that is a success where nothing else is said.
pub(super) const SUCCESS: f64 = 1.0;

/// The attempts at each task by the key of the task: about 150 bytes a task.
#[derive(Debug, Clone, Default)]
pub struct TaskGroups {
    /// A task of one attempt may be missing: its group is made of the attempt where it is asked for.
    groups: HashMap<u64, Group>,
    /// How many records were counted: the first ones.
    known: usize,
    /// The most attempts with a reward that a task of several has; None: no task has several.
    rewarded_most: Option<u64>,
}

impl TaskGroups {
    /// Of all records that name a task. Only tasks of several attempts take room in it.
    #[must_use]
    pub fn of(facts: &FactTable) -> Self {
        let mut tasks: Vec<u64> = facts.iter().filter_map(RecordFacts::task).collect();
        tasks.sort_unstable();
        let several = tasks.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| (pair[0], Group::default()));
        // A record of several answers is a group of them where its task has no other record.
        let mut out = Self { groups: several.collect(), known: facts.len(), rewarded_most: None };
        drop(tasks);
        for entry in facts.iter() {
            if let Some(group) = entry.task().and_then(|task| out.groups.get_mut(&task)) {
                entry.rollouts().iter().for_each(|rollout| group.add(rollout, SUCCESS));
                out.rewarded_most = out.rewarded_most.max(group.rewarded_of_several());
            } else if entry.attempts() > 1 {
                out.rewarded_most = out.rewarded_most.max(rewarded_of_answers(&entry));
            }
        }
        out
    }

    /// How many records were counted: the first ones.
    #[must_use]
    pub fn known(&self) -> usize {
        self.known
    }

    /// Whether a task has several attempts and the number, of all attempts at a task, is known of one.
    #[must_use]
    pub fn has(&self, numbers: Numbers) -> bool {
        let least = match numbers {
            Numbers::GroupSize => 0,
            Numbers::GroupMean | Numbers::GroupPass => 1,
            _ => 2,
        };
        self.rewarded_most.is_some_and(|most| most >= least)
    }

    /// Counts a record; a reward of at least 1 is a success.
    pub fn add(&mut self, entry: &RecordFacts<'_>) {
        self.known += 1;
        let Some(task) = entry.task() else {
            self.rewarded_most = self.rewarded_most.max(rewarded_of_answers(entry));
            return;
        };
        let group = self.groups.entry(task).or_default();
        entry.rollouts().iter().for_each(|rollout| group.add(rollout, SUCCESS));
        self.rewarded_most = self.rewarded_most.max(group.rewarded_of_several());
    }

    /// A number of the attempts at a task, for a record of it with the attempts that it is; None where there is none. A
    /// record of several answers that names no task is a task of its own.
    #[must_use]
    pub fn number(&self, numbers: Numbers, task: Option<u64>, rollouts: &[Rollout]) -> Option<f64> {
        if task.is_none() && rollouts.len() < 2 {
            return None;
        }
        let mut alone = Group::default();
        let group = task.and_then(|task| self.groups.get(&task)).unwrap_or_else(|| {
            rollouts.iter().for_each(|rollout| alone.add(rollout, SUCCESS));
            &alone
        });
        match numbers {
            Numbers::GroupSize => Some(group.attempts as f64),
            Numbers::GroupMean => group.mean(),
            Numbers::GroupDeviation => group.deviation(),
            Numbers::GroupPass => group.pass_at(1),
            Numbers::GroupSignal => group.has_signal().map(|has| f64::from(u8::from(has))),
            Numbers::GroupAdvantage => match rollouts {
                [only] => group.advantage(only.reward?),
                _ => None,
            },
            _ => None,
        }
    }
}

/// How many answers of a record that has several have a reward; None where none has one: figures of them say nothing.
fn rewarded_of_answers(entry: &RecordFacts<'_>) -> Option<u64> {
    let several = Some(entry.rollouts()).filter(|all| all.len() > 1)?;
    Some(several.iter().filter(|rollout| rollout.reward.is_some()).count() as u64).filter(|rewarded| *rewarded > 0)
}

/// How two numbers go together: sums for the correlation of Pearson.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Together {
    count: u64,
    mean: [f64; 2],
    squares: [f64; 2],
    product: f64,
}

impl Together {
    fn add(&mut self, x: f64, y: f64) {
        self.count += 1;
        let distances = [x - self.mean[0], y - self.mean[1]];
        for (i, value) in [x, y].into_iter().enumerate() {
            self.mean[i] += distances[i] / self.count as f64;
            self.squares[i] += distances[i] * (value - self.mean[i]);
        }
        self.product += distances[0] * (y - self.mean[1]);
    }

    /// From −1 to 1; None where a number does not vary.
    fn correlation(squares: [f64; 2], product: f64) -> Option<f64> {
        let [x, y] = squares;
        (x > 0.0 && y > 0.0).then(|| (product / (x * y).sqrt()).clamp(-1.0, 1.0))
    }
}

/// The tasks of a dataset, in the order of their first attempts.
#[derive(Debug, Default)]
pub struct Groups {
    places: HashMap<String, usize>,
    /// The tasks with their groups.
    pub tasks: Vec<(String, Group)>,
    /// Records that name no task.
    pub unnamed: u64,
    /// Attempts that are one of several answers of their record.
    pub answers: u64,
    /// Steps and rewards of all attempts.
    lengths: Together,
    /// What attempts cost whose log says it and that have a reward.
    pub costs: Costs,
}

/// What some attempts cost together.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Costs {
    /// The sum.
    pub sum: f64,
    /// How many attempts there are.
    pub attempts: u64,
    /// How many of them succeed.
    pub successes: u64,
}

impl Costs {
    /// The cost of a success, with that of the failures; None without any.
    #[must_use]
    pub fn per_success(&self) -> Option<f64> {
        (self.successes > 0).then(|| self.sum / self.successes as f64)
    }
}

impl Groups {
    /// How steps and rewards of all attempts go together, and of the attempts at one task each, by the correlation of
    /// Pearson: near 1 long attempts are rewarded, near −1 short ones. None where one of the two does not vary.
    #[must_use]
    pub fn length_and_reward(&self) -> (Option<f64>, Option<f64>) {
        let within = self.tasks.iter().map(|(_, group)| &group.lengths);
        let (squares, product) = within.fold(([0.0; 2], 0.0), |([x, y], product), lengths| {
            ([x + lengths.squares[0], y + lengths.squares[1]], product + lengths.product)
        });
        (Together::correlation(self.lengths.squares, self.lengths.product), Together::correlation(squares, product))
    }

    /// Counts an attempt.
    pub fn add(&mut self, rollout: &Rollout, success: f64) {
        let Some(task) = &rollout.task else {
            self.unnamed += 1;
            return;
        };
        self.answers += u64::from(rollout.answer.is_some());
        if let Some(reward) = rollout.reward {
            self.lengths.add(rollout.steps as f64, reward);
            if let Some(cost) = rollout.cost {
                self.costs.sum += cost;
                self.costs.attempts += 1;
                self.costs.successes += u64::from(reward >= success);
            }
        }
        let place = match self.places.get(task) {
            Some(place) => *place,
            None => {
                self.places.insert(task.clone(), self.tasks.len());
                self.tasks.push((task.clone(), Group::default()));
                self.tasks.len() - 1
            }
        };
        self.tasks[place].1.add(rollout, success);
    }

    /// The mean of a number over the tasks that have it.
    #[must_use]
    pub fn mean(&self, of: impl Fn(&Group) -> Option<f64>) -> Option<f64> {
        let (sum, count) =
            self.tasks.iter().filter_map(|(_, group)| of(group)).fold((0.0, 0_u64), |(sum, n), x| (sum + x, n + 1));
        (count > 0).then(|| sum / count as f64)
    }

    /// The powers of two up to the greatest number of attempts with a reward at one task.
    #[must_use]
    pub fn ks(&self) -> Vec<u64> {
        let most = self.tasks.iter().map(|(_, group)| group.rewarded).max().unwrap_or(0);
        (0..u64::BITS).map(|power| 1 << power).take_while(|k| *k <= most).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::field::Subject as _;
    use super::*;
    use crate::json::parse;
    use crate::rules::trajectory::Way;

    fn rollout(task: Option<&str>, reward: Option<f64>, steps: u64) -> Rollout {
        Rollout { task: task.map(str::to_owned), reward, steps, ..Rollout::default() }
    }

    fn group(rewards: &[f64]) -> Group {
        let mut group = Group::default();
        for (steps, reward) in (1..).zip(rewards) {
            group.add(&rollout(None, Some(*reward), steps), 1.0);
        }
        group
    }

    fn close(actual: Option<f64>, expected: f64) {
        assert!(actual.is_some_and(|actual| (actual - expected).abs() < 1e-12), "{actual:?} {expected}");
    }

    #[test]
    fn a_mean_is_what_its_sum_says() {
        for count in 2..40 {
            let halves: Vec<f64> = (0..2 * count).map(|i| f64::from(i % 2)).collect();
            assert_eq!(group(&halves).mean(), Some(0.5), "{count}");
        }
    }

    #[test]
    fn a_group_of_four_with_two_successes() {
        let group = group(&[1.0, 0.0, 1.0, 0.5]);
        close(group.mean(), 0.625);
        // Distances 0.375, 0.625, 0.375, 0.125: squares 0.6875, by 3.
        close(group.deviation(), (0.6875_f64 / 3.0).sqrt());
        close(group.pass_at(1), 0.5);
        // Of the 6 pairs one has no success.
        close(group.pass_at(2), 5.0 / 6.0);
        close(group.pass_all(2), 1.0 / 6.0);
        close(group.pass_at(4), 1.0);
        close(group.pass_all(4), 0.0);
        assert_eq!((group.pass_at(5), group.pass_at(0), group.ks()), (None, None, vec![1, 2, 4]));
        assert_eq!(group.steps(), (Some(2.0), Some(3.0)));
        assert_eq!(group.has_signal(), Some(true));
    }

    #[test]
    fn length_and_reward_go_together_within_a_task_or_over_all() {
        let mut groups = Groups::default();
        // Within each task longer attempts are better, but the long task is worse.
        for (task, steps, reward) in [("a", 1, 0.5), ("a", 2, 1.0), ("b", 11, 0.0), ("b", 12, 0.5)] {
            groups.add(&rollout(Some(task), Some(reward), steps), 1.0);
        }
        let (all, within) = groups.length_and_reward();
        close(within, 1.0);
        assert!(all.is_some_and(|all| all < -0.5), "{all:?}");
        let mut same = Groups::default();
        (1..4).for_each(|steps| same.add(&rollout(Some("a"), Some(1.0), steps), 1.0));
        assert_eq!(same.length_and_reward(), (None, None));
        close(group(&[1.0, 0.0]).advantage(1.0), 0.5 / 0.5_f64.sqrt());
        assert_eq!((group(&[1.0, 1.0]).advantage(1.0), group(&[1.0]).advantage(1.0)), (Some(0.0), None));
    }

    #[test]
    fn groups_without_a_signal_and_without_rewards() {
        assert_eq!(group(&[0.3, 0.3, 0.3]).has_signal(), Some(false));
        assert_eq!((group(&[1.0]).has_signal(), group(&[]).has_signal()), (Some(false), None));
        assert_eq!((group(&[1.0]).deviation(), group(&[]).mean(), group(&[]).ks()), (None, None, vec![]));
        assert_eq!(group(&[1e308, -1e308]).deviation(), None, "beyond the range of numbers");
        assert_eq!(group(&[0.0, 0.0, 0.0]).ks(), [1, 2, 3]);
    }

    #[test]
    fn a_task_of_one_attempt_takes_no_room_and_has_its_numbers_all_the_same() {
        use super::super::facts::tests::{facts_of, table};
        let task = |task: Option<u64>, reward| crate::format::Facts { task, ..facts_of("a", 3, &[], reward, "done") };
        let all = [task(Some(7), Some(1.0)), task(Some(8), Some(0.5)), task(None, Some(1.0)), task(Some(7), Some(0.0))];
        let (facts, mut streamed) = (table(&all), TaskGroups::default());
        let groups = TaskGroups::of(&facts);
        assert_eq!((groups.groups.len(), groups.known()), (1, 4));
        facts.iter().for_each(|entry| streamed.add(&entry));
        for entry in facts.iter() {
            for (name, numbers) in Numbers::ALL.into_iter().filter(|(_, numbers)| numbers.is_of_group()) {
                let number = |groups| entry.with_groups(Some(groups)).number(numbers);
                assert_eq!(number(&groups), number(&streamed), "{name} of record {}", entry.record());
            }
        }
        assert!(groups.has(Numbers::GroupSize) && groups.has(Numbers::GroupAdvantage));
        assert!(!TaskGroups::of(&table(&all[..3])).has(Numbers::GroupSize), "no task has several");
        let bare = [task(Some(7), None), task(Some(7), None)];
        let bare = TaskGroups::of(&table(&bare));
        assert!(bare.has(Numbers::GroupSize) && !bare.has(Numbers::GroupMean), "none has a reward");
    }

    #[test]
    fn records_are_counted_by_task() {
        let mut groups = Groups::default();
        for (id, reward) in [("a-attempt-1", "1"), ("b-attempt-1", "0"), ("a-attempt-2", "0"), ("b-attempt-2", "0")] {
            let text = format!(r#"{{"id":"{id}","reward":{reward},"messages":[{{"role":"user","content":"x"}}]}}"#);
            let all = Rollout::all_of(0, &parse(&text).unwrap(), None, Way::Formats);
            all.iter().for_each(|rollout| groups.add(rollout, 1.0));
        }
        groups.add(&rollout(None, None, 1), 1.0);
        let names: Vec<&str> = groups.tasks.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!((names, groups.unnamed), (vec!["a", "b"], 1));
        close(groups.mean(|group| group.pass_at(2)), 0.5);
        assert_eq!((groups.mean(|group| group.pass_at(3)), groups.ks()), (None, vec![1, 2]));
        assert!(Rollout::all_of(0, &parse("{}").unwrap(), None, Way::Formats).is_empty());
    }
}
