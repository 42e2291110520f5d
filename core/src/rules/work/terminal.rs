//! What the terminals of OpenHands, Pi and opencode make of an output before the agent sees it. OpenHands: the lines of
//! a command with several are before it, white space at both ends is gone (so the first line has lost its indentation,
//! and blank lines are missing), and tabs are blanks up to the next stop. Pi, opencode: words are where nothing was
//! printed. WORK does not say it; without it each such output contradicts the file.

use super::Dialect;
use super::call::{Action, Range};
use super::file::File;
use super::file_excerpt::{FileExcerpt, expanded, is_same};
use super::path::is_absolute;
use super::shell_read::Reading;
use super::tables::NOTICES;
use super::text::{Texts, is_blank, parse_line};
use super::wrapping::Body;
use std::borrow::Cow;

/// What Pi and opencode write where a command printed nothing.
const NO_OUTPUT: &str = "(no output)";

/// Columns between the stops of a tab.
const TAB_COLUMNS: usize = 8;

/// Whether a text is what Claude Code and Qwen Code write where a tool gave nothing: `(Bash completed with no output)`.
fn printed_nothing(text: &str) -> bool {
    let name = text.strip_prefix('(').and_then(|text| text.strip_suffix(" completed with no output)"));
    name.is_some_and(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

/// Whether an output begins with the command that made it.
pub(super) fn has_echo(text: &str, command: &str) -> bool {
    let mut lines = command.trim().lines();
    let first = lines.next().unwrap_or_default().trim_end();
    let is_first = || text.trim_start().lines().next().is_some_and(|line| line.trim_end() == first);
    lines.next().is_some() && !first.is_empty() && is_first()
}

/// The output behind the lines of its command; None: they are not all there, in order, with blank lines alone between.
fn without_echo<'t>(text: &'t str, command: &str) -> Option<&'t str> {
    if !has_echo(text, command) {
        return None;
    }
    let mut rest = text;
    for wanted in command.lines().filter(|line| !is_blank(line)) {
        rest = rest.trim_start_matches(['\n', '\r']);
        let (line, behind) = rest.split_once('\n').unwrap_or((rest, ""));
        if line.trim() != wanted.trim() {
            return None;
        }
        rest = behind;
    }
    Some(rest.trim_start_matches(['\n', '\r']))
}

/// What the terminal of OpenHands repeats of a command, and what agents say of an output without a sign, is no output.
/// Where each command starts again in the same folder, a relative one that a call names is that of this command alone.
pub(super) fn take_off(dialect: Dialect, body: &mut Body<'_>, action: &Action) {
    let is_relative = body.cwd.as_deref().is_some_and(|cwd| !is_absolute(cwd));
    if is_relative && dialect.resets_folder() && matches!(action, Action::Shell { cwd: Some(_), .. }) {
        body.cwd = None;
    }
    let output = match (dialect, action) {
        (_, Action::Shell { .. } | Action::Read { .. }) if printed_nothing(body.text.trim()) => Some(""),
        (Dialect::OpenHands, Action::Shell { command, .. }) => without_echo(&body.text, command),
        (Dialect::Pi | Dialect::OpenCode, Action::Shell { .. }) if body.text.trim() == NO_OUTPUT => Some(""),
        _ => None,
    };
    if let Some(output) = output.map(str::to_owned) {
        body.text = Cow::Owned(output);
    }
}

/// The lines that an output of Pi has: of a long one it is the end, as its notice says.
pub(super) fn shown_range(dialect: Dialect, text: &str, range: Range) -> Range {
    let first = || {
        let (_, notice) = text.rsplit_once("\n[Showing lines ")?;
        parse_line(notice.split_once('-').filter(|(_, rest)| rest.contains(". Full output: "))?.0)
    };
    match (dialect == Dialect::Pi).then(first).flatten() {
        Some(first) => Range { first: range.first.saturating_add(first).saturating_sub(1), is_given: true, ..range },
        None => range,
    }
}

/// What an output shows of a file; None: it cannot be said which lines.
pub(super) fn excerpt<'t>(
    text: &'t str,
    reading: Reading,
    file: Option<&File>,
    texts: &Texts,
) -> Option<FileExcerpt<'t>> {
    let known = |number: u32| file.and_then(|file| file.line(number)).map(|known| texts.text(known.id));
    match (reading.is_numbered, reading.has_colons) {
        (true, true) => {
            let mut shown = FileExcerpt::numbered(text, true);
            for (number, line) in &mut shown.lines {
                let with_number = |line: &str| expanded(&format!("{number}:{line}"), TAB_COLUMNS).trim_end().to_owned();
                if let Some(known) = known(*number).filter(|known| with_number(known) == with_number(line)) {
                    *line = Cow::Owned(known.to_owned());
                }
            }
            Some(shown)
        }
        (true, false) if reading.is_in_columns(text) => Some(in_columns(text)),
        (true, false) => Some(FileExcerpt::numbered(text, false)),
        (false, _) => {
            let mut shown = FileExcerpt::raw(text, reading.range);
            restore(&mut shown, reading.range, &known).then(|| {
                let total = file.filter(|file| file.is_whole && reading.has_end).and_then(|file| file.total);
                add_last_blanks(&mut shown, total, &known);
                shown
            })
        }
    }
}

/// Numbered lines whose tab behind the number became blanks: a number ends in column 6, its text begins in column 8.
pub(super) fn in_columns(text: &str) -> FileExcerpt<'_> {
    let mut shown = FileExcerpt { is_numbered: true, is_cut: NOTICES.find(text).is_some(), ..FileExcerpt::default() };
    for line in text.lines() {
        let number = line.trim_start_matches(' ');
        let digits = number.len() - number.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, rest) = number.split_at(digits);
        let text = rest.strip_prefix("  ").or_else(|| is_blank(rest).then_some(""));
        let Some((number, text)) = parse_line(number).filter(|number| *number > 0).zip(text) else { continue };
        if shown.lines.last().is_none_or(|(last, _)| *last < number) {
            shown.lines.push((number, Cow::Borrowed(text)));
        }
    }
    shown
}

/// Puts back what the head of an output lost, as far as it is known; whether it is known which lines these are.
fn restore<'k>(shown: &mut FileExcerpt<'_>, range: Range, known: &dyn Fn(u32) -> Option<&'k str>) -> bool {
    let Some((first, head)) = shown.lines.first().cloned() else { return true };
    let is_all = range.count == Some(u32::try_from(shown.lines.len()).unwrap_or(u32::MAX));
    let mut lost = 0;
    while !is_all && known(first + lost).is_some_and(is_blank) {
        lost += 1;
    }
    for (number, _) in &mut shown.lines {
        *number += lost;
    }
    match known(first + lost) {
        Some(line) => {
            let indent = &line[..line.len() - line.trim_start().len()];
            let is_line = is_same(line.trim_start(), head.trim_start());
            let full = if is_line { line.to_owned() } else { format!("{indent}{}", head.trim_start()) };
            shown.lines[0].1 = Cow::Owned(full);
        }
        None if first == 1 => {}
        // Which line it is depends on what was blank above; what it was indented by is lost.
        None if is_all => drop(shown.lines.remove(0)),
        None => return false,
    }
    let blanks = (first..first + lost).map(|number| (number, Cow::Owned(known(number).unwrap_or("").to_owned())));
    shown.lines.splice(0..0, blanks);
    true
}

/// Adds blank lines at the end of a file of `total` lines that are known and were not shown.
fn add_last_blanks<'k>(shown: &mut FileExcerpt<'_>, total: Option<u32>, known: &dyn Fn(u32) -> Option<&'k str>) {
    let last = shown.lines.last().map_or(0, |(last, _)| *last);
    let numbers = last.saturating_add(1)..=total.unwrap_or(last);
    if numbers.clone().all(|number| known(number).is_some_and(is_blank)) {
        let line = |number| (number, Cow::Owned(known(number).unwrap_or("").to_owned()));
        shown.lines.extend(numbers.map(line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_a_command_are_taken_off_its_output() {
        let command = "cat >> p <<'E'\nd e\nE\ncat p";
        assert_eq!(without_echo("cat >> p <<'E'\nd e\nE\n\n\ncat p\n\na\nd e", command), Some("a\nd e"));
        let mixed = "cat >> p <<'E'\nd e\nE\nnoise\ncat p\n\na";
        assert_eq!((without_echo(mixed, command), has_echo(mixed, command)), (None, true));
        assert!(!has_echo("a\nb", command) && !has_echo("cat p", "cat p"), "one line is never repeated");
    }

    #[test]
    fn columns_of_numbers_end_where_a_tab_does() {
        let shown = in_columns("1  import sys\n     2\n     3      x\n    10  y\nnote");
        let lines: Vec<_> = shown.lines.iter().map(|(number, line)| format!("{number}={line}")).collect();
        assert_eq!(lines.join("|"), "1=import sys|2=|3=    x|10=y");
    }

    /// What an output of `sed -n` or `cat` shows of a file with these lines, from a number on.
    fn shown(text: &str, range: Range, from: u32, lines: &[&'static str]) -> String {
        let known = |number: u32| lines.get(number.checked_sub(from)? as usize).copied();
        let mut shown = FileExcerpt::raw(text, range);
        if !restore(&mut shown, range, &known) {
            return "unknown".to_owned();
        }
        let is_whole = !range.is_given && from == 1;
        add_last_blanks(&mut shown, u32::try_from(lines.len()).ok().filter(|_| is_whole), &known);
        shown.lines.iter().map(|(number, line)| format!("{number}={line}")).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn white_space_that_is_gone_at_both_ends_is_put_back_where_it_is_known() {
        let part = |first, count| Range { first, count: Some(count), is_given: true };
        let all = Range { first: 1, count: None, is_given: false };
        let file = ["a", "", "    b", "    c", ""];
        assert_eq!(shown("b", part(2, 2), 1, &file), "2=|3=    b");
        assert_eq!(shown("b\n    c", part(3, 2), 1, &file), "3=    b|4=    c");
        assert_eq!(shown("B\n    c", part(3, 2), 1, &file), "3=    B|4=    c", "changed, indented as it was");
        assert_eq!(shown("a\n\n    b\n    c", all, 1, &file), "1=a|2=|3=    b|4=    c|5=");
        assert_eq!(shown("b\n    c", part(3, 2), 9, &file), "4=    c", "nothing is known of the head");
        assert_eq!(shown("b", part(3, 2), 9, &file), "unknown", "a blank line may precede or follow");
        assert_eq!(shown("b", all, 9, &file), "1=b");
        assert_eq!(shown("", part(3, 2), 1, &file), "");
    }
}
