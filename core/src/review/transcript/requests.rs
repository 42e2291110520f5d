//! Conversations from the requests to a model of a trace: each request has all that was said before it, so a
//! conversation is what its requests add, one after the other.
//!
//! Requests of one trace that begin alike are of one conversation; others, as those of a sub-agent, are of another. The
//! spans of tools are in the calls and results of the requests; what came back from a last call is in its span alone.

use super::Transcript;
use crate::format::Run;
use crate::model::{Bytes, Step, StepNo, StepRole, ToolResult, Turn, TurnPart};
use crate::rules::digest;
use std::collections::HashSet;

/// A conversation so far.
struct Conversation {
    trajectory: String,
    transcript: Transcript,
    /// The digests of the messages of its last request, and of all that it has.
    last: Vec<u128>,
    all: HashSet<u128>,
}

/// The conversations of a run of requests; none where it has no requests.
pub(super) fn transcripts(run: &dyn Run, source: &'static str, name: &str, bytes: &dyn Bytes) -> Vec<Transcript> {
    let mut all: Vec<Conversation> = Vec::new();
    let (mut tools, mut others) = (Vec::new(), Vec::new());
    for number in 0..run.step_count() {
        let number = StepNo::try_from(number).unwrap_or(StepNo::MAX);
        let (step, request) = (run.step(number, bytes), run.model_request(number, bytes));
        match request {
            Some(request) => {
                let digests: Vec<u128> = request.messages.iter().map(digest::of_turn).collect();
                let place = place_of(&all, &request.trajectory, &request.messages, &digests);
                let place = place.unwrap_or_else(|| {
                    all.push(begin(&all, request.trajectory, source, name));
                    all.len() - 1
                });
                if let Some(conversation) = all.get_mut(place) {
                    conversation.add(&step, request.messages, digests);
                }
            }
            None if step.kind == "tool-call" => tools.push((step, run.turn(number, bytes))),
            None => others.push(step),
        }
    }
    for (step, turn) in tools {
        let is_known = turn.is_some_and(|turn| all.iter_mut().any(|conversation| conversation.has_tool(&step, &turn)));
        if !is_known {
            others.push(step);
        }
    }
    if let Some(first) = all.first_mut() {
        others.iter().for_each(|step| {
            first.transcript.lose(&format!("{} {}", step.kind, step.class.as_deref().unwrap_or("record")));
        });
    }
    all.into_iter().map(|conversation| conversation.transcript).collect()
}

/// A conversation that begins, as the next of its trajectory.
fn begin(all: &[Conversation], trajectory: String, source: &'static str, name: &str) -> Conversation {
    let of_trajectory = if trajectory.is_empty() { name } else { &trajectory };
    let before = all.iter().filter(|other| other.trajectory == trajectory).count();
    let id = if before == 0 { of_trajectory.to_owned() } else { format!("{of_trajectory}/{}", before + 1) };
    let transcript = Transcript { id, source, ..Transcript::default() };
    Conversation { trajectory, transcript, last: Vec::new(), all: HashSet::new() }
}

/// The conversation that a request goes on: the one of its trajectory whose last request it has most in common with,
/// more than instructions.
fn place_of(all: &[Conversation], trajectory: &str, messages: &[Turn<'static>], digests: &[u128]) -> Option<usize> {
    let instructions = messages.iter().take_while(|turn| turn.role == StepRole::System).count();
    let common = |conversation: &Conversation| {
        conversation.last.iter().zip(digests).take_while(|(known, new)| known == new).count()
    };
    let candidates = all.iter().enumerate().filter(|(_, conversation)| conversation.trajectory == trajectory);
    let best = candidates.map(|(place, conversation)| (common(conversation), place)).max();
    best.filter(|(common, _)| *common > instructions).map(|(_, place)| place)
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

    /// Whether the span of a tool is a call of this conversation; what came back is added where no request has it.
    fn has_tool(&mut self, step: &Step, turn: &Turn<'static>) -> bool {
        let Some(call) = turn.calls().next() else { return false };
        let of_id = call.id.as_deref().and_then(|id| self.transcript.by_id.get(id)).copied();
        let Some(place) = of_id.or_else(|| self.open_call(&call.name)) else { return false };
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
    fn open_call(&self, tool: &str) -> Option<(usize, usize)> {
        let calls =
            self.transcript.messages.iter().enumerate().flat_map(|(at, message)| {
                message.calls.iter().enumerate().map(move |(place, call)| ((at, place), call))
            });
        let mut open = calls.filter(|(place, call)| call.name == tool && !self.transcript.answered.contains(place));
        open.next().map(|(place, _)| place)
    }
}
