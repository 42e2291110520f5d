//! Files that are read whole because they are small: configuration, themes, templates, baselines (R25).

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Reads a regular file of at most `most` bytes. A pipe or a device may never end, and opening a pipe waits for its
/// writer.
///
/// # Errors
/// It cannot be read, is not a regular file, or is longer.
pub fn read_small(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let refused = |why: String| io::Error::new(ErrorKind::InvalidInput, why);
    if !std::fs::metadata(path)?.is_file() {
        return Err(refused("this is not a regular file".to_owned()));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(refused(format!("it is longer than {most} bytes")));
    }
    Ok(bytes)
}

/// The same of text.
///
/// # Errors
/// As for [`read_small`]; or it is not UTF-8.
pub fn read_small_text(path: &Path, most: u64) -> io::Result<String> {
    let text = String::from_utf8(read_small(path, most)?);
    text.map_err(|e| io::Error::new(ErrorKind::InvalidData, format!("it is not UTF-8: {}", e.utf8_error())))
}

/// The names of what is in a folder, of at most `most` of them and in no order; none where it cannot be read.
#[must_use]
pub fn names_in(folder: &Path, most: usize) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    entries.take(most).flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect()
}

/// The first bytes of a regular file, at most `most`.
///
/// # Errors
/// It cannot be read, or is not a regular file.
pub fn read_start(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "this is not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R25: what never ends is refused before it is read.
    #[test]
    fn a_device_a_pipe_a_folder_and_a_long_file_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let (cwd, fifo) = (rustix::fs::CWD, rustix::fs::FileType::Fifo);
        rustix::fs::mknodat(cwd, at("pipe"), fifo, rustix::fs::Mode::RUSR, 0).unwrap();
        std::fs::write(at("long"), "12345").unwrap();
        let error_text = |path: &Path, most| read_small(path, most).unwrap_err().to_string();
        for path in [Path::new("/dev/zero"), &at("pipe"), folder.path()] {
            assert_eq!(error_text(path, 4), "this is not a regular file", "{}", path.display());
        }
        assert_eq!(error_text(&at("long"), 4), "it is longer than 4 bytes");
        assert_eq!(read_small_text(&at("long"), 5).unwrap(), "12345");
    }
}
