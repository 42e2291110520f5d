//! Records that are no JSON by the strict rules, and say something all the same.

use super::describe;
use crate::json::{self, Value};
use crate::model::{Bytes, Finding, Record, RecordBody, Span};
use std::borrow::Cow;
use std::sync::Arc;

/// Bytes of a damaged document that are read, at most.
const DOCUMENT_BYTES_MAX: u64 = 256 << 20;

/// All of a record of which only the beginning was read because it is damaged, if it is a document.
pub(super) fn text_of<'t>(record: &Record, text: &'t [u8], bytes: &dyn Bytes) -> Cow<'t, [u8]> {
    let Span { offset, len } = record.place.span;
    let is_beginning = (text.len() as u64) < len && has_lines(text);
    let document = Span { offset, len: len.min(DOCUMENT_BYTES_MAX) };
    let whole = is_beginning.then(|| bytes.read(document).ok()).flatten();
    whole.map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Whether a text is a document of several lines. A single line is a record among others, of which half says nothing.
fn has_lines(text: &[u8]) -> bool {
    text.trim_ascii().contains(&b'\n')
}

/// What is wrong with a record that cannot be read as a whole; none of its parts repeats it.
pub(super) fn finding_of(record: &Record) -> Option<Arc<Finding>> {
    let RecordBody::Broken(why) = &record.body else { return None };
    Some(Arc::new(describe::invalid(record, why)))
}

/// The object of a record that is no JSON: with lone surrogate escapes, which read as U+FFFD, or of a document whose
/// end is missing or damaged, with what is whole before.
pub(super) fn value_of(text: &[u8]) -> Option<Value<'_>> {
    match std::str::from_utf8(text) {
        Ok(text) => match json::parse_lenient(text) {
            Ok(value) => with_surrogates(value),
            Err(_) => cut_document(text),
        },
        // A cut in the middle of a character.
        Err(error) => cut_document(std::str::from_utf8(text.get(..error.valid_up_to())?).ok()?),
    }
}

/// A lone surrogate in a text that a tool cut is no reason to lose the record.
fn with_surrogates(value: Value<'_>) -> Option<Value<'_>> {
    // A record with another fault may be JSON by itself: an element behind the place where its array is broken.
    (value.as_object().is_some() && json::parse(value.text).is_err()).then_some(value)
}

/// What is whole of a document.
fn cut_document(text: &str) -> Option<Value<'_>> {
    has_lines(text.as_bytes()).then(|| json::parse_cut(text)).flatten()
}
