//! The Loss tab: a conversation as a model would see it, with what trains it set off.
//!
//! Of a long conversation a window of lines is laid out around the cursor, and moved on when the cursor comes to its
//! end.

mod text;

pub use text::{LossOptions, LossText};

use super::row::{Nth, next_hit};
use super::text_view::{TextLine, TextView};
use super::{Extent, KeyNames, Piece, Row, Window};
use crate::model::StepNo;
use crate::text::{Pattern, Role};
use std::ops::Range;

/// Most lines and bytes that are laid out before and after the cursor.
const LINES_MAX: usize = 300;
const BYTES_MAX: usize = 32 << 10;
/// A cursor that is moved by more rows than these is sent to the end.
const FAR: usize = usize::MAX >> 4;
/// Most rows of one sentence of the head.
const HEAD_ROWS_MAX: usize = 3;
/// From this height on the head shows the roles.
const ROLES_HEIGHT: usize = 8;

/// Which conversation is looked at, and in which template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LossOf {
    /// The generation of the session.
    pub generation: u64,
    /// The record.
    pub record: usize,
    /// Which of the record's answers it is, from 0.
    pub answer: usize,
    /// The number of the template.
    pub template: usize,
}

/// What is shown in the tab.
#[derive(Debug, Default)]
pub struct LossPane {
    /// The lines that are laid out.
    pub reader: TextView,
    text: Option<Result<LossText, String>>,
    shown: Range<usize>,
    followed: Option<StepNo>,
}

impl LossPane {
    /// Takes what was asked for.
    pub fn set(&mut self, text: Result<LossText, String>) {
        self.text = Some(text);
        self.reader.scroll = super::Scroll::default();
        self.followed = None;
        self.lay_out(0);
    }

    fn text(&self) -> Option<&LossText> {
        self.text.as_ref()?.as_ref().ok()
    }

    /// Lays out the lines around one.
    fn lay_out(&mut self, line: usize) {
        let Some(Ok(text)) = &self.text else { return self.reader.set(Vec::new()) };
        let mut room = BYTES_MAX;
        let mut fits = |line: &usize| {
            let is_in = room > 0;
            room = room.saturating_sub(text.bytes(*line));
            is_in
        };
        let before = (0..line).rev().take(LINES_MAX).take_while(&mut fits).count();
        room = BYTES_MAX;
        let mut fits = |line: &usize| {
            let is_in = room > 0;
            room = room.saturating_sub(text.bytes(*line));
            is_in
        };
        let after = (line..text.len()).take(LINES_MAX).take_while(&mut fits).count();
        self.shown = line - before..line + after;
        let more =
            |count: usize, word: &str| (count > 0).then(|| TextLine::new(Role::Dim, format!("… {count} {word} lines")));
        let lines = more(self.shown.start, "earlier").into_iter().chain(self.shown.clone().map(|line| text.line(line)));
        let lines = lines.chain(more(text.len() - self.shown.end, "later"));
        self.reader.set(lines.collect());
    }

    /// Puts the cursor on a line, which is laid out if it is not.
    fn go_to(&mut self, line: usize, cells: usize) {
        if !self.shown.contains(&line) {
            self.lay_out(line);
        }
        let place = line - self.shown.start + usize::from(self.shown.start > 0);
        let row = self.reader.row_of(place, cells);
        self.reader.scroll.jump_to(row);
    }

    /// The line under the cursor; before the first and after the last that are laid out the nearest of the others.
    fn line(&self, cells: usize) -> Option<usize> {
        let place = self.reader.line_number(cells)?;
        (self.shown.start + place).checked_sub(usize::from(self.shown.start > 0))
    }

    /// Moves the window on if the cursor has come to its end.
    pub fn slide(&mut self, cells: usize) {
        let Some(line) = self.line(cells).filter(|line| !self.shown.contains(line)) else { return };
        if self.text().is_some_and(|text| line < text.len()) {
            self.lay_out(line);
            self.go_to(line, cells);
        }
    }

    /// Moves the cursor by rows.
    pub fn move_by(&mut self, delta: isize, cells: usize) {
        let last = self.text().map_or(0, |text| text.len().saturating_sub(1));
        if delta.unsigned_abs() > FAR {
            self.go_to(if delta > 0 { last } else { 0 }, cells);
            // The last of its rows, where it is wrapped.
            let rows = self.reader.row_count(cells);
            return if delta > 0 { self.reader.scroll.move_by(delta, rows) } else { self.reader.scroll.cursor = 0 };
        }
        let rows = self.reader.row_count(cells);
        self.reader.scroll.move_by(delta, rows);
    }

    /// Puts the cursor on what a step says, when it is another one.
    pub fn follow(&mut self, step: StepNo, cells: usize) {
        let Some(text) = self.text() else { return };
        let before = self.followed;
        if before == Some(step) {
            return;
        }
        let line = text.line_of(step);
        let is_there = self.reader.line(cells).is_some_and(|line| line.step == Some(step));
        self.followed = Some(step);
        if let Some(line) = line.filter(|_| !is_there && (before.is_some() || step > 0)) {
            self.go_to(line, cells);
        }
    }

    /// Puts the cursor on the next or previous line with a match, around the end; which one it is.
    pub fn search(&mut self, pattern: &Pattern, cells: usize, is_forward: bool) -> Option<Nth> {
        let (text, here) = (self.text()?, self.line(cells)?);
        let hits: Vec<usize> = (0..text.len()).filter(|line| pattern.is_match(text.line_text(*line))).collect();
        let found = next_hit(&hits, &here, is_forward)?;
        self.go_to(hits[found.at], cells);
        Some(found)
    }

    /// The rows above the text, which do not scroll: what trains, by role, and what is wrong.
    #[must_use]
    pub fn head(&self, extent: Extent) -> Vec<Row> {
        let Some(text) = self.text() else { return Vec::new() };
        let (all, roles) = text.token_counts();
        let has_faults = !text.loss.findings.is_empty();
        let (sign, role) = if has_faults { ("! ", Role::Warning) } else { ("✓ ", Role::Good) };
        // Of a file its name is enough.
        let name = text.template.rsplit('/').next().unwrap_or_default();
        let mut rows = vec![Row::new(vec![
            Piece::of(role, &format!(" {sign}")),
            Piece::of(Role::Title, name),
            Piece::of(Role::Text, &format!(" · {}", all[0])),
        ])];
        if extent.height >= ROLES_HEIGHT {
            let wrong: Vec<&str> = text.loss.findings.iter().map(|finding| finding.rule).collect();
            let rows_of_text =
                all[1..].iter().map(|line| (Role::Dim, line.clone())).chain([(Role::Dim, roles.join(" · "))]);
            let lines = rows_of_text.chain(has_faults.then(|| (Role::Warning, format!("! {}", wrong.join(", ")))));
            rows.extend(lines.flat_map(|(role, line)| wrapped(role, &line, extent.width)));
            rows.push(Row::default());
        }
        rows
    }

    /// The visible rows, below the head.
    #[must_use]
    pub fn window(&self, names: &KeyNames, extent: Extent, has_focus: bool) -> Window {
        match &self.text {
            Some(Ok(_)) => self.reader.window(extent, has_focus),
            Some(Err(why)) => {
                let other = names.fill("{chat-template} takes another chat template.");
                Window::notice(&["Nothing here.", why, &other], extent.width)
            }
            None => Window::notice(&["The conversation is being made ready."], extent.width),
        }
    }
}

/// A sentence of the head in as many rows as it needs, at most [`HEAD_ROWS_MAX`].
fn wrapped(role: Role, text: &str, cells: usize) -> Vec<Row> {
    let rows = crate::text::wrap(text, cells.saturating_sub(2).max(8)).into_iter().take(HEAD_ROWS_MAX);
    rows.map(|range| Row::text(role, &format!(" {}", &text[range]))).collect()
}

#[cfg(test)]
mod tests;
