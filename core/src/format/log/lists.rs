//! Several lists of messages or steps in a file, each a trajectory.

use super::Log;

/// How many lists there were.
#[derive(Debug, Default)]
pub(in crate::format) struct Lists(usize);

impl Lists {
    /// The steps from the next one on are of one more list: of this name, else of its number, from 1.
    pub(in crate::format) fn begin(&mut self, name: Option<&str>, log: &mut Log<'_>) {
        log.trajectory(self.0);
        self.0 += 1;
        log.begin_trajectory(&name.map_or_else(|| self.0.to_string(), str::to_owned));
    }
}
