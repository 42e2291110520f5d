//! What each kind says in its line.

use super::Words;
use super::slots::{Slots, string};
use crate::panes::Piece;
use crate::panes::known_file::{DOUBT_CELLS, delta, failures, last_step, last_word};
use crate::panes::state::at;
use crate::panes::value::{count_of, count_text, stored};
use crate::rules::work::OutcomeLevel;
use crate::state::Leaf;
use crate::text::{Role, SafeText, cut, cut_middle, single_line, width};

/// Cells of the counts of lines of a file.
const DELTA_CELLS: usize = 9;
/// Most cells of a folder.
const FOLDER_CELLS_MAX: usize = 28;
/// Most cells of an item of a list of things to do.
const ITEM_CELLS_MAX: usize = 24;
/// Most cells of one of several values.
const VALUE_CELLS_MAX: usize = 40;

fn dim(text: &str) -> Piece {
    Piece::of(Role::Dim, text)
}

/// Cells from which on the row of a file has words for what was done to it.
const FILE_WORDS_CELLS: usize = 30;

/// W5 `file`: lines that came and went, what was done to it last; its step is at the right.
pub(super) fn file(slots: &Slots<'_>, room: usize) -> Words {
    let (open, step) = (slots.open, slots.open.step());
    let facts = open.run().work().and_then(|work| work.file_facts(work.file_of_path(slots.instance(), step)?, step));
    let Some(facts) = facts else { return Vec::new() };
    let word = last_word(&facts);
    let has_changes = facts.added + facts.removed > 0 && !facts.is_deleted;
    let failed = failures(&facts, room >= DELTA_CELLS + DOUBT_CELLS);
    // That a call failed is never what a narrow row cuts off.
    let rest = room.saturating_sub(failed.iter().map(Piece::width).sum());
    let mut out = Vec::new();
    match (has_changes, room >= FILE_WORDS_CELLS) {
        (true, false) => out.extend(delta(&facts, DELTA_CELLS.min(rest))),
        (false, false) => out.push(dim(word)),
        (_, true) => {
            out.extend(delta(&facts, DELTA_CELLS));
            out.push(dim(&format!("{word:<7}")));
        }
    }
    let mut out = super::fitted(out, rest);
    out.extend(failed);
    out
}

/// The step that changed or showed a file last.
pub(super) fn file_step(slots: &Slots<'_>) -> Option<Piece> {
    let (open, step) = (slots.open, slots.open.step());
    let work = open.run().work()?;
    last_step(&work.file_facts(work.file_of_path(slots.instance(), step)?, step)?, step)
}

/// The step that wrote one of the slots last.
pub(super) fn slots_step(slots: &Slots<'_>) -> Option<Piece> {
    let step = slots.leaves().iter().map(|(_, leaf)| leaf.step).max()?;
    let role = if step == slots.open.step() { Role::BlameNew } else { Role::Blame };
    Some(Piece::of(role, &at(step)))
}

/// W5 `file`: how many files, and how many of them the run changed.
pub(super) fn files(all: &[Slots<'_>], _room: usize) -> Words {
    let changed = all.iter().filter(|slots| slots.has("edits")).count();
    let changed_label = if changed > 0 { format!(" · {} changed", count_text(changed)) } else { String::new() };
    vec![dim(&format!("{}{changed_label}", count_of(all.len(), "file")))]
}

/// How many instances there are.
pub(super) fn count(all: &[Slots<'_>], _room: usize) -> Words {
    count_of_all(all.len())
}

/// The same by their number.
pub(super) fn count_of_all(count: usize) -> Words {
    vec![dim(&count_text(count))]
}

/// W5 `shell`: folder, last command, how it ended and when. A folder beside a command has what that leaves, or a third.
pub(super) fn shell(slots: &Slots<'_>, room: usize) -> Words {
    let mut out = Vec::new();
    let command = slots.text("command").map(|command| SafeText::of(&single_line(&command)));
    let end = command.as_ref().map(|_| shell_end(slots)).unwrap_or_default();
    if let Some(cwd) = slots.text("cwd") {
        let ends: usize = end.iter().map(Piece::width).sum();
        let cells = command.as_ref().map_or(room, |command| {
            let rest = room.saturating_sub(width(command.as_str()) + ends + COMMAND_SIGN.len() + 2);
            FOLDER_CELLS_MAX.min(rest.max(room / 3))
        });
        out.push(Piece::safe(Role::Dim, cut_middle(&SafeText::of(&cwd), cells)));
        out.push(Piece::of(Role::Text, "  "));
    }
    let Some(command) = command else { return out };
    let taken: usize = out.iter().chain(&end).map(Piece::width).sum();
    let cells = room.saturating_sub(taken + COMMAND_SIGN.len()).max(VALUE_CELLS_MAX / 4);
    out.push(dim(COMMAND_SIGN));
    out.push(Piece::safe(Role::Text, cut_middle(&command, cells)));
    out.extend(end);
    out
}

/// What precedes a command.
const COMMAND_SIGN: &str = "$ ";

fn shell_end(slots: &Slots<'_>) -> Words {
    let (command, exit) = (slots.at("command"), slots.at("exit"));
    if exit < command {
        return vec![dim("  …")];
    }
    let outcome = exit.and_then(|step| slots.open.run().outcome(step)).map(|outcome| outcome.verdict);
    let sign = match (slots.number("exit"), outcome) {
        (Some(status), _) if status != 0 => Piece::of(Role::Error, &format!("  ✗{status}")),
        (_, Some(OutcomeLevel::Error)) => Piece::of(Role::Error, "  ✗"),
        (_, Some(OutcomeLevel::Suspect)) => Piece::of(Role::Warning, "  ?"),
        _ => return Vec::new(),
    };
    vec![sign]
}

/// The sign of a thing to do.
fn todo_sign(status: &str) -> (&'static str, Role) {
    match status {
        "completed" => ("■", Role::Dim),
        "in_progress" => ("▣", Role::Changed),
        "cancelled" => ("⊠", Role::Dim),
        "blocked" => ("⊘", Role::Warning),
        _ => ("□", Role::Text),
    }
}

fn todo_parts(slots: &Slots<'_>) -> (&'static str, Role, SafeText) {
    let (sign, role) = todo_sign(&slots.text("status").unwrap_or_default());
    let text = slots.text("text").unwrap_or_else(|| slots.instance().to_owned());
    (sign, role, SafeText::of(text.trim()))
}

/// W10 `todo`: one thing.
pub(super) fn todo(slots: &Slots<'_>, _room: usize) -> Words {
    let (sign, role, text) = todo_parts(slots);
    let is_named = slots.instance() == slots.text("text").unwrap_or_default().as_str();
    let mut out = vec![Piece::of(role, sign)];
    if !is_named {
        out.push(Piece::of(Role::Text, " "));
        out.push(Piece::safe(role, text));
    }
    out
}

/// W10 `todo`: all things as signs; with their words where there is room, else with those of the first that is being
/// done, as far as there is room beside how many are done.
pub(super) fn todos(all: &[Slots<'_>], room: usize) -> Words {
    let parts: Vec<_> = all.iter().map(todo_parts).collect();
    let done = parts.iter().filter(|(sign, ..)| *sign == "■").count();
    let progress = format!("  {done} of {}", parts.len());
    let item = |text: &SafeText| cut(text, ITEM_CELLS_MAX);
    let whole: usize = parts.iter().map(|(_, _, text)| 4 + width(item(text).as_str())).sum();
    let current = parts.iter().position(|(sign, ..)| *sign == "▣");
    let signs = (2 * parts.len()).saturating_sub(1) + width(&progress) + 1;
    let mut out = Vec::new();
    for (place, (sign, role, text)) in parts.iter().enumerate() {
        if place > 0 {
            out.push(Piece::of(Role::Text, if whole <= room { "  " } else { " " }));
        }
        out.push(Piece::of(*role, sign));
        let label = if whole <= room {
            item(text)
        } else if current == Some(place) {
            cut(text, ITEM_CELLS_MAX.min(room.saturating_sub(signs)))
        } else {
            continue;
        };
        if width(label.as_str()) > 1 {
            out.push(Piece::of(Role::Text, " "));
            out.push(Piece::safe(*role, label));
        }
    }
    let taken: usize = out.iter().map(Piece::width).sum();
    if taken + width(&progress) <= room {
        out.push(dim(&progress));
    }
    out
}

/// W10 `sub`: what a sub-agent is for and how far it is.
pub(super) fn sub(slots: &Slots<'_>, _room: usize) -> Words {
    let status = slots.text("status").unwrap_or_default();
    let role = match status.as_str() {
        "failed" => Role::Error,
        "running" => Role::Changed,
        _ => Role::Dim,
    };
    let mut out = vec![Piece::of(role, &status)];
    out.extend(slots.text("type").map(|kind| dim(&format!(" · {kind}"))));
    out.extend(slots.text("task").map(|task| Piece::of(Role::Text, &format!("  {task}"))));
    out
}

/// W10 `usage`: tokens in few digits, cost, turns.
pub(super) fn usage(slots: &Slots<'_>, _room: usize) -> Words {
    let tokens = |slot: &str, word: &str| slots.number(slot).map(|count| format!("{} {word}", short(count)));
    // Most models never have any.
    let cached =
        |slot: &str, word: &str| slots.number(slot).filter(|count| *count != 0).and_then(|_| tokens(slot, word));
    let cost = slots.decimal("cost").map(|cost| format!("${cost:.2}"));
    let turns = slots.number("turns").map(|turns| counted(turns, "turn"));
    let parts = [
        tokens("input", "in"),
        tokens("output", "out"),
        cached("cache_read", "cached"),
        cached("cache_write", "cache written"),
        cost,
        turns,
    ];
    joined(parts)
}

/// A number in few digits.
fn short(count: i64) -> String {
    match count {
        0..10_000 => count_text(usize::try_from(count).unwrap_or(0)),
        10_000..1_000_000 => format!("{}k", count / 1_000),
        _ => format!("{}.{}M", count / 1_000_000, count.unsigned_abs() % 1_000_000 / 100_000),
    }
}

fn counted(count: i64, thing: &str) -> String {
    count_of(usize::try_from(count).unwrap_or(0), thing)
}

fn joined(parts: impl IntoIterator<Item = Option<String>>) -> Words {
    vec![dim(&parts.into_iter().flatten().collect::<Vec<_>>().join(" · "))]
}

/// W5 `call`: calls that wait.
pub(super) fn calls(slots: &Slots<'_>, _room: usize) -> Words {
    match slots.elements("open") {
        0 => vec![dim("no open call")],
        count => vec![Piece::of(Role::Changed, &count_of(count, "open call"))],
    }
}

/// D20 `conversation`: steps, turns, open calls.
pub(super) fn conversation(slots: &Slots<'_>, _room: usize) -> Words {
    let part =
        |slot: &str, word: &str| slots.number(slot).filter(|count| *count != 0).map(|count| counted(count, word));
    joined([part("steps", "step"), part("turns", "turn"), part("open_calls", "open call")])
}

/// D20 `tool`: calls of one tool, and how many of them wait.
pub(super) fn tool(slots: &Slots<'_>, _room: usize) -> Words {
    let (calls, answered) = (slots.number("calls").unwrap_or(0), slots.number("answered").unwrap_or(0));
    let open = Some(calls - answered).filter(|open| *open > 0).map(|open| counted(open, "open call"));
    joined([Some(counted(calls, "call")), open])
}

/// D20 `tool`: calls of each tool.
pub(super) fn tools(all: &[Slots<'_>], _room: usize) -> Words {
    joined(all.iter().map(|slots| Some(format!("{} {}", slots.instance(), slots.number("calls")?))))
}

/// The values of the slots one after the other, each cut.
pub(super) fn scalars(slots: &Slots<'_>, _room: usize) -> Words {
    let is_set = |(_, leaf): &(String, Leaf)| leaf.value.short() != Some("null");
    let leaves: Vec<_> = slots.leaves().into_iter().filter(is_set).collect();
    let is_one = leaves.len() == 1;
    let mut out = Vec::new();
    for (name, leaf) in &leaves {
        if !out.is_empty() {
            out.push(dim(" · "));
        }
        if !is_one {
            out.push(dim(&format!("{name} ")));
        }
        match slots.digested(leaf) {
            Some(text) => out.extend(text.pieces()),
            None => {
                let piece = stored(&leaf.value, slots.open.bytes());
                let text = leaf.value.short().and_then(string).map_or(piece.text, |text| SafeText::of(&text));
                let text = if is_one { text } else { cut(&text, VALUE_CELLS_MAX) };
                out.push(Piece::safe(Role::Text, text));
            }
        }
    }
    out
}
