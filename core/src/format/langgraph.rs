//! Checkpoints of LangGraph: a database of threads, and the history of one as JSON (`FORMATS.md` 4).

mod checkpoints;
mod conversation;
mod database;
mod deltas;
mod folder;
mod history;
mod outputs;
mod store;
#[cfg(test)]
mod tests;
mod words;

use super::Match;
use super::log::{LogRun, SetRow};
use crate::json::Value;
pub(super) use database::Database;
pub(super) use folder::Folder;
pub(super) use history::HISTORY;
pub(super) use store::Store;

/// Threads of checkpoints.
pub(super) static LANGGRAPH: SetRow = SetRow {
    name: "langgraph",
    title: "LangGraph checkpoints",
    about: "Databases of LangGraph's SqliteSaver (tables `checkpoints` and `writes`), and the pickles in which \
            its development server keeps them (`.langgraph_checkpoint.1.pckl` and others, each by itself or \
            joined by their folder; nothing in them is run). Each thread and namespace is a trajectory, its \
            checkpoints the steps, in the order of their parents. State: the channels as they are stored, and of \
            those that are stored as deltas what their writes lead to; who wrote them are the nodes whose pending \
            writes the checkpoint took in. Interrupts and what resumed them.",
    run: || Box::new(LogRun::new(checkpoints::Checkpoints)),
    detect: Some(detect),
    samples: &[THREAD],
    ..SetRow::BASE
};

/// A thread of two checkpoints: the node `ask` wrote `budget`.
const THREAD: &str = r#"{"langgraph":{"thread_id":"t1","checkpoint_ns":""},"checkpoints":[
    {"checkpoint_id":"1","parent_checkpoint_id":null,"metadata":{"source":"input","step":-1},
        "checkpoint":{"ts":"2026-05-01T10:00:00Z","channel_values":{"budget":1,"__start__":{}},
            "channel_versions":{"budget":1}},
        "writes":[{"task_id":"x","task_path":"~__pregel_pull, ask","idx":0,"channel":"budget","value":2}]},
    {"checkpoint_id":"2","parent_checkpoint_id":"1","metadata":{"source":"loop","step":0},
        "checkpoint":{"ts":"2026-05-01T10:00:01Z","channel_values":{"budget":2},
            "channel_versions":{"budget":2}},"writes":[]}]}"#;

/// The first record is a thread of checkpoints.
fn detect(first: &[Value<'_>]) -> Option<Match> {
    let is_thread = |value: &&Value<'_>| {
        value.get("langgraph").is_some_and(|v| v.as_object().is_some()) && value.get("checkpoints").is_some()
    };
    let is_it = first.first().as_ref().is_some_and(is_thread);
    is_it.then(|| Match { reason: "threads of checkpoints".to_owned() })
}
