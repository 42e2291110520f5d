//! Quiet on the keyboard: keeps the thread that reads it from reading while the terminal is not ours.
//!
//! Otherwise it would steal keys from an editor, or stop a program in the background by its attempt to read.

use crate::platform::wake_input;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long [`Pause::begin`] waits for the thread to be quiet. It answers at once, unless nobody takes its events.
const PAUSE_WAIT: Duration = Duration::from_millis(500);

/// The agreement between the caller that asks for quiet and the thread that reads.
#[derive(Debug, Default)]
pub(super) struct Pause {
    state: Mutex<InputState>,
    changed: Condvar,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum InputState {
    #[default]
    Reading,
    Asked,
    Paused,
}

impl Pause {
    /// Asks for quiet and waits until the thread reads no more. Returns false if it does not answer in time.
    pub(super) fn begin(&self) -> bool {
        let mut state = self.lock();
        *state = InputState::Asked;
        wake_input();
        let waited = self.changed.wait_timeout_while(state, PAUSE_WAIT, |state| *state == InputState::Asked);
        state = waited.unwrap_or_else(PoisonError::into_inner).0;
        let is_quiet = *state == InputState::Paused;
        if !is_quiet {
            *state = InputState::Reading;
        }
        is_quiet
    }

    /// Lets the thread read again.
    pub(super) fn end(&self) {
        *self.lock() = InputState::Reading;
        self.changed.notify_all();
    }

    /// The thread's side: if quiet is asked for, says so and waits for its end.
    pub(super) fn obey(&self) {
        let mut state = self.lock();
        if *state != InputState::Asked {
            return;
        }
        *state = InputState::Paused;
        self.changed.notify_all();
        drop(self.changed.wait_while(state, |state| *state == InputState::Paused));
    }

    fn lock(&self) -> MutexGuard<'_, InputState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::thread;

    #[test]
    fn a_pause_waits_until_the_thread_is_quiet() {
        let pause = Arc::new(Pause::default());
        let reader = {
            let pause = Arc::clone(&pause);
            thread::spawn(move || {
                while *pause.lock() == InputState::Reading {
                    thread::yield_now();
                }
                pause.obey();
            })
        };
        assert!(pause.begin());
        assert_eq!(*pause.lock(), InputState::Paused);
        pause.end();
        reader.join().unwrap();
    }
}
