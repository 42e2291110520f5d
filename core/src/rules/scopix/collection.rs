//! File collections and the registry of data types (S14, S15).

use super::shape::string;
use crate::json::{Key, Value};

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

/// S5: the data type of an output whose contract does not give it.
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

/// S14, S15: whether a path of a slot's value holds the id of a file: `ids[n]`, `refs[n].id`, and of categories
/// `categories[n].file_ids[n]` and `.document_ids[n]`.
#[must_use]
pub fn is_file_path(data_type: &str, path: &[Key]) -> bool {
    let name = |at: usize| match path.get(at) {
        Some(Key::Name(name)) => name.as_ref(),
        _ => "",
    };
    match (data_type, path.len()) {
        (FILE_IDS, 2) => name(0) == "ids",
        (FILE_IDS, 3) => name(0) == "refs" && name(2) == "id",
        (CATEGORIZATION, 4) => name(0) == "categories" && matches!(name(2), "file_ids" | "document_ids"),
        _ => false,
    }
}
