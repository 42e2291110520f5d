//! Above a schema: what the identity in focus breaks of it at this step, since when and until when.

use super::{Open, Piece, Row, state::at};
use crate::model::StepNo;
use crate::state::{IS_CHECKED, IdentityId, Invalid};
use crate::text::Role;

/// Most violations that are listed above the schema, and the lines that the rest of a list takes.
const LISTED_MAX: usize = 8;
const OTHER_LINES: usize = 4;

/// The rows above the schema of the identity in focus; `set_at` is the step that set the schema. At most about half of
/// `lines`, so that the schema is seen too.
#[must_use]
pub fn head(open: &Open<'_>, set_at: StepNo, lines: usize) -> Vec<Row> {
    let Some((identity, focus)) = &open.session.focus.path else { return Vec::new() };
    let Some(id) = open.tree().find(identity) else { return Vec::new() };
    let name = open.run().reference(identity, &[]);
    let mut first = vec![Piece::of(Role::Reference, &format!(" {name}"))];
    if let Some(instance) = &identity.instance {
        first.push(Piece::of(Role::Instance, &format!(" {instance}")));
    }
    first.push(Piece::of(Role::Dim, &format!("   schema set {}", at(set_at))));
    let mut rows = vec![Row::new(first)];
    let invalid = open.session.checks.at(id, open.step());
    rows.push(Row::new(summary(open, set_at, invalid.len())));
    let listed_max = ((lines / 2).saturating_sub(OTHER_LINES) / 2).clamp(1, LISTED_MAX);
    for one in invalid.iter().take(listed_max) {
        rows.extend(listed(open, id, one, one.violation.path == *focus));
    }
    if let Some(more) = invalid.len().checked_sub(listed_max).filter(|n| *n > 0) {
        rows.push(Row::text(Role::Dim, &format!("   … and {more} more; `obelus check` lists them all")));
    }
    rows.push(Row::default());
    rows
}

fn summary(open: &Open<'_>, set_at: StepNo, count: usize) -> Vec<Piece> {
    if !IS_CHECKED {
        return vec![Piece::of(Role::Dim, " not checked: this build has no feature `schema`")];
    }
    if let Some(why) = open.session.checks.fault(set_at) {
        return vec![Piece::of(Role::Warning, &format!(" not checked: it is no JSON Schema 2020-12: {why}"))];
    }
    if open.session.checks.judged() <= open.step() {
        return vec![Piece::of(Role::Dim, " being checked…")];
    }
    match count {
        0 => vec![Piece::of(Role::Good, " the value keeps to it at this step")],
        1 => vec![Piece::of(Role::Error, " ✗ 1 value breaks it"), Piece::of(Role::Dim, "   Enter goes there")],
        n => vec![
            Piece::of(Role::Error, &format!(" ✗ {n} values break it")),
            Piece::of(Role::Dim, "   Enter goes to the next"),
        ],
    }
}

/// Where and what; then since when, and which step repairs it.
fn listed(open: &Open<'_>, id: IdentityId, one: &Invalid, has_focus: bool) -> [Row; 2] {
    let reference = open.run().reference(open.tree().identity(id), &one.violation.path);
    let mark = if has_focus { "▌ " } else { "  " };
    let mut second = vec![Piece::of(Role::Dim, "     since "), Piece::of(Role::Blame, &at(one.since))];
    match open.session.checks.repaired(id, one) {
        Some(step) => {
            second.push(Piece::of(Role::Dim, " · repaired "));
            second.push(Piece::of(Role::Blame, &at(step)));
        }
        None => second.push(Piece::of(Role::Dim, " · not repaired")),
    }
    second.push(Piece::of(Role::Dim, &format!(" · {}", one.violation.schema_path)));
    [
        Row::new(vec![
            Piece::of(Role::Accent, mark),
            Piece::of(Role::Reference, &reference),
            Piece::of(Role::Error, &format!("  {}", one.violation.message)),
        ]),
        Row::new(second),
    ]
}
