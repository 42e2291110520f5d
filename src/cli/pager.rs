//! A pager for answers that are longer than the screen, run as git runs it.

use crate::platform::{ignore_interrupt, shell_command};
use std::env;
use std::io::{self, Stdout, Write};
use std::process::{Child, ChildStdin, Command, Stdio};

/// The pager where none is named.
const PAGER: &str = "less";
/// Options of `less` and `lv` where the user sets none: to end on one screen, to let colours through.
const DEFAULTS: [(&str, &str); 2] = [("LESS", "FRX"), ("LV", "-c")];

/// Standard output that turns to a pager when more is written than the screen holds.
pub(super) struct Paged {
    stdout: Stdout,
    /// Width and height of the screen.
    size: (usize, usize),
    to: To,
}

enum To {
    /// What was written so far fits on the screen.
    Screen { buffered: Vec<u8>, lines: usize },
    /// It did not.
    Pager(Child, ChildStdin),
    /// There is no pager, or it could not be started.
    Straight,
}

impl Paged {
    /// On a terminal of that width and height.
    pub(super) fn new(stdout: Stdout, (width, height): (u16, u16)) -> Self {
        let size = (usize::from(width.max(1)), usize::from(height));
        Self { stdout, size, to: To::Screen { buffered: Vec::new(), lines: 0 } }
    }

    /// Goes on in a pager, or straight where there is none.
    fn turn(&mut self, buffered: &[u8]) -> io::Result<()> {
        self.stdout.flush()?;
        let Some((child, mut stdin)) = start(env::var("PAGER").ok().as_deref()) else {
            self.to = To::Straight;
            return self.stdout.write_all(buffered);
        };
        let written = stdin.write_all(buffered);
        self.to = To::Pager(child, stdin);
        written
    }
}

/// Starts a pager; None where nobody wants one, or it is not there.
fn start(named: Option<&str>) -> Option<(Child, ChildStdin)> {
    let mut command = match named.map(str::trim) {
        Some("" | "cat") => return None,
        Some(named) => shell_command(named),
        None => Command::new(PAGER),
    };
    for (name, value) in DEFAULTS.into_iter().filter(|(name, _)| env::var_os(name).is_none()) {
        command.env(name, value);
    }
    let mut child = command.stdin(Stdio::piped()).spawn().ok()?;
    let stdin = child.stdin.take()?;
    // The pager has the keyboard.
    ignore_interrupt();
    Some((child, stdin))
}

impl Write for Paged {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (width, height) = self.size;
        let screenful = match &mut self.to {
            To::Pager(_, stdin) => return stdin.write(bytes),
            To::Straight => return self.stdout.write(bytes),
            To::Screen { buffered: screenful, lines } => {
                screenful.extend_from_slice(bytes);
                *lines += lines_of(bytes, width);
                // The last line is the shell's.
                if *lines < height {
                    return Ok(bytes.len());
                }
                std::mem::take(screenful)
            }
        };
        self.turn(&screenful)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.to {
            To::Screen { .. } => Ok(()),
            To::Pager(_, stdin) => stdin.flush(),
            To::Straight => self.stdout.flush(),
        }
    }
}

impl Drop for Paged {
    /// Prints what fitted; waits until the pager was left.
    fn drop(&mut self) {
        match std::mem::replace(&mut self.to, To::Straight) {
            To::Screen { buffered: screenful, .. } => {
                // A terminal that is gone has nobody who reads.
                let _ = self.stdout.write_all(&screenful).and_then(|()| self.stdout.flush());
            }
            To::Pager(mut child, stdin) => {
                drop(stdin);
                let _ = child.wait();
            }
            To::Straight => drop(self.stdout.flush()),
        }
    }
}

/// Lines that bytes take on a screen of that width, at least.
fn lines_of(bytes: &[u8], width: usize) -> usize {
    let lines = memchr::memchr_iter(b'\n', bytes).count();
    // A long line without end takes several; bytes are more than cells, but seldom by much.
    lines + if lines == 0 { bytes.len() / (4 * width) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_pager_is_started_where_none_is_wanted() {
        for named in ["", " ", "cat"] {
            assert!(start(Some(named)).is_none());
        }
        let (mut child, mut stdin) = start(Some("cat > /dev/null")).unwrap();
        stdin.write_all(b"x").unwrap();
        drop(stdin);
        assert!(child.wait().unwrap().success());
    }

    #[test]
    fn lines_are_counted_as_they_fill_the_screen() {
        assert_eq!((lines_of(b"a\nb\n", 80), lines_of(b"a", 80), lines_of(&[b'a'; 640], 80)), (2, 0, 2));
    }
}
