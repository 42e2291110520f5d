//! A table from digests to numbers, 12 bytes a place: a long run has one entry for each of its records.
//!
//! A hash map of the same takes a third more for each place, doubles its places at once, and has both tables in memory
//! while it does. This one grows by half, when an eighth of its places is free; a large one is in segments, of which
//! one grows at a time, so that no entry has to wait for millions of others.

/// Places of the first table.
const PLACES_MIN: usize = 16;

/// No entry.
const NONE: u32 = u32::MAX;

/// Entries from which on a table is in segments, and how many of these there are.
const SEGMENTED_FROM: usize = 1 << 15;
const SEGMENTS: usize = 256;

/// Numbers by digests of 64 bits, which are as good as random.
#[derive(Debug, Clone, Default)]
pub struct DigestTable {
    /// None, one, or all segments.
    segments: Vec<Segment>,
    len: usize,
}

impl DigestTable {
    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number of a digest.
    #[must_use]
    pub fn get(&self, digest: u64) -> Option<u32> {
        self.segments.get(self.segment(digest))?.get(digest)
    }

    /// Gives a digest a number below `u32::MAX`, which is ignored; the one that it had.
    pub fn insert(&mut self, digest: u64, number: u32) -> Option<u32> {
        if number == NONE {
            return self.get(digest);
        }
        match self.segments.len() {
            0 => self.segments.push(Segment::default()),
            1 if self.len >= SEGMENTED_FROM => self.split(),
            _ => {}
        }
        let at = self.segment(digest);
        let before = self.segments.get_mut(at)?.insert(digest, number);
        self.len += usize::from(before.is_none());
        before
    }

    /// Which segment a digest is in: by its lower half, as its place there is by the upper one.
    fn segment(&self, digest: u64) -> usize {
        if self.segments.len() > 1 { halves(digest)[1] as usize % SEGMENTS } else { 0 }
    }

    /// Puts the entries of the only segment into many.
    fn split(&mut self) {
        let whole = std::mem::take(&mut self.segments);
        self.segments.resize_with(SEGMENTS, Segment::default);
        for [upper, lower, number] in whole.into_iter().flat_map(|segment| segment.places) {
            if number != NONE {
                let digest = digest_of(upper, lower);
                let at = self.segment(digest);
                self.segments[at].insert(digest, number);
            }
        }
    }
}

/// Entries in one stretch of memory.
#[derive(Debug, Clone, Default)]
struct Segment {
    /// The upper and the lower half of the digest, and the number.
    places: Vec<[u32; 3]>,
    len: usize,
}

impl Segment {
    fn get(&self, digest: u64) -> Option<u32> {
        let place = self.places.get(self.place(digest)?)?;
        Some(place[2]).filter(|number| *number != NONE)
    }

    fn insert(&mut self, digest: u64, number: u32) -> Option<u32> {
        if (self.len + 1) * 8 > self.places.len() * 7 {
            self.grow();
        }
        let at = self.place(digest)?;
        let [upper, lower] = halves(digest);
        let before = std::mem::replace(self.places.get_mut(at)?, [upper, lower, number])[2];
        self.len += usize::from(before == NONE);
        Some(before).filter(|before| *before != NONE)
    }

    /// Where a digest is, or would be; None: there is no place at all.
    fn place(&self, digest: u64) -> Option<usize> {
        let [upper, lower] = halves(digest);
        let count = self.places.len();
        // The upper half, scaled to the number of places.
        let mut at = usize::try_from((u64::from(upper) * count as u64) >> u32::BITS).unwrap_or_default();
        loop {
            match self.places.get(at)? {
                [_, _, NONE] => return Some(at),
                [u, l, _] if (*u, *l) == (upper, lower) => return Some(at),
                _ => at = (at + 1) % count,
            }
        }
    }

    fn grow(&mut self) {
        let count = (self.places.len() + self.places.len() / 2).max(PLACES_MIN);
        let old = std::mem::replace(&mut self.places, vec![[0, 0, NONE]; count]);
        for [upper, lower, number] in old.into_iter().filter(|place| place[2] != NONE) {
            let digest = digest_of(upper, lower);
            if let Some(place) = self.place(digest).and_then(|at| self.places.get_mut(at)) {
                *place = [upper, lower, number];
            }
        }
    }
}

fn digest_of(upper: u32, lower: u32) -> u64 {
    u64::from(upper) << u32::BITS | u64::from(lower)
}

fn halves(digest: u64) -> [u32; 2] {
    [super::cast::low_u32(digest >> u32::BITS), super::cast::low_u32(digest)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(n: u64) -> u64 {
        n.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(31).wrapping_mul(0xD6E8_FEB8_6659_FD93)
    }

    #[test]
    fn it_is_as_a_map() {
        let mut table = DigestTable::default();
        assert_eq!((table.get(7), table.is_empty()), (None, true));
        for n in 0..50_000 {
            assert_eq!(table.insert(digest(n), n as u32), None);
        }
        for n in (0..50_000).step_by(3) {
            assert_eq!(table.insert(digest(n), 7), Some(n as u32));
        }
        for n in 0..60_000 {
            let expected = (n < 50_000).then_some(if n % 3 == 0 { 7 } else { n as u32 });
            assert_eq!(table.get(digest(n)), expected, "{n}");
        }
        assert_eq!(table.len(), 50_000);
        let places: usize = table.segments.iter().map(|segment| segment.places.len()).sum();
        assert!(places * 4 < 50_000 * 7, "{places}");
        let longest = table.segments.iter().map(|segment| segment.len).max();
        assert!(longest < Some(400), "no segment has much more than its share: {longest:?}");
    }

    #[test]
    fn digests_that_share_a_place_or_a_half_are_distinguished() {
        let mut table = DigestTable::default();
        let alike = [0, 1, 1 << 32, u64::MAX, u64::MAX - 1, 0xFFFF_FFFF];
        for (number, digest) in (0..).zip(alike) {
            assert_eq!(table.insert(digest, number), None);
        }
        assert_eq!(alike.map(|digest| table.get(digest)), [Some(0), Some(1), Some(2), Some(3), Some(4), Some(5)]);
        assert_eq!(table.get(2), None);
    }
}
