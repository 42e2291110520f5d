//! Events without a session around them, as the server answers: an array of `/run`, or the stream of `/run_sse`.

use super::session::{Session, add_steps, either};
use crate::format::log::{Adapter, Arrange, Form, Log, Piece, PlacedPieces, text};
use crate::json::Value;
use crate::model::Turn;
use std::mem::take;

/// Reads events of one answer.
pub(super) struct Events;

impl Adapter for Events {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        add_steps(record, log);
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        Session::show(form, values)
    }

    fn arrange(&self) -> Option<Box<dyn Arrange>> {
        Some(Box::new(Full::default()))
    }
}

/// Which events are read: pieces of one that streams only until the full one comes.
#[derive(Default)]
struct Full {
    pieces: Vec<Piece>,
    /// Which of them are pieces of an event, and whose.
    partial: Vec<(usize, Writer)>,
}

/// Author and invocation of an event.
type Writer = (Box<str>, Box<str>);

impl Arrange for Full {
    fn look(&mut self, record: usize, value: &Value<'_>) -> PlacedPieces {
        let piece = Piece::of(record, value);
        let invocation = either(value, "invocation_id", "invocationId").and_then(Value::as_str);
        let writer = (text(value, "author").unwrap_or_default().into(), invocation.unwrap_or_default().into());
        if value.get("partial").and_then(Value::as_bool) == Some(true) {
            self.partial.push((self.pieces.len(), writer));
            self.pieces.push(piece);
            return PlacedPieces::Added(vec![piece]);
        }
        let (old, others): (Vec<_>, Vec<_>) = take(&mut self.partial).into_iter().partition(|(_, by)| *by == writer);
        // Those of other writers move up by the pieces before them that go.
        let places = others.into_iter().map(|(place, by)| (place - old.partition_point(|(gone, _)| *gone < place), by));
        self.partial = places.collect();
        let mut gone = old.iter().map(|(place, _)| *place).peekable();
        let pieces = take(&mut self.pieces).into_iter().enumerate();
        self.pieces = pieces.filter(|(place, _)| gone.next_if_eq(place).is_none()).map(|(_, piece)| piece).collect();
        self.pieces.push(piece);
        if old.is_empty() { PlacedPieces::Added(vec![piece]) } else { PlacedPieces::Rearranged }
    }

    fn order(&mut self) -> Vec<Piece> {
        self.pieces.clone()
    }
}
