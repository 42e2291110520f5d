//! What is found in logs of agents, whatever wrote them.

use super::Lint;
use crate::model::Severity;

pub(super) static LINTS: &[Lint] = &[
    Lint {
        id: "run.part-missing",
        severity: Severity::Warning,
        or: None,
        help: "A record refers to another file of the run, and that file is not there: the run of a sub-agent, the \
           output of a tool that was too long for the record, what the run goes on in or began with. Steps, \
           state and spend of that file are unknown, not absent. It is looked for beside the file and in the \
           folders of its session only, wherever the record says that it is; standard input has no such \
           folders. Copy the whole folder of the session, or look at the run where it was written. Where two \
           files say that they are it and differ, the nearest is read and the other named. In the example the \
           result of a task names a sub-agent.",
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
    },
    Lint {
        id: "run.patch-failed",
        severity: Severity::Warning,
        or: None,
        help: "An operation of a JSON patch does not fit the document that it changes: a path that is not there, an \
               index behind the end, a `test` that fails. The whole patch is dropped and the state stays as it was, as \
               readers of the stream do it; from there on it may differ from what the agent had. Look whether a \
               snapshot or an earlier patch is missing.",
        fires: r#"{"type":"STATE_SNAPSHOT","snapshot":{"count":1}}
{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/total","value":2}]}"#,
        silent: r#"{"type":"STATE_SNAPSHOT","snapshot":{"count":1}}
{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/count","value":2}]}"#,
    },
    Lint {
        id: "run.unknown-record",
        severity: Severity::Info,
        or: None,
        help: "The protocol does not know the type of the record. It is shown as a step and changes nothing; a newer \
               writer may mean more by it.",
        fires: r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}
{"type":"RUN_PAUSED","threadId":"t"}
{"type":"RUN_FINISHED","threadId":"t","runId":"r"}"#,
        silent: r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}
{"type":"RUN_FINISHED","threadId":"t","runId":"r"}"#,
    },
    Lint {
        id: "run.incomplete-record",
        severity: Severity::Warning,
        or: None,
        help: "An event lacks a member that its type must have: a patch without operations, a snapshot without a \
               value, a piece of a message without its id. It is shown as a step and changes nothing, so that the \
               state and the messages after it may differ from what the agent had. Look at the writer of the stream.",
        fires: r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}
{"type":"STATE_SNAPSHOT"}"#,
        silent: r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}
{"type":"STATE_SNAPSHOT","snapshot":{"n":1}}"#,
    },
    Lint {
        id: "run.error",
        severity: Severity::Warning,
        or: None,
        help: "The log reports an error of the run itself, beside what its steps say: the environment, a judge or the \
               harness failed. Rewards and steps of such a run may be incomplete; look at the message, and whether the \
               run belongs into what is trained or counted.",
        fires: concat!(
            r#"{"id":"e","traces":[{"id":"t","nodes":[{"parent":null,"message":{"role":"user","content":"x"}}]}],"#,
            r#""errors":["the sandbox died"]}"#,
        ),
        silent: concat!(
            r#"{"id":"e","traces":[{"id":"t","nodes":[{"parent":null,"message":{"role":"user","content":"x"}}]}],"#,
            r#""errors":[]}"#,
        ),
    },
];
