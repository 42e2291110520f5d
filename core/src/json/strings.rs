//! The inside of strings, looked at many bytes at a time: where the part ends that needs no closer look.

use wide::u8x16;

/// The character that an escape of one letter means; 0: the letter makes none. A table, since which letter comes next
/// cannot be guessed.
pub(super) fn escaped(letter: u8) -> u8 {
    const ESCAPED: [u8; 256] = {
        let (letters, characters) = (b"\"\\/bfnrt", b"\"\\/\x08\x0C\n\r\t");
        let (mut table, mut i) = ([0; 256], 0);
        while i < letters.len() {
            table[letters[i] as usize] = characters[i];
            i += 1;
        }
        table
    };
    ESCAPED[letter as usize]
}

/// Length of the part before the first quote, backslash or control character.
pub(super) fn plain_text(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(block) = text[at..].first_chunk() {
        if let Some(stop) = Stops::<0>::new().first(block) {
            return at + stop;
        }
        at += 16;
    }
    at + plain_rest::<0>(&text[at..])
}

/// Length of the part, escapes of one letter included, before the first quote, control character or other escape.
pub(super) fn inside_text(text: &[u8]) -> usize {
    inside_before::<0>(text)
}

/// Length of the part, escapes of one letter included, before the first quote, control character, byte beyond ASCII or
/// other escape.
pub(super) fn inside(text: &[u8]) -> usize {
    inside_before::<0x80>(text)
}

/// Length of the part before the first quote, backslash, control character or byte with the bit `STOP`, byte by byte.
fn plain_rest<const STOP: u8>(text: &[u8]) -> usize {
    let is_stop = |b: &u8| *b < 0x20 || matches!(b, b'"' | b'\\') || *b & STOP != 0;
    text.iter().position(is_stop).unwrap_or(text.len())
}

/// The same beyond escapes of one letter.
fn inside_rest<const STOP: u8>(text: &[u8]) -> usize {
    let mut at = plain_rest::<STOP>(text);
    while let Some(&[b'\\', letter]) = text.get(at..at + 2)
        && escaped(letter) != 0
    {
        at += 2;
        at += plain_rest::<STOP>(&text[at..]);
    }
    at
}

/// Stops at the bit `STOP` too: the highest, or 0 for none.
fn inside_before<const STOP: u8>(text: &[u8]) -> usize {
    let stops = Stops::<STOP>::new();
    // Most strings are short and have no escape.
    if let Some(block) = text.first_chunk()
        && let Some(stop) = stops.first(block).filter(|stop| block[*stop] != b'\\')
    {
        return stop;
    }
    let (mut at, mut is_escaped) = (0, false);
    while let Some(block) = text[at..].first_chunk() {
        match stops.inside(block, &mut is_escaped) {
            Some(Stop::At(n)) => return at + n,
            Some(Stop::BadLetter(n)) => return at + n - 1,
            None => at += block.len(),
        }
    }
    // The backslash of an escape whose letter comes next is looked at again.
    at -= usize::from(is_escaped);
    at + inside_rest::<STOP>(&text[at..])
}

/// What a block of text is compared with.
struct Stops<const STOP: u8> {
    quote: u8x16,
    backslash: u8x16,
    control: u8x16,
    beyond: u8x16,
}

/// Why a block is not all inside.
enum Stop {
    At(usize),
    /// The letter of an escape that has more than one letter; its backslash precedes it.
    BadLetter(usize),
}

impl<const STOP: u8> Stops<STOP> {
    // Without link-time optimization a `map` over the four bytes is a call for every string: 10 % of `stats`.
    #[inline]
    fn new() -> Self {
        Self {
            quote: u8x16::splat(b'"'),
            backslash: u8x16::splat(b'\\'),
            control: u8x16::splat(0x1F),
            beyond: u8x16::splat(STOP & 0x80),
        }
    }

    /// The first stop of a block, backslashes included.
    #[inline]
    fn first(&self, block: &[u8; 16]) -> Option<usize> {
        let bytes = u8x16::new(*block);
        let stops = bytes.cmp_eq(self.quote) | bytes.cmp_eq(self.backslash) | self.never(bytes);
        let stops = stops.move_mask();
        (stops != 0).then(|| stops.trailing_zeros() as usize)
    }

    /// Bytes that must not be there, escaped or not; the highest bit of each byte reports.
    fn never(&self, bytes: u8x16) -> u8x16 {
        bytes.cmp_eq(bytes.min(self.control)) | (bytes & self.beyond)
    }

    /// The first stop of a block, if any. `is_escaped` says whether an escape began before it, and then whether one
    /// begins with its last byte.
    fn inside(&self, block: &[u8; 64], is_escaped: &mut bool) -> Option<Stop> {
        let (parts, _) = block.as_chunks::<16>();
        let quotes = bits(parts, |part| part.cmp_eq(self.quote));
        let backslashes = bits(parts, |part| part.cmp_eq(self.backslash));
        let nevers = bits(parts, |part| self.never(part));
        let letters = letters(backslashes, is_escaped);
        let bad = match letters & !(quotes | backslashes) {
            0 => 0,
            other => other & !bits(parts, |part| is_any(part, *b"nt")),
        };
        let bad = if bad == 0 { 0 } else { bad & !bits(parts, |part| is_any(part, *b"/bfr")) };
        let stops = (quotes & !letters) | nevers | bad;
        let first = stops.trailing_zeros() as usize;
        (stops != 0).then(|| if bad >> first & 1 == 1 { Stop::BadLetter(first) } else { Stop::At(first) })
    }
}

/// One bit for each byte, the first the lowest.
fn bits(parts: &[[u8; 16]], is_wanted: impl Fn(u8x16) -> u8x16) -> u64 {
    // A mask of 16 lanes has its bits in the lower 16.
    let bits = |part: &[u8; 16]| u64::from(is_wanted(u8x16::new(*part)).move_mask().cast_unsigned() & 0xffff);
    parts.iter().rev().fold(0, |all, part| all << 16 | bits(part))
}

fn is_any<const N: usize>(bytes: u8x16, letters: [u8; N]) -> u8x16 {
    letters.into_iter().fold(u8x16::splat(0), |is, letter| is | bytes.cmp_eq(u8x16::splat(letter)))
}

/// Of the backslashes of a block, which bytes are after one that begins an escape: of a run of backslashes each second
/// begins none. Adding finds the end of each run; that runs begin at even and at odd places is distinguished by the
/// mask.
fn letters(backslashes: u64, is_escaped: &mut bool) -> u64 {
    const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;
    let escaped = u64::from(*is_escaped);
    if backslashes | escaped == 0 {
        return 0;
    }
    let begins = backslashes & !escaped;
    let ends = (begins << 1 | ODD).wrapping_sub(begins) ^ ODD;
    *is_escaped = (ends & backslashes) >> 63 == 1;
    ends ^ (backslashes | escaped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn blocks_give_the_result_of_bytes(
            parts in proptest::collection::vec(
                prop_oneof![
                    6 => "[a-z ]{1,30}".prop_map(String::into_bytes),
                    4 => (1usize..9).prop_map(|n| vec![b'\\'; n]),
                    4 => Just(b"\\n\\t\\\"".to_vec()),
                    1 => Just(b"\\/\\b\\f\\r".to_vec()),
                    1 => Just(b"\\u00e9".to_vec()),
                    1 => Just(vec![b'"']),
                    1 => Just(vec![0xC3, 0xA9]),
                    1 => Just(vec![0x1F]),
                ],
                0..40,
            )
        ) {
            let text = parts.concat();
            for from in 0..text.len().min(3) {
                let text = &text[from..];
                prop_assert_eq!(inside(text), inside_rest::<0x80>(text));
                prop_assert_eq!(inside_text(text), inside_rest::<0>(text));
                prop_assert_eq!(plain_text(text), plain_rest::<0>(text));
            }
        }
    }
}
