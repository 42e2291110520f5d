//! `obelus query`: a jq expression asked of every record.
//!
//! The expression is foreign code that can loop, fill the memory and overflow the stack, and nothing in a process can
//! stop it. So it never runs in this one: [`worker`] is this program started again, with an empty environment and a
//! bound on its memory, fed records over a pipe ([`crate::shell::query`]) and killed when it takes too long.

mod filter_only;
pub(super) mod run;
mod worker;

use super::args::{FileName, FormatOption, MarksOption, parsed};
use super::clean::CleanOption;
use super::each_file::LeftOut;
use super::filter::{Where, WhereOption};
use super::inputs::Inputs;
use super::out::{self, Out, raw};
use super::task_groups::groups_of_files;
use super::{Command, Stop, complain};
use crate::ingest::{Loaded, RewardFiles};
use crate::json;
use crate::model::{Place, Problem};
use crate::review::Marks;
use crate::shell::query::{RecordAnswer, RecordQuery};
use clap::{ArgMatches, Args};
use run::Answered;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub(super) const COMMAND: Command = Command { name: "query", describe, run };

/// Longest time limit, in seconds.
const LIMIT_SECONDS_MAX: f64 = 86_400.0;

/// Evaluate a jq expression on every record of files; status 1 if it fails on one
///
/// EXPR is jq, run by jaq in a separate process that has no environment and 2 GiB of memory. Prints each result as one
/// line of JSON; numbers that EXPR does not reckon with keep their text. A record for which EXPR fails is reported on
/// stderr and does not stop the others.
///
/// With --where, EXPR is evaluated for the records that match the filter; together with --select or --count the filter
/// is the whole question, and there is no EXPR.
#[derive(Debug, Args)]
struct Options {
    /// Files or folders to read, packed ones too (`-` is standard input), then the expression, such as
    /// '.content[].function'
    #[arg(value_name = "FILE... EXPR", required = true)]
    files_and_expression: Vec<FileName>,
    #[command(flatten)]
    format: FormatOption,
    #[command(flatten)]
    filter: WhereOption,
    #[command(flatten)]
    clean: CleanOption,
    #[command(flatten)]
    marks: MarksOption,
    /// Print the records for which a result is neither false nor null, byte by byte as they are
    #[arg(long, conflicts_with_all = ["json", "count"])]
    select: bool,
    /// Print how many records have a result that is neither false nor null
    #[arg(long)]
    count: bool,
    /// Print results that are texts as they are, without quotes and escapes
    #[arg(long, short, alias = "raw-output", conflicts_with_all = ["json", "select", "count"])]
    raw: bool,
    /// Print JSON: one value for each record
    #[arg(long)]
    json: bool,
    /// Longest time for one record, in seconds
    #[arg(long, value_name = "S", default_value = "10", value_parser = limit)]
    timeout: Duration,
    /// Be the process in which an expression runs
    #[arg(long, hide = true, exclusive = true)]
    worker: bool,
}

fn describe(command: clap::Command) -> clap::Command {
    Options::augment_args(command).override_usage(
        "obelus query [OPTIONS] <FILE>... <EXPR>\n       obelus query --where <FILTER> <--select|--count> <FILE>...",
    )
}

/// A time limit as typed.
fn limit(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().filter(|s| *s > 0.0 && *s <= LIMIT_SECONDS_MAX);
    seconds.map(Duration::from_secs_f64).ok_or_else(|| "a time limit is a number of seconds, as 10 or 0.5".to_owned())
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    if options.worker {
        return Ok(worker::work()?);
    }
    let filter = options.clean.filter(&options.filter)?;
    let marks = options.marks.read_if(filter.as_ref().is_some_and(Where::has_marks))?;
    if let (Some(filter), true) = (&filter, options.select || options.count) {
        return filter_only::run(&options, filter, &marks, out);
    }
    let (expression, files) = match options.files_and_expression.split_last() {
        Some((expression, files)) if !files.is_empty() => (expression.text().into_owned(), files),
        _ => {
            return Err(Problem::usage("there is a FILE missing, or EXPR")
                .hint("as in obelus query FILE '.id'")
                .into());
        }
    };
    let question = RecordQuery { expression, wants_results: !options.select && !options.count, limit: options.timeout };
    // An invalid expression is reported once, before any file is read.
    let child = question.child().map_err(|problem| {
        // As jq takes them.
        let is_file = Path::new(&question.expression).exists();
        if is_file { problem.hint("the expression comes last: `obelus query FILE… EXPR`") } else { problem }
    });
    drop(child?);
    let inputs = Inputs::of(files);
    let has_several = inputs.names.len() > 1;
    if let Some(filter) = filter.as_ref().filter(|_| has_several) {
        filter.count_groups(|| groups_of_files(&inputs, options.format.forced()))?;
    }
    let (options, left_out) = (&options, LeftOut::default());
    let rewards = Arc::clone(&inputs.rewards);
    let mut output = QueryOutput { options, filter, marks, out, has_several, has_failed: false, rewards, left_out };
    let status = inputs.complain();
    for (file, is_found) in inputs.files() {
        match output.file((file, is_found), &question) {
            Err(Stop::Problem(problem)) => output.left_out.add_unread(file, &problem, is_found),
            done => done?,
        }
    }
    if output.filter.is_some() {
        output.left_out.add_passed_over(&inputs);
    }
    Ok(status.max(output.left_out.complain(&inputs)).max(u8::from(output.has_failed)))
}

/// What is said of files.
struct QueryOutput<'o, 'w> {
    options: &'o Options,
    filter: Option<Where>,
    marks: Marks,
    out: &'o mut Out<'w>,
    has_several: bool,
    has_failed: bool,
    /// Files with the rewards of runs, which filters ask for.
    rewards: Arc<RewardFiles>,
    left_out: LeftOut,
}

impl QueryOutput<'_, '_> {
    fn file(&mut self, (file, is_found): (&FileName, bool), question: &RecordQuery) -> Result<(), Stop> {
        let loaded = super::load(file, self.options.format.forced(), self.out)?.with_rewards(&self.rewards);
        // Without a filter any record is asked.
        if self.filter.is_some() && is_found && self.left_out.takes(file, &loaded)? {
            return Ok(());
        }
        let passing = self.filter.as_ref().map(|filter| filter.passing_records(&loaded, &self.marks)).transpose()?;
        let (mut count, mut failed) = (0_u64, passing.as_ref().map_or(0, |passing| passing.failed));
        let passing = passing.map(|passing| passing.records);
        run::records(&loaded, question, " (--timeout)", passing.as_deref(), |answered| {
            count += u64::from(answered.answer.is_true);
            failed += u64::from(answered.answer.failure.is_some());
            self.record(file, &loaded, &answered)
        })?;
        self.has_failed |= failed > 0;
        match (self.options.count, self.options.json) {
            (true, true) => {
                let members = vec![
                    ("file", raw(&file.text())?),
                    ("records", raw(&loaded.records()?.len())?),
                    ("count", raw(&count)?),
                    ("failed", raw(&failed)?),
                ];
                self.out.json(&out::plain(&members))?;
            }
            (true, false) if self.has_several => self.out.line(&format!("{file}:{count}"))?,
            (true, false) => self.out.line(&count.to_string())?,
            (false, _) => {}
        }
        Ok(())
    }

    fn record(&mut self, file: &FileName, loaded: &Loaded, answered: &Answered) -> Result<(), Stop> {
        let Answered { number, place, text, answer, .. } = answered;
        if let Some(why) = &answer.failure {
            let name = if file.is_stdin() { loaded.input.name().to_owned() } else { file.to_string() };
            complain(&format!("{name}:{}: record {number}: {why}", place.line));
        }
        if self.options.count {
            return Ok(());
        }
        if self.options.select {
            let is_wanted = answer.is_true;
            return if is_wanted { Ok(self.out.record(text)?) } else { Ok(()) };
        }
        if self.options.json {
            return Ok(self.out.json(&line(&file.text(), *number, *place, answer)?)?);
        }
        for result in answer.results.lines() {
            let parsed = if self.options.raw { json::parse(result).ok() } else { None };
            match parsed.as_ref().and_then(json::Value::as_str) {
                Some(text) => self.out.exact(&format!("{text}\n"))?,
                None => self.out.json(result)?,
            }
        }
        Ok(())
    }
}

/// One record's line of `--json`.
fn line(file: &str, record: usize, place: Place, answer: &RecordAnswer) -> Result<String, Problem> {
    let results: Vec<&str> = answer.results.lines().collect();
    let span = place.span;
    let failure = answer.failure.as_deref().map(|why| format!(",\"error\":{}", json::quote(why))).unwrap_or_default();
    Ok(format!(
        "{{\"obelus\":1,\"file\":{},\"record\":{record},\"results\":[{}]{failure},\"place\":{{\"offset\":{},\"len\":{},\
         \"line\":{}}}}}",
        raw(file)?,
        results.join(","),
        span.offset,
        span.len,
        place.line
    ))
}
