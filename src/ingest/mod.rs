//! Joins source and format (provisional: whole files, until the reader is there).

use crate::format::{FORMATS, Format, Framing, Layout, Run, by_name};
use crate::json;
use crate::model::{Place, Problem, Record, RecordBody, Span};
use std::io::Read;
use std::sync::Arc;

/// The bytes of a file.
pub type Input = Vec<u8>;

/// Which format, and why.
pub struct Detected {
    /// The format.
    pub format: &'static dyn Format,
    /// Why.
    pub reasons: Vec<String>,
    /// By name.
    pub was_forced: bool,
}

/// A file, opened.
pub struct Loaded {
    /// Its bytes.
    pub input: Arc<Input>,
    /// Its format.
    pub detected: Detected,
    /// Its records.
    pub records: Vec<Record>,
}

/// Opens a file.
///
/// # Errors
/// It cannot be read.
pub fn open(path: &str, forced: Option<&str>) -> Result<Loaded, Problem> {
    let mut bytes = Vec::new();
    let read = if path == "-" {
        std::io::stdin().read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|mut f| f.read_to_end(&mut bytes))
    };
    read.map_err(|e| Problem::unreadable(format!("{path}: {e}")))?;
    let format = match forced {
        Some(name) => by_name(name).ok_or_else(|| Problem::usage(format!("no format {name}")))?,
        None => detect(&bytes),
    };
    let records = cut(&bytes, format.framing());
    let detected = Detected { format, reasons: vec![], was_forced: forced.is_some() };
    Ok(Loaded { input: Arc::new(bytes), detected, records })
}

fn detect(bytes: &[u8]) -> &'static dyn Format {
    for format in FORMATS {
        let records = cut(bytes, format.framing());
        let values: Vec<_> = records
            .iter()
            .take(20)
            .filter_map(|r| {
                let s = r.place.span;
                let text = std::str::from_utf8(&bytes[s.offset as usize..s.end() as usize]).ok()?;
                json::parse(text).ok()
            })
            .collect();
        if format.detect(&values).is_some() {
            return *format;
        }
    }
    FORMATS[FORMATS.len() - 1]
}

fn cut(bytes: &[u8], framing: Framing) -> Vec<Record> {
    let record = |number, offset: usize, len: usize, line| Record {
        number,
        place: Place { span: Span { offset: offset as u64, len: len as u64 }, line },
        body: RecordBody::Text,
    };
    let text = String::from_utf8_lossy(bytes);
    let start = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    if let Ok(v) = json::parse_lenient(text[start..].trim()) {
        let base = start + (text[start..].len() - text[start..].trim_start().len());
        if framing != Framing::Text {
            if let Some(items) = v.as_array() {
                return items.iter().enumerate().map(|(i, v)| record(i, base + v.start, v.text.len(), 1)).collect();
            }
        }
        return vec![record(0, base, v.text.len(), 1)];
    }
    let mut at = start;
    let mut out = Vec::new();
    for (i, line) in bytes[start..].split_inclusive(|b| *b == b'\n').enumerate() {
        let t = line.trim_ascii();
        if !t.is_empty() {
            let lead = line.len() - line.trim_ascii_start().len();
            out.push(record(out.len(), at + lead, t.len(), i as u64 + 1));
        }
        at += line.len();
    }
    out
}

impl Loaded {
    /// How many.
    pub fn trajectories(&self) -> usize {
        match self.detected.format.layout() {
            Layout::Run => 1,
            Layout::Set => self.records.len(),
        }
    }

    /// One.
    ///
    /// # Errors
    /// There is none.
    pub fn run(&self, number: usize) -> Result<Box<dyn Run>, Problem> {
        if number >= self.trajectories() {
            return Err(Problem::usage("no such trajectory"));
        }
        let mut run = self.detected.format.run();
        let records = match self.detected.format.layout() {
            Layout::Run => &self.records[..],
            Layout::Set => &self.records[number..=number],
        };
        for r in records {
            let s = r.place.span;
            run.push(r, &self.input[s.offset as usize..s.end() as usize], &*self.input);
        }
        run.finish(&*self.input);
        Ok(run)
    }
}
