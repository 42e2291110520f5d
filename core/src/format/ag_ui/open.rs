//! Messages, thoughts and calls that a stream reports in pieces: a start, contents, an end.

use crate::format::log::{Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, first, first_text, text_of};
use crate::json::{self, Value};
use crate::model::{StepNo, StepRole, ToolCall, ToolResult, Turn, TurnPart};
use std::borrow::Cow;
use std::collections::HashMap;

/// The event that starts a message, then what it says piece by piece.
const MESSAGE_TEXT: Form = FIRST_ADAPTER_FORM;
/// The event that starts a thought, then its pieces.
const THOUGHT: Form = FIRST_ADAPTER_FORM + 1;
/// The event that starts a call, then the pieces of its arguments.
const CALL: Form = FIRST_ADAPTER_FORM + 2;
/// What came back from a call.
pub(super) const RESULT: Form = FIRST_ADAPTER_FORM + 3;

/// What the pieces belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Channel {
    Text,
    Thought,
    Call,
}

/// The names of a member in the two spellings.
pub(super) const MESSAGE_ID: [&str; 2] = ["messageId", "message_id"];
pub(super) const CALL_ID: [&str; 2] = ["toolCallId", "tool_call_id"];
pub(super) const CALL_NAME: [&str; 2] = ["toolCallName", "tool_call_name"];

/// Messages, thoughts and calls that have begun and not ended.
#[derive(Default)]
pub(super) struct Open {
    all: HashMap<(Channel, Box<str>), OpenItem>,
    /// The message or the thought that chunks began, which have no end of their own.
    words: Option<(Channel, Box<str>)>,
    /// The calls that chunks began, in order: pieces of several calls may alternate. Some may have ended.
    calls: Vec<Box<str>>,
    /// What chunks began and another event ended: a later chunk continues it. The effects of a call are written then.
    ended: HashMap<(Channel, Box<str>), OpenItem>,
}

struct OpenItem {
    step: StepNo,
    role: StepRole,
    id: Box<str>,
    name: Box<str>,
    text: String,
}

impl OpenItem {
    /// The text of the step, when all pieces have arrived.
    fn turn(&self, channel: Channel) -> Turn<'_> {
        let part = match channel {
            Channel::Text => TurnPart::Text(Cow::Borrowed(&self.text)),
            Channel::Thought => TurnPart::Thought(Cow::Borrowed(&self.text)),
            Channel::Call => TurnPart::Call(ToolCall {
                id: (!self.id.is_empty()).then_some(Cow::Borrowed(&*self.id)),
                name: Cow::Borrowed(&self.name),
                arguments: arguments(&self.text),
            }),
        };
        Turn::of(self.role, vec![part])
    }
}

/// The pieces of arguments are JSON text; anything else is a text.
fn arguments(text: &str) -> Cow<'static, str> {
    match json::parse(text) {
        Ok(_) => Cow::Owned(text.to_owned()),
        Err(_) if text.is_empty() => Cow::Borrowed("{}"),
        Err(_) => Cow::Owned(json::quote(text)),
    }
}

impl Open {
    /// The id of the message, thought or call that an event is a piece of.
    fn id<'v>(channel: Channel, event: &'v Value<'_>) -> &'v str {
        let names = if channel == Channel::Call { &CALL_ID } else { &MESSAGE_ID };
        first_text(event, names).unwrap_or_default()
    }

    /// Begins a message, thought or call. One that is open under the same id ends.
    pub(super) fn start(&mut self, channel: Channel, event: &Value<'_>, class: &str, log: &mut Log<'_>) {
        let id = Self::id(channel, event);
        self.close(channel, id, log);
        self.ended.remove(&(channel, Box::from(id)));
        let (kind, form) = match channel {
            Channel::Text => (Kind::Message, MESSAGE_TEXT),
            Channel::Thought => (Kind::Thought, THOUGHT),
            Channel::Call => (Kind::Call, CALL),
        };
        let role = match channel {
            Channel::Text => role(event),
            _ => StepRole::Agent,
        };
        let (values, time) = ([event], event.get("timestamp"));
        let step = log.open(&Draft { role, class: Some(class), time, ..Draft::of(kind, form, &values) });
        let name = first_text(event, &CALL_NAME).unwrap_or("?");
        if channel == Channel::Call {
            log.calls_tool(step, name);
        }
        let begun = OpenItem { step, role, id: id.into(), name: name.into(), text: String::new() };
        self.all.insert((channel, id.into()), begun);
    }

    /// Adds a piece. A piece without a start begins its message, thought or call; one without an id continues what the
    /// chunk before it belongs to.
    pub(super) fn piece(&mut self, channel: Channel, event: &Value<'_>, class: &str, log: &mut Log<'_>) {
        let id = Self::id(channel, event);
        let chunk = if id.is_empty() { self.last_chunk(channel) } else { None };
        let key = (channel, chunk.unwrap_or_else(|| Box::from(id)));
        let delta = event.get("delta").filter(|delta| !delta.is_null());
        if let Some(call) = self.ended.get(&key).filter(|_| channel == Channel::Call && !id.is_empty()) {
            delta.into_iter().for_each(|delta| log.extend(call.step, delta));
            return;
        }
        if !self.all.contains_key(&key) {
            match self.ended.remove(&key).filter(|_| !id.is_empty()) {
                Some(begun) => drop(self.all.insert(key.clone(), begun)),
                None => self.start(channel, event, class, log),
            }
            match channel {
                Channel::Call => self.calls.push(key.1.clone()),
                _ => self.words = Some(key.clone()),
            }
        }
        if let (Some(begun), Some(delta)) = (self.all.get_mut(&key), delta) {
            begun.text.push_str(&text_of(delta));
            log.extend(begun.step, delta);
        }
    }

    /// Ends what chunks began, if the next event is not part of it. Calls may alternate, and continue behind an event
    /// that is no part of a message.
    pub(super) fn end_chunks(&mut self, channel: Option<Channel>, event: &Value<'_>, log: &mut Log<'_>) {
        let goes_on = |(of, id): &mut (Channel, Box<str>)| {
            let next = Self::id(*of, event);
            channel == Some(*of) && (next.is_empty() || next == &**id)
        };
        let words = if self.words.as_mut().is_some_and(goes_on) { None } else { self.words.take() };
        let are_over = channel.is_some_and(|channel| channel != Channel::Call);
        let calls = if are_over { std::mem::take(&mut self.calls) } else { Vec::new() };
        for (of, id) in words.into_iter().chain(calls.into_iter().map(|id| (Channel::Call, id))) {
            if let Some(begun) = self.close(of, &id, log) {
                self.ended.insert((of, id), begun);
            }
        }
    }

    /// The id of what chunks began last and nothing ended.
    fn last_chunk(&mut self, channel: Channel) -> Option<Box<str>> {
        if channel == Channel::Call {
            while self.calls.last().is_some_and(|id| !self.all.contains_key(&(channel, id.clone()))) {
                self.calls.pop();
            }
            return self.calls.last().cloned();
        }
        let is_open = |words: &&(Channel, Box<str>)| words.0 == channel && self.all.contains_key(*words);
        self.words.as_ref().filter(is_open).map(|(_, id)| id.clone())
    }

    /// The end that an event reports.
    pub(super) fn end(&mut self, channel: Channel, event: &Value<'_>, log: &mut Log<'_>) {
        self.close(channel, Self::id(channel, event), log);
    }

    fn close(&mut self, channel: Channel, id: &str, log: &mut Log<'_>) -> Option<OpenItem> {
        let begun = self.all.remove(&(channel, Box::from(id)))?;
        log.close(begun.step, &begun.turn(channel));
        Some(begun)
    }

    /// A call is whole when its result comes.
    pub(super) fn close_call(&mut self, id: &str, log: &mut Log<'_>) {
        self.close(Channel::Call, id, log);
        self.ended.remove(&(Channel::Call, Box::from(id)));
    }

    /// The run ends, and with it all that is open.
    pub(super) fn close_all(&mut self, log: &mut Log<'_>) {
        let mut all: Vec<_> = self.all.drain().collect();
        all.sort_by_key(|(_, begun)| begun.step);
        for ((channel, _), begun) in all {
            log.close(begun.step, &begun.turn(channel));
        }
        self.words = None;
        self.calls.clear();
        self.ended.clear();
    }
}

fn role(event: &Value<'_>) -> StepRole {
    first_text(event, &["role"]).map_or(StepRole::Agent, crate::format::log::role_of)
}

/// The text of a step: its pieces joined.
pub(super) fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
    let Some((&event, pieces)) = values.split_first() else { return Turn::default() };
    let joined = || pieces.iter().map(|piece| text_of(piece)).collect::<Vec<_>>().concat();
    match form {
        MESSAGE_TEXT => Turn::of(role(event), vec![TurnPart::Text(Cow::Owned(joined()))]),
        THOUGHT => Turn::of(StepRole::Agent, vec![TurnPart::Thought(Cow::Owned(joined()))]),
        CALL => {
            let call = ToolCall {
                id: first_text(event, &CALL_ID).map(Cow::Borrowed),
                name: first_text(event, &CALL_NAME).unwrap_or("?").into(),
                arguments: arguments(&joined()),
            };
            Turn::of(StepRole::Agent, vec![TurnPart::Call(call)])
        }
        RESULT => {
            let result = ToolResult {
                id: first_text(event, &CALL_ID).map(Cow::Borrowed),
                text: first(event, &["content", "result"]).map(text_of).unwrap_or_default(),
                ..ToolResult::default()
            };
            Turn::of(StepRole::Environment, vec![TurnPart::Result(result)])
        }
        _ => crate::format::log::show(form, values),
    }
}
