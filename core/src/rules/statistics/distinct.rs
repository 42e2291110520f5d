//! How many different values there are, from a sketch of constant size that merges in any order (HyperLogLog, Flajolet
//! et al. 2007, with the estimator of Ertl 2017, which needs no table of corrections).

use crate::model::cast;

/// Bits of a hash that choose a register; the standard error is 1.04 / sqrt(registers), 0.8 %.
const INDEX_BITS: u32 = 14;
const REGISTERS: usize = 1 << INDEX_BITS;
/// Greatest value of a register: the 50 bits that are left may all be 0.
const RANK_MAX: u8 = 51;
/// Registers as a text, one letter each.
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// A sketch of a set of values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Distinct(Vec<u8>);

impl Default for Distinct {
    fn default() -> Self {
        Self(vec![0; REGISTERS])
    }
}

impl Distinct {
    /// Takes a value by a digest whose bits are evenly spread.
    pub(super) fn add(&mut self, digest: u128) {
        let hash = cast::low_u64(digest);
        let rest = hash << INDEX_BITS;
        let rank = cast::to_u8(rest.leading_zeros() + 1).min(RANK_MAX);
        if let Some(register) = self.0.get_mut(cast::to_usize(hash >> (u64::BITS - INDEX_BITS))) {
            *register = rank.max(*register);
        }
    }

    /// Takes the values of another sketch.
    pub(super) fn merge(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
    }

    /// About how many different values were taken.
    pub(super) fn estimate(&self) -> u64 {
        let mut counts = [0_u32; RANK_MAX as usize + 1];
        self.0.iter().for_each(|rank| counts[usize::from(*rank)] += 1);
        let m = REGISTERS as f64;
        let [empty, ranks @ .., full] = &counts;
        let mut z = m * tau(1.0 - f64::from(*full) / m);
        for count in ranks.iter().rev() {
            z = 0.5 * (z + f64::from(*count));
        }
        z += m * sigma(f64::from(*empty) / m);
        cast::f64_to_u64((m * m / (2.0 * std::f64::consts::LN_2 * z)).round())
    }

    /// The registers as a text.
    pub(super) fn text(&self) -> String {
        self.0.iter().map(|rank| char::from(LETTERS[usize::from(*rank)])).collect()
    }

    /// The sketch that gave this text; None: no sketch did.
    pub(super) fn read(text: &str) -> Option<Self> {
        let rank = |byte: u8| LETTERS.iter().position(|letter| *letter == byte).map(cast::to_u8);
        let ranks: Vec<u8> = text.bytes().map(rank).collect::<Option<_>>()?;
        (ranks.len() == REGISTERS && ranks.iter().all(|rank| *rank <= RANK_MAX)).then_some(Self(ranks))
    }
}

/// What registers that took nothing add; infinite where none took anything.
fn sigma(mut x: f64) -> f64 {
    if x == 1.0 {
        return f64::INFINITY;
    }
    let (mut y, mut z) = (1.0, x);
    loop {
        x *= x;
        let before = z;
        z += x * y;
        y += y;
        if z == before {
            return z;
        }
    }
}

/// What registers that can take no more add.
fn tau(mut x: f64) -> f64 {
    if x == 0.0 || x == 1.0 {
        return 0.0;
    }
    let (mut y, mut z) = (1.0, 1.0 - x);
    loop {
        x = x.sqrt();
        let before = z;
        y *= 0.5;
        z -= (1.0 - x) * (1.0 - x) * y;
        if z == before {
            return z / 3.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Evenly spread bits (SplitMix64).
    fn digest(n: u64) -> u128 {
        let mut z = n.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        u128::from(z ^ (z >> 31))
    }

    #[test]
    fn counts_within_two_percent() {
        for n in [0, 1, 2, 100, 3_000, 16_384, 40_000, 300_000] {
            let mut sketch = Distinct::default();
            (0..n).for_each(|i| sketch.add(digest(i)));
            (0..n / 2).for_each(|i| sketch.add(digest(i)));
            let error = (sketch.estimate() as f64 - n as f64).abs();
            assert!(error <= (n as f64 * 0.02).max(0.5), "{n}: {}", sketch.estimate());
        }
    }

    #[test]
    fn parts_merge_to_the_sketch_of_the_whole() {
        let (mut whole, mut parts) = (Distinct::default(), [Distinct::default(), Distinct::default()]);
        for i in 0..10_000 {
            whole.add(digest(i));
            parts[(i % 2) as usize].add(digest(i));
            parts[0].add(digest(i / 3));
        }
        let [mut merged, other] = parts;
        merged.merge(&other);
        assert_eq!(merged, whole);
        assert_eq!(Distinct::read(&merged.text()), Some(whole));
        assert_eq!(Distinct::read("A"), None);
        assert_eq!(u32::from(RANK_MAX), u64::BITS - INDEX_BITS + 1);
        assert_eq!(Distinct::read(&"/".repeat(REGISTERS)), None);
    }
}
