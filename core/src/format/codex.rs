//! Codex CLI: rollouts, and the stream of `codex exec --json` (`FORMATS.md` 3).

mod exec;
mod item;
mod mutation;
mod payload;
mod rollout;
mod show;
#[cfg(test)]
mod tests;
mod totals;
mod world_state;

use super::Framing;
use super::log::{LogRun, Row};

/// Rollouts: what Codex writes below `sessions/`.
pub(super) static ROLLOUT: Row = Row {
    name: "codex",
    agent: Some("codex"),
    title: "Codex rollout",
    about: "Rollouts of Codex CLI: JSON Lines of `timestamp`, `type` and `payload`. Events that mirror a message, a \
            thought or a call are folded into it. Those of Trae have their items in changes of the history \
            (`history_mutation`). State: world state, settings of the turn and of the thread, goal, \
            plan.",
    framing: Framing::Elements,
    run: || Box::new(LogRun::new(rollout::Rollout::default())),
    samples: &[SESSION, OLD],
    ..Row::BASE
};

/// The stream of events of a run without a terminal.
pub(super) static EXEC: Row = Row {
    name: "codex-exec",
    agent: Some("codex"),
    title: "Codex exec stream",
    about: "What `codex exec --json` prints: JSON Lines of `thread.started`, `turn.*` and `item.*`. An item is \
            reported several times while it grows; the last state counts.",
    framing: Framing::Elements,
    run: || Box::new(LogRun::new(exec::Exec::default())),
    has_trajectories: true,
    samples: &[STREAM],
    ..Row::BASE
};

/// A rollout with a call.
const SESSION: &str = concat!(
    r#"{"timestamp":"2026-05-01T10:00:00Z","type":"session_meta","payload":{"id":"t1","cwd":"/w","#,
    r#""cli_version":"0.60.0"}}"#,
    "\n",
    r#"{"timestamp":"2026-05-01T10:00:01Z","type":"response_item","payload":{"type":"message","#,
    r#""role":"user","content":[{"type":"input_text","text":"list it"}]}}"#,
    "\n",
    r#"{"timestamp":"2026-05-01T10:00:02Z","type":"response_item","payload":{"type":"function_call","#,
    r#""name":"exec_command","arguments":"{\"cmd\":\"ls\"}","call_id":"c1"}}"#,
    "\n",
    r#"{"timestamp":"2026-05-01T10:00:03Z","type":"response_item","payload":{"type":"function_call_output","#,
    r#""call_id":"c1","output":"a.txt\n"}}"#,
);

/// A rollout from before August 2025.
const OLD: &str = concat!(
    r#"{"id":"t0","timestamp":"2025-06-01T10:00:00Z","instructions":null,"git":{"branch":"main"}}"#,
    "\n",
    r#"{"record_type":"state"}"#,
    "\n",
    r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"list it"}]}"#,
);

/// A stream of events.
const STREAM: &str = concat!(
    r#"{"type":"thread.started","thread_id":"t1"}"#,
    "\n",
    r#"{"type":"turn.started"}"#,
    "\n",
    r#"{"type":"item.started","item":{"id":"item_0","type":"command_execution","command":"ls","#,
    r#""aggregated_output":"","status":"in_progress"}}"#,
    "\n",
    r#"{"type":"item.completed","item":{"id":"item_0","type":"command_execution","command":"ls","#,
    r#""aggregated_output":"a.txt\n","exit_code":0,"status":"completed"}}"#,
);
