//! `obelus replay`: a recording on the screen, played as if it were written now.

use super::args::{FileName, FormatOption, MarksOption, ScreenLook, parsed};
use super::out::Out;
use super::{Command, Stop, paths};
use crate::ingest;
use crate::panes::replay::SPEEDS;
use crate::shell::{self, Opened, Settings};
use clap::{ArgMatches, Args};
use std::time::Duration;

pub(super) const COMMAND: Command = Command { name: "replay", describe: Options::augment_args, run };

/// Play a recorded file on the screen as if it were being written, at the pace of its times
///
/// Records come as they came then: lines and elements one by one, a request with one message more each time. A record
/// without a time comes half a second after the one before (at speed 1). A trajectory of a dataset is one record and
/// comes as a whole. Space pauses, ) and ( double and halve the speed; to look at other steps does not stop it.
#[derive(Debug, Args)]
struct Options {
    /// File to play; `-` is standard input, which is read to its end first
    #[arg(value_name = "FILE")]
    file: FileName,
    #[command(flatten)]
    format: FormatOption,
    /// How many times as fast as it was recorded, from 0.125 to 1024
    #[arg(long, value_name = "N", default_value = "1", value_parser = speed)]
    speed: f64,
    /// Longest wait between two records, in seconds
    #[arg(long, value_name = "MAX_SECONDS", default_value = "2", value_parser = seconds)]
    gap: Duration,
    #[command(flatten)]
    look: ScreenLook,
    #[command(flatten)]
    marks: MarksOption,
}

fn speed(text: &str) -> Result<f64, String> {
    let speed = text.strip_suffix('x').unwrap_or(text).parse().ok().filter(|speed| SPEEDS.contains(speed));
    speed.ok_or_else(|| format!("a speed is a number from {} to {}", SPEEDS.start(), SPEEDS.end()))
}

fn seconds(text: &str) -> Result<Duration, String> {
    let wait = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    wait.ok_or_else(|| "a wait is a number of seconds from 0, as 2 or 0.5".to_owned())
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    let loaded = super::load(&options.file, options.format.forced(), out)?;
    let replay = ingest::replay(loaded, options.speed, options.gap)?;
    let (opened, look) = (Opened::Replay(replay, options.speed), options.look);
    let start = look.start(false);
    let (template, tokenizer) = (look.template()?, look.tokenizer.read()?);
    let ScreenLook { theme, files, watches, max_tokens, .. } = look;
    let (marks, follow, format) = (options.marks.path(), true, None);
    let settings = Settings {
        opened,
        format,
        start,
        files,
        watches,
        follow,
        theme,
        input_options: Vec::new(),
        marks,
        template,
        max_tokens,
        tokenizer,
        compare: None,
        has_tour: false,
        notice: None,
    };
    Ok(paths::end_of_screen(shell::run(settings)?))
}
