//! The rows of the table: which records pass the filter, and in which order.

use super::column::Column;
use super::custom_columns::CustomColumnTables;
use super::facts::{FactTable, RecordFacts, Reread};
use super::field::Subject;
use super::filter::Filter;
use super::rollouts::TaskGroups;
use super::session::RecordMarks;
use super::sort_by_text;
use std::cmp::Ordering;
use std::sync::Arc;

/// Records between two looks whether the answer is still wanted.
const SLICE_RECORDS: usize = 4096;

/// What a table is sorted by. Equal records stay in the order of the file, and those without a value come last, either
/// way round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sort {
    /// The column.
    pub column: Column,
    /// Whether the greatest comes first.
    pub is_reversed: bool,
}

/// Records in the order in which they are shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordOrder {
    /// Their numbers.
    pub records: Vec<u32>,
    /// How many records were looked at for it: the first ones.
    pub known: usize,
    /// Whether a filter left none of these out; then those after them are shown too.
    pub is_whole: bool,
}

/// What the rows of a table are made of.
#[derive(Debug, Clone, Default)]
pub struct Grounds {
    /// The facts on records.
    pub facts: FactTable,
    /// What was decided, where that is asked for.
    pub marks: Option<Arc<RecordMarks>>,
    /// What custom columns say, where they are asked for.
    pub custom_columns: CustomColumnTables,
    /// The attempts at each task, where they are asked for.
    pub groups: Option<Arc<TaskGroups>>,
}

impl Grounds {
    /// How many records are known, of all that is asked for: the first ones.
    #[must_use]
    pub fn known(&self) -> usize {
        self.custom_columns.iter().map(|(_, table)| table.len()).fold(self.facts.len(), usize::min)
    }

    /// The same with the attempts at each task, where a filter or a column asks for them: they change with each record
    /// that comes.
    #[must_use]
    pub(super) fn with_groups_for(self, filter: &Filter, column: Option<Column>) -> Self {
        let is_asked = filter.has_groups() || column.is_some_and(Column::is_of_group);
        if !is_asked || self.groups.as_ref().is_some_and(|groups| groups.known() == self.facts.len()) {
            return self;
        }
        let groups = Some(Arc::new(TaskGroups::of(&self.facts)));
        Self { groups, ..self }
    }

    /// The facts on some records, with what else is asked for.
    pub(super) fn entries(&self, records: &[u32]) -> impl Iterator<Item = RecordFacts<'_>> {
        records.iter().filter_map(|record| Some(self.complete_entry(self.facts.get(*record as usize)?)))
    }

    fn complete_entry<'t>(&'t self, entry: RecordFacts<'t>) -> RecordFacts<'t> {
        let mark = self.marks.as_ref().and_then(|marks| marks.get(entry.record()));
        entry.with_mark(mark).with_custom_columns(&self.custom_columns).with_groups(self.groups.as_deref())
    }
}

/// Arranges the records of a table; None when it is no longer wanted. Texts that are not held are read again, which may
/// take as long as a look at all records.
#[must_use]
pub fn arrange(
    grounds: &Grounds,
    sort: Option<Sort>,
    filter: &Filter,
    reader: &dyn Reread,
    is_wanted: &dyn Fn() -> bool,
) -> Option<RecordOrder> {
    let grounds = &grounds.clone().with_groups_for(filter, sort.map(|sort| sort.column));
    let passing = passing(grounds, filter, reader, is_wanted)?;
    let text = sort.and_then(|sort| sort.column.text()).filter(|_| !grounds.facts.has_texts());
    let records = match (sort, text) {
        (None, _) => passing,
        (Some(Sort { is_reversed, .. }), Some(text)) => {
            sort_by_text::sorted(&grounds.facts, &passing, text, is_reversed, reader, is_wanted)?
        }
        (Some(Sort { column, is_reversed }), None) if column.numbers().is_some() => {
            let of = |entry: &RecordFacts<'_>| column.numbers().and_then(|numbers| entry.number(numbers));
            sorted(grounds, passing, of, |a, b| a.total_cmp(b), is_reversed)
        }
        (Some(Sort { column: Column::Custom(name), is_reversed }), None) => sorted(
            grounds,
            passing,
            |entry| entry.custom_value(name).key(),
            |(a, n, text), (b, m, other)| a.cmp(b).then(n.total_cmp(m)).then(text.cmp(other)),
            is_reversed,
        ),
        (Some(Sort { column, is_reversed }), None) => {
            sorted(grounds, passing, |entry| entry.word(column), |a, b| a.cmp(b), is_reversed)
        }
    };
    is_wanted().then_some(RecordOrder { records, known: grounds.known(), is_whole: filter.is_empty() })
}

/// The records that a filter lets through, in the order of the file.
pub(super) fn passing(
    grounds: &Grounds,
    filter: &Filter,
    reader: &dyn Reread,
    is_wanted: &dyn Fn() -> bool,
) -> Option<Vec<u32>> {
    let mut passing = Vec::new();
    for (i, entry) in grounds.facts.iter().take(grounds.known()).enumerate() {
        if i % SLICE_RECORDS == 0 && !is_wanted() {
            return None;
        }
        if filter.is_empty() || filter.holds(&grounds.complete_entry(entry).with_reader(reader)) {
            passing.push(u32::try_from(entry.record()).unwrap_or(u32::MAX));
        }
    }
    Some(passing)
}

fn sorted<'t, K>(
    grounds: &'t Grounds,
    records: Vec<u32>,
    key: impl Fn(&RecordFacts<'t>) -> Option<K>,
    compare: impl Fn(&K, &K) -> Ordering,
    is_reversed: bool,
) -> Vec<u32> {
    let (mut keyed, mut missing) = (Vec::with_capacity(records.len()), Vec::new());
    for (record, entry) in records.iter().zip(grounds.entries(&records)) {
        match key(&entry) {
            Some(key) => keyed.push((key, *record)),
            None => missing.push(*record),
        }
    }
    keyed.sort_by(|(a, _), (b, _)| if is_reversed { compare(b, a) } else { compare(a, b) });
    keyed.into_iter().map(|(_, record)| record).chain(missing).collect()
}

#[cfg(test)]
mod tests {
    use super::super::facts::tests::{Again, bare, facts_of, table};
    use super::*;
    use crate::format::Facts;
    use crate::review::Scope;
    use std::cell::Cell;

    fn all() -> Vec<Facts> {
        vec![
            facts_of("c", 5, &[("x", 2)], Some(0.5), "finish"),
            facts_of("a", 9, &[], None, "message"),
            Facts { errors: 1, ..Facts::default() },
            facts_of("b", 5, &[("x", 9)], Some(-1.0), "finish"),
            facts_of("d", 7, &[("x", 2)], Some(f64::NAN), "open-call"),
        ]
    }

    fn grounds(all: &[Facts]) -> Grounds {
        Grounds { facts: table(all), ..Grounds::default() }
    }

    fn arranged(column: Column, is_reversed: bool, filter: &str) -> Vec<u32> {
        let filter = Filter::parse(filter, Scope::Records).unwrap();
        let order = arrange(&grounds(&all()), Some(Sort { column, is_reversed }), &filter, &Again::default(), &|| true)
            .unwrap();
        assert_eq!(order.known, 5);
        order.records
    }

    #[test]
    fn equal_records_keep_their_order_and_missing_values_come_last() {
        assert_eq!(arranged(Column::Steps, false, ""), [0, 3, 4, 1, 2]);
        assert_eq!(arranged(Column::Steps, true, ""), [1, 4, 0, 3, 2]);
        assert_eq!(arranged(Column::Reward, false, ""), [3, 0, 1, 2, 4]);
        assert_eq!(arranged(Column::Reward, true, ""), [0, 3, 1, 2, 4]);
        assert_eq!(arranged(Column::Id, false, ""), [1, 3, 0, 4, 2]);
        assert_eq!(arranged(Column::Finish, true, ""), [4, 1, 0, 3, 2]);
        assert_eq!(arranged(Column::Number, true, ""), [4, 3, 2, 1, 0]);
        assert_eq!(arranged(Column::Tools, true, "steps<9"), [3, 0, 4]);
    }

    #[test]
    fn a_filter_alone_keeps_the_order_of_the_file() {
        let order = arrange(
            &grounds(&all()),
            None,
            &Filter::parse("tool:x", Scope::Records).unwrap(),
            &Again::default(),
            &|| true,
        );
        assert_eq!(order, Some(RecordOrder { records: vec![0, 3, 4], known: 5, is_whole: false }));
    }

    #[test]
    fn work_that_nobody_wants_ends_early() {
        let asked = Cell::new(0);
        let many = grounds(&vec![facts_of("a", 1, &[], None, ""); 3 * SLICE_RECORDS]);
        let is_wanted = || asked.replace(asked.get() + 1) < 1;
        assert_eq!(arrange(&many, None, &Filter::default(), &Again::default(), &is_wanted), None);
        assert_eq!(asked.get(), 2);
    }

    #[test]
    fn words_that_are_not_held_sort_as_if_they_were() {
        let all: Vec<Facts> = (0..30).map(|i| facts_of(&format!("r{i}"), i, &[], None, "")).collect();
        let bare = Grounds { facts: bare(&all), ..Grounds::default() };
        for (is_reversed, filter) in [(false, ""), (true, "steps>4")] {
            let (sort, filter) =
                (Sort { column: Column::Id, is_reversed }, Filter::parse(filter, Scope::Records).unwrap());
            let order = |grounds: &Grounds| arrange(grounds, Some(sort), &filter, &Again::default(), &|| true).unwrap();
            assert_eq!(order(&bare), order(&grounds(&all)));
        }
    }

    #[test]
    fn texts_that_are_not_held_are_read_of_the_records_that_pass_all_else() {
        let all: Vec<Facts> = (0..10).map(|i| facts_of(&format!("r{i}"), i, &[], None, "")).collect();
        let bare = Grounds { facts: bare(&all), ..Grounds::default() };
        for filter in ["r[78] steps>6", "id:r[78]", "words=\"do r3\"", "!r1 steps<4", "id:none"] {
            let (reader, filter) = (Again::default(), Filter::parse(filter, Scope::Records).unwrap());
            let order = |grounds: &Grounds| arrange(grounds, None, &filter, &reader, &|| true).unwrap().records;
            assert_eq!(order(&bare), order(&grounds(&all)), "{filter}");
            let is_cheap = filter.to_string().contains("steps>6");
            assert!(!is_cheap || (1..=6).contains(&reader.0.get()), "{filter}: {}", reader.0.get());
        }
    }
}
