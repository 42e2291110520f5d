//! The rows of a table for people: columns that hold something.

use super::super::args::FileName;
use super::super::out::{Out, Tone};
use crate::cli::Stop;
use crate::model::{cast, duration_text};
use crate::review::flat::{Cell, FlatSchema};
use crate::text::{counted, fit};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Columns that people see.
const SHOWN: &[&str] = &[
    "file",
    "format",
    "record",
    "id",
    "body",
    "bins",
    "task",
    "agent",
    "model",
    "mark",
    "steps",
    "calls",
    "failed",
    "suspect",
    "tokens",
    "reward",
    "cost",
    "duration",
    "group_n",
    "group_mean",
    "group_sd",
    "group_pass",
    "group_signal",
    "group_advantage",
    "finish",
    "errors",
    "warnings",
    "words",
];

/// Widest cell for people, in characters: of the records of a file, and where files are beside them.
const CELL_CHARS_MAX: usize = 40;
const NARROW_CHARS_MAX: usize = 28;
/// Most names of files that rewards are from.
const REWARD_FILES_MAX: usize = 4;

/// What rows are of.
pub(super) enum Source<'f> {
    /// The records of one file.
    One(&'f FileName),
    /// Those of several, and the folder that all are in.
    All(usize, &'f Path),
}

/// The folder that all files are in.
pub(super) fn common_folder<'f>(files: impl IntoIterator<Item = &'f FileName>) -> PathBuf {
    let folder = |file: &'f FileName| AsRef::<Path>::as_ref(file).parent().map(Path::to_owned).unwrap_or_default();
    let mut all = files.into_iter().map(folder);
    let mut common = all.next().unwrap_or_default();
    for folder in all {
        while !folder.starts_with(&common) && common.pop() {}
    }
    common
}

/// Prints rows, of which `count` were found.
pub(super) fn print(
    of: &Source<'_>,
    schema: &FlatSchema,
    (rows, count): (&[Vec<Cell>], usize),
    out: &mut Out,
) -> Result<(), Stop> {
    let records = counted(count, "record");
    match of {
        Source::One(file) => out.line(&format!("{file}  {records}"))?,
        Source::All(files, _) => out.line(&format!("{}  {records}", counted(*files, "file")))?,
    }
    let at = |name: &str| schema.columns.iter().position(|(known, _)| *known == name);
    let shown = shown_columns(of, rows, &at);
    let mut table = vec![shown.iter().map(|(_, name)| (Tone::Dim, (*name).to_owned())).collect::<Vec<_>>()];
    for row in rows {
        let cells = shown.iter().filter_map(|(at, name)| Some((row.get(*at)?, *name)));
        table.push(cells.map(|(cell, name)| (tone(name, cell), cell_text((name, cell), of))).collect());
    }
    table.iter_mut().filter_map(|row| row.first_mut()).for_each(|(_, text)| text.insert_str(0, "  "));
    out.cells(&table)?;
    note_rewards(&at, rows, out)?;
    if count > rows.len() {
        let more = format!("  … and {} more; --json, --csv and --out have all", count - rows.len());
        out.styled(&[(Tone::Dim, &more)])?;
    }
    Ok(())
}

/// Says which rewards no log has: from which files they are, and how many.
fn note_rewards(at: &dyn Fn(&str) -> Option<usize>, rows: &[Vec<Cell>], out: &mut Out) -> Result<(), Stop> {
    let Some((reward, from)) = at("reward").zip(at("reward_from")) else { return Ok(()) };
    let (mut names, mut unclear) = (BTreeMap::<&str, usize>::new(), None);
    for row in rows {
        let (Some(reward), Some(Cell::Text(Some(from)))) = (row.get(reward), row.get(from)) else { continue };
        match reward {
            Cell::Float(None) => unclear = unclear.or(Some(from)),
            _ => *names.entry(from.rsplit('/').next().unwrap_or(from)).or_default() += 1,
        }
    }
    if !names.is_empty() {
        let (all, mut names) = (names.values().sum::<usize>(), names.into_iter().collect::<Vec<_>>());
        names.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let more = names.len().saturating_sub(REWARD_FILES_MAX);
        let shown = names.iter().take(REWARD_FILES_MAX).map(|(name, count)| format!("{count} of {name}"));
        let more = if more > 0 { format!(" and {more} more names") } else { String::new() };
        let text = format!(
            "  {} from files beside the logs: {}{more}; reward_from in --json and --csv names each",
            counted(all, "reward"),
            shown.collect::<Vec<_>>().join(", ")
        );
        out.styled(&[(Tone::Dim, &text)])?;
    }
    if let Some(unclear) = unclear {
        out.styled(&[(Tone::Warning, &format!("  no reward where two files say different ones: {unclear}"))])?;
    }
    Ok(())
}

/// The columns that rows have something in, with their places.
fn shown_columns(
    of: &Source<'_>,
    rows: &[Vec<Cell>],
    at: &dyn Fn(&str) -> Option<usize>,
) -> Vec<(usize, &'static str)> {
    let is_filled = |cell: &Cell| !matches!(cell, Cell::Int(None | Some(0)) | Cell::Float(None) | Cell::Text(None));
    let is_same = |(one, other): (usize, usize)| rows.iter().all(|row| row.get(one) == row.get(other));
    // Where no task has several attempts the ids say it all.
    let names_tasks = !at("id").zip(at("task")).is_some_and(is_same);
    let is_one = matches!(of, Source::One(_));
    let is_wanted = |name: &str| match name {
        "task" => names_tasks,
        "file" => !is_one,
        // Where all are of one it says nothing.
        "format" => !is_one && at("format").is_some_and(|at| rows.iter().any(|row| row.get(at) != rows[0].get(at))),
        "words" => is_one,
        _ => true,
    };
    let always = |name: &str| name == "record" && is_one || name == "file";
    SHOWN
        .iter()
        .filter(|name| is_wanted(name))
        .filter_map(|name| Some((at(name)?, *name)))
        .filter(|(at, name)| always(name) || rows.iter().any(|row| row.get(*at).is_some_and(is_filled)))
        .collect()
}

fn tone(name: &str, cell: &Cell) -> Tone {
    match (name, cell) {
        ("record" | "words" | "task", _) => Tone::Dim,
        ("failed" | "errors", Cell::Int(Some(1..))) => Tone::Error,
        ("warnings" | "suspect", Cell::Int(Some(1..))) => Tone::Warning,
        _ => Tone::Plain,
    }
}

fn cell_text((name, cell): (&str, &Cell), of: &Source<'_>) -> String {
    let chars_max = if matches!(of, Source::One(_)) { CELL_CHARS_MAX } else { NARROW_CHARS_MAX };
    match (name, cell) {
        ("duration", Cell::Float(Some(seconds))) => duration_text(cast::f64_to_u64(seconds * 1e6)),
        // A hundredth of a cent is what matters to nobody.
        ("cost", Cell::Float(Some(cost))) => format!("{cost:.4}"),
        ("file", Cell::Text(Some(file))) => {
            let below = match of {
                Source::All(_, folder) => Path::new(file).strip_prefix(folder).ok().and_then(Path::to_str),
                Source::One(_) => None,
            };
            end_of(below.unwrap_or(file), chars_max)
        }
        (_, Cell::Int(Some(number))) => number.to_string(),
        (_, Cell::Float(Some(number))) => number.to_string(),
        (_, Cell::Text(Some(text))) => fit(text, chars_max).into_owned(),
        (_, Cell::Texts(texts)) => texts.join(" "),
        (_, Cell::Int(None) | Cell::Float(None) | Cell::Text(None)) => "–".to_owned(),
    }
}

/// The end of a path, which says more than its beginning.
fn end_of(path: &str, chars_max: usize) -> String {
    let chars = path.chars().count();
    if chars <= chars_max {
        return path.to_owned();
    }
    std::iter::once('…').chain(path.chars().skip(chars + 1 - chars_max)).collect()
}
