//! D17: conversations of messages.

use super::entry::Entry;
use super::reading::{Reading, Way};
use super::report::Report;
use super::text;
use super::track::Track;
use crate::json::Value;
use crate::model::Role;
use std::borrow::Cow;

/// D17: a message, read.
#[derive(Debug, Clone)]
pub struct Message<'a> {
    /// The key of its speaker: `from`, else `role`.
    pub speaker_key: &'static str,
    /// Its speaker, as written.
    pub speaker: &'a str,
    /// Who that is.
    pub role: Role,
    /// The key of its text: the first of `value`, `content`, `text` that is not null, else the first that is there.
    pub text_key: Option<&'static str>,
    /// Its text, if that is a string or an array of parts; of a system message without, its `system_prompt`.
    pub text: Option<Cow<'a, str>>,
    /// Whether it is null: the key is there, the text is none, or stands in `system_prompt`.
    pub is_null: bool,
    /// Whether some part of it is not text, such as an image.
    pub has_other_parts: bool,
    /// How its calls are read.
    pub way: Way,
}

impl<'a> Message<'a> {
    /// D17: reads speaker and text of a message.
    #[must_use]
    pub fn of(value: &'a Value<'a>) -> Self {
        let speaker = |key: &'static str| value.get(key).and_then(Value::as_str).map(|text| (key, text));
        let (speaker_key, speaker) = speaker("from").or_else(|| speaker("role")).unwrap_or(("role", ""));
        let keys = ["value", "content", "text"].into_iter();
        let mut there = keys.filter_map(|key| value.get(key).map(|v| (key, v)));
        let first = there.clone().next();
        let found = there.find(|(_, v)| !v.is_null()).or(first);
        let role = role(speaker);
        let prompt = || value.get("system_prompt").filter(|_| role == Role::System).and_then(text::joined);
        Self {
            speaker_key,
            speaker,
            role,
            text_key: found.map(|(key, _)| key),
            text: found.and_then(|(_, v)| if v.is_null() { prompt() } else { text::joined(v) }),
            is_null: found.is_some_and(|(_, v)| v.is_null()),
            has_other_parts: found.is_some_and(|(_, v)| text::has_other_parts(v)),
            way: Way::Protocol,
        }
    }

    /// `FORMATS.md` 8: the same of a row's message; a text alone is said by `role`.
    #[must_use]
    pub fn of_row(value: &'a Value<'a>, role: Role) -> Self {
        let message = Self { way: Way::Formats, ..Self::of(value) };
        match value.as_str() {
            Some(text) => Self { role, text_key: Some(""), text: Some(Cow::Borrowed(text)), ..message },
            None => message,
        }
    }
}

/// D17: who a speaker is.
fn role(speaker: &str) -> Role {
    match speaker.to_lowercase().as_str() {
        "user" | "human" => Role::User,
        "gpt" | "assistant" | "ai" | "model" | "bot" | "function_call" => Role::Agent,
        "observation" | "tool" | "function" | "function_response" | "ipython" => Role::Environment,
        "system" | "developer" => Role::System,
        _ => Role::Unknown,
    }
}

/// D17: what is wrong with the conversations of a record.
pub(super) fn check(reading: &Reading<'_>, report: &mut Report) {
    reading.tracks.iter().for_each(|track| check_track(&reading.entries, track, report));
}

fn check_track(entries: &[Entry<'_>], track: &Track, report: &mut Report) {
    if track.steps.is_empty() {
        report.warning(None, track.list(), "sft.empty", "the conversation has no message");
    }
    let start = track.steps.start;
    let mut roles = Vec::with_capacity(track.steps.len());
    for step in track.steps.clone() {
        let Some(entry) = entries.get(step) else { continue };
        let super::entry::Body::Message(message) = &entry.body else { continue };
        roles.push(message.role);
        check_message(entry, message, step, &track.path(step), report);
    }
    if let Some(step) = first_out_of_turn(&roles).map(|step| start + step) {
        let asked = |step: usize| entries[step].answers(step);
        let message = match step.checked_sub(1).and_then(asked).filter(|asking| asked(step) == Some(*asking)) {
            Some(_) => "a second answer to calls made at once: right for templates that know such, others want turns",
            None => "the roles do not alternate here; not-agent and agent should take turns",
        };
        report.warning(Some(step), track.path(step), "sft.alternate", message);
    }
    if roles.last().is_some_and(|&role| role != Role::Agent) {
        let step = start + roles.len() - 1;
        let message = "the last message is not the agent's, so nothing is learned from it";
        report.warning(Some(step), track.path(step), "sft.last-not-agent", message);
    }
}

/// D17, D13: one message.
fn check_message(entry: &Entry<'_>, message: &Message<'_>, step: usize, path: &str, report: &mut Report) {
    let at = Some(step);
    if message.role == Role::Unknown {
        let text = format!("the speaker {:?} is none of the known ones", message.speaker);
        report.error(at, format!("{path}/{}", message.speaker_key), "sft.role", text);
    }
    match (message.text_key, &message.text) {
        (None, _) if entry.calls.is_empty() => {
            report.error(
                at,
                path.to_owned(),
                "sft.type",
                "the message has neither a text nor a call in `tool_calls` or `function_call`",
            );
        }
        (Some(key), said) if message.is_null => {
            let path = format!("{path}/{key}");
            match said {
                None => check_text(entry, "", step, &path, report),
                Some(_) => {
                    let text = "the text is null; its words stand in `system_prompt`, where most trainers do not look";
                    report.warning(at, path, "sft.empty", text);
                }
            }
        }
        (Some(key), None) => {
            let text = "the text is neither a string nor an array of parts";
            report.error(at, format!("{path}/{key}"), "sft.type", text);
        }
        (Some(""), Some(text)) => check_text(entry, text, step, path, report),
        (Some(key), Some(text)) => check_text(entry, text, step, &format!("{path}/{key}"), report),
        (None, _) => {}
    }
    report.control_chars(step, path, entry.value);
}

/// D17: the text of one message.
fn check_text(entry: &Entry<'_>, text: &str, step: usize, path: &str, report: &mut Report) {
    let mut warn = |rule, message| report.warning(Some(step), path.to_owned(), rule, message);
    if text::is_blank(text) && entry.calls.is_empty() && !has_other_parts(entry) {
        warn(
            "sft.empty",
            match entry.role {
                Role::Agent => {
                    "the agent's text is blank, and there is no call in `tool_calls` or `function_call`: a \
                     trainer that reads only those teaches to say nothing"
                }
                Role::Environment => "nothing came back: right for a tool that says nothing, else its output was lost",
                _ => "the text is blank, and there is no call in `tool_calls` or `function_call`",
            },
        );
    }
    if entry.role == Role::Agent {
        if text::has_broken_call(text) {
            warn("sft.call-syntax", "a call begins with <function= but none is whole up to </function>");
        }
        if text::has_think_token(text) {
            warn("sft.think-token", "the text holds a think tag, which trains the model to write it");
        }
    }
}

/// D17: whether a part of the message is not text: then it is not empty.
fn has_other_parts(entry: &Entry<'_>) -> bool {
    matches!(&entry.body, super::entry::Body::Message(message) if message.has_other_parts)
}

/// D17: after the leading system messages not-agent and agent take turns; an unknown role ends the search.
fn first_out_of_turn(roles: &[Role]) -> Option<usize> {
    let start = roles.iter().take_while(|&&r| r == Role::System).count();
    let known = roles[start..].iter().take_while(|&&r| r != Role::Unknown);
    known.enumerate().find(|&(i, &r)| (r == Role::Agent) != (i % 2 == 1)).map(|(i, _)| start + i)
}
