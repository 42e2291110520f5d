//! The signs on the screen and what they mean: a group of the help and of `docs/keys.md`.

use super::keys::Context;
use crate::panes::Piece;
use crate::text::Role;

/// One sign.
#[derive(Debug)]
pub struct Sign {
    /// Where it is seen: with a trajectory, or everywhere.
    pub context: Context,
    /// The sign, or signs of one meaning with a space between them.
    pub text: &'static str,
    /// Its colour where it is.
    pub role: Role,
    /// One sentence.
    pub about: &'static str,
}

const fn sign(context: Context, text: &'static str, role: Role, about: &'static str) -> Sign {
    Sign { context, text, role, about }
}

use Context as C;

/// All signs. Order is the order of the help, which shows a sentence of up to 62 cells whole from 80
/// columns on.
#[rustfmt::skip]
pub static SIGNS: &[Sign] = &[
    sign(C::Global, "▌", Role::Accent, "The row of the cursor; in lists of values, that of this step."),
    sign(C::Trajectory, "▸ ◂", Role::Call, "A call; its result, or in the row of the call: it is selected."),
    sign(C::Global, "▸ ▾", Role::Dim, "Folded, unfolded."),
    sign(C::Global, "✗", Role::Error, "Failed, broken, an error, or a value that breaks its schema."),
    sign(C::Global, "? !", Role::Warning, "A result whose text looks like a failure; a warning."),
    sign(C::Trajectory, "?", Role::Warning, "At a file: a command may have changed it since."),
    sign(C::Trajectory, "+ ~ − =", Role::Changed, "Added, changed, gone, written again with the same value."),
    sign(C::TwoRuns, "▸", Role::Call, "A tool call; how its result came out is at the right."),
    sign(C::TwoRuns, "~ + −", Role::Changed, "Different, only in the right run, only in the left run."),
    sign(C::TwoRuns, "@41", Role::Blame, "Step 41 of its run wrote this value."),
    sign(C::TwoRuns, "≠", Role::Changed, "How many values differ; narrow: which difference of how many."),
    sign(C::Trajectory, "•", Role::Good, "In Steps, a step that came just now; in State, changed parts."),
    sign(C::Trajectory, "…", Role::Dim, "In Steps, a thought; at the end of a text: it is cut."),
    sign(C::Trajectory, "·", Role::Dim, "Neither message nor call: settings, headings, counts."),
    sign(C::Trajectory, "↳ ×", Role::Dim, "A step of a sub-agent; a step on a branch that was left."),
    sign(C::Trajectory, "@41 head t4", Role::Blame, "By step 41; there before the first step; tick 4 begins."),
    sign(C::Trajectory, "¶ ①", Role::Kind, "A kind of state, as ¶file or ¶todo; one instance of it."),
    sign(C::Trajectory, "† → ←", Role::Reference, "A reference to a value; where it goes to, where it is from."),
    sign(C::Trajectory, "◆ ◇ ◈", Role::Focus, "Writes of the value: ◇ no change, ◈ here; in Steps ◇: a plan."),
    sign(C::Trajectory, "│ ┊", Role::Dim, "On the timeline: this step, a long pause; ┊: a line goes on."),
    sign(C::Trajectory, "⚑ ⚐", Role::Accent, "A mark; on the timeline, a mark at this step."),
    sign(C::Trajectory, "■ ▣ □ ⊠ ⊘", Role::Changed, "In a to-do list: done, in progress, to do, given up, blocked."),
    sign(C::Trajectory, "⋯", Role::Dim, "Lines that are left out or were never shown to the agent."),
    sign(C::Trajectory, "≠", Role::Changed, "Values that differ between instances."),
    sign(C::Global, "● ○", Role::Good, "Followed live, or a watch that stops the run; ○: not."),
    sign(C::Table, "+ - =", Role::Good, "In the column mark: kept, dropped, unsure; ⚑: a flag."),
    sign(C::Table, "┃", Role::Accent, "A record that is selected."),
    sign(C::Table, "▸ ‹ ›", Role::Accent, "The column in focus; more columns at the left, at the right."),
    sign(C::Global, "≈", Role::Dim, "A number of tokens that is estimated, not counted."),
    sign(C::Global, "▶ ‖", Role::Accent, "Playing or running; paused."),
    sign(C::Global, "↻", Role::Warning, "The file was cut short or replaced while it was open."),
    sign(C::Global, "↑ ↓", Role::Dim, "More above, more below."),
    sign(C::Global, "▲ ▼", Role::Accent, "The column that is sorted by; in a plot, ▲ is the cursor."),
    sign(C::Global, "✓", Role::Accent, "Chosen, done, or as it should be."),
    sign(C::Global, "␛ ⟨U+202E⟩", Role::Warning, "A hidden character, not sent to the terminal; ⟨DE⟩: a flag."),
];

/// The signs of a place.
pub fn of(contexts: &[Context]) -> impl Iterator<Item = &'static Sign> {
    SIGNS.iter().filter(|sign| contexts.contains(&sign.context))
}

/// Signs that are punctuation too.
const PUNCTUATION: &str = "·…→←×−";

impl Sign {
    /// Whether pieces have one of its signs. Punctuation and letters may be in any text, and count in its colour alone.
    fn is_among(&self, pieces: &[&Piece]) -> bool {
        let begins = self.text.split(' ').filter_map(|sign| sign.chars().next());
        let has = |piece: &&Piece, sign: char| {
            let is_punctuation = sign.is_ascii() || PUNCTUATION.contains(sign);
            piece.text.as_str().contains(sign) && (!is_punctuation || piece.role == self.role)
        };
        begins.into_iter().any(|sign| pieces.iter().any(|piece| has(piece, sign)))
    }
}

/// The signs that pieces have.
#[must_use]
pub fn among(pieces: &[&Piece]) -> Vec<&'static Sign> {
    SIGNS.iter().filter(|sign| sign.is_among(pieces)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::width;

    #[test]
    fn no_sentence_is_cut_in_the_help_of_80_columns() {
        for sign in SIGNS {
            assert!(width(sign.about) <= 62, "{} cells: {}", width(sign.about), sign.about);
        }
    }
}
