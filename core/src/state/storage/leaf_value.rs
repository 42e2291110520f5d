//! A leaf's value as the tree keeps it: short ones inline, long ones as a span of the input.

use super::arena::Arena;
use crate::json::{self, Data, Value};
use crate::model::cast;
use crate::model::{Bytes, Chunks, Problem, Span};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Longest canonical text that is kept inline, in bytes.
pub(in crate::state) const INLINE_MAX: usize = 22;
/// Shortest string, in bytes, whose canonical text is not made only to be digested.
const STREAMED_MIN: usize = 64 << 10;

/// A value that the state holds, as canonical JSON text ([`json::compact`]) or as the place of its source text.
///
/// Two are equal when their JSON texts are: numbers as written (`1` is not `1.0`), strings decoded.
#[derive(Debug, Clone)]
pub enum Stored {
    /// The canonical text itself.
    Inline {
        /// Bytes used.
        len: u8,
        /// The text.
        text: [u8; INLINE_MAX],
    },
    /// A longer value.
    Long(Long),
}

/// A value too long to be in the tree.
#[derive(Debug, Clone)]
pub struct Long {
    digest: [u8; 16],
    /// First byte of the canonical text, which gives the JSON type.
    first: u8,
    text: LongText,
}

#[derive(Debug, Clone)]
enum LongText {
    Span(Span),
    Text(Arc<str>),
}

impl Stored {
    /// Keeps a value read from the input; `base` is the offset in the input of the text that the value was parsed from.
    #[must_use]
    pub fn of(value: &Value<'_>, base: u64) -> Self {
        let span = Span { offset: base, len: 0 }.part(value.start, value.text.len());
        let text = match &value.data {
            // Without an escape a string is written as it is printed.
            Data::String(_) if memchr::memchr(b'\\', value.text.as_bytes()).is_none() => Cow::Borrowed(value.text),
            Data::String(text) if text.len() > STREAMED_MIN => return Self::long_string(text, span),
            Data::String(_) | Data::Array(_) | Data::Object(_) => Cow::Owned(json::compact(value)),
            _ => Cow::Borrowed(value.text),
        };
        Self::short_of(&text).unwrap_or_else(|| Self::long(&text, LongText::Span(span)))
    }

    /// Keeps a value that is nowhere in the input: its canonical JSON text.
    #[must_use]
    pub fn text_of(text: &str) -> Self {
        Self::short_of(text).unwrap_or_else(|| Self::long(text, LongText::Text(text.into())))
    }

    fn short_of(text: &str) -> Option<Self> {
        (text.len() <= INLINE_MAX).then(|| Self::inline(text.as_bytes()))
    }

    /// A text of at most [`INLINE_MAX`] bytes.
    pub(in crate::state) fn inline(text: &[u8]) -> Self {
        let mut bytes = [0; INLINE_MAX];
        let len = text.len().min(INLINE_MAX);
        bytes[..len].copy_from_slice(&text[..len]);
        Self::Inline { len: cast::to_u8(len), text: bytes }
    }

    fn long(canonical: &str, text: LongText) -> Self {
        let mut digest = [0; 16];
        digest.copy_from_slice(&Sha256::digest(canonical.as_bytes())[..16]);
        Self::Long(Long { digest, first: canonical.as_bytes().first().copied().unwrap_or_default(), text })
    }

    /// A long string with escapes, whose canonical text is never made as a whole.
    fn long_string(text: &str, span: Span) -> Self {
        let mut hash = Sha256::new();
        // Digests take all that is written to them.
        let _ = json::write_quoted(text, &mut hash);
        let mut digest = [0; 16];
        digest.copy_from_slice(&hash.finalize()[..16]);
        Self::Long(Long { digest, first: b'"', text: LongText::Span(span) })
    }

    /// The canonical JSON text; reads the input for a long value.
    ///
    /// # Errors
    /// The input no longer holds it.
    pub fn text(&self, bytes: &dyn Bytes) -> Result<Cow<'_, str>, Problem> {
        match self {
            Self::Inline { len, text } => Ok(String::from_utf8_lossy(&text[..usize::from(*len)])),
            Self::Long(long) => match &long.text {
                LongText::Text(text) => Ok(Cow::Borrowed(text)),
                LongText::Span(span) => {
                    let raw = bytes.read(*span)?;
                    let text = std::str::from_utf8(&raw).map_err(|_| Problem::gone(*span))?;
                    let value = json::parse(text).map_err(|_| Problem::gone(*span))?;
                    Ok(Cow::Owned(json::compact(&value)))
                }
            },
        }
    }

    /// The text if it is kept in memory (no read needed).
    #[must_use]
    pub fn short(&self) -> Option<&str> {
        match self {
            Self::Inline { len, text } => std::str::from_utf8(&text[..usize::from(*len)]).ok(),
            Self::Long(long) => match &long.text {
                LongText::Text(text) => Some(text),
                LongText::Span(_) => None,
            },
        }
    }

    /// The first byte of the canonical text, which gives the JSON type; known without a read.
    #[must_use]
    pub fn first_byte(&self) -> u8 {
        match self {
            Self::Inline { text, .. } => text[0],
            Self::Long(long) => long.first,
        }
    }

    /// Where its source text is, for a long value of the input.
    #[must_use]
    pub fn span(&self) -> Option<Span> {
        match self {
            Self::Long(long) => match long.text {
                LongText::Span(span) => Some(span),
                LongText::Text(_) => None,
            },
            Self::Inline { .. } => None,
        }
    }
}

/// Long values by number, 32 bytes each, and the texts of those that are nowhere in the input.
#[derive(Debug, Default)]
pub(in crate::state) struct Longs {
    list: Chunks<PackedLong>,
    texts: Arena<u8>,
    /// What is longer than [`PACKED_BYTES_MAX`], or than a number of 32 bits reports.
    other: Vec<LongText>,
}

/// A long value as it is kept.
#[derive(Debug)]
struct PackedLong {
    digest: [u8; 16],
    /// Its first byte in the input, or among the texts; with the length [`OTHER`] a number of the others.
    offset: u64,
    len: u32,
    first: u8,
    is_text: bool,
}

const OTHER: u32 = u32::MAX;

/// The longest text that is packed with others; a longer one gains little, and would be copied whenever it is read.
const PACKED_BYTES_MAX: usize = 4096;

impl Longs {
    /// Appends a value; its number.
    pub(in crate::state) fn push(&mut self, long: Long) -> u32 {
        let Long { digest, first, text } = long;
        let (offset, len, is_text) = match &text {
            LongText::Span(Span { offset, len }) if *len < u64::from(OTHER) => (*offset, cast::to_u32(*len), false),
            LongText::Text(text) if text.len() <= PACKED_BYTES_MAX => {
                (self.texts.keep(text.as_bytes()) as u64, cast::to_u32(text.len()), true)
            }
            _ => {
                self.other.push(text);
                (self.other.len() as u64 - 1, OTHER, false)
            }
        };
        self.list.push(PackedLong { digest, offset, len, first, is_text });
        cast::to_u32(self.list.len()) - 1
    }

    /// A value by its number.
    pub(in crate::state) fn get(&self, number: u32) -> Long {
        let PackedLong { digest, offset, len, first, is_text } = self.list[number as usize];
        let text = match len {
            len if is_text => {
                let text = self.texts.of(cast::to_usize(offset), len as usize);
                LongText::Text(String::from_utf8_lossy(text).into())
            }
            OTHER => self.other[cast::to_usize(offset)].clone(),
            len => LongText::Span(Span { offset, len: u64::from(len) }),
        };
        Long { digest, first, text }
    }

    /// Whether a value equals another.
    pub(in crate::state) fn is_equal(&self, number: u32, long: &Long) -> bool {
        self.list[number as usize].digest == long.digest
    }
}

impl PartialEq for Long {
    fn eq(&self, other: &Self) -> bool {
        self.digest == other.digest
    }
}

impl PartialEq for Stored {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Inline { len: a, text: x }, Self::Inline { len: b, text: y }) => a == b && x == y,
            (Self::Long(a), Self::Long(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Stored {}

impl Hash for Stored {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Inline { len, text } => state.write(&text[..usize::from(*len)]),
            Self::Long(long) => state.write(&long.digest),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_huge_string_is_what_its_canonical_text_is() {
        let text = format!("\"{}\"", "\\u00e9\\n\\u001b\\/".repeat(STREAMED_MIN));
        let value = json::parse(&text).unwrap();
        assert_eq!(Stored::of(&value, 0), Stored::text_of(&json::compact(&value)));
        assert_eq!(Stored::of(&value, 0).first_byte(), b'"');
    }

    #[test]
    fn long_values_come_out_as_they_went_in() {
        let text = format!("\"{}\"", "x".repeat(30));
        let spans = [(7, 40), (u64::MAX, 1 << 40), (0, u64::from(OTHER) - 1), (1, u64::from(OTHER))];
        let spans = spans.map(|(offset, len)| LongText::Span(Span { offset, len }));
        let mut longs = Longs::default();
        let values: Vec<Stored> =
            spans.into_iter().map(|span| Stored::long(&text, span)).chain([Stored::text_of(&text)]).collect();
        for (number, value) in (0..).zip(&values) {
            let Stored::Long(long) = value.clone() else { panic!("a long value") };
            assert_eq!(longs.push(long), number);
        }
        for (number, value) in (0..).zip(&values) {
            let (stored, other) = (longs.get(number), Stored::long("other", LongText::Text("other".into())));
            let (Stored::Long(value), Stored::Long(other)) = (value, other) else { panic!("long values") };
            assert!(longs.is_equal(number, value) && !longs.is_equal(number, &other));
            assert_eq!(format!("{stored:?}"), format!("{value:?}"));
        }
        assert_eq!((size_of::<PackedLong>(), longs.other.len()), (32, 2));
    }
}
