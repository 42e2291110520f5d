//! The central directory of a zip archive: which members there are and where they are.

use crate::platform::ReadAt;
use std::collections::HashMap;
use std::fs::File;
use std::io;

/// A member as the directory has it.
#[derive(Debug, Clone, Copy)]
pub(super) struct ZipEntry {
    pub(super) method: u16,
    pub(super) crc: u32,
    pub(super) packed_bytes: u64,
    pub(super) bytes: u64,
    /// Where its local header is.
    header: u64,
}

/// Length of the end record, of the longest comment after it, of the locator of the zip64 end record, and of that.
const END_LEN: usize = 22;
const COMMENT_MAX: u64 = u16::MAX as u64;
const LOCATOR_LEN: usize = 20;
const END64_LEN: usize = 56;

/// Length of an entry of the directory and of a local header without their texts.
const ENTRY_LEN: usize = 46;
const HEADER_LEN: usize = 30;

/// The greatest directory that is read; a million members have about 100 MiB.
const DIRECTORY_BYTES_MAX: u64 = 256 << 20;

/// Flag of a member that is encrypted.
const ENCRYPTED: u16 = 1;

/// What stands for the method of such a member.
pub(super) const ENCRYPTED_METHOD: u16 = u16::MAX;

/// The values that say that zip64 has the true one.
const WIDE_32: u64 = u32::MAX as u64;

/// The members of an archive, of equal names the last, and their names.
pub(super) fn directory(file: &File) -> Result<(Vec<ZipEntry>, Vec<String>), String> {
    let len = file.metadata().map_err(|e| e.to_string())?.len();
    let (offset, bytes) = find(file, len)?;
    let mut text = vec![0; usize::try_from(bytes).map_err(|e| e.to_string())?];
    file.read_exact_at(&mut text, offset).map_err(|e| format!("its directory is missing ({e})"))?;
    let (mut entries, mut names, mut known) = (Vec::new(), Vec::new(), HashMap::new());
    let mut rest = text.as_slice();
    while rest.starts_with(b"PK\x01\x02") {
        let (entry, name, after) = entry(rest).ok_or("its directory is damaged")?;
        rest = after;
        match known.get(&name) {
            Some(&at) => entries[at] = entry,
            None => {
                known.insert(name.clone(), entries.len());
                entries.push(entry);
                names.push(name);
            }
        }
    }
    check_places(&entries, len)?;
    Ok((entries, names))
}

/// Where the directory begins, and its length.
fn find(file: &File, len: u64) -> Result<(u64, u64), String> {
    let tail_len = len.min(COMMENT_MAX + END_LEN as u64);
    let mut tail = vec![0; usize::try_from(tail_len).map_err(|e| e.to_string())?];
    file.read_exact_at(&mut tail, len - tail_len).map_err(|e| e.to_string())?;
    let is_end = |at: &usize| {
        let end = &tail[*at..];
        end.starts_with(b"PK\x05\x06") && end.len() >= END_LEN && at + END_LEN + u16_at(end, 20) as usize <= tail.len()
    };
    let at = memchr::memmem::rfind_iter(&tail, b"PK\x05\x06").find(is_end).ok_or("its end is missing")?;
    let end = &tail[at..];
    let at = len - tail_len + at as u64;
    let (mut offset, mut bytes) = (u64::from(u32_at(end, 16)), u64::from(u32_at(end, 12)));
    if offset == WIDE_32 || bytes == WIDE_32 || u16_at(end, 10) == u16::MAX {
        (offset, bytes) = find_wide(file, at)?.unwrap_or((offset, bytes));
    }
    if bytes > DIRECTORY_BYTES_MAX || offset.checked_add(bytes).is_none_or(|end| end > len) {
        return Err("its directory does not fit in it".to_owned());
    }
    Ok((offset, bytes))
}

/// The same from the zip64 end record, whose locator precedes the end record.
fn find_wide(file: &File, end: u64) -> Result<Option<(u64, u64)>, String> {
    let Some(at) = end.checked_sub(LOCATOR_LEN as u64) else { return Ok(None) };
    let mut locator = [0; LOCATOR_LEN];
    file.read_exact_at(&mut locator, at).map_err(|e| e.to_string())?;
    if !locator.starts_with(b"PK\x06\x07") {
        return Ok(None);
    }
    let mut wide = [0; END64_LEN];
    file.read_exact_at(&mut wide, u64_at(&locator, 8)).map_err(|e| format!("its zip64 end is missing ({e})"))?;
    if !wide.starts_with(b"PK\x06\x06") {
        return Err("its zip64 end is missing".to_owned());
    }
    Ok(Some((u64_at(&wide, 48), u64_at(&wide, 40))))
}

/// The first entry of a directory, its name, and what follows it.
fn entry(text: &[u8]) -> Option<(ZipEntry, String, &[u8])> {
    let head = text.get(..ENTRY_LEN)?;
    let [name_len, extra_len, comment_len] = [28, 30, 32].map(|at| u16_at(head, at) as usize);
    let name = text.get(ENTRY_LEN..ENTRY_LEN + name_len)?;
    let extra = text.get(ENTRY_LEN + name_len..ENTRY_LEN + name_len + extra_len)?;
    let rest = text.get(ENTRY_LEN + name_len + extra_len + comment_len..)?;
    let mut sizes = [24, 20, 42].map(|at| u64::from(u32_at(head, at)));
    widen(&mut sizes, extra);
    let [bytes, packed_bytes, header] = sizes;
    let method = if u16_at(head, 8) & ENCRYPTED == 0 { u16_at(head, 10) } else { ENCRYPTED_METHOD };
    let entry = ZipEntry { method, crc: u32_at(head, 16), packed_bytes, bytes, header };
    Some((entry, String::from_utf8_lossy(name).into_owned(), rest))
}

/// Puts what the zip64 extra field has in place of the sizes that did not fit, in their order.
fn widen(sizes: &mut [u64; 3], mut extra: &[u8]) {
    while let Some((head, rest)) = extra.split_at_checked(4) {
        let len = (u16_at(head, 2) as usize).min(rest.len());
        let (mut field, after) = rest.split_at(len);
        if u16_at(head, 0) == 1 {
            for size in sizes.iter_mut().filter(|size| **size == WIDE_32) {
                let Some((wide, left)) = field.split_at_checked(8) else { break };
                *size = u64_at(wide, 0);
                field = left;
            }
        }
        extra = after;
    }
}

/// Members that are in each other unpack to more than any file holds.
fn check_places(entries: &[ZipEntry], len: u64) -> Result<(), String> {
    let mut places: Vec<(u64, u64)> = entries.iter().map(|e| (e.header, e.packed_bytes)).collect();
    places.sort_unstable();
    let mut free = 0;
    for (header, packed) in places {
        let end = header.checked_add(packed).and_then(|end| end.checked_add(HEADER_LEN as u64));
        let end = end.filter(|end| *end <= len).ok_or("a member does not fit in it")?;
        if header < free {
            return Err("its members overlap".to_owned());
        }
        free = end;
    }
    Ok(())
}

impl ZipEntry {
    /// Where what it holds begins: after its local header.
    pub(super) fn data_offset(&self, file: &File) -> io::Result<u64> {
        let mut head = [0; HEADER_LEN];
        file.read_exact_at(&mut head, self.header)?;
        if !head.starts_with(b"PK\x03\x04") {
            return Err(io::Error::other("its header is missing"));
        }
        let texts = u64::from(u16_at(&head, 26)) + u64::from(u16_at(&head, 28));
        Ok(self.header + HEADER_LEN as u64 + texts)
    }
}

/// Numbers of a record, the lowest byte first; 0 after its end.
fn number_at<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes.get(at..at + N).and_then(|part| part.try_into().ok()).unwrap_or([0; N])
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(number_at(bytes, at))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(number_at(bytes, at))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(number_at(bytes, at))
}
