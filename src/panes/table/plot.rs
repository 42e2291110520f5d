//! How the numbers of the column in focus spread: bars with an axis, percentiles, outliers; of a column of words, its
//! most frequent values.

use super::cells::measured;
use super::facets::bar_of;
use crate::panes::row::{next_hit, pieces_width};
use crate::panes::{Extent, KeyNames, Nth, Piece, Row, Window, value};
use crate::review::{Bin, Column, Filter, FilterField, Numbers, Plot, Tally};
use crate::text::{Pattern, Role, SafeText, pad, width};

/// Cells left of the bars: the greatest count.
const SCALE_CELLS: usize = 8;
/// Rows below the bars: axis, numbers, percentiles.
const FOOT_ROWS: usize = 3;
/// Widest bar, in cells.
const BAR_CELLS_MAX: usize = 8;
/// Longest bar of a value, in cells.
const VALUE_BAR_CELLS_MAX: usize = 60;

/// Whether the plot is shown, and the bar under its cursor.
#[derive(Debug, Default)]
pub struct PlotPane {
    /// Whether it is shown; None: where there is room.
    pub is_open: Option<bool>,
    /// The bar under the cursor.
    pub cursor: usize,
}

impl PlotPane {
    /// Moves the cursor by some bars.
    pub fn move_by(&mut self, delta: isize, tally: Option<&Tally>) {
        let bars = |tally: &Tally| tally.plot.as_ref().map_or(tally.values.len(), |(_, plot)| plot.bins.len());
        self.cursor = self.cursor.saturating_add_signed(delta).min(tally.map_or(0, bars).saturating_sub(1));
    }

    /// The bar under the cursor: what asks for it, and how.
    #[must_use]
    pub fn chosen(&self, tally: Option<&Tally>) -> Option<(FilterField, String)> {
        let tally = tally?;
        match &tally.plot {
            Some((field, plot)) => Some((*field, plot.bins.get(self.cursor)?.written.clone())),
            None => Some((tally.field?, tally.values.get(self.cursor)?.written.clone())),
        }
    }

    /// Puts the cursor on the next or previous bar whose bounds or value match, around the end; which one it is.
    pub fn search(&mut self, tally: Option<&Tally>, pattern: &Pattern, is_forward: bool) -> Option<Nth> {
        let tally = tally?;
        let names: Vec<&str> = match &tally.plot {
            Some((_, plot)) => plot.bins.iter().map(|bin| bin.written.as_str()).collect(),
            None => tally.values.iter().map(|value| value.label.as_str()).collect(),
        };
        let hits: Vec<usize> = (0..names.len()).filter(|bar| pattern.is_match(names[*bar])).collect();
        let found = next_hit(&hits, &self.cursor, is_forward)?;
        self.cursor = hits[found.at];
        Some(found)
    }

    /// The plot of a column.
    #[must_use]
    pub fn window(
        &self,
        focus: Column,
        tally: Option<&(Column, Tally)>,
        filter: &Filter,
        extent: Extent,
        (is_marked, names): (bool, &KeyNames),
    ) -> Window {
        let elsewhere = if is_marked {
            "{table-pane-next} goes to the table; {column-previous} and {column-next} go to another column there."
        } else {
            "{column-previous} and {column-next} go to another column."
        };
        let elsewhere = &*names.fill(elsewhere);
        if self.is_unasked(focus) {
            let plots = names.fill("{plot} plots what the expression says of all records.");
            return Window::notice(&[&plots, elsewhere], extent.width);
        }
        let Some((_, tally)) = tally.filter(|(column, _)| *column == focus) else {
            return Window::notice(&["Counting…"], extent.width);
        };
        if tally.is_uncounted {
            let message = format!("Too many records to count each {}.", focus.title());
            return Window::notice(&[&message, elsewhere], extent.width);
        }
        let rows = match &tally.plot {
            Some((field, plot)) if !plot.bins.is_empty() => {
                Drawing::of(plot, *field, extent).rows(self.cursor, filter, is_marked)
            }
            None if !tally.values.is_empty() => self.values(tally, filter, extent, is_marked),
            _ if tally.known == 0 => return Window::notice(&["Counting…"], extent.width),
            _ if tally.missing == 0 => return Window::notice(&["No record passes the filter."], extent.width),
            _ => return Window::notice(&["No record has a value here.", elsewhere], extent.width),
        };
        Window { total: rows.len(), rows, top: 0 }
    }

    /// Whether a column is not plotted before it is asked for: an expression costs time for each record.
    #[must_use]
    pub fn is_unasked(&self, focus: Column) -> bool {
        self.is_open.is_none() && matches!(focus, Column::Custom(_))
    }

    /// The most frequent values, a bar each, and a line that reports all.
    fn values(&self, tally: &Tally, filter: &Filter, extent: Extent, is_marked: bool) -> Vec<Row> {
        let height = extent.height.saturating_sub(1);
        let top = (self.cursor + 1).saturating_sub(height);
        let shown = || tally.values.iter().enumerate().skip(top).take(height);
        let longest = shown().map(|(_, value)| width(SafeText::of(&value.label).as_str())).max().unwrap_or(0);
        let label = longest.min(extent.width / 3);
        let most = tally.values.first().map_or(0, |value| value.records);
        let bar = extent.width.saturating_sub(label + SCALE_CELLS + 4).min(VALUE_BAR_CELLS_MAX);
        let row = |(i, one): (usize, &crate::review::ValueCount)| {
            let is_on = tally.field.is_some_and(|field| filter.has(field, &one.written));
            let is_here = is_marked && i == self.cursor;
            let role = if is_on { Role::Accent } else { Role::Text };
            let bar_role = if is_here { Role::Changed } else { Role::JsonNumber };
            Row::new(vec![
                Piece::of(Role::Accent, if is_here { "▸ " } else { "  " }),
                Piece::safe(role, pad(&SafeText::of(&one.label), label)),
                Piece::of(Role::JsonNumber, &format!("{:>w$} ", value::count_text(one.records), w = SCALE_CELLS)),
                Piece::of(if is_on { Role::Accent } else { bar_role }, &bar_of(one.records, most, bar)),
            ])
        };
        let mut count_label = format!(" {}", value::count_of(tally.distinct, "value"));
        if tally.missing > 0 {
            count_label += &format!(" · {} without", value::count_text(tally.missing));
        }
        let mut rows: Vec<Row> = shown().map(row).collect();
        rows.resize(height, Row::default());
        rows.push(Row::text(Role::Dim, &count_label));
        rows
    }
}

struct Drawing<'p> {
    plot: &'p Plot,
    field: FilterField,
    /// Cells of a bin, with the gap after its bar.
    bin: usize,
    gap: usize,
    /// Rows of bars.
    height: usize,
    most: usize,
    cells: usize,
}

impl<'p> Drawing<'p> {
    fn of(plot: &'p Plot, field: FilterField, extent: Extent) -> Self {
        let room = extent.width.saturating_sub(SCALE_CELLS + 1);
        let bin = (room / plot.bins.len()).clamp(1, BAR_CELLS_MAX);
        let most = plot.bins.iter().map(|bin| bin.records).max().unwrap_or(1).max(1);
        let height = extent.height.saturating_sub(FOOT_ROWS);
        Self { plot, field, bin, gap: usize::from(bin >= 3), height, most, cells: extent.width }
    }

    fn rows(&self, cursor: usize, filter: &Filter, is_marked: bool) -> Vec<Row> {
        let mut rows: Vec<Row> = (0..self.height).map(|row| self.bars(row, cursor, filter, is_marked)).collect();
        rows.push(self.axis(cursor, is_marked));
        rows.push(self.labels());
        rows.push(self.summary(cursor, is_marked));
        rows
    }

    fn is_on(&self, bin: &Bin, filter: &Filter) -> bool {
        filter.has(self.field, &bin.written)
    }

    /// A number of the column, short.
    fn measured(&self, number: f64) -> String {
        let numbers = match self.field {
            FilterField::Number(numbers) => numbers,
            _ if number.fract() != 0.0 && number.abs() < 1e4 => Numbers::Reward,
            _ => Numbers::Steps,
        };
        measured(numbers, number)
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
            let label = if bin.is_outlier && i == 0 { "<".to_owned() } else { self.measured(bin.low) };
            let used = width(&text);
            if (i == 0 || at > used) && at + width(&label) <= self.cells {
                text += &" ".repeat(at.saturating_sub(used));
                text += &label;
            }
        }
        Row::text(Role::Dim, &text)
    }

    /// The bar under the cursor, percentiles, outliers: what there is room for, in this order, the least needed left
    /// out first.
    fn summary(&self, cursor: usize, is_marked: bool) -> Row {
        // Each with how much it is needed.
        let mut parts: Vec<(usize, Vec<Piece>)> = Vec::new();
        if let Some(bin) = self.plot.bins.get(cursor).filter(|_| is_marked) {
            let written = Piece::of(Role::Accent, &format!(" {}", bin.written));
            parts.push((9, vec![written, Piece::of(Role::Text, &format!("  {} ", value::count_text(bin.records)))]));
        }
        let names = [("min", 3), ("p50", 7), ("p90", 4), ("p99", 2), ("max", 6)];
        for ((name, need), number) in names.into_iter().zip(self.plot.marks) {
            let name = Piece::of(Role::Dim, &format!(" {name} "));
            let number = Piece::of(Role::JsonNumber, &format!("{} ", self.measured(number)));
            parts.push((need, vec![name, number]));
        }
        if self.plot.outliers > 0 {
            let label = format!(" {} ", value::count_of(self.plot.outliers, "outlier"));
            parts.push((5, vec![Piece::of(Role::Warning, &label)]));
        }
        let used = |parts: &[(usize, Vec<Piece>)]| parts.iter().map(|(_, part)| pieces_width(part)).sum::<usize>();
        // What is last may end with a space that nobody sees.
        while parts.len() > 1 && used(&parts) > self.cells + 1 {
            let least = parts.iter().map(|(need, _)| *need).min();
            parts.retain(|(need, _)| Some(*need) != least);
        }
        Row::new(parts.into_iter().flat_map(|(_, part)| part).collect())
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
        (
            Column::Steps,
            Tally { plot: Some((FilterField::Number(Numbers::Steps), plot)), known: 11, ..Tally::default() },
        )
    }

    #[test]
    fn bars_stand_above_their_numbers() {
        let (pane, tally) = (PlotPane { is_open: None, cursor: 1 }, tally());
        let extent = Extent { width: 44, height: 5 };
        let window = pane.window(Column::Steps, Some(&tally), &Filter::default(), extent, (true, &KeyNames::default()));
        let lines: Vec<String> = window.rows.iter().map(Row::plain).collect();
        assert_eq!(
            lines,
            [
                "     8 │        ███████                 ",
                "       │▄▄▄▄▄▄▄ ███████         ▂▂▂▂▂▂▂ ",
                "     0 └────────▲───────────────»───────",
                "        0       10      20      30",
                " 10..  8  p50 12  p90 19  max 40  1 outlier ",
            ]
        );
    }

    #[test]
    fn the_most_frequent_values_of_a_column_of_words_have_a_bar_each() {
        let value = |label: &str, records| crate::review::ValueCount {
            label: label.to_owned(),
            written: label.to_owned(),
            records,
            times: None,
        };
        let values = vec![value("finish", 8), value("open-call", 4), value("message", 1)];
        let field = Some(FilterField::Name(crate::review::Names::Finish));
        let tally = (Column::Finish, Tally { values, field, distinct: 3, missing: 2, ..Tally::default() });
        let mut pane = PlotPane::default();
        pane.move_by(9, Some(&tally.1));
        assert_eq!(pane.chosen(Some(&tally.1)), field.map(|field| (field, "message".to_owned())));
        let extent = Extent { width: 30, height: 3 };
        let lines = |pane: &PlotPane| {
            let window =
                pane.window(Column::Finish, Some(&tally), &Filter::default(), extent, (true, &KeyNames::default()));
            window.rows.iter().map(Row::plain).collect::<Vec<_>>()
        };
        assert_eq!(lines(&pane), ["  open-call       4 ━━━━╸", "▸ message         1 ━", " 3 values · 2 without"]);
        pane.cursor = 0;
        assert_eq!(lines(&pane)[0], "▸ finish          8 ━━━━━━━━━");
        let keys = [("plot", "p"), ("column-previous", "h"), ("column-next", "l")];
        let names = KeyNames::new(keys.map(|(action, key)| (action.to_owned(), key)));
        let custom = Column::Custom(crate::review::CustomColumn::new("turns").unwrap());
        let row_text = pane.window(custom, None, &Filter::default(), extent, (false, &names)).rows[1].plain();
        assert_eq!(row_text, "  p plots what the ");
    }

    #[test]
    fn no_row_is_wider_than_a_pane_that_has_room_for_its_bins() {
        for cells in 14..200 {
            let window = PlotPane::default().window(
                Column::Steps,
                Some(&tally()),
                &Filter::default(),
                Extent { width: cells, height: 6 },
                (false, &KeyNames::default()),
            );
            for row in &window.rows {
                assert!(SafeText::of(row.plain().trim_end()).as_str().chars().count() <= cells, "{}", row.plain());
            }
        }
    }
}
