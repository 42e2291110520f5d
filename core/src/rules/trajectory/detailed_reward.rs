//! The reward that a trajectory says in its notes: conversions into ADP and ATIF put members of a row there.

use super::number;
use crate::json::{Data, Value};

/// Members that hold the notes of a trajectory.
const NOTES: [&str; 2] = ["details", "extra"];
const GRADES: [&str; 2] = ["reward", "score"];
const OUTCOMES: [&str; 2] = ["resolved", "target"];

/// The reward in the `details` or `extra` of a record: `reward` or `score`, else `resolved` or `target` where it is
/// true or false, also as text, which are 1 and 0: standardized trajectories without a version have texts alone there.
#[must_use]
pub fn detailed_reward(record: &Value<'_>) -> Option<f64> {
    NOTES.iter().find_map(|notes| reward_of_notes(record.get(notes)?))
}

/// The same of the notes themselves.
#[must_use]
pub(in crate::rules) fn reward_of_notes(notes: &Value<'_>) -> Option<f64> {
    let graded = GRADES.iter().find_map(|key| number::number(notes.get(key)?).map(|number| number.value));
    let judged = || OUTCOMES.iter().find_map(|key| truth(notes.get(key)?).or_else(|| bit(key, notes.get(key)?)));
    graded.or_else(judged)
}

fn truth(value: &Value<'_>) -> Option<f64> {
    let is_true = match &value.data {
        Data::Bool(is_true) => Some(*is_true),
        Data::String(text) if text.eq_ignore_ascii_case("true") => Some(true),
        Data::String(text) if text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    };
    is_true.map(|is_true| f64::from(u8::from(is_true)))
}

/// Tables of some sets have 0 and 1 in place of truth values.
fn bit(name: &str, value: &Value<'_>) -> Option<f64> {
    let is_bit = name == "resolved" && matches!(value.as_str().unwrap_or(value.text), "0" | "1");
    number::number(value).filter(|_| is_bit).map(|number| number.value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn notes_say_a_reward_as_number_text_or_outcome() {
        let reward = |record: &str| detailed_reward(&parse(record).unwrap());
        assert_eq!(reward(r#"{"details":{"reward":0.5,"resolved":"True"}}"#), Some(0.5));
        assert_eq!(reward(r#"{"details":{"score":"2"}}"#), Some(2.0));
        assert_eq!(reward(r#"{"details":{"resolved":"True"}}"#), Some(1.0));
        assert_eq!(reward(r#"{"extra":{"resolved":false}}"#), Some(0.0));
        assert_eq!(reward(r#"{"details":{"resolved":"maybe","target":7}}"#), None);
        assert_eq!(reward(r#"{"details":{"resolved":"1"}}"#), Some(1.0));
        assert_eq!(reward(r#"{"extra":{"resolved":0}}"#), Some(0.0));
        assert_eq!(reward(r#"{"details":"reward"}"#), None);
    }
}
