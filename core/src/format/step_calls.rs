//! The calls and results of a step, counted alike by statistics, tables and filters.

use super::Run;
use crate::model::{Bytes, Step, StepKind};

/// What a step calls and brings back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StepCalls {
    /// The tool of each call.
    pub tools: Vec<String>,
    /// How many results it brings.
    pub results: u64,
}

impl StepCalls {
    /// `CLI.md`: one of those that are steps of their own, all that a message holds; None: the step is neither.
    #[must_use]
    pub fn of(run: &dyn Run, step: &Step, bytes: &dyn Bytes) -> Option<Self> {
        match step.kind.as_str() {
            "tool-call" => Some(Self { tools: vec![step.tool.clone().unwrap_or_else(|| "?".to_owned())], results: 0 }),
            "tool-result" => Some(Self { tools: Vec::new(), results: 1 }),
            "message" => run.turn(step.number, bytes).map(|turn| Self {
                tools: turn.calls().map(|call| call.name.to_string()).collect(),
                results: turn.results().count() as u64,
            }),
            _ if step.sign == StepKind::Call => Some(Self { tools: step.tool.iter().cloned().collect(), results: 0 }),
            _ => None,
        }
    }
}
