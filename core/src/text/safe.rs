//! The border between foreign text and the painter.

use std::fmt::Write as _;
use unicode_segmentation::UnicodeSegmentation;

/// Most combining marks that one cell may carry; more are dropped.
pub const MARKS_PER_CELL_MAX: usize = 8;

/// Text without control, bidi or invisible characters: each is as a visible sign.
///
/// There is no other way to make one from foreign text than [`SafeText::of`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Hash)]
pub struct SafeText(String);

impl SafeText {
    /// Makes text safe to paint: C0 as control pictures (`␛`), DEL, C1, bidi, zero-width, tag and other invisible
    /// characters as `⟨U+202E⟩`, and so what terminals draw at different widths, but flags as `⟨DE⟩`; line ends as
    /// `␊`, tabs as `␉`, runs of combining marks cut.
    #[must_use]
    pub fn of(foreign: &str) -> Self {
        if foreign.bytes().all(|b| (0x20..0x7f).contains(&b)) {
            return Self(foreign.to_owned());
        }
        let mut out = String::with_capacity(foreign.len());
        for grapheme in foreign.graphemes(true) {
            put_grapheme(grapheme, &mut out);
        }
        Self(out)
    }

    /// A text of the program itself.
    #[must_use]
    pub fn literal(text: &'static str) -> Self {
        Self(text.to_owned())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Joins two.
    #[must_use]
    pub fn join(mut self, other: &Self) -> Self {
        self.0.push_str(&other.0);
        self
    }

    /// Cuts safe text; what is left of it is safe too.
    pub(super) fn map(&self, f: impl FnOnce(&str) -> String) -> Self {
        Self(f(&self.0))
    }
}

impl std::fmt::Display for SafeText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

fn put_grapheme(grapheme: &str, out: &mut String) {
    if grapheme.starts_with(is_flag_letter) {
        return put_flag(grapheme, out);
    }
    let mut marks = 0;
    let mut before = None;
    for c in grapheme.chars() {
        if is_emoji_style(c, before) {
            before = Some(c);
            continue;
        }
        let is_mark = unicode_width::UnicodeWidthChar::width(c) == Some(0);
        if is_hidden(c) || is_of_unsure_width(c) || (before.is_some() && is_joined(c)) {
            put_sign(c, out);
        } else if is_mark {
            // A mark on nothing would take no cell: it gets a circle as its base, once, however often it is made safe.
            if before.is_none() && !out.ends_with('\u{25CC}') {
                out.push('\u{25CC}');
            }
            marks += 1;
            if marks <= MARKS_PER_CELL_MAX {
                out.push(c);
            }
        } else {
            out.push(c);
        }
        before = Some(c);
    }
}

/// A request to draw a sign in colour or plain. Terminals disagree on the width of such pairs, and it says nothing of
/// the text, so it is dropped; on anything but a sign it may carry hidden data and is shown.
fn is_emoji_style(c: char, before: Option<char>) -> bool {
    let is_sign = |b: char| {
        matches!(b,
            '#' | '*' | '0'..='9' | '\u{A9}' | '\u{AE}' | '\u{203C}'..='\u{3299}' | '\u{1F000}'..='\u{1FAFF}')
    };
    matches!(c, '\u{FE0E}' | '\u{FE0F}') && before.is_some_and(is_sign)
}

/// What some terminals join with the sign before it and others draw beside it: skin tones, enclosing marks.
fn is_joined(c: char) -> bool {
    matches!(c,
        '\u{1F3FB}'..='\u{1F3FF}' | '\u{488}' | '\u{489}' | '\u{1ABE}' | '\u{20DD}'..='\u{20E0}' | '\u{20E2}'
        | '\u{20E4}' | '\u{A670}'..='\u{A672}')
}

/// What takes one cell in some terminals and two or more in others: what was next to it would stay on the screen.
fn is_of_unsure_width(c: char) -> bool {
    matches!(c, '\u{17A4}' | '\u{17D8}' | '\u{2630}'..='\u{2637}' | '\u{268A}'..='\u{268F}' | '\u{1D300}'..='\u{1D376}')
}

/// The letters of flags, which take two cells together, two each, or one each.
fn is_flag_letter(c: char) -> bool {
    matches!(c, '\u{1F1E6}'..='\u{1F1FF}')
}

/// A flag as its letters, `⟨DE⟩`; what else is in its cell behind them.
fn put_flag(grapheme: &str, out: &mut String) {
    let letters = grapheme.chars().take_while(|c| is_flag_letter(*c));
    let letter = |c: char| char::from_u32(u32::from(c) - 0x1F1E6 + u32::from('A'));
    out.push('\u{27E8}');
    out.extend(letters.clone().filter_map(letter));
    out.push('\u{27E9}');
    let rest: usize = letters.map(char::len_utf8).sum();
    grapheme[rest..].chars().for_each(|c| put_sign(c, out));
}

/// Whether a character is invisible, reorders text, or acts on a terminal (R10).
#[must_use]
pub fn is_hidden(c: char) -> bool {
    matches!(c,
        '\0'..='\u{1F}' | '\u{7F}'..='\u{9F}' | '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}'
        | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFFB}' | '\u{E0000}'..='\u{E0FFF}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}')
}

fn put_sign(c: char, out: &mut String) {
    match c {
        '\0'..='\u{1F}' => out.push(char::from_u32(0x2400 + c as u32).unwrap_or('\u{FFFD}')),
        '\u{7F}' => out.push('\u{2421}'),
        _ => {
            let _ = write!(out, "\u{27E8}U+{:04X}\u{27E9}", c as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_become_signs() {
        for (input, expect) in [
            ("plain", "plain"),
            ("a\x1b[31mb", "a\u{241B}[31mb"),
            ("x\u{202E}y", "x\u{27E8}U+202E\u{27E9}y"),
            ("\u{9b}31m\x7f", "\u{27E8}U+009B\u{27E9}31m\u{2421}"),
            ("a\nb\tc", "a\u{240A}b\u{2409}c"),
            ("a\u{200D}b", "a\u{27E8}U+200D\u{27E9}b"),
            ("\u{1F469}\u{200D}\u{1F4BB}", "\u{1F469}\u{27E8}U+200D\u{27E9}\u{1F4BB}"),
            ("\u{1F44D}\u{1F3FD}", "\u{1F44D}\u{27E8}U+1F3FD\u{27E9}"),
            ("\u{26A0}\u{FE0F} 1\u{FE0F}\u{20E3}", "\u{26A0} 1\u{20E3}"),
            ("a\u{FE0F}\u{FE00}", "a\u{27E8}U+FE0F\u{27E9}\u{27E8}U+FE00\u{27E9}"),
            ("\u{2600}\u{FE0F}\u{FE0E}", "\u{2600}\u{27E8}U+FE0E\u{27E9}"),
            ("\u{301}x", "\u{25CC}\u{301}x"),
            ("0\u{D7B0}A", "0\u{25CC}\u{D7B0}A"),
            ("\u{111C2}0", "\u{25CC}\u{111C2}0"),
            ("Z\u{489}", "Z\u{27E8}U+0489\u{27E9}"),
            ("\u{2630} Menu", "\u{27E8}U+2630\u{27E9} Menu"),
            ("a\u{1F1E9}\u{1F1EA}\u{1F1EB}.", "a\u{27E8}DE\u{27E9}\u{27E8}F\u{27E9}."),
            ("\u{1F1E9}\u{1F1EA}\u{301}", "\u{27E8}DE\u{27E9}\u{27E8}U+0301\u{27E9}"),
        ] {
            assert_eq!(SafeText::of(input).as_str(), expect);
            assert_eq!(SafeText::of(expect).as_str(), expect, "safe text stays as it is");
        }
        let lone = SafeText::of(&"\u{301}".repeat(40));
        assert_eq!((lone.as_str().chars().count(), crate::text::width(lone.as_str())), (9, 1));
        let zalgo = format!("e{}", "\u{301}".repeat(40));
        assert_eq!(SafeText::of(&zalgo).as_str().chars().count(), 9);
    }
}
