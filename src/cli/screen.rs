//! The screen: a file, standard input, or the run that obelus brings with it.

use super::args::{self, FileName, Screen, ScreenLook};
use super::inputs::spread;
use super::out::Out;
use super::{COMMANDS, Command, Stop, paths};
use crate::app::initial_position::Start;
use crate::ingest::{is_input_folder, is_log, open_input, open_stdin};
use crate::model::Problem;
use crate::panes::two_runs::RunPlace;
use crate::shell::demo;
use crate::shell::{self, Opened, Settings};
use crate::source::{self, Input, agents, place_here, reachable, session_places};
use crate::text::suggest;
use clap::{ArgMatches, Args};
use std::io::{self, ErrorKind, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is said where there is nothing to list.
const NO_SESSIONS: &str = "no sessions of agents and no logs here: this is the demo. `obelus FILE` opens a run";

impl ScreenLook {
    /// Where to begin, if that was said. The demo else begins where its story ends: at the last step, on the value that
    /// went wrong.
    pub(super) fn start(&self, is_demo: bool) -> Option<Start> {
        let path = |path: &str, instance: Option<&str>| Start {
            path: Some(path.to_owned()),
            instance: instance.map(str::to_owned),
            ..Start::default()
        };
        match (self.step, &self.path) {
            (None, None) if is_demo => Some(Start::of_demo()),
            (None, None) => None,
            (step, None) => Some(Start { step, ..Start::default() }),
            (step, Some(named)) => Some(Start { step, ..path(named, self.instance.as_deref()) }),
        }
    }
}

/// `obelus demo`.
pub(super) const COMMAND: Command = Command { name: "demo", describe, run: demo };

fn describe(command: clap::Command) -> clap::Command {
    // The options would bring a sentence of their own.
    let about = "Open a recorded run: an agent books a journey for two, and one value goes wrong";
    ScreenLook::augment_args(command).about(about)
}

fn demo(matches: &ArgMatches, _out: &mut Out) -> Result<u8, Stop> {
    let look: ScreenLook = args::parsed(matches)?;
    // Who asks for a place knows the way.
    let has_tour = look.step.is_none() && look.path.is_none();
    // The demo is for looking: its marks are not kept.
    show(None, None, look, Beginning { has_tour, ..Beginning::default() })
}

/// `obelus [FILE]...`.
pub(super) fn screen(matches: &ArgMatches) -> Result<u8, Stop> {
    let Screen { paths, latest, format, look, follow, marks, diff, record, .. } = args::parsed(matches)?;
    let paths = match spread(&paths) {
        // What is waited for may have any name.
        Err(_) if follow && paths.len() == 1 => paths,
        files => files?,
    };
    if diff {
        return two_files(&paths, format.forced(), look, marks.path());
    }
    let input_options = [format.arguments(), marks.arguments()].concat();
    let beginning = Beginning { follow, marks: marks.path(), record, input_options, ..Beginning::default() };
    let opened = match (paths.as_slice(), latest) {
        (_, Some(folder)) => latest_of(folder)?,
        ([], None) => match sessions(None, false) {
            Some(sessions) => sessions,
            None => return show(None, format.forced(), look, Beginning { notice: Some(NO_SESSIONS), ..beginning }),
        },
        ([file], None) if file.is_stdin() || !file.as_ref().is_dir() || is_input_folder(file.as_ref()) => {
            let is_missing = || file.as_ref().metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound);
            if follow && !file.is_stdin() && is_missing() {
                Opened::Awaited(file.as_ref().to_path_buf())
            } else {
                Opened::Input(input(Some(file))?)
            }
        }
        _ => list(paths, false)?,
    };
    show(Some(opened), format.forced(), look, beginning)
}

/// `--diff`: the first run of each of two files.
fn two_files(paths: &[FileName], format: Option<&str>, look: ScreenLook, marks: Option<PathBuf>) -> Result<u8, Stop> {
    let [a, b] = paths else {
        let hint = "two records of a file: `obelus diff FILE FILE --record 3 --other-record 5 --screen`";
        return Err(Problem::usage("--diff takes two files").hint(hint).into());
    };
    two_runs([(a, 0), (b, 0)], format, look, marks)
}

/// Two runs side by side, each by its file and record.
pub(super) fn two_runs(
    runs: [(&FileName, usize); 2],
    format: Option<&str>,
    look: ScreenLook,
    marks: Option<PathBuf>,
) -> Result<u8, Stop> {
    if let Some((file, _)) = runs.iter().find(|(file, _)| file.is_stdin() || file.as_ref().is_dir()) {
        return Err(Problem::usage(format!("two runs are shown of two files; {file} is not a file")).into());
    }
    let opened = if runs[0].0 == runs[1].0 {
        Opened::Input(input(Some(runs[0].0))?)
    } else {
        list(runs.iter().map(|(file, _)| (*file).clone()).collect(), false)?
    };
    let place = |(file, record): (&FileName, usize)| RunPlace {
        file: Some(PathBuf::from(file.clone())),
        format: format.map(str::to_owned),
        record,
        trajectory: None,
        name: file.text().into_owned(),
    };
    show(Some(opened), format, look, Beginning { marks, compare: Some(runs.map(place)), ..Beginning::default() })
}

/// The sessions in the places of agents, of one or of all; None where there are no such places.
fn sessions(agent: Option<&str>, is_latest: bool) -> Option<Opened> {
    let here = std::env::current_dir().unwrap_or_default();
    let mut places = session_places(&|name| std::env::var_os(name), &here);
    places.retain(|place| agent.is_none_or(|agent| place.agent == agent));
    if agent.is_none() && (!places.is_empty() || has_logs(&here)) {
        places.push(place_here(&here));
    }
    (!places.is_empty()).then_some(Opened::Sessions { places, is_latest })
}

/// Whether logs lie in a folder.
fn has_logs(folder: &Path) -> bool {
    source::any_log(&place_here(folder), is_input_folder, is_log)
}

/// `--latest`: the newest file of a folder, or the newest session of an agent.
fn latest_of(folder: FileName) -> Result<Opened, Problem> {
    let text = folder.text();
    let agent = agents().into_iter().find(|agent| *agent == text).filter(|_| !folder.as_ref().is_dir());
    match agent {
        None => list(vec![folder], true),
        Some(agent) => sessions(Some(agent), true).ok_or_else(|| {
            Problem::unreadable(format!("there are no sessions of {agent} where it keeps them"))
                .hint("name the folder: --latest DIR")
        }),
    }
}

/// Commands of other programs, and what does the same here.
const OTHER_VERBS: [(&[&str], &str); 2] = [
    (&["open", "view", "show", "inspect"], "`obelus FILE` opens a file; `obelus --help` lists the commands"),
    (&["ls", "list", "sessions"], "`obelus` alone lists the sessions of agents, `obelus DIR` the files of a folder"),
];

fn other_verb(name: &FileName) -> Option<&'static str> {
    OTHER_VERBS.iter().find(|(verbs, _)| verbs.contains(&name.text().as_ref())).map(|(_, way)| *way)
}

/// A list of files and folders.
fn list(files: Vec<FileName>, is_latest: bool) -> Result<Opened, Problem> {
    if files.iter().any(FileName::is_stdin) {
        return Err(Problem::usage("standard input opens alone").hint("leave out the other files, or the `-`"));
    }
    if let Some(file) = files.iter().find(|file| is_latest && !file.as_ref().is_dir()) {
        return Err(Problem::unreadable(format!("{file} is not a folder"))
            .hint(format!("--latest takes a folder of files, or an agent: {}", agents().join(", "))));
    }
    let problem = files.iter().find_map(|file| Some((file, reachable(file.as_ref()).err()?)));
    if let Some((missing, problem)) = problem {
        if let Some(way) = other_verb(missing) {
            return Err(problem.hint(way));
        }
        let commands = COMMANDS.iter().map(|command| command.name);
        return Err(match suggest::nearest(&missing.text(), commands).first() {
            Some(command) => problem.hint(format!("do you mean the command `{command}`?")),
            None => problem,
        });
    }
    Ok(Opened::Files { roots: files.into_iter().map(PathBuf::from).collect(), is_latest })
}

/// What to look at: a file, standard input for `-`, or the recorded run.
///
/// # Errors
/// It cannot be opened.
pub(super) fn input(file: Option<&FileName>) -> Result<Arc<Input>, Problem> {
    match file {
        None => Ok(demo::input()),
        Some(file) if file.is_stdin() && io::stdin().is_terminal() => {
            Err(Problem::usage("standard input is the terminal, which keys come from").hint("pipe something into it"))
        }
        Some(file) if file.is_stdin() => open_stdin(),
        Some(file) => open_input(file.as_ref()).map_err(|problem| match other_verb(file) {
            Some(way) => problem.hint(way),
            None => problem,
        }),
    }
}

/// How the screen begins, beside where.
#[derive(Default)]
struct Beginning {
    /// Whether the file is followed from the start.
    follow: bool,
    /// Options on how inputs are read and where marks are, as they were given.
    input_options: Vec<String>,
    /// The journal of marks; None: they are not kept.
    marks: Option<PathBuf>,
    /// Two runs to compare.
    compare: Option<[RunPlace; 2]>,
    /// The trajectory to open.
    record: Option<usize>,
    /// Whether the guided tour is shown.
    has_tour: bool,
    /// What the status line says at first.
    notice: Option<&'static str>,
}

/// Shows what was opened (None: the recorded run).
fn show(opened: Option<Opened>, format: Option<&str>, look: ScreenLook, beginning: Beginning) -> Result<u8, Stop> {
    let Beginning { follow, input_options, marks, compare, record, has_tour, notice } = beginning;
    if let Some(folder) = look.files.as_ref().filter(|folder| !folder.is_dir()) {
        let problem = Problem::unreadable(format!("{} is not a folder", folder.display()));
        return Err(problem.hint("--files takes the folder in which the files lie by their ids").into());
    }
    let start = look.start(opened.is_none());
    let start = match record {
        Some(_) => Some(Start { record, ..start.unwrap_or_default() }),
        None => start,
    };
    let (template, tokenizer) = (look.template()?, look.tokenizer.read()?);
    let opened = match opened {
        Some(opened) => opened,
        None => Opened::Input(input(None)?),
    };
    let settings = Settings {
        opened,
        format: format.map(str::to_owned),
        start,
        files: look.files,
        watches: look.watches,
        follow,
        theme: look.theme,
        input_options,
        marks,
        template,
        max_tokens: look.max_tokens,
        tokenizer,
        compare,
        has_tour,
        notice: notice.map(str::to_owned),
    };
    Ok(paths::end_of_screen(shell::run(settings)?))
}
