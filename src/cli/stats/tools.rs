//! `obelus stats --tools`: calls by tool and nothing else, so that a big dataset is a matter of a moment.

use super::Options;
use crate::cli::args::FileName;
use crate::cli::out::{Out, plain, raw};
use crate::cli::{Stop, survey};
use crate::format::{Purpose, Survey};
use crate::ingest::{self, Loaded};
use crate::json;
use crate::text;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// What is counted of a file.
#[derive(Default)]
struct Calls {
    tools: BTreeMap<String, u64>,
    records: u64,
    unreadable: u64,
}

/// Reports the calls of one file.
pub(super) fn write_report(file: &FileName, loaded: &Loaded, options: &Options, out: &mut Out) -> Result<(), Stop> {
    let counted = match loaded.detected.format.survey(Purpose::Calls) {
        Some(mut pass) => of_records(loaded, pass.as_mut())?,
        None => of_runs(loaded)?,
    };
    let calls: u64 = counted.tools.values().sum();
    if options.json {
        let members = vec![
            ("file", raw(&file.text())?),
            ("type", raw("tools")?),
            ("records", raw(&counted.records)?),
            ("unreadable", raw(&counted.unreadable)?),
            ("calls", raw(&calls)?),
            ("tools", raw(&counted.tools)?),
        ];
        return Ok(out.json(&plain(&members))?);
    }
    let (calls, records) = (text::counted(calls, "call"), text::counted(counted.records, "record"));
    out.line(&format!("{file}  {calls} in {records}"))?;
    let mut rows: Vec<(String, u64)> = counted.tools.into_iter().collect();
    rows.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    let width = rows.first().map_or(0, |(_, n)| n.to_string().len());
    rows.into_iter().try_for_each(|(tool, n)| out.line(&format!("  {n:>width$}  {tool}")))?;
    Ok(())
}

/// From a pass over the records of a file whose records are trajectories.
fn of_records(loaded: &Loaded, pass: &mut dyn Survey) -> Result<Calls, Stop> {
    let mut all = Calls::default();
    ingest::survey(loaded, pass, |surveyed| -> Result<(), Stop> {
        all.records += 1;
        match surveyed.facts.and_then(|facts| facts.counted) {
            Some(counted) => counted.tools.into_iter().for_each(|(tool, n)| *all.tools.entry(tool).or_default() += n),
            None => all.unreadable += 1,
        }
        Ok(())
    })?;
    Ok(all)
}

/// From the statistics of the runs.
fn of_runs(loaded: &Loaded) -> Result<Calls, Stop> {
    let mut dataset: Option<Box<RawValue>> = None;
    survey::stats(loaded, |stats| {
        dataset = Some(stats.to_owned());
        Ok(())
    })?;
    let mut all = Calls { records: loaded.records()?.len() as u64, ..Calls::default() };
    let Some(Ok(dataset)) = dataset.as_deref().map(|dataset| json::parse(dataset.get())) else { return Ok(all) };
    let number = |value: &json::Value<'_>| value.as_number().and_then(|n| n.parse::<u64>().ok()).unwrap_or(0);
    all.unreadable = dataset.get("unreadable").map_or(0, number);
    for (tool, n) in dataset.get("tools").and_then(json::Value::as_object).iter().flat_map(|tools| tools.entries()) {
        all.tools.insert(tool.to_owned(), number(n));
    }
    Ok(all)
}
