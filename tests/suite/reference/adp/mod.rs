//! ADP records of all shapes, written from the text of the rules alone.

mod atif;
mod chat;
mod check;
mod shape;
mod state;
mod stats;

use super::Finding;
use super::json::J;
use shape::Shape;
use state::{Said, Steps, Writer};

/// A file, read.
pub(crate) struct Adp {
    records: Vec<Option<J>>,
}

impl Adp {
    pub(crate) fn read(text: &str) -> Self {
        Self { records: shape::records(text) }
    }

    pub(crate) fn count(&self) -> usize {
        self.records.len()
    }

    pub(crate) fn findings(&self) -> Vec<Finding> {
        check::findings(&self.records)
    }

    /// The lines of `stats --json`: of the records that can be read, and of the dataset.
    pub(crate) fn stats(&self) -> (Vec<J>, J) {
        stats::stats(self)
    }

    fn read_steps(&self, value: &J) -> Steps {
        match shape::shape(value) {
            Shape::Std => state::std(value),
            Shape::Chat => chat::steps(value),
            Shape::Atif => atif::steps(value),
            Shape::Other => other(value),
        }
    }

    /// State and blame of a record after a step; None: it cannot be read.
    pub(crate) fn state(&self, record: usize, step: i64) -> Option<(J, J)> {
        let (head, steps) = self.read_steps(self.records[record].as_ref()?);
        let last = usize::try_from(step).ok().and_then(|step| steps.get(step.min(steps.len().checked_sub(1)?)));
        Some(state::shown(last.map_or(&head, |step| &step.state)))
    }

    /// The steps of a record as `steps --json` lists them; None: it cannot be read.
    pub(crate) fn steps(&self, record: usize) -> Option<Vec<J>> {
        let steps = self.read_steps(self.records[record].as_ref()?).1;
        Some(steps.into_iter().map(|step| J::object(step.members)).collect())
    }
}

/// D2, D19: a record of no other shape is one step.
fn other(value: &J) -> Steps {
    let mut writer = Writer::default();
    state::head(&mut writer, value);
    let before = writer.state.clone();
    (writer.step, writer.written) = (Some(0), Vec::new());
    writer.turn("unknown", false);
    let said = Said {
        kind: "unknown",
        class: J::string("record"),
        role: "unknown".to_owned(),
        calls: Vec::new(),
        has_thought: false,
        answers: None,
        chars: state::chars(value, &[]),
        reward: None,
    };
    (before, vec![said.step(0, &mut writer)])
}
