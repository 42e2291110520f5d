//! Facts on a record as filters, groups and plots ask for them.

use super::RecordFacts;
use super::rows::{Row, RunRow};
use crate::review::custom_columns::{CellValue, CustomColumn};
use crate::review::field::{Names, Numbers, Subject, Texts};
use crate::rules::trajectory::task_key;
use std::borrow::Cow;

/// Microseconds in a second.
const MICROS_IN_S: f64 = 1e6;

/// The actions among the steps by class.
#[must_use]
pub(in crate::review) fn action(class: &str) -> Option<&str> {
    class.strip_suffix("_action")
}

impl RecordFacts<'_> {
    /// What the record reports of its run: of what it does not say None.
    fn of_run(self, numbers: Numbers, row: &Row) -> Option<f64> {
        let RunRow { cost, counts: [micros, input, output, cache_read, cache_write], .. } = row.run?;
        let count = |count: u64| Some(count.checked_sub(1)? as f64);
        match numbers {
            Numbers::Cost => self.amount(cost).filter(|cost| cost.is_finite()),
            Numbers::Duration => Some(count(micros)? / MICROS_IN_S),
            Numbers::InputTokens => count(input),
            Numbers::OutputTokens => count(output),
            Numbers::CacheReadTokens => count(cache_read),
            _ => count(cache_write),
        }
    }
}

impl Subject for RecordFacts<'_> {
    fn number(&self, numbers: Numbers) -> Option<f64> {
        if numbers.is_of_group() {
            return self.of_group(numbers);
        }
        let row = self.at.row();
        let sum = |names, keep: &dyn Fn(&str) -> bool| {
            self.names(names).filter(|(name, _)| keep(name)).map(|(_, n)| n).sum::<u64>() as f64
        };
        match numbers {
            Numbers::Record => return Some(self.record as f64),
            Numbers::Size => return Some(row.bytes as f64),
            Numbers::Findings => return Some(row.errors as f64 + row.warnings as f64),
            Numbers::Errors => return Some(row.errors as f64),
            Numbers::Warnings => return Some(row.warnings as f64),
            Numbers::Step | Numbers::Writes => return None,
            _ if numbers.is_of_run() => return self.of_run(numbers, &row),
            _ if !row.is_read => return None,
            _ => {}
        }
        Some(match numbers {
            Numbers::Steps => row.steps as f64,
            Numbers::Actions => sum(Names::Class, &|class| action(class).is_some()),
            Numbers::Calls => sum(Names::Tool, &|_| true),
            Numbers::Tokens => row.tokens as f64,
            Numbers::Chars => row.chars as f64,
            Numbers::Failed => row.failed as f64,
            Numbers::Suspect => row.suspect as f64,
            // A reward that is no number has no place in any order.
            _ => return self.amount(row.reward).filter(|reward| reward.is_finite()),
        })
    }

    fn custom_cell(&self, name: CustomColumn) -> &CellValue {
        self.custom_value(name)
    }

    fn any_name(&self, names: Names, test: &dyn Fn(&str) -> bool) -> bool {
        self.names(names).any(|(name, _)| test(name))
    }

    fn text(&self, text: Texts) -> Cow<'_, str> {
        RecordFacts::text(*self, text)
    }

    fn whole_text(&self, text: Texts) -> Cow<'_, str> {
        RecordFacts::whole_text(*self, text)
    }

    fn is_text(&self, text: Texts, whole: &str) -> bool {
        // Of most records the key says that the task is another one, so that the record need not be read again.
        let is_other = text == Texts::Task && self.task().is_some_and(|key| key != task_key(whole));
        !is_other && RecordFacts::whole_text(*self, text) == whole
    }
}
