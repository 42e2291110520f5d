//! When steps happened: beside the list, in the header, and the search for the step of a time.

use super::call_rows::results_of;
use super::seek::{Pass, SeekGoal};
use super::spend::Spend;
use super::{Open, Piece};
use crate::format::call_time::call_micros;
use crate::model::{StepNo, Timestamp, When, duration_text, span_text};
use crate::text::{Role, SafeText, pad};

/// Steps around one without a time that are asked for theirs, and those at the beginning that are asked when it began.
const NEAR_MAX: StepNo = 100;

/// What the column beside the steps shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Times {
    /// No column.
    #[default]
    Off,
    /// The time since the first step.
    Since,
    /// The time of the day.
    Clock,
    /// How long each call took.
    Took,
    /// What was spent so far, of money or of tokens; the timeline shows what each part of the run spent.
    Spend,
}

impl Times {
    /// The next of them.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Off => Self::Since,
            Self::Since => Self::Clock,
            Self::Clock => Self::Took,
            Self::Took => Self::Spend,
            Self::Spend => Self::Off,
        }
    }

    /// The column of what was spent so far.
    #[must_use]
    pub fn spend_column(open: &Open<'_>, spend: &Spend, step: StepNo) -> Piece {
        Piece::safe(Role::JsonNumber, pad(&SafeText::of(&spend.text(spend.at(open, step))), 9))
    }

    /// The column of a step; nothing where there is none.
    #[must_use]
    pub fn piece(self, open: &Open<'_>, step: StepNo, start: Option<Timestamp>) -> Option<Piece> {
        let moment = if matches!(self, Self::Since | Self::Clock) { of(open, step) } else { None };
        let text = match (self, moment, start) {
            (Self::Off | Self::Spend, ..) => return None,
            (Self::Since, Some(moment), Some(start)) => span_text(moment.since(start)),
            (Self::Clock, Some(moment), _) if moment.is_dated() => moment.clock(),
            (Self::Took, ..) => took(open, step).map(duration_text).unwrap_or_default(),
            (Self::Clock, Some(_), _) => open.describe(step).time.clone().unwrap_or_default(),
            _ => String::new(),
        };
        let cells = if self == Self::Since { 8 } else { 9 };
        Some(Piece::safe(Role::Dim, pad(&SafeText::of(&text), cells)))
    }
}

/// When a step happened.
#[must_use]
pub fn of(open: &Open<'_>, step: StepNo) -> Option<Timestamp> {
    Timestamp::read(open.describe(step).time.as_deref()?)
}

/// How long a call took, in microseconds, from its own step or that of its result; of several results the longest.
#[must_use]
pub fn took(open: &Open<'_>, step: StepNo) -> Option<u64> {
    let of_result = |result| call_micros(open.run(), &open.describe(result), |call| of(open, call));
    std::iter::once(step).chain(results_of(open.run(), step)).filter_map(of_result).max()
}

/// When the run began: the time of the first step that has one.
#[must_use]
pub fn start(open: &Open<'_>) -> Option<Timestamp> {
    (0..=open.last().min(NEAR_MAX)).find_map(|step| of(open, step))
}

/// When a step happened, or if it does not say, the last before it that does, or else the first after it.
#[must_use]
pub fn near(open: &Open<'_>, step: StepNo) -> Option<Timestamp> {
    let before = ((step - NEAR_MAX).max(0)..=step).rev().find_map(|s| of(open, s));
    before.or_else(|| (step + 1..=open.last().min(step.saturating_add(NEAR_MAX))).find_map(|s| of(open, s)))
}

/// The time of the step in focus, and that since the beginning, for the header; None without a time that can be read.
#[must_use]
pub fn time_label(open: &Open<'_>, with_date: bool) -> Option<String> {
    let moment = of(open, open.step())?;
    // A sign alone beside a time of the day reads as a time zone.
    let since = format!("T{}", span_text(moment.since(start(open)?)));
    Some(match (moment.is_dated(), with_date) {
        (false, _) => since,
        (true, false) => format!("{} {since}", moment.clock()),
        (true, true) => format!("{} {since}", moment.dated()),
    })
}

/// What is said where no step near the one in focus carries a time; None where one does.
#[must_use]
pub fn untimed(open: &Open<'_>) -> Option<String> {
    let is_whole = open.step() <= NEAR_MAX && open.last() - open.step() <= NEAR_MAX;
    let message = || {
        if is_whole {
            "these steps carry no time".to_owned()
        } else {
            format!("none of the {NEAR_MAX} steps before and behind this one carries a time")
        }
    };
    near(open, open.step()).is_none().then(message)
}

/// Where the step of a time is looked for, from the step in focus: the first at or after it, for a time back the last
/// at or before it. A time of the day that comes no more is looked for from the start on. And what is said if there is
/// none.
///
/// # Errors
/// A sentence: there are no times here.
pub fn passes(open: &Open<'_>, when: When) -> Result<(Vec<Pass>, String), String> {
    let (here, behind) = (open.step(), open.last() + 1);
    let Some(now) = near(open, here) else { return Err(untimed(open).unwrap_or_default()) };
    let wanted = when.from(now);
    let from = |first, moment| Pass { steps: first..behind, is_forward: true, goal: SeekGoal::NotBefore(moment) };
    let passes = match when {
        When::By(micros) if micros < 0 => {
            vec![Pass { steps: 0..here, is_forward: false, goal: SeekGoal::NotAfter(wanted) }]
        }
        When::By(_) => vec![from(here + 1, wanted)],
        When::Clock(_) => {
            let again = start(open).map(|start| from(0, when.from(start.plus(-1))));
            [from(here + 1, wanted)].into_iter().chain(again).collect()
        }
        When::At(..) => vec![from(0, wanted)],
    };
    let begins = start(open).map_or_else(String::new, |moment| shown(moment, now));
    let ends = near(open, open.last()).map_or_else(String::new, |moment| shown(moment, now));
    Ok((passes, format!("no step at {}: the run goes from {begins} to {ends}", shown(wanted, now))))
}

/// A moment with its date, if that is another than the one of a second moment.
fn shown(moment: Timestamp, beside: Timestamp) -> String {
    match moment.is_dated() {
        false => span_text(moment.since(beside)),
        true if moment.date() == beside.date() => moment.clock(),
        true => moment.dated(),
    }
}

/// Of some steps in order, those before which the run stood still long: longer than most steps took by far.
#[must_use]
pub fn pauses(open: &Open<'_>, steps: &[StepNo]) -> Vec<StepNo> {
    let times: Vec<(StepNo, Timestamp)> = steps.iter().filter_map(|step| Some((*step, of(open, *step)?))).collect();
    let gaps: Vec<(StepNo, i64)> = times.windows(2).map(|w| (w[1].0, w[1].1.since(w[0].1))).collect();
    let mut sorted: Vec<i64> = gaps.iter().map(|(_, gap)| *gap).filter(|gap| *gap > 0).collect();
    sorted.sort_unstable();
    let Some(median) = sorted.get(sorted.len() / 2) else { return Vec::new() };
    let least = median.saturating_mul(PAUSE_TIMES).max(PAUSE_MIN);
    gaps.into_iter().filter(|(_, gap)| *gap >= least).map(|(step, _)| step).collect()
}

/// A pause is this many times longer than the median between two steps, and has at least this many microseconds.
const PAUSE_TIMES: i64 = 8;
const PAUSE_MIN: i64 = 5_000_000;
