//! Folders of a list that could not be read: one line below the files, so that a list without them is not taken for
//! all that is there.

use super::FilesPane;
use crate::panes::{Piece, Row};
use crate::text::{Role, counted};

impl FilesPane {
    /// Lines below the files that say which folders could not be read: one, if there are any.
    pub(super) fn unread_height(&self) -> usize {
        usize::from(!self.troubles.is_empty())
    }

    /// How many folders could not be read, and why the first could not.
    pub(super) fn unread(&self) -> Option<Row> {
        let first = self.troubles.first()?;
        let text = match self.troubles.len() {
            1 => format!(" ! not read: {first}"),
            count => format!(" ! {} not read, the first: {first}", counted(count, "folder")),
        };
        Some(Row::new(vec![Piece::of(Role::Warning, &text)]))
    }
}
