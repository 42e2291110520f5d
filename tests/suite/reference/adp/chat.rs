//! Chat records (D17, D19, D20).

use super::check::{Check, control, thinks};
use super::shape::{self, text};
use super::state::{self, Said, Steps, Writer, is_blank};
use crate::reference::json::{self, J};

/// A message, read.
struct Message<'a> {
    raw: &'a J,
    speaker_key: &'static str,
    role: &'static str,
    /// The key of its text.
    key: Option<&'static str>,
    text: Option<String>,
    /// Whether a part is not text.
    has_more: bool,
    /// Names and ids of its calls.
    calls: Vec<(String, Option<String>)>,
}

fn role(speaker: &str) -> &'static str {
    match speaker.to_lowercase().as_str() {
        "user" | "human" => "user",
        "gpt" | "assistant" | "ai" | "model" | "bot" | "function_call" => "agent",
        "observation" | "tool" | "function" | "function_response" | "ipython" => "environment",
        "system" | "developer" => "system",
        _ => "unknown",
    }
}

/// A string, or the `text` strings of its parts.
pub(super) fn joined(value: &J) -> Option<String> {
    match value {
        J::Str(s) => Some(s.clone()),
        J::Arr(parts) => Some(parts.iter().filter_map(|p| text(p, "text")).collect::<Vec<_>>().join("\n")),
        _ => None,
    }
}

fn call_of(value: &J, may_be_inside: bool) -> Option<(String, Option<String>)> {
    let read = value.str().map(json::parse);
    let value = match &read {
        Some(read) => read.as_ref()?,
        None => value,
    };
    let inside = value.get("function").filter(|_| may_be_inside).and_then(|f| text(f, "name"));
    let name = inside.or_else(|| text(value, "name"))?;
    Some((name.to_owned(), text(value, "id").map(str::to_owned)))
}

/// The name behind the first `<function=`.
fn written(said: &str) -> Option<&str> {
    said.match_indices("<function=").find_map(|(at, mark)| {
        let name = said[at + mark.len()..].split_once('>')?.0;
        (!name.is_empty()).then_some(name)
    })
}

impl<'a> Message<'a> {
    fn of(raw: &'a J) -> Self {
        let speaker_key = if text(raw, "from").is_some() { "from" } else { "role" };
        let speaker = text(raw, speaker_key).unwrap_or("");
        let keys = ["value", "content", "text"];
        let key = keys.into_iter().find(|k| raw.some(k).is_some()).or(keys.into_iter().find(|k| raw.get(k).is_some()));
        let value = key.and_then(|key| raw.get(key));
        let is_other =
            |part: &J| part.obj().is_none() || (text(part, "text").is_none() && text(part, "type") != Some("text"));
        let mut message = Self {
            raw,
            speaker_key,
            role: role(speaker),
            key,
            text: value.and_then(joined),
            has_more: value.and_then(J::arr).is_some_and(|parts| parts.iter().any(is_other)),
            calls: Vec::new(),
        };
        message.calls = message.calls(speaker);
        message
    }

    /// D17, exactly.
    fn calls(&self, speaker: &str) -> Vec<(String, Option<String>)> {
        let listed = self.raw.get("tool_calls").and_then(J::arr).into_iter().flatten();
        let listed: Vec<_> = listed.filter_map(|one| call_of(one, true)).collect();
        if !listed.is_empty() {
            return listed;
        }
        if let Some(one) = self.raw.get("function_call").and_then(|one| call_of(one, false)) {
            return vec![one];
        }
        let said = self.text.as_deref().unwrap_or("");
        if speaker.to_lowercase() == "function_call"
            && let Some(value @ (J::Obj(_) | J::Arr(_))) = json::parse(said)
        {
            let all = value.arr().cloned().unwrap_or_else(|| vec![value.clone()]);
            let all: Vec<_> =
                all.iter().filter(|one| one.obj().is_some()).filter_map(|one| call_of(one, false)).collect();
            if !all.is_empty() {
                return all;
            }
        }
        let named = written(said).filter(|_| self.role == "agent");
        named.map(|name| (name.to_owned(), None)).into_iter().collect()
    }

    fn is_agent(&self) -> bool {
        self.role == "agent"
    }
}

fn messages(record: &J) -> (&'static str, Vec<Message<'_>>) {
    let (key, all) = shape::messages(record).expect("a chat record");
    (key, all.iter().map(Message::of).collect())
}

pub(super) fn check(check: &mut Check, record: &J) {
    let (list, all) = messages(record);
    if all.is_empty() {
        check.report(&format!("/{list}"), "sft.empty", "warning");
    }
    for (i, message) in all.iter().enumerate() {
        check.step = Some(i);
        message_of(check, message, &format!("/{list}/{i}"));
    }
    let start = all.iter().take_while(|m| m.role == "system").count();
    for (turn, message) in all[start..].iter().enumerate() {
        if message.role == "unknown" {
            break;
        }
        if message.is_agent() != (turn % 2 == 1) {
            check.step = Some(start + turn);
            check.report(&format!("/{list}/{}", start + turn), "sft.alternate", "warning");
            break;
        }
    }
    if all.last().is_some_and(|last| !last.is_agent()) {
        check.step = Some(all.len() - 1);
        check.report(&format!("/{list}/{}", all.len() - 1), "sft.last-not-agent", "warning");
    }
}

fn message_of(check: &mut Check, message: &Message<'_>, at: &str) {
    if message.role == "unknown" {
        check.report(&format!("{at}/{}", message.speaker_key), "sft.role", "error");
    }
    let path = message.key.map(|key| format!("{at}/{key}"));
    match (&path, &message.text) {
        (None, _) if message.calls.is_empty() => check.report(at, "sft.type", "error"),
        (None, _) => {}
        (Some(path), None) if message.key.is_some_and(|key| message.raw.some(key).is_some()) => {
            check.report(path, "sft.type", "error");
        }
        (Some(path), said) => {
            let said = said.as_deref().unwrap_or("");
            if is_blank(said) && message.calls.is_empty() && !message.has_more {
                check.report(path, "sft.empty", "warning");
            }
            if message.is_agent() && said.contains("<function=") && !has_whole_call(said) {
                check.report(path, "sft.call-syntax", "warning");
            }
            if message.is_agent() && thinks(said) {
                check.report(path, "sft.think-token", "warning");
            }
        }
    }
    if let Some(path) = control(message.raw, at) {
        check.report(&path, "adp.control-chars", "warning");
    }
}

fn has_whole_call(said: &str) -> bool {
    said.match_indices("<function=").any(|(at, mark)| {
        let rest = said[at + mark.len()..].split_once('>');
        rest.is_some_and(|(name, rest)| !name.is_empty() && rest.contains("</function>"))
    })
}

/// D19, D20.
pub(super) fn steps(record: &J) -> Steps {
    let mut writer = Writer::default();
    state::head(&mut writer, record);
    if let Some(prompt) = text(record, "system") {
        writer.set("conversation", "main", "system_prompt", state::digest(prompt));
    }
    let before = writer.state.clone();
    let (_, all) = messages(record);
    let (mut out, mut answered) = (Vec::new(), Vec::new());
    for (i, message) in all.iter().enumerate() {
        (writer.step, writer.written) = (Some(i), Vec::new());
        writer.turn(message.role, i.checked_sub(1).is_some_and(|p| all[p].is_agent()));
        message.calls.iter().for_each(|(tool, _)| writer.call(tool, None));
        let found = answer(&all, i, &answered);
        if let Some((call, place)) = found {
            answered.push((call, place));
            writer.answer(&all[call].calls[place].0);
        }
        if let Some(said) = message.text.as_deref().filter(|_| message.role == "environment" || found.is_some()) {
            writer.set("env", "text", "content", state::digest(said));
        }
        let reward = message.raw.get("reward").and_then(state::number).map(|(reward, _)| reward);
        reward.into_iter().for_each(|reward| writer.reward(reward));
        let thought = message.text.as_deref().unwrap_or("").split("<function=").next().unwrap_or("");
        let said = Said {
            kind: "message",
            class: J::string("chat_message"),
            role: message.role.to_owned(),
            calls: message.calls.iter().map(|(tool, _)| tool.clone()).collect(),
            has_thought: !is_blank(thought),
            answers: found.map(|(call, _)| call),
            chars: state::chars(message.raw, &["from", "role", "tool_call_id"]),
            reward,
        };
        out.push(said.step(i, &mut writer));
    }
    (before, out)
}

/// D19: the message that a message answers, and which of its calls.
fn answer(all: &[Message<'_>], i: usize, answered: &[(usize, usize)]) -> Option<(usize, usize)> {
    let message = &all[i];
    if !["user", "environment"].contains(&message.role) || !message.calls.is_empty() {
        return None;
    }
    let is_open = |at: &(usize, usize)| !answered.contains(at);
    match text(message.raw, "tool_call_id") {
        Some(id) => {
            let mut places = (0..i).flat_map(|m| (0..all[m].calls.len()).map(move |place| (m, place)));
            places.rfind(|(m, place)| all[*m].calls[*place].1.as_deref() == Some(id)).filter(is_open)
        }
        None => {
            let before = i.checked_sub(1)?;
            (0..all[before].calls.len()).map(|place| (before, place)).find(is_open)
        }
    }
}
