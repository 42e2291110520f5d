//! What holds of a set of events: decision, flag, tags and note of each target.
//!
//! The same events give the same marks in whatever order and however often they come: a target's mark is folded from
//! its events sorted by time, author and name, without those that an undo names.

use super::mark_event::{Change, ContentKey, EventId, MarkEvent, MarkTarget, Verdict};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// What is decided of a target.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mark {
    /// The decision.
    pub verdict: Option<Verdict>,
    /// Whether it is flagged.
    pub is_flagged: bool,
    /// Its tags.
    pub tags: BTreeSet<String>,
    /// The note.
    pub note: Option<String>,
}

impl Mark {
    /// Whether nothing is decided.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn take(&mut self, change: &Change) {
        match change {
            Change::Decide(verdict) => self.verdict = *verdict,
            Change::Flag(is_flagged) => self.is_flagged = *is_flagged,
            Change::Tag(tag) => {
                self.tags.insert(tag.clone());
            }
            Change::Untag(tag) => {
                self.tags.remove(tag);
            }
            Change::Note(note) => self.note = Some(note.clone()).filter(|note| !note.trim().is_empty()),
            Change::Undo(_) => {}
        }
    }
}

/// A target's events in the order in which they count, and what they come to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Subject {
    events: Vec<MarkEvent>,
    has_undo: bool,
    mark: Mark,
}

impl Subject {
    fn fold(&mut self) {
        let undone: HashSet<EventId> = self.events.iter().filter_map(undoes).collect();
        self.mark = Mark::default();
        for event in self.events.iter().filter(|event| undone.is_empty() || !undone.contains(&event.id())) {
            self.mark.take(&event.change);
        }
    }
}

fn undoes(event: &MarkEvent) -> Option<EventId> {
    match event.change {
        Change::Undo(id) => Some(id),
        _ => None,
    }
}

/// All marks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marks {
    subjects: BTreeMap<MarkTarget, Subject>,
    events: usize,
    latest_ms: u64,
}

impl Marks {
    /// Takes an event; false if it was there already.
    pub fn apply(&mut self, event: MarkEvent) -> bool {
        let subject = self.subjects.entry(event.target.clone()).or_default();
        let Err(place) = subject.events.binary_search_by(|other| other.compare(&event)) else { return false };
        self.latest_ms = self.latest_ms.max(event.time_ms);
        self.events += 1;
        subject.has_undo |= undoes(&event).is_some();
        if place == subject.events.len() && !subject.has_undo {
            subject.mark.take(&event.change);
            subject.events.push(event);
        } else {
            subject.events.insert(place, event);
            subject.fold();
        }
        true
    }

    /// Whether no event was taken.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.events == 0
    }

    /// The latest time of an event, in milliseconds since 1970.
    #[must_use]
    pub fn latest_ms(&self) -> u64 {
        self.latest_ms
    }

    /// The mark of a target; None if nothing is decided.
    #[must_use]
    pub fn get(&self, target: &MarkTarget) -> Option<&Mark> {
        self.subjects.get(target).map(|subject| &subject.mark).filter(|mark| !mark.is_empty())
    }

    /// As [`Marks::get`], with the target as it is kept here.
    #[must_use]
    pub fn get_pair(&self, target: &MarkTarget) -> Option<(&MarkTarget, &Mark)> {
        let (target, subject) = self.subjects.get_key_value(target)?;
        (!subject.mark.is_empty()).then_some((target, &subject.mark))
    }

    /// The marks of a content: of the record, its steps and its values, in that order.
    pub fn of(&self, key: ContentKey) -> impl Iterator<Item = (&MarkTarget, &Mark)> {
        let all = self.subjects.range(MarkTarget::record(key)..).take_while(move |(target, _)| target.key == key);
        all.map(|(target, subject)| (target, &subject.mark)).filter(|(_, mark)| !mark.is_empty())
    }

    /// All marks, by content.
    pub fn iter(&self) -> impl Iterator<Item = (&MarkTarget, &Mark)> {
        let all = self.subjects.iter().map(|(target, subject)| (target, &subject.mark));
        all.filter(|(_, mark)| !mark.is_empty())
    }

    /// The decision on a record.
    #[must_use]
    pub fn verdict(&self, key: ContentKey) -> Option<Verdict> {
        self.get(&MarkTarget::record(key))?.verdict
    }

    /// The decision on a message of a file that is one run; of several such messages the latest one.
    #[must_use]
    pub fn message_verdict(&self, key: ContentKey) -> Option<Verdict> {
        let steps = self.of(key).filter(|(target, mark)| target.path.is_none() && mark.verdict.is_some());
        let latest = steps.max_by(|(a, _), (b, _)| match (self.last_event(a), self.last_event(b)) {
            (Some(a), Some(b)) => a.compare(b),
            (a, b) => a.is_some().cmp(&b.is_some()),
        });
        latest.and_then(|(_, mark)| mark.verdict)
    }

    /// The last event of a target that is neither undone nor an undo.
    #[must_use]
    pub fn last_event(&self, target: &MarkTarget) -> Option<&MarkEvent> {
        let subject = self.subjects.get(target)?;
        let undone: HashSet<EventId> = subject.events.iter().filter_map(undoes).collect();
        subject.events.iter().rev().find(|event| undoes(event).is_none() && !undone.contains(&event.id()))
    }

    /// All events in the order in which they count.
    #[must_use]
    pub fn events(&self) -> Vec<&MarkEvent> {
        let mut all: Vec<&MarkEvent> = self.subjects.values().flat_map(|subject| &subject.events).collect();
        all.sort_by(|a, b| a.compare(b));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::About;

    fn event(time_ms: u64, author: &str, change: Change) -> MarkEvent {
        let target = MarkTarget::record(ContentKey::of(b"x"));
        MarkEvent { time_ms, author: author.into(), target, change, about: About::default() }
    }

    fn marks(events: &[MarkEvent]) -> Marks {
        let mut marks = Marks::default();
        events.iter().for_each(|event| {
            marks.apply(event.clone());
        });
        marks
    }

    #[test]
    fn the_last_decision_wins_by_time_then_author() {
        let bad = event(5, "ann", Change::Decide(Some(Verdict::Bad)));
        let good = event(5, "bob", Change::Decide(Some(Verdict::Good)));
        let early = event(4, "zoe", Change::Decide(Some(Verdict::Unsure)));
        let all = [bad, good, early];
        let key = ContentKey::of(b"x");
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [1, 2, 0]] {
            let marks = marks(&order.map(|i| all[i].clone()));
            assert_eq!((marks.verdict(key), marks.events), (Some(Verdict::Good), 3));
        }
    }

    #[test]
    fn an_undo_takes_one_event_out_wherever_it_comes() {
        let good = event(1, "ann", Change::Decide(Some(Verdict::Good)));
        let bad = event(2, "ann", Change::Decide(Some(Verdict::Bad)));
        let undo = event(3, "ann", Change::Undo(bad.id()));
        let key = ContentKey::of(b"x");
        let first = marks(&[good.clone(), bad.clone(), undo.clone()]);
        let second = marks(&[undo.clone(), bad.clone(), undo, good.clone(), bad]);
        assert_eq!(first, second);
        assert_eq!(first.verdict(key), Some(Verdict::Good));
        assert_eq!(first.last_event(&MarkTarget::record(key)), Some(&good));
    }

    #[test]
    fn flags_tags_and_notes_come_and_go() {
        let target = MarkTarget::record(ContentKey::of(b"x"));
        let mut marks = marks(&[
            event(1, "a", Change::Tag("loop".into())),
            event(2, "a", Change::Tag("short".into())),
            event(3, "b", Change::Untag("loop".into())),
            event(4, "a", Change::Note("look".into())),
            event(5, "a", Change::Flag(true)),
        ]);
        let mark = marks.get(&target).unwrap().clone();
        assert_eq!((mark.tags.len(), mark.note.as_deref(), mark.is_flagged), (1, Some("look"), true));
        for (time, change) in
            [(6, Change::Note(" ".into())), (7, Change::Flag(false)), (8, Change::Untag("short".into()))]
        {
            marks.apply(event(time, "a", change));
        }
        assert_eq!(marks.get(&target), None, "nothing is left");
        assert_eq!(marks.of(target.key).count(), 0);
    }
}
