//! Parquet files, in a build that reads them.
//!
//! `tests/data/talks.parquet` has three made rows in two columns of each kind that datasets have. The others were
//! written by pyarrow, packed as their names say: 500 rows with an id and a list of texts, which a fifth has not; `types`
//! with the least, greatest and plain values of types for which JSON has none, as Python's calendar and decimals have
//! them in `types.jsonl`.

use super::command::{obelus, obelus_in};
use parquet::basic::{Compression, GzipLevel};
use parquet::data_type::{
    ByteArray, ByteArrayType, DataType, FixedLenByteArrayType, Int32Type, Int64Type, Int96, Int96Type,
};
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
    r#""time":"2026-05-01 10:00:00.000000","price":"12.50","raw":"AP8=","ok":true}"#,
    "\n",
    r#"{"id":"t2","messages":[{"role":"user","content":"Line one\nline two"}],"tokens":null,"score":null,"#,
    r#""day":null,"time":null,"price":null,"raw":null,"ok":false}"#,
    "\n",
    r#"{"id":"t3","messages":[],"tokens":-9007199254740993,"score":1e+300,"day":"1969-12-31","#,
    r#""time":"1969-12-31 23:59:59.500000","price":"-0.01","raw":"","ok":null}"#,
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

/// A required column of this type with these values, packed so.
fn write_column<T: DataType>(path: &Path, column: &str, values: &[T::T], packing: Compression) {
    let schema = Arc::new(parse_message_type(&format!("message made {{ required {column}; }}")).unwrap());
    let properties = Arc::new(WriterProperties::builder().set_compression(packing).build());
    let mut writer = SerializedFileWriter::new(fs::File::create(path).unwrap(), schema, properties).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<T>().write_batch(values, None, None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
}

/// A column of texts, packed so.
fn write_packed(path: &Path, packing: Compression) {
    let texts: Vec<ByteArray> = (0..500).map(|i| format!("record {}", i / 7).as_str().into()).collect();
    write_column::<ByteArrayType>(path, "binary id (UTF8)", &texts, packing);
}

#[test]
fn every_value_of_every_type_is_read() {
    let expected = fs::read_to_string(format!("{}/tests/data/types.jsonl", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let (status, stdout, stderr) = obelus(&["query", &data("types"), "."]);
    assert_eq!((status, stderr.as_str()), (0, ""));
    for (row, expected) in stdout.lines().zip(expected.lines()) {
        assert_eq!(row, expected);
    }
    assert_eq!(stdout.lines().count(), 5);
}

/// The rows of `columns` were made of `columns.jsonl`, so their structs have all members that any of them has.
#[test]
fn members_that_only_the_columns_bring_are_no_fields() {
    let (rows, lines) = (data("columns"), data("columns").replace(".parquet", ".jsonl"));
    let answer = |file: &str, words: &[&str]| {
        let arguments: Vec<&str> = words.iter().copied().chain([file]).collect();
        let (status, stdout, stderr) = obelus(&arguments);
        assert_eq!(stderr, "", "{words:?}");
        (status, stdout.replace(file, "FILE"))
    };
    for words in [
        &["check", "--json"][..],
        &["check", "--json", "--data"],
        &["stats"],
        &["stats", "--tools"],
        &["steps", "--record", "0"],
        &["steps", "--record", "1"],
        &["check"],
    ] {
        assert_eq!(answer(&rows, words), answer(&lines, words), "{words:?}");
    }
    let (_, found) = answer(&rows, &["check", "--json"]);
    let extra: Vec<&str> = found.lines().filter(|line| line.contains("adp.extra-field")).collect();
    assert!(matches!(extra[..], [one] if one.contains("/content/3/mood")), "{extra:?}");
    assert!(found.contains("adp.field-alias") && found.contains("/content/2/content"), "{found}");
    // What the file holds is shown.
    let (status, shown, _) = obelus(&["query", &rows, ".content[0] | has(\"mood\"), .mood"]);
    assert_eq!((status, shown.as_str()), (0, "true\nnull\n".repeat(3).as_str()));
}

/// What `query` makes of a required column `x` of this type.
fn column_of<T: DataType>(column: &str, values: &[T::T]) -> String {
    let folder = tempfile::tempdir().unwrap();
    write_column::<T>(&folder.path().join("p.parquet"), column, values, Compression::UNCOMPRESSED);
    let (status, stdout, stderr) = obelus_in(folder.path(), &["query", "p.parquet", ".x"]);
    assert_eq!((status, stderr.as_str()), (0, ""), "{column}: {stdout}");
    stdout.trim_end().replace('\n', " ")
}

/// Types as files say them that are older than the present ones.
#[test]
fn values_of_older_types_are_read_too() {
    let long = |column: &str| column_of::<Int64Type>(column, &[i64::MIN, -1, 0, i64::MAX]);
    let ends = ["-9223372036854775808", "9223372036854775807"];
    let around = |inner: &str| format!("{} {inner} {}", ends[0], ends[1]);
    assert_eq!(long("int64 x (TIMESTAMP_MILLIS)"), around(r#""1969-12-31 23:59:59.999" "1970-01-01 00:00:00.000""#));
    let micros = around(r#""1969-12-31 23:59:59.999999" "1970-01-01 00:00:00.000000""#);
    assert_eq!(long("int64 x (TIMESTAMP_MICROS)"), micros);
    assert_eq!(long("int64 x (TIME_MICROS)"), around(r#"-1 "00:00:00.000000""#));
    assert_eq!(long("int64 x (UINT_64)"), "9223372036854775808 18446744073709551615 0 9223372036854775807");
    assert_eq!(long("int64 x (DECIMAL(18, 2))"), r#""-92233720368547758.08" "-0.01" "0.00" "92233720368547758.07""#);
    let short = |column: &str| column_of::<Int32Type>(column, &[i32::MIN, -1, i32::MAX]);
    assert_eq!(short("int32 x (DATE)"), r#"-2147483648 "1969-12-31" 2147483647"#);
    assert_eq!(short("int32 x (TIME_MILLIS)"), "-2147483648 -1 2147483647");
    assert_eq!(short("int32 x (UINT_32)"), "2147483648 4294967295 2147483647");
    assert_eq!(short("int32 x (DECIMAL(9, 0))"), r#""-2147483648" "-1" "2147483647""#);
    let mut ancient = Int96::new();
    ancient.set_data(1, 0, 2_440_587);
    let mut last = Int96::new();
    last.set_data(u32::MAX, u32::MAX, u32::MAX);
    let int96 = column_of::<Int96Type>("int96 x", &[Int96::new(), ancient, last]);
    assert_eq!(int96, r#"-210866803200000000000 "1969-12-31 00:00:00.000000001" 370892754228873709551615"#);
    let span = vec![0_u8; 12];
    let span =
        column_of::<FixedLenByteArrayType>("fixed_len_byte_array(12) x (INTERVAL)", &[ByteArray::from(span).into()]);
    assert_eq!(span, r#""AAAAAAAAAAAAAAAA""#);
}

/// As a line that is no UTF-8 is.
#[test]
fn a_text_that_is_none_spoils_its_row_alone() {
    let folder = tempfile::tempdir().unwrap();
    let texts = [ByteArray::from("one"), ByteArray::from(vec![b'a', 0xff, b'"']), ByteArray::from("three")];
    write_column::<ByteArrayType>(&folder.path().join("p.parquet"), "binary x (UTF8)", &texts, Compression::SNAPPY);
    let (status, stdout, stderr) = obelus_in(folder.path(), &["query", "p.parquet", ".x"]);
    assert_eq!((status, stdout.as_str()), (1, "\"one\"\n\"three\"\n"), "{stderr}");
    assert!(stderr.contains("UTF-8"), "{stderr}");
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
