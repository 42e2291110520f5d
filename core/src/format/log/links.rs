//! Which call a result answers.

use crate::model::{StepNo, ToolResult};
use std::collections::{HashMap, VecDeque};

/// Calls without an answer so far.
///
/// A result answers the nearest earlier open call of its id; without a match the nearest open one of its tool's name;
/// without id and name the earliest open one without an id (`FORMATS.md` 0.3).
#[derive(Debug, Default)]
pub(super) struct Links {
    by_id: HashMap<Box<str>, Vec<StepNo>>,
    by_name: HashMap<Box<str>, Vec<StepNo>>,
    without_id: VecDeque<StepNo>,
    /// Calls that are open, with what they are found by.
    open: HashMap<StepNo, Vec<Key>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Key {
    id: Option<Box<str>>,
    name: Box<str>,
}

impl Links {
    pub(super) fn call(&mut self, step: StepNo, id: Option<&str>, name: &str) {
        match id {
            Some(id) => self.by_id.entry(id.into()).or_default().push(step),
            None => self.without_id.push_back(step),
        }
        self.by_name.entry(name.into()).or_default().push(step);
        self.open.entry(step).or_default().push(Key { id: id.map(Into::into), name: name.into() });
    }

    /// The call that a result answers; it is open no more.
    pub(super) fn result(&mut self, result: &ToolResult<'_>) -> Option<StepNo> {
        let (id, name) = (result.id.as_deref(), result.name.as_deref());
        let of_id = id.and_then(|id| self.by_id.get(id)?.last().copied());
        let of_name = || name.and_then(|name| self.by_name.get(name)?.last().copied());
        let unnamed = || self.without_id.front().copied().filter(|_| id.is_none() && name.is_none());
        let step = of_id.or_else(of_name).or_else(unnamed)?;
        self.close(step, id.filter(|_| of_id.is_some()), name.filter(|_| of_id.is_none()));
        Some(step)
    }

    fn close(&mut self, step: StepNo, id: Option<&str>, name: Option<&str>) {
        let Some(keys) = self.open.get_mut(&step) else { return };
        let is_it = |key: &Key| match (id, name) {
            (Some(id), _) => key.id.as_deref() == Some(id),
            (None, Some(name)) => key.name.as_ref() == name,
            (None, None) => key.id.is_none(),
        };
        let Some(at) = keys.iter().position(is_it) else { return };
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
        match key.id {
            Some(id) => take(&mut self.by_id, &id),
            None if self.without_id.front() == Some(&step) => drop(self.without_id.pop_front()),
            None => {
                if let Some(at) = self.without_id.iter().rposition(|known| *known == step) {
                    self.without_id.remove(at);
                }
            }
        }
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
            links.call(step, id, name);
        }
        let answers = [
            result(Some("a"), None),
            result(Some("a"), None),
            result(Some("a"), None),
            result(Some("x"), Some("rm")),
            result(None, None),
            result(None, None),
        ];
        let steps: Vec<_> = answers.iter().map(|answer| links.result(answer)).collect();
        assert_eq!(steps, [Some(1), Some(0), None, Some(3), Some(2), None]);
        assert!(links.open.is_empty() && links.without_id.is_empty());
        assert!(links.by_id.is_empty() && links.by_name.is_empty(), "what is answered takes no room");
    }
}
