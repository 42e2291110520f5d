//! The conversation below the slots: its fields, each with what fills it (S20 to S22).

use super::super::{Open, Piece};
use super::{Outline, StateLine, StateRowTarget, at};
use crate::format::{ConversationField, Filler};
use crate::model::StepNo;
use crate::panes::row::pieces_width;
use crate::panes::value;
use crate::state::NodeId;
use crate::text::{Role, SafeText, pad};

/// Most values of routed slots that are read to show the conversation: a key press waits for it.
const VALUES_MAX: usize = 20_000;

/// Cells of the longest name of a field.
const NAME_CELLS: usize = 22;
/// Cells before the name of a field: sign, indentation and the mark of a fold.
const BEFORE_NAME: usize = 6;
/// Cells of a value that a source leaves.
const VALUE_CELLS: usize = 16;
/// In fewer cells values are right after the names.
const NARROW: usize = 50;

/// The conversation as rows.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    fields: Vec<ConversationField>,
    /// The slots hold more values than are read for it.
    is_too_long: bool,
}

/// Puts the conversation below the slots, if there is one.
pub(super) fn put(open: &Open<'_>, outline: &mut Outline, is_open: bool) {
    let (step, tree) = (outline.step, open.tree());
    let mut left = VALUES_MAX;
    let routed = tree.identities(step).into_iter().filter(|view| open.run().route(view.id, step).is_some());
    let is_short = routed.filter_map(|view| view.root).all(|root| is_within(open, root, step, &mut left));
    let fields = if is_short { open.run().conversation(step, open.bytes()) } else { Vec::new() };
    if fields.is_empty() && is_short {
        return;
    }
    outline.lines.push(StateLine::new(StateRowTarget::Conversation, 0, Some(is_open)));
    for (i, field) in fields.iter().enumerate().filter(|_| is_open) {
        let slot = match &field.filler {
            Filler::Slot(name) => tree.find(&crate::model::Identity::global(name)),
            Filler::Request(_) => None,
        };
        outline.lines.push(StateLine::new(StateRowTarget::Field(i, slot), 1, None));
    }
    outline.conversation = Conversation { fields, is_too_long: !is_short };
}

/// Whether a value has no more leaves than are left; takes them off.
pub(in crate::panes) fn is_within(open: &Open<'_>, node: NodeId, step: StepNo, left: &mut usize) -> bool {
    let count = open.tree().child_count(node, step);
    if count == 0 {
        let is_left = *left > 0;
        *left = left.saturating_sub(1);
        return is_left;
    }
    count <= *left && open.tree().children(node, step).iter().all(|child| is_within(open, child.node, step, left))
}

impl Conversation {
    /// A row of it: its heading, or a field after its value.
    pub(super) fn row(&self, line: &StateLine, cells: usize) -> Option<(Vec<Piece>, Vec<Piece>)> {
        match &line.place {
            StateRowTarget::Conversation => {
                let text = if self.is_too_long {
                    "its slots are too long to show it here; obelus state FILE prints it"
                } else {
                    "filled by the slots"
                };
                Some((
                    vec![Piece::of(Role::Kind, "conversation"), Piece::of(Role::Dim, &format!("  {text}"))],
                    Vec::new(),
                ))
            }
            StateRowTarget::Field(i, _) => {
                let field = self.fields.get(*i)?;
                let name = SafeText::of(field.name);
                let name = if cells < NARROW { name } else { pad(&name, NAME_CELLS) };
                let left =
                    vec![Piece::safe(Role::JsonKey, name), Piece::of(Role::Text, "  "), value::piece(&field.value)];
                let step = Piece::of(Role::Blame, &format!(" {}", at(field.step)));
                let taken = BEFORE_NAME + pieces_width(&left[..2]) + left[2].width().min(VALUE_CELLS) + step.width();
                Some((left, source(field, cells.saturating_sub(taken)).into_iter().chain([step]).collect()))
            }
            _ => None,
        }
    }
}

/// Where a field comes from, as much of it as there is room for.
fn source(field: &ConversationField, room: usize) -> Option<Piece> {
    let texts = match &field.filler {
        Filler::Slot(name) => vec![format!("  ← {name}")],
        Filler::Request(member) => vec![format!("  ← {member} of the pipeline"), format!("  ← {member}")],
    };
    texts.iter().map(|text| Piece::of(Role::Dim, text)).find(|piece| piece.width() <= room)
}
