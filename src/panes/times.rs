//! When steps happened: beside the list, in the header, and the search for the step of a time.

use super::{Open, Piece};
use crate::model::{Moment, StepNo, When, span_text};
use crate::text::{Role, SafeText, pad};

/// Steps around one without a time that are asked for theirs, and those at the beginning that are asked when it began.
const NEAR_MAX: StepNo = 100;
/// Most steps that one search looks at one by one; the rest is taken to be in the order of time.
const ONE_BY_ONE_MAX: StepNo = 20_000;

/// What the column beside the steps shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Times {
    /// There is none.
    #[default]
    Off,
    /// The time since the first step.
    Since,
    /// The time of the day.
    Clock,
}

impl Times {
    /// The next of the three.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Off => Self::Since,
            Self::Since => Self::Clock,
            Self::Clock => Self::Off,
        }
    }

    /// The column of a step; nothing where there is none.
    #[must_use]
    pub fn piece(self, open: &Open<'_>, step: StepNo, start: Option<Moment>) -> Option<Piece> {
        let moment = of(open, step);
        let text = match (self, moment, start) {
            (Self::Off, ..) => return None,
            (Self::Since, Some(moment), Some(start)) => span_text(moment.since(start)),
            (Self::Clock, Some(moment), _) if moment.is_dated() => moment.clock(),
            (Self::Clock, Some(_), _) => open.describe(step).time.clone().unwrap_or_default(),
            _ => String::new(),
        };
        let cells = if self == Self::Since { 8 } else { 9 };
        Some(Piece::safe(Role::Dim, pad(&SafeText::of(&text), cells)))
    }
}

/// When a step happened.
#[must_use]
pub fn of(open: &Open<'_>, step: StepNo) -> Option<Moment> {
    Moment::read(open.describe(step).time.as_deref()?)
}

/// When the run began: the time of the first step that has one.
#[must_use]
pub fn start(open: &Open<'_>) -> Option<Moment> {
    (0..=open.last().min(NEAR_MAX)).find_map(|step| of(open, step))
}

/// When a step happened, or if it does not say, the last before it that does, or else the first behind it.
#[must_use]
pub fn near(open: &Open<'_>, step: StepNo) -> Option<Moment> {
    let before = ((step - NEAR_MAX).max(0)..=step).rev().find_map(|s| of(open, s));
    before.or_else(|| (step + 1..=open.last().min(step.saturating_add(NEAR_MAX))).find_map(|s| of(open, s)))
}

/// The time of the step in focus, and that since the beginning, for the header; None without a time that can be read.
#[must_use]
pub fn told(open: &Open<'_>, with_date: bool) -> Option<String> {
    let moment = of(open, open.step())?;
    let since = span_text(moment.since(start(open)?));
    Some(match (moment.is_dated(), with_date) {
        (false, _) => since,
        (true, false) => format!("{} {since}", moment.clock()),
        (true, true) => format!("{} {since}", moment.dated()),
    })
}

/// The step of a time, from the step in focus: the first at or after it, for a time back the last at or before it. A
/// time of the day that comes no more is looked for from the start on.
///
/// # Errors
/// A sentence: there is none.
pub fn find(open: &Open<'_>, when: When) -> Result<StepNo, String> {
    let here = open.step();
    let Some(now) = near(open, here) else { return Err("these steps carry no time".to_owned()) };
    let wanted = when.from(now);
    let is_late = |step: &StepNo| of(open, *step).is_some_and(|moment| moment >= wanted);
    let found = match when {
        When::By(micros) if micros < 0 => {
            let is_early = |step: &StepNo| of(open, *step).is_some_and(|moment| moment <= wanted);
            (0..here).rev().take(ONE_BY_ONE_MAX as usize).find(is_early)
        }
        When::By(_) => first(open, here + 1, &is_late),
        When::Clock(_) => first(open, here + 1, &is_late).or_else(|| {
            let from_start = when.from(start(open)?.plus(-1));
            first(open, 0, &|step| of(open, *step).is_some_and(|moment| moment >= from_start))
        }),
        When::At(..) => first(open, 0, &is_late),
    };
    found.ok_or_else(|| {
        let begins = start(open).map_or_else(String::new, |moment| shown(moment, now));
        let ends = near(open, open.last()).map_or_else(String::new, |moment| shown(moment, now));
        format!("no step at {}: the run goes from {begins} to {ends}", shown(wanted, now))
    })
}

/// A moment with its date, if that is another than the one of a second moment.
fn shown(moment: Moment, beside: Moment) -> String {
    match moment.is_dated() {
        false => span_text(moment.since(beside)),
        true if moment.date() == beside.date() => moment.clock(),
        true => moment.dated(),
    }
}

/// The first step from one on that is late enough.
fn first(open: &Open<'_>, from: StepNo, is_late: &dyn Fn(&StepNo) -> bool) -> Option<StepNo> {
    let last = open.last();
    let end = from.saturating_add(ONE_BY_ONE_MAX).min(last);
    if let Some(found) = (from..=end).find(is_late) {
        return Some(found);
    }
    let (mut low, mut high) = (end + 1, last + 1);
    while low < high {
        let middle = low + (high - low) / 2;
        let timed = (middle..high).take(NEAR_MAX as usize).find(|step| of(open, *step).is_some());
        match timed {
            Some(step) if !is_late(&step) => low = step + 1,
            _ => high = middle,
        }
    }
    (low..=last).take(NEAR_MAX as usize).find(is_late)
}

/// Of some steps in order, those before which the run stood still long: longer than most steps took by far.
#[must_use]
pub fn pauses(open: &Open<'_>, steps: &[StepNo]) -> Vec<StepNo> {
    let times: Vec<(StepNo, Moment)> = steps.iter().filter_map(|step| Some((*step, of(open, *step)?))).collect();
    let gaps: Vec<(StepNo, i64)> = times.windows(2).map(|w| (w[1].0, w[1].1.since(w[0].1))).collect();
    let mut sorted: Vec<i64> = gaps.iter().map(|(_, gap)| *gap).filter(|gap| *gap > 0).collect();
    sorted.sort_unstable();
    let Some(median) = sorted.get(sorted.len() / 2) else { return Vec::new() };
    let least = median.saturating_mul(PAUSE_TIMES).max(PAUSE_MIN);
    gaps.into_iter().filter(|(_, gap)| *gap >= least).map(|(step, _)| step).collect()
}

/// A pause is this many times longer than the median between two steps, and at least so many microseconds.
const PAUSE_TIMES: i64 = 8;
const PAUSE_MIN: i64 = 5_000_000;
