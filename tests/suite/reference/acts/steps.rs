//! Records as steps, and the context at each (A1 to A5).

use super::message::{self, Class, Data};
use crate::reference::json::{self, J};

/// One step.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) record: usize,
    /// As written; None: a record that is not JSON, or a step without message.
    pub(crate) raw: Option<J>,
    /// Without its wrapper.
    pub(crate) message: J,
    pub(crate) class: Option<Class>,
    pub(crate) data: Option<Data>,
    /// The steps of the messages that hold.
    pub(crate) context: Vec<usize>,
    /// Steps of solutions beside the context that hold.
    pub(crate) beside: Vec<usize>,
    pub(crate) withdrawn: Vec<usize>,
    pub(crate) restored: Vec<usize>,
    pub(crate) is_reset: bool,
    pub(crate) tick: u128,
    /// Paths of keys of its envelope that stood twice.
    pub(crate) twice: Vec<String>,
    pub(crate) is_broken: bool,
}

#[derive(Default)]
struct Reader {
    steps: Vec<Step>,
    context: Vec<usize>,
    beside: Vec<usize>,
    tick: u128,
    has_begun: bool,
}

pub(crate) fn read(bytes: &[u8]) -> Vec<Step> {
    let mut reader = Reader::default();
    for (record, value) in json::records(bytes).into_iter().enumerate() {
        match value {
            None => {
                let step = reader.step(record, None);
                reader.steps[step].is_broken = true;
            }
            Some(J::Arr(all)) => all.iter().for_each(|value| reader.value(record, value)),
            Some(value) => reader.value(record, &value),
        }
    }
    reader.steps
}

/// The messages of an envelope (A2).
fn envelope(value: &J) -> Option<&Vec<J>> {
    if value.get("type").and_then(J::str).is_some() {
        return None;
    }
    ["context", "messages"].iter().find_map(|key| value.get(key).and_then(J::arr))
}

impl Reader {
    /// One more step, with the context as it is now.
    fn step(&mut self, record: usize, raw: Option<&J>) -> usize {
        self.has_begun = true;
        let (message, class) = raw.map_or((J::Null, None), |raw| {
            let (message, class) = message::unwrap(raw);
            (message, Some(class))
        });
        if let Some(J::Num(tick)) = message.get("_tick")
            && let Ok(tick) = tick.parse()
        {
            self.tick = tick;
        }
        let data = message::data(&message);
        self.steps.push(Step {
            record,
            raw: raw.cloned(),
            message,
            class,
            data,
            context: self.context.clone(),
            beside: self.beside.clone(),
            withdrawn: Vec::new(),
            restored: Vec::new(),
            is_reset: false,
            tick: self.tick,
            twice: Vec::new(),
            is_broken: false,
        });
        self.steps.len() - 1
    }

    fn value(&mut self, record: usize, value: &J) {
        match envelope(value) {
            Some(messages) => self.envelope(record, value, messages),
            None => self.plain(record, value),
        }
    }

    fn plain(&mut self, record: usize, value: &J) {
        let (message, class) = message::unwrap(value);
        let kind = message::type_of(&message);
        let at = self.steps.len();
        if kind == "solution" {
            self.beside.push(at);
        } else if kind != "call" && class != Class::NotAMessage {
            self.context.push(at);
        }
        self.step(record, Some(value));
    }

    /// For each message the step that it is, if it was there before (A4).
    fn align(&self, messages: &[J]) -> Vec<Option<usize>> {
        let mut taken: Vec<Option<usize>> = Vec::new();
        for message in messages {
            let is_free = |step: &usize| {
                !taken.contains(&Some(*step)) && self.steps[*step].raw.as_ref().is_some_and(|raw| raw.same(message))
            };
            let here = (0..self.steps.len()).filter(|s| self.context.contains(s)).find(is_free);
            let away = || (0..self.steps.len()).filter(|s| !self.context.contains(s)).find(is_free);
            let found = here.or_else(away);
            taken.push(found);
        }
        taken
    }

    fn envelope(&mut self, record: usize, value: &J, messages: &[J]) {
        if self.has_begun {
            self.tick += 1;
        }
        self.has_begun = true;
        let before = self.context.clone();
        let taken = self.align(messages);
        let kept: Vec<usize> = taken.iter().flatten().copied().collect();
        let mut withdrawn: Vec<usize> = before.iter().copied().filter(|s| !kept.contains(s)).collect();
        let mut restored: Vec<usize> = kept.iter().copied().filter(|s| !before.contains(s)).collect();
        withdrawn.sort_unstable();
        restored.sort_unstable();
        // By the letter also one that was withdrawn is a solution that is not in the context.
        let is_solution = |step: &&usize| message::type_of(&self.steps[**step].message) == "solution";
        self.beside.extend(withdrawn.iter().filter(is_solution));
        if !before.is_empty() && withdrawn.len() == before.len() {
            self.beside.clear();
        }
        self.beside.retain(|step| !kept.contains(step));
        let first = self.steps.len();
        let mut all = taken.clone();
        for (i, message) in messages.iter().enumerate() {
            if taken[i].is_none() {
                all[i] = Some(self.steps.len());
                self.context = all.iter().flatten().copied().collect();
                self.step(record, Some(message));
            }
        }
        self.context = all.into_iter().flatten().collect();
        if self.steps.len() == first && self.context != before {
            self.step(record, None);
        }
        if let Some(step) = self.steps.get_mut(first) {
            step.is_reset = kept.is_empty() && !before.is_empty();
            step.withdrawn = withdrawn;
            step.restored = restored;
        }
        if let Some(solution) = value.some("solution") {
            self.beside.push(self.steps.len());
            let message = J::object(vec![("type", J::string("solution")), ("solution", solution.clone())]);
            self.step(record, Some(&message));
        }
        if let (Some(step), Some(object)) = (self.steps.get_mut(first), value.obj()) {
            step.twice = object
                .twice
                .iter()
                .map(|key| crate::reference::path::inner_path(&[crate::reference::path::Key::Name(key.clone())]))
                .collect();
        }
    }
}
