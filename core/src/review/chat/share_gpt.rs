//! Conversations as ShareGPT, as the SFT records of the Agent Data Protocol have it (D17): calls are
//! `<function=NAME>` in the text of `function_call` turns, results are `observation` turns, and one side does not
//! speak twice.

use super::call::Call;
use super::content::plain;
use super::dialogue::Dialogue;
use super::json_writer::Object;
use super::message_text::{ChatMessage, Id, Left, Member, count, is_loss, lose, lose_all};
use super::result_order::order_results;
use crate::json::{self, Value};
use crate::model::StepRole;
use std::fmt::Write;

/// A turn as it is written.
struct Turn {
    role: StepRole,
    from: String,
    value: String,
    /// Whether it is a call in JSON, as the record has it: among other words nobody could read it.
    is_json: bool,
    /// The fields that say whether it is trained, as written.
    loss: Vec<Member>,
}

/// A record of ShareGPT.
pub(super) fn row(mut dialogue: Dialogue) -> (String, Left) {
    order_results(&mut dialogue.turns);
    let mut left = dialogue.left;
    let (mut system, mut turns): (Vec<String>, Vec<Turn>) = (Vec::new(), Vec::new());
    for message in &dialogue.turns {
        lose_beside(message, &mut left);
        if message.role == StepRole::System && turns.is_empty() && message.calls.is_empty() {
            lose_all(&mut left, "message", message.loss());
            system.push(message.content.joined().unwrap_or_default());
            continue;
        }
        let turn = Turn::of(message);
        if turn.value.trim().is_empty() && !message.is_empty() {
            count(&mut left, "words of a message, which is blank now");
        }
        match turns.last_mut().filter(|before| before.is_joined_by(&turn)) {
            Some(before) => {
                count(&mut left, "bound of turns of one side, joined");
                before.join(&turn);
            }
            None => turns.push(turn),
        }
    }
    let mut out = Object::default();
    if let Some(id) = &dialogue.id {
        out.put("id", id);
    }
    if !system.is_empty() {
        out.put("system", &json::quote(&system.join("\n\n")));
    }
    let turns: Vec<String> = turns.iter().map(Turn::text).collect();
    out.put("conversations", &format!("[{}]", turns.join(",")));
    if let Some(tools) = &dialogue.tools {
        // Readers of this shape take the schemas as JSON in a string.
        out.put("tools", &if tools.starts_with('"') { tools.clone() } else { json::quote(tools) });
    }
    out.put_rest("record", &dialogue.others, &mut left);
    (out.end(), left)
}

/// Counts what a turn has no place for.
fn lose_beside(message: &ChatMessage, left: &mut Left) {
    message.content.lose_parts(left);
    if message.reasoning.is_some() {
        lose(left, "message", "reasoning_content");
    }
    let is_recorded = |id: &Option<Id>| id.as_ref().is_some_and(|id| !id.is_generated);
    for call in &message.calls {
        if is_recorded(&call.id) {
            lose(left, "call", "id");
        }
        lose_all(left, "call", &call.others);
    }
    if is_recorded(&message.answers) {
        lose(left, "message", "tool_call_id");
    }
    lose_all(left, "message", message.others.iter().filter(|(name, _)| !is_loss(name)));
}

impl Turn {
    fn of(message: &ChatMessage) -> Self {
        let is_call = !message.calls.is_empty() || message.written.is_some();
        let from = match message.role {
            StepRole::Agent if is_call => "function_call",
            StepRole::Agent => "gpt",
            StepRole::User => "human",
            StepRole::Environment => "observation",
            StepRole::System | StepRole::Unknown => &message.name,
        };
        let calls = message.calls.iter().map(function_text);
        let text = message.content.joined().filter(|text| !text.is_empty()).into_iter().chain(calls);
        let value = message.written.clone().unwrap_or_else(|| text.collect::<Vec<_>>().join("\n"));
        let is_json = message.written.is_some() && !message.calls.is_empty();
        Self { role: message.role, from: from.to_owned(), value, is_json, loss: message.loss().cloned().collect() }
    }

    /// Whether the next turn is of the same side, and trained alike.
    fn is_joined_by(&self, next: &Self) -> bool {
        let is_side = |role| matches!(role, StepRole::Agent | StepRole::User | StepRole::Environment);
        let is_agent = |role| role == StepRole::Agent;
        let is_one_side = is_side(self.role) && is_side(next.role) && is_agent(self.role) == is_agent(next.role);
        is_one_side && self.loss == next.loss && !self.is_json && !next.is_json
    }

    fn join(&mut self, next: &Self) {
        self.value.extend(["\n\n", &next.value]);
        // A call among words is a call, words of the user among results are the user's.
        if self.from != next.from {
            let is_agent = self.role == StepRole::Agent;
            if is_agent { "function_call" } else { "human" }.clone_into(&mut self.from);
        }
    }

    fn text(&self) -> String {
        let mut out = Object::default();
        out.put("from", &json::quote(&self.from));
        out.put("value", &json::quote(&self.value));
        out.put_rest("message", &self.loss, &mut Left::new());
        out.end()
    }
}

/// D17: a call as text.
fn function_text(call: &Call) -> String {
    let mut out = format!("<function={}>\n", call.name);
    let arguments = call.arguments_text();
    match json::parse_lenient(&arguments).as_ref().map(Value::as_object) {
        Ok(Some(arguments)) => {
            for (name, value) in arguments.entries() {
                let _ = writeln!(out, "<parameter={name}>{}</parameter>", plain(value));
            }
        }
        // Arguments that are no object are as they are: a model wrote them so.
        _ => {
            let _ = writeln!(out, "{arguments}");
        }
    }
    out + "</function>"
}
