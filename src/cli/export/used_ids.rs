//! Ids that no two converted trajectories of an export share.

use crate::rules::trajectory::task_key;
use std::collections::HashSet;

/// The ids so far, by eight bytes each: two that are equal by chance only make a longer one.
#[derive(Debug, Default)]
pub(super) struct UsedIds(HashSet<u64>);

impl UsedIds {
    /// The id, or the first of `ID-attempt-2`, `ID-attempt-3` … that is free. It is used then.
    pub(super) fn take(&mut self, id: &str) -> String {
        if self.0.insert(task_key(id)) {
            return id.to_owned();
        }
        let numbered = (2_u64..).map(|number| format!("{id}-attempt-{number}"));
        let mut free = numbered.filter(|id| self.0.insert(task_key(id)));
        free.next().unwrap_or_else(|| id.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_is_used_gets_the_number_of_its_attempt() {
        let mut ids = UsedIds::default();
        let taken = ["a", "a-attempt-2", "a", "b", "a"].map(|id| ids.take(id));
        assert_eq!(taken, ["a", "a-attempt-2", "a-attempt-3", "b", "a-attempt-4"]);
    }
}
