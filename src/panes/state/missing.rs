//! What the schema has and the data lacks, as rows that are no data (A20).

use super::{MissingRow, Outline, StateLine, StatePane, StateRowTarget};
use crate::json::Key;
use crate::panes::Open;
use crate::panes::properties::ROWS_MAX;
use crate::state::{IdentityId, NodeId};
use std::rc::Rc;

impl StatePane {
    /// Looks up the schema that describes an identity; whether there is one.
    pub(super) fn schema(&self, open: &Open<'_>, outline: &mut Outline, id: IdentityId) -> bool {
        // A schema of errors describes each of them, not the value (A11).
        if self.hides_descriptions || open.run().has_schema_of_elements(id) {
            return false;
        }
        let shape = self.shapes.borrow_mut().of(open, id, outline.step);
        let is_there = shape.is_some();
        outline.shapes.extend(shape.map(|shape| (id, shape)));
        is_there
    }

    /// Adds a row for each property that an object lacks, of many for the first few. What the step in focus removed has
    /// a row already.
    pub(super) fn missing(
        &self,
        open: &Open<'_>,
        outline: &mut Outline,
        schema: Option<(IdentityId, u32)>,
        node: Option<NodeId>,
        present: &[Key],
        depth: usize,
    ) {
        let Some((id, at)) = schema else { return };
        let room = ROWS_MAX.saturating_sub(outline.missing.get(&id).copied().unwrap_or(0));
        let Some(shape) = outline.shapes.get(&id).map(Rc::clone).filter(|_| room > 0) else { return };
        let gone = node.and_then(|_| outline.changes.gone.get(&node)).map_or(&[][..], Vec::as_slice);
        let keys = present.iter().chain(gone.iter().map(|(_, key)| key));
        let names = keys.filter_map(|key| match key {
            Key::Name(name) => Some(name.as_ref()),
            Key::Index(_) => None,
        });
        let missing = shape.missing(at, &names.collect(), room);
        if missing.shown.is_empty() {
            return;
        }
        let path = node.map(|node| open.tree().path(node).1).unwrap_or_default();
        *outline.missing.entry(id).or_default() += missing.shown.len();
        for property in missing.shown {
            let key = Key::name(&property.name);
            let place = StateRowTarget::Missing(id, path.iter().cloned().chain([key]).collect());
            let schema = Some((id, property.node));
            let line = StateLine::new(place, depth, None);
            outline.lines.push(StateLine { schema, missing: Some(Box::new(MissingRow::One(property))), ..line });
        }
        if missing.more > 0 {
            let line = StateLine::new(StateRowTarget::MoreMissing(id, path.into()), depth, None);
            outline.lines.push(StateLine { schema, missing: Some(Box::new(MissingRow::More(missing.more))), ..line });
        }
    }

    /// Keeps the cursor at its path where a step gives a value to what was missing, or takes it away again.
    pub fn keep_at_path(&mut self, open: &Open<'_>) {
        let is_there = |node: &NodeId| open.tree().shape(*node, open.step()).is_some();
        let other = match &self.at {
            Some(StateRowTarget::Missing(id, path)) => {
                open.tree().node(*id, path).filter(is_there).map(StateRowTarget::Node)
            }
            Some(StateRowTarget::Node(node)) if !is_there(node) => {
                let (id, path) = open.tree().path(*node);
                let missing = StateRowTarget::Missing(id, path.into());
                let outline = self.outline(open);
                let has_row = outline.has_missing() && outline.lines.iter().any(|line| line.place == missing);
                has_row.then_some(missing)
            }
            _ => None,
        };
        if other.is_some() {
            self.at = other;
        }
    }

    /// How many schemas were read so far for what is in the pane; equal ones count once.
    #[must_use]
    pub fn schemas_read(&self) -> usize {
        self.shapes.borrow().schemas_read()
    }

    /// Shows descriptions and missing properties, or leaves them out.
    pub fn toggle_descriptions(&mut self) {
        self.hides_descriptions = !self.hides_descriptions;
        self.fold_version += 1;
    }

    /// The part of the schema that the row under the cursor stands for, where it stands for no data.
    pub fn missing_node(&mut self, open: &Open<'_>) -> Option<u32> {
        let line = self.line(open)?;
        line.missing.and(line.schema).map(|(_, node)| node)
    }
}
