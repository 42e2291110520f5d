//! What records say that contradict one another: two answers to one prompt, two labels of one content.

use super::Digest;
use crate::json::Value;
use crate::model::StepRole;
use crate::rules::digest;
use crate::rules::trajectory::{Reading, RecordShape, scalar, task_key};

/// Members that say how good a record is; several attempts at one prompt have one.
const LABELS: [&str; 10] = [
    "label",
    "kto_tag",
    "reward",
    "score",
    "resolved",
    "correct",
    "is_correct",
    "success",
    "passed",
    "reward_info.reward",
];

/// Members that say that a record is one attempt of several.
const ATTEMPTS: [&str; 8] =
    ["task_id", "instance_id", "trial", "attempt", "rollout", "advantage", "traj_id", "details.instance_id"];

/// What is said where most samples of a file have one that answers the same prompt otherwise.
pub(super) const SEVERAL_BY_DESIGN: &str =
    "answer a prompt that another sample answers otherwise: right if several answers are meant";

/// What a record says of how good it is: the member, and a digest of what it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Label {
    pub(super) name: &'static str,
    value: u64,
}

/// What was asked and what was answered, by their digests.
#[derive(Debug, Clone, Copy)]
pub(super) struct CallTarget {
    pub(super) prompt: u128,
    pub(super) answer: u128,
}

/// The label of a record.
pub(super) fn label(root: &Value<'_>) -> Option<Label> {
    // 1 and 1.0 are one reward.
    let value =
        |text: &str| text.parse::<f64>().map_or_else(|_| task_key(text), |number| task_key(&number.to_string()));
    LABELS.into_iter().find_map(|name| Some(Label { name, value: value(&scalar(root, name)?) }))
}

/// Prompt and answer of a conversation; None where there is more than one, or several answers are meant: attempts at a
/// task, answers with a label, the steps of a run one by one.
pub(super) fn target(reading: &Reading<'_>) -> Option<CallTarget> {
    let track = reading.main().filter(|_| reading.shape != RecordShape::Other)?;
    if reading.is_step_of_run()
        || label(reading.root).is_some()
        || ATTEMPTS.iter().any(|name| scalar(reading.root, name).is_some())
    {
        return None;
    }
    let steps = reading.entries.get(track.steps.clone())?;
    let first = steps.iter().position(|entry| entry.role == StepRole::Agent)?;
    let (asked, answered) = steps.split_at(first);
    if !asked.iter().any(|entry| entry.role == StepRole::User) {
        return None;
    }
    let beside = ["system", "tools"].into_iter().filter_map(|name| reading.root.get(name));
    let prompt = beside.chain(asked.iter().map(|entry| entry.value)).map(digest::quick);
    Some(CallTarget { prompt: folded(prompt), answer: folded(answered.iter().map(|entry| digest::quick(entry.value))) })
}

/// The digest of all that the trajectories of a record say, wherever it is.
pub(super) fn content_digest(reading: &Reading<'_>, digest: Digest) -> u128 {
    folded(reading.entries.iter().map(|entry| digest(entry.value)))
}

/// Whether what was chosen is what was rejected.
pub(super) fn is_same_pair(reading: &Reading<'_>) -> bool {
    let [chosen, rejected] = reading.tracks.as_slice() else { return false };
    let labels = [chosen, rejected].map(|track| track.label.as_deref());
    let texts = |steps: std::ops::Range<usize>| {
        let entries = reading.entries.get(steps).unwrap_or_default();
        folded(entries.iter().map(|entry| digest::of(entry.value)))
    };
    labels == [Some("chosen"), Some("rejected")] && texts(chosen.steps.clone()) == texts(rejected.steps.clone())
}

/// Digests in order as one.
pub(super) fn folded(all: impl Iterator<Item = u128>) -> u128 {
    // Of an odd prime, so that the order counts.
    all.fold(0x9E37_79B9_7F4A_7C15, |sum, digest| sum.wrapping_mul(0x0100_0000_01B3).wrapping_add(digest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;
    use crate::rules::trajectory::Way;

    fn of(text: &str) -> (Option<(u128, u128)>, Option<&'static str>, bool) {
        let root = parse(text).unwrap();
        let reading = Way::Formats.read(&root);
        let target = target(&reading).map(|target| (target.prompt, target.answer));
        (target, label(&root).map(|label| label.name), is_same_pair(&reading))
    }

    #[test]
    fn a_prompt_has_a_target_unless_several_are_meant() {
        let row = |asked: &str, answer: &str, more: &str| {
            let asked = format!(r#"{{"role":"user","content":"{asked}"}}"#);
            format!(r#"{{"messages":[{asked},{{"role":"assistant","content":"{answer}"}}]{more}}}"#)
        };
        let (a, b, c) = (of(&row("q", "1", "")), of(&row("q", "2", "")), of(&row("r", "1", "")));
        let [a, b, c] = [a, b, c].map(|keys| keys.0.unwrap());
        assert!(a.0 == b.0 && a.1 != b.1 && a.0 != c.0 && a.1 == c.1);
        assert_eq!(of(&row("q", "1", r#","reward":0.5"#)), (None, Some("reward"), false));
        assert_eq!(of(&row("q", "1", r#","instance_id":"x""#)).0, None);
        assert_eq!(of(&row("q", "1", r#","step":2"#)).0, None);
        let value = |number: &str| label(&parse(&format!("{{\"reward\":{number}}}")).unwrap());
        assert!(value("1") == value("1.0") && value("1") != value("0"));
        assert_eq!(of(r#"{"messages":[{"role":"user","content":"q"}]}"#).0, None, "no answer");
    }

    #[test]
    fn a_pair_of_equals_is_reported() {
        assert!(of(r#"{"prompt":"q","chosen":"a","rejected":"a"}"#).2);
        assert!(!of(r#"{"prompt":"q","chosen":"a","rejected":"b"}"#).2);
    }
}
