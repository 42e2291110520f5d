//! Rows of the state pane as text.

use super::changes::{is_container, op, was};
use super::columns::{VALUE_CELLS_MIN, indent_of, key_cells_min};
use super::{MissingRow, Outline, StateLine, StatePane, StateRowTarget, at};
use crate::json::Key;
use crate::model::StepNo;
use crate::panes::properties;
use crate::panes::row::pieces_width;
use crate::panes::{Open, Piece, Row, value};
use crate::state::{EventOp, NodeId};
use crate::text::{Role, SafeText, cut, pad, width};
use std::rc::Rc;

/// Room that a row keeps for a value before it says more.
const SCALAR_CELLS: usize = 24;
/// Fewest cells in which a description is shown.
const DESCRIPTION_CELLS_MIN: usize = 16;
/// Cells that the left part of a row has at least.
const NAME_CELLS_MIN: usize = 8;

/// Whether a leaf became what it is a moment ago.
fn is_fresh(open: &Open<'_>, node: NodeId, step: StepNo) -> bool {
    let live = &open.session.live;
    live.fresh.is_some() && open.tree().leaf(node, step).is_some_and(|leaf| live.is_fresh(leaf.changed))
}

/// What the step did to what a row shows.
fn sign_of(open: &Open<'_>, outline: &Outline, line: &StateLine, op: Option<EventOp>) -> (&'static str, Role) {
    match (op, &line.place) {
        (_, StateRowTarget::Gone(_)) => ("− ", Role::Removed),
        (Some(EventOp::Add), _) => ("+ ", Role::Added),
        (Some(EventOp::Change), _) => ("~ ", Role::Changed),
        (Some(EventOp::Same), _) => ("= ", Role::Dim),
        (None, StateRowTarget::Node(n)) if is_fresh(open, *n, outline.step) => ("• ", Role::Changed),
        _ => ("  ", Role::Dim),
    }
}

impl StatePane {
    pub(super) fn row(&self, open: &Open<'_>, outline: &Outline, line: &StateLine, column: usize, cells: usize) -> Row {
        let node = match line.place {
            StateRowTarget::Node(n) | StateRowTarget::Gone(n) => Some(n),
            StateRowTarget::Identity(_) => line.root(open, outline.step),
            StateRowTarget::Group(_) | StateRowTarget::Missing(..) | StateRowTarget::MoreMissing(..) => None,
            StateRowTarget::Conversation | StateRowTarget::Field(..) => None,
        };
        let op = node.and_then(|n| op(open, outline, n));
        let (sign, sign_role) = sign_of(open, outline, line, op);
        let indent = indent_of(line.depth, cells);
        let key_cells = (column.saturating_sub(indent), key_cells_min(cells));
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
        let mut right = Vec::new();
        match outline.conversation.row(line, cells) {
            Some((name, source)) => {
                left.extend(name);
                right = source;
            }
            None => left.extend(self.name(open, line, key_cells, op)),
        }
        if let Some(node) = node {
            let name = pieces_width(&left);
            self.put_value(open, outline, line, node, op, &mut left, &mut right);
            let (value, room) = (pieces_width(&left) - name, cells.saturating_sub(name));
            if line.is_open.is_none() && room < value.min(VALUE_CELLS_MIN) + pieces_width(&right) {
                // Who wrote a value is in the line below the panes and in its history too.
                right.clear();
            }
            let is_folded = line.is_open == Some(false) && outline.changes.invalid_below.contains(&node);
            if outline.changes.invalid.contains(&node) || is_folded {
                left.push(Piece::of(Role::Error, if line.is_open == Some(true) { "✗" } else { "  ✗" }));
            }
        }
        if let StateRowTarget::Identity(id) = line.place {
            let name = indent + width(&open.tree().identity(id).kind) + 8;
            let value = if line.is_open.is_none() { SCALAR_CELLS } else { 0 };
            right.splice(0..0, value::note(open, id, outline.step, cells.saturating_sub(name + value)));
        }
        if let Some(lack) = &line.missing {
            let room = cells.saturating_sub(pieces_width(&left));
            left.extend(fitted(lack_pieces(outline, line, lack), room));
            return Row::new(left).fixed(1).remark();
        }
        let taken = pieces_width(&left).max(NAME_CELLS_MIN) + pieces_width(&right);
        if let Some(text) = self.description(open, outline, line)
            && let room = cells.saturating_sub(taken)
            && room >= DESCRIPTION_CELLS_MIN
        {
            // In the right part no search takes it for data.
            let text = SafeText::of(&format!("   {text}"));
            right.insert(0, Piece::safe(Role::Dim, pad(&cut(&text, room - 1), room)));
        }
        Row::new(left).right(right).fixed(1)
    }

    /// What is said of an identity or a value: by its messages, else by its schema (A20).
    fn description(&self, open: &Open<'_>, outline: &Outline, line: &StateLine) -> Option<Rc<str>> {
        match line.place {
            _ if self.hides_descriptions => None,
            StateRowTarget::Identity(id) => self.shapes.borrow_mut().description(open, id, outline.step),
            StateRowTarget::Node(_) => {
                let (id, at) = line.schema?;
                outline.shapes.get(&id)?.remark(at).description.as_deref().map(Rc::from)
            }
            _ => None,
        }
    }

    fn name(
        &self,
        open: &Open<'_>,
        line: &StateLine,
        (column, least): (usize, usize),
        op: Option<EventOp>,
    ) -> Vec<Piece> {
        match &line.place {
            StateRowTarget::Group(kind) => vec![Piece::of(Role::Kind, &format!("¶{kind}"))],
            StateRowTarget::Identity(id) => {
                let identity = open.tree().identity(*id);
                if line.depth > 0 {
                    let name = identity.instance.as_deref().unwrap_or("global");
                    return vec![Piece::of(Role::Instance, name), Piece::of(Role::Text, "  ")];
                }
                let mut out = vec![Piece::of(Role::Kind, &format!("¶{}", identity.kind))];
                if self.chosen.contains(&identity.kind) {
                    out.push(Piece::of(Role::Accent, " ✓"));
                }
                if let Some(instance) = &identity.instance {
                    out.push(Piece::of(Role::Instance, &format!(" {instance}")));
                }
                out.push(Piece::of(Role::Text, "  "));
                out
            }
            StateRowTarget::MoreMissing(..) | StateRowTarget::Conversation | StateRowTarget::Field(..) => Vec::new(),
            StateRowTarget::Node(_) | StateRowTarget::Gone(_) | StateRowTarget::Missing(..) => {
                let name = match line.key(open) {
                    Some(Key::Index(i)) => format!("[{i}]"),
                    Some(Key::Name(n)) => n.to_string(),
                    None => String::new(),
                };
                let role = match op {
                    Some(EventOp::Add) => Role::Added,
                    Some(EventOp::Change) => Role::Changed,
                    _ if matches!(line.place, StateRowTarget::Gone(_)) => Role::Removed,
                    _ if line.missing.is_some() => Role::Dim,
                    _ => Role::JsonKey,
                };
                let text = if name.is_empty() { SafeText::literal("\"\"") } else { SafeText::of(&name) };
                let needed = width(text.as_str());
                let cells = if line.is_open.is_some() { needed } else { column.max(needed.clamp(1, least)) };
                vec![Piece::safe(role, pad(&text, cells)), Piece::of(Role::Text, "  ")]
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one row's parts, built in one place")]
    fn put_value(
        &self,
        open: &Open<'_>,
        outline: &Outline,
        line: &StateLine,
        node: NodeId,
        op: Option<EventOp>,
        left: &mut Vec<Piece>,
        right: &mut Vec<Piece>,
    ) {
        let step = outline.step;
        if matches!(line.place, StateRowTarget::Gone(_)) {
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
        match self.digests.text(open, &leaf) {
            Some(text) => left.extend(text.pieces()),
            None => left.push(value::stored(&leaf.value, open.bytes())),
        }
        if op == Some(EventOp::Change) {
            left.extend(was(open, node, step));
        }
        let is_new = leaf.step == step || open.session.live.is_fresh(leaf.step);
        let role = if is_new { Role::BlameNew } else { Role::Blame };
        let (id, _) = open.tree().path(node);
        if self.is_blaming {
            let who = open.run().attribution(id, leaf.step, open.bytes()).who.unwrap_or_default();
            right.push(Piece::of(Role::Dim, &format!(" {who}")));
        }
        right.push(Piece::of(role, &format!(" {}", at(leaf.step))));
    }
}

/// What follows the name of what is missing.
fn lack_pieces(outline: &Outline, line: &StateLine, lack: &MissingRow) -> Vec<Piece> {
    match lack {
        MissingRow::More(count) => {
            vec![Piece::of(Role::Dim, &format!("… {} more in the schema", value::count_text(*count)))]
        }
        MissingRow::One(property) => {
            let shape = line.schema.and_then(|(id, _)| outline.shapes.get(&id));
            shape.map(|shape| properties::property_pieces(shape, property)).unwrap_or_default()
        }
    }
}

/// The first of some pieces, as far as there is room.
fn fitted(pieces: Vec<Piece>, room: usize) -> Vec<Piece> {
    let mut left = room;
    let fit = |piece: Piece| {
        let text = cut(&piece.text, left);
        left = left.saturating_sub(width(text.as_str()));
        Piece::safe(piece.role, text)
    };
    pieces.into_iter().map(fit).filter(|piece| piece.width() > 0).collect()
}
