//! Attempts at one task aligned by what they did: sampled text never repeats, calls with equal arguments do.
//!
//! An attempt is the list of its actions: a call by its tool and arguments, and words of the agent, which all count as
//! the same. A common beginning is kept once; each branch says how its attempts came out, and the fork at which
//! good and bad attempts part is the one whose branches explain most of their rewards.

use super::attempt_tree::{Attempt, SharedSteps, tree};
use super::rollout::Rollout;
use crate::json::{self, Value};
use crate::model::{StepRole, TurnPart};
use crate::rules::digest;
use crate::rules::trajectory::{Hint, Reading, Track, TrajectoryStep, Way, turn};
use crate::text::{fit, single_line};
use std::borrow::Borrow;

/// Longest text of an action that is kept, in characters.
const TEXT_CHARS_MAX: usize = 80;

/// Something that an agent did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    /// The step in its attempt.
    pub step: usize,
    /// The tool and the beginning of the arguments, or of the words.
    pub label: String,
}

/// An attempt as its actions; the steps of `attempt` are their digests.
#[derive(Debug, Clone, PartialEq)]
pub struct ActionAttempt {
    /// The attempt.
    pub attempt: Attempt,
    /// Its reward, as groups of attempts have it, else the number that is written for it.
    pub reward: Option<f64>,
    /// What it did.
    pub actions: Vec<Action>,
}

impl ActionAttempt {
    /// Reads a record, as [`Attempt::all_of`].
    #[must_use]
    pub fn all_of(number: usize, record: &Value<'_>, by: Option<&str>, way: Way) -> Vec<Self> {
        let reading = way.with_written_calls().read(record);
        let of_record = Rollout::of_reading(&reading, by).and_then(|rollout| rollout.reward);
        let attempts = Attempt::without_steps(number, &reading, by).into_iter();
        attempts.map(|(attempt, track)| Self::of(attempt, &reading, track, of_record)).collect()
    }

    fn of(mut attempt: Attempt, reading: &Reading<'_>, track: &Track, of_record: Option<f64>) -> Self {
        let mut actions = Vec::new();
        for step in track.steps.clone() {
            let Some(entry) = reading.entries.get(step).filter(|entry| entry.role == StepRole::Agent) else { continue };
            for (digest, action_label) in actions_of(entry) {
                attempt.steps.push(digest);
                actions.push(Action { step, label: action_label });
            }
        }
        let written = || attempt.reward.as_ref()?.parse().ok().filter(|reward: &f64| reward.is_finite());
        let reward = of_record.or_else(written);
        Self { attempt, reward, actions }
    }
}

impl Borrow<Attempt> for ActionAttempt {
    fn borrow(&self) -> &Attempt {
        &self.attempt
    }
}

/// What a step of the agent does: its calls, else its words.
fn actions_of(entry: &TrajectoryStep<'_>) -> Vec<(u128, String)> {
    let turn = turn(entry, Hint::None);
    let call = |part: &TurnPart<'_>| match part {
        TurnPart::Call(call) => {
            let arguments = json::parse(&call.arguments)
                .map_or_else(|_| digest::of_text("arguments", &call.arguments), |arguments| digest::of(&arguments));
            let call_text = format!("{} {}", call.name, call.arguments);
            Some((digest::of_text(&call.name, &format!("{arguments:032x}")), shortened(&call_text)))
        }
        _ => None,
    };
    let calls: Vec<_> = turn.parts.iter().filter_map(call).collect();
    if !calls.is_empty() {
        return calls;
    }
    let first_text = turn.parts.iter().find_map(|part| match part {
        TurnPart::Text(text) => Some(text.as_ref()),
        _ => None,
    });
    vec![(digest::of_text("says", ""), shortened(&format!("says {}", first_text.unwrap_or_default())))]
}

fn shortened(text: &str) -> String {
    fit(&single_line(text), TEXT_CHARS_MAX).into_owned()
}

/// How some attempts came out.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Success {
    /// Attempts.
    pub attempts: usize,
    /// Those with a reward.
    pub rewarded: usize,
    /// Of these the successes.
    pub successes: usize,
    sum: f64,
    squares: f64,
}

impl Success {
    fn add(&mut self, reward: Option<f64>, success: f64) {
        self.attempts += 1;
        self.rewarded += usize::from(reward.is_some());
        self.successes += usize::from(reward.is_some_and(|reward| reward >= success));
        self.sum += reward.unwrap_or(0.0);
        self.squares += reward.unwrap_or(0.0).powi(2);
    }

    /// How far the rewards are from their mean, squared and added.
    fn spread(&self) -> f64 {
        self.mean().map_or(0.0, |mean| (self.squares - mean * self.sum).max(0.0))
    }

    /// The mean reward; None without any.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.rewarded > 0).then(|| self.sum / self.rewarded as f64)
    }
}

/// The attempts at one task by their actions.
#[derive(Debug, Clone, PartialEq)]
pub struct ActionTree {
    /// Stretches of actions, each before those that follow it; their steps are places among the actions.
    pub stretches: Vec<(SharedSteps, Success)>,
    /// The stretch behind which good and bad attempts part, and the branches there; None: no fork distinguishes them.
    pub parting: Option<Parting>,
}

/// Where good and bad attempts part.
#[derive(Debug, Clone, PartialEq)]
pub struct Parting {
    /// The stretch before the fork.
    pub behind: usize,
    /// The stretches that begin there.
    pub branches: Vec<usize>,
    /// How much of the differences of all rewards the fork explains, from 0 to 1.
    pub explained: f64,
}

/// The tree of some attempts; a reward of at least `success` is one.
#[must_use]
pub fn action_tree(attempts: &[ActionAttempt], of_task: &[usize], success: f64) -> ActionTree {
    let stretches = tree(attempts, of_task);
    let mut outcomes = vec![Success::default(); stretches.len()];
    for (place, stretch) in stretches.iter().enumerate() {
        for end in &stretch.ends {
            let reward = attempts[*end].reward;
            let mut at = Some(place);
            while let Some(place) = at {
                outcomes[place].add(reward, success);
                at = stretches[place].parent;
            }
        }
    }
    let rewards: Vec<f64> = of_task.iter().filter_map(|i| attempts[*i].reward).collect();
    let parting = parting(&stretches, &outcomes, &rewards);
    ActionTree { stretches: stretches.into_iter().zip(outcomes).collect(), parting }
}

/// The fork whose branches explain most of the differences of the rewards: by the squares between branches, of all.
fn parting(stretches: &[SharedSteps], outcomes: &[Success], rewards: &[f64]) -> Option<Parting> {
    let mean = rewards.iter().sum::<f64>() / rewards.len() as f64;
    let all: f64 = rewards.iter().map(|reward| (reward - mean).powi(2)).sum();
    let mut branches_of = vec![Vec::new(); stretches.len()];
    for (place, stretch) in stretches.iter().enumerate() {
        stretch.parent.into_iter().for_each(|parent| branches_of[parent].push(place));
    }
    let fork = |(behind, branches): (usize, Vec<usize>)| {
        let within = outcomes[behind].mean()?;
        // Attempts that end before the fork are a branch, too.
        let mut ended = outcomes[behind];
        for branch in &branches {
            let taken = outcomes[*branch];
            ended.rewarded -= taken.rewarded;
            ended.sum -= taken.sum;
        }
        let parts: Vec<&Success> =
            branches.iter().map(|i| &outcomes[*i]).chain([&ended]).filter(|part| part.rewarded > 0).collect();
        let square = |part: &&Success| part.mean().map_or(0.0, |mean| (mean - within).powi(2) * part.rewarded as f64);
        let between: f64 = parts.iter().map(square).sum();
        let beyond = between - by_chance(&outcomes[behind], between, parts.len());
        (!branches.is_empty()).then_some((Parting { behind, branches, explained: between / all }, beyond))
    };
    let forks = branches_of.into_iter().enumerate().filter_map(fork);
    let forks: Vec<(Parting, f64)> = forks.filter(|(fork, _)| all > 0.0 && fork.explained > 0.0).collect();
    // Where no fork explains more than chance would, as of two attempts, the one that explains most.
    let has_more = forks.iter().any(|(_, beyond)| *beyond > LEAST_SQUARES);
    let rank = |(fork, beyond): &(Parting, f64)| if has_more { *beyond } else { fork.explained };
    // Of equal ones the first: later forks only follow from it.
    let best = forks.iter().fold(None, |best: Option<&(Parting, f64)>, fork| match best {
        Some(best) if rank(best) >= rank(fork) - LEAST_SQUARES => Some(best),
        _ => Some(fork),
    });
    best.map(|(fork, _)| fork.clone())
}

/// Squares that are none but for rounding.
const LEAST_SQUARES: f64 = 1e-12;

/// The squares between `branches` branches that chance alone would give. Branches of one attempt each explain all of
/// the variance and prove nothing.
fn by_chance(all: &Success, between: f64, branches: usize) -> f64 {
    let (count, free) = (all.rewarded, branches.saturating_sub(1) as f64);
    let (spread, left) = (all.spread(), count.saturating_sub(branches));
    match (count, left) {
        (0 | 1, _) => 0.0,
        (_, 0) => free * spread / (count - 1) as f64,
        _ => free * (spread - between).max(0.0) / left as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(number: usize, actions: &[&str], reward: f64) -> ActionAttempt {
        let call = |(i, tool): (usize, &&str)| {
            let call = format!(r#"{{"id":"{i}","function":{{"name":"{tool}","arguments":"{{ \"n\":1}}"}}}}"#);
            let message = format!(r#"{{"role":"assistant","content":"{number} {i}","tool_calls":[{call}]}}"#);
            format!(r#"{message},{{"role":"tool","tool_call_id":"{i}","content":"{number}"}}"#)
        };
        let calls: Vec<String> = actions.iter().enumerate().map(call).collect();
        let text = format!(
            r#"{{"id":"t-run{number}","reward":{reward},"messages":[{{"role":"user","content":"go"}},{}]}}"#,
            calls.join(",")
        );
        ActionAttempt::all_of(number, &json::parse(&text).unwrap(), None, Way::Formats).remove(0)
    }

    #[test]
    fn attempts_are_aligned_by_calls_and_each_branch_shows_its_success() {
        let all = [
            attempt(0, &["look", "read", "mend"], 1.0),
            attempt(1, &["look", "read", "drop"], 0.0),
            attempt(2, &["look", "read", "mend", "test"], 1.0),
            attempt(3, &["ask"], 0.0),
        ];
        let tree = action_tree(&all, &[0, 1, 2, 3], 1.0);
        let labels: Vec<String> = tree
            .stretches
            .iter()
            .map(|(s, of)| {
                format!("{}{:?} {}/{} {:?}", " ".repeat(s.depth), s.steps, of.successes, of.attempts, of.mean())
            })
            .collect();
        assert_eq!(
            labels,
            [
                "0..0 2/4 Some(0.5)",
                " 0..2 2/3 Some(0.6666666666666666)",
                "  2..3 2/2 Some(1.0)",
                "   3..4 1/1 Some(1.0)",
                "  2..3 0/1 Some(0.0)",
                " 0..1 0/1 Some(0.0)",
            ]
        );
        let parting = tree.parting.unwrap();
        assert_eq!((parting.behind, parting.branches), (1, vec![2, 4]));
        assert_eq!((all[0].actions[1].step, all[0].actions[1].label.as_str()), (3, "read { \"n\":1}"));
    }

    #[test]
    fn a_fork_into_single_attempts_explains_nothing() {
        // Behind `look`, `refund` never succeeds and `cancel` does; each of those that refund goes on alone.
        let all = [
            attempt(0, &["look", "refund", "a"], 0.0),
            attempt(1, &["look", "refund", "b"], 0.2),
            attempt(2, &["look", "refund", "c"], 0.9),
            attempt(3, &["look", "refund", "d"], 0.1),
            attempt(4, &["look", "cancel"], 1.0),
            attempt(5, &["look", "cancel"], 1.0),
        ];
        let tree = action_tree(&all, &[0, 1, 2, 3, 4, 5], 1.0);
        let parting = tree.parting.unwrap();
        assert_eq!(tree.stretches[parting.behind].0.depth, 0, "{parting:?}");
        let two = [attempt(0, &["look", "a"], 0.0), attempt(1, &["look", "b"], 1.0)];
        assert!(action_tree(&two, &[0, 1], 1.0).parting.is_some());
    }

    #[test]
    fn equal_rewards_part_nowhere() {
        let all = [attempt(0, &["look"], 1.0), attempt(1, &["ask"], 1.0)];
        assert_eq!(action_tree(&all, &[0, 1], 1.0).parting, None);
    }
}
