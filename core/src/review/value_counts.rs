//! What a column holds over all records that pass the filter: how often each value, how numbers spread.

use super::column::Column;
use super::custom_columns::{CellValue, CustomColumn};
use super::facts::{RecordFacts, Reread, action};
use super::field::{FilterField, Names, Subject};
use super::filter::Filter;
use super::filter_text::quoted;
use super::order::{Grounds, passing};
use std::borrow::Cow;
use std::collections::HashMap;

/// Most values that are reported, the most frequent first.
const VALUES_MAX: usize = 500;
/// Most bins of a plot without the one at each end.
const BINS_MAX: usize = 24;
/// How far beyond the quartiles, in distances between these, a number is an outlier.
const FENCE: f64 = 3.0;

/// A value and how many records have it.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueCount {
    /// For people.
    pub label: String,
    /// As a filter writes it.
    pub written: String,
    /// Records.
    pub records: usize,
    /// How often it occurs in them, where that may be more.
    pub times: Option<u64>,
}

/// Numbers between two bounds.
#[derive(Debug, Clone, PartialEq)]
pub struct Bin {
    /// The least that belongs to it.
    pub low: f64,
    /// As a filter writes it.
    pub written: String,
    /// Records.
    pub records: usize,
    /// Whether it gathers the outliers of one end.
    pub is_outlier: bool,
}

/// How a number spreads.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plot {
    /// Least, half, nine of ten, 99 of 100, greatest (nearest rank).
    pub marks: [f64; 5],
    /// Records that have the number.
    pub records: usize,
    /// Of these, outliers.
    pub outliers: usize,
    /// The bins, in order, without gaps.
    pub bins: Vec<Bin>,
}

/// What a column holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tally {
    /// Its values by frequency; of a number, its bins in order.
    pub values: Vec<ValueCount>,
    /// What a filter calls the column's values.
    pub field: Option<FilterField>,
    /// How its number spreads, and what a filter calls that.
    pub plot: Option<(FilterField, Plot)>,
    /// Different values; more than are reported in `values` may be there.
    pub distinct: usize,
    /// Records without a value.
    pub missing: usize,
    /// Whether the values are too many to be counted: each record has its own, and not all are held.
    pub is_uncounted: bool,
    /// How many records were looked at: the first ones.
    pub known: usize,
}

/// Counts a column over the records that pass the filter. What is chosen of the column itself does not count, so that
/// its other values are seen. None when it is no longer wanted.
#[must_use]
pub fn tally(
    grounds: &Grounds,
    filter: &Filter,
    column: Column,
    reader: &dyn Reread,
    is_wanted: &dyn Fn() -> bool,
) -> Option<Tally> {
    let grounds = &grounds.clone().with_groups_for(filter, Some(column));
    let plot = match column.numbers() {
        Some(numbers) => {
            let records = passing(grounds, &filter.without(FilterField::Number(numbers)), reader, is_wanted)?;
            let values = grounds.entries(&records).filter_map(|entry| entry.number(numbers)).collect();
            Some((FilterField::Number(numbers), plot(values), records.len()))
        }
        None => None,
    };
    let known = grounds.known();
    if let (None, None, Some((field, plot, all))) = (column.names(), column.text(), &plot) {
        let values = plot.bins.iter().map(|bin| ValueCount {
            label: bin.written.clone(),
            written: bin.written.clone(),
            records: bin.records,
            times: None,
        });
        let values: Vec<ValueCount> = values.filter(|value| value.records > 0).collect();
        let (missing, distinct) = (all - plot.records, values.len());
        return Some(Tally {
            values,
            field: Some(*field),
            plot: Some((*field, plot.clone())),
            distinct,
            missing,
            known,
            is_uncounted: false,
        });
    }
    let field = match column {
        Column::Custom(name) => FilterField::Custom(name),
        _ => column.names().map(FilterField::Name).or(column.text().map(FilterField::Text))?,
    };
    if column.text().is_some() && !grounds.facts.has_texts() {
        return Some(Tally { is_uncounted: true, known, ..Tally::default() });
    }
    let records = passing(grounds, &filter.without(field), reader, is_wanted)?;
    let (mut values, missing) = values(grounds.entries(&records), column);
    let distinct = values.len();
    values.truncate(VALUES_MAX);
    let plot = match column {
        Column::Custom(name) => custom_plot(grounds.entries(&records), name),
        _ => plot.map(|(field, plot, _)| (field, plot)),
    };
    Some(Tally { values, field: Some(field), plot, distinct, missing, known, is_uncounted: false })
}

/// How the numbers spread that a custom column says; None where it says none.
fn custom_plot<'t>(records: impl Iterator<Item = RecordFacts<'t>>, name: CustomColumn) -> Option<(FilterField, Plot)> {
    let number = |entry: RecordFacts<'t>| match entry.custom_value(name) {
        CellValue::Number(number) => Some(*number),
        _ => None,
    };
    let numbers: Vec<f64> = records.filter_map(number).collect();
    (!numbers.is_empty()).then(|| (FilterField::Custom(name), plot(numbers)))
}

/// The values of a column of words by frequency, and how many records have none.
fn values<'t>(records: impl Iterator<Item = RecordFacts<'t>>, column: Column) -> (Vec<ValueCount>, usize) {
    let mut counts: HashMap<Cow<'t, str>, (usize, u64)> = HashMap::new();
    let mut missing = 0;
    let mut count = |name, times| {
        let (records, all) = counts.entry(name).or_default();
        *records += 1;
        *all += times;
    };
    for entry in records {
        let has_value = match (column.names(), column.text()) {
            (Some(names), _) => {
                let actions = |name: &str| names != Names::Class || action(name).is_some();
                entry.names(names).filter(|(name, _)| actions(name)).map(|(name, n)| count(name.into(), n)).count() > 0
            }
            (None, Some(text)) => {
                let word = Some(entry.text(text)).filter(|word| !word.is_empty());
                word.map(|word| count(word, 1)).is_some()
            }
            (None, None) => {
                let cell_text = match column {
                    Column::Custom(name) => entry.custom_value(name).shown(),
                    _ => None,
                };
                cell_text.map(|cell_text| count(cell_text.into(), 1)).is_some()
            }
        };
        missing += usize::from(!has_value);
    }
    let mut values: Vec<ValueCount> = counts
        .into_iter()
        .map(|(name, (records, times))| ValueCount {
            written: if column.text().is_some() { exact_value(&name) } else { quoted(&name) },
            label: name.into_owned(),
            records,
            times: (times != records as u64).then_some(times),
        })
        .collect();
    values.sort_by(|a, b| (b.records, &a.label).cmp(&(a.records, &b.label)));
    (values, missing)
}

/// A text as a value that looks for it and nothing else.
fn exact_value(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The number at a rank in per cent (nearest rank).
pub(super) fn percentile(sorted: &[f64], percent: usize) -> f64 {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or_default()
}

pub(super) fn plot(mut numbers: Vec<f64>) -> Plot {
    numbers.sort_by(f64::total_cmp);
    let (Some(&least), Some(&most)) = (numbers.first(), numbers.last()) else { return Plot::default() };
    if least == most {
        let bin = Bin { low: least, written: least.to_string(), records: numbers.len(), is_outlier: false };
        return Plot { marks: [least; 5], records: numbers.len(), outliers: 0, bins: vec![bin] };
    }
    let (low, high) = fences(&numbers);
    let is_whole = numbers.iter().all(|n| n.fract() == 0.0);
    let mut bins = edges(least.max(low), most.min(high), is_whole);
    let (first, last) = (bins[0], bins[bins.len() - 1]);
    // The last edge belongs to the last bin only while nothing lies beyond.
    let has_more = numbers.iter().any(|n| *n >= last);
    let has_less = least < first;
    bins.dedup();
    let mut out: Vec<Bin> = Vec::new();
    let count = |from: f64, to: f64| numbers.partition_point(|n| *n < to) - numbers.partition_point(|n| *n < from);
    if has_less {
        let written = format!("..{first}");
        out.push(Bin { low: least, written, records: count(f64::NEG_INFINITY, first), is_outlier: true });
    }
    for pair in bins.windows(2) {
        let is_one = is_whole && pair[1] - pair[0] == 1.0;
        let written = if is_one { pair[0].to_string() } else { format!("{}..{}", pair[0], pair[1]) };
        out.push(Bin { low: pair[0], written, records: count(pair[0], pair[1]), is_outlier: false });
    }
    if has_more {
        let beyond = &numbers[numbers.partition_point(|n| *n < last)..];
        let is_one = beyond.first() == Some(&most);
        let (low, written) = if is_one { (most, most.to_string()) } else { (last, format!("{last}..")) };
        out.push(Bin { low, written, records: beyond.len(), is_outlier: most > high });
    }
    let outliers = out.iter().filter(|bin| bin.is_outlier).map(|bin| bin.records).sum();
    let marks = [1, 50, 90, 99, 100].map(|percent| if percent == 1 { least } else { percentile(&numbers, percent) });
    Plot { marks, records: numbers.len(), outliers, bins: out }
}

/// Beyond these a number is an outlier. Where half of the numbers are the same, none is.
fn fences(sorted: &[f64]) -> (f64, f64) {
    let (first, third) = (percentile(sorted, 25), percentile(sorted, 75));
    let reach = (third - first) * FENCE;
    if reach > 0.0 && reach.is_finite() { (first - reach, third + reach) } else { (f64::NEG_INFINITY, f64::INFINITY) }
}

/// Round numbers at equal distances, the first at most `low`, the last more than `high`.
fn edges(low: f64, high: f64, is_whole: bool) -> Vec<f64> {
    let span = (high - low).max(if is_whole { 1.0 } else { f64::MIN_POSITIVE });
    let rough = span / BINS_MAX as f64;
    let power = rough.log10().floor();
    let steps = [1.0, 2.0, 5.0, 10.0].map(|digit| (digit, power)).into_iter();
    let (digit, power) = steps.into_iter().find(|(d, p)| d * 10_f64.powf(*p) >= rough).unwrap_or((10.0, power));
    let (digit, power) = if is_whole && power < 0.0 { (1.0, 0.0) } else { (digit, power) };
    // Division by a round number gives the number that is written, where a product does not: 3/10, not 3*0.1.
    let edge = |i: f64| if power < 0.0 { i * digit / 10_f64.powf(-power) } else { i * digit * 10_f64.powf(power) };
    let step = digit * 10_f64.powf(power);
    if !step.is_finite() || step <= 0.0 || low + step == low || high + step == high {
        return vec![low, high];
    }
    let begin = (low / step).floor();
    let mut edges: Vec<f64> = (0..=BINS_MAX + 2).map(|i| edge(begin + i as f64)).collect();
    let end = edges.iter().position(|edge| *edge > high).unwrap_or(edges.len() - 1);
    edges.truncate(end.max(1) + 1);
    edges
}

#[cfg(test)]
mod tests {
    use super::super::facts::tests::{Again, bare, facts_of, table};
    use super::*;
    use crate::format::Facts;
    use crate::review::Scope;

    #[test]
    fn words_that_are_not_held_are_not_counted() {
        let grounds = Grounds { facts: bare(&all()), ..Grounds::default() };
        let counted = |column| tally(&grounds, &Filter::default(), column, &Again::default(), &|| true).unwrap();
        assert!(counted(Column::Id).is_uncounted && counted(Column::Words).values.is_empty());
        assert!(!counted(Column::Tools).values.is_empty());
    }

    fn all() -> Vec<Facts> {
        let mut all: Vec<Facts> =
            (0..10).map(|i| facts_of(&format!("r{}", i % 4), i + 1, &[("bash", i + 1)], Some(0.1), "finish")).collect();
        all[3] = facts_of("r3", 4, &[("bash", 1), ("a b", 5)], None, "message");
        all.push(Facts::default());
        all
    }

    fn of(column: Column, filter: &str) -> Tally {
        tally(
            &Grounds { facts: table(&all()), ..Grounds::default() },
            &Filter::parse(filter, Scope::Records).unwrap(),
            column,
            &Again::default(),
            &|| true,
        )
        .unwrap()
    }

    fn counts(tally: &Tally) -> Vec<(&str, usize)> {
        tally.values.iter().map(|value| (value.written.as_str(), value.records)).collect()
    }

    #[test]
    fn names_are_counted_by_records_and_times() {
        let tools = of(Column::Tools, "");
        assert_eq!(counts(&tools), [("bash", 10), ("\"a b\"", 1)]);
        assert_eq!((tools.values[0].times, tools.values[1].times), (Some(52), Some(5)));
        assert_eq!((tools.missing, tools.distinct, tools.known), (1, 2, 11));
        assert_eq!(counts(&of(Column::Finish, "steps>3")), [("finish", 6), ("message", 1)]);
        assert_eq!(counts(&of(Column::Id, ""))[0], ("\"r0\"", 3));
    }

    #[test]
    fn what_is_chosen_of_a_column_does_not_hide_its_other_values() {
        assert_eq!(counts(&of(Column::Finish, "finish:message")), [("finish", 9), ("message", 1)]);
        assert_eq!(counts(&of(Column::Finish, "!finish:message")), [("finish", 9)]);
        assert_eq!(of(Column::Steps, "steps:1..3").plot.unwrap().1.records, 10);
    }

    #[test]
    fn every_number_is_in_the_bin_that_its_filter_finds() {
        let mut state = 7_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64
        };
        for case in 0..200 {
            let scale = [1.0, 0.001, 1e9, 17.0, 1e-9][case % 5];
            let numbers: Vec<f64> = (0..60)
                .map(|_| match case % 3 {
                    0 => (random() % 100.0).floor() * scale,
                    1 => (random() - 1e9) * scale / 1e9,
                    _ => random().powi(2) / 1e9,
                })
                .collect();
            let plot = plot(numbers.clone());
            assert_eq!(plot.bins.iter().map(|bin| bin.records).sum::<usize>(), 60, "{numbers:?}");
            assert!(plot.bins.len() <= BINS_MAX + 4, "{}", plot.bins.len());
            for bin in &plot.bins {
                let filter = Filter::parse(&format!("reward:{}", bin.written), Scope::Records).unwrap();
                let facts = |n: &f64| facts_of("", 1, &[], Some(*n), "");
                let all: Vec<Facts> = numbers.iter().map(facts).collect();
                let found = table(&all).iter().filter(|entry| filter.holds(entry)).count();
                assert_eq!(found, bin.records, "{} of {numbers:?}", bin.written);
            }
        }
    }

    #[test]
    fn few_whole_numbers_have_a_bin_each_and_far_ones_one_together() {
        let steps = |numbers: &[f64]| plot(numbers.to_vec());
        let bins = |plot: &Plot| plot.bins.iter().map(|b| (b.written.clone(), b.records)).collect::<Vec<_>>();
        let pair = |(a, b): (&str, usize)| (a.to_owned(), b);
        assert_eq!(bins(&steps(&[2.0, 2.0, 4.0])), [("2", 2), ("3", 0), ("4", 1)].map(pair));
        assert_eq!(bins(&steps(&[5.0])), [("5", 1)].map(pair));
        assert_eq!(bins(&steps(&[0.5])).len(), 1);
        let far = steps(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 1000.0]);
        assert_eq!((far.outliers, far.bins.last().unwrap().is_outlier), (1, true));
        assert_eq!(bins(&far).last(), Some(&pair(("1000", 1))), "one value beyond the last edge is that value");
        assert_eq!(far.marks, [1.0, 5.0, 1000.0, 1000.0, 1000.0]);
        assert_eq!(steps(&[]), Plot::default());
    }
}
