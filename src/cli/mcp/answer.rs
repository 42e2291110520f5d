//! What a command prints, as far as a client takes it: some lines from one on, and not too many bytes.

use std::io::{self, ErrorKind, Write};

/// Most bytes of an answer: about 16,000 tokens.
pub(super) const BYTES_MAX: usize = 64 << 10;
/// Lines of an answer where no limit is named, and most that may be named.
pub(super) const LINES: usize = 200;
pub(super) const LINES_MAX: usize = 2_000;

/// The part of an answer that is kept.
#[derive(Debug)]
pub(super) struct AnswerWindow {
    text: Vec<u8>,
    offset: usize,
    /// The line after the last one that is wanted.
    end: usize,
    /// Lines that ended.
    line: usize,
    /// Whether lines or bytes were left out after what is kept.
    has_more: bool,
}

impl AnswerWindow {
    /// At most `limit` lines from `offset` on.
    pub(super) fn lines(offset: usize, limit: usize) -> Self {
        Self { text: Vec::new(), offset, end: offset.saturating_add(limit), line: 0, has_more: false }
    }

    /// The text, and what is to be said of it.
    pub(super) fn end(self) -> (String, Option<String>) {
        let line_bytes = self.line.min(self.end).saturating_sub(self.offset);
        let mut text = String::from_utf8_lossy(&self.text).into_owned();
        while text.ends_with(['\n', '\u{fffd}']) {
            text.pop();
        }
        let note = match (self.has_more, line_bytes) {
            (false, _) if self.offset > 0 && text.is_empty() => {
                Some(format!("There is no line {}: the answer has {} lines.", self.offset, self.line))
            }
            (false, _) => None,
            (true, 0) => Some(format!(
                "The answer is cut after {BYTES_MAX} bytes. Ask for less: a path, a step, a record, or an offset."
            )),
            (true, fitting) => {
                let next = self.offset + fitting;
                Some(format!("Lines {} to {} of the answer. More follow: offset {next}.", self.offset, next - 1))
            }
        };
        (text, note)
    }

    fn is_in(&self) -> bool {
        self.line >= self.offset
    }
}

impl Write for AnswerWindow {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.has_more {
            // What is asked of a command ends here; it takes this as a reader that has read enough.
            return Err(ErrorKind::BrokenPipe.into());
        }
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.line >= self.end {
                self.has_more = true;
                break;
            }
            if self.is_in() {
                let room = BYTES_MAX - self.text.len();
                if part.len() > room {
                    // Whole lines, where there are some.
                    let end = self.text.iter().rposition(|byte| *byte == b'\n').map(|at| at + 1);
                    match end {
                        Some(end) => self.text.truncate(end),
                        None => self.text.extend_from_slice(&part[..room]),
                    }
                    self.has_more = true;
                    break;
                }
                self.text.extend_from_slice(part);
            }
            self.line += usize::from(part.ends_with(b"\n"));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window_of(offset: usize, limit: usize, text: &str) -> (String, Option<String>) {
        let mut window = AnswerWindow::lines(offset, limit);
        let _full = text.as_bytes().chunks(3).try_for_each(|part| window.write_all(part));
        window.end()
    }

    #[test]
    fn lines_are_kept_from_one_on() {
        let text = "a\nbb\nccc\ndddd\n";
        assert_eq!(window_of(0, 10, text), ("a\nbb\nccc\ndddd".to_owned(), None));
        let (first, note) = window_of(1, 2, text);
        assert_eq!(first, "bb\nccc");
        assert!(note.unwrap().ends_with("Lines 1 to 2 of the answer. More follow: offset 3."));
        assert_eq!(window_of(3, 2, text), ("dddd".to_owned(), None));
        assert!(window_of(9, 2, text).1.unwrap().contains("no line 9"));
        assert_eq!(window_of(0, 4, "a\nb").0, "a\nb");
    }

    #[test]
    fn bytes_are_bounded() {
        let (text, note) = window_of(0, 10, &"é".repeat(BYTES_MAX));
        assert!(text.len() <= BYTES_MAX && text.ends_with('é'), "{}", text.len());
        assert!(note.unwrap().contains("cut after"));
        let (text, note) = window_of(0, LINES_MAX, &format!("{}\n", "x".repeat(1000)).repeat(100));
        assert_eq!(text.lines().count(), 65);
        assert!(note.unwrap().contains("offset 65"));
    }
}
