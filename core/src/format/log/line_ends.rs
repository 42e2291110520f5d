//! How many lines of a record are before a byte of it.

use memchr::memchr_iter;

/// Bytes of a block whose line ends are counted together.
const BLOCK_BYTES: usize = 1 << 12;

/// Line ends of a text.
pub(super) fn count_lines(text: &[u8]) -> u64 {
    memchr_iter(b'\n', text).count() as u64
}

/// Line ends of a text. Values mostly come in order, so that each byte is looked at once; for those that do not, the
/// line ends before each block are stored.
#[derive(Debug, Default)]
pub(super) struct LineEnds {
    /// Bytes that are counted, and how many line ends they have.
    counted: (usize, u64),
    /// Line ends before each block, once a value came out of order.
    blocks: Vec<u64>,
}

impl LineEnds {
    /// Line ends before a byte.
    pub(super) fn before(&mut self, text: &[u8], at: usize) -> u64 {
        let at = at.min(text.len());
        let count = |from: usize, to: usize| memchr_iter(b'\n', text.get(from..to).unwrap_or_default()).count() as u64;
        if at >= self.counted.0 {
            self.counted = (at, self.counted.1 + count(self.counted.0, at));
            return self.counted.1;
        }
        let block = at / BLOCK_BYTES;
        while self.blocks.len() <= block {
            let end = self.blocks.len() * BLOCK_BYTES;
            let before = self.blocks.last().map_or(0, |before| before + count(end - BLOCK_BYTES, end));
            self.blocks.push(before);
        }
        self.blocks.get(block).copied().unwrap_or_default() + count(block * BLOCK_BYTES, at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_before_bytes_in_any_order_are_those_of_the_text() {
        let text = "a\nbc\n\n".repeat(3000);
        let mut ends = LineEnds::default();
        for at in [0, 7, 9000, 4, 8192, 4096, 12_287, text.len(), 1, text.len() + 9] {
            let expected = text[..at.min(text.len())].matches('\n').count() as u64;
            assert_eq!(ends.before(text.as_bytes(), at), expected, "{at}");
        }
    }
}
