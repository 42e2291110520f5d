//! Files beside runs in which an evaluation wrote how they went: trials of Harbor and terminal-bench, reports of
//! SWE-bench, predictions.

use super::Facts;
use crate::json::{self, Data, Value};
use crate::rules::trajectory::{RecordName, task_key};
use std::collections::BTreeMap;

/// Names of files that may be such; others say it at their beginning ([`begins_as_report`]).
const NAMES: [&str; 5] = ["result.json", "results.json", "report.json", "reward.json", "preds.json"];
/// The name of one that is a number.
const NUMBER: &str = "reward.txt";

/// Lists of a report of SWE-bench whose tasks are not solved.
const UNSOLVED: [&str; 3] = ["unresolved_ids", "error_ids", "empty_patch_ids"];
/// Where a row of several names its run or the task of it.
const ROW_NAMES: [&str; 5] = ["trial_name", "instance_id", "task_id", "task_name", "id"];
/// Where it says how the run went.
const ROW_REWARDS: [&str; 6] = ["reward", "is_resolved", "resolved", "success", "passed", "score"];

/// What such a file says of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Evaluation {
    /// The task that it is an attempt at.
    pub task: Option<String>,
    /// How good it was: 1 and 0 where that is a yes or a no.
    pub reward: Option<f64>,
}

/// Such a file.
#[derive(Debug, Clone, PartialEq)]
pub enum RewardFile {
    /// Of one trial: of the runs in its folder.
    Trial(Evaluation),
    /// Of one run, which it does not name.
    Number(f64),
    /// Of runs by their names, or by those of their tasks.
    Runs(BTreeMap<String, Evaluation>),
}

/// The names by which such files know a run: its task, where it names one, and its id.
#[must_use]
pub fn run_names(name: &RecordName) -> Vec<String> {
    let task = name.task.clone().filter(|_| !name.has_guessed_task());
    task.into_iter().chain([name.id.clone()]).filter(|name| !name.is_empty()).collect()
}

/// The same of the run that the text of a record is.
#[must_use]
pub fn run_names_of_text(text: &[u8]) -> Vec<String> {
    run_names(&RecordName::of_text(text))
}

impl Facts {
    /// Whether it is one run that says no reward or no task, so that a file beside it may.
    #[must_use]
    pub fn lacks_evaluation(&self) -> bool {
        let is_one = |counted: &&super::Counted| counted.answers.is_empty();
        let names_task = self.name.task.is_some() && !self.name.has_guessed_task();
        self.counted.as_ref().filter(is_one).is_some_and(|counted| counted.reward.is_none() || !names_task)
    }

    /// Takes what a file beside the run says of it, as far as it does not say it itself; `from` is that file.
    pub fn evaluate(&mut self, evaluation: Evaluation, from: Option<String>) {
        if let Some(counted) = self.counted.as_mut().filter(|counted| counted.reward.is_none()) {
            counted.reward = evaluation.reward;
            self.run.reward_from = from;
        }
        if let Some(task) = evaluation.task.filter(|_| self.name.task.is_none() || self.name.has_guessed_task()) {
            self.task = Some(task_key(&task));
            self.run.task = Some(task.clone());
            self.name.task = Some(task);
        }
    }
}

/// Whether a file of that name may be one.
#[must_use]
pub fn is_reward_file(name: &str) -> bool {
    name == NUMBER || NAMES.contains(&name)
}

/// Whether a file of another name is the report of a whole evaluation, by its first few thousand bytes.
#[must_use]
pub fn begins_as_report(head: &str) -> bool {
    head.trim_start().starts_with('{')
        && ["\"resolved_ids\"", "\"resolved_instances\""].iter().any(|name| head.contains(name))
}

impl RewardFile {
    /// Reads a file; None: it says nothing of runs.
    #[must_use]
    pub fn read(name: &str, text: &str) -> Option<Self> {
        if name == NUMBER {
            return finite(text.trim()).map(Self::Number);
        }
        let root = json::parse(text).ok()?;
        if name == "reward.json" {
            return rewards(&root).map(Self::Number);
        }
        trial(&root).map(Self::Trial).or_else(|| runs(&root).map(Self::Runs))
    }

    /// What it says of the run of these names, the first that it has.
    #[must_use]
    pub fn of(&self, names: &[String]) -> Option<Evaluation> {
        match self {
            Self::Trial(trial) => Some(trial.clone()),
            Self::Number(reward) => Some(Evaluation { task: None, reward: Some(*reward) }),
            Self::Runs(runs) => names.iter().find_map(|name| runs.get(name)).cloned(),
        }
    }
}

/// The result of one trial: of Harbor with what its verifier says, of terminal-bench with whether it is resolved.
fn trial(root: &Value<'_>) -> Option<Evaluation> {
    let text = |name: &str| root.get(name).and_then(Value::as_str).map(str::to_owned);
    if let Some(verified) = root.get("verifier_result") {
        let reward = verified.get("rewards").or_else(|| verified.get("reward")).and_then(rewards);
        return Some(Evaluation { task: text("task_name"), reward });
    }
    let resolved = root.get("is_resolved").filter(|_| root.get("results").is_none())?;
    Some(Evaluation { task: Some(text("task_id")?), reward: number(resolved) })
}

/// The reward of several: the one that is called so, or the only one.
fn rewards(value: &Value<'_>) -> Option<f64> {
    let Some(all) = value.as_object() else { return number(value) };
    match value.get("reward") {
        Some(reward) => number(reward),
        None => all.entries().next().filter(|_| all.len() == 1).and_then(|(_, only)| number(only)),
    }
}

fn runs(root: &Value<'_>) -> Option<BTreeMap<String, Evaluation>> {
    let found = match &root.data {
        Data::Array(rows) => of_rows(rows),
        Data::Object(_) if root.get("resolved_ids").is_some() => {
            of_lists(root, "resolved_ids", &|name| UNSOLVED.contains(&name))
        }
        // The results of a submission: every list has tasks of it.
        Data::Object(_) if root.get("resolved").is_some_and(|list| list.as_array().is_some()) => {
            of_lists(root, "resolved", &|_| true)
        }
        Data::Object(members) => match root.get("results").and_then(Value::as_array) {
            Some(rows) => of_rows(rows),
            None => {
                members.entries().filter_map(|(name, run)| Some((name.to_owned(), of_member(name, run)?))).collect()
            }
        },
        _ => BTreeMap::new(),
    };
    Some(found).filter(|found| !found.is_empty())
}

/// Tasks by whether they are in the list of those that are solved, or in one of the others.
fn of_lists(root: &Value<'_>, solved: &str, is_unsolved: &dyn Fn(&str) -> bool) -> BTreeMap<String, Evaluation> {
    let mut found = BTreeMap::new();
    let mut take = |list: &Value<'_>, reward: f64| {
        for task in list.as_array().unwrap_or_default().iter().filter_map(Value::as_str) {
            found.insert(task.to_owned(), Evaluation { task: Some(task.to_owned()), reward: Some(reward) });
        }
    };
    let lists = root.as_object().into_iter().flat_map(|object| object.entries());
    lists.filter(|(name, _)| *name != solved && is_unsolved(name)).for_each(|(_, list)| take(list, 0.0));
    root.get(solved).into_iter().for_each(|list| take(list, 1.0));
    found
}

/// A task with its report, or with the patch that is to be evaluated.
fn of_member(name: &str, run: &Value<'_>) -> Option<Evaluation> {
    let resolved = run.get("resolved").filter(|resolved| resolved.as_bool().is_some());
    run.get("model_patch").or(resolved)?;
    Some(Evaluation { task: Some(name.to_owned()), reward: resolved.and_then(number) })
}

/// Runs by each of their names; one that several runs have, which went differently, names none of them.
fn of_rows(rows: &[Value<'_>]) -> BTreeMap<String, Evaluation> {
    let mut found: BTreeMap<String, Option<Evaluation>> = BTreeMap::new();
    for row in rows {
        let names = || ROW_NAMES.iter().filter_map(|name| row.get(name)?.as_str()).map(str::to_owned);
        let is_patch = row.get("model_patch").is_some();
        let reward = ROW_REWARDS.iter().find_map(|name| number(row.get(name)?));
        if reward.is_none() && !is_patch {
            continue;
        }
        // The name of a trial is none of a task.
        let task = names().find(|name| row.get("trial_name").and_then(Value::as_str) != Some(name));
        let evaluated = Evaluation { task, reward };
        for name in names() {
            let known = found.entry(name).or_insert_with(|| Some(evaluated.clone()));
            if known.as_ref().is_some_and(|known| known.reward != evaluated.reward) {
                *known = None;
            }
        }
    }
    found.into_iter().filter_map(|(name, evaluated)| Some((name, evaluated?))).collect()
}

fn number(value: &Value<'_>) -> Option<f64> {
    value.as_bool().map(|is_good| f64::from(u8::from(is_good))).or_else(|| finite(value.as_number()?))
}

fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluated(name: &str, text: &str, of: &str) -> Option<(Option<String>, Option<f64>)> {
        let file = RewardFile::read(name, text)?;
        file.of(&[of.to_owned()]).map(|evaluated| (evaluated.task, evaluated.reward))
    }

    fn task(name: &str, reward: Option<f64>) -> Option<(Option<String>, Option<f64>)> {
        Some((Some(name.to_owned()), reward))
    }

    #[test]
    fn a_trial_says_its_task_and_its_reward() {
        let of = |text: &str| evaluated("result.json", text, "");
        let trial = |rewards: &str| format!(r#"{{"task_name":"t","trial_name":"t__x","verifier_result":{rewards}}}"#);
        assert_eq!(of(&trial(r#"{"rewards":{"reward":0.5,"other":1}}"#)), task("t", Some(0.5)));
        assert_eq!(of(&trial(r#"{"rewards":{"accuracy":1}}"#)), task("t", Some(1.0)));
        assert_eq!(of(&trial(r#"{"rewards":{"a":1,"b":0}}"#)), task("t", None), "which of them nobody says");
        assert_eq!(of(&trial("null")), task("t", None));
        let resolved = |is: &str| evaluated("results.json", &format!(r#"{{"task_id":"t","is_resolved":{is}}}"#), "");
        assert_eq!((resolved("true"), resolved("null")), (task("t", Some(1.0)), task("t", None)));
        assert_eq!(evaluated("reward.txt", " 0.25\n", ""), Some((None, Some(0.25))));
        assert_eq!(evaluated("reward.json", r#"{"reward":true}"#, ""), Some((None, Some(1.0))));
        for (name, text) in [("reward.txt", "good"), ("reward.txt", "NaN"), ("reward.json", "{}"), ("result.json", "")]
        {
            assert_eq!(RewardFile::read(name, text), None, "{name} {text}");
        }
        assert_eq!(RewardFile::read("result.json", r#"{"n_total_trials":3,"stats":{"n_trials":3}}"#), None);
    }

    #[test]
    fn a_report_says_of_each_task_whether_it_is_solved() {
        let report = r#"{"submitted_ids":["a","b","c","d","e"],"resolved_ids":["a"],"unresolved_ids":["b"],
            "error_ids":["c"],"empty_patch_ids":["d"],"incomplete_ids":["e"]}"#;
        assert!(begins_as_report(report) && !begins_as_report(r#"{"messages":[]}"#));
        let rewards =
            ["a", "b", "c", "d"].map(|id| evaluated("m.run.json", report, id).and_then(|evaluated| evaluated.1));
        assert_eq!(rewards, [Some(1.0), Some(0.0), Some(0.0), Some(0.0)]);
        assert_eq!(evaluated("m.run.json", report, "e"), None, "what was not tried has no reward");
        let submitted = r#"{"no_generation":["b"],"resolved":["a"]}"#;
        assert_eq!(evaluated("results.json", submitted, "a"), task("a", Some(1.0)));
        assert_eq!(evaluated("results.json", submitted, "b"), task("b", Some(0.0)));
        let one = r#"{"a":{"patch_exists":true,"resolved":false,"tests_status":{}}}"#;
        assert_eq!(evaluated("report.json", one, "a"), task("a", Some(0.0)));
        let patches = r#"{"a":{"instance_id":"a","model_patch":"diff"}}"#;
        assert_eq!(evaluated("preds.json", patches, "a"), task("a", None));
        assert_eq!(RewardFile::read("report.json", r#"{"name":"x","scripts":{"test":"y"}}"#), None);
    }

    #[test]
    fn a_name_that_several_trials_have_names_none_of_them() {
        let rows = r#"{"n_resolved":1,"results":[
            {"trial_name":"t.1","task_id":"t","is_resolved":true},
            {"trial_name":"t.2","task_id":"t","is_resolved":false},
            {"trial_name":"u.1","task_id":"u","is_resolved":false},
            {"trial_name":"v.1","task_id":"v","is_resolved":null}]}"#;
        let of = |name: &str| evaluated("results.json", rows, name);
        assert_eq!((of("t.1"), of("t.2"), of("t")), (task("t", Some(1.0)), task("t", Some(0.0)), None));
        assert_eq!((of("u"), of("v")), (task("u", Some(0.0)), None));
    }
}
