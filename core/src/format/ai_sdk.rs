//! Messages of Vercel's AI SDK as its user interface has them: a role and a list of parts (`FORMATS.md` 14).

use super::Framing;
use super::log::{
    Adapter, Copies, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, Row, first, first_text, items, model_usage,
    role_of, text, text_of,
};
use crate::json::Value;
use crate::model::{Attachment, StepRole, ToolCall, ToolResult, Turn, TurnPart};
use crate::state::Op;
use std::borrow::Cow;

/// Messages of the AI SDK.
pub(super) static AI_SDK: Row = Row {
    name: "ai-sdk",
    title: "AI SDK messages",
    about: "Messages of Vercel's AI SDK (`UIMessage`): an array or lines of objects with a `role` and `parts`, or \
            chats with such `messages`, each a trajectory. A part of a tool is a call and, once there is an output, \
            its result. State: `data-NAME` parts, of which a later one of the same id replaces an earlier one.",
    framing: Framing::Elements,
    run: || Box::new(LogRun::new(Messages::default())),
    detect: None,
    has_trajectories: true,
    samples: &[CHAT],
};

/// A question and its answer with a call.
const CHAT: &str = concat!(
    r#"[{"id":"m1","role":"user","parts":[{"type":"text","text":"list it"}]},"#,
    "\n",
    r#"{"id":"m2","role":"assistant","metadata":{"usage":{"inputTokens":9,"outputTokens":4}},"parts":["#,
    r#"{"type":"step-start"},{"type":"reasoning","text":"A look."},{"type":"tool-ls","toolCallId":"c","#,
    r#""state":"output-available","input":{"path":"x"},"output":"a.txt"},{"type":"data-files","id":"f","#,
    r#""data":{"count":1}},{"type":"text","text":"There is a.txt."}]}]"#,
);

/// The words and files of a message.
const CONTENT: Form = FIRST_ADAPTER_FORM;
/// What a model thought.
const THOUGHT: Form = FIRST_ADAPTER_FORM + 1;
/// The part of a tool as a call, and as its result.
const CALL: Form = FIRST_ADAPTER_FORM + 2;
const RESULT: Form = FIRST_ADAPTER_FORM + 3;

/// Reads messages, and chats of them.
#[derive(Default)]
struct Messages {
    chats: usize,
    /// Of the messages of the chat.
    copies: Copies,
}

impl Adapter for Messages {
    fn read(&mut self, record: &Value<'_>, log: &mut Log<'_>) {
        let Some(messages) = record.get("messages").and_then(Value::as_array) else {
            return self.message(record, log);
        };
        self.copies = Copies::default();
        self.chats += 1;
        log.trajectory(self.chats - 1);
        let name = first_text(record, &["title", "id", "chatId"]).map_or_else(|| self.chats.to_string(), str::to_owned);
        if self.chats == 1 {
            log.title(&name);
        }
        log.begin_trajectory(&name);
        messages.iter().for_each(|message| self.message(message, log));
    }

    fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
        let Some(&value) = values.first() else { return Turn::default() };
        match form {
            CONTENT => Turn::of(StepRole::Unknown, items(value, "parts").iter().filter_map(content_part).collect()),
            THOUGHT => {
                // Version 4 has the words under another name.
                let words = first(value, &["text", "reasoning"]).map(text_of).unwrap_or_default();
                Turn::of(StepRole::Agent, vec![TurnPart::Thought(words)])
            }
            CALL => Turn::of(StepRole::Agent, vec![TurnPart::Call(call(value))]),
            RESULT => Turn::of(StepRole::Environment, vec![TurnPart::Result(result(value))]),
            _ => super::log::show(form, values),
        }
    }

    fn restart(&mut self) {
        *self = Self::default();
    }
}

impl Messages {
    /// A message that is not an exact copy of the one before of its id.
    fn message(&mut self, message: &Value<'_>, log: &mut Log<'_>) {
        if !text(message, "id").is_some_and(|id| self.copies.has(id, message.text)) {
            add_steps(message, log);
        }
    }
}

fn class<'v>(part: &'v Value<'_>) -> &'v str {
    text(part, "type").unwrap_or_default()
}

/// The step of a part; None if it has no content.
fn content_part<'v>(part: &'v Value<'v>) -> Option<TurnPart<'v>> {
    match class(part) {
        "text" => text(part, "text").filter(|text| !text.is_empty()).map(|text| TurnPart::Text(Cow::Borrowed(text))),
        "file" => {
            let media = first_text(part, &["mediaType", "mimeType"]).unwrap_or("file");
            let location = first_text(part, &["url", "filename"]).filter(|url| !url.starts_with("data:"));
            let bytes = part.text.len() as u64;
            Some(TurnPart::Attachment(Attachment {
                media_type: media.into(),
                location: location.map(Cow::Borrowed),
                bytes,
            }))
        }
        _ => None,
    }
}

/// What a part of a tool has in it: older versions have it in `toolInvocation`.
fn tool<'v, 'a>(part: &'v Value<'a>) -> &'v Value<'a> {
    part.get("toolInvocation").unwrap_or(part)
}

fn is_tool(part: &Value<'_>) -> bool {
    class(part) == "dynamic-tool" || class(part).starts_with("tool-")
}

/// Whether the tool has answered.
fn is_answered(part: &Value<'_>) -> bool {
    text(tool(part), "state").is_some_and(|state| state.starts_with("output-") || state == "result")
}

fn name<'v>(part: &'v Value<'_>) -> &'v str {
    let of_class = || class(part).strip_prefix("tool-");
    text(tool(part), "toolName").or_else(of_class).unwrap_or("?")
}

fn call<'v>(part: &'v Value<'v>) -> ToolCall<'v> {
    let arguments = first(tool(part), &["input", "args", "rawInput"]);
    ToolCall {
        id: text(tool(part), "toolCallId").map(Cow::Borrowed),
        name: name(part).into(),
        arguments: arguments.map_or(Cow::Borrowed("{}"), |arguments| Cow::Borrowed(arguments.text)),
    }
}

fn result<'v>(part: &'v Value<'v>) -> ToolResult<'v> {
    let state = text(tool(part), "state").unwrap_or_default();
    ToolResult {
        id: text(tool(part), "toolCallId").map(Cow::Borrowed),
        name: Some(name(part).into()),
        text: first(tool(part), &["errorText", "output", "result"])
            .or_else(|| first(tool(part).get("approval")?, &["reason"]))
            .map(text_of)
            .unwrap_or_default(),
        is_error: Some(matches!(state, "output-error" | "output-denied")),
        ..ToolResult::default()
    }
}

/// The steps of a message (0.1.2): its parts in order, its words together where the first of them is.
fn add_steps(message: &Value<'_>, log: &mut Log<'_>) {
    let metadata = message.get("metadata");
    let time = first(message, &["createdAt"]).or_else(|| first(metadata?, &["createdAt", "timestamp"]));
    let role = text(message, "role").map_or(StepRole::Unknown, role_of);
    let of = |kind, form| Draft { role, class: text(message, "role"), time, ..Draft::of(kind, form, &[]) };
    let (begin, mut has_message) = (log.next_step(), false);
    for part in items(message, "parts") {
        if class(part) == "reasoning" {
            log.step(&Draft { values: &[part], ..of(Kind::Thought, THOUGHT) });
        } else if is_tool(part) {
            log.step(&Draft { values: &[part], ..of(Kind::Call, CALL) });
            if is_answered(part) {
                log.step(&Draft { values: &[part], role: StepRole::Environment, ..of(Kind::Result, RESULT) });
            }
        } else if content_part(part).is_some() && !has_message {
            log.step(&Draft { values: &[message], ..of(Kind::Message, CONTENT) });
            has_message = true;
        }
    }
    if log.next_step() == begin {
        log.step(&Draft { values: &[message], ..of(Kind::Message, CONTENT) });
    }
    for part in items(message, "parts") {
        if let (Some(name), Some(data)) = (class(part).strip_prefix("data-"), part.get("data")) {
            log.write("data", name, &[text(part, "id").unwrap_or("value")], Op::Update, data);
        }
    }
    if let Some(usage) = metadata.and_then(|metadata| first(metadata, &["usage", "totalUsage"])) {
        log.usage(None, &model_usage(usage));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::log::testing::{lines, run_of_record, state, steps};
    use crate::format::log::tests::damage;

    #[test]
    fn parts_are_thoughts_calls_results_and_words() {
        let parsed = lines(&AI_SDK, &CHAT.trim_matches(['[', ']']).replace("},\n{", "}\n{"));
        let expected = [
            "message user: list it",
            "thought agent: A look.",
            "tool-call agent: ls x",
            "tool-result environment: a.txt (of 2)",
            "message agent: There is a.txt.",
        ];
        assert_eq!(steps(&parsed), expected);
        let chat = format!(r#"{{"id":"c","messages":{}}}"#, CHAT.replacen('[', "[@,", 1));
        let first = CHAT.trim_start_matches('[').split("},\n{").next().unwrap();
        let twice = run_of_record(&AI_SDK, &chat.replacen('@', &format!("{first}}}"), 1));
        assert_eq!(steps(&twice), expected, "an exact copy counts once");
        assert_eq!(state(&parsed, "data", 4), r#"{"files":{"f":{"count":1}}}"#);
        assert_eq!(state(&parsed, "usage", 4), r#"{"main":{"input":9,"output":4,"turns":1}}"#);
    }

    #[test]
    fn a_tool_without_output_is_a_call_and_a_failed_one_says_so() {
        let part = |state: &str, more: &str| {
            format!(r#"{{"type":"dynamic-tool","toolName":"q","toolCallId":"{state}","state":"{state}"{more}}}"#)
        };
        let old = r#"{"type":"tool-invocation","toolInvocation":{"state":"result","toolCallId":"o","toolName":"ls",
            "args":{"path":"y"},"result":"b.txt"}}"#;
        let parts = [part("input-available", ""), part("output-error", r#","errorText":"no""#), old.replace('\n', "")];
        let text = format!(r#"{{"role":"assistant","parts":[{}]}}"#, parts.join(","));
        let parsed = run_of_record(&AI_SDK, &text);
        let expected = [
            "tool-call agent: q",
            "tool-call agent: q",
            "tool-result environment: no (of 1)",
            "tool-call agent: ls y",
            "tool-result environment: b.txt (of 3)",
        ];
        assert_eq!(steps(&parsed), expected);
        assert_eq!(parsed.0.error_steps(), [2]);
    }

    #[test]
    fn a_chat_is_a_trajectory_and_an_empty_message_a_step() {
        let chat =
            |id: &str| format!(r#"{{"id":"{id}","messages":[{{"role":"user","parts":[{{"type":"step-start"}}]}}]}}"#);
        let parsed = lines(&AI_SDK, &[chat("a"), chat("b")].join("\n"));
        assert_eq!((parsed.0.trajectory_count(), steps(&parsed).len()), (2, 2));
        assert_eq!(parsed.0.step(1, &parsed.1).trajectory.as_deref(), Some("b"));
    }

    #[test]
    fn a_chat_knows_nothing_of_the_one_before() {
        let chat = |id: &str, command: &str| {
            format!(
                r#"{{"id":"{id}","messages":[{{"role":"assistant","parts":[{{"type":"tool-bash","toolCallId":"{id}",
                "state":"output-available","input":{{"command":"{command}"}},"output":"x"}}]}},
                {{"role":"user","parts":[{{"type":"text","text":"more"}}]}}]}}"#
            )
        };
        let one_line = |chat: String| chat.replace('\n', "");
        let parsed = lines(&AI_SDK, &[chat("a", "cd /x"), chat("b", "ls")].map(one_line).join("\n"));
        let shells: Vec<String> = (0..4).map(|step| state(&parsed, "shell", step)).collect();
        assert!(shells[2].contains(r#""cwd":"/x""#) && !shells[3].contains("cwd"), "{shells:?}");
    }

    #[test]
    fn a_denied_call_gives_the_reason_of_the_user() {
        let message = r#"{"id":"m","role":"assistant","parts":[{"type":"tool-rm","toolCallId":"c","input":{},
            "state":"output-denied","approval":{"id":"a","approved":false,"reason":"not this one"}}]}"#;
        let parsed = run_of_record(&AI_SDK, &message.replace('\n', ""));
        assert_eq!(steps(&parsed)[1], "tool-result environment: not this one (of 0)");
        assert_eq!(parsed.0.error_steps(), [1]);
    }

    #[test]
    fn damaged_messages_never_panic() {
        damage(&AI_SDK, AI_SDK.samples);
    }
}
