//! A frame of rows to a ratatui buffer. The only place where pieces become cells.

use super::theme::Theme;
use crate::app::layout::Area;
use crate::app::view::{Box, Frame};
use crate::panes::{Piece, Row, row};
use crate::text::{Role, SafeText, cut, cut_start};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

/// Paints a frame.
pub fn draw(frame: &Frame, theme: &Theme, buffer: &mut Buffer) {
    let whole = buffer.area;
    buffer.set_style(whole, theme.style(Role::Text));
    let (area, left, right) = &frame.header;
    paint_bar(*area, left, right, theme, buffer);
    for pane in &frame.boxes {
        paint_box(pane, theme, buffer);
    }
    for (area, pieces) in &frame.bars {
        paint_bar(*area, pieces, &[], theme, buffer);
    }
    if let Some(overlay) = &frame.overlay {
        clear(overlay.area, theme, buffer);
        paint_box(overlay, theme, buffer);
    }
    for (area, pieces) in &frame.footer {
        clear(*area, theme, buffer);
        paint_bar(*area, pieces, &[], theme, buffer);
    }
}

fn rect(area: Area) -> Rect {
    Rect::new(area.x, area.y, area.width, area.height)
}

fn clear(area: Area, theme: &Theme, buffer: &mut Buffer) {
    let area = rect(area).intersection(buffer.area);
    for y in area.top()..area.bottom() {
        for x in area.left()..area.right() {
            buffer[(x, y)].reset();
            buffer[(x, y)].set_style(theme.style(Role::Text));
        }
    }
}

fn paint_bar(area: Area, left: &[Piece], right: &[Piece], theme: &Theme, buffer: &mut Buffer) {
    let area = rect(area).intersection(buffer.area);
    if area.is_empty() {
        return;
    }
    buffer.set_style(area, theme.style(Role::Bar));
    let right_width = row::pieces_width(right).min(usize::from(area.width));
    let room = usize::from(area.width) - right_width;
    // What is cut off on the left does not run into what is on the right.
    let gap = usize::from(right_width > 0 && row::pieces_width(left) > room);
    let tint = Some(Style { bg: theme.style(Role::Bar).bg, ..Style::default() });
    put(left, area.x, area.y, room.saturating_sub(gap), tint, theme, buffer);
    put(right, area.x + cells(room), area.y, right_width, tint, theme, buffer);
}

fn paint_box(pane: &Box, theme: &Theme, buffer: &mut Buffer) {
    let area = rect(pane.area).intersection(buffer.area);
    if area.is_empty() {
        return;
    }
    if pane.has_border {
        paint_border(pane, area, theme, buffer);
    }
    let inside = if pane.has_border { rect(pane.area.inside()) } else { area }.intersection(buffer.area);
    for (i, row) in pane.window.rows.iter().take(usize::from(inside.height)).enumerate() {
        paint_row(row, pane, Rect { y: inside.y + cells(i), height: 1, ..inside }, theme, buffer);
    }
}

fn paint_row(row: &Row, pane: &Box, area: Rect, theme: &Theme, buffer: &mut Buffer) {
    let tint = row.is_cursor.then(|| theme.style(if pane.has_focus { Role::Cursor } else { Role::Selected }));
    if let Some(style) = tint {
        buffer.set_style(area, style);
    }
    let width = usize::from(area.width);
    let room = row.room(width);
    let right_width = width - room;
    if pane.aside == 0 {
        put(&row.left, area.x, area.y, room, tint, theme, buffer);
    } else {
        put(&moved(row, pane.aside), area.x, area.y, room, tint, theme, buffer);
    }
    if right_width > 0 {
        put(&row.right, area.x + cells(room), area.y, right_width, tint, theme, buffer);
    }
}

/// The left part of a row that is scrolled sideways by some cells.
fn moved(row: &Row, aside: usize) -> Vec<Piece> {
    let mut skip = aside;
    let cut = |(at, piece): (usize, &Piece)| {
        let cells = if at < row.fixed { 0 } else { skip.min(piece.width()) };
        skip -= cells;
        Piece::safe(piece.role, cut_start(&piece.text, cells))
    };
    row.left.iter().enumerate().map(cut).collect()
}

/// A number of cells as ratatui counts them; a terminal has fewer than 65,536 in a row.
fn cells(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

/// Writes pieces from a cell on, at most `room` cells; what does not fit is cut with `…`.
fn put(pieces: &[Piece], x: u16, y: u16, room: usize, tint: Option<Style>, theme: &Theme, buffer: &mut Buffer) {
    let mut used = 0;
    for (at, piece) in pieces.iter().enumerate() {
        let left = room - used;
        if left == 0 {
            return;
        }
        let text: SafeText = if piece.width() == left && goes_on(piece, &pieces[at + 1..]) {
            cut(&SafeText::of(&format!("{}…", piece.text.as_str())), left)
        } else {
            cut(&piece.text, left)
        };
        let style = style_on(theme, piece.role, tint);
        let (end, _) = buffer.set_stringn(x + cells(used), y, text.as_str(), left, style);
        used = usize::from(end.saturating_sub(x));
    }
}

/// Whether a text goes on in the next pieces: after a blank, or in the middle of a word.
fn goes_on(piece: &Piece, next: &[Piece]) -> bool {
    let mut rest = next.iter().map(|piece| piece.text.as_str()).filter(|text| !text.is_empty()).peekable();
    let is_joined = rest.peek().is_some_and(|text| !text.starts_with(' ')) || piece.text.as_str().ends_with(' ');
    is_joined && rest.any(|text| !text.trim().is_empty())
}

/// The style of a piece on a row with a tint. What has a background of its own stands out by it, and its ink is made
/// for it: both stay.
fn style_on(theme: &Theme, role: Role, tint: Option<Style>) -> Style {
    let style = theme.style(role);
    let Some(tint) = tint else { return style };
    let has_ground = style.bg.is_some() && style.bg != theme.style(Role::Text).bg;
    if has_ground { style.remove_modifier(tint.add_modifier & Modifier::REVERSED) } else { tinted(style, tint) }
}

/// A style on the row of the cursor. Reversed, colours would be blocks of many backgrounds: all has the one of the row,
/// and what is reversed by itself stands out by not being so.
fn tinted(style: Style, tint: Style) -> Style {
    if !tint.add_modifier.contains(Modifier::REVERSED) {
        return Style { bg: tint.bg.or(style.bg), ..style }.add_modifier(tint.add_modifier);
    }
    // Terminals dim the ink before they reverse it, which makes a grey block of the background.
    let row = Style { fg: tint.fg, bg: tint.bg, ..style }.remove_modifier(Modifier::DIM);
    if style.add_modifier.contains(Modifier::REVERSED) {
        row.remove_modifier(Modifier::REVERSED)
    } else {
        row.add_modifier(tint.add_modifier)
    }
}

fn paint_border(pane: &Box, area: Rect, theme: &Theme, buffer: &mut Buffer) {
    let style = theme.style(if pane.has_focus { Role::BorderFocus } else { Role::Border });
    let (right, bottom) = (area.right().saturating_sub(1), area.bottom().saturating_sub(1));
    for x in area.left()..area.right() {
        buffer[(x, area.y)].set_symbol("─").set_style(style);
        buffer[(x, bottom)].set_symbol("─").set_style(style);
    }
    for y in area.top()..area.bottom() {
        buffer[(area.x, y)].set_symbol("│").set_style(style);
        buffer[(right, y)].set_symbol("│").set_style(style);
    }
    for (x, y, corner) in [(area.x, area.y, "╭"), (right, area.y, "╮"), (area.x, bottom, "╰"), (right, bottom, "╯")]
    {
        buffer[(x, y)].set_symbol(corner).set_style(style);
    }
    put(&pane.title, area.x + 1, area.y, usize::from(area.width).saturating_sub(2), None, theme, buffer);
    paint_scroll(pane, area, theme, buffer);
}

/// A thumb on the right border, where not everything is visible.
fn paint_scroll(pane: &Box, area: Rect, theme: &Theme, buffer: &mut Buffer) {
    let height = usize::from(area.height.saturating_sub(2));
    let (top, total) = (pane.window.top, pane.window.total);
    if height < 3 || total <= height {
        return;
    }
    let len = (height * height / total).max(1);
    let at = top * (height - len) / (total - height).max(1);
    let style = theme.style(if pane.has_focus { Role::Accent } else { Role::Dim });
    for i in at..(at + len).min(height) {
        buffer[(area.right() - 1, area.y + 1 + cells(i))].set_symbol("┃").set_style(style);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::theme::Background;
    use ratatui::style::Color;

    #[test]
    fn a_reversed_row_has_one_background() {
        let row = Style::new().fg(Color::Reset).bg(Color::Reset).add_modifier(Modifier::REVERSED);
        let green = tinted(Style::new().fg(Color::Green).add_modifier(Modifier::BOLD), row);
        assert_eq!((green.fg, green.add_modifier), (Some(Color::Reset), Modifier::BOLD | Modifier::REVERSED));
        let hit = tinted(Style::new().fg(Color::Yellow).add_modifier(Modifier::REVERSED), row);
        assert_eq!((hit.fg, hit.add_modifier), (Some(Color::Reset), Modifier::empty()));
        let dim = tinted(Style::new().add_modifier(Modifier::DIM), row);
        assert_eq!(dim.add_modifier, Modifier::REVERSED, "a dim piece would have a grey background");
        let dark = tinted(Style::new().fg(Color::Green), Style::new().bg(Color::Indexed(236)));
        assert_eq!((dark.fg, dark.bg), (Some(Color::Green), Some(Color::Indexed(236))));
    }

    #[test]
    fn what_ends_between_two_pieces_is_cut_visibly_too() {
        let shown = |pieces: &[Piece]| {
            let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 1));
            put(pieces, 0, 0, 8, None, &Theme::built_in("dark").unwrap(), &mut buffer);
            buffer.content.iter().map(ratatui::buffer::Cell::symbol).collect::<String>()
        };
        let (text, found) = (Piece::of(Role::Text, "look at "), Piece::of(Role::Match, "package"));
        assert_eq!(shown(&[text.clone(), found]), "look at…");
        assert_eq!(shown(&[text, Piece::of(Role::Text, " ")]), "look at ");
        let words = ["look at", " it", "  now"].map(|words| Piece::of(Role::Text, words));
        assert_eq!(shown(&words), "look at…");
        assert_eq!(shown(&[Piece::of(Role::Text, "changed"), Piece::of(Role::Dim, " −1 +2")]), "changed…");
        assert_eq!(shown(&[Piece::of(Role::Text, "+3 ~1 −1"), Piece::of(Role::Dim, "  name")]), "+3 ~1 −1");
    }

    /// Roles with a background of their own, and the tints that they come upon.
    #[test]
    fn what_has_a_background_keeps_it_on_every_row_and_bar() {
        for name in Theme::names() {
            for background in [Background::Dark, Background::Light, Background::Any] {
                let theme = Theme::built_in(name).unwrap().on(background);
                for tint in [Role::Cursor, Role::Selected, Role::Bar].map(|role| theme.style(role)) {
                    let plain = style_on(&theme, Role::Text, Some(tint));
                    for role in [Role::Match, Role::Hidden] {
                        let (alone, found) = (theme.style(role), style_on(&theme, role, Some(tint)));
                        let is_reversed = |style: Style| style.add_modifier.contains(Modifier::REVERSED);
                        let stands_out = found.bg != plain.bg || is_reversed(found) != is_reversed(plain);
                        assert!(stands_out, "{name}: {role:?} cannot be told on {tint:?}");
                        if alone.bg.is_some() {
                            assert_eq!((found.fg, found.bg), (alone.fg, alone.bg), "{name}: {role:?} on {tint:?}");
                        }
                    }
                }
            }
        }
    }
}
