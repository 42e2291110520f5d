//! Which records of a chat stay, and in which order.

use crate::format::log::{Arrange, Piece, items, text};
use crate::json::Value;
use std::collections::HashMap;

/// The messages as they are after the records so far.
#[derive(Default)]
pub(super) struct Order {
    messages: Vec<Message>,
    /// Where the message of an id is; one that was taken back is found here no more.
    places: HashMap<Box<str>, usize>,
    /// What is said of the session, and after how many messages.
    session: Vec<(usize, Piece)>,
}

struct Message {
    id: Option<Box<str>>,
    piece: Piece,
}

impl Arrange for Order {
    fn look(&mut self, record: usize, value: &Value<'_>) {
        let piece = Piece::of(record, value);
        if let Some(set) = value.get("$set") {
            if set.get("messages").is_some() {
                self.rewind(0);
                self.put_all(record, set);
            }
            self.session.push((self.messages.len(), piece));
        } else if let Some(id) = value.get("$rewindTo") {
            let place = id.as_str().and_then(|id| self.places.get(id).copied());
            self.rewind(place.unwrap_or_default());
        } else if value.get("type").is_none() && text(value, "sessionId").is_some() {
            self.session.push((self.messages.len(), piece));
            self.put_all(record, value);
        } else {
            self.put(piece, value);
        }
    }

    fn order(&mut self) -> Vec<Piece> {
        // What was said of the session holds from where it was said on, or from where later rewinds led.
        let mut limit = self.messages.len();
        for (place, _) in self.session.iter_mut().rev() {
            limit = limit.min(*place);
            *place = limit;
        }
        let mut session = self.session.iter().peekable();
        let mut order = Vec::with_capacity(self.messages.len() + self.session.len());
        for (place, message) in self.messages.iter().enumerate() {
            while let Some((_, piece)) = session.next_if(|(at, _)| *at <= place) {
                order.push(*piece);
            }
            order.push(message.piece);
        }
        order.extend(session.map(|(_, piece)| *piece));
        order
    }
}

impl Order {
    fn put_all(&mut self, record: usize, session: &Value<'_>) {
        for message in items(session, "messages") {
            self.put(Piece::of(record, message), message);
        }
    }

    /// A message of a known id takes the place of the one before.
    fn put(&mut self, piece: Piece, value: &Value<'_>) {
        let id: Option<Box<str>> = text(value, "id").map(Into::into);
        let known = id.as_deref().and_then(|id| self.places.get(id).copied());
        match known.and_then(|place| self.messages.get_mut(place)) {
            Some(message) => message.piece = piece,
            None => {
                if let Some(id) = &id {
                    self.places.insert(id.clone(), self.messages.len());
                }
                self.messages.push(Message { id, piece });
            }
        }
    }

    /// Takes back the messages from a place on.
    fn rewind(&mut self, place: usize) {
        for message in self.messages.drain(place.min(self.messages.len())..) {
            if let Some(id) = message.id {
                self.places.remove(&id);
            }
        }
    }
}
