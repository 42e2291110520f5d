//! R21: the selected record, known by its content, so that it is found again where the file has another content.

use super::{App, msg};
use crate::format::Layout;
use crate::model::{Bytes, Span, StepNo};
use crate::panes::Follow;
use crate::review::ContentKey;
use std::sync::PoisonError;

/// Bytes of the beginning, and of the end, of a long record that its key is made of.
const KEY_BYTES: u64 = 64 << 10;
/// Records on both sides of the selected one, and at the beginning of the file, that are compared with it.
const COMPARED_NEAR: usize = 2048;
const COMPARED_FIRST: usize = 256;
/// Most of these that are read: those of the same length.
const COMPARED_READ_MAX: usize = 64;

/// A record that the cursor is on: the message in focus where the file is one run, the trajectory that is open, or
/// the row of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SelectedRecord {
    /// Number of the step or of the record.
    number: usize,
    span: Span,
    key: ContentKey,
    /// The text of a short record.
    text: Option<Vec<u8>>,
    /// Numbers of other records with the same content.
    copies: Vec<usize>,
    /// How many numbers on both sides of its own were looked at in the content that comes.
    searched: usize,
    /// A record with the same content that was one of the copies before.
    equal: Option<usize>,
}

/// Where the selected record is in another content of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecordLookup {
    /// No record is selected: the number alone decides.
    Unasked,
    /// It was not found yet; it may be among records that are not read.
    NotYet,
    /// It has this number.
    At(usize),
    /// The content does not have it.
    Gone,
}

impl RecordLookup {
    pub(super) fn is_decided(self) -> bool {
        matches!(self, Self::At(_) | Self::Gone)
    }
}

impl App {
    /// Takes note of the selected record and of the row of the table. While another content is awaited, what was
    /// selected before counts.
    pub(super) fn note_selected(&mut self) {
        if self.coming.is_some() {
            return;
        }
        let row = self.table_row();
        if self.selected_row.as_ref().map(SelectedRecord::place) != row {
            self.selected_row = row.and_then(|(number, span)| self.select(number, span));
        }
        if self.reopening.is_some() || self.inspector.message.gone.is_some() {
            return;
        }
        let place = self.selected_place();
        if self.selected.as_ref().map(SelectedRecord::place) != place {
            self.selected = place.and_then(|(number, span)| self.select(number, span));
        }
    }

    fn selected_place(&self) -> Option<(usize, Span)> {
        if self.session.format.layout() == Layout::Set {
            let record = self.session.run.as_ref().map(|_| self.session.trajectory)?;
            return Some((record, self.session.records.get(record)?.place.span));
        }
        let open = self.session.open()?;
        let place = open.run().place(open.step())?;
        Some((usize::try_from(open.step()).ok()?, place.place.span))
    }

    fn table_row(&self) -> Option<(usize, Span)> {
        let record = self.table.record().filter(|_| self.is_on_table())?;
        Some((record, self.session.records.get(record)?.place.span))
    }

    fn select(&self, number: usize, span: Span) -> Option<SelectedRecord> {
        let bytes = self.session.bytes.as_ref();
        let text = (span.len <= KEY_BYTES).then(|| bytes.read(span).ok()).flatten();
        let key = text.as_ref().map_or_else(|| key_of(bytes, span), |text| Some(ContentKey::of(text)))?;
        let open = self.session.open().filter(|_| self.session.format.layout() == Layout::Run);
        let count = open.as_ref().map_or_else(|| self.session.records.count(), |open| open.count());
        let span_of = |number: usize| match &open {
            Some(open) => Some(open.run().place(StepNo::try_from(number).ok()?)?.place.span),
            None => self.session.records.get(number).map(|record| record.place.span),
        };
        let near = (number.saturating_sub(COMPARED_NEAR)..count.min(number.saturating_add(COMPARED_NEAR)))
            .filter(|other| *other >= COMPARED_FIRST);
        let others = (0..count.min(COMPARED_FIRST)).chain(near).filter(|other| *other != number);
        let alike = others.filter_map(|other| Some((other, span_of(other).filter(|it| it.len == span.len)?)));
        let copies = alike.take(COMPARED_READ_MAX).filter(|(_, other)| key_of(bytes, *other) == Some(key));
        let copies = copies.map(|(other, _)| other).collect();
        Some(SelectedRecord { number, span, key, text, copies, searched: 0, equal: None })
    }

    /// Looks for the selected record in what is known of the content that comes, the nearest numbers first. Goes on
    /// where it stopped when it was asked before.
    pub(super) fn find_selected(&mut self, is_complete: bool) -> RecordLookup {
        let Some(coming) = self.coming.as_ref().filter(|coming| coming.mark.is_some()) else {
            return RecordLookup::Unasked;
        };
        let is_run = self.session.format.layout() == Layout::Run;
        let now = if is_run { usize::try_from(self.session.focus.step).ok() } else { Some(self.session.trajectory) };
        // A cursor that went elsewhere meanwhile, or follows the newest step, did not stay on it.
        let is_left = self.session.live.follow == Follow::On && is_run;
        let is_here = |selected: &SelectedRecord| Some(selected.number) == now || self.inspector.message.gone.is_some();
        match self.selected.as_mut().filter(|selected| is_here(selected) && !is_left) {
            Some(selected) => selected.search(coming, is_complete),
            None => RecordLookup::Unasked,
        }
    }

    /// The same of the row of the table.
    pub(super) fn find_row(&mut self, is_complete: bool) -> RecordLookup {
        let now = self.table.record().filter(|_| self.is_on_table());
        let Some(coming) = self.coming.as_ref().filter(|coming| coming.mark.is_some()) else {
            return RecordLookup::Unasked;
        };
        match self.selected_row.as_mut().filter(|selected| Some(selected.number) == now) {
            Some(selected) => selected.search(coming, is_complete),
            None => RecordLookup::Unasked,
        }
    }

    /// Another content comes: it is searched from the beginning.
    pub(super) fn restart_selected(&mut self) {
        for selected in self.selected.iter_mut().chain(&mut self.selected_row) {
            (selected.searched, selected.equal) = (0, None);
        }
    }

    /// Whether the content of a record that is not in the file any more is shown, until the focus moves.
    pub(super) fn shows_gone(&self) -> bool {
        self.inspector.message.gone == Some((self.session.generation, self.session.focus.step))
    }

    /// A file that is rewritten is short for a moment: the record that was gone may come again.
    pub(super) fn find_gone(&mut self) -> Option<usize> {
        if !self.shows_gone() || self.coming.is_some() {
            return None;
        }
        let mut selected = self.selected.take()?;
        let found = self.session.open().and_then(|open| {
            let span_of = |number: usize| Some(open.run().place(StepNo::try_from(number).ok()?)?.place.span);
            let first = std::mem::replace(&mut selected.searched, open.count());
            (first..open.count()).find(|number| selected.is_at(*number, span_of(*number), open.bytes()))
        });
        self.selected = Some(selected);
        found
    }
}

impl SelectedRecord {
    fn place(&self) -> (usize, Span) {
        (self.number, self.span)
    }

    /// Number of the step or of the record that it was.
    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// The text of a short record.
    pub(super) fn text(&self) -> Option<&[u8]> {
        self.text.as_deref()
    }

    /// What is said where the record is not found: `what` names it.
    pub(super) fn gone_message(&self, what: &str) -> String {
        let equal = self.equal.map_or_else(String::new, |number| format!(" (an equal one was and is {number})"));
        format!("{what}{equal} is not in the file any more")
    }

    fn search(&mut self, coming: &msg::Replacement, is_complete: bool) -> RecordLookup {
        let run = coming.run.as_ref().map(|run| run.read().unwrap_or_else(PoisonError::into_inner));
        let count = run.as_ref().map_or_else(|| coming.records.count(), |run| run.step_count());
        let span_of = |number: usize| match &run {
            Some(run) => run.place(StepNo::try_from(number).ok()?).map(|place| place.place.span),
            None => coming.records.get(number).map(|record| record.place.span),
        };
        loop {
            let (later, earlier) = (self.number.saturating_add(self.searched), self.number.checked_sub(self.searched));
            if later >= count && !is_complete {
                return RecordLookup::NotYet;
            }
            if later >= count && earlier.is_none() {
                // What comes after these may still be it.
                self.searched = count;
                return RecordLookup::Gone;
            }
            for number in [Some(later), earlier].into_iter().flatten().filter(|number| *number < count) {
                if self.is_at(number, span_of(number), coming.bytes.as_ref()) {
                    return RecordLookup::At(number);
                }
            }
            self.searched += 1;
        }
    }

    /// Whether it has this number now. An equal record that had this number before is not it.
    fn is_at(&mut self, number: usize, span: Option<Span>, bytes: &dyn Bytes) -> bool {
        let is_equal = span.is_some_and(|span| span.len == self.span.len && key_of(bytes, span) == Some(self.key));
        let is_copy = is_equal && self.copies.contains(&number);
        if is_copy {
            self.equal.get_or_insert(number);
        }
        is_equal && !is_copy
    }
}

fn key_of(bytes: &dyn Bytes, span: Span) -> Option<ContentKey> {
    if span.len <= 2 * KEY_BYTES {
        return bytes.read(span).ok().map(|text| ContentKey::of(&text));
    }
    let mut text = bytes.read(Span { len: KEY_BYTES, ..span }).ok()?;
    text.extend(bytes.read(Span { offset: span.end() - KEY_BYTES, len: KEY_BYTES }).ok()?);
    Some(ContentKey::of(&text))
}
