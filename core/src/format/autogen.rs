//! AutoGen: recordings of a model's client, and saved states (`FORMATS.md` 14).

#[cfg(test)]
mod tests;

use super::Framing;
use super::log::{
    Adapter, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, Row, count, first, first_text, form, items, text,
    text_of,
};
use crate::json::{Value, compact};
use crate::model::{ModelRequest, StepRole, ToolCall, ToolResult, Turn, TurnPart, Usage};
use crate::state::Op;
use std::borrow::Cow;
use std::collections::HashSet;

/// Recordings and states of AutoGen.
pub(super) static AUTOGEN: Row = Row {
    name: "autogen",
    title: "AutoGen recording",
    about: "Recordings of AutoGen's model client: an array of `mode`, `messages` and `response`. Each repeats the \
            history; a message is a step where it is new. What a team ran (`messages` and `stop_reason`), or its \
            messages as lines. A saved state (`type` and `agent_states`, `message_thread` \
            or `llm_context`) has the thread of its team and the context of each agent, each a trajectory. State: what \
            agents and managers save besides, as it is; the file has no history of it.",
    framing: Framing::Elements,
    run: || Box::new(LogRun::new(Recording::default())),
    has_trajectories: true,
    samples: &[CALLS, TEAM, RESULT_OF_TEAM],
    ..Row::BASE
};

/// Two calls of a model; the second repeats the history of the first.
const CALLS: &str = concat!(
    r#"[{"mode":"create","messages":[{"type":"SystemMessage","content":"You help."},{"type":"UserMessage","#,
    r#""content":"list it","source":"user"}],"response":{"finish_reason":"function_calls","#,
    r#""content":[{"id":"c","name":"ls","arguments":"{\"path\":\"x\"}"}],"usage":{"prompt_tokens":9,"#,
    r#""completion_tokens":3},"cached":false},"stream":[]},"#,
    "\n",
    r#"{"mode":"create","messages":[{"type":"SystemMessage","content":"You help."},{"type":"UserMessage","#,
    r#""content":"list it","source":"user"},{"type":"AssistantMessage","content":[{"id":"c","name":"ls","#,
    r#""arguments":"{\"path\":\"x\"}"}],"source":"a"},{"type":"FunctionExecutionResultMessage","#,
    r#""content":[{"call_id":"c","name":"ls","content":"a.txt","is_error":false}]}],"#,
    r#""response":{"finish_reason":"stop","content":"There is a.txt.","usage":{"prompt_tokens":20,"#,
    r#""completion_tokens":5},"cached":false},"stream":[]}]"#,
);

/// The saved state of a team of one agent.
const TEAM: &str = concat!(
    r#"{"type":"TeamState","version":"1.0.0","agent_states":{"#,
    r#""clerk":{"type":"ChatAgentContainerState","version":"1.0.0","agent_state":{"type":"AssistantAgentState","#,
    r#""version":"1.0.0","llm_context":{"messages":[{"type":"UserMessage","content":"list it","source":"user"},"#,
    r#"{"type":"AssistantMessage","content":"There is a.txt.","source":"clerk"}]}},"message_buffer":[]},"#,
    r#""RoundRobinGroupChatManager":{"type":"RoundRobinManagerState","version":"1.0.0","message_thread":["#,
    r#"{"type":"TextMessage","source":"user","content":"list it","models_usage":null},"#,
    r#"{"type":"TextMessage","source":"clerk","content":"There is a.txt.","models_usage":{"prompt_tokens":9,"#,
    r#""completion_tokens":3}}],"current_turn":1,"next_speaker_index":0}}}"#,
);

/// What a team ran.
const RESULT_OF_TEAM: &str = concat!(
    r#"{"messages":[{"id":"m1","source":"user","models_usage":null,"metadata":{},"created_at":"2026-05-01T10:00:00Z","#,
    r#""content":"list it","type":"TextMessage"},{"id":"m2","source":"clerk","models_usage":{"prompt_tokens":9,"#,
    r#""completion_tokens":3},"metadata":{},"created_at":"2026-05-01T10:00:01Z","content":[{"id":"c","#,
    r#""arguments":"{\"path\":\"x\"}","name":"ls"}],"type":"ToolCallRequestEvent"},{"id":"m3","source":"clerk","#,
    r#""models_usage":null,"metadata":{},"created_at":"2026-05-01T10:00:02Z","content":[{"content":"a.txt","#,
    r#""name":"ls","call_id":"c","is_error":false}],"type":"ToolCallExecutionEvent"}],"#,
    r#""stop_reason":"Maximum reached"}"#,
);

/// The words of a message or an answer.
const TEXT: Form = FIRST_ADAPTER_FORM;
/// What a model thought.
const THOUGHT: Form = FIRST_ADAPTER_FORM + 1;
/// A call, and what came back from one.
const CALL: Form = FIRST_ADAPTER_FORM + 2;
const RESULT: Form = FIRST_ADAPTER_FORM + 3;

/// Reads a recording.
#[derive(Default)]
struct Recording {
    /// The messages of earlier calls, each as its content, with their answers: agents that take turns have one each.
    histories: Vec<Vec<String>>,
    /// Messages of teams that are steps, by their ids: what a team ran repeats those that came one by one.
    known: HashSet<Box<str>>,
    /// Whether the messages of a whole run came.
    has_run: bool,
    /// Runs of teams before the messages that come.
    runs: usize,
}

/// Most histories that are known at once.
const HISTORIES_MAX: usize = 64;

/// The messages that two lists have in common, from the first on.
fn common(a: &[String], b: &[String]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

impl Adapter for Recording {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let messages = record.get("messages").and_then(Value::as_array);
        let Some(messages) = messages.filter(|_| record.get("source").is_none()) else {
            return if record.get("source").is_some() { self.of_team(record, log) } else { state(record, log) };
        };
        if record.get("mode").is_none() {
            return self.team(record, messages, log);
        }
        let mut keys: Vec<String> = messages.iter().map(|message| key(message.get("content"))).collect();
        // Of several that go on so, the last one.
        let nearest = (0..self.histories.len()).max_by_key(|place| common(&keys, &self.histories[*place]));
        let known = nearest.map_or(0, |place| common(&keys, &self.histories[place]));
        let first = log.next_step();
        for message in messages.iter().skip(known) {
            add_steps(message, log);
        }
        if let Some(response) = response(record) {
            answer(response, text(record, "mode").unwrap_or("create"), log);
            keys.push(key(response.get("content")));
        }
        if log.next_step() > first {
            // The last step is the request with all that the model saw.
            log.extend(log.next_step() - 1, record);
        }
        let goes_on = nearest.filter(|place| known == self.histories[*place].len());
        match goes_on.or((self.histories.len() >= HISTORIES_MAX).then_some(0)) {
            Some(place) => self.histories[place] = keys,
            None => self.histories.push(keys),
        }
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        let Some(&value) = values.first() else { return Turn::default() };
        match form {
            TEXT => Turn::of(StepRole::Unknown, vec![TurnPart::Text(content_text(value))]),
            THOUGHT => Turn::of(StepRole::Agent, vec![TurnPart::Thought(text_of(value))]),
            CALL => Turn::of(StepRole::Agent, vec![TurnPart::Call(call(value))]),
            RESULT => Turn::of(StepRole::Environment, vec![TurnPart::Result(result(value))]),
            _ => super::log::show(form, values),
        }
    }

    fn request(_form: Form, values: &[&Value<'_>]) -> Option<ModelRequest> {
        let record = values.get(1)?;
        let messages = items(record, "messages").iter().chain(response(record)).filter_map(turn).collect();
        Some(ModelRequest { trajectory: String::new(), messages })
    }

    fn has_requests(&self) -> bool {
        true
    }

    fn restart(&mut self) {
        *self = Self::default();
    }
}

impl Recording {
    /// What a team ran: a trajectory, which ends with why it stopped.
    fn team(&mut self, record: &Value<'_>, messages: &[Value<'_>], log: &mut Log<'_>) {
        messages.iter().for_each(|message| self.of_team(message, log));
        if let Some(reason) = first(record, &["stop_reason"]).filter(|_| log.next_step() > 0) {
            log.write("session", "main", &["stop_reason"], Op::Update, reason);
        }
        self.has_run = true;
    }

    /// A message of a team. Its pieces come in full after them.
    fn of_team(&mut self, message: &Value<'_>, log: &mut Log<'_>) {
        let is_new = text(message, "id").is_none_or(|id| self.known.insert(id.into()));
        if !is_new || text(message, "type") == Some("ModelClientStreamingChunkEvent") {
            return;
        }
        if std::mem::take(&mut self.has_run) {
            self.runs += 1;
            log.trajectory(self.runs);
            log.begin_trajectory(&(self.runs + 1).to_string());
        }
        add_steps(message, log);
    }
}

/// A message of a request, or the answer to it.
fn turn(message: &Value<'_>) -> Option<Turn<'static>> {
    let results = || items(message, "content").iter().map(|result| TurnPart::Result(self::result(result)));
    let (role, parts): (StepRole, Vec<TurnPart<'_>>) = match text(message, "type").unwrap_or("AssistantMessage") {
        "SystemMessage" => (StepRole::System, vec![TurnPart::Text(content_text(message))]),
        "UserMessage" => (StepRole::User, vec![TurnPart::Text(content_text(message))]),
        "FunctionExecutionResultMessage" => (StepRole::Environment, results().collect()),
        _ => {
            let thought = text(message, "thought").filter(|thought| !thought.is_empty());
            let thought = thought.map(|thought| TurnPart::Thought(thought.into()));
            let answer_parts: Vec<TurnPart<'_>> = match calls(message) {
                Some(calls) => calls.iter().map(|call| TurnPart::Call(self::call(call))).collect(),
                None => vec![TurnPart::Text(content_text(message))],
            };
            (StepRole::Agent, thought.into_iter().chain(answer_parts).collect())
        }
    };
    (!parts.is_empty()).then(|| Turn::of(role, parts).into_owned())
}

fn call<'v>(value: &'v Value<'v>) -> ToolCall<'v> {
    ToolCall {
        id: text(value, "id").map(Cow::Borrowed),
        name: text(value, "name").unwrap_or("?").into(),
        arguments: value.get("arguments").map_or(Cow::Borrowed("{}"), |v| Cow::Borrowed(v.text)),
    }
}

fn result<'v>(value: &'v Value<'v>) -> ToolResult<'v> {
    ToolResult {
        id: text(value, "call_id").map(Cow::Borrowed),
        name: text(value, "name").map(Cow::Borrowed),
        text: value.get("content").map(text_of).unwrap_or_default(),
        is_error: value.get("is_error").and_then(Value::as_bool),
        ..ToolResult::default()
    }
}

/// What the model answered: at once, or at the end of a stream of pieces.
fn response<'v, 'a>(record: &'v Value<'a>) -> Option<&'v Value<'a>> {
    let is_answer = |value: &&Value<'_>| value.as_object().is_some();
    let at_once = record.get("response").filter(is_answer);
    at_once.or_else(|| items(record, "stream").iter().rev().find(is_answer))
}

/// What a message is known by: its content.
fn key(content: Option<&Value<'_>>) -> String {
    content.map(compact).unwrap_or_default()
}

/// The words of a content; images and the like are named.
fn content_text<'v>(message: &'v Value<'v>) -> Cow<'v, str> {
    let content = message.get("content").unwrap_or(message);
    let Some(parts) = content.as_array() else { return text_of(content) };
    let words = parts.iter().map(|part| part.as_str().map_or_else(|| "[image]".to_owned(), str::to_owned));
    Cow::Owned(words.collect::<Vec<_>>().join("\n"))
}

/// Lists of messages in a saved state, and members that have further states in them; none of them is a slot.
const THREAD: &str = "message_thread";
const CONTEXT: &str = "llm_context";
const OLD_CONTEXT: &str = "llm_messages";
const STATES: &str = "agent_states";
const INNER: [&str; 2] = ["agent_state", "inner_team_state"];
const NO_SLOTS: [&str; 7] = [THREAD, CONTEXT, OLD_CONTEXT, STATES, "agent_state", "inner_team_state", "message_buffer"];

/// Most states that are looked for inside another one.
const DEPTH_MAX: usize = 8;

/// A list of messages of a saved state, and whose it is.
struct Thread<'v, 'a> {
    /// The agent or the manager; empty for what was saved by itself.
    name: &'v str,
    messages: &'v [Value<'a>],
    /// Whether it is what a team answer_parts, not what a model was given.
    is_of_team: bool,
}

/// A saved state: the threads of teams, then the contexts of agents.
fn state(record: &Value<'_>, log: &mut Log<'_>) {
    let mut threads = Vec::new();
    find_threads(record, "", 0, &mut threads);
    threads.sort_by_key(|thread| !thread.is_of_team);
    if threads.is_empty() {
        let values = [record];
        let class = text(record, "type").or(Some("state"));
        log.step(&Draft { role: StepRole::System, class, ..Draft::of(Kind::State, form::STATE, &values) });
    }
    log.trajectories(threads.len().max(1));
    for (number, thread) in threads.iter().enumerate() {
        if threads.len() > 1 {
            log.trajectory(number);
            log.begin_agent(thread.name);
        }
        thread.messages.iter().for_each(|message| add_steps(message, log));
    }
    write_state(record, "", 0, log);
}

fn find_threads<'v, 'a>(state: &'v Value<'a>, name: &'v str, depth: usize, threads: &mut Vec<Thread<'v, 'a>>) {
    let context = state.get(CONTEXT).map_or(items(state, OLD_CONTEXT), |context| items(context, "messages"));
    for (messages, is_of_team) in [(items(state, THREAD), true), (context, false)] {
        if !messages.is_empty() {
            threads.push(Thread { name, messages, is_of_team });
        }
    }
    if depth < DEPTH_MAX {
        for (name, inner) in inner_states(state, name) {
            find_threads(inner, name, depth + 1, threads);
        }
    }
}

/// The states inside a state, each with its name.
fn inner_states<'v, 'a>(state: &'v Value<'a>, name: &'v str) -> impl Iterator<Item = (&'v str, &'v Value<'a>)> {
    let agents = state.get(STATES).and_then(Value::as_object).into_iter().flat_map(|agents| agents.entries());
    INNER.iter().filter_map(move |key| Some((name, state.get(key)?))).chain(agents)
}

/// What agents and managers save besides messages: slots of their names.
fn write_state(state: &Value<'_>, name: &str, depth: usize, log: &mut Log<'_>) {
    let instance = if name.is_empty() { "main" } else { name };
    let members = state.as_object().into_iter().flat_map(|members| members.entries());
    for (slot, value) in members.filter(|(slot, _)| !NO_SLOTS.contains(slot)) {
        log.write("agent_state", instance, &[slot], Op::Update, value);
    }
    if depth < DEPTH_MAX {
        inner_states(state, name).for_each(|(name, inner)| write_state(inner, name, depth + 1, log));
    }
}

/// Whether the items of a content are calls.
fn calls<'v, 'a>(message: &'v Value<'a>) -> Option<&'v [Value<'a>]> {
    let calls = message.get("content")?.as_array()?;
    calls.first().is_some_and(|call| call.get("arguments").is_some()).then_some(calls)
}

fn add_steps(message: &Value<'_>, log: &mut Log<'_>) {
    let class = text(message, "type").unwrap_or("message");
    let role = match class {
        "SystemMessage" => StepRole::System,
        "UserMessage" => StepRole::User,
        "AssistantMessage" | "ToolCallRequestEvent" => return answer(message, class, log),
        "ThoughtEvent" => {
            if let Some(thought) = message.get("content") {
                let draft = Draft::of(Kind::Thought, THOUGHT, &[]);
                let time = message.get("created_at");
                log.step(&Draft { role: StepRole::Agent, class: Some(class), time, values: &[thought], ..draft });
            }
            return;
        }
        "FunctionExecutionResultMessage" | "ToolCallExecutionEvent" => {
            for result in items(message, "content") {
                let values = [result];
                let draft = Draft::of(Kind::Result, RESULT, &values);
                let time = message.get("created_at");
                log.step(&Draft { role: StepRole::Environment, class: Some(class), time, ..draft });
            }
            return;
        }
        // In a team all but the user are agents, whatever they are called.
        _ => match first_text(message, &["role", "source"]) {
            Some("user") => StepRole::User,
            Some(_) if message.get("source").is_some() => StepRole::Agent,
            named => named.map_or(StepRole::Unknown, super::log::role_of),
        },
    };
    let values = [message];
    let (kind, role) = if is_message(message) { (Kind::Message, role) } else { (Kind::State, StepRole::System) };
    let form = if kind == Kind::Message { TEXT } else { form::STATE };
    let time = message.get("created_at");
    log.step(&Draft { role, class: Some(class), time, ..Draft::of(kind, form, &values) });
    add_usage(message, log);
}

/// Whether a message says something: its content is a text or a list. Others report the team: a memory that was asked,
/// a speaker that was chosen.
fn is_message(message: &Value<'_>) -> bool {
    let class = text(message, "type").unwrap_or_default();
    let has_words =
        message.get("content").is_some_and(|content| content.as_str().is_some() || content.as_array().is_some());
    !class.ends_with("Event") && (has_words || class.ends_with("Message"))
}

/// The tokens of a message of a team.
fn add_usage(message: &Value<'_>, log: &mut Log<'_>) {
    if let Some(usage) = first(message, &["models_usage"]) {
        let (input, output) = (count(usage, "prompt_tokens"), count(usage, "completion_tokens"));
        log.usage(None, &Usage { input, output, ..Usage::default() });
    }
}

/// What a model answered: thought, words or calls.
fn answer(answer: &Value<'_>, class: &str, log: &mut Log<'_>) {
    let tokens = answer.get("usage").and_then(|usage| count(usage, "completion_tokens"));
    let time = answer.get("created_at");
    let of = |kind, form| Draft { role: StepRole::Agent, class: Some(class), time, ..Draft::of(kind, form, &[]) };
    if let Some(thought) = first(answer, &["thought"]).filter(|thought| thought.as_str().is_some_and(|t| !t.is_empty()))
    {
        log.step(&Draft { values: &[thought], ..of(Kind::Thought, THOUGHT) });
    }
    match calls(answer) {
        Some(calls) => {
            for (number, call) in calls.iter().enumerate() {
                let tokens = tokens.filter(|_| number == 0);
                log.step(&Draft { values: &[call], tokens, ..of(Kind::Call, CALL) });
            }
        }
        None => {
            log.step(&Draft { values: &[answer], tokens, ..of(Kind::Message, TEXT) });
        }
    }
    if let Some(usage) = answer.get("usage") {
        let (input, output) = (count(usage, "prompt_tokens"), tokens);
        log.usage(None, &Usage { input, output, ..Usage::default() });
    }
    add_usage(answer, log);
}
