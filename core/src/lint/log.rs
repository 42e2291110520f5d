//! What is found in the logs of agents, whatever their format.

use super::Lint;
use crate::model::Severity;

pub(super) static LINTS: &[Lint] = &[Lint {
    id: "log.replay-differs",
    severity: Severity::Warning,
    or: Some(Severity::Info),
    help: "The log says what the state became and what changed it, and the two do not agree: a change does not fit \
               what stood before it, or the state at the end is another than the changes make of it. Something wrote \
               to the state without saying so, or the log was edited. What is shown is what the changes make. Info: an \
               edit found a file other than the run left it, and a command between may be why; what the edit found \
               counts.",
    fires: r#"{"version":2,"status":"success","eval":{"task":"t"},"samples":[{"id":1,"epoch":1,"messages":[{"role":"user","content":"hi"}],"store":{"n":2},"events":[{"event":"store","changes":[{"op":"add","path":"/n","value":1}]}]}]}"#,
    silent: r#"{"version":2,"status":"success","eval":{"task":"t"},"samples":[{"id":1,"epoch":1,"messages":[{"role":"user","content":"hi"}],"store":{"n":1},"events":[{"event":"store","changes":[{"op":"add","path":"/n","value":1}]}]}]}"#,
}];
