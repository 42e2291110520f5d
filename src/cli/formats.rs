//! `obelus formats`: which formats there are, what a file is and why, and a draft of a format for one that is unknown.

use super::args::{FileName, FormatOption, parsed};
use super::out::{Out, plain, raw};
use super::{Command, Stop};
use crate::format::{Answer, Format, Layout, draft_format};
use crate::ingest::{self, Loaded};
use crate::json;
use crate::model::Problem;
use crate::source::RecordReader;
use crate::text::wrap;
use clap::{ArgMatches, Args};
use serde::Serialize;

/// Cells of a line of description.
const LINE_CELLS: usize = 92;
/// Records and bytes of them that a draft is guessed from.
const DRAFT_RECORDS: usize = 2000;
const DRAFT_BYTES: usize = 16 << 20;
/// Most bytes that are read of one of them: of a longer one its beginning counts.
const DRAFT_RECORD_BYTES: u64 = 4 << 20;

pub(super) const COMMAND: Command = Command { name: "formats", describe: Options::augment_args, run };

/// List the formats, or print which format a file has and why
#[derive(Debug, Args)]
struct Options {
    /// File to identify; `-` is standard input
    #[arg(value_name = "FILE")]
    file: Option<FileName>,
    /// Print a draft of a custom format for a file of no known format, guessed from its records; for a known format,
    /// print why it was recognised
    #[arg(long, requires = "file")]
    explain: bool,
    #[command(flatten)]
    format: FormatOption,
    /// Print JSON: one value
    #[arg(long)]
    json: bool,
}

/// One format of the list.
#[derive(Serialize)]
struct Row {
    name: &'static str,
    title: &'static str,
    /// `run`: a file is one trajectory; `set`: each record is one.
    layout: &'static str,
    about: &'static str,
    /// The file that defines a custom format.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'static str>,
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    match &options.file {
        Some(file) => judge(file, &options, out)?,
        None => list(&options, out)?,
    }
    Ok(0)
}

fn list(options: &Options, out: &mut Out) -> Result<(), Stop> {
    let rows: Vec<Row> = ingest::all_formats().map(row).collect();
    if options.json {
        return Ok(out.json(&plain(&vec![("formats", raw(&rows)?)]))?);
    }
    for (i, row) in rows.iter().enumerate() {
        if i > 0 {
            out.line("")?;
        }
        out.line(&format!("{}  {}", row.name, row.title))?;
        for range in wrap(row.about, LINE_CELLS) {
            out.line(&format!("    {}", row.about[range].trim_end()))?;
        }
        if let Some(file) = row.file {
            out.line(&format!("    custom: {file}"))?;
        }
    }
    Ok(())
}

fn row(format: &dyn Format) -> Row {
    let layout = match format.layout() {
        Layout::Run => "run",
        Layout::Set => "set",
    };
    Row { name: format.name(), title: format.title(), layout, about: format.about(), file: format.file() }
}

fn judge(file: &FileName, options: &Options, out: &mut Out) -> Result<(), Stop> {
    let loaded = super::load(file, options.format.forced(), out)?;
    let draft = if options.explain && loaded.detected.format.name() == ingest::FALLBACK {
        Some(draft(file, &loaded)?)
    } else {
        None
    };
    if options.json {
        let mut members = members(&file.text(), &loaded)?;
        if options.explain {
            members.push(("draft", raw(&draft)?));
        }
        return Ok(out.json(&plain(&members))?);
    }
    if let Some(draft) = draft {
        // What speaks against the built-in formats, and which of them is nearest, precedes the draft.
        let is_informative = |reason: &&String| !loaded.detected.was_forced && !reason.starts_with('`');
        let reasons = loaded.detected.reasons.iter().filter(is_informative);
        reasons.flat_map(|reason| reason.lines()).try_for_each(|line| out.line(&format!("# {line}")))?;
        return Ok(out.text(&draft)?);
    }
    let format = loaded.detected.format;
    let count = match loaded.trajectory_count()? {
        0 => "no records".to_owned(),
        1 => "1 trajectory".to_owned(),
        n => format!("{n} trajectories"),
    };
    out.line(&format!("{file}: {} ({}), {count}", format.name(), format.title()))?;
    loaded.detected.reasons.iter().try_for_each(|reason| out.line(&format!("    {reason}")))?;
    Ok(())
}

/// A draft of a format for the first records of a file.
fn draft(file: &FileName, loaded: &Loaded) -> Result<String, Problem> {
    let (mut reader, mut texts, mut bytes) = (RecordReader::new(&loaded.input), Vec::new(), 0);
    for mut record in loaded.records()?.iter().take(DRAFT_RECORDS) {
        let is_whole = record.place.span.len <= DRAFT_RECORD_BYTES;
        record.place.span.len = record.place.span.len.min(DRAFT_RECORD_BYTES);
        let text = reader.text(&record)?;
        let text = if is_whole { Some(text.to_vec()) } else { json::closed(text) };
        texts.extend(text.and_then(|text| String::from_utf8(text).ok()).inspect(|text| bytes += text.len()));
        if bytes > DRAFT_BYTES {
            break;
        }
    }
    let records: Vec<_> = texts.iter().filter_map(|text| json::parse_lenient(text).ok()).collect();
    draft_format(&file.text(), &records)
}

fn members(file: &str, loaded: &Loaded) -> Result<Answer, Problem> {
    Ok(vec![
        ("file", raw(file)?),
        ("format", raw(loaded.detected.format.name())?),
        ("forced", raw(&loaded.detected.was_forced)?),
        ("reasons", raw(&loaded.detected.reasons)?),
        ("trajectories", raw(&loaded.trajectory_count()?)?),
    ])
}
