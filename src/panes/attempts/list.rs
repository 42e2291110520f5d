//! The tasks with several attempts, a row each.

use super::{AttemptsPane, BY, HEAD_ROWS, WHERE, paint};
use crate::panes::value::count_text;
use crate::panes::{Extent, Hit, KeyNames, Piece, Row, Window};
use crate::review::{TaskLine, TaskList};
use crate::text::{Role, SafeText, cut_middle, pad, width};

/// From this width on rows have the first words of a task.
const WORDS_CELLS_MIN: usize = 80;
/// Cells of most numbers of steps.
const STEPS_CELLS: usize = 11;

pub(super) fn window(
    pane: &AttemptsPane,
    list: &TaskList,
    names: &KeyNames,
    (looked, extent): (usize, Extent),
) -> Window {
    let scroll = &pane.list_scroll;
    if list.tasks.is_empty() {
        if looked < 100 {
            return Window::notice(&["None so far.", "The records are still being looked at."], extent.width);
        }
        let title = match (list.all, &pane.by) {
            (0, Some(by)) => format!("No record has {by}, which is to name its task."),
            (0, None) => "No record names a task.".to_owned(),
            (all, _) => format!("No task has several attempts: {} have one each.", count_text(all)),
        };
        return Window::notice(&[&title, WHERE, &names.fill(BY)], extent.width);
    }
    let end = list.tasks.len().min(scroll.top + extent.height.saturating_sub(HEAD_ROWS));
    let mut right = pane.field_label(extent.width);
    let visible = &list.tasks[scroll.top.min(end)..end];
    right.extend(paint::heading(visible.iter().map(|task| &task.outcome), extent.width));
    let mut rows = vec![head(list, looked).right(right)];
    let names = visible.iter().map(|task| width(SafeText::of(&task.name).as_str())).max().unwrap_or(0);
    let shared = shared_words(visible);
    rows.extend((scroll.top.min(end)..end).map(|i| {
        let painter = TaskPainter { names, shared, cells: extent.width };
        painter.row(&list.tasks[i], i == scroll.cursor).hit(Hit::Row(i))
    }));
    Window { rows, top: scroll.top, total: list.tasks.len() }
}

fn head(list: &TaskList, looked: usize) -> Row {
    let least = if looked < 100 { "≥" } else { "" };
    let mut title =
        format!(" {least}{} of {least}{} tasks have several attempts", count_text(list.several), count_text(list.all));
    if list.several > list.tasks.len() {
        title += &format!(", the first {}", list.tasks.len());
    }
    if list.unnamed > 0 {
        let words = if list.unnamed == 1 { "record names" } else { "records name" };
        title += &format!(" · {} {words} no task", count_text(list.unnamed));
    }
    Row::text(Role::Dim, &title)
}

/// How many bytes the words of all visible tasks have in common.
fn shared_words(visible: &[TaskLine]) -> usize {
    let Some((first, others)) = visible.split_first() else { return 0 };
    others.iter().map(|other| paint::common_prefix(&first.words, &other.words)).min().unwrap_or(0)
}

/// What rows have in common: cells of the longest name, bytes that all words begin with.
#[derive(Clone, Copy)]
struct TaskPainter {
    names: usize,
    shared: usize,
    cells: usize,
}

impl TaskPainter {
    fn row(self, line: &TaskLine, is_cursor: bool) -> Row {
        let cells = self.cells;
        let name = match line.name.as_str() {
            "" => "(cannot be read)",
            name => name,
        };
        // A name takes no more than it needs, so that words have room; of a longer one the ends distinguish it.
        let most = if cells >= WORDS_CELLS_MIN { cells / 4 } else { cells * 2 / 5 }.max(12);
        let name_cells = self.names.clamp(12.min(most), most);
        let name = cut_middle(&SafeText::of(name), name_cells);
        let mut left = vec![
            Piece::of(Role::Accent, if is_cursor { "▌" } else { " " }),
            Piece::safe(Role::Text, pad(&name, name_cells)),
            Piece::of(Role::JsonNumber, &format!("{:>5} ", count_text(line.attempts))),
        ];
        if cells >= 60 {
            let (least, most) = (line.steps.start(), line.steps.end());
            let steps = if least == most { format!("{least} steps") } else { format!("{least}..{most} steps") };
            left.push(Piece::of(Role::Dim, &format!("attempts  {steps:<STEPS_CELLS$}")));
        }
        if cells >= WORDS_CELLS_MIN {
            let words = paint::from_difference(&line.words, self.shared);
            left.push(Piece::of(Role::Text, &format!("  {words}")));
        }
        Row::new(left).right(paint::outcome(&line.outcome, cells)).cursor(is_cursor)
    }
}
