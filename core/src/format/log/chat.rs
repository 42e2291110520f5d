//! A chat message as steps: one reading of content blocks for all logs that have them (`FORMATS.md` 0.1.2).

use super::{Draft, Form, Kind, Log, gemini_parts};
use crate::format::describe;
use crate::json::{self, Data, Value};
use crate::model::{StepNo, StepRole, ToolCall, ToolResult, Turn, TurnPart};
use crate::rules::trajectory::blocks::{Block, RESULT_IDS, RESULT_TEXTS, attachment, block, files_of, named_result};
use crate::rules::trajectory::call::{FunctionCall, LISTS, call_or_unnamed, name};
use crate::rules::trajectory::named_parts;
use std::borrow::Cow;

/// What the values of a step are.
pub(in crate::format) mod form {
    use super::Form;

    /// A block of reasoning, or its text.
    pub(in crate::format) const THOUGHT: Form = 0;
    /// A message of which the texts and files count, or a text.
    pub(in crate::format) const MESSAGE: Form = 1;
    /// A call.
    pub(in crate::format) const CALL: Form = 2;
    /// A result, and the structured result beside it.
    pub(in crate::format) const RESULT: Form = 3;
    /// A record that is not a message.
    pub(in crate::format) const STATE: Form = 4;
}

/// The role that a word means; an unknown word is nobody's.
pub(in crate::format) fn role_of(word: &str) -> StepRole {
    describe::role_of(word).unwrap_or(StepRole::Unknown)
}

/// A chat message of a record.
pub(in crate::format) struct Blocks<'v> {
    /// The message: an object with `content`, or a text.
    pub(in crate::format) message: &'v Value<'v>,
    /// Who; [`StepRole::Unknown`] takes the message's own role.
    pub(in crate::format) role: StepRole,
    /// The record's type as written.
    pub(in crate::format) class: Option<&'v str>,
    /// When.
    pub(in crate::format) time: Option<&'v Value<'v>>,
    /// Tokens that the model wrote; they are reported at the first step.
    pub(in crate::format) tokens: Option<u64>,
    /// Whether the harness put it in.
    pub(in crate::format) is_injected: bool,
    /// Whether it reports an error of the model's service.
    pub(in crate::format) is_failed: bool,
    /// The structured result beside the message.
    pub(in crate::format) details: Option<&'v Value<'v>>,
    /// What else of the record a step shows, by the value that it is made of.
    pub(in crate::format) more: Option<&'v (dyn MoreValues + 'v)>,
}

/// Finds the values that belong to another one, such as what it refers to: they come after it in its step.
pub(in crate::format) trait MoreValues {
    /// Those of a value, in order.
    fn of<'s>(&'s self, value: &'s Value<'s>) -> Vec<&'s Value<'s>>;
}

/// A piece of a message on its way to a step.
type StepSource<'v> = (Kind, Form, &'v Value<'v>);

impl<'v> Blocks<'v> {
    /// A message that says its role.
    pub(in crate::format) fn of(message: &'v Value<'v>) -> Self {
        let role = message.get("role").and_then(Value::as_str).map_or(StepRole::Unknown, role_of);
        Self {
            message,
            role,
            class: None,
            time: None,
            tokens: None,
            is_injected: false,
            is_failed: false,
            details: None,
            more: None,
        }
    }

    /// Adds its steps to the log, and says which they are.
    pub(in crate::format) fn add_steps(&self, log: &mut Log<'_>) -> Vec<(Kind, StepNo)> {
        let mut tokens = self.tokens;
        let found = self.step_sources();
        let steps = found.into_iter().map(|(kind, form, value)| {
            let details = self.details.filter(|_| kind == Kind::Result);
            let more = self.more.map(|more| more.of(value)).unwrap_or_default();
            let values: Vec<&Value<'_>> = std::iter::once(value).chain(details).chain(more).collect();
            let role = if kind == Kind::Result { StepRole::Environment } else { self.role };
            let draft = Draft {
                role,
                class: self.class,
                time: self.time,
                tokens: tokens.take(),
                is_injected: self.is_injected,
                is_failed: self.is_failed,
                ..Draft::of(kind, form, &values)
            };
            (kind, log.step(&draft))
        });
        steps.collect()
    }

    /// The steps of the message: in the order of its blocks, its texts and files together where the first of them is.
    fn step_sources(&self) -> Vec<StepSource<'v>> {
        let message = self.message;
        let is_result = message.get("role").and_then(Value::as_str).is_some_and(is_result_role);
        if is_result {
            return vec![(Kind::Result, form::RESULT, message)];
        }
        let mut found: Vec<StepSource<'v>> = Vec::new();
        let reasoning = ["reasoning_content", "reasoning", "reasoningContent"].iter().find_map(|key| message.get(key));
        found.extend(reasoning.filter(|v| has_text(v)).map(|v| (Kind::Thought, form::THOUGHT, v)));
        let content = message.get("content");
        match content.map(|c| &c.data) {
            Some(Data::Array(blocks)) => blocks.iter().for_each(|block| put(&mut found, message, block)),
            Some(Data::String(text)) if !text.is_empty() => found.push((Kind::Message, form::MESSAGE, message)),
            None if message.as_str().is_some_and(|text| !text.is_empty()) => {
                found.push((Kind::Message, form::MESSAGE, message));
            }
            _ => {}
        }
        self.put_listed_calls(&mut found);
        if found.is_empty() {
            found.push((Kind::Message, form::MESSAGE, message));
        }
        found
    }

    /// Calls beside the content; one that is among the blocks too is one.
    fn put_listed_calls(&self, found: &mut Vec<StepSource<'v>>) {
        let message = self.message;
        let listed = LISTS.iter().filter_map(|key| message.get(key)).flat_map(|list| match &list.data {
            Data::Array(calls) => calls.as_slice(),
            Data::Object(_) => std::slice::from_ref(list),
            _ => &[],
        });
        for listed in listed {
            let id = call(listed).id;
            let is_known = |(kind, _, known): &StepSource<'_>| *kind == Kind::Call && call(known).id == id;
            if id.is_none() || !found.iter().any(is_known) {
                found.push((Kind::Call, form::CALL, listed));
            }
        }
    }
}

fn put<'v>(found: &mut Vec<StepSource<'v>>, message: &'v Value<'v>, block: &'v Value<'v>) {
    match block_kind(block) {
        Kind::Thought => found.push((Kind::Thought, form::THOUGHT, block)),
        Kind::Call => found.push((Kind::Call, form::CALL, block)),
        Kind::Result => found.push((Kind::Result, form::RESULT, block)),
        _ if is_empty_block(block) => {}
        _ if found.iter().any(|(kind, ..)| *kind == Kind::Message) => {}
        _ => found.push((Kind::Message, form::MESSAGE, message)),
    }
}

/// What a block of a content is.
fn block_kind(part: &Value<'_>) -> Kind {
    match block(part) {
        Block::Thought => Kind::Thought,
        Block::Call => Kind::Call,
        Block::Result => Kind::Result,
        Block::Text | Block::Tools | Block::File => Kind::Message,
    }
}

/// A role whose messages are results.
fn is_result_role(role: &str) -> bool {
    matches!(role, "tool" | "toolResult" | "tool_result" | "function")
}

fn is_empty_block(block: &Value<'_>) -> bool {
    let text = block.as_str().or_else(|| block.get("text")?.as_str());
    text.is_some_and(str::is_empty)
}

fn has_text(value: &Value<'_>) -> bool {
    match &value.data {
        Data::String(text) => !text.is_empty(),
        Data::Array(items) => items.iter().any(has_text),
        Data::Object(object) => ["text", "content", "thinking"].iter().any(|key| object.get(key).is_some_and(has_text)),
        _ => false,
    }
}

fn first<'v>(value: &'v Value<'v>, keys: &[&str]) -> Option<&'v Value<'v>> {
    keys.iter().find_map(|key| value.get(key).filter(|found| !found.is_null()))
}

/// What a step of a chat message says.
pub(in crate::format) fn show<'v>(form: Form, values: &[&'v Value<'v>]) -> Turn<'v> {
    let Some(&value) = values.first() else { return Turn::default() };
    let role = value.get("role").and_then(Value::as_str).map_or(StepRole::Unknown, role_of);
    match form {
        form::THOUGHT => Turn::of(StepRole::Agent, vec![TurnPart::Thought(thought(value))]),
        form::CALL => {
            let result = result_of_server(value).map(TurnPart::Result);
            Turn::of(StepRole::Agent, std::iter::once(TurnPart::Call(call(value))).chain(result).collect())
        }
        form::RESULT => {
            let details = values.get(1);
            let exit =
                details.and_then(|details| first(details, &["exitCode", "exit_code"])?.as_number()?.parse().ok());
            // Claude Code says so of some tools in the details alone.
            let success = details.and_then(|details| details.get("success")?.as_bool());
            let details = details.map(|details| Cow::Borrowed(details.text));
            let files = first(value, &RESULT_TEXTS).into_iter().flat_map(files_of);
            let result = result(value);
            let is_error = if success == Some(false) { Some(true) } else { result.is_error };
            Turn::answer(ToolResult { is_error, exit, details, ..result }, files)
        }
        form::MESSAGE => Turn::of(role, message_parts(value)),
        gemini_parts::CONTENT..=gemini_parts::RESPONSE => gemini_parts::show(form, values),
        _ => Turn::of(role, vec![TurnPart::Text(Cow::Owned(describe::note(value)))]),
    }
}

/// Where a block of reasoning has its words.
const THOUGHTS: [&str; 7] = ["thinking", "think", "text", "reasoning", "summary", "content", "data"];

fn thought<'v>(value: &'v Value<'v>) -> Cow<'v, str> {
    if let Some(words) = named_parts::thought(value) {
        return words;
    }
    let inner = first(value, &THOUGHTS).unwrap_or(value);
    text_of(inner)
}

/// The texts and files of a message in order.
fn message_parts<'v>(message: &'v Value<'v>) -> Vec<TurnPart<'v>> {
    let content = message.get("content").unwrap_or(message);
    // An answer that failed says why, and nothing else.
    let is_nothing = matches!(&content.data, Data::Array(blocks) if blocks.is_empty()) || content.is_null();
    if let Some(error) =
        first(message, &["errorMessage", "error_message"]).and_then(Value::as_str).filter(|_| is_nothing)
    {
        return vec![TurnPart::Text(Cow::Borrowed(error))];
    }
    match &content.data {
        Data::String(text) => vec![TurnPart::Text(Cow::Borrowed(text))],
        Data::Array(blocks) => {
            let message_blocks =
                blocks.iter().filter(|block| block_kind(block) == Kind::Message && !is_empty_block(block));
            message_blocks.map(content_part).collect()
        }
        _ => Vec::new(),
    }
}

/// A text or a file of a content.
fn content_part<'v>(block: &'v Value<'v>) -> TurnPart<'v> {
    let text = block.as_str().or_else(|| block.get("text")?.as_str());
    if let Some(text) = text {
        return TurnPart::Text(Cow::Borrowed(text));
    }
    TurnPart::Attachment(attachment(block))
}

/// A call in any spelling: as OpenAI lists it, flat, as a block, as JSON in a string.
pub(in crate::format) fn call<'v>(value: &'v Value<'v>) -> ToolCall<'v> {
    let FunctionCall { id, name, source, .. } = call_or_unnamed(value);
    ToolCall { id, name, arguments: source.unwrap_or(Cow::Borrowed("{}")) }
}

/// What came back from a tool that the model's service ran, where the block of the call has it (Inspect).
fn result_of_server<'v>(call: &'v Value<'v>) -> Option<ToolResult<'v>> {
    call.get("tool_type")?;
    let error = first(call, &["error"]);
    let text = error.or_else(|| first(call, &["result"]))?;
    Some(ToolResult { text: text_of(text), is_error: error.map(|_| true), ..result(call) })
}

/// A result in any spelling.
pub(in crate::format) fn result<'v>(value: &'v Value<'v>) -> ToolResult<'v> {
    if let Some(named) = named_result(value) {
        return named;
    }
    let flag = |key: &str| value.get(key).and_then(Value::as_bool);
    // Letta writes how a result came out beside it.
    let beside = || match value.get("tool_returns")?.as_array()? {
        [only] => only.get("status"),
        _ => None,
    };
    // OpenClaw says in the details that a tool failed, and in the flag that it did not.
    let has_failed = value.get("details").and_then(|details| details.get("status")?.as_str()) == Some("error");
    let status = value.get("status").or_else(beside).and_then(Value::as_str);
    let failed = status.and_then(|word| match word {
        "error" | "failed" | "cancelled" => Some(true),
        "success" | "completed" | "ok" => Some(false),
        _ => None,
    });
    ToolResult {
        id: first(value, &RESULT_IDS).or_else(|| value.get("id")).and_then(Value::as_str).map(Cow::Borrowed),
        name: name(value).map(Cow::Borrowed),
        text: first(value, &RESULT_TEXTS).map(text_of).unwrap_or_default(),
        is_error: has_failed
            .then_some(true)
            .or(flag("is_error"))
            .or(flag("isError"))
            .or(flag("success").map(|good| !good))
            .or(failed),
        ..ToolResult::default()
    }
}

/// What a value says as text: a string, text parts joined by LF; another value as JSON.
pub(in crate::format) fn text_of<'v>(value: &'v Value<'v>) -> Cow<'v, str> {
    match &value.data {
        Data::String(text) => Cow::Borrowed(text),
        Data::Null => Cow::Borrowed(""),
        Data::Array(parts) if parts.iter().all(is_text_part) => {
            let texts: Vec<Cow<'_, str>> = parts.iter().filter_map(part_text).collect();
            match texts.len() {
                1 => texts.into_iter().next().unwrap_or_default(),
                _ => Cow::Owned(texts.join("\n")),
            }
        }
        // A part by itself.
        Data::Object(part)
            if part.members.len() == 2 && part.get("type").is_some_and(|class| class.as_str().is_some()) =>
        {
            part.get("text").and_then(Value::as_str).map_or_else(|| json::compact(value).into(), Cow::Borrowed)
        }
        _ => Cow::Owned(json::compact(value)),
    }
}

/// Whether an item of a list is a part of a content: a text, or an object with a type.
fn is_text_part(part: &Value<'_>) -> bool {
    part.as_str().is_some() || part.get("type").is_some() || part.get("text").is_some()
}

fn part_text<'v>(part: &'v Value<'v>) -> Option<Cow<'v, str>> {
    let member = |key: &str| part.get(key).and_then(Value::as_str);
    if let Some(text) = part.as_str().or_else(|| member("text")) {
        return Some(Cow::Borrowed(text));
    }
    // What a search found: where it is stays a secret of the model's service.
    member("title").zip(member("url")).map(|(title, url)| Cow::Owned(format!("{title} {url}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    /// The kinds of the steps of a message.
    fn kinds(message: &str) -> Vec<Kind> {
        let value = parse(message).unwrap();
        Blocks::of(&value).step_sources().iter().map(|(kind, ..)| *kind).collect()
    }

    #[test]
    fn a_part_by_itself_is_its_text_and_another_object_is_whole() {
        let of = |text: &str| text_of(&parse(text).unwrap()).into_owned();
        assert_eq!(of(r#"{"type":"advisor_result","text":"go on"}"#), "go on");
        assert_eq!(of(r#"{"type":"x","text":"go on","more":1}"#), r#"{"type":"x","text":"go on","more":1}"#);
        assert_eq!(of(r#"{"type":"x","text":1}"#), r#"{"type":"x","text":1}"#);
    }

    #[test]
    fn an_empty_block_makes_no_message_and_a_message_without_anything_is_one_step() {
        let call = r#"{"type":"tool_use","id":"c","name":"ls","input":{}}"#;
        let with = |blocks: &str| kinds(&format!(r#"{{"role":"assistant","content":[{blocks}]}}"#));
        assert_eq!(with(&format!(r#"{{"type":"text","text":""}},{call}"#)), [Kind::Call]);
        assert_eq!(with(&format!(r#"{{"type":"text","text":"I look"}},{call}"#)), [Kind::Message, Kind::Call]);
        assert_eq!(with(""), [Kind::Message]);
    }

    #[test]
    fn listed_calls_are_steps_each_and_one_that_a_block_has_too_is_not_repeated() {
        let listed = |ids: [&str; 2]| {
            let calls = ids.map(|id| format!(r#"{{{id}"function":{{"name":"ls","arguments":"{{}}"}}}}"#)).join(",");
            let block = r#"{"type":"tool_use","id":"a","name":"ls","input":{}}"#;
            kinds(&format!(r#"{{"role":"assistant","content":[{block}],"tool_calls":[{calls}]}}"#)).len()
        };
        assert_eq!(listed(["", ""]), 3, "calls without ids are different calls");
        assert_eq!(listed([r#""id":"a","#, r#""id":"b","#]), 2);
    }

    #[test]
    fn whether_a_result_failed_is_read_from_flags_words_and_details() {
        for (members, expected) in [
            (r#""success":false"#, Some(true)),
            (r#""success":true"#, Some(false)),
            (r#""is_error":true,"success":true"#, Some(true)),
            (r#""status":"cancelled""#, Some(true)),
            (r#""status":"completed""#, Some(false)),
            (r#""status":"running""#, None),
            (r#""isError":false,"details":{"status":"error"}"#, Some(true)),
            (r#""tool_returns":[{"status":"error"}]"#, Some(true)),
            (r#""tool_returns":[{"status":"error"},{"status":"success"}]"#, None),
        ] {
            let text = format!(r#"{{"content":"x",{members}}}"#);
            assert_eq!(result(&parse(&text).unwrap()).is_error, expected, "{members}");
        }
    }

    #[test]
    fn a_tool_may_say_in_the_details_alone_that_it_failed() {
        let message = parse(r#"{"role":"tool","content":"x"}"#).unwrap();
        for (details, expected) in [(r#"{"success":false}"#, Some(true)), (r#"{"success":true}"#, None)] {
            let details = parse(details).unwrap();
            let turn = show(form::RESULT, &[&message, &details]);
            let failed: Vec<_> =
                turn.parts.iter().map(|part| matches!(part, TurnPart::Result(r) if r.is_error == expected)).collect();
            assert_eq!(failed, [true], "{expected:?}");
        }
    }

    #[test]
    fn the_exit_status_is_read_from_either_spelling_of_the_details() {
        let message = parse(r#"{"role":"tool","content":"x"}"#).unwrap();
        for (details, expected) in [(r#"{"exitCode":2}"#, Some(2)), (r#"{"exit_code":3}"#, Some(3)), ("{}", None)] {
            let details = parse(details).unwrap();
            let turn = show(form::RESULT, &[&message, &details]);
            let exit = turn.parts.iter().find_map(|part| match part {
                TurnPart::Result(result) => Some(result.exit),
                _ => None,
            });
            assert_eq!(exit, Some(expected));
        }
    }

    #[test]
    fn the_error_of_an_answer_is_its_text_only_where_it_has_no_content() {
        let text = |content: &str| {
            let message = parse(content).unwrap();
            let parts = message_parts(&message);
            parts
                .into_iter()
                .filter_map(|part| if let TurnPart::Text(t) = part { Some(t.into_owned()) } else { None })
                .collect::<Vec<_>>()
        };
        assert_eq!(text(r#"{"content":[],"errorMessage":"no quota"}"#), ["no quota"]);
        assert_eq!(text(r#"{"content":null,"error_message":"no quota"}"#), ["no quota"]);
        assert_eq!(text(r#"{"content":"so far","errorMessage":"no quota"}"#), ["so far"]);
    }

    #[test]
    fn a_value_as_text_is_its_strings_a_found_page_and_nothing_for_null() {
        for (value, expected) in [
            ("null", ""),
            (r#"["a",{"type":"text","text":"b"}]"#, "a\nb"),
            (r#"[{"type":"search_result","title":"T","url":"u"}]"#, "T u"),
            (r#"{"a":1}"#, r#"{"a":1}"#),
        ] {
            assert_eq!(text_of(&parse(value).unwrap()), expected);
        }
    }

    #[test]
    fn a_tool_that_the_service_ran_has_its_result_or_its_error_in_its_call() {
        let result = |members: &str| {
            let call = format!(r#"{{"type":"tool_use","tool_type":"web","id":"c","name":"search",{members}}}"#);
            let call = parse(&call).unwrap();
            result_of_server(&call).map(|result| (result.text.into_owned(), result.is_error))
        };
        assert_eq!(result(r#""result":"found""#), Some(("found".to_owned(), None)));
        assert_eq!(result(r#""result":"","error":"no net""#), Some(("no net".to_owned(), Some(true))));
        assert_eq!(result(r#""arguments":{}"#), None);
    }
}
