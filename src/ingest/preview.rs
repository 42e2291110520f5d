//! What a file is and how it begins, without reading it whole.

use super::container::open_unmapped;
use super::detect::as_it_stands;
use super::{Detected, FALLBACK, detect, load};
use crate::format::{Layout, Run};
use crate::model::Problem;
use crate::source::Input;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Bytes of a long file that are looked at.
const HEAD_BYTES: usize = 128 << 10;

/// Bytes of its end that are looked at.
const END_BYTES: usize = 64 << 10;

/// The beginning of a file.
pub struct Preview {
    /// Its format.
    pub detected: Detected,
    /// Its first trajectory, as far as it was read.
    pub run: Option<Box<dyn Run>>,
    /// The bytes of that.
    pub input: Arc<Input>,
    /// Trajectories of the whole file; None if only its beginning was read.
    pub trajectories: Option<usize>,
}

/// How long text that is made of a container is waited for.
const MAKE_WAIT: Duration = Duration::from_secs(2);

/// Looks at the beginning of a file; at all of it if it has no more than `whole_max` bytes. Of what is unpacked or made
/// of a container no more is waited for.
///
/// # Errors
/// It cannot be read, or there is no such format.
pub fn read_preview(input: Arc<Input>, forced: Option<&str>, whole_max: u64) -> Result<Preview, Problem> {
    input.wait_at_most(whole_max.saturating_add(1), MAKE_WAIT);
    let is_readable = input.is_file() || !input.may_grow();
    let is_whole = is_readable && input.len() <= whole_max;
    let loaded = if is_whole {
        load(input, forced)?
    } else {
        let detected = detect(&input, forced)?;
        let (name, head) = (detected.format.name(), lines_at(&input, 0)?);
        load(Input::memory(input.name(), head), Some(name))?
    };
    let trajectories = match loaded.detected.format.layout() {
        _ if !is_whole => None,
        Layout::Run => Some(1),
        Layout::Set => Some(loaded.records()?.len()),
    };
    let run = if loaded.records()?.is_empty() { None } else { Some(loaded.run(0)?) };
    Ok(Preview { detected: loaded.detected, run, input: loaded.input, trajectories })
}

/// The end of a file of lines, read as of a format: its run has the last steps alone.
///
/// # Errors
/// It cannot be read.
pub fn read_end_preview(input: &Input, format: &str) -> Result<Preview, Problem> {
    let lines = lines_at(input, input.len().saturating_sub(END_BYTES as u64))?;
    read_preview(Input::memory(input.name(), lines), Some(format), u64::MAX)
}

/// Whole lines from about a byte on: one that is cut would look broken.
fn lines_at(input: &Input, offset: u64) -> Result<Vec<u8>, Problem> {
    let mut lines = vec![0; HEAD_BYTES];
    let got = input.read_at(offset, &mut lines)?;
    let end = lines[..got].iter().rposition(|&byte| byte == b'\n').map_or(got, |at| at + 1);
    lines.truncate(end);
    if offset > 0 {
        let begin = memchr::memchr(b'\n', &lines).map_or(lines.len(), |at| at + 1);
        lines.drain(..begin);
    }
    Ok(lines)
}

/// Whether a file is a log that a format knows, by its beginning; plain JSON is none.
#[must_use]
pub fn is_log(path: &Path) -> bool {
    // As it is: by the user's mapping anything would be a conversation.
    let detected = open_unmapped(path).and_then(|input| as_it_stands(&input, None));
    detected.is_ok_and(|detected| !detected.is_fallback && detected.format.name() != FALLBACK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_file_is_looked_at_in_part() {
        let line = "{\"type\":\"text\",\"role\":\"user\",\"text\":\"hello\"}\n";
        let preview_of =
            |times: usize| super::read_preview(Input::memory("x", line.repeat(times)), None, 1_000).unwrap();
        let (short, long) = (preview_of(3), preview_of(100_000));
        assert_eq!(short.detected.format.name(), long.detected.format.name());
        assert_eq!((short.trajectories, long.trajectories), (Some(1), None));
        assert_eq!(short.run.unwrap().step_count(), 3);
        assert!(long.input.len() <= HEAD_BYTES as u64 && long.run.unwrap().step_count() > 1_000);
        assert!(super::read_preview(Input::memory("x", ""), None, 1_000).unwrap().run.is_none());
    }
}
