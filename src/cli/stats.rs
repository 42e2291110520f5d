//! `obelus stats`: what files consist of, trajectory by trajectory and as a whole.

mod by;
mod histogram;
mod lift;
mod lift_places;
mod measure;
mod merge;
mod outcomes;
mod summary;
mod tasks;
mod together;
mod tools;

use super::args::{FileName, FormatOption, MarksOption, parsed};
use super::each_file::LeftOut;
use super::filter::{Passing, Where, WhereOption};
use super::finding_policy::FindingPolicy;
use super::inputs::Inputs;
use super::out::Out;
use super::{Command, Stop, survey};
use crate::ingest::{self, Loaded};
use crate::json::{self, Data, Value};
use crate::lint::Policy;
use crate::model::{Problem, duration_text};
use crate::review::{Marks, Scope, Tokenizer};
use clap::{ArgMatches, Args, ValueEnum};
use measure::{Asked, RecordQuestion};
use serde_json::value::RawValue;
use std::cell::RefCell;
use std::sync::Arc;
use together::{Counts, Together};

pub(super) const COMMAND: Command = Command { name: "stats", describe: Options::augment_args, run };

/// Print statistics of files: steps, roles, tools, how runs end
#[derive(Debug, Args)]
struct Options {
    /// Files or folders to read, packed ones too; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<FileName>,
    #[command(flatten)]
    format: FormatOption,
    /// Print JSON: one value for each trajectory, then one for the file
    #[arg(long)]
    json: bool,
    /// Print only the lines of trajectories, or only the line of the file: in these, members such as `steps` have one
    /// type
    #[arg(long, value_name = "LINES", requires = "json", conflicts_with_all = ["tools", "merge"])]
    only: Option<OutputLines>,
    /// Print one line of constant size per file, which merges with those of other parts in any order: counts and sums
    /// are exact, percentiles at most 1 % too low, and the numbers of different ids and bodies have a standard error of
    /// 0.8 %
    #[arg(long, conflicts_with_all = ["tools", "only", "merge"])]
    summary: bool,
    /// Only count calls by tool, which takes a fraction of the time
    #[arg(long)]
    tools: bool,
    /// Outcomes of the calls of each tool: failed, suspect, fine, without a result; how long they took, where the log
    /// says it; and where there are rewards, the mean of the trajectories that use it and of those that do not
    #[arg(long, conflicts_with_all = ["tools", "only", "summary"])]
    outcomes: bool,
    /// Which phrases of three words and which tools go with high rewards, and which with low ones, each with records
    /// and steps that have it: what a policy may have learned in order to please its reward
    #[arg(long, conflicts_with_all = ["tools", "only", "outcomes", "tasks", "of", "histogram"])]
    lift: bool,
    /// The attempts at each task as a group: rewards, pass@k and pass^k, steps, and whether rewards differ at all
    #[arg(long, conflicts_with_all = ["tools", "only", "outcomes", "summary"])]
    tasks: bool,
    /// Group the records: by a column (finish, tool, task, one of the configuration …), a path (details.model), or a jq
    /// expression ('.details.model|ascii_downcase'); with --tasks and --lift, the path that names the task [default:
    /// task_id, instance_id, the id without its attempt]
    #[arg(long, value_name = "FIELD|JQ", conflicts_with_all = ["tools", "only", "outcomes", "summary"])]
    by: Option<String>,
    /// Numbers whose mean, deviation and percentiles each group has, with --by, apart by commas: columns, paths and jq
    /// expressions as --by takes them [default: steps, calls, reward]
    #[arg(long, value_name = "NUMBERS", requires = "by")]
    of: Option<String>,
    /// Histogram of a number over the records: a column (steps, tokens, reward …), a path or a jq expression
    #[arg(long, value_name = "NUMBER|JQ")]
    #[arg(conflicts_with_all = ["tools", "only", "outcomes", "tasks", "by", "summary"])]
    histogram: Option<String>,
    /// One answer for all files, with --tasks, --by, --histogram and --outcomes: groups span files, as the shards of a
    /// dataset or a folder of runs
    #[arg(long, conflicts_with_all = ["tools", "only", "lift", "summary", "merge"])]
    together: bool,
    #[command(flatten)]
    filter: WhereOption,
    #[command(flatten)]
    marks: MarksOption,
    /// Least reward that is a success, with --tasks
    #[arg(long, value_name = "REWARD", requires = "tasks", default_value_t = 1.0, allow_negative_numbers = true,
        value_parser = super::check::success)]
    success: f64,
    /// Merge what `obelus stats --json` printed of the parts of a dataset, in the order of the parts, or with --summary
    /// in any order
    #[arg(long, conflicts_with_all = ["tools", "outcomes", "lift", "tasks", "by", "histogram", "filters"])]
    merge: bool,
}

/// What is asked.
#[derive(Debug, Clone, Copy)]
enum StatsQuestion<'o> {
    /// All statistics, in one pass over all records, which takes them as a stream brings them.
    All,
    /// The same in constant size.
    Summary,
    Tools,
    Outcomes,
    Lift,
    Tasks,
    By(&'o str),
    Histogram(&'o str),
}

impl Options {
    /// Whether something is asked about the attempts at a task.
    fn asks_for_groups(&self) -> bool {
        [&self.by, &self.of, &self.histogram].into_iter().flatten().any(|text| text.contains("group."))
    }

    fn question(&self) -> StatsQuestion<'_> {
        match (&self.by, &self.histogram) {
            _ if self.tasks => StatsQuestion::Tasks,
            _ if self.outcomes => StatsQuestion::Outcomes,
            _ if self.lift => StatsQuestion::Lift,
            _ if self.tools => StatsQuestion::Tools,
            (Some(by), _) => StatsQuestion::By(by),
            (None, Some(number)) => StatsQuestion::Histogram(number),
            (None, None) if self.summary => StatsQuestion::Summary,
            (None, None) => StatsQuestion::All,
        }
    }
}

impl StatsQuestion<'_> {
    /// Whether it can be asked of some records.
    fn takes_filter(self) -> bool {
        !matches!(self, Self::All | Self::Summary | Self::Tools)
    }

    /// Whether it is one of each record, so that files that are runs are records of one answer.
    fn counts_records(self) -> bool {
        matches!(self, Self::By(_) | Self::Histogram(_) | Self::Tasks)
    }

    /// Whether it may be one of tokens.
    fn takes_tokenizer(self) -> bool {
        matches!(self, Self::By(_) | Self::Histogram(_))
    }
}

/// Lines of the answer for programs.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum OutputLines {
    /// A line a trajectory.
    Trajectories,
    /// The line of the file.
    Dataset,
}

impl OutputLines {
    fn is_dataset(self) -> bool {
        matches!(self, Self::Dataset)
    }
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    if options.merge {
        return merge::run(&options, out);
    }
    let inputs = Inputs::of(&options.files);
    let wanted = RecordSelection::of(&options)?;
    let mut status = inputs.complain();
    if options.together {
        return Ok(status.max(together::run(&options, &wanted, &inputs, out)?));
    }
    if options.question().counts_records() {
        return Ok(status.max(together::run_each(&options, &wanted, &inputs, out)?));
    }
    let mut left_out = LeftOut::default();
    for (file, is_found) in inputs.files() {
        match write_report(file, (&options, &wanted), out) {
            Err(Stop::Problem(problem)) => left_out.add_unread(file, &problem, is_found),
            done => status = status.max(done?),
        }
    }
    left_out.add_passed_over(&inputs);
    Ok(status.max(left_out.complain(&inputs)))
}

/// Which records count.
struct RecordSelection {
    filter: Option<Where>,
    marks: Marks,
    /// What counts tokens.
    tokenizer: Option<Arc<dyn Tokenizer>>,
    /// Which findings count.
    policy: RefCell<FindingPolicy>,
}

impl RecordSelection {
    fn of(options: &Options) -> Result<Self, Problem> {
        let filter = options.filter.filter(Scope::Records)?;
        let question = options.question();
        if filter.is_some() && !question.takes_filter() {
            let hint = "`obelus query --where FILTER --select FILE | obelus stats -` counts some records";
            let message = "--where goes with --by, --histogram, --outcomes, --lift or --tasks";
            return Err(Problem::usage(message).hint(hint));
        }
        let by_marks = matches!(question, StatsQuestion::By(by) if Asked::read(by, &options.filter)?.is_mark());
        let marks = options.marks.read_if(by_marks || filter.as_ref().is_some_and(Where::has_marks))?;
        let tokenizer = if question.takes_tokenizer() { options.filter.tokenizer()? } else { None };
        let policy = RefCell::new(options.filter.policy()?);
        Ok(Self { filter, marks, tokenizer, policy })
    }

    /// Of a file the records that the filter lets through; None: all.
    fn passing(&self, loaded: &Loaded) -> Result<Option<Passing>, Problem> {
        self.filter.as_ref().map(|filter| filter.passing_rows(loaded, &self.marks)).transpose()
    }
}

fn write_report(file: &FileName, (options, wanted): (&Options, &RecordSelection), out: &mut Out) -> Result<u8, Stop> {
    let question = options.question();
    if let StatsQuestion::All | StatsQuestion::Summary = question {
        let loaded = ingest::begin(file, options.format.forced())?;
        let write = if let StatsQuestion::Summary = question { summary::write_report } else { write_all };
        write(file, &loaded, (options, wanted.policy.borrow().rules()), out)?;
        super::report_trouble(&loaded, out);
        return Ok(0);
    }
    let loaded = super::load(file, options.format.forced(), out)?;
    let passing = wanted.passing(&loaded)?;
    let status = passing.as_ref().map_or(0, Passing::status);
    let passing = passing.map(|passing| passing.records);
    let of_some = (options, passing.as_deref());
    match question {
        StatsQuestion::Lift => lift::write_report(file, &loaded, of_some, out)?,
        StatsQuestion::Tools => tools::write_report(file, &loaded, options, out)?,
        StatsQuestion::Outcomes => {
            let Some(mut counts) = Counts::new(options)? else { return Ok(status) };
            counts
                .add(options, &RecordQuestion { loaded: &loaded, wanted, passing: passing.as_deref(), groups: None })?;
            return Ok(status.max(counts.write_report(&Together::One(file), options.json, out)?));
        }
        _ => {}
    }
    Ok(status)
}

fn write_all(
    file: &FileName,
    loaded: &Loaded,
    (options, policy): (&Options, &Policy),
    out: &mut Out,
) -> Result<(), Stop> {
    if options.json {
        let stage = loaded.detected.format.stage(&file.text());
        return survey::stats_by(loaded, policy, |stats| match options.only {
            Some(only) if only.is_dataset() != survey::is_of_dataset(stats) => Ok(()),
            _ => Ok(out.json(&survey::line(&file.text(), stage, stats)?)?),
        });
    }
    let mut dataset: Option<Box<RawValue>> = None;
    survey::stats_by(loaded, policy, |stats| {
        dataset = Some(stats.to_owned());
        Ok(())
    })?;
    write_dataset(&file.to_string(), &what(file, loaded), dataset.as_deref(), out)
}

/// What a file is, for people.
fn what(file: &FileName, loaded: &Loaded) -> String {
    let title = loaded.detected.format.title();
    let what = if loaded.detected.is_fallback { format!("{title}, no other format fits") } else { title.to_owned() };
    match loaded.detected.format.stage(&file.text()) {
        Some(stage) => format!("{what} · {stage}"),
        None => what,
    }
}

fn write_dataset(file: &str, what: &str, dataset: Option<&RawValue>, out: &mut Out) -> Result<(), Stop> {
    out.line(&format!("{file}  {what}"))?;
    let rows = match dataset.map(|d| json::parse(d.get())) {
        Some(Ok(dataset)) => rows(&dataset),
        _ => Vec::new(),
    };
    Ok(out.table(&rows)?)
}

/// One row a member: a number, or names with their numbers, the greatest first. Records with findings are counted as
/// `check` counts them.
fn rows(dataset: &Value<'_>) -> Vec<Vec<String>> {
    let found = dataset.get("found");
    let shown = members(dataset).into_iter().filter(|(key, value)| is_for_people(dataset, key, value));
    shown
        .map(|(key, value)| {
            let value = found.and_then(|found| found.get(key)).unwrap_or(value);
            vec![format!("  {}", label(key)), member_text(key, value)]
        })
        .collect()
}

/// Whether a member says something to people: no rewards are no row, and the quality script is one of the Agent Data
/// Protocol.
fn is_for_people(dataset: &Value<'_>, key: &str, value: &Value<'_>) -> bool {
    match key {
        "found" => false,
        "reward" => value.get("trajectories").and_then(Value::as_number) != Some("0"),
        "gates" => dataset.get("shapes").is_some_and(|shapes| shapes.get("std").is_some()),
        _ => true,
    }
}

/// The name of a member for people.
pub(super) fn label(key: &str) -> String {
    match key {
        "gates" => "quality gates".to_owned(),
        "tool_ms" => "tool time".to_owned(),
        _ => key.replace('_', " "),
    }
}

/// A member in one line, by its name.
pub(super) fn member_text(key: &str, value: &Value<'_>) -> String {
    match key {
        "gates" => gates_text(value),
        "tool_ms" => times_text(value),
        _ => value_text(value),
    }
}

/// What the calls of each tool took together, the most first.
fn times_text(times: &Value<'_>) -> String {
    let entries = times.as_object().into_iter().flat_map(|object| object.entries());
    let mut all: Vec<(&str, u64)> =
        entries.filter_map(|(tool, ms)| Some((tool, ms.as_number()?.parse().ok()?))).collect();
    all.sort_by_key(|(_, ms)| std::cmp::Reverse(*ms));
    let text = |(tool, ms): &(&str, u64)| format!("{tool} {}", duration_text(ms.saturating_mul(1000)));
    all.iter().map(text).collect::<Vec<_>>().join(" · ")
}

/// The gates of the quality script (D23), in words.
fn gates_text(gates: &Value<'_>) -> String {
    let gate = |(key, words): (&str, &str)| gates.get(key).map(|gate| format!("{words}: {}", value_text(gate)));
    [("finish", "over 80 % finish"), ("thoughts", "80 % of calls have a thought"), ("alternate", "roles alternate")]
        .into_iter()
        .filter_map(gate)
        .collect::<Vec<_>>()
        .join(" · ")
}

/// The members of statistics that say something.
pub(super) fn members<'v>(dataset: &'v Value<'v>) -> Vec<(&'v str, &'v Value<'v>)> {
    let members = dataset.as_object().map(|o| o.entries().collect::<Vec<_>>()).unwrap_or_default();
    let is_shown = |key: &str, value: &Value<'_>| {
        !matches!(key, "type" | "sketch") && !value.is_null() && !value.as_object().is_some_and(json::Object::is_empty)
    };
    members.into_iter().filter(|(key, value)| is_shown(key, value)).collect()
}

/// A member of statistics in one line.
pub(super) fn value_text(value: &Value<'_>) -> String {
    match &value.data {
        Data::Object(object) => {
            let mut members: Vec<_> =
                object.entries().filter(|(_, v)| v.as_object().is_none() && !v.is_null()).collect();
            let number = |v: &Value<'_>| v.as_number().and_then(|n| n.parse::<u64>().ok());
            if object.get("p50").is_none() {
                members.sort_by_key(|(_, v)| std::cmp::Reverse(number(v)));
            }
            members.iter().map(|(key, v)| format!("{key} {}", value_text(v))).collect::<Vec<_>>().join(" · ")
        }
        Data::Bool(is_passed) => (if *is_passed { "pass" } else { "fail" }).to_owned(),
        _ => value.as_str().unwrap_or(value.text).to_owned(),
    }
}
