//! Spans of a session that the model sees as summaries of them: `marble-origami-commit`, `marble-origami-reset`.

use super::entries::hash;
use super::text;
use crate::format::log::Log;
use crate::json::Value;
use crate::model::{StepNo, StepRole, Turn, TurnPart};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// The type of a record that puts a summary in the place of a span.
pub(super) const COMMIT: &str = "marble-origami-commit";
/// The type of one that takes all of them back.
pub(super) const RESET: &str = "marble-origami-reset";

/// What was collapsed since the last reset.
#[derive(Debug, Default)]
pub(super) struct Collapses {
    /// By the first step of a span and the step of its summary.
    done: BTreeMap<(StepNo, StepNo), Collapse>,
    /// The summaries by their ids, by which a later span may begin or end with one.
    by_id: HashMap<u64, (StepNo, StepNo)>,
    /// The steps of all spans: first steps and ends of runs that do not meet.
    gone: BTreeMap<StepNo, StepNo>,
}

/// A span, by its end, and the id of its summary.
#[derive(Debug)]
struct Collapse {
    end: StepNo,
    id: Option<u64>,
}

impl Collapses {
    /// The step that was added last is of a record of this type.
    pub(super) fn read(&mut self, record: &Value<'_>, class: &str, log: &mut Log<'_>) {
        match class {
            COMMIT => self.commit(record, log),
            RESET => self.reset(log),
            _ => {}
        }
    }

    /// One whose span is not in the file changes nothing.
    fn commit(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let steps_of = |key: &str| self.steps_of(text(record, key)?, log);
        let Some((first, last)) = steps_of("firstArchivedUuid").zip(steps_of("lastArchivedUuid")) else { return };
        let (span, summary) = (first.start..last.end, log.next_step() - 1);
        if span.is_empty() {
            return;
        }
        // The summary is where its span begins, also where earlier summaries are all that is left of it.
        log.drop_span(span.start..span.start);
        self.take_out(&span).into_iter().for_each(|part| log.drop_span(part));
        log.drop_steps(&self.take_inner(&span));
        log.summarize(text(record, "summaryContent").unwrap_or_default());
        log.prompt();
        let (key, id) = ((span.start, summary), text(record, "summaryUuid").map(hash));
        self.by_id.extend(id.map(|id| (id, key)));
        self.done.insert(key, Collapse { end: span.end, id });
    }

    /// Adds a span to the steps that are gone. Returns the parts of it that were not: nothing is dropped twice.
    fn take_out(&mut self, span: &Range<StepNo>) -> Vec<Range<StepNo>> {
        let before = self.gone.range(..span.start).next_back().filter(|(_, end)| **end >= span.start);
        let begin = before.map_or(span.start, |(start, _)| *start);
        let met: Vec<_> = self.gone.range(begin..=span.end).map(|(start, end)| *start..*end).collect();
        let (mut parts, mut at) = (Vec::new(), span.start);
        for run in met {
            self.gone.remove(&run.start);
            parts.extend((at < run.start).then_some(at..run.start));
            at = at.max(run.end);
        }
        parts.extend((at < span.end).then_some(at..span.end));
        self.gone.insert(begin, at.max(span.end));
        parts
    }

    /// The summaries of the spans that a later one has in it.
    fn take_inner(&mut self, span: &Range<StepNo>) -> Vec<StepNo> {
        let begun = self.done.range((span.start, 0)..(span.end, 0));
        let inner: Vec<_> = begun.filter(|(_, done)| done.end <= span.end).map(|(key, _)| *key).collect();
        for key in &inner {
            let id = self.done.remove(key).and_then(|done| done.id);
            id.filter(|id| self.by_id.get(id) == Some(key)).into_iter().for_each(|id| _ = self.by_id.remove(&id));
        }
        inner.into_iter().map(|(_, summary)| summary).collect()
    }

    fn steps_of(&self, id: &str, log: &Log<'_>) -> Option<Range<StepNo>> {
        let earlier = self.by_id.get(&hash(id)).and_then(|key| Some(key.0..self.done.get(key)?.end));
        earlier.or_else(|| log.steps_of(id))
    }

    /// The model sees the spans again.
    fn reset(&mut self, log: &mut Log<'_>) {
        log.see_spans_again();
        let summaries: Vec<StepNo> = std::mem::take(self).done.into_keys().map(|(_, summary)| summary).collect();
        log.drop_steps(&summaries);
    }
}

/// What the model sees in the place of a span.
pub(super) fn shown(record: &Value<'_>) -> Option<Turn<'static>> {
    let summary = text(record, "summaryContent").filter(|_| text(record, "type") == Some(COMMIT))?;
    Some(Turn::of(StepRole::User, vec![TurnPart::Text(Cow::Owned(summary.to_owned()))]))
}
