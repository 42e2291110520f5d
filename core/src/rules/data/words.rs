//! Words of a text as hashes: letters and digits, without case. Most words are ASCII and short: eight bytes are looked
//! at together.

/// A byte of 1 in each place, and the highest bit of each.
const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x80 * ONES;

/// The bit that a lower case letter has more than an upper case one; digits have it too.
const LOWER: u64 = 0x20 * ONES;

/// The hash of a word: of its bytes in lower case, eight at a time.
#[derive(Clone, Copy)]
struct WordHash(u64);

impl WordHash {
    const EMPTY: Self = Self(0xcbf2_9ce4_8422_2325);

    fn add(self, chunk: u64) -> Self {
        Self((self.0.rotate_left(29) ^ chunk).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }
}

/// Collects the bytes of a word one by one.
struct WordBytes {
    hash: WordHash,
    chunk: u64,
    count: u32,
}

impl WordBytes {
    fn push(&mut self, byte: u8) {
        self.chunk |= u64::from(byte) << (8 * self.count);
        self.count += 1;
        if self.count == 8 {
            *self = Self { hash: self.hash.add(self.chunk), chunk: 0, count: 0 };
        }
    }

    fn end(&self) -> u64 {
        if self.count > 0 { self.hash.add(self.chunk).0 } else { self.hash.0 }
    }
}

/// The eight bytes from a place on, as a number whose lowest byte is the first; behind the end are zeros.
fn load(bytes: &[u8], at: usize) -> u64 {
    if let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        return u64::from_le_bytes(*chunk);
    }
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter().rev().fold(0, |chunk, byte| (chunk << 8) | u64::from(*byte))
}

/// The highest bit of each byte that is an ASCII letter or digit.
fn alphanumeric(chunk: u64) -> u64 {
    let seven = chunk & !HIGH;
    let lower = seven | LOWER;
    // A sum has the highest bit from the first byte of the range on.
    let from = |bytes: u64, first: u8| bytes + u64::from(0x80 - first) * ONES;
    let letters = from(lower, b'a') & !from(lower, b'z' + 1);
    let digits = from(seven, b'0') & !from(seven, b'9' + 1);
    (letters | digits) & !chunk & HIGH
}

/// How many bytes from the lowest on have their highest bit in a mask.
fn leading(mask: u64) -> usize {
    ((!mask & HIGH).trailing_zeros() / 8) as usize
}

/// How many bytes from the lowest on have no bit in a mask.
fn leading_zeros(mask: u64) -> usize {
    (mask.trailing_zeros() / 8) as usize
}

/// The lowest bytes, fewer than eight, in lower case.
fn low(chunk: u64, len: usize) -> u64 {
    (chunk | LOWER) & ((1 << (8 * len)) - 1)
}

/// Reports the hash of each word of a text, in order.
pub(super) fn each_word(text: &str, mut emit: impl FnMut(u64)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let chunk = load(bytes, at);
        let letters = alphanumeric(chunk);
        // Letters and digits, and what is beyond ASCII.
        let others = letters | (chunk & HIGH);
        let separators = leading_zeros(others);
        if separators > 0 {
            at += separators;
            continue;
        }
        let len = leading(letters);
        if len < 8 && (chunk >> (8 * len)) & 0x80 == 0 {
            // A short word, and the separators behind it: most of all there is.
            emit(WordHash::EMPTY.add(low(chunk, len)).0);
            at += len + leading_zeros(others >> (8 * len)).min(8 - len);
            continue;
        }
        let (end, hash) = ascii_word(bytes, at, chunk);
        if bytes.get(end).is_none_or(u8::is_ascii) {
            emit(hash);
            at = end;
        } else {
            at = any_word(text, at, &mut emit);
        }
    }
}

/// The end of the ASCII letters and digits from a place on, whose first bytes are given, and their hash.
fn ascii_word(bytes: &[u8], mut at: usize, mut chunk: u64) -> (usize, u64) {
    let mut hash = WordHash::EMPTY;
    loop {
        let len = leading(alphanumeric(chunk));
        at += len;
        match len {
            0 => return (at, hash.0),
            8 => hash = hash.add(chunk | LOWER),
            _ => return (at, hash.add(low(chunk, len)).0),
        }
        chunk = load(bytes, at);
    }
}

/// Whether a letter is a word by itself: of scripts that put no white space between words (Thai to Khmer, kana, Han).
fn is_word(letter: char) -> bool {
    matches!(
        letter,
        '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}'
            | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}'
    )
}

/// The same of a word of any letters, or of one character that is not a part of a word: reported if it is one. Returns
/// its end.
fn any_word(text: &str, start: usize, emit: &mut impl FnMut(u64)) -> usize {
    let mut word = WordBytes { hash: WordHash::EMPTY, chunk: 0, count: 0 };
    let mut end = start;
    for character in text[start..].chars() {
        if !character.is_alphanumeric() {
            if end == start {
                return start + character.len_utf8();
            }
            break;
        }
        let is_word = is_word(character);
        if is_word && end > start {
            break;
        }
        let mut utf8 = [0; 4];
        character.to_lowercase().for_each(|c| c.encode_utf8(&mut utf8).bytes().for_each(|byte| word.push(byte)));
        end += character.len_utf8();
        if is_word {
            break;
        }
    }
    emit(word.end());
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hashes of [`each_word`], word by word and byte by byte.
    fn by_words(text: &str) -> Vec<u64> {
        let apart: String = text.chars().map(|c| if is_word(c) { format!(" {c} ") } else { c.to_string() }).collect();
        let words = apart.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let hash = |word: &str| {
            let lower: String = word.chars().flat_map(char::to_lowercase).collect();
            let add = |hash: WordHash, chunk: &[u8]| hash.add(load(chunk, 0));
            lower.as_bytes().chunks(8).fold(WordHash::EMPTY, add).0
        };
        words.map(hash).collect()
    }

    #[test]
    fn letters_of_scripts_without_spaces_are_words() {
        let count = |text: &str| {
            let mut count = 0;
            each_word(text, |_| count += 1);
            count
        };
        assert_eq!([count("日本語のテスト"), count("abc日x"), count("한국어 말"), count("กข")], [7, 3, 2, 2]);
    }

    proptest::proptest! {
        #[test]
        fn words_are_letters_and_digits_without_case(
            text in "[aAzZ09/:@`{\\[_ .\u{7f}\u{130}\u{df}\u{e4}\u{4e00}\u{3042}\u{1f600}\u{301}\u{212a}]{0,40}"
        ) {
            let mut hashes = Vec::new();
            each_word(&text, |hash| hashes.push(hash));
            proptest::prop_assert_eq!(hashes, by_words(&text));
        }
    }

    #[test]
    fn each_byte_is_a_part_of_a_word_or_not() {
        for byte in 0..=u8::MAX {
            let mask = alphanumeric(u64::from(byte) * ONES);
            assert_eq!(mask, if byte.is_ascii_alphanumeric() { HIGH } else { 0 }, "{byte}");
        }
    }

    #[test]
    fn words_of_eight_letters_are_whole() {
        for text in ["abcdefgh", "abcdefgh ABCDEFGH", "abcdefghi", "x", "abcdefgh\u{e4}", "\u{e4}abcdefgh"] {
            let mut hashes = Vec::new();
            each_word(text, |hash| hashes.push(hash));
            assert_eq!(hashes, by_words(text), "{text}");
        }
    }
}
