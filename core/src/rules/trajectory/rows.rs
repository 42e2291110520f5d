//! Where rows of datasets hold their conversations (`FORMATS.md` 8): under more names than D2 knows, in parts, and as
//! pairs of which one was preferred.

use super::blocks;
use super::shape::{CHATS, bare_pointer, chat_pointer};
use crate::json::{Data, Value};
use crate::model::Role;

/// Messages that are together: a list, one message, or a text.
#[derive(Debug, Clone, Copy)]
pub(in crate::rules) struct Source<'a> {
    pub(in crate::rules) value: &'a Value<'a>,
    pub(in crate::rules) pointer: &'static str,
    /// Who says what is a text alone.
    pub(in crate::rules) role: Role,
}

/// A trajectory of a row.
#[derive(Debug)]
pub(in crate::rules) struct RowTrack<'a> {
    /// Which of a pair it is.
    pub(in crate::rules) label: Option<&'static str>,
    pub(in crate::rules) sources: Vec<Source<'a>>,
}

/// Names of what was preferred, and of what was not.
const PAIRS: [[(&str, &str); 2]; 2] = [
    [("/chosen_messages", "chosen"), ("/rejected_messages", "rejected")],
    [("/chosen", "chosen"), ("/rejected", "rejected")],
];

/// The trajectories of a row; None: it holds no conversation.
pub(in crate::rules) fn tracks<'a>(row: &'a Value<'a>) -> Option<Vec<RowTrack<'a>>> {
    pair(row).or_else(|| Some(vec![RowTrack { label: None, sources: whole(row).or_else(|| asked(row))? }]))
}

fn source<'a>(row: &'a Value<'a>, pointer: &'static str, role: Role) -> Option<Source<'a>> {
    let value = if pointer.is_empty() { row } else { row.get(&pointer[1..])? };
    Some(Source { value, pointer, role })
}

fn is_message(value: &Value<'_>) -> bool {
    ["from", "role"].iter().any(|key| value.get(key).is_some_and(|who| who.as_str().is_some()))
}

fn are_messages(value: &Value<'_>) -> bool {
    value.as_array().is_some_and(|all| !all.is_empty() && all.iter().all(is_message))
}

/// Whether they are messages and items of the Responses interface.
fn are_items(value: &Value<'_>) -> bool {
    let all = value.as_array().unwrap_or_default();
    all.iter().any(is_message) && all.iter().all(|value| is_message(value) || blocks::item(value).is_some())
}

fn is_text(value: &Value<'_>) -> bool {
    value.as_str().is_some()
}

/// A list of messages under a name of D2, as `traj`, or as the row itself.
fn whole<'a>(row: &'a Value<'a>) -> Option<Vec<Source<'a>>> {
    let items = || CHATS.into_iter().find(|pointer| row.get(&pointer[1..]).is_some_and(are_items));
    let pointer = chat_pointer(row).or_else(|| bare_pointer(row)).or_else(items)?;
    Some(vec![source(row, pointer, Role::Unknown)?])
}

/// A prompt and what was answered (TRL): lists, or texts.
fn asked<'a>(row: &'a Value<'a>) -> Option<Vec<Source<'a>>> {
    let prompt = source(row, "/prompt", Role::User)?;
    let answers = ["/completion", "/completions"].into_iter().find_map(|name| source(row, name, Role::Agent));
    let is_said = |said: &Value<'_>| match &said.data {
        Data::String(_) => true,
        Data::Array(items) => items.iter().all(|item| is_message(item) || is_text(item)),
        _ => is_message(said),
    };
    match answers.filter(|answer| is_said(answer.value)) {
        Some(answer) => (are_messages(prompt.value) || is_text(prompt.value)).then(|| vec![prompt, answer]),
        None => are_messages(prompt.value).then(|| vec![prompt]),
    }
}

/// Both trajectories of a preference pair; a head that they share is in both.
fn pair<'a>(row: &'a Value<'a>) -> Option<Vec<RowTrack<'a>>> {
    let head = ["/prompt", "/conversations", "/messages"].into_iter().find_map(|name| {
        let head = source(row, name, Role::User)?;
        (are_messages(head.value) || (name == "/prompt" && is_text(head.value))).then_some(head)
    });
    // A word beside a conversation says which was preferred, and is no answer.
    let is_answer = |value: &Value<'_>| {
        are_messages(value)
            || is_message(value)
            || (is_text(value) && head.is_none_or(|head| head.pointer == "/prompt"))
    };
    let tracks = |names: [(&'static str, &'static str); 2]| -> Option<Vec<RowTrack<'a>>> {
        let both = names.map(|(name, label)| {
            let answer = source(row, name, Role::Agent).filter(|answer| is_answer(answer.value))?;
            let head = head.filter(|_| !is_whole(answer.value));
            Some(RowTrack { label: Some(label), sources: head.into_iter().chain([answer]).collect() })
        });
        both.into_iter().collect()
    };
    PAIRS.into_iter().find_map(tracks)
}

/// Whether an answer begins with what was asked.
fn is_whole(answer: &Value<'_>) -> bool {
    let speaker = |message: &Value<'_>| {
        let who = ["from", "role"].iter().find_map(|key| message.get(key)?.as_str());
        who.map(str::to_lowercase)
    };
    let first = answer.as_array().and_then(<[Value<'_>]>::first).and_then(speaker);
    first.is_some_and(|who| matches!(who.as_str(), "user" | "human" | "system" | "developer"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    /// Each trajectory as its label and the pointers of its parts.
    fn of(row: &str) -> Vec<String> {
        let row = parse(row).unwrap();
        let told = |track: RowTrack<'_>| {
            let names: Vec<&str> = track.sources.iter().map(|source| source.pointer).collect();
            format!("{}:{}", track.label.unwrap_or("-"), names.join("+"))
        };
        tracks(&row).unwrap_or_default().into_iter().map(told).collect()
    }

    const ASKED: &str = r#"[{"role":"user","content":"q"}]"#;
    const SAID: &str = r#"[{"role":"assistant","content":"a"}]"#;

    #[test]
    fn rows_say_where_their_conversations_are() {
        for (row, expected) in [
            (format!(r#"{{"messages":{ASKED}}}"#), "-:/messages"),
            (format!(r#"{{"prompt":"p","messages":{ASKED}}}"#), "-:/messages"),
            (format!(r#"{{"traj":{ASKED},"reward":1}}"#), "-:/traj"),
            (ASKED.to_owned(), "-:"),
            (format!(r#"{{"prompt":{ASKED},"completion":{SAID}}}"#), "-:/prompt+/completion"),
            (r#"{"prompt":"q","completion":"a","label":true}"#.to_owned(), "-:/prompt+/completion"),
            (r#"{"prompt":"q","completions":["a","b"],"labels":[true,false]}"#.to_owned(), "-:/prompt+/completions"),
            (format!(r#"{{"prompt":{ASKED}}}"#), "-:/prompt"),
            (r#"{"prompt":"q"}"#.to_owned(), ""),
            (r#"{"prompt":"q","completion":7}"#.to_owned(), ""),
            (r#"{"prompt":7,"completion":"a"}"#.to_owned(), ""),
            (r#"{"messages":[{"id":1,"title":"t"}]}"#.to_owned(), ""),
        ] {
            assert_eq!(of(&row).join(" "), expected, "{row}");
        }
    }

    #[test]
    fn a_pair_is_two_trajectories_in_every_shape() {
        let both = |head: &str, name: &str| {
            let parts = |label: &str| format!("{label}:{head}/{label}{name}");
            vec![parts("chosen"), parts("rejected")]
        };
        let turn = r#"{"from":"gpt","value":"a"}"#;
        let asked = r#"[{"from":"human","value":"q"}]"#;
        for (row, expected) in [
            (r#"{"chosen":"a","rejected":"b"}"#.to_owned(), both("", "")),
            (r#"{"prompt":"q","chosen":"a","rejected":"b"}"#.to_owned(), both("/prompt+", "")),
            (format!(r#"{{"prompt":{ASKED},"chosen":{SAID},"rejected":{SAID}}}"#), both("/prompt+", "")),
            (format!(r#"{{"prompt":"q","chosen":{ASKED},"rejected":{ASKED}}}"#), both("", "")),
            (format!(r#"{{"chosen_messages":{ASKED},"rejected_messages":{ASKED}}}"#), both("", "_messages")),
            (format!(r#"{{"conversations":{asked},"chosen":{turn},"rejected":{turn}}}"#), both("/conversations+", "")),
            (format!(r#"{{"conversations":{asked},"chosen":"a","rejected":"b"}}"#), vec!["-:/conversations".into()]),
            (format!(r#"{{"messages":{ASKED},"chosen":{SAID}}}"#), vec!["-:/messages".into()]),
        ] {
            assert_eq!(of(&row), expected, "{row}");
        }
    }
}
