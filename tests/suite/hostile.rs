//! Damaged input: cut at every byte, nested deep, with endless lines and bytes that are not text. Nothing ends the
//! program, and no bad record hides a good one.

use obelus::format::{self, Format, Layout, Run};
use obelus::ingest::{Loaded, load};
use obelus::model::{Bytes, Framing, Record, RecordBody, StepNo};
use obelus::panes::reading::{self, ReadingView};
use obelus::panes::{Extent, Row};
use obelus::source::{Input, index_all};
use std::sync::Arc;

fn records(text: &[u8], framing: Framing) -> Vec<Record> {
    index_all(&Input::memory("x", text), framing).unwrap().iter().collect()
}

/// Asks a run everything that a screen would.
fn look(loaded: &Loaded) {
    for number in 0..loaded.trajectories().unwrap().min(50) {
        let Ok(run) = loaded.run(number) else { continue };
        let bytes = loaded.input.as_ref();
        for step in -1..StepNo::try_from(run.step_count()).unwrap() {
            run.step(step, bytes);
            run.state(step, bytes);
            run.view(step, bytes);
            run.plan(step, bytes);
        }
        run.findings();
        run.title();
    }
}

fn every_format(mut check: impl FnMut(&'static dyn Format, &str)) {
    for &format in format::FORMATS {
        format.samples().iter().for_each(|sample| check(format, sample));
    }
}

/// The same with every n-th place of each sample, the first of them another for each sample.
fn every_place(step: usize, mut check: impl FnMut(&'static dyn Format, &str, usize)) {
    let mut first = 0;
    every_format(|format, sample| {
        first = (first + 1) % step;
        (first..sample.len()).step_by(step).for_each(|place| check(format, sample, place));
    });
}

#[test]
fn samples_cut_at_many_bytes_are_opened() {
    every_place(11, |format, sample, cut| {
        let input = Input::memory("cut", &sample.as_bytes()[..cut]);
        look(&load(input, Some(format.name())).unwrap());
    });
}

/// Lays a step out to be read, in a pane of a few cells too.
fn read(run: &dyn Run, step: StepNo, bytes: &dyn Bytes) {
    let Some(reading) = reading::Step::of(run, step).read(run, bytes, "") else { return };
    let mut view = ReadingView::default();
    view.set(Some(Arc::new(reading)), false);
    for width in [1, 9, 80] {
        let window = view.window(Extent { width, height: 60 }, true);
        let cells = |row: &Row| row.left.iter().chain(&row.right).map(|piece| piece.width()).sum::<usize>();
        assert!(window.rows.iter().all(|row| cells(row) <= width.max(2)), "step {step} in {width} cells");
    }
}

#[test]
fn samples_cut_short_are_read_as_messages() {
    every_format(|format, sample| {
        for cut in (1..=sample.len()).rev().step_by(37) {
            let input = Input::memory("cut", &sample.as_bytes()[..cut]);
            let loaded = load(input, Some(format.name())).unwrap();
            for number in 0..loaded.trajectories().unwrap().min(4) {
                let Ok(run) = loaded.run(number) else { continue };
                let steps = 0..StepNo::try_from(run.step_count()).unwrap();
                steps.for_each(|step| read(run.as_ref(), step, loaded.input.as_ref()));
            }
        }
    });
}

#[test]
fn samples_with_a_byte_spoilt_are_opened() {
    every_place(19, |format, sample, at| {
        let mut bytes = sample.as_bytes().to_vec();
        bytes[at] = [b'{', b'"', 0xff, 0, b']'][at % 5];
        look(&load(Input::memory("spoilt", bytes), Some(format.name())).unwrap());
    });
}

#[test]
fn records_before_a_cut_stay() {
    let lines = "{\"a\":1}\n\n{\"b\":[2,{\"c\":\"\\u00e9\\n\"}]}\r\n{\"d\":null}\n{\"e\":\"long enough\"}\n";
    for framing in [Framing::Text, Framing::Values, Framing::Elements] {
        let whole = records(lines.as_bytes(), framing);
        for cut in 8..lines.len() {
            let kept: Vec<Record> = whole.iter().filter(|r| r.place.span.end() <= cut as u64).cloned().collect();
            let found = records(&lines.as_bytes()[..cut], framing);
            assert!(found.len() >= kept.len(), "{framing:?} cut at {cut}: {found:?}");
            assert_eq!(found[..kept.len()], kept, "{framing:?} cut at {cut}");
            assert!(found.len() <= kept.len() + 1, "{framing:?} cut at {cut}");
        }
    }
    let array = "[{\"a\":1}, {\"b\":[2]},\n {\"c\":3}]";
    for framing in [Framing::Values, Framing::Elements] {
        let whole = records(array.as_bytes(), framing);
        for cut in 1..array.len() {
            let kept: Vec<Record> = whole.iter().filter(|r| r.place.span.end() <= cut as u64).cloned().collect();
            let found = records(&array.as_bytes()[..cut], framing);
            assert!(found.len() >= kept.len(), "{framing:?} cut at {cut}: {found:?}");
            assert_eq!(found[..kept.len()], kept, "{framing:?} cut at {cut}");
            assert!(matches!(found[kept.len()].body, RecordBody::Broken(_)), "{framing:?} cut at {cut}");
        }
    }
}

#[test]
fn deep_nesting_between_good_records() {
    for (open, close, depth) in [("[", "]", 100_000), ("{\"a\":", "}", 10_000)] {
        let deep = format!("{}1{}", open.repeat(depth), close.repeat(depth));
        let between = format!("{{}}\n{deep}\n{{}}\n");
        for (text, count) in [(between, 3), (deep.clone(), 1), (open.repeat(10_000), 1)] {
            for &format in format::FORMATS {
                let loaded = load(Input::memory("deep", text.as_bytes()), Some(format.name())).unwrap();
                if format.framing() == Framing::Text {
                    assert_eq!(loaded.records().unwrap().len(), count, "{}", format.name());
                }
                // Of a document whose items are the records there may be none.
                if loaded.records().unwrap().is_empty() {
                    continue;
                }
                let run = loaded.run(0).unwrap();
                run.step(StepNo::try_from(run.step_count()).unwrap() - 1, loaded.input.as_ref());
            }
        }
    }
}

#[test]
fn a_long_line_is_one_record_in_every_format() {
    let check = |format: &dyn Format, megabytes: usize| {
        let text = "x\\n".repeat(megabytes * 340_000);
        let text = format!("{{\"a\":1}}\n{{\"content\":\"{text}\"}}\n{{\"b\":2}}\n");
        let loaded = load(Input::memory("long", text.into_bytes()), Some(format.name())).unwrap();
        assert_eq!(loaded.records().unwrap().len(), 3, "{}", format.name());
        if format.layout() == Layout::Run {
            assert!(loaded.run(0).unwrap().step_count() <= 3);
        }
    };
    format::FORMATS.iter().for_each(|format| check(*format, 1));
    check(format::by_name("generic").unwrap(), 20);
}

#[test]
fn bytes_that_are_no_utf8_spoil_one_record() {
    let text = b"{\"a\":1}\n{\"b\":\"\xff\xfe\x9b\"}\n{\"c\":3}\n";
    for &format in format::FORMATS {
        let loaded = load(Input::memory("bytes", &text[..]), Some(format.name())).unwrap();
        assert_eq!(loaded.records().unwrap().len(), 3, "{}", format.name());
        look(&loaded);
    }
}

#[test]
fn a_hole_of_nul_bytes_costs_no_record() {
    let text = [b"{\"a\":1}\n".as_slice(), &vec![0; 1 << 20], b"{\"b\":2}\n"].concat();
    let loaded = load(Input::memory("hole", text), Some("generic")).unwrap();
    let lens: Vec<u64> = loaded.records().unwrap().iter().map(|r| r.place.span.len).collect();
    assert_eq!(lens, [7, 1 << 20, 7]);
    look(&loaded);
}

/// R29: offsets beyond 32 bits, and a hole that no disk holds.
/// A file of 100 GB without a byte that was written is one broken record, and nothing of it is read.
#[test]
fn a_sparse_file_without_text() {
    let file = tempfile::NamedTempFile::new().unwrap();
    file.as_file().set_len(100 << 30).unwrap();
    let loaded = load(Input::open(file.path()).unwrap(), None).unwrap();
    let records: Vec<(u64, bool)> =
        loaded.records().unwrap().iter().map(|r| (r.place.span.len, matches!(r.body, RecordBody::Broken(_)))).collect();
    assert_eq!(records, [(100 << 30, true)]);
}

#[test]
fn a_sparse_file_of_8_gigabytes() {
    use std::io::{Seek, SeekFrom, Write};
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(b"{\"a\":1}\n").unwrap();
    file.as_file_mut().seek(SeekFrom::Start(8 << 30)).unwrap();
    file.write_all(b"{\"b\":2}\n").unwrap();
    let loaded = load(Input::open(file.path()).unwrap(), Some("generic")).unwrap();
    let places: Vec<(u64, u64)> =
        loaded.records().unwrap().iter().map(|r| (r.place.span.offset, r.place.span.len)).collect();
    assert_eq!(places, [(0, 7), (8, (8 << 30) - 8), (8 << 30, 7)]);
    look(&loaded);
}
