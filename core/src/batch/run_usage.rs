//! Token usage and cost of runs with the files of their sub-agents.

use crate::format::Run;
use crate::rules::statistics::{RunUsage, add_usage};
use serde::{Deserialize, Serialize};

/// The files of sub-agents of a run, and the usage of all of them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct UsageWithParts {
    /// Sub-agents whose files were read.
    pub sub_agents: u64,
    /// Sub-agents whose files are missing or cannot be read: their usage is unknown.
    pub missing: u64,
    /// The run and these; each file counts once.
    #[serde(rename = "spent")]
    pub usage: Option<RunUsage>,
}

impl UsageWithParts {
    /// Adds the usage of the run, or of one of its sub-agents.
    pub fn add(&mut self, run: &dyn Run) {
        add_usage(&mut self.usage, run_usage(run).as_ref());
    }
}

/// The usage of a run without its sub-agents; None if its log does not report it.
pub(super) fn run_usage(run: &dyn Run) -> Option<RunUsage> {
    RunUsage::of(&run.work()?.total_usage())
}
