//! The children of nodes, found by parent and key: numbers of nodes in an open table. Parent and key are in the nodes
//! themselves.

use super::store::{NONE, Node};
use crate::model::Chunks;
use crate::state::NodeId;

/// Places of the first table.
const PLACES_MIN: usize = 64;

/// A table of nodes, of which at most three quarters of the places are taken.
#[derive(Debug, Default)]
pub(in crate::state) struct Children {
    places: Vec<u32>,
    len: usize,
}

impl Children {
    /// The child of a node with that key.
    pub(in crate::state) fn get(&self, nodes: &Chunks<Node>, parent: u32, key: u32) -> Option<NodeId> {
        let is_it = |number: u32| (nodes[number as usize].parent, nodes[number as usize].key) == (parent, key);
        let mut at = place(parent, key, self.places.len());
        loop {
            match *self.places.get(at)? {
                NONE => return None,
                number if is_it(number) => return Some(NodeId(number)),
                _ => at = (at + 1) % self.places.len(),
            }
        }
    }

    /// Adds a node that is not there yet.
    pub(in crate::state) fn add(&mut self, nodes: &Chunks<Node>, node: NodeId) {
        if (self.len + 1) * 4 > self.places.len() * 3 {
            let places = (self.places.len() * 2).max(PLACES_MIN);
            let old = std::mem::replace(&mut self.places, vec![NONE; places]);
            old.into_iter().filter(|number| *number != NONE).for_each(|number| self.put(nodes, number));
        }
        self.put(nodes, node.0);
        self.len += 1;
    }

    fn put(&mut self, nodes: &Chunks<Node>, number: u32) {
        let node = &nodes[number as usize];
        let mut at = place(node.parent, node.key, self.places.len());
        while self.places[at] != NONE {
            at = (at + 1) % self.places.len();
        }
        self.places[at] = number;
    }
}

/// The place to look at first, of `places`. Both numbers are assigned by this program, so a fast hash is enough.
fn place(parent: u32, key: u32, places: usize) -> usize {
    let hash = (u64::from(parent) << u32::BITS | u64::from(key)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let hash = (hash ^ (hash >> u32::BITS)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    // The upper half, scaled to the number of places.
    (((hash >> u32::BITS) * places as u64) >> u32::BITS) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_are_found_and_no_others() {
        let (mut nodes, mut children) = (Chunks::default(), Children::default());
        assert_eq!(children.get(&nodes, 0, 0), None);
        for n in 0..5_000_u32 {
            nodes.push(Node::new(n % 50, n / 50));
            children.add(&nodes, NodeId(n));
        }
        assert!((0..5_000).all(|n| children.get(&nodes, n % 50, n / 50) == Some(NodeId(n))));
        assert!((0..5_000).all(|n| children.get(&nodes, n % 50, 100 + n / 50).is_none()));
        let far = |(at, number): (usize, &u32)| {
            let node = &nodes[*number as usize];
            (at + children.places.len() - place(node.parent, node.key, children.places.len())) % children.places.len()
        };
        let looks = children.places.iter().enumerate().filter(|(_, n)| **n != NONE).map(far).sum::<usize>();
        assert!(looks < 3 * 5_000, "{looks}");
    }
}
