//! The terminal as a device: its modes are switched on and off here and nowhere else.
//!
//! One [`Device`] is shared by the drawing thread, the signal thread and the panic hook. Whoever comes first gives the
//! terminal back; later writes are dropped, so that nothing lands on the user's shell. Knows no frames and no keys.

use super::input_pause::Pause;
use crate::platform::{DisableMouse, EnableMouse, JobControl, TerminalOut, exit_now};
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use ratatui::crossterm::queue;
use ratatui::crossterm::style::ResetColor;
use ratatui::crossterm::terminal::{
    Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode,
};
use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How long the end waits for a terminal that does not read. R12 gives three seconds for all.
const END_WAIT: Duration = Duration::from_millis(1500);
/// How often a full terminal is tried again, when somebody made it non-blocking.
const FULL_WAIT: Duration = Duration::from_millis(5);

/// Whose terminal it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Ours: full screen, raw.
    Ours,
    /// Another program's, which we started and wait for.
    Lent,
    /// The shell's.
    Returned,
}

/// The terminal behind standard output.
#[derive(Debug)]
pub(super) struct Device {
    out: TerminalOut,
    mode: Mutex<Mode>,
    /// What is on the screen is no longer what was drawn.
    is_stale: AtomicBool,
    job: JobControl,
    /// Keeps the keyboard quiet while the terminal is not ours.
    pub(super) pause: Pause,
}

impl Device {
    /// Takes hold of standard output, without a change to the terminal.
    ///
    /// # Errors
    /// When standard output is closed, or no handler can be set.
    pub(super) fn open() -> io::Result<Self> {
        let (out, job) = (TerminalOut::open()?, JobControl::new()?);
        let (mode, is_stale) = (Mutex::new(Mode::Returned), AtomicBool::new(false));
        Ok(Self { out, mode, is_stale, job, pause: Pause::default() })
    }

    /// Takes the terminal: raw mode, alternate screen, mouse, paste, no cursor.
    ///
    /// # Errors
    /// When there is no terminal to read keys from, or it is gone.
    pub(super) fn enter(&self) -> io::Result<()> {
        let mut mode = self.lock();
        if *mode == Mode::Ours {
            return Ok(());
        }
        enable_raw_mode()?;
        *mode = Mode::Ours;
        self.is_stale.store(true, Ordering::SeqCst);
        self.put(&enter_bytes()?)
    }

    /// Gives the terminal back. Does nothing when it is not ours, so it happens once however many ways lead here.
    pub(super) fn leave(&self) {
        self.change_to(Mode::Returned);
    }

    /// Gives the terminal to another program while `run` waits for it, and takes it again.
    ///
    /// # Errors
    /// When the keyboard does not become quiet; then `run` did not happen. Or when the terminal is gone meanwhile.
    pub(super) fn lend<T>(&self, run: impl FnOnce() -> T) -> io::Result<T> {
        if !self.pause.begin() {
            return Err(io::Error::new(ErrorKind::TimedOut, "the keyboard is busy; try again"));
        }
        self.change_to(Mode::Lent);
        let result = run();
        let entered = self.enter();
        self.pause.end();
        entered.map(|()| result)
    }

    /// Whether another program has it: then keys like Ctrl-C are that program's business.
    pub(super) fn is_lent(&self) -> bool {
        *self.lock() == Mode::Lent
    }

    /// Whether the next frame has to be drawn whole; asking answers for the last time.
    pub(super) fn take_stale(&self) -> bool {
        self.is_stale.swap(false, Ordering::SeqCst)
    }

    /// Whether the terminal hung up: its window was closed, or the connection is gone.
    pub(super) fn is_gone(&self) -> bool {
        !self.out.is_terminal()
    }

    /// Sends bytes while the terminal is ours, else drops them.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let mode = self.lock();
        if *mode == Mode::Ours { self.put(bytes) } else { Ok(()) }
    }

    /// Stops the program as Ctrl-Z does, with the terminal given back, and takes it again after `fg`.
    ///
    /// Returns false, and does nothing, where no shell could continue it.
    ///
    /// # Errors
    /// When the terminal is gone meanwhile.
    pub(super) fn suspend(&self) -> io::Result<bool> {
        if !self.job.can_be_continued() {
            return Ok(false);
        }
        let was_ours = *self.lock() == Mode::Ours;
        if was_ours {
            self.pause.begin();
            self.leave();
        }
        let stopped = self.job.stop();
        if was_ours {
            self.job.wait_for_foreground(&self.out);
            let entered = self.enter();
            self.pause.end();
            entered?;
        }
        stopped.map(|()| true)
    }

    /// Takes the terminal once more after a SIGSTOP, which nobody hears, and `fg`: the shell has set its own modes
    /// since. Returns false, and does nothing, where it was given back before the stop.
    ///
    /// # Errors
    /// When the terminal is gone meanwhile.
    pub(super) fn take_back(&self) -> io::Result<bool> {
        self.job.wait_for_foreground(&self.out);
        let mode = self.lock();
        if *mode != Mode::Ours {
            return Ok(false);
        }
        // What is to be restored at the end is what was there at the start, so both are asked for.
        disable_raw_mode()?;
        enable_raw_mode()?;
        self.is_stale.store(true, Ordering::SeqCst);
        self.put(&enter_bytes()?)?;
        Ok(true)
    }

    /// Ends the process with `status`: the terminal is given back first, then `message` goes to standard error.
    ///
    /// Returns never and takes at most [`END_WAIT`], even if the terminal does not read and another thread is stuck
    /// in a write to it. Exits without the end of the runtime, which waits for nobody's locks.
    pub(super) fn end(&self, status: i32, message: Option<&str>) -> ! {
        // If no thread can be had, the worst is that a stuck terminal has to be closed by hand.
        let _ = thread::Builder::new().name("end".to_owned()).spawn(move || {
            #[expect(clippy::disallowed_methods, reason = "it is the bound after which the process ends")]
            thread::sleep(END_WAIT);
            let _ = disable_raw_mode();
            exit_now(status);
        });
        self.leave();
        if let Some(message) = message {
            let _ = writeln!(io::stderr(), "{message}");
        }
        exit_now(status)
    }

    fn change_to(&self, next: Mode) {
        let mut mode = self.lock();
        if *mode == Mode::Ours {
            // A terminal that is gone needs nothing back, so errors say nothing new here.
            let _ = leave_bytes().and_then(|bytes| self.put(&bytes));
            let _ = disable_raw_mode();
        }
        *mode = next;
    }

    fn lock(&self) -> MutexGuard<'_, Mode> {
        self.mode.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[expect(clippy::disallowed_methods, reason = "the terminal says not when it takes more")]
    fn put(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.out.write(bytes) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(FULL_WAIT),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

fn enter_bytes() -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    queue!(bytes, EnterAlternateScreen, EnableMouse, EnableBracketedPaste, Hide, Clear(ClearType::All))?;
    Ok(bytes)
}

fn leave_bytes() -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    queue!(bytes, EndSynchronizedUpdate, DisableBracketedPaste, DisableMouse, ResetColor, LeaveAlternateScreen, Show)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The private modes that a byte string sets (`h`) or resets (`l`).
    fn modes(bytes: &[u8], end: char) -> Vec<String> {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let sequences = text.split('\u{1b}').filter_map(|part| part.strip_prefix("[?")?.strip_suffix(end));
        let mut found: Vec<String> = sequences.map(str::to_owned).collect();
        found.sort();
        found
    }

    #[test]
    fn what_is_switched_on_is_switched_off() {
        let (enter, leave) = (enter_bytes().unwrap(), leave_bytes().unwrap());
        let on = modes(&enter, 'h');
        assert_eq!(on, ["1000", "1002", "1006", "1049", "2004"]);
        let off = modes(&leave, 'l');
        assert!(on.iter().all(|mode| off.contains(mode)), "{on:?} {off:?}");
        assert_eq!(modes(&enter, 'l'), ["25"]);
        assert_eq!(modes(&leave, 'h'), ["25"]);
    }
}
