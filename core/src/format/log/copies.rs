//! Records that a log has twice (`FORMATS.md` 0.1.5).

use crate::model::{DigestTable, cast};
use twox_hash::XxHash3_128;

/// The newest text of each id, both as digests: of a text 31 bits are enough, since its id is equal too.
#[derive(Debug, Default)]
pub(in crate::format) struct Copies {
    newest: DigestTable,
}

impl Copies {
    /// Whether the newest record of this id had this text; the record is the newest from now on. Ids are not always
    /// unique, so a copy is equal in its text too.
    pub(in crate::format) fn has(&mut self, id: &str, text: &str) -> bool {
        let text = cast::low_u32(digest(text)) >> 1;
        self.newest.insert(digest(id), text) == Some(text)
    }

    /// Whether there was a record of this id.
    pub(in crate::format) fn knows(&self, id: &str) -> bool {
        self.newest.get(digest(id)).is_some()
    }
}

fn digest(text: &str) -> u64 {
    cast::low_u64(XxHash3_128::oneshot(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_has_the_id_and_the_text() {
        let mut copies = Copies::default();
        let seen = [("a", "x"), ("b", "x"), ("a", "x"), ("a", "y"), ("a", "x")].map(|(id, text)| copies.has(id, text));
        assert_eq!(seen, [false, false, true, false, false]);
    }
}
