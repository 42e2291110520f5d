//! The list of all versions of a tree, 20 bytes each, and the values of leaves beside it.

use super::stored::{INLINE_MAX, Long};
use super::{EventOp, NodeId, Shape, Stored};
use crate::model::StepNo;

/// One change of one node. Its number in the list of versions is its place in the history.
#[derive(Debug, Clone, Copy)]
pub(super) struct Version {
    pub(super) node: NodeId,
    /// Step whose message supplies the value.
    pub(super) author: StepNo,
    /// Last step after which the leaf differed.
    pub(super) changed: StepNo,
    /// What it means for the node as a leaf; None: nothing (containers, a supplier alone).
    pub(super) event: Option<EventOp>,
    pub(super) what: What,
}

impl Version {
    pub(super) fn is_drop(&self) -> bool {
        matches!(self.event, Some(EventOp::Drop | EventOp::Reset))
    }
}

/// What a node is from a version on.
#[derive(Debug, Clone, Copy)]
pub(super) enum What {
    /// A scalar, or an opaque value.
    Leaf(Kept),
    EmptyObject,
    EmptyArray,
    /// The number of the epoch that lists its members.
    Object(u32),
    /// How many elements; all of them are present.
    Array(u32),
    Absent,
}

impl What {
    pub(super) fn shape(self) -> Option<Shape> {
        Some(match self {
            Self::Leaf(_) => Shape::Scalar,
            Self::EmptyObject => Shape::EmptyObject,
            Self::EmptyArray => Shape::EmptyArray,
            Self::Object(_) => Shape::Object,
            Self::Array(_) => Shape::Array,
            Self::Absent => return None,
        })
    }

    pub(super) fn is_leaf(self) -> bool {
        matches!(self, Self::Leaf(_) | Self::EmptyObject | Self::EmptyArray)
    }
}

/// Where the value of a leaf is kept.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kept {
    /// Its first byte in the texts, and its length.
    Short(u64, u8),
    /// Its number among the long values.
    Long(u32),
}

impl Kept {
    /// Number of classes.
    pub(super) const CLASSES: usize = INLINE_MAX + 2;

    /// Values of different classes are not equal: of a short one its length, of long ones a number above all lengths.
    pub(super) fn class(self) -> usize {
        match self {
            Self::Short(_, len) => usize::from(len),
            Self::Long(_) => INLINE_MAX + 1,
        }
    }

    /// The class of a value.
    pub(super) fn class_of(value: &Stored) -> usize {
        match value {
            Stored::Inline { len, .. } => usize::from(*len),
            Stored::Long(_) => INLINE_MAX + 1,
        }
    }
}

/// All versions in step order.
#[derive(Debug, Default)]
pub(super) struct Versions {
    list: Vec<Packed>,
    /// Canonical texts of short values, one behind the other.
    texts: Vec<u8>,
    long: Vec<Long>,
}

/// A version as it is kept.
#[derive(Debug, Clone, Copy)]
struct Packed {
    node: u32,
    author: StepNo,
    changed: StepNo,
    /// The number that goes with the tag: of an epoch, of elements, of a long value; the lower half of a place in the
    /// texts.
    low: u32,
    high: u16,
    len: u8,
    /// What it is, and behind [`EVENT`] bits the event.
    tag: u8,
}

/// Bits of a tag below the event.
const EVENT: u8 = 3;
const SHORT: u8 = 0;
const LONG: u8 = 1;
const EMPTY_OBJECT: u8 = 2;
const EMPTY_ARRAY: u8 = 3;
const OBJECT: u8 = 4;
const ARRAY: u8 = 5;
const ABSENT: u8 = 6;

/// The events by their number less one; 0 is none.
const EVENTS: [EventOp; 5] = [EventOp::Add, EventOp::Change, EventOp::Same, EventOp::Drop, EventOp::Reset];

impl Packed {
    fn of(version: &Version) -> Self {
        let (kind, low, high, len) = match version.what {
            What::Leaf(Kept::Short(at, len)) => (SHORT, at as u32, (at >> u32::BITS) as u16, len),
            What::Leaf(Kept::Long(number)) => (LONG, number, 0, 0),
            What::EmptyObject => (EMPTY_OBJECT, 0, 0, 0),
            What::EmptyArray => (EMPTY_ARRAY, 0, 0, 0),
            What::Object(epoch) => (OBJECT, epoch, 0, 0),
            What::Array(count) => (ARRAY, count, 0, 0),
            What::Absent => (ABSENT, 0, 0, 0),
        };
        let event = EVENTS.iter().position(|op| version.event == Some(*op)).map_or(0, |i| i as u8 + 1);
        let Version { node, author, changed, .. } = *version;
        Self { node: node.0, author, changed, low, high, len, tag: kind | event << EVENT }
    }

    fn version(self) -> Version {
        let what = match self.tag & ((1 << EVENT) - 1) {
            SHORT => What::Leaf(Kept::Short(u64::from(self.high) << u32::BITS | u64::from(self.low), self.len)),
            LONG => What::Leaf(Kept::Long(self.low)),
            EMPTY_OBJECT => What::EmptyObject,
            EMPTY_ARRAY => What::EmptyArray,
            OBJECT => What::Object(self.low),
            ARRAY => What::Array(self.low),
            _ => What::Absent,
        };
        let event = usize::from(self.tag >> EVENT).checked_sub(1).and_then(|i| EVENTS.get(i)).copied();
        Version { node: NodeId(self.node), author: self.author, changed: self.changed, event, what }
    }
}

impl Versions {
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn get(&self, number: u32) -> Version {
        self.list[number as usize].version()
    }

    pub(super) fn push(&mut self, version: &Version) {
        self.list.push(Packed::of(version));
    }

    /// The versions from a number on.
    pub(super) fn since(&self, start: usize) -> impl Iterator<Item = Version> {
        self.list[start..].iter().map(|packed| packed.version())
    }

    /// Puts others in the place of those from a number on.
    pub(super) fn replace(&mut self, start: usize, new: impl Iterator<Item = Version>) {
        self.list.truncate(start);
        self.list.extend(new.map(|version| Packed::of(&version)));
    }

    /// Keeps a value.
    pub(super) fn keep(&mut self, value: Stored) -> Kept {
        match value {
            Stored::Inline { len, text } => {
                let at = self.texts.len() as u64;
                self.texts.extend_from_slice(&text[..usize::from(len)]);
                Kept::Short(at, len)
            }
            Stored::Long(long) => {
                self.long.push(long);
                Kept::Long(self.long.len() as u32 - 1)
            }
        }
    }

    /// A value that is kept.
    pub(super) fn value(&self, kept: Kept) -> Stored {
        match kept {
            Kept::Short(at, len) => Stored::inline(self.short(at, len)),
            Kept::Long(number) => Stored::Long(self.long[number as usize].clone()),
        }
    }

    /// Whether a value that is kept equals another.
    pub(super) fn is_equal(&self, kept: Kept, value: &Stored) -> bool {
        match (kept, value) {
            (Kept::Short(at, n), Stored::Inline { len, text }) => {
                n == *len && self.short(at, n) == &text[..usize::from(n)]
            }
            (Kept::Long(number), Stored::Long(long)) => self.long[number as usize] == *long,
            _ => false,
        }
    }

    fn short(&self, at: u64, len: u8) -> &[u8] {
        let at = at as usize;
        &self.texts[at..at + usize::from(len)]
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.list.len() * size_of::<Packed>() + self.texts.len() + self.long.len() * size_of::<Long>()
    }
}
