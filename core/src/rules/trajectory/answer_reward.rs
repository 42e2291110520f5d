//! What each of several answers of a record was scored with: of a preference pair, or of several answers to a prompt.

use super::number::{self, Number};
use super::reading::Reading;
use super::track::Track;
use crate::json::{Data, Value};

/// Names of the score of an answer of a pair, around its label.
const SCORES: [(&str, &str); 6] =
    [("score_", ""), ("", "_score"), ("", "-rating"), ("", "_rating"), ("reward_", ""), ("", "_reward")];
/// Names of a list of scores, one an answer.
const SCORE_LISTS: [&str; 6] = ["rewards", "scores", "reward", "score", "correct", "is_correct"];

/// One of several answers of a record, as an attempt at a task.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AnswerFacts {
    /// Its reward; None without a finite one.
    pub reward: Option<f64>,
    /// How many steps it has.
    pub steps: u64,
    /// Whether it is the answer of a pair that was preferred; None: it is of no pair.
    pub is_preferred: Option<bool>,
}

impl AnswerFacts {
    /// Of one of the answers of a record, with its reward.
    #[must_use]
    pub fn of(track: &Track, reward: Option<f64>) -> Self {
        let is_preferred = match track.label.as_deref() {
            Some("chosen") => Some(true),
            Some("rejected") => Some(false),
            _ => None,
        };
        Self { reward: reward.filter(|reward| reward.is_finite()), steps: track.steps.len() as u64, is_preferred }
    }

    /// Of all answers of a record that has several; none of one that is one attempt, or no trajectory.
    #[must_use]
    pub fn all_of(reading: &Reading<'_>) -> Vec<Self> {
        match reading.main() {
            Some(_) => Vec::new(),
            None => answer_rewards(reading).map(|(track, reward)| Self::of(track, reward)).collect(),
        }
    }
}

/// The answers of a record that has several, each with its reward: the sum of those of its messages, else
/// `score_chosen`, `chosen_score`, `chosen-rating` … of the record, else that of its trajectory in a group, else its
/// place in a list of `rewards` or `scores`.
pub fn answer_rewards<'r>(reading: &'r Reading<'_>) -> impl Iterator<Item = (&'r Track, Option<f64>)> + 'r {
    // A list of scores is of all answers, also of those that are not read.
    let answers = reading.answers().count() + reading.left_out;
    let listed = score_list(reading.root, answers).unwrap_or_default();
    let reward = move |(place, track): (usize, &'r Track)| (track, answer_reward(reading, track, listed.get(place)));
    reading.answers().enumerate().map(reward)
}

fn answer_reward(reading: &Reading<'_>, track: &Track, listed: Option<&Value<'_>>) -> Option<f64> {
    let steps = reading.entries.get(track.steps.clone()).unwrap_or_default();
    let rewards = steps.iter().filter_map(|entry| entry.reward.as_ref());
    let sum = rewards.map(|reward| reward.value).reduce(|sum, reward| sum + reward);
    let value = |number: Number| number.value;
    sum.or_else(|| named(reading.root, track.label.as_deref()?).map(value))
        .or_else(|| group_reward(reading.root, track))
        .or_else(|| listed.and_then(number::number).map(value))
}

/// The reward of a trajectory of a group (ART, rLLM).
pub(super) fn group_reward(root: &Value<'_>, track: &Track) -> Option<f64> {
    let list = track.list();
    let (number, _) = list.strip_prefix("/trajectories/")?.split_once('/')?;
    let trajectory = root.get("trajectories")?.as_array()?.get(number.parse::<usize>().ok()?)?;
    trajectory.get("reward").and_then(number::number).map(|number| number.value)
}

fn named<'a>(root: &Value<'a>, label: &str) -> Option<Number<'a>> {
    let score = |(before, after): &(&str, &str)| root.get(&format!("{before}{label}{after}")).and_then(number::number);
    SCORES.iter().find_map(score)
}

/// The list of the scores of `answers` answers: numbers or truth values, or null for one that was not scored.
pub(super) fn score_list<'a>(root: &'a Value<'a>, answers: usize) -> Option<&'a [Value<'a>]> {
    let is_score = |value: &Value<'_>| matches!(value.data, Data::Null) || number::number(value).is_some();
    let are_scores = |all: &&[Value<'_>]| all.len() == answers && all.iter().all(is_score);
    SCORE_LISTS.iter().find_map(|name| root.get(name)?.as_array().filter(are_scores))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;
    use crate::rules::trajectory::Way;

    fn rewards(record: &str) -> Vec<Option<f64>> {
        let record = parse(record).unwrap();
        let reading = Way::Formats.read(&record);
        answer_rewards(&reading).map(|(_, reward)| reward).collect()
    }

    #[test]
    fn the_answers_of_a_pair_have_scores_of_their_names() {
        let pair = |scores: &str| format!(r#"{{"prompt":"q","chosen":"a","rejected":"b"{scores}}}"#);
        assert_eq!(rewards(&pair(r#","score_chosen":8.5,"score_rejected":3"#)), [Some(8.5), Some(3.0)]);
        assert_eq!(rewards(&pair(r#","chosen-rating":5,"rejected-rating":"?""#)), [Some(5.0), None]);
        assert_eq!(rewards(&pair(r#","chosen_score":1,"rejected_score":-1"#)), [Some(1.0), Some(-1.0)]);
        assert_eq!(rewards(&pair(r#","score":7"#)), [None, None], "that is of the pair");
    }

    #[test]
    fn the_answers_to_a_prompt_have_scores_by_their_places() {
        let answers = |scores: &str| format!(r#"{{"prompt":"q","responses":["a","b"]{scores}}}"#);
        assert_eq!(rewards(&answers(r#","rewards":[1,0.5]"#)), [Some(1.0), Some(0.5)]);
        assert_eq!(rewards(&answers(r#","rewards":[1]"#)), [None, None], "whose it is is not known");
        let (texts, scores) = (vec!["\"a\""; 100].join(","), vec!["2"; 100].join(","));
        let note = "x".repeat(2 << 20);
        let long = format!(r#"{{"prompt":"q","responses":[{texts}],"rewards":[{scores}],"note":"{note}"}}"#);
        assert_eq!(rewards(&long), vec![Some(2.0); 64], "of more answers than are read");
    }
}
