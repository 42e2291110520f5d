//! Edits as differences: removed and added lines with their numbers, what stays between them.

use super::builder::Builder;
use super::line::{CODE_TABS, Lead, ReadingLine, untabbed};
use crate::model::cast;
use crate::rules::work::PatchedFile;
use crate::text::Role;
use imara_diff::{Algorithm, Diff, InternedInput};

/// Longest texts that are compared line by line, in bytes; longer ones are shown as removed and added as a whole.
const COMPARED_BYTES_MAX: usize = 256 << 10;

/// A line of a difference: its sign (`+`, `-` or a blank), its number, its text.
type Changed = (char, Option<u32>, String);

/// Puts what an edit does; `start` is the number of its first line, if it is known.
pub(super) fn put_edit(out: &mut Builder, old: &str, new: &str, start: Option<u32>) {
    let old: Vec<&str> = out.lines(old);
    let new: Vec<&str> = out.lines(new);
    let (old, new) = (without_empty(old), without_empty(new));
    let lines = changed(&old, &new, start);
    put_lines(out, lines);
}

/// Puts what a patch does to a file.
pub(super) fn put_file(out: &mut Builder, file: &PatchedFile) {
    for (number, hunk) in file.hunks.iter().enumerate() {
        if number > 0 || hunk.anchor.is_some() {
            let anchor = hunk.anchor.as_deref().map(str::trim).unwrap_or_default();
            out.line(ReadingLine::of(Role::Dim, format!("⋯ {anchor}").trim_end().to_owned()));
        }
        let (mut old, mut new) = (hunk.start, hunk.start);
        let lines = hunk.lines.iter().map(|(sign, text)| {
            let bump = |number: &mut Option<u32>| {
                let was = *number;
                *number = was.map(|n| n.saturating_add(1));
                was
            };
            let number = match sign {
                '-' => bump(&mut old),
                '+' => bump(&mut new),
                _ => {
                    bump(&mut old);
                    bump(&mut new)
                }
            };
            (*sign, number, text.strip_suffix('\r').unwrap_or(text).to_owned())
        });
        put_lines(out, lines.collect());
    }
}

/// Puts lines that are all new.
pub(super) fn put_new(out: &mut Builder, text: &str, start: Option<u32>) {
    let lines = out.lines(text);
    let lines = (0..).zip(lines).map(|(i, line)| ('+', start.map(|n| n.saturating_add(i)), line.to_owned())).collect();
    put_lines(out, lines);
    out.note_rest(text);
}

/// An empty text has no line.
fn without_empty(lines: Vec<&str>) -> Vec<&str> {
    if lines == [""] { Vec::new() } else { lines }
}

fn changed(old: &[&str], new: &[&str], start: Option<u32>) -> Vec<Changed> {
    let mut input = InternedInput::default();
    let size = |lines: &[&str]| lines.iter().map(|line| line.len()).sum::<usize>();
    let at = |offset: u32| start.map(|n| n.saturating_add(offset));
    let line = |sign: char, lines: &[&str], i: u32| (sign, at(i), lines[i as usize].to_owned());
    let all =
        |sign: char, lines: &[&str]| (0..cast::to_u32(lines.len())).map(|i| line(sign, lines, i)).collect::<Vec<_>>();
    if size(old) + size(new) > COMPARED_BYTES_MAX {
        return [all('-', old), all('+', new)].concat();
    }
    input.update_before(old.iter().copied());
    input.update_after(new.iter().copied());
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let (mut out, mut at_new) = (Vec::new(), 0);
    for hunk in diff.hunks() {
        out.extend((at_new..hunk.after.start).map(|i| line(' ', new, i)));
        out.extend(hunk.before.map(|i| line('-', old, i)));
        at_new = hunk.after.end;
        out.extend(hunk.after.map(|i| line('+', new, i)));
    }
    out.extend((at_new..cast::to_u32(new.len())).map(|i| line(' ', new, i)));
    out
}

fn put_lines(out: &mut Builder, lines: Vec<Changed>) {
    let digits = lines.iter().filter_map(|(_, number, _)| *number).max().map_or(0, |n| n.to_string().len());
    for (sign, number, text) in lines {
        let (sign, role) = match sign {
            '-' => ("− ", Role::Removed),
            '+' => ("+ ", Role::Added),
            _ => ("  ", Role::Text),
        };
        let number = number.map_or(String::new(), |number| format!("{number:>digits$}  "));
        let leads = vec![Lead::once(role, sign), Lead::once(Role::Dim, number)];
        let spans = if text.is_empty() { Vec::new() } else { vec![(role, untabbed(&text, CODE_TABS))] };
        out.line(ReadingLine { leads, spans, ..ReadingLine::default() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line_texts(lines: Vec<Changed>) -> Vec<String> {
        let line = |(sign, number, text): Changed| format!("{sign}{}{text}", number.map_or(0, |n| n));
        lines.into_iter().map(line).collect()
    }

    #[test]
    fn an_edit_is_what_it_removes_and_adds() {
        let (old, new) = (["a", "b", "c", "d"], ["a", "x", "y", "c", "d", "e"]);
        assert_eq!(line_texts(changed(&old, &new, Some(10))), [" 10a", "-11b", "+11x", "+12y", " 13c", " 14d", "+15e"]);
        assert_eq!(line_texts(changed(&[], &["n"], None)), ["+0n"]);
    }
}
