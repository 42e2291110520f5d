//! What goes over the pipes between a question and its worker: lengths, and bytes.

use std::io::{self, ErrorKind, Read, Write};

/// Bytes asked for at once, so that a wrong length asks for no memory that never comes.
const STEP: u64 = 1 << 20;

/// Writes a number.
pub(crate) fn put_number(number: u64, to: &mut impl Write) -> io::Result<()> {
    to.write_all(&number.to_le_bytes())
}

/// Writes bytes after their length.
pub(crate) fn put(bytes: &[u8], to: &mut impl Write) -> io::Result<()> {
    put_number(bytes.len() as u64, to)?;
    to.write_all(bytes)
}

/// Reads a number.
pub(crate) fn number(from: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    from.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

/// Reads a number, or the end.
pub(crate) fn number_or_end(from: &mut impl Read) -> io::Result<Option<u64>> {
    match number(from) {
        Ok(number) => Ok(Some(number)),
        Err(e) if e.kind() == ErrorKind::UnexpectedEof => Ok(None),
        Err(e) => Err(e),
    }
}

/// Reads bytes after their length.
pub(crate) fn get(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut left = number(from)?;
    let mut bytes = Vec::new();
    while left > 0 {
        let step = left.min(STEP);
        let got = from.by_ref().take(step).read_to_end(&mut bytes)?;
        if (got as u64) < step {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        left -= step;
    }
    Ok(bytes)
}

/// Reads text after its length.
pub(crate) fn text(from: &mut impl Read) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&get(from)?).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut bytes = Vec::new();
        put_number(7, &mut bytes).unwrap();
        put(b"abc", &mut bytes).unwrap();
        put(b"", &mut bytes).unwrap();
        let mut from = bytes.as_slice();
        assert_eq!(number_or_end(&mut from).unwrap(), Some(7));
        assert_eq!((get(&mut from).unwrap(), text(&mut from).unwrap()), (b"abc".to_vec(), String::new()));
        assert_eq!(number_or_end(&mut from).unwrap(), None);
        assert!(get(&mut [255_u8; 12].as_slice()).is_err(), "a length without its bytes");
    }
}
