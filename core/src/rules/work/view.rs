//! W7: what a result shows joins what is known.

use super::file::{Delta, File, NumberedLine};
use super::file_excerpt::{FileExcerpt, differs_outside, is_same};
use super::lcs::{Fuel, pairs};
use super::text::{How, LineId, LineOrigin, Texts, is_blank, moved_line};
use crate::model::StepNo;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Lines above and below a run that are compared with it.
const NEAR_LINES: u32 = 100;

/// What contradicted that was known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Contradiction {
    /// Lines that came and went.
    pub(super) delta: Delta,
    /// The last step that had the lines; None: nothing contradicts.
    pub(super) since: Option<StepNo>,
    /// Whether a line just written is shown with other outer white space.
    pub(super) has_other_space: bool,
}

impl Contradiction {
    pub(super) fn is_any(&self) -> bool {
        self.since.is_some() || self.has_other_space
    }

    fn note(&mut self, had: StepNo) {
        self.since = self.since.max(Some(had));
    }

    fn went(&mut self, known: &NumberedLine) {
        self.note(known.had);
        self.delta = self.delta.and(Delta { line: Some(known.number), removed: 1, ..Delta::default() });
    }
}

/// Shows lines of a file.
pub(super) struct Viewer<'v> {
    pub(super) texts: &'v mut Texts,
    pub(super) fuel: &'v mut Fuel,
    pub(super) step: StepNo,
    pub(super) call: StepNo,
    /// The origin of lines that are new in what is shown.
    pub(super) how: How,
    /// Whether it is the reply to an edit.
    pub(super) is_reply: bool,
}

/// One run of shown lines.
type Lines<'l, 't> = &'l [(u32, Cow<'t, str>)];

impl Viewer<'_> {
    /// W7: joins what is shown; what it contradicts.
    pub(super) fn show(&mut self, file: &mut File, shown: &FileExcerpt<'_>) -> Contradiction {
        let mut found = Contradiction::default();
        if self.is_reply {
            self.fix_space(file, shown, &mut found);
        }
        for run in shown.runs() {
            if let Some(lines) = shown.lines.get(run) {
                self.show_run(file, lines, &mut found);
            }
        }
        self.end(file, shown, &mut found);
        self.place_pieces(file, shown);
        file.seen = Some(self.step);
        file.is_deleted = false;
        file.is_dirty = true;
        found
    }

    /// W8: a line just written and shown with other outer white space takes the shown text.
    fn fix_space(&mut self, file: &mut File, shown: &FileExcerpt<'_>, found: &mut Contradiction) {
        for (number, text) in &shown.lines {
            let Ok(place) = file.place(*number) else { continue };
            let id = file.lines[place].id;
            let origin = self.texts.origin(id).filter(|o| o.step == self.step && o.how != How::View);
            if let Some(origin) = origin.filter(|_| differs_outside(self.texts.text(id), text)) {
                let new = self.texts.add(std::iter::once((text.as_ref(), origin)));
                file.lines[place].id = new.first().copied().unwrap_or(id);
                found.has_other_space = true;
            }
        }
    }

    fn show_run(&mut self, file: &mut File, lines: Lines<'_, '_>, found: &mut Contradiction) {
        let mut contradicted = Vec::new();
        for (number, text) in lines {
            let other = file.line(*number).filter(|known| !is_same(self.texts.text(known.id), text));
            contradicted.extend(other.map(|known| known.had));
        }
        let end = file.total.filter(|_| file.is_whole);
        let goes_on = end.is_some_and(|end| lines.iter().any(|(number, text)| *number > end && !is_blank(text)));
        if goes_on {
            contradicted.extend(file.lines.iter().map(|known| known.had).max().or(Some(file.first)));
        }
        if contradicted.is_empty() {
            self.agree(file, lines);
        } else {
            contradicted.into_iter().for_each(|had| found.note(had));
            self.disagree(file, lines, found);
        }
    }

    /// Nothing contradicts: what is known keeps its origin, the rest is new.
    fn agree(&mut self, file: &mut File, lines: Lines<'_, '_>) {
        let mut new = Vec::new();
        for (number, text) in lines {
            match file.place(*number) {
                Ok(place) => file.lines[place].had = self.step,
                Err(_) => new.push((*number, text.as_ref())),
            }
        }
        let ids = self.view(new.iter().map(|(_, text)| *text));
        let known = new.iter().zip(ids).map(|((number, _), id)| NumberedLine { number: *number, id, had: self.step });
        file.lines.extend(known);
        file.lines.sort_by_key(|known| known.number);
        // Blank lines behind the end of a whole file are lines of it too.
        let last = file.lines.last().map(|known| known.number);
        if file.is_whole && last > file.total {
            file.total = last;
            file.is_whole = file.is_complete();
            file.total = last.filter(|_| file.is_whole);
        }
    }

    fn view<'t>(&mut self, texts: impl Iterator<Item = &'t str>) -> Vec<LineId> {
        let origin = LineOrigin { step: self.step, call: self.call, how: self.how };
        self.texts.add(texts.map(|text| (text, origin)))
    }

    /// W7: a run that contradicts: lines that moved keep their origins.
    fn disagree(&mut self, file: &mut File, lines: Lines<'_, '_>, found: &mut Contradiction) {
        let (Some((first, _)), Some((last, _))) = (lines.first(), lines.last()) else { return };
        let near = file.places(first.saturating_sub(NEAR_LINES), last.saturating_add(NEAR_LINES));
        let known = file.lines[near].to_vec();
        let pairs = self.moved(&known, lines);
        let shift_of = |&(i, j): &(usize, usize)| i64::from(lines[j].0) - i64::from(known[i].number);
        let shift = pairs.last().map_or(0, shift_of);
        let low = i64::from(*first).min(i64::from(*first) - pairs.first().map_or(0, shift_of));
        let last_paired = pairs.iter().map(|(i, _)| i64::from(known[*i].number)).max().unwrap_or(low - 1);
        let of_known: HashSet<u32> = pairs.iter().map(|(i, _)| known[*i].number).collect();
        let mut out: Vec<NumberedLine> = Vec::with_capacity(file.lines.len() + lines.len());
        for line in &file.lines {
            let number = i64::from(line.number);
            if of_known.contains(&line.number) {
                continue;
            }
            if number < low {
                out.push(*line);
            } else if number > last_paired && number + shift > i64::from(*last) {
                out.extend(moved_line(number + shift).map(|number| NumberedLine { number, ..*line }));
            } else {
                found.went(line);
            }
        }
        let of_shown: HashMap<usize, LineId> = pairs.iter().map(|(i, j)| (*j, known[*i].id)).collect();
        let fresh: Vec<usize> = (0..lines.len()).filter(|j| !of_shown.contains_key(j)).collect();
        let mut ids = self.view(fresh.iter().map(|j| lines[*j].1.as_ref())).into_iter();
        let came = Delta { line: fresh.first().map(|j| lines[*j].0), added: fresh.len() as u64, ..Delta::default() };
        found.delta = found.delta.and(came);
        for (j, (number, _)) in lines.iter().enumerate() {
            let id = of_shown.get(&j).copied().or_else(|| ids.next());
            out.extend(id.map(|id| NumberedLine { number: *number, id, had: self.step }));
        }
        out.sort_by_key(|known| known.number);
        file.lines = out;
        file.total = file.total.and_then(|total| moved_line(i64::from(total) + shift));
    }

    /// W7: pairs of known and shown lines that are the same line, in the order of the shown ones.
    fn moved(&mut self, known: &[NumberedLine], lines: Lines<'_, '_>) -> Vec<(usize, usize)> {
        let old: Vec<&str> = known.iter().map(|known| self.texts.text(known.id)).collect();
        let new: Vec<&str> = lines.iter().map(|(_, text)| text.as_ref()).collect();
        let mut counts: HashMap<&str, (u32, u32)> = HashMap::new();
        old.iter().for_each(|text| counts.entry(text).or_default().0 += 1);
        new.iter().for_each(|text| counts.entry(text).or_default().1 += 1);
        let all = pairs(&old, &new, self.fuel);
        let shift = |&(i, j): &(usize, usize)| i64::from(lines[j].0) - i64::from(known[i].number);
        let is_anchor = |(_, j): &&(usize, usize)| !is_blank(new[*j]) && counts.get(new[*j]) == Some(&(1, 1));
        let mut shifts: HashSet<i64> = all.iter().filter(is_anchor).map(shift).collect();
        shifts.insert(0);
        let mut pairs: Vec<(usize, usize)> = all.into_iter().filter(|pair| shifts.contains(&shift(pair))).collect();
        let paired_old: HashSet<usize> = pairs.iter().map(|(i, _)| *i).collect();
        let paired_new: HashSet<usize> = pairs.iter().map(|(_, j)| *j).collect();
        for (j, (number, text)) in lines.iter().enumerate() {
            let Ok(i) = known.binary_search_by_key(number, |known| known.number) else { continue };
            let is_free = !paired_old.contains(&i) && !paired_new.contains(&j);
            // A line may not cross those that moved.
            let crosses = || {
                let at = pairs.partition_point(|(_, other)| *other < j);
                at.checked_sub(1).and_then(|before| pairs.get(before)).is_some_and(|(other, _)| *other > i)
                    || pairs.get(at).is_some_and(|(other, _)| *other < i)
            };
            if is_free && is_same(old[i], text) && !crosses() {
                let at = pairs.partition_point(|(_, other)| *other < j);
                pairs.insert(at, (i, j));
            }
        }
        pairs
    }

    /// W7: what is shown says where the file ends.
    fn end(&mut self, file: &mut File, shown: &FileExcerpt<'_>, found: &mut Contradiction) {
        let last = shown.lines.last().map(|(number, _)| *number);
        let end = match shown.total {
            _ if shown.is_whole => Some(last.unwrap_or(0)),
            None if shown.has_end => last,
            Some(total) if shown.counts_open_line && file.total == total.checked_sub(1) => file.total,
            total => total,
        };
        if let Some(end) = end {
            let behind = file.places(end.saturating_add(1), u32::MAX);
            for place in behind.clone() {
                if !is_blank(file.text(place, self.texts)) {
                    found.went(&file.lines[place]);
                }
            }
            file.lines.truncate(behind.start);
            file.total = Some(end);
        }
        file.doubt_total();
        file.is_whole = match (shown.is_whole, end) {
            (true, _) => true,
            (false, Some(_)) => file.is_complete(),
            (false, None) => file.is_whole && file.is_complete(),
        };
    }

    /// W7: a piece that is whole in what is shown gives its origins and is gone.
    fn place_pieces(&mut self, file: &mut File, shown: &FileExcerpt<'_>) {
        if file.pieces.is_empty() || shown.lines.is_empty() {
            return;
        }
        let mut starts: HashMap<&str, Vec<usize>> = HashMap::new();
        for (place, (_, text)) in shown.lines.iter().enumerate() {
            starts.entry(text.as_ref()).or_default().push(place);
        }
        let pieces = std::mem::take(&mut file.pieces);
        for piece in pieces {
            match self.piece_place(&piece, shown, &starts) {
                Some(place) => {
                    let numbers = shown.lines.iter().skip(place).map(|(number, _)| *number);
                    for (number, id) in numbers.zip(piece.iter()) {
                        self.give_origin(file, number, *id);
                    }
                }
                // Where the whole file is shown, nothing of it is without a place.
                None if shown.is_whole => {}
                None => file.pieces.push(piece),
            }
        }
    }

    fn piece_place(
        &mut self,
        piece: &[LineId],
        shown: &FileExcerpt<'_>,
        starts: &HashMap<&str, Vec<usize>>,
    ) -> Option<usize> {
        let first = self.texts.text(*piece.first()?);
        let places = starts.get(first)?;
        if !self.fuel.take(places.len().saturating_mul(piece.len())) {
            return None;
        }
        places.iter().copied().find(|&place| {
            let lines = shown.lines.get(place..place + piece.len()).unwrap_or_default();
            let is_run = lines.windows(2).all(|pair| pair[0].0 + 1 == pair[1].0);
            lines.len() == piece.len()
                && is_run
                && piece.iter().zip(lines).all(|(id, (_, text))| self.texts.text(*id) == text.as_ref())
        })
    }

    /// A line that was new in this view has an origin after all.
    fn give_origin(&self, file: &mut File, number: u32, id: LineId) {
        let Ok(place) = file.place(number) else { return };
        let is_new = self.texts.origin(file.lines[place].id).is_some_and(|o| o.step == self.step && o.how == self.how);
        if is_new {
            file.lines[place].id = id;
        }
    }
}
