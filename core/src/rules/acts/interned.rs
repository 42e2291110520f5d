//! What many findings say alike, each kept once: a log can have as many findings as steps.

use super::finding::{Note, severity};
use crate::model::Remark;
use std::collections::HashSet;
use std::sync::Arc;

/// Texts and remarks seen so far.
#[derive(Debug, Default)]
pub(super) struct Texts {
    texts: HashSet<Arc<str>>,
    remarks: HashSet<Arc<Remark>>,
}

impl Texts {
    /// What a note says, as it is shared.
    pub(super) fn remark(&mut self, note: &Note) -> Arc<Remark> {
        let path = note.path.as_deref().map(|path| share(&mut self.texts, path));
        let message = share(&mut self.texts, &note.message);
        let remark = Remark { path, rule: note.rule, severity: severity(note.rule), message };
        if let Some(known) = self.remarks.get(&remark) {
            return Arc::clone(known);
        }
        let new = Arc::new(remark);
        self.remarks.insert(Arc::clone(&new));
        new
    }
}

/// The text as it is shared.
fn share(texts: &mut HashSet<Arc<str>>, text: &str) -> Arc<str> {
    if let Some(known) = texts.get(text) {
        return Arc::clone(known);
    }
    let new: Arc<str> = text.into();
    texts.insert(Arc::clone(&new));
    new
}
