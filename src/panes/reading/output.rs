//! What came back: a listing of a file with its numbers in the gutter, a difference, JSON as a tree, else as a terminal
//! shows it.

use super::builder::{Builder, TEXT_BYTES_MAX, without_cr};
use super::difference;
use super::line::{CODE_TABS, Lead, ReadingLine, TERMINAL_TABS, untabbed};
use crate::json;
use crate::panes::value::role_of;
use crate::rules::work::{listing, patch_text};
use crate::text::{Role, count_of};
use std::borrow::Cow;

/// What is known of a text before it is looked at.
#[derive(Debug, Clone, Default)]
pub(super) struct Expected {
    /// The end of the name of the file that was asked for; empty: none was.
    pub(super) language: String,
    /// Whether a file was asked for.
    pub(super) is_file: bool,
}

/// Puts a text by what it is.
pub(super) fn put(out: &mut Builder, text: &str, expected: &Expected) {
    let (clean, has_crlf) = without_cr(text);
    out.reading.has_crlf |= has_crlf;
    let is_known = clean.len() <= TEXT_BYTES_MAX
        && (put_json(out, &clean) || put_listing(out, &clean, expected) || put_difference(out, &clean));
    if !is_known {
        let shown = without_colours(&clean);
        out.reading.has_codes |= shown.len() < clean.len();
        out.plain(Role::Text, &shown, TERMINAL_TABS);
    }
}

/// What begins a control sequence (ECMA-48 5.4).
const SEQUENCE: &str = "\u{1b}[";

/// A text without control sequences, which are for colours and the cursor and have no words in them. Other codes may
/// hold words, and are shown as signs.
fn without_colours(text: &str) -> Cow<'_, str> {
    let Some((before, rest)) = text.split_once(SEQUENCE) else { return Cow::Borrowed(text) };
    let mut out = before.to_owned();
    for part in rest.split(SEQUENCE) {
        let inside = part.find(|c: char| !(' '..='?').contains(&c)).unwrap_or(part.len());
        let is_whole = part[inside..].starts_with(|c: char| ('@'..='~').contains(&c));
        match part.get(inside + 1..).filter(|_| is_whole) {
            Some(behind) => out.push_str(behind),
            None => out.extend([SEQUENCE, part]),
        }
    }
    Cow::Owned(out)
}

/// A text that is JSON or a difference; false: it is none of these.
pub(super) fn put_known(out: &mut Builder, text: &str) -> bool {
    put_json(out, text) || put_difference(out, text)
}

/// How deep JSON in strings of JSON is laid out.
const STRINGS_DEPTH_MAX: usize = 3;

/// A JSON text as a tree; false: it is not one. Strings in it that are JSON or have several lines are laid out below
/// their keys.
pub(super) fn put_json(out: &mut Builder, text: &str) -> bool {
    put_json_in(out, text, 0)
}

fn put_json_in(out: &mut Builder, text: &str, depth: usize) -> bool {
    let trimmed = text.trim();
    let is_likely =
        trimmed.starts_with('{') && trimmed.ends_with('}') || trimmed.starts_with('[') && trimmed.ends_with(']');
    let Some(value) = json::parse(trimmed).ok().filter(|_| is_likely && trimmed.len() > 2) else { return false };
    let pretty = json::pretty(&value);
    let lines = out.lines(&pretty);
    let is_cut = std::mem::take(&mut out.reading.is_cut);
    for line in lines {
        let mut spans = json_line(line);
        let inner = string_of(&spans).filter(|_| depth < STRINGS_DEPTH_MAX);
        if let Some((inner, is_json)) = &inner
            && let Some(value) = spans.iter_mut().find(|(role, _)| *role == Role::JsonString)
        {
            let lines = || count_of(inner.trim_end().split('\n').count(), "line");
            *value = (Role::Dim, if *is_json { "JSON in a string".to_owned() } else { format!("text, {}", lines()) });
        }
        out.line(ReadingLine { spans, ..ReadingLine::default() });
        if let Some((inner, _)) = inner {
            let indent = line.len() - line.trim_start().len();
            out.leads.push(Lead::each(Role::Dim, format!("{}┊ ", " ".repeat(indent + 2))));
            if !put_json_in(out, &inner, depth + 1) {
                let shown = without_colours(&inner);
                out.reading.has_codes |= shown.len() < inner.len();
                out.plain(Role::JsonString, &shown, TERMINAL_TABS);
            }
            out.leads.pop();
        }
    }
    out.reading.is_cut |= is_cut;
    out.note_rest(text);
    true
}

/// The text of a string in a line of JSON, if it has several lines or is JSON; whether it is that.
fn string_of(line: &[(Role, String)]) -> Option<(String, bool)> {
    let (_, value) = line.iter().find(|(role, _)| *role == Role::JsonString)?;
    // Most strings have no escapes, and are on one line.
    let text = json::parse(value).ok().filter(|_| value.contains('\\'))?.as_str()?.to_owned();
    let is_json = text.starts_with(['{', '[']) && text.len() > 2 && json::parse(text.trim()).is_ok();
    (is_json || text.trim_end().contains('\n')).then_some((text, is_json))
}

/// A line of JSON that is laid out: its key, its value, its signs.
fn json_line(line: &str) -> Vec<(Role, String)> {
    let start = line.len() - line.trim_start().len();
    let (indent, mut rest) = line.split_at(start);
    let mut spans = vec![(Role::Text, indent.to_owned())];
    // The key ends at the first quote that no sign of escape precedes.
    let key = rest.strip_prefix('"').and_then(|inner| {
        let mut is_escaped = false;
        let end = inner.bytes().position(|byte| {
            let is_end = byte == b'"' && !is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            is_end
        })?;
        inner[end + 1..].starts_with(": ").then_some(end + 2)
    });
    if let Some(end) = key {
        spans.push((Role::JsonKey, rest[..end].to_owned()));
        spans.push((Role::Punct, ": ".to_owned()));
        rest = &rest[end + 2..];
    }
    let value = rest.strip_suffix(',').unwrap_or(rest);
    let role = if value.starts_with([']', '}']) { Role::Punct } else { role_of(value) };
    spans.push((role, value.to_owned()));
    spans.push((Role::Punct, rest[value.len()..].to_owned()));
    spans.retain(|(_, text)| !text.is_empty());
    spans
}

fn put_listing(out: &mut Builder, text: &str, expected: &Expected) -> bool {
    let Some(lines) = listing(text, expected.is_file) else { return false };
    let digits = lines.iter().filter_map(|(number, _)| *number).max().map_or(0, |n| n.to_string().len());
    let line = |(number, text): (Option<u32>, &str)| {
        let number = number.map(|number| Lead::once(Role::Dim, format!("{number:>digits$}  ")));
        (number, untabbed(text, CODE_TABS))
    };
    // What is around the lines of the file is no code.
    let first = lines.iter().position(|(number, _)| number.is_some()).unwrap_or(0);
    let end = lines.iter().rposition(|(number, _)| number.is_some()).map_or(0, |last| last + 1);
    let around = |out: &mut Builder, lines: &[(Option<u32>, &str)]| {
        for (_, text) in lines.iter().filter(|(_, text)| !text.is_empty()) {
            out.line(ReadingLine::of(Role::Dim, untabbed(text, TERMINAL_TABS)));
        }
    };
    around(out, &lines[..first]);
    out.code(&expected.language, lines[first..end].iter().copied().map(line).collect());
    around(out, &lines[end..]);
    true
}

/// A unified difference, also below the words of a tool; false: it is not one.
fn put_difference(out: &mut Builder, text: &str) -> bool {
    let is_one = text.starts_with("diff --git ") || text.starts_with("--- ") && text.contains("\n+++ ");
    let files = if is_one { patch_text(text) } else { Vec::new() };
    for (number, file) in files.iter().enumerate() {
        if number > 0 {
            out.blank();
        }
        super::call::put_file_heading(out, file);
        difference::put_file(out, file);
    }
    !files.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panes::reading::layout;

    fn shown(text: &str, is_file: bool) -> Vec<String> {
        let mut out = Builder::default();
        put(&mut out, text, &Expected { is_file, ..Expected::default() });
        let rows = out.reading.items.iter().flat_map(|item| layout::rows(item, 60, None));
        rows.map(|row| row.plain().trim_end().to_owned()).collect()
    }

    #[test]
    fn a_text_is_shown_as_what_it_is() {
        assert_eq!(shown("     9\tdef f():\r\n    10\t\treturn 1\r\n", false), [" 9  def f():", "10      return 1"]);
        assert_eq!(shown("{\"a\":[1,{}]}", false), ["{", "  \"a\": [", "    1,", "    {}", "  ]", "}"]);
        assert_eq!(
            shown("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -3,2 +3,2 @@\n a\n-b\n+c\n", false),
            ["edit x", "  3  a", "− 4  b", "+ 4  c"]
        );
        let codes = "a\tb\n\u{1b}[1mc\u{1b}[0;31m d\u{1b}]0;t\u{7}\u{1b}[";
        assert_eq!(shown(codes, false), ["a       b", "c d␛]0;t␇␛["], "what may hold words stays");
    }
}
