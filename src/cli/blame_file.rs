//! `obelus blame --file`: who wrote or first showed each line of a file (W12).

use super::Stop;
use super::files::{known, work_of};
use super::open::Opened;
use super::out::{Out, Tone, answer, at, exact, raw};
use crate::format::Answer;
use crate::json::quote;
use crate::model::Problem;
use crate::rules::work::{BlameLine, FileAt};

/// Exit status for a file that the run does not know.
const UNKNOWN: u8 = 1;

/// Answers for one file.
///
/// # Errors
/// The format knows no files; the output cannot be written.
pub(super) fn answer_file(opened: &Opened, path: &str, is_json: bool, out: &mut Out) -> Result<u8, Stop> {
    let Some(file) = work_of(opened)?.file(path, opened.step) else {
        let problem =
            Problem::usage(format!("the run knows no file {path:?} at {}, or several that end so", at(opened.step)));
        super::complain(&problem.hint("`obelus files` lists those that it knows").to_string());
        return Ok(UNKNOWN);
    };
    if is_json {
        out.json(&answer(&opened.header(), &members(&file)?))?;
    } else {
        print(opened, &file, out)?;
    }
    Ok(0)
}

fn members(file: &FileAt<'_>) -> Result<Answer, Problem> {
    let lines: Vec<String> = file.blame.iter().map(line_member).collect();
    Ok(vec![
        ("file", raw(file.path)?),
        ("known", exact(file.known.json())?),
        ("lines", raw(&file.lines)?),
        ("doubt", raw(&file.doubt)?),
        ("blame", exact(format!("[{}]", lines.join(",")))?),
    ])
}

fn line_member(line: &BlameLine<'_>) -> String {
    let number = line.number.map_or("null".to_owned(), |number| number.to_string());
    let origin = line.origin;
    format!(
        "{{\"line\":{number},\"text\":{},\"step\":{},\"call\":{},\"how\":{}}}",
        quote(line.text),
        origin.step,
        origin.call,
        quote(origin.how.name())
    )
}

/// A head, then step, way, number and text of each line; lines that are not known are reported where they are missing.
fn print(opened: &Opened, file: &FileAt<'_>, out: &mut Out) -> Result<(), Stop> {
    let doubt = file.doubt.map(|step| format!(" · may have changed {}", at(step))).unwrap_or_default();
    out.line(&format!("{} {} · {} known{doubt}", file.path, at(opened.step), known(&file.known, file.lines)))?;
    let mut next = Some(1);
    for line in &file.blame {
        if line.number != next {
            out.line(&gap(next, line.number))?;
        }
        let number = line.number.map(|number| number.to_string()).unwrap_or_default();
        let origin = line.origin;
        let step = format!("{:<6} ", at(origin.step));
        let how = format!("{:<8}", origin.how.name());
        let place = format!("{number:>6} │ ");
        out.row(&[(Tone::Step, &step), (Tone::Who, &how), (Tone::Dim, &place), (Tone::Plain, line.text)])?;
        next = line.number.map(|number| number + 1);
    }
    let end = file.lines.filter(|lines| next.is_some_and(|next| next <= *lines));
    if let Some(lines) = end {
        out.line(&gap(next, lines.checked_add(1)))?;
    }
    Ok(())
}

fn gap(from: Option<u32>, to: Option<u32>) -> String {
    let range_text = match (from, to) {
        (Some(from), Some(to)) if from + 1 == to => format!("line {from} is not known"),
        (Some(from), Some(to)) => format!("lines {from} to {} are not known", to.saturating_sub(1)),
        _ => "lines whose place is not known".to_owned(),
    };
    format!("{:<6} {:<8}{:>6} │ {range_text}", "", "", "⋯")
}
