//! What differs between operating systems: identity, times and locks of files, signals, processes, modes of the
//! terminal.
//!
//! Each system has the same names in the same files, so that a name that is missing in one does not compile there. No
//! other room names `std::os` or a crate of one system. Knows no records, no formats and no panes.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

pub(crate) use system::files::{
    FileId, ReadAt, append, change_times, free_bytes, is_link_loop, is_pipe_or_socket, is_writable, keep_permissions,
    next_data, open_locked, private_folder, refuses_reading, with_default_permissions,
};
pub(crate) use system::process::{
    ChildGuard, EndSignals, TimedPipe, confine, exit_now, ignore_interrupt, is_stdout_unread, lower_priority,
    on_end_signal, open_files_max, shell_command,
};
pub(crate) use system::terminal::{
    DisableMouse, EnableMouse, HANGUP_STATUS, HAS_TRUE_COLOURS, INPUT_WAIT, JobControl, NEEDS_TERM, TerminalOut,
    cells_of_stdout, on_signal, wake_input,
};

/// What the system or the user gives a program that has the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(windows, expect(dead_code, reason = "job control is of Unix"))]
pub(crate) enum Signal {
    /// Stop until it is continued.
    Stop,
    /// It was continued.
    Continue,
    /// The terminal has another size.
    Size,
    /// A key for the program that has the terminal now; the exit status of a program that it ends.
    Interrupt(i32),
    /// End; the exit status.
    End(i32),
}
