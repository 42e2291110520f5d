//! A JSON document as rows: keys and values coloured by type, containers folded, long strings unescaped and wrapped.
//!
//! Shows messages, schemas and records. Only the visible rows become text; a string of 50 MB costs what is shown of it.

mod block;
mod search;

use super::json_outline::{Doc, JsonNodeKind};
use super::value::{self, size_text};
use super::{Extent, Hit, KeyNames, Piece, Row, Scroll, Window};
use crate::json;
use crate::text::{Role, SafeText};
use block::{Block, TextRow, string_block};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// Rows up to which a document is unfolded at first.
const AUTO_ROWS_MAX: usize = 2_000;
/// The first piece of a row of text that is text: indentation and a border precede it.
const TEXT_PIECE: usize = 2;

/// A line of highlighted code.
pub type CodeLine = Vec<(Role, String)>;

/// A request to highlight the text of a string; the answer is given to [`DocView::set_code`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeRequest {
    /// The document that the request belongs to.
    pub document: u64,
    /// The string's node.
    pub node: u32,
    /// Its key, which hints at the language.
    pub key: String,
    /// A `language` member beside it.
    pub language: Option<String>,
    /// The text. The request is repeated for each frame until its answer arrives.
    pub text: Arc<str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MessagePart {
    Value,
    Close,
    Text(u32),
    More,
}

#[derive(Debug, Clone, Copy)]
struct MessageLine {
    node: u32,
    index: Option<u32>,
    part: MessagePart,
    is_open: Option<bool>,
    is_last: bool,
}

#[derive(Debug, Default)]
struct Outline {
    lines: Vec<MessageLine>,
    blocks: HashMap<u32, Block>,
}

/// A document on screen: folds (by pointer, so that they hold for the next document too), scroll, highlighted code.
#[derive(Debug, Default)]
pub struct DocView {
    /// Scroll and cursor, in rows.
    pub scroll: Scroll,
    doc: Option<Arc<Doc>>,
    document: u64,
    folds: HashMap<String, bool>,
    version: u64,
    code: HashMap<u32, Arc<Vec<CodeLine>>>,
    /// The faults of nodes, by the numbers of the nodes.
    marks: BTreeMap<u32, String>,
    cache: std::cell::RefCell<Option<(u64, usize, Rc<Outline>)>>,
    search_stops: Option<search::SearchStops>,
    /// The keys that notes mention.
    pub key_names: KeyNames,
}

impl DocView {
    /// Shows a document; folds stay, scroll goes to the top.
    pub fn set(&mut self, doc: Option<Arc<Doc>>) {
        self.doc = doc;
        self.document += 1;
        self.version += 1;
        self.code.clear();
        self.marks.clear();
        self.scroll = Scroll::default();
    }

    /// Marks nodes as broken, each with what is wrong there.
    pub fn set_marks(&mut self, marks: BTreeMap<u32, String>) {
        self.marks = marks;
    }

    /// The document.
    #[must_use]
    pub fn doc(&self) -> Option<&Arc<Doc>> {
        self.doc.as_ref()
    }

    /// Sets highlighted code, if it belongs to the document shown.
    pub fn set_code(&mut self, document: u64, node: u32, lines: Vec<CodeLine>) {
        if document == self.document {
            self.code.insert(node, Arc::new(lines));
        }
    }

    /// Rows at a width.
    pub fn row_count(&self, cells: usize) -> usize {
        self.outline(cells).lines.len()
    }

    /// Strings among the rows of a window whose code was not highlighted yet.
    #[must_use]
    pub fn code_requests(&self, extent: Extent) -> Vec<CodeRequest> {
        let Some(doc) = &self.doc else { return Vec::new() };
        let outline = self.outline(extent.width);
        let mut nodes: Vec<u32> = outline
            .lines
            .iter()
            .skip(self.scroll.top)
            .take(extent.height)
            .filter(|l| matches!(l.part, MessagePart::Text(_)) && !self.code.contains_key(&l.node))
            .map(|l| l.node)
            .collect();
        nodes.dedup();
        let request = |node: u32| {
            let parent = doc.nodes().get(node as usize)?.parent as usize;
            Some(CodeRequest {
                document: self.document,
                node,
                key: doc.key(node as usize).map(std::borrow::Cow::into_owned).unwrap_or_default(),
                language: doc.member(parent, "language").map(|at| doc.string_head(at, 64).0.into_owned()),
                text: Arc::clone(&outline.blocks.get(&node)?.text),
            })
        };
        nodes.into_iter().filter_map(request).collect()
    }

    fn outline(&self, cells: usize) -> Rc<Outline> {
        if let Some((version, at, outline)) = &*self.cache.borrow()
            && *version == self.version
            && *at == cells
        {
            return Rc::clone(outline);
        }
        let mut outline = Outline::default();
        if let Some(doc) = &self.doc
            && !doc.nodes().is_empty()
        {
            self.build(doc, 0, None, true, cells, &mut outline);
        }
        let outline = Rc::new(outline);
        *self.cache.borrow_mut() = Some((self.version, cells, Rc::clone(&outline)));
        outline
    }

    fn fold(&self, doc: &Doc, node: usize) -> Option<bool> {
        if self.folds.is_empty() { None } else { self.folds.get(&doc.pointer(node)).copied() }
    }

    fn build(&self, doc: &Doc, at: usize, index: Option<u32>, is_last: bool, cells: usize, out: &mut Outline) {
        let node = &doc.nodes()[at];
        let number = u32::try_from(at).unwrap_or(u32::MAX);
        let line = MessageLine { node: number, index, part: MessagePart::Value, is_open: None, is_last };
        match node.kind {
            JsonNodeKind::Object | JsonNodeKind::Array if node.count > 0 => {
                let is_open =
                    self.fold(doc, at).unwrap_or(at == 0 || (node.count <= 1_000 && out.lines.len() < AUTO_ROWS_MAX));
                out.lines.push(MessageLine { is_open: Some(is_open), ..line });
                if !is_open {
                    return;
                }
                let mut child = at + 1;
                let mut i = 0;
                while child < node.end as usize {
                    let next = doc.nodes()[child].end as usize;
                    let index = (node.kind == JsonNodeKind::Array).then_some(i);
                    self.build(doc, child, index, next >= node.end as usize, cells, out);
                    child = next;
                    i += 1;
                }
                out.lines.push(MessageLine { part: MessagePart::Close, ..line });
            }
            JsonNodeKind::String => self.build_string(doc, at, line, cells, out),
            _ => out.lines.push(line),
        }
    }

    fn build_string(&self, doc: &Doc, at: usize, line: MessageLine, cells: usize, out: &mut Outline) {
        let opened = self.fold(doc, at);
        let Some(block) = string_block(doc, at, opened, cells) else {
            out.lines.push(line);
            return;
        };
        let is_open = opened == Some(true);
        out.lines.push(MessageLine { is_open: (!block.is_whole || is_open).then_some(is_open), ..line });
        for i in 0..block.lines.len() {
            out.lines.push(MessageLine { part: MessagePart::Text(u32::try_from(i).unwrap_or(u32::MAX)), ..line });
        }
        if !block.is_whole {
            out.lines.push(MessageLine { part: MessagePart::More, ..line });
        }
        out.blocks.insert(line.node, block);
    }

    /// Moves the cursor by rows.
    pub fn move_by(&mut self, delta: isize, cells: usize) {
        let total = self.row_count(cells);
        self.scroll.move_by(delta, total);
    }

    /// The node under the cursor.
    #[must_use]
    pub fn node(&self, cells: usize) -> Option<usize> {
        self.outline(cells).lines.get(self.scroll.cursor).map(|l| l.node as usize)
    }

    /// Puts the cursor on a node, unfolding what hides it.
    pub fn show_node(&mut self, node: usize, cells: usize) {
        let Some(doc) = self.doc.clone() else { return };
        self.unfold_around(&doc, node);
        if let Some(row) = self.outline(cells).lines.iter().position(|l| l.node as usize == node) {
            self.scroll.jump_to(row);
        }
    }

    /// Unfolds the containers around a node.
    fn unfold_around(&mut self, doc: &Doc, node: usize) {
        let mut at = node;
        while let Some(n) = doc.nodes().get(at).filter(|n| n.depth > 0) {
            at = n.parent as usize;
            if self.folds.insert(doc.pointer(at), true) != Some(true) {
                self.version += 1;
            }
        }
    }

    /// Unfolds (`true`), folds (`false`) or toggles (None) the node under the cursor. Folding a folded node moves the
    /// cursor to its parent.
    pub fn set_fold(&mut self, is_open: Option<bool>, cells: usize) {
        let outline = self.outline(cells);
        let (Some(line), Some(doc)) = (outline.lines.get(self.scroll.cursor).copied(), self.doc.clone()) else {
            return;
        };
        let state =
            outline.lines.iter().find(|l| l.node == line.node && l.part == MessagePart::Value).and_then(|l| l.is_open);
        let wanted = is_open.or(state.map(|s| !s));
        match (state, wanted) {
            (Some(now), Some(wanted)) if now != wanted => {
                self.folds.insert(doc.pointer(line.node as usize), wanted);
                self.version += 1;
                let row = self.outline(cells).lines.iter().position(|l| l.node == line.node);
                self.scroll.cursor = row.unwrap_or(self.scroll.cursor);
            }
            (_, Some(false)) => {
                let parent = doc.nodes().get(line.node as usize).map_or(0, |n| n.parent);
                let row = outline.lines.iter().position(|l| l.node == parent);
                self.scroll.cursor = row.unwrap_or(0);
            }
            (_, Some(true)) => self.move_by(1, cells),
            _ => {}
        }
    }

    /// Folds or unfolds every container below the root.
    pub fn fold_all(&mut self, is_open: bool) {
        let Some(doc) = self.doc.clone() else { return };
        self.folds.clear();
        for (i, node) in doc.nodes().iter().enumerate().take(AUTO_ROWS_MAX * 4) {
            if node.depth > 0 && node.count > 0 {
                self.folds.insert(doc.pointer(i), is_open);
            }
        }
        self.version += 1;
    }

    /// The visible rows; `lit` is the node to point out.
    #[must_use]
    pub fn window(&self, extent: Extent, has_focus: bool, lit: Option<usize>) -> Window {
        let Some(doc) = &self.doc else { return Window::default() };
        let outline = self.outline(extent.width);
        let total = outline.lines.len();
        let range = self.scroll.top.min(total)..total.min(self.scroll.top + extent.height);
        let rows = range
            .map(|i| {
                let line = &outline.lines[i];
                let mut row = self.row(doc, &outline, line);
                if lit == Some(line.node as usize) && line.part == MessagePart::Value {
                    row.right.push(Piece::of(Role::Focus, " ◂ this value"));
                }
                row.hit(Hit::Row(i)).cursor(i == self.scroll.cursor && has_focus)
            })
            .collect();
        Window { rows, top: self.scroll.top, total }
    }

    fn row(&self, doc: &Doc, outline: &Outline, line: &MessageLine) -> Row {
        let at = line.node as usize;
        let node = &doc.nodes()[at];
        let mut left = vec![Piece::of(Role::Text, &"  ".repeat(usize::from(node.depth)))];
        let comma = if line.is_last || line.is_open == Some(true) { "" } else { "," };
        match line.part {
            MessagePart::Value => {
                left.push(Piece::safe(
                    Role::Punct,
                    SafeText::literal(match line.is_open {
                        Some(true) => "▾ ",
                        Some(false) => "▸ ",
                        None => "  ",
                    }),
                ));
                let mark = self.marks.get(&line.node);
                if let Some(key) = doc.key(at) {
                    let role = if mark.is_some() { Role::Error } else { Role::JsonKey };
                    left.push(Piece::of(role, &json::quote(&key)));
                    left.push(Piece::of(Role::Punct, ": "));
                } else if let Some(i) = line.index.filter(|_| node.count > 0) {
                    left.push(Piece::of(Role::Dim, &format!("{i} ")));
                }
                put_value((doc, at), line, outline.blocks.get(&line.node), &self.key_names, &mut left);
                left.push(Piece::of(Role::Punct, if outline.blocks.contains_key(&line.node) { "" } else { comma }));
                if let Some(what) = mark {
                    left.push(Piece::of(Role::Error, &format!("  ✗ {what}")));
                } else if line.is_open == Some(false) && self.marks.range(line.node..node.end).next().is_some() {
                    left.push(Piece::of(Role::Error, "  ✗"));
                }
            }
            MessagePart::Close => {
                let close = if node.kind == JsonNodeKind::Array { "]" } else { "}" };
                left.push(Piece::of(Role::Punct, &format!("  {close}{comma}")));
            }
            MessagePart::Text(i) => {
                left.push(Piece::of(Role::Border, "  ┊ "));
                if let Some(block) = outline.blocks.get(&line.node) {
                    left.extend(self.text_pieces(line.node, block, i as usize));
                }
            }
            MessagePart::More => {
                left.push(Piece::of(Role::Border, "  ┊ "));
                let note = outline.blocks.get(&line.node).map_or("", |b| b.note.as_str());
                left.push(Piece::of(Role::Dim, &self.key_names.remark(note)));
            }
        }
        let row = Row::new(left);
        match (line.part, outline.blocks.get(&line.node)) {
            (MessagePart::Text(i), Some(block)) => match block.lines.get(i as usize) {
                Some(part) => row.part_of(block.line(part), &part.range, TEXT_PIECE),
                None => row,
            },
            _ => row,
        }
    }

    fn text_pieces(&self, node: u32, block: &Block, i: usize) -> Vec<Piece> {
        let Some(TextRow { line: number, from, range }) = block.lines.get(i) else { return Vec::new() };
        let line = block.text.get(*from..from + range.end).unwrap_or("");
        let plain = |range: Range<usize>| Piece::of(Role::JsonString, line.get(range).unwrap_or(""));
        let Some(code) = self.code.get(&node).and_then(|c| c.get(*number as usize)).filter(|c| !c.is_empty()) else {
            return vec![plain(range.clone())];
        };
        let mut out = Vec::new();
        let mut at = 0;
        for (role, text) in code {
            let (from, to) = (at.max(range.start), (at + text.len()).min(range.end));
            at += text.len();
            if from < to {
                out.push(Piece::of(*role, line.get(from..to).unwrap_or("")));
            }
        }
        if at < range.end {
            out.push(plain(at.max(range.start)..range.end));
        }
        out
    }
}

fn put_value(
    (doc, at): (&Doc, usize),
    line: &MessageLine,
    block: Option<&Block>,
    names: &KeyNames,
    left: &mut Vec<Piece>,
) {
    let node = &doc.nodes()[at];
    let (open, close) = if node.kind == JsonNodeKind::Array { ("[", "]") } else { ("{", "}") };
    match (node.kind, line.is_open) {
        (JsonNodeKind::Object | JsonNodeKind::Array, Some(true)) => left.push(Piece::of(Role::Punct, open)),
        (JsonNodeKind::Object | JsonNodeKind::Array, Some(false)) => {
            left.push(Piece::of(Role::Punct, &format!("{open} … {close}")));
            let what = if node.kind == JsonNodeKind::Array { "element" } else { "member" };
            left.push(Piece::of(Role::Dim, &format!("  {}", value::count_of(node.count as usize, what))));
        }
        (JsonNodeKind::Object | JsonNodeKind::Array, None) => {
            left.push(Piece::of(Role::Punct, &format!("{open}{close}")));
        }
        (JsonNodeKind::Deep, _) => {
            let size = size_text(doc.source(at).len() as u64);
            left.push(Piece::of(
                Role::Dim,
                &names.remark(&format!(
                    "nested deeper than {} levels, {size}; {{raw}} shows it as text",
                    json::DEPTH_MAX
                )),
            ));
        }
        (JsonNodeKind::String, _) => match block {
            Some(_) => {
                let size = doc.source(at).len();
                left.push(Piece::of(Role::Dim, &format!("text, {}", size_text(size.saturating_sub(2) as u64))));
            }
            None => left.push(value::piece(&json::quote(&doc.string_head(at, 4_096).0))),
        },
        (JsonNodeKind::Scalar, _) => left.push(value::piece(doc.source(at))),
    }
}

/// The node of a message that holds the value at a path of the state: the first whose pointer ends with the path.
#[must_use]
pub fn node_of_path(doc: &Doc, path: &[json::Key]) -> Option<usize> {
    if path.is_empty() || doc.nodes().len() > 20_000 {
        return None;
    }
    let segments: Vec<String> = path.iter().map(ToString::to_string).collect();
    (0..doc.nodes().len()).find(|&n| doc.ends_with(n, &segments))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(view: &DocView, cells: usize) -> Vec<String> {
        view.window(Extent { width: cells, height: 100 }, false, None).rows.iter().map(Row::plain).collect()
    }

    #[test]
    fn folds_wraps_and_unescapes() {
        let mut view = DocView::default();
        view.set(Some(Arc::new(Doc::of(r#"{"a":[1,{"b":"x"}],"t":"one\ntwo","e":{}}"#))));
        let all = rows(&view, 40);
        assert_eq!(all[1], "  ▾ \"a\": [");
        assert!(all.iter().any(|r| r.contains("┊ two")), "{all:?}");
        view.scroll.cursor = 1;
        view.set_fold(Some(false), 40);
        assert!(rows(&view, 40)[1].contains("[ … ]  2 elements"), "{:?}", rows(&view, 40));
        assert_eq!(rows(&view, 40).len(), all.len() - 5);
    }

    #[test]
    fn a_huge_string_costs_only_what_is_shown() {
        let text = format!("{{\"s\":\"{}\"}}", "lorem ipsum ".repeat(500_000));
        let mut view = DocView::default();
        view.set(Some(Arc::new(Doc::of(&text))));
        assert_eq!(view.row_count(80), 1 + 1 + block::STRING_LINES_CLOSED + 1 + 1);
    }
}
