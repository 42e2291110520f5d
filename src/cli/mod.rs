//! The command line: what to show, and the headless twin of every pane.
//!
//! Each command is one file and one row of `COMMANDS`. Answers go to stdout, as text for people or with `--json` for
//! programs; messages go to stderr. Exit status: 0; 1 where a command says so; 2 for a file that cannot be read, a
//! question that does not fit, or an output that cannot be written.

mod args;
mod blame;
mod blame_file;
mod cause;
mod chat_template;
mod check;
mod clean;
mod columns;
mod completions;
mod config;
mod context;
mod custom_formats;
mod data_types;
mod diff;
mod digested;
mod doctor;
mod each_file;
mod entries;
mod explain;
mod export;
mod extra_findings;
mod files;
mod filter;
mod finding_policy;
mod flat;
mod formats;
mod groups;
mod history;
mod inputs;
mod keys;
mod loss;
mod loss_option;
mod man;
mod mapping;
mod mark;
mod marks;
mod mcp;
mod merge;
mod open;
mod out;
mod output_path;
mod pager;
mod paths;
mod plan;
#[cfg(feature = "query")]
mod query;
mod render;
mod replay;
mod report;
mod resolve;
mod screen;
mod screenshot;
mod state;
mod stats;
mod step;
mod steps;
mod surface;
mod survey;
mod table;
mod tail;
mod task_groups;
mod themes;
mod tokenizer;
mod tree;
mod version;
mod when;
mod whole_texts;

use crate::ingest::{self, Loaded};
use crate::model::Problem;
use crate::source::is_expendable;
use crate::text::SafeText;
use args::FileName;
use check::config::Config;
use clap::ArgMatches;
use out::Out;
use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind, Write};
use std::panic;
use std::path::{Path, PathBuf};

/// Exit status of a question that fits no file, a file that cannot be read, an output that cannot be written.
const TROUBLE: u8 = 2;

/// A row of the table of commands.
struct Command {
    /// Its name on the command line.
    name: &'static str,
    /// Adds its description and options.
    describe: fn(clap::Command) -> clap::Command,
    /// Does it; the exit status.
    run: fn(&ArgMatches, &mut Out) -> Result<u8, Stop>,
}

/// All headless commands, in the order of the help.
static COMMANDS: &[Command] = &[
    state::COMMAND,
    blame::COMMAND,
    files::COMMAND,
    history::COMMAND,
    cause::COMMAND,
    when::COMMAND,
    render::COMMAND,
    context::COMMAND,
    resolve::COMMAND,
    plan::COMMAND,
    merge::COMMAND,
    check::COMMAND,
    explain::COMMAND,
    stats::COMMAND,
    table::COMMAND,
    step::COMMAND,
    steps::COMMAND,
    #[cfg(feature = "query")]
    query::COMMAND,
    loss::COMMAND,
    diff::COMMAND,
    tree::COMMAND,
    tail::COMMAND,
    replay::COMMAND,
    mark::COMMAND,
    marks::COMMAND,
    export::COMMAND,
    report::COMMAND,
    formats::COMMAND,
    doctor::COMMAND,
    config::COMMAND,
    keys::COMMAND,
    themes::COMMAND,
    mcp::COMMAND,
    completions::COMMAND,
    man::COMMAND,
    screen::COMMAND,
    screenshot::COMMAND,
];

/// Why a command ended early.
enum Stop {
    /// The input or the question.
    Problem(Problem),
    /// The output.
    Output(io::Error),
    /// All that was wanted is there.
    Enough,
}

impl From<Problem> for Stop {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

/// Where only a problem can be answered.
impl From<Stop> for Problem {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Problem(problem) => problem,
            Stop::Output(error) => Self::unreadable(error.to_string()),
            Stop::Enough => Self::unreadable("ended early"),
        }
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// The program and its commands as the command line knows them; `docs/cli.md` is made from it.
#[must_use]
pub fn program() -> clap::Command {
    args::build(COMMANDS)
}

/// Runs the program with these arguments (the first is its name); the exit status.
#[must_use]
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if !is_expendable() {
            report(info);
        }
    }));
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    match completions::answer_shell(&arguments) {
        Ok(false) => run_into(arguments, surface::out),
        Ok(true) => 0,
        Err(error) => answer_clap(&error),
    }
}

/// Runs a headless command with these arguments (the first is the program's name) and writes the answer to `to`; the
/// exit status.
#[must_use]
pub fn answer(arguments: impl IntoIterator<Item = OsString>, to: impl Write) -> u8 {
    run_into(arguments, |_| Out::new(to, false))
}

thread_local! {
    /// What is said on stderr meanwhile, where somebody else asks ([`ask`]).
    static CAPTURED_STDERR: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Answers another program: runs a headless command as if for a terminal, so that no hidden character of the input is
/// in the answer. The exit status, and what it says beside its answer.
fn ask(arguments: Vec<OsString>, to: impl Write) -> (u8, String) {
    CAPTURED_STDERR.set(Some(String::new()));
    let asked = panic::catch_unwind(panic::AssertUnwindSafe(|| run_into(arguments, |_| Out::new(to, true))));
    let captured = CAPTURED_STDERR.take().unwrap_or_default();
    match asked {
        Ok(status) => (status, captured),
        Err(_) => (TROUBLE, format!("{captured}this is a fault of obelus; please report it")),
    }
}

fn run_into<'w>(arguments: impl IntoIterator<Item = OsString>, open: impl FnOnce(&ArgMatches) -> Out<'w>) -> u8 {
    let is_command = |name: &OsStr| COMMANDS.iter().any(|command| name == command.name);
    let arguments = surface::behind_command(arguments.into_iter().collect(), is_command);
    let matches = match program().try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(error) => return answer_clap(&error),
    };
    let mut out = open(&matches);
    let done = perform(&matches, &mut out);
    let done = done.and_then(|code| match out.finish() {
        // R27: a reader that closed the pipe has what it wanted, which changes nothing of the answer.
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(Stop::Output(e)),
        _ => Ok(code),
    });
    match done {
        Ok(code) if out.has_trouble() => code.max(TROUBLE),
        Ok(code) => code,
        Err(Stop::Problem(problem)) => {
            complain(&problem.to_string());
            TROUBLE
        }
        Err(Stop::Output(error)) => output_failed(&error),
        Err(Stop::Enough) => 0,
    }
}

/// Registers the data types, custom formats and the mapping of the user for all that a command reads.
fn register(matches: &ArgMatches) -> Result<(), Stop> {
    // A command that reads no records has no such option.
    if matches.try_get_many::<PathBuf>("format_files").is_err() {
        return Ok(());
    }
    let config = Config::read(matches.try_get_one::<FileName>("config").ok().flatten())?;
    data_types::register(matches, &config)?;
    custom_formats::register(matches, &config)?;
    Ok(mapping::register(matches, &config)?)
}

/// Does what was asked for, with the data types and formats that were registered.
fn perform(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let Some((name, matches)) = matches.subcommand() else {
        if matches.get_flag("version") {
            return version::print(matches.get_flag("verbose"), out);
        }
        register(matches)?;
        return screen::screen(matches);
    };
    register(matches)?;
    match COMMANDS.iter().find(|c| c.name == name) {
        Some(command) => (command.run)(matches, out),
        None => Err(Problem::usage(format!("there is no command `{name}`")).into()),
    }
}

/// Opens and loads a file, and says if it could not be read to its end.
///
/// # Errors
/// It cannot be opened or read, is not text, or there is no such format.
fn load(file: impl AsRef<Path>, format: Option<&str>, out: &mut Out) -> Result<Loaded, Problem> {
    let loaded = ingest::open(file, format)?;
    report_trouble(&loaded, out);
    Ok(loaded)
}

/// Reports if a file could not be read to its end.
fn report_trouble(loaded: &Loaded, out: &mut Out) {
    if let Some(trouble) = loaded.trouble() {
        complain(&trouble.to_string());
        out.note_trouble();
    }
}

/// A reader that closed the pipe has what it wanted (R27); anything else is trouble.
fn output_failed(error: &io::Error) -> u8 {
    if error.kind() == ErrorKind::BrokenPipe {
        return 0;
    }
    complain(&format!("cannot write the answer: {error}"));
    TROUBLE
}

/// Help and version are answers; all else that clap says is a complaint, which quotes arguments: file names, mostly.
fn answer_clap(error: &clap::Error) -> u8 {
    if error.use_stderr() {
        error.render().to_string().lines().for_each(print_error);
        return TROUBLE;
    }
    match error.print() {
        Ok(()) => 0,
        Err(e) => output_failed(&e),
    }
}

/// One message for people on stderr.
fn complain(message: &str) {
    print_error(&format!("obelus: {message}"));
}

/// One line on stderr, made safe to show: it may quote the input.
fn print_error(line: &str) {
    let line = SafeText::of(line);
    let is_asked = CAPTURED_STDERR.with_borrow_mut(|captured| match captured {
        Some(captured) => {
            captured.push_str(line.as_str());
            captured.push('\n');
            true
        }
        None => false,
    });
    if !is_asked {
        // Where stderr is closed there is nothing to report to.
        let _ = writeln!(io::stderr(), "{line}");
    }
}
