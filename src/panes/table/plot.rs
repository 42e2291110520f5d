//! How the numbers of the column in focus spread: bars with an axis, percentiles, outliers.

use super::cells::measured;
use crate::panes::{Extent, Piece, Row, Window, value};
use crate::review::{Bin, Column, Field, Filter, Numbers, Plot, Tally};
use crate::text::{Role, width};

/// Cells left of the bars: the greatest count.
const SCALE_CELLS: usize = 8;
/// Rows below the bars: axis, numbers, percentiles.
const FOOT_ROWS: usize = 3;
/// Widest bar, in cells.
const BAR_CELLS_MAX: usize = 8;

/// Whether the plot is shown, and the bin under its cursor.
#[derive(Debug, Default)]
pub struct PlotPane {
    /// Whether it is shown; None: where there is room.
    pub is_open: Option<bool>,
    /// The bin under the cursor.
    pub cursor: usize,
}

impl PlotPane {
    /// Moves the cursor by some bins.
    pub fn move_by(&mut self, delta: isize, tally: Option<&Tally>) {
        let bins = tally.and_then(|tally| tally.plot.as_ref()).map_or(0, |(_, plot)| plot.bins.len());
        self.cursor = self.cursor.saturating_add_signed(delta).min(bins.saturating_sub(1));
    }

    /// The bin under the cursor: what asks for it, and how.
    #[must_use]
    pub fn chosen(&self, tally: Option<&Tally>) -> Option<(Field, String)> {
        let (numbers, plot) = tally?.plot.as_ref()?;
        Some((Field::Number(*numbers), plot.bins.get(self.cursor)?.written.clone()))
    }

    /// The plot of a column.
    #[must_use]
    pub fn window(
        &self,
        focus: Column,
        tally: Option<&(Column, Tally)>,
        filter: &Filter,
        extent: Extent,
        is_marked: bool,
    ) -> Window {
        if focus.numbers().is_none() {
            let told = match focus {
                Column::Own(_) => "Columns of your own are not plotted; f counts their values.".to_owned(),
                _ => format!("{} holds no numbers.", focus.title()),
            };
            return Window::notice(&[&told, "h and l in the table go to another column."], extent.width);
        }
        let found = tally.filter(|(column, _)| *column == focus).and_then(|(_, tally)| tally.plot.as_ref());
        let Some((numbers, plot)) = found else { return Window::notice(&["Counting…"], extent.width) };
        if plot.bins.is_empty() {
            return Window::notice(&["No record has this number."], extent.width);
        }
        let rows = Drawing::of(plot, *numbers, extent).rows(self.cursor, filter, is_marked);
        Window { total: rows.len(), rows, top: 0 }
    }
}

struct Drawing<'p> {
    plot: &'p Plot,
    numbers: Numbers,
    /// Cells of a bin, with the gap behind its bar.
    bin: usize,
    gap: usize,
    /// Rows of bars.
    height: usize,
    most: usize,
    cells: usize,
}

impl<'p> Drawing<'p> {
    fn of(plot: &'p Plot, numbers: Numbers, extent: Extent) -> Self {
        let room = extent.width.saturating_sub(SCALE_CELLS + 1);
        let bin = (room / plot.bins.len()).clamp(1, BAR_CELLS_MAX);
        let most = plot.bins.iter().map(|bin| bin.records).max().unwrap_or(1).max(1);
        let height = extent.height.saturating_sub(FOOT_ROWS);
        Self { plot, numbers, bin, gap: usize::from(bin >= 3), height, most, cells: extent.width }
    }

    fn rows(&self, cursor: usize, filter: &Filter, is_marked: bool) -> Vec<Row> {
        let mut rows: Vec<Row> = (0..self.height).map(|row| self.bars(row, cursor, filter, is_marked)).collect();
        rows.push(self.axis(cursor, is_marked));
        rows.push(self.labels());
        rows.push(self.summary(cursor, is_marked));
        rows
    }

    fn is_on(&self, bin: &Bin, filter: &Filter) -> bool {
        filter.has(Field::Number(self.numbers), &bin.written)
    }

    fn bars(&self, row: usize, cursor: usize, filter: &Filter, is_marked: bool) -> Row {
        const EIGHTHS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
        let scale = match row {
            0 => value::count_text(self.most),
            _ => String::new(),
        };
        let mut pieces = vec![Piece::of(Role::Dim, &format!("{scale:>w$} │", w = SCALE_CELLS - 2))];
        for (i, bin) in self.plot.bins.iter().enumerate() {
            let eighths = (bin.records * self.height * 8 / self.most).max(usize::from(bin.records > 0));
            let here = eighths.saturating_sub((self.height - 1 - row) * 8).min(8);
            let role = match () {
                () if is_marked && i == cursor => Role::Changed,
                () if self.is_on(bin, filter) => Role::Accent,
                () if bin.is_outlier => Role::Warning,
                () => Role::JsonNumber,
            };
            let bar = EIGHTHS[here].repeat(self.bin - self.gap);
            pieces.push(Piece::of(role, &format!("{bar}{}", " ".repeat(self.gap))));
        }
        Row::new(pieces)
    }

    /// The axis: a mark below the bin under the cursor, and below those that gather outliers.
    fn axis(&self, cursor: usize, is_marked: bool) -> Row {
        let mut pieces = vec![Piece::of(Role::Dim, &format!("{:>w$} └", 0, w = SCALE_CELLS - 2))];
        for (i, bin) in self.plot.bins.iter().enumerate() {
            let (role, sign) = match () {
                () if is_marked && i == cursor => (Role::Accent, "▲"),
                () if bin.is_outlier && i == 0 => (Role::Warning, "«"),
                () if bin.is_outlier => (Role::Warning, "»"),
                () => (Role::Dim, "─"),
            };
            pieces.push(Piece::of(role, sign));
            pieces.push(Piece::of(Role::Dim, &"─".repeat(self.bin - 1)));
        }
        Row::new(pieces)
    }

    /// Where bins begin, as many as have room.
    fn labels(&self) -> Row {
        let mut text = " ".repeat(SCALE_CELLS);
        for (i, bin) in self.plot.bins.iter().enumerate() {
            let at = SCALE_CELLS + i * self.bin;
            let label = if bin.is_outlier && i == 0 { "<".to_owned() } else { measured(self.numbers, bin.low) };
            let used = width(&text);
            if (i == 0 || at > used) && at + width(&label) <= self.cells {
                text += &" ".repeat(at.saturating_sub(used));
                text += &label;
            }
        }
        Row::text(Role::Dim, &text)
    }

    fn summary(&self, cursor: usize, is_marked: bool) -> Row {
        let mut pieces = Vec::new();
        if let Some(bin) = self.plot.bins.get(cursor).filter(|_| is_marked) {
            pieces.push(Piece::of(Role::Accent, &format!(" {}", bin.written)));
            pieces.push(Piece::of(Role::Text, &format!("  {}   ", value::count_text(bin.records))));
        }
        for (name, number) in ["min", "p50", "p90", "p99", "max"].into_iter().zip(self.plot.marks) {
            pieces.push(Piece::of(Role::Dim, &format!(" {name} ")));
            pieces.push(Piece::of(Role::JsonNumber, &measured(self.numbers, number)));
            pieces.push(Piece::of(Role::Text, " "));
        }
        if self.plot.outliers > 0 {
            let plural = if self.plot.outliers == 1 { "" } else { "s" };
            let told = format!("  {} outlier{plural}", value::count_text(self.plot.outliers));
            pieces.push(Piece::of(Role::Warning, &told));
        }
        Row::new(pieces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::SafeText;

    fn tally() -> (Column, Tally) {
        let bin = |low: f64, records, is_outlier| Bin { low, written: format!("{low}.."), records, is_outlier };
        let bins = vec![bin(0.0, 2, false), bin(10.0, 8, false), bin(20.0, 0, false), bin(30.0, 1, true)];
        let plot = Plot { marks: [1.0, 12.0, 19.0, 40.0, 40.0], records: 11, outliers: 1, bins };
        (Column::Steps, Tally { plot: Some((Numbers::Steps, plot)), known: 11, ..Tally::default() })
    }

    #[test]
    fn bars_stand_above_their_numbers() {
        let (pane, tally) = (PlotPane { is_open: None, cursor: 1 }, tally());
        let extent = Extent { width: 44, height: 5 };
        let window = pane.window(Column::Steps, Some(&tally), &Filter::default(), extent, true);
        let lines: Vec<String> = window.rows.iter().map(Row::plain).collect();
        assert_eq!(
            lines,
            [
                "     8 │        ███████                 ",
                "       │▄▄▄▄▄▄▄ ███████         ▂▂▂▂▂▂▂ ",
                "     0 └────────▲───────────────»───────",
                "        0       10      20      30",
                " 10..  8    min 1  p50 12  p90 19  p99 40  max 40   1 outlier",
            ]
        );
    }

    #[test]
    fn no_row_is_wider_than_a_pane_that_has_room_for_its_bins() {
        for cells in 14..200 {
            let window = PlotPane::default().window(
                Column::Steps,
                Some(&tally()),
                &Filter::default(),
                Extent { width: cells, height: 6 },
                false,
            );
            for row in &window.rows[..5] {
                assert!(SafeText::of(&row.plain()).as_str().chars().count() <= cells, "{}", row.plain());
            }
        }
    }
}
