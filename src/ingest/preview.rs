//! What a file is and how it begins, without reading it whole.

use super::{Detected, detect, load};
use crate::format::{Layout, Run};
use crate::model::Problem;
use crate::source::Input;
use std::sync::Arc;

/// Bytes of a long file that are looked at.
const HEAD_BYTES: usize = 128 << 10;

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

/// Looks at the beginning of a file; at all of it if it has no more than `whole_max` bytes.
///
/// # Errors
/// It cannot be read, or there is no such format.
pub fn glance(input: Arc<Input>, forced: Option<&str>, whole_max: u64) -> Result<Preview, Problem> {
    let is_whole = input.len() <= whole_max;
    let loaded = if is_whole {
        load(input, forced)?
    } else {
        let detected = detect(&input, forced)?;
        let mut head = vec![0; HEAD_BYTES];
        let got = input.read_at(0, &mut head)?;
        // A line that is cut would look broken.
        let end = head[..got].iter().rposition(|&byte| byte == b'\n').map_or(got, |at| at + 1);
        head.truncate(end);
        load(Input::memory(input.name(), head), Some(detected.format.name()))?
    };
    let trajectories = match loaded.detected.format.layout() {
        _ if !is_whole => None,
        Layout::Run => Some(1),
        Layout::Set => Some(loaded.records()?.len()),
    };
    let run = if loaded.records()?.is_empty() { None } else { Some(loaded.run(0)?) };
    Ok(Preview { detected: loaded.detected, run, input: loaded.input, trajectories })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_file_is_looked_at_in_part() {
        let line = "{\"type\":\"text\",\"role\":\"user\",\"text\":\"hello\"}\n";
        let glance = |times: usize| super::glance(Input::memory("x", line.repeat(times)), None, 1_000).unwrap();
        let (short, long) = (glance(3), glance(100_000));
        assert_eq!(short.detected.format.name(), long.detected.format.name());
        assert_eq!((short.trajectories, long.trajectories), (Some(1), None));
        assert_eq!(short.run.unwrap().step_count(), 3);
        assert!(long.input.len() <= HEAD_BYTES as u64 && long.run.unwrap().step_count() > 1_000);
        assert!(super::glance(Input::memory("x", ""), None, 1_000).unwrap().run.is_none());
    }
}
