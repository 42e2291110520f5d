//! W8: what edits do to the lines of a file.

use super::call::Replacement;
use super::file::{Change, Delta, File};
use super::file_excerpt::{FileExcerpt, is_same};
use super::lcs::{Fuel, pairs};
use super::text::{How, LineId, LineOrigin, Texts, lines};
use crate::model::StepNo;
use crate::model::cast;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// Most places at which the old text is tried.
pub(super) const PLACES_MAX: usize = 1000;

/// Edits files at one step.
pub(super) struct Editor<'e> {
    pub(super) texts: &'e mut Texts,
    pub(super) fuel: &'e mut Fuel,
    pub(super) step: StepNo,
    pub(super) call: StepNo,
    pub(super) how: How,
}

/// A run of known lines as one text; each line ends in a line end.
struct RunText {
    text: String,
    /// Where each line begins.
    starts: Vec<usize>,
    ids: Vec<LineId>,
    /// Number of the first line; None: a piece.
    first: Option<u32>,
}

impl RunText {
    fn line_of(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte).saturating_sub(1)
    }

    fn end_of(&self, line: usize) -> usize {
        self.starts.get(line + 1).copied().unwrap_or(self.text.len())
    }
}

/// Matches that touch the same lines.
struct Group {
    first: usize,
    last: usize,
    matches: Vec<Range<usize>>,
    /// Whether the new text continues on the line behind the run, as it has no line end.
    is_open: bool,
}

impl Editor<'_> {
    pub(super) fn origin(&self, how: How) -> LineOrigin {
        LineOrigin { step: self.step, call: self.call, how }
    }

    /// Lines of a new text: those that stay keep their origin. The first line that differs, counted from the first.
    fn renewed(&mut self, old: &[LineId], new: &[&str]) -> (Vec<LineId>, Delta) {
        let old_texts: Vec<&str> = old.iter().map(|id| self.texts.text(*id)).collect();
        let pairs = pairs(&old_texts, new, self.fuel);
        let unchanged: HashMap<usize, LineId> = pairs.iter().map(|(i, j)| (*j, old[*i])).collect();
        let origin = self.origin(self.how);
        let fresh = (0..new.len()).filter(|j| !unchanged.contains_key(j)).map(|j| (new[j], origin));
        let mut fresh = self.texts.add(fresh).into_iter();
        let ids = (0..new.len()).filter_map(|j| unchanged.get(&j).copied().or_else(|| fresh.next())).collect();
        let (added, removed) = (new.len() - unchanged.len(), old.len() - unchanged.len());
        let head = pairs.iter().zip(0..).take_while(|((i, j), n)| i == n && j == n).count();
        let line = (added + removed > 0).then_some(cast::to_u32(head));
        (ids, Delta { line, added: added as u64, removed: removed as u64, quoted: 0 })
    }

    /// W8 *write*: the whole file.
    pub(super) fn write(&mut self, file: &mut File, text: &str) -> Delta {
        let old: Vec<LineId> = file.lines.iter().map(|known| known.id).collect();
        let (ids, delta) = self.renewed(&old, &lines(text));
        file.set_lines(ids, self.step);
        file.end_with(text);
        file.doubt = None;
        Delta { line: Some(1), ..delta }
    }

    /// W8 *insert*: after a line, split at each line end; None: at the end.
    pub(super) fn insert(&mut self, file: &mut File, line: Option<u32>, text: &str) -> Delta {
        let origin = self.origin(self.how);
        let new = self.texts.add(text.split('\n').map(|line| (line, origin)));
        let added = new.len() as u64;
        let Some(line) = line.or(file.total) else {
            file.push_piece(new);
            return Delta { added, ..Delta::default() };
        };
        let from = line.saturating_add(1);
        file.apply(&[Change { from, count: 0, new }], self.step);
        file.is_whole &= file.is_complete();
        Delta { line: Some(from), added, ..Delta::default() }
    }

    /// Lines after the end; a file that is not whole does not say where that is. A last line without a line end goes
    /// on.
    pub(super) fn append(&mut self, file: &mut File, text: &str) -> Delta {
        if text.is_empty() {
            return Delta { line: file.total.map(|total| total + 1), ..Delta::default() };
        }
        let joined = file.unended_line();
        let text = match joined {
            Some(last) => Cow::Owned(format!("{}{text}", self.texts.text(last.id))),
            None => Cow::Borrowed(text),
        };
        let origin = self.origin(self.how);
        let new = self.texts.add(lines(&text).into_iter().map(|line| (line, origin)));
        let (added, removed) = (new.len() as u64, u64::from(joined.is_some()));
        let line = joined.map(|last| last.number).or_else(|| file.total.map(|total| total + 1));
        match line {
            Some(from) => {
                file.apply(&[Change { from, count: u32::from(joined.is_some()), new }], self.step);
                file.end_with(&text);
            }
            None => file.push_piece(new),
        }
        Delta { line, added, removed, quoted: 0 }
    }

    /// W8 *splice*: lines `from` to `to`.
    pub(super) fn splice(&mut self, file: &mut File, from: u32, to: u32, text: &str) -> Delta {
        let to = file.total.map_or(to, |total| to.min(total));
        let from = from.max(1);
        let count = (to + 1).saturating_sub(from);
        let old: Vec<LineId> = file.lines[file.places(from, to)].iter().map(|known| known.id).collect();
        let unchanged_before = old.len();
        let (new, delta) = self.renewed(&old, &lines(text));
        file.apply(&[Change { from, count, new }], self.step);
        file.is_whole &= file.is_complete();
        let removed = delta.removed + u64::from(count).saturating_sub(unchanged_before as u64);
        Delta { line: Some(from), removed, ..delta }
    }

    /// W8 *replace*; None if no known line run contains the old text.
    pub(super) fn replace(
        &mut self,
        file: &mut File,
        edit: &Replacement,
        (is_all, takes_line_end): (bool, bool),
        reply: &FileExcerpt<'_>,
    ) -> Option<Delta> {
        if edit.old.is_empty() {
            let is_empty = file.lines.is_empty() && file.pieces.is_empty();
            return is_empty.then(|| self.write(file, &edit.new));
        }
        let takes = takes_line_end && edit.new.is_empty() && !edit.old.ends_with('\n');
        let matches = |run: &RunText| -> Vec<Range<usize>> {
            let all = run.text.match_indices(&edit.old).map(|(at, old)| {
                let end = at + old.len();
                at..end + usize::from(takes && run.text[end..].starts_with('\n'))
            });
            all.collect()
        };
        let mut found: Vec<(RunText, Vec<Range<usize>>)> = Vec::new();
        // Where the last line has no line end, some tools find a text that has one all the same.
        for is_ended in [file.unended_line().is_none(), true] {
            if found.is_empty() {
                let runs = self.run_texts(file, is_ended).into_iter();
                found = runs.map(|run| (matches(&run), run)).map(|(all, run)| (run, all)).collect();
                found.retain(|(_, all)| !all.is_empty());
            }
        }
        if !is_all {
            found = self.chosen(found, edit, reply).into_iter().collect();
        }
        (!found.is_empty()).then(|| self.put(file, &found, &edit.new))
    }

    /// Runs of known lines, then pieces, as texts; `is_ended`: the last line of the file has a line end.
    fn run_texts(&mut self, file: &File, is_ended: bool) -> Vec<RunText> {
        let runs = file.runs().into_iter().map(|run| {
            let known = &file.lines[run];
            (known.first().map(|known| known.number), known.iter().map(|known| known.id).collect::<Vec<_>>())
        });
        let pieces = file.pieces.iter().map(|piece| (None, piece.to_vec()));
        let all: Vec<_> = runs.chain(pieces).collect();
        let count: usize = all.iter().map(|(_, ids)| ids.len()).sum();
        if !self.fuel.take(count.saturating_mul(16)) {
            return Vec::new();
        }
        let unended = file.unended_line().filter(|_| !is_ended).map(|last| last.id);
        let text_of = |(first, ids): (Option<u32>, Vec<LineId>)| {
            let (mut text, mut starts) = (String::new(), Vec::with_capacity(ids.len()));
            for id in &ids {
                starts.push(text.len());
                text.push_str(self.texts.text(*id));
                text.push('\n');
            }
            if first.is_some() && unended.is_some() && ids.last().copied() == unended {
                text.pop();
            }
            RunText { text, starts, ids, first }
        };
        all.into_iter().map(text_of).collect()
    }

    /// Of several matches the one that the reply shows, else the first.
    fn chosen(
        &mut self,
        found: Vec<(RunText, Vec<Range<usize>>)>,
        edit: &Replacement,
        reply: &FileExcerpt<'_>,
    ) -> Option<(RunText, Vec<Range<usize>>)> {
        let count: usize = found.iter().map(|(_, matches)| matches.len()).sum();
        let mut choice = (0, 0);
        if count > 1 && !reply.lines.is_empty() {
            let each = found.iter().enumerate().flat_map(|(i, (_, matches))| (0..matches.len()).map(move |j| (i, j)));
            let is_shown = |(i, j): &(usize, usize)| {
                let (run, matches) = &found[*i];
                is_shown_at(run, &matches[*j], &edit.new, reply)
            };
            choice = each.take(PLACES_MAX).find(is_shown).unwrap_or(choice);
        }
        let (run, matches) = found.into_iter().nth(choice.0)?;
        let chosen = matches.into_iter().nth(choice.1)?;
        Some((run, vec![chosen]))
    }

    /// Replaces the matches by a text.
    fn put(&mut self, file: &mut File, found: &[(RunText, Vec<Range<usize>>)], new: &str) -> Delta {
        let mut delta = Delta::default();
        let (mut changes, mut open) = (Vec::new(), Vec::new());
        let (mut end, mut moves) = (None, false);
        for (run, matches) in found {
            let mut piece: Option<Vec<LineId>> = None;
            for group in groups(run, matches, new).into_iter().rev() {
                let span = span_text(run, &group, new);
                let old = run.ids[group.first..=group.last].to_vec();
                let (ids, renewal) = self.renewed(&old, &lines(&span));
                match run.first {
                    Some(first) => {
                        let from = first + cast::to_u32(group.first);
                        let is_end = group.last + 1 == run.ids.len() && !run.text.ends_with('\n');
                        end = end.or_else(|| is_end.then(|| span.clone()));
                        let renewal = Delta { line: renewal.line.map(|head| from + head), ..renewal };
                        delta = delta.and(renewal);
                        let last = from + cast::to_u32(old.len()) - 1;
                        // What a last line goes on with is not known.
                        let is_open = group.is_open && file.total != Some(last);
                        open.extend(ids.last().copied().filter(|_| is_open));
                        let count = cast::to_u32(old.len()) + u32::from(is_open);
                        changes.push(Change { from, count, new: ids });
                    }
                    None => {
                        delta = delta.and(Delta { line: None, ..renewal });
                        moves |= ids.len() != old.len();
                        piece.get_or_insert_with(|| run.ids.clone()).splice(group.first..=group.last, ids);
                    }
                }
            }
            if let Some(new) = piece {
                self.renew_piece(file, &run.ids, new);
            }
        }
        changes.sort_by_key(|change| change.from);
        file.apply(&changes, self.step);
        file.lines.retain(|known| !open.contains(&known.id));
        if moves {
            file.lose_numbers();
        }
        end.iter().for_each(|text| file.end_with(text));
        delta
    }

    fn renew_piece(&self, file: &mut File, old: &[LineId], new: Vec<LineId>) {
        if let Some(place) = file.pieces.iter().position(|piece| **piece == *old) {
            if new.is_empty() { drop(file.pieces.remove(place)) } else { file.pieces[place] = new.into() }
        }
    }

    /// Adds a piece. If it changes the number of lines, known lines lose their numbers.
    pub(super) fn put_piece(&mut self, file: &mut File, ids: Vec<LineId>, moves: bool) {
        if moves {
            file.lose_numbers();
        }
        file.push_piece(ids);
        (file.is_whole, file.is_deleted) = (false, false);
    }
}

/// Matches with the lines that they touch; those that share lines are together.
fn groups(run: &RunText, matches: &[Range<usize>], new: &str) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for found in matches {
        let first = run.line_of(found.start);
        let takes_end = run.text[..found.end].ends_with('\n');
        let is_line = new.is_empty() && run.starts.get(first) == Some(&found.start);
        let joins = takes_end && !new.ends_with('\n') && !is_line;
        let last = run.line_of(found.end.saturating_sub(usize::from(!joins)).max(found.start)).min(run.ids.len() - 1);
        let is_open = joins && found.end == run.text.len();
        match groups.last_mut().filter(|group| first <= group.last) {
            Some(group) => {
                group.last = group.last.max(last);
                group.is_open |= is_open;
                group.matches.push(found.clone());
            }
            None => groups.push(Group { first, last, matches: vec![found.clone()], is_open }),
        }
    }
    groups
}

/// The touched lines with the new text in place of the matches.
fn span_text(run: &RunText, group: &Group, new: &str) -> String {
    let mut out = String::new();
    let mut from = run.starts.get(group.first).copied().unwrap_or(0);
    for found in &group.matches {
        out.push_str(run.text.get(from..found.start).unwrap_or_default());
        out.push_str(new);
        from = found.end;
    }
    out.push_str(run.text.get(from..run.end_of(group.last)).unwrap_or_default());
    out
}

/// Whether the reply shows the new text in place of a match.
fn is_shown_at(run: &RunText, found: &Range<usize>, new: &str, reply: &FileExcerpt<'_>) -> bool {
    let Some(first) = run.first else { return false };
    let Some(group) = groups(run, std::slice::from_ref(found), new).pop() else { return false };
    let span = span_text(run, &group, new);
    let numbers = first + cast::to_u32(group.first)..;
    let mut shown = 0;
    for (text, number) in lines(&span).into_iter().zip(numbers) {
        match reply.line(number) {
            Some(line) if is_same(text, line) => shown += 1,
            Some(_) => return false,
            None => {}
        }
    }
    shown > 0
}
