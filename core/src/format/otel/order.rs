//! The order of spans and records of logs: trace by trace, in each as they began. A span is written when it ends, so
//! parents come late.

use super::logs::order_time;
use crate::format::log::{Arrange, Piece, PlacedPieces, first, items};
use crate::json::{Value, compare_numbers};
use std::cmp::Ordering;
use std::collections::HashMap;

/// Where OTLP has spans and records of logs: below resources, in scopes.
const OTLP: [(&str, [&str; 2], &str); 2] = [
    ("resourceSpans", ["scopeSpans", "instrumentationLibrarySpans"], "spans"),
    ("resourceLogs", ["scopeLogs", "instrumentationLibraryLogs"], "logRecords"),
];

/// The spans and records so far.
#[derive(Default)]
pub(super) struct Order {
    spans: Vec<(usize, Time, Piece)>,
    traces: HashMap<Box<str>, usize>,
}

/// When a span began, as it is written.
enum Time {
    /// A number, or seconds and nanoseconds.
    Number(Box<str>, Box<str>),
    Text(Box<str>),
    Unknown,
}

impl Time {
    fn of(span: &Value<'_>) -> Self {
        let Some(time) = order_time(span) else { return Self::Unknown };
        let parts = time.as_array().unwrap_or(std::slice::from_ref(time));
        let number = |index: usize| {
            let value = parts.get(index)?;
            let text = value.as_number().or_else(|| value.as_str())?;
            text.bytes().all(|b| b.is_ascii_digit()).then_some(text)
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
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
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
        digits => digits,
    }
}

/// By trace, then by time.
fn compare(a: &(usize, Time, Piece), b: &(usize, Time, Piece)) -> Ordering {
    a.0.cmp(&b.0).then_with(|| a.1.compare(&b.1))
}

impl Arrange for Order {
    fn look(&mut self, record: usize, value: &Value<'_>) -> PlacedPieces {
        let (known, mut has_resources) = (self.spans.len(), false);
        for (resources, scopes, inner) in OTLP {
            for resource in items(value, resources) {
                has_resources = true;
                let scopes = first(resource, &scopes).and_then(Value::as_array).unwrap_or_default();
                scopes.iter().flat_map(|scope| items(scope, inner)).for_each(|span| self.put(record, span));
            }
        }
        if !has_resources {
            self.put(record, value);
        }
        let is_behind = |pair: &[(usize, Time, Piece)]| compare(&pair[0], &pair[1]).is_le();
        if self.spans[known.saturating_sub(1)..].windows(2).all(is_behind) {
            PlacedPieces::Added(self.spans[known..].iter().map(|(_, _, piece)| *piece).collect())
        } else {
            PlacedPieces::Rearranged
        }
    }

    fn order(&mut self) -> Vec<Piece> {
        self.spans.sort_by(compare);
        self.spans.iter().map(|(_, _, piece)| *piece).collect()
    }
}

impl Order {
    fn put(&mut self, record: usize, span: &Value<'_>) {
        let next = self.traces.len();
        let trace = *self.traces.entry(super::trace(span).into()).or_insert(next);
        self.spans.push((trace, Time::of(span), Piece::of(record, span)));
    }
}
