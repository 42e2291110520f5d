//! A recording that plays as if it were live: how fast, and how far it is.

use super::Piece;
use crate::text::Role;

/// Slowest and fastest, in times the pace of the recording.
pub const SPEEDS: std::ops::RangeInclusive<f64> = 0.125..=1024.0;

/// A recording that plays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Replay {
    /// In times the pace of the recording.
    pub speed: f64,
    /// Whether it stands still.
    pub is_paused: bool,
    /// Records that it has.
    pub total: usize,
}

impl Replay {
    /// Twice as fast, or half as fast; no further than [`SPEEDS`].
    #[must_use]
    pub fn at_speed(self, is_faster: bool) -> Self {
        let speed = if is_faster { self.speed * 2.0 } else { self.speed / 2.0 };
        Self { speed: speed.clamp(*SPEEDS.start(), *SPEEDS.end()), ..self }
    }

    /// The label in the header after `played` records.
    #[must_use]
    pub fn label(self, played: usize, cells: usize) -> Piece {
        let (speed, total) = (self.speed, self.total);
        let (role, how) = match (played >= total, self.is_paused) {
            (true, _) => (Role::Dim, " · ended".to_owned()),
            (false, true) => (Role::Warning, format!(" · paused · {played}/{total}")),
            (false, false) => (Role::Good, format!(" · {played}/{total}")),
        };
        let sign = if self.is_paused { "‖" } else { "▶" };
        Piece::of(role, &if cells < 60 { format!("  {sign}{speed}x") } else { format!("  replay {speed}x{how}") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_double_and_halve_within_bounds() {
        let replay = Replay { speed: 4.0, is_paused: true, total: 9 };
        assert_eq!(replay.label(3, 80).text.as_str(), "  replay 4x · paused · 3/9");
        assert_eq!(
            replay.at_speed(false).at_speed(false).at_speed(false).label(9, 80).text.as_str(),
            "  replay 0.5x · ended"
        );
        let many = |is_faster| (0..99).fold(replay, |replay, _| replay.at_speed(is_faster)).speed;
        assert_eq!((many(true), many(false)), (*SPEEDS.end(), *SPEEDS.start()));
    }
}
