//! Several attempts at one task as a tree: what they begin with alike once, then where they part.

use super::draw::record_id;
use crate::json::{self, Data, Value};
use crate::rules::adp::Reading;
use crate::rules::digest;
use std::collections::HashMap;
use std::ops::Range;

/// Words before the number of an attempt at the end of an id.
const ATTEMPT_WORDS: &[&str] = &["attempt", "trial", "run", "sample", "rollout", "try"];
/// Where a record names its task, the first that is there counts.
const TASK_FIELDS: &[&str] = &["task_id", "instance_id", "details.task_id", "details.instance_id"];
/// Where a record tells how it ended.
const FINISH_FIELDS: &[&str] =
    &["exit_status", "info.exit_status", "details.exit_status", "resolved", "details.resolved", "finish_reason"];
const REWARD_FIELDS: &[&str] = &["reward", "details.reward", "details.score"];

/// One attempt: what the tree needs of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Its record, from 0.
    pub record: usize,
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
pub struct Stretch {
    /// The stretch before it, by its place in the list.
    pub parent: Option<usize>,
    /// How many stretches stand before it.
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
    /// Reads a record; `by` names the field of its task, as `details.task`. None for a record that is no trajectory, or
    /// names no task.
    #[must_use]
    pub fn of(number: usize, record: &Value<'_>, by: Option<&str>) -> Option<Self> {
        let reading = Reading::of(record);
        reading.body?;
        let id = record_id(record);
        let task = match by {
            Some(field) => scalar(record, field),
            None => {
                let named = TASK_FIELDS.iter().find_map(|field| scalar(record, field));
                named.or_else(|| id.as_deref().map(|id| without_attempt(id).to_owned()))
            }
        }?;
        let first = |fields: &[&str]| fields.iter().find_map(|field| scalar(record, field));
        let step_reward = || reading.entries.iter().rev().find_map(|entry| scalar(entry.value, "reward"));
        Some(Self {
            record: number,
            id,
            task,
            reward: first(REWARD_FIELDS).or_else(step_reward),
            finish: first(FINISH_FIELDS),
            steps: reading.entries.iter().map(|entry| digest::of(entry.value)).collect(),
        })
    }
}

/// A string, number or boolean at a path of member names.
fn scalar(record: &Value<'_>, path: &str) -> Option<String> {
    let value = path.split('.').try_fold(record, |value, name| value.get(name))?;
    match &value.data {
        Data::String(text) => Some(text.to_string()),
        Data::Number | Data::Bool(_) => Some(json::compact(value)),
        _ => None,
    }
}

/// An id without the number of its attempt: `t-attempt-2`, `t_run3`, `t#2`, `t@2` are attempts at `t`.
fn without_attempt(id: &str) -> &str {
    let head = id.trim_end_matches(|c: char| c.is_ascii_digit());
    if head.len() == id.len() {
        return id;
    }
    if let Some(task) = head.strip_suffix(['#', '@']).filter(|task| !task.is_empty()) {
        return task;
    }
    let word = head.strip_suffix(['-', '_', '=']).unwrap_or(head);
    let task = ATTEMPT_WORDS.iter().find_map(|name| word.strip_suffix(name)?.strip_suffix(['-', '_', '/', '.', ':']));
    task.filter(|task| !task.is_empty()).unwrap_or(id)
}

/// The attempts of each task by their places in the list, tasks in the order of first appearance.
#[must_use]
pub fn tasks(attempts: &[Attempt]) -> Vec<Vec<usize>> {
    grouped(0..attempts.len(), |i| attempts[i].task.as_str())
}

/// The tree of some attempts, each stretch before those that follow it, in the order of first appearance.
#[must_use]
pub fn tree(attempts: &[Attempt], of_task: &[usize]) -> Vec<Stretch> {
    let mut out: Vec<Stretch> = Vec::new();
    let mut waiting = vec![(of_task.to_vec(), 0, None)];
    while let Some((members, start, parent)) = waiting.pop() {
        let Some(&first) = members.first() else { continue };
        // No further than the shortest reaches, and than the one before was alike: long chains stay cheap.
        let shortest = members.iter().map(|i| attempts[*i].steps.len()).min().unwrap_or(start);
        let alike = |end: usize, i: &usize| {
            let pairs = attempts[first].steps[start..end].iter().zip(&attempts[*i].steps[start..end]);
            start + pairs.take_while(|(a, b)| a == b).count()
        };
        let end = members.iter().fold(shortest, alike);
        let (ends, rest): (Vec<usize>, Vec<usize>) = members.iter().partition(|i| attempts[**i].steps.len() == end);
        let place = out.len();
        let depth = parent.map_or(0, |parent: usize| out[parent].depth + 1);
        out.push(Stretch { parent, depth, steps: start..end, attempts: members.len(), first, ends });
        let branches = grouped(rest.into_iter(), |i| attempts[i].steps[end]);
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

    fn attempt(task: &str, steps: &[u128]) -> Attempt {
        Attempt { record: 0, id: None, task: task.into(), reward: None, finish: None, steps: steps.to_vec() }
    }

    fn drawn(attempts: &[Attempt], of_task: &[usize]) -> Vec<String> {
        let line = |s: &Stretch| format!("{}{:?} x{} {:?}", " ".repeat(s.depth), s.steps, s.attempts, s.ends);
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
    fn a_task_is_named_by_a_field_or_by_the_id_without_its_attempt() {
        let task = |record: &str, by| Attempt::of(0, &json::parse(record).unwrap(), by).map(|a| a.task);
        let record = |head: &str| format!(r#"{{{head},"messages":[{{"role":"user","content":"x"}}]}}"#);
        for (head, by, expect) in [
            (r#""id":"t","task_id":7"#, None, Some("7")),
            (r#""id":"t-attempt-2""#, None, Some("t")),
            (r#""id":"t/run3""#, None, Some("t")),
            (r#""id":"t#12""#, None, Some("t")),
            (r#""id":"shop-1""#, None, Some("shop-1")),
            (r#""id":"rerun3""#, None, Some("rerun3")),
            (r#""id":"t","details":{"q":"z"}"#, Some("details.q"), Some("z")),
            (r#""id":"t""#, Some("details.q"), None),
            (r#""x":1"#, None, None),
        ] {
            assert_eq!(task(&record(head), by).as_deref(), expect, "{head}");
        }
        assert_eq!(task(r#"{"id":"t"}"#, None), None);
    }

    #[test]
    fn how_an_attempt_ended_is_read_with_it() {
        let record = r#"{"id":"t","details":{"exit_status":"submitted"},"content":[
            {"class_":"message_action","content":"x","reward":0.5},
            {"class_":"message_action","content":"y","reward":1.0}]}"#;
        let attempt = Attempt::of(3, &json::parse(record).unwrap(), None).unwrap();
        assert_eq!((attempt.reward.as_deref(), attempt.finish.as_deref()), (Some("1.0"), Some("submitted")));
        assert_eq!((attempt.record, attempt.steps.len()), (3, 2));
    }
}
