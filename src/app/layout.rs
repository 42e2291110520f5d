//! Where everything stands: rectangles from the size of the screen and what is shown.

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
    /// The steps.
    #[default]
    Steps,
    /// The merged state.
    State,
    /// The tabs.
    Inspector,
    /// The watched values.
    Watches,
}

/// Everything's place.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    /// The line at the top.
    pub header: Area,
    /// The panes that are shown, with their borders.
    pub panes: Vec<(Pane, Area)>,
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
    /// The pane under a cell, and where it is.
    #[must_use]
    pub fn under(&self, x: u16, y: u16) -> Option<(Pane, Area)> {
        let strip = self.watches.map(|area| (Pane::Watches, area));
        self.panes.iter().copied().chain(strip).find(|(_, area)| area.contains(x, y))
    }
}

/// From this width on three panes stand side by side.
const WIDE: u16 = 120;
/// From this width on two do.
const MEDIUM: u16 = 72;
/// From these sizes on panes have borders.
const BORDER_WIDTH: u16 = 56;
const BORDER_HEIGHT: u16 = 14;
/// The strip of watched values takes at most this part of the height.
const STRIP_PART: u16 = 4;

/// The layout for a size; `focus` is the pane with the cursor, `is_alone` shows it alone (zoom, table), `watches` are
/// the rows that the strip would like to have.
#[must_use]
pub fn layout(width: u16, height: u16, focus: Pane, is_alone: bool, watches: usize) -> Layout {
    let row = |y: u16| Area { x: 0, y, width, height: 1.min(height) };
    let mut bottom = height.saturating_sub(1);
    let footer = row(bottom);
    let has_run = !matches!(focus, Pane::Files | Pane::Table);
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
    let panes = if is_alone || !has_run || width < MEDIUM { vec![(focus, body)] } else { split(body, focus) };
    // On a screen of one row the footer has it.
    let header = if height > 1 { row(0) } else { Area::default() };
    Layout { header, panes, has_borders, watches, explain, timeline, footer }
}

fn split(body: Area, focus: Pane) -> Vec<(Pane, Area)> {
    let column = |x: u16, width: u16| Area { x: body.x + x, width, ..body };
    if body.width >= WIDE {
        let steps = (body.width * 30 / 100).clamp(34, 60);
        let inspector = (body.width * 34 / 100).clamp(40, 80);
        let state = body.width - steps - inspector;
        return vec![
            (Pane::Steps, column(0, steps)),
            (Pane::State, column(steps, state)),
            (Pane::Inspector, column(steps + state, inspector)),
        ];
    }
    let steps = body.width * 38 / 100;
    let right = if focus == Pane::Inspector { Pane::Inspector } else { Pane::State };
    vec![(Pane::Steps, column(0, steps)), (right, column(steps, body.width - steps))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panes_tile_the_body_at_every_size() {
        for width in 1..200 {
            for height in 1..60 {
                for focus in [Pane::Files, Pane::Table, Pane::Steps, Pane::State, Pane::Inspector] {
                    let l = layout(width, height, focus, false, usize::from(width) % 7);
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
