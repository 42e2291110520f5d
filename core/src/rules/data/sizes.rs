//! Samples that are far longer or shorter than the others.
//!
//! By median and median deviation of the logarithms, which a few odd samples do not move: lengths spread over powers.

use crate::model::{Place, StepRole};
use crate::rules::trajectory::TrajectoryStep;

/// Samples that a file needs to have a usual length.
const SAMPLES_MIN: usize = 8;

/// Deviations from the median that are too many, and the least deviation, in powers of two: where all samples are
/// alike, one is odd that is six times as long.
const DEVIATIONS: f64 = 5.0;
const DEVIATION_MIN: f64 = 0.5;

/// From a median deviation to a standard deviation, for what is spread normally.
const NORMAL: f64 = 1.4826;

/// The measures, as they are reported.
const NAMES: [&str; 3] = ["steps", "turns", "characters"];

/// How long a sample is: steps, turns of the agent, Unicode scalars.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size([u64; 3]);

impl Size {
    pub(super) fn of(entries: &[TrajectoryStep<'_>]) -> Self {
        let begins =
            |i: usize| entries[i].role == StepRole::Agent && (i == 0 || entries[i - 1].role != StepRole::Agent);
        let turns = (0..entries.len()).filter(|&i| begins(i)).count();
        let chars: usize = entries.iter().map(TrajectoryStep::chars).sum();
        Self([entries.len() as u64, turns as u64, chars as u64])
    }
}

/// The sizes of the samples of one file.
#[derive(Debug, Default)]
pub(super) struct Sizes {
    all: Vec<(usize, Place, Size)>,
    /// Bodies mostly are at one path, which is kept once.
    paths: Vec<(usize, String)>,
}

/// A sample that is far from the others.
pub(super) struct Outlier {
    pub(super) record: usize,
    pub(super) place: Place,
    pub(super) path: String,
    pub(super) message: String,
}

impl Sizes {
    /// Adds the next sample.
    pub(super) fn add(&mut self, record: usize, place: Place, path: &str, size: Size) {
        if self.paths.last().is_none_or(|(_, last)| last != path) {
            self.paths.push((self.all.len(), path.to_owned()));
        }
        self.all.push((record, place, size));
    }

    /// Those that are far from the others, in order.
    pub(super) fn outliers(self) -> Vec<Outlier> {
        if self.all.len() < SAMPLES_MIN {
            return Vec::new();
        }
        let usual: Vec<(f64, f64)> = (0..NAMES.len()).map(|m| spread(self.all.iter().map(|(.., s)| s.0[m]))).collect();
        let mut out = Vec::new();
        for (number, (record, place, size)) in self.all.iter().enumerate() {
            let far = |m: &usize| (logarithm(size.0[*m]) - usual[*m].0).abs() > DEVIATIONS * usual[*m].1;
            let size_of = |m: usize| {
                let median = (usual[m].0.exp2() - 1.0).round();
                format!("{} {}, where half have at most {median}", size.0[m], NAMES[m])
            };
            let all: Vec<String> = (0..NAMES.len()).filter(far).map(size_of).collect();
            if !all.is_empty() {
                let before = self.paths.partition_point(|(first, _)| *first <= number);
                let path = self.paths.get(before.wrapping_sub(1)).map(|(_, path)| path.clone());
                let message = format!("this sample is unlike the others: {}", all.join("; "));
                out.push(Outlier { record: *record, place: *place, path: path.unwrap_or_default(), message });
            }
        }
        out
    }
}

fn logarithm(value: u64) -> f64 {
    (value as f64 + 1.0).log2()
}

/// Median and deviation of the logarithms.
fn spread(values: impl Iterator<Item = u64>) -> (f64, f64) {
    let mut all: Vec<f64> = values.map(logarithm).collect();
    let middle = median(&mut all);
    let mut deviations: Vec<f64> = all.iter().map(|value| (value - middle).abs()).collect();
    (middle, (NORMAL * median(&mut deviations)).max(DEVIATION_MIN))
}

/// The lower of the two in the middle, so that it is a value that occurs.
fn median(values: &mut [f64]) -> f64 {
    let middle = values.len().saturating_sub(1) / 2;
    if values.is_empty() {
        return 0.0;
    }
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}
