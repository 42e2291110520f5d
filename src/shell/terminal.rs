//! The screen: taken when it opens, drawn frame by frame, given back in every way to end.
//!
//! ```text
//! let (mut screen, input) = Screen::open(&Environment::read())?;
//! screen.draw(|frame| …)?;            // one frame, sent whole
//! match input.recv()? { … }           // keys, mouse, sizes; Resumed after Ctrl-Z and fg: draw again
//! drop(screen);                       // only now print
//! ```
//! Ways to end besides that: a signal (`signals`), a terminal that hung up (`input`), a panic in any thread (the hook
//! below). All of them end in `device`, which knows whether the terminal is still to be given back.

use super::clipboard;
use super::config::Environment;
use super::input::{self, EVENTS_MAX, InputEvent};
use super::screen_backend::ScreenBackend;
use super::signals;
use super::tty::Device;
use crate::model::Problem;
use crate::platform::NEEDS_TERM;
use crate::source::is_expendable_panic;
use crate::text::SafeText;
use crossbeam_channel::Receiver;
use ratatui::crossterm::queue;
use ratatui::crossterm::terminal::{BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate};
use ratatui::{Frame, Terminal};
use std::backtrace::Backtrace;
use std::io::{self, IsTerminal, Write};
use std::panic::{self, PanicHookInfo};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// The exit status after a panic, the same as the runtime's own.
const PANIC_STATUS: i32 = 101;
/// What to do without a terminal.
const PRINTS_HINT: &str = "the commands print anywhere, as `obelus steps FILE` does; `obelus --help` lists them";

/// The terminal while it is ours.
pub struct Screen {
    terminal: Terminal<ScreenBackend<FrameBytes>>,
    frame: FrameBytes,
    /// The bytes of the last frame.
    sent: Vec<u8>,
    /// Whether something else may have drawn on the terminal: the next frame clears it first.
    is_forgotten: bool,
    device: Arc<Device>,
    /// See [`Environment::panics`].
    panics: bool,
}

impl Screen {
    /// Takes the terminal and starts the threads that hear signals and read keys.
    ///
    /// # Errors
    /// When standard output is not a terminal, the terminal cannot draw, or there is none to read keys from. The
    /// terminal is then as it was, and the exit status is 2.
    pub fn open(environment: &Environment) -> Result<(Self, Receiver<InputEvent>), Problem> {
        check(environment, io::stdout().is_terminal())?;
        Self::take(environment).map_err(|error| {
            Problem::unreadable(format!("there is no terminal to draw on and to read keys from: {error}"))
                .hint(PRINTS_HINT)
        })
    }

    fn take(environment: &Environment) -> io::Result<(Self, Receiver<InputEvent>)> {
        let device = Arc::new(Device::open()?);
        let (sender, receiver) = crossbeam_channel::bounded(EVENTS_MAX);
        set_panic_hook(&device, environment.backtrace);
        signals::start(&device, sender.clone())?;
        device.enter()?;
        let frame = FrameBytes::default();
        let terminal = Terminal::new(ScreenBackend::new(frame.clone()));
        let started = terminal.and_then(|terminal| {
            input::start(&device, sender)?;
            Ok(terminal)
        });
        match started {
            Ok(terminal) => Ok((
                Self { terminal, frame, sent: Vec::new(), is_forgotten: false, device, panics: environment.panics },
                receiver,
            )),
            Err(error) => {
                device.leave();
                Err(error)
            }
        }
    }

    /// Whether there is a terminal that can hold it.
    #[must_use]
    pub fn is_possible(environment: &Environment) -> bool {
        check(environment, io::stdout().is_terminal()).is_ok()
    }

    /// Draws one frame: what changed since the last one is sent in one piece, so that no half of it is ever seen. Bytes
    /// that were sent the time before change nothing and are not sent again.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn draw(&mut self, render: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        let is_forgotten = std::mem::take(&mut self.is_forgotten);
        if self.device.take_stale() || is_forgotten {
            // The device has cleared the screen, or it is cleared below, and a new terminal knows an empty one.
            self.terminal = Terminal::new(ScreenBackend::new(self.frame.clone()))?;
            self.sent.clear();
        }
        queue!(self.frame, BeginSynchronizedUpdate)?;
        if is_forgotten {
            queue!(self.frame, Clear(ClearType::All))?;
        }
        self.terminal.draw(render)?;
        queue!(self.frame, EndSynchronizedUpdate)?;
        let bytes = self.frame.take();
        // A cell that changed is written otherwise than the time before: equal bytes place the same cursor, no more.
        if bytes != self.sent {
            self.device.write(&bytes)?;
            self.sent = bytes;
        }
        if cfg!(debug_assertions) && self.panics {
            panic::panic_any("OBELUS_PANIC is set");
        }
        Ok(())
    }

    /// Forgets what the terminal shows: the next frame clears it and is sent whole. ratatui would first ask where the
    /// cursor is, which not every terminal answers.
    pub fn forget(&mut self) {
        self.is_forgotten = true;
    }

    /// Stops the program, for Ctrl-Z: in raw mode the terminal sends a key and no signal. Draw again after it.
    ///
    /// Returns false, and has done nothing, where no shell could continue the program.
    ///
    /// # Errors
    /// When the terminal is gone meanwhile.
    pub fn suspend(&self) -> io::Result<bool> {
        self.device.suspend()
    }

    /// Gives the terminal to another program while `run` waits for it, and takes it again. Draw again after it.
    ///
    /// # Errors
    /// When the thread that reads keys does not pause, so that it would steal from the other program; then `run` did
    /// not happen. Or when the terminal is gone meanwhile.
    pub fn lend<T>(&self, run: impl FnOnce() -> T) -> io::Result<T> {
        self.device.lend(run)
    }

    /// Gives text to a tool of the system that has the clipboard, else asks the terminal to put it there (OSC 52). No
    /// terminal answers, so say "sent", not "copied".
    ///
    /// # Errors
    /// A sentence for the user: the text is too long, or the terminal is gone.
    pub fn copy(&self, text: &str) -> Result<(), String> {
        if clipboard::by_tool(text) {
            return Ok(());
        }
        self.send(&clipboard::sequence(text)?)
    }

    /// Sends bytes that draw nothing: the clipboard, a bell, a notice.
    ///
    /// # Errors
    /// A sentence for the user: the terminal is gone.
    pub fn send(&self, bytes: &[u8]) -> Result<(), String> {
        self.device.write(bytes).map_err(|error| format!("the terminal is gone: {error}"))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.device.leave();
    }
}

/// Whether this terminal can hold the screen.
fn check(environment: &Environment, is_terminal: bool) -> Result<(), Problem> {
    if !is_terminal {
        let message = "the screen needs a terminal, and standard output is not one";
        return Err(Problem::usage(message).hint(PRINTS_HINT));
    }
    let message = match environment.term.as_str() {
        "" if !NEEDS_TERM => return Ok(()),
        "" => "TERM is not set, so nobody knows what this terminal can do",
        "dumb" => "this terminal cannot move its cursor: TERM is \"dumb\"",
        _ => return Ok(()),
    };
    Err(Problem::usage(message).hint(PRINTS_HINT))
}

/// Collects the bytes of one frame. Flushing is left to [`Screen::draw`]: the backend flushes thrice a frame.
#[derive(Debug, Clone, Default)]
struct FrameBytes(Arc<Mutex<Vec<u8>>>);

impl FrameBytes {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for FrameBytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// From now on a panic gives the terminal back, says what happened and ends the process, in whatever thread but those
/// that are expected to fail.
fn set_panic_hook(device: &Arc<Device>, is_full: bool) {
    let device = Arc::clone(device);
    panic::set_hook(Box::new(move |info| {
        if !is_expendable_panic(info) {
            device.end(PANIC_STATUS, Some(&report(info, is_full)));
        }
    }));
}

/// What a panic says (R28): place, version, how to report. A message made at run time may quote the user's file, so it
/// and the stack come only on demand.
fn report(info: &PanicHookInfo<'_>, is_full: bool) -> String {
    let place = info.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
    let thread = thread::current();
    let mut text = format!("obelus panicked at {place} in thread \"{}\"", thread.name().unwrap_or("unnamed"));
    let payload = info.payload();
    if let Some(message) = payload.downcast_ref::<&'static str>() {
        text.push_str(&format!(": {message}"));
    } else if let Some(message) = payload.downcast_ref::<String>().filter(|_| is_full) {
        text.push_str(&format!(": {}", SafeText::of(message)));
    }
    let version = env!("CARGO_PKG_VERSION");
    let (system, machine) = (std::env::consts::OS, std::env::consts::ARCH);
    text.push_str(&format!(
        "\nThis is a fault of obelus {version} ({system} {machine}), not of your file, which was only read."
    ));
    text.push_str("\nPlease report these lines with the command and the keys that led here");
    if is_full {
        text.push_str(&format!("; they may quote your file.\n{}", Backtrace::force_capture()));
    } else {
        text.push_str("; nothing of your file is in them.\nRUST_BACKTRACE=1 adds the message and the stack.");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(term: &str) -> Environment {
        Environment { term: term.to_owned(), ..Environment::default() }
    }

    #[test]
    fn only_a_terminal_that_can_draw_is_taken() {
        assert_eq!(check(&environment("xterm"), true), Ok(()));
        assert_eq!(check(&environment("vt100"), true), Ok(()));
        let message = |term, is_terminal| check(&environment(term), is_terminal).unwrap_err().to_string();
        assert!(message("xterm", false).contains("standard output is not one"));
        assert!(message("dumb", true).contains("TERM is \"dumb\""));
        assert!(message("", true).contains("TERM is not set"));
    }

    #[test]
    fn frame_bytes_are_taken_once() {
        let mut frame = FrameBytes::default();
        frame.clone().write_all(b"abc").unwrap();
        frame.flush().unwrap();
        assert_eq!(frame.take(), b"abc");
        assert!(frame.take().is_empty());
    }
}
