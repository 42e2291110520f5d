//! The tasks with several attempts, a row each.

use super::{AttemptsPane, BY, HEAD_ROWS, WHERE, paint};
use crate::panes::value::count_text;
use crate::panes::{Extent, Hit, Piece, Row, Window};
use crate::review::{TaskLine, TaskList};
use crate::text::{Role, SafeText, pad};

pub(super) fn window(pane: &AttemptsPane, list: &TaskList, looked: usize, extent: Extent) -> Window {
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
        return Window::notice(&[&title, WHERE, BY], extent.width);
    }
    let end = list.tasks.len().min(scroll.top + extent.height.saturating_sub(HEAD_ROWS));
    let mut right = pane.field_label(extent.width);
    let visible = &list.tasks[scroll.top.min(end)..end];
    right.extend(paint::heading(visible.iter().map(|task| &task.outcome), extent.width));
    let mut rows = vec![head(list, looked).right(right)];
    rows.extend(
        (scroll.top.min(end)..end).map(|i| row(&list.tasks[i], i == scroll.cursor, extent.width).hit(Hit::Row(i))),
    );
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

fn row(line: &TaskLine, is_cursor: bool, cells: usize) -> Row {
    let name = match line.name.as_str() {
        "" => "(cannot be read)",
        name => name,
    };
    let name_cells = (cells * 2 / 5).max(12);
    let mut left = vec![
        Piece::of(Role::Accent, if is_cursor { "▌" } else { " " }),
        Piece::safe(Role::Text, pad(&SafeText::of(name), name_cells)),
        Piece::of(Role::JsonNumber, &format!("{:>5} ", count_text(line.attempts))),
    ];
    if cells >= 60 {
        let (least, most) = (line.steps.start(), line.steps.end());
        let steps = if least == most { format!("{least} steps") } else { format!("{least}..{most} steps") };
        left.push(Piece::of(Role::Dim, &format!("attempts  {steps}")));
    }
    Row::new(left).right(paint::outcome(&line.outcome, cells)).cursor(is_cursor)
}
