//! Texts that are nearly the same: sketches of the sets of their runs of five words, and an index over them.
//!
//! A sketch is a `MinHash` by one permutation: each run is hashed once and the least hash of each of 64 bins is kept;
//! empty bins borrow from the next (Shrivastava and Li). The share of equal bins estimates the share of runs that two
//! texts have in common. The index finds candidates by 16 bands of four bins: at a share of 0.85 it misses one of
//! 100,000 pairs, at 0.7 one of 80. All hashes are fixed, so that the answer is the same everywhere.

use super::words::each_word;
use crate::json::{Data, Value};
use crate::model::cast;
use std::collections::HashMap;

/// Bins of a sketch; bands of the index, and bins of each.
const BINS: usize = 64;
const BANDS: usize = 16;
const ROWS: usize = BINS / BANDS;

/// Words of a run, and bits by which the hash of a word is turned for each word behind it.
const WORDS: usize = 5;
const TURN: u32 = 13;

/// Runs that a text needs to be compared: short ones are alike by chance.
const RUNS_MIN: usize = 16;

/// Members that say what something is, and which id it has.
const LABELS: [&str; 7] = ["source", "class_", "class", "type", "id", "tool_call_id", "call_id"];
/// Members that say who speaks, and names of speakers that are the same as others.
const SPEAKERS: [&str; 2] = ["role", "from"];
const SAME: [(&str, &str); 4] =
    [("human", "user"), ("gpt", "assistant"), ("function_call", "assistant"), ("observation", "tool")];

/// Spreads the bits of a hash (the finisher of `MurmurHash3`).
pub(super) fn mix(mut hash: u64) -> u64 {
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}

/// What is kept of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sketch([u32; BINS]);

impl Sketch {
    /// Of all strings below some values, in order, but for those that say what something is and which id it has, and
    /// with one name for each speaker: a conversation is the same in all spellings. None for a text too short to be
    /// compared.
    pub(super) fn of<'v>(values: impl Iterator<Item = &'v Value<'v>>) -> Option<Self> {
        let mut runs = Runs { last: [0; WORDS - 1], seen: 0, bins: [u32::MAX; BINS] };
        values.for_each(|value| runs.value(value));
        let runs_seen = runs.seen.saturating_sub(WORDS - 1);
        (runs_seen >= RUNS_MIN).then(|| Self(filled(runs.bins)))
    }

    /// The share of runs that two texts have in common, about.
    pub(super) fn share(&self, other: &Self) -> f64 {
        let equal = self.0.iter().zip(&other.0).filter(|(a, b)| a == b).count();
        equal as f64 / BINS as f64
    }

    /// What two sketches have in common that are alike, for an index.
    pub(super) fn bands(&self) -> impl Iterator<Item = u64> {
        (0..BANDS).map(|band| self.band(band))
    }

    /// Its bins, in order.
    pub(super) fn bins(&self) -> impl Iterator<Item = u32> {
        self.0.iter().copied()
    }

    fn band(&self, band: usize) -> u64 {
        let rows = &self.0[band * ROWS..(band + 1) * ROWS];
        rows.iter().fold(band as u64, |hash, &row| mix(hash.rotate_left(32) ^ u64::from(row)))
    }
}

/// Empty bins take the value of the next one that is not, shifted by how far that is.
fn filled(bins: [u32; BINS]) -> [u32; BINS] {
    let mut out = bins;
    for (i, bin) in out.iter_mut().enumerate().filter(|(_, bin)| **bin == u32::MAX) {
        let from = (1..BINS).find(|step| bins[(i + step) % BINS] != u32::MAX);
        if let Some(step) = from {
            *bin = bins[(i + step) % BINS].wrapping_add(0x9e37_79b9_u32.wrapping_mul(cast::to_u32(step)));
        }
    }
    out
}

struct Runs {
    /// Hashes of the last words, the newest first, each turned by its place in the run of the next word.
    last: [u64; WORDS - 1],
    seen: usize,
    bins: [u32; BINS],
}

impl Runs {
    fn value(&mut self, value: &Value<'_>) {
        match &value.data {
            Data::String(text) => self.text(text),
            Data::Array(items) => items.iter().for_each(|item| self.value(item)),
            Data::Object(object) => {
                for member in object.members.iter().filter(|member| !LABELS.contains(&member.key.as_ref())) {
                    let speaker = member.value.as_str().filter(|_| SPEAKERS.contains(&member.key.as_ref()));
                    match SAME.iter().find(|(other, _)| speaker == Some(other)) {
                        Some((_, name)) => self.text(name),
                        None => self.value(&member.value),
                    }
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        each_word(text, |hash| {
            // A word is turned further for each word behind it, so that other orders are other runs.
            let [one, two, three, four] = self.last;
            self.last = [hash, one, two, three].map(|word| word.rotate_left(TURN));
            self.seen += 1;
            if self.seen >= WORDS {
                let run = mix(hash ^ one ^ two ^ three ^ four);
                let (bin, value) = ((run >> 58) as usize, cast::low_u32(run));
                self.bins[bin] = self.bins[bin].min(value);
            }
        });
    }
}

/// Sketches, to be found by those that are like them. About 600 bytes each.
#[derive(Debug, Default)]
pub(super) struct Index {
    sketches: Vec<Sketch>,
    /// Of each band of each sketch the first that has it.
    bands: HashMap<u64, u32>,
}

impl Index {
    /// Adds a sketch; its number is how many were added before.
    pub(super) fn add(&mut self, sketch: Sketch) {
        let number = u32::try_from(self.sketches.len()).unwrap_or(u32::MAX);
        for band in 0..BANDS {
            self.bands.entry(sketch.band(band)).or_insert(number);
        }
        self.sketches.push(sketch);
    }

    /// The one that is most like this one, the first of several, if it shares at least so much.
    pub(super) fn find(&self, sketch: &Sketch, share: f64) -> Option<(usize, f64)> {
        let mut candidates: Vec<u32> = (0..BANDS).filter_map(|b| self.bands.get(&sketch.band(b)).copied()).collect();
        candidates.sort_unstable();
        candidates.dedup();
        let mut best: Option<(usize, f64)> = None;
        for number in candidates {
            let number = number as usize;
            let Some(other) = self.sketches.get(number) else { continue };
            let found = sketch.share(other);
            if found >= share && best.is_none_or(|(_, most)| found > most) {
                best = Some((number, found));
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{parse, quote};

    fn sketch(words: &[String]) -> Option<Sketch> {
        let text = quote(&words.join(" "));
        Sketch::of([&parse(&text).unwrap()].into_iter())
    }

    fn words(n: usize, seed: u64) -> Vec<String> {
        (0..n as u64).map(|i| format!("w{}", mix(i ^ seed << 32) % 5000)).collect()
    }

    #[test]
    fn the_share_is_about_that_of_the_sets() {
        for changed in [0, 10, 40, 100, 400] {
            let (a, mut b) = (words(2000, 1), words(2000, 1));
            for i in 0..changed {
                b[i * 2000 / changed] = format!("new{i}");
            }
            let runs =
                |words: &[String]| words.windows(WORDS).map(<[_]>::to_vec).collect::<std::collections::HashSet<_>>();
            let (x, y) = (runs(&a), runs(&b));
            let exact = x.intersection(&y).count() as f64 / x.union(&y).count() as f64;
            let share = sketch(&a).unwrap().share(&sketch(&b).unwrap());
            assert!((share - exact).abs() < 0.15, "{changed}: {share} for {exact}");
        }
        assert!(sketch(&words(2000, 1)).unwrap().share(&sketch(&words(2000, 2)).unwrap()) < 0.1);
        assert_eq!(sketch(&words(RUNS_MIN + WORDS - 2, 1)), None);
    }

    #[test]
    fn what_is_alike_is_found_among_many() {
        let mut index = Index::default();
        (0..500).for_each(|seed| index.add(sketch(&words(300, seed)).unwrap()));
        let mut changed = words(300, 77);
        changed[150] = "other".to_owned();
        let (number, share) = index.find(&sketch(&changed).unwrap(), 0.8).unwrap();
        assert!(number == 77 && share > 0.85);
        assert_eq!(index.find(&sketch(&words(300, 1000)).unwrap(), 0.5), None);
    }
}
