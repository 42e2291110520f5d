//! D11, D12: what was available to the agent, and the details of a trajectory.

use super::report::{Report, below};
use crate::json::{Data, Value};
use crate::rules::trajectory::{Class, TrajectoryStep, Version, is_language};
use std::collections::HashSet;

/// D11: calls of what was not available, and languages that were and are not used.
pub(super) fn check_available(root: &Value<'_>, entries: &[TrajectoryStep<'_>], report: &mut Report) {
    let listed = |key: &str| -> Option<HashSet<&str>> {
        root.get(key)?.as_array().map(|names| names.iter().filter_map(Value::as_str).collect())
    };
    if let Some(apis) = listed("available_apis") {
        check_calls(entries, Class::ApiAction, "function", &apis, report);
    }
    if let Some(languages) = listed("available_code_languages") {
        check_calls(entries, Class::CodeAction, "language", &languages, report);
        check_languages(root, entries, report);
    }
}

/// D11: calls whose name is not in the list.
fn check_calls(
    entries: &[TrajectoryStep<'_>],
    class: Class,
    field: &'static str,
    available: &HashSet<&str>,
    report: &mut Report,
) {
    for (step, entry) in entries.iter().enumerate() {
        let name = entry.known_item().filter(|(_, c)| *c == class).and_then(|(item, _)| item.text(field));
        if let Some(name) = name.filter(|name| !available.contains(name)) {
            let message = format!("{name:?} is not among those that the record calls available");
            report.error(Some(step), format!("/content/{step}/{field}"), "adp.available", message);
        }
    }
}

/// D11: entries of `available_code_languages` that are no language or that no code uses.
fn check_languages(root: &Value<'_>, entries: &[TrajectoryStep<'_>], report: &mut Report) {
    let code = entries.iter().filter_map(TrajectoryStep::known_item).filter(|(_, class)| *class == Class::CodeAction);
    let used: HashSet<&str> = code.filter_map(|(item, _)| item.text("language")).collect();
    let names = root.get("available_code_languages").and_then(Value::as_array).unwrap_or_default();
    for (i, name) in names.iter().enumerate() {
        let message = match name.as_str() {
            Some(name) if !is_language(name) => format!("{name:?} is not a language of the format"),
            Some(name) if !used.contains(name) => format!("no code of this trajectory is in {name:?}"),
            _ => continue,
        };
        report.error(None, format!("/available_code_languages/{i}"), "adp.available", message);
    }
}

/// D12: details of a wrong type, numbers as text, and what belongs elsewhere.
pub(super) fn check_details(root: &Value<'_>, version: Version, report: &mut Report) {
    let Some(details) = root.get("details").and_then(Value::as_object) else { return };
    for (key, value) in details.entries() {
        let path = || below("/details", key);
        let is_text = matches!(value.data, Data::String(_));
        if version.minor.is_none() && !is_text {
            report.warning(None, path(), "adp.details-type", "before versions, details are strings");
        }
        if version.minor.is_some() && is_text && holds_number(key) {
            let message = "by its name this is a number, but it is a string";
            report.warning(None, path(), "adp.numeric-detail", message);
        }
        if matches!(key, "available_apis" | "system_prompt") {
            report.warning(None, path(), "adp.details-misplaced", "this does not belong into the details");
        }
    }
}

/// D12: whether a key is the name of a number.
fn holds_number(key: &str) -> bool {
    let key = key.to_lowercase();
    let endings = [
        "_correct",
        "_count",
        "_index",
        "_number",
        "_percentage",
        "_percent",
        "_rate",
        "_reward",
        "_score",
        "_success",
    ];
    matches!(key.as_str(), "reward" | "score" | "step")
        || key.starts_with("pred_passes_")
        || endings.iter().any(|end| key.ends_with(end))
}
