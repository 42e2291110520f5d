//! Secrets that a stream cut into pieces: each record holds a part that is none by itself.

use super::redact::{REPLACED, Redactor, strings};
use crate::json;
use std::collections::BTreeMap;
use std::ops::Range;

/// A secret in a text that is in pieces.
struct Cut {
    kind: &'static str,
    range: Range<usize>,
}

/// Places of a text, the last ones, from which a next piece is looked for.
const PLACES_MAX: usize = 32;

/// A string of a record that may hold a piece: where it is, with its quotes, and what it says.
struct Candidate {
    place: Range<usize>,
    text: String,
}

impl Redactor {
    /// Replaces the secrets of a text that are in several of the records that hold it piece by piece, in order; one
    /// that is in a single record is found there. Returns how many there are.
    pub fn redact_pieces(&self, whole: &str, records: &mut [String]) -> usize {
        let mut cuts = self.cuts(whole);
        if cuts.is_empty() {
            return 0;
        }
        let candidates: Vec<Vec<Candidate>> = records.iter().map(|record| candidates(record)).collect();
        let pieces = pieces(whole, &candidates);
        let begins: Vec<usize> = pieces.iter().flatten().map(|(_, at)| *at).collect();
        cuts.retain(|cut| begins.iter().any(|at| cut.range.start < *at && *at < cut.range.end));
        for ((record, candidates), piece) in records.iter_mut().zip(&candidates).zip(&pieces) {
            let Some((number, at)) = *piece else { continue };
            let candidate = &candidates[number];
            let range = at..at + candidate.text.len();
            if cuts.iter().any(|cut| cut.range.start < range.end && range.start < cut.range.end) {
                record.replace_range(candidate.place.clone(), &json::quote(&without(whole, &range, &cuts)));
            }
        }
        cuts.len()
    }

    /// The secrets of a text, in order.
    fn cuts(&self, whole: &str) -> Vec<Cut> {
        let found = self.redact(&json::quote(whole)).map(|(_, secrets)| secrets).unwrap_or_default();
        let all = found.iter().flat_map(|secret| {
            let places = whole.match_indices(secret.text.as_str());
            places.map(|(at, text)| Cut { kind: secret.kind, range: at..at + text.len() })
        });
        let mut cuts: Vec<Cut> = all.collect();
        cuts.sort_by_key(|cut| (cut.range.start, usize::MAX - cut.range.end));
        let mut end = 0;
        cuts.retain(|cut| {
            let is_next = cut.range.start >= end;
            end = end.max(cut.range.end);
            is_next
        });
        cuts
    }
}

/// The strings of a record that are no keys.
fn candidates(record: &str) -> Vec<Candidate> {
    let values = strings(record).filter(|(_, end)| !record[*end..].trim_start().starts_with(':'));
    let candidate = |(start, end): (usize, usize)| {
        let text = json::unescape(&record[start + 1..end - 1]).ok()?.into_owned();
        Some(Candidate { place: start..end, text }).filter(|candidate| !candidate.text.is_empty())
    };
    values.filter_map(candidate).collect()
}

/// Which string of each record is its piece of the text, by its number, and where in the text that begins: the pieces
/// together are the text, or as much of its beginning as possible. A string may be equal to a piece by chance.
fn pieces(whole: &str, records: &[Vec<Candidate>]) -> Vec<Option<(usize, usize)>> {
    // How each place of the text is reached: by which record and string, and from where.
    let mut reached: BTreeMap<usize, Vec<(usize, usize, usize)>> = BTreeMap::from([(0, Vec::new())]);
    for (record, candidates) in records.iter().enumerate() {
        // A record adds one piece at most.
        for from in reached.keys().rev().take(PLACES_MAX).copied().collect::<Vec<_>>() {
            for (number, candidate) in candidates.iter().enumerate() {
                if whole[from..].starts_with(candidate.text.as_str()) {
                    reached.entry(from + candidate.text.len()).or_default().push((record, number, from));
                }
            }
        }
    }
    let mut found = vec![None; records.len()];
    let mut at = reached.keys().next_back().copied().unwrap_or_default();
    let mut before = records.len();
    while at > 0 {
        // The last record that leads here and comes before the one behind it.
        let ways = reached.get(&at).into_iter().flatten();
        let Some(&(record, number, from)) = ways.filter(|(record, ..)| *record < before).max() else { break };
        found[record] = Some((number, from));
        (at, before) = (from, record);
    }
    found
}

/// A piece of a text without its secrets: a mark is where each of them begins.
fn without(whole: &str, piece: &Range<usize>, cuts: &[Cut]) -> String {
    let (mut out, mut at) = (String::new(), piece.start);
    for cut in cuts.iter().filter(|cut| cut.range.end > piece.start && cut.range.start < piece.end) {
        if cut.range.start >= piece.start {
            out.push_str(&whole[at..cut.range.start]);
            out.push_str(&format!("{REPLACED}{}]", cut.kind));
        }
        at = cut.range.end.min(piece.end);
    }
    out.push_str(&whole[at..piece.end]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_in_pieces_is_replaced_where_it_begins() {
        let redactor = Redactor::new().unwrap();
        let key = format!("AKIA{}", "IOSFODNN7EXAMPLE");
        let whole = format!("my key is {key} and \"{key}\".");
        for len in [1, 3, 7, 19] {
            let pieces: Vec<&[u8]> = whole.as_bytes().chunks(len).collect();
            let texts = pieces.iter().map(|piece| json::quote(std::str::from_utf8(piece).unwrap()));
            let mut records: Vec<String> =
                texts.map(|text| format!(r#"{{"type":"delta","id":"m","delta":{text}}}"#)).collect();
            // A string of another member may begin like the text.
            records.insert(0, r#"{"type":"start","id":"m","delta":""}"#.to_owned());
            assert_eq!(redactor.redact_pieces(&whole, &mut records), 2);
            let joined: String = records
                .iter()
                .map(|record| json::parse(record).unwrap().get("delta").unwrap().as_str().unwrap().to_owned())
                .collect();
            let mark = "[REDACTED:aws-key]";
            assert_eq!(joined, format!("my key is {mark} and \"{mark}\"."), "pieces of {len} bytes");
        }
    }

    #[test]
    fn records_without_a_secret_stay_as_they_are() {
        let key = format!("AKIA{}", "IOSFODNN7EXAMPLE");
        // A secret that is in one record is found there.
        for (first, second) in [("all is ", "well"), (&*format!("{key} "), "is it"), ("", &key)] {
            let mut records: Vec<String> =
                [first, second].map(|text| format!(r#"{{"delta":{}}}"#, json::quote(text))).into();
            let before = records.clone();
            assert_eq!(Redactor::new().unwrap().redact_pieces(&format!("{first}{second}"), &mut records), 0);
            assert_eq!(records, before);
        }
    }
}
