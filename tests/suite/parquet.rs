//! Parquet files, in a build that reads them.
//!
//! `tests/data/talks.parquet` has three made rows in two columns of each kind that datasets have. The others were
//! written by pyarrow, packed as their names say: 500 rows with an id and a list of texts, which a fifth has not.

use super::command::{obelus, obelus_in};
use parquet::basic::{Compression, GzipLevel};
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// The rows as lines.
const ROWS: &str = concat!(
    r#"{"id":"t1","messages":[{"role":"user","content":"Where is my parcel?"},"#,
    r#"{"role":"assistant","content":"Naïve answer: 在路上 🚚"}],"tokens":12,"score":0.25,"day":"2026-05-01","#,
    r#""time":"2026-05-01 10:00:00.000000 +00:00","price":"12.50","raw":"AP8=","ok":true}"#,
    "\n",
    r#"{"id":"t2","messages":[{"role":"user","content":"Line one\nline two"}],"tokens":null,"score":null,"#,
    r#""day":null,"time":null,"price":null,"raw":null,"ok":false}"#,
    "\n",
    r#"{"id":"t3","messages":[],"tokens":-9007199254740993,"score":1e+300,"day":"1969-12-31","#,
    r#""time":"1969-12-31 23:59:59.500000 +00:00","price":"-0.01","raw":"","ok":null}"#,
    "\n",
);

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/talks.parquet");

fn data(name: &str) -> String {
    format!("{}/tests/data/{name}.parquet", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn rows_are_records_of_their_columns() {
    let (status, stdout, stderr) = obelus(&["query", FILE, "."]);
    assert_eq!((status, stdout.as_str(), stderr.as_str()), (0, ROWS, ""));
    let (status, stdout, _) = obelus(&["query", FILE, ".messages | length > 1", "--select"]);
    assert_eq!((status, stdout.as_str()), (0, ROWS.split_inclusive('\n').next().unwrap()));
}

#[test]
fn folders_have_them_too() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("data")).unwrap();
    fs::copy(FILE, folder.path().join("data/train-00000-of-00001.parquet")).unwrap();
    fs::write(folder.path().join("more.jsonl"), "{\"id\":\"x\"}\n").unwrap();
    let (status, stdout, stderr) = obelus_in(folder.path(), &["query", ".", ".id"]);
    assert_eq!((status, stdout.as_str()), (0, "\"t1\"\n\"t2\"\n\"t3\"\n\"x\"\n"), "{stderr}");
}

/// A column of texts, packed so.
fn write_packed(path: &Path, packing: Compression) {
    let schema = Arc::new(parse_message_type("message made { required binary id (UTF8); }").unwrap());
    let properties = Arc::new(WriterProperties::builder().set_compression(packing).build());
    let mut writer = SerializedFileWriter::new(fs::File::create(path).unwrap(), schema, properties).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let texts: Vec<ByteArray> = (0..500).map(|i| format!("record {}", i / 7).as_str().into()).collect();
    column.typed::<ByteArrayType>().write_batch(&texts, None, None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
}

#[test]
fn pages_are_unpacked_however_they_are_packed() {
    let folder = tempfile::tempdir().unwrap();
    let packings =
        [Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::GZIP(GzipLevel::default()), Compression::LZ4_RAW];
    let expected: String = (0..500).map(|i| format!("\"record {}\"\n", i / 7)).collect();
    for packing in packings {
        write_packed(&folder.path().join("p.parquet"), packing);
        let (status, stdout, stderr) = obelus_in(folder.path(), &["query", "p.parquet", ".id"]);
        assert_eq!((status, stderr.as_str(), stdout == expected), (0, "", true), "{packing:?}");
    }
}

/// Of both versions of pages, with dictionaries and without, nulls and lists.
#[test]
fn zstandard_is_unpacked_without_c() {
    let row = |i: usize| {
        let parts: Vec<String> = (0..i % 4).map(|part| format!("\"part {part} of {i}\"")).collect();
        let parts = if i.is_multiple_of(5) { "null".to_owned() } else { format!("[{}]", parts.join(",")) };
        format!("{{\"id\":\"record {}\",\"parts\":{parts}}}\n", i / 7)
    };
    let expected: String = (0..500).map(row).collect();
    for name in ["packed-zstd-1", "packed-zstd-2"] {
        let (status, stdout, stderr) = obelus(&["query", &data(name), "."]);
        assert_eq!((status, stderr.as_str(), stdout == expected), (0, "", true), "{name}: {stdout}");
    }
}

#[test]
fn what_nobody_unpacks_is_refused_with_a_way() {
    let (status, _, stderr) = obelus(&["query", &data("packed-brotli"), "."]);
    assert!(status == 2 && stderr.contains("packed with Brotli") && stderr.contains("COMPRESSION zstd"), "{stderr}");
}

#[test]
fn damaged_files_are_reported_and_never_end_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let damaged = |file: &str, step: usize| {
        let whole = fs::read(file).unwrap();
        let damages = (0..whole.len()).step_by(step).map(|at| {
            let mut damaged = whole.clone();
            damaged[at] ^= 0xff;
            damaged
        });
        let cuts = [4, 100, whole.len() / 2, whole.len() - 1].map(|len| whole[..len].to_vec());
        damages.chain(cuts).collect::<Vec<_>>()
    };
    let all = damaged(FILE, 23).into_iter().chain(damaged(&data("packed-zstd-2"), 97));
    for (i, bytes) in all.enumerate() {
        fs::write(folder.path().join("d.parquet"), bytes).unwrap();
        let (status, stdout, stderr) = obelus_in(folder.path(), &["query", "d.parquet", "."]);
        assert!((0..=2).contains(&status) && !stderr.contains("panicked"), "{i}: {status} {stderr}");
        assert!(status == 0 || stderr.contains("d.parquet"), "{i}: {stderr}");
        assert!(stdout.is_empty() || stdout.ends_with('\n'), "{i}: {stdout}");
    }
}
