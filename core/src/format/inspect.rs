//! Inspect AI logs: one file for an evaluation, its samples the trajectories (`FORMATS.md` 2).
//!
//! A log is a JSON text, or a zip archive of it in pieces (`.eval`), which becomes that text.

mod eval;
mod events;
mod sample;
mod store;
#[cfg(test)]
mod tests;
mod timeline;

use super::log::LogRun;
use super::run_survey::RunSurvey;
use super::{Format, Framing, Layout, Match, Purpose, RecordMembers, Run, Survey};
use crate::json::Value;
pub(super) use eval::Eval;
pub(super) use events::InspectEvents;

/// The format.
pub(super) struct Inspect;

/// A log of one sample, in which a tool writes to the store.
const LOG: &str = r#"{"version":2,"status":"success","eval":{"task":"sums","model":"m"},"samples":[
{"id":1,"epoch":1,"target":"3","messages":[
    {"id":"a","role":"user","content":"add 1 and 2"},
    {"id":"b","role":"assistant","content":"","tool_calls":[{"id":"c","function":"add","arguments":{"x":1,"y":2}}]},
    {"id":"d","role":"tool","tool_call_id":"c","function":"add","content":"3"}],
  "scores":{"match":{"value":"C"}},"store":{"sum":3},
  "events":[{"event":"sample_init","state":{"store":{}}},{"event":"span_begin","id":"s"},
    {"event":"tool","id":"c","timestamp":"2026-05-01T10:00:00Z","span_id":"s"},
    {"event":"store","span_id":"s","changes":[{"op":"add","path":"/sum","value":3}]},
    {"event":"span_end","id":"s"}]}]}"#;

impl Format for Inspect {
    fn name(&self) -> &'static str {
        "inspect"
    }

    fn title(&self) -> &'static str {
        "Inspect AI log"
    }

    fn about(&self) -> &'static str {
        "Logs of evaluations with Inspect AI: `.eval` archives, and JSON with `version`, `status` and `eval.task`. Each \
         sample is a trajectory, its messages the steps. State: the store as the events of tools and solvers change it \
         (a key `Name:instance:field` is a slot of that kind and instance), the state beside messages and output, the \
         sample's id, target and metadata, errors of earlier attempts, scores."
    }

    fn detect(&self, first: &[Value<'_>]) -> Option<Match> {
        let [log, ..] = first else { return None };
        let has = |key: &str| log.get(key).is_some();
        let is_log = log.get("version").is_some_and(|v| v.as_number().is_some()) && has("status");
        let task = log.get("eval").and_then(|eval| eval.get("task"));
        (is_log && task.is_some())
            .then(|| Match { reason: "an object with `version`, `status` and `eval.task`".to_owned() })
    }

    fn framing(&self) -> Framing {
        Framing::Items("samples")
    }

    fn other_view(&self) -> Option<&'static str> {
        Some(events::NAME)
    }

    fn layout(&self) -> Layout {
        Layout::Set
    }

    fn has_conversations(&self) -> bool {
        false
    }

    fn record_members(&self) -> Option<RecordMembers> {
        Some(RecordMembers {
            carried: &["epoch", "target", "choices", "metadata", "scores", "error", "limit"],
            of_run: &["id", "input", "messages", "output", "attachments", "message_refs"],
        })
    }

    fn survey(&self, purpose: Purpose) -> Option<Box<dyn Survey>> {
        RunSurvey::of(purpose, self.name(), || Box::new(LogRun::new(sample::Sample)))
    }

    fn run(&self) -> Box<dyn Run> {
        Box::new(LogRun::new(sample::Sample))
    }

    fn samples(&self) -> &'static [&'static str] {
        &[LOG]
    }
}
