//! Records in memory, as a table or a stream has them: their format, what is found in them, facts on each, statistics.
//!
//! It says what `obelus check`, `table` and `stats` say of a file of these lines, for programs that have rows and no
//! file.

mod run_stats;
mod run_usage;

pub use run_stats::RunsStats;
pub use run_usage::UsageWithParts;

use crate::detect::{Detected, FormatRegistry, detect};
use crate::format::{Format, Layout, Purpose, Run, Survey, Surveyed, survey_of_run};
use crate::framing::Framer;
use crate::json;
use crate::model::{
    Bytes, Finding, LocatedFinding, PartRole, PartState, Place, Problem, Record, RecordBody, RecordIndex, Span,
};
use crate::review::flat::{Cell, RECORD_FIELDS, finding_row, record_row, sketch_row};
use crate::review::{ChunkBuilder, ContentKey, purpose_of};
use crate::rules::statistics::Summary;
use crate::state::{ReportedCounts, SchemaChecker, Violations};
use serde_json::value::RawValue;
use std::sync::Arc;

/// Records in memory.
pub struct Batch {
    name: String,
    bytes: Vec<u8>,
    records: RecordIndex,
    detected: Detected,
}

impl Batch {
    /// Takes rows, each a JSON text, as a file of that name that has a row in each line; `forced` names their format
    /// (None, `auto`: by content). White space between the tokens of a row does not count, so that each stays one line.
    /// Whether the members of each were columns says what null means in them (D8).
    ///
    /// # Errors
    /// There is no format of that name.
    pub fn new<R: AsRef<[u8]>>(
        name: &str,
        rows: impl IntoIterator<Item = R>,
        forced: Option<&str>,
        is_of_columns: bool,
    ) -> Result<Self, Problem> {
        let mut bytes = Vec::new();
        for row in rows {
            let from = bytes.len();
            bytes.extend_from_slice(row.as_ref());
            // In a text of JSON these are escaped.
            bytes[from..].iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
            bytes.push(b'\n');
        }
        let detected = detect(&bytes, forced, FormatRegistry::default())?;
        let (mut framer, mut records) = (Framer::new(detected.format.framing()), RecordIndex::of(is_of_columns));
        loop {
            let rest = usize::try_from(framer.position()).ok().and_then(|from| bytes.get(from..)).unwrap_or_default();
            if !rest.is_empty() {
                framer.feed(rest, &mut records);
            } else if framer.finish(&mut records) {
                break;
            }
        }
        Ok(Self { name: name.to_owned(), bytes, records, detected })
    }

    /// Their format, and why.
    #[must_use]
    pub fn detected(&self) -> &Detected {
        &self.detected
    }

    /// All that `check` finds in them, in its order. Values are checked against their schemas on the stack of the
    /// caller, who has [`STACK_BYTES`](crate::state::STACK_BYTES) of it.
    ///
    /// # Errors
    /// A record cannot be read again.
    pub fn findings(&self) -> Result<Vec<LocatedFinding>, Problem> {
        let mut all = Vec::new();
        match self.format().survey(Purpose::Findings) {
            Some(mut survey) => self.survey(survey.as_mut(), |_, surveyed| {
                all.extend(surveyed.findings);
                Ok(())
            })?,
            None => self.runs(|_, run| {
                let found = findings_of(run, &self.bytes).into_iter().map(Arc::unwrap_or_clone);
                all.extend(found.map(|finding| self.located(run, finding)));
                Ok(())
            })?,
        }
        Ok(all)
    }

    /// The same as rows of [`FINDINGS`](crate::review::flat::FINDINGS).
    ///
    /// # Errors
    /// As [`Batch::findings`].
    pub fn finding_rows(&self) -> Result<Vec<Vec<Cell>>, Problem> {
        let key = |found: &LocatedFinding| {
            let span = self.content(found);
            (span.len > 0).then(|| self.text(span).map(ContentKey::of)).flatten()
        };
        Ok(self.findings()?.iter().map(|found| finding_row(&self.name, found, key(found))).collect())
    }

    /// A row of [`RECORDS`](crate::review::flat::RECORDS) for each record; of a format whose records are steps of one
    /// run, a row for the run.
    ///
    /// # Errors
    /// As [`Batch::findings`].
    pub fn record_rows(&self) -> Result<Vec<Vec<Cell>>, Problem> {
        let place = (self.name.as_str(), self.format().name());
        let mut rows = Vec::new();
        let Some(mut survey) = self.format().survey(purpose_of(&RECORD_FIELDS)) else {
            self.runs(|_, run| {
                rows.extend(self.rows_of_run(run));
                Ok(())
            })?;
            return Ok(rows);
        };
        self.survey(survey.as_mut(), |record, surveyed| {
            let text = self.text(record.shown()).unwrap_or_default();
            let mut maker = ChunkBuilder::new(record.number);
            let facts = surveyed.facts.unwrap_or_default();
            maker.push(&facts, record.place.span.len);
            let key = (record.body == RecordBody::Text).then(|| ContentKey::of(text));
            let line = record.place.line;
            let name = || (facts.name.clone(), None);
            rows.extend(maker.finish().iter().map(|entry| record_row(place, &entry, (line, key), name())));
            Ok(())
        })?;
        Ok(rows)
    }

    /// The rows of a run that all records make: of several trajectories one each.
    fn rows_of_run(&self, run: &dyn Run) -> Vec<Vec<Cell>> {
        let found = findings_of(run, &self.bytes).into_iter().map(Arc::unwrap_or_clone);
        let found: Vec<LocatedFinding> = found.map(|finding| self.located(run, finding)).collect();
        let place = (self.name.as_str(), self.format().name());
        let bytes = self.records.iter().map(|record| record.place.span.len).sum();
        let row = |(number, surveyed): (usize, Surveyed)| {
            let (facts, mut maker) = (surveyed.facts.unwrap_or_default(), ChunkBuilder::new(number));
            maker.push(&facts, bytes);
            let line = run.place(0).map_or(1, |at| at.place.line);
            maker
                .finish()
                .iter()
                .next()
                .map(|entry| record_row(place, &entry, (line, None), (facts.name.clone(), None)))
        };
        let surveyed = survey_of_run((self.format().name(), run), &self.bytes, &found);
        surveyed.into_iter().enumerate().filter_map(row).collect()
    }

    /// A row of [`SKETCHES`](crate::review::flat::SKETCHES) for each record.
    #[must_use]
    pub fn sketch_rows(&self) -> Vec<Vec<Cell>> {
        let row = |record: Record| {
            let text = self.text(record.shown()).unwrap_or_default();
            sketch_row(&self.name, &record, text, self.format().way())
        };
        self.records.iter().map(row).collect()
    }

    /// Gives the statistics of each trajectory in turn, then those of all, as `stats --json` without its header.
    ///
    /// # Errors
    /// As [`Batch::findings`], or what `each` says.
    pub fn stats(&self, mut each: impl FnMut(&RawValue) -> Result<(), Problem>) -> Result<(), Problem> {
        let survey = self.format().survey(Purpose::Statistics);
        if let Some(mut survey) = survey.filter(|survey| survey.dataset().is_some()) {
            self.survey(survey.as_mut(), |_, surveyed| surveyed.stats.map_or(Ok(()), |stats| each(&stats)))?;
            return survey.dataset().map_or(Ok(()), |dataset| each(&dataset));
        }
        let mut all = RunsStats::default();
        self.runs(|record, run| {
            let found = findings_of(run, &self.bytes);
            let stats = all.add_run((record, run), &self.bytes, &found, without_parts(run))?;
            stats.map_or(Ok(()), |stats| each(&stats))
        })?;
        each(&all.line("dataset")?)
    }

    /// Their statistics in constant size, as `stats --summary --json` without its header.
    ///
    /// # Errors
    /// As [`Batch::findings`].
    pub fn summary(&self) -> Result<Box<RawValue>, Problem> {
        let mut whole = SummaryBuilder::default();
        self.stats(|stats| whole.add(stats))?;
        whole.line()
    }

    fn format(&self) -> &'static dyn Format {
        self.detected.format
    }

    fn text(&self, span: Span) -> Option<&[u8]> {
        let from = usize::try_from(span.offset).ok()?;
        self.bytes.get(from..from.checked_add(usize::try_from(span.len).ok()?)?)
    }

    fn survey(
        &self,
        survey: &mut dyn Survey,
        mut each: impl FnMut(&Record, Surveyed) -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        let look = survey.look();
        for record in self.records.iter() {
            let text = self.text(record.shown()).ok_or_else(|| Problem::gone(record.shown()))?;
            let mut looked = look(&record, text);
            if let Some(first) = looked.parts().first() {
                // What a record refers to are files, and there are none.
                let run = self.run(self.records.get(first.record))?;
                let missing = looked.parts().iter().map(|part| self.located(run.as_ref(), part.missing()));
                let missing = missing.collect();
                looked.add_findings(missing);
            }
            each(&record, survey.take(looked, &self.bytes))?;
        }
        Ok(())
    }

    /// Gives each run with its number: of a format whose records are steps of one run, that run.
    fn runs(&self, mut each: impl FnMut(usize, &dyn Run) -> Result<(), Problem>) -> Result<(), Problem> {
        match self.format().layout() {
            Layout::Run if !self.records.is_empty() => each(0, self.run(self.records.iter())?.as_ref()),
            Layout::Run => Ok(()),
            Layout::Set => self.records.iter().try_for_each(|record| each(record.number, self.run([record])?.as_ref())),
        }
    }

    fn run(&self, records: impl IntoIterator<Item = Record>) -> Result<Box<dyn Run>, Problem> {
        let mut run = self.format().run();
        for record in records {
            let text = if self.format().needs_text() { self.text(record.shown()) } else { Some(&[][..]) };
            run.push(&record, text.ok_or_else(|| Problem::gone(record.shown()))?, &self.bytes);
        }
        run.finish(&self.bytes);
        let missing = run.parts().iter().map(|_| PartState::Missing).collect::<Vec<_>>();
        if !missing.is_empty() {
            run.attach(missing);
        }
        Ok(run)
    }

    /// A finding with where it is: at its step, else at its record.
    fn located(&self, run: &dyn Run, finding: Finding) -> LocatedFinding {
        let step = finding.step.and_then(|step| run.place(step)).map(|step| step.place);
        let place = || self.records.get(finding.record).map(|record| record.place).unwrap_or_default();
        LocatedFinding { place: step.unwrap_or_else(place), finding }
    }

    /// The bytes that stand for a finding's record: where the batch is one run, its message.
    fn content(&self, found: &LocatedFinding) -> Span {
        let record = match self.format().layout() {
            Layout::Run => None,
            Layout::Set => self.records.get(found.finding.record),
        };
        record.map_or(found.place, |record: Record| -> Place { record.place }).span
    }
}

/// Makes the line of a summary of lines of statistics, or of other summaries.
#[derive(Default)]
pub struct SummaryBuilder {
    summary: Summary,
    input: Option<SummaryInput>,
}

/// What is summed up.
enum SummaryInput {
    /// Records that are trajectories.
    Records,
    /// Runs of any format, whose statistics are of constant size anyway.
    Runs(Box<RunsStats>),
}

/// What is said of lines that do not go together.
pub const MIXED: &str = "the parts before it are of another format";

impl SummaryBuilder {
    /// Takes the line of a trajectory or, behind those of its trajectories, of a dataset.
    ///
    /// # Errors
    /// It is no such line.
    pub fn add(&mut self, stats: &RawValue) -> Result<(), Problem> {
        let fault = || Problem::unreadable("this is not a line of statistics");
        let line = json::parse(stats.get()).map_err(|_| fault())?;
        match line.get("type").and_then(json::Value::as_str) {
            // A run has no digests, and its line is not needed.
            Some("trajectory") if line.get("digests").is_none() => Ok(()),
            Some("trajectory") => self.summary.trajectory(&line).ok_or_else(fault),
            Some("dataset") => match self.begin(&line).map_err(Problem::unreadable)? {
                None => self.summary.dataset(&line).ok_or_else(fault),
                Some(runs) => {
                    runs.merge(&serde_json::from_str(stats.get()).map_err(|_| fault())?);
                    Ok(())
                }
            },
            _ => Err(fault()),
        }
    }

    /// Takes the line of a summary, whose text is this; what is wrong with it.
    ///
    /// # Errors
    /// It is no such line, or one of what does not go together with what came before.
    pub fn merge(&mut self, text: &str, line: &json::Value<'_>) -> Result<(), &'static str> {
        let fault = "this is not a line of a summary";
        match self.begin(line)? {
            None => self.summary.merge(line).ok_or(fault),
            Some(runs) => {
                runs.merge(&serde_json::from_str(text).map_err(|_| fault)?);
                Ok(())
            }
        }
    }

    /// The statistics of runs that this line is of; None: it is of records.
    fn begin(&mut self, line: &json::Value<'_>) -> Result<Option<&mut RunsStats>, &'static str> {
        let is_of_records = line.get("records").is_some();
        let begun = || if is_of_records { SummaryInput::Records } else { SummaryInput::Runs(Box::default()) };
        let whole = self.input.get_or_insert_with(begun);
        match (whole, is_of_records) {
            (SummaryInput::Records, true) => Ok(None),
            (SummaryInput::Runs(stats), false) => Ok(Some(stats)),
            _ => Err(MIXED),
        }
    }

    /// What it is of, for people.
    #[must_use]
    pub fn what(&self) -> &'static str {
        match self.input {
            Some(SummaryInput::Runs(_)) => "runs",
            Some(SummaryInput::Records) | None => "trajectories",
        }
    }

    /// The line, which merges again.
    ///
    /// # Errors
    /// It has no JSON.
    pub fn line(&self) -> Result<Box<RawValue>, Problem> {
        match &self.input {
            Some(SummaryInput::Runs(stats)) => stats.line("summary"),
            Some(SummaryInput::Records) | None => run_stats::line_of(&self.summary.line()),
        }
    }
}

/// What a run spent whose sub-agents have files that are not there; None: it has no such sub-agents.
fn without_parts(run: &dyn Run) -> Option<UsageWithParts> {
    let missing = run.parts().iter().filter(|part| part.role == PartRole::SubAgent).count() as u64;
    (missing > 0).then(|| UsageWithParts { sub_agents: 0, missing, usage: run_usage::run_usage(run) })
}

/// All findings of a run, those of its schemas too, in their order. Schemas that recur need a deep stack:
/// [`STACK_BYTES`](crate::state::STACK_BYTES).
#[must_use]
pub fn findings_of(run: &dyn Run, bytes: &dyn Bytes) -> Vec<Arc<Finding>> {
    let mut all = run.findings();
    if run.has_schemas() {
        let found = run.schema_findings(&violations_of(run, bytes), ReportedCounts::default());
        all.extend(found.into_iter().map(Arc::new));
    }
    Finding::in_order(all)
}

/// What broke its schema in a run, and when. As [`findings_of`] it needs a deep stack.
#[must_use]
pub fn violations_of(run: &dyn Run, bytes: &dyn Bytes) -> Violations {
    let (mut checker, mut violations) = (SchemaChecker::default(), Violations::default());
    while run.examine(&mut checker, bytes) {
        violations.add(checker.judge());
    }
    violations
}
