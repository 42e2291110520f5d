//! `obelus stats --by`: records grouped by what a column, a path or a jq expression says of them.

use super::measure::{self, Asked, RecordQuestion};
use super::{Options, Stop, Together};
use crate::cli::complain;
use crate::cli::out::{Out, Tone, plain, raw};
use crate::review::{FilterField, Grouper, Numbers, Spread, ValueGroup};
use crate::text::{counted, suggest};
use serde::Serialize;
use std::collections::BTreeMap;

/// Most groups that are printed for people.
const GROUPS_MAX: usize = 100;
/// Numbers that are reported where none are named: those of the fastest pass.
const NUMBERS: [Numbers; 3] = [Numbers::Steps, Numbers::Calls, Numbers::Reward];

/// The groups of one file, or of all.
pub(super) struct Groups {
    by: Asked,
    numbers: Vec<Asked>,
    grouper: Grouper,
    failed: u64,
}

impl Groups {
    /// None yet.
    pub(super) fn new(options: &Options, by: &str) -> Result<Self, Stop> {
        let by = Asked::read(by, &options.filter)?;
        let numbers = match options.of.as_deref() {
            None => NUMBERS.into_iter().map(|number| Asked::Field(FilterField::Number(number))).collect(),
            Some(texts) => measure::list(texts)
                .into_iter()
                .map(|text| Asked::number(text, &options.filter))
                .collect::<Result<Vec<Asked>, _>>()?,
        };
        let grouper = Grouper::new(numbers.len());
        Ok(Self { by, numbers, grouper, failed: 0 })
    }

    /// Takes the records of a file.
    pub(super) fn add(&mut self, question: &RecordQuestion<'_>) -> Result<(), Stop> {
        let Self { by, numbers, grouper, .. } = self;
        let asked: Vec<&Asked> = [&*by].into_iter().chain(&*numbers).collect();
        self.failed += question.ask(&asked, |answers| {
            let numbers: Vec<Option<f64>> = (1..asked.len()).map(|place| answers.number(place)).collect();
            grouper.add(&numbers, answers.values(0));
        })?;
        Ok(())
    }

    /// Reports them. The status: 1 where no record has a value, or an expression failed for one.
    pub(super) fn write_report(self, of: &Together<'_>, json: bool, out: &mut Out) -> Result<u8, Stop> {
        let Self { by, numbers, grouper, failed } = self;
        let names: Vec<&str> = numbers.iter().map(Asked::name).collect();
        let (by, records) = (by.name(), grouper.records());
        let groups = grouper.finish();
        if json {
            programs(of, by, (&groups, records), &names, out)?;
        } else {
            people(of, by, (&groups, records), &names, out)?;
        }
        let has_none = records > 0 && groups.iter().all(|group| group.value.is_none());
        if has_none {
            complain(&format!("{of}: no record has {by}{}", instead(by)));
        }
        let is_missing = |place: &usize| groups.iter().all(|group| group.numbers[*place].is_none());
        // The numbers of the default may be missing.
        let is_named = |place: &usize| !matches!(numbers[*place], Asked::Field(_));
        let missing: Vec<usize> = (0..numbers.len()).filter(|place| is_missing(place) && is_named(place)).collect();
        for place in missing.iter().filter(|_| records > 0) {
            let name = names[*place];
            complain(&format!("{of}: no record has a number {name}{}", measure::instead(name)));
        }
        Ok(u8::from(has_none || failed > 0 || (records > 0 && !missing.is_empty())))
    }
}

/// The name that was meant, where it is almost one of a column.
fn instead(by: &str) -> String {
    let names = FilterField::names_of_records();
    match suggest::nearest(by, names.iter().copied()).first() {
        Some(name) => format!("; is the column {name} meant?"),
        // What is a column has no value in these records; another name may be one that nobody has.
        None if names.contains(&by) => String::new(),
        None => format!("; columns are {}", names.join(", ")),
    }
}

/// A group for programs.
#[derive(Serialize)]
struct GroupLine<'a> {
    value: Option<&'a str>,
    records: usize,
    share: f64,
    numbers: BTreeMap<&'a str, SpreadLine>,
}

#[derive(Serialize)]
struct SpreadLine {
    count: usize,
    sum: f64,
    mean: f64,
    deviation: Option<f64>,
    min: f64,
    p10: f64,
    p50: f64,
    p90: f64,
    max: f64,
}

impl From<Spread> for SpreadLine {
    fn from(s: Spread) -> Self {
        let Spread { count, sum, mean, deviation, min, p10, p50, p90, max } = s;
        Self { count, sum, mean, deviation, min, p10, p50, p90, max }
    }
}

/// Groups, and of how many records.
type Answer<'a> = (&'a [ValueGroup], usize);

fn share(group: &ValueGroup, records: usize) -> f64 {
    group.records as f64 / records.max(1) as f64
}

fn programs(
    of: &Together<'_>,
    by: &str,
    (groups, records): Answer,
    numbers: &[&str],
    out: &mut Out,
) -> Result<(), Stop> {
    for group in groups {
        let spreads = numbers.iter().zip(&group.numbers);
        let numbers = spreads.filter_map(|(number, spread)| Some((*number, (*spread)?.into()))).collect();
        let value = group.value.as_deref();
        let line = GroupLine { value, records: group.records, share: share(group, records), numbers };
        let members = vec![of.member()?, ("type", raw("group")?), ("by", raw(by)?), ("group", raw(&line)?)];
        out.json(&plain(&members))?;
    }
    let without: usize = groups.iter().filter(|group| group.value.is_none()).map(|group| group.records).sum();
    let valued = groups.iter().filter(|group| group.value.is_some()).count();
    let members = vec![
        of.member()?,
        ("type", raw("groups")?),
        ("by", raw(by)?),
        ("groups", raw(&valued)?),
        ("records", raw(&records)?),
        ("without", raw(&without)?),
    ];
    Ok(out.json(&plain(&members))?)
}

fn people(of: &Together<'_>, by: &str, (groups, records): Answer, numbers: &[&str], out: &mut Out) -> Result<(), Stop> {
    let valued = groups.iter().filter(|group| group.value.is_some()).count();
    let values = counted(valued, "value");
    out.line(&format!("{of}  {values} of {by} in {}", counted(records, "record")))?;
    let non_empty: Vec<usize> =
        (0..numbers.len()).filter(|i| groups.iter().any(|group| group.numbers[*i].is_some())).collect();
    let mut heading = vec![(Tone::Dim, format!("  {by}")), (Tone::Dim, "n".into()), (Tone::Dim, "share".into())];
    for i in &non_empty {
        let words = [format!("{} mean", numbers[*i]), "std".into(), "p50".into(), "p90".into()];
        heading.extend(words.map(|word| (Tone::Dim, word)));
    }
    let mut rows = vec![heading];
    for group in groups.iter().take(GROUPS_MAX) {
        let name = match &group.value {
            Some(value) => (Tone::Plain, format!("  {value}")),
            None => (Tone::Dim, "  (none)".to_owned()),
        };
        let share = format!("{:.1} %", share(group, records) * 100.0);
        let mut row = vec![name, (Tone::Plain, group.records.to_string()), (Tone::Dim, share)];
        for i in &non_empty {
            row.extend(spread_cells(group.numbers[*i]));
        }
        rows.push(row);
    }
    out.cells(&rows)?;
    let more = groups.len().saturating_sub(GROUPS_MAX);
    if more > 0 {
        out.styled(&[(Tone::Dim, &format!("  … and {more} more; --json has all"))])?;
    }
    Ok(())
}

/// Mean, deviation, median and 90th percentile.
fn spread_cells(spread: Option<Spread>) -> [(Tone, String); 4] {
    let number_text = |number: f64| match number {
        number if number.abs() >= 1000.0 => format!("{number:.0}"),
        number if number.fract() == 0.0 => number.to_string(),
        number => format!("{number:.3}"),
    };
    match spread {
        Some(spread) => [
            (Tone::Strong, number_text(spread.mean)),
            (Tone::Dim, spread.deviation.map_or_else(|| "–".to_owned(), number_text)),
            (Tone::Plain, number_text(spread.p50)),
            (Tone::Plain, number_text(spread.p90)),
        ],
        None => ["–", "–", "–", "–"].map(|dash| (Tone::Dim, dash.to_owned())),
    }
}
