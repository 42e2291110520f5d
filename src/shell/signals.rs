//! The thread that hears signals.
//!
//! It can end the process whatever the other threads do: crossterm may spin inside its poll when a terminal is gone
//! (crossterm-rs/crossterm#793), and the drawing thread may be stuck in a write to a terminal that does not read.

use super::device::Device;
use super::input::InputEvent;
use crossbeam_channel::Sender;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;
use std::io;
use std::sync::Arc;
use std::thread;

/// What a shell reports for a program that a signal ended: this and the signal's number.
const SIGNAL_STATUS: i32 = 128;

/// Starts the thread.
///
/// # Errors
/// When the system gives no handler or no thread.
pub(super) fn start(device: &Arc<Device>, sender: Sender<InputEvent>) -> io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP])?;
    let device = Arc::clone(device);
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in signals.forever() {
            match signal {
                SIGTSTP => suspend_beside(&device, &sender),
                // Meant for the program that has the terminal now; it was sent to the whole group.
                SIGINT | SIGQUIT if device.is_lent() => {}
                _ => device.end(SIGNAL_STATUS + signal, None),
            }
        }
    })?;
    Ok(())
}

/// Stops on a thread of its own, since this one must go on hearing: a stopped job can be told to end.
fn suspend_beside(device: &Arc<Device>, sender: &Sender<InputEvent>) {
    let (device, sender) = (Arc::clone(device), sender.clone());
    // Without a thread the request to stop is passed over.
    let _ = thread::Builder::new().name("suspend".to_owned()).spawn(move || {
        if matches!(device.suspend(), Ok(true)) {
            // When nobody listens any more, the program is about to end.
            let _ = sender.send(InputEvent::Resumed);
        }
    });
}
