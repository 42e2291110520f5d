//! `metadata.json` of a verifiers evaluation: what the run of `results.jsonl` beside it was asked for, and no
//! trajectory (`FORMATS.md` 0.4, 13).

use super::log::{Adapter, Draft, Kind, Log, LogRun, Row, form};
use super::{Framing, Match};
use crate::json::Value;
use crate::state::Op;

/// The format: its row is recognised by the members of the one object.
pub(super) static METADATA: Row = Row {
    name: "verifiers",
    title: "verifiers metadata",
    about: "`metadata.json` of a verifiers evaluation: an object with `env`, `model`, `num_examples` and \
            `rollouts_per_example`. It holds no trajectory; its rollouts are in `results.jsonl` beside it. State: its \
            members.",
    framing: Framing::LogText,
    run: || Box::new(LogRun::new(Metadata)),
    detect: Some(detect),
    has_trajectories: true,
    samples: &[concat!(
        r#"{"env":"math","model":"m","num_examples":2,"rollouts_per_example":3,"avg_reward":0.5,"#,
        r#""sampling_args":{"max_tokens":null}}"#
    )],
    ..Row::BASE
};

/// Members that every one has.
const MEMBERS: [&str; 3] = ["model", "num_examples", "rollouts_per_example"];

fn detect(first: &[Value<'_>]) -> Option<Match> {
    let [file] = first else { return None };
    let is_named = ["env", "env_id"].iter().any(|key| file.get(key).is_some_and(|name| name.as_str().is_some()));
    let has_all = MEMBERS.iter().all(|key| file.get(key).is_some());
    let reason = "an object with `env`, `model`, `num_examples` and `rollouts_per_example`".to_owned();
    (is_named && has_all).then_some(Match { reason })
}

struct Metadata;

impl Adapter for Metadata {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        log.trajectories(0);
        log.step(&Draft { class: Some("metadata"), ..Draft::of(Kind::State, form::STATE, &[record]) });
        for (name, value) in record.as_object().into_iter().flat_map(|members| members.entries()) {
            log.write("evaluation", "main", &[name], Op::Update, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::log::testing::{run_of_record, state, steps};
    use super::super::log::tests::damage;
    use super::*;

    #[test]
    fn it_is_state_and_no_trajectory() {
        let parsed = run_of_record(&METADATA, METADATA.samples[0]);
        assert_eq!((parsed.0.trajectory_count(), steps(&parsed).len()), (0, 1));
        assert!(state(&parsed, "evaluation", 0).contains("\"avg_reward\":0.5"));
    }

    #[test]
    fn damaged_metadata_never_panics() {
        damage(&METADATA, METADATA.samples);
    }
}
