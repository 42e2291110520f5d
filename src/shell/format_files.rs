//! Format files of the user: those of the folder `formats` of the configuration, and those that are named.

use super::config::{folder, ignored, toml_files};
use crate::format::CustomFormat;
use crate::model::Problem;
use crate::source::read_small_text;
use std::fs;
use std::path::Path;

/// The folder of format files in the configuration folder.
pub(super) const FOLDER: &str = "formats";
/// Most bytes of a format file, and files of the folder that are read.
const FILE_BYTES_MAX: u64 = 256 << 10;
const FILES_MAX: usize = 100;

/// The formats of the configuration folder; an invalid file is a problem, and the others are used.
#[must_use]
pub fn of_user() -> Vec<Result<CustomFormat, Problem>> {
    folder().map(|folder| of_folder(&folder.join(FOLDER))).unwrap_or_default()
}

pub(super) fn of_folder(folder: &Path) -> Vec<Result<CustomFormat, Problem>> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let files = toml_files(entries);
    let too_many = (files.len() > FILES_MAX)
        .then(|| Err(ignored(folder, &format!("only the first {FILES_MAX} of {} formats are read", files.len()))));
    files.iter().take(FILES_MAX).map(|file| read(file)).chain(too_many).collect()
}

/// Reads a format file.
///
/// # Errors
/// It cannot be read, or what is wrong with it.
pub fn read(file: &Path) -> Result<CustomFormat, Problem> {
    let text = read_small_text(file, FILE_BYTES_MAX)
        .map_err(|why| Problem::unreadable(format!("the format file {} cannot be read: {why}", file.display())))?;
    CustomFormat::parse(&file.to_string_lossy(), &text)
}
