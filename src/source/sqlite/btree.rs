//! The tree of a table: its rows in the order of their numbers, or one row by its number.
//!
//! Links of a damaged tree may lead anywhere: no page is read twice in a walk, and no way down is longer than any
//! database needs.

use super::pager::{HEADER_LEN, Pager};
use super::{Fault, u16_at, u32_at, varint};
use crate::model::cast;
use std::collections::HashSet;

const INTERIOR: u8 = 5;
const LEAF: u8 = 13;

/// The longest way from a root to a leaf: each level has at least two children, and there are no more than 2^32 pages.
const DEPTH_MAX: usize = 33;

/// The most bytes that a row may have, as SQLite itself allows by default.
const ROW_BYTES_MAX: u64 = 1_000_000_000;

/// A page of a tree.
struct Node {
    page: Vec<u8>,
    /// Where its header begins.
    start: usize,
    is_leaf: bool,
    cells: usize,
}

impl Node {
    fn read(pager: &Pager, number: u32) -> Result<Self, Fault> {
        let page = pager.page(number)?;
        let start = if number == 1 { HEADER_LEN } else { 0 };
        let is_leaf = match page.get(start) {
            Some(&LEAF) => true,
            Some(&INTERIOR) => false,
            _ => return Err(format!("page {number} is not a page of a table")),
        };
        let cells = u16_at(&page, start + 3).map_or(0, usize::from);
        Ok(Self { page, start, is_leaf, cells })
    }

    /// Where a cell begins.
    fn cell(&self, index: usize) -> Result<&[u8], Fault> {
        let pointers = self.start + if self.is_leaf { 8 } else { 12 };
        let at = u16_at(&self.page, pointers + 2 * index).map(usize::from);
        at.and_then(|at| self.page.get(at..)).ok_or_else(|| "a page has no such cell".to_owned())
    }

    /// The child at an index, the last of which is the right one, and the greatest number that rows in it have.
    fn child(&self, index: usize) -> Result<(u32, i64), Fault> {
        if index >= self.cells {
            let right = u32_at(&self.page, self.start + 8).ok_or("a page is cut off")?;
            return Ok((right, i64::MAX));
        }
        let cell = self.cell(index)?;
        let read = || Some((u32_at(cell, 0)?, varint(cell.get(4..)?)?.0.cast_signed()));
        read().ok_or_else(|| "a cell is cut off".to_owned())
    }

    /// The row at an index: its number and what it holds.
    fn row(&self, index: usize, pager: &Pager) -> Result<(i64, Payload), Fault> {
        let cell = self.cell(index)?;
        let parts = || {
            let (len, a) = varint(cell)?;
            let (number, b) = varint(cell.get(a..)?)?;
            Some((len, number.cast_signed(), cell.get(a + b..)?))
        };
        let (len, number, rest) = parts().ok_or("a cell is cut off")?;
        if len > ROW_BYTES_MAX || len > u64::from(pager.page_count) * pager.page_len as u64 {
            return Err("a row is longer than it can be".to_owned());
        }
        let len = cast::to_usize(len);
        let here = local_len(len, pager.usable);
        let local = rest.get(..here).ok_or("a cell is cut off")?.to_vec();
        let overflow = if here < len { u32_at(rest, here).ok_or("a cell is cut off")? } else { 0 };
        Ok((number, Payload { len, local, overflow }))
    }
}

/// How much of a row is on its own page.
fn local_len(len: usize, usable: usize) -> usize {
    let most = usable - 35;
    if len <= most {
        return len;
    }
    let least = (usable - 12) * 32 / 255 - 23;
    let rest = least + (len - least) % (usable - 4);
    if rest <= most { rest } else { least }
}

/// What a row holds: some of it here, the rest on pages of its own.
pub(super) struct Payload {
    pub(super) len: usize,
    local: Vec<u8>,
    overflow: u32,
}

impl Payload {
    /// What is on the row's own page.
    pub(super) fn local(&self) -> &[u8] {
        &self.local
    }

    /// Its first `wanted` bytes.
    pub(super) fn first(&self, wanted: usize, pager: &Pager) -> Result<Vec<u8>, Fault> {
        let wanted = wanted.min(self.len);
        let mut bytes = self.local.get(..wanted).unwrap_or(&self.local).to_vec();
        let mut next = self.overflow;
        // A chain that leads back to itself ends here too: each page of it has at least one byte.
        while bytes.len() < wanted {
            let page = pager.page(next)?;
            let left = wanted - bytes.len();
            let body = page.get(4..pager.usable).unwrap_or_default();
            bytes.extend_from_slice(body.get(..left).unwrap_or(body));
            next = u32_at(&page, 0).unwrap_or_default();
        }
        Ok(bytes)
    }
}

/// A walk over all rows of a table.
pub(super) struct Walk<'p> {
    pager: &'p Pager,
    /// The way to where the walk is: pages, and the index of what comes next in each.
    way: Vec<(Node, usize)>,
    /// The root, until the walk began.
    root: Option<u32>,
    seen: HashSet<u32>,
}

impl<'p> Walk<'p> {
    pub(super) fn new(pager: &'p Pager, root: u32) -> Self {
        Self { pager, way: Vec::new(), root: Some(root), seen: HashSet::new() }
    }

    /// The next row.
    pub(super) fn next(&mut self) -> Result<Option<(i64, Payload)>, Fault> {
        if let Some(root) = self.root.take() {
            self.enter(root)?;
        }
        while let Some((node, at)) = self.way.last_mut() {
            let index = *at;
            *at += 1;
            if node.is_leaf && index < node.cells {
                return node.row(index, self.pager).map(Some);
            }
            if node.is_leaf || index > node.cells {
                self.way.pop();
                continue;
            }
            let (child, _) = node.child(index)?;
            self.enter(child)?;
        }
        Ok(None)
    }

    fn enter(&mut self, number: u32) -> Result<(), Fault> {
        if !self.seen.insert(number) || self.way.len() == DEPTH_MAX {
            return Err(format!("page {number} is in a tree twice"));
        }
        self.way.push((Node::read(self.pager, number)?, 0));
        Ok(())
    }
}

/// The row of a number.
pub(super) fn find(pager: &Pager, root: u32, number: i64) -> Result<Option<Payload>, Fault> {
    let mut page = root;
    for _ in 0..DEPTH_MAX {
        let node = Node::read(pager, page)?;
        if node.is_leaf {
            let index = first_index(node.cells, |index| Ok(node.row(index, pager)?.0 >= number))?;
            if index == node.cells {
                return Ok(None);
            }
            let (found, payload) = node.row(index, pager)?;
            return Ok((found == number).then_some(payload));
        }
        let index = first_index(node.cells, |index| Ok(node.child(index)?.1 >= number))?;
        page = node.child(index)?.0;
    }
    Err(format!("the tree of page {root} leads back to itself"))
}

/// The first of `count` indexes for which `holds` is true, as it is for all after it; `count` if there is none.
fn first_index(count: usize, holds: impl Fn(usize) -> Result<bool, Fault>) -> Result<usize, Fault> {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle)? { high = middle } else { low = middle + 1 }
    }
    Ok(low)
}
