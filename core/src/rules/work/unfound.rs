//! W8: edits whose old text is not in what is known: by the reply, by what agrees, else as a piece.

use super::call::Replacement;
use super::edit::{Editor, PLACES_MAX};
use super::file::{Change, Delta, File};
use super::file_excerpt::{FileExcerpt, is_same};
use super::lcs::pairs;
use super::text::{How, LineId, LineOrigin, lines};
use crate::model::cast;
use std::collections::{HashMap, HashSet};

/// Characters of known lines that must agree where an edit is placed by them.
const AGREE_CHARS_MIN: usize = 10;
/// Lines of a reply times lines of an edit that are compared, at most.
const COMPARED_MAX: usize = 4_000_000;

/// What a file has around the old text of an edit, as far as it is known.
#[derive(Debug, Clone, Default)]
struct Surroundings {
    /// The first line before it.
    prefix: String,
    /// The last line behind it; None: that line is not known.
    suffix: Option<String>,
    /// The line below.
    next: Option<String>,
}

/// The lines that an edit leaves where its old text was.
#[derive(Debug, Clone, PartialEq, Eq)]
struct EditedLines {
    lines: Vec<String>,
    /// Lines of the file that give way to them.
    count: usize,
    /// Whether the line below is one of these: the last line goes on with it.
    joins: bool,
    /// Whether the last line has a part that is not known.
    is_open: bool,
}

impl EditedLines {
    /// W1: line ends are what counts lines: a new text without the last line end of the old one goes on with the line
    /// below, one that has it where the old one has not leaves the rest of the line as a line of its own.
    fn of(edit: &Replacement, takes_line_end: bool, around: &Surroundings) -> Self {
        let Surroundings { prefix, suffix, next } = around;
        let count = lines(&edit.old).len();
        let rest = suffix.as_deref().unwrap_or_default();
        let takes = takes_line_end && edit.new.is_empty() && rest.is_empty();
        let text = format!("{prefix}{}", edit.new);
        let whole = |text: &str, is_open: bool| {
            let lines = lines(text).into_iter().map(str::to_owned).collect();
            Self { lines, count, joins: false, is_open }
        };
        if edit.old.is_empty() {
            return whole(&edit.new, false);
        }
        if !edit.old.ends_with('\n') && !takes {
            return whole(&format!("{text}{rest}\n"), suffix.is_none() && text.ends_with('\n'));
        }
        if text.is_empty() || text.ends_with('\n') {
            return whole(&text, false);
        }
        let joined = whole(&format!("{text}{}\n", next.as_deref().unwrap_or_default()), next.is_none());
        Self { count: count + 1, joins: true, ..joined }
    }
}

impl Editor<'_> {
    /// W8, not found: by the reply, by what agrees, else as a piece.
    pub(super) fn place_unfound(
        &mut self,
        file: &mut File,
        edit: &Replacement,
        takes_line_end: bool,
        replies: &[&FileExcerpt<'_>],
        is_only: bool,
    ) -> Delta {
        let old = lines(&edit.old);
        let span = EditedLines::of(edit, takes_line_end, &Surroundings::default());
        if let Some((from, reply)) = replies.iter().find_map(|reply| Some((span_place(reply, &span, edit)?, *reply))) {
            let shown = |(text, number): (&String, u32)| {
                reply.line(number).filter(|line| line.contains(text.as_str())).unwrap_or(text).to_owned()
            };
            let lines: Vec<String> = span.lines.iter().zip(from..).map(shown).collect();
            let last = from + cast::to_u32(lines.len().saturating_sub(1));
            let is_open = span.is_open && reply.line(last).is_none();
            return self.put_at(file, from, &old, &EditedLines { lines, is_open, ..span });
        }
        let agreed = (is_only && file.doubt.is_none()).then(|| self.agreed_place(file, &old)).flatten();
        if let Some(from) = agreed {
            let around = self.surroundings(file, from, &old);
            return self.put_at(file, from, &old, &EditedLines::of(edit, takes_line_end, &around));
        }
        let takes = takes_line_end && edit.new.is_empty() && !edit.old.ends_with('\n');
        let ends = |text: &str| text.matches('\n').count();
        let new = lines(&edit.new);
        // Either is a change of the count: of lines as W1 cuts them, and of those of the file.
        let moves = old.len() != new.len() || ends(&edit.old) + usize::from(takes) != ends(&edit.new);
        self.add_piece(file, &old, &new, moves)
    }

    /// What is known around old lines from a line on.
    fn surroundings(&self, file: &File, from: u32, old: &[&str]) -> Surroundings {
        let known = |number: u32| file.line(number).map(|known| self.texts.text(known.id));
        let count = cast::to_u32(old.len());
        let part = |part: Option<&str>| part.filter(|_| count > 1).unwrap_or_default().to_owned();
        let last = known(from + count - 1);
        Surroundings {
            prefix: part(known(from).and_then(|line| line.strip_suffix(old.first()?))),
            suffix: last.map(|line| part(old.last().and_then(|old| line.strip_prefix(old)))),
            next: known(from + count).map(str::to_owned),
        }
    }

    /// Puts new lines in the place of old ones, from line `from` on; not all of the old lines were known.
    fn put_at(&mut self, file: &mut File, from: u32, old: &[&str], span: &EditedLines) -> Delta {
        // Behind the last line there is none with which a text goes on.
        let is_end = span.joins && file.total == Some(from + cast::to_u32(old.len()) - 1);
        let count = span.count - usize::from(is_end);
        let numbers = (from..).take(count);
        let known: Vec<Option<LineId>> = numbers.map(|number| file.line(number).map(|known| known.id)).collect();
        let quoted = old.iter().map(Some).chain(std::iter::repeat(None));
        let text_of = |(id, text): (&Option<LineId>, Option<&&str>)| {
            id.map(|id| self.texts.text(id)).or(text.copied()).map(str::to_owned)
        };
        let before: Vec<Option<String>> = known.iter().zip(quoted).map(text_of).collect();
        let after: Vec<Option<String>> = span.lines.iter().cloned().map(Some).collect();
        let pairs = pairs(&before, &after, self.fuel);
        let head = cast::to_u32(pairs.iter().zip(0..).take_while(|((i, j), n)| i == n && j == n).count());
        let of_new: HashMap<usize, usize> = pairs.into_iter().map(|(i, j)| (j, i)).collect();
        let stay = of_new.len() as u64;
        let (mut ids, mut unchanged) = (Vec::with_capacity(span.lines.len()), 0);
        for (j, text) in span.lines.iter().enumerate() {
            let stays = of_new.get(&j).map(|i| known[*i]);
            let id = match stays {
                Some(Some(id)) => {
                    unchanged += 1;
                    Some(id)
                }
                stays => {
                    let how = if stays.is_some() { How::Context } else { self.how };
                    self.texts.add(std::iter::once((text.as_str(), self.origin(how)))).first().copied()
                }
            };
            ids.extend(id);
        }
        file.apply(&[Change { from, count: cast::to_u32(count), new: ids }], self.step);
        if is_end {
            span.lines.last().iter().for_each(|text| file.end_with(text));
        } else if span.is_open
            && let Ok(place) = file.place(from + cast::to_u32(span.lines.len()) - 1)
        {
            file.lines.remove(place);
        }
        file.is_whole = false;
        let (added, removed) = (span.lines.len() as u64 - unchanged, count as u64 - unchanged);
        Delta { line: Some(from + head), added, removed, quoted: stay - unchanged }
    }

    /// W8: nobody says where: a piece.
    fn add_piece(&mut self, file: &mut File, old: &[&str], new: &[&str], moves: bool) -> Delta {
        let stays: HashSet<usize> = pairs(old, new, self.fuel).into_iter().map(|(_, j)| j).collect();
        let how = |j: usize| if stays.contains(&j) { How::Context } else { self.how };
        let fresh: Vec<(&str, LineOrigin)> =
            new.iter().enumerate().map(|(j, text)| (*text, self.origin(how(j)))).collect();
        let ids = self.texts.add(fresh.into_iter());
        self.put_piece(file, ids, moves);
        Delta { line: None, added: new.len() as u64, removed: old.len() as u64, quoted: stays.len() as u64 }
    }

    /// The one line number where each known line in the span agrees.
    fn agreed_place(&mut self, file: &File, old: &[&str]) -> Option<u32> {
        if old.is_empty() {
            return None;
        }
        let mut inner: HashMap<&str, Vec<usize>> = HashMap::new();
        old.iter().enumerate().for_each(|(i, text)| inner.entry(text).or_default().push(i));
        let mut starts: Vec<u32> = Vec::new();
        for known in &file.lines {
            let text = self.texts.text(known.id);
            let of = |i: usize| known.number.checked_sub(cast::to_u32(i)).filter(|start| *start > 0);
            starts.extend(inner.get(text).into_iter().flatten().filter_map(|i| of(*i)));
            starts.extend(of(0).filter(|_| text.ends_with(old[0])));
            starts.extend(of(old.len() - 1).filter(|_| text.starts_with(old[old.len() - 1])));
            if starts.len() > PLACES_MAX {
                return None;
            }
        }
        starts.sort_unstable();
        starts.dedup();
        if !self.fuel.take(starts.len().saturating_mul(old.len())) {
            return None;
        }
        let mut fits = starts.into_iter().filter(|start| self.agrees(file, *start, old));
        let only = fits.next()?;
        fits.next().is_none().then_some(only)
    }

    fn agrees(&self, file: &File, start: u32, old: &[&str]) -> bool {
        let mut chars = 0;
        for known in &file.lines[file.places(start, start.saturating_add(cast::to_u32(old.len()) - 1))] {
            let (text, i) = (self.texts.text(known.id), (known.number - start) as usize);
            let is_equal = text == old[i]
                || (old.len() > 1 && i == 0 && text.ends_with(old[i]))
                || (old.len() > 1 && i + 1 == old.len() && text.starts_with(old[i]));
            if !is_equal {
                return false;
            }
            chars += old[i].chars().filter(|c| !c.is_whitespace()).count();
        }
        chars >= AGREE_CHARS_MIN
    }
}

/// The line number at which a reply shows what an edit leaves, or at least its new text.
fn span_place(reply: &FileExcerpt<'_>, span: &EditedLines, edit: &Replacement) -> Option<u32> {
    let whole: Vec<&str> = span.lines.iter().map(String::as_str).collect();
    shown_place(reply, &whole).or_else(|| shown_place(reply, &lines(&edit.new)))
}

/// The line number at which a reply shows new lines: whole ones first, else the first and the last in part.
fn shown_place(reply: &FileExcerpt<'_>, new: &[&str]) -> Option<u32> {
    let all = &reply.lines;
    let is_blank = new.iter().all(|line| line.trim().is_empty());
    if is_blank || all.len().saturating_mul(new.len()) > COMPARED_MAX {
        return None;
    }
    let fits = |at: usize, is_exact: bool| {
        let Some(lines) = all.get(at..at + new.len()) else { return false };
        let is_run = lines.windows(2).all(|pair| pair[0].0 + 1 == pair[1].0);
        is_run
            && lines.iter().zip(new).enumerate().all(|(j, ((_, line), text))| {
                let is_end = j == 0 || j + 1 == new.len();
                is_same(text, line) || line.trim() == text.trim() || (!is_exact && is_end && line.contains(text))
            })
    };
    let place = |is_exact| (0..all.len()).find(|at| fits(*at, is_exact));
    place(true).or_else(|| place(false)).map(|at| all[at].0)
}
