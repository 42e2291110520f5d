//! A recorded file played as if it were written now: its records go into a stream at the pace of their times.
//!
//! What reads that stream is what reads any other: nothing after it knows of a recording.

use super::Loaded;
use super::embedded::one_line;
use crate::format::{Format, Layout};
use crate::json::{self, Data};
use crate::model::{Bytes, Place, Problem, Record, RecordBody, Span, StepNo, Timestamp};
use crate::source::Input;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Time between two records of which one has no time.
const UNTIMED: Duration = Duration::from_millis(500);
/// Steps of a record that are asked for its time.
const TIMED_STEPS_MAX: usize = 64;
/// A document that would be longer than this, all its versions together, is played as one record.
const VERSIONS_BYTES_MAX: usize = 64 << 20;

/// How fast it plays, and whether it does: shared by the player and its controls.
#[derive(Debug)]
pub struct PlaybackControl {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Clone, Copy)]
struct State {
    speed: f64,
    is_paused: bool,
}

/// A recording that plays.
pub struct PlayedInput {
    /// What was played so far.
    pub input: Arc<Input>,
    /// The format of the recording.
    pub format: &'static dyn Format,
    /// Its controls.
    pub playback: Arc<PlaybackControl>,
    /// Records that will be played.
    pub total: usize,
}

/// Begins to play a loaded file `speed` times as fast as it was recorded, with no wait longer than `gap`.
///
/// # Errors
/// It cannot be read, or there is no room to play it in.
pub fn replay(loaded: Loaded, speed: f64, gap: Duration) -> Result<PlayedInput, Problem> {
    let name = loaded.input.path().and_then(|path| path.file_name()).map(|name| name.to_string_lossy().into_owned());
    let name = name.unwrap_or_else(|| loaded.input.name().to_owned());
    let format = loaded.detected.format;
    let playback =
        Arc::new(PlaybackControl { state: Mutex::new(State { speed, is_paused: false }), changed: Condvar::new() });
    let player = Player::new(loaded, Arc::clone(&playback), gap)?;
    let total = player.total;
    let input = Input::played(name, player)?;
    Ok(PlayedInput { input, format, playback, total })
}

impl PlaybackControl {
    /// Plays on at another speed, or not.
    pub fn set(&self, speed: f64, is_paused: bool) {
        *self.lock() = State { speed, is_paused };
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until some recorded time has been played, and while it is paused; never longer than `gap` but for that.
    fn wait(&self, recorded: Duration, gap: Duration) {
        let mut state = self.lock();
        let mut left = recorded.as_secs_f64().min(gap.as_secs_f64() * state.speed);
        while state.is_paused || left > 0.0 {
            if state.is_paused {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let (begin, speed) = (Instant::now(), state.speed);
            // A wait that no clock knows is as good as one of a day: the next look goes on with the rest.
            let time =
                Duration::try_from_secs_f64(left / speed).unwrap_or(Duration::MAX).min(Duration::from_secs(86_400));
            state = self.changed.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner).0;
            left -= begin.elapsed().as_secs_f64() * speed;
        }
    }
}

/// A piece of the only record of a file, played as a record of its own.
struct PlayedPart {
    /// Bytes of the record.
    text: Range<usize>,
    /// What closes it.
    end: &'static str,
    /// The bytes that are new in it; they give its time.
    new: Range<usize>,
}

/// A line to play, and its time.
type PlayedLine = (Vec<u8>, Option<Timestamp>);

/// The recording as a stream of lines, each of which comes when it is due.
struct Player {
    loaded: Loaded,
    playback: Arc<PlaybackControl>,
    gap: Duration,
    /// The only record, and its parts, if it is played in parts.
    parts: Option<(Vec<u8>, Vec<PlayedPart>)>,
    /// Lines that there will be.
    total: usize,
    next: usize,
    time: Option<Timestamp>,
    line: io::Cursor<Vec<u8>>,
}

impl Player {
    fn new(loaded: Loaded, playback: Arc<PlaybackControl>, gap: Duration) -> Result<Self, Problem> {
        let records = loaded.records()?;
        let parts = match records.get(0).filter(|_| records.len() == 1) {
            Some(record) if loaded.detected.format.layout() == Layout::Run => {
                let text = loaded.input.read(record.place.span)?;
                parts(&text, loaded.detected.format).map(|parts| (text, parts))
            }
            _ => None,
        };
        let total = parts.as_ref().map_or(records.len(), |(_, parts)| parts.len());
        Ok(Self { loaded, playback, gap, parts, total, next: 0, time: None, line: io::Cursor::default() })
    }

    /// The next line and its time; None at the end.
    fn next(&mut self) -> Result<Option<PlayedLine>, Problem> {
        let number = self.next;
        self.next += 1;
        let format = self.loaded.detected.format;
        if let Some((text, parts)) = &self.parts {
            let Some(part) = parts.get(number) else { return Ok(None) };
            let mut line = text[part.text.clone()].to_vec();
            line.extend_from_slice(part.end.as_bytes());
            one_line(&mut line);
            return Ok(Some((line, time_of(&text[part.new.clone()], format))));
        }
        let Some(record) = self.loaded.records()?.get(number) else { return Ok(None) };
        let mut text = self.loaded.input.read(record.place.span)?;
        let time = if record.body == RecordBody::Text { time_of(&text, format) } else { None };
        one_line(&mut text);
        Ok(Some((text, time)))
    }

    /// The recorded time between the line before and one of this time.
    fn since(&mut self, time: Option<Timestamp>, is_first: bool) -> Duration {
        let before = self.time;
        self.time = time.or(before);
        match (before, time) {
            _ if is_first => Duration::ZERO,
            (Some(before), Some(time)) => Duration::from_micros(u64::try_from(time.since(before)).unwrap_or(0)),
            _ => UNTIMED,
        }
    }
}

impl Read for Player {
    fn read(&mut self, block: &mut [u8]) -> io::Result<usize> {
        let got = self.line.read(block)?;
        if got > 0 {
            return Ok(got);
        }
        let is_first = self.next == 0;
        let Some((line, time)) = self.next().map_err(|problem| io::Error::other(problem.to_string()))? else {
            return Ok(0);
        };
        let recorded = self.since(time, is_first);
        self.playback.wait(recorded, self.gap);
        self.line = io::Cursor::new(line);
        self.line.read(block)
    }
}

/// The first time that a record reports, as its format reads it.
fn time_of(text: &[u8], format: &dyn Format) -> Option<Timestamp> {
    let bytes = text.to_vec();
    let mut run = format.run();
    let place = Place { span: Span { offset: 0, len: bytes.len() as u64 }, line: 1 };
    run.push(&Record { number: 0, place, body: RecordBody::Text, is_row: false }, text, &bytes);
    let steps = 0..StepNo::try_from(run.step_count().min(TIMED_STEPS_MAX)).unwrap_or(0);
    steps.into_iter().find_map(|step| Timestamp::read(&run.step(step, &bytes).time?))
}

/// The parts in which the only record of a file came: the elements of an array; the versions of an envelope, each with
/// one message more (what follows its messages comes with the last). None: it is one part.
fn parts(text: &[u8], format: &dyn Format) -> Option<Vec<PlayedPart>> {
    let text = std::str::from_utf8(text).ok()?;
    let value = json::parse(text).ok()?;
    let range = |value: &json::Value<'_>| value.start..value.start + value.text.len();
    let parts: Vec<PlayedPart> = match &value.data {
        Data::Array(items) => {
            items.iter().map(|item| PlayedPart { text: range(item), end: "", new: range(item) }).collect()
        }
        Data::Object(object) => {
            let grown = format.grows_by().iter().find_map(|name| object.get(name)?.as_array())?;
            let bytes = grown.iter().map(|item| range(item).end).sum::<usize>();
            if bytes > VERSIONS_BYTES_MAX {
                return None;
            }
            let version = |(i, item): (usize, &json::Value<'_>)| {
                let is_last = i + 1 == grown.len();
                let end = if is_last { text.len() } else { range(item).end };
                PlayedPart { text: 0..end, end: if is_last { "" } else { "]}" }, new: range(item) }
            };
            grown.iter().enumerate().map(version).collect()
        }
        _ => return None,
    };
    (parts.len() > 1).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::load;

    fn loaded(text: &str) -> Loaded {
        load(Input::memory("x", text), None).unwrap()
    }

    /// Plays a text without waits: what was played, read again, and how many records were to be.
    fn played(text: &str) -> (Loaded, usize) {
        let PlayedInput { input, format, total, .. } = replay(loaded(text), 4.0, Duration::ZERO).unwrap();
        (load(input, Some(format.name())).unwrap(), total)
    }

    /// State and steps at the end, without what depends on the number of requests: each version of a document that is
    /// rewritten is one (A5).
    fn end(loaded: &Loaded) -> (usize, String) {
        let run = loaded.run(0).unwrap();
        let last = StepNo::try_from(run.step_count()).unwrap() - 1;
        let state = run.state(last, loaded.input.as_ref());
        let state = state.iter().map(|(name, value)| format!("{name} {value}\n"));
        (run.step_count(), state.filter(|line| !line.starts_with("tick") && !line.starts_with("config")).collect())
    }

    #[test]
    fn what_is_played_ends_as_what_was_recorded() {
        let lines = include_str!("../../samples/trip-run.jsonl");
        let slots = include_str!("../../samples/pole-survey.jsonl");
        let array = include_str!("../../samples/trip-context.json");
        let envelope = include_str!("../../samples/report-plan.json");
        let generic = "[{\"a\":1},\n {\"a\":\n2}]";
        for (text, total) in [(lines, 66), (slots, 5), (array, 7), (envelope, 3), (generic, 2)] {
            let (again, played) = played(text);
            assert_eq!((played, again.records().unwrap().len()), (total, total));
            assert_eq!(end(&again), end(&loaded(text)));
        }
        assert_eq!(played(include_str!("../../samples/tickets-std.jsonl")).0.trajectories().unwrap(), 6);
        assert_eq!(played("").1, 0);
    }

    #[test]
    fn broken_records_are_played_as_they_are() {
        let text = "{\"a\":1}\n{\"a\":\n\n{\"a\":3}\n";
        let (again, total) = played(text);
        assert_eq!((total, again.records().unwrap().len()), (3, 3));
        assert_eq!(again.run(0).unwrap().error_steps(), loaded(text).run(0).unwrap().error_steps());
    }

    #[test]
    fn the_pace_is_that_of_the_times() {
        let playback = Arc::new(PlaybackControl {
            state: Mutex::new(State { speed: 1.0, is_paused: false }),
            changed: Condvar::new(),
        });
        let text = r#"{"type":"text","text":"a","_date":"2026-05-01T10:00:00Z"}
{"type":"text","text":"b","_date":"2026-05-01T10:00:07.5Z"}
{"type":"text","text":"c"}
{"type":"text","text":"d","_date":"2026-05-01T10:00:00Z"}
"#;
        let mut player = Player::new(loaded(text), playback, Duration::ZERO).unwrap();
        let mut waits = Vec::new();
        while let Some((_, time)) = player.next().unwrap() {
            waits.push(player.since(time, waits.is_empty()).as_millis());
        }
        assert_eq!(waits, [0, 7_500, 500, 0], "what goes back in time comes at once");
    }

    #[test]
    fn a_paused_deck_goes_on_when_it_is_asked_to() {
        let playback = Arc::new(PlaybackControl {
            state: Mutex::new(State { speed: 1e6, is_paused: true }),
            changed: Condvar::new(),
        });
        let player = Arc::clone(&playback);
        let waiting = std::thread::spawn(move || player.wait(Duration::from_secs(3_600), Duration::from_secs(1)));
        playback.set(1e6, false);
        waiting.join().unwrap();
    }
}
