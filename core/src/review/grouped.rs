//! Records grouped by what a column says of them: how many there are of each value, and how their numbers spread.

use super::facts::RecordFacts;
use super::field::{FilterField, Subject};
use super::value_counts::{Plot, percentile, plot};
use std::collections::HashMap;

/// How a number spreads over some records; ranks are nearest ranks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Records that have the number.
    pub count: usize,
    /// Their sum.
    pub sum: f64,
    /// The mean.
    pub mean: f64,
    /// The standard deviation, that of a sample (n − 1); None of one number.
    pub deviation: Option<f64>,
    /// The least.
    pub min: f64,
    /// 10 of 100 are at most this.
    pub p10: f64,
    /// Half of them are at most this.
    pub p50: f64,
    /// 90 of 100 are at most this.
    pub p90: f64,
    /// The greatest.
    pub max: f64,
}

impl Spread {
    /// Of numbers in any order; None of none.
    #[must_use]
    pub fn of(mut numbers: Vec<f64>) -> Option<Self> {
        numbers.sort_by(f64::total_cmp);
        let (min, max) = (*numbers.first()?, *numbers.last()?);
        let count = numbers.len();
        let sum = numbers.iter().sum::<f64>();
        let mean = sum / count as f64;
        let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
        let deviation = (count > 1).then(|| (squares / count.saturating_sub(1) as f64).sqrt());
        let [p10, p50, p90] = [10, 50, 90].map(|percent| percentile(&numbers, percent));
        Some(Self { count, sum, mean, deviation, min, p10, p50, p90, max })
    }
}

/// The records of one value.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueGroup {
    /// The value; None: the records that have none.
    pub value: Option<String>,
    /// Its records.
    pub records: usize,
    /// How each of the numbers spreads that were asked for; None where no record has it.
    pub numbers: Vec<Option<Spread>>,
}

/// Sorts records into groups, one after the other. It holds eight bytes a record, group and number.
#[derive(Debug)]
pub struct Grouper {
    numbers: usize,
    groups: HashMap<Option<String>, (usize, Vec<Vec<f64>>)>,
    records: usize,
}

impl Grouper {
    /// Summarises the distribution of `numbers` numbers of each record.
    #[must_use]
    pub fn new(numbers: usize) -> Self {
        Self { numbers, groups: HashMap::new(), records: 0 }
    }

    /// Takes the numbers of a record with its values: it belongs to the group of each; without any, to that of no
    /// value.
    pub fn add(&mut self, numbers: &[Option<f64>], mut values: Vec<String>) {
        self.records += 1;
        values.sort_unstable();
        values.dedup();
        if values.is_empty() {
            self.count(numbers, None);
        }
        values.into_iter().for_each(|value| self.count(numbers, Some(value)));
    }

    fn count(&mut self, numbers: &[Option<f64>], value: Option<String>) {
        let (records, numbers_of_group) =
            self.groups.entry(value).or_insert_with(|| (0, vec![Vec::new(); self.numbers]));
        *records += 1;
        for (number, series) in numbers.iter().zip(numbers_of_group) {
            series.extend(*number);
        }
    }

    /// How many records there were.
    #[must_use]
    pub fn records(&self) -> usize {
        self.records
    }

    /// The groups: the largest first, equal ones by their values, that without a value last.
    #[must_use]
    pub fn finish(self) -> Vec<ValueGroup> {
        let group = |(value, (records, numbers)): (_, (usize, Vec<Vec<f64>>))| ValueGroup {
            value,
            records,
            numbers: numbers.into_iter().map(Spread::of).collect(),
        };
        let mut groups: Vec<ValueGroup> = self.groups.into_iter().map(group).collect();
        groups.sort_by(|a, b| {
            (a.value.is_none(), std::cmp::Reverse(a.records), &a.value).cmp(&(
                b.value.is_none(),
                std::cmp::Reverse(b.records),
                &b.value,
            ))
        });
        groups
    }
}

/// What a field says of a record; a record may have several names of a field.
#[must_use]
pub fn values_of(entry: &RecordFacts<'_>, field: FilterField) -> Vec<String> {
    match field {
        FilterField::Number(numbers) => entry.number(numbers).map(|number| number.to_string()).into_iter().collect(),
        FilterField::Name(names) => {
            entry.names(names).map(|(name, _)| name.to_owned()).filter(|n| !n.is_empty()).collect()
        }
        FilterField::Text(text) => {
            Some(entry.text(text).into_owned()).filter(|text| !text.is_empty()).into_iter().collect()
        }
        FilterField::Custom(name) => entry.custom_value(name).shown().into_iter().collect(),
    }
}

/// How numbers spread, in bins.
#[must_use]
pub fn histogram(numbers: Vec<f64>) -> Plot {
    plot(numbers)
}

#[cfg(test)]
mod tests {
    use super::super::facts::tests::{facts_of, table};
    use super::super::field::{Names, Numbers};
    use super::*;

    #[test]
    fn a_spread_is_that_of_a_sample() {
        let spread = Spread::of(vec![4.0, 2.0, 4.0, 6.0]).unwrap();
        assert_eq!((spread.count, spread.mean, spread.min, spread.max), (4, 4.0, 2.0, 6.0));
        assert_eq!((spread.p10, spread.p50, spread.p90), (2.0, 4.0, 6.0));
        assert!((spread.deviation.unwrap() - (8.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(Spread::of(vec![3.0]).unwrap().deviation, None);
        assert_eq!(Spread::of(Vec::new()), None);
    }

    #[test]
    fn a_record_counts_in_the_group_of_each_of_its_names() {
        let facts = table(&[
            facts_of("a", 2, &[("bash", 3), ("edit", 1)], Some(1.0), "finish"),
            facts_of("b", 4, &[("bash", 1)], Some(0.0), "message"),
            facts_of("c", 6, &[], None, "message"),
        ]);
        let mut groups = Grouper::new(2);
        for entry in facts.iter() {
            let numbers = [Numbers::Steps, Numbers::Reward].map(|number| entry.number(number));
            groups.add(&numbers, values_of(&entry, FilterField::Name(Names::Tool)));
        }
        assert_eq!(groups.records(), 3);
        let groups_found: Vec<_> = groups
            .finish()
            .into_iter()
            .map(|group| {
                let means: Vec<Option<f64>> =
                    group.numbers.iter().map(|spread| spread.map(|spread| spread.mean)).collect();
                (group.value, group.records, means)
            })
            .collect();
        assert_eq!(
            groups_found,
            [
                (Some("bash".to_owned()), 2, vec![Some(3.0), Some(0.5)]),
                (Some("edit".to_owned()), 1, vec![Some(2.0), Some(1.0)]),
                (None, 1, vec![Some(6.0), None]),
            ]
        );
    }

    #[test]
    fn a_value_that_is_there_twice_counts_once() {
        let mut groups = Grouper::new(0);
        groups.add(&[], vec!["x".to_owned(), "x".to_owned()]);
        let groups = groups.finish();
        assert_eq!((groups.len(), groups[0].records), (1, 1));
    }
}
