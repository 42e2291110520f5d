//! In place of the engine, in a build without queries.

use crate::model::Problem;
use std::collections::BTreeMap;

pub(super) fn register(_maps: &BTreeMap<String, String>) -> Result<(), Problem> {
    Ok(())
}

pub(super) fn checked(name: &str, _expression: &str) -> Result<(), Problem> {
    Err(Problem::usage(format!("the mapping of {name} needs the feature `query`, which this build has not")))
}
