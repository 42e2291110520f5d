//! What is found in a text that several records hold piece by piece, as a stream does, and in no piece by itself.

use super::personal::PERSONAL;
use super::texts::{every_secret, first};
use super::{located_finding, secrets};
use crate::json;
use crate::model::{LocatedFinding, Record, Severity};

/// What `data.secret` and `data.personal` find in a text whose pieces are in these records, and in none of them: at the
/// first of the records.
#[must_use]
pub fn in_pieces(whole: &str, records: &[(Record, String)]) -> Vec<LocatedFinding> {
    let personal = || PERSONAL.iter().filter_map(|kind| kind.message(whole)).map(|message| ("data.personal", message));
    let secret = secrets::secrets(whole).into_iter().map(|message| ("data.secret", message));
    let mut found: Vec<(&'static str, String)> = secret.chain(personal()).collect();
    if found.is_empty() {
        return Vec::new();
    }
    for (_, text) in records {
        let known = found_in(text);
        found.retain(|(_, message)| !known.contains(message));
    }
    let Some((begin, end)) = records.first().zip(records.last()) else { return Vec::new() };
    let at = |(rule, message): (&'static str, String)| {
        let message = format!("{message}; it comes in pieces, in records {} to {}", begin.0.number, end.0.number);
        located_finding(begin.0.number, None, String::new(), rule, Severity::Warning, message, begin.0.place)
    };
    found.into_iter().map(at).collect()
}

/// What is found in a record by itself.
fn found_in(record: &str) -> Vec<String> {
    let Ok(value) = json::parse_lenient(record) else { return Vec::new() };
    let secret = every_secret(&value).into_iter().map(|(_, _, message)| message);
    let personal = PERSONAL.iter().filter_map(|kind| first(&value, &|text| kind.message(text)));
    secret.chain(personal.map(|(_, _, message)| message)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Place, RecordBody, Span};

    #[test]
    fn what_no_piece_shows_is_found_in_all_of_them() {
        let record = |number: usize, text: &str| {
            let place = Place { span: Span { offset: 0, len: text.len() as u64 }, line: number as u64 + 1 };
            (Record { number, place, body: RecordBody::Text, is_row: false }, text.to_owned())
        };
        let pieces = [r#"{"delta":"mail jo.mi"}"#, r#"{"delta":"ller@uni-"}"#, r#"{"delta":"x.de now"}"#];
        let records: Vec<_> = pieces.iter().enumerate().map(|(number, text)| record(number + 3, text)).collect();
        let found = in_pieces("mail jo.miller@uni-x.de now", &records);
        assert_eq!((found.len(), found[0].finding.record, found[0].finding.rule), (1, 3, "data.personal"));
        assert!(found[0].finding.message.contains("in records 3 to 5"), "{}", found[0].finding.message);
        let whole = [record(0, r#"{"delta":"jo.miller@uni-x.de"}"#), record(1, r#"{"delta":" now"}"#)];
        assert!(in_pieces("jo.miller@uni-x.de now", &whole).is_empty(), "the record shows it");
    }
}
