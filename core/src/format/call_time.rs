//! How long calls took: as their results report it, else from the time of the call to the time of its result.

use super::Run;
use crate::json::Value;
use crate::model::{Bytes, Step, StepNo, Timestamp};
use std::collections::{BTreeMap, HashMap};

/// Microseconds in a millisecond.
pub const MICROS_IN_MS: u64 = 1000;

/// Microseconds that a call took whose result a step brings; None: the log does not say. `time_of` is when a step
/// happened.
pub fn call_micros(run: &dyn Run, result: &Step, time_of: impl FnOnce(StepNo) -> Option<Timestamp>) -> Option<u64> {
    let reported = run.work().and_then(|work| work.took_ms(result.number));
    reported.map(|ms| ms.saturating_mul(MICROS_IN_MS)).or_else(|| {
        let call = result.answers?;
        let end = Timestamp::read(result.time.as_deref()?)?;
        u64::try_from(end.since(time_of(call)?)).ok()
    })
}

/// Milliseconds between two times of a span, as they are written.
pub(super) fn span_ms(start: Option<&Value<'_>>, end: Option<&Value<'_>>) -> Option<u64> {
    let moment = |value: &Value<'_>| Timestamp::read(value.as_str().or(value.as_number())?);
    let micros = u64::try_from(moment(end?)?.since(moment(start?)?)).ok()?;
    Some(micros / MICROS_IN_MS)
}

/// How long the calls of each tool took, in microseconds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolTimes(BTreeMap<String, Vec<u64>>);

/// The calls of one tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeSpread {
    /// All together.
    pub total: u64,
    /// The lower of the two in the middle, if there are two.
    pub median: u64,
    /// The longest.
    pub longest: u64,
}

impl ToolTimes {
    /// Those of a run.
    #[must_use]
    pub fn of(run: &dyn Run, bytes: &dyn Bytes) -> Self {
        let mut clock = CallClock::default();
        let all = 0..StepNo::try_from(run.step_count()).unwrap_or(StepNo::MAX);
        all.for_each(|step| clock.add(run, &run.step(step, bytes)));
        clock.times
    }

    /// A call of a tool.
    pub fn add(&mut self, tool: &str, micros: u64) {
        match self.0.get_mut(tool) {
            Some(times) => times.push(micros),
            None => {
                self.0.insert(tool.to_owned(), vec![micros]);
            }
        }
    }

    /// Those of another run.
    pub fn extend(&mut self, other: Self) {
        for (tool, times) in other.0 {
            self.0.entry(tool).or_default().extend(times);
        }
    }

    /// The tools whose calls took any time, with what they took. Where none did, the log wrote call and result at once.
    pub fn spreads(&self) -> impl Iterator<Item = (&str, TimeSpread)> {
        let all = self.0.iter().filter_map(|(tool, times)| Some((tool.as_str(), spread(times)?)));
        all.filter(|(_, spread)| spread.longest > 0)
    }

    /// All tools together; None where no call took any time.
    #[must_use]
    pub fn spread(&self) -> Option<TimeSpread> {
        let all: Vec<u64> = self.0.values().flatten().copied().collect();
        spread(&all).filter(|spread| spread.longest > 0)
    }
}

fn spread(times: &[u64]) -> Option<TimeSpread> {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let (median, longest) = (*sorted.get(sorted.len().checked_sub(1)? / 2)?, *sorted.last()?);
    Some(TimeSpread { total: sorted.iter().fold(0, |sum, one| sum.saturating_add(*one)), median, longest })
}

/// Adds up what calls took while the steps of a run are looked at in order.
#[derive(Debug, Default)]
pub(crate) struct CallClock {
    /// When the calls were made.
    calls: HashMap<StepNo, Timestamp>,
    /// What they took.
    pub(crate) times: ToolTimes,
}

impl CallClock {
    /// Takes the next step.
    pub(crate) fn add(&mut self, run: &dyn Run, step: &Step) {
        if let Some(micros) = call_micros(run, step, |call| self.calls.get(&call).copied()) {
            self.times.add(step.tool.as_deref().unwrap_or_default(), micros);
        }
        if let (true, Some(moment)) = (step.calls > 0, step.time.as_deref().and_then(Timestamp::read)) {
            self.calls.insert(step.number, moment);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_times_of_a_tool_are_their_sum_their_middle_and_the_longest() {
        let mut times = ToolTimes::default();
        for (tool, micros) in [("run", 5), ("run", 1), ("run", 9), ("run", 2), ("view", 0)] {
            times.add(tool, micros);
        }
        let run = TimeSpread { total: 17, median: 2, longest: 9 };
        assert_eq!(times.spreads().collect::<Vec<_>>(), [("run", run)]);
        assert_eq!(times.spread(), Some(TimeSpread { total: 17, median: 2, longest: 9 }));
        assert_eq!(ToolTimes::default().spread(), None);
        let mut both = times.clone();
        both.extend(times);
        assert_eq!(both.spreads().next(), Some(("run", TimeSpread { total: 34, ..run })));
    }

    #[test]
    fn a_span_takes_the_time_from_its_start_to_its_end() {
        let value = crate::json::parse(r#"{"a":"2026-05-01T10:00:00Z","b":1777629601250,"c":"x"}"#).unwrap();
        assert_eq!(span_ms(value.get("a"), value.get("b")), Some(1250));
        assert_eq!([span_ms(value.get("b"), value.get("a")), span_ms(value.get("a"), value.get("c"))], [None; 2]);
    }
}
