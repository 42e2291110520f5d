//! Files that values name by id: looked up in one folder when asked for, and nowhere else.

use crate::model::lossy;
use crate::panes::text_view::TextLine;
use crate::panes::value::size_text;
use crate::text::Role;
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

/// Most bytes of a file that are shown.
const SHOWN_MAX: u64 = 1 << 20;
/// Most bytes of a file that are hashed.
const HASHED_MAX: u64 = 64 << 20;
/// Most entries of the folder that are looked at for a name.
const ENTRIES_MAX: usize = 100_000;

/// First bytes of files that are not text, and what they are.
const TYPES: &[(&[u8], &str)] = &[
    (b"\x89PNG\r\n\x1a\n", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"GIF8", "GIF image"),
    (b"BM", "bitmap image"),
    (b"II*\0", "TIFF image"),
    (b"MM\0*", "TIFF image"),
    (b"%PDF-", "PDF document"),
    (b"PK\x03\x04", "ZIP archive or office document"),
    (b"\x1f\x8b", "gzip archive"),
    (b"\x28\xb5\x2f\xfd", "zstd archive"),
    (b"\x7fELF", "ELF program"),
    (b"OggS", "Ogg media"),
    (b"ID3", "MP3 audio"),
    (b"SQLite format 3\0", "SQLite database"),
];

/// The file whose name, or name without its ending, is this id: its name, and its text as lines; of a file that is no
/// text its type, size and hash.
///
/// # Errors
/// The id is not a plain file name, no regular file inside the folder has it, or it cannot be read.
pub(super) fn show(folder: &Path, id: &str) -> Result<(String, Vec<TextLine>), String> {
    let path = find(folder, id)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let lines = lines(&path).map_err(|e| format!("{name} cannot be read: {e}"))?;
    Ok((name, lines))
}

/// An id is a name: no folder, no way up, nothing absolute.
fn is_name(id: &str) -> bool {
    let mut parts = Path::new(id).components();
    let is_one = matches!((parts.next(), parts.next()), (Some(Component::Normal(part)), None) if part == id);
    is_one && !id.contains(['/', '\\', '\0'])
}

fn find(folder: &Path, id: &str) -> Result<PathBuf, String> {
    if !is_name(id) {
        return Err(format!("{id:?} is not a file name, so no file is looked for"));
    }
    let inside = |e: io::Error| format!("the folder of --files cannot be read: {e}");
    let folder = folder.canonicalize().map_err(inside)?;
    let mut names: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(&folder).map_err(inside)?.take(ENTRIES_MAX).flatten() {
        let path = entry.path();
        if [path.file_name(), path.file_stem()].iter().flatten().any(|name| *name == id) {
            names.push(path);
        }
    }
    // A link may lead out of the folder: what it leads to counts.
    let is_regular = |path: &PathBuf| path.starts_with(&folder) && path.is_file();
    // The whole name wins over a name with an ending; of several endings the first by name.
    names.sort_by_key(|path| (path.file_name().is_none_or(|name| name != id), path.clone()));
    let found = names.into_iter().filter_map(|path| path.canonicalize().ok()).find(is_regular);
    found.ok_or_else(|| format!("no file in the folder of --files is named {id}"))
}

fn lines(path: &Path) -> io::Result<Vec<TextLine>> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    let mut bytes = Vec::new();
    Read::by_ref(&mut file).take(SHOWN_MAX).read_to_end(&mut bytes)?;
    if !is_text(&bytes) {
        return binary(path, &bytes, size);
    }
    let mut lines: Vec<TextLine> = lossy(&bytes).lines().map(|line| TextLine::new(Role::Text, line)).collect();
    if size > SHOWN_MAX {
        let label = format!("… the first {} of {}", size_text(SHOWN_MAX), size_text(size));
        lines.push(TextLine::new(Role::Dim, label));
    }
    if lines.is_empty() {
        lines.push(TextLine::new(Role::Dim, "the file is empty"));
    }
    Ok(lines)
}

/// Text is UTF-8 without NUL; its last character may be cut.
fn is_text(bytes: &[u8]) -> bool {
    let is_utf8 = match std::str::from_utf8(bytes) {
        Ok(_) => true,
        Err(e) => e.error_len().is_none() && bytes.len() as u64 == SHOWN_MAX,
    };
    is_utf8 && !bytes.contains(&0)
}

fn binary(path: &Path, head: &[u8], size: u64) -> io::Result<Vec<TextLine>> {
    let mut hash = Sha256::new();
    let hashed = io::copy(&mut File::open(path)?.take(HASHED_MAX), &mut hash)?;
    let hex: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let of = if hashed < size { format!(" of the first {}", size_text(hashed)) } else { String::new() };
    let known = TYPES.iter().find(|(magic, _)| head.starts_with(magic)).map_or("no text", |(_, name)| name);
    Ok(vec![
        TextLine::new(Role::Text, format!("type    {known}")),
        TextLine::new(Role::Text, format!("size    {} ({size} bytes)", size_text(size))),
        TextLine::new(Role::Text, format!("sha256  {hex}{of}")),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(folder: &Path, id: &str) -> Result<String, String> {
        show(folder, id).map(|(name, lines)| format!("{name}: {}", lines[0].text))
    }

    #[test]
    fn finds_by_name_and_stem_inside_the_folder_only() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("files");
        fs::create_dir_all(inside.join("sub")).unwrap();
        fs::write(folder.path().join("secret.txt"), "no").unwrap();
        fs::write(inside.join("a.txt"), "stem").unwrap();
        fs::write(inside.join("a"), "exact").unwrap();
        fs::write(inside.join("img-1.png"), b"\x89PNG\r\n\x1a\n\0\0").unwrap();
        std::os::unix::fs::symlink(folder.path().join("secret.txt"), inside.join("link.txt")).unwrap();
        assert_eq!(text(&inside, "a"), Ok("a: exact".to_owned()));
        assert_eq!(text(&inside, "a.txt"), Ok("a.txt: stem".to_owned()));
        assert_eq!(text(&inside, "img-1"), Ok("img-1.png: type    PNG image".to_owned()));
        let absolute = folder.path().join("secret.txt").to_string_lossy().into_owned();
        for id in
            ["", ".", "..", "../secret", "../secret.txt", "sub", "sub/x", "link", "nope", &absolute, "a\\b", "./a"]
        {
            assert!(text(&inside, id).is_err(), "{id}");
        }
    }

    #[test]
    fn shows_a_bounded_part_of_a_text() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("big.txt"), "é".repeat(SHOWN_MAX as usize)).unwrap();
        let (_, lines) = show(folder.path(), "big").unwrap();
        assert_eq!(lines.len(), 2);
        assert!(lines[1].text.starts_with("… the first 1.0 MB"), "{}", lines[1].text);
    }
}
