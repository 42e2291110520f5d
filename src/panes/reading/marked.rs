//! Two readings side by side: the words in which their texts differ are set off.

use super::Reading;
use super::line::ReadingItem;
use crate::state::diff::words;
use crate::text::Role;
use std::ops::Range;

/// Sets off the words of a reading that the other does not have: in the left one as removed, in the right one as added.
/// Where the two have no word in common, or too much differs to be compared, nothing is set off.
pub fn mark_differences(left: &mut Reading, right: &mut Reading) {
    let Some(found) = words(&text_of(left), &text_of(right)) else { return };
    mark(left, &found.removed, Role::Removed);
    mark(right, &found.added, Role::Added);
}

/// All lines of text, each with a line end after it.
fn text_of(reading: &Reading) -> String {
    let mut out = String::new();
    for item in &reading.items {
        if let ReadingItem::Line(line) = item {
            line.spans.iter().for_each(|(_, text)| out.push_str(text));
            out.push('\n');
        }
    }
    out
}

/// Gives the ranges of the text of a reading, in order, a role.
fn mark(reading: &mut Reading, mut ranges: &[Range<usize>], role: Role) {
    let mut at = 0;
    for item in &mut reading.items {
        let ReadingItem::Line(line) = item else { continue };
        let mut spans = Vec::with_capacity(line.spans.len());
        let mut is_marked = false;
        for (span_role, text) in std::mem::take(&mut line.spans) {
            let start = at;
            at += text.len();
            ranges = &ranges[ranges.iter().take_while(|range| range.end <= start).count()..];
            let mut from = 0;
            for range in ranges.iter().take_while(|range| range.start < at) {
                let within = range.start.max(start) - start..range.end.min(at) - start;
                spans.push((span_role, text[from..within.start].to_owned()));
                spans.push((role, text[within.clone()].to_owned()));
                from = within.end;
                is_marked = true;
            }
            spans.push((span_role, text[from..].to_owned()));
        }
        spans.retain(|(_, text)| !text.is_empty());
        line.spans = spans;
        if is_marked {
            // Colours of a language would hide the marks.
            line.code = None;
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::line::ReadingLine;
    use super::*;

    fn reading(lines: &[&[(Role, &str)]]) -> Reading {
        let line = |spans: &&[(Role, &str)]| {
            let spans = spans.iter().map(|(role, text)| (*role, (*text).to_owned())).collect();
            ReadingItem::Line(ReadingLine { spans, code: Some((0, 0)), ..ReadingLine::default() })
        };
        Reading { items: lines.iter().map(line).collect(), ..Reading::default() }
    }

    /// Each line, with what is set off in brackets.
    fn shown(reading: &Reading) -> Vec<String> {
        let span = |(role, text): &(Role, String)| match role {
            Role::Removed | Role::Added => format!("[{text}]"),
            _ => text.clone(),
        };
        let line = |item: &ReadingItem| match item {
            ReadingItem::Line(line) => Some(line.spans.iter().map(span).collect()),
            _ => None,
        };
        reading.items.iter().filter_map(line).collect()
    }

    fn marked(left: &[&[(Role, &str)]], right: &[&[(Role, &str)]]) -> (Vec<String>, Vec<String>) {
        let (mut left, mut right) = (reading(left), reading(right));
        mark_differences(&mut left, &mut right);
        (shown(&left), shown(&right))
    }

    #[test]
    fn words_that_differ_are_set_off_across_lines_and_roles() {
        let (left, right) = marked(
            &[&[(Role::Text, "pay "), (Role::Text, "ten coins to ann")], &[(Role::Dim, "same")]],
            &[&[(Role::Text, "pay six"), (Role::Text, " coins to bob")], &[(Role::Dim, "same")]],
        );
        assert_eq!(left, ["pay [ten] coins to [ann]", "same"]);
        assert_eq!(right, ["pay [six] coins to [bob]", "same"]);
    }

    #[test]
    fn what_has_nothing_in_common_or_is_equal_is_left_as_it_is() {
        let (left, right) = marked(&[&[(Role::Text, "one")]], &[&[(Role::Text, "two")]]);
        assert!(!left[0].contains('[') && !right[0].contains('['), "{left:?} {right:?}");
        let (left, _) = marked(&[&[(Role::Text, "über ☂")]], &[&[(Role::Text, "über ☂")]]);
        assert_eq!(left, ["über ☂"]);
    }

    #[test]
    fn a_marked_line_of_code_keeps_its_marks() {
        let (mut left, mut right) = (reading(&[&[(Role::Text, "a + b")]]), reading(&[&[(Role::Text, "a + c")]]));
        mark_differences(&mut left, &mut right);
        assert!(matches!(&left.items[0], ReadingItem::Line(line) if line.code.is_none()));
    }
}
