//! A frame as a picture: the cells of a buffer as SVG, in a window with a title.
//!
//! For the README and reports. Each run of cells of one style is one text of a stated length, so that the columns are
//! whatever font the viewer has. Wide characters are alone for the same reason.

mod animation;
mod shapes;

use super::colour::{self, Rgb};
use super::theme::{Background, Theme};
use crate::text::Role;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

pub use animation::{AnimationFrame, animation};

/// Size of a cell in pixels: width in tenths, since fonts have no whole advance; height; from its top to the baseline.
const CELL_WIDTH_TENTHS: usize = 84;
const CELL_HEIGHT: usize = 19;
const BASELINE: usize = 14;
const FONT_SIZE: usize = 14;

/// Space around the cells, and the height of the bar with the title.
const PADDING: usize = 14;
const TITLE_HEIGHT: usize = 36;

/// Foreground and background of terminals that a theme for any background is shown on.
const INK_ON_DARK: Rgb = (0xd3, 0xd8, 0xe2);
const DARK: Rgb = (0x17, 0x1a, 0x21);
const INK_ON_LIGHT: Rgb = (0x2a, 0x2e, 0x36);
const LIGHT: Rgb = (0xfb, 0xfa, 0xf6);

/// The frame as an SVG document.
#[must_use]
pub fn svg(buffer: &Buffer, theme: &Theme, title: &str) -> String {
    let picture = Picture::of(theme);
    let (columns, rows) = (usize::from(buffer.area.width), usize::from(buffer.area.height));
    let (width, height) = (left(columns).div_ceil(10) + PADDING, top(rows) + PADDING);
    let mut out = picture.window(width, height, title);
    (0..rows).for_each(|row| picture.paint_row(buffer, row, &mut out));
    out.push_str("</g>\n</svg>\n");
    out
}

/// Left edge of a column in tenths of a pixel.
fn left(column: usize) -> usize {
    PADDING * 10 + column * CELL_WIDTH_TENTHS
}

/// Top edge of a row in pixels.
fn top(row: usize) -> usize {
    TITLE_HEIGHT + PADDING + row * CELL_HEIGHT
}

/// Tenths as a number with one decimal.
fn tenths(value: usize) -> String {
    format!("{}.{}", value / 10, value % 10)
}

fn hex((r, g, b): Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// A cell as it is painted; those that a wide character covers are left out.
struct Painted<'b> {
    column: usize,
    width: usize,
    cell: &'b Cell,
}

fn row_cells(buffer: &Buffer, row: usize) -> Vec<Painted<'_>> {
    let columns = usize::from(buffer.area.width);
    let mut out = Vec::new();
    let mut column = 0;
    while let Some(cell) = buffer.content.get(row * columns + column).filter(|_| column < columns) {
        let width = cell.symbol().width().clamp(1, columns - column);
        out.push(Painted { column, width, cell });
        column += width;
    }
    out
}

/// What is the same for all cells of a picture.
struct Picture {
    ink: Rgb,
    ground: Rgb,
}

/// How a run of text looks.
#[derive(PartialEq, Clone, Copy)]
struct CellStyle {
    ink: Rgb,
    modifier: Modifier,
}

impl Picture {
    fn of(theme: &Theme) -> Self {
        let text = theme.style(Role::Text);
        let (ink, ground) = match theme.background() {
            Background::Light => (INK_ON_LIGHT, LIGHT),
            Background::Dark | Background::Any => (INK_ON_DARK, DARK),
        };
        Self {
            ink: text.fg.and_then(colour::rgb).unwrap_or(ink),
            ground: text.bg.and_then(colour::rgb).unwrap_or(ground),
        }
    }

    /// The document up to the first cell: a window with a title, its three dots quiet.
    fn window(&self, width: usize, height: usize, title: &str) -> String {
        let bar = mix(self.ink, self.ground, 8);
        let line = mix(self.ink, self.ground, 22);
        let quiet = mix(self.ink, self.ground, 60);
        let dots: String = (0..3)
            .map(|i| format!("<circle cx=\"{}\" cy=\"18\" r=\"5.5\" fill=\"{}\"/>", 22 + 20 * i, hex(line)))
            .collect();
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\">\n<title>{title}</title>\n\
             <rect x=\"0.5\" y=\"0.5\" width=\"{inner_width}\" height=\"{inner_height}\" rx=\"9\" fill=\"{ground}\" \
             stroke=\"{line}\"/>\n\
             <path d=\"M1 {TITLE_HEIGHT}V10a9 9 0 0 1 9-9H{corner}a9 9 0 0 1 9 9V{TITLE_HEIGHT}z\" fill=\"{bar}\"/>\n\
             {dots}\n\
             <g font-family=\"{FONTS}\" font-size=\"{FONT_SIZE}\" xml:space=\"preserve\">\n\
             <style>text{{white-space:pre}}</style>\n\
             <text x=\"{middle}\" y=\"23\" text-anchor=\"middle\" fill=\"{quiet}\">{title}</text>\n",
            title = escape(title),
            inner_width = width - 1,
            inner_height = height - 1,
            ground = hex(self.ground),
            line = hex(line),
            corner = width - 10,
            bar = hex(bar),
            middle = width / 2,
            quiet = hex(quiet),
        )
    }

    /// The two colours of a cell as they are painted: reversed and dimmed, if it is.
    fn colours(&self, cell: &Cell) -> (Rgb, Rgb) {
        let ink = Some(cell.fg).filter(|c| *c != Color::Reset).and_then(colour::rgb).unwrap_or(self.ink);
        let ground = Some(cell.bg).filter(|c| *c != Color::Reset).and_then(colour::rgb).unwrap_or(self.ground);
        let (ink, ground) = if cell.modifier.contains(Modifier::REVERSED) { (ground, ink) } else { (ink, ground) };
        if cell.modifier.contains(Modifier::DIM) { (mix(ink, ground, 62), ground) } else { (ink, ground) }
    }

    fn paint_row(&self, buffer: &Buffer, row: usize, out: &mut String) {
        let cells = row_cells(buffer, row);
        self.paint_grounds(&cells, row, out);
        self.paint_texts(&cells, row, out);
    }

    fn paint_grounds(&self, cells: &[Painted<'_>], row: usize, out: &mut String) {
        for run in cells.chunk_by(|a, b| self.colours(a.cell).1 == self.colours(b.cell).1) {
            let ground = self.colours(run[0].cell).1;
            if ground == self.ground {
                continue;
            }
            let (x, columns) = (left(run[0].column), run.iter().map(|p| p.width).sum::<usize>());
            let _ = writeln!(
                out,
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{CELL_HEIGHT}\" fill=\"{}\" \
                 shape-rendering=\"crispEdges\"/>",
                tenths(x),
                top(row),
                tenths(columns * CELL_WIDTH_TENTHS),
                hex(ground)
            );
        }
    }

    fn paint_texts(&self, cells: &[Painted<'_>], row: usize, out: &mut String) {
        let shown = Modifier::BOLD | Modifier::ITALIC | Modifier::UNDERLINED | Modifier::CROSSED_OUT | Modifier::HIDDEN;
        let look = |p: &Painted<'_>| CellStyle { ink: self.colours(p.cell).0, modifier: p.cell.modifier & shown };
        // A run is of one look. A character that fonts give another width is alone, or with its equals.
        let joins = |a: &Painted<'_>, b: &Painted<'_>| {
            look(a) == look(b) && ((is_plain(a) && is_plain(b)) || (a.width == 1 && a.cell.symbol() == b.cell.symbol()))
        };
        for run in cells.chunk_by(joins) {
            let look = look(&run[0]);
            let (x, y, ink) = (left(run[0].column), top(row), hex(look.ink));
            if let Some(shape) = shapes::shape(run[0].cell.symbol(), run.len(), x, y, &ink) {
                out.push_str(&shape);
                continue;
            }
            let is_lined = look.modifier.intersects(Modifier::UNDERLINED | Modifier::CROSSED_OUT);
            // Blanks around a text would be left out by some viewers, and the rest be stretched to its length.
            let run = if is_lined { run } else { trimmed(run) };
            let text: String = run.iter().map(|p| p.cell.symbol()).collect();
            if look.modifier.contains(Modifier::HIDDEN) || text.is_empty() {
                continue;
            }
            let (x, columns) = (left(run[0].column), run.iter().map(|p| p.width).sum::<usize>());
            let _ = writeln!(
                out,
                "<text x=\"{}\" y=\"{}\" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\" \
                 fill=\"{ink}\"{}>{}</text>",
                tenths(x),
                y + BASELINE,
                tenths(columns * CELL_WIDTH_TENTHS),
                attributes(look.modifier),
                escape(&text)
            );
        }
    }
}

/// A run without the blanks around its text.
fn trimmed<'r, 'b>(run: &'r [Painted<'b>]) -> &'r [Painted<'b>] {
    let is_text = |p: &Painted<'_>| !p.cell.symbol().trim().is_empty();
    match (run.iter().position(is_text), run.iter().rposition(is_text)) {
        (Some(first), Some(last)) => &run[first..=last],
        _ => &[],
    }
}

const FONTS: &str = "'JetBrains Mono','Cascadia Mono','DejaVu Sans Mono',Menlo,Consolas,monospace";

/// Whether a cell takes one column in every monospaced font: ASCII, Latin letters.
fn is_plain(painted: &Painted<'_>) -> bool {
    painted.width == 1 && painted.cell.symbol().chars().all(|c| (' '..'\u{250}').contains(&c))
}

fn attributes(modifier: Modifier) -> String {
    let mut out = String::new();
    if modifier.contains(Modifier::BOLD) {
        out.push_str(" font-weight=\"700\"");
    }
    if modifier.contains(Modifier::ITALIC) {
        out.push_str(" font-style=\"italic\"");
    }
    match (modifier.contains(Modifier::UNDERLINED), modifier.contains(Modifier::CROSSED_OUT)) {
        (true, true) => out.push_str(" text-decoration=\"underline line-through\""),
        (true, false) => out.push_str(" text-decoration=\"underline\""),
        (false, true) => out.push_str(" text-decoration=\"line-through\""),
        (false, false) => {}
    }
    out
}

/// `percent` of one colour over the other.
fn mix(over: Rgb, under: Rgb, percent: u16) -> Rgb {
    let part = |a: u8, b: u8| {
        let sum = u16::from(a) * percent + u16::from(b) * (100 - percent);
        u8::try_from(sum / 100).unwrap_or(u8::MAX)
    };
    (part(over.0, under.0), part(over.1, under.1), part(over.2, under.2))
}

/// Text for XML: its five characters escaped, what XML 1.0 does not allow replaced.
fn escape(text: &str) -> String {
    let allowed = |c| match c {
        '\t' | '\n' | '\r' => ' ',
        '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
        c => c,
    };
    let mut out = String::with_capacity(text.len());
    super::html::put_escaped(&text.chars().map(allowed).collect::<String>(), &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    fn picture(lines: &[(&str, Style)], title: &str) -> String {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 20, u16::try_from(lines.len()).unwrap()));
        for (row, (line, style)) in lines.iter().enumerate() {
            buffer.set_string(0, u16::try_from(row).unwrap(), line, *style);
        }
        svg(&buffer, &Theme::built_in("dark").unwrap(), title)
    }

    /// The texts of a document by a small reader of XML that fails on anything not well-formed.
    fn texts(document: &str) -> Vec<String> {
        let (mut open, mut out, mut rest) = (Vec::new(), Vec::new(), document);
        while let Some(at) = rest.find('<') {
            let text = &rest[..at];
            assert!(!text.contains('>'), "a bare > in {text:?}");
            for entity in text.split('&').skip(1) {
                let name = entity.split(';').next().unwrap();
                assert!(["amp", "lt", "gt", "quot", "#39"].contains(&name), "&{name}");
            }
            if open.last() == Some(&"text") && !text.is_empty() {
                out.push(text.to_owned());
            }
            let end = rest.find('>').expect("a tag ends");
            let tag = &rest[at + 1..end];
            assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
            let name = tag.split([' ', '/']).next().unwrap();
            if let Some(closed) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(closed));
            } else if !tag.ends_with('/') {
                open.push(name);
            }
            rest = &rest[end + 1..];
        }
        assert_eq!(open, Vec::<&str>::new());
        assert_eq!(rest.trim(), "");
        out
    }

    #[test]
    fn a_frame_is_well_formed() {
        let plain = Style::new();
        let lines =
            [("a < b && \"c\" 'd' >", plain), ("\u{241b}[31m", plain.bold().italic().underlined()), ("", plain)];
        let document = picture(&lines, "<trip> & \u{1} run");
        let texts = texts(&document);
        assert_eq!(texts[0], "&lt;trip&gt; &amp; \u{fffd} run");
        assert_eq!(texts[1].trim_end(), "a &lt; b &amp;&amp; &quot;c&quot; &#39;d&#39; &gt;");
        assert!(document.contains("font-weight=\"700\" font-style=\"italic\" text-decoration=\"underline\""));
    }

    #[test]
    fn wide_characters_stand_at_their_columns() {
        let document = picture(&[("数x†y", Style::new())], "t");
        for (column, width, text) in [(0, 2, "数"), (2, 1, "x"), (3, 1, "†")] {
            let expect = format!("<text x=\"{}\"", tenths(left(column)));
            let line = document.lines().find(|line| line.contains(&format!(">{text}<"))).unwrap();
            assert!(line.starts_with(&expect), "{line}");
            assert!(line.contains(&format!("textLength=\"{}\"", tenths(width * CELL_WIDTH_TENTHS))), "{line}");
        }
    }

    #[test]
    fn runs_of_one_style_are_one_piece() {
        let document = picture(&[("abc def", Style::new().fg(Color::Red).bg(Color::Indexed(236)))], "t");
        assert_eq!(document.matches("fill=\"#e06c75\"").count(), 1);
        assert_eq!(document.matches("fill=\"#303030\"").count(), 1);
    }

    #[test]
    fn reversed_cells_swap_their_colours() {
        let document = picture(&[("ab", Style::new().reversed())], "t");
        assert!(document.contains("fill=\"#171a21\">ab<"), "{document}");
        assert!(document.contains("height=\"19\" fill=\"#d3d8e2\""), "{document}");
    }
}
