//! A question's file, opened, at the step that was asked for.

use super::args::StepQuery;
use super::out::{Header, Out};
use crate::format::{Attribution, Layout, Run};
use crate::ingest::{self, Loaded};
use crate::model::{Bytes, HEAD, Problem, ProblemKind, StepNo};
use crate::source::RecordReader;
use crate::state::IdentityId;
use std::collections::HashMap;
use std::ops::Range;

/// One trajectory at one step.
pub(super) struct Opened {
    loaded: Loaded,
    /// The trajectory.
    pub(super) run: Box<dyn Run>,
    /// Its step: the one asked for, at most the last; -1 where there are none.
    pub(super) step: StepNo,
    /// The first step of the trajectory, 0 where the run is one, and its last; where it has none, the one before.
    pub(super) first: StepNo,
    pub(super) end: StepNo,
    record: usize,
    /// Whether the run holds other trajectories too.
    is_part: bool,
}

impl StepQuery {
    /// Opens the file and builds the trajectory.
    ///
    /// # Errors
    /// The file cannot be read, or holds no such trajectory.
    pub(super) fn open(&self, out: &mut Out) -> Result<Opened, Problem> {
        let opened = self.opened()?;
        opened.report_trouble(out);
        Ok(opened)
    }

    /// As [`open`](Self::open), for a question on state.
    ///
    /// # Errors
    /// As [`open`](Self::open); or the format has no state.
    pub(super) fn open_state(&self, out: &mut Out) -> Result<Opened, Problem> {
        let opened = self.open(out)?;
        if opened.loaded.detected.format.has_state() {
            return Ok(opened);
        }
        let others = ingest::format_names(&|format| format.has_state()).join(", ");
        Err(opened
            .no_answer("has no state")
            .hint(format!("`obelus steps` lists its records; `--format NAME` reads it as one that has: {others}")))
    }

    /// As [`open`](Self::open), but leaves it to [`Opened::report_trouble`] to report a file that broke off.
    pub(super) fn opened(&self) -> Result<Opened, Problem> {
        self.of(ingest::open(&self.file, self.format.forced())?)
    }

    /// As [`opened`](Self::opened), of its file that was loaded before.
    pub(super) fn of(&self, loaded: Loaded) -> Result<Opened, Problem> {
        let Chosen { run, record, steps } = choose(&loaded, self.record)?;
        is_readable(&loaded, record, run.as_ref())?;
        let end = steps.as_ref().map(|steps| steps.last().map_or(HEAD, |range| range.end - 1));
        let last = last_step(run.as_ref());
        let step = self.step_of(last, end)?;
        let first = steps.as_ref().and_then(|steps| steps.first()).map_or(0, |range| range.start);
        let (is_part, end) = (end.is_some(), end.unwrap_or(last).max(first - 1));
        Ok(Opened { loaded, run, step, first, end, record: self.record, is_part })
    }
}

/// A trajectory of a file that was asked for by its number.
pub(super) struct Chosen {
    /// The run that holds it.
    pub(super) run: Box<dyn Run>,
    /// The record that is read as this run.
    pub(super) record: usize,
    /// Its steps, where the run holds several trajectories.
    pub(super) steps: Option<Vec<Range<StepNo>>>,
}

/// `CLI.md`: the trajectory of this number: a record of a file that has one for each, else one of those in the only
/// run that the file is.
///
/// # Errors
/// The file cannot be read, or has no such trajectory.
pub(super) fn choose(loaded: &Loaded, number: usize) -> Result<Chosen, Problem> {
    let count = loaded.trajectories()?;
    let (record, within) = if count == 1 { (0, number) } else { (number, 0) };
    let missing = |count: usize| {
        let message = format!("{} has no trajectory {number}", loaded.input.name());
        Problem::usage(message).hint(format!("it has {count}, counted from 0"))
    };
    if record >= count {
        return Err(missing(count));
    }
    let run = loaded.run(record)?;
    let steps = run.trajectory_steps(within);
    if within > 0 && steps.is_none() {
        return Err(missing(run.trajectory_count().max(1)));
    }
    Ok(Chosen { run, record, steps })
}

impl StepQuery {
    /// The step that is asked for, else the last one, or the last of the trajectory that is asked for. For programs
    /// anything beyond the end is the last step.
    fn step_of(&self, last: StepNo, end: Option<StepNo>) -> Result<StepNo, Problem> {
        let asked = self.step.or(end).unwrap_or(last);
        if asked > last && !self.json {
            return Err(Problem::usage(format!("{} has no step {asked}", self.file)).hint(match last {
                HEAD => "it has no steps".to_owned(),
                _ => format!("the last is {last}, counted from 0"),
            }));
        }
        Ok(asked.min(last))
    }
}

/// Whether the record is one that can be read, of a file that has one for each trajectory. What made steps was read.
///
/// # Errors
/// It is not valid JSON: which line, why, at which byte (R5).
pub(super) fn is_readable(loaded: &Loaded, number: usize, run: &dyn Run) -> Result<(), Problem> {
    if loaded.detected.format.layout() == Layout::Run || run.step_count() > 0 {
        return Ok(());
    }
    let records = loaded.records()?;
    let Some(record) = records.get(number) else { return Ok(()) };
    let mut reader = RecordReader::new(&loaded.input);
    let Err(why) = record.json(reader.text(&record)?).map(|_| ()) else { return Ok(()) };
    let message = format!("record {number} of {} is not valid JSON that can be read: {why}", loaded.input.name());
    let problem = Problem::new(ProblemKind::Syntax, message).at(record.place);
    // A program may write a line of its own before what it exports.
    for next in (number + 1..records.len()).take(LOOKED_AT_MAX) {
        let Some(record) = records.get(next) else { break };
        if record.json(reader.text(&record)?).is_ok() {
            return Err(problem.hint(format!("`--record {next}` is the next that can be read")));
        }
    }
    Err(problem)
}

/// Most records behind one that cannot be read that are looked at for one that can.
const LOOKED_AT_MAX: usize = 20;

/// The last step of a run, or [`HEAD`].
pub(super) fn last_step(run: &dyn Run) -> StepNo {
    StepNo::try_from(run.step_count()).map_or(StepNo::MAX, |count| count - 1).max(HEAD)
}

/// Who supplied values, each looked up once: many leaves come from one message.
pub(super) struct Attributions<'o> {
    opened: &'o Opened,
    known: HashMap<(IdentityId, StepNo), Attribution>,
}

impl<'o> Attributions<'o> {
    /// None known yet.
    pub(super) fn new(opened: &'o Opened) -> Self {
        Self { opened, known: HashMap::new() }
    }

    /// Who supplied the values of an identity that a step's message wrote.
    pub(super) fn get(&mut self, id: IdentityId, author: StepNo) -> Attribution {
        let attribution = || self.opened.run.attribution(id, author, self.opened.bytes());
        self.known.entry((id, author)).or_insert_with(attribution).clone()
    }
}

impl Opened {
    /// Reports if the file could not be read to its end.
    pub(super) fn report_trouble(&self, out: &mut Out) {
        super::report_trouble(&self.loaded, out);
    }

    /// The bytes of the input.
    pub(super) fn bytes(&self) -> &dyn Bytes {
        self.loaded.input.as_ref()
    }

    /// The texts of its steps, best in order.
    pub(super) fn reader(&self) -> RecordReader<'_> {
        RecordReader::new(&self.loaded.input)
    }

    /// The last step; -1 where there are none.
    pub(super) fn last(&self) -> StepNo {
        last_step(self.run.as_ref())
    }

    /// Whether no file of its format has a plan.
    pub(super) fn has_no_plans(&self) -> bool {
        self.loaded.detected.format.plan_title().is_none()
    }

    /// What is wrong with a question that its format has no answer for: `lacks`, as "has no plans".
    pub(super) fn no_answer(&self, lacks: &str) -> Problem {
        Problem::usage(format!("{}: the format {} {lacks}", self.loaded.input.name(), self.format()))
    }

    /// The name of its format.
    pub(super) fn format(&self) -> &'static str {
        self.loaded.detected.format.name()
    }

    /// The members that every answer begins with.
    pub(super) fn header(&self) -> Header {
        Header {
            format: self.format(),
            record: (self.is_part || self.loaded.detected.format.layout() == Layout::Set).then_some(self.record),
            step: self.step,
            steps: self.run.step_count(),
        }
    }
}
