//! Merges a patch into the state: the rules of Agent/Data (A15 to A19), which the others use in part.

use super::replace::{GivenValue, Writer};
use super::storage::versions::VersionContent;
use super::{EventOp, IdentityId, NodeId, Op, Tree, Write};
use crate::json::{Key, Value};
use crate::model::StepNo;
use crate::model::cast;
use std::collections::{HashMap, HashSet};

/// An op and the rest of the path to where it acts.
type WriteTarget<'w> = (&'w [Key], Op);

impl Tree {
    /// Merges one message into the state. Writes come in step order.
    pub fn write(&mut self, write: &Write<'_>) {
        self.begin_write(write).finish();
    }

    /// The same, but the events of the step are in the order of the document, as [`adopt`](Self::adopt) would give
    /// them (A30).
    pub fn write_in_document_order(&mut self, write: &Write<'_>) {
        self.begin_write(write).finish_in_document_order();
    }

    /// As [`write_in_document_order`](Self::write_in_document_order), of a message that others follow. `orders` are
    /// objects with the members that come last in them, those in the given order before those that keep theirs.
    pub fn write_between(&mut self, write: &Write<'_>, orders: &[(Vec<Key>, [Vec<Key>; 2])]) {
        let mut writer = self.begin_write(write);
        for (path, [leading, rest]) in orders {
            if let Some(node) = writer.tree.node(write.identity, path) {
                writer.put_last(node, leading, rest);
            }
        }
        writer.finish_in_document_order();
    }

    fn begin_write(&mut self, write: &Write<'_>) -> Writer<'_> {
        self.touch(write.at, write.identity);
        let root = self.root(write.identity);
        let mut writer = Writer::new(self, write.at);
        writer.write(root, write);
        writer
    }

    /// Drops a whole identity at a step, as an event `op` on each of its leaves (`Drop`, `Reset`); it may come back as
    /// new.
    pub fn drop_identity(&mut self, at: StepNo, id: IdentityId, op: EventOp) {
        self.order.drop(at, id);
        if let Some(root) = self.identities[id.0 as usize].root {
            let mut writer = Writer::new(self, at);
            writer.drop_all(root, op);
            writer.finish();
        }
    }
}

impl Writer<'_> {
    fn write(&mut self, root: NodeId, write: &Write<'_>) {
        if write.ops.iter().any(|(_, op)| *op == Op::Remove) {
            self.remove_all(root, write);
        } else if let Some(value) = write.value {
            let given = GivenValue {
                value,
                base: write.base,
                author: write.author,
                is_opaque: false,
                is_update: false,
                is_new: false,
            };
            let targets: Vec<WriteTarget<'_>> = write.ops.iter().map(|(path, op)| (path.as_slice(), *op)).collect();
            self.apply(root, given, &targets);
        }
    }

    /// Puts members of an object behind all others: `leading` as they are, then `rest` in the order that they have.
    fn put_last(&mut self, node: NodeId, leading: &[Key], rest: &[Key]) {
        let VersionContent::Object(epoch) = self.tree.now(node) else { return };
        let live = self.tree.epochs.live(epoch);
        let nodes = |keys: &[Key]| -> Vec<NodeId> {
            let children = keys.iter().filter_map(|key| self.tree.child(node, key));
            children.filter(|child| self.tree.is_present(*child)).collect()
        };
        let (leading, mut rest) = (nodes(leading), nodes(rest));
        rest.sort_by_key(|member| self.tree.place(*member));
        leading.into_iter().chain(rest).for_each(|member| self.enlist(epoch, member));
        self.tree.epochs.set_live(epoch, live);
        if self.tree.versions.len() == self.start {
            // The order is the write's only trace; it counts from a version on.
            self.contain(node, VersionContent::Object(epoch));
        }
    }

    /// Applies the op that ends here, or merges with those that end below.
    fn apply(&mut self, node: NodeId, given: GivenValue<'_>, targets: &[WriteTarget<'_>]) {
        match targets.iter().find(|(path, _)| path.is_empty()) {
            None => self.merge(node, given, targets),
            Some((_, op)) => self.act(node, given, *op),
        }
    }

    fn act(&mut self, node: NodeId, given: GivenValue<'_>, op: Op) {
        match op {
            Op::Merge => self.merge(node, given, &[]),
            Op::Replace => self.replace(node, given),
            Op::Update => self.replace(node, GivenValue { is_update: true, ..given }),
            Op::Assign => self.assign(node, given),
            Op::Push => self.extend(node, given, std::slice::from_ref(given.value)),
            Op::Concat => match given.value.as_array() {
                Some(elements) => self.extend(node, given, elements),
                None => self.extend(node, given, std::slice::from_ref(given.value)),
            },
            Op::Opaque => self.replace(node, GivenValue { is_opaque: true, ..given }),
            Op::Remove | Op::Keep => {}
        }
    }

    /// A15, A16: objects key by key, all else replaces; `{}` into an object with members writes nothing.
    fn merge(&mut self, node: NodeId, given: GivenValue<'_>, targets: &[WriteTarget<'_>]) {
        let Some(object) = given.value.as_object() else { return self.replace(node, given) };
        if object.is_empty() {
            if !matches!(self.tree.now(node), VersionContent::Object(_)) {
                self.replace(node, given);
            }
            return;
        }
        let epoch = self.become_object(node);
        let below = by_member(targets);
        for (name, value) in object.entries() {
            let child = self.member(node, epoch, name);
            self.apply(child, given.part(value), below.get(name).map_or(&[], Vec::as_slice));
        }
    }

    /// A18 `assign`: key by key, one level.
    fn assign(&mut self, node: NodeId, given: GivenValue<'_>) {
        let Some(object) = given.value.as_object().filter(|o| !o.is_empty()) else {
            return self.merge(node, given, &[]);
        };
        let epoch = self.become_object(node);
        for (name, value) in object.entries() {
            let child = self.member(node, epoch, name);
            self.replace(child, given.part(value));
        }
    }

    /// A18, A19 `push`, `concat`: appends to an array; whatever else is there gives way to a new one.
    fn extend<'v>(&mut self, node: NodeId, given: GivenValue<'v>, elements: &'v [Value<'v>]) {
        let old = self.tree.now(node);
        let len = match old {
            VersionContent::Array(len) => len,
            _ => 0,
        };
        if elements.is_empty() {
            // A18: nothing comes to elements that are there; the leaf `[]` is written again.
            if !matches!(old, VersionContent::Array(_)) {
                self.replace(node, given);
            }
            return;
        }
        if len == 0 {
            self.open_site(node);
            self.clear_below(node);
        }
        self.contain(node, VersionContent::Array(len + cast::to_u32(elements.len())));
        let parts: Vec<_> = elements.iter().map(|value| given.part(value)).collect();
        self.put_elements(node, len, &parts);
    }

    /// The epoch of an object; anything else becomes an object without members, which the caller adds.
    fn become_object(&mut self, node: NodeId) -> u32 {
        let mut members = Vec::new();
        match self.tree.now(node) {
            VersionContent::Object(epoch) if !self.tree.epochs.is_crowded(epoch) => return epoch,
            VersionContent::Object(epoch) => members = self.tree.members(epoch, u32::MAX),
            _ => {
                self.open_site(node);
                self.clear_below(node);
            }
        }
        let epoch = self.tree.epochs.make();
        self.contain(node, VersionContent::Object(epoch));
        members.into_iter().for_each(|member| self.enlist(epoch, member));
        epoch
    }

    /// Drops what is below a node, in order.
    fn clear_below(&mut self, node: NodeId) {
        for child in self.tree.children_at(node, u32::MAX) {
            self.give_way(child, None::<GivenValue<'_>>, EventOp::Drop);
        }
    }

    /// A member that is about to be written, at the end of the order if it is not there now.
    fn member(&mut self, object: NodeId, epoch: u32, name: &str) -> NodeId {
        let child = self.tree.named(object, name);
        if !self.tree.is_present(child) {
            self.enlist(epoch, child);
        }
        child
    }

    /// Drops a node and all below it.
    fn drop_all(&mut self, node: NodeId, op: EventOp) {
        self.open_site(node);
        self.give_way(node, None::<GivenValue<'_>>, op);
    }

    /// A18 `erase`. A path below another one has nothing left to remove.
    fn remove_all(&mut self, root: NodeId, write: &Write<'_>) {
        let removes = || write.ops.iter().filter(|(_, op)| *op == Op::Remove).map(|(path, _)| path.as_slice());
        let removed: HashSet<&[Key]> = removes().collect();
        for path in removes() {
            if !(0..path.len()).any(|len| removed.contains(&path[..len])) {
                self.remove(root, path, write.author);
            }
        }
    }

    fn remove(&mut self, root: NodeId, path: &[Key], author: StepNo) {
        let mut node = root;
        let mut object = None;
        for key in path {
            let VersionContent::Object(epoch) = self.tree.now(node) else { return };
            let Some(child) = self.tree.child(node, key) else { return };
            object = Some((node, epoch));
            node = child;
        }
        if !self.tree.is_present(node) {
            return;
        }
        self.drop_all(node, EventOp::Drop);
        let Some((object, epoch)) = object else { return };
        if self.tree.epochs.remove(epoch) == 0 {
            self.push(object, author, Some(EventOp::Add), VersionContent::EmptyObject);
        }
    }
}

/// The targets at or below each member.
fn by_member<'w>(targets: &[WriteTarget<'w>]) -> HashMap<&'w str, Vec<WriteTarget<'w>>> {
    let mut found: HashMap<&str, Vec<WriteTarget<'w>>> = HashMap::new();
    for (path, op) in targets {
        if let Some((Key::Name(name), rest)) = path.split_first() {
            found.entry(name).or_default().push((rest, *op));
        }
    }
    found
}
