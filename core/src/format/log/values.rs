//! The values that a step was made of, read again from the input.

use super::compact_step::CompactStep;
use super::run::LogRun;
use super::sink::Show;
use super::{Adapter, Form, parts};
use crate::json::{self, Value};
use crate::model::{Bytes, ModelRequest, Problem, Span, StepNo, Turn};

/// How an adapter reads the values of a step: its functions that need nothing but these.
pub(super) struct ValueReaders {
    pub(super) turn: Show,
    pub(super) request: fn(Form, &[&Value<'_>]) -> Option<ModelRequest>,
    pub(super) prompt: fn(&[&Value<'_>]) -> Option<Turn<'static>>,
}

impl ValueReaders {
    pub(super) fn by<A: Adapter>() -> Self {
        Self { turn: A::show, request: A::request, prompt: A::prompt }
    }
}

impl LogRun {
    /// Reads a step's values and lets `say` report something of them.
    pub(super) fn with_turn<T>(
        &self,
        step: StepNo,
        compact: &CompactStep,
        bytes: &dyn Bytes,
        say: impl FnOnce(&Turn<'_>) -> T,
    ) -> Result<T, Problem> {
        let output = self.parts.output(step).transpose()?;
        with_values(compact, bytes, |values| {
            let mut turn = (self.readers.turn)(compact.form, values);
            if let Some(text) = output {
                parts::put_output(&mut turn, text);
            }
            say(&Turn { is_injected: compact.is_injected() || turn.is_injected, ..turn })
        })
    }
}

/// Reads the values that a step was made of.
pub(super) fn with_values<T>(
    compact: &CompactStep,
    bytes: &dyn Bytes,
    say: impl FnOnce(&[&Value<'_>]) -> T,
) -> Result<T, Problem> {
    let texts = compact.spans().map(|span| text_at(span, bytes)).collect::<Result<Vec<String>, Problem>>()?;
    let gone = || Problem::gone(compact.place().span);
    let values = texts.iter().map(|text| json::parse_lenient(text).map_err(|_| gone()));
    let values = values.collect::<Result<Vec<Value<'_>>, Problem>>()?;
    let values: Vec<&Value<'_>> = values.iter().collect();
    Ok(say(&values))
}

/// The text of a span.
pub(super) fn text_at(span: Span, bytes: &dyn Bytes) -> Result<String, Problem> {
    String::from_utf8(bytes.read(span)?).map_err(|_| Problem::gone(span))
}
