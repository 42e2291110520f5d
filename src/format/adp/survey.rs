//! D15, D22, D23: a file of trajectories surveyed.

use super::run::way;
use crate::format::{Counted, Facts, Look, Looked, Purpose, Survey, Surveyed};
use crate::model::{Bytes, Found};
use crate::rules::adp;
use serde_json::value::{RawValue, to_raw_value};

/// The rules' survey, its statistics as JSON. `BARE`: an array of messages is a conversation too.
pub(super) struct Trajectories<const BARE: bool> {
    purpose: Purpose,
    survey: adp::Survey,
}

impl<const BARE: bool> Trajectories<BARE> {
    pub(super) fn new(purpose: Purpose) -> Self {
        Self { purpose, survey: adp::Survey::default() }
    }
}

impl<const BARE: bool> Survey for Trajectories<BARE> {
    fn look(&self) -> Look {
        match self.purpose {
            Purpose::Findings | Purpose::Judged => {
                |record, text| Looked::Trajectory(Box::new(adp::judge(record, text, way::<BARE>())))
            }
            Purpose::Statistics => {
                |record, text| Looked::Trajectory(Box::new(adp::examine(record, text, way::<BARE>())))
            }
            Purpose::Table => |record, text| Looked::Trajectory(Box::new(adp::glance(record, text, way::<BARE>()))),
            Purpose::Outline => |record, text| Looked::Trajectory(Box::new(adp::outline(record, text, way::<BARE>()))),
            Purpose::Heads => |record, text| Looked::Trajectory(Box::new(adp::head(record, text, way::<BARE>()))),
            Purpose::Measures => |record, text| Looked::Trajectory(Box::new(adp::measure(record, text, way::<BARE>()))),
        }
    }

    fn take(&mut self, looked: Looked, bytes: &dyn Bytes) -> Surveyed {
        match looked {
            Looked::Findings(found) => Surveyed { found, stats: None, facts: None },
            Looked::Trajectory(examined) => {
                let glance = examined.glance.clone().unwrap_or_default();
                let adp::Surveyed { found, stats } = self.survey.take(*examined, bytes);
                let (mut told, mut known) = (None, None);
                match self.purpose {
                    Purpose::Statistics => told = stats.and_then(|stats| to_raw_value(&stats).ok()),
                    Purpose::Findings => {}
                    Purpose::Judged => known = Some(Facts::default().with_findings(&found)),
                    _ => known = Some(facts(stats, glance, &found)),
                }
                Surveyed { found, stats: told, facts: known }
            }
        }
    }

    fn dataset(&self) -> Option<Box<RawValue>> {
        to_raw_value(&self.survey.stats().summary()).ok()
    }
}

/// A text with single spaces for its white space.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Bytes that are counted as one token.
const TOKEN_BYTES: u64 = 4;

/// What the table shows of a trajectory; of one that cannot be read, why.
fn facts(stats: Option<adp::TrajectoryStats>, glance: adp::Glance, found: &[Found]) -> Facts {
    let why = || found.first().map_or_else(String::new, |found| found.finding.message.to_string());
    let Some(stats) = stats else { return Facts { words: why(), ..Facts::default() }.with_findings(found) };
    let mut tools: Vec<_> = stats.tools.into_iter().collect();
    tools.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    let counted = Counted {
        steps: stats.steps,
        classes: stats.classes.into_iter().collect(),
        tools,
        chars: stats.chars,
        tokens: glance.seen.div_ceil(TOKEN_BYTES),
        reward: stats.reward,
        finish: stats.finish.to_owned(),
    };
    let words = one_line(&glance.words);
    let (title, task) = (glance.name, glance.task);
    Facts { title, words, counted: Some(counted), task, ..Facts::default() }.with_findings(found)
}
