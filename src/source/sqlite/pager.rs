//! Pages of a database, by their number from 1: those of the log where it has them, else those of the file.

use super::wal::Wal;
use super::{Fault, MAGIC, u16_at, u32_at};
use crate::platform::ReadAt;
use std::fs::File;
use std::path::Path;

/// Length of the header of the file, which is on the first page.
pub(super) const HEADER_LEN: usize = 100;

/// How texts are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf8,
    Utf16Le,
    Utf16Be,
}

/// The pages of a database.
#[derive(Debug)]
pub(super) struct Pager {
    file: File,
    wal: Option<Wal>,
    pub(super) page_len: usize,
    /// Bytes of a page that are used; at the end of each some may be reserved.
    pub(super) usable: usize,
    pub(super) page_count: u32,
    pub(super) encoding: Encoding,
}

impl Pager {
    pub(super) fn open(file: File, path: &Path) -> Result<Self, Fault> {
        let mut header = [0; HEADER_LEN];
        file.read_exact_at(&mut header, 0).map_err(|e| format!("its header is missing ({e})"))?;
        if !header.starts_with(MAGIC) {
            return Err("it is not a database".to_owned());
        }
        let page_len = match u16_at(&header, 16) {
            Some(1) => 1 << 16,
            Some(len) if len >= 512 && len.is_power_of_two() => usize::from(len),
            _ => return Err("the size of its pages is invalid".to_owned()),
        };
        let usable = page_len - usize::from(header[20]);
        if usable < 480 {
            return Err("the size of its pages is invalid".to_owned());
        }
        let file_len = file.metadata().map_err(|e| e.to_string())?.len();
        let wal = Wal::beside(path, page_len)?;
        let in_file = u32::try_from(file_len / page_len as u64).unwrap_or(u32::MAX);
        let page_count = wal.as_ref().map_or(in_file, |wal| wal.page_count);
        let mut pager = Self { file, wal, page_len, usable, page_count, encoding: Encoding::Utf8 };
        // The first page may be in the log too.
        let first = pager.page(1)?;
        pager.encoding = match u32_at(&first, 56) {
            Some(2) => Encoding::Utf16Le,
            Some(3) => Encoding::Utf16Be,
            _ => Encoding::Utf8,
        };
        Ok(pager)
    }

    /// The bytes of a page.
    pub(super) fn page(&self, number: u32) -> Result<Vec<u8>, Fault> {
        if number == 0 || number > self.page_count {
            return Err(format!("it has no page {number}"));
        }
        let mut page = vec![0; self.page_len];
        if let Some(wal) = &self.wal
            && wal.read(number, &mut page)?
        {
            return Ok(page);
        }
        let at = u64::from(number - 1) * self.page_len as u64;
        self.file.read_exact_at(&mut page, at).map_err(|e| format!("page {number} is missing ({e})"))?;
        Ok(page)
    }
}
