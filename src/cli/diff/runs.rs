//! Two runs: their steps aligned by what they say, where they part, and how their states differ then and in the end.

use super::super::args::StepQuery;
use super::super::open::Opened;
use super::super::out::{Out, plain, raw};
use super::super::{Stop, complain};
use super::show::{self, DiffEntry, Sides, differences, differs};
use crate::format::Answer;
use crate::ingest::Loaded;
use crate::model::{Place, Problem, Record, RecordBody, StepNo, lossy};
use crate::panes::two_runs::alignment::message_digest;
use crate::state::diff::{At, DiffPart, Hunk, align, partner, states};
use crate::text::{SafeText, counted, cut, single_line};
use serde::Serialize;
use std::ops::Range;

/// Most steps that are listed for people.
const LISTED_MAX: usize = 200;
/// Characters that precede a difference, of what both sides share.
const CONTEXT: usize = 24;
/// Most cells of a step in the list.
const STEP_CELLS: usize = 110;

/// Both runs and how they are aligned.
struct Compared {
    a: Opened,
    b: Opened,
    /// Where the steps differ, up to the last steps that are compared.
    hunks: Vec<Hunk>,
    /// The last steps that are compared; -1 for none.
    last: (StepNo, StepNo),
}

/// The states after a pair of steps.
struct States {
    steps: (StepNo, StepNo),
    parts: Vec<DiffPart>,
}

#[derive(Serialize)]
struct RunMember<'a> {
    file: &'a str,
    step: StepNo,
    steps: usize,
}

#[derive(Serialize)]
struct HunkMember {
    a: [usize; 2],
    b: [usize; 2],
}

#[derive(Serialize)]
struct StatesMember {
    a: StepNo,
    b: StepNo,
    differences: Vec<DiffEntry>,
}

/// A question, and its file.
type Asked<'q> = (&'q StepQuery, Loaded);

/// Compares two runs and reports it; whether they differ. `count`: of files with a trajectory in each record how many
/// there are, if none of them was asked for.
pub(super) fn compare(old: Asked<'_>, new: Asked<'_>, count: Option<usize>, out: &mut Out) -> Result<bool, Stop> {
    let (a, b) = (old.0, new.0);
    let compared = align_runs(old, new)?;
    if let Some(count) = count.map(|count| compared.trajectories(count)).filter(|count| *count > 1) {
        let name = &a.file;
        complain(&format!("{name}: only the first of {count} trajectories is compared; --record R compares another"));
    }
    compared.a.report_trouble(out);
    compared.b.report_trouble(out);
    let first = compared.hunks.first().and_then(|hunk| compared.after(hunk));
    let end = compared.states(compared.last);
    if a.json {
        out.json(&plain(&compared.members((a, b), first.as_ref(), &end)?))?;
    } else {
        compared.show((a, b), first.as_ref(), &end, out)?;
    }
    Ok(!compared.hunks.is_empty() || differs(&end.parts))
}

/// Folds both, one on a thread of its own, and aligns their steps.
fn align_runs(old: Asked<'_>, new: Asked<'_>) -> Result<Compared, Problem> {
    let file = &new.0.file;
    let read = |(question, loaded): Asked<'_>| -> Result<(Opened, Vec<u128>), Problem> {
        let opened = question.of(loaded)?;
        let digests = digests(&opened)?;
        Ok((opened, digests))
    };
    let (first, second) = std::thread::scope(|scope| {
        let other = scope.spawn(|| read(new));
        let first = read(old);
        (first, other.join().unwrap_or_else(|_| Err(Problem::unreadable(format!("{file} cannot be read")))))
    });
    let ((a, mut old), (b, mut new)) = (first?, second?);
    if a.format() != b.format() {
        let message = format!("the files are of two formats, {} and {}", a.format(), b.format());
        return Err(Problem::usage(message).hint("--format NAME reads both as one"));
    }
    let mut hunks = align(&old, &new);
    let first = (count(a.first - 1), count(b.first - 1));
    let before_b = b.first - 1;
    let last_b = match usize::try_from(a.step - a.first) {
        Ok(step) if a.step < a.end => partner(&hunks, step).map_or(before_b, |at| number(at + first.1)),
        Err(_) if a.step < a.end => before_b,
        _ => b.step,
    };
    let last = (a.step, last_b);
    if a.step < a.end {
        old.truncate(count(last.0).saturating_sub(first.0));
        new.truncate(count(last.1).saturating_sub(first.1));
        hunks = align(&old, &new);
    }
    let shifted = |range: &Range<usize>, by: usize| range.start + by..range.end + by;
    let hunks = hunks.iter().map(|hunk| Hunk { old: shifted(&hunk.old, first.0), new: shifted(&hunk.new, first.1) });
    Ok(Compared { hunks: hunks.collect(), a, b, last })
}

/// A digest of the message of each step of the trajectory: equal where the messages are equal as JSON.
fn digests(opened: &Opened) -> Result<Vec<u128>, Problem> {
    let mut reader = opened.reader();
    let mut digests = Vec::with_capacity(opened.run.step_count());
    for step in opened.first..=opened.end {
        let spans = opened.run.spans(step);
        if spans.is_empty() {
            continue;
        }
        digests.push(message_digest(&spans, |span| {
            let place = Place { span, line: 0 };
            let record = Record { number: 0, place, body: RecordBody::Text, is_row: false };
            Ok(lossy(reader.text(&record)?).into_owned())
        })?);
    }
    Ok(digests)
}

fn number(index: usize) -> StepNo {
    StepNo::try_from(index).unwrap_or(StepNo::MAX)
}

/// How many steps there are up to and including one.
fn count(last: StepNo) -> usize {
    usize::try_from(last).map_or(0, |last| last + 1)
}

impl Compared {
    /// The number of trajectories in the larger file.
    fn trajectories(&self, records: usize) -> usize {
        records.max(self.a.run.trajectory_count()).max(self.b.run.trajectory_count())
    }

    fn sides(&self) -> Sides<'_> {
        Sides { old: &self.a, new: &self.b }
    }

    fn states(&self, steps: (StepNo, StepNo)) -> States {
        let (a, b) = (self.a.run.tree(), self.b.run.tree());
        States { steps, parts: states(At { tree: a, step: steps.0 }, At { tree: b, step: steps.1 }) }
    }

    /// The states at the first steps after a hunk that are aligned again; None where there are none.
    fn after(&self, hunk: &Hunk) -> Option<States> {
        let steps = (number(hunk.old.end), number(hunk.new.end));
        (steps.0 <= self.last.0 && steps.1 <= self.last.1).then(|| self.states(steps))
    }

    fn members(
        &self,
        asked: (&StepQuery, &StepQuery),
        first: Option<&States>,
        end: &States,
    ) -> Result<Answer, Problem> {
        let run = |opened: &Opened, question: &StepQuery, step| {
            raw(&RunMember { file: &question.file.text(), step, steps: opened.run.step_count() })
        };
        let hunk = |hunk: &Hunk| HunkMember { a: [hunk.old.start, hunk.old.end], b: [hunk.new.start, hunk.new.end] };
        let hunks: Vec<HunkMember> = self.hunks.iter().map(hunk).collect();
        let mut members: Answer = vec![
            ("format", raw(self.a.format())?),
            ("a", run(&self.a, asked.0, self.last.0)?),
            ("b", run(&self.b, asked.1, self.last.1)?),
            ("hunks", raw(&hunks)?),
        ];
        for (name, states) in [("aligned", first), ("end", Some(end))] {
            if let Some(States { steps, parts }) = states {
                let differences = differences(parts, &self.sides())?;
                members.push((name, raw(&StatesMember { a: steps.0, b: steps.1, differences })?));
            }
        }
        Ok(members)
    }

    fn show(
        &self,
        asked: (&StepQuery, &StepQuery),
        first: Option<&States>,
        end: &States,
        out: &mut Out,
    ) -> Result<(), Stop> {
        for (sign, question, opened, last) in
            [("---", asked.0, &self.a, self.last.0), ("+++", asked.1, &self.b, self.last.1)]
        {
            let steps = count(last).saturating_sub(count(opened.first - 1));
            out.line(&format!("{sign} {}  {}", question.file, counted(steps, "step")))?;
        }
        self.show_steps(out)?;
        if let Some(states) = first {
            out.line("")?;
            out.line(&format!(
                "State where the steps are aligned again, @{} and @{}:",
                states.steps.0, states.steps.1
            ))?;
            show::show(&states.parts, &self.sides(), out)?;
        }
        out.line("")?;
        out.line(&format!("State in the end, @{} and @{}:", end.steps.0, end.steps.1))?;
        show::show(&end.parts, &self.sides(), out)
    }

    fn show_steps(&self, out: &mut Out) -> Result<(), Stop> {
        let (mut at, mut listed) = (count(self.a.first - 1), 0);
        for (i, hunk) in self.hunks.iter().enumerate() {
            if listed >= LISTED_MAX {
                let left = self.hunks.len() - i;
                out.line(&format!("… {left} more places where the steps differ; --json lists all"))?;
                return Ok(());
            }
            alike(hunk.old.start - at, out)?;
            at = hunk.old.end;
            let sides = [("-", &hunk.old, &self.a, &hunk.new, &self.b), ("+", &hunk.new, &self.b, &hunk.old, &self.a)];
            for (sign, range, opened, others, other) in sides {
                let beside = |i: usize| others.clone().nth(i).map(|step| (other, number(step)));
                listed += list(sign, range, LISTED_MAX.saturating_sub(listed).max(1), opened, beside, out)?;
            }
        }
        alike(count(self.last.0).saturating_sub(at), out)
    }
}

fn alike(steps: usize, out: &mut Out) -> Result<(), Stop> {
    if steps > 0 {
        out.line(&format!("  … {} alike", counted(steps, "step")))?;
    }
    Ok(())
}

/// A step in a line.
fn step_line(opened: &Opened, number: StepNo) -> String {
    let step = opened.run.step(number, opened.bytes());
    let text = format!("{} {}", step.label, single_line(&step.summary));
    text.trim().to_owned()
}

/// A step in a line that shows where it differs from another.
fn differing(opened: &Opened, number: StepNo, other: &Opened, step: StepNo) -> String {
    let (line, others) = (step_line(opened, number), step_line(other, step));
    if line != others {
        return from_difference(&line, &others);
    }
    // What differs is not a part of the summary.
    let text = |of: &Opened, step| {
        let place = of.run.place(step)?;
        let bytes = of.bytes().read(place.place.span).ok()?;
        Some(single_line(&lossy(&bytes)))
    };
    text(opened, number).zip(text(other, step)).map_or(line, |(here, others)| from_difference(&here, &others))
}

/// A text without most of what it shares with another at the beginning, if it would be cut before they differ.
fn from_difference(text: &str, other: &str) -> String {
    let shared = text.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    if shared + CONTEXT < STEP_CELLS {
        return text.to_owned();
    }
    let rest: String = text.chars().skip(shared.saturating_sub(CONTEXT)).collect();
    format!("… {rest}")
}

/// Lists steps of one run; how many lines that took. `beside` describes the steps of the other run in their place.
fn list<'o>(
    sign: &str,
    steps: &Range<usize>,
    most: usize,
    opened: &Opened,
    beside: impl Fn(usize) -> Option<(&'o Opened, StepNo)>,
    out: &mut Out,
) -> Result<usize, Stop> {
    for (i, number) in steps.clone().take(most).map(number).enumerate() {
        let text = match beside(i) {
            Some((other, step)) => differing(opened, number, other, step),
            None => step_line(opened, number),
        };
        out.line(&format!("{sign} @{number}  {}", cut(&SafeText::of(&text), STEP_CELLS).as_str()))?;
    }
    if steps.len() > most {
        out.line(&format!("{sign} … {} more steps", steps.len() - most))?;
    }
    Ok(steps.len().min(most))
}
