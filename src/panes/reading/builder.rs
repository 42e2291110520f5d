//! Items and blocks put together, up to a bound.

use super::line::{Lead, ReadingItem, ReadingLine, untabbed};
use super::{Block, Code, Reading};
use crate::text::{Role, size_text, width};
use std::borrow::Cow;
use std::sync::Arc;

/// Most lines of one text, and most bytes of it, that a reading lays out; a pager shows all.
const TEXT_LINES_MAX: usize = 40_000;
pub(super) const TEXT_BYTES_MAX: usize = 2 << 20;
/// Longest part of a line that is one item, in bytes.
const LINE_BYTES_MAX: usize = 4 << 10;
/// Most items of a reading.
const ITEMS_MAX: usize = 200_000;

/// A reading that is being made.
pub(super) struct Builder {
    /// Most bytes and lines of one text.
    room: (usize, usize),
    pub(super) reading: Reading,
    /// The items from which on the open block has them.
    open: usize,
    /// What precedes each line that is put now.
    pub(super) leads: Vec<Lead>,
    /// Whether the line above is the heading of what comes.
    is_headed: bool,
}

impl Default for Builder {
    fn default() -> Self {
        Self::with_room(TEXT_BYTES_MAX, TEXT_LINES_MAX)
    }
}

impl Builder {
    /// A reading with so much room for one text, in bytes and lines.
    pub(super) fn with_room(bytes: usize, lines: usize) -> Self {
        let (reading, leads) = (Reading::default(), Vec::new());
        Self { room: (bytes, lines), reading, open: 0, leads, is_headed: false }
    }

    /// Puts a block that `put` fills; an empty one is left out. A blank line is between it and what is above.
    pub(super) fn block(&mut self, name: &str, source: &str, is_foldable: bool, put: impl FnOnce(&mut Self)) {
        if !std::mem::take(&mut self.is_headed) {
            self.blank();
        }
        self.open = self.reading.items.len();
        put(self);
        let items = self.open..self.reading.items.len();
        if !items.is_empty() {
            let source = Arc::from(source);
            self.reading.blocks.push(Block { items, is_foldable, source, name: name.to_owned() });
        }
    }

    /// A blank line, unless there is one or nothing above.
    pub(super) fn blank(&mut self) {
        let is_empty = |line: &ReadingLine| line.spans.is_empty() && line.leads.is_empty();
        let is_blank = |item: &ReadingItem| matches!(item, ReadingItem::Line(line) if is_empty(line));
        if self.reading.items.last().is_some_and(|item| !is_blank(item)) {
            self.push(ReadingItem::Line(ReadingLine::default()));
        }
    }

    pub(super) fn push(&mut self, item: ReadingItem) {
        if self.reading.items.len() < ITEMS_MAX.max(self.room.1) {
            self.reading.items.push(item);
        } else {
            self.reading.is_cut = true;
        }
    }

    /// Puts a line after what precedes each; a very long one as several, so that none costs much to lay out.
    pub(super) fn line(&mut self, line: ReadingLine) {
        let leads: Vec<Lead> = self.leads.iter().cloned().chain(line.leads).collect();
        if line.spans.iter().all(|(_, text)| text.len() <= LINE_BYTES_MAX) {
            return self.push(ReadingItem::Line(ReadingLine { leads, ..line }));
        }
        let below = |lead: &Lead| {
            if lead.repeats { lead.clone() } else { Lead::once(Role::Text, " ".repeat(width(&lead.text))) }
        };
        let (mut leads, mut right) = (leads, line.right);
        for (role, text) in line.spans {
            let mut rest = text.as_str();
            while !rest.is_empty() {
                let end = if rest.len() > LINE_BYTES_MAX { floor(rest, LINE_BYTES_MAX) } else { rest.len() };
                let below = leads.iter().map(below).collect();
                let leads = std::mem::replace(&mut leads, below);
                let spans = vec![(role, rest[..end].to_owned())];
                self.push(ReadingItem::Line(ReadingLine {
                    leads,
                    spans,
                    code: None,
                    right: std::mem::take(&mut right),
                }));
                rest = &rest[end..];
            }
        }
    }

    /// The lines of a text without their ends, as many as are laid out; notes whether they end with CR LF.
    pub(super) fn lines<'t>(&mut self, text: &'t str) -> Vec<&'t str> {
        let (bytes_max, lines_max) = self.room;
        let (head, is_cut) =
            if text.len() > bytes_max { (&text[..floor(text, bytes_max)], true) } else { (text, false) };
        let all = head.strip_suffix('\n').unwrap_or(head).split('\n');
        let mut lines: Vec<&str> = all.take(lines_max + 1).collect();
        self.reading.is_cut |= is_cut || lines.len() > lines_max;
        lines.truncate(lines_max);
        for line in &mut lines {
            if let Some(bare) = line.strip_suffix('\r') {
                (*line, self.reading.has_crlf) = (bare, true);
            }
        }
        lines
    }

    /// Puts a remark, which may name actions behind its semicolon.
    pub(super) fn remark(&mut self, text: &str) {
        self.push(ReadingItem::Remark(text.to_owned()));
    }

    /// Says below a text that is cut how much there is.
    pub(super) fn note_rest(&mut self, text: &str) {
        if std::mem::take(&mut self.reading.is_cut) {
            let how = if self.room.0 > TEXT_BYTES_MAX {
                "{edit} opens it in your editor"
            } else {
                "{follow} opens the pager"
            };
            self.remark(&format!("… {} in all; {how}", size_text(text.len() as u64)));
        }
    }

    /// Puts lines of one role.
    pub(super) fn plain(&mut self, role: Role, text: &str, tabs: usize) {
        for line in self.lines(text) {
            let spans = if line.is_empty() { Vec::new() } else { vec![(role, untabbed(line, tabs))] };
            self.line(ReadingLine { spans, ..ReadingLine::default() });
        }
        self.note_rest(text);
    }

    /// Puts lines of code, each with what precedes it.
    pub(super) fn code(&mut self, language: &str, lines: Vec<(Option<Lead>, String)>) {
        let code = u32::try_from(self.reading.codes.len()).unwrap_or(u32::MAX);
        let text: Vec<&str> = lines.iter().map(|(_, line)| line.as_str()).collect();
        let language = language.to_owned();
        self.reading.codes.push(Code { language, text: Arc::from(text.join("\n")) });
        for (number, (lead, line)) in (0..).zip(lines) {
            let spans = if line.is_empty() { Vec::new() } else { vec![(Role::Text, line)] };
            let leads = lead.into_iter().collect();
            self.line(ReadingLine { leads, spans, code: Some((code, number)), right: Vec::new() });
        }
    }

    /// A line that says what follows.
    pub(super) fn heading(&mut self, spans: Vec<(Role, String)>) {
        self.blank();
        self.line(ReadingLine { spans, ..ReadingLine::default() });
        self.is_headed = true;
    }
}

/// A text whose lines end with LF alone; whether that changed it.
pub(super) fn without_cr(text: &str) -> (Cow<'_, str>, bool) {
    if text.contains("\r\n") { (Cow::Owned(text.replace("\r\n", "\n")), true) } else { (Cow::Borrowed(text), false) }
}

/// The nearest border of a character at or before a byte.
pub(super) fn floor(text: &str, byte: usize) -> usize {
    (0..=byte.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}
