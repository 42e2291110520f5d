//! Other files of a run: what was found of them, and what they give to its steps (`FORMATS.md` 0.4).

use crate::model::{Finding, PartRole, PartState, Problem, RunPart, Span, StepNo, Turn, TurnPart, lossy};
use std::borrow::Cow;
use std::collections::HashMap;

/// Most bytes of an output that are shown as the text of its result.
const OUTPUT_BYTES_MAX: u64 = 1 << 20;

/// What was found of the parts, in their order, and which step refers to which.
#[derive(Debug, Default)]
pub(in crate::format) struct Parts {
    states: Vec<PartState>,
    of_step: HashMap<StepNo, usize>,
    outputs: HashMap<StepNo, usize>,
}

impl Parts {
    pub(in crate::format) fn set(&mut self, parts: &[RunPart], found: Vec<PartState>) {
        self.states = found;
        let steps = |role: Option<PartRole>| {
            let wanted = parts.iter().enumerate().filter(move |(_, part)| role.is_none_or(|role| part.role == role));
            wanted.filter_map(|(index, part)| Some((part.step?, index))).collect()
        };
        (self.of_step, self.outputs) = (steps(None), steps(Some(PartRole::Output)));
    }

    /// Whether so much was found before, too.
    pub(super) fn are_like(&self, found: &[PartState]) -> bool {
        let size = |state: &PartState| match state {
            PartState::Found { len, .. } => Some(*len),
            PartState::Missing => None,
        };
        self.states.iter().map(size).eq(found.iter().map(size))
    }

    /// The part that a step refers to.
    pub(in crate::format) fn of_step<'p>(
        &'p self,
        parts: &'p [RunPart],
        step: StepNo,
    ) -> Option<(&'p RunPart, Option<&'p PartState>)> {
        let index = *self.of_step.get(&step)?;
        Some((parts.get(index)?, self.states.get(index)))
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
