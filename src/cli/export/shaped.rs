//! A record or a run in the format that was asked for.

use super::To;
use super::candidates::{CandidateRecord, is_one_run};
use super::used_ids::UsedIds;
use crate::ingest::Loaded;
use crate::json::{self, Value};
use crate::model::{Problem, lossy};
use crate::review::{ChatLeft, ChatShape, RecordHead, Transcript, chat};
use crate::rules::trajectory::{RecordShape, Way, shape};
use std::borrow::Cow;

/// What is written of a record, and what of it that does not carry.
pub(super) type Shaped<'t> = (Cow<'t, [u8]>, ChatLeft);

/// A record as it is, or in the format that was asked for: nothing where it is not a conversation, more than one where
/// it is several trajectories.
pub(super) fn shaped<'t>(
    seen: &CandidateRecord<'t>,
    (to, answer): (Option<To>, Option<&str>),
    input: &Loaded,
    ids: &mut UsedIds,
) -> Result<Vec<Shaped<'t>>, Problem> {
    let Some(to) = to else { return Ok(vec![(Cow::Borrowed(seen.text), ChatLeft::new())]) };
    if !is_one_run(input) {
        let text = lossy(seen.text);
        let Ok(record) = json::parse_lenient(&text) else { return Ok(Vec::new()) };
        if is_such(&record, to) {
            return Ok(vec![(Cow::Borrowed(seen.text), ChatLeft::new())]);
        }
        let conversation = to.shape().filter(|_| input.detected.format.has_conversations());
        if let Some((line, left)) = conversation.and_then(|shape| chat(&record, shape, input.detected.format.way())) {
            return Ok(vec![(Cow::Owned(line.into_bytes()), left)]);
        }
    }
    of_run(seen, (to, answer), input, ids)
}

/// Whether a record is of that format already.
fn is_such(record: &Value<'_>, to: To) -> bool {
    match to {
        To::Adp => shape(record) == RecordShape::Std,
        To::Atif => shape(record) == RecordShape::Atif,
        To::Messages | To::MessagesWithObjects | To::Sharegpt => false,
    }
}

/// The trajectories of a run; of several answers to one prompt those of the name that is asked for.
fn of_run<'t>(
    seen: &CandidateRecord<'_>,
    (to, answer): (To, Option<&str>),
    input: &Loaded,
    ids: &mut UsedIds,
) -> Result<Vec<Shaped<'t>>, Problem> {
    let (run, format) = (input.run(seen.record.number)?, input.detected.format);
    if is_one_run(input) && run.step_count() > 0 && run.work().is_none() {
        let message = format!("{} holds no conversation ({}), which --to asks for", seen.name, format.title());
        return Err(Problem::usage(message));
    }
    let name = if is_one_run(input) {
        stem(seen.name).to_owned()
    } else {
        format!("{}-{}", stem(seen.name), seen.record.number)
    };
    let head = if is_one_run(input) { None } else { head(seen, input) };
    let transcripts = Transcript::of(run.as_ref(), format.name(), &name, head.as_ref(), input.input.as_ref());
    let is_wanted = |transcript: &Transcript| {
        transcript.label().is_none_or(|label| {
            answer.is_none_or(|answer| label == answer) && !seen.unpicked.iter().any(|left| left == label)
        })
    };
    let shaped = transcripts.into_iter().filter(is_wanted).map(|mut transcript| {
        if let Some(id) = transcript.id_of_several().map(|id| ids.take(id)) {
            transcript.rename(id);
        }
        let (line, mut left) = transcript.write(to.format());
        let Some(shape) = to.shape().filter(|shape| *shape != ChatShape::Messages) else { return (line, left) };
        let turned = json::parse(&line).ok().and_then(|record| chat(&record, shape, Way::Formats));
        match turned {
            Some((turned, more)) => {
                more.into_iter().for_each(|(what, count)| *left.entry(what).or_default() += count);
                (turned, left)
            }
            None => (line, left),
        }
    });
    Ok(shaped.map(|(line, left)| (Cow::Owned(line.into_bytes()), left)).collect())
}

/// What a record says beside its run.
fn head(seen: &CandidateRecord<'_>, input: &Loaded) -> Option<RecordHead> {
    let format = input.detected.format;
    if format.has_conversations() {
        return RecordHead::of(&json::parse_lenient(&lossy(seen.text)).ok()?, format.way());
    }
    let members = format.record_members()?;
    Some(RecordHead::of_log(&json::parse_lenient(&lossy(seen.text)).ok()?, members))
}

/// The name of a file without its folder and ending: what a run without a title is called.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.split_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}
