//! `obelus export`: the records that were decided to be good, as they are, into a file of their own.

mod candidates;
mod choose;
mod manifest;
mod pieces;
mod secrets;
mod shaped;
mod used_ids;
mod write;

pub(super) use pieces::without_pieces;
pub(super) use write::redactor;

use super::args::{FileName, FormatOption, MarksOption, parsed};
use super::each_file::LeftOut;
use super::filter::{Where, WhereOption};
use super::inputs::Inputs;
use super::mark::Decision;
use super::out::{Out, Tone};
use super::{Command, Stop};
use crate::ingest::{self, Loaded};
use crate::model::Problem;
use crate::review::{ChatShape, Filter, Pick, Scope, Selection, Split, TranscriptFormat};
use crate::rules::data::NEAR;
use crate::source::Stamp;
use crate::text::counted;
use candidates::Candidates;
use clap::{ArgMatches, Args, ValueEnum};
use std::path::PathBuf;

/// Most lines on what is not carried over.
const NOTES_MAX: usize = 20;

pub(super) const COMMAND: Command = Command { name: "export", describe: Options::augment_args, run };

/// Write selected records of datasets into a new file, their bytes unchanged
#[derive(Debug, Args)]
struct Options {
    /// Files or folders to read, packed ones too; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<FileName>,
    #[command(flatten)]
    format: FormatOption,
    /// File to write: JSON Lines, an array if it ends in .json, compressed if in .gz or .zst, Parquet if in .parquet
    #[arg(long, short, value_name = "OUT", required_unless_present = "redact_list")]
    out: Option<PathBuf>,
    /// Only records with this decision; repeatable
    #[arg(long, value_name = "VERDICT")]
    mark: Vec<Decision>,
    /// No records with this decision; repeatable
    #[arg(long, value_name = "VERDICT")]
    not_mark: Vec<Decision>,
    /// Only records in which `check` finds neither error nor warning; with --loss `check --loss`
    #[arg(long)]
    only_clean: bool,
    /// With --only-clean, also those in which `check --data` finds something: copies, secrets, personal data, loops …
    #[arg(long, requires = "only_clean")]
    data: bool,
    #[command(flatten)]
    filter: WhereOption,
    /// At most N attempts at each task
    #[arg(long, value_name = "N")]
    per_task: Option<usize>,
    /// Which of them: those with the best rewards (of equal ones the shortest), the worst, the first in the file, or at
    /// random
    #[arg(long, value_name = "WHICH", requires = "per_task", default_value = "best")]
    pick: PickOption,
    /// Only tasks whose attempts have rewards that differ, before any are picked
    #[arg(long)]
    signal: bool,
    /// Only the first of records with the same steps; with near, also of records with nearly the same
    #[arg(long, value_name = "HOW")]
    dedupe: Option<Dedupe>,
    /// Field that names the task, such as details.task, for --split, --per-task and --signal [default: task_id,
    /// instance_id, the id without its attempt]
    #[arg(long, value_name = "FIELD", visible_alias = "task-by")]
    split_by: Option<String>,
    /// Share of runs of five words from which records are near copies (0 to 1), for --split and --dedupe
    #[arg(long, value_name = "SHARE", default_value_t = NEAR, value_parser = super::check::share)]
    near: f64,
    /// At most N records, drawn at random
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// Draw about its share from each group of records: by a member, such as details.source, or by `decision`
    #[arg(long, value_name = "COLUMN", requires = "sample")]
    by: Option<String>,
    /// Seed of the random choices of --sample and --split
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Write parts of these shares, such as 90/5/5: OUT.train.jsonl, OUT.val.jsonl, OUT.test.jsonl; attempts at one
    /// task, copies, near copies and one question go to the same part, which the manifest proves
    #[arg(long, value_name = "SHARES", value_parser = split)]
    split: Option<Split>,
    /// Turn trajectories and runs of any log into this format
    #[arg(long, value_name = "SHAPE")]
    to: Option<To>,
    /// Only this answer of records with several to one prompt: chosen or rejected of a preference pair, or such as
    /// `completion 1`
    #[arg(long, value_name = "NAME", requires = "to")]
    answer: Option<String>,
    /// How to write the arguments of calls, with --to messages: JSON in strings, or objects
    #[arg(long, value_name = "AS", requires = "to")]
    arguments: Option<Arguments>,
    /// Replace secrets and personal data by [REDACTED:KIND]: keys, tokens, passwords, mail addresses, telephone and
    /// card numbers, found by pattern
    #[arg(long)]
    redact: bool,
    /// Only list what --redact would replace
    #[arg(long)]
    redact_list: bool,
    /// Write an array, whatever the name of the file
    #[arg(long)]
    array: bool,
    /// Join the lines of a record that has several, which JSON Lines cannot hold unchanged
    #[arg(long, conflicts_with = "array")]
    one_line: bool,
    /// Overwrite existing files (never an input)
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    marks: MarksOption,
}

/// Which attempts at a task are picked.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum PickOption {
    /// The highest rewards; among equal ones, the fewest steps.
    Best,
    /// The lowest rewards.
    Worst,
    /// The first in the file.
    First,
    /// At random.
    Random,
}

impl PickOption {
    fn pick(self) -> Pick {
        match self {
            Self::Best => Pick::Best,
            Self::Worst => Pick::Worst,
            Self::First => Pick::First,
            Self::Random => Pick::Random,
        }
    }
}

/// Which copies are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Dedupe {
    /// The same steps.
    Exact,
    /// Nearly the same, too.
    Near,
}

/// A shape of conversations.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum To {
    /// `messages` with roles and tool calls.
    Messages,
    /// The same with arguments as objects: `--arguments object`.
    #[value(skip)]
    MessagesWithObjects,
    /// `conversations` of human and observation, gpt and function_call.
    Sharegpt,
    /// Standardized trajectories of the Agent Data Protocol.
    Adp,
    /// ATIF trajectories.
    Atif,
}

impl To {
    /// The shape of a conversation, where it is one.
    fn shape(self) -> Option<ChatShape> {
        match self {
            Self::Messages => Some(ChatShape::Messages),
            Self::MessagesWithObjects => Some(ChatShape::MessagesWithObjects),
            Self::Sharegpt => Some(ChatShape::ShareGpt),
            Self::Adp | Self::Atif => None,
        }
    }

    /// The format that a run is written in; conversations of ShareGPT are made of messages.
    fn format(self) -> TranscriptFormat {
        match self {
            Self::Messages | Self::MessagesWithObjects | Self::Sharegpt => TranscriptFormat::Messages,
            Self::Adp => TranscriptFormat::Standard,
            Self::Atif => TranscriptFormat::Atif,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Messages | Self::MessagesWithObjects => "messages",
            Self::Sharegpt => "sharegpt",
            Self::Adp => "adp",
            Self::Atif => "atif",
        }
    }
}

/// How the arguments of calls are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Arguments {
    /// Objects.
    Object,
    /// JSON in strings, as OpenAI has them.
    String,
}

impl Options {
    /// Takes `--arguments` into the shape.
    fn with_arguments(mut self) -> Result<Self, Problem> {
        match (self.arguments, self.to) {
            (None, _) | (Some(Arguments::String), Some(To::Messages)) => {}
            (Some(Arguments::Object), Some(To::Messages)) => self.to = Some(To::MessagesWithObjects),
            (Some(_), _) => {
                let problem = Problem::usage("--arguments is for --to messages; other shapes have one way");
                return Err(problem.hint("leave it out"));
            }
        }
        Ok(self)
    }
}

/// A choice as it is written.
fn value_name(value: impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

fn split(text: &str) -> Result<Split, String> {
    Split::parse(text).ok_or_else(|| "two or three shares, as 80/20 or 90/5/5".to_owned())
}

impl Options {
    fn selection(&self) -> Selection {
        let violations = |all: &[Decision]| all.iter().map(|decision| decision.verdict()).collect();
        let (wanted, unwanted) = (violations(&self.mark), violations(&self.not_mark));
        Selection {
            decisions: wanted,
            excluded_decisions: unwanted,
            only_clean: self.only_clean,
            predicates: Vec::new(),
        }
    }

    /// Whether options choose among records by what runs that are files of their own have not.
    fn chooses_records(&self) -> bool {
        let has_marks = !self.mark.is_empty() || !self.not_mark.is_empty();
        has_marks || self.data || self.by.is_some() || self.chooses_attempts()
    }

    /// Whether options choose among records that belong together.
    fn chooses_attempts(&self) -> bool {
        self.per_task.is_some() || self.signal || self.dedupe.is_some()
    }

    /// The options that decide what is written, in words for the manifest.
    fn manifest_options(&self, filter: Option<&Filter>) -> Vec<(&'static str, String)> {
        let names = |all: &[Decision]| {
            let names: Vec<&str> = all.iter().map(|d| crate::review::verdict_name(d.verdict())).collect();
            names.join(",")
        };
        let flag = |is_set: bool| if is_set { "yes".to_owned() } else { String::new() };
        let all = [
            ("mark", names(&self.mark)),
            ("not-mark", names(&self.not_mark)),
            ("only-clean", flag(self.only_clean)),
            ("data", flag(self.data)),
            ("where", filter.map(Filter::to_string).unwrap_or_default()),
            ("signal", flag(self.signal)),
            ("per-task", self.per_task.map(|n| n.to_string()).unwrap_or_default()),
            ("pick", self.per_task.map(|_| value_name(self.pick)).unwrap_or_default()),
            ("dedupe", self.dedupe.map(value_name).unwrap_or_default()),
            ("split-by", self.split_by.clone().unwrap_or_default()),
            ("sample", self.sample.map(|n| n.to_string()).unwrap_or_default()),
            ("by", self.by.clone().unwrap_or_default()),
            ("seed", self.seed.to_string()),
            ("split", self.split.as_ref().map(Split::describe).unwrap_or_default()),
            ("to", self.to.map(To::name).unwrap_or_default().to_owned()),
            ("answer", self.answer.clone().unwrap_or_default()),
            ("arguments", if self.arguments == Some(Arguments::Object) { "object".to_owned() } else { String::new() }),
            ("redact", flag(self.redact)),
            ("one-line", flag(self.one_line)),
        ];
        all.into_iter().filter(|(_, value)| !value.is_empty()).collect()
    }
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options = parsed::<Options>(matches)?.with_arguments()?;
    let filter = options.filter.filter_beside(Scope::Records, options.only_clean)?;
    let is_by_decision = options.by.as_deref() == Some("decision");
    let has_decisions = !options.mark.is_empty() || !options.not_mark.is_empty() || is_by_decision;
    let marks = options.marks.read_or_report(has_decisions || filter.as_ref().is_some_and(Where::has_marks))?;
    let inputs = Inputs::all(&options.files)?;
    let (loaded, stamps, left_out) = open(&options, &inputs, out)?;
    let is_choice = options.to.is_some() && options.chooses_records();
    if let Some(run) = loaded.iter().find(|loaded| is_choice && candidates::is_one_run(loaded)) {
        let message = format!("{} is one run, and has no records to choose among", run.input.name());
        let hint = "--where, --only-clean and --sample choose among runs, other options among the records of a file";
        return Err(Problem::usage(message).hint(hint).into());
    }
    if options.redact && options.to.is_none() {
        pieces::refuse(&loaded)?;
    }
    let sifted = Candidates::of(&options, filter, &loaded, &marks)?;
    match &options.out {
        Some(path) if !options.redact_list => {
            let written = write::write(&options, path, &sifted, &stamps)?;
            write_report(&written, &sifted.rules, out)?;
        }
        _ => secrets::list(&options, &sifted, out)?,
    }
    Ok(sifted.status().max(left_out))
}

/// Opens the inputs: what is in them, what the files are now, and the status for what of folders was left out, which
/// only matters where runs are turned into something.
fn open(options: &Options, inputs: &Inputs, out: &mut Out) -> Result<(Vec<Loaded>, Vec<Stamp>, u8), Problem> {
    let (mut all, mut stamps, mut left_out) = (Vec::new(), Vec::new(), LeftOut::default());
    for (file, is_found) in inputs.files() {
        let stamp = Stamp::of(file.as_ref()).filter(|_| !file.is_stdin());
        let loaded = super::load(file, options.format.forced(), out)?.with_rewards(&inputs.rewards);
        if options.to.is_some() && is_found && left_out.takes(file, &loaded)? {
            continue;
        }
        if !file.is_stdin() && ingest::has_strings_of_conversations(file.as_ref()) {
            super::complain(&format!(
                "{file}: conversations that are JSON in a string are written as lists, not byte for byte"
            ));
        }
        stamps.extend(stamp);
        all.push(loaded);
    }
    if options.to.is_some() {
        left_out.add_passed_over(inputs);
    }
    Ok((all, stamps, left_out.complain(inputs)))
}

/// Says on stderr what of the records is not in their conversations: nobody should find that out by training.
fn note(counts: &write::Counts) {
    let not_carried = &counts.not_carried;
    if not_carried.is_empty() {
        return;
    }
    super::print_error("not carried over (the manifest says of which records):");
    let mut all: Vec<(&String, &u64)> = not_carried.iter().collect();
    all.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), *name));
    for (name, count) in all.iter().take(NOTES_MAX) {
        let first = counts.not_carried_first.get(*name).map_or_else(String::new, |place| format!("; first {place}"));
        super::print_error(&format!("    {count:>8}  {name}{first}"));
    }
    if all.len() > NOTES_MAX {
        super::print_error(&format!("    and {} more", all.len() - NOTES_MAX));
    }
}

/// Says on stderr where the first secrets were that were replaced.
fn note_replaced(counts: &write::Counts) {
    if counts.replaced.is_empty() {
        return;
    }
    super::print_error("replaced (the manifest has all places):");
    counts.replaced.iter().for_each(|place| super::print_error(&format!("    {place}")));
    let rest = counts.redacted.values().sum::<u64>().saturating_sub(counts.replaced.len() as u64);
    if rest > 0 {
        super::print_error(&format!("    and {rest} more"));
    }
}

/// Most rules that are named as reasons.
const RULES_SHOWN: usize = 6;

/// What was written and what was left, for people.
fn write_report(written: &write::WrittenExport, rules: &[(&str, usize)], out: &mut Out) -> Result<(), Stop> {
    let counts = &written.counts;
    let read = counted(counts.read, "record");
    // The answers of a pair are conversations of their own.
    let text = if counts.written > counts.read {
        format!("{} of {read} written", counted(counts.written, "conversation"))
    } else {
        format!("{} of {read} written", counts.written)
    };
    out.styled(&[(Tone::Strong, &text)])?;
    for (path, count) in &written.files {
        out.line(&format!("    {count:>8}  {path}"))?;
    }
    for (reason, count) in &counts.left {
        out.line(&format!("    {count:>8}  left out: {reason}"))?;
    }
    if !rules.is_empty() {
        let shown = rules.iter().take(RULES_SHOWN).map(|(rule, count)| format!("{rule} {count}"));
        let more = rules.len().saturating_sub(RULES_SHOWN);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        out.line(&format!("              findings by records: {}{more}", shown.collect::<Vec<_>>().join(" · ")))?;
    }
    if let Some(proof) = &written.proof {
        proof.describe().iter().try_for_each(|line| out.line(line))?;
    }
    for (kind, count) in &counts.redacted {
        out.line(&format!("    {count:>8}  replaced: {kind}"))?;
    }
    out.line(&format!("manifest: {}", written.manifest))?;
    if counts.whole > 0 {
        super::print_error(&format!(
            "{} with several answers, of which not all were picked: written whole (--to writes those that were picked)",
            counted(counts.whole, "record")
        ));
    }
    if counts.several > 0 {
        super::print_error(&format!(
            "{} with several conversations, as both answers of a pair: each was written (--answer chosen writes one)",
            counted(counts.several, "record")
        ));
    }
    note(counts);
    note_replaced(counts);
    Ok(())
}
