//! Several attempts at one task as a tree: what they begin with alike once, then where they part.

use super::rollout::answers_task;
use super::sampling::record_id;
use crate::json::Value;
use crate::rules::digest;
use crate::rules::trajectory::{Reading, Track, Way, answer_rewards, detailed_reward, scalar, task};
use std::borrow::Borrow;
use std::collections::HashMap;
use std::ops::Range;

/// Where a record says how it ended.
const FINISH_FIELDS: &[&str] =
    &["exit_status", "info.exit_status", "details.exit_status", "resolved", "details.resolved", "finish_reason"];
const REWARD_FIELDS: &[&str] =
    &["reward", "score", "reward_info.reward", "details.reward", "details.score", "extra.reward", "extra.score"];

/// One attempt: what the tree needs of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Its record, from 0.
    pub record: usize,
    /// Which of several answers of its record it is, as `chosen`; None: the record is one attempt.
    pub answer: Option<String>,
    /// The step of its record with which it begins.
    pub begin: usize,
    /// Its id.
    pub id: Option<String>,
    /// The task that it is an attempt at.
    pub task: String,
    /// Its reward, as written.
    pub reward: Option<String>,
    /// How it ended, as written.
    pub finish: Option<String>,
    /// A digest of each step: equal where the messages are equal as JSON.
    pub steps: Vec<u128>,
}

/// A stretch of steps that some attempts have alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedSteps {
    /// The stretch before it, by its place in the list.
    pub parent: Option<usize>,
    /// How many stretches precede it.
    pub depth: usize,
    /// Its steps.
    pub steps: Range<usize>,
    /// How many attempts go through it.
    pub attempts: usize,
    /// One of them, by its place in the list of attempts.
    pub first: usize,
    /// The attempts that end with it.
    pub ends: Vec<usize>,
}

impl Attempt {
    /// Reads the attempts of a record: one, and of a preference pair or of several answers to a prompt one an answer;
    /// `by` names the field of its task, as `details.task`. None for a record that is not a trajectory, or names no
    /// task.
    #[must_use]
    pub fn all_of(number: usize, record: &Value<'_>, by: Option<&str>, way: Way) -> Vec<Self> {
        let reading = way.read(record);
        let with_steps = |(attempt, track): (Self, &Track)| {
            let steps = reading.entries.get(track.steps.clone()).unwrap_or_default();
            Self { steps: steps.iter().map(|entry| digest::of(entry.value)).collect(), ..attempt }
        };
        Self::without_steps(number, &reading, by).into_iter().map(with_steps).collect()
    }

    /// The same of a record that was read, with where the steps of each are, which are left to the caller.
    pub(super) fn without_steps<'r>(
        number: usize,
        reading: &'r Reading<'_>,
        by: Option<&str>,
    ) -> Vec<(Self, &'r Track)> {
        match reading.main() {
            Some(track) => Self::only(number, reading, track, by).map(|only| (only, track)).into_iter().collect(),
            None => {
                let Some(task) = answers_task(reading, number, by) else { return Vec::new() };
                let answer = |(track, reward)| (Self::answer(number, reading, track, reward, task.clone()), track);
                answer_rewards(reading).map(answer).collect()
            }
        }
    }

    /// `record 3`, and which of its answers.
    #[must_use]
    pub fn record_name(&self) -> String {
        let answer = self.answer.as_ref().map_or_else(String::new, |answer| format!(" {answer}"));
        format!("record {}{answer}", self.record)
    }

    /// One of several answers of a record.
    fn answer(number: usize, reading: &Reading<'_>, track: &Track, reward: Option<f64>, task: String) -> Self {
        Self {
            record: number,
            answer: track.label.clone(),
            begin: track.steps.start,
            id: record_id(reading.root),
            task,
            reward: reward.map(|reward| reward.to_string()),
            finish: None,
            steps: Vec::new(),
        }
    }

    /// The attempt that a record is.
    fn only(number: usize, reading: &Reading<'_>, track: &Track, by: Option<&str>) -> Option<Self> {
        let steps = reading.entries.get(track.steps.clone())?;
        let (reward, finish) = ending_of(reading.root);
        let step_reward = || steps.iter().rev().find_map(|entry| scalar(entry.value, "reward"));
        let whole = || reading.outcome().or_else(|| detailed_reward(reading.root));
        Some(Self {
            record: number,
            answer: None,
            begin: track.steps.start,
            id: record_id(reading.root),
            task: task(reading.root, by)?,
            reward: reward.or_else(step_reward).or_else(|| whole().map(|reward| reward.to_string())),
            finish,
            steps: Vec::new(),
        })
    }
}

/// The reward of a record and how it ended, as written; not those of its steps.
#[must_use]
pub fn ending_of(record: &Value<'_>) -> (Option<String>, Option<String>) {
    let first = |fields: &[&str]| fields.iter().find_map(|field| scalar(record, field));
    (first(REWARD_FIELDS), first(FINISH_FIELDS))
}

/// How a record ended, for people: a bare truth value is that of `resolved`.
#[must_use]
pub fn ending_words(finish: &str) -> &str {
    match finish {
        "true" | "True" => "resolved",
        "false" | "False" => "not resolved",
        other => other,
    }
}

/// The attempts of each task by their places in the list, tasks in the order of first appearance.
#[must_use]
pub fn tasks<A: Borrow<Attempt>>(attempts: &[A]) -> Vec<Vec<usize>> {
    grouped(0..attempts.len(), |i| attempts[i].borrow().task.as_str())
}

/// The tree of some attempts, each stretch before those that follow it, in the order of first appearance.
#[must_use]
pub fn tree<A: Borrow<Attempt>>(attempts: &[A], of_task: &[usize]) -> Vec<SharedSteps> {
    let steps = |i: usize| attempts[i].borrow().steps.as_slice();
    let mut out: Vec<SharedSteps> = Vec::new();
    let mut waiting = vec![(of_task.to_vec(), 0, None)];
    while let Some((members, start, parent)) = waiting.pop() {
        let Some(&first) = members.first() else { continue };
        // No further than the shortest reaches, and than the one before was alike: long chains stay cheap.
        let shortest = members.iter().map(|i| steps(*i).len()).min().unwrap_or(start);
        let alike = |end: usize, i: &usize| {
            let pairs = steps(first)[start..end].iter().zip(&steps(*i)[start..end]);
            start + pairs.take_while(|(a, b)| a == b).count()
        };
        let end = members.iter().fold(shortest, alike);
        let (ends, rest): (Vec<usize>, Vec<usize>) = members.iter().partition(|i| steps(**i).len() == end);
        let place = out.len();
        let depth = parent.map_or(0, |parent: usize| out[parent].depth + 1);
        out.push(SharedSteps { parent, depth, steps: start..end, attempts: members.len(), first, ends });
        let branches = grouped(rest.into_iter(), |i| steps(i)[end]);
        waiting.extend(branches.into_iter().rev().map(|branch| (branch, end, Some(place))));
    }
    out
}

/// Numbers by a key, groups and members in the order of first appearance.
fn grouped<K: std::hash::Hash + Eq>(all: impl Iterator<Item = usize>, key: impl Fn(usize) -> K) -> Vec<Vec<usize>> {
    let mut places: HashMap<K, usize> = HashMap::new();
    let mut out: Vec<Vec<usize>> = Vec::new();
    for i in all {
        let place = *places.entry(key(i)).or_insert_with(|| {
            out.push(Vec::new());
            out.len() - 1
        });
        out[place].push(i);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    fn attempt(task: &str, steps: &[u128]) -> Attempt {
        Attempt {
            record: 0,
            answer: None,
            begin: 0,
            id: None,
            task: task.into(),
            reward: None,
            finish: None,
            steps: steps.to_vec(),
        }
    }

    fn drawn(attempts: &[Attempt], of_task: &[usize]) -> Vec<String> {
        let line = |s: &SharedSteps| format!("{}{:?} x{} {:?}", " ".repeat(s.depth), s.steps, s.attempts, s.ends);
        tree(attempts, of_task).iter().map(line).collect()
    }

    #[test]
    fn a_shared_beginning_stands_once() {
        let all = [
            attempt("a", &[1, 2, 3, 4]),
            attempt("b", &[1]),
            attempt("a", &[1, 2, 5]),
            attempt("a", &[1, 2, 3, 6, 7]),
            attempt("a", &[1, 2]),
        ];
        assert_eq!(tasks(&all), vec![vec![0, 2, 3, 4], vec![1]]);
        assert_eq!(
            drawn(&all, &tasks(&all)[0]),
            ["0..2 x4 [4]", " 2..3 x2 []", "  3..4 x1 [0]", "  3..5 x1 [3]", " 2..3 x1 [2]"]
        );
    }

    #[test]
    fn attempts_without_a_common_step_part_at_once_and_a_long_chain_is_no_trouble() {
        let all = [attempt("a", &[1]), attempt("a", &[2]), attempt("a", &[])];
        assert_eq!(drawn(&all, &[0, 1, 2]), ["0..0 x3 [2]", " 0..1 x1 [0]", " 0..1 x1 [1]"]);
        let chain: Vec<Attempt> = (0..2000).map(|n| attempt("a", &vec![7; n])).collect();
        let stretches = tree(&chain, &(0..2000).collect::<Vec<_>>());
        assert_eq!((stretches.len(), stretches[1999].depth), (2000, 1999));
    }

    #[test]
    fn how_an_attempt_ended_is_read_with_it() {
        let record = r#"{"id":"t","details":{"exit_status":"submitted"},"content":[
            {"class_":"message_action","content":"x","reward":0.5},
            {"class_":"message_action","content":"y","reward":1.0}]}"#;
        let attempt = Attempt::all_of(3, &json::parse(record).unwrap(), None, Way::Protocol).remove(0);
        assert_eq!((attempt.reward.as_deref(), attempt.finish.as_deref()), (Some("1.0"), Some("submitted")));
        let graded = r#"{"id":"t","score":0.25,"messages":[{"role":"user","content":"x"}],"details":{"reward":9}}"#;
        let graded = Attempt::all_of(0, &json::parse(graded).unwrap(), None, Way::Protocol).remove(0);
        assert_eq!(graded.reward.as_deref(), Some("0.25"), "what the record says goes before its details");
        assert_eq!((attempt.record, attempt.steps.len()), (3, 2));
    }
}
