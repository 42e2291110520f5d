//! The list of steps: number, sign, who, what in one line, and what it wrote.

use super::call_rows::results_of;
use super::live::{AWAITED, Pending};
use super::row::pieces_width;
use super::step_filter::StepRows;
use super::step_row;
use super::{Extent, Hit, Open, Piece, Row, Scroll, StepFilter, Times, Window, marks, spend, times};
use crate::format::Layout;
use crate::model::{Step, StepKind, StepNo, StepRole};
use crate::state::{EventOp, IdentityId};
use crate::text::{Role, single_line};

/// Below this width labels are cut shorter.
const NARROW_CELLS: usize = 34;
/// From this width on a tick has its word beside it.
const TICK_WORD_CELLS_MIN: usize = 48;
/// What is below the step in focus where no step passes the filter.
const VAIN: [&str; 2] = [" No step matches the filter.", " {cancel} clears it, {filter} changes it."];

/// Rows of the steps around the cursor (which is the step in focus).
#[must_use]
pub fn window(open: &Open<'_>, step_filter: &StepFilter, scroll: &Scroll, times: Times, extent: Extent) -> Window {
    let total = open.count();
    let pending = pending(open).filter(|_| extent.height > 1);
    let extent = Extent { height: height(open, extent), ..extent };
    if total == 0 && pending.is_none() {
        let lines: &[&str] = if open.session.live.stale == Some(AWAITED) {
            &[
                "Waiting for the file.",
                "It does not exist yet, or is empty. It opens here as soon as something is written to it; {close} leaves.",
            ]
        } else if open.session.is_complete {
            &[
                "No steps.",
                "The input holds no record. If something still writes it, the steps appear here as they come.",
            ]
        } else {
            &["Reading…"]
        };
        return open.session.key_names.notice(lines, extent.width);
    }
    let digits = total.saturating_sub(1).to_string().len();
    let start = if times == Times::Since { times::start(open) } else { None };
    let spend = if times == Times::Spend { spend::recorded(open) } else { None };
    let has_marks = open.session.review.has_marked_steps(open.session.trajectory);
    let list = step_filter.rows(open);
    let cursor = list.row(open, open.step());
    let mut rows: Vec<Row> = (scroll.top..list.total.min(scroll.top + extent.height))
        .map(|i| {
            let step = list.step(i);
            let is_cursor = i == cursor;
            let mark_of = has_marks.then(|| marked_step(open, &list, i));
            let shape = StepColumns { digits, cells: extent.width, mark_of, is_cursor, has_calls: list.has_calls() };
            let spend_column = spend.as_ref().map(|spend| Times::spend_column(open, spend, step));
            let row = row(open, step, spend_column.or_else(|| times.piece(open, step, start)), shape);
            let above = i.checked_sub(1).map(|above| list.step(above));
            let row = match tick(open, above, step, extent.width) {
                Some(tick) => row.right(vec![tick]),
                None => row,
            };
            if list.is_hidden(i) { row.dimmed(" hidden") } else { row }
        })
        .collect();
    if step_filter.is_vain(open) && rows.len() + VAIN.len() < extent.height {
        rows.extend(VAIN.map(|line| Row::text(Role::Dim, &open.session.key_names.fill(line))));
    }
    rows.extend(pending.map(|pending| Row::text(Role::Dim, &format!(" {}", pending.describe()))));
    Window { rows, top: scroll.top, total: list.total }
}

/// Rows that the list has for steps: the last one is for what is not finished yet (T11).
#[must_use]
pub fn height(open: &Open<'_>, extent: Extent) -> usize {
    extent.height - usize::from(extent.height > 1 && pending(open).is_some())
}

fn pending<'o>(open: &'o Open<'_>) -> Option<&'o Pending> {
    open.session.live.pending.as_ref().filter(|_| open.session.format.layout() == Layout::Run)
}

/// How a row of the list is laid out.
#[derive(Clone, Copy)]
struct StepColumns {
    /// Cells of the numbers.
    digits: usize,
    /// Cells of the pane.
    cells: usize,
    /// The step whose mark is shown; None where the run has no marks on steps, so that no room is taken.
    mark_of: Option<StepNo>,
    is_cursor: bool,
    /// Whether results are in the rows of their calls.
    has_calls: bool,
}

/// The step of a row whose mark is shown: the row's, or a marked result of it that has no row of its own.
fn marked_step(open: &Open<'_>, list: &StepRows<'_>, row: usize) -> StepNo {
    let step = list.step(row);
    let has_marks = |step: StepNo| !open.session.review.step_marks(open.session.trajectory, step).is_empty();
    if has_marks(step) {
        return step;
    }
    let mut folded = results_of(open.run(), step).filter(|result| list.row(open, *result) == row);
    folded.find(|result| has_marks(*result)).unwrap_or(step)
}

/// The row of a step with its results, in a list beside another: cells of its number, and of the row.
pub(super) fn cell(open: &Open<'_>, step: StepNo, (digits, cells): (usize, usize), is_cursor: bool) -> Row {
    row(open, step, None, StepColumns { digits, cells, mark_of: None, is_cursor, has_calls: true })
}

fn row(open: &Open<'_>, number: StepNo, time: Option<Piece>, shape: StepColumns) -> Row {
    let StepColumns { digits, cells, mark_of, is_cursor, has_calls } = shape;
    let label_cells = if cells < NARROW_CELLS { 6 } else { 8 };
    let step = open.describe(number);
    let outcome = open.run().outcome(number);
    let role = step_row::sign(outcome).map_or(role_of(&step), |(_, role)| role);
    let mut left = vec![
        match (is_cursor, open.session.live.is_fresh(number)) {
            (true, _) => Piece::of(Role::Accent, "▌"),
            (false, true) => Piece::of(Role::Good, "•"),
            (false, false) => Piece::of(Role::Dim, " "),
        },
        Piece::of(Role::Dim, &format!("{number:>digits$} ")),
    ];
    left.extend(time);
    left.extend(mark_of.map(|step| marks::step_cell(open, step)));
    let level_cells = if cells < NARROW_CELLS { 1 } else { 2 };
    left.push(Piece::of(Role::Dim, &" ".repeat(level_cells * step.levels_shown())));
    if let Some(action) = &step.action {
        left.push(call_sign(&step, has_calls && open.step() > number && is_cursor));
        let fixed = left.len();
        let mut action = step_row::with_file(open, number, action);
        let spare = cells.saturating_sub(pieces_width(&left) + label_cells + step_row::informative_cells(&action));
        let has_outcome = has_calls || outcome.is_some();
        let mut outcome = if has_outcome { step_row::outcome(open, number, cells, spare) } else { Vec::new() };
        // What failed changed nothing.
        if outcome.iter().any(|piece| piece.role == Role::Error) && !action.note.is_empty() {
            action.to_mut().note.clear();
        }
        let room = |outcome: &[Piece]| cells.saturating_sub(pieces_width(&left) + label_cells + pieces_width(outcome));
        // That all is well says less than the name of the file.
        if step_row::file_name_cells(&action) >= room(&outcome) && outcome.iter().all(|piece| piece.role == Role::Dim) {
            outcome.clear();
        }
        let room = room(&outcome);
        left.extend(step_row::action(&action, step.calls.saturating_sub(1), &open.folder(), (label_cells, room)));
        return Row::new(left).fixed(fixed).right(outcome).hit(Hit::Step(number)).cursor(is_cursor);
    }
    let sign = step_row::sign(outcome).map_or(sign(&step), |(sign, _)| sign);
    let summary = match step.sign {
        StepKind::Message | StepKind::Thought => without_marks(&one_line(&step.summary)),
        _ => one_line(&step.summary),
    };
    let is_unreadable = step.sign == StepKind::Thought && summary.is_empty();
    // A span that only has a name.
    let summary = match summary {
        _ if is_unreadable => "no text in the log".to_owned(),
        summary if summary == step.label => String::new(),
        summary => summary,
    };
    let room = cells.saturating_sub(pieces_width(&left) + 2);
    let label = step_row::name(&step.label, label_cells, room, rest_cells(&step, &summary, room));
    left.extend([Piece::of(role, sign), Piece::safe(role, label), Piece::of(Role::Text, " ")]);
    // Number and sign say which step a text is of, however far it is scrolled.
    let fixed = left.len();
    let writes = (step.sign == StepKind::Data).then(|| open.writes(number, || writes(open, number)));
    let Some(writes) = writes.filter(|w| !w.is_empty()) else {
        let tone = if step.sign == StepKind::Meta || is_unreadable { Role::Dim } else { Role::Text };
        if let Some(call) = step.answers.filter(|call| step.sign == StepKind::Result && *call + 1 != number) {
            let separator = if summary.is_empty() { "" } else { " · " };
            left.push(Piece::of(Role::Dim, &format!("of {call}{separator}")));
        }
        left.push(Piece::of(tone, &summary));
        let outcome = outcome.map(|outcome| step_row::of_result(Some(outcome), step.result_lines)).unwrap_or_default();
        return Row::new(left).fixed(fixed).right(outcome).hit(Hit::Step(number)).cursor(is_cursor);
    };
    left.extend(writes.iter().cloned());
    Row::new(left).fixed(fixed).hit(Hit::Step(number)).cursor(is_cursor)
}

/// The sign of a call: that its result is in focus, else that the answer which makes it says itself that it failed.
fn call_sign(step: &Step, is_at_result: bool) -> Piece {
    match (is_at_result, step.sign) {
        (true, _) => Piece::of(Role::Call, "◂ "),
        (false, StepKind::Error) => Piece::of(Role::Error, "✗ "),
        (false, _) => Piece::of(Role::Call, "▸ "),
    }
}

/// Cells that a label leaves to a long summary. What kind of event it is says more than what is noted of it.
fn rest_cells(step: &Step, summary: &str, room: usize) -> usize {
    match step.sign {
        _ if summary.is_empty() => 0,
        StepKind::Meta => room / 2,
        _ => room,
    }
}

/// A5: the tick of a step at the right edge, where the row above is of another tick; None where the run has one only.
fn tick(open: &Open<'_>, above: Option<StepNo>, step: StepNo, cells: usize) -> Option<Piece> {
    let run = open.run();
    run.tick_start(0, true)?;
    let tick = run.tick(step).filter(|tick| above.and_then(|above| run.tick(above)).as_ref() != Some(tick))?;
    let word = if cells < TICK_WORD_CELLS_MIN { "t" } else { "tick " };
    Some(Piece::of(Role::Dim, &format!(" {word}{tick}")))
}

/// Text on one line: runs of white space become one space.
#[must_use]
pub fn one_line(text: &str) -> String {
    let head: String = text.chars().take(600).collect();
    single_line(&head)
}

/// A line of Markdown without the marks of headings and strong words.
#[must_use]
pub fn without_marks(line: &str) -> String {
    let hashes = line.bytes().take_while(|byte| *byte == b'#').count();
    let heading = line.get(hashes..).filter(|_| (1..=6).contains(&hashes)).and_then(|rest| rest.strip_prefix(' '));
    heading.unwrap_or(line).replace("**", "")
}

/// The one-cell sign, so that colour is never the only mark.
fn sign(step: &Step) -> &'static str {
    match step.sign {
        StepKind::Call => "▸ ",
        StepKind::Result => "◂ ",
        StepKind::Error | StepKind::Broken => "✗ ",
        StepKind::Data => "  ",
        StepKind::Plan => "◇ ",
        StepKind::Thought => "… ",
        StepKind::Meta => "· ",
        StepKind::Message | StepKind::Other => "  ",
    }
}

/// Colour of a step: what it is, else who speaks.
#[must_use]
pub fn role_of(step: &Step) -> Role {
    match (step.sign, step.role) {
        (StepKind::Error | StepKind::Broken, _) => Role::Error,
        (StepKind::Call, _) => Role::Call,
        (StepKind::Result, _) => Role::Result,
        (StepKind::Meta | StepKind::Thought | StepKind::Data, _) => Role::Dim,
        (_, StepRole::User) => Role::User,
        (_, StepRole::Agent) => Role::Agent,
        (_, StepRole::Environment) => Role::Environment,
        (_, StepRole::System) => Role::System,
        _ => Role::Text,
    }
}

#[derive(Default)]
struct Count {
    added: usize,
    changed: usize,
    dropped: usize,
    same: usize,
}

/// Events that are looked at for the names of what a step wrote.
const NAMES_LOOKED_MAX: usize = 1_000;

/// What a step wrote: `¶state② +3 ~1 −1`, per identity in order, and the first keys that changed.
fn writes(open: &Open<'_>, step: StepNo) -> Vec<Piece> {
    let mut counts: Vec<(IdentityId, Count)> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for (looked, event) in open.tree().events(step).into_iter().enumerate() {
        let i = counts.iter().position(|(id, _)| *id == event.identity).unwrap_or_else(|| {
            counts.push((event.identity, Count::default()));
            counts.len() - 1
        });
        let count = &mut counts[i].1;
        match event.op {
            EventOp::Add => count.added += 1,
            EventOp::Change => count.changed += 1,
            EventOp::Same => count.same += 1,
            EventOp::Drop | EventOp::Reset => count.dropped += 1,
        }
        if names.len() < 3
            && looked < NAMES_LOOKED_MAX
            && event.op != EventOp::Same
            && let Some(key) = open.tree().path(event.node).1.first()
        {
            let name = key.to_string();
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let mut out = Vec::new();
    for (id, count) in &counts {
        let identity = open.tree().identity(*id);
        if !out.is_empty() {
            out.push(Piece::of(Role::Dim, ", "));
        }
        out.push(Piece::of(Role::Kind, &format!("¶{}", identity.kind)));
        if let Some(instance) = &identity.instance {
            out.push(Piece::of(Role::Instance, &format!(" {instance}")));
        }
        for (n, mark, role) in
            [(count.added, "+", Role::Added), (count.changed, "~", Role::Changed), (count.dropped, "−", Role::Removed)]
        {
            if n > 0 {
                out.push(Piece::of(role, &format!(" {mark}{n}")));
            }
        }
        if count.added + count.changed + count.dropped == 0 && count.same > 0 {
            out.push(Piece::of(Role::Dim, " unchanged"));
        }
    }
    if !names.is_empty() {
        out.push(Piece::of(Role::Dim, &format!("  {}", names.join(", "))));
    }
    out
}
