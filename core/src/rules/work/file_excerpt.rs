//! W7: lines that a result shows, with their numbers.

use super::call::Range;
use super::tables::{ELIDED, NOTICES, PERSISTED, WINDOW};
use super::text::{LINE_MAX, is_blank, lines};
use std::borrow::Cow;

/// What a result shows of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct FileExcerpt<'t> {
    /// Numbers rise.
    pub(super) lines: Vec<(u32, Cow<'t, str>)>,
    /// The path that a window reports.
    pub(super) path: Option<String>,
    /// The number of lines that the file has, if it is reported.
    pub(super) total: Option<u32>,
    /// Whether `total` counts the line that a final line end opens, if the file has one.
    pub(super) counts_open_line: bool,
    /// Whether something is left out.
    pub(super) is_cut: bool,
    /// Whether it is all of the file.
    pub(super) is_whole: bool,
    /// Whether it goes to the end of the file.
    pub(super) has_end: bool,
    /// Whether some line fitted a sign of numbers.
    pub(super) is_numbered: bool,
}

/// What is between the number of a line and the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// A tab or an arrow.
    Tab,
    /// Of windows and of grep, which alone have it: `N:`, no blanks before the number.
    Colon,
    /// `N|`.
    Bar,
    /// `N. `; in replies to edits it begins an item of a list.
    Dot,
    /// A blank, two or more before the number.
    Blank,
}

/// Those of views.
const VIEW_SIGNS: &[Sign] = &[Sign::Tab, Sign::Bar, Sign::Dot, Sign::Blank];
/// Those of replies to edits.
const REPLY_SIGNS: &[Sign] = &[Sign::Tab, Sign::Bar, Sign::Blank];
const SIGNS: &[Sign] = &[Sign::Tab, Sign::Colon, Sign::Bar, Sign::Dot, Sign::Blank];

/// Numbered lines of a whole view, at most: with more, a reader's own limit may have ended it.
const WHOLE_LINES_MAX: usize = 2000;
/// Digits of the number of a line, at most.
const NUMBER_DIGITS_MAX: usize = 9;

impl Sign {
    /// W7: the number of a line that begins with one and this sign, and the line behind it.
    fn fit(self, line: &str) -> Option<(u32, &str)> {
        let text = line.trim_start_matches(' ');
        let blanks = line.len() - text.len();
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        if !(1..=NUMBER_DIGITS_MAX).contains(&digits) {
            return None;
        }
        let (number, behind) = text.split_at(digits);
        let behind = match self {
            Self::Tab => behind.strip_prefix(['\t', '→']),
            Self::Colon => behind.strip_prefix(':').filter(|_| blanks == 0),
            Self::Bar => behind.strip_prefix('|'),
            Self::Dot => behind.strip_prefix(". "),
            Self::Blank => behind.strip_prefix(' ').filter(|_| blanks >= 2),
        };
        let number = number.parse().ok().filter(|number| (1..=LINE_MAX).contains(number))?;
        Some((number, behind?))
    }
}

/// The lines of a text that shows a file, each with its number where it has one; None: it is no such text. Signs that
/// ordinary lists have too count only where a file was asked for.
#[must_use]
pub fn listing(text: &str, is_file: bool) -> Option<Vec<(Option<u32>, &str)>> {
    let is_window = is_file && (WINDOW.find(text).is_some() || text.starts_with("<path>"));
    let signs = match (is_window, is_file) {
        (true, _) => SIGNS,
        (false, true) => VIEW_SIGNS,
        (false, false) => &VIEW_SIGNS[..1],
    };
    let fits = |line| signs.iter().find(|sign| sign.fit(line).is_some());
    let first = text.split('\n').take(LISTING_HEAD_LINES).find_map(fits)?;
    let (mut numbered, mut last, mut rest) = (0, 0, 0);
    let lines: Vec<(Option<u32>, &str)> = text
        .split('\n')
        .map(|line| match first.fit(line).filter(|(number, _)| *number > last) {
            Some((number, line)) => {
                (numbered, last) = (numbered + 1, number);
                (Some(number), line)
            }
            None => {
                rest += usize::from(!line.trim().is_empty());
                (None, line)
            }
        })
        .collect();
    (numbered > 1 && numbered > rest).then_some(lines)
}

/// Lines of a listing in which the sign of its numbers is looked for.
const LISTING_HEAD_LINES: usize = 20;

impl<'t> FileExcerpt<'t> {
    /// Numbered lines of a text; `N:` counts where `has_colons` says so.
    pub(super) fn numbered(text: &'t str, has_colons: bool) -> Self {
        Self::with_signs(text, if has_colons { SIGNS } else { VIEW_SIGNS })
    }

    /// W8: the lines that the reply to an edit shows: a window, else numbered lines.
    pub(super) fn reply(text: &'t str) -> Self {
        Self::window(text).unwrap_or_else(|| Self::with_signs(text, REPLY_SIGNS))
    }

    fn with_signs(text: &'t str, signs: &[Sign]) -> Self {
        let mut shown = Self::default();
        let notices: Vec<usize> = NOTICES.find_all(text).map(|found| found.start()).collect();
        shown.is_cut = !notices.is_empty();
        let (mut sign, mut at): (Option<Sign>, usize) = (None, 0);
        for end in memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]) {
            let start = std::mem::replace(&mut at, end + 1);
            let line = &text[start..end];
            let fitted = match sign {
                Some(sign) => sign.fit(line),
                None => signs.iter().find_map(|candidate| {
                    let fitted = candidate.fit(line)?;
                    sign = Some(*candidate);
                    Some(fitted)
                }),
            };
            let Some((number, line)) = fitted.filter(|(_, line)| !ELIDED.is_match(line)) else { continue };
            // A line that is cut in its middle is not known.
            let notice = notices.partition_point(|notice| *notice <= start);
            if notices.get(notice).is_some_and(|notice| *notice <= end) {
                continue;
            }
            if shown.lines.last().is_none_or(|(last, _)| *last < number) {
                shown.lines.push((number, Cow::Borrowed(line)));
            }
        }
        shown.is_numbered = sign.is_some();
        let has_colons = signs == SIGNS;
        if !shown.is_cut && !has_colons && shown.lines.last().is_some_and(|(_, line)| line.is_empty()) {
            shown.lines.pop();
        }
        shown
    }

    /// SWE-agent's window: path, total and lines, anywhere in a text.
    pub(super) fn window(text: &'t str) -> Option<Self> {
        let found = WINDOW.captures(text)?;
        let group = |number| found.get(number).map(|group| group.as_str());
        let total: u32 = group(2)?.parse().ok().filter(|total| *total <= LINE_MAX)?;
        let mut shown = Self::numbered(text.get(found.get(0)?.end()..)?, true);
        shown.path = group(1).map(str::to_owned);
        shown.total = Some(total);
        shown.lines.retain(|(number, _)| *number <= total);
        let count = shown.lines.len();
        shown.is_whole = count == total as usize && shown.lines.last().map_or(0, |(last, _)| *last) == total;
        Some(shown)
    }

    /// Lines without numbers, from a first one on.
    pub(super) fn raw(text: &'t str, range: Range) -> Self {
        let notice = NOTICES.find(text).map(|found| found.start());
        let mut shown = Self { is_cut: notice.is_some(), ..Self::default() };
        let whole_text = match notice {
            // The notice has a line, and mostly a blank one before it; what precedes it in its line is cut.
            Some(at) => {
                let before = &text[..at];
                let line_start = before.rfind('\n').map_or(0, |at| at + 1);
                let before = before[..line_start].strip_suffix('\n').unwrap_or("");
                let before = before.strip_suffix('\n').map_or(before, |before| before);
                // Codex may cut a line where it stores an output, and puts its notice on the next.
                let is_stored = text[at..].starts_with(PERSISTED);
                let is_omitted = ["[... omitted ", "[... output "].iter().any(|notice| text[at..].starts_with(notice));
                if is_stored || (is_omitted && !text[..at].ends_with("\n\n")) {
                    before.rfind('\n').map_or("", |end| &before[..end])
                } else {
                    before
                }
            }
            None => text,
        };
        let mut all: Vec<&str> = lines(whole_text);
        if let Some(count) = range.count {
            all.truncate(count as usize);
        }
        let numbers = range.first..LINE_MAX;
        shown.lines = numbers.zip(all).map(|(number, line)| (number, Cow::Borrowed(line))).collect();
        shown
    }

    /// W7: what a view of a range shows is *whole* if it begins at line 1, nothing is asked for less, nothing is cut.
    pub(super) fn of_read(mut self, range: Range) -> Self {
        let is_contiguous = (1_u32..).zip(&self.lines).all(|(number, (shown, _))| number == *shown);
        let is_short = !self.is_numbered || self.lines.len() < WHOLE_LINES_MAX;
        self.is_whole |= range.first == 1 && !range.is_given && !self.is_cut && is_contiguous && is_short;
        self
    }

    /// Whether nothing is shown, not even that the file is empty.
    pub(super) fn is_nothing(&self) -> bool {
        self.lines.is_empty() && !self.is_whole && self.total.is_none()
    }

    /// Runs of consecutive numbers, as ranges.
    pub(super) fn runs(&self) -> Vec<std::ops::Range<usize>> {
        let mut end = 0;
        let ranges = self.lines.chunk_by(|a, b| b.0 == a.0 + 1).map(|run| {
            let start = end;
            end += run.len();
            start..end
        });
        ranges.collect()
    }

    pub(super) fn line(&self, number: u32) -> Option<&str> {
        let place = self.lines.binary_search_by_key(&number, |(number, _)| *number).ok()?;
        self.lines.get(place).map(|(_, line)| line.as_ref())
    }
}

/// A line shown that is at least so long, in characters, may be cut at its end.
const LONG_LINE_CHARS: usize = 500;

/// W7: whether a known line and a shown one are the same.
pub(super) fn is_same(known: &str, shown: &str) -> bool {
    match first_difference(known, shown) {
        None => return true,
        Some(at) if at < LONG_LINE_CHARS && is_plain_difference(known, shown, at) => return false,
        Some(_) => {}
    }
    let trimmed = |text: &str, width| expanded(text, width).trim_end().to_owned();
    let has_tabs = known.contains('\t') || shown.contains('\t');
    if has_tabs {
        if [8, 4].into_iter().any(|width| trimmed(known, width) == trimmed(shown, width)) {
            return true;
        }
    } else if known.trim_end() == shown.trim_end() {
        return true;
    }
    let mut start = shown.char_indices().map(|(at, _)| at).skip(LONG_LINE_CHARS - 1);
    // The byte after the first characters, if the text is longer.
    let end = start.next().map(|at| at + shown[at..].chars().next().map_or(0, char::len_utf8));
    end.is_some_and(|end| known.as_bytes().get(..end) == shown.as_bytes().get(..end))
}

/// The first byte in which two texts differ; None: they are equal.
fn first_difference(a: &str, b: &str) -> Option<usize> {
    let common = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    (common < a.len().max(b.len())).then_some(common)
}

/// Whether two texts, which are equal before this byte, have a letter or sign of ASCII there and another character that
/// is no tab: no white space hides that. Most pairs of lines differ so.
fn is_plain_difference(a: &str, b: &str, at: usize) -> bool {
    let (Some(a), Some(b)) = (a.as_bytes().get(at), b.as_bytes().get(at)) else { return false };
    (a.is_ascii_graphic() || b.is_ascii_graphic()) && *a != b'\t' && *b != b'\t'
}

/// Tabs as blanks up to the next stop.
pub(super) fn expanded(text: &str, width: usize) -> Cow<'_, str> {
    if !text.contains('\t') {
        return Cow::Borrowed(text);
    }
    let (mut out, mut column) = (String::with_capacity(text.len() + width), 0);
    for c in text.chars() {
        if c == '\t' {
            let count = width - column % width;
            out.extend(std::iter::repeat_n(' ', count));
            column += count;
        } else {
            out.push(c);
            column += 1;
        }
    }
    Cow::Owned(out)
}

/// W8: whether two lines differ in outer white space only, and are not blank.
pub(super) fn differs_outside(a: &str, b: &str) -> bool {
    a != b && !is_blank(a) && a.trim() == b.trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(text: &str, has_colons: bool) -> String {
        let shown = FileExcerpt::numbered(text, has_colons);
        let lines: Vec<_> = shown.lines.iter().map(|(number, line)| format!("{number}={line}")).collect();
        format!("{}{}", lines.join("|"), if shown.is_cut { " cut" } else { "" })
    }

    #[test]
    fn w7_line_numbers_are_read_with_each_sign_behind_them() {
        for (text, has_colons, expected) in [
            ("Here:\n     1\ta\n     2\t\n     3\tb\n", false, "1=a|2=|3=b"),
            ("     1→a\n     2→", false, "1=a"),
            ("3:x\n5:y\n4:z\n", true, "3=x|5=y"),
            ("3:x", false, ""),
            ("1| a\n2|b", false, "1= a|2=b"),
            ("1. a\n2. b\n3 c", false, "1=a|2=b"),
            ("  1 a\n  2  b", false, "1=a|2= b"),
            ("  1\ta\n  2\tb<response clipped><NOTE>x</NOTE>\n", false, "1=a cut"),
            ("no\nlines", false, ""),
        ] {
            assert_eq!(numbered(text, has_colons), expected, "{text}");
        }
    }

    #[test]
    fn a_listing_keeps_all_lines_and_takes_their_numbers_off() {
        let view_of = |text, is_file| {
            let lines = listing(text, is_file)?;
            let lines = lines.iter().map(|(n, line)| format!("{}{line}", n.map_or(String::new(), |n| format!("{n}="))));
            Some(lines.collect::<Vec<_>>().join("|"))
        };
        assert_eq!(view_of("Here:\n     1\ta\n     2\t\n", false).as_deref(), Some("Here:|1=a|2=|"));
        assert_eq!(view_of("1. a\n2. b", false), None);
        assert_eq!(view_of("1. a\n2. b", true).as_deref(), Some("1=a|2=b"));
        assert_eq!(
            view_of("[File: /m.py (2 lines total)]\n1:a\n2:b", true).as_deref().map(|t| t.contains("1=a|2=b")),
            Some(true)
        );
        assert_eq!(view_of("1\tonly\nwords\nmore", false), None);
    }

    #[test]
    fn w7_raw_lines_end_at_a_notice() {
        let range = Range { first: 9, count: None, is_given: true };
        let raw = |text| {
            FileExcerpt::raw(text, range).lines.iter().map(|(n, l)| format!("{n}={l}")).collect::<Vec<_>>().join("|")
        };
        assert_eq!(raw("l9\nl10\n\n... (10 more lines not shown. Use offset=11"), "9=l9|10=l10");
        assert_eq!(raw("a\n\n[Showing lines 9-9 of 20]"), "9=a");
        assert_eq!(raw("a\nb<response clipped>"), "9=a");
        assert_eq!(raw("a\nb…7 chars truncated…c\nd\n"), "9=a");
        assert_eq!(raw("a\nb\n\n[... omitted 7 of 9 lines ...]\n\nc\n"), "9=a|10=b");
        assert_eq!(raw("a\nb\n[... omitted 7 of 9 lines ...]\n\nc\n"), "9=a");
        assert_eq!(raw("a\nb\n[... output truncated to fit 10240 bytes ...]\n\nc\n"), "9=a");
        assert_eq!(raw("a\nb\n"), "9=a|10=b");
    }

    #[test]
    fn w7_windows_give_path_and_total() {
        let shown =
            FileExcerpt::window("x\n[File: /r/m.py (3 lines total)]\n1:a\n2:\n3:\n(0 more lines below)\n").unwrap();
        assert_eq!((shown.path.as_deref(), shown.total, shown.is_whole), (Some("/r/m.py"), Some(3), true));
        assert_eq!(shown.lines.len(), 3);
        let shown = FileExcerpt::window("[File: /r/m.py (2 lines total)]\n1:a\n2:b\n3:c\n").unwrap();
        assert_eq!((shown.lines.len(), shown.is_whole), (2, true), "no line has a number beyond the total");
    }

    #[test]
    fn w7_lines_that_are_the_same() {
        assert!(is_same("\tx  ", "        x") && is_same("\tx", "    x") && is_same("x ", "x"));
        assert!(!is_same("x", "y") && !is_same(" x", "x"));
        assert!(is_same("a\tb", "a       b") && is_same("x\u{a0}", "x") && is_same("x", "x \u{a0}"));
        assert!(!is_same("x\t", "xy") && !is_same("é", "è") && !is_same("x", "xy") && is_same("x\t", "x"));
        let long = "é".repeat(600);
        assert!(is_same(&long, &format!("{}…", "é".repeat(500))));
        assert!(!is_same(&long, &"é".repeat(400)));
        assert!(differs_outside(" a", "a") && !differs_outside("a", "a") && !differs_outside("a", "b"));
    }
}
