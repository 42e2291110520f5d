//! D15, D22, D23: a file of trajectories surveyed.

use crate::format::{Look, Looked, Purpose, Survey, Surveyed};
use crate::rules::adp;
use serde_json::value::{RawValue, to_raw_value};

/// The rules' survey, its statistics as JSON.
pub(super) struct Trajectories {
    purpose: Purpose,
    survey: adp::Survey,
}

impl Trajectories {
    pub(super) fn new(purpose: Purpose) -> Self {
        Self { purpose, survey: adp::Survey::default() }
    }
}

impl Survey for Trajectories {
    fn look(&self) -> Look {
        match self.purpose {
            Purpose::Findings => |record, text| Looked::Trajectory(Box::new(adp::judge(record, text))),
            Purpose::Statistics => |record, text| Looked::Trajectory(Box::new(adp::examine(record, text))),
        }
    }

    fn take(&mut self, looked: Looked) -> Surveyed {
        match looked {
            Looked::Findings(found) => Surveyed { found, stats: None },
            Looked::Trajectory(examined) => {
                let adp::Surveyed { found, stats } = self.survey.take(*examined);
                Surveyed { found, stats: stats.and_then(|stats| to_raw_value(&stats).ok()) }
            }
        }
    }

    fn dataset(&self) -> Option<Box<RawValue>> {
        to_raw_value(&self.survey.stats().summary()).ok()
    }
}
