//! The groups of the help.

use super::MenuItem;
use crate::app::keys::{Context, KeyRow};
use crate::app::signs::{self, Sign};

/// The keys of the pane first, then the signs that are on the screen, the other keys, and the other signs.
pub(super) fn sections(
    rows: &[&'static KeyRow],
    (contexts, shown_signs): (&[Context], &[&'static Sign]),
    gestures: usize,
) -> Vec<MenuItem> {
    let (pane_rows, rows): (Vec<_>, Vec<_>) = rows.iter().copied().partition(|row| row.context.is_of_one_pane());
    let is_shown = |sign: &&'static Sign| shown_signs.iter().any(|shown| std::ptr::eq(*shown, *sign));
    let (shown, others): (Vec<_>, Vec<_>) = signs::of(contexts).partition(is_shown);
    let mut out = Vec::new();
    group(&mut out, "In this pane", pane_rows.into_iter().map(MenuItem::Key));
    group(&mut out, "Signs", shown.into_iter().map(MenuItem::Sign));
    let mut names: Vec<&'static str> = Vec::new();
    for row in &rows {
        if !names.contains(&row.section) {
            names.push(row.section);
        }
    }
    for name in names {
        group(&mut out, name, rows.iter().filter(|row| row.section == name).map(|row| MenuItem::Key(row)));
    }
    group(&mut out, "With the mouse", (0..gestures).map(MenuItem::Mouse));
    group(&mut out, "Other signs", others.into_iter().map(MenuItem::Sign));
    out
}

/// Items below a heading; none without items.
fn group(out: &mut Vec<MenuItem>, heading: &'static str, items: impl Iterator<Item = MenuItem>) {
    let start = out.len();
    out.push(MenuItem::Section(heading));
    out.extend(items);
    if out.len() == start + 1 {
        out.truncate(start);
    }
}
