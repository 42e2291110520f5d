//! File collections and the registry of data types (S14, S15).

use super::shape::string;
use crate::json::Value;

/// S14: the data types there are.
pub(super) const DATA_TYPES: [&str; 6] =
    [FILE_IDS, CATEGORIZATION, "FOLDER_RESULT", "ANALYSIS_RESULT", "TEXT", "CROSS_REF"];

/// A list of files.
pub(super) const FILE_IDS: &str = "FILE_IDS";
/// Files sorted into categories.
pub(super) const CATEGORIZATION: &str = "CATEGORIZATION";

/// S14: whether values of a type merge.
pub(super) fn merges(data_type: &str) -> bool {
    matches!(data_type, FILE_IDS | CATEGORIZATION)
}

/// The strings of an array that has nothing else.
pub(super) fn strings<'v>(value: &'v Value<'_>) -> Option<Vec<&'v str>> {
    value.as_array()?.iter().map(Value::as_str).collect()
}

/// S14: the ids of `refs`, an array of objects with a string `id`.
pub(super) fn ref_ids<'v>(value: &'v Value<'_>) -> Option<Vec<&'v str>> {
    value.as_array()?.iter().map(|item| string(item, "id")).collect()
}

/// S15: the ids of a collection where nothing is merged: `ids` if there are any, else those of `refs`.
pub(super) fn ids<'v>(value: &'v Value<'_>) -> Option<Vec<&'v str>> {
    match value.get("ids") {
        Some(ids) => strings(ids),
        None => ref_ids(value.get("refs")?),
    }
}

/// S5: the data type of an output whose contract does not tell it.
pub(super) fn guess(value: &Value<'_>) -> &'static str {
    if value.get("ids").is_some() || value.get("refs").is_some() {
        FILE_IDS
    } else if value.get("categories").is_some() {
        CATEGORIZATION
    } else if value.as_str().is_some() {
        "TEXT"
    } else {
        "ANALYSIS_RESULT"
    }
}
