//! What a record of a log says of its run beside it.

/// Members of a record by their names; conversions count those that are neither.
#[derive(Debug, Clone, Copy)]
pub struct RecordMembers {
    /// What is said of the run.
    pub carried: &'static [&'static str],
    /// What the run is, and what repeats it.
    pub of_run: &'static [&'static str],
}
