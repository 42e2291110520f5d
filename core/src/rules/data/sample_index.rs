//! The samples that others are compared with: copies by digests, near copies by sketches.

use super::Body;
use super::near_duplicates::Index;
use super::targets::Label;
use std::collections::HashMap;
use std::num::NonZeroU64;

/// A record of one of the files that were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) file: usize,
    pub(super) record: usize,
    pub(super) id: Option<NonZeroU64>,
    pub(super) label: Option<Label>,
}

/// Samples that others are compared with.
#[derive(Debug, Default)]
pub(super) struct SampleIndex {
    pub(super) files: Vec<String>,
    pub(super) bodies: HashMap<u128, Source>,
    near: Index,
    sources: Vec<Source>,
}

/// The earlier sample that a sample is a copy of, or a near copy with this share of its runs of words.
pub(super) enum Match {
    Same(Source),
    Near(Source, f64),
}

impl SampleIndex {
    /// The sample that this one is a copy of, or shares at least `share` (0 to 1) of its runs of words with.
    pub(super) fn find(&self, body: &Body, share: f64) -> Option<Match> {
        if let Some(source) = self.bodies.get(&body.digest) {
            return Some(Match::Same(*source));
        }
        let (number, share) = self.near.find(body.sketch.as_ref()?, share)?;
        Some(Match::Near(*self.sources.get(number)?, share))
    }

    /// Whether a sample is that of another file again: two files may hold the same samples at two stages.
    pub(super) fn is_version(&self, source: Source, body: &Body) -> bool {
        source.file + 1 != self.files.len() && source.id.is_some() && source.id == body.id
    }

    pub(super) fn source(&self, record: usize, body: &Body) -> Source {
        Source { file: self.files.len().saturating_sub(1), record, id: body.id, label: body.label }
    }

    pub(super) fn add(&mut self, record: usize, body: Body) {
        let source = self.source(record, &body);
        self.bodies.entry(body.digest).or_insert(source);
        if let Some(sketch) = body.sketch {
            self.near.add(sketch);
            self.sources.push(source);
        }
    }

    /// A record for people, as seen from the file that is read.
    pub(super) fn name(&self, source: Source, is_this_file: bool) -> String {
        let is_here = is_this_file && source.file + 1 == self.files.len();
        match self.files.get(source.file).filter(|_| !is_here) {
            Some(file) => format!("record {} of {file}", source.record),
            None => format!("record {}", source.record),
        }
    }
}
