//! Lines that come to a file after another took its place (TAIL T6): the screen shows the new one, so they are
//! reported.

use crate::model::{Bytes, Span};
use crate::source::{Content, Input};
use crate::text::count_of;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time for which the file before is kept open.
const KEEP_OPEN: Duration = Duration::from_secs(30);

/// Most bytes that are read at a look.
const LOOK_BYTES: u64 = 1 << 20;

/// A file that another took the place of.
pub(super) struct RotatedFile {
    input: Arc<Input>,
    /// The byte after what was read of it, and lines that came since.
    end: u64,
    lines: usize,
    until: Instant,
}

impl RotatedFile {
    /// What was at the path, read up to a byte.
    pub(super) fn of(content: &Content, end: u64) -> Option<Self> {
        let input = Arc::clone(content.input()?);
        Some(Self { input, end, lines: 0, until: Instant::now() + KEEP_OPEN })
    }

    /// Whether nothing can be expected any more.
    pub(super) fn is_over(&self) -> bool {
        Instant::now() > self.until
    }

    /// Looks whether lines came; what is to be said of them.
    pub(super) fn look(&mut self) -> Option<String> {
        self.input.refresh().ok()?;
        let len = self.input.len().checked_sub(self.end).filter(|len| *len > 0)?;
        let new = Span { offset: self.end, len: len.min(LOOK_BYTES) };
        let lines = memchr::memchr_iter(b'\n', &self.input.read(new).ok()?).count();
        self.end = new.end();
        self.lines += lines;
        let (lines_label, name) = (|| count_of(self.lines, "line"), self.input.name());
        let describe =
            || format!("{} came to the file that {name} was before; it is not shown any more", lines_label());
        (lines > 0).then(describe)
    }
}
