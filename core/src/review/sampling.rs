//! Drawing lots that fall alike on every machine and in every order: parts of a dataset, and samples of it.

use crate::json::Value;
use crate::rules::trajectory;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// 64 bits of a seed and some bytes.
#[must_use]
pub fn lot(seed: u64, bytes: &[u8]) -> u64 {
    let mut hash = Sha256::new();
    hash.update(seed.to_be_bytes());
    hash.update(bytes);
    hash.finalize().iter().take(8).fold(0, |bits, byte| (bits << 8) | u64::from(*byte))
}

/// The id of a record, or what stands for one, by which it falls to a part. None: its content decides.
#[must_use]
pub fn record_id(record: &Value<'_>) -> Option<String> {
    trajectory::record_id(record).map(|id| id.as_str().unwrap_or(id.text).to_owned())
}

/// Parts of a dataset with their shares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    shares: Vec<u64>,
}

/// Thousandths that a share is counted in.
const UNIT: u64 = 1_000;

impl Split {
    /// Reads `90/5/5` or `80/20`: two or three shares that need not sum up to 100.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let share = |part: &str| {
            let (whole, rest) = part.trim().split_once('.').unwrap_or((part.trim(), "0"));
            let is_number = |t: &str, max: usize| (1..=max).contains(&t.len()) && t.bytes().all(|b| b.is_ascii_digit());
            let is_share = is_number(whole, 6) && is_number(rest, 3);
            let rest: u64 = format!("{rest:0<3}").parse().ok().filter(|_| is_share)?;
            Some(whole.parse::<u64>().ok()? * UNIT + rest)
        };
        let shares: Vec<u64> = text.split('/').map(share).collect::<Option<_>>()?;
        let is_split = (2..=3).contains(&shares.len()) && shares.iter().sum::<u64>() > 0;
        is_split.then_some(Self { shares })
    }

    /// The shares as they were asked for.
    #[must_use]
    pub fn describe(&self) -> String {
        let share = |share: &u64| match share % UNIT {
            0 => (share / UNIT).to_string(),
            rest => format!("{}.{rest:03}", share / UNIT).trim_end_matches('0').to_owned(),
        };
        self.shares.iter().map(share).collect::<Vec<_>>().join("/")
    }

    /// Names of the parts: train and test, or train, val and test.
    #[must_use]
    pub fn names(&self) -> &'static [&'static str] {
        if self.shares.len() == 2 { &["train", "test"] } else { &["train", "val", "test"] }
    }

    /// The part to which an id falls. It depends on nothing else, so records of one id stay together.
    #[must_use]
    pub fn part(&self, seed: u64, id: &[u8]) -> usize {
        let all = u128::from(self.shares.iter().sum::<u64>());
        let mut place = (u128::from(lot(seed, id)) * all) >> 64;
        for (part, share) in self.shares.iter().enumerate() {
            match place.checked_sub(u128::from(*share)) {
                None => return part,
                Some(rest) => place = rest,
            }
        }
        self.shares.len() - 1
    }
}

/// A random sample of records in which each group has about its share.
#[derive(Debug, Default)]
pub struct Sample {
    groups: BTreeMap<String, Vec<(u64, u64)>>,
}

impl Sample {
    /// Takes a record into account: its group, its content, its number.
    pub fn add(&mut self, seed: u64, group: String, content: &[u8], number: u64) {
        self.groups.entry(group).or_default().push((lot(seed, content), number));
    }

    /// The numbers of the records drawn, in order: `count`, or all if there are no more. Each group gets its share,
    /// rounded so that the sum is right; of two equal remainders the first name wins.
    #[must_use]
    pub fn draw(mut self, count: usize) -> Vec<u64> {
        let all: usize = self.groups.values().map(Vec::len).sum();
        let count = count.min(all);
        let share = |len: usize| (len as u128 * count as u128 / all.max(1) as u128) as usize;
        let rest = |len: usize| len as u128 * count as u128 % all.max(1) as u128;
        let left = count - self.groups.values().map(|group| share(group.len())).sum::<usize>();
        let mut remainders: Vec<(u128, &String)> = self.groups.iter().map(|(name, g)| (rest(g.len()), name)).collect();
        remainders.sort_by(|(a, x), (b, y)| b.cmp(a).then_with(|| x.cmp(y)));
        let lucky: BTreeSet<String> = remainders.into_iter().take(left).map(|(_, name)| name.clone()).collect();
        let mut drawn = Vec::with_capacity(count);
        for (name, group) in &mut self.groups {
            group.sort_unstable();
            let n = share(group.len()) + usize::from(lucky.contains(name));
            drawn.extend(group.iter().take(n).map(|(_, number)| *number));
        }
        drawn.sort_unstable();
        drawn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read_and_kept_to() {
        for wrong in ["", "90", "1/2/3/4", "a/b", "-1/2", "0/0", "1//2", "1.2345/1", "9999999/1"] {
            assert_eq!(Split::parse(wrong), None, "{wrong}");
        }
        let split = Split::parse("90/5/5").unwrap();
        let mut counts = [0; 3];
        (0..20_000).for_each(|i: u32| counts[split.part(0, &i.to_be_bytes())] += 1);
        assert!((17_700..18_300).contains(&counts[0]), "{counts:?}");
        assert!(counts[1..].iter().all(|n| (850..1_150).contains(n)), "{counts:?}");
        assert_eq!(Split::parse("2.50/097.125").unwrap().describe(), "2.5/97.125");
        let none = Split::parse("0/100").unwrap();
        assert!((0..100).all(|i: u32| none.part(7, &i.to_be_bytes()) == 1));
        assert_eq!((Split::parse("2.5/97.5").unwrap().names(), split.names().len()), (&["train", "test"][..], 3));
    }

    #[test]
    fn a_lot_is_the_same_on_every_machine() {
        let split = Split::parse("1/1").unwrap();
        let parts: Vec<usize> = ["a", "b", "c", "d", "e", "f"].map(|id| split.part(0, id.as_bytes())).to_vec();
        assert_eq!(parts, [1, 0, 0, 1, 1, 0]);
        assert_eq!(lot(1, b"x"), 184_381_458_756_497_340);
    }

    #[test]
    fn a_sample_keeps_the_shares_of_groups() {
        let sample = |seed, numbers: &mut dyn Iterator<Item = u64>| {
            let mut sample = Sample::default();
            for n in numbers {
                let group = if n % 4 == 0 { "rare" } else { "often" };
                sample.add(seed, group.to_owned(), &n.to_be_bytes(), n);
            }
            sample.draw(20)
        };
        let drawn = sample(0, &mut (0..400));
        assert_eq!((drawn.len(), drawn.iter().filter(|n| *n % 4 == 0).count()), (20, 5));
        assert_eq!(drawn, sample(0, &mut (0..400).rev()), "in whatever order they come");
        assert_ne!(drawn, sample(1, &mut (0..400)));
        assert_eq!(sample(0, &mut (0..7)).len(), 7);
        assert_eq!(sample(0, &mut (0..0)), [0; 0]);
        let mut three = Sample::default();
        (0..3).for_each(|n| three.add(0, n.to_string(), &[n], u64::from(n)));
        assert_eq!(three.draw(2), [0, 1], "of equal remainders the first names");
    }
}
