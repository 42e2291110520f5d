//! Streams of AG-UI events: messages, thoughts and calls in pieces, and a state by snapshots and patches
//! (`FORMATS.md` 6).

mod events;
mod open;
mod patched;
#[cfg(test)]
mod tests;

use super::Framing;
use super::log::{LogRun, Row};

/// Recorded streams of AG-UI events.
pub(super) static AG_UI: Row = Row {
    name: "ag-ui",
    title: "AG-UI events",
    about: "Recorded streams of AG-UI events: server-sent events, JSON Lines, an array, or an object of named arrays. \
            The pieces of a message, a thought or a call are one step. State: snapshots and JSON patches of the \
            agent's state, activities, messages, the input of a run. A file may hold several threads.",
    framing: Framing::Elements,
    run: || Box::new(LogRun::new(events::Events::default())),
    has_trajectories: true,
    samples: &[LINES, STREAM, NAMED],
    ..Row::BASE
};

/// A stream of lines with a state.
const LINES: &str = concat!(
    r#"{"type":"RUN_STARTED","threadId":"t1","runId":"r1"}"#,
    "\n",
    r#"{"type":"STATE_SNAPSHOT","snapshot":{"count":0,"items":[]}}"#,
    "\n",
    r#"{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"add"}"#,
    "\n",
    r#"{"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"{\"item\":"}"#,
    "\n",
    r#"{"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"\"tea\"}"}"#,
    "\n",
    r#"{"type":"TOOL_CALL_END","toolCallId":"c1"}"#,
    "\n",
    r#"{"type":"TOOL_CALL_RESULT","messageId":"m1","toolCallId":"c1","content":"added"}"#,
    "\n",
    r#"{"type":"STATE_DELTA","delta":[{"op":"add","path":"/items/-","value":"tea"},{"op":"replace","#,
    r#""path":"/count","value":1}]}"#,
    "\n",
    r#"{"type":"RUN_FINISHED","threadId":"t1","runId":"r1"}"#,
);

/// A recorded body of server-sent events.
const STREAM: &str = concat!(
    ": ping\n\n",
    r#"data: {"type":"TEXT_MESSAGE_START","messageId":"m1","role":"assistant"}"#,
    "\n\n",
    r#"data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"Hello."}"#,
    "\n\n",
    r#"data: {"type":"TEXT_MESSAGE_END","messageId":"m1"}"#,
    "\n",
);

/// Streams under names.
const NAMED: &str = r#"{"first":[{"type":"RUN_STARTED","threadId":"t1","runId":"r1"}],
"second":[{"type":"TEXT_MESSAGE_CHUNK","messageId":"m1","role":"assistant","delta":"Hi"}]}"#;
