//! Whether the terminal is light or dark.

use crate::ui::Background;
use std::time::Duration;

/// A background is light above this lightness (L*, from 0, black, to 1, white).
const LIGHT_MIN: f32 = 0.5;
/// How long the terminal may take to say its background colour.
const BACKGROUND_WAIT: Duration = Duration::from_millis(100);

/// Asks the terminal for its background. Ask before the screen opens: the answer comes as typed text. Of a terminal
/// that does not answer in time it is not known.
pub(crate) fn ask() -> Background {
    let mut options = terminal_colorsaurus::QueryOptions::default();
    options.timeout = BACKGROUND_WAIT;
    // Its foreground is not asked for: one question says enough.
    match terminal_colorsaurus::background_color(options) {
        Ok(colour) if colour.perceived_lightness() > LIGHT_MIN => Background::Light,
        Ok(_) => Background::Dark,
        Err(_) => Background::Any,
    }
}

/// What `COLORFGBG` says (`15;0`: the last is the number of the background's colour).
pub(super) fn parse_colorfgbg(variable: Option<&str>) -> Background {
    match variable.and_then(|value| value.rsplit(';').next()?.parse::<u8>().ok()) {
        Some(7 | 15) => Background::Light,
        Some(0..=6 | 8) => Background::Dark,
        _ => Background::Any,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_background_is_the_last_colour_given() {
        for (variable, expected) in [
            (None, Background::Any),
            (Some("15;0"), Background::Dark),
            (Some("0;default;15"), Background::Light),
            (Some("12;8"), Background::Dark),
            (Some("default"), Background::Any),
        ] {
            assert_eq!(super::parse_colorfgbg(variable), expected, "{variable:?}");
        }
    }
}
