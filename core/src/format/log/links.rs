//! Which call a result answers.

use crate::model::{StepNo, ToolResult};
use std::collections::{HashMap, VecDeque};

/// Calls without an answer so far.
///
/// A result answers the nearest earlier open call of its id; without a match the nearest open one of its tool's name
/// (of several that were made last the first, as their results come in order); without id and name the earliest open
/// one without an id, else of those that were made last (`FORMATS.md` 0.3).
#[derive(Debug, Default)]
pub(super) struct Links {
    by_id: HashMap<Box<str>, Vec<StepNo>>,
    by_name: HashMap<Box<str>, Vec<StepNo>>,
    without_id: VecDeque<StepNo>,
    /// Other names of ids: some results name the record of their call.
    other_ids: HashMap<Box<str>, Box<str>>,
    /// Calls that are open, with what they are found by.
    open: HashMap<StepNo, Vec<Key>>,
    /// The first of the calls that were made last, and whether a result came after them.
    latest: StepNo,
    is_answered: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Key {
    id: Option<Box<str>>,
    name: Box<str>,
    place: usize,
}

/// The call that a result answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Link {
    /// Its step.
    pub(super) step: StepNo,
    /// Its tool.
    pub(super) tool: Option<Box<str>>,
    /// Its place among the calls of its step, unless they have the same id.
    pub(super) place: Option<usize>,
}

impl Link {
    fn of(step: StepNo, closed: Option<Key>) -> Self {
        let (tool, place) = closed.map(|key| (key.name, key.place)).unzip();
        Self { step, tool, place }
    }
}

impl Links {
    /// Adds a call with its place among the calls of its step.
    pub(super) fn call(&mut self, step: StepNo, place: usize, id: Option<&str>, name: &str) {
        if std::mem::take(&mut self.is_answered) {
            self.latest = step;
        }
        match id {
            Some(id) => self.by_id.entry(id.into()).or_default().push(step),
            None => self.without_id.push_back(step),
        }
        self.by_name.entry(name.into()).or_default().push(step);
        self.open.entry(step).or_default().push(Key { id: id.map(Into::into), name: name.into(), place });
    }

    /// Results may name the call of this id otherwise.
    pub(super) fn other_id(&mut self, other: &str, id: &str) {
        self.other_ids.insert(other.into(), id.into());
    }

    /// The call that a result answers; it is open no more.
    pub(super) fn result(&mut self, result: &ToolResult<'_>) -> Option<Link> {
        self.is_answered = true;
        let (id, name) = (result.id.as_deref(), result.name.as_deref());
        let of_id = id.and_then(|id| self.by_id.get(id)?.last().copied());
        if of_id.is_none()
            && let Some(other) = id.and_then(|id| self.other_ids.remove(id))
            && let Some(step) = self.by_id.get(&other).and_then(|steps| steps.last().copied())
        {
            return Some(Link::of(step, self.close(step, Some(&other), None)));
        }
        let of_name = || self.nearest_of(name?);
        let unnamed = || self.without_id.front().copied().filter(|_| id.is_none() && name.is_none());
        let Some(step) = of_id.or_else(of_name).or_else(unnamed) else { return self.latest(result) };
        let closed = self.close(step, id.filter(|_| of_id.is_some()), name.filter(|_| of_id.is_none()));
        let link = Link::of(step, closed);
        Some(Link { place: link.place.filter(|_| of_id.is_none()), ..link })
    }

    /// The nearest open call of a name; of several that were made last the first.
    fn nearest_of(&self, name: &str) -> Option<StepNo> {
        let steps = self.by_name.get(name)?;
        steps.iter().find(|step| **step >= self.latest).or(steps.last()).copied()
    }

    /// Of the calls that were made last the earliest open one, for a result that names nothing.
    fn latest(&mut self, result: &ToolResult<'_>) -> Option<Link> {
        if result.id.is_some() || result.name.is_some() {
            return None;
        }
        let step = self.open.keys().copied().filter(|step| *step >= self.latest).min()?;
        let id = self.open.get(&step).and_then(|keys| keys.first()?.id.clone());
        Some(Link::of(step, self.close(step, id.as_deref(), None)))
    }

    /// No result comes for the calls of a step: none answers them by order.
    pub(super) fn forget(&mut self, step: StepNo) {
        while let Some(key) = self.open.get(&step).and_then(|keys| keys.first()).cloned() {
            self.close(step, key.id.as_deref(), Some(&key.name).filter(|_| key.id.is_none()).map(AsRef::as_ref));
        }
    }

    /// Takes a call from those that are open.
    fn close(&mut self, step: StepNo, id: Option<&str>, name: Option<&str>) -> Option<Key> {
        let keys = self.open.get_mut(&step)?;
        let is_it = |key: &Key| match (id, name) {
            (Some(id), _) => key.id.as_deref() == Some(id),
            (None, Some(name)) => key.name.as_ref() == name,
            (None, None) => key.id.is_none(),
        };
        let at = keys.iter().position(is_it)?;
        let key = keys.remove(at);
        if keys.is_empty() {
            self.open.remove(&step);
        }
        let take = |all: &mut HashMap<Box<str>, Vec<StepNo>>, of: &str| {
            let Some(steps) = all.get_mut(of) else { return };
            if let Some(at) = steps.iter().rposition(|known| *known == step) {
                steps.remove(at);
            }
            // Nearly every call has an id of its own.
            if steps.is_empty() {
                all.remove(of);
            }
        };
        take(&mut self.by_name, &key.name);
        match &key.id {
            Some(id) => take(&mut self.by_id, id),
            None if self.without_id.front() == Some(&step) => drop(self.without_id.pop_front()),
            None => {
                if let Some(at) = self.without_id.iter().rposition(|known| *known == step) {
                    self.without_id.remove(at);
                }
            }
        }
        Some(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(id: Option<&'static str>, name: Option<&'static str>) -> ToolResult<'static> {
        ToolResult { id: id.map(Into::into), name: name.map(Into::into), ..ToolResult::default() }
    }

    #[test]
    fn a_result_answers_the_nearest_open_call_of_its_id_then_of_its_name() {
        let mut links = Links::default();
        for (step, id, name) in [(0, Some("a"), "ls"), (1, Some("a"), "cat"), (2, None, "ls"), (3, None, "rm")] {
            links.call(step, 0, id, name);
        }
        let answers = [
            result(Some("a"), None),
            result(Some("a"), None),
            result(Some("a"), None),
            result(Some("x"), Some("rm")),
            result(None, None),
            result(None, None),
        ];
        let steps: Vec<_> = answers.iter().map(|answer| links.result(answer).map(|link| link.step)).collect();
        assert_eq!(steps, [Some(1), Some(0), None, Some(3), Some(2), None]);
        for (step, id) in [(4, "b"), (6, "c"), (7, "d")] {
            links.call(step, 0, Some(id), "ls");
            let _ = (step == 4).then(|| links.result(&result(Some("unknown"), None)));
        }
        let of_last = [result(None, None), result(None, None), result(None, None)];
        let steps: Vec<_> = of_last.iter().map(|answer| links.result(answer).map(|link| link.step)).collect();
        assert_eq!(steps, [Some(6), Some(7), None], "an earlier call that stayed open is not meant");
        links.call(8, 0, None, "cat");
        links.call(9, 0, None, "cat");
        let of_name = [result(None, Some("cat")), result(None, Some("cat"))];
        let steps: Vec<_> = of_name.iter().map(|answer| links.result(answer).map(|link| link.step)).collect();
        assert_eq!(steps, [Some(8), Some(9)], "results of calls that were made together come in order");
        links.result(&result(Some("b"), None));
        assert!(links.open.is_empty() && links.without_id.is_empty());
        assert!(links.by_id.is_empty() && links.by_name.is_empty(), "what is answered takes no room");
    }
}
