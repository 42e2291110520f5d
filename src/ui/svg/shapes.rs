//! Lines and blocks of a frame as shapes, since fonts leave gaps between their glyphs.

use super::{CELL_HEIGHT, CELL_WIDTH_TENTHS, tenths};
use std::fmt::Write;

/// Characters of lines, with the sides of the cell that each reaches: left, right, up, down.
const LINES: &[(&str, &str)] = &[
    ("─", "lr"),
    ("│", "ud"),
    ("┌", "rd"),
    ("┐", "ld"),
    ("└", "ru"),
    ("┘", "lu"),
    ("├", "rud"),
    ("┤", "lud"),
    ("┬", "lrd"),
    ("┴", "lru"),
    ("┼", "lrud"),
];

/// Corners that are round: from a side, to a side.
const ROUND: &[(&str, &str)] = &[("╭", "rd"), ("╮", "ld"), ("╰", "ru"), ("╯", "lu")];

/// The shape of a run of one character that begins at `x` (tenths of a pixel) and `y` and is `count` cells long, in the
/// colour `ink`; None if it is drawn as text.
pub(super) fn shape(symbol: &str, count: usize, x: usize, y: usize, ink: &str) -> Option<String> {
    let rect = |x: usize, y: usize, width: usize, height_tenths: usize| {
        format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{ink}\"/>\n",
            tenths(x),
            tenths(y),
            tenths(width),
            tenths(height_tenths)
        )
    };
    let c = symbol.chars().next()?;
    let full = CELL_HEIGHT * 10;
    match c {
        '▁'..='█' => {
            let height = full * (c as usize - '▁' as usize + 1) / 8;
            Some(rect(x, y * 10 + full - height, count * CELL_WIDTH_TENTHS, height))
        }
        '▉'..='▏' if count == 1 => {
            let width = CELL_WIDTH_TENTHS * ('▏' as usize - c as usize + 1) / 8;
            Some(rect(x, y * 10, width, full))
        }
        '▕' if count == 1 => {
            let width = CELL_WIDTH_TENTHS / 8;
            Some(rect(x + CELL_WIDTH_TENTHS - width, y * 10, width, full))
        }
        '─'..='╿' => {
            let mut path = String::new();
            for cell in 0..count {
                put_lines(symbol, x + cell * CELL_WIDTH_TENTHS, y * 10, &mut path)?;
            }
            Some(format!("<path d=\"{path}\" fill=\"none\" stroke=\"{ink}\"/>\n"))
        }
        _ => None,
    }
}

/// Lines from the middle of a cell to its sides; a run of `─` is one line by the next `H`.
fn put_lines(symbol: &str, x: usize, y: usize, path: &mut String) -> Option<()> {
    let (middle_x, middle_y) = (x + CELL_WIDTH_TENTHS / 2, y + CELL_HEIGHT * 5);
    let side = |side: char| match side {
        'l' => (x, middle_y),
        'r' => (x + CELL_WIDTH_TENTHS, middle_y),
        'u' => (middle_x, y),
        _ => (middle_x, y + CELL_HEIGHT * 10),
    };
    let point = |(x, y): (usize, usize)| format!("{} {}", tenths(x), tenths(y));
    let middle = point((middle_x, middle_y));
    if let Some((_, sides)) = LINES.iter().find(|(known, _)| *known == symbol) {
        for name in sides.chars() {
            let _ = write!(path, "M{middle}L{}", point(side(name)));
        }
        return Some(());
    }
    let (_, sides) = ROUND.iter().find(|(known, _)| *known == symbol)?;
    let mut ends = sides.chars().map(|name| point(side(name)));
    let _ = write!(path, "M{}Q{middle} {}", ends.next()?, ends.next()?);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_blocks_have_shapes() {
        let left = tenths(CELL_WIDTH_TENTHS);
        let line = shape("─", 2, 0, 0, "red").unwrap();
        assert!(line.contains(&format!("L{left} 9.5")), "{line}");
        let block = shape("▄", 3, 0, 0, "red").unwrap();
        assert!(block.contains("y=\"9.5\"") && block.contains(&format!("width=\"{}\"", tenths(3 * CELL_WIDTH_TENTHS))));
        for (symbol, has_shape) in [("╭", true), ("┼", true), ("▌", true), ("▏", true), ("║", false), ("x", false)]
        {
            assert_eq!(shape(symbol, 1, 0, 0, "red").is_some(), has_shape, "{symbol}");
        }
    }
}
