//! The records of the inputs in order, each with what is known of it and whether it is wanted.

use super::Options;
use super::choose::{self, Proof};
use crate::cli::Stop;
use crate::cli::clean::CleanCheck;
use crate::cli::filter::{Passing, Where};
use crate::cli::task_groups::groups_of_all;
use crate::format::Layout;
use crate::ingest::Loaded;
use crate::json::{self, Data, Value};
use crate::model::{Place, Problem, Record, RecordBody, Span, lossy};
use crate::review::{
    Candidate, ContentKey, Filter, Judged, Marks, Predicate, Sample, Selection, Verdict, verdict_name,
};
use crate::source::RecordReader;
use std::collections::HashMap;

/// Why a record that cannot be read is left out.
const NO_JSON: &str = "no JSON";

/// Inputs, and which of their records are wanted.
pub(super) struct Candidates<'l> {
    /// The inputs.
    pub(super) inputs: &'l [Loaded],
    marks: &'l Marks,
    selection: Selection,
    filter: Option<Where>,
    /// The status that the filter asks for.
    status: u8,
    /// Of each input, the records in which something was found; empty where nobody looked.
    records_with_findings: Vec<Vec<bool>>,
    /// In how many records each rule found what `--only-clean` leaves out, the most first.
    pub(super) rules: Vec<(&'static str, usize)>,
    /// Whether a file that is one run is taken as a whole.
    takes_runs: bool,
    /// The numbers of the records that were drawn, counted through all inputs; None: all.
    drawn: Option<Vec<u64>>,
    /// Why others are left out, by their numbers.
    left: HashMap<u64, &'static str>,
    /// Of records with several answers those that are not picked of their task, by the number of the record.
    unpicked: HashMap<u64, Vec<String>>,
    /// The part of each record, by its number; empty where there is one part.
    parts: HashMap<u64, usize>,
    /// That no family of records is in several parts.
    pub(super) proof: Option<Proof>,
}

/// A record on its way.
pub(super) struct CandidateRecord<'r> {
    /// Number of its input.
    pub(super) source: usize,
    /// The name of its input.
    pub(super) name: &'r str,
    /// Where it is.
    pub(super) record: Record,
    /// Its content.
    pub(super) key: ContentKey,
    /// The decision on it.
    pub(super) verdict: Option<Verdict>,
    /// Whether it is wanted.
    pub(super) judged: Judged,
    /// Its number, counted through all inputs.
    pub(super) number: u64,
    /// The part of the export that it belongs to.
    pub(super) part: usize,
    /// Its answers that are not picked of its task.
    pub(super) unpicked: &'r [String],
    /// Its bytes.
    pub(super) text: &'r [u8],
}

impl<'l> Candidates<'l> {
    /// Looks at all records once, or twice if lots are drawn.
    pub(super) fn of(
        options: &Options,
        filter: Option<Where>,
        inputs: &'l [Loaded],
        marks: &'l Marks,
    ) -> Result<Self, Stop> {
        let (mut selection, mut status) = (options.selection(), 0);
        if let Some(filter) = &filter {
            filter.count_groups(|| groups_of_all(inputs))?;
            let is_whole = |loaded: &Loaded| options.to.is_some() && is_one_run(loaded);
            let passing = inputs.iter().map(|loaded| {
                if is_whole(loaded) { filter.passing_records(loaded, marks) } else { filter.passing(loaded, marks) }
            });
            let passing = passing.collect::<Result<Vec<Passing>, Problem>>()?;
            status = passing.iter().map(Passing::status).max().unwrap_or_default();
            selection.predicates.push(Box::new(Filtered { description: filter.filter().to_string(), passing }));
        }
        let mut rules = Vec::new();
        let found = if selection.only_clean {
            let mut clean = CleanCheck::of(&options.filter, options.data.then_some(options.near))?;
            let found = inputs.iter().map(|input| clean.findings(input)).collect::<Result<_, Stop>>()?;
            rules = clean.rules();
            found
        } else {
            Vec::new()
        };
        let takes_runs = options.to.is_some();
        let (drawn, left, unpicked, parts, proof) = (None, HashMap::new(), HashMap::new(), HashMap::new(), None);
        let mut sifted = Self {
            inputs,
            marks,
            selection,
            filter,
            status,
            records_with_findings: found,
            rules,
            takes_runs,
            drawn,
            left,
            unpicked,
            parts,
            proof,
        };
        if options.dedupe.is_some() {
            sifted.left = choose::copies(options, &sifted)?;
        }
        if options.per_task.is_some() || options.signal {
            let unpicked = choose::unpicked(options, &sifted)?;
            sifted.left.extend(unpicked.records.into_iter().map(|(number, why)| (number, why.label())));
            sifted.unpicked = unpicked.answers;
        }
        if let Some(count) = options.sample {
            sifted.drawn = Some(sifted.draw(options, count)?);
        }
        if let Some(split) = &options.split {
            let (parts, proof) = choose::parts(options, split, &sifted)?;
            (sifted.parts, sifted.proof) = (parts, Some(proof));
        }
        Ok(sifted)
    }

    /// Draws `count` of the records that are taken.
    fn draw(&self, options: &Options, count: usize) -> Result<Vec<u64>, Stop> {
        let (mut sample, mut number, mut grouped) = (Sample::default(), 0, 0);
        let mut taken = 0;
        self.each(|seen| {
            if let Judged::Taken(_) = seen.judged {
                let group = options.by.as_deref().and_then(|column| group(column, &seen));
                grouped += usize::from(group.is_some());
                taken += 1;
                sample.add(options.seed, group.unwrap_or_default(), &seen.key.bits().to_be_bytes(), number);
            }
            number += 1;
            Ok(())
        })?;
        match &options.by {
            Some(column) if grouped == 0 && taken > 0 => {
                let problem = Problem::usage(format!("no record has the member {column}, which --by names"));
                Err(problem.hint("it is the path of a member, as details.source, or `decision`").into())
            }
            _ => Ok(sample.draw(count)),
        }
    }

    /// The filter of `--where`.
    pub(super) fn filter(&self) -> Option<&Filter> {
        self.filter.as_ref().map(Where::filter)
    }

    /// Whether an input is one candidate.
    pub(super) fn takes_whole(&self, loaded: &Loaded) -> bool {
        self.takes_runs && is_one_run(loaded)
    }

    /// The part of a record.
    fn part(&self, number: u64) -> usize {
        self.parts.get(&number).copied().unwrap_or(0)
    }

    /// The status of the export: 1 where a column that the filter asks for failed for a record, which so has no value.
    pub(super) fn status(&self) -> u8 {
        self.status
    }

    /// Gives every record in order.
    pub(super) fn each(&self, mut take: impl FnMut(CandidateRecord<'_>) -> Result<(), Stop>) -> Result<(), Stop> {
        let mut number = 0_u64;
        for (source, loaded) in self.inputs.iter().enumerate() {
            let mut reader = RecordReader::new(&loaded.input);
            if self.takes_whole(loaded) {
                if let Some(seen) = self.run(source, loaded, &mut reader, number)? {
                    take(seen)?;
                    number += 1;
                }
                continue;
            }
            for record in loaded.records()?.iter() {
                let text = reader.text(&record)?;
                let key = ContentKey::of(text);
                let verdict = self.marks.verdict(key).or_else(|| self.marks.message_verdict(key));
                let has_findings =
                    self.records_with_findings.get(source).map(|found| found.get(record.number).is_some_and(|f| *f));
                let mut judged = match &record.body {
                    // R5, R9: what is not valid JSON, bytes that are not UTF-8 included, gets into no file.
                    RecordBody::Text if record.check(text).is_err() => Judged::Left(NO_JSON.to_owned()),
                    RecordBody::Text => self.selection.judge(&Candidate {
                        source,
                        record: record.number,
                        key,
                        verdict,
                        has_findings,
                        text,
                    })?,
                    // Only its beginning was read.
                    RecordBody::Broken(why) if why.starts_with(json::TOO_DEEP) => {
                        Judged::Left(json::TOO_DEEP.to_owned())
                    }
                    RecordBody::Broken(_) => Judged::Left(NO_JSON.to_owned()),
                };
                if let (Judged::Taken(_), Some(why)) = (&judged, self.left.get(&number)) {
                    judged = Judged::Left((*why).to_owned());
                }
                let is_drawn = |drawn: &Vec<u64>| drawn.binary_search(&number).is_ok();
                if matches!(judged, Judged::Taken(_)) && !self.drawn.as_ref().is_none_or(is_drawn) {
                    judged = Judged::Left("not drawn".to_owned());
                }
                let (name, part) = (loaded.input.name(), self.part(number));
                let unpicked = self.unpicked.get(&number).map(Vec::as_slice).unwrap_or_default();
                take(CandidateRecord { source, name, record, key, verdict, judged, number, part, unpicked, text })?;
                number += 1;
            }
        }
        Ok(())
    }
}

impl Candidates<'_> {
    /// A file that is one run, as one candidate: it is known by its first record.
    fn run<'r>(
        &self,
        source: usize,
        loaded: &'r Loaded,
        reader: &'r mut RecordReader<'_>,
        number: u64,
    ) -> Result<Option<CandidateRecord<'r>>, Stop> {
        let Some(first) = loaded.records()?.get(0) else { return Ok(None) };
        let text = reader.text(&first)?;
        let key = ContentKey::of(text);
        // The findings of a run are at any of its records.
        let has_findings = self.records_with_findings.get(source).map(|found| found.contains(&true));
        let is_all = self.selection.predicates.is_empty() && !self.selection.only_clean;
        let candidate = Candidate { source, record: first.number, key, verdict: None, has_findings, text: b"null" };
        let mut judged = if is_all { Judged::Taken("all".to_owned()) } else { self.selection.judge(&candidate)? };
        let is_drawn = self.drawn.as_ref().is_none_or(|drawn| drawn.binary_search(&number).is_ok());
        if matches!(judged, Judged::Taken(_)) && !is_drawn {
            judged = Judged::Left("not drawn".to_owned());
        }
        let place = Place { span: Span { offset: 0, len: loaded.input.len() }, line: 1 };
        let record = Record { number: 0, place, body: RecordBody::Text, is_row: false };
        let (name, part, unpicked) = (loaded.input.name(), self.part(number), &[][..]);
        Ok(Some(CandidateRecord { source, name, record, key, verdict: None, judged, number, part, unpicked, text }))
    }
}

/// Whether all records of an input make one run.
pub(super) fn is_one_run(loaded: &Loaded) -> bool {
    loaded.detected.format.layout() == Layout::Run
}

/// A filter, and the records of each input that it lets through.
struct Filtered {
    description: String,
    passing: Vec<Passing>,
}

impl Predicate for Filtered {
    fn holds(&self, record: &Candidate<'_>) -> Result<bool, Problem> {
        Ok(self.passing.get(record.source).is_some_and(|passing| passing.has(record.record)))
    }

    fn describe(&self) -> String {
        self.description.clone()
    }
}

/// What a column says of a record: texts as they read, anything else as JSON, nothing where there is none.
fn group(column: &str, seen: &CandidateRecord<'_>) -> Option<String> {
    if column == "decision" {
        return Some(verdict_name(seen.verdict).to_owned());
    }
    let text = lossy(seen.text);
    let record = json::parse_lenient(&text).ok()?;
    let value = member(&record, column)?;
    Some(value.as_str().map_or_else(|| json::compact(value), str::to_owned))
}

/// A member by its name, or by names with dots between them.
fn member<'v>(value: &'v Value<'v>, path: &str) -> Option<&'v Value<'v>> {
    if let Some(found) = value.get(path) {
        return Some(found);
    }
    let step = |value: &'v Value<'v>, name: &str| match &value.data {
        Data::Array(items) => items.get(name.parse::<usize>().ok()?),
        _ => value.get(name),
    };
    path.split('.').try_fold(value, step)
}
