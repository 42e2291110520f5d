//! `obelus export --redact-list`: what would be replaced, for people to look at before it is.

use super::Options;
use super::candidates::Candidates;
use super::shaped::shaped;
use super::used_ids::UsedIds;
use super::write::{redacted, redactor};
use crate::cli::Stop;
use crate::cli::out::Out;
use crate::review::Judged;
use crate::text::shorten;
use std::collections::BTreeMap;

/// Most characters of a secret that are shown.
const SHOWN_CHARS: usize = 60;

/// Prints a line for each secret of the records that would be written, then how many there are.
pub(super) fn list(options: &Options, sifted: &Candidates<'_>, out: &mut Out) -> Result<(), Stop> {
    let redactor = redactor()?;
    let (mut counts, mut ids): (BTreeMap<&str, u64>, _) = (BTreeMap::new(), UsedIds::default());
    sifted.each(|seen| {
        let Judged::Taken(_) = seen.judged else { return Ok(()) };
        let Some(input) = sifted.inputs.get(seen.source) else { return Ok(()) };
        let file = input.input.name();
        let texts = shaped(&seen, (options.to, options.answer.as_deref()), input, &mut ids)?;
        for secret in texts.into_iter().flat_map(|(text, _)| redacted(&redactor, text).1) {
            *counts.entry(secret.kind).or_default() += 1;
            let shown = shorten(&secret.text, SHOWN_CHARS);
            // A conversation that was made of the record is nowhere in the file.
            let byte = match options.to {
                None => format!(" byte {}", seen.record.place.span.offset + secret.at as u64),
                Some(_) => String::new(),
            };
            let place = format!("{file} record {}{byte}", seen.record.number);
            out.line(&format!("{place}  {}  {}", secret.kind, shown.escape_debug()))?;
        }
        Ok(())
    })?;
    let all: Vec<String> = counts.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
    out.line(&if all.is_empty() { "nothing would be replaced".to_owned() } else { all.join(", ") })?;
    Ok(())
}
