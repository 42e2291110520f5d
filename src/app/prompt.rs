//! A line being typed.

use crate::panes::Piece;
use crate::text::{Role, SafeText, cut, width};
use unicode_segmentation::UnicodeSegmentation;

/// Most graphemes that a line takes; a longer paste is cut.
const LENGTH_MAX: usize = 2_000;

/// Text and cursor (in graphemes).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prompt {
    text: String,
    cursor: usize,
    /// Which of the lines that were typed before is there, counted from the last, and what was being typed.
    brought: Option<(usize, String)>,
}

impl Prompt {
    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Text before and after the cursor.
    #[must_use]
    pub fn parts(&self) -> (&str, &str) {
        self.text.split_at(self.byte(self.cursor))
    }

    /// The line after its sign in `cells` cells, and the column of its cursor. Of a text that is longer the part
    /// around the cursor is shown, with a sign where it goes on.
    #[must_use]
    pub fn line(&self, sign: &str, cells: usize) -> (Vec<Piece>, u16) {
        let sign = Piece::of(Role::KeyName, sign);
        let room = cells.saturating_sub(sign.width() + 1).max(1);
        let cells_of = |text: &str| width(SafeText::of(text).as_str());
        let (before, behind) = self.parts();
        // Some of what follows the cursor is shown, too.
        let cells_before = room.saturating_sub(cells_of(behind).min(room / 4)).max(1);
        let (mut shown, mut used, mut from) = (String::new(), 0, 0);
        if cells_of(before) > cells_before {
            let mut tail = 1;
            from = before.len();
            for (at, grapheme) in before.grapheme_indices(true).rev() {
                tail += cells_of(grapheme);
                if tail > cells_before {
                    break;
                }
                from = at;
            }
            shown.push('…');
            used = 1;
        }
        shown.push_str(&before[from..]);
        used += cells_of(&before[from..]);
        let column = u16::try_from((sign.width() + used).min(cells.saturating_sub(1))).unwrap_or(u16::MAX);
        let rest = cut(&SafeText::of(behind), room.saturating_sub(used) + 1);
        (vec![sign, Piece::of(Role::Text, &shown), Piece::safe(Role::Text, rest)], column)
    }

    fn byte(&self, grapheme: usize) -> usize {
        self.text.grapheme_indices(true).nth(grapheme).map_or(self.text.len(), |(i, _)| i)
    }

    fn len(&self) -> usize {
        self.text.graphemes(true).count()
    }

    /// Puts an older or newer one of some lines (the last at the end) in place of the text; after the last is what was
    /// being typed. False if there is none. A line that is changed is what is being typed from then on.
    pub fn bring_back(&mut self, lines: &[&str], is_older: bool) -> bool {
        let at = self.brought.as_ref().map(|(at, _)| *at);
        let line = |back: usize| lines.len().checked_sub(back + 1).map(|i| lines[i]);
        let mut next = if is_older { Some(at.map_or(0, |at| at + 1)) } else { at.and_then(|at| at.checked_sub(1)) };
        // A filter is there to be changed when its prompt opens: it need not be brought back.
        while let Some(back) = next.filter(|back| line(*back).is_some_and(|line| line.trim() == self.text.trim())) {
            next = if is_older { Some(back + 1) } else { back.checked_sub(1) };
        }
        let draft = match (&self.brought, next) {
            (None, _) if !is_older => return false,
            (Some((_, draft)), _) => draft.clone(),
            (None, _) => self.text.clone(),
        };
        match next {
            None => (self.text, self.brought) = (draft, None),
            Some(back) => {
                let Some(line) = line(back) else { return false };
                (self.text, self.brought) = (line.to_owned(), Some((back, draft)));
            }
        }
        self.cursor = self.len();
        true
    }

    /// Inserts at the cursor; line ends become spaces.
    pub fn insert(&mut self, text: &str) {
        self.brought = None;
        for g in text.graphemes(true) {
            if self.len() >= LENGTH_MAX {
                return;
            }
            let g = if g.contains(['\n', '\r']) { " " } else { g };
            let at = self.byte(self.cursor);
            let before = self.len();
            self.text.insert_str(at, g);
            self.cursor += self.len().saturating_sub(before);
        }
    }

    /// An editing key by name; false if it is not one.
    pub fn edit(&mut self, key: &str) -> bool {
        match key {
            "Left" => self.cursor = self.cursor.saturating_sub(1),
            "Right" => self.cursor = (self.cursor + 1).min(self.len()),
            "Home" | "C-a" => self.cursor = 0,
            "End" | "C-e" => self.cursor = self.len(),
            "Backspace" => {
                if self.cursor > 0 {
                    self.cursor -= 1;
                    self.delete(self.cursor, self.cursor + 1);
                }
            }
            "Delete" => self.delete(self.cursor, self.cursor + 1),
            "C-u" => {
                self.delete(0, self.cursor);
                self.cursor = 0;
            }
            "C-w" => {
                let head = self.parts().0.trim_end();
                let keep = head.rfind(' ').map_or(0, |i| head[..=i].graphemes(true).count());
                self.delete(keep, self.cursor);
                self.cursor = keep;
            }
            _ => return false,
        }
        true
    }

    fn delete(&mut self, from: usize, to: usize) {
        self.brought = None;
        let (from, to) = (self.byte(from), self.byte(to));
        self.text.replace_range(from..to, "");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_by_grapheme() {
        let mut p = Prompt::default();
        p.insert("né e\u{301}\nx");
        assert_eq!(p.text(), "né e\u{301} x");
        for key in ["Backspace", "Backspace", "Backspace"] {
            assert!(p.edit(key));
        }
        assert_eq!(p.text(), "né ");
        p.edit("C-w");
        assert_eq!((p.text(), p.cursor), ("", 0));
        assert!(!p.edit("F5"));
    }

    #[test]
    fn lines_come_back_and_what_was_being_typed_stands_below_them() {
        let mut p = Prompt::default();
        let lines = ["one", "two", "three"];
        let go = |p: &mut Prompt, is_older: bool, expected: &str| {
            p.bring_back(&lines, is_older);
            assert_eq!((p.text(), p.cursor), (expected, expected.len()));
        };
        p.insert("dra");
        go(&mut p, false, "dra");
        for (is_older, expected) in
            [(true, "three"), (true, "two"), (true, "one"), (true, "one"), (false, "two"), (false, "three")]
        {
            go(&mut p, is_older, expected);
        }
        go(&mut p, false, "dra");
        p.insert("ft");
        go(&mut p, true, "three");
        p.edit("Left");
        go(&mut p, true, "two");
        p.edit("Backspace");
        go(&mut p, false, "tw");
        go(&mut p, true, "three");
        go(&mut p, false, "tw");
        assert!(!p.bring_back(&[], true));
        // What is there already is passed over.
        p.edit("C-u");
        p.insert("three ");
        go(&mut p, true, "two");
        go(&mut p, false, "three");
    }
}
