//! Which columns hold anything at all, so that a table need not give room to those that are empty everywhere.

use super::column::Column;
use crate::format::Facts;

/// Which columns have a value in one of some records, and how long the longest word for an end is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NonEmptyColumns {
    columns: u32,
    finish_bytes: u8,
}

impl NonEmptyColumns {
    /// Takes the facts on a record.
    pub fn take(&mut self, facts: &Facts) {
        for (i, _) in Column::ALL.into_iter().enumerate().filter(|(_, column)| has_value(*column, facts)) {
            self.columns |= 1 << i;
        }
        let finish = facts.counted.as_ref().map_or(0, |counted| counted.finish.len());
        self.finish_bytes = self.finish_bytes.max(u8::try_from(finish).unwrap_or(u8::MAX));
    }

    /// Takes what is known of other records.
    pub fn join(&mut self, other: Self) {
        self.columns |= other.columns;
        self.finish_bytes = self.finish_bytes.max(other.finish_bytes);
    }

    /// Whether a column is known to have no value. Of marks, groups and custom columns nothing is known here;
    /// and before any record was looked at, of none.
    #[must_use]
    pub fn lacks(self, column: Column) -> bool {
        let at = Column::ALL.iter().position(|known| *known == column);
        self != Self::default() && at.is_some_and(|at| self.columns & (1 << at) == 0)
    }

    /// Bytes of the longest word for how a record ends.
    #[must_use]
    pub fn finish_bytes(self) -> usize {
        usize::from(self.finish_bytes)
    }
}

/// Whether a class says what a step does: not if it is that of all steps of its shape (D19), or of states that were
/// saved.
#[must_use]
pub fn is_informative_class(class: &str) -> bool {
    !matches!(class, "chat_message" | "atif_step" | "record" | "state")
}

fn has_value(column: Column, facts: &Facts) -> bool {
    let counted = facts.counted.as_ref();
    match column {
        Column::Id => !facts.title.is_empty(),
        Column::Words => !facts.words.is_empty(),
        Column::Findings => facts.errors + facts.warnings > 0,
        Column::Failed => counted.is_some_and(|counted| counted.failed + counted.suspect > 0),
        Column::Reward => counted.is_some_and(|counted| counted.reward.is_some()),
        Column::Finish => counted.is_some_and(|counted| !counted.finish.is_empty()),
        Column::Cost => facts.run.usage.cost.is_some(),
        Column::Duration => facts.run.micros.is_some(),
        Column::Model => facts.run.model.is_some(),
        Column::Tools => counted.is_some_and(|counted| !counted.tools.is_empty()),
        Column::Actions => {
            counted.is_some_and(|counted| counted.classes.iter().any(|(class, _)| is_informative_class(class)))
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::super::facts::tests::facts_of;
    use super::*;

    #[test]
    fn a_class_that_all_steps_of_a_shape_have_is_no_action() {
        for (class, is_lacking) in [("atif_step", true), ("chat_message", true), ("state", true), ("tool-call", false)]
        {
            let mut facts = facts_of("a", 6, &[], None, "finish");
            facts.counted.as_mut().unwrap().classes = vec![(class.to_owned(), 6)];
            let mut non_empty = NonEmptyColumns::default();
            non_empty.take(&facts);
            assert_eq!(non_empty.lacks(Column::Actions), is_lacking, "{class}");
        }
    }

    #[test]
    fn a_column_is_lacking_until_one_record_has_a_value() {
        let mut non_empty = NonEmptyColumns::default();
        assert!(Column::ALL.into_iter().all(|column| !non_empty.lacks(column)), "nothing is known yet");
        non_empty.take(&facts_of("a", 1, &[], None, "finish"));
        let lacking =
            |columns: NonEmptyColumns| Column::ALL.into_iter().filter(|c| columns.lacks(*c)).collect::<Vec<_>>();
        assert_eq!(
            lacking(non_empty),
            [
                Column::Findings,
                Column::Failed,
                Column::Reward,
                Column::Cost,
                Column::Duration,
                Column::Model,
                Column::Tools,
                Column::Actions
            ]
        );
        let mut other = NonEmptyColumns::default();
        other.take(&facts_of("b", 1, &[("x", 1)], Some(0.0), "open-call"));
        non_empty.join(other);
        assert_eq!(
            (lacking(non_empty), non_empty.finish_bytes()),
            (vec![Column::Findings, Column::Failed, Column::Cost, Column::Duration, Column::Model, Column::Actions], 9)
        );
    }
}
