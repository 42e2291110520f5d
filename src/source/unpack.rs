//! Packed streams: gzip and Zstandard, recognised by their first bytes and read as what they hold.
//!
//! A file may be several archives after one another (as `cat a.gz b.gz` makes them); all are read. Of an archive that
//! is cut off or damaged, a reader gets the part before the damage and then an error.

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read};

/// How a stream is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packing {
    Gzip,
    Zstd,
}

/// The first bytes of each packing; `pzstd` begins a Zstandard archive with a skippable frame.
const MAGIC: &[(&[u8], Packing)] =
    &[(b"\x1f\x8b", Packing::Gzip), (b"\x28\xb5\x2f\xfd", Packing::Zstd), (b"\x50\x2a\x4d\x18", Packing::Zstd)];

/// Whether a stream that begins with these bytes is packed.
pub(super) fn is_packed(head: &[u8]) -> bool {
    MAGIC.iter().any(|(magic, _)| head.starts_with(magic))
}

/// A reader of the unpacked stream, and whether the stream is packed. It waits for further bytes only while those read
/// are the beginning of a packing, so that a stream of text is passed on from its first byte.
pub(super) fn unpacked<'r>(mut stream: impl Read + 'r) -> io::Result<(Box<dyn Read + 'r>, bool)> {
    let mut head = Vec::new();
    while MAGIC.iter().any(|(magic, _)| head.len() < magic.len() && magic.starts_with(&head)) {
        let mut byte = [0];
        match stream.read(&mut byte) {
            Ok(0) => break,
            Ok(_) => head.push(byte[0]),
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    let packing = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)).map(|&(_, packing)| packing);
    let whole = Cursor::new(head).chain(stream);
    Ok(match packing {
        None => (Box::new(whole), false),
        Some(Packing::Gzip) => (Box::new(MultiGzDecoder::new(BufReader::new(whole))), true),
        Some(Packing::Zstd) => (Box::new(Zstd::new(BufReader::new(whole))), true),
    })
}

/// Frames of Zstandard after one another.
pub(super) struct Zstd<R> {
    source: R,
    decoder: FrameDecoder,
    is_in_frame: bool,
    /// The error that ends the stream; returned after all that was unpacked.
    failure: Option<io::Error>,
}

/// A block that ends a frame and adds nothing, and a checksum that nobody compares.
const EMPTY_LAST_BLOCK: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];

impl<R: BufRead> Zstd<R> {
    pub(super) fn new(source: R) -> Self {
        Self { source, decoder: FrameDecoder::new(), is_in_frame: false, failure: None }
    }

    /// Begins the next frame; false at the end.
    fn next_frame(&mut self) -> io::Result<bool> {
        if self.source.fill_buf()?.is_empty() {
            return Ok(false);
        }
        match self.decoder.reset(&mut self.source) {
            Ok(()) => self.is_in_frame = true,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                io::copy(&mut self.source.by_ref().take(u64::from(length)), &mut io::sink())?;
            }
            Err(e) => return Err(io::Error::other(e)),
        }
        Ok(true)
    }

    /// Unpacks the next block. The decoder gives its last window only at the end of a frame, up to 8 MB and more: a
    /// frame that is cut off gets an end, so that what came before is read.
    fn next_block(&mut self) -> io::Result<()> {
        let one = || BlockDecodingStrategy::UptoBlocks(1);
        let Err(error) = self.decoder.decode_blocks(&mut self.source, one()) else { return Ok(()) };
        if self.source.fill_buf()?.is_empty() {
            self.decoder.decode_blocks(&EMPTY_LAST_BLOCK[..], one()).map_err(io::Error::other)?;
        }
        self.failure = Some(io::Error::other(error));
        Ok(())
    }

    fn end_frame(&mut self) -> io::Result<()> {
        self.is_in_frame = false;
        let expected = self.decoder.get_checksum_from_data();
        if expected.is_some() && expected != self.decoder.get_calculated_checksum() {
            return Err(io::Error::other("the checksum is wrong"));
        }
        Ok(())
    }
}

impl<R: BufRead> Read for Zstd<R> {
    fn read(&mut self, block: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.is_in_frame && self.decoder.can_collect() > 0 {
                return self.decoder.read(block);
            }
            if let Some(failure) = self.failure.take() {
                return Err(failure);
            }
            if !self.is_in_frame {
                if !self.next_frame()? {
                    return Ok(0);
                }
            } else if self.decoder.is_finished() {
                self.end_frame()?;
            } else {
                self.next_block()?;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    use std::io::Write;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(text: &[u8]) -> Vec<u8> {
        compress_to_vec(text, CompressionLevel::Fastest)
    }

    /// The bytes that can be read, and whether the stream was whole.
    fn read(packed: &[u8]) -> (Vec<u8>, bool) {
        let (mut stream, _) = unpacked(packed).unwrap();
        let mut out = Vec::new();
        let is_whole = stream.read_to_end(&mut out).is_ok();
        (out, is_whole)
    }

    fn text() -> Vec<u8> {
        (0..40_000_u32).flat_map(|i| format!("{{\"n\":{}}}\n", i.wrapping_mul(2_654_435_761)).into_bytes()).collect()
    }

    #[test]
    fn archives_behind_one_another_are_read() {
        let text = text();
        let (a, b) = text.split_at(100_000);
        for pack in [gzip, zstd] {
            assert_eq!(read(&pack(&text)), (text.clone(), true));
            assert_eq!(read(&[pack(a), pack(b""), pack(b)].concat()), (text.clone(), true));
        }
        let skipped = b"\x50\x2a\x4d\x18\x03\0\0\0abc".to_vec();
        for first in [Vec::new(), skipped.clone()] {
            assert_eq!(read(&[first, zstd(a), skipped.clone(), zstd(b)].concat()), (text.clone(), true));
        }
    }

    #[test]
    fn what_is_left_of_an_archive_is_read() {
        let text = text();
        for packed in [gzip(&text), zstd(&text)] {
            let (part, is_whole) = read(&packed[..packed.len() * 3 / 4]);
            assert!(!is_whole && !part.is_empty() && text.starts_with(&part));
            let mut damaged = packed.clone();
            damaged[packed.len() / 2] ^= 0x55;
            assert!(!read(&damaged).1);
            let (all, is_whole) = read(&[packed, b"garbage".to_vec()].concat());
            assert!(!is_whole && all == text);
        }
    }

    /// A frame of three blocks as they are, whose window is larger than all of them.
    #[test]
    fn what_is_in_the_window_of_a_torn_frame_is_read() {
        let block = |last: u32| [&((1000 << 3) | last).to_le_bytes()[..3], &[b'x'; 1000]].concat();
        let head = b"\x28\xb5\x2f\xfd\x00\x68".to_vec();
        let frame = [head, block(0), block(0), block(1)].concat();
        assert_eq!(read(&frame), (vec![b'x'; 3000], true));
        for (len, whole) in [(frame.len() - 1, 2000), (6 + 2 * 1003, 2000), (6 + 1003 + 2, 1000), (6 + 1, 0)] {
            assert_eq!(read(&frame[..len]), (vec![b'x'; whole], false), "{len}");
        }
    }

    #[test]
    fn other_streams_are_as_they_are() {
        for plain in [&b""[..], b"{\"a\":1}", b"\x1f", b"\x1fx", b"\x28\xb5\x2f", b"(x", b"P", b"P*M"] {
            assert_eq!(read(plain), (plain.to_vec(), true));
        }
    }
}
