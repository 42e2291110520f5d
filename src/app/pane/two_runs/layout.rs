//! Where the panes of two runs are: the steps above, below them the states and the messages, as the height allows.

use crate::app::layout::{Area, BORDER_HEIGHT, BORDER_WIDTH, Layout, Pane};

/// From this height on all three panes are below each other.
const THREE_HEIGHT_MIN: u16 = 34;
/// From this height on two do; else the one with the cursor is alone.
const TWO_HEIGHT_MIN: u16 = 16;
/// The parts of the height that the steps and the state have, in percent.
const STEPS_PER_CENT: u16 = 38;
const STEPS_OF_TWO_PER_CENT: u16 = 50;
const STATE_PER_CENT: u16 = 24;

/// Rows of the borders of a pane.
const BORDER_ROWS: u16 = 2;
/// Fewest rows of the steps, with their borders.
const STEPS_ROWS_MIN: u16 = 7;

/// What counts for the layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::app) struct TwoRunsLayout {
    /// Whether one of the runs has a state.
    pub(in crate::app) has_state: bool,
    /// The pane that was last below the steps.
    pub(in crate::app) lower: Option<Pane>,
    /// Rows that the steps would like to have, with what is above them.
    pub(in crate::app) rows: usize,
}

/// The layout for a size; `focus` is the pane with the cursor, `is_alone` shows it alone.
#[must_use]
pub(in crate::app) fn two_runs_layout(
    width: u16,
    height: u16,
    focus: Pane,
    is_alone: bool,
    of: TwoRunsLayout,
) -> Layout {
    let row = |y: u16| Area { x: 0, y, width, height: 1.min(height) };
    let bottom = height.saturating_sub(1);
    let header = if height > 1 { row(0) } else { Area::default() };
    let body = Area { x: 0, y: 1.min(height), width, height: bottom.saturating_sub(1) };
    let panes = if is_alone || height < TWO_HEIGHT_MIN { vec![(focus, body)] } else { stacked(body, focus, of) };
    let has_borders = width >= BORDER_WIDTH && height >= BORDER_HEIGHT;
    Layout { header, panes, has_borders, footer: row(bottom), ..Layout::default() }
}

fn stacked(
    body: Area,
    focus: Pane,
    TwoRunsLayout { has_state, lower, rows: wanted }: TwoRunsLayout,
) -> Vec<(Pane, Area)> {
    let part = |per_cent: u16| body.height * per_cent / 100;
    // Short runs leave their room to what is below.
    let wanted = u16::try_from(wanted).unwrap_or(u16::MAX).saturating_add(BORDER_ROWS).max(STEPS_ROWS_MIN);
    let rows = |y: u16, height: u16| Area { y: body.y + y, height, ..body };
    if has_state && body.height + 2 >= THREE_HEIGHT_MIN {
        let (steps, state) = (part(STEPS_PER_CENT).min(wanted), part(STATE_PER_CENT));
        return vec![
            (Pane::AlignedSteps, rows(0, steps)),
            (Pane::AlignedState, rows(steps, state)),
            (Pane::AlignedMessages, rows(steps + state, body.height - steps - state)),
        ];
    }
    let below = if focus == Pane::AlignedSteps { lower.unwrap_or(Pane::AlignedMessages) } else { focus };
    let below = if has_state { below } else { Pane::AlignedMessages };
    let steps = part(STEPS_OF_TWO_PER_CENT).min(wanted);
    vec![(Pane::AlignedSteps, rows(0, steps)), (below, rows(steps, body.height - steps))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panes_tile_the_body_at_every_size_and_the_cursor_is_in_one() {
        for (width, height) in (1..200).step_by(7).flat_map(|width| (1..60).map(move |height| (width, height))) {
            for focus in [Pane::AlignedSteps, Pane::AlignedState, Pane::AlignedMessages] {
                for (has_state, is_alone) in [(true, false), (true, true), (false, false)] {
                    if !has_state && focus == Pane::AlignedState {
                        continue;
                    }
                    let of = TwoRunsLayout { has_state, lower: None, rows: usize::from(width) };
                    let layout = two_runs_layout(width, height, focus, is_alone, of);
                    assert!(layout.has(focus), "{focus:?} at {width}x{height}");
                    let rows: u16 = layout.panes.iter().map(|(_, area)| area.height).sum();
                    assert_eq!(rows, height.saturating_sub(2), "{width}x{height}");
                }
            }
        }
    }
}
