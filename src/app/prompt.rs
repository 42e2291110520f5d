//! A line being typed.

use unicode_segmentation::UnicodeSegmentation;

/// Most graphemes that a line takes; a longer paste is cut.
const LENGTH_MAX: usize = 2_000;

/// Text and cursor (in graphemes).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prompt {
    text: String,
    cursor: usize,
}

impl Prompt {
    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Text before and behind the cursor.
    #[must_use]
    pub fn parts(&self) -> (&str, &str) {
        self.text.split_at(self.byte(self.cursor))
    }

    fn byte(&self, grapheme: usize) -> usize {
        self.text.grapheme_indices(true).nth(grapheme).map_or(self.text.len(), |(i, _)| i)
    }

    fn len(&self) -> usize {
        self.text.graphemes(true).count()
    }

    /// Inserts at the cursor; line ends become spaces.
    pub fn insert(&mut self, text: &str) {
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

    /// An editing key by name; false if it is none.
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
}
