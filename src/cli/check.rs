//! `obelus check`: what is wrong with files.

pub(super) mod baseline;
pub(super) mod config;
pub(super) mod data;
mod folded;
pub(super) mod loss;
mod pieces;
mod sarif;
mod text;

use super::args::{FileName, FormatOption, parsed};
use super::finding_policy::{FindingPolicy, FindingPolicyOption, Ruling, THINK_RULES};
use super::flat::FlatFile;
use super::inputs::Inputs;
use super::loss_option::LossOption;
use super::out::Out;
use super::{Command, Stop, TROUBLE, complain};
use crate::format::Layout;
use crate::ingest::{self, Loaded};
use crate::model::{Finding, LocatedFinding, Problem, Severity, Span, StepNo};
use crate::review::LossCounts;
use crate::review::flat::{FINDINGS, finding_row};
use crate::rules::data::{NEAR, QUESTION_WORDS, QUESTION_WORDS_RANGE};
use crate::state::IS_CHECKED;
use baseline::{BaselineFile, Contents};
use clap::{ArgMatches, Args};
use data::{Beginning, Data};
use folded::{Folded, ReportLine};
use loss::Counted;
use sarif::Sarif;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use text::Summary;

pub(super) const COMMAND: Command = Command { name: "check", describe: Options::augment_args, run };

/// Print the findings of whole files; status 1 if one is an error
///
/// `obelus explain` describes the rules. Rules are allowed and denied by their id or the name of their family. The file
/// obelus.toml in the current folder can set the same permanently, as [check] with allow, deny and baseline.
#[derive(Debug, Args)]
struct Options {
    /// Files or folders to read, packed ones too; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<FileName>,
    #[command(flatten)]
    format: FormatOption,
    /// Print JSON: one value for each finding
    #[arg(long)]
    json: bool,
    /// Write the findings into a file, each with the digest of its record: JSON Lines, CSV if it ends in .csv, or
    /// Parquet if it ends in .parquet
    #[arg(long, short, value_name = "OUT", conflicts_with_all = ["json", "sarif", "write_baseline"])]
    out: Option<PathBuf>,
    /// Overwrite an existing file (never an input)
    #[arg(long, requires = "out")]
    force: bool,
    /// Print a SARIF 2.1.0 document, for code hosts and editors
    #[arg(long, conflicts_with = "json")]
    sarif: bool,
    /// Check the dataset too: repetition across all files, outliers, loops, damaged text, secrets (family data)
    #[arg(long)]
    data: bool,
    /// Report samples that this file or folder also contains, exactly or nearly, or whose question is in a record (rule
    /// data.contaminated)
    #[arg(long, value_name = "FILE")]
    against: Vec<FileName>,
    /// Length, in words, of the runs by which questions of --against are found inside records
    #[arg(long, value_name = "WORDS", default_value_t = QUESTION_WORDS, value_parser = ngram, requires = "against")]
    ngram: usize,
    /// Share of runs of five words from which samples are near copies, with --data and --against
    #[arg(long, value_name = "SHARE", default_value_t = NEAR, value_parser = share)]
    near: f64,
    /// Check how conversations would train in a chat template too (family loss), as `obelus loss` takes it; several,
    /// divided by commas, are reported side by side at the end
    #[arg(long, value_name = "NAME|FILE", value_delimiter = ',')]
    loss: Vec<String>,
    #[command(flatten)]
    training: LossOption,
    #[command(flatten)]
    policy: FindingPolicyOption,
    /// Write all findings to this file as the new baseline, and report none
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "sarif", "baseline"])]
    write_baseline: Option<FileName>,
}

/// A share as typed. Less than half is found too seldom to be reported.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|share| (0.5..=1.0).contains(share));
    share.ok_or_else(|| "a share is a number from 0.5 to 1".to_owned())
}

/// The least reward of a success as typed: no reward is as good as one that is not finite.
pub(super) fn success(text: &str) -> Result<f64, String> {
    text.parse::<f64>().ok().filter(|least| least.is_finite()).ok_or_else(|| "a reward is a finite number".to_owned())
}

/// Words of a run as typed.
fn ngram(text: &str) -> Result<usize, String> {
    let words = text.parse().ok().filter(|words| QUESTION_WORDS_RANGE.contains(words));
    words.ok_or_else(|| format!("a run has {} to {} words", QUESTION_WORDS_RANGE.start(), QUESTION_WORDS_RANGE.end()))
}

/// How findings are reported.
enum Form {
    Text,
    Json,
    Sarif(Sarif),
    /// As rows of a file.
    Rows(Box<FlatFile>),
    /// Not at all: they are collected.
    Known,
    /// Not at all: nobody reads them any more, but the exit status counts them.
    Unread,
}

struct Check<'o, 'w> {
    out: &'o mut Out<'w>,
    form: Form,
    policy: FindingPolicy,
    /// What is to be known from now on.
    known: BaselineFile,
    summary: Summary,
    data: Option<Data>,
    loss: Vec<Counted>,
    /// Findings of the current file that people may see folded.
    folded: Folded,
    /// Whether the next finding is in a text in which the same was found before, and how many were, by rule.
    is_again: bool,
    again: BTreeMap<&'static str, (Severity, usize)>,
}

/// Bytes before the end of what came of a stream within which a finding is reported at once.
const NEAR_BYTES: u64 = 1 << 20;

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    let policy = match options.write_baseline {
        Some(_) => options.policy.read_rules()?,
        None => options.policy.read()?,
    };
    let inputs = Inputs::of(&options.files);
    let read: Vec<&Path> = inputs.names.iter().chain(&options.against).map(AsRef::as_ref).collect();
    let rows = options.out.as_ref().map(|path| FlatFile::create(path, &FINDINGS, options.force, &read));
    let form = match rows.transpose()? {
        Some(file) => Form::Rows(Box::new(file)),
        None => form(&options),
    };
    if !IS_CHECKED {
        complain("this build has no feature `schema`: values are not checked against their schemas");
    }
    let format = options.format.forced();
    let data = if options.data || !options.against.is_empty() {
        Some(Data::new(options.data, options.near, (&options.against, options.ngram), format)?)
    } else {
        None
    };
    let loss = |asked: &String| {
        Ok::<_, Problem>(Counted { check: options.training.check(asked)?, counts: LossCounts::default() })
    };
    let loss = options.loss.iter().map(loss).collect::<Result<Vec<_>, _>>()?;
    if let Some(file) = &options.write_baseline {
        BaselineFile::may_write(file, &read)?;
    }
    let mut check = Check {
        out,
        form,
        policy,
        known: BaselineFile::default(),
        summary: Summary::default(),
        data,
        loss,
        folded: Folded::default(),
        is_again: false,
        again: BTreeMap::new(),
    };
    let problems = check.files(&inputs, format)?;
    if let Some(file) = &options.write_baseline {
        check.known.write(file)?;
    }
    check.end(&problems, options.write_baseline.as_ref())
}

/// The form of answers that are printed.
fn form(options: &Options) -> Form {
    match () {
        () if options.write_baseline.is_some() => Form::Known,
        () if options.sarif => Form::Sarif(Sarif::default()),
        () if options.json => Form::Json,
        () => Form::Text,
    }
}

impl Check<'_, '_> {
    /// Reports the findings of all files; what is wrong with files that cannot be read.
    fn files(&mut self, inputs: &Inputs, format: Option<&str>) -> Result<Vec<String>, Stop> {
        if let Form::Sarif(sarif) = &mut self.form {
            let result = sarif.begin(self.out);
            self.unless_closed(result)?;
        }
        let mut problems: Vec<String> = inputs.troubles().collect();
        for file in &inputs.names {
            match ingest::begin(file, format).map_err(Stop::from).and_then(|loaded| self.file(file, &loaded)) {
                Ok(trouble) => {
                    self.summary.files += 1;
                    problems.extend(trouble.map(|trouble| trouble.to_string()));
                }
                Err(Stop::Problem(problem)) => problems.push(problem.to_string()),
                Err(stop) => return Err(stop),
            }
        }
        problems.iter().for_each(|problem| complain(problem));
        Ok(problems)
    }

    /// Reports the findings of a file; why there are no more, if it broke off.
    fn file(&mut self, file: &FileName, loaded: &Loaded) -> Result<Option<Problem>, Stop> {
        self.summary.unknown += usize::from(loaded.detected.is_fallback);
        let mut contents = Contents::new(loaded);
        self.folded = Folded::new(loaded.detected.format.layout() == Layout::Run);
        let (mut records, mut last) = (0, 0);
        let mut data = self.data.take();
        let each = |found: Vec<LocatedFinding>| -> Result<(), Stop> {
            last = found.iter().map(|found| found.place.span.end()).fold(last, u64::max);
            found.into_iter().try_for_each(|found| self.judge_finding(file, found, &mut contents))?;
            records += 1;
            self.report_passed(file, loaded, records, last)
        };
        let beginning = match &mut data {
            Some(data) => data.beginning(&file.to_string(), loaded, each)?,
            None => ingest::findings(loaded, each).map(|()| Beginning::default())?,
        };
        self.report_folded(file, loaded)?;
        if let Some(mut data) = data {
            data.rest(loaded, beginning, |found, is_again| {
                self.is_again = is_again;
                self.judge_finding(file, found, &mut contents)
            })?;
            self.is_again = false;
            self.data = Some(data);
            self.report_folded(file, loaded)?;
        }
        let mut all = std::mem::take(&mut self.loss);
        let are_several = all.len() > 1;
        for one in &mut all {
            let counts = loss::file(&one.check, loaded, |found| {
                let found = if are_several { one.named(found) } else { found };
                self.judge_finding(file, found, &mut contents)
            })?;
            one.counts.add(counts);
            self.report_folded(file, loaded)?;
        }
        self.loss = all;
        Ok(loaded.trouble())
    }

    /// Reports a finding, if it is neither allowed nor known.
    fn judge_finding(
        &mut self,
        file: &FileName,
        found: LocatedFinding,
        contents: &mut Contents<'_>,
    ) -> Result<(), Stop> {
        if THINK_RULES.contains(&found.finding.rule) && self.takes_think_tags() {
            return Ok(());
        }
        match self.policy.judge(found, contents)? {
            Ruling::Counts(found) => self.report(file, &found, contents),
            Ruling::Allowed => {
                self.summary.allowed += 1;
                Ok(())
            }
            Ruling::Known => {
                self.summary.known += 1;
                Ok(())
            }
        }
    }

    fn report(&mut self, file: &FileName, found: &LocatedFinding, contents: &mut Contents<'_>) -> Result<(), Stop> {
        self.summary.count(&found.finding);
        let result = match &mut self.form {
            // Whoever reads sees a text once, whoever takes records out sees it in each.
            Form::Text if self.is_again => {
                self.again.entry(found.finding.rule).or_insert((found.finding.severity, 0)).1 += 1;
                Ok(())
            }
            Form::Text => {
                let out = &mut *self.out;
                let report_lines = self.folded.push(found.clone());
                report_lines
                    .iter()
                    .try_for_each(|report_line| write_line(file, report_line, None, out))
                    .map_err(Stop::from)
            }
            Form::Json => {
                let line = json(&file.text(), &found.finding)?;
                self.out.json(&line).map_err(Stop::from)
            }
            Form::Sarif(sarif) => sarif.write_finding(file, found, contents.of(found)?, self.out),
            Form::Rows(rows) => rows.push(finding_row(&file.text(), found, contents.key(found)?)).map_err(Stop::from),
            Form::Known => {
                self.known.add(&found.finding, contents.of(found)?);
                Ok(())
            }
            Form::Unread => Ok(()),
        };
        self.unless_closed(result)
    }

    /// Reports what need not wait for records after the first `records`. Where the input is still arriving, a reader
    /// sees findings near the end of what arrived at once; `last` is the byte behind the last finding.
    fn report_passed(&mut self, file: &FileName, loaded: &Loaded, records: usize, last: u64) -> Result<(), Stop> {
        let report_lines = if let Form::Text = self.form { self.folded.pass(records) } else { Vec::new() };
        let mut result = report_lines.iter().try_for_each(|line| write_line(file, line, None, self.out));
        let is_near = loaded.input.len().saturating_sub(last) <= NEAR_BYTES;
        if is_near && loaded.input.may_grow() && !loaded.input.is_file() {
            result = result.and_then(|()| self.out.finish());
        }
        self.unless_closed(result.map_err(Stop::from))
    }

    /// Reports what all records of a file have, at the end of a pass over it.
    fn report_folded(&mut self, file: &FileName, loaded: &Loaded) -> Result<(), Stop> {
        if !matches!(self.form, Form::Text) {
            return Ok(());
        }
        let records = loaded.records()?.len();
        let next = Folded::new(loaded.detected.format.layout() == Layout::Run);
        let folded = std::mem::replace(&mut self.folded, next);
        let mut report_lines = folded.finish(records).into_iter();
        let result = report_lines.try_for_each(|report_line| write_line(file, &report_line, Some(records), self.out));
        let mut again = std::mem::take(&mut self.again).into_iter();
        let result = result.and_then(|()| again.try_for_each(|rule| text::write_again(file, rule, self.out)));
        self.unless_closed(result.map_err(Stop::from))
    }

    /// Whether think tags are right in a text: every template that was asked for knows them.
    fn takes_think_tags(&self) -> bool {
        !self.loss.is_empty() && self.loss.iter().all(|one| one.check.template.knows_think_tags())
    }

    /// R27: where the reader has closed the pipe, goes on without it: `check | head` has the exit status of `check`.
    fn unless_closed(&mut self, result: Result<(), Stop>) -> Result<(), Stop> {
        match result {
            Err(Stop::Output(e)) if e.kind() == ErrorKind::BrokenPipe => {
                self.form = Form::Unread;
                Ok(())
            }
            result => result,
        }
    }

    /// The end of the answer, and the exit status.
    fn end(mut self, problems: &[String], written: Option<&FileName>) -> Result<u8, Stop> {
        let result = match &self.form {
            Form::Text if self.loss.len() > 1 => loss::write_table(&self.loss, self.out).map_err(Stop::from),
            Form::Json if self.loss.len() > 1 => self.out.json(&loss::json(&self.loss)?).map_err(Stop::from),
            _ => Ok(()),
        };
        self.unless_closed(result)?;
        let result = match (&self.form, written) {
            // Where no file could be read there is nothing to count.
            (Form::Text, _) if self.summary.files == 0 && !problems.is_empty() => Ok(()),
            (Form::Text | Form::Rows(_), _) => self.summary.write_summary(self.out).map_err(Stop::from),
            (Form::Sarif(sarif), _) => sarif.end(problems, self.out),
            (Form::Known, Some(file)) => self.summary.write_baseline_summary(file, self.out).map_err(Stop::from),
            _ => Ok(()),
        };
        self.unless_closed(result)?;
        if let Form::Rows(rows) = self.form {
            rows.finish()?;
        }
        Ok(match problems {
            [_, ..] => TROUBLE,
            [] if written.is_some() => 0,
            [] => u8::from(self.summary.errors > 0),
        })
    }
}

/// One line for people; `records`: how many the file has, where that is known.
fn write_line(file: &FileName, report_line: &ReportLine, records: Option<usize>, out: &mut Out) -> std::io::Result<()> {
    match report_line {
        ReportLine::One(found) => text::write_finding(file, found, out),
        ReportLine::Folded(found, in_a_row) => text::write_folded(file, (found, *in_a_row), records, out),
    }
}

/// A finding as `CLI.md` has it.
#[derive(Serialize)]
struct FindingLine<'f> {
    obelus: u32,
    file: &'f str,
    record: usize,
    step: Option<StepNo>,
    path: Option<&'f str>,
    rule: &'static str,
    severity: Severity,
    message: &'f str,
}

fn json(file: &str, finding: &Finding) -> Result<String, Problem> {
    let Finding { record, step, remark } = finding;
    let (path, record, step) = (remark.path.as_deref(), *record, *step);
    let (rule, severity, message) = (remark.rule, remark.severity, &*remark.message);
    let line = FindingLine { obelus: 1, file, record, step, path, rule, severity, message };
    serde_json::to_string(&line).map_err(|e| Problem::unreadable(format!("a finding has no JSON: {e}")))
}

/// The bytes that stand for a finding's record: where a file is one run, its message, since later records repeat it.
fn content_span(loaded: &Loaded, found: &LocatedFinding) -> Result<Span, Problem> {
    Ok(match loaded.detected.format.layout() {
        Layout::Run => found.place.span,
        Layout::Set => loaded.records()?.get(found.finding.record).map_or(found.place.span, |record| record.place.span),
    })
}
