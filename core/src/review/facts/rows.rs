//! Rows of facts in as few bytes as their numbers ask for.
//!
//! A row begins with its length, so that one is passed over without a look at it.

use crate::model::cast;
use crate::model::varint::{PackedList, put, take};

/// The numbers of a record. What stands for a word is its number in a dictionary.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Row {
    pub(super) bytes: u64,
    pub(super) is_read: bool,
    pub(super) steps: u64,
    pub(super) chars: u64,
    pub(super) tokens: u64,
    /// Its place in the list of amounts, from 1; 0 without one.
    pub(super) reward: u64,
    pub(super) finish: u64,
    pub(super) errors: u64,
    pub(super) warnings: u64,
    pub(super) failed: u64,
    pub(super) suspect: u64,
    /// What it reports of its run; None: nothing.
    pub(super) run: Option<RunRow>,
    /// Bytes of the id and of the first words.
    pub(super) texts: [u64; 2],
    /// How many names there are: tools, classes, rules.
    pub(super) names: [u64; 3],
}

/// What a record reports of its run; 0 is what it does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct RunRow {
    /// Numbers of names, and 1.
    pub(super) agent: u64,
    pub(super) model: u64,
    /// Its place in the list of amounts, from 1.
    pub(super) cost: u64,
    /// Microseconds; tokens read, written, read from a cache and written into one. Each and 1.
    pub(super) counts: [u64; 5],
}

/// Packed rows, with the names that each has and how often.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// Before each, where its texts begin.
    list: PackedList<usize>,
    /// Bytes of the texts of all.
    texts: usize,
}

/// Where a row is.
#[derive(Debug, Clone, Copy)]
pub(super) struct At<'r> {
    /// It, after its length, and all that follow.
    bytes: &'r [u8],
    /// Where its texts begin.
    pub(super) text: usize,
}

impl Rows {
    /// Takes the next row, and its names by number with how often each occurs.
    pub(super) fn push(&mut self, row: &Row, names: &[(u64, u64)]) {
        let Row { bytes, is_read, steps, chars, tokens, reward, finish, errors, warnings, .. } = *row;
        let Row { failed, suspect, run, texts, names: counts, .. } = *row;
        let numbers = [bytes, is_read.into(), steps, chars, tokens, reward, finish, errors, warnings, failed, suspect];
        let mut packed = Vec::with_capacity(64);
        let of_run = run.map(|run| [run.agent, run.model, run.cost].into_iter().chain(run.counts));
        let numbers = texts.into_iter().chain(numbers).chain([run.is_some().into()]);
        let numbers = numbers.chain(of_run.into_iter().flatten()).chain(counts);
        numbers.chain(names.iter().flat_map(|(name, n)| [*name, *n])).for_each(|number| put(&mut packed, number));
        self.list.push(self.texts, |out| {
            put(out, packed.len() as u64);
            out.append(&mut packed);
        });
        self.texts += cast::to_usize(texts.iter().sum::<u64>());
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Bytes that they take.
    #[cfg(test)]
    pub(super) fn size(&self) -> usize {
        self.list.size()
    }

    /// Gives back what is not needed.
    pub(super) fn shrink_to_fit(&mut self) {
        self.list.shrink_to_fit();
    }

    /// The row of that number.
    pub(super) fn get(&self, number: usize) -> Option<At<'_>> {
        let (mut rows, skipped) = self.near(number);
        rows.nth(skipped)
    }

    /// All rows.
    pub(super) fn iter(&self) -> impl Iterator<Item = At<'_>> {
        self.near(0).0
    }

    /// Those from one on that can be found at once, at or before that number, and how many come before it.
    fn near(&self, number: usize) -> (impl Iterator<Item = At<'_>>, usize) {
        let (mut rest, mut text, skipped) = self.list.near(number).unwrap_or_default();
        let rows = std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let len = cast::to_usize(take(&mut rest));
            let here = At { bytes: rest, text };
            let mut texts = rest;
            text += cast::to_usize(take(&mut texts) + take(&mut texts));
            rest = &rest[len..];
            Some(here)
        });
        (rows, skipped)
    }
}

impl<'r> At<'r> {
    /// Its numbers.
    pub(super) fn row(self) -> Row {
        self.apart().0
    }

    /// `taken` of its names by number, after the first `skipped`, with the count of each.
    pub(super) fn names(self, skipped: u64, taken: u64) -> impl Iterator<Item = (u64, u64)> + use<'r> {
        let mut rest = self.apart().1;
        let mut pair = move || (take(&mut rest), take(&mut rest));
        (0..skipped).for_each(|_| {
            pair();
        });
        (0..taken).map(move |_| pair())
    }

    /// Its numbers, and what follows them.
    fn apart(self) -> (Row, &'r [u8]) {
        let mut rest = self.bytes;
        let mut next = || take(&mut rest);
        // In the order in which they were put.
        let texts = [next(), next()];
        let (bytes, is_read, steps, chars, tokens) = (next(), next() == 1, next(), next(), next());
        let (reward, finish, errors, warnings) = (next(), next(), next(), next());
        let (failed, suspect) = (next(), next());
        let run = (next() == 1).then(|| {
            let (agent, model, cost) = (next(), next(), next());
            RunRow { agent, model, cost, counts: [next(), next(), next(), next(), next()] }
        });
        let names = [next(), next(), next()];
        let row = Row {
            bytes,
            is_read,
            steps,
            chars,
            tokens,
            reward,
            finish,
            errors,
            warnings,
            failed,
            suspect,
            run,
            texts,
            names,
        };
        (row, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number() -> impl Strategy<Value = u64> {
        prop_oneof![0..3_u64, 120..140_u64, any::<u64>(), Just(u64::MAX)]
    }

    fn row() -> impl Strategy<Value = (Row, Vec<(u64, u64)>)> {
        let names = || prop::collection::vec((number(), number()), 0..5);
        let numbers = prop::collection::vec(number(), 18);
        ((0..200_u64, 0..200_u64), any::<[bool; 2]>(), numbers, [names(), names(), names()]).prop_map(
            |((id, words), [is_read, has_run], n, names)| {
                let [bytes, steps, chars, tokens] = [n[0], n[1], n[2], n[3]];
                let [reward, finish, errors, warnings] = [n[4], n[5], n[6], n[7]];
                let [failed, suspect] = [n[8], n[9]];
                let counts = [n[13], n[14], n[15], n[16], n[17]];
                let run = has_run.then_some(RunRow { agent: n[10], model: n[11], cost: n[12], counts });
                let (texts, counts) = ([id, words], names.each_ref().map(|names| names.len() as u64));
                let row = Row {
                    bytes,
                    is_read,
                    steps,
                    chars,
                    tokens,
                    reward,
                    finish,
                    errors,
                    warnings,
                    failed,
                    suspect,
                    run,
                    texts,
                    names: counts,
                };
                (row, names.concat())
            },
        )
    }

    proptest! {
        #[test]
        fn rows_come_back_as_they_were_put(all in prop::collection::vec(row(), 0..50)) {
            let mut rows = Rows::default();
            all.iter().for_each(|(row, names)| rows.push(row, names));
            prop_assert_eq!(rows.len(), all.len());
            let mut text = 0;
            for (i, (row, names)) in all.iter().enumerate() {
                let at = rows.get(i).unwrap();
                prop_assert_eq!((at.row(), at.text as u64), (*row, text));
                let [tools, classes, rules] = row.names;
                let parts = [(0, tools), (tools, classes), (tools + classes, rules)];
                let found: Vec<_> = parts.into_iter().flat_map(|(skipped, taken)| at.names(skipped, taken)).collect();
                prop_assert_eq!(&found, names);
                text += row.texts.iter().sum::<u64>();
            }
            let put: Vec<Row> = all.iter().map(|(row, _)| *row).collect();
            prop_assert_eq!(rows.iter().map(At::row).collect::<Vec<_>>(), put);
            prop_assert!(rows.get(all.len()).is_none());
        }
    }
}
