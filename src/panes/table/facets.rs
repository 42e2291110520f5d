//! The values of the column in focus: how many records have each, most first; those that the filter asks for are
//! ticked.

use crate::model::cast;
use crate::panes::{Extent, Hit, Nth, Piece, Row, Scroll, Window, value};
use crate::review::{Column, Filter, FilterField, Tally};
use crate::text::{Pattern, Role, SafeText, pad};

/// Rows above the values.
pub const HEAD_ROWS: usize = 1;
/// Cells of the longest bar.
const BAR_CELLS_MAX: usize = 16;
const BAR_CELLS_MIN: usize = 4;

/// Whether the values are shown, and what they are.
#[derive(Debug, Default)]
pub struct FacetsPane {
    /// Whether the pane is shown.
    pub is_open: bool,
    /// Scroll and cursor, in values.
    pub scroll: Scroll,
    /// The column that was counted, and what it holds.
    pub tally: Option<(Column, Tally)>,
}

impl FacetsPane {
    /// Number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tally.as_ref().map_or(0, |(_, tally)| tally.values.len())
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value under the cursor: what asks for it, and how.
    #[must_use]
    pub fn chosen(&self) -> Option<(FilterField, String)> {
        let (_, tally) = self.tally.as_ref()?;
        Some((tally.field?, tally.values.get(self.scroll.cursor)?.written.clone()))
    }

    /// Puts the cursor on the next or previous value that matches, around the end; which one it is.
    pub fn search(&mut self, focus: Column, pattern: &Pattern, is_forward: bool) -> Option<Nth> {
        let (_, tally) = self.tally.as_ref().filter(|(column, _)| *column == focus)?;
        let hits: Vec<usize> = (0..tally.values.len()).filter(|i| pattern.is_match(&tally.values[*i].label)).collect();
        self.scroll.move_to_hit(&hits, is_forward)
    }

    /// The visible rows; the first reports all values.
    #[must_use]
    pub fn window(&self, focus: Column, filter: &Filter, extent: Extent) -> Window {
        let Some((_, tally)) = self.tally.as_ref().filter(|(column, _)| *column == focus) else {
            return Window::notice(&["Counting…"], extent.width);
        };
        if tally.is_uncounted {
            let message = format!("Too many records to count each {}.", focus.title());
            return Window::notice(
                &[&message, "& filters by it: these texts are read from the file then."],
                extent.width,
            );
        }
        let thing = if tally.plot.is_some() { "range" } else { "value" };
        let mut head = format!(" {}", value::count_of(tally.distinct, thing));
        if tally.values.len() < tally.distinct {
            head += &format!(", the first {}", tally.values.len());
        }
        if tally.missing > 0 {
            head += &format!(" · {} without", value::count_text(tally.missing));
        }
        head += &format!(" · {}", focus.about());
        let mut rows = vec![Row::text(Role::Dim, &head)];
        let most = tally.values.iter().map(|value| value.records).max().unwrap_or(0);
        let top = self.scroll.top;
        for (i, one) in tally.values.iter().enumerate().skip(top).take(extent.height.saturating_sub(HEAD_ROWS)) {
            let is_on = tally.field.is_some_and(|field| filter.has(field, &one.written));
            let times = one.times.map_or(String::new(), |n| format!(" ×{}", value::count_text(cast::to_usize(n))));
            let count = format!("{:>7}", value::count_text(one.records));
            let bar = (extent.width / 4).clamp(BAR_CELLS_MIN, BAR_CELLS_MAX);
            let room = extent.width.saturating_sub(2 + 7 + 1 + bar + 1);
            let label = SafeText::of(&format!("{}{times}", one.label));
            let role = if is_on { Role::Accent } else { Role::Text };
            let row = Row::new(vec![
                Piece::of(Role::Accent, if is_on { "✓ " } else { "  " }),
                Piece::safe(role, pad(&label, room)),
                Piece::of(Role::JsonNumber, &count),
                Piece::of(Role::Text, " "),
                Piece::of(Role::Accent, &bar_of(one.records, most, bar)),
            ]);
            rows.push(row.hit(Hit::Row(i)).cursor(i == self.scroll.cursor));
        }
        Window { rows, top, total: tally.values.len() }
    }
}

/// A bar in halves of a cell; what is there at all has one. A line and no block, so that it is seen under the cursor.
pub(super) fn bar_of(part: usize, whole: usize, cells: usize) -> String {
    let halves = (part * cells * 2).checked_div(whole).unwrap_or(0).max(usize::from(part > 0));
    format!("{}{}", "━".repeat(halves / 2), if halves % 2 == 1 { "╸" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_part() {
        assert_eq!(
            [(4, 4), (2, 4), (1, 1000), (0, 4), (3, 32), (0, 0)].map(|(part, whole)| bar_of(part, whole, 4)),
            ["━━━━", "━━", "╸", "", "╸", ""]
        );
    }
}
