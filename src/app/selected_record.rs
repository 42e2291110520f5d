//! R21: the selected record, known by its content, so that it is found again where the file has another content.

use super::{App, msg};
use crate::format::Layout;
use crate::model::{Bytes, Span, StepNo};
use crate::panes::Follow;
use crate::review::ContentKey;
use std::sync::PoisonError;

/// Bytes of a long record that its key is made of: so many of its beginning and of its end.
const KEY_BYTES: u64 = 64 << 10;

/// The message in focus where the file is one run, else the trajectory that is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SelectedRecord {
    /// Number of the step or of the record.
    number: usize,
    span: Span,
    key: ContentKey,
}

/// Where it is in another content of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// Nobody selected a record: the number counts.
    Unasked,
    /// It may still come.
    NotYet,
    /// It has this number.
    At(usize),
    /// It is not there.
    Gone,
}

impl App {
    /// Takes note of the selected record. While another content is awaited, what was selected before counts.
    pub(super) fn note_selected(&mut self) {
        if self.coming.is_some() || self.reopening.is_some() || self.inspector.message.gone.is_some() {
            return;
        }
        let Some((number, span)) = self.selected_place() else {
            self.selected = None;
            return;
        };
        if self.selected.is_none_or(|old| (old.number, old.span) != (number, span)) {
            let key = key_of(self.session.bytes.as_ref(), span);
            self.selected = key.map(|key| SelectedRecord { number, span, key });
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

    /// Looks for the selected record in what is known of the content that comes, the nearest numbers first. Goes on
    /// where it stopped when it was asked before.
    pub(super) fn find_selected(&mut self, is_complete: bool) -> Found {
        let Some(coming) = self.coming.as_ref().filter(|coming| coming.mark.is_some()) else { return Found::Unasked };
        let is_run = self.session.format.layout() == Layout::Run;
        let now = if is_run { usize::try_from(self.session.focus.step).ok() } else { Some(self.session.trajectory) };
        // Who went elsewhere meanwhile, or follows the newest step, did not stay on it.
        let is_left = self.session.live.follow == Follow::On && is_run;
        let Some(selected) = self.selected.filter(|selected| Some(selected.number) == now && !is_left) else {
            return Found::Unasked;
        };
        search(coming, selected, &mut self.searched, is_complete)
    }

    /// Whether the content of a record that is not in the file any more is shown, until the focus moves.
    pub(super) fn shows_gone(&self) -> bool {
        self.inspector.message.gone == Some((self.session.generation, self.session.focus.step))
    }

    /// A file that is written anew is short for a moment: the record that was gone may come again.
    pub(super) fn find_gone(&mut self) -> Option<usize> {
        let open = self.session.open()?;
        let selected = self.selected.filter(|_| self.shows_gone())?;
        let first = std::mem::replace(&mut self.searched, open.count());
        let span_of = |number: usize| Some(open.run().place(StepNo::try_from(number).ok()?)?.place.span);
        let is_it = |number: &usize| span_of(*number).is_some_and(|span| selected.is_at(span, open.bytes()));
        (first..open.count()).find(is_it)
    }
}

fn search(coming: &msg::Replacement, selected: SelectedRecord, searched: &mut usize, is_complete: bool) -> Found {
    let run = coming.run.as_ref().map(|run| run.read().unwrap_or_else(PoisonError::into_inner));
    let count = run.as_ref().map_or_else(|| coming.records.count(), |run| run.step_count());
    let span_of = |number: usize| match &run {
        Some(run) => run.place(StepNo::try_from(number).ok()?).map(|place| place.place.span),
        None => coming.records.get(number).map(|record| record.place.span),
    };
    let is_it = |number: &usize| span_of(*number).is_some_and(|span| selected.is_at(span, coming.bytes.as_ref()));
    loop {
        let (later, earlier) = (selected.number + *searched, selected.number.checked_sub(*searched));
        if later >= count && !is_complete {
            return Found::NotYet;
        }
        if later >= count && earlier.is_none() {
            // What comes behind these may still be it.
            *searched = count;
            return Found::Gone;
        }
        if let Some(number) = [Some(later), earlier].into_iter().flatten().filter(|number| *number < count).find(is_it)
        {
            return Found::At(number);
        }
        *searched += 1;
    }
}

impl SelectedRecord {
    fn is_at(&self, span: Span, bytes: &dyn Bytes) -> bool {
        span.len == self.span.len && key_of(bytes, span) == Some(self.key)
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
