//! The changed cells of a frame to bytes for a terminal: as few as a slow line deserves. The backend of ratatui moves
//! the cursor for each cell that did not change and sends each attribute by itself, which is half of what it sends.

use super::sgr;
use ratatui::buffer::{Buffer, Cell, CellWidth};
use ratatui::layout::{Position, Rect, Size};
use ratatui::style::{Color, Modifier};

/// Unchanged cells that are sent again in place of a move of the cursor over them, which takes as many bytes.
const RESENT_MAX: u16 = 3;

/// Attributes that are seen on a blank cell too.
const SEEN_ON_BLANKS: Modifier = Modifier::UNDERLINED.union(Modifier::REVERSED).union(Modifier::CROSSED_OUT);

/// The codes that set and unset each attribute.
const CODES: [(Modifier, &str, &str); 9] = [
    (Modifier::BOLD, "1", "22"),
    (Modifier::DIM, "2", "22"),
    (Modifier::ITALIC, "3", "23"),
    (Modifier::UNDERLINED, "4", "24"),
    (Modifier::SLOW_BLINK, "5", "25"),
    (Modifier::RAPID_BLINK, "6", "25"),
    (Modifier::REVERSED, "7", "27"),
    (Modifier::HIDDEN, "8", "28"),
    (Modifier::CROSSED_OUT, "9", "29"),
];

/// Turns the cells that change into bytes, and knows what the screen shows.
#[derive(Debug)]
pub struct Encoder {
    /// What the terminal shows.
    shown: Buffer,
}

impl Encoder {
    /// The encoder of an empty screen of that size.
    #[must_use]
    pub fn new(size: Size) -> Self {
        Self { shown: Buffer::empty(Rect::from((Position::ORIGIN, size))) }
    }

    /// The bytes that show these cells, row by row from the left. The style is the terminal's default before them and
    /// behind them; the cursor may be anywhere before.
    pub fn encode<'a>(&mut self, cells: impl Iterator<Item = (u16, u16, &'a Cell)>) -> Vec<u8> {
        let mut out = Out::default();
        for (x, y, cell) in cells {
            out.move_to(Position { x, y }, &self.shown);
            out.print(cell);
            self.show(x, y, cell);
        }
        out.set_style(CellStyle::default());
        out.bytes
    }

    /// Notes what the terminal shows now. A wide character wipes what was in the cells that it covers, which frames
    /// never name: without a symbol none of them is sent again.
    fn show(&mut self, x: u16, y: u16, cell: &Cell) {
        if let Some(shown) = self.shown.cell_mut((x, y)) {
            shown.clone_from(cell);
        }
        for covered in 1..cell.cell_width() {
            if let Some(shown) = self.shown.cell_mut((x + covered, y)) {
                shown.set_symbol("");
            }
        }
    }
}

/// The part of a style that a terminal keeps from one cell to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CellStyle {
    fg: Color,
    bg: Color,
    modifier: Modifier,
}

impl Default for CellStyle {
    fn default() -> Self {
        Self { fg: Color::Reset, bg: Color::Reset, modifier: Modifier::empty() }
    }
}

impl CellStyle {
    fn of(cell: &Cell) -> Self {
        Self { fg: cell.fg, bg: cell.bg, modifier: cell.modifier }
    }

    /// Whether a cell printed in this style looks as it should.
    fn fits(self, cell: &Cell) -> bool {
        let is_blank = cell.symbol() == " ";
        let seen = (self.modifier | cell.modifier) & SEEN_ON_BLANKS;
        self == Self::of(cell) || is_blank && self.bg == cell.bg && seen.is_empty()
    }

    /// The codes that set this style from another one, or from none: the shorter.
    fn codes_from(self, old: Self) -> String {
        if self == Self::default() {
            return String::new();
        }
        let (whole, change) = (self.codes(), self.change_from(old));
        if whole.len() < change.len() { whole } else { change }
    }

    /// The codes that set it whatever was before.
    fn codes(self) -> String {
        let mut codes = vec!["0".to_owned()];
        codes.extend(CODES.iter().filter(|(one, ..)| self.modifier.contains(*one)).map(|(_, on, _)| (*on).to_owned()));
        codes.extend((self.fg != Color::Reset).then(|| sgr::code(self.fg, sgr::FOREGROUND)));
        codes.extend((self.bg != Color::Reset).then(|| sgr::code(self.bg, sgr::BACKGROUND)));
        codes.join(";")
    }

    /// The codes that set what is otherwise in another one.
    fn change_from(self, old: Self) -> String {
        let (lost, mut added) = (old.modifier - self.modifier, self.modifier - old.modifier);
        let mut codes: Vec<String> = Vec::new();
        for (one, _, off) in CODES.iter().filter(|(one, ..)| lost.contains(*one)) {
            if codes.last().is_none_or(|last| last != off) {
                codes.push((*off).to_owned());
            }
            // One code unsets two attributes.
            let both = CODES.iter().filter(|(other, _, also)| also == off && other != one);
            both.for_each(|(other, ..)| added |= self.modifier & *other);
        }
        codes.extend(CODES.iter().filter(|(one, ..)| added.contains(*one)).map(|(_, on, _)| (*on).to_owned()));
        codes.extend((self.fg != old.fg).then(|| sgr::code(self.fg, sgr::FOREGROUND)));
        codes.extend((self.bg != old.bg).then(|| sgr::code(self.bg, sgr::BACKGROUND)));
        codes.join(";")
    }
}

/// The bytes so far, and how they leave the terminal.
#[derive(Default)]
struct Out {
    bytes: Vec<u8>,
    style: CellStyle,
    /// Where the next cell goes; None: not known.
    next: Option<Position>,
    /// Whether the terminal agrees for sure: it may give a character beyond ASCII another width than ratatui does.
    is_sure: bool,
}

impl Out {
    fn move_to(&mut self, to: Position, shown: &Buffer) {
        let Some(next) = self.next.filter(|next| next.y == to.y && next.x <= to.x) else {
            return self.jump(to, &format!("\x1b[{};{}H", to.y + 1, to.x + 1));
        };
        match to.x - next.x {
            0 => {}
            gap if self.is_sure => {
                if gap > RESENT_MAX || !self.resend(next, gap, shown) {
                    let count = if gap == 1 { String::new() } else { gap.to_string() };
                    self.jump(to, &format!("\x1b[{count}C"));
                }
            }
            _ => self.jump(to, &format!("\x1b[{}G", to.x + 1)),
        }
    }

    fn jump(&mut self, to: Position, sequence: &str) {
        self.bytes.extend_from_slice(sequence.as_bytes());
        self.next = Some(to);
        self.is_sure = true;
    }

    /// Prints unchanged cells again, if they are of one byte each and need no other style.
    fn resend(&mut self, from: Position, count: u16, shown: &Buffer) -> bool {
        let cells: Vec<&Cell> = (from.x..from.x + count).filter_map(|x| shown.cell((x, from.y))).collect();
        let is_simple = |cell: &&Cell| is_ascii(cell.symbol()) && self.style.fits(cell);
        let can_be = cells.len() == usize::from(count) && cells.iter().all(is_simple);
        if can_be {
            cells.into_iter().for_each(|cell| self.print(cell));
        }
        can_be
    }

    fn print(&mut self, cell: &Cell) {
        if !self.style.fits(cell) {
            self.set_style(CellStyle::of(cell));
        }
        self.bytes.extend_from_slice(cell.symbol().as_bytes());
        self.is_sure &= is_ascii(cell.symbol());
        self.next = self.next.map(|next| Position { x: next.x + 1, ..next });
    }

    fn set_style(&mut self, style: CellStyle) {
        if style != self.style {
            let codes = style.codes_from(self.style);
            self.bytes.extend_from_slice(format!("\x1b[{codes}m").as_bytes());
            self.style = style;
        }
    }
}

fn is_ascii(symbol: &str) -> bool {
    matches!(symbol.as_bytes(), [b' '..=b'~'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::backend::{Backend, CrosstermBackend};

    /// What an emulator shows of a cell: its text, and as much of its style as is seen.
    fn seen(cell: &vt100::Cell) -> String {
        let ground = format!("{:?} {} {}", cell.bgcolor(), cell.inverse(), cell.underline());
        match cell.contents() {
            "" | " " => ground,
            text => {
                format!("{text} {:?} {} {} {} {ground}", cell.fgcolor(), cell.bold(), cell.dim(), cell.italic())
            }
        }
    }

    fn all_seen(parser: &vt100::Parser, area: Rect) -> Vec<String> {
        let cells = (0..area.height).flat_map(|row| (0..area.width).map(move |column| (row, column)));
        cells.map(|(row, column)| parser.screen().cell(row, column).map(seen).unwrap_or_default()).collect()
    }

    /// Numbers that look random, the same each time.
    struct Random(u64);

    impl Random {
        fn below(&mut self, end: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(self.0 >> 33).unwrap() % end
        }

        fn change(&mut self, buffer: &mut Buffer) {
            let colours = [Color::Reset, Color::Reset, Color::Green, Color::LightRed, Color::Indexed(99)];
            let colours = [colours.as_slice(), &[Color::Rgb(1, 2, 3)]].concat();
            let texts = ["a", "bc", " ", "   ", "漢", "é", "①", "x y z", "─"];
            for _ in 0..self.below(40) {
                let at = (self.below(30) as u16, self.below(8) as u16);
                let mut modifier = Modifier::from_bits_truncate(self.below(1 << 9) as u16 & self.below(1 << 9) as u16);
                if modifier.contains(Modifier::BOLD) {
                    // The emulator knows one intensity of letters at a time.
                    modifier.remove(Modifier::DIM);
                }
                let style = ratatui::style::Style::reset()
                    .fg(colours[self.below(colours.len())])
                    .bg(colours[self.below(colours.len())])
                    .add_modifier(modifier);
                buffer.set_string(at.0, at.1, texts[self.below(texts.len())], style);
            }
        }
    }

    #[test]
    fn an_emulator_shows_the_same_as_of_the_plain_bytes() {
        let area = Rect::new(0, 0, 30, 8);
        let mut random = Random(7);
        for _ in 0..40 {
            let mut encoder = Encoder::new(area.as_size());
            let emulator = || vt100::Parser::new(8.try_into().unwrap(), 30.try_into().unwrap(), 0);
            let mut emulators = [emulator(), emulator()];
            let mut buffer = Buffer::empty(area);
            for _ in 0..20 {
                let before = buffer.clone();
                random.change(&mut buffer);
                let mut plain = Vec::new();
                CrosstermBackend::new(&mut plain).draw(before.diff(&buffer).into_iter()).unwrap();
                let bytes = encoder.encode(before.diff(&buffer).into_iter());
                assert!(bytes.len() <= plain.len());
                emulators[0].process(&plain);
                emulators[1].process(&bytes);
                let (ours, expected) = (all_seen(&emulators[1], area), all_seen(&emulators[0], area));
                assert_eq!(ours.iter().zip(&expected).find(|(ours, expected)| ours != expected), None);
            }
        }
    }

    #[test]
    fn what_a_wide_character_covered_is_not_sent_again() {
        let area = Rect::new(0, 0, 8, 1);
        let frame = |text: &str| {
            let mut buffer = Buffer::empty(area);
            buffer.set_string(0, 0, text, ratatui::style::Style::new());
            buffer
        };
        let mut encoder = Encoder::new(area.as_size());
        let mut emulator = vt100::Parser::new(1.try_into().unwrap(), 8.try_into().unwrap(), 0);
        let frames = [frame(""), frame("pyprojec"), frame("漢漢漢漢"), frame("")];
        for pair in frames.windows(2) {
            emulator.process(&encoder.encode(pair[0].diff(&pair[1]).into_iter()));
        }
        assert_eq!(emulator.screen().contents().trim(), "");
    }

    /// Whatever wide and narrow characters follow each other, the terminal shows the last frame.
    #[test]
    fn frames_of_wide_and_narrow_characters_are_shown_as_they_are() {
        let area = Rect::new(0, 0, 12, 2);
        let mut seed = 7_u32;
        let mut next = |below: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % below
        };
        let mut encoder = Encoder::new(area.as_size());
        let mut emulator = vt100::Parser::new(2.try_into().unwrap(), 12.try_into().unwrap(), 0);
        let mut before = Buffer::empty(area);
        for _ in 0..500 {
            let mut now = Buffer::empty(area);
            for y in 0..2 {
                let text: String = (0..next(13)).map(|_| ['a', 'b', ' ', '漢', '字'][next(5) as usize]).collect();
                now.set_stringn(u16::try_from(next(12)).unwrap(), y, text, 12, ratatui::style::Style::new());
            }
            emulator.process(&encoder.encode(before.diff(&now).into_iter()));
            for y in 0..2 {
                let mut x = 0;
                while x < 12 {
                    let cell = &now[(x, y)];
                    let shown = emulator.screen().cell(y, x).unwrap().contents().to_owned();
                    assert_eq!(if shown.is_empty() { " " } else { &shown }, cell.symbol(), "at {x}, {y} of {now:?}");
                    x += cell.cell_width().max(1);
                }
            }
            before = now;
        }
    }

    #[test]
    fn moves_are_short_and_styles_are_set_at_once() {
        let area = Rect::new(0, 0, 30, 2);
        let mut encoder = Encoder::new(area.as_size());
        let mut encode = |from: &Buffer, to: &Buffer| {
            String::from_utf8(encoder.encode(from.diff(to).into_iter())).unwrap().replace('\x1b', "^")
        };
        let (blank, mut first) = (Buffer::empty(area), Buffer::empty(area));
        let bold = ratatui::style::Style::new().fg(Color::Green).add_modifier(Modifier::BOLD);
        first.set_string(0, 0, "a  b", bold);
        first.set_string(0, 1, "①x", bold);
        first.set_string(4, 1, "y", bold);
        assert_eq!(encode(&blank, &first), "^[1;1H^[1;32ma  b^[2;1H①x^[5Gy^[m");
        let mut second = first.clone();
        second.set_string(0, 0, "c", bold);
        second.set_string(3, 0, "d", bold);
        second.set_string(9, 0, "e", bold.add_modifier(Modifier::DIM));
        second.set_string(11, 0, "f", ratatui::style::Style::new().add_modifier(Modifier::DIM));
        assert_eq!(encode(&first, &second), "^[1;1H^[1;32mc  d^[5C^[2me ^[0;2mf^[m");
    }
}
