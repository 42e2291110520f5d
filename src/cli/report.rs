//! `obelus report`: a run as one HTML page, to be read without obelus.

use super::args::{FileName, FormatOption, parsed};
use super::export::{redactor, without_pieces};
use super::open::is_readable;
use super::out::Out;
use super::{Command, Stop, output_path};
use crate::format::Layout;
use crate::ingest::{self, Loaded};
use crate::model::{Bytes, Problem, Record, Span, lossy};
use crate::panes::report::Report;
use crate::shell::headless::complete_session;
use crate::source::Input;
use crate::text::size_text;
use crate::ui::report::{ReportInfo, Syntaxes, page};
use clap::{ArgMatches, Args};
use std::path::{Path, PathBuf};

/// Largest input whose secrets are replaced in memory, in bytes.
const REDACTED_BYTES_MAX: u64 = 512 << 20;

pub(super) const COMMAND: Command = Command { name: "report", describe: Options::augment_args, run };

/// Write a run as one HTML page: steps, changes, state with blame, files, findings
///
/// The page is self-contained: it loads no script, font or picture from elsewhere. It is dark or light as the browser
/// is. Of a long run the middle is left out; the page says which steps, and names the command that opens each place.
#[derive(Debug, Args)]
struct Options {
    /// File to read; `-` is standard input
    #[arg(value_name = "FILE")]
    file: FileName,
    #[command(flatten)]
    format: FormatOption,
    /// Trajectory of a file that holds several, from 0
    #[arg(long, value_name = "R", default_value_t = 0)]
    record: usize,
    /// Page to write
    #[arg(long, short, value_name = "OUT")]
    out: PathBuf,
    /// Overwrite an existing file (never the input)
    #[arg(long)]
    force: bool,
    /// Replace secrets by [REDACTED:KIND] first: keys, tokens, passwords, mail addresses, found by pattern
    #[arg(long)]
    redact: bool,
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    let loaded = super::load(&options.file, options.format.forced(), out)?;
    let count = loaded.trajectories()?;
    if options.record >= count {
        let message = format!("{} has no trajectory {}", options.file, options.record);
        return Err(Problem::usage(message).hint(format!("it has {count}, counted from 0")).into());
    }
    is_readable(&loaded, options.record, loaded.run(options.record)?.as_ref())?;
    let is_one_of_several = loaded.detected.format.layout() == Layout::Set && count > 1;
    let (session, redacted) = if options.redact {
        let (loaded, record, count) = redacted(&loaded, options.record)?;
        (complete_session(loaded, record)?, Some(count))
    } else {
        (complete_session(loaded, options.record)?, None)
    };
    let name = options.file.text();
    let record = is_one_of_several.then_some(options.record);
    let mut report = Report::new(session, (Some(&name), options.format.forced(), record), &Syntaxes);
    let html = page(&mut report, ReportInfo { version: env!("CARGO_PKG_VERSION"), redacted });
    let inputs: Vec<&Path> = Some(options.file.as_ref()).filter(|_| !options.file.is_stdin()).into_iter().collect();
    let mut output = output_path::create(&options.out, options.force, &inputs)?;
    output.write(html.as_bytes())?;
    output.finish()?.publish()?;
    out.line(&format!("{}: {}", options.out.display(), size_text(html.len() as u64)))?;
    Ok(0)
}

/// The input without its secrets, the trajectory in it, and how many secrets were replaced. Bytes between records
/// stay as they are: no format reads them.
///
/// # Errors
/// The input is too large, or can no longer be read.
fn redacted(loaded: &Loaded, record: usize) -> Result<(Loaded, usize, usize), Problem> {
    let format = loaded.detected.format;
    let is_set = format.layout() == Layout::Set;
    let records: Vec<Record> =
        if is_set { loaded.records()?.get(record).into_iter().collect() } else { loaded.records()?.iter().collect() };
    let size = if is_set { records.iter().map(|record| record.place.span.len).sum() } else { loaded.input.len() };
    if size > REDACTED_BYTES_MAX {
        let message = format!("{} is larger than {}", loaded.input.name(), size_text(REDACTED_BYTES_MAX));
        return Err(Problem::usage(message).hint("write it without its secrets first: `obelus export --redact`"));
    }
    let redactor = redactor()?;
    let (mut text, mut at, mut count) = (Vec::new(), 0, 0);
    let between = |from: u64, to: u64| {
        let span = Span { offset: from, len: to.saturating_sub(from) };
        if span.len == 0 || is_set { Ok(Vec::new()) } else { loaded.input.read(span) }
    };
    for record in &records {
        let span = record.place.span;
        text.extend(between(at, span.offset)?);
        let record_bytes = loaded.input.read(span)?;
        match redactor.redact(&lossy(&record_bytes)) {
            None => text.extend(record_bytes),
            Some((changed, secrets)) => {
                text.extend(changed.into_bytes());
                count += secrets.len();
            }
        }
        at = span.offset + span.len;
    }
    text.extend(between(at, loaded.input.len())?);
    let (record, load) = (if is_set { 0 } else { record }, |text: Vec<u8>| {
        ingest::load(Input::memory(loaded.input.name(), text), Some(format.name()))
    });
    let whole = load(text)?;
    let (text, of_pieces) = without_pieces(&whole, record, &redactor)?;
    let redacted = if of_pieces == 0 { whole } else { load(text)? };
    Ok((redacted, record, count + of_pieces))
}
