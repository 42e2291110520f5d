//! Which call a result answers, where it does not say so: that of its name, else the first, of the agent's message
//! before it. Calls without an id get one from their place.

use super::message_text::{ChatMessage, Id};
use crate::json;
use crate::model::StepRole;
use std::collections::{HashMap, VecDeque};

/// The calls that nothing has answered yet, of the agent's last message.
#[derive(Default)]
struct Open {
    ids: Vec<Id>,
    is_answered: Vec<bool>,
    by_id: HashMap<String, VecDeque<usize>>,
    by_name: HashMap<String, VecDeque<usize>>,
    in_order: VecDeque<usize>,
}

/// Gives ids to calls, and to the results that answer them.
pub(super) fn link(turns: &mut [ChatMessage]) {
    let mut open = Open::default();
    let mut last = (None, 0);
    for turn in turns {
        let place = if last.0 == turn.step { last.1 } else { 0 };
        last = (turn.step, place + turn.calls.len());
        if matches!(turn.role, StepRole::User | StepRole::Agent) {
            open = Open::default();
        }
        let name = |name| turn.others.iter().find(|(member, json)| member == name && json != "null");
        let can_answer = turn.role == StepRole::Environment && turn.calls.is_empty();
        if can_answer && name("tool_call_id").is_none() {
            let tool = name("name").or_else(|| name("tool_name"));
            let tool = tool.and_then(|(_, json)| Some(json::parse_lenient(json).ok()?.as_str()?.to_owned()));
            let answered = open.take(turn.answers.as_ref(), tool.as_deref());
            turn.answers = turn.answers.take().or(answered);
        }
        for (i, call) in turn.calls.iter_mut().enumerate() {
            let id = call.id.get_or_insert_with(|| Id::generated(turn.step.unwrap_or(0), place + i));
            open.add(id.clone(), &call.name);
        }
    }
}

impl Open {
    fn add(&mut self, id: Id, name: &str) {
        let number = self.ids.len();
        self.by_id.entry(id.text.clone()).or_default().push_back(number);
        self.by_name.entry(name.to_owned()).or_default().push_back(number);
        self.in_order.push_back(number);
        self.ids.push(id);
        self.is_answered.push(false);
    }

    /// Takes out the call that a result answers.
    fn take(&mut self, id: Option<&Id>, name: Option<&str>) -> Option<Id> {
        let calls = match (id, name) {
            (Some(id), _) => self.by_id.get_mut(&id.text)?,
            (None, Some(name)) => self.by_name.get_mut(name)?,
            (None, None) => &mut self.in_order,
        };
        while let Some(number) = calls.pop_front() {
            if !std::mem::replace(&mut self.is_answered[number], true) {
                return self.ids.get(number).cloned();
            }
        }
        None
    }
}
