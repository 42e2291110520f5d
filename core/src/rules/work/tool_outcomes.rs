//! W4: how the calls of each tool came out.

use super::outcome::Verdict;
use std::collections::BTreeMap;

/// Calls of one tool by how their results came out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ToolOutcomes {
    /// All calls.
    pub calls: u64,
    /// Those with a result that is an error.
    pub failed: u64,
    /// Those with a result that is suspect.
    pub suspect: u64,
    /// Those with a result that nothing speaks against.
    pub fine: u64,
}

impl ToolOutcomes {
    /// Calls without a result.
    #[must_use]
    pub fn open(&self) -> u64 {
        self.calls.saturating_sub(self.failed + self.suspect + self.fine)
    }

    /// Adds calls of another run.
    pub fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.failed += other.failed;
        self.suspect += other.suspect;
        self.fine += other.fine;
    }
}

/// The tools of a run.
#[derive(Debug, Default)]
pub(super) struct ToolTable(pub(super) BTreeMap<Box<str>, ToolOutcomes>);

impl ToolTable {
    /// A call.
    pub(super) fn call(&mut self, tool: &str) {
        match self.0.get_mut(tool) {
            Some(of) => of.calls += 1,
            None => {
                self.0.insert(tool.into(), ToolOutcomes { calls: 1, ..ToolOutcomes::default() });
            }
        }
    }

    /// The result of a call.
    pub(super) fn result(&mut self, tool: &str, verdict: Verdict) {
        let Some(of) = self.0.get_mut(tool) else { return };
        match verdict {
            Verdict::Ok => of.fine += 1,
            Verdict::Suspect => of.suspect += 1,
            Verdict::Error => of.failed += 1,
        }
    }
}
