//! What each of several answers of a record was scored with: of a preference pair, or of several answers to a prompt.

use super::number::{self, Number};
use super::reading::Reading;
use super::track::Track;
use crate::json::Value;

/// Names of the score of an answer of a pair, around its label.
const SCORES: [(&str, &str); 6] =
    [("score_", ""), ("", "_score"), ("", "-rating"), ("", "_rating"), ("reward_", ""), ("", "_reward")];
/// Names of a list of scores, one an answer.
const SCORE_LISTS: [&str; 2] = ["rewards", "scores"];

/// The reward of an answer of a record that has several: the sum of those of its messages, else `score_chosen`,
/// `chosen_score`, `chosen-rating` … of the record, else its place in a list of `rewards` or `scores`.
#[must_use]
pub fn answer_reward(reading: &Reading<'_>, track: &Track) -> Option<f64> {
    let steps = reading.entries.get(track.steps.clone()).unwrap_or_default();
    let rewards = steps.iter().filter_map(|entry| entry.reward.as_ref());
    let sum = rewards.map(|reward| reward.value).reduce(|sum, reward| sum + reward);
    let value = |number: Number| number.value;
    sum.or_else(|| named(reading.root, track.label.as_deref()?).map(value))
        .or_else(|| group_reward(reading.root, track))
        .or_else(|| listed(reading, track).map(value))
}

/// The reward of a trajectory of a group (ART, rLLM).
pub(super) fn group_reward(root: &Value<'_>, track: &Track) -> Option<f64> {
    let all = root.get("trajectories")?.as_array()?;
    let is_of = |number: &usize| track.list().starts_with(&format!("/trajectories/{number}/"));
    let reward = all.get((0..all.len()).find(is_of)?)?.get("reward");
    reward.and_then(number::number).map(|number| number.value)
}

fn named(root: &Value<'_>, label: &str) -> Option<Number> {
    let score = |(before, after): &(&str, &str)| root.get(&format!("{before}{label}{after}")).and_then(number::number);
    SCORES.iter().find_map(score)
}

fn listed(reading: &Reading<'_>, track: &Track) -> Option<Number> {
    let answers = reading.answers().count();
    let place = reading.answers().position(|answer| answer == track)?;
    let list = |name: &&str| reading.root.get(name)?.as_array().filter(|all| all.len() == answers);
    SCORE_LISTS.iter().find_map(list)?.get(place).and_then(number::number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;
    use crate::rules::trajectory::Way;

    fn rewards(record: &str) -> Vec<Option<f64>> {
        let record = parse(record).unwrap();
        let reading = Way::Formats.read(&record);
        reading.answers().map(|track| answer_reward(&reading, track)).collect()
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
    }
}
