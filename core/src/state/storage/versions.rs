//! The list of all versions of a tree, 10 bytes each, and the values of leaves beside it.

use super::arena::Arena;
use super::leaf_value::{INLINE_MAX, Longs};
use crate::model::cast;
use crate::model::{Chunks, StepNo};
use crate::state::{EventOp, NodeId, NodeShape, Stored};

/// One change of one node. Its number in the list of versions is its place in the history.
#[derive(Debug, Clone, Copy)]
pub(in crate::state) struct Version {
    pub(in crate::state) node: NodeId,
    /// What it means for the node as a leaf; None: nothing (containers, a supplier alone).
    pub(in crate::state) event: Option<EventOp>,
    pub(in crate::state) what: VersionContent,
}

impl Version {
    pub(in crate::state) fn is_drop(&self) -> bool {
        matches!(self.event, Some(EventOp::Drop | EventOp::Reset))
    }
}

/// Who supplied the value of a leaf, and since when it is this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::state) struct Attribution {
    /// Step whose message supplies the value.
    pub(in crate::state) author: StepNo,
    /// Last step after which the leaf differed.
    pub(in crate::state) changed: StepNo,
}

impl Attribution {
    /// That of a step whose own message writes another value than before.
    pub(in crate::state) fn of(step: StepNo) -> Self {
        Self { author: step, changed: step }
    }
}

/// What a node is from a version on.
#[derive(Debug, Clone, Copy)]
pub(in crate::state) enum VersionContent {
    /// A scalar, or an opaque value.
    Leaf(ValueLocation),
    EmptyObject,
    EmptyArray,
    /// The number of the epoch that lists its members.
    Object(u32),
    /// How many elements; all of them are present.
    Array(u32),
    Absent,
}

impl VersionContent {
    pub(in crate::state) fn shape(self) -> Option<NodeShape> {
        Some(match self {
            Self::Leaf(_) => NodeShape::Scalar,
            Self::EmptyObject => NodeShape::EmptyObject,
            Self::EmptyArray => NodeShape::EmptyArray,
            Self::Object(_) => NodeShape::Object,
            Self::Array(_) => NodeShape::Array,
            Self::Absent => return None,
        })
    }

    pub(in crate::state) fn is_leaf(self) -> bool {
        matches!(self, Self::Leaf(_) | Self::EmptyObject | Self::EmptyArray)
    }
}

/// Where the value of a leaf is kept.
#[derive(Debug, Clone, Copy)]
pub(in crate::state) enum ValueLocation {
    /// Its first byte in the texts, and its length.
    Short(u64, u8),
    /// Its number among the long values.
    Long(u32),
}

impl ValueLocation {
    /// Number of classes.
    pub(in crate::state) const CLASSES: usize = INLINE_MAX + 2;

    /// Values of different classes are not equal: of a short one its length, of long ones a number above all lengths.
    pub(in crate::state) fn class(self) -> usize {
        match self {
            Self::Short(_, len) => usize::from(len),
            Self::Long(_) => INLINE_MAX + 1,
        }
    }

    /// The class of a value.
    pub(in crate::state) fn class_of(value: &Stored) -> usize {
        match value {
            Stored::Inline { len, .. } => usize::from(*len),
            Stored::Long(_) => INLINE_MAX + 1,
        }
    }
}

/// All versions in step order.
#[derive(Debug, Default)]
pub(in crate::state) struct Versions {
    list: Chunks<Packed>,
    /// Versions whose credit is not that of their step, and since when their value is this; ascending by number.
    changed: Chunks<(u32, StepNo)>,
    /// Those of them whose author is not their step: few.
    authors: Vec<(u32, StepNo)>,
    /// Canonical texts of short values.
    texts: Arena<u8>,
    long: Longs,
}

/// A version as it is kept.
#[derive(Debug, Clone, Copy)]
#[repr(C, packed(2))]
struct Packed {
    node: u32,
    /// The number that goes with the tag: of an epoch, of elements, of a long value; the lower bits of a place in the
    /// texts.
    low: u32,
    /// What it is, and from bit [`EVENT`], [`CREDIT`], [`LEN`] and [`HIGH`] on the rest.
    tag: u16,
}

/// The first bits of a tag for: the event; whether the credit is another than that of the step; the length of a short
/// value; the upper bits of its place, which is below 64 GB.
const EVENT: u16 = 3;
const CREDIT: u16 = 6;
const LEN: u16 = 7;
const HIGH: u16 = 12;
const SHORT: u16 = 0;
const LONG: u16 = 1;
const EMPTY_OBJECT: u16 = 2;
const EMPTY_ARRAY: u16 = 3;
const OBJECT: u16 = 4;
const ARRAY: u16 = 5;
const ABSENT: u16 = 6;

/// The events by their number less one; 0 means absent.
const EVENTS: [EventOp; 5] = [EventOp::Add, EventOp::Change, EventOp::Same, EventOp::Drop, EventOp::Reset];

impl Packed {
    fn of(version: &Version, has_attribution: bool) -> Self {
        let (kind, low) = match version.what {
            VersionContent::Leaf(ValueLocation::Short(at, len)) => {
                (SHORT | u16::from(len) << LEN | cast::to_u16(at >> u32::BITS) << HIGH, cast::low_u32(at))
            }
            VersionContent::Leaf(ValueLocation::Long(number)) => (LONG, number),
            VersionContent::EmptyObject => (EMPTY_OBJECT, 0),
            VersionContent::EmptyArray => (EMPTY_ARRAY, 0),
            VersionContent::Object(epoch) => (OBJECT, epoch),
            VersionContent::Array(count) => (ARRAY, count),
            VersionContent::Absent => (ABSENT, 0),
        };
        let event = EVENTS.iter().position(|op| version.event == Some(*op)).map_or(0, |i| cast::to_u16(i) + 1);
        Self { node: version.node.0, low, tag: kind | event << EVENT | u16::from(has_attribution) << CREDIT }
    }

    fn version(self) -> Version {
        let bits = |from: u16, to: u16| self.tag >> from & ((1 << (to - from)) - 1);
        let what = match bits(0, EVENT) {
            SHORT => {
                let high = u64::from(self.tag >> HIGH) << u32::BITS;
                VersionContent::Leaf(ValueLocation::Short(high | u64::from(self.low), cast::to_u8(bits(LEN, HIGH))))
            }
            LONG => VersionContent::Leaf(ValueLocation::Long(self.low)),
            EMPTY_OBJECT => VersionContent::EmptyObject,
            EMPTY_ARRAY => VersionContent::EmptyArray,
            OBJECT => VersionContent::Object(self.low),
            ARRAY => VersionContent::Array(self.low),
            _ => VersionContent::Absent,
        };
        let event = usize::from(bits(EVENT, CREDIT)).checked_sub(1).and_then(|i| EVENTS.get(i)).copied();
        Version { node: NodeId(self.node), event, what }
    }

    fn has_attribution(self) -> bool {
        self.tag & (1 << CREDIT) != 0
    }
}

impl Versions {
    pub(in crate::state) fn len(&self) -> usize {
        self.list.len()
    }

    pub(in crate::state) fn get(&self, number: u32) -> Version {
        self.list[number as usize].version()
    }

    /// Appends a version of a step.
    pub(in crate::state) fn push(&mut self, at: StepNo, version: &Version, attribution: Attribution) {
        let other = Some(attribution).filter(|attribution| *attribution != Attribution::of(at));
        let author = other.map(|attribution| attribution.author).filter(|author| *author != at);
        self.put(Packed::of(version, other.is_some()), other.map(|attribution| attribution.changed), author);
    }

    fn put(&mut self, packed: Packed, changed: Option<StepNo>, author: Option<StepNo>) {
        let number = cast::to_u32(self.list.len());
        self.changed.extend(changed.map(|step| (number, step)));
        self.authors.extend(author.map(|step| (number, step)));
        self.list.push(packed);
    }

    /// Since when the value of a version is this, if not since its step.
    fn changed(&self, number: u32) -> Option<StepNo> {
        if !self.list[number as usize].has_attribution() {
            return None;
        }
        self.changed.get(self.changed.partition_point(|(of, _)| *of < number)).map(|(_, step)| *step)
    }

    fn author(&self, number: u32) -> Option<StepNo> {
        self.authors.binary_search_by_key(&number, |(of, _)| *of).ok().map(|i| self.authors[i].1)
    }

    /// The credit of a version; `step` says which step made it.
    pub(in crate::state) fn attribution(&self, number: u32, step: impl FnOnce() -> StepNo) -> Attribution {
        let Some(changed) = self.changed(number) else { return Attribution::of(step()) };
        Attribution { author: self.author(number).unwrap_or_else(step), changed }
    }

    /// The versions from a number on.
    pub(in crate::state) fn since(&self, start: usize) -> impl Iterator<Item = Version> {
        self.list.since(start).map(|packed| packed.version())
    }

    /// Puts the versions from a number on in another order, given as their numbers.
    pub(in crate::state) fn reorder(&mut self, start: usize, order: &[u32]) {
        let moved = |number: &u32| (self.list[*number as usize], self.changed(*number), self.author(*number));
        let new: Vec<_> = order.iter().map(moved).collect();
        self.changed.truncate(self.changed.partition_point(|(number, _)| (*number as usize) < start));
        self.authors.truncate(self.authors.partition_point(|(number, _)| (*number as usize) < start));
        self.list.truncate(start);
        new.into_iter().for_each(|(packed, changed, author)| self.put(packed, changed, author));
    }

    /// Keeps a value.
    pub(in crate::state) fn keep(&mut self, value: Stored) -> ValueLocation {
        match value {
            Stored::Inline { len, text } => {
                ValueLocation::Short(self.texts.keep(&text[..usize::from(len)]) as u64, len)
            }
            Stored::Long(long) => ValueLocation::Long(self.long.push(long)),
        }
    }

    /// A value that is kept.
    pub(in crate::state) fn value(&self, location: ValueLocation) -> Stored {
        match location {
            ValueLocation::Short(at, len) => Stored::inline(self.short(at, len)),
            ValueLocation::Long(number) => Stored::Long(self.long.get(number)),
        }
    }

    /// Whether a value that is kept equals another.
    pub(in crate::state) fn is_equal(&self, location: ValueLocation, value: &Stored) -> bool {
        match (location, value) {
            (ValueLocation::Short(at, n), Stored::Inline { len, text }) => {
                n == *len && self.short(at, n) == &text[..usize::from(n)]
            }
            (ValueLocation::Long(number), Stored::Long(long)) => self.long.is_equal(number, long),
            _ => false,
        }
    }

    fn short(&self, at: u64, len: u8) -> &[u8] {
        self.texts.of(cast::to_usize(at), usize::from(len))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_10_bytes_and_comes_out_as_it_went_in() {
        assert_eq!(size_of::<Packed>(), 10);
        let short = |at, len| VersionContent::Leaf(ValueLocation::Short(at, len));
        let far = (1 << 36) - 1;
        let whats = [
            short(0, 0),
            short(far, INLINE_MAX as u8),
            short(1 << 33, 1),
            VersionContent::Leaf(ValueLocation::Long(u32::MAX)),
        ];
        let others = [
            VersionContent::EmptyObject,
            VersionContent::EmptyArray,
            VersionContent::Object(7),
            VersionContent::Array(u32::MAX),
            VersionContent::Absent,
        ];
        for what in whats.into_iter().chain(others) {
            for event in EVENTS.into_iter().map(Some).chain([None]) {
                for has_attribution in [true, false] {
                    let packed = Packed::of(&Version { node: NodeId(u32::MAX - 1), event, what }, has_attribution);
                    let version = packed.version();
                    assert_eq!((version.node.0, version.event), (u32::MAX - 1, event));
                    assert_eq!(
                        (format!("{:?}", version.what), packed.has_attribution()),
                        (format!("{what:?}"), has_attribution)
                    );
                }
            }
        }
    }

    #[test]
    fn credits_move_with_their_versions() {
        let mut versions = Versions::default();
        let attribution = |n: u32| match n % 3 {
            0 => Attribution { author: -1, changed: n as StepNo },
            1 => Attribution { author: 99, changed: n as StepNo },
            _ => Attribution::of(99),
        };
        for n in 0..10 {
            versions.push(99, &Version { node: NodeId(n), event: None, what: VersionContent::Absent }, attribution(n));
        }
        versions.reorder(4, &[9, 6, 4, 5, 8, 7]);
        let nodes: Vec<u32> = versions.since(0).map(|v| v.node.0).collect();
        assert_eq!(nodes, [0, 1, 2, 3, 9, 6, 4, 5, 8, 7]);
        for (number, node) in (0..).zip(nodes) {
            assert_eq!(versions.attribution(number, || 99), attribution(node));
        }
    }
}
