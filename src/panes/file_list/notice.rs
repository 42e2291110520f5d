//! What the list says where it is empty.

use super::FilesPane;
use crate::panes::{KeyNames, Window};

/// What a folder of which nothing is listed has not.
const NO_LOGS: &str = "holds no file whose name ends in .jsonl, .ndjson or .json (also .gz, .zst), and no .parquet, \
                       .eval, .traj, .af, .db or .sqlite file that is a log, at any depth.";

impl FilesPane {
    /// Why the list is empty.
    pub(super) fn notice(&self, names: &KeyNames, cells: usize) -> Window {
        if !self.has_looked {
            return Window::notice(&["Looking for files…"], cells);
        }
        if !self.all.is_empty() {
            let way = "{cancel} clears it, {search} changes it.";
            if !self.has_sessions() {
                return names.notice(&["No name matches the filter.", way], cells);
            }
            let sought = "It looks at titles, else first words, at agents, folders and names of files, not at all that \
                          was said; in an open session {search} does.";
            return names.notice(&["No session fits the filter.", sought, way], cells);
        }
        if self.has_sessions() {
            let mut lines = vec!["No sessions yet in"];
            lines.extend(self.places.iter().map(String::as_str));
            lines.extend(self.troubles.iter().map(String::as_str));
            lines.push("What comes is listed within a second or two.");
            let ends = names.fill("`obelus FILE` opens a file, `obelus demo` a recorded run; {close} ends.");
            lines.push(&ends);
            return Window::notice(&lines, cells);
        }
        let message = format!("{} {NO_LOGS}", self.title);
        let mut lines = vec![
            "No files yet.",
            &message,
            "Names that begin with a dot are passed over, and what obelus wrote itself.",
        ];
        lines.extend(self.troubles.iter().map(String::as_str));
        let ends = names.fill("What comes is listed within a second or two; {close} ends.");
        lines.push(&ends);
        Window::notice(&lines, cells)
    }
}
