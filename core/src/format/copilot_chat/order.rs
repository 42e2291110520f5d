//! The requests of a chat as they are after the lines so far. A session is one object, or a journal: lines of a `kind`,
//! of which the first has the session and the others set (1), add to (2) or remove (3) what is at a path (`k`).

use super::has_rounds;
use crate::format::log::{Arrange, Piece, PlacedPieces, count, items};
use crate::json::Value;

/// The session as it is after the lines so far.
#[derive(Default)]
pub(super) struct Order {
    session: Vec<Piece>,
    requests: Vec<Request>,
}

/// What the user asked, and what came of it.
struct Request {
    head: Piece,
    /// Parts of the response, as the editor shows them.
    parts: Vec<Piece>,
    result: Option<Outcome>,
}

/// The result of a request, and whether it has all that the model said: then the parts repeat it.
#[derive(Clone, Copy)]
struct Outcome {
    piece: Piece,
    has_rounds: bool,
}

impl Outcome {
    fn of(record: usize, value: &Value<'_>) -> Option<Self> {
        value.as_object()?;
        Some(Self { piece: Piece::of(record, value), has_rounds: has_rounds(value) })
    }
}

impl Request {
    fn of(record: usize, value: &Value<'_>) -> Self {
        Self {
            head: Piece::of(record, value),
            parts: parts_of(record, items(value, "response")),
            result: value.get("result").and_then(|result| Outcome::of(record, result)),
        }
    }

    fn pieces(&self) -> impl Iterator<Item = Piece> {
        let parts = if self.has_rounds() { Default::default() } else { &self.parts[..] };
        let result = self.result.map(|outcome| outcome.piece);
        std::iter::once(self.head).chain(parts.iter().copied()).chain(result)
    }

    /// Whether the result has what the parts say.
    fn has_rounds(&self) -> bool {
        self.result.is_some_and(|outcome| outcome.has_rounds)
    }
}

fn parts_of(record: usize, parts: &[Value<'_>]) -> Vec<Piece> {
    parts.iter().filter(|part| part.as_object().is_some()).map(|part| Piece::of(record, part)).collect()
}

/// What a line of a journal changes.
enum At {
    Session,
    Requests,
    Request(usize),
    Response(usize),
    Part(usize, usize),
    Result(usize),
    Title,
    Other,
}

impl At {
    fn of(path: &[Value<'_>]) -> Self {
        let name = |place: usize| path.get(place).and_then(Value::as_str);
        let number = |place: usize| path.get(place)?.as_number()?.parse().ok();
        match (path.len(), name(0), number(1), name(2), number(3)) {
            (0, ..) => Self::Session,
            (1, Some("requests"), ..) => Self::Requests,
            (1, Some("customTitle"), ..) => Self::Title,
            (2, Some("requests"), Some(request), ..) => Self::Request(request),
            (3, Some("requests"), Some(request), Some("response"), _) => Self::Response(request),
            (3, Some("requests"), Some(request), Some("result"), _) => Self::Result(request),
            (4, Some("requests"), Some(request), Some("response"), Some(part)) => Self::Part(request, part),
            _ => Self::Other,
        }
    }
}

impl Arrange for Order {
    fn look(&mut self, record: usize, value: &Value<'_>) -> PlacedPieces {
        let (kind, given) = (count(value, "kind"), value.get("v"));
        let path = items(value, "k");
        match (kind, At::of(path), given) {
            (None, ..) => self.begin(record, value),
            (Some(0), _, Some(session)) => self.begin(record, session),
            (Some(1), At::Title, _) => {
                self.session.push(Piece::of(record, value));
                PlacedPieces::Added(vec![Piece::of(record, value)])
            }
            (Some(1), at, Some(given)) => self.set(record, &at, given),
            (Some(2), at, given) => self.add(record, &at, given, count(value, "i")),
            (Some(3), at, _) => self.remove(&at),
            _ => PlacedPieces::Added(Vec::new()),
        }
    }

    fn order(&mut self) -> Vec<Piece> {
        self.session.iter().copied().chain(self.requests.iter().flat_map(Request::pieces)).collect()
    }
}

impl Order {
    fn begin(&mut self, record: usize, session: &Value<'_>) -> PlacedPieces {
        let is_first = self.session.is_empty() && self.requests.is_empty();
        self.session = vec![Piece::of(record, session)];
        self.set_requests(record, items(session, "requests"));
        if is_first { PlacedPieces::Added(self.order()) } else { PlacedPieces::Rearranged }
    }

    fn set_requests(&mut self, record: usize, requests: &[Value<'_>]) {
        let is_request = |request: &&Value<'_>| request.as_object().is_some();
        self.requests = requests.iter().filter(is_request).map(|request| Request::of(record, request)).collect();
    }

    fn set(&mut self, record: usize, at: &At, given: &Value<'_>) -> PlacedPieces {
        match *at {
            At::Session => return self.begin(record, given),
            At::Requests => self.set_requests(record, given.as_array().unwrap_or_default()),
            At::Request(place) if place == self.requests.len() => {
                return self.add(record, &At::Requests, Some(given), None);
            }
            At::Request(place) => {
                if let Some(request) = self.requests.get_mut(place) {
                    *request = Request::of(record, given);
                }
            }
            At::Response(place) => {
                if let Some(request) = self.requests.get_mut(place) {
                    request.parts = parts_of(record, given.as_array().unwrap_or_default());
                }
            }
            At::Part(place, part) => {
                if let Some(parts) = self.requests.get_mut(place).map(|request| &mut request.parts) {
                    match parts.get_mut(part) {
                        Some(known) => *known = Piece::of(record, given),
                        None => parts.push(Piece::of(record, given)),
                    }
                }
            }
            At::Result(place) => return self.end(record, place, given),
            At::Title | At::Other => return PlacedPieces::Added(Vec::new()),
        }
        PlacedPieces::Rearranged
    }

    /// What came of a request is known.
    fn end(&mut self, record: usize, place: usize, given: &Value<'_>) -> PlacedPieces {
        let is_last = place + 1 == self.requests.len();
        let (Some(request), outcome) = (self.requests.get_mut(place), Outcome::of(record, given)) else {
            return PlacedPieces::Added(Vec::new());
        };
        let is_behind = is_last && request.result.is_none();
        request.result = outcome;
        match outcome {
            Some(outcome) if is_behind && (!outcome.has_rounds || request.parts.is_empty()) => {
                PlacedPieces::Added(vec![outcome.piece])
            }
            _ => PlacedPieces::Rearranged,
        }
    }

    /// Elements behind those of a list, of which the first `stay` stay.
    fn add(&mut self, record: usize, at: &At, given: Option<&Value<'_>>, stay: Option<u64>) -> PlacedPieces {
        let stay = stay.and_then(|count| usize::try_from(count).ok()).unwrap_or(usize::MAX);
        let elements = given.map_or(&[][..], |given| given.as_array().unwrap_or(std::slice::from_ref(given)));
        match *at {
            At::Requests => {
                let is_cut = stay < self.requests.len();
                self.requests.truncate(stay);
                let is_request = |request: &&Value<'_>| request.as_object().is_some();
                let added: Vec<Request> =
                    elements.iter().filter(is_request).map(|request| Request::of(record, request)).collect();
                let pieces = added.iter().flat_map(Request::pieces).collect();
                self.requests.extend(added);
                if is_cut { PlacedPieces::Rearranged } else { PlacedPieces::Added(pieces) }
            }
            At::Response(place) => {
                let is_last = place + 1 == self.requests.len();
                let Some(request) = self.requests.get_mut(place) else { return PlacedPieces::Added(Vec::new()) };
                let is_cut = stay < request.parts.len();
                request.parts.truncate(stay);
                let added = parts_of(record, elements);
                request.parts.extend(&added);
                match request.result {
                    Some(outcome) if outcome.has_rounds => PlacedPieces::Added(Vec::new()),
                    None if is_last && !is_cut => PlacedPieces::Added(added),
                    _ => PlacedPieces::Rearranged,
                }
            }
            _ => PlacedPieces::Added(Vec::new()),
        }
    }

    fn remove(&mut self, at: &At) -> PlacedPieces {
        match *at {
            At::Requests => self.requests.clear(),
            At::Request(place) if place < self.requests.len() => drop(self.requests.remove(place)),
            At::Response(place) => {
                if let Some(request) = self.requests.get_mut(place) {
                    request.parts.clear();
                }
            }
            At::Part(place, part) => {
                let parts = self.requests.get_mut(place).map(|request| &mut request.parts);
                if let Some(parts) = parts.filter(|parts| part < parts.len()) {
                    parts.remove(part);
                }
            }
            At::Result(place) => {
                if let Some(request) = self.requests.get_mut(place) {
                    request.result = None;
                }
            }
            _ => return PlacedPieces::Added(Vec::new()),
        }
        PlacedPieces::Rearranged
    }
}
