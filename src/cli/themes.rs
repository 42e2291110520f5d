//! `obelus themes`: which themes there are, and how one looks: every role, and lines as the screen has them.

use super::args::{FileName, parsed};
use super::out::{Out, Tone, plain, raw};
use super::{Command, Stop, complain};
use crate::model::Problem;
use crate::shell::config::{Config, Environment};
use crate::shell::themes::{self, Themes};
use crate::text::{Role, width};
use crate::ui::{Background, Theme};
use clap::{ArgMatches, Args};
use serde::Serialize;
use std::path::PathBuf;

pub(super) const COMMAND: Command = Command { name: "themes", describe: Options::augment_args, run };

/// Cells of the name of a role.
const ROLE_CELLS: usize = 14;
/// Cells of the style of a role in words, and of both.
const WORDS_CELLS: usize = 34;
const SCENE_CELLS: usize = ROLE_CELLS + 2 + WORDS_CELLS;

/// Lines as the screen has them, each a list of texts with their roles.
const SCENE: &[&[(Role, &str)]] = &[
    &[(Role::Bar, " trip-run.jsonl · agent-data · step 41 of 61 "), (Role::Good, "live")],
    &[
        (Role::BorderFocus, "╭ "),
        (Role::Accent, "Steps"),
        (Role::BorderFocus, " ─────╮ "),
        (Role::Border, "╭ State ─────╮"),
    ],
    &[(Role::Blame, " 39 "), (Role::User, "user   "), (Role::Text, "Is the hotel booked?")],
    &[(Role::Blame, " 40 "), (Role::Agent, "agent  "), (Role::Call, "quoteHotel"), (Role::Dim, " city=Bergen")],
    &[(Role::Cursor, " 41 result 3 rooms from 120              ")],
    &[(Role::Blame, " 42 "), (Role::Error, "✗ timed out"), (Role::Dim, " after 30 s  "), (Role::Warning, "? suspect")],
    &[(Role::Kind, "state"), (Role::Instance, "②"), (Role::Punct, " ▾ {")],
    &[
        (Role::BlameNew, "@41 "),
        (Role::JsonKey, "budget"),
        (Role::Punct, ": "),
        (Role::JsonNull, "null"),
        (Role::Old, " was 900"),
    ],
    &[
        (Role::Blame, "@12 "),
        (Role::JsonKey, "city"),
        (Role::Punct, ": "),
        (Role::JsonString, "\"Bergen\""),
        (Role::Match, "Ber"),
    ],
    &[
        (Role::Added, "+ rooms: "),
        (Role::JsonNumber, "3"),
        (Role::Changed, "  ~ nights"),
        (Role::Removed, "  - breakfast"),
    ],
    &[
        (Role::CodeKeyword, "def "),
        (Role::CodeName, "total"),
        (Role::Text, "(n): "),
        (Role::CodeComment, "# per night"),
    ],
    &[
        (Role::Reference, "†state.budget"),
        (Role::Hidden, "␛"),
        (Role::KeyName, "  Enter"),
        (Role::Dim, " who wrote it"),
    ],
];

/// List the themes, or show all roles of one in its colours
#[derive(Debug, Args)]
struct Options {
    /// Theme to show: a name, or a theme file that need not be in the configuration folder yet
    #[arg(value_name = "NAME|FILE")]
    theme: Option<FileName>,
    /// Print JSON: one value
    #[arg(long)]
    json: bool,
}

/// One theme of the list.
#[derive(Serialize)]
struct Row {
    name: String,
    /// `dark`, `light` or `any`.
    background: &'static str,
    /// Whether obelus brings it, and it is not one of the configuration folder.
    is_built_in: bool,
    /// Whether the screen uses it.
    is_current: bool,
}

/// The style of a role, in the words of a theme file.
#[derive(Serialize)]
struct RoleRow {
    role: &'static str,
    style: String,
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    let (config, environment) = (Config::load(), Environment::read());
    match &options.theme {
        Some(asked) => {
            let theme = chosen(asked, &config)?;
            if options.json {
                let style = |(role, name): &(Role, &'static str)| RoleRow { role: name, style: theme.words(*role) };
                let roles: Vec<RoleRow> = Role::ALL.iter().map(style).collect();
                out.json(&plain(&vec![("theme", raw(&theme.name())?), ("roles", raw(&roles)?)]))?;
            } else {
                preview(&theme, &themes::fit(theme.clone(), &environment), out)?;
            }
        }
        None => list(&config, &environment, options.json, out)?,
    }
    Ok(0)
}

fn list(config: &Config, environment: &Environment, is_json: bool, out: &mut Out) -> Result<(), Stop> {
    let themes = Themes::choose(None, config, environment)?;
    themes.problems.iter().for_each(|problem| complain(&problem.to_string()));
    let current = themes.current().name().to_owned();
    let is_custom = |name: &str| config.themes.iter().any(|(custom_name, _)| custom_name == name);
    let row = |theme: &Theme| Row {
        name: theme.name().to_owned(),
        background: match theme.background() {
            Background::Dark => "dark",
            Background::Light => "light",
            Background::Any => "any",
        },
        is_built_in: !is_custom(theme.name()),
        is_current: theme.name() == current,
    };
    let rows: Vec<Row> = themes.all().map(row).collect();
    if is_json {
        return Ok(out.json(&plain(&vec![("themes", raw(&rows)?)]))?);
    }
    let cells = |row: &Row| {
        let origin = if row.is_built_in { "built in" } else { "of the configuration" };
        let sign = if row.is_current { "✓" } else { " " };
        [sign, &row.name, row.background, origin].map(str::to_owned).to_vec()
    };
    let tones = [Tone::Good, Tone::Strong, Tone::Plain, Tone::Dim];
    Ok(out.columns(&tones, &rows.iter().map(cells).collect::<Vec<_>>())?)
}

/// The theme of that name, else the one that a file describes.
fn chosen(asked: &FileName, config: &Config) -> Result<Theme, Problem> {
    let path: PathBuf = asked.clone().into();
    match themes::named(&asked.text(), config)? {
        Some(theme) => Ok(theme),
        None if path.is_file() => themes::of_file(&path),
        None => Err(Problem::usage(format!("there is no theme `{asked}`"))
            .hint("`obelus themes` lists them; a theme file can be named too")),
    }
}

/// The scene and all roles, in the colours of `shown`; the words are those of `theme`.
fn preview(theme: &Theme, shown: &Theme, out: &mut Out) -> Result<(), Stop> {
    out.line(&format!("{}:", theme.name()))?;
    for line in SCENE {
        let mut pieces: Vec<(String, &str)> = line.iter().map(|(role, text)| (shown.sgr(*role), *text)).collect();
        let cells: usize = line.iter().map(|(_, text)| width(text)).sum();
        let rest = " ".repeat(SCENE_CELLS.saturating_sub(cells));
        pieces.push((shown.sgr(Role::Text), &rest));
        out.painted(&pieces)?;
    }
    out.line("")?;
    for (role, name) in Role::ALL {
        let name = format!("{name:<ROLE_CELLS$}");
        let words = format!("  {:<WORDS_CELLS$}", theme.words(*role));
        out.painted(&[(shown.sgr(*role), &name), (shown.sgr(Role::Text), &words)])?;
    }
    Ok(())
}
