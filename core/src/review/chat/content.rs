//! What a message says: a text, or parts of which some are not text (pictures, files).

use super::call::{self, Call};
use super::message_text::{Left, Member, is_nothing, lose, lose_all, rest};
use crate::json::{self, Value};
use crate::rules::trajectory::blocks::{Block, RESULT_IDS, RESULT_TEXTS, THOUGHT_TEXTS, block, response};
use crate::rules::trajectory::named_parts;

/// A part that a content keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ContentPart {
    Text(String),
    /// A picture, a file, what nobody knows: its type, and it as written.
    Other(String, String),
}

/// The content of a message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::review) struct Content {
    parts: Vec<ContentPart>,
    /// Whether it is written as a list of parts as OpenAI spells them.
    pub(super) is_list: bool,
}

/// A part as it is read.
pub(super) enum Piece {
    /// A text; whether it is spelt as OpenAI spells it.
    Text(String, bool),
    Other(Content),
    Thought(String),
    Calls(Vec<Call>),
    Result(Answer),
    /// The schemas of the tools, as JSON.
    Tools(String),
}

/// What came back of a call.
pub(super) struct Answer {
    pub(super) id: Option<String>,
    pub(super) content: Content,
    pub(super) others: Vec<Member>,
}

impl Content {
    /// A text.
    pub(super) fn text(text: &str) -> Self {
        Self { parts: vec![ContentPart::Text(text.to_owned())], is_list: false }
    }

    /// A picture at an address, as OpenAI spells it.
    pub(super) fn picture(address: &str) -> Self {
        let part = format!("{{\"type\":\"image_url\",\"image_url\":{{\"url\":{}}}}}", json::quote(address));
        Self { parts: vec![ContentPart::Other("image_url".to_owned(), part)], is_list: false }
    }

    /// Whether it is a picture alone.
    pub(super) fn is_picture(&self) -> bool {
        matches!(&*self.parts, [ContentPart::Other(kind, _)] if kind == "image_url")
    }

    /// Of a value: a string, a list of parts, or anything else as JSON.
    pub(super) fn of(value: &Value<'_>, left: &mut Left) -> Self {
        match value.as_array() {
            None if value.is_null() => Self::default(),
            None => Self::text(&plain(value)),
            Some(parts) => {
                let mut out = Self::default();
                for part in parts {
                    match piece(part, left) {
                        Piece::Text(text, _) => out.push(Self::text(&text)),
                        Piece::Other(other) => out.push(other),
                        _ => out.push(other(part)),
                    }
                }
                out
            }
        }
    }

    /// Whether it says nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, ContentPart::Text(text) if text.is_empty()))
    }

    pub(super) fn push(&mut self, more: Self) {
        self.parts.extend(more.parts);
    }

    /// D17: its texts, joined by a newline; None if it has none.
    pub(in crate::review) fn joined(&self) -> Option<String> {
        let text = |part: &ContentPart| match part {
            ContentPart::Text(text) => Some(text.clone()),
            ContentPart::Other(..) => None,
        };
        let texts: Vec<String> = self.parts.iter().filter_map(text).collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }

    /// Counts the parts that a text cannot carry.
    pub(super) fn lose_parts(&self, left: &mut Left) {
        for part in &self.parts {
            if let ContentPart::Other(kind, _) = part {
                lose(left, "part", kind);
            }
        }
    }

    /// As JSON: a string, a list of parts if some are not text or `keeps_list` and it is written as one, or null.
    pub(super) fn to_json(&self, keeps_list: bool) -> String {
        let is_list =
            keeps_list && self.is_list || self.parts.iter().any(|part| matches!(part, ContentPart::Other(..)));
        let part = |part: &ContentPart| match part {
            ContentPart::Text(text) => format!("{{\"type\":\"text\",\"text\":{}}}", json::quote(text)),
            ContentPart::Other(_, json) => json.clone(),
        };
        match self.joined() {
            _ if is_list => format!("[{}]", self.parts.iter().map(part).collect::<Vec<_>>().join(",")),
            Some(text) => json::quote(&text),
            None => "null".to_owned(),
        }
    }
}

/// A string as it reads, anything else as JSON.
pub(super) fn plain(value: &Value<'_>) -> String {
    value.as_str().map_or_else(|| json::compact(value), str::to_owned)
}

/// A text, or the texts of a list of parts that are nothing else, joined by a newline.
pub(in crate::review) fn words(value: &Value<'_>) -> Option<String> {
    let Some(parts) = value.as_array() else { return value.as_str().map(str::to_owned) };
    let mut left = Left::new();
    let text = |part: &Value<'_>| match piece(part, &mut left) {
        Piece::Text(text, _) if left.is_empty() => Some(text),
        _ => None,
    };
    let texts: Option<Vec<String>> = parts.iter().map(text).collect();
    texts.filter(|texts| !texts.is_empty()).map(|texts| texts.join("\n"))
}

fn other(part: &Value<'_>) -> Content {
    let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
    Content { parts: vec![ContentPart::Other(kind.to_owned(), json::compact(part))], is_list: false }
}

/// A part of a message. What of it is not carried over is counted.
pub(super) fn piece(part: &Value<'_>, left: &mut Left) -> Piece {
    if let Some(text) = part.as_str() {
        return Piece::Text(text.to_owned(), false);
    }
    if let Some(value) = named_parts::json(part) {
        return Piece::Text(json::compact(value), false);
    }
    if let Some((words, (holder, name))) = named_parts::thought(part).zip(named_parts::thought_member(part)) {
        lose_all(left, "part", &rest(holder, &[name]));
        return Piece::Thought(words.into_owned());
    }
    let is_text = part.get("type").and_then(Value::as_str) == Some("text");
    let value = |keys: &[&'static str]| {
        keys.iter().find_map(|key| part.get(key).filter(|found| !found.is_null()).map(|found| (*key, found)))
    };
    let text = |keys: &[&'static str]| value(keys).and_then(|(key, found)| Some((key, words(found)?)));
    let kind = block(part);
    let (keys, is_thought): (&[&'static str], bool) = match kind {
        Block::Call => return call::all(part).map_or_else(|| Piece::Other(other(part)), Piece::Calls),
        Block::Result => return Piece::Result(result(part, left)),
        Block::Thought => (&THOUGHT_TEXTS, true),
        Block::Text if is_text => (&["text", "value"], false),
        Block::Text | Block::Tools | Block::File => (&["text"], false),
    };
    match text(keys) {
        Some((key, content)) if is_thought || part.get(key).is_some_and(|v| v.as_str().is_some()) => {
            let mark = if is_thought { "thought" } else { "type" };
            let used =
                ["type", key].into_iter().chain(part.get(mark).filter(|mark| mark.as_bool().is_some()).map(|_| mark));
            lose_all(left, "part", &rest(part, &used.collect::<Vec<_>>()));
            if is_thought { Piece::Thought(content) } else { Piece::Text(content, key == "text") }
        }
        _ => match value(&["value"]).filter(|_| kind == Block::Tools) {
            Some((key, tools)) => {
                lose_all(left, "part", &rest(part, &["type", key]));
                Piece::Tools(json::compact(tools))
            }
            None => Piece::Other(other(part)),
        },
    }
}

/// What a part says of itself that is a result within it: its type, and the id of the call.
const PART_MEMBERS: [&str; 3] = ["type", "id", "toolUseID"];

fn result(part: &Value<'_>, left: &mut Left) -> Answer {
    if let Some(response) = response(part) {
        lose_all(left, "part", &rest(part, &[&PART_MEMBERS[..], &[response.key]].concat()));
        let others = rest(response.value, response.used).into_iter().filter(|(_, json)| !is_nothing(json));
        let failed = response.is_error.filter(|failed| *failed && response.value.get("status").is_none());
        let failed = failed.map(|_| ("is_error".to_owned(), "true".to_owned()));
        let exit = response.exit.map(|exit| ("exit_code".to_owned(), exit.to_string()));
        return Answer {
            id: response.id.map(str::to_owned),
            content: response.output.map_or_else(Content::default, |output| Content::of(output, left)),
            others: others.chain(failed).chain(exit).collect(),
        };
    }
    let id_key = RESULT_IDS.iter().find(|key| part.get(key).is_some_and(|id| id.as_str().is_some()));
    let text_key = RESULT_TEXTS.iter().find(|key| part.get(key).is_some_and(|text| !text.is_null()));
    let content = text_key.and_then(|key| part.get(key)).map_or_else(Content::default, |v| Content::of(v, left));
    let used: Vec<&str> = ["type"].into_iter().chain(id_key.copied()).chain(text_key.copied()).collect();
    Answer {
        id: id_key.and_then(|key| part.get(key)).and_then(Value::as_str).map(str::to_owned),
        content,
        others: rest(part, &used).into_iter().filter(|(_, json)| !is_nothing(json)).collect(),
    }
}
