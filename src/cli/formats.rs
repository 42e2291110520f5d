//! `obelus formats`: which formats there are, and what a file is and why.

use super::args::{FileName, FormatOption, parsed};
use super::out::{Out, plain, raw};
use super::{Command, Stop};
use crate::format::{Answer, FORMATS, Format, Layout};
use crate::ingest::Loaded;
use crate::model::Problem;
use crate::text::wrap;
use clap::{ArgMatches, Args};
use serde::Serialize;

/// Cells of a line of description.
const LINE_CELLS: usize = 92;

pub(super) const COMMAND: Command = Command { name: "formats", describe: Options::augment_args, run };

/// List the formats, or say what a file is and why
#[derive(Debug, Args)]
struct Options {
    /// File to judge; `-` is standard input
    #[arg(value_name = "FILE")]
    file: Option<FileName>,
    #[command(flatten)]
    format: FormatOption,
    /// Answer for programs: one JSON text
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
    let rows: Vec<Row> = FORMATS.iter().map(|format| row(*format)).collect();
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
    }
    Ok(())
}

fn row(format: &dyn Format) -> Row {
    let layout = match format.layout() {
        Layout::Run => "run",
        Layout::Set => "set",
    };
    Row { name: format.name(), title: format.title(), layout, about: format.about() }
}

fn judge(file: &FileName, options: &Options, out: &mut Out) -> Result<(), Stop> {
    let loaded = super::load(file, options.format.forced(), out)?;
    if options.json {
        return Ok(out.json(&plain(&members(&file.text(), &loaded)?))?);
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

fn members(file: &str, loaded: &Loaded) -> Result<Answer, Problem> {
    Ok(vec![
        ("file", raw(file)?),
        ("format", raw(loaded.detected.format.name())?),
        ("forced", raw(&loaded.detected.was_forced)?),
        ("reasons", raw(&loaded.detected.reasons)?),
        ("trajectories", raw(&loaded.trajectory_count()?)?),
    ])
}
