//! Secrets that come in pieces: each record of a stream holds a part that is none by itself.

use super::candidates::is_one_run;
use super::write::redactor;
use crate::ingest::Loaded;
use crate::model::{Bytes, Problem, Span, cast, lossy};
use crate::review::Redactor;
use crate::text::counted;
use std::collections::BTreeMap;

/// Refuses to write records of logs one by one as redacted while secrets would be left in them, piece by piece.
///
/// # Errors
/// There are such secrets, or the input can no longer be read.
pub(super) fn refuse(inputs: &[Loaded]) -> Result<(), Problem> {
    let redactor = redactor()?;
    for loaded in inputs.iter().filter(|loaded| is_one_run(loaded)) {
        let (_, count) = without_pieces(loaded, 0, &redactor)?;
        if count > 0 {
            let (secrets, come) = (counted(count as u64, "secret"), if count == 1 { "comes" } else { "come" });
            let message =
                format!("{}: {secrets} {come} in pieces, which records one by one do not show", loaded.input.name());
            let hint = "--to messages, or `obelus report --redact`, replaces them";
            return Err(Problem::usage(message).hint(hint));
        }
    }
    Ok(())
}

/// The input without the secrets in messages that come in pieces, in several records, and how many these are.
///
/// # Errors
/// The input can no longer be read.
pub(in crate::cli) fn without_pieces(
    loaded: &Loaded,
    record: usize,
    redactor: &Redactor,
) -> Result<(Vec<u8>, usize), Problem> {
    let (run, bytes) = (loaded.run(record)?, loaded.input.as_ref());
    let (mut changed, mut count) = (BTreeMap::<u64, (Span, String)>::new(), 0);
    for step in 0..cast::to_step(run.step_count()) {
        let spans = run.spans(step);
        if spans.len() < 2 {
            continue;
        }
        let Some(turn) = run.turn(step, bytes) else { continue };
        let text_of = |span: &Span| match changed.get(&span.offset) {
            Some((_, text)) => Ok(String::clone(text)),
            None => Ok(lossy(&bytes.read(*span)?).into_owned()),
        };
        let mut texts = spans.iter().map(text_of).collect::<Result<Vec<String>, Problem>>()?;
        let found: usize = turn.parts.iter().map(|part| redactor.redact_pieces(part.text(), &mut texts)).sum();
        if found > 0 {
            count += found;
            changed.extend(spans.into_iter().zip(texts).map(|(span, text)| (span.offset, (span, text))));
        }
    }
    let (mut out, mut at) = (Vec::new(), 0);
    for (span, text) in changed.into_values() {
        out.extend(bytes.read(Span { offset: at, len: span.offset.saturating_sub(at) })?);
        out.extend(text.into_bytes());
        at = span.end();
    }
    out.extend(bytes.read(Span { offset: at, len: loaded.input.len().saturating_sub(at) })?);
    Ok((out, count))
}
