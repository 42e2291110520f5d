//! Messages of Vercel's AI SDK as its user interface has them: a role and a list of parts (`FORMATS.md` 14).

use super::Framing;
use super::log::{
    Adapter, Copies, Draft, FIRST_ADAPTER_FORM, Form, Kind, Log, LogRun, Row, first, first_text, items, model_usage,
    role_of, text, text_of,
};
use crate::json::Value;
use crate::model::{Attachment, StepRole, Surroundings, ToolCall, ToolResult, Turn, TurnPart};
use crate::rules::trajectory::blocks;
use crate::state::Op;
use std::borrow::Cow;

/// Messages of the AI SDK.
pub(super) static AI_SDK: Row = Row {
    name: "ai-sdk",
    title: "AI SDK messages",
    about: "Messages of Vercel's AI SDK (`UIMessage`): an array or lines of objects with a `role` and `parts`, or \
            chats with such `messages`, each a trajectory. A part of a tool is a call and, once there is an output, \
            its result. Also the `steps` of a result of `generateText`, by themselves or in it. State: `data-NAME` \
            parts, of which a later one of the same id replaces an earlier one; model and usage of steps.",
    framing: Framing::Elements,
    run: || Box::new(LogRun::new(Messages::default())),
    has_trajectories: true,
    samples: &[CHAT, STEPS],
    ..Row::BASE
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

/// Steps of a result: calls, of which one failed, and the answer.
const STEPS: &str = concat!(
    r#"{"stepNumber":0,"content":[{"type":"reasoning","text":"A look."},{"type":"text","text":"I look."},"#,
    r#"{"type":"tool-call","toolCallId":"a","toolName":"ls","input":{"path":"x"}},"#,
    r#"{"type":"tool-call","toolCallId":"b","toolName":"cat","input":{"path":"b"}},"#,
    r#"{"type":"tool-result","toolCallId":"a","toolName":"ls","output":"a.txt"},"#,
    r#"{"type":"tool-error","toolCallId":"b","toolName":"cat","error":{}}],"finishReason":"tool-calls","#,
    r#""usage":{"inputTokens":9,"outputTokens":4},"response":{"timestamp":"2026-05-01T10:00:00Z","modelId":"m","#,
    r#""messages":[{"role":"tool","content":[{"type":"tool-result","toolCallId":"b","toolName":"cat","#,
    r#""output":{"type":"error-text","value":"no b"}}]}]}}"#,
    "\n",
    r#"{"stepNumber":1,"content":[{"type":"text","text":"There is a.txt."}],"finishReason":"stop","#,
    r#""usage":{"inputTokens":20,"outputTokens":5},"response":{"modelId":"m","messages":[]}}"#,
    "\n",
);

/// Where an object has its messages or steps.
const LISTS: [&str; 2] = ["messages", "steps"];
/// Where a message has its parts, and a step.
const PARTS: [&str; 2] = ["parts", "content"];

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
        let list = LISTS.iter().find_map(|name| record.get(name)?.as_array());
        let Some(messages) = list.filter(|_| !is_step(record)) else {
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
            CONTENT => Turn::of(StepRole::Unknown, parts(value).iter().filter_map(content_part).collect()),
            THOUGHT => {
                // Version 4 has the words under another name.
                let words = first(value, &["text", "reasoning"]).map(text_of).unwrap_or_default();
                Turn::of(StepRole::Agent, vec![TurnPart::Thought(words)])
            }
            CALL => Turn::of(StepRole::Agent, vec![TurnPart::Call(call(value))]),
            RESULT => Turn::of(StepRole::Environment, vec![TurnPart::Result(result(value, values.get(1).copied()))]),
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
            if is_step(message) {
                return add_result_step(message, log);
            }
            add_steps(message, log);
        }
    }
}

/// Whether it is a step of a result: what came back of one request, and of the tools that it called.
fn is_step(value: &Value<'_>) -> bool {
    value.get("content").is_some_and(|content| content.as_array().is_some()) && text(value, "finishReason").is_some()
}

/// The parts of a message or a step.
fn parts<'v, 'a>(value: &'v Value<'a>) -> &'v [Value<'a>] {
    PARTS.iter().find_map(|name| value.get(name)?.as_array()).unwrap_or_default()
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

/// Whether a part of a step is what came back from a tool; one that is only on its way is not.
fn is_result(part: &Value<'_>) -> bool {
    let is_whole = part.get("preliminary").and_then(Value::as_bool) != Some(true);
    matches!(class(part), "tool-result" | "tool-error" | "tool-output-denied") && is_whole
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

/// What a tool gave. The error of a step is often an empty object: what the model was given of it is beside it.
fn result<'v>(part: &'v Value<'v>, beside: Option<&'v Value<'v>>) -> ToolResult<'v> {
    let state = text(tool(part), "state").unwrap_or_default();
    let is_failed = matches!(class(part), "tool-error" | "tool-output-denied");
    if let Some(given) = beside.filter(|_| is_failed).and_then(blocks::part_result) {
        return ToolResult { is_error: Some(true), ..given };
    }
    ToolResult {
        id: text(tool(part), "toolCallId").map(Cow::Borrowed),
        name: Some(name(part).into()),
        text: first(tool(part), &["errorText", "output", "result", "error"])
            .or_else(|| first(tool(part).get("approval")?, &["reason"]))
            .map(text_of)
            .unwrap_or_default(),
        is_error: Some(is_failed || matches!(state, "output-error" | "output-denied")),
        ..ToolResult::default()
    }
}

/// The steps of a step of a result: its parts in order, its words together where the first of them is.
fn add_result_step(step: &Value<'_>, log: &mut Log<'_>) {
    let response = step.get("response");
    let time = response.and_then(|response| first(response, &["timestamp"]));
    let usage = first(step, &["usage"]).map(model_usage);
    let model = response.and_then(|response| text(response, "modelId")).or_else(|| text(step.get("model")?, "modelId"));
    log.surroundings(&Surroundings { model: model.map(Cow::Borrowed), ..Surroundings::default() });
    let messages = response.map(|response| items(response, "messages")).unwrap_or_default();
    let given = |part: &Value<'_>| {
        let is_of = |other: &&Value<'_>| text(other, "toolCallId") == text(part, "toolCallId");
        let mut all = messages.iter().flat_map(|message| items(message, "content"));
        all.find(|other| class(other) == "tool-result" && is_of(other)).filter(|_| class(part) == "tool-error")
    };
    let (mut tokens, mut has_message) = (usage.as_ref().and_then(|usage| usage.output), false);
    let begin = log.next_step();
    for part in parts(step) {
        let (kind, form, value) = match class(part) {
            "reasoning" => (Kind::Thought, THOUGHT, part),
            "tool-call" => (Kind::Call, CALL, part),
            _ if is_result(part) => (Kind::Result, RESULT, part),
            _ if has_message || content_part(part).is_none() => continue,
            _ => {
                has_message = true;
                (Kind::Message, CONTENT, step)
            }
        };
        let role = if kind == Kind::Result { StepRole::Environment } else { StepRole::Agent };
        let values: Vec<&Value<'_>> =
            std::iter::once(value).chain(given(part).filter(|_| kind == Kind::Result)).collect();
        log.step(&Draft { values: &values, role, time, tokens: tokens.take(), ..Draft::of(kind, form, &[]) });
    }
    if log.next_step() == begin {
        let draft = Draft::of(Kind::Message, CONTENT, &[]);
        log.step(&Draft { values: &[step], role: StepRole::Agent, time, tokens, ..draft });
    }
    if let Some(usage) = usage {
        log.usage(None, &usage);
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
    fn steps_of_a_result_have_thoughts_words_calls_and_results_and_the_error_that_the_model_saw() {
        let expected = [
            "thought agent: A look.",
            "message agent: I look.",
            "tool-call agent: ls x",
            "tool-call agent: cat b",
            "tool-result environment: a.txt (of 2)",
            "tool-result environment: no b (of 3)",
            "message agent: There is a.txt.",
        ];
        let parsed = lines(&AI_SDK, STEPS.trim_end());
        assert_eq!(steps(&parsed), expected);
        assert_eq!(parsed.0.error_steps(), [5]);
        assert_eq!(state(&parsed, "usage", 6), r#"{"main":{"input":29,"output":9,"turns":2}}"#);
        let result = format!(r#"{{"text":"x","steps":[{}]}}"#, STEPS.trim_end().replace('\n', ","));
        assert_eq!(steps(&run_of_record(&AI_SDK, &result)), expected);
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
