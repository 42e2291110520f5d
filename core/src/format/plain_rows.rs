//! Rows of datasets that are no conversations, and what makes some of them.

use crate::json::{Data, Value};

/// A kind of row.
struct PlainRow {
    /// What a file of such has.
    what: &'static str,
    fits: fn(&Value<'_>) -> bool,
    /// The conversation in it, as `--map messages=` takes it.
    messages: &'static str,
}

const KINDS: [PlainRow; 6] = [
    PlainRow {
        what: "questions with the calls that answer them (xLAM, APIGen)",
        fits: |row| is_text(row, "query") && row.get("tools").is_some() && is_listed(row, "answers"),
        messages: "[{role:\"user\",content:.query},{role:\"assistant\",content:null,tool_calls:\
                   (.answers|if type==\"string\" then fromjson else . end|map({type:\"function\",function:.}))}]",
    },
    PlainRow {
        what: "questions with the functions that they are for, without answers (BFCL)",
        fits: |row| row.get("function").is_some() && row.get("question").is_some_and(is_list_of_lists),
        messages: "(.question|add)",
    },
    PlainRow {
        what: "prompts alone, which nothing answers",
        fits: |row| is_text(row, "prompt") && !has_answer(row),
        messages: "[{role:\"user\",content:.prompt}]",
    },
    PlainRow {
        what: "prompts with an answer each",
        fits: |row| is_text(row, "prompt") && ANSWER.iter().any(|name| is_text(row, name)),
        messages: "[{role:\"user\",content:.prompt},{role:\"assistant\",\
                   content:(.response//.completion//.output//.generation//.answer)}]",
    },
    PlainRow {
        what: "inputs and outputs as texts",
        fits: |row| is_text(row, "input") && is_text(row, "output"),
        messages: "[{role:\"user\",content:.input},{role:\"assistant\",content:.output}]",
    },
    PlainRow {
        what: "texts alone, as for pretraining",
        fits: |row| {
            is_text(row, "text") && row.as_object().is_some_and(|row| row.entries().count() <= TEXT_MEMBERS_MAX)
        },
        messages: "[{role:\"assistant\",content:.text}]",
    },
];

/// Members of a row whose text is all that it is, with its id, source and such.
const TEXT_MEMBERS_MAX: usize = 4;

/// Names of a prompt, and of several answers to it.
const PROMPTS: [&str; 6] = ["prompt", "question", "problem", "input", "instruction", "query"];
const ANSWERS: [&str; 10] = [
    "completions",
    "responses",
    "samples",
    "outputs",
    "generations",
    "candidates",
    "rollouts",
    "predictions",
    "solutions",
    "attempts",
];

/// Names of the only answer to a prompt.
const ANSWER: [&str; 5] = ["response", "completion", "output", "generation", "answer"];

/// Names of the text of an answer that is an object, and of its score.
const TEXTS: [&str; 7] = ["text", "response", "content", "completion", "output", "generation", "answer"];
const SCORES: [&str; 4] = ["reward", "score", "overall_score", "rating"];

/// Several answers of a row.
struct Answers<'v> {
    /// The member that holds them.
    name: &'v str,
    /// Where each has its text; None: it is a text.
    text: Option<&'static str>,
    all: &'v [Value<'v>],
}

/// The answers of a row under one of the names, or one that ends so.
fn answers<'v>(row: &'v Value<'v>) -> Option<Answers<'v>> {
    let of = |name: &'v str, value: &'v Value<'v>| {
        let all = value.as_array().filter(|all| !all.is_empty())?;
        let has = |text: &&'static str| all.iter().all(|one| is_text(one, text));
        let text = if all.iter().all(|one| one.as_str().is_some()) { None } else { Some(TEXTS.into_iter().find(has)?) };
        Some(Answers { name, text, all })
    };
    let members = || row.as_object().into_iter().flat_map(|row| row.entries()).filter(|(name, _)| is_plain_name(name));
    let exact = ANSWERS.into_iter().find_map(|name| members().find(|(other, _)| *other == name));
    let ending = || members().filter(|(name, _)| ANSWERS.iter().any(|end| name.ends_with(end)));
    exact.into_iter().chain(ending()).find_map(|(name, value)| of(name, value))
}

/// Whether a name can stand in a jq expression as it is.
fn is_plain_name(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Whether something beside a prompt may be an answer to it.
fn has_answer(row: &Value<'_>) -> bool {
    let is_answer = |name: &str| ANSWER.contains(&name) || ANSWERS.iter().any(|many| name.ends_with(many));
    let says = |value: &Value<'_>| match &value.data {
        Data::String(_) => value.as_str().is_some_and(|text| !text.is_empty()),
        Data::Array(all) => !all.is_empty(),
        _ => value.as_object().is_some(),
    };
    row.as_object().is_some_and(|row| row.entries().any(|(name, value)| is_answer(name) && says(value)))
}

/// How `--map` reads the answers of a row as an attempt each: its prompt, answers, and scores of them: a list of
/// numbers of that length, or a number in each.
fn map_of_answers(row: &Value<'_>) -> Option<(String, String)> {
    let prompt = PROMPTS.into_iter().find(|name| is_text(row, name))?;
    let Answers { name, text, all } = answers(row)?;
    let is_score = |one: &Value<'_>| matches!(one.data, Data::Number | Data::Bool(_));
    let are_scores =
        |value: &Value<'_>| value.as_array().is_some_and(|list| list.len() == all.len() && list.iter().all(is_score));
    let beside = row.as_object()?.entries().find(|(name, value)| is_plain_name(name) && are_scores(value));
    let has = |score: &&str| all.iter().all(|one| one.get(score).is_some_and(is_score));
    let inside = || SCORES.into_iter().find(has).map(|score| format!("[.{name}[].{score}]"));
    let scores = beside.map(|(name, _)| format!(".{name}")).or_else(inside);
    let mut map = String::new();
    let mut add = |target: &str, source: &str| {
        let quote = if source.contains('[') { "'" } else { "" };
        let space = if map.is_empty() { "" } else { " " };
        map.push_str(&format!("{space}--map {quote}{target}={source}{quote}"));
    };
    if prompt != "prompt" {
        add("prompt", &format!(".{prompt}"));
    }
    add("responses", &text.map_or_else(|| format!(".{name}"), |text| format!("[.{name}[].{text}]")));
    scores.into_iter().for_each(|scores| add("rewards", &scores));
    let place = text.map_or_else(|| name.to_owned(), |text| format!("{name}[].{text}"));
    Some((place, map))
}

/// What the records of a file are, if most are rows of one kind, and what to do; None: they are others.
pub(super) fn describe(records: &[Value<'_>]) -> Option<String> {
    let is_most = |kind: &&PlainRow| records.iter().filter(|row| (kind.fits)(row)).count() * 2 > records.len();
    let maps: Vec<(String, String)> = records.iter().filter_map(map_of_answers).collect();
    if let Some((answers, map)) = maps.first().filter(|_| maps.len() * 2 > records.len()) {
        return Some(format!(
            "they are prompts with answers as texts in `{answers}`; `{map}` makes an attempt of each"
        ));
    }
    let kind = KINDS.iter().find(is_most)?;
    Some(format!("they are {}; `--map 'messages={}'` makes conversations of them", kind.what, kind.messages))
}

fn is_text(row: &Value<'_>, name: &str) -> bool {
    row.get(name).is_some_and(|value| value.as_str().is_some())
}

fn is_listed(row: &Value<'_>, name: &str) -> bool {
    row.get(name).is_some_and(|value| matches!(value.data, Data::String(_) | Data::Array(_)))
}

fn is_list_of_lists(value: &Value<'_>) -> bool {
    value.as_array().and_then(<[Value<'_>]>::first).is_some_and(|first| first.as_array().is_some())
}
