//! How fast an input is cut into records and read: the newline scan, the skim of values, the parser, and the index from
//! a file.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    missing_docs,
    reason = "measurements fail loudly, and have small inputs of their own"
)]

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use obelus::framing::Framer;
use obelus::json::{Scan, Scanner};
use obelus::model::{Framing, RecordIndex};
use obelus::source::{Input, index_all};
use std::io::Write;

fn main() {
    divan::main();
}

/// Bytes of the made-up input.
const SIZE: usize = 64 << 20;

/// Records of about 2.9 kB, as agents write them: short members, a long text with escapes.
fn lines() -> Vec<u8> {
    let words = "the agent reads a file, runs the tests and says \\\"done\\\"\\n";
    let mut text = Vec::with_capacity(SIZE + 4096);
    let mut number = 0;
    while text.len() < SIZE {
        let head = format!("{{\"type\":\"assistant\",\"uuid\":\"{number:08x}\",\"message\":{{\"role\":\"assistant\",");
        let tail = format!("\"content\":[{{\"type\":\"text\",\"text\":\"{}\"}}]}}}}\n", words.repeat(45 + number % 10));
        text.extend_from_slice(head.as_bytes());
        text.extend_from_slice(tail.as_bytes());
        number += 1;
    }
    text
}

fn fed(text: &[u8], framing: Framing) -> RecordIndex {
    let mut framer = Framer::new(framing);
    let mut index = RecordIndex::default();
    for piece in text.chunks(1 << 20) {
        framer.feed(piece, &mut index);
    }
    framer.finish(&mut index);
    index
}

#[divan::bench(args = ["lines", "values"])]
fn frame(bencher: Bencher, what: &str) {
    let text = lines();
    let framing = if what == "lines" { Framing::Text } else { Framing::Values };
    bencher.counter(BytesCount::new(text.len())).bench(|| fed(black_box(&text), framing).len());
}

#[divan::bench]
fn elements(bencher: Bencher) {
    let lines = lines();
    let text = [b"[", lines.trim_ascii_end(), b"]"].concat();
    let text: Vec<u8> = text.iter().map(|&b| if b == b'\n' { b',' } else { b }).collect();
    bencher.counter(BytesCount::new(text.len())).bench(|| fed(black_box(&text), Framing::Elements).len());
}

#[divan::bench]
fn skim(bencher: Bencher) {
    let lines = lines();
    let text = [b"[", lines.trim_ascii_end(), b"]"].concat();
    let text: Vec<u8> = text.iter().map(|&b| if b == b'\n' { b',' } else { b }).collect();
    bencher.counter(BytesCount::new(text.len())).bench(|| {
        let scan = Scanner::default().feed(black_box(&text));
        assert_eq!(scan, Scan::End(text.len()));
    });
}

#[divan::bench]
fn parse(bencher: Bencher) {
    let text = String::from_utf8(lines()).expect("text");
    let read = |line: &str| obelus::json::parse(black_box(line)).is_ok();
    bencher.counter(BytesCount::new(text.len())).bench(|| text.lines().filter(|line| read(line)).count());
}

#[divan::bench]
fn file(bencher: Bencher) {
    let text = lines();
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(&text).expect("room for it");
    let input = Input::open(file.path()).expect("it can be opened");
    bencher.counter(BytesCount::new(text.len())).bench(|| index_all(&input, Framing::Text).map(|i| i.len()));
}
