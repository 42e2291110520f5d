//! AutoGen: recordings of a model's client, and saved states (`FORMATS.md` 14).

use super::Framing;
use super::log::{
    Adapter, Draft, Form, Kind, Log, LogRun, OWN, Row, count, first, first_text, form, items, text, text_of,
};
use crate::json::{Value, compact};
use crate::model::{Part, Role, ToolCall, ToolResult, Turn, Usage};
use crate::state::Op;
use std::borrow::Cow;

/// Recordings and states of AutoGen.
pub(super) static AUTOGEN: Row = Row {
    name: "autogen",
    title: "AutoGen recording",
    about: "Recordings of AutoGen's model client: an array of `mode`, `messages` and `response`. Each repeats the \
            history; a message is a step where it is new. A saved state (`type`, `agent_states`) is one step.",
    framing: Framing::Elements,
    run: || Box::new(LogRun::new(Recording::default())),
    detect: None,
    has_trajectories: false,
    samples: &[CALLS],
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

/// The words of a message or an answer.
const SAID: Form = OWN;
/// What a model thought.
const THOUGHT: Form = OWN + 1;
/// A call, and what came back from one.
const CALL: Form = OWN + 2;
const RESULT: Form = OWN + 3;

/// Reads a recording.
#[derive(Default)]
struct Recording {
    /// The messages of the call before, each as its type and content, and its answer.
    history: Vec<String>,
}

impl Adapter for Recording {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let Some(messages) = record.get("messages").and_then(Value::as_array) else { return state(record, log) };
        let keys: Vec<String> = messages.iter().map(|message| key(message.get("content"))).collect();
        let known = keys.iter().zip(&self.history).take_while(|(key, known)| key == known).count();
        for message in messages.iter().skip(known) {
            add_steps(message, log);
        }
        self.history = keys;
        if let Some(response) = record.get("response") {
            let class = text(record, "mode").unwrap_or("create");
            answer(response, class, log);
            self.history.push(key(response.get("content")));
        }
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        let Some(&value) = values.first() else { return Turn::default() };
        match form {
            SAID => Turn::of(Role::Unknown, vec![Part::Text(said(value))]),
            THOUGHT => Turn::of(Role::Agent, vec![Part::Thought(text_of(value))]),
            CALL => {
                let call = ToolCall {
                    id: text(value, "id").map(Cow::Borrowed),
                    name: text(value, "name").unwrap_or("?").into(),
                    arguments: value.get("arguments").map_or(Cow::Borrowed("{}"), |v| Cow::Borrowed(v.text)),
                };
                Turn::of(Role::Agent, vec![Part::Call(call)])
            }
            RESULT => {
                let result = ToolResult {
                    id: text(value, "call_id").map(Cow::Borrowed),
                    name: text(value, "name").map(Cow::Borrowed),
                    text: value.get("content").map(text_of).unwrap_or_default(),
                    is_error: value.get("is_error").and_then(Value::as_bool),
                    ..ToolResult::default()
                };
                Turn::of(Role::Environment, vec![Part::Result(result)])
            }
            _ => super::log::show(form, values),
        }
    }

    fn restart(&mut self) {
        self.history.clear();
    }
}

/// What a message is known by: its content.
fn key(content: Option<&Value<'_>>) -> String {
    content.map(compact).unwrap_or_default()
}

/// The words of a content; images and the like are named.
fn said<'v>(message: &'v Value<'v>) -> Cow<'v, str> {
    let content = message.get("content").unwrap_or(message);
    let Some(parts) = content.as_array() else { return text_of(content) };
    let words = parts.iter().map(|part| part.as_str().map_or_else(|| "[image]".to_owned(), str::to_owned));
    Cow::Owned(words.collect::<Vec<_>>().join("\n"))
}

/// A saved state: what there is of it.
fn state(record: &Value<'_>, log: &mut Log<'_>) {
    let values = [record];
    let class = text(record, "type").or(Some("state"));
    log.step(&Draft { role: Role::System, class, ..Draft::of(Kind::State, form::STATE, &values) });
    let agents = record.get("agent_states").and_then(Value::as_object);
    for (name, value) in agents.into_iter().flat_map(|agents| agents.entries()) {
        log.write("agent_state", name, &[], Op::Update, value);
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
        "SystemMessage" => Role::System,
        "UserMessage" => Role::User,
        "AssistantMessage" => return answer(message, class, log),
        "FunctionExecutionResultMessage" => {
            for result in items(message, "content") {
                let values = [result];
                let draft = Draft::of(Kind::Result, RESULT, &values);
                log.step(&Draft { role: Role::Environment, class: Some(class), ..draft });
            }
            return;
        }
        _ => first_text(message, &["role", "source"]).map_or(Role::Unknown, super::log::role_of),
    };
    let values = [message];
    log.step(&Draft { role, class: Some(class), ..Draft::of(Kind::Message, SAID, &values) });
}

/// What a model answered: thought, words or calls.
fn answer(answer: &Value<'_>, class: &str, log: &mut Log<'_>) {
    let tokens = answer.get("usage").and_then(|usage| count(usage, "completion_tokens"));
    let of = |kind, form| Draft { role: Role::Agent, class: Some(class), ..Draft::of(kind, form, &[]) };
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
            log.step(&Draft { values: &[answer], tokens, ..of(Kind::Message, SAID) });
        }
    }
    if let Some(usage) = answer.get("usage") {
        let (input, output) = (count(usage, "prompt_tokens"), tokens);
        log.usage(None, &Usage { input, output, ..Usage::default() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::log::testing::{lines, steps};

    #[test]
    fn a_repeated_history_is_reported_once() {
        let text = CALLS.trim_matches(['[', ']']).replace("},\n{", "}\n{");
        let expected = [
            "message system: You help.",
            "message user: list it",
            "tool-call agent: ls x",
            "tool-result environment: a.txt (of 2)",
            "message agent: There is a.txt.",
        ];
        assert_eq!(steps(&lines(&AUTOGEN, &text)), expected);
    }
}
