//! Archives written here, as they should be and as they should not.

use super::*;
use crate::model::Archive;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use proptest::prelude::*;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::Write;

/// A member as it is written: name, method, text, what it is packed to.
type Member = (&'static str, u16, Vec<u8>, Vec<u8>);

fn member(name: &'static str, method: u16, text: &[u8]) -> Member {
    let packed = match method {
        DEFLATE => {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(text).unwrap();
            encoder.finish().unwrap()
        }
        // Two frames.
        ZSTD => text.chunks(text.len() / 2 + 1).flat_map(|p| compress_to_vec(p, CompressionLevel::Fastest)).collect(),
        _ => text.to_vec(),
    };
    (name, method, text.to_vec(), packed)
}

/// The bytes of an archive; `is_wide` writes all sizes in zip64 fields.
fn archive(members: &[Member], is_wide: bool) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    let short = |n: usize| (n as u16).to_le_bytes();
    let long = |n: usize| (n as u32).to_le_bytes();
    let wide = |n: usize| (n as u64).to_le_bytes();
    for (name, method, text, packed) in members {
        let offset = out.len();
        let mut crc = Crc::new();
        crc.update(text);
        let common = [&method.to_le_bytes()[..], &[0; 4], &crc.sum().to_le_bytes()].concat();
        out.extend([b"PK\x03\x04\x14\0\0\0", &common[..], &long(packed.len()), &long(text.len())].concat());
        out.extend([&short(name.len())[..], &short(0), name.as_bytes(), packed].concat());
        let sizes = if is_wide { [usize::MAX; 3] } else { [packed.len(), text.len(), offset] };
        let extra = [&[1, 0, 24, 0], &wide(text.len())[..], &wide(packed.len()), &wide(offset)].concat();
        let extra = if is_wide { extra } else { Vec::new() };
        directory.extend([b"PK\x01\x02\x14\0\x14\0\0\0", &common[..], &long(sizes[0]), &long(sizes[1])].concat());
        directory.extend([&short(name.len())[..], &short(extra.len()), &[0; 10], &long(sizes[2])].concat());
        directory.extend([name.as_bytes(), &extra].concat());
    }
    let (start, count) = (out.len(), members.len());
    out.extend(&directory);
    let mut end = (directory.len(), start);
    if is_wide {
        let at = out.len();
        out.extend([b"PK\x06\x06", &wide(44)[..], &[0; 12], &wide(count), &wide(count)].concat());
        out.extend([wide(directory.len()), wide(start)].concat());
        out.extend([b"PK\x06\x07", &[0; 4][..], &wide(at), &long(1)].concat());
        end = (u32::MAX as usize, u32::MAX as usize);
    }
    out.extend([b"PK\x05\x06", &[0; 4][..], &short(count), &short(count), &long(end.0), &long(end.1)].concat());
    out.extend([&short(7)[..], b"comment"].concat());
    out
}

fn opened(bytes: &[u8]) -> Result<Zip, Problem> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    Zip::open(file, "x.zip")
}

fn read(zip: &mut Zip, number: usize) -> Result<Vec<u8>, Problem> {
    zip.read_whole(number, 1 << 20)
}

fn members() -> Vec<Member> {
    let text: Vec<u8> = (0..9_000_u32).flat_map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    vec![member("a.json", 0, b"{}"), member("b.json", 8, &text), member("../c", 93, &text), member("d", 8, b"")]
}

#[test]
fn members_of_all_methods_are_read() {
    let members = members();
    for is_wide in [false, true] {
        let mut zip = opened(&archive(&members, is_wide)).unwrap();
        assert_eq!(zip.names(), ["a.json", "b.json", "../c", "d"]);
        for (i, (.., text, _)) in members.iter().enumerate() {
            assert_eq!(&read(&mut zip, i).unwrap(), text);
        }
        assert_eq!(zip.find("b.json"), Some(1));
        assert!(zip.read_whole(1, 100).unwrap_err().message.contains("more than 100 bytes"));
    }
    assert!(opened(&archive(&[], false)).unwrap().names().is_empty());
}

#[test]
fn of_equal_names_the_last_counts() {
    let mut zip = opened(&archive(&[member("a", 0, b"1"), member("b", 0, b"2"), member("a", 0, b"3")], false)).unwrap();
    assert_eq!((zip.names().len(), read(&mut zip, 0).unwrap()), (2, b"3".to_vec()));
}

#[test]
fn a_member_is_no_longer_than_it_says_and_the_checksum_holds() {
    let mut bomb = member("bomb", 8, &[0; 100_000]);
    bomb.2.truncate(10);
    let mut short = member("short", 0, b"abc");
    short.2.push(b'd');
    let mut wrong = member("wrong", 0, b"abc");
    wrong.3[0] = b'x';
    let unknown = member("unknown", 12, b"abc");
    let mut zip = opened(&archive(&[bomb, short, wrong, unknown], false)).unwrap();
    for (i, why) in ["longer than it says", "1 bytes are missing", "checksum", "method 12"].iter().enumerate() {
        let problem = read(&mut zip, i).unwrap_err();
        assert!(problem.message.contains(why), "{problem}");
    }
}

#[test]
fn an_encrypted_member_is_reported_as_one() {
    let mut bytes = archive(&[member("a", 0, b"12345")], false);
    let entry = memchr::memmem::rfind(&bytes, b"PK\x01\x02").unwrap();
    bytes[entry + 8] |= 1;
    assert!(read(&mut opened(&bytes).unwrap(), 0).unwrap_err().message.contains("it is encrypted"));
}

#[test]
fn members_that_overlap_or_reach_out_are_refused() {
    let bytes = archive(&[member("a", 0, b"12345"), member("b", 0, b"12345")], false);
    let entry = memchr::memmem::rfind(&bytes, b"PK\x01\x02").unwrap();
    let with = |at: usize, value: u32| {
        let mut bytes = bytes.clone();
        bytes[entry + at..entry + at + 4].copy_from_slice(&value.to_le_bytes());
        opened(&bytes).unwrap_err().message
    };
    assert!(with(42, 2).contains("overlap"));
    assert!(with(42, 1 << 30).contains("does not fit") && with(20, 1 << 30).contains("does not fit"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn damage_is_an_error_or_harmless(cut in 0..1_000_usize, at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = archive(&members(), cut % 2 == 0);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        bytes.truncate(bytes.len() - if cut < 500 { 0 } else { cut });
        if let Ok(mut zip) = opened(&bytes) {
            for i in 0..zip.names().len() {
                let _ = read(&mut zip, i);
            }
        }
    }
}
