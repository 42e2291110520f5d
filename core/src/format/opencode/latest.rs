//! Which events of a run are read: a later part of a known id takes the place of the one before (`FORMATS.md` 16).

use super::session::part_of;
use crate::format::log::{Arrange, Piece, PlacedPieces, text};
use crate::json::Value;
use std::collections::HashMap;

/// The events so far.
#[derive(Default)]
pub(super) struct Latest {
    pieces: Vec<Piece>,
    /// Where the part of an id is.
    places: HashMap<Box<str>, usize>,
}

impl Arrange for Latest {
    fn look(&mut self, record: usize, value: &Value<'_>) -> PlacedPieces {
        let piece = Piece::of(record, value);
        if let Some(id) = part_of(value).and_then(|part| text(part, "id")) {
            if let Some(known) = self.places.get(id).and_then(|place| self.pieces.get_mut(*place)) {
                *known = piece;
                return PlacedPieces::Rearranged;
            }
            self.places.insert(id.into(), self.pieces.len());
        }
        self.pieces.push(piece);
        PlacedPieces::Added(vec![piece])
    }

    fn order(&mut self) -> Vec<Piece> {
        self.pieces.clone()
    }
}
