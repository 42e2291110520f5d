//! `obelus files`: the files that a run knew and changed (W12).

use super::args::{StepQuery, parsed};
use super::open::Opened;
use super::out::{Out, Tone, answer, at, exact, raw};
use super::{Command, Stop};
use crate::format::Answer;
use crate::model::{Problem, StepNo};
use crate::rules::work::{FileRow, KnownLines, Work};
use crate::text::counted;
use clap::{ArgMatches, Args};
use serde_json::value::RawValue;

pub(super) const COMMAND: Command = Command { name: "files", describe: Options::augment_args, run };

/// Print the files that a run read, wrote and changed, and how much of each the agent knew
#[derive(Debug, Args)]
struct Options {
    #[command(flatten)]
    question: StepQuery,
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    let opened = options.question.open_state(out)?;
    let rows = work_of(&opened)?.files(opened.step);
    if options.question.json {
        let rows: Vec<Box<RawValue>> = rows.iter().map(member).collect::<Result<_, Problem>>()?;
        out.json(&answer(&opened.header(), &vec![("files", raw(&rows)?)]))?;
    } else if rows.is_empty() {
        super::complain("up to this step the run reads and writes no file");
    } else {
        out.columns(&[Tone::Step, Tone::Path], &rows.iter().map(cells).collect::<Vec<_>>())?;
    }
    Ok(0)
}

/// What the run knew and did.
///
/// # Errors
/// Its format has no calls and results.
pub(super) fn work_of(opened: &Opened) -> Result<&Work, Problem> {
    let none = || {
        opened
            .no_answer("says nothing of files: it has no calls")
            .hint("`obelus formats` says which formats have calls and results")
    };
    opened.run.work().ok_or_else(none)
}

/// A row as an object.
fn member(row: &FileRow<'_>) -> Result<Box<RawValue>, Problem> {
    let members: Answer = vec![
        ("path", raw(row.path)?),
        ("known", exact(row.known.json())?),
        ("lines", raw(&row.lines)?),
        ("first", raw(&row.first)?),
        ("changed", raw(&row.changed)?),
        ("seen", raw(&row.seen)?),
        ("edits", raw(&row.edits)?),
        ("failed", raw(&row.failed)?),
        ("doubt", raw(&row.doubt)?),
    ];
    let members: Vec<String> = members.iter().map(|(name, value)| format!("\"{name}\":{}", value.get())).collect();
    exact(format!("{{{}}}", members.join(",")))
}

/// Path, lines, and what was done when.
fn cells(row: &FileRow<'_>) -> Vec<String> {
    let when = |word: &str, step: Option<StepNo>| step.map(|step| format!("{word} {}", at(step)));
    let count = |count: u64, word: &str| (count > 0).then(|| format!("{count} {word}"));
    let done = [
        when("changed", row.changed),
        when("seen", row.seen),
        (row.edits > 0).then(|| counted(row.edits, "edit")),
        count(row.failed, "failed"),
        when("in doubt since", row.doubt),
    ];
    let done: Vec<String> = done.into_iter().flatten().collect();
    vec![at(row.first), row.path.to_owned(), known(&row.known, row.lines), done.join(" · ")]
}

/// How much of a file is known, for people: `420 of 893 lines`.
pub(super) fn known(known: &KnownLines, lines: Option<u32>) -> String {
    match (known, known.count(), lines) {
        (KnownLines::Deleted, ..) => "deleted".to_owned(),
        (_, Some(count), Some(lines)) => format!("{count} of {}", counted(lines, "line")),
        (_, Some(0), None) => "not known".to_owned(),
        (_, Some(count), None) => format!("{}, the rest is not known", counted(count, "line")),
        (_, None, lines) => format!("all {}", counted(lines.unwrap_or(0), "line")),
    }
}
