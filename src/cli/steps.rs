//! `obelus steps`: one line a step.

use super::args::{FileName, FormatOption, MarksOption, parsed};
use super::extra_findings::ByRecord;
use super::filter::{Where, WhereOption};
use super::open::{choose, is_readable};
use super::out::{Out, Tone, exact, plain, raw};
use super::{Command, Stop};
use crate::format::{Answer, Layout, Run};
use crate::ingest::{self, Loaded};
use crate::model::{Bytes, Finding, HEAD, LocatedFinding, Problem, Standing, Step, StepNo, StepPlace};
use crate::review::{ContentKey, Marks, Scope, StepEntry, StepMarks, StepNotes};
use crate::state::EventOp;
use crate::text::{SafeText, counted, cut};
use clap::{ArgMatches, Args};
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Most cells of a summary for people.
const SUMMARY_CELLS: usize = 100;

pub(super) const COMMAND: Command = Command { name: "steps", describe: Options::augment_args, run };

/// Print one line for each step of each trajectory
#[derive(Debug, Args)]
struct Options {
    /// File to read; `-` is standard input
    #[arg(value_name = "FILE")]
    file: FileName,
    #[command(flatten)]
    format: FormatOption,
    /// Only this trajectory, from 0 [default: all]
    #[arg(long, value_name = "R")]
    record: Option<usize>,
    #[command(flatten)]
    filter: WhereOption,
    #[command(flatten)]
    marks: MarksOption,
    /// Print JSON: one value for each line
    #[arg(long)]
    json: bool,
}

/// Where a step's text is.
#[derive(Serialize)]
struct PlaceMember {
    offset: u64,
    len: u64,
    line: u64,
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    let asked = options.filter.filter(Scope::Steps)?;
    let is_filtered = asked.is_some();
    let filter = asked.unwrap_or_default();
    let marks = options.marks.read_if(filter.has_marks())?;
    let loaded = super::load(&options.file, options.format.forced(), out)?;
    if loaded.detected.is_fallback && !options.json {
        super::complain(&format!("{}: {}", options.file, loaded.detected.reasons.join("; ")));
    }
    let layout = loaded.detected.format.layout();
    let chosen = options.record.map(|record| choose(&loaded, record)).transpose()?;
    let records = match &chosen {
        Some(chosen) => chosen.record..chosen.record + 1,
        None => 0..loaded.trajectories()?,
    };
    // A file that is one run may hold several trajectories; of several records each is shown whole.
    let is_alone = loaded.trajectories()? == 1;
    let (mut chosen, part) = chosen.map(|chosen| (chosen.run, chosen.steps.filter(|_| is_alone))).unzip();
    let part = part.flatten();
    let is_chosen = |step: StepNo| part.as_ref().is_none_or(|part| part.iter().any(|range| range.contains(&step)));
    // Columns of the configuration are asked of the record in which a step is.
    let is_wanted = |record| layout == Layout::Run || records.contains(&record);
    let passing = filter.passing_custom_columns(&loaded, (0..loaded.records()?.len()).map(is_wanted).collect())?;
    let extra = filter.extra_findings(&loaded)?;
    let mut unreadable = 0;
    // One trajectory at a time: a file of many is never held whole.
    for record in records {
        let run = chosen.take().map_or_else(|| loaded.run(record), Ok)?;
        if options.record.is_some() {
            is_readable(&loaded, record, run.as_ref())?;
        }
        match layout {
            Layout::Run => report_unreadable(&options.file, unreadable_records(run.as_ref())),
            Layout::Set => unreadable += unreadable_records(run.as_ref()),
        }
        let notes = notes(&loaded, record, run.as_ref(), (&filter, &extra), &marks)?;
        let failed = Failed::of(run.as_ref());
        for number in 0..run.step_count() {
            let number = StepNo::try_from(number).unwrap_or(StepNo::MAX);
            // A run may count records in one text of the file (S1), so they are not asked without need.
            let is_passing = || run.place(number).is_none_or(|place| passing.has(place.record));
            let is_in = is_chosen(number) && (!filter.has_custom_columns() || is_passing());
            if !is_in || !filter.known().holds(&StepEntry::new(run.as_ref(), loaded.input.as_ref(), &notes, number)) {
                continue;
            }
            let shown = ShownStep::of(run.as_ref(), number, loaded.input.as_ref());
            if options.json {
                out.json(&plain(&shown.members(run.as_ref(), layout)?))?;
            } else {
                let (sign, tone) = failed.sign(number);
                let [number, label, summary] = shown.pieces(run.as_ref(), layout);
                // In the margin: without colours too it is seen which results to look at.
                let number =
                    if sign.is_empty() { number } else { number.strip_prefix(' ').unwrap_or(&number).to_owned() };
                out.row(&[(tone, sign), (Tone::Step, &number), (Tone::Who, &label), (tone, &summary)])?;
            }
        }
    }
    // What cannot be read passes no filter, as in other commands.
    report_unreadable(&options.file, if is_filtered { 0 } else { unreadable });
    Ok(passing.status())
}

/// How many records of a run are in no step since they cannot be read.
fn unreadable_records(run: &dyn Run) -> u64 {
    let is_lost = |found: &Arc<Finding>| matches!(found.rule, "data.invalid-json" | "adp.json") && found.step.is_none();
    run.findings().iter().filter(|found| is_lost(found)).count() as u64
}

/// Reports on standard error how many records are in no step since they cannot be read.
fn report_unreadable(file: &FileName, count: u64) {
    if count > 0 {
        let (records, verb) = (counted(count, "record"), if count == 1 { "gives" } else { "give" });
        super::complain(&format!("{file}: {records} that cannot be read {verb} no step; `obelus check` lists them"));
    }
}

/// What is known of the steps of a run beside itself, as far as a filter asks for it.
fn notes(
    loaded: &Loaded,
    record: usize,
    run: &dyn Run,
    (filter, extra): (&Where, &ByRecord),
    marks: &Marks,
) -> Result<StepNotes, Problem> {
    let input = loaded.input.as_ref();
    let found = if filter.known().has_findings() { all_findings(loaded, record, run, extra)? } else { Vec::new() };
    let findings = filter.counting(loaded, found)?;
    let filter = filter.known();
    let mut by_step = StepMarks::new();
    if filter.has_marks() && loaded.detected.format.layout() == Layout::Run {
        for (unit, _, mark) in super::marks::units(loaded)?.marks(marks) {
            by_step.entry(StepNo::try_from(unit).unwrap_or(StepNo::MAX)).or_default().push(mark.clone());
        }
    } else if let Some(record) = loaded.records()?.get(record).filter(|_| filter.has_marks()) {
        let key = ContentKey::read(input, record.place.span)?;
        for (target, mark) in marks.of(key) {
            by_step.entry(target.step.unwrap_or(HEAD)).or_default().push(mark.clone());
        }
    }
    Ok(StepNotes::new(findings.iter().map(|found| &found.finding), Arc::new(by_step)))
}

/// All findings of a run, those that a filter asks for with them.
fn all_findings(
    loaded: &Loaded,
    record: usize,
    run: &dyn Run,
    extra: &ByRecord,
) -> Result<Vec<LocatedFinding>, Problem> {
    let records = loaded.records()?;
    let place = |finding: &Finding| {
        let step = finding.step.and_then(|step| run.place(step)).map(|step| step.place);
        step.or_else(|| records.get(finding.record).map(|record| record.place)).unwrap_or_default()
    };
    let run_findings = ingest::findings_of(run, loaded.input.as_ref())?.into_iter();
    let run_findings =
        run_findings.map(|finding| LocatedFinding { place: place(&finding), finding: Arc::unwrap_or_clone(finding) });
    let is_run = loaded.detected.format.layout() == Layout::Run;
    let extra = extra.iter().filter(|(of, _)| is_run || **of == record).flat_map(|(_, found)| found.iter().cloned());
    Ok(run_findings.chain(extra).collect())
}

/// The steps of a run that report a failure, or look like it.
struct Failed {
    errors: BTreeSet<StepNo>,
    suspects: BTreeSet<StepNo>,
}

impl Failed {
    fn of(run: &dyn Run) -> Self {
        Self { errors: run.error_steps().into_iter().collect(), suspects: run.suspect_steps().into_iter().collect() }
    }

    /// The sign before a step, as the header of the screen has it, and its tone.
    fn sign(&self, step: StepNo) -> (&'static str, Tone) {
        match (self.errors.contains(&step), self.suspects.contains(&step)) {
            (true, _) => ("✗", Tone::Error),
            (false, true) => ("?", Tone::Warning),
            (false, false) => ("", Tone::Plain),
        }
    }
}

/// One step and where it is.
struct ShownStep {
    step: Step,
    place: StepPlace,
}

impl ShownStep {
    fn of(run: &dyn Run, number: StepNo, bytes: &dyn Bytes) -> Self {
        Self { step: run.step(number, bytes), place: run.place(number).unwrap_or_default() }
    }

    fn members(&self, run: &dyn Run, layout: Layout) -> Result<Answer, Problem> {
        let Self { step, place } = self;
        // W12: of a log whose records make one trajectory it is the trajectory's number, as in ADP.
        let record = if layout == Layout::Run && run.work().is_some() { 0 } else { place.record };
        let mut members: Answer = vec![
            ("record", raw(&record)?),
            ("step", raw(&step.number)?),
            ("kind", raw(&step.kind)?),
            ("class", raw(&step.class)?),
            ("role", raw(step.role.name())?),
            ("tool", raw(&step.tool)?),
            ("answers", raw(&step.answers)?),
            ("chars", raw(&step.chars)?),
        ];
        if let Some(tick) = run.tick(step.number) {
            members.push(("tick", exact(tick)?));
        }
        if let Some(time) = &step.time {
            members.push(("time", raw(time)?));
        }
        if let Some(tokens) = step.tokens {
            members.push(("tokens", raw(&tokens)?));
        }
        match (&step.reward, layout) {
            (Some(reward), _) => members.push(("reward", exact(reward.clone())?)),
            (None, Layout::Set) => members.push(("reward", raw(&())?)),
            (None, Layout::Run) => {}
        }
        if let Some(outcome) = run.outcome(step.number) {
            members.push(("outcome", raw(outcome.verdict.name())?));
            members.push(("reason", raw(&outcome.reason)?));
            members.push(("exit", raw(&outcome.exit)?));
        }
        members.push(("writes", raw(&writes(run, step.number, layout))?));
        if step.standing != Standing::Main {
            members.push(("standing", raw(step.standing.name())?));
        }
        if step.depth > 0 {
            members.push(("depth", raw(&step.depth)?));
        }
        if let Some(caller) = step.caller {
            members.push(("caller", raw(&caller)?));
        }
        if let Some(trajectory) = &step.trajectory {
            members.push(("trajectory", raw(trajectory)?));
        }
        let (withdrawn, restored) = run.withdrawn(step.number);
        for (name, steps) in [("withdrawn", withdrawn), ("restored", restored)] {
            if !steps.is_empty() {
                members.push((name, raw(&steps)?));
            }
        }
        let span = place.place.span;
        let place = PlaceMember { offset: span.offset, len: span.len, line: place.place.line };
        members.push(("place", raw(&place)?));
        Ok(members)
    }

    /// Number, tick where the run has several (A5), what it is, what it says; before them the record where a file holds
    /// several.
    fn pieces(&self, run: &dyn Run, layout: Layout) -> [String; 3] {
        let summary: Vec<&str> = self.step.summary.split_whitespace().collect();
        let summary = cut(&SafeText::of(&summary.join(" ")), SUMMARY_CELLS);
        let number = match layout {
            Layout::Set => format!("{}:{}", self.place.record, self.step.number),
            Layout::Run => self.step.number.to_string(),
        };
        let tick = run.tick(self.step.number).filter(|_| run.tick_start(0, true).is_some());
        let tick = tick.map_or_else(String::new, |tick| format!("{:<5}", format!("t{tick}")));
        let tick = format!("{tick}{}", " ".repeat(2 * self.step.levels_shown()));
        match summary.as_str().trim_end() {
            "" if self.step.label.trim().is_empty() => {
                [format!("{number:>6}  {tick}").trim_end().to_owned(), String::new(), String::new()]
            }
            "" => [format!("{number:>6}  {tick}"), self.step.label.trim_end().to_owned(), String::new()],
            summary => [format!("{number:>6}  {tick}"), format!("{:<8}  ", self.step.label), summary.to_owned()],
        }
    }
}

/// What a step wrote, without repeats: in the order of the writes, slots of a dataset by code point.
fn writes(run: &dyn Run, step: StepNo, layout: Layout) -> Vec<String> {
    let tree = run.tree();
    let mut seen = std::collections::HashSet::new();
    let mut writes: Vec<String> = tree
        .events(step)
        .iter()
        .filter(|event| !matches!(event.op, EventOp::Drop | EventOp::Reset))
        .map(|event| {
            let (id, path) = tree.path(event.node);
            run.reference(tree.identity(id), &path)
        })
        .filter(|reference| seen.insert(reference.clone()))
        .collect();
    if layout == Layout::Set {
        writes.sort_unstable();
    }
    writes
}
