//! W8: what a result reports that an edit did, where that is more or other than what the call asked for.

use super::edit::Editor;
use super::file::{Change, Delta, File};
use super::file_excerpt::FileExcerpt;
use super::patch::{self, FilePatch, Hunk, Sign};
use crate::model::cast;

impl Editor<'_> {
    /// An edit of opencode as its diff reports it: the tool also finds texts that are only like the old one. None: the
    /// diff is not of what is known of the file.
    pub(super) fn replay_diff(&mut self, file: &mut File, diff: &str) -> Option<Delta> {
        // A line without an end is in no hunk.
        if diff.contains("\n\\ No newline") {
            return None;
        }
        let mut patches = patch::parse(diff).into_iter();
        let (Some(FilePatch::Update { target: None, hunks, .. }), None) = (patches.next(), patches.next()) else {
            return None;
        };
        let indent = self.indent_of(file, &hunks)?;
        let mut delta = Delta::default();
        for hunk in hunks {
            let (from, hunk) = (hunk.new_start?, indented(hunk, &indent));
            let count = hunk.lines.iter().filter(|(sign, _)| *sign != Sign::Added).count();
            let known = |i: usize| file.line(from + cast::to_u32(i)).map(|known| known.id);
            let (new, of_hunk) = self.hunk_lines(&hunk, known, from);
            file.apply(&[Change { from, count: cast::to_u32(count), new }], self.step);
            delta = delta.and(of_hunk);
        }
        Some(delta)
    }

    /// opencode takes off the white space with which all lines of its diff begin: what the known lines have more, which
    /// must be the same for all.
    fn indent_of(&self, file: &File, hunks: &[Hunk]) -> Option<String> {
        let mut indent: Option<&str> = None;
        let (mut added, mut removed) = (0, 0);
        for hunk in hunks {
            let mut at = hunk.new_start?.checked_add(removed)?.checked_sub(added)?;
            if hunk.lines.iter().all(|(sign, _)| *sign == Sign::Added) {
                return None;
            }
            for (sign, text) in &hunk.lines {
                added += u32::from(*sign == Sign::Added);
                removed += u32::from(*sign == Sign::Removed);
                if *sign == Sign::Added {
                    continue;
                }
                let known = file.line(at).map(|known| self.texts.text(known.id));
                at += 1;
                match known {
                    None => {}
                    Some(known) if text.trim().is_empty() && known.trim().is_empty() => {}
                    Some(known) => {
                        let more = known.strip_suffix(text.as_str()).filter(|more| more.trim().is_empty())?;
                        let is_other = text.trim().is_empty() || indent.is_some_and(|indent| indent != more);
                        indent = (!is_other).then_some(more);
                        indent?;
                    }
                }
            }
        }
        indent.map(str::to_owned)
    }

    /// Claude Code finds text with typographic quotes by straight ones, and keeps the quotes of the file: its patch
    /// shows them. In that the tabs before a line are blanks.
    pub(super) fn keep_quotes(&mut self, file: &mut File, shown: &FileExcerpt<'_>) {
        for (number, text) in shown.lines.iter().filter(|(_, text)| text.contains(QUOTES)) {
            let Ok(place) = file.place(*number) else { continue };
            let id = file.lines[place].id;
            let (known, text) = (self.texts.text(id).to_owned(), text.trim_start());
            let (start, rest) = known.split_at(known.len() - known.trim_start().len());
            let Some(origin) = self.texts.origin(id).filter(|origin| origin.step == self.step) else { continue };
            if rest != text && straight(rest) == straight(text) {
                let line = format!("{start}{text}");
                let new = self.texts.add(std::iter::once((line.as_str(), origin)));
                file.lines[place].id = new.first().copied().unwrap_or(id);
            }
        }
    }
}

/// A hunk whose lines begin with white space that its diff left out.
fn indented(hunk: Hunk, indent: &str) -> Hunk {
    let line = |(sign, text): (Sign, String)| {
        let text = if text.is_empty() { text } else { format!("{indent}{text}") };
        (sign, text)
    };
    Hunk { lines: hunk.lines.into_iter().map(line).collect(), ..hunk }
}

/// Typographic quotes.
const QUOTES: [char; 4] = ['\u{2018}', '\u{2019}', '\u{201c}', '\u{201d}'];

/// A text with straight quotes in the place of typographic ones.
fn straight(text: &str) -> String {
    let quote = |c: char| match c {
        '\u{2018}' | '\u{2019}' => '\'',
        '\u{201c}' | '\u{201d}' => '"',
        other => other,
    };
    text.chars().map(quote).collect()
}
