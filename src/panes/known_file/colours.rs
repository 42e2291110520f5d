//! Colours of the code in a file: asked for the lines of the window and what precedes them, kept by line.

use super::{FileLayout, FileRow};
use crate::panes::message::CodeLine;
use crate::rules::work::{LineId, Work};
use std::collections::HashMap;

/// Lines above the window from which on code is read, so that what goes over several lines is seen.
const LINES_BEFORE: usize = 200;
/// Most lines whose colours are kept.
const CACHED_LINES_MAX: usize = 20_000;
/// Longest text that is coloured at once, in bytes.
const BYTES_MAX: usize = 256 << 10;
/// Longest part of a line that is coloured, in characters.
const LINE_CHARS_MAX: usize = 2_000;

/// A request for colours; the answer is given to [`Colours::take`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColourRequest {
    /// Number of the request.
    pub number: u64,
    /// The language, as the end of the file's name has it.
    pub language: String,
    /// Runs of lines, each with the text of it.
    pub runs: Vec<(Vec<LineId>, String)>,
}

/// The colours of lines.
#[derive(Debug, Default)]
pub struct Colours {
    lines: HashMap<LineId, CodeLine>,
    asked: u64,
    /// The lines of the window that colours are awaited for.
    awaited: Vec<LineId>,
}

impl Colours {
    /// Forgets all of them: another file is shown.
    pub(super) fn clear(&mut self) {
        (self.lines, self.awaited) = (HashMap::new(), Vec::new());
        self.asked += 1;
    }

    /// The colours of a line, if they are known.
    pub(super) fn of(&self, id: LineId) -> Option<&CodeLine> {
        self.lines.get(&id).filter(|line| !line.is_empty())
    }

    /// Takes what was asked for.
    pub fn take(&mut self, number: u64, lines: Vec<(LineId, CodeLine)>) {
        if number != self.asked {
            return;
        }
        if self.lines.len() > CACHED_LINES_MAX {
            self.lines.clear();
        }
        self.lines.extend(lines);
        // What has no colours is not asked for again.
        for id in std::mem::take(&mut self.awaited) {
            self.lines.entry(id).or_default();
        }
    }

    /// Asks for the colours of the window where some are missing, once.
    pub fn ask(&mut self, work: &Work, layout: &FileLayout, (top, height): (usize, usize)) -> Option<ColourRequest> {
        let items = layout.items();
        let end = items.len().min(top + height);
        let visible = items.get(top..end)?;
        let missing: Vec<LineId> =
            visible.iter().filter_map(FileRow::id).filter(|id| !self.lines.contains_key(id)).collect();
        if missing.is_empty() || self.awaited == missing {
            return None;
        }
        let path = &layout.facts()?.path;
        self.asked += 1;
        self.awaited = missing;
        let runs = runs(work, &items[top.saturating_sub(LINES_BEFORE)..end]);
        Some(ColourRequest { number: self.asked, language: language(path), runs })
    }
}

/// Lines that follow each other, as texts.
fn runs(work: &Work, items: &[FileRow]) -> Vec<(Vec<LineId>, String)> {
    let mut runs: Vec<(Vec<LineId>, String)> = Vec::new();
    let (mut is_new, mut bytes) = (true, 0);
    // What is at the end is in view: it comes first where there is too much.
    let from = items.iter().rev().position(|item| {
        bytes += item.id().and_then(|id| work.line(id)).map_or(0, |(text, _)| text.len().min(4 * LINE_CHARS_MAX) + 1);
        bytes > BYTES_MAX
    });
    for item in &items[from.map_or(0, |from| items.len() - from)..] {
        let Some((id, (text, _))) = item.id().and_then(|id| Some((id, work.line(id)?))) else {
            is_new = true;
            continue;
        };
        if std::mem::take(&mut is_new) {
            runs.push((Vec::new(), String::new()));
        }
        if let Some((ids, run)) = runs.last_mut() {
            ids.push(id);
            run.extend(text.chars().take(LINE_CHARS_MAX).map(|c| if matches!(c, '\n' | '\r') { ' ' } else { c }));
            run.push('\n');
        }
    }
    runs
}

/// The end of a file's name, or the whole name without one: `py`, `Makefile`.
fn language(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(_, end)| end).to_owned()
}
