//! What is not text, recognised from its first bytes: named in one message with advice, not shown as 10,000 broken
//! records.

use crate::model::Problem;

/// Bytes that [`refused`] wants to see.
pub(crate) const HEAD: usize = 4096;

/// What a file is that begins with these bytes, and what to do.
const MAGIC: &[(&[u8], &str, &str)] = &[
    (b"\x1f\x8b", "gzip data", "decompress it first, as in `gzip -dc FILE | obelus -`"),
    (b"\x28\xb5\x2f\xfd", "zstd data", "decompress it first, as in `zstd -dc FILE | obelus -`"),
    (b"BZh", "bzip2 data", "decompress it first, as in `bzip2 -dc FILE | obelus -`"),
    (b"\xfd7zXZ\0", "xz data", "decompress it first, as in `xz -dc FILE | obelus -`"),
    (b"PK\x03\x04", "a zip archive", "unpack it and open a file of it"),
    (b"PAR1", "a Parquet file", PARQUET_ADVICE),
    (b"SQLite format 3\0", "an SQLite database", "export what you want to see as JSON Lines"),
    (b"\x80\x02", PICKLE, PICKLE_ADVICE),
    (b"\x80\x03", PICKLE, PICKLE_ADVICE),
    (b"\x80\x04", PICKLE, PICKLE_ADVICE),
    (b"\x80\x05", PICKLE, PICKLE_ADVICE),
    (b"version https://git-lfs.github.com/spec/", "a Git LFS pointer", LFS_ADVICE),
    (b"%PDF-", "a PDF document", "open a JSON or JSON Lines file"),
    (b"\x89PNG", "a PNG picture", "open a JSON or JSON Lines file"),
    (b"\xff\xfe\0\0", "UTF-32 text", "convert it first, as in `iconv -f UTF-32 -t UTF-8 FILE | obelus -`"),
    (b"\0\0\xfe\xff", "UTF-32 text", "convert it first, as in `iconv -f UTF-32 -t UTF-8 FILE | obelus -`"),
    (b"\xff\xfe", "UTF-16 text", UTF16_ADVICE),
    (b"\xfe\xff", "UTF-16 text", UTF16_ADVICE),
];

/// A tar archive says what it is behind the name of its first file.
const TAR: (usize, &[u8]) = (257, b"ustar");
const TAR_ADVICE: &str =
    "unpack it, as with `tar -xf FILE`, and name the folder; one file of it: `tar -xOf FILE NAME | obelus -`";
const PARQUET_ADVICE: &str = if cfg!(feature = "parquet") {
    "name the file: it can only be read from its end, not as a stream"
} else {
    "use an obelus that was built with `--features parquet`, or convert it to JSON Lines first"
};
/// The name of standard input in messages.
pub(crate) const STDIN: &str = "standard input";
const STREAM_ADVICE: &str = "name the file: logs in archives, databases and pickles are read by name, not from a pipe";
const LFS_ADVICE: &str = "the file itself was not fetched: `git lfs pull` fetches it";
const PICKLE: &str = "a Python pickle";
const PICKLE_ADVICE: &str = "export what you want to see as JSON Lines: to load a pickle is to run what is in it";
const UTF16_ADVICE: &str = "convert it first, as in `iconv -f UTF-16 -t UTF-8 FILE | obelus -`";

/// Why an input that begins so cannot be read as text, if it cannot (R9).
pub(crate) fn refused(head: &[u8], name: &str) -> Option<Problem> {
    let is_noise = || binary(head).then(|| problem(name, "binary data", "open a JSON or JSON Lines file in UTF-8"));
    foreign(head, name).or_else(is_noise)
}

/// Why not, if it is of a kind that is known.
pub(crate) fn foreign(head: &[u8], name: &str) -> Option<Problem> {
    let magic = MAGIC.iter().find(|(magic, ..)| head.starts_with(magic));
    let is_tar = head.get(TAR.0..).is_some_and(|behind| behind.starts_with(TAR.1));
    let tar = is_tar.then_some(("a tar archive", TAR_ADVICE));
    let utf16 = || utf16_without_mark(head).then_some(("UTF-16 text", UTF16_ADVICE));
    let (what, advice) = magic.map(|&(_, what, advice)| (what, advice)).or(tar).or_else(utf16)?;
    let is_container = head.starts_with(b"PK") || head.starts_with(b"SQLite") || what == PICKLE;
    let advice = if name == STDIN && is_container { STREAM_ADVICE } else { advice };
    Some(problem(name, what, advice))
}

fn problem(name: &str, what: &str, advice: &str) -> Problem {
    Problem::unreadable(format!("{name} is {what}, not JSON in UTF-8")).hint(advice)
}

/// ASCII text in UTF-16 has a NUL in every second byte, and only there.
fn utf16_without_mark(head: &[u8]) -> bool {
    let pairs = head.len() / 2;
    let nuls = |odd: usize| head.chunks_exact(2).filter(|pair| pair[odd] == 0).count();
    let (even, odd) = (nuls(0), nuls(1));
    pairs >= 4 && even.max(odd) * 10 >= pairs * 7 && even.min(odd) * 10 <= pairs
}

/// Many bytes that no text has. NULs alone do not count: a crash leaves holes of them in a good log.
fn binary(head: &[u8]) -> bool {
    let is_json_so_far = matches!(head.trim_ascii_start().first(), Some(b'{' | b'[' | b'"'));
    let odd = head.iter().filter(|b| matches!(b, 1..=8 | 14..=26 | 28..=31 | 127)).count();
    let invalid = head.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()).count();
    !is_json_so_far && (odd + invalid) * 10 > head.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_what_is_no_text() {
        let utf16: Vec<u8> = "{\"step\": 1}".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let tar = [&b"runs/a.jsonl"[..], &[0; 245], b"ustar\x0000"].concat();
        let noise: Vec<u8> = (0..400u32).map(|i| (i * i * 37 + i * 11) as u8).collect();
        for (head, what) in [
            (&b"\x1f\x8b\x08"[..], "gzip"),
            (b"\x28\xb5\x2f\xfdx", "zstd"),
            (b"\xff\xfe{\0", "UTF-16"),
            (b"\xff\xfe\0\0{\0\0\0", "UTF-32"),
            (b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n", "Git LFS pointer"),
            (b"\x80\x02}q\0", "pickle"),
            (b"\x80\x05\x95\x0b\0", "pickle"),
            (&utf16, "UTF-16"),
            (&tar, "tar archive"),
            (&noise, "binary"),
        ] {
            let problem = refused(head, "x").unwrap();
            assert!(problem.message.contains(what) && problem.hint.is_some(), "{problem}");
        }
    }

    #[test]
    fn containers_on_standard_input_are_to_be_named() {
        for head in [&b"PK\x03\x04"[..], b"SQLite format 3\0", b"\x80\x04\x95"] {
            let hint = |name| refused(head, name).and_then(|problem| problem.hint).unwrap_or_default();
            assert!(hint(STDIN).starts_with("name the file") && !hint("x.zip").starts_with("name the file"));
        }
    }

    #[test]
    fn takes_damaged_text() {
        let hole = [&b"{\"a\": 1}\n"[..], &[0; 600]].concat();
        for head in [&b""[..], b"{\"a\": \"\xff\x9b\"}\n", b"plain words", &hole, &[0; 64], "\u{feff}数据".as_bytes()]
        {
            assert_eq!(refused(head, "x"), None, "{head:?}");
        }
    }
}
