//! How decisions, flags, tags and notes look in rows.

use super::{Open, Piece, Row, Session};
use crate::format::Layout;
use crate::model::StepNo;
use crate::review::{Mark, MarkTarget, Verdict};
use crate::state::NodeId;
use crate::text::{Role, SafeText};

/// The sign of a flag, and of any mark on the timeline.
pub const FLAG: &str = "⚑";

/// Colour of a decision; its sign gives the same.
#[must_use]
pub fn role(verdict: Verdict) -> Role {
    match verdict {
        Verdict::Good => Role::Good,
        Verdict::Bad => Role::Error,
        Verdict::Unsure => Role::Warning,
    }
}

/// The sign of a mark in one cell: the decision, else that there is a mark.
#[must_use]
pub fn sign(mark: &Mark) -> Piece {
    match mark.verdict {
        Some(verdict) => Piece::of(role(verdict), verdict.sign()),
        None => Piece::of(Role::Accent, FLAG),
    }
}

/// The cell of a step in the list.
#[must_use]
pub fn step_cell(open: &Open<'_>, step: StepNo) -> Piece {
    let step_marks = open.session.review.step_marks(open.session.trajectory, step);
    let step_itself = step_marks.iter().find(|(target, _)| target.path.is_none()).or(step_marks.first());
    step_itself.map_or_else(|| Piece::of(Role::Text, " "), |(_, mark)| sign(mark))
}

/// The steps of the open trajectory that have marks.
#[must_use]
pub fn marked_steps(open: &Open<'_>) -> Vec<StepNo> {
    open.session.review.marked_steps(open.session.trajectory)
}

/// A mark in words: flag, decision, tags, note.
#[must_use]
pub fn mark_pieces(mark: &Mark) -> Vec<Piece> {
    let mut out = Vec::new();
    if mark.is_flagged {
        out.push(Piece::of(Role::Accent, &format!("{FLAG} ")));
    }
    if let Some(verdict) = mark.verdict {
        out.push(Piece::of(role(verdict), &format!("{} {} ", verdict.sign(), verdict.name())));
    }
    out.extend(mark.tags.iter().map(|tag| Piece::of(Role::Reference, &format!("#{tag} "))));
    if let Some(note) = &mark.note {
        out.push(Piece::of(Role::Text, &format!("“{note}” ")));
    }
    out
}

/// The marks on values at the step in focus.
#[must_use]
pub fn values<'o>(open: &'o Open<'_>) -> Vec<(&'o MarkTarget, &'o Mark)> {
    let all = open.session.review.step_marks(open.session.trajectory, open.step());
    all.into_iter().filter(|(target, _)| target.path.is_some()).collect()
}

/// The sign of a node's mark, of those on values.
#[must_use]
pub fn of_node(open: &Open<'_>, marked: &[(&MarkTarget, &Mark)], node: NodeId) -> Option<Piece> {
    if marked.is_empty() {
        return None;
    }
    let (identity, path) = open.path_of(node);
    let reference = open.run().reference(&identity, &path);
    let is_it = |target: &MarkTarget| target.path.as_ref() == Some(&reference) && target.instance == identity.instance;
    marked.iter().find(|(target, _)| is_it(target)).map(|(_, mark)| sign(mark))
}

/// A row whose first piece is a sign and a blank, with the sign of a mark in place of the blank.
#[must_use]
pub fn beside(mut row: Row, mark: Option<Piece>) -> Row {
    if let (Some(mark), Some(first)) = (mark, row.left.first_mut()) {
        let sign: String = first.text.as_str().chars().take(1).collect();
        first.text = SafeText::of(&sign);
        row.left.insert(1, mark);
    }
    row
}

/// The mark of the value in focus.
#[must_use]
pub fn of_focus(open: &Open<'_>) -> Option<Vec<Piece>> {
    let (reference, instance) = open.focus_reference()?;
    let is_it = |target: &MarkTarget| target.path.as_deref() == Some(&reference) && target.instance == instance;
    let all = open.session.review.step_marks(open.session.trajectory, open.step());
    all.iter().find(|(target, _)| is_it(target)).map(|(_, mark)| mark_pieces(mark))
}

/// How far the review of a dataset is: `412/5000 · 31 dropped`; nothing before the first mark.
#[must_use]
pub fn progress(session: &Session, has_room: bool) -> Vec<Piece> {
    let review = &session.review;
    let mut out = Vec::new();
    if review.unsaved > 0 {
        out.push(Piece::of(Role::Warning, &format!("  {FLAG} {} unsaved  ", review.unsaved)));
    }
    if session.format.layout() != Layout::Set || !review.is_begun() || !has_room {
        return out;
    }
    let records = session.records.count();
    let progress = review.progress(records);
    let mark = if progress.is_complete { "" } else { "≥" };
    out.push(Piece::of(Role::Dim, &format!("  {mark}{}/{records} decided", progress.decided)));
    if progress.dropped > 0 {
        out.push(Piece::of(Role::Dim, &format!(", {} dropped", progress.dropped)));
    }
    out.push(Piece::of(Role::Text, "  "));
    out
}
