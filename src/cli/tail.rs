//! `obelus tail`: follows a file, a folder or a stream and prints each record as it comes (TAIL.md).
//!
//! One thread reads and never waits for the reader of stdout; another writes. While what was read is not written yet,
//! nothing more is read, but the path is looked at all the same.

mod show;
mod writer;

use super::args::{FileName, parsed};
use super::check::config::Config;
use super::out::Out;
use super::{Command, Stop, complain};
use crate::ingest::{follow_derived, open_lines};
use crate::model::Problem;
use crate::platform::on_end_signal;
use crate::source::tail::{Tail, TailItem, TailReport};
use crate::source::{Input, reachable, refused_as_remote};
use crate::text::SafeText;
use clap::{ArgMatches, Args};
use crossbeam_channel::{Receiver, after, bounded, never, select};
use show::Show;
use std::fs::File;
use std::sync::Arc;
use std::time::{Duration, Instant};
use writer::Writer;

pub(super) const COMMAND: Command = Command { name: "tail", describe: Options::augment_args, run };

/// Longest time from a signal to the exit.
const ENDING: Duration = Duration::from_millis(1700);

/// Bytes of a stream that say whether it is text.
const HEAD_BYTES: u64 = 64;

/// How long a stream is silent, after a signal, when what was in it has been read.
const SILENCE: Duration = Duration::from_millis(100);

/// Follow a live file or folder and print each record as it comes
#[derive(Debug, Args)]
struct Options {
    /// File or folder to follow, which need not exist yet; `-` is standard input
    #[arg(value_name = "FILE|DIR")]
    path: FileName,
    /// Print one JSON object for each record, error and event
    #[arg(long)]
    json: bool,
    /// Print the current content, take its end as final, and exit: 1 if there was an error, 2 if part or all of it
    /// could not be read
    #[arg(long)]
    once: bool,
    /// Look every MS milliseconds instead of being notified by the file system
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    poll: Option<u64>,
}

fn run(matches: &ArgMatches, out: &mut Out) -> Result<u8, Stop> {
    let options: Options = parsed(matches)?;
    let poll = options.poll.map(Duration::from_millis);
    if options.once && !options.path.is_stdin() {
        reachable(options.path.as_ref())?;
    }
    if Config::read(None).is_ok_and(|config| !config.maps.is_empty()) {
        complain("[map] of obelus.toml does not change what tail prints: a mapped input is read once and not followed");
    }
    let stream = stream(&options)?;
    let is_stream = stream.is_some();
    let tail = match &stream {
        Some(input) => Tail::stream(Arc::clone(input)),
        None => Tail::new(options.path.as_ref(), poll),
    };
    let signals = signals()?;
    let show = Show::new(options.json, out.is_coloured(), out.is_terminal());
    let writer = Writer::start()?;
    let (is_once, read_at) = (options.once, Instant::now());
    let status = Loop {
        name: options.path.to_string(),
        tail,
        show,
        writer,
        signals,
        is_once,
        is_stream,
        unchecked: stream.clone(),
        read_at,
        until: None,
        has_error: false,
        has_trouble: false,
    }
    .run()?;
    if let Some(Err(problem)) = stream.as_ref().map(|input| input.check_lines()) {
        complain(&problem.to_string());
        return Ok(super::TROUBLE);
    }
    // What came before a stream broke off was reported.
    if let Some(Err(problem)) = stream.filter(|input| !input.may_grow()).map(|input| input.wait()) {
        complain(&problem.to_string());
        return Ok(super::TROUBLE);
    }
    Ok(status)
}

/// What is read from a file of our own: standard input, a pipe, a device, what a packed file or container holds. The
/// last goes on as long as it is followed.
///
/// # Errors
/// It cannot be read, or is of a kind that is not text (R9). A file that is to be followed may become readable.
fn stream(options: &Options) -> Result<Option<Arc<Input>>, Problem> {
    let path = options.path.as_ref();
    if options.path.is_stdin() {
        return Input::stdin().map(Some);
    }
    if let Some(problem) = refused_as_remote(path) {
        return Err(problem);
    }
    if !path.exists() || path.is_dir() {
        return Ok(None);
    }
    match open_lines(path) {
        Ok(input) if input.is_file() => Ok(None),
        Ok(input) if options.once => Ok(Some(input)),
        Ok(input) => Ok(Some(follow_derived(&input)?.unwrap_or(input))),
        Err(problem) if options.once || File::open(path).is_ok() => Err(problem),
        Err(_) => Ok(None),
    }
}

/// Hears of the first signal to end.
fn signals() -> Result<Receiver<()>, Stop> {
    let (sender, heard) = bounded(1);
    on_end_signal(move || {
        // The second signal changes nothing: the end is near.
        let _ = sender.try_send(());
    })?;
    Ok(heard)
}

struct Loop {
    /// The path, for people.
    name: String,
    tail: Tail,
    show: Show,
    writer: Writer,
    signals: Receiver<()>,
    is_once: bool,
    is_stream: bool,
    /// Standard input or a pipe, until enough of it came to know what it is.
    unchecked: Option<Arc<Input>>,
    /// When something was read, or the signal came.
    read_at: Instant,
    /// When to end whatever was not written, after a signal.
    until: Option<Instant>,
    has_error: bool,
    /// Whether something cannot be read, which was reported.
    has_trouble: bool,
}

impl Loop {
    fn run(mut self) -> Result<u8, Stop> {
        self.look();
        while self.writer.is_open() {
            let now = Instant::now();
            if self.until.is_some_and(|until| until <= now) {
                break;
            }
            if self.signals.try_recv().is_ok() {
                self.end();
            }
            if self.tail.is_look_due(now) {
                self.look();
            }
            if self.writer.is_free() && !self.turn() {
                break;
            }
            self.writer.offer();
        }
        let written = self.writer.finish(self.until);
        match written {
            Ok(()) if self.is_once && self.has_trouble => Ok(super::TROUBLE),
            Ok(()) if self.is_once && !self.tail.has_read() => {
                let advice = "such files end in .jsonl, .ndjson or .json";
                complain(&format!("{}: there is no file of records in this folder; {advice}", self.name));
                Ok(super::TROUBLE)
            }
            Ok(()) => Ok(u8::from(self.is_once && self.has_error)),
            Err(error) => Err(Stop::Output(error)),
        }
    }

    /// Reads a slice, or waits for something to read; false at the end.
    fn turn(&mut self) -> bool {
        if self.is_refused() {
            return false;
        }
        if self.read() {
            self.read_at = Instant::now();
            return true;
        }
        if self.tail.is_behind() {
            self.look();
            return true;
        }
        if self.is_at_end() {
            self.write_reports(|tail, emit| {
                tail.finish(emit);
                true
            });
            return false;
        }
        self.wait();
        true
    }

    /// Whether a stream is of a kind that is not text, which is no sequence of broken lines.
    fn is_refused(&mut self) -> bool {
        let Some(input) = &self.unchecked else { return false };
        let is_refused = input.check_lines().is_err();
        if input.len() >= HEAD_BYTES {
            self.unchecked = None;
        }
        is_refused
    }

    /// Whether what was read is all that is wanted. Of a stream only its end says what is in it.
    fn is_at_end(&self) -> bool {
        match self.until {
            _ if self.tail.is_over() => true,
            None => self.is_once && !self.is_stream,
            Some(_) => !self.is_stream || self.read_at.elapsed() >= SILENCE,
        }
    }

    fn wait(&mut self) {
        let wait = self.tail.wait(Instant::now());
        let due = after(if self.until.is_some() { wait.min(SILENCE) } else { wait });
        select! {
            recv(self.tail.hints()) -> _ => self.look(),
            recv(self.signals) -> _ => self.end(),
            recv(self.writer.closed()) -> _ => {}
            recv(due) -> _ => self.look(),
        }
    }

    /// A signal: what is there now is read to its end.
    fn end(&mut self) {
        self.read_at = Instant::now();
        self.until = Some(self.read_at + ENDING);
        self.signals = never();
        self.look();
    }

    fn look(&mut self) {
        self.write_reports(|tail, emit| {
            tail.look(Instant::now(), emit);
            true
        });
    }

    fn read(&mut self) -> bool {
        self.write_reports(|tail, emit| tail.read(Instant::now(), emit))
    }

    /// Lets the follower report, and hands its reports to the writer.
    fn write_reports(&mut self, work: impl FnOnce(&mut Tail, &mut dyn FnMut(TailReport<'_>)) -> bool) -> bool {
        let (show, has_error, has_trouble) = (&mut self.show, &mut self.has_error, &mut self.has_trouble);
        let more = work(&mut self.tail, &mut |report| {
            match &report.what {
                TailItem::Notice(message) => {
                    *has_trouble = true;
                    complain(&SafeText::of(message).to_string());
                }
                TailItem::Error { .. } => *has_error = true,
                _ => {}
            }
            show.add(&report);
        });
        self.writer.add(self.show.take());
        more
    }
}
