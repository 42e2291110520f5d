//! `obelus stats --histogram`: how a number spreads over the records.

use super::measure::{self, Asked, RecordQuestion};
use super::{Options, Stop, Together};
use crate::cli::complain;
use crate::cli::out::{Out, Tone, plain, raw};
use crate::review::{Plot, histogram};
use crate::text::counted;
use serde::Serialize;
use std::collections::BTreeMap;

/// Widest bar of a histogram, in cells.
const BAR_CELLS: usize = 40;

/// The numbers of one file, or of all.
pub(super) struct Histogram {
    number: Asked,
    numbers: Vec<f64>,
    records: usize,
    failed: u64,
}

impl Histogram {
    /// None yet.
    pub(super) fn new(options: &Options, number: &str) -> Result<Self, Stop> {
        let number = Asked::number(number, &options.filter)?;
        Ok(Self { number, numbers: Vec::new(), records: 0, failed: 0 })
    }

    /// Takes the records of a file.
    pub(super) fn add(&mut self, question: &RecordQuestion<'_>) -> Result<(), Stop> {
        let Self { number, numbers, records, .. } = self;
        self.failed += question.ask(&[number], |answers| {
            *records += 1;
            numbers.extend(answers.number(0));
        })?;
        Ok(())
    }

    /// Reports them. The status: 1 where no record has the number, or an expression failed for one.
    pub(super) fn write_report(self, of: &Together<'_>, json: bool, out: &mut Out) -> Result<u8, Stop> {
        let Self { number, numbers, records, failed } = self;
        let (name, missing) = (number.name(), records - numbers.len());
        let plot = histogram(numbers);
        if json {
            programs(of, name, (&plot, missing), out)?;
        } else {
            people(of, name, (&plot, missing), out)?;
        }
        let has_none = plot.records == 0 && records > 0;
        if has_none && !matches!(number, Asked::Field(_)) {
            complain(&format!("{of}: no record has a number {name}{}", measure::instead(name)));
        }
        Ok(u8::from(has_none || failed > 0))
    }
}

#[derive(Serialize)]
struct BinLine<'a> {
    /// As a filter writes it.
    range: &'a str,
    low: f64,
    records: usize,
    outlier: bool,
}

fn programs(of: &Together<'_>, name: &str, (plot, missing): (&Plot, usize), out: &mut Out) -> Result<(), Stop> {
    let bins = plot.bins.iter();
    let bins: Vec<BinLine> = bins
        .map(|bin| BinLine { range: &bin.written, low: bin.low, records: bin.records, outlier: bin.is_outlier })
        .collect();
    let marks = ["min", "p50", "p90", "p99", "max"].into_iter().zip(plot.marks);
    let marks: BTreeMap<&str, f64> = marks.filter(|_| plot.records > 0).collect();
    let members = vec![
        of.member()?,
        ("type", raw("histogram")?),
        ("number", raw(name)?),
        ("records", raw(&plot.records)?),
        ("without", raw(&missing)?),
        ("outliers", raw(&plot.outliers)?),
        ("percentiles", raw(&marks)?),
        ("bins", raw(&bins)?),
    ];
    Ok(out.json(&plain(&members))?)
}

fn people(of: &Together<'_>, name: &str, (plot, missing): (&Plot, usize), out: &mut Out) -> Result<(), Stop> {
    let without = if missing > 0 { format!(", {missing} without") } else { String::new() };
    out.line(&format!("{of}  {name} of {}{without}", counted(plot.records, "record")))?;
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
