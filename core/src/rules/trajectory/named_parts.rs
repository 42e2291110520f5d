//! Parts of a content without a type, each known by the member that it has, as Bedrock's Converse and Haystack write
//! them, and what Goose and Amp have of a result (`FORMATS.md` 8).

use super::blocks::Block;
use super::gemini::FunctionResponse;
use super::text;
use crate::json::{Value, compact};
use crate::model::Attachment;
use std::borrow::Cow;

/// Members that are a call.
const CALLS: [&str; 2] = ["toolUse", "tool_call"];
/// Members that are a result: of Converse, of Haystack.
const RESULT: &str = "toolResult";
const ORIGINAL: &str = "tool_call_result";
/// Members that are reasoning: of Converse, of Haystack.
const REASONING: [&str; 2] = ["reasoningContent", "reasoning"];
/// Members that are a file.
const FILES: [&str; 4] = ["image", "document", "video", "audio"];
/// Parts that say nothing to anybody.
const MARKS: [&str; 1] = ["cachePoint"];

/// The member of these names that is an object, of a part that has no type.
fn object<'a>(part: &'a Value<'a>, names: &[&'static str]) -> Option<(&'static str, &'a Value<'a>)> {
    let found = |name: &&'static str| Some((*name, part.get(name).filter(|inner| inner.as_object().is_some())?));
    names.iter().find_map(found).filter(|_| part.get("type").is_none())
}

/// What such a part is; None: it is none.
pub(super) fn block(part: &Value<'_>) -> Option<Block> {
    match () {
        () if object(part, &CALLS).is_some() => Some(Block::Call),
        () if object(part, &[RESULT, ORIGINAL]).is_some() => Some(Block::Result),
        () if object(part, &REASONING).is_some() => Some(Block::Thought),
        () if object(part, &MARKS).is_some() => Some(Block::Text),
        () => object(part, &FILES).map(|_| Block::File),
    }
}

/// The words of a part that is reasoning; None: it is none, or has none.
pub(crate) fn thought<'a>(part: &'a Value<'a>) -> Option<Cow<'a, str>> {
    let (holder, name) = thought_member(part)?;
    holder.get(name)?.as_str().filter(|words| !words.is_empty()).map(Cow::Borrowed)
}

/// Where such a part has its words: the object that holds them, and their name in it.
pub(crate) fn thought_member<'a>(part: &'a Value<'a>) -> Option<(&'a Value<'a>, &'static str)> {
    let (_, inner) = object(part, &REASONING)?;
    let places = [(inner.get("reasoningText"), "text"), (Some(inner), "reasoning_text")];
    places.into_iter().find_map(|(holder, name)| Some((holder.filter(|holder| holder.get(name).is_some())?, name)))
}

/// The JSON that a part of a result is, in Converse.
pub(crate) fn json<'a>(part: &'a Value<'a>) -> Option<&'a Value<'a>> {
    let is_only = part.as_object()?.entries().count() == 1;
    part.get("json").filter(|_| is_only)
}

/// The words of what came back: its texts for the model, and what of it is JSON.
pub(super) fn words<'a>(output: &'a Value<'a>) -> Option<Cow<'a, str>> {
    let is_special = |part: &Value<'_>| json(part).is_some() || is_for_people(part);
    let parts = output.as_array().filter(|parts| parts.iter().any(is_special))?;
    let parts = parts.iter().filter(|part| !is_for_people(part));
    let part_words = |part: &'a Value<'a>| match json(part) {
        Some(value) => Some(Cow::Owned(compact(value))),
        None => part.get("text").and_then(Value::as_str).map(Cow::Borrowed),
    };
    let all: Vec<Cow<'_, str>> = parts.filter_map(part_words).collect();
    Some(all.join("\n").into())
}

/// What a tool gave back as documents, as Cohere has them; None: they are none.
pub(in crate::rules) fn documents<'a>(content: &'a Value<'a>) -> Option<Cow<'a, str>> {
    let data = |part: &'a Value<'a>| part.get("document").filter(|_| !is_file_of(part))?.get("data");
    let all = content.as_array()?.iter().map(data).collect::<Option<Vec<_>>>()?;
    let words = |data: &'a Value<'a>| data.as_str().map_or_else(|| compact(data).into(), Cow::Borrowed);
    match all[..] {
        [] => None,
        [one] => Some(words(one)),
        _ => Some(all.into_iter().map(words).collect::<Vec<_>>().join("\n").into()),
    }
}

/// Whether a part is a file of Converse, which says of what format it is.
fn is_file_of(part: &Value<'_>) -> bool {
    part.get("document").is_some_and(|document| document.get("format").is_some())
}

/// Whether a part of what a tool gave back is not for the model, as tools of MCP say it.
fn is_for_people(part: &Value<'_>) -> bool {
    let audience = part.get("annotations").and_then(|notes| notes.get("audience")?.as_array()).unwrap_or_default();
    !audience.is_empty() && !audience.iter().any(|who| who.as_str() == Some("assistant"))
}

/// What Goose has of a result: the status, and what a tool of MCP gave back or why it failed.
fn tool_response<'a>(part: &'a Value<'a>) -> Option<FunctionResponse<'a>> {
    const KEY: &str = "toolResult";
    let value = part.get(KEY).filter(|value| value.as_object().is_some())?;
    if part.get("type").and_then(Value::as_str) != Some("toolResponse") {
        return None;
    }
    let has_failed = value.get("status").and_then(Value::as_str) == Some("error");
    let given = value.get("value").filter(|given| !given.is_null());
    let flag = given.and_then(|given| given.get("isError")?.as_bool());
    let content = given.and_then(|given| given.get("content")).or(given);
    Some(FunctionResponse {
        value,
        key: KEY,
        used: &["value", "error"],
        id: part.get("id").and_then(Value::as_str),
        name: None,
        output: if has_failed { value.get("error").or(content) } else { content },
        is_error: if has_failed { Some(true) } else { flag },
        exit: None,
    })
}

/// What Amp has of a result: how the tool ran, and what it gave back or why it did not.
fn tool_run<'a>(part: &'a Value<'a>) -> Option<FunctionResponse<'a>> {
    const KEY: &str = "run";
    let value = part.get(KEY).filter(|value| value.as_object().is_some())?;
    let id = part.get("toolUseID").and_then(Value::as_str)?;
    let given = value.get("result").filter(|given| !given.is_null());
    let why = || value.get("error").map(|error| error.get("message").unwrap_or(error));
    let status = value.get("status").and_then(Value::as_str);
    let has_failed = matches!(status, Some("error" | "cancelled" | "rejected-by-user"))
        || given.and_then(|given| given.get("success")?.as_bool()) == Some(false);
    Some(FunctionResponse {
        value,
        key: KEY,
        used: &["result", "error"],
        id: Some(id),
        name: None,
        output: given.map(|given| given.get("output").unwrap_or(given)).or_else(why),
        is_error: has_failed.then_some(true),
        exit: given.and_then(|given| given.get("exitCode")?.as_number()?.parse().ok()),
    })
}

/// The result that such a part is.
pub(super) fn response<'a>(part: &'a Value<'a>) -> Option<FunctionResponse<'a>> {
    if let Some(found) = tool_response(part).or_else(|| tool_run(part)) {
        return Some(found);
    }
    let text = |value: &'a Value<'a>, name: &str| value.get(name).and_then(Value::as_str);
    if let Some((key, value)) = object(part, &[RESULT]) {
        return Some(FunctionResponse {
            value,
            key,
            used: &["toolUseId", "content"],
            id: text(value, "toolUseId"),
            name: None,
            output: value.get("content").filter(|content| !content.is_null()),
            is_error: text(value, "status").map(|status| status == "error"),
            exit: None,
        });
    }
    let (key, value) = object(part, &[ORIGINAL])?;
    let origin = value.get("origin");
    Some(FunctionResponse {
        value,
        key,
        used: &["result", "origin"],
        id: origin.and_then(|origin| text(origin, "id")),
        name: origin.and_then(|origin| text(origin, "tool_name")),
        output: value.get("result").filter(|result| !result.is_null()),
        is_error: value.get("error").and_then(Value::as_bool),
        exit: None,
    })
}

/// The file that such a part is.
pub(super) fn attachment<'a>(part: &'a Value<'a>) -> Option<Attachment<'a>> {
    let (kind, file) = object(part, &FILES)?;
    let format = file.get("format").and_then(Value::as_str)?;
    let place = || file.get("source")?.get("s3Location")?.get("uri")?.as_str();
    Some(Attachment {
        media_type: format!("{kind}/{format}").into(),
        location: place().map(Cow::Borrowed),
        bytes: part.text.len() as u64,
    })
}

/// The words of what came back, whatever it is.
pub(super) fn output_words<'a>(output: &'a Value<'a>) -> Cow<'a, str> {
    words(output).or_else(|| text::joined(output)).unwrap_or_else(|| compact(output).into())
}

#[cfg(test)]
mod tests {
    use super::super::blocks::{calls, results, turn_parts};
    use super::super::entry::Ask;
    use crate::json::parse;
    use crate::model::TurnPart;

    /// What a message says, its calls and what it answers.
    fn of(content: &str) -> Vec<String> {
        let text = format!(r#"{{"role":"user","content":[{content}]}}"#);
        let message = parse(&text).unwrap();
        let short = |part: TurnPart<'_>| match part {
            TurnPart::Text(text) => format!("text {text}"),
            TurnPart::Thought(text) => format!("thought {text}"),
            TurnPart::Call(call) => format!("call {} {}", call.name, call.arguments),
            TurnPart::Result(result) => format!("result {} {:?}", result.text, result.is_error),
            TurnPart::Attachment(file) => format!("file {} {:?}", file.media_type, file.location),
        };
        let shown = turn_parts(&message).unwrap().into_iter().map(short);
        let ids = calls(&message).into_iter().map(|call| format!("id {}", call.id.unwrap_or_default()));
        let answered = results(&message).map(|ask| match ask {
            Ask::Id(id) => format!("answers {id}"),
            other => format!("answers {other:?}"),
        });
        shown.chain(ids).chain(answered).collect()
    }

    #[test]
    fn documents_of_a_tool_are_their_data() {
        let of = |content: &str| super::documents(&parse(content).unwrap()).map(|words| words.into_owned());
        let one = r#"{"type":"document","document":{"id":"1","data":"{\"a\":1}"}}"#;
        assert_eq!(of(&format!("[{one}]")).as_deref(), Some(r#"{"a":1}"#));
        let two = r#"{"type":"document","document":{"data":{"b":2}}}"#;
        assert_eq!(of(&format!("[{one},{two}]")).as_deref(), Some("{\"a\":1}\n{\"b\":2}"));
        for other in ["[]", "\"x\"", r#"[{"type":"text","text":"x"}]"#, r#"[{"document":{"format":"pdf","data":"x"}}]"#]
        {
            assert_eq!(of(other), None, "{other}");
        }
    }

    #[test]
    fn parts_of_converse_are_words_thoughts_calls_results_and_files() {
        let content = r#"{"reasoningContent":{"reasoningText":{"text":"hm","signature":"s"}}},{"text":"so"},
            {"toolUse":{"toolUseId":"a","name":"ls","input":{"p":1}}},{"cachePoint":{"type":"default"}},
            {"image":{"format":"png","source":{"s3Location":{"uri":"s3://b/a.png"}}}},
            {"reasoningContent":{"redactedContent":"AAAA"}}"#;
        let expected =
            ["thought hm", "text so", r#"call ls {"p":1}"#, r#"file image/png Some("s3://b/a.png")"#, "id a"];
        assert_eq!(of(content), expected);
        let content = r#"{"toolResult":{"toolUseId":"a","status":"error","content":[{"text":"no"},{"json":{"n":1}}]}},
            {"toolResult":{"toolUseId":"b","content":[{"text":"yes"}]}}"#;
        let expected = ["result no\n{\"n\":1} Some(true)", "result yes None", "answers a", "answers b"];
        assert_eq!(of(content), expected);
    }

    #[test]
    fn parts_of_haystack_are_words_thoughts_calls_and_results() {
        let content = r#"{"reasoning":{"reasoning_text":"hm","extra":{}}},{"text":"so"},
            {"tool_call":{"tool_name":"ls","arguments":{"p":1},"id":"a","extra":null}}"#;
        assert_eq!(of(content), ["thought hm", "text so", r#"call ls {"p":1}"#, "id a"]);
        let result = |id: &str| {
            format!(r#"{{"tool_call_result":{{"result":"x","error":true,"origin":{{"tool_name":"ls","id":{id}}}}}}}"#)
        };
        assert_eq!(of(&result("\"a\"")), ["result x Some(true)", "answers a"]);
        assert_eq!(of(&result("null")), ["result x Some(true)", "answers Name(Some(\"ls\"))"]);
    }

    #[test]
    fn parts_of_goose_are_calls_and_results_for_the_model() {
        let content = r#"{"type":"think","think":"hm"},{"type":"toolRequest","id":"a","toolCall":{"status":"success",
            "value":{"name":"developer__shell","arguments":{"command":"ls"}}}}"#;
        assert_eq!(of(content), ["thought hm", r#"call developer__shell {"command":"ls"}"#, "id a"]);
        let result = |inner: &str| of(&format!(r#"{{"type":"toolResponse","id":"a","toolResult":{{{inner}}}}}"#));
        let content = r#"[{"type":"text","text":"x","annotations":{"audience":["assistant"]}},
            {"type":"text","text":"for you","annotations":{"audience":["user"],"priority":0.0}}]"#;
        let listed = result(&format!(r#""status":"success","value":{content}"#));
        assert_eq!(listed, ["result x None", "answers a"]);
        let failed = result(&format!(r#""status":"success","value":{{"content":{content},"isError":true}}"#));
        assert_eq!(failed, ["result x Some(true)", "answers a"]);
        assert_eq!(result(r#""status":"error","error":"no tool""#), ["result no tool Some(true)", "answers a"]);
    }

    #[test]
    fn results_of_amp_say_how_the_tool_ran() {
        let result = |run: &str| of(&format!(r#"{{"type":"tool_result","toolUseID":"a","run":{{{run}}}}}"#));
        assert_eq!(result(r#""status":"done","result":"x""#), ["result x None", "answers a"]);
        assert_eq!(result(r#""status":"done","result":0"#), ["result 0 None", "answers a"]);
        assert_eq!(result(r#""status":"error","error":{"message":"no"}"#), ["result no Some(true)", "answers a"]);
        assert_eq!(result(r#""status":"cancelled""#), ["result  Some(true)", "answers a"]);
        let part = r#"{"type":"tool_result","toolUseID":"a","run":{"status":"done",
            "result":{"output":"boom","exitCode":1}}}"#;
        let part = parse(part).unwrap();
        let result = super::super::blocks::part_result(&part).unwrap();
        assert_eq!((&*result.text, result.exit, result.is_error), ("boom", Some(1), None));
    }

    #[test]
    fn a_part_with_a_type_or_with_words_under_such_a_name_is_what_it_was() {
        assert_eq!(of(r#"{"type":"text","text":"a","toolUse":{"name":"f"}},{"reasoning":"b"}"#), ["text a", "text b"]);
    }
}
