//! The signs on the screen and what they mean: a group of the help and of `docs/keys.md`.

use super::keys::Context;
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

/// All signs. Order is the order of the help.
pub static SIGNS: &[Sign] = &[
    sign(C::Global, "▌", Role::Accent, "The row that is chosen; in lists of values and findings, that of this step."),
    sign(
        C::Trajectory,
        "▸ ◂",
        Role::Call,
        "A tool call and its result; in the row of a call, ◂ says that its result is selected.",
    ),
    sign(C::Global, "▸ ▾", Role::Dim, "Folded, unfolded."),
    sign(C::Global, "✗", Role::Error, "Failed, broken, an error, or a value that breaks its schema."),
    sign(C::Global, "? !", Role::Warning, "?: the text of a result looks like a failure. !: a warning."),
    sign(
        C::Trajectory,
        "+ ~ −",
        Role::Changed,
        "Added, changed, gone at this step; = written again with the same value.",
    ),
    sign(C::TwoRuns, "▸", Role::Call, "A tool call; how its result came out is at the right."),
    sign(
        C::TwoRuns,
        "~ + −",
        Role::Changed,
        "Between two runs: different, only in the right one, only in the left one.",
    ),
    sign(C::TwoRuns, "@41", Role::Blame, "Step 41 of its run wrote this value."),
    sign(C::TwoRuns, "≠", Role::Changed, "How many values differ; on a narrow screen, which difference of how many."),
    sign(C::Trajectory, "•", Role::Good, "In Steps, a step that came just now; in State, a value whose parts changed."),
    sign(C::Trajectory, "…", Role::Dim, "In Steps, a thought; at the end of a text, that it is cut."),
    sign(C::Trajectory, "·", Role::Dim, "In Steps, what is neither message nor call: settings, headings, counts."),
    sign(C::Trajectory, "↳ ×", Role::Dim, "A step of a sub-agent; a step on a branch that was left."),
    sign(
        C::Trajectory,
        "@41 head t4",
        Role::Blame,
        "Step 41 wrote this value; head: it was there before the first step. In Steps, tick 4 begins.",
    ),
    sign(C::Trajectory, "¶ ①", Role::Kind, "¶: a kind of state, as ¶file or ¶todo; ①: one instance of that kind."),
    sign(
        C::Trajectory,
        "† → ←",
        Role::Reference,
        "†: a reference to a value of the state; → where it goes to, ← where it comes from.",
    ),
    sign(
        C::Trajectory,
        "◆ ◇ ◈",
        Role::Focus,
        "On the timeline: a write of the value in focus, one that changed nothing, one at this step. In Steps, ◇ is a plan.",
    ),
    sign(
        C::Trajectory,
        "│ ┊",
        Role::Dim,
        "On the timeline: this step, a long pause. In front of a text, ┊ says that the line goes on with it.",
    ),
    sign(C::Trajectory, "⚑ ⚐", Role::Accent, "A mark on a record or step; on the timeline ⚐ is one at this step."),
    sign(C::Trajectory, "■ ▣ □ ⊠ ⊘", Role::Changed, "In a to-do list: done, in progress, to do, given up, blocked."),
    sign(C::Trajectory, "⋯", Role::Dim, "Lines that are left out or were never shown to the agent."),
    sign(C::Trajectory, "≠", Role::Changed, "Values that differ between instances."),
    sign(C::Global, "● ○", Role::Good, "Live: the newest step is followed, or not. In watches: stops there, or not."),
    sign(C::Table, "+ - =", Role::Good, "In the column mark: kept, dropped, unsure; ⚑: a flag."),
    sign(C::Table, "┃", Role::Accent, "A record that is selected."),
    sign(
        C::Table,
        "▸ ‹ ›",
        Role::Accent,
        "Beside a heading: the column in focus; more columns at the left, at the right.",
    ),
    sign(C::Global, "≈", Role::Dim, "A number of tokens that is estimated, not counted."),
    sign(C::Global, "▶ ‖", Role::Accent, "Playing or running; paused."),
    sign(C::Global, "↻", Role::Warning, "The file was cut short or replaced while it was open."),
    sign(C::Global, "↑ ↓", Role::Dim, "More above, more below."),
    sign(
        C::Global,
        "▲ ▼",
        Role::Accent,
        "The column that a table is sorted by; in a plot, ▲ is the bin of the cursor.",
    ),
    sign(C::Global, "✓", Role::Accent, "Chosen, done, or as it should be."),
    sign(
        C::Global,
        "␛ ⟨U+202E⟩",
        Role::Warning,
        "A control or invisible character of the text, which is not sent to the terminal.",
    ),
];

/// The signs of a place.
pub fn of(contexts: &[Context]) -> impl Iterator<Item = &'static Sign> {
    SIGNS.iter().filter(|sign| contexts.contains(&sign.context))
}
