//! Which records of a chat stay, and in which order.

use super::compression::snapshot;
use crate::format::log::{Arrange, Piece, PlacedPieces, count, items, text};
use crate::json::Value;
use std::collections::{HashMap, HashSet};

/// The messages as they are after the records so far.
#[derive(Default)]
pub(super) struct Order {
    messages: Vec<Message>,
    /// Where the message of an id is; one that was taken back is found here no more.
    places: HashMap<Box<str>, usize>,
    /// What is said of the session, and after how many messages.
    session: Vec<(usize, Piece)>,
    /// Ids of messages that a compression wrote again, the snapshot among them: they say what others say before.
    copies: HashMap<Box<str>, usize>,
    /// The tokens of messages that were taken back: after how many messages, and their ids.
    lost_usage: Vec<(usize, Box<str>, Piece)>,
    gone: HashSet<Box<str>>,
}

struct Message {
    id: Option<Box<str>>,
    piece: Piece,
    /// The tokens that it reports, if there are any.
    tokens: Option<Piece>,
}

impl Arrange for Order {
    fn look(&mut self, record: usize, value: &Value<'_>) -> PlacedPieces {
        let piece = Piece::of(record, value);
        if let Some(set) = value.get("$set") {
            let mut is_behind = true;
            let mut added = Vec::new();
            match snapshot(set).and_then(|snapshot| text(snapshot, "id")) {
                // What a compression forgets is in the run all the same.
                Some(id) if !self.copies.contains_key(id) => self.copy_all(set),
                Some(_) => is_behind = self.put_all(record, set, &mut added),
                None if set.get("messages").is_some() => {
                    is_behind = self.rewind(0);
                    is_behind &= self.put_all(record, set, &mut added);
                }
                None => {}
            }
            self.session.push((self.messages.len(), piece));
            added.push(piece);
            return looked(is_behind, added);
        }
        if let Some(id) = value.get("$rewindTo") {
            let place = id.as_str().and_then(|id| self.places.get(id).or_else(|| self.copies.get(id)).copied());
            return looked(self.rewind(place.unwrap_or_default()), Vec::new());
        }
        if value.get("type").is_none() && text(value, "sessionId").is_some() {
            self.session.push((self.messages.len(), piece));
            let mut added = vec![piece];
            return looked(self.put_all(record, value, &mut added), added);
        }
        looked(self.put(piece, value), vec![piece])
    }

    fn order(&mut self) -> Vec<Piece> {
        // A message of the same id that came again accounts for its tokens itself.
        let is_gone = |(_, id, _): &&(usize, Box<str>, Piece)| !self.places.contains_key(id);
        let mut lost_usage = self.lost_usage.iter().filter(is_gone).peekable();
        let mut session = self.session.iter().peekable();
        let mut order = Vec::with_capacity(self.messages.len() + self.session.len() + self.lost_usage.len());
        for (place, message) in self.messages.iter().enumerate() {
            while let Some((_, piece)) = session.next_if(|(at, _)| *at <= place) {
                order.push(*piece);
            }
            while let Some((_, _, piece)) = lost_usage.next_if(|(at, ..)| *at <= place) {
                order.push(*piece);
            }
            order.push(message.piece);
        }
        order.extend(session.map(|(_, piece)| *piece));
        order.extend(lost_usage.map(|(_, _, piece)| *piece));
        order
    }
}

fn looked(is_behind: bool, added: Vec<Piece>) -> PlacedPieces {
    if is_behind { PlacedPieces::Added(added) } else { PlacedPieces::Rearranged }
}

impl Order {
    /// The messages of a session; whether all are behind those before.
    fn put_all(&mut self, record: usize, session: &Value<'_>, added: &mut Vec<Piece>) -> bool {
        let mut is_behind = true;
        for message in items(session, "messages") {
            if text(message, "id").is_some_and(|id| self.copies.contains_key(id)) {
                continue;
            }
            let piece = Piece::of(record, message);
            is_behind &= self.put(piece, message);
            added.push(piece);
        }
        is_behind
    }

    /// The messages that a compression leaves: those of ids that are new are copies.
    fn copy_all(&mut self, session: &Value<'_>) {
        let ids = items(session, "messages").iter().filter_map(|message| text(message, "id"));
        let new = ids.filter(|id| !self.places.contains_key(*id)).map(|id| (id.into(), self.messages.len()));
        self.copies.extend(new.collect::<Vec<_>>());
    }

    /// A message of a known id takes the place of the one before; whether it is behind all others, and was not known.
    fn put(&mut self, piece: Piece, value: &Value<'_>) -> bool {
        let id: Option<Box<str>> = text(value, "id").map(Into::into);
        let tokens = value.get("tokens").filter(|tokens| count(tokens, "input").is_some_and(|count| count > 0));
        let tokens = tokens.map(|tokens| Piece::of(piece.record, tokens));
        let known = id.as_deref().and_then(|id| self.places.get(id).copied());
        if let Some(message) = known.and_then(|place| self.messages.get_mut(place)) {
            (message.piece, message.tokens) = (piece, tokens);
            return false;
        }
        let is_new = id.as_ref().is_none_or(|id| !self.gone.contains(id));
        if let Some(id) = &id {
            self.places.insert(id.clone(), self.messages.len());
        }
        self.messages.push(Message { id, piece, tokens });
        is_new
    }

    /// Takes back the messages from a place on; whether there are none. What was said of the session meanwhile holds
    /// from there on.
    fn rewind(&mut self, place: usize) -> bool {
        let is_nothing = place >= self.messages.len();
        let place = place.min(self.messages.len());
        self.session.iter_mut().rev().take_while(|(at, _)| *at > place).for_each(|(at, _)| *at = place);
        self.lost_usage.iter_mut().rev().take_while(|(at, ..)| *at > place).for_each(|(at, ..)| *at = place);
        for message in self.messages.drain(place..) {
            if let Some(id) = message.id {
                self.places.remove(&id);
                // What a model wrote was paid for, whatever became of it.
                if let Some(tokens) = message.tokens.filter(|_| self.gone.insert(id.clone())) {
                    self.lost_usage.push((place, id, tokens));
                }
            }
        }
        is_nothing
    }
}
