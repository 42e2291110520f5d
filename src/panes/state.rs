//! The merged state at the step in focus: a tree per identity, what this step changed, and who wrote each leaf.

mod changes;
mod kept;

use super::{Extent, Hit, Open, Piece, Row, Scroll, Window, marks, value};
use crate::json::Key;
use crate::model::{HEAD, Identity, StepNo};
use crate::state::{EventOp, IdentityId, IdentityView, NodeId, Shape};
use crate::text::{Role, SafeText, pad, width};
pub(super) use changes::before;
use changes::{Changes, is_container, op, was};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Containers with more members than this start folded.
const OPEN_CHILDREN_MAX: usize = 24;
/// Containers deeper than this start folded.
const OPEN_DEPTH_MAX: usize = 4;
/// Room that a row keeps for a value before it tells more.
const SCALAR_CELLS: usize = 24;
/// Widest column of keys.
const KEY_CELLS_MAX: usize = 20;

/// Whether a leaf became what it is a moment ago.
fn is_fresh(open: &Open<'_>, node: NodeId, step: StepNo) -> bool {
    let live = &open.session.live;
    live.fresh.is_some() && open.tree().leaf(node, step).is_some_and(|leaf| live.is_fresh(leaf.changed))
}

/// What a row of the state pane stands for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Place {
    /// A kind that has several instances.
    Group(String),
    /// An identity.
    Identity(IdentityId),
    /// A value.
    Node(NodeId),
    /// A value that this step removed.
    Gone(NodeId),
}

/// One row before it is text.
#[derive(Debug, Clone)]
pub struct Line {
    /// What it stands for.
    pub place: Place,
    /// Indentation, in levels.
    pub depth: usize,
    /// Whether it is unfolded; None for what cannot be.
    pub is_open: Option<bool>,
    root: Option<NodeId>,
    key: Option<Key>,
}

/// All visible rows of one step, kept until the step, a fold or the run changes.
#[derive(Debug)]
pub struct Outline {
    lines: Vec<Line>,
    changes: Changes,
    /// Rows that show what the step changed, in order, each with how many changes it and those above it show.
    changed: Vec<(usize, usize)>,
    step: StepNo,
}

impl Outline {
    /// The rows.
    #[must_use]
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }
}

type CacheKey = (u64, StepNo, u64, StepNo);

/// Cursor, folds and scroll of the state pane. Folds and cursor are by node, so they stay through steps.
#[derive(Debug, Default)]
pub struct StatePane {
    /// Scroll; its cursor is the row of `at`.
    pub scroll: Scroll,
    /// Whether the gutter tells who and when, not only the step.
    pub is_blaming: bool,
    at: Option<Place>,
    folds: HashMap<Place, bool>,
    fold_version: u64,
    kept: kept::Kept,
    cache: std::cell::RefCell<Option<(CacheKey, Rc<Outline>)>>,
}

impl StatePane {
    /// The rows at the step in focus.
    #[must_use]
    pub fn outline(&self, open: &Open<'_>) -> Rc<Outline> {
        let key = (open.session.generation, open.step(), self.fold_version, open.session.checks.judged());
        if let Some((cached, outline)) = &*self.cache.borrow()
            && *cached == key
        {
            return Rc::clone(outline);
        }
        let outline = Rc::new(self.build(open));
        *self.cache.borrow_mut() = Some((key, Rc::clone(&outline)));
        outline
    }

    /// Forgets cursor and folds: another trajectory was opened.
    pub fn reset(&mut self) {
        *self = Self { is_blaming: self.is_blaming, fold_version: self.fold_version + 1, ..Self::default() };
    }

    fn build(&self, open: &Open<'_>) -> Outline {
        let step = open.step();
        let identities = open.tree().identities(step);
        let changes = Changes::at(open, step, &identities);
        let mut outline = Outline { lines: Vec::new(), changes, changed: Vec::new(), step };
        let mut done: HashSet<String> = HashSet::new();
        for view in &identities {
            let kind = &open.tree().identity(view.id).kind;
            if !done.insert(kind.clone()) {
                continue;
            }
            let same: Vec<&IdentityView> =
                identities.iter().filter(|v| open.tree().identity(v.id).kind == *kind).collect();
            if same.len() == 1 {
                self.identity(open, &mut outline, view, 0);
                continue;
            }
            let place = Place::Group(kind.clone());
            let is_open = *self.folds.get(&place).unwrap_or(&true);
            outline.lines.push(Line { place, depth: 0, is_open: Some(is_open), root: None, key: None });
            if is_open {
                for view in same {
                    self.identity(open, &mut outline, view, 1);
                }
            }
        }
        outline.count(open);
        outline
    }

    fn identity(&self, open: &Open<'_>, outline: &mut Outline, view: &IdentityView, depth: usize) {
        let place = Place::Identity(view.id);
        let is_container = matches!(view.shape, Some(Shape::Object | Shape::Array));
        let is_open = *self.folds.get(&place).unwrap_or(&true);
        outline.lines.push(Line { place, depth, is_open: is_container.then_some(is_open), root: view.root, key: None });
        if let (true, true, Some(root)) = (is_container, is_open, view.root) {
            self.children(open, outline, root, depth + 1);
        }
    }

    fn children(&self, open: &Open<'_>, outline: &mut Outline, node: NodeId, depth: usize) {
        for child in open.tree().children(node, outline.step) {
            let is_container = matches!(child.shape, Shape::Object | Shape::Array);
            let place = Place::Node(child.node);
            let is_open = is_container
                && self.folds.get(&place).copied().unwrap_or_else(|| {
                    depth <= OPEN_DEPTH_MAX && open.tree().child_count(child.node, outline.step) <= OPEN_CHILDREN_MAX
                });
            let line =
                Line { place, depth, is_open: is_container.then_some(is_open), root: None, key: Some(child.key) };
            outline.lines.push(line);
            if is_open {
                self.children(open, outline, child.node, depth + 1);
            }
        }
        for (gone, key) in outline.changes.gone.get(&Some(node)).cloned().unwrap_or_default() {
            outline.lines.push(Line { place: Place::Gone(gone), depth, is_open: None, root: None, key: Some(key) });
        }
    }

    /// Moves the cursor by rows; returns the path that is now in focus.
    pub fn move_by(&mut self, open: &Open<'_>, delta: isize) -> Option<(Identity, Vec<Key>)> {
        let outline = self.outline(open);
        self.sync(&outline);
        self.scroll.move_by(delta, outline.lines.len());
        self.take(open, &outline)
    }

    /// Puts the cursor on a row of the outline.
    pub fn move_to(&mut self, open: &Open<'_>, row: usize) -> Option<(Identity, Vec<Key>)> {
        let outline = self.outline(open);
        self.scroll.cursor = row.min(outline.lines.len().saturating_sub(1));
        self.take(open, &outline)
    }

    fn take(&mut self, open: &Open<'_>, outline: &Outline) -> Option<(Identity, Vec<Key>)> {
        let line = outline.lines.get(self.scroll.cursor)?;
        self.at = Some(line.place.clone());
        focus_of(open, &line.place)
    }

    /// Puts the row index where the cursor's place stands in this outline; a place that is not shown leaves the row.
    pub fn sync(&mut self, outline: &Outline) {
        let Some(at) = &self.at else { return };
        let same = |place: &Place| match (place, at) {
            (Place::Node(a) | Place::Gone(a), Place::Node(b) | Place::Gone(b)) => a == b,
            (a, b) => a == b,
        };
        if let Some(i) = outline.lines.iter().position(|l| same(&l.place)) {
            self.scroll.cursor = i;
        }
    }

    /// Unfolds the row under the cursor, or goes to its first child.
    pub fn unfold(&mut self, open: &Open<'_>) -> Option<(Identity, Vec<Key>)> {
        match self.line(open)?.is_open {
            Some(false) => self.set_fold(open, true),
            Some(true) => return self.move_by(open, 1),
            None => {}
        }
        self.move_by(open, 0)
    }

    /// Folds the row under the cursor, or goes to its parent.
    pub fn fold(&mut self, open: &Open<'_>) -> Option<(Identity, Vec<Key>)> {
        let line = self.line(open)?;
        if line.is_open == Some(true) {
            self.set_fold(open, false);
            return self.move_by(open, 0);
        }
        let outline = self.outline(open);
        let up = outline.lines[..self.scroll.cursor].iter().rposition(|l| l.depth < line.depth);
        up.and_then(|row| self.move_to(open, row))
    }

    /// Turns the fold under the cursor over.
    pub fn toggle(&mut self, open: &Open<'_>) -> Option<(Identity, Vec<Key>)> {
        if let Some(is_open) = self.line(open)?.is_open {
            self.set_fold(open, !is_open);
        }
        self.move_by(open, 0)
    }

    /// Folds or unfolds every row that can be, at the levels that are shown; returns the path that is now under the
    /// cursor, which goes up to what is left to be seen of its place.
    pub fn fold_all(&mut self, open: &Open<'_>, is_open: bool) -> Option<(Identity, Vec<Key>)> {
        let outline = self.outline(open);
        for line in outline.lines.iter().filter(|l| l.is_open.is_some()) {
            if is_open || line.depth > 0 {
                self.folds.insert(line.place.clone(), is_open);
            }
        }
        self.fold_version += 1;
        let folded = match &self.at {
            Some(Place::Node(node) | Place::Gone(node)) => Some(open.tree().path(*node)),
            _ => None,
        };
        let outline = self.outline(open);
        if let Some((id, path)) = folded {
            self.rest_on(open, &outline, id, &path);
        }
        self.sync(&outline);
        self.take(open, &outline)
    }

    fn set_fold(&mut self, open: &Open<'_>, is_open: bool) {
        if let Some(line) = self.line(open) {
            self.folds.insert(line.place, is_open);
            self.fold_version += 1;
        }
    }

    fn line(&mut self, open: &Open<'_>) -> Option<Line> {
        let outline = self.outline(open);
        self.sync(&outline);
        outline.lines.get(self.scroll.cursor).cloned()
    }

    /// Unfolds what hides a path and puts the cursor there (or on the nearest row above it that is shown).
    pub fn reveal(&mut self, open: &Open<'_>, identity: &Identity, path: &[Key]) {
        let Some(id) = open.tree().find(identity) else { return };
        self.folds.insert(Place::Group(identity.kind.clone()), true);
        self.folds.insert(Place::Identity(id), true);
        for end in 1..path.len() {
            if let Some(node) = open.tree().node(id, &path[..end]) {
                self.folds.insert(Place::Node(node), true);
            }
        }
        self.fold_version += 1;
        let outline = self.outline(open);
        self.rest_on(open, &outline, id, path);
    }

    /// Puts the cursor on a path, or on the nearest row above it that is shown.
    fn rest_on(&mut self, open: &Open<'_>, outline: &Outline, id: IdentityId, path: &[Key]) {
        for end in (0..=path.len()).rev() {
            let place = match (end, open.tree().node(id, &path[..end])) {
                (0, _) => Place::Identity(id),
                (_, Some(node)) => Place::Node(node),
                (_, None) => continue,
            };
            let gone = if let Place::Node(n) = place { Place::Gone(n) } else { place.clone() };
            if let Some(row) = outline.lines.iter().position(|l| l.place == place || l.place == gone) {
                self.at = Some(outline.lines[row].place.clone());
                self.scroll.jump_to(row);
                return;
            }
        }
    }

    /// The visible rows as text; `is_marked` shows the cursor.
    #[must_use]
    pub fn window(&self, open: &Open<'_>, extent: Extent, is_marked: bool) -> Window {
        let outline = self.outline(open);
        let total = outline.lines.len();
        if total == 0 {
            return Window::notice(&empty_notice(open), extent.width);
        }
        // Where the pane has no height it is not scrolled to what there is.
        let range = self.scroll.top.min(total)..total.min(self.scroll.top + extent.height);
        let column = value_column(&outline.lines[range.clone()], extent.width);
        let marked = marks::values(open);
        let rows = range
            .map(|i| {
                let line = &outline.lines[i];
                let row = self.row(open, &outline, line, column, extent.width);
                let mark = match line.place {
                    Place::Node(node) => marks::of_node(open, &marked, node),
                    _ => None,
                };
                marks::beside(row, mark).hit(Hit::Row(i)).cursor(i == self.scroll.cursor && is_marked)
            })
            .collect();
        Window { rows, top: self.scroll.top, total }
    }

    fn row(&self, open: &Open<'_>, outline: &Outline, line: &Line, column: usize, cells: usize) -> Row {
        let node = match line.place {
            Place::Node(n) | Place::Gone(n) => Some(n),
            Place::Identity(_) => line.root,
            Place::Group(_) => None,
        };
        let op = node.and_then(|n| op(open, outline, n));
        let (sign, sign_role) = match (op, &line.place) {
            (_, Place::Gone(_)) => ("− ", Role::Removed),
            (Some(EventOp::Add), _) => ("+ ", Role::Added),
            (Some(EventOp::Change), _) => ("~ ", Role::Changed),
            (Some(EventOp::Same), _) => ("= ", Role::Dim),
            (None, Place::Node(n)) if is_fresh(open, *n, outline.step) => ("• ", Role::Changed),
            _ => ("  ", Role::Dim),
        };
        let indent = indent_of(line.depth, cells);
        let key_cells = column.saturating_sub(indent);
        let mut left = vec![
            Piece::of(sign_role, sign),
            Piece::of(Role::Text, &" ".repeat(indent)),
            Piece::safe(
                Role::Punct,
                SafeText::literal(match line.is_open {
                    Some(true) => "▾ ",
                    Some(false) => "▸ ",
                    None => "  ",
                }),
            ),
        ];
        left.extend(self.name(open, line, key_cells, op));
        let mut right = Vec::new();
        if let Some(node) = node {
            self.put_value(open, outline, line, node, op, &mut left, &mut right);
            let is_folded = line.is_open == Some(false) && outline.changes.invalid_below.contains(&node);
            if outline.changes.invalid.contains(&node) || is_folded {
                left.push(Piece::of(Role::Error, if line.is_open == Some(true) { "✗" } else { "  ✗" }));
            }
        }
        if let Place::Identity(id) = line.place {
            let name = indent + width(&open.tree().identity(id).kind) + 8;
            let value = if line.is_open.is_none() { SCALAR_CELLS } else { 0 };
            right.splice(0..0, value::note(open, id, outline.step, cells.saturating_sub(name + value)));
        }
        Row::new(left).right(right).fixed(1)
    }

    fn name(&self, open: &Open<'_>, line: &Line, key_cells: usize, op: Option<EventOp>) -> Vec<Piece> {
        match &line.place {
            Place::Group(kind) => vec![Piece::of(Role::Kind, &format!("¶{kind}"))],
            Place::Identity(id) => {
                let identity = open.tree().identity(*id);
                if line.depth > 0 {
                    let name = identity.instance.as_deref().unwrap_or("global");
                    return vec![Piece::of(Role::Instance, name), Piece::of(Role::Text, "  ")];
                }
                let mut out = vec![Piece::of(Role::Kind, &format!("¶{}", identity.kind))];
                if let Some(instance) = &identity.instance {
                    out.push(Piece::of(Role::Instance, &format!(" {instance}")));
                }
                out.push(Piece::of(Role::Text, "  "));
                out
            }
            Place::Node(_) | Place::Gone(_) => {
                let name = match &line.key {
                    Some(Key::Index(i)) => format!("[{i}]"),
                    Some(Key::Name(n)) => n.to_string(),
                    None => String::new(),
                };
                let role = match op {
                    Some(EventOp::Add) => Role::Added,
                    Some(EventOp::Change) => Role::Changed,
                    _ if matches!(line.place, Place::Gone(_)) => Role::Removed,
                    _ => Role::JsonKey,
                };
                let text = if name.is_empty() { SafeText::literal("\"\"") } else { SafeText::of(&name) };
                let cells = if line.is_open.is_some() { width(text.as_str()) } else { key_cells.max(1) };
                vec![Piece::safe(role, pad(&text, cells)), Piece::of(Role::Text, "  ")]
            }
        }
    }

    #[allow(clippy::too_many_arguments, reason = "one row's parts, built in one place")]
    fn put_value(
        &self,
        open: &Open<'_>,
        outline: &Outline,
        line: &Line,
        node: NodeId,
        op: Option<EventOp>,
        left: &mut Vec<Piece>,
        right: &mut Vec<Piece>,
    ) {
        let step = outline.step;
        if matches!(line.place, Place::Gone(_)) {
            left.push(Piece::of(Role::Dim, "gone"));
            left.extend(was(open, node, step));
            right.push(Piece::of(Role::BlameNew, &format!(" @{step}")));
            return;
        }
        if line.is_open.is_some() {
            if line.is_open == Some(false) {
                let n = open.tree().child_count(node, step);
                left.push(Piece::of(Role::Dim, &value::count_of(n, "value")));
            }
            if let Some(n) = outline.changes.below.get(&node).filter(|_| line.is_open == Some(false)) {
                let is_new = open.tree().shape(node, step - 1).is_none();
                let (role, sign) = if is_new { (Role::Added, '+') } else { (Role::Changed, '~') };
                left.push(Piece::of(role, &format!("  {sign}{n}")));
            }
            if outline.changes.below.contains_key(&node) && is_container(open, node, step - 1) == Some(false) {
                left.extend(was(open, node, step));
            }
            return;
        }
        let Some(leaf) = open.tree().leaf(node, step) else { return };
        left.push(value::stored(&leaf.value, open.bytes()));
        if op == Some(EventOp::Change) {
            left.extend(was(open, node, step));
        }
        let is_new = leaf.step == step || open.session.live.is_fresh(leaf.step);
        let role = if is_new { Role::BlameNew } else { Role::Blame };
        let (id, _) = open.tree().path(node);
        if self.is_blaming {
            let who = open.run().credit(id, leaf.step, open.bytes()).who.unwrap_or_default();
            right.push(Piece::of(Role::Dim, &format!(" {who}")));
        }
        right.push(Piece::of(role, &format!(" {}", at(leaf.step))));
    }
}

/// A step as the gutter names it.
#[must_use]
pub fn at(step: StepNo) -> String {
    if step == HEAD { "head".to_owned() } else { format!("@{step}") }
}

fn focus_of(open: &Open<'_>, place: &Place) -> Option<(Identity, Vec<Key>)> {
    match place {
        Place::Group(_) => None,
        Place::Identity(id) => Some((open.tree().identity(*id).clone(), Vec::new())),
        Place::Node(node) | Place::Gone(node) => Some(open.path_of(*node)),
    }
}

fn empty_notice(open: &Open<'_>) -> Vec<&'static str> {
    if open.session.format.name() == "generic" {
        vec![
            "No state: these are generic records.",
            "No format claims this file, so nothing is known about how its records merge.",
            "obelus formats FILE says why; --format NAME reads it as another format.",
        ]
    } else {
        vec!["No state yet.", "Nothing was written up to this step. Step on with `.`, or press `>` for the next write."]
    }
}

/// Cells by which a row is indented. Deep values go no further in than half of the width, so that they can be seen.
fn indent_of(depth: usize, cells: usize) -> usize {
    (depth * if cells < 50 { 1 } else { 2 }).min(cells / 2)
}

/// Where values begin, so that they stand in one column: behind the widest visible key, its indentation included.
fn value_column(lines: &[Line], pane: usize) -> usize {
    let cells = |line: &Line| {
        let key = match line.key.as_ref().filter(|_| line.is_open.is_none())? {
            Key::Index(i) => i.to_string().len() + 2,
            Key::Name(n) => width(SafeText::of(n).as_str()),
        };
        Some(indent_of(line.depth, pane) + key.min(KEY_CELLS_MAX))
    };
    lines.iter().filter_map(cells).max().unwrap_or(0)
}
