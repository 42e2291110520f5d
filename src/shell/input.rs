//! The thread that reads the keyboard and the mouse, and turns what comes into plain data.
//!
//! It is the only one that polls and reads: a second reader would steal bytes. It also notices a terminal that hung up
//! without a signal. Knows nothing of what keys mean.

use super::late_answer::LateAnswer;
use super::tty::Device;
use crate::app::key::{KeyCode, KeyPress, Mouse, MouseKind};
use crate::platform::{HANGUP_STATUS, INPUT_WAIT};
use crossbeam_channel::{SendTimeoutError, Sender};
use ratatui::crossterm::event::{self, Event, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind};
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// Most events that wait for the drawing thread.
pub(super) const EVENTS_MAX: usize = 256;
/// How long a burst is looked at for more. Not zero: crossterm would then not look at all.
const BURST_WAIT: Duration = Duration::from_micros(50);
/// How many failing reads in a row, each followed by [`FAILURE_WAIT`], mean that there is no terminal any more.
const FAILURES_MAX: u32 = 10;
/// The pause after a failing read.
const FAILURE_WAIT: Duration = Duration::from_millis(50);
/// Most bytes of a paste that are passed on.
const PASTE_BYTES_MAX: usize = 64 * 1024;

/// What came from the user or from the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputEvent {
    /// A key.
    Key(KeyPress),
    /// A mouse button or the wheel.
    Mouse(Mouse),
    /// Pasted text, cut at 64 KiB.
    Paste(String),
    /// The terminal has another size, in cells; the last of a burst.
    Resize {
        /// Columns.
        width: u16,
        /// Rows.
        height: u16,
    },
    /// The program was stopped and goes on: the screen has to be drawn again.
    Resumed,
}

/// Starts the thread.
///
/// # Errors
/// When the system gives no thread.
pub(super) fn start(device: &Arc<Device>, sender: Sender<InputEvent>) -> io::Result<()> {
    let mut reader = Reader { device: Arc::clone(device), sender, late: LateAnswer::default() };
    thread::Builder::new().name("input".to_owned()).spawn(move || reader.run())?;
    Ok(())
}

struct Reader {
    device: Arc<Device>,
    sender: Sender<InputEvent>,
    late: LateAnswer,
}

/// The other side has gone: the thread is done.
struct Closed;

impl Reader {
    fn run(&mut self) {
        let mut failures = 0;
        loop {
            self.device.pause.obey();
            let step = match event::poll(INPUT_WAIT) {
                Ok(true) => self.drain(),
                Ok(false) => Ok(Ok(())),
                Err(error) => Err(error),
            };
            match step {
                Ok(Ok(())) => failures = 0,
                Ok(Err(Closed)) => return,
                Err(_) => {
                    failures += 1;
                    #[expect(
                        clippy::disallowed_methods,
                        reason = "the thread has nothing else to do, and gives up after a few"
                    )]
                    thread::sleep(FAILURE_WAIT);
                }
            }
            if failures == FAILURES_MAX || self.device.is_gone() {
                self.device.end(HANGUP_STATUS, None);
            }
        }
    }

    /// Reads all that is there, so that a burst of sizes or drags becomes its last one.
    fn drain(&mut self) -> io::Result<Result<(), Closed>> {
        let mut pending: Option<InputEvent> = None;
        while event::poll(BURST_WAIT)? {
            let Some(next) = translate(event::read()?) else { continue };
            if matches!(&next, InputEvent::Key(press) if self.late.takes(press)) {
                continue;
            }
            if let Some(before) = pending.replace(next) {
                let is_replaced = pending.as_ref().is_some_and(|next| replaces(next, &before));
                if !is_replaced && self.send(before).is_err() {
                    return Ok(Err(Closed));
                }
            }
        }
        Ok(pending.map_or(Ok(()), |last| self.send(last)))
    }

    /// Waits for room; a terminal that goes away meanwhile ends the program.
    fn send(&self, mut event: InputEvent) -> Result<(), Closed> {
        loop {
            match self.sender.send_timeout(event, INPUT_WAIT) {
                Ok(()) => return Ok(()),
                Err(SendTimeoutError::Disconnected(_)) => return Err(Closed),
                Err(SendTimeoutError::Timeout(back)) => event = back,
            }
            if self.device.is_gone() {
                self.device.end(HANGUP_STATUS, None);
            }
        }
    }
}

/// Whether `next` makes `before` pointless.
fn replaces(next: &InputEvent, before: &InputEvent) -> bool {
    let is_drag = |event: &InputEvent| matches!(event, InputEvent::Mouse(Mouse { kind: MouseKind::Drag, .. }));
    let is_size = |event: &InputEvent| matches!(event, InputEvent::Resize { .. });
    (is_drag(next) && is_drag(before)) || (is_size(next) && is_size(before))
}

fn translate(event: Event) -> Option<InputEvent> {
    match event {
        Event::Key(key) => press_of(key).map(InputEvent::Key),
        Event::Mouse(mouse) => {
            let kind = match mouse.kind {
                MouseEventKind::Down(MouseButton::Left) => MouseKind::Click,
                MouseEventKind::Drag(MouseButton::Left) => MouseKind::Drag,
                MouseEventKind::Up(MouseButton::Left) => MouseKind::Release,
                MouseEventKind::ScrollUp => MouseKind::WheelUp,
                MouseEventKind::ScrollDown => MouseKind::WheelDown,
                _ => return None,
            };
            Some(InputEvent::Mouse(Mouse { kind, column: mouse.column, row: mouse.row }))
        }
        Event::Paste(mut text) => {
            text.truncate(floor_char_boundary(&text, PASTE_BYTES_MAX));
            Some(InputEvent::Paste(text))
        }
        Event::Resize(width, height) => Some(InputEvent::Resize { width, height }),
        Event::FocusGained | Event::FocusLost => None,
    }
}

fn press_of(key: KeyEvent) -> Option<KeyPress> {
    // Releases come from Windows and from terminals with the newer keyboard protocol.
    if !matches!(key.kind, KeyEventKind::Press | KeyEventKind::Repeat) {
        return None;
    }
    let known = KeyModifiers::SHIFT | KeyModifiers::CONTROL | KeyModifiers::ALT;
    if !known.contains(key.modifiers) {
        return None;
    }
    let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    let alt = key.modifiers.contains(KeyModifiers::ALT);
    Some(KeyPress { code: code_of(key)?, ctrl, alt })
}

fn code_of(key: KeyEvent) -> Option<KeyCode> {
    Some(match key.code {
        event::KeyCode::Char(c) => KeyCode::Char(c),
        event::KeyCode::Enter => KeyCode::Enter,
        event::KeyCode::Tab if key.modifiers.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
        event::KeyCode::Tab => KeyCode::Tab,
        event::KeyCode::BackTab => KeyCode::BackTab,
        event::KeyCode::Esc => KeyCode::Esc,
        event::KeyCode::Up => KeyCode::Up,
        event::KeyCode::Down => KeyCode::Down,
        event::KeyCode::Left => KeyCode::Left,
        event::KeyCode::Right => KeyCode::Right,
        event::KeyCode::Home => KeyCode::Home,
        event::KeyCode::End => KeyCode::End,
        event::KeyCode::PageUp => KeyCode::PageUp,
        event::KeyCode::PageDown => KeyCode::PageDown,
        event::KeyCode::Backspace => KeyCode::Backspace,
        event::KeyCode::Delete => KeyCode::Delete,
        event::KeyCode::F(number) => KeyCode::F(number),
        _ => return None,
    })
}

fn floor_char_boundary(text: &str, bytes_max: usize) -> usize {
    (0..=bytes_max.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::crossterm::event::{KeyEventState, MouseEvent};

    fn check(code: event::KeyCode, modifiers: KeyModifiers, name: &str) {
        let key = KeyEvent::new(code, modifiers);
        let expected = name.parse().ok().map(InputEvent::Key);
        assert_eq!(translate(Event::Key(key)), expected, "{name}");
    }

    #[test]
    fn keys_get_their_names() {
        check(event::KeyCode::Char('j'), KeyModifiers::NONE, "j");
        check(event::KeyCode::Char('G'), KeyModifiers::SHIFT, "G");
        check(event::KeyCode::Char('d'), KeyModifiers::CONTROL, "C-d");
        check(event::KeyCode::Char('x'), KeyModifiers::ALT, "M-x");
        check(event::KeyCode::BackTab, KeyModifiers::SHIFT, "BackTab");
        check(event::KeyCode::Tab, KeyModifiers::SHIFT, "BackTab");
        check(event::KeyCode::PageDown, KeyModifiers::NONE, "PageDown");
        check(event::KeyCode::F(5), KeyModifiers::NONE, "F5");
    }

    #[test]
    fn releases_and_foreign_keys_are_passed_over() {
        let mut key = KeyEvent::new(event::KeyCode::Char('j'), KeyModifiers::NONE);
        key.kind = KeyEventKind::Release;
        assert_eq!(translate(Event::Key(key)), None);
        key = KeyEvent::new_with_kind_and_state(
            event::KeyCode::Char('j'),
            KeyModifiers::SUPER,
            KeyEventKind::Press,
            KeyEventState::NONE,
        );
        assert_eq!(translate(Event::Key(key)), None);
        assert_eq!(translate(Event::Key(KeyEvent::new(event::KeyCode::CapsLock, KeyModifiers::NONE))), None);
    }

    #[test]
    fn only_the_left_button_and_the_wheel_count() {
        let mouse =
            |kind| translate(Event::Mouse(MouseEvent { kind, column: 3, row: 4, modifiers: KeyModifiers::NONE }));
        let wheel = Mouse { kind: MouseKind::WheelDown, column: 3, row: 4 };
        assert_eq!(mouse(MouseEventKind::ScrollDown), Some(InputEvent::Mouse(wheel)));
        assert_eq!(mouse(MouseEventKind::Down(MouseButton::Right)), None);
        assert_eq!(mouse(MouseEventKind::Moved), None);
    }

    #[test]
    fn a_burst_of_sizes_or_drags_is_its_last() {
        let size = |width| InputEvent::Resize { width, height: 1 };
        let mouse = |kind, column| InputEvent::Mouse(Mouse { kind, column, row: 0 });
        assert!(replaces(&size(2), &size(1)));
        assert!(replaces(&mouse(MouseKind::Drag, 2), &mouse(MouseKind::Drag, 1)));
        assert!(!replaces(&mouse(MouseKind::Drag, 2), &mouse(MouseKind::Click, 1)));
        assert!(!replaces(&mouse(MouseKind::WheelUp, 1), &mouse(MouseKind::WheelUp, 1)));
        assert!(!replaces(&size(2), &mouse(MouseKind::Drag, 1)));
    }

    #[test]
    fn a_long_paste_is_cut_between_characters() {
        let text = "é".repeat(PASTE_BYTES_MAX);
        let Some(InputEvent::Paste(cut)) = translate(Event::Paste(format!("x{text}"))) else { panic!("no paste") };
        assert_eq!(cut.len(), PASTE_BYTES_MAX - 1);
    }
}
