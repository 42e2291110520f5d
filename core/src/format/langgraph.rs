//! Checkpoints of LangGraph: a database of threads, and the history of one as JSON (`FORMATS.md` 4).

mod checkpoints;
mod conversation;
mod database;
mod folder;
mod history;
mod store;
#[cfg(test)]
mod tests;
mod words;

use super::log::LogRun;
use super::run_survey::RunSurvey;
use super::{Format, Framing, Layout, Match, Purpose, Run, Survey};
use crate::json::Value;
pub(super) use database::Database;
pub(super) use folder::Folder;
pub(super) use history::HISTORY;
pub(super) use store::Store;

/// The format.
pub(super) struct LangGraph;

/// A thread of two checkpoints: the node `ask` wrote `budget`.
const THREAD: &str = r#"{"langgraph":{"thread_id":"t1","checkpoint_ns":""},"checkpoints":[
    {"checkpoint_id":"1","parent_checkpoint_id":null,"metadata":{"source":"input","step":-1},
        "checkpoint":{"ts":"2026-05-01T10:00:00Z","channel_values":{"budget":1,"__start__":{}},
            "channel_versions":{"budget":1}},
        "writes":[{"task_id":"x","task_path":"~__pregel_pull, ask","idx":0,"channel":"budget","value":2}]},
    {"checkpoint_id":"2","parent_checkpoint_id":"1","metadata":{"source":"loop","step":0},
        "checkpoint":{"ts":"2026-05-01T10:00:01Z","channel_values":{"budget":2},
            "channel_versions":{"budget":2}},"writes":[]}]}"#;

impl Format for LangGraph {
    fn name(&self) -> &'static str {
        "langgraph"
    }

    fn title(&self) -> &'static str {
        "LangGraph checkpoints"
    }

    fn about(&self) -> &'static str {
        "Databases of LangGraph's SqliteSaver (tables `checkpoints` and `writes`), and the pickles in which its \
         development server keeps them (`.langgraph_checkpoint.1.pckl` and others, each by itself or joined by their \
         folder; nothing in them is run). \
         Each thread and namespace is a trajectory, its checkpoints the steps, in the order of their parents. \
         State: the channels as they are stored; who wrote them are the nodes whose pending writes the \
         checkpoint took in. Interrupts and what resumed them."
    }

    fn detect(&self, first: &[Value<'_>]) -> Option<Match> {
        let is_thread = |value: &&Value<'_>| {
            value.get("langgraph").is_some_and(|v| v.as_object().is_some()) && value.get("checkpoints").is_some()
        };
        let is_it = first.first().as_ref().is_some_and(is_thread);
        is_it.then(|| Match { reason: "threads of checkpoints".to_owned() })
    }

    fn framing(&self) -> Framing {
        Framing::LogValues
    }

    fn layout(&self) -> Layout {
        Layout::Set
    }

    fn has_conversations(&self) -> bool {
        false
    }

    fn survey(&self, purpose: Purpose) -> Option<Box<dyn Survey>> {
        RunSurvey::of(purpose, || Box::new(LogRun::new(checkpoints::Checkpoints)))
    }

    fn run(&self) -> Box<dyn Run> {
        Box::new(LogRun::new(checkpoints::Checkpoints))
    }

    fn samples(&self) -> &'static [&'static str] {
        &[THREAD]
    }
}
