//! Where everything is: rectangles from the size of the screen, what is shown, and how borders were moved.

use super::pane_borders::{Border, Split, Splits};

/// Most columns that are drawn: more than any screen has. A percentage of them fits 16 bits.
const COLUMNS_MAX: u16 = 1_000;

/// Most rows that are drawn.
const ROWS_MAX: u16 = 500;

/// The part of a terminal that is drawn: a terminal can report 65,535 columns and rows, which would fill the memory.
#[must_use]
pub fn drawn_size(width: u16, height: u16) -> (u16, u16) {
    (width.min(COLUMNS_MAX), height.min(ROWS_MAX))
}

/// A rectangle of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Area {
    /// Column of the left edge, from 0.
    pub x: u16,
    /// Row of the top edge, from 0.
    pub y: u16,
    /// Columns.
    pub width: u16,
    /// Rows.
    pub height: u16,
}

impl Area {
    /// Whether a cell lies in it.
    #[must_use]
    pub fn contains(self, x: u16, y: u16) -> bool {
        x >= self.x && x < self.x.saturating_add(self.width) && y >= self.y && y < self.y.saturating_add(self.height)
    }

    /// What is left inside a border of one cell.
    #[must_use]
    pub fn inside(self) -> Self {
        Self {
            x: self.x + self.width.min(1),
            y: self.y + self.height.min(1),
            width: self.width.saturating_sub(2),
            height: self.height.saturating_sub(2),
        }
    }
}

/// A pane of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Pane {
    /// Several files.
    Files,
    /// The trajectories of a dataset.
    Table,
    /// The values of a column of the table.
    Facets,
    /// How the numbers of a column spread.
    Plot,
    /// The attempts at a task.
    Attempts,
    /// The steps.
    #[default]
    Steps,
    /// The merged state.
    State,
    /// The tabs.
    Inspector,
    /// The watched values.
    Watches,
    /// The run as a conversation, over the other panes.
    Conversation,
    /// A long value, over the other panes.
    Pager,
    /// The steps of two runs, aligned.
    AlignedSteps,
    /// The states of two runs at the row in focus.
    AlignedState,
    /// What two runs say there.
    AlignedMessages,
}

/// Everything's place.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    /// The line at the top.
    pub header: Area,
    /// The panes that are shown, with their borders.
    pub panes: Vec<(Pane, Area)>,
    /// The borders between them that can be moved.
    pub borders: Vec<Border>,
    /// Whether the panes have borders (not on small screens).
    pub has_borders: bool,
    /// The strip of watched values, below the panes.
    pub watches: Option<Area>,
    /// The line that explains the value in focus.
    pub explain: Option<Area>,
    /// The timeline.
    pub timeline: Option<Area>,
    /// The line of keys.
    pub footer: Area,
}

impl Layout {
    /// Whether a pane is shown.
    #[must_use]
    pub fn has(&self, pane: Pane) -> bool {
        self.panes.iter().any(|(shown, _)| *shown == pane)
    }

    /// The strip of watched values, if it is shown.
    #[must_use]
    pub fn strip(&self) -> Option<(Pane, Area)> {
        self.watches.map(|area| (Pane::Watches, area))
    }

    /// The pane under a cell, and where it is.
    #[must_use]
    pub fn under(&self, x: u16, y: u16) -> Option<(Pane, Area)> {
        self.panes.iter().copied().chain(self.strip()).find(|(_, area)| area.contains(x, y))
    }
}

impl Layout {
    /// The cells in which the rows of a pane are painted.
    #[must_use]
    pub fn inside(&self, pane: Pane) -> Area {
        if pane == Pane::Watches {
            return self.watches.unwrap_or_default();
        }
        let area = self.panes.iter().find(|(shown, _)| *shown == pane).map(|(_, area)| *area).unwrap_or_default();
        if self.has_borders {
            return area.inside();
        }
        let bar = u16::from(self.has_title_row(pane)).min(area.height);
        Area { y: area.y + bar, height: area.height - bar, ..area }
    }

    /// Whether the first row of a pane is its title: that of the tabs is there even where panes have no border.
    #[must_use]
    pub fn has_title_row(&self, pane: Pane) -> bool {
        !self.has_borders && pane == Pane::Inspector
    }
}

/// The panes of a trajectory in the order in which a key goes through them.
#[must_use]
pub fn panes_of_run(has_state: bool, has_watches: bool) -> Vec<Pane> {
    let state = has_state.then_some(Pane::State);
    let watches = has_watches.then_some(Pane::Watches);
    [Some(Pane::Steps), state, Some(Pane::Inspector), watches].into_iter().flatten().collect()
}

/// The table and what is shown beside it, in the same order.
#[must_use]
pub fn panes_of_table(beside: SidePanes) -> Vec<Pane> {
    let facets = beside.facets.then_some(Pane::Facets);
    let plot = beside.plot.then_some(Pane::Plot);
    [Some(Pane::Table), facets, plot].into_iter().flatten().collect()
}

/// From this width on three panes are side by side.
const WIDE: u16 = 120;
/// From this width on two do.
const MEDIUM: u16 = 72;
/// From these sizes on panes have borders.
pub(super) const BORDER_WIDTH: u16 = 56;
pub(super) const BORDER_HEIGHT: u16 = 14;
/// Fewest columns of a pane beside another.
const LEAST_COLUMNS: u16 = 20;
/// Fewest rows of the plot and of the table above it.
const LEAST_ROWS: u16 = 6;
/// The strip of watched values takes at most this part of the height.
const STRIP_PART: u16 = 4;

/// What is open and how borders were moved, as far as it counts for the layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayoutContext {
    /// A conversation out of a dataset: there steps say more than the few values that are derived from them. Logs of
    /// several runs have a state of their own.
    pub is_set: bool,
    /// A run whose state follows from its calls: what was done takes more room than the state.
    pub has_work: bool,
    /// Whether there can be a state; if not, its room is for the message.
    pub has_state: bool,
    /// Where borders were moved to.
    pub splits: Splits,
}

/// The layout for a size; `focus` is the pane with the cursor, `is_alone` shows it alone (zoom, table), `watches` are
/// the rows that the strip would like to have.
#[must_use]
pub fn layout(width: u16, height: u16, focus: Pane, is_alone: bool, watches: usize, kind: LayoutContext) -> Layout {
    let row = |y: u16| Area { x: 0, y, width, height: 1.min(height) };
    let mut bottom = height.saturating_sub(1);
    let footer = row(bottom);
    let has_run = !matches!(focus, Pane::Files | Pane::Table | Pane::Attempts | Pane::Pager);
    let timeline = (has_run && height >= 10).then(|| {
        bottom -= 1;
        row(bottom)
    });
    let explain = (has_run && height >= 10).then(|| {
        bottom -= 1;
        row(bottom)
    });
    let strip = u16::try_from(watches).unwrap_or(u16::MAX).min(height / STRIP_PART);
    let watches = (has_run && strip > 0).then(|| {
        bottom -= strip;
        Area { x: 0, y: bottom, width, height: strip }
    });
    let body = Area { x: 0, y: 1.min(height), width, height: bottom.saturating_sub(1) };
    let has_borders = width >= BORDER_WIDTH && height >= BORDER_HEIGHT;
    let is_one = is_alone || !has_run || width < MEDIUM || focus == Pane::Conversation;
    let (panes, borders) = if is_one { (vec![(focus, body)], Vec::new()) } else { split(body, focus, kind) };
    // On a screen of one row the footer has it.
    let header = if height > 1 { row(0) } else { Area::default() };
    Layout { header, panes, borders, has_borders, watches, explain, timeline, footer }
}

/// What is beside the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SidePanes {
    /// The values of the column in focus, at its right.
    pub facets: bool,
    /// The plot, below.
    pub plot: bool,
    /// Where borders were moved to.
    pub splits: Splits,
}

/// From this width on the values of a column are beside the table, else over it.
const FACETS_BESIDE: u16 = 90;
/// From this height on the plot is below the table, else over it.
const PLOT_BELOW: u16 = 22;
/// Rows of the plot.
const PLOT_ROWS: u16 = 9;

/// The layout of the table and what is beside it; `focus` is one of these panes.
#[must_use]
pub fn table_layout(width: u16, height: u16, focus: Pane, is_alone: bool, beside: SidePanes) -> Layout {
    let splits = beside.splits;
    let kind = LayoutContext { is_set: true, has_work: false, has_state: true, splits };
    let mut out = layout(width, height, Pane::Table, true, 0, kind);
    let Some((_, mut body)) = out.panes.pop() else { return out };
    let is_narrow = |pane: Pane| match pane {
        Pane::Facets => width < FACETS_BESIDE,
        Pane::Plot => height < PLOT_BELOW,
        _ => false,
    };
    if is_alone || is_narrow(focus) {
        out.panes.push((focus, body));
        return out;
    }
    if beside.plot && height >= PLOT_BELOW {
        let rows = splits.cells(Split::Plot, body.height, PLOT_ROWS, (LEAST_ROWS, body.height - LEAST_ROWS));
        out.borders.push(Border::below(Split::Plot, body, body.height - rows));
        body.height -= rows;
        out.panes.push((Pane::Plot, Area { y: body.y + body.height, height: rows, ..body }));
    }
    if beside.facets && width >= FACETS_BESIDE {
        let default = (width * 28 / 100).clamp(30, 48);
        let facets = splits.cells(Split::Facets, width, default, (LEAST_COLUMNS, width - LEAST_COLUMNS));
        out.borders.insert(0, Border::beside(Split::Facets, body, width - facets));
        body.width -= facets;
        out.panes.push((Pane::Facets, Area { x: body.x + body.width, width: facets, ..body }));
    }
    out.panes.insert(0, (Pane::Table, body));
    out
}

fn split(body: Area, focus: Pane, kind: LayoutContext) -> (Vec<(Pane, Area)>, Vec<Border>) {
    let LayoutContext { is_set, has_work, has_state, splits } = kind;
    let (width, least) = (body.width, LEAST_COLUMNS);
    let column = |x: u16, width: u16| Area { x: body.x + x, width, ..body };
    if width >= WIDE && has_state {
        let inspector = (width * 34 / 100).clamp(40, 80);
        let inspector = splits.cells(Split::Inspector, width, inspector, (least, width - 2 * least));
        let share = match (is_set, has_work) {
            (true, _) => 38,
            (false, true) => 34,
            (false, false) => 30,
        };
        let steps = (width * share / 100).clamp(34, 60);
        let steps = splits.cells(Split::Steps, width, steps, (least, width - inspector - least));
        let state = width - steps - inspector;
        let borders =
            vec![Border::beside(Split::Steps, body, steps), Border::beside(Split::Inspector, body, steps + state)];
        let panes = vec![
            (Pane::Steps, column(0, steps)),
            (Pane::State, column(steps, state)),
            (Pane::Inspector, column(steps + state, inspector)),
        ];
        return (panes, borders);
    }
    let steps = width * if is_set { 45 } else { 38 } / 100;
    let steps = splits.cells(Split::Pair, width, steps, (least, width - least));
    let is_message = focus == Pane::Inspector || (!has_state && focus != Pane::State);
    let right = if is_message { Pane::Inspector } else { Pane::State };
    let panes = vec![(Pane::Steps, column(0, steps)), (right, column(steps, width - steps))];
    (panes, vec![Border::beside(Split::Pair, body, steps)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_beside_the_table_leaves_it_room_at_every_size() {
        for (width, height) in (1..200).flat_map(|width| (1..60).map(move |height| (width, height))) {
            for focus in [Pane::Table, Pane::Facets, Pane::Plot] {
                for (facets, plot, is_alone) in [(true, true, false), (false, true, false), (true, false, true)] {
                    let (facets, plot) = (facets || focus == Pane::Facets, plot || focus == Pane::Plot);
                    let beside = SidePanes { facets, plot, splits: Splits::default() };
                    let l = table_layout(width, height, focus, is_alone, beside);
                    assert!(l.panes.iter().any(|(p, _)| *p == focus), "{focus:?} at {width}x{height}");
                    let cells: u32 = l.panes.iter().map(|(_, a)| u32::from(a.width) * u32::from(a.height)).sum();
                    let body = u32::from(width) * u32::from(l.footer.y.saturating_sub(1.min(height)));
                    assert_eq!(cells, body, "{width}x{height}");
                }
            }
        }
    }

    #[test]
    fn panes_tile_the_body_at_every_size() {
        for width in 1..200 {
            for height in 1..60 {
                for focus in [Pane::Files, Pane::Table, Pane::Steps, Pane::State, Pane::Inspector] {
                    let kind = LayoutContext {
                        is_set: width % 2 == 0,
                        has_work: width % 5 == 0,
                        has_state: width % 3 > 0,
                        splits: Splits::default(),
                    };
                    let l = layout(width, height, focus, false, usize::from(width) % 7, kind);
                    let total: u16 = l.panes.iter().map(|(_, a)| a.width).sum();
                    assert_eq!(total, width);
                    assert!(l.watches.is_none_or(|strip| strip.height <= height / 4 && strip.width == width));
                    assert!(l.panes.iter().any(|(p, _)| *p == focus));
                    assert!(l.panes.iter().all(|(_, a)| a.y + a.height <= height && a.x + a.width <= width));
                }
            }
        }
    }
}
