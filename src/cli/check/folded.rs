//! Findings that every record of a file has, reported as one line.
//!
//! What the first five records all have is reported once, at the end or where a record has it no longer. Findings of
//! these five wait until all of them were looked at, or for the end; then nothing more waits.

use crate::model::LocatedFinding;
use std::collections::HashMap;

/// Findings of at least this many consecutive records are folded into one line.
const FOLDED_MIN: usize = 5;

/// A line of the report for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ReportLine {
    /// A finding.
    One(LocatedFinding),
    /// The first one of a kind, and how many records in a row have it, from the first on.
    Folded(LocatedFinding, usize),
}

/// A kind of finding that all records so far have.
#[derive(Debug)]
struct Row {
    first: LocatedFinding,
    last: usize,
}

/// The findings of one file, in their order.
#[derive(Debug, Default)]
pub(super) struct Folded {
    waiting: Vec<LocatedFinding>,
    is_decided: bool,
    rows: HashMap<String, Row>,
}

/// What stands for a kind: the rule, and what it says.
fn kind(found: &LocatedFinding) -> String {
    format!("{} {}", found.finding.rule, found.finding.message)
}

impl Folded {
    /// Of a file whose records are one run nothing is folded: each record is a step.
    pub(super) fn new(is_run: bool) -> Self {
        Self { is_decided: is_run, ..Self::default() }
    }

    /// Takes the next finding; what can be reported now.
    pub(super) fn push(&mut self, found: LocatedFinding) -> Vec<ReportLine> {
        let mut out = Vec::new();
        if !self.is_decided {
            if found.finding.record < FOLDED_MIN {
                self.waiting.push(found);
                return out;
            }
            out = self.decide();
        }
        out.extend(self.next(found));
        out
    }

    /// Called when the findings of the first `records` records were taken; returns the lines that can be reported now.
    pub(super) fn pass(&mut self, records: usize) -> Vec<ReportLine> {
        let mut out = if self.is_decided || records < FOLDED_MIN { Vec::new() } else { self.decide() };
        if self.rows.values().all(|row| row.last + 1 >= records) {
            return out;
        }
        let (ended, rows) =
            std::mem::take(&mut self.rows).into_iter().partition(|(_, row): &(_, Row)| row.last + 1 < records);
        self.rows = rows;
        out.extend(in_order(ended, records));
        out
    }

    /// Called at the end of the findings of a file of `records` records; returns the remaining lines.
    pub(super) fn finish(mut self, records: usize) -> Vec<ReportLine> {
        let mut out = if self.is_decided { Vec::new() } else { self.decide() };
        out.extend(in_order(self.rows, records));
        out
    }

    /// Sets apart what all of the first records have.
    fn decide(&mut self) -> Vec<ReportLine> {
        self.is_decided = true;
        let waiting = std::mem::take(&mut self.waiting);
        let mut records: HashMap<String, [bool; FOLDED_MIN]> = HashMap::new();
        for found in &waiting {
            records.entry(kind(found)).or_default()[found.finding.record] = true;
        }
        records.retain(|_, has| has.iter().all(|has| *has));
        let mut out = Vec::new();
        for found in waiting {
            let kind = kind(&found);
            if records.contains_key(&kind) {
                self.rows.entry(kind).or_insert(Row { first: found, last: FOLDED_MIN - 1 });
            } else {
                out.push(ReportLine::One(found));
            }
        }
        out
    }

    fn next(&mut self, found: LocatedFinding) -> Vec<ReportLine> {
        if self.rows.is_empty() {
            return vec![ReportLine::One(found)];
        }
        let kind = kind(&found);
        match self.rows.get_mut(&kind) {
            None => vec![ReportLine::One(found)],
            Some(row) if found.finding.record <= row.last + 1 => {
                row.last = row.last.max(found.finding.record);
                Vec::new()
            }
            Some(_) => {
                let row = self.rows.remove(&kind);
                let folded = row.map(|row| ReportLine::Folded(row.first, row.last + 1));
                folded.into_iter().chain([ReportLine::One(found)]).collect()
            }
        }
    }
}

/// The lines of rows that have ended, in a file of `records` records.
fn in_order(rows: HashMap<String, Row>, records: usize) -> impl Iterator<Item = ReportLine> {
    let mut rows: Vec<Row> = rows.into_values().collect();
    rows.sort_by(|a, b| a.first.finding.order().cmp(&b.first.finding.order()));
    rows.into_iter().map(move |row| ReportLine::Folded(row.first, (row.last + 1).min(records)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Finding, Place, Remark, Severity};

    fn folded_lines(records: usize, found: &[(usize, &str)]) -> Vec<String> {
        let mut folded = Folded::default();
        let mut out = Vec::new();
        for (record, message) in found {
            let (rule, severity) = ("data.loop", Severity::Warning);
            let remark = Remark { path: None, rule, severity, message: (*message).into() };
            out.extend(
                folded.push(LocatedFinding { finding: Finding::new(*record, None, remark), place: Place::default() }),
            );
        }
        out.extend(folded.finish(records));
        let line = |report_line| match report_line {
            ReportLine::One(found) => format!("{} {}", found.finding.record, found.finding.message),
            ReportLine::Folded(found, n) => format!("{} {} of {n}", found.finding.record, found.finding.message),
        };
        out.into_iter().map(line).collect()
    }

    #[test]
    fn what_all_records_have_is_one_line() {
        let all: Vec<(usize, &str)> = (0..8).flat_map(|record| [(record, "a"), (record, "a")]).collect();
        assert_eq!(folded_lines(8, &all), ["0 a of 8"]);
        assert_eq!(folded_lines(4, &[(0, "a"), (1, "a"), (2, "a"), (3, "a")]), ["0 a", "1 a", "2 a", "3 a"]);
    }

    #[test]
    fn what_is_known_once_five_records_are_is_reported_then() {
        let mut folded = Folded::default();
        let found = |record: usize, message: &str| {
            let remark = Remark { path: None, rule: "data.loop", severity: Severity::Warning, message: message.into() };
            LocatedFinding { finding: Finding::new(record, None, remark), place: Place::default() }
        };
        let mut lines = Vec::new();
        for record in 0..9 {
            let mut now = Vec::new();
            if record < 7 {
                now.extend(folded.push(found(record, "all")));
            }
            if record == 1 {
                now.extend(folded.push(found(record, "one")));
            }
            now.extend(folded.pass(record + 1));
            lines.push(now);
        }
        let row = |message, records| vec![ReportLine::Folded(found(0, message), records)];
        let mut expected = vec![Vec::new(); 9];
        expected[4] = vec![ReportLine::One(found(1, "one"))];
        expected[7] = row("all", 7);
        assert_eq!(lines, expected);
        assert_eq!(folded.finish(9), []);
    }

    #[test]
    fn others_are_reported_in_their_order_and_a_row_that_ends_is_reported_with_its_length() {
        let all = [(0, "a"), (1, "a"), (2, "b"), (2, "a"), (3, "a"), (4, "a"), (5, "a"), (6, "b"), (8, "a"), (9, "a")];
        assert_eq!(folded_lines(10, &all), ["2 b", "6 b", "0 a of 6", "8 a", "9 a"]);
    }
}
