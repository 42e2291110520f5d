//! A value of a difference as text: the words that differ marked, long equal text cut.

use crate::json;
use crate::panes::text_view::TextLine;
use crate::panes::value;
use crate::text::Role;
use std::ops::Range;

/// Most lines of one text that are shown.
const LINES_MAX: usize = 100;
/// What lines begin with that are beside those that differ.
const CONTEXT_HEAD: &str = "    ┊ ";
/// Characters shown of each end of a longer stretch of equal text.
const EQUAL_CHARS: usize = 48;
/// The same of the lines beside a change.
const LINE_CHARS: usize = 200;
/// Characters shown of the beginning of a longer stretch that differs.
const CHANGED_CHARS: usize = 2_000;
/// No further stretch is shown of a text that takes more than this.
const SHOWN_BYTES_MAX: usize = 16 << 10;

/// How a string is spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// As JSON, in one line.
    Json,
    /// As it is, line by line.
    Lines,
}

impl Spelling {
    /// That of texts which are to be compared by eye.
    pub(super) fn of(texts: &[&str]) -> Self {
        if texts.iter().any(|part| part.contains('\n')) { Self::Lines } else { Self::Json }
    }

    fn put(self, part: &str, text: &mut String) {
        match self {
            Self::Json => text.push_str(inside(&json::quote(part))),
            Self::Lines => text.push_str(part),
        }
    }
}

/// A value as text; the parts that differ, if not all of it.
pub(super) struct ShownValue {
    text: String,
    changed: Option<Vec<Range<usize>>>,
    spelling: Spelling,
}

impl ShownValue {
    /// A text that is new or gone as a whole.
    pub(super) fn plain(text: String, spelling: Spelling) -> Self {
        Self { text, changed: None, spelling }
    }

    /// A string with the ranges that differ; long stretches that do not are cut out.
    pub(super) fn of(whole: &str, changed: &[Range<usize>], spelling: Spelling) -> Self {
        let quote = if spelling == Spelling::Json { "\"" } else { "" };
        let (mut text, mut ranges, mut at) = (quote.to_owned(), Vec::new(), 0);
        for range in changed {
            put_equal(&whole[at..range.start], at > 0, true, spelling, &mut text);
            let start = text.len();
            let cut =
                whole[range.clone()].char_indices().nth(CHANGED_CHARS).map_or(range.end, |(at, _)| range.start + at);
            spelling.put(&whole[range.start..cut], &mut text);
            ranges.push(start..text.len());
            if cut < range.end {
                text.push('…');
            }
            at = range.end;
            if text.len() > SHOWN_BYTES_MAX {
                return Self { text: text + "…", changed: Some(ranges), spelling };
            }
        }
        put_equal(&whole[at..], at > 0, false, spelling, &mut text);
        text.push_str(quote);
        Self { text, changed: Some(ranges), spelling }
    }

    /// The lines with the sign of their side in front and who wrote the value behind the last.
    pub(super) fn lines(&self, sign: &str, role: Role, writer: &str) -> Vec<TextLine> {
        if self.spelling == Spelling::Json {
            return vec![self.line(0..self.text.len(), &format!("  {sign} "), role, &format!("   {writer}"))];
        }
        let (head, mut from, mut lines) = (format!("  {sign} ┊ "), 0, Vec::new());
        let count = self.text.split('\n').count();
        for (i, text) in self.text.split('\n').enumerate().take(LINES_MAX) {
            let is_last = i + 1 == count.min(LINES_MAX);
            let label = match count.saturating_sub(LINES_MAX) {
                _ if !is_last => String::new(),
                0 => format!("   {writer}"),
                more => format!("   … {} more lines   {writer}", value::count_text(more)),
            };
            let part = from..from + text.len();
            lines.push(if self.is_changed(&part) {
                self.line(part, &head, role, &label)
            } else {
                self.line(part, CONTEXT_HEAD, Role::Dim, &label)
            });
            from += text.len() + 1;
        }
        lines
    }

    /// Whether something differs in a line; one without text differs if it is new or gone.
    fn is_changed(&self, line: &Range<usize>) -> bool {
        let Some(ranges) = &self.changed else { return true };
        let end = if line.is_empty() { line.end + 1 } else { line.end };
        let next = &ranges[ranges.partition_point(|range| range.end <= line.start)..];
        next.first().is_some_and(|range| range.start < end)
    }

    /// A part of the text as a line, with what precedes and follows it.
    fn line(&self, part: Range<usize>, head: &str, role: Role, text: &str) -> TextLine {
        let end = head.len() + part.len();
        let mut line = TextLine::new(Role::JsonString, format!("{head}{}{text}", &self.text[part.clone()]));
        line.marks.push((0..head.len(), role));
        match &self.changed {
            None => line.marks.push((head.len()..end, role)),
            Some(ranges) => {
                let first = ranges.partition_point(|range| range.end <= part.start);
                let within = ranges[first..].iter().take_while(|range| range.start < part.end);
                let place = |at: usize| head.len() + at.clamp(part.start, part.end) - part.start;
                line.marks.extend(within.map(|range| (place(range.start)..place(range.end), role)));
            }
        }
        line.marks.push((end..line.text.len(), Role::Blame));
        line
    }
}

/// Puts text that is equal in both, without its middle where it is long; of text at an end of the value the side
/// towards the change is enough.
fn put_equal(part: &str, has_before: bool, has_behind: bool, spelling: Spelling, text: &mut String) {
    if spelling == Spelling::Lines && part.contains('\n') {
        return put_equal_lines(part, has_before, has_behind, text);
    }
    let count = part.chars().count();
    let (head, tail) = (if has_before { EQUAL_CHARS } else { 0 }, if has_behind { EQUAL_CHARS } else { 0 });
    if count <= 2 * EQUAL_CHARS {
        return spelling.put(part, text);
    }
    let cut = |n: usize| part.char_indices().nth(n).map_or(part.len(), |(at, _)| at);
    spelling.put(&part[..cut(head)], text);
    text.push('…');
    spelling.put(&part[cut(count - tail)..], text);
}

/// The same of lines: what is left of the line that the change is in, and one more.
fn put_equal_lines(part: &str, has_before: bool, has_behind: bool, text: &mut String) {
    let breaks = || part.match_indices('\n').map(|(at, _)| at);
    let head = if has_before { breaks().nth(1).unwrap_or(part.len()) } else { 0 };
    let tail = if has_behind { breaks().rev().nth(1).map_or(0, |at| at + 1) } else { part.len() };
    if head >= tail || part.len() <= 2 * EQUAL_CHARS && breaks().count() <= 3 {
        return text.push_str(part);
    }
    let place = |chars: usize| part.char_indices().nth(chars).map_or(part.len(), |(at, _)| at);
    let near = place(LINE_CHARS).min(head);
    text.push_str(&part[..near]);
    text.push_str(if near < head { "…" } else { "" });
    text.push_str(match (has_before, has_behind) {
        (true, true) => "\n…\n",
        (false, _) => "…\n",
        (true, false) => "\n…",
    });
    let near = part[tail..].char_indices().rev().nth(LINE_CHARS).map_or(tail, |(at, _)| tail + at);
    text.push_str(if near > tail { "…" } else { "" });
    text.push_str(&part[near..]);
}

/// A JSON string without its quotes.
fn inside(quoted: &str) -> &str {
    quoted.get(1..quoted.len() - 1).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::diff::words;

    #[test]
    fn only_the_words_that_differ_are_marked_and_long_equal_text_is_cut() {
        let long = "word ".repeat(60);
        let (was, is) = (format!("{long}two\tnights"), format!("{long}three\tnights"));
        let found = words(&was, &is).unwrap();
        let line =
            ShownValue::of(&is, &found.added, Spelling::of(&[&was, &is])).lines("+", Role::Added, "@4 quote").remove(0);
        let marked: Vec<_> = line.marks.iter().map(|(range, role)| (&line.text[range.clone()], *role)).collect();
        assert_eq!(marked, [("  + ", Role::Added), ("three", Role::Added), ("   @4 quote", Role::Blame)]);
        assert!(
            line.text.len() < 120 && line.text.contains("\"…") && line.text.contains("\\tnights\""),
            "{}",
            line.text
        );
    }

    #[test]
    fn texts_of_several_lines_are_shown_line_by_line_from_shortly_before_the_change() {
        let text = |word: &str| {
            (0..9_000)
                .map(|i| format!("line {i} {word}\n", word = if i == 6_000 { word } else { "é" }))
                .collect::<String>()
        };
        let (was, is) = (text("old"), text("new"));
        let found = words(&was, &is).unwrap();
        let shown = ShownValue::of(&is, &found.added, Spelling::of(&[&was, &is]));
        let lines = shown.lines("+", Role::Added, "@4");
        assert!(lines.len() < 20 && lines.iter().any(|line| line.text == "  + ┊ line 6000 new"), "{lines:?}");
        assert!(lines.last().unwrap().text.ends_with("   @4"));
        let marked =
            lines.iter().flat_map(|line| line.marks.iter().map(|(range, role)| (&line.text[range.clone()], *role)));
        let marked: Vec<&str> =
            marked.filter(|(text, role)| *role == Role::Added && *text != "  + ┊ ").map(|m| m.0).collect();
        assert_eq!(marked, ["new"]);
    }
}
