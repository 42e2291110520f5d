//! ATIF files that hold several trajectories under names: an agent and those that it called, each a record.

use super::{Adp, is_atif};
use crate::format::{Format, Framing, Layout, Match, Purpose, Run, Survey};
use crate::json::Value;
use crate::rules::adp::stage;

/// The format.
pub(in crate::format) struct Named;

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

impl Format for Named {
    fn name(&self) -> &'static str {
        "atif"
    }

    fn title(&self) -> &'static str {
        "ATIF, several trajectories"
    }

    fn about(&self) -> &'static str {
        "ATIF files that hold several trajectories under names, as an agent's and those of the agents that it called: \
         one object with nothing but trajectories in it, each a record. A step that refers to another trajectory \
         says which. Everything else is as in the Agent Data Protocol, which takes files of one trajectory, arrays and \
         lines."
    }

    fn detect(&self, first: &[Value<'_>]) -> Option<Match> {
        let [file] = first else { return None };
        let members = &file.as_object()?.members;
        let (last, before) = members.split_last()?;
        // Of a long file only the beginning is looked at: the last one may be cut off before its steps.
        let is_last = is_atif(&last.value) || (!before.is_empty() && is_beginning(&last.value));
        let are_atif = is_last && before.iter().all(|member| is_atif(&member.value));
        are_atif.then(|| Match { reason: "every member of the object is an ATIF trajectory".to_owned() })
    }

    fn framing(&self) -> Framing {
        Framing::Members
    }

    fn stage(&self, file: &str) -> Option<&'static str> {
        stage(file)
    }

    fn layout(&self) -> Layout {
        Layout::Set
    }

    fn survey(&self, purpose: Purpose) -> Option<Box<dyn Survey>> {
        Adp.survey(purpose)
    }

    fn run(&self) -> Box<dyn Run> {
        Adp.run()
    }

    fn samples(&self) -> &'static [&'static str] {
        &[PARENT_AND_CHILD]
    }
}

/// Whether a value is what may stand before the steps of a trajectory, and no more.
fn is_beginning(value: &Value<'_>) -> bool {
    let is_head = |name: &str| BEFORE_STEPS.contains(&name);
    value
        .as_object()
        .is_some_and(|object| !object.members.is_empty() && object.members.iter().all(|member| is_head(&member.key)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::adp::ATIF;
    use crate::json::parse;

    #[test]
    fn an_object_of_trajectories_alone_is_taken() {
        let is_taken = |text: &str| Named.detect(&[parse(text).unwrap()]).is_some();
        assert!(is_taken(PARENT_AND_CHILD));
        assert!(is_taken(&format!("{{\"one\":{ATIF}}}")));
        assert!(is_taken(&format!("{{\"one\":{ATIF},\"two\":{{\"session_id\":\"2\"}}}}")), "cut before the steps");
        let alone = r#"{"one":{"session_id":"1"}}"#;
        assert!(!is_taken(alone), "{alone}");
        for text in [ATIF.to_owned(), "{}".to_owned(), format!("{{\"a\":{ATIF},\"b\":{{}}}}"), format!("[{ATIF}]")] {
            assert!(!is_taken(&text), "{text}");
        }
    }
}
