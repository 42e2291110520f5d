//! ATIF, Harbor's format of trajectories: files of one trajectory and its sub-agents, arrays, lines, and files that
//! hold several trajectories under names (`FORMATS.md` 5).

use super::dataset_row::{DatasetRow, most};
use super::is_atif;
use crate::format::{Framing, Match};
use crate::json::Value;

/// Trajectories, each with those of its sub-agents.
pub(in crate::format) static ATIF: DatasetRow = DatasetRow {
    name: "atif",
    title: "ATIF trajectories",
    about: "Trajectories of Harbor (Terminal-Bench 2, VS Code, Devin): an object whose `steps` have `step_id` and \
            `source`; arrays and lines of them, and one object that holds nothing but trajectories, each under a name. \
            The trajectories of sub-agents that stand in one come behind its own steps, each with the step that \
            called it. Other files that it refers to are looked for beside it; one that is not there is a finding. \
            State: as in the Agent Data Protocol, and sums of the metrics.",
    framing: Framing::Members,
    detect,
    near: |_| None,
    samples: &[TURNS, SUB_AGENT, PARENT_AND_CHILD],
};

/// A turn with a call and its result.
const TURNS: &str = r#"{"schema_version":"ATIF-v1.7","trajectory_id":"t","agent":{"name":"a","version":"1"},"steps":[
    {"step_id":1,"source":"user","message":"find it"},
    {"step_id":2,"source":"agent","message":"",
        "tool_calls":[{"tool_call_id":"c1","function_name":"search","arguments":{"q":"it"}}],
        "observation":{"results":[{"source_call_id":"c1","content":"found"}]}}]}"#;

/// An agent with another one in its own file.
const SUB_AGENT: &str = r#"{"schema_version":"ATIF-v1.8","trajectory_id":"p","agent":{"name":"a","version":"1"},
    "steps":[
    {"step_id":1,"source":"user","message":"find it"},
    {"step_id":2,"source":"agent","message":"",
        "tool_calls":[{"tool_call_id":"c1","function_name":"delegate","arguments":{"task":"find"}}],
        "observation":{"results":[{"source_call_id":"c1","subagent_trajectory_ref":[{"trajectory_id":"c"}]}]}}],
    "subagent_trajectories":[{"schema_version":"ATIF-v1.8","trajectory_id":"c","agent":{"name":"b","version":"1"},
        "steps":[{"step_id":1,"source":"user","message":"find"},
        {"step_id":2,"source":"agent","message":"found"}]}]}"#;

/// What a trajectory says of itself before its steps.
const BEFORE_STEPS: [&str; 5] = ["schema_version", "session_id", "trajectory_id", "agent", "notes"];

/// An agent that has another one search.
const PARENT_AND_CHILD: &str = r#"{
"parent":{"schema_version":"ATIF-v1.6","session_id":"p","agent":{"name":"a","version":"1"},"steps":[
    {"step_id":1,"source":"user","message":"find it"},
    {"step_id":2,"source":"agent","message":"",
        "tool_calls":[{"tool_call_id":"c1","function_name":"delegate","arguments":{"task":"find"}}],
        "observation":{"results":[{"source_call_id":"c1","subagent_trajectory_ref":[{"session_id":"c"}]}]}}]},
"child":{"schema_version":"ATIF-v1.6","session_id":"c","agent":{"name":"b","version":"1"},"steps":[
    {"step_id":1,"source":"user","message":"find"},
    {"step_id":2,"source":"agent","message":"found"}]}}"#;

fn detect(first: &[Value<'_>]) -> Option<Match> {
    let n = first.iter().filter(|record| is_atif(record)).count();
    most(first, n, "`steps` is an array of ATIF steps").or_else(|| detect_named(first))
}

fn detect_named(first: &[Value<'_>]) -> Option<Match> {
    let [file] = first else { return None };
    let members = &file.as_object()?.members;
    let (last, before) = members.split_last()?;
    // Of a long file only the beginning is looked at: the last one may be cut off before its steps.
    let is_last = is_atif(&last.value) || (!before.is_empty() && is_beginning(&last.value));
    let are_atif = is_last && before.iter().all(|member| is_atif(&member.value));
    are_atif.then(|| Match { reason: "every member of the object is an ATIF trajectory".to_owned() })
}

/// Whether a value is what may precede the steps of a trajectory, and no more.
fn is_beginning(value: &Value<'_>) -> bool {
    let is_head = |name: &str| BEFORE_STEPS.contains(&name);
    value
        .as_object()
        .is_some_and(|object| !object.members.is_empty() && object.members.iter().all(|member| is_head(&member.key)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn an_object_of_trajectories_alone_is_taken() {
        let is_taken = |text: &str| detect_named(&[parse(text).unwrap()]).is_some();
        assert!(is_taken(PARENT_AND_CHILD));
        assert!(is_taken(&format!("{{\"one\":{TURNS}}}")));
        assert!(is_taken(&format!("{{\"one\":{TURNS},\"two\":{{\"session_id\":\"2\"}}}}")), "cut before the steps");
        let alone = r#"{"one":{"session_id":"1"}}"#;
        assert!(!is_taken(alone), "{alone}");
        for text in [TURNS.to_owned(), "{}".to_owned(), format!("{{\"a\":{TURNS},\"b\":{{}}}}"), format!("[{TURNS}]")] {
            assert!(!is_taken(&text), "{text}");
        }
    }
}
