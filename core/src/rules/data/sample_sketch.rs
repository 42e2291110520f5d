//! What identifies copies and near copies of a sample, as text for programs that join samples by it.

use super::identity;
use super::near_duplicates::Sketch;
use crate::model::Record;
use crate::rules::digest;
use crate::rules::trajectory::{Way, read_text};

/// What identifies copies and near copies of a sample.
#[derive(Debug)]
pub struct SampleSketch {
    id: Option<String>,
    digest: u128,
    sketch: Option<Sketch>,
}

impl SampleSketch {
    /// Its id, as it is written; a text without quotes.
    #[must_use]
    pub fn id(&self) -> Option<String> {
        self.id.clone()
    }

    /// The digest of its steps, or of all of it, by which copies are equal: 32 hexadecimal digits.
    #[must_use]
    pub fn body(&self) -> String {
        format!("{:032x}", self.digest)
    }

    /// 16 texts, of which samples that are alike have some in common; none of one too short to be compared.
    #[must_use]
    pub fn bands(&self) -> Vec<String> {
        self.sketch.iter().flat_map(Sketch::bands).map(|band| format!("{band:016x}")).collect()
    }

    /// 64 bins of 8 hexadecimal digits, of which the share that is equal is about that of the runs of five words that
    /// two samples have in common; empty as the bands are.
    #[must_use]
    pub fn bins(&self) -> String {
        self.sketch.iter().flat_map(Sketch::bins).map(|bin| format!("{bin:08x}")).collect()
    }
}

/// What identifies copies of a record, read in that way; None for one that cannot be read.
#[must_use]
pub fn sketch(record: &Record, text: &[u8], way: Way) -> Option<SampleSketch> {
    let root = read_text(record, text).ok()?;
    let reading = way.with_written_calls().read(&root);
    let id = reading.id().map(|(_, id)| id.as_str().unwrap_or(id.text).to_owned());
    let (digest, sketch) = identity(&reading, digest::of);
    Some(SampleSketch { id, digest, sketch })
}
