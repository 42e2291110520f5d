//! Conversations from the requests to a model of a trace: each request has all that was said before it, so a
//! conversation is what its requests add, one after the other.
//!
//! Requests of one trace that begin alike are of one conversation; others, as those of a sub-agent, are of another. The
//! spans of tools are in the calls and results of the requests; what came back from a last call is in its span alone.

use super::{CallPlace, Transcript};
use crate::format::Run;
use crate::model::{Bytes, ModelRequest, Step, StepNo, StepRole, ToolCall, ToolResult, Turn, TurnPart};
use crate::rules::digest;
use std::collections::{HashMap, HashSet};

/// A conversation so far.
struct Conversation {
    transcript: Transcript,
    /// The digests of the messages of its last request, and of all that it has.
    last: Vec<u128>,
    all: HashSet<u128>,
}

/// The conversations so far, and the places of those of each trajectory.
#[derive(Default)]
struct Conversations {
    all: Vec<Conversation>,
    of_trajectory: HashMap<String, Vec<usize>>,
}

/// The span of a tool.
struct ToolSpan {
    step: Step,
    trajectory: Option<String>,
    turn: Option<Turn<'static>>,
}

/// The conversations of a run of requests; none where it has no requests.
pub(super) fn transcripts(run: &dyn Run, source: &'static str, name: &str, bytes: &dyn Bytes) -> Vec<Transcript> {
    let mut conversations = Conversations::default();
    let (mut tools, mut others) = (Vec::new(), Vec::new());
    // Of states that hold all messages the last one of each trajectory counts: the newest branch.
    let mut newest: Vec<(Step, ModelRequest)> = Vec::new();
    for number in 0..run.step_count() {
        let number = StepNo::try_from(number).unwrap_or(StepNo::MAX);
        let (step, request) = (run.step(number, bytes), run.model_request(number, bytes));
        match request {
            _ if step.kind == "tool-call" => {
                let trajectory = request.map(|request| request.trajectory);
                tools.push(ToolSpan { step, trajectory, turn: run.turn(number, bytes) });
            }
            Some(request) if step.kind == "state" => {
                let is_of = |(_, known): &(Step, ModelRequest)| known.trajectory == request.trajectory;
                match newest.iter().position(is_of) {
                    Some(place) => {
                        let (before, known) = std::mem::replace(&mut newest[place], (step, request));
                        // What another branch said is not in the newest one.
                        if !newest[place].1.messages.starts_with(&known.messages) {
                            others.push(before);
                        }
                    }
                    None => newest.push((step, request)),
                }
            }
            Some(request) => conversations.add(&step, request, source, name),
            // Steps that say something are in the requests of their records.
            None if !matches!(step.kind.as_str(), "state" | "span") => {}
            None => others.push(step),
        }
    }
    for (step, request) in newest {
        conversations.add(&step, request, source, name);
    }
    for tool in tools {
        if !conversations.has_tool(&tool) {
            others.push(tool.step);
        }
    }
    let mut all = conversations.all;
    if let Some(first) = all.first_mut() {
        others.iter().for_each(|step| {
            first.transcript.lose(&format!("{} {}", step.kind, step.class.as_deref().unwrap_or("record")));
        });
    }
    all.into_iter().map(|conversation| conversation.transcript).collect()
}

impl Conversations {
    fn add(&mut self, step: &Step, request: ModelRequest, source: &'static str, name: &str) {
        let ModelRequest { trajectory, messages } = request;
        let digests: Vec<u128> = messages.iter().map(digest::of_turn).collect();
        let place = self.place_of(&trajectory, &messages, &digests).unwrap_or_else(|| {
            let places = self.of_trajectory.entry(trajectory.clone()).or_default();
            let label = if trajectory.is_empty() { name.to_owned() } else { trajectory };
            let id = if places.is_empty() { label } else { format!("{label}/{}", places.len() + 1) };
            places.push(self.all.len());
            let transcript = Transcript { id, source, ..Transcript::default() };
            self.all.push(Conversation { transcript, last: Vec::new(), all: HashSet::new() });
            self.all.len() - 1
        });
        if let Some(conversation) = self.all.get_mut(place) {
            conversation.add(step, messages, digests);
        }
    }

    /// The conversation that a request goes on: the one of its trajectory whose last request it has most in common
    /// with, more than instructions. Another answer to the same messages is of another conversation.
    fn place_of(&self, trajectory: &str, messages: &[Turn<'static>], digests: &[u128]) -> Option<usize> {
        let instructions = messages.iter().take_while(|turn| turn.role == StepRole::System).count();
        let common = |place: usize| {
            let last = self.all.get(place).map_or(&[][..], |conversation| &conversation.last);
            (last.iter().zip(digests).take_while(|(known, new)| known == new).count(), last.len())
        };
        let places = self.of_trajectory.get(trajectory)?;
        let ((common, known), place) = places.iter().map(|place| (common(*place), *place)).max()?;
        let is_other_answer = common < known && common + 1 == digests.len();
        (common > instructions && !is_other_answer).then_some(place)
    }

    /// Whether the span of a tool is a call of a conversation of its trajectory: by its id, without one by its name.
    fn has_tool(&mut self, tool: &ToolSpan) -> bool {
        let Some(turn) = &tool.turn else { return false };
        let Some(call) = turn.calls().next() else { return false };
        let places: Vec<usize> = match &tool.trajectory {
            Some(trajectory) => self.of_trajectory.get(trajectory).cloned().unwrap_or_default(),
            None => (0..self.all.len()).collect(),
        };
        let calls = || {
            let of_place = |place: &usize| Some((*place, self.all.get(*place)?.call(call)?));
            places.iter().filter_map(of_place)
        };
        let is_open = |(place, call): &(usize, CallPlace)| !self.all[*place].transcript.answered.contains(call);
        let Some((place, call)) = calls().find(is_open).or_else(|| calls().next()) else { return false };
        self.all.get_mut(place).is_some_and(|conversation| conversation.answer(&tool.step, turn, call))
    }
}

impl Conversation {
    /// What a request adds: the messages behind those that the last one has too.
    fn add(&mut self, step: &Step, messages: Vec<Turn<'static>>, digests: Vec<u128>) {
        let common = self.last.iter().zip(&digests).take_while(|(known, new)| known == new).count();
        // A history that was rewritten has messages in other places.
        let is_rewritten = common < self.last.len();
        let is_new = |digest: &u128| !(is_rewritten && self.all.contains(digest));
        let new = messages.into_iter().zip(&digests).skip(common).filter(|(_, digest)| is_new(digest));
        let new: Vec<Turn<'static>> = new.map(|(message, _)| message).collect();
        let count = new.len();
        for (place, turn) in new.into_iter().enumerate() {
            // What the request cost is said of its answer.
            let is_answer = place + 1 == count && turn.role == StepRole::Agent;
            let (time, tokens) = (step.time.clone(), step.tokens.filter(|_| is_answer));
            let of = Step { number: step.number, kind: "message".to_owned(), time, tokens, ..Step::default() };
            self.transcript.step(&of, Some(turn));
        }
        self.all.extend(&digests);
        self.last = digests;
    }

    /// The call of a tool's span.
    fn call(&self, call: &ToolCall<'_>) -> Option<CallPlace> {
        match call.id.as_deref() {
            Some(id) => self.transcript.by_id.get(id).copied(),
            None => self.open_call(&call.name),
        }
    }

    /// Adds what came back from a call where no request has it; whether the call is accounted for.
    fn answer(&mut self, step: &Step, turn: &Turn<'static>, place: CallPlace) -> bool {
        let result = turn.results().next().filter(|_| !self.transcript.answered.contains(&place));
        let Some(result) = result else { return true };
        let is_last = self.transcript.messages.iter().skip(place.0 + 1).all(|message| message.result.is_some());
        if is_last {
            let id =
                self.transcript.messages.get(place.0).and_then(|message| Some(message.calls.get(place.1)?.id.clone()));
            let id = id.map(|id| {
                self.transcript.by_id.insert(id.clone(), place);
                id.into()
            });
            let turn = Turn::of(StepRole::Environment, vec![TurnPart::Result(ToolResult { id, ..result.clone() })]);
            let of =
                Step { number: step.number, kind: "message".to_owned(), time: step.time.clone(), ..Step::default() };
            self.transcript.step(&of, Some(turn));
        }
        is_last
    }

    /// The first call of a tool that has no result.
    fn open_call(&self, tool: &str) -> Option<CallPlace> {
        let calls =
            self.transcript.messages.iter().enumerate().flat_map(|(at, message)| {
                message.calls.iter().enumerate().map(move |(place, call)| ((at, place), call))
            });
        let mut open = calls.filter(|(place, call)| call.name == tool && !self.transcript.answered.contains(place));
        open.next().map(|(place, _)| place)
    }
}
