//! The terminal: the handle that draws, job control, its signals, its size, reports of the mouse.

use crate::platform::Signal;
use ratatui::crossterm::Command;
use rustix::process::{Signal as Number, getpgrp, getsid, kill_current_process_group};
use rustix::termios::{tcgetpgrp, tcgetwinsize};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH, SIGXCPU, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::{flag, low_level};
use std::fmt;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// What a shell reports for a program that a signal ended: this and the signal's number.
const SIGNAL_STATUS: i32 = 128;
/// The exit status of a program whose terminal hung up.
pub(crate) const HANGUP_STATUS: i32 = SIGNAL_STATUS + SIGHUP;
/// How long one wait for input lasts: as late as this a closed terminal is noticed that sent no signal. Crossterm spins
/// through the last millisecond of each wait, so short ones would cost an idle program more than all else.
pub(crate) const INPUT_WAIT: Duration = Duration::from_secs(1);
/// Whether a terminal that can draw is named by the variable `TERM`.
pub(crate) const NEEDS_TERM: bool = true;
/// Whether every terminal of the system has all colours.
pub(crate) const HAS_TRUE_COLOURS: bool = false;
/// How often a stopped program looks whether it goes on.
const STOPPED_WAIT: Duration = Duration::from_millis(5);
/// How often a backgrounded program looks whether the terminal is its own again.
const BACKGROUND_WAIT: Duration = Duration::from_millis(50);

/// Width and height of the terminal that standard output is, in cells; None where it is not one, or does not say.
pub(crate) fn cells_of_stdout() -> Option<(u16, u16)> {
    let size = tcgetwinsize(io::stdout()).ok()?;
    Some((size.ws_col, size.ws_row)).filter(|(width, height)| *width > 0 && *height > 0)
}

/// A handle on standard output of its own: the lock of `io::stdout` may be held by a thread that is stuck in a write.
#[derive(Debug)]
pub(crate) struct TerminalOut(File);

impl TerminalOut {
    /// Takes hold of standard output.
    ///
    /// # Errors
    /// It is closed.
    pub(crate) fn open() -> io::Result<Self> {
        Ok(Self(File::from(io::stdout().as_fd().try_clone_to_owned()?)))
    }

    /// Whether a terminal is behind it, still.
    pub(crate) fn is_terminal(&self) -> bool {
        self.0.is_terminal()
    }

    /// Writes some bytes.
    ///
    /// # Errors
    /// The terminal is gone, or full where somebody made it non-blocking.
    pub(crate) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        (&self.0).write(bytes)
    }
}

/// Being stopped and continued by a shell.
#[derive(Debug)]
pub(crate) struct JobControl {
    /// Set by SIGCONT.
    is_continued: Arc<AtomicBool>,
}

impl JobControl {
    /// Registers the handler of SIGCONT.
    ///
    /// # Errors
    /// There is no handler.
    pub(crate) fn new() -> io::Result<Self> {
        let is_continued = Arc::new(AtomicBool::new(false));
        flag::register(SIGCONT, Arc::clone(&is_continued))?;
        Ok(Self { is_continued })
    }

    /// Whether a shell with job control could bring a stopped process group back.
    ///
    /// The group of the session leader has no such shell: the only program of a window or container would stay stopped
    /// forever.
    pub(crate) fn can_be_continued(&self) -> bool {
        getsid(None).is_ok_and(|session| session != getpgrp())
    }

    /// Stops the whole job, as Ctrl-Z in a shell does: of `cat x | obelus -` no half may stay behind. Not by SIGTSTP,
    /// which would come back to our own handler. Returns when the job goes on.
    ///
    /// # Errors The system refuses it.
    pub(crate) fn stop(&self) -> io::Result<()> {
        self.is_continued.store(false, Ordering::SeqCst);
        kill_current_process_group(Number::STOP)?;
        while !self.is_continued.load(Ordering::SeqCst) {
            #[expect(
                clippy::disallowed_methods,
                reason = "a signal ends it, and no channel may be used in its handler"
            )]
            thread::sleep(STOPPED_WAIT);
        }
        Ok(())
    }

    /// After `bg` the terminal still belongs to the shell; using it would stop the program again.
    pub(crate) fn wait_for_foreground(&self, out: &TerminalOut) {
        while tcgetpgrp(&out.0).is_ok_and(|group| group != getpgrp()) {
            #[expect(clippy::disallowed_methods, reason = "nobody tells when the terminal is ours again")]
            thread::sleep(BACKGROUND_WAIT);
        }
    }
}

/// Ends a wait for input at once: to crossterm it is one more change of size. If it cannot be sent, the wait ends by
/// itself.
pub(crate) fn wake_input() {
    let _ = low_level::raise(SIGWINCH);
}

/// Calls `hear`, on a thread of its own, for each signal.
///
/// # Errors
/// There is no handler or no thread.
pub(crate) fn on_signal(hear: impl Fn(Signal) + Send + 'static) -> io::Result<()> {
    let ends = [SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGXCPU, SIGXFSZ];
    let mut signals = Signals::new(ends.iter().chain(&[SIGTSTP, SIGCONT, SIGWINCH]))?;
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in signals.forever() {
            hear(match signal {
                SIGTSTP => Signal::Stop,
                SIGCONT => Signal::Continue,
                SIGWINCH => Signal::Size,
                SIGINT | SIGQUIT => Signal::Interrupt(SIGNAL_STATUS + signal),
                _ => Signal::End(SIGNAL_STATUS + signal),
            });
        }
    })?;
    Ok(())
}

/// Reports of buttons, wheel and drags. Not of every movement, as crossterm's own command asks for: that would wake an
/// idle program whenever the pointer passes by.
pub(crate) struct EnableMouse;

impl Command for EnableMouse {
    fn write_ansi(&self, f: &mut impl fmt::Write) -> fmt::Result {
        f.write_str("\x1b[?1000h\x1b[?1002h\x1b[?1006h")
    }
}

/// The reverse of [`EnableMouse`].
pub(crate) struct DisableMouse;

impl Command for DisableMouse {
    fn write_ansi(&self, f: &mut impl fmt::Write) -> fmt::Result {
        f.write_str("\x1b[?1006l\x1b[?1002l\x1b[?1000l")
    }
}
