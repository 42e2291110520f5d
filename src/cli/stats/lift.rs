//! `obelus stats --lift`: which phrases and tools go with high rewards, and which with low ones.

use super::super::filter::passes;
use super::{Options, lift_places};
use crate::cli::Stop;
use crate::cli::args::FileName;
use crate::cli::out::{Out, Tone, plain, raw};
use crate::ingest::{self, Loaded};
use crate::model::{Problem, Record};
use crate::review::{Lift, Lifts, PhraseCounts, RecordFeatures};
use crate::rules::trajectory::read_text;
use crate::text::counted;
use serde::Serialize;

/// Most lines of each end, for people and for programs.
const SHOWN_MAX: usize = 15;
const JSON_LINES_MAX: usize = 500;
/// Standard errors from which on a line is reported to people: of thousands of phrases some differ by chance.
const Z_MIN: f64 = 2.0;

/// A phrase or tool for programs.
#[derive(Serialize)]
struct LiftLine<'a> {
    feature: &'a str,
    records: u64,
    reward: f64,
    reward_without: f64,
    lift: Option<f64>,
    z: f64,
    places: Vec<RecordPlace>,
}

#[derive(Serialize)]
struct RecordPlace {
    record: usize,
    step: usize,
}

/// Reports the phrases and tools of one file.
pub(super) fn write_report(
    file: &FileName,
    loaded: &Loaded,
    (options, passing): (&Options, Option<&[bool]>),
    out: &mut Out,
) -> Result<(), Stop> {
    let mut counts = PhraseCounts::default();
    each(loaded, (options, passing), |features| counts.add(&features))?;
    let mut lifts = Lifts::new(counts);
    each(loaded, (options, passing), |features| lifts.add(features))?;
    let ((records, mean), is_cut) = (lifts.all(), lifts.is_cut);
    let mut lifts = lifts.finish();
    let (shown, count) = (if options.json { JSON_LINES_MAX } else { SHOWN_MAX }, lifts.len());
    let at_ends = lifts.iter_mut().enumerate().filter(|(place, _)| *place < shown || count <= place + shown);
    lift_places::to_steps(loaded, at_ends.map(|(_, lift)| lift))?;
    if options.json {
        programs(file, (records, mean), &lifts, out)
    } else {
        people(file, (records, mean), &lifts, is_cut, out)
    }
}

/// Gives what the agent said in each record that has a reward, in the order of the file.
fn each(
    loaded: &Loaded,
    (options, passing): (&Options, Option<&[bool]>),
    mut take: impl FnMut(RecordFeatures),
) -> Result<(), Problem> {
    let (by, way) = (options.by.as_deref(), loaded.detected.format.way());
    let is_wanted = |record: &Record| passes(passing, record.number);
    let look = |record: &Record, text: &[u8]| {
        let value = read_text(record, text).ok().filter(|_| is_wanted(record));
        value.map(|value| RecordFeatures::all_of(record.number, &value, by, way)).unwrap_or_default()
    };
    ingest::look_at_known(loaded, look, |features: Vec<RecordFeatures>| {
        features.into_iter().for_each(&mut take);
        Ok(())
    })
}

fn programs(file: &FileName, (records, mean): (u64, f64), lifts: &[Lift], out: &mut Out) -> Result<(), Stop> {
    let head = lifts.iter().take(JSON_LINES_MAX);
    let tail = lifts.iter().skip(JSON_LINES_MAX.max(lifts.len().saturating_sub(JSON_LINES_MAX)));
    for lift in head.chain(tail) {
        let place = |&(record, step): &(usize, usize)| RecordPlace { record, step };
        let line = LiftLine {
            feature: &lift.feature,
            records: lift.records,
            reward: lift.mean,
            reward_without: lift.mean_without,
            lift: lift.lift,
            z: lift.z,
            places: lift.places.iter().map(place).collect(),
        };
        out.json(&plain(&vec![("file", raw(&file.text())?), ("type", raw("lift")?), ("lift", raw(&line)?)]))?;
    }
    let members = vec![
        ("file", raw(&file.text())?),
        ("type", raw("lifts")?),
        ("records", raw(&records)?),
        ("reward", raw(&mean)?),
        ("features", raw(&lifts.len())?),
    ];
    Ok(out.json(&plain(&members))?)
}

fn people(
    file: &FileName,
    (records, mean): (u64, f64),
    lifts: &[Lift],
    is_cut: bool,
    out: &mut Out,
) -> Result<(), Stop> {
    let of = counted(usize::try_from(records).unwrap_or(usize::MAX), "record");
    out.line(&format!("{file}  {of} with a reward, mean {mean:.3}"))?;
    let heading = ["  phrase or tool", "records", "reward", "without", "lift", "z", "where"];
    let mut rows = vec![heading.map(|word| (Tone::Dim, word.to_owned())).to_vec()];
    let up = lifts.iter().take_while(|lift| lift.z >= Z_MIN).take(SHOWN_MAX);
    let down: Vec<&Lift> = lifts.iter().rev().take_while(|lift| lift.z <= -Z_MIN).take(SHOWN_MAX).collect();
    rows.extend(up.chain(down.into_iter().rev()).map(row));
    if rows.len() == 1 {
        let text = format!("  of {} phrases and tools none goes clearly with high or low rewards", lifts.len());
        return Ok(out.styled(&[(Tone::Dim, &text)])?);
    }
    out.cells(&rows)?;
    let more = if is_cut { "; there are more phrases than are added up" } else { "" };
    let text = format!("rewards are compared within tasks; z of 2 is chance in one of 20 phrases{more}");
    Ok(out.styled(&[(Tone::Dim, &text)])?)
}

fn row(lift: &Lift) -> Vec<(Tone, String)> {
    let places = lift.places.iter().map(|(record, step)| format!("{record}@{step}")).collect::<Vec<_>>().join(" ");
    let tone = if lift.z > 0.0 { Tone::Good } else { Tone::Warning };
    vec![
        (Tone::Plain, format!("  {}", lift.feature)),
        (Tone::Plain, lift.records.to_string()),
        (Tone::Plain, format!("{:.3}", lift.mean)),
        (Tone::Plain, format!("{:.3}", lift.mean_without)),
        (Tone::Plain, lift.lift.map_or_else(|| "–".to_owned(), |lift| format!("{lift:.2}"))),
        (tone, format!("{:+.1}", lift.z)),
        (Tone::Dim, places),
    ]
}
