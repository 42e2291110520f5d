//! The sentence on the line under the cursor: who wrote it, what was there before, whether it was tried since.

use super::{FileMode, KnownFilePane};
use crate::model::StepNo;
use crate::panes::state::at;
use crate::panes::{Open, Piece};
use crate::rules::work::{How, LineId, LineOrigin, OutcomeLevel, Work};
use crate::text::{Role, SafeText, cut};

/// Most cells of the line before.
const BEFORE_CELLS: usize = 40;

/// What is known of the line under the cursor; nothing where it is not one.
#[must_use]
pub fn detail(pane: &KnownFilePane, open: &Open<'_>) -> Vec<Piece> {
    detail_pieces(pane, open).unwrap_or_default()
}

fn detail_pieces(pane: &KnownFilePane, open: &Open<'_>) -> Option<Vec<Piece>> {
    let (work, key, layout) = (open.run().work()?, pane.key()?, pane.layout()?);
    let item = layout.items().get(pane.scroll.cursor)?;
    let id = item.id()?;
    let (_, origin) = work.line(id)?;
    let name = item.number().map_or("line without a place".to_owned(), |number| format!("line {number}"));
    let mut out = vec![Piece::of(Role::Text, &format!(" {name}"))];
    out.extend(author(open, origin));
    if let Some(stale) = layout.stale.get(&id) {
        let by = stale.by.map(|by| format!(", likely by {}", at(by))).unwrap_or_default();
        let words = format!(" · had changed underneath since {}{by}; shown {}", at(stale.since), at(stale.shown));
        out.push(Piece::of(Role::Warning, &words));
    }
    if !matches!(origin.how, How::View | How::Context) {
        let before = pane.replaced(open, key.file, origin.step).before(id);
        out.extend(before.map(|before| before_words(work, before)).unwrap_or_default());
        let is_whole = key.look == FileMode::Whole;
        out.extend(is_whole.then(|| tried(open, work, origin.step)).into_iter().flatten());
    }
    Some(out)
}

/// Who wrote or showed a line, at which steps.
fn author(open: &Open<'_>, origin: LineOrigin) -> Vec<Piece> {
    let word = match origin.how {
        How::View => "seen",
        How::Write | How::Command => "written",
        How::Edit => "edited",
        How::Patch => "patched",
        How::Context => "known from an edit, never shown,",
    };
    let mut out = vec![Piece::of(Role::Dim, &format!(" · {word} ")), Piece::of(Role::Blame, &at(origin.step))];
    let tool = (origin.call >= 0).then(|| open.describe(origin.call).tool.clone()).flatten();
    if let Some(tool) = tool {
        out.push(Piece::of(Role::Dim, " by "));
        out.push(Piece::of(Role::Call, &tool));
    }
    if origin.call != origin.step && origin.call >= 0 {
        out.push(Piece::of(Role::Dim, " called "));
        out.push(Piece::of(Role::Blame, &at(origin.call)));
    }
    out
}

fn before_words(work: &Work, before: LineId) -> Vec<Piece> {
    let Some((text, origin)) = work.line(before) else { return Vec::new() };
    let word = if matches!(origin.how, How::View) { "seen" } else { "of" };
    vec![
        Piece::of(Role::Dim, " · before: "),
        Piece::safe(Role::Old, cut(&SafeText::of(text.trim()), BEFORE_CELLS)),
        Piece::of(Role::Dim, &format!(" {word} ")),
        Piece::of(Role::Blame, &at(origin.step)),
    ]
}

/// The first test after a write, or else the first command.
fn tried(open: &Open<'_>, work: &Work, written: StepNo) -> Vec<Piece> {
    let labelled = |word: &str, step: StepNo| {
        let outcome = work.outcome(step).map(|outcome| outcome.verdict);
        let (sign, role) = match outcome {
            Some(OutcomeLevel::Error) => (" ✗", Role::Error),
            Some(OutcomeLevel::Suspect) => (" ?", Role::Warning),
            Some(OutcomeLevel::Ok) | None => ("", Role::Dim),
        };
        vec![Piece::of(Role::Dim, &format!(" · {word} ")), Piece::of(Role::Blame, &at(step)), Piece::of(role, sign)]
    };
    match (work.tested_after(written), work.run_after(written)) {
        (Some(test), _) => labelled("the run's test ran", test),
        (None, Some(run)) => labelled("no test ran since; next command", run),
        (None, None) if open.session.is_complete => vec![Piece::of(Role::Warning, " · nothing was run since")],
        (None, None) => Vec::new(),
    }
}
