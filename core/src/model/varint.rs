//! Numbers in as few bytes as they need: seven bits in each, the lowest first; all but the last have the highest bit.
//! And lists of what is packed so.

use super::cast;
/// Entries from one that can be found at once to the next.
const STRIDE: usize = 16;

/// Entries of packed numbers, one after the other. Each sixteenth can be found at once, with what is known before it; a
/// reader passes over those between.
#[derive(Debug, Default)]
pub struct PackedList<B> {
    bytes: Vec<u8>,
    /// Where each sixteenth begins, and what is known before it.
    stops: Vec<(usize, B)>,
    count: usize,
}

impl<B: Copy> PackedList<B> {
    /// Appends what is written.
    pub fn push(&mut self, before: B, write: impl FnOnce(&mut Vec<u8>)) {
        if self.count.is_multiple_of(STRIDE) {
            self.stops.push((self.bytes.len(), before));
        }
        write(&mut self.bytes);
        self.count += 1;
    }

    /// What can be found at once at or before an entry: it and all that follow, what is known before it, and how many
    /// entries are to be passed over. None: there is no such entry.
    #[must_use]
    pub fn near(&self, number: usize) -> Option<(&[u8], B, usize)> {
        let (at, before) = self.stops.get(number / STRIDE).filter(|_| number < self.count)?;
        Some((self.bytes.get(*at..)?, *before, number % STRIDE))
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Bytes that they take.
    #[must_use]
    pub fn size(&self) -> usize {
        self.bytes.len() + size_of_val(self.stops.as_slice())
    }

    /// Gives back what is not needed.
    pub fn shrink_to_fit(&mut self) {
        self.bytes.shrink_to_fit();
        self.stops.shrink_to_fit();
    }
}

/// Appends a number: one byte below 128, at most ten.
pub fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(cast::low_u8(number) | 0x80);
        number >>= 7;
    }
    out.push(cast::low_u8(number));
}

/// Takes the number at the beginning; 0 where nothing is left.
pub fn take(rest: &mut &[u8]) -> u64 {
    let (mut number, mut shift) = (0, 0);
    while let Some((byte, after)) = rest.split_first() {
        *rest = after;
        number |= u64::from(byte & 0x7f).unbounded_shl(shift);
        shift += 7;
        if *byte < 0x80 {
            break;
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_come_back(shifts in prop::collection::vec(0..64_u32, 0..20), seed in any::<u64>()) {
            let numbers: Vec<u64> = shifts.iter().map(|shift| seed >> shift).chain([0, 127, 128, u64::MAX]).collect();
            let mut bytes = Vec::new();
            numbers.iter().for_each(|number| put(&mut bytes, *number));
            let mut rest = bytes.as_slice();
            prop_assert_eq!(numbers.iter().map(|_| take(&mut rest)).collect::<Vec<_>>(), numbers);
            prop_assert!(rest.is_empty() && take(&mut rest) == 0);
        }
    }
}
