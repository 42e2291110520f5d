//! Sorting by words that a table does not hold: they are read again, and of each only a piece is kept.
//!
//! First all are sorted by their first bytes; those that are equal so far, by the next, and so on. So each text is read
//! once for each of its pieces that others have too, and a record takes 20 bytes.

use super::facts::{FactTable, Reread};
use super::field::Texts;
use crate::model::cast;

/// Bytes of a text that are looked at at once.
const PIECE_BYTES: usize = 15;
/// Follows such a piece when the text goes on: more than [`PIECE_BYTES`].
const GOES_ON: u8 = 16;

/// A piece of a text, and how many bytes of it there are: so that a text that ends sorts before one that goes on.
type Piece = [u8; PIECE_BYTES + 1];

/// Sorts records by a text; equal ones stay in their order, and those without it come last. None: it is no longer
/// wanted.
pub(super) fn sorted(
    facts: &FactTable,
    records: &[u32],
    text: Texts,
    is_reversed: bool,
    reader: &dyn Reread,
    is_wanted: &dyn Fn() -> bool,
) -> Option<Vec<u32>> {
    let piece = |record: u32, from: usize| {
        let entry = facts.get(record as usize);
        entry.map(|entry| piece_of(entry.with_reader(reader).text(text).as_bytes(), from)).unwrap_or_default()
    };
    let (mut keyed, mut missing) = (Vec::with_capacity(records.len()), Vec::new());
    for record in records {
        if !is_wanted() {
            return None;
        }
        match piece(*record, 0) {
            none if none[PIECE_BYTES] == 0 => missing.push(*record),
            piece => keyed.push((piece, *record)),
        }
    }
    let mut open = vec![(0..keyed.len(), 0)];
    while let Some((range, from)) = open.pop() {
        let here = &mut keyed[range.clone()];
        here.sort_by(|(a, _), (b, _)| if is_reversed { b.cmp(a) } else { a.cmp(b) });
        let mut begin = range.start;
        for equal in keyed[range].chunk_by(|(a, _), (b, _)| a == b) {
            if equal.len() > 1 && equal[0].0[PIECE_BYTES] == GOES_ON {
                open.push((begin..begin + equal.len(), from + PIECE_BYTES));
            }
            begin += equal.len();
        }
        if let Some((next, from)) = open.last().cloned() {
            for (key, record) in &mut keyed[next] {
                if !is_wanted() {
                    return None;
                }
                *key = piece(*record, from);
            }
        }
    }
    Some(keyed.into_iter().map(|(_, record)| record).chain(missing).collect())
}

fn piece_of(text: &[u8], from: usize) -> Piece {
    let rest = text.get(from..).unwrap_or_default();
    let len = rest.len().min(PIECE_BYTES);
    let mut piece = Piece::default();
    piece[..len].copy_from_slice(&rest[..len]);
    piece[PIECE_BYTES] = if rest.len() > PIECE_BYTES { GOES_ON } else { cast::to_u8(len) };
    piece
}

#[cfg(test)]
mod tests {
    use super::super::facts::tests::{bare, facts_of};
    use super::*;
    use std::cell::Cell;

    /// Texts that are read.
    #[derive(Debug)]
    struct Read(Vec<String>, Cell<usize>);

    impl Reread for Read {
        fn texts(&self, record: usize) -> (String, String) {
            self.1.set(self.1.get() + 1);
            (self.0[record].clone(), String::new())
        }

        fn whole_texts(&self, record: usize) -> (String, String) {
            self.texts(record)
        }

        fn task(&self, _record: usize) -> String {
            String::new()
        }
    }

    #[test]
    fn the_order_is_that_of_the_whole_texts_and_each_is_read_a_few_times() {
        let mut state = 5_u64;
        let mut random = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        for case in 0..60 {
            let mut text = || {
                let part = ["", "a", "a\0", "same beginning of many ids", "größe"][random(5) as usize];
                let end = ["", "\0", "x", "日", "0123456789abcdef"][random(5) as usize];
                format!("{}{end}{}", part.repeat(random(2) as usize), random(4)).trim().to_owned()
            };
            let texts: Vec<String> = (0..case).map(|i| if i % 7 == 6 { String::new() } else { text() }).collect();
            let facts: Vec<_> = texts.iter().map(|text| facts_of(text, 1, &[], None, "")).collect();
            let records: Vec<u32> = (0..case as u32).collect();
            for is_reversed in [false, true] {
                let reader = Read(texts.clone(), Cell::new(0));
                let found = sorted(&bare(&facts), &records, Texts::Id, is_reversed, &reader, &|| true).unwrap();
                let mut expected = records.clone();
                let word = |record: &u32| texts[*record as usize].as_bytes();
                expected.sort_by(|a, b| {
                    let way = if is_reversed { word(b).cmp(word(a)) } else { word(a).cmp(word(b)) };
                    word(a).is_empty().cmp(&word(b).is_empty()).then(way)
                });
                assert_eq!(found, expected, "{texts:?}");
                assert!(reader.1.get() <= texts.len() * 7, "{} of {}", reader.1.get(), texts.len());
            }
        }
    }

    #[test]
    fn what_nobody_wants_is_read_no_further() {
        let (texts, asked) = (vec!["the same text for each of them".to_owned(); 100], Cell::new(0));
        let facts: Vec<_> = texts.iter().map(|text| facts_of(text, 1, &[], None, "")).collect();
        let (reader, records) = (Read(texts, Cell::new(0)), (0..100).collect::<Vec<u32>>());
        let is_wanted = || asked.replace(asked.get() + 1) < 150;
        assert_eq!(sorted(&bare(&facts), &records, Texts::Id, false, &reader, &is_wanted), None);
        assert_eq!(reader.1.get(), 150);
    }
}
