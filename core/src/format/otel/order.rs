//! The order of spans and records of logs: trace by trace, those of one conversation together, in each as they began. A
//! span is written when it ends, so parents come late.

use super::groups::{Groups, Joined};
use super::logs;
use super::nesting::Nesting;
use crate::format::log::{Arrange, Piece, PlacedPieces, first};
use crate::json::{Value, compare_numbers};
use crate::model::Timestamp;
use std::cmp::Ordering;
use std::collections::HashMap;

/// Where OTLP has spans and records of logs: below resources, in scopes. Some exporters write the names as the
/// definitions of the messages have them, with `_`.
const OTLP: [[&[&str]; 3]; 2] = [
    [
        &["resourceSpans", "resource_spans"],
        &["scopeSpans", "scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans"],
        &["spans"],
    ],
    [
        &["resourceLogs", "resource_logs"],
        &["scopeLogs", "scope_logs", "instrumentationLibraryLogs", "instrumentation_library_logs"],
        &["logRecords", "log_records"],
    ],
];

/// Batches of numbers, which a collector writes between those of spans: they are no steps.
const METRICS: [&str; 2] = ["resourceMetrics", "resource_metrics"];

/// The elements of the first of these members.
fn elements<'v, 'a>(value: &'v Value<'a>, names: &[&str]) -> &'v [Value<'a>] {
    first(value, names).and_then(Value::as_array).unwrap_or_default()
}

/// What the order of spans needs to know of each.
#[derive(Clone, Copy)]
pub(in crate::format) struct SpanKeys {
    /// Finds the spans of a record, with those inside of others.
    pub(in crate::format) each: for<'v, 'a> fn(&'v Value<'a>, &mut dyn FnMut(&'v Value<'a>)),
    /// The trace that a span is of.
    pub(in crate::format) trace: for<'v, 'a> fn(&'v Value<'a>) -> &'v str,
    /// The conversation that it names, or nothing.
    pub(in crate::format) conversation: for<'v, 'a> fn(&'v Value<'a>) -> &'v str,
    /// Its id.
    pub(in crate::format) id: for<'v, 'a> fn(&'v Value<'a>) -> Option<&'v str>,
    /// The span that it is in.
    pub(in crate::format) parent: for<'v, 'a> fn(&'v Value<'a>) -> Option<&'v str>,
    /// When it began.
    pub(in crate::format) time: for<'v, 'a> fn(&'v Value<'a>) -> Option<&'v Value<'a>>,
}

/// Those of OpenTelemetry.
pub(super) const KEYS: SpanKeys = SpanKeys {
    each: each_span,
    trace: super::trace,
    conversation: logs::conversation,
    id: super::id,
    parent: super::parent,
    time: logs::order_time,
};

/// Most spans in spans that are in one record.
const DEPTH_MAX: usize = 64;

/// The spans of a record of OTLP, or it itself, with those inside of it.
fn each_span<'v, 'a>(value: &'v Value<'a>, take: &mut dyn FnMut(&'v Value<'a>)) {
    let mut has_resources = false;
    for [resources, scopes, inner] in OTLP {
        for resource in elements(value, resources) {
            has_resources = true;
            let scopes = elements(resource, scopes).iter();
            scopes.flat_map(|scope| elements(scope, inner)).for_each(&mut *take);
        }
    }
    if has_resources || first(value, &METRICS).is_some() {
        return;
    }
    // What the interface of Phoenix gives.
    let listed = value.get("data").and_then(Value::as_array).filter(|_| super::span_name(value).is_none());
    match super::tree(value).or(listed) {
        Some(spans) => spans.iter().for_each(|span| each_inside(span, 0, take)),
        None => each_inside(value, 0, take),
    }
}

/// A span and those inside of it.
fn each_inside<'v, 'a>(span: &'v Value<'a>, depth: usize, take: &mut dyn FnMut(&'v Value<'a>)) {
    take(span);
    if depth < DEPTH_MAX {
        elements(span, &["child_spans"]).iter().for_each(|child| each_inside(child, depth + 1, take));
    }
}

/// The spans and records so far.
pub(in crate::format) struct Order {
    keys: SpanKeys,
    spans: Vec<Span>,
    groups: Groups,
    nesting: Nesting,
    /// The places of traces, by their numbers.
    places: Vec<usize>,
}

/// A span, or a record of a log.
struct Span {
    trace: usize,
    time: Time,
    piece: Piece,
    /// Its id, and that of its parent.
    id: Option<Box<str>>,
    parent: Option<Box<str>>,
    /// Its place among those that began when it did.
    rank: usize,
}

/// When a span began, as it is written.
enum Time {
    /// A number, or seconds and nanoseconds.
    Number(Box<str>, Box<str>),
    Text(Box<str>),
    Unknown,
}

impl Time {
    fn of(time: Option<&Value<'_>>) -> Self {
        let Some(time) = time else { return Self::Unknown };
        let parts = time.as_array().unwrap_or(std::slice::from_ref(time));
        let number = |index: usize| {
            let value = parts.get(index)?;
            let text = value.as_number().or_else(|| value.as_str())?;
            let is_number = |b: u8| b.is_ascii_digit() || (b == b'.' && value.as_number().is_some());
            text.bytes().all(is_number).then_some(text)
        };
        match (number(0), time.as_str()) {
            (Some(whole), _) => Self::Number(whole.into(), number(1).unwrap_or("0").into()),
            (None, Some(text)) => Self::Text(text.into()),
            (None, None) => Self::Unknown,
        }
    }

    /// Times of different spellings stay in the order of the file.
    fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Number(a, more), Self::Number(b, rest)) => {
                compare_numbers(digits(a), digits(b)).then_with(|| compare_numbers(digits(more), digits(rest)))
            }
            // A fraction of a second is left out where it is none, so that the texts compare otherwise.
            (Self::Text(a), Self::Text(b)) => match (Timestamp::read(a), Timestamp::read(b)) {
                (Some(begun), Some(other)) => begun.since(other).cmp(&0).then_with(|| a.cmp(b)),
                _ => a.cmp(b),
            },
            _ => self.rank().cmp(&other.rank()),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Number(..) => 0,
            Self::Text(_) => 1,
            Self::Unknown => 2,
        }
    }
}

/// Digits as JSON writes a number.
fn digits(text: &str) -> &str {
    match text.trim_start_matches('0') {
        "" => "0",
        fraction if fraction.starts_with('.') => text,
        digits => digits,
    }
}

/// By the places of traces, then by time.
fn compare(places: &[usize], a: &Span, b: &Span) -> Ordering {
    let place = |span: &Span| places.get(span.trace).copied().unwrap_or(usize::MAX);
    place(a).cmp(&place(b)).then_with(|| a.time.compare(&b.time))
}

/// Spans that began at once: parents before their children, as far as they lead to no circle.
fn put_parents_first(spans: &mut [Span]) {
    let ids: HashMap<Box<str>, usize> =
        (0..).zip(&*spans).filter_map(|(at, span)| Some((span.id.clone()?, at))).collect();
    let parent = |at: usize| spans.get(at)?.parent.as_ref().and_then(|parent| ids.get(parent)).copied();
    let (mut is_placed, mut order) = (vec![false; spans.len()], Vec::with_capacity(spans.len()));
    for at in 0..spans.len() {
        let (mut next, first) = (Some(at), order.len());
        while let Some(place) = next.filter(|place| !is_placed[*place]) {
            is_placed[place] = true;
            order.push(place);
            next = parent(place);
        }
        order[first..].reverse();
    }
    order.iter().enumerate().for_each(|(rank, at)| spans[*at].rank = rank);
    spans.sort_by_key(|span| span.rank);
}

impl Arrange for Order {
    fn look(&mut self, record: usize, value: &Value<'_>) -> PlacedPieces {
        let (known, mut are_moved, each) = (self.spans.len(), false, self.keys.each);
        each(value, &mut |span| are_moved |= self.put(record, span));
        let is_behind = |at: usize| self.spans.get(at + 1).is_none_or(|next| self.is_behind(at, next));
        if !are_moved && (known.saturating_sub(1)..self.spans.len()).all(is_behind) {
            PlacedPieces::Added(self.spans[known..].iter().map(|span| span.piece).collect())
        } else {
            PlacedPieces::Rearranged
        }
    }

    fn order(&mut self) -> Vec<Piece> {
        self.place_traces();
        let places = &self.places;
        self.spans.sort_by(|a, b| compare(places, a, b));
        let at_once = |a: &Span, b: &Span| compare(places, a, b).is_eq();
        self.spans.chunk_by_mut(at_once).filter(|spans| spans.len() > 1).for_each(put_parents_first);
        self.spans.iter().map(|span| span.piece).collect()
    }
}

impl Order {
    /// No spans; the traces are those of these groups.
    pub(in crate::format) fn new(groups: Groups, nesting: Nesting, keys: SpanKeys) -> Self {
        Self { keys, spans: Vec::new(), groups, nesting, places: Vec::new() }
    }

    /// Takes a span; whether traces belong together by it, or spans before it are in it.
    fn put(&mut self, record: usize, span: &Value<'_>) -> bool {
        let SpanKeys { trace: trace_of, conversation, .. } = self.keys;
        let Joined { trace, is_new, is_joined } = self.groups.put(trace_of(span), conversation(span));
        if is_new {
            // Behind all others, as far as it is by itself.
            self.places.push(trace);
        }
        let (id, parent) = ((self.keys.id)(span), (self.keys.parent)(span));
        let has_children = self.nesting.put(trace_of(span), id, parent);
        let (time, piece) = (Time::of((self.keys.time)(span)), Piece::of(record, span));
        let (id, parent) = (id.map(Into::into), parent.map(Into::into));
        self.spans.push(Span { trace, time, piece, id, parent, rank: 0 });
        is_joined || has_children
    }

    /// Puts the traces of a group together, in the order in which they began.
    fn place_traces(&mut self) {
        let groups = self.groups.all();
        let mut begins: Vec<Option<&Time>> = vec![None; groups.len()];
        for span in &self.spans {
            let Some(begin) = begins.get_mut(span.trace) else { continue };
            if begin.is_none_or(|begin| span.time.compare(begin).is_lt()) {
                *begin = Some(&span.time);
            }
        }
        let begun = |a: usize, b: usize| match (begins[a], begins[b]) {
            (Some(a), Some(b)) => a.compare(b),
            _ => Ordering::Equal,
        };
        let mut order: Vec<usize> = (0..groups.len()).collect();
        order.sort_by(|&a, &b| groups[a].cmp(&groups[b]).then_with(|| begun(a, b)));
        self.places = vec![0; order.len()];
        for (place, trace) in order.into_iter().enumerate() {
            self.places[trace] = place;
        }
    }

    /// Whether a span comes after the one at a place, and is the parent of none that began when it did.
    fn is_behind(&self, at: usize, next: &Span) -> bool {
        let Some(last) = self.spans.get(at) else { return true };
        let places = &self.places;
        let began_with_it = self.spans[..=at].iter().rev().take_while(|span| compare(places, span, next).is_eq());
        let mut parents = began_with_it.filter_map(|span| span.parent.as_ref());
        compare(places, last, next).is_le() && !parents.any(|parent| Some(parent) == next.id.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{OTEL, TREE};
    use crate::format::log::testing::{lines, run_of_record, state, steps};

    #[test]
    fn a_time_without_a_fraction_of_a_second_is_before_one_with_it() {
        let span = |id: &str, at: &str| {
            let context = format!(r#"{{"trace_id":"t","span_id":"{id}"}}"#);
            format!(r#"{{"name":"{id}","context":{context},"start_time":"2026-05-01T10:00:{at}","attributes":{{}}}}"#)
        };
        let parsed = lines(&OTEL, &[span("b", "00.5Z"), span("c", "01Z"), span("a", "00Z")].join("\n"));
        assert_eq!(steps(&parsed), ["span agent: a", "span agent: b", "span agent: c"]);
    }

    #[test]
    fn spans_in_spans_are_steps_with_what_they_cost_and_took() {
        let parsed = run_of_record(&OTEL, TREE);
        assert_eq!(steps(&parsed), ["span agent: main", "span agent: I look.", "tool-call agent: visit x · no page"]);
        let depths = [0, 1, 2].map(|step| parsed.0.step(step, &parsed.1).depth);
        assert_eq!((depths, parsed.0.error_steps()), ([0, 1, 1], vec![2]));
        assert_eq!(parsed.0.work().and_then(|work| work.took_ms(2)), Some(1250));
        assert_eq!(state(&parsed, "usage", 2), r#"{"main":{"input":5,"output":2,"turns":1}}"#);
    }
}
