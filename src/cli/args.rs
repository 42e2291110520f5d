//! The arguments: what every command shares, and the program as clap sees it.

use super::chat_template::template;
use super::tokenizer::TokenizerOption;
use super::{Command, Stop, complain, groups, surface};
use crate::model::{Problem, StepNo};
use crate::review::{ChatTemplate, Marks, Setting};
use crate::shell::mark_journal::{self, JournalContents};
use crate::source::{Journal, is_missing};
use crate::state::condition::Expected;
use clap::{Arg, ArgMatches, Args, FromArgMatches, Parser};
use std::borrow::Cow;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Inspect agent state and trajectories: what did the agent know at this step, and who supplied it?
#[derive(Debug, Parser)]
#[command(name = "obelus", version, disable_version_flag = true, about, args_conflicts_with_subcommands = true)]
pub(super) struct Screen {
    /// File to open on the screen; several, or a folder, open as a list, as does a pattern: 'data/**/*.jsonl'; `-` is
    /// standard input; without one, the sessions of agents on this machine are listed, or a recorded run opens
    #[arg(value_name = "FILE")]
    pub(super) paths: Vec<FileName>,
    /// Open the newest file of a folder, or the newest session of an agent (claude, codex, opencode, kilo, pi, omp,
    /// openclaw, openhands, mini-swe-agent, inspect, gemini, qwen, copilot, cline, roo, crush, cursor, trae, kimi,
    /// droid, amp, goose, zed, continue, kiro, amazon-q), and report when a newer one appears
    #[arg(long, value_name = "DIR|AGENT", conflicts_with = "paths")]
    pub(super) latest: Option<FileName>,
    #[command(flatten)]
    pub(super) format: FormatOption,
    #[command(flatten)]
    pub(super) look: ScreenLook,
    /// Trajectory to open, from 0, of a file that holds several [default: their table]
    #[arg(long, value_name = "R", conflicts_with_all = ["latest", "diff"])]
    pub(super) record: Option<usize>,
    /// Stay at the newest step of a growing file, from the start; wait for a file that does not exist yet
    #[arg(long)]
    pub(super) follow: bool,
    /// Show the runs of two files side by side, their steps aligned; of records: `obelus diff A B --screen`
    #[arg(long, conflicts_with_all = ["latest", "follow"])]
    pub(super) diff: bool,
    #[command(flatten)]
    pub(super) marks: MarksOption,
    /// Print the version
    #[arg(short = 'V', long)]
    pub(super) version: bool,
    /// With --version: print the commit, target, features and number of formats of this build too
    #[arg(long, requires = "version")]
    pub(super) verbose: bool,
}

/// A file as it was named: any bytes but NUL. For people it is shown with a sign for what is not UTF-8.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileName(PathBuf);

impl From<OsString> for FileName {
    fn from(name: OsString) -> Self {
        Self(name.into())
    }
}

impl From<PathBuf> for FileName {
    fn from(path: PathBuf) -> Self {
        Self(path)
    }
}

impl From<FileName> for PathBuf {
    fn from(name: FileName) -> Self {
        name.0
    }
}

impl AsRef<Path> for FileName {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.display().fmt(f)
    }
}

impl FileName {
    /// Whether standard input is meant.
    pub(super) fn is_stdin(&self) -> bool {
        self.0.as_os_str() == "-"
    }

    /// For JSON, which knows no other bytes than UTF-8.
    pub(super) fn text(&self) -> Cow<'_, str> {
        self.0.to_string_lossy()
    }
}

/// How the screen looks and where it begins.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct ScreenLook {
    /// Theme: ansi, dark, light, high-contrast, colour-blind, one of your own, or auto (asks the terminal)
    #[arg(long, value_name = "NAME")]
    pub(super) theme: Option<String>,
    /// Step to begin at [default: the first; with --path the last]
    #[arg(long, value_name = "N", value_parser = step)]
    pub(super) step: Option<StepNo>,
    /// Value of the state to begin at, such as state.budget, or state#2.budget of an instance
    #[arg(long, value_name = "PATH")]
    pub(super) path: Option<String>,
    /// Instance of that value, such as ② or 2
    #[arg(long, value_name = "I", requires = "path")]
    pub(super) instance: Option<String>,
    /// Value to watch, such as `state.budget`, and what stops a followed run: `state.budget < 0`, `PATH == JSON`, `PATH
    /// ~ REGEX`, `PATH changes`, `PATH invalid`; repeatable
    #[arg(long = "watch", value_name = "EXPR", value_parser = Expected::parse)]
    pub(super) watches: Vec<Expected>,
    /// Folder of the files that Scopix values name by id; Enter on an id shows its file
    #[arg(long, value_name = "DIR")]
    pub(super) files: Option<PathBuf>,
    /// Chat template of the Loss tab, as `obelus loss` takes it
    #[arg(long, value_name = "NAME|FILE")]
    pub(super) template: Option<String>,
    /// Value of a variable of that template, such as enable_thinking=false: JSON, else text; repeatable
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "template", value_parser = Setting::parse)]
    pub(super) settings: Vec<Setting>,
    /// Tokens that a model sees in the Loss tab, by estimate of four bytes each or by --tokenizer; what follows is cut
    #[arg(long, value_name = "N")]
    pub(super) max_tokens: Option<usize>,
    #[command(flatten)]
    pub(super) tokenizer: TokenizerOption,
}

impl ScreenLook {
    /// The chat template that was asked for.
    ///
    /// # Errors
    /// There is no such template.
    pub(super) fn template(&self) -> Result<Option<Arc<dyn ChatTemplate>>, Problem> {
        self.template.as_deref().map(|asked| template(asked, &self.settings)).transpose()
    }
}

/// How a file is read.
#[derive(Debug, Clone, Args)]
pub(super) struct FormatOption {
    /// Format of the file; `obelus formats` lists them
    #[arg(long, value_name = "NAME|auto", default_value = "auto")]
    format: String,
    /// Data type of Scopix slots to register, with the JSON Schema of its values: a file, or the schema itself
    #[arg(long = "data-type", value_name = "NAME=SCHEMA")]
    data_types: Vec<String>,
    /// File that defines a custom format, tried after the built-in ones and with `--format NAME`
    #[arg(long = "format-file", value_name = "FILE")]
    format_files: Vec<PathBuf>,
    /// Member of each record by a jq expression, such as messages=.turns: messages, id, task, reward, label, or any
    /// other; repeatable
    #[arg(long = "map", value_name = "NAME=JQ")]
    maps: Vec<String>,
}

impl FormatOption {
    /// The options as they were given, for another command on the same input.
    pub(super) fn arguments(&self) -> Vec<String> {
        let text = |paths: &[PathBuf]| paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        let all: [(&str, Vec<String>); 4] = [
            ("--format", self.forced().into_iter().map(str::to_owned).collect()),
            ("--data-type", self.data_types.clone()),
            ("--format-file", text(&self.format_files)),
            ("--map", self.maps.clone()),
        ];
        let pair = |name: &str, value: String| [name.to_owned(), value];
        all.into_iter().flat_map(|(name, values)| values.into_iter().flat_map(move |value| pair(name, value))).collect()
    }

    /// The format that was asked for by name; None: found from the content.
    pub(super) fn forced(&self) -> Option<&str> {
        (self.format != "auto").then_some(self.format.as_str())
    }
}

/// A question to one trajectory of one file.
#[derive(Debug, Clone, Args)]
pub(super) struct StepQuery {
    /// File to read; `-` is standard input
    #[arg(value_name = "FILE")]
    pub(super) file: FileName,
    #[command(flatten)]
    pub(super) format: FormatOption,
    /// State after this step; -1 is before any step, beyond the end is an error (with --json the last)
    /// [default: the last]
    #[arg(long, value_name = "N", value_parser = step)]
    pub(super) step: Option<StepNo>,
    /// Trajectory of a file that holds several, from 0
    #[arg(long, value_name = "R", default_value_t = 0)]
    pub(super) record: usize,
    /// Print JSON: one value
    #[arg(long)]
    pub(super) json: bool,
}

/// Which instance of a kind a question is about.
#[derive(Debug, Clone, Args)]
pub(super) struct InstanceOption {
    /// Instance of the kind, such as ② or 2 [default: all are searched]
    #[arg(long, value_name = "I")]
    pub(super) instance: Option<String>,
}

/// A question to the values at a path of one trajectory.
#[derive(Debug, Clone, Args)]
pub(super) struct PathQuestion {
    #[command(flatten)]
    pub(super) question: StepQuery,
    /// Path of the value, such as state.user, or state#2.user of an instance
    #[arg(value_name = "PATH")]
    pub(super) path: String,
    #[command(flatten)]
    pub(super) instance: InstanceOption,
}

/// Where marks are kept.
#[derive(Debug, Clone, Args)]
pub(super) struct MarksOption {
    /// Journal of marks [default: marks.jsonl in the folder obelus of your data folder]
    #[arg(long, value_name = "FILE")]
    marks: Option<PathBuf>,
}

impl MarksOption {
    /// The option as it was given, for another command.
    pub(super) fn arguments(&self) -> Vec<String> {
        let named = self.marks.iter();
        named.flat_map(|path| ["--marks".to_owned(), path.to_string_lossy().into_owned()]).collect()
    }

    /// The journal that `--marks` names, else that of the user; None without a home folder.
    pub(super) fn path(&self) -> Option<PathBuf> {
        self.marks.clone().or_else(mark_journal::default_path)
    }

    /// [`MarksOption::path`], for commands that need a journal.
    ///
    /// # Errors
    /// There is no home folder, and none was named.
    pub(super) fn journal(&self) -> Result<PathBuf, Problem> {
        let hint = "name a file with --marks";
        self.path().ok_or_else(|| Problem::usage("no home folder is set in which marks could be kept").hint(hint))
    }

    /// The marks, for an answer that depends on them if `is_needed`; without a home folder nothing is marked.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub(super) fn read_if(&self, is_needed: bool) -> Result<Marks, Problem> {
        let is_read = (is_needed || self.marks.is_some()) && self.path().is_some();
        if is_read { self.read().map(|(marks, _)| marks) } else { Ok(Marks::default()) }
    }

    /// The marks, for an answer that also shows them: unless it depends on them, or the journal was named, one that
    /// cannot be read is reported, and nothing is marked.
    ///
    /// # Errors
    /// The journal is needed, and cannot be read.
    pub(super) fn read_or_report(&self, is_needed: bool) -> Result<Marks, Problem> {
        self.read_if(true).or_else(|problem| {
            if is_needed || self.marks.is_some() {
                return Err(problem);
            }
            complain(&problem.to_string());
            Ok(Marks::default())
        })
    }

    /// The marks of the journal. One that is not there yet is empty, unless it was named.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn read(&self) -> Result<(Marks, JournalContents), Problem> {
        let path = self.journal()?;
        let gathered = if self.marks.is_none() && is_missing(&path) {
            JournalContents::default()
        } else {
            JournalContents::of(&Journal::at(&path).all_lines()?)
        };
        let mut marks = Marks::default();
        gathered.events.iter().for_each(|event| {
            marks.apply(event.clone());
        });
        Ok((marks, gathered))
    }
}

/// A step as typed: -1, or a number from 0; one that is too great for any file is the last of this one.
pub(super) fn step(text: &str) -> Result<StepNo, String> {
    match text {
        "-1" => Ok(-1),
        _ if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) => Ok(text.parse().unwrap_or(StepNo::MAX)),
        _ => Err("a step is a number from 0, or -1 for the state before any step".to_owned()),
    }
}

/// The program with all its commands.
pub(super) fn build(commands: &[Command]) -> clap::Command {
    let program = Screen::augment_args(clap::Command::new("obelus")).help_template(groups::help_template(commands));
    // A negative number is a value that an option may refuse, not an unknown option.
    let numbers = |command: clap::Command| {
        let takes = |arg: &Arg| arg.get_long().is_some() && arg.get_action().takes_values();
        command.mut_args(|arg| if takes(&arg) { arg.allow_negative_numbers(true) } else { arg })
    };
    let describe =
        |command: &Command| numbers(surface::arguments((command.describe)(clap::Command::new(command.name))));
    commands.iter().fold(numbers(program), |program, command| program.subcommand(describe(command)))
}

/// The options of a command from what clap matched.
pub(super) fn parsed<T: FromArgMatches>(matches: &ArgMatches) -> Result<T, Stop> {
    T::from_arg_matches(matches).map_err(|e| Problem::usage(e.to_string()).into())
}
