//! A value in one line, coloured by its JSON type.

use super::{Open, Piece, history};
use crate::model::{Bytes, StepNo};
use crate::state::{IdentityId, Stored};
use crate::text::{Role, SafeText};
pub use crate::text::{count_of, count_text, size_text};

/// Longest part of a value that one line can need, in bytes of JSON text.
const PREVIEW_BYTES: usize = 2_000;

/// The role of a JSON text by its first byte.
#[must_use]
pub fn role_of(json: &str) -> Role {
    match json.as_bytes().first() {
        Some(b'"') => Role::JsonString,
        Some(b't' | b'f') => Role::JsonBool,
        Some(b'n') => Role::JsonNull,
        Some(b'{' | b'[') => Role::Punct,
        _ => Role::JsonNumber,
    }
}

/// JSON text cut to what a line can show, as a piece. A whole string that is a reference is coloured as one.
#[must_use]
pub fn piece(json: &str) -> Piece {
    let mut end = json.len().min(PREVIEW_BYTES);
    while !json.is_char_boundary(end) {
        end -= 1;
    }
    let role = if json.starts_with("\"†") { Role::Reference } else { role_of(json) };
    let mut text = SafeText::of(&json[..end]);
    if end < json.len() {
        text = text.join(&SafeText::literal("…"));
    }
    Piece::safe(role, text)
}

/// A stored value as a piece; of a long one only the beginning is read.
#[must_use]
pub fn stored(value: &Stored, bytes: &dyn Bytes) -> Piece {
    if let Some(text) = value.short() {
        return piece(text);
    }
    match value.span() {
        Some(span) if span.len > PREVIEW_BYTES as u64 => {
            let head = crate::model::Span { offset: span.offset, len: PREVIEW_BYTES as u64 };
            match bytes.read(head) {
                Ok(raw) => {
                    let text = String::from_utf8_lossy(&raw).trim_end_matches('\u{FFFD}').to_owned();
                    let size = Piece::of(Role::Dim, &format!("  {}", size_text(span.len)));
                    let shown = piece(&text);
                    Piece::safe(shown.role, shown.text.join(&SafeText::literal("…")).join(&size.text))
                }
                Err(problem) => Piece::of(Role::Error, &problem.message),
            }
        }
        _ => match value.text(bytes) {
            Ok(text) => piece(&text),
            Err(problem) => Piece::of(Role::Error, &problem.message),
        },
    }
}

/// What is known of an identity beside its value, as much as there is room for: `FILE_IDS from north_search 10:00:04`.
#[must_use]
pub fn note(open: &Open<'_>, id: IdentityId, step: StepNo, room: usize) -> Vec<Piece> {
    let Some((text, when)) = open.run().note(id, step) else { return Vec::new() };
    let route = open.run().route(id, step).map(|field| format!("  {text} → {field}"));
    let timed = |text: &str| when.as_ref().map(|when| format!("{text} {}", history::clock(when)));
    let kind = text.split_whitespace().next().unwrap_or_default();
    let routed = open.run().route(id, step).map(|field| format!("  {kind} → {field}"));
    let full = [route.as_deref().and_then(timed), route, routed, timed(&format!("  {text}"))];
    let short = format!("  {kind}");
    let labels = full.into_iter().flatten().chain([format!("  {text}"), short]);
    let pieces = labels.map(|label| Piece::of(Role::Dim, &label));
    pieces.into_iter().find(|piece| piece.width() <= room).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_cut_says_so() {
        let text = |n: usize| piece(&format!("\"{}\"", "ü".repeat(n))).text.as_str().to_owned();
        assert_eq!(text(3), "\"üüü\"");
        let cut = text(PREVIEW_BYTES);
        assert!(cut.ends_with("ü…") && cut.len() <= PREVIEW_BYTES + '…'.len_utf8(), "{}", cut.len());
    }
}
