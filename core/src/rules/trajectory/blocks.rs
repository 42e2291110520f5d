//! Calls and results that are among the parts of a message's content (`FORMATS.md` 8): Anthropic's blocks, those of
//! LLaMA-Factory (`{"type", "value"}`), and those that are known by a member in place of a type.

use super::call::{self, FunctionCall};
use super::entry::Ask;
use super::gemini::{self, FunctionResponse};
use super::named_parts;
pub(in crate::rules) use super::named_parts::documents;
use super::text;
use crate::json::{Value, compact};
use crate::model::{Attachment, ToolResult, TurnPart};
use std::borrow::Cow;

/// What a part of a content is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Block {
    /// Words.
    Text,
    /// Reasoning.
    Thought,
    /// A call.
    Call,
    /// What came back of one.
    Result,
    /// The schemas of tools.
    Tools,
    /// A picture, a file, what nobody knows.
    File,
}

/// Where results name their call, and have what came back.
pub(crate) const RESULT_IDS: [&str; 5] = ["tool_use_id", "tool_call_id", "toolCallId", "call_id", "callId"];
pub(crate) const RESULT_TEXTS: [&str; 6] = ["content", "result", "output", "value", "text", "response"];
/// Items of the Responses interface that nobody says.
const NOTES: [&str; 5] =
    ["compaction", "item_reference", "mcp_approval_request", "mcp_approval_response", "mcp_list_tools"];
/// Where a thought has its text.
pub(crate) const THOUGHT_TEXTS: [&str; 6] = ["thinking", "reasoning", "text", "value", "content", "summary"];

/// Where a message has its reasoning beside its content: OpenAI's chat and those that follow it, Ollama, Cohere.
pub(crate) const REASONING: [&str; 4] = ["reasoning_content", "reasoning", "thinking", "tool_plan"];

/// What an element of a list of messages is that is not a message, but a part by itself (an item of the Responses
/// interface): a call, a result or a thought without a speaker, or what that interface says of itself.
pub(crate) fn item(value: &Value<'_>) -> Option<Block> {
    // A row of Parquet has all members of all items: those that one lacks are null.
    let has_speaker = ["from", "role"].iter().any(|key| value.get(key).is_some_and(|who| !who.is_null()));
    let kind = value.get("type").filter(|_| !has_speaker)?.as_str().unwrap_or_default();
    let found = block(value);
    (matches!(found, Block::Call | Block::Result | Block::Thought) || NOTES.contains(&kind)).then_some(found)
}

/// The parts of a message's content; an item is its own.
fn parts<'a>(message: &'a Value<'a>) -> &'a [Value<'a>] {
    if item(message).is_some() {
        return std::slice::from_ref(message);
    }
    let content = ["value", "content"].iter().find_map(|key| message.get(key).filter(|value| !value.is_null()));
    let content = content.or_else(|| gemini::parts(message));
    content.and_then(Value::as_array).unwrap_or_default()
}

/// What a part is, by its type, else by whether it has a text.
pub(crate) fn block(part: &Value<'_>) -> Block {
    match part.get("type").and_then(Value::as_str).unwrap_or_default() {
        "" => {
            let of_text = || if part_text(part).is_some() { Block::Text } else { Block::File };
            gemini::block(part).or_else(|| named_parts::block(part)).unwrap_or_else(of_text)
        }
        "thinking" | "redacted_thinking" | "redactedThinking" | "reasoning" | "thought" | "think" => Block::Thought,
        "tool_use" | "tool-call" | "toolCall" | "server_tool_use" | "mcp_tool_use" => Block::Call,
        // Goose.
        "toolRequest" | "frontendToolRequest" => Block::Call,
        "tool_result" | "tool-result" | "toolResult" | "toolResponse" => Block::Result,
        "tools" => Block::Tools,
        kind if kind.ends_with("_tool_result") || kind.ends_with("_call_output") => Block::Result,
        // Tools of the Responses interface: `custom_tool_call`, `local_shell_call`, `web_search_call`.
        kind if kind.ends_with("_call") => Block::Call,
        _ if part_text(part).is_some() => Block::Text,
        _ => Block::File,
    }
}

/// The text of a part.
fn part_text<'a>(part: &'a Value<'a>) -> Option<&'a str> {
    const KEYS: [&str; 5] = ["text", "value", "thinking", "reasoning", "think"];
    // What other parts have in `content` may be a file.
    let of_text = || part.get("content").filter(|_| part.get("type").and_then(Value::as_str) == Some("text"))?.as_str();
    part.as_str().or_else(|| KEYS.iter().find_map(|key| part.get(key)?.as_str())).or_else(of_text)
}

/// The calls among the parts of a message, each with its pointer below it.
pub(in crate::rules) fn calls_at<'a>(message: &'a Value<'a>) -> Vec<(String, &'a Value<'a>)> {
    let is_call = |(_, part): &(usize, &Value<'_>)| block(part) == Block::Call;
    if item(message).is_some() {
        return vec![(String::new(), message)];
    }
    let found: Vec<_> = parts(message).iter().enumerate().filter(is_call).collect();
    let key = ["value", "content"].into_iter().find(|key| message.get(key).is_some_and(|content| !content.is_null()));
    found.into_iter().map(|(place, part)| (format!("/{}/{place}", key.unwrap_or("parts")), part)).collect()
}

/// The calls among the parts of a message.
pub(in crate::rules) fn calls<'a>(message: &'a Value<'a>) -> Vec<FunctionCall<'a>> {
    parts(message).iter().filter(|part| block(part) == Block::Call).filter_map(call::call).collect()
}

/// Of each result among the parts of a message how it names its call.
pub(in crate::rules) fn results<'a>(message: &'a Value<'a>) -> impl Iterator<Item = Ask<'a>> {
    let ask = |part| match response(part) {
        Some(response) => response.id.map_or(Ask::Name(response.name), Ask::Id),
        None => result_id(part).map_or(Ask::Before, Ask::Id),
    };
    parts(message).iter().filter(|part| block(part) == Block::Result).map(ask)
}

/// The id of the call that a result names, in any spelling.
pub(in crate::rules) fn result_id<'a>(part: &'a Value<'a>) -> Option<&'a str> {
    RESULT_IDS.iter().find_map(|key| part.get(key)?.as_str())
}

/// The tool that a message of a tool says that it is of.
pub(in crate::rules) fn result_name<'a>(message: &'a Value<'a>) -> Option<&'a str> {
    ["name", "tool_name"].iter().find_map(|key| message.get(key)?.as_str())
}

/// What the parts of a message say, in their order; None: its content is a text, or it has none.
pub(crate) fn turn_parts<'a>(message: &'a Value<'a>) -> Option<Vec<TurnPart<'a>>> {
    let parts = parts(message);
    let of = |part| {
        let turn_part = turn_part(part);
        let content = matches!(turn_part, Some(TurnPart::Result(_))).then(|| result_content(part)).flatten();
        turn_part.into_iter().chain(content.into_iter().flat_map(files_of))
    };
    (!parts.is_empty()).then(|| parts.iter().flat_map(of).collect())
}

/// What came back, of a result.
fn result_content<'a>(part: &'a Value<'a>) -> Option<&'a Value<'a>> {
    let found = RESULT_TEXTS.iter().find_map(|key| part.get(key).filter(|value| !value.is_null()))?;
    // The AI SDK says of an output of what type it is.
    let typed = found.get("type").and_then(|_| found.get("value"));
    Some(typed.unwrap_or(found))
}

/// The output of a result that is JSON by its type, as the AI SDK writes it.
fn typed_json<'a>(part: &'a Value<'a>) -> Option<Cow<'a, str>> {
    let output = part.get("output")?;
    let is_json = matches!(output.get("type")?.as_str()?, "json" | "error-json");
    is_json.then(|| output.get("value")).flatten().map(|value| compact(value).into())
}

/// The result that a part without a type is.
pub(crate) fn response<'a>(part: &'a Value<'a>) -> Option<FunctionResponse<'a>> {
    gemini::response(part).or_else(|| named_parts::response(part))
}

/// The result that a part of any spelling is.
pub(crate) fn part_result<'a>(part: &'a Value<'a>) -> Option<ToolResult<'a>> {
    match turn_part(part)? {
        TurnPart::Result(result) => Some(result),
        _ => None,
    }
}

/// The same as a result of a turn.
pub(crate) fn named_result<'a>(part: &'a Value<'a>) -> Option<ToolResult<'a>> {
    response(part).map(|response| function_result(&response))
}

/// The texts of the results among the parts of a message, in their order.
pub(in crate::rules) fn result_texts<'a>(message: &'a Value<'a>) -> Vec<Cow<'a, str>> {
    let of_result = |part| match part {
        TurnPart::Result(result) if !result.text.is_empty() => Some(result.text),
        _ => None,
    };
    turn_parts(message).unwrap_or_default().into_iter().filter_map(of_result).collect()
}

/// Whether the type of a result's output is that of an error, as the AI SDK writes it; None: it has none of its types.
fn has_typed_error(part: &Value<'_>) -> Option<bool> {
    match part.get("output")?.get("type")?.as_str()? {
        "error-text" | "error-json" | "execution-denied" => Some(true),
        _ => None,
    }
}

/// Pictures, sounds and files among the parts of what came back, of which its text says nothing.
pub(crate) fn files_of<'a>(content: &'a Value<'a>) -> impl Iterator<Item = TurnPart<'a>> {
    let parts = content.as_array().unwrap_or_default().iter();
    parts.filter(|part| is_file(part)).map(|part| TurnPart::Attachment(attachment(part)))
}

/// Whether a part is a file by its type.
fn is_file(part: &Value<'_>) -> bool {
    let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
    kind.contains("image") || matches!(kind, "audio" | "document" | "file" | "input_audio" | "input_file" | "video")
}

/// What a part says; None: nothing, or tools.
pub(crate) fn turn_part<'a>(part: &'a Value<'a>) -> Option<TurnPart<'a>> {
    Some(match block(part) {
        Block::Text => TurnPart::Text(part_text(part).filter(|text| !text.is_empty())?.into()),
        Block::Thought => TurnPart::Thought(thought(part)?),
        Block::Call => TurnPart::Call(call::call(part)?.into()),
        Block::Result if let Some(response) = response(part) => TurnPart::Result(function_result(&response)),
        Block::Result => {
            let text = result_content(part).and_then(text::joined).or_else(|| typed_json(part)).unwrap_or_default();
            let is_error = part.get("is_error").and_then(Value::as_bool).or_else(|| has_typed_error(part));
            TurnPart::Result(ToolResult {
                id: result_id(part).map(Cow::Borrowed),
                text,
                is_error,
                ..ToolResult::default()
            })
        }
        Block::File => TurnPart::Attachment(attachment(part)),
        Block::Tools => return None,
    })
}

fn function_result<'a>(response: &FunctionResponse<'a>) -> ToolResult<'a> {
    let (id, name) = (response.id.map(Cow::Borrowed), response.name.map(Cow::Borrowed));
    let text = response.output.map(named_parts::output_words).unwrap_or_default();
    ToolResult { id, name, text, is_error: response.is_error, exit: response.exit, ..ToolResult::default() }
}

/// The words of a thought that is an item among the messages.
pub(in crate::rules) fn item_thought<'a>(message: &'a Value<'a>) -> Option<Cow<'a, str>> {
    (item(message) == Some(Block::Thought)).then(|| thought(message)).flatten()
}

/// The words of a thought: a text, or those of its summary.
fn thought<'a>(part: &'a Value<'a>) -> Option<Cow<'a, str>> {
    // Mistral has parts under `thinking`.
    let listed = || ["summary", "content", "thinking"].iter().find_map(|key| part.get(key).and_then(text::joined));
    let words = part_text(part).map(Cow::Borrowed).or_else(|| named_parts::thought(part)).or_else(listed);
    words.filter(|text| !text.is_empty())
}

/// A picture, a sound or a file by its type and place; content that is within the log has none.
pub(crate) fn attachment<'a>(part: &'a Value<'a>) -> Attachment<'a> {
    if let Some(named) = named_parts::attachment(part) {
        return named;
    }
    let member = |value: &'a Value<'a>, keys: &[&str]| {
        keys.iter().find_map(|key| value.get(key)).filter(|found| !found.is_null())
    };
    let source = member(part, &["source", "image_url", "file", "input_audio", "image"]).unwrap_or(part);
    let of = |keys: &[&str]| member(source, keys).and_then(Value::as_str);
    let media = of(&["media_type", "mimeType", "mime_type", "format"]);
    let media = media.or_else(|| ["mimeType", "type"].iter().find_map(|key| part.get(key)?.as_str()));
    let place = of(&["url", "path", "file_id"]).or(source.as_str()).filter(|place| !place.starts_with("data:"));
    Attachment {
        media_type: media.unwrap_or("content").into(),
        location: place.map(Cow::Borrowed),
        bytes: if place.is_some() { 0 } else { part.text.len() as u64 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn several_results_of_a_message_say_what_came_back_json_among_it() {
        let message = r#"{"role":"tool","content":[
            {"type":"tool-result","toolCallId":"a","output":{"type":"json","value":{"t":21}}},
            {"type":"tool-result","toolCallId":"b","output":{"type":"text","value":"sunny"}}]}"#;
        assert_eq!(result_texts(&parse(message).unwrap()), [r#"{"t":21}"#, "sunny"]);
    }

    #[test]
    fn of_a_file_that_is_elsewhere_nothing_is_in_the_record() {
        let part = |url: &str| format!(r#"{{"type":"image_url","image_url":{{"url":"{url}"}}}}"#);
        let (away, inside) = (part("https://x/y.png"), part("data:image/png;base64,AA"));
        let [away, inside] = [&away, &inside].map(|text| parse(text).unwrap());
        let (away, inside) = (attachment(&away), attachment(&inside));
        assert_eq!((away.location.as_deref(), away.bytes), (Some("https://x/y.png"), 0));
        assert!(inside.location.is_none() && inside.bytes > 0);
    }

    #[test]
    fn a_file_with_its_content_is_no_text_and_a_typed_output_is_what_it_holds() {
        let part = |text: &str| block(&parse(text).unwrap());
        assert!(part(r#"{"type":"text","content":"hi"}"#) == Block::Text);
        assert!(part(r#"{"type":"image","content":"iVBORw0KGgo"}"#) == Block::File);
        let result = r#"{"type":"tool-result","toolCallId":"c","output":{"type":"error-text","value":"no file"}}"#;
        let result = parse(result).unwrap();
        let Some(TurnPart::Result(result)) = turn_part(&result) else { panic!("a result") };
        assert_eq!((result.text.as_ref(), result.is_error), ("no file", Some(true)));
    }

    #[test]
    fn parts_of_a_content_are_read_in_both_spellings() {
        let message = parse(
            r#"{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"so"},
            {"type":"tool_use","id":"1","name":"ls","input":{"a":1}},
            {"type":"tool_call","value":"{\"name\":\"cat\",\"arguments\":{\"b\":2}}"},
            {"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}},{"type":"tools","value":"[]"},"end"]}"#,
        )
        .unwrap();
        let describe = |part: TurnPart<'_>| match part {
            TurnPart::Text(text) => format!("text {text}"),
            TurnPart::Thought(text) => format!("thought {text}"),
            TurnPart::Call(call) => format!("call {} {}", call.name, call.arguments),
            TurnPart::Result(result) => format!("result {}", result.text),
            TurnPart::Attachment(file) => format!("file {} {:?}", file.media_type, file.location),
        };
        let parts: Vec<String> = turn_parts(&message).unwrap().into_iter().map(describe).collect();
        let expected =
            ["thought hm", "text so", "call ls {\"a\":1}", "call cat {\"b\":2}", "file image_url None", "text end"];
        assert_eq!(parts, expected);
        assert_eq!(calls(&message).len(), 2);
        let answer = parse(r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"ok"}]}"#);
        let answer = answer.unwrap();
        assert_eq!(results(&answer).collect::<Vec<_>>(), [Ask::Id("1")]);
    }
}
