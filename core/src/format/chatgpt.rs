//! Conversations of ChatGPT, as its export of a user's data has them: trees of messages.

mod content;
#[cfg(test)]
mod tests;

use super::log::{
    Adapter, Branches, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, SetRow, first, ordered, show, text,
    write_slots, write_title,
};
use crate::json::Value;
use crate::model::{StepRole, Surroundings, Turn, TurnPart, Usage};
use std::borrow::Cow;
use std::collections::HashMap;

/// Conversations of ChatGPT.
pub(super) static CHATGPT: SetRow = SetRow {
    name: "chatgpt",
    title: "ChatGPT conversation",
    about: "`conversations.json` of the data that ChatGPT exports: an array of conversations, each a trajectory, or \
            one conversation alone. Its messages (`mapping`) are a tree: the path to `current_node` is the run, \
            answers that were asked for again and questions that were edited are branches that were left. What is \
            addressed to a tool (`recipient`) is a call of it. State: the conversation. Tokens are not recorded.",
    run: || Box::new(LogRun::new(Conversation)),
    samples: &[CONVERSATION],
    ..SetRow::BASE
};

/// A conversation with an answer that was asked for again and a call whose code fails, in an export.
const CONVERSATION: &str = r#"[{"title":"Sums","create_time":1777629600.5,"update_time":1777629700.0,"mapping":{
    "r":{"id":"r","message":null,"parent":null,"children":["s"]},
    "s":{"id":"s","message":{"id":"s","author":{"role":"system","name":null,"metadata":{}},
        "content":{"content_type":"text","parts":[""]},"status":"finished_successfully","recipient":"all",
        "metadata":{"is_visually_hidden_from_conversation":true}},"parent":"r","children":["u"]},
    "u":{"id":"u","message":{"id":"u","author":{"role":"user","name":null,"metadata":{}},"create_time":1777629600.5,
        "content":{"content_type":"text","parts":["what is 2 + x?"]},"status":"finished_successfully",
        "recipient":"all","metadata":{}},"parent":"s","children":["a","t"]},
    "a":{"id":"a","message":{"id":"a","author":{"role":"assistant","name":null,"metadata":{}},
        "create_time":1777629601.0,"content":{"content_type":"text","parts":["Four."]},
        "status":"finished_successfully","end_turn":true,"recipient":"all","metadata":{"model_slug":"m-1"}},
        "parent":"u","children":[]},
    "t":{"id":"t","message":{"id":"t","author":{"role":"assistant","name":null,"metadata":{}},
        "create_time":1777629611.0,"content":{"content_type":"thoughts","thoughts":[
            {"summary":"Looking at x","content":"x is not given"}]},"recipient":"all",
        "metadata":{"model_slug":"m-2"}},"parent":"u","children":["c"]},
    "c":{"id":"c","message":{"id":"c","author":{"role":"assistant","name":null,"metadata":{}},
        "create_time":1777629612.0,"content":{"content_type":"code","language":"python","text":"print(2 + x)"},
        "recipient":"python","metadata":{"model_slug":"m-2"}},"parent":"t","children":["o"]},
    "o":{"id":"o","message":{"id":"o","author":{"role":"tool","name":"python","metadata":{}},
        "create_time":1777629613.0,"content":{"content_type":"execution_output","text":"NameError: x"},
        "recipient":"all","metadata":{"aggregate_result":{"status":"failed_with_in_kernel_exception",
            "start_time":1777629612.25,"end_time":1777629612.75}}},"parent":"c","children":["e"]},
    "e":{"id":"e","message":{"id":"e","author":{"role":"assistant","name":null,"metadata":{}},
        "create_time":1777629614.0,"content":{"content_type":"text","parts":["What is x?"]},
        "end_turn":true,"recipient":"all","metadata":{"model_slug":"m-2"}},"parent":"o","children":[]}},
    "current_node":"e","conversation_id":"k1","default_model_slug":"m-2"}]"#;

/// The texts and files of a message.
const WORDS: Form = FIRST_ADAPTER_FORM;
const THOUGHT: Form = FIRST_ADAPTER_FORM + 1;
/// A call and its id; what came back: the id of the call, if it is known, and the messages.
const CALL: Form = FIRST_ADAPTER_FORM + 2;
const RESULT: Form = FIRST_ADAPTER_FORM + 3;

/// Members of a conversation that are its state.
const SLOTS: [&str; 11] = [
    "id",
    "conversation_id",
    "title",
    "create_time",
    "update_time",
    "default_model_slug",
    "gizmo_id",
    "gizmo_type",
    "conversation_origin",
    "is_archived",
    "voice",
];

/// Reads a conversation.
struct Conversation;

impl Adapter for Conversation {
    fn read(&mut self, conversation: &Value<'_>, log: &mut Log<'_>) {
        write_title(log, conversation, &["title", "conversation_id", "id"]);
        write_slots(log, "chat", "main", conversation, &SLOTS);
        let mapping = conversation.get("mapping").and_then(Value::as_object).into_iter();
        // Of a file that ends too early the last node has no end: what is there of it cannot be shown.
        let is_whole = |(_, node): &(&str, &Value<'_>)| node.text.ends_with('}');
        let nodes: Vec<(&str, &Value<'_>)> = mapping.flat_map(|all| all.entries()).filter(is_whole).collect();
        let places: HashMap<&str, usize> = nodes.iter().enumerate().map(|(at, (id, _))| (*id, at)).collect();
        let parents: Vec<Option<usize>> =
            nodes.iter().map(|(_, node)| places.get(text(node, "parent")?).copied()).collect();
        let last = text(conversation, "current_node").and_then(|id| places.get(id)).copied();
        let nodes: Vec<&Value<'_>> = nodes.into_iter().map(|(_, node)| node).collect();
        Messages { nodes: &nodes, parents: &parents, calls: vec![None; nodes.len()] }
            .add_steps(last.or_else(|| newest(&nodes, &parents)), log);
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        let Some((&value, rest)) = values.split_first() else { return Turn::default() };
        match form {
            WORDS => Turn::of(StepRole::Unknown, content::parts(value)),
            THOUGHT => Turn::of(StepRole::Agent, vec![TurnPart::Thought(content::thought(value))]),
            CALL => {
                let id = rest.first().and_then(|id| id.as_str());
                Turn::of(StepRole::Agent, vec![TurnPart::Call(content::call(value, id))])
            }
            RESULT => content::results(values),
            _ => show(form, values),
        }
    }
}

/// Where the main line ends if the conversation does not say it: at the last message that none follows.
fn newest(nodes: &[&Value<'_>], parents: &[Option<usize>]) -> Option<usize> {
    let mut is_followed = vec![false; nodes.len()];
    parents.iter().flatten().for_each(|parent| is_followed[*parent] = true);
    (0..nodes.len()).rev().find(|at| !is_followed[*at] && message_of(nodes[*at]).is_some())
}

fn message_of<'v, 'a>(node: &'v Value<'a>) -> Option<&'v Value<'a>> {
    first(node, &["message"]).filter(|message| message.as_object().is_some())
}

/// What a message is to the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MessageKind {
    /// It says nothing to anybody.
    Empty,
    Words,
    Thought,
    Call,
    Result,
    /// The program reports something.
    Note,
}

fn kind_of(message: &Value<'_>) -> MessageKind {
    let role = message.get("author").and_then(|author| text(author, "role")).unwrap_or_default();
    let class = content::class(message);
    let is_addressed = content::tool(message).is_some();
    match role {
        "tool" => MessageKind::Result,
        "assistant" if is_addressed => MessageKind::Call,
        _ if content::is_empty(message) => MessageKind::Empty,
        _ if class == "thoughts" || text(message, "channel") == Some("analysis") => MessageKind::Thought,
        _ if matches!(class, "reasoning_recap" | "system_error") => MessageKind::Note,
        _ => MessageKind::Words,
    }
}

/// The messages of a conversation.
struct Messages<'m, 'v> {
    nodes: &'m [&'m Value<'v>],
    parents: &'m [Option<usize>],
    /// For each message the place of the call to which what came back behind it belongs.
    calls: Vec<Option<usize>>,
}

impl<'m, 'v> Messages<'m, 'v> {
    fn add_steps(mut self, last: Option<usize>, log: &mut Log<'_>) {
        let order = ordered(self.parents, last);
        let mut branches = Branches::new(self.parents, log.next_step());
        let mut results: Vec<&Value<'v>> = Vec::new();
        for (place, message) in order.iter().enumerate() {
            let at = message.at;
            let begin = log.next_step();
            if let Some(value) = message_of(self.nodes[at]) {
                let kind = kind_of(value);
                let before = self.parents[at].and_then(|parent| self.calls[parent]);
                self.calls[at] = match kind {
                    MessageKind::Call => Some(at),
                    MessageKind::Result | MessageKind::Empty => before,
                    _ => None,
                };
                if kind == MessageKind::Result {
                    results.push(value);
                    let goes_on = order.get(place + 1).is_some_and(|next| {
                        let is_next = self.parents[next.at] == Some(at) && next.is_left == message.is_left;
                        is_next && message_of(self.nodes[next.at]).map(kind_of) == Some(MessageKind::Result)
                    });
                    if !goes_on {
                        self.add_results(&std::mem::take(&mut results), before, log);
                    }
                } else {
                    self.add_step(at, value, kind, log);
                }
                if text_of_role(value) == "assistant" && value.get("end_turn").and_then(Value::as_bool) == Some(true) {
                    log.usage(None, &Usage::default());
                }
            }
            branches.end(*message, begin, log);
        }
    }

    /// The id of a message, as its results name it.
    fn id(&self, at: usize) -> Option<&'m Value<'v>> {
        let node = self.nodes.get(at)?;
        let id = message_of(node).and_then(|message| first(message, &["id"])).or_else(|| first(node, &["id"]));
        id.filter(|id| id.as_str().is_some())
    }

    fn add_step(&self, at: usize, message: &Value<'v>, kind: MessageKind, log: &mut Log<'_>) {
        let (kind, form) = match kind {
            MessageKind::Empty | MessageKind::Result => return,
            MessageKind::Words => (Kind::Message, WORDS),
            MessageKind::Thought => (Kind::Thought, THOUGHT),
            MessageKind::Call => (Kind::Call, CALL),
            MessageKind::Note => (Kind::State, WORDS),
        };
        let metadata = message.get("metadata");
        let model = metadata.and_then(|data| text(data, "model_slug")).filter(|_| text_of_role(message) == "assistant");
        log.surroundings(&Surroundings { model: model.map(Cow::Borrowed), ..Surroundings::default() });
        let id = self.id(at).filter(|_| kind == Kind::Call);
        let values: Vec<&Value<'v>> = std::iter::once(message).chain(id).collect();
        let role = match text_of_role(message) {
            _ if kind == Kind::State || content::is_instructions(message) => StepRole::System,
            "user" => StepRole::User,
            "assistant" => StepRole::Agent,
            "system" | "developer" => StepRole::System,
            _ => StepRole::Unknown,
        };
        let draft = Draft {
            role,
            class: Some(content::class(message)),
            time: first(message, &["create_time"]),
            is_injected: content::is_hidden(message),
            is_failed: content::class(message) == "system_error",
            ..Draft::of(kind, form, &values)
        };
        log.step(&draft);
    }

    /// What came back from a call, in one or several messages.
    fn add_results(&self, messages: &[&Value<'v>], call: Option<usize>, log: &mut Log<'_>) {
        let id = call.and_then(|call| self.id(call));
        let values: Vec<&Value<'v>> = messages.iter().copied().chain(id).collect();
        let first_message = messages.first();
        let draft = Draft {
            role: StepRole::Environment,
            class: first_message.map(|message| content::class(message)),
            time: first_message.and_then(|message| first(message, &["create_time"])),
            ..Draft::of(Kind::Result, RESULT, &values)
        };
        log.step(&draft);
    }
}

fn text_of_role<'v>(message: &'v Value<'_>) -> &'v str {
    message.get("author").and_then(|author| text(author, "role")).unwrap_or_default()
}
