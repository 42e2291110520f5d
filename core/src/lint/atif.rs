//! What is found in ATIF trajectories (D18).

use super::Lint;
use crate::model::Severity::{Error, Warning};

pub(super) static LINTS: &[Lint] = &[
    Lint {
        id: "atif.version",
        severity: Error,
        or: None,
        help: "The `schema_version` is not one of `ATIF-v1.0` to `ATIF-v1.7` (D18). A strict reader rejects the \
               record; it is read as the newest known version here. Correct the version, or convert the record.",
        fires: r#"{"schema_version":"ATIF-v3","steps":[{"step_id":1,"source":"user","message":"hi"}]}"#,
        silent: r#"{"schema_version":"ATIF-v1.7","steps":[{"step_id":1,"source":"user","message":"hi"}]}"#,
    },
    Lint {
        id: "atif.extra-field",
        severity: Error,
        or: None,
        help: "The root or a step has a field that ATIF does not know (D18). Its models forbid unknown fields, so the \
               record is rejected as a whole. Put custom fields into `extra`.",
        fires: r#"{"schema_version":"ATIF-v1.7","steps":[{"step_id":1,"source":"user","message":"hi","mood":"calm"}]}"#,
        silent: r#"{"schema_version":"ATIF-v1.7",
"steps":[{"step_id":1,"source":"user","message":"hi","extra":{"mood":"calm"}}]}"#,
    },
    Lint {
        id: "atif.required",
        severity: Error,
        or: None,
        help: "There are no steps, or a step has no `source` (D18). A strict reader rejects the record, and the \
               speaker is unknown.",
        fires: r#"{"schema_version":"ATIF-v1.7","steps":[{"step_id":1,"message":"hi"}]}"#,
        silent: r#"{"schema_version":"ATIF-v1.7","steps":[{"step_id":1,"source":"user","message":"hi"}]}"#,
    },
    Lint {
        id: "atif.source",
        severity: Error,
        or: None,
        help: "The `source` of a step is not `system`, `user` or `agent` (D18). A strict reader rejects it. The result \
               of a tool belongs into the `observation` of the agent's step, not into a separate step.",
        fires: r#"{"schema_version":"ATIF-v1.7","steps":[{"step_id":1,"source":"human","message":"hi"}]}"#,
        silent: r#"{"schema_version":"ATIF-v1.7","steps":[{"step_id":1,"source":"user","message":"hi"}]}"#,
    },
    Lint {
        id: "atif.type",
        severity: Error,
        or: None,
        help: "An entry of `steps` is not an object (D18). It is shown as it is, and a strict reader rejects the \
               record.",
        fires: r#"{"schema_version":"ATIF-v1.7","steps":[{"step_id":1,"source":"user","message":"hi"},"hello"]}"#,
        silent: r#"{"schema_version":"ATIF-v1.7","steps":[{"step_id":1,"source":"user","message":"hi"},
{"step_id":2,"source":"agent","message":"hello"}]}"#,
    },
    Lint {
        id: "atif.step-id",
        severity: Error,
        or: None,
        help: "Steps are numbered from 1 without gaps; this `step_id` is not its place in the list (D18). References \
               to steps then lead to the wrong one. Steps were removed or inserted without renumbering.",
        fires: r#"{"schema_version":"ATIF-v1.7","steps":[{"step_id":0,"source":"user","message":"hi"}]}"#,
        silent: r#"{"schema_version":"ATIF-v1.7","steps":[{"step_id":1,"source":"user","message":"hi"}]}"#,
    },
    Lint {
        id: "atif.agent-only",
        severity: Error,
        or: None,
        help: "A step that is not the agent's has tool calls, reasoning or a reasoning effort (D18). Only the agent \
               has these; a strict reader rejects the record. Mostly the `source` of the step is wrong.",
        fires: r#"{"schema_version":"ATIF-v1.7",
"steps":[{"step_id":1,"source":"user","message":"hi","reasoning_content":"be polite"}]}"#,
        silent: r#"{"schema_version":"ATIF-v1.7",
"steps":[{"step_id":1,"source":"agent","message":"hi","reasoning_content":"be polite"}]}"#,
    },
    Lint {
        id: "atif.final-metrics",
        severity: Warning,
        or: None,
        help: "A total of `final_metrics` is not the sum of the steps' metrics (D18, ATIF). One of them is wrong, or \
               steps were cut out. Tokens must be equal, costs but for rounding; a trajectory that goes on from \
               another file, or of which some answers have no metrics, may sum up more than its steps.",
        fires: r#"{"schema_version":"ATIF-v1.7","steps":[{"step_id":1,"source":"agent","message":"hi",
"metrics":{"prompt_tokens":5}}],"final_metrics":{"total_prompt_tokens":7}}"#,
        silent: r#"{"schema_version":"ATIF-v1.7","steps":[{"step_id":1,"source":"agent","message":"hi",
"metrics":{"prompt_tokens":5}}],"final_metrics":{"total_prompt_tokens":5}}"#,
    },
    Lint {
        id: "atif.link",
        severity: Warning,
        or: None,
        help: "A result names a call by an id that no call of this or an earlier step has (D18). It is unknown what it \
               answers, so its tool is not credited. Look for a call that was cut out, or an id that was changed.",
        fires: r#"{"schema_version":"ATIF-v1.7","steps":[{"step_id":1,"source":"agent","message":"",
"tool_calls":[{"tool_call_id":"c1","function_name":"ls","arguments":{}}],
"observation":{"results":[{"source_call_id":"c2","content":"a.txt"}]}}]}"#,
        silent: r#"{"schema_version":"ATIF-v1.7","steps":[{"step_id":1,"source":"agent","message":"",
"tool_calls":[{"tool_call_id":"c1","function_name":"ls","arguments":{}}],
"observation":{"results":[{"source_call_id":"c1","content":"a.txt"}]}}]}"#,
    },
];
