//! Files as the readers of opencode, Gemini CLI, Qwen Code and VS Code report them: what they put around the lines, and
//! where the file goes on. W7 names none of these; without them their words are taken for lines, or no line is known.

use super::call::Range;
use super::file_excerpt::FileExcerpt;
use super::tables::{
    CUT_LINE, FENCED_PART, FRAME_COUNT, FRAME_TOTAL, LISTED_FILE, LISTED_LINE, NO_TEXT, Pattern, SHOWN_PART, ZERO_LINE,
};
use std::borrow::Cow;

/// The lines that a reader reports in its frame; None: there is no frame.
pub(super) fn framed(text: &str, range: Range) -> Option<FileExcerpt<'_>> {
    opencode(text).or_else(|| part(text, range)).or_else(|| fenced(text, range))
}

/// Whether a result is a notice of a reader that shows no text: of a picture, a document, a binary file.
pub(super) fn has_no_text(text: &str) -> bool {
    NO_TEXT.is_match(text)
}

/// opencode: numbered lines in `<content>` below `<path>`, before 2026 in `<file>`, and a notice behind a blank line.
fn opencode(text: &str) -> Option<FileExcerpt<'_>> {
    let (body, path, sign): (&str, _, &Pattern) = match LISTED_FILE.captures(text) {
        Some(head) => (text.get(head.get(0)?.end()..)?, head.get(1).map(|path| path.as_str()), &LISTED_LINE),
        None => (text.strip_prefix("<file>\n").filter(|body| ZERO_LINE.is_match(body))?, None, &ZERO_LINE),
    };
    let mut shown = FileExcerpt { path: path.map(str::to_owned), is_numbered: true, ..FileExcerpt::default() };
    let mut rest = body;
    let mut next = None;
    while let Some(found) = sign.captures(rest) {
        let number: u32 = found.get(1)?.as_str().parse().ok()?;
        if next.is_some_and(|next| next != number) {
            break;
        }
        let (line, below) =
            rest.get(found.get(0)?.end()..)?.split_once('\n').unwrap_or((&rest[found.get(0)?.end()..], ""));
        if !CUT_LINE.is_match(line) {
            shown.lines.push((number, Cow::Borrowed(line)));
        }
        next = Some(number.checked_add(1)?);
        rest = below;
    }
    let last = next.map_or(0, |next| next - 1);
    let total = FRAME_TOTAL.captures(rest).and_then(|found| found.get(1)?.as_str().parse::<u32>().ok());
    let count = FRAME_COUNT.captures(rest).and_then(|found| found.get(1)?.as_str().parse::<u32>().ok());
    shown.is_cut = total.is_none() && rest.trim_start().starts_with('(');
    shown.has_end = total.is_some_and(|total| total == last);
    shown.total = total.or(count);
    drop_empty_end(&mut shown, last);
    let first = shown.lines.first().map_or(1, |(number, _)| *number);
    shown.is_whole = shown.has_end && first == 1 && shown.total == Some(count_of(&shown));
    Some(shown)
}

fn count_of(shown: &FileExcerpt<'_>) -> u32 {
    u32::try_from(shown.lines.len()).unwrap_or(u32::MAX)
}

/// An empty line at the end of a file is the end of the line before it.
fn drop_empty_end(shown: &mut FileExcerpt<'_>, last: u32) {
    let is_empty_end = shown.lines.last().is_some_and(|(number, line)| *number == last && line.is_empty());
    if is_empty_end && shown.has_end {
        shown.lines.pop();
        shown.total = shown.total.map(|total| total - 1);
    }
}

/// Gemini CLI and Qwen Code: a part of a file below a notice of which part it is.
fn part(text: &str, range: Range) -> Option<FileExcerpt<'_>> {
    let head = SHOWN_PART.captures(text)?;
    let number = |group| head.get(group).and_then(|group| group.as_str().parse::<u32>().ok());
    let ((first, last), total) = (number(1).zip(number(2))?, number(3)?);
    let body = text.get(head.get(0)?.end()..)?;
    let count = (last + 1).checked_sub(first)?;
    let mut shown = FileExcerpt::raw(body, Range { first, count: Some(count), is_given: range.is_given });
    shown.has_end = last == total && count > 0;
    // How many lines there are is only known at the end: a final LF counts for one more here.
    shown.total = shown.has_end.then_some(total);
    drop_empty_end(&mut shown, last);
    if shown.has_end && count_of(&shown) + first == last {
        shown.total = shown.total.map(|total| total - 1);
    }
    shown.is_whole = shown.has_end && first == 1;
    shown.lines.retain(|(_, line)| !CUT_LINE.is_match(line));
    shown.is_whole &= shown.total == Some(count_of(&shown));
    shown.is_cut = !shown.is_whole;
    Some(shown)
}

/// Copilot in VS Code: lines of a file in a fence, without a head if they reach its end. There lines are asked for: a
/// whole text that begins and ends with a fence may be a file of Markdown.
fn fenced(text: &str, range: Range) -> Option<FileExcerpt<'_>> {
    let head = FENCED_PART.captures(text)?;
    let number = |group| head.get(group).and_then(|group| group.as_str().parse::<u32>().ok());
    let end = text.trim_end().strip_suffix(head.get(4)?.as_str())?.strip_suffix('\n')?.len();
    let body = text.get(head.get(0)?.end()..end)?;
    let Some((first, last)) = number(1).zip(number(2)) else {
        let mut shown = FileExcerpt::raw(body, Range { count: None, ..range });
        let last = range.first.checked_add(count_of(&shown))?.checked_sub(1)?;
        (shown.has_end, shown.total) = (true, Some(last));
        drop_empty_end(&mut shown, last);
        shown.is_whole = range.first == 1;
        return Some(shown).filter(|_| range.is_given);
    };
    let count = (last + 1).checked_sub(first)?;
    let mut shown = FileExcerpt::raw(body, Range { first, count: Some(count), is_given: true });
    shown.is_cut = true;
    Some(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> String {
        let range = Range { first: 1, count: None, is_given: false };
        let Some(shown) = framed(text, range) else { return "none".to_owned() };
        let shown = shown.of_read(range);
        let lines: Vec<String> = shown.lines.iter().map(|(number, line)| format!("{number}={line}")).collect();
        let total = shown.total.map_or("?".to_owned(), |total| total.to_string());
        let flags = [(shown.is_whole, " whole"), (shown.is_cut, " cut"), (shown.has_end, " end")];
        let flags: String = flags.iter().filter(|(is_set, _)| *is_set).map(|(_, name)| *name).collect();
        format!("{} of {total}{flags}", lines.join("|"))
    }

    #[test]
    fn opencode_reports_a_file_in_tags_with_a_notice_below() {
        let new = |lines: &str, notice: &str| {
            format!("<path>/w/a</path>\n<type>file</type>\n<content>\n{lines}\n\n{notice}\n</content>")
        };
        assert_eq!(of(&new("1: a\n2:  b\n3: ", "(End of file - total 3 lines)")), "1=a|2= b of 2 whole end");
        assert_eq!(of(&new("1: a\n2: 2: b", "(End of file - total 2 lines)")), "1=a|2=2: b of 2 whole end");
        let part = "(Showing lines 5-6 of 9. Use offset=7 to continue.)";
        assert_eq!(of(&new("5: a\n6: b", part)), "5=a|6=b of 9 cut");
        let capped = "(Output capped at 50 KB. Showing lines 1-1. Use offset=2 to continue.)";
        assert_eq!(of(&new("1: a", capped)), "1=a of ? cut");
        let cut = "1: aaa... (line truncated to 2000 chars)\n2: b";
        assert_eq!(of(&new(cut, "(End of file - total 2 lines)")), "2=b of 2 end");
        assert_eq!(of("<path>/w</path>\n<type>directory</type>\n<entries>\na\n</entries>"), "none");
        let old = |lines: &str, notice: &str| format!("<file>\n{lines}\n\n{notice}\n</file>");
        assert_eq!(
            of(&old("00001| a\n00002|  b\n00003| ", "(End of file - total 3 lines)")),
            "1=a|2= b of 2 whole end"
        );
        let more = "(File has more lines. Use 'offset' parameter to read beyond line 1)";
        assert_eq!(of(&old("00001| a", more)), "1=a of ? cut");
        assert_eq!(of("<file>\n00001| a\n00002| b\n</file>"), "1=a|2=b of ? whole");
        assert_eq!(of("<file>\nwords\n</file>"), "none");
    }

    #[test]
    fn vs_code_puts_a_fence_around_lines() {
        let head = "File: `/w/a.py`. Lines 2 to 3 (9 lines total): \n";
        assert_eq!(of(&format!("{head}```python\nb\nc\n```")), "2=b|3=c of ? cut");
        assert_eq!(of("```python\na\n```"), "none", "it may be a file");
        let asked = |text, first| {
            let range = Range { first, count: Some(9), is_given: true };
            let shown = framed(text, range).unwrap();
            let lines: Vec<String> = shown.lines.iter().map(|(number, line)| format!("{number}={line}")).collect();
            (lines.join("|"), shown.total, shown.is_whole)
        };
        assert_eq!(asked("````md\n```\nb\n\n````\n", 4), ("4=```|5=b".to_owned(), Some(5), false));
        assert_eq!(asked("```\na\nb\n```", 1), ("1=a|2=b".to_owned(), Some(2), true));
    }

    #[test]
    fn gemini_and_qwen_report_which_part_they_show() {
        let gemini = |part: &str, text: &str| {
            format!(
                "\nIMPORTANT: The file content has been truncated.\nStatus: Showing lines {part} total lines.\n\
                 Action: To read more, use 'offset'.\n\n--- FILE CONTENT (truncated) ---\n{text}"
            )
        };
        assert_eq!(of(&gemini("1-2 of 9", "a\nb")), "1=a|2=b of ? cut");
        assert_eq!(of(&gemini("8-9 of 9", "a\n")), "8=a of 8 cut end");
        assert_eq!(of(&gemini("1-2 of 2", "aaaa... [truncated]\nb")), "2=b of 2 cut end");
        assert_eq!(of(&gemini("1-3 of 3", "a\nb\n")), "1=a|2=b of 2 whole end");
        assert_eq!(of(&gemini("180-179 of 179", "")), " of ? cut");
        assert_eq!(of("Showing lines 3-4 of 9 total lines.\n\n---\n\na\nb"), "3=a|4=b of ? cut");
        assert_eq!(of("Showing lines 3-4 of 9"), "none");
        assert!(has_no_text("Read image file [image/png]") && !has_no_text("a\nRead image file [image/png]"));
    }
}
