//! The line above a reading: who, what is done, how it came out.

use super::turn::Step;
use crate::model::StepRole;
use crate::panes::row::pieces_width;
use crate::panes::{Open, Piece, Row, step_row, steps};
use crate::text::{Role, SafeText, cut_middle, single_line};

/// Fewest cells that a call has beside its steps.
const ACTION_CELLS_MIN: usize = 12;

/// Who says or does what, and at the right edge the steps of call and result.
#[must_use]
pub fn head(open: &Open<'_>, marks: &[&str], cells: usize) -> Row {
    of_step(open, &Step::of(open.run(), open.step()), marks, cells)
}

/// The same of any step.
pub(in crate::panes) fn of_step(open: &Open<'_>, of: &Step, marks: &[&str], cells: usize) -> Row {
    let step = open.describe(of.step);
    let mut right = places(open, of);
    let count = right.len();
    right.extend(marks.iter().map(|mark| Piece::of(Role::Dim, &format!(" · {mark}"))));
    let is_wide = |right: &[Piece]| pieces_width(right) + ACTION_CELLS_MIN > cells;
    while right.len() > count && is_wide(&right) {
        right.pop();
    }
    if is_wide(&right) {
        right.clear();
    }
    let is_unnamed = step.role == StepRole::Unknown && step.action.is_none() && !step.label.is_empty();
    let who = step.role_text.as_deref().unwrap_or(if is_unnamed { &step.label } else { step.role.name() });
    let mut left = vec![Piece::of(Role::Text, " "), Piece::of(steps::role_of(&step), who)];
    let asked = of.call.map(|call| open.describe(call));
    let action = step.action.as_ref().or(asked.as_ref().and_then(|asked| asked.action.as_ref()));
    if let Some(action) = action {
        let verb = if step.action.is_some() { "" } else { "result of " };
        left.push(Piece::of(Role::Dim, &format!(" · {verb}")));
        left.push(Piece::of(Role::Call, &action.verb));
        let object = single_line(&action.object);
        let short = object.strip_prefix(&*open.folder()).filter(|rest| action.is_path && !rest.is_empty());
        let room = cells.saturating_sub(pieces_width(&left) + pieces_width(&right) + 3);
        let object = cut_middle(&SafeText::of(short.unwrap_or(&object)), room.max(ACTION_CELLS_MIN));
        left.push(Piece::safe(Role::Text, SafeText::literal("  ").join(&object)));
    } else if step.label != who {
        left.push(Piece::of(Role::Dim, &format!(" · {}", step.label)));
    }
    Row::new(left).right(right)
}

/// `@35 → ok @36`.
fn places(open: &Open<'_>, of: &Step) -> Vec<Piece> {
    let at = |step| Piece::of(Role::Blame, &format!("@{step}"));
    let arrow = || Piece::of(Role::Dim, " →");
    let mut out = vec![Piece::of(Role::Text, " ")];
    match (of.call, of.results.first()) {
        (Some(call), _) => {
            out.extend([at(call), arrow()]);
            out.extend(step_row::of_result(open.run().outcome(of.step), None));
            out.extend([Piece::of(Role::Text, " "), at(of.step)]);
        }
        (None, Some(first)) => {
            out.extend([at(of.step), arrow()]);
            let worst = of.results.iter().filter_map(|step| open.run().outcome(*step)).max_by_key(|o| o.verdict);
            out.extend(step_row::of_result(worst, None));
            out.extend([Piece::of(Role::Text, " "), at(*first)]);
            let others = of.results.len() - 1;
            out.extend((others > 0).then(|| Piece::of(Role::Dim, &format!(" and {others} more"))));
        }
        (None, None) => out.push(at(of.step)),
    }
    out
}
