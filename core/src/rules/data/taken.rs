//! What was found in a record of a dataset.

use crate::model::LocatedFinding;

/// What was found in a record.
#[derive(Debug, Default)]
pub struct Taken {
    /// In order.
    pub new: Vec<LocatedFinding>,
    /// In texts in which the same was found before: a prompt that all samples share holds one address for a reader, and
    /// one in each sample for who leaves samples out.
    pub again: Vec<LocatedFinding>,
}

impl Taken {
    /// All of it.
    pub fn all(self) -> impl Iterator<Item = LocatedFinding> {
        self.new.into_iter().chain(self.again)
    }
}
