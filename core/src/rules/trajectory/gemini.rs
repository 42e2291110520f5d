//! Contents of Gemini's API, as rows of batches and of tuning hold them: a role, and parts without a type, each known
//! by its member (`FORMATS.md` 8).

use super::blocks::Block;
use super::rows::{RowTrack, Source};
use super::several::bounded;
use super::text;
use crate::json::{Data, Value};
use crate::model::StepRole;
use std::borrow::Cow;

const CALLS: [&str; 2] = ["functionCall", "function_call"];
const RESPONSES: [&str; 2] = ["functionResponse", "function_response"];
/// Parts that are no words.
const OTHERS: [&str; 8] = [
    "inlineData",
    "inline_data",
    "fileData",
    "file_data",
    "executableCode",
    "executable_code",
    "codeExecutionResult",
    "code_execution_result",
];
/// Members in which the response of a function has what came back, where it has nothing else.
const OUTPUTS: [&str; 3] = ["output", "result", "content"];
/// Names of the system prompt of a request.
const PROMPTS: [&str; 2] = ["systemInstruction", "system_instruction"];
/// Names of the list of functions in a tool.
const DECLARATIONS: [&str; 2] = ["functionDeclarations", "function_declarations"];

fn member<'a>(value: &'a Value<'a>, names: &[&str]) -> Option<&'a Value<'a>> {
    names.iter().find_map(|name| value.get(name)).filter(|found| !found.is_null())
}

/// What a part is that has no type; None: it has one, or is nothing that is known.
pub(super) fn block(part: &Value<'_>) -> Option<Block> {
    if part.as_object().is_none() || part.get("type").is_some() {
        return None;
    }
    let is_object = |names: &[&str]| member(part, names).is_some_and(|inner| inner.as_object().is_some());
    match () {
        () if is_object(&CALLS) => Some(Block::Call),
        () if is_object(&RESPONSES) => Some(Block::Result),
        () if part.get("thought").and_then(Value::as_bool) == Some(true) => Some(Block::Thought),
        () if part.get("text").is_some_and(|text| text.as_str().is_some()) => Some(Block::Text),
        () => is_object(&OTHERS).then_some(Block::File),
    }
}

/// The parts of a content, also of kinds that are not known; None: it is none.
pub(super) fn parts<'a>(content: &'a Value<'a>) -> Option<&'a Value<'a>> {
    let parts = content.get("parts")?;
    let all = parts.as_array()?;
    let is_part = |part: &Value<'_>| part.as_object().is_some() && part.get("type").is_none();
    let is_speaker = content.get("role").is_none_or(|role| role.is_null() || role.as_str().is_some());
    let is_other = ["content", "value", "from"].iter().any(|name| content.get(name).is_some());
    (is_speaker && !is_other && all.iter().all(is_part)).then_some(parts)
}

/// Who speaks in a content, as chats name it; None: nobody is named.
pub(super) fn speaker<'a>(content: &'a Value<'a>) -> Option<&'a str> {
    match content.get("role")?.as_str()? {
        "model" => Some("assistant"),
        "function" => Some("tool"),
        role => Some(role),
    }
}

/// The words of a content: those of its parts that are no thoughts, empty without.
pub(super) fn words<'a>(parts: &'a Value<'a>) -> Option<Cow<'a, str>> {
    let part_text =
        |part: &'a Value<'a>| (block(part) == Some(Block::Text)).then(|| part.get("text")?.as_str()).flatten();
    let texts: Vec<&str> = parts.as_array()?.iter().filter_map(part_text).collect();
    match texts[..] {
        [one] => Some(Cow::Borrowed(one)),
        _ => Some(Cow::Owned(texts.join("\n"))),
    }
}

/// The response of a function.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FunctionResponse<'a> {
    /// All of it.
    pub(crate) value: &'a Value<'a>,
    /// The member of its part that it is.
    pub(crate) key: &'static str,
    /// Its members that are read.
    pub(crate) used: &'static [&'static str],
    /// The id of its call.
    pub(crate) id: Option<&'a str>,
    /// The name of the function.
    pub(crate) name: Option<&'a str>,
    /// What came back: its only member of a known name, else all of `response`.
    pub(crate) output: Option<&'a Value<'a>>,
    /// Whether it failed.
    pub(crate) is_error: Option<bool>,
    /// The exit status of a command.
    pub(crate) exit: Option<i64>,
}

/// The response of a function that a part is.
pub(super) fn response<'a>(part: &'a Value<'a>) -> Option<FunctionResponse<'a>> {
    let is_response = |key: &&&'static str| part.get(key).is_some_and(|response| !response.is_null());
    let key = *RESPONSES.iter().find(is_response).filter(|_| block(part) == Some(Block::Result))?;
    let value = part.get(key)?;
    let response = value.get("response").filter(|response| !response.is_null());
    let inner = response.and_then(Value::as_object).map(|object| object.entries().collect::<Vec<_>>());
    let (output, is_error) = match inner.as_deref() {
        Some([(name, only)]) if OUTPUTS.contains(name) => (Some(*only), None),
        Some([("error", only)]) => (Some(*only), Some(true)),
        _ => (response, None),
    };
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    Some(FunctionResponse {
        value,
        key,
        used: &["id", "response"],
        id: text("id"),
        name: text("name"),
        output,
        is_error,
        exit: None,
    })
}

/// The request of a row: the row itself, or its `request`.
fn request<'a>(row: &'a Value<'a>) -> Option<(&'static str, &'a Value<'a>)> {
    let has_known = |content: &'a Value<'a>| {
        parts(content).and_then(Value::as_array).is_some_and(|all| all.iter().any(|part| block(part).is_some()))
    };
    let is_asked = |request: &&'a Value<'a>| {
        let all = request.get("contents").and_then(Value::as_array).unwrap_or_default();
        all.iter().all(|content| parts(content).is_some()) && all.iter().any(has_known)
    };
    let inner = || Some(("/request", row.get("request")?));
    [Some(("", row)), inner()].into_iter().flatten().find(|(_, request)| is_asked(request))
}

/// The list of what came back, and where it is.
fn candidates<'a>(row: &'a Value<'a>) -> Option<(&'static str, &'a Value<'a>)> {
    let places = [("/response/candidates", row.get("response")), ("/candidates", Some(row))];
    let list = |of: Option<&'a Value<'a>>| of?.get("candidates").filter(|list| list.as_array().is_some());
    places.into_iter().find_map(|(at, of)| Some((at, list(of)?)))
}

/// The trajectories of a row of Gemini's batches or tuning: one for each candidate, or what was asked alone.
pub(super) fn contents<'a>(row: &'a Value<'a>) -> Option<Vec<RowTrack<'a>>> {
    let asked = request(row).and_then(|(at, request)| {
        let pointer = if at.is_empty() { Cow::Borrowed("/contents") } else { Cow::Owned(format!("{at}/contents")) };
        Some(Source { value: request.get("contents")?, pointer, role: StepRole::User })
    });
    let Some((at, list)) = candidates(row) else { return Some(vec![RowTrack::of(vec![asked?])]) };
    let content = |(number, candidate): (usize, &'a Value<'a>)| {
        Some((number, candidate.get("content").filter(|content| parts(content).is_some())?))
    };
    let answers: Vec<_> = list.as_array()?.iter().enumerate().filter_map(content).collect();
    let attempt = |&(number, value): &(usize, &'a Value<'a>)| {
        let pointer = Cow::Owned(format!("{at}/{number}/content"));
        let answer = Source { value, pointer, role: StepRole::Agent };
        let label = (answers.len() > 1).then(|| Cow::Owned(format!("candidate {number}")));
        RowTrack { label, ..RowTrack::of(asked.clone().into_iter().chain([answer]).collect()) }
    };
    let attempts = bounded((row, list), answers.iter().map(attempt), answers.len());
    if attempts.is_empty() { Some(vec![RowTrack::of(vec![asked?])]) } else { Some(attempts) }
}

/// The system prompt of the request of a row: a text, or parts.
pub(super) fn system_prompt<'a>(row: &'a Value<'a>) -> Option<&'a Value<'a>> {
    let prompt = member(request(row)?.1, &PROMPTS)?;
    let found = prompt.get("parts").unwrap_or(prompt);
    let found = match &found.data {
        Data::Array(all) if all.len() == 1 => all.first()?.get("text")?,
        _ => found,
    };
    text::joined(found).is_some_and(|text| !text.trim().is_empty()).then_some(found)
}

/// The tools that the request of a row declares.
pub(super) fn tools<'a>(row: &'a Value<'a>) -> Option<&'a Value<'a>> {
    request(row)?.1.get("tools").filter(|tools| !tools.is_null())
}

/// The tools of a list one by one, also where one of it declares several functions.
pub(crate) fn declarations<'a>(list: &'a Value<'a>) -> Vec<&'a Value<'a>> {
    let declared = |tool: &'a Value<'a>| match member(tool, &DECLARATIONS).and_then(Value::as_array) {
        Some(functions) => functions.iter().collect(),
        None => vec![tool],
    };
    list.as_array().unwrap_or_default().iter().flat_map(declared).collect()
}
