//! Colours: how theme files spell them, what the numbered ones look like, and which of 256 is nearest to a true one.
//!
//! Knows no role. The terminal's own sixteen colours have no fixed look; [`rgb`] gives them the one that pictures use.

use ratatui::style::Color;

/// A colour as red, green and blue, 0 to 255 each.
pub(super) type Rgb = (u8, u8, u8);

/// Black, red, green, yellow, blue, magenta, cyan, white, then their light twins, as pictures paint them.
const SIXTEEN: [Rgb; 16] = [
    (0x2b, 0x30, 0x3b),
    (0xe0, 0x6c, 0x75),
    (0x98, 0xc3, 0x79),
    (0xe5, 0xc0, 0x7b),
    (0x61, 0xaf, 0xef),
    (0xc6, 0x78, 0xdd),
    (0x56, 0xb6, 0xc2),
    (0xc8, 0xcc, 0xd4),
    (0x7f, 0x88, 0x99),
    (0xff, 0x7b, 0x86),
    (0xb1, 0xdd, 0x8f),
    (0xff, 0xd5, 0x8a),
    (0x82, 0xc4, 0xff),
    (0xdd, 0x97, 0xf0),
    (0x73, 0xd0, 0xdb),
    (0xf5, 0xf7, 0xfa),
];

/// Names of the terminal's own colours in theme files, by their number.
const NAMES: [&str; 16] = [
    "black",
    "red",
    "green",
    "yellow",
    "blue",
    "magenta",
    "cyan",
    "white",
    "light-black",
    "light-red",
    "light-green",
    "light-yellow",
    "light-blue",
    "light-magenta",
    "light-cyan",
    "light-white",
];

/// The terminal's own colours in the order of their numbers.
const NAMED: [Color; 16] = [
    Color::Black,
    Color::Red,
    Color::Green,
    Color::Yellow,
    Color::Blue,
    Color::Magenta,
    Color::Cyan,
    Color::Gray,
    Color::DarkGray,
    Color::LightRed,
    Color::LightGreen,
    Color::LightYellow,
    Color::LightBlue,
    Color::LightMagenta,
    Color::LightCyan,
    Color::White,
];

/// The colour that a word of a theme file means: `#rrggbb`, a name such as `light-red`, a number from 0 to 255, or
/// `default`, the terminal's own foreground or background.
#[must_use]
pub(super) fn colour(word: &str) -> Option<Color> {
    if word == "default" {
        return Some(Color::Reset);
    }
    if let Some(hex) = word.strip_prefix('#') {
        return hex_rgb(hex).map(|(r, g, b)| Color::Rgb(r, g, b));
    }
    if let Some(at) = NAMES.iter().position(|name| *name == word) {
        return Some(NAMED[at]);
    }
    word.parse().ok().map(Color::Indexed)
}

/// The word of a theme file for a colour.
#[must_use]
pub(super) fn word(colour: Color) -> String {
    match colour {
        Color::Reset => "default".to_owned(),
        Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
        Color::Indexed(index) => index.to_string(),
        named => index(named).map_or_else(String::new, |at| NAMES[usize::from(at)].to_owned()),
    }
}

/// The number of a named colour among the sixteen; None for any other.
#[must_use]
pub(super) fn index(colour: Color) -> Option<u8> {
    NAMED.iter().position(|named| *named == colour).and_then(|at| u8::try_from(at).ok())
}

fn hex_rgb(hex: &str) -> Option<Rgb> {
    if hex.len() != 6 || !hex.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).ok();
    Some((byte(0)?, byte(2)?, byte(4)?))
}

/// What a colour looks like in a picture; None for the terminal's own foreground and background.
#[must_use]
pub(super) fn rgb(colour: Color) -> Option<Rgb> {
    match colour {
        Color::Reset => None,
        Color::Rgb(r, g, b) => Some((r, g, b)),
        Color::Indexed(index) => Some(indexed_rgb(index)),
        named => NAMED.iter().position(|c| *c == named).map(|at| SIXTEEN[at]),
    }
}

/// The colour of a number: 16 of the palette, a cube of 6 levels a channel, 24 greys. Only the first 16 vary.
fn indexed_rgb(index: u8) -> Rgb {
    match index {
        0..16 => SIXTEEN[usize::from(index)],
        16..232 => {
            let at = index - 16;
            (cube_level(at / 36), cube_level(at / 6 % 6), cube_level(at % 6))
        }
        232.. => {
            let grey = 8 + 10 * (index - 232);
            (grey, grey, grey)
        }
    }
}

fn cube_level(step: u8) -> u8 {
    if step == 0 { 0 } else { 55 + 40 * step }
}

/// The number from 16 to 255 whose colour is nearest. The first 16 are left out: they look different everywhere.
#[must_use]
pub(super) fn nearest_256(wanted: Rgb) -> u8 {
    (16..=255).min_by_key(|index| distance(indexed_rgb(*index), wanted)).unwrap_or(16)
}

/// Squared distance; green counts most and blue least, as eyes have it.
fn distance(a: Rgb, b: Rgb) -> i32 {
    let part = |x: u8, y: u8| (i32::from(x) - i32::from(y)).pow(2);
    3 * part(a.0, b.0) + 4 * part(a.1, b.1) + 2 * part(a.2, b.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_colours() {
        for (word, expect) in [
            ("#7aa2f7", Some(Color::Rgb(0x7a, 0xa2, 0xf7))),
            ("light-black", Some(Color::DarkGray)),
            ("white", Some(Color::Gray)),
            ("light-white", Some(Color::White)),
            ("236", Some(Color::Indexed(236))),
            ("default", Some(Color::Reset)),
            ("256", None),
            ("#7aa2f", None),
            ("#7aa2fé", None),
            ("mauve", None),
        ] {
            assert_eq!(colour(word), expect, "{word}");
        }
    }

    #[test]
    fn numbers_have_their_colours() {
        assert_eq!(indexed_rgb(16), (0, 0, 0));
        assert_eq!(indexed_rgb(196), (255, 0, 0));
        assert_eq!(indexed_rgb(236), (48, 48, 48));
        assert_eq!(indexed_rgb(255), (238, 238, 238));
        for index in 16..=255 {
            assert_eq!(indexed_rgb(nearest_256(indexed_rgb(index))), indexed_rgb(index));
        }
    }
}
