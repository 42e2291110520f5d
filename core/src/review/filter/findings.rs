//! Which findings a filter asks for: some are made on request only.

use super::{Filter, FilterField, Names, Test, fits};
use crate::lint;

impl Filter {
    /// Whether it asks for findings of a family: by the id of a rule, or by a pattern that some of its ids fit and that
    /// not every rule fits.
    #[must_use]
    pub fn asks_for_family(&self, family: &str) -> bool {
        let of_family = |id: &str| id.split('.').next() == Some(family);
        self.finding_patterns().any(|parts| {
            lint::lints().any(|lint| of_family(lint.id) && fits(parts, lint.id))
                && lint::lints().any(|lint| !fits(parts, lint.id))
        })
    }

    /// Whether it asks for findings of one rule and no other by the same value.
    #[must_use]
    pub fn asks_for_rule_alone(&self, rule: &str) -> bool {
        self.finding_patterns().any(|parts| lint::lints().all(|lint| fits(parts, lint.id) == (lint.id == rule)))
    }

    /// The ids of rules that it asks for, as patterns.
    fn finding_patterns(&self) -> impl Iterator<Item = &[String]> {
        let of_findings = self.terms.iter().filter(|term| term.field == Some(FilterField::Name(Names::Finding)));
        of_findings.flat_map(|term| &term.values).filter_map(|(_, test)| match test {
            Test::Name(parts) => Some(parts.as_slice()),
            _ => None,
        })
    }
}
