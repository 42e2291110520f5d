//! Other files of a run: what was found of them, and what they give to its steps (`FORMATS.md` 0.4).

use crate::model::{Finding, PartRole, PartState, Problem, RunPart, Span, StepNo, Turn, TurnPart, lossy};
use std::borrow::Cow;
use std::collections::HashMap;

/// Most bytes of an output that are shown as the text of its result.
const OUTPUT_BYTES_MAX: u64 = 1 << 20;

/// What was found of the parts, in their order, and which steps left their text in one.
#[derive(Debug, Default)]
pub(in crate::format) struct Parts {
    states: Vec<PartState>,
    outputs: HashMap<StepNo, usize>,
}

impl Parts {
    pub(in crate::format) fn set(&mut self, parts: &[RunPart], found: Vec<PartState>) {
        self.states = found;
        let outputs = parts.iter().enumerate().filter(|(_, part)| part.role == PartRole::Output);
        self.outputs = outputs.filter_map(|(index, part)| Some((part.step?, index))).collect();
    }

    /// Whether so much was found before, too.
    pub(super) fn are_like(&self, found: &[PartState]) -> bool {
        let size = |state: &PartState| match state {
            PartState::Found { len, .. } => Some(*len),
            PartState::Missing => None,
        };
        self.states.iter().map(size).eq(found.iter().map(size))
    }

    /// What was found, in the order of the parts.
    pub(in crate::format) fn states(&self) -> &[PartState] {
        &self.states
    }

    /// The text that a result left in another file.
    pub(super) fn output(&self, step: StepNo) -> Option<Result<String, Problem>> {
        let PartState::Found { bytes, len, .. } = self.states.get(*self.outputs.get(&step)?)? else { return None };
        let span = Span { offset: 0, len: (*len).min(OUTPUT_BYTES_MAX) };
        Some(bytes.read(span).map(|text| lossy(&text).into_owned()))
    }

    /// 0.4: one finding for each part that is not there, or in two files that differ, at the record that refers to it.
    pub(in crate::format) fn findings<'p>(&'p self, parts: &'p [RunPart]) -> impl Iterator<Item = Finding> + 'p {
        parts.iter().zip(&self.states).filter_map(|(part, found)| match found {
            PartState::Missing => Some(part.missing()),
            PartState::Found { path, other: Some(other), .. } => Some(part.differs(path, other)),
            PartState::Found { .. } => None,
        })
    }
}

/// Puts an output in the place of the notice that stands for it.
pub(super) fn put_output(turn: &mut Turn<'_>, output: String) {
    let result = turn.parts.iter_mut().find_map(|part| match part {
        TurnPart::Result(result) => Some(result),
        _ => None,
    });
    if let Some(result) = result {
        result.text = Cow::Owned(output);
    }
}
