//! The value of an identity as a schema's validator takes it, kept up by the events of each step.

use super::schema::plain_text;
use super::storage::versions::VersionContent;
use super::{NodeId, Tree};
use crate::json::Key;
use crate::model::cast;
use crate::model::{Bytes, StepNo};
use serde_json::{Map, Value as Plain};

impl Tree {
    /// The value at a node at a step; None where it is absent, too deep, or the input no longer holds it.
    pub(super) fn plain(&self, node: NodeId, step: StepNo, bytes: &dyn Bytes) -> Option<Plain> {
        self.plain_at(node, self.limit(step), bytes)
    }

    /// Brings the value at `root` up to a step from the one before; `touched` are the nodes below `root` at which the
    /// step has events, in any order. None as [`Tree::plain`].
    pub(super) fn bring_up(
        &self,
        value: &mut Plain,
        root: NodeId,
        step: StepNo,
        touched: &[NodeId],
        bytes: &dyn Bytes,
    ) -> Option<()> {
        let limit = self.limit(step);
        touched.iter().try_for_each(|node| self.put(value, root, &self.path(*node).1, limit, bytes))
    }

    fn plain_at(&self, node: NodeId, limit: u32, bytes: &dyn Bytes) -> Option<Plain> {
        Some(match self.at(node, limit)?.what {
            VersionContent::Absent => return None,
            VersionContent::Leaf(location) => plain_text(&self.versions.value(location).text(bytes).ok()?)?,
            VersionContent::EmptyObject => Plain::Object(Map::new()),
            VersionContent::EmptyArray => Plain::Array(Vec::new()),
            VersionContent::Array(_) => {
                let items = self.children_at(node, limit).into_iter().map(|child| self.plain_at(child, limit, bytes));
                Plain::Array(items.collect::<Option<_>>()?)
            }
            VersionContent::Object(_) => {
                let members = self.children_at(node, limit).into_iter();
                let members =
                    members.map(|child| Some((self.name(child).to_owned(), self.plain_at(child, limit, bytes)?)));
                Plain::Object(members.collect::<Option<Map<_, _>>>()?)
            }
        })
    }

    /// Makes the value at a path what the tree has there below a limit. Containers on the way that are others than
    /// before are rebuilt whole.
    fn put(&self, value: &mut Plain, root: NodeId, path: &[Key], limit: u32, bytes: &dyn Bytes) -> Option<()> {
        let (mut node, mut place) = (root, value);
        for key in path {
            let what = self.at(node, limit)?.what;
            if !matches!(
                (what, &*place),
                (VersionContent::Object(_), Plain::Object(_)) | (VersionContent::Array(_), Plain::Array(_))
            ) {
                break;
            }
            let child = self.child(node, key);
            place = match (place, key) {
                (Plain::Object(members), Key::Name(name)) => {
                    let child = child.filter(|child| self.at(*child, limit).is_some_and(|v| v.what.shape().is_some()));
                    let Some(child) = child else {
                        members.swap_remove(name.as_ref());
                        return Some(());
                    };
                    if !members.contains_key(name.as_ref()) {
                        members.insert(name.to_string(), self.plain_at(child, limit, bytes)?);
                        return Some(());
                    }
                    members.get_mut(name.as_ref())?
                }
                (Plain::Array(items), Key::Index(index)) => {
                    let len = if let VersionContent::Array(len) = what { len } else { 0 };
                    items.truncate(len as usize);
                    if *index >= len {
                        return Some(());
                    }
                    for missing in cast::to_u32(items.len())..=*index {
                        let new = self.child(node, &Key::Index(missing))?;
                        items.push(self.plain_at(new, limit, bytes)?);
                    }
                    items.get_mut(*index as usize)?
                }
                // A key of what was here before: the container was rebuilt, or will be.
                _ => return Some(()),
            };
            node = child?;
        }
        *place = self.plain_at(node, limit, bytes)?;
        Some(())
    }
}
