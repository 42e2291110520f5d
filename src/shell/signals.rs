//! The thread that hears signals.
//!
//! It can end the process whatever the other threads do: crossterm may spin inside its poll when a terminal is gone
//! (crossterm-rs/crossterm#793), and the drawing thread may be stuck in a write to a terminal that does not read.

use super::input::InputEvent;
use super::tty::Device;
use crate::platform::{Signal, on_signal};
use crossbeam_channel::Sender;
use ratatui::crossterm::terminal::size;
use std::io;
use std::sync::Arc;
use std::thread;

/// Starts the thread.
///
/// # Errors
/// When the system gives no handler or no thread.
pub(super) fn start(device: &Arc<Device>, sender: Sender<InputEvent>) -> io::Result<()> {
    let device = Arc::clone(device);
    on_signal(move |signal| match signal {
        Signal::Stop => beside(&device, &sender, Device::suspend),
        Signal::Continue => beside(&device, &sender, Device::take_back),
        // The thread that reads keys reports it too, unless it waits for the rest of a paste or a sequence. Where there
        // is no room for it, the next frame sees the size.
        Signal::Size => {
            let _ = size().map(|(width, height)| sender.try_send(InputEvent::Resize { width, height }));
        }
        // Meant for the program that has the terminal now; it was sent to the whole group.
        Signal::Interrupt(_) if device.is_lent() => {}
        Signal::Interrupt(status) | Signal::End(status) => device.end(status, None),
    })
}

/// Stops, or goes on, on a thread of its own, since this one must go on hearing: a stopped job can be asked to end.
fn beside(device: &Arc<Device>, sender: &Sender<InputEvent>, work: fn(&Device) -> io::Result<bool>) {
    let (device, sender) = (Arc::clone(device), sender.clone());
    // Without a thread the request is passed over.
    let _ = thread::Builder::new().name("suspend".to_owned()).spawn(move || {
        if matches!(work(&device), Ok(true)) {
            // When nobody listens any more, the program is about to end.
            let _ = sender.send(InputEvent::Resumed);
        }
    });
}
