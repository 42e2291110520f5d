//! W4: how the calls of each tool came out.

use super::outcome::OutcomeLevel;
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
    /// Those of the failed that follow a failed call of the same tool: it was tried again and failed again.
    pub repeated: u64,
    /// The most failed calls of the tool in a row, in one run.
    pub failed_in_a_row: u64,
    /// Results among these whose call is not in the log.
    pub unlinked: u64,
    /// Failed calls in a row at the end of what was seen of the run.
    in_a_row: u64,
}

impl ToolOutcomes {
    /// Calls without a result.
    #[must_use]
    pub fn open(&self) -> u64 {
        let results = self.failed + self.suspect + self.fine;
        self.calls.saturating_sub(results.saturating_sub(self.unlinked))
    }

    /// Adds calls of another run.
    pub fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.failed += other.failed;
        self.suspect += other.suspect;
        self.fine += other.fine;
        self.repeated += other.repeated;
        self.failed_in_a_row = self.failed_in_a_row.max(other.failed_in_a_row);
        self.unlinked += other.unlinked;
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

    /// A result whose call is not in the log: of the tool that it names, else of none, which has no name.
    pub(super) fn unlinked(&mut self, tool: Option<&str>, verdict: OutcomeLevel) {
        let tool = tool.unwrap_or_default();
        self.0.entry(tool.into()).or_default().unlinked += 1;
        self.result(tool, verdict);
    }

    /// The result of a call.
    pub(super) fn result(&mut self, tool: &str, verdict: OutcomeLevel) {
        let Some(of) = self.0.get_mut(tool) else { return };
        match verdict {
            OutcomeLevel::Ok => of.fine += 1,
            OutcomeLevel::Suspect => of.suspect += 1,
            OutcomeLevel::Error => {
                of.failed += 1;
                of.repeated += u64::from(of.in_a_row > 0);
                of.in_a_row += 1;
                of.failed_in_a_row = of.failed_in_a_row.max(of.in_a_row);
            }
        }
        if verdict != OutcomeLevel::Error {
            of.in_a_row = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_that_follow_one_another_are_repeated() {
        let mut table = ToolTable::default();
        for verdict in
            [OutcomeLevel::Error, OutcomeLevel::Error, OutcomeLevel::Error, OutcomeLevel::Ok, OutcomeLevel::Error]
        {
            table.call("run");
            table.result("run", verdict);
            table.call("look");
            table.result("look", OutcomeLevel::Ok);
        }
        let mut of = table.0["run"];
        assert_eq!((of.failed, of.repeated, of.failed_in_a_row, of.fine), (4, 2, 3, 1));
        of.add(&table.0["look"]);
        assert_eq!((of.repeated, of.failed_in_a_row), (2, 3));
    }

    #[test]
    fn a_result_without_its_call_leaves_no_call_answered() {
        let mut table = ToolTable::default();
        table.call("run");
        table.unlinked(Some("run"), OutcomeLevel::Error);
        table.unlinked(None, OutcomeLevel::Ok);
        let of = table.0["run"];
        assert_eq!((of.calls, of.failed, of.unlinked, of.open()), (1, 1, 1, 1));
        assert_eq!((table.0[""].calls, table.0[""].fine, table.0[""].open()), (0, 1, 0));
    }
}
