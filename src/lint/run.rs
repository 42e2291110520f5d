//! What is found in a run of several files.

use super::Lint;
use crate::model::Severity;

pub(super) static LINTS: &[Lint] = &[Lint {
    id: "run.part-missing",
    severity: Severity::Warning,
    or: None,
    help: "A record refers to another file of the run, and that file is not there: the run of a sub-agent, the \
           output of a tool that was too long for the record, what the run goes on in or began with. Steps, \
           state and spend of that file are unknown, not absent. It is looked for beside the file and in the \
           folders of its session only, wherever the record says that it is; standard input has no such \
           folders. Copy the whole folder of the session, or look at the run where it was written. In the \
           example the result of a task names a sub-agent.",
    fires: concat!(
        r#"{"type":"user","uuid":"u1","parentUuid":null,"isSidechain":false,"sessionId":"s1","#,
        r#""version":"2.1.0","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","#,
        r#""content":"Found."}]},"toolUseResult":{"status":"completed","agentId":"a7"}}"#,
    ),
    silent: concat!(
        r#"{"type":"user","uuid":"u1","parentUuid":null,"isSidechain":false,"sessionId":"s1","#,
        r#""version":"2.1.0","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","#,
        r#""content":"Found."}]},"toolUseResult":{"status":"completed"}}"#,
    ),
}];
