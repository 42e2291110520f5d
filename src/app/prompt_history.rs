//! What was typed in the prompts since the program began: each prompt has its own lines, and brings them back.

use super::marks::LineKind;
use super::menu::MenuKind;
use super::pane::Filtered;
use super::{App, Effects, Layer};

/// Most lines that are kept of each prompt.
const LINES_MAX: usize = 100;

/// A prompt that keeps what was typed in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    Search,
    Command,
    FilterOfFiles,
    FilterOfTable,
    FilterOfSteps,
    Condition,
    Column,
    Export,
    Tag,
    Note,
}

/// The lines of all prompts, the last at the end.
#[derive(Debug, Default)]
pub(super) struct Typed(Vec<(Of, String)>);

impl Typed {
    /// Keeps a line; one that was there before becomes the last.
    fn keep(&mut self, of: Of, line: &str) {
        let line = line.trim();
        if line.is_empty() {
            return;
        }
        self.0.retain(|(kind, earlier)| *kind != of || earlier != line);
        self.0.push((of, line.to_owned()));
        if self.lines(of).len() > LINES_MAX
            && let Some(first) = self.0.iter().position(|(kind, _)| *kind == of)
        {
            self.0.remove(first);
        }
    }

    fn lines(&self, of: Of) -> Vec<&str> {
        self.0.iter().filter(|(kind, _)| *kind == of).map(|(_, line)| line.as_str()).collect()
    }
}

impl App {
    /// Which prompt is open, if it keeps its lines.
    fn typed_in(&self) -> Option<Of> {
        Some(match self.layer.as_ref()? {
            Layer::Search(_) => Of::Search,
            Layer::Menu(menu) if menu.kind == MenuKind::Palette => Of::Command,
            Layer::Filter(_) => match self.filtered() {
                Filtered::Files => Of::FilterOfFiles,
                Filtered::Trajectories => Of::FilterOfTable,
                Filtered::Steps => Of::FilterOfSteps,
            },
            Layer::Condition(_) => Of::Condition,
            Layer::Column(_) => Of::Column,
            Layer::Export(_) => Of::Export,
            Layer::Review(line) => match line.kind {
                LineKind::Tag => Of::Tag,
                LineKind::Note => Of::Note,
                LineKind::Sure(_) => return None,
            },
            Layer::Menu(_) => return None,
        })
    }

    /// Keeps the line that is taken now.
    pub(super) fn keep_typed(&mut self) {
        if let (Some(of), Some(layer)) = (self.typed_in(), &mut self.layer) {
            self.typed.keep(of, layer.prompt().text());
        }
    }

    /// Brings an older line of this prompt back, or a newer one.
    pub(super) fn bring_back(&mut self, is_older: bool, effects: &mut Effects) {
        let Some((of, layer)) = self.typed_in().zip(self.layer.as_mut()) else { return };
        if layer.prompt().bring_back(&self.typed.lines(of), is_older) {
            self.after_typing(effects);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_prompt_keeps_its_last_lines_once() {
        let mut typed = Typed::default();
        ["a", "b ", "", "  ", "a"].iter().for_each(|line| typed.keep(Of::Search, line));
        typed.keep(Of::Note, "a");
        assert_eq!((typed.lines(Of::Search), typed.lines(Of::Note)), (vec!["b", "a"], vec!["a"]));
        (0..2 * LINES_MAX).for_each(|i| typed.keep(Of::Search, &i.to_string()));
        let lines = typed.lines(Of::Search);
        assert_eq!((lines.len(), lines[0], lines[LINES_MAX - 1]), (LINES_MAX, "100", "199"));
        assert_eq!(typed.lines(Of::Note), ["a"]);
    }
}
