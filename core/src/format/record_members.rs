//! Members of the records of a log that describe the run.

/// Members of a record by their names. Conversions count members that are in neither list as lost.
#[derive(Debug, Clone, Copy)]
pub struct RecordMembers {
    /// Members that a conversion carries over.
    pub carried: &'static [&'static str],
    /// Members that make the run itself, or repeat it.
    pub of_run: &'static [&'static str],
}
