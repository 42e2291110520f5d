//! The tick of the loop (A5): counted by envelopes, set by `_tick`, of any size.

use super::message::ActsMessage;
use crate::model::StepNo;

/// A tick: digits only.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Tick {
    Small(u64),
    Big(Box<str>),
}

/// A5: the ticks of a run, kept where they change.
#[derive(Debug)]
pub(super) struct Ticks {
    now: Tick,
    changes: Vec<(StepNo, Tick)>,
}

impl Default for Ticks {
    fn default() -> Self {
        Self { now: Tick::Small(0), changes: Vec::new() }
    }
}

impl Ticks {
    /// An envelope follows a step or another envelope.
    pub(super) fn advance(&mut self) {
        self.now = match &self.now {
            Tick::Small(n) => n.checked_add(1).map_or_else(|| Tick::Big(plus_one(&n.to_string())), Tick::Small),
            Tick::Big(text) => Tick::Big(plus_one(text)),
        };
    }

    /// A step begins; its message may set the tick. Says whether the tick of the step before was another.
    pub(super) fn step(&mut self, step: StepNo, message: Option<&ActsMessage<'_>>) -> bool {
        let set = message.and_then(|m| m.get("_tick")).and_then(|t| t.as_number());
        if let Some(digits) = set.filter(|t| t.bytes().all(|b| b.is_ascii_digit())) {
            self.now = digits.parse().map_or_else(|_| Tick::Big(digits.into()), Tick::Small);
        }
        let before = self.changes.last().map_or(&Tick::Small(0), |(_, t)| t);
        let is_new = *before != self.now;
        if is_new {
            self.changes.push((step, self.now.clone()));
        }
        is_new
    }

    /// The first step of the next tick, or of the tick before: of this one, where it began before the step.
    pub(super) fn start(&self, step: StepNo, is_forward: bool) -> Option<StepNo> {
        if is_forward {
            let next = self.changes.partition_point(|(from, _)| *from <= step);
            return self.changes.get(next).map(|(from, _)| *from);
        }
        let before = self.changes.partition_point(|(from, _)| *from < step);
        match before.checked_sub(1) {
            Some(last) => Some(self.changes[last].0),
            None => (step > 0).then_some(0),
        }
    }

    /// The tick at a step, as a JSON number.
    pub(super) fn at(&self, step: StepNo) -> String {
        let index = self.changes.partition_point(|(from, _)| *from <= step);
        match index.checked_sub(1).map(|i| &self.changes[i].1) {
            None => "0".to_owned(),
            Some(Tick::Small(n)) => n.to_string(),
            Some(Tick::Big(text)) => text.to_string(),
        }
    }
}

/// A number of any length, plus one.
fn plus_one(digits: &str) -> Box<str> {
    let prefix = digits.trim_end_matches('9');
    let zeros = "0".repeat(digits.len() - prefix.len());
    let mut head = prefix.as_bytes().to_vec();
    match head.last_mut() {
        Some(last) => *last += 1,
        None => head.push(b'1'),
    }
    (String::from_utf8_lossy(&head).into_owned() + &zeros).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn counts_carries_and_is_set() {
        let mut ticks = Ticks::default();
        let v = parse(r#"{"type":"state","_tick":18446744073709551615}"#).unwrap();
        let w = parse(r#"{"type":"state","_tick":2.0}"#).unwrap();
        assert!(!ticks.step(0, None));
        assert!(ticks.step(1, Some(&ActsMessage::of(&v))));
        assert!(!ticks.step(2, Some(&ActsMessage::of(&w))));
        ticks.advance();
        assert!(ticks.step(3, None));
        assert_eq!(
            [-1, 0, 2, 3, 9].map(|s| ticks.at(s)),
            ["0", "0", "18446744073709551615", "18446744073709551616", "18446744073709551616"]
        );
        assert_eq!(&*plus_one("999"), "1000");
        assert_eq!([0, 1, 2].map(|s| ticks.start(s, true)), [Some(1), Some(3), Some(3)]);
        assert_eq!([3, 9].map(|s| ticks.start(s, true)), [None, None]);
        assert_eq!([0, 1, 2, 3, 9].map(|s| ticks.start(s, false)), [None, Some(0), Some(1), Some(1), Some(3)]);
    }
}
