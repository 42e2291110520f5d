//! D15, D22, D23: a file of trajectories surveyed.

use crate::format::{Survey, Surveyed};
use crate::model::Record;
use crate::rules::adp;
use serde_json::value::{RawValue, to_raw_value};

/// The rules' survey, its statistics as JSON.
#[derive(Default)]
pub(super) struct Trajectories(adp::Survey);

impl Survey for Trajectories {
    fn take(&mut self, record: &Record, text: &[u8]) -> Surveyed {
        let adp::Surveyed { findings, stats } = self.0.take(record, text);
        Surveyed { findings, stats: stats.and_then(|stats| to_raw_value(&stats).ok()) }
    }

    fn dataset(&self) -> Option<Box<RawValue>> {
        to_raw_value(&self.0.stats().summary()).ok()
    }
}
