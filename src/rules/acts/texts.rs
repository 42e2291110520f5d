//! Texts that many findings share, each kept once: a log can have as many findings as steps.

use std::collections::HashSet;
use std::sync::Arc;

/// Texts seen so far.
#[derive(Debug, Default)]
pub(super) struct Texts(HashSet<Arc<str>>);

impl Texts {
    /// The text as it is shared.
    pub(super) fn share(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.0.get(text) {
            return Arc::clone(known);
        }
        let new: Arc<str> = text.into();
        self.0.insert(Arc::clone(&new));
        new
    }
}
