//! `obelus picture`: a frame of the screen as an SVG picture, without a terminal.

use super::args::{FileName, FormatOption, ScreenLook, parsed};
use super::out::Out;
use super::{Command, Stop, output_path, paths, screen};
use crate::model::Problem;
use crate::shell::headless::Stage;
use crate::ui::{self, AnimationFrame, Background, Theme};
use clap::{ArgMatches, Args};
use std::path::Path;

/// Least and greatest width and height of a picture, in cells.
const CELLS: std::ops::RangeInclusive<u16> = 1..=1_000;

/// The theme where none is named. Themes of the user are not read, so that pictures are the same everywhere.
const THEME: &str = "dark";

pub(super) const COMMAND: Command = Command { name: "picture", describe, run };

fn describe(command: clap::Command) -> clap::Command {
    Options::augment_args(command).hide(true)
}

/// Draw the screen after some keys as an SVG picture
#[derive(Debug, Args)]
struct Options {
    /// File to open; `-` is standard input; without one, the recorded run opens
    #[arg(value_name = "FILE")]
    file: Option<FileName>,
    #[command(flatten)]
    format: FormatOption,
    /// Keys to press first, separated by blanks: names as the help shows them, or type:TEXT
    #[arg(long, value_name = "KEYS", default_value = "")]
    keys: String,
    /// Draw a moving picture: a frame before the keys and one after each of them, each shown for MS milliseconds,
    /// the last one three times as long
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u32).range(100..=60_000))]
    animate: Option<u32>,
    /// Width and height in cells
    #[arg(long, value_name = "WxH", default_value = "120x30", value_parser = size)]
    size: (u16, u16),
    #[command(flatten)]
    look: ScreenLook,
    /// File to write [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<FileName>,
    /// Overwrite an existing file (never the input)
    #[arg(long, requires = "out")]
    force: bool,
}

fn size(text: &str) -> Result<(u16, u16), String> {
    let cells = |part: &str| part.parse().ok().filter(|n| CELLS.contains(n));
    let size = text.split_once('x').and_then(|(width, height)| Some((cells(width)?, cells(height)?)));
    size.ok_or_else(|| format!("a size is two numbers from {} to {}, as in 120x30", CELLS.start(), CELLS.end()))
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    // There is no terminal to ask.
    let named = options.look.theme.as_deref().filter(|name| *name != "auto");
    let theme = theme(named.unwrap_or(THEME))?;
    let file = options.file.as_ref();
    let mut stage = Stage::open(screen::input(file)?, options.format.forced(), options.size, theme)?;
    stage.app.watch(options.look.watches.clone());
    let start = options.look.start(file.is_none());
    if let Some(problem) = stage.app.unknown_path(start.as_ref(), &options.look.watches) {
        return Ok(paths::end_of_screen(Some(problem)));
    }
    stage.begin(start);
    if let Some(notice) = stage.app.notice.as_ref().filter(|notice| notice.is_error) {
        return Err(Problem::usage(notice.text.clone()).into());
    }
    let title = format!("obelus {}", stage.app.session.name);
    let picture = match options.animate {
        None => {
            options.keys.split_whitespace().try_for_each(|word| press(&mut stage, word))?;
            ui::svg(&stage.buffer(), stage.theme(), &title)
        }
        Some(millis) => moving(&mut stage, &options.keys, millis, &title)?,
    };
    match &options.out {
        None => out.text(&picture)?,
        Some(path) => {
            let inputs: Vec<&Path> = file.map(AsRef::as_ref).into_iter().collect();
            let mut output = output_path::create(path.as_ref(), options.force, &inputs)?;
            output.write(picture.as_bytes())?;
            output.finish()?.publish()?;
        }
    }
    Ok(0)
}

fn press(stage: &mut Stage, word: &str) -> Result<(), Problem> {
    stage.press(word).map_err(|problem| problem.hint("`?` on the screen and docs/keys.md list the keys"))
}

/// A frame before the keys and one after each.
fn moving(stage: &mut Stage, keys: &str, millis: u32, title: &str) -> Result<String, Problem> {
    let mut frames = vec![AnimationFrame { buffer: stage.buffer(), pressed: String::new(), millis }];
    for word in keys.split_whitespace() {
        press(stage, word)?;
        let pressed = word.strip_prefix("type:").unwrap_or(word).to_owned();
        frames.push(AnimationFrame { buffer: stage.buffer(), pressed, millis });
    }
    if let Some(last) = frames.last_mut() {
        last.millis = millis.saturating_mul(3);
    }
    Ok(ui::animation(&frames, stage.theme(), title))
}

fn theme(name: &str) -> Result<Theme, Problem> {
    let theme = Theme::built_in(name).ok_or_else(|| {
        let names: Vec<&str> = Theme::names().collect();
        Problem::usage(format!("there is no theme `{name}`")).hint(format!("there are: {}", names.join(", ")))
    })?;
    Ok(if theme.background() == Background::Any { theme.on(Background::Dark) } else { theme })
}
