//! `obelus doctor`: what the terminal and the system can do for obelus, and what to change where they fall short.

use super::args::parsed;
use super::out::{Out, Tone, plain, raw};
use super::version::features;
use super::{Command, Stop};
use crate::model::Problem;
use crate::platform;
use crate::shell::ask_background;
use crate::shell::clipboard;
use crate::shell::config::{Colors, Environment, folder};
use crate::shell::config_check;
use crate::shell::mark_journal;
use crate::text::wrap;
use crate::ui::Background;
use clap::{ArgMatches, Args};
use serde::Serialize;
use std::env;
use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

pub(super) const COMMAND: Command = Command { name: "doctor", describe: Options::augment_args, run };

/// Exit status where something does not work.
const FAILED: u8 = 1;
/// Cells of a line of advice, with the names before it, which are shorter than half of that.
const LINE_CELLS: usize = 78;
/// Smallest terminal on which every pane has room, in cells.
const CELLS_MIN: (u16, u16) = (40, 12);
/// Files that one session follows at least; the system's limits should allow as many.
const FOLLOWED_MIN: u64 = 1024;
/// Where Linux says how many folders all programs of a user may watch.
const WATCHES_FILE: &str = "/proc/sys/fs/inotify/max_user_watches";

/// Report what the terminal and the system support, and what to change
#[derive(Debug, Args)]
struct Options {
    /// Print JSON: one value
    #[arg(long)]
    json: bool,
}

/// How one thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    Good,
    /// It works, but less well than it could.
    Note,
    Bad,
}

/// One thing that was looked at.
#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    level: Level,
    found: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
}

impl Check {
    fn good(name: &'static str, found: impl Into<String>) -> Self {
        Self { name, level: Level::Good, found: found.into(), advice: None }
    }

    fn note(name: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { name, level: Level::Note, found: found.into(), advice: Some(advice.into()) }
    }

    fn bad(name: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { name, level: Level::Bad, found: found.into(), advice: Some(advice.into()) }
    }
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    let checks = checks();
    let status = if checks.iter().any(|check| check.level == Level::Bad) { FAILED } else { 0 };
    if options.json {
        out.json(&plain(&vec![("version", raw(env!("CARGO_PKG_VERSION"))?), ("checks", raw(&checks)?)]))?;
        return Ok(status);
    }
    let width = checks.iter().map(|check| check.name.len()).max().unwrap_or(0);
    for Check { name, level, found, advice } in &checks {
        let (tone, sign) = match level {
            Level::Good => (Tone::Good, "✓"),
            Level::Note => (Tone::Warning, "!"),
            Level::Bad => (Tone::Error, "✗"),
        };
        out.styled(&[(tone, sign), (Tone::Strong, &format!(" {name:<width$}  ")), (Tone::Plain, found)])?;
        let Some(advice) = advice else { continue };
        for range in wrap(advice, LINE_CELLS - width - 4) {
            out.styled(&[(Tone::Dim, &format!("  {:width$}  {}", "", advice[range].trim_end()))])?;
        }
    }
    Ok(status)
}

fn checks() -> Vec<Check> {
    let get = |name: &str| env::var(name).ok().filter(|value| !value.trim().is_empty());
    let environment = Environment::read();
    let mut out = vec![version()];
    out.extend(terminal(&environment));
    out.extend(background(&environment));
    out.extend(multiplexer(&get));
    out.push(text(&get));
    out.push(clipboard_check(clipboard::names().find(|name| is_program(name))));
    out.push(match environment.editor.as_deref() {
        Some(editor) => program("editor", editor, "set EDITOR to one that is there"),
        None => Check::note("editor", "none is set", "set EDITOR, as vim or nano; `o` opens files and texts in it"),
    });
    out.push(program("pager", get("PAGER").as_deref().unwrap_or("less"), "set PAGER, or use --no-pager"));
    out.extend(limits());
    out.extend(folders());
    out
}

fn version() -> Check {
    let (os, arch, with) = (env::consts::OS, env::consts::ARCH, features().join(", "));
    Check::good("obelus", format!("{} for {os} on {arch}, with {with}", env!("CARGO_PKG_VERSION")))
}

fn terminal(environment: &Environment) -> Vec<Check> {
    let mut out = Vec::new();
    out.push(match (io::stdin().is_terminal(), io::stdout().is_terminal(), environment.term.as_str()) {
        (_, false, _) => {
            Check::note("terminal", "standard output is not a terminal", "run it in a terminal to see more")
        }
        (_, _, "" | "dumb") => {
            Check::bad("terminal", "TERM names no terminal that can be drawn on", "set TERM, as xterm-256color")
        }
        (false, ..) => Check::note("terminal", environment.term.clone(), "standard input is not a terminal"),
        (_, _, term) => Check::good("terminal", term),
    });
    out.extend(platform::cells_of_stdout().map(|(width, height)| {
        let found = format!("{width}x{height} cells");
        if width >= CELLS_MIN.0 && height >= CELLS_MIN.1 {
            Check::good("size", found)
        } else {
            Check::note("size", found, format!("panes have room from {}x{} on", CELLS_MIN.0, CELLS_MIN.1))
        }
    }));
    out.push(match (environment.no_color, environment.colors) {
        (true, _) => Check::good("colours", "none: NO_COLOR is set"),
        (_, Colors::True) => Check::good("colours", "all"),
        (_, Colors::Indexed) => Check::good("colours", "256; COLORTERM=truecolor gives all, if the terminal has them"),
        (_, Colors::Sixteen) => {
            Check::note("colours", "16", "themes other than ansi need more: TERM=xterm-256color or COLORTERM=truecolor")
        }
    });
    out
}

/// Which shades the default theme takes, and why. The terminal is asked as the screen asks it.
fn background(environment: &Environment) -> Option<Check> {
    let (known, who) = match environment.background {
        Background::Any if io::stdin().is_terminal() && io::stdout().is_terminal() => {
            (ask_background(), "the terminal")
        }
        Background::Any => return None,
        known => (known, "COLORFGBG"),
    };
    Some(match known {
        Background::Dark => Check::good("background", format!("dark, by {who}")),
        Background::Light => Check::good("background", format!("light, by {who}")),
        Background::Any => Check::note(
            "background",
            "the terminal does not tell it (OSC 11)",
            "colours are those that read well on both; name a theme: --theme dark, or theme in config.toml",
        ),
    })
}

/// A program between obelus and the terminal, which passes on only what it is asked to.
fn multiplexer(get: &impl Fn(&str) -> Option<String>) -> Option<Check> {
    let known = [
        (
            "TMUX",
            "tmux",
            "`set -s set-clipboard on` lets `y` copy, `set -as terminal-features ',*:RGB'` gives all colours",
        ),
        ("ZELLIJ", "Zellij", "`copy_clipboard` of its configuration says where `y` copies to"),
        ("STY", "screen", "it drops the clipboard sequence, so that `y` needs a tool, and has 256 colours at most"),
    ];
    let (_, name, advice) = known.into_iter().find(|(variable, ..)| get(variable).is_some())?;
    Some(Check::note("multiplexer", name, advice))
}

/// Whether the locale is UTF-8, by the variable that wins.
fn text(get: &impl Fn(&str) -> Option<String>) -> Check {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| Some((name, get(name)?)));
    let advice = "signs such as † may look wrong; set LANG=C.UTF-8 or another locale of UTF-8";
    match set {
        Some((name, value)) if ["utf-8", "utf8"].iter().any(|end| value.to_lowercase().ends_with(end)) => {
            Check::good("text", format!("UTF-8, by {name}"))
        }
        Some((name, value)) => Check::note("text", format!("{name} is {value}"), advice),
        None => Check::note("text", "no locale is set", advice),
    }
}

fn clipboard_check(tool: Option<&str>) -> Check {
    match tool {
        Some(tool) => Check::good("clipboard", tool),
        None => Check::note(
            "clipboard",
            "by the terminal (OSC 52): no tool of the system is at hand",
            "where the terminal refuses, `y` copies nothing; wl-copy, xclip or xsel help on this machine's screen",
        ),
    }
}

fn program(name: &'static str, command: &str, advice: &str) -> Check {
    let first = command.split_whitespace().next().unwrap_or_default();
    if is_program(first) {
        Check::good(name, command)
    } else {
        Check::note(name, format!("{command} is not there"), advice)
    }
}

/// Whether a program is found: by its path, or in a folder of `PATH`.
fn is_program(name: &str) -> bool {
    if name.contains('/') {
        return Path::new(name).is_file();
    }
    let folders = env::var_os("PATH").unwrap_or_default();
    !name.is_empty() && env::split_paths(&folders).any(|folder| folder.join(name).is_file())
}

fn limits() -> Vec<Check> {
    let mut out = Vec::new();
    out.push(match platform::open_files_max() {
        Some(files) if files < FOLLOWED_MIN => Check::note(
            "open files",
            format!("{files} at a time"),
            format!("`obelus tail` of a large folder opens them in turn; `ulimit -n {FOLLOWED_MIN}` keeps them open"),
        ),
        Some(files) => Check::good("open files", format!("{files} at a time")),
        None => Check::good("open files", "as many as are wanted"),
    });
    #[expect(clippy::disallowed_methods, reason = "a number in /proc")]
    let watches = fs::read_to_string(WATCHES_FILE).ok().and_then(|text| text.trim().parse::<u64>().ok());
    out.extend(watches.map(|watches| {
        if watches >= FOLLOWED_MIN {
            Check::good("watches", format!("{watches} folders (inotify)"))
        } else {
            Check::note(
                "watches",
                format!("{watches} folders (inotify)"),
                "beyond that files are asked each second; raise fs.inotify.max_user_watches by sysctl",
            )
        }
    }));
    out
}

fn folders() -> Vec<Check> {
    let problems = config_check::problems();
    let config = match (folder(), problems.first()) {
        (None, _) => Check::note("configuration", "none: no home folder is set", "set HOME or XDG_CONFIG_HOME"),
        (Some(_), Some(problem)) => Check::bad("configuration", problem.to_string(), "`obelus config check` says all"),
        (Some(folder), None) => Check::good("configuration", folder.display().to_string()),
    };
    let marks = match mark_journal::default_path() {
        Some(path) => writable("marks", &path, "name another journal with --marks"),
        None => Check::note("marks", "no home folder is set", "name a journal with --marks"),
    };
    let spool = match tempfile::tempfile() {
        Ok(_) => Check::good("temporary", env::temp_dir().display().to_string()),
        Err(e) => Check::bad(
            "temporary",
            format!("{}: {e}", env::temp_dir().display()),
            "pipes and packed files are read through it; set TMPDIR to a folder that can be written",
        ),
    };
    vec![config, marks, spool]
}

/// Whether a file can be written, or made in the nearest folder above that is there. Nothing is written.
fn writable(name: &'static str, file: &Path, advice: &str) -> Check {
    let there: Option<PathBuf> = file.ancestors().find(|path| path.exists()).map(Path::to_owned);
    let can = there.is_some_and(|path| (path == file || path.is_dir()) && platform::is_writable(&path));
    if can {
        Check::good(name, file.display().to_string())
    } else {
        let problem = Problem::usage(format!("{} cannot be written", file.display()));
        Check::bad(name, problem.to_string(), advice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_locale_that_wins_decides() {
        let level = |set: &[(&str, &str)]| {
            text(&|name: &str| set.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned())).level
        };
        assert_eq!(level(&[("LANG", "en_GB.UTF-8")]), Level::Good);
        assert_eq!(level(&[("LANG", "en_GB.utf8"), ("LC_ALL", "C")]), Level::Note);
        assert_eq!(level(&[]), Level::Note);
    }

    #[test]
    fn what_is_missing_has_advice() {
        assert_eq!(program("editor", "no-such-editor -w", "set EDITOR").advice.as_deref(), Some("set EDITOR"));
        assert_eq!(program("editor", "sh -c", "set EDITOR").level, Level::Good);
        assert_eq!(clipboard_check(None).level, Level::Note);
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(writable("marks", &folder.path().join("a/b/marks.jsonl"), "x").level, Level::Good);
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        assert_eq!(writable("marks", &file, "x").level, Level::Good);
        assert_eq!(writable("marks", &file.join("marks.jsonl"), "x").level, Level::Bad, "a file is not a folder");
        let between = |set: &'static str| multiplexer(&|name: &str| (name == set).then(|| "1".to_owned()));
        assert!(between("TMUX").is_some_and(|check| check.advice.unwrap().contains("set-clipboard")));
        assert!(between("TERM").is_none());
        let lost = Environment { term: "dumb".to_owned(), ..Environment::default() };
        assert!(terminal(&lost).iter().all(|check| check.level != Level::Good || check.advice.is_none()));
    }
}
