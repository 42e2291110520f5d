//! Files that come into being whole: written under another name beside their own, synced, renamed.
//!
//! Whoever is killed meanwhile leaves what was under the name before, or nothing, and a hidden file that ends in
//! `.part`. No input is ever written over.

use super::journal::folder_of;
use crate::model::Problem;
use crate::platform::{FileId, keep_permissions, with_default_permissions};
use flate2::{Compression, write::GzEncoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Bytes of one zstd frame before compression: frames one after the other are one stream, and memory stays small.
const FRAME_BYTES: usize = 1 << 20;
/// Bytes that are gathered before they are written.
const BUFFER_BYTES: usize = 1 << 18;

/// How a file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// Not at all.
    None,
    /// As gzip.
    Gzip,
    /// As zstd.
    Zstd,
}

impl Packing {
    /// What the ending of a name says: `.gz`, `.zst`.
    #[must_use]
    pub fn by_name(name: &str) -> Self {
        match name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).as_deref() {
            Some("gz") => Self::Gzip,
            Some("zst" | "zstd") => Self::Zstd,
            _ => Self::None,
        }
    }
}

/// What packs the bytes on their way.
enum Packer {
    Plain(TargetFile),
    Gzip(GzEncoder<TargetFile>),
    Zstd(TargetFile, Vec<u8>),
}

type TargetFile = BufWriter<NamedTempFile>;

/// A file that is being written.
pub struct Output {
    path: PathBuf,
    is_forced: bool,
    packer: Packer,
}

/// A file that is whole and on the disk, but not yet under its name.
pub struct Ready {
    path: PathBuf,
    is_forced: bool,
    file: NamedTempFile,
}

impl Output {
    /// Begins a file at a path, packed as its name says where nothing else is asked. `is_forced`: it may take the place
    /// of another file, whose permissions it keeps, but never of one of `inputs`. What a link leads to is replaced, not
    /// the link.
    ///
    /// # Errors
    /// There is such a file, it is an input, or its folder cannot be written.
    pub fn create(path: &Path, packing: Option<Packing>, is_forced: bool, inputs: &[&Path]) -> Result<Self, Problem> {
        refuse(path, is_forced, inputs)?;
        let path = &target(path)?;
        let name =
            path.file_name().ok_or_else(|| Problem::usage(format!("{} is not a name of a file", path.display())))?;
        let prefix = format!(".{}.", name.to_string_lossy());
        let mut builder = tempfile::Builder::new();
        let builder = with_default_permissions(builder.prefix(&prefix).suffix(".part"));
        let temporary = builder.tempfile_in(folder_of(path));
        let temporary = temporary.and_then(|file| keep_mode(path, file)).map_err(|e| cannot_write(path, &e))?;
        let target = BufWriter::with_capacity(BUFFER_BYTES, temporary);
        let packer = match packing.unwrap_or_else(|| Packing::by_name(&name.to_string_lossy())) {
            Packing::None => Packer::Plain(target),
            Packing::Gzip => Packer::Gzip(GzEncoder::new(target, Compression::default())),
            Packing::Zstd => Packer::Zstd(target, Vec::with_capacity(FRAME_BYTES)),
        };
        Ok(Self { path: path.to_owned(), is_forced, packer })
    }

    /// The name that it will have.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes some bytes.
    ///
    /// # Errors
    /// There is no room, or the disk failed.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        let written = match &mut self.packer {
            Packer::Plain(target) => target.write_all(bytes),
            Packer::Gzip(target) => target.write_all(bytes),
            Packer::Zstd(target, frame) => {
                frame.extend_from_slice(bytes);
                let mut whole = 0;
                let mut done = Ok(());
                while done.is_ok() && frame.len() - whole >= FRAME_BYTES {
                    done = put_frame(&frame[whole..whole + FRAME_BYTES], target);
                    whole += FRAME_BYTES;
                }
                frame.drain(..whole);
                done
            }
        };
        written.map_err(|e| cannot_write(&self.path, &e))
    }

    /// Ends the file and waits until it is on the disk.
    ///
    /// # Errors
    /// There is no room, or the disk failed.
    pub fn finish(self) -> Result<Ready, Problem> {
        let Self { path, is_forced, packer } = self;
        let target = match packer {
            Packer::Plain(target) => Ok(target),
            Packer::Gzip(target) => target.finish(),
            Packer::Zstd(mut target, frame) => put_frame(&frame, &mut target).map(|()| target),
        };
        let file = target.and_then(|target| target.into_inner().map_err(io::IntoInnerError::into_error));
        let synced = file.and_then(|file| file.as_file().sync_all().map(|()| file));
        let file = synced.map_err(|e| cannot_write(&path, &e))?;
        Ok(Ready { path, is_forced, file })
    }
}

fn put_frame(bytes: &[u8], to: &mut TargetFile) -> io::Result<()> {
    to.write_all(&compress_to_vec(bytes, CompressionLevel::Fastest))
}

impl Ready {
    /// Gives the file its name.
    ///
    /// # Errors
    /// Another file came to have it meanwhile, or the folder cannot be written.
    pub fn publish(self) -> Result<PathBuf, Problem> {
        let Self { path, is_forced, file } = self;
        let done = if is_forced { file.persist(&path) } else { file.persist_noclobber(&path) };
        done.map_err(|e| match e.error.kind() {
            ErrorKind::AlreadyExists => is_there(&path),
            _ => cannot_write(&path, &e.error),
        })?;
        // The name must outlive a crash too. Some file systems cannot promise it.
        let _synced = File::open(folder_of(&path)).and_then(|folder| folder.sync_all());
        Ok(path)
    }
}

/// What a path leads to.
///
/// # Errors
/// It is a link that leads nowhere: a file in its place would not be where it leads.
fn target(path: &Path) -> Result<PathBuf, Problem> {
    if !std::fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink()) {
        return Ok(path.to_owned());
    }
    std::fs::canonicalize(path).map_err(|_| {
        let problem = Problem::usage(format!("{} is a link that leads nowhere", path.display()));
        problem.hint("choose another name, or take the link away")
    })
}

/// Gives a new file the permissions of the one whose place it is to take.
fn keep_mode(path: &Path, file: NamedTempFile) -> io::Result<NamedTempFile> {
    if let Ok(meta) = std::fs::metadata(path) {
        keep_permissions(&meta, file.as_file())?;
    }
    Ok(file)
}

/// What must not be written: an input, whatever name leads to it; what is not a file; and what is there.
///
/// # Errors
/// It is one of these.
pub fn refuse(path: &Path, is_forced: bool, inputs: &[&Path]) -> Result<(), Problem> {
    if path.as_os_str() == "-" {
        return Err(Problem::usage("`-` is not a name of a file to write"));
    }
    let Ok(meta) = std::fs::metadata(path) else { return Ok(()) };
    let same = |input: &&&Path| {
        std::fs::metadata(input).is_ok_and(|other| FileId::of(&other, input) == FileId::of(&meta, path))
    };
    if let Some(input) = inputs.iter().find(same) {
        let message = format!("{} is the same file as the input {}", path.display(), input.display());
        return Err(Problem::usage(message).hint("inputs are never written over; choose another name"));
    }
    if !meta.is_file() {
        return Err(Problem::usage(format!("{} is there and is not a plain file", path.display())));
    }
    if is_forced { Ok(()) } else { Err(is_there(path)) }
}

fn is_there(path: &Path) -> Problem {
    Problem::usage(format!("{} already exists", path.display())).hint("choose another name or pass --force")
}

fn cannot_write(path: &Path, e: &io::Error) -> Problem {
    // The name of the temporary file beside it would say nothing.
    let why = match e.kind() {
        ErrorKind::NotFound => "its folder is not there".to_owned(),
        _ => e.to_string(),
    };
    let problem = Problem::unreadable(format!("{} cannot be written: {why}", path.display()));
    match e.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            problem.hint("nothing was left behind; make room, or choose another folder")
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            problem.hint("choose a folder that you may write")
        }
        ErrorKind::NotFound if path.to_str().is_some_and(|name| name.contains("://")) => {
            problem.hint("obelus writes files of this machine: write one here, then copy it there")
        }
        ErrorKind::NotFound => problem.hint("make its folder first"),
        _ => problem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::io::Read;
    use std::os::unix::fs::PermissionsExt;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_there_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let mut output = Output::create(&path, None, false, &[]).unwrap();
        output.write(b"half").unwrap();
        assert!(!path.exists());
        drop(output);
        assert!(names(folder.path()).is_empty(), "given up, it leaves nothing");
        let mut output = Output::create(&path, None, false, &[]).unwrap();
        output.write(b"whole").unwrap();
        output.finish().unwrap().publish().unwrap();
        assert_eq!(names(folder.path()), ["a.jsonl"]);
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o400, 0o400);
    }

    #[test]
    fn what_is_there_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("in.jsonl"), folder.path().join("link.jsonl"));
        std::fs::write(&path, "in").unwrap();
        std::fs::hard_link(&path, &link).unwrap();
        let error_text = |path: &Path, is_forced, inputs: &[&Path]| {
            Output::create(path, None, is_forced, inputs).map(|_| ()).unwrap_err().to_string()
        };
        assert!(error_text(&path, false, &[]).contains("--force"));
        assert!(error_text(&link, true, &[&path]).contains("never written over"));
        assert!(error_text(Path::new("/dev/null"), true, &[]).contains("not a plain file"));
        assert!(error_text(&folder.path().join("no/x"), false, &[]).contains("make its folder"));
        let late = folder.path().join("late");
        let ready = Output::create(&late, None, false, &[]).unwrap().finish().unwrap();
        std::fs::write(&late, "other").unwrap();
        assert!(ready.publish().unwrap_err().to_string().contains("--force"));
        assert_eq!(std::fs::read_to_string(&late).unwrap(), "other");
    }

    #[test]
    fn a_file_that_takes_the_place_of_another_keeps_its_mode_and_its_link() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("secret"), folder.path().join("link"));
        std::fs::write(&path, "old").unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        std::os::unix::fs::symlink("secret", &link).unwrap();
        let mut output = Output::create(&link, None, true, &[]).unwrap();
        output.write(b"new").unwrap();
        output.finish().unwrap().publish().unwrap();
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o600);
        std::fs::remove_file(&path).unwrap();
        let message = Output::create(&link, None, true, &[]).map(|_| ()).unwrap_err().to_string();
        assert!(message.contains("leads nowhere"), "{message}");
    }

    #[test]
    fn packed_files_unpack_to_what_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let text: Vec<u8> =
            (0..300_000_u64).flat_map(|i| format!("{{\"n\":{}}}\n", i * i % 977).into_bytes()).collect();
        for (name, len) in [("a.gz", text.len()), ("a.zst", text.len()), ("e.gz", 0), ("e.zst", 0)] {
            let path = folder.path().join(name);
            let mut output = Output::create(&path, None, false, &[]).unwrap();
            text[..len].chunks(70_001).for_each(|piece| output.write(piece).unwrap());
            output.finish().unwrap().publish().unwrap();
            let packed = std::fs::read(&path).unwrap();
            assert!(len == 0 || packed.len() < len / 2);
            let mut back = Vec::new();
            match Packing::by_name(name) {
                Packing::Gzip => {
                    flate2::read::MultiGzDecoder::new(&packed[..]).read_to_end(&mut back).map(|_| ()).unwrap();
                }
                _ => {
                    let mut rest = &packed[..];
                    while !rest.is_empty() {
                        ruzstd::decoding::StreamingDecoder::new(&mut rest).unwrap().read_to_end(&mut back).unwrap();
                    }
                }
            }
            assert!(back == text[..len], "{name}");
        }
    }
}
