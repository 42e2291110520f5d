//! What the step in focus changed, above the tree: always in view, wherever the tree is scrolled to.

use super::changes::was;
use super::{Line, Open, Outline, Place, StatePane};
use crate::json::Key;
use crate::panes::{Extent, Hit, Piece, Row, value};
use crate::state::{EventOp, NodeId};
use crate::text::{Role, SafeText, pad, width};
use std::collections::HashSet;

/// The block takes at most this part of the pane's height.
const PART_OF_HEIGHT: usize = 3;
/// Fewest rows of a block: its title, a change, the line below it.
const ROWS_MIN: usize = 3;
/// Most writes of a step that are looked at for the block.
const WRITES_MAX: usize = 10_000;
/// Kinds of the state that count what the run does (D20, W5).
const COUNTING: [&str; 4] = ["conversation", "tool", "call", "usage"];
/// Widest column of paths.
const PATH_CELLS_MAX: usize = 32;

/// A value that the step changed.
#[derive(Debug, Clone, Copy)]
struct Change {
    node: NodeId,
    op: EventOp,
}

impl StatePane {
    /// The rows above the tree; none where the step changed nothing, or the pane is too low.
    #[must_use]
    pub fn changed_here(&self, open: &Open<'_>, extent: Extent) -> Vec<Row> {
        let room = extent.height / PART_OF_HEIGHT;
        let outline = self.outline(open);
        // Where nothing stood before, all of the tree is what changed.
        let is_first = open.tree().identities(outline.step - 1).is_empty();
        if room < ROWS_MIN || is_first || outline.changed.is_empty() {
            return Vec::new();
        }
        let (changes, has_more) = changes(open, outline.step);
        if changes.is_empty() {
            return Vec::new();
        }
        let shown = changes.len().min(room - 2);
        let mark = if has_more { "≥ " } else { "" };
        let mut rows = vec![title(open, &changes, &format!("{mark}{}", changes.len()))];
        let names: Vec<SafeText> = changes.iter().take(shown).map(|change| name(open, change.node)).collect();
        let column = names.iter().map(|name| width(name.as_str())).max().unwrap_or(0);
        let column = column.min(PATH_CELLS_MAX).min(extent.width / 2);
        for (change, name) in changes.iter().zip(&names) {
            rows.push(row(open, &outline, *change, &pad(name, column)));
        }
        if let Some(last) = rows.last_mut().filter(|_| changes.len() > shown) {
            last.right = vec![Piece::of(Role::Dim, &format!(" {} more ]c", changes.len() - shown))];
        }
        rows.push(self.divider(open, &outline, extent.width));
        rows
    }

    /// The line below the block names what the first row shown stands in.
    fn divider(&self, open: &Open<'_>, outline: &Outline, cells: usize) -> Row {
        let names = self.above_first(open, outline);
        let told = if names.is_empty() { String::new() } else { format!(" {} ", names.join(" › ")) };
        let mut left = vec![Piece::of(Role::Border, "──"), Piece::of(Role::Dim, &told)];
        let rest = cells.saturating_sub(2 + left[1].width());
        left.push(Piece::of(Role::Border, &"─".repeat(rest)));
        Row::new(left).remark()
    }

    fn above_first(&self, open: &Open<'_>, outline: &Outline) -> Vec<String> {
        let Some(first) = outline.lines.get(self.scroll.top) else { return Vec::new() };
        let (mut depth, mut names) = (first.depth, Vec::new());
        for line in outline.lines[..self.scroll.top].iter().rev() {
            if line.depth < depth {
                depth = line.depth;
                names.extend(container_name(open, line));
            }
            if depth == 0 {
                break;
            }
        }
        names.reverse();
        names
    }
}

/// What a container is called in its row.
fn container_name(open: &Open<'_>, line: &Line) -> Option<String> {
    Some(match &line.place {
        Place::Group(kind) => format!("¶{kind}"),
        Place::Identity(id) => {
            let identity = open.tree().identity(*id);
            let instance = identity.instance.as_deref().unwrap_or_default();
            if line.depth == 0 {
                format!("¶{} {instance}", identity.kind).trim_end().to_owned()
            } else {
                instance.to_owned()
            }
        }
        _ => match line.key(open)? {
            Key::Index(index) => format!("[{index}]"),
            Key::Name(name) => name.to_string(),
        },
    })
}

/// What a step changed, in the order of its writes; whether there is more.
fn changes(open: &Open<'_>, step: crate::model::StepNo) -> (Vec<Change>, bool) {
    let tree = open.tree();
    let mut seen = HashSet::new();
    let mut writes = tree.writes_at(step);
    let looked = writes.by_ref().take(WRITES_MAX);
    let changed = looked.filter(|(node, op)| *op != EventOp::Same && seen.insert(*node));
    let changes = changed.map(|(node, _)| node).collect::<Vec<_>>().into_iter();
    let now = changes.filter_map(|node| tree.last_at(node, step).map(|op| Change { node, op }));
    let mut now: Vec<Change> = now.collect();
    // What counts steps and calls is told last: it changes with every step.
    now.sort_by_key(|change| COUNTING.contains(&&*tree.identity(tree.path(change.node).0).kind));
    (now, writes.next().is_some())
}

fn title(open: &Open<'_>, changes: &[Change], count: &str) -> Row {
    let step = open.step();
    let author = changes.iter().find_map(|change| Some((change.node, open.tree().leaf(change.node, step)?.step)));
    let who = author.and_then(|(node, author)| {
        let (id, _) = open.tree().path(node);
        open.run().attribution(id, author, open.bytes()).who
    });
    let told = who.map_or_else(|| " changed here".to_owned(), |who| format!(" changed here by {who}"));
    Row::new(vec![Piece::of(Role::Changed, &told)]).right(vec![Piece::of(Role::Dim, &format!("{count} "))]).remark()
}

/// A value in few words: what it belongs to, and its path.
fn name(open: &Open<'_>, node: NodeId) -> SafeText {
    let (id, path) = open.tree().path(node);
    let identity = open.tree().identity(id);
    let folder = open.folder();
    let instance = identity.instance.as_deref().map(|name| name.strip_prefix(&*folder).unwrap_or(name));
    let owner = instance.filter(|name| *name != "main").unwrap_or(&identity.kind);
    let path: String = path
        .iter()
        .map(|key| match key {
            Key::Index(index) => format!("[{index}]"),
            Key::Name(name) => format!(".{name}"),
        })
        .collect();
    SafeText::of(&format!("{owner}{path}"))
}

fn row(open: &Open<'_>, outline: &Outline, change: Change, name: &SafeText) -> Row {
    let (sign, role) = match change.op {
        EventOp::Add => ("+ ", Role::Added),
        EventOp::Drop | EventOp::Reset => ("− ", Role::Removed),
        _ => ("~ ", Role::Changed),
    };
    let mut left = vec![Piece::of(role, sign), Piece::safe(role, name.clone()), Piece::of(Role::Text, "  ")];
    if let Some(leaf) = open.tree().leaf(change.node, outline.step) {
        left.push(value::stored(&leaf.value, open.bytes()));
    }
    if change.op != EventOp::Add {
        left.extend(was(open, change.node, outline.step));
    }
    let right =
        if outline.changes.invalid.contains(&change.node) { vec![Piece::of(Role::Error, " ✗ ")] } else { Vec::new() };
    Row::new(left).fixed(2).right(right).hit(Hit::None).remark()
}
