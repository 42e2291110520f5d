//! D17: the messages of a conversation. One with answers to calls among its parts is several.

use super::call::{self, Call};
use super::content::{Content, Piece, piece, plain, words};
use super::message_text::{ChatMessage, Id, Left, Member, count, is_loss, lose, rest};
use crate::json::Value;
use crate::model::StepRole;
use crate::rules::trajectory::blocks::REASONING;
use crate::rules::trajectory::call::LISTS;
use crate::rules::trajectory::{Message, before_call, behind_calls, blocks, says_calls};

/// A message as one or several; the schemas of tools that are among its parts.
pub(super) fn chat_messages(
    value: &Value<'_>,
    message: &Message<'_>,
    step: usize,
    left: &mut Left,
) -> (Vec<ChatMessage>, Option<String>) {
    let mut used: Vec<&str> = [message.speaker_key].into_iter().chain(message.text_key).collect();
    let mut now = ChatMessage::new(Some(step), message.role, message.speaker);
    let is_role = message.speaker_key == "role" && message.speaker != now.name;
    now.written_role = is_role.then(|| message.speaker.to_owned());
    now.is_null = message.is_null;
    let thought = REASONING.iter().find_map(|key| Some((*key, words(value.get(key)?).filter(|t| !t.is_empty())?)));
    if let Some((key, text)) = thought {
        now.reason(&text);
        used.push(key);
    }
    let mut listed: Vec<Call> = Vec::new();
    for key in LISTS {
        let Some(calls) = value.get(key).and_then(call::all).filter(|calls| !calls.is_empty()) else { continue };
        // D17: the same call in two spellings is one.
        if listed.is_empty() {
            used.push(key);
            listed = calls;
        } else if calls.iter().all(|call| listed.iter().any(|known| known.is_same(call))) {
            used.push(key);
        }
    }
    let answers = value.get("tool_call_id").and_then(Value::as_str).filter(|_| message.role == StepRole::Environment);
    used.extend(answers.map(|_| "tool_call_id"));
    now.answers = answers.map(Id::recorded);
    let prompt =
        value.get("system_prompt").filter(|_| message.is_null && message.role == StepRole::System).and_then(words);
    used.extend(prompt.as_ref().map(|_| "system_prompt"));
    let is_item = blocks::item(value).is_some();
    let pieces = match prompt {
        Some(prompt) => vec![Piece::Text(prompt, true)],
        None if is_item => vec![piece(value, left)].into_iter().filter(|piece| !is_bare(piece, left)).collect(),
        None => pieces(value, message, &mut now, left),
    };
    now.written = now.written.filter(|_| listed.is_empty());
    let (mut turns, tools) = turns(pieces, now, left);
    if is_item {
        turns.retain(|turn| turn.answers.is_some() || !turn.is_empty());
    }
    let is_new =
        |call: &Call| !turns.iter().flat_map(|turn: &ChatMessage| &turn.calls).any(|known| known.is_same(call));
    let listed: Vec<Call> = listed.into_iter().filter(is_new).collect();
    if let Some(last) = turns.last_mut() {
        last.calls.extend(listed);
    }
    if let [only] = turns.as_mut_slice() {
        only.order = order(value, message);
    }
    // What trains is said of all of the message, everything else once.
    let mut others = if is_item { Vec::new() } else { rest(value, &used) };
    let loss: Vec<Member> = others.iter().filter(|(name, _)| is_loss(name)).cloned().collect();
    for turn in &mut turns {
        turn.others.extend(std::mem::replace(&mut others, loss.clone()));
    }
    (turns, tools)
}

/// The names of the members of a message, as `messages` call them.
fn order(value: &Value<'_>, message: &Message<'_>) -> Vec<Box<str>> {
    let name = |(name, _): (&str, &Value<'_>)| match name {
        _ if name == message.speaker_key => "role".into(),
        _ if Some(name) == message.text_key => "content".into(),
        _ if REASONING.contains(&name) => REASONING[0].into(),
        _ => name.into(),
    };
    value.as_object().into_iter().flat_map(|object| object.entries()).map(name).collect()
}

/// Whether an item has nothing that a message carries: thoughts that are not reported.
fn is_bare(piece: &Piece, left: &mut Left) -> bool {
    let is_bare = matches!(piece, Piece::Other(_));
    if is_bare {
        lose(left, "message", "item");
    }
    is_bare
}

/// The parts of a message; a text is one.
fn pieces(value: &Value<'_>, message: &Message<'_>, now: &mut ChatMessage, left: &mut Left) -> Vec<Piece> {
    let content = message.text_key.and_then(|key| if key.is_empty() { Some(value) } else { value.get(key) });
    let Some(content) = content else { return Vec::new() };
    if let Some(parts) = content.as_array() {
        let pieces: Vec<Piece> = parts.iter().map(|part| piece(part, left)).collect();
        now.content.is_list = message.text_key != Some("parts")
            && pieces.iter().all(|piece| matches!(piece, Piece::Text(_, true) | Piece::Other(_)));
        return pieces;
    }
    let is_call = says_calls(message.speaker);
    now.written = content.as_str().filter(|_| is_call).map(str::to_owned);
    let calls = if is_call { call::all(content) } else { None };
    let written =
        || content.as_str().filter(|_| is_call).map(|text| (before_call(text).trim_end(), call::written(text)));
    let printed = || content.as_str().filter(|_| is_call).map(call::printed).filter(|calls| !calls.is_empty());
    match calls.filter(|calls| !calls.is_empty()) {
        Some(calls) => vec![Piece::Calls(calls)],
        None if content.is_null() => Vec::new(),
        None if written().is_some_and(|(_, calls)| !calls.is_empty()) => {
            let (words, calls) = written().unwrap_or_default();
            let words = (!words.is_empty()).then(|| Piece::Text(words.to_owned(), true));
            let behind = content.as_str().map(behind_calls).filter(|words| !words.is_empty());
            let behind = behind.map(|words| Piece::Text(words, true));
            words.into_iter().chain([Piece::Calls(calls)]).chain(behind).collect()
        }
        None => vec![printed().map_or_else(|| Piece::Text(plain(content), true), Piece::Calls)],
    }
}

/// The parts in order: an answer to a call is a message of its own.
fn turns(pieces: Vec<Piece>, mut now: ChatMessage, left: &mut Left) -> (Vec<ChatMessage>, Option<String>) {
    let (mut turns, mut tools) = (Vec::new(), None);
    for piece in pieces {
        match piece {
            Piece::Text(text, _) => {
                if !now.calls.is_empty() && !text.trim().is_empty() {
                    count(left, "place of a text behind a call");
                }
                now.content.push(Content::text(&text));
            }
            Piece::Other(part) => now.content.push(part),
            Piece::Thought(text) => now.reason(&text),
            Piece::Calls(calls) => now.calls.extend(calls),
            Piece::Tools(schemas) => {
                if tools.replace(schemas).is_some() {
                    lose(left, "part", "tools");
                }
            }
            Piece::Result(answer) => {
                let mut result = ChatMessage::new(now.step, StepRole::Environment, "");
                result.content = answer.content;
                result.answers = answer.id.as_deref().map(Id::recorded).or_else(|| now.answers.clone());
                result.others = answer.others;
                let next =
                    ChatMessage { answers: now.answers.clone(), ..ChatMessage::new(now.step, now.role, &now.name) };
                let before = std::mem::replace(&mut now, next);
                turns.extend(Some(before).filter(|before| !before.is_empty()));
                turns.push(result);
            }
        }
    }
    if !now.is_empty() || turns.is_empty() {
        turns.push(now);
    } else if now.answers.is_some() && turns.iter().all(|turn| turn.answers != now.answers) {
        lose(left, "message", "tool_call_id");
    }
    (turns, tools)
}
