//! Two datasets: which records came, went and changed, and their statistics side by side. Of the records only digests
//! are held.

use super::super::args::FileName;
use super::super::out::{Out, Tone, exact, plain, raw};
use super::super::stats::{label, member_text, members};
use super::super::survey;
use super::Stop;
use super::stages::{self, Converted};
use crate::format::Answer;
use crate::ingest::Loaded;
use crate::json;
use crate::model::{Bytes, Problem, Record, RecordBody, lossy};
use crate::review::{Compared, Fingerprint, Rollout, ValueChange, changes, compare, record_id};
use crate::rules::digest;
use crate::source::RecordReader;
use crate::text::{SafeText, counted, cut};
use serde::Serialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::cmp::Ordering;

/// Most records of one sort that are listed for people.
const LISTED_MAX: usize = 100;
/// Most changed values of one record that are listed for people.
const CHANGES_MAX: usize = 20;
/// Most cells of a value for people.
const VALUE_CELLS: usize = 60;

/// A dataset by its name and content.
pub(super) struct Side<'l> {
    pub(super) file: &'l FileName,
    pub(super) loaded: &'l Loaded,
}

#[derive(Serialize)]
struct FileMember<'a> {
    file: Cow<'a, str>,
    records: usize,
}

#[derive(Serialize)]
struct RecordMember {
    id: Option<String>,
    record: usize,
}

#[derive(Serialize)]
struct ChangedMember {
    id: Option<String>,
    a: usize,
    b: usize,
    /// The rewards of both, if one has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    reward: Option<RewardMember>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<Vec<ChangeMember>>,
}

#[derive(Serialize)]
struct RewardMember {
    a: Option<f64>,
    b: Option<f64>,
}

#[derive(Serialize)]
struct ChangeMember {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<Box<RawValue>>,
}

#[derive(Serialize)]
struct StatsMember {
    a: Option<Box<RawValue>>,
    b: Option<Box<RawValue>>,
}

/// Compares two datasets; `has_changes`: with what changed in each record. Whether they differ.
pub(super) fn show(a: &Side<'_>, b: &Side<'_>, has_changes: bool, is_json: bool, out: &mut Out) -> Result<bool, Stop> {
    let formats = [a, b].map(|side| side.loaded.detected.format.name());
    let are_stages = [a, b].iter().all(|side| side.loaded.detected.format.is_stage());
    if formats[0] != formats[1] && !are_stages {
        let message = format!("the files are of two formats, {} and {}", formats[0], formats[1]);
        return Err(Problem::usage(message).hint("--format NAME reads both as one").into());
    }
    let compared = compare(&a.fingerprints()?, &b.fingerprints()?);
    let stats = [a.stats()?, b.stats()?];
    let converted = if are_stages { stages::converted(a, b, &compared.changed)? } else { None };
    if is_json {
        programs(a, b, &compared, stats, converted.as_deref(), has_changes, out)?;
    } else {
        people(a, b, &compared, &stats, has_changes, out)?;
        converted.as_deref().map_or(Ok(()), |all| stages::show(all, out))?;
    }
    Ok(compared.differs())
}

impl Side<'_> {
    fn fingerprints(&self) -> Result<Vec<Fingerprint>, Problem> {
        let mut reader = RecordReader::new(&self.loaded.input);
        self.loaded.records()?.iter().map(|record| Ok(fingerprint(&lossy(reader.text(&record)?), &record))).collect()
    }

    fn stats(&self) -> Result<Option<Box<RawValue>>, Stop> {
        let mut last = None;
        survey::stats(self.loaded, |stats| {
            last = Some(stats.to_owned());
            Ok(())
        })?;
        Ok(last)
    }

    /// A record's text, read again, by itself: those that are asked for are anywhere. Of one that is broken nothing.
    pub(super) fn text(&self, number: usize) -> Result<String, Problem> {
        let gone = || Problem::unreadable(format!("{} no longer holds record {number}", self.file));
        let record = self.loaded.records()?.get(number).ok_or_else(gone)?;
        match record.body {
            RecordBody::Text => Ok(lossy(&self.loaded.input.read(record.place.span)?).into_owned()),
            RecordBody::Broken(_) => Ok(String::new()),
        }
    }

    pub(super) fn id(&self, number: usize) -> Result<Option<String>, Problem> {
        Ok(json::parse(&self.text(number)?).ok().as_ref().and_then(record_id))
    }

    /// The reward of a record, as the table has it.
    fn reward(&self, number: usize) -> Result<Option<f64>, Problem> {
        let (text, way) = (self.text(number)?, self.loaded.detected.format.way());
        let rollout = json::parse(&text).ok().and_then(|record| Rollout::all_of(number, &record, None, way).pop());
        Ok(rollout.and_then(|rollout| rollout.reward))
    }

    fn members(&self, numbers: &[usize]) -> Result<Vec<RecordMember>, Problem> {
        numbers.iter().map(|&record| Ok(RecordMember { id: self.id(record)?, record })).collect()
    }
}

/// What is not valid JSON is alike where its text is.
fn fingerprint(text: &str, record: &Record) -> Fingerprint {
    let value = json::parse(text).ok().filter(|_| !matches!(record.body, RecordBody::Broken(_)));
    let null = json::Value { start: 0, text: "", data: json::Data::Null };
    match value {
        Some(value) => {
            let id = record_id(&value).map(|id| digest::of_pair("id", &id, "", &null));
            Fingerprint { id, content: digest::of(&value) }
        }
        None => Fingerprint { id: None, content: digest::of_pair("broken", text, "", &null) },
    }
}

/// The rewards of a pair of records; None where neither has one.
fn rewards(a: &Side<'_>, b: &Side<'_>, pair: (usize, usize)) -> Result<Option<RewardMember>, Problem> {
    let of = RewardMember { a: a.reward(pair.0)?, b: b.reward(pair.1)? };
    Ok((of.a.is_some() || of.b.is_some()).then_some(of))
}

/// What changed in a record; None where one of them is not valid JSON.
fn changed(a: &Side<'_>, b: &Side<'_>, pair: (usize, usize)) -> Result<Option<Vec<ValueChange>>, Problem> {
    let (old, new) = (a.text(pair.0)?, b.text(pair.1)?);
    Ok(json::parse(&old).ok().zip(json::parse(&new).ok()).map(|(old, new)| changes(&old, &new)))
}

fn programs(
    a: &Side<'_>,
    b: &Side<'_>,
    compared: &Compared,
    [old, new]: [Option<Box<RawValue>>; 2],
    converted: Option<&[Converted]>,
    has_changes: bool,
    out: &mut Out,
) -> Result<(), Stop> {
    let side = |text: Option<String>| text.map(exact).transpose();
    let change =
        |change: ValueChange| Ok(ChangeMember { path: change.path, old: side(change.old)?, new: side(change.new)? });
    let mut all = Vec::new();
    for &pair in &compared.changed {
        let changes = if has_changes { changed(a, b, pair)? } else { None };
        let changes = changes.map(|all| all.into_iter().map(change).collect::<Result<_, Problem>>()).transpose()?;
        let reward = rewards(a, b, pair)?;
        all.push(ChangedMember { id: b.id(pair.1)?, a: pair.0, b: pair.1, reward, changes });
    }
    let file = |side: &Side<'_>| raw(&FileMember { file: side.file.text(), records: side.loaded.records()?.len() });
    let mut members: Answer = vec![
        ("format", raw(a.loaded.detected.format.name())?),
        ("a", file(a)?),
        ("b", file(b)?),
        ("same", raw(&compared.same)?),
        ("reordered", raw(&compared.is_reordered)?),
        ("changed", raw(&all)?),
        ("gone", raw(&a.members(&compared.gone)?)?),
        ("came", raw(&b.members(&compared.came)?)?),
        ("stats", raw(&StatsMember { a: old, b: new })?),
    ];
    if let Some(all) = converted {
        members.push(("conversion", raw(&stages::members(all))?));
    }
    Ok(out.json(&plain(&members))?)
}

fn people(
    a: &Side<'_>,
    b: &Side<'_>,
    compared: &Compared,
    stats: &[Option<Box<RawValue>>; 2],
    has_changes: bool,
    out: &mut Out,
) -> Result<(), Stop> {
    for (sign, side) in [("---", a), ("+++", b)] {
        out.line(&format!("{sign} {}  {}", side.file, counted(side.loaded.records()?.len(), "record")))?;
    }
    let order = if compared.is_reordered { ", in another order" } else { "" };
    out.line(&format!("  {} alike{order}", compared.same))?;
    for (sign, side, numbers) in [("-", a, &compared.gone), ("+", b, &compared.came)] {
        for member in side.members(&numbers[..numbers.len().min(LISTED_MAX)])? {
            out.line(&format!("{sign} {}  {}", member.record, member.id.unwrap_or_default()))?;
        }
        more(sign, numbers.len(), LISTED_MAX, out)?;
    }
    for &(old, new) in compared.changed.iter().take(LISTED_MAX) {
        let name = format!("~ {old} → {new}  {}", b.id(new)?.unwrap_or_default());
        let (tone, reward) = rewards(a, b, (old, new))?.map_or((Tone::Plain, String::new()), |of| reward_text(&of));
        out.styled(&[(Tone::Plain, &name), (tone, &reward)])?;
        if has_changes {
            let all = changed(a, b, (old, new))?.unwrap_or_default();
            all.iter().take(CHANGES_MAX).try_for_each(|change| show_change(change, out))?;
            more("   ", all.len(), CHANGES_MAX, out)?;
        }
    }
    more("~", compared.changed.len(), LISTED_MAX, out)?;
    out.line("")?;
    side_by_side(stats, out)
}

/// What became of a reward, and whether that is better.
fn reward_text(of: &RewardMember) -> (Tone, String) {
    let text = |reward: Option<f64>| reward.map_or_else(|| "–".to_owned(), |reward| reward.to_string());
    let tone = match of.a.partial_cmp(&of.b) {
        Some(Ordering::Less) => Tone::Good,
        Some(Ordering::Greater) => Tone::Error,
        Some(Ordering::Equal) | None => return (Tone::Dim, format!("  reward {}", text(of.b))),
    };
    (tone, format!("  reward {} → {}", text(of.a), text(of.b)))
}

fn show_change(change: &ValueChange, out: &mut Out) -> Result<(), Stop> {
    out.styled(&[(Tone::Dim, "    "), (Tone::Strong, &change.path)])?;
    for (sign, side) in [("-", &change.old), ("+", &change.new)] {
        if let Some(text) = side {
            out.line(&format!("    {sign} {}", cut(&SafeText::of(text), VALUE_CELLS).as_str()))?;
        }
    }
    Ok(())
}

fn more(sign: &str, count: usize, most: usize, out: &mut Out) -> Result<(), Stop> {
    if count > most {
        out.line(&format!("{sign} … {} more; --json lists all", count - most))?;
    }
    Ok(())
}

/// Statistics of both, a row a member; `≠` where they differ.
fn side_by_side(stats: &[Option<Box<RawValue>>; 2], out: &mut Out) -> Result<(), Stop> {
    let [old, new] = stats.each_ref().map(|stats| stats.as_deref().and_then(|stats| json::parse(stats.get()).ok()));
    let (Some(old), Some(new)) = (old, new) else { return Ok(()) };
    let mut rows = vec![["", "", "A", "B"].map(str::to_owned).to_vec()];
    for (key, value) in members(&old) {
        let other = new.get(key).map_or(String::new(), |value| member_text(key, value));
        let value = member_text(key, value);
        let sign = if value == other { "" } else { "≠" };
        let [value, other] = [&value, &other].map(|text| cut(&SafeText::of(text), VALUE_CELLS).as_str().to_owned());
        rows.push(vec![sign.to_owned(), label(key), value, other]);
    }
    Ok(out.table(&rows)?)
}
