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

const KINDS: [PlainRow; 5] = [
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
        fits: |row| is_text(row, "prompt"),
        messages: "[{role:\"user\",content:.prompt}]",
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

/// How `--map` reads the answers of a row as an attempt each: its prompt, answers as texts, and scores of them, if a
/// list of numbers of that length is there.
fn map_of_answers(row: &Value<'_>) -> Option<(&'static str, String)> {
    let is_list_of = |value: &Value<'_>, is_one: fn(&Value<'_>) -> bool| {
        value.as_array().filter(|all| !all.is_empty() && all.iter().all(is_one)).map(<[_]>::len)
    };
    let prompt = PROMPTS.into_iter().find(|name| is_text(row, name))?;
    let texts = |name: &&str| row.get(name).and_then(|value| is_list_of(value, |one| one.as_str().is_some()));
    let answers = ANSWERS.into_iter().find(|name| texts(name).is_some())?;
    let is_score = |one: &Value<'_>| matches!(one.data, Data::Number | Data::Bool(_));
    let scores = row.as_object()?.entries().find(|(_, value)| is_list_of(value, is_score) == texts(&answers));
    let mut map = String::new();
    if prompt != "prompt" {
        map.push_str(&format!("--map prompt=.{prompt} "));
    }
    map.push_str(&format!("--map responses=.{answers}"));
    if let Some((name, _)) = scores.filter(|(name, _)| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')) {
        map.push_str(&format!(" --map rewards=.{name}"));
    }
    Some((answers, map))
}

/// What the records of a file are, if most are rows of one kind, and what to do; None: they are others.
pub(super) fn describe(records: &[Value<'_>]) -> Option<String> {
    let is_most = |kind: &&PlainRow| records.iter().filter(|row| (kind.fits)(row)).count() * 2 > records.len();
    let maps: Vec<(&str, String)> = records.iter().filter_map(map_of_answers).collect();
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
