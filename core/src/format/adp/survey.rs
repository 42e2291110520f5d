//! D15, D22, D23: a file of trajectories surveyed.

use crate::format::call_time::ToolTimes;
use crate::format::survey::looked as looked_at;
use crate::format::{
    BoxedLook, Counted, Facts, JudgeFinding, LookFn, LookedRecord, Purpose, SharedLookFn, Survey, Surveyed,
};
use crate::model::{Bytes, LocatedFinding, RunPart};
use crate::rules::adp::{self, Examined};
use crate::rules::statistics::TrajectoryStats;
use crate::rules::trajectory::{Way, read_text};
use crate::text::single_line;
use serde_json::value::{RawValue, to_raw_value};

/// The rules' survey, its statistics as JSON.
pub(super) struct Trajectories {
    way: Way,
    purpose: Purpose,
    survey: adp::AdpSurvey,
    judge: JudgeFinding,
}

impl Trajectories {
    pub(super) fn new(way: Way, purpose: Purpose) -> Self {
        Self { way, purpose, survey: adp::AdpSurvey::default(), judge: Box::new(Some) }
    }
}

impl LookedRecord for Examined {
    fn is_read(&self) -> bool {
        self.is_read
    }

    fn shift(&mut self, records: usize, lines: u64) {
        Self::shift(self, records, lines);
    }

    fn parts(&self) -> &[RunPart] {
        &self.parts
    }

    fn add_findings(&mut self, found: Vec<LocatedFinding>) {
        self.findings.extend(found);
        self.findings.sort_by(|a, b| a.finding.order().cmp(&b.finding.order()));
    }
}

impl Survey for Trajectories {
    fn look(&self) -> LookFn {
        let way = self.way;
        let see = match self.purpose {
            Purpose::Findings | Purpose::Judged => adp::judge,
            Purpose::Statistics => adp::examine,
            Purpose::Table => adp::examine_with_overview,
            Purpose::Outcomes => adp::outcomes,
            Purpose::Calls => adp::tally,
            Purpose::Outline => adp::outline,
            Purpose::Heads => adp::head,
            Purpose::WholeHeads => adp::whole_head,
            Purpose::Measures => adp::measure,
        };
        Box::new(move |record, text| Box::new(see(record, text, way)))
    }

    fn shared_look(&self) -> Option<SharedLookFn> {
        let (way, is_judging) = (self.way, matches!(self.purpose, Purpose::Findings | Purpose::Judged));
        is_judging.then(|| -> SharedLookFn {
            Box::new(move |record, text, show| {
                let read = read_text(record, text);
                show(read.as_ref().ok());
                Box::new(adp::judge_read(record, text, &read, way))
            })
        })
    }

    fn take(&mut self, looked: BoxedLook, bytes: &dyn Bytes) -> Surveyed {
        let Some(mut examined) = looked_at::<Examined>(looked) else { return Surveyed::default() };
        let overview = examined.overview.take().unwrap_or_default();
        let adp::AdpSurveyed { findings: found, stats } = self.survey.take(examined, bytes, &self.judge);
        let (mut stats_text, mut known) = (None, None);
        match self.purpose {
            Purpose::Statistics => stats_text = stats.and_then(|stats| to_raw_value(&stats).ok()),
            Purpose::Findings => {}
            Purpose::Judged => known = Some(Facts::default().with_findings(&found)),
            _ => known = Some(facts(stats, overview, &found)),
        }
        Surveyed { findings: found, stats: stats_text, facts: known }
    }

    fn judge_by(&mut self, judge: JudgeFinding) {
        self.judge = judge;
    }

    fn dataset(&self) -> Option<Box<RawValue>> {
        to_raw_value(&self.survey.stats().summary()).ok()
    }
}

/// Bytes that are counted as one token.
const TOKEN_BYTES: u64 = 4;

/// What the table shows of a trajectory; of one that cannot be read, why.
fn facts(stats: Option<TrajectoryStats>, overview: adp::RecordOverview, found: &[LocatedFinding]) -> Facts {
    let why = || found.first().map_or_else(String::new, |found| found.finding.message.to_string());
    let Some(stats) = stats else {
        return Facts { words: why(), name: overview.name, ..Facts::default() }.with_findings(found);
    };
    let mut tools: Vec<_> = stats.tools.into_iter().collect();
    tools.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    let counted = Counted {
        steps: stats.steps,
        classes: stats.classes.into_iter().collect(),
        tools,
        chars: stats.chars,
        tokens: overview.visible_bytes.div_ceil(TOKEN_BYTES),
        reward: overview.reward,
        answers: overview.answers,
        finish: stats.finish.to_owned(),
        failed: overview.failed,
        suspect: overview.suspect,
        outcomes: overview.outcomes,
        times: ToolTimes::default(),
    };
    let words = single_line(&overview.words);
    let (title, name, task, run) = (overview.title, overview.name, overview.task, overview.run);
    Facts { title, name, words, counted: Some(counted), task, run, ..Facts::default() }.with_findings(found)
}
