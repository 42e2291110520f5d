//! A call and its result as one row of the list of steps: what was done, to what, and how it came out.

use super::call_rows::results_of;
use super::{Open, Piece};
use crate::model::{ActionLine, StepNo};
use crate::rules::work::{Outcome, OutcomeLevel};
use crate::text::{Role, SafeText, counted, cut_middle, pad, single_line};

/// Fewest cells that an object keeps beside its notes.
const OBJECT_CELLS_MIN: usize = 8;

/// In a pane narrower than this an outcome is its sign alone.
const OUTCOME_CELLS_MIN: usize = 44;

/// Verbs whose results only say that it was done.
const WRITING: [&str; 6] = ["edit", "new", "write", "undo", "todo", "plan"];

/// Words for the reasons of outcomes that say more than their names.
const REASONS: [(&str, &str); 12] = [
    ("flag", "failed"),
    ("no-exit", "no output"),
    ("no-match", "no match"),
    ("tool-error", "tool error"),
    ("edit-failed", "edit failed"),
    ("not-found", "not found"),
    ("command-not-found", "no such command"),
    ("tests-failed", "tests failed"),
    ("build-failed", "build failed"),
    ("file-error", "file error"),
    ("git-error", "git error"),
    ("error-line", "an error line"),
];

/// The verb in its cells and the object of a call in the rest of the row; `folder` is what all paths of the run begin
/// with. What is too long is cut in its middle: commands and paths differ at their ends.
pub(super) fn action(action: &ActionLine, others: usize, folder: &str, cells: (usize, usize)) -> Vec<Piece> {
    let (verb_cells, room) = cells;
    let object = single_line(&action.object);
    let object = match object.strip_prefix(folder).filter(|rest| action.is_path && !rest.is_empty()) {
        Some(rest) => rest.to_owned(),
        None => object,
    };
    let mut note = if action.note.is_empty() { String::new() } else { format!("  {}", action.note) };
    if others > 0 {
        note.push_str(&format!("  and {}", counted(others, "more call")));
    }
    let note = Piece::of(Role::Dim, &note);
    let room = room.saturating_sub(note.width() + 2).max(OBJECT_CELLS_MIN);
    let object = SafeText::of(&object);
    let object = cut_middle(&object, room);
    vec![
        Piece::safe(Role::Call, pad(&SafeText::of(&action.verb), verb_cells)),
        Piece::of(Role::Text, " "),
        Piece::safe(Role::Text, object),
        note,
    ]
}

/// How a call came out, for the right edge of its row.
pub(super) fn outcome(open: &Open<'_>, call: StepNo, cells: usize) -> Vec<Piece> {
    let mut results = results_of(open.run(), call).peekable();
    if results.peek().is_none() {
        return Vec::new();
    }
    let steps: Vec<StepNo> = results.collect();
    let worst = steps.iter().filter_map(|step| open.run().outcome(*step)).max_by_key(|outcome| outcome.verdict);
    let is_read = open.describe(call).action.as_ref().is_none_or(|action| !WRITING.contains(&&*action.verb));
    let lines = steps.iter().filter_map(|step| open.describe(*step).result_lines).reduce(|all, more| all + more);
    let lines = lines.filter(|_| is_read);
    match worst {
        Some(worst) if cells < OUTCOME_CELLS_MIN => {
            sign(Some(worst)).map(|(sign, role)| Piece::of(role, &format!(" {sign}"))).into_iter().collect()
        }
        worst => of_result(worst, lines),
    }
}

/// How a result came out; `lines` is how much it brought.
pub(super) fn of_result(outcome: Option<Outcome>, lines: Option<usize>) -> Vec<Piece> {
    let size = lines.filter(|n| *n > 0).map(|n| counted(n, "line"));
    let pieces_of = |sign: &str, role: Role, outcome: Outcome| {
        let exit = outcome.exit.filter(|exit| *exit != 0).map(|exit| format!("exit {exit}"));
        let why = outcome.reason.filter(|reason| *reason != "exit").map(reason_words);
        let words: Vec<String> = why.map(str::to_owned).into_iter().chain(exit).collect();
        vec![Piece::of(role, &format!(" {sign} {}", words.join(" · ")))]
    };
    match outcome {
        Some(outcome) if outcome.verdict == OutcomeLevel::Error => pieces_of("✗", Role::Error, outcome),
        Some(outcome) if outcome.verdict == OutcomeLevel::Suspect => pieces_of("?", Role::Warning, outcome),
        Some(Outcome { reason: Some(reason), .. }) => vec![Piece::of(Role::Dim, &format!(" {}", reason_words(reason)))],
        _ => vec![Piece::of(Role::Dim, &format!(" {}", size.unwrap_or_else(|| "ok".to_owned())))],
    }
}

/// How a result came out in words, where it failed or may have: `failed · exit 1`, `may have failed · traceback`.
pub fn failure_words(outcome: Outcome) -> Option<String> {
    let how = match outcome.verdict {
        OutcomeLevel::Error => "failed",
        OutcomeLevel::Suspect => "may have failed",
        OutcomeLevel::Ok => return None,
    };
    let why = outcome.reason.map(reason_words).filter(|why| *why != how);
    let exit = outcome.exit.filter(|exit| *exit != 0).map(|exit| format!("exit {exit}"));
    let words = [Some(how.to_owned()), why.filter(|why| *why != "exit").map(str::to_owned), exit];
    Some(words.into_iter().flatten().collect::<Vec<_>>().join(" · "))
}

fn reason_words(reason: &'static str) -> &'static str {
    REASONS.iter().find(|(name, _)| *name == reason).map_or(reason, |(_, words)| words)
}

/// The sign of a result that failed, or may have.
pub(super) fn sign(outcome: Option<Outcome>) -> Option<(&'static str, Role)> {
    match outcome?.verdict {
        OutcomeLevel::Error => Some(("✗ ", Role::Error)),
        OutcomeLevel::Suspect => Some(("? ", Role::Warning)),
        OutcomeLevel::Ok => None,
    }
}
