//! What members mean, guessed by their names and values.

use super::fields::{Field, Fields, normal};
use crate::format::describe::{kind_of, role_of};
use crate::model::{StepKind, StepRole};
use std::collections::HashSet;

/// Names as [`super::fields::normal`] writes them, the most informative first.
pub(super) const TIMES: &[&str] = &[
    "timestamp",
    "ts",
    "time",
    "datetime",
    "createdat",
    "created",
    "occurredat",
    "starttime",
    "startedat",
    "start",
    "date",
    "at",
    "when",
    "t",
];
pub(super) const ROLES: &[&str] =
    &["role", "from", "author", "sender", "speaker", "actor", "source", "who", "participant", "agent"];
const TEXTS: &[&str] = &[
    "text",
    "content",
    "message",
    "body",
    "said",
    "utterance",
    "words",
    "msg",
    "answer",
    "reply",
    "prompt",
    "response",
    "completion",
    "summary",
    "description",
    "detail",
];
const THOUGHTS: &[&str] = &["thinking", "thought", "thoughts", "reasoning", "reasoningcontent", "rationale"];
const KINDS: &[&str] = &[
    "type",
    "kind",
    "event",
    "eventtype",
    "messagetype",
    "recordtype",
    "entrytype",
    "eventname",
    "category",
    "op",
    "action",
    "status",
];
const TOOLS: &[&str] = &["toolname", "tool", "functionname", "function", "name", "action", "command"];
const ARGUMENTS: &[&str] =
    &["arguments", "args", "input", "toolinput", "parameters", "params", "kwargs", "toolargs", "actioninput"];
const CALL_IDS: &[&str] = &["toolcallid", "callid", "tooluseid", "invocationid", "requestid", "call", "ref", "id"];
const OUTPUTS: &[&str] =
    &["output", "result", "observation", "toolresult", "returnvalue", "response", "stdout", "content", "text", "value"];
const RESULT_LISTS: &[&str] =
    &["results", "result", "toolresults", "toolresult", "observations", "observation", "outputs", "responses"];
const ERRORS: &[&str] = &["iserror", "error", "err", "failed", "exitcode", "returncode"];
const SUCCESSES: &[&str] = &["ok", "success", "succeeded", "issuccess"];
/// Objects that are state.
const STATES: &[&str] = &[
    "state",
    "memory",
    "vars",
    "variables",
    "slots",
    "store",
    "sessionstate",
    "agentstate",
    "workingmemory",
    "scratchpad",
    "todos",
    "todo",
    "plan",
    "beliefs",
    "facts",
];

/// The rule for steps of one type.
#[derive(Debug, Default, PartialEq, Eq, Clone)]
pub(super) struct Guess {
    pub(super) message: Option<String>,
    pub(super) role: Option<String>,
    pub(super) text: Option<String>,
    pub(super) thought: Option<String>,
    pub(super) time: Option<String>,
    pub(super) calls: Option<CallGuess>,
    pub(super) results: Option<ResultGuess>,
}

/// Where calls are.
#[derive(Debug, Default, PartialEq, Eq, Clone)]
pub(super) struct CallGuess {
    pub(super) at: Option<String>,
    pub(super) name: String,
    pub(super) arguments: Option<String>,
    pub(super) id: Option<String>,
}

/// Where results are.
#[derive(Debug, Default, PartialEq, Eq, Clone)]
pub(super) struct ResultGuess {
    pub(super) at: Option<String>,
    pub(super) text: String,
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) error: Option<String>,
    pub(super) ok: Option<String>,
}

/// The member that distinguishes types of steps: a type, else a role that tools have too.
pub(super) fn kind(fields: &Fields) -> Option<&Field> {
    let is_kind = |field: &Field| field.is_word(24) && field.words.len() > 1 && field.count * 10 >= fields.count * 6;
    let of_tools = |field: &Field| is_kind(field) && field.words.keys().any(|word| is_of_tool(word));
    fields.named(KINDS, is_kind).or_else(|| fields.named(ROLES, of_tools))
}

fn is_of_tool(word: &str) -> bool {
    role_of(word) == Some(StepRole::Environment) || matches!(kind_of(word), Some(StepKind::Call | StepKind::Result))
}

/// The member that names the speaker: the first with a word that is a role, else the first whose values are words.
pub(super) fn role(fields: &Fields) -> Option<&Field> {
    let is_known = |field: &Field| field.is_word(16) && field.words.keys().any(|word| role_of(word).is_some());
    fields.named(ROLES, is_known).or_else(|| fields.named(ROLES, |field| field.is_word(16)))
}

/// Members that are state: their paths.
pub(super) fn states(fields: &Fields) -> Vec<&Field> {
    let is_state = |field: &&Field| {
        let is_there = field.objects > 0 || (field.lists > 0 && field.name.starts_with("todo"));
        is_there && !field.is_listed && field.depth <= 2 && STATES.contains(&field.name.as_str())
    };
    fields.all.iter().filter(is_state).collect()
}

/// The ids of calls, as many as the field stores.
pub(super) fn call_ids<'f>(fields: &'f Fields, guess: &Guess) -> impl Iterator<Item = &'f String> {
    let path = guess.calls.as_ref().and_then(|calls| {
        let id = calls.id.as_ref()?;
        Some(calls.at.as_ref().map_or_else(|| id.clone(), |at| format!("{at}.{id}")))
    });
    path.and_then(|path| fields.get(&path)).into_iter().flat_map(|field| field.words.keys())
}

/// Whether steps name calls of others, so that they are results.
pub(super) fn answers(fields: &Fields, ids: &HashSet<String>) -> bool {
    let is_id = |field: &&Field| CALL_IDS.contains(&field.name.as_str());
    fields.all.iter().filter(is_id).any(|field| field.words.keys().any(|word| ids.contains(word)))
}

/// A member that is written to the state under a key, where a type of steps says that it is state.
pub(super) struct WriteGuess {
    pub(super) value: String,
    pub(super) kind: String,
    pub(super) slot_at: String,
    pub(super) instance_at: Option<String>,
}

/// What steps of a type write, if the type is a word for state.
pub(super) fn write(fields: &Fields, word: &str) -> Option<WriteGuess> {
    let normal_word = normal(word);
    let kind = STATES.iter().find(|state| normal_word.contains(**state))?;
    let value = fields.named(&["value", "newvalue", "content", "data"], |field| field.count > 0)?;
    let key = fields.member(&value.parent, &["key", "slot", "name", "field", "path"], Field::is_scalar)?;
    let instance = fields.member(&value.parent, &["scope", "namespace", "agent", "owner"], Field::is_scalar);
    Some(WriteGuess {
        value: value.path.clone(),
        kind: (*kind).to_owned(),
        slot_at: key.path.clone(),
        instance_at: instance.map(|field| field.path.clone()),
    })
}

/// How steps of these fields are read; `word` says what they are, `is_answer` that they name calls of others.
pub(super) fn of(fields: &Fields, word: Option<&str>, is_answer: bool) -> Guess {
    let time = fields.named(TIMES, Field::is_scalar).map(|field| field.path.clone());
    let calls = calls(fields);
    let flat = calls.as_ref().is_some_and(|calls| calls.at.is_none());
    if let Some(message) = message(fields).filter(|_| !flat) {
        return Guess { message: Some(message), time, ..Guess::default() };
    }
    let sign = word.and_then(kind_of);
    let is_answer = is_answer && calls.is_none();
    let is_result =
        is_answer || sign == Some(StepKind::Result) || word.and_then(role_of) == Some(StepRole::Environment);
    let results = results(fields, is_result, calls.as_ref());
    let calls = calls.filter(|_| !is_result || results.is_none());
    let whole =
        |at: &Option<String>, path: &str| at.as_ref().map_or_else(|| path.to_owned(), |at| format!("{at}.{path}"));
    let of_call = calls.iter().flat_map(|call| {
        [Some(&call.name), call.arguments.as_ref()].into_iter().flatten().map(|path| whole(&call.at, path))
    });
    let of_result = results.iter().map(|result| whole(&result.at, &result.text));
    let used: Vec<String> = of_call.chain(of_result).collect();
    let is_free =
        |field: &Field| !used.iter().any(|path| field.path == *path || field.path.starts_with(&format!("{path}.")));
    let is_text = |field: &Field| field.texts > 0 && is_free(field) && !field.path.ends_with("id");
    let says_text = |field: &Field| is_text(field) && field.texts * 2 >= field.count;
    let thought = fields.named(THOUGHTS, is_text);
    let text = fields.named(TEXTS, says_text).or_else(|| longest(fields, &says_text));
    let text = text.filter(|text| thought.is_none_or(|thought| thought.path != text.path));
    let (thought, text) = match (sign, thought, text) {
        (Some(StepKind::Thought), None, Some(text)) => (Some(text), None),
        (_, thought, text) => (thought, text),
    };
    let path = |field: &Field| field.path.clone();
    Guess {
        message: None,
        role: role(fields).map(path),
        text: text.map(path),
        thought: thought.map(path),
        time,
        calls,
        results,
    }
}

/// An object with a role and a content: a chat message.
fn message(fields: &Fields) -> Option<String> {
    let is_role = |field: &Field| field.is_word(16) && field.words.keys().any(|word| role_of(word).is_some());
    let has = |parent: &str| {
        let role = fields.member(parent, &["role"], is_role).map_or(0, |field| field.count);
        let content = fields.member(parent, &["content", "toolcalls"], |field| field.texts + field.lists > 0);
        role * 10 >= fields.count * 6 && role > 0 && content.is_some()
    };
    let objects = fields.all.iter().filter(|field| field.objects > 0 && !field.is_listed);
    let inner = objects.map(|field| field.path.clone()).find(|path| has(path));
    if has("") { Some(".".to_owned()) } else { inner }
}

/// The member with the longest texts on average, of at least 24 bytes: it is the message.
fn longest<'f>(fields: &'f Fields, is_text: &dyn Fn(&Field) -> bool) -> Option<&'f Field> {
    let texts = fields.all.iter().filter(|field| is_text(field) && !field.is_listed);
    let mean = |field: &Field| field.bytes / field.texts.max(1);
    texts.filter(|field| mean(field) >= 24).max_by_key(|field| mean(field))
}

/// Where a list or object is: what its members are relative to.
fn places(fields: &Fields) -> impl Iterator<Item = (String, String)> + '_ {
    let lists = fields.all.iter().filter(|field| field.lists > 0 && !field.is_listed);
    let lists = lists.map(|field| (format!("{}[]", field.path), field.name.clone()));
    let objects = fields.all.iter().filter(|field| field.objects > 0 && !field.is_listed);
    lists.chain(objects.map(|field| (field.path.clone(), field.name.clone())))
}

/// A path below another one, as seen from there.
fn below(path: &str, parent: &str) -> String {
    path.strip_prefix(parent).map_or(path, |rest| rest.trim_start_matches('.')).to_owned()
}

fn calls(fields: &Fields) -> Option<CallGuess> {
    let listed = places(fields).find_map(|(place, _)| {
        let inner = format!("{place}.function");
        call_at(fields, &place, &inner).or_else(|| call_at(fields, &place, &place))
    });
    let of_step = |guess: CallGuess| CallGuess { at: None, ..guess };
    listed.or_else(|| call_at(fields, "", "").map(of_step))
}

/// A call at a place whose tool and arguments are members of `named`.
fn call_at(fields: &Fields, place: &str, named: &str) -> Option<CallGuess> {
    let name = fields.member(named, TOOLS, |field| field.texts > 0 && field.texts == field.count)?;
    let is_arguments = |field: &Field| field.path != name.path && (field.objects > 0 || field.texts > 0);
    let arguments = fields.member(named, ARGUMENTS, is_arguments)?;
    // In the step itself, an `input` that is a plain text is a message and no argument.
    if place.is_empty() && arguments.objects == 0 && matches!(arguments.name.as_str(), "input") {
        return None;
    }
    let ids = if place.is_empty() { CALL_IDS.split_last().map_or(CALL_IDS, |(_, ids)| ids) } else { CALL_IDS };
    let id = fields.member(place, ids, Field::is_scalar);
    Some(CallGuess {
        at: Some(place.to_owned()),
        name: below(&name.path, place),
        arguments: Some(below(&arguments.path, place)),
        id: id.map(|field| below(&field.path, place)),
    })
}

fn results(fields: &Fields, is_result: bool, calls: Option<&CallGuess>) -> Option<ResultGuess> {
    let called_at = calls.and_then(|calls| calls.at.as_deref());
    let mut listed = places(fields).filter(|(_, name)| RESULT_LISTS.contains(&name.as_str()));
    if let Some(found) = listed.find_map(|(place, _)| result_at(fields, &place, OUTPUTS)) {
        return Some(found);
    }
    // The call and what came back are in one object.
    if let Some(place) = called_at {
        return result_at(fields, place, OUTPUTS.get(..6)?);
    }
    let of_step = |guess: ResultGuess| ResultGuess { at: None, ..guess };
    match (is_result, calls) {
        (true, _) => {
            let wrapped = || {
                let objects = fields.all.iter().filter(|field| field.objects > 0 && field.depth == 1);
                objects.map(|field| field.path.clone()).find_map(|path| result_at(fields, &path, OUTPUTS))
            };
            result_at(fields, "", OUTPUTS).map(of_step).or_else(wrapped)
        }
        (false, Some(_)) => result_at(fields, "", OUTPUTS.get(..6)?).map(of_step),
        (false, None) => None,
    }
}

fn result_at(fields: &Fields, place: &str, outputs: &[&str]) -> Option<ResultGuess> {
    let text = fields.member(place, outputs, |field| field.count > 0)?;
    let relative = |field: &Field| below(&field.path, place);
    let find = |names: &[&str]| fields.member(place, names, |field| field.path != text.path).map(relative);
    let id = fields.member(place, CALL_IDS, |field| field.path != text.path && field.is_scalar());
    Some(ResultGuess {
        at: Some(place.to_owned()),
        text: relative(text),
        id: id.map(relative),
        name: find(TOOLS.get(..5)?),
        error: find(ERRORS),
        ok: find(SUCCESSES),
    })
}
