//! Spans of a session that the model sees as summaries of them: `marble-origami-commit`, `marble-origami-reset`.

use super::entries::hash;
use super::text;
use crate::format::log::Log;
use crate::json::Value;
use crate::model::{StepNo, StepRole, Turn, TurnPart};
use std::borrow::Cow;
use std::ops::Range;

/// The type of a record that puts a summary in the place of a span.
pub(super) const COMMIT: &str = "marble-origami-commit";
/// The type of one that takes all of them back.
pub(super) const RESET: &str = "marble-origami-reset";

/// What was collapsed since the last reset.
#[derive(Debug, Default)]
pub(super) struct Collapses {
    done: Vec<Collapse>,
}

/// A span, the step of its summary, and the id by which a later span may begin or end with the summary.
#[derive(Debug)]
struct Collapse {
    span: Range<StepNo>,
    summary: StepNo,
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
        self.open_parts(&span).into_iter().for_each(|part| log.drop_span(part));
        // A later span may have the summaries of earlier ones in it.
        let is_inside = |done: &mut Collapse| span.start <= done.span.start && done.span.end <= span.end;
        let inside: Vec<StepNo> = self.done.extract_if(.., is_inside).map(|done| done.summary).collect();
        log.drop_steps(&inside);
        log.summarize(text(record, "summaryContent").unwrap_or_default());
        log.prompt();
        self.done.push(Collapse { span, summary, id: text(record, "summaryUuid").map(hash) });
    }

    /// The parts of a span that are in no span so far: what is gone is not dropped once more.
    fn open_parts(&self, span: &Range<StepNo>) -> Vec<Range<StepNo>> {
        let (mut parts, mut at) = (Vec::new(), span.start);
        while at < span.end {
            if let Some(done) = self.done.iter().find(|done| done.span.contains(&at)) {
                at = done.span.end;
                continue;
            }
            let next = self.done.iter().map(|done| done.span.start).filter(|start| *start > at).min();
            let end = next.map_or(span.end, |next| next.min(span.end));
            parts.push(at..end);
            at = end;
        }
        parts
    }

    fn steps_of(&self, id: &str, log: &Log<'_>) -> Option<Range<StepNo>> {
        let digest = Some(hash(id));
        let earlier = self.done.iter().rev().find(|done| done.id == digest).map(|done| done.span.clone());
        earlier.or_else(|| log.steps_of(id))
    }

    /// The model sees the spans again.
    fn reset(&mut self, log: &mut Log<'_>) {
        for done in self.done.drain(..) {
            log.drop_steps(&[done.summary]);
            log.see_again(done.span);
        }
    }
}

/// What the model sees in the place of a span.
pub(super) fn shown(record: &Value<'_>) -> Option<Turn<'static>> {
    let summary = text(record, "summaryContent").filter(|_| text(record, "type") == Some(COMMIT))?;
    Some(Turn::of(StepRole::User, vec![TurnPart::Text(Cow::Owned(summary.to_owned()))]))
}
