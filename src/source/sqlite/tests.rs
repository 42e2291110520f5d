//! Databases and logs written here byte by byte, as they should be and as they should not.

use super::*;
use proptest::prelude::*;
use std::fs;
use std::path::PathBuf;

const PAGE: usize = 512;

/// A number as the format writes it: seven bits a byte.
fn put_varint(mut number: u64) -> Vec<u8> {
    let mut bytes = vec![(number & 0x7f) as u8];
    while number > 0x7f {
        number >>= 7;
        bytes.insert(0, (number & 0x7f) as u8 | 0x80);
    }
    bytes
}

/// What a row holds.
fn record(cells: &[ContainerValue]) -> Vec<u8> {
    let (mut kinds, mut body) = (Vec::new(), Vec::new());
    for cell in cells {
        let (kind, bytes) = match cell {
            ContainerValue::Null => (0, Vec::new()),
            ContainerValue::Integer(0) => (8, Vec::new()),
            ContainerValue::Integer(n) if i8::try_from(*n).is_ok() => (1, vec![*n as u8]),
            ContainerValue::Integer(n) => (6, n.to_be_bytes().to_vec()),
            ContainerValue::Real(x) => (7, x.to_be_bytes().to_vec()),
            ContainerValue::Text(text) => (13 + 2 * text.len() as u64, text.as_bytes().to_vec()),
            ContainerValue::Blob(bytes) => (12 + 2 * bytes.len() as u64, bytes.clone()),
        };
        kinds.extend(put_varint(kind));
        body.extend(bytes);
    }
    [put_varint(kinds.len() as u64 + 1), kinds, body].concat()
}

/// Pages of a database, from the first.
struct Pages(Vec<Vec<u8>>);

impl Pages {
    /// A leaf of rows; what does not fit on it goes to pages of its own.
    fn leaf(&mut self, page: usize, start: usize, rows: &[(i64, Vec<u8>)]) {
        let mut cells = Vec::new();
        for (number, row) in rows {
            let most = PAGE - 35;
            let least = (PAGE - 12) * 32 / 255 - 23;
            let here = match least + row.len().saturating_sub(least) % (PAGE - 4) {
                _ if row.len() <= most => row.len(),
                n if n <= most => n,
                _ => least,
            };
            let mut cell = [put_varint(row.len() as u64), put_varint(*number as u64), row[..here].to_vec()].concat();
            let mut rest = &row[here..];
            while !rest.is_empty() {
                let n = rest.len().min(PAGE - 4);
                self.0.push(Vec::new());
                let next = self.0.len() as u32;
                if rest.len() + here == row.len() {
                    cell.extend(next.to_be_bytes());
                }
                let after = if n < rest.len() { next + 1 } else { 0 };
                let body = [&after.to_be_bytes()[..], &rest[..n]].concat();
                self.0[next as usize - 1] = [body, vec![0; PAGE - 4 - n]].concat();
                rest = &rest[n..];
            }
            cells.push(cell);
        }
        self.put(page, start, LEAF, &cells, 0);
    }

    fn put(&mut self, page: usize, start: usize, kind: u8, cells: &[Vec<u8>], right: u32) {
        let mut bytes = vec![0; PAGE];
        let mut end = PAGE;
        let pointers = start + if kind == LEAF { 8 } else { 12 };
        bytes[start] = kind;
        bytes[start + 3..start + 5].copy_from_slice(&(cells.len() as u16).to_be_bytes());
        if kind != LEAF {
            bytes[start + 8..start + 12].copy_from_slice(&right.to_be_bytes());
        }
        for (i, cell) in cells.iter().enumerate() {
            end -= cell.len();
            bytes[end..end + cell.len()].copy_from_slice(cell);
            bytes[pointers + 2 * i..pointers + 2 * i + 2].copy_from_slice(&(end as u16).to_be_bytes());
        }
        assert!(pointers + 2 * cells.len() <= end, "the cells fit");
        self.0[page - 1] = bytes;
    }
}

const LEAF: u8 = 13;
const INTERIOR: u8 = 5;

fn text(text: &str) -> ContainerValue {
    ContainerValue::Text(text.to_owned())
}

/// A database of one table over two leaves, and a row that is longer than its page.
fn database() -> Vec<Vec<u8>> {
    let mut pages = Pages(vec![Vec::new(); 4]);
    let table = |name: &str, page: i64, sql: &str| {
        record(&[text("table"), text(name), text(name), ContainerValue::Integer(page), text(sql)])
    };
    let rows = [
        (1, table("runs", 2, "CREATE TABLE runs (id INTEGER PRIMARY KEY, name TEXT, body BLOB, x REAL)")),
        (2, table("odd", 3, "CREATE TABLE odd (a PRIMARY KEY) WITHOUT ROWID")),
    ];
    pages.leaf(1, 100, &rows);
    let mut header = vec![0; 100];
    header[..16].copy_from_slice(MAGIC);
    header[16..18].copy_from_slice(&(PAGE as u16).to_be_bytes());
    header[56..60].copy_from_slice(&1_u32.to_be_bytes());
    pages.0[0][..100].copy_from_slice(&header);
    let row = |name: &str, body: ContainerValue, x| record(&[ContainerValue::Null, text(name), body, x]);
    pages.leaf(
        3,
        0,
        &[
            (1, row("a", ContainerValue::Null, ContainerValue::Real(1.5))),
            (5, row("b", ContainerValue::Blob(long()), ContainerValue::Integer(-3))),
        ],
    );
    pages.leaf(4, 0, &[(1 << 40, record(&[ContainerValue::Null, text("é")]))]);
    pages.put(2, 0, INTERIOR, &[[3_u32.to_be_bytes().to_vec(), put_varint(5)].concat()], 4);
    pages.0
}

fn long() -> Vec<u8> {
    (0..3_000_u32).map(|i| (i * 7) as u8).collect()
}

/// Pages with their numbers that a commit writes, and the size of the database after it.
type Commit<'p> = (&'p [(u32, Vec<u8>)], u32);

/// A log with these commits: pages, and the size of the database after each.
fn log(commits: &[Commit<'_>]) -> Vec<u8> {
    let words = |bytes: &[u8]| bytes.chunks(4).map(|w| u32::from_be_bytes(w.try_into().unwrap())).collect::<Vec<_>>();
    let sum = |(mut a, mut b): (u32, u32), bytes: &[u8]| {
        for pair in words(bytes).chunks(2) {
            a = a.wrapping_add(pair[0]).wrapping_add(b);
            b = b.wrapping_add(pair[1]).wrapping_add(a);
        }
        (a, b)
    };
    let head: Vec<u8> =
        [0x377f_0683, 3_007_000, PAGE as u32, 0, 11, 12].iter().flat_map(|n: &u32| n.to_be_bytes()).collect();
    let mut at = sum((0, 0), &head);
    let mut out = [head, at.0.to_be_bytes().to_vec(), at.1.to_be_bytes().to_vec()].concat();
    for (pages, size) in commits {
        for (i, (number, page)) in pages.iter().enumerate() {
            let size = if i + 1 == pages.len() { *size } else { 0 };
            let head = [number.to_be_bytes(), size.to_be_bytes()].concat();
            at = sum(sum(at, &head), page);
            out.extend([&head[..], &11_u32.to_be_bytes(), &12_u32.to_be_bytes()].concat());
            out.extend([&at.0.to_be_bytes()[..], &at.1.to_be_bytes(), page].concat());
        }
    }
    out
}

/// A folder with a database and its log.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new(pages: &[Vec<u8>], log: Option<&[u8]>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.db"), pages.concat()).unwrap();
        log.iter().for_each(|log| fs::write(folder.path().join("a.db-wal"), log).unwrap());
        Self(folder)
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("a.db")
    }

    fn open(&self) -> Result<Database, Problem> {
        Database::open(File::open(self.path()).unwrap(), &self.path())
    }
}

type Rows = Vec<(i64, Vec<ContainerValue>)>;

fn rows(database: &mut Database, columns: &[&str]) -> Result<Rows, Problem> {
    let mut rows = Vec::new();
    database.rows("runs", columns, &mut |number, cells| {
        rows.push((number, cells.to_vec()));
        Ok(())
    })?;
    Ok(rows)
}

#[test]
fn rows_are_read_over_pages_and_overflow() {
    let folder = Folder::new(&database(), None);
    let mut database = folder.open().unwrap();
    assert_eq!(database.tables().len(), 1, "tables without row numbers are passed over");
    assert!(database.has("RUNS", &["id", "body"]) && !database.has("runs", &["y"]));
    let all = rows(&mut database, &["x", "name", "id", "body", "none"]).unwrap();
    let expect = [
        (
            1,
            vec![
                ContainerValue::Real(1.5),
                text("a"),
                ContainerValue::Integer(1),
                ContainerValue::Null,
                ContainerValue::Null,
            ],
        ),
        (
            5,
            vec![
                ContainerValue::Integer(-3),
                text("b"),
                ContainerValue::Integer(5),
                ContainerValue::Blob(long()),
                ContainerValue::Null,
            ],
        ),
        // A column that was added later is in no older row.
        (
            1 << 40,
            vec![
                ContainerValue::Null,
                text("é"),
                ContainerValue::Integer(1 << 40),
                ContainerValue::Null,
                ContainerValue::Null,
            ],
        ),
    ];
    assert_eq!(all, expect);
    for (number, cells) in &expect {
        let found = database.row("runs", *number, &["x", "name", "id", "body", "none"]).unwrap();
        assert_eq!(found.as_ref(), Some(cells));
    }
    assert_eq!([0, 2, 6].map(|n| database.row("runs", n, &["id"]).unwrap()), [None, None, None]);
    assert!(database.row("other", 1, &[]).is_err());
    assert_eq!(fs::read_dir(folder.0.path()).unwrap().count(), 1, "nothing is made beside it");
}

#[test]
fn the_log_counts_up_to_its_last_commit() {
    let mut pages = database();
    let changed = |name: &str| {
        let mut pages = Pages(vec![Vec::new(); 4]);
        pages.leaf(4, 0, &[(9, record(&[ContainerValue::Null, text(name)]))]);
        pages.0.pop().unwrap()
    };
    let log = log(&[(&[(4, changed("one"))], 9), (&[(4, changed("two"))], 9), (&[(4, changed("open"))], 0)]);
    let last = |folder: &Folder| rows(&mut folder.open().unwrap(), &["name"]).unwrap().pop().unwrap().1;
    assert_eq!(last(&Folder::new(&pages, Some(&log))), [text("two")]);
    let frame = PAGE + 24;
    assert_eq!(last(&Folder::new(&pages, Some(&log[..32 + frame + 40]))), [text("one")], "a frame is cut off");
    assert_eq!(last(&Folder::new(&pages, Some(&log[..20]))), [text("é")]);
    let mut wrong = log.clone();
    wrong[32 + 24 + 100] ^= 1;
    assert_eq!(last(&Folder::new(&pages, Some(&wrong))), [text("é")], "a checksum is wrong");
    // Only the log has the page.
    pages.truncate(3);
    assert_eq!(last(&Folder::new(&pages, Some(&log[..32 + frame]))), [text("one")]);
}

#[test]
fn a_page_that_leads_back_is_an_error() {
    let read = |pages: &[Vec<u8>]| rows(&mut Folder::new(pages, None).open()?, &["body"]).map(|rows| rows.len());
    let child = |page: u32| {
        let mut pages = database();
        pages[1][8..12].copy_from_slice(&page.to_be_bytes());
        read(&pages).unwrap_err().message
    };
    assert!(child(2).contains("twice") && child(3).contains("twice"));
    assert!(child(0).contains("no page 0") && child(999).contains("no page 999"));
    let mut pages = database();
    // The first page of the long row leads to itself.
    pages[4][..4].copy_from_slice(&5_u32.to_be_bytes());
    assert_eq!(read(&pages).unwrap(), 3, "a chain is no longer than its row");
    assert!(Folder::new(&[database()[0][..50].to_vec()], None).open().is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn damage_is_an_error_or_harmless(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in 0..3_000_usize,
    ) {
        let mut bytes = database().concat();
        for (at, byte) in changes {
            let at = 16 + at.index(bytes.len() - 16);
            bytes[at] = byte;
        }
        bytes.truncate(bytes.len() - if cut < 1_500 { 0 } else { cut });
        let folder = Folder::new(&[bytes], None);
        if let Ok(mut database) = folder.open() {
            let _ = rows(&mut database, &["id", "name", "body", "x"]);
            let _ = database.row("runs", 5, &["body"]);
        }
    }
}

#[test]
fn a_packed_cell_is_unpacked_to_the_length_that_is_known() {
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    let database = Folder::new(&database(), None).open().unwrap();
    let packed = compress_to_vec(&b"one two one two"[..], CompressionLevel::Fastest);
    assert_eq!(database.unpack(&packed, 15).as_deref(), Some(&b"one two one two"[..]));
    assert_eq!((database.unpack(&packed, 14), database.unpack(&packed, 16)), (None, None));
    assert_eq!((database.unpack(&packed[..9], 15), database.unpack(b"no frame", 8)), (None, None));
    assert_eq!(database.unpack_up_to(&packed, 99).as_deref(), Some(&b"one two one two"[..]));
    assert_eq!(database.unpack_up_to(&packed, 14), None);
}
