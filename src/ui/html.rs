//! Rows as HTML: every piece escaped, coloured by the class of its role, steps as links to their places on the page.

use super::colour;
use super::theme::Theme;
use crate::panes::{Piece, Row};
use crate::text::{Role, SafeText};
use ratatui::style::{Modifier, Style};
use std::fmt::Write;

/// Fewest characters of a line of `─` that is drawn as a rule as wide as its place.
const RULE_CHARS_MIN: usize = 8;

/// Foreign text for HTML: hidden characters as signs, then the five characters of markup escaped.
pub(super) fn text(foreign: &str) -> String {
    let mut out = String::with_capacity(foreign.len() + 8);
    put_escaped(SafeText::of(foreign).as_str(), &mut out);
    out
}

/// Puts text with the five characters of markup escaped.
pub(super) fn put_escaped(safe: &str, out: &mut String) {
    for c in safe.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
}

/// Rows, one below the other; `has_step` says which steps have a place on the page.
pub(super) fn rows(rows: &[Row], has_step: &dyn Fn(i32) -> bool, out: &mut String) {
    for row in rows {
        self::row(row, has_step, out);
    }
}

/// A row: its left part, and the part at the right edge.
pub(super) fn row(row: &Row, has_step: &dyn Fn(i32) -> bool, out: &mut String) {
    out.push_str("<div class=r><span class=l>");
    pieces(&row.left, has_step, out);
    out.push_str("</span>");
    if !row.right.is_empty() {
        out.push_str("<span class=e>");
        pieces(&row.right, has_step, out);
        out.push_str("</span>");
    }
    out.push_str("</div>\n");
}

/// Pieces, one after the other.
pub(super) fn pieces(pieces: &[Piece], has_step: &dyn Fn(i32) -> bool, out: &mut String) {
    for piece in pieces {
        self::piece(piece, has_step, out);
    }
}

fn piece(piece: &Piece, has_step: &dyn Fn(i32) -> bool, out: &mut String) {
    let text = piece.text.as_str();
    if piece.role == Role::Border && text.chars().count() >= RULE_CHARS_MIN && text.chars().all(|c| c == '─') {
        out.push_str("<span class=rule></span>");
        return;
    }
    let step = step_of(piece).filter(|step| has_step(*step));
    match (step, piece.role) {
        (Some(step), role) => {
            let _ = write!(out, "<a class={} href=\"#s{step}\">", class(role));
            put_escaped(text, out);
            out.push_str("</a>");
        }
        (None, Role::Text) => put_escaped(text, out),
        (None, role) => {
            let _ = write!(out, "<span class={}>", class(role));
            put_escaped(text, out);
            out.push_str("</span>");
        }
    }
}

/// The step that a piece of blame names: `@41`.
fn step_of(piece: &Piece) -> Option<i32> {
    let is_blame = matches!(piece.role, Role::Blame | Role::BlameNew);
    piece.text.as_str().trim().strip_prefix('@').filter(|_| is_blame)?.parse().ok()
}

/// The class of a role: its name in theme files.
pub(super) fn class(role: Role) -> &'static str {
    Role::ALL.iter().find(|(of, _)| *of == role).map_or("text", |(_, name)| name)
}

/// The style sheet of the roles in a theme.
pub(super) fn role_styles(theme: &Theme) -> String {
    let mut out = String::new();
    for (role, name) in Role::ALL {
        let declared = declarations(theme.style(*role));
        if !declared.is_empty() && *role != Role::Text {
            let _ = writeln!(out, ".{name}{{{declared}}}");
        }
    }
    out
}

/// Colours of a theme as custom properties: page, ink, raised ground, lines, accent.
pub(super) fn palette(theme: &Theme) -> String {
    let fg = |role: Role| theme.style(role).fg.and_then(colour::rgb);
    let bg = |role: Role| theme.style(role).bg.and_then(colour::rgb);
    let all = [
        ("ground", bg(Role::Text)),
        ("ink", fg(Role::Text)),
        ("raised", bg(Role::Bar)),
        ("shade", bg(Role::Cursor)),
        ("grey", fg(Role::Dim)),
        ("line", fg(Role::Border)),
        ("accent", fg(Role::Accent)),
    ];
    let one = |(name, colour): (&str, Option<colour::Rgb>)| colour.map(|c| format!("--{name}:{};", hex(c)));
    all.into_iter().filter_map(one).collect()
}

fn declarations(style: Style) -> String {
    let mut out = String::new();
    if let Some(colour) = style.fg.and_then(colour::rgb) {
        let _ = write!(out, "color:{};", hex(colour));
    }
    if let Some(colour) = style.bg.and_then(colour::rgb) {
        let _ = write!(out, "background:{};", hex(colour));
    }
    for (modifier, declaration) in [
        (Modifier::BOLD, "font-weight:700;"),
        (Modifier::ITALIC, "font-style:italic;"),
        (Modifier::UNDERLINED, "text-decoration:underline;"),
    ] {
        if style.add_modifier.contains(modifier) {
            out.push_str(declaration);
        }
    }
    out
}

fn hex((r, g, b): colour::Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(row: &Row) -> String {
        let mut out = String::new();
        self::row(row, &|step| step == 41, &mut out);
        out
    }

    #[test]
    fn foreign_text_is_no_markup() {
        let hostile = "<script>alert(1)</script> & \"x\" 'y' \u{1b}[31m \u{202e}abc \0";
        for out in [text(hostile), shown(&Row::text(Role::JsonString, hostile))] {
            assert!(!out.contains("<script") && out.contains("&lt;script&gt;"), "{out}");
            assert!(out.contains("&amp; &quot;x&quot; &#39;y&#39; \u{241b}[31m"), "{out}");
            assert!(!out.contains(['\u{1b}', '\u{202e}', '\0']) && out.contains("U+202E"), "{out}");
        }
    }

    #[test]
    fn only_steps_on_the_page_are_links() {
        let here = Row::new(vec![Piece::of(Role::Blame, " @41")]);
        assert!(shown(&here).contains("<a class=blame href=\"#s41\"> @41</a>"), "{}", shown(&here));
        for (role, text) in [(Role::Blame, " @42"), (Role::JsonString, "@41"), (Role::Blame, "@41\"onclick=x")] {
            assert!(!shown(&Row::text(role, text)).contains("<a "), "{text}");
        }
    }

    #[test]
    fn every_role_has_a_class_and_both_themes_colour_it() {
        for name in ["dark", "light"] {
            let theme = Theme::built_in(name).unwrap();
            let styles = role_styles(&theme);
            assert!(styles.contains(".json-key{color:#") && styles.contains(".hidden{color:#"), "{styles}");
            assert!(palette(&theme).contains("--ground:#") && palette(&theme).contains("--accent:#"));
        }
        assert_eq!(class(Role::JsonKey), "json-key");
    }
}
