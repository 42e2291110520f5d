//! What a request says beside its context: `config` and `schema`, which are not state (A2).

use super::log::Log;
use super::message::Envelope;
use crate::json::{self, Value};
use crate::model::{Bytes, Span, StepNo};
use crate::text::size_text;

/// Longest member that is shown beside a message, in bytes.
const SHOWN_MAX: u64 = 64 << 10;

/// The members of the requests of a run, by the step with which each request begins.
#[derive(Debug, Default)]
pub(super) struct Requests {
    all: Vec<Request>,
}

/// Where the members of one request are in the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Request {
    at: StepNo,
    config: Option<Span>,
    schema: Option<Span>,
}

impl Requests {
    /// Adds a request, `base` is where the text that it was parsed from begins in the input. Nothing is added where
    /// neither this request nor the one before has members to show.
    pub(super) fn add(&mut self, at: StepNo, envelope: &Envelope<'_>, base: u64) {
        let span = |value: &Value<'_>| Span { offset: base, len: 0 }.part(value.start, value.text.len());
        let member = |key: &str| envelope.value.get(key).filter(|v| !v.is_null()).map(span);
        let (config, schema) = (member("config"), member("schema"));
        let is_bare = |request: &Request| request.config.is_none() && request.schema.is_none();
        let new = Request { at, config, schema };
        if !is_bare(&new) || self.all.last().is_some_and(|last| !is_bare(last)) {
            self.all.push(new);
        }
    }

    /// The request that holds at a step: the last that began at or before it.
    fn at(&self, step: StepNo) -> Option<Request> {
        let end = self.all.partition_point(|request| request.at <= step);
        end.checked_sub(1).map(|last| self.all[last])
    }
}

impl Log {
    /// A2: the `config` of the request that holds at a step as compact JSON text, and the step with which that request
    /// begins.
    #[must_use]
    pub fn config(&self, step: StepNo, bytes: &dyn Bytes) -> Option<(StepNo, String)> {
        let request = self.requests.at(step)?;
        Some((request.at, member_text(request.config?, bytes)?))
    }

    /// A2: `config` and `schema` of the request that begins with a step, as compact JSON text; of a long one its size.
    #[must_use]
    pub fn request(&self, step: StepNo, bytes: &dyn Bytes) -> Vec<(&'static str, String)> {
        let Some(request) = self.requests.at(step).filter(|request| request.at == step) else { return Vec::new() };
        let members = [("config", request.config), ("schema", request.schema)];
        let text = |span: Span| match span.len {
            0..=SHOWN_MAX => member_text(span, bytes),
            len => Some(size_text(len)),
        };
        members.into_iter().filter_map(|(name, span)| Some((name, text(span?)?))).collect()
    }
}

fn member_text(span: Span, bytes: &dyn Bytes) -> Option<String> {
    let text = String::from_utf8(bytes.read(span).ok()?).ok()?;
    Some(json::compact(&json::parse(&text).ok()?))
}
