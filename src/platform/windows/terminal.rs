//! The terminal: the handle that draws, its signals, its size, reports of the mouse. There is no job control.

use crate::platform::Signal;
use ratatui::crossterm::Command;
use ratatui::crossterm::event::{DisableMouseCapture, EnableMouseCapture};
use ratatui::crossterm::terminal::size;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::time::Duration;

/// The exit status of a program whose terminal hung up, as elsewhere.
pub(crate) const HANGUP_STATUS: i32 = 129;
/// The exit status of a program that Ctrl-C ended, as elsewhere.
const INTERRUPT_STATUS: i32 = 130;
/// How long one wait for input lasts. Nothing ends it before, so that a program that is to have the keyboard waits for
/// it.
pub(crate) const INPUT_WAIT: Duration = Duration::from_millis(200);
/// Whether a terminal that can draw is named by the variable `TERM`.
pub(crate) const NEEDS_TERM: bool = false;
/// Whether every terminal of the system has all colours: since Windows 10.
pub(crate) const HAS_TRUE_COLOURS: bool = true;

/// Width and height of the terminal that standard output is, in cells; None where it is not one, or does not say.
pub(crate) fn cells_of_stdout() -> Option<(u16, u16)> {
    let cells = io::stdout().is_terminal().then(size)?.ok()?;
    Some(cells).filter(|(width, height)| *width > 0 && *height > 0)
}

/// Standard output, through which the runtime gives a console text and not bytes of a code page.
#[derive(Debug)]
pub(crate) struct TerminalOut(io::Stdout);

impl TerminalOut {
    /// Takes hold of standard output.
    ///
    /// # Errors
    /// None on this system.
    pub(crate) fn open() -> io::Result<Self> {
        Ok(Self(io::stdout()))
    }

    /// Whether a terminal is behind it, still.
    pub(crate) fn is_terminal(&self) -> bool {
        self.0.is_terminal()
    }

    /// Writes bytes and sends them.
    ///
    /// # Errors
    /// The terminal is gone.
    pub(crate) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut out = self.0.lock();
        out.write_all(bytes)?;
        out.flush()?;
        Ok(bytes.len())
    }
}

/// Being stopped and continued by a shell, which there is not.
#[derive(Debug)]
pub(crate) struct JobControl;

impl JobControl {
    /// Nothing is to be heard.
    ///
    /// # Errors
    /// None on this system.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self)
    }

    /// Whether a shell could bring a stopped program back.
    pub(crate) fn can_be_continued(&self) -> bool {
        false
    }

    /// Stops nothing.
    ///
    /// # Errors
    /// Always.
    pub(crate) fn stop(&self) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// A program that draws is in front.
    pub(crate) fn wait_for_foreground(&self, _out: &TerminalOut) {}
}

/// A wait for input ends by itself.
pub(crate) fn wake_input() {}

/// Calls `hear`, on a thread of its own, when the program is to end: its window was closed, or Ctrl-C came from outside
/// (as a key it comes with the others).
///
/// # Errors
/// There is no handler.
pub(crate) fn on_signal(hear: impl Fn(Signal) + Send + 'static) -> io::Result<()> {
    ctrlc::set_handler(move || hear(Signal::Interrupt(INTERRUPT_STATUS))).map_err(io::Error::other)
}

/// Reports of buttons, wheel and drags: a mode of the console's input.
pub(crate) struct EnableMouse;

impl Command for EnableMouse {
    fn write_ansi(&self, f: &mut impl fmt::Write) -> fmt::Result {
        EnableMouseCapture.write_ansi(f)
    }

    fn execute_winapi(&self) -> io::Result<()> {
        EnableMouseCapture.execute_winapi()
    }

    fn is_ansi_code_supported(&self) -> bool {
        EnableMouseCapture.is_ansi_code_supported()
    }
}

/// The reverse of [`EnableMouse`].
pub(crate) struct DisableMouse;

impl Command for DisableMouse {
    fn write_ansi(&self, f: &mut impl fmt::Write) -> fmt::Result {
        DisableMouseCapture.write_ansi(f)
    }

    fn execute_winapi(&self) -> io::Result<()> {
        DisableMouseCapture.execute_winapi()
    }

    fn is_ansi_code_supported(&self) -> bool {
        DisableMouseCapture.is_ansi_code_supported()
    }
}
