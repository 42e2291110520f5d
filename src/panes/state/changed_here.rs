//! What the step in focus changed, above the tree: always in view, wherever the tree is scrolled to.

use super::changes::was;
use super::kinds::{counter_words, file_words, has_file_words};
use super::{Open, Outline, StateLine, StatePane, StateRowTarget};
use crate::json::Key;
use crate::model::StepNo;
use crate::panes::{Extent, Hit, Piece, Row, value};
use crate::state::{EventOp, NodeId};
use crate::text::{Role, SafeText, cut_path, pad, width};
use std::collections::HashSet;

/// Whether the values of a kind count what the run does, so that they change with nearly every step.
pub(in crate::panes) fn counts(kind: &str) -> bool {
    COUNTING.contains(&kind)
}

/// The block takes at most this part of the pane's height.
const PART_OF_HEIGHT: usize = 3;
/// Fewest rows of a block: a change, and the line below it; with one more it has a title.
const ROWS_MIN: usize = 2;
/// Most writes of a step that are looked at for the block.
const WRITES_MAX: usize = 10_000;
/// Most counters in their row.
const COUNTERS_MAX: usize = 16;
/// Kinds of the state that count what the run does (D20, W5).
const COUNTING: [&str; 4] = ["conversation", "tool", "call", "usage"];
/// Widest column of paths.
const PATH_CELLS_MAX: usize = 32;

/// Most changes whose rows can be shown.
const CHANGES_MAX: usize = 256;

/// A value that the step changed.
#[derive(Debug, Clone, Copy)]
struct Change {
    node: NodeId,
    op: EventOp,
    /// Whether it is a file as a whole, which says in words what was done to it.
    is_file: bool,
}

/// What a step changed, found once for all frames of the step.
#[derive(Debug, Default)]
pub(super) struct ChangedHere {
    /// The first ones.
    changes: Vec<Change>,
    /// How many there are.
    count: usize,
    /// What counts steps, calls and tokens: it changes with nearly every step, so it shares one row.
    counters: Vec<NodeId>,
    /// Whether the step writes more than was looked at.
    has_more: bool,
    /// Who wrote the first value.
    who: Option<String>,
}

/// Which rows the block has.
struct ShownRows {
    changes: usize,
    has_title: bool,
    has_counters: bool,
}

impl ShownRows {
    /// With the line below.
    fn rows(&self) -> usize {
        usize::from(self.has_title) + self.changes + usize::from(self.has_counters) + 1
    }
}

impl ChangedHere {
    /// What `step` changed. Nothing where the state began with it: all of the tree is what changed then.
    pub(super) fn at(open: &Open<'_>, step: StepNo) -> Self {
        let tree = open.tree();
        if tree.identities(step - 1).is_empty() {
            return Self::default();
        }
        let mut seen = HashSet::new();
        let mut writes = tree.writes_at(step);
        let looked = writes.by_ref().take(WRITES_MAX);
        let changed = looked.filter(|(node, op)| *op != EventOp::Same && seen.insert(*node));
        let nodes: Vec<NodeId> = changed.map(|(node, _)| node).collect();
        let is_counter = |node: &NodeId| counts(&tree.identity(tree.path(*node).0).kind);
        let (mut counters, others): (Vec<NodeId>, Vec<NodeId>) = nodes.into_iter().partition(is_counter);
        counters.truncate(COUNTERS_MAX);
        let mut files = HashSet::new();
        let now = others.into_iter().filter_map(|node| {
            let (id, _) = tree.path(node);
            let op = tree.last_at(node, step)?;
            let root = if has_file_words(open, id) { tree.view(id, step).and_then(|view| view.root) } else { None };
            match root {
                Some(_) if !files.insert(id) => None,
                Some(root) => {
                    let is_new = tree.view(id, step - 1).is_none_or(|view| view.root.is_none());
                    Some(Change { node: root, op: if is_new { EventOp::Add } else { EventOp::Change }, is_file: true })
                }
                None => Some(Change { node, op, is_file: false }),
            }
        });
        let mut changes: Vec<Change> = now.collect();
        let count = changes.len();
        changes.truncate(CHANGES_MAX);
        let who = author(open, &changes, step);
        Self { changes, count, counters, has_more: writes.next().is_some(), who }
    }

    /// What is shown where the pane is `height` rows high; None where the block does not fit.
    fn shown(&self, height: usize) -> Option<ShownRows> {
        let room = height / PART_OF_HEIGHT;
        if room < ROWS_MIN || (self.count == 0 && self.counters.is_empty()) {
            return None;
        }
        let has_title = self.count > 0 && room > ROWS_MIN;
        // Where there is room for one row, it is a change.
        let has_counters = !self.counters.is_empty() && (self.count == 0 || room > ROWS_MIN + 1);
        let room = room - 1 - usize::from(has_title) - usize::from(has_counters);
        Some(ShownRows { changes: self.changes.len().min(room), has_title, has_counters })
    }

    fn title(&self) -> Row {
        let who = self.who.as_ref().map_or_else(String::new, |who| format!(" by {who}"));
        let mark = if self.has_more { "≥ " } else { "" };
        let count = Piece::of(Role::Dim, &format!("{mark}{} ", self.count));
        Row::new(vec![Piece::of(Role::Changed, &format!(" changed here{who}"))]).right(vec![count]).remark()
    }
}

fn author(open: &Open<'_>, changes: &[Change], step: StepNo) -> Option<String> {
    let (node, author) = changes.iter().find_map(|c| Some((c.node, open.tree().newest(c.node, step)?.0)))?;
    let (id, _) = open.tree().path(node);
    open.run().attribution(id, author, open.bytes()).who
}

impl StatePane {
    /// The rows above the tree; none where the step changed nothing, or the pane is too low.
    #[must_use]
    pub fn changed_here(&self, open: &Open<'_>, extent: Extent) -> Vec<Row> {
        let outline = self.outline(open);
        let here = &outline.here;
        let Some(shown) = here.shown(extent.height) else { return Vec::new() };
        let changes = &here.changes[..shown.changes];
        let names: Vec<SafeText> = changes.iter().map(|change| name(open, change.node)).collect();
        let column = names.iter().map(|name| width(name.as_str())).max().unwrap_or(0);
        let column = column.min(PATH_CELLS_MAX).min(extent.width / 2);
        let mut rows = Vec::with_capacity(shown.rows());
        rows.extend(shown.has_title.then(|| here.title()));
        for (change, name) in changes.iter().zip(&names) {
            let name = pad(&cut_path(name, column), column);
            rows.push(self.changed_row(open, &outline, *change, &name, extent.width.saturating_sub(column + 4)));
        }
        if let Some(last) = rows.last_mut().filter(|_| here.count > shown.changes) {
            last.right = vec![Piece::of(Role::Dim, &format!(" {} more ]c", here.count - shown.changes))];
        }
        rows.extend(shown.has_counters.then(|| counters(open, outline.step, &here.counters, extent.width)));
        rows.push(self.divider(open, &outline, extent.width));
        rows
    }

    /// How many rows [`Self::changed_here`] has, without making them.
    #[must_use]
    pub fn changed_rows(&self, open: &Open<'_>, height: usize) -> usize {
        self.outline(open).here.shown(height).map_or(0, |shown| shown.rows())
    }

    fn changed_row(&self, open: &Open<'_>, outline: &Outline, change: Change, name: &SafeText, cells: usize) -> Row {
        let (sign, role) = match change.op {
            EventOp::Add => ("+ ", Role::Added),
            EventOp::Drop | EventOp::Reset => ("− ", Role::Removed),
            _ => ("~ ", Role::Changed),
        };
        let mut left = vec![Piece::of(role, sign), Piece::safe(role, name.clone()), Piece::of(Role::Text, "  ")];
        if change.is_file {
            left.extend(file_words(open, open.tree().path(change.node).0, cells));
            return Row::new(left).fixed(2).hit(Hit::None).remark();
        }
        let leaf = open.tree().leaf(change.node, outline.step);
        match leaf.as_ref().and_then(|leaf| self.digests.text(open, leaf)) {
            // What the text was before would be another long text: the History tab has it.
            Some(text) => left.extend(text.pieces()),
            None => {
                left.extend(leaf.map(|leaf| value::stored(&leaf.value, open.bytes())));
                left.extend(
                    (change.op != EventOp::Add).then(|| was(open, change.node, outline.step)).into_iter().flatten(),
                );
            }
        }
        let is_invalid = outline.changes.invalid.contains(&change.node);
        let right = if is_invalid { vec![Piece::of(Role::Error, " ✗ ")] } else { Vec::new() };
        Row::new(left).fixed(2).right(right).hit(Hit::None).remark()
    }

    /// The line below the block names what the first row shown is in.
    fn divider(&self, open: &Open<'_>, outline: &Outline, cells: usize) -> Row {
        let first = outline.lines.get(self.scroll.top);
        let names = first.map_or_else(Vec::new, |line| containers(open, line));
        let names = if names.is_empty() { String::new() } else { format!(" {} ", names.join(" › ")) };
        let mut left = vec![Piece::of(Role::Border, "──"), Piece::of(Role::Dim, &names)];
        let rest = cells.saturating_sub(2 + left[1].width());
        left.push(Piece::of(Role::Border, &"─".repeat(rest)));
        Row::new(left).remark()
    }
}

/// The names of what a row is in, from the outermost.
fn containers(open: &Open<'_>, line: &StateLine) -> Vec<String> {
    let (id, path) = match &line.place {
        StateRowTarget::Node(node) | StateRowTarget::Gone(node) => {
            let (id, path) = open.tree().path(*node);
            (id, path.clone())
        }
        StateRowTarget::Missing(id, path) | StateRowTarget::MoreMissing(id, path) => (*id, path.to_vec()),
        StateRowTarget::Identity(id) if line.depth > 0 => return vec![format!("¶{}", open.tree().identity(*id).kind)],
        _ => return Vec::new(),
    };
    let identity = open.tree().identity(id);
    let instance = identity.instance.as_deref().unwrap_or_default();
    // Where the kind has a row of its own, the path's rows lie one level deeper than the path is long.
    let is_grouped = line.depth as usize > path.len();
    let mut names = match (is_grouped, instance) {
        (true, _) => vec![format!("¶{}", identity.kind), instance.to_owned()],
        (false, "") => vec![format!("¶{}", identity.kind)],
        (false, _) => vec![format!("¶{} {instance}", identity.kind)],
    };
    let above = &path[..path.len().saturating_sub(1)];
    names.extend(above.iter().map(|key| match key {
        Key::Index(index) => format!("[{index}]"),
        Key::Name(name) => name.to_string(),
    }));
    names
}

/// A value in few words: what it belongs to, and its path.
fn name(open: &Open<'_>, node: NodeId) -> SafeText {
    let (owner, path) = owner_and_path(open, node);
    SafeText::of(&format!("{owner}{path}"))
}

fn owner_and_path(open: &Open<'_>, node: NodeId) -> (String, String) {
    let (id, path) = open.tree().path(node);
    let identity = open.tree().identity(id);
    let folder = open.folder();
    let instance = identity.instance.as_deref().map(|name| name.strip_prefix(&*folder).unwrap_or(name));
    let owner = instance.filter(|name| *name != "main").unwrap_or(&identity.kind);
    let keys = path.iter().map(|key| match key {
        Key::Index(index) => format!("[{index}]"),
        Key::Name(name) => format!(".{name}"),
    });
    (owner.to_owned(), keys.collect())
}

/// `¶usage 36 in · 711 out  ¶call 1 open call`: what counts, in one row.
fn counters(open: &Open<'_>, step: StepNo, nodes: &[NodeId], cells: usize) -> Row {
    let (mut pieces, mut last) = (vec![Piece::of(Role::Dim, "~ ")], String::new());
    let mut known = HashSet::new();
    for node in nodes {
        let (id, _) = open.tree().path(*node);
        if known.contains(&id) {
            continue;
        }
        if let Some(words) = counter_words(open, id, cells) {
            known.insert(id);
            let between = if pieces.len() > 1 { "  " } else { "" };
            pieces.push(Piece::of(Role::Dim, &format!("{between}¶{} ", open.tree().identity(id).kind)));
            pieces.extend(words);
            continue;
        }
        let (owner, path) = owner_and_path(open, *node);
        let between = if last.is_empty() { "" } else { " · " };
        let shown = if owner == last { path } else { format!("{owner}{path}") };
        pieces.push(Piece::of(Role::Dim, &format!("{between}{shown} ")));
        if let Some(leaf) = open.tree().leaf(*node, step) {
            pieces.push(Piece { role: Role::Dim, ..value::stored(&leaf.value, open.bytes()) });
        }
        last = owner;
    }
    Row::new(pieces).fixed(2).hit(Hit::None).remark()
}
