//! W7, W8: what Claude Code's structured results tell of files.

use super::shown::Shown;
use crate::json::{self, Value};
use std::borrow::Cow;

/// W7: Claude Code's `file` of a structured result: text, first line, number of lines.
pub(super) fn detail_file(details: &str) -> Option<(Cow<'static, str>, u32, Option<u32>)> {
    let value = json::parse(details).ok()?;
    let file = value.get("file")?;
    let number = |key| file.get(key).and_then(Value::as_number).and_then(|n| n.parse::<u32>().ok());
    let text = file.get("content")?.as_str()?.replace("\r\n", "\n");
    Some((Cow::Owned(text), number("startLine").unwrap_or(1).max(1), number("totalLines")))
}

/// W8: Claude Code's `structuredPatch`, as lines that are shown.
pub(super) fn detail_patch(details: &str) -> Option<Shown<'static>> {
    let value = json::parse(details).ok()?;
    let mut lines: Vec<(u32, Cow<'static, str>)> = Vec::new();
    for hunk in value.get("structuredPatch")?.as_array()? {
        let mut number: u32 = hunk.get("newStart")?.as_number()?.parse().ok()?;
        for line in hunk.get("lines")?.as_array()?.iter().filter_map(Value::as_str) {
            if let Some(text) = line.strip_prefix([' ', '+']) {
                if lines.last().is_none_or(|(last, _)| *last < number) {
                    lines.push((number, Cow::Owned(text.to_owned())));
                }
                number = number.checked_add(1)?;
            }
        }
    }
    (!lines.is_empty()).then(|| Shown { lines, ..Shown::default() })
}
