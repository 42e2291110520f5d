//! A call and its result as one row of the list of steps: what was done, to what, and how it came out.

use super::call_rows::results_of;
use super::row::pieces_width;
use super::{Open, Piece, times};
use crate::model::{ActionLine, StepNo, duration_text};
use crate::rules::work::{Outcome, OutcomeLevel, without_escapes};
use crate::text::{Role, SafeText, counted, cut, cut_middle, cut_path, cut_start, pad, single_line, width};
use std::borrow::Cow;

/// Fewest cells that an object keeps beside its notes.
const OBJECT_CELLS_MIN: usize = 8;
/// Cells of an object that are shown before how long the call took.
const OBJECT_CELLS: usize = 24;
/// Cells up to which a name of a tool is shown whole in a row of this width or more, whatever is behind it.
const LONG_VERB_CELLS: usize = 14;
const WIDE_CELLS_MIN: usize = 36;
/// The same in a narrower row, as that beside two other panes.
const MEDIUM_VERB_CELLS: usize = 12;
const MEDIUM_CELLS_MIN: usize = 26;
/// Verbs whose objects differ at their ends, as paths do.
const COMMANDS: [&str; 1] = ["run"];

/// Most cells of the words of a failure.
const FAULT_CELLS_MAX: usize = 40;

/// In a pane narrower than this an outcome is its sign alone.
const OUTCOME_CELLS_MIN: usize = 44;

/// From this width on a row says how long a call took that took a moment; in a narrower one only of a long one.
const DURATION_CELLS_MIN: usize = 60;
/// The least that is a moment, and the least that is long, in microseconds.
const SHORT_MICROS: u64 = 100_000;
const LONG_MICROS: u64 = 10_000_000;

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

/// A name at the beginning of a row, in at least its column: a longer one takes what the `rest` of the row leaves.
pub(super) fn name(text: &str, column: usize, room: usize, rest: usize) -> SafeText {
    let text = SafeText::of(text);
    let always = match room {
        WIDE_CELLS_MIN.. => LONG_VERB_CELLS,
        MEDIUM_CELLS_MIN.. => MEDIUM_VERB_CELLS,
        _ => column,
    };
    let whole = column.max(width(text.as_str()));
    let cells = whole.min(room.saturating_sub(rest).max(always)).max(column);
    let text = without_group(&text, cells);
    pad(&text, cells.min(column.max(width(text.as_str()))))
}

/// The end of a name of several parts that is too long: many of a run begin alike, as `session.…` or `mcp__…`.
fn without_group(name: &SafeText, cells: usize) -> SafeText {
    let (text, whole) = (name.as_str(), width(name.as_str()));
    let has_parts = text.contains('.') || text.contains("__");
    if whole <= cells || cells < 2 || !has_parts {
        return name.clone();
    }
    let ends = text.match_indices(['.', '_']).map(|(at, _)| at + 1);
    let ends = ends.filter(|end| !text[*end..].starts_with('_')).map(|end| width(&text[..end]));
    let least = whole + 1 - cells;
    let start = ends.filter(|cells| (least..whole).contains(cells)).min().unwrap_or(least);
    SafeText::of("…").join(&cut_start(name, start))
}

/// The verb in its cells and the object of a call in the rest of the row; `folder` is what all paths of the run begin
/// with. A command or path that is too long is cut in its middle, since these differ at their ends.
pub(super) fn action(action: &ActionLine, others: usize, folder: &str, cells: (usize, usize)) -> Vec<Piece> {
    let (verb_cells, room) = cells;
    let object = single_line(&action.object);
    let short = if COMMANDS.contains(&&*action.verb) {
        without_folder(&object, folder)
    } else {
        object.strip_prefix(folder).filter(|rest| action.is_path && !rest.is_empty())
    };
    let mut note = if action.note.is_empty() { String::new() } else { format!("  {}", action.note) };
    if others > 0 {
        note.push_str(&format!("  and {}", counted(others, "more call")));
    }
    let note = Piece::of(Role::Dim, &note);
    let object = SafeText::of(short.unwrap_or(&object));
    let verb = name(&action.verb, verb_cells, room + verb_cells, width(object.as_str()) + note.width() + 1);
    let room = room + verb_cells - width(verb.as_str()).min(room + verb_cells);
    // A name says more than how much of it was read or changed.
    let file_name = match object.as_str().rfind('/') {
        Some(at) => 1 + width(&object.as_str()[at..]),
        None => width(object.as_str()),
    };
    let least =
        if action.is_path { file_name.max(OBJECT_CELLS_MIN).min(room.saturating_sub(1)) } else { OBJECT_CELLS_MIN };
    let object_room = room.saturating_sub(note.width() + 1).max(least);
    let note = match room.saturating_sub(1).saturating_sub(object_room.min(width(object.as_str()))) {
        left if action.is_path && left < note.width() => Piece::of(Role::Dim, ""),
        _ => note,
    };
    let room = object_room;
    let object = match (action.is_path, COMMANDS.contains(&&*action.verb)) {
        (true, _) => cut_path(&object, room),
        (_, true) => cut_middle(&object, room),
        (false, false) => cut(&object, room),
    };
    vec![Piece::safe(Role::Call, verb), Piece::of(Role::Text, " "), Piece::safe(Role::Text, object), note]
}

/// A command behind the change to the folder in which all of the run is: it says less than what is run there.
fn without_folder<'c>(command: &'c str, folder: &str) -> Option<&'c str> {
    let (changed, rest) = command.strip_prefix("cd ")?.split_once(" && ")?;
    let changed = changed.trim().trim_matches(['"', '\'']).trim_end_matches('/');
    let folder = folder.trim_end_matches('/');
    (!folder.is_empty() && changed == folder && !rest.trim().is_empty()).then(|| rest.trim_start())
}

/// Cells of the name of the file that a call is about; 0: it is about none.
pub(super) fn file_name_cells(action: &ActionLine) -> usize {
    let name = action.object.rsplit('/').next().unwrap_or_default();
    if action.is_path { width(SafeText::of(name).as_str()) } else { 0 }
}

/// Cells of what a call is about that say more than how long it took.
pub(super) fn informative_cells(action: &ActionLine) -> usize {
    width(SafeText::of(&single_line(&action.object)).as_str()).min(OBJECT_CELLS)
}

/// A call that names no file, since one was open: the file that its result changed.
pub(super) fn with_file<'a>(open: &Open<'_>, call: StepNo, action: &'a ActionLine) -> Cow<'a, ActionLine> {
    let file = || {
        let work = open.run().work()?;
        let of_step = |step| work.file_touched(step).map(|file| work.file_path(file).to_owned());
        results_of(open.run(), call).find_map(of_step)
    };
    let object = if action.object.is_empty() && action.is_path { file() } else { None };
    object.map_or(Cow::Borrowed(action), |object| Cow::Owned(ActionLine { object, ..action.clone() }))
}

/// How a call came out, for the right edge of its row of `cells`; how long it took as well where both fit `spare`.
pub(super) fn outcome(open: &Open<'_>, call: StepNo, cells: usize, spare: usize) -> Vec<Piece> {
    let mut results = results_of(open.run(), call).peekable();
    // A span is a call with what came back from it.
    let steps: Vec<StepNo> = match results.peek() {
        Some(_) => results.collect(),
        None if open.run().outcome(call).is_some() => vec![call],
        None => return Vec::new(),
    };
    let worst = steps.iter().filter_map(|step| open.run().outcome(*step)).max_by_key(|outcome| outcome.verdict);
    let is_read = open.describe(call).action.as_ref().is_none_or(|action| !WRITING.contains(&&*action.verb));
    let lines = steps.iter().filter_map(|step| open.describe(*step).result_lines).reduce(|all, more| all + more);
    let lines = lines.filter(|_| is_read);
    match worst {
        Some(worst) if cells < OUTCOME_CELLS_MIN => {
            sign(Some(worst)).map(|(sign, role)| Piece::of(role, &format!(" {sign}"))).into_iter().collect()
        }
        worst => {
            let least = if cells < DURATION_CELLS_MIN { LONG_MICROS } else { SHORT_MICROS };
            let took = times::took(open, call).filter(|micros| *micros >= least);
            let of_worst = |step: &StepNo| open.run().outcome(*step).filter(|outcome| Some(*outcome) == worst);
            let why = steps.iter().find_map(|step| fault(open, *step, of_worst(step)?));
            let why = why.map(|why| cut(&SafeText::of(&why), (cells / 3).min(FAULT_CELLS_MAX)));
            let mut pieces = of_failure(worst, lines, why.as_ref().map(SafeText::as_str));
            let took = took.map(|micros| Piece::of(Role::Dim, &format!(" · {}", duration_text(micros))));
            let took = took.filter(|took| pieces_width(&pieces) + took.width() <= spare);
            pieces.extend(took);
            pieces
        }
    }
}

/// Why a result failed, in its own words, where only a flag says that it did.
#[must_use]
pub fn fault(open: &Open<'_>, step: StepNo, outcome: Outcome) -> Option<String> {
    let is_flag = outcome.reason == Some("flag") && outcome.exit.is_none();
    if !is_flag {
        return None;
    }
    let described = open.describe(step);
    // What came back is said after the call where one step is both.
    let behind_call = described.summary.split_once(" · ").map(|(_, rest)| rest).filter(|_| described.action.is_some());
    fault_text(behind_call.unwrap_or(&described.summary))
}

/// The first line of a result that has words, without what only says that it failed and without the frame of a box.
fn fault_text(summary: &str) -> Option<String> {
    let plain = without_escapes(summary);
    let inner = plain.trim_start().trim_start_matches("<tool_use_error>");
    let line = inner.lines().find(|line| line.contains(char::is_alphanumeric))?.trim_matches(is_frame);
    let line = line.split("</tool_use_error>").next().unwrap_or_default();
    let words = ["Error:", "ERROR:", "error:"].iter().find_map(|head| line.strip_prefix(head)).unwrap_or(line).trim();
    (!words.is_empty()).then(|| single_line(words))
}

/// Whether a character draws the frame of a box: lines, blocks, and the blanks beside them.
fn is_frame(c: char) -> bool {
    c.is_whitespace() || ('\u{2500}'..='\u{259f}').contains(&c)
}

/// How a result came out; `lines` is how much it brought.
pub(super) fn of_result(outcome: Option<Outcome>, lines: Option<usize>) -> Vec<Piece> {
    of_failure(outcome, lines, None)
}

/// The same; `fault` says why where the reason does not.
fn of_failure(outcome: Option<Outcome>, lines: Option<usize>, fault: Option<&str>) -> Vec<Piece> {
    let size = lines.filter(|n| *n > 0).map(|n| counted(n, "line"));
    let pieces_of = |sign: &str, role: Role, outcome: Outcome| {
        let exit = outcome.exit.filter(|exit| *exit != 0).map(|exit| format!("exit {exit}"));
        let why = fault.or_else(|| outcome.reason.filter(|reason| *reason != "exit").map(reason_words));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &ActionLine, room: usize) -> String {
        let pieces = action(line, 0, "", (8, room));
        let text: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
        assert!(width(&text) <= room + 8, "{text:?} in {room}");
        text.trim_end().to_owned()
    }

    fn line(verb: &str, object: &str, note: &str) -> ActionLine {
        let is_path = object.contains('/');
        ActionLine { verb: verb.into(), object: object.into(), is_path, note: note.into() }
    }

    #[test]
    fn a_command_says_what_is_run_and_not_where_all_of_the_run_is() {
        let of = |command| without_folder(command, "/testbed/");
        assert_eq!(of("cd /testbed && python a.py"), Some("python a.py"));
        assert_eq!(of("cd '/testbed/' && ls && pwd"), Some("ls && pwd"));
        assert_eq!(
            [of("cd /testbed/src && ls"), of("cd /testbed"), of("ls"), without_folder("cd / && ls", "")],
            [None; 4]
        );
    }

    #[test]
    fn of_a_long_name_in_parts_the_end_is_shown() {
        let of = |text, cells| without_group(&SafeText::of(text), cells).as_str().to_owned();
        assert_eq!(of("session.model_change", 14), "…model_change");
        assert_eq!(of("ai.generateText.doGenerate", 14), "…doGenerate");
        assert_eq!(of("mcp__github__create_issue", 14), "…create_issue");
        assert_eq!(of("ai.generateText", 8), "…ateText");
        assert_eq!(name("ai.generateText.doGenerate", 8, 40, 20).as_str(), "…doGenerate");
        assert_eq!([of("session.start", 13), of("get_user_details", 8)], ["session.start", "get_user_details"]);
    }

    #[test]
    fn a_name_is_cut_last() {
        let edit = line("edit", "app/routes/api.stream.ts", "+9 −1");
        assert_eq!(shown(&edit, 40), "edit     app/routes/api.stream.ts  +9 −1");
        assert_eq!(shown(&edit, 26), "edit     app…/api.stream.ts  +9 −1");
        assert_eq!(shown(&edit, 16), "edit     …/api.stream.ts");
        assert_eq!(shown(&line("call_subagent", "", ""), 30), "call_subagent");
        assert_eq!(shown(&line("call_subagent", "a long task", ""), 12), "call_su… a long task");
        assert_eq!(shown(&line("call_subagent", "a long task", ""), 60), "call_subagent a long task");
        assert_eq!(shown(&line("todo", "4 of 4 done · write it", ""), 16), "todo     4 of 4 done · …");
    }

    #[test]
    fn the_reason_of_a_failure_is_its_first_line_with_words() {
        let boxed = "\u{1b}[36m╭────────╮\n│ \u{1b}[1mhook: pre-commit\u{1b}[0m │\n╰────────╯\nerror: x";
        assert_eq!(fault_text(boxed).as_deref(), Some("hook: pre-commit"));
        assert_eq!(fault_text("----\n====\nError: no such file\n").as_deref(), Some("no such file"));
        assert_eq!(
            fault_text("<tool_use_error>File is not read</tool_use_error>").as_deref(),
            Some("File is not read")
        );
        assert_eq!(fault_text("╭──╮\n╰──╯"), None);
    }
}
