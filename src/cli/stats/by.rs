//! `obelus stats --by` and `--histogram`: records grouped by what a column, a path or a jq expression says of them, and
//! how a number spreads.

use super::{Options, RecordSelection};
use crate::cli::args::FileName;
use crate::cli::columns::{self, Column};
use crate::cli::entries::{Pass, Passed};
use crate::cli::finding_policy::FindingPolicy;
use crate::cli::out::{Out, Tone, plain, raw};
use crate::cli::{Stop, complain};
use crate::ingest::Loaded;
use crate::json;
use crate::model::{Problem, lossy};
use crate::review::{
    CellValue, CustomColumn, FilterField, Grouper, Marks, Names, Numbers, Plot, RecordFacts, Scope, Spread, Tokenizer,
    ValueGroup, histogram, values_of,
};
use crate::rules::trajectory::scalar;
use crate::text::{counted, suggest};
use serde::Serialize;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Most groups that are printed for people.
const GROUPS_MAX: usize = 100;
/// Widest bar of a histogram, in cells.
const BAR_CELLS: usize = 40;
/// Numbers that are reported where none are named: those of the fastest pass.
const NUMBERS: [Numbers; 3] = [Numbers::Steps, Numbers::Calls, Numbers::Reward];

/// What records are grouped by.
enum Key {
    /// A column of the table.
    Field(FilterField),
    /// A path of member names.
    Path(String),
    /// A jq expression.
    Expression(Column),
}

impl Key {
    /// Reads what `--by` says: the name of a column, a jq expression, or a path as `details.model`.
    fn read(text: &str) -> Result<Self, Problem> {
        if let Some(field) = FilterField::of_records(text) {
            return Ok(Self::Field(field));
        }
        let is_path = |c: char| c.is_alphanumeric() || "_-.".contains(c);
        if !text.starts_with('.') && text.chars().all(is_path) {
            return Ok(Self::Path(text.to_owned()));
        }
        let name = CustomColumn::new("value").map_err(Problem::usage)?;
        Ok(Self::Expression((name, text.to_owned())))
    }

    fn field(&self) -> Option<FilterField> {
        match self {
            Self::Field(field) => Some(*field),
            Self::Path(_) | Self::Expression(_) => None,
        }
    }

    fn wants_marks(&self) -> bool {
        matches!(self, Self::Field(FilterField::Name(Names::Mark | Names::Tag)))
    }
}

/// A number of records by its name in filters.
pub(super) fn number(text: &str) -> Result<Numbers, String> {
    let known = Numbers::ALL.iter().filter(|(_, number)| Scope::Records.has(FilterField::Number(*number)));
    let names: Vec<&str> = known.map(|(name, _)| *name).collect();
    let found = Numbers::ALL.iter().find(|(name, _)| *name == text && names.contains(name));
    found.map(|(_, number)| *number).ok_or_else(|| format!("no number of records; these are: {}", names.join(", ")))
}

fn name_of(number: Numbers) -> &'static str {
    Numbers::ALL.iter().find(|(_, known)| *known == number).map_or("", |(name, _)| name)
}

/// What is said of the records of one file.
struct GroupQuery<'q> {
    key: Option<&'q Key>,
    numbers: &'q [Numbers],
    marks: &'q Marks,
    tokenizer: Option<&'q dyn Tokenizer>,
    /// The records that a filter lets through; None: all.
    passing: Option<Vec<bool>>,
    policy: &'q RefCell<FindingPolicy>,
}

impl GroupQuery<'_> {
    /// Gives each record with its values; for how many the expression failed.
    fn ask(&self, loaded: &Loaded, mut each: impl FnMut(&RecordFacts<'_>, Vec<String>)) -> Result<u64, Stop> {
        let mut fields: Vec<Option<FilterField>> =
            self.numbers.iter().map(|number| Some(FilterField::Number(*number))).collect();
        fields.extend(self.key.and_then(Key::field).map(Some));
        let expressed = match self.key {
            Some(Key::Expression(column)) => {
                let all = || Ok::<_, Problem>(vec![true; loaded.records()?.len()]);
                Some(columns::evaluate(loaded, column, &self.passing.clone().map_or_else(all, Ok)?)?)
            }
            _ => None,
        };
        let (expressed, failed) =
            expressed.map_or((None, 0), |(expressed_values, failed)| (Some(expressed_values), failed));
        let key = self.key;
        let value = |text: &[u8]| match key {
            Some(Key::Path(path)) => json::parse(&lossy(text)).ok().and_then(|value| scalar(&value, path)),
            _ => None,
        };
        let pass = Pass {
            fields: &fields,
            marks: self.key.is_some_and(Key::wants_marks).then_some(self.marks),
            tokenizer: self.tokenizer,
            passing: self.passing.as_deref(),
            policy: self.policy,
        };
        pass.each(
            loaded,
            |_, text| value(text),
            |Passed { entry, also: value, .. }| {
                let value_text = || expressed.as_ref()?.get(entry.record()).and_then(CellValue::shown);
                let values = match self.key.and_then(Key::field) {
                    Some(field) => values_of(&entry, field),
                    None => value.or_else(value_text).into_iter().collect(),
                };
                each(&entry, values);
                Ok(())
            },
        )?;
        Ok(failed)
    }
}

/// Groups the records of one file. The status: 1 where no record has a value, or the expression failed for one.
pub(super) fn write_report(
    file: &FileName,
    loaded: &Loaded,
    (options, by): (&Options, &str),
    (wanted, passing): (&RecordSelection, Option<Vec<bool>>),
    out: &mut Out,
) -> Result<u8, Stop> {
    let key = Key::read(by)?;
    let numbers = if options.of.is_empty() { &NUMBERS[..] } else { &options.of };
    let mut grouper = Grouper::new(numbers.to_vec());
    let (tokenizer, policy) = (wanted.tokenizer.as_deref(), &wanted.policy);
    let question = GroupQuery { key: Some(&key), numbers, marks: &wanted.marks, tokenizer, passing, policy };
    let failed = question.ask(loaded, |entry, values| grouper.add(entry, values))?;
    let records = grouper.records();
    let groups = grouper.finish();
    let has_none = records > 0 && groups.iter().all(|group| group.value.is_none());
    if options.json {
        programs(file, by, (&groups, records), numbers, out)?;
    } else {
        people(file, by, (&groups, records), numbers, out)?;
    }
    if has_none {
        complain(&format!("{file}: no record has {by}{}", instead(by)));
    }
    Ok(u8::from(has_none || failed > 0))
}

/// The name that was meant, where it is almost one of a column.
fn instead(by: &str) -> String {
    let near = suggest::nearest(by, FilterField::names_of_records());
    near.first().map_or_else(String::new, |name| format!("; is the column {name} meant?"))
}

/// A group for programs.
#[derive(Serialize)]
struct GroupLine<'a> {
    value: Option<&'a str>,
    records: usize,
    share: f64,
    numbers: BTreeMap<&'static str, SpreadLine>,
}

#[derive(Serialize)]
struct SpreadLine {
    count: usize,
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
        let Spread { count, mean, deviation, min, p10, p50, p90, max } = s;
        Self { count, mean, deviation, min, p10, p50, p90, max }
    }
}

/// Groups, and of how many records.
type Answer<'a> = (&'a [ValueGroup], usize);

fn share(group: &ValueGroup, records: usize) -> f64 {
    group.records as f64 / records.max(1) as f64
}

fn programs(
    file: &FileName,
    by: &str,
    (groups, records): Answer,
    numbers: &[Numbers],
    out: &mut Out,
) -> Result<(), Stop> {
    for group in groups {
        let spreads = numbers.iter().zip(&group.numbers);
        let numbers = spreads.filter_map(|(number, spread)| Some((name_of(*number), (*spread)?.into()))).collect();
        let value = group.value.as_deref();
        let line = GroupLine { value, records: group.records, share: share(group, records), numbers };
        let members =
            vec![("file", raw(&file.text())?), ("type", raw("group")?), ("by", raw(by)?), ("group", raw(&line)?)];
        out.json(&plain(&members))?;
    }
    let without: usize = groups.iter().filter(|group| group.value.is_none()).map(|group| group.records).sum();
    let valued = groups.iter().filter(|group| group.value.is_some()).count();
    let members = vec![
        ("file", raw(&file.text())?),
        ("type", raw("groups")?),
        ("by", raw(by)?),
        ("groups", raw(&valued)?),
        ("records", raw(&records)?),
        ("without", raw(&without)?),
    ];
    Ok(out.json(&plain(&members))?)
}

fn people(
    file: &FileName,
    by: &str,
    (groups, records): Answer,
    numbers: &[Numbers],
    out: &mut Out,
) -> Result<(), Stop> {
    let valued = groups.iter().filter(|group| group.value.is_some()).count();
    let values = counted(valued, "value");
    out.line(&format!("{file}  {values} of {by} in {}", counted(records, "record")))?;
    let non_empty: Vec<usize> =
        (0..numbers.len()).filter(|i| groups.iter().any(|group| group.numbers[*i].is_some())).collect();
    let mut heading = vec![(Tone::Dim, format!("  {by}")), (Tone::Dim, "n".into()), (Tone::Dim, "share".into())];
    for i in &non_empty {
        let words = [format!("{} mean", name_of(numbers[*i])), "std".into(), "p50".into(), "p90".into()];
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

/// Reports how a number spreads over the records of one file.
pub(super) fn write_histogram(
    file: &FileName,
    loaded: &Loaded,
    (options, number): (&Options, Numbers),
    (wanted, passing): (&RecordSelection, Option<Vec<bool>>),
    out: &mut Out,
) -> Result<u8, Stop> {
    use crate::review::Subject;
    let (mut numbers, mut records) = (Vec::new(), 0);
    let (tokenizer, policy) = (wanted.tokenizer.as_deref(), &wanted.policy);
    let question = GroupQuery { key: None, numbers: &[number], marks: &wanted.marks, tokenizer, passing, policy };
    question.ask(loaded, |entry, _| {
        records += 1;
        numbers.extend(entry.number(number));
    })?;
    let missing = records - numbers.len();
    let plot = histogram(numbers);
    if options.json {
        histogram_for_programs(file, number, (&plot, missing), out)?;
    } else {
        histogram_for_people(file, number, (&plot, missing), out)?;
    }
    Ok(u8::from(plot.records == 0 && records > 0))
}

#[derive(Serialize)]
struct BinLine<'a> {
    /// As a filter writes it.
    range: &'a str,
    low: f64,
    records: usize,
    outlier: bool,
}

fn histogram_for_programs(
    file: &FileName,
    number: Numbers,
    (plot, missing): (&Plot, usize),
    out: &mut Out,
) -> Result<(), Stop> {
    let bins = plot.bins.iter();
    let bins: Vec<BinLine> = bins
        .map(|bin| BinLine { range: &bin.written, low: bin.low, records: bin.records, outlier: bin.is_outlier })
        .collect();
    let marks = ["min", "p50", "p90", "p99", "max"].into_iter().zip(plot.marks);
    let marks: BTreeMap<&str, f64> = marks.filter(|_| plot.records > 0).collect();
    let members = vec![
        ("file", raw(&file.text())?),
        ("type", raw("histogram")?),
        ("number", raw(name_of(number))?),
        ("records", raw(&plot.records)?),
        ("without", raw(&missing)?),
        ("outliers", raw(&plot.outliers)?),
        ("percentiles", raw(&marks)?),
        ("bins", raw(&bins)?),
    ];
    Ok(out.json(&plain(&members))?)
}

fn histogram_for_people(
    file: &FileName,
    number: Numbers,
    (plot, missing): (&Plot, usize),
    out: &mut Out,
) -> Result<(), Stop> {
    let name = name_of(number);
    let without = if missing > 0 { format!(", {missing} without") } else { String::new() };
    out.line(&format!("{file}  {name} of {}{without}", counted(plot.records, "record")))?;
    if plot.records == 0 {
        return Ok(());
    }
    let [min, p50, p90, p99, max] = plot.marks;
    out.styled(&[(Tone::Dim, &format!("  min {min}  p50 {p50}  p90 {p90}  p99 {p99}  max {max}"))])?;
    let most = plot.bins.iter().map(|bin| bin.records).max().unwrap_or(1).max(1);
    let rows: Vec<Vec<(Tone, String)>> = plot
        .bins
        .iter()
        .map(|bin| {
            let cells = (bin.records * BAR_CELLS).div_ceil(most);
            let bar = if bin.is_outlier { Tone::Warning } else { Tone::Step };
            vec![
                (Tone::Plain, format!("  {}", bin.written)),
                (Tone::Plain, bin.records.to_string()),
                (bar, "▇".repeat(cells)),
            ]
        })
        .collect();
    Ok(out.cells(&rows)?)
}
